/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: random keys, and the functions that sample with the thread's key. A key is (stream, number): the stream comes from seed and
 * thread, the number counts the thread's calls. The random numbers themselves come from ops, always computed by the native engine, so
 * that they are bitwise equal on every engine. */
#include "base/hash.h"
#include "core/state.h"
#include <float.h>

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

/* The first thread's seed is the process's: later threads derive theirs from it. */
int vn_seed(uint64_t seed)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!s->number) atomic_store(&process_seed, seed);
    s->random_seed = mix(seed);
    s->random_count = 0;
    return VN_OK;
}

int vn_random_state(uint64_t state[2])
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!state) return vn__fail(VN_E_NULL, "random_state: state is NULL");
    state[0] = s->random_seed;
    state[1] = s->random_count;
    return VN_OK;
}

int vn_random_set_state(const uint64_t state[2])
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!state) return vn__fail(VN_E_NULL, "random_set_state: state is NULL");
    s->random_seed = state[0];
    s->random_count = state[1];
    return VN_OK;
}

static vn_array *sourced(vn__key_source *from)
{
    vn_array *number = vn_from_host(&from->used, VN_U64, VN_0D);
    from->used++;
    return vn_random_fold(from->key, number);
}

vn_array *vn__next_key(const char *who)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    if (s->key_source) return sourced(s->key_source);
    if (s->capturing) {
        vn__fail(VN_E_ARG,
                 "%s%sno key is given while a function is captured, which would use the same one in every call; make the key an input "
                 "of the function",
                 who ? who : "", who ? ": " : "");
        return NULL;
    }
    uint64_t key[2] = {s->random_seed, s->random_count};
    vn_array *k = vn_from_host(key, VN_U64, VN_SHAPE(2));
    if (k) s->random_count++;
    return k;
}

vn_array *vn_random_key(void)
{
    return vn__next_key("random_key");
}

/* No thread's count reaches the number of this key. */
vn_array *vn_random_key_of(uint64_t seed)
{
    if (!vn__enter()) return NULL;
    return vn_from_host((const uint64_t[]){mix(seed), UINT64_MAX}, VN_U64, VN_SHAPE(2));
}

/* 64 bits of the name are folded in. '.' counts as '/', as it does in a tree's paths. */
vn_array *vn_random_named(vn_array *key, const char *name)
{
    if (!name) return vn__fail(VN_E_NULL, "random_named: the name is NULL"), NULL;
    uint64_t h = VN__HASH;
    for (; *name; name++) h = vn__hash_bytes(h, *name == '.' ? "/" : name, 1);
    return vn_random_fold(key, vn_from_host(&h, VN_U64, VN_0D));
}

/* ---- numbers from the thread's key; the ops refuse bad parameters ---- */

#define REFUSE(condition, ...) \
    if (!(condition)) return vn__fail(VN_E_ARG, __VA_ARGS__), NULL

vn_array *vn_random_uniform(double low, double high, vn_shape shape)
{
    REFUSE(low <= high, "random_uniform: low %g is not below high %g", low, high);
    return vn_uniform(vn_random_key(), vn_scalar(low), vn_scalar(high), shape, VN_F32);
}

vn_array *vn_random_normal(double mean, double std, vn_shape shape)
{
    return vn_normal(vn_random_key(), vn_scalar(mean), vn_scalar(std), shape, VN_F32);
}

vn_array *vn_random_truncated_normal(double low, double high, vn_shape shape)
{
    return vn_truncated_normal(vn_random_key(), vn_scalar(low), vn_scalar(high), shape, VN_F32);
}

vn_array *vn_random_exponential(double rate, vn_shape shape)
{
    REFUSE(rate > 0 && rate <= DBL_MAX, "random_exponential: rate %g must be positive and finite", rate);
    return vn_mul(vn_exponential(vn_random_key(), shape, VN_F32), vn_scalar(1 / rate));
}

vn_array *vn_random_gamma(double alpha, vn_shape shape)
{
    return vn_gamma(vn_random_key(), vn_scalar(alpha), shape, VN_F32);
}

vn_array *vn_random_beta(double a, double b, vn_shape shape)
{
    return vn_beta(vn_random_key(), vn_scalar(a), vn_scalar(b), shape, VN_F32);
}

vn_array *vn_random_bernoulli(double p, vn_shape shape)
{
    return vn_bernoulli(vn_random_key(), vn_scalar(p), shape, VN_BOOL);
}

vn_array *vn_random_poisson(double rate, vn_shape shape)
{
    return vn_poisson(vn_random_key(), vn_scalar(rate), shape, VN_I64);
}

vn_array *vn_random_randint(int64_t low, int64_t high, vn_shape shape)
{
    return vn_randint(vn_random_key(), vn_scalar_int(low), vn_scalar_int(high), shape, VN_I64);
}

vn_array *vn_random_permutation(int64_t n)
{
    return vn_permutation(vn_random_key(), n);
}

vn_array *vn_random_shuffle(vn_array *x)
{
    return vn_shuffle(vn_random_key(), x, 0, NULL);
}

vn_array *vn_random_multinomial(vn_array *weights, int64_t samples, const vn_multinomial_opts *opts)
{
    const int rank = weights ? vn_rank(weights) : 0;
    if (opts && opts->no_replace && rank > 0)
        REFUSE(samples <= vn_dim(weights, rank - 1), "random_multinomial: %lld samples without replacement from %lld weights",
               (long long)samples, (long long)vn_dim(weights, rank - 1));
    return vn_multinomial(vn_random_key(), weights, samples, opts);
}

vn_array *vn_random_categorical(vn_array *logits)
{
    return vn_categorical(vn_random_key(), logits, 0);
}
