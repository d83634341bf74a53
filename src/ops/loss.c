/* SPDX-License-Identifier: Apache-2.0 */
/* loss.c: losses as compositions. Half precision is computed in float32 and rounded once. x is the model's output, target the desired
 * output; target and weights broadcast to the shape of x, but not x to theirs, so that a column with a row is an error and not a matrix.
 *
 * Where a function has a kink, the chosen branch of a select determines the derivative. The branch that is not chosen gets harmless
 * inputs, so that no derivative is 0 times infinity. */
#include "ops/loss.h"
#include "core/dtype.h"
#include <math.h>

/* ---- reductions ---- */

vn__reduction vn__reduction_of(const vn__infer *i)
{
    return (vn__reduction)vn__choice(i, i->op->info.n_options - 1);
}

int vn__rule_reduction(vn__infer *i)
{
    if (vn__reduction_of(i) != VN__EACH) i->rank = 0;
    return VN_OK;
}

vn_array *vn__reduced(vn_array *each, const vn__infer *i)
{
    vn__reduction r = vn__reduction_of(i);
    return vn__narrow(r == VN__EACH ? each : r == VN__SUM ? vn_sum(each, VN_ALL) : vn_mean(each, VN_ALL), i);
}

/* ---- rules ---- */

int vn__rule_shape_of(vn__infer *i, int k, int rank, const int64_t *dims)
{
    const vn__node *n = i->in[k];
    char s[128], t[128], x[128];
    if (n && (n->rank != rank || memcmp(vn__node_dims(n), dims, (size_t)rank * sizeof *dims) != 0))
        FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed (%s %s, %s)", i->op->info.inputs[k], shape_text(n, s),
             vn__shape_text(rank, dims, t), i->op->info.inputs[0], shape_text(i->in[0], x), i->engine);
    return VN_OK;
}

/* Input k, if given, broadcasts to the shape of x. */
static int fits(vn__infer *i, int k)
{
    const vn__node *x = i->in[0], *y = i->in[k];
    char s[128], t[128];
    bool ok = !y || y->rank <= x->rank;
    for (int a = 0; y && ok && a < y->rank; a++) {
        int64_t d = vn__node_dims(y)[a];
        ok = d == 1 || d == vn__node_dims(x)[x->rank - y->rank + a];
    }
    if (!ok)
        FAIL(VN_E_SHAPE, "%s %s does not broadcast to the shape of %s, %s (%s)", i->op->info.inputs[k], shape_text(y, s),
             i->op->info.inputs[0], shape_text(x, t), i->engine);
    return VN_OK;
}

static int all_fit(vn__infer *i)
{
    for (int k = 1; k < i->n; k++) {
        int code = fits(i, k);
        if (code) return code;
    }
    return shape_same(i);
}

int shape_loss(vn__infer *i)
{
    int code = all_fit(i);
    i->in_pieces = i->n > 2 && i->in[2]; /* kernels know no weights */
    return code ? code : vn__rule_reduction(i);
}

void vn__rule_without(vn__infer *i, int64_t axis)
{
    for (int k = (int)axis + 1; k < i->rank; k++) i->dims[k - 1] = i->dims[k];
    i->rank--;
}

/* Classes along an axis of x (option 0), one weight for each (input 2); i->dims is the shape of the losses. */
static int classes(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_NLL_LOSS_AXIS, i->in[0]->rank);
    if (!code) code = vn__rule_shape_of(i, 2, 1, vn__node_dims(i->in[0]) + i->options->v[OPT_NLL_LOSS_AXIS].u.i);
    if (code) return code;
    shape_same(i);
    vn__rule_without(i, i->options->v[OPT_NLL_LOSS_AXIS].u.i);
    return VN_OK;
}

/* options: axis, ignore_index */
static int within_classes(vn__infer *i)
{
    const int64_t *n = vn__node_dims(i->in[0]) + i->options->v[OPT_NLL_LOSS_AXIS].u.i;
    return vn__check_labels(i, 1, &(vn__bounds){n, 1, false, &i->options->v[OPT_NLL_LOSS_IGNORE_INDEX].u.i, "classes"});
}

int shape_nll_loss(vn__infer *i)
{
    int code = classes(i);
    if (!code) code = vn__rule_shape_of(i, 1, i->rank, i->dims);
    if (!code) code = within_classes(i);
    i->in_pieces = (i->n > 2 && i->in[2]) || !i->in[0]->count; /* kernels know no weights */
    return code ? code : vn__rule_reduction(i);
}

bool vn__targets_are_classes(const vn__infer *i)
{
    return vn__is(i->in[1]->dtype, VN_INTS);
}

int shape_cross_entropy(vn__infer *i)
{
    if (vn__targets_are_classes(i)) return shape_nll_loss(i);
    char s[128], t[128];
    if (i->in[1]->rank != i->in[0]->rank)
        FAIL(VN_E_SHAPE, "target is %s %s: probabilities have as many axes as x %s; class numbers are integers (%s)",
             dtype_text(i->in[1]->dtype), shape_text(i->in[1], s), shape_text(i->in[0], t), i->engine);
    int code = fits(i, 1);
    if (!code) code = classes(i);
    return code ? code : vn__rule_reduction(i);
}

/* x, index, weight: the common dtype of the first and last. */
int dtype_sparse(vn__infer *i)
{
    vn__node *const floats[] = {i->in[0], i->in[2]};
    int want[2];
    vn__infer pair = *i;
    pair.in = floats;
    pair.want = want;
    int code = vn__rule_index(i, 1);
    if (!code) code = vn__rule_promote(&pair, 0, 2);
    i->dtype = pair.dtype;
    return code ? code : vn__rule_accept(i, i->dtype);
}

int dtype_cross_entropy(vn__infer *i)
{
    return vn__targets_are_classes(i) ? dtype_sparse(i) : dtype_promote(i);
}

int shape_kl_div(vn__infer *i)
{
    if (vn__reduction_of(i) != VN__BATCH_MEAN) return shape_loss(i);
    int code = all_fit(i);
    if (!code && !i->rank) FAIL(VN_E_SHAPE, "reduction is batchmean but x has no axis (%s)", i->engine);
    i->rank = 0;
    return code;
}

/* x and y broadcast; the axis (option 0) is removed. */
int shape_cosine_similarity(vn__infer *i)
{
    int code = shape_broadcast(i);
    if (!code) code = vn__rule_axis(i, OPT_COSINE_SIMILARITY_AXIS, i->rank);
    if (!code) vn__rule_without(i, i->options->v[OPT_COSINE_SIMILARITY_AXIS].u.i);
    return code;
}

/* options: axis, epsilon, margin, reduction */
int shape_cosine_embedding(vn__infer *i)
{
    int code = shape_cosine_similarity(i);
    if (!code) code = vn__rule_shape_of(i, 2, i->rank, i->dims);
    return code ? code : vn__rule_reduction(i);
}
int dtype_cosine_embedding(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (!code && !vn__is(i->in[2]->dtype, VN_REAL))
        FAIL(VN_E_DTYPE, "target is %s, a number is needed (%s)", dtype_text(i->in[2]->dtype), i->engine);
    return code;
}

/* options: axis, margin, order, epsilon, swap, reduction */
int shape_triplet_margin(vn__infer *i)
{
    int code = all_fit(i);
    if (!code) code = vn__rule_axis(i, OPT_TRIPLET_MARGIN_LOSS_AXIS, i->rank);
    if (code) return code;
    if (isnan(vn__real(i, OPT_TRIPLET_MARGIN_LOSS_ORDER))) FAIL(VN_E_ARG, "order is NaN (%s)", i->engine);
    vn__rule_without(i, i->options->v[OPT_TRIPLET_MARGIN_LOSS_AXIS].u.i);
    return vn__rule_reduction(i);
}

/* ---- helpers ---- */

vn_array *vn__input(vn_array *const *in, const vn__infer *i, int k)
{
    vn_dtype dtype = vn__is(i->dtype, VN_HALF) ? VN_F32 : (vn_dtype)i->dtype;
    if (!i->in[k]) return NULL;
    return vn_dtype_of(in[k]) == dtype ? in[k] : vn_cast(in[k], dtype);
}

vn_array *vn__one_minus(vn_array *x)
{
    return vn_sub(vn_scalar(1), x);
}
static vn_array *is_0(vn_array *x)
{
    return vn_equal(x, vn_scalar(0));
}

vn_array *vn__log_of_probability(vn_array *p)
{
    vn_array *none = vn_logical_and(vn_greater_equal(p, vn_scalar(0)), vn_less_equal(p, vn_scalar(exp(-100))));
    return vn_where(none, vn_scalar(-100), vn_log(vn_where(none, vn_scalar(1), p)));
}
vn_array *vn__log_of_complement(vn_array *p)
{
    vn_array *certain = vn_equal(p, vn_scalar(1));
    return vn_where(certain, vn_scalar(-100), vn_log1p(vn_where(certain, vn_scalar(0), vn_neg(p))));
}

/* weight * x, but 0 where the weight is 0 and x infinite: an impossible class that is not the target costs nothing. */
vn_array *vn__expected(vn_array *weight, vn_array *x)
{
    return vn_mul(weight, vn_where(vn_logical_and(is_0(weight), vn_isinf(x)), vn_scalar(0), x));
}

vn_array *vn__negentropy(vn_array *x)
{
    return vn_mul(x, vn_log(vn_where(is_0(x), vn_scalar(1), x)));
}

vn_array *vn__weighted(vn_array *each, vn_array *const *in, const vn__infer *i, int k)
{
    vn_array *weight = vn__input(in, i, k);
    return i->in[k] ? vn_mul(each, weight) : each;
}

/* ---- regression ---- */

vn_array *vn__difference(vn_array *const *in, const vn__infer *i)
{
    return vn_sub(vn__input(in, i, 0), vn__input(in, i, 1));
}

vn_array *compose_mse_loss(vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(vn_square(vn__difference(in, i)), in, i, 2), i);
}

vn_array *compose_mae_loss(vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(vn_abs(vn__difference(in, i)), in, i, 2), i);
}

/* A parabola with curvature `bend` up to `end`, linear beyond. */
static vn_array *parabola_and_lines(vn_array *d, double end, double bend)
{
    vn_array *size = vn_abs(d), *near = vn_less(size, vn_scalar(end));
    vn_array *inner = vn__scaled(vn_square(vn_where(near, d, vn_scalar(0))), bend / 2);
    return vn_where(near, inner, vn__scaled(vn_sub(size, vn_scalar(end / 2)), bend * end));
}

vn_array *compose_huber_loss(vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(parabola_and_lines(vn__difference(in, i), vn__real(i, OPT_HUBER_LOSS_DELTA), 1), in, i, 2), i);
}

vn_array *compose_smooth_l1_loss(vn_array *const *in, const vn__infer *i)
{
    double beta = vn__real(i, OPT_SMOOTH_L1_LOSS_BETA);
    vn_array *d = vn__difference(in, i), *each = beta > 0 ? parabola_and_lines(d, beta, 1 / beta) : vn_abs(d);
    return vn__reduced(vn__weighted(each, in, i, 2), i);
}

/* ---- classes ---- */

vn_array *vn__log_probabilities(vn_array *x, int64_t axis, bool from_probs)
{
    return from_probs ? vn__log_of_probability(x) : vn_log_softmax(x, axis);
}

/* The weights of the classes (n) along an axis of x. */
static vn_array *along(vn_array *weight, const vn_array *x, int64_t axis)
{
    vn_shape s = {vn_rank(x), {0}};
    for (int k = 0; k < s.rank; k++) s.dim[k] = k == axis ? vn_dim(x, k) : 1;
    return vn_reshape(weight, s);
}

static vn_array *probability_loss(vn_array *log_p, vn_array *const *in, double part, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_CROSS_ENTROPY_AXIS].u.i;
    vn_array *target = vn__input(in, i, 1);
    if (part > 0) target = vn_add(vn__scaled(target, 1 - part), vn_scalar(part / (double)vn_dim(in[0], (int)axis)));
    if (i->in[2]) target = vn_mul(target, along(vn__input(in, i, 2), in[0], axis));
    return vn__reduced(vn_neg(vn_sum(vn__expected(target, log_p), VN_AXES(axis))), i);
}

/* Targets that are class numbers. valid: not ignored; at: the position to read, out of range for negative numbers. */
typedef struct {
    vn_array *valid, *at, *weight;
} labels;

static labels labels_of(vn_array *index, int64_t ignored, int64_t n, vn_array *weight)
{
    labels l;
    index = vn__index_of(index);
    l.valid = vn_not_equal(index, vn__filled(index, ignored, VN_0D));
    l.at = vn_where(l.valid, vn_where(vn_less(index, vn_scalar(0)), vn__filled(index, n, VN_0D), index), vn_scalar(0));
    l.weight = weight ? vn_take(weight, l.at, 0) : NULL;
    return l;
}

/* The mean is over targets that are not ignored, weighted by their classes. */
static vn_array *labels_reduced(vn_array *each, const labels *l, const vn__infer *i)
{
    each = vn_where(l->valid, each, vn_scalar(0));
    if (vn__reduction_of(i) != VN__MEAN || !each) return vn__reduced(each, i);
    vn_array *of = l->weight ? vn_sum(vn_where(l->valid, l->weight, vn_scalar(0)), VN_ALL)
                             : vn_cast(vn_count_nonzero(l->valid, VN_ALL), vn_dtype_of(each));
    return vn__narrow(vn_div(vn_sum(each, VN_ALL), of), i);
}

static vn_array *label_loss(vn_array *log_p, vn_array *const *in, double part, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_NLL_LOSS_AXIS].u.i, n = vn_dim(in[0], (int)axis);
    vn_array *weight = vn__input(in, i, 2);
    labels l = labels_of(in[1], i->options->v[OPT_NLL_LOSS_IGNORE_INDEX].u.i, n, weight);
    vn_array *each = vn_neg(vn_squeeze(vn_take_along_axis(log_p, vn_expand_dims(l.at, axis), axis), VN_AXES(axis)));
    if (l.weight) each = vn_mul(each, l.weight);
    if (part > 0) {
        vn_array *all = vn_neg(vn_sum(weight ? vn_mul(log_p, along(weight, in[0], axis)) : log_p, VN_AXES(axis)));
        each = vn_add(vn__scaled(each, 1 - part), vn__scaled(all, part / (double)n));
    }
    return labels_reduced(each, &l, i);
}

/* options: axis, ignore_index, label_smoothing, from_probs, reduction */
vn_array *compose_cross_entropy(vn_array *const *in, const vn__infer *i)
{
    vn_array *log_p = vn__log_probabilities(vn__input(in, i, 0), i->options->v[OPT_CROSS_ENTROPY_AXIS].u.i,
                                            i->options->v[OPT_CROSS_ENTROPY_FROM_PROBS].u.i != 0);
    return (vn__targets_are_classes(i) ? label_loss : probability_loss)(log_p, in, vn__real(i, OPT_CROSS_ENTROPY_LABEL_SMOOTHING), i);
}

/* options: axis, ignore_index, reduction */
vn_array *compose_nll_loss(vn_array *const *in, const vn__infer *i)
{
    return label_loss(vn__input(in, i, 0), in, 0, i);
}

/* ---- binary ---- */

vn_array *compose_binary_cross_entropy(vn_array *const *in, const vn__infer *i)
{
    vn_array *p = vn__input(in, i, 0), *target = vn__input(in, i, 1);
    vn_array *sum = vn_add(vn_mul(target, vn__log_of_probability(p)), vn_mul(vn__one_minus(target), vn__log_of_complement(p)));
    return vn__reduced(vn__weighted(vn_neg(sum), in, i, 2), i);
}

/* -log(sigmoid(x)) and -log(1 - sigmoid(x)) share one exponential, computed with the sign that does not overflow. */
vn_array *compose_binary_cross_entropy_with_logits(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__input(in, i, 0), *target = vn__input(in, i, 1), *up = vn__above_0(x), *zero = vn_scalar(0);
    vn_array *rest = vn_log1p(vn_exp(vn_where(up, vn_neg(x), x)));
    vn_array *yes = vn_mul(target, vn_add(vn_where(up, zero, vn_neg(x)), rest));
    vn_array *no = vn_mul(vn__one_minus(target), vn_add(vn_where(up, x, zero), rest));
    return vn__reduced(vn__weighted(vn_add(vn__weighted(yes, in, i, 3), no), in, i, 2), i);
}

static vn_array *hinge(vn_array *const *in, const vn__infer *i)
{
    return vn_relu(vn__one_minus(vn_mul(vn__input(in, i, 0), vn__input(in, i, 1))));
}

vn_array *compose_hinge_loss(vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(hinge(in, i), in, i, 2), i);
}
vn_array *compose_squared_hinge_loss(vn_array *const *in, const vn__infer *i)
{
    return vn__reduced(vn__weighted(vn_square(hinge(in, i)), in, i, 2), i);
}

/* ---- distributions ---- */

/* options: log_target, reduction */
vn_array *compose_kl_div(vn_array *const *in, const vn__infer *i)
{
    vn_array *log_p = vn__input(in, i, 0), *q = vn__input(in, i, 1), *each;
    if (i->options->v[OPT_KL_DIV_LOG_TARGET].u.i) each = vn_mul(vn_exp(q), vn_sub(q, log_p));
    else each = vn_sub(vn__negentropy(q), vn__expected(q, log_p));
    if (vn__reduction_of(i) != VN__BATCH_MEAN) return vn__reduced(each, i);
    return vn__narrow(vn_div(vn_sum(each, VN_ALL), vn_scalar((double)vn_dim(in[0], 0))), i);
}

/* Stirling's approximation of log(x!), 0 for x up to 1 */
static vn_array *log_factorial(vn_array *x)
{
    vn_array *large = vn_greater(x, vn_scalar(1)), *y = vn_where(large, x, vn_scalar(1)), *log_y = vn_log(y);
    vn_array *sum = vn_add(vn_sub(vn_mul(y, log_y), y), vn__scaled(vn_add(log_y, vn_scalar(log(2 * M_PI))), .5));
    return vn_where(large, sum, vn_scalar(0));
}

static vn_array *poisson(vn_array *const *in, const vn__infer *i, bool log_input, bool full, double epsilon)
{
    vn_array *x = vn__input(in, i, 0), *target = vn__input(in, i, 1), *each;
    if (log_input) each = vn_sub(vn_exp(x), vn_mul(target, x));
    else each = vn_sub(x, vn_mul(target, vn_log(vn_add(x, vn_scalar(epsilon)))));
    return vn__reduced(full ? vn_add(each, log_factorial(target)) : each, i);
}

vn_array *compose_poisson_nll_loss(vn_array *const *in, const vn__infer *i)
{
    return poisson(in, i, !i->options->v[OPT_POISSON_NLL_LOSS_RATE_INPUT].u.i, i->options->v[OPT_POISSON_NLL_LOSS_FULL].u.i != 0,
                   vn__real(i, OPT_POISSON_NLL_LOSS_EPSILON));
}
vn_array *compose_log_poisson_loss(vn_array *const *in, const vn__infer *i)
{
    return poisson(in, i, true, i->options->v[OPT_LOG_POISSON_LOSS_FULL].u.i != 0, 0);
}

vn_array *compose_gaussian_nll_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *variance = vn_maximum(vn__input(in, i, 2), vn_scalar(vn__real(i, OPT_GAUSSIAN_NLL_LOSS_EPSILON)));
    vn_array *sum = vn_add(vn_log(variance), vn_div(vn_square(vn__difference(in, i)), variance));
    if (i->options->v[OPT_GAUSSIAN_NLL_LOSS_FULL].u.i) sum = vn_add(sum, vn_scalar(log(2 * M_PI)));
    return vn__reduced(vn__scaled(sum, .5), i);
}

/* ---- vectors ---- */

vn_array *vn__cosine(vn_array *const *in, const vn__infer *i, int64_t axis, double epsilon)
{
    vn_array *x = vn__input(in, i, 0), *y = vn__input(in, i, 1);
    int rank = vn__max(vn_rank(x), vn_rank(y));
    vn_shape s = {rank, {0}};
    for (int k = 1; k <= rank; k++) {
        int64_t a = k <= vn_rank(x) ? vn_dim(x, -k) : 1, b = k <= vn_rank(y) ? vn_dim(y, -k) : 1;
        s.dim[rank - k] = a == 1 ? b : a;
    }
    x = vn_l2_normalize(vn_broadcast_to(x, s), VN_AXES(axis), epsilon);
    y = vn_l2_normalize(vn_broadcast_to(y, s), VN_AXES(axis), epsilon);
    return vn_sum(vn_mul(x, y), VN_AXES(axis));
}

vn_array *compose_cosine_similarity(vn_array *const *in, const vn__infer *i)
{
    return vn__narrow(vn__cosine(in, i, i->options->v[OPT_COSINE_SIMILARITY_AXIS].u.i, vn__real(i, OPT_COSINE_SIMILARITY_EPSILON)), i);
}

vn_array *compose_cosine_embedding_loss(vn_array *const *in, const vn__infer *i)
{
    vn_array *c = vn__cosine(in, i, i->options->v[OPT_COSINE_EMBEDDING_LOSS_AXIS].u.i, vn__real(i, OPT_COSINE_EMBEDDING_LOSS_EPSILON));
    return vn__reduced(
        vn_where(vn__above_0(in[2]), vn__one_minus(c), vn_relu(vn_sub(c, vn_scalar(vn__real(i, OPT_COSINE_EMBEDDING_LOSS_MARGIN))))), i);
}

static vn_array *distance(vn_array *x, vn_array *y, const vn__infer *i)
{
    return vn_norm(vn_add(vn_sub(x, y), vn_scalar(vn__real(i, OPT_TRIPLET_MARGIN_LOSS_EPSILON))),
                   VN_AXES(i->options->v[OPT_TRIPLET_MARGIN_LOSS_AXIS].u.i), vn__real(i, OPT_TRIPLET_MARGIN_LOSS_ORDER));
}

vn_array *compose_triplet_margin_loss(vn_array *const *in, const vn__infer *i)
{
    vn_shape full = vn_shape_of(in[0]);
    vn_array *anchor = vn__input(in, i, 0);
    vn_array *positive = vn_broadcast_to(vn__input(in, i, 1), full), *negative = vn_broadcast_to(vn__input(in, i, 2), full);
    vn_array *away = distance(anchor, negative, i);
    if (i->options->v[OPT_TRIPLET_MARGIN_LOSS_SWAP].u.i) away = vn_minimum(away, distance(positive, negative, i));
    return vn__reduced(vn_relu(vn_add(vn_sub(distance(anchor, positive, i), away), vn_scalar(vn__real(i, OPT_TRIPLET_MARGIN_LOSS_MARGIN)))),
                       i);
}
