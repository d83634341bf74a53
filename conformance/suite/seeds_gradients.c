/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_gradients.c: gradients of callbacks and trees, custom gradients, and gradient mode. The
 * points are those of the seeds; the expected values are derivatives by hand. */
#include "seeds.h"

static const double points_at[6] = {4.6, 2.1, 5, 2.8, 1.3, 6.2};

/* The points in the trial's dtype; x: as they were rounded. */
static vn_array *points(trial *t, bool transposed, double x[6])
{
    memcpy(x, points_at, sizeof points_at);
    return trial_input(t, "x", x, transposed ? VN_SHAPE(3, 2) : VN_SHAPE(2, 3), t->dtype);
}

/* ---- the mean of squares or cosines ---- */

typedef struct slopes {
    vn_array *x;
    double at[6], want[6];
    int cosine;
} slopes;

static slopes sample_slopes(trial *t)
{
    int k = sample_variant(t, 4);
    slopes s = {.cosine = k & 1};
    s.x = points(t, k & 2, s.at);
    for (int i = 0; i < 6; i++) s.want[i] = s.cosine ? -sin(s.at[i]) / 6 : 2 * s.at[i] / 6;
    return s;
}

static vn_array *mean_square(vn_array *x, void *user)
{
    (void)user;
    return vn_mean(vn_square(x), VN_ALL);
}

static vn_array *mean_cosine(vn_array *x, void *user)
{
    (void)user;
    return vn_mean(vn_cos(x), VN_ALL);
}

static void check_slopes(trial *t, const slopes *s, vn_array *g)
{
    double got[6];
    trial_explain(t, g);
    if (!EXPECT(t, CHECK_GRADIENT, g && vn_size(g) == 6 && number_read(g, got, 6))) return;
    EXPECT(t, CHECK_SHAPE, vn_rank(g) == 2 && vn_dim(g, 0) == vn_dim(s->x, 0));
    EXPECT(t, CHECK_DTYPE, vn_dtype_of(g) == t->dtype);
    trial_compare(t, CHECK_GRADIENT, "gradient", got, s->want, 6, NULL);
}

void seed_grad(trial *t)
{
    slopes s = sample_slopes(t);
    check_slopes(t, &s, vn_grad_of(s.cosine ? mean_cosine : mean_square, s.x, NULL));
}

void seed_jac(trial *t)
{
    slopes s = sample_slopes(t);
    check_slopes(t, &s, vn_jac_of(s.cosine ? mean_cosine : mean_square, s.x, NULL));
}

static vn_array *of_leaf(const vn_tree *p, void *cosine)
{
    return (*(int *)cosine ? mean_cosine : mean_square)(vn_tree_get(p, "x"), NULL);
}

void seed_value_and_grad(trial *t)
{
    slopes s = sample_slopes(t);
    vn_tree *g = NULL;
    vn_array *value = vn_value_and_grad(of_leaf, vn_tree_of("x", s.x, NULL), &s.cosine, &g);
    double want = 0;
    for (int i = 0; i < 6; i++) want += (s.cosine ? cos(s.at[i]) : s.at[i] * s.at[i]) / 6;
    trial_result(t, "the value", value, t->dtype, VN_0D, &want);
    check_slopes(t, &s, g ? vn_tree_get(g, "x") : NULL);
}

/* ---- a rule of its own: upstream times x, or times y ---- */

static vn_array *inner(vn_array *x, void *rule)
{
    return *(int *)rule & 1 ? vn_cos(x) : vn_square(x);
}

static vn_array *rule_of(vn_array *x, vn_array *y, vn_array *upstream, void *rule)
{
    return vn_mul(upstream, *(int *)rule & 2 ? y : x);
}

void seed_bind_custom_gradient(trial *t)
{
    int rule = sample_variant(t, 4);
    double at[6], got[6];
    vn_array *x = vn_variable(points(t, false, at));
    vn_fn *f = vn_bind_custom_gradient(inner, rule_of, &rule);
    vn_array *g = vn_grad(vn_mean(vn_exp(vn_fn_call(f, x)), VN_ALL), x);
    if (!EXPECT(t, CHECK_GRADIENT, g && number_read(g, got, 6))) return;
    for (int i = 0; i < 6; i++) {
        double y = rule & 1 ? cos(at[i]) : at[i] * at[i], want = exp(y) / 6 * (rule & 2 ? y : at[i]);
        trial_near(t, CHECK_GRADIENT, "gradient over its expected value", got[i] / want, 1, t->dtype == VN_F64 ? 1e-12 : 2e-5);
    }
}

/* ---- cutting, and switching off ---- */

void seed_stop_gradient(trial *t)
{
    int rank = sample_variant(t, 3);
    vn_shape s = rank == 0 ? VN_0D : rank == 1 ? VN_SHAPE(3) : VN_SHAPE(2, 2);
    double data[4] = {1.5, 1.5, 1.5, 1.5}, got[4];
    vn_array *x = vn_variable(trial_input(t, "x", data, s, t->dtype)), *y = vn_stop_gradient(x);
    int64_t n = shape_size(s);
    EXPECT(t, CHECK_TREE, !vn_is_variable(y));
    vn_array *fresh = vn_variable(x);
    EXPECT(t, CHECK_TREE, vn_is_variable(fresh) && !vn_is_variable(vn_stop_gradient(y)));
    vn_array *none = vn_grad(vn_mean(vn_square(fresh), VN_ALL), x);
    vn_array *beside = vn_grad(vn_mean(vn_mul(y, vn_add(x, y)), VN_ALL), x); /* only the x beside it counts */
    if (!EXPECT(t, CHECK_GRADIENT, vn_eval(3, (vn_array *[]){y, none, beside}) == VN_OK)) return;
    if (EXPECT(t, CHECK_GRADIENT, number_read(none, got, 4)))
        for (int64_t i = 0; i < n; i++) trial_near(t, CHECK_GRADIENT, "gradient behind the cut", got[i], 0, 0);
    if (EXPECT(t, CHECK_GRADIENT, number_read(beside, got, 4)))
        for (int64_t i = 0; i < n; i++) trial_near(t, CHECK_GRADIENT, "gradient beside the cut", got[i] * (double)n, 1.5, 1e-2);
    trial_result(t, "stop_gradient", y, t->dtype, s, data);
}

void seed_with_grads(trial *t)
{
    EXPECT(t, CHECK_VALUE, vn_with_grads(1) == 1 && vn_with_grads(0) == 0 && vn_with_grads(-1) == 1);
    EXPECT_FAILS(t, vn_with_grads(7), VN_E_ARG, "with_grads");
}

void seed_set_with_grads(trial *t)
{
    int b = sample_variant(t, 2);
    EXPECT(t, CHECK_VALUE, vn_set_with_grads(b) == VN_OK && vn_with_grads(-1) == b);
    vn_array *x = vn_variable(vn_full(vn_scalar(3), VN_0D, t->dtype)), *g = vn_grad(vn_square(x), x);
    EXPECT(t, CHECK_GRADIENT, vn_item(g) == (b ? 6 : 0)); /* what is computed without gradients does not depend on x */
    vn_unset_with_grads();
}

void seed_unset_with_grads(trial *t)
{
    int b = sample_variant(t, 2), before = vn_with_grads(-1);
    vn_set_with_grads(b);
    EXPECT(t, CHECK_VALUE, vn_unset_with_grads() == VN_OK && vn_with_grads(-1) == before);
    EXPECT(t, CHECK_VALUE, vn_unset_with_grads() == VN_OK && vn_with_grads(-1) == 1); /* nothing was set: no effect */
}

/* ---- trees ---- */

/* The mean of all leaves. One array occurs three times: its gradient is 1/n at each of them. */
static vn_tree *mean_of_leaves(const vn_tree *p, void *user)
{
    (void)user;
    vn_array *sum = NULL;
    int n = vn_tree_leaves(p);
    for (int k = 0; k < n; k++) {
        vn_array *m = vn_mean(vn_tree_leaf(p, k), VN_ALL);
        sum = sum ? vn_add(sum, m) : m;
    }
    return vn_tree_of("mean", vn_mul(sum, vn_scalar(1. / n)), NULL);
}

static void check_sixths(trial *t, vn_array *g)
{
    double got[6], want[6];
    for (int i = 0; i < 6; i++) want[i] = 1. / 6;
    if (EXPECT(t, CHECK_GRADIENT, number_read(g, got, 6))) trial_compare(t, CHECK_GRADIENT, "gradient of a leaf", got, want, 6, NULL);
}

void seed_execute_with_gradients(trial *t)
{
    int k = sample_variant(t, 4), retain = k & 1;
    double at[6], mean = 0;
    vn_array *x = points(t, false, at);
    for (int i = 0; i < 6; i++) mean += at[i] / 6;
    vn_tree *p = k & 2 ? vn_tree_of("x", x, NULL) : vn_tree_of("a", x, "b/c", x, "b/d", x, NULL), *g = NULL;
    vn_tree *y = vn_execute_with_gradients(mean_of_leaves, p, NULL, VN_OPTS(execute, .retain = retain), &g, NULL);
    if (!EXPECT(t, CHECK_TREE, y && g && vn_tree_leaves(g) == vn_tree_leaves(p))) return;
    vn_array *all[4] = {vn_tree_get(y, "mean"), vn_tree_leaf(g, 0), k & 2 ? NULL : vn_tree_leaf(g, 1), k & 2 ? NULL : vn_tree_leaf(g, 2)};
    if (!EXPECT(t, CHECK_GRADIENT, vn_eval(k & 2 ? 2 : 4, all) == VN_OK)) return;
    trial_result(t, "the mean", vn_tree_get(y, "mean"), t->dtype, VN_0D, &mean);
    for (int i = 0; i < vn_tree_leaves(g); i++) check_sixths(t, vn_tree_leaf(g, i));
}
