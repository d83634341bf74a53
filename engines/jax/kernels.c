/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: the kernel table. The Python files hold it: OPS of replay.py names each op that JAX computes, with its dtypes and its
 * function, whose keyword-only parameters are the options that it reads. */
#include "jax_engine.h"

enum { MAX_OPS = 511 };

vn_kernel_row jax_kernels[MAX_OPS + 1];

/* What the words for dtypes mean in OPS: the dtypes and their sets of types.h. */
static const struct {
    const char *word;
    uint32_t dtypes;
} words[] = {
#define VN__X(id, number, name, bytes) {name, VN_BIT(id)},
    VN_DTYPES(VN__X)
#undef VN__X
        {"ints", VN_INTS},
    {"floats", VN_FLOATS},
    {"real", VN_REAL},
    {"complex", VN_COMPLEX},
    {"inexact", VN_INEXACT},
    {"numeric", VN_NUMERIC},
    {"ordered", VN_ORDERED},
    {"any", VN_ANY},
};

/* (word, mask) of word i. */
static PyObject *meaning(const void *data, int32_t i)
{
    (void)data;
    PyObject *items[] = {py.PyUnicode_FromString(words[i].word), py.PyLong_FromLongLong(words[i].dtypes)};
    return vn_python_tuple(items, 2);
}

/* A row of an (op, mask, options); -1 with the exception pending. The texts live as long as the entry. */
static int take_row(PyObject *entry, vn_kernel_row *row)
{
    PyObject *op = entry ? py.PyTuple_GetItem(entry, 0) : NULL, *dtypes = op ? py.PyTuple_GetItem(entry, 1) : NULL;
    PyObject *options = dtypes ? py.PyTuple_GetItem(entry, 2) : NULL;
    *row = (vn_kernel_row){0};
    if (!options || !(row->op = py.PyUnicode_AsUTF8(op)) || !(row->options = py.PyUnicode_AsUTF8(options))) return -1;
    row->dtypes = (uint32_t)py.PyLong_AsLongLong(dtypes);
    return 0;
}

int jax_bind(PyObject *module)
{
    static PyObject *table; /* of the latest open: the rows point into it */
    PyObject *list = py.PyObject_GetAttrString(module, "kernels"), *room = py.PyLong_FromLongLong(MAX_OPS);
    PyObject *args[] = {vn_python_tuple_by(meaning, NULL, sizeof words / sizeof *words), room};
    PyObject *entries = list && args[0] && room ? py.PyObject_Vectorcall(list, args, 2, NULL) : NULL;
    int failed = !entries;
    const ptrdiff_t n = entries ? py.PyTuple_Size(entries) : 0;
    for (ptrdiff_t i = 0; i < n && !failed; i++) failed = take_row(py.PyTuple_GetItem(entries, i), &jax_kernels[i]);
    jax_kernels[failed ? 0 : n] = (vn_kernel_row){0};
    vn_python_drop(table);
    table = entries;
    vn_python_drop(args[0]);
    vn_python_drop(room);
    vn_python_drop(list);
    return failed ? -1 : 0;
}
