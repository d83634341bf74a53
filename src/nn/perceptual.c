/* SPDX-License-Identifier: Apache-2.0 */
/* perceptual.c: the distance of pictures by the features that a network gives of them: LPIPS, DISTS, Gram matrices (style), added up over its layers.
 * The distance of one layer is an op (ops/loss_features.c). */
#include "nn/nn.h"
#include "core/options.h"
#include "core/state.h"
#include <vinea/module.h>

static const char who[] = "feature_distance";

typedef struct {
    const vn_tree *weights;
    int kind;
    double alpha, beta; /* of dists: the sums of all of them, which are divided by */
} distance;

/* weights/<layer>, or weights/<layer>/<part>; VN_NONE where there are no weights. */
static vn_array *weight_of(const distance *d, const char *layer, const char *part)
{
    char chain[VN__KEY_CHAIN];
    if (!d->weights) return vn_none();
    if (snprintf(chain, sizeof chain, "%s%s%s", layer, *part ? "/" : "", part) >= (int)sizeof chain || !vn_tree_has(d->weights, chain))
        return vn__fail(VN_E_STRUCT, "%s: the weights have no \"%.100s%s%s\"", who, layer, *part ? "/" : "", part), NULL;
    return vn_tree_get(d->weights, chain);
}

static vn_array *of_layer(const distance *d, const char *layer, vn_array *x, vn_array *y)
{
    if (d->kind == VN_FEATURES_DISTS) {
        vn_array *a = weight_of(d, layer, "alpha"), *b = a ? weight_of(d, layer, "beta") : NULL;
        if (!b) return NULL;
        if (d->weights) a = vn_mul(a, vn_scalar(1 / d->alpha)), b = vn_mul(b, vn_scalar(1 / d->beta));
        return vn_dists(x, y, a, b, VN_OPTS(dists, .reduction = "none"));
    }
    vn_array *w = weight_of(d, layer, "");
    if (!w) return NULL;
    if (d->kind == VN_FEATURES_LPIPS) return vn_lpips(x, y, w, VN_OPTS(lpips, .reduction = "none"));
    vn_array *each = vn_gram_matrix_loss(x, y, VN_OPTS(gram_matrix_loss, .reduction = "none"));
    return w == vn_none() ? each : vn_mul(each, vn_cast(w, vn_dtype_of(each)));
}

/* The published weights of DISTS add up to 1 after they are divided by their sums. */
static int sum_weights(distance *d, const vn_tree *features)
{
    if (d->kind != VN_FEATURES_DISTS || !d->weights) return VN_OK;
    for (int i = 0; i < vn_tree_leaves(features); i++) {
        const char *layer = vn_tree_leaf_key(features, i);
        vn_array *a = weight_of(d, layer, "alpha"), *b = a ? weight_of(d, layer, "beta") : NULL;
        if (!b) return vn_status();
        d->alpha += vn_item(vn_sum(a, VN_ALL)), d->beta += vn_item(vn_sum(b, VN_ALL));
    }
    if (vn_status()) return vn_status();
    return d->alpha > 0 && d->beta > 0
               ? VN_OK
               : vn__fail(VN_E_ARG, "%s: the weights alpha add up to %g, beta to %g; sums above 0 are needed", who, d->alpha, d->beta);
}

static vn_tree *features_of(vn_module *net, vn_array *x)
{
    vn_tree *args = vn_tree_of("x", x, NULL);
    return args ? vn_module_call_tree(net, args, NULL) : NULL;
}

vn_array *vn_feature_distance(vn_module *net, vn_array *x, vn_array *y, const vn_feature_distance_opts *opts)
{
    vn_feature_distance_opts o = {0};
    if (vn__take(&o, sizeof o, opts, who) || VN__FLAGS(who, VN__FLAG(o, each))) return NULL;
    if (o.kind < VN_FEATURES_LPIPS || o.kind > VN_FEATURES_GRAM)
        return vn__fail(VN_E_ARG, "%s: kind is %d, which is not a vn_feature_kind", who, o.kind), NULL;
    if (!vn__check(net, VN__MODULE, who, "net") || !vn__check(x, VN__ARRAY, who, "x") || !vn__check(y, VN__ARRAY, who, "y")) return NULL;
    if (o.weights && !vn__check(o.weights, VN__TREE, who, "weights")) return NULL;
    VN_SCOPE;
    distance d = {.weights = o.weights, .kind = o.kind};
    vn_tree *fx = features_of(net, x), *fy = fx ? features_of(net, y) : NULL;
    const int n = fy ? vn_tree_leaves(fx) : -1;
    if (n < 0 || sum_weights(&d, fx)) return NULL;
    vn_array *all = NULL;
    for (int i = 0; i < n; i++) {
        char layer[VN__KEY_CHAIN];
        snprintf(layer, sizeof layer, "%s", vn_tree_leaf_key(fx, i));
        vn_array *each = of_layer(&d, layer, vn_tree_leaf(fx, i), vn_tree_get(fy, layer));
        if (!each) return NULL;
        all = all ? vn_add(all, each) : each;
    }
    if (!all) return vn__fail(VN_E_STRUCT, "%s: the network gives no features", who), NULL;
    if (d.kind == VN_FEATURES_DISTS && !d.weights) all = vn_mul(all, vn_scalar(1. / n));
    if (!o.each) all = vn_mean(all, VN_ALL);
    return all ? vn_pass(all) : NULL;
}
