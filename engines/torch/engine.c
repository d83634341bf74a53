/* engine.c: the torch engine as the core sees it. No `compile`: torch runs a program kernel by kernel. */
#include "torch.h"

#include <stdio.h>

static int open_engine(void)
{
    int code = load_library();
    if (!code) code = open_constants();
    if (!code) fill_rows();
    return code;
}

static void close_engine(void)
{
    clear_rows();
    close_constants();
}

static int describe(void (*line)(void *to, const char *key, const char *value), void *to)
{
    int before = take_threads(); /* a wish of the user's counts while kernels run */
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

static const vn_engine engine = {
    .abi = VN_ENGINE_ABI,
    .size = sizeof(vn_engine),
    .name = "torch",
    .open = open_engine,
    .close = close_engine,
    .version = library_version,
    .where = library_path,
    .from_host = buffer_from_host,
    .to_host = buffer_to_host,
    .retain = buffer_retain,
    .release = buffer_release,
    .kernels = rows,
    .describe = describe,
    .stack = 256 << 10,
};

__attribute__((visibility("default"))) const vn_engine *vinea_engine_main(const vn_host *given)
{
    if (given->abi < VN_ENGINE_ABI || given->size < sizeof(vn_host)) {
        given->error(VN_E_ENGINE, "torch: this plugin needs engine ABI %d, the library has %d", VN_ENGINE_ABI, (int)given->abi);
        return NULL;
    }
    host = given;
    return &engine;
}
