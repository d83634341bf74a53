/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: builds a network from its JSON description. Layer types and their options are the rows of objects.def, made by name
 * (vn_nn_make). Layers are created in order; each is called on the output of the one before, without evaluating it, which gives the input
 * shape of the next layer and the sizes that its options take from there. */
#include "files/files.h"
#include "nn/layers.h"
#include "nn/module.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/text.h"
#include <string.h>
#include <math.h>
#include <stdarg.h>

static const char who[] = "model";
enum { MAX_LAYERS = 1000, MAX_VARIABLES = 1 << 14 };
static const double most_count = 1e9;
static const int64_t most_bytes = INT64_C(4) << 30; /* unless vn_memory_limit was called */

typedef struct {
    const char *name; /* of the model, for messages */
    char path[160];   /* "layer 3 (conv2d)", "layer 3 (residual), layer 1 (linear)" */
    int64_t outputs;
    vn__room room;
} reader;

/* ---- errors: "model: net.json: layer 3 (conv2d): ..." ---- */

static int bad(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int bad(const reader *r, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return vn__fail(VN_E_FORMAT, "%s: %.300s: %s%s%s", who, r->name, r->path, *r->path ? ": " : "", what);
}

/* Prefixes the error that a layer has just set with the layer's place. */
static vn_module *refused(const reader *r)
{
    char place[480];
    snprintf(place, sizeof place, "%s: %.300s: %s", who, r->name, r->path);
    vn__fail_in(place);
    return NULL;
}

/* ---- options: from a layer's object to those of its row in the table (objects.def) ---- */

/* A whole number, "outputs", or "input": the size that arrives, where that is known (not 0). */
static int read_whole(const reader *r, const vn__json_value *x, const char *key, int64_t input, int64_t *to)
{
    if (x->kind == VN__JSON_TEXT && !strcmp(x->text, "outputs")) return *to = r->outputs, VN_OK;
    if (x->kind == VN__JSON_TEXT && !strcmp(x->text, "input") && input) return *to = input, VN_OK;
    if (x->kind != VN__JSON_NUMBER)
        return bad(r, "\"%s\" is %s; a whole number%s is needed", key, vn__json_kind_name(x), input ? ", \"outputs\" or \"input\"" : "");
    if (floor(x->number) != x->number || fabs(x->number) > most_count)
        return bad(r, "\"%s\" is %g; a whole number up to %g is needed", key, x->number, most_count);
    *to = (int64_t)x->number;
    return VN_OK;
}

/* A list of whole numbers, or one number. */
static int read_list(const reader *r, const vn__json_value *x, const char *key, int64_t input, int64_t to[static VN_MAX_RANK], int32_t *n)
{
    const vn__json_value *item = x->kind == VN__JSON_LIST ? x->first : x;
    int code = VN_OK;
    *n = x->kind == VN__JSON_LIST ? x->n : 1;
    if (*n < 1 || *n > VN_MAX_RANK) return bad(r, "\"%s\" has %d sizes; 1 to %d are allowed", key, (int)*n, VN_MAX_RANK);
    for (int i = 0; i < *n && !code; i++, item = item->next) code = read_whole(r, item, key, input, &to[i]);
    return code;
}

/* One option; `list` holds the numbers of a list. */
static int read_option(const reader *r, const vn__json_value *x, const vn_op_option *o, int64_t input, vn_option *to, int64_t *list)
{
    const bool flag = !strcmp(o->type, "flag");
    *to = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
    if (flag && x->kind == VN__JSON_BOOL) return to->u.i = (int64_t)x->number, VN_OK;
    if (o->kind == VN_OPT_FLOAT && x->kind == VN__JSON_NUMBER) return to->u.f = x->number, VN_OK;
    if (o->kind == VN_OPT_STRING && x->kind == VN__JSON_TEXT) return to->u.s = x->text, VN_OK;
    if (o->kind == VN_OPT_INT && !flag) return read_whole(r, x, o->name, input, &to->u.i);
    if (o->kind == VN_OPT_INTS) return to->u.is = list, read_list(r, x, o->name, input, list, &to->n);
    const char *example = o->texts ? *o->texts : o->fallback;
    if (o->kind == VN_OPT_STRING && example)
        return bad(r, "\"%s\" is %s; a text such as \"%s\" is needed", o->name, vn__json_kind_name(x), example);
    return bad(r, "\"%s\" is %s; %s is needed", o->name, vn__json_kind_name(x),
               o->kind == VN_OPT_STRING ? "a text"
               : flag                   ? "true or false"
                                        : "a number");
}

/* The size of x's last axis, or of the one behind the batch where the layer's data_format says so. 0 if there is only the batch. */
static int64_t channels(const vn__json_value *object, const vn_shape *x)
{
    const vn__json_value *format = vn__json_find(object, "data_format");
    const bool first = format && format->kind == VN__JSON_TEXT && vn__channels_first(format->text);
    return x->rank < 2 ? 0 : x->dim[first ? 1 : x->rank - 1];
}

/* Whether x has the axis whose size the option is, and one of steps before it if the layer runs over a sequence. */
static int check_input(const reader *r, const vn_op_option *o, const vn_shape *x)
{
    const bool sequence = !strcmp(o->fallback, "sequence");
    if (x->rank >= 2 + sequence) return VN_OK;
    return vn__fail(VN_E_SHAPE, "%s: %.300s: %s: %s are needed; \"%s\" is the size of their last axis", who, r->name, r->path,
                    sequence ? "examples of (steps, features)" : "examples with an axis of features", o->name);
}

/* An option that the file leaves out and that has the size of x. */
static void take_input(const vn_op_option *o, int64_t input, vn_option *to, int64_t *list)
{
    *to = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
    *list = input;
    if (o->kind == VN_OPT_INTS) to->u.is = list;
    else to->u.i = input;
}

/* Whether all layers have this key. */
static bool is_common(const char *key)
{
    return !strcmp(key, "type") || !strcmp(key, "name") || !strcmp(key, "regularizers") || !strcmp(key, "constraints");
}

/* "regularizers": {"w": "l2(0.01)"} and "constraints": {"w": "max_norm(2)"} of a layer. */
static int read_rules(const reader *r, const vn__json_value *object, vn_module *m)
{
    static const char *const keys_of[] = {"regularizers", "constraints"};
    for (int k = 0; k < 2; k++) {
        const vn__json_value *all = vn__json_find(object, keys_of[k]);
        if (all && all->kind != VN__JSON_OBJECT)
            return bad(r, "\"%s\" is %s; an object such as {\"w\": \"%s\"} is needed", keys_of[k], vn__json_kind_name(all),
                       k ? "max_norm(2)" : "l2(0.01)");
        for (const vn__json_value *x = all ? all->first : NULL; x; x = x->next) {
            vn_regularizer penalty;
            vn_constraint bound;
            if (x->kind != VN__JSON_TEXT)
                return bad(r, "\"%.40s\" of \"%s\" is %s; a text is needed", x->key, keys_of[k], vn__json_kind_name(x));
            if (k ? vn_constraint_parse(x->text, &bound) || vn_module_constrain(m, x->key, bound)
                  : vn_regularizer_parse(x->text, &penalty) || vn_module_regularize(m, x->key, penalty))
                return refused(r), (int)vn_status();
        }
    }
    return VN_OK;
}

static vn_module *make_layer(const reader *r, const vn__json_value *object, const vn_op_info *type, const vn_shape *x)
{
    vn_option options[VN__MAX_OPTIONS];
    int64_t lists[VN__MAX_OPTIONS][VN_MAX_RANK];
    const int64_t input = channels(object, x);
    int n = 0, found = 0, code = VN_OK;
    for (int k = 0; k < type->n_options && !code; k++) {
        const vn_op_option *o = &type->options[k];
        const vn__json_value *value = vn__json_find(object, o->name);
        const bool of_input = o->fallback && !o->value;
        found += value != NULL;
        if (of_input) code = check_input(r, o, x);
        if (!code && value) code = read_option(r, value, o, input, &options[n], lists[n]), n++;
        else if (!code && of_input) take_input(o, input, &options[n], lists[n]), n++;
    }
    if (code) return NULL;
    for (const vn__json_value *k = object->first; k && found + 1 < object->n; k = k->next) {
        bool known = is_common(k->key);
        for (int i = 0; i < n; i++) known |= !strcmp(k->key, options[i].name);
        if (!known) return vn_nn_make(type->name, &(vn_option){.name = k->key, .kind = VN_OPT_INT, .n = 1}, 1), refused(r); /* says so */
    }
    vn_module *m = vn_nn_make(type->name, options, n);
    return m ? m : refused(r);
}

/* ---- residual, a layer of layers ---- */

static int residual_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *const *inner = vn_module_self(m);
    return vn_module_add(m, "_layers", *inner);
}

static vn_array *residual_forward(vn_module *m, vn_array *x)
{
    vn_array *y = vn_module_run(m, "layers", x);
    if (!y) return NULL;
    vn_shape in = vn_shape_of(x), out = vn_shape_of(y);
    char from[128], to[128];
    if (in.rank != out.rank || memcmp(in.dim, out.dim, (size_t)in.rank * sizeof *in.dim) != 0)
        return vn__fail(VN_E_SHAPE, "its layers make %s of %s; the same shape is needed", vn__shape_text(out.rank, out.dim, to),
                        vn__shape_text(in.rank, in.dim, from)),
               NULL;
    return vn_add(x, y);
}

static const vn_module_class residual_class = {
    .name = "Residual", .self_size = sizeof(vn_module *), .build = residual_build, .forward = residual_forward};

static vn_module *read_layers(reader *r, const vn__json_value *list, vn_shape *x);

static vn_module *make_residual(reader *r, const vn__json_value *object, const vn_shape *x)
{
    const vn__json_value *layers = vn__json_find(object, "layers");
    vn_shape inside = *x;
    for (const vn__json_value *k = object->first; k; k = k->next)
        if (!is_common(k->key) && k != layers)
            return bad(r, "there is no key \"%.40s\"; \"layers\", \"name\", \"regularizers\" and \"constraints\" are the only ones",
                       k->key),
                   NULL;
    if (!layers || layers->kind != VN__JSON_LIST)
        return bad(r, "\"layers\" is %s; a list of layers is needed", layers ? vn__json_kind_name(layers) : "missing"), NULL;
    vn_module *inner = read_layers(r, layers, &inside), *m = inner ? vn_module_new(&residual_class, &inner, NULL) : NULL;
    return m || !inner ? m : refused(r);
}

/* ---- layers ---- */

static const char residual[] = "residual";

/* The names of the table, then that of the layer of layers. */
static const char *type_name(int i, void *info)
{
    if (i == vn_object_count("layer")) return residual;
    vn_object_at("layer", i, info); /* which cannot fail: i is less than the count */
    return ((vn_op_info *)info)->name;
}

/* The row of the layer's type; its name is that of `residual` if it is one. */
static bool find_type(const reader *r, const vn__json_value *object, vn_op_info *info)
{
    if (object->kind != VN__JSON_OBJECT)
        return bad(r, "it is %s; an object such as {\"type\": \"relu\"} is needed", vn__json_kind_name(object)), false;
    const vn__json_value *type = vn__json_find(object, "type");
    if (!type) return bad(r, "the key \"type\" is missing"), false;
    if (type->kind != VN__JSON_TEXT) return bad(r, "\"type\" is %s; a text is needed", vn__json_kind_name(type)), false;
    const int n = vn_object_count("layer") + 1;
    for (int i = 0; i < n; i++) {
        info->name = type_name(i, info);
        if (vn__same_word(info->name, type->text)) return true;
    }
    char hint[128];
    bad(r, "there is no layer type \"%.40s\"%s", type->text, vn__did_you_mean(type->text, n, type_name, info, hint));
    return false;
}

static double elements(const vn_shape *s)
{
    double n = 1;
    for (int i = 0; i < s->rank; i++) n *= (double)s->dim[i];
    return n;
}

/* The layer's output shape for x, with a batch of 1. Nothing is computed, and running means do not change. */
static int shape_after(const reader *r, vn_module *m, vn_shape *x)
{
    VN_SCOPE;
    char text[128];
    vn_array *in = vn_broadcast_to(vn_zeros(VN_0D, VN_F32), *x), *out = NULL;
    vn_module_train(m, 0);
    if (in) out = vn__module_call_still(m, in, NULL);
    vn_module_train(m, 1);
    if (!out) return vn_status();
    *x = vn_shape_of(out);
    double bytes = elements(x) * (double)vn_dtype_size(vn_dtype_of(out));
    if (bytes > (double)r->room.most)
        return vn__fail(
            VN_E_MEM, "of one example it makes %s, %.0f bytes; a layer may make %lld. vn_memory_limit (vinea: --memory) sets another limit",
            vn__shape_text(x->rank, x->dim, text), bytes, (long long)r->room.most);
    return VN_OK;
}

/* Creates layer i of a list; *x becomes its output shape. */
static vn_module *read_layer(reader *r, const vn__json_value *object, int i, vn_shape *x)
{
    size_t used = strlen(r->path);
    vn_op_info type = {.size = sizeof type};
    snprintf(r->path + used, sizeof r->path - used, "%slayer %d", used ? ", " : "", i + 1);
    if (!find_type(r, object, &type)) return NULL;
    size_t number = strlen(r->path);
    snprintf(r->path + number, sizeof r->path - number, " (%s)", type.name);
    vn_module *m = type.name == residual ? make_residual(r, object, x) : make_layer(r, object, &type, x);
    if (!m || read_rules(r, object, m)) return NULL;
    if (type.dtypes == VN_INTS) /* examples are float32 */
        m = VN_SEQUENTIAL(vn_nn_activation("cast", &(vn_option){.name = "dtype", .kind = VN_OPT_INT, .n = 1, .u = {.i = VN_I32}}, 1), m);
    if (!m || shape_after(r, m, x)) return refused(r);
    r->path[used] = 0;
    return m;
}

/* The names of layers as keys of the network: "name", or v0, v1 ... */
static const char **read_names(const reader *r, const vn__json_value *list, bool *named)
{
    enum { ROOM = 16 };
    const char **names = vn__scope_memory((size_t)list->n * (sizeof *names + ROOM), who);
    char *text = names ? (char *)(names + list->n) : NULL;
    const vn__json_value *object = list->first;
    for (int i = 0; names && i < list->n; i++, object = object->next, text += ROOM) {
        const vn__json_value *name = vn__json_find(object, "name");
        if (name && name->kind != VN__JSON_TEXT)
            return bad(r, "layer %d: \"name\" is %s; a text is needed", i + 1, vn__json_kind_name(name)), NULL;
        *named |= name != NULL;
        snprintf(text, ROOM, "v%d", i);
        names[i] = name ? name->text : text;
    }
    return names;
}

static vn_module *read_layers(reader *r, const vn__json_value *list, vn_shape *x)
{
    if (!list->n || list->n > MAX_LAYERS) return bad(r, "there are %d layers; 1 to %d are allowed", list->n, MAX_LAYERS), NULL;
    vn_module **modules = vn__scope_memory((size_t)list->n * sizeof *modules, who);
    const vn__json_value *object = list->first;
    for (int i = 0; modules && i < list->n; i++, object = object->next) {
        if (!(modules[i] = read_layer(r, object, i, x))) return NULL;
    }
    bool named = false;
    const char **names = modules ? read_names(r, list, &named) : NULL;
    if (!names) return NULL;
    vn_module *m = named ? vn_nn_sequential_named(modules, names, list->n, NULL) : vn_nn_sequential(modules, list->n, NULL);
    return m ? m : refused(r);
}

/* ---- the model ---- */

static const char *const keys[] = {"name", "about", "input", "layers"};
enum { N_KEYS = sizeof keys / sizeof *keys };
static const char *key_name(int i, void *user)
{
    (void)user;
    return keys[i];
}

static int check_keys(const reader *r, const vn__json_value *model)
{
    if (model->kind != VN__JSON_OBJECT) return bad(r, "it is %s; an object with \"layers\" is needed", vn__json_kind_name(model));
    for (const vn__json_value *x = model->first; x; x = x->next) {
        int known = 0;
        for (int i = 0; i < N_KEYS; i++) known |= !strcmp(x->key, keys[i]);
        char hint[128];
        if (!known) return bad(r, "there is no key \"%.40s\"%s", x->key, vn__did_you_mean(x->key, N_KEYS, key_name, NULL, hint));
    }
    for (int i = 0; i < 2; i++) {
        const vn__json_value *x = vn__json_find(model, keys[i]);
        if (x && x->kind != VN__JSON_TEXT) return bad(r, "\"%s\" is %s; a text is needed", keys[i], vn__json_kind_name(x));
    }
    const vn__json_value *layers = vn__json_find(model, "layers");
    if (!layers) return bad(r, "the key \"layers\" is missing");
    return layers->kind == VN__JSON_LIST ? VN_OK : bad(r, "\"layers\" is %s; a list is needed", vn__json_kind_name(layers));
}

/* The shape of examples by "input": a list, or "image": (height, width, channels), where a row of numbers is a square image. */
static int read_input(const reader *r, const vn__json_value *x, vn_shape *shape)
{
    vn_shape wanted = *shape;
    char has[128], wants[128];
    if (x && x->kind == VN__JSON_TEXT && !strcmp(x->text, "image")) {
        int64_t side = shape->rank == 1 ? (int64_t)llround(sqrt((double)shape->dim[0])) : 0;
        if (shape->rank == 2) wanted = VN_SHAPE(shape->dim[0], shape->dim[1], 1);
        else if (shape->rank == 1 && side * side == shape->dim[0]) wanted = VN_SHAPE(side, side, 1);
        else if (shape->rank != 3)
            return bad(r, "\"input\" is \"image\", but examples of shape %s make no square image of one channel",
                       vn__shape_text(shape->rank, shape->dim, has));
    } else if (x && x->kind == VN__JSON_LIST) {
        int code = read_list(r, x, "input", 0, wanted.dim, &wanted.rank);
        if (code) return code;
        for (int i = 0; i < wanted.rank; i++)
            if (wanted.dim[i] < 1) return bad(r, "\"input\" has a size of %lld; 1 or more is needed", (long long)wanted.dim[i]);
        if (wanted.rank == VN_MAX_RANK) return bad(r, "\"input\" has %d sizes; 1 to %d are allowed", VN_MAX_RANK, VN_MAX_RANK - 1);
    } else if (x) {
        return bad(r, "\"input\" is %s; a list of sizes or \"image\" is needed", vn__json_kind_name(x));
    }
    if (elements(&wanted) != elements(shape))
        return bad(r, "\"input\" is %s, but examples have shape %s", vn__shape_text(wanted.rank, wanted.dim, wants),
                   vn__shape_text(shape->rank, shape->dim, has));
    *shape = wanted;
    return VN_OK;
}

/* A reshape of the examples, then the layers. */
static vn_module *make(reader *r, const vn__json_value *model, vn_shape example)
{
    if (check_keys(r, model) || read_input(r, vn__json_find(model, "input"), &example)) return NULL;
    vn_module *shaped = vn_nn_reshape(example);
    if (!shaped) return refused(r);
    vn_shape x = {.rank = example.rank + 1, .dim = {1}};
    memcpy(x.dim + 1, example.dim, (size_t)example.rank * sizeof *x.dim);
    vn_module *layers = read_layers(r, vn__json_find(model, "layers"), &x);
    return layers ? VN_SEQUENTIAL(shaped, layers) : NULL;
}

static void *scope_memory(size_t bytes, void *user)
{
    (void)user;
    return vn__scope_memory(bytes, who);
}

/* Parses the text, in the innermost scope. */
static const vn__json_value *read_json(const char *text, const char *name)
{
    static const vn__json_limits limits = {.allocate = scope_memory, .max_depth = 32, .max_values = 100000};
    vn__json j = {.text = text, .size = strlen(text)};
    j.room = vn__scope_memory(j.size + 1, who);
    const vn__json_value *x = j.room ? vn__json_read(&j, &limits) : NULL;
    size_t line, column;
    vn__json_place(&j, &line, &column);
    if (*j.problem) vn__fail(VN_E_FORMAT, "%s: %.300s: line %zu, column %zu: %s", who, name, line, column, j.problem);
    return x;
}

vn_module *vn_model_parse(const char *text, const char *name, vn_shape example, int64_t outputs)
{
    if (!text || !name) return vn__fail(VN_E_NULL, "%s: the %s is NULL", who, text ? "name" : "text"), NULL;
    if (outputs < 1) return vn__fail(VN_E_ARG, "%s: %lld outputs; 1 or more are needed", who, (long long)outputs), NULL;
    if (example.rank < 0 || example.rank >= VN_MAX_RANK)
        return vn__fail(VN_E_SHAPE, "%s: examples of %d axes; 0 to %d are allowed", who, (int)example.rank, VN_MAX_RANK - 1), NULL;
    VN_SCOPE;
    reader r = {.name = name, .outputs = outputs};
    const vn__json_value *model = read_json(text, name);
    int64_t used, highest, most;
    vn__memory_totals(&used, &highest, &most);
    r.room = (vn__room){most ? most : most_bytes, most ? most : most_bytes, MAX_VARIABLES};
    vn__room *before = vn__init_within(&r.room);
    vn_module *m = model ? make(&r, model, example) : NULL;
    vn__init_within(before);
    return m ? vn_module_pass(m) : NULL;
}
