/* dtype.c: dtype objects, one for each element type; what they are called comes from the library. */
#include "binding.h"
#include <string.h>

typedef struct {
    PyObject_HEAD
    int number;
} DType;

PyObject *dtypes[VN_DTYPE_COUNT];
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
    for (int d = 0; s && d < VN_DTYPE_COUNT; d++)
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
        PyObject *parts = PyUnicode_RPartition(text, PyUnicode_FromString("."));
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

int dtype_add_to(PyObject *module)
{
    static PyGetSetDef attributes[] = {
        {"name", name, NULL, "its name, such as 'float32'", NULL},
        {"itemsize", itemsize, NULL, "bytes of an element", NULL},
        {0},
    };
    static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {0}};
    static PyType_Slot slots[] = {
        {Py_tp_getset, attributes}, {Py_tp_methods, methods}, {Py_tp_repr, repr}, {Py_tp_str, str}, {Py_tp_hash, hash},
        {Py_tp_richcompare, compare}, {Py_tp_doc, "The type of an array's elements."}, {0},
    };
    static PyType_Spec spec = {"vinea.DType", sizeof(DType), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    DType_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!DType_type || PyModule_AddObjectRef(module, "DType", (PyObject *)DType_type)) return -1;
    PyObject *all = PyTuple_New(VN_DTYPE_COUNT);
    if (!all) return -1;
    for (int d = 0; d < VN_DTYPE_COUNT; d++) {
        DType *o = (DType *)PyType_GenericAlloc(DType_type, 0);
        if (!o) return -1;
        o->number = d;
        dtypes[d] = (PyObject *)o;
        PyTuple_SetItem(all, d, Py_NewRef(dtypes[d]));
    }
    int bad = PyModule_AddObjectRef(module, "dtypes", all);
    Py_DECREF(all);
    return bad;
}
