/* random.c: where keys come from. A key is (stream, number): the stream from seed and thread, the number counts the thread's calls.
 * The numbers themselves are computed by the ops uniform and normal, always by the native kernels, so that every engine gets the same
 * bits. */
#include "core/internal.h"

static _Atomic uint64_t process_seed;

/* Spreads seed and thread number over 64 bits (the finaliser of splitmix64, twice). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t vn__random_start(uint32_t thread)
{
    uint64_t seed = mix(atomic_load(&process_seed));
    return thread ? mix(seed + thread) : seed;
}

void vn__random_reset(void)
{
    atomic_store(&process_seed, 0);
}

/* The first thread's seed is the process's: threads that begin later derive theirs from it. */
int vn_seed(uint64_t seed)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!s->number) atomic_store(&process_seed, seed);
    s->random_seed = mix(seed);
    s->random_count = 0;
    return VN_OK;
}

vn_array *vn_random_key(void)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    uint64_t key[2] = {s->random_seed, s->random_count};
    vn_array *k = vn_from_host(key, VN_U64, VN_SHAPE(2));
    if (k) s->random_count++;
    return k;
}

vn_array *vn_random_uniform(double low, double high, vn_shape shape)
{
    if (!(low <= high)) return vn__fail(VN_E_ARG, "random_uniform: low %g is not below high %g", low, high), NULL;
    vn_array *key = vn_random_key();
    return key ? vn_uniform(key, vn_scalar(low), vn_scalar(high), shape, VN_F32) : NULL;
}

vn_array *vn_random_normal(double mean, double std, vn_shape shape)
{
    if (!(std >= 0)) return vn__fail(VN_E_ARG, "random_normal: std %g must be non-negative", std), NULL;
    vn_array *key = vn_random_key();
    return key ? vn_normal(key, vn_scalar(mean), vn_scalar(std), shape, VN_F32) : NULL;
}
