/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: functions of rows give the same bits for many rows at once, where the native engine uses threads or chains
 * kernels, and for a few rows, where it does not. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=4 */
#include "check.h"

static vn_array *numbers(int64_t rows, int64_t length, vn_dtype dtype)
{
    vn_array *x = vn_normal(vn_random_key(), vn_scalar(0), vn_scalar(3), VN_SHAPE(rows, length), VN_F32);
    x = vn_cast(x, dtype);
    vn_eval(1, &x);
    return x;
}

static vn_array *softmax(vn_array *x)
{
    return vn_softmax(x, 1);
}
/* The same in elementary ops, which are chained. */
static vn_array *shares(vn_array *x)
{
    vn_array *e = vn_exp(vn_sub(x, vn_stop_gradient(vn_max(x, VN_KEEP(1)))));
    return vn_div(e, vn_sum(e, VN_KEEP(1)));
}
static vn_array *log_softmax(vn_array *x)
{
    return vn_log_softmax(x, -1);
}
static vn_array *layer_norm(vn_array *x)
{
    return vn_layer_norm(x, VN_NONE, VN_NONE, VN_AXES(1), 1e-5);
}
static vn_array *deviation(vn_array *x)
{
    return vn_std(x, VN_AXES(1), 0);
}
/* Uses a number of each row in rows and beside them, and keeps both. */
static vn_array *mixed(vn_array *x)
{
    vn_array *m = vn_max(x, VN_KEEP(1)), *y = vn_sub(x, m), *s = vn_sum(vn_square(y), VN_KEEP(1));
    return vn_add(vn_mul(y, vn_sqrt(s)), vn_sum(vn_mul(y, s), VN_KEEP(1)));
}
/* Rows that depend on others: must not be chained across the transposition. */
static vn_array *transposed(vn_array *x)
{
    vn_array *y = vn_div(x, vn_add(vn_sum(vn_abs(x), VN_KEEP(1)), vn_scalar(1)));
    return vn_sub(y, vn_mul(vn_sum(y, VN_KEEP(1)), vn_scalar(.5)));
}
static vn_array *gradient(vn_array *(*f)(vn_array *), vn_array *x)
{
    vn_array *v = vn_variable(x), *y = f(v);
    return vn_grad(vn_sum(vn_mul(y, vn_tanh(vn_stop_gradient(y))), VN_ALL), v);
}
static vn_array *softmax_gradient(vn_array *x)
{
    return gradient(softmax, x);
}
static vn_array *shares_gradient(vn_array *x)
{
    return gradient(shares, x);
}
static vn_array *log_softmax_gradient(vn_array *x)
{
    return gradient(log_softmax, x);
}
static vn_array *layer_norm_gradient(vn_array *x)
{
    return gradient(layer_norm, x);
}

static vn_array *(*const functions[])(vn_array *) = {
    softmax,    shares,           log_softmax,     layer_norm,           deviation,          mixed,
    transposed, softmax_gradient, shares_gradient, log_softmax_gradient, layer_norm_gradient};

/* All rows at once against three at a time. */
static void compare(vn_array *(*f)(vn_array *), int64_t rows, int64_t length, vn_dtype dtype)
{
    VN_SCOPE;
    vn_array *x = numbers(rows, length, dtype), *all = f(x);
    const char *got = vn_data(all);
    size_t row = got ? (size_t)(vn_size(all) / rows) * vn_dtype_size(dtype) : 0;
    int wrong = !got;
    for (int64_t r = 0; r + 3 <= rows && !wrong; r += rows / 7 + 1) {
        VN_SCOPE;
        vn_array *part = f(vn_slice_at(x, VN_SHAPE(r, 0), VN_SHAPE(3, length)));
        const void *expected = vn_data(part);
        wrong = !expected || memcmp(got + (size_t)r * row, expected, 3 * row) != 0;
    }
    if (wrong) fprintf(stderr, "rows %lld of %lld, %s\n", (long long)rows, (long long)length, vn_dtype_name(dtype));
    CHECK(!wrong);
}

TEST(same_bits)
{
    static const int64_t lengths[] = {2, 7, 64, 100, 1000, 1024, 1025, 5000, 16384, 20000};
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_F16};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
            for (int d = 0; d < 3; d++) compare(functions[f], 40000 / lengths[l] + 5, lengths[l], dtypes[d]);
        }
    }
}

/* Values of the chain that are asked for are stored, whoever else reads them. */
TEST(parts_are_kept)
{
    vn_array *x = numbers(64, 1000, VN_F32), *m = vn_max(x, VN_KEEP(1)), *e = vn_exp(vn_sub(x, m)), *s = vn_sum(e, VN_KEEP(1)),
             *y = vn_div(e, s);
    vn_array *all[] = {y, s, e, m}, *total = vn_sum(y, VN_ALL);
    CHECK(vn_eval(4, all) == VN_OK);
    CHECK(fabs(vn_item(total) - 64) < 1e-3);
    const float *py = vn_data(y), *ps = vn_data(s), *pe = vn_data(e);
    for (int k = 0; k < 64000; k += 999) CHECK(py[k] == pe[k] / ps[k / 1000]);
    CHECK(strstr(vn_explain(shares(x)), "rows of 1000") != NULL);
    CHECK(strcmp(vn_using(), "native") || strstr(vn_explain(vn_softmax(x, 1)), "    softmax float32") != NULL);
}

/* Fewer rows than threads: the threads share each row. All rows are computed, and to what they are one by one. */
TEST(few_long_rows)
{
    vn_array *x = numbers(3, 100000, VN_F32), *parts[3], *each[3];
    CHECK(vn_unstack(x, 3, 0, parts) == VN_OK);
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 3; k++) {
            vn_array *wide = vn_cast(parts[k], VN_F64), *e = vn_exp(wide), *total = vn_sum(e, VN_ALL);
            each[k] = kind == 0 ? vn_div(e, total) : kind == 1 ? vn_sub(wide, vn_log(total)) : vn_log(total);
        }
        vn_array *y = kind == 0 ? vn_softmax(x, 1) : kind == 1 ? vn_log_softmax(x, 1) : vn_logsumexp(x, VN_AXES(1));
        vn_array *error = vn_div(vn_abs(vn_sub(vn_cast(y, VN_F64), vn_stack(3, each, 0))), vn_abs(vn_stack(3, each, 0)));
        CHECK(vn_item(vn_max(error, VN_ALL)) < 1e-5);
    }
}

/* Reductions over axes that are not the last see rows that lie scattered over the array: of what a chain makes, such a reduction finds only
 * the rows under way. Sums of whole numbers are exact, so one by one and together they must be equal. */
TEST(rows_across_axes)
{
    static const int64_t shapes[][4] = {{8, 16, 32, 32}, {8, 16, 16, 16}, {4, 64, 16, 16}, {2, 4, 128, 128},
                                        {32, 3, 32, 32}, {64, 2, 17, 19}, {3, 5, 60, 60},  {2, 100, 13, 31}};
    static const vn_axes kept[] = {{3, 0, {0, 2, 3}}, {2, 1, {0, 2}}, {2, 0, {1, 3}}, {2, 1, {0, 3}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (size_t a = 0; a < sizeof kept / sizeof *kept; a++) {
            VN_SCOPE;
            const int64_t n = shapes[s][0] * shapes[s][1] * shapes[s][2] * shapes[s][3];
            vn_array *x = vn_cast(vn_remainder(vn_arange(0, (double)n, 1, VN_I32), vn_scalar(7)), VN_F32);
            x = vn_reshape(x, vn__shape(shapes[s], 4));
            vn_eval(1, &x);
            vn_array *square = vn_square(x), *sums[3] = {vn_sum(x, kept[a]), vn_sum(square, kept[a]), vn_max(vn_neg(square), kept[a])};
            CHECK(vn_eval(3, sums) == VN_OK);
            vn_array *each[3] = {vn_sum(x, kept[a]), square, NULL};
            CHECK(vn_eval(2, each) == VN_OK);
            each[1] = vn_sum(square, kept[a]);
            each[2] = vn_neg(square);
            CHECK(vn_eval(3, each) == VN_OK);
            each[2] = vn_max(each[2], kept[a]);
            for (int k = 0; k < 3; k++) CHECK(vn_item(vn_sum(vn_abs(vn_sub(sums[k], each[k])), VN_ALL)) == 0);
        }
    }
}

/* Many sums of one row while the row's memory is given to a result: each element is computed once. */
TEST(many_sums_in_place)
{
    enum { SUMS = 20, ROWS = 3, LENGTH = 5000 };
    vn_array *x, *out[SUMS + 1];
    {
        VN_SCOPE;
        x = vn_keep(vn_add(vn_ones(VN_SHAPE(ROWS, LENGTH), VN_F32), vn_scalar(1)));
        vn_eval(1, &x);
        for (int k = 0; k < SUMS; k++) out[k] = vn_keep(vn_sum(vn_mul(x, vn_scalar(k + 1)), VN_AXES(1)));
        out[SUMS] = vn_keep(vn_square(x));
        vn_drop(x);
    }
    CHECK(vn_eval(SUMS + 1, out) == VN_OK);
    for (int k = 0; k < SUMS; k++) CHECK(vn_item(vn_max(out[k], VN_ALL)) == 2. * LENGTH * (k + 1));
    CHECK(vn_item(vn_max(out[SUMS], VN_ALL)) == 4 && vn_item(vn_min(out[SUMS], VN_ALL)) == 4);
    for (int k = 0; k <= SUMS; k++) vn_drop(out[k]);
}

TEST_MAIN
