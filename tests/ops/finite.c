/* SPDX-License-Identifier: Apache-2.0 */
/* finite.c: VINEA_CHECK=finite and VINEA_CHECK=nan name the op that makes the first NaN or infinity, its inputs and its place, on every
 * engine; what they do not report computes the same results as without them. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: seconds 4 */
/* ctest: env VINEA_CHECK=finite */
#include "check.h"

static char engine[64];

static void check_as(const char *what) /* the setting is read when the library is opened */
{
    vn_close();
    setenv("VINEA_CHECK", what, 1);
    CHECK(vn_use(engine) == VN_OK);
}

static vn_array *numbers(int n, const float *x)
{
    return vn_from(x, VN_SHAPE(n));
}
#define NUMBERS(...) numbers((int)(sizeof((const float[]){__VA_ARGS__}) / sizeof(float)), (const float[]){__VA_ARGS__})

/* Computes x, which fails; the message has all these words. */
static void check_report(vn_array *x, int n, const char *const *words)
{
    CHECK(vn_eval(1, &x) == VN_E_NOT_FINITE);
    for (int k = 0; k < n; k++) {
        CHECK(strstr(vn_message(), words[k]) != NULL);
        if (!strstr(vn_message(), words[k])) fprintf(stderr, "  no \"%s\" in %s\n", words[k], vn_message());
    }
    CHECK(strlen(vn_message()) < 1023); /* nothing was cut off */
    vn_clear();
}
#define REPORTS(x, ...) check_report(x, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]){__VA_ARGS__})

TEST(forward)
{
    char place[128];
    snprintf(place, sizeof place, " (%s, op 2 of 3 evaluated together, called at ", engine);
    vn_array *y = vn_square(vn_log(vn_abs(NUMBERS(-3, 0, 1))));
    REPORTS(y, "log: makes the first infinity: its result (float32 3) has 1 infinity: -inf at [1]; x (float32 3) is finite, 0 to 3", place,
            "finite+0x"); /* the name of the test's binary ends so */
    REPORTS(vn_sqrt(vn_reshape(NUMBERS(4, -1, 0, -4), VN_SHAPE(2, 2))),
            "sqrt: makes the first NaN: its result (float32 2x2) has 2 NaN: first nan at [0, 1]; x (float32 2x2) is finite, -4 to 4");
    REPORTS(vn_add(vn_scalar(1), vn_div(NUMBERS(1), vn_zeros(VN_0D, VN_F32))), "div: makes the first infinity", "x (float32 1) is finite",
            "y (float32 0-d) is finite, 0 to 0");
}

TEST(the_first_op_is_reported_and_no_later_one)
{
    vn_array *y = vn_exp(NUMBERS(1, 100)), *z = vn_sub(y, y), *both[] = {z, y};
    REPORTS(z, "exp: makes the first infinity");
    CHECK_FAILS(vn_eval(2, both), VN_E_NOT_FINITE, "exp: makes the first infinity");
    CHECK_FAILS(vn_item(vn_sum(z, VN_ALL)), VN_E_NOT_FINITE, "exp: makes the first infinity"); /* it stays pending, and is found again */
}

/* What the data contains was not made by an op; NaN made of an infinity was. */
TEST(inputs_that_are_not_finite)
{
    vn_array *x = NUMBERS(1, INFINITY, -INFINITY), *n = NUMBERS(1, NAN);
    CHECK(isinf(vn_item(vn_max(vn_mul(x, vn_scalar(2)), VN_ALL))) && isnan(vn_item(vn_sum(vn_exp(n), VN_ALL))));
    CHECK(vn_item(vn_min(vn_softmax(x, -1), VN_ALL)) == 0 || vn_status()); /* inf - inf, where softmax is made of other ops */
    vn_clear();
    REPORTS(vn_sub(x, x), "sub: makes the first NaN", "has 2 NaN: first nan at [1]", "x (float32 3) has 2 infinities: first inf at [1]");
    CHECK(isinf(vn_item(vn_full(vn_scalar(INFINITY), VN_0D, VN_F32))));
}

TEST(half_precision_and_complex)
{
    vn_array *h = vn_cast(NUMBERS(60000, 2), VN_F16);
    REPORTS(vn_add(h, h),
            "add: makes the first infinity: its result (float16 2) has 1 infinity: inf at [0]; x (float16 2) is finite, 2 to 60000");
    REPORTS(vn_cast(NUMBERS(1, 65520), VN_F16), "cast: makes the first infinity: its result (float16 2) has 1 infinity: inf at [1]");
    vn_array *b = vn_cast(NUMBERS(3e38f), VN_BF16);
    REPORTS(vn_mul(b, b), "mul: makes the first infinity: its result (bfloat16 1)");
    vn_array *d = vn_exp(vn_full(vn_scalar(710), VN_SHAPE(2, 3, 2), VN_F64));
    REPORTS(d, "exp: makes the first infinity: its result (float64 2x3x2) has 12 infinities: first inf at [0, 0, 0]");
    vn_array *c = vn_cast(NUMBERS(1e30f), VN_C64);
    REPORTS(vn_mul(c, c), "mul: makes the first infinity: its result (complex64 1)");
}

static vn_array *root_loss(const vn_tree *p, void *unused)
{
    (void)unused;
    return vn_sum(vn_sqrt(vn_tree_get(p, "w")), VN_ALL);
}

TEST(backward_pass)
{
    vn_tree *p = vn_tree_of("w", NUMBERS(4, 0), NULL), *g = NULL;
    vn_array *loss = vn_value_and_grad(root_loss, p, NULL, &g);
    CHECK(vn_item(loss) == 2);
    REPORTS(vn_tree_get(g, "w"), "div: makes the first infinity", "in backward pass of sqrt");
}

TEST(step_of_an_optimizer)
{
    vn_tree *p = vn_tree_of("w", NUMBERS(4, 0), NULL), *g = NULL;
    vn_value_and_grad(root_loss, p, NULL, &g);
    vn_optim *adam = vn_adam(.1, NULL);
    CHECK_FAILS(vn_step(adam, p, g), VN_E_NOT_FINITE, "in backward pass of sqrt");
    CHECK(vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL)) == 4); /* nothing moved */
    g = vn_tree_of("w", NUMBERS(3e38f, 0), NULL);
    CHECK_FAILS(vn_step(adam, p, g), VN_E_NOT_FINITE, "makes the first infinity"); /* the square of the gradient */
}

static int logs(int n, vn_array *const *in, int n_out, vn_array **out, void *unused)
{
    (void)n, (void)n_out, (void)unused;
    out[0] = vn_log(in[0]);
    return 0;
}

TEST(captured_function)
{
    vn_fn *f = vn_capture(logs, 1, NULL);
    for (int again = 0; again < 2; again++) {
        vn_array *x = NUMBERS(1, 2), *y = NULL;
        CHECK(vn_fn_call_many(f, 1, &x, 1, &y) == VN_OK && vn_eval(1, &y) == VN_OK);
        x = NUMBERS(1, -2);
        CHECK(vn_fn_call_many(f, 1, &x, 1, &y) == VN_OK);
        REPORTS(y, "log: makes the first NaN");
    }
}

TEST(several_results_and_lists)
{
    vn_array *q = NULL, *r = NULL, *vectors = NULL;
    q = vn_qr(vn_full(vn_scalar(1e30), VN_SHAPE(2, 2), VN_F32), NULL, &r);
    CHECK(vn_eval(1, &q) == VN_OK || strstr(vn_message(), "qr: makes the first")); /* a kernel may scale or overflow */
    vn_clear();
    vn_array *e = vn_eigh(vn_from((float[]){1, INFINITY, INFINITY, 1}, VN_SHAPE(2, 2)), &vectors);
    vn_array *both[] = {e, vectors};
    if (!strcmp(engine, "native"))
        CHECK_FAILS(vn_eval(2, both), VN_E_NOT_FINITE, "eigh: makes the first NaN: values (float32 2) has 2 NaN");
    vn_array *parts[] = {NUMBERS(1), NUMBERS(3e38f)}, *all = vn_concat(2, parts, 0);
    REPORTS(vn_mul(all, all), "mul: makes the first infinity: its result (float32 2) has 1 infinity: inf at [1]");
}

/* A module's name, and the op of the user that others make up. */
static vn_array *forward_log(vn_module *m, vn_array *x)
{
    (void)m;
    return vn_log(x);
}

TEST(module_and_composed_op)
{
    static const vn_module_class logarithm = {.name = "Logarithm", .forward = forward_log};
    vn_module *m = vn_module_new(&logarithm, NULL, NULL);
    REPORTS(vn_module_call(m, NUMBERS(0), NULL), "log: makes the first infinity", ", in module Logarithm");
    vn_array *logarithms = NULL;
    vn_slogdet(vn_zeros(VN_SHAPE(2, 2), VN_F32), &logarithms);
    REPORTS(logarithms, "log: makes the first infinity", ", in slogdet, called at");
}

/* Positions outside that an op made of others means, statistics that attention keeps. */
TEST(what_is_meant_is_not_reported)
{
    vn_array *x = NUMBERS(1, 2, 3), *even = vn_greater(x, vn_scalar(1));
    vn_array *y = vn_mask_sized(x, even, 5, 7);
    CHECK(vn_eval(1, &y) == VN_OK && vn_item(vn_sum(y, VN_ALL)) == 26);
    CHECK(vn_item(vn_sum(vn_logaddexp(vn_zeros(VN_SHAPE(2), VN_F32), vn_zeros(VN_SHAPE(2), VN_F32)), VN_ALL)) > 1);
}

static vn_array *small_loss(const vn_tree *p, void *x)
{
    vn_array *h = vn_gelu(vn_matmul(x, vn_tree_get(p, "w")), NULL);
    return vn_mean(vn_square(vn_softmax(h, -1)), VN_ALL);
}

static double trained(void)
{
    VN_SCOPE;
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(16, 8));
    vn_tree *p = vn_tree_of("w", vn_random_normal(0, 1, VN_SHAPE(8, 4)), NULL), *g;
    vn_optim *adam = vn_adam(.1, NULL);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        vn_array *loss = vn_value_and_grad(small_loss, p, x, &g);
        CHECK(vn_step(adam, p, g) == VN_OK);
        sum += vn_item(loss);
    }
    return sum + vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL));
}

static void settings_do_not_change_results(void)
{
    check_as("0");
    const double without = trained();
    const char *const all[] = {"finite", "nan", "1"};
    for (int k = 0; k < 3; k++) {
        check_as(all[k]);
        CHECK(trained() == without); /* bit by bit */
    }
}

static void only_nan(void)
{
    check_as("nan");
    vn_array *y = vn_log(NUMBERS(0, 1)), *z = vn_mul(y, vn_scalar(0));
    CHECK(isinf(vn_item(vn_min(y, VN_ALL))));
    REPORTS(z, "mul: makes the first NaN", "x (float32 2) has 1 infinity: -inf at [0]");
}

static void off_by_default(void)
{
    unsetenv("VINEA_CHECK");
    vn_close();
    CHECK(vn_use(engine) == VN_OK);
    CHECK(isnan(vn_item(vn_log(vn_scalar(-1)))) && vn_status() == VN_OK);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    snprintf(engine, sizeof engine, "%s", vn_using());
    run_tests();
    run_test("settings_do_not_change_results", settings_do_not_change_results);
    run_test("only_nan", only_nan);
    run_test("off_by_default", off_by_default);
    return finish();
}
