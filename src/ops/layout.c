/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c: data formats and padding of layers with spatial axes. */
#include "ops/layout.h"

int vn__layer_shape(vn__infer *i, int k, int rank, const int64_t *dims, const char *of)
{
    const vn__node *x = i->in[k];
    char s[128], t[128];
    if (!x || (x->rank == rank && !memcmp(vn__node_dims(x), dims, (size_t)rank * sizeof *dims))) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s, %s is needed for %s (%s)", i->op->info.inputs[k], shape_text(x, s), vn__shape_text(rank, dims, t),
         of, i->engine);
}

int vn__layout_rank(vn__infer *i, int *n)
{
    char s[128];
    if (!*n) {
        *n = i->in[0]->rank - 2;
        return vn__window_rank(i, 0);
    }
    if (i->in[0]->rank != *n + 2)
        FAIL(VN_E_SHAPE, "x has shape %s, rank %d is needed: batch, %d spatial and channels (%s)", shape_text(i->in[0], s), *n + 2, *n,
             i->engine);
    return VN_OK;
}

bool vn__layout_first(const vn__infer *i, int option)
{
    const char *text = i->options->v[option].u.s;
    return !strcmp(text, "channel_first") || !strncmp(text, "NC", 2);
}

int vn__layout_format(vn__infer *i, int option, int n)
{
    static const char *const letters[VN__SPATIAL][2] = {{"NWC", "NCW"}, {"NHWC", "NCHW"}, {"NDHWC", "NCDHW"}};
    const char *text = i->options->v[option].u.s, *const *own = letters[n - 1];
    if (!strcmp(text, "channel_last") || !strcmp(text, "channel_first") || !strcmp(text, own[0]) || !strcmp(text, own[1])) return VN_OK;
    FAIL(VN_E_ARG, "there is no data format \"%.20s\" for %d spatial axes; %s (channel_last) and %s (channel_first) are allowed (%s)", text,
         n, own[0], own[1], i->engine);
}

bool vn__layout_is_same(const vn__infer *i, int padding)
{
    return !strcmp(i->options->v[padding].u.s, "SAME");
}

void vn__layout_same(int64_t size, int64_t reach, int64_t stride, int64_t pair[2])
{
    const int64_t rest = size % stride, total = reach - (rest ? rest : stride);
    pair[0] = total > 0 ? total / 2 : 0;
    pair[1] = total > 0 ? total - total / 2 : 0;
}

int vn__layout_pads(vn__infer *i, int padding, int pads, int n, const int64_t *size, const int64_t *reach, const int64_t *strides)
{
    int64_t *list = i->options->v[pads].is;
    int32_t *given = &i->options->v[pads].n;
    if (!*given && vn__layout_is_same(i, padding)) {
        for (int a = 0; a < n; a++) vn__layout_same(size[a], reach[a], strides[a], list + 2 * a);
        *given = 2 * n;
    }
    return vn__window_list(i, pads, 2 * n, 0, 0, NULL);
}

int vn__layout_not_empty(vn__infer *i, int n, const int64_t *out, const int64_t *reach)
{
    char s[128];
    for (int a = 0; a < n; a++) {
        if (!out[a])
            FAIL(VN_E_SHAPE, "x %s, padded, is smaller along spatial axis %d than the window, which reaches over %lld (%s)",
                 shape_text(i->in[0], s), a, (long long)reach[a], i->engine);
    }
    return VN_OK;
}

vn_array *vn__layout_last(vn_array *x, bool first)
{
    return first ? vn_moveaxis(x, VN_AXES(1), VN_AXES(-1)) : x;
}

vn_array *vn__layout_back(vn_array *y, bool first)
{
    return first ? vn_moveaxis(y, VN_AXES(-1), VN_AXES(1)) : y;
}
