/* SPDX-License-Identifier: Apache-2.0 */
/* numpy.c: the numpy engine: opens NumPy in the shared interpreter and moves arrays in and out. It runs kernel by kernel (kernels.c). */
#include "numpy_engine.h"
#include "plugin.h"

#include <stdio.h>
#include <string.h>

const vn_host *np_host;

static int open_engine(int device, vn_context **out)
{
    (void)device, (void)out; /* one device, without state */
    int state, code = vn_python_open(np_host, "numpy", "numpy");
    if (!code) code = vn_nd_open(np_host, "numpy");
    if (code || (code = vn_python_enter(&state))) return code;
    if (vn_python_read_package("numpy") || np_quiet_open() || np_bind()) code = vn_python_error("open");
    else if (py.ours && np_host->threads() > 0) np_set_threads(np_host->threads());
    vn_python_leave(state);
    return code;
}

/* Only buffers in the release queue are cached; entering the interpreter empties it. */
static void close_engine(vn_context *context)
{
    (void)context;
    int state;
    if (!vn_python_enter(&state)) vn_python_leave(state);
}

static int from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    if (!vn_nd_dtype(desc->dtype)) return np_host->error(VN_E_UNSUPPORTED, "numpy: from_host: this NumPy lacks the dtype");
    return vn_nd_buf_from_host(desc, memory, 1, out);
}

/* Creates the row-major copy that to_host returns and the buffer keeps. */
static int settle(vn_buf *buf, const vn_desc *desc)
{
    int state, code = vn_python_enter(&state);
    if (code) return code;
    PyObject *copy = vn_nd_empty(desc->dtype, desc->rank, desc->dims), *expected = NULL;
    if (!copy || vn_nd_copy(copy, buf->object)) code = vn_python_error("to_host");
    else if (atomic_compare_exchange_strong(&buf->other, &expected, copy)) copy = NULL;
    vn_python_drop(copy); /* on failure, or if another thread was first */
    vn_python_leave(state);
    return code;
}

static int to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)context;
    PyObject *array = __atomic_load_n(&buf->object, __ATOMIC_ACQUIRE);
    if (!array) {
        *data = buf->small;
        return VN_OK;
    }
    if (!(vn_nd(array)->flags & VN_ND_CONTIGUOUS)) {
        int code = atomic_load(&buf->other) ? VN_OK : settle(buf, desc);
        if (code) return code;
        array = atomic_load(&buf->other);
    }
    *data = vn_nd(array)->data;
    return VN_OK;
}

static void unprepare(vn_context *context, void *prepared)
{
    (void)context;
    vn_python_release(prepared);
}

static int describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    (void)context;
    char threads[48];
    int n = np_threads();
    if (n > 0) snprintf(threads, sizeof threads, "%d in matrix products, else 1", n);
    line(to, "device", "cpu");
    line(to, "threads", n > 0 ? threads : "1, in matrix products as NumPy's BLAS decides");
    return VN_OK;
}

static const vn_engine self = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "numpy",
    .open = open_engine,
    .close = close_engine,
    .version = vn_python_version,
    .where = vn_python_where,
    .from_host = from_host,
    .to_host = to_host,
    .retain = vn_python_engine_retain,
    .release = vn_python_engine_release,
    .kernels = np_kernels,
    .unprepare = unprepare,
    .describe = describe,
    .stack = 256 << 10,
};

VN_PLUGIN(self, np_host)
