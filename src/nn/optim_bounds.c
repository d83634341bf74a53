/* SPDX-License-Identifier: Apache-2.0 */
/* optim_bounds.c: transformations of updates that bring parameters where constraints and penalties want them, and one that lowers the rate
 * when the loss falls no more. */
#include "nn/optim.h"
#include <math.h>

/* ---- lengths of vectors ---- */

/* The axes of a vector: one axis, or, below 0 and for a vector, all but the last ... the whole of a vector. */
static vn_axes vector_axes(vn_array *w, int64_t axis)
{
    const int rank = vn_rank(w);
    if (axis >= 0 && axis < rank) return VN_AXES(axis);
    vn_axes a = {.n = 0};
    for (int k = 0; k < rank - (rank > 1); k++) a.axis[a.n++] = k;
    return a;
}

/* What is left of an update so that the parameters end where the constraint brings them. */
static vn_array *norm_bounds_each(const vn__moving *m, int i)
{
    OPTS(update_norm_bounds);
    vn_array *end = vn_add(m->w[i], m->g[i]);
    if (!end || !vn_rank(end)) return m->g[i];
    vn_array *bound =
        vn_min_max_norm(end, vector_axes(end, o->along),
                        VN_OPTS(min_max_norm, .max_value = o->max_norm > 0 ? o->max_norm : VN_ZERO,
                                .min_value = o->min_norm > 0 ? o->min_norm : VN_ZERO, .rate = o->rate > 0 ? o->rate : VN_ZERO));
    return vn_sub(bound, m->w[i]);
}
static const vn__optim_rule norm_bounds_rule = {
    .name = "norm_bounds", .options = "update_norm_bounds", .complete = true, .each = norm_bounds_each};
vn_optim *vn_update_norm_bounds(const vn_update_norm_bounds_opts *opts)
{
    return vn__optim_new(&norm_bounds_rule, 0, &vn__struct_update_norm_bounds, opts);
}

/* ---- penalties: their gradients ---- */

static vn_array *penalty_each(const vn__moving *m, int i)
{
    OPTS(update_penalty);
    vn_array *g = vn_add(m->g[i], vn__scaled(vn_sign(m->w[i]), o->l1));
    return vn_add(g, vn__scaled(m->w[i], 2 * o->l2));
}
static const vn__optim_rule penalty_rule = {.name = "penalty", .options = "update_penalty", .complete = true, .each = penalty_each};
vn_optim *vn_update_penalty(const vn_update_penalty_opts *opts)
{
    return vn__optim_new(&penalty_rule, 0, &vn__struct_update_penalty, opts);
}

/* ---- plateaus ---- */

enum { SCALE, BEST, SINCE, COOLING, SEEN, MEAN };

static vn_array *begin_one(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, 1);
}
static vn_array *begin_infinite(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, INFINITY);
}
static vn_array *begin_none(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, 0);
}

/* Each slot is one number. The mean loss of `every` steps is compared with the best so far; where it is no better for `patience` times, the
 * scale is multiplied by the factor, after which `cooldown` comparisons do not count. */
static int reduce_on_plateau_all(vn__moving *m)
{
    OPTS(update_reduce_on_plateau);
    if (!m->loss)
        return vn__fail(VN_E_ARG, "reduce_on_plateau: the loss is not known; vn_value_and_grad, vn_optim_minimize and vn_fit give it");
    vn_array *slot[6];
    for (int k = 0; k < 6; k++) slot[k] = m->slot[k][0];
    vn_array *loss = vn_cast(m->loss, vn_dtype_of(slot[MEAN])), *seen = vn__added(slot[SEEN], 1);
    vn_array *mean = vn_div(vn_add(vn_mul(slot[SEEN], slot[MEAN]), loss), seen), *due = vn_equal(seen, vn_scalar((double)o->every));
    vn_array *better = vn_less(mean, vn__added(vn__scaled(slot[BEST], 1 - o->rtol), -o->atol));
    vn_array *since = vn_where(better, vn_scalar(0), vn__added(slot[SINCE], 1));
    vn_array *cooling = vn_greater(slot[COOLING], vn_scalar(0)), *stuck = vn_equal(since, vn_scalar((double)o->patience));
    vn_array *lower = vn_maximum(vn_where(stuck, vn__scaled(slot[SCALE], o->factor), slot[SCALE]), vn_scalar(o->min_scale));
    vn_array *next[6] = {
        [SCALE] = vn_where(cooling, slot[SCALE], lower),
        [BEST] = vn_where(better, mean, slot[BEST]),
        [SINCE] = vn_where(vn_logical_or(cooling, stuck), vn_scalar(0), since),
        [COOLING] = vn_where(cooling, vn__added(slot[COOLING], -1), vn_where(stuck, vn__number_like(m, (double)o->cooldown), vn_scalar(0))),
        [SEEN] = vn__scaled(seen, 0),
        [MEAN] = vn__number_like(m, 0),
    };
    for (int k = 0; k < 6; k++) {
        vn_array *between = k == SEEN ? seen : k == MEAN ? mean : slot[k];
        if (!(m->slot[k][0] = vn_where(due, next[k], between))) return vn_status();
    }
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn__by(m->g[i], m->slot[SCALE][0]))) return vn_status();
    return VN_OK;
}
static const vn__optim_rule reduce_on_plateau_rule = {.name = "reduce_on_plateau",
                                                      .options = "update_reduce_on_plateau",
                                                      .complete = true,
                                                      .all = reduce_on_plateau_all,
                                                      .slots = {{"scale", begin_one, true},
                                                                {"best", begin_infinite, true},
                                                                {"since", begin_none, true},
                                                                {"cooling", begin_none, true},
                                                                {"seen", begin_none, true},
                                                                {"mean", begin_none, true}}};
vn_optim *vn_update_reduce_on_plateau(const vn_update_reduce_on_plateau_opts *opts)
{
    return vn__optim_new(&reduce_on_plateau_rule, 0, &vn__struct_update_reduce_on_plateau, opts);
}
