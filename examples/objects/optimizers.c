/* SPDX-License-Identifier: Apache-2.0 */
/* Optimizers: each has its learning rate and options, keeps its state, and moves a tree of parameters along their gradients. */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *bowl(const vn_tree *p, void *data)
{
    return vn_sum(vn_square(vn_sub(vn_tree_get(p, "x"), data)), VN_ALL);
}

int main(void)
{
    vn_array *goal = vn_from((float[]){1, -2}, VN_SHAPE(2));
    vn_optim *made[] = {vn_sgd(.1), vn_sgd(.1, VN_OPTS(sgd, .momentum = .5)), vn_adam(.5), vn_optim_parse("lion(0.1)")};
    for (int k = 0; k < 4; k++) {
        vn_tree *p = vn_tree_of("x", vn_zeros(VN_SHAPE(2), VN_F32), NULL), *grads;
        for (int step = 0; step < 30; step++) {
            VN_SCOPE;
            vn_value_and_grad(bowl, p, goal, &grads);
            vn_step(made[k], p, grads);
        }
        vn_array *percent = vn_round(vn_mul(vn_tree_get(p, "x"), vn_scalar(100)));
        printf("%-5s %lld steps: %s\n", vn_optim_name(made[k]), (long long)vn_optim_steps(made[k]), vn_text(percent));
    }
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
sgd   30 steps: [ 100. -200.]
sgd   30 steps: [ 100. -200.]
adam  30 steps: [  86. -224.]
lion  30 steps: [ 100. -300.]
*/
