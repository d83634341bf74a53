/* SPDX-License-Identifier: Apache-2.0 */
/* ndarray.h: NumPy arrays from C without NumPy's headers, for the engines that hand arrays to Python packages.
 *
 * All functions but vn_nd need the interpreter lock and return new references, or NULL (or -1) with an exception pending. */
#ifndef VN_NDARRAY_H
#define VN_NDARRAY_H

#include "python_host.h"

/* What follows the object header of an ndarray; the same in NumPy 1 and 2. */
typedef struct vn_ndarray {
    char *data;
    int rank;
    int64_t *dims, *strides; /* strides in bytes */
    PyObject *base;          /* what owns the memory of a view */
    PyObject *descr;
    int flags;
} vn_ndarray;

enum { VN_ND_CONTIGUOUS = 0x1, VN_ND_OWNS = 0x4, VN_ND_ALIGNED = 0x100, VN_ND_WRITEABLE = 0x400 };

/* Binds NumPy's table of functions. Sets the thread's error and returns its code on failure. */
int vn_nd_open(const vn_host *host, const char *engine);

/* The fields of an array. They never change while it lives, so no lock is needed. */
static inline const vn_ndarray *vn_nd(PyObject *array)
{
    return (const vn_ndarray *)(const void *)((const char *)array + py.head);
}

/* Is the object an ndarray, and not an array of another package? */
int vn_nd_is(PyObject *object);

/* The dtype's object, borrowed; NULL without an exception if this NumPy has none (bfloat16 needs ml_dtypes). */
PyObject *vn_nd_dtype(int32_t dtype);

/* A new row-major array, uninitialised. */
PyObject *vn_nd_empty(int32_t dtype, int32_t rank, const int64_t *dims);

/* A view of `of`, with the data pointer, dims and strides given. It is writable only if `writeable` is set and `of` is writable. */
PyObject *vn_nd_view(PyObject *of, char *data, int32_t rank, const int64_t *dims, const int64_t *strides, int writeable);

/* A read-only array on host memory. Memory that may be kept and is aligned to `align` bytes is used in place and released with the
 * array; otherwise it is copied to memory aligned to 64 bytes and released immediately. On failure it is not released. */
PyObject *vn_nd_from_host(const vn_desc *desc, const vn_host_memory *memory, size_t align);

/* from_host of vn_engine, with such an array. */
int vn_nd_buf_from_host(const vn_desc *desc, const vn_host_memory *memory, size_t align, vn_buf **out);

/* Does the caller hold the only reference to the array and its memory, so that it may be overwritten? */
int vn_nd_sole(PyObject *array);

/* Writes `from`, broadcast and converted, to `to`. */
int vn_nd_copy(PyObject *to, PyObject *from);

#endif
