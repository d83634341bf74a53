/* cpu.c: which instruction-set level of the hot loops runs here. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

const vn__isa *vn__native_isa;

#define LEVEL(level)                                                                                                             \
    {                                                                                                                            \
#level, &vn__native_elementwise_##level, &vn__native_cast_##level, &vn__native_copy_##level, &vn__native_reduce_##level, \
            &vn__native_matmul_##level, &vn__native_random_##level, &vn__native_conv_##level, &vn__native_pool_##level           \
    }

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* Lowest first. Every processor with AVX2 has F16C. */
static const struct {
    vn__isa isa;
    bool (*usable)(void);
} levels[] = {
    {LEVEL(baseline), always},
#if defined(__x86_64__)
    {LEVEL(avx2), has_avx2},
    {LEVEL(avx512), has_avx512},
#endif
};

int vn__native_choose_isa(void)
{
    const char *wanted = getenv("VINEA_ISA");
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
    return vn__native_host->error(VN_E_ARG, "native: VINEA_ISA=%s is not a level (baseline, avx2 or avx512)", wanted);
}
