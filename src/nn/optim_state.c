/* SPDX-License-Identifier: Apache-2.0 */
/* optim_state.c: an optimizer's state as a tree, for checkpoints: its slots, how many steps it made, its learning rate or schedule. */
#include "nn/optim.h"
#include "base/minmax.h"
#include <math.h>

/* The numbers of a schedule, with their names in a state. */
typedef struct {
    const char *name;
    double *real;
    int64_t *count;
} schedule_field;
enum { SCHEDULE_FIELDS = 7 };
static void schedule_fields(vn_schedule *s, schedule_field to[static SCHEDULE_FIELDS])
{
    const schedule_field all[SCHEDULE_FIELDS] = {
        {"rate", &s->rate, NULL},   {"last", &s->last, NULL},   {"factor", &s->factor, NULL},        {"warm", &s->warm, NULL},
        {"steps", NULL, &s->steps}, {"every", NULL, &s->every}, {"warm_steps", NULL, &s->warm_steps}};
    memcpy(to, all, sizeof all);
}

static bool same_schedule(const vn__optimizer *a, const vn__optimizer *b)
{
    vn_schedule s = a->schedule, t = b->schedule;
    schedule_field x[SCHEDULE_FIELDS], y[SCHEDULE_FIELDS];
    schedule_fields(&s, x), schedule_fields(&t, y);
    bool same = a->scheduled && b->scheduled && s.kind == t.kind && s.fn == t.fn;
    for (int k = 0; k < SCHEDULE_FIELDS && same; k++) same = x[k].real ? *x[k].real == *y[k].real : *x[k].count == *y[k].count;
    return same;
}

static vn_tree *rate_state(const vn__optimizer *b)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    int code = t ? vn_tree_set_number(t, "lr", b->lr) : (int)vn_status();
    vn_schedule s = b->schedule;
    schedule_field fields[SCHEDULE_FIELDS];
    schedule_fields(&s, fields);
    if (!code && b->scheduled) code = vn_tree_set_number(t, "schedule", s.kind);
    for (int k = 0; k < SCHEDULE_FIELDS && !code && b->scheduled; k++)
        code = vn_tree_set_number(t, fields[k].name, fields[k].real ? *fields[k].real : (double)*fields[k].count);
    return code ? NULL : vn_tree_pass(t);
}

/* The state of an optimizer and its parts: slots, "rate", and a tree for each part. */
static vn_tree *whole_state(const vn__optimizer *b)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_copy(b->state), *rate = t && b->rule->rated ? rate_state(b) : NULL;
    int code = !t || (b->rule->rated && !rate) ? (int)vn_status() : rate ? vn_tree_set_tree(t, "rate", rate) : VN_OK;
    for (int k = 0; k < b->n_parts && !code; k++) {
        char name[64];
        vn__optim_part_name(b, k, name);
        vn_tree *part = whole_state(vn__optim_of(b->part[k]));
        code = part ? vn_tree_set_tree(t, name, part) : (int)vn_status();
    }
    return code ? NULL : vn_tree_pass(t);
}

vn_tree *vn_optim_state(vn_optim *o)
{
    if (!vn__check(o, VN__OPTIM, "optim_state", "o")) return NULL;
    const vn__optimizer *b = vn__optim_of(o);
    vn_tree *t = whole_state(b);
    if (!t || vn_tree_set_number(t, "steps", (double)b->steps) || vn_tree_set_number(t, "calls", (double)b->calls) ||
        (b->accumulate > 1 && vn_tree_set_number(t, "accumulate", (double)b->accumulate)))
        return NULL;
    return t;
}

static bool is_count(vn_value v)
{
    return v.kind == VN_V_NUMBER && v.u.number >= 0 && v.u.number < 0x1p53 && v.u.number == floor(v.u.number);
}

/* The part of this name; -1: there is none. */
static int part_named(const vn__optimizer *b, const char *name)
{
    for (int k = 0; k < b->n_parts; k++) {
        char own[64];
        vn__optim_part_name(b, k, own);
        if (!strcmp(own, name)) return k;
    }
    return -1;
}

/* Names in a state that are neither slots nor parts. */
enum { STEPS, CALLS, ACCUMULATE, HELD, AVERAGE, RATE, COUNT, OWN_NAMES };
static const char *const own_names[OWN_NAMES] = {"steps", "calls", "accumulate", "held", "average", "rate", "count"};

static int own_name(const char *name)
{
    int k = 0;
    while (k < OWN_NAMES && strcmp(own_names[k], name) != 0) k++;
    return k;
}

bool vn__optim_reserved(const vn__optimizer *b, const char *name)
{
    for (int k = 0; k < VN__OPTIM_SLOTS; k++)
        if (b->rule->slots[k].name && !strcmp(b->rule->slots[k].name, name)) return true;
    return own_name(name) < OWN_NAMES;
}

static bool knows(const vn__optimizer *b, const char *name, bool root)
{
    for (int k = 0; k < VN__OPTIM_SLOTS; k++)
        if (vn__optim_uses(b, k) && !strcmp(b->rule->slots[k].name, name)) return true;
    const int own = own_name(name);
    if (own == RATE) return b->rule->rated;
    if (own == COUNT) return b->counted;
    if (own < OWN_NAMES) return root && (own != AVERAGE || b->average > 0);
    return part_named(b, name) >= 0;
}

static int number_of(const vn_tree *t, const char *name, bool count, double *to, const char *who)
{
    vn_value v = vn_tree_if_exists(t, name);
    if (v.kind != VN_V_NUMBER || !isfinite(v.u.number) || (count && !is_count(v)))
        return vn__fail(VN_E_STRUCT, "%s: \"rate/%s\" must be a %s", who, name, count ? "count" : "number");
    *to = v.u.number;
    return VN_OK;
}

/* Sets learning rate and schedule from a state, if it has them. */
static int take_rate(vn__optimizer *b, vn_value rate, const char *who)
{
    if (vn__none(rate)) return VN_OK;
    if (!vn__is_tree(rate)) return vn__fail(VN_E_STRUCT, "%s: \"rate\" must be a tree", who);
    const vn_tree *t = rate.u.tree;
    double kind = 0, number = 0;
    int code = number_of(t, "lr", false, &b->lr, who);
    if (!code) code = vn__optim_check_rate(who, b->lr);
    bool scheduled = !code && vn_tree_has(t, "schedule"), has_function = b->scheduled && b->schedule.fn;
    if (!code && scheduled) code = number_of(t, "schedule", true, &kind, who);
    b->scheduled = scheduled;
    if (code || !scheduled) return code;
    vn_schedule s = {.kind = (int32_t)fmin(kind, INT32_MAX)};
    schedule_field fields[SCHEDULE_FIELDS];
    schedule_fields(&s, fields);
    for (int k = 0; k < SCHEDULE_FIELDS && !code; k++) {
        code = number_of(t, fields[k].name, fields[k].count, &number, who);
        if (fields[k].count) *fields[k].count = (int64_t)number;
        else *fields[k].real = number;
    }
    if (!code && vn__schedule_is_function(&s)) {
        if (!has_function)
            return vn__fail(VN_E_STRUCT, "%s: the schedule was a function; give the optimizer one (vn_optim_schedule) before", who);
        s.fn = b->schedule.fn, s.user = b->schedule.user;
    }
    if (!code) code = vn__schedule_check(&s, who);
    b->schedule = s;
    return code;
}

/* How many calls the optimizer has made if it takes this state, and whether gradients are held. A state of another count of accumulated
 * steps fits where no gradients wait. */
static int take_calls(const vn__optimizer *b, const vn_tree *state, int64_t steps, int64_t *calls, bool *held, const char *who)
{
    const vn_value count = vn_tree_if_exists(state, "accumulate");
    const int64_t own = vn__max(b->accumulate, 1), theirs = vn__none(count) ? 1 : is_count(count) ? (int64_t)count.u.number : 0;
    if (theirs < 1) return vn__fail(VN_E_STRUCT, "%s: \"accumulate\" must be a count above 0", who);
    const int64_t waiting = *calls % theirs;
    *held = waiting != 0;
    if (waiting && theirs != own)
        return vn__fail(VN_E_STRUCT, "%s: gradients of %lld of %lld steps are accumulated, which needs vn_optim_accumulate(o, %lld)", who,
                        (long long)waiting, (long long)theirs, (long long)theirs);
    bool whole = true;
    for (int l = 0; waiting >> l && l < 63; l++) {
        char name[32];
        snprintf(name, sizeof name, "held/%d", l);
        whole = whole && (!(waiting >> l & 1) || vn_tree_has(state, name));
    }
    if (!whole)
        return vn__fail(VN_E_STRUCT, "%s: after %lld calls, gradients of %lld steps are half accumulated, and the state does not hold them",
                        who, (long long)*calls, (long long)own);
    if (theirs == own) return VN_OK;
    if (steps > INT64_MAX / own) return vn__fail(VN_E_STRUCT, "%s: \"steps\" is %lld, which is too many", who, (long long)steps);
    *calls = steps * own;
    return VN_OK;
}

/* What one optimizer takes of a state, after all of it was checked. */
typedef struct {
    vn__optimizer *b, rated;
    vn_tree *state;
} taken;

static int count_parts(const vn__optimizer *b)
{
    int n = 1;
    for (int k = 0; k < b->n_parts; k++) n += count_parts(vn__optim_of(b->part[k]));
    return n;
}

/* Checks a state, and adds it and those of the parts to the list. `held`: gradients wait. */
static int take_state(vn__optimizer *b, const vn_tree *state, bool root, bool held, taken *list, int *n, const char *who)
{
    int m = 0;
    const char *const *keys = vn_tree_keys(state, &m);
    for (int k = 0; keys && k < m; k++) {
        if (!knows(b, keys[k], root)) return vn__fail(VN_E_STRUCT, "%s: %s has no state \"%.100s\"", who, b->rule->name, keys[k]);
    }
    taken *to = &list[(*n)++];
    *to = (taken){.b = b, .rated = *b};
    int code = keys ? take_rate(&to->rated, vn_tree_if_exists(state, "rate"), who) : (int)vn_status();
    if (code) return code;
    vn_tree *copy = vn_tree_deep_copy(state);
    copy = copy ? vn_tree_prune_key_chains(copy, VN_KEYS("steps", "calls", "accumulate", "rate", held ? NULL : "held")) : NULL;
    for (int k = 0; k < b->n_parts && copy && !code; k++) {
        char name[64];
        vn__optim_part_name(b, k, name);
        const vn_value part = vn_tree_if_exists(state, name);
        if (!vn__is_tree(part)) return vn__fail(VN_E_STRUCT, "%s: %s has no state of its part \"%s\" here", who, b->rule->name, name);
        code = take_state(vn__optim_of(b->part[k]), part.u.tree, false, true, list, n, who);
        if (!code) copy = vn_tree_prune_key_chains(copy, VN_KEYS(name));
    }
    return code || !(to->state = copy) ? (int)vn_status() : VN_OK;
}

int vn_optim_set_state(vn_optim *o, const vn_tree *state)
{
    static const char who[] = "optim_set_state";
    if (!vn__check(o, VN__OPTIM, who, "o") || !vn__check(state, VN__TREE, who, "state")) return vn_status();
    VN_SCOPE;
    vn__optimizer *b = vn__optim_of(o);
    vn_value steps = vn_tree_if_exists(state, "steps"), calls = vn_tree_if_exists(state, "calls");
    if (!is_count(steps) || !is_count(calls)) return vn__fail(VN_E_STRUCT, "%s: \"steps\" and \"calls\" must be counts", who);
    int64_t made = (int64_t)calls.u.number;
    bool held = false;
    int n = 0, code = take_calls(b, state, (int64_t)steps.u.number, &made, &held, who);
    taken *list = code ? NULL : vn__scope_memory((size_t)count_parts(b) * sizeof *list, who);
    if (!list) return vn_status();
    code = take_state(b, state, true, held, list, &n, who);
    for (int k = 0; k < n && !code; k++)
        if (!vn_tree_keep(list[k].state)) return vn_status();
    for (int k = 0; k < n && !code; k++) {
        vn__optimizer *to = list[k].b, *rated = &list[k].rated;
        vn_tree_drop(to->state);
        to->state = list[k].state;
        if (!same_schedule(rated, to)) vn__optim_end_schedule(to); /* its text is another one's */
        to->lr = rated->lr, to->scheduled = rated->scheduled, to->schedule = rated->schedule;
    }
    if (!code) b->steps = (int64_t)steps.u.number, b->calls = made;
    return code;
}

vn_tree *vn_optim_average(vn_optim *o)
{
    if (!vn__check(o, VN__OPTIM, "optim_average", "o")) return NULL;
    if (!(vn__optim_of(o)->average > 0))
        return vn__fail(VN_E_ARG, "optim_average: %s keeps no average; vn_optim_keep_average begins one", vn__optim_of(o)->rule->name),
               NULL;
    if (!vn_tree_has(vn__optim_of(o)->state, "average")) return vn__fail(VN_E_ARG, "optim_average: no step was taken yet"), NULL;
    return vn_tree_get_tree(vn__optim_of(o)->state, "average");
}
