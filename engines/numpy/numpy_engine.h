/* SPDX-License-Identifier: Apache-2.0 */
/* numpy_engine.h: shared by the files of the numpy engine. */
#ifndef VN_NUMPY_ENGINE_H
#define VN_NUMPY_ENGINE_H

#include "ndarray.h"

extern const vn_host *np_host;

/* quiet.c: suppresses NumPy's warnings about overflow and invalid values between begin and end. `open` and `begin`
 * return -1 with the exception pending; `kept` is passed to end. */
int np_quiet_open(void);
int np_quiet_begin(PyObject **kept);
void np_quiet_end(PyObject *kept);

/* threads.c: process-wide. */
void np_set_threads(int n);
int np_threads(void); /* threads of matrix products; 0: unknown */

/* ---- kernels: all with the interpreter lock held and NumPy's warnings off ---- */

enum { NP_MAX_IN = 16 };

/* Stores the results of one instruction in out, initially NULL, as new references; an unused result may stay NULL. -1
 * with the exception pending and nothing in out. */
typedef int (*np_family)(const vn_kernel_call *call, PyObject *function, PyObject **out);

static inline const vn_desc *np_desc_in(const vn_kernel_call *call, int k)
{
    return &call->program->values[call->instr->in[k]];
}

static inline const vn_desc *np_desc_out(const vn_kernel_call *call)
{
    return &call->program->values[call->instr->out];
}

/* Borrowed; exists for every input when a family is called. */
static inline PyObject *np_array_in(const vn_kernel_call *call, int k)
{
    return call->in[k]->object;
}

static inline int np_is_half(int32_t dtype)
{
    return (VN_BIT(dtype) & VN_HALF) != 0;
}

/* kernels.c: may input k be overwritten? It is dead after the call, and no other buffer or view shares its memory. */
int np_dies(const vn_kernel_call *call, int k);
/* kernels.c: the output of an elementwise op: a dead input of the same form, or a new array. */
PyObject *np_place(const vn_kernel_call *call);
/* kernels.c: `array` in another dtype, a copy. */
PyObject *np_as_dtype(PyObject *array, int32_t dtype, int32_t rank, const int64_t *dims);
/* kernels.c: a tuple that an instruction needs at every call: created once and kept in `prepared`; borrowed. */
PyObject *np_prepared(const vn_kernel_call *call, PyObject *(*make)(const vn_kernel_call *call));

/* kernels.c: creates the ndarray of a buffer that has none yet; -1 with the exception pending. */
int np_settle(vn_buf *buf, const vn_desc *desc);

/* views.c: bytes of an element; a view of x with the elements of these axes in reverse order; families that return views. */
int64_t np_item_bytes(int32_t dtype);
PyObject *np_reversed(PyObject *x, const int64_t *axes, int32_t n);
int np_reshape(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_bitcast(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_broadcast_to(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_permute_dims(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_stride(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_flip(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_slice(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_slice_set(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* loops.c: the inner loops of a ufunc for inputs of one dtype, with their output dtypes; function is NULL if there is no loop
 * for that dtype. */
typedef void (*np_loop)(char **args, const intptr_t *count, const intptr_t *steps, void *data);
typedef struct np_typed_loop {
    np_loop function;
    void *data;
    int32_t dtype, n_in;
    int64_t in_bytes, out_bytes; /* of an element */
} np_typed_loop;
typedef struct np_loops {
    np_typed_loop of[VN_DTYPE_END];
} np_loops;

/* Fills in the loops of `function` for the given dtypes; none if it is not a ufunc. */
void np_find_loops(PyObject *function, uint32_t dtypes, np_loops *loops);

/* The elements of a row-major, aligned array, otherwise NULL. Needs no lock. */
const char *np_plain(vn_buf *buf);

/* A call that an inner loop can do alone: dtypes match, inputs are row-major with the result's size or single numbers. `begin` is 0 if
 * there is none; `end` runs it into the result's memory, which may be an input's. It causes no warnings, and neither needs the lock. */
typedef struct np_loop_call {
    const np_typed_loop *loop;
    char *args[NP_MAX_IN + 1];
    intptr_t steps[NP_MAX_IN + 1], count;
} np_loop_call;
int np_loop_begin(const np_loops *loops, const vn_kernel_call *call, np_loop_call *c);
void np_loop_end(np_loop_call *c, void *result);

/* Reduces a row-major array to one element with a binary ufunc's inner loop, as the ufunc's own reduction does; 0 if it cannot. Needs
 * no lock. */
int np_fold(const np_loops *loops, const vn_kernel_call *call, void *result);

/* loops.c: around work that needs no interpreter: releases the lock if it takes long. */
void *np_long_begin(const vn_kernel_call *call);
void np_long_end(void *others);

/* select.c: a family. */
int np_where(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* scripts.c: families for functions of the .py files, which get the op's options, for an op with several results a tuple that says which
 * are used, then the inputs. `make` expects the result, or a tuple of all with None for unused ones; `make_wide` passes half
 * precision as float32, and `put` expects the first input to be changed in place. `solve` is make_wide under another name, because it
 * needs more stack. */
int np_make(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_make_wide(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_put(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_solve(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* scripts.c: runs the .py files; finds one of their functions by name, NULL without an exception if there is none. */
int np_run_scripts(void);
PyObject *np_script(const char *name);

/* kernels.c: the kernel table, empty until bind has filled in the rows that this NumPy supports; -1 with the exception pending. */
extern vn_kernel_row np_kernels[];
int np_bind(void);

#endif
