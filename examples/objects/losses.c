/* SPDX-License-Identifier: Apache-2.0 */
/* Losses: ops to call, and objects that vn_fit takes, made in C or from text. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *logits = vn_from((float[]){2, 0, 0, 0, 0, 3}, VN_SHAPE(2, 3));
    vn_array *labels = vn_from_host((int64_t[]){0, 1}, VN_I64, VN_SHAPE(2));
    printf("cross entropy %.6f\n", vn_item(vn_loss_of("cross_entropy", logits, labels)));
    const vn_loss smooth = vn_loss_cross_entropy(VN_OPTS(loss_cross_entropy, .label_smoothing = .1));
    printf("smoothed      %.6f\n", vn_item(vn_loss_value(&smooth, logits, labels)));
    vn_array *x = vn_from((float[]){1, 2, 5}, VN_SHAPE(3)), *y = vn_from((float[]){1, 3, 2}, VN_SHAPE(3));
    printf("mse           %.6f\n", vn_item(vn_loss_of("mse", x, y)));
    printf("huber         %.6f\n", vn_item(vn_loss_of("huber(1)", x, y)));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
cross entropy 1.667234
smoothed      1.683900
mse           3.333333
huber         1.000000
*/
