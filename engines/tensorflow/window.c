/* window.c: see window.h. */
#include "window.h"

window window_between(const vn_desc *x, const vn_desc *y, const int64_t *size, const vn_option *options)
{
    window w = {.n = x->rank - 2};
    for (int a = 0; a < w.n; a++) {
        w.in[a] = x->dims[a + 1], w.out[a] = y->dims[a + 1], w.size[a] = size[a];
        w.stride[a] = options[0].u.is[a], w.dilation[a] = options[2].u.is[a];
        w.low[a] = options[1].u.is[2 * a], w.high[a] = options[1].u.is[2 * a + 1];
    }
    return w;
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
    int64_t end[VN_MAX_RANK];
    for (int a = 0; a < n; a++) end[a] = start[a] + (count[a] - 1) * stride[a] + 1;
    TF_Output in[] = {x, build_ints(b, start, n), build_ints(b, end, n), build_ints(b, stride, n)};
    return build_node(b, "StridedSlice", 4, in);
}
