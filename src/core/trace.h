/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: timing traces, VINEA_TRACE (trace.c). */
#ifndef VN_CORE_TRACE_H
#define VN_CORE_TRACE_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic int vn__tracing; /* 0: off, -1: not determined yet */
int64_t vn__trace_time(void);
void vn__trace_write(int64_t begin, const char *name, const char *engine, uint64_t hash, int n);
static inline int64_t vn__trace_begin(void) /* 0 when tracing is off */
{
    return __builtin_expect(atomic_load_explicit(&vn__tracing, memory_order_relaxed) != 0, 0) ? vn__trace_time() : 0;
}
static inline void vn__trace_end(int64_t begin, const char *name, const char *engine, uint64_t hash, int n)
{
    if (__builtin_expect(begin != 0, 0)) vn__trace_write(begin, name, engine, hash, n);
}
void vn__trace_close(void);

#endif
