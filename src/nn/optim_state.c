/* optim_state.c: an optimizer's state as a tree, for checkpoints: its slots, how many steps it made, its learning rate or schedule. */
#include "nn/optim.h"
#include "base/minmax.h"
#include "ops/row.h"
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

vn_tree *vn_optim_state(vn_optim *o)
{
    if (!vn__check(o, VN__OPTIM, "optim_state", "o")) return NULL;
    vn_tree *t = vn_tree_copy(vn__optim_of(o)->state);
    if (!t || vn_tree_set_number(t, "steps", (double)vn__optim_of(o)->steps) ||
        vn_tree_set_number(t, "calls", (double)vn__optim_of(o)->calls) ||
        (vn__optim_of(o)->accumulate > 1 && vn_tree_set_number(t, "accumulate", (double)vn__optim_of(o)->accumulate)))
        return NULL;
    VN_SCOPE;
    vn_tree *rate = rate_state(vn__optim_of(o));
    return rate && !vn_tree_set_tree(t, "rate", rate) ? t : NULL;
}

static bool is_count(vn_value v)
{
    return v.kind == VN_V_NUMBER && v.u.number >= 0 && v.u.number < 0x1p53 && v.u.number == floor(v.u.number);
}

static bool knows(const vn__optimizer *b, const char *name)
{
    for (int k = 0; k < VN__OPTIM_SLOTS; k++) {
        if (vn__optim_slot(b, k) && !strcmp(vn__optim_slot(b, k), name)) return true;
    }
    return !strcmp(name, "held") || (!strcmp(name, "average") && b->average > 0) || !strcmp(name, "steps") || !strcmp(name, "calls") ||
           !strcmp(name, "accumulate") || !strcmp(name, "rate");
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
    if (waiting && !vn_tree_has(state, "held"))
        return vn__fail(VN_E_STRUCT, "%s: after %lld calls, gradients of %lld steps are half accumulated, and the state holds none", who,
                        (long long)*calls, (long long)own);
    if (theirs == own) return VN_OK;
    if (steps > INT64_MAX / own) return vn__fail(VN_E_STRUCT, "%s: \"steps\" is %lld, which is too many", who, (long long)steps);
    *calls = steps * own;
    return VN_OK;
}

int vn_optim_set_state(vn_optim *o, const vn_tree *state)
{
    static const char who[] = "optim_set_state";
    if (!vn__check(o, VN__OPTIM, who, "o") || !vn__check(state, VN__TREE, who, "state")) return vn_status();
    VN_SCOPE;
    vn__optimizer *b = vn__optim_of(o);
    int n = 0;
    const char *const *keys = vn_tree_keys(state, &n);
    for (int k = 0; keys && k < n; k++) {
        if (!knows(b, keys[k])) return vn__fail(VN_E_STRUCT, "%s: %s has no state \"%.100s\"", who, b->rule->name, keys[k]);
    }
    vn_value steps = vn_tree_if_exists(state, "steps"), calls = vn_tree_if_exists(state, "calls");
    if (!keys || !is_count(steps) || !is_count(calls)) return vn__fail(VN_E_STRUCT, "%s: \"steps\" and \"calls\" must be counts", who);
    vn__optimizer rated = *b;
    int code = take_rate(&rated, vn_tree_if_exists(state, "rate"), who);
    if (code) return code;
    int64_t made = (int64_t)calls.u.number;
    bool held = false;
    code = take_calls(b, state, (int64_t)steps.u.number, &made, &held, who);
    if (code) return code;
    vn_tree *copy = vn_tree_deep_copy(state);
    copy = copy ? vn_tree_prune_key_chains(copy, VN_KEYS("steps", "calls", "accumulate", "rate", held ? NULL : "held")) : NULL;
    if (!copy || !vn_tree_keep(copy)) return vn_status();
    vn_tree_drop(b->state);
    b->state = copy;
    b->lr = rated.lr, b->scheduled = rated.scheduled, b->schedule = rated.schedule;
    b->steps = (int64_t)steps.u.number;
    b->calls = made;
    return VN_OK;
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
