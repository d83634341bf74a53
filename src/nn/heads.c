/* SPDX-License-Identifier: Apache-2.0 */
/* heads.c: multi-head attention, using scaled_dot_product_attention and attention. Arrays (..., n, heads * features) are
 * transposed to (..., heads, n, features) and back. */
#include "nn/nn.h"
#include "core/state.h"
#include "program/node.h"
#include "core/callback.h"
#include "ops/options.h"
#include <string.h>
#include <math.h>

static const char plain[] = "multi_head_attention", projected[] = "projected_attention";

static vn_array *apart(vn_array *x, int64_t heads)
{
    vn_shape s = vn_shape_of(x);
    if (!x) return NULL;
    s.dim[s.rank] = s.dim[s.rank - 1] / heads;
    s.dim[s.rank - 1] = heads;
    s.rank++;
    return vn_swapaxes(vn_reshape(x, s), -2, -3);
}

static vn_array *together(vn_array *x)
{
    x = vn_swapaxes(x, -2, -3);
    vn_shape s = vn_shape_of(x);
    if (!x) return NULL;
    s.rank--;
    s.dim[s.rank - 1] *= s.dim[s.rank];
    return vn_reshape(x, s);
}

/* x (..., heads, n, features) with the heads in `kv` groups (..., kv, heads / kv, n, features); and back. */
static vn_array *grouped(vn_array *x, int64_t kv)
{
    vn_shape s = vn_shape_of(x);
    if (!x) return NULL;
    memmove(s.dim + s.rank - 1, s.dim + s.rank - 2, 2 * sizeof *s.dim);
    s.dim[s.rank - 2] = s.dim[s.rank - 3] / kv;
    s.dim[s.rank - 3] = kv;
    s.rank++;
    return vn_reshape(x, s);
}
static vn_array *ungrouped(vn_array *x)
{
    vn_shape s = vn_shape_of(x);
    if (!x) return NULL;
    s.dim[s.rank - 4] *= s.dim[s.rank - 3];
    memmove(s.dim + s.rank - 3, s.dim + s.rank - 2, 2 * sizeof *s.dim);
    s.rank--;
    return vn_reshape(x, s);
}

/* An array, or VN_NONE. */
static bool fine(const char *who, const char *name, vn_array *x)
{
    return x == VN_NONE || vn__check(x, VN__ARRAY, who, name);
}

/* Checks that x can be split into heads. */
static bool divides(const char *who, const char *name, const vn_array *x, int64_t heads)
{
    const vn_shape s = vn_shape_of(x);
    char t[128];
    if (!x) return false;
    if (s.rank >= 2 && s.rank < VN_MAX_RANK && heads > 0 && s.dim[s.rank - 1] % heads == 0) return true;
    vn__fail(VN_E_SHAPE, "%s: the last axis of %s %s cannot be split into %lld heads (%s)", who, name, vn__shape_text(s.rank, s.dim, t),
             (long long)heads, vn_engine_of(x));
    return false;
}

/* ---- with projection functions ---- */

static vn_array *from_function(vn_project_fn fn, vn_array *x, const vn_tree *variables, void *user)
{
    if (!fn || !x) return x;
    const size_t inside = vn__user_begin(vn__peek());
    vn_array *y = fn(x, variables, user);
    vn__user_end(vn__peek(), inside);
    if (!y && !vn_status()) vn__fail(VN_E_CALLBACK, "%s: a function returned NULL", plain);
    return y;
}

/* k and v from one array, or as to_kv made them. */
static bool keys_and_values(vn_array *context, const vn_multi_head_attention_opts *o, vn_array **k, vn_array **v)
{
    char t[128];
    *k = context;
    *v = NULL;
    if (o->to_kv) {
        *k = NULL;
        const size_t inside = vn__user_begin(vn__peek());
        int code = o->to_kv(context, o->kv_variables, k, v, o->user);
        vn__user_end(vn__peek(), inside);
        if ((code || !*k) && !vn_status()) vn__fail(VN_E_CALLBACK, "%s: to_kv failed with code %d", plain, code);
        if (code || !*k) return false;
    }
    if (*v) return true;
    const vn_shape s = vn_shape_of(*k);
    const int64_t width = s.rank ? s.dim[s.rank - 1] : 1;
    if (width % 2) {
        vn__fail(VN_E_SHAPE, "%s: the last axis of the context %s cannot be split into k and v (%s)", plain,
                 vn__shape_text(s.rank, s.dim, t), vn_engine_of(*k));
        return false;
    }
    vn_array *halves[2];
    if (vn_split(*k, 2, (const int64_t[]){width / 2, width / 2}, -1, halves)) return false;
    *k = halves[0], *v = halves[1];
    return true;
}

/* Adds an axis for the heads to a mask (..., queries, keys) that has leading axes. */
static vn_array *for_heads(vn_array *mask)
{
    return mask && mask != VN_NONE && vn_rank(mask) > 2 ? vn_expand_dims(mask, -3) : mask;
}

vn_array *vn_multi_head_attention(vn_array *x, vn_array *context, vn_array *mask, int64_t heads, const vn_multi_head_attention_opts *opts)
{
    vn_multi_head_attention_opts o = {.size = sizeof o};
    vn_array *k, *v;
    if (vn__take(&o, sizeof o, opts, plain) || VN__FLAGS(plain, VN__FLAG(o, causal), VN__FLAG(o, zero_rows))) return NULL;
    const void *q_variables = o.to_q ? (const void *)o.q_variables : &o, *kv_variables = o.to_kv ? (const void *)o.kv_variables : &o,
               *out_variables = o.to_out ? (const void *)o.out_variables : &o;
    if (VN__OBJECTS(opts, q_variables, kv_variables, out_variables)) return NULL;
    if (!vn__check(x, VN__ARRAY, plain, "x") || !fine(plain, "context", context) || !fine(plain, "mask", mask)) return NULL;
    vn_array *q = from_function(o.to_q, x, o.q_variables, o.user);
    if (!q || !keys_and_values(context == VN_NONE ? x : context, &o, &k, &v)) return NULL;
    const int64_t kv = o.kv_heads ? vn__whole_of(o.kv_heads) : heads;
    if (kv < 1 || heads % kv)
        return vn__fail(VN_E_ARG, "%s: %lld heads cannot share %lld of keys and values", plain, (long long)heads, (long long)kv), NULL;
    if (!divides(plain, "q", q, heads) || !divides(plain, "k", k, kv) || !divides(plain, "v", v, kv)) return NULL;
    q = apart(q, heads), k = apart(k, kv), v = apart(v, kv), mask = for_heads(mask);
    if (kv != heads) {
        if (q && vn_rank(q) == VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "%s: x has too many axes for groups of heads", plain), NULL;
        q = grouped(q, kv), k = vn_expand_dims(k, -3), v = vn_expand_dims(v, -3);
        if (mask && mask != VN_NONE && vn_rank(mask) > 3) mask = vn_expand_dims(mask, -3);
    }
    vn_array *y = vn_scaled_dot_product_attention(
        q, k, v, mask, VN_OPTS(scaled_dot_product_attention, .scale = o.scale, .causal = o.causal, .zero_rows = o.zero_rows));
    return from_function(o.to_out, together(kv == heads ? y : ungrouped(y)), o.out_variables, o.user);
}

/* ---- with weights ---- */

static vn_array *weight(const vn_tree *weights, const char *key)
{
    return vn_tree_has(weights, key) ? vn_tree_get(weights, key) : VN_NONE;
}

/* Third number k of the rows. */
static vn_array *third(vn_array *x, int k)
{
    if (!x || x == VN_NONE) return x;
    const int64_t rows = vn_rank(x) ? vn_dim(x, 0) : 0;
    if (rows % 3) return vn__fail(VN_E_SHAPE, "%s: %lld rows of in_proj cannot be split in three", projected, (long long)rows), NULL;
    vn_array *parts[3];
    return vn_split(x, 3, (const int64_t[]){rows / 3, rows / 3, rows / 3}, 0, parts) ? NULL : parts[k];
}

/* Projects x, which is query, key or value by k: times its weight, plus its bias. */
static vn_array *project(vn_array *x, const vn_tree *weights, int k)
{
    static const char *const keys[] = {"q_proj_weights", "k_proj_weights", "v_proj_weights"};
    vn_array *own = weight(weights, keys[k]), *w = own == VN_NONE ? third(weight(weights, "in_proj_weights"), k) : own;
    vn_array *bias = third(weight(weights, "in_proj_bias"), k);
    if (w != VN_NONE) return vn_linear(x, w, bias);
    return bias == VN_NONE ? x : vn_add(x, bias);
}

/* x (..., n, width) with one more row: `row` (width), or zeros. */
static vn_array *with_row(vn_array *x, vn_array *row)
{
    vn_shape s = vn_shape_of(x);
    if (!x || !row) return NULL;
    s.dim[s.rank - 2] = 1;
    vn_array *more = vn_broadcast_to(row == VN_NONE ? vn__number(x, 0) : row, s);
    return vn_concat(2, (vn_array *[]){x, more}, -2);
}

static vn_array *both(vn_array *a, vn_array *b)
{
    return a == VN_NONE ? b : b == VN_NONE ? a : vn_logical_and(a, b);
}

static vn_array *as_bool(vn_array *mask)
{
    return !mask || mask == VN_NONE || vn_dtype_of(mask) == VN_BOOL ? mask : vn_not_equal(mask, vn_scalar(0));
}

/* All masks combined into one bool mask, for arrays of `rank` axes without the heads' axis; the `more` additional keys are always attended
 * to. */
static vn_array *masks(vn_array *mask, vn_array *key_mask, vn_array *causal, int rank, int more)
{
    mask = as_bool(mask);
    key_mask = as_bool(key_mask);
    if (mask && mask != VN_NONE && vn_rank(mask) <= rank) mask = for_heads(mask);
    if (key_mask && key_mask != VN_NONE && vn_rank(key_mask) > 0) key_mask = vn_expand_dims(vn_expand_dims(key_mask, -2), -3);
    vn_array *all = mask && key_mask && causal ? both(both(mask, key_mask), causal) : NULL;
    if (!all || all == VN_NONE || !more || !vn_rank(all)) return all;
    vn_shape before = {.rank = vn_rank(all)}, after = before;
    after.dim[after.rank - 1] = more;
    return vn_pad(all, before, after, VN_OPTS(pad, .value = 1));
}

/* The attention weights; zeros for a query with nothing to attend to. */
static vn_array *shares(vn_array *q, vn_array *k, vn_array *mask, double scale)
{
    vn_array *s = vn_mul(vn_matmul(q, vn_matrix_transpose(k)), vn_scalar(scale));
    if (mask == VN_NONE) return vn_softmax(s, -1);
    if (mask && !vn_rank(mask)) mask = vn_reshape(mask, VN_SHAPE(1));
    vn_array *some = vn_any(mask, VN_KEEP(-1)),
             *p = vn_softmax(vn_where(vn_logical_or(mask, vn_logical_not(some)), s, vn_scalar(-INFINITY)), -1);
    return vn_where(some, p, vn_scalar(0));
}

typedef struct {
    vn_array *q, *k, *v, *mask;
} operands;

static vn_array *attend(const operands *a, const vn_projected_attention_opts *o, vn_array **attention)
{
    const double dropout = vn__real_of(o->dropout);
    if (!attention && dropout == 0) return vn_attention(a->q, a->k, a->v, a->mask, VN_OPTS(attention, .scale = o->scale));
    const double scale = o->scale != 0 ? vn__real_of(o->scale) : 1 / sqrt((double)(vn_dim(a->q, -1) > 0 ? vn_dim(a->q, -1) : 1));
    vn_array *p = shares(a->q, a->k, a->mask, scale);
    if (dropout != 0) p = vn_dropout(p, VN_NONE, dropout, NULL);
    if (attention) *attention = o->per_head ? p : vn_mean(p, VN_AXES(-3));
    return vn_matmul(p, a->v);
}

static vn_array *steps_second_last(vn_array *x, int first)
{
    return first && x && vn_rank(x) > 1 ? vn_moveaxis(x, VN_AXES(0), VN_AXES(-2)) : x;
}

/* Query, key and value projected, with the rows that come in addition, in heads. False when one of them cannot be. */
static bool prepare(vn_array *const in[static 3], const vn_tree *weights, const vn_projected_attention_opts *o, operands *a, int *more)
{
    static const char *const names[] = {"q", "k", "v"}, *const biases[] = {NULL, "bias_k", "bias_v"};
    vn_array *x[3];
    *more = vn_tree_has(weights, "bias_k") + (o->zero_key != 0);
    for (int k = 0; k < 3; k++) {
        x[k] = project(steps_second_last(in[k], o->steps_first), weights, k);
        if (k && vn_tree_has(weights, "bias_k")) x[k] = with_row(x[k], weight(weights, biases[k]));
        if (k && o->zero_key) x[k] = with_row(x[k], VN_NONE);
        if (!divides(projected, names[k], x[k], o->heads)) return false;
    }
    *a = (operands){apart(x[0], o->heads), apart(x[1], o->heads), apart(x[2], o->heads), VN_NONE};
    return a->q && a->k && a->v;
}

static vn_array *finished(vn_array *y, const vn_tree *weights, const vn_projected_attention_opts *o)
{
    vn_array *w = weight(weights, "out_proj_weights"), *bias = weight(weights, "out_proj_bias");
    y = together(y);
    if (w != VN_NONE) y = vn_linear(y, w, bias);
    else if (bias != VN_NONE) y = vn_add(y, bias);
    return o->steps_first && y && vn_rank(y) > 1 ? vn_moveaxis(y, VN_AXES(-2), VN_AXES(0)) : y;
}

vn_array *vn_projected_attention(vn_array *query, vn_array *key, vn_array *value, const vn_tree *weights, vn_array *mask,
                                 vn_array *key_mask, const vn_projected_attention_opts *opts, vn_array **attention)
{
    vn_projected_attention_opts o = {.size = sizeof o};
    if (attention) *attention = NULL;
    if (vn__take(&o, sizeof o, opts, projected) ||
        VN__FLAGS(projected, VN__FLAG(o, steps_first), VN__FLAG(o, causal), VN__FLAG(o, zero_key), VN__FLAG(o, per_head)))
        return NULL;
    o.heads = o.heads ? vn__whole_of(o.heads) : 8;
    if (!vn__check(weights, VN__TREE, projected, "weights") || !vn__check(query, VN__ARRAY, projected, "query")) return NULL;
    if (!fine(projected, "key", key) || !fine(projected, "value", value)) return NULL;
    if (!fine(projected, "mask", mask) || !fine(projected, "key_mask", key_mask)) return NULL;
    if (key == VN_NONE) key = query;
    if (value == VN_NONE) value = key;
    if (vn_tree_has(weights, "bias_k") != vn_tree_has(weights, "bias_v"))
        return vn__fail(VN_E_STRUCT, "%s: one of bias_k and bias_v is missing in weights", projected), NULL;
    operands a;
    int more;
    const vn_code before = vn_status();
    if (!prepare((vn_array *[]){query, key, value}, weights, &o, &a, &more)) return NULL;
    const int64_t queries = vn_dim(a.q, -2), keys = vn_dim(a.k, -2) - more;
    vn_array *causal = o.causal ? vn_tril(vn_broadcast_to(vn_cast(vn__number(a.q, 1), VN_BOOL), VN_SHAPE(queries, keys)), 0) : VN_NONE;
    a.mask = masks(mask, key_mask, causal, vn_rank(query), more);
    vn_array *y = a.mask ? finished(attend(&a, &o, attention), weights, &o) : NULL;
    if (!y && !before) vn__fail_in(projected);
    return y;
}

/* ---- masks ---- */

vn_array *vn_causal_mask(int64_t queries, int64_t keys)
{
    return vn_tril(vn_ones(VN_SHAPE(queries, keys), VN_BOOL), keys - queries);
}
