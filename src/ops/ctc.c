/* SPDX-License-Identifier: Apache-2.0 */
/* ctc.c: connectionist temporal classification. The targets have no timing: the loss is -log of the probability of all paths through T
 * steps that spell the target after removing repetitions and blanks.
 *
 * A target of S labels is extended to L = 2 S + 1 places with a blank before, between and after the labels. log_alpha[p] is the log
 * probability of all paths that are at place p; a step stays, advances by one place, or by two if that skips a blank between different
 * labels. Two extra places at the front make the first step like every other: a path begins just before place 0.
 *
 * NEVER stands for log(0), so that differences are defined: no sum of log probabilities comes near it. */
#include "ops/loss.h"
#include <math.h>

#define NEVER (-1e30)

/* ---- rules ---- */

int dtype_ctc_loss(vn__infer *i)
{
    int code = dtype_same(i);
    for (int k = 1; k < 4 && !code; k++) code = vn__rule_index(i, k);
    return code;
}

int shape_ctc_loss(vn__infer *i)
{
    const vn__node *x = i->in[0], *targets = i->in[1];
    const int64_t *d = vn__node_dims(x), blank = i->options->v[OPT_CTC_LOSS_BLANK].u.i;
    char s[128], t[128];
    if (x->rank != 3) FAIL(VN_E_SHAPE, "log_probs has shape %s, steps x batch x classes is needed (%s)", shape_text(x, s), i->engine);
    if (targets->rank != 2 || vn__node_dims(targets)[0] != d[1])
        FAIL(VN_E_SHAPE, "targets has shape %s, batch x labels is needed (log_probs %s, %s)", shape_text(targets, s), shape_text(x, t),
             i->engine);
    if (vn__node_dims(targets)[1] > INT32_MAX) FAIL(VN_E_SHAPE, "targets %s is too long (%s)", shape_text(targets, s), i->engine);
    if (blank < 0 || blank >= d[2])
        FAIL(VN_E_ARG, "blank is %lld, one of the %lld classes is needed (%s)", (long long)blank, (long long)d[2], i->engine);
    int code = vn__rule_shape_of(i, 2, 1, d + 1);
    if (!code) code = vn__rule_shape_of(i, 3, 1, d + 1);
    static const int64_t padding = -1; /* what lies behind a target's length is not read; -1 is customary there */
    if (!code) code = vn__rule_within(i, 1, (vn__bounds){d + 2, 1, false, &padding, "classes"});
    vn__rule_result(i, 1, d + 1);
    return code ? code : vn__rule_reduction(i);
}

/* ---- the loss ---- */

typedef struct {
    int64_t batch, places;
    vn_array *at[3];        /* offsets for slices two back, one back, and in place */
    vn_array *never;        /* (batch, places + 2) */
    vn_array *skips;        /* (batch, places): can be reached from two places before */
    vn_array *log_p;        /* (steps, batch, places): log probability of the label at each place */
    vn_array *input_length; /* (batch, 1) */
} ctc;

static vn_array *column(vn_array *x, int64_t n)
{
    return vn_reshape(vn__index_of(x), VN_SHAPE(n, 1));
}

/* The lengths of targets; a length beyond the labels makes the position out of range. */
static vn_array *target_lengths(vn_array *x, int64_t batch, int64_t labels)
{
    vn_array *length = column(x, batch), *most = vn_scalar((double)labels);
    vn_array *fits = vn_logical_and(vn_greater_equal(length, vn_scalar(0)), vn_less_equal(length, most));
    return vn_where(fits, length, vn_scalar((double)labels + 1));
}

/* The slice of places starting at `from`, including the two extra ones. */
static vn_array *places_at(const ctc *c, vn_array *x, int from)
{
    return vn_slice(x, c->at[from], VN_SHAPE(c->batch, c->places));
}

/* log_probs: (steps, batch, classes), targets: (batch, labels), target_length: (batch, 1). Places after a target become blank. */
static ctc ctc_of(vn_array *log_probs, vn_array *targets, vn_array *input_length, vn_array *target_length, int64_t blank)
{
    int64_t labels = vn_dim(targets, 1);
    ctc c = {.batch = vn_dim(log_probs, 1), .places = 2 * labels + 1, .input_length = input_length};
    for (int k = 0; k < 3; k++) c.at[k] = vn__index(log_probs, VN_SHAPE(0, k));
    vn_array *none = vn__filled(targets, blank, VN_0D), *number = vn__positions(targets, labels);
    targets = vn_where(vn_less(number, target_length), vn__index_of(targets), none);
    vn_shape padded = VN_SHAPE(c.batch, c.places + 2);
    vn_array *odd = vn_add(vn_mul(number, vn_scalar(2)), vn_scalar(3));
    vn_array *label = vn_index_set(vn_broadcast_to(none, padded), odd, targets, 1), *own = places_at(&c, label, 2);
    c.skips = vn_logical_and(vn_not_equal(own, none), vn_not_equal(own, places_at(&c, label, 0)));
    vn_array *outside = vn__filled(targets, vn_dim(log_probs, 2), VN_0D); /* negative labels are not classes either */
    own = vn_where(vn_less(own, vn_scalar(0)), outside, own);
    vn_array *read = vn_take_along_axis(log_probs, vn_reshape(own, VN_SHAPE(1, c.batch, c.places)), -1);
    c.log_p = vn_where(vn_less(read, vn_scalar(NEVER)), vn_scalar(NEVER), read);
    c.never = vn_broadcast_to(vn__number(log_probs, NEVER), padded);
    return c;
}

/* log(exp(x) + exp(y) + ...), smooth, because the maximum is treated as a constant. */
static vn_array *log_of_sum(int n, vn_array *const *x)
{
    vn_array *top = x[0], *sum = NULL;
    for (int k = 1; k < n; k++) top = vn_maximum(top, x[k]);
    top = vn_stop_gradient(top);
    for (int k = 0; k < n; k++) {
        vn_array *term = vn_exp(vn_sub(x[k], top));
        sum = sum ? vn_add(sum, term) : term;
    }
    return vn_add(vn_log(sum), top);
}

/* Step t, for the sequences that have not ended. log_p: (1, batch, places) */
static vn_array *advanced(const ctc *c, vn_array *log_alpha, vn_array *log_p, int64_t t)
{
    vn_array *two = vn_where(c->skips, places_at(c, log_alpha, 0), vn_scalar(NEVER));
    vn_array *sum = log_of_sum(3, (vn_array *[]){places_at(c, log_alpha, 2), places_at(c, log_alpha, 1), two});
    vn_array *next = vn_slice_set(c->never, vn_add(sum, vn_reshape(log_p, VN_SHAPE(c->batch, c->places))), c->at[2]);
    return vn_where(vn_greater(c->input_length, vn_scalar((double)t)), next, log_alpha);
}

/* All steps of log_p, (n, batch, places), of which t is the first. Split recursively in halves: the gradient of a slice is as large as
 * the array it was taken from, so slicing out single steps would take quadratic time. */
static vn_array *advanced_over(const ctc *c, vn_array *log_alpha, vn_array *log_p, int64_t t)
{
    int64_t n = vn_dim(log_p, 0), half = n / 2;
    if (n < 1) return log_p ? log_alpha : NULL;
    if (n == 1) return advanced(c, log_alpha, log_p, t);
    vn_array *first = vn_slice_at(log_p, VN_SHAPE(0, 0, 0), VN_SHAPE(half, c->batch, c->places));
    vn_array *second = vn_slice_at(log_p, VN_SHAPE(half, 0, 0), VN_SHAPE(n - half, c->batch, c->places));
    return first && second ? advanced_over(c, advanced_over(c, log_alpha, first, t), second, t + half) : NULL;
}

/* -log of the probability of each target, (batch); `never` if it has no path */
static vn_array *ctc_losses(const ctc *c, vn_array *target_length, double never)
{
    vn_array *begin = vn_broadcast_to(vn__number(c->never, 0), VN_SHAPE(c->batch, 1));
    vn_array *log_alpha = vn_slice_set(c->never, begin, c->at[1]);
    log_alpha = advanced_over(c, log_alpha, c->log_p, 0);
    vn_array *label = vn_add(vn_mul(target_length, vn_scalar(2)), vn_scalar(1)), *blank = vn_add(label, vn_scalar(1));
    vn_array *ends[] = {vn_take_along_axis(log_alpha, label, 1), vn_take_along_axis(log_alpha, blank, 1)};
    vn_array *log_p = vn_reshape(log_of_sum(2, ends), VN_SHAPE(c->batch));
    return vn_where(vn_less(log_p, vn_scalar(NEVER / 2)), vn_scalar(never), vn_neg(log_p));
}

/* options: blank, zero_infinity, reduction. The mean is over losses per label. */
vn_array *compose_ctc_loss(vn_array *const *in, const vn__infer *i)
{
    VN_SCOPE;
    int64_t batch = vn_dim(in[0], 1);
    vn_array *target_length = target_lengths(in[3], batch, vn_dim(in[1], 1));
    ctc c = ctc_of(vn__widen(in[0]), in[1], column(in[2], batch), target_length, i->options->v[OPT_CTC_LOSS_BLANK].u.i);
    vn_array *each = ctc_losses(&c, target_length, i->options->v[OPT_CTC_LOSS_ZERO_INFINITY].u.i ? 0 : INFINITY);
    if (each && vn__reduction_of(i) == VN__MEAN) {
        vn_array *length = vn_cast(vn_reshape(target_length, VN_SHAPE(batch)), vn_dtype_of(each));
        each = vn_div(each, vn_maximum(length, vn_scalar(1)));
    }
    vn_array *z = vn__reduced(each, i);
    return z ? vn_pass(z) : NULL;
}
