/* SPDX-License-Identifier: Apache-2.0 */
/* optim_squares.c: gradients over the root of sums or means of their squares. */
#include "nn/optim.h"
#include <math.h>

/* x / (1 + (step - 1) decay): a learning rate that decays with the inverse of time. */
static vn_array *slowed(const vn__moving *m, vn_array *x, double decay)
{
    if (!(decay > 0)) return x;
    return vn__by(x, vn_reciprocal(vn__added(vn__scaled(vn__added(vn__step_number(m), -1), decay), 1)));
}

/* x over a root, with epsilon inside or outside of it. */
static vn_array *over(vn_array *x, vn_array *squares, double epsilon, bool inside)
{
    return vn__over_root(x, squares, inside ? epsilon : 0, inside ? 0 : epsilon);
}

/* ---- RMSprop ---- */

static bool rmsprop_has_momentum(const vn__optimizer *b)
{
    return ((const vn_rmsprop_opts *)b->opts)->momentum > 0;
}
static bool rmsprop_is_centered(const vn__optimizer *b)
{
    return ((const vn_rmsprop_opts *)b->opts)->centered;
}
static vn_array *rmsprop_each(const vn__moving *m, int i)
{
    OPTS(rmsprop);
    vn_array *g = m->g[i], *v = vn__decayed(m, 0, i, o->beta2, vn_square(g));
    if (o->bias_correction) v = vn__unbiased(m, v, o->beta2, 0);
    if (o->centered) {
        vn_array *mean = vn__decayed(m, 2, i, o->beta2, g);
        v = vn_sub(v, vn_square(o->bias_correction ? vn__unbiased(m, mean, o->beta2, 0) : mean));
    }
    vn_array *direction = slowed(m, over(g, v, o->epsilon, o->epsilon_inside), o->lr_decay);
    if (!(o->momentum > 0)) return direction;
    m->slot[1][i] = vn_add(vn__scaled(m->slot[1][i], o->momentum), direction);
    return o->nesterov ? vn_add(direction, vn__scaled(m->slot[1][i], o->momentum)) : m->slot[1][i];
}
static const vn__optim_rule rmsprop_rule = {.name = "rmsprop",
                                            .rated = true,
                                            .each = rmsprop_each,
                                            .decay = DECAY(rmsprop),
                                            .slots = {{"v", vn__begin_zeros},
                                                      {"momentum", vn__begin_zeros, .used = rmsprop_has_momentum},
                                                      {"m", vn__begin_zeros, .used = rmsprop_is_centered}}};
vn_optim *vn_rmsprop(double lr, const vn_rmsprop_opts *opts)
{
    vn_optim *made = vn__optim_new(&rmsprop_rule, lr, &vn__struct_rmsprop, opts);
    const vn_rmsprop_opts *o = made ? vn__optim_of(made)->opts : NULL;
    if (o && o->nesterov && !(o->momentum > 0)) return vn__fail(VN_E_ARG, "rmsprop: nesterov needs a momentum"), NULL;
    return made;
}

/* ---- Adagrad ---- */

static vn_array *begin_adagrad(const vn__moving *m, int i)
{
    OPTS(adagrad);
    return vn_full_like(m->w[i], vn_scalar(o->initial_accumulator));
}
static vn_array *adagrad_each(const vn__moving *m, int i)
{
    OPTS(adagrad);
    m->slot[0][i] = vn_add(m->slot[0][i], vn_square(m->g[i]));
    return slowed(m, over(m->g[i], m->slot[0][i], o->epsilon, o->epsilon_inside), o->lr_decay);
}
OPTIMIZER(adagrad, adagrad, .each = adagrad_each, .decay = DECAY(adagrad), .slots = {{"v", begin_adagrad}})

/* ---- Adadelta: steps in the units of the parameters ---- */

static vn_array *adadelta_each(const vn__moving *m, int i)
{
    OPTS(adadelta);
    vn_array *v = vn__decayed(m, 0, i, o->rho, vn_square(m->g[i]));
    vn_array *ratio = vn_div(vn_sqrt(vn__added(m->slot[1][i], o->epsilon)), vn_sqrt(vn__added(v, o->epsilon)));
    vn_array *direction = vn_mul(ratio, m->g[i]);
    vn__decayed(m, 1, i, o->rho, vn_square(direction));
    return direction;
}
OPTIMIZER(adadelta, adadelta, .each = adadelta_each, .decay = DECAY(adadelta),
          .slots = {{"v", vn__begin_zeros}, {"moved", vn__begin_zeros}})

/* ---- MADGRAD: dual averaging from where the parameters began ---- */

static vn_array *madgrad_each(const vn__moving *m, int i)
{
    OPTS(madgrad);
    vn_array *weight = vn__scaled(vn_sqrt(vn__step_number(m)), m->lr + o->epsilon);
    m->slot[0][i] = vn_add(m->slot[0][i], vn__by(vn_square(m->g[i]), weight));
    m->slot[1][i] = vn_add(m->slot[1][i], vn__by(m->g[i], weight));
    vn_array *z = vn_sub(m->slot[2][i], vn_div(m->slot[1][i], vn__added(vn_cbrt(m->slot[0][i]), o->epsilon)));
    return vn__scaled(vn_sub(z, m->w[i]), 1 - o->momentum);
}
OPTIMIZER(madgrad, madgrad, .each = madgrad_each, .complete = true, .decay = DECAY(madgrad),
          .slots = {{"v", vn__begin_zeros}, {"sum", vn__begin_zeros}, {"start", vn__begin_copy}})

/* ---- FTRL: follow the regularised leader ---- */

static vn_array *begin_ftrl(const vn__moving *m, int i)
{
    OPTS(ftrl);
    return vn_full_like(m->w[i], vn_scalar(o->initial_accumulator));
}
static vn_array *ftrl_each(const vn__moving *m, int i)
{
    OPTS(ftrl);
    vn_array *n = m->slot[0][i], *next = vn_add(n, vn_square(m->g[i])), *power = vn_scalar(-o->lr_power);
    vn_array *g = o->l2_shrinkage > 0 ? vn_add(m->g[i], vn__scaled(m->w[i], 2 * o->l2_shrinkage)) : m->g[i];
    vn_array *sigma = vn__scaled(vn_sub(vn_pow(next, power), vn_pow(n, power)), 1 / m->lr);
    vn_array *z = vn_sub(vn_add(m->slot[1][i], g), vn_mul(sigma, m->w[i]));
    vn_array *quadratic = vn__added(vn__scaled(vn_pow(next, power), 1 / m->lr), 2 * (o->l2 + o->beta / (2 * m->lr)));
    m->slot[0][i] = next, m->slot[1][i] = z;
    return vn_sub(vn_div(vn_sub(vn_clip(z, vn_scalar(-o->l1), vn_scalar(o->l1)), z), quadratic), m->w[i]);
}
static const vn__optim_rule ftrl_rule = {
    .name = "ftrl", .rated = true, .complete = true, .each = ftrl_each, .slots = {{"n", begin_ftrl}, {"z", vn__begin_zeros}}};
vn_optim *vn_ftrl(double lr, const vn_ftrl_opts *opts)
{
    vn_optim *made = vn__optim_new(&ftrl_rule, lr, &vn__struct_ftrl, opts);
    if (made && vn__real_of(lr) == 0) return vn__fail(VN_E_ARG, "ftrl: lr is 0; a number above 0 is needed"), NULL;
    return made;
}

/* ---- NovoGrad: one mean of squares for each parameter array ---- */

static vn_array *begin_scalar(const vn__moving *m, int i)
{
    return vn_sum(vn_zeros_like(m->w[i]), VN_ALL);
}
static vn_array *novograd_each(const vn__moving *m, int i)
{
    OPTS(novograd);
    vn_array *first = vn__first(m), *g2 = vn_sum(vn_square(m->g[i]), VN_ALL);
    vn_array *v = m->slot[1][i] = vn_where(first, g2, vn__blend(o->beta2, m->slot[1][i], g2));
    vn_array *add = vn__over_root(m->g[i], v, 0, o->epsilon);
    if (o->weight_decay > 0) add = vn_add(add, vn__scaled(m->w[i], o->weight_decay));
    return m->slot[0][i] = vn_where(first, add, vn_add(vn__scaled(m->slot[0][i], o->beta1), add));
}
OPTIMIZER(novograd, novograd, .each = novograd_each, .slots = {{"m", vn__begin_zeros}, {"v", begin_scalar}})

/* ---- Adafactor: the means of squares of a matrix as a row times a column ---- */

/* The two largest axes, the largest last, if both are large enough; ties go to the later axis. */
static bool factored(const vn_adafactor_opts *o, vn_shape s, int *less, int *most)
{
    if (o->no_factors || s.rank < 2) return false;
    *most = 0, *less = -1;
    for (int k = 1; k < s.rank; k++)
        if (s.dim[k] >= s.dim[*most]) *most = k;
    for (int k = 0; k < s.rank; k++)
        if (k != *most && (*less < 0 || s.dim[k] >= s.dim[*less])) *less = k;
    return s.dim[*less] >= o->min_size;
}

/* Zeros like w without an axis, or none at all. */
static vn_array *begin_without(const vn__moving *m, int i, bool row, bool whole)
{
    OPTS(adafactor);
    int less, most;
    const bool factors = factored(o, vn_shape_of(m->w[i]), &less, &most);
    if (factors == whole) return vn__begin_none(m, i);
    return whole ? vn_zeros_like(m->w[i]) : vn_sum(vn_zeros_like(m->w[i]), VN_AXES(row ? most : less));
}
static vn_array *begin_row(const vn__moving *m, int i)
{
    return begin_without(m, i, true, false);
}
static vn_array *begin_column(const vn__moving *m, int i)
{
    return begin_without(m, i, false, false);
}
static vn_array *begin_whole(const vn__moving *m, int i)
{
    return begin_without(m, i, false, true);
}
static bool adafactor_has_momentum(const vn__optimizer *b)
{
    return ((const vn_adafactor_opts *)b->opts)->momentum > 0;
}

/* old + (1 - decay) (x - old), with a decay that depends on the step */
static vn_array *towards(vn_array *old, vn_array *x, vn_array *part)
{
    return vn_add(old, vn__by(vn_sub(x, old), part));
}

static vn_array *adafactor_each(const vn__moving *m, int i)
{
    OPTS(adafactor);
    int less, most;
    vn_array *g = m->g[i], *g2 = vn__added(vn_square(g), o->epsilon);
    vn_array *part = vn_pow(vn__added(vn__step_number(m), -o->decay_offset), vn_scalar(-o->decay_rate)); /* 1 - decay */
    vn_array *u;
    if (factored(o, vn_shape_of(g), &less, &most)) {
        vn_array *row = m->slot[0][i] = towards(m->slot[0][i], vn_mean(g2, VN_AXES(most)), part);
        vn_array *column = m->slot[1][i] = towards(m->slot[1][i], vn_mean(g2, VN_AXES(less)), part);
        vn_array *mean = vn_mean(row, VN_KEEP(less > most ? less - 1 : less));
        u = vn_mul(vn_mul(g, vn_expand_dims(vn_rsqrt(vn_div(row, mean)), most)), vn_expand_dims(vn_rsqrt(column), less));
    } else {
        u = vn_mul(g, vn_rsqrt(m->slot[2][i] = towards(m->slot[2][i], g2, part)));
    }
    if (o->clipping > 0) u = vn_div(u, vn_maximum(vn__scaled(vn_sqrt(vn_mean(vn_square(u), VN_ALL)), 1 / o->clipping), vn_scalar(1)));
    u = vn__scaled(u, m->lr);
    if (!o->no_scale) u = vn_mul(u, vn_maximum(vn_sqrt(vn_mean(vn_square(m->w[i]), VN_ALL)), vn_scalar(1e-3)));
    if (o->momentum > 0) u = vn__decayed(m, 3, i, o->momentum, u);
    if (o->weight_decay > 0) u = vn_add(u, vn__scaled(m->w[i], o->weight_decay));
    return vn_neg(u);
}
OPTIMIZER(adafactor, adafactor, .each = adafactor_each, .complete = true,
          .slots = {
              {"row", begin_row}, {"column", begin_column}, {"v", begin_whole}, {"m", vn__begin_zeros, .used = adafactor_has_momentum}})

/* ---- SM3: the smallest of one accumulator for each axis ---- */

enum { SM3_AXES = 5 };
static vn_array *begin_axis(const vn__moving *m, int i, int axis)
{
    const vn_shape s = vn_shape_of(m->w[i]);
    vn_axes others = {.n = 0, .keep = 1};
    if (s.rank > SM3_AXES) return vn__fail(VN_E_SHAPE, "sm3: \"%s\" has %d axes; at most %d", m->key[i], s.rank, SM3_AXES), NULL;
    if (axis >= s.rank && axis > 0) return vn__begin_none(m, i);
    for (int k = 0; k < s.rank; k++)
        if (k != axis) others.axis[others.n++] = k;
    return others.n ? vn_max(vn_zeros_like(m->w[i]), others) : vn_zeros_like(m->w[i]);
}
#define BEGIN_AXIS(n)                                          \
    static vn_array *begin_axis##n(const vn__moving *m, int i) \
    {                                                          \
        return begin_axis(m, i, n);                            \
    }
BEGIN_AXIS(0)
BEGIN_AXIS(1)
BEGIN_AXIS(2)
BEGIN_AXIS(3)
BEGIN_AXIS(4)

static vn_array *sm3_each(const vn__moving *m, int i)
{
    OPTS(sm3);
    const vn_shape s = vn_shape_of(m->w[i]);
    vn_array *least = m->slot[0][i];
    for (int k = 1; k < s.rank; k++) least = vn_minimum(least, m->slot[k][i]);
    vn_array *sum = vn_add(vn_square(m->g[i]), least);
    for (int k = 0; k < s.rank || k == 0; k++) {
        vn_axes others = {.n = 0, .keep = 1};
        for (int j = 0; j < s.rank; j++)
            if (j != k) others.axis[others.n++] = j;
        m->slot[k][i] = others.n ? vn_max(sum, others) : sum;
    }
    vn_array *root = vn_where(vn_greater(sum, vn_scalar(0)), vn_rsqrt(vn__added(sum, o->epsilon)), vn_zeros_like(sum));
    return vn__decayed(m, SM3_AXES, i, o->momentum, vn_mul(m->g[i], root));
}
OPTIMIZER(sm3, sm3, .each = sm3_each,
          .slots = {{"axis0", begin_axis0},
                    {"axis1", begin_axis1},
                    {"axis2", begin_axis2},
                    {"axis3", begin_axis3},
                    {"axis4", begin_axis4},
                    {"m", vn__begin_zeros}})
