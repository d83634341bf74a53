/* seeds.c: the tests of conformance/seeds/seed_matrix.csv under their own names, but for those of modules, which tests/modules.c has under
 * theirs. Truth is a plain loop in double: values in every float dtype, gradients of the mean of a result against central differences of
 * the loop. */
/* ctest: engines */
/* ctest: timeout 900 */
#include "check.h"

enum { IN = 7, ROOM = 1024, EXAMPLES = 3 };

/* ---- an example: an op, its inputs, and what it should give ---- */

typedef struct example {
    const char *op;
    int n_in, n_options, result; /* result: which of its results */
    vn_shape shape[IN];
    double in[IN][ROOM];
    bool number[IN], constant[IN]; /* a weak number; not differentiated */
    vn_option options[8];
    void (*loop)(const struct example *e, double out[ROOM]);
    int64_t count; /* of the result */
    /* of convolutions */
    int axes;
    int64_t x[3], k[3], y[3], stride[3], dilation[3], spread[3], low[3], ci, co, groups, batch;
    int64_t lists[6][8];
} example;

static uint64_t state = 1;
static double uniform(double low, double high)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}
static int64_t between(int64_t low, int64_t high)
{
    return low + (int64_t)uniform(0, (double)(high - low + 1));
}

static int64_t size_of(vn_shape s)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return n;
}

static void draw(example *e, int k, vn_shape s, double low, double high)
{
    e->shape[k] = s;
    for (int64_t i = 0; i < size_of(s); i++) e->in[k][i] = uniform(low, high);
    if (k >= e->n_in) e->n_in = k + 1;
}

static void number(example *e, int k, double v)
{
    e->shape[k] = VN_0D;
    e->in[k][0] = v;
    e->number[k] = e->constant[k] = true;
    if (k >= e->n_in) e->n_in = k + 1;
}

static void option(example *e, const char *name, int kind, int64_t i, double f, const char *s)
{
    vn_option *o = &e->options[e->n_options++];
    *o = (vn_option){.name = name, .kind = kind, .n = 1};
    if (kind == VN_OPT_FLOAT) o->u.f = f;
    else if (kind == VN_OPT_STRING) o->u.s = s;
    else o->u.i = i;
}

static void list(example *e, const char *name, int at, const int64_t *items, int n)
{
    memcpy(e->lists[at], items, (size_t)n * sizeof *items);
    e->options[e->n_options++] = (vn_option){.name = name, .kind = VN_OPT_INTS, .n = n, .u.is = e->lists[at]};
}

static vn_array *call(const example *e, vn_array *const *in)
{
    vn_op_info op = {.size = sizeof op};
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_at(k, &op);
        if (!strcmp(op.name, e->op)) break;
    }
    vn_array *out[8] = {NULL};
    CHECK(vn_call(e->op, in, e->n_in, e->options, e->n_options, out, op.n_outputs) == VN_OK);
    return out[e->result];
}

/* The inputs in a dtype; what rounding made of them goes back into the example. */
static void inputs(example *e, vn_dtype dtype, bool variables, vn_array **in)
{
    for (int k = 0; k < e->n_in; k++) {
        if (e->number[k]) {
            in[k] = vn_scalar(e->in[k][0]);
            continue;
        }
        in[k] = vn_cast(vn_from_host(e->in[k], VN_F64, e->shape[k]), dtype);
        vn_read(vn_cast(in[k], VN_F64), e->in[k], (size_t)size_of(e->shape[k]) * sizeof(double));
        if (variables && !e->constant[k]) in[k] = vn_variable(in[k]);
    }
}

static bool agree(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static void check_values(example *e)
{
    static const struct {
        vn_dtype dtype;
        double tolerance;
    } dtypes[] = {{VN_F64, 1e-10}, {VN_F32, 3e-5}, {VN_F16, 2e-2}, {VN_BF16, 1e-1}};
    for (int d = 0; d < 4; d++) {
        VN_SCOPE;
        vn_array *in[IN];
        double want[ROOM] = {0}, got[ROOM];
        inputs(e, dtypes[d].dtype, false, in);
        e->loop(e, want);
        vn_array *z = call(e, in);
        CHECK(z && vn_dtype_of(z) == dtypes[d].dtype && vn_size(z) == e->count);
        if (!z || vn_size(z) != e->count || vn_read(vn_cast(z, VN_F64), got, (size_t)e->count * sizeof *got)) continue;
        int wrong = 0;
        for (int64_t i = 0; i < e->count; i++) wrong += !agree(got[i], want[i], dtypes[d].tolerance);
        if (wrong) fprintf(stderr, "%s, result %d, %s: %d elements differ\n", e->op, e->result, vn_dtype_name(dtypes[d].dtype), wrong);
        CHECK(!wrong);
    }
}

static double mean_of_loop(const example *e)
{
    double out[ROOM] = {0}, sum = 0;
    e->loop(e, out);
    for (int64_t i = 0; i < e->count; i++) sum += out[i];
    return sum / (double)e->count;
}

static void check_gradients(example *e)
{
    VN_SCOPE;
    vn_array *in[IN];
    inputs(e, VN_F64, true, in);
    vn_array *z = call(e, in), *loss = z ? vn_mean(z, VN_ALL) : NULL;
    for (int k = 0; loss && k < e->n_in; k++) {
        if (e->constant[k]) continue;
        vn_array *g = vn_grad(loss, in[k]);
        const double *got = g ? vn_data(g) : NULL;
        CHECK(got != NULL);
        for (int64_t i = 0; got && i < size_of(e->shape[k]); i += 1 + size_of(e->shape[k]) / 7) {
            double x = e->in[k][i], h = 1e-5 * fmax(1, fabs(x));
            e->in[k][i] = x + h;
            double above = mean_of_loop(e);
            e->in[k][i] = x - h;
            double below = mean_of_loop(e);
            e->in[k][i] = x;
            double want = (above - below) / (2 * h);
            if (!agree(got[i], want, 1e-5))
                fprintf(stderr, "%s, result %d: gradient %d, element %lld: %.9g, %.9g expected\n", e->op, e->result, k, (long long)i,
                        got[i], want);
            CHECK(agree(got[i], want, 1e-5));
        }
    }
}

static void check_example(example *e)
{
    check_values(e);
    check_gradients(e);
}

/* ---- optimizer steps ---- */

static void keep(example *e)
{
    option(e, "keep_gradients", VN_OPT_INT, 1, 0, NULL);
}

static void loop_descent(const example *e, double *out)
{
    for (int64_t i = 0; i < e->count; i++) out[i] = e->in[0][i] - e->in[2][e->number[2] ? 0 : i] * e->in[1][i];
}
static void descent(const char *op)
{
    for (int k = 0; k < EXAMPLES; k++) {
        example e = {.op = op, .loop = loop_descent, .count = 6};
        draw(&e, 0, VN_SHAPE(2, 3), -5, 5);
        draw(&e, 1, VN_SHAPE(2, 3), -5, 5);
        if (k) draw(&e, 2, VN_SHAPE(2, 3), .01, 1);
        else number(&e, 2, uniform(.01, 1));
        keep(&e);
        check_example(&e);
    }
}
static void test_gradient_descent_update(void)
{
    descent("gradient_descent_update");
}
static void test_optimizer_update(void)
{
    descent("optimizer_update");
}

typedef struct {
    double beta1, beta2, epsilon;
} betas;
static betas betas_of(const example *e)
{
    return (betas){e->options[0].u.f, e->options[1].u.f, e->options[2].u.f};
}
/* delta, m and v of one element */
static void adam_of(betas b, double g, double m, double v, double t, double out[3])
{
    out[1] = b.beta1 * m + (1 - b.beta1) * g;
    out[2] = b.beta2 * v + (1 - b.beta2) * g * g;
    out[0] = sqrt(1 - pow(b.beta2, t)) / (1 - pow(b.beta1, t) + b.epsilon) * out[1] / (sqrt(fmax(out[2], 0)) + b.epsilon);
}
static void adam_options(example *e)
{
    option(e, "beta1", VN_OPT_FLOAT, 0, uniform(.1, .95), NULL);
    option(e, "beta2", VN_OPT_FLOAT, 0, uniform(.1, .95), NULL);
    option(e, "epsilon", VN_OPT_FLOAT, 0, uniform(.1, 1), NULL);
}
static void loop_adam_step(const example *e, double *out)
{
    double all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[0][i], e->in[1][i], e->in[2][i], e->in[3][0], all);
        out[i] = all[e->result];
    }
}
static void test_adam_step(void)
{
    for (int k = 0; k < 3; k++) {
        example e = {.op = "adam_step", .loop = loop_adam_step, .count = 6, .result = k};
        for (int a = 0; a < 3; a++) draw(&e, a, VN_SHAPE(3, 2), .1, 2);
        number(&e, 3, (double)between(1, 3));
        adam_options(&e);
        check_example(&e);
    }
}
static void loop_adam_update(const example *e, double *out)
{
    double all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[1][i], e->in[3][i], e->in[4][i], e->in[5][0], all);
        out[i] = e->result ? all[e->result] : e->in[0][i] - e->in[2][0] * all[0];
    }
}
static void test_adam_update(void)
{
    for (int k = 0; k < 3; k++) {
        example e = {.op = "adam_update", .loop = loop_adam_update, .count = 6, .result = k};
        for (int a = 0; a < 5; a++) draw(&e, a, a == 2 ? VN_0D : VN_SHAPE(6), .1, 2);
        number(&e, 5, (double)between(1, 10));
        adam_options(&e);
        keep(&e);
        check_example(&e);
    }
}

static double norm(const double *x, int64_t n)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}
static void loop_lars(const example *e, double *out)
{
    double decay = e->options[0].u.f, ng = norm(e->in[1], e->count), lr = e->in[2][0];
    double s = decay > 0 ? lr / (decay * (ng + 1e-12)) : lr * norm(e->in[0], e->count) / (ng + 1e-12);
    for (int64_t i = 0; i < e->count; i++) out[i] = e->in[0][i] - s * e->in[1][i];
}
static void test_lars_update(void)
{
    for (int k = 0; k < 2; k++) {
        example e = {.op = "lars_update", .loop = loop_lars, .count = 8};
        draw(&e, 0, VN_SHAPE(2, 4), -3, 3);
        draw(&e, 1, VN_SHAPE(2, 4), -3, 3);
        draw(&e, 2, VN_0D, .01, 1);
        option(&e, "decay_lambda", VN_OPT_FLOAT, 0, k ? uniform(.01, 1) : 0, NULL);
        keep(&e);
        check_example(&e);
    }
    vn_array *w = vn_full(1e20, VN_SHAPE(5), VN_F32), *z = vn_lars_update(w, w, vn_scalar(.5), 0, 1e-12, 0, 0);
    CHECK(agree(((const float *)vn_data(z))[4] / 1e20, .5, 1e-6)); /* squares would overflow */
}
static void loop_lamb(const example *e, double *out)
{
    double decay = e->options[3].u.f, most = e->options[4].u.f, delta[ROOM], moved[ROOM], all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[1][i], e->in[3][i], e->in[4][i], e->in[5][0], all);
        delta[i] = all[0];
        moved[i] = all[0] + decay * e->in[0][i];
        out[i] = all[e->result];
    }
    double r = fmin(norm(e->in[0], e->count) / (norm(moved, e->count) + 1e-12), most);
    for (int64_t i = 0; i < e->count && !e->result; i++) out[i] = e->in[0][i] - r * e->in[2][0] * delta[i];
}
static void test_lamb_update(void)
{
    for (int k = 0; k < 4; k++) {
        example e = {.op = "lamb_update", .loop = loop_lamb, .count = 6, .result = k % 3};
        for (int a = 0; a < 5; a++) draw(&e, a, a == 2 ? VN_0D : VN_SHAPE(6), .2, 2);
        number(&e, 5, (double)between(1, 100));
        adam_options(&e);
        option(&e, "decay_lambda", VN_OPT_FLOAT, 0, k == 3 ? 0 : uniform(.01, 1), NULL);
        option(&e, "max_trust_ratio", VN_OPT_FLOAT, 0, k == 3 ? .25 : 10, NULL);
        keep(&e);
        check_example(&e);
    }
}

/* ---- gradients of callbacks: x as the matrix's tests have it ---- */

static const double xs[] = {4.6, 2.1, 5, 2.8, 1.3, 6.2};

static vn_array *points(vn_dtype d, int turned)
{
    return vn_cast(vn_from_host(xs, VN_F64, turned ? VN_SHAPE(3, 2) : VN_SHAPE(2, 3)), d);
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
static double slope(int cosine, double x)
{
    return cosine ? -sin(x) / 6 : 2 * x / 6;
}
static void check_slopes(vn_array *g, int cosine, vn_dtype d)
{
    double got[6] = {0};
    CHECK(g && vn_size(g) == 6 && vn_read(vn_cast(g, VN_F64), got, sizeof got) == VN_OK);
    for (int i = 0; i < 6; i++) CHECK(fabs(got[i] - slope(cosine, xs[i])) <= (d == VN_F32 ? 1e-6 : 1e-14));
}
static vn_array *of_leaf(const vn_tree *p, void *cosine)
{
    return (*(int *)cosine ? mean_cosine : mean_square)(vn_tree_get(p, "x"), NULL);
}

static void every_point(void (*check)(vn_array *x, int cosine, vn_dtype d))
{
    for (int k = 0; k < 8; k++) {
        VN_SCOPE;
        vn_dtype d = k & 1 ? VN_F64 : VN_F32;
        check(points(d, k & 2), k & 4, d);
    }
}
static void one_grad(vn_array *x, int cosine, vn_dtype d)
{
    check_slopes(vn_grad_of(cosine ? mean_cosine : mean_square, x, NULL), cosine, d);
}
static void one_jac(vn_array *x, int cosine, vn_dtype d)
{
    vn_array *j = vn_jac_of(cosine ? mean_cosine : mean_square, x, NULL);
    CHECK(vn_rank(j) == 2 && vn_dim(j, 0) == vn_dim(x, 0));
    check_slopes(j, cosine, d);
}
static void one_value_and_grad(vn_array *x, int cosine, vn_dtype d)
{
    vn_tree *g = NULL;
    vn_array *value = vn_value_and_grad(of_leaf, vn_tree_of("x", x, NULL), &cosine, &g);
    double want = 0;
    for (int i = 0; i < 6; i++) want += (cosine ? cos(xs[i]) : xs[i] * xs[i]) / 6;
    CHECK(vn_rank(value) == 0 && fabs(vn_item(value) - want) <= (d == VN_F32 ? 1e-5 : 1e-13));
    check_slopes(g ? vn_tree_get(g, "x") : NULL, cosine, d);
}
static void test_grad(void)
{
    every_point(one_grad);
}
static void test_jac(void)
{
    every_point(one_jac);
}
static void test_value_and_grad(void)
{
    every_point(one_value_and_grad);
}

static vn_array *inner(vn_array *x, void *rule)
{
    return *(int *)rule & 1 ? vn_cos(x) : vn_square(x);
}
static vn_array *rule_of(vn_array *x, vn_array *y, vn_array *upstream, void *rule)
{
    return vn_mul(upstream, *(int *)rule & 2 ? y : x);
}
static void test_bind_custom_gradient_function(void)
{
    for (int rule = 0; rule < 4; rule++) {
        for (int wide = 0; wide < 2; wide++) {
            vn_array *x = vn_variable(points(wide ? VN_F64 : VN_F32, 0));
            vn_fn *f = vn_bind_custom_gradient(inner, rule_of, &rule);
            vn_array *g = vn_grad(vn_mean(vn_exp(vn_fn_call(f, x)), VN_ALL), x);
            double got[6] = {0};
            CHECK(g && vn_read(vn_cast(g, VN_F64), got, sizeof got) == VN_OK);
            for (int i = 0; i < 6; i++) {
                double v = wide ? xs[i] : (double)(float)xs[i], y = rule & 1 ? cos(v) : v * v, want = exp(y) / 6 * (rule & 2 ? y : v);
                CHECK(fabs(got[i] - want) <= (wide ? 1e-12 : 2e-5) * fabs(want));
            }
        }
    }
}

static void test_stop_gradient(void)
{
    static const vn_dtype dtypes[] = {VN_F16, VN_BF16, VN_F32, VN_F64};
    for (int d = 0; d < 4; d++) {
        for (int rank = 0; rank < 3; rank++) {
            vn_shape s = rank == 0 ? VN_0D : rank == 1 ? VN_SHAPE(3) : VN_SHAPE(2, 2);
            vn_array *x = vn_variable(vn_full(1.5, s, dtypes[d])), *y = vn_stop_gradient(x);
            CHECK(vn_dtype_of(y) == dtypes[d] && vn_rank(y) == rank && !vn_is_variable(y));
            CHECK(vn_item(vn_mean(vn_cast(y, VN_F64), VN_ALL)) == 1.5);
            vn_array *fresh = vn_stop_gradient_as(x, 1);
            CHECK(vn_is_variable(fresh) && !vn_is_variable(vn_stop_gradient_as(x, 0)) && !vn_is_variable(vn_stop_gradient_as(y, 1)));
            CHECK(vn_item(vn_max(vn_abs(vn_grad(vn_mean(vn_square(fresh), VN_ALL), x)), VN_ALL)) == 0);
            vn_array *g = vn_grad(vn_mean(vn_mul(y, vn_add(x, y)), VN_ALL), x); /* only the x beside it counts */
            CHECK(agree(vn_item(vn_mean(vn_cast(g, VN_F64), VN_ALL)) * (double)vn_size(x), 1.5, 1e-2));
        }
    }
}

static void test_with_grads(void)
{
    CHECK(vn_with_grads(1) == 1 && vn_with_grads(0) == 0 && vn_with_grads(-1) == 1);
    CHECK_FAILS(vn_with_grads(7), VN_E_ARG, "with_grads");
}
static void test_set_with_grads(void)
{
    for (int b = 0; b < 2; b++) {
        CHECK(vn_set_with_grads(b) == VN_OK && vn_with_grads(-1) == b);
        vn_array *x = vn_variable(vn_full(3, VN_0D, VN_F64)), *g = vn_grad(vn_square(x), x);
        CHECK(vn_item(g) == (b ? 6 : 0)); /* what is computed without gradients does not depend on x */
        vn_unset_with_grads();
    }
}
static void test_unset_with_grads(void)
{
    for (int b = 0; b < 2; b++) {
        int before = vn_with_grads(-1);
        vn_set_with_grads(b);
        CHECK(vn_unset_with_grads() == VN_OK && vn_with_grads(-1) == before);
    }
    CHECK(vn_unset_with_grads() == VN_OK && vn_with_grads(-1) == 1); /* nothing was set: nothing happens */
}

/* The mean of all leaves. One array stands at three places: its gradient is 1/n at each of them. */
static vn_tree *mean_of_leaves(const vn_tree *t, void *user)
{
    (void)user;
    vn_array *sum = NULL;
    int n = vn_tree_leaves(t);
    for (int k = 0; k < n; k++) {
        vn_array *m = vn_mean(vn_tree_leaf(t, k), VN_ALL);
        sum = sum ? vn_add(sum, m) : m;
    }
    return vn_tree_of("mean", vn_mul(sum, vn_scalar(1. / n)), NULL);
}
static void test_execute_with_gradients(void)
{
    for (int retain = 0; retain < 2; retain++) {
        vn_array *x = points(VN_F64, 0);
        vn_tree *t = vn_tree_of("a", x, "b/c", x, "b/d", x, NULL), *g = NULL;
        vn_tree *y = vn_execute_with_gradients(mean_of_leaves, t, NULL, VN_OPTS(execute, .retain = retain), &g, NULL);
        CHECK(y && g && agree(vn_item(vn_tree_get(y, "mean")), 22. / 6, 1e-12));
        for (int k = 0; g && k < 3; k++) {
            const double *got = vn_data(vn_tree_leaf(g, k));
            for (int i = 0; got && i < 6; i++) CHECK(agree(got[i], 1. / 6, 1e-12));
        }
        g = NULL;
        y = vn_execute_with_gradients(mean_of_leaves, vn_tree_of("x", x, NULL), NULL, VN_OPTS(execute, .retain = retain), &g, NULL);
        const double *got = g ? vn_data(vn_tree_get(g, "x")) : NULL;
        for (int i = 0; i < 6; i++) CHECK(y && got && agree(got[i], 1. / 6, 1e-12));
    }
}

/* ---- random ---- */

static void test_random_uniform(void)
{
    static const vn_dtype dtypes[] = {VN_F16, VN_BF16, VN_F32, VN_F64};
    for (int d = 0; d < 4; d++) {
        vn_array *low = vn_full(-3, VN_SHAPE(40, 50), dtypes[d]), *high = vn_full(5, VN_SHAPE(40, 50), dtypes[d]);
        vn_array *z = vn_uniform(vn_random_key_of(7), low, high, VN_SHAPE(40, 50), dtypes[d]);
        vn_array *again = vn_uniform(vn_random_key_of(7), low, high, VN_SHAPE(40, 50), dtypes[d]);
        CHECK(vn_dtype_of(z) == dtypes[d] && vn_item_int(vn_all(vn_equal(z, again), VN_ALL)) == 1);
        CHECK(vn_item_int(vn_all(vn_logical_and(vn_greater_equal(z, low), vn_less(z, high)), VN_ALL)) == 1);
        double mean = vn_item(vn_mean(vn_cast(z, VN_F64), VN_ALL));
        CHECK(fabs(mean - 1) < 5 * 8 / sqrt(12. * 2000));
    }
}
static void test_random_normal(void)
{
    vn_array *mean = vn_full(-3, VN_SHAPE(100, 100), VN_F64), *std = vn_full(2, VN_SHAPE(100, 100), VN_F64);
    vn_array *z = vn_normal(vn_random_key_of(0), mean, std, VN_SHAPE(100, 100), VN_F64);
    vn_array *again = vn_normal(vn_random_key_of(0), mean, std, VN_SHAPE(100, 100), VN_F64);
    CHECK(vn_item_int(vn_all(vn_equal(z, again), VN_ALL)) == 1); /* 0 is a seed like any other */
    CHECK(fabs(vn_item(vn_mean(z, VN_ALL)) + 3) < 5 * 2 / 100. && fabs(vn_item(vn_std(z, VN_ALL, 0)) - 2) < 5 * 2 / sqrt(2e4));
    CHECK(vn_item(vn_normal(vn_random_key_of(1), vn_scalar(4), vn_scalar(0), VN_0D, VN_F32)) == 4);
    CHECK_FAILS(vn_random_normal(0, -1, VN_SHAPE(2)), VN_E_ARG, "non-negative");
}
static void test_multinomial(void)
{
    vn_array *weights = vn_from((float[]){1, 0, 3, 4}, VN_SHAPE(4));
    vn_array *z = vn_multinomial(vn_random_key_of(3), weights, 8000, 1), *again = vn_multinomial(vn_random_key_of(3), weights, 8000, 1);
    CHECK(vn_dtype_of(z) == VN_I64 && vn_rank(z) == 1 && vn_item_int(vn_all(vn_equal(z, again), VN_ALL)) == 1);
    const int64_t *got = vn_data(z);
    double seen[4] = {0};
    for (int i = 0; got && i < 8000; i++) seen[got[i]]++;
    CHECK(got && seen[1] == 0);
    CHECK(fabs(seen[0] - 1000) < 5 * sqrt(875) && fabs(seen[2] - 3000) < 5 * sqrt(1875) && fabs(seen[3] - 4000) < 5 * sqrt(2000));
    const int64_t *once = vn_data(vn_multinomial(vn_random_key_of(4), weights, 3, 0));
    CHECK(once && once[0] != once[1] && once[1] != once[2] && once[0] != once[2] && once[0] != 1 && once[1] != 1 && once[2] != 1);
}
static void test_shuffle(void)
{
    float data[60];
    for (int i = 0; i < 60; i++) data[i] = (float)(i / 3 * 100 + i % 3);
    const float *got = vn_data(vn_shuffle(vn_random_key_of(5), vn_from(data, VN_SHAPE(20, 3)), 0, 0));
    int seen[20] = {0}, moved = 0;
    for (int r = 0; got && r < 20; r++) {
        int from = (int)got[3 * r] / 100;
        seen[from]++;
        moved += from != r;
        CHECK(got[3 * r + 1] == got[3 * r] + 1 && got[3 * r + 2] == got[3 * r] + 2); /* rows stay whole */
    }
    for (int r = 0; r < 20; r++) CHECK(seen[r] == 1);
    CHECK(moved > 5);
    CHECK_FAILS(vn_random_shuffle(vn_full(1, VN_0D, VN_F32)), VN_E_SHAPE, "shuffle");
}

/* ---- layers ---- */

static void loop_linear(const example *e, double *out)
{
    int64_t b = e->shape[0].dim[0], n = e->shape[0].dim[1], in = e->shape[0].dim[2], m = e->shape[1].dim[1];
    for (int64_t o = 0; o < b; o++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t p = 0; p < m; p++) {
                double s = e->in[2][o * m + p];
                for (int64_t q = 0; q < in; q++) s += e->in[0][(o * n + i) * in + q] * e->in[1][(o * m + p) * in + q];
                out[(o * n + i) * m + p] = s;
            }
}
static void test_linear(void)
{
    for (int k = 0; k < EXAMPLES; k++) {
        int64_t b = between(1, 2), n = between(1, 3), in = between(1, 4), m = between(1, 4);
        example e = {.op = "linear", .loop = loop_linear, .count = b * n * m};
        draw(&e, 0, VN_SHAPE(b, n, in), 0, 3);
        draw(&e, 1, VN_SHAPE(b, m, in), 0, 3);
        draw(&e, 2, VN_SHAPE(b, m), 0, 3);
        check_example(&e);
    }
}

static void test_dropout(void)
{
    vn_array *x = vn_variable(vn_ones(VN_SHAPE(100, 100), VN_F32)), *y = vn_dropout(x, vn_random_key_of(9), .25, 0, VN_DEFAULT);
    const float *got = vn_data(y), *g = vn_data(vn_grad(vn_sum(y, VN_ALL), x));
    int zeros = 0;
    for (int i = 0; got && g && i < 10000; i++) {
        zeros += got[i] == 0;
        CHECK(got[i] == 0 || fabsf(got[i] - 1 / .75f) < 1e-6f);
        CHECK(g[i] == got[i]);
    }
    CHECK(abs(zeros - 2500) < 5 * 44);
    const float *rows = vn_data(vn_dropout(x, vn_random_key_of(9), .5, 1, VN_LIST(100, 1)));
    for (int i = 0; rows && i < 10000; i++) CHECK(rows[i] == rows[i / 100 * 100] && (rows[i] == 0 || rows[i] == 1));
    CHECK(vn_item(vn_min(vn_dropout(x, vn_random_key_of(9), 0, 0, VN_DEFAULT), VN_ALL)) == 1);
    CHECK(vn_item(vn_max(vn_dropout(x, vn_random_key_of(9), 1, 0, VN_DEFAULT), VN_ALL)) == 0);
    CHECK_FAILS(vn_dropout(x, vn_random_key_of(9), 1.5, 0, VN_DEFAULT), VN_E_ARG, "dropout");
}

/* One query: its scores' softmax times v. `ask` says whether key j counts; none: all of them, equally. */
static void attend(const double *q, const double *k, const double *v, int64_t keys, int64_t width, int64_t step, double scale,
                   const double *mask, double *out)
{
    double s[64], top = -INFINITY, total = 0;
    bool any = false;
    for (int64_t j = 0; j < keys; j++) any |= !mask || mask[j] != 0;
    for (int64_t j = 0; j < keys; j++) {
        s[j] = 0;
        for (int64_t f = 0; f < width; f++) s[j] += scale * q[f] * k[j * step + f];
        if (!any) s[j] = 0;
        else if (mask && mask[j] == 0) s[j] = -INFINITY;
        top = fmax(top, s[j]);
    }
    for (int64_t j = 0; j < keys; j++) total += s[j] = exp(s[j] - top);
    for (int64_t f = 0; f < width; f++) {
        out[f] = 0;
        for (int64_t j = 0; j < keys; j++) out[f] += s[j] / total * v[j * step + f];
    }
}
static void loop_sdpa(const example *e, double *out)
{
    int64_t n = e->shape[0].dim[1], f = e->shape[0].dim[2], m = e->shape[1].dim[1];
    for (int64_t i = 0; i < n; i++) attend(e->in[0] + i * f, e->in[1], e->in[2], m, f, f, e->options[0].u.f, e->in[3] + i * m, out + i * f);
}
static void test_scaled_dot_product_attention(void)
{
    for (int k = 0; k < EXAMPLES; k++) {
        int64_t n = between(1, 3), m = between(1, 3), f = between(1, 3);
        example e = {.op = "scaled_dot_product_attention", .loop = loop_sdpa, .count = n * f};
        draw(&e, 0, VN_SHAPE(1, n, f), 0, 2);
        draw(&e, 1, VN_SHAPE(1, m, f), 0, 2);
        draw(&e, 2, VN_SHAPE(1, m, f), 0, 2);
        draw(&e, 3, VN_SHAPE(1, n, m), 1, 9);
        for (int64_t i = 0; i < n * m; i++) e.in[3][i] = uniform(0, 1) < .4 || k == 0 ? 0 : 2;
        e.constant[3] = true;
        option(&e, "scale", VN_OPT_FLOAT, 0, uniform(.1, 1), NULL);
        check_example(&e);
    }
}

static void test_multi_head_attention(void)
{
    for (int round = 0; round < EXAMPLES; round++) {
        int64_t n = between(1, 3), m = between(1, 3), f = between(1, 3), h = between(1, 3), w = f * h;
        double x[27], c[54], want[27], scale = uniform(.1, 1), got[27] = {0};
        for (int i = 0; i < 27; i++) x[i] = uniform(0, 2);
        for (int i = 0; i < 54; i++) c[i] = uniform(0, 2);
        for (int64_t i = 0; i < n; i++)
            for (int64_t head = 0; head < h; head++)
                attend(x + i * w + head * f, c + head * f, c + w + head * f, m, f, 2 * w, scale, NULL, want + i * w + head * f);
        vn_array *q = vn_variable(vn_from_host(x, VN_F64, VN_SHAPE(n, w))), *context = vn_from_host(c, VN_F64, VN_SHAPE(m, 2 * w));
        vn_array *y = vn_multi_head_attention(q, scale, h, context, vn_full(.5, VN_SHAPE(n, m), VN_F64), NULL);
        CHECK(y && vn_read(y, got, (size_t)(n * w) * sizeof *got) == VN_OK);
        for (int64_t i = 0; i < n * w; i++) CHECK(agree(got[i], want[i], 1e-12));
        vn_array *g = vn_grad(vn_mean(y, VN_ALL), q); /* against a difference of the loop along one element */
        double h_ = 1e-6, sum[2] = {0}, old = x[0];
        for (int side = 0; side < 2; side++) {
            x[0] = old + (side ? h_ : -h_);
            for (int64_t head = 0; head < h; head++)
                attend(x + head * f, c + head * f, c + w + head * f, m, f, 2 * w, scale, NULL, want + head * f);
            for (int64_t i = 0; i < w; i++) sum[side] += want[i];
        }
        CHECK(g && agree(((const double *)vn_data(g))[0], (sum[1] - sum[0]) / (2 * h_) / (double)(n * w), 1e-6));
    }
    CHECK_FAILS(vn_multi_head_attention(vn_ones(VN_SHAPE(2, 5), VN_F32), 1, 2, VN_NONE, VN_NONE, NULL), VN_E_SHAPE, "");
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
/* x (1, T, in), h, c (1, n), kernels (in, 4n), (n, 4n), biases (4n) */
static void loop_lstm(const example *e, double *out)
{
    int64_t steps = e->shape[0].dim[1], in = e->shape[0].dim[2], n = e->shape[1].dim[1];
    double h[8], c[8];
    memcpy(h, e->in[1], sizeof h), memcpy(c, e->in[2], sizeof c);
    for (int64_t t = 0; t < steps; t++) {
        double z[32];
        for (int64_t k = 0; k < 4 * n; k++) {
            z[k] = e->in[5][k] + e->in[6][k];
            for (int64_t i = 0; i < in; i++) z[k] += e->in[0][t * in + i] * e->in[3][i * 4 * n + k];
            for (int64_t i = 0; i < n; i++) z[k] += h[i] * e->in[4][i * 4 * n + k];
        }
        for (int64_t k = 0; k < n; k++) {
            c[k] = sigmoid(z[n + k]) * c[k] + sigmoid(z[k]) * tanh(z[2 * n + k]);
            h[k] = sigmoid(z[3 * n + k]) * tanh(c[k]);
            if (e->result == 0) out[t * n + k] = h[k];
        }
    }
    for (int64_t k = 0; k < n && e->result; k++) out[k] = e->result == 1 ? h[k] : c[k];
}
static void test_lstm_update(void)
{
    for (int k = 0; k < 3; k++) {
        int64_t steps = 2, in = 2, n = k + 1;
        example e = {.op = "lstm_update", .loop = loop_lstm, .result = k, .count = k ? n : steps * n};
        vn_shape shapes[] = {VN_SHAPE(1, steps, in), VN_SHAPE(1, n),  VN_SHAPE(1, n), VN_SHAPE(in, 4 * n),
                             VN_SHAPE(n, 4 * n),     VN_SHAPE(4 * n), VN_SHAPE(4 * n)};
        for (int a = 0; a < 7; a++) draw(&e, a, shapes[a], 0, 1);
        check_example(&e);
    }
}

/* ---- convolutions: x [batch, sizes..., ci], w [kernel..., ci / groups, co]; transposed: w [kernel..., ci, co / groups] ---- */

static int64_t place(const int64_t *sizes, const int64_t *at)
{
    return (at[0] * sizes[1] + at[1]) * sizes[2] + at[2];
}

/* Every pair of a position of the result and a tap, with the position of x it meets; f adds their products. */
static void loop_conv(const example *e, double *out)
{
    int64_t ny = e->y[0] * e->y[1] * e->y[2], nk = e->k[0] * e->k[1] * e->k[2], cg = e->ci / e->groups, og = e->co / e->groups;
    int64_t nx = e->x[0] * e->x[1] * e->x[2];
    for (int64_t b = 0; b < e->batch; b++)
        for (int64_t o = 0; o < ny; o++)
            for (int64_t c = 0; c < e->co; c++) {
                double s = e->n_in > 2 ? e->in[2][c] : 0;
                for (int64_t a = 0; a < nk; a++) {
                    int64_t po[] = {o / e->y[2] / e->y[1], o / e->y[2] % e->y[1], o % e->y[2]},
                            pa[] = {a / e->k[2] / e->k[1], a / e->k[2] % e->k[1], a % e->k[2]}, px[3];
                    bool inside = true;
                    for (int d = 0; d < 3; d++) {
                        int64_t p = po[d] * e->stride[d] + pa[d] * e->dilation[d] - e->low[d];
                        inside &= p >= 0 && p % e->spread[d] == 0 && p / e->spread[d] < e->x[d];
                        px[d] = p / e->spread[d];
                    }
                    for (int64_t i = 0; inside && i < cg; i++)
                        s += e->in[0][(b * nx + place(e->x, px)) * e->ci + c / og * cg + i] * e->in[1][(a * cg + i) * e->co + c];
                }
                out[(b * ny + o) * e->co + c] = s;
            }
}
static void loop_transposed(const example *e, double *out)
{
    int64_t nx = e->x[0] * e->x[1] * e->x[2], nk = e->k[0] * e->k[1] * e->k[2], ny = e->y[0] * e->y[1] * e->y[2];
    int64_t cg = e->ci / e->groups, og = e->co / e->groups;
    for (int64_t i = 0; i < e->batch * ny * e->co; i++) out[i] = e->n_in > 2 ? e->in[2][i % e->co] : 0;
    for (int64_t b = 0; b < e->batch; b++)
        for (int64_t i = 0; i < nx; i++)
            for (int64_t a = 0; a < nk; a++) {
                int64_t pi[] = {i / e->x[2] / e->x[1], i / e->x[2] % e->x[1], i % e->x[2]},
                        pa[] = {a / e->k[2] / e->k[1], a / e->k[2] % e->k[1], a % e->k[2]}, po[3];
                bool inside = true;
                for (int d = 0; d < 3; d++) {
                    po[d] = pi[d] * e->stride[d] + pa[d] * e->dilation[d] - e->low[d];
                    inside &= po[d] >= 0 && po[d] < e->y[d];
                }
                for (int64_t c = 0; inside && c < e->ci; c++)
                    for (int64_t k = 0; k < og; k++)
                        out[(b * ny + place(e->y, po)) * e->co + c / cg * og + k] +=
                            e->in[0][(b * nx + i) * e->ci + c] * e->in[1][(a * e->ci + c) * og + k];
            }
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
/* The total SAME padding of a length. */
static int64_t same_total(int64_t n, int64_t reach, int64_t stride)
{
    return largest(reach - (n % stride ? n % stride : stride), 0);
}

typedef enum { FORWARD, TRANSPOSED, DEPTHWISE } manner;

static void convolution(const char *op, int axes, manner how, bool general)
{
    for (int round = 0; round < 2; round++) {
        example e = {.op = op, .axes = axes, .batch = between(1, 2), .groups = general ? between(1, 2) : 1};
        bool same = round == 1;
        int64_t pairs[6] = {0}, dims[5], kernel[5];
        e.ci = e.groups * between(1, 2), e.co = e.groups * between(1, 2);
        if (how == DEPTHWISE) e.groups = e.co = e.ci = between(1, 3);
        for (int d = 0; d < 3; d++) {
            bool used = d >= 3 - axes;
            e.k[d] = used ? between(1, 3) : 1;
            e.stride[d] = used ? between(1, 2) : 1;
            e.dilation[d] = used ? between(1, 2) : 1;
            e.spread[d] = used && general && how == FORWARD && !same ? between(1, 2) : 1;
            int64_t reach = (e.k[d] - 1) * e.dilation[d] + 1;
            e.x[d] = !used ? 1 : how == TRANSPOSED ? between(1, 3) : reach + between(0, 1);
            int64_t n = (e.x[d] - 1) * e.spread[d] + 1, low = 0, high = 0;
            if (how == TRANSPOSED) {
                e.y[d] = !used ? 1 : e.x[d] * e.stride[d] + (same ? 0 : largest(reach - e.stride[d], 0));
                e.low[d] = same && used ? same_total(e.y[d], reach, e.stride[d]) / 2 : 0;
                continue;
            }
            if (same && used) low = same_total(n, reach, e.stride[d]) / 2, high = same_total(n, reach, e.stride[d]) - low;
            else if (used) low = between(0, 2), high = between(0, 2);
            e.low[d] = low;
            e.y[d] = (n + low + high - reach) / e.stride[d] + 1;
            if (used) pairs[2 * (d - 3 + axes)] = low, pairs[2 * (d - 3 + axes) + 1] = high;
        }
        dims[0] = e.batch;
        for (int d = 0; d < axes; d++) dims[1 + d] = e.x[3 - axes + d], kernel[d] = e.k[3 - axes + d];
        dims[1 + axes] = e.ci;
        int extra = how == DEPTHWISE ? 1 : 2;
        kernel[axes] = how == TRANSPOSED ? e.ci : how == DEPTHWISE ? e.ci : e.ci / e.groups;
        kernel[axes + 1] = how == TRANSPOSED ? e.co / e.groups : e.co;
        draw(&e, 0, vn__shape(dims, (size_t)axes + 2), 0, 1);
        draw(&e, 1, vn__shape(kernel, (size_t)(axes + extra)), 0, 1);
        if (general) draw(&e, 2, VN_SHAPE(e.co), 0, 1);
        e.count = e.batch * e.y[0] * e.y[1] * e.y[2] * e.co;
        e.loop = how == TRANSPOSED ? loop_transposed : loop_conv;
        list(&e, "strides", 0, e.stride + 3 - axes, axes);
        list(&e, "dilations", 1, e.dilation + 3 - axes, axes);
        if (general && how == FORWARD) list(&e, "x_dilations", 2, e.spread + 3 - axes, axes);
        if (general) option(&e, "groups", VN_OPT_INT, e.groups, 0, NULL);
        if (how != TRANSPOSED && !same) list(&e, "pads", 3, pairs, 2 * axes);
        else option(&e, "padding", VN_OPT_STRING, 0, 0, same ? "SAME" : "VALID");
        check_example(&e);
    }
}
static void test_conv1d(void)
{
    convolution("conv1d", 1, FORWARD, false);
}
static void test_conv2d(void)
{
    convolution("conv2d", 2, FORWARD, false);
}
static void test_conv3d(void)
{
    convolution("conv3d", 3, FORWARD, false);
}
static void test_depthwise_conv2d(void)
{
    convolution("depthwise_conv2d", 2, DEPTHWISE, false);
}
static void test_conv_general_dilated(void)
{
    for (int axes = 1; axes < 4; axes++) convolution("conv_general_dilated", axes, FORWARD, true);
}
static void test_conv1d_transpose(void)
{
    convolution("conv1d_transpose", 1, TRANSPOSED, false);
}
static void test_conv2d_transpose(void)
{
    convolution("conv2d_transpose", 2, TRANSPOSED, false);
}
static void test_conv3d_transpose(void)
{
    convolution("conv3d_transpose", 3, TRANSPOSED, false);
}
static void test_conv_general_transpose(void)
{
    for (int axes = 1; axes < 4; axes++) convolution("conv_general_transpose", axes, TRANSPOSED, true);
}

/* ---- the list ---- */

static const struct {
    const char *name;
    void (*test)(void);
} tests[] = {
#define TEST(name)  \
    {               \
#name, name \
    }
    TEST(test_bind_custom_gradient_function),
    TEST(test_stop_gradient),
    TEST(test_gradient_descent_update),
    TEST(test_optimizer_update),
    TEST(test_execute_with_gradients),
    TEST(test_lamb_update),
    TEST(test_adam_update),
    TEST(test_grad),
    TEST(test_set_with_grads),
    TEST(test_unset_with_grads),
    TEST(test_jac),
    TEST(test_lars_update),
    TEST(test_adam_step),
    TEST(test_value_and_grad),
    TEST(test_with_grads),
    TEST(test_shuffle),
    TEST(test_random_normal),
    TEST(test_multinomial),
    TEST(test_random_uniform),
    TEST(test_scaled_dot_product_attention),
    TEST(test_dropout),
    TEST(test_linear),
    TEST(test_conv3d),
    TEST(test_depthwise_conv2d),
    TEST(test_lstm_update),
    TEST(test_conv_general_transpose),
    TEST(test_conv3d_transpose),
    TEST(test_conv1d),
    TEST(test_conv2d_transpose),
    TEST(test_conv_general_dilated),
    TEST(test_conv2d),
    TEST(test_multi_head_attention),
    TEST(test_conv1d_transpose),
};

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
        VN_SCOPE;
        int before = check_failures;
        check_name = tests[k].name;
        tests[k].test();
        CHECK(vn_status() == VN_OK);
        vn_clear();
        printf("%-40s %s\n", tests[k].name, check_failures == before ? "ok" : "FAILED");
    }
    return finish();
}
