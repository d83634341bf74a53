/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: the kernel table, one row per op, and the few kernels that a row alone cannot express.
 *
 * Most rows are data: torch's op and its arguments (the notation is in stack.c). A new op is often just a row. A row whose op this
 * torch lacks is dropped, and the op falls back to native. */
#include "torch.h"

#include <stdlib.h>
#include <string.h>

const vn_desc *desc_in(const vn_kernel_call *call, int k)
{
    return &call->program->values[call->instr->in[k]];
}

const vn_desc *desc_out(const vn_kernel_call *call)
{
    return &call->program->values[call->instr->out];
}

enum { AXES }; /* options: the axes are always the first */

static bool is_float(int32_t dtype)
{
    return VN_BIT(dtype) & VN_FLOATS;
}

/* The arguments of a call; its tensors are in `few` if they fit, otherwise in new memory. */
static int gather(const vn_kernel_call *call, const recipe *r, tensor **few, arguments *a)
{
    const vn_instr *instr = call->instr;
    tensor **in = instr->n_in > STACK_SLOTS ? malloc((size_t)instr->n_in * sizeof *in) : few;
    if (!in) return host->error(VN_E_MEM, "torch: %s: out of memory", r->op);
    for (int32_t k = 0; k < instr->n_in; k++) in[k] = call->in[k]->t;
    int32_t out_dtype = desc_out(call)->dtype, in_dtype = instr->n_in > 0 ? desc_in(call, 0)->dtype : out_dtype;
    *a = (arguments){in, instr->options, instr->n_in, instr->n_options, in_dtype, out_dtype, false, 0};
    return VN_OK;
}

/* May input k be overwritten? It must be dead after the call, not be passed twice, and its storage must not be shared with another value (a
 * cast that keeps the bits returns its input), another buffer or the host. */
static bool is_free(const vn_kernel_call *call, int32_t k)
{
    vn_buf *x = call->in[k];
    if (!(call->dying[k]) || !atomic_load_explicit(&x->own, memory_order_relaxed)) return false;
    if (atomic_load(&x->references) != 1 || atomic_load(&x->dense)) return false;
    for (int32_t i = 0; i < call->instr->n_in; i++)
        if (i != k && call->in[i] == x) return false;
    return true;
}

static bool same_desc(const vn_desc *x, const vn_desc *y)
{
    return x->dtype == y->dtype && x->rank == y->rank && memcmp(x->dims, y->dims, (size_t)x->rank * sizeof *x->dims) == 0;
}

/* Which input the result may overwrite, or -1. For small arrays allocating is cheaper than the longer call. */
static int32_t victim(const vn_kernel_call *call, const recipe *r)
{
    enum { MIN_IN_PLACE = 1 << 16 };
    const vn_desc *out = desc_out(call);
    if (!r->in_place.name || out->count < MIN_IN_PLACE) return -1;
    for (int32_t k = 0; k <= (r->commutes ? 1 : 0); k++)
        if (is_free(call, k) && same_desc(desc_in(call, k), out)) return k;
    return -1;
}

/* The recipe's in-place op, input `over` first. */
static int overwrite(const vn_kernel_call *call, const recipe *r, int32_t over)
{
    tensor *in[STACK_SLOTS];
    arguments a;
    int code = gather(call, r, in, &a);
    if (code) return code;
    in[over] = in[0];
    in[0] = call->in[over]->t;
    code = dispatch(r->op, &r->in_place, &a, 0, NULL);
    if (code) return code;
    buffer_retain(call->in[over]);
    call->out[0] = call->in[over];
    return VN_OK;
}

int share(const vn_kernel_call *call)
{
    buffer_retain(call->in[0]);
    call->out[0] = call->in[0];
    return VN_OK;
}

/* The op's results must have their own storage: views have separate kernels. */
int plain(const vn_kernel_call *call, const recipe *r)
{
    if (call->instr->n_in > 0 && r->same & VN_BIT(desc_in(call, 0)->dtype)) return share(call);
    int32_t over = victim(call, r), n_out = call->instr->n_out;
    if (over >= 0) return overwrite(call, r, over);
    tensor *few[STACK_SLOTS], *out[STACK_SLOTS];
    arguments a;
    int code = n_out > STACK_SLOTS ? host->error(VN_E_UNSUPPORTED, "torch: %s: %d results are too many", r->op, (int)n_out) : VN_OK;
    if (!code) code = gather(call, r, few, &a);
    if (code) return code;
    code = dispatch(r->op, &r->fresh, &a, n_out, out);
    if (a.in != few) free((void *)(uintptr_t)a.in);
    if (code) return code;
    int32_t made = 0;
    while (made < n_out && !code) {
        code = wrap(out[made], true, &call->out[made]);
        made++;
    }
    if (!code) return VN_OK;
    for (int32_t k = 0; k < made - 1; k++) buffer_release(call->out[k]);
    for (int32_t k = made; k < n_out; k++) torch.drop(out[k]);
    return code;
}

/* x + alpha y. torch's add takes alpha as a Scalar, which can only be passed as a double, and integers refuse that; for them the recipe's
 * ops compute x + alpha * (y * 1) with alpha in a tensor. Complex numbers use neither: an infinity times 1 contains NaN (complex.c).
 */
static int add(const vn_kernel_call *call, const recipe *r)
{
    if (VN_BIT(desc_in(call, 0)->dtype) & VN_COMPLEX) return add_complex(call, r);
    if (!is_float(desc_in(call, 0)->dtype)) return plain(call, r);
    int32_t over = victim(call, r);
    if (over >= 0) return overwrite(call, r, over);
    tensor *t = NULL;
    int code = gave(torch.add(call->in[0]->t, call->in[1]->t, r->alpha, &t), &t, r->op);
    return code ? code : wrap(t, true, call->out);
}

/* x * y, or x * x if there is only one input. */
static int mul(const vn_kernel_call *call, const recipe *r)
{
    int32_t over = victim(call, r);
    if (over >= 0) return overwrite(call, r, over);
    tensor *t = NULL;
    int code = gave(torch.mul(call->in[0]->t, call->in[call->instr->n_in - 1]->t, &t), &t, r->op);
    return code ? code : wrap(t, true, call->out);
}

/* Casts of unsigned values wider than a byte use their unsigned value, not that of the signed dtype they are stored as. */
int convert(tensor *x, const vn_desc *from, int32_t to, const char *op, tensor **out)
{
    tensor *seen = NULL, *made = NULL, *result = NULL;
    int32_t target = is_float(from->dtype) ? torch.dtype[to] : torch.stored_as[to];
    int code = gave(torch.view_dtype(x, torch.dtype[from->dtype], &seen), &seen, op);
    if (code) return code;
    code = new_tensor(from->rank, from->dims, target, &made);
    if (code == VN_OK && torch.copy(made, seen, 0)) code = failed(op);
    if (code == VN_OK && target == torch.stored_as[to]) {
        *out = made;
        made = NULL;
    } else if (code == VN_OK) {
        code = gave(torch.view_dtype(made, torch.stored_as[to], &result), &result, op);
        if (!code) *out = result;
    }
    if (made) torch.drop(made);
    torch.drop(seen);
    return code;
}

/* Between dtypes that are stored as the same dtype the bits do not change, so the result is the input. */
static int cast(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *from = desc_in(call, 0);
    int32_t to = desc_out(call)->dtype;
    if (torch.stored_as[from->dtype] == torch.stored_as[to]) return share(call);
    if (is_float(from->dtype) && VN_BIT(to) & VN_INTS) return float_to_integer(call, r);
    tensor *t;
    int code = convert(call->in[0]->t, from, to, r->op, &t);
    return code ? code : wrap(t, true, call->out);
}

/* torch reads an empty list of axes as all axes. */
static int sum(const vn_kernel_call *call, const recipe *r)
{
    return call->instr->options[AXES].n == 0 ? cast(call, r) : widened(call, r);
}

static int reshape(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *to = desc_out(call);
    bool contiguous = false;
    if (torch.is_contiguous(call->in[0]->t, &contiguous)) return failed(r->op);
    if (contiguous) return buffer_view(call->in[0], to->rank, to->dims, NULL, 0, call->out);
    tensor *t = NULL;
    int code = gave(torch.reshape(call->in[0]->t, to->dims, to->rank, &t), &t, r->op);
    if (code) return code;
    atomic_store_explicit(&call->in[0]->own, false, memory_order_relaxed); /* a view if the strides allow it */
    return wrap(t, false, call->out);
}

static int broadcast_to(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *from = desc_in(call, 0), *to = desc_out(call);
    int64_t strides[VN_MAX_RANK], *old;
    if (torch.strides(call->in[0]->t, &old)) return failed(r->op);
    strides_of_broadcast(from, old, to->rank, to->dims, strides);
    return buffer_view(call->in[0], to->rank, to->dims, strides, 0, call->out);
}

static int permute_dims(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *to = desc_out(call);
    const int64_t *axes = call->instr->options[AXES].u.is;
    int64_t strides[VN_MAX_RANK], *old;
    if (torch.strides(call->in[0]->t, &old)) return failed(r->op);
    for (int32_t i = 0; i < to->rank; i++) strides[i] = old[axes[i]];
    return buffer_view(call->in[0], to->rank, to->dims, strides, 0, call->out);
}

/* The offset in elements of the block at `start` (int64, one per axis), clamped so that it fits. */
static int block_offset(tensor *x, const vn_desc *whole, const int64_t *size, tensor *start, const char *op, int64_t *offset)
{
    const void *data = NULL;
    int64_t *strides, *step;
    *offset = 0;
    if (whole->rank == 0) return VN_OK;
    if (torch.strides(x, &strides) || torch.strides(start, &step) || torch.data(start, &data) || !data) return failed(op);
    for (int32_t i = 0; i < whole->rank; i++) {
        int64_t first = ((const int64_t *)data)[i * step[0]], last = whole->dims[i] - size[i];
        if (first > last) first = last;
        if (first < 0) first = 0;
        *offset += first * strides[i];
    }
    return VN_OK;
}

static int slice(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *from = desc_in(call, 0), *to = desc_out(call);
    int64_t offset, *strides;
    int code = block_offset(call->in[0]->t, from, to->dims, call->in[1]->t, r->op, &offset);
    if (code) return code;
    if (torch.strides(call->in[0]->t, &strides)) return failed(r->op);
    return buffer_view(call->in[0], to->rank, to->dims, strides, offset, call->out);
}

int writable(const vn_kernel_call *call, const recipe *r, int k, bool row_major, vn_buf **out)
{
    vn_buf *x = call->in[k];
    bool fits = is_free(call, k);
    if (fits && row_major && torch.is_contiguous(x->t, &fits)) return failed(r->op);
    if (fits) {
        buffer_retain(x);
        *out = x;
        return VN_OK;
    }
    const vn_desc *d = desc_in(call, k);
    tensor *t;
    int code = new_tensor(d->rank, d->dims, torch.stored_as[d->dtype], &t);
    if (code) return code;
    if (torch.copy(t, x->t, 0)) {
        torch.drop(t);
        return failed(r->op);
    }
    return wrap(t, true, out);
}

static int slice_set(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *whole = desc_in(call, 0), *part = desc_in(call, 1);
    vn_buf *z;
    tensor *block = NULL;
    int64_t offset, *strides;
    int code = writable(call, r, 0, false, &z);
    if (code) return code;
    code = block_offset(z->t, whole, part->dims, call->in[2]->t, r->op, &offset);
    if (code == VN_OK && torch.strides(z->t, &strides)) code = failed(r->op);
    if (code == VN_OK) code = gave(torch.view(z->t, part->rank, part->dims, strides, offset, &block), &block, r->op);
    if (code == VN_OK && torch.copy(block, call->in[1]->t, 0)) code = failed(r->op);
    if (block) torch.drop(block);
    if (code) buffer_release(z);
    else call->out[0] = z;
    return code;
}

/* The kinds of rows. UNARY: a torch op of one input, whose in-place form has a trailing underscore. SAVE: the same, but for the dtypes
 * in `same` the result is the input. BINARY: a torch op of two inputs. CALL: any torch op, with its overload and arguments. FIX: a kernel
 * of arithmetic.c around that op. WITH: the same with options. STEPS: a kernel of several ops, of that family. LOCAL: the kernel needs no
 * dispatcher op. ADD and MUL: the kernels above of that name. */
/* clang-format off */
#define UNARY(op_, dtypes_, name) \
    {.op = op_, .dtypes = dtypes_, .kernel = plain, .fresh = {name, "", "0"}, .in_place = {name "_", "", "0>x"}}
#define SAVE(op_, name, same_) \
    {.op = op_, .dtypes = VN_REAL, .kernel = plain, .fresh = {name, "", "0"}, .in_place = {name "_", "", "0>x"}, .same = same_}
#define BINARY(op_, name, overload, overload_in_place) \
    {.op = op_, .dtypes = VN_FLOATS, .kernel = plain, .fresh = {name, overload, "01"}, .in_place = {name "_", overload_in_place, "01>x"}}
#define CALL(op_, dtypes_, kernel_, name, overload, arguments) \
    {.op = op_, .dtypes = dtypes_, .kernel = kernel_, .fresh = {name, overload, arguments}}
#define FIX(op_, dtypes_, kernel_, name, overload, arguments) \
    {.op = op_, .dtypes = dtypes_, .kernel = kernel_, .fresh = {name, overload, arguments}, .needs = &arithmetic}
#define WITH(op_, dtypes_, kernel_, options_, name, overload, arguments) \
    {.op = op_, .dtypes = dtypes_, .kernel = kernel_, .fresh = {name, overload, arguments}, .needs = &arithmetic, .options = options_}
#define LOCAL(op_, ...) {.op = op_, .dtypes = VN_ANY, .kernel = __VA_ARGS__}
#define STEPS(op_, dtypes_, kernel_, ...) {.op = op_, .dtypes = dtypes_, .kernel = kernel_, .needs = &__VA_ARGS__}
#define ADD(op_, alpha_, sign, commutes_) \
    {.op = op_, .dtypes = VN_NUMERIC, .kernel = add, .fresh = {"aten::_foreach_addcmul", "Tensor", "[0][1][u]" sign ">L"}, \
     .in_place = {"aten::_foreach_addcmul_", "Tensor", "[0][1][u]" sign ">"}, .commutes = commutes_, .alpha = alpha_, \
     .needs = &complex_numbers}
#define MUL(op_, arguments, commutes_) \
    {.op = op_, .dtypes = VN_NUMERIC, .kernel = mul, .in_place = {"aten::mul_", "Tensor", arguments ">x"}, .commutes = commutes_}

#define FULL_FLOATS (VN_BIT(VN_F32) | VN_BIT(VN_F64)) /* the core passes half precision as float32 to these */
#define PRECISE (FULL_FLOATS | VN_COMPLEX)

static const recipe recipes[] = {
    ADD("add", 1, "+", true),
    ADD("sub", -1, "-", false),
    MUL("mul", "01", true),
    MUL("square", "00", false),
    BINARY("div", "aten::div", "Tensor", "Tensor"),
    BINARY("pow", "aten::pow", "Tensor_Tensor", "Tensor"),
    BINARY("atan2", "aten::atan2", "", ""),
    FIX("floor_divide", VN_REAL, floor_divide, "aten::floor_divide", "", "01"),
    FIX("remainder", VN_REAL, remainder_by, "aten::remainder", "Tensor", "01"),
    FIX("maximum", VN_REAL, ordered, "aten::maximum", "", "01"),
    FIX("minimum", VN_REAL, ordered, "aten::minimum", "", "01"),
    {.op = "neg", .dtypes = VN_NUMERIC, .kernel = negated, .fresh = {"aten::neg", "", "0"}, .in_place = {"aten::neg_", "", "0>x"},
     .needs = &complex_numbers},
    {.op = "abs", .dtypes = VN_NUMERIC, .kernel = absolute, .fresh = {"aten::abs", "", "0"}, .in_place = {"aten::abs_", "", "0>x"},
     .same = VN_UNSIGNED, .needs = &complex_numbers},
    FIX("sign", VN_REAL, sign, "aten::sign", "", "0"),
    SAVE("floor", "aten::floor", VN_INTS),
    SAVE("ceil", "aten::ceil", VN_INTS),
    SAVE("trunc", "aten::trunc", VN_INTS),
    SAVE("round", "aten::round", VN_INTS),
    UNARY("sqrt", VN_INEXACT, "aten::sqrt"),
    UNARY("exp", VN_INEXACT, "aten::exp"),
    {.op = "expm1", .dtypes = VN_INEXACT, .kernel = exp_less_1, .fresh = {"aten::expm1", "", "0"}, .in_place = {"aten::expm1_", "", "0>x"},
     .needs = &complex_numbers},
    UNARY("log", VN_INEXACT, "aten::log"),
    UNARY("log1p", VN_FLOATS, "aten::log1p"),
    UNARY("log2", VN_INEXACT, "aten::log2"),
    UNARY("log10", VN_INEXACT, "aten::log10"),
    UNARY("sin", VN_INEXACT, "aten::sin"),
    UNARY("cos", VN_INEXACT, "aten::cos"),
    {.op = "tan", .dtypes = VN_INEXACT, .kernel = tangent, .fresh = {"aten::tan", "", "0"}, .in_place = {"aten::tan_", "", "0>x"},
     .needs = &complex_numbers},
    UNARY("asin", VN_INEXACT, "aten::asin"),
    UNARY("acos", VN_FLOATS, "aten::acos"),
    UNARY("atan", VN_INEXACT, "aten::atan"),
    FIX("sinh", VN_INEXACT, hyperbolic, "aten::sinh", "", "0"),
    FIX("cosh", VN_INEXACT, hyperbolic, "aten::cosh", "", "0"),
    {.op = "tanh", .dtypes = VN_INEXACT, .kernel = hyperbolic_tangent, .fresh = {"aten::tanh", "", "0"},
     .in_place = {"aten::tanh_", "", "0>x"}, .needs = &complex_numbers},
    UNARY("asinh", VN_INEXACT, "aten::asinh"),
    UNARY("acosh", VN_INEXACT, "aten::acosh"),
    UNARY("atanh", VN_INEXACT, "aten::atanh"),
    FIX("erf", VN_FLOATS, wide_half, "aten::erf", "", "0"),
    UNARY("sigmoid", VN_FLOATS, "aten::sigmoid"),
    CALL("bitwise_and", VN_BIT(VN_BOOL) | VN_INTS, plain, "aten::bitwise_and", "Tensor", "01"),
    CALL("bitwise_or", VN_BIT(VN_BOOL) | VN_INTS, plain, "aten::bitwise_or", "Tensor", "01"),
    CALL("bitwise_xor", VN_BIT(VN_BOOL) | VN_INTS, plain, "aten::bitwise_xor", "Tensor", "01"),
    CALL("bitwise_left_shift", VN_INTS, plain, "aten::bitwise_left_shift", "Tensor", "01"),
    FIX("bitwise_right_shift", VN_INTS, right_shift, "aten::bitwise_right_shift", "Tensor", "01"),
    FIX("signbit", VN_ANY, sign_bit, "aten::signbit", "", "0"),
    {.op = "nextafter", .dtypes = VN_FLOATS, .kernel = next_after, .fresh = {"aten::nextafter", "", "01"}, .needs = &special_functions},
    STEPS("polygamma", VN_FLOATS, polygamma, special_functions, .options = "order"),
    FIX("lgamma", VN_FLOATS, wide_half, "aten::lgamma", "", "0"),
    FIX("erfc", VN_FLOATS, wide_half, "aten::erfc", "", "0"),
    FIX("erfinv", VN_FLOATS, wide_half, "aten::erfinv", "", "0"),
    FIX("i0e", VN_FLOATS, wide_half, "aten::special_i0e", "", "0"),
    FIX("i1e", VN_FLOATS, wide_half, "aten::special_i1e", "", "0"),
    FIX("hypot", VN_FLOATS, wide_half, "aten::hypot", "", "01"),
    FIX("logaddexp", VN_FLOATS, in_f64, "aten::logaddexp", "", "01"),
    FIX("logaddexp2", VN_FLOATS, in_f64, "aten::logaddexp2", "", "01"),
    FIX("frexp", VN_FLOATS, mantissa_and_exponent, "aten::frexp", "Tensor", "0>TT"),
    WITH("nan_to_num", VN_FLOATS, finite_numbers, "nan, posinf, neginf", "aten::nan_to_num", "", "0?r?r?r"),
    CALL("fmax", VN_FLOATS, plain, "aten::fmax", "", "01"),
    CALL("fmin", VN_FLOATS, plain, "aten::fmin", "", "01"),
    CALL("equal", VN_ANY, plain, "aten::eq", "Tensor", "01"),
    CALL("not_equal", VN_ANY, plain, "aten::ne", "Tensor", "01"),
    FIX("less", VN_ORDERED, ordered, "aten::lt", "Tensor", "01"),
    FIX("less_equal", VN_ORDERED, ordered, "aten::le", "Tensor", "01"),
    FIX("greater", VN_ORDERED, ordered, "aten::gt", "Tensor", "01"),
    FIX("greater_equal", VN_ORDERED, ordered, "aten::ge", "Tensor", "01"),
    CALL("isnan", VN_ANY, plain, "aten::isnan", "", "0"),
    CALL("isinf", VN_ANY, plain, "aten::isinf", "", "0"),
    CALL("isfinite", VN_ANY, plain, "aten::isfinite", "", "0"),
    CALL("matmul", VN_NUMERIC, plain, "aten::matmul", "", "01"),
    WITH("sum", VN_ANY, sum, "axes, keepdims", "aten::sum", "dim_IntList", "0?Ii?D"),
    WITH("nansum", FULL_FLOATS, sum_of_numbers, "axes, keepdims", "aten::sum", "dim_IntList", "0?Ii?D"),
    WITH("max", VN_REAL, extreme, "axes, keepdims", "aten::amax", "", "0Ii"),
    WITH("min", VN_REAL, extreme, "axes, keepdims", "aten::amin", "", "0Ii"),
    {.op = "cumulative_sum", .dtypes = VN_NUMERIC, .kernel = running_sum_of_any, .fresh = {"aten::cumsum", "", "0i?D"},
     .needs = &complex_numbers, .options = "axis, reverse"},
    WITH("cummax", VN_REAL, running_extreme, "axis, reverse", "aten::cummax", "", "0i>TT"),
    WITH("cummin", VN_REAL, running_extreme, "axis, reverse", "aten::cummin", "", "0i>TT"),
    STEPS("logcumsumexp", VN_FLOATS, running_exponentials, arithmetic, .options = "axis, reverse"),
    WITH("softmax", VN_FLOATS, wide_half, "axis", "aten::_softmax", "", "0if"),
    WITH("log_softmax", VN_FLOATS, wide_half, "axis", "aten::_log_softmax", "", "0if"),
    WITH("logsumexp", VN_FLOATS, wide_half, "axes, keepdims", "aten::logsumexp", "", "0Ii"),
    STEPS("softmax_backward", FULL_FLOATS, softmax_backward, row_functions, .options = "axis, log"),
    STEPS("layer_norm", VN_FLOATS, layer_norm, row_functions, .options = "axes, epsilon"),
    UNARY("relu", VN_FLOATS, "aten::relu"),
    UNARY("selu", VN_BIT(VN_F32) | VN_BIT(VN_F64), "aten::selu"),
    STEPS("gelu", VN_BIT(VN_F32), gelu, gelu_functions, .options = "approximate"),
    FIX("silu", VN_FLOATS, wide_half, "aten::silu", "", "0"),
    FIX("mish", VN_FLOATS, wide_half, "aten::mish", "", "0"),
    FIX("hardsigmoid", VN_FLOATS, wide_half, "aten::hardsigmoid", "", "0"),
    FIX("hardswish", VN_FLOATS, hardswish, "aten::hardswish", "", "0"),
    STEPS("huber_loss", FULL_FLOATS, huber_loss, losses, .options = "delta, reduction"),
    STEPS("smooth_l1_loss", FULL_FLOATS, smooth_l1_loss, losses, .options = "beta, reduction"),
    STEPS("nll_loss", FULL_FLOATS, nll_loss, losses, .options = "axis, ignore_index, reduction"),
    STEPS("where", VN_ANY, where, selection),
    WITH("flip", VN_ANY, plain, "axes", "aten::flip", "", "0I"),
    CALL("complex", VN_INEXACT, plain, "aten::complex", "", "01"),
    STEPS("real", VN_INEXACT, real_part, complex_numbers),
    STEPS("imag", VN_INEXACT, imaginary_part, complex_numbers),
    CALL("conj", VN_COMPLEX, plain, "aten::conj_physical", "", "0"),
    STEPS("cast", VN_ANY, cast, arithmetic),
    LOCAL("reshape", reshape),
    LOCAL("broadcast_to", broadcast_to),
    LOCAL("permute_dims", permute_dims, .options = "axes"),
    LOCAL("slice", slice),
    LOCAL("slice_set", slice_set),
    LOCAL("stride", stride, .options = "steps"),
    WITH("concat", VN_ANY, plain, "axis", "aten::cat", "", "[*]i"),
    STEPS("take", VN_ANY, take, indexing, .options = "axis"),
    STEPS("index_add", VN_REAL, index_add, indexing, .options = "axis"),
    STEPS("bincount", VN_INTS, bincount, indexing, .options = "length"),
    STEPS("index_set", VN_ANY, index_set, indexing, .options = "axis"),
    WITH("argsort", VN_ANY, argsort, "axis, descending", "aten::sort", "stable", "0?tii>xT"),
    STEPS("topk", VN_ORDERED, topk, selecting, .options = "k, axis, smallest"),
    STEPS("median", FULL_FLOATS, median, selecting, .options = "axes"),
    STEPS("quantile", FULL_FLOATS, quantile, selecting, .options = "axes"),
    STEPS("segment_max", VN_REAL, segment_extreme, selecting, .alpha = 1),
    STEPS("segment_min", VN_REAL, segment_extreme, selecting, .alpha = -1),
    STEPS("searchsorted", VN_ANY, searchsorted, indexing, .options = "right"),
    STEPS("cholesky", PRECISE, cholesky, linear_algebra),
    STEPS("solve_triangular", PRECISE, solve_triangular, linear_algebra, .options = "upper, transpose, unit"),
    STEPS("solve", PRECISE, solve, linear_algebra),
    STEPS("lu_factor", PRECISE, lu_factor, linear_algebra),
    STEPS("qr", PRECISE, qr, linear_algebra),
    STEPS("eigh", PRECISE, eigh, linear_algebra),
    STEPS("eig_unordered", PRECISE, eig_unordered, linear_algebra),
    STEPS("svd", PRECISE, svd, linear_algebra),
    STEPS("cdist", FULL_FLOATS, distances, linear_algebra, .options = "p"),
    STEPS("dft", VN_COMPLEX, dft, transforms, .options = "norm, axis, inverse"),
    STEPS("rdft", FULL_FLOATS | VN_COMPLEX, rdft, transforms, .options = "norm"),
    STEPS("irdft", FULL_FLOATS | VN_COMPLEX, irdft, transforms, .options = "norm, n"),
    STEPS("conv", VN_REAL, conv_forward, convolution, .options = "strides, pads, dilations, groups"),
    STEPS("conv_input", VN_REAL, conv_input, convolution, .options = "strides, pads, dilations, groups"),
    STEPS("conv_filter", VN_REAL, conv_filter, convolution, .options = "strides, pads, dilations, groups"),
    STEPS("max_pool", VN_REAL, max_pool, pooling, .options = "strides, pads, dilations, window"),
    STEPS("max_pool_backward", VN_REAL, max_pool_backward, pooling, .options = "strides, pads, dilations, window"),
    STEPS("sum_pool", VN_REAL, sum_pool, pooling, .options = "strides, pads, dilations, window"),
    STEPS("sum_pool_backward", VN_REAL, sum_pool_backward, pooling, .options = "strides, pads, dilations, window"),
    STEPS("grid_sample", FULL_FLOATS, grid_sample, sampling, .options = "align_corners, data_format"),
    STEPS("attention", VN_FLOATS | VN_BIT(VN_BOOL), attention, attending, .options = "scale, causal"),
    STEPS("attention_backward", VN_FLOATS | VN_BIT(VN_BOOL), attention_backward, attending, .options = "scale, causal"),
    STEPS("lstm_sequence", FULL_FLOATS, lstm_sequence, recurrence, .options = "reverse"),
    STEPS("lstm_backward", FULL_FLOATS, lstm_backward, recurrence, .options = "reverse"),
    STEPS("gru_sequence", FULL_FLOATS, gru_sequence, recurrence, .options = "reverse"),
    STEPS("gru_backward", FULL_FLOATS, gru_backward, recurrence, .options = "reverse"),
    STEPS("adam_apply", FULL_FLOATS, adam_apply, optimizing, .options = "beta1, beta2, epsilon"),
};
/* clang-format on */
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

vn_kernel_row rows[RECIPES + 1];

/* The kernel of every row. */
static int run(const vn_kernel_call *call)
{
    const recipe *r = call->instr->row->data;
    int before = take_threads();
    int code = r->kernel(call, r);
    give_threads_back(before);
    return code;
}

/* Valid arguments for checking whether the recipe's op exists: torch takes milliseconds to format an error. */
static probe probe_of(const recipe *r)
{
    int32_t dtype = r->dtypes & VN_BIT(VN_BOOL) && r->kernel == plain ? VN_BOOL : r->dtypes & VN_FLOATS ? VN_F32 : VN_I32;
    return (probe){.dtype = dtype};
}

/* A family that needs another one's ops is missing whatever that one is missing. */
static void find_missing(void)
{
    static family *const families[] = {&arithmetic, &indexing,          &convolution,     &pooling,       &recurrence, &linear_algebra,
                                       &attending,  &special_functions, &complex_numbers, &row_functions, &optimizing, &gelu_functions,
                                       &transforms, &selection,         &selecting,       &losses,        &sampling};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        family *f = families[i];
        f->missing = arithmetic.missing;
        for (int k = 0; k < f->n && !f->missing; k++)
            if (is_missing(f->helpers[k].op, &f->helpers[k].arrays)) f->missing = f->helpers[k].op;
    }
}

void fill_rows(void)
{
    int n = 0;
    int before = take_threads();
    find_missing();
    for (int i = 0; i < RECIPES; i++) {
        const recipe *r = &recipes[i];
        const torch_op *missing = r->needs ? r->needs->missing : NULL;
        const probe p = probe_of(r);
        if (is_missing(&r->fresh, &p)) missing = &r->fresh;
        else if (is_missing(&r->in_place, &p)) missing = &r->in_place;
        if (missing) {
            host->log("torch: PyTorch %s has no %s, overload \"%s\", so %s is left to the native kernel", library_version(NULL),
                      missing->name, missing->overload, r->op);
            continue;
        }
        rows[n++] = (vn_kernel_row){r->op, r->dtypes, run, NULL, r, r->options};
    }
    give_threads_back(before);
    memset(&rows[n], 0, sizeof rows[n]);
}

void clear_rows(void)
{
    memset(rows, 0, sizeof rows);
}
