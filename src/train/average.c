/* SPDX-License-Identifier: Apache-2.0 */
/* average.c: optimizers whose steps are not where the parameters are to be used (schedule_free, and any with a moving average). Steps have the parameters that the
 * optimizer moves; validation, events of epochs, files and the end have their average. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/nn.h"

static const char who[] = "fit";

/* v with the moving average of what has one, in v's dtypes. */
static vn_tree *averaged(vn_optim *o, const vn_tree *v)
{
    vn_tree *to = vn_tree_deep_copy(v), *average = to ? vn_optim_average(o) : NULL;
    const int n = average ? vn_tree_leaves(average) : -1;
    if (n < 0) return NULL;
    for (int i = 0; i < n; i++) {
        char key[VN__KEY_CHAIN];
        snprintf(key, sizeof key, "%s", vn_tree_leaf_key(average, i));
        vn_array *x = vn_tree_leaf(average, i), *like = vn_tree_get(v, key);
        if (!x || !like || vn_tree_set(to, key, vn_cast(x, vn_dtype_of(like)))) return NULL;
    }
    return to;
}

int vn__fit_average(vn__fit *f)
{
    const bool keeps = f->o.average > 0 && vn_optim_steps(f->optim);
    if (f->training || !(keeps || vn__optim_averages(f->optim))) return VN_OK;
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module), *before = v ? vn_tree_deep_copy(v) : NULL, *average = NULL;
    if (before) average = keeps ? averaged(f->optim, v) : vn_optim_eval_params(f->optim, v);
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
    int code = f->training && vn__optim_averages(f->optim) ? vn__optim_settle(f->optim, vn_module_v(f->module)) : VN_OK;
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
