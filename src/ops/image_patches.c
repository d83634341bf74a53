/* SPDX-License-Identifier: Apache-2.0 */
/* image_patches.c: patches of arrays [N, in..., C] with 2 or 3 spatial axes, and arrays from their patches. unfold and fold, which have the
 * channels first, do the work. */
#include "ops/row.h"

typedef struct {
    int n;
    int64_t size[3], stride[3], dilation[3], places[3], before[3], after[3], in[3];
} patches;

/* Where a row has its options. */
typedef struct {
    int size, strides, dilations, padding;
} numbers;
static const numbers of_extract = {OPT_EXTRACT_PATCHES_SIZE, OPT_EXTRACT_PATCHES_STRIDES, OPT_EXTRACT_PATCHES_DILATIONS,
                                   OPT_EXTRACT_PATCHES_PADDING};
static const numbers of_reconstruct = {OPT_RECONSTRUCT_PATCHES_SIZE, OPT_RECONSTRUCT_PATCHES_STRIDES, OPT_RECONSTRUCT_PATCHES_DILATIONS,
                                       OPT_RECONSTRUCT_PATCHES_PADDING};

/* One number of a list with one for all, or one for each. */
static int64_t listed(const vn__option_value *o, int k, int64_t otherwise)
{
    return o->n == 0 ? otherwise : o->is[o->n == 1 ? 0 : k];
}

/* The patches of an array of this shape, which is called `what`; a code if there are none. */
static int plan(const vn__infer *i, const numbers *at, const char *what, int rank, const int64_t *dims, patches *p)
{
    const vn__option_value *o = i->options->v, *size = &o[at->size];
    const bool same = vn__choice(i, at->padding) == 1;
    char s[128];
    *p = (patches){.n = rank - 2};
    if (p->n != 2 && p->n != 3)
        FAIL(VN_E_SHAPE, "%s %s; [N, in..., C] with 2 or 3 spatial axes is needed (%s)", what, vn__shape_text(rank, dims, s), i->engine);
    if (size->n != 1 && size->n != p->n) FAIL(VN_E_ARG, "size has %d numbers; 1 or %d are needed (%s)", size->n, p->n, i->engine);
    for (int k = 0; k < p->n; k++) {
        const int64_t length = p->in[k] = dims[k + 1];
        p->size[k] = listed(size, k, 1);
        p->stride[k] = listed(&o[at->strides], k, p->size[k]);
        p->dilation[k] = listed(&o[at->dilations], k, 1);
        int64_t reach = 0;
        if (p->size[k] < 1 || p->stride[k] < 1 || p->dilation[k] < 1 || p->size[k] - 1 > length || p->dilation[k] - 1 > length ||
            __builtin_mul_overflow(p->size[k] - 1, p->dilation[k], &reach) || __builtin_add_overflow(reach, 1, &reach))
            FAIL(VN_E_ARG, "patches of %lld, %lld apart, with distances of %lld within them, do not fit into %s %s (%s)",
                 (long long)p->size[k], (long long)p->stride[k], (long long)p->dilation[k], what, vn__shape_text(rank, dims, s), i->engine);
        const int64_t covered = same ? 1 : reach; /* of the last patch */
        p->places[k] = length < covered ? 0 : (length - covered) / p->stride[k] + 1;
        const int64_t missing = same ? vn__max((p->places[k] - 1) * p->stride[k] + reach - length, 0) : 0;
        p->before[k] = missing / 2, p->after[k] = missing - missing / 2;
        if (!p->places[k])
            FAIL(VN_E_SHAPE, "%s %s is smaller than a patch of %lld (%s)", what, vn__shape_text(rank, dims, s), (long long)reach,
                 i->engine);
    }
    return VN_OK;
}

/* [N, places..., elements of a patch times C] of an array of this shape */
static int shape_of_patches(const vn__infer *i, const patches *p, const int64_t *dims, int64_t *to)
{
    int64_t all = dims[p->n + 1];
    to[0] = dims[0];
    for (int k = 0; k < p->n; k++) {
        to[k + 1] = p->places[k];
        if (__builtin_mul_overflow(all, p->size[k], &all)) FAIL(VN_E_ARG, "patches are too large (%s)", i->engine);
    }
    to[p->n + 1] = all;
    return VN_OK;
}

int shape_extract_patches(vn__infer *i)
{
    patches p;
    const vn__node *x = i->in[0];
    int code = plan(i, &of_extract, "x", x->rank, vn__node_dims(x), &p);
    if (code) return code;
    i->rank = p.n + 2;
    return shape_of_patches(i, &p, vn__node_dims(x), i->dims);
}

int shape_reconstruct_patches(vn__infer *i)
{
    patches p;
    const vn__node *x = i->in[0];
    const vn__option_value *shape = &i->options->v[OPT_RECONSTRUCT_PATCHES_SHAPE];
    int64_t want[VN_MAX_RANK];
    char s[128], t[128];
    for (int k = 0; k < shape->n; k++)
        if (shape->is[k] < 0 || shape->is[k] > INT32_MAX)
            FAIL(VN_E_SHAPE, "shape holds %lld, numbers from 0 to %d are needed (%s)", (long long)shape->is[k], INT32_MAX, i->engine);
    int code = plan(i, &of_reconstruct, "shape", shape->n, shape->is, &p);
    if (!code) code = shape_of_patches(i, &p, shape->is, want);
    if (code) return code;
    if (x->rank != p.n + 2 || memcmp(want, vn__node_dims(x), (size_t)x->rank * sizeof *want) != 0)
        FAIL(VN_E_SHAPE, "x has shape %s, the patches of shape %s are %s (%s)", shape_text(x, s), vn__shape_text(shape->n, shape->is, t),
             vn__shape_text(p.n + 2, want, (char[128]){0}), i->engine);
    vn__rule_result(i, shape->n, shape->is);
    return VN_OK;
}

static int64_t elements(const patches *p)
{
    return p->size[0] * p->size[1] * (p->n == 3 ? p->size[2] : 1);
}

#define BLOCKS(op, p) \
    VN_OPTS(op, .strides = {(p).stride[0], (p).stride[1], (p).stride[2]}, .dilations = {(p).dilation[0], (p).dilation[1], (p).dilation[2]})

vn_array *compose_extract_patches(vn_array *const *in, const vn__infer *i)
{
    patches p;
    if (plan(i, &of_extract, "x", i->rank, vn__node_dims(i->in[0]), &p)) return NULL;
    vn_shape window = vn__shape(p.size, (size_t)p.n), low = {.rank = p.n + 2}, high = low;
    vn_shape split = {.rank = 3 + p.n, .dim = {i->dims[0], vn_dim(in[0], -1), elements(&p)}};
    for (int k = 0; k < p.n; k++) low.dim[k + 2] = p.before[k], high.dim[k + 2] = p.after[k], split.dim[3 + k] = p.places[k];
    vn_array *x = vn_pad(vn_moveaxis(in[0], VN_AXES(-1), VN_AXES(1)), low, high, NULL);
    vn_array *columns = vn_unfold(x, window, BLOCKS(unfold, p));
    vn_array *parts = vn_moveaxis(vn_reshape(columns, split), VN_AXES(2, 1), VN_AXES(-2, -1)); /* N, places..., in a patch, channels */
    return vn_reshape(parts, vn__result_shape(i));
}

/* Patches (N, places..., in a patch, C) added up where they come from: (N, C, in...) */
static vn_array *added_up(vn_array *parts, const patches *p)
{
    vn_array *x = vn_moveaxis(parts, VN_AXES(-2, -1), VN_AXES(2, 1));
    if (!x) return NULL;
    vn_shape columns = VN_SHAPE(vn_dim(x, 0), vn_dim(x, 1) * vn_dim(x, 2), 1), size = {.rank = p->n}, from = {.rank = p->n + 2};
    vn_shape to = {.rank = p->n + 2, .dim = {vn_dim(x, 0), vn_dim(x, 1)}};
    for (int k = 0; k < p->n; k++) {
        columns.dim[2] *= p->places[k];
        size.dim[k] = p->before[k] + p->in[k] + p->after[k];
        from.dim[k + 2] = p->before[k], to.dim[k + 2] = p->in[k];
    }
    return vn_slice_at(vn_fold(vn_reshape(x, columns), size, vn__shape(p->size, (size_t)p->n), BLOCKS(fold, *p)), from, to);
}

vn_array *compose_reconstruct_patches(vn_array *const *in, const vn__infer *i)
{
    patches p;
    if (plan(i, &of_reconstruct, "shape", i->rank, i->dims, &p)) return NULL;
    vn_array *x = vn__widen(in[0]);
    vn_shape parts = {.rank = p.n + 3, .dim = {i->dims[0]}}, one = parts;
    for (int k = 0; k < p.n; k++) parts.dim[k + 1] = one.dim[k + 1] = p.places[k];
    parts.dim[p.n + 1] = one.dim[p.n + 1] = elements(&p);
    parts.dim[p.n + 2] = i->dims[p.n + 1], one.dim[0] = one.dim[p.n + 2] = 1;
    if (!x || !vn_size(x)) return x ? vn_broadcast_to(vn__number(in[0], 0), vn__result_shape(i)) : NULL;
    vn_array *y = added_up(vn_reshape(x, parts), &p);
    if (!i->options->v[OPT_RECONSTRUCT_PATCHES_SUM].u.i) {
        vn_array *counts = added_up(vn_broadcast_to(vn__number(x, 1), one), &p);
        y = vn_div(y, vn_maximum(counts, vn_scalar(1)));
    }
    return vn__narrow(vn_moveaxis(y, VN_AXES(1), VN_AXES(-1)), i);
}
