/* model.c: builds a network from its JSON description. Layers are created in order; each is called on the output of the one before, without
 * evaluating it, which gives the input shape of the next layer. */
#include "base/nearest.h"
#include "files/files.h"
#include "nn/model.h"
#include "nn/module.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>
#include <stdarg.h>

static const char who[] = "model";
enum { MOST_LAYERS = 1000, MOST_VARIABLES = 1 << 14 };
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

static const char *meant(const char *word, int n, const char *(*name)(int i, void *user), void *user, char to[static 80])
{
    const char *near = vn__nearest(word, n, name, user);
    if (near) snprintf(to, 80, "; did you mean \"%s\"?", near);
    else *to = 0;
    return to;
}

/* ---- options ---- */

static const char *option_name(int i, void *type)
{
    return ((const vn__layer_type *)type)->options[i].name;
}

/* The index of the word among "a|b|c"; -1 if it is not there. */
static int word_place(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; words; i++, words = strchr(words, '|'), words = words ? words + 1 : NULL) {
        if (!strncmp(words, word, n) && (!words[n] || words[n] == '|')) return i;
    }
    return -1;
}

static int read_count(const reader *r, const vn__json_value *x, const char *key, double *to)
{
    if (x->kind == VN__JSON_TEXT && !strcmp(x->text, "outputs")) return *to = (double)r->outputs, VN_OK;
    if (x->kind != VN__JSON_NUMBER) return bad(r, "\"%s\" is %s; a whole number or \"outputs\" is needed", key, vn__json_kind_name(x));
    *to = x->number;
    if (floor(*to) == *to && *to >= 1 && *to <= most_count) return VN_OK;
    return bad(r, "\"%s\" is %g; a whole number from 1 to %g is needed", key, *to, most_count);
}

static int read_sizes(const reader *r, const vn__json_value *x, const char *key, vn_shape *to)
{
    const vn__json_value *item = x->kind == VN__JSON_LIST ? x->first : x;
    int n = x->kind == VN__JSON_LIST ? x->n : 1;
    if (n < 1 || n >= VN_MAX_RANK) return bad(r, "\"%s\" has %d sizes; 1 to %d are allowed", key, n, VN_MAX_RANK - 1);
    to->rank = n;
    for (int i = 0; i < n; i++, item = item->next) {
        double size = 0;
        int code = read_count(r, item, key, &size);
        if (code) return code;
        to->dim[i] = (int64_t)size;
    }
    return VN_OK;
}

static vn_module *read_layers(reader *r, const vn__json_value *list, vn_shape *x);

/* One option from its node into place i of l. */
static int read_option(reader *r, const vn__json_value *x, const vn_layer_option *o, vn__layer *l, int i)
{
    l->options[i].given = 1;
    if (!strcmp(o->type, "count")) return read_count(r, x, o->name, &l->options[i].number);
    if (!strcmp(o->type, "sizes")) return read_sizes(r, x, o->name, &l->options[i].sizes);
    if (!strcmp(o->type, "number") || !strcmp(o->type, "flag")) {
        vn__json_kind kind = *o->type == 'n' ? VN__JSON_NUMBER : VN__JSON_BOOL;
        l->options[i].number = x->number;
        return x->kind == kind ? VN_OK
                               : bad(r, "\"%s\" is %s; %s is needed", o->name, vn__json_kind_name(x),
                                     kind == VN__JSON_BOOL ? "true or false" : "a number");
    }
    if (!strcmp(o->type, "layers")) {
        vn_shape inside = l->x;
        if (x->kind != VN__JSON_LIST) return bad(r, "\"%s\" is %s; a list of layers is needed", o->name, vn__json_kind_name(x));
        l->options[i].layers = read_layers(r, x, &inside);
        return l->options[i].layers ? VN_OK : (int)vn_status();
    }
    int place = x->kind == VN__JSON_TEXT ? word_place(o->type, x->text) : -1;
    l->options[i].number = place;
    if (place >= 0) return VN_OK;
    return bad(r, "\"%s\" is %s%.40s%s; it can be %s", o->name, x->kind == VN__JSON_TEXT ? "\"" : "",
               x->kind == VN__JSON_TEXT ? x->text : vn__json_kind_name(x), x->kind == VN__JSON_TEXT ? "\"" : "", o->type);
}

/* The default of an option. */
static int take_fallback(const reader *r, const vn_layer_option *o, vn__layer *l, int i)
{
    if (!o->fallback) return bad(r, "the key \"%s\" is missing (%s)", o->name, o->about);
    double x;
    if (vn__number_parse(o->fallback, strlen(o->fallback), &x)) {
        l->options[i].number = x;
        l->options[i].sizes = VN_SHAPE((int64_t)x);
    } else if (!strcmp(o->type, "flag")) {
        l->options[i].number = !strcmp(o->fallback, "true");
    } else if (strchr(o->type, '|')) {
        l->options[i].number = word_place(o->type, o->fallback);
    }
    return VN_OK;
}

static int read_options(reader *r, const vn__json_value *object, const vn__layer_type *type, vn__layer *l)
{
    int n = vn__layer_options(type);
    for (const vn__json_value *x = object->first; x; x = x->next) {
        int known = !strcmp(x->key, "type");
        for (int i = 0; i < n; i++) known |= !strcmp(x->key, type->options[i].name);
        char hint[80];
        if (!known) return bad(r, "there is no key \"%.40s\"%s", x->key, meant(x->key, n, option_name, (void *)type, hint));
    }
    for (int i = 0; i < n; i++) {
        const vn_layer_option *o = &type->options[i];
        const vn__json_value *x = vn__json_find(object, o->name);
        int code = x ? read_option(r, x, o, l, i) : take_fallback(r, o, l, i);
        if (code) return code;
    }
    return VN_OK;
}

/* ---- layers ---- */

static const char *type_name(int i, void *types)
{
    return ((const vn__layer_type *)types)[i].name;
}

static const vn__layer_type *find_type(const reader *r, const vn__json_value *object)
{
    const vn__layer_type *types;
    int n = vn__layer_types(&types);
    if (object->kind != VN__JSON_OBJECT)
        return bad(r, "it is %s; an object such as {\"type\": \"relu\"} is needed", vn__json_kind_name(object)), NULL;
    const vn__json_value *type = vn__json_find(object, "type");
    if (!type) return bad(r, "the key \"type\" is missing"), NULL;
    if (type->kind != VN__JSON_TEXT) return bad(r, "\"type\" is %s; a text is needed", vn__json_kind_name(type)), NULL;
    for (int i = 0; i < n; i++) {
        if (!strcmp(types[i].name, type->text)) return &types[i];
    }
    char hint[80];
    bad(r, "there is no layer type \"%.40s\"%s", type->text, meant(type->text, n, type_name, (void *)types, hint));
    return NULL;
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
    if (in && !vn_module_train(m, 0)) out = vn__module_call_still(m, in, NULL);
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
    snprintf(r->path + used, sizeof r->path - used, "%slayer %d", used ? ", " : "", i + 1);
    const vn__layer_type *type = find_type(r, object);
    if (!type) return NULL;
    size_t number = strlen(r->path);
    snprintf(r->path + number, sizeof r->path - number, " (%s)", type->name);
    vn__layer l = {.x = *x, .outputs = r->outputs};
    if (read_options(r, object, type, &l)) return NULL;
    vn_module *m = type->make(type, &l);
    if (!m || shape_after(r, m, x)) return refused(r);
    r->path[used] = 0;
    return m;
}

static vn_module *read_layers(reader *r, const vn__json_value *list, vn_shape *x)
{
    if (!list->n || list->n > MOST_LAYERS) return bad(r, "there are %d layers; 1 to %d are allowed", list->n, MOST_LAYERS), NULL;
    vn_module **modules = vn__scope_memory((size_t)list->n * sizeof *modules, who);
    const vn__json_value *object = list->first;
    for (int i = 0; modules && i < list->n; i++, object = object->next) {
        if (!(modules[i] = read_layer(r, object, i, x))) return NULL;
    }
    return modules ? vn_nn_sequential(modules, list->n, NULL) : NULL;
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
        char hint[80];
        if (!known) return bad(r, "there is no key \"%.40s\"%s", x->key, meant(x->key, N_KEYS, key_name, NULL, hint));
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
        int code = read_sizes(r, x, "input", &wanted);
        if (code) return code;
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
    vn_module *shaped = vn__model_reshape(example);
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
    static const vn__json_limits limits = {.allocate = scope_memory, .deepest = 32, .most = 100000};
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
    r.room = (vn__room){most ? most : most_bytes, most ? most : most_bytes, MOST_VARIABLES};
    vn__room *before = vn__init_within(&r.room);
    vn_module *m = model ? make(&r, model, example) : NULL;
    vn__init_within(before);
    return m ? vn_module_pass(m) : NULL;
}
