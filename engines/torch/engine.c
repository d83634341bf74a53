/* engine.c: the torch engine as the core sees it. No `compile`: torch runs a program kernel by kernel. */
#include "torch.h"

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

/* vn_engine's array functions; the plugin's own have no context. */
static const char *version(vn_context *context)
{
    return (void)context, library_version();
}

static const char *where(vn_context *context)
{
    return (void)context, library_path();
}

static int from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    return (void)context, buffer_from_host(desc, memory, out);
}

static int to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    return (void)context, buffer_to_host(buf, desc, data);
}

static void retain(vn_context *context, vn_buf *buf)
{
    (void)context, buffer_retain(buf);
}

static void release(vn_context *context, vn_buf *buf)
{
    (void)context, buffer_release(buf);
}

static const vn_engine engine = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "torch",
    .open = open_engine,
    .close = close_engine,
    .version = version,
    .where = where,
    .from_host = from_host,
    .to_host = to_host,
    .retain = retain,
    .release = release,
    .kernels = rows,
    .describe = describe,
    .stack = 256 << 10,
};

static const vn_engine *const engines[] = {&engine};
static const vn_plugin plugin = {.abi = VN_ENGINE_ABI, .size = sizeof(vn_plugin), .n_engines = 1, .engines = engines};

__attribute__((visibility("default"))) const vn_plugin *vinea_engine_main(const vn_host *given)
{
    if (given->abi < VN_ENGINE_ABI || given->size < sizeof(vn_host)) {
        given->error(VN_E_ENGINE, "torch: this plugin needs engine ABI %d, the library has %d", VN_ENGINE_ABI, (int)given->abi);
        return NULL;
    }
    host = given;
    return &plugin;
}
