/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisers: how the variables of a layer begin. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_seed(1);
    printf("%s\n", vn_text(vn_init_array(vn_init_constant(.5), VN_SHAPE(3), 0, 0, VN_F32)));
    vn_array *w = vn_init_array(vn_init_kaiming_normal(0), VN_SHAPE(256, 64), 256, 64, VN_F32);
    printf("deviation %.3f, expected %.3f\n", vn_item(vn_std(w, VN_ALL, 0)), 0.0883883); /* sqrt(2 / 256) */
    vn_module *layer = vn_nn_linear(2, 3, VN_OPTS(nn_linear, .w_init = vn_init_ones()));
    printf("%s\n", vn_text(vn_module_call(layer, vn_ones(VN_SHAPE(1, 2), VN_F32))));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
[0.5 0.5 0.5]
deviation 0.088, expected 0.088
[[2. 2. 2.]]
*/
