/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c: the sums of all ranks, finished in the fixed tree. Every rank owns a chunk of the sums: it gets that chunk of all other ranks'
 * blocks, finishes the tree there, and gives the result to all. That moves the bytes of an all-reduce, and gives the same bits on any
 * number of ranks. Chunks go in segments, so that the sum of one is computed while the next is on its way. Small sums travel with the
 * outcome of the parts, in one message, and every rank finishes all of them. Ranks that see each other's sums (shared.c) send only the
 * outcome. */
/* compiled for speed */
#include "group/group.h"
#include "base/hash.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SMALL = 1 << 16, FEW = 8 };          /* bytes of small sums, of all ranks together; ranks that send them to each other */
enum { SEGMENT = 1 << 18, NEAR = 1 << 16 }; /* bytes of messages; of what is summed while it is in a core's own cache */
enum { HEAD_TAG = 32000, RESULT_TAG = 32001 };

static int blocks_of(const vn__parts *p, int rank, vn__block *to)
{
    return vn__tree_blocks(vn__parts_first(p, rank), vn__parts_first(p, rank + 1), to);
}

/* Floats come first in a sum: how many of these bytes are floats. */
static size_t floats_in(const vn__parts *p, size_t begin, size_t bytes)
{
    return p->sum.floats > begin ? vn__min(p->sum.floats - begin, bytes) : 0;
}

/* The sum of n blocks, in their order, over the weight of all parts. */
static void finish(const vn__parts *p, int n, const vn__block *blocks, size_t begin, size_t bytes, char *to)
{
    vn__tree_sum s = {.bytes = bytes, .floats = floats_in(p, begin, bytes), .borrowed = true};
    for (int b = 0; b < n - 1; b++) vn__tree_sum_push(&s, blocks[b]);
    s.stack[s.n++] = blocks[n - 1];
    vn__tree_sum_finish(&s, to, 1 / p->weight);
}

/* ---- memory ---- */

/* Kept from one exchange to the next: fresh memory costs more than the transfer. One that runs at the same time gets its own. */
typedef struct {
    _Alignas(64) size_t bytes;
    char memory[];
} room;
static _Atomic(room *) kept;

static room *take_room(size_t bytes)
{
    room *r = atomic_exchange(&kept, NULL);
    if (r && r->bytes >= bytes) return r;
    vn__block_free(r);
    r = vn__block_alloc(sizeof *r + bytes);
    if (r) r->bytes = bytes;
    return r;
}

static void give_room(room *r)
{
    vn__block_free(atomic_exchange(&kept, r));
}

void vn__exchange_close(void)
{
    give_room(NULL);
}

/* ---- the outcome of every rank, and small sums ---- */

typedef struct {
    int32_t code;
    int32_t shared;  /* its sum is in shared memory, and it holds no array of the last total there */
    uint64_t facts;  /* a hash of them all: messages of Open MPI above 4 KB take three times as long */
    double values[]; /* of its parts; then the blocks of its sums, where they are small */
} head;

typedef struct {
    size_t values, bytes; /* of the values, and of a head at most */
    size_t block;         /* of a block of sums */
    bool small;           /* sums of this size are in it */
    bool shared;          /* those of all ranks are in memory that all see */
    char *all;            /* the heads of all ranks, and after them the one that this rank sends */
} heads;

static size_t most_blocks(const vn__parts *p)
{
    vn__block blocks[2 * VN__TREE_LEVELS];
    size_t most = 0;
    for (int k = 0; k < p->group->ranks; k++) most = vn__max(most, (size_t)blocks_of(p, k, blocks));
    return most;
}

/* A rank that failed may not know how large the sums are, so all have the same room for them. */
static void plan_heads(const vn__parts *p, heads *h)
{
    const size_t ranks = (size_t)p->group->ranks, parts = ((size_t)p->n + ranks - 1) / ranks;
    const size_t most = p->group->comm && ranks <= FEW ? SMALL / ranks : 0;
    h->values = sizeof(head) + parts * (size_t)p->n_values * sizeof(double);
    h->bytes = (h->values + most + 63) / 64 * 64;
    h->block = p->used;
    h->small = most && p->arrays && !p->overlap && !p->sum.lent && most_blocks(p) * h->block <= most;
}

static head *head_of(const vn__parts *p, const heads *h, int rank)
{
    return (head *)(void *)(h->all + (size_t)(rank == p->group->rank ? p->group->ranks : rank) * h->bytes);
}

static size_t fill_head(const vn__parts *p, heads *h, int code)
{
    head *own = head_of(p, h, p->group->rank);
    size_t bytes = h->values;
    memset(own, 0, h->values);
    own->code = code, own->shared = p->sum.lent && vn__shared_total_is_free();
    own->facts = vn__hash_bytes(VN__HASH, p->facts, sizeof p->facts);
    if (!p->idle)
        memcpy(own->values, p->values + p->first * p->n_values, (size_t)((p->end - p->first) * p->n_values) * sizeof *own->values);
    for (int b = 0; b < p->sum.n && h->small && !code; b++, bytes += h->block) memcpy((char *)own + bytes, p->sum.stack[b].sum, h->block);
    return bytes;
}

static int send_heads(const vn__parts *p, heads *h, size_t bytes)
{
    const vn__group *g = p->group;
    const head *own = head_of(p, h, g->rank);
    if (g->ranks > FEW) return vn__group_gather(g, own, h->all, h->bytes, p->who);
    vn_transfer t[2 * FEW];
    int n = 0;
    for (int k = 0; k < g->ranks; k++) {
        vn_transfer one = {.dtype = VN_U8, .rank = k, .tag = HEAD_TAG};
        if (k == g->rank) continue;
        one.kind = VN_TRANSFER_RECEIVE, one.out = head_of(p, h, k), one.count = (int64_t)h->bytes;
        t[n++] = one;
        one.kind = VN_TRANSFER_SEND, one.in = own, one.count = (int64_t)bytes;
        t[n++] = one;
    }
    return vn__group_run(g, n, t, p->who);
}

/* Which rank has other facts than the first one; VN_OK: those that differ are unknown to one of them. */
static int name_other(const vn__parts *p)
{
    static const char *const names[VN__PARTS_FACTS] = {"another number of parts", "another engine", "gradients of other shapes or dtypes",
                                                       "another seed (vn_seed) or state of random numbers"};
    uint64_t(*all)[VN__PARTS_FACTS] = vn__calloc((size_t)p->group->ranks * sizeof *all);
    if (!all) return vn__group_no_memory(p->who);
    int code = vn__group_gather(p->group, p->facts, all, sizeof *all, p->who);
    for (int i = 0; i < VN__PARTS_FACTS && !code; i++) {
        int first = 0; /* the first rank that knows: of random numbers those whose parts use some */
        while (first < p->group->ranks - 1 && !all[first][i]) first++;
        for (int k = first + 1; k < p->group->ranks && !code; k++)
            if (all[k][i] && all[k][i] != all[first][i])
                code = vn__fail(VN_E_GROUP, "%s: rank %d has %s than rank %d", p->who, vn__group_number(p->group, k), names[i],
                                vn__group_number(p->group, first));
    }
    vn__group_free(all);
    return code;
}

/* All ranks' values; if one failed, all fail. */
static int read_heads(vn__parts *p, heads *h, int code)
{
    bool failed = false;
    h->shared = p->sum.lent;
    for (int k = 0; k < p->group->ranks; k++) {
        const int64_t first = vn__parts_first(p, k), n = vn__parts_first(p, k + 1) - first;
        failed = failed || head_of(p, h, k)->code;
        h->shared = h->shared && head_of(p, h, k)->shared;
        memcpy(p->values + first * p->n_values, head_of(p, h, k)->values, (size_t)(n * p->n_values) * sizeof *p->values);
    }
    if (failed) return vn__group_explain(p->group, code, p->who);
    bool same = true; /* sums of different arrays cannot be added */
    for (int k = 1; k < p->group->ranks; k++) same = same && head_of(p, h, k)->facts == head_of(p, h, 0)->facts;
    code = same ? VN_OK : name_other(p);
    if (code) return code;
    p->weight = 0;
    for (int64_t k = 0; k < p->n; k++) p->weight += p->values[k * p->n_values];
    if (p->weight > 0 && !isinf(p->weight)) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: the weights of the parts add up to %g", p->who, p->weight);
}

static void sum_small(const vn__parts *p, const heads *h, char *to)
{
    vn__block all[FEW * 2 * VN__TREE_LEVELS];
    int n = 0;
    for (int k = 0; k < p->group->ranks; k++) {
        const int blocks = blocks_of(p, k, all + n);
        for (int b = 0; b < blocks; b++) all[n + b].sum = (char *)head_of(p, h, k) + h->values + (size_t)b * h->block;
        n += blocks;
    }
    finish(p, n, all, 0, h->block, to);
}

/* ---- large sums ---- */

/* A segment of every chunk on its way to the chunk's owner. */
typedef struct {
    vn__block *blocks; /* of all ranks, in order: this rank's own chunk, this segment */
    char *memory;      /* for those of other ranks */
    vn__flight flight;
} swapping;

typedef struct {
    vn__parts *p;
    size_t chunk, segment; /* bytes */
    size_t n, most;        /* blocks of all ranks; transfers of a segment */
    vn_transfer *t;        /* room for them */
    swapping swap[2];      /* one is summed, the other on its way */
} chunks;

static void plan_chunks(vn__parts *p, chunks *c)
{
    vn__block one[2 * VN__TREE_LEVELS];
    const size_t ranks = (size_t)p->group->ranks;
    *c = (chunks){.p = p, .chunk = p->sum.bytes / ranks};
    c->segment = vn__min(c->chunk, (size_t)SEGMENT);
    for (int k = 0; k < (int)ranks; k++) c->n += (size_t)blocks_of(p, k, one);
    c->most = c->n + (size_t)p->sum.n * ranks + 2 * ranks;
}

/* How much memory it needs, and where that is. */
static size_t chunks_bytes(const chunks *c)
{
    return 2 * c->n * (c->segment + sizeof(vn__block)) + c->most * sizeof *c->t;
}
static void place_chunks(chunks *c, char *memory)
{
    for (int i = 0; i < 2; i++, memory += c->n * c->segment) c->swap[i].memory = memory;
    for (int i = 0; i < 2; i++, memory += c->n * sizeof(vn__block)) c->swap[i].blocks = (vn__block *)(void *)memory;
    c->t = (vn_transfer *)(void *)memory;
}

static size_t segment_bytes(const chunks *c, size_t at)
{
    return vn__min(c->segment, c->chunk - at);
}

/* Segment `at` of this rank's chunk comes in, those of its blocks' other chunks go out. */
static int start_swap(chunks *c, size_t at, swapping *s)
{
    const vn__parts *p = c->p;
    const vn__group *g = p->group;
    const int64_t count = (int64_t)(segment_bytes(c, at) / sizeof(double));
    int n = 0;
    for (int k = 0, b = 0; k < g->ranks; k++) {
        const int blocks = blocks_of(p, k, s->blocks + b);
        for (int i = 0; i < blocks; i++, b++) {
            s->blocks[b].sum = k == g->rank ? p->sum.stack[i].sum + (size_t)k * c->chunk + at : s->memory + (size_t)b * c->segment;
            if (k != g->rank)
                c->t[n++] = (vn_transfer){
                    .kind = VN_TRANSFER_RECEIVE, .dtype = VN_F64, .rank = k, .tag = i, .count = count, .out = s->blocks[b].sum};
        }
        for (int i = 0; i < p->sum.n && k != g->rank; i++)
            c->t[n++] = (vn_transfer){.kind = VN_TRANSFER_SEND,
                                      .dtype = VN_F64,
                                      .rank = k,
                                      .tag = i,
                                      .count = count,
                                      .in = p->sum.stack[i].sum + (size_t)k * c->chunk + at};
    }
    return vn__group_start(g, n, c->t, &s->flight, p->who);
}

/* The result of this rank's segment goes to all, theirs come in; what was there before has been sent. */
static int start_results(const chunks *c, size_t at, vn__flight *f)
{
    const vn__group *g = c->p->group;
    const int64_t count = (int64_t)(segment_bytes(c, at) / sizeof(double));
    int n = 0;
    for (int k = 0; k < g->ranks; k++) {
        vn_transfer one = {.dtype = VN_F64, .rank = k, .tag = RESULT_TAG, .count = count};
        if (k == g->rank) continue;
        one.kind = VN_TRANSFER_RECEIVE, one.out = c->p->total->memory + (size_t)k * c->chunk + at;
        c->t[n++] = one;
        one.kind = VN_TRANSFER_SEND, one.in = c->p->total->memory + (size_t)g->rank * c->chunk + at;
        c->t[n++] = one;
    }
    return vn__group_start(g, n, c->t, f, c->p->who);
}

static int run_chunks(chunks *c)
{
    vn__parts *p = c->p;
    const vn__group *g = p->group;
    const size_t begin = (size_t)g->rank * c->chunk;
    vn__flight results = {0}, next;
    int code = start_swap(c, 0, &c->swap[0]);
    for (size_t at = 0, k = 0; at < c->chunk && !code; at += c->segment, k++) {
        swapping *s = &c->swap[k % 2];
        code = vn__group_wait(g, &s->flight, p->who);
        if (!code && at + c->segment < c->chunk) code = start_swap(c, at + c->segment, &c->swap[(k + 1) % 2]);
        if (code) break;
        finish(p, (int)c->n, s->blocks, begin + at, segment_bytes(c, at), c->p->total->memory + begin + at);
        code = start_results(c, at, &next);
        if (code) break;
        code = vn__group_wait(g, &results, p->who);
        results = next;
    }
    if (!code) return vn__group_wait(g, &results, p->who);
    vn__group_lose(g, &c->swap[0].flight), vn__group_lose(g, &c->swap[1].flight), vn__group_lose(g, &results);
    return code;
}

/* ---- sums that all ranks see ---- */

/* Every rank finishes its chunk of the total that all have. */
static int sum_shared(chunks *c)
{
    vn__parts *p = c->p;
    vn__block *blocks = c->swap[0].blocks;
    const int me = p->group->rank;
    const size_t begin = (size_t)me * c->chunk;
    for (size_t at = 0; at < c->chunk; at += NEAR) {
        const size_t bytes = vn__min((size_t)NEAR, c->chunk - at);
        for (int k = 0; k < p->group->ranks; k++) {
            blocks_of(p, k, blocks + k);
            blocks[k].sum = vn__shared_sum(k) + begin + at;
        }
        /* Sums of more than two blocks are added up in the first ones. */
        const char *own = vn__parts_late(p, begin + at, begin + at + bytes, c->swap[0].memory, c->n == 2);
        if (own) blocks[me].sum = (char *)(uintptr_t)own;
        finish(p, (int)c->n, blocks, begin + at, bytes, c->swap[1].memory);
        vn__shared_write(p->total->memory + begin + at, c->swap[1].memory, bytes);
    }
    atomic_thread_fence(memory_order_seq_cst);
    int code = vn__group_run(p->group, 1, &(vn_transfer){.kind = VN_TRANSFER_BARRIER, .dtype = VN_U8}, p->who);
    atomic_thread_fence(memory_order_seq_cst);
    return code;
}

/* ---- in the order of MPI_Allreduce ---- */

static int sum_fast(const vn__parts *p, char *to)
{
    vn_transfer t = {.kind = VN_TRANSFER_ALL_REDUCE, .reduction = VN_REDUCE_SUM, .dtype = VN_F32, .in = to, .out = to};
    t.count = (int64_t)(p->sum.floats / sizeof(float));
    int code = t.count ? vn__group_move(p->group, &t, p->who) : VN_OK;
    t.in = t.out = to + p->sum.floats, t.dtype = VN_F64, t.count = (int64_t)((p->sum.bytes - p->sum.floats) / sizeof(double));
    if (!code && t.count) code = vn__group_move(p->group, &t, p->who);
    if (!code) finish(p, 1, &(vn__block){.sum = to}, 0, p->sum.bytes, to);
    return code;
}

/* ---- all of it ---- */

/* The total takes the memory of this rank's first block, unless that is shared: see place_total. */
static int begin_total(vn__parts *p)
{
    p->total = vn__calloc(sizeof *p->total);
    if (!p->total) return vn__no_memory(p->who);
    p->total->refs = 1;
    if (p->sum.lent) return VN_OK;
    p->total->memory = p->sum.n ? p->sum.stack[0].sum : vn__block_alloc(p->sum.bytes);
    if (!p->total->memory) return vn__no_memory(p->who);
    if (!p->sum.n) memset(p->total->memory, 0, p->sum.bytes);
    return VN_OK;
}

/* Where the sum is shared: the total that all ranks have, or memory of its own while one of them holds arrays of that. */
static int place_total(vn__parts *p, bool shared)
{
    p->total->shared = shared;
    p->total->memory = shared ? vn__shared_take_total() : vn__block_alloc(p->sum.bytes);
    return p->total->memory ? VN_OK : vn__group_no_memory(p->who);
}

/* The first block's memory is the total's now, or was lent. */
static void end_sums(vn__parts *p)
{
    for (int k = 1; k < p->sum.n; k++) vn__block_free(p->sum.stack[k].sum);
    p->sum.n = 0;
}

/* The end, after a failure too: what a transfer may still read and write stays. */
static void end_exchange(vn__parts *p, room *r, bool failed)
{
    if (failed) vn__overlap_end(p);
    if (failed && vn__the_world.lost) {
        p->total = NULL, p->sum.n = 0;
        return;
    }
    if (p->total && p->total->memory) end_sums(p);
    if (r) give_room(r);
}

static int sum_all(vn__parts *p, const heads *h, chunks *c)
{
    const bool alone = !p->group->comm;
    const int failed = p->sum.lent ? place_total(p, h->shared) : VN_OK;
    char *to = p->total->memory;
    if (failed || h->shared) return failed ? failed : sum_shared(c);
    const size_t own = (size_t)p->group->rank * c->chunk;
    if (p->sum.lent && vn__parts_late(p, own, own + c->chunk, p->sum.lent + own, false)) vn__parts_late_end(p);
    if (p->overlap) {
        const int code = vn__overlap_wait(p);
        if (!code) finish(p, 1, &(vn__block){.sum = to}, 0, p->sum.bytes, to);
        return code;
    }
    if (h->small && !alone) return sum_small(p, h, to), VN_OK;
    if (!alone && !p->fast) return run_chunks(c);
    if (p->sum.n) vn__tree_sum_finish(&p->sum, to, alone ? 1 / p->weight : 1);
    return alone ? VN_OK : sum_fast(p, to);
}

int vn__parts_exchange(vn__parts *p, int code)
{
    heads h;
    chunks c = {0};
    plan_heads(p, &h);
    if (!code) code = begin_total(p);
    if (!code && p->group->comm && !h.small && !p->fast) plan_chunks(p, &c);
    const size_t of_heads = h.bytes * ((size_t)p->group->ranks + 1);
    room *r = take_room(of_heads + chunks_bytes(&c));
    if (!r) return end_exchange(p, NULL, true), vn__group_no_memory(p->who);
    h.all = r->memory;
    place_chunks(&c, r->memory + of_heads);
    const size_t bytes = fill_head(p, &h, code);
    int failed = p->group->comm ? send_heads(p, &h, bytes) : VN_OK;
    if (!failed) code = read_heads(p, &h, code);
    if (!failed && !code) code = failed = sum_all(p, &h, &c);
    else if (p->overlap && !failed) failed = code, vn__group_give_up(vn_message()); /* some of the sums on their way will not come */
    end_exchange(p, r, failed);
    return code ? code : failed;
}
