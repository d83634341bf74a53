/* custom_gradient.c: a function with a custom gradient. Learns weights that are multiples of 1/4. Rounding has derivative 0
 * almost everywhere, so nothing can be learned through it; with a rule that passes the gradient through unchanged (the straight-through
 * estimator) it learns.
 *
 *     build/examples/custom_gradient [engine]
 */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *to_quarters(vn_array *x, void *user)
{
    (void)user;
    return vn_div(vn_round(vn_mul(x, vn_scalar(4))), vn_scalar(4));
}

/* Gets x, the function's result, and the gradient of the loss for the result; returns the gradient for x. */
static vn_array *straight_through(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)x, (void)y, (void)user;
    return upstream;
}

typedef struct {
    vn_array *x, *y;
    vn_fn *quantize;                                          /* NULL: plain rounding */
} problem;

static vn_array *quantized(const vn_tree *p, const problem *q)
{
    vn_array *w = vn_tree_get(p, "w");
    return q->quantize ? vn_fn_call(q->quantize, w) : to_quarters(w, NULL);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    const problem *q = data;
    return vn_mse_loss(vn_matmul(q->x, quantized(p, q)), q->y);
}

/* The loss after 200 steps from zeros. */
static double train(const char *title, problem *q)
{
    VN_SCOPE;
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.02);
    double loss = 0;
    for (int step = 0; step < 200; step++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *now = vn_value_and_grad(loss_of, p, q, &grads);
        vn_step(sgd, p, grads);
        loss = vn_item(now);
    }
    printf("%-22s loss %.6f, weights %s\n", title, loss, vn_text(vn_flatten(quantized(p, q))));
    return loss;
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "custom_gradient: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    problem q = {.x = vn_random_normal(0, 1, VN_SHAPE(256, 3))};
    q.y = vn_matmul(q.x, vn_from((float[]){2, -1.25f, .5f}, VN_SHAPE(3, 1)));
    vn_eval(2, (vn_array *[]){q.x, q.y});

    const double rounded = train("derivative of rounding", &q);
    q.quantize = vn_bind_custom_gradient(to_quarters, straight_through, NULL);
    const double learned = train("straight through", &q);

    if (vn_status()) fprintf(stderr, "custom_gradient: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(rounded > 1 && learned < 1e-6);
}
