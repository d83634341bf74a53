/* optim_rules.c: how each optimizer moves a parameter. One is a row of vn__optim_rules and a function written with ops; Adam's moves all
 * parameters at once. */
#include "nn/optim.h"
#include "ops/row.h"
#include "program/program.h"
#include <math.h>

vn_array *vn__optim_blend(double a, vn_array *x, vn_array *y)
{
    return vn_add(vn__scaled(x, a), vn__scaled(y, 1 - a));
}

static vn_array *against(const vn__motion *m, vn_array *direction)
{
    return vn_sub(m->w, vn__scaled(direction, m->lr));
}

static vn_array *with_momentum(const vn__optimizer *b, vn__motion *m, vn_array *direction, int slot)
{
    if (!(b->o.momentum > 0)) return direction;
    m->slot[slot] = vn_add(vn__scaled(m->slot[slot], b->o.momentum), direction);
    return b->o.nesterov ? vn_add(direction, vn__scaled(m->slot[slot], b->o.momentum)) : m->slot[slot];
}

static vn_array *move_sgd(const vn__optimizer *b, vn__motion *m)
{
    return against(m, with_momentum(b, m, m->g, 0));
}

static void begin_moments(const vn__optimizer *b, vn__motion *m)
{
    if (m->step > 1 || !b->o.first_moments_grad) return;
    m->slot[0] = vn__widen(m->g);
    m->slot[1] = vn_square(m->slot[0]);
}

/* Whether one op can move both parameters: their arrays have the same dtypes and are on one engine. */
static bool alike(const vn__motion *a, const vn__motion *b)
{
    const vn_array *const left[] = {a->w, a->g, a->slot[0], a->slot[1]}, *const right[] = {b->w, b->g, b->slot[0], b->slot[1]};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        const vn__node *x = vn__node_of(left[k]), *y = vn__node_of(right[k]);
        if (x->dtype != y->dtype || x->engine != vn__node_of(b->w)->engine || y->engine != x->engine) return false;
        if ((x->flags | y->flags) & VN__HISTORY) return false;
    }
    return true;
}

/* Updates the parameters of group `which`. lists: room for w, g and both moments of each. */
static int move_group(const vn__optimizer *b, int n, vn__motion *m, const int *group, int which, vn_array **lists)
{
    const vn__adam a = {b->o.beta1, b->o.beta2, b->o.epsilon, !b->o.folded};
    int many = 0, at = 0;
    for (int i = 0; i < n; i++) many += group[i] == which;
    for (int i = 0; i < n; i++) {
        if (group[i] != which) continue;
        vn_array *const of[] = {m[i].w, m[i].g, m[i].slot[0], m[i].slot[1]};
        for (int k = 0; k < 4; k++) lists[k * many + at] = of[k];
        at++;
    }
    int code = vn__adam_apply_all(many, lists, vn_dtype_of(lists[0]), vn_scalar(m->lr), vn_scalar(m->step), a);
    for (int i = 0, j = 0; i < n && !code; i++) {
        if (group[i] != which) continue;
        m[i].w = lists[j], m[i].slot[0] = lists[2 * many + j], m[i].slot[1] = lists[3 * many + j];
        j++;
    }
    return code;
}

/* Usually all parameters form one group, and their step is one op. */
static int move_adam(const vn__optimizer *b, int n, vn__motion *m)
{
    vn_array **lists = vn__alloc((size_t)n * 4 * sizeof *lists);
    int *group = vn__alloc((size_t)n * sizeof *group), code = lists && group ? VN_OK : vn__no_memory("step");
    for (int i = 0; i < n && !code; i++) {
        begin_moments(b, &m[i]);
        if (!m[i].slot[1]) code = vn_status();
        group[i] = 0;
        while (!code && group[i] < i && (group[group[i]] != group[i] || !alike(&m[group[i]], &m[i]))) group[i]++;
    }
    for (int i = 0; i < n && !code; i++)
        if (group[i] == i) code = move_group(b, n, m, group, i, lists);
    vn__free(lists), vn__free(group);
    return code;
}

/* A number as a field of options, where 0 is a default. */
static double given(double x)
{
    return x == 0 ? (double)VN_ZERO : x;
}

static vn_array *move_lars(const vn__optimizer *b, vn__motion *m)
{
    return vn_lars_update(m->w, m->g, vn_scalar(m->lr), VN_OPTS(lars_update, .decay_lambda = b->o.decay_lambda, .paper = !b->o.folded));
}

static vn_array *move_lamb(const vn__optimizer *b, vn__motion *m)
{
    const vn__optim_settings *o = &b->o;
    begin_moments(b, m);
    return vn_lamb_update(m->w, m->g, vn_scalar(m->lr), m->slot[0], m->slot[1], vn_scalar(m->step),
                          VN_OPTS(lamb_update, .beta1 = given(o->beta1), .beta2 = given(o->beta2), .epsilon = given(o->epsilon),
                                  .paper = !o->folded, .max_trust_ratio = isnan(o->max_trust_ratio) ? 0 : o->max_trust_ratio, .decay_lambda = o->decay_lambda),
                          &m->slot[0], &m->slot[1]);
}

static vn_array *over_root(const vn__optimizer *b, const vn__motion *m, vn_array *squares)
{
    return vn_div(m->g, vn_add(vn_sqrt(squares), vn_scalar(b->o.epsilon)));
}

static vn_array *move_rmsprop(const vn__optimizer *b, vn__motion *m)
{
    m->slot[0] = vn__optim_blend(b->o.beta2, m->slot[0], vn_square(m->g));
    return against(m, with_momentum(b, m, over_root(b, m, m->slot[0]), 1));
}

static vn_array *move_adagrad(const vn__optimizer *b, vn__motion *m)
{
    m->slot[0] = vn_add(m->slot[0], vn_square(m->g));
    return against(m, over_root(b, m, m->slot[0]));
}

static vn_array *move_lion(const vn__optimizer *b, vn__motion *m)
{
    vn_array *direction = vn_sign(vn__optim_blend(b->o.beta1, m->slot[0], m->g));
    m->slot[0] = vn__optim_blend(b->o.beta2, m->slot[0], m->g);
    return against(m, direction);
}

const vn__optim_rule vn__optim_rules[] = {
    [VN__SGD] = {"sgd", {"momentum"}, false, move_sgd, NULL},
    [VN__ADAM] = {"adam", {"m", "v"}, false, NULL, move_adam},
    [VN__ADAMW] = {"adamw", {"m", "v"}, true, NULL, move_adam},
    [VN__LARS] = {"lars", {NULL}, false, move_lars, NULL},
    [VN__LAMB] = {"lamb", {"m", "v"}, false, move_lamb, NULL},
    [VN__RMSPROP] = {"rmsprop", {"v", "momentum"}, false, move_rmsprop, NULL},
    [VN__ADAGRAD] = {"adagrad", {"v"}, false, move_adagrad, NULL},
    [VN__LION] = {"lion", {"m"}, true, move_lion, NULL},
};

const char *vn__optim_slot(const vn__optimizer *b, int k)
{
    const char *name = b->rule->slots[k];
    return name && !strcmp(name, "momentum") && !(b->o.momentum > 0) ? NULL : name;
}
