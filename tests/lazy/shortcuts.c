/* SPDX-License-Identifier: Apache-2.0 */
/* shortcuts.c: ops that an engine fuses when they are in one program give the same results as one by one. */
/* ctest: faults */
/* ctest: engines */
/* ctest: full on jax */
#include "check.h"
#include "ops/row.h"

/* Elements that differ from each other. */
static vn_array *numbers(vn_shape shape, vn_dtype dtype)
{
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++) n *= shape.dim[i];
    vn_array *x = vn_reshape(vn_arange(0, (double)n, 1, VN_F64), shape);
    return vn_cast(vn_sin(vn_mul(x, vn_scalar(1.7))), dtype);
}

/* Evaluated now, so that a program that uses it does not see its producer. */
static vn_array *ready(vn_array *x)
{
    CHECK(x && vn_eval(1, &x) == VN_OK);
    return x;
}

static int equal(vn_array *x, vn_array *y)
{
    return x && y && vn_item(vn_all(vn_less_equal(vn_cast(vn_abs(vn_sub(x, y)), VN_F64), vn_scalar(1e-5)), VN_ALL)) != 0;
}

static vn_array *transposed(vn_array *x)
{
    return vn_rank(x) == 2 ? vn_permute_dims(x, VN_AXES(1, 0)) : vn_permute_dims(x, VN_AXES(0, 2, 1));
}

/* Products whose operands were transposed once or twice. */
TEST(turned_products)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F16, VN_I32, VN_C64};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        for (int batch = 0; batch < 3; batch++) { /* none, one for both, one that is broadcast */
            vn_array *x = ready(numbers(batch ? VN_SHAPE(2, 5, 3) : VN_SHAPE(5, 3), VN_F64));
            vn_array *y = ready(numbers(batch == 0 ? VN_SHAPE(4, 5) : VN_SHAPE(batch == 1 ? 2 : 1, 4, 5), VN_F64));
            if (dtypes[k] == VN_C64) x = vn_complex(x, vn_cos(x)), y = vn_complex(y, vn_exp(y));
            x = ready(vn_cast(vn_mul(x, vn_scalar(3)), dtypes[k])), y = ready(vn_cast(vn_mul(y, vn_scalar(3)), dtypes[k]));
            vn_array *z = ready(vn_matmul(ready(transposed(x)), ready(transposed(y))));
            CHECK(equal(vn_matmul(transposed(x), transposed(y)), z));
            CHECK(equal(vn_matmul(transposed(transposed(transposed(x))), ready(transposed(y))), z));
            CHECK(equal(vn_matmul(ready(transposed(x)), transposed(transposed(transposed(y)))), z));
            CHECK(equal(transposed(vn_matmul(transposed(transposed(y)), transposed(transposed(x)))), z));
        }
    }
    vn_array *many = ready(numbers(VN_SHAPE(2, 5, 3), VN_F32)), *one = ready(numbers(VN_SHAPE(4, 5), VN_F32));
    CHECK(equal(vn_matmul(transposed(many), transposed(one)), vn_matmul(ready(transposed(many)), ready(transposed(one)))));
}

static vn_array *attended(vn_array *q, vn_array *k, vn_array *v, vn_array **grads)
{
    vn_array *z = vn_attention(q, k, v, VN_NONE, NULL);
    for (int i = 0; i < 3; i++) grads[i] = vn_grad(vn_sum(vn_mul(vn_sin(z), z), VN_ALL), i == 0 ? q : i == 1 ? k : v);
    return z;
}

/* Attention whose features are not contiguous, as after a convolution over channels first. */
TEST(attention_of_views)
{
    for (int which = 1; which < 8; which += 5) { /* q, then k and v */
        VN_SCOPE;
        vn_array *copy[3], *seen[3], *by_copy[3], *by_view[3];
        for (int i = 0; i < 3; i++) {
            vn_array *x = ready(numbers(VN_SHAPE(2, 8, i ? 9 : 7), VN_F32));
            copy[i] = vn_variable(ready(transposed(x)));
            seen[i] = which >> i & 1 ? transposed(vn_variable(x)) : copy[i];
        }
        vn_array *z = attended(copy[0], copy[1], copy[2], by_copy), *y = attended(seen[0], seen[1], seen[2], by_view);
        CHECK(equal(y, ready(z)));
        for (int i = 0; i < 3; i++) CHECK(equal(by_view[i], ready(by_copy[i])));
    }
}

/* The gradient of max_pool goes to the first of the largest elements; NaN is the largest. */
TEST(places_of_maxima)
{
    static const float x[2][7] = {{1, 5, 3, NAN, -INFINITY, -INFINITY, 9}, {5, 5, 4, 3, -INFINITY, -INFINITY, 9}},
                       inf_first[2][2] = {{INFINITY, 1}, {NAN, 2}};
    static const float is[2][7] = {{0, 1, 0, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 0}};
    vn_array *v = vn_variable(vn_from_host(x, VN_F32, VN_SHAPE(1, 2, 7, 1)));
    vn_array *w = vn_variable(vn_from_host(inf_first, VN_F32, VN_SHAPE(1, 2, 2, 1)));
    vn_shape two = VN_LIST(2, 2);
    float got[2][7], of_inf[4];
    vn_array *z = vn_max_pool(v, two, VN_OPTS(max_pool, .strides = {2, 2}));
    CHECK(vn_read(vn_grad(vn_sum(z, VN_ALL), v), got, sizeof got) == VN_OK);
    CHECK(!memcmp(got, is, sizeof got));
    CHECK(vn_read(vn_grad(vn_sum(vn_max_pool(w, two, VN_OPTS(max_pool, .strides = {2, 2})), VN_ALL), w), of_inf, sizeof of_inf) == VN_OK);
    CHECK(of_inf[0] == 0 && of_inf[1] == 0 && of_inf[2] == 1 && of_inf[3] == 0);
}

/* Three places along an axis, and an infinite gradient, which must not reach the others. */
TEST(places_of_three)
{
    static const float x[9] = {2, 7, 7, 1, 1, 0, 3, 4, 5}, is[9] = {0, INFINITY, 0, 1, 0, 0, 0, 0, 2}, by[3] = {INFINITY, 1, 2};
    vn_array *v = vn_variable(vn_from_host(x, VN_F32, VN_SHAPE(1, 9, 1))), *ct = vn_from_host(by, VN_F32, VN_SHAPE(1, 3, 1));
    vn_array *z = vn_max_pool(v, VN_LIST(3), VN_OPTS(max_pool, .strides = {3}));
    float got[9];
    CHECK(vn_read(vn_grad(vn_sum(vn_mul(z, ct), VN_ALL), v), got, sizeof got) == VN_OK);
    CHECK(!memcmp(got, is, sizeof got));
}

/* The backward pass of attention with the results of the forward pass from the same program, from another one, and from elsewhere. */
TEST(attention_both_ways)
{
    vn_array *q = ready(numbers(VN_SHAPE(2, 4, 8), VN_F32)), *k = ready(vn_cos(q)), *v = ready(vn_exp(q)), *ct = ready(vn_add(q, k));
    for (int causal = 0; causal < 2; causal++) {
        vn_array *sums, *out = vn__attention(q, k, v, VN_NONE, VN_OPTS(attention, .scale = 0.5, .causal = causal), &sums), *by[3][3];
        by[0][0] = vn__attention_backward(q, k, v, out, ct, sums, VN_NONE, 0.5, causal, &by[0][1], &by[0][2]);
        CHECK(vn_eval(3, by[0]) == VN_OK);
        vn_array *others[] = {ready(vn_mul(ready(out), vn_ones_like(out))), ready(vn_mul(ready(sums), vn_ones_like(sums)))};
        by[1][0] = vn__attention_backward(q, k, v, out, ct, sums, VN_NONE, 0.5, causal, &by[1][1], &by[1][2]);
        by[2][0] = vn__attention_backward(q, k, v, others[0], ct, others[1], VN_NONE, 0.5, causal, &by[2][1], &by[2][2]);
        for (int i = 0; i < 3; i++) CHECK(equal(by[0][i], by[1][i]) && equal(by[0][i], by[2][i])); /* evaluated one by one */
    }
}

/* The sums by themselves, before and without the result; of masks, and of queries that attend to nothing. */
TEST(sums_of_attention)
{
    vn_array *q = ready(numbers(VN_SHAPE(2, 70, 8), VN_F32)), *k = ready(vn_cos(numbers(VN_SHAPE(2, 600, 8), VN_F32))),
             *v = ready(vn_exp(k));
    vn_array *keep = ready(vn_less(numbers(VN_SHAPE(70, 600), VN_F32), vn_scalar(.5)));
    vn_array *some = ready(vn_logical_and(keep, vn_less(numbers(VN_SHAPE(70, 1), VN_F32), vn_scalar(.2))));
    vn_array *masks[] = {VN_NONE, keep, some};
    for (int m = 0; m < 3; m++) {
        vn_array *sums, *s = vn_matmul(q, vn_matrix_transpose(k));
        if (m) s = vn_where(masks[m], s, vn_scalar(-INFINITY));
        vn_array *out = vn__attention(q, k, v, masks[m], VN_OPTS(attention, .scale = 1), &sums), *want = vn_logsumexp(s, VN_AXES(-1));
        CHECK(equal(vn_where(vn_isinf(sums), vn_scalar(0), sums), vn_where(vn_isinf(want), vn_scalar(0), want)));
        CHECK(vn_item(vn_all(vn_equal(vn_isinf(sums), vn_isinf(want)), VN_ALL)) != 0);
        CHECK(equal(out, vn_attention(q, k, v, masks[m], VN_OPTS(attention, .scale = 1))));
    }
}

/* Elements of a vector, rows of a matrix. */
static vn_array *elements(vn_array *x, int64_t first, int64_t n)
{
    return vn_slice_at(x, VN_SHAPE(first), VN_SHAPE(n));
}

static vn_array *rows(vn_array *x, int64_t first, int64_t n)
{
    return ready(vn_slice_at(x, VN_SHAPE(first, 0), VN_SHAPE(n, vn_dim(x, 1))));
}

/* More scores than an engine may hold at a time: queries in blocks, each contributing to all keys. */
TEST(attention_of_many_queries)
{
    enum { QUERIES = 700, HALF = QUERIES / 2, KEYS = 900, SIZE = 4 };
    vn_array *q = ready(numbers(VN_SHAPE(QUERIES, SIZE), VN_F32)), *k = ready(numbers(VN_SHAPE(KEYS, SIZE), VN_F32)), *v = ready(vn_exp(k));
    vn_array *ct = ready(vn_cos(q)), *mask = ready(vn_less(numbers(VN_SHAPE(QUERIES, KEYS), VN_F32), vn_scalar(.5)));
    for (int masked = 0; masked < 2; masked++) {
        vn_array *sums, *out = vn__attention(q, k, v, masked ? mask : VN_NONE, NULL, &sums), *to_k = vn_scalar(0), *to_v = to_k, *by[3];
        by[0] = vn__attention_backward(q, k, v, out, ct, sums, masked ? mask : VN_NONE, 0, 0, &by[1], &by[2]);
        CHECK(vn_eval(3, by) == VN_OK);
        for (int first = 0; first < QUERIES; first += HALF) {
            vn_array *part = rows(q, first, HALF), *of_mask = masked ? rows(mask, first, HALF) : VN_NONE, *of[3];
            vn_array *of_out = ready(vn__attention(part, k, v, of_mask, NULL, &sums));
            of[0] = vn__attention_backward(part, k, v, of_out, rows(ct, first, HALF), sums, of_mask, 0, 0, &of[1], &of[2]);
            CHECK(vn_eval(3, of) == VN_OK);
            CHECK(equal(rows(out, first, HALF), of_out));
            CHECK(equal(rows(by[0], first, HALF), of[0]));
            to_k = vn_add(to_k, of[1]);
            to_v = vn_add(to_v, of[2]);
        }
        CHECK(equal(by[1], to_k));
        CHECK(equal(by[2], to_v));
    }
}

/* The same with many heads: as each by itself, also where they share their keys. */
TEST(attention_of_many_heads)
{
    enum { HEADS = 3, QUERIES = 300, KEYS = 800, SIZE = 4 };
    for (int shared = 0; shared < 2; shared++) {
        vn_array *q = vn_variable(ready(numbers(VN_SHAPE(HEADS, QUERIES, SIZE), VN_F32)));
        vn_array *k = vn_variable(ready(numbers(VN_SHAPE(shared ? 1 : HEADS, KEYS, SIZE), VN_F32)));
        vn_array *out = vn_attention(q, k, k, VN_NONE, VN_OPTS(attention, .causal = 1)), *to_q = vn_grad(vn_sum(vn_square(out), VN_ALL), q),
                 *both[] = {out, to_q};
        CHECK(vn_eval(2, both) == VN_OK);
        for (int head = 0; head < HEADS; head++) {
            vn_shape of_q = VN_SHAPE(1, QUERIES, SIZE), at = VN_SHAPE(head, 0, 0);
            vn_array *one = vn_variable(ready(vn_slice_at(q, at, of_q)));
            vn_array *keys = ready(vn_slice_at(k, VN_SHAPE(shared ? 0 : head, 0, 0), VN_SHAPE(1, KEYS, SIZE)));
            vn_array *of_one = vn_attention(one, keys, keys, VN_NONE, VN_OPTS(attention, .causal = 1));
            CHECK(equal(vn_slice_at(out, at, of_q), of_one));
            CHECK(equal(vn_slice_at(to_q, at, of_q), vn_grad(vn_sum(vn_square(of_one), VN_ALL), one)));
        }
    }
}

/* Few elements, read before and after an op needs them in another form, and by two programs. */
TEST(few_elements)
{
    static const vn_dtype dtypes[] = {VN_BOOL, VN_U8, VN_I64, VN_F16, VN_F32, VN_F64, VN_C128};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        vn_array *x = ready(vn_cast(vn_from((float[]){1, 0, 3}, VN_SHAPE(3)), dtypes[k])), *again = ready(vn_cast(x, dtypes[k]));
        vn_array *y = ready(dtypes[k] == VN_BOOL ? vn_bitwise_or(x, again) : vn_add(x, again));
        const double twice = dtypes[k] == VN_BOOL ? 1 : 2;
        char before[48], after[48];
        const size_t bytes = 3 * vn_dtype_size(dtypes[k]);
        CHECK(vn_read(y, before, bytes) == VN_OK);
        vn_array *column = ready(vn_reshape(y, VN_SHAPE(3, 1))), *turned_round = ready(vn_flip(y, VN_AXES(0)));
        CHECK(vn_read(column, after, bytes) == VN_OK && !memcmp(before, after, bytes));
        CHECK(vn_read(ready(vn_flip(turned_round, VN_AXES(0))), after, bytes) == VN_OK && !memcmp(before, after, bytes));
        CHECK(vn_read(y, after, bytes) == VN_OK && !memcmp(before, after, bytes));
        CHECK(vn_item(vn_real(vn_cast(elements(y, 0, 1), VN_C128))) == twice);
    }
}

/* A rate that is known joins the factor of all elements; one that is an array cannot. Roots of negative moments are 0, whether
 * or not a gradient is needed. */
TEST(adam_with_any_rate)
{
    vn_array *w = numbers(VN_SHAPE(6), VN_F32), *g = vn_cos(w), *m[3], *v[3], *z[3];
    vn_array *first = vn_sub(g, vn_scalar(.3)), *second = ready(vn_sub(g, vn_scalar(.8))),
             *rate = ready(vn_full(vn_scalar(.1), VN_0D, VN_F32));
    CHECK(vn_item(vn_min(second, VN_ALL)) < 0);
    for (int paper = 0; paper < 2; paper++) {
        z[0] = vn_adam_update(w, g, vn_scalar(.1), first, second, vn_scalar(3), VN_OPTS(adam_update, .epsilon = 1e-3, .paper = paper),
                              &m[0], &v[0]);
        z[1] = vn_adam_update(w, g, rate, first, second, vn_scalar(3), VN_OPTS(adam_update, .epsilon = 1e-3, .paper = paper), &m[1], &v[1]);
        z[2] = vn_adam_update(w, g, rate, first, vn_variable(second), vn_scalar(3),
                              VN_OPTS(adam_update, .epsilon = 1e-3, .paper = paper, .keep_gradients = 1), &m[2], &v[2]);
        for (int k = 1; k < 3; k++) CHECK(equal(vn_div(z[0], z[k]), vn_scalar(1)) && equal(m[0], m[k]) && equal(v[0], v[k]));
    }
}

TEST_MAIN
