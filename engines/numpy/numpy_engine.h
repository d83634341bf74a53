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

/* kernels.c: the engine's list, empty until bind has filled in what this NumPy can do; -1 with the exception pending. */
extern vn_kernel_row np_kernels[];
int np_bind(void);

#endif
