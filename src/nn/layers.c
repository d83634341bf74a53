/* layers.c: layer ops with option structs and the thread's key. */
#include "nn/nn.h"
#include "core/state.h"
#include <string.h>

vn_shape vn__list_of(const int64_t numbers[static 3])
{
    int n = 3;
    while (n && !numbers[n - 1]) n--;
    return vn__shape(numbers, (size_t)n);
}

vn_shape vn__pads_of(int axes, const int64_t pads[static 3][2])
{
    int given = 3;
    while (given && !pads[given - 1][0] && !pads[given - 1][1]) given--;
    if (!given) return VN_DEFAULT;
    vn_shape list = {0};
    for (int a = 0; a < 3 && (a < given || a < axes); a++) {
        list.dim[list.rank++] = pads[a][0];
        list.dim[list.rank++] = pads[a][1];
    }
    return list;
}

static vn_conv_opts taken(const vn_conv_opts *opts)
{
    vn_conv_opts o = {.size = sizeof o};
    if (opts) memcpy(&o, opts, opts->size < sizeof o ? opts->size : sizeof o);
    if (!o.groups) o.groups = 1;
    return o;
}

const char *vn__side(int first)
{
    return first ? "channel_first" : "channel_last";
}

vn_array *vn_conv_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts)
{
    const vn_conv_opts o = taken(opts);
    if (!vn__check(x, VN__ARRAY, "conv_with", "x")) return NULL;
    return vn_conv_general_dilated(x, filters, bias, vn__list_of(o.strides), o.same ? "SAME" : "VALID", vn__pads_of(vn_rank(x) - 2, o.pads),
                                   vn__side(o.channels_first), vn__list_of(o.dilations), vn__list_of(o.x_dilations), o.groups,
                                   vn__side(o.filters_first));
}

vn_array *vn_conv_transpose_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts)
{
    const vn_conv_opts o = taken(opts);
    if (!vn__check(x, VN__ARRAY, "conv_transpose_with", "x")) return NULL;
    if (vn__list_of(o.x_dilations).rank || vn__pads_of(vn_rank(x) - 2, o.pads).rank)
        return vn__fail(VN_E_ARG, "conv_transpose_with: x_dilations and pads are for other convolutions; same and output say how long the "
                                  "result is"),
               NULL;
    return vn_conv_general_transpose(x, filters, bias, vn__list_of(o.strides), o.same ? "SAME" : "VALID", vn__list_of(o.output),
                                     vn__side(o.channels_first), vn__list_of(o.dilations), o.groups, vn__side(o.filters_first));
}

vn_array *vn__key_for(const vn_array *x)
{
    vn_array *key = vn_random_key();
    return key && strcmp(vn_engine_of(key), vn_engine_of(x)) != 0 ? vn_to(key, vn_engine_of(x)) : key;
}

vn_array *vn_dropout_now(vn_array *x, double prob, int training)
{
    if (!vn__check(x, VN__ARRAY, "dropout_now", "x")) return NULL;
    if (!(prob >= 0 && prob <= 1)) return vn__fail(VN_E_ARG, "dropout_now: prob is %g, a number from 0 to 1 is needed", prob), NULL;
    if (!training || prob == 0) return vn_positive(x);
    return vn_dropout(x, vn__key_for(x), prob, 0, VN_DEFAULT);
}

vn_array *vn_causal_mask(int64_t queries, int64_t keys)
{
    return vn_tril(vn_ones(VN_SHAPE(queries, keys), VN_BOOL), keys - queries);
}
