/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: events of profiles: VINEA_TRACE and vn_profile (trace.c). */
#ifndef VN_CORE_TRACE_H
#define VN_CORE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vinea/vinea.h>

extern _Atomic int vn__tracing; /* 0: off, -1: not determined yet */
int64_t vn__now(void);          /* ns of CLOCK_MONOTONIC */
bool vn__trace_start(void);
static inline bool vn__is_traced(void)
{
    return __builtin_expect(atomic_load_explicit(&vn__tracing, memory_order_relaxed) != 0, 0) && vn__trace_start();
}

/* When something began; 0 if tracing is off. Events that are written meanwhile take time, which is subtracted from it. */
typedef struct vn__moment {
    int64_t begin, traced;
} vn__moment;
vn__moment vn__trace_moment(void);
static inline vn__moment vn__trace_begin(void)
{
    return vn__is_traced() ? vn__trace_moment() : (vn__moment){0, 0};
}
void vn__trace_finish(vn__moment begin, vn_profile_event *event);
static inline void vn__trace_end(vn__moment begin, vn_profile_event event)
{
    if (__builtin_expect(begin.begin != 0, 0)) vn__trace_finish(begin, &event);
}
void vn__trace_write(vn_profile_event *event); /* its begin and end are known */
void vn__trace_close(void);

#endif
