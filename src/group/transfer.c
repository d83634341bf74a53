/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c: moves memory between ranks. Every wait looks after the other ranks: it ends with an error when one of them gives up, or does
 * not come within the timeout. */
#include "group/group.h"
#include "os/clock.h"
#include "base/minmax.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER; /* one call of a plugin at a time */
int64_t vn__group_piece = INT64_C(1) << 28;
double vn__group_answer = 2;

static const char *const kinds[VN_TRANSFERS] = {"barrier", "broadcast", "all_reduce", "all_gather", "reduce_scatter", "send", "receive"};

void vn__group_lock(void)
{
    pthread_mutex_lock(&calling);
}
void vn__group_unlock(void)
{
    pthread_mutex_unlock(&calling);
}

/* ---- giving up ---- */

/* From now on every call fails with this reason. */
static int break_world(const char *who, const char *why)
{
    vn__world *w = &vn__the_world;
    if (!*w->broken) snprintf(w->broken, sizeof w->broken, "%s", why);
    return vn__fail(VN_E_GROUP, "%s: %s", who, w->broken);
}

void vn__group_give_up(const char *why)
{
    vn__world *w = &vn__the_world;
    if (!w->api || w->posted) return;
    char text[512]; /* why may be this thread's message, which vn_error_push hides */
    snprintf(text, sizeof text, "%s", why);
    w->posted = true;
    pthread_mutex_lock(&calling);
    const bool pushed = !vn_error_push();
    w->api->post(w->comm, text);
    if (pushed) vn_error_pop();
    pthread_mutex_unlock(&calling);
    if (!*w->broken) snprintf(w->broken, sizeof w->broken, "this rank (%d) has given up: %.400s", w->rank, text);
}

int vn__group_no_memory(const char *who)
{
    const int code = vn__no_memory(who);
    vn__group_give_up(vn_message());
    return code;
}

static const char waited[] = "it waited"; /* how the text of a rank begins that gives up because of another */
static const char closing[] = "closing";  /* the last text of a rank: it has reported why it gave up */

/* The next text of another rank; *rank is -1 if there is none. */
static int next_text(int *rank, char *text, size_t capacity)
{
    vn__world *w = &vn__the_world;
    *rank = -1;
    pthread_mutex_lock(&calling);
    int code = w->api->look(w->comm, rank, text, capacity);
    if (!code && *rank >= 0) w->closing += !strcmp(text, closing);
    pthread_mutex_unlock(&calling);
    return code;
}

static void take_a_nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* The launcher ends all ranks when the first one ends after an error, so each waits until the others have reported theirs. Those that did not
 * answer before are not waited for. */
enum { LAST_SECONDS = 20 };

void vn__group_part(void)
{
    vn__world *w = &vn__the_world;
    char text[64];
    pthread_mutex_lock(&calling);
    int code = w->api->post(w->comm, closing);
    pthread_mutex_unlock(&calling);
    for (double begun = vn__clock(); !code && w->closing < w->ranks - 1 - w->silent && vn__clock() - begun < LAST_SECONDS;) {
        int rank;
        code = next_text(&rank, text, sizeof text);
        if (rank < 0) take_a_nap();
    }
}

/* Where a rank waited, in its text; NULL: it gave up for another reason. */
static const char *place_in(const char *text)
{
    const char *place = strncmp(text, waited, sizeof waited - 1) == 0 ? strstr(text, " s in ") : NULL;
    return place ? place + 6 : NULL;
}

/* Whether a rank of the world is one of the group's. */
static bool is_member(const vn__group *g, int rank)
{
    for (int k = 0; k < g->ranks; k++)
        if (vn__group_number(g, k) == rank) return true;
    return false;
}

/* What is known of the others when the timeout has passed. */
typedef struct {
    char *heard; /* of each rank: whether it said something */
    int other;   /* one that waits elsewhere than this rank; -1: none */
    char place[96];
} answers;

static void hear(answers *a, int rank, bool member, const char *text, const char *own)
{
    const char *place = place_in(text);
    a->heard[rank] = 1;
    if (a->other >= 0 || !member || !place || !strcmp(place, own)) return;
    a->other = rank;
    snprintf(a->place, sizeof a->place, "%s", place);
}

/* Whether each other rank of the group has said something. */
static bool heard_all(const answers *a, const vn__group *g)
{
    for (int k = 0; k < g->ranks; k++)
        if (vn__group_number(g, k) != vn__the_world.rank && !a->heard[vn__group_number(g, k)]) return false;
    return true;
}

/* All ranks that wait say so within two seconds. */
static void hear_all(answers *a, const vn__group *g, const char *own)
{
    char text[512];
    for (double begun = vn__clock(); !heard_all(a, g) && vn__clock() - begun < vn__group_answer;) {
        int rank;
        if (next_text(&rank, text, sizeof text)) break;
        if (rank >= 0 && rank < vn__the_world.ranks) hear(a, rank, is_member(g, rank), text, own);
        else take_a_nap();
    }
}

/* The timeout has passed, here or on rank `first`, which said so (-1: here). Ranks that do not answer are named; or, where all wait, one that does so
 * in another call. */
static int timed_out(const vn__group *g, int kind, int first, const char *said, const char *who)
{
    vn__world *w = &vn__the_world;
    char why[600], own[96], text[512];
    snprintf(own, sizeof own, "%s (%s)", who, kinds[kind]);
    snprintf(text, sizeof text, "%s %g s in %s", waited, g->timeout, own);
    vn__group_give_up(text);
    vn__text silent = {0};
    answers a = {.heard = vn__calloc((size_t)w->ranks), .other = -1};
    if (!a.heard) return vn__group_no_memory(who);
    if (first >= 0) hear(&a, first, true, said, own);
    hear_all(&a, g, own);
    for (int k = 0; k < g->ranks; k++) { /* others may be at work, in no call */
        const int number = vn__group_number(g, k);
        if (number == w->rank || a.heard[number]) continue;
        w->silent++;
        vn__print(&silent, "%s %d", silent.text ? "," : "", number);
    }
    vn__free(a.heard);
    if (silent.text && !silent.failed) snprintf(why, sizeof why, "waited %g s; no sign of rank%s", g->timeout, silent.text);
    else if (a.other >= 0)
        snprintf(
            why, sizeof why,
            "waited %g s; rank %d waits in %s, this one in %s: all ranks must run the same program and call the functions of a group in "
            "the same order",
            g->timeout, a.other, a.place, own);
    else if (first >= 0) snprintf(why, sizeof why, "rank %d gave up after waiting %g s for this one", first, g->timeout);
    else snprintf(why, sizeof why, "waited %g s; all ranks wait in %s", g->timeout, own);
    vn__free(silent.text);
    w->broken[0] = 0; /* the better reason */
    return break_world(who, why);
}

/* Whether another rank has given up. This one then does too, and the others are told, so that each knows that all do. */
static int look_around(const vn__group *g, int kind, const char *who)
{
    char text[512], why[600];
    int rank;
    int code = next_text(&rank, text, sizeof text);
    if (code || rank < 0) return code;
    if (place_in(text) && is_member(g, rank)) return timed_out(g, kind, rank, text, who);
    int first; /* the rank that ended first, of which another one tells */
    if (sscanf(text, "rank %d ended: ", &first) == 1 && strstr(text, " ended: ")) snprintf(why, sizeof why, "%s", text);
    else snprintf(why, sizeof why, "rank %d ended: %s", rank, text);
    code = break_world(who, why);
    vn__group_give_up(why);
    return code;
}

/* ---- waiting ---- */

/* Makes progress, and ends what is done up to the first that is not; f->left counts down. A call for one moves them all. */
int vn__group_progress(const vn__group *g, vn__flight *f)
{
    int code = VN_OK, done = 1;
    pthread_mutex_lock(&calling);
    while (f->left && done && !code) {
        vn_work **work = &f->work[f->n - f->left];
        code = vn__the_world.api->progress(g->comm, *work, &done);
        if (done || code) f->left--;
    }
    pthread_mutex_unlock(&calling);
    return code;
}

int vn__group_ended(int code)
{
    vn__world *w = &vn__the_world;
    char why[600];
    if (!code || *w->broken) return code;
    snprintf(why, sizeof why, "%s", vn_message());
    snprintf(w->broken, sizeof w->broken, "%s", why);
    vn__group_give_up(why);
    return code;
}

void vn__group_lose(const vn__group *g, vn__flight *f)
{
    if (f->left) vn__group_progress(g, f); /* what has ended is not lost */
    vn__the_world.lost += f->left;
    vn__free(f->work);
    *f = (vn__flight){0};
}

void vn__group_free(void *memory)
{
    if (!vn__the_world.lost) vn__free(memory);
}
void vn__group_block_free(void *memory)
{
    if (!vn__the_world.lost) vn__block_free(memory);
}

/* A wait polls: at first without a pause, as MPI itself does (whoever lets others run gets the core back milliseconds later, where there
 * are others), and without looking at the clock, which costs as much as a poll; then it lets others run, at once where ranks share a core;
 * then it sleeps between polls. */
static const double patient = 5e-4, sleepy = .2;
enum { AT_ONCE = 64 }; /* polls */

int vn__group_wait(const vn__group *g, vn__flight *f, const char *who)
{
    int code = VN_OK;
    for (int k = 0; k < AT_ONCE && f->left && !code; k++) code = vn__group_progress(g, f);
    const double begun = f->left ? vn__clock() : 0;
    const double alone = vn__the_world.neighbours > vn__the_world.cores ? 0 : patient;
    double looked = begun;
    while (f->left && !code) {
        const int before = f->left;
        code = vn__group_progress(g, f);
        if (code || f->left < before) continue;
        const double now = vn__clock();
        if (now - begun > alone) sched_yield();
        if (now - looked < 1e-3) continue;
        looked = now;
        code = look_around(g, f->kind, who);
        if (!code && now - begun > g->timeout) code = timed_out(g, f->kind, -1, NULL, who);
        if (!code && now - begun > sleepy) nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    vn__group_lose(g, f);
    return vn__group_ended(code);
}

int vn__group_start(const vn__group *g, int n, vn_transfer *t, vn__flight *f, const char *who)
{
    *f = (vn__flight){.n = n, .kind = n ? t->kind : 0};
    if (!g->comm || !n) return VN_OK;
    vn__world *w = &vn__the_world;
    if (w->forks != vn__forks) return vn__fail(VN_E_GROUP, "%s: the group was opened before a fork; only the parent is a rank of it", who);
    if (*w->broken) return break_world(who, w->broken);
    f->work = vn__calloc((size_t)n * sizeof *f->work);
    if (!f->work) return vn__group_no_memory(who);
    int code = VN_OK;
    pthread_mutex_lock(&calling);
    for (int k = 0; k < n && !code; k++) {
        t[k].size = sizeof t[k];
        code = w->api->start(g->comm, &t[k], &f->work[k]);
        f->left += !code;
    }
    pthread_mutex_unlock(&calling);
    if (!code) return VN_OK;
    f->n = f->left; /* those that began */
    vn__group_lose(g, f);
    return vn__group_ended(code);
}

int vn__group_run(const vn__group *g, int n, vn_transfer *t, const char *who)
{
    vn__flight f;
    int code = vn__group_start(g, n, t, &f, who);
    return code ? code : vn__group_wait(g, &f, who);
}

/* ---- any size ---- */

/* Where every rank has a part of `in` or `out`: pieces of all parts are brought together in memory of their own. */
static int move_parts(const vn__group *g, const vn_transfer *t, int64_t piece, const char *who)
{
    const size_t each = vn_dtype_size((vn_dtype)t->dtype), ranks = (size_t)g->ranks;
    const bool gathers = t->kind == VN_TRANSFER_ALL_GATHER;
    char *all = vn__block_alloc((size_t)piece * each * ranks);
    if (!all) return vn__group_no_memory(who);
    int code = VN_OK;
    for (int64_t at = 0; at < t->count && !code; at += piece) {
        const size_t n = (size_t)vn__min(piece, t->count - at), bytes = n * each, first = (size_t)at * each;
        for (size_t k = 0; k < ranks && !gathers; k++)
            memcpy(all + k * bytes, (const char *)t->in + k * (size_t)t->count * each + first, bytes);
        vn_transfer one = *t;
        one.count = (int64_t)n;
        one.in = gathers ? (const char *)t->in + first : all;
        one.out = gathers ? all : (char *)t->out + first;
        code = vn__group_run(g, 1, &one, who);
        for (size_t k = 0; k < ranks && gathers && !code; k++)
            memcpy((char *)t->out + k * (size_t)t->count * each + first, all + k * bytes, bytes);
    }
    vn__group_block_free(all);
    return code;
}

int vn__group_move(const vn__group *g, const vn_transfer *t, const char *who)
{
    if (!g->comm) return VN_OK;
    const int64_t piece = vn__min(vn__group_piece, vn__the_world.api->max_count);
    const bool parts = t->kind == VN_TRANSFER_ALL_GATHER || t->kind == VN_TRANSFER_REDUCE_SCATTER;
    if (t->count > piece && parts) return move_parts(g, t, piece, who);
    const size_t each = t->count ? vn_dtype_size((vn_dtype)t->dtype) : 0;
    int64_t at = 0;
    do {
        vn_transfer one = *t;
        one.count = vn__min(piece, t->count - at);
        if (t->in) one.in = (const char *)t->in + (size_t)at * each;
        if (t->out) one.out = (char *)t->out + (size_t)at * each;
        int code = vn__group_run(g, 1, &one, who);
        if (code) return code;
        at += piece;
    } while (at < t->count);
    return VN_OK;
}

/* ---- small things that all ranks know afterwards ---- */

/* Up to this many ranks send each other small things directly; more of them leave it to the plugin, whose way has fewer messages. */
enum { FEW = 8, GATHER_TAG = 32767 };

int vn__group_gather(const vn__group *g, const void *own, void *all, size_t bytes, const char *who)
{
    if (!g->comm) return memcpy(all, own, bytes), VN_OK;
    if (g->ranks > FEW)
        return vn__group_move(
            g, &(vn_transfer){.kind = VN_TRANSFER_ALL_GATHER, .dtype = VN_U8, .count = (int64_t)bytes, .in = own, .out = all}, who);
    vn_transfer t[2 * FEW];
    int n = 0;
    memcpy((char *)all + (size_t)g->rank * bytes, own, bytes);
    for (int k = 0; k < g->ranks; k++) {
        if (k == g->rank) continue;
        t[n++] = (vn_transfer){.kind = VN_TRANSFER_RECEIVE,
                               .dtype = VN_U8,
                               .rank = k,
                               .tag = GATHER_TAG,
                               .count = (int64_t)bytes,
                               .out = (char *)all + (size_t)k * bytes};
        t[n++] = (vn_transfer){.kind = VN_TRANSFER_SEND, .dtype = VN_U8, .rank = k, .tag = GATHER_TAG, .count = (int64_t)bytes, .in = own};
    }
    return vn__group_run(g, n, t, who);
}

enum { MESSAGE = 500 };

int vn__group_explain(const vn__group *g, int code, const char *who)
{
    char own[MESSAGE] = "", *all = vn__calloc((size_t)g->ranks * sizeof own);
    if (!all) return vn__group_no_memory(who);
    if (code) snprintf(own, sizeof own, "%s", *vn_message() ? vn_message() : "it failed");
    const int failed = vn__group_gather(g, own, all, sizeof own, who);
    if (!code) code = failed;
    for (int k = 0; k < g->ranks && !code; k++) {
        char *text = all + (size_t)k * sizeof own;
        text[sizeof own - 1] = 0;
        if (*text) code = vn__fail(VN_E_GROUP, "%s: rank %d: %s", who, vn__group_number(g, k), text);
    }
    vn__group_free(all);
    return code;
}

int vn__group_agree(const vn__group *g, int code, const char *who)
{
    if (!g->comm) return code;
    if (*vn__the_world.broken) return code ? code : break_world(who, vn__the_world.broken);
    int32_t *all = vn__calloc((size_t)g->ranks * sizeof *all);
    if (!all) return vn__group_no_memory(who);
    const int failed = vn__group_gather(g, &(int32_t){code}, all, sizeof *all, who);
    bool one = false;
    for (int k = 0; k < g->ranks && !failed; k++) one = one || all[k];
    vn__group_free(all);
    if (failed) return code ? code : failed;
    return one ? vn__group_explain(g, code, who) : VN_OK;
}

/* ---- the same everywhere ---- */

int vn_group_same(vn_group *g, const void *bytes, size_t n, const char *what)
{
    static const char who[] = "group_same";
    if (!vn__check(g, VN__GROUP, who, "g")) return 0;
    if (!bytes && n) return vn__fail(VN_E_NULL, "%s: bytes is NULL", who), 0;
    const vn__group *b = vn__group_of(g);
    if (!b->comm || !n) return 1;
    char *all = n <= SIZE_MAX / (size_t)b->ranks ? vn__alloc(n * (size_t)b->ranks) : NULL;
    if (!all) return vn__group_no_memory(who), 0;
    const int failed = vn__group_gather(b, bytes, all, n, who);
    int other = 0;
    while (other < b->ranks && !failed && !memcmp(all, all + (size_t)other * n, n)) other++;
    vn__group_free(all);
    if (failed) return 0;
    if (other == b->ranks) return 1;
    vn__fail(VN_E_GROUP, "%s: rank %d has other %.200s than rank %d", who, vn__group_number(b, other), what ? what : "bytes",
             vn__group_number(b, 0));
    return 0;
}
