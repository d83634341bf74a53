/* SPDX-License-Identifier: Apache-2.0 */
/* onednn.h: keeps oneDNN, the kernel library inside torch and tensorflow, from using incomplete AMX.
 *
 * Some virtual machines advertise AMX but hide the CPUID leaf that describes its tiles. oneDNN then dies of an illegal instruction in
 * half-precision products, in the frameworks' own Python too. An environment variable, which it reads at its first use, disables AMX. */
#ifndef VN_ONEDNN_H
#define VN_ONEDNN_H

#include <stdbool.h>

/* The relevant CPUID results; all zero without CPUID. */
typedef struct vn_processor {
    unsigned features;     /* leaf 7, EDX */
    unsigned highest_leaf; /* leaf 0, EAX */
} vn_processor;

vn_processor vn_processor_here(void);

/* Is any part of AMX advertised without the leaf that describes its tiles? */
bool vn_processor_hides_tiles(vn_processor p);

/* Called before the framework is loaded: sets the variable if `p` needs it and the user has set neither of its two names. Returns
 * whether it did. The variable stays set, since the first use may be much later. */
bool vn_onednn_cap(vn_processor p);
#define VN_ONEDNN_CAP "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16" /* its name and value; lower values make tensorflow abort in float16 */

#endif
