/* SPDX-License-Identifier: Apache-2.0 */
/* library.c: finds and loads libtorch_cpu.so and gets the functions of torch.h from it.
 *
 * The library cannot be unloaded, so it is loaded once and kept. If the process has already loaded it (a Python
 * program that imported torch) that copy is used. */
#include "torch.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/locate.h"
#include "../common/onednn.h"

functions torch;
const vn_host *host;

static void *library;
static char path[PATH_MAX], version[32];

/* The destination of each function. Copied as bytes, since ISO C has no conversion from dlsym's result. */
static const struct {
    const char *symbol;
    size_t offset;
} symbols[] = {
#define ENTRY(result, name, symbol, parameters) {#symbol, offsetof(functions, name)},
    TORCH_FUNCTIONS(ENTRY)
#undef ENTRY
};

/* The getters of torch's dtype numbers, and of those of the dtypes they are stored as. */
static const struct {
    vn_dtype dtype;
    const char *number, *stored_as;
} numbers[] = {
    {VN_BOOL, "aoti_torch_dtype_bool", "aoti_torch_dtype_bool"},
    {VN_I8, "aoti_torch_dtype_int8", "aoti_torch_dtype_int8"},
    {VN_I16, "aoti_torch_dtype_int16", "aoti_torch_dtype_int16"},
    {VN_I32, "aoti_torch_dtype_int32", "aoti_torch_dtype_int32"},
    {VN_I64, "aoti_torch_dtype_int64", "aoti_torch_dtype_int64"},
    {VN_U8, "aoti_torch_dtype_uint8", "aoti_torch_dtype_uint8"},
    {VN_U16, "aoti_torch_dtype_uint16", "aoti_torch_dtype_int16"},
    {VN_U32, "aoti_torch_dtype_uint32", "aoti_torch_dtype_int32"},
    {VN_U64, "aoti_torch_dtype_uint64", "aoti_torch_dtype_int64"},
    {VN_F16, "aoti_torch_dtype_float16", "aoti_torch_dtype_float16"},
    {VN_BF16, "aoti_torch_dtype_bfloat16", "aoti_torch_dtype_bfloat16"},
    {VN_F32, "aoti_torch_dtype_float32", "aoti_torch_dtype_float32"},
    {VN_F64, "aoti_torch_dtype_float64", "aoti_torch_dtype_float64"},
    {VN_C64, "aoti_torch_dtype_complex64", "aoti_torch_dtype_complex64"},
    {VN_C128, "aoti_torch_dtype_complex128", "aoti_torch_dtype_complex128"},
};

/* Copies a symbol's address into the function pointer at `to`. */
static bool take_symbol(const char *symbol, void *to)
{
    void *found = dlsym(library, symbol);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

static int too_old(const char *symbol)
{
    return host->error(VN_E_ENGINE, "torch: %s has no %s; PyTorch 2.13 or newer is needed", path, symbol);
}

static int take_functions(void)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (!take_symbol(symbols[i].symbol, (char *)&torch + symbols[i].offset)) return too_old(symbols[i].symbol);
    if (!take_symbol("omp_set_num_threads", &torch.set_threads)) host->log("torch: no OpenMP found, the thread count stays torch's own");
    return VN_OK;
}

static int take_numbers(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int32_t (*number)(void), (*stored_as)(void);
        if (!take_symbol(numbers[i].number, &number)) return too_old(numbers[i].number);
        if (!take_symbol(numbers[i].stored_as, &stored_as)) return too_old(numbers[i].stored_as);
        torch.dtype[numbers[i].dtype] = number();
        torch.stored_as[numbers[i].dtype] = stored_as();
    }
    torch.cpu_type = torch.cpu();
    torch.strided_layout = torch.strided();
    return VN_OK;
}

static int open_file(void)
{
    library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library) return VN_OK;
    int code = vn_locate_package_file(host, "torch", "torch/lib/libtorch_cpu.so", path, sizeof path);
    if (code) return code;
    if (vn_onednn_cap(vn_processor_here())) host->log("torch: this machine's AMX is incomplete, oneDNN was told to stay below it");
    char why[800];
    library = host->open_library(path, RTLD_NOW | RTLD_LOCAL, why, sizeof why);
    return library ? VN_OK : host->error(VN_E_ENGINE, "torch: %s cannot be loaded: %s", path, why);
}

/* glibc returns larger blocks to the system immediately, and fresh pages for the next result cost ten times as much as the kernel
 * (adding 100,000 floats: 91 us instead of 10). Its threshold is dynamic: after one freed block of this size it keeps
 * those up to 32 MB. No memory is touched or held, and a limit set by the user is respected. */
static void teach_malloc(void)
{
    void *volatile block = malloc((32u << 20) - (64u << 10));
    free(block);
}

int load_library(void)
{
    if (!library) {
        int code = open_file();
        if (code) return code;
        teach_malloc();
    }
    Dl_info info;
    void *symbol = dlsym(library, "torch_call_dispatcher");
    if (symbol && dladdr(symbol, &info) && info.dli_fname) snprintf(path, sizeof path, "%s", info.dli_fname);
    int code = take_functions();
    if (!code) code = take_numbers();
    if (code) return code;
    uint64_t abi = torch.abi_version(); /* a byte each: major, minor, patch */
    snprintf(version, sizeof version, "%u.%u.%u", (unsigned)(abi >> 56), (unsigned)(abi >> 48 & 255), (unsigned)(abi >> 40 & 255));
    return VN_OK;
}

const char *library_version(vn_context *context)
{
    return (void)context, version;
}

const char *library_path(vn_context *context)
{
    return (void)context, path;
}

int failed(const char *doing)
{
    const char *text = torch.what();
    if (!text) text = "";
    const char *allocator = strstr(text, "DefaultCPUAllocator"); /* preceded by a line about torch's source */
    if (allocator) text = allocator;
    bool memory = allocator || strstr(text, "bad_alloc");
    int length = (int)strcspn(text, "\n"); /* the rest is for torch's developers */
    if (length == 0) return host->error(VN_E_ENGINE, "torch: %s failed without a message", doing);
    return host->error(memory ? VN_E_MEM : VN_E_ENGINE, "torch: %s: %.*s", doing, length < 500 ? length : 500, text);
}

int gave(int refused, tensor *const *handle, const char *doing)
{
    if (refused) return failed(doing);
    return *handle ? VN_OK : host->error(VN_E_ENGINE, "torch: %s: PyTorch gave no tensor", doing);
}

/* The count is per thread, and the thread may belong to a program that uses torch itself. Querying it first matters: torch
 * sets it at its first use in a thread and would overwrite ours. The thread's gradient mode does not matter: torch
 * records nothing if no tensor requires a gradient, and none of ours does. */
int take_threads(void)
{
    int wanted = host->threads();
    uint32_t now;
    if (wanted < 1 || !torch.set_threads || torch.threads(&now) || now == (uint32_t)wanted) return 0;
    torch.set_threads(wanted);
    return (int)now;
}

void give_threads_back(int before)
{
    if (before) torch.set_threads(before);
}
