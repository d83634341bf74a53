/* SPDX-License-Identifier: Apache-2.0 */
/* fft.c: Fourier transforms against the sum that defines them, for every length up to 130 and for lengths on both sides of every size at
 * which the native kernel switches algorithms: powers, products of small primes, large primes, one line, more lines than go side by side,
 * and more than a round of workspace; along any axis; real ones forwards and back. Gradients are adjoints. */
/* ctest: engines */
/* ctest: seconds 5 on jax */
/* ctest: sanitize */
#include "check.h"
#include "ops/row.h"

static bool native(void)
{
    return !strcmp(vn_using(), "native");
}

static vn_array *numbers(vn_shape shape, vn_dtype dtype)
{
    if (VN_BIT(dtype) & VN_COMPLEX) {
        const vn_dtype part = dtype == VN_C128 ? VN_F64 : VN_F32;
        return vn_complex(numbers(shape, part), numbers(shape, part));
    }
    return vn_cast(vn_to(vn_random_normal(0, 1, shape), vn_using()), dtype);
}

static const double *elements(vn_array *x)
{
    x = vn_to(x, "native");
    return vn_data(vn_cast(x, VN_C128));
}

/* The roots of unity of order n, in more than double precision. */
static const long double *roots(int64_t n)
{
    static long double *table;
    static int64_t have;
    if (n == have) return table;
    table = realloc(table, (size_t)(2 * n) * sizeof *table);
    have = n;
    for (int64_t k = 0; k < n; k++) {
        const long double angle = 2 * acosl(-1) * (long double)k / (long double)n;
        table[2 * k] = cosl(angle), table[2 * k + 1] = sinl(angle);
    }
    return table;
}

/* Element k of the transform of a row. */
static void sum_at(const double *x, int64_t n, int64_t k, int sign, double *re, double *im)
{
    long double sum_re = 0, sum_im = 0;
    const long double *w = roots(n);
    for (int64_t j = 0; j < n; j++) {
        const long double c = w[2 * (j * k % n)], s = sign * w[2 * (j * k % n) + 1];
        sum_re += x[2 * j] * c - x[2 * j + 1] * s;
        sum_im += x[2 * j] * s + x[2 * j + 1] * c;
    }
    *re = (double)sum_re;
    *im = (double)sum_im;
}

/* Rounding errors of a transform grow with its logarithm; the convolutions that large primes take have three. */
static double tolerance(vn_dtype dtype, int64_t n)
{
    const bool wide = dtype == VN_C128 || dtype == VN_F64;
    return 3 * (wide ? 0x1p-52 : 0x1p-23) * (log2((double)n) + 2) * sqrt((double)n);
}

/* z: rows of m elements; x: rows of n. Compares `count` elements of each of the first and the last row. */
static bool is_transform(vn_array *z, vn_array *x, int64_t m, int sign, int64_t count)
{
    const int64_t n = vn_dim(x, 1), rows = vn_dim(x, 0);
    const double *zs = elements(z), *xs = elements(x);
    if (!zs || !xs || vn_dim(z, 1) != m) return false;
    for (int64_t r = 0; r<rows; r += rows> 1 ? rows - 1 : 1)
        for (int64_t c = 0; c < count; c++) {
            const int64_t k = count >= m ? c % m : c * (m - 1) / (count - 1);
            double re, im;
            sum_at(xs + 2 * r * n, n, k, sign, &re, &im);
            const double d = hypot(zs[2 * (r * m + k)] - re, zs[2 * (r * m + k) + 1] - im);
            if (d <= tolerance(vn_dtype_of(x), n)) continue;
            fprintf(stderr, "n %lld, row %lld, element %lld: off by %g\n", (long long)n, (long long)r, (long long)k, d);
            return false;
        }
    return true;
}

static bool same(vn_array *x, vn_array *y, double most)
{
    const int64_t n = vn_size(x);
    const double *xs = elements(x), *ys = elements(y);
    if (!xs || !ys || n != vn_size(y)) return false;
    for (int64_t k = 0; k < 2 * n; k++)
        if (!(fabs(xs[k] - ys[k]) <= most)) {
            fprintf(stderr, "element %lld: %g, %g expected\n", (long long)k / 2, xs[k], ys[k]);
            return false;
        }
    return true;
}

static void check_length(int64_t rows, int64_t n, vn_dtype dtype, int64_t count)
{
    VN_SCOPE;
    const bool wide = dtype == VN_C128;
    const double most = tolerance(dtype, n);
    vn_array *x = numbers(VN_SHAPE(rows, n), dtype), *r = numbers(VN_SHAPE(rows, n), wide ? VN_F64 : VN_F32);
    vn_array *z[] = {x, r, vn_fft(x, -1, NULL), vn_ifft(x, -1, VN_OPTS(fft, .norm = "forward")), vn_rfft(r, -1, NULL), NULL, NULL};
    z[5] = vn_ifft(z[2], 1, NULL);
    z[6] = vn_irfft(z[4], 1, VN_OPTS(irfft, .n = n));
    CHECK(!vn_eval(7, z));
    CHECK(is_transform(z[2], x, n, -1, count));
    CHECK(is_transform(z[3], x, n, 1, count));
    CHECK(is_transform(z[4], r, n / 2 + 1, -1, count));
    CHECK(same(z[5], x, most) && same(z[6], r, most));
}

TEST(short_lengths)
{
    static const int64_t few[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 31, 35, 37, 64, 101, 130};
    for (int64_t k = 1; k <= 130; k++) {
        const int64_t n = native() ? k : k <= 15 ? few[k - 1] : 0;
        if (n) check_length(k % 7 == 0 ? 21 : 3, n, k % 2 || native() ? VN_C128 : VN_C64, n);
        if (native()) check_length(1, n, VN_C64, n);
    }
}

/* 4096 is the longest line that is transformed at once; 4099 and 10007 are primes, 8198 twice one; the workspace of 300 lines of 1009
 * elements takes two rounds. */
TEST(long_lengths)
{
    static const struct {
        int64_t rows, n;
    } all[] = {{1, 4096},   {1, 4097},  {3, 4099},  {2, 4100},  {17, 5000}, {1, 8192},    {1, 8198},
               {300, 1009}, {1, 10007}, {20, 2187}, {1, 30030}, {5, 6561},  {1, 1 << 18}, {1, 100003}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (!native() && k % 4) continue;
        check_length(all[k].rows, all[k].n, VN_C64, 12);
        if (native()) check_length(all[k].rows, all[k].n, VN_C128, 12);
    }
}

/* Any axis gives what the last one does, also where fewer or more lines stand next to each other than are transformed side by side. */
TEST(axes)
{
    static const int64_t shapes[][3] = {{3, 12, 5}, {2, 45, 40}, {2, 4099, 3}, {2, 5000, 2}, {3, 7, 1}, {300, 37, 2}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        VN_SCOPE;
        if (!native() && k > 1) break;
        const int64_t *d = shapes[k];
        vn_array *x = numbers(VN_SHAPE(d[0], d[1], d[2]), VN_C128);
        vn_array *rows = vn_permute_dims(x, VN_AXES(0, 2, 1)), *z[] = {x, vn_fft(x, 1, NULL), vn_fft(rows, 2, NULL)};
        vn_array *r = vn_real(x), *h[] = {vn_rfft(r, 1, NULL), vn_rfft(vn_permute_dims(r, VN_AXES(0, 2, 1)), 2, NULL)};
        CHECK(!vn_eval(3, z) && !vn_eval(2, h));
        CHECK(same(z[1], vn_permute_dims(z[2], VN_AXES(0, 2, 1)), tolerance(VN_C128, d[1])));
        CHECK(same(h[0], vn_permute_dims(h[1], VN_AXES(0, 2, 1)), tolerance(VN_C128, d[1])));
        vn_array *all = vn_fftn(x, VN_AXES(0, 2, 1), NULL), *one = vn_fft(vn_fft(z[1], 0, NULL), 2, NULL);
        CHECK(same(all, one, tolerance(VN_C128, d[0] * d[1] * d[2])));
        CHECK(same(vn_irfftn(vn_rfftn(r, VN_ALL, NULL), VN_ALL, VN_OPTS(irfftn, .s = VN_LIST(d[0], d[1], d[2]))), r, 1e-9));
    }
}

/* <y, F x> = <F* y, x>, with the real inner product. */
static vn_array *inner(vn_array *x, vn_array *y)
{
    vn_array *z = vn_rfft(x, -1, NULL);
    return vn_sum(vn_real(vn_mul(vn_conj(y), z)), VN_ALL);
}

TEST(adjoints)
{
    for (int64_t n = 1; n <= (native() ? 40 : 6); n++) {
        VN_SCOPE;
        vn_array *x = vn_variable(numbers(VN_SHAPE(2, n), VN_F64)), *y = numbers(VN_SHAPE(2, n / 2 + 1), VN_C128);
        vn_array *g = vn_grad(inner(x, y), x);
        double sum = 0;
        const double *gs = elements(g), *xs = elements(x);
        CHECK(gs && xs);
        for (int64_t k = 0; gs && xs && k < 2 * n; k++) sum += gs[2 * k] * xs[2 * k];
        CHECK(near(sum, vn_item(vn_to(inner(x, y), "native")), 1e-9) || fabs(sum) < 1e-12);
    }
}

TEST_MAIN
