/* SPDX-License-Identifier: Apache-2.0 */
/* echo.c: a group plugin whose world is one process: see echo.h. The tests copy it under these names, too:
 *
 *     newer     was built for a later ABI         refusing  does not take this library
 *     fewer     lacks functions                   unshared  has no function for memory that all ranks see */
#include "echo.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <vinea/group.h>

__attribute__((visibility("default"))) echo_script echo = {.ranks = 2, .silent = 2};

static const vn_host *host;
static char name[64];

struct vn_comm {
    int rank, ranks;
    vn_comm *next;
};
static vn_comm *comms; /* those of a world that failed are never released, as with an MPI */

typedef struct sent { /* a message that this process receives from itself */
    struct sent *next;
    int rank, tag;
    size_t bytes;
    char data[];
} sent;
static sent *first_sent;

/* Works that never end stay in the list, and with them the memory that they would write to. */
struct vn_work {
    vn_transfer t;
    long number;
    vn_work *next;
};
static vn_work *works;

static void forget(vn_work *w)
{
    vn_work **at = &works;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    free(w);
}

/* ---- the world ---- */

static void hold(void)
{
    while (echo.held && *(volatile bool *)echo.held) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int make(int rank, int ranks, vn_comm **out)
{
    vn_comm *c = malloc(sizeof *c);
    if (!c) return host->error(VN_E_MEM, "echo: out of memory");
    *c = (vn_comm){rank, ranks, comms};
    *out = comms = c;
    return VN_OK;
}

static int open_world(vn_comm **world)
{
    hold();
    for (sent *s = first_sent, *next; s; s = next) next = s->next, free(s); /* messages that were not received */
    first_sent = NULL;
    if (echo.fails_open) return host->error(VN_E_GROUP, "echo: there is no world");
    return make(echo.rank, echo.other_ranks ? echo.other_ranks : echo.ranks, world);
}

static void release(vn_comm *c)
{
    vn_comm **at = &comms;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    free(c);
}

static void close_world(vn_comm *world)
{
    hold();
    release(world);
}

static const char *version(void)
{
    return "Echo 1.0";
}

static int rank_of(const vn_comm *c)
{
    return c->rank;
}
static int ranks_of(const vn_comm *c)
{
    return c->ranks;
}

static char *memory;

static size_t share(vn_comm *world, size_t max_bytes)
{
    (void)world, (void)max_bytes;
    if (memory) munmap(memory, ECHO_SHARED);
    memory = mmap(NULL, ECHO_SHARED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return memory = NULL, 0;
    if (echo.no_pages) munmap(memory + (echo.no_pages - 1) * (ECHO_SHARED / 2), ECHO_SHARED / 2);
    return ECHO_SHARED;
}

/* The other ranks' memory has what this one's has. */
static void *shared(const vn_comm *world, int k)
{
    (void)world, (void)k;
    return memory;
}

static int split(vn_comm *c, int colour, int key, vn_comm **out)
{
    (void)colour, (void)key;
    *out = NULL;
    return echo.fails_split ? host->error(VN_E_GROUP, "echo: no split") : make(c->rank, c->ranks, out);
}

static void abort_all(vn_comm *world, int code)
{
    (void)world;
    echo.aborted = code;
}

/* ---- transfers ---- */

static size_t size_of(int dtype)
{
    switch (dtype) {
    case VN_F32:
    case VN_I32: return 4;
    case VN_F64:
    case VN_I64: return 8;
    default: return 1;
    }
}

static int send_back(const vn_transfer *t)
{
    const size_t bytes = (size_t)t->count * size_of(t->dtype);
    sent *s = malloc(sizeof *s + bytes), **end = &first_sent;
    if (!s) return host->error(VN_E_MEM, "echo: out of memory");
    *s = (sent){.rank = t->rank, .tag = t->tag, .bytes = bytes};
    memcpy(s->data, t->in, bytes);
    while (*end) end = &(*end)->next;
    *end = s;
    return VN_OK;
}

static bool receive(const vn_transfer *t)
{
    sent **at = &first_sent, *s;
    while ((s = *at) && (s->rank != t->rank || s->tag != t->tag)) at = &s->next;
    if (!s) return false;
    const size_t room = (size_t)t->count * size_of(t->dtype);
    memcpy(t->out, s->data, s->bytes < room ? s->bytes : room);
    *at = s->next;
    free(s);
    return true;
}

/* As many of them as there are ranks, added up. */
static void sum(const vn_comm *c, const vn_transfer *t, const char *in)
{
    memmove(t->out, in, (size_t)t->count * size_of(t->dtype));
    for (int64_t i = 0; i < t->count && t->reduction == VN_REDUCE_SUM; i++) {
        if (t->dtype == VN_F32) ((float *)t->out)[i] *= (float)c->ranks;
        if (t->dtype == VN_F64) ((double *)t->out)[i] *= c->ranks;
        if (t->dtype == VN_I32) ((int32_t *)t->out)[i] *= c->ranks;
        if (t->dtype == VN_I64) ((int64_t *)t->out)[i] *= c->ranks;
    }
}

static bool finish(const vn_comm *c, const vn_transfer *t)
{
    const size_t bytes = (size_t)t->count * size_of(t->dtype);
    if (t->kind == VN_TRANSFER_RECEIVE) return receive(t);
    if (t->kind == VN_TRANSFER_ALL_REDUCE) sum(c, t, t->in);
    if (t->kind == VN_TRANSFER_REDUCE_SCATTER) sum(c, t, (const char *)t->in + (size_t)c->rank * bytes);
    for (int k = 0; k < c->ranks && t->kind == VN_TRANSFER_ALL_GATHER; k++) memcpy((char *)t->out + (size_t)k * bytes, t->in, bytes);
    return true;
}

static int start(vn_comm *c, const vn_transfer *t, vn_work **out)
{
    (void)c;
    if (++echo.at == echo.not_started) return host->error(VN_E_GROUP, "echo: transfer %ld does not start", echo.at);
    vn_work *w = malloc(sizeof *w);
    if (!w) return host->error(VN_E_MEM, "echo: out of memory");
    *w = (vn_work){*t, echo.at, works};
    *out = works = w;
    return t->kind == VN_TRANSFER_SEND ? send_back(t) : VN_OK;
}

static int progress(vn_comm *c, vn_work *w, int *done)
{
    const bool fails = w->number == echo.not_ended;
    *done = !fails && !(echo.waits && w->number >= echo.waits) && finish(c, &w->t);
    for (int k = 0; k < ECHO_CHANGES && *done; k++)
        if (echo.change[k].transfer == w->number) ((char *)w->t.out)[echo.change[k].place] = echo.change[k].byte;
    const int code = fails ? host->error(VN_E_GROUP, "echo: transfer %ld does not end", w->number) : VN_OK;
    if (*done || fails) forget(w);
    return code;
}

/* ---- texts ---- */

static int post(vn_comm *world, const char *text)
{
    echo.posted++;
    if (echo.fails_post) return host->error(VN_E_GROUP, "echo: nothing is posted");
    snprintf(echo.last, sizeof echo.last, "%s", text);
    for (int k = 0; k < world->ranks && k < echo.silent && echo.n_texts < ECHO_TEXTS; k++) {
        if (k == world->rank) continue;
        echo.texts[echo.n_texts].rank = k;
        snprintf(echo.texts[echo.n_texts++].text, sizeof echo.texts[0].text, "%s", text);
    }
    return VN_OK;
}

static int look(vn_comm *world, int *rank, char *text, size_t capacity)
{
    (void)world;
    *rank = -1;
    if (echo.fails_look == 1 || (echo.fails_look && echo.posted)) return host->error(VN_E_GROUP, "echo: nothing is heard");
    if (!echo.n_texts || echo.pauses-- > 0) return VN_OK;
    *rank = echo.texts[0].rank;
    snprintf(text, capacity, "%s", echo.texts[0].text);
    memmove(&echo.texts[0], &echo.texts[1], (size_t)--echo.n_texts * sizeof echo.texts[0]);
    return VN_OK;
}

/* ---- the plugin ---- */

static vn_group_plugin plugin = {.abi = VN_GROUP_ABI,
                                 .size = sizeof plugin,
                                 .name = name,
                                 .memories = VN_BIT(VN_MEMORY_HOST),
                                 .max_count = 1 << 30,
                                 .open = open_world,
                                 .close = close_world,
                                 .version = version,
                                 .rank = rank_of,
                                 .ranks = ranks_of,
                                 .neighbours = ranks_of,
                                 .share = share,
                                 .shared = shared,
                                 .split = split,
                                 .release = release,
                                 .start = start,
                                 .progress = progress,
                                 .post = post,
                                 .look = look,
                                 .abort = abort_all};

__attribute__((visibility("default"))) const vn_group_plugin *vinea_group_main(const vn_host *given)
{
    Dl_info info;
    const char *slash = dladdr(&plugin, &info) ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(name, sizeof name, "%.*s", slash ? (int)strcspn(slash + 1, ".") : 0, slash ? slash + 1 : "");
    host = given;
    if (!strcmp(name, "newer")) plugin.abi = VN_GROUP_ABI + 1;
    if (!strcmp(name, "fewer")) plugin.size = offsetof(vn_group_plugin, abort);
    if (!strcmp(name, "unshared")) plugin.share = NULL;
    return strcmp(name, "refusing") ? &plugin : NULL;
}
