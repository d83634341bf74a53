/* SPDX-License-Identifier: Apache-2.0 */
/* keeper.c: the thread in which a plugin begins and ends. Both wait for all processes inside the plugin, where nothing can interrupt them, so
 * they have a thread of their own, which is left there after the timeout. It is one thread for both, as MPI wants it, and sleeps in between. */
#include "group/group.h"
#include "core/memory.h"
#include "core/state.h"
#include "os/clock.h"
#include "os/os.h"
#include <pthread.h>
#include <string.h>

typedef enum { BEGINNING, BEGUN, ENDING, OVER } stage;

typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* to another stage */
    stage stage;
    bool left; /* no caller waits for the thread any more: it frees this */
    const vn_group_plugin *api;
    vn_comm *comm;
    int code, neighbours;
    size_t shared;
    char message[600];
} keeper;
static keeper *the_keeper; /* NULL: nothing has begun */
static bool stuck;         /* a thread was left in the plugin, which is of no more use */

static void release(keeper *k)
{
    pthread_mutex_destroy(&k->lock), pthread_cond_destroy(&k->moved);
    vn__free(k);
}

/* Goes on to a stage and, from BEGUN, waits for the next one. Whether the thread's work goes on. */
static bool reach(keeper *k, stage next)
{
    pthread_mutex_lock(&k->lock);
    k->stage = next;
    pthread_cond_broadcast(&k->moved);
    while (k->stage == BEGUN && !k->left) pthread_cond_wait(&k->moved, &k->lock);
    const bool left = k->left, ends = k->stage == ENDING;
    pthread_mutex_unlock(&k->lock);
    if (left) release(k);
    return ends && !left;
}

static void *keep(void *memory)
{
    keeper *k = memory;
    k->code = k->api->open(&k->comm);
    if (k->code) snprintf(k->message, sizeof k->message, "%s", vn_message());
    else k->neighbours = k->api->neighbours(k->comm), k->shared = k->api->share ? k->api->share(k->comm, VN__MAX_SHARED) : 0;
    if (!reach(k, k->code ? OVER : BEGUN)) return NULL;
    k->api->close(k->comm);
    reach(k, OVER);
    return NULL;
}

/* Whether the thread came past a stage in time; otherwise it is left alone. */
static bool wait_past(keeper *k, stage last, double seconds)
{
    const double end = vn__clock() + seconds;
    pthread_mutex_lock(&k->lock);
    for (bool late = false; k->stage == last && !late;) late = vn__cond_until(&k->moved, &k->lock, end);
    const bool came = k->stage != last;
    if (!came) stuck = k->left = true, the_keeper = NULL;
    pthread_mutex_unlock(&k->lock);
    return came;
}

static int too_late(const vn_group_plugin *api, double seconds, const char *who)
{
    return vn__fail(VN_E_GROUP, "%s: waited %g s in %s for all processes that the launcher started; one of them has not come", who, seconds,
                    api->name);
}

static keeper *new_keeper(const vn_group_plugin *api)
{
    keeper *k = vn__calloc(sizeof *k);
    if (!k) return NULL;
    k->api = api;
    pthread_mutex_init(&k->lock, NULL), vn__timed_cond(&k->moved);
    return k;
}

int vn__keeper_begin(const vn_group_plugin *api, vn__world *w, const char *who)
{
    const double seconds = w->timeout;
    if (stuck) return vn__fail(VN_E_GROUP, "%s: %s did not begin before, and cannot begin again", who, api->name);
    keeper *k = new_keeper(api);
    if (!k) return vn__no_memory(who);
    if (pthread_create(&k->thread, NULL, keep, k)) return release(k), vn__fail(VN_E_GROUP, "%s: cannot start a thread", who);
    const pthread_t thread = k->thread;
    if (!wait_past(k, BEGINNING, seconds)) return pthread_detach(thread), too_late(api, seconds, who);
    w->comm = k->comm, w->neighbours = k->neighbours, w->shared = k->shared;
    the_keeper = k;
    const int code = k->code ? vn__fail((vn_code)k->code, "%s", k->message) : VN_OK;
    if (code) vn__keeper_leave();
    return code;
}

int vn__keeper_end(double seconds, const char *who)
{
    keeper *k = the_keeper;
    const pthread_t thread = k->thread;
    const vn_group_plugin *api = k->api;
    pthread_mutex_lock(&k->lock);
    k->stage = ENDING;
    pthread_cond_broadcast(&k->moved);
    pthread_mutex_unlock(&k->lock);
    if (!wait_past(k, ENDING, seconds)) return pthread_detach(thread), too_late(api, seconds, who);
    vn__keeper_leave();
    return VN_OK;
}

void vn__keeper_leave(void)
{
    keeper *k = the_keeper;
    the_keeper = NULL;
    if (!k) return;
    const pthread_t thread = k->thread;
    pthread_mutex_lock(&k->lock);
    const bool over = k->stage == OVER;
    k->left = !over;
    pthread_cond_broadcast(&k->moved);
    pthread_mutex_unlock(&k->lock);
    pthread_join(thread, NULL);
    if (over) release(k);
}

bool vn__keeper_is_stuck(void)
{
    return stuck;
}
