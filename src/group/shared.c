/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c: sums in memory that all ranks see, where they run on one machine. A rank adds its parts up there, so that the others read its sum
 * where it is, and each finishes its chunk of one total that all have: nothing is copied. The arrays of the result are in that total; as long
 * as one of them lives, on whichever rank, sums travel in messages. Only the group of all ranks has such memory. */
#include "group/group.h"
#include "os/clock.h"
#include "os/os.h"
#include <stdatomic.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

size_t vn__shared_least = 1 << 16;
double vn__shared_far = 12e-9;

static atomic_bool sum_lent, total_used; /* of this process */

/* Whether every rank has one sum, and all of them have room. The same on all ranks. */
static bool fits(const vn__parts *p)
{
    const vn__group *g = p->group;
    const size_t room = vn__the_world.shared / 2;
    vn__block blocks[2 * VN__TREE_LEVELS];
    if (!g->comm || !g->world || p->fast || p->sum.bytes < vn__shared_least || p->sum.bytes > room) return false;
    for (int k = 0; k < g->ranks; k++)
        if (vn__tree_blocks(vn__parts_first(p, k), vn__parts_first(p, k + 1), blocks) != 1) return false;
    return true;
}

/* Pages for this rank's sum, and on the first rank for the total: /dev/shm may have become full. */
static bool has_pages(size_t bytes)
{
    vn__world *w = &vn__the_world;
    char *sum = vn__shared_sum(w->rank);
    if (bytes <= w->paged) return true;
    if (!vn__give_pages(sum, bytes) || (!w->rank && !vn__give_pages(sum + w->shared / 2, bytes))) return false;
    w->paged = bytes;
    return true;
}

void vn__shared_lend(vn__parts *p)
{
    if (!fits(p) || atomic_exchange(&sum_lent, true)) return;
    if (has_pages(p->sum.bytes)) p->sum.lent = vn__shared_sum(p->group->rank);
    else atomic_store(&sum_lent, false);
}

void vn__shared_return(vn__parts *p)
{
    if (p->sum.lent) atomic_store(&sum_lent, false);
}

char *vn__shared_sum(int rank)
{
    return vn__the_world.api->shared(vn__the_world.comm, rank);
}

static void past_the_caches(char *to, const char *from, size_t bytes)
{
    size_t at = 0;
#if defined(__SSE2__)
    for (; at + 64 <= bytes; at += 64)
        for (size_t k = at; k < at + 64; k += 16) _mm_stream_si128((void *)(to + k), _mm_loadu_si128((const void *)(from + k)));
    _mm_sfence();
#endif
    memcpy(to + at, from + at, bytes - at);
}

/* A store to a line that another core has read waits until that core has given it up, for each line anew: 27 ns where the two share no cache
 * (an EPYC of the fourth generation), little where they do. Past the caches it takes 3 ns either way, but readers wait for memory then.
 * Which one is true changes when a virtual machine is moved, so every so often a write says anew how long its lines take. */
void vn__shared_write(char *to, const char *from, size_t bytes)
{
    enum { EVERY = 256, MIN_BYTES = 4096 };
    static atomic_bool past;
    static atomic_uint writes;
    const bool timed = bytes >= MIN_BYTES && atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed) % EVERY == 0;
    if (!timed && atomic_load_explicit(&past, memory_order_relaxed)) {
        past_the_caches(to, from, bytes);
        return;
    }
    const double begun = timed ? vn__clock() : 0;
    memcpy(to, from, bytes);
    if (timed) atomic_store_explicit(&past, vn__clock() - begun >= vn__shared_far * (double)(bytes / 64), memory_order_relaxed);
}

bool vn__shared_total_is_free(void)
{
    return !atomic_load(&total_used);
}

char *vn__shared_take_total(void)
{
    atomic_store(&total_used, true);
    return vn__shared_sum(0) + vn__the_world.shared / 2;
}

void vn__shared_give_total(void)
{
    atomic_store(&total_used, false);
}
