/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: see window.h. */
#include "window.h"

window window_between(const vn_desc *x, const vn_desc *y, const int64_t *size, const vn_option *options)
{
    window w = {.n = x->rank - 2};
    for (int a = 0; a < w.n; a++) {
        w.in[a] = x->dims[a + 1], w.out[a] = y->dims[a + 1], w.size[a] = size[a];
        w.stride[a] = options[STRIDES].u.is[a], w.dilation[a] = options[DILATIONS].u.is[a];
        w.low[a] = options[PADS].u.is[2 * a], w.high[a] = options[PADS].u.is[2 * a + 1];
    }
    return w;
}

int window_is_same(const window *w)
{
    for (int a = 0; a < w->n; a++) {
        int64_t out = (w->in[a] + w->stride[a] - 1) / w->stride[a];
        int64_t total = (out - 1) * w->stride[a] + (w->size[a] - 1) * w->dilation[a] + 1 - w->in[a];
        if (total < 0) total = 0;
        if (w->out[a] != out || w->low[a] != total / 2 || w->high[a] != total - total / 2) return 0;
    }
    return 1;
}

TF_Output window_pad(builder *b, TF_Output x, int n, const int64_t *low, const int64_t *high, TF_Output value)
{
    int64_t around[2 * VN_MAX_RANK], dims[] = {n, 2};
    int any = 0;
    for (int a = 0; a < n; a++) {
        around[2 * a] = low[a], around[2 * a + 1] = high[a];
        any |= low[a] || high[a];
    }
    if (!any) return x;
    TF_Output paddings = build_reshape(b, build_ints(b, around, 2 * n), 1, (int64_t[]){2 * n}, 2, dims);
    return node3(b, "PadV2", x, paddings, value);
}

TF_Output window_pick(builder *b, TF_Output x, int n, const int64_t *start, const int64_t *count, const int64_t *stride)
{
    int64_t end[VN_MAX_RANK], open = 0;
    for (int a = 0; a < n; a++) {
        end[a] = start[a] + (count[a] - 1) * stride[a] + 1;
        if (count[a] < 0) open |= INT64_C(1) << a;
    }
    TF_Output in[] = {x, build_ints(b, start, n), build_ints(b, end, n), build_ints(b, stride, n)};
    TF_OperationDescription *node = build_begin(b, "StridedSlice", 4, in);
    if (node) api.TF_SetAttrInt(node, "end_mask", open);
    return build_end(b, node);
}
