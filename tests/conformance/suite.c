/* SPDX-License-Identifier: Apache-2.0 */
/* suite.c: the framework of the conformance tests (conformance/suite): numbers on the host, samples, assertions, minimising, saved cases.
 */
/* ctest: sanitize */
/* ctest: links vinea_suite */
#include "check.h"
#include "conformance/lines/lines.h"
#include "conformance/suite/runner.h"
#include <float.h>
#include <unistd.h>

static void no_test(trial *t)
{
    (void)t;
}

static const conformance_test plain = {
    .suite = "self", .id = "self/plain", .name = "test_plain", .what = "", .rtol = 1e-1, .atol = 1e-1, .depth = 2, .run = no_test};
static const plan quick = {.seed = 11}, full = {.seed = 11, .tier = TIER_FULL}, strict = {.seed = 11, .strict = true};

static trial opened(const conformance_test *test, const plan *p, int number, vn_dtype dtype)
{
    trial t;
    trial_open(&t, test, p, "native", number, dtype);
    return t;
}

/* ---- numbers ---- */

TEST(rounding)
{
    CHECK(number_round(1 + 0x1p-11, VN_F16) == 1 && number_round(1 + 0x1.8p-10, VN_F16) == 1 + 0x1p-9); /* ties to even */
    CHECK(number_round(65519, VN_F16) == 65504 && isinf(number_round(65520, VN_F16)) && number_round(0x1p-25, VN_F16) == 0);
    CHECK(number_round(0x1.8p-24, VN_F16) == 0x1p-23 && number_round(-0x1p-24, VN_F16) == -0x1p-24);
    CHECK(number_round(1 + 0x1p-8, VN_BF16) == 1 && number_round(.1, VN_F32) == (double).1f && number_round(.1, VN_F64) == .1);
    CHECK(number_round(300, VN_U8) == 255 && number_round(-3.7, VN_I32) == -3 && number_round(-1, VN_U16) == 0 &&
          number_round(NAN, VN_I8) == 0);
    CHECK(number_round(1e300, VN_I64) < 0x1p63 && number_round(.5, VN_BOOL) == 1 && isnan(number_round(NAN, VN_F16)));
    CHECK(number_epsilon(VN_F32) == FLT_EPSILON && number_epsilon(VN_F16) == 0x1p-10 && number_epsilon(VN_BF16) == 0x1p-7);
    CHECK(number_ulps(1, 1 + DBL_EPSILON, VN_F64) == 1 && number_ulps(3, 5, VN_I32) == 2 && number_ulps(NAN, NAN, VN_F32) == 0);
    CHECK(isinf(number_ulps(INFINITY, 1, VN_F32)) && number_ulps(0, 0x1p-24, VN_F16) == 1);
}

/* Every dtype goes to the engine and back, as the library's own cast has it. */
TEST(there_and_back)
{
    for (int d = VN_BOOL; d <= VN_F64; d++) {
        double x[] = {0, 1, -0., 2.5, -3.75, 1e-7, 1e-40, 3e38, 65504, 6e-8, 100.3, -1}, wide[12], got[12];
        vn_array *in = number_array(memcpy(wide, x, sizeof x), VN_SHAPE(3, 4), VN_F64);
        bool floats = VN_BIT(d) & VN_FLOATS;
        vn_array *a = number_array(x, VN_SHAPE(3, 4), (vn_dtype)d);
        CHECK(vn_dtype_of(a) == (vn_dtype)d && number_read(a, got, 12));
        for (int i = 0; i < 12; i++) CHECK(got[i] == x[i]);
        if (floats && number_read(vn_cast(in, (vn_dtype)d), got, 12))
            for (int i = 0; i < 12; i++) CHECK(got[i] == x[i]);
    }
    double one, none = 0, special[] = {NAN, INFINITY, -INFINITY}, back[3];
    for (int d = VN_F16; d <= VN_F64; d++)
        CHECK(number_read(number_array(special, VN_SHAPE(3), (vn_dtype)d), back, 3) && isnan(back[0]) && back[1] > DBL_MAX &&
              back[2] < -DBL_MAX);
    CHECK(!number_read(vn_ones(VN_SHAPE(2), VN_F32), &one, 1) && !number_read(NULL, &one, 1));
    CHECK(number_read(number_array(&none, VN_SHAPE(0, 3), VN_F32), &one, 0) && shape_size(VN_SHAPE(0, 3)) == 0);
}

/* ---- samples ---- */

TEST(sampling)
{
    trial a = opened(&plain, &quick, 5, VN_F32), b = opened(&plain, &quick, 1, VN_F64), c = opened(&plain, &quick, 5, VN_F32);
    for (int i = 0; i < 100; i++) { /* cases 1 and 5 of the quick tier share their structure, not their values */
        int64_t n = sample_int(&a, -3, 9);
        double x = sample_real(&a, -1, 2);
        CHECK(n >= -3 && n <= 9 && x >= -1 && x < 2);
        CHECK(n == sample_int(&b, -3, 9) && x != sample_real(&b, -1, 2) && n == sample_int(&c, -3, 9) && x == sample_real(&c, -1, 2));
    }
    CHECK(sample_variant(&a, 3) == 1 % 3 && a.n_choices == 201);
    trial other = opened(&plain, &full, 5, VN_F32), seeded = opened(&plain, &(plan){.seed = 12}, 5, VN_F32);
    CHECK(other.structure == 5 && sample_variant(&other, 3) == 2);
    int same = 0;
    for (int i = 0; i < 50; i++) same += sample_real(&seeded, 0, 1) == a.choices[2 * i + 1].value;
    CHECK(same == 0);
    trial_close(&a), trial_close(&b), trial_close(&c), trial_close(&other), trial_close(&seeded);
}

TEST(shapes)
{
    bool empty = false, scalar = false, wide = false;
    for (int i = 0; i < 400; i++) {
        trial t = opened(&plain, &full, i, VN_F32);
        vn_shape s = sample_shape(&t, 0, 4), low = sample_shape(&t, 2, 2), b = sample_broadcast(&t, s);
        empty |= shape_size(s) == 0, scalar |= s.rank == 0, wide |= s.rank == 4;
        CHECK(low.rank == 2 && b.rank <= s.rank && shape_size(s) <= TRIAL_ROOM);
        for (int k = 0; k < b.rank; k++) CHECK(b.dim[k] == 1 || b.dim[k] == s.dim[s.rank - b.rank + k]);
        trial_close(&t);
    }
    CHECK(empty && scalar && wide);
}

TEST(specials)
{
    bool nan = false, infinite = false, minus_zero = false, small = false;
    trial t = opened(&plain, &full, 0, VN_F16);
    for (int i = 0; i < 400; i++) {
        double x = sample_special(&t);
        nan |= isnan(x), infinite |= isinf(x), minus_zero |= x == 0 && signbit(x), small |= x > 0 && x < 0x1p-14;
        CHECK(isnan(x) || fabs(number_round(x, VN_F16) - x) <= 0x1p-9 * fabs(x) || isinf(x));
    }
    CHECK(nan && infinite && minus_zero && small);
    trial_close(&t);
}

/* ---- assertions ---- */

TEST(comparing)
{
    static const double want[] = {1, 2, 0, NAN, INFINITY}, near_it[] = {1.05, 2, 0, NAN, INFINITY}, far[] = {1, 2.5, 0, NAN, INFINITY};
    trial t = opened(&plain, &quick, 0, VN_F32);
    trial_compare(&t, CHECK_VALUE, "x", near_it, want, 5, NULL);
    const trial_outcome *o = &t.outcome;
    CHECK(!o->failing && o->assertions[CHECK_VALUE] == 5 && o->strict_failed[CHECK_VALUE] == 1 && *o->strict_message && !*o->message);
    CHECK(near(o->max_abs, .05, 1e-9) && near(o->ratio, .25, 1e-9) && o->strict_ratio > 1e4 && o->max_ulp > 4e5 && !*trial_reason(&t));
    vn_shape five = VN_SHAPE(5);
    trial_compare(&t, CHECK_GRADIENT, "g", far, want, 5, &five);
    CHECK(o->failing && o->first == CHECK_GRADIENT && !strcmp(trial_reason(&t), "gradient") && strstr(o->message, "1 of 5") &&
          strstr(o->message, "[1]"));
    CHECK(o->worst.check == CHECK_GRADIENT && o->worst.got == 2.5 && o->worst.expected == 2 && !strcmp(o->worst.index, "[1]"));
    trial s = opened(&plain, &strict, 0, VN_F32), n = opened(&plain, &quick, 0, VN_F32), r = opened(&plain, &quick, 0, VN_F32);
    trial_compare(&s, CHECK_VALUE, "x", near_it, want, 5, NULL);
    CHECK(!strcmp(trial_reason(&s), "value")); /* the strict tolerance decides here */
    trial_compare(&n, CHECK_VALUE, "x", (double[]){NAN}, want, 1, NULL);
    CHECK(!strcmp(trial_reason(&n), "nonfinite") && isinf(n.outcome.max_abs));
    trial_near(&r, CHECK_VALUE, "x", 1 + 2e-6, 1, 1e-6);
    CHECK(!strcmp(trial_reason(&r), "value") && r.outcome.failed[CHECK_VALUE] == 1);
    trial_close(&t), trial_close(&s), trial_close(&n), trial_close(&r);
}

TEST(results)
{
    static const struct {
        vn_dtype dtype;
        int64_t dim;
        const char *reason;
    } all[] = {{VN_F32, 2, ""}, {VN_F64, 2, "dtype"}, {VN_F32, 1, "shape"}};
    for (int k = 0; k < 3; k++) {
        VN_SCOPE;
        trial t = opened(&plain, &quick, 0, VN_F32);
        trial_result(&t, "x", vn_ones(VN_SHAPE(2), all[k].dtype), VN_F32, VN_SHAPE(all[k].dim), (double[]){1, 1});
        CHECK(!strcmp(trial_reason(&t), all[k].reason));
        trial_close(&t);
    }
    trial t = opened(&plain, &quick, 0, VN_F32);
    trial_result(&t, "x", NULL, VN_F32, VN_0D, (double[]){1});
    CHECK(!strcmp(trial_reason(&t), "value"));
    trial_close(&t);
    static const check_kind kinds[] = {CHECK_TREE, CHECK_OUT, CHECK_SECOND};
    static const char *const reasons[] = {"structure", "out_identity", "gradient"};
    for (int k = 0; k < 3; k++) {
        trial e = opened(&plain, &quick, 0, VN_F32);
        CHECK(!EXPECT(&e, kinds[k], 1 > 2) && !strcmp(trial_reason(&e), reasons[k]) && strstr(e.outcome.message, "1 > 2"));
        trial_close(&e);
    }
    trial f = opened(&plain, &quick, 0, VN_F32);
    EXPECT_FAILS(&f, vn_reshape(vn_ones(VN_SHAPE(2), VN_F32), VN_SHAPE(3)), VN_E_SHAPE, "reshape");
    CHECK(!f.outcome.failing && vn_status() == VN_OK);
    EXPECT_FAILS(&f, vn_ones(VN_SHAPE(2), VN_F32), VN_E_SHAPE, "");
    CHECK(f.outcome.failing && vn_status() == VN_OK);
    trial_close(&f);
}

/* ---- examples ---- */

static void loop_product(const example *e, double *out)
{
    for (int64_t i = 0; i < e->count; i++) out[i] = e->in[0][i] * e->in[1][i] * (e->data ? 1.01 : 1);
}

static void product_of(trial *t, const void *wrong)
{
    vn_shape s = VN_SHAPE(sample_int(t, 1, 4), sample_int(t, 1, 4));
    example e = {.op = "mul", .loop = loop_product, .count = shape_size(s), .shape = s, .data = wrong};
    example_sample(t, &e, s, -2, 2);
    example_sample(t, &e, s, -2, 2);
    example_check(t, &e);
}

static void run_product(trial *t)
{
    product_of(t, NULL);
}

static void run_wrong_product(trial *t)
{
    product_of(t, t);
}

TEST(examples)
{
    static const conformance_test good = {
        .suite = "self", .id = "self/product", .name = "test_product", .what = "", .rtol = 1e-2, .atol = 0, .run = run_product};
    static const conformance_test off = {
        .suite = "self", .id = "self/off", .name = "test_off", .what = "", .rtol = 1e-1, .atol = 1e-1, .run = run_wrong_product};
    for (int d = VN_F16; d <= VN_F64; d++) {
        trial t = opened(&good, &full, 3, (vn_dtype)d), w = opened(&off, &full, 3, (vn_dtype)d);
        trial_run(&t);
        CHECK(!*trial_reason(&t) && t.outcome.assertions[CHECK_DTYPE] == 1 && t.outcome.assertions[CHECK_SHAPE] >= 1);
        CHECK((t.outcome.assertions[CHECK_GRADIENT] > 0) == (d == VN_F64) && (t.outcome.assertions[CHECK_SECOND] > 0) == (d == VN_F64));
        CHECK(!t.outcome.strict_failed[CHECK_VALUE] && t.n_inputs == 2);
        trial_run(&w); /* off by one per cent: the loose tolerance finds it only in the gradients, the strict one also in values */
        CHECK(!strcmp(trial_reason(&w), d == VN_F64 ? "gradient" : ""));
        CHECK(w.outcome.strict_failed[CHECK_VALUE] > 0 || VN_BIT(d) & VN_HALF);
        trial_close(&t), trial_close(&w);
    }
}

/* ---- shrinking and keeping ---- */

/* Fails where an element of an array of two or more is above 1/2. */
static void run_picky(trial *t)
{
    double x[64];
    int64_t n = sample_int(t, 1, 40);
    bool more = sample_switch(t);
    sample_reals(t, x, VN_SHAPE(n), -1, 3);
    trial_input(t, "x", x, VN_SHAPE(n), VN_F64);
    bool large = false;
    for (int64_t i = 0; i < n; i++) large |= x[i] > .5;
    EXPECT(t, CHECK_VALUE, !(large && n >= 2));
    EXPECT(t, CHECK_TREE, more || !more);
}

static const conformance_test picky = {.suite = "self", .id = "self/picky", .name = "test_picky", .what = "", .run = run_picky};

static trial failing_case(void)
{
    for (int n = 0;; n++) {
        trial t = opened(&picky, &full, n, VN_F64);
        trial_run(&t);
        if (t.outcome.failing && t.inputs[0].count > 8) return t;
        trial_close(&t);
    }
}

TEST(shrinking)
{
    trial t = failing_case();
    shrink(&t);
    CHECK(t.outcome.failing && t.inputs[0].count == 2 && t.choices[1].value == 0);
    double a = t.inputs[0].values[0], b = t.inputs[0].values[1];
    CHECK((a == 0 && b == 1) || (a == 1 && b == 0));
    trial_close(&t);
}

TEST(keeping)
{
    char folder[] = "/tmp/vinea cases XXXXXX", path[128], problem[1200], shown[200];
    CHECK(mkdtemp(folder) != NULL);
    plan p = full;
    p.out = folder;
    trial t = failing_case(), small = opened(&picky, &p, t.number, VN_F64), again = opened(&picky, &p, t.number, VN_F64);
    trial_run(&small);
    shrink(&small);
    CHECK(case_write(&p, "cases/self-picky-native.json", &t, &small));
    snprintf(path, sizeof path, "%s/cases/self-picky-native.json", folder);
    CHECK(case_read(path, &again, problem, sizeof problem) && again.n_given == small.n_choices);
    trial_run(&again);
    CHECK(again.outcome.failing && again.inputs[0].count == 2 &&
          !memcmp(again.inputs[0].values, small.inputs[0].values, 2 * sizeof(double)));
    case_text(&again, shown, sizeof shown);
    CHECK(!strcmp(shown, "x = float64(2) {0, 1}") || !strcmp(shown, "x = float64(2) {1, 0}"));
    case_text(&t, shown, 20);
    CHECK(strlen(shown) == 19 && !strcmp(shown + 16, "..."));
    trial other = opened(&picky, &p, t.number + 1, VN_F64), none = opened(&picky, &p, 0, VN_F64);
    CHECK(!case_read(path, &other, problem, sizeof problem) && strstr(problem, "not case"));
    CHECK(!case_read("nowhere/at/all", &none, problem, sizeof problem) && strstr(problem, "nowhere/at/all"));
    trial_close(&t), trial_close(&small), trial_close(&again), trial_close(&other), trial_close(&none);
    unlink(path);
    snprintf(path, sizeof path, "%s/cases", folder);
    CHECK(!rmdir(path) && !rmdir(folder));
}

/* ---- lists ---- */

TEST(lists)
{
    int n = 0;
    const conformance_test **all = list_tests(&(plan){.suite = "seeds"}, &n);
    CHECK(n == 50);
    for (int i = 0; i < n; i++) {
        CHECK(all[i]->run && *all[i]->what && matrix_verdict(all[i], "torch") && !matrix_verdict(all[i], "native"));
        for (int k = 0; k < i; k++) CHECK(strcmp(all[i]->id, all[k]->id) != 0);
    }
    CHECK(!strcmp(matrix_verdict(all[0], "jax"), "failure") && !strcmp(matrix_verdict(all[0], "torch"), "success"));
    CHECK(list_excluded(all[0], "numpy", "float16") && !list_excluded(all[0], "numpy", "float32"));
    free(all);
    all = list_tests(&(plan){.test = "stop_gradient"}, &n);
    CHECK(n == 2);
    free(all);
    CHECK(!list_tests(&(plan){.suite = "seed"}, &n) && n == 0);
    all = list_tests(&(plan){.test = "ops/add"}, &n);
    for (int k = 0; k < 6; k++) { /* a brief plan takes one dtype of each kind */
        static const uint32_t kinds[] = {VN_BIT(VN_BOOL), VN_SIGNED, VN_UNSIGNED, VN_HALF, VN_BIT(VN_F32) | VN_BIT(VN_F64), VN_COMPLEX};
        uint32_t whole = list_dtypes(&(plan){.suite = NULL}, all[0]) & kinds[k],
                 brief = list_dtypes(&(plan){.brief = true}, all[0]) & kinds[k];
        CHECK(!(brief & ~whole) && (brief != 0) == (whole != 0) && !(brief & (brief - 1)));
    }
    free(all);
    CHECK(is_test("002/stop_gradient") && is_test("ops/add") && !is_test("stop_gradient") && !known_failure("torch", "002/grad"));
}

TEST_MAIN
