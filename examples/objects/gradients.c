/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients: of a loss with respect to a tree of parameters, and of any order for functions of one array. */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array *error = vn_sub(vn_matmul(data, vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(error), VN_ALL);
}

static vn_array *cube(vn_array *x, void *user)
{
    (void)user;
    return vn_sum(vn_mul(x, vn_square(x)), VN_ALL);
}

int main(void)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2));
    vn_tree *grads, *p = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), "b", vn_scalar(1), NULL);
    vn_array *loss = vn_value_and_grad(loss_of, p, x, &grads);
    printf("loss %g, w %s", vn_item(loss), vn_text(vn_tree_get(grads, "w")));
    printf(", b %s\n", vn_text(vn_tree_get(grads, "b")));
    vn_array *at = vn_from((float[]){1, 2}, VN_SHAPE(2));
    printf("first %s\n", vn_text(vn_grad_of(cube, at, NULL)));
    printf("second\n%s\n", vn_text(vn_hessian_of(cube, at, NULL)));
    return vn_close();
}

/* prints
loss 20, w [20. 28.], b -8.0
first [ 3. 12.]
second
[[ 6.  0.]
 [ 0. 12.]]
*/
