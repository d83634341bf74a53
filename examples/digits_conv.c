/* digits_conv.c: classifies handwritten digits with convolutions. Shows a custom module with batch norms and dropout, which behave
 * differently in training mode, an explicit training loop with shuffled batches, and a confusion matrix.
 *
 *     build/examples/digits_conv [engine [epochs]]           from the repository's root
 */
/* ctest: args 5 */
#include <stdio.h>
#include <stdlib.h>
#include "digits.h"

enum { BATCH = 64 };

static vn_module *convolution(int64_t in, int64_t out)        /* (n, h, w, in) to (n, h / 2, w / 2, out) */
{
    return VN_SEQUENTIAL(vn_nn_conv2d(in, out, VN_LIST(3), VN_OPTS(nn_conv2d, .padding = "SAME", .no_bias = 1)), vn_nn_batch_norm2d(out),
                         vn_nn_relu(), vn_nn_max_pool2d(VN_LIST(2)));
}

static int build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module_add(m, "_first", convolution(1, 16));
    vn_module_add(m, "_second", convolution(16, 32));
    vn_module_add(m, "_drop", vn_nn_dropout(.3));
    return vn_module_add(m, "_out", vn_nn_linear(2 * 2 * 32, 10));
}

static vn_array *forward(vn_module *m, vn_array *x)
{
    x = vn_reshape(x, VN_SHAPE(-1, 8, 8, 1));
    x = vn_module_run(m, "second", vn_module_run(m, "first", x));
    return vn_module_run(m, "out", vn_module_run(m, "drop", vn_reshape(x, VN_SHAPE(-1, 2 * 2 * 32))));
}

static const vn_module_class convnet = {.name = "Convnet", .build = build, .forward = forward};

static vn_array *loss_of(vn_module *net, void *data)
{
    const digits *batch = data;
    return vn_cross_entropy(vn_module_call(net, batch->x), batch->label);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "digits_conv: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int epochs = argc > 2 ? atoi(argv[2]) : 15;
    digits train, test;
    if (!digits_load(&train, &test)) return 1;
    const int64_t batches = vn_dim(train.x, 0) / BATCH;

    vn_module *net = vn_module_new(&convnet, NULL, NULL);
    vn_optim *adam = vn_adam(0);
    vn_optim_schedule(adam, vn_one_cycle(.01, epochs * batches));
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
            vn_step(adam, vn_module_v(net), grads);           /* also updates the batch norms' running means */
            vn_running_add(&mean, vn_item(loss), BATCH);
        }
        printf("epoch %2d  loss %.4f\n", epoch, vn_running_value(&mean));
    }

    vn_module_train(net, 0);                                  /* disables dropout and uses the running means */
    vn_array *scores = vn_module_call(net, test.x);
    vn_eval(1, &scores);
    const double accuracy = vn_item(vn_accuracy(scores, test.label));
    printf("accuracy %.2f %% on %d digits it has not seen; each row a digit, each column what it was taken for:\n", 100 * accuracy, DIGITS_TEST);
    vn_fprint(stdout, vn_confusion_matrix(vn_argmax(scores, VN_AXES(-1)), test.label, 10));
    if (vn_status()) fprintf(stderr, "digits_conv: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(accuracy > .95);
}
