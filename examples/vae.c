/* vae.c: a variational autoencoder learns to generate digits. Shows random numbers inside a loss (new samples in every step, but one program), a
 * loss of two parts, and generating from the model.
 *
 *     build/examples/vae [engine [epochs]]                   from the repository's root
 */
/* ctest: args 3 */
#include <stdio.h>
#include <stdlib.h>
#include "digits.h"

enum { BATCH = 64, HIDDEN = 128, CODE = 8 };

static vn_array *layer(const vn_tree *p, const char *w, const char *b, vn_array *x)
{
    return vn_linear(x, vn_tree_get(p, w), vn_tree_get(p, b));
}

static vn_array *decode(const vn_tree *p, vn_array *code)     /* (n, CODE) to pixel logits (n, 64) */
{
    return layer(p, "w4", "b4", vn_relu(layer(p, "w3", "b3", code)));
}

/* The loss: reconstruction of the pixels from a sampled code, plus the divergence of codes from the standard normal distribution. */
static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array *x = data, *half[2];
    vn_split(layer(p, "w2", "b2", vn_relu(layer(p, "w1", "b1", x))), 2, (const int64_t[]){CODE, CODE}, 1, half);
    vn_array *mean = half[0], *log_variance = half[1];
    vn_array *noise = vn_random_normal(0, 1, vn_shape_of(mean));
    vn_array *code = vn_add(mean, vn_mul(noise, vn_exp(vn_div(log_variance, vn_scalar(2)))));
    vn_array *pixels = vn_binary_cross_entropy_with_logits(decode(p, code), x, VN_NONE, VN_NONE, VN_OPTS(binary_cross_entropy_with_logits, .reduction = "sum"));
    vn_array *spread = vn_sub(vn_add(vn_square(mean), vn_exp(log_variance)), vn_add(log_variance, vn_scalar(1)));
    return vn_div(vn_add(pixels, vn_div(vn_sum(spread, VN_ALL), vn_scalar(2))), vn_scalar(BATCH));
}

/* Prints n images (n, 64) next to each other. */
static void draw(vn_array *images, int64_t n)
{
    const float *pixel = vn_data(images);
    for (int64_t row = 0; pixel && row < 8; row++) {
        for (int64_t i = 0; i < n; i++) {
            for (int64_t column = 0; column < 8; column++) {
                const char c = " .:-=+*#%@"[(int)(9.99f * pixel[i * 64 + row * 8 + column])];
                putchar(c), putchar(c);
            }
            putchar(' ');
        }
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "vae: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int epochs = argc > 2 ? atoi(argv[2]) : 100;
    digits train, test;
    if (!digits_load(&train, &test)) return 1;
    const int64_t sizes[] = {64, HIDDEN, 2 * CODE}, back[] = {CODE, HIDDEN, 64};
    vn_tree *p = vn_tree_new(NULL);
    for (int i = 0; i < 4; i++) {
        const int64_t in = i < 2 ? sizes[i] : back[i - 2], out = i < 2 ? sizes[i + 1] : back[i - 1];
        vn_tree_set(p, (const char *[]){"w1", "w2", "w3", "w4"}[i], vn_init_array(vn_init_glorot_uniform(), VN_SHAPE(out, in), in, out, VN_F32));
        vn_tree_set(p, (const char *[]){"b1", "b2", "b3", "b4"}[i], vn_zeros(VN_SHAPE(out), VN_F32));
    }
    vn_optim *adam = vn_adam(.002);

    const int64_t n = vn_dim(train.x, 0), batches = n / BATCH;
    double first = 0, last = 0;
    for (int epoch = 1; epoch <= epochs; epoch++) {
        VN_SCOPE;
        vn_array *order = vn_random_permutation(n);
        vn_running mean = {0};
        vn_eval(1, &order);
        for (int64_t i = 0; i < batches; i++) {
            VN_SCOPE;
            vn_tree *grads;
            vn_array *loss = vn_value_and_grad(loss_of, p, digits_batch(&train, order, i * BATCH, BATCH).x, &grads);
            vn_step(adam, p, grads);
            vn_running_add(&mean, vn_item(loss), 1);
        }
        last = vn_running_value(&mean);
        if (epoch == 1) first = last;
        if (epoch == 1 || epoch % 20 == 0 || epoch == epochs) printf("epoch %3d  loss %.3f\n", epoch, last);
    }
    puts("generated digits:");
    draw(vn_sigmoid(decode(p, vn_random_normal(0, 1, VN_SHAPE(6, CODE)))), 6);
    if (vn_status()) fprintf(stderr, "vae: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(last < .9 * first);
}
