/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c: captured functions: Captured(fn), called with a list of arrays. vinea/_jit.py builds jit of them.
 *
 * A recorded program keeps the values of arrays that the function takes from outside: weights of modules, arrays it closes over. They are
 * noted while the function runs, so that `stale` can tell whether one has another value now and the function must be recorded again. */
#include "network.h"

_Thread_local bool capturing;
int captures;

typedef struct {
    PyObject *array;
    vn_array *handle; /* what the array had, kept */
    int64_t changes;  /* of the handle's value by then */
} seen;

typedef struct {
    vn_module *module; /* kept */
    int training;
} mode;

typedef struct {
    PyObject_HEAD vn_fn *fn;
    PyObject *function; /* takes and returns a list of arrays */
    seen *arrays;
    mode *modes;
    int n_arrays, n_modes;
    bool forgot; /* something could not be noted */
} Captured;

/* The functions that this thread is inside of. */
typedef struct level {
    Captured *captured;
    uint32_t number;
    struct level *outer;
} level;
static _Thread_local level *innermost;

uint32_t capture_number(void)
{
    return innermost ? innermost->number : 0;
}

bool capture_is_outside(const Array *a)
{
    return innermost && a->capture < innermost->number;
}

/* ---- notes ---- */

/* Room for one more in a list whose size is doubled when it is full; NULL: memory is short. */
static void *grown(void *list, int n, size_t each)
{
    return n & (n - 1) ? list : PyMem_Realloc(list, (size_t)(n ? 2 * n : 1) * each);
}

static void note_array(Captured *c, Array *a)
{
    vn_array *h = a->handle ? a->handle : array_handle(a);
    for (int k = 0; k < c->n_arrays; k++)
        if (c->arrays[k].array == (PyObject *)a || (a->bound && c->arrays[k].handle == h)) return;
    seen *list = h ? grown(c->arrays, c->n_arrays, sizeof *list) : NULL;
    if (!list) {
        c->forgot = true;
        return;
    }
    c->arrays = list;
    list[c->n_arrays++] = (seen){Py_NewRef((PyObject *)a), vn_keep(h), vn_changes(h)};
}

void capture_note(PyObject *array)
{
    Array *a = (Array *)array;
    for (level *l = innermost; l; l = l->outer)
        if (a->capture < l->number) note_array(l->captured, a);
}

static void note_mode(Captured *c, vn_module *m, int training)
{
    for (int k = 0; k < c->n_modes; k++)
        if (c->modes[k].module == m) return;
    mode *list = grown(c->modes, c->n_modes, sizeof *list);
    if (!list) {
        c->forgot = true;
        return;
    }
    c->modes = list;
    list[c->n_modes++] = (mode){vn_module_keep(m), training};
}

static bool note_tree(const vn_tree *t)
{
    for (int k = 0; t && k < vn_tree_leaves(t); k++) {
        PyObject *x = array_bound(vn_tree_leaf(t, k));
        if (!x) return false;
        capture_note(x);
        Py_DECREF(x);
    }
    return t || (raise_error(), false);
}

bool capture_note_module(vn_module *m)
{
    if (!innermost) return true;
    for (level *l = innermost; l; l = l->outer) note_mode(l->captured, m, vn_module_training(m));
    return note_tree(vn_module_v(m)) && note_tree(vn_module_buffers(m));
}

/* stale(): whether an array or module from outside is not what it was when the function was recorded. */
static PyObject *captured_stale(PyObject *self, PyObject *unused)
{
    const Captured *c = (Captured *)self;
    bool stale = c->forgot;
    (void)unused;
    for (int k = 0; k < c->n_arrays && !stale; k++) {
        const seen *s = &c->arrays[k];
        stale = ((Array *)s->array)->handle != s->handle || vn_changes(s->handle) != s->changes;
    }
    for (int k = 0; k < c->n_modes && !stale; k++) stale = vn_module_training(c->modes[k].module) != c->modes[k].training;
    return PyBool_FromLong(stale);
}

/* used: the arrays from outside that are not variables of modules. */
static PyObject *captured_used(PyObject *self, void *unused)
{
    const Captured *c = (Captured *)self;
    PyObject *list = PyList_New(0);
    (void)unused;
    for (int k = 0; list && k < c->n_arrays; k++)
        if (!((Array *)c->arrays[k].array)->bound && PyList_Append(list, c->arrays[k].array)) Py_CLEAR(list);
    return list;
}

/* ---- recording and calling ---- */

static PyObject *call_inside(Captured *c, int n, vn_array *const *in)
{
    static uint32_t last;
    level here = {c, ++last, innermost};
    const bool before = capturing;
    capturing = true;
    innermost = &here;
    captures++;
    PyObject *args = list_of_arrays(n, in), *z = args ? PyObject_CallFunctionObjArgs(c->function, args, NULL) : NULL;
    captures--;
    innermost = here.outer;
    capturing = before;
    Py_XDECREF(args);
    return z;
}

static int captured_body(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    int found = 0, code = VN_E_CALLBACK;
    PyObject *z = call_inside(user, n, in);
    vn_array **list = z ? handles_of(z, &found) : NULL;
    if (list && found <= n_out) code = VN_OK;
    else if (list) PyErr_Format(PyExc_ValueError, "jit: the function returned %d arrays; %d are possible", found, n_out);
    for (int k = 0; k < found && !code; k++) {
        out[k] = list[k];
        if (!out[k]) code = vn_status();
    }
    if (PyErr_Occurred()) error_waits();
    PyMem_Free(list);
    Py_XDECREF(z);
    PyGILState_Release(state);
    return code;
}

static PyObject *captured_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *function;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O:Captured", &function)) return NULL;
    Captured *c = (Captured *)PyType_GenericAlloc(type, 0);
    if (!c) return NULL;
    c->function = Py_NewRef(function);
    vn_scope scope = vn_scope_begin();
    vn_fn *fn = vn_capture(captured_body, 0, c);
    c->fn = fn ? vn_fn_keep(fn) : NULL;
    vn_scope_end(scope);
    if (fn) return (PyObject *)c;
    Py_DECREF(c);
    return raise_error();
}

static void captured_free(PyObject *self)
{
    Captured *c = (Captured *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (c->fn) vn_fn_drop(c->fn);
    for (int k = 0; k < c->n_arrays; k++) {
        vn_drop(c->arrays[k].handle);
        Py_DECREF(c->arrays[k].array);
    }
    for (int k = 0; k < c->n_modes; k++) vn_module_drop(c->modes[k].module);
    PyMem_Free(c->arrays);
    PyMem_Free(c->modes);
    Py_XDECREF(c->function);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static int captured_traverse(PyObject *self, visitproc visit, void *arg)
{
    const Captured *c = (Captured *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(c->function);
    for (int k = 0; k < c->n_arrays; k++) Py_VISIT(c->arrays[k].array);
    return 0;
}

/* A function that is called inside another one gives it its notes. */
static void pass_on(const Captured *c)
{
    for (int k = 0; k < c->n_arrays; k++) capture_note(c->arrays[k].array);
    for (level *l = innermost; l; l = l->outer)
        for (int k = 0; k < c->n_modes && l->captured != c; k++) note_mode(l->captured, c->modes[k].module, c->modes[k].training);
}

/* (arrays): a list of the results */
static PyObject *captured_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    enum { MAX_RESULTS = 1024 }; /* results of vn_fn_call_many */
    PyObject *arrays, *z = NULL;
    vn_array *out[MAX_RESULTS];
    int n, n_out = 0, code;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O", &arrays) || !engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array **in = handles_of(arrays, &n);
    if (in) {
        UNLOCKED(code = vn_fn_call_many(((Captured *)self)->fn, n, in, MAX_RESULTS, out));
        if (innermost) pass_on((Captured *)self);
        while (!code && n_out < MAX_RESULTS && out[n_out]) n_out++;
        z = code ? raise_error() : list_of_arrays(n_out, out);
    }
    vn_scope_end(scope);
    PyMem_Free(in);
    return z;
}

int capture_add_to(PyObject *module)
{
    static PyMethodDef methods[] = {{"stale", captured_stale, METH_NOARGS, NULL}, {0}};
    static PyGetSetDef attributes[] = {{"used", captured_used, NULL, NULL, NULL}, {0}};
    static PyType_Slot slots[] = {{Py_tp_new, captured_new},
                                  {Py_tp_call, captured_call},
                                  {Py_tp_dealloc, captured_free},
                                  {Py_tp_traverse, captured_traverse},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, attributes},
                                  {0}};
    static PyType_Spec spec = {"vinea.Captured", sizeof(Captured), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyObject *type = PyType_FromSpec(&spec);
    return type && !PyModule_AddObjectRef(module, "Captured", type) ? 0 : -1;
}
