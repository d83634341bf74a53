/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c: the native engine gives the same bits at every instruction-set level and thread count: every elementwise op of the table, a
 * sum, a running sum, running extremes, softmax and norms, factorisations, Fourier transforms and random numbers, in float32, float64, complex64 and
 * complex128, and random changes of images. (matmul is excluded: the baseline has no fused multiply-add.) Each setting runs in its own process and prints a hash. */
/* ctest: seconds 6 */
#include "augmented.h"
#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

enum { COUNT = 40000 };

static uint64_t hash = VN__HASH;

static void add(vn_array *x)
{
    hash = hash_array(hash, x);
}

static vn_array *numbers(vn_dtype dtype, double scale)
{
    static double data[COUNT];
    if (dtype == VN_C64) return vn_complex(numbers(VN_F32, scale), numbers(VN_F32, .3 - scale));
    if (dtype == VN_C128) return vn_complex(numbers(VN_F64, scale), numbers(VN_F64, .3 - scale));
    for (int k = 0; k < COUNT; k++) data[k] = scale * sin(k * .37) * pow(10, (k % 7) - 3);
    return vn_cast(vn_from_host(data, VN_F64, VN_SHAPE(COUNT)), dtype);
}

/* The payload bits of NaN may differ. */
static vn_array *without_nan(vn_array *x)
{
    return !(VN_BIT(vn_dtype_of(x)) & VN_FLOATS) ? x : vn_where(vn_isnan(x), vn_scalar(7), x);
}

static void add_draws(void)
{
    vn_shape s = VN_SHAPE(COUNT);
    vn_array *weights = vn_random_uniform(0, 1, VN_SHAPE(40, 1000));
    add(vn_random_truncated_normal(-1, 3, s));
    add(vn_random_truncated_normal(32, 33, s));
    add(vn_random_exponential(2, s));
    for (int k = 0; k < 4; k++) add(vn_gamma(vn_random_key(), vn_scalar((double[]){.2, 1, 7, 1e5}[k]), s, VN_F64));
    add(vn_random_beta(.4, 3, s));
    add(vn_random_bernoulli(.3, s));
    for (int k = 0; k < 3; k++) add(vn_random_poisson((double[]){2, 20, 1e6}[k], s));
    add(vn_random_randint(-5, INT64_MAX - 7, s));
    add(vn_random_bits(vn_random_key(), s, VN_U32, NULL));
    add(vn_random_fold(vn_random_key(), vn_random_permutation(100)));
    add(vn_random_split(vn_random_key(), 100));
    add(vn_random_permutation(COUNT));
    for (int k = 0; k < 2; k++) add(vn_random_multinomial(weights, 500, VN_OPTS(multinomial, .no_replace = k)));
    add(vn_random_categorical(weights));
    add(vn_random_shuffle(weights));
}

/* All results of an op, and only the first, since kernels skip unused results. */
static void add_results(const char *op, vn_array *x)
{
    vn_op_info info = {.size = sizeof info};
    vn_array *z[8], *first[8];
    int k = vn__op_find(op);
    CHECK(!vn__op_at(k, &info) && !vn__all_ops.call(op, &x, 1, NULL, 0, z, info.n_outputs) && !vn_eval(info.n_outputs, z));
    for (int r = 0; r < info.n_outputs; r++) add(z[r]);
    CHECK(!vn__all_ops.call(op, &x, 1, NULL, 0, first, info.n_outputs));
    add(first[0]);
}

/* Factorisations of one matrix shared by threads, and of several matrices. */
static void add_factors(vn_array *x)
{
    vn_array *shapes[] = {vn_reshape(x, VN_SHAPE(1, 200, 200)), vn_reshape(x, VN_SHAPE(100, 20, 20))};
    for (int k = 0; k < 2; k++) {
        VN_SCOPE;
        vn_array *a = shapes[k], *tall = vn_slice_at(a, VN_SHAPE(0, 0, 0), VN_SHAPE(vn_dim(a, 0), vn_dim(a, 1), 17));
        vn_array *wide = vn_permute_dims(a, VN_AXES(0, 2, 1));
        add(without_nan(vn_cholesky(vn_exp(vn_neg(vn_abs(vn_sub(a, wide)))), NULL)));
        add(without_nan(vn_solve_triangular(a, wide, VN_OPTS(solve_triangular, .unit = 1))));
        add(without_nan(vn_solve(a, wide)));
        add_results("lu_factor", a);
        add_results("qr", tall);
        add_results("qr", a);
        add_results("eigh", a);
        add_results("svd", tall);
        if (k == 0) continue;
        vn_array *z = vn_complex(a, wide), *tall_z = vn_slice_at(z, VN_SHAPE(0, 0, 0), VN_SHAPE(vn_dim(a, 0), vn_dim(a, 1), 17));
        add_results("lu_factor", z);
        add_results("qr", tall_z);
        add_results("eigh", z);
        add_results("svd", tall_z);
        add_results("eig_unordered", a);
        add_results("eig_unordered", z);
    }
}

/* Rows of many lengths: several at once, one that threads share, and columns, in strips and several rows of them at once. */
static void add_rows(vn_array *x)
{
    static const int64_t shapes[][3] = {{40, 1000, 1}, {1, 40000, 1}, {4000, 10, 1}, {1, 40, 1000}, {4, 1000, 10}};
    for (int k = 0; k < 5; k++) {
        VN_SCOPE;
        vn_array *a = vn_reshape(x, vn__shape(shapes[k], 3)), *ct = vn_cos(a), *z = vn_softmax(a, 1), *log = vn_log_softmax(a, 1);
        add(z);
        add(log);
        add(vn_logsumexp(a, VN_AXES(1)));
        add(vn__softmax_backward(z, ct, 1, 0));
        add(vn__softmax_backward(log, ct, 1, 1));
        if (shapes[k][2] > 1) continue;
        vn_array *rows = vn_reshape(a, VN_SHAPE(shapes[k][0], shapes[k][1])), *w = vn_ones(VN_SHAPE(shapes[k][1]), vn_dtype_of(x));
        vn_axes last = VN_AXES(1);
        ct = vn_cos(rows);
        w = vn_add(w, vn_scalar(.3));
        add(vn__softmax_backward(vn_softmax(rows, 1), ct, 1, 0));
        add(vn__softmax_backward(vn_log_softmax(rows, 1), ct, 1, 1));
        add(vn_layer_norm(rows, w, w, last, 1e-5));
        add(vn_layer_norm(rows, w, VN_NONE, last, 1e-5));
        add(vn_rms_norm(rows, VN_NONE, last, 1e-5));
        add(vn__layer_norm_backward(rows, ct, w, last, 1e-5, 0));
        add(vn__layer_norm_backward(rows, ct, VN_NONE, last, 1e-5, 1));
    }
}

/* Transforms: a line at once, as a matrix and as a convolution; one line that threads share, several, and columns; real ones of even and
 * odd length. */
static void add_transforms(vn_array *x)
{
    static const int64_t shapes[][3] = {{40, 1000, 1}, {1, 40000, 1}, {39, 1009, 1}, {1, 39989, 1}, {4, 100, 97}, {1, 19993, 2}};
    for (int k = 0; k < 6; k++) {
        VN_SCOPE;
        const int64_t *d = shapes[k];
        vn_array *a = vn_reshape(vn_slice_at(x, VN_SHAPE(0), VN_SHAPE(d[0] * d[1] * d[2])), vn__shape(d, 3));
        if (VN_BIT(vn_dtype_of(x)) & VN_COMPLEX) {
            add(vn_fft(a, 1, NULL));
            add(vn_ifft(a, 1, NULL));
        } else {
            vn_array *half = vn_rfft(a, 1, NULL);
            add(half);
            add(vn_irfft(half, 1, VN_OPTS(irfft, .n = d[1])));
        }
    }
}

/* Along an axis, of rows and columns that threads share. */
static void add_running(vn_array *x)
{
    vn_array *a = vn_reshape(vn_slice_at(x, VN_SHAPE(0), VN_SHAPE(36000)), VN_SHAPE(40, 300, 3)), *at = NULL;
    for (int axis = 0; axis < 3; axis++) {
        add(vn_cummax(a, axis, NULL, &at));
        add(at);
        add(vn_cummin(a, axis, VN_OPTS(cummin, .reverse = 1), &at));
        add(at);
        add(vn_logcumsumexp(a, axis, NULL));
    }
    vn_array *p = vn_abs(vn_sin(x));
    add(without_nan(vn_betainc(vn_add(p, vn_scalar(.5)), vn_add(vn_abs(vn_cos(x)), vn_scalar(1)), p)));
}

static int child(void)
{
    vn_op_info op = {.size = sizeof op};
    int ops = 0;
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_C64, VN_C128};
    for (int d = 0; d < 4; d++) {
        vn_array *in[] = {numbers(dtypes[d], 1), numbers(dtypes[d], -.7)};
        bool complex = d >= 2;
        for (int k = 0; k < vn_op_count(); k++) {
            VN_SCOPE;
            vn_op_at(k, &op);
            if ((strcmp(op.kind, "primitive") != 0 && strcmp(op.kind, "fused") != 0) || op.n_options || op.n_inputs > 2 ||
                !strcmp(op.name, "matmul"))
                continue;
            if (op.n_outputs > 1) continue;         /* factorisations, in add_factors */
            if (op.traits & VN_OP_RANDOM) continue; /* not floats; add_draws has them */
            vn_array *z = NULL;
            int code = vn_call(op.name, in, op.n_inputs, NULL, 0, &z, 1);
            if (code) vn_clear();
            if (code == VN_E_SHAPE || (complex && code == VN_E_DTYPE)) continue; /* not elementwise; an op of real numbers */
            if (code == VN_E_DTYPE) {                                            /* bits of integers */
                vn_array *whole[] = {vn_cast(in[0], VN_I32), vn_cast(in[1], VN_I32)};
                code = vn_call(op.name, whole, op.n_inputs, NULL, 0, &z, 1);
            }
            CHECK(code == VN_OK && z != NULL);
            add(without_nan(z));
            ops++;
        }
        for (int order = 0; order < 9 && !complex; order++) add(without_nan(vn_polygamma(in[0], order)));
        add(vn_sum(in[0], VN_ALL));
        add(vn_cumulative_sum(in[0], 0, NULL));
        for (int k = 0; k < 2 && !complex; k++) add(without_nan(vn_gelu(in[0], VN_OPTS(gelu, .approximate = k))));
        if (!complex) add_factors(in[0]), add_rows(in[0]), add_running(in[0]);
        add_transforms(in[0]);
    }
    add(vn_random_uniform(-1, 1, VN_SHAPE(COUNT)));
    add(vn_random_normal(0, 1, VN_SHAPE(COUNT)));
    add_draws();
    for (int k = 0; k < N_AUGMENTING; k++) add(augmented(augmenting[k], VN_SHAPE(5, 48, 37, 3)));
    printf("%016llx %d\n", (unsigned long long)hash, ops);
    vn_close();
    return check_failures != 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return child();
    static const char *const threads[] = {"1", "2", "3"};
    char reference[64] = "", self[4096] = "";
    CHECK(realpath("/proc/self/exe", self) != NULL);
    int settings = 0;
    for (int l = 0; l < ISA_LEVELS; l++) {
        for (int t = 0; t < 3; t++) {
            char command[4400], line[64] = "";
            setenv("VINEA_ISA", isa_levels[l], 1);
            if (vn_use(NULL)) { /* a level this processor or this build does not have */
                CHECK(strstr(vn_message(), isa_levels[l]) && l > 0);
                vn_clear();
                vn_close();
                break;
            }
            vn_close();
            snprintf(command, sizeof command, "VINEA_ISA=%s VINEA_THREADS=%s '%s' child", isa_levels[l], threads[t], self);
            FILE *f = popen(command, "r");
            CHECK(f && fgets(line, sizeof line, f));
            CHECK(f && pclose(f) == 0);
            if (!settings++) memcpy(reference, line, sizeof line);
            check_name = isa_levels[l];
            CHECK(line[0] && !strcmp(line, reference));
        }
    }
    setenv("VINEA_ISA", "", 1); /* as if it were not set */
    CHECK(vn_use("native") == VN_OK);
    vn_close();
    printf("%d settings, hash and ops: %s", settings, reference);
    return finish();
}
