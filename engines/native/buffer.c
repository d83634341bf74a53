/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c: the engine's arrays. A buffer is one block: 64 bytes of header, then its data, unless it aliases host memory. */
/* compiled for speed */
#include <string.h>

#include "internal.h"

struct vn_buf {
    atomic_int refs;
    void *data;
    size_t capacity;              /* of our own data; 0 for an alias */
    void (*release)(void *owner); /* set for an alias */
    void *owner;
};

enum { HEADER = 64 };
_Static_assert(sizeof(struct vn_buf) <= HEADER, "a buffer's header must fit in front of its data");

vn_buf *vn__native_buffer_new(size_t bytes)
{
    if (bytes > SIZE_MAX - HEADER) return NULL;
    vn_buf *buf = vn__native_alloc(HEADER + bytes);
    if (!buf) return NULL;
    atomic_init(&buf->refs, 1);
    buf->data = (char *)buf + HEADER;
    buf->capacity = bytes;
    buf->release = NULL;
    buf->owner = NULL;
    return buf;
}

void *vn__native_buffer_data(const vn_buf *buf)
{
    return buf->data;
}

bool vn__native_buffer_writable(const vn_buf *buf, size_t bytes)
{
    return !buf->release && buf->capacity == bytes && atomic_load_explicit(&buf->refs, memory_order_acquire) == 1;
}

int vn__native_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    const size_t bytes = (size_t)desc->count * vn__native_bytes(desc->dtype);
    if (memory->bytes < bytes)
        return vn__native_host->error(VN_E_ARG, "native: %zu bytes of host memory for an array of %zu", memory->bytes, bytes);
    vn_buf *buf = vn__native_buffer_new(memory->release ? 0 : bytes);
    if (!buf) return vn__native_no_memory();
    if (memory->release) {
        buf->data = (void *)(uintptr_t)memory->data;
        buf->release = memory->release;
        buf->owner = memory->owner;
    } else if (bytes) {
        memcpy(buf->data, memory->data, bytes);
    }
    *out = buf;
    return VN_OK;
}

int vn__native_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)context;
    (void)desc;
    *data = buf->data;
    return VN_OK;
}

void vn__native_retain(vn_context *context, vn_buf *buf)
{
    (void)context;
    atomic_fetch_add_explicit(&buf->refs, 1, memory_order_relaxed);
}

void vn__native_release(vn_context *context, vn_buf *buf)
{
    (void)context;
    /* The owner of the only reference skips the atomic subtraction: no other thread can add one. */
    if (atomic_load_explicit(&buf->refs, memory_order_acquire) != 1 && atomic_fetch_sub_explicit(&buf->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (buf->release) buf->release(buf->owner);
    vn__native_free(buf, HEADER + buf->capacity);
}
