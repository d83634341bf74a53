/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: Philox 4x32-10 and the uniform and normal distributions, before scaling.
 *
 * The Philox key is key[0] and the counter of block b is {b, key[1]}, both as low and high words. Four floats come from a block,
 * one from each word, or two doubles, from words 0,1 and 2,3. A normal pair comes from two neighbours of the same block by Box-Muller:
 * float elements 0,1 and 2,3; for doubles the two elements of a block. The first of the two gives the radius, the second the angle; the
 * first element of the pair is the cosine. */
/* many short loops */
#include "level.h"
#include "math.h"
#include "philox.h"

static inline float unit_f32(uint32_t w)
{
    return (float)(int32_t)(w >> 8) * 0x1p-24f;
}

static inline void normal_pair_f32(uint32_t radius, uint32_t angle, float *cosine, float *sine)
{
    /* (radius + 1/2) 2^-32; converting the two halves of the word is exact where it matters, near 0 */
    const float u = ((float)(int32_t)(radius >> 16) * 65536.0f + ((float)(int32_t)(radius & 0xFFFF) + 0.5f)) * 0x1p-32f;
    const float r = __builtin_sqrtf(-2.0f * log_normal_f32(u));
    const uint32_t q = (angle + UINT32_C(0x20000000)) >> 30;
    const float a = (float)(int32_t)(angle - (q << 30)) * (1.57079632679489661923f * 0x1p-30f);
    float s, c;
    sincos_f32(a, q, &s, &c);
    *cosine = r * c;
    *sine = r * s;
}

static inline void normal_pair_f64(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3, double *cosine, double *sine)
{
    const double u = unit_f64(w0, w1) + 0x1p-54;
    const double r = __builtin_sqrt(-2.0 * log_normal_f64(u));
    const double t = unit_f64(w2, w3) * 4.0; /* quarter circles */
    const double nearest = (t + 6755399441055744.0) - 6755399441055744.0;
    const uint64_t q = bits_f64(t + 6755399441055744.0);
    double s, c;
    sincos_f64((t - nearest) * 1.57079632679489661923, q, &s, &c);
    *cosine = r * c;
    *sine = r * s;
}

static void make_uniform_f32(float *z, uint32_t w[4][BLOCKS])
{
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < 4; j++) z[4 * i + j] = unit_f32(w[j][i]);
}

static void make_normal_f32(float *z, uint32_t w[4][BLOCKS])
{
    float y[4][BLOCKS];
    VN_INDEPENDENT
    for (int i = 0; i < BLOCKS; i++) normal_pair_f32(w[0][i], w[1][i], &y[0][i], &y[1][i]);
    VN_INDEPENDENT
    for (int i = 0; i < BLOCKS; i++) normal_pair_f32(w[2][i], w[3][i], &y[2][i], &y[3][i]);
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < 4; j++) z[4 * i + j] = y[j][i];
}

static void make_uniform_f64(double *z, uint32_t w[4][BLOCKS])
{
    for (int i = 0; i < BLOCKS; i++) {
        z[2 * i] = unit_f64(w[0][i], w[1][i]);
        z[2 * i + 1] = unit_f64(w[2][i], w[3][i]);
    }
}

static void make_normal_f64(double *z, uint32_t w[4][BLOCKS])
{
    VN_INDEPENDENT
    for (int i = 0; i < BLOCKS; i++) normal_pair_f64(w[0][i], w[1][i], w[2][i], w[3][i], &z[2 * i], &z[2 * i + 1]);
}

/* Elements start .. start+n; full groups of blocks are written directly to z, the rest through a buffer. */
#define FILL(name, T, per_block)                                                      \
    static void name(void *to, const uint64_t key[2], int64_t start, int64_t n)       \
    {                                                                                 \
        enum { GROUP = BLOCKS * (per_block) };                                        \
        T *z = to;                                                                    \
        uint32_t w[4][BLOCKS];                                                        \
        while (n > 0) {                                                               \
            philox(w, key, (uint64_t)start / (per_block));                            \
            const int64_t skip = start % (per_block), run = vn__min(n, GROUP - skip); \
            if (run == GROUP) {                                                       \
                make_##name(z, w);                                                    \
            } else {                                                                  \
                T some[GROUP];                                                        \
                make_##name(some, w);                                                 \
                memcpy(z, some + skip, (size_t)run * sizeof(T));                      \
            }                                                                         \
            z += run;                                                                 \
            start += run;                                                             \
            n -= run;                                                                 \
        }                                                                             \
    }
FILL(uniform_f32, float, 4)
FILL(normal_f32, float, 4)
FILL(uniform_f64, double, 2)
FILL(normal_f64, double, 2)

/* The largest value below x, which is not nan. */
static inline float below_f32(float x)
{
    const uint32_t u = bits_f32(x);
    return from_bits_f32((u & UINT32_C(0x7FFFFFFF)) == 0 ? UINT32_C(0x80000001) : u >> 31 != 0 ? u + 1 : u - 1);
}
static inline double below_f64(double x)
{
    const uint64_t u = bits_f64(x);
    return from_bits_f64((u & UINT64_C(0x7FFFFFFFFFFFFFFF)) == 0 ? UINT64_C(0x8000000000000001) : u >> 63 != 0 ? u + 1 : u - 1);
}

#define SCALES(tag, T)                                                                       \
    static inline T limit_##tag(T z, T a, T b)                                               \
    {                                                                                        \
        return ((z >= b) & (b > a)) ? below_##tag(b) : z;                                    \
    }                                                                                        \
    static void between_##tag(T *z, const T *a, const T *b, int a_one, int b_one, int64_t n) \
    {                                                                                        \
        const T low = *a, range = *b - *a, high = *b;                                        \
        if (a_one && b_one) VN_INDEPENDENT                                                   \
        for (int64_t i = 0; i < n; i++) z[i] = limit_##tag(low + range * z[i], low, high);   \
        else for (int64_t i = 0; i < n; i++)                                                 \
        {                                                                                    \
            const T p = a[a_one ? 0 : i], q = b[b_one ? 0 : i];                              \
            z[i] = limit_##tag(p + (q - p) * z[i], p, q);                                    \
        }                                                                                    \
    }                                                                                        \
    static void scaled_##tag(T *z, const T *a, const T *b, int a_one, int b_one, int64_t n)  \
    {                                                                                        \
        const T mean = *a, deviation = *b;                                                   \
        if (a_one && b_one) VN_INDEPENDENT                                                   \
        for (int64_t i = 0; i < n; i++) z[i] = mean + deviation * z[i];                      \
        else for (int64_t i = 0; i < n; i++) z[i] = a[a_one ? 0 : i] + b[b_one ? 0 : i] * z[i]; }
SCALES(f32, float)
SCALES(f64, double)

const vn__random_table VN_TABLE(random) = {uniform_f32, uniform_f64, normal_f32, normal_f64,
                                           between_f32, between_f64, scaled_f32, scaled_f64};
