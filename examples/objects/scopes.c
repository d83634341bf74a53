/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes: what is made in one is freed at its end. vn_pass hands a result to the scope outside, vn_keep takes an array out of all of them. */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *distance(vn_array *x, vn_array *y)
{
    VN_SCOPE; /* ends with the function */
    return vn_pass(vn_sqrt(vn_sum(vn_square(vn_sub(x, y)), VN_ALL)));
}

int main(void)
{
    vn_array *total = vn_keep(vn_scalar(0));
    for (int k = 1; k <= 3; k++) {
        VN_SCOPE;
        vn_array *d = distance(vn_from((float[]){3, 4}, VN_SHAPE(2)), vn_zeros(VN_SHAPE(2), VN_F32));
        vn_into(total, vn_add(total, vn_mul(d, vn_scalar(k))));
    }
    printf("%g\n", vn_item(total));
    vn_drop(total);
    return vn_close();
}

/* prints
30
*/
