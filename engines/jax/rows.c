/* rows.c: the ops that JAX computes. Each row names its entry in the dictionary OPS of replay.py, which does the work. */
#include "jax_engine.h"

#include <string.h>

static const vn_kernel_row rows[] = {
    {"add", VN_REAL, NULL, NULL, "add"},
    {"sub", VN_REAL, NULL, NULL, "subtract"},
    {"mul", VN_REAL, NULL, NULL, "multiply"},
    {"neg", VN_REAL, NULL, NULL, "negative"},
    {"square", VN_REAL, NULL, NULL, "square"},
    {"exp", VN_FLOATS, NULL, NULL, "exp"},
    {"tanh", VN_FLOATS, NULL, NULL, "tanh"},
    {"matmul", VN_REAL, NULL, NULL, "matmul"},
    {"sum", VN_ANY, NULL, NULL, "sum"},
    {"reshape", VN_ANY, NULL, NULL, "reshape"},
    {"broadcast_to", VN_ANY, NULL, NULL, "broadcast_to"},
    {"permute_dims", VN_ANY, NULL, NULL, "permute_dims"},
    {"slice", VN_ANY, NULL, NULL, "slice"},
    {"slice_set", VN_ANY, NULL, NULL, "slice_set"},
    {"cast", VN_ANY, NULL, NULL, "cast"},
};

enum { ROWS = sizeof rows / sizeof *rows };

vn_kernel_row jax_kernels[ROWS + 1];

/* The names of all rows as a tuple. */
static PyObject *all_names(void)
{
    PyObject *names = py.PyTuple_New(ROWS);
    for (int i = 0; names && i < ROWS; i++) {
        PyObject *name = py.PyUnicode_FromString(rows[i].data);
        if (name && !py.PyTuple_SetItem(names, i, name)) continue;
        py.Py_DecRef(names);
        return NULL;
    }
    return names;
}

/* 1 if the tuple of names has this one, 0 if not, -1 with the exception pending. */
static int listed(PyObject *names, const char *name)
{
    for (ptrdiff_t i = 0, n = py.PyTuple_Size(names); i < n; i++) {
        const char *text = py.PyUnicode_AsUTF8(py.PyTuple_GetItem(names, i));
        if (!text) return -1;
        if (!strcmp(text, name)) return 1;
    }
    return 0;
}

int jax_bind(PyObject *missing)
{
    PyObject *names = all_names();
    PyObject *lacking = names ? py.PyObject_Vectorcall(missing, &names, 1, NULL) : NULL;
    int n = 0, failed = !lacking;
    for (int i = 0; i < ROWS && !failed; i++) {
        int lacks = listed(lacking, rows[i].data);
        if (lacks < 0) failed = 1;
        else if (lacks) jax_host->log("jax: replay.py has no %s, so %s is left out", (const char *)rows[i].data, rows[i].op);
        else jax_kernels[n++] = rows[i];
    }
    jax_kernels[n] = (vn_kernel_row){0};
    vn_python_drop(lacking);
    vn_python_drop(names);
    return failed ? -1 : 0;
}
