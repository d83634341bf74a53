/* SPDX-License-Identifier: Apache-2.0 */
/* nn_details.c: details of neural-network functions that most inputs do not show: masks per batch entry and of numbers, sub-modules that
 * outlive their module, what a call computes and a summary does not, gradients held over several steps, and schedule functions in an
 * optimizer's state. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

/* A mask for each of two entries of a batch: what one entry gives must not depend on the other. */
TEST(masks_of_batches)
{
    const float numbers[] = {.5f, -1, 2, .25f, 1, -.5f, .75f, 3, -2, 1.5f, .125f, -.25f},
                attend[] = {1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 2, 1, 1, 1, 0, 0, 1, 1};
    vn_array *x = vn_array_from(numbers, VN_F32, 2, (const int64_t[]){3, 4}), *both = vn_stack(2, (vn_array *const[]){x, x}, 0);
    vn_array *mask = vn_array_from(attend, VN_F32, 3, (const int64_t[]){2, 3, 3}),
             *context = vn_concat(2, (vn_array *const[]){x, vn_neg(x)}, -1);
    vn_array *contexts = vn_stack(2, (vn_array *const[]){context, context}, 0), *rows[2] = {NULL}, *parts[2] = {NULL};
    vn_array *y = vn_multi_head_attention(both, contexts, mask, 2, VN_OPTS(multi_head_attention, .scale = .5));
    CHECK(vn_unstack(mask, 2, 0, rows) == VN_OK && vn_unstack(y, 2, 0, parts) == VN_OK);
    for (int k = 0; k < 2; k++) {
        vn_array *alone = vn_multi_head_attention(x, context, rows[k], 2, VN_OPTS(multi_head_attention, .scale = .5));
        CHECK(vn_item(vn_max(vn_abs(vn_sub(parts[k], alone)), VN_ALL)) < 1e-6);
    }
}

/* A mask of numbers says where to attend, as one of bool does; it is not added to anything. */
TEST(masks_of_numbers)
{
    const float numbers[] = {.5f, -1, 2, .25f, 1, -.5f, .75f, 3, -2, 1.5f, .125f, -.25f}, attend[] = {1, 0, 0, .5f, 1, 0, 0, -2, 1};
    vn_array *x = vn_array_from(numbers, VN_F32, 2, (const int64_t[]){3, 4});
    vn_array *mask = vn_array_from(attend, VN_F32, 2, (const int64_t[]){3, 3}), *y[2];
    for (int k = 0; k < 2; k++)
        y[k] = vn_projected_attention(x, VN_NONE, VN_NONE, vn_tree_new(NULL), k ? vn_cast(mask, VN_BOOL) : mask, VN_NONE,
                                      VN_OPTS(projected_attention, .heads = 2), NULL);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(y[0], y[1])), VN_ALL)) == 0);
}

/* A sub-module that was asked for lives as long as the scope, also when its module is gone. */
TEST(children_alone)
{
    vn_module *m = NULL, *child = NULL;
    {
        VN_SCOPE;
        m = vn_module_keep(vn_nn_sequential((vn_module *[]){vn_nn_linear(2, 3, NULL)}, 1, NULL));
    }
    child = vn_module_child(m, "submodules/v0");
    vn_module_drop(m);
    vn_array *y = vn_module_call(child, vn_full(vn_scalar(1), VN_SHAPE(1, 2), VN_F32), NULL);
    CHECK(vn_rank(y) == 2 && vn_dim(y, 1) == 3);
}

static int64_t programs_made(void)
{
    vn_cache_info info = {.size = sizeof info};
    CHECK(vn_cache_stats(vn_engine_of(vn_scalar(1)), &info) == VN_OK);
    return info.misses;
}

/* The first call computes the variables, so that its result comes from the program of all later ones. */
TEST(first_calls)
{
    vn_module *m = vn_nn_linear(3, 2, NULL);
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(5, 3), VN_F32);
    CHECK(vn_eval(1, &x) == VN_OK);
    double y = vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL));
    int64_t before = programs_made();
    CHECK(vn_item(vn_sum(vn_module_call(m, x, NULL), VN_ALL)) == y && programs_made() == before);
}

/* Attention to earlier steps needs no mask where there are as many keys as queries, and windows of one length no copies. */
TEST(short_programs)
{
    vn_array *x = vn_full(vn_scalar(1), VN_SHAPE(4, 2), VN_F32), *signal = vn_full(vn_scalar(1), VN_SHAPE(1, 6, 1), VN_F32);
    CHECK(vn_eval(2, (vn_array *[]){x, signal}) == VN_OK);
    const char *text =
        vn_explain(vn_scaled_dot_product_attention(x, x, x, VN_NONE, VN_OPTS(scaled_dot_product_attention, .scale = 1, .causal = 1)));
    CHECK(text && !strstr(text, "less_equal"));
    text = vn_explain(vn_adaptive_max_pool(signal, VN_LIST(3), NULL));
    CHECK(text && !strstr(text, "take"));
}

/* A summary runs no module in training: running numbers stay. */
TEST(summaries)
{
    vn_module *m = vn_nn_batch_norm1d(2, NULL);
    const char *text = vn_module_summary(m, vn_full(vn_scalar(5), VN_SHAPE(4, 2), VN_F32));
    CHECK(text && strstr(text, "4x2"));
    CHECK(vn_item(vn_sum(vn_module_buffer(m, "running_mean"), VN_ALL)) == 0 && vn_module_training(m));
}

static vn_tree *tree_of(double value)
{
    return vn_tree_of("w", vn_full(vn_scalar(value), VN_SHAPE(2), VN_F64), NULL);
}

static double first(const vn_tree *p)
{
    return vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL)) / 2;
}

/* With plain descent the length of the step shows which gradients went into it. */
TEST(held_gradients)
{
    vn_optim *o = vn_sgd(.5, NULL);
    CHECK(vn_optim_accumulate(o, 2) == VN_OK);
    vn_tree *p = tree_of(10);
    for (int round = 0; round < 2; round++) {
        double before = first(p);
        CHECK(vn_step(o, p, tree_of(1)) == VN_OK && first(p) == before);
        CHECK(vn_step(o, p, tree_of(5)) == VN_OK && near(first(p), before - .5 * 3, 1e-12));
    }
}

/* A state in the middle of accumulating goes on with the same bits; one whose sums are gone is refused. Clipping looks at the average. */
TEST(held_state)
{
    for (int stop = 1; stop < 7; stop++) {
        vn_optim *whole = vn_sgd(.5, NULL), *saved = vn_sgd(.5, NULL), *next = vn_sgd(.5, NULL);
        vn_tree *p = tree_of(10), *q = tree_of(10);
        CHECK(!vn_optim_accumulate(whole, 7) && !vn_optim_accumulate(saved, 7) && !vn_optim_accumulate(next, 7));
        for (int i = 0; i < stop; i++) CHECK(!vn_step(saved, q, tree_of(.1 * i)));
        CHECK(!vn_optim_set_state(next, vn_optim_state(saved)));
        for (int i = stop; i < 7; i++) CHECK(!vn_step(next, q, tree_of(.1 * i)));
        for (int i = 0; i < 7; i++) CHECK(!vn_step(whole, p, tree_of(.1 * i)));
        CHECK(first(p) == first(q) && near(first(p), 10 - .5 * .3, 1e-12));
        vn_tree *lost = vn_tree_prune_key_chains(vn_optim_state(saved), VN_KEYS("held"));
        CHECK_FAILS(vn_optim_set_state(next, lost), VN_E_STRUCT, "are half accumulated, and the state does not hold them");
    }
    vn_optim *o = vn_sgd(1, NULL);
    vn_tree *p = tree_of(0);
    CHECK(!vn_optim_accumulate(o, 2) && !vn_optim_clip_value(o, 2));
    CHECK(!vn_step(o, p, tree_of(10)) && !vn_step(o, p, tree_of(-8)) && near(first(p), -1, 1e-12));
}

/* A state of other counts is taken where no gradients wait, and goes on with the new count; else it is refused with both counts. */
TEST(other_counts)
{
    static const int64_t counts[][2] = {{4, 2}, {4, 3}, {4, 1}, {1, 3}};
    for (int k = 0; k < 4; k++) {
        for (int calls = 3; calls < 5; calls++) {
            vn_optim *saved = vn_sgd(.5, NULL), *next = vn_sgd(.5, NULL);
            CHECK(!vn_optim_accumulate(saved, counts[k][0]) && !vn_optim_accumulate(next, counts[k][1]));
            vn_tree *p = tree_of(10);
            for (int i = 0; i < calls; i++) CHECK(vn_step(saved, p, tree_of(1)) == VN_OK);
            if (calls % counts[k][0]) {
                CHECK_FAILS(vn_optim_set_state(next, vn_optim_state(saved)), VN_E_STRUCT,
                            "gradients of 3 of 4 steps are accumulated, which needs vn_optim_accumulate(o, 4)");
                continue;
            }
            CHECK(vn_optim_set_state(next, vn_optim_state(saved)) == VN_OK && vn_optim_steps(next) == calls / counts[k][0]);
            const double before = first(p);
            for (int i = 1; i < counts[k][1]; i++) CHECK(vn_step(next, p, tree_of(1)) == VN_OK && first(p) == before);
            CHECK(vn_step(next, p, tree_of(1)) == VN_OK && near(first(p), before - .5, 1e-12));
        }
    }
}

static double tenth(int64_t step, void *user)
{
    (void)user;
    return .1 * (double)(step + 1);
}

/* The state says that the schedule is a function; only an optimizer that has one takes it, and keeps its own. */
TEST(functions_in_states)
{
    vn_optim *o = vn_sgd(1, NULL), *none = vn_sgd(1, NULL), *other = vn_sgd(1, NULL);
    vn_tree *p = tree_of(1);
    CHECK(vn_optim_schedule(o, vn_schedule_of(tenth, NULL)) == VN_OK && vn_step(o, p, tree_of(1)) == VN_OK);
    vn_tree *state = vn_optim_state(o);
    CHECK_FAILS(vn_optim_set_state(none, state), VN_E_STRUCT, "the schedule was a function");
    CHECK(vn_optim_schedule(other, vn_schedule_of(tenth, NULL)) == VN_OK && vn_optim_set_state(other, state) == VN_OK);
    CHECK(near(vn_optim_lr(other), .2, 1e-12));
}

TEST_MAIN
