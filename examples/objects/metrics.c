/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics: how good predictions are, made in C or from text; vn_fit and vn_evaluate take several. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *logits = vn_from((float[]){3, 1, 0, 0, 2, 1, 1, 0, 2, 2, 1, 0}, VN_SHAPE(4, 3));
    vn_array *labels = vn_from_host((int64_t[]){0, 1, 2, 1}, VN_I64, VN_SHAPE(4));
    const vn_metric best_two = vn_metric_top(2);
    printf("accuracy %.2f\n", vn_metric_of("accuracy", logits, labels));
    printf("top 2    %.2f\n", vn_metric_value(&best_two, logits, labels));
    printf("f1       %.4f\n", vn_metric_of("f1", logits, labels));
    vn_array *x = vn_from((float[]){1, 2, 5}, VN_SHAPE(3)), *y = vn_from((float[]){1, 3, 2}, VN_SHAPE(3));
    printf("mae      %.4f\n", vn_metric_of("mae", x, y));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
accuracy 0.75
top 2    1.00
f1       0.7778
mae      1.3333
*/
