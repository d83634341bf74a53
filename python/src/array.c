/* SPDX-License-Identifier: Apache-2.0 */
/* array.c: the array class: operators, attributes, conversion to Python numbers. Methods that need no C are added by vinea/_array.py. */
#include "binding.h"
#include <string.h>

PyTypeObject *Array_type;

PyObject *array_new(vn_array *owned)
{
    if (!owned) return raise_error();
    Array *a = PyObject_Malloc(sizeof *a);
    if (!a) return vn_drop(owned), PyErr_NoMemory();
    a->handle = owned;
    a->weak = NULL;
    a->capture = captures ? capture_number() : 0;
    a->bound = a->is_part = false;
    return PyObject_Init((PyObject *)a, Array_type);
}

bool array_assign(PyObject *self, vn_array *scoped)
{
    Array *a = (Array *)self;
    if (captures && capture_is_outside(a)) {
        PyErr_SetString(PyExc_RuntimeError, "a captured function cannot assign to an array from outside: return the new value instead");
        return false;
    }
    if (a->bound) return vn_into(a->handle, vn_stop_gradient(scoped)) || (raise_error(), false);
    vn_array *old = a->handle;
    a->handle = vn_keep(scoped);
    if (old) vn_drop(old);
    return true;
}

PyObject *array_bound(vn_array *scoped)
{
    PyObject *x = array_keep(scoped);
    if (!x) return NULL;
    ((Array *)x)->bound = true;
    ((Array *)x)->capture = 0;
    return x;
}

PyObject *array_keep(vn_array *scoped)
{
    return array_new(scoped ? vn_keep(scoped) : NULL);
}

typedef struct {
    Array array;
    const char *engine; /* the library's text, which lives as long as the process */
    int dtype, rank;
    int64_t dims[FEW_RANK];
    char data[];
} few;

PyObject *array_of_few(const char *engine, int dtype, int rank, const int64_t *dims, const void *data, size_t bytes)
{
    few *f = PyObject_Malloc(sizeof *f + bytes);
    if (!f) return PyErr_NoMemory();
    f->array.handle = NULL;
    f->array.weak = NULL;
    f->array.capture = captures ? capture_number() : 0;
    f->array.bound = f->array.is_part = false;
    f->engine = engine;
    f->dtype = dtype;
    f->rank = rank;
    for (int k = 0; k < rank; k++) f->dims[k] = dims[k];
    memcpy(f->data, data, bytes);
    return PyObject_Init((PyObject *)f, Array_type);
}

typedef struct {
    Array array;
    vn_array *base; /* owned; a handle of its own */
    int64_t start, count;
    bool point;
} part;

PyObject *array_part(vn_array *x, int64_t start, int64_t count, bool point)
{
    if (captures || vn_has_history(x)) return NULL;
    part *p = PyObject_Malloc(sizeof *p);
    if (!p) return PyErr_NoMemory();
    *p = (part){.base = vn_own(vn_alias(x)), .start = start, .count = count, .point = point};
    if (!p->base) return PyObject_Free(p), raise_error();
    p->array.is_part = true;
    return PyObject_Init((PyObject *)p, Array_type);
}

static vn_array *part_recorded(const part *p)
{
    const vn_shape shape = vn_shape_of(p->base);
    vn_shape start = {.rank = shape.rank}, size = shape, rest = {.rank = shape.rank - 1};
    start.dim[0] = p->start;
    size.dim[0] = p->count;
    memcpy(rest.dim, shape.dim + 1, (size_t)rest.rank * sizeof *rest.dim);
    vn_array *y = vn_slice_at(p->base, start, size);
    return y && p->point ? vn_reshape(y, rest) : y;
}

static vn_array *part_handle(part *p)
{
    static int slice = -1;
    if (slice < 0) slice = vn_op_number("slice");
    vn_array *y;
    vn_scope scope = vn_scope_begin();
    if (vn_call_is_short(slice)) y = part_recorded(p);
    else UNLOCKED(y = part_recorded(p));
    if (p->array.handle) y = p->array.handle; /* another thread was here */
    else if (y) p->array.handle = vn_keep(y);
    vn_scope_end(scope);
    return y;
}

vn_array *array_handle(Array *a)
{
    if (a->is_part) return part_handle((part *)a);
    const few *f = (few *)a;
    engine_use use;
    if (!engine_enter(&use, f->engine)) return NULL;
    vn_array *x = vn_own(vn_array_from(f->data, f->dtype, f->rank, f->dims));
    engine_leave(&use);
    if (!a->handle) a->handle = x;
    else if (x) vn_drop(x); /* another thread was here */
    return a->handle;
}

static void dealloc(PyObject *self)
{
    Array *a = (Array *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (a->weak) PyObject_ClearWeakRefs(self);
    if (a->handle) vn_drop(a->handle);
    if (a->is_part) vn_drop(((part *)a)->base);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- operators: X(slot of the type, op) ---- */

#define BINARY(X)                   \
    X(add, "add")                   \
    X(subtract, "subtract")         \
    X(multiply, "multiply")         \
    X(true_divide, "divide")        \
    X(floor_divide, "floor_divide") \
    X(remainder, "remainder")       \
    X(matrix_multiply, "matmul")    \
    X(and, "bitwise_and")           \
    X(or, "bitwise_or")             \
    X(xor, "bitwise_xor")           \
    X(lshift, "bitwise_left_shift") \
    X(rshift, "bitwise_right_shift")
#define UNARY(X)            \
    X(negative, "negative") \
    X(positive, "positive") \
    X(absolute, "abs")      \
    X(invert, "bitwise_invert")

#define NAME(slot, op) OP_##slot,
enum { BINARY(NAME) UNARY(NAME) OP_power, OP_compare, OPERATORS = OP_compare + 6 };
#undef NAME
#define NAME(slot, op) op,
static const char *const operators[OPERATORS] = {
    BINARY(NAME) UNARY(NAME) "pow", "less", "less_equal", "equal", "not_equal", "greater", "greater_equal"};
#undef NAME
static const vn_op_info *rows[OPERATORS];

/* What stands on the other side of an operator: arrays, numbers, sequences, arrays of other libraries. */
static bool is_operand(PyObject *o)
{
    return is_array(o) || is_number(o) || PyList_Check(o) || PyTuple_Check(o) ||
           (!PyUnicode_Check(o) && !PyBytes_Check(o) && (PyObject_CheckBuffer(o) || PyObject_HasAttrString(o, "__dlpack__")));
}

static PyObject *operate(int at, int n, PyObject *const *operands)
{
    vn_array *in[2], *out = NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = NULL;
    if (inputs_from(rows[at], n, operands, in, NULL))
        z = op_call(rows[at], n, in, 0, NULL, 1, &out) ? raise_call(n, operands) : array_new(out);
    vn_scope_end(scope);
    return z;
}

static PyObject *binary(int at, PyObject *x, PyObject *y)
{
    if (is_array(x) && is_array(y)) { /* nothing is made on the way */
        handle_of(x);
        vn_array *right = handle_of(y), *in[2] = {handle_of(x), right}, *out = NULL; /* making y's handle may have freed the lock */
        if (VN_BIT(vn_dtype_of(in[0])) & rows[at]->dtypes) return op_record(rows[at], 2, in, &out) ? raise_error() : array_new(out);
    }
    if (!is_operand(x) || !is_operand(y)) Py_RETURN_NOTIMPLEMENTED;
    return operate(at, 2, (PyObject *[]){x, y});
}

/* x op= y gives x a new value of its own shape and dtype; arrays that share its memory keep theirs. */
static PyObject *in_place(int at, PyObject *x, PyObject *y)
{
    static const uint32_t kinds[] = {VN_BIT(VN_BOOL), VN_INTS, VN_FLOATS, VN_COMPLEX};
    PyObject *z = binary(at, x, y);
    if (!z || z == Py_NotImplemented) return z;
    vn_array *before = handle_of(x), *after = handle_of(z);
    const int old = vn_dtype_of(before), new = vn_dtype_of(after);
    const vn_shape a = vn_shape_of(before), b = vn_shape_of(after);
    bool kind = false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) kind |= VN_BIT(old) & kinds[k] && VN_BIT(new) & kinds[k];
    if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0)
        PyErr_SetString(PyExc_ValueError,
                        "the result of an in-place operator has the shape of its left side; here it is broadcast further");
    else if (!kind)
        PyErr_Format(PyExc_TypeError, "an in-place operator cannot turn %s into %s", vn_dtype_name((vn_dtype)old),
                     vn_dtype_name((vn_dtype) new));
    else {
        vn_scope scope = vn_scope_begin();
        vn_array *h = old == new ? after : cast_to(after, old);
        if (!h) raise_error();
        else array_assign(x, h);
        vn_scope_end(scope);
    }
    Py_DECREF(z);
    return PyErr_Occurred() ? NULL : Py_NewRef(x);
}

#define DEFINE(slot, op)                                         \
    static PyObject *nb_##slot(PyObject *x, PyObject *y)         \
    {                                                            \
        return binary(OP_##slot, x, y);                          \
    }                                                            \
    static PyObject *nb_inplace_##slot(PyObject *x, PyObject *y) \
    {                                                            \
        return in_place(OP_##slot, x, y);                        \
    }
BINARY(DEFINE)
#undef DEFINE
#define DEFINE(slot, op)                    \
    static PyObject *nb_##slot(PyObject *x) \
    {                                       \
        return operate(OP_##slot, 1, &x);   \
    }
UNARY(DEFINE)
#undef DEFINE

static PyObject *nb_power(PyObject *x, PyObject *y, PyObject *modulo)
{
    if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary(OP_power, x, y);
}

static PyObject *nb_inplace_power(PyObject *x, PyObject *y, PyObject *modulo)
{
    if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return in_place(OP_power, x, y);
}

/* Whether x, of integers, compares so with a Python integer that its dtype does not hold, as in NumPy 2: they differ, and all of x is on the same
 * side of it. -1: it is none. */
static int compares_beyond(vn_array *x, PyObject *y, int how)
{
    const int dtype = vn_dtype_of(x);
    if (!PyLong_Check(y) || PyBool_Check(y) || !(VN_BIT(dtype) & VN_INTS) || check_range(y, dtype)) return -1;
    PyErr_Clear();
    PyObject *zero = PyLong_FromLong(0);
    const int above = zero ? PyObject_RichCompareBool(y, zero, Py_GT) : -1;
    Py_XDECREF(zero);
    if (above < 0 || how == Py_EQ || how == Py_NE) return above < 0 ? -1 : how == Py_NE;
    return above ? how == Py_LT || how == Py_LE : how == Py_GT || how == Py_GE;
}

/* The same for all elements; NULL, with the error that was raised before, if it is none. */
static PyObject *compare_beyond(PyObject *x, PyObject *y, int how, const char *engine)
{
    PyObject *type, *error, *trace, *z = NULL;
    PyErr_Fetch(&type, &error, &trace);
    vn_scope scope = vn_scope_begin();
    vn_array *h = is_number(x) ? NULL : array_from(x, -1, COPY_IF_NEEDED), *out = NULL;
    const int holds = h ? compares_beyond(h, y, how) : -1;
    if (holds >= 0 && (h = array_on(h, engine)) && !op_record(rows[OP_compare + (holds ? Py_EQ : Py_NE)], 2, (vn_array *[]){h, h}, &out))
        z = array_new(out);
    vn_scope_end(scope);
    PyErr_Clear();
    vn_clear();
    if (!z) return PyErr_Restore(type, error, trace), NULL;
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return z;
}

PyObject *compare_again(const vn_op_info *op, PyObject *x, PyObject *y, const char *engine)
{
    static const int mirrored[] = {[Py_LT] = Py_GT, [Py_LE] = Py_GE, [Py_EQ] = Py_EQ, [Py_NE] = Py_NE, [Py_GT] = Py_LT, [Py_GE] = Py_LE};
    for (int how = Py_LT; how <= Py_GE; how++)
        if (rows[OP_compare + how] == op)
            return PyLong_Check(x) ? compare_beyond(y, x, mirrored[how], engine) : compare_beyond(x, y, how, engine);
    return NULL;
}

static PyObject *compare(PyObject *x, PyObject *y, int how) /* Py_LT 0 ... Py_GE 5 */
{
    PyObject *z = binary(OP_compare + how, x, y);
    return !z && PyLong_Check(y) ? compare_beyond(x, y, how, NULL) : z;
}

/* ---- to Python numbers ---- */

static PyObject *element_of(const void *data, int64_t i, int dtype)
{
    switch (dtype) {
    case VN_BOOL: return PyBool_FromLong(((const uint8_t *)data)[i]);
    case VN_I8: return PyLong_FromLong(((const int8_t *)data)[i]);
    case VN_I16: return PyLong_FromLong(((const int16_t *)data)[i]);
    case VN_I32: return PyLong_FromLong(((const int32_t *)data)[i]);
    case VN_I64: return PyLong_FromLongLong(((const int64_t *)data)[i]);
    case VN_U8: return PyLong_FromLong(((const uint8_t *)data)[i]);
    case VN_U16: return PyLong_FromLong(((const uint16_t *)data)[i]);
    case VN_U32: return PyLong_FromUnsignedLong(((const uint32_t *)data)[i]);
    case VN_U64: return PyLong_FromUnsignedLongLong(((const uint64_t *)data)[i]);
    case VN_F32: return PyFloat_FromDouble(((const float *)data)[i]);
    case VN_F64: return PyFloat_FromDouble(((const double *)data)[i]);
    case VN_C64: return PyComplex_FromDoubles(((const float *)data)[2 * i], ((const float *)data)[2 * i + 1]);
    default: return PyComplex_FromDoubles(((const double *)data)[2 * i], ((const double *)data)[2 * i + 1]);
    }
}

/* The elements of an array that is held, on the host; half precision as float32. Belongs to the scope. NULL raises. */
static const void *elements(vn_array *x, int *dtype)
{
    const void *data;
    *dtype = vn_dtype_of(x);
    if (*dtype == VN_F16 || *dtype == VN_BF16) x = cast_to(x, *dtype = VN_F32);
    UNLOCKED(data = vn_data(x));
    if (data) return data;
    if (x && !vn_size(x) && !vn_status()) return "";
    return raise_error(), NULL;
}

static PyObject *item(PyObject *self, PyObject *unused)
{
    (void)unused;
    const few *f = (few *)self;
    if (!f->array.handle && !f->array.is_part && !f->rank && f->dtype != VN_F16 && f->dtype != VN_BF16)
        return element_of(f->data, 0, f->dtype);
    vn_array *x = handle_of(self);
    if (vn_size(x) != 1) {
        PyErr_Format(PyExc_ValueError, "only an array of one element has a single value; this one has %lld", (long long)vn_size(x));
        return NULL;
    }
    int dtype;
    vn_scope scope = vn_scope_begin();
    const void *data = elements(held_of(self), &dtype);
    PyObject *v = data ? element_of(data, 0, dtype) : NULL;
    vn_scope_end(scope);
    return v;
}

static PyObject *list_of(const void *data, int dtype, const vn_shape *shape, int depth, int64_t *at)
{
    if (depth == shape->rank) return element_of(data, (*at)++, dtype);
    PyObject *list = PyList_New((Py_ssize_t)shape->dim[depth]);
    for (int64_t i = 0; list && i < shape->dim[depth]; i++) {
        PyObject *e = list_of(data, dtype, shape, depth + 1, at);
        if (!e) return Py_DECREF(list), NULL;
        PyList_SetItem(list, (Py_ssize_t)i, e);
    }
    return list;
}

static PyObject *tolist(PyObject *self, PyObject *unused)
{
    (void)unused;
    int dtype;
    int64_t at = 0;
    const vn_shape shape = vn_shape_of(handle_of(self));
    vn_scope scope = vn_scope_begin();
    const void *data = elements(held_of(self), &dtype);
    PyObject *list = data ? list_of(data, dtype, &shape, 0, &at) : NULL;
    vn_scope_end(scope);
    return list;
}

static PyObject *converted(PyObject *self, PyObject *(*convert)(PyObject *))
{
    if (vn_size(handle_of(self)) != 1) {
        PyErr_SetString(PyExc_TypeError, "only arrays of one element can be converted to Python numbers");
        return NULL;
    }
    PyObject *v = item(self, NULL), *z = v ? convert(v) : NULL;
    Py_XDECREF(v);
    return z;
}

static PyObject *as_int(PyObject *self)
{
    return converted(self, PyNumber_Long);
}

static PyObject *as_float(PyObject *self)
{
    return keeps_gradient(handle_of(self)) ? converted(self, PyNumber_Float) : NULL;
}

static PyObject *as_index(PyObject *self)
{
    if (vn_rank(handle_of(self)) || !(VN_BIT(vn_dtype_of(handle_of(self))) & VN_INTS)) {
        PyErr_SetString(PyExc_TypeError, "only 0-d integer arrays can be used as an index");
        return NULL;
    }
    return item(self, NULL);
}

static PyObject *to_complex(PyObject *number)
{
    return PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, number, NULL);
}

static PyObject *as_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    return keeps_gradient(handle_of(self)) ? converted(self, to_complex) : NULL;
}

static int as_bool(PyObject *self)
{
    if (vn_size(handle_of(self)) != 1) {
        PyErr_SetString(PyExc_ValueError,
                        "the truth value of an array with other than one element is ambiguous; use vinea.any or vinea.all");
        return -1;
    }
    PyObject *v = item(self, NULL);
    int z = v ? PyObject_IsTrue(v) : -1;
    Py_XDECREF(v);
    return z;
}

/* ---- as a sequence ---- */

static Py_ssize_t length(PyObject *self)
{
    if (vn_rank(handle_of(self))) return (Py_ssize_t)vn_dim(handle_of(self), 0);
    PyErr_SetString(PyExc_TypeError, "a 0-d array has no length");
    return -1;
}

static PyObject *row(PyObject *self, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i), *z = key ? array_get(self, key) : NULL;
    Py_XDECREF(key);
    return z;
}

static PyObject *iterate(PyObject *self)
{
    if (!vn_rank(handle_of(self))) return PyErr_SetString(PyExc_TypeError, "a 0-d array cannot be iterated over"), NULL;
    return PySeqIter_New(self);
}

/* ---- attributes ---- */

static PyObject *shape_get(PyObject *self, void *unused)
{
    (void)unused;
    const vn_shape s = vn_shape_of(handle_of(self));
    return tuple_of(s.rank, s.dim);
}

static PyObject *dtype_get(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(dtypes[vn_dtype_of(handle_of(self))]);
}

static PyObject *ndim_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(vn_rank(handle_of(self)));
}

static PyObject *size_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(vn_size(handle_of(self)));
}

static PyObject *engine_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(vn_engine_of(handle_of(self)));
}

static PyObject *ready_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(vn_is_ready(handle_of(self)));
}

static PyObject *str(PyObject *self)
{
    const char *text;
    vn_array *x = handle_of(self);
    UNLOCKED_WITH(x, text = vn_text(x));
    return text ? PyUnicode_FromString(text) : raise_error();
}

/* The elements with commas, as repr has them behind "array(". */
static PyObject *as_list(PyObject *self, PyObject *unused)
{
    const char *text;
    vn_array *x = handle_of(self);
    (void)unused;
    UNLOCKED_WITH(x, text = vn_text_as_list(x, 6));
    return text ? PyUnicode_FromString(text) : raise_error();
}

static PyObject *to(PyObject *self, PyObject *engine)
{
    const char *name = PyUnicode_Check(engine) ? PyUnicode_AsUTF8AndSize(engine, NULL) : NULL;
    if (!name) return PyErr_SetString(PyExc_TypeError, "to: the name of an engine is needed"), NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *x = array_on(handle_of(self), name);
    PyObject *z = x ? array_keep(x) : NULL;
    vn_scope_end(scope);
    return z;
}

int array_eval(PyObject *self)
{
    int code;
    vn_array *x = handle_of(self);
    if (vn_eval_is_short(x)) code = vn_eval(1, &x);
    else UNLOCKED_WITH(x, code = vn_eval(1, &x));
    return code;
}

static PyObject *eval(PyObject *self, PyObject *unused)
{
    (void)unused;
    return array_eval(self) ? raise_error() : Py_NewRef(self);
}

static PyObject *explain(PyObject *self, PyObject *unused)
{
    (void)unused;
    const char *text;
    vn_array *x = handle_of(self);
    UNLOCKED_WITH(x, text = vn_explain(x));
    return text ? PyUnicode_FromString(text) : raise_error();
}

int array_add_to(PyObject *module)
{
    static PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak), READONLY, NULL}, {0}};
    static PyGetSetDef attributes[] = {
        {"shape", shape_get, NULL, "the sizes of the axes", NULL},
        {"dtype", dtype_get, NULL, "the type of the elements", NULL},
        {"ndim", ndim_get, NULL, "the number of axes", NULL},
        {"size", size_get, NULL, "the number of elements", NULL},
        {"engine", engine_get, NULL, "the name of the engine that computes it", NULL},
        {"is_ready", ready_get, NULL, "whether its values have been computed", NULL},
        {0},
    };
    static PyMethodDef methods[] = {
        {"item", item, METH_NOARGS, "item($self, /)\n--\n\nThe value of an array of one element, as a Python number."},
        {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nThe elements as nested lists of Python numbers."},
        {"to", to, METH_O, "to($self, engine, /)\n--\n\nThe same values on another engine."},
        {"_as_list", as_list, METH_NOARGS, NULL},
        {"eval", eval, METH_NOARGS, "eval($self, /)\n--\n\nComputes the values now; returns the array."},
        {"explain", explain, METH_NOARGS, "explain($self, /)\n--\n\nWhat evaluating the array would run, as text."},
        {"_updated", array_updated, METH_VARARGS, NULL},
        {"_positions", array_positions, METH_O, NULL},
        {"__complex__", as_complex, METH_NOARGS, "__complex__($self, /)\n--\n\nThe value of an array of one element, as a complex number."},
        {"__dlpack__", (PyCFunction)(void (*)(void))array_dlpack, METH_VARARGS | METH_KEYWORDS,
         "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule with the values, "
         "read-only unless copied."},
        {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
         "__dlpack_device__($self, /)\n--\n\nThe device in DLPack's numbers: (1, 0), the CPU."},
        {0},
    };
#define SLOT(slot, op) {Py_nb_##slot, nb_##slot},
#define IN_PLACE(slot, op) {Py_nb_inplace_##slot, nb_inplace_##slot},
    static PyType_Slot slots[] = {
        BINARY(SLOT) BINARY(IN_PLACE) UNARY(SLOT){Py_nb_power, nb_power},
        {Py_nb_inplace_power, nb_inplace_power},
        {Py_tp_dealloc, dealloc},
        {Py_tp_members, members},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {Py_tp_richcompare, compare},
        {Py_tp_hash, PyObject_HashNotImplemented},
        {Py_tp_str, str},
        {Py_tp_iter, iterate},
        {Py_nb_bool, as_bool},
        {Py_nb_int, as_int},
        {Py_nb_float, as_float},
        {Py_nb_index, as_index},
        {Py_mp_length, length},
        {Py_mp_subscript, array_get},
        {Py_mp_ass_subscript, array_set},
        {Py_sq_length, length},
        {Py_sq_item, row},
        {Py_bf_getbuffer, array_buffer},
        {Py_bf_releasebuffer, array_unbuffer},
        {Py_tp_doc, "An n-dimensional array. Make one with vinea.asarray, vinea.zeros and the like."},
        {0},
    };
    static PyType_Spec spec = {"vinea.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    Array_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!Array_type || PyModule_AddObjectRef(module, "Array", (PyObject *)Array_type)) return -1;
    for (int k = 0; k < OPERATORS; k++) {
        if ((rows[k] = op_named(operators[k]))) continue;
        PyErr_Format(PyExc_ImportError, "the library has no op %s", operators[k]);
        return -1;
    }
    return 0;
}
