/* SPDX-License-Identifier: Apache-2.0 */
/* average.c: optimizers whose steps are not where the parameters are to be used (schedule_free). Steps have the parameters that the
 * optimizer moves; validation, events of epochs, files and the end have their average. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"

static const char who[] = "fit";

int vn__fit_average(vn__fit *f)
{
    if (f->training || !vn__optim_averages(f->optim)) return VN_OK;
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module), *before = v ? vn_tree_deep_copy(v) : NULL,
            *average = before ? vn_optim_eval_params(f->optim, v) : NULL;
    if (!average || vn__set_arrays(v, average, who)) return vn_status();
    f->training = vn_tree_keep(before);
    return f->training ? VN_OK : (int)vn_status();
}

int vn__fit_train(vn__fit *f)
{
    if (!f->training) return VN_OK;
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module);
    int code = v ? vn__set_arrays(v, f->training, who) : (int)vn_status();
    vn_tree_drop(f->training);
    f->training = NULL;
    return code;
}

int vn__fit_end_average(vn__fit *f)
{
    int code = f->training ? vn__optim_settle(f->optim, vn_module_v(f->module)) : VN_OK;
    if (code) return code;
    vn_tree_drop(f->training);
    f->training = NULL;
    return VN_OK;
}

int vn__fit_take_training(vn__fit *f, const vn_tree *training)
{
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module);
    if (!v || vn_tree_assert_identical_structure(2, (const vn_tree *[]){v, training}, NULL)) return vn_status();
    return vn__set_arrays(v, training, who);
}
