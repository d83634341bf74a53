/* SPDX-License-Identifier: Apache-2.0 */
/* image_objects.c: things in images: which of many boxes to keep, and which pixels belong together. Both follow from one element to the next,
 * which the native kernels of the internal ops suppress and label do; the rest is composed. */
#include "ops/index.h"
#include <math.h>

/* ---- boxes to keep ---- */

int dtype_suppress(vn__infer *i)
{
    i->dtype = VN_I64, i->want[0] = VN_F64;
    return vn__rule_index(i, 1);
}

int shape_suppress(vn__infer *i)
{
    vn__rule_result(i, 1, vn__node_dims(i->in[0]));
    return VN_OK;
}

int dtype_non_max_suppression(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    i->dtype = VN_I64;
    return code || !i->in[2] ? code : vn__rule_index(i, 2);
}

int shape_non_max_suppression(vn__infer *i)
{
    const vn__node *boxes = i->in[0], *scores = i->in[1], *classes = i->in[2];
    int64_t *most = &i->options->v[OPT_NON_MAX_SUPPRESSION_MAX_BOXES].u.i;
    char s[128], t[128];
    if (boxes->rank != 2 || vn__node_dims(boxes)[1] != 4 || scores->rank != 1 || scores->count != vn__node_dims(boxes)[0])
        FAIL(VN_E_SHAPE, "boxes has shape %s, scores %s; [K, 4] and [K] are needed (%s)", shape_text(boxes, s), shape_text(scores, t),
             i->engine);
    if (classes && (classes->rank != 1 || classes->count != scores->count))
        FAIL(VN_E_SHAPE, "classes has shape %s, scores %s; they have one shape (%s)", shape_text(classes, s), shape_text(scores, t),
             i->engine);
    if (!*most) *most = scores->count;
    vn__rule_result(i, 1, most);
    return VN_OK;
}

/* The boxes by falling score; those that no better one of their class overlaps too much; of them the first ones. */
vn_array *compose_non_max_suppression(vn_array *const *in, const vn__infer *i)
{
    vn_array *boxes = vn_cast(in[0], VN_F64), *scores = in[1];
    if (!boxes || !scores) return NULL;
    const int64_t most = i->dims[0];
    if (!vn_size(scores)) return vn__filled(scores, -1, VN_SHAPE(most));
    vn_array *order = vn_argsort(scores, 0, VN_OPTS(argsort, .descending = 1));
    vn_array *classes = in[2] == VN_NONE ? vn__filled(scores, 0, VN_SHAPE(vn_size(scores))) : vn_take(in[2], order, 0);
    vn_array *kept =
        vn_not_equal(vn__suppress(vn_take(boxes, order, 0), classes, vn__real(i, OPT_NON_MAX_SUPPRESSION_IOU)), vn_scalar_int(0));
    const double least = vn__real(i, OPT_NON_MAX_SUPPRESSION_MIN_SCORE);
    if (!isnan(least)) kept = vn_logical_and(kept, vn_greater(vn_take(scores, order, 0), vn_scalar(least)));
    vn_array *at = vn_reshape(vn_nonzero_sized(kept, most, -1), VN_SHAPE(most)), *none = vn_less(at, vn_scalar_int(0));
    return vn_where(none, vn_scalar_int(-1), vn_take(order, vn_maximum(at, vn_scalar_int(0)), 0));
}

/* ---- pixels that belong together ---- */

int dtype_label(vn__infer *i)
{
    i->dtype = VN_I64;
    return vn__rule_index(i, 0);
}

int dtype_connected_components(vn__infer *i)
{
    i->dtype = VN_I64;
    return vn__rule_accept(i, i->in[0]->dtype);
}

int shape_connected_components(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 2 && x->rank != 3)
        FAIL(VN_E_SHAPE, "x has shape %s; [height, width] or [N, height, width] is needed (%s)", shape_text(x, s), i->engine);
    return shape_same(i);
}

static vn_array *labelled(vn_array *x, bool diagonal)
{
    return x ? vn__label(vn_cast(vn_not_equal(x, vn_scalar(0)), VN_I64), diagonal) : NULL;
}

vn_array *compose_connected_components(vn_array *const *in, const vn__infer *i)
{
    return labelled(in[0], i->options->v[OPT_CONNECTED_COMPONENTS_DIAGONAL].u.i != 0);
}

enum { LEFT, TOP, WIDTH, HEIGHT, AREA, STATS };

int shape_components_with_stats(vn__infer *i)
{
    int code = shape_connected_components(i);
    if (!code) code = vn__rule_size(i, OPT_CONNECTED_COMPONENTS_WITH_STATS_COMPONENTS);
    if (code) return code;
    int64_t dims[] = {i->dims[0], i->options->v[OPT_CONNECTED_COMPONENTS_WITH_STATS_COMPONENTS].u.i, STATS};
    if (i->rank == 2) vn__rule_result_at(i, 1, 2, dims + 1);
    else vn__rule_result_at(i, 1, 3, dims);
    return VN_OK;
}

vn_array *compose_connected_components_with_stats(vn_array *const *in, const vn__infer *i)
{
    const int64_t most = i->options->v[OPT_CONNECTED_COMPONENTS_WITH_STATS_COMPONENTS].u.i, h = i->dims[i->rank - 2],
                  w = i->dims[i->rank - 1];
    const int64_t images = i->rank == 3 ? i->dims[0] : 1, all = images * most;
    vn_array *labels = labelled(in[0], i->options->v[OPT_CONNECTED_COMPONENTS_WITH_STATS_DIAGONAL].u.i != 0);
    vn_array *flat = vn_reshape(labels, VN_SHAPE(images, h * w)), *stats[STATS];
    vn_array *counted = vn_logical_and(vn_greater(flat, vn_scalar_int(0)), vn_less_equal(flat, vn_scalar_int(most)));
    vn_array *before = vn_expand_dims(vn_mul(vn__positions(labels, images), vn_scalar_int(most)), 1);
    vn_array *id = vn__flat(vn_where(counted, vn_sub(vn_add(flat, before), vn_scalar_int(1)), vn_scalar_int(-1)));
    vn_array *place = vn__positions(labels, h * w), *size = vn_scalar_int(w ? w : 1);
    vn_array *row = vn__flat(vn_broadcast_to(vn_floor_divide(place, size), VN_SHAPE(images, h * w)));
    vn_array *column = vn__flat(vn_broadcast_to(vn_remainder(place, size), VN_SHAPE(images, h * w)));
    stats[AREA] = vn_bincount(id, VN_NONE, all, NULL);
    vn_array *none = vn_equal(stats[AREA], vn_scalar_int(0)), *zero = vn_scalar_int(0);
    stats[LEFT] = vn_where(none, zero, vn_segment_min(column, id, all)), stats[TOP] = vn_where(none, zero, vn_segment_min(row, id, all));
    stats[WIDTH] = vn_where(none, zero, vn_sub(vn_add(vn_segment_max(column, id, all), vn_scalar_int(1)), stats[LEFT]));
    stats[HEIGHT] = vn_where(none, zero, vn_sub(vn_add(vn_segment_max(row, id, all), vn_scalar_int(1)), stats[TOP]));
    vn_array *table = vn_stack(STATS, stats, 1);
    i->more[0] = vn_reshape(table, i->rank == 3 ? VN_SHAPE(images, most, STATS) : VN_SHAPE(most, STATS));
    return labels;
}
