/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c: Python objects to handles: numbers, nested sequences, and arrays of other libraries (exchange.c). */
#include "binding.h"
#include <string.h>

/* ---- numbers ---- */

bool is_number(PyObject *o)
{
    return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o);
}

enum { BOOLS, INTEGERS, UNSIGNED, FLOATS, COMPLEX }; /* kinds of numbers; in a sequence the widest counts */
static const int default_dtype[] = {VN_BOOL, VN_I64, VN_U64, VN_F32, VN_C64};
static const int exact_dtype[] = {VN_BOOL, VN_I64, VN_U64, VN_F64, VN_C128};

/* NumPy's float64 and complex128 are Python floats and complex numbers, too, but they have a dtype, as all of NumPy's scalars. */
static bool has_dtype(PyObject *number)
{
    return !PyFloat_CheckExact(number) && !PyLong_Check(number) && !PyComplex_CheckExact(number) && PyObject_CheckBuffer(number);
}

/* The kind of a number; -1 raises. */
static int kind_of(PyObject *o)
{
    if (PyBool_Check(o)) return BOOLS;
    if (PyFloat_Check(o)) return FLOATS;
    if (PyComplex_Check(o)) return COMPLEX;
    int overflow;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (v == -1 && PyErr_Occurred()) return -1;
    if (!overflow) return INTEGERS;
    if (overflow > 0) {
        PyLong_AsUnsignedLongLong(o);
        if (!PyErr_Occurred()) return UNSIGNED;
        PyErr_Clear();
    }
    PyErr_SetString(PyExc_OverflowError, "the integer does not fit into any dtype");
    return -1;
}

/* Writes element i of a host array of one of the dtypes above. Returns false and raises if the number is not of that kind. */
static bool store(PyObject *o, int dtype, void *to, int64_t i)
{
    switch (dtype) {
    case VN_BOOL: ((uint8_t *)to)[i] = (uint8_t)(PyObject_IsTrue(o) == 1); break;
    case VN_I64: ((int64_t *)to)[i] = PyLong_AsLongLong(o); break;
    case VN_U64: ((uint64_t *)to)[i] = PyLong_AsUnsignedLongLong(o); break;
    case VN_F32: ((float *)to)[i] = (float)PyFloat_AsDouble(o); break;
    case VN_F64: ((double *)to)[i] = PyFloat_AsDouble(o); break;
    case VN_C64:
        ((float *)to)[2 * i] = (float)PyComplex_RealAsDouble(o);
        ((float *)to)[2 * i + 1] = (float)PyComplex_ImagAsDouble(o);
        break;
    default: ((double *)to)[2 * i] = PyComplex_RealAsDouble(o); ((double *)to)[2 * i + 1] = PyComplex_ImagAsDouble(o);
    }
    return !PyErr_Occurred();
}

static bool is_stored(int dtype)
{
    return dtype == VN_BOOL || dtype == VN_I64 || dtype == VN_U64 || dtype >= VN_F32;
}

/* The dtype in which numbers of a kind are written, before they are cast to the one wanted. */
static int written_as(int kind, int wanted)
{
    if (wanted < 0) return default_dtype[kind];
    const int exact = exact_dtype[kind];
    const bool wide = kind <= UNSIGNED ? vn_dtype_size((vn_dtype)wanted) == 8 && wanted <= VN_U64 && wanted != VN_U64 : wanted >= VN_F32;
    if (wanted == exact || (kind >= FLOATS && is_stored(wanted) && wide && (kind == FLOATS || wanted >= VN_C64))) return wanted;
    if (kind == INTEGERS && (wanted == VN_F32 || wanted == VN_F64 || wanted >= VN_C64)) return wanted;
    return exact;
}

/* Python numbers outside the range of an integer dtype are refused, as NumPy does: OverflowError, for NaN ValueError. */
bool check_range(PyObject *number, int dtype)
{
    if (dtype < VN_I8 || dtype > VN_U64) return true;
    if (PyFloat_CheckExact(number)) {
        PyObject *whole = PyNumber_Long(number);
        const bool good = whole && check_range(whole, dtype);
        Py_XDECREF(whole);
        return good;
    }
    if (!PyLong_Check(number)) return true;
    const int bits = 8 * (int)vn_dtype_size((vn_dtype)dtype);
    const bool is_signed = dtype < VN_U8;
    int overflow;
    const long long v = PyLong_AsLongLongAndOverflow(number, &overflow);
    bool fits = !overflow && v >= (is_signed ? -(INT64_C(1) << (bits - 2)) * 2 : 0);
    if (bits < 64) fits = fits && v < INT64_C(1) << (bits - is_signed);
    else if (!is_signed && overflow > 0) {
        PyLong_AsUnsignedLongLong(number);
        fits = !PyErr_Occurred();
        PyErr_Clear();
    }
    if (!fits) PyErr_Format(PyExc_OverflowError, "the integer %R does not fit into %s", number, vn_dtype_name((vn_dtype)dtype));
    return fits;
}

vn_array *number_from(PyObject *number, int dtype)
{
    double room[2];
    if (PyLong_Check(number) && !PyBool_Check(number) && dtype >= VN_F16) { /* of any size */
        PyObject *f = PyNumber_Float(number);
        vn_array *x = f ? number_from(f, dtype) : NULL;
        Py_XDECREF(f);
        return x;
    }
    const int kind = kind_of(number);
    if (kind < 0 || !check_range(number, dtype)) return NULL;
    const int as = dtype < 0 && has_dtype(number) ? exact_dtype[kind] : written_as(kind, dtype);
    if (!store(number, as, room, 0)) return NULL;
    vn_array *x = vn_array_from(room, as, 0, NULL);
    if (x && dtype >= 0) x = cast_to(x, dtype);
    return x ? x : (raise_error(), NULL);
}

/* A number of an expression, as a double; NULL raises. */
vn_array *weak_float(PyObject *number)
{
    const double v = PyFloat_AsDouble(number);
    return v == -1 && PyErr_Occurred() ? NULL : vn_scalar(v);
}

/* An integer as a number of an expression, exact; NULL raises. */
vn_array *weak_integer(PyObject *number)
{
    const int kind = kind_of(number);
    if (kind < 0) return NULL;
    return kind == UNSIGNED ? vn_scalar_uint(PyLong_AsUnsignedLongLong(number)) : vn_scalar_int(PyLong_AsLongLong(number));
}

/* Python numbers take the dtype of the array beside them, as the standard says; a number of a wider kind widens the result. */
vn_array *number_beside(PyObject *number, vn_array *other)
{
    const uint32_t d = VN_BIT(vn_dtype_of(other));
    const bool integer = PyLong_Check(number);
    if (d == VN_BIT(VN_BOOL) || (!integer && !(d & VN_INEXACT)) || has_dtype(number)) {
        vn_array *x = number_from(number, -1);
        return x ? array_on(x, vn_engine_of(other)) : NULL;
    }
    vn_array *x = integer && !(d & VN_INEXACT) ? weak_integer(number)
                  : PyComplex_Check(number)    ? vn_scalar_complex(PyComplex_RealAsDouble(number), PyComplex_ImagAsDouble(number))
                                               : weak_float(number);
    return x || PyErr_Occurred() ? x : (raise_error(), NULL);
}

/* ---- sequences ---- */

typedef struct {
    int rank, kind;
    int64_t dim[VN_MAX_RANK], at, count;
    int dtype, wanted; /* that of the data, and the one asked for or -1 */
    void *data;
    bool exact; /* a number with a dtype of its own is among them: float64 or complex128 */
    bool other; /* something that is no number is among the elements */
} nested;

static bool is_sequence(PyObject *o)
{
    return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o);
}

static Py_ssize_t length(PyObject *o) /* of a list or tuple itself, whatever a subclass says */
{
    return PyList_Check(o) ? PyList_Size(o) : PyTuple_Size(o);
}

static PyObject *element(PyObject *o, Py_ssize_t i) /* borrowed from a list or tuple */
{
    return PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
}

/* Sizes and kind of everything below o; false raises. */
static bool measure(nested *s, PyObject *o, int depth)
{
    if (!is_sequence(o)) {
        if (s->rank >= 0 && depth != s->rank) s->other = true;
        s->rank = depth;
        if (!is_number(o)) return s->other = true;
        const int k = kind_of(o);
        s->exact |= has_dtype(o);
        if (k > s->kind) s->kind = s->kind == INTEGERS && k == UNSIGNED ? UNSIGNED : k;
        return k >= 0;
    }
    if (depth == VN_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "the sequence is nested more than %d deep", VN_MAX_RANK);
        return false;
    }
    PyObject *list = PyRange_Check(o) ? PySequence_List(o) : Py_NewRef(o);
    const Py_ssize_t n = list ? length(list) : -1;
    bool good = n >= 0;
    if (good && s->dim[depth] >= 0 && s->dim[depth] != n) {
        PyErr_Format(PyExc_ValueError, "sequences of %zd and %lld elements at depth %d do not form an array", n, (long long)s->dim[depth],
                     depth);
        good = false;
    }
    s->dim[depth] = n;
    if (good && !n && s->rank < 0) s->rank = depth + 1;
    for (Py_ssize_t i = 0; i < n && good && !s->other; i++) {
        PyObject *e = element(list, i);
        good = e && measure(s, e, depth + 1);
    }
    Py_XDECREF(list);
    return good;
}

static bool fill(nested *s, PyObject *o)
{
    if (!is_sequence(o)) {
        if (s->at < s->count && is_number(o)) return check_range(o, s->wanted) && store(o, s->dtype, s->data, s->at++);
        return PyErr_SetString(PyExc_RuntimeError, "a sequence changed while it became an array"), false;
    }
    PyObject *list = PyRange_Check(o) ? PySequence_List(o) : Py_NewRef(o);
    bool good = list != NULL;
    const Py_ssize_t n = list ? length(list) : 0;
    for (Py_ssize_t i = 0; i < n && good; i++) {
        PyObject *e = element(list, i);
        good = e && fill(s, e);
    }
    Py_XDECREF(list);
    return good;
}

/* Arrays in a sequence, or beside numbers in it: put next to each other. */
static vn_array *stacked(PyObject *o, int dtype)
{
    PyObject *items = PySequence_Tuple(o); /* keeps them, whatever happens to the sequence */
    const Py_ssize_t n = items ? PyTuple_Size(items) : 0;
    vn_array **parts = n > 0 ? PyMem_Malloc((size_t)n * sizeof *parts) : NULL, *z = NULL;
    if (n > 0 && !parts) PyErr_NoMemory();
    Py_ssize_t done = 0;
    if (parts && !Py_EnterRecursiveCall(" while a sequence becomes an array")) {
        for (; done < n && n <= INT32_MAX; done++)
            if (!(parts[done] = array_from(PyTuple_GetItem(items, done), dtype, COPY_IF_NEEDED))) break;
        Py_LeaveRecursiveCall();
    }
    if (n > 0 && done == n && !(z = call_op("stack", (int)n, parts, 0, NULL))) raise_error();
    PyMem_Free(parts);
    Py_XDECREF(items);
    return z;
}

static vn_array *from_sequence(PyObject *o, int dtype)
{
    nested s = {.rank = -1, .kind = -1, .wanted = dtype};
    for (int k = 0; k < VN_MAX_RANK; k++) s.dim[k] = -1;
    if (!measure(&s, o, 0)) return NULL;
    if (s.other) return stacked(o, dtype);
    if (s.kind < 0) s.kind = FLOATS;
    s.dtype = dtype < 0 && s.exact ? exact_dtype[s.kind] : written_as(s.kind, dtype);
    size_t bytes = vn_dtype_size((vn_dtype)s.dtype);
    for (int k = 0; k < s.rank; k++)
        if (s.dim[k] && bytes > (size_t)PY_SSIZE_T_MAX / (size_t)s.dim[k]) return PyErr_NoMemory(), NULL;
        else bytes *= (size_t)s.dim[k];
    s.count = (int64_t)(bytes / vn_dtype_size((vn_dtype)s.dtype));
    s.data = PyMem_Calloc(bytes ? bytes : 1, 1);
    if (!s.data) return PyErr_NoMemory(), NULL;
    vn_array *x = NULL;
    if (fill(&s, o)) {
        x = vn_array_from(s.data, s.dtype, s.rank, s.dim);
        if (x && dtype >= 0) x = cast_to(x, dtype);
        if (!x) raise_error();
    }
    PyMem_Free(s.data);
    return x;
}

/* ---- everything ---- */

/* Through __array__ or any iterable, for objects that have nothing better. */
static vn_array *from_other(PyObject *o, int dtype)
{
    if (PyObject_HasAttrString(o, "__array__")) {
        PyObject *a = PyObject_CallMethod(o, "__array__", NULL);
        vn_array *x = a ? from_buffer(a, COPY_IF_NEEDED) : NULL;
        Py_XDECREF(a);
        if (x || PyErr_Occurred()) return x;
    }
    if (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o)) {
        PyObject *list = PySequence_List(o);
        vn_array *x = list ? from_sequence(list, dtype) : NULL;
        Py_XDECREF(list);
        return x;
    }
    if (PyIndex_Check(o)) {
        PyObject *n = PyNumber_Index(o);
        vn_array *x = n ? number_from(n, dtype) : NULL;
        Py_XDECREF(n);
        return x;
    }
    PyErr_Format(PyExc_TypeError, "an object of type %R cannot become an array", (PyObject *)Py_TYPE(o));
    return NULL;
}

vn_array *array_from(PyObject *o, int dtype, copying copy)
{
    vn_array *x = NULL;
    if (is_array(o)) x = held_of(o);
    else if (is_number(o)) x = number_from(o, dtype);
    else if (is_sequence(o)) x = from_sequence(o, dtype);
    else {
        x = from_buffer(o, copy);
        if (!x && !PyErr_Occurred()) x = from_dlpack(o, copy);
        if (!x && !PyErr_Occurred()) x = from_other(o, dtype);
    }
    if (x && dtype >= 0 && (int)vn_dtype_of(x) != dtype) {
        if (copy == COPY_NEVER) {
            PyErr_SetString(PyExc_ValueError, "another dtype needs a copy, and copy=False forbids it");
            return NULL;
        }
        if (!(x = cast_to(x, dtype))) raise_error();
    }
    return x;
}

vn_array *array_on(vn_array *x, const char *engine)
{
    if (!engine || !strcmp(vn_engine_of(x), engine)) return x;
    UNLOCKED_WITH(x, x = vn_to(x, engine));
    return x ? x : (raise_error(), NULL);
}

bool int_from(PyObject *o, const char *what, int64_t *to)
{
    if (!PyIndex_Check(o)) return PyErr_Format(PyExc_TypeError, "%s: an integer is needed, not %R", what, o), false;
    PyObject *number = PyNumber_Index(o);
    int overflow = 0;
    *to = number ? PyLong_AsLongLongAndOverflow(number, &overflow) : 0;
    Py_XDECREF(number);
    if (!number) return false;
    if (overflow || *to == VN_ZERO) /* which in C stands for 0 */
        PyErr_Format(PyExc_ValueError, overflow ? "%s: an integer does not fit into 64 bits" : "%s: -2^63 is not possible", what);
    return !overflow && *to != VN_ZERO;
}

/* Whether it is one integer; of arrays those with no axes are. */
static bool is_index(PyObject *o)
{
    if (!PyIndex_Check(o) || !PySequence_Check(o)) return PyIndex_Check(o);
    PyObject *number = PyNumber_Index(o);
    PyErr_Clear();
    Py_XDECREF(number);
    return number;
}

int ints_from(PyObject *o, const char *what, int64_t *to)
{
    if (is_index(o)) return int_from(o, what, to) ? 1 : -1;
    if (is_array(o) || !PySequence_Check(o) || PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s: an int or a sequence of ints is needed, not %R", what, o);
        return -1;
    }
    const Py_ssize_t n = PySequence_Size(o);
    if (n > VN_MAX_RANK) return PyErr_Format(PyExc_ValueError, "%s: %zd numbers; at most %d are possible", what, n, VN_MAX_RANK), -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *e = PySequence_GetItem(o, i);
        const bool good = e && int_from(e, what, to + i);
        Py_XDECREF(e);
        if (!good) return -1;
    }
    return (int)n;
}

int flag_from(PyObject *o, void *to)
{
    int value = -1;
    if (PyBool_Check(o)) value = o == Py_True;
    else if (PyLong_Check(o)) {
        int overflow;
        const long v = PyLong_AsLongAndOverflow(o, &overflow);
        value = !overflow && (v == 0 || v == 1) ? (int)v : -1;
    } else if (is_array(o) || PyObject_CheckBuffer(o)) { /* NumPy's bools have a buffer */
        vn_scope scope = vn_scope_begin();
        vn_array *x = array_from(o, -1, COPY_IF_NEEDED);
        if (x && vn_dtype_of(x) == VN_BOOL && vn_size(x) == 1) value = PyObject_IsTrue(o);
        vn_scope_end(scope);
        PyErr_Clear();
    }
    if (value < 0) return PyErr_Format(PyExc_TypeError, "a flag is True or False, not %R", o), 0;
    *(int *)to = value;
    return 1;
}

bool flag_named(const char *of, const char *name, PyObject *o, int *to)
{
    if (!o || flag_from(o, to)) return true;
    return PyErr_Format(PyExc_TypeError, "%s: %s is True or False, not %R", of, name, o), false;
}

PyObject *tuple_of(int n, const int64_t *numbers)
{
    PyObject *t = PyTuple_New(n);
    for (int k = 0; t && k < n; k++) {
        PyObject *v = PyLong_FromLongLong(numbers[k]);
        if (!v) return Py_DECREF(t), NULL;
        PyTuple_SetItem(t, k, v);
    }
    return t;
}

/* The values of x in memory of their own, computed now, so that x's memory may change; derivatives pass. The op is one that computes
 * its result anew and keeps every bit. Inside a captured function there are no values yet, nor memory that could be shared. */
static vn_array *copied(vn_array *x)
{
    const uint8_t yes = 1;
    engine_use use;
    if (!engine_enter(&use, vn_engine_of(x))) return NULL;
    vn_array *all = vn_array_from(&yes, VN_BOOL, 0, NULL), *other = vn_zeros(VN_0D, vn_dtype_of(x));
    vn_array *z = vn_where(all, x, other);
    int code = 0;
    if (z && !capturing) UNLOCKED(code = vn_eval(1, &z));
    engine_leave(&use);
    return z && !code ? z : (raise_error(), NULL);
}

/* asarray(obj, dtype=None, copy=None, engine=None) */
PyObject *asarray(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"obj", "dtype", "copy", "engine", NULL};
    PyObject *o, *dtype = Py_None, *copy = Py_None;
    const char *engine = NULL;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOz:asarray", names, &o, &dtype, &copy, &engine)) return NULL;
    const int d = dtype == Py_None ? -1 : dtype_of(dtype);
    if (d < 0 && dtype != Py_None) return NULL;
    const int is_true = copy == Py_None ? -1 : PyObject_IsTrue(copy);
    if (is_true < 0 && copy != Py_None) return NULL;
    const copying how = is_true < 0 ? COPY_IF_NEEDED : is_true ? COPY_ALWAYS : COPY_NEVER;
    if (how == COPY_NEVER && (is_number(o) || is_sequence(o))) {
        PyErr_SetString(PyExc_ValueError, "numbers and sequences need a copy, and copy=False forbids it");
        return NULL;
    }
    const bool same = is_array(o) && (d < 0 || d == (int)vn_dtype_of(handle_of(o)));
    if (same && how != COPY_ALWAYS && (!engine || !strcmp(engine, vn_engine_of(handle_of(o))))) return Py_NewRef(o);
    engine_use use;
    if (!engine_enter(&use, engine)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *x = array_from(o, d, how);
    if (x && same && how == COPY_ALWAYS) x = copied(x);
    if (x && engine) x = array_on(x, engine);
    PyObject *z = x ? array_keep(x) : NULL;
    vn_scope_end(scope);
    engine_leave(&use);
    return z;
}
