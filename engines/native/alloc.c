/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c: the caching allocator under buffers, workspaces and compiled programs.
 *
 * Fresh pages cost several times as much as a kernel, so freed blocks are cached by size class and reused. Small blocks are the host's,
 * which caches them by thread. The classes of larger ones are eight per doubling, and 64 per doubling from a megabyte on, so that little of
 * a large block is wasted. The cache never exceeds the peak of memory in use (or a small minimum), and is freed when the host runs out of memory. Under a sanitizer
 * blocks have their exact size and none is cached. */
/* compiled for speed */
#include <pthread.h>
#include <string.h>

#include "core/watched.h"
#include "internal.h"

enum {
    SMALL = 512 /* the largest of the host's */,
    LARGE = 20 /* log of a large block's bytes */,
    CLASSES = (LARGE - 9) * 8 + (63 - LARGE) * 64
};
#define CACHE_FLOOR ((size_t)64 << 20)

typedef struct block {
    struct block *next;
} block;

static struct {
    pthread_mutex_t lock;
    block *free[CLASSES];
    size_t used, peak, cached;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The class of a size above SMALL; rounds *size up to the class's block size. */
static int class_of(size_t *size)
{
    const size_t bytes = *size;
    if (VN_WATCHED) return 0;
    const int e = 63 - __builtin_clzll((unsigned long long)(bytes - 1)), fine = e < LARGE ? 3 : 6;
    const size_t part = (bytes - 1) >> (e - fine), parts = (size_t)1 << fine; /* parts .. 2 parts - 1 */
    *size = (part + 1) << (e - fine);
    return (e < LARGE ? (e - 9) * 8 : (LARGE - 9) * 8 + (e - LARGE) * 64) + (int)(part - parts);
}

void *vn__native_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    if (bytes <= SMALL) return vn__native_host->alloc(bytes ? bytes : 1);
    const int c = class_of(&bytes);
    pthread_mutex_lock(&cache.lock);
    block *b = cache.free[c];
    if (b) {
        cache.free[c] = b->next;
        cache.cached -= bytes;
    } else {
        pthread_mutex_unlock(&cache.lock);
        b = vn__native_host->alloc(bytes);
        if (!b) return NULL; /* the host has already freed the cache before it refuses */
        pthread_mutex_lock(&cache.lock);
    }
    cache.used += bytes;
    if (cache.used > cache.peak) cache.peak = cache.used;
    pthread_mutex_unlock(&cache.lock);
    return b;
}

void vn__native_free(void *memory, size_t bytes)
{
    if (!memory) return;
    if (bytes <= SMALL) {
        vn__native_host->free(memory);
        return;
    }
    const int c = class_of(&bytes);
    block *b = memory;
    pthread_mutex_lock(&cache.lock);
    cache.used -= bytes;
    const size_t most = vn__max(cache.peak, CACHE_FLOOR);
    const bool keep = !VN_WATCHED && cache.cached + bytes <= most;
    if (keep) {
        b->next = cache.free[c];
        cache.free[c] = b;
        cache.cached += bytes;
    }
    pthread_mutex_unlock(&cache.lock);
    if (!keep) vn__native_host->free(memory);
}

/* Under the lock, so that a thread that finds the cache empty also finds the memory freed. */
int64_t vn__native_drop_cache(vn_context *context)
{
    (void)context;
    pthread_mutex_lock(&cache.lock);
    for (int c = 0; c < CLASSES; c++)
        while (cache.free[c]) {
            block *b = cache.free[c];
            cache.free[c] = b->next;
            vn__native_host->free(b);
        }
    const int64_t bytes = (int64_t)cache.cached;
    cache.cached = 0;
    pthread_mutex_unlock(&cache.lock);
    return bytes;
}

void vn__native_memory(vn_engine_memory *out)
{
    pthread_mutex_lock(&cache.lock);
    out->used = (int64_t)cache.used;
    out->peak = (int64_t)cache.peak;
    out->cached = (int64_t)cache.cached;
    pthread_mutex_unlock(&cache.lock);
}

int vn__native_no_memory(void)
{
    return vn__native_host->error(VN_E_MEM, "native: out of memory");
}

/* A forked child gets the allocator in a consistent state. */
void vn__native_alloc_lock(bool take)
{
    if (take) pthread_mutex_lock(&cache.lock);
    else pthread_mutex_unlock(&cache.lock);
}

/* ---- arenas ---- */

typedef struct vn__arena_chunk {
    struct vn__arena_chunk *next;
    size_t bytes;
} chunk;

enum { CHUNK_HEADER = 64, FIRST_CHUNK = 1984, MAX_CHUNK = 1 << 20 };

void *vn__native_arena_get(vn__arena *arena, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > arena->capacity - arena->used) {
        size_t size = arena->chunks ? 2 * arena->chunks->bytes : FIRST_CHUNK + CHUNK_HEADER;
        if (size > MAX_CHUNK) size = MAX_CHUNK;
        if (size < bytes + CHUNK_HEADER) size = bytes + CHUNK_HEADER;
        chunk *c = vn__native_alloc(size);
        if (!c) return NULL;
        c->next = arena->chunks;
        c->bytes = size;
        arena->chunks = c;
        arena->capacity = size;
        arena->used = CHUNK_HEADER;
    }
    void *memory = (char *)arena->chunks + arena->used;
    arena->used += bytes;
    return memset(memory, 0, bytes);
}

void vn__native_arena_release(vn__arena *arena)
{
    while (arena->chunks) {
        chunk *c = arena->chunks;
        arena->chunks = c->next;
        vn__native_free(c, c->bytes);
    }
    *arena = (vn__arena){0};
}
