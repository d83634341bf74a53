/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: the product of the factors must be the original matrix, up to rounding, for sizes around the kernels' block sizes, batches,
 * real and complex numbers of both precisions. Values that case lines cannot express are checked here too: singular matrices
 * (their derivatives do not exist) and large ones. */
/* ctest: engines */
/* ctest: part 8 on jax */
/* ctest: seconds 12 on jax */
/* ctest: sanitize */
/* ctest: part 3 on sanitizers */
#include "check.h"
#include "ops/row.h"

static const int64_t sizes[] = {0, 1, 2, 5, 33, 130};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool few; /* other engines take a few shapes: theirs are not our blocks, and some compile for every shape */

/* The array on the native engine, where this test computes what it compares: an engine that compiles would compile every comparison. */
static vn_array *home(vn_array *x)
{
    return vn_to(x, "native");
}

/* The array on the engine that is tested. */
static vn_array *away(vn_array *x)
{
    return vn_to(x, vn_using());
}

static vn_array *matrices(int64_t batch, int64_t m, int64_t n, vn_dtype dtype)
{
    const char *engine = vn_using();
    vn_use("native");
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(batch, m, n));
    x = vn_cast(dtype == VN_C64 || dtype == VN_C128 ? vn_complex(x, vn_random_normal(0, 1, VN_SHAPE(batch, m, n))) : x, dtype);
    vn_use(engine);
    return away(x);
}

/* The adjoint: of complex matrices conjugated too */
static vn_array *transpose(vn_array *x)
{
    return vn__conjugate(vn_permute_dims(x, VN_AXES(0, 2, 1)));
}

static bool is_double(vn_array *x)
{
    return vn_dtype_of(x) == VN_F64 || vn_dtype_of(x) == VN_C128;
}

/* At home. */
static vn_array *identity(int64_t n, vn_dtype dtype)
{
    const char *engine = vn_using();
    vn_use("native");
    vn_array *one = vn_eye(n, n, 0, dtype);
    vn_use(engine);
    return one;
}

static double number(vn_array *x)
{
    return vn_item(vn_cast(home(x), VN_F64));
}

/* The largest distance of two arrays of a shape, compared with the size of y's elements and rounding errors of n sums. */
static bool same(vn_array *x, vn_array *y, int64_t n)
{
    if (!x || !y || vn_size(x) != vn_size(y)) return false;
    if (vn_size(x) == 0) return true;
    x = home(x), y = home(y);
    double unit = is_double(x) ? 0x1p-52 : 0x1p-23, distance = number(vn_max(vn_abs(vn_sub(x, y)), VN_ALL)),
           scale = number(vn_max(vn_abs(y), VN_ALL));
    if (distance <= 20 * unit * (double)(n + 4) * fmax(scale, 1)) return true;
    fprintf(stderr, "distance %g, size %g\n", distance, scale);
    return false;
}

/* True where no element of the matrices outside a triangle differs from 0. */
static bool is_triangle(vn_array *x, bool lower)
{
    if (vn_size(x) == 0) return true;
    x = home(x);
    vn_array *outside = lower ? vn_triu(x, 1) : vn_tril(x, -1);
    return number(vn_sum(vn_not_equal(outside, vn_scalar(0)), VN_ALL)) == 0;
}

static void check_cholesky(int64_t batch, int64_t n, vn_dtype dtype)
{
    vn_array *x = home(matrices(batch, n, n, dtype));
    x = away(vn_add(vn_matmul(x, transpose(x)), vn_mul(identity(n, dtype), vn_scalar((double)n + 1))));
    vn_array *l = vn_cholesky(x, NULL), *u = vn_cholesky(x, VN_OPTS(cholesky, .upper = 1));
    compile_together(3, (vn_array *[]){x, l, u});
    CHECK(same(vn_matmul(home(l), transpose(home(l))), x, n) && is_triangle(l, true));
    CHECK(same(u, transpose(home(l)), 0));
    vn_array *b = matrices(batch, n, 3, dtype), *y = vn_solve_triangular(l, b, NULL);
    vn_array *solved = vn_solve_triangular(vn__conjugate(l), y, VN_OPTS(solve_triangular, .transpose = 1));
    vn_array *by_upper = vn_solve_triangular(vn__conjugate(u), b, VN_OPTS(solve_triangular, .upper = 1, .transpose = 1));
    vn_array *by_transposed = vn_solve_triangular(transpose(u), b, NULL);
    compile_together(4, (vn_array *[]){y, solved, by_upper, by_transposed});
    CHECK(same(vn_matmul(home(l), home(y)), b, n));
    CHECK(same(vn_matmul(home(x), home(solved)), b, n * n));
    CHECK(same(by_upper, y, n) && same(by_transposed, y, n));
}

static void check_qr(int64_t batch, int64_t m, int64_t n, vn_dtype dtype, bool complete)
{
    vn_array *x = matrices(batch, m, n, dtype), *r = NULL, *q = vn_qr(x, VN_OPTS(qr, .complete = complete), &r);
    int64_t k = complete || m < n ? m : n;
    compile_together(3, (vn_array *[]){x, q, r});
    CHECK(q && vn_dim(q, 1) == m && vn_dim(q, 2) == k && vn_dim(r, 1) == k && vn_dim(r, 2) == n);
    q = home(q), r = home(r);
    CHECK(same(vn_matmul(q, r), x, m) && is_triangle(r, false));
    CHECK(same(vn_matmul(transpose(q), q), vn_broadcast_to(identity(k, dtype), VN_SHAPE(batch, k, k)), m));
    int64_t d = k < n ? k : n;
    if (!d || !batch) return;
    vn_array *square = vn_slice_at(r, VN_SHAPE(0, 0, 0), VN_SHAPE(batch, d, d));
    CHECK(number(vn_min(vn_real(vn_mul(square, identity(d, dtype))), VN_ALL)) >= 0);
}

/* Columns of unit length, orthogonal to each other. */
static bool is_orthonormal(vn_array *x)
{
    int64_t k = vn_dim(x, 2);
    x = home(x);
    return same(vn_matmul(transpose(x), x), vn_broadcast_to(identity(k, vn_dtype_of(x)), VN_SHAPE(vn_dim(x, 0), k, k)), vn_dim(x, 1));
}

/* No element of the rows is larger than the one before it (smaller: with sign -1). */
static bool is_descending(vn_array *x, double sign)
{
    int64_t batch = vn_dim(x, 0), n = vn_dim(x, 1);
    if (n < 2 || !batch) return true;
    x = home(x);
    vn_array *step = vn_sub(vn_slice_at(x, VN_SHAPE(0, 0), VN_SHAPE(batch, n - 1)), vn_slice_at(x, VN_SHAPE(0, 1), VN_SHAPE(batch, n - 1)));
    return number(vn_min(vn_mul(step, vn_scalar(sign)), VN_ALL)) >= 0;
}

static void check_eigh(vn_array *x)
{
    vn_array *v = NULL, *w = vn_eigh(x, &v), *alone = vn_eigvalsh(x);
    compile_together(4, (vn_array *[]){x, w, v, alone});
    v = home(v), w = home(w);
    CHECK(same(vn_matmul(vn_mul(v, vn_expand_dims(w, 1)), transpose(v)), x, vn_dim(x, 1)));
    CHECK(is_orthonormal(v) && is_descending(w, -1));
    CHECK(same(alone, w, vn_dim(x, 1)));
}

static void check_svd(vn_array *x)
{
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(x, NULL, &s, &vh), *alone = vn_svdvals(x);
    compile_together(5, (vn_array *[]){x, u, s, vh, alone});
    u = home(u), s = home(s), vh = home(vh);
    CHECK(same(vn_matmul(vn_mul(u, vn_expand_dims(s, 1)), vh), x, vn_dim(x, 1)));
    CHECK(is_orthonormal(u) && is_orthonormal(transpose(vh)) && is_descending(s, 1));
    CHECK(same(alone, s, vn_dim(x, 1)));
}

/* x v = v diag(w), with vectors of length 1. */
static void check_eig(vn_array *x)
{
    vn_array *v = NULL, *w = vn_eig(x, &v), *alone = vn_eigvals(x);
    compile_together(4, (vn_array *[]){x, w, v, alone});
    x = home(x), v = home(v), w = home(w);
    CHECK(same(vn_matmul(vn_cast(x, vn_dtype_of(v)), v), vn_mul(v, vn_expand_dims(w, 1)), 8 * vn_dim(x, 1)));
    vn_array *squares = vn_sum(vn_square(vn_abs(v)), VN_AXES(1));
    CHECK(same(squares, vn_ones_like(squares), vn_dim(x, 1)) && is_descending(vn_real(w), -1));
    CHECK(same(vn_sum(home(alone), VN_AXES(1)), vn_cast(vn_trace(x, 0), vn_dtype_of(w)), 8 * vn_dim(x, 1)));
}

/* The rest is orthogonal to a's columns, and the solution to its null space. */
static void check_lstsq(int64_t m, int64_t n, vn_dtype dtype)
{
    vn_array *a = matrices(3, m, n, dtype), *b = matrices(3, m, 4, dtype), *squares, *rank, *s,
             *x = vn_lstsq(a, b, VN_NONE, &squares, &rank, &s), *inverse = vn_pinv(a, VN_NONE);
    compile_together(6, (vn_array *[]){a, b, x, squares, rank, inverse});
    a = home(a), b = home(b), x = home(x);
    vn_array *rest = vn_sub(b, vn_matmul(a, x)), *none = vn_matmul(transpose(a), rest);
    CHECK(same(none, vn_zeros_like(none), (m + n) * 8));
    CHECK(same(vn_matmul(home(inverse), b), x, (m + n) * 20));
    CHECK(same(vn_sum(vn_square(vn_abs(rest)), VN_AXES(1)), squares, m) && number(vn_min(rank, VN_ALL)) == (double)(m < n ? m : n));
}

/* Square factors: those of the smaller ones, completed. */
static void check_full_svd(vn_array *x)
{
    const int64_t b = vn_dim(x, 0), m = vn_dim(x, 1), n = vn_dim(x, 2), k = m < n ? m : n;
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(x, VN_OPTS(svd, .full_matrices = 1), &s, &vh);
    compile_together(4, (vn_array *[]){x, u, s, vh});
    u = home(u), s = home(s), vh = home(vh);
    CHECK(vn_dim(u, 2) == m && vn_dim(vh, 1) == n && is_orthonormal(u) && is_orthonormal(transpose(vh)));
    vn_array *left = vn_slice_at(u, VN_SHAPE(0, 0, 0), VN_SHAPE(b, m, k)), *right = vn_slice_at(vh, VN_SHAPE(0, 0, 0), VN_SHAPE(b, k, n));
    CHECK(same(vn_matmul(vn_mul(left, vn_expand_dims(s, 1)), right), x, n));
}

TEST(full_svd)
{
    check_full_svd(matrices(2, 5, 3, VN_F64));
    check_full_svd(matrices(2, 3, 5, VN_F32));
    check_full_svd(matrices(1, 4, 4, VN_F32));
    check_full_svd(matrices(1, 40, 33, VN_F64));
    check_full_svd(vn_matmul(matrices(1, 6, 2, VN_F64), matrices(1, 2, 4, VN_F64))); /* of rank 2 */
    check_full_svd(vn_zeros(VN_SHAPE(1, 3, 0), VN_F32));
    vn_array *x = vn_variable(matrices(1, 3, 2, VN_F64)), *s = NULL, *vh = NULL, *u = vn_svd(x, VN_OPTS(svd, .full_matrices = 1), &s, &vh);
    CHECK_FAILS(vn_grad(vn_sum(u, VN_ALL), x), VN_E_UNSUPPORTED, "complete");
    CHECK(number(vn_sum(vn_grad(vn_sum(s, VN_ALL), x), VN_ALL)) != 0);
}

/* The factors of lu_factor, put together: row i is row permutation[i] of x. */
static void check_lu(int64_t batch, int64_t n, vn_dtype dtype)
{
    vn_array *x = away(vn_add(home(matrices(batch, n, n, dtype)), identity(n, dtype))), *b = matrices(batch, n, 70, dtype), *permutation,
             *sign;
    vn_array *lu = vn__lu_factor(x, &permutation, &sign), *mixed = vn_take_along_axis(x, vn_expand_dims(permutation, -1), 1);
    vn_array *u_part = vn_solve_triangular(lu, mixed, VN_OPTS(solve_triangular, .unit = 1)); /* is u */
    vn_array *one = vn_broadcast_to(identity(n, dtype), VN_SHAPE(batch, n, n));
    vn_array *quotient = vn_solve_triangular(lu, u_part, VN_OPTS(solve_triangular, .upper = 1)), *y = vn_solve(x, b), *inverse = vn_inv(x);
    compile_together(n <= 33 ? 6 : 4, (vn_array *[]){x, lu, u_part, quotient, y, inverse});
    u_part = home(u_part);
    CHECK(is_triangle(vn_where(vn_greater(vn_abs(u_part), vn_scalar(1e-3)), u_part, vn_scalar(0)), false) || n > 33);
    CHECK(same(quotient, one, n * n * n));
    if (n <= 33) {
        CHECK(same(vn_matmul(home(x), home(y)), b, n * n * n));
        CHECK(same(vn_matmul(home(x), home(inverse)), one, n * n * n));
    }
}

TEST(test_sizes)
{
    static const int64_t batches[] = {0, 1, 3, 70};
    for (int d = 0; d < 2; d++)
        for (int s = 0; s < SIZES; s++)
            for (int b = 0; b < 4; b++) {
                VN_SCOPE;
                if ((sizes[s] > 33 && batches[b] > 3) || !in_part((size_t)(s + d))) continue;
                if (few && (batches[b] != 3 || (sizes[s] != 0 && sizes[s] != 5 && sizes[s] != 33))) continue;
                vn_dtype dtype = d ? VN_F64 : VN_F32;
                check_cholesky(batches[b], sizes[s], dtype);
                check_lu(batches[b], sizes[s], dtype);
                check_qr(batches[b], sizes[s], sizes[s], dtype, false);
                check_qr(batches[b], sizes[s] + 7, sizes[s], dtype, false);
                check_qr(batches[b], sizes[s] + 7, sizes[s], dtype, true);
                check_qr(batches[b], sizes[s], sizes[s] + 7, dtype, false);
                if (sizes[s] * batches[b] > 200) continue; /* these take long */
                vn_array *x = matrices(batches[b], sizes[s], sizes[s], dtype);
                check_eigh(away(vn_add(home(x), transpose(home(x)))));
                check_svd(x);
                check_svd(matrices(batches[b], sizes[s] + 7, sizes[s], dtype));
                check_svd(matrices(batches[b], sizes[s], sizes[s] + 7, dtype));
            }
}

/* Complex numbers: fewer sizes, on both sides of the blocks. */
TEST(test_complex)
{
    static const int64_t some[] = {1, 9, 33, 130};
    for (int d = few; d < 2; d++)
        for (size_t s = 0; s < sizeof some / sizeof *some; s++) {
            VN_SCOPE;
            const int64_t n = some[s], batch = n > 33 ? 1 : 3;
            const vn_dtype dtype = d ? VN_C128 : VN_C64;
            if ((few && n != 9) || !in_part(s)) continue;
            check_cholesky(batch, n, dtype);
            check_lu(batch, n, dtype);
            check_qr(batch, n, n, dtype, false);
            check_qr(batch, n + 7, n, dtype, true);
            check_qr(batch, n, n + 7, dtype, false);
            if (n > 33 && !d) continue; /* these take long */
            vn_array *x = matrices(batch, n, n, dtype);
            check_eigh(away(vn_add(home(x), transpose(home(x)))));
            check_svd(matrices(batch, n + 7, n, dtype));
            check_svd(matrices(batch, n, n + 7, dtype));
            check_full_svd(matrices(batch, n + 2, n, dtype));
            check_eig(x);
            check_lstsq(n + 5, n, dtype);
        }
}

/* General matrices: defective, with equal or vanishing eigenvalues, graded, of extreme scales, permutations (whose shifts need help). */
TEST(test_eig)
{
    for (int d = few; d < 2; d++) {
        const vn_dtype dtype = d ? VN_F64 : VN_F32;
        for (size_t s = 0; s < SIZES; s++)
            if (sizes[s] && (!few || sizes[s] == 5)) check_eig(matrices(sizes[s] > 33 ? 1 : 3, sizes[s], sizes[s], dtype));
        vn_array *one = vn_broadcast_to(identity(20, dtype), VN_SHAPE(1, 20, 20)), *shift = vn_roll(one, VN_SHAPE(1), VN_AXES(2));
        vn_array *falling = vn_exp(vn_neg(vn_cumulative_sum(vn_ones_like(vn_diagonal(one, 0)), 1, NULL)));
        vn_array *graded = vn_mul(home(matrices(1, 20, 20, dtype)), falling);
        vn_array *of[] = {one,   vn_sub(one, one), vn_triu(vn_add(one, vn_ones_like(one)), 0),
                          shift, graded,           vn_sub(shift, transpose(shift))};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (in_part(k)) check_eig(away(of[k]));
        check_lstsq(9, 4, dtype);
        check_lstsq(4, 9, dtype);
    }
    vn_array *x = vn_from_host((double[]){3e300, 0, 0, 4e300, 0, 3e-300, -3e-300, 0}, VN_F64, VN_SHAPE(2, 2, 2));
    double w[8];
    CHECK(vn_read(vn_eigvals(x), w, sizeof w) == VN_OK);
    CHECK(near(w[0], 3e300, 1e-14) && near(w[2], 4e300, 1e-14) && w[1] == 0 && w[3] == 0);
    CHECK(near(w[5], -3e-300, 1e-14) && near(w[7], 3e-300, 1e-14) && w[4] == w[6]);
}

/* Determinants that are known. */
TEST(test_singular)
{
    vn_array *x = vn_from_host((double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 1, 2, 3, 4, 5, 6}, VN_F64, VN_SHAPE(2, 3, 3)), *log = NULL;
    vn_array *zero = vn_from_host((double[]){1, 2, 2, 4}, VN_F64, VN_SHAPE(2, 2)), *sign = vn_slogdet(zero, &log);
    CHECK(number(vn_det(zero)) == 0 && number(sign) == 0 && number(log) == -INFINITY);
    CHECK(number(vn_max(vn_abs(vn_det(x)), VN_ALL)) < 1e-14);
    CHECK(number(vn_sum(vn_isfinite(vn_inv(zero)), VN_ALL)) == 0);
}

/* Equal and vanishing values: vectors are still orthonormal. */
TEST(test_degenerate)
{
    for (int d = 0; d < 2; d++) {
        vn_dtype dtype = d ? VN_F64 : VN_F32;
        vn_array *one = vn_broadcast_to(identity(20, dtype), VN_SHAPE(1, 20, 20)), *zero = vn_sub(one, one), *all = vn_ones_like(one);
        vn_array *low = vn_matmul(home(matrices(1, 20, 2, dtype)), home(matrices(1, 2, 20, dtype)));
        vn_array *of[] = {one, zero, all, vn_mul(all, vn_scalar(1e-30)), vn_matmul(low, transpose(low)), vn_add(one, all)};
        for (size_t k = 0; k < sizeof of / sizeof *of; k++)
            if (in_part(k + (size_t)d)) check_eigh(away(of[k])), check_svd(away(of[k]));
        check_svd(away(low));
        vn_array *twice = matrices(1, 64, 33, d ? VN_C128 : VN_C64); /* of half rank: rows shrink with every sweep */
        if (!few) check_svd(transpose(vn_concat(2, (vn_array *[]){twice, twice}, 2)));
        check_svd(away(vn_slice_at(low, VN_SHAPE(0, 0, 0), VN_SHAPE(1, 20, 9))));
        vn_array *rank = vn_matrix_rank(away(low), vn_scalar(d ? 1e-10 : 1e-5)), *rank_of_all = vn_matrix_rank(away(all), VN_NONE);
        vn_array *p = vn_pinv(away(low), vn_scalar(d ? 1e-10 : 1e-5));
        compile_together(3, (vn_array *[]){rank, rank_of_all, p});
        p = home(p);
        CHECK(number(rank) == 2 && number(rank_of_all) == 1);
        CHECK(same(vn_matmul(vn_matmul(low, p), low), low, 2000));
    }
    vn_array *x = vn_from_host((double[]){3e300, 0, 0, 4e300, 3e-300, 0, 0, 4e-300}, VN_F64, VN_SHAPE(2, 2, 2));
    double s[4];
    CHECK(vn_read(vn_svdvals(x), s, sizeof s) == VN_OK);
    CHECK(near(s[0], 4e300, 1e-14) && near(s[1], 3e300, 1e-14) && near(s[2], 4e-300, 1e-14) && near(s[3], 3e-300, 1e-14));
}

/* A result by itself is the one that comes with the others: kernels leave out unused results. Values of eigenvalue problems differ by
 * rounding, as other algorithms find them. */
static void check_alone(const char *op, vn_array *x, int n, bool exact)
{
    vn_array *all[3], *alone[3][3];
    CHECK(vn__all_ops.call(op, &x, 1, NULL, 0, all, n) == VN_OK && vn_eval(n, all) == VN_OK);
    for (int k = 0; k < n; k++) {
        CHECK(vn__all_ops.call(op, &x, 1, NULL, 0, alone[k], n) == VN_OK && vn_eval(1, &alone[k][k]) == VN_OK);
        CHECK(exact ? number(vn_all(vn_equal(home(alone[k][k]), home(all[k])), VN_ALL)) == 1 : same(alone[k][k], all[k], vn_dim(x, -1)));
    }
}

TEST(test_results_alone)
{
    for (int d = 0; d < 2; d++) {
        vn_dtype dtype = d ? VN_F64 : VN_F32;
        vn_array *x = matrices(3, 40, 33, dtype), *square = matrices(3, 33, 33, dtype);
        check_alone("qr", x, 2, true);
        check_alone("lu_factor", square, 3, true);
        check_alone("eigh", square, 2, false);
        check_alone("svd", x, 3, false);
    }
    check_alone("qr", matrices(3, 40, 33, VN_C128), 2, true);
    check_alone("lu_factor", matrices(3, 33, 33, VN_C64), 3, true);
}

/* The gradient of values alone needs the vectors all the same, and those of all results add up. */
TEST(test_gradients_of_results)
{
    vn_array *x = vn_variable(matrices(2, 5, 5, VN_F64)), *v = NULL, *w = vn_eigh(x, &v);
    vn_array *both = vn_add(vn_sum(vn_square(w), VN_ALL), vn_sum(vn_sin(v), VN_ALL));
    vn_array *by_values = vn_grad(vn_sum(vn_square(vn_eigvalsh(x)), VN_ALL), x), *by_vectors = vn_grad(vn_sum(vn_sin(v), VN_ALL), x);
    CHECK(same(vn_add(by_values, by_vectors), vn_grad(both, x), 5));
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(x, NULL, &s, &vh), *of[] = {vn_sin(u), vn_square(s), vn_cos(vh)}, *sum = NULL;
    for (int k = 0; k < 3; k++) {
        vn_array *g = vn_grad(vn_sum(of[k], VN_ALL), x);
        sum = sum ? vn_add(sum, g) : g;
    }
    vn_array *all = vn_add(vn_add(vn_sum(of[0], VN_ALL), vn_sum(of[1], VN_ALL)), vn_sum(of[2], VN_ALL));
    CHECK(same(sum, vn_grad(all, x), 100));
    vn_array *r = NULL, *q = vn_qr(x, NULL, &r), *by_q = vn_grad(vn_sum(vn_sin(q), VN_ALL), x),
             *by_r = vn_grad(vn_sum(vn_sin(r), VN_ALL), x);
    CHECK(same(vn_add(by_q, by_r), vn_grad(vn_add(vn_sum(vn_sin(q), VN_ALL), vn_sum(vn_sin(r), VN_ALL)), x), 100));
    vn_array *log = NULL, *sign = vn_slogdet(x, &log); /* piecewise constant */
    CHECK(number(vn_max(vn_abs(vn_grad(vn_sum(sign, VN_ALL), x)), VN_ALL)) == 0);
}

TEST(test_no_gradient)
{
    vn_array *x = vn_variable(matrices(1, 3, 2, VN_F64)), *r = NULL, *q = vn_qr(x, VN_OPTS(qr, .complete = 1), &r);
    CHECK_FAILS(vn_grad(vn_sum(q, VN_ALL), x), VN_E_UNSUPPORTED, "complete");
}

TEST(test_no_order)
{
    CHECK_FAILS(vn_matrix_norm(vn_ones(VN_SHAPE(2, 2), VN_F32), VN_OPTS(matrix_norm, .order = "3")), VN_E_ARG, "order is \"3\"");
}

/* Least squares without negative elements do not depend on the units of a and b: powers of two scale the solution. */
TEST(test_nonnegative_units)
{
    static const double units[][2] = {{0x1p-33, 0x1p-33}, {0x1p-40, 0x1p-60}, {0x1p60, 0x1p-60}, {0x1p40, 0x1p300}};
    static const double numbers[] = {1, 2, 4, -1, 3, .5, 2, 2, -3, 1, 5, 1, 4, 0, 2}, right[] = {3, -1, 7, 5, 1};
    vn_array *a = vn_from_host(numbers, VN_F64, VN_SHAPE(5, 3)), *b = vn_from_host(right, VN_F64, VN_SHAPE(5)), *r;
    vn_array *x = vn_nnls(a, b, NULL, &r);
    CHECK(number(vn_max(x, VN_ALL)) > .5 && number(vn_min(x, VN_ALL)) == 0);
    for (int k = 0; k < 4; k++) {
        const double by = units[k][1] / units[k][0];
        vn_array *z = vn_nnls(vn_mul(a, vn_scalar(units[k][0])), vn_mul(b, vn_scalar(units[k][1])), NULL, &r);
        CHECK(number(vn_max(vn_abs(vn_sub(vn_div(z, vn_scalar(by)), x)), VN_ALL)) < 1e-12);
    }
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    few = argc > 1 && strcmp(argv[1], "native") != 0;
    run_tests();
    return finish();
}
