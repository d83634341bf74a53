/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: softmax(scale q k^T + mask) v; and for the backward pass the softmax statistics, the log-sum-exp of the scores of each
 * query, from which the weights can be recomputed: e^(score - sum). It is -inf for a query with nothing to attend to.
 *
 * The composition is for engines without a kernel; the gradient also uses it for a float mask and where gradients will be
 * differentiated again. Otherwise the gradient is attention_backward. */
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* ---- rules ---- */

/* q, k, v and other inputs of a common dtype, then an optional mask. */
static int dtypes(vn__infer *i, int n, int mask)
{
    int code = vn__rule_promote(i, 0, n);
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (code || !i->in[mask]) return code;
    const int d = i->in[mask]->dtype;
    if (d != VN_BOOL && !vn__is(d, VN_FLOATS))
        FAIL(VN_E_DTYPE, "mask is %s, bool or a float dtype is needed (%s)", dtype_text(d), i->engine);
    i->want[mask] = d == VN_BOOL ? VN_BOOL : i->dtype;
    return VN_OK;
}

enum { OUT = 3, CT, SUMS, MASK_BACKWARD }; /* inputs of the backward pass after q, k and v */

/* The dtype of the sums: never half precision, which is too coarse in an exponent. */
static int sums_dtype(const vn__infer *i)
{
    return vn__is(i->dtype, VN_HALF) ? VN_F32 : i->dtype;
}

int dtype_attention(vn__infer *i)
{
    int code = dtypes(i, 3, 3);
    if (!code) i->forms[0].dtype = sums_dtype(i);
    return code;
}
int dtype_attention_backward(vn__infer *i)
{
    int code = dtypes(i, SUMS, MASK_BACKWARD);
    if (code) return code;
    i->want[SUMS] = sums_dtype(i);
    if (!vn__is(i->in[SUMS]->dtype, VN_FLOATS))
        FAIL(VN_E_DTYPE, "sums is %s, a float dtype is needed (%s)", dtype_text(i->in[SUMS]->dtype), i->engine);
    return VN_OK;
}

/* The size of axis k from the end. */
static int64_t from_end(const vn__node *x, int k)
{
    return vn__node_dims(x)[x->rank - k];
}

static int check_sizes(vn__infer *i)
{
    const vn__node *q = i->in[0], *k = i->in[1], *v = i->in[2];
    char s[128], t[128], u[128];
    shape_text(q, s), shape_text(k, t), shape_text(v, u);
    if (q->rank < 2 || k->rank < 2 || v->rank < 2) FAIL(VN_E_SHAPE, "needs two axes at least (q %s, k %s, v %s, %s)", s, t, u, i->engine);
    if (from_end(q, 1) != from_end(k, 1)) FAIL(VN_E_SHAPE, "the last sizes of q and k differ (q %s, k %s, %s)", s, t, i->engine);
    if (from_end(k, 2) != from_end(v, 2)) FAIL(VN_E_SHAPE, "k and v have different numbers of keys (k %s, v %s, %s)", t, u, i->engine);
    return VN_OK;
}

/* Broadcasts the leading axes of q, k and v into i->dims. */
static int broadcast_leading(vn__infer *i)
{
    int64_t lead[VN_MAX_RANK];
    int rank = i->in[0]->rank - 2;
    memcpy(lead, vn__node_dims(i->in[0]), (size_t)rank * sizeof *lead);
    for (int k = 1; k < 3; k++) {
        int code = vn__rule_broadcast(i, rank, lead, i->in[k]->rank - 2, vn__node_dims(i->in[k]));
        if (code) return code;
        rank = i->rank;
        memcpy(lead, i->dims, (size_t)rank * sizeof *lead);
    }
    return VN_OK;
}

/* The mask must broadcast to (leading axes, queries, keys); i->dims are the leading axes and queries. */
static int check_mask(vn__infer *i, int at)
{
    const vn__node *mask = i->in[at];
    int64_t full[VN_MAX_RANK];
    if (!mask) return VN_OK;
    memcpy(full, i->dims, sizeof full);
    full[i->rank - 1] = from_end(i->in[1], 2);
    bool fits = mask->rank <= i->rank;
    for (int k = 1; k <= mask->rank && fits; k++) fits = from_end(mask, k) == 1 || from_end(mask, k) == full[i->rank - k];
    char s[128], t[128];
    if (!fits) FAIL(VN_E_SHAPE, "mask %s does not broadcast to %s (%s)", shape_text(mask, s), vn__shape_text(i->rank, full, t), i->engine);
    return VN_OK;
}

_Static_assert(AGREE(ATTENTION, ATTENTION_BACKWARD, SCALE) && AGREE(ATTENTION, SCALED_DOT_PRODUCT_ATTENTION, SCALE),
               "the rows number their options alike");
static void normalise(vn__infer *i)
{
    const int64_t features = from_end(i->in[0], 1);
    double *scale = &i->options->v[OPT_ATTENTION_SCALE].u.f;
    if (isnan(*scale)) *scale = features ? 1 / sqrt((double)features) : 1;
}

static int attend(vn__infer *i, int mask)
{
    int code = check_sizes(i);
    if (!code) code = broadcast_leading(i);
    if (code) return code;
    i->dims[i->rank++] = from_end(i->in[0], 2);
    i->dims[i->rank++] = from_end(i->in[2], 1);
    normalise(i);
    return check_mask(i, mask);
}

int shape_attention(vn__infer *i)
{
    int code = attend(i, 3);
    if (!code) vn__rule_result_at(i, 1, i->rank - 1, i->dims);
    return code;
}

int shape_attention_backward(vn__infer *i)
{
    int code = attend(i, MASK_BACKWARD);
    if (code) return code;
    char s[128], t[128];
    for (int k = 0; k <= SUMS; k++) { /* all have the result's leading axes; out and ct have all its axes, sums all but the last */
        const vn__node *x = i->in[k];
        const int rank = i->rank - (k == SUMS), same = k < OUT ? i->rank - 2 : rank;
        if (x->rank != rank || memcmp(vn__node_dims(x), i->dims, (size_t)same * sizeof *i->dims) != 0)
            FAIL(VN_E_SHAPE, "%s has shape %s, which does not fit a result of %s and equal leading axes (%s)", i->op->info.inputs[k],
                 shape_text(x, s), vn__shape_text(i->rank, i->dims, t), i->engine);
    }
    for (int k = 0; k < 3; k++) vn__rule_result_at(i, k, i->in[k]->rank, vn__node_dims(i->in[k]));
    return VN_OK;
}

/* ---- in elementary ops ---- */

typedef struct {
    vn_array *q, *k, *v;      /* widened; k and v are zero for keys that are not attended to, q for queries that attend to nothing */
    vn_array *mask, *allowed; /* a float mask, or NULL; where to attend, or NULL for everywhere */
    double scale;
    bool causal;
} terms;

/* Numbers 0 .. n-1, as an axis of its own. */
static vn_array *numbers(const vn_array *like, int64_t n, vn_shape shape)
{
    vn_array *ones = vn_broadcast_to(vn__index(like, VN_SHAPE(1)), VN_SHAPE(n));
    return vn_reshape(vn_sub(vn_cumulative_sum(ones, 0, NULL), vn_scalar(1)), shape);
}

/* The causal mask: key j is not after query i, j <= i + keys - queries. */
static vn_array *not_later(const vn_array *q, int64_t queries, int64_t keys)
{
    vn_array *i = numbers(q, queries, VN_SHAPE(queries, 1)), *j = numbers(q, keys, VN_SHAPE(1, keys));
    return vn_less_equal(j, vn_add(i, vn_scalar((double)(keys - queries))));
}

/* Rows of x where any (along the axis) of `allowed` is true; zeros elsewhere. */
static vn_array *only_attended(vn_array *x, vn_array *allowed, int axis)
{
    vn_array *any = vn_any(allowed, VN_KEEP(axis));
    return vn_where(axis == -2 ? vn__transpose(any) : any, x, vn_scalar(0));
}

static terms terms_of(vn_array *q, vn_array *k, vn_array *v, vn_array *mask, double scale, bool causal)
{
    terms t = {vn__widen(q), vn__widen(k), vn__widen(v), NULL, NULL, scale, causal};
    const int64_t queries = vn_dim(q, -2), keys = vn_dim(k, -2);
    if (mask) {
        bool added = vn_dtype_of(mask) != VN_BOOL;
        t.allowed = added ? vn_not_equal(mask, vn_scalar(-INFINITY)) : mask;
        t.mask = added ? vn__widen(mask) : NULL;
    }
    if (t.allowed && vn_rank(t.allowed) < 2) /* at least two axes, for what follows */
        t.allowed = vn_reshape(t.allowed, VN_SHAPE(1, vn_size(t.allowed)));
    if (t.causal) t.allowed = t.allowed ? vn_logical_and(t.allowed, not_later(q, queries, keys)) : not_later(q, queries, keys);
    if (t.allowed) {
        vn_array *q_rows = only_attended(t.q, t.allowed, -1), *k_rows = only_attended(t.k, t.allowed, -2);
        t.v = only_attended(t.v, t.allowed, -2);
        t.q = q_rows, t.k = k_rows;
    }
    return t;
}

/* The weights for scores s, and the sums unless that is NULL. Weights of a query with nothing to attend to are 0. */
static vn_array *weights_for(vn_array *s, const terms *t, vn_array **sums)
{
    if (t->mask) s = vn_add(s, t->mask);
    if (t->allowed) s = vn_where(t->allowed, s, vn_scalar(-INFINITY));
    if (s && !vn_dim(s, -1)) { /* no maximum to take */
        if (sums) *sums = vn_log(vn_sum(s, VN_AXES(-1)));
        return s;
    }
    vn_array *top = vn_stop_gradient(vn_max(s, VN_KEEP(-1)));
    top = vn_where(vn_equal(top, vn_scalar(-INFINITY)), vn_scalar(0), top);
    vn_array *e = vn_exp(vn_sub(s, top)), *total = vn_sum(e, VN_KEEP(-1));
    if (sums) *sums = vn_squeeze(vn_add(vn_log(total), top), VN_AXES(-1));
    return vn_div(e, vn_where(vn_equal(total, vn_scalar(0)), vn_scalar(1), total));
}

static vn_array *weights(const terms *t, vn_array **sums)
{
    return weights_for(vn_mul(vn_matmul(t->q, vn__transpose(t->k)), vn_scalar(t->scale)), t, sums);
}

/* The result's shape without its last axis. */
static vn_shape shape_of_sums(const vn_array *out)
{
    vn_shape s = vn_shape_of(out);
    s.rank -= s.rank > 0;
    return s;
}

/* A mask as the terms have it. */
static vn_array *given_mask(vn_array *mask, const vn__infer *i)
{
    return mask == VN_NONE ? NULL : vn_dtype_of(mask) == VN_BOOL ? mask : vn__narrow(mask, i);
}

vn_array *compose_attention(vn_array *const *in, const vn__infer *i)
{
    const terms t = terms_of(vn__narrow(in[0], i), vn__narrow(in[1], i), vn__narrow(in[2], i), given_mask(in[3], i),
                             i->options->v[OPT_ATTENTION_SCALE].u.f, i->options->v[OPT_ATTENTION_CAUSAL].u.i != 0);
    vn_array *sums = NULL, *out = vn__narrow(vn_matmul(weights(&t, i->n_asked > 1 ? &sums : NULL), t.v), i);
    if (sums) i->more[0] = vn_broadcast_to(sums, shape_of_sums(out));
    return out;
}

/* ---- gradients ---- */

/* The composition's gradient for one input, with leading axes still broadcast. The derivative of a row's log-sum-exp by a score is its
 * weight. */
static vn_array *elementary(const vn__vjp_args *a, int k)
{
    const terms t = terms_of(a->in[0], a->in[1], a->in[2], a->n > 3 ? a->in[3] : NULL, a->options[OPT_ATTENTION_SCALE].u.f,
                             a->options[OPT_ATTENTION_CAUSAL].u.i != 0);
    vn_array *p = weights(&t, NULL), *ct = a->cts[0] ? vn__widen(a->cts[0]) : vn_zeros_like(vn__widen(a->outs[0]));
    if (k == 2) return vn_matmul(vn__transpose(p), ct);
    vn_array *by_weight = vn_matmul(ct, vn__transpose(t.v)), *less = vn_sum(vn_mul(by_weight, p), VN_KEEP(-1));
    if (a->cts[1]) less = vn_sub(less, vn_expand_dims(a->cts[1], -1));
    vn_array *slope = vn_mul(p, vn_sub(by_weight, less));
    if (t.allowed) slope = vn_where(t.allowed, slope, vn_scalar(0));
    if (k == 3) return slope;
    slope = vn_mul(slope, vn_scalar(t.scale));
    return k == 0 ? vn_matmul(slope, t.k) : vn_matmul(vn__transpose(slope), t.q);
}

/* x with the leading axes of the result. */
static vn_array *spread(vn_array *x, const vn_array *out)
{
    vn_shape full = vn_shape_of(out), of_x = vn_shape_of(x);
    full.dim[full.rank - 2] = vn_dim(x, -2);
    full.dim[full.rank - 1] = vn_dim(x, -1);
    bool fits = of_x.rank == full.rank && !memcmp(of_x.dim, full.dim, (size_t)full.rank * sizeof *full.dim);
    return fits ? x : vn_broadcast_to(x, full);
}

static vn_array *fused(const vn__vjp_args *a, int k)
{
    vn_array *out = a->outs[0], *mask = a->n > 3 ? a->in[3] : VN_NONE;
    if (!a->kept[0])
        a->kept[0] = vn__attention_backward(spread(a->in[0], out), spread(a->in[1], out), spread(a->in[2], out), out, a->cts[0], a->outs[1],
                                            mask, a->options[OPT_ATTENTION_SCALE].u.f, (int)a->options[OPT_ATTENTION_CAUSAL].u.i,
                                            &a->kept[1], &a->kept[2]);
    return a->kept[k];
}

vn_array *vjp_attention(const vn__vjp_args *a, int k)
{
    vn_array *g = k == 3 || a->cts[1] || vn_with_grads(-1) ? elementary(a, k) : fused(a, k);
    vn_dtype dtype = vn_dtype_of(a->in[k]);
    g = vn__sum_to(g, a->in[k]);
    return g && vn_dtype_of(g) != dtype ? vn_cast(g, dtype) : g;
}

/* ---- additive attention ---- */

enum { ADDITIVE_SCALE = 3, ADDITIVE_MASK };

int dtype_additive_attention(vn__infer *i)
{
    return dtypes(i, ADDITIVE_MASK, ADDITIVE_MASK);
}

int shape_additive_attention(vn__infer *i)
{
    int code = check_sizes(i);
    if (!code) code = broadcast_leading(i);
    if (code) return code;
    const vn__node *scale = i->in[ADDITIVE_SCALE];
    char s[128], t[128];
    if (i->rank + 3 > VN_MAX_RANK) FAIL(VN_E_SHAPE, "q %s has too many axes (%s)", shape_text(i->in[0], s), i->engine);
    if (scale && (scale->rank != 1 || vn__node_dims(scale)[0] != from_end(i->in[0], 1)))
        FAIL(VN_E_SHAPE, "scale has shape %s; a number for each feature of q %s is needed (%s)", shape_text(scale, s),
             shape_text(i->in[0], t), i->engine);
    i->dims[i->rank++] = from_end(i->in[0], 2);
    i->dims[i->rank++] = from_end(i->in[2], 1);
    return check_mask(i, ADDITIVE_MASK);
}

vn_array *compose_additive_attention(vn_array *const *in, const vn__infer *i)
{
    const terms t = terms_of(vn__narrow(in[0], i), vn__narrow(in[1], i), vn__narrow(in[2], i), given_mask(in[ADDITIVE_MASK], i), 1, false);
    vn_array *each = vn_tanh(vn_add(vn_expand_dims(t.q, -2), vn_expand_dims(t.k, -3))); /* (..., queries, keys, features) */
    if (in[ADDITIVE_SCALE] != VN_NONE) each = vn_mul(each, vn__widen(vn__narrow(in[ADDITIVE_SCALE], i)));
    return vn__narrow(vn_matmul(weights_for(vn_sum(each, VN_AXES(-1)), &t, NULL), t.v), i);
}
