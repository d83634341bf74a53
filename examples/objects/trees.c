/* SPDX-License-Identifier: Apache-2.0 */
/* Trees: ordered maps from names to arrays, trees, numbers or null. Parameters, gradients, states and files are trees. */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *doubled(vn_array *x, void *user)
{
    (void)user;
    return vn_mul(x, vn_scalar(2));
}

int main(void)
{
    vn_tree *encoder = vn_tree_of("w", vn_ones(VN_SHAPE(2, 2), VN_F32), "b", vn_zeros(VN_SHAPE(2), VN_F32), NULL);
    vn_tree *p = vn_tree_of("scale", vn_scalar(3), NULL);
    vn_tree_set_tree(p, "encoder", encoder);
    printf("%s\n", vn_tree_text(p));
    for (int i = 0; i < vn_tree_leaves(p); i++) printf("%s\n", vn_tree_leaf_key(p, i));
    vn_tree *q = vn_tree_map_arrays(p, doubled, NULL);
    printf("encoder/w doubled:\n%s\n", vn_text(vn_tree_get(q, "encoder/w")));
    return vn_close();
}

/* prints
{
    encoder: {
        b: [0. 0.]
        w: [[1. 1.]
            [1. 1.]]
    }
    scale: 3.0
}
encoder/b
encoder/w
scale
encoder/w doubled:
[[2. 2.]
 [2. 2.]]
*/
