/* SPDX-License-Identifier: Apache-2.0 */
/* views.c: the families of ops that return views of an input: no element is copied unless a reshape needs it, or slice_set keeps x. */
#include "numpy_engine.h"

#include <string.h>

static void row_major(int32_t rank, const int64_t *dims, int64_t item, int64_t *strides)
{
    for (int32_t i = rank; i-- > 0;) {
        strides[i] = item;
        item *= dims[i] > 1 ? dims[i] : 1;
    }
}

int64_t np_item_bytes(int32_t dtype)
{
    static const int8_t bytes[VN_DTYPE_END] = {
#define VN__X(id, number, name, size) [id] = size,
        VN_DTYPES(VN__X)
#undef VN__X
    };
    return bytes[dtype];
}

/* A row-major copy of x, viewed in the shape of z. */
static PyObject *reshaped_copy(PyObject *x, const vn_desc *from, const vn_desc *z)
{
    int64_t strides[VN_MAX_RANK];
    PyObject *result = vn_nd_empty(z->dtype, z->rank, z->dims);
    row_major(from->rank, from->dims, np_item_bytes(from->dtype), strides);
    PyObject *inside = result ? vn_nd_view(result, vn_nd(result)->data, from->rank, from->dims, strides, 1) : NULL;
    int failed = !inside || vn_nd_copy(inside, x);
    vn_python_drop(inside);
    if (!failed) return result;
    vn_python_drop(result);
    return NULL;
}

int np_reshape(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *x = np_array_in(call, 0);
    (void)function;
    if (vn_nd(x)->flags & VN_ND_CONTIGUOUS) {
        int64_t strides[VN_MAX_RANK];
        row_major(z->rank, z->dims, np_item_bytes(z->dtype), strides);
        out[0] = vn_nd_view(x, vn_nd(x)->data, z->rank, z->dims, strides, 1);
    } else {
        out[0] = reshaped_copy(x, np_desc_in(call, 0), z);
    }
    return out[0] ? 0 : -1;
}

/* The bytes of a row-major x, copied. */
int np_bitcast(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call), *from = np_desc_in(call, 0);
    PyObject *x = np_array_in(call, 0), *plain = NULL;
    (void)function;
    out[0] = vn_nd_empty(z->dtype, z->rank, z->dims);
    if (!(vn_nd(x)->flags & VN_ND_CONTIGUOUS)) plain = reshaped_copy(x, from, from);
    const int failed = !out[0] || (!plain && !(vn_nd(x)->flags & VN_ND_CONTIGUOUS));
    if (!failed) memcpy(vn_nd(out[0])->data, vn_nd(plain ? plain : x)->data, (size_t)(z->count * np_item_bytes(z->dtype)));
    vn_python_drop(plain);
    return failed ? -1 : 0;
}

int np_broadcast_to(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *x = np_array_in(call, 0);
    const vn_ndarray *a = vn_nd(x);
    int64_t strides[VN_MAX_RANK];
    (void)function;
    for (int32_t i = 0; i < z->rank; i++) {
        int32_t from = i - (z->rank - a->rank);
        strides[i] = from >= 0 && a->dims[from] == z->dims[i] ? a->strides[from] : 0;
    }
    out[0] = vn_nd_view(x, a->data, z->rank, z->dims, strides, 0);
    return out[0] ? 0 : -1;
}

enum { AXES, STEPS = AXES }; /* options */

int np_permute_dims(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *x = np_array_in(call, 0);
    int64_t strides[VN_MAX_RANK];
    (void)function;
    for (int32_t i = 0; i < z->rank; i++) strides[i] = vn_nd(x)->strides[call->instr->options[AXES].u.is[i]];
    out[0] = vn_nd_view(x, vn_nd(x)->data, z->rank, z->dims, strides, 1);
    return out[0] ? 0 : -1;
}

/* x[::steps] */
int np_stride(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *x = np_array_in(call, 0);
    int64_t strides[VN_MAX_RANK];
    (void)function;
    for (int32_t i = 0; i < z->rank; i++) strides[i] = z->dims[i] > 1 ? vn_nd(x)->strides[i] * call->instr->options[STEPS].u.is[i] : 0;
    out[0] = vn_nd_view(x, vn_nd(x)->data, z->rank, z->dims, strides, 1);
    return out[0] ? 0 : -1;
}

PyObject *np_reversed(PyObject *x, const int64_t *axes, int32_t n)
{
    const vn_ndarray *a = vn_nd(x);
    int64_t strides[VN_MAX_RANK];
    char *data = a->data;
    for (int i = 0; i < a->rank; i++) strides[i] = a->strides[i];
    for (int32_t i = 0; i < n; i++) {
        int64_t axis = axes[i];
        if (a->dims[axis] > 1) data += (a->dims[axis] - 1) * a->strides[axis];
        strides[axis] = -a->strides[axis];
    }
    return vn_nd_view(x, data, a->rank, a->dims, strides, 1);
}

int np_flip(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_option *axes = &call->instr->options[AXES];
    (void)function;
    out[0] = np_reversed(np_array_in(call, 0), axes->u.is, axes->n);
    return out[0] ? 0 : -1;
}

/* The block of x of the given size at `start` (int64, one per axis), with each start clamped. */
static PyObject *window(PyObject *x, PyObject *start, const int64_t *size, int writeable)
{
    const vn_ndarray *a = vn_nd(x), *s = vn_nd(start);
    char *data = a->data;
    for (int i = 0; i < a->rank; i++) {
        int64_t at, last = a->dims[i] - size[i];
        memcpy(&at, s->data + i * s->strides[0], sizeof at);
        data += (at < 0 ? 0 : at > last ? last : at) * a->strides[i];
    }
    return vn_nd_view(x, data, a->rank, size, a->strides, writeable);
}

int np_slice(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    (void)function;
    out[0] = window(np_array_in(call, 0), np_array_in(call, 1), np_desc_out(call)->dims, 1);
    return out[0] ? 0 : -1;
}

/* x, or a copy of it, with y written at start. */
int np_slice_set(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    const vn_desc *z = np_desc_out(call);
    PyObject *x = np_array_in(call, 0), *result = x;
    (void)function;
    if (np_dies(call, 0)) py.Py_IncRef(x);
    else result = np_as_dtype(x, z->dtype, z->rank, z->dims);
    PyObject *part = result ? window(result, np_array_in(call, 2), np_desc_in(call, 1)->dims, 1) : NULL;
    int failed = !part || vn_nd_copy(part, np_array_in(call, 1));
    vn_python_drop(part);
    if (failed) vn_python_drop(result);
    else out[0] = result;
    return failed ? -1 : 0;
}
