/* SPDX-License-Identifier: Apache-2.0 */
/* curves.c: training follows the native engine's loss curve on every engine, from the same seed: a perceptron with SGD 0.1 and a
 * convolutional network with Adam 1e-3, 50 steps each, in float32 and float64. Data, initial parameters and batches come from the
 * seed, with the same bits everywhere; only rounding differs. */
/* ctest: engines */
/* ctest: full on jax */
/* ctest: env VINEA_STRICT=1 */
#include "check.h"

enum { STEPS = 50, BATCH = 16, CLASSES = 4 };

typedef struct {
    const char *name;
    vn_module *(*network)(void);
    vn_optim *(*optimizer)(void);
    vn_shape input;
} training;

static vn_module *perceptron(void)
{
    return VN_SEQUENTIAL(vn_nn_linear(8, 32, NULL), vn_nn_tanh(), vn_nn_linear(32, 32, NULL), vn_nn_relu(),
                         vn_nn_linear(32, CLASSES, NULL));
}

static vn_module *convolutions(void)
{
    return VN_SEQUENTIAL(vn_nn_conv2d(1, 8, VN_LIST(3), VN_OPTS(nn_conv, .padding = "SAME")), vn_nn_relu(),
                         vn_nn_max_pool2d(VN_LIST(2), NULL), vn_nn_conv2d(8, 8, VN_LIST(3), NULL),
                         vn_nn_gelu(VN_OPTS(nn_gelu, .approximate = 1)), vn_nn_flatten(1, -1), vn_nn_linear(32, CLASSES, NULL));
}

static vn_optim *sgd(void)
{
    return vn_sgd(.1, NULL);
}

static vn_optim *adam(void)
{
    return vn_adam(1e-3, NULL);
}

typedef struct {
    vn_array *x, *label;
} batch;

static vn_array *loss_of(vn_module *m, void *data)
{
    const batch *b = data;
    return vn_cross_entropy(vn_module_call(m, b->x, NULL), b->label, VN_NONE, -1, NULL);
}

/* Noise with a class: the entries of one quarter, that of the label, are larger. */
static batch make_batch(vn_shape shape, vn_dtype dtype)
{
    vn_array *label = vn_random_randint(0, CLASSES, VN_SHAPE(BATCH));
    vn_array *noise = vn_reshape(vn_random_normal(0, 1, shape), VN_SHAPE(BATCH, CLASSES, -1));
    vn_array *bump = vn_reshape(vn_one_hot(label, CLASSES, VN_F32), VN_SHAPE(BATCH, CLASSES, 1));
    return (batch){vn_cast(vn_reshape(vn_add(noise, bump), shape), dtype), label};
}

/* The same 50 losses in every process and on every engine, but for rounding. */
static void train(const training *t, const char *engine, vn_dtype dtype, double *losses)
{
    VN_SCOPE;
    CHECK(vn_use(engine) == VN_OK && vn_seed(2024) == VN_OK);
    vn_module *m = vn_module_cast(t->network(), dtype);
    vn_optim *o = t->optimizer();
    for (int step = 0; step < STEPS; step++) {
        VN_SCOPE;
        batch b = make_batch(t->input, dtype);
        CHECK(vn_eval(2, (vn_array *const[]){b.x, b.label}) == VN_OK);
        vn_tree *grads;
        vn_array *loss = vn_module_value_and_grad(m, loss_of, &b, &grads);
        CHECK(loss && vn_step(o, vn_module_v(m), grads) == VN_OK && vn_dtype_of(loss) == dtype);
        CHECK(loss && !strcmp(vn_engine_of(loss), engine));
        losses[step] = vn_item(loss);
    }
}

/* The largest relative difference of two curves; NaN counts as infinite. */
static double apart(const double *curve, const double *reference)
{
    double most = 0;
    for (int k = 0; k < STEPS; k++) {
        double d = fabs(curve[k] - reference[k]) / fabs(reference[k]);
        if (!(d <= most)) most = isnan(d) ? INFINITY : d;
    }
    return most;
}

static double mean_of(const double *losses, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += losses[k];
    return sum / n;
}

static void compare(const training *t, const char *engine, vn_dtype dtype, double tolerance)
{
    double reference[STEPS], curve[STEPS];
    check_name = t->name;
    train(t, "native", dtype, reference);
    CHECK(mean_of(reference + STEPS - 10, 10) < .9 * mean_of(reference, 10)); /* it learns: a flat curve would prove nothing */
    train(t, engine, dtype, curve);
    double most = apart(curve, reference);
    printf("%s, %s, %s: largest relative difference from native %.2g (allowed %g), loss %.4f to %.4f\n", engine, t->name,
           vn_dtype_name(dtype), most, tolerance, curve[0], curve[STEPS - 1]);
    CHECK(most <= tolerance);
}

int main(int argc, char **argv)
{
    const char *engine = argc > 1 ? argv[1] : "native";
    use_engine(argc, argv);
    const training trainings[] = {{"perceptron with SGD 0.1", perceptron, sgd, VN_SHAPE(BATCH, 8)},
                                  {"convolutions with Adam 0.001", convolutions, adam, VN_SHAPE(BATCH, 8, 8, 1)}};
    for (int k = 0; k < 2; k++) {
        compare(&trainings[k], engine, VN_F32, 1e-4);
        compare(&trainings[k], engine, VN_F64, 1e-9);
    }
    return finish();
}
