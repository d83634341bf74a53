/* SPDX-License-Identifier: Apache-2.0 */
/* metric.c: metrics. Counts are exact integers; they are divided in float64 and rounded once. */
#include "ops/loss.h"

/* ---- rules ---- */

/* Shares of classes instead of class numbers: floats in the shape of x, of which the largest counts. */
static bool in_shares(const vn__infer *i)
{
    return vn__is(i->in[1]->dtype, VN_FLOATS) && i->in[1]->rank == i->in[0]->rank && !(i->in[1]->flags & VN__WEAK);
}

/* x, index: a float32 number. */
int dtype_accuracy(vn__infer *i)
{
    i->dtype = VN_F32;
    int code = vn__rule_accept(i, i->in[0]->dtype);
    return code || in_shares(i) ? code : vn__rule_index(i, 1);
}

int shape_accuracy(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (!x->rank || !vn__node_dims(x)[x->rank - 1])
        FAIL(VN_E_SHAPE, "x has shape %s, a last axis of classes is needed (%s)", shape_text(x, s), i->engine);
    i->rank = 0;
    int code = vn__rule_shape_of(i, 1, x->rank - !in_shares(i), vn__node_dims(x));
    return code || in_shares(i) ? code : vn__rule_within(i, 1, (vn__bounds){vn__node_dims(x) + x->rank - 1, 1, false, NULL, "classes"});
}

int shape_top_k_accuracy(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t k = i->options->v[OPT_TOP_K_ACCURACY_K].u.i;
    int code = shape_accuracy(i);
    if (!code && (k < 1 || k > vn__node_dims(x)[x->rank - 1]))
        FAIL(VN_E_ARG, "k is %lld, 1 to %lld are allowed (%s)", (long long)k, (long long)vn__node_dims(x)[x->rank - 1], i->engine);
    return code;
}

/* x, target: class numbers. */
int dtype_confusion_matrix(vn__infer *i)
{
    i->dtype = VN_I64;
    int code = vn__rule_index(i, 0);
    return code ? code : vn__rule_index(i, 1);
}
int dtype_score(vn__infer *i)
{
    int code = dtype_confusion_matrix(i);
    i->dtype = VN_F32;
    return code;
}

static int same_shape(vn__infer *i)
{
    return vn__rule_shape_of(i, 1, i->in[0]->rank, vn__node_dims(i->in[0]));
}

/* The same of class numbers, of n classes. */
static int same_classes(vn__infer *i, int64_t n)
{
    const vn__bounds bounds = {&n, 1, false, NULL, "classes"};
    int code = same_shape(i);
    if (!code) code = vn__rule_within(i, 0, bounds);
    return code ? code : vn__rule_within(i, 1, bounds);
}

int shape_confusion_matrix(vn__infer *i)
{
    int64_t n = i->options->v[OPT_CONFUSION_MATRIX_CLASSES].u.i;
    int code = vn__rule_size(i, OPT_CONFUSION_MATRIX_CLASSES);
    if (!code) code = same_classes(i, n);
    vn__rule_result(i, 2, (const int64_t[]){n, n});
    return code;
}

typedef enum { MACRO, MICRO, WEIGHTED, PER_CLASS } average; /* as the rows have them */

static average average_of(const vn__infer *i)
{
    return (average)vn__choice(i, OPT_PRECISION_AVERAGE);
}

int shape_score(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_PRECISION_CLASSES);
    if (!code) code = same_classes(i, i->options->v[OPT_PRECISION_CLASSES].u.i);
    vn__rule_result(i, average_of(i) == PER_CLASS, &i->options->v[OPT_PRECISION_CLASSES].u.i);
    return code;
}

int dtype_roc_auc(vn__infer *i)
{
    i->dtype = VN_F32;
    return vn__rule_accept(i, i->in[0]->dtype);
}
int shape_roc_auc(vn__infer *i)
{
    i->rank = 0;
    return same_shape(i);
}

/* ---- accuracy ---- */

static vn_array *as_real(vn_array *count)
{
    return vn_cast(count, VN_F64);
}

/* The number of true elements divided by n. */
static vn_array *part(vn_array *hit, int64_t n, const vn__infer *i)
{
    vn_array *of = vn__filled(hit, n, VN_0D);
    return vn__narrow(vn_div(as_real(vn_count_nonzero(hit, VN_ALL)), as_real(of)), i);
}

static vn_array *target_class(vn_array *const *in, const vn__infer *i)
{
    return in_shares(i) ? vn_argmax(in[1], VN_AXES(-1)) : vn__index_of(in[1]);
}

vn_array *compose_accuracy(vn_array *const *in, const vn__infer *i)
{
    vn_array *found = vn_argmax(in[0], VN_AXES(-1)), *target = target_class(in, i);
    return target ? part(vn_equal(found, target), vn_size(target), i) : NULL;
}

vn_array *compose_top_k_accuracy(vn_array *const *in, const vn__infer *i)
{
    vn_array *found = NULL, *target = target_class(in, i);
    if (!target || !vn_topk(in[0], i->options->v[OPT_TOP_K_ACCURACY_K].u.i, -1, NULL, &found)) return NULL;
    return part(vn_equal(found, vn_expand_dims(target, -1)), vn_size(target), i);
}

/* ---- classes ---- */

/* Predicted classes and targets, flattened; both -1 where one of them is not a class. */
typedef struct {
    vn_array *x, *target;
    int64_t classes;
} pairs;

static vn_array *is_class(vn_array *x, vn_array *n)
{
    return vn_logical_and(vn_greater_equal(x, vn_scalar(0)), vn_less(x, n));
}

static pairs pairs_of(vn_array *const *in, const vn__infer *i)
{
    pairs p = {vn__flat(vn__index_of(in[0])), vn__flat(vn__index_of(in[1])), i->options->v[OPT_CONFUSION_MATRIX_CLASSES].u.i};
    vn_array *n = vn__filled(in[0], p.classes, VN_0D), *valid = vn_logical_and(is_class(p.x, n), is_class(p.target, n));
    p.x = vn_where(valid, p.x, vn_scalar(-1));
    p.target = vn_where(valid, p.target, vn_scalar(-1));
    return p;
}

vn_array *compose_confusion_matrix(vn_array *const *in, const vn__infer *i)
{
    pairs p = pairs_of(in, i);
    vn_array *cell = vn_add(vn_mul(p.target, vn__filled(in[0], p.classes, VN_0D)), p.x); /* negative for -1, -1: not counted */
    return vn_reshape(vn_bincount(cell, VN_NONE, p.classes * p.classes, NULL), vn__result_shape(i));
}

/* a / b in float64, 0 where b is 0 */
static vn_array *share(vn_array *a, vn_array *b)
{
    return vn_div(as_real(a), as_real(vn_maximum(b, vn_scalar(1)))); /* a is 0 where b is */
}

/* Averages hits / counts over the classes, for precision, recall and f1. counts: (classes) */
static vn_array *score(const pairs *p, vn_array *hits, vn_array *counts, const vn__infer *i)
{
    average by = average_of(i);
    if (by == MICRO) return vn__narrow(share(vn_sum(hits, VN_ALL), vn_sum(counts, VN_ALL)), i);
    vn_array *each = share(hits, counts);
    if (by == MACRO) each = vn_mean(each, VN_ALL);
    if (by == WEIGHTED) {
        vn_array *wanted = vn_bincount(p->target, VN_NONE, p->classes, NULL);
        each = vn_div(vn_sum(vn_mul(each, as_real(wanted)), VN_ALL), as_real(vn_sum(wanted, VN_ALL)));
    }
    return vn__narrow(each, i);
}

/* Where prediction and target are the same class: (classes) */
static vn_array *hits_of(const pairs *p)
{
    return vn_bincount(vn_where(vn_equal(p->x, p->target), p->x, vn_scalar(-1)), VN_NONE, p->classes, NULL);
}

vn_array *compose_precision(vn_array *const *in, const vn__infer *i)
{
    pairs p = pairs_of(in, i);
    return score(&p, hits_of(&p), vn_bincount(p.x, VN_NONE, p.classes, NULL), i);
}

vn_array *compose_recall(vn_array *const *in, const vn__infer *i)
{
    pairs p = pairs_of(in, i);
    return score(&p, hits_of(&p), vn_bincount(p.target, VN_NONE, p.classes, NULL), i);
}

vn_array *compose_f1(vn_array *const *in, const vn__infer *i)
{
    pairs p = pairs_of(in, i);
    vn_array *both = vn_add(vn_bincount(p.x, VN_NONE, p.classes, NULL), vn_bincount(p.target, VN_NONE, p.classes, NULL));
    return score(&p, vn_mul(hits_of(&p), vn_scalar(2)), both, i);
}

/* ---- overlap ---- */

_Static_assert(AGREE(CONFUSION_MATRIX, IOU, CLASSES), "the rows number their options alike");

/* Class numbers, or shares of classes along a last axis. */
static bool has_shares(const vn__infer *i, int k)
{
    return vn__is(i->in[k]->dtype, VN_FLOATS);
}

int dtype_iou(vn__infer *i)
{
    int code = VN_OK;
    for (int k = 0; k < 2 && !code; k++)
        if (!has_shares(i, k)) code = vn__rule_index(i, k);
    i->dtype = VN_F32;
    return code;
}

int shape_iou(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    const int64_t classes = i->options->v[OPT_IOU_CLASSES].u.i;
    const int rank = x->rank - has_shares(i, 0);
    char s[128], t[128];
    bool fits = rank >= 0 && rank == y->rank - has_shares(i, 1);
    for (int a = 0; a < rank && fits; a++) fits = vn__node_dims(x)[a] == vn__node_dims(y)[a];
    for (int k = 0; k < 2 && fits; k++) fits = !has_shares(i, k) || vn__node_dims(i->in[k])[rank] == classes;
    if (!fits)
        FAIL(VN_E_SHAPE, "x %s and target %s do not fit: one shape, and for floats a last axis of %lld classes, are needed (%s)",
             shape_text(x, s), shape_text(y, t), (long long)classes, i->engine);
    vn__rule_result(i, average_of(i) == PER_CLASS, &classes);
    return VN_OK;
}

vn_array *compose_iou(vn_array *const *in, const vn__infer *i)
{
    vn_array *of[2];
    for (int k = 0; k < 2; k++) of[k] = has_shares(i, k) ? vn_argmax(in[k], VN_AXES(-1)) : in[k];
    pairs p = pairs_of(of, i);
    vn_array *hits = hits_of(&p), *both = vn_bincount(p.x, VN_NONE, p.classes, NULL);
    both = vn_sub(vn_add(both, vn_bincount(p.target, VN_NONE, p.classes, NULL)), hits);
    if (average_of(i) != MACRO) return score(&p, hits, both, i);
    vn_array *some = vn_count_nonzero(both, VN_ALL);
    return vn__narrow(vn_div(vn_sum(share(hits, both), VN_ALL), as_real(some)), i);
}

/* ---- scores ---- */

/* The ranks of the positives, with ties averaged, give the number of negatives below them. Twice the ranks are integers. */
vn_array *compose_roc_auc(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__flat(in[0]), *sorted = vn_sort(x, 0, NULL), *one = vn_scalar(1), *zero = vn_scalar(0);
    vn_array *positive = vn__flat(vn_not_equal(in[1], zero));
    vn_array *rank = vn_add(
        vn_add(vn_searchsorted(sorted, x, VN_NONE, NULL), vn_searchsorted(sorted, x, VN_NONE, VN_OPTS(searchsorted, .right = 1))), one);
    vn_array *yes = vn_count_nonzero(positive, VN_ALL), *no = vn_sub(vn__filled(x, vn_size(x), VN_0D), yes);
    vn_array *above = vn_sub(vn_sum(vn_where(positive, rank, zero), VN_ALL), vn_mul(yes, vn_add(yes, one)));
    return vn__narrow(vn_div(as_real(above), as_real(vn_mul(vn_mul(yes, no), vn_scalar(2)))), i);
}
