/* onednn.h: keeps oneDNN, the library of kernels inside torch and tensorflow, off a processor feature that is only half there.
 *
 * Some virtual machines advertise AMX but hide the CPUID leaf that describes its tiles. oneDNN then dies of an illegal instruction in
 * half-precision products, in the frameworks' own Python too. An environment variable, which it reads once, at its first use, keeps it
 * below AMX. */
#ifndef VN_ONEDNN_H
#define VN_ONEDNN_H

#include <stdbool.h>

/* What CPUID says, as far as it matters here. All zero where there is no CPUID. */
typedef struct vn_processor {
    unsigned features;     /* leaf 7, EDX */
    unsigned highest_leaf; /* leaf 0, EAX */
} vn_processor;

vn_processor vn_processor_here(void);

/* Whether any part of AMX is advertised without the leaf of its tiles. */
bool vn_processor_hides_tiles(vn_processor p);

/* To be called before the framework is loaded: sets the variable where `p` needs it and the user has set none of its two names. Returns
 * whether it did. The variable stays, since the first use may be much later. */
bool vn_onednn_cap(vn_processor p);
#define VN_ONEDNN_CAP "ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16" /* its name and value; lower values make tensorflow abort in float16 */

#endif
