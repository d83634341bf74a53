/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: compiled programs by their text, one cache per engine. Programs are equal if their whole text is; the hash only finds
 * candidates. A cache is bounded, and the least recently used program leaves it first; a reference keeps it alive until its last run has
 * ended. */
/* compiled for speed */
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "engine/engine.h"
#include "program/compiled.h"

struct vn__cache {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    vn__compiled **buckets;
    size_t n_buckets;
    vn__compiled *oldest, *newest;
    int64_t programs, instructions, misses, evicted;
    _Atomic int64_t hits; /* also counted without the lock */
};

static _Atomic int64_t most_programs = 512;
/* Of all programs of an engine: a program's memory grows with them, and so does what it takes of the system's 65,530 mappings where each kernel is
 * code of its own, as in XLA (about two an instruction). Engines that limit a program keep as much as this many of the largest. */
enum { MAX_INSTRUCTIONS = 1 << 20, MAX_LARGEST = 16 };

static int64_t most_instructions(const vn__engine *e)
{
    const size_t largest = e->api.largest;
    return largest && largest < MAX_INSTRUCTIONS / MAX_LARGEST ? MAX_LARGEST * (int64_t)largest : MAX_INSTRUCTIONS;
}

static int64_t instructions(const vn__compiled *c)
{
    return (int64_t)c->words[1];
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Four independent sums, to hide the latency of the multiplication. */
static uint64_t hash_words(const uint64_t *w, size_t n)
{
    uint64_t a = 0x76696e6561 /* "vinea" */, b = ~a, c = a << 24, d = ~c;
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        a = mix(a, w[k]);
        b = mix(b, w[k + 1]);
        c = mix(c, w[k + 2]);
        d = mix(d, w[k + 3]);
    }
    for (; k < n; k++) a = mix(a, w[k]);
    return mix(a, (b << 16 | b >> 48) ^ (c << 32 | c >> 32) ^ (d << 48 | d >> 16));
}

static vn__cache *cache_of(vn__engine *e)
{
    vn__cache *c = atomic_load_explicit(&e->cache, memory_order_acquire);
    if (c) return c;
    pthread_mutex_lock(&e->lock);
    c = atomic_load_explicit(&e->cache, memory_order_relaxed);
    if (!c && (c = vn__calloc(sizeof *c))) {
        c->n_buckets = 256;
        c->buckets = vn__calloc(c->n_buckets * sizeof *c->buckets);
        if (c->buckets) {
            pthread_mutex_init(&c->lock, NULL);
            pthread_cond_init(&c->ready, NULL);
            atomic_store_explicit(&e->cache, c, memory_order_release);
        } else {
            vn__free(c);
            c = NULL;
        }
    }
    pthread_mutex_unlock(&e->lock);
    return c;
}

static void unlink_use(vn__cache *h, vn__compiled *c)
{
    *(c->older ? &c->older->newer : &h->oldest) = c->newer;
    *(c->newer ? &c->newer->older : &h->newest) = c->older;
    c->older = c->newer = NULL;
}

static void link_newest(vn__cache *h, vn__compiled *c)
{
    c->older = h->newest;
    c->newer = NULL;
    *(h->newest ? &h->newest->newer : &h->oldest) = c;
    h->newest = c;
}

/* Removes c from the cache; the caller gets the cache's reference. */
static void take_out(vn__cache *h, vn__compiled *c)
{
    vn__compiled **at = &h->buckets[c->hash & (h->n_buckets - 1)];
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    unlink_use(h, c);
    h->programs--;
    h->instructions -= instructions(c);
}

static bool has_text(const vn__compiled *c, const uint64_t *words, size_t n)
{
    return c->n_words == n && !memcmp(c->words, words, n * sizeof *words);
}

static vn__compiled *find(vn__cache *h, uint64_t hash, const uint64_t *words, size_t n)
{
    for (vn__compiled *c = h->buckets[hash & (h->n_buckets - 1)]; c; c = c->next) {
        if (c->hash == hash && has_text(c, words, n)) return c;
    }
    return NULL;
}

static void count_hit(vn__cache *h)
{
    atomic_fetch_add_explicit(&h->hits, 1, memory_order_relaxed);
}

/* The program that ran last, if it is this one, as in loops: it needs no hash. A new reference. */
static vn__compiled *find_newest(vn__cache *h, const uint64_t *words, size_t n)
{
    pthread_mutex_lock(&h->lock);
    vn__compiled *c = h->newest;
    if (c && (c->state == COMPILING || !has_text(c, words, n))) c = NULL;
    if (c) {
        count_hit(h);
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&h->lock);
    return c;
}

void vn__cache_put(vn__compiled *c)
{
    if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1) vn__compiled_free(c);
}

static vn__compiled *new_entry(vn__engine *e, uint64_t hash, const uint64_t *words, size_t n)
{
    vn__compiled *c = vn__calloc(sizeof *c);
    uint64_t *copy = vn__alloc(n * sizeof *copy);
    if (!c || !copy) {
        vn__free(c);
        vn__free(copy);
        return NULL;
    }
    memcpy(copy, words, n * sizeof *copy);
    atomic_init(&c->refs, 2); /* the cache's and the caller's */
    c->engine = e;
    c->hash = hash;
    c->words = copy;
    c->n_words = n;
    return c;
}

/* Removes the oldest entries beyond the limits, but not the newest; linked by `next`. */
static vn__compiled *trim(const vn__engine *e, vn__cache *h)
{
    vn__compiled *out = NULL;
    const int64_t most = most_instructions(e);
    for (vn__compiled *c = h->oldest; c != h->newest && (h->programs > atomic_load(&most_programs) || h->instructions > most);) {
        vn__compiled *newer = c->newer;
        if (c->state == COMPILED) {
            take_out(h, c);
            h->evicted++;
            c->next = out;
            out = c;
        }
        c = newer;
    }
    return out;
}

vn__compiled *vn__cache_get(vn__engine *e, const uint64_t *words, size_t n, int *code)
{
    vn__cache *h = cache_of(e);
    if (!h) return *code = vn__no_memory("compile"), NULL;
    vn__compiled *c = find_newest(h, words, n);
    if (c) return c;
    const uint64_t hash = hash_words(words, n);
    pthread_mutex_lock(&h->lock);
    while ((c = find(h, hash, words, n)) && c->state == COMPILING) pthread_cond_wait(&h->ready, &h->lock);
    if (c) {
        count_hit(h);
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
        if (c != h->newest) {
            unlink_use(h, c);
            link_newest(h, c);
        }
        pthread_mutex_unlock(&h->lock);
        return c;
    }
    h->misses++;
    c = new_entry(e, hash, words, n);
    if (c) {
        c->next = h->buckets[hash & (h->n_buckets - 1)];
        h->buckets[hash & (h->n_buckets - 1)] = c;
        link_newest(h, c);
        h->programs++;
        h->instructions += instructions(c);
    }
    pthread_mutex_unlock(&h->lock);
    if (!c) return *code = vn__no_memory("compile"), NULL;
    *code = vn__compiled_make(c); /* without a lock: other threads may use the cache, and those that need this program wait */
    pthread_mutex_lock(&h->lock);
    c->state = *code ? FAILED : COMPILED;
    if (*code) take_out(h, c);
    vn__compiled *old = *code ? NULL : trim(e, h);
    pthread_cond_broadcast(&h->ready);
    pthread_mutex_unlock(&h->lock);
    while (old) {
        vn__compiled *next = old->next;
        vn__cache_put(old);
        old = next;
    }
    if (!*code) return c;
    vn__cache_put(c);
    vn__cache_put(c);
    return NULL;
}

/* ---- what a thread ran last ---- */

/* A program that has left the cache meanwhile is as good as before. */
vn__compiled *vn__recent_get(vn__state *s, unsigned slot, vn__engine *e, const uint64_t *words, size_t n, int *code)
{
    vn__compiled *c = s->recent[slot];
    if (!c || c->engine != e || !has_text(c, words, n)) return vn__cache_get(e, words, n, code);
    s->recent[slot] = NULL;
    count_hit(e->cache);
    return c;
}

void vn__recent_put(vn__state *s, unsigned slot, vn__compiled *c)
{
    vn__compiled *before = s->recent[slot];
    s->recent[slot] = c;
    if (before) vn__cache_put(before);
}

void vn__recent_release(vn__state *s)
{
    for (unsigned k = 0; k < VN__RECENT; k++) {
        if (s->recent[k]) vn__cache_put(s->recent[k]);
        s->recent[k] = NULL;
    }
}

void vn__cache_close(vn__engine *e)
{
    vn__cache *h = e->cache;
    if (!h) return;
    while (h->oldest) {
        vn__compiled *c = h->oldest;
        take_out(h, c);
        vn__cache_put(c);
    }
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->ready);
    vn__free(h->buckets);
    vn__free(h);
    e->cache = NULL;
}

void vn__cache_fork(vn__engine *e, int step)
{
    if (!e->cache) return;
    if (step == VN_FORK_BEFORE) pthread_mutex_lock(&e->cache->lock);
    else if (step == VN_FORK_PARENT) pthread_mutex_unlock(&e->cache->lock);
    else pthread_mutex_init(&e->cache->lock, NULL), pthread_cond_init(&e->cache->ready, NULL);
}

int vn_cache_limit(int64_t programs)
{
    if (programs < 1) return vn__fail(VN_E_ARG, "cache_limit: %lld programs; at least 1 is needed", (long long)programs);
    atomic_store(&most_programs, programs);
    return VN_OK;
}

int vn_cache_stats(const char *engine, vn_cache_info *info)
{
    if (vn__check_info("cache_stats", "vn_cache_info", info)) return vn_status();
    vn__engine *e = vn__engine_find(engine);
    vn__cache *h = e ? cache_of(e) : NULL;
    if (!h) return vn_status();
    pthread_mutex_lock(&h->lock);
    vn_cache_info i = {sizeof i, h->programs, atomic_load(&h->hits), h->misses, h->evicted, atomic_load(&most_programs), h->instructions};
    pthread_mutex_unlock(&h->lock);
    return VN__GIVE("cache_stats", vn_cache_info, info, &i);
}
