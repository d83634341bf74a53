/* SPDX-License-Identifier: Apache-2.0 */
/* optim.c: optimizers as objects: making them, and the settings that all of them share. */
#include "nn/optim.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

void vn__optim_release(void *memory)
{
    vn__optimizer *b = memory;
    for (int k = 0; k < b->n_parts; k++) vn_optim_drop(b->part[k]);
    vn_tree_drop(b->state);
    vn__optim_end_schedule(b);
    vn__free(b->part), vn__free(b->opts), vn__free(b->text), vn__free(b->label), vn__free(b->injected);
    vn__free(memory);
}

/* ---- making ---- */

/* A learning rate: checked wherever one is set. */
int vn__optim_check_rate(const char *who, double lr)
{
    if (isfinite(lr) && lr >= 0) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: lr is %g; a number in [0, inf) is needed", who, isnan(lr) ? NAN : lr); /* without the sign of a NaN */
}

/* An empty tree that no scope owns. */
static vn_tree *empty_state(void)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    return t ? vn_tree_keep(t) : NULL;
}

vn_optim *vn__optim_new(const vn__optim_rule *r, double lr, const vn__struct *fields, const void *opts)
{
    lr = vn__real_of(lr);
    if (vn__optim_check_rate(r->name, lr)) return NULL;
    vn__optimizer *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(r->name), NULL;
    *b = (vn__optimizer){.rule = r, .lr = lr, .fields = fields};
    int code = VN_OK;
    if (fields)
        code = (b->opts = vn__calloc(fields->size)) ? vn__take_struct(r->options ? r->options : r->name, fields, b->opts, opts)
                                                    : vn__no_memory(r->name);
    if (!code) b->state = empty_state();
    vn_optim *made = b->state ? (vn_optim *)vn__object_new(VN__OPTIM, b, r->name) : NULL;
    if (!made) vn__optim_release(b);
    return made;
}

/* ---- compositions ---- */

void vn__optim_count(vn_optim *o)
{
    vn__optimizer *b = vn__optim_of(o);
    b->counted = true;
    for (int k = 0; k < b->n_parts; k++) vn__optim_count(b->part[k]);
}

/* How many levels of parts it has, itself included. */
static int depth(const vn__optimizer *b)
{
    int most = 0;
    for (int k = 0; k < b->n_parts; k++) {
        const int inside = depth(vn__optim_of(b->part[k]));
        if (inside > most) most = inside;
    }
    return most + 1;
}

static int not_of_parts(const char *who, const vn__optimizer *b)
{
    return vn__fail(VN_E_ARG, "%s: clipping, accumulation, averages and missing gradients are settings of the whole, not of its part %s",
                    who, b->rule->name);
}

/* A part is new: it belongs to nothing, has made no step, and leaves what all optimizers share to the whole. */
static int check_part(const char *who, vn_optim *part)
{
    if (!vn__check(part, VN__OPTIM, who, "part")) return vn_status();
    const vn__optimizer *b = vn__optim_of(part);
    if (b->taken) return vn__fail(VN_E_ARG, "%s: %s is a part of another optimizer already", who, b->rule->name);
    if (b->calls) return vn__fail(VN_E_ARG, "%s: %s has made %lld steps; parts are new", who, b->rule->name, (long long)b->calls);
    if (b->rule->outermost)
        return vn__fail(VN_E_ARG, "%s: %s is no part of another optimizer; it goes around: %s(%s(...))", who, b->rule->name, b->rule->name,
                        who);
    if (b->clip_norm > 0 || b->clip_value > 0 || b->average > 0 || b->accumulate > 1 || b->ignore_missing) return not_of_parts(who, b);
    if (depth(b) >= VN__OPTIM_DEEP) return vn__fail(VN_E_ARG, "%s: more than %d levels of parts", who, VN__OPTIM_DEEP);
    return VN_OK;
}

vn_optim *vn__optim_compose(const vn__optim_rule *r, const vn__struct *fields, const void *opts, int n, vn_optim *const *parts)
{
    if (n < 1 || n > VN__OPTIM_PARTS || !parts)
        return vn__fail(VN_E_ARG, "%s: %d parts; 1 to %d are needed", r->name, parts ? n : 0, VN__OPTIM_PARTS), NULL;
    vn_optim *made = vn__optim_new(r, 0, fields, opts);
    for (int k = 0; made && k < n; k++) {
        if (check_part(r->name, parts[k])) return NULL;
        for (int j = 0; j < k; j++)
            if (parts[j] == parts[k]) return vn__fail(VN_E_ARG, "%s: one optimizer is two of its parts", r->name), NULL;
    }
    vn__optimizer *b = made ? vn__optim_of(made) : NULL;
    if (b && !(b->part = vn__calloc((size_t)n * sizeof *b->part))) return vn__no_memory(r->name), NULL;
    for (int k = 0; b && k < n; k++) {
        if (!(b->part[k] = vn_optim_keep(parts[k]))) return NULL;
        b->n_parts++;
        vn__optim_of(parts[k])->taken = true;
        char name[64];
        vn__optim_part_name(b, k, name);
        if (vn__optim_reserved(b, name)) return vn__fail(VN_E_ARG, "%s: no part can be named \"%s\"", r->name, name), NULL;
    }
    return made;
}

static const char *label_of(const vn__optimizer *b)
{
    return b->label ? b->label : b->rule->name;
}

void vn__optim_part_name(const vn__optimizer *b, int k, char to[static 64])
{
    const char *name = label_of(vn__optim_of(b->part[k]));
    int same = 1;
    for (int j = 0; j < k; j++) same += !strcmp(label_of(vn__optim_of(b->part[j])), name);
    if (same > 1) snprintf(to, 64, "%.48s_%d", name, same);
    else snprintf(to, 64, "%.63s", name);
}

int vn_optim_rename(vn_optim *o, const char *name)
{
    static const char who[] = "optim_rename";
    if (!vn__check(o, VN__OPTIM, who, "o")) return vn_status();
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who);
    const size_t n = strlen(name);
    if (!n || n > 48 || strpbrk(name, "/ ,()=:")) return vn__fail(VN_E_ARG, "%s: \"%.60s\" is no name", who, name);
    if (vn__optim_of(o)->taken) return vn__fail(VN_E_ARG, "%s: a part is named before it becomes one", who);
    char *copy = vn__alloc(n + 1);
    if (!copy) return vn__no_memory(who);
    memcpy(copy, name, n + 1);
    vn__free(vn__optim_of(o)->label);
    vn__optim_of(o)->label = copy;
    return VN_OK;
}

/* The part that a chain of names "groups/adam" leads to; NULL: there is none. */
static vn_optim *part_of(vn_optim *o, const char *chain)
{
    while (o && *chain) {
        const vn__optimizer *b = vn__optim_of(o);
        const size_t n = strcspn(chain, "/");
        vn_optim *found = NULL;
        for (int k = 0; k < b->n_parts && !found; k++) {
            char name[64];
            vn__optim_part_name(b, k, name);
            if (strlen(name) == n && !memcmp(name, chain, n)) found = b->part[k];
        }
        o = found;
        chain += n + (chain[n] == '/');
    }
    return o;
}

vn_optim *vn_optim_part(vn_optim *o, const char *name)
{
    static const char who[] = "optim_part";
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who), NULL;
    vn_optim *part = part_of(o, name);
    if (!part) vn__fail(VN_E_ARG, "%s: %s has no part \"%.100s\"", who, vn__optim_of(o)->rule->name, name);
    return part;
}

vn__optimizer *vn__optim_lead(vn__optimizer *b)
{
    if (b->rule->rated) return b;
    for (int k = b->n_parts; k-- > 0;) {
        vn__optimizer *lead = vn__optim_lead(vn__optim_of(b->part[k]));
        if (lead) return lead;
    }
    return NULL;
}

/* ---- what all of them share ---- */

/* The optimizer, a whole one, before its first step. NULL, with the error set, otherwise. */
static vn__optimizer *before_steps(vn_optim *o, const char *who)
{
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    if (vn__optim_of(o)->taken) return not_of_parts(who, vn__optim_of(o)), NULL;
    if (vn__optim_of(o)->calls)
        return vn__fail(VN_E_ARG, "%s: the optimizer has made %lld steps; it is set before the first", who,
                        (long long)vn__optim_of(o)->calls),
               NULL;
    return vn__optim_of(o);
}

/* Sets a length or width: finite and above 0. */
static int set_limit(vn_optim *o, const char *who, double most, size_t at)
{
    vn__optimizer *b = before_steps(o, who);
    if (!b) return vn_status();
    if (!isfinite(most) || most <= 0) return vn__fail(VN_E_ARG, "%s: %g; a number above 0 is needed", who, most);
    memcpy((char *)b + at, &most, sizeof most);
    return VN_OK;
}

int vn_optim_clip_norm(vn_optim *o, double max_norm)
{
    return set_limit(o, "optim_clip_norm", max_norm, offsetof(vn__optimizer, clip_norm));
}
int vn_optim_clip_value(vn_optim *o, double max_value)
{
    return set_limit(o, "optim_clip_value", max_value, offsetof(vn__optimizer, clip_value));
}

int vn_optim_accumulate(vn_optim *o, int64_t steps)
{
    vn__optimizer *b = before_steps(o, "optim_accumulate");
    if (!b) return vn_status();
    if (steps < 1) return vn__fail(VN_E_ARG, "optim_accumulate: gradients of %lld steps cannot be accumulated", (long long)steps);
    b->accumulate = steps;
    return VN_OK;
}

int vn_optim_keep_average(vn_optim *o, double decay)
{
    vn__optimizer *b = before_steps(o, "optim_keep_average");
    if (!b) return vn_status();
    if (!(decay > 0 && decay < 1)) return vn__fail(VN_E_ARG, "optim_keep_average: the decay is %g; above 0 and below 1 is needed", decay);
    b->average = decay;
    return VN_OK;
}

bool vn__optim_average_is(const vn_optim *o, double decay)
{
    return vn__optim_of(o)->average == decay;
}

void vn__optim_scale_rates(const vn_optim *o, double by)
{
    vn__optimizer *b = vn__optim_of(o);
    b->rate_scale = by;
    for (int k = 0; k < b->n_parts; k++) vn__optim_scale_rates(b->part[k], by);
}

int vn_optim_ignore_missing(vn_optim *o)
{
    vn__optimizer *b = before_steps(o, "optim_ignore_missing");
    if (!b) return vn_status();
    b->ignore_missing = true;
    return VN_OK;
}

/* The part of o that has the learning rate. */
static vn__optimizer *rated(const vn_optim *o, const char *who)
{
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    vn__optimizer *lead = vn__optim_lead(vn__optim_of(o));
    if (!lead) vn__fail(VN_E_ARG, "%s: %s has no learning rate", who, vn__optim_of(o)->rule->name);
    return lead;
}

int vn_optim_set_lr(vn_optim *o, double lr)
{
    vn__optimizer *b = rated(o, "optim_set_lr");
    if (!b) return vn_status();
    lr = vn__real_of(lr);
    if (vn__optim_check_rate("optim_set_lr", lr)) return vn_status();
    b->lr = lr;
    vn__optim_end_schedule(b);
    return VN_OK;
}

int vn_optim_schedule(vn_optim *o, vn_schedule s)
{
    vn__optimizer *b = rated(o, "optim_schedule");
    if (!b) return vn_status();
    int code = vn__schedule_check(&s, "optim_schedule");
    if (code) return code;
    vn__optim_end_schedule(b);
    b->schedule = s;
    b->scheduled = true;
    return VN_OK;
}

int vn_optim_schedule_option(vn_optim *o, const char *option, vn_schedule s)
{
    static const char who[] = "optim_schedule_option";
    if (!vn__check(o, VN__OPTIM, who, "o")) return vn_status();
    if (!option) return vn__fail(VN_E_NULL, "%s: option is NULL", who);
    vn__optimizer *b = vn__optim_of(o);
    int field = b->fields ? b->fields->n : 0;
    while (field-- > 0 && (b->fields->fields[field].read != VN__FIELD_FLOAT || strcmp(b->fields->options[field].name, option) != 0))
        continue;
    if (field < 0) return vn__fail(VN_E_ARG, "%s: %s has no option \"%.40s\" that is a number", who, b->rule->name, option);
    int code = vn__schedule_check(&s, who), k = 0;
    while (!code && k < b->n_injected && b->injected[k].field != field) k++;
    if (!code && k == b->n_injected) {
        vn__injected *more = vn__calloc((size_t)(k + 1) * sizeof *more);
        if (!more) return vn__no_memory(who);
        if (k) memcpy(more, b->injected, (size_t)k * sizeof *more);
        vn__free(b->injected);
        b->injected = more, b->n_injected++;
    }
    if (!code) b->injected[k] = (vn__injected){field, s};
    return code;
}

double vn__optim_rate(const vn__optimizer *b, int64_t steps)
{
    return (b->scheduled ? vn_schedule_at(&b->schedule, steps) : b->lr) * (b->rate_scale > 0 ? b->rate_scale : 1);
}

double vn_optim_lr(const vn_optim *o)
{
    if (!vn__check(o, VN__OPTIM, "optim_lr", "o")) return NAN;
    const vn__optimizer *b = vn__optim_lead(vn__optim_of(o));
    return b ? vn__optim_rate(b, vn__optim_of(o)->steps) : 1;
}

const char *vn_optim_name(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_name", "o") ? vn__optim_of(o)->rule->name : NULL;
}

int64_t vn_optim_steps(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_steps", "o") ? vn__optim_of(o)->steps : -1;
}
