/* SPDX-License-Identifier: Apache-2.0 */
/* optim_tuned.c: optimizers that find their own learning rate: from the distance to where they began, from the loss, or by betting. */
#include "nn/optim.h"
#include <math.h>

/* All updates: g times a scalar. */
static int scale_all(vn__moving *m, vn_array *by)
{
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn__by(m->g[i], by))) return vn_status();
    return VN_OK;
}

/* The sum of squared distances of the parameters from a slot. */
static vn_array *distance2(const vn__moving *m, int slot)
{
    vn_array *sum = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *d = vn_sub(m->slot[slot][i], m->w[i]), *part = vn__norm2(1, &d);
        sum = sum ? vn_add(sum, part) : part;
    }
    return sum;
}

/* The sum of absolute values of a slot. */
static vn_array *absolute_sum(const vn__moving *m, int slot)
{
    vn_array *sum = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *part = vn_sum(vn_cast(vn_abs(m->slot[slot][i]), VN_F64), VN_ALL);
        sum = sum ? vn_add(sum, part) : part;
    }
    return sum;
}

/* ---- distance over gradients ---- */

static vn_array *begin_distance(const vn__moving *m, int i)
{
    OPTS(dog);
    (void)i;
    if (!strcmp(o->begin, "distance")) return vn__number_like(m, o->initial);
    if (!strcmp(o->begin, "learning_rate")) return vn__number_like(m, 0);
    return vn__scaled(vn__added(vn__norm_of(m->n, m->w), 1), o->initial);
}
static int dog_all(vn__moving *m)
{
    OPTS(dog);
    vn_array *farthest = m->slot[1][0] = vn_maximum(m->slot[1][0], vn_sqrt(distance2(m, 0)));
    vn_array *sum = m->slot[2][0] = vn_add(m->slot[2][0], vn__norm2(m->n, m->g));
    vn_array *rate = vn_div(farthest, vn_sqrt(vn__added(sum, o->epsilon)));
    if (!strcmp(o->begin, "learning_rate")) rate = vn_where(vn__first(m), vn__number_like(m, o->initial), rate);
    return scale_all(m, rate);
}
OPTIMIZER(dog, dog, .all = dog_all, .decay = DECAY(dog),
          .slots = {{"start", vn__begin_copy}, {"distance", begin_distance, .single = true}, {"squares", vn__begin_zero, .single = true}})

static vn_array *begin_distance2(const vn__moving *m, int i)
{
    OPTS(dowg);
    (void)i;
    return vn__number_like(m, o->initial);
}
static int dowg_all(vn__moving *m)
{
    OPTS(dowg);
    vn_array *farthest = m->slot[1][0] = vn_maximum(m->slot[1][0], distance2(m, 0));
    vn_array *sum = m->slot[2][0] = vn_add(m->slot[2][0], vn_mul(farthest, vn__norm2(m->n, m->g)));
    return scale_all(m, vn_div(farthest, vn__added(vn_sqrt(sum), o->epsilon)));
}
OPTIMIZER(dowg, dowg, .all = dowg_all, .decay = DECAY(dowg),
          .slots = {{"start", vn__begin_copy}, {"distance", begin_distance2, .single = true}, {"squares", vn__begin_zero, .single = true}})

static vn_array *begin_own_distance(const vn__moving *m, int i)
{
    OPTS(ldog);
    return vn__scaled(vn__added(vn__length(m->w[i]), 1), o->initial);
}
static vn_array *begin_own_squares(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, 0);
}
static vn_array *ldog_each(const vn__moving *m, int i)
{
    OPTS(ldog);
    m->slot[1][i] = vn_maximum(m->slot[1][i], vn__length(vn_sub(m->w[i], m->slot[0][i])));
    m->slot[2][i] = vn_add(m->slot[2][i], vn__norm2(1, &m->g[i]));
    return vn__by(m->g[i], vn_div(m->slot[1][i], vn_sqrt(vn__added(m->slot[2][i], o->epsilon))));
}
OPTIMIZER(ldog, ldog, .each = ldog_each,
          .slots = {{"start", vn__begin_copy}, {"distance", begin_own_distance}, {"squares", begin_own_squares}})

/* ---- D-adaptation: Adam with a rate that grows to the estimated distance from the solution ---- */

/* lr sqrt(1 - beta2^t) / (1 - beta1^t) */
static vn_array *corrected_rate(const vn__moving *m, double beta1, double beta2)
{
    vn_array *t = vn__step_number(m);
    vn_array *root = vn_sqrt(vn_sub(vn_scalar(1), vn_pow(vn__number_like(m, beta2), t)));
    return vn__scaled(vn_div(root, vn_sub(vn_scalar(1), vn_pow(vn__number_like(m, beta1), t))), m->lr);
}

enum { M, V, SUM, ESTIMATE, NUMERATOR, START };
static vn_array *begin_prodigy(const vn__moving *m, int i)
{
    OPTS(prodigy);
    (void)i;
    return vn__number_like(m, o->initial);
}
static int prodigy_all(vn__moving *m)
{
    OPTS(prodigy);
    const double beta3 = isnan(o->beta3) ? sqrt(o->beta2) : o->beta3;
    vn_array *d = m->slot[ESTIMATE][0], *rate = vn_mul(d, corrected_rate(m, o->beta1, o->beta2)), *along = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *g = m->g[i], *dg = vn__by(g, d), *way = vn_sub(m->slot[START][i], m->w[i]), *part = vn__dot(1, &g, &way);
        along = along ? vn_add(along, part) : part;
        vn__decayed(m, M, i, o->beta1, dg);
        vn__decayed(m, V, i, o->beta2, vn_square(dg));
        m->slot[SUM][i] = vn_add(vn__scaled(m->slot[SUM][i], beta3), vn__by(dg, vn__scaled(o->safe_warm_up ? d : rate, 1 / o->initial)));
    }
    m->slot[NUMERATOR][0] = vn_add(vn__scaled(m->slot[NUMERATOR][0], beta3), vn_mul(vn_mul(vn__scaled(d, 1 / o->initial), rate), along));
    vn_array *guess = vn_div(vn__scaled(m->slot[NUMERATOR][0], o->coefficient), absolute_sum(m, SUM));
    vn_array *next = m->slot[ESTIMATE][0] = vn_maximum(d, guess);
    for (int i = 0; i < m->n; i++) {
        vn_array *floor = vn_cast(vn__scaled(next, o->epsilon), vn_dtype_of(m->w[i]));
        vn_array *u = vn_div(m->slot[M][i], vn_add(vn_sqrt(m->slot[V][i]), floor));
        if (o->weight_decay > 0) u = vn_add(u, vn__scaled(m->w[i], o->weight_decay));
        if (!(m->g[i] = vn_neg(vn__by(u, rate)))) return vn_status();
    }
    return VN_OK;
}
OPTIMIZER(prodigy, prodigy, .all = prodigy_all, .complete = true,
          .slots = {[M] = {"m", vn__begin_zeros},
                    [V] = {"v", vn__begin_zeros},
                    [SUM] = {"sum", vn__begin_zeros},
                    [ESTIMATE] = {"estimate", begin_prodigy, .single = true},
                    [NUMERATOR] = {"numerator", vn__begin_zero, .single = true},
                    [START] = {"start", vn__begin_copy}})

static vn_array *begin_dadapt(const vn__moving *m, int i)
{
    OPTS(dadapt_adamw);
    (void)i;
    return vn__number_like(m, o->initial);
}
static int dadapt_all(vn__moving *m)
{
    OPTS(dadapt_adamw);
    const double root = sqrt(o->beta2);
    vn_array *d = m->slot[ESTIMATE][0], *rate = vn_mul(d, corrected_rate(m, o->beta1, o->beta2)), *along = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *g = m->g[i], *weighted = vn__over_root(m->slot[SUM][i], m->slot[V][i], 0, o->epsilon), *part = vn__dot(1, &g, &weighted);
        along = along ? vn_add(along, part) : part;
        vn__decayed(m, M, i, o->beta1, vn__by(g, rate));
        vn__decayed(m, V, i, o->beta2, vn_square(g));
        vn__decayed(m, SUM, i, root, vn__by(g, rate));
    }
    m->slot[NUMERATOR][0] = vn__blend(root, m->slot[NUMERATOR][0], vn_mul(rate, along));
    m->slot[ESTIMATE][0] = vn_maximum(d, vn_div(m->slot[NUMERATOR][0], vn__scaled(absolute_sum(m, SUM), 1 - root)));
    for (int i = 0; i < m->n; i++) {
        vn_array *u = vn__over_root(m->slot[M][i], m->slot[V][i], 0, o->epsilon);
        if (o->weight_decay > 0) u = vn_add(u, vn__by(vn__scaled(m->w[i], o->weight_decay), rate));
        if (!(m->g[i] = vn_neg(u))) return vn_status();
    }
    return VN_OK;
}
OPTIMIZER(dadapt_adamw, dadapt_adamw, .all = dadapt_all, .complete = true,
          .slots = {[M] = {"m", vn__begin_zeros},
                    [V] = {"v", vn__begin_zeros},
                    [SUM] = {"sum", vn__begin_zeros},
                    [ESTIMATE] = {"estimate", begin_dadapt, .single = true},
                    [NUMERATOR] = {"numerator", vn__begin_zero, .single = true}})

/* ---- Momo: a model of the loss from means of losses and gradients ---- */

enum { LOSS = 2, GAMMA, BOUND }; /* slots behind M and V */

/* What both have in common: the options, how the bound is corrected, and the squared length of the mean. */
typedef struct {
    double lr, lower, decay;
    bool adapts;
    vn_array *correction, *norm2, *along; /* of the bound; of the mean; the mean along the parameters */
} momo_model;

/* The rate, at most `most`; the bound is replaced. */
static vn_array *momo_rate(vn__moving *m, const momo_model *k, vn_array *most)
{
    const double grown = 1 + k->lr * k->decay;
    vn_array *loss = m->slot[LOSS][0], *gamma = m->slot[GAMMA][0], *bound = m->slot[BOUND][0];
    if (k->adapts) {
        vn_array *cap = vn_add(vn__scaled(vn_sub(loss, gamma), grown), k->along);
        vn_array *lower = vn_maximum(vn_div(cap, vn__scaled(k->correction, 2 * grown)), vn_scalar(k->lower));
        bound = vn_where(vn_less(cap, vn__scaled(vn_mul(k->correction, bound), grown)), lower, bound);
    }
    vn_array *gap = vn_sub(vn_sub(loss, vn_mul(k->correction, bound)), gamma);
    vn_array *step = vn_div(vn_maximum(vn_add(vn__scaled(gap, grown), k->along), vn_scalar(0)), k->norm2);
    step = vn_where(vn_less_equal(k->norm2, vn_scalar(2.220446049250313e-16)), vn__number_like(m, 0), step);
    vn_array *rate = vn_minimum(most, step);
    if (k->adapts) {
        vn_array *next = vn_sub(vn_sub(vn_add(loss, k->along), gamma), vn__scaled(vn_mul(rate, k->norm2), .5));
        m->slot[BOUND][0] = vn_maximum(vn_div(next, k->correction), vn_scalar(k->lower));
    }
    return rate;
}

static int needs_loss(const vn__moving *m)
{
    if (m->loss) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: the gradients carry no loss; vn_value_and_grad gives it", m->b->rule->name);
}

/* The updates: the parameters shrink by the decay, and move by the rate. */
static int momo_move(vn__moving *m, double decay, vn_array *rate, vn_array *const *direction)
{
    const double shrink = m->lr * decay / (1 + m->lr * decay);
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn_neg(vn_add(vn__scaled(m->w[i], shrink), vn__by(direction[i], rate))))) return vn_status();
    return VN_OK;
}

static vn_array *begin_bound(const vn__moving *m, int i)
{
    OPTS(momo);
    (void)i;
    return vn__number_like(m, o->lower_bound);
}
static int momo_all(vn__moving *m)
{
    OPTS(momo);
    if (needs_loss(m)) return vn_status();
    vn_array *first = vn__first(m), *loss = vn_cast(vn_stop_gradient(m->loss), VN_F64), *gw = vn__dot(m->n, m->g, m->w);
    m->slot[LOSS][0] = vn_where(first, loss, vn__blend(o->beta, m->slot[LOSS][0], loss));
    m->slot[GAMMA][0] = vn_where(first, gw, vn__blend(o->beta, m->slot[GAMMA][0], gw));
    for (int i = 0; i < m->n; i++) m->slot[M][i] = vn_where(first, m->g[i], vn__blend(o->beta, m->slot[M][i], m->g[i]));
    const momo_model k = {m->lr,
                          o->lower_bound,
                          o->weight_decay,
                          o->adapt_lower_bound,
                          vn__number_like(m, 1),
                          vn__norm2(m->n, m->slot[M]),
                          vn__dot(m->n, m->slot[M], m->w)};
    return momo_move(m, o->weight_decay, momo_rate(m, &k, vn__number_like(m, m->lr)), m->slot[M]);
}
OPTIMIZER(momo, momo, .all = momo_all, .complete = true,
          .slots = {[M] = {"m", vn__begin_zeros},
                    [LOSS] = {"loss", vn__begin_zero, .single = true},
                    [GAMMA] = {"gamma", vn__begin_zero, .single = true},
                    [BOUND] = {"bound", begin_bound, .single = true}})

static vn_array *begin_adam_bound(const vn__moving *m, int i)
{
    OPTS(momo_adam);
    (void)i;
    return vn__number_like(m, o->lower_bound);
}
static int momo_adam_all(vn__moving *m)
{
    OPTS(momo_adam);
    if (needs_loss(m)) return vn_status();
    vn_array **scaled = vn__scope_memory((size_t)(m->n + 1) * sizeof *scaled, "step");
    if (!scaled) return vn_status();
    m->slot[LOSS][0] = vn__blend(o->beta1, m->slot[LOSS][0], vn_cast(vn_stop_gradient(m->loss), VN_F64));
    m->slot[GAMMA][0] = vn__blend(o->beta1, m->slot[GAMMA][0], vn__dot(m->n, m->g, m->w));
    for (int i = 0; i < m->n; i++) {
        vn__decayed(m, M, i, o->beta1, m->g[i]);
        vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
        scaled[i] = vn__over_root(m->slot[M][i], vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
        if (!scaled[i]) return vn_status();
    }
    vn_array *correction = vn_sub(vn_scalar(1), vn_pow(vn__number_like(m, o->beta1), vn__step_number(m)));
    const momo_model k = {m->lr,
                          o->lower_bound,
                          o->weight_decay,
                          o->adapt_lower_bound,
                          correction,
                          vn__dot(m->n, m->slot[M], scaled),
                          vn__dot(m->n, m->slot[M], m->w)};
    return momo_move(m, o->weight_decay, momo_rate(m, &k, vn__scaled(vn_reciprocal(correction), m->lr)), scaled);
}
OPTIMIZER(momo_adam, momo_adam, .all = momo_adam_all, .complete = true,
          .slots = {[M] = {"m", vn__begin_zeros},
                    [V] = {"v", vn__begin_zeros},
                    [LOSS] = {"loss", vn__begin_zero, .single = true},
                    [GAMMA] = {"gamma", vn__begin_zero, .single = true},
                    [BOUND] = {"bound", begin_adam_bound, .single = true}})

/* ---- COCOB: coin betting on each number ---- */

enum { BEGAN, RISE, SCALE, TURNOVER, REWARD };
static vn_array *begin_scale(const vn__moving *m, int i)
{
    OPTS(cocob);
    return vn_full_like(m->w[i], vn_scalar(o->epsilon));
}
static vn_array *cocob_each(const vn__moving *m, int i)
{
    OPTS(cocob);
    vn_array *g = vn__scaled(m->g[i], m->lr), *size = vn_abs(g), *began = m->slot[BEGAN][i];
    vn_array *scale = m->slot[SCALE][i] = vn_maximum(m->slot[SCALE][i], size);
    vn_array *turnover = m->slot[TURNOVER][i] = vn_add(m->slot[TURNOVER][i], size);
    vn_array *reward = m->slot[REWARD][i] = vn_maximum(vn_sub(m->slot[REWARD][i], vn_mul(g, vn_sub(m->w[i], began))), vn_scalar(0));
    vn_array *rise = m->slot[RISE][i] = vn_sub(m->slot[RISE][i], g);
    vn_array *bet = vn_div(rise, vn_mul(scale, vn_maximum(vn_add(turnover, scale), vn__scaled(scale, o->alpha))));
    return vn_sub(vn_add(began, vn_mul(bet, vn_add(scale, reward))), m->w[i]);
}
OPTIMIZER(cocob, cocob, .each = cocob_each, .complete = true, .decay = DECAY(cocob),
          .slots = {[BEGAN] = {"start", vn__begin_copy},
                    [RISE] = {"rise", vn__begin_zeros},
                    [SCALE] = {"scale", begin_scale},
                    [TURNOVER] = {"turnover", vn__begin_zeros},
                    [REWARD] = {"reward", vn__begin_zeros}})
