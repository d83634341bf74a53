/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: all of the library's allocations: small objects by vn__alloc, array data by vn__block_alloc, which is aligned, counted and
 * subject to the user's limit. Allocating enters the library (state.c), so the allocator, which can be changed only while no thread has
 * entered, never changes while memory from it is in use. */
/* compiled for speed */
#include <stdlib.h>

#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "core/watched.h"
#include "engine/engine.h"
#include "os/os.h"

/* Sanitizers and a user's allocator should see every block, so none are cached then. */
enum { MAX_BLOCKS = VN_WATCHED ? 0 : 1024 };
uint32_t vn__most_blocks = MAX_BLOCKS;
static vn_allocator chosen; /* zero: malloc and free */
static _Atomic int64_t used, peak, limit;

int vn__allocator_set(const vn_allocator *a)
{
    if (a && (!a->allocate || !a->release)) return VN_E_NULL;
    chosen = a ? *a : (vn_allocator){0};
    vn__most_blocks = a ? 0 : MAX_BLOCKS;
    return VN_OK;
}

void *vn__alloc_outside(size_t bytes)
{
    if (!bytes) bytes = 1;
    return chosen.allocate ? chosen.allocate(bytes, chosen.user) : malloc(bytes);
}

void *vn__alloc(size_t bytes)
{
    return vn__enter() ? vn__alloc_outside(bytes) : NULL;
}

void *vn__calloc(size_t bytes)
{
    void *m = vn__alloc(bytes);
    return m ? memset(m, 0, bytes) : NULL;
}

void *vn__grow(void *old, size_t old_bytes, size_t bytes)
{
    void *m = vn__alloc(bytes);
    if (!m) return NULL;
    if (old_bytes) memcpy(m, old, old_bytes);
    vn__free(old);
    return m;
}

void vn__free(void *memory)
{
    if (!memory) return;
    if (chosen.release) chosen.release(memory, chosen.user);
    else free(memory);
}

char *vn__copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *c = vn__alloc(n);
    return c ? memcpy(c, text, n) : NULL;
}

int vn__no_memory(const char *who)
{
    return vn__fail(VN_E_MEM, "%s: out of memory", who);
}

/* ---- array data ---- */

enum { ALIGN = 64, LARGE_BLOCK = 4 << 20 };
typedef struct {
    void *raw;
    int64_t bytes;
} block;
_Static_assert(sizeof(block) <= ALIGN, "a block's header must fit before its data");

/* The size with header and room for alignment; zeroed by the system, which does so when a page is first used, unless the allocator is the
 * user's. Under a sanitizer the block comes aligned and ends with the data, so that an overrun of one byte is detected. */
static void *raw_block(size_t bytes, bool zeroed)
{
    void *raw = NULL;
    const size_t all = bytes + (VN_WATCHED && !chosen.allocate ? ALIGN : 2 * ALIGN);
    if (!VN_WATCHED && !chosen.allocate) {
        raw = zeroed ? calloc(1, all) : malloc(all);
        if (raw && all >= LARGE_BLOCK)
            vn__use_large_pages(raw, all); /* far fewer misses of the address translation cache, above all across rows */
        return raw;
    }
    if (chosen.allocate) raw = vn__alloc_outside(all);
    else if (posix_memalign(&raw, ALIGN, all)) raw = NULL;
    return raw && zeroed ? memset(raw, 0, all) : raw;
}

/* Counts the bytes as used if the limit allows it. *total is the new sum. */
static bool reserve(int64_t bytes, int64_t *total)
{
    int64_t before = atomic_load(&used);
    do {
        const int64_t most = atomic_load(&limit);
        if (before > (most ? most : INT64_MAX) - bytes) return false;
        *total = before + bytes;
    } while (!atomic_compare_exchange_weak(&used, &before, *total));
    return true;
}

static void *allocate(int64_t bytes, bool zeroed)
{
    int64_t total, high = atomic_load(&peak);
    if (!reserve(bytes, &total)) return NULL;
    void *raw = raw_block((size_t)bytes, zeroed);
    if (!raw) atomic_fetch_sub(&used, bytes);
    while (raw && total > high && !atomic_compare_exchange_weak(&peak, &high, total)) {
    }
    return raw;
}

static block *block_of(void *data)
{
    return (block *)(void *)((char *)data - ALIGN);
}

static void give_back(void *data)
{
    block *b = block_of(data);
    atomic_fetch_sub(&used, b->bytes);
    vn__free(b->raw);
}

/* ---- small blocks, which the thread that freed them keeps ---- */

enum { MAX_SMALL = 16 }; /* of each size */

/* The list for blocks of so many bytes; NULL: they are not kept. */
static vn__blocks *small_blocks(vn__state *s, size_t bytes)
{
    const size_t size = (bytes - 1) / VN__BLOCK;
    return s && vn__most_blocks && size < VN__DATA_SIZES ? &s->data[size] : NULL;
}

static void count_small(vn__state *s, int64_t by)
{
    atomic_store_explicit(&s->cached, atomic_load_explicit(&s->cached, memory_order_relaxed) + by, memory_order_relaxed);
}

static void *take_small(vn__state *s, vn__blocks *from)
{
    void *m = from->first;
    memcpy(&from->first, m, sizeof m);
    from->n--;
    count_small(s, -block_of(m)->bytes);
    return m;
}

static bool keep_small(void *data)
{
    vn__state *s = vn__peek();
    const int64_t bytes = block_of(data)->bytes;
    vn__blocks *to = small_blocks(s, (size_t)bytes);
    if (!to || to->n >= MAX_SMALL || bytes % VN__BLOCK) return false;
    memcpy(data, &to->first, sizeof to->first);
    to->first = data;
    to->n++;
    count_small(s, bytes);
    return true;
}

/* Returns whether there were any. */
static bool free_small(vn__state *s)
{
    bool any = false;
    for (int k = 0; s && k < VN__DATA_SIZES; k++)
        for (; s->data[k].first; any = true) give_back(take_small(s, &s->data[k]));
    return any;
}

void vn__blocks_free(vn__state *s)
{
    for (int k = 0; k < VN__BLOCK_SIZES; k++) {
        for (void *m = s->blocks[k].first, *next; m; m = next) {
            memcpy(&next, m, sizeof next);
            vn__free(m);
        }
        s->blocks[k] = (vn__blocks){0};
    }
    free_small(s);
}

/* Cached blocks are freed before an allocation is refused. Other threads may fill or empty the cache meanwhile, so it is tried once more
 * after there was nothing to free. */
static void *block_alloc(size_t bytes, bool zeroed)
{
    if (bytes > (size_t)INT64_MAX - 2 * ALIGN) return NULL;
    vn__state *s = vn__peek();
    vn__blocks *kept = small_blocks(s, bytes);
    if (kept && kept->first && !zeroed) return take_small(s, kept);
    if (kept) bytes = (bytes + VN__BLOCK - 1) / VN__BLOCK * VN__BLOCK;
    void *raw = allocate((int64_t)bytes, zeroed);
    bool more = true;
    for (int again = 0; !raw && more && again < 16; again++) {
        more = free_small(s);
        more |= vn__engines_trim() > 0;
        raw = allocate((int64_t)bytes, zeroed);
    }
    if (!raw) return NULL;
    char *data = (char *)raw + ALIGN + (ALIGN - (uintptr_t)raw % ALIGN) % ALIGN;
    *block_of(data) = (block){raw, (int64_t)bytes};
    return data;
}

void *vn__block_alloc_outside(size_t bytes)
{
    return block_alloc(bytes, false);
}

void *vn__block_alloc(size_t bytes)
{
    return vn__enter() ? block_alloc(bytes, false) : NULL;
}

void *vn__block_calloc(size_t bytes)
{
    return vn__enter() ? block_alloc(bytes, true) : NULL;
}

void vn__block_free(void *memory)
{
    if (memory && !keep_small(memory)) give_back(memory);
}

void vn__memory_totals(int64_t *used_now, int64_t *highest, int64_t *most)
{
    *used_now = atomic_load(&used);
    *highest = atomic_load(&peak);
    *most = atomic_load(&limit);
}

int vn_memory_limit(int64_t bytes)
{
    if (bytes < 0) return vn__fail(VN_E_ARG, "memory_limit: %lld bytes is negative; 0 means no limit", (long long)bytes);
    atomic_store(&limit, bytes);
    if (bytes && atomic_load(&used) > bytes) {
        free_small(vn__peek());
        vn__engines_trim();
    }
    return VN_OK;
}

int vn_memory(vn_memory_info *info)
{
    if (vn__check_info("memory", "vn_memory_info", info)) return vn_status();
    vn_memory_info m = {.size = sizeof m};
    vn__memory_totals(&m.used, &m.peak, &m.limit);
    m.nodes = vn__nodes_alive(&m.handles, &m.cached);
    vn_engine_memory e = {.size = sizeof e};
    vn__engine *native = vn__engine_default();
    if (native && native->api.memory && native->api.memory(native->context, &e) == VN_OK && e.cached > 0) m.cached += e.cached;
    return VN__GIVE("memory", vn_memory_info, info, &m);
}
