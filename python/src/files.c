/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: trees of arrays to and from files: safetensors, npz, npy. vinea/_array.py builds save and load of these. */
#include "network.h"

/* save(path, tree) */
static PyObject *save(PyObject *module, PyObject *args)
{
    PyObject *path, *value;
    int code;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O:save", PyUnicode_FSConverter, &path, &value)) return NULL;
    PyObject *z = NULL;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(value, true);
    if (t) {
        UNLOCKED(code = vn_save(PyBytes_AsString(path), t, NULL));
        z = done(code);
    }
    vn_scope_end(scope);
    Py_DECREF(path);
    return z;
}

/* load(path, copy): the tree as nested dicts */
static PyObject *load(PyObject *module, PyObject *args)
{
    PyObject *path;
    vn_load_opts opts = {.size = sizeof opts};
    vn_tree *t;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&:load", PyUnicode_FSConverter, &path, flag_from, &opts.copy) || !engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    UNLOCKED(t = vn_load(PyBytes_AsString(path), &opts));
    PyObject *z = t ? nested_dicts(t) : raise_error();
    vn_scope_end(scope);
    Py_DECREF(path);
    return z;
}

int files_add_to(PyObject *module)
{
    static PyMethodDef functions[] = {{"save", save, METH_VARARGS, NULL}, {"load", load, METH_VARARGS, NULL}, {0}};
    return PyModule_AddFunctions(module, functions);
}
