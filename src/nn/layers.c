/* layers.c: forms of the layer ops that are easier to call from C: options in a struct, the thread's key. */
#include "nn/nn.h"

/* The numbers before the first 0, as the list an op takes; none of them: its default. */
static vn_shape list_of(const int64_t numbers[static 3])
{
    int n = 0;
    while (n < 3 && numbers[n]) n++;
    return vn__shape(numbers, (size_t)n);
}

/* All pairs of as many axes as x has. */
static vn_shape pads_of(const vn_array *x, const vn_conv_opts *o)
{
    vn_shape pads = {.rank = 2 * (vn_rank(x) - 2)};
    bool any = false;
    if (pads.rank < 2 || pads.rank > 6) return VN_DEFAULT; /* the op will refuse x */
    for (int k = 0; k < 6; k++) any |= o->pads[k / 2][k % 2] != 0;
    for (int k = 0; k < pads.rank; k++) pads.dim[k] = o->pads[k / 2][k % 2];
    return any ? pads : VN_DEFAULT;
}

static vn_conv_opts taken(const vn_conv_opts *opts)
{
    vn_conv_opts o = {.size = sizeof o};
    if (opts) memcpy(&o, opts, opts->size < sizeof o ? opts->size : sizeof o);
    if (!o.groups) o.groups = 1;
    return o;
}

static const char *side(int first)
{
    return first ? "channel_first" : "channel_last";
}

vn_array *vn_conv_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts)
{
    const vn_conv_opts o = taken(opts);
    if (!vn__check(x, VN__ARRAY, "conv_with", "x")) return NULL;
    return vn_conv_general_dilated(x, filters, bias, list_of(o.strides), o.same ? "SAME" : "VALID", pads_of(x, &o), side(o.channels_first),
                                   list_of(o.dilations), list_of(o.x_dilations), o.groups, side(o.filters_first));
}

vn_array *vn_conv_transpose_with(vn_array *x, vn_array *filters, vn_array *bias, const vn_conv_opts *opts)
{
    const vn_conv_opts o = taken(opts);
    if (!vn__check(x, VN__ARRAY, "conv_transpose_with", "x")) return NULL;
    if (list_of(o.x_dilations).rank || pads_of(x, &o).rank)
        return vn__fail(VN_E_ARG, "conv_transpose_with: x_dilations and pads are for other convolutions; same and output say how long the "
                                  "result is"),
               NULL;
    return vn_conv_general_transpose(x, filters, bias, list_of(o.strides), o.same ? "SAME" : "VALID", list_of(o.output),
                                     side(o.channels_first), list_of(o.dilations), o.groups, side(o.filters_first));
}

vn_array *vn_dropout_now(vn_array *x, double prob, int training)
{
    if (!vn__check(x, VN__ARRAY, "dropout_now", "x")) return NULL;
    if (!(prob >= 0 && prob <= 1)) return vn__fail(VN_E_ARG, "dropout_now: prob is %g, a number from 0 to 1 is needed", prob), NULL;
    if (!training || prob == 0) return vn_positive(x);
    vn_array *key = vn_random_key();
    if (key && strcmp(vn_engine_of(key), vn_engine_of(x)) != 0) key = vn_to(key, vn_engine_of(x));
    return vn_dropout(x, key, prob, 0, VN_DEFAULT);
}

vn_array *vn_causal_mask(int64_t queries, int64_t keys)
{
    return vn_tril(vn_ones(VN_SHAPE(queries, keys), VN_BOOL), keys - queries);
}
