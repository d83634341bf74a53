/* SPDX-License-Identifier: Apache-2.0 */
/* python_objects.c: Python objects made of plain data, and found by name. */
#include "python_host.h"

#include <stdio.h>
#include <string.h>

PyObject *vn_python_attribute(PyObject *object, const char *dotted)
{
    char name[128];
    py.Py_IncRef(object);
    while (object && *dotted) {
        size_t n = strcspn(dotted, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, dotted);
        PyObject *next = py.PyObject_GetAttrString(object, name);
        py.Py_DecRef(object);
        object = next;
        dotted += n + (dotted[n] == '.');
    }
    return object;
}

PyObject *vn_python_import(const char *module, const char *attribute)
{
    PyObject *m = py.PyImport_ImportModule(module);
    PyObject *found = m ? vn_python_attribute(m, attribute) : NULL;
    vn_python_drop(m);
    return found;
}

PyObject *vn_python_tuple(PyObject *const *items, ptrdiff_t n)
{
    PyObject *tuple = py.PyTuple_New(n);
    int failed = !tuple;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (failed || !items[i]) {
            vn_python_drop(items[i]);
            failed = 1;
        } else {
            failed = py.PyTuple_SetItem(tuple, i, items[i]) != 0;
        }
    }
    if (!failed) return tuple;
    vn_python_drop(tuple);
    return NULL;
}

PyObject *vn_python_tuple_by(PyObject *(*make)(const void *data, int32_t i), const void *data, int32_t n)
{
    PyObject *tuple = py.PyTuple_New(n);
    for (int32_t i = 0; tuple && i < n; i++) {
        PyObject *item = make(data, i);
        if (item && !py.PyTuple_SetItem(tuple, i, item)) continue;
        py.Py_DecRef(tuple);
        return NULL;
    }
    return tuple;
}

static PyObject *integer(const void *data, int32_t i)
{
    return py.PyLong_FromLongLong(((const int64_t *)data)[i]);
}

PyObject *vn_python_ints(const int64_t *values, int32_t n)
{
    return vn_python_tuple_by(integer, values, n);
}

static PyObject *real(const void *data, int32_t i)
{
    return py.PyFloat_FromDouble(((const double *)data)[i]);
}

PyObject *vn_python_option(const void *data, int32_t i)
{
    const vn_option *o = (const vn_option *)data + i;
    switch (o->kind) {
    case VN_OPT_INT: return py.PyLong_FromLongLong(o->u.i);
    case VN_OPT_FLOAT: return py.PyFloat_FromDouble(o->u.f);
    case VN_OPT_INTS: return vn_python_ints(o->u.is, o->n);
    case VN_OPT_FLOATS: return vn_python_tuple_by(real, o->u.fs, o->n);
    default: return py.PyUnicode_FromString(o->u.s ? o->u.s : "");
    }
}

PyObject *vn_python_flag(const void *data, int32_t i)
{
    return py.PyBool_FromLong(((const uint8_t *)data)[i]);
}

PyObject *vn_python_run(const char *engine, const char *stem, const char *text)
{
    enum { FILE_INPUT = 257 }; /* Py_file_input */
    char path[64], module[64];
    snprintf(path, sizeof path, "vinea/engines/%s/%s.py", engine, stem);
    snprintf(module, sizeof module, "_vinea_%s_%s", engine, stem);
    PyObject *code = py.Py_CompileString(text, path, FILE_INPUT);
    PyObject *made = code ? py.PyImport_ExecCodeModule(module, code) : NULL;
    vn_python_drop(code);
    return made;
}

/* ---- the engine's package ---- */

static char version[64], folder[4096];

static int copy_text(PyObject *module, const char *name, char *text, size_t capacity)
{
    PyObject *value = py.PyObject_GetAttrString(module, name);
    const char *utf8 = value ? py.PyUnicode_AsUTF8(value) : NULL;
    if (utf8) snprintf(text, capacity, "%s", utf8);
    vn_python_drop(value);
    return utf8 ? 0 : -1;
}

int vn_python_read_package(const char *package)
{
    PyObject *module = py.PyImport_ImportModule(package);
    int failed =
        !module || copy_text(module, "__version__", version, sizeof version) || copy_text(module, "__file__", folder, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    vn_python_drop(module);
    return failed ? -1 : 0;
}

const char *vn_python_version(vn_context *context)
{
    (void)context;
    return version;
}

const char *vn_python_where(vn_context *context)
{
    (void)context;
    return folder;
}
