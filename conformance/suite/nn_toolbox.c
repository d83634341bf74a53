/* SPDX-License-Identifier: Apache-2.0 */
/* nn_toolbox.c: trees of numbers, second derivatives, steps of meta-learning, piecewise schedules and transformations of updates, against
 * what optax and jax compute (golden/toolbox_optax.py). */
#include "nn_layers.h"
#include <math.h>
#include "toolbox.inc"

/* "a" (2, 3) and "b" (2) from 8 numbers, in float64. */
static vn_tree *tree(const double *v)
{
    return vn_tree_of("a", vn_from_host(v, VN_F64, VN_SHAPE(2, 3)), "b", vn_from_host(v + 6, VN_F64, VN_SHAPE(2)), NULL);
}

static bool holds(const vn_tree *t, const double *v)
{
    return t && alike(vn_tree_get(t, "a"), vn_from_host(v, VN_F64, VN_SHAPE(2, 3)), 1e-12) &&
           alike(vn_tree_get(t, "b"), vn_from_host(v + 6, VN_F64, VN_SHAPE(2)), 1e-12);
}

static void tree_math(void)
{
    vn_tree *p = tree(toolbox_p), *g = tree(toolbox_g);
    CHECK(near(vn_item(vn_tree_sum(p)), tree_numbers[0], 1e-14) && vn_item(vn_tree_max(p)) == tree_numbers[1]);
    CHECK(vn_item(vn_tree_min(p)) == tree_numbers[2] && near(vn_item(vn_tree_vdot(p, g)), tree_numbers[3], 1e-14));
    CHECK(holds(vn_tree_add_scale(p, .3, g), tree_scaled));
    CHECK(holds(vn_tree_update_moment(g, p, .9, 1), tree_moment1) && holds(vn_tree_update_moment(g, p, .9, 3), tree_moment3));
    CHECK(holds(vn_tree_update_moment_per_elem_norm(g, p, .8, 2), tree_elem_norm));
    CHECK(holds(vn_tree_update_infinity_moment(g, p, .99, 1e-3), tree_infinity));
    CHECK(holds(vn_tree_bias_correction(p, .9, 3), tree_corrected));
    CHECK(holds(vn_tree_incremental_update(p, g, .25), tree_incremental));
    CHECK(holds(vn_tree_periodic_update(p, g, 6, 3), toolbox_p) && holds(vn_tree_periodic_update(p, g, 7, 3), toolbox_g));
    vn_tree *half = vn_tree_of("a", vn_zeros(VN_SHAPE(1), VN_F16), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_tree *cast = vn_tree_cast_like(p, half);
    CHECK(cast && vn_dtype_of(vn_tree_get(cast, "a")) == VN_F16 && vn_dtype_of(vn_tree_get(cast, "b")) == VN_F32);
    CHECK(vn_tree_dtype(p) == VN_F64);
    CHECK_FAILS(vn_tree_dtype(half), VN_E_DTYPE, "\"b\" is float32");
    CHECK_FAILS(vn_tree_sum(vn_tree_new(NULL)), VN_E_STRUCT, "no array");
    CHECK_FAILS(vn_tree_vdot(p, vn_tree_of("a", vn_tree_get(p, "a"), NULL)), VN_E_STRUCT, "\"b\"");
    CHECK_FAILS(vn_tree_update_moment(g, p, 1.5, 1), VN_E_ARG, "decay 1.5");
    CHECK_FAILS(vn_tree_bias_correction(p, .9, 0), VN_E_ARG, "after 0 steps");
    CHECK_FAILS(vn_tree_periodic_update(p, g, 1, 0), VN_E_ARG, "period of 0");
}

static void tree_random(void)
{
    vn_tree *p = tree(toolbox_p);
    vn_array *key = vn_random_key_of(5), *keys = vn_random_split(key, 2);
    vn_tree *k = vn_tree_split_key_like(key, p), *r = vn_tree_random_like(key, p), *again = vn_tree_random_like(key, p);
    CHECK(k &&
          alike(vn_cast(vn_bitwise_and(vn_tree_get(k, "b"), vn_scalar(255)), VN_F32),
                vn_cast(vn_bitwise_and(vn_reshape(vn_slice_at(keys, VN_SHAPE(1, 0), VN_SHAPE(1, 2)), VN_SHAPE(2)), vn_scalar(255)), VN_F32),
                0));
    CHECK(r && again && alike(vn_tree_get(r, "a"), vn_tree_get(again, "a"), 0) && vn_dtype_of(vn_tree_get(r, "b")) == VN_F64);
    CHECK(vn_item(vn_sum(vn_abs(vn_sub(vn_tree_get(r, "a"), vn_tree_get(p, "a"))), VN_ALL)) > 0);
    CHECK_FAILS(vn_tree_random_like(vn_scalar(1), p), VN_E_DTYPE, "key");
}

/* ---- second derivatives and meta-learning ---- */

static vn_array *layer_loss(const vn_tree *p, double shift)
{
    vn_array *x = vn_add(vn_from_host(toolbox_x, VN_F64, VN_SHAPE(3, 3)), vn_scalar(shift)),
             *y = vn_from_host(toolbox_y, VN_F64, VN_SHAPE(3, 2));
    vn_array *h = vn_tanh(vn_add(vn_matmul(x, vn_matrix_transpose(vn_tree_get(p, "a"))), vn_tree_get(p, "b")));
    return vn_mean(vn_square(vn_sub(h, y)), VN_ALL);
}
static vn_array *loss_of(const vn_tree *p, void *unused)
{
    (void)unused;
    return layer_loss(p, 0);
}
static vn_array *squares_of(const vn_tree *p, void *unused)
{
    (void)unused;
    vn_array *a = vn_tree_get(p, "a"), *b = vn_tree_get(p, "b");
    return vn_add(vn_sum(vn_mul(vn_square(a), vn_scalar(1.5)), VN_ALL), vn_sum(vn_square(b), VN_ALL));
}

static void second_order(void)
{
    vn_tree *p = tree(toolbox_p), *v = tree(toolbox_g);
    CHECK(holds(vn_hvp(loss_of, p, NULL, v), second_hvp));
    CHECK(holds(vn_hessian_diag(loss_of, p, NULL), second_diagonal));
    CHECK(holds(vn_fisher_diag(loss_of, p, NULL), second_fisher));
    vn_tree *d = vn_hutchinson_diag(squares_of, p, NULL, vn_random_key_of(1)); /* exact where the Hessian is diagonal */
    CHECK(holds(d, (const double[]){3, 3, 3, 3, 3, 3, 2, 2}));
    CHECK_FAILS(vn_hvp(NULL, p, NULL, v), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_hvp(loss_of, p, NULL, vn_tree_new(NULL)), VN_E_STRUCT, "");
}

static vn_array *task_loss(const vn_tree *p, int64_t task, int outer, void *unused)
{
    (void)unused;
    return layer_loss(p, outer ? -(double)task / 4 : (double)task / 2);
}

static void meta_learning(void)
{
    vn_tree *p = tree(toolbox_p), *g = NULL;
    const vn_meta_opts *o = VN_OPTS(meta, .lr = .1, .steps = 2);
    CHECK(near(vn_item(vn_maml_step(task_loss, p, 3, NULL, o, &g)), meta_loss[0], 1e-12) && holds(g, meta_maml));
    CHECK(near(vn_item(vn_fomaml_step(task_loss, p, 3, NULL, o, &g)), meta_loss[0], 1e-12) && holds(g, meta_fomaml));
    CHECK(near(vn_item(vn_reptile_step(task_loss, p, 3, NULL, o, &g)), meta_loss[0], 1e-12) && holds(g, meta_reptile));
    CHECK(!vn_step(vn_sgd(.1, NULL), p, g));
    CHECK_FAILS(vn_maml_step(task_loss, p, 0, NULL, NULL, &g), VN_E_ARG, "0 tasks");
    CHECK_FAILS(vn_reptile_step(NULL, p, 1, NULL, NULL, &g), VN_E_NULL, "fn");
    CHECK_FAILS(vn_fomaml_step(task_loss, p, 1, NULL, VN_OPTS(meta, .lr = -1), &g), VN_E_ARG, "rate of -1");
}

/* ---- schedules and updates ---- */

static void piecewise(void)
{
    const double rates[] = {.5, .25, .05};
    const int64_t from[] = {3, 7}, falling[] = {7, 3};
    const double *const expected[] = {piecewise_constant, piecewise_linear, piecewise_cosine};
    for (int between = 0; between < 3; between++) {
        const vn_pieces p = {.size = sizeof p, .n = 3, .rates = rates, .from = from, .between = between};
        const vn_schedule s = vn_piecewise(&p);
        for (int k = 0; k < 12; k++) CHECK(fabs(vn_schedule_at(&s, k) - expected[between][k]) < 1e-7); /* optax adds in float32 */
    }
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = sizeof(vn_pieces), .n = 3, .rates = rates, .from = falling}), VN_E_ARG, "from[1] is 3");
    CHECK_FAILS(vn_piecewise(&(vn_pieces){.size = sizeof(vn_pieces), .n = 1, .rates = (double[]){-1}}), VN_E_ARG, "rates[0] is -1");
    CHECK_FAILS(vn_piecewise(NULL), VN_E_NULL, "p is NULL");
}

/* A loss with slope -1 whose value is what `data` says: the parameter moves up by the scale. */
static vn_array *sloped(const vn_tree *p, void *data)
{
    vn_array *w = vn_tree_get(p, "w");
    return vn_add(vn_sub(vn_stop_gradient(w), w), vn_scalar(*(double *)data));
}

static void check_plateau(const char *text, const double *scales)
{
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_0D, VN_F64), NULL);
    vn_optim *o = vn_optim_parse(text);
    double before = 0;
    for (int k = 0; k < 16; k++) {
        double loss = plateau_losses[k];
        CHECK(vn_optim_minimize(o, sloped, p, &loss) != NULL);
        const double now = vn_item(vn_tree_get(p, "w"));
        CHECK(fabs(now - before - scales[k]) < 1e-12);
        before = now;
    }
}

static void reduce_on_plateau(void)
{
    check_plateau("chain(sgd(1), reduce_on_plateau(factor=0.5, patience=2))", plateau_plain);
    check_plateau("chain(sgd(1), reduce_on_plateau(factor=0.5, patience=1, rtol=0, atol=0.05, cooldown=2, every=2, min_scale=0.2))",
                  plateau_cooled);
    CHECK_FAILS(vn_optim_parse("chain(sgd(1), reduce_on_plateau(factor=2))"), VN_E_ARG, "factor");
    vn_optim *o = VN_CHAIN(vn_sgd(1, NULL), vn_update_reduce_on_plateau(NULL));
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_0D, VN_F64), NULL);
    CHECK_FAILS(vn_step(o, p, vn_tree_of("w", vn_ones(VN_0D, VN_F64), NULL)), VN_E_ARG, "the loss is not known");
}

/* After a step the parameters are where the constraint, which has case lines from Keras's formulas, brings them. */
static void constraints(void)
{
    vn_tree *p = tree(toolbox_p), *g = tree(toolbox_g), *end = vn_tree_add_scale(p, -.1, g);
    CHECK(!vn_step(vn_optim_parse("chain(sgd(0.1), norm_bounds(max_norm=1.5, min_norm=1.2))"), p, g));
    vn_array *a = vn_min_max_norm(vn_tree_get(end, "a"), VN_AXES(0), VN_OPTS(min_max_norm, .max_value = 1.5, .min_value = 1.2));
    CHECK(alike(vn_tree_get(p, "a"), a, 1e-12));
    CHECK(alike(vn_tree_get(p, "b"),
                vn_min_max_norm(vn_tree_get(end, "b"), VN_AXES(0), VN_OPTS(min_max_norm, .max_value = 1.5, .min_value = 1.2)), 1e-12));
    p = tree(toolbox_p);
    CHECK(!vn_step(vn_optim_parse("chain(penalty(l1=0.5, l2=0.25), sgd(0.1))"), p, g));
    vn_array *w = vn_variable(vn_tree_get(tree(toolbox_p), "a")), *slope = vn_grad(vn_l1_l2_penalty(w, .5, .25), w);
    CHECK(alike(vn_tree_get(p, "a"), vn_sub(w, vn_mul(vn_add(vn_tree_get(g, "a"), slope), vn_scalar(.1))), 1e-12));
    CHECK(alike(vn_grad(vn_sum(vn_mul(vn_scale_gradient(w, -.5), vn_scalar(3)), VN_ALL), w),
                vn_full(vn_scalar(-1.5), VN_SHAPE(2, 3), VN_F64), 1e-15));
    CHECK(alike(vn_scale_gradient(w, -.5), w, 0));
    CHECK_FAILS(vn_scale_gradient(w, INFINITY), VN_E_ARG, "factor of inf");
    CHECK_FAILS(vn_optim_parse("norm_bounds(max_norm=-1)"), VN_E_ARG, "max_norm");
    CHECK_FAILS(vn_optim_parse("penalty(l1=-1)"), VN_E_ARG, "l1");
}

/* Ops as layers; the values are numpy's. */
static void ops_as_layers(void)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), *part = vn_from((float[]){.25f, .5f, .75f}, VN_SHAPE(3));
    vn_array *spectrum = vn_module_call(vn_nn_activation("fft", NULL, 0), x, NULL);
    CHECK(alike(vn_real(spectrum), vn_from((float[]){10, -2, -2, -2}, VN_SHAPE(4)), 1e-6));
    CHECK(alike(vn_imag(spectrum), vn_from((float[]){0, 2, 0, -2}, VN_SHAPE(4)), 1e-6));
    CHECK(alike(vn_real(vn_module_call(vn_nn_activation("ifft", NULL, 0), spectrum, NULL)), x, 1e-6));
    CHECK(alike(vn_module_call(vn_nn_activation("logit", NULL, 0), part, NULL), vn_from((float[]){-1.0986123f, 0, 1.0986123f}, VN_SHAPE(3)),
                1e-6));
    const vn_option bound = {.name = "bound", .kind = VN_OPT_FLOAT, .u.f = .6};
    CHECK(alike(vn_module_call(vn_nn_activation("shrink", &bound, 1), part, NULL), vn_from((float[]){0, 0, .75f}, VN_SHAPE(3)), 0));
}

static const conformance_test rows[] = {
    NN("nn/toolbox", "tree_math", tree_math, "sums, products, moments and averages of trees, as optax has them"),
    NN("nn/toolbox", "tree_random", tree_random, "keys and random numbers for each array of a tree"),
    NN("nn/toolbox", "second_order", second_order, "Hessian products and diagonals, as jax has them"),
    NN("nn/toolbox", "meta_learning", meta_learning, "MAML, its first order and Reptile, as jax has them"),
    NN("nn/toolbox", "ops_as_layers", ops_as_layers, "fft, ifft, logit and shrink as layers"),
    NN("nn/toolbox", "piecewise", piecewise, "piecewise schedules, as optax has them"),
    NN("nn/toolbox", "reduce_on_plateau", reduce_on_plateau, "smaller updates when the loss falls no more, as optax has them"),
    NN("nn/toolbox", "constraints", constraints, "lengths of weights and penalties in chains"),
};

const nn_part nn_toolbox = NN_PART(rows);
