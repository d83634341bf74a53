/* kernels.c: the kernel table. The Python files hold it: OPS of replay.py names each op that JAX computes, with its dtypes and its
 * function. */
#include "jax_engine.h"

enum { MOST_OPS = 511 };

vn_kernel_row jax_kernels[MOST_OPS + 1];

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

/* A row of an (op, mask); -1 with the exception pending. The op's name lives as long as the pair. */
static int take_row(PyObject *pair, vn_kernel_row *row)
{
    PyObject *op = pair ? py.PyTuple_GetItem(pair, 0) : NULL, *dtypes = op ? py.PyTuple_GetItem(pair, 1) : NULL;
    *row = (vn_kernel_row){0};
    if (!dtypes || !(row->op = py.PyUnicode_AsUTF8(op))) return -1;
    row->dtypes = (uint32_t)py.PyLong_AsLongLong(dtypes);
    return 0;
}

int jax_bind(PyObject *module)
{
    static PyObject *table; /* of the latest open: the rows point into it */
    PyObject *list = py.PyObject_GetAttrString(module, "kernels"), *room = py.PyLong_FromLongLong(MOST_OPS);
    PyObject *args[] = {vn_python_tuple_by(meaning, NULL, sizeof words / sizeof *words), room};
    PyObject *pairs = list && args[0] && room ? py.PyObject_Vectorcall(list, args, 2, NULL) : NULL;
    int failed = !pairs;
    const ptrdiff_t n = pairs ? py.PyTuple_Size(pairs) : 0;
    for (ptrdiff_t i = 0; i < n && !failed; i++) failed = take_row(py.PyTuple_GetItem(pairs, i), &jax_kernels[i]);
    jax_kernels[failed ? 0 : n] = (vn_kernel_row){0};
    vn_python_drop(table);
    table = pairs;
    vn_python_drop(args[0]);
    vn_python_drop(room);
    vn_python_drop(list);
    return failed ? -1 : 0;
}
