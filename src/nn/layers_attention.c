/* SPDX-License-Identifier: Apache-2.0 */
/* layers_attention.c: the layers MultiHeadAttention and AdditiveAttention. */
#include "nn/layers.h"
#include "core/state.h"
#include "core/dtype.h"
#include <math.h>

typedef struct {
    int64_t query_dim;
    bool on_call; /* built by the first call, with the dtype of its x */
    vn_nn_multi_head_attention_opts o;
} attention;

static vn_module *projection(int64_t in, int64_t out, const attention *a, vn_dtype dtype)
{
    const vn_module_opts *later = VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT);
    vn_module *m = vn_nn_linear(in, out, VN_OPTS(nn_linear, .no_bias = a->o.no_bias, .module = later));
    return vn_module_cast(m, dtype) && vn_module_build(m, NULL) ? m : NULL;
}

static vn_dtype dtype_for(const vn_module *m, const vn_tree *args)
{
    const attention *a = vn_module_self(m);
    vn_value x = a->on_call && args ? vn_tree_if_exists(args, "x") : vn__nothing();
    if (vn_module_dtype(m)) return vn_module_dtype(m);
    return vn__is_array(x) && vn__is(vn_dtype_of(x.u.array), VN_FLOATS) ? vn_dtype_of(x.u.array) : VN_F32;
}

static int attention_build(vn_module *m, const vn_tree *args)
{
    static const char *const keys[] = {"k", "v"};
    const attention *a = vn_module_self(m);
    const int64_t inner = a->o.heads * a->o.head_dim, shared = a->o.kv_heads * a->o.head_dim;
    const vn_dtype dtype = dtype_for(m, args);
    int code = a->o.no_to_q ? VN_OK : vn_module_add(m, "_to_q", projection(a->query_dim, inner, a, dtype));
    if (!code && !a->o.no_to_kv) {
        vn_module *kv[] = {projection(a->o.context_dim, shared, a, dtype), projection(a->o.context_dim, shared, a, dtype)};
        code = vn_module_add_dict(m, "_to_kv", keys, kv, 2);
    }
    if (code || a->o.no_to_out) return code ? code : (int)vn_status();
    vn_module *out = projection(inner, a->query_dim, a, dtype), *drop = vn_nn_dropout(a->o.dropout, NULL);
    return out && drop ? vn_module_add(m, "_to_out", VN_SEQUENTIAL(out, drop)) : (int)vn_status();
}

static vn_array *to_q(vn_array *x, const vn_tree *variables, void *m)
{
    (void)variables;
    return vn_module_run(m, "to_q", x);
}

static int to_kv(vn_array *context, const vn_tree *variables, vn_array **k, vn_array **v, void *m)
{
    (void)variables;
    *k = vn_module_run(m, "to_kv/k", context);
    *v = vn_module_run(m, "to_kv/v", context);
    return *k && *v ? VN_OK : (int)vn_status();
}

static vn_array *to_out(vn_array *y, const vn_tree *variables, void *m)
{
    (void)variables;
    return vn_module_run(m, "to_out", y);
}

/* The array has at least two axes, the last one of this size. */
static bool rows_of(const vn_array *x, const char *name, int64_t size)
{
    const vn_shape s = vn_shape_of(x);
    char text[128];
    if (s.rank >= 2 && s.dim[s.rank - 1] == size) return true;
    vn__fail(VN_E_SHAPE, "%s has shape %s; two axes or more, the last of %lld, are needed (%s)", name, vn__shape_text(s.rank, s.dim, text),
             (long long)size, vn_engine_of(x));
    return false;
}

static vn_tree *attention_forward(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "context", "mask", NULL};
    const attention *a = vn_module_self(m);
    vn_array *in[3];
    if (!vn__layer_args(args, names, in)) return NULL;
    if (!rows_of(in[0], "x", a->query_dim) || !rows_of(in[1] ? in[1] : in[0], in[1] ? "context" : "x", a->o.context_dim)) return NULL;
    const vn_multi_head_attention_opts o = {.size = sizeof o,
                                            .to_q = a->o.no_to_q ? NULL : to_q,
                                            .to_kv = a->o.no_to_kv ? NULL : to_kv,
                                            .to_out = a->o.no_to_out ? NULL : to_out,
                                            .user = m,
                                            .scale = a->o.scale == 0 ? (double)VN_ZERO : a->o.scale,
                                            .causal = a->o.causal,
                                            .zero_rows = a->o.zero_rows,
                                            .kv_heads = a->o.kv_heads};
    vn_array *y = vn_multi_head_attention(in[0], in[1] ? in[1] : VN_NONE, in[2] ? in[2] : VN_NONE, a->o.heads, &o);
    return y ? vn_tree_of("y", y, NULL) : NULL;
}

static const vn_module_class attention_class = {
    .name = "MultiHeadAttention", .self_size = sizeof(attention), .build = attention_build, .forward_tree = attention_forward};

/* ---- constructor ---- */

static const char who[] = "nn_multi_head_attention";

/* Checks the sizes: they must match where arrays are not projected, and must not overflow. */
static bool check_sizes(const attention *a)
{
    const long long query = a->query_dim, heads = a->o.heads, head = a->o.head_dim, context = a->o.context_dim;
    if (query < 1 || heads < 1 || head < 1 || context < 1 || heads > INT64_MAX / 2 / head)
        vn__fail(
            VN_E_ARG,
            "%s: query_dim is %lld, heads %lld, head_dim %lld, context_dim %lld; each must be 1 or more, and heads times head_dim must fit",
            who, query, heads, head, context);
    else if (a->o.no_to_q && query != heads * head)
        vn__fail(VN_E_ARG, "%s: query_dim %lld is not %lld heads of %lld, which it must be with no_to_q", who, query, heads, head);
    else if (a->o.kv_heads < 1 || heads % a->o.kv_heads)
        vn__fail(VN_E_ARG, "%s: %lld heads cannot share %lld of keys and values", who, heads, (long long)a->o.kv_heads);
    else if (a->o.no_to_kv && context != 2 * a->o.kv_heads * head)
        vn__fail(VN_E_ARG, "%s: context_dim %lld is not twice %lld heads of %lld, which it must be with no_to_kv", who, context,
                 (long long)a->o.kv_heads, head);
    else return true;
    return false;
}

vn_module *vn_nn_multi_head_attention(int64_t query_dim, const vn_nn_multi_head_attention_opts *opts)
{
    attention a = {.query_dim = query_dim};
    vn_module_opts shared = {.size = sizeof shared};
    if (!vn__take_options(who, &vn__struct_nn_multi_head_attention, &a.o, opts)) return NULL;
    if (vn__take(&shared, VN__SIZE_BEFORE(shared, reserved), a.o.module, "module")) return NULL;
    a.on_call = shared.build_mode == VN_BUILD_ON_CALL;
    if (!a.o.head_dim) a.o.head_dim = a.o.no_to_q && a.o.heads > 0 ? query_dim / a.o.heads : 64;
    if (!a.o.context_dim) a.o.context_dim = query_dim;
    if (!a.o.kv_heads) a.o.kv_heads = a.o.heads;
    if (!check_sizes(&a)) return NULL;
    if (isnan(a.o.scale)) a.o.scale = 1 / sqrt((double)a.o.head_dim);
    if (a.o.no_to_out && a.o.dropout > 0)
        return vn__fail(VN_E_ARG, "%s: dropout applies to the result of to_out, which no_to_out removes", who), NULL;
    return vn_module_new(&attention_class, &a, a.o.module);
}

/* ---- AdditiveAttention ---- */

typedef struct {
    int64_t size;
    vn_nn_additive_attention_opts o;
} additive;

static vn_tree *additive_variables(vn_module *m, vn_dtype dtype)
{
    const additive *a = vn_module_self(m);
    return a->o.no_scale ? vn_tree_new(NULL)
                         : vn_tree_of("scale", vn_init_array(a->o.w_init, VN_SHAPE(a->size), a->size, a->size, dtype), NULL);
}

static vn_tree *additive_forward(vn_module *m, const vn_tree *args)
{
    static const char *const names[] = {"x", "context", "keys", "mask", NULL};
    const additive *a = vn_module_self(m);
    vn_array *in[4];
    if (!vn__layer_args(args, names, in)) return NULL;
    vn_array *v = in[1] ? in[1] : in[0], *k = in[2] ? in[2] : v;
    if (!rows_of(in[0], "x", a->size) || !rows_of(k, in[2] ? "keys" : "context", a->size)) return NULL;
    vn_array *y = vn_additive_attention(in[0], k, v, a->o.no_scale ? VN_NONE : vn_module_var(m, "scale"), in[3] ? in[3] : VN_NONE);
    return y ? vn_tree_of("y", y, NULL) : NULL;
}

static const vn_module_class additive_class = {
    .name = "AdditiveAttention", .self_size = sizeof(additive), .create_variables = additive_variables, .forward_tree = additive_forward};

vn_module *vn_nn_additive_attention(int64_t size, const vn_nn_additive_attention_opts *opts)
{
    additive a = {.size = size};
    if (!vn__take_options("nn_additive_attention", &vn__struct_nn_additive_attention, &a.o, opts)) return NULL;
    if (size < 1) return vn__fail(VN_E_ARG, "nn_additive_attention: %lld features; 1 or more are needed", (long long)size), NULL;
    return vn_module_new(&additive_class, &a, a.o.module);
}
