/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c: a checkpoint of one layer, its optimizer and a step. One that cannot be loaded changes nothing. */
#include "target.h"

static void read_file(const char *path)
{
    vn_tree *w = vn_tree_of("w", vn_full(vn_scalar(1), VN_SHAPE(2), VN_F32), NULL);
    vn_optim *adam = vn_adam(.5, NULL);
    vn_checkpoint c = {.size = sizeof c, .weights = w, .optim = adam, .step = 7};
    must(vn_step(adam, w, vn_tree_of("w", vn_zeros(VN_SHAPE(2), VN_F32), NULL)) == VN_OK);
    int code = vn_checkpoint_load(path, &c);
    must(code == (int)vn_status());
    vn_clear();
    must(!code || (c.step == 7 && vn_optim_lr(adam) == .5 && vn_item(vn_sum(vn_tree_get(w, "w"), VN_ALL)) == 2));
}
