/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: training loops compile once and use constant memory, on every engine. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

static vn_cache_info stats(void)
{
    vn_cache_info c = {.size = sizeof c};
    CHECK(vn_cache_stats(vn_using(), &c) == VN_OK);
    return c;
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_add(vn_matmul(xy[0], vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, xy[1])), VN_ALL);
}

/* The README's example, reading the loss at different intervals. */
TEST(one_program_for_101_steps)
{
    for (int rhythm = 1; rhythm < 200; rhythm += 66) {
        VN_SCOPE;
        vn_seed(7);
        vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3)), *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
        vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
        vn_optim *sgd = vn_sgd(.1, NULL);
        vn_cache_info before = stats();
        double last = NAN;
        for (int step = 0; step <= 100; step++) {
            VN_SCOPE;
            vn_tree *grads;
            vn_array *loss = vn_value_and_grad(loss_of, p, (vn_array *[]){x, y}, &grads);
            vn_step(sgd, p, grads);
            if (step % rhythm == 0) last = vn_item(loss);
        }
        vn_cache_info after = stats();
        CHECK(after.misses - before.misses == (rhythm == 1)); /* one program for all intervals */
        CHECK(after.hits - before.hits == 101 - (rhythm == 1));
        CHECK(isfinite(last));
        CHECK(near(vn_item(vn_slice_at(vn_tree_get(p, "w"), VN_SHAPE(0, 0), VN_SHAPE(1, 1))), 2, 1e-3));
    }
}

TEST(mini_batches_compile_two_programs)
{
    vn_array *data = vn_random_normal(0, 1, VN_SHAPE(100, 3)), *target = vn_matmul(data, vn_from((float[]){1, 2, 3}, VN_SHAPE(3, 1)));
    vn_eval(2, (vn_array *[]){data, target});
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.05, NULL);
    vn_cache_info before = stats();
    for (int epoch = 0; epoch < 5; epoch++) {
        for (int at = 0; at < 100; at += 32) {
            VN_SCOPE;
            int n = at + 32 > 100 ? 100 - at : 32;
            vn_array *xy[] = {vn_slice_at(data, VN_SHAPE(at, 0), VN_SHAPE(n, 3)), vn_slice_at(target, VN_SHAPE(at, 0), VN_SHAPE(n, 1))};
            vn_tree *grads;
            vn_value_and_grad(loss_of, p, xy, &grads);
            CHECK(vn_step(sgd, p, grads) == VN_OK);
        }
    }
    CHECK(stats().misses - before.misses <= 2);
}

/* 10,000 hand-written steps that are never evaluated explicitly: still constant memory. */
TEST(hand_written_steps_are_flat)
{
    bool native = !strcmp(vn_using(), "native"), compiles = !strcmp(vn_using(), "jax") || !strcmp(vn_using(), "tensorflow");
    vn_array *w = vn_keep(vn_from((float[]){5, -3}, VN_SHAPE(2))), *lr = vn_scalar(.001);
    vn_memory_info early = {.size = sizeof early}, late = early;
    for (int step = 0; step < 10000; step++) {
        VN_SCOPE;
        vn_array *v = vn_variable(w), *loss = vn_sum(vn_square(v), VN_ALL);
        vn_into(w, vn_variable(vn_sub(v, vn_mul(vn_grad(loss, v), lr))));
        if (compiles || (!native && step % 2)) vn_eval(1, &w); /* the others leave it to the safety net */
        if (step == 4000) vn_memory(&early);
    }
    vn_memory(&late);
    CHECK(late.nodes < early.nodes + 20000 && late.handles < early.handles + 100);
    CHECK(near(((const float *)vn_data(w))[0], 5 * pow(1 - .002, 10000), 1e-2));
    vn_drop(w);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    while ((text = strstr(text, what))) n++, text++;
    return n;
}

/* tanh(x * 2 + 1): one kernel on the native engine, one compiled function where the framework compiles. */
TEST(explain_shows_fusion)
{
    vn_array *x = vn_ones(VN_SHAPE(1000), VN_F32), *y = vn_tanh(vn_add(vn_mul(x, vn_scalar(2)), vn_scalar(1)));
    const char *text = vn_explain(y);
    CHECK(text && !vn_is_ready(y)); /* explaining computes nothing */
    if (!text) return;
    CHECK(count(text, "stage") == 2 && strstr(text, vn_using()));
    int lines = count(text, "\n") - 2;
    if (!strcmp(vn_using(), "native")) CHECK(lines == 1 && strstr(text, "fused"));
    if (!strcmp(vn_using(), "jax") || !strcmp(vn_using(), "tensorflow")) CHECK(lines == 1 && strstr(text, "3"));
    if (!strcmp(vn_using(), "numpy") || !strcmp(vn_using(), "torch")) CHECK(lines == 3 && strstr(text, "kernel tanh"));
    CHECK(near(vn_item(vn_mean(y, VN_ALL)), tanh(3), 1e-5));
    text = vn_explain(vn_random_normal(0, 1, VN_SHAPE(4)));
    if (strcmp(vn_using(), "native") != 0) CHECK(text && strstr(text, "computed by vinea"));
    CHECK(strstr(vn_explain(x), "nothing to compute"));
}

TEST(compile_warms_up)
{
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(3, 1), VN_F32), "b", vn_ones(VN_SHAPE(1), VN_F32), NULL);
    vn_array *xy[] = {vn_ones(VN_SHAPE(9, 3), VN_F32), vn_ones(VN_SHAPE(9, 1), VN_F32)};
    CHECK(vn_compile(loss_of, p, xy) == VN_OK);
    vn_cache_info before = stats();
    CHECK(vn_item(loss_of(p, xy)) == 9); /* 3 + 1 - 1, squared */
    CHECK(stats().misses == before.misses);
    CHECK_FAILS(vn_compile(NULL, p, xy), VN_E_NULL, "compile");
}

TEST_MAIN
