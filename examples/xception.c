/* xception.c: classifies handwritten digits with a small Xception network, after Keras's example "Image classification from scratch": augmentations
 * that are layers of the network and do nothing in evaluation, separable convolutions, batch norms, and blocks that are added to a projection of what
 * they take. Keras's example tells cats from dogs in photos of 180 x 180 pixels; here are digits, resized to 16 x 16, and channels to fit. Its flips
 * are left out, because a mirrored digit is none; images are shifted instead. tests/package/models.sh compares the accuracy with Keras's.
 *
 *     build/examples/xception [engine [epochs [seed]]]       from the repository's root
 */
/* ctest: args 3 */
/* ctest: seconds 5 */
/* ctest: seconds 13 on jax */
/* ctest: full on jax */
#include <stdio.h>
#include <stdlib.h>
#include <vinea/train.h>
#include "digits.h"

enum { BATCH = 32, SIDE = 16, MOST_EPOCHS = 1000 };

typedef struct {
    int64_t in, out;
} channels;

/* (n, h, w, in) to (n, h, w, out) */
static vn_module *separable(int64_t in, int64_t out)
{
    return VN_SEQUENTIAL(vn_nn_separable_conv2d(in, out, VN_LIST(3), VN_OPTS(nn_separable_conv2d, .padding = "SAME")), vn_nn_batch_norm2d(out));
}

static vn_module *convolution(int64_t in, int64_t out, int stride)
{
    return VN_SEQUENTIAL(vn_nn_conv2d(in, out, VN_LIST(3), VN_OPTS(nn_conv2d, .strides = {stride, stride}, .padding = "SAME")),
                         vn_nn_batch_norm2d(out), vn_nn_relu());
}

/* ---- a block: (n, h, w, in) to (n, h / 2, w / 2, out) ---- */

static int block_build(vn_module *m, const vn_tree *args)
{
    const channels *c = vn_module_self(m);
    (void)args;
    vn_module_add(m, "_main", VN_SEQUENTIAL(vn_nn_relu(), separable(c->in, c->out), vn_nn_relu(), separable(c->out, c->out),
                                            vn_nn_max_pool2d(VN_LIST(3), VN_OPTS(nn_max_pool2d, .strides = {2, 2}, .padding = "SAME"))));
    return vn_module_add(m, "_residual", vn_nn_conv2d(c->in, c->out, VN_LIST(1), VN_OPTS(nn_conv2d, .strides = {2, 2}, .padding = "SAME")));
}

static vn_array *block_forward(vn_module *m, vn_array *x)
{
    return vn_add(vn_module_run(m, "main", x), vn_module_run(m, "residual", x));
}

static const vn_module_class block_class = {
    .name = "Block", .self_size = sizeof(channels), .build = block_build, .forward = block_forward};

static vn_module *block(int64_t in, int64_t out)
{
    return vn_module_new(&block_class, &(channels){in, out}, NULL);
}

/* Digits and labels as a dataset: (n, SIDE, SIDE, 1), pixels from 0 to 1. */
static vn_dataset *images(const digits *d)
{
    vn_array *x = vn_reshape(d->x, VN_SHAPE(-1, 8, 8, 1));
    return vn_dataset_of(vn_interpolate(x, VN_LIST(SIDE, SIDE)), d->label);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "xception: %s\n", vn_message());
        return vn_close();
    }
    const int epochs = argc > 2 ? atoi(argv[2]) : 25;
    if (epochs < 1 || epochs > MOST_EPOCHS) return fprintf(stderr, "xception: epochs are 1 to %d\n", MOST_EPOCHS), vn_close(), 2;
    vn_seed(argc > 3 ? (uint64_t)atoll(argv[3]) : 1);
    digits train, test;
    if (!digits_load(&train, &test)) return 1;

    vn_module *net = VN_SEQUENTIAL(
        vn_nn_random_rotation(18, VN_OPTS(nn_random_rotation, .fill = "zero")),
        vn_nn_random_translation(.1, VN_OPTS(nn_random_translation, .fill = "zero")),
        convolution(1, 16, 2), convolution(16, 32, 1), block(32, 64), block(64, 128), separable(128, 128), vn_nn_relu(), vn_nn_global_avg_pool(NULL),
        vn_nn_dropout(.25), vn_nn_linear(128, 10));
    vn_dataset *seen = images(&train), *unseen = images(&test);

    vn_terminal terminal = {.to = stdout};
    vn_stop_on_interrupt(1);
    vn_fit(net, seen, VN_OPTS(fit, .epochs = epochs, .batch = BATCH, .drop_last = 1, .optim = vn_adam(.001), .progress = vn_progress_terminal,
                              .progress_user = &terminal), NULL);

    vn_evaluation result = {.size = sizeof result};
    vn_evaluate(net, unseen, VN_OPTS(evaluate, .batch = DIGITS_TEST), &result);
    const double accuracy = vn_score_of(result.scores, result.n_scores, "accuracy");
    printf("accuracy %.2f %% on %d digits it has not seen\n", 100 * accuracy, DIGITS_TEST);
    if (vn_status()) fprintf(stderr, "xception: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(accuracy > .8);
}
