/* SPDX-License-Identifier: Apache-2.0 */
/* optim_parts.c: optimizers made of others: one after the other, groups of parameters, averages, and steps that are skipped. */
#include "nn/optim.h"
#include <math.h>

static vn_optim *of_one(const vn__optim_rule *r, const vn__struct *fields, const void *opts, vn_optim *part)
{
    return vn__optim_compose(r, fields, opts, 1, &part);
}

/* The same where steps may skip the part. */
static vn_optim *of_counted(const vn__optim_rule *r, const vn__struct *fields, const void *opts, vn_optim *part)
{
    vn_optim *made = of_one(r, fields, opts, part);
    if (made) vn__optim_count(part);
    return made;
}

/* ---- one after the other ---- */

static int chain_all(vn__moving *m)
{
    int code = VN_OK;
    for (int k = 0; k < m->n_parts && !code; k++) code = vn__move_part(m, k);
    return code;
}
static const vn__optim_rule chain_rule = {.name = "chain", .all = chain_all, .complete = true};
vn_optim *vn_chain(int n, vn_optim *const *parts)
{
    return vn__optim_compose(&chain_rule, NULL, NULL, n, parts);
}

static int direction_all(vn__moving *m)
{
    m->part[0].lr = 1;
    int code = vn__move_part(m, 0);
    for (int i = 0; i < m->n && !code; i++)
        if (!(m->g[i] = vn_neg(m->g[i]))) code = vn_status();
    return code;
}
static int direction_sense(const vn__optimizer *b, const char *key, int sense)
{
    return -vn__optim_sense(vn__optim_of(b->part[0]), key, sense);
}
static const vn__optim_rule direction_rule = {.name = "direction", .all = direction_all, .complete = true, .sense = direction_sense};
vn_optim *vn_direction(vn_optim *part)
{
    if (!vn__check(part, VN__OPTIM, "direction", "part")) return NULL;
    if (!vn__optim_of(part)->rule->rated)
        return vn__fail(VN_E_ARG, "direction: %s has no learning rate of its own", vn__optim_of(part)->rule->name), NULL;
    return of_one(&direction_rule, NULL, NULL, part);
}

/* ---- some parameters ---- */

/* Whether a text, up to n characters, matches a pattern in which * stands for any text. */
static bool matches(const char *pattern, size_t n, const char *text)
{
    const char *end = pattern + n, *star = NULL, *from = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') star = ++pattern, from = text;
        else if (pattern < end && *pattern == *text) pattern++, text++;
        else if (star) pattern = star, text = ++from;
        else return false;
    }
    while (pattern < end && *pattern == '*') pattern++;
    return pattern == end;
}

/* Patterns one after the other, *n characters long; NULL: there is none. A ! before the first turns all of them round. */
static const char *next_pattern(const char *at, size_t *n)
{
    at += strspn(at, " ");
    *n = strcspn(at, " ");
    return *n ? at : NULL;
}
static const char *first_pattern(const vn__optimizer *b, size_t *n)
{
    return next_pattern(b->text + (*b->text == '!'), n);
}
static bool masked_picks(const vn__optimizer *b, int part, const char *key)
{
    (void)part;
    bool found = false;
    size_t n;
    for (const char *at = first_pattern(b, &n); at && !found; at = next_pattern(at + n, &n)) found = matches(at, n, key);
    return found != (*b->text == '!');
}

static int not_matched(const char *pattern, size_t n, const vn_tree *p, const char *who)
{
    char names[300];
    size_t used = 0;
    for (int i = 0; i < vn_tree_leaves(p); i++) {
        const char *key = vn_tree_leaf_key(p, i);
        if (!key) return vn_status();
        if (used + strlen(key) + 8 > sizeof names) {
            snprintf(names + used, sizeof names - used, " ...");
            break;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", key);
    }
    return vn__fail(VN_E_STRUCT, "%s: masked: the pattern \"%.*s\" matches none of the parameters, which are %s", who, (int)n, pattern,
                    names);
}
/* A pattern that matches nothing is a wrong one. */
static int masked_check(const vn__optimizer *b, const vn__optimizer *whole, const vn_tree *p, const char *who)
{
    const int leaves = vn_tree_leaves(p);
    size_t n;
    (void)whole;
    for (const char *at = first_pattern(b, &n); at && leaves; at = next_pattern(at + n, &n)) {
        bool found = false;
        for (int i = 0; i < leaves && !found; i++) {
            const char *key = vn_tree_leaf_key(p, i);
            if (!key) return vn_status();
            found = matches(at, n, key);
        }
        if (!found) return not_matched(at, n, p, who);
    }
    return VN_OK;
}
static const vn__optim_rule masked_rule = {
    .name = "masked", .all = chain_all, .complete = true, .picks = masked_picks, .check = masked_check};
vn_optim *vn_masked(vn_optim *part, const char *only)
{
    if (!only) return vn__fail(VN_E_NULL, "masked: only is NULL"), NULL;
    const size_t n = strlen(only);
    if (strspn(only, " !") == n || n > 500) return vn__fail(VN_E_ARG, "masked: \"%.60s\" has no pattern, or too many", only), NULL;
    vn_optim *made = of_one(&masked_rule, NULL, NULL, part);
    if (made && !(vn__optim_of(made)->text = vn__calloc(n + 1))) return vn__no_memory("masked"), NULL;
    if (made) memcpy(vn__optim_of(made)->text, only, n);
    return made;
}

/* The first part that takes a parameter. */
static int group_of(const vn__optimizer *b, const char *key)
{
    for (int k = 0; k < b->n_parts; k++) {
        const vn__optimizer *part = vn__optim_of(b->part[k]);
        if (part->rule != &masked_rule || masked_picks(part, 0, key)) return k;
    }
    return -1;
}
static bool groups_picks(const vn__optimizer *b, int part, const char *key)
{
    return group_of(b, key) == part;
}
static int groups_all(vn__moving *m)
{
    for (int i = 0; i < m->n; i++)
        if (group_of(m->b, m->key[i]) < 0)
            return vn__fail(VN_E_STRUCT, "groups: no part takes \"%s\"; a last part that is not masked takes what others leave", m->key[i]);
    return chain_all(m);
}
static int groups_sense(const vn__optimizer *b, const char *key, int sense)
{
    const int k = group_of(b, key);
    return k < 0 ? 0 : vn__optim_sense(vn__optim_of(b->part[k]), key, sense); /* groups_all refuses what no part takes */
}
static const vn__optim_rule groups_rule = {
    .name = "groups", .all = groups_all, .complete = true, .picks = groups_picks, .sense = groups_sense};
vn_optim *vn_groups(int n, vn_optim *const *parts)
{
    return vn__optim_compose(&groups_rule, NULL, NULL, n, parts);
}

/* ---- periods ---- */

/* Whether the step, from 1, leaves this rest. */
static vn_array *is_step(const vn__moving *m, double period, double rest)
{
    return vn_equal(vn_remainder(vn__step_number(m), vn_scalar(period)), vn_scalar(fmod(rest, period)));
}

/* The state of a part, and of its parts, begins anew where the condition holds. */
static int restart(vn__moving *m, vn_array *condition)
{
    for (int j = 0; j < VN__OPTIM_SLOTS; j++) {
        const int n = m->b->rule->slots[j].single ? 1 : m->n;
        for (int i = 0; m->slot[j] && i < n; i++)
            if (!(m->slot[j][i] = vn_where(condition, m->b->rule->slots[j].begin(m, i), m->slot[j][i]))) return vn_status();
    }
    if (m->count && !(m->count = vn_where(condition, vn__number_like(m, 0), m->count))) return vn_status();
    int code = VN_OK;
    for (int k = 0; k < m->n_parts && !code; k++) code = restart(&m->part[k], condition);
    return code;
}

static int lookahead_all(vn__moving *m)
{
    OPTS(lookahead);
    int code = vn__move_part(m, 0);
    vn_array *now = is_step(m, (double)o->period, 0);
    for (int i = 0; i < m->n && !code; i++) {
        vn_array *slow = m->slot[0][i], *away = vn_sub(vn_add(m->w[i], m->g[i]), slow);
        m->slot[0][i] = vn_where(now, vn_add(slow, vn__scaled(away, o->slow_step)), slow);
        m->g[i] = vn_where(now, vn_sub(m->g[i], vn__scaled(away, 1 - o->slow_step)), m->g[i]);
        if (!m->slot[0][i] || !m->g[i]) code = vn_status();
    }
    return !code && o->reset ? restart(&m->part[0], now) : code;
}
static const vn__optim_rule lookahead_rule = {
    .name = "lookahead", .all = lookahead_all, .complete = true, .slots = {{"slow", vn__begin_copy}}};
vn_optim *vn_lookahead(vn_optim *part, const vn_lookahead_opts *opts)
{
    const vn_optim *made = NULL;
    vn_lookahead_opts o;
    if (vn__take_struct("lookahead", &vn__struct_lookahead, &o, opts)) return NULL;
    made = o.reset ? of_counted(&lookahead_rule, &vn__struct_lookahead, opts, part)
                   : of_one(&lookahead_rule, &vn__struct_lookahead, opts, part);
    return (vn_optim *)(uintptr_t)made;
}

/* Steps along the gradient, away from the minimum, then one of the part's from where they began, by the gradient where they ended. */
static int sam_all(vn__moving *m)
{
    OPTS(sam);
    vn__moving *part = &m->part[0];
    vn_array *first = is_step(m, (double)o->period, 1), *last = is_step(m, (double)o->period, 0);
    vn_array *by = vn_div(vn__number_like(m, o->rho), vn__norm_of(m->n, m->g));
    for (int i = 0; i < m->n; i++) part->g[i] = m->g[i], part->w[i] = m->slot[0][i];
    int code = vn__move(part);
    for (int i = 0; i < m->n && !code; i++) {
        vn_array *back = vn_add(vn_sub(m->slot[0][i], m->w[i]), part->g[i]);
        m->g[i] = vn_where(last, back, vn__by(m->g[i], by));
        m->slot[0][i] = vn_where(first, m->w[i], m->slot[0][i]);
        if (!m->g[i] || !m->slot[0][i]) code = vn_status();
    }
    return code ? code : vn__choose(part, last);
}
static const vn__optim_rule sam_rule = {.name = "sam", .all = sam_all, .complete = true, .slots = {{"start", vn__begin_copy}}};
vn_optim *vn_sam(vn_optim *part, const vn_sam_opts *opts)
{
    return of_counted(&sam_rule, &vn__struct_sam, opts, part);
}

/* ---- steps that are skipped ---- */

/* The part's updates and state where the step is good, else others, and the state as it was. */
static int move_if(vn__moving *m, vn_array *good, bool passes)
{
    vn__moving *part = &m->part[0];
    for (int i = 0; i < m->n; i++) part->g[i] = m->g[i], part->w[i] = m->w[i];
    int code = vn__move(part);
    for (int i = 0; i < m->n && !code; i++)
        if (!(m->g[i] = vn_where(good, part->g[i], passes ? m->g[i] : vn_zeros_like(m->g[i])))) code = vn_status();
    return code ? code : vn__choose(part, good);
}

static vn_array *all_finite(const vn__moving *m)
{
    vn_array *finite = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *part = vn_all(vn_isfinite(m->g[i]), VN_ALL);
        finite = finite ? vn_logical_and(finite, part) : part;
    }
    return finite;
}

static int apply_if_finite_all(vn__moving *m)
{
    OPTS(apply_if_finite);
    vn_array *finite = all_finite(m);
    vn_array *errors = vn_where(finite, vn__number_like(m, 0), vn__added(m->slot[0][0], 1));
    m->slot[0][0] = errors;
    return errors ? move_if(m, vn_logical_or(finite, vn_greater(errors, vn_scalar((double)o->max_errors))), false) : (int)vn_status();
}
static const vn__optim_rule apply_if_finite_rule = {
    .name = "apply_if_finite", .all = apply_if_finite_all, .complete = true, .slots = {{"errors", vn__begin_zero, .single = true}}};
vn_optim *vn_apply_if_finite(vn_optim *part, const vn_apply_if_finite_opts *opts)
{
    return of_counted(&apply_if_finite_rule, &vn__struct_apply_if_finite, opts, part);
}

static int skip_large_all(vn__moving *m)
{
    OPTS(skip_large);
    return move_if(m, vn_less_equal(vn__norm2(m->n, m->g), vn_scalar(o->max_squares)), false);
}
static const vn__optim_rule skip_large_rule = {.name = "skip_large", .all = skip_large_all, .complete = true};
vn_optim *vn_skip_large(vn_optim *part, const vn_skip_large_opts *opts)
{
    return of_counted(&skip_large_rule, &vn__struct_skip_large, opts, part);
}

static int every_all(vn__moving *m)
{
    OPTS(every);
    return move_if(m, is_step(m, (double)o->period, (double)o->offset + 1), o->passes);
}
/* If other steps pass gradients as they are: up if either of both goes up. */
static int every_sense(const vn__optimizer *b, const char *key, int sense)
{
    const int part = vn__optim_sense(vn__optim_of(b->part[0]), key, sense);
    return ((const vn_every_opts *)b->opts)->passes && sense > part ? sense : part;
}
static const vn__optim_rule every_rule = {.name = "every", .all = every_all, .complete = true, .sense = every_sense};
vn_optim *vn_every(vn_optim *part, const vn_every_opts *opts)
{
    return of_counted(&every_rule, &vn__struct_every, opts, part);
}

/* ---- a factor of the loss, for half precision ---- */

static vn_array *begin_factor(const vn__moving *m, int i)
{
    OPTS(loss_scale);
    (void)i;
    return vn__number_like(m, o->initial);
}
/* The loss that an optimizer and its parts look at. */
static void give_loss(vn__moving *m, vn_array *loss)
{
    m->loss = loss;
    for (int k = 0; k < m->n_parts; k++) give_loss(&m->part[k], loss);
}
static int loss_scale_all(vn__moving *m)
{
    OPTS(loss_scale);
    vn_array *factor = m->slot[0][0], *by = vn_reciprocal(factor), *good = all_finite(m);
    for (int i = 0; i < m->n; i++) m->g[i] = vn__by(m->g[i], by);
    if (m->loss) give_loss(&m->part[0], vn__by(m->loss, by));
    if (!o->fixed) {
        vn_array *run = vn_where(good, vn__added(m->slot[1][0], 1), vn__number_like(m, 0));
        vn_array *grows = vn_greater_equal(run, vn_scalar((double)o->growth_steps));
        m->slot[0][0] = vn_where(good, vn_where(grows, vn__scaled(factor, 2), factor), vn_maximum(vn__scaled(factor, .5), vn_scalar(1)));
        m->slot[1][0] = vn_where(grows, vn__number_like(m, 0), run);
        if (!m->slot[0][0] || !m->slot[1][0]) return vn_status();
    }
    return move_if(m, good, false);
}
static int loss_scale_check(const vn__optimizer *b, const vn__optimizer *whole, const vn_tree *p, const char *who)
{
    (void)b, (void)p;
    if (!(whole->clip_norm > 0 || whole->clip_value > 0)) return VN_OK;
    return vn__fail(VN_E_ARG,
                    "%s: clipping is set for the gradients of the multiplied loss; clip inside: loss_scale(chain(clip_by_global_norm(1), "
                    "adam)) or loss_scale(chain(clip(1), adam))",
                    who);
}
static const vn__optim_rule loss_scale_rule = {
    .name = "loss_scale",
    .all = loss_scale_all,
    .complete = true,
    .outermost = true, /* what is around it would see gradients of the multiplied loss */
    .scales_loss = true,
    .check = loss_scale_check,
    .slots = {{"factor", begin_factor, .single = true}, {"run", vn__begin_zero, .single = true}}};
vn_optim *vn_loss_scale(vn_optim *part, const vn_loss_scale_opts *opts)
{
    return of_counted(&loss_scale_rule, &vn__struct_loss_scale, opts, part);
}

/* ---- averages instead of a schedule ---- */

static int schedule_free_all(vn__moving *m)
{
    OPTS(schedule_free);
    const vn__optimizer *lead = vn__optim_lead(m->part[0].b);
    const double lr = lead ? vn__optim_rate(lead, (int64_t)m->step - 1) : 1;
    if (!isfinite(lr)) return vn_status();
    vn_array *most = m->slot[1][0] = vn_maximum(m->slot[1][0], vn_scalar(lr)), *weight = vn_pow(most, vn_scalar(o->lr_power));
    vn_array *sum = m->slot[2][0] = vn_add(m->slot[2][0], weight);
    vn_array *part = vn_where(vn_greater(sum, vn_scalar(0)), vn_div(weight, sum), vn__number_like(m, 0));
    int code = vn__move_part(m, 0);
    for (int i = 0; i < m->n && !code; i++) {
        vn_array *z = m->slot[0][i], *next = vn_add(z, m->g[i]);
        vn_array *x = vn__scaled(vn_sub(m->w[i], vn__scaled(z, 1 - o->beta)), 1 / o->beta);
        x = vn_add(x, vn__by(vn_sub(next, x), part));
        m->slot[0][i] = next;
        if (!(m->g[i] = vn_sub(vn__blend(o->beta, x, next), m->w[i]))) code = vn_status();
    }
    return code;
}
static const vn__optim_rule schedule_free_rule = {
    .name = "schedule_free",
    .all = schedule_free_all,
    .complete = true,
    .averages = true,
    .slots = {{"z", vn__begin_copy}, {"max_lr", vn__begin_zero, .single = true}, {"weight", vn__begin_zero, .single = true}}};
vn_optim *vn_schedule_free(vn_optim *part, const vn_schedule_free_opts *opts)
{
    return of_one(&schedule_free_rule, &vn__struct_schedule_free, opts, part);
}
vn_optim *vn_schedule_free_sgd(double lr, const vn_schedule_free_sgd_opts *opts)
{
    vn_schedule_free_sgd_opts o;
    if (vn__take_struct("schedule_free_sgd", &vn__struct_schedule_free_sgd, &o, opts)) return NULL;
    vn_optim *sgd = vn_sgd(lr, VN_OPTS(sgd, .weight_decay = o.weight_decay));
    return sgd ? vn_schedule_free(sgd, VN_OPTS(schedule_free, .beta = o.beta, .lr_power = vn__given(o.lr_power))) : NULL;
}
vn_optim *vn_schedule_free_adamw(double lr, const vn_schedule_free_adamw_opts *opts)
{
    vn_schedule_free_adamw_opts o;
    if (vn__take_struct("schedule_free_adamw", &vn__struct_schedule_free_adamw, &o, opts)) return NULL;
    vn_optim *adamw = vn_adamw(lr, VN_OPTS(adamw, .beta1 = VN_ZERO, .beta2 = vn__given(o.beta2), .epsilon = vn__given(o.epsilon),
                                           .weight_decay = vn__given(o.weight_decay)));
    return adamw ? vn_schedule_free(adamw, VN_OPTS(schedule_free, .beta = o.beta1, .lr_power = vn__given(o.lr_power))) : NULL;
}

/* ---- Mechanic: the scale of the part's steps is learned ---- */

static vn_array *begin_learners(const vn__moving *m, double value)
{
    OPTS(mechanize);
    vn_array *x = vn_full(vn_scalar(value), VN_SHAPE(o->betas), VN_F64);
    return x ? vn_to(x, vn_engine_of(m->w[0])) : NULL;
}
static vn_array *begin_none_won(const vn__moving *m, int i)
{
    (void)i;
    return begin_learners(m, 0);
}
static vn_array *begin_stakes(const vn__moving *m, int i)
{
    OPTS(mechanize);
    (void)i;
    return begin_learners(m, o->initial);
}
enum { START, STAKE, REWARD, SQUARES, LARGEST };
static vn_array *betas_of(const vn__moving *m)
{
    OPTS(mechanize);
    double betas[16];
    for (int64_t k = 0; k < o->betas; k++) betas[k] = 1 - pow(.1, (double)(k + 1));
    vn_array *x = vn_from_host(betas, VN_F64, VN_SHAPE(o->betas));
    return x ? vn_to(x, vn_engine_of(m->w[0])) : NULL;
}
static int mechanize_all(vn__moving *m)
{
    OPTS(mechanize);
    vn_array *scale = vn_sum(m->slot[STAKE][0], VN_ALL), *pull = vn__scaled(vn_mul(scale, vn__norm_of(m->n, m->g)), o->weight_decay);
    pull = vn_div(pull, vn__added(vn__norm_of(m->n, m->w), o->epsilon));
    vn_array *h = NULL, *over = vn_reciprocal(vn__added(scale, o->epsilon)),
             **moved = vn__scope_memory((size_t)(m->n + 1) * sizeof *moved, "step");
    if (!moved) return vn_status();
    for (int i = 0; i < m->n; i++) {
        moved[i] = vn__by(vn_sub(m->slot[START][i], m->w[i]), over);
        vn_array *g = vn_add(m->g[i], vn__by(m->w[i], pull)), *dot = vn__dot(1, &g, &moved[i]);
        h = h ? vn_add(h, dot) : dot;
    }
    int code = h ? vn__move_part(m, 0) : (int)vn_status();
    vn_array *betas = betas_of(m), *most = m->slot[LARGEST][0], *bet = vn_minimum(vn_maximum(h, vn_neg(most)), most);
    m->slot[LARGEST][0] = vn_maximum(vn_mul(betas, most), vn__added(vn_abs(h), o->epsilon));
    m->slot[SQUARES][0] = vn_add(vn_mul(vn_square(betas), m->slot[SQUARES][0]), vn_square(h));
    m->slot[REWARD][0] = vn_add(vn_mul(betas, m->slot[REWARD][0]), vn_mul(bet, m->slot[STAKE][0]));
    vn_array *wealth = vn_add(vn__scaled(m->slot[LARGEST][0], o->initial / (double)o->betas), vn_maximum(m->slot[REWARD][0], vn_scalar(0)));
    m->slot[STAKE][0] = vn__over_root(wealth, m->slot[SQUARES][0], 0, o->epsilon);
    vn_array *next = vn_sum(m->slot[STAKE][0], VN_ALL);
    for (int i = 0; i < m->n && !code; i++) {
        vn_array *w = vn_sub(m->slot[START][i], vn__by(vn_sub(moved[i], m->g[i]), next));
        if (!(m->g[i] = vn_sub(w, m->w[i]))) code = vn_status();
    }
    return code;
}
static const vn__optim_rule mechanize_rule = {.name = "mechanize",
                                              .all = mechanize_all,
                                              .complete = true,
                                              .slots = {[START] = {"start", vn__begin_copy},
                                                        [STAKE] = {"stake", begin_stakes, .single = true},
                                                        [REWARD] = {"reward", begin_none_won, .single = true},
                                                        [SQUARES] = {"squares", begin_none_won, .single = true},
                                                        [LARGEST] = {"largest", begin_none_won, .single = true}}};
vn_optim *vn_mechanize(vn_optim *part, const vn_mechanize_opts *opts)
{
    return of_one(&mechanize_rule, &vn__struct_mechanize, opts, part);
}
