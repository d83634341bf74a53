/* kernels.c: the kernel table. Each row names its entry in the dictionary OPS of replay.py. */
#include "jax_engine.h"

#include <string.h>

#define FULL_FLOATS (VN_BIT(VN_F32) | VN_BIT(VN_F64)) /* the core passes half precision as float32 to these */

static const vn_kernel_row rows[] = {
    {"add", VN_NUMERIC, NULL, NULL, "add"},
    {"sub", VN_NUMERIC, NULL, NULL, "subtract"},
    {"mul", VN_NUMERIC, NULL, NULL, "multiply"},
    {"div", VN_INEXACT, NULL, NULL, "divide"},
    {"floor_divide", VN_REAL, NULL, NULL, "floor_divide"},
    {"remainder", VN_REAL, NULL, NULL, "remainder"},
    {"pow", VN_FLOATS, NULL, NULL, "power"},
    {"maximum", VN_REAL, NULL, NULL, "maximum"},
    {"minimum", VN_REAL, NULL, NULL, "minimum"},
    {"atan2", VN_FLOATS, NULL, NULL, "arctan2"},
    {"neg", VN_NUMERIC, NULL, NULL, "negative"},
    {"abs", VN_NUMERIC, NULL, NULL, "absolute"},
    {"sign", VN_NUMERIC, NULL, NULL, "sign"},
    {"square", VN_NUMERIC, NULL, NULL, "square"},
    {"sqrt", VN_FLOATS, NULL, NULL, "sqrt"},
    {"floor", VN_REAL, NULL, NULL, "floor"},
    {"ceil", VN_REAL, NULL, NULL, "ceil"},
    {"trunc", VN_REAL, NULL, NULL, "trunc"},
    {"round", VN_REAL, NULL, NULL, "round"},
    {"exp", VN_FLOATS, NULL, NULL, "exp"},
    {"expm1", VN_FLOATS, NULL, NULL, "expm1"},
    {"log", VN_FLOATS, NULL, NULL, "log"},
    {"log1p", VN_FLOATS, NULL, NULL, "log1p"},
    {"log2", VN_FLOATS, NULL, NULL, "log2"},
    {"log10", VN_FLOATS, NULL, NULL, "log10"},
    {"sin", VN_FLOATS, NULL, NULL, "sin"},
    {"cos", VN_FLOATS, NULL, NULL, "cos"},
    {"tan", VN_FLOATS, NULL, NULL, "tan"},
    {"asin", VN_FLOATS, NULL, NULL, "arcsin"},
    {"acos", VN_FLOATS, NULL, NULL, "arccos"},
    {"atan", VN_FLOATS, NULL, NULL, "arctan"},
    {"sinh", VN_FLOATS, NULL, NULL, "sinh"},
    {"cosh", VN_FLOATS, NULL, NULL, "cosh"},
    {"tanh", VN_FLOATS, NULL, NULL, "tanh"},
    {"asinh", VN_FLOATS, NULL, NULL, "arcsinh"},
    {"acosh", VN_FLOATS, NULL, NULL, "arccosh"},
    {"atanh", VN_FLOATS, NULL, NULL, "arctanh"},
    {"erf", VN_FLOATS, NULL, NULL, "erf"},
    {"sigmoid", VN_FLOATS, NULL, NULL, "sigmoid"},
    {"bitwise_and", VN_BIT(VN_BOOL) | VN_INTS, NULL, NULL, "bitwise_and"},
    {"bitwise_or", VN_BIT(VN_BOOL) | VN_INTS, NULL, NULL, "bitwise_or"},
    {"bitwise_xor", VN_BIT(VN_BOOL) | VN_INTS, NULL, NULL, "bitwise_xor"},
    {"bitwise_left_shift", VN_INTS, NULL, NULL, "left_shift"},
    {"bitwise_right_shift", VN_INTS, NULL, NULL, "right_shift"},
    {"signbit", VN_ANY, NULL, NULL, "signbit"},
    {"nextafter", VN_FLOATS, NULL, NULL, "nextafter"},
    {"lgamma", VN_FLOATS, NULL, NULL, "lgamma"},
    {"erfc", VN_FLOATS, NULL, NULL, "erfc"},
    {"erfinv", VN_FLOATS, NULL, NULL, "erfinv"},
    {"equal", VN_ANY, NULL, NULL, "equal"},
    {"not_equal", VN_ANY, NULL, NULL, "not_equal"},
    {"less", VN_ORDERED, NULL, NULL, "less"},
    {"less_equal", VN_ORDERED, NULL, NULL, "less_equal"},
    {"greater", VN_ORDERED, NULL, NULL, "greater"},
    {"greater_equal", VN_ORDERED, NULL, NULL, "greater_equal"},
    {"isnan", VN_ANY, NULL, NULL, "isnan"},
    {"isinf", VN_ANY, NULL, NULL, "isinf"},
    {"isfinite", VN_ANY, NULL, NULL, "isfinite"},
    {"matmul", VN_NUMERIC, NULL, NULL, "matmul"},
    {"sum", VN_ANY, NULL, NULL, "sum"},
    {"max", VN_REAL, NULL, NULL, "max"},
    {"min", VN_REAL, NULL, NULL, "min"},
    {"cumulative_sum", VN_NUMERIC, NULL, NULL, "cumulative_sum"},
    {"where", VN_ANY, NULL, NULL, "where"},
    {"relu_backward", VN_FLOATS, NULL, NULL, "relu_backward"},
    {"flip", VN_ANY, NULL, NULL, "flip"},
    {"reshape", VN_ANY, NULL, NULL, "reshape"},
    {"broadcast_to", VN_ANY, NULL, NULL, "broadcast_to"},
    {"permute_dims", VN_ANY, NULL, NULL, "permute_dims"},
    {"slice", VN_ANY, NULL, NULL, "slice"},
    {"slice_set", VN_ANY, NULL, NULL, "slice_set"},
    {"take", VN_ANY, NULL, NULL, "take"},
    {"index_add", VN_NUMERIC, NULL, NULL, "index_add"},
    {"index_set", VN_ANY, NULL, NULL, "index_set"},
    {"concat", VN_ANY, NULL, NULL, "concat"},
    {"stride", VN_ANY, NULL, NULL, "stride"},
    {"argsort", VN_ORDERED, NULL, NULL, "argsort"},
    {"searchsorted", VN_ORDERED, NULL, NULL, "searchsorted"},
    {"polygamma", VN_FLOATS, NULL, NULL, "polygamma"},
    {"cholesky", FULL_FLOATS, NULL, NULL, "cholesky"},
    {"solve_triangular", FULL_FLOATS, NULL, NULL, "solve_triangular"},
    {"qr", FULL_FLOATS, NULL, NULL, "qr"},
    {"lu_factor", FULL_FLOATS, NULL, NULL, "lu_factor"},
    {"solve", FULL_FLOATS, NULL, NULL, "solve"},
    {"eigh", FULL_FLOATS, NULL, NULL, "eigh"},
    {"svd", FULL_FLOATS, NULL, NULL, "svd"},
    {"conv", VN_REAL, NULL, NULL, "conv"},
    {"conv_input", VN_REAL, NULL, NULL, "conv_input"},
    {"conv_filter", VN_REAL, NULL, NULL, "conv_filter"},
    {"max_pool", VN_REAL, NULL, NULL, "max_pool"},
    {"max_pool_backward", VN_REAL, NULL, NULL, "max_pool_backward"},
    {"sum_pool", VN_REAL, NULL, NULL, "sum_pool"},
    {"sum_pool_backward", VN_REAL, NULL, NULL, "sum_pool_backward"},
    {"lstm_sequence", FULL_FLOATS, NULL, NULL, "lstm_sequence"},
    {"lstm_backward", FULL_FLOATS, NULL, NULL, "lstm_backward"},
    {"gru_sequence", FULL_FLOATS, NULL, NULL, "gru_sequence"},
    {"gru_backward", FULL_FLOATS, NULL, NULL, "gru_backward"},
    {"attention", VN_FLOATS | VN_BIT(VN_BOOL), NULL, NULL, "attention"},
    {"attention_backward", VN_FLOATS | VN_BIT(VN_BOOL), NULL, NULL, "attention_backward"},
    {"adam_apply", VN_BIT(VN_F32) | VN_BIT(VN_F64), NULL, NULL, "adam_apply"},
    {"cast", VN_ANY, NULL, NULL, "cast"},
    {"complex", VN_INEXACT, NULL, NULL, "complex"},
    {"real", VN_INEXACT, NULL, NULL, "real"},
    {"imag", VN_INEXACT, NULL, NULL, "imag"},
    {"conj", VN_COMPLEX, NULL, NULL, "conj"},
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

/* 1 if the tuple contains the name, 0 if not, -1 with the exception pending. */
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
