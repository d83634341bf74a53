/* regression.c: fits a line by gradient descent. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_reshape(vn_sin(vn_arange(0, 60)), VN_SHAPE(20, 3));
    vn_array *y = vn_add(vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1))), vn_scalar(1));
    vn_array *p[] = {vn_variable(vn_zeros(VN_SHAPE(3, 1), VN_F32)), vn_variable(vn_zeros(VN_SHAPE(1), VN_F32))}, *g[2];
    vn_optim *sgd = vn_sgd(.1);
    for (int step = 0; step <= 40; step++) {
        VN_SCOPE;
        vn_array *loss = vn_mse_loss(vn_add(vn_matmul(x, p[0]), p[1]), y);
        vn_grads(loss, 2, p, NULL, g);
        vn_step(sgd, vn_tree_list(2, p), vn_tree_list(2, g));
        if (step % 20 == 0) printf("%2d  loss %.5f\n", step, vn_item(loss));
    }
    if (vn_status()) fprintf(stderr, "regression: %s\n", vn_message());
    return vn_close();
}
