/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: indexing and sorting. torch raises an error for positions out of range or negative,
 * and does not define which of repeated writes wins, so positions are checked first; valid ones are passed to torch
 * unchanged. */
#include "work.h"

#include <math.h>
#include <string.h>

static const torch_op select_rows = {"aten::index_select", "", "0i1"};
static const torch_op add_at = {"aten::scatter_add_", "", "0i12>x"};
static const torch_op write_at = {"aten::index_copy_", "", "0i12>x"};
static const torch_op search = {"aten::searchsorted", "Tensor", "01finn"};
static const torch_op is_below_0 = {"aten::lt", "Tensor", "0o"};
static const torch_op counts_of = {"aten::bincount", "", "0ni"};
static const torch_op inverted = {"aten::bitwise_not", "", "0"};

static const helper helpers[] = {{&select_rows, {VN_I64, VECTOR, true}}, {&add_at, {VN_I64, VECTOR, true}},
                                 {&write_at, {VN_I64, VECTOR, true}},    {&search, {VN_F32, VECTOR, false}},
                                 {&is_below_0, MATRIX_OF(VN_U8)},        {&inverted, MATRIX_OF(VN_U8)},
                                 {&counts_of, {VN_I64, VECTOR, true}}};
family indexing = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* Positions along an axis. */
typedef struct positions {
    int64_t axis, length, n;
    tensor *index;   /* (n), all in range */
    tensor *from;    /* (n): indices of the positions to use; NULL: all */
    tensor *missing; /* bool (n): positions out of range, which are replaced by 0; NULL: none */
} positions;

static bool in_range(int64_t i, int64_t length)
{
    return i >= -length && i < length;
}

static int64_t from_start(int64_t i, int64_t length)
{
    return i < 0 ? i + length : i;
}

enum { AXIS }; /* options */

/* The positions of input 1 unchanged, if none is negative or too large. */
static positions given(work *w, const int64_t **values)
{
    const vn_desc *d = desc_in(w->call, 1);
    positions p = {.axis = w->call->instr->options[AXIS].u.i, .n = d->count};
    p.length = desc_in(w->call, 0)->dims[p.axis];
    tensor *dense = row_major(w, w->call->in[1]->t, d);
    p.index = rows_view(w, dense, 1, &d->count, 0);
    *values = data_of(w, dense);
    return p;
}

static bool all_fine(const work *w, const positions *p, const int64_t *values)
{
    int64_t bad = w->code != 0;
    for (int64_t i = 0; i < p->n && !w->code; i++) bad |= (values[i] < 0) | (values[i] >= p->length);
    return !bad;
}

/* For reading: marks those out of range. */
static positions to_read(work *w)
{
    const int64_t *values;
    positions p = given(w, &values);
    if (w->code || all_fine(w, &p, values)) return p;
    tensor *index = fresh(w, 1, &p.n, VN_I64), *missing = fresh(w, 1, &p.n, VN_BOOL);
    int64_t *to = room_of(w, index);
    uint8_t *mark = room_of(w, missing), any = 0;
    if (w->code) return p;
    for (int64_t i = 0; i < p.n; i++) {
        mark[i] = !in_range(values[i], p.length);
        to[i] = mark[i] ? 0 : from_start(values[i], p.length);
        any |= mark[i];
    }
    p.index = index;
    if (any) p.missing = missing;
    return p;
}

/* For writing: drops those out of range, and with `once` all but the last of each. */
static positions to_write(work *w, bool once)
{
    const int64_t *values;
    positions p = given(w, &values);
    if (w->code || (!once && all_fine(w, &p, values))) return p;
    int64_t last_dims = once ? p.length : 0, kept = 0;
    tensor *index = fresh(w, 1, &p.n, VN_I64), *from = fresh(w, 1, &p.n, VN_I64), *lasts = fresh(w, 1, &last_dims, VN_I64);
    int64_t *to = room_of(w, index), *source = room_of(w, from), *last = room_of(w, lasts);
    if (w->code) return p;
    for (int64_t i = 0; i < p.n && once; i++)
        if (in_range(values[i], p.length)) last[from_start(values[i], p.length)] = i;
    for (int64_t i = 0; i < p.n; i++) {
        if (!in_range(values[i], p.length)) continue;
        int64_t at = from_start(values[i], p.length);
        if (once && last[at] != i) continue;
        to[kept] = at;
        source[kept++] = i;
    }
    bool all = kept == p.n;
    p.n = kept;
    p.index = rows_view(w, index, 1, &p.n, 0);
    if (!all) p.from = rows_view(w, from, 1, &p.n, 0);
    return p;
}

/* The dims of x with the axis of another size. */
static void dims_with(const vn_desc *x, int64_t axis, int64_t size, int64_t *dims)
{
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    dims[axis] = size;
}

/* A vector along the axis, with size 1 along other axes. */
static tensor *along(work *w, tensor *x, const vn_desc *like, const positions *p)
{
    int64_t dims[VN_MAX_RANK];
    for (int32_t k = 0; k < like->rank; k++) dims[k] = k == p->axis ? p->n : 1;
    return rows_view(w, x, like->rank, dims, 0);
}

int take(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    positions p = to_read(&w);
    if (p.missing && p.length == 0) { /* x is empty along the axis */
        tensor *z = fresh(&w, out->rank, out->dims, out->dtype);
        fill(&w, z, VN_BIT(out->dtype) & VN_INEXACT ? NAN : 0);
        return end(&w, z);
    }
    tensor *z = with(&w, &select_rows, TENSORS(call->in[0]->t, p.index), OPTIONS(INT(p.axis)));
    if (p.missing) z = binary(&w, &with_nan_where, z, along(&w, p.missing, x, &p));
    return end(&w, reshaped(&w, z, out->rank, out->dims));
}

/* Input 2 broadcast to the written shape, with one row per position along the axis. */
static tensor *rows_to_write(work *w, tensor *y, const positions *p)
{
    const vn_desc *x = desc_in(w->call, 0), *index = desc_in(w->call, 1);
    int64_t dims[2 * VN_MAX_RANK];
    int32_t rank = 0;
    for (int32_t k = 0; k < p->axis; k++) dims[rank++] = x->dims[k];
    for (int32_t k = 0; k < index->rank; k++) dims[rank++] = index->dims[k];
    for (int32_t k = (int32_t)p->axis + 1; k < x->rank; k++) dims[rank++] = x->dims[k];
    tensor *full = broadcast(w, y, desc_in(w->call, 2), rank, dims);
    dims_with(x, p->axis, index->count, dims);
    full = reshaped(w, full, x->rank, dims);
    return p->from ? with(w, &select_rows, TENSORS(full, p->from), OPTIONS(INT(p->axis))) : full;
}

/* The positions broadcast to every element of their rows, without copying. */
static tensor *for_every_element(work *w, const vn_desc *x, const positions *p)
{
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK] = {0};
    dims_with(x, p->axis, p->n, dims);
    strides[p->axis] = 1;
    return view(w, p->index, x->rank, dims, strides, 0);
}

/* Half precision accumulates in float32. */
int index_add(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0);
    bool half = VN_BIT(x->dtype) & VN_HALF;
    vn_buf *z = NULL;
    work w = begin(call, r);
    positions p = to_write(&w, false);
    tensor *y = rows_to_write(&w, half ? operand(&w, 2) : call->in[2]->t, &p), *sums = NULL;
    if (half) sums = operand(&w, 0);
    else if (!w.code) {
        w.code = writable(call, r, 0, false, &z);
        if (!w.code) sums = z->t;
    }
    if (x->count > 0 && p.n > 0) into(&w, &add_at, TENSORS(sums, for_every_element(&w, x, &p), y), OPTIONS(INT(p.axis)));
    return half ? end_wide(&w, sums) : end_with(&w, z);
}

int index_set(const vn_kernel_call *call, const recipe *r)
{
    vn_buf *z = NULL;
    work w = begin(call, r);
    positions p = to_write(&w, true);
    tensor *y = rows_to_write(&w, call->in[2]->t, &p);
    if (!w.code) w.code = writable(call, r, 0, false, &z);
    if (!w.code && desc_in(call, 0)->count > 0 && p.n > 0) into(&w, &write_at, TENSORS(z->t, p.index, y), OPTIONS(INT(p.axis)));
    return end_with(&w, z);
}

enum { STEPS }; /* options */

int stride(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *to = desc_out(call);
    const int64_t *steps = call->instr->options[STEPS].u.is;
    int64_t strides[VN_MAX_RANK], *old;
    if (torch.strides(call->in[0]->t, &old)) return failed(r->op);
    for (int32_t i = 0; i < to->rank; i++) strides[i] = to->dims[i] > 1 ? old[i] * steps[i] : old[i];
    return buffer_view(call->in[0], to->rank, to->dims, strides, 0, call->out);
}

enum { LENGTH }; /* options */

/* torch refuses negative numbers, and counts all others. */
int bincount(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *d = desc_in(call, 0);
    const vn_option *length = &call->instr->options[LENGTH];
    work w = begin(call, r);
    tensor *x = row_major(&w, call->in[0]->t, d);
    const int64_t *from = data_of(&w, x);
    int64_t n = 0;
    for (int64_t i = 0; i < d->count && from; i++) n += (from[i] >= 0) & (from[i] < length->u.i);
    if (!w.code && n < d->count) {
        x = fresh(&w, 1, &n, VN_I64);
        int64_t *to = room_of(&w, x), k = 0;
        for (int64_t i = 0; i < d->count && !w.code; i++)
            if (from[i] >= 0 && from[i] < length->u.i) to[k++] = from[i];
    }
    return end(&w, with(&w, &counts_of, TENSORS(rows_view(&w, x, 1, &n, 0)), OPTIONS(*length)));
}

/* ---- sorting ---- */

/* Input k in a dtype that torch can order: unsigned integers with their highest bit flipped, bool as bytes. */
static tensor *comparable(work *w, int k)
{
    tensor *x = w->call->in[k]->t;
    if (w->dtype == VN_BOOL) return seen_as(w, x, torch.stored_as[VN_U8]);
    return VN_BIT(w->dtype) & STORED_AS_SIGNED ? unary(w, &turn_top_bit, x) : x;
}

int argsort(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    return end(&w, apply(&w, &r->fresh, comparable(&w, 0)));
}

/* Is the last element of a float vector NaN? */
static bool ends_in_nan(work *w, tensor *x, const vn_desc *d)
{
    const void *data = data_of(w, x);
    int64_t *step, last;
    if (w->code || d->count == 0 || !(VN_BIT(d->dtype) & VN_FLOATS)) return false;
    if (torch.strides(x, &step)) {
        w->code = failed(w->r->op);
        return false;
    }
    last = (d->count - 1) * step[0];
    switch (d->dtype) {
    case VN_F16: return (((const uint16_t *)data)[last] & 0x7FFF) > 0x7C00;
    case VN_BF16: return (((const uint16_t *)data)[last] & 0x7FFF) > 0x7F80;
    case VN_F32: return isnan(((const float *)data)[last]);
    default: return isnan(((const double *)data)[last]);
    }
}

/* Integers in the order of floats, NaN largest: the bits of x + 0 (never -0), with all but the sign bit flipped if that is set. */
static tensor *order_keys(work *w, tensor *x, const vn_desc *d)
{
    static const torch_op plus_0 = {"aten::_foreach_addcmul", "Tensor", "[0][o][o]+>L"};
    int32_t dtype = w->dtype, bits = d->dtype == VN_F64 ? VN_U64 : d->dtype == VN_F32 ? VN_U32 : VN_U16;
    x = unary(w, &plus_0, x);
    x = binary(w, &with_nan_where, x, unary(w, &is_nan, x));
    x = seen_as(w, x, torch.stored_as[bits]);
    w->dtype = bits;
    tensor *below = unary(w, &is_below_0, x);
    tensor *flipped = unary(w, &turn_top_bit, unary(w, &inverted, x));
    w->dtype = dtype;
    return with(w, &choose, TENSORS(below, flipped, x), NO_OPTIONS);
}

/* torch's search does not handle NaN in the vector, and it prints a warning if a vector is not row-major. */
int searchsorted(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0), *values = desc_in(call, 1);
    work w = begin(call, r);
    tensor *in, *wanted;
    if (ends_in_nan(&w, call->in[0]->t, x)) {
        in = order_keys(&w, call->in[0]->t, x);
        wanted = order_keys(&w, call->in[1]->t, values);
    } else {
        in = comparable(&w, 0);
        wanted = comparable(&w, 1);
    }
    return end(&w, apply2(&w, &search, row_major(&w, in, x), row_major(&w, wanted, values)));
}
