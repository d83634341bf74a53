/* SPDX-License-Identifier: Apache-2.0 */
/* refusals.c: arguments that optimizers, schedules, clipping, trees of moments, gradients and traces refuse, with what their errors say; a refused
 * call changes nothing. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <vinea/module.h>
#include <vinea/nn.h>

TEST(schedules)
{
    const vn_schedule parts[] = {vn_constant(.5), vn_constant(.1)};
    const int64_t from[] = {10}, falling[] = {0};
    const double rates[] = {.5, .1}, bad[] = {.5, NAN}, below[] = {-1};
    const size_t size = sizeof(vn_joined);
    CHECK_FAILS(vn_join_schedules(NULL), VN_E_NULL, "join_schedules: j is NULL");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = 3}), VN_E_ARG, "sizeof(vn_joined)");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = size, .n = 2, .from = from}), VN_E_NULL, "join_schedules: parts or from is NULL");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = size, .n = 2, .parts = parts}), VN_E_NULL, "parts or from is NULL");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = size, .parts = parts}), VN_E_ARG, "join_schedules: 0 parts");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = size, .n = 2, .parts = parts, .from = falling}), VN_E_ARG, "from[0] is 0");
    CHECK_FAILS(vn_join_schedules(&(vn_joined){.size = size, .n = 1, .parts = &(vn_schedule){0}}), VN_E_ARG, "not a valid schedule");
    const size_t pieces = sizeof(vn_pieces);
    CHECK_FAILS(vn_piecewise(NULL), VN_E_NULL, "piecewise: p is NULL");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = 1}), VN_E_ARG, "piecewise: size is 1; it must be sizeof(vn_pieces)");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 1}), VN_E_NULL, "piecewise: rates or from is NULL");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 2, .rates = rates}), VN_E_NULL, "rates or from is NULL");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .rates = rates}), VN_E_ARG, "piecewise: 0 rates");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 1, .rates = rates, .between = -1}), VN_E_ARG, "between -1");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 1, .rates = rates, .between = 3}), VN_E_ARG, "between 3");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 2, .rates = bad, .from = from}), VN_E_ARG, "piecewise: rates[1] is nan");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 1, .rates = below}), VN_E_ARG, "piecewise: rates[0] is -1");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = pieces, .n = 2, .rates = rates, .from = falling}), VN_E_ARG, "from[0] is 0");
    CHECK_FAILS(vn_schedule_of(NULL, NULL), VN_E_NULL, "schedule_of: fn is NULL");
}

static double always(int64_t step, void *user)
{
    (void)step, (void)user;
    return 1;
}

/* A schedule is checked where it is made or given to an optimizer. */
static int given(vn_schedule s)
{
    return vn_optim_schedule(vn_sgd(.1, NULL), s);
}

/* Numbers that the functions refuse, and the same in a schedule whose fields a program has changed. */
TEST(rates)
{
    CHECK_FAILS(given(vn_polynomial(1, 0, 0, 10)), VN_E_ARG, "polynomial: power is 0; a number in (0, inf) is needed");
    CHECK_FAILS(given(vn_noam(1, 0, 10)), VN_E_ARG, "noam: size is 0; a number in [1, inf] is needed");
    CHECK_FAILS(given(vn_step_decay(1, 0, 10)), VN_E_ARG, "step_decay: factor is 0; a number in (0, inf) is needed");
    CHECK_FAILS(given(vn_cosine_restarts(1, 0, 10, .5)), VN_E_ARG, "cosine_restarts: factor is 0.5; a number in [1, inf) is needed");
    CHECK_FAILS(given(vn_linear_decay(1, NAN, 10)), VN_E_ARG, "linear_decay: last is nan; a number in [0, inf) is needed");
    CHECK_FAILS(given(vn_warm_up(vn_constant(1), -2)), VN_E_ARG, "a warm-up of -2 steps");
    const double bad[] = {0, INFINITY, NAN};
    for (int k = 0; k < 3; k++) {
        vn_schedule s = vn_polynomial(1, 0, 2, 10);
        s.factor = bad[k];
        CHECK_FAILS(given(s), VN_E_ARG, "optim_schedule: a power of ");
        s = vn_step_decay(1, .5, 10), s.factor = bad[k];
        CHECK_FAILS(given(s), VN_E_ARG, " every 10 steps");
        s = vn_cosine_restarts(1, 0, 10, 2), s.factor = bad[k];
        CHECK_FAILS(given(s), VN_E_ARG, "a number from 1 on is needed");
        s = vn_linear_decay(1, 0, 10), s.last = k ? bad[k] : -1;
        CHECK_FAILS(given(s), VN_E_ARG, "finite numbers from 0 on are needed");
        s = vn_constant(1), s.rate = k ? bad[k] : -1;
        CHECK_FAILS(given(s), VN_E_ARG, "finite numbers from 0 on are needed");
    }
    vn_schedule s = vn_noam(1, 64, 10);
    s.every = 0;
    CHECK_FAILS(given(s), VN_E_ARG, "a model of size 0");
    s = vn_exponential_decay(1, .5, 10), s.every = 0;
    CHECK_FAILS(given(s), VN_E_ARG, "a factor of 0.5 every 0 steps");
    s = vn_linear_decay(1, 0, 10), s.steps = 0;
    CHECK_FAILS(given(s), VN_E_ARG, "0 steps");
    s = vn_schedule_of(always, NULL), s.fn = NULL;
    CHECK_FAILS(given(s), VN_E_NULL, "the schedule's function is NULL");
    s = vn_constant(1), s.kind = 1000;
    CHECK_FAILS(given(s), VN_E_ARG, "not a valid schedule");
    CHECK(given(vn_schedule_of(always, NULL)) == VN_OK);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_mean(vn_square(vn_tree_get(p, "w")), VN_ALL);
}

TEST(optimizers)
{
    vn_optim *o = vn_adam(.1, NULL);
    CHECK_FAILS(vn_optim_rename(o, NULL), VN_E_NULL, "optim_rename: name is NULL");
    CHECK_FAILS(vn_optim_rename(o, ""), VN_E_ARG, "optim_rename: \"\" is no name");
    CHECK_FAILS(vn_optim_rename(o, "a/b"), VN_E_ARG, "optim_rename: \"a/b\" is no name");
    CHECK_FAILS(vn_optim_rename(o, "a name that is longer than forty-eight letters are"), VN_E_ARG, "is no name");
    CHECK_FAILS(vn_optim_part(o, NULL), VN_E_NULL, "optim_part: name is NULL");
    CHECK_FAILS(vn_optim_schedule_option(o, NULL, vn_constant(1)), VN_E_NULL, "optim_schedule_option: option is NULL");
    CHECK_FAILS(vn_optim_clip_norm(o, INFINITY), VN_E_ARG, "inf; a number above 0 is needed");
    CHECK_FAILS(vn_optim_clip_norm(o, 0), VN_E_ARG, "0; a number above 0 is needed");
    CHECK_FAILS(vn_optim_clip_value(o, -1), VN_E_ARG, "-1; a number above 0 is needed");
    CHECK_FAILS(vn_optim_keep_average(o, 0), VN_E_ARG, "the decay is 0; above 0 and below 1 is needed");
    CHECK_FAILS(vn_optim_keep_average(o, 1), VN_E_ARG, "the decay is 1");
    CHECK_FAILS(vn_optim_accumulate(o, 0), VN_E_ARG, "optim_accumulate");
    CHECK_FAILS(vn_chain(2, (vn_optim *[]){o, o}), VN_E_ARG, "one optimizer is two of its parts");
    CHECK_FAILS(vn_chain(2, NULL), VN_E_ARG, "0 parts; 1 to");
    CHECK_FAILS(vn_chain(0, (vn_optim *[]){o}), VN_E_ARG, "0 parts; 1 to");
    vn_optim *part = vn_sgd(1, NULL), *chain = vn_chain(1, (vn_optim *[]){part});
    CHECK(chain && vn_optim_part(chain, "sgd"));
    CHECK_FAILS(vn_optim_rename(part, "other"), VN_E_ARG, "a part is named before it becomes one");
    CHECK_FAILS(vn_sgd(1, VN_OPTS(sgd, .nesterov = 1)), VN_E_ARG, "sgd: nesterov needs a momentum");
    CHECK_FAILS(vn_rmsprop(1, VN_OPTS(rmsprop, .nesterov = 1)), VN_E_ARG, "rmsprop: nesterov needs a momentum");
    CHECK_FAILS(vn_optim_minimize(vn_lbfgs(1, NULL), NULL, vn_tree_new(NULL), NULL), VN_E_NULL, "fn is NULL");
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL), *g = NULL;
    vn_array *loss = vn_value_and_grad(loss_of, p, NULL, &g);
    CHECK(loss && !vn_step(o, p, g) &&
          near(vn_item(vn_max(vn_tree_get(p, "w"), VN_ALL)), .9, 1e-5)); /* nothing that was refused took effect */
}

TEST(states)
{
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL), *g = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    vn_optim *o = vn_adam(.1, NULL);
    CHECK(!vn_step(o, p, g));
    vn_tree *state = vn_optim_state(o);
    static const char *const counts[] = {"steps", "calls"};
    for (int k = 0; k < 2; k++) {
        vn_tree *bad = vn_tree_set_at_key_chain(state, counts[k], vn_value_number(-1));
        CHECK_FAILS(vn_optim_set_state(o, bad), VN_E_STRUCT, "must be counts");
        bad = vn_tree_set_at_key_chain(state, counts[k], vn_value_number(.5));
        CHECK_FAILS(vn_optim_set_state(o, bad), VN_E_STRUCT, "must be counts");
    }
    CHECK(vn_optim_steps(o) == 1 && !vn_optim_set_state(o, state) && vn_optim_steps(o) == 1);
}

TEST(clipping)
{
    vn_tree *t = vn_tree_of("w", vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), *none = vn_tree_of("w", vn_ones(VN_SHAPE(0, 3), VN_F32), NULL);
    CHECK_FAILS(vn_clip_per_example(t, 0, NULL), VN_E_ARG, "clip_per_example: the length 0 must be above 0");
    CHECK_FAILS(vn_clip_per_example(t, INFINITY, NULL), VN_E_ARG, "clip_per_example: the length inf must be above 0");
    CHECK_FAILS(vn_clip_per_example(t, 1, VN_OPTS(clip_per_example, .by_size = 1)), VN_E_ARG, "which needs by_layer");
    CHECK_FAILS(vn_private_gradients(t, VN_NONE, 1, -1), VN_E_ARG, "private_gradients: the noise -1 must not be negative");
    CHECK_FAILS(vn_private_gradients(t, VN_NONE, 1, INFINITY), VN_E_ARG, "private_gradients: the noise inf");
    CHECK_FAILS(vn_private_gradients(none, VN_NONE, 1, 0), VN_E_SHAPE, "private_gradients: there are no examples");
    CHECK_FAILS(vn_private_gradients(t, VN_NONE, 0, 0), VN_E_ARG, "the length 0 must be above 0");
    vn_tree *sum = vn_private_gradients(t, VN_NONE, 100, 0);
    CHECK(sum && vn_item(vn_sum(vn_tree_get(sum, "w"), VN_ALL)) == 3); /* the mean of two rows of ones */
}

TEST(trees)
{
    vn_tree *t = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK_FAILS(vn_tree_update_moment(t, t, 1.5, 1), VN_E_ARG, "the decay 1.5 is not in [0, 1]");
    CHECK_FAILS(vn_tree_update_moment(t, t, -.5, 1), VN_E_ARG, "the decay -0.5 is not in [0, 1]");
    CHECK_FAILS(vn_tree_max(vn_tree_new(NULL)), VN_E_STRUCT, "the tree has no array");
    vn_running r = {0};
    CHECK_FAILS(vn_running_add(NULL, 1, 1), VN_E_NULL, "running_add: r is NULL");
    CHECK_FAILS(vn_running_add(&r, 1, -1), VN_E_ARG, "running_add: a weight of -1; 0 or more is needed");
    CHECK_FAILS(vn_running_add(&r, 1, INFINITY), VN_E_ARG, "a weight of inf");
    CHECK(!vn_running_add(&r, 3, 0) && !vn_running_add(&r, 2, 4) && vn_running_value(&r) == 2);
}

static vn_array *module_loss(vn_module *m, void *x)
{
    return vn_sum(vn_module_call(m, x, NULL), VN_ALL);
}

TEST(modules)
{
    vn_module *m = vn_nn_linear(2, 2, NULL);
    vn_tree *g = NULL;
    CHECK_FAILS(vn_module_value_and_grad(m, NULL, NULL, &g), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_module_value_and_grad(m, module_loss, vn_ones(VN_SHAPE(1, 2), VN_F32), NULL), VN_E_NULL, "grads is NULL");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .depth = -1)), VN_E_ARG, "trace_new: depth is negative");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .submods = &m, .n_submods = -1)), VN_E_ARG, "trace_new: n_submods is negative");
    CHECK_FAILS(vn_module_trace_new(VN_OPTS(module_trace, .submods = (vn_module *[]){NULL}, .n_submods = 1)), VN_E_NULL,
                "a sub-module is NULL");
    CHECK_FAILS(vn_module_add_buffer(m, "", vn_ones(VN_0D, VN_F32)), VN_E_ARG, "a buffer needs a name");
    CHECK_FAILS(vn_module_add_buffer(m, NULL, vn_ones(VN_0D, VN_F32)), VN_E_ARG, "a buffer needs a name");
    CHECK_FAILS(vn_module_buffer(m, NULL), VN_E_STRUCT, "Linear has no buffer \"NULL\"");
    vn_regularizer r;
    CHECK_FAILS(vn_regularizer_parse(NULL, &r), VN_E_NULL, "text is NULL");
    CHECK_FAILS(vn_regularizer_parse("l2(0.1)", NULL), VN_E_NULL, "to is NULL");
    vn_init init = vn_init_uniform(1);
    init.scale = -1;
    CHECK_FAILS(vn_init_array(init, VN_SHAPE(2), 1, 1, VN_F32), VN_E_ARG, "the width -1 is negative");
    vn_array *loss = vn_module_value_and_grad(m, module_loss, vn_ones(VN_SHAPE(1, 2), VN_F32), &g);
    CHECK(loss && vn_tree_leaves(g) == 2);
}

static vn_array *counted(vn_shape s)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return vn_reshape(vn_sqrt(vn_arange(1, (double)n + 1, 1, VN_F32)), s);
}

/* ---- penalties and bounds ---- */

TEST(penalties_and_bounds)
{
    CHECK_FAILS(vn_regularizer_l1(-1), VN_E_ARG, "l1");
    CHECK_FAILS(vn_regularizer_l2(NAN), VN_E_ARG, "l2");
    CHECK_FAILS(vn_regularizer_l1_l2(1, -1), VN_E_ARG, "l1_l2");
    CHECK_FAILS(vn_regularizer_orthogonal(-1, 0), VN_E_ARG, "orthogonal");
    CHECK_FAILS(vn_constraint_max_norm(-1, 0), VN_E_ARG, "max_norm");
    CHECK_FAILS(vn_constraint_min_max_norm(-1, 1, 1, 0), VN_E_ARG, "min_max_norm");
    vn_array *w = counted(VN_SHAPE(2, 3));
    const vn_regularizer penalty = vn_regularizer_l1(-1);
    const vn_constraint bound = vn_constraint_max_norm(-1, 0);
    vn_clear();
    CHECK_FAILS(vn_regularizer_value(&penalty, w), VN_E_ARG, "the regularizer");
    CHECK_FAILS(vn_constraint_value(&bound, w), VN_E_ARG, "the constraint");
}

/* ---- decompositions ---- */

TEST(decompositions)
{
    vn_array *x = counted(VN_SHAPE(2, 3, 2)), *key = vn_random_key_of(1);
    vn_shape two = VN_SHAPE(2);
    CHECK(vn_tucker(x, two, VN_OPTS(tucker, .iterations = 2, .tolerance = (double)VN_ZERO)) != NULL);
    CHECK(vn_tucker(vn_zeros(VN_SHAPE(2, 3), VN_F32), two, VN_OPTS(tucker, .iterations = 2)) != NULL);
    CHECK_FAILS(vn_tucker(vn_cast(x, VN_I32), two, NULL), VN_E_SHAPE, "floats");
    CHECK_FAILS(vn_tucker(x, two, VN_OPTS(tucker, .iterations = -1)), VN_E_ARG, "-1 iterations");
    CHECK_FAILS(vn_tucker(x, two, VN_OPTS(tucker, .modes = VN_SHAPE(-9))), VN_E_ARG, "is no axis of x");
    CHECK_FAILS(vn_tucker(x, two, VN_OPTS(tucker, .modes = VN_SHAPE(0, 0))), VN_E_ARG, "or there twice");
    CHECK(vn_cp(x, 2, VN_OPTS(cp, .iterations = 2)) != NULL && vn_tensor_train(x, two) != NULL);
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(2, 0), 2, VN_F32, NULL), VN_E_SHAPE, "sizes of 1 or more");
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(2, 3), 2, (vn_dtype)99, NULL), VN_E_DTYPE, "a float dtype");
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(2, 3), 3, VN_F32, VN_OPTS(random_factors, .orthogonal = 1)), VN_E_ARG, "3 orthogonal columns");
    CHECK_FAILS(vn_random_tucker(key, VN_SHAPE(2, 3), VN_SHAPE(1, 2, 3), VN_F32, NULL), VN_E_ARG, "3 ranks");
    CHECK_FAILS(vn_random_parafac2(key, VN_SHAPE(2, 3), 2, 3, VN_F32), VN_E_ARG, "orthogonal");
    CHECK_FAILS(vn_random_parafac2(key, VN_SHAPE(2, 3), 2, 0, VN_F32), VN_E_ARG, "a rank of 0");
    CHECK_FAILS(vn_tt_matrix_to_tensor(vn_tree_new(NULL)), VN_E_ARG, "0 cores; 1 to 16 are possible");
    vn_tree *cores = vn_tree_list(0, NULL);
    for (int k = 0; k < 17; k++) CHECK(!vn_tree_append(cores, vn_value_array(vn_ones(VN_SHAPE(1, 1, 1, 1), VN_F32))));
    CHECK_FAILS(vn_tt_matrix_to_tensor(cores), VN_E_ARG, "17 cores");
    CHECK(vn_random_cp(key, VN_SHAPE(2, 3), 2, VN_F32, VN_OPTS(random_factors, .orthogonal = 1, .normalize = 1)) != NULL);
    CHECK(vn_random_tucker(key, VN_SHAPE(2, 3), two, VN_F32, NULL) && vn_random_tt(key, VN_SHAPE(2, 3), two, VN_F32) &&
          vn_random_tr(key, VN_SHAPE(2, 3), two, VN_F32) && vn_random_parafac2(key, VN_SHAPE(2, 3), 2, 2, VN_F32));
}

TEST_MAIN
