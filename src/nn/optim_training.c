/* SPDX-License-Identifier: Apache-2.0 */
/* optim_training.c: what training asks of an optimizer: the factor of the loss (loss_scale), the averages that parameters stand for (schedule_free). */
#include "nn/optim.h"

/* ---- the factor of the loss ---- */

vn_array *vn_optim_loss_scale(const vn_optim *o)
{
    static const char who[] = "optim_loss_scale";
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    const vn__optimizer *b = vn__optim_of(o);
    if (!b->rule->scales_loss) return vn__fail(VN_E_ARG, "%s: %s scales no loss", who, b->rule->name), NULL;
    if (vn_tree_has(b->state, "factor")) return vn_alias(vn_tree_get(b->state, "factor"));
    return vn_full(vn_scalar(((const vn_loss_scale_opts *)b->opts)->initial), VN_0D, VN_F64);
}

vn_array *vn__scaled_loss(const vn_optim *o, vn_array *loss)
{
    if (!loss || !vn__optim_of(o)->rule->scales_loss) return loss;
    vn_array *by = vn_optim_loss_scale(o);
    return by ? vn__by(loss, vn_to(by, vn_engine_of(loss))) : NULL;
}

/* ---- averages ---- */

/* The part that averages a parameter, and where its state has it; NULL: it is not averaged. */
static const vn__optimizer *averager(const vn__optimizer *b, const char *key, char place[static VN__KEY_CHAIN])
{
    const bool averages = b->rule->averages && snprintf(place, VN__KEY_CHAIN, "z/%s", key) < VN__KEY_CHAIN;
    const vn__optimizer *found = averages && vn_tree_has(b->state, place) ? b : NULL;
    for (int k = 0; k < b->n_parts && !found; k++) found = averager(vn__optim_of(b->part[k]), key, place);
    return found;
}

static bool averages(const vn__optimizer *b)
{
    bool found = b->rule->averages;
    for (int k = 0; k < b->n_parts && !found; k++) found = averages(vn__optim_of(b->part[k]));
    return found;
}
bool vn__optim_averages(const vn_optim *o)
{
    return averages(vn__optim_of(o));
}

/* The average that a parameter stands for: (w - (1 - beta) z) / beta. */
typedef struct {
    const vn__optimizer *b;
} averaging;
static vn_value averaged(vn_value v, const char *chain, void *user)
{
    const averaging *a = user;
    char place[VN__KEY_CHAIN];
    const vn__optimizer *b = vn__is_array(v) ? averager(a->b, chain, place) : NULL;
    if (!b) return v;
    const double beta = ((const vn_schedule_free_opts *)b->opts)->beta;
    vn_array *w = vn_stop_gradient(v.u.array), *z = vn_tree_get(b->state, place);
    vn_array *x = vn__scaled(vn_sub(vn__widen(w), vn__scaled(z, 1 - beta)), 1 / beta);
    x = x ? vn_cast(x, vn_dtype_of(w)) : NULL;
    return x ? vn_value_array(x) : vn__nothing();
}

vn_tree *vn_optim_eval_params(const vn_optim *o, const vn_tree *p)
{
    static const char who[] = "optim_eval_params";
    if (!vn__check(o, VN__OPTIM, who, "o") || !vn__check(p, VN__TREE, who, "p")) return NULL;
    if (!vn__optim_averages(o))
        return vn__fail(VN_E_ARG, "%s: %s averages nothing; it is for schedule_free", who, vn__optim_of(o)->rule->name), NULL;
    return vn_tree_map((vn_tree *)(uintptr_t)p, averaged, &(averaging){vn__optim_of(o)}, NULL);
}

int vn__optim_settle(const vn_optim *o, const vn_tree *p)
{
    VN_SCOPE;
    for (int i = 0; i < vn_tree_leaves(p); i++) {
        char key[VN__KEY_CHAIN], place[VN__KEY_CHAIN];
        snprintf(key, sizeof key, "%s", vn_tree_leaf_key(p, i));
        const vn__optimizer *b = averager(vn__optim_of(o), key, place);
        vn_array *x = b ? vn__widen(vn_stop_gradient(vn_tree_leaf(p, i))) : NULL;
        if (b && (!x || vn_eval(1, &x) || !vn_into(vn_tree_get(b->state, place), x))) return vn_status();
    }
    return VN_OK;
}
