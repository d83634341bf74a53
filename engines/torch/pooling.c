/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: pooling. float32 and float64 along one or two axes use torch's pooling where it applies; everything else is done
 * tap by tap on whole arrays. Half precision accumulates in float32. */
#include "window.h"

#include <math.h>
#include <string.h>

static const torch_op max_of_2d = {"aten::max_pool2d_with_indices", "", "0IIIIf>TT"};
static const torch_op max_back_2d = {"aten::max_pool2d_with_indices_backward", "", "01IIIIf2"};
static const torch_op sum_of_2d = {"aten::avg_pool2d", "", "0IIIft?i"};
static const torch_op sum_back_2d = {"aten::avg_pool2d_backward", "", "01IIIft?i"};
static const torch_op keep_larger = {"aten::maximum", "out", "010>x"};
static const torch_op either = {"aten::logical_or", "", "01"};
static const torch_op any_of = {"aten::any", "", "0"};
static const torch_op less = {"aten::lt", "Tensor", "01"};
static const torch_op add_at = {"aten::scatter_add", "", "0i12"};
static const torch_op choose_into = {"aten::where", "self_out", "0123>x"};

static const helper helpers[] = {
    {&max_of_2d, {VN_F32, IMAGE, false}}, {&sum_of_2d, {VN_F32, IMAGE, false}}, {&add_to, MATRIX_OF(VN_F32)},
    {&keep_larger, MATRIX_OF(VN_F32)},    {&either, MATRIX_OF(VN_BOOL)},        {&any_of, MATRIX_OF(VN_BOOL)},
    {&less, MATRIX_OF(VN_I64)},           {&choose_into, MATRIX_OF(VN_BOOL)},   {&add_at, {VN_I64, MATRIX, true}}};
family pooling = {helpers, sizeof helpers / sizeof helpers[0], NULL};

static window pool_of(const vn_kernel_call *call, const vn_desc *x, const vn_desc *y)
{
    const vn_option *o = call->instr->options;
    return window_of(x, y, o[WINDOW].u.is, o);
}

/* torch's pooling allows at most half a window of padding, the same at both ends. A dilated window longer than x may contain no element
 * of it, which torch does not handle. */
static bool suits_torch(const work *w, const window *f, bool dilates)
{
    bool suits = (w->dtype == VN_F32 || w->dtype == VN_F64) && f->n < SPATIAL && is_symmetric(f);
    for (int a = 0; a < SPATIAL && suits; a++)
        suits = f->low[a] <= f->taps[a] / 2 && (f->dilation[a] == 1 || (dilates && f->dilation[a] <= f->size[a]));
    return suits;
}

#define LIST(list) INTS(SPATIAL - 1, (list) + 1)
#define LISTS(f) LIST((f)->taps), LIST((f)->step), LIST((f)->low)

/* ---- max ---- */

/* The lowest value. */
static double lowest(int32_t dtype)
{
    static const int8_t bits[VN_DTYPE_END] = {[VN_I8] = 8,   [VN_I16] = 16, [VN_I32] = 32, [VN_I64] = 64,
                                              [VN_U16] = 16, [VN_U32] = 32, [VN_U64] = 64}; /* unsigned ones are stored as signed */
    return VN_BIT(dtype) & VN_FLOATS ? -INFINITY : bits[dtype] ? -ldexp(1, bits[dtype] - 1) : 0;
}

/* The largest elements; those of unsigned integers with their highest bit flipped, as x has it. */
static array5 largest(work *w, const window *f, const array5 *x, const int64_t *dims)
{
    array5 y = new_array(w, dims);
    taps all = all_taps(f, false);
    tap t;
    fill(w, y.t, lowest(w->dtype));
    while (!w->code && next_tap(&all, &t)) {
        int mark = w->n;
        into(w, &keep_larger, TENSORS(met_in_y(w, &t, &y, 0, dims[4]), met_in_x(w, f, &t, x, 0, dims[4])), NO_OPTIONS);
        forget(w, mark);
    }
    return y;
}

/* For each element of x its position along the spatial axes. */
static array5 all_places(work *w, const array5 *x)
{
    const int64_t *d = x->dims, n = d[1] * d[2] * d[3];
    array5 places = {.t = fresh(w, 1, &n, VN_I64), .strides = {0, d[2] * d[3], d[3], 1, 0}};
    int64_t *numbers = room_of(w, places.t);
    for (int64_t i = 0; i < n && numbers; i++) numbers[i] = i;
    memcpy(places.dims, x->dims, sizeof places.dims);
    return places;
}

/* The position of the first maximum of each window, or the first NaN; -1 for a window of padding. */
static array5 first_largest(work *w, const window *f, const array5 *x, const array5 *y)
{
    array5 at = {.t = fresh(w, AXES, y->dims, VN_I64)}, places = all_places(w, x);
    const int64_t channels = x->dims[4];
    taps all = all_taps(f, true);
    tap t;
    memcpy(at.dims, y->dims, sizeof at.dims);
    strides_of_rows(AXES, at.dims, at.strides);
    fill(w, at.t, -1);
    while (!w->code && next_tap(&all, &t)) {
        int mark = w->n;
        tensor *element = met_in_x(w, f, &t, x, 0, channels), *to = met_in_y(w, &t, &at, 0, channels);
        tensor *is_it = binary(w, &equal, element, met_in_y(w, &t, y, 0, channels));
        if (VN_BIT(w->dtype) & VN_FLOATS) is_it = with(w, &either, TENSORS(is_it, unary(w, &is_nan, element)), NO_OPTIONS);
        into(w, &choose_into, TENSORS(is_it, met_in_x(w, f, &t, &places, 0, channels), to, to), NO_OPTIONS);
        forget(w, mark);
    }
    return at;
}

static bool is_carried(int32_t dtype)
{
    return VN_BIT(dtype) & STORED_AS_SIGNED;
}

/* With the highest bit flipped, they are ordered as unsigned numbers. */
static tensor *ordered_bits(work *w, tensor *x)
{
    return is_carried(w->dtype) ? unary(w, &turn_top_bit, x) : x;
}

static bool any_nan(work *w, tensor *x)
{
    const uint8_t *any = data_of(w, with(w, &any_of, TENSORS(unary(w, &is_nan, x)), NO_OPTIONS));
    return any && *any;
}

/* torch returns the position of the last NaN, so positions of NaN are computed here. */
int max_pool(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call), *place = out + 1;
    work w = begin(call, r);
    window f = pool_of(call, in, out);
    int64_t dims[AXES];
    bool known = false;
    five_dims(out, false, dims);
    array5 x = five_axes(&w, in->count ? ordered_bits(&w, call->in[0]->t) : call->in[0]->t, in, false), y, at;
    if (in->count && out->count && suits_torch(&w, &f, true)) {
        tensor *both[2];
        several(&w, &max_of_2d, TENSORS(as_torch(&w, &f, &x, false)), OPTIONS(LISTS(&f), LIST(f.dilation)), 2, both);
        y = from_torch(&w, &f, both[0], dims, false);
        known = is_used(&w, 1) && !any_nan(&w, both[0]);
        if (known) at = from_torch(&w, &f, both[1], dims, false);
    } else y = largest(&w, &f, &x, dims);
    if (is_used(&w, 1) && !known) at = first_largest(&w, &f, &x, &y);
    tensor *z[] = {ordered_bits(&w, own_axes(&w, &y, out, false)), is_used(&w, 1) ? own_axes(&w, &at, place, false) : NULL};
    return end_all(&w, 2, z);
}

enum { INDEX = 2, CT = 3 }; /* inputs of the backward pass, after x and y */

/* Zeros with ct scattered to its positions along the flattened spatial axes; negative positions are skipped. */
static tensor *scattered(work *w, const vn_desc *x, tensor *ct, tensor *index)
{
    const vn_desc *y = desc_in(w->call, CT);
    const int64_t channels = x->dims[x->rank - 1], flat[] = {x->dims[0], x->count / x->dims[0] / channels, channels};
    const int64_t windows[] = {y->dims[0], y->count / y->dims[0] / channels, channels};
    tensor *zeros = fresh(w, 3, flat, w->dtype), *none = fresh(w, 0, NULL, VN_I64);
    fill(w, zeros, 0);
    fill(w, none, 0);
    tensor *outside = binary(w, &less, index, none);
    index = reshaped(w, binary(w, &with_0_where, index, outside), 3, windows);
    ct = reshaped(w, binary(w, &with_0_where, ct, outside), 3, windows);
    return reshaped(w, with(w, &add_at, TENSORS(zeros, index, ct), OPTIONS(INT(1))), x->rank, x->dims);
}

int max_pool_backward(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *of_ct = desc_in(call, CT);
    work w = begin(call, r);
    window f = pool_of(call, in, of_ct);
    if (in->count == 0 || of_ct->count == 0) return end_zeros(&w);
    if (!suits_torch(&w, &f, true)) {
        tensor *ct = VN_BIT(in->dtype) & VN_HALF ? operand(&w, CT) : call->in[CT]->t;
        return end_wide(&w, scattered(&w, in, ct, call->in[INDEX]->t));
    }
    array5 x = five_axes(&w, call->in[0]->t, in, false), ct = five_axes(&w, call->in[CT]->t, of_ct, false);
    array5 at = five_axes(&w, call->in[INDEX]->t, desc_in(call, INDEX), false), z;
    tensor *back = with(&w, &max_back_2d, TENSORS(as_torch(&w, &f, &ct, false), as_torch(&w, &f, &x, false), as_torch(&w, &f, &at, false)),
                        OPTIONS(LISTS(&f), LIST(f.dilation)));
    z = from_torch(&w, &f, back, x.dims, false);
    return end(&w, own_axes(&w, &z, in, false));
}

/* ---- sum ---- */

/* Adds every tap, from windows to x or from x to windows. */
static void add_taps(work *w, const window *f, const array5 *x, const array5 *y, bool to_x)
{
    int64_t channels = x->dims[4];
    taps all = all_taps(f, false);
    tap t;
    fill(w, to_x ? x->t : y->t, 0);
    while (!w->code && next_tap(&all, &t)) {
        int mark = w->n;
        tensor *in = met_in_x(w, f, &t, x, 0, channels), *out = met_in_y(w, &t, y, 0, channels);
        into(w, &add_to, TENSORS(to_x ? in : out, to_x ? out : in), NO_OPTIONS);
        forget(w, mark);
    }
}

/* torch's average pooling divides by the last option, here 1. */
int sum_pool(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, in, out);
    int64_t dims[AXES];
    if (in->count == 0 || out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 x = five_axes(&w, VN_BIT(in->dtype) & VN_HALF ? operand(&w, 0) : call->in[0]->t, in, false), y;
    if (suits_torch(&w, &f, false)) {
        tensor *sums = with(&w, &sum_of_2d, TENSORS(as_torch(&w, &f, &x, false)), OPTIONS(LISTS(&f), INT(1)));
        y = from_torch(&w, &f, sums, dims, false);
    } else {
        y = new_array(&w, dims);
        add_taps(&w, &f, &x, &y, false);
    }
    return end_wide(&w, own_axes(&w, &y, out, false));
}

int sum_pool_backward(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, out, in);
    int64_t dims[AXES];
    if (in->count == 0 || out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 y = five_axes(&w, VN_BIT(in->dtype) & VN_HALF ? operand(&w, 0) : call->in[0]->t, in, false), x = new_array(&w, dims);
    if (suits_torch(&w, &f, false)) {
        tensor *ct = as_torch(&w, &f, &y, false), *like = as_torch(&w, &f, &x, false);
        x = from_torch(&w, &f, with(&w, &sum_back_2d, TENSORS(ct, like), OPTIONS(LISTS(&f), INT(1))), dims, false);
    } else add_taps(&w, &f, &x, &y, true);
    return end_wide(&w, own_axes(&w, &x, out, false));
}
