/* digits_mlp.c: classifies handwritten digits with a network of two layers. The shortest way from data to a trained network: VN_SEQUENTIAL,
 * vn_fit, which runs the training loop with progress output (Ctrl-C stops it after a step), and vn_evaluate on held-out digits.
 * digits_conv.c has an explicit loop.
 *
 *     build/examples/digits_mlp [engine [epochs]]            from the repository's root
 */
/* ctest: args 12 */
#include <stdio.h>
#include <stdlib.h>
#include <vinea/train.h>
#include "digits.h"

enum { BATCH = 64 };

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "digits_mlp: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int epochs = argc > 2 ? atoi(argv[2]) : 20;
    digits train, test;
    if (!digits_load(&train, &test)) return 1;
    vn_dataset *seen = vn_dataset_of(train.x, train.label), *unseen = vn_dataset_of(test.x, test.label);

    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(64, 128), vn_nn_relu(), vn_nn_linear(128, 10));
    printf("%s\n", vn_module_summary(net, test.x));
    vn_optim *adam = vn_adam(.005);
    vn_optim_schedule(adam, vn_cosine(.005, 0, epochs * (vn_dim(train.x, 0) / BATCH)));

    vn_terminal terminal = {.to = stdout};
    vn_stop_on_interrupt(1);
    vn_fit(net, seen, VN_OPTS(fit, .epochs = epochs, .batch = BATCH, .drop_last = 1, .optim = adam,
                              .progress = vn_progress_terminal, .progress_user = &terminal), NULL);

    vn_evaluation result = {.size = sizeof result};
    vn_evaluate(net, unseen, NULL, &result);
    const double accuracy = vn_score_of(result.scores, result.n_scores, "accuracy");
    printf("accuracy %.2f %% on %d digits it has not seen\n", 100 * accuracy, DIGITS_TEST);
    if (vn_status()) fprintf(stderr, "digits_mlp: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(accuracy > .95);
}
