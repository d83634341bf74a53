/* news.c: tells the topic of a headline with a Transformer encoder, after Burn's example of text classification (AG News): embeddings of words and
 * of positions, an encoder with norms first, a mask for padding, the output at the first token, Adam with weight decay, and Noam's schedule. The
 * headlines are made (news.h), the network is smaller. tests/package/models.sh compares the accuracy with PyTorch's.
 *
 *     build/examples/news [engine [epochs [seed [headline ...]]]]
 */
/* ctest: args 1 */
/* ctest: seconds 3 */
/* ctest: seconds 9 on jax */
/* ctest: full on jax */
#include <stdio.h>
#include <stdlib.h>
#include <vinea/train.h>
#include "news.h"

enum { SIZE = 64, HEADS = 4, LAYERS = 2, BATCH = 32, TRAIN = 4000, TEST = 960, WARM_UP = 200, MOST_EPOCHS = 1000 };

static int build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module_add(m, "_words", vn_nn_embedding(NEWS_TOKENS, SIZE));
    vn_module_add(m, "_places", vn_nn_embedding(NEWS_LENGTH, SIZE));
    vn_module_add(m, "_encoder", vn_nn_transformer_encoder(SIZE, HEADS, LAYERS, VN_OPTS(nn_transformer_encoder, .activation = "gelu", .dropout = .1,
                                                                                        .norm_first = 1)));
    return vn_module_add(m, "_out", vn_nn_linear(SIZE, NEWS_TOPICS));
}

/* Logits of the topics, (n, NEWS_TOPICS), for tokens x, (n, NEWS_LENGTH). */
static vn_array *forward(vn_module *m, vn_array *x)
{
    vn_array *places = vn_module_run(m, "places", vn_arange(0, NEWS_LENGTH, 1, VN_I32));
    vn_array *both = vn_div(vn_add(vn_module_run(m, "words", x), places), vn_scalar(2));
    vn_array *mask = vn_broadcast_to(vn_expand_dims(vn_not_equal(x, vn_scalar(NEWS_PADDING)), 1), VN_SHAPE(vn_dim(x, 0), NEWS_LENGTH, NEWS_LENGTH));
    vn_tree *result = vn_module_call_tree(vn_module_child(m, "encoder"), vn_tree_of("x", both, "mask", mask, NULL));
    vn_array *first = vn_squeeze(vn_slice_step(vn_tree_leaf(result, 0), VN_LIST(0, 0, 0), VN_LIST(vn_dim(x, 0), 1, SIZE)), VN_AXES(1));
    return vn_module_run(m, "out", first);
}

static const vn_module_class classifier = {.name = "Classifier", .build = build, .forward = forward};

/* What the network takes a text for. */
static void tell(vn_module *net, const char *text)
{
    VN_SCOPE;
    int32_t row[NEWS_LENGTH];
    news_encode(text, row);
    vn_array *p = vn_softmax(vn_module_call(net, vn_from_host(row, VN_I32, VN_SHAPE(1, NEWS_LENGTH))), -1);
    const int64_t topic = vn_item_int(vn_argmax(p, VN_AXES(-1)));
    if (!vn_status()) printf("%3.0f %% %-8s  %s\n", 100 * vn_item(vn_max(p, VN_ALL)), news_topics[topic], text);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "news: %s\n", vn_message());
        return vn_close();
    }
    const int epochs = argc > 2 ? atoi(argv[2]) : 5;
    if (epochs < 1 || epochs > MOST_EPOCHS) return fprintf(stderr, "news: epochs are 1 to %d\n", MOST_EPOCHS), vn_close(), 2;
    vn_seed(argc > 3 ? (uint64_t)atoll(argv[3]) : 1);
    news train, test;
    if (!news_make(&train, TRAIN, 1) || !news_make(&test, TEST, 2)) return 1;
    vn_dataset *seen = vn_dataset_of(train.tokens, train.topic), *unseen = vn_dataset_of(test.tokens, test.topic);

    vn_module *net = vn_module_new(&classifier, NULL, NULL);
    vn_optim *adam = vn_adam(0, VN_OPTS(adam, .weight_decay = 5e-5));
    vn_optim_schedule(adam, vn_noam(.2, SIZE, WARM_UP));

    vn_terminal terminal = {.to = stdout};
    vn_stop_on_interrupt(1);
    vn_fit(net, seen, VN_OPTS(fit, .epochs = epochs, .batch = BATCH, .optim = adam, .validation = unseen, .progress = vn_progress_terminal,
                              .progress_user = &terminal), NULL);

    vn_evaluation result = {.size = sizeof result};
    vn_evaluate(net, unseen, NULL, &result);
    const double accuracy = vn_score_of(result.scores, result.n_scores, "accuracy");
    printf("accuracy %.2f %% on %d headlines it has not seen\n", 100 * accuracy, TEST);
    vn_module_train(net, 0);
    for (int i = 4; i < argc; i++) tell(net, argv[i]);
    if (argc < 5) {
        tell(net, "the coach wins a medal despite inflation");
        tell(net, "a new telescope finds the first neutron unlike shares");
    }
    if (vn_status()) fprintf(stderr, "news: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(accuracy > .6);
}
