/* layers.c: options of layers as the ops take them. */
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

const char *vn__side(int first)
{
    return first ? "channel_first" : "channel_last";
}

vn_array *vn_causal_mask(int64_t queries, int64_t keys)
{
    return vn_tril(vn_ones(VN_SHAPE(queries, keys), VN_BOOL), keys - queries);
}
