/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.c: sums on their way while the rest of the backward pass is computed, where their order is left to MPI_Allreduce (.fast_sums). The last part
 * of a rank is computed in buckets: the gradients of the last layers first, each bucket as a program of its own, which stores what the next
 * one needs of it. Its sums start as soon as it is computed; a thread moves them on, because an MPI moves messages only when it is called. */
#include "group/group.h"
#include "core/memory.h"
#include "core/state.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

size_t vn__overlap_bucket = 1 << 20;

enum { MAX_BUCKETS = 32 }; /* buckets */

struct vn__overlap {
    const vn__group *group;
    vn__flight flights[MAX_BUCKETS];
    pthread_mutex_t lock;
    int n, first; /* flights that began; the first that has not ended */
    bool threaded, over;
    pthread_t thread;
    int code;
    char message[600];
};

bool vn__overlap_wanted(const vn__parts *p)
{
    return p->fast && p->group->comm && p->used <= p->sum.floats && p->used > vn__overlap_bucket &&
           (int64_t)(p->used / sizeof(float)) < vn__the_world.api->max_count;
}

int vn__overlap_first(const vn__parts *p, int end, int bucket)
{
    const size_t last = vn__parts_at(p, end);
    int first = end - 1;
    while (first > 0 && (last - vn__parts_at(p, first) < vn__overlap_bucket || bucket + 1 == MAX_BUCKETS)) first--;
    return first;
}

/* Moves the flights on until all that began have ended. */
static void move_on(vn__overlap *o)
{
    pthread_mutex_lock(&o->lock);
    while (o->first < o->n && !o->code) {
        vn__flight *f = &o->flights[o->first];
        o->code = vn__group_progress(o->group, f);
        if (o->code) snprintf(o->message, sizeof o->message, "%s", vn_message());
        if (f->left && !o->code) break;
        o->first++;
    }
    pthread_mutex_unlock(&o->lock);
}

static void *mover(void *memory)
{
    vn__overlap *o = memory;
    for (bool over = false; !over;) {
        move_on(o);
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        pthread_mutex_lock(&o->lock);
        over = o->over;
        pthread_mutex_unlock(&o->lock);
    }
    return NULL;
}

static vn__overlap *begin(vn__parts *p)
{
    vn__overlap *o = vn__calloc(sizeof *o);
    if (!o) return NULL;
    o->group = p->group;
    pthread_mutex_init(&o->lock, NULL);
    o->threaded = !pthread_create(&o->thread, NULL, mover, o); /* without one they move when they are waited for */
    return o;
}

int vn__overlap_start(vn__parts *p, size_t at, size_t end)
{
    if (!p->overlap && !(p->overlap = begin(p))) return vn__no_memory(p->who);
    vn__overlap *o = p->overlap;
    char *sum = p->sum.stack[0].sum + at;
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .reduction = VN_REDUCE_SUM, .dtype = VN_F32, .in = sum, .out = sum};
    t.count = (int64_t)((end - at) / sizeof(float));
    vn__flight f;
    int code = vn__group_start(p->group, 1, &t, &f, p->who);
    if (code) return code;
    pthread_mutex_lock(&o->lock);
    o->flights[o->n++] = f;
    pthread_mutex_unlock(&o->lock);
    return VN_OK;
}

/* The thread, but not the transfers. */
static void join(vn__overlap *o)
{
    pthread_mutex_lock(&o->lock);
    o->over = true;
    pthread_mutex_unlock(&o->lock);
    if (o->threaded) pthread_join(o->thread, NULL);
    o->threaded = false;
}

int vn__overlap_wait(vn__parts *p)
{
    vn__overlap *o = p->overlap;
    join(o);
    int code = o->code ? vn__group_ended(vn__fail((vn_code)o->code, "%s", o->message)) : VN_OK;
    for (int k = 0; k < o->n; k++) {
        const int failed = code ? code : vn__group_wait(p->group, &o->flights[k], p->who);
        if (!code) code = failed;
    }
    return code;
}

void vn__overlap_end(vn__parts *p)
{
    vn__overlap *o = p->overlap;
    if (!o) return;
    join(o);
    for (int k = 0; k < o->n; k++) vn__group_lose(p->group, &o->flights[k]);
    pthread_mutex_destroy(&o->lock);
    vn__free(o);
    p->overlap = NULL;
}
