/* SPDX-License-Identifier: Apache-2.0 */
/* onednn.c: CPUID and the environment variable that oneDNN reads (onednn.h has the contract). */
#include "onednn.h"

#include <stdlib.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

vn_processor vn_processor_here(void)
{
    vn_processor p = {0, 0};
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    p.highest_leaf = __get_cpuid_max(0, NULL);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) p.features = d;
#endif
    return p;
}

bool vn_processor_hides_tiles(vn_processor p)
{
    enum { BF16 = 1 << 22, TILES = 1 << 24, INT8 = 1 << 25, TILE_LEAF = 0x1D };
    return p.features & (BF16 | TILES | INT8) && p.highest_leaf < TILE_LEAF;
}

bool vn_onednn_cap(vn_processor p)
{
    if (!vn_processor_hides_tiles(p) || secure_getenv("ONEDNN_MAX_CPU_ISA") || secure_getenv("DNNL_MAX_CPU_ISA")) return false;
    return setenv(VN_ONEDNN_CAP, 0) == 0;
}
