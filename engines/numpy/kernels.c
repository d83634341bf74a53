/* kernels.c: the ops NumPy computes, one row each, and the families that compute them.
 *
 * A row names NumPy's function ("add", "add.reduce"), or one of composed.py, and the family that calls it. Families allocate the
 * result themselves from its desc and let NumPy write into it: shape and dtype are exact, 0-d results stay arrays, and an input that
 * dies is overwritten. */
#include "numpy_engine.h"

#include "composed_py.h"

#include <string.h>

enum { MOST_IN = 16, MOST_OUT = 8 };

/* Computes the results of one instruction into out, as new references; -1 with the exception pending. */
typedef int (*family)(const vn_kernel_call *call, PyObject *function, PyObject **out);

static const vn_desc *desc_in(const vn_kernel_call *call, int k)
{
    return &call->program->values[call->instr->in[k]];
}

static const vn_desc *desc_out(const vn_kernel_call *call)
{
    return &call->program->values[call->instr->out];
}

static PyObject *array_in(const vn_kernel_call *call, int k)
{
    return call->in[k]->object;
}

static PyObject *empty_like(const vn_desc *desc)
{
    return vn_nd_empty(desc->dtype, desc->rank, desc->dims);
}

static int same_desc(const vn_desc *a, const vn_desc *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

static int is_half(int32_t dtype)
{
    return (VN_BIT(dtype) & VN_HALVES) != 0;
}

/* Whether input k may be overwritten: it dies here, and no other buffer or view shares its memory. */
static int dies(const vn_kernel_call *call, int k)
{
    return call->dying >> k & 1 && atomic_load(&call->in[k]->refs) == 1 && vn_nd_sole(array_in(call, k));
}

/* Where an elementwise result goes: into a dying input of the same form, or a new array. For one element the new array is quicker:
 * there NumPy looks long for overlaps. */
static PyObject *place(const vn_kernel_call *call)
{
    for (int k = 0; k < call->instr->n_in && desc_out(call)->count > 1; k++) {
        if (!same_desc(desc_in(call, k), desc_out(call)) || !dies(call, k)) continue;
        py.Py_IncRef(array_in(call, k));
        return array_in(call, k);
    }
    return empty_like(desc_out(call));
}

/* Calls function(args...), whose last argument is also where it writes; takes that reference over and returns it, or NULL. */
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

/* The array of input k, as a result of its own. */
static int pass_on(const vn_kernel_call *call, int k, PyObject **out)
{
    out[0] = array_in(call, k);
    py.Py_IncRef(out[0]);
    return 0;
}

/* `array` in another dtype. */
static PyObject *as_dtype(PyObject *array, int32_t dtype, int32_t rank, const int64_t *dims)
{
    PyObject *made = vn_nd_empty(dtype, rank, dims);
    if (!made || !vn_nd_copy(made, array)) return made;
    py.Py_DecRef(made);
    return NULL;
}

/* ---- families that compute ---------------------------------------------------------------------------------------------------- */

/* Any elementwise ufunc: f(x, y, ..., out). */
static int elementwise(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *args[MOST_IN + 1];
    int n = call->instr->n_in;
    for (int k = 0; k < n; k++) args[k] = array_in(call, k);
    args[n] = place(call);
    out[0] = call_into(function, args, (size_t)n + 1, args[n]);
    return out[0] ? 0 : -1;
}

/* Rounding: integers are round already, and NumPy would make floats of them. */
static int rounding(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    if (VN_BIT(desc_out(call)->dtype) & VN_INTS) return pass_on(call, 0, out);
    return elementwise(call, function, out);
}

/* A result of float32 in the dtype of z; takes the reference over, and passes a NULL on. */
static PyObject *narrowed(PyObject *wide, const vn_desc *z)
{
    PyObject *result = wide ? as_dtype(wide, z->dtype, z->rank, z->dims) : NULL;
    vn_python_drop(wide);
    return result;
}

/* f(x, y, ..., out) on halves, in float32 and rounded once. */
static PyObject *in_float32(const vn_kernel_call *call, PyObject *function)
{
    const vn_desc *z = desc_out(call);
    PyObject *args[MOST_IN + 1], *wide = NULL;
    int n = call->instr->n_in, made = 0;
    while (made < n && (args[made] = as_dtype(array_in(call, made), VN_F32, desc_in(call, made)->rank, desc_in(call, made)->dims))) made++;
    if (made == n) {
        args[n] = vn_nd_empty(VN_F32, z->rank, z->dims);
        wide = call_into(function, args, (size_t)n + 1, args[n]);
    }
    while (made-- > 0) py.Py_DecRef(args[made]);
    return narrowed(wide, z);
}

/* f(x, y, ..., out) into a new array, for functions that may not overwrite their inputs, or that are wrong on halves by themselves:
 * matmul, sign (bfloat16: -0 for -0) and those of composed.py. */
static int widened(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *args[MOST_IN + 1];
    int n = call->instr->n_in;
    if (is_half(desc_out(call)->dtype)) {
        out[0] = in_float32(call, function);
    } else {
        for (int k = 0; k < n; k++) args[k] = array_in(call, k);
        args[n] = empty_like(desc_out(call));
        out[0] = call_into(function, args, (size_t)n + 1, args[n]);
    }
    return out[0] ? 0 : -1;
}

/* where(condition, x, y), which makes its result itself: x and y have one dtype, so it is theirs, and the shape is the broadcast one. */
static int where(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *args[3] = {array_in(call, 0), array_in(call, 1), array_in(call, 2)};
    out[0] = py.PyObject_Vectorcall(function, args, 3, NULL);
    return out[0] ? 0 : -1;
}

/* The option's ints as a tuple, made once per instruction and kept in `prepared`. Borrowed from there. */
static PyObject *prepared_ints(const vn_kernel_call *call, const vn_option *option)
{
    void *expected = NULL;
    vn_buf *kept = __atomic_load_n(call->prepared, __ATOMIC_ACQUIRE);
    if (kept) return kept->object;
    kept = vn_python_buf(vn_python_ints(option->u.is, option->n));
    if (!kept) return NULL;
    if (__atomic_compare_exchange_n(call->prepared, &expected, kept, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return kept->object;
    vn_python_release(kept); /* another thread was first */
    return ((vn_buf *)expected)->object;
}

/* ufunc.reduce(x, axes, dtype, out, keepdims); options axes, keepdims. Halves are accumulated in float32. */
static int reduce(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    int32_t dtype = is_half(z->dtype) ? VN_F32 : z->dtype;
    PyObject *axes = prepared_ints(call, &call->instr->options[0]);
    PyObject *keep = axes ? py.PyBool_FromLong(call->instr->options[1].u.i != 0) : NULL;
    if (!keep) return -1;
    PyObject *args[5] = {array_in(call, 0), axes, vn_nd_dtype(dtype), vn_nd_empty(dtype, z->rank, z->dims), keep};
    out[0] = call_into(function, args, 5, args[3]);
    py.Py_DecRef(keep);
    if (dtype != z->dtype) out[0] = narrowed(out[0], z);
    return out[0] ? 0 : -1;
}

static int cast(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    (void)function;
    if (desc_in(call, 0)->dtype == z->dtype) return pass_on(call, 0, out);
    out[0] = as_dtype(array_in(call, 0), z->dtype, z->rank, z->dims);
    return out[0] ? 0 : -1;
}

/* ---- families that only look differently at the same memory -------------------------------------------------------------------- */

static void row_major(int32_t rank, const int64_t *dims, int64_t item, int64_t *strides)
{
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = item;
        item *= dims[i] > 1 ? dims[i] : 1;
    }
}

static int64_t item_bytes(int32_t dtype)
{
    static const int8_t bytes[VN_DTYPE_COUNT] = {
#define VN__X(id, number, name, size) [id] = size,
        VN_DTYPES(VN__X)
#undef VN__X
    };
    return bytes[dtype];
}

/* A row-major copy of x, to be looked at in the shape of z. */
static PyObject *reshaped_copy(PyObject *x, const vn_desc *from, const vn_desc *z)
{
    int64_t strides[VN_MAX_RANK];
    PyObject *result = empty_like(z);
    row_major(from->rank, from->dims, item_bytes(from->dtype), strides);
    PyObject *inside = result ? vn_nd_view(result, vn_nd(result)->data, from->rank, from->dims, strides, 1) : NULL;
    int failed = !inside || vn_nd_copy(inside, x);
    vn_python_drop(inside);
    if (!failed) return result;
    vn_python_drop(result);
    return NULL;
}

static int reshape(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    PyObject *x = array_in(call, 0);
    (void)function;
    if (vn_nd(x)->flags & VN_ND_CONTIGUOUS) {
        int64_t strides[VN_MAX_RANK];
        row_major(z->rank, z->dims, item_bytes(z->dtype), strides);
        out[0] = vn_nd_view(x, vn_nd(x)->data, z->rank, z->dims, strides, 1);
    } else {
        out[0] = reshaped_copy(x, desc_in(call, 0), z);
    }
    return out[0] ? 0 : -1;
}

static int broadcast_to(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    PyObject *x = array_in(call, 0);
    const vn_ndarray *a = vn_nd(x);
    int64_t strides[VN_MAX_RANK];
    (void)function;
    for (int32_t i = 0; i < z->rank; i++) {
        int32_t from = i - (z->rank - a->rank);
        strides[i] = from >= 0 && a->dims[from] == z->dims[i] ? a->strides[from] : 0;
    }
    out[0] = vn_nd_view(x, a->data, z->rank, z->dims, strides, 0);
    return out[0] ? 0 : -1;
}

static int permute_dims(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    PyObject *x = array_in(call, 0);
    int64_t strides[VN_MAX_RANK];
    (void)function;
    for (int32_t i = 0; i < z->rank; i++) strides[i] = vn_nd(x)->strides[call->instr->options[0].u.is[i]];
    out[0] = vn_nd_view(x, vn_nd(x)->data, z->rank, z->dims, strides, 1);
    return out[0] ? 0 : -1;
}

/* A view of x with the elements of these axes in reverse order. */
static PyObject *reversed(PyObject *x, const int64_t *axes, int32_t n)
{
    const vn_ndarray *a = vn_nd(x);
    int64_t strides[VN_MAX_RANK];
    char *data = a->data;
    for (int i = 0; i < a->rank; i++) strides[i] = a->strides[i];
    for (int32_t i = 0; i < n; i++) {
        int64_t axis = axes[i];
        if (a->dims[axis] > 1) data += (a->dims[axis] - 1) * a->strides[axis];
        strides[axis] = -a->strides[axis];
    }
    return vn_nd_view(x, data, a->rank, a->dims, strides, 1);
}

static int flip(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_option *axes = &call->instr->options[0];
    (void)function;
    out[0] = reversed(array_in(call, 0), axes->u.is, axes->n);
    return out[0] ? 0 : -1;
}

/* ufunc.accumulate(x, axis, dtype, out); options axis, reverse. From the end is from the start of what runs the other way. Halves are
 * accumulated in float32. */
static int accumulate(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    const int64_t axis = call->instr->options[0].u.i;
    const int32_t n_reversed = call->instr->options[1].u.i != 0;
    int32_t dtype = is_half(z->dtype) ? VN_F32 : z->dtype;
    PyObject *result = vn_nd_empty(dtype, z->rank, z->dims);
    PyObject *x = result ? reversed(array_in(call, 0), &axis, n_reversed) : NULL;
    PyObject *into = x ? reversed(result, &axis, n_reversed) : NULL;
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

/* The part of x of the given size at `start` (int64, one per axis), each start moved to where the part fits. */
static PyObject *window(PyObject *x, PyObject *start, const int64_t *size, int writeable)
{
    const vn_ndarray *a = vn_nd(x), *s = vn_nd(start);
    char *data = a->data;
    for (int i = 0; i < a->rank; i++) {
        int64_t at, last = a->dims[i] - size[i];
        memcpy(&at, s->data + i * s->strides[0], sizeof at);
        data += (at < 0 ? 0 : at > last ? last : at) * a->strides[i];
    }
    return vn_nd_view(x, data, a->rank, size, a->strides, writeable);
}

static int slice(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    (void)function;
    out[0] = window(array_in(call, 0), array_in(call, 1), desc_out(call)->dims, 1);
    return out[0] ? 0 : -1;
}

/* x, or a copy of it, with y written at start. */
static int slice_set(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = desc_out(call);
    PyObject *x = array_in(call, 0), *result = x;
    (void)function;
    if (dies(call, 0)) py.Py_IncRef(x);
    else result = as_dtype(x, z->dtype, z->rank, z->dims);
    PyObject *part = result ? window(result, array_in(call, 2), desc_in(call, 1)->dims, 1) : NULL;
    int failed = !part || vn_nd_copy(part, array_in(call, 1));
    vn_python_drop(part);
    if (failed) vn_python_drop(result);
    else out[0] = result;
    return failed ? -1 : 0;
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *op;
    uint32_t dtypes;
    family family;
    const char *function; /* in numpy or composed.py, or NULL */
} row;

static const row rows[] = {
    {"add", VN_NUMERIC, elementwise, "add"},
    {"sub", VN_NUMERIC, elementwise, "subtract"},
    {"mul", VN_NUMERIC, elementwise, "multiply"},
    {"div", VN_FLOATS, elementwise, "divide"},
    {"floor_divide", VN_REAL, elementwise, "floor_divide"},
    {"remainder", VN_REAL, elementwise, "remainder"},
    {"pow", VN_INEXACT, elementwise, "power"},
    {"maximum", VN_REAL, elementwise, "maximum"},
    {"minimum", VN_REAL, elementwise, "minimum"},
    {"atan2", VN_FLOATS, elementwise, "arctan2"},
    {"neg", VN_NUMERIC, elementwise, "negative"},
    {"abs", VN_NUMERIC, elementwise, "absolute"},
    {"sign", VN_REAL, widened, "sign"},
    {"square", VN_NUMERIC, elementwise, "square"},
    {"sqrt", VN_INEXACT, elementwise, "sqrt"},
    {"floor", VN_REAL, rounding, "floor"},
    {"ceil", VN_REAL, rounding, "ceil"},
    {"trunc", VN_REAL, rounding, "trunc"},
    {"round", VN_REAL, rounding, "rint"},
    {"exp", VN_INEXACT, elementwise, "exp"},
    {"expm1", VN_INEXACT, elementwise, "expm1"},
    {"log", VN_INEXACT, elementwise, "log"},
    {"log1p", VN_FLOATS, elementwise, "log1p"},
    {"log2", VN_INEXACT, elementwise, "log2"},
    {"log10", VN_INEXACT, elementwise, "log10"},
    {"sin", VN_INEXACT, elementwise, "sin"},
    {"cos", VN_INEXACT, elementwise, "cos"},
    {"tan", VN_INEXACT, elementwise, "tan"},
    {"asin", VN_INEXACT, elementwise, "arcsin"},
    {"acos", VN_INEXACT, elementwise, "arccos"},
    {"atan", VN_INEXACT, elementwise, "arctan"},
    {"sinh", VN_INEXACT, elementwise, "sinh"},
    {"cosh", VN_INEXACT, elementwise, "cosh"},
    {"tanh", VN_INEXACT, elementwise, "tanh"},
    {"asinh", VN_INEXACT, elementwise, "arcsinh"},
    {"acosh", VN_INEXACT, elementwise, "arccosh"},
    {"atanh", VN_INEXACT, elementwise, "arctanh"},
    {"sigmoid", VN_FLOATS, widened, "sigmoid"},
    {"bitwise_and", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_and"},
    {"bitwise_or", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_or"},
    {"bitwise_xor", VN_BIT(VN_BOOL) | VN_INTS, elementwise, "bitwise_xor"},
    {"bitwise_left_shift", VN_INTS, elementwise, "left_shift"},
    {"bitwise_right_shift", VN_INTS, elementwise, "right_shift"},
    {"signbit", VN_ANY, elementwise, "signbit"},
    {"nextafter", VN_BIT(VN_BF16) | VN_BIT(VN_F32) | VN_BIT(VN_F64), elementwise, "nextafter"}, /* float16: 0 beside -0 */
    {"equal", VN_ANY, elementwise, "equal"},
    {"not_equal", VN_ANY, elementwise, "not_equal"},
    {"less", VN_ORDERED, elementwise, "less"},
    {"less_equal", VN_ORDERED, elementwise, "less_equal"},
    {"greater", VN_ORDERED, elementwise, "greater"},
    {"greater_equal", VN_ORDERED, elementwise, "greater_equal"},
    {"isnan", VN_ANY, elementwise, "isnan"},
    {"isinf", VN_ANY, elementwise, "isinf"},
    {"isfinite", VN_ANY, elementwise, "isfinite"},
    {"matmul", VN_NUMERIC, widened, "matmul"},
    {"sum", VN_ANY, reduce, "add.reduce"},
    {"max", VN_REAL, reduce, "maximum.reduce"},
    {"min", VN_REAL, reduce, "minimum.reduce"},
    {"cumulative_sum", VN_NUMERIC, accumulate, "add.accumulate"},
    {"where", VN_ANY, where, "where"},
    {"flip", VN_ANY, flip, NULL},
    {"reshape", VN_ANY, reshape, NULL},
    {"broadcast_to", VN_ANY, broadcast_to, NULL},
    {"permute_dims", VN_ANY, permute_dims, NULL},
    {"slice", VN_ANY, slice, NULL},
    {"slice_set", VN_ANY, slice_set, NULL},
    {"cast", VN_ANY, cast, NULL},
    {"complex", VN_INEXACT, elementwise, "joined"},
    {"real", VN_INEXACT, elementwise, "real_part"},
    {"imag", VN_INEXACT, elementwise, "imaginary_part"},
    {"conj", VN_COMPLEX, elementwise, "conjugate"},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* A row with its function found. */
typedef struct bound {
    family family;
    PyObject *function;
} bound;

static bound bounds[ROWS];
vn_kernel_row np_kernels[ROWS + 1];

/* Calls the row's family with NumPy's warnings off; -1 with the exception pending. */
static int compute(const vn_kernel_call *call, PyObject **made)
{
    const bound *b = call->instr->row->data;
    PyObject *kept;
    if (np_quiet_begin(&kept)) return -1;
    int failed = b->family(call, b->function, made);
    np_quiet_end(kept);
    return failed;
}

/* Makes buffers of n arrays, whose references it takes over; -1 with the exception pending and none made. */
static int wrap(PyObject **made, int n, vn_buf **bufs)
{
    int done = 0;
    while (done < n && (bufs[done] = vn_python_buf(made[done]))) done++;
    if (done == n) return 0;
    for (int i = done + 1; i < n; i++) vn_python_drop(made[i]);
    while (done-- > 0) vn_python_release(bufs[done]);
    return -1;
}

/* The kernel of every row. */
static int run(const vn_kernel_call *call)
{
    const vn_instr *instr = call->instr;
    PyObject *made[MOST_OUT];
    vn_buf *bufs[MOST_OUT];
    int state;
    if (instr->n_out > MOST_OUT || instr->n_in > MOST_IN)
        return np_host->error(VN_E_UNSUPPORTED, "numpy: %s: too many inputs or results", instr->op);
    int code = vn_python_enter(&state);
    if (code) return code;
    if (compute(call, made) || wrap(made, instr->n_out, bufs)) code = vn_python_error(instr->op);
    else memcpy(call->out, bufs, (size_t)instr->n_out * sizeof *bufs);
    vn_python_leave(state);
    return code;
}

/* Runs the text of composed.py as a module. */
static PyObject *run_composed(void)
{
    PyObject *code = py.Py_CompileString(composed_py, "vinea/engines/numpy/composed.py", 257); /* Py_file_input */
    PyObject *module = code ? py.PyImport_ExecCodeModule("_vinea_composed", code) : NULL;
    vn_python_drop(code);
    return module;
}

/* A row's function, in NumPy or else in composed.py; NULL where neither has it. */
static PyObject *find(PyObject *numpy, PyObject *composed, const char *name)
{
    PyObject *function = vn_python_attribute(numpy, name);
    if (!function) {
        py.PyErr_Clear();
        function = vn_python_attribute(composed, name);
    }
    if (!function) py.PyErr_Clear();
    return function;
}

/* Fills the engine's list with the rows whose function is found. */
static void bind_rows(PyObject *numpy, PyObject *composed, uint32_t have)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        PyObject *function = rows[i].function ? find(numpy, composed, rows[i].function) : NULL;
        if (rows[i].function && !function) {
            np_host->log("numpy: this version has no %s, so %s is left out", rows[i].function, rows[i].op);
            continue;
        }
        vn_python_drop(bounds[n].function); /* of an earlier open */
        bounds[n] = (bound){rows[i].family, function};
        np_kernels[n] = (vn_kernel_row){rows[i].op, rows[i].dtypes & have, run, NULL, &bounds[n]};
        n++;
    }
    np_kernels[n] = (vn_kernel_row){0};
}

int np_bind(void)
{
    uint32_t have = 0;
    PyObject *numpy = py.PyImport_ImportModule("numpy"), *composed = numpy ? run_composed() : NULL;
    for (int32_t i = 0; i < VN_DTYPE_COUNT; i++) have |= vn_nd_dtype(i) ? VN_BIT(i) : 0;
    if (composed && !(have & VN_BIT(VN_BF16))) np_host->log("numpy: no bfloat16 (the package ml_dtypes is not installed)");
    if (composed) bind_rows(numpy, composed, have);
    vn_python_drop(composed);
    vn_python_drop(numpy);
    return composed ? 0 : -1;
}
