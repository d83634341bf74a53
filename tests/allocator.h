/* SPDX-License-Identifier: Apache-2.0 */
/* allocator.h: an allocator that counts live blocks, and whose n-th allocation fails, once or with all later ones. */
#ifndef VN_ALLOCATOR_H
#define VN_ALLOCATOR_H

#include <stdbool.h>
#include <stdlib.h>
#include <vinea/vinea.h>

static _Atomic long failing_at, failing_alive; /* allocations so far, live blocks */
static long failing_when;                      /* the one that fails; 0: none */
static bool failing_on;                        /* all later ones too */
static size_t failing_min;                     /* smaller ones succeed and are not counted */
static _Thread_local bool failing_here;        /* the thread whose errors are looked at */
static _Atomic bool failing_behind;            /* one failed in another thread, or where there was an error already, which stays */

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    const bool counts = bytes >= failing_min;
    const long at = counts ? ++failing_at : 0;
    if (counts && failing_when && (failing_on ? at >= failing_when : at == failing_when)) {
        if (!failing_here || (vn_status() && vn_status() != VN_E_MEM)) failing_behind = true;
        return NULL;
    }
    void *m = malloc(bytes);
    if (m) failing_alive++;
    return m;
}

static void failing_release(void *memory, void *user)
{
    (void)user;
    failing_alive--;
    free(memory);
}

/* Begins a run in which allocation n fails; the library must be closed. */
static inline bool failing_begin(long n)
{
    static const vn_allocator own = {failing_allocate, failing_release, NULL};
    failing_at = failing_alive = 0;
    failing_when = n;
    failing_here = true;
    failing_behind = false;
    return vn_set_allocator(&own) == VN_OK;
}

#endif
