/* SPDX-License-Identifier: Apache-2.0 */
/* select_long.c: ops that choose elements, against plain loops: on both sides of the sizes from which engines compute them in another way,
 * among many equal elements, NaN, infinities and both zeros. */
/* ctest: shared */
/* ctest: engines */
/* ctest: full on jax */
#include "check.h"

enum { MAX_SIZE = 300007, ROWS = 7, COLUMNS = 2001 };

static uint32_t random_bits(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* Few different numbers, of which some are special. */
static float odd_number(void)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, -0.F, 0.F};
    const uint32_t r = random_bits() % 40;
    return r < 5 ? special[r] : (float)r - 20;
}

/* ---- where ---- */

/* Chosen bytes of any dtype. x and y are arrays or numbers. */
static void choose(vn_dtype dtype, int n, bool whole_x, bool whole_y)
{
    VN_SCOPE;
    static unsigned char data[2][MAX_SIZE * 8];
    static bool hits[MAX_SIZE];
    const size_t size = vn_dtype_size(dtype);
    for (size_t k = 0; k < (size_t)n * size; k++)
        for (int i = 0; i < 2; i++) data[i][k] = (unsigned char)(random_bits() % (dtype == VN_BOOL ? 2 : 256));
    for (size_t k = 1; k < (size_t)n * size && dtype == VN_BF16; k += 2) /* engines may change the bits of NaN */
        data[0][k] &= 0xBF, data[1][k] &= 0xBF;
    for (int k = 0; k < n; k++) hits[k] = random_bits() % 2;
    vn_array *c = vn_from_host(hits, VN_BOOL, VN_SHAPE(n)), *x = vn_from_host(data[0], dtype, whole_x ? VN_SHAPE(n) : VN_0D),
             *y = vn_from_host(data[1], dtype, whole_y ? VN_SHAPE(n) : VN_0D);
    const unsigned char *z = vn_data(vn_where(c, x, y));
    int wrong = 0;
    for (int k = 0; z && k < n; k++) {
        const size_t from = (hits[k] ? whole_x : whole_y) ? (size_t)k * size : 0;
        wrong += memcmp(z + (size_t)k * size, data[!hits[k]] + from, size) != 0;
    }
    CHECK(z && wrong == 0);
}

TEST(where)
{
    static const int sizes[] = {1, 8191, 8192, 8193, 65537, MAX_SIZE};
    static const vn_dtype dtypes[] = {VN_BOOL, VN_U8, VN_I16, VN_BF16, VN_F32, VN_U32, VN_F64, VN_C64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) choose(dtypes[d], sizes[k], true, true);
        choose(dtypes[d], 10001, true, false);
        choose(dtypes[d], 10001, false, true);
        choose(dtypes[d], 10001, false, false);
    }
}

/* ---- order ---- */

static float x[ROWS][COLUMNS];
static int64_t order[COLUMNS];

/* Is a before b? NaN is the largest. */
static bool before(float a, float b, bool descending)
{
    const bool below = isnan(b) ? !isnan(a) : a < b, above = isnan(a) ? !isnan(b) : a > b;
    return descending ? above : below;
}

/* Positions that sort a row of n, by insertion: equal ones stay in order. */
static void sort_row(const float *row, int n, bool descending)
{
    for (int k = 0; k < n; k++) {
        int at = k;
        while (at > 0 && before(row[k], row[order[at - 1]], descending)) order[at] = order[at - 1], at--;
        order[at] = k;
    }
}

static bool same_bits(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Rows of many equal and special elements, of numbers that are all different, or of both zeros. */
static void fill_rows(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < COLUMNS; k++)
            x[r][k] = r < 3 ? odd_number() : r == 3 ? (k % 3 ? 0.F : -0.F) : (float)((k * 7919) % COLUMNS) - 500.5F;
}

static void sort_and_topk(vn_array *v, bool descending)
{
    static const int ks[] = {1, 10, 400, 1999};
    const float *sorted = vn_data(vn_sort(v, 1, VN_OPTS(sort, .descending = descending)));
    int wrong = 0;
    for (int r = 0; sorted && r < ROWS; r++) {
        sort_row(x[r], COLUMNS, descending);
        for (int k = 0; k < COLUMNS; k++) wrong += !same_bits(sorted[r * COLUMNS + k], x[r][order[k]]);
    }
    CHECK(sorted && wrong == 0);
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        vn_array *indices, *values = vn_topk(v, ks[i], 1, VN_OPTS(topk, .smallest = !descending), &indices);
        const float *z = vn_data(values);
        const int64_t *at = vn_data(indices);
        wrong = !z || !at;
        for (int r = 0; !wrong && r < ROWS; r++) {
            sort_row(x[r], COLUMNS, descending);
            for (int k = 0; k < ks[i]; k++) wrong += at[r * ks[i] + k] != order[k] || !same_bits(z[r * ks[i] + k], x[r][order[k]]);
        }
        CHECK(wrong == 0);
    }
}

TEST(order_of_equal_elements)
{
    VN_SCOPE;
    fill_rows();
    vn_array *v = vn_from(&x[0][0], VN_SHAPE(ROWS, COLUMNS));
    sort_and_topk(v, false);
    sort_and_topk(v, true);
}

/* n: elements of each row that count */
static void medians(int n)
{
    VN_SCOPE;
    vn_array *v = vn_slice_at(vn_from(&x[0][0], VN_SHAPE(ROWS, COLUMNS)), VN_SHAPE(0, 0), VN_SHAPE(ROWS, n));
    const float *z = vn_data(vn_median(v, VN_AXES(1)));
    int wrong = !z;
    for (int r = 0; z && r < ROWS; r++) {
        sort_row(x[r], n, false);
        const float high = x[r][order[n / 2]], low = n % 2 ? high : x[r][order[n / 2 - 1]], last = x[r][order[n - 1]];
        const float want = isnan(last) ? last : n % 2 ? high : .5F * low + .5F * high;
        wrong += !(z[r] == want || (isnan(z[r]) && isnan(want)));
    }
    CHECK(wrong == 0);
}

/* The same for the part q, and the whole of 1. */
static void quantiles(int n, double q)
{
    VN_SCOPE;
    vn_array *v = vn_slice_at(vn_from(&x[0][0], VN_SHAPE(ROWS, COLUMNS)), VN_SHAPE(0, 0), VN_SHAPE(ROWS, n));
    const float *z = vn_data(vn_quantile(v, vn_from_host((double[]){q, 1}, VN_F64, VN_SHAPE(2)), VN_AXES(1), NULL));
    const int low = (int)floor(q * (n - 1));
    const float t = (float)(q * (n - 1) - low);
    int wrong = !z;
    for (int r = 0; z && r < ROWS; r++) {
        sort_row(x[r], n, false);
        const float a = x[r][order[low]], b = x[r][order[low + 1 < n ? low + 1 : low]], last = x[r][order[n - 1]];
        const float want = isnan(last) ? last : t == 0 || a == b ? a : a * (1 - t) + b * t;
        wrong += !(z[r] == want || fabsf(z[r] - want) <= 1e-5F * fabsf(want) || (isnan(z[r]) && isnan(want)));
        wrong += !(z[ROWS + r] == last || (isnan(z[ROWS + r]) && isnan(last)));
    }
    CHECK(wrong == 0);
}

TEST(medians_and_quantiles_of_rows)
{
    fill_rows();
    for (int n = 1; n < 12; n++) medians(n), quantiles(n, .3);
    medians(COLUMNS - 1);
    medians(COLUMNS);
    quantiles(COLUMNS, .25);
    quantiles(COLUMNS, .9);
}

/* ---- segments, counts, sums ---- */

TEST(segments_and_counts)
{
    enum { N = 100003, SEGMENTS = 50 };
    VN_SCOPE;
    static float values[N];
    static int64_t ids[N], counts[SEGMENTS];
    float most[SEGMENTS], least[SEGMENTS];
    for (int s = 0; s < SEGMENTS; s++) most[s] = -INFINITY, least[s] = INFINITY, counts[s] = 0;
    for (int k = 0; k < N; k++) {
        values[k] = k % 1000 == 7 ? NAN : (float)(random_bits() % 100000) - 5e4F;
        ids[k] = (int64_t)(random_bits() % (SEGMENTS + 3)) - 2; /* the last segment is empty */
        if (k % 1000 == 7) ids[k] = 3;
        if (ids[k] < 0 || ids[k] >= SEGMENTS) continue;
        float *a = &most[ids[k]], *b = &least[ids[k]];
        counts[ids[k]]++;
        *a = isnan(values[k]) || values[k] > *a ? values[k] : *a;
        *b = isnan(values[k]) || values[k] < *b ? values[k] : *b;
    }
    vn_array *v = vn_from(values, VN_SHAPE(N)), *id = vn_from_host(ids, VN_I64, VN_SHAPE(N));
    const float *z[] = {vn_data(vn_segment_max(v, id, SEGMENTS)), vn_data(vn_segment_min(v, id, SEGMENTS))};
    const int64_t *n = vn_data(vn_bincount(id, VN_NONE, SEGMENTS, NULL));
    int wrong = !z[0] || !z[1] || !n;
    for (int s = 0; !wrong && s < SEGMENTS; s++)
        wrong += !same_bits(z[0][s], most[s]) || !same_bits(z[1][s], least[s]) || n[s] != counts[s];
    CHECK(wrong == 0);
}

/* NaN is left out; opposite infinities are NaN. */
TEST(sums_without_nan)
{
    enum { N = 70001 };
    VN_SCOPE;
    static float rows[4][N];
    static const float want[] = {N - 2, INFINITY, -INFINITY, NAN};
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < N; k++) rows[r][k] = k == 11 || k == N - 5 ? NAN : 1;
    rows[1][5000] = rows[3][5000] = INFINITY;
    rows[2][60000] = rows[3][60000] = -INFINITY;
    const float *z = vn_data(vn_nansum(vn_from(&rows[0][0], VN_SHAPE(4, N)), VN_AXES(1)));
    for (int r = 0; r < 4 && z; r++) CHECK(z[r] == want[r] || (isnan(z[r]) && isnan(want[r])));
    CHECK(z);
}

/* ---- activations and losses ---- */

TEST(large_elements)
{
    VN_SCOPE;
    static float v[20000];
    for (int k = 0; k < 20000; k++) v[k] = (float)k / 2000 - 5;
    for (int large = 0; large < 2; large++) {
        const float *z = vn_data(vn_hardswish(vn_from(v, VN_SHAPE(20000))));
        int wrong = !z;
        for (int k = 0; z && k < 20000; k++)
            wrong += !(fabsf(z[k] - v[k] * (float)(fmin(fmax(v[k] + 3., 0), 6) / 6)) <= 1e-6F * fmaxf(1, fabsf(v[k])));
        CHECK(wrong == 0);
        v[17] = 3e38F, v[18] = -3e38F;
    }
}

TEST(classes_that_are_none)
{
    enum { N = 5000, CLASSES = 9 };
    VN_SCOPE;
    static float scores[N][CLASSES];
    static int64_t at[N];
    for (int k = 0; k < N; k++) {
        for (int c = 0; c < CLASSES; c++) scores[k][c] = (float)(k % 13 + c);
        at[k] = k == 77 ? CLASSES : k == 78 ? -1 : k % 10 == 3 ? -100 : k % CLASSES;
    }
    /* whose class numbers are not known when the op is recorded */
    vn_array *given = vn_from(&scores[0][0], VN_SHAPE(N, CLASSES)), *index = vn_add(vn_from_host(at, VN_I64, VN_SHAPE(N)), vn_scalar(0));
    const float *each = vn_data(vn_nll_loss(given, index, VN_NONE, -1, VN_OPTS(nll_loss, .reduction = "none")));
    int wrong = !each;
    for (int k = 0; each && k < N; k++) {
        const float want = k == 77 || k == 78 ? NAN : at[k] < 0 ? 0 : -scores[k][at[k]];
        wrong += !(each[k] == want || (isnan(each[k]) && isnan(want)));
    }
    CHECK(wrong == 0);
    CHECK(isnan(vn_item(vn_nll_loss(given, vn_add(index, vn_scalar(0)), VN_NONE, -1, NULL))));
}

TEST_MAIN
