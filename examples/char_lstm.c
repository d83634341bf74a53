/* char_lstm.c: an LSTM learns to predict the next letter of a play, and generates text. Shows parameters as a plain
 * tree, ops instead of layers, and recurrent state carried from letter to letter.
 *
 *     build/examples/char_lstm [engine [steps [letters]]]    from the repository's root
 */
/* ctest: args 20 20 */
#include <stdio.h>
#include <stdlib.h>
#include "text.h"

enum { SIZE = 128, BATCH = 32, LENGTH = 64 };

/* Logits for the letter after each of x (batch, steps), from the states h and c (batch, SIZE), which are updated. */
static vn_array *scores_of(const vn_tree *p, vn_array *x, vn_array **h, vn_array **c)
{
    vn_array *in = vn_take(vn_tree_get(p, "letters"), vn_matrix_transpose(x), 0);               /* (steps, batch, SIZE) */
    vn_array *all = vn_lstm(in, *h, *c, vn_tree_get(p, "input"), vn_tree_get(p, "recurrent"), vn_tree_get(p, "bias"), NULL, h, c);
    return vn_linear(vn_swapaxes(all, 0, 1), vn_tree_get(p, "out"), vn_tree_get(p, "out_bias"));
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **batch = data, *h = vn_zeros(VN_SHAPE(BATCH, SIZE), VN_F32), *c = h;
    return vn_cross_entropy(scores_of(p, batch[0], &h, &c), batch[1]);
}

static void write_on(const vn_tree *p, const text *t, int letters)
{
    vn_array *h = vn_keep(vn_zeros(VN_SHAPE(1, SIZE), VN_F32)), *c = vn_keep(vn_zeros(VN_SHAPE(1, SIZE), VN_F32));
    int64_t letter = 0;                                       /* a line feed */
    for (int i = 0; i < letters; i++) {
        VN_SCOPE;
        vn_array *new_h = h, *new_c = c;
        vn_array *scores = scores_of(p, vn_from_host(&letter, VN_I64, VN_SHAPE(1, 1)), &new_h, &new_c);
        vn_array *next = vn_random_categorical(vn_reshape(vn_div(scores, vn_scalar(.7)), VN_SHAPE(t->letters)));
        vn_eval(3, (vn_array *[]){next, new_h, new_c});       /* one program, the same for every letter */
        letter = vn_item_int(next);
        vn_into(h, new_h);
        vn_into(c, new_c);
        putchar(t->alphabet[letter]);
    }
    vn_drop(h);
    vn_drop(c);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "char_lstm: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int steps = argc > 2 ? atoi(argv[2]) : 1000, letters = argc > 3 ? atoi(argv[3]) : 400;
    text t;
    if (!text_load(&t)) return 1;
    const vn_init small = vn_init_normal(0, .09);
    const vn_tree_spec specs[] = {{.path = "letters", .shape = VN_SHAPE(t.letters, SIZE), .init = vn_init_normal(0, 1)},
                                  {.path = "input", .shape = VN_SHAPE(SIZE, 4 * SIZE), .init = small},
                                  {.path = "recurrent", .shape = VN_SHAPE(SIZE, 4 * SIZE), .init = small},
                                  {.path = "bias", .shape = VN_SHAPE(4 * SIZE)},             /* zeros */
                                  {.path = "out", .shape = VN_SHAPE(t.letters, SIZE), .init = small},
                                  {.path = "out_bias", .shape = VN_SHAPE(t.letters)}};
    vn_tree *p = vn_tree_init(VN_NONE, 6, specs, VN_F32);
    vn_optim *adam = vn_adam(0);
    vn_optim_clip_norm(adam, 1);
    vn_optim_schedule(adam, vn_cosine(.005, .0005, steps));

    double first = 0, last = 0;
    for (int step = 0; step < steps; step++) {
        VN_SCOPE;
        vn_array *batch[2];
        vn_tree *grads;
        text_batch(&t, BATCH, LENGTH, &batch[0], &batch[1]);
        vn_array *loss = vn_value_and_grad(loss_of, p, batch, &grads);
        vn_step(adam, p, grads);
        last = vn_item(loss);
        if (step == 0) first = last;
        if (step % 100 == 0 || step == steps - 1) printf("%4d  loss %.4f\n", step, last);
    }
    write_on(p, &t, letters);
    if (vn_status()) fprintf(stderr, "char_lstm: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(last < .8 * first);            /* it starts at the logarithm of the number of letters, 4.2 */
}
