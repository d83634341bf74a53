/* SPDX-License-Identifier: Apache-2.0 */
/* engine_failures.c: failures inside an engine, and known mistakes of its framework. A result too large for any memory is an
 * error with the engine's message, after which the program continues; matrices without a factorisation, NaN among numbers to sort, dilated
 * depthwise convolutions, misaligned memory and half-precision products (the place where an incomplete AMX kills a process) give native's
 * results. From loading to the end, nothing is written to standard output or
 * standard error. */
/* ctest: engines */
/* ctest: part 3 on tensorflow */
/* ctest: seconds 11 on tensorflow */
#include "check.h"
#include "engine/engine.h"
#include <unistd.h>

static const char *engine;

/* ---- capturing the two streams ---- */

static int kept[2], caught = -1;

static void catch_output(void)
{
    FILE *f = tmpfile();
    if (!f) exit(1);
    fflush(stdout);
    caught = fileno(f);
    for (int k = 0; k < 2; k++) {
        kept[k] = dup(k + 1);
        dup2(caught, k + 1);
    }
}

/* Shows on stderr what was caught; returns how many bytes. */
static long release_output(void)
{
    char text[4096];
    fflush(stdout), fflush(stderr);
    for (int k = 0; k < 2; k++) dup2(kept[k], k + 1), close(kept[k]);
    long n = lseek(caught, 0, SEEK_END);
    lseek(caught, 0, SEEK_SET);
    for (ssize_t part; (part = read(caught, text, sizeof text)) > 0;)
        if (write(2, text, (size_t)part) != part) break;
    return n;
}

/* ---- the failures ---- */

static vn_array *sum_of_one(void)
{
    return vn_add(vn_full(vn_scalar(1), VN_SHAPE(3), VN_F32), vn_scalar(2));
}

/* 16 TiB, as an elementwise result, as a product and as a sum. TensorFlow tries again for ten seconds each. */
TEST(too_large)
{
    const int64_t n = INT64_C(1) << 21;
    vn_array *column = vn_ones(VN_SHAPE(n, 1), VN_F32), *row = vn_ones(VN_SHAPE(1, n), VN_F32);
    vn_array *results[] = {vn_add(column, row), vn_matmul(column, row), vn_cumulative_sum(vn_mul(column, row), 0, NULL)};
    for (size_t k = 0; k < 3; k++) {
        if (!in_part(k)) continue;
        CHECK_FAILS(vn_eval(1, &results[k]), VN_E_MEM, engine);
        CHECK(vn_item(vn_sum(sum_of_one(), VN_ALL)) == 9); /* goes on */
    }
    vn_clear();
}

/* The same call on native and on the engine. */
static bool same(vn_array *x, vn_array *native, double tolerance)
{
    vn_array *a = vn_to(vn_cast(x, VN_F64), "native"), *b = vn_cast(native, VN_F64);
    const double *p = vn_data(a), *q = vn_data(b);
    if (!p || !q || vn_size(a) != vn_size(b)) return false;
    for (int64_t i = 0; i < vn_size(a); i++) {
        if (!near(p[i], q[i], tolerance) && !(fabs(p[i] - q[i]) <= tolerance)) return false;
    }
    return true;
}

TEST(bad_matrices)
{
    vn_array *singular = vn_from((float[]){1, 2, 2, 4, 1, 0, 0, 1}, VN_SHAPE(2, 2, 2)), *b = vn_ones(VN_SHAPE(2, 2, 1), VN_F32);
    const float *x = vn_data(vn_solve(singular, b));
    CHECK(x && !isfinite(x[0]) && !isfinite(x[1]) && x[2] == 1 && x[3] == 1); /* the good matrix of the batch is solved */
    CHECK(vn_item(vn_max(vn_abs(vn_det(singular)), VN_ALL)) == 1);
    vn_array *triangles = vn_from((float[]){1, 0, 2, 0, 1, 0, 0, 1}, VN_SHAPE(2, 2, 2));
    x = vn_data(vn_solve_triangular(triangles, b, NULL));
    CHECK(x && x[0] == 1 && !isfinite(x[1]) && x[2] == 1 && x[3] == 1);
    x = vn_data(vn_inv(triangles));
    CHECK(x && !isfinite(x[3]) && x[4] == 1 && x[5] == 0 && x[6] == 0 && x[7] == 1);
    const float *l = vn_data(vn_cholesky(vn_from((float[]){1, 2, 2, 1, 4, 0, 0, 9}, VN_SHAPE(2, 2, 2)), NULL));
    CHECK(l && isnan(l[0]) && isnan(l[3]) && l[4] == 2 && l[7] == 3);
}

TEST(not_a_number)
{
    vn_array *indices, *x = vn_from((float[]){3, NAN, 5, -INFINITY, INFINITY, NAN, 1}, VN_SHAPE(7));
    const float *top = vn_data(vn_topk(x, 4, -1, NULL, &indices));
    const int64_t *at = vn_data(indices);
    CHECK(top && isnan(top[0]) && isnan(top[1]) && top[2] == INFINITY && top[3] == 5);
    CHECK(at && at[0] == 1 && at[1] == 5 && at[2] == 4 && at[3] == 2);
    CHECK(isnan(vn_item(vn_max(x, VN_ALL))) && isnan(vn_item(vn_min(x, VN_ALL))));
}

/* TensorFlow's own gradients of these ignore the dilation. */
static vn_array *filter_loss(vn_array *w, void *x)
{
    vn_array *z = vn_conv(x, w, VN_OPTS(conv, .pads = VN_LIST(2, 2, 2, 2), .dilations = {2, 2}, .groups = 3));
    return vn_sum(vn_mul(z, vn_square(z)), VN_ALL);
}
static vn_array *input_loss(vn_array *x, void *w)
{
    return filter_loss(w, x);
}

TEST(depthwise_dilated)
{
    vn_array *g[2][2];
    for (int k = 0; k < 2; k++) {
        vn_use(k ? engine : "native");
        vn_seed(3);
        vn_array *x = vn_random_normal(0, 1, VN_SHAPE(2, 7, 7, 3)), *w = vn_random_normal(0, .3, VN_SHAPE(3, 3, 1, 3));
        g[k][0] = vn_grad_of(filter_loss, w, x);
        g[k][1] = vn_grad_of(input_loss, x, w);
    }
    CHECK(same(g[1][0], g[0][0], 1e-3) && same(g[1][1], g[0][1], 1e-3));
}

static void released(void *count)
{
    ++*(_Atomic int *)count;
}

TEST(misaligned)
{
    vn_use(engine);
    static const vn_dtype dtypes[] = {VN_BF16, VN_F32, VN_F64, VN_C128};
    _Alignas(64) static char memories[4][64 + 40 * 16];
    static _Atomic int count;
    for (int d = 0; d < 4; d++) {
        VN_SCOPE;
        size_t item = vn_dtype_size(dtypes[d]);
        char *memory = memories[d];
        vn_use("native");
        vn_array *ones = vn_ones(VN_SHAPE(4, 10), dtypes[d]);
        CHECK(vn_read(ones, memory + item, 40 * item) == VN_OK);
        vn_use(engine);
        vn_array *x = vn_wrap(memory + item, dtypes[d], VN_SHAPE(4, 10), released, &count);
        vn_array *z = vn_matmul(x, vn_permute_dims(vn_add(x, x), VN_AXES(1, 0)));
        CHECK(vn_item(vn_real(vn_sum(z, VN_ALL))) == 320);
    }
}

TEST(half_products)
{
    static const vn_dtype dtypes[] = {VN_BF16, VN_F16};
    for (int d = 0; d < 2; d++) {
        vn_array *z[2];
        for (int k = 0; k < 2; k++) {
            vn_use(k ? engine : "native");
            vn_seed(5);
            vn_array *x = vn_cast(vn_random_normal(0, 1, VN_SHAPE(64, 64)), dtypes[d]);
            z[k] = vn_matmul(x, vn_add(x, x));
        }
        CHECK(same(z[1], z[0], 2e-2));
    }
}

/* What the engine interface has room for and no engine does yet: an op with a nested program, and a mode of products that it lacks. No
 * public function makes such programs; the same one without them is accepted. */
TEST(refused_programs)
{
    vn_use(engine);
    const vn__engine *e = vn__engine_find(engine);
    const int64_t dims[] = {2};
    const vn_desc f32 = {.dtype = VN_F32, .rank = 1, .count = 2, .dims = dims}, values[] = {f32, f32};
    const vn_kernel_row *row = e->api.kernels;
    while (row->op && strcmp(row->op, "neg") != 0) row++;
    CHECK(row->op);
    if (!row->op) return;
    const vn_program body = {.size = sizeof body}, *const bodies[] = {&body};
    vn_instr neg = {.op = "neg", .row = row, .in = (int32_t[]){0}, .n_in = 1, .out = 1, .n_out = 1};
    vn_program p = {.size = sizeof p,
                    .n_inputs = 1,
                    .n_instrs = 1,
                    .n_values = 2,
                    .n_outputs = 1,
                    .values = values,
                    .instrs = (const vn_instr *const[]){&neg},
                    .outputs = (int32_t[]){1},
                    .donated = (uint8_t[]){0},
                    .used = (uint8_t[]){1, 1}};
    vn_exe *exe = NULL;
    vn__runs *runs = NULL;
    CHECK(!vn__engine_prepare(e, &p, &exe, &runs) && (exe || runs));
    if (exe) e->api.discard(e->context, exe);
    if (runs) vn__runs_free(runs);
    p.precision = VN_PRECISION_TF32;
    CHECK_FAILS(vn__engine_prepare(e, &p, &exe, &runs), VN_E_UNSUPPORTED, engine);
    p.precision = 77;
    CHECK_FAILS(vn__engine_prepare(e, &p, &exe, &runs), VN_E_UNSUPPORTED, "precision 77");
    p.precision = VN_PRECISION_EXACT;
    neg.n_bodies = 1, neg.bodies = bodies;
    CHECK_FAILS(vn__engine_prepare(e, &p, &exe, &runs), VN_E_UNSUPPORTED, "neg: nested programs");
}

int main(int argc, char **argv)
{
    engine = argc > 1 ? argv[1] : "native";
    catch_output();
    bool there = vn_use(engine) == VN_OK;
    if (there) {
        run_tests();
        CHECK_FAILS(vn_use("nothing"), VN_E_ENGINE, "nothing");
    }
    char why[1024];
    snprintf(why, sizeof why, "%s", vn_message());
    if (!there) vn_clear();
    int code = vn_close();
    check_name = "silence";
    CHECK(release_output() == 0 && !code);
    if (there) return finish();
    fprintf(stderr, "%s\n", why);
    return 77;
}
