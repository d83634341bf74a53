/* SPDX-License-Identifier: Apache-2.0 */
/* allocator.h: an allocator that counts live blocks, and whose n-th allocation fails, once or with all later ones; it also lists the places that allocate. */
#ifndef VN_ALLOCATOR_H
#define VN_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <vinea/vinea.h>

#include "base/hash.h"
#include "own_crash.h"

static _Atomic long failing_at, failing_alive; /* allocations so far, live blocks */
static long failing_when;                      /* the one that fails; 0: none */
static bool failing_on;                        /* all later ones too */
static size_t failing_min;                     /* smaller ones succeed and are not counted */
static _Thread_local bool failing_here;        /* the thread whose errors are looked at */
static _Atomic bool failing_behind;            /* one failed in another thread, or where there was an error already, which stays */

/* The places that allocate, told apart by the calls that led there, each with the number of its first allocation. */
enum { FAILING_PLACES = 1 << 14, FAILING_CALLS = 12 };
typedef struct {
    long n, at[FAILING_PLACES];
    uint64_t hash[2 * FAILING_PLACES]; /* of the calls; 0: free */
} failing_places;
static failing_places *failing_list; /* NULL: nothing is listed */
static atomic_flag failing_listing = ATOMIC_FLAG_INIT;

/* Lists the place of an allocation if it is new. Where calls cannot be listed (own_crash.h), every allocation has a place of its own. */
static inline void failing_note(failing_places *p, long at)
{
    void *calls[FAILING_CALLS] = {0};
    const int n = backtrace(calls, FAILING_CALLS);
    const uint64_t hash = (n ? vn__hash_bytes(VN__HASH, calls, (size_t)n * sizeof *calls) : (uint64_t)at) | 1;
    size_t k = (size_t)(hash >> 32) % (2 * FAILING_PLACES);
    while (atomic_flag_test_and_set(&failing_listing)) continue;
    while (p->hash[k] && p->hash[k] != hash) k = (k + 1) % (2 * FAILING_PLACES);
    if (!p->hash[k] && p->n < FAILING_PLACES) {
        p->hash[k] = hash;
        p->at[p->n++] = at;
    }
    atomic_flag_clear(&failing_listing);
}

static void *failing_allocate(size_t bytes, void *user)
{
    (void)user;
    const bool counts = bytes >= failing_min;
    const long at = counts ? ++failing_at : 0;
    if (counts && failing_list) failing_note(failing_list, at);
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
