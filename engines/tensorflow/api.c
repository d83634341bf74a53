/* SPDX-License-Identifier: Apache-2.0 */
/* api.c: finds libtensorflow_cc.so.2 in the user's Python packages, loads it and fills the table of functions.
 *
 * The library is loaded RTLD_LOCAL: with RTLD_GLOBAL its bundled libcrypto and protobuf would shadow those of other frameworks and crash
 * them. It cannot be unloaded. It reads the log level from the environment while it loads; that variable is restored afterwards. */
#include "api.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "locate.h"
#include "onednn.h"

#define LIBRARY "libtensorflow_cc.so.2"

tensorflow_api api;

static char where[4096];
static int loaded;

const char *api_where(void)
{
    return where;
}

static const struct {
    int tf;
    size_t bytes;
} dtypes[VN_DTYPE_END] = {
    [VN_BOOL] = {TF_BOOL, 1},  [VN_I8] = {TF_INT8, 1},       [VN_I16] = {TF_INT16, 2},        [VN_I32] = {TF_INT32, 4},
    [VN_I64] = {TF_INT64, 8},  [VN_U8] = {TF_UINT8, 1},      [VN_U16] = {TF_UINT16, 2},       [VN_U32] = {TF_UINT32, 4},
    [VN_U64] = {TF_UINT64, 8}, [VN_F16] = {TF_HALF, 2},      [VN_BF16] = {TF_BFLOAT16, 2},    [VN_F32] = {TF_FLOAT, 4},
    [VN_F64] = {TF_DOUBLE, 8}, [VN_C64] = {TF_COMPLEX64, 8}, [VN_C128] = {TF_COMPLEX128, 16},
};

int api_dtype(int32_t dtype)
{
    return dtypes[dtype].tf;
}

size_t dtype_bytes(int32_t dtype)
{
    return dtypes[dtype].bytes;
}

int api_error(const TF_Status *status, const char *what)
{
    int code = api.TF_GetCode(status);
    int ours = code == TF_RESOURCE_EXHAUSTED ? VN_E_MEM : code == TF_UNIMPLEMENTED ? VN_E_UNSUPPORTED : VN_E_ENGINE;
    const char *text = api.TF_Message(status);
    return host->error(ours, "tensorflow: %s: %.*s", what, (int)strcspn(text, "\n"), text); /* further lines only repeat the node */
}

/* Sets a variable the user has not set. Returns whether it did. */
static int set_default(const char *name, const char *value)
{
    return !secure_getenv(name) && setenv(name, value, 1) == 0;
}

/* TensorFlow prints a message about oneDNN on stderr while it loads, and some versions another one at the first run, whatever the log
 * level. Standard error is redirected for that moment. Holding the lock of the stdio stream serialises this, and makes other threads'
 * output wait instead of being lost. Returns the saved descriptor for api_quiet_end, or -1 if there is no standard error. */
int api_quiet_begin(void)
{
    flockfile(stderr);
    fflush(stderr);
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = saved < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return saved;
}

void api_quiet_end(int saved)
{
    if (saved >= 0) {
        dup2(saved, STDERR_FILENO);
        close(saved);
    }
    funlockfile(stderr);
}

static void *load_quietly(char *why, size_t capacity)
{
    int level = set_default("TF_CPP_MIN_LOG_LEVEL", "3");
    if (vn_onednn_cap(vn_processor_here())) host->log("tensorflow: this machine's AMX is incomplete, oneDNN was told to stay below it");
    int saved = api_quiet_begin();
    void *library = host->open_library(where, RTLD_NOW | RTLD_LOCAL, why, capacity);
    api_quiet_end(saved);
    if (level) unsetenv("TF_CPP_MIN_LOG_LEVEL");
    return library;
}

/* Fills `api`; 0 and the missing name when the library is too old. */
static int bind(void *library, const char **missing)
{
#define BIND(result, name, parameters)                                                                     \
    {                                                                                                      \
        void *symbol = dlsym(library, #name);                                                              \
        if (!symbol) return *missing = #name, 0;                                                           \
        memcpy(&api.name, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointer */ \
    }
    TENSORFLOW_FUNCTIONS(BIND)
#undef BIND
    return 1;
}

int api_load(void)
{
    if (loaded) return VN_OK;
    void *library =
        dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD); /* loaded by a Python program that imported it: two copies abort */
    int code = library ? VN_OK : vn_locate_package_file(host, "tensorflow", "tensorflow/" LIBRARY, where, sizeof where);
    if (code) return where[0] = 0, code;
    char why[800];
    if (!library) library = load_quietly(why, sizeof why);
    if (!library) return host->error(VN_E_ENGINE, "tensorflow: %s cannot be loaded: %s", where, why);
    const char *missing = NULL;
    if (!bind(library, &missing))
        return host->error(VN_E_ENGINE, "tensorflow: %s has no function %s; a newer TensorFlow is needed", where, missing);
    Dl_info info;
    void *symbol = dlsym(library, "TF_Version");
    if (dladdr(symbol, &info) && info.dli_fname) snprintf(where, sizeof where, "%s", info.dli_fname);
    loaded = 1;
    return VN_OK;
}
