/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: many processes under mpirun; without it, a group of one, in which the same program runs. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_group *all = vn_group_open(NULL);
    vn_array *mine = vn_full(vn_scalar(vn_group_rank(all) + 1), VN_SHAPE(2), VN_F32);
    vn_array *sum = vn_group_all_reduce(all, mine, VN_REDUCE_SUM);
    printf("rank %d of %d\n", vn_group_rank(all), vn_group_size(all));
    printf("%s\n", vn_text(sum));
    printf("%s\n", vn_text(vn_group_all_gather(all, mine)));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
rank 0 of 1
[1. 1.]
[1. 1.]
*/
