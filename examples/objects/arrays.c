/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: made from numbers, combined, read. Nothing is computed before a value is asked for. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(2, 3));
    vn_array *y = vn_add(vn_mul(x, vn_scalar(2)), vn_from((float[]){10, 20, 30}, VN_SHAPE(3))); /* broadcast over the rows */
    printf("%s\n", vn_text(y));
    printf("rank %d, %lld columns, %s\n", vn_rank(y), (long long)vn_dim(y, -1), vn_dtype_name(vn_dtype_of(y)));
    printf("largest %g\n", vn_item(vn_max(y, VN_ALL)));
    float numbers[6];
    vn_read(vn_matrix_transpose(y), numbers, sizeof numbers);
    printf("first column: %g %g\n", numbers[0], numbers[1]);
    return vn_close();
}

/* prints
[[12. 24. 36.]
 [18. 30. 42.]]
rank 2, 3 columns, float32
largest 42
first column: 12 18
*/
