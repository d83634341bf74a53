/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c: moving arrays between engines: through DLPack if both sides support it, for memory that the host cannot read; otherwise
 * through host memory, without a copy if possible. */
#include "core/memory.h"
#include "engine/engine.h"
#include "base/floats.h"

/* The built-in engine computes nothing here; a framework may, so it gets the default floating-point environment. */
int vn__to_host(const vn__engine *e, vn_buf *buf, const vn_desc *d, const void **data, const char *who)
{
    if (e->builtin) return e->api.to_host(e->context, buf, d, data);
    VN__FLOATS;
    int code = vn__engine_enter(e, who);
    if (code) return code;
    code = e->api.to_host(e->context, buf, d, data);
    vn__engine_leave(e);
    return code;
}

int vn__from_host(const vn__engine *e, const vn_desc *d, const vn_host_memory *m, vn_buf **out, const char *who)
{
    VN__FLOATS;
    int code = vn__engine_enter(e, who);
    if (code) return code;
    code = e->api.from_host(e->context, d, m, out);
    vn__engine_leave(e);
    return code;
}

typedef struct {
    const vn__engine *engine;
    vn_buf *buf;
} owner;

static void release_owner(void *memory)
{
    owner *o = memory;
    vn__buf_release(o->engine, o->buf);
    vn__free(o);
}

static int by_host(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out)
{
    const void *data = NULL;
    int code = vn__to_host(from, buf, d, &data, "to");
    owner *o = code ? NULL : vn__alloc(sizeof *o);
    if (!code && !o) code = vn__no_memory("to");
    if (code) return vn__engine_failed(from, code, "to", "could not give its data");
    *o = (owner){from, buf};
    vn__buf_retain(from, buf);
    vn_host_memory m = {data, (size_t)d->count * vn_dtype_size((vn_dtype)d->dtype), release_owner, o};
    code = vn__from_host(to, d, &m, out, "to");
    if (!code) return VN_OK;
    release_owner(o);
    return vn__engine_failed(to, code, "to", "could not take the data");
}

static int by_dlpack(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out)
{
    struct DLManagedTensorVersioned *tensor = NULL;
    int code = from->api.to_dlpack(from->context, buf, d, NULL, &tensor);
    if (code) return vn__engine_failed(from, code, "to", "could not give its data");
    code = to->api.from_dlpack(to->context, d, tensor, NULL, out);
    if (!code) return VN_OK;
    vn__dlpack_release(tensor);
    return vn__engine_failed(to, code, "to", "could not take the data");
}

int vn__transfer(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out)
{
    if (!from->api.to_dlpack || !to->api.from_dlpack) return by_host(from, buf, d, to, out);
    VN__FLOATS;
    int code = vn__engine_enter(from, "to");
    if (code) return code;
    if (!(code = vn__engine_enter(to, "to"))) {
        code = by_dlpack(from, buf, d, to, out);
        vn__engine_leave(to);
    }
    vn__engine_leave(from);
    return code;
}
