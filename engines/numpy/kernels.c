/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: the kernel table, one row per op, and the families that compute them.
 *
 * A row names a function of NumPy ("add", "add.reduce") or of the .py files, and the family that calls it. The families here allocate
 * the result from its desc and have NumPy write into it, so shape and dtype are exact, 0-d results stay arrays, and an input for which
 * np_dies holds is overwritten. */
#include "numpy_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_RESULTS = 8 };

static PyObject *empty_like(const vn_desc *desc)
{
    return vn_nd_empty(desc->dtype, desc->rank, desc->dims);
}

static int same_desc(const vn_desc *a, const vn_desc *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

int np_dies(const vn_kernel_call *call, int k)
{
    return call->dying[k] && atomic_load(&call->in[k]->refs) == 1 && vn_nd_sole(np_array_in(call, k));
}

/* For one element a new array is faster, because NumPy's overlap check is slow. */
PyObject *np_place(const vn_kernel_call *call)
{
    for (int k = 0; k < call->instr->n_in && np_desc_out(call)->count > 1; k++) {
        if (!same_desc(np_desc_in(call, k), np_desc_out(call)) || !np_dies(call, k)) continue;
        py.Py_IncRef(np_array_in(call, k));
        return np_array_in(call, k);
    }
    return empty_like(np_desc_out(call));
}

/* Calls function(args...), whose last argument is the output; steals that reference and returns it, or NULL. */
static PyObject *call_into(PyObject *function, PyObject **args, size_t n, PyObject *result)
{
    PyObject *done = result ? py.PyObject_Vectorcall(function, args, n, NULL) : NULL;
    if (!done) {
        vn_python_drop(result);
        return NULL;
    }
    py.Py_DecRef(done);
    return result;
}

/* Input k as the result, with a new reference. */
static int pass_on(const vn_kernel_call *call, int k, PyObject **out)
{
    out[0] = np_array_in(call, k);
    py.Py_IncRef(out[0]);
    return 0;
}

PyObject *np_as_dtype(PyObject *array, int32_t dtype, int32_t rank, const int64_t *dims)
{
    PyObject *made = vn_nd_empty(dtype, rank, dims);
    if (!made || !vn_nd_copy(made, array)) return made;
    py.Py_DecRef(made);
    return NULL;
}

/* ---- families that compute ---------------------------------------------------------------------------------------------------- */

static PyObject *out_keyword; /* ("out",) */

/* Any elementwise ufunc: f(x, y, ..., out=...). For maximum and minimum NumPy wants `out` as a keyword. */
static int elementwise(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *args[NP_MAX_IN + 1];
    int n = call->instr->n_in;
    for (int k = 0; k < n; k++) args[k] = np_array_in(call, k);
    args[n] = np_place(call);
    PyObject *done = args[n] ? py.PyObject_Vectorcall(function, args, (size_t)n, out_keyword) : NULL;
    if (done) out[0] = args[n];
    else vn_python_drop(args[n]);
    vn_python_drop(done);
    return done ? 0 : -1;
}

/* Rounding: integers are returned unchanged; NumPy would convert them to floats. */
static int rounding(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    if (VN_BIT(np_desc_out(call)->dtype) & VN_INTS) return pass_on(call, 0, out);
    return elementwise(call, function, out);
}

/* Casts a float32 result to the dtype of z; steals the reference; NULL for NULL. */
static PyObject *narrowed(PyObject *wide, const vn_desc *z)
{
    PyObject *result = wide ? np_as_dtype(wide, z->dtype, z->rank, z->dims) : NULL;
    vn_python_drop(wide);
    return result;
}

/* f(x, y, ..., out) on half precision, in float32 and rounded once. */
static PyObject *in_float32(const vn_kernel_call *call, PyObject *function)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *args[NP_MAX_IN + 1], *wide = NULL;
    int n = call->instr->n_in, made = 0;
    while (made < n &&
           (args[made] = np_as_dtype(np_array_in(call, made), VN_F32, np_desc_in(call, made)->rank, np_desc_in(call, made)->dims)))
        made++;
    if (made == n) {
        args[n] = vn_nd_empty(VN_F32, z->rank, z->dims);
        wide = call_into(function, args, (size_t)n + 1, args[n]);
    }
    while (made-- > 0) py.Py_DecRef(args[made]);
    return narrowed(wide, z);
}

/* f(x, y, ..., out) into a new array, for functions that must not overwrite their inputs, or that handle half precision themselves:
 * matmul and those of composed.py. */
static int widened(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *args[NP_MAX_IN + 1];
    int n = call->instr->n_in;
    if (np_is_half(np_desc_out(call)->dtype)) {
        out[0] = in_float32(call, function);
    } else {
        for (int k = 0; k < n; k++) args[k] = np_array_in(call, k);
        args[n] = empty_like(np_desc_out(call));
        out[0] = call_into(function, args, (size_t)n + 1, args[n]);
    }
    return out[0] ? 0 : -1;
}

/* The function of composed.py that replaces NumPy's for complex numbers. */
static PyObject *complex_function(const vn_kernel_call *call)
{
    char name[64];
    snprintf(name, sizeof name, "complex_%s", call->instr->op);
    return np_script(name);
}

/* Elementwise ufuncs that are not accurate enough for complex numbers. */
static int by_kind(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    if (!(VN_BIT(np_desc_out(call)->dtype) & VN_COMPLEX)) return elementwise(call, function, out);
    function = np_prepared(call, complex_function);
    return function ? widened(call, function, out) : -1;
}

/* sign: in float32 for half precision (bfloat16: -0 for -0). */
static int half_widened(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    return np_is_half(np_desc_out(call)->dtype) ? widened(call, function, out) : by_kind(call, function, out);
}

PyObject *np_prepared(const vn_kernel_call *call, PyObject *(*make)(const vn_kernel_call *call))
{
    void *expected = NULL;
    vn_buf *kept = __atomic_load_n(call->prepared, __ATOMIC_ACQUIRE);
    if (kept) return kept->object;
    kept = vn_python_buf(make(call));
    if (!kept) return NULL;
    if (__atomic_compare_exchange_n(call->prepared, &expected, kept, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return kept->object;
    vn_python_release(kept); /* another thread was first */
    return ((vn_buf *)expected)->object;
}

enum { AXES, KEEPDIMS }; /* options of a reduction */

static PyObject *make_axes(const vn_kernel_call *call)
{
    return vn_python_ints(call->instr->options[AXES].u.is, call->instr->options[AXES].n);
}

/* ufunc.reduce(x, axes, dtype, out, keepdims) in a dtype. */
static int reduce_in(int32_t dtype, const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *axes = np_prepared(call, make_axes);
    PyObject *keep = axes ? py.PyBool_FromLong(call->instr->options[KEEPDIMS].u.i != 0) : NULL;
    if (!keep) return -1;
    PyObject *args[5] = {np_array_in(call, 0), axes, vn_nd_dtype(dtype), vn_nd_empty(dtype, z->rank, z->dims), keep};
    out[0] = call_into(function, args, 5, args[3]);
    py.Py_DecRef(keep);
    if (dtype != z->dtype) out[0] = narrowed(out[0], z);
    return out[0] ? 0 : -1;
}

static int32_t no_half(int32_t dtype)
{
    return np_is_half(dtype) ? VN_F32 : dtype;
}

static int reduce(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    return reduce_in(no_half(np_desc_out(call)->dtype), call, function, out);
}

enum { LONG_CHAIN = 1 << 16 };

/* The length of sequential additions: NumPy sums pairwise along the contiguous axis, sequentially along others. */
static int64_t chain_of(const vn_kernel_call *call)
{
    const vn_ndarray *x = vn_nd(np_array_in(call, 0));
    const vn_option *axes = &call->instr->options[AXES];
    int64_t n = 1;
    for (int32_t k = 0; k < axes->n; k++) {
        const int64_t axis = axes->u.is[k];
        if (x->strides[axis] != np_item_bytes(np_desc_in(call, 0)->dtype)) n *= x->dims[axis];
    }
    return n;
}

/* Long sequential sums of floats use float64; otherwise half precision uses float32. */
static int sum(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const int32_t dtype = np_desc_out(call)->dtype;
    if (!(VN_BIT(dtype) & VN_INEXACT) || chain_of(call) <= LONG_CHAIN) return reduce_in(no_half(dtype), call, function, out);
    return reduce_in(VN_BIT(dtype) & VN_COMPLEX ? VN_C128 : VN_F64, call, function, out);
}

/* cast(x); float64 to bfloat16, which ml_dtypes rounds twice, and floats to integers go through composed.py. */
static int cast(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    const int32_t from = np_desc_in(call, 0)->dtype;
    if (from == z->dtype) return pass_on(call, 0, out);
    if ((from == VN_F64 && z->dtype == VN_BF16) || (VN_BIT(from) & VN_FLOATS && VN_BIT(z->dtype) & VN_INTS)) {
        PyObject *args[2] = {np_array_in(call, 0), empty_like(z)};
        out[0] = call_into(function, args, 2, args[1]);
    } else {
        out[0] = np_as_dtype(np_array_in(call, 0), z->dtype, z->rank, z->dims);
    }
    return out[0] ? 0 : -1;
}

enum { AXIS, REVERSE }; /* options */

/* ufunc.accumulate(x, axis, dtype, out). Reverse means forward over the reversed axis. Floats are
 * accumulated in float64, so that a long axis loses no digits. */
static int accumulate(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    const int64_t axis = call->instr->options[AXIS].u.i;
    const int32_t n_reversed = call->instr->options[REVERSE].u.i != 0;
    const int32_t dtype = VN_BIT(z->dtype) & VN_FLOATS ? VN_F64 : z->dtype == VN_C64 ? VN_C128 : z->dtype;
    PyObject *result = vn_nd_empty(dtype, z->rank, z->dims);
    PyObject *x = result ? np_reversed(np_array_in(call, 0), &axis, n_reversed) : NULL;
    PyObject *into = x ? np_reversed(result, &axis, n_reversed) : NULL;
    PyObject *number = into ? py.PyLong_FromLongLong(axis) : NULL;
    PyObject *args[4] = {x, number, vn_nd_dtype(dtype), into};
    PyObject *done = number ? py.PyObject_Vectorcall(function, args, 4, NULL) : NULL;
    if (!done) {
        vn_python_drop(result);
        result = NULL;
    }
    vn_python_drop(done);
    vn_python_drop(number);
    vn_python_drop(into);
    vn_python_drop(x);
    out[0] = dtype != z->dtype ? narrowed(result, z) : result;
    return out[0] ? 0 : -1;
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *op;
    uint32_t dtypes;
    np_family family;
    const char *function; /* in the .py files or numpy, or NULL */
    const char *options;  /* that it reads; a function of the .py files gets them first */
} row;

#define FULL_FLOATS (VN_BIT(VN_F32) | VN_BIT(VN_F64)) /* the core gives half precision as float32 to these */

static const row rows[] = {
    {"add", VN_NUMERIC, elementwise, "add", NULL},
    {"sub", VN_NUMERIC, elementwise, "subtract", NULL},
    {"mul", VN_NUMERIC, elementwise, "multiply", NULL},
    {"div", VN_INEXACT, by_kind, "divide", NULL},
    {"floor_divide", VN_REAL, widened, "floor_divide", NULL},
    {"remainder", VN_REAL, elementwise, "remainder", NULL},
    {"pow", VN_INEXACT, elementwise, "power", NULL},
    {"maximum", VN_REAL, elementwise, "maximum", NULL},
    {"minimum", VN_REAL, elementwise, "minimum", NULL},
    {"atan2", VN_FLOATS, elementwise, "arctan2", NULL},
    {"hypot", VN_FLOATS, widened, "hypot", NULL},
    {"fmax", VN_REAL, elementwise, "fmax", NULL},
    {"fmin", VN_REAL, elementwise, "fmin", NULL},
    {"frexp", VN_FLOATS, np_make_wide, "frexp", NULL},
    {"nan_to_num", FULL_FLOATS, np_make, "nan_to_num", "nan, posinf, neginf"},
    {"gcd", VN_BIT(VN_I64) | VN_BIT(VN_U64), elementwise, "gcd", NULL},
    {"cbrt", VN_FLOATS, elementwise, "cbrt", NULL},
    {"neg", VN_NUMERIC, elementwise, "negative", NULL},
    {"abs", VN_NUMERIC, elementwise, "absolute", NULL},
    {"sign", VN_NUMERIC, half_widened, "sign", NULL},
    {"square", VN_NUMERIC, elementwise, "square", NULL},
    {"sqrt", VN_INEXACT, elementwise, "sqrt", NULL},
    {"floor", VN_REAL, rounding, "floor", NULL},
    {"ceil", VN_REAL, rounding, "ceil", NULL},
    {"trunc", VN_REAL, rounding, "trunc", NULL},
    {"round", VN_REAL, rounding, "rint", NULL},
    {"exp", VN_INEXACT, elementwise, "exp", NULL},
    {"expm1", VN_INEXACT, by_kind, "expm1", NULL},
    {"log", VN_INEXACT, elementwise, "log", NULL},
    {"log1p", VN_INEXACT, by_kind, "log1p", NULL},
    {"log2", VN_INEXACT, elementwise, "log2", NULL},
    {"log10", VN_INEXACT, elementwise, "log10", NULL},
    {"sin", VN_INEXACT, elementwise, "sin", NULL},
    {"cos", VN_INEXACT, elementwise, "cos", NULL},
    {"tan", VN_INEXACT, by_kind, "tan", NULL},
    {"asin", VN_INEXACT, by_kind, "arcsin", NULL},
    {"acos", VN_INEXACT, elementwise, "arccos", NULL},
    {"atan", VN_INEXACT, elementwise, "arctan", NULL},
    {"sinh", VN_INEXACT, elementwise, "sinh", NULL},
    {"cosh", VN_INEXACT, elementwise, "cosh", NULL},
    {"tanh", VN_INEXACT, by_kind, "tanh", NULL},
    {"asinh", VN_INEXACT, by_kind, "arcsinh", NULL},
    {"acosh", VN_INEXACT, by_kind, "arccosh", NULL},
    {"atanh", VN_INEXACT, elementwise, "arctanh", NULL},
    {"sigmoid", VN_FLOATS, widened, "sigmoid", NULL},
    {"bitwise_and", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_and", NULL},
    {"bitwise_or", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_or", NULL},
    {"bitwise_xor", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_xor", NULL},
    {"bitwise_left_shift", VN_INTS, elementwise, "left_shift", NULL},
    {"bitwise_right_shift", VN_INTS, elementwise, "right_shift", NULL},
    {"signbit", VN_ANY, elementwise, "signbit", NULL},
    {"nextafter", VN_FLOATS, np_make, "nextafter", NULL}, /* NumPy's own, except for float16, where nextafter(0, -0) gives 0 */
    {"equal", VN_ANY, elementwise, "equal", NULL},
    {"not_equal", VN_ANY, elementwise, "not_equal", NULL},
    {"less", VN_ORDERED, elementwise, "less", NULL},
    {"less_equal", VN_ORDERED, elementwise, "less_equal", NULL},
    {"greater", VN_ORDERED, elementwise, "greater", NULL},
    {"greater_equal", VN_ORDERED, elementwise, "greater_equal", NULL},
    {"isnan", VN_ANY, elementwise, "isnan", NULL},
    {"isinf", VN_ANY, elementwise, "isinf", NULL},
    {"isfinite", VN_ANY, elementwise, "isfinite", NULL},
    {"matmul", VN_NUMERIC, widened, "matmul", NULL},
    {"sum", VN_ANY, sum, "add.reduce", "axes, keepdims"},
    {"max", VN_REAL, reduce, "maximum.reduce", "axes, keepdims"},
    {"min", VN_REAL, reduce, "minimum.reduce", "axes, keepdims"},
    {"cumulative_sum", VN_NUMERIC, accumulate, "add.accumulate", "axis, reverse"},
    {"where", VN_ANY, np_where, "where", NULL},
    {"flip", VN_ANY, np_flip, NULL, "axes"},
    {"reshape", VN_ANY, np_reshape, NULL, NULL},
    {"bitcast", VN_NUMERIC, np_bitcast, NULL, NULL},
    {"broadcast_to", VN_ANY, np_broadcast_to, NULL, NULL},
    {"permute_dims", VN_ANY, np_permute_dims, NULL, "axes"},
    {"slice", VN_ANY, np_slice, NULL, NULL},
    {"slice_set", VN_ANY, np_slice_set, NULL, NULL},
    {"stride", VN_ANY, np_stride, NULL, "steps"},
    {"cast", VN_ANY, cast, "cast", NULL},
    {"complex", VN_INEXACT, elementwise, "joined", NULL},
    {"real", VN_INEXACT, elementwise, "real_part", NULL},
    {"imag", VN_INEXACT, elementwise, "imaginary_part", NULL},
    {"conj", VN_COMPLEX, elementwise, "conjugate", NULL},
    {"concat", VN_ANY, np_make, "concat", "axis"},
    {"take", VN_ANY, np_make, "take", "axis"},
    {"index_add", VN_NUMERIC, np_put, "index_add", "axis"},
    {"index_set", VN_ANY, np_put, "index_set", "axis"},
    {"argsort", VN_ORDERED, np_make_wide, "argsort", "axis, descending"},
    {"sort", VN_ORDERED, np_make_wide, "sort", "axis, descending"},
    {"bincount", VN_INTS, np_make, "bincount", "length"},
    {"segment_max", VN_REAL, np_make_wide, "segment_max", "segments"},
    {"segment_min", VN_REAL, np_make_wide, "segment_min", "segments"},
    {"searchsorted", VN_ORDERED, np_make_wide, "searchsorted", "right"},
    {"cholesky", VN_INEXACT, np_make_wide, "cholesky", "upper"},
    {"solve_triangular", VN_INEXACT, np_make_wide, "solve_triangular", "upper, transpose, unit"},
    {"solve", VN_INEXACT, np_solve, "solve", NULL},
    {"qr", FULL_FLOATS | VN_COMPLEX, np_make, "qr", "complete"},
    {"lu_factor", FULL_FLOATS | VN_COMPLEX, np_make, "lu_factor", NULL},
    {"eigh", FULL_FLOATS | VN_COMPLEX, np_make, "eigh", NULL},
    {"eig_unordered", FULL_FLOATS | VN_COMPLEX, np_make, "eig_unordered", NULL},
    {"svd", FULL_FLOATS | VN_COMPLEX, np_make, "svd", NULL},
    {"dft", VN_COMPLEX, np_make, "dft", "axis, inverse, norm"},
    {"rdft", FULL_FLOATS | VN_COMPLEX, np_make, "rdft", "norm"},
    {"irdft", FULL_FLOATS | VN_COMPLEX, np_make, "irdft", "n, norm"},
    {"conv", VN_REAL, np_make_wide, "conv", "strides, pads, dilations, groups"},
    {"conv_input", VN_REAL, np_make_wide, "conv_input", "strides, pads, dilations, groups, size"},
    {"conv_filter", VN_REAL, np_make_wide, "conv_filter", "strides, pads, dilations, groups, size"},
    {"max_pool", VN_REAL, np_make_wide, "max_pool", "window, strides, pads, dilations"},
    {"max_pool_backward", VN_REAL, np_make_wide, "max_pool_backward", "window, strides, pads, dilations"},
    {"sum_pool", VN_REAL, np_make_wide, "sum_pool", "window, strides, pads, dilations"},
    {"sum_pool_backward", VN_REAL, np_make_wide, "sum_pool_backward", "window, strides, pads, dilations, size"},
    {"lstm_sequence", FULL_FLOATS, np_make, "lstm_sequence", "reverse"},
    {"lstm_backward", FULL_FLOATS, np_make, "lstm_backward", "reverse"},
    {"gru_sequence", FULL_FLOATS, np_make, "gru_sequence", "reverse"},
    {"gru_backward", FULL_FLOATS, np_make, "gru_backward", "reverse"},
    {"softmax", VN_FLOATS, np_make_wide, "softmax", "axis"},
    {"log_softmax", VN_FLOATS, np_make_wide, "log_softmax", "axis"},
    {"layer_norm", VN_FLOATS, np_make_wide, "layer_norm", "axes, epsilon"},
    {"cummax", VN_REAL, np_make_wide, "cummax", "axis, reverse"},
    {"cummin", VN_REAL, np_make_wide, "cummin", "axis, reverse"},
    {"logcumsumexp", VN_FLOATS, np_make_wide, "logcumsumexp", "axis, reverse"},
    {"attention", VN_FLOATS | VN_BIT(VN_BOOL), np_make_wide, "attention", "scale, causal"},
    {"attention_backward", VN_FLOATS | VN_BIT(VN_BOOL), np_make_wide, "attention_backward", "scale, causal"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A row with its function found. */
typedef struct bound {
    np_family family;
    PyObject *function;
    np_loops loops;
} bound;

static bound bounds[ROWS];
vn_kernel_row np_kernels[ROWS + 1];

enum { SMALL = 1024 }; /* bytes */

/* Writes the elements of a reshape, or of a broadcast single number; 0 if the call is neither. */
static int copy_small(const vn_kernel_call *call, np_family family, char *to)
{
    const vn_desc *x = np_desc_in(call, 0);
    const char *from = family == np_reshape || (family == np_broadcast_to && x->count == 1) ? np_plain(call->in[0]) : NULL;
    const int64_t bytes = x->count * np_item_bytes(x->dtype), end = np_desc_out(call)->count * np_item_bytes(x->dtype);
    for (int64_t done = 0; from && done < end; done += bytes) memcpy(to + done, from, (size_t)bytes);
    return from != NULL;
}

static int compute_small(const bound *b, const vn_kernel_call *call, void *to)
{
    np_loop_call loop;
    if (b->family == reduce) return np_fold(&b->loops, call, to);
    if (!np_loop_begin(&b->loops, call, &loop)) return copy_small(call, b->family, to);
    np_loop_end(&loop, to);
    return 1;
}

/* Fast path for a small result that an inner loop can compute or that is a copy: done without the interpreter, in a buffer without a Python
 * object, because the lock and the object would take most of the time. 0 if the call is not such a case. */
static int run_small(const vn_kernel_call *call)
{
    const vn_desc *z = np_desc_out(call);
    max_align_t room[SMALL / sizeof(max_align_t)];
    if (z->count > SMALL || z->count * np_item_bytes(z->dtype) > SMALL || !compute_small(call->instr->row->data, call, room)) return 0;
    const size_t bytes = (size_t)(z->count * np_item_bytes(z->dtype));
    vn_buf *made = vn_python_small_buf(bytes);
    if (!made) return 0;
    memcpy(made->small, room, bytes);
    call->out[0] = made;
    return 1;
}

int np_settle(vn_buf *buf, const vn_desc *desc)
{
    PyObject *expected = NULL;
    if (__atomic_load_n(&buf->object, __ATOMIC_ACQUIRE)) return 0;
    PyObject *made = empty_like(desc);
    if (!made) return -1;
    memcpy(vn_nd(made)->data, buf->small, (size_t)(desc->count * np_item_bytes(desc->dtype)));
    if (!__atomic_compare_exchange_n(&buf->object, &expected, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) py.Py_DecRef(made);
    return 0;
}

/* Calls the inner loop if possible, otherwise the row's family with NumPy's warnings off; -1 with the exception pending. */
static int compute(const vn_kernel_call *call, PyObject **made)
{
    const bound *b = call->instr->row->data;
    np_loop_call loop;
    PyObject *kept;
    for (int k = 0; k < call->instr->n_in; k++)
        if (np_settle(call->in[k], np_desc_in(call, k))) return -1;
    if (np_loop_begin(&b->loops, call, &loop)) {
        if (!(made[0] = np_place(call))) return -1;
        void *others = np_long_begin(call);
        np_loop_end(&loop, vn_nd(made[0])->data);
        np_long_end(others);
        return 0;
    }
    if (np_quiet_begin(&kept)) return -1;
    int failed = b->family(call, b->function, made);
    np_quiet_end(kept);
    return failed;
}

/* Creates buffers for n arrays, NULL for missing ones. Steals all references; -1 with the exception pending and none created. */
static int wrap(PyObject **made, int n, vn_buf **bufs)
{
    int done = 0;
    for (; done < n; done++) {
        bufs[done] = NULL;
        if (made[done] && !(bufs[done] = vn_python_buf(made[done]))) break;
    }
    if (done == n) return 0;
    for (int i = done + 1; i < n; i++) vn_python_drop(made[i]);
    while (done-- > 0) vn_python_release(bufs[done]);
    return -1;
}

/* NumPy's BLAS uses up to 4.7 MB of stack when threads share the LU of a matrix, from about 90 rows on. */
static int stack_suffices(const vn_kernel_call *call)
{
    enum { SHARED = 64, NEEDED = 6 << 20 };
    const vn_desc *a = np_desc_in(call, 0);
    return ((const bound *)call->instr->row->data)->family != np_solve || a->dims[a->rank - 1] < SHARED || np_host->stack_left() >= NEEDED;
}

/* The kernel of every row. */
static int run(const vn_kernel_call *call)
{
    const vn_instr *instr = call->instr;
    const int n = instr->n_out;
    if (run_small(call)) return VN_OK;
    if (!stack_suffices(call))
        return np_host->error(VN_E_ENGINE, "numpy: %s: NumPy needs 6 MB of stack for it, and this thread has %zu KB left", instr->op,
                              np_host->stack_left() >> 10);
    PyObject *few[FEW_RESULTS], **made = n > FEW_RESULTS ? malloc((size_t)n * sizeof *made) : few;
    int state, code = made ? vn_python_enter(&state) : np_host->error(VN_E_MEM, "numpy: %s: out of memory", instr->op);
    for (int i = 0; i < n && made; i++) made[i] = NULL;
    if (!code) {
        if (compute(call, made) || wrap(made, n, call->out)) code = vn_python_error(instr->op);
        vn_python_leave(state);
    }
    if (made != few) free(made);
    return code;
}

/* The dtypes for which a family only calls its ufunc, so that the ufunc's inner loop suffices. */
static uint32_t plain_dtypes(np_family family)
{
    if (family == elementwise) return VN_ANY;
    if (family == by_kind) return VN_ANY & ~VN_COMPLEX;
    if (family == rounding) return VN_FLOATS;
    if (family == reduce) return VN_ANY & ~VN_HALF;
    if (family == half_widened) return VN_ANY & ~(VN_COMPLEX | VN_HALF);
    return 0;
}

/* A row's function, in the .py files or in NumPy; NULL if neither has it. */
static PyObject *find(PyObject *numpy, const char *name)
{
    PyObject *function = np_script(name);
    if (!function) function = vn_python_attribute(numpy, name);
    if (!function) py.PyErr_Clear();
    return function;
}

/* The loops of a row's ufunc, or of the one whose reduction it is ("add.reduce"). */
static void find_loops(PyObject *numpy, const row *r, bound *b)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(r->function, "."), r->function);
    PyObject *ufunc = r->family == reduce ? find(numpy, name) : NULL;
    np_find_loops(ufunc ? ufunc : b->function, plain_dtypes(r->family), &b->loops);
    vn_python_drop(ufunc); /* NumPy keeps it, and its loops with it */
}

/* Fills the kernel table with the rows whose function is found. */
static void bind_rows(PyObject *numpy, uint32_t have)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        PyObject *function = rows[i].function ? find(numpy, rows[i].function) : NULL;
        if (rows[i].function && !function) {
            np_host->log("numpy: this version has no %s, so %s is left out", rows[i].function, rows[i].op);
            continue;
        }
        vn_python_drop(bounds[n].function); /* of an earlier open */
        bounds[n] = (bound){rows[i].family, function, {{{0}}}};
        if (function) find_loops(numpy, &rows[i], &bounds[n]);
        np_kernels[n] = (vn_kernel_row){rows[i].op, rows[i].dtypes & have, run, NULL, &bounds[n], rows[i].options};
        n++;
    }
    np_kernels[n] = (vn_kernel_row){0};
}

/* Interned, because NumPy compares keyword names by address first. */
static int make_keyword(void)
{
    if (out_keyword) return 0;
    PyObject *word = py.PyUnicode_InternFromString("out");
    out_keyword = word ? py.PyTuple_New(1) : NULL;
    if (out_keyword) return py.PyTuple_SetItem(out_keyword, 0, word);
    vn_python_drop(word);
    return -1;
}

int np_bind(void)
{
    uint32_t have = 0;
    PyObject *numpy = py.PyImport_ImportModule("numpy");
    int failed = !numpy || make_keyword() || np_run_scripts();
    for (int32_t i = 1; i < VN_DTYPE_END; i++) have |= vn_nd_dtype(i) ? VN_BIT(i) : 0;
    if (!failed && !(have & VN_BIT(VN_BF16))) np_host->log("numpy: no bfloat16 (the package ml_dtypes is not installed)");
    if (!failed) bind_rows(numpy, have);
    vn_python_drop(numpy);
    return failed ? -1 : 0;
}
