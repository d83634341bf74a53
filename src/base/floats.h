/* SPDX-License-Identifier: Apache-2.0 */
/* floats.h: the floating-point environment that the library computes in: rounding to nearest, no traps, subnormal numbers kept. The host
 * may have changed it at any time. `VN__FLOATS;` is a declaration: until the end of its block the environment is the default one, then the
 * host's is restored with the flags that it had raised. Everything that computes uses it: evaluation, compositions, conversion of numbers.
 * Threads of the native engine set it once; a framework's threads inherit it when they are started. */
#ifndef VN_FLOATS_H
#define VN_FLOATS_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

/* Usually nothing has to change, as MXCSR shows. x87 has a separate control word; the C library's functions set both. The x87
 * flags are restored only if the environment was changed: our code raises none of them, but a framework's may. */
enum { VN__MXCSR = 0x1F80, VN__MXCSR_FLAGS = 0x3F };

typedef struct {
    uint32_t mxcsr;
    bool changed;
    fenv_t host; /* where it was changed */
} vn__floats;

static inline void vn__floats_default(void)
{
    fesetenv(FE_DFL_ENV);
    __builtin_ia32_ldmxcsr(VN__MXCSR);
}
static inline void vn__floats_enter(vn__floats *f)
{
    f->mxcsr = __builtin_ia32_stmxcsr();
    f->changed = (f->mxcsr & ~(uint32_t)VN__MXCSR_FLAGS) != VN__MXCSR;
    if (__builtin_expect(!f->changed, 1)) return;
    fegetenv(&f->host);
    vn__floats_default();
}
static inline void vn__floats_leave(const vn__floats *f)
{
    if (__builtin_expect(f->changed, 0)) fesetenv(&f->host);
    else __builtin_ia32_ldmxcsr(f->mxcsr); /* cheaper than checking whether it is needed */
}

#else

typedef fenv_t vn__floats;

static inline void vn__floats_default(void)
{
    fesetenv(FE_DFL_ENV);
}
static inline void vn__floats_enter(vn__floats *host)
{
    fegetenv(host);
    vn__floats_default();
}
static inline void vn__floats_leave(const vn__floats *host)
{
    fesetenv(host);
}

#endif

#define VN__FLOATS                                                         \
    vn__floats vn__floats_here __attribute__((cleanup(vn__floats_leave))); \
    vn__floats_enter(&vn__floats_here)

#endif
