/* SPDX-License-Identifier: Apache-2.0 */
/* metric_counts.c: whole numbers that metrics are made of. They add up exactly over batches and processes, in any order. */
#include "ops/loss.h"

/* ---- rules ---- */

int dtype_score_counts(vn__infer *i)
{
    int code = vn__rule_accept(i, i->in[0]->dtype);
    i->dtype = VN_I64;
    return code;
}

int dtype_calibration_counts(vn__infer *i)
{
    int code = dtype_score_counts(i);
    return code ? code : vn__rule_index(i, 1);
}

/* A target of integers is a class number. */
int shape_score_counts(vn__infer *i)
{
    static const int64_t yes_and_no = 2;
    int code = vn__rule_like_first(i, 1);
    if (!code && vn__is(i->in[1]->dtype, VN_INTS)) code = vn__check_labels(i, 1, &(vn__bounds){&yes_and_no, 1, false, NULL, "classes"});
    vn__rule_result(i, 2, (const int64_t[]){2, i->options->v[OPT_SCORE_COUNTS_BINS].u.i});
    return code;
}

int shape_calibration_counts(vn__infer *i)
{
    int code = shape_accuracy(i);
    vn__rule_result(i, 2, (const int64_t[]){3, i->options->v[OPT_CALIBRATION_COUNTS_BINS].u.i});
    return code;
}

/* x, target (rows, tokens) with as many rows */
static int sequences(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    if (x->rank != 2 || y->rank != 2 || vn__node_dims(x)[0] != vn__node_dims(y)[0])
        FAIL(VN_E_SHAPE, "x %s and target %s; rows x tokens are needed, as many rows in both (%s)", shape_text(x, s), shape_text(y, t),
             i->engine);
    vn__rule_result(i, 1, vn__node_dims(x));
    return VN_OK;
}

int shape_edit_distance(vn__infer *i)
{
    return sequences(i);
}

int shape_bleu_counts(vn__infer *i)
{
    int code = sequences(i);
    vn__rule_result(i, 1, (const int64_t[]){2 * i->options->v[OPT_BLEU_COUNTS_ORDER].u.i + 2});
    return code;
}

/* ---- bins ---- */

/* In which of n parts of [0, 1] a number lies; -1: NaN */
static vn_array *bin_of(vn_array *x, int64_t n)
{
    vn_array *place = vn_clip(vn_floor(vn__scaled(vn_cast(x, VN_F64), (double)n)), vn_scalar(0), vn_scalar((double)(n - 1)));
    return vn_cast(vn_where(vn_isnan(x), vn_scalar(-1), place), VN_I64);
}

vn_array *compose_score_counts(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->options->v[OPT_SCORE_COUNTS_BINS].u.i;
    vn_array *bin = bin_of(vn__flat(in[0]), n), *yes = vn_not_equal(vn__flat(in[1]), vn_scalar(0)), *none = vn_less(bin, vn_scalar(0));
    vn_array *cell = vn_where(none, bin, vn_add(bin, vn_where(yes, vn__filled(bin, n, VN_0D), vn_scalar(0))));
    return vn_reshape(vn_bincount(cell, VN_NONE, 2 * n, NULL), VN_SHAPE(2, n));
}

static vn_array *in_bins(vn_array *bin, vn_array *amount, int64_t n)
{
    return vn_segment_sum(amount, bin, n);
}

vn_array *compose_calibration_counts(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->options->v[OPT_CALIBRATION_COUNTS_BINS].u.i;
    vn_array *most = vn__flat(vn_max(in[0], VN_AXES(-1))), *hit = vn_equal(vn_argmax(in[0], VN_AXES(-1)), vn__index_of(in[1]));
    vn_array *bin = bin_of(most, n), *units = vn_round(vn__scaled(vn_cast(most, VN_F64), 0x1p30));
    vn_array *parts[] = {vn_bincount(bin, VN_NONE, n, NULL), in_bins(bin, vn_cast(vn__flat(hit), VN_I64), n),
                         in_bins(bin, vn_cast(vn_where(vn_isnan(units), vn_scalar(0), units), VN_I64), n)};
    return vn_stack(3, parts, 0);
}

/* ---- n-grams ---- */

/* (rows, tokens): true before the end of each row */
static vn_array *inside(vn_array *x, int64_t pad)
{
    vn_array *token = vn_cast(vn_not_equal(x, vn__filled(x, pad, VN_0D)), VN_I64);
    return vn__above_0(vn_cumulative_prod(token, 1, NULL));
}

/* (rows, a, b): where the tokens of x are those of y, and both inside. */
static vn_array *matches(vn_array *x, vn_array *x_in, vn_array *y, vn_array *y_in)
{
    vn_array *both = vn_logical_and(vn_expand_dims(x_in, 2), vn_expand_dims(y_in, 1));
    return vn_logical_and(vn_equal(vn_expand_dims(x, 2), vn_expand_dims(y, 1)), both);
}

/* Where n-grams are equal, from where they are so for n - 1 and where single tokens are, n - 1 behind. */
static vn_array *longer(vn_array *shorter, vn_array *single, int64_t n)
{
    const int64_t rows = vn_dim(single, 0), a = vn_dim(single, 1) - n + 1, b = vn_dim(single, 2) - n + 1;
    if (!shorter || a < 1 || b < 1) return NULL;
    return vn_logical_and(vn_slice_at(shorter, VN_SHAPE(0, 0, 0), VN_SHAPE(rows, a, b)),
                          vn_slice_at(single, VN_SHAPE(0, n - 1, n - 1), VN_SHAPE(rows, a, b)));
}

/* An n-gram of x counts if there are more like it in the target than before it in x. */
static vn_array *found(vn_array *own, vn_array *with)
{
    vn_array *earlier = vn_count_nonzero(vn_tril(own, -1), VN_AXES(2));
    return vn_count_nonzero(vn_less(earlier, vn_count_nonzero(with, VN_AXES(2))), VN_ALL);
}

vn_array *compose_bleu_counts(vn_array *const *in, const vn__infer *i)
{
    const int64_t pad = i->options->v[OPT_BLEU_COUNTS_PAD].u.i, order = i->options->v[OPT_BLEU_COUNTS_ORDER].u.i;
    vn_array *x = vn__index_of(in[0]), *y = vn__index_of(in[1]), *x_in = inside(x, pad), *y_in = inside(y, pad);
    vn_array *own = matches(x, x_in, x, x_in), *with = matches(x, x_in, y, y_in), *counts[2 * 16 + 2];
    vn_array *xs = own, *ys = with, *none = vn__filled(x, 0, VN_0D), *length = vn_count_nonzero(x_in, VN_AXES(1));
    for (int64_t n = 1; n <= order; n++) {
        if (n > 1) xs = longer(xs, own, n), ys = longer(ys, with, n);
        counts[n - 1] = xs && ys && vn_size(ys) ? found(xs, ys) : none;
        counts[order + n - 1] = vn_sum(vn_maximum(vn_sub(length, vn_scalar((double)(n - 1))), vn_scalar(0)), VN_ALL);
    }
    counts[2 * order] = vn_sum(length, VN_ALL);
    counts[2 * order + 1] = vn_count_nonzero(y_in, VN_ALL);
    return vn_stack((int)(2 * order + 2), counts, 0);
}
