/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_steps.c: the steps of optimizers against their formulas, in every float dtype. */
#include "seeds.h"

static void loop_descent(const example *e, double *out)
{
    for (int64_t i = 0; i < e->count; i++) out[i] = e->in[0][i] - e->in[2][e->number[2] ? 0 : i] * e->in[1][i];
}

void seed_descent(trial *t)
{
    vn_shape s = VN_SHAPE(2, 3);
    example e = {.op = t->test->data, .loop = loop_descent, .count = 6, .shape = s};
    example_sample(t, &e, s, -5, 5);
    example_sample(t, &e, s, -5, 5);
    if (sample_variant(t, 3)) example_sample(t, &e, s, .01, 1);
    else example_number(&e, sample_real(t, .01, 1));
    example_int(&e, "keep_gradients", 1);
    example_check(t, &e);
}

/* ---- Adam ---- */

typedef struct betas {
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

static void adam_options(trial *t, example *e)
{
    example_float(e, "beta1", sample_real(t, .1, .95));
    example_float(e, "beta2", sample_real(t, .1, .95));
    example_float(e, "epsilon", sample_real(t, .1, 1));
}

static void loop_adam_step(const example *e, double *out)
{
    double all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[0][i], e->in[1][i], e->in[2][i], e->in[3][0], all);
        out[i] = all[e->result];
    }
}

void seed_adam_step(trial *t)
{
    vn_shape s = VN_SHAPE(3, 2);
    example e = {.op = "adam_step", .loop = loop_adam_step, .count = 6, .shape = s, .result = sample_variant(t, 3)};
    for (int a = 0; a < 3; a++) example_sample(t, &e, s, .1, 2);
    example_number(&e, (double)sample_int(t, 1, 3));
    adam_options(t, &e);
    example_check(t, &e);
}

/* w, dcdw, lr, m and v, as adam_update and lamb_update take them, and the number of the step */
static void sample_update(trial *t, example *e, double low, int64_t steps)
{
    for (int a = 0; a < 5; a++) example_sample(t, e, a == 2 ? VN_0D : VN_SHAPE(6), low, 2);
    example_number(e, (double)sample_int(t, 1, steps));
    adam_options(t, e);
}

static void loop_adam_update(const example *e, double *out)
{
    double all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[1][i], e->in[3][i], e->in[4][i], e->in[5][0], all);
        out[i] = e->result ? all[e->result] : e->in[0][i] - e->in[2][0] * all[0];
    }
}

void seed_adam_update(trial *t)
{
    example e = {.op = "adam_update", .loop = loop_adam_update, .count = 6, .shape = VN_SHAPE(6), .result = sample_variant(t, 3)};
    sample_update(t, &e, .1, 10);
    example_int(&e, "keep_gradients", 1);
    example_check(t, &e);
}

/* ---- steps scaled by lengths ---- */

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

void seed_lars_update(trial *t)
{
    vn_shape s = VN_SHAPE(2, 4);
    bool decays = sample_variant(t, 2);
    example e = {.op = "lars_update", .loop = loop_lars, .count = 8, .shape = s};
    example_sample(t, &e, s, -3, 3);
    example_sample(t, &e, s, -3, 3);
    example_sample(t, &e, VN_0D, .01, 1);
    example_float(&e, "decay_lambda", decays ? sample_real(t, .01, 1) : 0);
    example_int(&e, "keep_gradients", 1);
    example_check(t, &e);
    if (t->dtype != VN_F32 || decays) return;
    double got[5] = {0};
    vn_array *w = vn_full(vn_scalar(1e20), VN_SHAPE(5), VN_F32), *z = vn_lars_update(w, w, vn_scalar(.5), NULL);
    EXPECT(t, CHECK_VALUE, number_read(z, got, 5));
    trial_near(t, CHECK_VALUE, "a step whose squares would overflow", got[4] / 1e20, .5, 1e-6);
}

static void loop_lamb(const example *e, double *out)
{
    double decay = e->options[3].u.f, most = e->options[4].u.f, delta[TRIAL_ROOM], moved[TRIAL_ROOM], all[3];
    for (int64_t i = 0; i < e->count; i++) {
        adam_of(betas_of(e), e->in[1][i], e->in[3][i], e->in[4][i], e->in[5][0], all);
        delta[i] = all[0];
        moved[i] = all[0] + decay * e->in[0][i];
        out[i] = all[e->result];
    }
    double r = fmin(norm(e->in[0], e->count) / (norm(moved, e->count) + 1e-12), most);
    for (int64_t i = 0; i < e->count && !e->result; i++) out[i] = e->in[0][i] - r * e->in[2][0] * delta[i];
}

void seed_lamb_update(trial *t)
{
    int k = sample_variant(t, 4);
    example e = {.op = "lamb_update", .loop = loop_lamb, .count = 6, .shape = VN_SHAPE(6), .result = k % 3};
    sample_update(t, &e, .2, 100);
    example_float(&e, "decay_lambda", k == 3 ? 0 : sample_real(t, .01, 1));
    example_float(&e, "max_trust_ratio", k == 3 ? .25 : 10);
    example_int(&e, "keep_gradients", 1);
    example_check(t, &e);
}
