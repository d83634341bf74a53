/* SPDX-License-Identifier: Apache-2.0 */
/* optim_check.c: what is asked of a whole optimizer before it moves parameters. A transformation alone, or a parameter that no optimizer
 * takes, would go up its gradient; a pattern may match nothing; a line search needs the loss function. None of it passes in silence. */
#include "nn/optim.h"

int vn__optim_sense(const vn__optimizer *b, const char *key, int sense)
{
    const vn__optim_rule *r = b->rule;
    if (r->sense) return r->sense(b, key, sense);
    for (int k = 0; k < b->n_parts; k++)
        if (!r->picks || r->picks(b, k, key)) sense = vn__optim_sense(vn__optim_of(b->part[k]), key, sense);
    return r->rated ? -sense : sense;
}

int vn__optim_check_senses(const vn_optim *o, int n, const char *const *keys, const char *who)
{
    const vn__optimizer *b = vn__optim_of(o);
    for (int i = 0; i < n && !b->rule->rated; i++) {
        if (vn__optim_sense(b, keys[i], 1) <= 0) continue;
        const char *text = vn_optim_text(o);
        return vn__fail(
            VN_E_ARG,
            "%s: %.200s would move \"%.100s\" up its gradient: updates are added. An optimizer or scale(-0.01) turns them, once: "
            "chain(clip(1), sgd(0.1)); set_to_zero keeps a parameter as it is: groups(masked(sgd(0.1), *b), set_to_zero)",
            who, text ? text : b->rule->name, keys[i]);
    }
    return VN_OK;
}

static int check_all(const vn__optimizer *b, const vn__optimizer *whole, const vn_tree *p, const char *who)
{
    int code = b->rule->check ? b->rule->check(b, whole, p, who) : VN_OK;
    for (int k = 0; k < b->n_parts && !code; k++) code = check_all(vn__optim_of(b->part[k]), whole, p, who);
    return code;
}

int vn__optim_ready(const vn_optim *o, const vn_tree *p, bool has_function, const char *who)
{
    const vn__optimizer *b = vn__optim_of(o);
    if (b->taken) return vn__fail(VN_E_ARG, "%s: %s is a part of another optimizer, which takes the step", who, b->rule->name);
    if (b->rule->search && !has_function)
        return vn__fail(VN_E_ARG, "%s: %s searches along the loss, for which it needs a function: call vn_optim_minimize or vn_fit", who,
                        b->rule->name);
    return check_all(b, b, p, who);
}

bool vn__optim_searches(const vn_optim *o)
{
    return vn__optim_of(o)->rule->search != NULL;
}

int vn__optim_search(const vn_optim *o, vn_loss_fn fn, void *data, const vn_tree *start, vn_tree *p)
{
    const vn__optimizer *b = vn__optim_of(o);
    return b->rule->search(b, fn, data, start, p);
}
