/* SPDX-License-Identifier: Apache-2.0 */
/* optim_descent.c: optimizers that go along the gradient, or its signs. */
#include "nn/optim.h"
#include <math.h>

/* ---- SGD ---- */

static bool sgd_has_momentum(const vn__optimizer *b)
{
    return ((const vn_sgd_opts *)b->opts)->momentum > 0;
}

/* PyTorch's: the momentum begins with the first gradient, and dampening holds from the second on. */
static vn_array *sgd_each(const vn__moving *m, int i)
{
    OPTS(sgd);
    vn_array *g = m->g[i];
    if (!(o->momentum > 0)) return g;
    vn_array *kept = vn__scaled(m->slot[0][i], o->momentum), *next = vn_add(kept, o->dampening > 0 ? vn__scaled(g, 1 - o->dampening) : g);
    m->slot[0][i] = o->dampening > 0 ? vn_where(vn__first(m), g, next) : next;
    return o->nesterov ? vn_add(g, vn__scaled(m->slot[0][i], o->momentum)) : m->slot[0][i];
}

static const vn__optim_rule sgd_rule = {.name = "sgd",
                                        .rated = true,
                                        .each = sgd_each,
                                        .decay = DECAY(sgd),
                                        .slots = {{"momentum", vn__begin_zeros, .used = sgd_has_momentum}}};
vn_optim *vn_sgd(double lr, const vn_sgd_opts *opts)
{
    vn_optim *made = vn__optim_new(&sgd_rule, lr, &vn__struct_sgd, opts);
    const vn_sgd_opts *o = made ? vn__optim_of(made)->opts : NULL;
    if (o && o->nesterov && !(o->momentum > 0)) return vn__fail(VN_E_ARG, "sgd: nesterov needs a momentum"), NULL;
    if (o && o->nesterov && o->dampening > 0) return vn__fail(VN_E_ARG, "sgd: nesterov needs a dampening of 0"), NULL;
    return made;
}

/* ---- signs ---- */

static vn_array *lion_each(const vn__moving *m, int i)
{
    OPTS(lion);
    vn_array *direction = vn_sign(vn__blend(o->beta1, m->slot[0][i], m->g[i]));
    vn__decayed(m, 0, i, o->beta2, m->g[i]);
    return direction;
}
OPTIMIZER(lion, lion, .each = lion_each, .decay = DECAY(lion), .decoupled = true, .slots = {{"m", vn__begin_zeros}})

static vn_array *signum_each(const vn__moving *m, int i)
{
    OPTS(signum);
    return vn_sign(o->beta > 0 ? vn__decayed(m, 0, i, o->beta, m->g[i]) : m->g[i]);
}
static bool signum_has_mean(const vn__optimizer *b)
{
    return ((const vn_signum_opts *)b->opts)->beta > 0;
}
OPTIMIZER(signum, signum, .each = signum_each, .slots = {{"m", vn__begin_zeros, .used = signum_has_mean}})

static vn_array *sign_sgd_each(const vn__moving *m, int i)
{
    return vn_sign(m->g[i]);
}
static const vn__optim_rule sign_sgd_rule = {.name = "sign_sgd", .rated = true, .each = sign_sgd_each};
vn_optim *vn_sign_sgd(double lr)
{
    return vn__optim_new(&sign_sgd_rule, lr, NULL, NULL);
}

/* A step size for each number, which grows while the gradient keeps its sign. */
static vn_array *begin_sizes(const vn__moving *m, int i)
{
    return vn_full_like(m->w[i], vn_scalar(m->lr));
}
static vn_array *rprop_each(const vn__moving *m, int i)
{
    OPTS(rprop);
    vn_array *product = vn_mul(m->g[i], m->slot[1][i]), *back = vn_less(product, vn_scalar(0));
    vn_array *one = vn_ones_like(product);
    vn_array *factor =
        vn_where(vn_greater(product, vn_scalar(0)), vn__scaled(one, o->eta_plus), vn_where(back, vn__scaled(one, o->eta_minus), one));
    m->slot[0][i] = vn_clip(vn_mul(m->slot[0][i], factor), vn_scalar(o->min_step), vn_scalar(o->max_step));
    m->slot[1][i] = vn_where(back, vn_zeros_like(m->g[i]), m->g[i]);
    return vn_neg(vn_mul(vn_sign(m->slot[1][i]), m->slot[0][i]));
}
OPTIMIZER(rprop, rprop, .each = rprop_each, .complete = true, .slots = {{"step_size", begin_sizes}, {"last", vn__begin_zeros}})

/* ---- with a look at the last gradient ---- */

/* (alpha + beta) x - beta last, where the first one is its own last. */
static vn_array *optimistic(const vn__moving *m, int slot, int i, vn_array *x, double alpha, double beta)
{
    vn_array *last = vn_where(vn__first(m), x, m->slot[slot][i]);
    m->slot[slot][i] = x;
    return vn_sub(vn__scaled(x, alpha + beta), vn__scaled(last, beta));
}
static vn_array *optimistic_each(const vn__moving *m, int i)
{
    OPTS(optimistic_gradient_descent);
    return optimistic(m, 0, i, m->g[i], o->alpha, o->beta);
}
OPTIMIZER(optimistic_gradient_descent, optimistic_gradient_descent, .each = optimistic_each, .slots = {{"last", vn__begin_zeros}})

static vn_array *optimistic_adam_each(const vn__moving *m, int i)
{
    OPTS(optimistic_adam);
    vn_array *first = vn__decayed(m, 0, i, o->beta1, m->g[i]), *v = vn__decayed(m, 1, i, o->beta2, vn_square(m->g[i]));
    vn_array *ahead = o->no_nesterov ? vn__unbiased(m, first, o->beta1, 0)
                                     : vn__blend(o->beta1, vn__unbiased(m, first, o->beta1, 1), vn__unbiased(m, m->g[i], o->beta1, 0));
    vn_array *direction = vn__over_root(ahead, vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
    return optimistic(m, 2, i, direction, o->alpha, o->beta);
}
OPTIMIZER(optimistic_adam, optimistic_adam, .each = optimistic_adam_each,
          .slots = {{"m", vn__begin_zeros}, {"v", vn__begin_zeros}, {"last", vn__begin_zeros}})

/* ---- Polyak's step: the gap to the smallest loss over the squared length of the gradient ---- */

static int polyak_all(vn__moving *m)
{
    OPTS(polyak_sgd);
    if (!m->loss) return vn__fail(VN_E_ARG, "polyak_sgd: the gradients carry no loss; vn_value_and_grad gives it");
    vn_array *g2 = vn__added(vn__norm2(m->n, m->g), o->epsilon), *gap = vn__added(vn_cast(vn_stop_gradient(m->loss), VN_F64), -o->f_min);
    if (o->clip_gap) gap = vn_relu(gap);
    vn_array *most = vn__number_like(m, o->max_lr), *none = vn__number_like(m, 0);
    vn_array *rate = vn_where(vn_less_equal(g2, vn_scalar(2.220446049250313e-16)), none, vn_minimum(vn_div(gap, g2), most));
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn__by(m->g[i], rate))) return vn_status();
    return VN_OK;
}
OPTIMIZER(polyak_sgd, polyak_sgd, .all = polyak_all)

/* ---- Fromage: steps as long as the parameter times lr, and the parameter shrunk by what they add ---- */

static vn_array *fromage_each(const vn__moving *m, int i)
{
    OPTS(fromage);
    const double shrunk = 1 / sqrt(1 + m->lr * m->lr);
    vn_array *wn = vn_maximum(vn__length(m->w[i]), vn_scalar(o->min_norm)), *gn = vn_maximum(vn__length(m->g[i]), vn_scalar(o->min_norm));
    vn_array *ratio =
        vn_where(vn_logical_or(vn_equal(wn, vn_scalar(0)), vn_equal(gn, vn_scalar(0))), vn__number_like(m, 1), vn_div(wn, gn));
    return vn_add(vn__scaled(vn__by(m->g[i], ratio), -m->lr * shrunk), vn__scaled(m->w[i], shrunk - 1));
}
OPTIMIZER(fromage, fromage, .each = fromage_each, .complete = true)
