/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.c: selects the instruction-set level of the hot loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "os/os.h"

#if defined(VN_LEVEL_avx512) && defined(VN_KNOWS_TILES)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

const vn__isa *vn__native_isa;
static bool by_name; /* the level is the one that VINEA_ISA names */

/* clang-format off */
#define TABLE(table, level) &vn__native_##table##_##level,
#define TABLES(level, wide, narrow) VN_ISA_SPECIAL(TABLE, level) VN_ISA_WIDE(TABLE, wide) VN_ISA_NARROW(TABLE, narrow)
#define LEVEL(level, wide, narrow) {#level, TABLES(level, wide, narrow) false}
/* clang-format on */

static bool always(void)
{
    return true;
}

#if defined(VN_LEVEL_avx2) || defined(VN_LEVEL_avx512)
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

#if defined(VN_LEVEL_avx512)
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif
#endif

#if defined(VN_LEVEL_avx512) && defined(VN_KNOWS_TILES)
#define HAS_TILES 1
enum { TILE_REGISTERS = 18, SUPPORTED = 0x1021, ASK = 0x1023 }; /* of arch_prctl */

static bool has_tiles(void)
{
    enum { TILES = 1 << 24, OF_BF16 = 1 << 22 }; /* of cpuid 7, in edx */
    unsigned a, b, c, d;
    uint64_t supported = 0;
    return has_avx512() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & TILES) && (d & OF_BF16) &&
           !syscall(SYS_arch_prctl, SUPPORTED, &supported) && (supported >> TILE_REGISTERS & 1);
}

__attribute__((target("amx-tile"))) static void try_tiles(void)
{
    _tile_release();
}

static bool tiles_ready;
static void make_tiles_ready(void)
{
    tiles_ready = !syscall(SYS_arch_prctl, ASK, TILE_REGISTERS) && vn__can_run(try_tiles);
}

/* Linux gives a process the registers when it asks, and then demands larger alternative signal stacks, so they are asked for when a product needs
 * them. A virtual machine may advertise AMX and not have it: that is tried. */
static bool may_use_tiles(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (vn__native_isa->tiles) pthread_once(&once, make_tiles_ready);
    return vn__native_isa->tiles && tiles_ready;
}
#else
static bool may_use_tiles(void)
{
    return false;
}
#endif

/* Intel's processors have AMX for these products, and take twice as long with the vector instruction as for float32: they use it only at a
 * level that was asked for by name. */
static bool has_bf16(void)
{
#if defined(VN_LEVEL_avx512) && (defined(__clang__) || __GNUC__ >= 10)
    return vn__native_isa->matmul->bf16.block && __builtin_cpu_supports("avx512bf16") && (by_name || !__builtin_cpu_is("intel"));
#else
    return false;
#endif
}

/* The bfloat16 numbers that a factor is the sum of; 0: it is not. */
static int parts_of(uint32_t precision)
{
    static const int parts[] = {[VN_PRECISION_SPLIT] = 3, [VN_PRECISION_FAST] = 2, [VN_PRECISION_BF16] = 1};
    return precision < sizeof parts / sizeof *parts ? parts[precision] : 0;
}

/* GCOV_EXCL_BR_START: coverage is measured at the level avx2, which has no such products */
bool vn__native_rounds(uint32_t precision)
{
    const int parts = parts_of(precision);
    return parts > 0 && (vn__native_isa->tiles || (parts == 1 && has_bf16()));
}

const vn__gemm *vn__native_rounded(uint32_t precision)
{
    const vn__matmul_table *t = vn__native_isa->matmul;
    const int parts = parts_of(precision);
    if (!vn__native_rounds(precision)) return NULL;
    if (may_use_tiles()) return &t->tiles[parts - 1];
    return parts == 1 && has_bf16() ? &t->bf16 : NULL;
}
/* GCOV_EXCL_BR_STOP */

const vn__gemm *vn__native_narrow(void)
{
    const vn__matmul_table *t = vn__native_isa->matmul;
#if defined(VN_LEVEL_avx512)
    if (t->dot.block && __builtin_cpu_supports("avx512vnni")) return &t->dot;
#endif
    return &t->narrow;
}

/* Lowest first. Every processor with AVX2 has F16C, and every 64-bit ARM has NEON with fused multiply-add. */
static const struct {
    vn__isa isa;
    bool (*usable)(void);
} levels[] = {
    {LEVEL(baseline, baseline, baseline), always},
#if defined(VN_LEVEL_avx2)
    {LEVEL(avx2, avx2, avx2), has_avx2},
#endif
#if defined(VN_LEVEL_avx512) && defined(VN_LEVEL_avx2)
    {LEVEL(avx512, avx512, avx2), has_avx512},
#elif defined(VN_LEVEL_avx512)
    {LEVEL(avx512, avx512, baseline), has_avx512},
#endif
#if defined(HAS_TILES) && defined(VN_LEVEL_avx2)
    {{"amx", TABLES(avx512, avx512, avx2) true}, has_tiles},
#elif defined(HAS_TILES)
    {{"amx", TABLES(avx512, avx512, baseline) true}, has_tiles},
#endif
#if defined(VN_LEVEL_neon)
    {LEVEL(neon, baseline, baseline), always},
#endif
};

int vn__native_choose_isa(void)
{
    const char *wanted = vn__environment("VINEA_ISA");
    const size_t n = sizeof levels / sizeof levels[0];
    for (size_t i = n; i-- > 0;) {
        if (wanted && *wanted && strcmp(wanted, levels[i].isa.name) != 0) continue;
        if (levels[i].usable()) { /* GCOV_EXCL_BR_LINE: coverage is measured on processors with AVX2 */
            vn__native_isa = &levels[i].isa;
            by_name = wanted && *wanted;
            return VN_OK;
        }
        if (wanted && *wanted) /* GCOV_EXCL_BR_LINE: as above */
            return vn__native_host->error(VN_E_UNSUPPORTED, "native: VINEA_ISA=%s is not available on this processor", wanted);
    }
    char names[64] = "";
    for (size_t i = 0, at = 0; i < n; i++) at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", levels[i].isa.name);
    return vn__native_host->error(VN_E_ARG, "native: VINEA_ISA=%s is not a level of this build, which has %s", wanted, names);
}

/* The entry of the highest level, up to the selected one, that has a loop. */
#define HIGHEST(found, entry)                                   \
    for (size_t i = sizeof levels / sizeof *levels; i-- > 0;) { \
        if (&levels[i].isa > vn__native_isa) continue;          \
        const vn__isa *isa = &levels[i].isa;                    \
        if (i == 0 || (found)) return entry;                    \
    }                                                           \
    return NULL

const vn__step_fn *vn__native_steps(int32_t op, int32_t dtype)
{
    HIGHEST(isa->elementwise->op[op][dtype][VN_VEC_VEC], isa->elementwise->op[op][dtype]);
}

const struct vn__reduce_fns *vn__native_reduction(int32_t kind, int32_t type)
{
    HIGHEST(isa->reduce->of[kind][type].rows, &isa->reduce->of[kind][type]);
}
