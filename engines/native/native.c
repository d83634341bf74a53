/* SPDX-License-Identifier: Apache-2.0 */
/* native.c: the native engine's vn_engine struct and kernel table. */
#include "internal.h"

#include <stdio.h>
#include <vinea/vinea.h>

const vn_host *vn__native_host;

static const struct {
    const char *name;
    size_t bytes;
} dtypes[VN_DTYPE_END] = {
#define ENTRY(id, number, text, size) [id] = {text, size},
    VN_DTYPES(ENTRY)
#undef ENTRY
};

size_t vn__native_bytes(int32_t dtype)
{
    return dtypes[dtype].bytes;
}
const char *vn__native_dtype_name(int32_t dtype)
{
    return dtypes[dtype].name;
}

/* ---- kernel table ---- */

#define OP(record, family, index) (&(const native_op){record, family, index})
#define ELEMENT(name, dtypes, options) {#name, dtypes, NULL, NULL, OP(vn__native_record_element, VN_ELEMENT, VN_EW_##name), options},
#define WHOLE_ROW(name, dtypes, options, record) \
    {#name, dtypes, NULL, NULL, &(const vn__whole_op){{record, VN_WHOLE, 0}, vn__native_prepare_##name}, options},
#define WHOLE(name, dtypes, options) WHOLE_ROW(name, dtypes, options, vn__native_record_whole)
#define MOVED(name, dtypes, options) WHOLE_ROW(name, dtypes, options, vn__native_record_moved)
#define ROW(name, dtypes, options, record, family, index) \
    {#name, dtypes, NULL, NULL, OP(vn__native_record_##record, family, index), options},
static const vn_kernel_row rows[] = {
#include "kernels.def"
    {0},
};

/* ---- the engine ---- */

static int open_engine(int device, vn_context **out)
{
    (void)device, (void)out;
    return vn__native_choose_isa();
}

static void close_engine(vn_context *context)
{
    (void)context;
    vn__native_pool_close();
    vn__native_drop_cache(context);
}

static const char *version(vn_context *context)
{
    (void)context;
    return vn_version();
} /* it is part of the library */
static const char *where(vn_context *context)
{
    (void)context;
    return vn__native_isa ? vn__native_isa->name : "";
}

static int memory(vn_context *context, vn_engine_memory *out)
{
    (void)context;
    vn__native_memory(out);
    return VN_OK;
}

static int describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", vn__native_lanes());
    line(to, "device", "cpu");
    line(to, "instructions", where(context));
    line(to, "threads", threads);
    return VN_OK;
}

static uint32_t precisions(vn_context *context)
{
    uint32_t found = 0;
    (void)context;
    for (uint32_t p = VN_PRECISION_EXACT; p <= VN_PRECISION_BF16; p++)
        if (vn__native_rounds(p)) found |= VN_BIT(p);
    return found;
}

static const vn_engine engine = {
    .size = sizeof engine,
    .row_size = sizeof(vn_kernel_row),
    .name = "native",
    .open = open_engine,
    .close = close_engine,
    .version = version,
    .where = where,
    .memory = memory,
    .from_host = vn__native_from_host,
    .to_host = vn__native_to_host,
    .retain = vn__native_retain,
    .release = vn__native_release,
    .kernels = rows,
    .compile = vn__native_compile,
    .execute = vn__native_execute,
    .discard = vn__native_discard,
    .explain = vn__native_explain,
    .kernel_of = vn__native_kernel_of,
    .fork = vn__native_fork,
    .describe = describe,
    .trim = vn__native_drop_cache,
    .precisions = precisions,
};

static const vn_engine *const engines[] = {&engine};
static const vn_plugin plugin = {.abi = VN_ENGINE_ABI, .size = sizeof plugin, .n_engines = 1, .engines = engines};

/* Part of the library: the host has the same ABI. */
const vn_plugin *vn__native_main(const vn_host *host)
{
    vn__native_host = host;
    return &plugin;
}
