/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: indexing, sorting and selecting on arrays large enough for every thread, against plain loops; what is evaluated at the
 * call and what is not; that arrays in use are never overwritten. Results are compared bit by bit. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

enum { MAX_SIZE = 300000 };
static float numbers[MAX_SIZE], others[MAX_SIZE], want[MAX_SIZE];
static int64_t positions[MAX_SIZE], order[MAX_SIZE];

static uint32_t state = 1;
static uint32_t some(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Many equal ones, both zeros, NaN and infinities among them. */
static vn_array *values(vn_shape shape, int64_t n)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, -0.f, 0.f};
    for (int64_t k = 0; k < n; k++) {
        uint32_t r = some();
        numbers[k] = r % 97 < 5 ? special[r % 97] : (float)(r % 5000) * .25f - 600;
    }
    return vn_from(numbers, shape);
}

static vn_array *indices(vn_shape shape, int64_t n, int64_t size)
{
    for (int64_t k = 0; k < n; k++) positions[k] = (int64_t)(some() % (uint32_t)(2 * size + 20)) - size - 10;
    return vn_from_host(positions, VN_I64, shape);
}

/* -1: out of range */
static int64_t place(int64_t at, int64_t size)
{
    if (at < 0) at += size;
    return at >= 0 && at < size ? at : -1;
}

static bool same(vn_array *x, const void *data, size_t bytes)
{
    const void *got = vn_data(x);
    return got && !memcmp(got, data, bytes);
}

/* ---- sorting ---- */

/* x before y in ascending order */
static bool below(float x, float y)
{
    return isnan(y) ? !isnan(x) : x < y;
}

/* Each position once; in order; equal ones in their own order. Elements are `stride` apart. */
static bool is_order(const float *x, const int64_t *at, int64_t n, int64_t stride, bool descending)
{
    static bool seen[MAX_SIZE];
    memset(seen, 0, sizeof seen);
    for (int64_t k = 0; k < n; k++) {
        int64_t here = at[k * stride];
        if (here < 0 || here >= n || seen[here]) return false;
        seen[here] = true;
        if (!k) continue;
        float before = x[at[(k - 1) * stride] * stride], now = x[here * stride];
        bool wrong = descending ? below(before, now) : below(now, before), equal = !below(before, now) && !below(now, before);
        if (wrong || (equal && here < at[(k - 1) * stride])) return false;
    }
    return true;
}

/* x: (outer, n, inner) sorted along n, in float32 or another dtype that orders the numbers in the same way */
static void sorts(int64_t outer, int64_t n, int64_t inner, vn_dtype dtype)
{
    for (int descending = 0; descending < 2; descending++) {
        VN_SCOPE;
        vn_array *x = values(VN_SHAPE(outer, n, inner), outer * n * inner);
        if (dtype == VN_I64) {
            for (int64_t k = 0; k < outer * n * inner; k++) numbers[k] = isfinite(numbers[k]) ? truncf(numbers[k]) : -7;
            x = vn_from(numbers, VN_SHAPE(outer, n, inner));
        }
        vn_array *at = vn_argsort(vn_cast(x, dtype), 1, VN_OPTS(argsort, .descending = descending)),
                 *sorted = vn_sort(x, 1, VN_OPTS(sort, .descending = descending));
        CHECK(vn_read(at, order, (size_t)(outer * n * inner) * sizeof *order) == VN_OK);
        bool right = true;
        for (int64_t o = 0; o < outer; o++) {
            for (int64_t i = 0; i < inner; i++) {
                int64_t start = o * n * inner + i;
                right &= is_order(numbers + start, order + start, n, inner, descending);
                for (int64_t k = 0; k < n; k++) want[start + k * inner] = numbers[start + order[start + k * inner] * inner];
            }
        }
        CHECK(right);
        CHECK(same(sorted, want, (size_t)(outer * n * inner) * sizeof *want));
    }
}

TEST(sorting)
{
    sorts(1, MAX_SIZE, 1, VN_F32);
    sorts(1, 70000, 1, VN_F64);
    sorts(200, 64, 3, VN_F32);
    sorts(300, 65, 1, VN_F32);
    sorts(30, 65, 5, VN_F64);
    sorts(2, 500, 70, VN_I64);
    sorts(5, 1, 7, VN_F32);
}

TEST(searching)
{
    enum { N = 5000, M = 100000 };
    vn_array *x = vn_sort(values(VN_SHAPE(N), N), 0, NULL);
    CHECK(vn_read(x, others, N * sizeof *others) == VN_OK);
    vn_array *v = values(VN_SHAPE(M), M);
    for (int side = 0; side < 2; side++) {
        CHECK(vn_read(vn_searchsorted(x, v, VN_NONE, VN_OPTS(searchsorted, .right = side)), order, M * sizeof *order) == VN_OK);
        bool right = true;
        for (int k = 0; k < M; k++) {
            int64_t at = order[k];
            right &= at >= 0 && at <= N;
            right &= !at || (side ? !below(numbers[k], others[at - 1]) : below(others[at - 1], numbers[k]));
            right &= at == N || (side ? below(numbers[k], others[at]) : !below(others[at], numbers[k]));
        }
        CHECK(right);
    }
}

/* ---- indexing ---- */

/* x: (outer, n, inner), index: (m) */
static void takes(int64_t outer, int64_t n, int64_t inner, int64_t m)
{
    VN_SCOPE;
    vn_array *x = values(VN_SHAPE(outer, n, inner), outer * n * inner), *index = indices(VN_SHAPE(m), m, n);
    for (int64_t k = 0; k < outer * m * inner; k++) {
        int64_t at = place(positions[k / inner % m], n);
        want[k] = at < 0 ? NAN : numbers[(k / inner / m * n + at) * inner + k % inner];
    }
    CHECK(same(vn_take(x, index, 1), want, (size_t)(outer * m * inner) * sizeof *want));
}

static void puts_at(int64_t outer, int64_t n, int64_t inner, int64_t m, bool add)
{
    VN_SCOPE;
    vn_shape shape = VN_SHAPE(outer, n, inner);
    for (int64_t k = 0; k < outer * n * inner; k++) numbers[k] = (float)some() * .001f;
    for (int64_t k = 0; k < outer * m * inner; k++) others[k] = (float)some() * .001f;
    vn_array *index = indices(VN_SHAPE(m), m, n), *y = vn_from(others, VN_SHAPE(outer, m, inner));
    memcpy(want, numbers, sizeof want);
    for (int64_t k = 0; k < outer * m * inner; k++) {
        int64_t at = place(positions[k / inner % m], n);
        if (at < 0) continue;
        float *to = &want[(k / inner / m * n + at) * inner + k % inner];
        *to = add ? *to + others[k] : others[k];
    }
    size_t bytes = (size_t)(outer * n * inner) * sizeof *want;
    vn_array *x = vn_add(vn_from(numbers, shape), vn_scalar(0)); /* computed, so that its memory may be taken */
    vn_array *z = add ? vn_index_add(x, index, y, 1) : vn_index_set(x, index, y, 1);
    CHECK(same(z, want, bytes));
    CHECK(same(x, numbers, bytes));
    z = vn_neg(vn_neg(vn_from(numbers, shape)));
    CHECK(same(add ? vn_index_add(z, index, y, 1) : vn_index_set(z, index, y, 1), want, bytes));
}

TEST(indexing)
{
    takes(1, 70000, 1, 90000);
    takes(3, 1000, 1, 30000);
    takes(2, 100, 300, 450);
    for (int add = 0; add < 2; add++) {
        puts_at(1, 1000, 1, 90000, add);
        puts_at(1, 500, 300, 900, add);
        puts_at(7, 40, 129, 60, add);
        puts_at(40, 500, 3, 800, add);
    }
}

/* x meets itself as y, and as what is added next. */
TEST(shared_memory)
{
    vn_array *x = vn_add(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), vn_scalar(1)),
             *at = vn_from_host((int64_t[]){3, 2, 1, 0}, VN_I64, VN_SHAPE(4));
    CHECK(same(vn_index_set(x, at, x, 0), (float[]){5, 4, 3, 2}, 16));
    x = vn_add(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), vn_scalar(1));
    CHECK(same(vn_add(vn_index_add(x, at, x, 0), x), (float[]){9, 10, 11, 12}, 16));
}

/* ---- selecting ---- */

TEST(selecting)
{
    enum { N = 60000 };
    vn_array *x = values(VN_SHAPE(300, 200), N), *hit = vn_greater(x, vn_scalar(100));
    int64_t n = 0;
    for (int64_t k = 0; k < N; k++) {
        if (!(numbers[k] > 100)) continue;
        positions[2 * n] = k / 200;
        positions[2 * n + 1] = k % 200;
        want[n++] = numbers[k];
    }
    vn_array *picked = vn_mask(x, hit), *at = vn_nonzero(hit), *sized = vn_nonzero_sized(hit, n, -1);
    CHECK(vn_dim(picked, 0) == n && same(picked, want, (size_t)n * sizeof *want));
    CHECK(vn_dim(at, 0) == n && vn_dim(at, 1) == 2 && same(at, positions, (size_t)(2 * n) * sizeof *positions));
    CHECK(same(sized, positions, (size_t)(2 * n) * sizeof *positions));
}

TEST(distinct)
{
    enum { N = 60000 };
    vn_array *x = values(VN_SHAPE(200, 300), N), *first, *inverse, *counts;
    vn_array *found = vn_unique(x, &first, &inverse, &counts);
    int64_t n = vn_size(found), total = 0;
    const float *v = vn_data(found);
    const int64_t *f = vn_data(first), *i = vn_data(inverse), *c = vn_data(counts);
    bool right = v && f && i && c && vn_rank(inverse) == 2;
    for (int64_t k = 0; right && k < n; k++) {
        right &= (!k || below(v[k - 1], v[k]) || isnan(v[k])) && !memcmp(&numbers[f[k]], &v[k], sizeof *v) && i[f[k]] == k;
        total += c[k];
    }
    for (int64_t k = 0; right && k < N; k++) {
        right &= numbers[k] == v[i[k]] || (isnan(numbers[k]) && isnan(v[i[k]]));
        right &= k >= f[i[k]];
    }
    CHECK(right && total == N);
}

/* Only what decides a size is computed at the call. */
TEST(evaluated)
{
    vn_array *x = vn_add(vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), vn_scalar(1)), *hit = vn_greater(x, vn_scalar(2));
    vn_array *y = vn_mul(vn_from((float[]){4, 5, 6}, VN_SHAPE(3)), vn_scalar(2)), *z = vn_mask(y, hit);
    CHECK(vn_dim(z, 0) == 2 && !vn_is_ready(y) && !vn_is_ready(z));
    vn_array *sized = vn_mask_sized(y, hit, 3, -1), *places = vn_nonzero_sized(hit, 2, -1), *counts, *u = vn_unique_sized(y, 2, 0, &counts);
    CHECK(!vn_is_ready(sized) && !vn_is_ready(places) && !vn_is_ready(u) && !vn_is_ready(counts));
    CHECK(same(z, (float[]){10, 12}, 8) && same(sized, (float[]){10, 12, -1}, 12) && same(u, (float[]){8, 10}, 8));
}

static void refused(const char *op, const vn_array *got)
{
    CHECK(!got && vn_status() == VN_E_MEM && strstr(vn_message(), op) && strstr(vn_message(), "1099511627776 elements"));
    vn_clear();
}

/* More than a machine can hold is refused before an engine is asked: a framework may end the process. */
TEST(too_large_to_look_at)
{
    vn_array *x = vn_broadcast_to(vn_add(vn_from((float[]){1}, VN_SHAPE(1)), vn_scalar(1)), VN_SHAPE(INT64_C(1) << 40));
    vn_array *hit = vn_greater(x, vn_scalar(0));
    refused("unique_values", vn_unique_values(x));
    refused("unique_consecutive", vn_unique_consecutive(x, VN_ALL, NULL, NULL));
    refused("nonzero", vn_nonzero(hit));
    refused("mask", vn_mask(x, hit));
}

TEST_MAIN
