/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_precision.c: the precision of float32 products: the setting, what it is part of, and how far results may be off in each mode. */
/* ctest: engines */
/* ctest: part 3 on numpy */
/* ctest: sanitize */
/* ctest: seconds 1 */
/* ctest: seconds 8 on jax */
#include "check.h"
#include <pthread.h>

static const char *engine;

/* How far a product of two numbers may be off in each mode, as vinea.h says. */
static const struct {
    const char *name;
    double error;
} modes[] = {{"exact", 0}, {"split", 0x1p-22}, {"fast", 0x1p-14}, {"tf32", 0x1p-10}, {"bf16", 0x1.01p-7}};
enum { MODES = sizeof modes / sizeof *modes };

static void note_modes(void *to, const char *key, const char *value)
{
    if (!strcmp(key, "precision")) snprintf(to, 100, "%s", value);
}

static bool has(const char *mode)
{
    char all[100] = "";
    CHECK(vn_engine_describe(engine, note_modes, all) == VN_OK && !strncmp(all, "exact", 5));
    return strstr(all, mode) != NULL;
}

/* What the engine does when asked for mode k: the next more exact one that it has. */
static int used(int k)
{
    while (k > 0 && !has(modes[k].name)) k--;
    return k;
}

static vn_array *normal(int seed, vn_shape shape)
{
    vn_array *x = vn_normal(vn_random_key_of((uint64_t)seed), vn_scalar(0), vn_scalar(1), shape, VN_F32);
    CHECK(vn_eval(1, &x) == VN_OK);
    return x;
}

static vn_array *in_mode(const char *mode, vn_array *x)
{
    CHECK(vn_matmul_precision(mode) == VN_OK && vn_eval(1, &x) == VN_OK && vn_matmul_precision(NULL) == VN_OK);
    return x;
}

static vn_array *product(const char *mode, vn_array *x, vn_array *y)
{
    return in_mode(mode, vn_matmul(x, y));
}

static bool equal(vn_array *x, vn_array *y)
{
    const size_t bytes = (size_t)vn_size(x) * sizeof(float);
    return vn_size(x) == vn_size(y) && !memcmp(vn_data(x), vn_data(y), bytes);
}

static vn_array *wide(vn_array *x)
{
    return vn_cast(x, VN_F64);
}

/* The largest error of z = x y, relative to |x| |y|, less what adding up in float32 may cost. */
static double excess(vn_array *z, vn_array *x, vn_array *y, int64_t k)
{
    vn_array *size = vn_matmul(vn_abs(wide(x)), vn_abs(wide(y))), *off = vn_abs(vn_sub(wide(z), vn_matmul(wide(x), wide(y))));
    return vn_item(vn_max(vn_div(off, size), VN_ALL)) - (double)k * 0x1p-24;
}

TEST(texts)
{
    CHECK(!strcmp(vn_matmul_precision_mode(), "exact"));
    for (int k = 0; k < MODES; k++)
        CHECK(vn_matmul_precision(modes[k].name) == VN_OK && !strcmp(vn_matmul_precision_mode(), modes[k].name));
    CHECK(vn_matmul_precision("Fast") == VN_OK && !strcmp(vn_matmul_precision_mode(), "fast"));
    CHECK_FAILS(vn_matmul_precision("bf15"), VN_E_ARG,
                "matmul_precision: mode is \"bf15\"; possible are exact, split, fast, tf32, bf16; did you mean \"bf16\"?");
    CHECK(!strcmp(vn_matmul_precision_mode(), "fast"));
    CHECK(vn_matmul_precision("") == VN_OK && !strcmp(vn_matmul_precision_mode(), "exact"));
    CHECK(vn_matmul_precision("tf32") == VN_OK && vn_matmul_precision(NULL) == VN_OK && !strcmp(vn_matmul_precision_mode(), "exact"));
}

static void *other_thread(void *wrong)
{
    *(bool *)wrong = strcmp(vn_matmul_precision_mode(), "exact") || vn_matmul_precision("bf16") || vn_close() ||
                     strcmp(vn_matmul_precision_mode(), "exact") || vn_close();
    return NULL;
}

/* Also: vn_close restores the default. */
TEST(of_the_thread)
{
    pthread_t thread;
    bool wrong = true;
    CHECK(vn_matmul_precision("tf32") == VN_OK);
    CHECK(!pthread_create(&thread, NULL, other_thread, &wrong) && !pthread_join(thread, NULL) && !wrong);
    CHECK(!strcmp(vn_matmul_precision_mode(), "tf32") && vn_matmul_precision(NULL) == VN_OK);
}

/* Every mode, above and below the sizes at which kernels change, transposed operands, batches, an axis that broadcasts. */
TEST(errors)
{
    static const struct {
        int64_t batch, m, k, n;
        bool transposed;
    } sizes[] = {{1, 7, 65, 5, 0},      {1, 101, 257, 103, 0}, {1, 101, 257, 103, 1}, {1, 31, 1301, 33, 0}, {1, 241, 511, 129, 0},
                 {1, 131, 300, 545, 1}, {1, 1, 700, 1601, 0},  {1, 1601, 701, 1, 0},  {3, 33, 1000, 65, 0}, {17, 65, 129, 131, 0}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (!in_part(s)) continue;
        VN_SCOPE;
        const int64_t b = sizes[s].batch, m = sizes[s].m, k = sizes[s].k, n = sizes[s].n;
        vn_array *x = sizes[s].transposed ? vn_matrix_transpose(normal(1, VN_SHAPE(b, k, m))) : normal(1, VN_SHAPE(b, m, k));
        vn_array *y = sizes[s].transposed ? vn_matrix_transpose(normal(2, VN_SHAPE(n, k))) : normal(2, VN_SHAPE(k, n));
        vn_array *exact = product("exact", x, y);
        for (int q = 0; q < MODES; q++) {
            vn_array *z = product(modes[q].name, x, y);
            CHECK(excess(z, x, y, k) <= modes[q].error);
            if (!used(q)) CHECK(equal(z, exact));
        }
    }
}

/* An engine that says it has a mode uses it: large products are less exact than the next better mode permits, in the backward pass too. */
TEST(obeyed)
{
    vn_array *x = normal(3, VN_SHAPE(300, 333)), *y = normal(4, VN_SHAPE(333, 259)), *ct = normal(5, VN_SHAPE(300, 259));
    vn_array *exact = product("exact", x, y);
    for (int q = 1; q < MODES; q++) {
        vn_array *z = product(modes[q].name, x, y);
        CHECK(equal(z, exact) == !used(q));
        if (used(q) == q) CHECK(excess(z, x, y, 0) > modes[q].error / 64);
        vn_array *w = vn_variable(x), *slope = in_mode(modes[q].name, vn_grad(vn_sum(vn_mul(vn_matmul(w, y), ct), VN_ALL), w));
        const double off = excess(slope, ct, vn_matrix_transpose(y), 259);
        CHECK(off <= modes[q].error);
        if (used(q) == q) CHECK(excess(slope, ct, vn_matrix_transpose(y), 0) > modes[q].error / 64);
    }
    CHECK(equal(product("exact", x, y), exact));
}

/* Convolutions, attention and recurrent layers stay within the mode's error too, times what follows the product. */
TEST(other_ops)
{
    vn_array *x = normal(6, VN_SHAPE(2, 17, 19, 33)), *w = normal(7, VN_SHAPE(3, 3, 33, 35));
    vn_array *q = normal(8, VN_SHAPE(2, 3, 65, 33)), *k = normal(9, VN_SHAPE(2, 3, 67, 33)), *v = normal(10, VN_SHAPE(2, 3, 67, 35));
    vn_array *conv = vn_conv2d(wide(x), wide(w), VN_NONE, NULL), *size = vn_conv2d(vn_abs(wide(x)), vn_abs(wide(w)), VN_NONE, NULL);
    vn_array *attended = vn_attention(wide(q), wide(k), wide(v), VN_NONE, NULL);
    for (int m = 0; m < MODES; m++) {
        VN_SCOPE;
        vn_array *z = in_mode(modes[m].name, vn_conv2d(x, w, VN_NONE, NULL));
        CHECK(vn_item(vn_max(vn_div(vn_abs(vn_sub(wide(z), conv)), size), VN_ALL)) <= modes[m].error + 33 * 9 * 0x1p-24);
        z = in_mode(modes[m].name, vn_attention(q, k, v, VN_NONE, NULL));
        CHECK(vn_item(vn_max(vn_abs(vn_sub(wide(z), attended)), VN_ALL)) <= 16 * modes[m].error + 1e-5);
    }
}

/* float64, complex numbers, integers, half precision: the same bits in every mode, also in a program with a float32 product. */
TEST(other_dtypes)
{
    static const vn_dtype dtypes[] = {VN_F64, VN_C64, VN_I32, VN_F16, VN_BF16};
    vn_array *x = vn_mul(normal(11, VN_SHAPE(129, 131)), vn_scalar(4)), *y = vn_mul(normal(12, VN_SHAPE(131, 133)), vn_scalar(4));
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        vn_array *a = vn_cast(x, dtypes[k]), *b = vn_cast(y, dtypes[k]), *z[2][2];
        for (int m = 0; m < 2; m++) {
            z[m][0] = vn_matmul(a, b), z[m][1] = vn_matmul(x, y);
            CHECK(vn_matmul_precision(m ? "bf16" : "exact") == VN_OK && vn_eval(2, z[m]) == VN_OK && vn_matmul_precision(NULL) == VN_OK);
        }
        CHECK(!memcmp(vn_data(z[0][0]), vn_data(z[1][0]), (size_t)vn_size(z[0][0]) * vn_dtype_size(dtypes[k])));
        CHECK(equal(z[0][1], z[1][1]) == !used(MODES - 1));
    }
}

/* Finite numbers that would round to infinity in bfloat16, infinities, NaN and subnormal numbers. */
TEST(special_values)
{
    enum { N = 150 };
    static float x[N * N], y[N * N];
    for (int k = 0; k < N * N; k++) x[k] = k / N == k % N ? 1 : 0;
    memcpy(y, x, sizeof y);
    y[3] = 0x1.fffffep127f, y[N + 4] = -0x1.fffffep127f, y[2 * N + 5] = 0x1.ffp127f, y[3 * N + 6] = 0x1p-140f, y[4 * N + 7] = 0x1p-126f;
    vn_array *i = vn_from(x, VN_SHAPE(N, N));
    for (int m = 1; m < MODES; m++) {
        vn_array *z = product(modes[m].name, i, vn_from(y, VN_SHAPE(N, N)));
        const float *got = vn_data(z);
        for (int k = 0; k < N * N; k++) CHECK(fabsf(got[k] - y[k]) <= 0x1p-8f * fabsf(y[k]) + 0x1p-126f);
        if (used(m) < 3) CHECK(equal(z, product("exact", i, vn_from(y, VN_SHAPE(N, N))))); /* split and fast make no exception */
    }
    y[5 * N + 8] = INFINITY, y[9] = NAN;
    vn_array *exact = product("exact", vn_from(y, VN_SHAPE(N, N)), i);
    const float *expected = vn_data(exact);
    for (int m = 1; m < MODES; m++) {
        vn_array *z = product(modes[m].name, vn_from(y, VN_SHAPE(N, N)), i);
        const float *got = vn_data(z);
        for (int k = 0; k < N * N; k++) CHECK(isnan(got[k]) == isnan(expected[k]) && isinf(got[k]) == isinf(expected[k]));
    }
}

static int64_t misses(void)
{
    vn_cache_info info = {.size = sizeof info};
    CHECK(vn_cache_stats(engine, &info) == VN_OK);
    return info.misses;
}

static int64_t compiled(vn_array *(*make)(vn_array *x), const char *first, const char *second)
{
    vn_array *x = normal(13, VN_SHAPE(111, 111));
    in_mode(first, make(x)), in_mode(second, make(x));
    const int64_t before = misses();
    in_mode(first, make(x)), in_mode(second, make(x));
    CHECK(misses() == before);
    vn_array *other = normal(14, VN_SHAPE(112, 112));
    in_mode(first, make(other));
    const int64_t once = misses();
    in_mode(second, make(other));
    return misses() - once;
}

static vn_array *one_product(vn_array *x)
{
    return vn_matmul(x, x);
}

static vn_array *several_ops(vn_array *x)
{
    return vn_add(vn_tanh(vn_matmul(x, x)), x);
}

static vn_array *one_other(vn_array *x)
{
    return vn_tanh(x);
}

static vn_array *no_product(vn_array *x)
{
    return vn_add(vn_tanh(x), x);
}

/* A program in two modes is two programs, unless it has no product or the engine computes it in the same way. */
TEST(key)
{
    const int two = used(MODES - 1) != 0;
    CHECK(compiled(one_product, "exact", "bf16") == two);
    CHECK(compiled(several_ops, "exact", "bf16") == two);
    CHECK(compiled(one_other, "exact", "bf16") == 0 && compiled(no_product, "exact", "bf16") == 0);
    CHECK(compiled(one_product, "exact", "split") == (used(1) != 0));
}

static int recorded;

static int squared(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    recorded++;
    out[0] = vn_matmul(in[0], in[0]);
    return 0;
}

/* The mode counts when a captured function is called. */
TEST(captured)
{
    vn_array *x = normal(15, VN_SHAPE(130, 130)), *exact = product("exact", x, x), *rounded = product("bf16", x, x);
    vn_fn *f = vn_capture(squared, 1, NULL);
    recorded = 0;
    for (int k = 0; k < 4; k++) {
        vn_array *z = NULL;
        CHECK(vn_matmul_precision(k % 2 ? "bf16" : "exact") == VN_OK && vn_fn_call_many(f, 1, &x, 1, &z) == VN_OK);
        CHECK(vn_matmul_precision(NULL) == VN_OK && equal(z, k % 2 ? rounded : exact));
    }
    CHECK(recorded == (used(MODES - 1) ? 2 : 1));
}

/* The mode counts when a program is computed, also for what was recorded before. */
TEST(pending)
{
    vn_array *x = normal(16, VN_SHAPE(130, 130)), *rounded = product("bf16", x, x), *z = vn_matmul(x, x);
    CHECK(equal(in_mode("bf16", z), rounded));
}

TEST(explained)
{
    vn_array *x = normal(17, VN_SHAPE(130, 130)), *z = vn_matmul(x, x);
    CHECK(!strstr(vn_explain(z), "precision"));
    for (int q = 1; q < MODES; q++) {
        char line[80], more[20] = "";
        if (used(q) != q) snprintf(more, sizeof more, " -> %s", modes[used(q)].name);
        snprintf(line, sizeof line, "  precision of float32 products: %s%s\n", modes[q].name, more);
        CHECK(vn_matmul_precision(modes[q].name) == VN_OK && strstr(vn_explain(z), line));
        CHECK(!strstr(vn_explain(vn_tanh(x)), "precision") && !strstr(vn_explain(vn_matmul(wide(x), wide(x))), "precision"));
    }
    CHECK(vn_matmul_precision(NULL) == VN_OK);
}

/* A number at the edge of what the parts of a factor can hold: the product of this one is exact, and one a step further inside is not. */
NATIVE_TEST(moderate_numbers)
{
    static const float edges[][2] = {{0x1.fffffep-51f, 0x1p-50f}, {0x1.000002p60f, 0x1p60f}};
    for (int m = 1; m < MODES; m++)
        for (int e = 0; e < 4 && used(m) == m && m < 3; e++)
            for (int side = 0; side < 2; side++) {
                VN_SCOPE;
                vn_array *x[2] = {normal(20, VN_SHAPE(163, 171)), normal(21, VN_SHAPE(171, 149))};
                const float edge = edges[e / 2][e % 2];
                const int64_t at[] = {97, 101};
                vn_array *start = vn_from_host(at, VN_I64, VN_SHAPE(2));
                x[side] = vn_slice_set(x[side], vn_from(&edge, VN_SHAPE(1, 1)), start);
                CHECK(vn_eval(2, x) == VN_OK);
                CHECK(equal(product(modes[m].name, x[0], x[1]), product("exact", x[0], x[1])) == (e % 2 == 0));
            }
}

/* Calls `each` at every level with 1, 2 and 5 threads; results of one level have equal bits. */
static void everywhere(vn_array *(*each)(const void *with), const void *with)
{
    static const char *const levels[] = {NULL, "avx512"}, *const numbers[] = {"1", "2", "5"};
    for (int l = 0; l < 2; l++) {
        char *first = NULL;
        for (int t = 0; t < 3; t++) {
            vn_close();
            if (levels[l]) setenv("VINEA_ISA", levels[l], 1);
            setenv("VINEA_THREADS", numbers[t], 1);
            if (vn_use(engine)) { /* a level this processor does not have */
                vn_clear();
                break;
            }
            VN_SCOPE;
            vn_array *z = each(with);
            const size_t bytes = (size_t)vn_size(z) * vn_dtype_size(vn_dtype_of(z));
            if (!first) CHECK((first = malloc(bytes)) && vn_read(z, first, bytes) == VN_OK);
            CHECK(!memcmp(first, vn_data(z), bytes));
        }
        free(first);
    }
    vn_close();
    unsetenv("VINEA_ISA");
    unsetenv("VINEA_THREADS");
    CHECK(vn_use(engine) == VN_OK);
}

static vn_array *large_product(const void *mode)
{
    return product(mode, normal(18, VN_SHAPE(517, 1031)), normal(19, VN_SHAPE(1031, 389)));
}

/* The bits do not depend on the number of threads. */
NATIVE_TEST(threads)
{
    for (int m = 0; m < MODES; m++) everywhere(large_product, modes[m].name);
}

typedef struct {
    int64_t batch, m, k, n;
    bool transposed;
} sizes;

static vn_array *bf16_product(const void *with)
{
    const sizes *s = with;
    vn_array *x = vn_cast(normal(22, s->transposed ? VN_SHAPE(s->batch, s->k, s->m) : VN_SHAPE(s->batch, s->m, s->k)), VN_BF16);
    vn_array *y = vn_cast(normal(23, s->transposed ? VN_SHAPE(s->n, s->k) : VN_SHAPE(s->k, s->n)), VN_BF16);
    if (s->transposed) x = vn_matrix_transpose(x), y = vn_matrix_transpose(y);
    vn_array *z = vn_matmul(x, y);
    CHECK(vn_eval(1, &z) == VN_OK && excess(z, x, y, s->k) <= 0x1p-8);
    return z;
}

/* Products of bfloat16 arrays below and above the sizes from which instructions of their own are used, with edges of every kind. */
NATIVE_TEST(bfloat16)
{
    static const sizes all[] = {{1, 31, 1200, 33, 0},   {1, 32, 1100, 32, 0}, {1, 33, 1025, 65, 1}, {1, 101, 257, 103, 0},
                                {1, 257, 513, 1025, 1}, {3, 95, 191, 97, 0},  {17, 64, 63, 300, 1}, {1, 300, 1, 5000, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) everywhere(bf16_product, &all[k]);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    engine = argc > 1 ? argv[1] : "native";
    run_tests();
    return finish();
}
