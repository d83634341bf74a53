/* SPDX-License-Identifier: Apache-2.0 */
/* index_long.c: blocks and positions of arrays large enough for the paths that copy many elements at once: read, written, added, along the
 * first, middle and last axes, against plain loops. */
/* ctest: engines */
#include "check.h"

enum { A = 9, B = 16, C = 11, D = 13, N = A * B * C * D };
static float x[N], y[N];

typedef struct {
    int start[4], size[4];
} block;

static const block blocks[] = {
    {{0, 0, 0, 2}, {A, B, C, 7}},  {{0, 5, 0, 0}, {A, 11, C, D}},  {{0, 0, 1, 0}, {A, B, 10, D}},
    {{3, 0, 0, 0}, {4, B, C, D}},  {{0, 1, 0, 3}, {A, 15, C, 10}}, {{1, 2, 3, 4}, {8, 13, 7, 9}},
    {{0, 0, 0, 12}, {A, B, C, 1}}, {{8, 0, 0, 0}, {1, B, C, D}},   {{-4, 99, 0, 50}, {5, 9, C, 11}}, /* is moved inside */
};

static int clamped(int start, int n, int size)
{
    return start < 0 ? 0 : start > n - size ? n - size : start;
}

/* The number of an element of the block, or -1: element k of the whole is outside. */
static int in_block(const block *b, int k)
{
    static const int dims[] = {A, B, C, D};
    int at[4], number = 0;
    for (int a = 3; a >= 0; k /= dims[a--]) at[a] = k % dims[a];
    for (int a = 0; a < 4; a++) {
        const int place = at[a] - clamped(b->start[a], dims[a], b->size[a]);
        if (place < 0 || place >= b->size[a]) return -1;
        number = number * b->size[a] + place;
    }
    return number;
}

TEST(read_and_written)
{
    for (int k = 0; k < N; k++) x[k] = (float)(k % 8191), y[k] = (float)(-k - 1);
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++) {
        VN_SCOPE;
        const block *b = &blocks[n];
        const vn_shape whole = VN_SHAPE(A, B, C, D), part = VN_SHAPE(b->size[0], b->size[1], b->size[2], b->size[3]);
        const int64_t first[] = {b->start[0], b->start[1], b->start[2], b->start[3]};
        vn_array *a = vn_from_host(x, VN_F32, whole), *c = vn_from_host(y, VN_F32, part), *start = vn_from_host(first, VN_I64, VN_SHAPE(4));
        const float *cut = vn_data(vn_slice(a, start, part)), *put = vn_data(vn_slice_set(a, c, start)),
                    *alone = vn_data(vn_slice_set(vn_zeros_like(a), c, start));
        int wrong = 0;
        CHECK(cut && put && alone);
        for (int k = 0; k < N && cut && put && alone; k++) {
            const int at = in_block(b, k);
            wrong += put[k] != (at < 0 ? x[k] : y[at]) || alone[k] != (at < 0 ? 0 : y[at]) || (at >= 0 && cut[at] != x[k]);
        }
        CHECK(wrong == 0);
    }
}

/* Positions along an axis of n elements with `outer` before and `inner` behind it; some are out of range. */
static void at_positions(int outer, int n, int inner, int count)
{
    static int64_t index[N];
    static float set[N], sum[N];
    VN_SCOPE;
    const int all = outer * n * inner, axis = 1;
    for (int k = 0; k < count; k++) index[k] = (int64_t)k * 7919 % (2 * n + 3) - n - 1;
    memcpy(set, x, sizeof set), memcpy(sum, x, sizeof sum);
    vn_array *a = vn_from_host(x, VN_F32, VN_SHAPE(outer, n, inner)), *at = vn_from_host(index, VN_I64, VN_SHAPE(count)),
             *c = vn_from_host(y, VN_F32, VN_SHAPE(outer, count, inner));
    const float *taken = vn_data(vn_take(a, at, axis)), *is_set = vn_data(vn_index_set(a, at, c, axis)),
                *added = vn_data(vn_index_add(a, at, c, axis));
    int wrong = 0;
    CHECK(taken && is_set && added);
    for (int k = 0; k < outer * count * inner && taken; k++) {
        const int o = k / (count * inner), i = k % inner;
        const int64_t j = index[k / inner % count], p = j < 0 ? j + n : j, e = (o * n + p) * inner + i;
        const bool inside = p >= 0 && p < n;
        wrong += inside ? taken[k] != x[e] : !isnan(taken[k]);
        if (inside) set[e] = y[k], sum[e] += y[k];
    }
    for (int k = 0; k < all && is_set && added; k++) wrong += is_set[k] != set[k] || added[k] != sum[k];
    CHECK(wrong == 0);
}

TEST(positions)
{
    for (int k = 0; k < N; k++) x[k] = (float)(k % 509), y[k] = (float)(k % 61); /* sums are exact */
    at_positions(1, 500, 1, 9000);
    at_positions(64, 50, 1, 200);
    at_positions(9, 500, 1, 300);
    at_positions(40, 30, 2, 100);
    at_positions(1, 100, 3, 5000);
    at_positions(5, 20, 40, 70);
    at_positions(1, 18000, 1, 500);
}

TEST_MAIN
