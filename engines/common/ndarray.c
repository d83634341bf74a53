/* SPDX-License-Identifier: Apache-2.0 */
/* ndarray.c: NumPy's C functions, taken from the table its extension module publishes. */
#include "ndarray.h"

#include <stdlib.h>
#include <string.h>

/* Indices in NumPy's function table, unchanged since NumPy 1.7. */
enum { ARRAY_TYPE = 2, COPY_INTO = 50, NEW_FROM_DESCR = 94, SET_BASE = 282 };

static PyObject *array_type;
static int (*copy_into)(PyObject *to, PyObject *from);
static PyObject *(*new_from_descr)(PyObject *type, PyObject *descr, int rank, const int64_t *dims, const int64_t *strides, void *data,
                                   int flags, PyObject *like);
static int (*set_base)(PyObject *array, PyObject *base);
static PyObject *descrs[VN_DTYPE_END];
static const vn_host *host;

static const char *const names[VN_DTYPE_END] = {
#define VN__X(id, number, name, bytes) [id] = name,
    VN_DTYPES(VN__X)
#undef VN__X
};

/* Creates numpy.dtype(name) once per dtype. NumPy knows bfloat16 only after ml_dtypes is imported, if it is installed. */
static int make_descrs(void)
{
    PyObject *dtype = vn_python_import("numpy", "dtype");
    if (!dtype) return -1;
    vn_python_drop(py.PyImport_ImportModule("ml_dtypes"));
    py.PyErr_Clear();
    for (int i = 1; i < VN_DTYPE_END; i++) {
        PyObject *name = py.PyUnicode_FromString(names[i]);
        if (!descrs[i] && name) descrs[i] = py.PyObject_Vectorcall(dtype, &name, 1, NULL);
        vn_python_drop(name);
        if (!descrs[i] && i != VN_BF16) break;
        py.PyErr_Clear();
    }
    py.Py_DecRef(dtype);
    return py.PyErr_Occurred() ? -1 : 0;
}

static int bind(void)
{
    PyObject *capsule = vn_python_import("numpy._core._multiarray_umath", "_ARRAY_API");
    if (!capsule) { /* NumPy 1 */
        py.PyErr_Clear();
        capsule = vn_python_import("numpy.core._multiarray_umath", "_ARRAY_API");
    }
    void **table = capsule ? py.PyCapsule_GetPointer(capsule, NULL) : NULL;
    vn_python_drop(capsule);
    if (!table) return -1;
    array_type = table[ARRAY_TYPE];
    memcpy(&copy_into, &table[COPY_INTO], sizeof copy_into);
    memcpy(&new_from_descr, &table[NEW_FROM_DESCR], sizeof new_from_descr);
    memcpy(&set_base, &table[SET_BASE], sizeof set_base);
    return make_descrs();
}

int vn_nd_open(const vn_host *h, const char *engine)
{
    int state, code = vn_python_enter(&state);
    if (code) return code;
    host = h;
    if (bind()) code = vn_python_error("open");
    else if (sizeof(void *) != sizeof(int64_t)) code = h->error(VN_E_UNSUPPORTED, "%s: needs a 64-bit system", engine);
    vn_python_leave(state);
    return code;
}

/* The type is the last field of an object's header. */
static PyObject *type_of(PyObject *object)
{
    PyObject *type;
    memcpy(&type, (const char *)object + py.head - sizeof type, sizeof type);
    return type;
}

int vn_nd_is(PyObject *object)
{
    return type_of(object) == array_type;
}

PyObject *vn_nd_dtype(int32_t dtype)
{
    return dtype > VN_NO_DTYPE && dtype < VN_DTYPE_END ? descrs[dtype] : NULL;
}

/* Like NumPy's function, which steals a reference to the dtype. */
static PyObject *make(PyObject *descr, int32_t rank, const int64_t *dims, const int64_t *strides, void *data, int flags)
{
    py.Py_IncRef(descr);
    return new_from_descr(array_type, descr, rank, dims, strides, data, flags, NULL);
}

PyObject *vn_nd_empty(int32_t dtype, int32_t rank, const int64_t *dims)
{
    return make(descrs[dtype], rank, dims, NULL, NULL, 0);
}

/* Sets `base` as the owner of the array's memory, stealing the reference; on failure drops both. */
static PyObject *with_base(PyObject *array, PyObject *base)
{
    if (!array || !base) {
        vn_python_drop(array);
        vn_python_drop(base);
        return NULL;
    }
    if (!set_base(array, base)) return array;
    py.Py_DecRef(array);
    return NULL;
}

PyObject *vn_nd_view(PyObject *of, char *data, int32_t rank, const int64_t *dims, const int64_t *strides, int writeable)
{
    int flags = VN_ND_ALIGNED | (writeable ? vn_nd(of)->flags & VN_ND_WRITEABLE : 0);
    py.Py_IncRef(of);
    return with_base(make(vn_nd(of)->descr, rank, dims, strides, data, flags), of);
}

/* The reference count, if it is a plain number. */
static ptrdiff_t count_of(PyObject *object)
{
    ptrdiff_t count;
    memcpy(&count, object, sizeof count);
    return count;
}

int vn_nd_sole(PyObject *array)
{
    const int wanted = VN_ND_CONTIGUOUS | VN_ND_ALIGNED | VN_ND_WRITEABLE;
    const vn_ndarray *a = vn_nd(array);
    if (py.free_threaded || count_of(array) != 1 || (a->flags & wanted) != wanted) return 0;
    if (a->flags & VN_ND_OWNS) return 1;
    return a->base && vn_nd_is(a->base) && count_of(a->base) == 1 && vn_nd(a->base)->flags & VN_ND_OWNS;
}

int vn_nd_copy(PyObject *to, PyObject *from)
{
    return copy_into(to, from);
}

/* ---- host memory -------------------------------------------------------------------------------------------------------------- */

static const char capsule_name[] = "vinea.memory";

/* Releases kept host memory, with the array that used it. */
static void end_memory(PyObject *capsule)
{
    vn_host_memory *memory = py.PyCapsule_GetPointer(capsule, capsule_name);
    memory->release(memory->owner);
    free(memory);
}

/* An object that releases the memory when it is destroyed. */
static PyObject *keeper(const vn_host_memory *memory)
{
    vn_host_memory *copy = malloc(sizeof *copy);
    if (!copy) return py.PyErr_NoMemory();
    *copy = *memory;
    PyObject *capsule = py.PyCapsule_New(copy, capsule_name, end_memory);
    if (!capsule) free(copy);
    return capsule;
}

PyObject *vn_nd_from_host(const vn_desc *desc, const vn_host_memory *memory, size_t align)
{
    vn_host_memory kept = *memory;
    int copied = !memory->release || !memory->data || (uintptr_t)memory->data % align;
    if (copied) {
        void *data = host->alloc(memory->bytes ? memory->bytes : 1);
        if (!data) return py.PyErr_NoMemory();
        if (memory->bytes) memcpy(data, memory->data, memory->bytes);
        kept = (vn_host_memory){data, memory->bytes, host->free, data};
    }
    void *data = (void *)(uintptr_t)kept.data; /* never written to: the array is read-only */
    PyObject *array = make(descrs[desc->dtype], desc->rank, desc->dims, NULL, data, VN_ND_CONTIGUOUS | VN_ND_ALIGNED);
    PyObject *base = array ? keeper(&kept) : NULL;
    if (!base && copied) host->free(data);
    array = with_base(array, base);
    if (array && copied && memory->release) memory->release(memory->owner);
    return array;
}

int vn_nd_buf_from_host(const vn_desc *desc, const vn_host_memory *memory, size_t align, vn_buf **out)
{
    int state, code = vn_python_enter(&state);
    if (code) return code;
    vn_buf *buf = vn_python_buf(vn_nd_from_host(desc, memory, align));
    if (buf) *out = buf;
    else code = vn_python_error("from_host");
    vn_python_leave(state);
    return code;
}
