/* lbfgs.c: L-BFGS, after Optax's example of it: as a plain optimizer with a learning rate, and as a solver that searches along each direction, so
 * that nothing has to be tuned. A quadratic, Rosenbrock's function in eight dimensions, Zakharov's from a start that asks for long searches, and softmax
 * regression on the digits, whose loss has one minimum. tests/package/models.sh compares what is reached with PyTorch's L-BFGS.
 *
 *     build/examples/lbfgs [engine [steps]]                  from the repository's root
 */
/* ctest: args 30 */
/* ctest: seconds 0.5 */
/* ctest: seconds 8 on jax */
/* ctest: full on jax */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "digits.h"

enum { MOST_STEPS = 10000 };

static vn_array *part(vn_array *w, int64_t first, int64_t n)  /* w[first], ..., n of them */
{
    return vn_slice_step(w, VN_LIST(first), VN_LIST(first + n));
}

/* ---- what is minimised, of p/w ---- */

static vn_array *quadratic(const vn_tree *p, void *data)      /* (w - 1)^T A (w - 1) / 2 */
{
    vn_array *d = vn_sub(vn_tree_get(p, "w"), vn_scalar(1));
    return vn_div(vn_sum(vn_mul(d, vn_matmul(data, d)), VN_ALL), vn_scalar(2));
}

static vn_array *rosenbrock(const vn_tree *p, void *data)
{
    vn_array *w = vn_tree_get(p, "w");
    const int64_t n = vn_dim(w, 0) - 1;
    vn_array *here = part(w, 0, n), *next = part(w, 1, n);
    (void)data;
    return vn_sum(vn_add(vn_mul(vn_square(vn_sub(next, vn_square(here))), vn_scalar(100)), vn_square(vn_sub(vn_scalar(1), here))), VN_ALL);
}

static vn_array *zakharov(const vn_tree *p, void *data)
{
    vn_array *w = vn_tree_get(p, "w");
    vn_array *sum = vn_sum(vn_mul(w, vn_mul(vn_arange(1, (double)vn_dim(w, 0) + 1, 1, VN_F64), vn_scalar(.5))), VN_ALL);
    (void)data;
    return vn_add(vn_sum(vn_square(w), VN_ALL), vn_add(vn_square(sum), vn_square(vn_square(sum))));
}

static vn_array *regression(const vn_tree *p, void *data)     /* p: w (10, 64), b (10) */
{
    const digits *d = data;
    vn_array *w = vn_tree_get(p, "w"), *scores = vn_linear(d->x, w, vn_tree_get(p, "b"));
    return vn_add(vn_cross_entropy(scores, d->label), vn_mul(vn_sum(vn_square(w), VN_ALL), vn_scalar(1e-3)));
}

/* ---- minimising ---- */

/* Steps until the gradient is shorter than `least`, at most `most`; prints and returns the value reached. */
static double solve(const char *name, vn_loss_fn fn, vn_tree *p, void *data, vn_optim *o, int most, double least)
{
    double value = NAN, length = NAN, before = NAN;
    int step = 0;
    for (;; step++) {
        VN_SCOPE;
        vn_tree *grads;
        value = vn_item(vn_value_and_grad(fn, p, data, &grads));
        length = vn_item(vn_tree_norm(grads));
        if (step == 0) before = value;
        if (!(length >= least) || step == most) break;        /* also after an error: then it is NaN */
        vn_optim_minimize(o, fn, p, data);
    }
    printf("%-24s from %.3e to %.3e in %d steps, gradient %.1e\n", name, before, value, step, length);
    return value;
}

static vn_tree *begin(vn_array *w)
{
    return vn_tree_of("w", w, NULL);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "lbfgs: %s\n", vn_message());
        return vn_close();
    }
    const int steps = argc > 2 ? atoi(argv[2]) : 200;
    if (steps < 1 || steps > MOST_STEPS) return fprintf(stderr, "lbfgs: steps are 1 to %d\n", MOST_STEPS), vn_close(), 2;
    vn_seed(1);
    digits train, test;
    if (!digits_load(&train, &test)) return 1;
    train.x = vn_cast(train.x, VN_F64), test.x = vn_cast(test.x, VN_F64);

    vn_array *a = vn_cast(vn_random_normal(0, 1, VN_SHAPE(8, 8)), VN_F64);
    a = vn_matmul(a, vn_swapaxes(a, 0, 1));
    solve("quadratic, rate 0.1", quadratic, begin(vn_cast(vn_random_normal(0, 1, VN_SHAPE(8)), VN_F64)), a, vn_lbfgs(.1), 16, 1e-3);
    const double valley = solve("Rosenbrock, zoom", rosenbrock, begin(vn_zeros(VN_SHAPE(8), VN_F64)), NULL, vn_zoom(vn_lbfgs(1)), 50, 1e-3);

    const double far[] = {600, 700, 200, 100, 90, 1e4};
    const double plain = solve("Zakharov, zoom", zakharov, begin(vn_from_host(far, VN_F64, VN_SHAPE(6))), NULL,
                               vn_zoom(vn_lbfgs(1), VN_OPTS(zoom, .max_evaluations = 50)), 50, 1e-3);

    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(10, 64), VN_F64), "b", vn_zeros(VN_SHAPE(10), VN_F64), NULL);
    const double loss = solve("digits, zoom", regression, p, &train, vn_zoom(vn_lbfgs(1)), steps, 1e-6);
    const double accuracy = vn_item(vn_accuracy(vn_linear(test.x, vn_tree_get(p, "w"), vn_tree_get(p, "b")), test.label));
    printf("loss %.10f, accuracy %.2f %% on %d digits it has not seen\n", loss, 100 * accuracy, DIGITS_TEST);
    if (vn_status()) fprintf(stderr, "lbfgs: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(valley < 1e-6 && plain < 1e-6 && accuracy > .85);
}
