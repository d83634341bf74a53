/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: layers have variables and a forward function; Sequential calls one after the other. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_seed(1);
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(4, 8), vn_nn_relu(), vn_nn_linear(8, 3), vn_nn_softmax(-1));
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(2, 4));
    printf("%s\n", vn_module_summary(net, x));
    printf("%s\n", vn_text(vn_sum(vn_module_call(net, x), VN_AXES(1))));
    return vn_close();
}

/* prints
layer                            output                 parameters        bytes
Sequential_0                     2x3                            67          268
  Linear_0 submodules/v0         2x8                            40          160
  Activation_0 submodules/v1     2x8                             0            0
  Linear_1 submodules/v2         2x3                            27          108
  Activation_1 submodules/v3     2x3                             0            0
total                                                           67          268

[1. 1.]
*/
