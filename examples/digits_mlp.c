/* digits_mlp.c: reads handwritten digits with a network of two layers. Shows layers put together with VN_SEQUENTIAL, batches in random order,
 * Adam with a schedule, and how good a network is on digits it has not seen.
 *
 *     build/examples/digits_mlp [engine [epochs]]            from the repository's root
 */
/* ctest: args 8 */
#include <stdio.h>
#include <stdlib.h>
#include "digits.h"

enum { BATCH = 64 };

static vn_array *loss_of(vn_module *net, void *data)
{
    const digits *batch = data;
    return vn_sparse_cross_entropy(vn_module_call(net, batch->x, NULL), batch->label, VN_NONE, -1, -100, 0, 0, "mean");
}

int main(int argc, char **argv)
{
    vn_use(argc > 1 ? argv[1] : "native");
    vn_seed(1);
    const int epochs = argc > 2 ? atoi(argv[2]) : 20;
    digits train, test;
    digits_load(&train, &test);
    const int64_t batches = vn_dim(train.x, 0) / BATCH;

    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(64, 128, NULL), vn_nn_activation("relu", NULL, 0), vn_nn_linear(128, 10, NULL));
    vn_optim *adam = vn_adam(0, NULL);
    vn_optim_schedule(adam, vn_cosine(.005, 0, epochs * batches));
    printf("%s\n", vn_module_summary(net, test.x));

    for (int epoch = 1; epoch <= epochs; epoch++) {
        VN_SCOPE;
        vn_array *order = vn_random_permutation(vn_dim(train.x, 0));
        vn_running mean = {0};
        vn_eval(1, &order);
        for (int64_t i = 0; i < batches; i++) {
            VN_SCOPE;                                         /* each step is one program, the same for all of them */
            digits batch = digits_batch(&train, order, i * BATCH, BATCH);
            vn_tree *grads;
            vn_array *loss = vn_module_value_and_grad(net, loss_of, &batch, &grads);
            vn_step(adam, vn_module_v(net), grads);
            vn_running_add(&mean, vn_item(loss), BATCH);
        }
        if (epoch % 5 == 0 || epoch == epochs) printf("epoch %2d  loss %.4f\n", epoch, vn_running_value(&mean));
    }

    const double accuracy = vn_item(vn_accuracy(vn_module_call(net, test.x, NULL), test.label));
    printf("accuracy %.2f %% on %d digits it has not seen\n", 100 * accuracy, DIGITS_TEST);
    if (vn_status()) fprintf(stderr, "digits_mlp: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(accuracy > .95);
}
