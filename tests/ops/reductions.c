/* SPDX-License-Identifier: Apache-2.0 */
/* reductions.c: sum, max, min and running sums in every dtype and layout on both sides of the sizes at which the native engine goes about them in another way, compared with plain loops; the same bits at every level and
 * on 1, 2 and 5 threads. Elements are small whole numbers, so that sums are exact; those of half precision are compared within its digits. */
/* ctest: seconds 2 */
#include "check.h"
#include "isa_levels.h"

#define THRESHOLDS_SHARED
#define THRESHOLDS_FUSED
#include "../../engines/native/thresholds.h"

static const vn_dtype dtypes[] = {VN_I8,  VN_I16, VN_I32,  VN_I64, VN_U8,  VN_U16, VN_U32,
                                  VN_U64, VN_F16, VN_BF16, VN_F32, VN_F64, VN_C64, VN_C128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* (outer, length, inner), reduced over length. */
static const int64_t shapes[][3] = {
    {3, 2, 1},
    {5, 7, 1},
    {5, 8, 1},
    {4, VN_REDUCE_LANES - 1, 1},
    {4, VN_REDUCE_LANES, 1},
    {3, 2 * VN_REDUCE_LANES + 1, 1},
    {300, 17, 1},
    {2, VN_FUSED_BLOCK, 1},
    {2, VN_FUSED_BLOCK + 70, 1},
    {1, ROW_CHUNK, 1},
    {2, ROW_CHUNK + 1, 1},
    {1, 2 * ROW_CHUNK + 9, 1},
    {1, 3, 5},
    {2, 4, 3},
    {3, 9, 70},
    {1, 6, VN_FUSED_BLOCK + 3},
    {2, COLUMN_CHUNK, 3},
    {2, COLUMN_CHUNK + 1, 2},
    {1, 2 * COLUMN_CHUNK + 3, 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, MAX_SIZE = 3 * ROW_CHUNK };

static double numbers[MAX_SIZE];

/* From 0 to 100; the largest and smallest of a row are anywhere. */
static void fill(void)
{
    uint32_t state = 1;
    for (int k = 0; k < MAX_SIZE; k++) {
        state = state * 1664525u + 1013904223u;
        numbers[k] = (state >> 16) % 101;
    }
}

static vn_array *array_of(vn_dtype dtype, const int64_t *s)
{
    vn_array *x = vn_cast(vn_from_host(numbers, VN_F64, VN_SHAPE(s[0], s[1], s[2])), dtype);
    CHECK(vn_eval(1, &x) == VN_OK);
    return x;
}

typedef enum { SUM, MAX, MIN, RUNNING, KINDS } reduction;

static vn_array *reduce(vn_array *x, reduction kind)
{
    const vn_axes over = VN_AXES(1);
    return kind == SUM ? vn_sum(x, over) : kind == MAX ? vn_max(x, over) : kind == MIN ? vn_min(x, over) : vn_cumulative_sum(x, 1, NULL);
}

/* Elements of float16 below 65504 have 11 digits, of bfloat16 8; all others are exact. */
static void compare(vn_array *z, vn_dtype dtype, const int64_t *s, reduction kind)
{
    vn_array *real = VN_BIT(dtype) & VN_COMPLEX ? vn_real(z) : z;
    const double *got = vn_data(vn_cast(real, VN_F64)), digits = dtype == VN_F16 ? 0x1p-11 : dtype == VN_BF16 ? 0x1p-8 : 0;
    bool right = got != NULL;
    for (int64_t o = 0; right && o < s[0]; o++)
        for (int64_t i = 0; i < s[2]; i++) {
            double want = kind == MAX ? -1 : kind == MIN ? 1e9 : 0;
            for (int64_t k = 0; k < s[1]; k++) {
                const double x = numbers[(o * s[1] + k) * s[2] + i];
                want = kind == MAX ? fmax(want, x) : kind == MIN ? fmin(want, x) : want + x;
                if (kind == RUNNING)
                    right = right && (fabs(got[(o * s[1] + k) * s[2] + i] - want) <= digits * want || (dtype == VN_F16 && want >= 65504));
            }
            if (kind != RUNNING) right = right && (fabs(got[o * s[2] + i] - want) <= digits * want || (dtype == VN_F16 && want >= 65504));
        }
    if (!right)
        fprintf(stderr, "%s threads %s: kind %d of %s %lld %lld %lld\n", getenv("VINEA_ISA"), getenv("VINEA_THREADS"), (int)kind,
                vn_dtype_name(dtype), (long long)s[0], (long long)s[1], (long long)s[2]);
    CHECK(right);
}

static uint64_t first[KINDS][DTYPES][SHAPES]; /* hashes of the first setting */

TEST(every_dtype_and_layout)
{
    fill();
    for (int d = 0; d < DTYPES; d++)
        for (int k = 0; k < SHAPES; k++) {
            VN_SCOPE;
            vn_array *x = array_of(dtypes[d], shapes[k]);
            for (reduction kind = SUM; kind < KINDS; kind++) {
                if ((VN_BIT(dtypes[d]) & VN_COMPLEX) && (kind == MAX || kind == MIN)) continue;
                vn_array *z = reduce(x, kind);
                const uint64_t hash = hash_array(VN__HASH, z);
                if (!first[kind][d][k]) compare(z, dtypes[d], shapes[k], kind), first[kind][d][k] = hash;
                else CHECK(hash == first[kind][d][k]);
            }
        }
}

TEST_MAIN_AT_EVERY_LEVEL_ON("1", "2", "5")
