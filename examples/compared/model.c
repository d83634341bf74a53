/* model.c: loads the network that adamw.c saved and runs it. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_tree *p = vn_load("model.safetensors");
    vn_array *x = vn_reshape(vn_cos(vn_arange(0, 8)), VN_SHAPE(2, 4));
    vn_array *h = vn_relu(vn_linear(x, vn_tree_get(p, "w1"), vn_tree_get(p, "b1")));
    const float *y = vn_data(vn_linear(h, vn_tree_get(p, "w2"), vn_tree_get(p, "b2")));
    for (int i = 0; y && i < 2; i++) printf("%d  %.5f\n", i, y[i]);
    if (vn_status()) fprintf(stderr, "model: %s\n", vn_message());
    return vn_close();
}
