/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c: arrays of other libraries without copying: DLPack and the buffer protocol, both ways. */
#include "binding.h"
#include <stdlib.h>
#include <string.h>

static const char needs_copy[] =
    "strided and unaligned memory, other byte orders, values to negate and bools need a copy, and copy=False forbids it";

/* ---- the buffer protocol ---- */

static const char *const formats[VN_DTYPE_END] = {
    [VN_BOOL] = "?", [VN_I8] = "b",  [VN_I16] = "h", [VN_I32] = "i", [VN_I64] = "l", [VN_U8] = "B",   [VN_U16] = "H",
    [VN_U32] = "I",  [VN_U64] = "L", [VN_F16] = "e", [VN_F32] = "f", [VN_F64] = "d", [VN_C64] = "Zf", [VN_C128] = "Zd",
};

static int dtype_of_format(const char *format, Py_ssize_t itemsize)
{
    if (!format) format = "B";
    if (strchr("@=<>!", *format) && *format) format++;
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (!formats[d]) continue;
        const bool same = !strcmp(format, formats[d]) || (!strcmp(format, "q") && d == VN_I64) || (!strcmp(format, "Q") && d == VN_U64);
        if (same && (size_t)itemsize == vn_dtype_size((vn_dtype)d)) return d;
    }
    return -1;
}

/* Called when the last array over the memory is gone, in any thread. After the interpreter has ended, the memory is the system's. */
static void release_view(void *user)
{
    if (!Py_IsInitialized()) return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(user);
    PyMem_Free(user);
    PyGILState_Release(state);
}

/* Whether the bytes of an element, or of the parts of a complex one, are in the other order. */
static bool is_swapped(const char *format)
{
    return format && (*format == '>' || *format == '!') && strcmp(format + 1, "?") != 0;
}

static void swap_bytes(char *data, size_t bytes, size_t width)
{
    for (char *from = data; from < data + bytes; from += width)
        for (size_t k = 0; k < width / 2; k++) {
            const char c = from[k];
            from[k] = from[width - 1 - k];
            from[width - 1 - k] = c;
        }
}

static vn_array *copy_view(const Py_buffer *view, int dtype, const int64_t *dims)
{
    char *data = PyMem_Malloc(view->len ? (size_t)view->len : 1);
    if (!data) return PyErr_NoMemory(), NULL;
    vn_array *x = NULL;
    const bool copied = !PyBuffer_ToContiguous(data, view, view->len, 'C');
    if (copied && is_swapped(view->format)) swap_bytes(data, (size_t)view->len, (size_t)view->itemsize / (dtype >= VN_C64 ? 2 : 1));
    if (copied && !(x = vn_array_from(data, dtype, view->ndim, dims))) raise_error();
    PyMem_Free(data);
    return x;
}

/* A complex number is aligned as its parts are. */
static bool aligned(const void *data, int dtype)
{
    const size_t size = vn_dtype_size((vn_dtype)dtype);
    return (uintptr_t)data % (dtype >= VN_C64 ? size / 2 : size) == 0;
}

/* TypeError: nothing in Vinea is of the dtype that the object names, or else of the format. */
static void raise_elements(PyObject *o, const char *format)
{
    PyErr_Clear();
    PyObject *dtype = PyObject_GetAttrString(o, "dtype");
    PyErr_Clear();
    if (dtype) PyErr_Format(PyExc_TypeError, "elements of dtype %S have no dtype in Vinea", dtype);
    else PyErr_Format(PyExc_TypeError, "elements of format '%s' have no dtype in Vinea", format);
    Py_XDECREF(dtype);
}

/* Whether the object says that it has another number of axes than its buffer: NumPy's dates export the bytes that they are made of. */
static bool shows_bytes(PyObject *o, const Py_buffer *view)
{
    PyObject *axes = PyObject_GetAttrString(o, "ndim");
    const long n = axes && PyLong_Check(axes) ? PyLong_AsLong(axes) : view->ndim;
    Py_XDECREF(axes);
    PyErr_Clear();
    return n != view->ndim;
}

/* NumPy exports no buffer of ml_dtypes' bfloat16: the same memory as integers. NULL without an exception: it is something else. */
static PyObject *bfloat16_as_words(PyObject *o)
{
    PyObject *dtype = PyObject_GetAttrString(o, "dtype"), *name = dtype ? PyObject_GetAttrString(dtype, "name") : NULL;
    const bool is = name && PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, "bfloat16");
    PyObject *words = is ? PyObject_CallMethod(o, "view", "s", "uint16") : NULL;
    Py_XDECREF(name);
    Py_XDECREF(dtype);
    PyErr_Clear();
    return words;
}

/* The buffer of o, and the dtype of its elements: -1 if Vinea has none. False: it has no buffer. */
static bool get_buffer(PyObject *o, Py_buffer *view, int *dtype)
{
    if (!PyObject_GetBuffer(o, view, PyBUF_FULL_RO)) {
        *dtype = dtype_of_format(view->format, view->itemsize);
        return true;
    }
    PyErr_Clear();
    PyObject *words = bfloat16_as_words(o);
    const bool found = words && !PyObject_GetBuffer(words, view, PyBUF_FULL_RO);
    *dtype = VN_BF16;
    Py_XDECREF(words);
    PyErr_Clear();
    return found;
}

vn_array *from_buffer(PyObject *o, copying copy)
{
    if (!PyObject_CheckBuffer(o) || PyBytes_Check(o)) return NULL;
    Py_buffer *view = PyMem_Calloc(1, sizeof *view);
    if (!view) return PyErr_NoMemory(), NULL;
    vn_array *x = NULL;
    int dtype;
    if (!get_buffer(o, view, &dtype)) return PyMem_Free(view), NULL;
    if (dtype == VN_U8 && shows_bytes(o, view)) dtype = -1;
    int64_t dims[VN_MAX_RANK];
    bool wrapped = false;
    if (dtype < 0 || view->ndim > VN_MAX_RANK) {
        if (dtype < 0) raise_elements(o, view->format);
        else PyErr_Format(PyExc_ValueError, "%d axes; at most %d are possible", view->ndim, VN_MAX_RANK);
    } else {
        for (int k = 0; k < view->ndim; k++) dims[k] = view->shape[k];
        const bool plain = PyBuffer_IsContiguous(view, 'C') && aligned(view->buf, dtype) && dtype != VN_BOOL && !is_swapped(view->format);
        if (plain && copy != COPY_ALWAYS && view->len) {
            x = vn_wrap(view->buf, (vn_dtype)dtype, vn__shape(dims, (size_t)view->ndim), release_view, view);
            wrapped = true; /* on failure too, the view has been released */
            if (!x) raise_error();
        } else if (copy == COPY_NEVER && view->len) PyErr_SetString(PyExc_ValueError, needs_copy);
        else x = copy_view(view, dtype, dims);
    }
    if (!wrapped) {
        PyBuffer_Release(view);
        PyMem_Free(view);
    }
    return x;
}

typedef struct {
    vn_array *x; /* keeps the memory */
    Py_ssize_t shape[VN_MAX_RANK], strides[VN_MAX_RANK];
} exported;

int array_buffer(PyObject *self, Py_buffer *view, int flags)
{
    vn_array *x = handle_of(self);
    const int dtype = vn_dtype_of(x);
    const void *data;
    view->obj = NULL;
    if (flags & PyBUF_WRITABLE) return PyErr_SetString(PyExc_BufferError, "arrays of Vinea are read-only"), -1;
    if (!keeps_gradient(x)) return -1;
    if (!formats[dtype]) return PyErr_Format(PyExc_BufferError, "%s has no buffer format", vn_dtype_name((vn_dtype)dtype)), -1;
    exported *e = PyMem_Malloc(sizeof *e);
    if (!e) return PyErr_NoMemory(), -1;
    vn_scope scope = vn_scope_begin();
    x = e->x = vn_keep(vn_alias(x)); /* another thread may assign to the array */
    vn_scope_end(scope);
    UNLOCKED(data = vn_data(x));
    if (!x || (!data && vn_size(x))) {
        if (x) vn_drop(x);
        PyMem_Free(e);
        return raise_error(), -1;
    }
    const vn_shape shape = vn_shape_of(x);
    Py_ssize_t step = (Py_ssize_t)vn_dtype_size((vn_dtype)dtype);
    for (int k = shape.rank; k-- > 0;) {
        e->shape[k] = (Py_ssize_t)shape.dim[k];
        e->strides[k] = step;
        step *= e->shape[k];
    }
    *view = (Py_buffer){.buf = (void *)(uintptr_t)data,
                        .obj = Py_NewRef(self),
                        .len = step,
                        .readonly = 1,
                        .ndim = shape.rank,
                        .itemsize = (Py_ssize_t)vn_dtype_size((vn_dtype)dtype),
                        .internal = e};
    if (flags & PyBUF_FORMAT) view->format = (char *)(uintptr_t)formats[dtype];
    if (flags & PyBUF_ND) view->shape = e->shape;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = e->strides;
    return 0;
}

void array_unbuffer(PyObject *self, Py_buffer *view)
{
    (void)self;
    exported *e = view->internal;
    vn_drop(e->x);
    PyMem_Free(e);
}

/* ---- DLPack ---- */

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";

enum { DLPACK_COMPLEX = 5, DLPACK_BOOL = 6 };

/* The structs of the format. A capsule that was not taken frees its tensor. */
typedef struct {
    void *data;
    int32_t device[2], ndim;
    uint32_t dtype;
    int64_t *shape, *strides;
    uint64_t offset;
} tensor;
typedef struct {
    uint32_t version[2];
    void *manager;
    void (*deleter)(void *self);
    uint64_t flags;
    tensor dl;
} versioned_tensor;
typedef struct {
    tensor dl;
    void *manager;
    void (*deleter)(void *self);
} plain_tensor;

static PyObject *capsule_of(PyObject *o)
{
    PyObject *method = PyObject_GetAttrString(o, "__dlpack__"), *none = PyTuple_New(0), *capsule = NULL;
    PyObject *options = Py_BuildValue("{s(ii)}", "max_version", 1, 0);
    if (method && none && options) {
        capsule = PyObject_Call(method, none, options);
        if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) { /* from before versions were a thing */
            PyErr_Clear();
            capsule = PyObject_Call(method, none, NULL);
        }
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(options);
    return capsule;
}

/* Whether the library takes the tensor's memory as it is: elements one after the other, aligned, no bools. */
static bool is_shared(const tensor *t)
{
    const uint32_t code = t->dtype & 255, bits = t->dtype >> 8 & 255, aligned_to = bits / (code == DLPACK_COMPLEX ? 16 : 8);
    int64_t step = 1;
    bool packed = true, empty = false;
    for (int k = t->ndim; k-- > 0;) {
        packed &= t->shape[k] == 1 || !t->strides || t->strides[k] == step;
        empty |= !t->shape[k];
        step *= t->shape[k];
    }
    return empty || (packed && code != DLPACK_BOOL && (!aligned_to || ((uintptr_t)t->data + t->offset) % aligned_to == 0));
}

/* PyTorch marks tensors that are to be negated or conjugated when they are read, which DLPack cannot say: it exports the memory as it is, or
 * nothing. A new reference to o, or to its values in memory of their own; NULL raises. */
static PyObject *resolved(PyObject *o, copying copy)
{
    static const char *const marks[][2] = {{"is_conj", "resolve_conj"}, {"is_neg", "resolve_neg"}};
    Py_INCREF(o);
    for (size_t k = 0; o && k < sizeof marks / sizeof *marks; k++) {
        if (!PyObject_HasAttrString(o, marks[k][0])) continue;
        PyObject *answer = PyObject_CallMethod(o, marks[k][0], NULL), *plain = NULL;
        const int marked = answer ? PyObject_IsTrue(answer) : -1;
        if (marked > 0 && copy == COPY_NEVER) PyErr_SetString(PyExc_ValueError, needs_copy);
        else if (marked >= 0) plain = marked ? PyObject_CallMethod(o, marks[k][1], NULL) : Py_NewRef(o);
        Py_XDECREF(answer);
        Py_DECREF(o);
        o = plain;
    }
    return o;
}

vn_array *from_dlpack(PyObject *o, copying copy)
{
    if (!PyObject_HasAttrString(o, "__dlpack__")) return NULL;
    PyObject *source = resolved(o, copy), *capsule = source ? capsule_of(source) : NULL;
    Py_XDECREF(source); /* the capsule keeps it */
    /* It had no buffer either. */
    if (!capsule && PyErr_ExceptionMatches(PyExc_BufferError) && PyObject_CheckBuffer(o)) raise_elements(o, "unknown");
    if (!capsule) return NULL;
    vn_array *x = NULL;
    const bool versioned = PyCapsule_IsValid(capsule, versioned_name), plain = PyCapsule_IsValid(capsule, plain_name);
    const tensor *dl = versioned ? &((versioned_tensor *)PyCapsule_GetPointer(capsule, versioned_name))->dl
                       : plain   ? &((plain_tensor *)PyCapsule_GetPointer(capsule, plain_name))->dl
                                 : NULL;
    if (dl && copy == COPY_NEVER && !is_shared(dl)) {
        PyErr_SetString(PyExc_ValueError, needs_copy);
    } else if (versioned) {
        struct DLManagedTensorVersioned *t = PyCapsule_GetPointer(capsule, versioned_name);
        PyCapsule_SetName(capsule, "used_dltensor_versioned"); /* from here on the library owns it */
        x = copy == COPY_ALWAYS ? vn_from_dlpack_copy(t) : vn_from_dlpack(t);
    } else if (plain) {
        struct DLManagedTensor *t = PyCapsule_GetPointer(capsule, plain_name);
        PyCapsule_SetName(capsule, "used_dltensor");
        x = copy == COPY_ALWAYS ? vn_from_dlpack_old_copy(t) : vn_from_dlpack_old(t);
    } else PyErr_SetString(PyExc_TypeError, "__dlpack__ did not return a DLPack capsule");
    Py_DECREF(capsule);
    if (!x) return raise_error(), NULL;
    return x;
}

static void drop_versioned(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, versioned_name)) return;
    versioned_tensor *t = PyCapsule_GetPointer(capsule, versioned_name);
    t->deleter(t);
}

static void drop_plain(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, plain_name)) return;
    plain_tensor *t = PyCapsule_GetPointer(capsule, plain_name);
    t->deleter(t);
}

static void delete_plain(void *self)
{
    versioned_tensor *inner = ((plain_tensor *)self)->manager;
    inner->deleter(inner);
    free(self);
}

/* The old form over the same memory. It cannot say that the memory is read-only, so only those get it who insist on no copy. */
static void *plain_without_copy(vn_array *x)
{
    plain_tensor *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->manager = vn_to_dlpack(x);
    t->deleter = delete_plain;
    if (!t->manager) return free(t), NULL;
    t->dl = ((versioned_tensor *)t->manager)->dl;
    return t;
}

PyObject *is_aligned(PyObject *module, PyObject *args)
{
    PyObject *array;
    unsigned int bytes;
    const void *data;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!I:is_aligned", Array_type, &array, &bytes)) return NULL;
    vn_array *x = handle_of(array);
    UNLOCKED_WITH(x, data = vn_data(x));
    return data || !vn_status() ? PyBool_FromLong(bytes && (uintptr_t)data % bytes == 0) : raise_error();
}

PyObject *array_dlpack_device(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return Py_BuildValue("(ii)", 1, 0); /* host memory */
}

/* Two integers in a tuple, as DLPack has versions and devices; false raises. */
static bool pair_from(PyObject *o, const char *name, long long *first, long long *second)
{
    if (PyTuple_Check(o) && PyTuple_Size(o) == 2 && PyLong_Check(PyTuple_GetItem(o, 0)) && PyLong_Check(PyTuple_GetItem(o, 1))) {
        *first = PyLong_AsLongLong(PyTuple_GetItem(o, 0));
        *second = PyLong_AsLongLong(PyTuple_GetItem(o, 1));
        return !PyErr_Occurred();
    }
    return PyErr_Format(PyExc_TypeError, "__dlpack__: %s is a tuple of two integers, not %R", name, o), false;
}

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) */
PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy)) return NULL;
    long long type = 1, number = 0, major = 0, minor = 0;
    if (stream != Py_None && !(PyLong_Check(stream) && PyLong_AsLong(stream) == -1)) {
        PyErr_SetString(PyExc_ValueError, "stream: host memory has none, so only None and -1 are possible");
        return NULL;
    }
    if (device != Py_None && !pair_from(device, names[2], &type, &number)) return NULL;
    if (type != 1 || number) return PyErr_SetString(PyExc_BufferError, "dl_device: only host memory, (1, 0), is possible"), NULL;
    if (version != Py_None && !pair_from(version, names[1], &major, &minor)) return NULL;
    const int is_true = copy == Py_None ? -1 : PyObject_IsTrue(copy);
    if (is_true < 0 && PyErr_Occurred()) return NULL;
    vn_array *x = handle_of(self);
    void *t;
    if (!keeps_gradient(x)) return NULL;
    if (major >= 1) { /* some consumers write to memory that is read-only: other bytes than 0 and 1 would be no bools */
        const bool copied = is_true == 1 || (is_true < 0 && vn_dtype_of(x) == VN_BOOL);
        UNLOCKED_WITH(x, t = copied ? vn_to_dlpack_copy(x) : vn_to_dlpack(x));
        return t ? PyCapsule_New(t, versioned_name, drop_versioned) : raise_error();
    }
    UNLOCKED_WITH(x,
                  t = is_true ? (void *)vn_to_dlpack_old(x) : plain_without_copy(x)); /* a copy that the consumer owns, unless forbidden */
    return t ? PyCapsule_New(t, plain_name, drop_plain) : raise_error();
}
