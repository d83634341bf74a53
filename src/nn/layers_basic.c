/* SPDX-License-Identifier: Apache-2.0 */
/* layers_basic.c: Identity, activations, Dropout, Sequential. */
#include "nn/layers.h"
#include "nn/module.h"
#include "ops/op.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

/* ---- Identity ---- */

static vn_array *identity_forward(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}

static const vn_module_class identity_class = {.name = "Identity", .forward = identity_forward};

vn_module *vn_nn_identity(void)
{
    return vn_module_new(&identity_class, NULL, NULL);
}

/* ---- activations: any op with one input and one result ---- */

typedef struct {
    const char *op; /* points into the op table, as do the options' names */
    vn_option options[VN__MAX_OPTIONS];
    int n;
} activation;

static vn_array *activation_forward(vn_module *m, vn_array *x)
{
    const activation *a = vn_module_self(m);
    vn_array *y = NULL;
    return vn_call(a->op, &x, 1, a->options, a->n, &y, 1) ? NULL : y;
}

static const vn_module_class activation_class = {.name = "Activation", .self_size = sizeof(activation), .forward = activation_forward};

static const vn_op_option *find_option(const vn_op_info *op, const char *name)
{
    for (int i = 0; name && i < op->n_options; i++) {
        if (!strcmp(op->options[i].name, name)) return &op->options[i];
    }
    return NULL;
}

/* Copies the options, which must be numeric options of the op; all required ones must be given. */
static int take_options(activation *a, const vn_op_info *op, const vn_option *options, int n)
{
    static const char who[] = "nn_activation";
    if (n < 0 || n > VN__MAX_OPTIONS || (n && !options)) return vn__fail(VN_E_ARG, "%s: %s: %d options", who, op->name, n);
    for (int i = 0; i < n; i++) {
        const vn_op_option *o = find_option(op, options[i].name);
        if (!o || (options[i].kind != VN_OPT_INT && options[i].kind != VN_OPT_FLOAT))
            return vn__fail(VN_E_ARG, "%s: %s has no number \"%s\" as an option", who, op->name,
                            options[i].name ? options[i].name : "NULL");
        a->options[a->n] = options[i];
        a->options[a->n++].name = o->name;
    }
    for (int k = 0; k < op->n_options; k++) {
        bool given = op->options[k].fallback != NULL;
        for (int i = 0; i < n; i++) given |= a->options[i].name == op->options[k].name;
        if (!given) return vn__fail(VN_E_ARG, "%s: %s needs its option \"%s\"", who, op->name, op->options[k].name);
    }
    vn__options checked; /* their ranges */
    return vn__take_named(&checked, op->name, op->n_options, op->options, n, options);
}

vn_module *vn_nn_activation(const char *op, const vn_option *options, int n_options)
{
    static const char who[] = "nn_activation";
    vn_op_info info = {.size = sizeof info};
    if (!op) return vn__fail(VN_E_NULL, "%s: op is NULL", who), NULL;
    const int number = vn__op_find(op);
    if (number < 0 || number >= vn_op_count()) return vn__op_unknown(who, op), NULL;
    if (vn_op_at(number, &info)) return NULL;
    if (info.n_required != 1 || info.n_outputs != 1 || info.any_number)
        return vn__fail(VN_E_ARG, "%s: %s does not make one array of one", who, op), NULL;
    activation a = {.op = info.name};
    return take_options(&a, &info, options, n_options) ? NULL : vn_module_new(&activation_class, &a, NULL);
}

/* ---- GELU, GEGLU ---- */

static vn_array *gelu_forward(vn_module *m, vn_array *x)
{
    const vn_nn_gelu_opts *o = vn_module_self(m);
    return vn_gelu(x, VN_OPTS(gelu, .approximate = o->approximate));
}

static const vn_module_class gelu_class = {.name = "GELU", .self_size = sizeof(vn_nn_gelu_opts), .forward = gelu_forward};

vn_module *vn_nn_gelu(const vn_nn_gelu_opts *opts)
{
    vn_nn_gelu_opts o;
    return vn__take_options("nn_gelu", &vn__struct_gelu, &o, opts) ? vn_module_new(&gelu_class, &o, NULL) : NULL;
}

static vn_array *geglu_forward(vn_module *m, vn_array *x)
{
    (void)m;
    const vn_shape s = vn_shape_of(x);
    const int64_t half = s.rank ? s.dim[s.rank - 1] / 2 : 0;
    vn_array *halves[2];
    char text[128];
    if (!s.rank || s.dim[s.rank - 1] % 2)
        return vn__fail(VN_E_SHAPE, "x has shape %s; a last axis of even size is needed (%s)", vn__shape_text(s.rank, s.dim, text),
                        vn_engine_of(x)),
               NULL;
    return vn_split(x, 2, (const int64_t[]){half, half}, -1, halves) ? NULL : vn_mul(halves[0], vn_gelu(halves[1], NULL));
}

static const vn_module_class geglu_class = {.name = "GEGLU", .forward = geglu_forward};

vn_module *vn_nn_geglu(void)
{
    return vn_module_new(&geglu_class, NULL, NULL);
}

/* ---- PReLU ---- */

typedef struct {
    int64_t channels;
    vn_nn_prelu_opts o;
} prelu;

static vn_tree *prelu_variables(vn_module *m, vn_dtype dtype)
{
    const prelu *p = vn_module_self(m);
    return vn_tree_of("weight", vn_init_array(p->o.init, VN_SHAPE(p->channels), p->channels, p->channels, dtype), NULL);
}

static vn_array *prelu_forward(vn_module *m, vn_array *x)
{
    const prelu *p = vn_module_self(m);
    vn_array *w = vn_module_var(m, "weight");
    if (p->channels == 1) return vn_prelu(x, vn_reshape(w, VN_0D));
    const int first = vn__channels_first(p->o.data_format);
    if (!vn__layer_input(x, first ? 2 : 1, VN_MAX_RANK, p->o.data_format, p->channels)) return NULL;
    vn_shape s = {.rank = first ? vn_rank(x) - 1 : 1, .dim = {p->channels}};
    for (int k = 1; k < s.rank; k++) s.dim[k] = 1;
    return vn_prelu(x, vn_reshape(w, s));
}

static const vn_module_class prelu_class = {
    .name = "PReLU", .self_size = sizeof(prelu), .create_variables = prelu_variables, .forward = prelu_forward};

vn_module *vn_nn_prelu(int64_t channels, const vn_nn_prelu_opts *opts)
{
    prelu p = {.channels = channels};
    if (!vn__take_options("nn_prelu", &vn__struct_nn_prelu, &p.o, opts)) return NULL;
    if (channels < 1) return vn__fail(VN_E_ARG, "nn_prelu: %lld channels", (long long)channels), NULL;
    return vn_module_new(&prelu_class, &p, p.o.module);
}

/* ---- Dropout ---- */

typedef struct {
    double prob;
    vn_nn_dropout_opts o;
} dropout;

static vn_array *dropout_forward(vn_module *m, vn_array *x)
{
    const dropout *d = vn_module_self(m);
    if (!vn_module_training(m) || d->prob == 0) return x;
    return vn_dropout(x, VN_NONE, d->prob, VN_OPTS(dropout, .no_scale = d->o.no_scale, .noise_shape = d->o.noise_shape));
}

static const vn_module_class dropout_class = {.name = "Dropout", .self_size = sizeof(dropout), .forward = dropout_forward};

vn_module *vn_nn_dropout(double prob, const vn_nn_dropout_opts *opts)
{
    dropout d = {.prob = vn__real_of(prob)};
    if (!vn__take_options("nn_dropout", &vn__struct_nn_dropout, &d.o, opts)) return NULL;
    if (!(d.prob >= 0 && d.prob <= 1)) return vn__fail(VN_E_ARG, "nn_dropout: the probability %g is not in [0, 1]", prob), NULL;
    return vn_module_new(&dropout_class, &d, d.o.module);
}

/* ---- Sequential ---- */

enum { LONGEST_NAME = 63 };
typedef struct {
    int n;
    char (*names)[LONGEST_NAME + 1]; /* NULL: v0, v1 ... */
} sequential;

static vn_array *sequential_forward(vn_module *m, vn_array *x)
{
    const sequential *s = vn_module_self(m);
    for (int i = 0; i < s->n && x; i++) {
        char name[LONGEST_NAME + 32];
        if (s->names) snprintf(name, sizeof name, "submodules/%s", s->names[i]);
        else snprintf(name, sizeof name, "submodules/v%d", i);
        x = vn_module_run(m, name, x);
    }
    return x;
}

static void free_names(void *self)
{
    vn__free(((sequential *)self)->names);
}

static const vn_module_class sequential_class = {
    .name = "Sequential", .self_size = sizeof(sequential), .forward = sequential_forward, .free = free_names};

/* Copies the names, which are different and can be keys of a tree. False, with the error set, if they are not. */
static bool take_names(const char *who, sequential *s, const char *const *names)
{
    for (int i = 0; i < s->n; i++) {
        const char *name = names[i];
        if (!name || !*name || strlen(name) > LONGEST_NAME || strpbrk(name, "/."))
            return vn__fail(VN_E_ARG, "%s: name %d is \"%.70s\"; 1 to %d characters without '/' and '.' are needed", who, i,
                            name ? name : "NULL", LONGEST_NAME),
                   false;
        for (int k = 0; k < i; k++)
            if (!strcmp(name, names[k])) return vn__fail(VN_E_ARG, "%s: two layers are called \"%s\"", who, name), false;
    }
    s->names = vn__alloc(((size_t)s->n + 1) * sizeof *s->names);
    if (!s->names) return vn__no_memory(who), false;
    for (int i = 0; i < s->n; i++) strcpy(s->names[i], names[i]);
    return true;
}

static vn_module *make_sequential(const char *who, int n, const char *const *names, vn_module *const *modules, const vn_module_opts *opts)
{
    vn_module_opts o = {.size = sizeof o}, explicit;
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "module") || VN__OBJECTS(opts, o.v)) return NULL;
    if (n < 0 || (n && !modules)) return vn__fail(n < 0 ? VN_E_ARG : VN_E_NULL, "%s: %d modules", who, n), NULL;
    for (int i = 0; i < n; i++) {
        if (!vn__check(modules[i], VN__MODULE, who, "a module")) return NULL;
    }
    sequential s = {.n = n};
    if (names && !take_names(who, &s, names)) return NULL;
    VN_SCOPE;
    explicit = o;
    if (o.build_mode == VN_BUILD_ON_INIT) explicit.build_mode = VN_BUILD_EXPLICIT;
    vn_code before = vn_status();
    vn_module *m = vn__module_new(&sequential_class, &s, &explicit);
    if (!m || (names ? vn_module_add_dict(m, "_submodules", names, modules, n) : vn_module_add_list(m, "_submodules", modules, n)))
        return NULL;
    if (o.build_mode == VN_BUILD_ON_INIT && !vn__module_build(m, NULL)) {
        if (!before && vn_status() == VN_E_STRUCT && !names)
            vn__fail_in("nn_sequential: variables are named submodules/v0, submodules/v1 ...");
        return NULL;
    }
    return vn_module_pass(m);
}

vn_module *vn_nn_sequential(vn_module *const *modules, int n, const vn_module_opts *opts)
{
    return make_sequential("nn_sequential", n, NULL, modules, opts);
}

vn_module *vn_nn_sequential_named(vn_module *const *modules, const char *const *names, int n, const vn_module_opts *opts)
{
    static const char who[] = "nn_sequential_named";
    if (n > 0 && !names) return vn__fail(VN_E_NULL, "%s: names is NULL", who), NULL;
    return make_sequential(who, n, names, modules, opts);
}
