/* SPDX-License-Identifier: Apache-2.0 */
/* gradient.c: derivatives of recorded arrays, custom gradients. vinea/_gradient.py builds grad, jacobian and others of these. */
#include "binding.h"

vn_array **handles_of(PyObject *sequence, int *n)
{
    const Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0) return NULL;
    vn_array **list = size < INT32_MAX ? PyMem_Malloc((size_t)(size + 1) * sizeof *list) : NULL;
    if (!list) return PyErr_NoMemory(), NULL;
    for (*n = 0; *n < size; ++*n) {
        PyObject *x = PySequence_GetItem(sequence, *n);
        const bool good = x && is_array(x);
        if (good) list[*n] = held_of(x);
        Py_XDECREF(x);
        if (good) continue;
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "arrays are needed");
        PyMem_Free(list);
        return NULL;
    }
    return list;
}

PyObject *list_of_arrays(int n, vn_array *const *scoped)
{
    PyObject *list = PyList_New(n);
    for (int k = 0; list && k < n; k++) {
        PyObject *x = array_keep(scoped[k]);
        if (!x) return Py_DECREF(list), NULL;
        PyList_SetItem(list, k, x);
    }
    return list;
}

/* grads(loss, arrays, retain): the gradients of a scalar with respect to arrays that it was computed from. */
static PyObject *grads(PyObject *module, PyObject *args)
{
    PyObject *loss, *wrt;
    int retain, n, code;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!Op:grads", Array_type, &loss, &wrt, &retain)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array **in = handles_of(wrt, &n), **out = in ? PyMem_Malloc((size_t)(n + 1) * sizeof *out) : NULL;
    PyObject *z = NULL;
    if (in && !out) PyErr_NoMemory();
    if (out) {
        const vn_grad_opts opts = {.size = sizeof opts, .retain = retain};
        vn_array *h = held_of(loss);
        UNLOCKED(code = vn_grads(h, n, in, &opts, out));
        z = code ? raise_error() : list_of_arrays(n, out);
    }
    vn_scope_end(scope);
    PyMem_Free(in);
    PyMem_Free(out);
    return z;
}

bool keeps_gradient(vn_array *x)
{
    if (!vn_has_history(x) || !vn_takes_gradients()) return true;
    PyErr_SetString(
        PyExc_RuntimeError,
        "derivatives are taken through this array, and other libraries and Python's floats do not know of them: use functions of "
        "vinea, or vinea.stop_gradient(x) where x is to be a constant");
    return false;
}

/* grad_mode(mode): pushes a mode, or pops one if it is -1. */
static PyObject *grad_mode(PyObject *module, PyObject *mode)
{
    (void)module;
    const long m = PyLong_AsLong(mode);
    if (m == -1 && PyErr_Occurred()) return NULL;
    if (m < 0 ? vn_unset_with_grads() : vn_set_with_grads((int)m)) return raise_error();
    Py_RETURN_NONE;
}

/* ---- functions that the library calls ---- */

static PyObject *call_with(PyObject *fn, int n, vn_array *const *in)
{
    PyObject *args = PyTuple_New(n);
    for (int k = 0; args && k < n; k++) {
        PyObject *x = array_keep(in[k]);
        if (!x) return Py_DECREF(args), NULL;
        PyTuple_SetItem(args, k, x);
    }
    PyObject *z = args ? PyObject_CallObject(fn, args) : NULL;
    Py_XDECREF(args);
    return z;
}

vn_array *callback_result(PyObject *result)
{
    vn_array *y = NULL;
    if (result && is_array(result)) y = held_of(result);
    else if (result) PyErr_SetString(PyExc_TypeError, "the function must return an array");
    if (PyErr_Occurred()) error_waits();
    Py_XDECREF(result);
    return y;
}

/* A Python function of one array. An exception ends the call that led here, which raises it. */
vn_array *function_of_one(vn_array *x, void *fn)
{
    PyGILState_STATE state = PyGILState_Ensure();
    vn_array *y = callback_result(call_with(fn, 1, &x));
    PyGILState_Release(state);
    return y;
}

static PyObject *transform(PyObject *args, const char *name, int which)
{
    PyObject *fn, *x, *v = Py_None;
    if (!PyArg_ParseTuple(args, "OO!|O", &fn, Array_type, &x, &v)) return NULL;
    if (which >= 2 ? !is_array(v) : v != Py_None) return PyErr_Format(PyExc_TypeError, "%s: an array is needed", name), NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *h = held_of(x), *along = v == Py_None ? NULL : held_of(v), *d = NULL, *y = NULL;
    UNLOCKED(d = which == 0   ? vn_jac_of(function_of_one, h, fn)
                 : which == 1 ? vn_hessian_of(function_of_one, h, fn)
                 : which == 2 ? vn_vjp_of(function_of_one, h, along, fn, &y)
                              : vn_jvp_of(function_of_one, h, along, fn, &y));
    PyObject *z = d ? array_keep(d) : raise_error();
    if (z && which >= 2) z = Py_BuildValue("(NN)", array_keep(y), z);
    vn_scope_end(scope);
    return z;
}

static PyObject *jacobian(PyObject *module, PyObject *args)
{
    (void)module;
    return transform(args, "jacobian", 0);
}

static PyObject *hessian(PyObject *module, PyObject *args)
{
    (void)module;
    return transform(args, "hessian", 1);
}

static PyObject *vjp(PyObject *module, PyObject *args)
{
    (void)module;
    return transform(args, "vjp", 2);
}

static PyObject *jvp(PyObject *module, PyObject *args)
{
    (void)module;
    return transform(args, "jvp", 3);
}

/* ---- custom gradients: Custom(fn, rule), called with one array ---- */

typedef struct {
    PyObject_HEAD vn_fn *fn;
} Custom;

/* Recorded arrays may need the rule longer than there is an object: both belong to the library's function. */
typedef struct {
    PyObject *forward, *backward;
} rules;

static vn_array *custom_forward(vn_array *x, void *user)
{
    return function_of_one(x, ((rules *)user)->forward);
}

static vn_array *custom_backward(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    vn_array *g = callback_result(call_with(((rules *)user)->backward, 3, (vn_array *[]){x, y, upstream}));
    PyGILState_Release(state);
    return g;
}

static void free_rules(rules *r)
{
    Py_XDECREF(r->forward);
    Py_XDECREF(r->backward);
    PyMem_Free(r);
}

/* In any thread, and perhaps after the interpreter has ended. */
static void release_rules(void *user)
{
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    free_rules(user);
    PyGILState_Release(state);
}

static PyObject *custom_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *forward, *backward;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "OO:Custom", &forward, &backward)) return NULL;
    rules *r = PyMem_Malloc(sizeof *r);
    if (!r) return PyErr_NoMemory();
    *r = (rules){Py_NewRef(forward), Py_NewRef(backward)};
    Custom *c = (Custom *)PyType_GenericAlloc(type, 0);
    if (!c) return free_rules(r), NULL;
    vn_scope scope = vn_scope_begin();
    vn_fn *fn = vn_bind_custom_gradient(custom_forward, custom_backward, r);
    c->fn = fn && !vn_fn_at_end(fn, release_rules) ? vn_fn_keep(fn) : NULL;
    vn_scope_end(scope);
    if (fn) return (PyObject *)c;
    free_rules(r);
    Py_DECREF((PyObject *)c);
    return raise_error();
}

static void custom_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((Custom *)self)->fn) vn_fn_drop(((Custom *)self)->fn);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *custom_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *x;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!", Array_type, &x)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *y, *h = held_of(x);
    UNLOCKED(y = vn_fn_call(((Custom *)self)->fn, h));
    PyObject *z = y ? array_keep(y) : raise_error();
    vn_scope_end(scope);
    return z;
}

static int add_types(PyObject *module)
{
    static PyType_Slot custom_slots[] = {{Py_tp_new, custom_new}, {Py_tp_dealloc, custom_free}, {Py_tp_call, custom_call}, {0}};
    static PyType_Spec custom = {"vinea.Custom", sizeof(Custom), 0, Py_TPFLAGS_DEFAULT, custom_slots};
    PyObject *type = PyType_FromSpec(&custom);
    return type && !PyModule_AddObjectRef(module, "Custom", type) ? 0 : -1;
}

int gradient_add_to(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"grads", grads, METH_VARARGS, NULL},
        {"grad_mode", grad_mode, METH_O, NULL},
        {"jacobian", jacobian, METH_VARARGS, NULL},
        {"hessian", hessian, METH_VARARGS, NULL},
        {"vjp", vjp, METH_VARARGS, NULL},
        {"jvp", jvp, METH_VARARGS, NULL},
        {0},
    };
    return add_types(module) ? -1 : PyModule_AddFunctions(module, functions);
}
