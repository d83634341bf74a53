/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: the torch engine as the core sees it. No `compile`: torch runs a program kernel by kernel. */
#include "torch.h"
#include "plugin.h"

#include <stdio.h>

static int open_engine(int device, vn_context **out)
{
    (void)device, (void)out; /* one device, without state */
    int code = load_library();
    if (!code) code = open_constants();
    if (!code) fill_rows();
    return code;
}

static void close_engine(vn_context *context)
{
    (void)context;
    clear_rows();
    close_constants();
}

static int describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    (void)context;
    int before = take_threads(); /* the user's setting applies while kernels run */
    uint32_t n = 0;
    int code = torch.threads(&n) ? failed("threads") : VN_OK;
    give_threads_back(before);
    if (code) return code;
    char threads[16];
    snprintf(threads, sizeof threads, "%u", (unsigned)n);
    line(to, "device", "cpu");
    line(to, "threads", threads);
    return VN_OK;
}

VN_BUFFER_COUNTS(buffer_retain, buffer_release)

static const vn_engine engine = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "torch",
    .open = open_engine,
    .close = close_engine,
    .version = library_version,
    .where = library_path,
    .from_host = buffer_from_host,
    .to_host = buffer_to_host,
    .retain = retain,
    .release = release,
    .kernels = rows,
    .describe = describe,
    .stack = 256 << 10,
};

VN_PLUGIN(engine, host)
