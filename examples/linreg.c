/* linreg.c: fits a line to data. The README's example: arrays, a loss, its gradients, a step, and scopes that free what a step made.
 *
 *     build/examples/linreg [engine]
 */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_add(vn_matmul(xy[0], vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, xy[1])), VN_ALL);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {             /* torch, jax, tensorflow, numpy ... */
        fprintf(stderr, "linreg: %s\n", vn_message());
        return vn_close();
    }
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1);

    for (int step = 0; step <= 100; step++) {
        VN_SCOPE;                                             /* what this step made is freed at its end */
        vn_tree *grads;
        vn_array *loss = vn_value_and_grad(loss_of, p, (vn_array *[]){x, y}, &grads);
        vn_step(sgd, p, grads);
        if (step % 50 == 0) printf("%3d  loss %.8f\n", step, vn_item(loss));
    }
    if (vn_status()) fprintf(stderr, "linreg: %s\n", vn_message());
    return vn_close();
}
