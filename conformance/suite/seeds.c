/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.c: the rows of the seed dashboards (conformance/seeds/seed_matrix.csv), in their order, under their names. Tolerances are those of
 * the seeds' own tests; k and depth of the strict ones count the operations between an input and a result. */
#include "seeds.h"

#define ROW(table, test, about) \
    TEST_PLACE, .suite = "seeds/" #table, .id = #table "/" #test, .name = "test_" #test, .function = #test, .what = about
#define WITHIN(tolerance) .rtol = tolerance, .atol = tolerance
#define DEFAULT_TOLERANCE .rtol = 1e-5, .atol = 1e-6 /* where a seed names none */
#define ONLY(dtype) .dtypes = VN_BIT(dtype)
/* Tests of structure: one dtype, and nothing that another case would change. */
#define STRUCTURE(n, function) .cases = n, .fixed = true, ONLY(VN_F32), DEFAULT_TOLERANCE, .run = function
#define CONVOLUTION(...)                                  \
    .run = seed_convolution, .data = &(const convolution) \
    {                                                     \
        __VA_ARGS__                                       \
    }

static const exclusion out_of_range[] = {
    {NULL, "float16", "float16", "exp(x * x) of the seed's points does not fit into float16"},
    {NULL, "bfloat16", "bfloat16", "exp(x * x) of the seed's points has no significant digit in bfloat16"},
};

static const conformance_test rows[] = {
    {ROW(000, bind_custom_gradient_function, "a function's own gradient rule is used instead of the derivative"), .rtol = 1e-5,
     .atol = 1e-8, .cases = 4, .fixed = true, .excluded = out_of_range, .n_excluded = 2, .run = seed_bind_custom_gradient},
    {ROW(001, stop_gradient, "values pass and no derivative flows, and what is a variable stays one only when asked"), DEFAULT_TOLERANCE,
     .cases = 3, .fixed = true, .run = seed_stop_gradient},
    {ROW(002, gradient_descent_update, "w - lr * gradient, with its derivatives"), WITHIN(1e-2), .k = 4, .depth = 5, .cases = 3,
     .run = seed_descent, .data = "gradient_descent_update"},
    {ROW(002, optimizer_update, "w - lr * effective gradient, with its derivatives"), WITHIN(1e-2), .k = 4, .depth = 5, .cases = 3,
     .run = seed_descent, .data = "optimizer_update"},
    {ROW(002, execute_with_gradients, "value and gradients of a tree in which one array stands three times"), WITHIN(1e-1), .k = 8,
     .depth = 6, .truth = TRUTH_CLOSED, .cases = 4, .fixed = true, .run = seed_execute_with_gradients},
    {ROW(002, lamb_update, "one LAMB step and its moments against the formula, with their derivatives"), WITHIN(1e-1), .depth = 16,
     .cases = 4, .run = seed_lamb_update},
    {ROW(002, adam_update, "one Adam step and its moments against the formula, with their derivatives"), WITHIN(1e-2), .depth = 10,
     .cases = 3, .run = seed_adam_update},
    {ROW(002, grad, "the gradient of a callback at the seed's points"), .rtol = 1e-5, .atol = 1e-8, .k = 4, .cases = 4, .fixed = true,
     .run = seed_grad},
    {ROW(002, set_with_grads, "gradients are switched on and off, and off means a gradient of 0"), DEFAULT_TOLERANCE, .cases = 2,
     .fixed = true, .run = seed_set_with_grads},
    {ROW(002, unset_with_grads, "the switch goes back to what it was, and no further"), STRUCTURE(2, seed_unset_with_grads)},
    {ROW(002, jac, "the Jacobian of a callback at the seed's points"), .rtol = 1e-5, .atol = 1e-8, .k = 4, .cases = 4, .fixed = true,
     .run = seed_jac},
    {ROW(002, lars_update, "one LARS step against the formula, also where squares would overflow"), WITHIN(1e-1), .depth = 12, .cases = 2,
     .run = seed_lars_update},
    {ROW(002, adam_step, "Adam's direction and moments against the formula, with their derivatives"), WITHIN(1e-1), .depth = 8, .cases = 3,
     .run = seed_adam_step},
    {ROW(002, stop_gradient, "values pass and no derivative flows, and what is a variable stays one only when asked"), DEFAULT_TOLERANCE,
     .cases = 3, .fixed = true, .run = seed_stop_gradient},
    {ROW(002, value_and_grad, "value and gradient of a callback together"), .rtol = 1e-5, .atol = 1e-8, .k = 4, .depth = 2, .cases = 4,
     .fixed = true, .run = seed_value_and_grad},
    {ROW(002, with_grads, "the switch is read, and refuses what is no switch"), STRUCTURE(1, seed_with_grads)},
    {ROW(002, shuffle, "rows change places and stay whole"), DEFAULT_TOLERANCE, .cases = 1, .run = seed_shuffle},
    {ROW(002, random_normal, "mean and deviation of normal numbers; one key, one sequence"), DEFAULT_TOLERANCE, .cases = 1,
     .run = seed_random_normal},
    {ROW(002, multinomial, "frequencies follow the weights; without replacement nothing comes twice"), DEFAULT_TOLERANCE, .cases = 1,
     .run = seed_multinomial},
    {ROW(002, random_uniform, "range and mean of uniform numbers; one key, one sequence"), DEFAULT_TOLERANCE, .cases = 1,
     .run = seed_random_uniform},
    {ROW(003, module_training, "a module of three layers learns, and every variable has a gradient"), STRUCTURE(2, seed_module_training)},
    {ROW(003, module_training_with_duplicate, "a layer or an array used twice is one variable, and learns"),
     STRUCTURE(2, seed_module_training_with_duplicate)},
    {ROW(003, module_w_dict_training, "a module with a dict of layers learns"), STRUCTURE(2, seed_module_w_dict_training)},
    {ROW(003, top_module, "the modules above a module, by depth"), STRUCTURE(1, seed_top_module)},
    {ROW(003, module_depth, "how deep a module stands"), STRUCTURE(1, seed_module_depth)},
    {ROW(003, module_w_none_attribute, "an attribute that is nothing changes nothing"), STRUCTURE(1, seed_module_w_none_attribute)},
    {ROW(003, v_with_top_v_key_chains, "a module's variables under the names they have at the top"),
     STRUCTURE(1, seed_v_with_top_v_key_chains)},
    {ROW(003, module_height, "how many levels stand below a module"), STRUCTURE(1, seed_module_height)},
    {ROW(003, top_variables, "the variables of the modules above, by depth"), STRUCTURE(1, seed_top_variables)},
    {ROW(003, module_check_submod_rets, "results of sub-modules are compared with expected ones"),
     STRUCTURE(1, seed_module_check_submod_rets)},
    {ROW(003, module_track_submod_call_order, "the calls of sub-modules are recorded in order"),
     STRUCTURE(1, seed_module_track_submod_call_order)},
    {ROW(003, sub_modules, "the modules below a module, by depth"), STRUCTURE(1, seed_sub_modules)},
    {ROW(003, with_custom_var_structure, "a module may arrange its variables as it likes, and learns"),
     STRUCTURE(1, seed_with_custom_var_structure)},
    {ROW(003, module_w_partial_v, "variables may be given in part, and wrong ones are refused"), STRUCTURE(1, seed_module_w_partial_v)},
    {ROW(003, module_w_list_training, "a module with a list of layers learns"), STRUCTURE(2, seed_module_w_list_training)},
    {ROW(003, module_track_submod_rets, "the results of sub-modules are recorded"), STRUCTURE(1, seed_module_track_submod_rets)},
    {ROW(004, scaled_dot_product_attention, "softmax of scaled scores times values, with a mask, and its derivatives"), WITHIN(1e-2),
     .depth = 12, .cases = 3, .run = seed_scaled_dot_product_attention},
    {ROW(004, dropout, "the share that is dropped, the scale of the rest, and its gradient"), DEFAULT_TOLERANCE, .cases = 1,
     .run = seed_dropout},
    {ROW(004, linear, "x w + b in batches, with its derivatives"), WITHIN(1e-2), .depth = 16, .cases = 3, .run = seed_linear},
    {ROW(004, conv3d, "against a plain loop over every position and tap, with its derivatives"), WITHIN(1e-2), .depth = 32, .cases = 2,
     CONVOLUTION("conv3d", 3, FORWARD, false)},
    {ROW(004, depthwise_conv2d, "against a plain loop, each channel alone, with its derivatives"), WITHIN(1e-2), .depth = 16, .cases = 2,
     CONVOLUTION("depthwise_conv2d", 2, DEPTHWISE, false)},
    {ROW(004, lstm_update, "outputs and states of an LSTM over time, with their derivatives"), WITHIN(1e-1), .depth = 24, .cases = 3,
     .run = seed_lstm_update},
    {ROW(004, conv_general_transpose, "1 to 3 axes, groups and bias against a plain loop, with its derivatives"), WITHIN(1e-1), .depth = 32,
     .cases = 6, CONVOLUTION("conv_general_transpose", 0, TRANSPOSED, true)},
    {ROW(004, conv3d_transpose, "against a plain loop that scatters every element, with its derivatives"), WITHIN(1e-2), .depth = 32,
     .cases = 2, CONVOLUTION("conv3d_transpose", 3, TRANSPOSED, false)},
    {ROW(004, conv1d, "against a plain loop over every position and tap, with its derivatives"), WITHIN(1e-2), .depth = 8, .cases = 2,
     CONVOLUTION("conv1d", 1, FORWARD, false)},
    {ROW(004, conv2d_transpose, "against a plain loop that scatters every element, with its derivatives"), WITHIN(1e-2), .depth = 16,
     .cases = 2, CONVOLUTION("conv2d_transpose", 2, TRANSPOSED, false)},
    {ROW(004, conv_general_dilated, "1 to 3 axes, groups, bias and dilated inputs against a plain loop, with its derivatives"),
     WITHIN(1e-2), .depth = 32, .cases = 6, CONVOLUTION("conv_general_dilated", 0, FORWARD, true)},
    {ROW(004, conv2d, "against a plain loop over every position and tap, with its derivatives"), WITHIN(1e-2), .depth = 16, .cases = 2,
     CONVOLUTION("conv2d", 2, FORWARD, false)},
    {ROW(004, multi_head_attention, "heads side by side against a plain loop, with the queries' derivatives"), WITHIN(1e-2), .depth = 12,
     .cases = 3, .run = seed_multi_head_attention},
    {ROW(004, conv1d_transpose, "against a plain loop that scatters every element, with its derivatives"), WITHIN(1e-2), .depth = 8,
     .cases = 2, CONVOLUTION("conv1d_transpose", 1, TRANSPOSED, false)},
};

static const conformance_test *tests(int *n)
{
    *n = (int)(sizeof rows / sizeof *rows);
    return rows;
}

const suite suite_seeds = {"seeds", tests};
