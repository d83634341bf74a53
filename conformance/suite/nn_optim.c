/* SPDX-License-Identifier: Apache-2.0 */
/* nn_optim.c: optimizers against their formulas in plain C, schedules, clipping, accumulation, averages, state that is saved and restored,
 * and that every step is the same program. */
#include "nn.h"

enum { N = 3, STEPS = 6 };
static const double start[N] = {1, -2, 3};

/* ---- a small problem: half of sum(a (w - b)^2), whose gradient is a (w - b) ---- */

static const double a[N] = {.5, 2, 1}, b[N] = {.25, -1, 4};

static vn_array *numbers(const double *x, vn_dtype d)
{
    return vn_cast(vn_from_host(x, VN_F64, VN_SHAPE(N)), d);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    vn_array *w = vn_tree_get(p, "layer/w");
    vn_dtype d = vn_dtype_of(w);
    return vn_sum(vn_mul(vn_mul(numbers(a, d), vn_square(vn_sub(w, numbers(b, d)))), vn_scalar(.5)), VN_ALL);
}

static vn_tree *parameters(vn_dtype d)
{
    return vn_tree_of("layer/w", numbers(start, d), NULL);
}

static void take_steps(vn_optim *o, vn_tree *p, int n)
{
    for (int k = 0; k < n; k++) {
        VN_SCOPE;
        vn_tree *g = NULL;
        vn_value_and_grad(loss_of, p, NULL, &g);
        CHECK(g && vn_step(o, p, g) == VN_OK);
    }
}

static void read_w(vn_tree *p, double *w)
{
    VN_SCOPE;
    CHECK(vn_read(vn_cast(vn_tree_get(p, "layer/w"), VN_F64), w, N * sizeof *w) == VN_OK);
}

/* ---- the same in plain C ---- */

typedef struct {
    double w[N], m[N], v[N];
    int t;
} plain;

typedef void (*plain_step)(plain *s, const double *g, double lr);

static void plain_sgd(plain *s, const double *g, double lr)
{
    for (int i = 0; i < N; i++) s->w[i] -= lr * g[i];
}
static void plain_nesterov(plain *s, const double *g, double lr)
{
    for (int i = 0; i < N; i++) {
        double d = g[i] + .25 * s->w[i];
        s->m[i] = .5 * s->m[i] + d;
        s->w[i] -= lr * (d + .5 * s->m[i]);
    }
}
static void adam_moments(plain *s, const double *g, double beta1, double beta2)
{
    for (int i = 0; i < N; i++) {
        s->m[i] = beta1 * s->m[i] + (1 - beta1) * g[i];
        s->v[i] = beta2 * s->v[i] + (1 - beta2) * g[i] * g[i];
    }
}
static double folded(const plain *s, int i, double beta1, double beta2, double epsilon)
{
    return sqrt(1 - pow(beta2, s->t)) / (1 - pow(beta1, s->t) + epsilon) * s->m[i] / (sqrt(s->v[i]) + epsilon);
}
static void plain_adam(plain *s, const double *g, double lr)
{
    adam_moments(s, g, .9, .999);
    for (int i = 0; i < N; i++) s->w[i] -= lr * folded(s, i, .9, .999, 1e-7);
}
static void plain_adam_paper(plain *s, const double *g, double lr)
{
    adam_moments(s, g, 0, .5);
    for (int i = 0; i < N; i++) s->w[i] -= lr * s->m[i] / (sqrt(s->v[i] / (1 - pow(.5, s->t))) + .125);
}
static void plain_adam_seed(plain *s, const double *g, double lr)
{
    if (s->t == 1)
        for (int i = 0; i < N; i++) s->m[i] = g[i], s->v[i] = g[i] * g[i];
    plain_adam(s, g, lr);
}
static void plain_adamw(plain *s, const double *g, double lr)
{
    adam_moments(s, g, .9, .999);
    for (int i = 0; i < N; i++) s->w[i] = s->w[i] * (1 - lr * .01) - lr * folded(s, i, .9, .999, 1e-7);
}
static double norm(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}
static void plain_lars(plain *s, const double *g, double lr)
{
    double by = lr * norm(s->w) / (norm(g) + 1e-12);
    for (int i = 0; i < N; i++) s->w[i] -= by * g[i];
}
static void plain_lamb(plain *s, const double *g, double lr)
{
    double d[N], e[N];
    adam_moments(s, g, .9, .999);
    for (int i = 0; i < N; i++) d[i] = folded(s, i, .9, .999, 1e-7), e[i] = d[i] + .5 * s->w[i];
    double r = fmin(norm(s->w) / (norm(e) + 1e-12), 10);
    for (int i = 0; i < N; i++) s->w[i] -= lr * r * d[i];
}
static void plain_rmsprop(plain *s, const double *g, double lr)
{
    for (int i = 0; i < N; i++) {
        s->v[i] = .99 * s->v[i] + .01 * g[i] * g[i];
        s->m[i] = .9 * s->m[i] + g[i] / (sqrt(s->v[i]) + 1e-8);
        s->w[i] -= lr * s->m[i];
    }
}
static void plain_adagrad(plain *s, const double *g, double lr)
{
    for (int i = 0; i < N; i++) {
        s->v[i] += g[i] * g[i];
        s->w[i] -= lr * g[i] / (sqrt(s->v[i]) + 1e-8);
    }
}
static void plain_lion(plain *s, const double *g, double lr)
{
    for (int i = 0; i < N; i++) {
        double c = .9 * s->m[i] + .1 * g[i];
        s->m[i] = .99 * s->m[i] + .01 * g[i];
        s->w[i] = s->w[i] * (1 - lr * .125) - lr * (c > 0 ? 1 : c < 0 ? -1 : 0);
    }
}

static void plain_steps(plain *s, plain_step f, int n, double lr)
{
    memcpy(s->w, start, sizeof start);
    for (s->t = 1; s->t <= n; s->t++) {
        double g[N];
        for (int i = 0; i < N; i++) g[i] = a[i] * (s->w[i] - b[i]);
        f(s, g, lr);
    }
}

static void same(const double *x, const double *y, double tolerance)
{
    trial_near_list(nn_trial, CHECK_VALUE, "parameters", x, y, N, tolerance, NULL);
}

static vn_optim *averaging(vn_optim *o, double decay)
{
    CHECK(vn_optim_keep_average(o, decay) == VN_OK);
    return o;
}

/* An optimizer that must do what a plain loop does. */
typedef struct formula {
    const char *name;
    vn_optim *(*make)(void);
    plain_step step;
    double rate;
} formula;

static void follows(trial *t)
{
    static const double tolerance[VN_DTYPE_END] = {[VN_F64] = 1e-12, [VN_F32] = 2e-6, [VN_F16] = 4e-3, [VN_BF16] = 3e-2};
    const formula *f = t->test->data;
    plain s = {.t = 0};
    double w[N];
    nn_trial = t;
    vn_tree *p = parameters(t->dtype);
    vn_optim *o = f->make();
    CHECK(!strcmp(vn_optim_name(o), f->name));
    take_steps(o, p, STEPS);
    plain_steps(&s, f->step, STEPS, f->rate);
    read_w(p, w);
    same(w, s.w, tolerance[t->dtype]);
    CHECK(vn_optim_steps(o) == STEPS);
}

#define MAKE(name, expression)         \
    static vn_optim *make_##name(void) \
    {                                  \
        return expression;             \
    }
MAKE(sgd, vn_sgd(.1, NULL))
MAKE(nesterov, vn_sgd(.1, VN_OPTS(sgd, .momentum = .5, .nesterov = 1, .weight_decay = .25)))
MAKE(adam, vn_adam(.1, VN_OPTS(adam, .epsilon = 1e-7, .folded = 1)))
MAKE(paper, vn_adam(.1, VN_OPTS(adam, .beta1 = VN_ZERO, .beta2 = .5, .epsilon = .125)))
MAKE(seed, vn_adam(.1, VN_OPTS(adam, .epsilon = 1e-7, .folded = 1, .first_moments_grad = 1)))
MAKE(adamw, vn_adamw(.1, VN_OPTS(adamw, .epsilon = 1e-7, .folded = 1)))
MAKE(lars, vn_lars(.01, VN_OPTS(lars, .folded = 1)))
MAKE(lamb, vn_lamb(.1, VN_OPTS(lamb, .epsilon = 1e-7, .weight_decay = .5, .folded = 1)))
MAKE(rmsprop, vn_rmsprop(.01, VN_OPTS(rmsprop, .momentum = .9)))
MAKE(adagrad, vn_adagrad(.1, VN_OPTS(adagrad, .epsilon = 1e-8)))
MAKE(lion, vn_lion(.125, VN_OPTS(lion, .weight_decay = .125)))

/* The first step from zero state: golden values. */
static void golden_first_step(void)
{
    const double g[N] = {.5, .25, -.125}, zero[N] = {0}, delta[N] = {0.999992675, 0.999986351, -0.999973702};
    const double m1[N] = {.05, .025, -.0125}, v1[N] = {2.5e-4, 6.25e-5, 1.5625e-5};
    vn_array *m, *v, *d = vn_adam_step(numbers(g, VN_F64), numbers(zero, VN_F64), numbers(zero, VN_F64), vn_scalar(1), NULL, &m, &v);
    same(vn_data(d), delta, 1e-9);
    same(vn_data(m), m1, 1e-15);
    same(vn_data(v), v1, 1e-15);
    d = vn_adam_step(numbers(g, VN_F64), numbers(g, VN_F64), numbers(g, VN_F64), vn_scalar(0), NULL, &m, &v);
    same(vn_data(d), zero, 0);
}

static void one_program(void)
{
    vn_tree *p = parameters(VN_F32);
    vn_optim *o = averaging(vn_adam(.1, NULL), .9);
    CHECK(vn_optim_clip_norm(o, 1) == VN_OK);
    take_steps(o, p, 3);
    vn_cache_info before = {.size = sizeof before}, after = before;
    vn_cache_stats(vn_using(), &before);
    vn_optim_schedule(o, vn_cosine(.1, .01, 10));
    take_steps(o, p, 20);
    vn_cache_stats(vn_using(), &after);
    CHECK(after.misses == before.misses && after.hits >= before.hits + 20);
}

static void state_is_all(void)
{
    double straight[N], resumed[N];
    vn_tree *p = parameters(VN_F32), *q = parameters(VN_F32);
    vn_optim *o = averaging(vn_adam(.1, NULL), .5), *first = averaging(vn_adam(.1, NULL), .5), *second = averaging(vn_adam(.1, NULL), .5);
    take_steps(o, p, 7);
    take_steps(first, q, 3);
    CHECK(vn_optim_set_state(second, vn_optim_state(first)) == VN_OK);
    take_steps(first, parameters(VN_F32), 1); /* later steps do not change the copy */
    take_steps(second, q, 4);
    read_w(p, straight), read_w(q, resumed);
    same(resumed, straight, 0);
    CHECK(vn_optim_steps(second) == 7);
    vn_tree *one = vn_optim_average(o), *other = vn_optim_average(second);
    CHECK(!memcmp(vn_data(vn_tree_get(one, "layer/w")), vn_data(vn_tree_get(other, "layer/w")), N * sizeof(float)));
    CHECK_FAILS(vn_optim_set_state(vn_sgd(.1, NULL), vn_optim_state(o)), VN_E_STRUCT, "no state");
    CHECK_FAILS(vn_optim_set_state(o, vn_tree_new(NULL)), VN_E_STRUCT, "steps");
    CHECK_FAILS(vn_optim_average(vn_sgd(.1, NULL)), VN_E_ARG, "average");
    CHECK_FAILS(vn_optim_average(averaging(vn_adam(.1, NULL), .5)), VN_E_ARG, "no step");
}

static double thirds(int64_t step, void *user)
{
    (void)user;
    return 1. / (double)(3 + step);
}

/* Learning rate and schedule are part of the state; a state without them leaves them alone. */
static void rates(void)
{
    vn_optim *o = vn_adam(.1, NULL), *q = vn_adam(.7, NULL);
    take_steps(o, parameters(VN_F32), 3);
    CHECK(vn_optim_set_state(q, vn_optim_state(o)) == VN_OK && vn_optim_lr(q) == .1);
    const vn_schedule all[] = {
        vn_constant(.3),          vn_step_decay(.3, .5, 2), vn_exponential_decay(.3, .9, 3),    vn_linear_decay(.3, .1, 9),
        vn_cosine(.3, 1. / 3, 9), vn_one_cycle(.3, 9),      vn_warm_up(vn_cosine(.3, .1, 9), 5)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_optim *r = vn_adam(.7, NULL);
        vn_optim_schedule(o, all[k]);
        CHECK(vn_optim_set_state(r, vn_optim_state(o)) == VN_OK && vn_optim_lr(r) == vn_schedule_at(&all[k], 3));
        take_steps(r, parameters(VN_F32), 2);
        CHECK(vn_optim_lr(r) == vn_schedule_at(&all[k], 5));
    }
    CHECK(vn_optim_set_lr(o, .2) == VN_OK && vn_optim_set_state(q, vn_optim_state(o)) == VN_OK &&
          vn_optim_lr(q) == .2); /* the schedule ended */

    vn_optim_schedule(o, vn_schedule_of(thirds, NULL));
    CHECK_FAILS(vn_optim_set_state(q, vn_optim_state(o)), VN_E_STRUCT, "the schedule was a function");
    CHECK(vn_optim_lr(q) == .2);
    vn_optim_schedule(q, vn_schedule_of(thirds, NULL));
    CHECK(vn_optim_set_state(q, vn_optim_state(o)) == VN_OK && vn_optim_lr(q) == 1. / 6);

    vn_tree *state = vn_optim_state(o);
    CHECK(vn_optim_set_state(q, vn_tree_prune_key_chains(state, VN_KEYS("rate"))) == VN_OK && vn_optim_lr(q) == 1. / 6);
    vn_tree_set_number(state, "rate/schedule", 99);
    CHECK_FAILS(vn_optim_set_state(q, state), VN_E_ARG, "not a valid schedule");
    vn_tree_set_number(state, "rate/every", -.5);
    CHECK_FAILS(vn_optim_set_state(q, state), VN_E_STRUCT, "\"rate/every\" must be a count");
    vn_tree_set_number(state, "rate/lr", NAN);
    CHECK_FAILS(vn_optim_set_state(q, state), VN_E_STRUCT, "\"rate/lr\" must be a number");
    vn_tree_set(state, "rate", vn_zeros(VN_0D, VN_F32));
    CHECK_FAILS(vn_optim_set_state(q, state), VN_E_STRUCT, "must be a tree");
    CHECK(vn_optim_lr(q) == 1. / 6);
}

static void averages(void)
{
    double expected[N], w[N];
    vn_tree *p = parameters(VN_F64);
    vn_optim *o = averaging(vn_sgd(.1, NULL), .75);
    memcpy(expected, start, sizeof start);
    for (int k = 0; k < 4; k++) {
        take_steps(o, p, 1);
        read_w(p, w);
        for (int i = 0; i < N; i++) expected[i] = .75 * expected[i] + .25 * w[i];
    }
    same(vn_data(vn_tree_get(vn_optim_average(o), "layer/w")), expected, 1e-14);
}

/* Three steps that accumulate are one step with the mean of their gradients. */
static void accumulation(void)
{
    double once[N], held[N], w[N];
    vn_tree *p = parameters(VN_F64), *q = parameters(VN_F64);
    vn_optim *o = vn_adam(.1, NULL), *plain_one = vn_adam(.1, NULL);
    CHECK(vn_optim_accumulate(o, 3) == VN_OK);
    for (int k = 0; k < 6; k++) {
        take_steps(o, p, 1); /* the parameters do not change in between, so all gradients are the same */
        read_w(p, w);
        if (k % 3 == 2) take_steps(plain_one, q, 1);
        read_w(q, once);
        memcpy(held, w, sizeof w);
        same(held, once, 1e-14);
    }
    CHECK(vn_optim_steps(o) == 2);
}

static void clipping(void)
{
    vn_tree *t = vn_tree_of("a", vn_from((float[]){3, 0}, VN_SHAPE(2)), "b", vn_from((float[]){-4}, VN_SHAPE(1)), NULL);
    vn_array *length = NULL;
    vn_tree *z = vn_clip_by_norm(t, 1, &length);
    CHECK(near(vn_item(length), 5, 1e-12) && near(vn_item(vn_tree_norm(z)), 1, 1e-6));
    CHECK(near(vn_item(vn_tree_get(z, "b")), -.8, 1e-6));
    CHECK(near(vn_item(vn_tree_get(vn_clip_by_norm(t, 6, NULL), "b")), -4, 0));
    CHECK(vn_item(vn_tree_get(vn_clip_by_value(t, 2), "b")) == -2);
    vn_tree *huge =
        vn_tree_of("a", vn_full(vn_scalar(1e30), VN_SHAPE(4), VN_F32), "b", vn_full(vn_scalar(1e300), VN_SHAPE(4), VN_F64), NULL);
    CHECK(near(vn_item(vn_tree_norm(huge)), 2e300, 1e-12));
    CHECK(vn_item(vn_tree_norm(vn_tree_new(NULL))) == 0);
    CHECK_FAILS(vn_clip_by_norm(t, -1, NULL), VN_E_ARG, "clip_by_norm");
    CHECK_FAILS(vn_clip_by_value(t, NAN), VN_E_ARG, "clip_by_value");
    CHECK_FAILS(vn_tree_norm(vn_tree_of("i", vn_zeros(VN_SHAPE(1), VN_I32), NULL)), VN_E_DTYPE, "tree_norm");
    /* in a step */
    double w[N], g[N], expected[N];
    vn_tree *p = parameters(VN_F64);
    vn_optim *by_norm = vn_sgd(.1, NULL), *by_value = vn_sgd(.1, NULL);
    CHECK(vn_optim_clip_norm(by_norm, .5) == VN_OK && vn_optim_clip_value(by_value, .5) == VN_OK);
    take_steps(by_norm, p, 1);
    for (int i = 0; i < N; i++) g[i] = a[i] * (start[i] - b[i]);
    for (int i = 0; i < N; i++) expected[i] = start[i] - .1 * g[i] * .5 / norm(g);
    read_w(p, w);
    same(w, expected, 1e-14);
    p = parameters(VN_F64);
    take_steps(by_value, p, 1);
    for (int i = 0; i < N; i++) expected[i] = start[i] - .1 * fmax(-.5, fmin(.5, g[i]));
    read_w(p, w);
    same(w, expected, 1e-14);
}

static double halves(int64_t step, void *user)
{
    return *(double *)user / (double)(step + 1);
}
static double nothing(int64_t step, void *user)
{
    (void)step, (void)user;
    return NAN;
}

static double at(vn_schedule s, int64_t step)
{
    return vn_schedule_at(&s, step);
}

static void constant_rate(void)
{
    CHECK(at(vn_constant(.5), 1000) == .5);
}

static void step_decay(void)
{
    CHECK(at(vn_step_decay(1, .5, 10), 9) == 1 && at(vn_step_decay(1, .5, 10), 10) == .5 && at(vn_step_decay(1, .5, 10), 29) == .25);
}

static void exponential_decay(void)
{
    CHECK(near(at(vn_exponential_decay(1, .25, 10), 5), .5, 1e-15));
}

static void linear_decay(void)
{
    CHECK(at(vn_linear_decay(1, 0, 4), 1) == .75 && at(vn_linear_decay(1, 0, 4), 9) == 0);
}

static void cosine(void)
{
    CHECK(at(vn_cosine(1, .5, 10), 0) == 1 && near(at(vn_cosine(1, .5, 10), 5), .75, 1e-15) && at(vn_cosine(1, .5, 10), 99) == .5);
}

static void one_cycle(void)
{
    CHECK(near(at(vn_one_cycle(1, 100), 0), .04, 1e-12) && near(at(vn_one_cycle(1, 100), 30), 1, 1e-12) &&
          near(at(vn_one_cycle(1, 100), 100), 4e-6, 1e-9));
}

static void own_schedule(void)
{
    double base = 2;
    CHECK(at(vn_schedule_of(halves, &base), 3) == .5);
}

static void warm_up(void)
{
    vn_schedule warm = vn_warm_up(vn_constant(1), 3);
    CHECK(at(warm, 0) == .25 && at(warm, 2) == .75 && at(warm, 3) == 1 && at(warm, 4) == 1);
}

static void scheduled_steps(void)
{
    vn_optim *o = vn_sgd(1, NULL);
    CHECK(vn_optim_schedule(o, vn_linear_decay(1, 0, 4)) == VN_OK && vn_optim_lr(o) == 1);
    take_steps(o, parameters(VN_F32), 2);
    CHECK(vn_optim_lr(o) == .5);
    CHECK(vn_optim_set_lr(o, .125) == VN_OK && vn_optim_lr(o) == .125);
}

static void schedule_errors(void)
{
    vn_optim *o = vn_sgd(1, NULL);
    CHECK_FAILS(at((vn_schedule){0}, 0), VN_E_ARG, "not a valid schedule");
    CHECK_FAILS(at(vn_cosine(1, 0, 0), 0), VN_E_ARG, "cosine: steps is 0");
    CHECK_FAILS(at(vn_step_decay(1, -1, 3), 0), VN_E_ARG, "factor");
    CHECK_FAILS(at(vn_constant(INFINITY), 0), VN_E_ARG, "constant: rate is inf");
    CHECK_FAILS(at(vn_schedule_of(NULL, NULL), 0), VN_E_NULL, "NULL");
    CHECK_FAILS(at(vn_warm_up(vn_constant(1), -1), 0), VN_E_ARG, "warm-up");
    CHECK_FAILS(at(vn_constant(1), -1), VN_E_ARG, "step -1");
    CHECK_FAILS(vn_optim_schedule(o, vn_linear_decay(NAN, 0, 1)), VN_E_ARG, "linear_decay: rate is nan");
    vn_optim_schedule(o, vn_schedule_of(nothing, NULL));
    vn_tree *p = parameters(VN_F32), *g = NULL;
    vn_value_and_grad(loss_of, p, NULL, &g);
    CHECK_FAILS(vn_step(o, p, g), VN_E_ARG, "rate of step");
}

static void missing_gradients(void)
{
    vn_tree *p = vn_tree_of("a", vn_ones(VN_SHAPE(2), VN_F32), "b", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    vn_tree *g = vn_tree_of("a", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK_FAILS(vn_step(vn_adam(.1, NULL), p, g), VN_E_STRUCT, "\"b\"");
    vn_optim *partial = vn_sgd(.5, NULL);
    CHECK(vn_optim_ignore_missing(partial) == VN_OK && vn_step(partial, p, g) == VN_OK);
    CHECK(((const float *)vn_data(vn_tree_get(p, "a")))[0] == .5f && ((const float *)vn_data(vn_tree_get(p, "b")))[0] == 1);
    CHECK_FAILS(vn_step(vn_adam(.1, NULL), p, vn_tree_of("a", vn_ones(VN_SHAPE(3), VN_F32), "b", vn_ones(VN_SHAPE(2), VN_F32), NULL)),
                VN_E_SHAPE, "its gradient 3");
    vn_optim *o = vn_adam(.1, NULL);
    CHECK(vn_step(o, vn_tree_of("a", vn_ones(VN_SHAPE(2), VN_F32), NULL), g) == VN_OK);
    CHECK_FAILS(vn_step(o, vn_tree_of("a", vn_ones(VN_SHAPE(3), VN_F32), NULL), vn_tree_of("a", vn_ones(VN_SHAPE(3), VN_F32), NULL)),
                VN_E_SHAPE, "its m 2");
    CHECK_FAILS(vn_adam(NAN, NULL), VN_E_ARG, "adam: lr is nan");
    CHECK_FAILS(vn_adam(-.1, NULL), VN_E_ARG, "adam: lr is -0.1; a number in [0, inf) is needed");
    CHECK_FAILS(vn_optim_set_lr(partial, -1), VN_E_ARG, "optim_set_lr: lr is -1");
    CHECK_FAILS(vn_adam(.1, VN_OPTS(adam, .beta1 = NAN)), VN_E_ARG, "adam: beta1 is nan");
    CHECK_FAILS(vn_adam(.1, VN_OPTS(adam, .beta1 = 7)), VN_E_ARG, "adam: beta1 is 7; a number in [0, 1) is needed");
    CHECK_FAILS(vn_lamb(.1, VN_OPTS(lamb, .weight_decay = -1)), VN_E_ARG, "lamb: weight_decay is -1");
    CHECK_FAILS(vn_sgd(.1, VN_OPTS(sgd, .nesterov = 1)), VN_E_ARG, "momentum");
    CHECK_FAILS(vn_sgd(.1, &(vn_sgd_opts){.momentum = .9}), VN_E_ARG, "sgd: the options' size is 0; make them with VN_OPTS(sgd, ...)");
    CHECK_FAILS(vn_optim_keep_average(vn_sgd(.1, NULL), 1), VN_E_ARG, "decay");
    CHECK_FAILS(vn_optim_accumulate(vn_sgd(.1, NULL), -1), VN_E_ARG, "accumulated");
    CHECK_FAILS(vn_optim_clip_norm(vn_sgd(.1, NULL), 0), VN_E_ARG, "optim_clip_norm: 0; a number above 0 is needed");
    CHECK_FAILS(vn_optim_clip_value(partial, 1), VN_E_ARG, "it is set before the first");
}

#define FOLLOWS(key, kind, make, step, rate, about)                                                                                       \
    {                                                                                                                                     \
        TEST_PLACE, .suite = "nn/optimizers", .id = "nn/" key, .name = "nn_" key, .function = kind, .what = about, .truth = TRUTH_CLOSED, \
                    .rtol = 1e-5, .atol = 1e-6, .cases = 1, .fixed = true, .run = follows, .data = &(const formula)                       \
        {                                                                                                                                 \
            kind, make, step, rate                                                                                                        \
        }                                                                                                                                 \
    }

static const conformance_test rows[] = {
    FOLLOWS("sgd", "sgd", make_sgd, plain_sgd, .1, "six steps of SGD against the formula, in every float dtype"),
    FOLLOWS("sgd_nesterov", "sgd", make_nesterov, plain_nesterov, .1,
            "six steps of SGD with Nesterov momentum and weight decay against the formula, in every float dtype"),
    FOLLOWS("adam", "adam", make_adam, plain_adam, .1, "six steps of Adam against the formula, in every float dtype"),
    FOLLOWS("adam_paper", "adam", make_paper, plain_adam_paper, .1,
            "six steps of Adam as in the paper against the formula, in every float dtype"),
    FOLLOWS("adam_first_moments", "adam", make_seed, plain_adam_seed, .1,
            "six steps of Adam whose first moments are the first gradient against the formula, in every float dtype"),
    FOLLOWS("adamw", "adamw", make_adamw, plain_adamw, .1, "six steps of AdamW against the formula, in every float dtype"),
    FOLLOWS("lars", "lars", make_lars, plain_lars, .01, "six steps of LARS against the formula, in every float dtype"),
    FOLLOWS("lamb", "lamb", make_lamb, plain_lamb, .1, "six steps of LAMB with decay against the formula, in every float dtype"),
    FOLLOWS("rmsprop", "rmsprop", make_rmsprop, plain_rmsprop, .01,
            "six steps of RMSprop with momentum against the formula, in every float dtype"),
    FOLLOWS("adagrad", "adagrad", make_adagrad, plain_adagrad, .1, "six steps of Adagrad against the formula, in every float dtype"),
    FOLLOWS("lion", "lion", make_lion, plain_lion, .125, "six steps of Lion with decay against the formula, in every float dtype"),
    NN("nn/optimizers", "adam_golden", golden_first_step, "the first step of Adam, golden values"),
    NN("nn/optimizers", "optimizer_program", one_program, "every step is the same program"),
    NN("nn/optimizers", "optimizer_state", state_is_all, "the state is all there is: saved, restored, it goes on the same"),
    NN("nn/optimizers", "optimizer_rate", rates, "learning rate and schedule are part of the state"),
    NN("nn/optimizers", "average", averages, "averages of the parameters"),
    NN("nn/optimizers", "accumulation", accumulation, "gradients of several batches in one step"),
    NN("nn/optimizers", "clipping", clipping, "gradients clipped by value and by norm"),
    NN("nn/schedules", "schedule/constant", constant_rate, "one rate for all steps"),
    NN("nn/schedules", "schedule/step", step_decay, "a factor every few steps"),
    NN("nn/schedules", "schedule/exponential", exponential_decay, "a factor spread over the steps"),
    NN("nn/schedules", "schedule/linear", linear_decay, "a line, and its end from then on"),
    NN("nn/schedules", "schedule/cosine", cosine, "half a cosine, and its end from then on"),
    NN("nn/schedules", "schedule/one_cycle", one_cycle, "up and down once"),
    NN("nn/schedules", "schedule/own", own_schedule, "a function of the user's"),
    NN("nn/schedules", "schedule/warm_up", warm_up, "a slow beginning before another schedule"),
    NN("nn/schedules", "schedule/steps", scheduled_steps, "the rate of an optimizer goes with its steps, and can be set"),
    NN("nn/schedules", "schedule/errors", schedule_errors, "what schedules refuse, by name"),
    NN("nn/optimizers", "missing_gradients", missing_gradients, "parameters without gradients, and what optimizers refuse"),
};

const nn_part nn_optim = NN_PART(rows);
