/* SPDX-License-Identifier: Apache-2.0 */
/* nn_activations.c: derivatives at kinks, at zeros and for large inputs, where differences cannot check them. */
#include "nn.h"

/* d op(x) / dx of each element, as float64. */
static void derivative(const char *op, const vn_option *options, int n_options, const double *at, int n, double *to)
{
    VN_SCOPE;
    vn_array *x = vn_variable(vn_from_host(at, VN_F64, VN_SHAPE(n))), *z = NULL;
    CHECK(vn_call(op, &x, 1, options, n_options, &z, 1) == VN_OK);
    vn_array *g = z ? vn_grad(vn_sum(z, VN_ALL), x) : NULL;
    CHECK(g && vn_read(g, to, (size_t)n * sizeof *to) == VN_OK);
}

static void kinks(void)
{
    static const struct {
        const char *op;
        double at[3], is[3];
    } rows[] = {
        {"relu", {0, -1e300, 1e300}, {0, 0, 1}},
        {"relu6", {0, 6, 1e300}, {0, .5, 0}},
        {"leaky_relu", {0, -1e300, 1e300}, {.01, .01, 1}},
        {"elu", {0, -1e300, 1e300}, {1, 0, 1}},
        {"celu", {0, -1e300, 1e300}, {1, 0, 1}},
        {"selu", {1e-300, -1e300, 1e300}, {1.0507009873554804934, 0, 1.0507009873554804934}},
        {"gelu", {0, -1e6, 1e6}, {.5, 0, 1}},
        {"silu", {0, -1e300, 1e300}, {.5, 0, 1}},
        {"mish", {0, -1e300, 1e300}, {.6, 0, 1}},
        {"log_sigmoid", {0, -1e300, 1e300}, {.5, 1, 0}},
        {"softsign", {0, -1e150, 1e150}, {1, 0, 0}},
        {"hardtanh", {1, -1, 1e300}, {.5, .5, 0}},
        {"hardswish", {0, -1e300, 1e300}, {.5, 0, 1}},
        {"softshrink", {0, .5, 1e300}, {0, 0, 1}},
        {"hardshrink", {0, .5, 1e300}, {0, 0, 1}},
        {"norm", {0, 0, 0}, {0, 0, 0}},
        {"norm", {3e200, 0, -4e200}, {.6, 0, -.8}},
        {"norm", {3e-300, 0, 4e-300}, {.6, 0, .8}},
        {"sinc", {0, 1, 1e-300}, {0, -1, 0}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double got[3] = {NAN, NAN, NAN};
        derivative(rows[k].op, NULL, 0, rows[k].at, 3, got);
        for (int j = 0; j < 3; j++) CHECK(fabs(got[j] - rows[k].is[j]) < 1e-12);
    }
}

/* Orders for which powers of 0 have no derivative. */
static void norms_at_0(void)
{
    static const double orders[] = {.5, 1, 1.5, 3, INFINITY}, at[3] = {0, 0, 0};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        double got[3] = {NAN, NAN, NAN};
        const vn_option order = {.name = "order", .kind = VN_OPT_FLOAT, .n = 1, .u.f = orders[k]};
        derivative("norm", &order, 1, at, 3, got);
        for (int j = 0; j < 3; j++) CHECK(got[j] == 0);
    }
}

/* A derivative of too high an order is an error. */
static void highest_order(void)
{
    VN_SCOPE;
    vn_array *x = vn_variable(vn_full(vn_scalar(2), VN_0D, VN_F64));
    CHECK_FAILS(vn_grad(vn_polygamma(x, 8), x), VN_E_ARG, "order 9");
}

static const conformance_test rows[] = {
    NN("nn/activations", "activation_kinks", kinks,
       "derivatives of activations at kinks and far away, where differences cannot check them"),
    NN("nn/activations", "norms_at_0", norms_at_0, "norms have the derivative 0 at 0"),
    NN("nn/activations", "polygamma_order", highest_order, "the derivative of the highest order of polygamma is refused by name"),
};

const nn_part nn_activations = NN_PART(rows);
