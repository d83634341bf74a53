/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c: arrays in and out. TensorFlow's tensors are in host memory, so no copies are needed where alignment allows. */
#include "buffer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct vn_buf {
    atomic_int refs;
    size_t bytes;
    TF_Tensor *tensor;
};

static atomic_llong used, peak; /* bytes in buffers, without TensorFlow's own memory during a run */

static void count(long long bytes)
{
    long long now = atomic_fetch_add(&used, bytes) + bytes, top = atomic_load(&peak);
    while (now > top && !atomic_compare_exchange_weak(&peak, &top, now)) continue;
}

/* Makes `buf` own the tensor, with one reference. */
static vn_buf *fill(vn_buf *buf, TF_Tensor *tensor)
{
    atomic_init(&buf->refs, 1);
    buf->tensor = tensor;
    buf->bytes = api.TF_TensorByteSize(tensor);
    count((long long)buf->bytes);
    return buf;
}

vn_buf *buffer_wrap(TF_Tensor *tensor)
{
    vn_buf *buf = malloc(sizeof *buf);
    return buf ? fill(buf, tensor) : NULL;
}

TF_Tensor *buffer_tensor(const vn_buf *buf)
{
    return buf->tensor;
}

void buffer_retain(vn_buf *buf)
{
    atomic_fetch_add_explicit(&buf->refs, 1, memory_order_relaxed);
}

void buffer_release(vn_buf *buf)
{
    if (!buf || atomic_fetch_sub_explicit(&buf->refs, 1, memory_order_acq_rel) != 1) return;
    count(-(long long)buf->bytes);
    api.TF_DeleteTensor(buf->tensor);
    free(buf);
}

int buffer_memory(vn_context *context, vn_engine_memory *out)
{
    (void)context;
    out->used = atomic_load(&used);
    out->peak = atomic_load(&peak);
    out->cached = -1;
    return VN_OK;
}

/* Called by TensorFlow, from any thread, when the last tensor that uses the host's memory is gone. */
static void give_back(void *data, size_t bytes, void *lent)
{
    vn_host_memory memory = *(vn_host_memory *)lent;
    (void)data, (void)bytes;
    free(lent);
    memory.release(memory.owner);
}

static void free_copy(void *data, size_t bytes, void *arg)
{
    (void)bytes, (void)arg;
    host->free(data);
}

/* A tensor over the host's memory. If it is not sufficiently aligned, TensorFlow copies it and releases it immediately. */
static TF_Tensor *borrow(const vn_desc *desc, const vn_host_memory *memory)
{
    vn_host_memory *lent = malloc(sizeof *lent);
    if (!lent) return NULL;
    *lent = *memory;
    union {
        const void *in;
        void *out;
    } data = {memory->data}; /* never written to: TensorFlow reuses only memory it owns */
    return api.TF_NewTensor(api_dtype(desc->dtype), desc->dims, desc->rank, data.out, memory->bytes, give_back, lent);
}

static TF_Tensor *copy(const vn_desc *desc, const vn_host_memory *memory)
{
    void *data = host->alloc(memory->bytes);
    if (!data) return NULL;
    memcpy(data, memory->data, memory->bytes);
    return api.TF_NewTensor(api_dtype(desc->dtype), desc->dims, desc->rank, data, memory->bytes, free_copy, NULL);
}

/* Everything that can fail comes before ownership changes: on failure the host keeps the memory. */
int buffer_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    size_t bytes = (size_t)desc->count * dtype_bytes(desc->dtype);
    if (memory->bytes != bytes)
        return host->error(VN_E_ARG, "tensorflow: %zu bytes of host memory for an array of %zu", memory->bytes, bytes);
    vn_buf *buf = malloc(sizeof *buf);
    TF_Tensor *tensor = NULL;
    if (buf && bytes == 0) tensor = api.TF_AllocateTensor(api_dtype(desc->dtype), desc->dims, desc->rank, 0);
    else if (buf) tensor = memory->release ? borrow(desc, memory) : copy(desc, memory);
    if (!tensor) {
        free(buf);
        return host->error(VN_E_MEM, "tensorflow: out of memory for an array of %zu bytes", bytes);
    }
    *out = fill(buf, tensor);
    if (bytes == 0 && memory->release) memory->release(memory->owner);
    return VN_OK;
}

int buffer_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)context;
    size_t bytes = (size_t)desc->count * dtype_bytes(desc->dtype);
    if (buf->bytes != bytes)
        return host->error(VN_E_ENGINE, "tensorflow: an array has %zu bytes where %zu were expected", buf->bytes, bytes);
    *data = api.TF_TensorData(buf->tensor);
    return VN_OK;
}
