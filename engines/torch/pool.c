/* pool.c: pooling. Windows of float32 and float64 along one or two axes that torch's own pooling takes go there; everything else is done
 * tap by tap on whole arrays. Sums of halves are formed in float32. */
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
static const torch_op differ = {"aten::ne", "Tensor", "01"};
static const torch_op write_where = {"aten::masked_fill_", "Tensor", "012>x"};
static const torch_op choose_into = {"aten::where", "self_out", "0123>x"};

static const helper helpers[] = {{&max_of_2d, {VN_F32, IMAGE, false}}, {&sum_of_2d, {VN_F32, IMAGE, false}},
                                 {&add_to, MATRIX_OF(VN_F32)},         {&keep_larger, MATRIX_OF(VN_F32)},
                                 {&either, MATRIX_OF(VN_BOOL)},        {&any_of, MATRIX_OF(VN_BOOL)},
                                 {&differ, MATRIX_OF(VN_F32)},         {&write_where, {VN_BOOL, SCALAR, false}},
                                 {&choose_into, MATRIX_OF(VN_BOOL)}};
family pooling = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { WINDOW, STRIDES, PADDING, DILATION }; /* options */

static window pool_of(const vn_kernel_call *call, const vn_desc *x, const vn_desc *y)
{
    const vn_option *o = call->instr->options;
    return window_of(x, y, o[WINDOW].u.is, &o[STRIDES], &o[PADDING], &o[DILATION]);
}

/* torch's own pooling knows no more padding than half a window, the same at both ends. */
static bool suits_torch(const work *w, const window *f, bool dilates)
{
    bool suits = (w->dtype == VN_F32 || w->dtype == VN_F64) && f->n < SPATIAL && is_symmetric(f);
    for (int a = 0; a < SPATIAL && suits; a++) suits = f->low[a] <= f->taps[a] / 2 && (dilates || f->dilation[a] == 1);
    return suits;
}

#define LIST(list) INTS(SPATIAL - 1, (list) + 1)
#define LISTS(f) LIST((f)->taps), LIST((f)->step), LIST((f)->low)

/* ---- the largest element ---- */

/* What no element is below. */
static double lowest(int32_t dtype)
{
    static const int8_t bits[VN_DTYPE_COUNT] = {
        [VN_I8] = 8, [VN_I16] = 16, [VN_I32] = 32, [VN_I64] = 64, [VN_U16] = 16, [VN_U32] = 32, [VN_U64] = 64}; /* carriers have a sign */
    return VN_BIT(dtype) & VN_FLOATS ? -INFINITY : bits[dtype] ? -ldexp(1, bits[dtype] - 1) : 0;
}

/* The largest elements; those of carriers with their highest bit turned, as x has it. */
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

static bool is_carried(int32_t dtype)
{
    return VN_BIT(dtype) & CARRIED;
}

static tensor *turned(work *w, tensor *x)
{
    return is_carried(w->dtype) ? unary(w, &turn_top_bit, x) : x;
}

int max_pool(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, in, out);
    int64_t dims[AXES];
    if (out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 x = five_axes(&w, in->count ? turned(&w, call->in[0]->t) : call->in[0]->t, in, false), y;
    if (in->count && suits_torch(&w, &f, true)) {
        tensor *both[2];
        several(&w, &max_of_2d, TENSORS(as_torch(&w, &f, &x, false)), OPTIONS(LISTS(&f), LIST(f.dilation)), 2, both);
        y = from_torch(&w, &f, both[0], dims, false);
    } else y = largest(&w, &f, &x, dims);
    tensor *z = own_axes(&w, &y, out, false);
    return end(&w, turned(&w, z));
}

/* For each window the number of the tap that meets its first largest element, -1 where none meets any. */
static array5 first_largest(work *w, const window *f, const array5 *x, const int64_t *dims)
{
    array5 y = largest(w, f, x, dims), at = y;
    tensor *number = fresh(w, 0, NULL, VN_I64);
    taps all = all_taps(f, true);
    tap t;
    at.t = fresh(w, AXES, dims, VN_I64);
    fill(w, at.t, -1);
    while (!w->code && next_tap(&all, &t)) {
        int mark = w->n;
        tensor *element = met_in_x(w, f, &t, x, 0, dims[4]);
        tensor *is_it = binary(w, &equal, element, met_in_y(w, &t, &y, 0, dims[4]));
        if (VN_BIT(w->dtype) & VN_FLOATS) is_it = with(w, &either, TENSORS(is_it, unary(w, &is_nan, element)), NO_OPTIONS);
        fill(w, number, (double)t.number);
        into(w, &write_where, TENSORS(met_in_y(w, &t, &at, 0, dims[4]), is_it, number), NO_OPTIONS);
        forget(w, mark);
    }
    return at;
}

static bool any_nan(work *w, tensor *x)
{
    const uint8_t *any = data_of(w, with(w, &any_of, TENSORS(unary(w, &is_nan, x)), NO_OPTIONS));
    return any && *any;
}

/* Zeros with ct added at the first largest elements, by torch; it takes the last of several NaN, so false where there is one. */
static bool scattered(work *w, const window *f, const array5 *x, const array5 *ct, array5 *z)
{
    tensor *both[2], *in = as_torch(w, f, x, false);
    several(w, &max_of_2d, TENSORS(in), OPTIONS(LISTS(f), LIST(f->dilation)), 2, both);
    if (any_nan(w, both[0])) return false;
    tensor *back = with(w, &max_back_2d, TENSORS(as_torch(w, f, ct, false), in, both[1]), OPTIONS(LISTS(f), LIST(f->dilation)));
    *z = from_torch(w, f, back, x->dims, false);
    return true;
}

/* The same tap by tap. */
static array5 scatter(work *w, const window *f, const array5 *x, const array5 *ct)
{
    array5 at = first_largest(w, f, x, ct->dims), z = new_array(w, x->dims);
    tensor *number = fresh(w, 0, NULL, VN_I64);
    taps all = all_taps(f, false);
    tap t;
    fill(w, z.t, 0);
    while (!w->code && next_tap(&all, &t)) {
        int mark = w->n;
        fill(w, number, (double)t.number);
        tensor *not_it = binary(w, &differ, met_in_y(w, &t, &at, 0, ct->dims[4]), number);
        tensor *sent = binary(w, &with_0_where, met_in_y(w, &t, ct, 0, ct->dims[4]), not_it);
        into(w, &add_to, TENSORS(met_in_x(w, f, &t, &z, 0, ct->dims[4]), sent), NO_OPTIONS);
        forget(w, mark);
    }
    return z;
}

int max_pool_scatter(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, in, desc_in(call, 1));
    if (in->count == 0 || desc_in(call, 1)->count == 0) return end_zeros(&w);
    bool half = VN_BIT(in->dtype) & VN_HALVES;
    array5 x = five_axes(&w, half ? operand(&w, 0) : turned(&w, call->in[0]->t), in, false), z;
    array5 ct = five_axes(&w, half ? operand(&w, 1) : call->in[1]->t, desc_in(call, 1), false);
    if (!suits_torch(&w, &f, true) || !scattered(&w, &f, &x, &ct, &z)) z = scatter(&w, &f, &x, &ct);
    return end_wide(&w, own_axes(&w, &z, out, false));
}

int max_pool_gather(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, in, out);
    int64_t dims[AXES];
    tap t;
    if (in->count == 0 || out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 x = five_axes(&w, turned(&w, call->in[0]->t), in, false), u = five_axes(&w, call->in[1]->t, in, false);
    array5 at = first_largest(&w, &f, &x, dims), z = new_array(&w, dims);
    tensor *number = fresh(&w, 0, NULL, VN_I64);
    taps all = all_taps(&f, false);
    fill(&w, z.t, 0);
    while (!w.code && next_tap(&all, &t)) {
        int mark = w.n;
        fill(&w, number, (double)t.number);
        tensor *is_it = binary(&w, &equal, met_in_y(&w, &t, &at, 0, dims[4]), number), *to = met_in_y(&w, &t, &z, 0, dims[4]);
        into(&w, &choose_into, TENSORS(is_it, met_in_x(&w, &f, &t, &u, 0, dims[4]), to, to), NO_OPTIONS);
        forget(&w, mark);
    }
    return end(&w, own_axes(&w, &z, out, false));
}

/* ---- the sum ---- */

/* Between x and windows, every tap: to x, or else to the windows' array. */
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

/* torch's average divides by the last option, here 1. */
int sum_pool(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, in, out);
    int64_t dims[AXES];
    if (in->count == 0 || out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 x = five_axes(&w, VN_BIT(in->dtype) & VN_HALVES ? operand(&w, 0) : call->in[0]->t, in, false), y;
    if (suits_torch(&w, &f, false)) {
        tensor *sums = with(&w, &sum_of_2d, TENSORS(as_torch(&w, &f, &x, false)), OPTIONS(LISTS(&f), INT(1)));
        y = from_torch(&w, &f, sums, dims, false);
    } else {
        y = new_array(&w, dims);
        add_taps(&w, &f, &x, &y, false);
    }
    return end_wide(&w, own_axes(&w, &y, out, false));
}

int sum_pool_scatter(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *in = desc_in(call, 0), *out = desc_out(call);
    work w = begin(call, r);
    window f = pool_of(call, out, in);
    int64_t dims[AXES];
    if (in->count == 0 || out->count == 0) return end_zeros(&w);
    five_dims(out, false, dims);
    array5 y = five_axes(&w, VN_BIT(in->dtype) & VN_HALVES ? operand(&w, 0) : call->in[0]->t, in, false), x = new_array(&w, dims);
    if (suits_torch(&w, &f, false)) {
        tensor *ct = as_torch(&w, &f, &y, false), *like = as_torch(&w, &f, &x, false);
        x = from_torch(&w, &f, with(&w, &sum_back_2d, TENSORS(ct, like), OPTIONS(LISTS(&f), INT(1))), dims, false);
    } else add_taps(&w, &f, &x, &y, true);
    return end_wide(&w, own_axes(&w, &x, out, false));
}
