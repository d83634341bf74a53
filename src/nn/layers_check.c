/* SPDX-License-Identifier: Apache-2.0 */
/* layers_check.c: common argument checks of layers. */
#include "nn/layers.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"

bool vn__layer_input(const vn_array *x, int least, int most, const char *format, int64_t channels)
{
    const vn_shape s = vn_shape_of(x);
    const bool first = vn__channels_first(format);
    const int axis = first ? 1 : s.rank - 1, named = format[0] == 'N' ? (int)strlen(format) : s.rank;
    char text[128], ranks[64] = "";
    if (s.rank >= least && s.rank <= most && s.rank != named) {
        vn__fail(VN_E_SHAPE, "x has shape %s; the data format %s is for %d axes (%s)", vn__shape_text(s.rank, s.dim, text), format, named,
                 vn_engine_of(x));
        return false;
    }
    if (s.rank >= least && s.rank <= most && s.dim[axis] == channels) return true;
    if (most == least) snprintf(ranks, sizeof ranks, "%d axes", least);
    else if (most == VN_MAX_RANK) snprintf(ranks, sizeof ranks, "%d axes or more", least);
    else snprintf(ranks, sizeof ranks, "%d to %d axes", least, most);
    vn__fail(VN_E_SHAPE, "x has shape %s; %s with %lld channels at axis %d are needed (%s)", vn__shape_text(s.rank, s.dim, text), ranks,
             (long long)channels, vn__channels_axis(first), vn_engine_of(x));
    return false;
}

bool vn__layer_args(const vn_tree *args, const char *const *names, vn_array **found)
{
    int n = 0;
    for (int k = 0; names[k]; k++) {
        vn_value v = vn_tree_if_exists(args, names[k]);
        found[k] = vn__is_array(v) ? v.u.array : NULL;
        n += found[k] != NULL;
    }
    if (found[0] && n == vn_tree_leaves(args)) return true;
    vn__text t = {0};
    for (int k = 0; names[k]; k++) vn__print(&t, "%s%s", k ? ", " : "", names[k]);
    if (t.failed) vn__no_memory("layer_args");
    else
        vn__fail(VN_E_STRUCT, "%s; the arguments are arrays named %s", found[0] ? "there is an argument of another name" : "x is missing",
                 t.text);
    vn__free(t.text);
    return false;
}

bool vn__layer_sizes(const char *who, const char *name, vn_shape *sizes, int n)
{
    bool fits = sizes->rank == 1 || sizes->rank == n;
    for (int k = 0; k < n && fits; k++) {
        if (sizes->rank == 1 && k) sizes->dim[k] = sizes->dim[0];
        fits = sizes->dim[k] > 0;
    }
    char text[128];
    if (!fits)
        vn__fail(VN_E_ARG, "%s: %s is %s; %s%d sizes above 0 are needed", who, name,
                 vn__shape_text(vn__min(sizes->rank, VN_MAX_RANK), sizes->dim, text), n > 1 ? "1 or " : "", n);
    sizes->rank = n;
    return fits;
}

bool vn__layer_list(const char *who, const char *name, const int64_t list[static 3], int n)
{
    int given = 3;
    while (given && !list[given - 1]) given--;
    bool fits = given <= 1 || given == n;
    for (int k = 0; k < given && fits; k++) fits = list[k] > 0;
    char text[128];
    if (!fits)
        vn__fail(VN_E_ARG, "%s: %s is %s; %s%d numbers above 0 are needed", who, name, vn__shape_text(given, list, text),
                 n > 1 ? "1 or " : "", n);
    return fits;
}

bool vn__layer_pads(const char *who, vn_shape pads, int n)
{
    bool fits = pads.rank <= 1 || pads.rank == 2 * n;
    for (int k = 0; k < pads.rank && fits; k++) fits = pads.dim[k] >= 0;
    char text[128];
    if (!fits)
        vn__fail(VN_E_ARG, "%s: pads are %s; %d numbers from 0 on are needed, (low, high) for each spatial axis, or one for all", who,
                 vn__shape_text(vn__min(pads.rank, VN_MAX_RANK), pads.dim, text), 2 * n);
    return fits;
}
