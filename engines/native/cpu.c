/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.c: selects the instruction-set level of the hot loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "os/os.h"

const vn__isa *vn__native_isa;

/* clang-format off */
#define TABLE(table, level) &vn__native_##table##_##level,
#define LEVEL(level, wide, narrow) {#level, VN_ISA_SPECIAL(TABLE, level) VN_ISA_WIDE(TABLE, wide) VN_ISA_NARROW(TABLE, narrow)}
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

bool vn__native_bf16(void)
{
#if defined(VN_LEVEL_avx512) && (defined(__clang__) || __GNUC__ >= 10)
    return vn__native_isa->matmul->bf16.block && __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
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
        if (levels[i].usable()) {
            vn__native_isa = &levels[i].isa;
            return VN_OK;
        }
        if (wanted && *wanted)
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
