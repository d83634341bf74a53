/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: a thread keeps its first one. Calls that get the NULL of a failed call return NULL too, so one check is enough. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32), *y = vn_ones(VN_SHAPE(4, 5), VN_F32);
    vn_array *z = vn_exp(vn_matmul(x, y));
    if (vn_status()) printf("%s: %s\n", vn_code_name(vn_status()), vn_message());
    printf("%s\n", z ? "an array" : "no array");
    vn_clear();
    printf("%s\n", vn_text(vn_matmul(x, vn_matrix_transpose(x))));
    return vn_close();
}

/* prints
VN_E_SHAPE: matmul: inner sizes 3 and 4 differ (x 2x3, y 4x5, native)
no array
[[3. 3.]
 [3. 3.]]
*/
