/* SPDX-License-Identifier: Apache-2.0 */
/* most_axes.c: results with more axes than an array can have are refused, and what has exactly as many works. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

/* Sizes 1, n of them; the last one is `last`. */
static vn_shape ones_shape(int n, int64_t last)
{
    vn_shape s = {.rank = n};
    for (int k = 0; k < n; k++) s.dim[k] = k + 1 == n ? last : 1;
    return s;
}

static vn_array *of_rank(int n, int64_t last)
{
    return vn_ones(ones_shape(n, last), VN_F32);
}

static vn_array *index_of_rank(int n)
{
    return vn_zeros(ones_shape(n, 1), VN_I64);
}

enum { MOST = VN_MAX_RANK };
#define TOO_MANY(call, text) CHECK_FAILS(call, VN_E_SHAPE, text)

TEST(one_axis_more)
{
    vn_array *x = of_rank(MOST, 3);
    CHECK(vn_rank(x) == MOST && vn_item(vn_sum(x, VN_ALL)) == 3);
    CHECK(vn_rank(vn_expand_dims(of_rank(MOST - 1, 3), 0)) == MOST);
    TOO_MANY(vn_view_as_real(vn_cast(x, VN_C64)), "view_as_real: rank above 32");
    TOO_MANY(vn_skew_symmetric(x), "skew_symmetric: rank above 32");
    TOO_MANY(vn_one_hot_fill(index_of_rank(MOST), 2, 1, 0, VN_F32), "one_hot_fill: index has rank 32 already");
    TOO_MANY(vn_sinusoidal_encoding(x, 4, NULL), "sinusoidal_encoding: x has rank 32, 31 is the most");
    TOO_MANY(vn_category_encoding(index_of_rank(MOST), VN_NONE, 2, VN_F32, VN_OPTS(category_encoding, .mode = "one_hot")),
             "category_encoding: rank above 32");
    TOO_MANY(vn_unravel_index(index_of_rank(MOST), VN_SHAPE(2, 2)), "unravel_index: rank above 32");
    TOO_MANY(vn_indices(ones_shape(MOST, 1), NULL), "indices: rank above 32");
    TOO_MANY(vn_random_fold(vn_random_key_of(1), index_of_rank(MOST)), "random_fold: data has rank 32 already");
    TOO_MANY(
        vn_multivariate_normal(vn_random_key_of(1), vn_zeros(VN_SHAPE(2), VN_F32), vn_eye(2, 2, 0, VN_F32), ones_shape(MOST, 1), VN_F32),
        "multivariate_normal: rank above 32");
    TOO_MANY(vn_sliding_window_view(x, VN_SHAPE(2), VN_AXES(-1), NULL), "3 has no room for 1 axes more");
}

TEST(axes_of_two)
{
    vn_array *x = of_rank(20, 2), *y = of_rank(18, 2), *q = vn_full(vn_scalar(.5), ones_shape(20, 1), VN_F32);
    TOO_MANY(vn_tensordot(x, y, VN_AXES(0), VN_AXES(0)), "tensordot");
    TOO_MANY(vn_batch_dot(x, y, -1, -1, NULL), "batch_dot: rank above 32");
    TOO_MANY(vn_quantile(x, q, VN_AXES(-1), NULL), "quantile");
    TOO_MANY(vn_general_inner_product(of_rank(20, 1), y, VN_OPTS(general_inner_product, .modes = 1)),
             "general_inner_product: rank above 32");
    TOO_MANY(vn_gather_matmul(of_rank(3, 2), vn_ones(VN_SHAPE(1, 2, 2), VN_F32), index_of_rank(MOST), VN_NONE),
             "gather_matmul: rank above 32");
    TOO_MANY(vn_additive_attention(of_rank(MOST, 2), of_rank(MOST, 2), of_rank(MOST, 2), VN_NONE, VN_NONE), "has too many axes");
    TOO_MANY(vn_reduce_window(x, ones_shape(20, 1), NULL), "reduce_window");
}

TEST(patterns)
{
    char many[2 * MOST + 8] = "";
    for (int k = 0; k <= MOST; k++) many[k] = (char)(k < 26 ? 'a' + k : 'A' + k - 26);
    vn_array *x = of_rank(MOST, 2);
    TOO_MANY(vn_einsum(1, &x, many), "einsum: a term has more than 32 letters");
    vn_array *wide[] = {of_rank(17, 1), of_rank(17, 1), of_rank(1, 1)};
    TOO_MANY(vn_einsum(2, wide, "abcdefghijklmnopq,rstuvwxyzABCDEFGH"), "einsum: the result has a rank above 32");
    CHECK(vn_item(vn_sum(vn_einsum(3, wide, "abcdefghijklmnopq,rstuvwxyzABCDEFGH,I->abrs"), VN_ALL)) == 1); /* summed before */
    char axes[8 * MOST] = "";
    for (int k = 0; k <= MOST; k++) snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "a%d ", k);
    snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "-> a0");
    TOO_MANY(vn_rearrange(x, axes, NULL), "rearrange: ");
}

TEST(vectors)
{
    vn_array *x[MOST + 1], *out[MOST + 1];
    for (int k = 0; k <= MOST; k++) x[k] = vn_ones(VN_SHAPE(1), VN_F32);
    CHECK_FAILS(vn_meshgrid_stack(MOST, x), VN_E_ARG, "meshgrid_stack: 32 vectors, at most 31 are possible");
    TOO_MANY(vn_meshgrid(MOST + 1, x, NULL, out), "meshgrid: 33 vectors, at most 32 are allowed");
    CHECK(!vn_meshgrid(3, x, NULL, out) && vn_rank(out[2]) == 3);
}

/* Lists that are longer than any shape, which only vn_call can give. */
static int given(const char *op, vn_array *x, const char *option)
{
    int64_t list[MOST + 1];
    for (int k = 0; k <= MOST; k++) list[k] = 1;
    vn_array *out = NULL;
    return vn_call(op, &x, 1, &(vn_option){.name = option, .kind = VN_OPT_INTS, .n = MOST + 1, .u.is = list}, 1, &out, 1);
}

TEST(long_lists)
{
    vn_array *x = of_rank(1, 1);
    static const char *const lists[][2] = {{"reshape", "shape"}, {"tile", "repetitions"}, {"broadcast_to", "shape"}, {"sum", "axes"}};
    for (int k = 0; k < 4; k++) {
        char text[80];
        snprintf(text, sizeof text, "%s: option %s has 33 items, at most 32 are possible", lists[k][0], lists[k][1]);
        CHECK_FAILS(given(lists[k][0], x, lists[k][1]), VN_E_ARG, text);
    }
    CHECK_FAILS(given("roll", x, "axes"), VN_E_ARG, "roll: ");
}

TEST_MAIN
