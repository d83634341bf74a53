/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.h: array files, which vn_load distinguishes by content. What loads can be inspected and read. */
#include "target.h"

static void read_file(const char *path)
{
    vn_tree *t = vn_load(path, NULL);
    must(t ? !vn_status() : vn_status() == VN_E_FORMAT || vn_status() == VN_E_MEM || vn_status() == VN_E_IO);
    for (int i = 0; t && i < vn_tree_leaves(t); i++) {
        vn_array *x = vn_tree_leaf(t, i);
        vn_array *y = VN_BIT(vn_dtype_of(x)) & VN_COMPLEX ? vn_real(x) : x;
        must(!vn_size(x) || vn_data(vn_sum(vn_cast(y, VN_F64), VN_ALL)));
    }
    vn_clear();
    vn_file_info f = {.size = sizeof f};
    must(!vn_inspect(path, &f) || !t);
}
