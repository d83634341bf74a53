/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: rules shared by convolution and pooling. */
#include "ops/window.h"

int vn__window_rank(vn__infer *i, int k)
{
    char s[128];
    const int rank = i->in[k]->rank;
    if (rank < 3 || rank > VN__SPATIAL + 2)
        FAIL(VN_E_SHAPE, "%s has shape %s; a batch axis, 1 to %d spatial axes and a channel axis are needed (%s)", i->op->info.inputs[k],
             shape_text(i->in[k], s), VN__SPATIAL, i->engine);
    return VN_OK;
}

int vn__window_list(vn__infer *i, int option, int n, int64_t least, int64_t fallback, const int64_t *like)
{
    const char *name = i->op->info.options[option].name;
    int64_t *list = i->options->v[option].is;
    int32_t *given = &i->options->v[option].n;
    if (!*given) {
        for (int k = 0; k < n; k++) list[k] = like ? like[k] : fallback;
        *given = n;
    }
    if (*given == 1) {
        for (int k = 1; k < n; k++) list[k] = list[0];
        *given = n;
    }
    if (*given != n) FAIL(VN_E_ARG, "%s has %d numbers, %d are needed (%s)", name, *given, n, i->engine);
    for (int k = 0; k < n; k++) {
        if (list[k] < least || list[k] > INT32_MAX)
            FAIL(VN_E_ARG, "%s holds %lld, numbers from %lld to %d are needed (%s)", name, (long long)list[k], (long long)least, INT32_MAX,
                 i->engine);
    }
    return VN_OK;
}

int vn__window_sizes(vn__infer *i, int n, const int64_t *size, const int64_t *window, const int64_t *strides, const int64_t *padding,
                     const int64_t *dilation, int64_t *out)
{
    int64_t taps = 1;
    for (int k = 0; k < n; k++) {
        int64_t reach, padded;
        if (__builtin_mul_overflow(taps, window[k], &taps) || taps > INT32_MAX)
            FAIL(VN_E_SHAPE, "a window of more than %d elements (%s)", INT32_MAX, i->engine);
        if (__builtin_mul_overflow(window[k] - 1, dilation[k], &reach) ||
            __builtin_add_overflow(size[k], padding[2 * k] + padding[2 * k + 1], &padded) || reach >= INT64_MAX / 2 ||
            padded >= INT64_MAX / 2)
            FAIL(VN_E_SHAPE, "spatial axis %d of size %lld is too large with this window, padding and dilation (%s)", k, (long long)size[k],
                 i->engine);
        out[k] = padded > reach ? (padded - reach - 1) / strides[k] + 1 : 0;
    }
    return VN_OK;
}

int vn__window_matches(vn__infer *i, int k, const int64_t *sizes, const char *what)
{
    char s[128], t[128];
    const int n = i->in[k]->rank - 2;
    for (int a = 0; a < n; a++) {
        if (vn__node_dims(i->in[k])[a + 1] != sizes[a])
            FAIL(VN_E_SHAPE, "%s has shape %s, but %s gives spatial sizes %s (%s)", i->op->info.inputs[k], shape_text(i->in[k], s), what,
                 vn__shape_text(n, sizes, t), i->engine);
    }
    return VN_OK;
}
