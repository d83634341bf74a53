/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c: arrays of the torch engine: a reference-counted tensor handle, host memory, views.
 *
 * Reshape, broadcast, permutation and slices are views with their own dims and strides on shared storage; only to_host needs
 * row-major order, and keeps the copy it makes with the buffer. */
#include "torch.h"

#include <stdlib.h>
#include <string.h>

/* Host memory that a tensor uses in place. `armed` once the tensor exists: a failing from_blob must not release it. */
typedef struct loan {
    void (*release)(void *owner);
    void *owner;
    bool armed;
} loan;

static const char nothing[64]; /* what an empty array points to */

int wrap(tensor *t, bool own, vn_buf **out)
{
    vn_buf *buf = malloc(sizeof *buf);
    if (!buf) {
        torch.drop(t);
        return host->error(VN_E_MEM, "torch: no memory for a buffer");
    }
    atomic_init(&buf->references, 1);
    atomic_init(&buf->own, own);
    atomic_init(&buf->dense, NULL);
    buf->t = t;
    *out = buf;
    return VN_OK;
}

void strides_of_rows(int32_t rank, const int64_t *dims, int64_t *strides)
{
    int64_t step = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= dims[i] > 1 ? dims[i] : 1;
    }
}

void strides_of_broadcast(const vn_desc *from, const int64_t *old, int32_t rank, const int64_t *dims, int64_t *strides)
{
    int32_t new_axes = rank - from->rank;
    for (int32_t i = 0; i < rank; i++) {
        int32_t k = i - new_axes;
        strides[i] = k >= 0 && from->dims[k] == dims[i] ? old[k] : 0;
    }
}

int new_tensor(int32_t rank, const int64_t *dims, int32_t torch_dtype, tensor **out)
{
    int64_t strides[VN_MAX_RANK + 1];
    strides_of_rows(rank, dims, strides);
    tensor *t = NULL;
    int code = gave(torch.empty(rank, dims, strides, torch_dtype, torch.cpu_type, -1, &t), &t, "allocation");
    if (!code) *out = t;
    return code;
}

int buffer_view(vn_buf *buf, int32_t rank, const int64_t *dims, const int64_t *strides, int64_t offset, vn_buf **out)
{
    int64_t own_strides[VN_MAX_RANK + 1];
    if (!strides) {
        strides_of_rows(rank, dims, own_strides);
        strides = own_strides;
    }
    tensor *t = NULL;
    int code = gave(torch.view(buf->t, rank, dims, strides, offset, &t), &t, "view");
    if (code) return code;
    atomic_store_explicit(&buf->own, false, memory_order_relaxed);
    return wrap(t, false, out);
}

static void give_back(void *data, void *context)
{
    (void)data;
    loan *l = context;
    if (!l->armed) return;
    l->release(l->owner);
    free(l);
}

static int borrow(const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    loan *l = malloc(sizeof *l);
    if (!l) return host->error(VN_E_MEM, "torch: no memory for a buffer");
    *l = (loan){memory->release, memory->owner, false};
    int64_t strides[VN_MAX_RANK + 1];
    strides_of_rows(desc->rank, desc->dims, strides);
    void *data;
    memcpy(&data, &memory->data, sizeof data); /* torch takes no const; nothing here writes to a buffer that is not its own */
    tensor *t = NULL;
    vn_buf *buf = NULL;
    int code = gave(torch.from_blob(data, desc->rank, desc->dims, strides, 0, torch.stored_as[desc->dtype], torch.cpu_type, -1, &t,
                                    torch.strided_layout, NULL, 0, give_back, l),
                    &t, "from_host");
    if (!code) code = wrap(t, false, &buf);
    if (code) {
        free(l);
        return code;
    }
    l->armed = true;
    *out = buf;
    return VN_OK;
}

int buffer_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    if (memory->release && memory->bytes > 0) return borrow(desc, memory, out);
    tensor *t;
    void *data = NULL;
    int code = new_tensor(desc->rank, desc->dims, torch.stored_as[desc->dtype], &t);
    if (code) return code;
    if (memory->bytes > 0) {
        if (torch.mutable_data(t, &data) || !data) {
            torch.drop(t);
            return failed("from_host");
        }
        memcpy(data, memory->data, memory->bytes);
    }
    code = wrap(t, true, out);
    if (code == VN_OK && memory->release) memory->release(memory->owner);
    return code;
}

/* The row-major copy of a buffer with other strides. Two threads may get here at once; one copy is kept. */
static int dense_copy(vn_buf *buf, const vn_desc *desc, tensor **out)
{
    tensor *copy = atomic_load(&buf->dense), *first = NULL;
    if (copy) {
        *out = copy;
        return VN_OK;
    }
    int code = new_tensor(desc->rank, desc->dims, torch.stored_as[desc->dtype], &copy);
    if (code) return code;
    if (torch.copy(copy, buf->t, 0)) {
        torch.drop(copy);
        return failed("to_host");
    }
    if (!atomic_compare_exchange_strong(&buf->dense, &first, copy)) {
        torch.drop(copy);
        copy = first;
    }
    *out = copy;
    return VN_OK;
}

int buffer_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)context;
    tensor *t = buf->t;
    bool contiguous = false;
    if (torch.is_contiguous(t, &contiguous)) return failed("to_host");
    if (!contiguous) {
        int before = take_threads();
        int code = dense_copy(buf, desc, &t);
        give_threads_back(before);
        if (code) return code;
    }
    const void *found = NULL;
    if (torch.data(t, &found)) return failed("to_host");
    *data = found ? found : nothing;
    return VN_OK;
}

void buffer_retain(vn_buf *buf)
{
    atomic_fetch_add_explicit(&buf->references, 1, memory_order_relaxed);
}

void buffer_release(vn_buf *buf)
{
    if (atomic_fetch_sub_explicit(&buf->references, 1, memory_order_acq_rel) != 1) return;
    tensor *dense = atomic_load(&buf->dense);
    if (dense) torch.drop(dense);
    torch.drop(buf->t);
    free(buf);
}
