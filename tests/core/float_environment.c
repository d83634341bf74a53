/* SPDX-License-Identifier: Apache-2.0 */
/* float_environment.c: the library computes in the default floating-point environment, whatever the host has set: traps, another rounding
 * mode, flush-to-zero; before the first call, or later, when threads are already running. Results have the same bits, and the host's
 * environment is restored, on native with exactly the flags it had raised. On native at every instruction-set level, on
 * one and on several threads. */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"
#include "isa_levels.h"
#include <fenv.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { FEW = 67, MANY = 1 << 18, RESULTS = 14 };

/* ---- environments ---- */

static void plain(void)
{
    fesetenv(FE_DFL_ENV);
}
static void upward(void)
{
    fesetround(FE_UPWARD);
}
static void flushing(void)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* results and operands */
#endif
}
static void trapping(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
}
static void all_of_it(void)
{
    upward(), flushing(), trapping();
}
static const struct {
    const char *name;
    void (*set)(void);
} environments[] = {{"plain", plain}, {"upward", upward}, {"flushing", flushing}, {"trapping", trapping}, {"all_of_it", all_of_it}};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

/* The visible floating-point environment. */
typedef struct {
    int traps, rounding;
    unsigned mxcsr; /* with the flags of the vector units */
} state;

static state now(void)
{
    state s = {fegetexcept(), fegetround(), 0};
#if defined(__x86_64__)
    s.mxcsr = _mm_getcsr();
#endif
    return s;
}

static bool same(state a, state b)
{
    return a.traps == b.traps && a.rounding == b.rounding && a.mxcsr == b.mxcsr;
}

/* ---- work ---- */

static float numbers[MANY];

static void make_numbers(void)
{
    for (int k = 0; k < MANY; k++) numbers[k] = k % 5 ? (float)(k % 1000 - 500) / 7 : (float)(k % 100) * 1e-40f;
}

/* Operations that round, overflow, underflow, divide by zero and give NaN; in conversion of inputs, in kernels and in reading results. */
static void compute(int64_t n, uint64_t *hash)
{
    VN_SCOPE;
    vn_array *x = vn_from(numbers, VN_SHAPE(n)), *zero = vn_sub(x, x), *v = vn_variable(x);
    vn_array *nan_as_7 = vn_scalar(7);
#define WITHOUT_NAN(z) vn_where(vn_isnan(z), nan_as_7, z)
    vn_array *all[RESULTS] = {
        vn_softmax(x, 0),
        WITHOUT_NAN(vn_div(x, zero)),
        vn_div(x, vn_scalar(3)),
        vn_mul(x, vn_scalar(.5)),
        WITHOUT_NAN(vn_log(x)),
        vn_exp(vn_mul(x, vn_scalar(20))),
        WITHOUT_NAN(vn_sqrt(x)),
        vn_sum(vn_mul(x, vn_scalar(1 / 3.)), VN_ALL),
        vn_cast(vn_mul(x, vn_scalar(1e30)), VN_I32),
        vn_cast(x, VN_F16),
        vn_tanh(x),
        vn_std(x, VN_ALL, 0),
        WITHOUT_NAN(vn_mean(vn_zeros(VN_SHAPE(0), VN_F64), VN_ALL)),
        vn_grad(vn_logsumexp(v, VN_ALL), v),
    };
    for (int k = 0; k < RESULTS; k++) hash[k] = hash_array(VN__HASH, all[k]);
    hash[RESULTS] = hash_array(VN__HASH, vn_full(vn_scalar(1 / 3.), VN_SHAPE(3), VN_F32));
    hash[RESULTS + 1] = hash_array(VN__HASH, vn_linspace(0, .7, 11, VN_F32, NULL));
    char text[64] = "";
    snprintf(text, sizeof text, "%s", vn_text(vn_div(vn_full(vn_scalar(2), VN_0D, VN_F64), vn_scalar(3))));
    hash[RESULTS + 2] = vn__hash_text(text);
    hash[RESULTS + 3] = vn_item_int(vn_full(vn_scalar(-2.75), VN_0D, VN_F32)) == -2;
}
enum { HASHES = RESULTS + 4 };

/* Computes in an environment and compares with what the plain one gave. */
static void works_in(int e, int64_t n, const uint64_t *reference)
{
    uint64_t hash[HASHES] = {0};
    check_name = environments[e].name;
    fesetenv(FE_DFL_ENV);
    environments[e].set();
    const state before = now();
    compute(n, hash);
    const state after = now();
    fesetenv(FE_DFL_ENV);
    CHECK(same(before, after));
    for (int k = 0; k < HASHES; k++) {
        if (hash[k] != reference[k]) fprintf(stderr, "%s, %lld elements: result %d differs\n", check_name, (long long)n, k);
        CHECK(hash[k] == reference[k]);
    }
}

static void every_environment(bool first_too)
{
    static const int64_t sizes[] = {FEW, MANY};
    static uint64_t reference[2][HASHES];
    for (int s = 0; s < 2; s++) {
        uint64_t hash[HASHES] = {0};
        if (first_too) works_in(ENVIRONMENTS - 1, sizes[s], reference[s]); /* before there are threads */
        fesetenv(FE_DFL_ENV);
        compute(sizes[s], hash);
        if (!reference[s][0]) memcpy(reference[s], hash, sizeof hash);
        for (int e = 0; e < ENVIRONMENTS; e++) works_in(e, sizes[s], reference[s]);
    }
}

/* On native, the host's raised flags are kept, and none is added. Frameworks may leave flags in the x87 unit. */
TEST(flags)
{
    if (strcmp(vn_using(), "native") != 0) return;
    uint64_t hash[HASHES] = {0};
    fesetenv(FE_DFL_ENV);
    feraiseexcept(FE_DIVBYZERO);
    compute(MANY, hash);
    CHECK(fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO);
    feclearexcept(FE_ALL_EXCEPT);
    compute(FEW, hash);
    CHECK(fetestexcept(FE_ALL_EXCEPT) == 0);
}

/* A learning rate, the weights it leads to and what a function of the host computes with them. */
static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_mean(vn_square(vn_sub(vn_tree_get(p, "w"), vn_scalar(.3))), VN_ALL);
}

static double trained(void)
{
    VN_SCOPE;
    vn_schedule schedule = vn_cosine(.1, .01, 7);
    vn_tree *p = vn_tree_of("w", vn_full(vn_scalar(.1), VN_SHAPE(5), VN_F32), NULL), *grads;
    vn_optim *adam = vn_adam(.1, NULL);
    vn_optim_schedule(adam, schedule);
    for (int k = 0; k < 5; k++) {
        vn_value_and_grad(loss_of, p, NULL, &grads);
        vn_step(adam, p, grads);
    }
    return vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL));
}

TEST(steps)
{
    fesetenv(FE_DFL_ENV);
    const double reference = trained();
    for (int e = 0; e < ENVIRONMENTS; e++) {
        check_name = environments[e].name;
        environments[e].set();
        double x = trained();
        fesetenv(FE_DFL_ENV);
        CHECK(x == reference);
    }
}

static void levels_and_threads(void)
{
    static const char *const threads[] = {"1", "2", "3"};
    for (int l = 0; l < ISA_LEVELS; l++)
        for (int t = 0; t < 3; t++) {
            vn_close();
            setenv("VINEA_ISA", isa_levels[l], 1);
            setenv("VINEA_THREADS", threads[t], 1);
            if (vn_use(NULL)) { /* a level that the processor or the build does not have */
                vn_clear();
                break;
            }
            every_environment(l + t > 0);
        }
    vn_close();
    unsetenv("VINEA_ISA");
    unsetenv("VINEA_THREADS");
}

int main(int argc, char **argv)
{
    make_numbers();
    use_engine(argc, argv);
    if (argc < 2 || !strcmp(argv[1], "native")) levels_and_threads();
    else every_environment(false);
    run_tests();
    return finish();
}
