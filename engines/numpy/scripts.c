/* SPDX-License-Identifier: Apache-2.0 */
/* scripts.c: ops written in Python with NumPy functions (the .py files of this folder) and the families that call them.
 *
 * The files are embedded in the plugin as text and run once, when it opens. */
#include "numpy_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention_py.h"
#include "composed_py.h"
#include "fft_py.h"
#include "indexing_py.h"
#include "linalg_py.h"
#include "recurrent_py.h"
#include "rows_py.h"
#include "windows_py.h"

/* ---- the files ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *stem, *text;
} files[] = {{"composed", composed_py},   {"indexing", indexing_py},   {"linalg", linalg_py}, {"windows", windows_py},
             {"recurrent", recurrent_py}, {"attention", attention_py}, {"rows", rows_py},     {"fft", fft_py}};

enum { FILES = sizeof files / sizeof *files };

static PyObject *modules[FILES];

int np_run_scripts(void)
{
    for (int i = 0; i < FILES; i++) {
        if (!modules[i] && !(modules[i] = vn_python_run("numpy", files[i].stem, files[i].text))) return -1;
    }
    return 0;
}

PyObject *np_script(const char *name)
{
    for (int i = 0; i < FILES; i++) {
        PyObject *function = py.PyObject_GetAttrString(modules[i], name);
        if (function) return function;
        py.PyErr_Clear();
    }
    return NULL;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------------- */

enum { MAX_OPTIONS = 8 + 1 };

/* The arguments of a function: the options, borrowed, then the inputs. */
typedef struct arguments {
    PyObject **args;
    int n_options, n; /* n: of all */
    PyObject *few[MAX_OPTIONS + NP_MAX_IN];
} arguments;

/* Room for the options and all inputs of a call; -1 with the exception pending. */
static int make_room(arguments *a, const vn_kernel_call *call)
{
    a->args = call->instr->n_in > NP_MAX_IN ? malloc((size_t)(MAX_OPTIONS + call->instr->n_in) * sizeof *a->args) : a->few;
    if (a->args) return 0;
    a->args = a->few;
    py.PyErr_NoMemory();
    return -1;
}

/* Which of several results are used. */
static PyObject *used_results(const vn_kernel_call *call)
{
    return vn_python_tuple_by(vn_python_flag, call->program->used + call->instr->out, call->instr->n_out);
}

/* The arguments before the inputs: the options and, for several results, which are used. */
static int leading(const vn_instr *instr)
{
    return instr->n_options + (instr->n_out > 1);
}

static PyObject *leading_object(const void *data, int32_t i)
{
    const vn_kernel_call *call = data;
    return i < call->instr->n_options ? vn_python_option(call->instr->options, i) : used_results(call);
}

static PyObject *leading_tuple(const vn_kernel_call *call)
{
    return vn_python_tuple_by(leading_object, call, leading(call->instr));
}

static int begin(arguments *a, const vn_kernel_call *call)
{
    PyObject *options = np_prepared(call, leading_tuple);
    *a = (arguments){.args = a->few};
    if (!options || make_room(a, call)) return -1;
    a->n = a->n_options = leading(call->instr);
    for (int i = 0; i < a->n; i++) a->args[i] = py.PyTuple_GetItem(options, i);
    return 0;
}

/* Adds input k; half precision as float32 if `wide`. */
static int add(arguments *a, const vn_kernel_call *call, int k, int wide)
{
    const vn_desc *desc = np_desc_in(call, k);
    PyObject *array = np_array_in(call, k);
    if (wide && np_is_half(desc->dtype)) array = np_as_dtype(array, VN_F32, desc->rank, desc->dims);
    else py.Py_IncRef(array);
    if (array) a->args[a->n++] = array;
    return array ? 0 : -1;
}

static void end(arguments *a)
{
    while (a->n > a->n_options) py.Py_DecRef(a->args[--a->n]);
    if (a->args != a->few) free(a->args);
}

/* Casts a function's result to the expected dtype; steals the reference; NULL for NULL. */
static PyObject *checked(PyObject *made, const vn_desc *z)
{
    if (!made || vn_nd(made)->descr == vn_nd_dtype(z->dtype)) return made;
    PyObject *result = np_as_dtype(made, z->dtype, z->rank, z->dims);
    py.Py_DecRef(made);
    return result;
}

/* Appends the inputs to the options and calls the function. */
static PyObject *call_with_inputs(arguments *a, const vn_kernel_call *call, PyObject *function, int wide)
{
    int failed = 0;
    for (int k = 0; !failed && k < call->instr->n_in; k++) failed = add(a, call, k, wide);
    PyObject *made = failed ? NULL : py.PyObject_Vectorcall(function, a->args, (size_t)a->n, NULL);
    end(a);
    return made;
}

/* Gets the results from a tuple, which has None for unused ones. */
static int unpack(const vn_kernel_call *call, PyObject *made, PyObject **out)
{
    for (int k = 0; k < call->instr->n_out; k++) {
        PyObject *item = py.PyTuple_GetItem(made, k);
        if (item == py.None) continue;
        if (item) py.Py_IncRef(item);
        if ((out[k] = checked(item, np_desc_out(call) + k))) continue;
        while (k-- > 0) vn_python_drop(out[k]);
        return -1;
    }
    return 0;
}

static int make(const vn_kernel_call *call, PyObject *function, PyObject **out, int wide)
{
    arguments a;
    PyObject *made = begin(&a, call) ? NULL : call_with_inputs(&a, call, function, wide);
    if (call->instr->n_out == 1) {
        out[0] = checked(made, np_desc_out(call));
        return out[0] ? 0 : -1;
    }
    const int failed = !made || unpack(call, made, out);
    vn_python_drop(made);
    return failed ? -1 : 0;
}

int np_make(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    return make(call, function, out, 0);
}

int np_make_wide(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    return make(call, function, out, 1);
}

int np_solve(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    return make(call, function, out, 1);
}

/* Adds the array that a function of `put` changes: the first input if it is dead, otherwise a copy; half precision as float32. */
static int add_changed(arguments *a, const vn_kernel_call *call)
{
    const vn_desc *z = np_desc_out(call);
    const int half = np_is_half(z->dtype);
    if (!half && np_dies(call, 0)) return add(a, call, 0, 0);
    PyObject *copy = np_as_dtype(np_array_in(call, 0), half ? VN_F32 : z->dtype, z->rank, z->dims);
    if (copy) a->args[a->n++] = copy;
    return copy ? 0 : -1;
}

int np_put(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    arguments a;
    int failed = begin(&a, call) || add_changed(&a, call);
    for (int k = 1; !failed && k < call->instr->n_in; k++) failed = add(&a, call, k, 1);
    PyObject *done = failed ? NULL : py.PyObject_Vectorcall(function, a.args, (size_t)a.n, NULL);
    if (done) {
        PyObject *changed = a.args[a.n_options];
        py.Py_IncRef(changed);
        out[0] = checked(changed, np_desc_out(call));
    }
    failed = !done || !out[0];
    vn_python_drop(done);
    end(&a);
    return failed ? -1 : 0;
}
