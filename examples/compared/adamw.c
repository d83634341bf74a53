/* adamw.c: three steps of AdamW on a network of two layers, which is then saved. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_reshape(vn_sin(vn_arange(0, 64)), VN_SHAPE(16, 4)), *y = vn_sum(x, VN_KEEP(-1));
    vn_array *w = vn_reshape(vn_sin(vn_arange(0, 32)), VN_SHAPE(8, 4)), *b = vn_sin(vn_arange(0, 8)), *g[4];
    vn_array *p[] = {vn_variable(w), vn_variable(b), vn_variable(vn_expand_dims(b, 0)), vn_variable(vn_zeros(VN_SHAPE(1), VN_F32))};
    vn_optim *adamw = vn_adamw(.01);
    for (int step = 0; step < 3; step++) {
        VN_SCOPE;
        vn_array *loss = vn_mse_loss(vn_linear(vn_relu(vn_linear(x, p[0], p[1])), p[2], p[3]), y);
        vn_grads(loss, 4, p, NULL, g);
        vn_step(adamw, vn_tree_list(4, p), vn_tree_list(4, g));
        printf("%d  loss %.5f\n", step, vn_item(loss));
    }
    vn_save("model.safetensors", vn_tree_of("w1", p[0], "b1", p[1], "w2", p[2], "b2", p[3], NULL));
    if (vn_status()) fprintf(stderr, "adamw: %s\n", vn_message());
    return vn_close();
}
