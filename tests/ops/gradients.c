/* SPDX-License-Identifier: Apache-2.0 */
/* gradients.c: derivatives of callbacks, custom gradients, execute_with_gradients, against closed forms and independently computed
 * values, on every engine, in float32 and float64. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"

static const double points[] = {4.6, 2.1, 5, 2.8, 1.3, 6.2};
static vn_dtype dtype;

static vn_array *array_of(const double *v, vn_shape shape)
{
    return vn_cast(vn_from_host(v, VN_F64, shape), dtype);
}

static bool all_near(vn_array *x, const double *want, int n)
{
    double tolerance = dtype == VN_F64 ? 1e-9 : 2e-5;
    vn_array *wide = vn_cast(x, VN_F64);
    const double *got = wide ? vn_data(wide) : NULL;
    if (!got || vn_size(x) != n || vn_dtype_of(x) != dtype) return false;
    for (int k = 0; k < n; k++) {
        if (fabs(got[k] - want[k]) > tolerance * fmax(1e-3, fabs(want[k]))) return false;
    }
    return true;
}

static vn_array *mean_square(vn_array *x, void *user)
{
    return (void)user, vn_mean(vn_square(x), VN_ALL);
}
static vn_array *mean_cos(vn_array *x, void *user)
{
    return (void)user, vn_mean(vn_cos(x), VN_ALL);
}
static vn_array *cube(vn_array *x, void *user)
{
    return (void)user, vn_mul(x, vn_square(x));
}
static vn_array *sum_cube(vn_array *x, void *user)
{
    return vn_sum(cube(x, user), VN_ALL);
}
static vn_array *square(vn_array *x, void *user)
{
    return (void)user, vn_square(x);
}
static vn_array *cosine(vn_array *x, void *user)
{
    return (void)user, vn_cos(x);
}
static vn_array *by_input(vn_array *x, vn_array *y, vn_array *u, void *user)
{
    return (void)y, (void)user, vn_mul(u, x);
}
static vn_array *by_output(vn_array *x, vn_array *y, vn_array *u, void *user)
{
    return (void)x, (void)user, vn_mul(u, y);
}
static vn_array *wrong_shape(vn_array *x, vn_array *y, vn_array *u, void *user)
{
    return (void)x, (void)y, (void)user, vn_sum(u, VN_ALL);
}
static vn_array *in_integers(vn_array *x, vn_array *y, vn_array *u, void *user)
{
    return (void)y, (void)u, (void)user, vn_cast(vn_mul(x, vn_scalar(3)), VN_I32);
}
static vn_array *nothing(vn_array *x, void *user)
{
    return (void)x, (void)user, NULL;
}

TEST(grad_and_jac_of)
{
    const vn_shape shapes[] = {VN_SHAPE(2, 3), VN_SHAPE(3, 2)};
    static const double squares[] = {1.533333333333, .7, 1.666666666667, .933333333333, .433333333333, 2.066666666667};
    static const double cosines[] = {.16561516726, -.14386822774, .15982071235, -.05583135832, -.16059303090, .01384823429};
    for (int s = 0; s < 2; s++) {
        vn_array *x = array_of(points, shapes[s]);
        vn_array *g = vn_grad_of(mean_square, x, NULL), *c = vn_grad_of(mean_cos, x, NULL), *j = vn_jac_of(mean_square, x, NULL);
        CHECK(all_near(g, squares, 6) && vn_dim(g, 0) == shapes[s].dim[0]);
        double want[6];
        for (int k = 0; k < 6; k++) want[k] = -sin(points[k]) / 6;
        CHECK(all_near(c, want, 6) && near(want[0], cosines[0], 1e-8));
        CHECK(all_near(j, squares, 6) && vn_rank(j) == 2); /* y.shape + x.shape, y a scalar */
    }
    vn_array *x = array_of(points, VN_SHAPE(3)), *j = vn_jac_of(cube, x, NULL), *h = vn_hessian_of(sum_cube, x, NULL);
    double jac[9] = {0}, hessian[9] = {0};
    for (int k = 0; k < 3; k++) jac[4 * k] = 3 * points[k] * points[k], hessian[4 * k] = 6 * points[k];
    CHECK(all_near(j, jac, 9) && vn_rank(j) == 2 && all_near(h, hessian, 9));
    vn_array *y, *t = array_of((double[]){1, 2, -1}, VN_SHAPE(3));
    double want[3] = {jac[0], 2 * jac[4], -jac[8]};
    CHECK(all_near(vn_jvp_of(cube, x, t, NULL, &y), want, 3) && all_near(y, (double[]){97.336, 9.261, 125}, 3));
    CHECK(all_near(vn_vjp_of(cube, x, t, NULL, NULL), want, 3));
    CHECK_FAILS(vn_grad_of(cube, x, NULL), VN_E_NOT_SCALAR, "grad_of");
    CHECK_FAILS(vn_grad_of(mean_cos, vn_cast(x, VN_I32), NULL), VN_E_DTYPE, "grad_of");
    CHECK_FAILS(vn_grad_of(nothing, x, NULL), VN_E_CALLBACK, "grad_of");
    CHECK_FAILS(vn_jvp_of(cube, x, vn_cast(vn_scalar(1), dtype), NULL, NULL), VN_E_SHAPE, "tangent");
    CHECK_FAILS(vn_jac_of(NULL, x, NULL), VN_E_NULL, "fn");
}

/* A gradient by an array that is neither a variable nor computed from one is a mistake; by a variable that the loss does not use it is 0.
 */
TEST(no_variable)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), dtype), *v = vn_variable(x), *unused = vn_variable(x), *both[] = {v, x}, *g[2];
    vn_array *between = vn_mul(v, vn_scalar(2)), *loss = vn_sum(vn_square(between), VN_ALL);
    CHECK_FAILS(vn_grad(loss, x), VN_E_ARG, "grad: wrt (2x3) is not a variable; make it one with vn_variable");
    CHECK_FAILS(vn_grad(loss, vn_scalar(1)), VN_E_ARG, "not a variable");
    CHECK(vn_grads(loss, 2, both, NULL, g) == VN_E_ARG && !g[0] && !g[1] && strstr(vn_message(), "wrt number 1 (2x3)"));
    vn_clear();
    CHECK(vn_item(vn_sum(vn_grad(loss, unused), VN_ALL)) == 0);
    CHECK(vn_item(vn_sum(vn_grad(loss, between), VN_ALL)) == 24);
}

/* With a cotangent the array differentiated has any shape, and the gradients are those of its sum weighted by the cotangent. */
TEST(cotangent)
{
    vn_array *x = vn_variable(vn_reshape(vn_arange(0, 6, 1, dtype), VN_SHAPE(2, 3))), *w = vn_variable(vn_linspace(1, 2, 3, dtype, NULL));
    vn_array *y = vn_mul(vn_square(x), w), *wrt[] = {x, w}, *g[2], *want[2], *back[2];
    vn_array *ct = vn_sub(vn_reshape(vn_arange(0, 6, 1, dtype), VN_SHAPE(2, 3)), vn_scalar(2.5));
    CHECK(!vn_grads(y, 2, wrt, VN_OPTS(grad, .cotangent = ct), g) && !vn_grads(vn_sum(vn_mul(y, ct), VN_ALL), 2, wrt, NULL, want));
    for (int k = 0; k < 2; k++) CHECK(vn_item(vn_max(vn_abs(vn_sub(g[k], want[k])), VN_ALL)) < 1e-5);
    /* of the array itself; zero for what it does not use; and differentiated again, by the cotangent too: d(2 x w ct)/dct is 2 x w */
    CHECK(!vn_grads(y, 1, &y, VN_OPTS(grad, .cotangent = ct), g) && vn_item(vn_max(vn_abs(vn_sub(g[0], ct)), VN_ALL)) == 0);
    CHECK(!vn_grads(vn_square(x), 2, wrt, VN_OPTS(grad, .cotangent = ct), g) && vn_item(vn_sum(g[1], VN_ALL)) == 0);
    vn_array *u = vn_variable(ct), *both[] = {x, u};
    CHECK(!vn_grads(y, 1, wrt, VN_OPTS(grad, .cotangent = u, .retain = 1), g) && !vn_grads(vn_sum(g[0], VN_ALL), 2, both, NULL, back));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(back[0], vn_mul(vn_mul(ct, w), vn_scalar(2)))), VN_ALL)) < 1e-5);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(back[1], vn_mul(vn_mul(x, w), vn_scalar(2)))), VN_ALL)) < 1e-5);

    const vn_dtype other = dtype == VN_F32 ? VN_F64 : VN_F32;
    CHECK_FAILS(vn_grads(y, 2, wrt, VN_OPTS(grad, .cotangent = w), g), VN_E_SHAPE, " 2x3 is needed");
    CHECK_FAILS(vn_grads(y, 2, wrt, VN_OPTS(grad, .cotangent = vn_cast(ct, other)), g), VN_E_SHAPE, "grad: cotangent is float");
    CHECK_FAILS(vn_grads(y, 2, wrt, VN_OPTS(grad, .cotangent = (vn_array *)vn_tree_new(NULL)), g), VN_E_ARG, "cotangent");
    CHECK_FAILS(vn_grads(y, 2, wrt, VN_OPTS(grad, .cotangent = vn_reshape(ct, VN_SHAPE(5))), g), VN_E_SHAPE, "reshape");
    CHECK(!g[0] && !g[1]);
}

/* The row of the table that stands for padding is not trained, and looks as it is. */
TEST(padding_of_an_embedding)
{
    vn_array *table = vn_variable(vn_cast(vn_from((const float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(3, 2)), dtype));
    vn_array *at = vn_from_host((const int64_t[]){2, 0, 1, 1, 2, 2}, VN_I64, VN_SHAPE(2, 3));
    vn_array *y = vn_embedding(at, table, VN_OPTS(embedding, .padding_index = 2));
    CHECK(all_near(y, (double[]){5, 6, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}, 12));
    CHECK(all_near(vn_grad(vn_sum(vn_square(y), VN_ALL), table), (double[]){2, 4, 12, 16, 0, 0}, 6));
}

/* mean(exp(inner(x))) with the rules u*x and u*y */
static vn_array *outer(vn_array *x, void *f)
{
    return vn_mean(vn_exp(vn_fn_call(f, x)), VN_ALL);
}

TEST(custom_gradients)
{
    static const double cos_x[] = {.685329392, .211259461, 1.106653535, .181888323, .283116621, 2.799195123};
    static const double cos_y[] = {-.016709005, -.050787388, .062783152, -.061206872, .058256434, .4499219};
    static const double square_x[] = {1.186527528e9, 28.79431223, 6.000408278e10, 1185.428922, 1.174220819, 5.11116997e16};
    vn_array *x = array_of(points, VN_SHAPE(2, 3));
    vn_fn *a = vn_bind_custom_gradient(cosine, by_input, NULL), *b = vn_bind_custom_gradient(cosine, by_output, NULL);
    vn_fn *c = vn_bind_custom_gradient(square, by_input, NULL);
    struct {
        vn_fn *f;
        const double *want;
        double value;
    } cases[] = {{a, cos_x, 1.205140317}, {b, cos_y, 1.205140317}, {c, square_x, 8243834790703641.}};
    for (int k = 0; k < 3; k++) {
        vn_array *g = vn_grad_of(outer, x, cases[k].f);
        const double *want = cases[k].want;
        vn_array *wide = vn_cast(g, VN_F64);
        const double *got = wide ? vn_data(wide) : NULL;
        for (int i = 0; i < 6; i++) CHECK(got && near(got[i], want[i], dtype == VN_F64 ? 1e-7 : 1e-4));
        CHECK(near(vn_item(outer(x, cases[k].f)), cases[k].value, dtype == VN_F64 ? 1e-9 : 1e-4)); /* the plain call */
    }
    vn_array *whole = vn_grad_of(outer, vn_ones(VN_SHAPE(2, 3), dtype), vn_bind_custom_gradient(cosine, in_integers, NULL));
    CHECK(vn_dtype_of(whole) == dtype && vn_item(vn_sum(whole, VN_ALL)) == 18);
    vn_fn *bad = vn_bind_custom_gradient(cosine, wrong_shape, NULL);
    CHECK_FAILS(vn_grad_of(outer, x, bad), VN_E_SHAPE, "rule");
    CHECK_FAILS(vn_bind_custom_gradient(NULL, by_input, NULL), VN_E_NULL, "fn");
    CHECK_FAILS(vn_fn_call(NULL, x), VN_E_NULL, "fn_call");
    /* The node keeps the function: its handle may be gone when the gradient is asked for. */
    vn_array *v = vn_variable(x), *y;
    {
        VN_SCOPE;
        y = vn_pass(vn_fn_call(vn_bind_custom_gradient(square, by_input, NULL), v));
    }
    CHECK(all_near(vn_grad(vn_sum(y, VN_ALL), v), points, 6));
}

static vn_tree *tree_mean(const vn_tree *xs, void *user)
{
    (void)user;
    vn_array *sum = NULL;
    int n = vn_tree_leaves(xs);
    for (int k = 0; k < n; k++) {
        vn_array *m = vn_mean(vn_tree_leaf(xs, k), VN_ALL);
        sum = sum ? vn_add(sum, m) : m;
    }
    return vn_tree_of("y", vn_mul(sum, vn_scalar(1. / n)), NULL);
}

static vn_tree *two_results(const vn_tree *xs, void *user)
{
    (void)user;
    vn_array *a = vn_tree_get(xs, "a"), *b = vn_tree_get(xs, "b");
    return vn_tree_of("p/q", vn_sum(vn_mul(a, b), VN_ALL), "r", vn_sum(vn_log(a), VN_ALL), NULL);
}

TEST(execute_with_gradients)
{
    vn_array *x = array_of(points, VN_SHAPE(6)), *replaced;
    vn_tree *g, *y = vn_execute_with_gradients(tree_mean, vn_tree_of("x", x, NULL), NULL, NULL, &g, &replaced);
    double sixth[6] = {1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6};
    CHECK(y && all_near(vn_tree_get(g, "x"), sixth, 6) && vn_item_int(replaced) == 0);
    CHECK(near(vn_item(vn_tree_get(y, "y")), 22. / 6, 1e-6));
    /* One handle at three places: the whole gradient at each of them. */
    y = vn_execute_with_gradients(tree_mean, vn_tree_of("a", x, "b/c", x, "b/d", x, NULL), NULL, NULL, &g, NULL);
    CHECK(y && all_near(vn_tree_get(g, "a"), sixth, 6) && all_near(vn_tree_get(g, "b/c"), sixth, 6) &&
          all_near(vn_tree_get(g, "b/d"), sixth, 6));
    /* Several results; paths; entries that are not finite. */
    vn_array *a = array_of((double[]){0, 2}, VN_SHAPE(2)), *b = vn_from_host((int32_t[]){3, 4}, VN_I32, VN_SHAPE(2));
    vn_tree *xs = vn_tree_of("a", a, "b", b, NULL);
    y = vn_execute_with_gradients(two_results, xs, NULL, NULL, &g, &replaced);
    CHECK(y && all_near(vn_tree_get(g, "p_q/a"), (double[]){3, 4}, 2) && all_near(vn_tree_get(g, "r/a"), (double[]){0, .5}, 2));
    CHECK(vn_item_int(replaced) == 1);       /* 1/0 */
    vn_array *zeros = vn_tree_get(g, "r/b"); /* not used by r: zeros, never missing */
    CHECK(zeros && vn_item(vn_sum(zeros, VN_ALL)) == 0 && vn_dtype_of(zeros) == VN_F32);
    const char *only[] = {"a", NULL}, *r[] = {"r", NULL};
    y = vn_execute_with_gradients(two_results, xs, NULL, VN_OPTS(execute, .inputs = only, .results = r, .keep_nonfinite = 1), &g, NULL);
    CHECK(y && !vn_tree_has(g, "p_q") && !vn_tree_has(g, "r/b"));
    CHECK(y && isinf(vn_item(vn_slice_at(vn_tree_get(g, "r/a"), VN_SHAPE(0), VN_SHAPE(1)))));
    CHECK_FAILS(vn_execute_with_gradients(NULL, xs, NULL, NULL, &g, NULL), VN_E_NULL, "fn");
}

/* Whatever an op computes with, the gradient for an array of half precision is half precision. */
/* What cannot be differentiated, and lists of many arrays. */
static vn_array *rank_of(vn_array *x, void *user)
{
    return (void)user, vn_cast(vn_sum(x, VN_ALL), VN_I32);
}

static vn_array *upstream_only(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    return (void)x, (void)y, (void)user, upstream;
}

TEST(lists_and_refusals)
{
    enum { MANY = 20 };
    vn_array *w[MANY], *g[MANY] = {NULL}, *loss = vn_scalar(0), *whole = vn_full(vn_scalar_int(1), VN_SHAPE(2), VN_I32);
    for (int k = 0; k < MANY; k++)
        w[k] = vn_variable(vn_full(vn_scalar(k), VN_SHAPE(1), VN_F32)), loss = vn_add(loss, vn_sum(vn_square(w[k]), VN_ALL));
    CHECK(vn_grads(loss, MANY, w, VN_OPTS(grad, .retain = 1), g) == VN_OK);
    for (int k = 0; k < MANY; k++) CHECK(vn_item(g[k]) == 2 * k);
    CHECK_FAILS(vn_grads(loss, -1, w, NULL, g), VN_E_ARG, "-1 arrays");
    CHECK_FAILS(vn_grads(loss, 2, NULL, NULL, g), VN_E_NULL, "wrt or grads is NULL");
    CHECK_FAILS(vn_grads(loss, 2, w, NULL, NULL), VN_E_NULL, "wrt or grads is NULL");
    CHECK_FAILS(vn_grads(loss, 2, w, VN_OPTS(grad, .retain = 2), g), VN_E_ARG, "retain is 2");
    CHECK_FAILS(vn_grads(loss, 2, (vn_array *[]){w[0], NULL}, NULL, g), VN_E_NULL, "wrt");
    CHECK_FAILS(vn_grads(loss, 1, &whole, NULL, g), VN_E_ARG, "is not a variable");
    CHECK_FAILS(vn_grad(vn_sum(whole, VN_ALL), w[0]), VN_E_DTYPE, "");
    CHECK_FAILS(vn_grad(vn_complex(loss, loss), w[0]), VN_E_DTYPE, "complex");
    CHECK_FAILS(vn_grad_of(rank_of, w[0], NULL), VN_E_DTYPE, "");
    CHECK_FAILS(vn_value_and_grad(NULL, vn_tree_new(NULL), NULL, (vn_tree *[]){NULL}), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_vjp_of(mean_square, w[0], vn_zeros(VN_SHAPE(3), VN_F32), NULL, NULL), VN_E_SHAPE, "ct");
    CHECK_FAILS(vn_vjp_of(mean_square, w[0], vn_zeros(VN_0D, VN_F64), NULL, NULL), VN_E_SHAPE, "ct is float64 0-d, float32 0-d is needed");
    int depth = 0;
    for (; depth < 40; depth++) CHECK(vn_set_with_grads(depth % 2) == VN_OK); /* more than there is room for at first */
    while (depth-- > 0) CHECK(vn_unset_with_grads() == VN_OK);
    /* a custom rule of a result that has no gradient */
    vn_fn *counts = vn_bind_custom_gradient(rank_of, upstream_only, NULL);
    CHECK(vn_item(vn_fn_call(counts, vn_variable(vn_full(vn_scalar(3), VN_SHAPE(2), VN_F32)))) == 6);
    CHECK_FAILS(vn_fn_call(counts, NULL), VN_E_NULL, "x is NULL");
}

static vn_tree *with_long_path(const vn_tree *xs, void *user)
{
    char path[700];
    memset(path, 'k', 600), path[600] = 0;
    vn_tree *t = vn_tree_new(NULL);
    vn_array *y = user ? vn_square(vn_tree_get(xs, "w")) : vn_sum(vn_square(vn_tree_get(xs, "w")), VN_ALL);
    return vn_tree_set(t, user ? "y" : path, y) ? NULL : t;
}

TEST(executed_refusals)
{
    vn_tree *xs = vn_tree_of("w", vn_full(vn_scalar(2), VN_SHAPE(2), VN_F32), "v", vn_full(vn_scalar(3), VN_SHAPE(1), VN_F32), NULL),
            *g = NULL;
    vn_array *replaced = NULL;
    CHECK_FAILS(vn_execute_with_gradients(with_long_path, xs, NULL, VN_OPTS(execute, .retain = 2), &g, NULL), VN_E_ARG, "retain is 2");
    CHECK_FAILS(vn_execute_with_gradients(with_long_path, xs, xs, NULL, &g, NULL), VN_E_NOT_SCALAR, "");
    vn_tree *y = vn_execute_with_gradients(with_long_path, xs, NULL, VN_OPTS(execute, .inputs = VN_KEYS("w")), &g, &replaced);
    CHECK(y && replaced && vn_item(replaced) == 0 && vn_tree_leaves(g) == 1);
    y = vn_execute_with_gradients(with_long_path, xs, NULL, VN_OPTS(execute, .inputs = VN_KEYS("")), &g, NULL);
    CHECK(y && vn_tree_leaves(g) == 2);
}

TEST(gradients_of_halves)
{
    static const vn_dtype half_dtypes[] = {VN_F16, VN_BF16};
    vn_op_info op = {.size = sizeof op};
    int seen = 0;
    for (int k = 0; k < 2 * vn_op_count(); k++) {
        VN_SCOPE;
        vn_array *x = vn_variable(vn_full(vn_scalar(.5), VN_SHAPE(2, 2), half_dtypes[k % 2])), *z = NULL;
        CHECK(vn_op_at(k / 2, &op) == VN_OK);
        if (!op.differentiable || op.n_required != 1 || op.any_number || !(op.dtypes & VN_BIT(VN_F16))) continue;
        vn_array *in[] = {x, VN_NONE, VN_NONE, VN_NONE};
        bool taken = op.n_inputs <= 4 && vn_call(op.name, in, op.n_inputs, NULL, 0, &z, 1) == VN_OK;
        vn_clear(); /* options or shapes of its own */
        if (!taken || vn_dtype_of(z) != half_dtypes[k % 2]) continue;
        vn_array *g = vn_grad(vn_sum(z, VN_ALL), x);
        if (vn_dtype_of(g) != half_dtypes[k % 2])
            fprintf(stderr, "%s: the gradient is %s: %s\n", op.name, g ? vn_dtype_name(vn_dtype_of(g)) : "missing", vn_message());
        CHECK(vn_dtype_of(g) == half_dtypes[k % 2]);
        vn_clear();
        seen++;
    }
    CHECK(seen > 100);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    for (int k = 0; k < 2; k++) {
        dtype = k ? VN_F64 : VN_F32;
        run_tests();
    }
    return finish();
}
