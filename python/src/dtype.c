/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.c: dtype objects, one for each element type; what they are called comes from the library. */
#include "binding.h"
#include <string.h>

typedef struct {
    PyObject_HEAD int number;
} DType;

PyObject *dtypes[VN_DTYPE_END];
static PyTypeObject *DType_type;

static int number_of(PyObject *self)
{
    return ((DType *)self)->number;
}

static PyObject *name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(vn_dtype_name((vn_dtype)number_of(self)));
}

static PyObject *itemsize(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(vn_dtype_size((vn_dtype)number_of(self)));
}

static PyObject *repr(PyObject *self)
{
    return PyUnicode_FromFormat("vinea.%s", vn_dtype_name((vn_dtype)number_of(self)));
}

static PyObject *str(PyObject *self)
{
    return name(self, NULL);
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return name(self, NULL); /* a text: pickled as the name of a global */
}

static Py_hash_t hash(PyObject *self)
{
    return 7919 * (number_of(self) + 1);
}

/* Equal to itself and to what NumPy and others call it. */
static PyObject *compare(PyObject *self, PyObject *other, int how)
{
    if (how != Py_EQ && how != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    int same = self == other;
    if (!same && PyUnicode_Check(other)) {
        int number = dtype_of(other);
        if (number < 0) PyErr_Clear();
        same = number == number_of(self);
    } else if (!same && Py_TYPE(other) != DType_type) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong(same == (how == Py_EQ));
}

static int named(PyObject *text)
{
    const char *s = PyUnicode_AsUTF8AndSize(text, NULL);
    for (int d = 1; s && d < VN_DTYPE_END; d++)
        if (!strcmp(s, vn_dtype_name((vn_dtype)d))) return d;
    return -1;
}

/* A NumPy dtype says its name itself, NumPy's scalar types are classes of that name, torch's dtypes print it behind a dot. */
static int named_by(PyObject *o)
{
    int d = -1;
    PyObject *text = PyObject_GetAttrString(o, PyType_Check(o) ? "__name__" : "name");
    PyErr_Clear();
    if (!text && !PyType_Check(o) && (text = PyObject_Str(o))) {
        PyObject *dot = PyUnicode_FromString("."), *parts = dot ? PyUnicode_RPartition(text, dot) : NULL;
        Py_XDECREF(dot);
        Py_DECREF(text);
        text = parts ? Py_NewRef(PyTuple_GetItem(parts, 2)) : NULL;
        Py_XDECREF(parts);
    }
    if (text && PyUnicode_Check(text)) d = named(text);
    Py_XDECREF(text);
    PyErr_Clear();
    return d;
}

int dtype_of(PyObject *o)
{
    if (Py_TYPE(o) == DType_type) return number_of(o);
    int d = o == (PyObject *)&PyBool_Type      ? VN_BOOL
            : o == (PyObject *)&PyLong_Type    ? VN_I64
            : o == (PyObject *)&PyFloat_Type   ? VN_F32
            : o == (PyObject *)&PyComplex_Type ? VN_C64
            : PyUnicode_Check(o)               ? named(o)
                                               : named_by(o);
    if (d < 0) PyErr_Format(PyExc_TypeError, "%R is no dtype of Vinea", o);
    return d;
}

/* ---- limits and promotion, as the library has them ---- */

/* The dtype of an array of any library, or of a sequence as an array; or a dtype. -1 raises. */
static int dtype_in(PyObject *o)
{
    if (is_array(o)) return (int)vn_dtype_of(handle_of(o));
    if (PyList_Check(o) || PyTuple_Check(o)) {
        vn_scope scope = vn_scope_begin();
        vn_array *x = array_from(o, -1, COPY_IF_NEEDED);
        const int d = x ? (int)vn_dtype_of(x) : -1;
        vn_scope_end(scope);
        return d;
    }
    PyObject *dtype = Py_TYPE(o) == DType_type || PyType_Check(o) ? NULL : PyObject_GetAttrString(o, "dtype");
    PyErr_Clear();
    const int d = dtype_of(dtype ? dtype : o);
    Py_XDECREF(dtype);
    return d;
}

/* The dtype of a number beside others: the default of its kind where it is of a wider kind than they are, else none (-1). */
static int dtype_beside(PyObject *number, int found)
{
    const uint32_t d = found ? VN_BIT(found) : 0;
    if (PyComplex_Check(number)) return d & VN_COMPLEX ? -1 : VN_C64;
    if (PyFloat_Check(number)) return d & VN_INEXACT ? -1 : VN_F32;
    if (PyBool_Check(number)) return d ? -1 : VN_BOOL;
    return d & VN_NUMERIC ? -1 : VN_I64;
}

static PyObject *result_type(PyObject *module, PyObject *args)
{
    (void)module;
    int found = VN_NO_DTYPE;
    const Py_ssize_t n = PyTuple_Size(args);
    for (int numbers = 0; numbers < 2; numbers++) {
        for (Py_ssize_t k = 0; k < n; k++) {
            PyObject *o = PyTuple_GetItem(args, k);
            if (is_number(o) != numbers) continue;
            const int d = numbers ? dtype_beside(o, found) : dtype_in(o);
            if (d < 0 && !numbers) return NULL;
            if (d >= 0) found = found ? vn_result_type(0, NULL, 2, (int32_t[]){found, d}) : d;
            if (!found) return raise_error();
        }
    }
    if (!found) return PyErr_SetString(PyExc_ValueError, "result_type: at least one array or dtype is needed"), NULL;
    return Py_NewRef(dtypes[found]);
}

static PyObject *can_cast(PyObject *module, PyObject *args)
{
    PyObject *from, *to;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:can_cast", &from, &to)) return NULL;
    const int a = dtype_in(from), b = a < 0 ? -1 : dtype_of(to);
    return b < 0 ? NULL : PyBool_FromLong(vn_can_cast(a, b));
}

/* (bits, eps, max, min, smallest_normal, dtype) */
static PyObject *finfo(PyObject *module, PyObject *type)
{
    (void)module;
    const int d = dtype_in(type);
    vn_float_info i = {.size = sizeof i};
    if (d < 0) return NULL;
    if (vn_finfo(d, &i)) return raise_error();
    return Py_BuildValue("(iddddO)", i.bits, i.eps, i.max, i.min, i.smallest_normal, dtypes[i.dtype]);
}

/* (bits, max, min, dtype) */
static PyObject *iinfo(PyObject *module, PyObject *type)
{
    (void)module;
    const int d = dtype_in(type);
    vn_int_info i = {.size = sizeof i};
    if (d < 0) return NULL;
    if (vn_iinfo(d, &i)) return raise_error();
    return Py_BuildValue("(iKLO)", i.bits, (unsigned long long)i.max, (long long)i.min, dtypes[i.dtype]);
}

int dtype_add_to(PyObject *module)
{
    static PyGetSetDef attributes[] = {
        {"name", name, NULL, "its name, such as 'float32'", NULL},
        {"itemsize", itemsize, NULL, "bytes of an element", NULL},
        {0},
    };
    static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {0}};
    static PyMethodDef functions[] = {
        {"result_type", result_type, METH_VARARGS,
         "result_type(*arrays_and_dtypes)\n--\n\nThe dtype that an operation on these arrays, dtypes and Python numbers has."},
        {"can_cast", can_cast, METH_VARARGS,
         "can_cast(from_, to, /)\n--\n\nWhether promotion takes one dtype, or that of an array, to another."},
        {"finfo", finfo, METH_O, NULL},
        {"iinfo", iinfo, METH_O, NULL},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {Py_tp_repr, repr},
        {Py_tp_str, str},
        {Py_tp_hash, hash},
        {Py_tp_richcompare, compare},
        {Py_tp_doc, "The type of an array's elements."},
        {0},
    };
    static PyType_Spec spec = {"vinea.DType", sizeof(DType), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    DType_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!DType_type || PyModule_AddObjectRef(module, "DType", (PyObject *)DType_type)) return -1;
    PyObject *all = PyTuple_New(VN_DTYPE_END - 1);
    if (!all) return -1;
    for (int d = 1; d < VN_DTYPE_END; d++) {
        DType *o = (DType *)PyType_GenericAlloc(DType_type, 0);
        if (!o) return -1;
        o->number = d;
        dtypes[d] = (PyObject *)o;
        PyTuple_SetItem(all, d - 1, Py_NewRef(dtypes[d]));
    }
    int bad = PyModule_AddObjectRef(module, "dtypes", all);
    Py_DECREF(all);
    return bad ? -1 : PyModule_AddFunctions(module, functions);
}
