/* SPDX-License-Identifier: Apache-2.0 */
/* complex.c: complex arrays: creating, reading, moving and exchanging them, and their gradients, on every engine. */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"

static const float singles[] = {1, 2, -0.5f, 0.25f, 3, -4};
static const double doubles[] = {1, 2, -0.5, 0.25, 3, -4};

static const void *values(vn_dtype dtype)
{
    return dtype == VN_C64 ? (const void *)singles : doubles;
}

static vn_array *three(vn_dtype dtype)
{
    return vn_from_host(values(dtype), dtype, VN_SHAPE(3));
}

static bool same(vn_array *x, const void *want, size_t bytes)
{
    const void *got = vn_data(x);
    return got && (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x)) == bytes && !memcmp(got, want, bytes);
}

static bool is(vn_array *x, double re, double im)
{
    double got[2];
    return vn_item_complex(x, got) == VN_OK && near(got[0], re, 1e-6) && near(got[1], im, 1e-6);
}

static const vn_dtype dtypes[] = {VN_C64, VN_C128};

TEST(made_and_read)
{
    for (int d = 0; d < 2; d++) {
        size_t bytes = 3 * vn_dtype_size(dtypes[d]);
        char copy[48];
        CHECK(same(three(dtypes[d]), values(dtypes[d]), bytes));
        CHECK(vn_read(three(dtypes[d]), copy, bytes) == VN_OK && !memcmp(copy, values(dtypes[d]), bytes));
        CHECK(is(vn_full(vn_scalar(2.5), VN_0D, dtypes[d]), 2.5, 0));
        CHECK(is(vn_sum(vn_ones(VN_SHAPE(5, 3), dtypes[d]), VN_ALL), 15, 0));
        CHECK(is(vn_sum(vn_zeros(VN_SHAPE(5, 3), dtypes[d]), VN_ALL), 0, 0));
        CHECK(is(vn_mul(vn_scalar(2), vn_slice_at(three(dtypes[d]), VN_SHAPE(2), VN_SHAPE(1))), 6, -8));
        CHECK(vn_dtype_of(vn_add(three(dtypes[d]), vn_scalar(.5))) == dtypes[d]);
        CHECK(same(vn_to(three(dtypes[d]), "native"), values(dtypes[d]), bytes));
    }
    CHECK(is(vn_full(vn_scalar(3), VN_0D, VN_I32), 3, 0)); /* real numbers have an imaginary part too */
    CHECK(!strcmp(vn_text(three(VN_C64)), "[ 1. +2.j   -0.5+0.25j  3. -4.j  ]"));
}

TEST(refused)
{
    double out[2] = {0, 0};
    vn_array *one = vn_slice_at(three(VN_C64), VN_SHAPE(0), VN_SHAPE(1));
    CHECK_FAILS(vn_item(one), VN_E_DTYPE, "vn_item_complex");
    CHECK_FAILS(vn_item_int(one), VN_E_DTYPE, "vn_item_complex");
    CHECK_FAILS(vn_item_complex(three(VN_C64), out), VN_E_NOT_SCALAR, "item_complex");
    CHECK(isnan(out[0]) && isnan(out[1]));
    CHECK_FAILS(vn_item_complex(NULL, out), VN_E_NULL, "item_complex");
    CHECK_FAILS(vn_item_complex(one, NULL), VN_E_NULL, "item_complex");
    vn_array *z = vn_variable(three(VN_C64));
    CHECK_FAILS(vn_grad(vn_sum(z, VN_ALL), z), VN_E_DTYPE, "real number");
    CHECK_FAILS(vn_cast(z, VN_F32), VN_E_DTYPE, "vn_real");
}

static int released;
static void release(void *user)
{
    (void)user;
    released++;
}

TEST(exchanged)
{
    for (int d = 0; d < 2; d++) {
        size_t bytes = 3 * vn_dtype_size(dtypes[d]);
        vn_array *x = vn_from_dlpack(vn_to_dlpack(three(dtypes[d])));
        CHECK(vn_dtype_of(x) == dtypes[d] && same(x, values(dtypes[d]), bytes));
        x = vn_from_dlpack_old(vn_to_dlpack_old(three(dtypes[d])));
        CHECK(vn_dtype_of(x) == dtypes[d] && same(x, values(dtypes[d]), bytes));
        vn_scope scope = vn_scope_begin();
        CHECK(same(vn_conj(vn_conj(vn_wrap(values(dtypes[d]), dtypes[d], VN_SHAPE(3), release, NULL))), values(dtypes[d]), bytes));
        vn_scope_end(scope);
    }
}

/* |z - w|^2 falls along its gradient, 2 (z - w), to w. */
TEST(descends)
{
    for (int d = 0; d < 2; d++) {
        vn_array *w = three(dtypes[d]), *z = vn_zeros(VN_SHAPE(3), dtypes[d]);
        for (int step = 0; step < 40; step++) {
            vn_array *v = vn_variable(z), *loss = vn_sum(vn_square(vn_abs(vn_sub(v, w))), VN_ALL);
            z = vn_sub(z, vn_mul(vn_grad(loss, v), vn_scalar(.25)));
            CHECK(vn_dtype_of(z) == dtypes[d]);
        }
        CHECK(vn_item(vn_max(vn_abs(vn_sub(z, w)), VN_ALL)) < 1e-6);
    }
}

/* By a real number that went through complex ones the gradient is real: of |e^(i x)|^2 = 1 it is 0, of Re e^(i x) = cos(x) it is -sin(x).
 */
TEST(real_parameters)
{
    vn_array *x = vn_variable(vn_full(vn_scalar(.7), VN_0D, VN_F32)), *turn = vn_exp(vn_complex(vn_scalar(0), x));
    vn_array *flat = vn_grad(vn_square(vn_abs(turn)), x), *cosine = vn_grad(vn_real(turn), x);
    CHECK(vn_dtype_of(flat) == VN_F32 && fabs(vn_item(flat)) < 1e-6);
    CHECK(vn_dtype_of(cosine) == VN_F32 && near(vn_item(cosine), -sin(.7), 1e-5));
    vn_array *product = vn_grad(vn_imag(vn_mul(x, vn_sum(three(VN_C64), VN_ALL))), x); /* x (3.5 - 1.75 i) */
    CHECK(near(vn_item(product), -1.75, 1e-6));
}

static vn_array *energy(vn_array *z, void *user)
{
    (void)user;
    return vn_sum(vn_square(vn_abs(z)), VN_ALL);
}
static vn_array *square(vn_array *z, void *user)
{
    (void)user;
    return vn_square(z);
}

TEST(of_callbacks)
{
    vn_array *z = three(VN_C128), *w = vn_mul(z, vn_complex(vn_scalar(0), vn_full(vn_scalar(1), VN_0D, VN_F64)));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_grad_of(energy, z, NULL), vn_mul(z, vn_scalar(2)))), VN_ALL)) < 1e-12);
    /* along w the square moves by 2 z w, and its adjoint takes w to 2 conj(z) w */
    vn_array *z_w = vn_mul(vn_mul(z, w), vn_scalar(2)), *conj_w = vn_mul(vn_mul(vn_conj(z), w), vn_scalar(2));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_jvp_of(square, z, w, NULL, NULL), z_w)), VN_ALL)) < 1e-12);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_vjp_of(square, z, w, NULL, NULL), conj_w)), VN_ALL)) < 1e-12);
    CHECK_FAILS(vn_jac_of(square, z, NULL), VN_E_DTYPE, "complex128");
    CHECK_FAILS(vn_hessian_of(energy, z, NULL), VN_E_DTYPE, "complex128");
}

/* Long enough for every path of the kernels, and kept in one program: 16-byte elements beside 1- and 8-byte ones. */
TEST(large)
{
    enum { N = 50000 };
    static double data[2 * N];
    for (int k = 0; k < 2 * N; k++) data[k] = sin(k * .7);
    vn_array *z = vn_from_host(data, VN_C128, VN_SHAPE(N)),
             *rotated = vn_mul(z, vn_complex(vn_scalar(0), vn_full(vn_scalar(1), VN_0D, VN_F64)));
    vn_array *left = vn_where(vn_less(vn_real(z), vn_scalar(0)), vn_neg(z), vn_conj(z));
    vn_array *folded = vn_flip(vn_permute_dims(vn_reshape(left, VN_SHAPE(250, 200)), VN_AXES(1, 0)), VN_AXES(0));
    CHECK(vn_eval(2, (vn_array *const[]){rotated, folded}) == VN_OK);
    const double *t = vn_data(rotated), *f = vn_data(folded);
    int wrong = !t || !f;
    for (int k = 0; k < N && !wrong; k++) {
        int row = k % 200, column = k / 200, at = 2 * ((199 - row) * 250 + column);
        double re = data[2 * k], im = data[2 * k + 1];
        wrong = t[2 * k] != -im || t[2 * k + 1] != re || f[at] != fabs(re) || f[at + 1] != -im;
    }
    CHECK(!wrong);
}

/* Against the definition, for shapes that the engine computes in different ways. */
TEST(products)
{
    static const int64_t shapes[][3] = {{3, 5, 2}, {61, 70, 53}, {1, 300, 40}, {150, 280, 1}, {160, 300, 170}};
    static double x[2 * 160 * 300], y[2 * 300 * 170];
    for (int s = 0; s < 5; s++) {
        VN_SCOPE;
        int64_t m = shapes[s][0], k = shapes[s][1], n = shapes[s][2];
        for (int64_t i = 0; i < 2 * m * k; i++) x[i] = sin((double)i * 1.3);
        for (int64_t i = 0; i < 2 * k * n; i++) y[i] = cos((double)i * .9);
        const double *z = vn_data(vn_matmul(vn_from_host(x, VN_C128, VN_SHAPE(m, k)), vn_from_host(y, VN_C128, VN_SHAPE(k, n))));
        double worst = z ? 0 : INFINITY;
        for (int64_t i = 0; i < m && z; i++) {
            for (int64_t j = 0; j < n; j++) {
                double re = 0, im = 0;
                for (int64_t p = 0; p < k; p++) {
                    const double *a = x + 2 * (i * k + p), *b = y + 2 * (p * n + j);
                    re += a[0] * b[0] - a[1] * b[1];
                    im += a[0] * b[1] + a[1] * b[0];
                }
                worst = fmax(worst, fmax(fabs(z[2 * (i * n + j)] - re), fabs(z[2 * (i * n + j) + 1] - im)));
            }
        }
        CHECK(worst < 1e-12);
    }
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    run_tests();
    int code = finish();
    if (released == 2) return code;
    fprintf(stderr, "wrapped memory was released %d times, not twice\n", released);
    return 1;
}
