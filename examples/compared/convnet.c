/* convnet.c: trains a small convolutional network that is written with ops. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_reshape(vn_sin(vn_arange(0, 512)), VN_SHAPE(8, 8, 8, 1));
    vn_array *labels = vn_remainder(vn_arange(0, 8, 1, VN_I64), vn_scalar(3));
    vn_array *p[] = {vn_variable(vn_reshape(vn_sin(vn_arange(0, 36)), VN_SHAPE(3, 3, 1, 4))),
                     vn_variable(vn_reshape(vn_sin(vn_arange(0, 12)), VN_SHAPE(4, 3)))}, *g[2];
    vn_optim *sgd = vn_sgd(.1);
    for (int step = 0; step <= 40; step++) {
        VN_SCOPE;
        vn_array *h = vn_relu(vn_conv2d(x, p[0], VN_NONE, VN_OPTS(conv2d, .padding = "SAME")));
        vn_array *pooled = vn_mean(vn_max_pool2d(h, VN_LIST(2)), VN_AXES(1, 2));
        vn_array *loss = vn_cross_entropy(vn_matmul(pooled, p[1]), labels);
        vn_grads(loss, 2, p, NULL, g);
        vn_step(sgd, vn_tree_list(2, p), vn_tree_list(2, g));
        if (step % 20 == 0) printf("%2d  loss %.5f\n", step, vn_item(loss));
    }
    if (vn_status()) fprintf(stderr, "convnet: %s\n", vn_message());
    return vn_close();
}
