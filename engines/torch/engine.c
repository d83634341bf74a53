/* engine.c: the torch engine as the core sees it. No `compile`: torch runs a program kernel by kernel. */
#include "torch.h"

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
