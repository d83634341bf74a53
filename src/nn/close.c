/* SPDX-License-Identifier: Apache-2.0 */
/* close.c: whether two trees are equal within a tolerance. */
#include "nn/nn.h"
#include "ops/row.h"

vn_array *vn_tree_allclose(const vn_tree *x, const vn_tree *y, const vn_allclose_opts *opts)
{
    static const char who[] = "tree_allclose";
    if (!vn__check(x, VN__TREE, who, "x") || !vn__check(y, VN__TREE, who, "y")) return NULL;
    if (vn_tree_assert_identical_structure(2, (const vn_tree *const[]){x, y}, VN_OPTS(tree_identical, .no_types = 1))) return NULL;
    VN_SCOPE;
    vn_array *all = vn_full(vn_scalar(1), VN_0D, VN_BOOL);
    for (int k = 0, n = vn_tree_leaves(x); k < n && all; k++) {
        vn_array *a = vn_tree_leaf(x, k), *b = vn_tree_leaf(y, k);
        all = a && b ? vn_logical_and(all, vn_allclose(a, b, opts)) : NULL;
    }
    return all ? vn_pass(all) : NULL;
}
