/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: softmax(scale q k^T + mask) v and its backward pass. Uses torch's flash attention where it is
 * equivalent; everything else uses matrix products and a softmax over all scores. Half precision is computed in float32. */
#include "work.h"

#include <math.h>
#include <string.h>

static const torch_op flash = {"aten::_scaled_dot_product_flash_attention_for_cpu", "", "012fin?r>TT"};
static const torch_op flash_backward = {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", "", "012345fin?r>TTT"};
static const torch_op multiply = {"aten::matmul", "", "01"};
static const torch_op lower_triangle = {"aten::tril", "", "0i"};
static const torch_op any_along = {"aten::any", "dim", "0it"};
static const torch_op differ = {"aten::ne", "Tensor", "01"};
static const torch_op both = {"aten::logical_and", "", "01"};
static const torch_op largest_of_rows = {"aten::amax", "", "0It"};
static const torch_op softmax = {"aten::_softmax", "", "0if"};
static const torch_op sum_of_rows = {"aten::sum", "dim_IntList", "0?Itn"};
static const torch_op log_of_sums = {"aten::logsumexp", "", "0If"};
static const torch_op power = {"aten::exp", "", "0"};

static const helper helpers[] = {
    {&flash, {VN_F32, IMAGE, false}},      {&multiply, MATRIX_OF(VN_F32)}, {&lower_triangle, MATRIX_OF(VN_BOOL)},
    {&any_along, MATRIX_OF(VN_BOOL)},      {&differ, MATRIX_OF(VN_F32)},   {&both, MATRIX_OF(VN_BOOL)},
    {&largest_of_rows, MATRIX_OF(VN_F32)}, {&softmax, MATRIX_OF(VN_F32)},  {&sum_of_rows, MATRIX_OF(VN_F32)},
    {&log_of_sums, MATRIX_OF(VN_F32)},     {&power, MATRIX_OF(VN_F32)}};
family attending = {helpers, sizeof helpers / sizeof helpers[0], NULL};

typedef struct attention_terms {
    work *w;
    tensor *q, *k, *v;
    tensor *mask, *allowed; /* a float mask, or NULL; where to attend, with at least two axes, or NULL for everywhere */
    int64_t queries, keys, features, values;
    double scale;
    bool causal;
} attention_terms;

static int64_t from_end(const vn_desc *d, int k)
{
    return d->dims[d->rank - k];
}

/* Input number `mask`, where there is one, and what comes before the first or after the last key a query sees. */
static void set_mask(attention_terms *a, int mask)
{
    work *w = a->w;
    if (w->call->instr->n_in > mask) {
        const vn_desc *d = desc_in(w->call, mask);
        bool added = d->dtype != VN_BOOL;
        tensor *m = changed(w, w->call->in[mask]->t, d, added ? w->dtype : VN_BOOL);
        a->allowed = added ? binary(w, &differ, m, number(w, -INFINITY)) : m;
        a->mask = added ? m : NULL;
        if (d->rank < 2) a->allowed = reshaped(w, a->allowed, 2, (int64_t[]){1, d->count});
    }
    if (!a->causal) return;
    tensor *all = fresh(w, 2, (int64_t[]){a->queries, a->keys}, VN_BOOL);
    fill(w, all, 1);
    tensor *not_later = with(w, &lower_triangle, TENSORS(all), OPTIONS(INT(a->keys - a->queries)));
    a->allowed = a->allowed ? binary(w, &both, a->allowed, not_later) : not_later;
}

enum { SCALE, CAUSAL }; /* options */

static attention_terms terms_of(work *w)
{
    const vn_desc *q = desc_in(w->call, 0), *v = desc_in(w->call, 2);
    const vn_option *o = w->call->instr->options;
    attention_terms a = {.w = w, .scale = o[SCALE].u.f, .causal = o[CAUSAL].u.i != 0};
    a.q = operand(w, 0);
    a.k = operand(w, 1);
    a.v = operand(w, 2);
    a.queries = from_end(q, 2);
    a.features = from_end(q, 1);
    a.keys = from_end(v, 2);
    a.values = from_end(v, 1);
    return a;
}

/* Rows of x where any of `allowed` along the axis is true; zeros elsewhere. */
static tensor *only_attended(const attention_terms *a, tensor *x, int64_t axis)
{
    work *w = a->w;
    if (!a->allowed) return x;
    tensor *any = with(w, &any_along, TENSORS(a->allowed), OPTIONS(INT(axis)));
    return with(w, &choose, TENSORS(axis == -2 ? transposed(w, any) : any, x, number(w, 0)), NO_OPTIONS);
}

/* The scores, -inf where a query does not attend. */
static tensor *scores_of(const attention_terms *a)
{
    work *w = a->w;
    tensor *s = binary(w, &multiply, product_of(w, a->q, number(w, a->scale)), transposed(w, a->k));
    if (a->mask) s = sum_of(w, s, a->mask, 1);
    return a->allowed ? with(w, &choose, TENSORS(a->allowed, s, number(w, -INFINITY)), NO_OPTIONS) : s;
}

/* The weights; 0 if all scores are -inf. */
static tensor *weights(const attention_terms *a, tensor *s)
{
    work *w = a->w;
    tensor *idle = binary(w, &equal, with(w, &largest_of_rows, TENSORS(s), OPTIONS(INT(-1))), number(w, -INFINITY));
    return binary(w, &with_0_where, with(w, &softmax, TENSORS(s), OPTIONS(INT(-1))), idle);
}

/* The log-sum-exp of the scores, with the leading axes of v too; NaN, not inf, if a score is inf. */
static tensor *sums_of(const attention_terms *a, tensor *s)
{
    work *w = a->w;
    const vn_desc *out = desc_out(w->call) + 1;
    tensor *sums = with(w, &log_of_sums, TENSORS(s), OPTIONS(INT(-1))), *more = fresh(w, out->rank, out->dims, w->dtype);
    fill(w, more, 0);
    return sum_of(w, with(w, &choose, TENSORS(binary(w, &equal, sums, number(w, INFINITY)), number(w, NAN), sums), NO_OPTIONS), more, 1);
}

/* The weights from these sums. */
static tensor *weights_again(const attention_terms *a, tensor *s, tensor *sums, const vn_desc *of)
{
    work *w = a->w;
    int64_t dims[VN_MAX_RANK] = {0};
    memcpy(dims, of->dims, (size_t)of->rank * sizeof *dims);
    dims[of->rank] = 1;
    sums = reshaped(w, sums, of->rank + 1, dims);
    tensor *p = unary(w, &power, sum_of(w, s, sums, -1));
    return binary(w, &with_0_where, p, binary(w, &equal, sums, number(w, -INFINITY)));
}

/* x: (batch, 1, .., features). torch's flash attention reads wrong numbers, without an error, where features are not contiguous. */
static tensor *with_contiguous_rows(work *w, tensor *x, const int64_t *dims)
{
    int64_t *strides;
    if (w->code) return x;
    if (torch.strides(x, &strides)) {
        w->code = failed(w->r->op);
        return x;
    }
    if (strides[3] == 1 || dims[3] == 1) return x;
    tensor *y = fresh(w, 4, dims, w->dtype);
    copy(w, y, x);
    return y;
}

/* Input k broadcast to the result's leading axes, as (batch, 1, .., ..) */
static tensor *as_batch(work *w, tensor *x, int k, const vn_desc *out)
{
    const vn_desc *d = desc_in(w->call, k);
    int64_t dims[VN_MAX_RANK], flat[] = {1, 1, from_end(d, 2), from_end(d, 1)};
    memcpy(dims, out->dims, (size_t)out->rank * sizeof *dims);
    dims[out->rank - 2] = flat[2];
    dims[out->rank - 1] = flat[3];
    for (int32_t i = 0; i < out->rank - 2; i++) flat[0] *= dims[i];
    return with_contiguous_rows(w, reshaped(w, broadcast(w, x, d, out->rank, dims), 4, flat), flat);
}

/* torch's flash attention needs equal sizes of features and values, and its causal mask differs unless there are as many keys as queries.
 */
static bool suits_flash(const attention_terms *a, int mask)
{
    bool masked = a->w->call->instr->n_in > mask;
    return !masked && a->features == a->values && a->features > 0 && (!a->causal || a->queries == a->keys);
}

static int attend_by_flash(const attention_terms *a)
{
    work *w = a->w;
    const vn_desc *out = desc_out(w->call), *of_sums = out + 1;
    tensor *in[] = {as_batch(w, a->q, 0, out), as_batch(w, a->k, 1, out), as_batch(w, a->v, 2, out)}, *made[2];
    several(w, &flash, in, 3, OPTIONS(INT(a->causal), FLOAT(a->scale)), 2, made);
    tensor *z[] = {as_result(w, 0, reshaped(w, made[0], out->rank, out->dims)),
                   is_used(w, 1) ? reshaped(w, made[1], of_sums->rank, of_sums->dims) : NULL};
    return end_all(w, 2, z);
}

/* Nothing to attend to. */
static int attend_to_nothing(work *w)
{
    const vn_desc *out = desc_out(w->call), *of_sums = out + 1;
    tensor *z[] = {fresh(w, out->rank, out->dims, out->dtype), is_used(w, 1) ? fresh(w, of_sums->rank, of_sums->dims, w->dtype) : NULL};
    fill(w, z[0], 0);
    if (z[1]) fill(w, z[1], -INFINITY);
    return end_all(w, 2, z);
}

int attention(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *of_sums = desc_out(call) + 1;
    work w = begin(call, r);
    attention_terms a = terms_of(&w);
    if (of_sums->count == 0 || a.keys == 0) return attend_to_nothing(&w);
    if (suits_flash(&a, 3)) return attend_by_flash(&a);
    set_mask(&a, 3);
    tensor *s = scores_of(&a), *y = binary(&w, &multiply, weights(&a, s), only_attended(&a, a.v, -2));
    tensor *z[] = {as_result(&w, 0, y), NULL};
    if (is_used(&w, 1)) z[1] = sums_of(&a, s);
    return end_all(&w, 2, z);
}

enum { OUT = 3, COTANGENT, SUMS, MASK }; /* inputs of the backward pass, after q, k and v */

static void flash_gradients(const attention_terms *a, tensor **by)
{
    work *w = a->w;
    const vn_desc *out = desc_in(w->call, OUT);
    tensor *q = as_batch(w, a->q, 0, out), *k = as_batch(w, a->k, 1, out), *v = as_batch(w, a->v, 2, out);
    tensor *ct = as_batch(w, operand(w, COTANGENT), COTANGENT, out), *z = as_batch(w, operand(w, OUT), OUT, out);
    tensor *sums = reshaped(w, w->call->in[SUMS]->t, 3, (int64_t[]){desc_in(w->call, SUMS)->count / a->queries, 1, a->queries});
    several(w, &flash_backward, TENSORS(ct, q, k, v, z, sums), OPTIONS(INT(a->causal), FLOAT(a->scale)), 3, by);
}

static void gradients(attention_terms *a, tensor **by)
{
    work *w = a->w;
    set_mask(a, MASK);
    tensor *ct = operand(w, COTANGENT), *p = weights_again(a, scores_of(a), w->call->in[SUMS]->t, desc_in(w->call, SUMS));
    tensor *mean = with(w, &sum_of_rows, TENSORS(product_of(w, ct, operand(w, OUT))), OPTIONS(INT(-1)));
    tensor *slope = product_of(w, p, sum_of(w, binary(w, &multiply, ct, transposed(w, a->v)), mean, -1));
    if (a->allowed) slope = with(w, &choose, TENSORS(a->allowed, slope, number(w, 0)), NO_OPTIONS);
    slope = product_of(w, slope, number(w, a->scale));
    by[0] = binary(w, &multiply, slope, only_attended(a, a->k, -2));
    by[1] = binary(w, &multiply, transposed(w, slope), only_attended(a, a->q, -1));
    by[2] = binary(w, &multiply, transposed(w, p), ct);
}

int attention_backward(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    attention_terms a = terms_of(&w);
    const vn_desc *out = desc_out(call);
    tensor *by[3];
    if (desc_in(call, OUT)->count == 0 || a.keys == 0) {
        for (int k = 0; k < 3; k++) fill(&w, by[k] = fresh(&w, out[k].rank, out[k].dims, out[k].dtype), 0);
        return end_all(&w, 3, by);
    }
    if (suits_flash(&a, MASK)) flash_gradients(&a, by);
    else gradients(&a, by);
    for (int k = 0; k < 3; k++) by[k] = as_result(&w, k, reshaped(&w, by[k], out[k].rank, out[k].dims));
    return end_all(&w, 3, by);
}
