/* nn_details.c: what is easily lost in neural-network functions because most inputs do not show it: masks of batches and of numbers,
 * gradients held over several steps, and schedules that are functions in an optimizer's state. */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

/* A mask for each of two entries of a batch: what one entry gives must not depend on the other. */
static void masks_of_batches(void)
{
    const float numbers[] = {.5f, -1, 2, .25f, 1, -.5f, .75f, 3, -2, 1.5f, .125f, -.25f},
                attend[] = {1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 2, 1, 1, 1, 0, 0, 1, 1};
    vn_array *x = vn_array_from(numbers, VN_F32, 2, (const int64_t[]){3, 4}), *both = vn_stack(2, (vn_array *const[]){x, x}, 0);
    vn_array *mask = vn_array_from(attend, VN_F32, 3, (const int64_t[]){2, 3, 3}),
             *context = vn_concat(2, (vn_array *const[]){x, vn_neg(x)}, -1);
    vn_array *contexts = vn_stack(2, (vn_array *const[]){context, context}, 0), *rows[2], *parts[2];
    vn_array *y = vn_multi_head_attention(both, .5, 2, contexts, mask, NULL);
    CHECK(vn_unstack(mask, 0, rows, 2) == VN_OK && vn_unstack(y, 0, parts, 2) == VN_OK);
    for (int k = 0; k < 2; k++) {
        vn_array *alone = vn_multi_head_attention(x, .5, 2, context, rows[k], NULL);
        CHECK(vn_item(vn_max(vn_abs(vn_sub(parts[k], alone)), VN_ALL)) < 1e-6);
    }
}

static vn_tree *tree_of(double value)
{
    return vn_tree_of("w", vn_full(value, VN_SHAPE(2), VN_F64), NULL);
}

static double first(const vn_tree *p)
{
    return vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL)) / 2;
}

/* With plain descent the length of the step shows which gradients went into it. */
static void held_gradients(void)
{
    vn_optim *o = vn_sgd_with(.5, VN_OPTS(optim, .accumulate = 2));
    vn_tree *p = tree_of(10);
    for (int round = 0; round < 2; round++) {
        double before = first(p);
        CHECK(vn_step(o, p, tree_of(1)) == VN_OK && first(p) == before);
        CHECK(vn_step(o, p, tree_of(5)) == VN_OK && near(first(p), before - .5 * 3, 1e-12));
    }
}

static double tenth(int64_t step, void *user)
{
    (void)user;
    return .1 * (double)(step + 1);
}

/* The state says that the schedule is a function; only an optimizer that has one takes it, and keeps its own. */
static void functions_in_states(void)
{
    vn_optim *o = vn_sgd(1), *none = vn_sgd(1), *other = vn_sgd(1);
    vn_tree *p = tree_of(1);
    CHECK(vn_optim_schedule(o, vn_schedule_of(tenth, NULL)) == VN_OK && vn_step(o, p, tree_of(1)) == VN_OK);
    vn_tree *state = vn_optim_state(o);
    CHECK_FAILS(vn_optim_set_state(none, state), VN_E_STRUCT, "the schedule was a function");
    CHECK(vn_optim_schedule(other, vn_schedule_of(tenth, NULL)) == VN_OK && vn_optim_set_state(other, state) == VN_OK);
    CHECK(near(vn_optim_lr(other), .2, 1e-12));
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    RUN(masks_of_batches);
    RUN(held_gradients);
    RUN(functions_in_states);
    return finish();
}
