/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.c: disables NumPy's floating-point warnings during a kernel, in this thread only.
 *
 * NumPy 2 keeps the setting in a context variable, NumPy 1 in a per-thread list. In a thread whose interpreter state is Vinea's own
 * it is set once; in a thread of the user's Python it is restored after each kernel. */
#include "numpy_engine.h"

static PyObject *variable, *ignore;   /* NumPy 2: the context variable, and its value that ignores everything */
static PyObject *get_list, *set_list; /* NumPy 1 */

/* NumPy 2: umath._make_extobj(all="ignore"). */
static PyObject *make_ignore(PyObject *umath)
{
    PyObject *maker = py.PyObject_GetAttrString(umath, "_make_extobj");
    PyObject *word = py.PyUnicode_FromString("ignore"), *key = py.PyUnicode_FromString("all"), *keys = py.PyTuple_New(1);
    PyObject *made = NULL;
    if (keys && key && !py.PyTuple_SetItem(keys, 0, key)) {
        key = NULL; /* owned by the tuple now */
        if (maker && word) made = py.PyObject_Vectorcall(maker, &word, 0, keys);
    }
    vn_python_drop(maker);
    vn_python_drop(word);
    vn_python_drop(key);
    vn_python_drop(keys);
    return made;
}

/* NumPy 1: the list is [buffer size, what to do per kind of error, callback]; 0 ignores all. */
static PyObject *make_list(void)
{
    static const int64_t values[] = {8192, 0};
    PyObject *tuple = vn_python_ints(values, 2), *type = vn_python_import("builtins", "list");
    PyObject *list = tuple && type ? py.PyObject_Vectorcall(type, &tuple, 1, NULL) : NULL;
    PyObject *append = list ? py.PyObject_GetAttrString(list, "append") : NULL;
    PyObject *done = append ? py.PyObject_Vectorcall(append, &py.None, 1, NULL) : NULL;
    if (!done) {
        vn_python_drop(list);
        list = NULL;
    }
    vn_python_drop(done);
    vn_python_drop(append);
    vn_python_drop(type);
    vn_python_drop(tuple);
    return list;
}

static PyObject *import_umath(void)
{
    PyObject *umath = py.PyImport_ImportModule("numpy._core.umath");
    if (umath) return umath;
    py.PyErr_Clear();
    return py.PyImport_ImportModule("numpy.core.umath"); /* its index in NumPy 1 */
}

int np_quiet_open(void)
{
    if (ignore) return 0;
    PyObject *umath = import_umath();
    if (!umath) return -1;
    variable = py.PyObject_GetAttrString(umath, "_extobj_contextvar");
    if (variable) {
        ignore = make_ignore(umath);
    } else {
        py.PyErr_Clear();
        get_list = py.PyObject_GetAttrString(umath, "geterrobj");
        set_list = get_list ? py.PyObject_GetAttrString(umath, "seterrobj") : NULL;
        ignore = set_list ? make_list() : NULL;
    }
    py.Py_DecRef(umath);
    return ignore ? 0 : -1;
}

static int begin_list(PyObject **kept)
{
    PyObject *old = py.PyObject_Vectorcall(get_list, NULL, 0, NULL);
    PyObject *done = old ? py.PyObject_Vectorcall(set_list, &ignore, 1, NULL) : NULL;
    if (!done) {
        vn_python_drop(old);
        return -1;
    }
    py.Py_DecRef(done);
    *kept = old;
    return 0;
}

int np_quiet_begin(PyObject **kept)
{
    PyObject *now = NULL;
    *kept = NULL;
    if (!variable) return begin_list(kept);
    if (py.PyContextVar_Get(variable, NULL, &now)) return -1;
    vn_python_drop(now); /* only compared: the thread's context holds it */
    if (now == ignore) return 0;
    PyObject *token = py.PyContextVar_Set(variable, ignore);
    if (!token) return -1;
    if (vn_python_own_thread()) py.Py_DecRef(token);
    else *kept = token;
    return 0;
}

/* Preserves a pending exception. */
void np_quiet_end(PyObject *kept)
{
    PyObject *type, *value, *trace;
    if (!kept) return;
    py.PyErr_Fetch(&type, &value, &trace);
    if (variable) py.PyContextVar_Reset(variable, kept);
    else vn_python_drop(py.PyObject_Vectorcall(set_list, &kept, 1, NULL));
    py.Py_DecRef(kept);
    py.PyErr_Restore(type, value, trace);
}
