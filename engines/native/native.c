/* native.c: the native engine as the core sees it: the engine struct and one row per op. */
#include "internal.h"

#include <stdio.h>
#include <vinea/vinea.h>

const vn_host *vn__native_host;

static const struct {
    const char *name;
    size_t bytes;
} dtypes[VN_DTYPE_COUNT] = {
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

/* ---- rows ---- */

#define OP(record, family, index) (&(const vn__op){record, family, index})

/* The elementwise rows come from ops.def. The mask holds for operands and result, so ops that make bools have them in it. Complex
 * numbers are in all of them: the core lets them pass only to ops that have a line in isa/complex.def. */
static const vn_kernel_row rows[] = {
#define ELEMENT(name, dtypes) {#name, dtypes, NULL, NULL, OP(vn__native_record_element, VN_ELEMENT, VN_EW_##name)},
#define UNARY(name, ints, floats) ELEMENT(name, VN_NUMERIC)
#define UNARY_FLOAT(name, floats) ELEMENT(name, VN_INEXACT)
#define UNARY_RARE(name, rare, usual, any) ELEMENT(name, VN_INEXACT)
#define UNARY_ORDER(name, floats) ELEMENT(name, VN_FLOATS)
#define UNARY_FLAG(name, floats, flagged) ELEMENT(name, VN_HALVES | VN_BIT(VN_F32))
#define BINARY(name, ints, floats) ELEMENT(name, VN_NUMERIC)
#define BINARY_FLOAT(name, floats) ELEMENT(name, VN_INEXACT)
#define BINARY_EACH(name, floats) ELEMENT(name, VN_FLOATS)
#define BITS(name, ints) ELEMENT(name, VN_BIT(VN_BOOL) | VN_INTS)
#define TEST(name, ints, floats) ELEMENT(name, VN_ANY)
#define COMPARE(name, expression) ELEMENT(name, VN_ANY)
#define SELECT(name, expression) ELEMENT(name, VN_ANY)
#define COMPLEX(name) ELEMENT(name, VN_INEXACT)
#include "ops.def"
#define WHOLE_ROW(name, dtypes, record) \
    {#name, dtypes, NULL, NULL, &(const vn__whole_op){{record, VN_WHOLE, 0}, vn__native_prepare_##name}},
#define WHOLE(name, dtypes) WHOLE_ROW(name, dtypes, vn__native_record_whole)
#define MOVED(name, dtypes) WHOLE_ROW(name, dtypes, vn__native_record_moved)
#include "whole.def"
    {"cast", VN_ANY, NULL, NULL, OP(vn__native_record_cast, VN_CAST, 0)},
    {"sum", VN_ANY, NULL, NULL, OP(vn__native_record_reduce, VN_REDUCE, VN_SUM)},
    {"max", VN_REAL, NULL, NULL, OP(vn__native_record_reduce, VN_REDUCE, VN_MAX)},
    {"min", VN_REAL, NULL, NULL, OP(vn__native_record_reduce, VN_REDUCE, VN_MIN)},
    {"cumulative_sum", VN_NUMERIC, NULL, NULL, OP(vn__native_record_running, VN_RUNNING, 0)},
    {"matmul", VN_NUMERIC, NULL, NULL, OP(vn__native_record_matmul, VN_MATMUL, 0)},
    {"reshape", VN_ANY, NULL, NULL, OP(vn__native_record_reshape, 0, 0)},
    {"broadcast_to", VN_ANY, NULL, NULL, OP(vn__native_record_broadcast, 0, 0)},
    {"permute_dims", VN_ANY, NULL, NULL, OP(vn__native_record_permute, 0, 0)},
    {"flip", VN_ANY, NULL, NULL, OP(vn__native_record_flip, 0, 0)},
    {"stride", VN_ANY, NULL, NULL, OP(vn__native_record_stride, 0, 0)},
    {"slice", VN_ANY, NULL, NULL, OP(vn__native_record_slice, VN_SLICE, 0)},
    {"slice_set", VN_ANY, NULL, NULL, OP(vn__native_record_slice, VN_SLICE_SET, 0)},
    {"uniform", VN_REAL, NULL, NULL, OP(vn__native_record_random, VN_RANDOM, 0)},
    {"normal", VN_REAL, NULL, NULL, OP(vn__native_record_random, VN_RANDOM, 1)},
    {0},
};

/* ---- the engine ---- */

static int open_engine(void)
{
    return vn__native_choose_isa();
}

static void close_engine(void)
{
    vn__native_pool_close();
    vn__native_drop_cache();
}

static const char *version(void)
{
    return vn_version();
} /* it is part of the library */
static const char *where(void)
{
    return vn__native_isa ? vn__native_isa->name : "";
}

static int memory(vn_engine_memory *out)
{
    vn__native_memory(out);
    return VN_OK;
}

static int describe(void (*line)(void *to, const char *key, const char *value), void *to)
{
    char threads[16];
    snprintf(threads, sizeof threads, "%d", vn__native_lanes());
    line(to, "device", "cpu");
    line(to, "instructions", where());
    line(to, "threads", threads);
    return VN_OK;
}

static const vn_engine engine = {
    .abi = VN_ENGINE_ABI,
    .size = sizeof engine,
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
    .fork = vn__native_fork,
    .describe = describe,
    .trim = vn__native_drop_cache,
};

const vn_engine *vn__native_main(const vn_host *host)
{
    if (host->abi != VN_ENGINE_ABI || host->size < sizeof *host) {
        if (host->error) host->error(VN_E_ENGINE, "native: the library speaks engine ABI %u, this engine %d", host->abi, VN_ENGINE_ABI);
        return NULL;
    }
    vn__native_host = host;
    return &engine;
}
