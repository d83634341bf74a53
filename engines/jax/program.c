/* SPDX-License-Identifier: Apache-2.0 */
/* program.c: whole programs on JAX. compile describes the program as Python objects and passes it to replay.py; execute calls the
 * compiled function, and waits for it only if it allocates much memory.
 *
 * JAX returns each result once and never an input: outputs that are inputs or duplicates are new references here. */
#include "jax_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vn_exe {
    vn_buf *function;         /* held by a buffer, so that releasing it needs no interpreter lock */
    _Atomic(vn_buf *) direct; /* the faster callable, known after the first call; NULL before. Written under the interpreter lock */
    int32_t n_inputs, n_outputs, n_results, n_instrs;
    int32_t *from;     /* n_outputs: index among the function's results, or ~number of an input */
    uint8_t *again;    /* n_outputs: 1 if it duplicates an earlier output or is an input */
    uint8_t *consumed; /* n_inputs: 1 if the function consumes the input's memory */
    int consumes;      /* any input is consumed */
    size_t bytes;      /* bytes that a call allocates */
    int quick;         /* runs synchronously, unless an input is still in flight */
};

/* ---- describing --------------------------------------------------------------------------------------------------------------- */

/* (shape, dtype) of value i. */
static PyObject *form(const void *data, int32_t i)
{
    const vn_desc *desc = (const vn_desc *)data + i;
    PyObject *dtype = vn_nd_dtype(desc->dtype); /* JAX requires ml_dtypes, so all dtypes exist */
    if (dtype) py.Py_IncRef(dtype);
    PyObject *items[] = {vn_python_ints(desc->dims, desc->rank), dtype};
    return vn_python_tuple(items, 2);
}

static PyObject *number(const void *data, int32_t i)
{
    return py.PyLong_FromLongLong(((const int32_t *)data)[i]);
}

/* (name, input numbers, first value made, forms of the values made, which of them are used, options) of instruction i. */
static PyObject *step(const void *data, int32_t i)
{
    const vn_program *program = data;
    const vn_instr *instr = program->instrs[i];
    PyObject *items[] = {
        py.PyUnicode_FromString(instr->op),
        vn_python_tuple_by(number, instr->in, instr->n_in),
        py.PyLong_FromLongLong(instr->out),
        vn_python_tuple_by(form, program->values + instr->out, instr->n_out),
        vn_python_tuple_by(vn_python_flag, program->used + instr->out, instr->n_out),
        vn_python_tuple_by(vn_python_option, instr->options, instr->n_options),
    };
    return vn_python_tuple(items, sizeof items / sizeof *items);
}

/* ---- compiling ---------------------------------------------------------------------------------------------------------------- */

static void free_exe(vn_exe *exe)
{
    if (!exe) return;
    vn_python_release(exe->function);
    vn_python_release(atomic_load(&exe->direct));
    free(exe->from);
    free(exe->again);
    free(exe->consumed);
    free(exe);
}

static vn_exe *new_exe(const vn_program *program)
{
    vn_exe *exe = calloc(1, sizeof *exe);
    if (!exe) return NULL;
    exe->n_inputs = program->n_inputs;
    exe->n_outputs = program->n_outputs;
    exe->n_instrs = program->n_instrs;
    exe->from = calloc((size_t)program->n_outputs + 1, sizeof *exe->from);
    exe->again = calloc((size_t)program->n_outputs + 1, 1);
    exe->consumed = calloc((size_t)program->n_inputs + 1, 1);
    if (exe->from && exe->again && exe->consumed) return exe;
    free_exe(exe);
    return NULL;
}

/* Determines the source of each output, and lists in `results` the values JAX should return: each once, and no inputs. */
static int trace_outputs(vn_exe *exe, const vn_program *program, int32_t *results)
{
    int32_t *place = malloc(((size_t)program->n_values + 1) * sizeof *place); /* index of a value among the results */
    if (!place) return -1;
    for (int32_t v = 0; v < program->n_values; v++) place[v] = v < program->n_inputs ? ~v : INT32_MAX;
    for (int32_t i = 0; i < program->n_outputs; i++) {
        int32_t v = program->outputs[i];
        exe->again[i] = place[v] != INT32_MAX;
        if (!exe->again[i]) {
            place[v] = exe->n_results;
            results[exe->n_results++] = v;
        }
        exe->from[i] = place[v];
    }
    free(place);
    return 0;
}

/* The donated inputs that are not outputs, as a tuple. `numbers` has room for all inputs. */
static PyObject *donations(const vn_exe *exe, const vn_program *program, int32_t *numbers)
{
    int32_t n = 0;
    for (int32_t k = 0; k < program->n_inputs; k++) {
        int returned = 0;
        for (int32_t i = 0; i < exe->n_outputs && !returned; i++) returned = exe->from[i] == ~k;
        if (program->donated && program->donated[k] && !returned) numbers[n++] = k;
    }
    return vn_python_tuple_by(number, numbers, n);
}

/* Stores what build returned: (function, order of the results, numbers of the inputs it consumes, bytes it allocates, whether it is
 * quick). */
static int take_built(vn_exe *exe, PyObject *built)
{
    PyObject *function = py.PyTuple_GetItem(built, 0), *places = py.PyTuple_GetItem(built, 1), *chosen = py.PyTuple_GetItem(built, 2),
             *bytes = py.PyTuple_GetItem(built, 3), *quick = py.PyTuple_GetItem(built, 4);
    if (!function || !places || !chosen || !bytes || !quick) return -1;
    for (int32_t i = 0; i < exe->n_outputs; i++)
        if (exe->from[i] >= 0) exe->from[i] = (int32_t)py.PyLong_AsLongLong(py.PyTuple_GetItem(places, exe->from[i]));
    ptrdiff_t n = py.PyTuple_Size(chosen);
    for (ptrdiff_t i = 0; i < n; i++) exe->consumed[py.PyLong_AsLongLong(py.PyTuple_GetItem(chosen, i))] = 1;
    exe->consumes = n > 0;
    exe->bytes = (size_t)py.PyLong_AsLongLong(bytes);
    exe->quick = py.PyLong_AsLongLong(quick) != 0;
    py.Py_IncRef(function);
    exe->function = vn_python_buf(function);
    return exe->function ? 0 : -1;
}

/* Calls build of replay.py; -1 with the exception pending. `numbers` is room for all outputs, and then all inputs. */
static int build(vn_exe *exe, const vn_program *program, int32_t *numbers)
{
    if (trace_outputs(exe, program, numbers)) {
        py.PyErr_NoMemory();
        return -1;
    }
    if (!exe->n_results) return 0; /* nothing to compute */
    PyObject *args[] = {
        vn_python_tuple_by(form, program->values, program->n_inputs),
        vn_python_tuple_by(step, program, program->n_instrs),
        vn_python_tuple_by(number, numbers, exe->n_results),
        donations(exe, program, numbers + program->n_outputs),
        py.PyLong_FromLongLong(program->precision == VN_PRECISION_BF16),
    };
    enum { N = sizeof args / sizeof *args };
    int made = 0;
    while (made < N && args[made]) made++;
    PyObject *built = made == N ? py.PyObject_Vectorcall(jax_replay.build, args, N, NULL) : NULL;
    int failed = !built || take_built(exe, built);
    vn_python_drop(built);
    for (int i = 0; i < N; i++) vn_python_drop(args[i]);
    return failed ? -1 : 0;
}

int jax_compile(vn_context *context, const vn_program *program, vn_exe **out)
{
    (void)context;
    int state;
    vn_exe *exe = new_exe(program);
    int32_t *numbers = malloc(((size_t)program->n_outputs + (size_t)program->n_inputs + 1) * sizeof *numbers);
    int code = exe && numbers ? vn_python_enter(&state) : jax_host->error(VN_E_MEM, "jax: compile: out of memory");
    if (!code) {
        if (build(exe, program, numbers)) code = vn_python_error("compile");
        vn_python_leave(state);
    }
    free(numbers);
    if (code) free_exe(exe);
    else *out = exe;
    return code;
}

void jax_discard(vn_context *context, vn_exe *exe)
{
    (void)context;
    free_exe(exe);
}

int jax_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to)
{
    (void)context;
    char text[80];
    if (exe->function) snprintf(text, sizeof text, "jax.jit function: %d op%s", (int)exe->n_instrs, exe->n_instrs == 1 ? "" : "s");
    else snprintf(text, sizeof text, "nothing to compute");
    line(to, text);
    return VN_OK;
}

/* ---- executing ---------------------------------------------------------------------------------------------------------------- */

/* The array to pass for a buffer, borrowed from it. Host memory is passed as it is the first time, which is fastest; a buffer that is used
 * again gets a JAX array, which is faster from then on. `other` is NULL, then the object itself, then the JAX array. */
static PyObject *settled(vn_buf *buf)
{
    PyObject *seen = atomic_load(&buf->other);
    if (!vn_nd_is(buf->object)) return buf->object;
    if (seen && seen != buf->object) return seen;
    PyObject *next = buf->object;
    if (seen) next = py.PyObject_Vectorcall(jax_replay.place, &buf->object, 1, NULL);
    else py.Py_IncRef(next);
    if (!next) return NULL;
    if (atomic_compare_exchange_strong(&buf->other, &seen, next)) {
        vn_python_drop(seen);
        return next;
    }
    py.Py_DecRef(next); /* another thread was first */
    return atomic_load(&buf->other);
}

/* A new reference to the array to pass for a buffer. A consumed input must not be shared: if the buffer has another
 * reference, a copy is passed. Host memory needs no copy: JAX never writes to it. */
static PyObject *argument(vn_buf *buf, int consumed)
{
    PyObject *array = consumed ? buf->object : settled(buf);
    if (consumed && !vn_nd_is(array) && atomic_load(&buf->refs) > 1) return py.PyObject_Vectorcall(jax_replay.copy, &array, 1, NULL);
    if (array) py.Py_IncRef(array);
    return array;
}

/* Calls the function; its tuple of results, or NULL with the exception pending. */
static PyObject *call(const vn_exe *exe, vn_buf *const *in, PyObject **args)
{
    int32_t n = 0;
    for (; n < exe->n_inputs; n++)
        if (!(args[n] = argument(in[n], exe->consumed[n]))) break;
    const vn_buf *direct = atomic_load(&exe->direct), *function = direct ? direct : exe->function;
    PyObject *results = n == exe->n_inputs ? py.PyObject_Vectorcall(function->object, args, (size_t)n, NULL) : NULL;
    while (n-- > 0) py.Py_DecRef(args[n]);
    return results;
}

/* JAX allocates asynchronously. A large allocation may fail, and execute should report that, so it waits; smaller programs are
 * waited for when a result is read, and fail then. */
enum { MUCH = 16 << 20 };

/* A buffer for result i. */
static vn_buf *result(const vn_exe *exe, PyObject *results, int32_t i)
{
    PyObject *array = py.PyTuple_GetItem(results, i);
    if (array && exe->bytes >= MUCH) array = jax_wait(array);
    else if (array) py.Py_IncRef(array);
    return vn_python_buf(array);
}

/* After a call: stores the faster callable. A failure does not matter: the results exist, and the next call tries again. */
static void find_direct(vn_exe *exe)
{
    if (atomic_load(&exe->direct)) return;
    vn_buf *none = NULL, *direct = vn_python_buf(py.PyObject_Vectorcall(jax_replay.direct, &exe->function->object, 1, NULL));
    if (!direct) py.PyErr_Clear();
    else if (!atomic_compare_exchange_strong(&exe->direct, &none, direct)) vn_python_release(direct); /* another thread was first */
}

/* Runs the function and stores a buffer for each result in bufs; -1 with the exception pending and none created. */
static int run(vn_exe *exe, vn_buf *const *in, PyObject **args, vn_buf **bufs)
{
    PyObject *results = call(exe, in, args);
    int32_t n = 0;
    while (results && n < exe->n_results && (bufs[n] = result(exe, results, n))) n++;
    vn_python_drop(results);
    if (results && n == exe->n_results) {
        if (!atomic_load(&exe->direct)) jax_first_time(bufs[n - 1]->object);
        else if (exe->bytes < MUCH) jax_run_ahead(bufs[n - 1]->object, exe->quick); /* wait on an output rather than on consumed inputs */
        find_direct(exe);
        return 0;
    }
    while (n-- > 0) vn_python_release(bufs[n]);
    return -1;
}

/* Gives each output its reference: the first use of a result takes the buffer, others retain it. */
static void hand_out(const vn_exe *exe, vn_buf *const *in, vn_buf *const *bufs, vn_buf **out)
{
    for (int32_t i = 0; i < exe->n_outputs; i++) {
        int32_t from = exe->from[i];
        out[i] = from < 0 ? in[~from] : bufs[from];
        if (exe->again[i]) vn_python_retain(out[i]);
    }
}

/* XLA takes consumed inputs before it allocates, so they would be lost if memory is short. This tests the allocation first. */
static int memory_left(const vn_exe *exe)
{
    enum { SMALL = 1 << 20 };
    if (!exe->consumes || exe->bytes < SMALL) return 1;
    void *volatile probe = malloc(exe->bytes); /* volatile: otherwise the compiler may remove the malloc and free */
    free(probe);
    return probe != NULL;
}

int jax_execute(vn_context *context, vn_exe *exe, const vn_launch *launch)
{
    (void)context;
    enum { FEW = 64 };
    PyObject *few_args[FEW], **args = few_args;
    vn_buf *few_bufs[FEW], **bufs = few_bufs;
    int state, code = VN_OK;
    if (exe->n_inputs > FEW) args = malloc((size_t)exe->n_inputs * sizeof *args);
    if (exe->n_results > FEW) bufs = malloc((size_t)exe->n_results * sizeof *bufs);
    if (!args || !bufs || !memory_left(exe)) code = jax_host->error(VN_E_MEM, "jax: execute: out of memory");
    if (!code && exe->n_results && !(code = vn_python_enter(&state))) {
        if (run(exe, launch->in, args, bufs)) code = vn_python_error("execute");
        vn_python_leave(state);
    }
    if (!code) hand_out(exe, launch->in, bufs, launch->out);
    if (args != few_args) free(args);
    if (bufs != few_bufs) free(bufs);
    return code;
}
