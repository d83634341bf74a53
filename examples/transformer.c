/* transformer.c: a small language model learns a play letter by letter and generates text. Shows attention, parameters in nested trees,
 * training in float32 or float64, and that a seed gives the same text on every engine: random numbers are bitwise equal and losses agree.
 *
 *     build/examples/transformer [engine [steps [dtype [letters [blocks]]]]]
 *
 * from the repository's root; dtype is float32 or float64.
 */
/* ctest: args 20 float32 20 1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

enum { SIZE = 64, HEADS = 4, BATCH = 16, LENGTH = 64 };

static vn_tree *parameters(int64_t letters, int blocks, vn_dtype dtype)
{
    const vn_init ones = vn_init_ones(), usual = vn_init_normal(0, .1);
    const vn_tree_spec outer[] = {{.path = "letters", .shape = VN_SHAPE(letters, SIZE), .init = usual},
                                  {.path = "places", .shape = VN_SHAPE(LENGTH, SIZE), .init = usual},
                                  {.path = "norm", .shape = VN_SHAPE(SIZE), .init = ones}};
    const vn_tree_spec inner[] = {{.path = "norm1", .shape = VN_SHAPE(SIZE), .init = ones},
                                  {.path = "qkv", .shape = VN_SHAPE(3 * SIZE, SIZE), .init = usual},
                                  {.path = "out", .shape = VN_SHAPE(SIZE, SIZE), .init = vn_init_normal(0, .05)},
                                  {.path = "norm2", .shape = VN_SHAPE(SIZE), .init = ones},
                                  {.path = "up", .shape = VN_SHAPE(4 * SIZE, SIZE), .init = usual},
                                  {.path = "down", .shape = VN_SHAPE(SIZE, 4 * SIZE), .init = vn_init_normal(0, .03)}};
    vn_tree *p = vn_tree_init(VN_NONE, 3, outer, dtype), *list = vn_tree_list(0, NULL);
    for (int i = 0; i < blocks; i++) vn_tree_append(list, vn_value_tree(vn_tree_init(VN_NONE, 6, inner, dtype)));
    vn_tree_set_tree(p, "blocks", list);
    return p;
}

static vn_array *norm(const vn_tree *p, const char *name, vn_array *x)
{
    return vn_rms_norm(x, vn_tree_get(p, name), VN_AXES(-1), 1e-5);
}

static vn_array *project(const vn_tree *p, const char *name, vn_array *x)
{
    return vn_linear(x, vn_tree_get(p, name));
}

/* A transformer block: causal attention with HEADS heads, then a two-layer MLP. x: (batch, positions, SIZE) */
static vn_array *block(const vn_tree *p, vn_array *x)
{
    vn_array *qkv[3];
    vn_array *all = project(p, "qkv", norm(p, "norm1", x));
    vn_unstack(vn_rearrange(all, "b t (n h d) -> n b h t d", VN_OPTS(rearrange, .names = "n h", .lengths = VN_LIST(3, HEADS))), 3, 0, qkv);
    vn_array *seen = vn_attention(qkv[0], qkv[1], qkv[2], VN_NONE, VN_OPTS(attention, .causal = 1));
    x = vn_add(x, project(p, "out", vn_rearrange(seen, "b h t d -> b t (h d)")));
    return vn_add(x, project(p, "down", vn_gelu(project(p, "up", norm(p, "norm2", x)), VN_OPTS(gelu, .approximate = 1))));
}

/* Logits for the letter after each of x (batch, LENGTH). The embedding is shared by input and output. */
static vn_array *scores_of(const vn_tree *p, vn_array *x)
{
    vn_array *y = vn_add(vn_take(vn_tree_get(p, "letters"), x, 0), vn_tree_get(p, "places"));
    const vn_tree *blocks = vn_tree_get_tree(p, "blocks");
    for (int i = 0; i < vn_tree_count(blocks); i++) y = block(vn_tree_at(blocks, i), y);
    return project(p, "letters", norm(p, "norm", y));
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **batch = data;
    return vn_cross_entropy(scores_of(p, batch[0]), batch[1]);
}

/* Continues the play's first LENGTH letters: samples a letter, drops the first one, and repeats. */
static void write_on(const vn_tree *p, const text *t, int letters)
{
    vn_array *seen = vn_keep(vn_rows(t->codes, 0, LENGTH));
    for (int i = 0; i < letters; i++) {
        VN_SCOPE;
        vn_array *all = vn_reshape(scores_of(p, vn_expand_dims(seen, 0)), VN_SHAPE(LENGTH, t->letters));
        vn_array *scores = vn_cast(vn_rows(all, LENGTH - 1, 1), VN_F64); /* those of the last place */
        vn_array *next = vn_random_categorical(vn_div(scores, vn_scalar(.7)));
        vn_array *moved = vn_concat(2, (vn_array *[]){vn_rows(seen, 1, LENGTH - 1), next}, 0);
        vn_eval(2, (vn_array *[]){next, moved}); /* one program, the same for every letter */
        vn_into(seen, moved);
        putchar(t->alphabet[vn_item_int(next)]);
        fflush(stdout);
    }
    vn_drop(seen);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "transformer: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int steps = argc > 2 ? atoi(argv[2]) : 1000, letters = argc > 4 ? atoi(argv[4]) : 400;
    const int blocks = argc > 5 ? atoi(argv[5]) : 3, doubles = argc > 3 && !strcmp(argv[3], "float64");
    text t;
    if (!text_load(&t)) return 1;
    vn_tree *p = parameters(t.letters, blocks, doubles ? VN_F64 : VN_F32);
    vn_optim *adam = vn_adamw(0, VN_OPTS(adamw, .beta2 = .98));
    vn_optim_clip_norm(adam, 1);
    vn_optim_schedule(adam, vn_warm_up(vn_cosine(.004, .0004, steps), steps / 20));

    double first = 0, last = 0;
    for (int step = 0; step < steps; step++) {
        VN_SCOPE;
        vn_array *batch[2];
        vn_tree *grads;
        text_batch(&t, BATCH, LENGTH, &batch[0], &batch[1]);
        vn_array *loss = vn_value_and_grad(loss_of, p, batch, &grads);
        vn_step(adam, p, grads); /* batch, loss, gradients and step are one program */
        last = vn_item(loss);
        if (step == 0) first = last;
        if (step % (steps > 100 ? 100 : 1) == 0 || step == steps - 1) printf("%4d  loss %.*f\n", step, doubles ? 12 : 6, last);
    }
    vn_cache_info cache = {.size = sizeof cache};
    vn_cache_stats(vn_using(), &cache);
    printf("%lld programs were compiled and run %lld times: parameters, and every step\n\n", (long long)cache.misses,
           (long long)(cache.misses + cache.hits));
    write_on(p, &t, letters);
    if (vn_status()) fprintf(stderr, "transformer: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(last < .9 * first && cache.misses == 2);
}
