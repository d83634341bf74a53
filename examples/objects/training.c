/* SPDX-License-Identifier: Apache-2.0 */
/* Training: vn_fit runs the loop, vn_evaluate and vn_predict use what was learned. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_seed(1);
    vn_array *x = vn_random_uniform(-1, 1, VN_SHAPE(256, 2));
    vn_array *y = vn_cast(vn_greater(vn_prod(x, VN_AXES(1)), vn_scalar(0)), VN_I64); /* both have the same sign */
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(2, 16), vn_nn_tanh(), vn_nn_linear(16, 2));
    vn_dataset *data = vn_dataset_of(x, y);
    vn_fit_result result = {.size = sizeof result};
    vn_fit(net, data, VN_OPTS(fit, .epochs = 20, .optim = vn_adam(.02)), &result);
    vn_evaluation after = {.size = sizeof after};
    vn_evaluate(net, data, NULL, &after);
    const double accuracy = vn_score_of(after.scores, after.n_scores, "accuracy");
    printf("%lld epochs, accuracy %s\n", (long long)result.epochs, accuracy > .9 ? "above 90 %" : "low");
    vn_array *logits = vn_predict(net, data, 64);
    printf("predictions: %lld rows of %lld\n", (long long)vn_dim(logits, 0), (long long)vn_dim(logits, 1));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
20 epochs, accuracy above 90 %
predictions: 256 rows of 2
*/
