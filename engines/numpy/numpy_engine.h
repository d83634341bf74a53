/* numpy_engine.h: what the files of the numpy engine share. */
#ifndef VN_NUMPY_ENGINE_H
#define VN_NUMPY_ENGINE_H

#include "ndarray.h"

extern const vn_host *np_host;

/* quiet.c: NumPy reports overflow and invalid values as warnings on stderr; between begin and end it does not. `open` and `begin`
 * return -1 with the exception pending; `kept` is what end needs. */
int np_quiet_open(void);
int np_quiet_begin(PyObject **kept);
void np_quiet_end(PyObject *kept);

/* threads.c: for the whole process. */
void np_set_threads(int n);
int np_threads(void); /* of matrix products; 0: unknown */

/* ---- kernels: all with the interpreter lock held and NumPy's warnings off ---- */

enum { NP_MOST_IN = 16 };

/* Computes the results of one instruction into out, which holds NULLs, as new references; a result that is not used may stay NULL. -1
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

/* Borrowed; there for every input when a family is called. */
static inline PyObject *np_array_in(const vn_kernel_call *call, int k)
{
    return call->in[k]->object;
}

static inline int np_is_half(int32_t dtype)
{
    return (VN_BIT(dtype) & VN_HALF) != 0;
}

/* kernels.c: whether input k may be overwritten: it dies here, and no other buffer or view shares its memory. */
int np_dies(const vn_kernel_call *call, int k);
/* kernels.c: where an elementwise result goes: into a dying input of the same form, or a new array. */
PyObject *np_place(const vn_kernel_call *call);
/* kernels.c: `array` in another dtype, a copy. */
PyObject *np_as_dtype(PyObject *array, int32_t dtype, int32_t rank, const int64_t *dims);
/* kernels.c: a tuple that an instruction needs at every call: made once and kept in `prepared`, borrowed from there. */
PyObject *np_prepared(const vn_kernel_call *call, PyObject *(*make)(const vn_kernel_call *call));

/* kernels.c: makes the object of a buffer that has none yet; -1 with the exception pending. */
int np_settle(vn_buf *buf, const vn_desc *desc);

/* kernels.c: bytes of an element. */
int64_t np_item_bytes(int32_t dtype);

/* loops.c: the inner loops of a ufunc for inputs of one dtype, each with the dtype it makes; none (function is NULL) where it has none
 * for that dtype. */
typedef void (*np_loop)(char **args, const intptr_t *count, const intptr_t *steps, void *data);
typedef struct np_typed_loop {
    np_loop function;
    void *data;
    int32_t dtype, n_in;
    int64_t in_bytes, out_bytes; /* of an element */
} np_typed_loop;
typedef struct np_loops {
    np_typed_loop of[VN_DTYPE_COUNT];
} np_loops;

/* Fills in the loops of `function` for the dtypes given; none where it is no ufunc. */
void np_find_loops(PyObject *function, uint32_t dtypes, np_loops *loops);

/* The elements of an array that is row-major and aligned, else NULL. Needs no lock. */
const char *np_plain(vn_buf *buf);

/* A call that a loop can do by itself: dtypes fit, inputs are row-major and of the result's size or single numbers. `begin` is 0 where
 * there is none; `end` runs it into memory for the result, new or that of an input. No warning comes of it, and neither needs the lock. */
typedef struct np_loop_call {
    const np_typed_loop *loop;
    char *args[NP_MOST_IN + 1];
    intptr_t steps[NP_MOST_IN + 1], count;
} np_loop_call;
int np_loop_begin(const np_loops *loops, const vn_kernel_call *call, np_loop_call *c);
void np_loop_end(np_loop_call *c, void *result);

/* Reduces a row-major array to one element by the loop of a ufunc with two inputs, each result the first of the next call, as the ufunc's
 * own reduction does; 0 where it cannot. Needs no lock. */
int np_fold(const np_loops *loops, const vn_kernel_call *call, void *result);

/* loops.c: around work on arrays alone: lets other threads use the interpreter meanwhile where it takes long. */
void *np_long_begin(const vn_kernel_call *call);
void np_long_end(void *others);

/* select.c: a family. */
int np_where(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* scripts.c: families of functions of the .py files, which get the op's options, of an op with several results a tuple that says which are
 * used, then the inputs. `make` expects the result, or a tuple of all with None for those that are not used; `make_wide` gives half
 * precision to the function as float32, and `put` expects the first input to be changed in place. `solve` is make_wide, with a name of its
 * own because it needs more stack. */
int np_make(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_make_wide(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_put(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_solve(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* scripts.c: runs the .py files; finds a function of theirs by name, NULL without an exception where there is none. */
int np_run_scripts(void);
PyObject *np_script(const char *name);

/* kernels.c: the engine's list, empty until bind has filled in what this NumPy can do; -1 with the exception pending. */
extern vn_kernel_row np_kernels[];
int np_bind(void);

#endif
