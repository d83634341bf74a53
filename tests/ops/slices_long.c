/* SPDX-License-Identifier: Apache-2.0 */
/* slices_long.c: blocks of arrays large enough for the paths that copy many elements at once: read, written, put into zeros, along the
 * first, middle and last axes and several of them, against plain loops. */
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

TEST_MAIN
