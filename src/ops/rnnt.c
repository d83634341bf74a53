/* SPDX-License-Identifier: Apache-2.0 */
/* rnnt.c: the loss of recurrent transducers: -log of the probability of all paths over a grid of steps and labels that emit the target.
 * A path at (step, label) goes on to the next step, with the probability of a blank, or emits the next label, and ends with a last blank.
 *
 * Column u of the grid holds, for every step, the log probability of all paths there. A column follows from the one before at once: with
 * E the sum of the blanks before a step, paths that enter column u at step s are at step t with E(t) - E(s) more, so the column less E is a
 * running log-sum-exp. There are as many steps of computation as labels. Sums are in float64, in which E(t) - E(s) loses nothing that
 * matters, and NEVER stands for log(0), so that differences are defined. */
#include "ops/loss.h"
#include <math.h>

#define NEVER (-1e9)

/* ---- rules ---- */

int shape_rnnt_loss(vn__infer *i)
{
    const vn__node *x = i->in[0], *targets = i->in[1];
    const int64_t *d = vn__node_dims(x);
    int64_t *blank = &i->options->v[OPT_RNNT_LOSS_BLANK].u.i;
    char s[128], t[128];
    if (x->rank != 4 || !d[2])
        FAIL(VN_E_SHAPE, "x has shape %s, batch x steps x (labels + 1) x classes is needed (%s)", shape_text(x, s), i->engine);
    if (targets->rank != 2 || vn__node_dims(targets)[0] != d[0] || vn__node_dims(targets)[1] != d[2] - 1)
        FAIL(VN_E_SHAPE, "targets has shape %s, batch x labels is needed (x %s, %s)", shape_text(targets, s), shape_text(x, t), i->engine);
    if (*blank < -d[3] || *blank >= d[3])
        FAIL(VN_E_ARG, "blank is %lld, one of the %lld classes is needed (%s)", (long long)*blank, (long long)d[3], i->engine);
    if (*blank < 0) *blank += d[3];
    int code = vn__rule_shape_of(i, 2, 1, d);
    if (!code) code = vn__rule_shape_of(i, 3, 1, d);
    static const int64_t padding = -1; /* behind a target's length */
    if (!code) code = vn__rule_within(i, 1, (vn__bounds){d + 3, 1, false, &padding, "classes"});
    vn__rule_result(i, 1, d);
    return code ? code : vn__rule_reduction(i);
}

/* ---- the loss ---- */

typedef struct {
    int64_t batch, steps, labels;
    vn_array *blank;                /* (batch, steps, labels + 1): log probability of a blank */
    vn_array *emit;                 /* (batch, steps, labels): of the next label */
    vn_array *steps_of, *labels_of; /* (batch): lengths */
} grid;

static vn_array *as_log(vn_array *p)
{
    p = vn_cast(p, VN_F64);
    return vn_where(vn_less(p, vn_scalar(NEVER)), vn_scalar(NEVER), p);
}

static grid grid_of(vn_array *const *in, int64_t blank)
{
    vn_array *log_p = vn_log_softmax(vn__widen(in[0]), -1);
    grid g = {vn_dim(in[0], 0), vn_dim(in[0], 1), vn_dim(in[1], 1), .steps_of = vn__index_of(in[2]), .labels_of = vn__index_of(in[3])};
    g.blank = as_log(vn_squeeze(vn__piece(log_p, 3, blank, 1), VN_AXES(3)));
    vn_array *label = vn__index_of(in[1]), *classes = vn__filled(label, vn_dim(in[0], 3), VN_0D);
    label = vn_where(vn_less(label, vn_scalar(0)), classes, label); /* negative numbers are no classes either */
    vn_array *inside = vn_less(vn__positions(label, g.labels), vn_expand_dims(g.labels_of, 1));
    label = vn_reshape(vn_where(inside, label, vn_scalar(0)), VN_SHAPE(g.batch, 1, g.labels, 1));
    if (g.labels) g.emit = as_log(vn_squeeze(vn_take_along_axis(vn__piece(log_p, 2, 0, g.labels), label, 3), VN_AXES(3)));
    return g;
}

static vn_array *column(vn_array *x, int64_t u)
{
    return vn_squeeze(vn__piece(x, 2, u, 1), VN_AXES(2));
}

/* The log probabilities of the whole grid, (labels + 1, batch, steps), one column after the other. */
static vn_array *forward(const grid *g)
{
    vn_array *before = vn_sub(vn_cumulative_sum(g->blank, 1, NULL), g->blank), *alpha = column(before, 0);
    vn_array *all = vn_expand_dims(alpha, 0);
    for (int64_t u = 1; u <= g->labels && all; u++) {
        vn_array *entered = vn_add(alpha, column(g->emit, u - 1)), *passed = column(before, u);
        alpha = vn_add(passed, vn_logcumsumexp(vn_sub(entered, passed), 1, NULL));
        all = vn_concat(2, (vn_array *[]){all, vn_expand_dims(alpha, 0)}, 0);
    }
    return all;
}

/* Where each path ends: the number of its place in (labels + 1, steps); out of range for lengths that are not there. */
static vn_array *ends(const grid *g)
{
    vn_array *t = g->steps_of, *u = g->labels_of, *zero = vn_scalar(0);
    vn_array *steps = vn_logical_and(vn_greater(t, zero), vn_less_equal(t, vn__filled(t, g->steps, VN_0D)));
    vn_array *labels = vn_logical_and(vn_greater_equal(u, zero), vn_less_equal(u, vn__filled(u, g->labels, VN_0D)));
    vn_array *place = vn_sub(vn_add(vn_mul(u, vn__filled(u, g->steps, VN_0D)), t), vn_scalar(1));
    return vn_where(vn_logical_and(steps, labels), place, vn__filled(t, (g->labels + 1) * g->steps, VN_0D));
}

vn_array *compose_rnnt_loss(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    grid g = grid_of(in, i->options->v[OPT_RNNT_LOSS_BLANK].u.i);
    vn_array *all = vn_permute_dims(forward(&g), VN_AXES(1, 0, 2)), *blank = vn_permute_dims(g.blank, VN_AXES(0, 2, 1));
    vn_array *whole = vn_reshape(vn_add(all, blank), VN_SHAPE(g.batch, (g.labels + 1) * g.steps));
    vn_array *log_p = vn_squeeze(vn_take_along_axis(whole, vn_expand_dims(ends(&g), 1), 1), VN_AXES(1));
    vn_array *each = vn_where(vn_less(log_p, vn_scalar(NEVER / 2)), vn_scalar(INFINITY), vn_neg(log_p));
    vn_array *z = vn__reduced(each, i);
    return z ? vn_pass(z) : NULL;
}
