/* SPDX-License-Identifier: Apache-2.0 */
/* select.c: elements chosen by their size: topk, median, quantiles, and the extremes of segments. */
#include "work.h"

#include <math.h>
#include <string.h>

static const torch_op top = {"aten::topk", "", "0iiit>TT"};
static const torch_op sorted = {"aten::sort", "stable", "0?tii>TT"};
static const torch_op above = {"aten::gt", "Tensor", "01"};
static const torch_op below = {"aten::lt", "Tensor", "01"};
static const torch_op up_to = {"aten::le", "Tensor", "01"};
static const torch_op all_along = {"aten::all", "dim", "0if"};
static const torch_op rows_at = {"aten::index_select", "", "0i1"};
static const torch_op write_rows = {"aten::index_copy_", "", "0i12>x"};
static const torch_op lower_middle = {"aten::median", "dim", "0it>Tx"};
static const torch_op count_along = {"aten::sum", "dim_IntList", "0?Itn"};
static const torch_op element_at = {"aten::kthvalue", "", "0iit>Tx"};
static const torch_op largest_along = {"aten::amax", "", "0It"};
static const torch_op smallest_along = {"aten::amin", "", "0It"};
static const torch_op axes_in_order = {"aten::permute", "", "0I"};
static const torch_op reduce_at = {"aten::scatter_reduce_", "two", "0i12st>x"};

static const helper helpers[] = {
    {&top, MATRIX_OF(VN_F32)},          {&sorted, MATRIX_OF(VN_F32)},          {&above, MATRIX_OF(VN_F32)},
    {&below, MATRIX_OF(VN_F32)},        {&up_to, MATRIX_OF(VN_F32)},           {&all_along, MATRIX_OF(VN_BOOL)},
    {&lower_middle, MATRIX_OF(VN_F32)}, {&count_along, MATRIX_OF(VN_BOOL)},    {&smallest_along, MATRIX_OF(VN_F32)},
    {&element_at, MATRIX_OF(VN_F32)},   {&largest_along, MATRIX_OF(VN_F32)},   {&axes_in_order, {VN_F32, VECTOR, false}},
    {&rows_at, {VN_I64, VECTOR, true}}, {&write_rows, {VN_I64, VECTOR, true}}, {&reduce_at, {VN_I64, VECTOR, true}}};
family selecting = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* Rows of a matrix: the elements along the last `n_last` of the axes, which are in order. */
typedef struct rows_of {
    tensor *x;
    int64_t m, n; /* its shape */
} rows_of;

static rows_of as_rows(work *w, tensor *x, const vn_desc *d, const int64_t *axes, int32_t n_last)
{
    rows_of r = {.m = 1, .n = 1};
    bool in_order = true;
    for (int32_t k = 0; k < d->rank; k++) {
        *(k < d->rank - n_last ? &r.m : &r.n) *= d->dims[axes[k]];
        in_order &= axes[k] == k;
    }
    if (!in_order) x = with(w, &axes_in_order, TENSORS(x), OPTIONS(INTS(d->rank, axes)));
    r.x = reshaped(w, x, 2, (int64_t[]){r.m, r.n});
    return r;
}

/* ---- topk ---- */

enum { K, AXIS, SMALLEST }; /* options */

/* The first k columns of x, (m, n). */
static tensor *first_columns(work *w, tensor *x, int64_t m, int64_t k)
{
    int64_t *strides;
    if (w->code) return NULL;
    if (torch.strides(x, &strides)) w->code = failed(w->r->op);
    return w->code ? NULL : view(w, x, 2, (int64_t[]){m, k}, (int64_t[]){strides[0], strides[1]}, 0);
}

/* Rows whose first k + 1 elements are not all different, as positions; NaN counts as equal. torch says nothing about the order of equal
 * elements. NULL: there are none. */
static tensor *ambiguous_rows(work *w, tensor *values, int64_t m, int64_t columns, bool largest, int64_t *n_rows)
{
    int64_t *strides, n = 0;
    if (w->code || columns < 2) return NULL;
    if (torch.strides(values, &strides)) return w->code = failed(w->r->op), NULL;
    const int64_t dims[] = {m, columns - 1}, steps[] = {strides[0], strides[1]};
    tensor *here = view(w, values, 2, dims, steps, 0), *next = view(w, values, 2, dims, steps, steps[1]);
    tensor *clear = with(w, &all_along, TENSORS(binary(w, largest ? &above : &below, here, next)), OPTIONS(INT(1)));
    const uint8_t *fine = data_of(w, clear);
    for (int64_t i = 0; i < m && fine; i++) n += !fine[i];
    if (!n || w->code) return NULL;
    tensor *places = fresh(w, 1, &n, VN_I64);
    int64_t *at = room_of(w, places), k = 0;
    for (int64_t i = 0; i < m && !w->code; i++)
        if (!fine[i]) at[k++] = i;
    *n_rows = n;
    return w->code ? NULL : places;
}

/* z: the values and positions of the first k elements of each sorted row. */
static void by_sorting(work *w, tensor *x, int64_t m, int64_t k, bool largest, tensor **z)
{
    several(w, &sorted, TENSORS(x), OPTIONS(INT(1), INT(largest)), 2, z);
    for (int i = 0; i < 2; i++) z[i] = first_columns(w, z[i], m, k);
}

/* torch's topk finds the elements, one more than asked for: where they are all different, their order is that of a stable sort. The other rows
 * are sorted. So are all of them where k is a large part, which takes no longer. */
static void top_of_rows(work *w, const rows_of *x, int64_t k, bool largest, tensor **z)
{
    if (2 * k > x->n) {
        by_sorting(w, x->x, x->m, k, largest, z);
        return;
    }
    several(w, &top, TENSORS(x->x), OPTIONS(INT(k + 1), INT(1), INT(largest)), 2, z);
    int64_t n = 0;
    tensor *ambiguous = ambiguous_rows(w, z[0], x->m, k + 1, largest, &n), *exact[2];
    for (int i = 0; i < 2; i++) z[i] = first_columns(w, z[i], x->m, k);
    if (!ambiguous) return;
    tensor *again = with(w, &rows_at, TENSORS(x->x, ambiguous), OPTIONS(INT(0)));
    by_sorting(w, again, n, k, largest, exact);
    for (int i = 0; i < 2; i++) into(w, &write_rows, TENSORS(z[i], ambiguous, exact[i]), OPTIONS(INT(0)));
}

/* Unsigned integers with their highest bit flipped, bool as bytes: their order is that of the signed dtype. */
static tensor *comparable(work *w, tensor *x)
{
    if (w->dtype == VN_BOOL) return seen_as(w, x, torch.stored_as[VN_U8]);
    return VN_BIT(w->dtype) & STORED_AS_SIGNED ? unary(w, &turn_top_bit, x) : x;
}

static tensor *as_given(work *w, tensor *x)
{
    if (w->dtype == VN_BOOL) return seen_as(w, x, torch.stored_as[VN_BOOL]);
    return VN_BIT(w->dtype) & STORED_AS_SIGNED ? unary(w, &turn_top_bit, x) : x;
}

int topk(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *d = desc_in(call, 0), *out = desc_out(call);
    const int64_t axis = call->instr->options[AXIS].u.i, k = call->instr->options[K].u.i;
    int64_t order[VN_MAX_RANK], dims[VN_MAX_RANK], back[VN_MAX_RANK];
    tensor *z[2];
    work w = begin(call, r);
    if (out->count == 0) return end_zeros(&w);
    for (int32_t a = 0; a < d->rank; a++) order[a] = a + (a >= axis && a < d->rank - 1);
    order[d->rank - 1] = axis;
    for (int32_t a = 0; a < d->rank; a++) dims[a] = out->dims[order[a]];
    const rows_of x = as_rows(&w, comparable(&w, call->in[0]->t), d, order, 1);
    top_of_rows(&w, &x, k, !call->instr->options[SMALLEST].u.i, z);
    z[0] = as_given(&w, z[0]);
    for (int i = 0; i < 2; i++) z[i] = reshaped(&w, z[i], d->rank, dims);
    for (int32_t a = 0; a < d->rank; a++) back[order[a]] = a;
    for (int i = 0; i < 2 && axis != d->rank - 1; i++) z[i] = with(&w, &axes_in_order, TENSORS(z[i]), OPTIONS(INTS(d->rank, back)));
    return end_all(&w, 2, z);
}

/* ---- median and quantiles ---- */

enum { AXES }; /* options */

/* Rows of the elements that a reduction over some axes combines. */
static rows_of reduced_rows(work *w, const vn_option *axes)
{
    const vn_desc *d = desc_in(w->call, 0);
    int64_t order[VN_MAX_RANK];
    int32_t kept = 0;
    for (int32_t a = 0, k = 0; a < d->rank; a++) {
        if (k < axes->n && axes->u.is[k] == a) order[d->rank - axes->n + k++] = a;
        else order[kept++] = a;
    }
    return as_rows(w, w->call->in[0]->t, d, order, axes->n);
}

/* What follows `low`, the sorted element before position `at`: the same again if more elements are not above it, otherwise the
 * smallest above it. (m, 1) */
static tensor *following(work *w, const rows_of *x, tensor *low, int64_t at)
{
    const int64_t along = 1;
    const int32_t dtype = w->dtype;
    tensor *not_above = binary(w, &up_to, x->x, low);
    tensor *others = with(w, &choose, TENSORS(not_above, number(w, INFINITY), x->x), NO_OPTIONS);
    tensor *next = with(w, &smallest_along, TENSORS(others), OPTIONS(INTS(1, &along)));
    tensor *count = with(w, &count_along, TENSORS(not_above), OPTIONS(INTS(1, &along)));
    w->dtype = VN_I64;
    tensor *again = binary(w, &above, count, number(w, (double)at));
    w->dtype = dtype;
    return with(w, &choose, TENSORS(again, low, next), NO_OPTIONS);
}

/* torch's median is the lower one of the two in the middle; NaN if an element is. */
int median(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *out = desc_out(call);
    work w = begin(call, r);
    const rows_of x = reduced_rows(&w, &call->instr->options[AXES]);
    tensor *z = with(&w, &lower_middle, TENSORS(x.x), OPTIONS(INT(1)));
    if (x.n % 2 == 0) {
        tensor *half = number(&w, .5), *upper = following(&w, &x, z, x.n / 2);
        z = sum_of(&w, product_of(&w, z, half), product_of(&w, upper, half), 1); /* cannot overflow */
    }
    return end(&w, reshaped(&w, z, out->rank, out->dims));
}

/* (m, 1): between the elements around q (n - 1); NaN for a q that is none */
static tensor *quantile_of(work *w, const rows_of *x, double q)
{
    const double p = q * (double)(x->n - 1), low = floor(p);
    if (!(q >= 0 && q <= 1)) {
        tensor *none = fresh(w, 2, (int64_t[]){x->m, 1}, w->dtype);
        fill(w, none, NAN);
        return none;
    }
    tensor *a = with(w, &element_at, TENSORS(x->x), OPTIONS(INT((int64_t)low + 1), INT(1)));
    if (p == low) return a;
    const double share = w->dtype == VN_F64 ? p - low : (float)(p - low), rest = w->dtype == VN_F64 ? 1 - share : 1 - (float)share;
    tensor *b = following(w, x, a, (int64_t)low + 1);
    tensor *mixed = sum_of(w, product_of(w, a, number(w, rest)), product_of(w, b, number(w, share)), 1);
    return with(w, &choose, TENSORS(binary(w, &equal, a, b), a, mixed), NO_OPTIONS);
}

/* One after the other, each by selecting. NaN if an element is. */
int quantile(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *q = desc_in(call, 1), *out = desc_out(call);
    const int64_t along = 1;
    work w = begin(call, r);
    const rows_of x = reduced_rows(&w, &call->instr->options[AXES]);
    const double *given = data_of(&w, row_major(&w, call->in[1]->t, q)); /* float64 */
    tensor *is_none = unary(&w, &is_nan, with(&w, &largest_along, TENSORS(x.x), OPTIONS(INTS(1, &along))));
    tensor *all = fresh(&w, 2, (int64_t[]){q->count, x.m}, out->dtype);
    for (int64_t k = 0; k < q->count && !w.code; k++) {
        tensor *z = binary(&w, &with_nan_where, quantile_of(&w, &x, given[k]), is_none);
        copy(&w, rows_view(&w, all, 2, (int64_t[]){x.m, 1}, k * x.m), z);
    }
    return end(&w, reshaped(&w, all, out->rank, out->dims));
}

/* ---- segments ---- */

/* The smallest or largest number of the dtype that comparable elements have, 0-d. */
static tensor *extreme_number(work *w, bool largest)
{
    static const int8_t bits[VN_DTYPE_END] = {
        [VN_I8] = 8, [VN_I16] = 16, [VN_I32] = 32, [VN_I64] = 64, [VN_U16] = 16, [VN_U32] = 32, [VN_U64] = 64};
    if (VN_BIT(w->dtype) & VN_FLOATS) return number(w, largest ? INFINITY : -INFINITY);
    if (!bits[w->dtype]) return number(w, largest ? UINT8_MAX : 0);
    tensor *t = fresh(w, 0, NULL, w->dtype);
    const uint64_t top_bit = UINT64_C(1) << (bits[w->dtype] - 1),
                   value = largest ? top_bit - 1 : top_bit; /* little-endian: its low bytes */
    void *data = room_of(w, t);
    if (data) memcpy(data, &value, (size_t)bits[w->dtype] / 8);
    return t;
}

/* The slices that belong to a segment, and their numbers: those given if all do. */
typedef struct members {
    tensor *x, *id;
    int64_t n;
} members;

static members members_of(work *w, tensor *x, int64_t segments)
{
    const vn_desc *d = desc_in(w->call, 1);
    members all = {x, row_major(w, w->call->in[1]->t, d), 0};
    const int64_t *id = data_of(w, all.id);
    for (int64_t i = 0; i < d->count && id; i++) all.n += id[i] >= 0 && id[i] < segments;
    if (w->code || all.n == d->count) return all;
    tensor *ids = fresh(w, 1, &all.n, VN_I64), *places = fresh(w, 1, &all.n, VN_I64);
    int64_t *to = room_of(w, ids), *at = room_of(w, places), k = 0;
    for (int64_t i = 0; i < d->count && !w->code; i++) {
        if (id[i] < 0 || id[i] >= segments) continue;
        to[k] = id[i];
        at[k++] = i;
    }
    return (members){with(w, &rows_at, TENSORS(x, places), OPTIONS(INT(0))), ids, all.n};
}

/* The recipe's number is 1 for the largest elements, -1 for the smallest. */
int segment_extreme(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *d = desc_in(call, 0), *out = desc_out(call);
    const bool largest = r->alpha > 0;
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK] = {1};
    work w = begin(call, r);
    tensor *z = fresh(&w, out->rank, out->dims, out->dtype);
    copy(&w, z, extreme_number(&w, !largest));
    const members all = members_of(&w, comparable(&w, call->in[0]->t), out->dims[0]);
    memcpy(dims, d->dims, (size_t)d->rank * sizeof *dims);
    dims[0] = all.n;
    if (!w.code && all.n && out->count) {
        tensor *index = view(&w, all.id, d->rank, dims, strides, 0); /* for every element */
        const vn_option how = {.kind = VN_OPT_STRING, .u.s = largest ? "amax" : "amin"};
        into(&w, &reduce_at, TENSORS(z, index, all.x), OPTIONS(INT(0), how));
    }
    return end(&w, as_given(&w, z));
}
