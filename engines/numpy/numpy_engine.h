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

/* Computes the results of one instruction into out, as new references; -1 with the exception pending. */
typedef int (*np_family)(const vn_kernel_call *call, PyObject *function, PyObject **out);

static inline const vn_desc *np_desc_in(const vn_kernel_call *call, int k)
{
    return &call->program->values[call->instr->in[k]];
}

static inline const vn_desc *np_desc_out(const vn_kernel_call *call)
{
    return &call->program->values[call->instr->out];
}

static inline PyObject *np_array_in(const vn_kernel_call *call, int k)
{
    return call->in[k]->object;
}

static inline int np_is_half(int32_t dtype)
{
    return (VN_BIT(dtype) & VN_HALVES) != 0;
}

/* kernels.c: whether input k may be overwritten: it dies here, and no other buffer or view shares its memory. */
int np_dies(const vn_kernel_call *call, int k);
/* kernels.c: `array` in another dtype, a copy. */
PyObject *np_as_dtype(PyObject *array, int32_t dtype, int32_t rank, const int64_t *dims);
/* kernels.c: a tuple that an instruction needs at every call: made once and kept in `prepared`, borrowed from there. */
PyObject *np_prepared(const vn_kernel_call *call, PyObject *(*make)(const vn_kernel_call *call));

/* scripts.c: families of functions of the .py files, which get the op's options, then its inputs. `make` expects the result,
 * `make_wide` gives halves to the function as float32, and `put` expects the first input to be changed in place. */
int np_make(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_make_wide(const vn_kernel_call *call, PyObject *function, PyObject **out);
int np_put(const vn_kernel_call *call, PyObject *function, PyObject **out);

/* scripts.c: runs the .py files; finds a function of theirs by name, NULL without an exception where there is none. */
int np_run_scripts(void);
PyObject *np_script(const char *name);

/* kernels.c: the engine's list, empty until bind has filled in what this NumPy can do; -1 with the exception pending. */
extern vn_kernel_row np_kernels[];
int np_bind(void);

#endif
