/* optim.c: optimizers with state. vn_step records the update (Adam's as one op for all parameters), points the handles of parameters and
 * state at it, and evaluates parameters, state, gradients and loss as one program; on failure everything is rolled back. Each optimizer is
 * a row of `rules`. */
#include "nn/nn.h"
#include "nn/objects.h"
#include "base/floats.h"
#include "ops/row.h"
#include "core/dtype.h"
#include "program/program.h"
#include <math.h>
#include <stddef.h>

/* ---- the optimizer object ---- */

enum { MOST_SLOTS = 2 };

/* One parameter during a step, in the dtype of computation (float32 for half precision). */
typedef struct {
    vn_array *w, *g, *slot[MOST_SLOTS];
    vn_array *handles[MOST_SLOTS]; /* the parameter's state, replaced by its new values */
    double lr, step;               /* step counts from 1 */
} motion;

typedef struct body body;
typedef struct {
    const char *name;
    const char *slots[MOST_SLOTS];                    /* names of its own state, a tree like the parameters each */
    bool decoupled;                                   /* weight decay is taken from w itself */
    vn_array *(*move)(const body *b, motion *m);      /* the new w; slots are replaced */
    int (*move_all)(const body *b, int n, motion *m); /* the same for all parameters at once, and w is replaced; NULL: one by one */
} rule;

/* The options of all optimizers together; each has some of them. */
typedef struct {
    double momentum, beta1, beta2, epsilon, weight_decay, decay_lambda, max_trust_ratio;
    int nesterov, folded, first_moments_grad;
} settings;

struct body {
    const rule *rule;
    settings o;
    double clip_norm, clip_value, average; /* 0: not */
    int64_t accumulate;                    /* 0, 1: every step moves */
    bool ignore_missing;
    double lr;
    bool scheduled;
    vn_schedule schedule;
    int64_t steps, calls; /* updates; calls of vn_step, which are more if gradients are accumulated */
    vn_tree *state;       /* "m", "v", ..., "held", "average": trees with the parameters' structure; references are held */
};

static body *of(const vn_optim *o)
{
    return o->object.body;
}

void vn__optim_release(void *memory)
{
    vn_tree_drop(((body *)memory)->state);
    vn__free(memory);
}

/* ---- the rules ---- */

/* a x + (1 - a) y */
static vn_array *blend(double a, vn_array *x, vn_array *y)
{
    return vn_add(vn__scaled(x, a), vn__scaled(y, 1 - a));
}

static vn_array *against(const motion *m, vn_array *direction)
{
    return vn_sub(m->w, vn__scaled(direction, m->lr));
}

static vn_array *with_momentum(const body *b, motion *m, vn_array *direction, int slot)
{
    if (!(b->o.momentum > 0)) return direction;
    m->slot[slot] = vn_add(vn__scaled(m->slot[slot], b->o.momentum), direction);
    return b->o.nesterov ? vn_add(direction, vn__scaled(m->slot[slot], b->o.momentum)) : m->slot[slot];
}

static vn_array *move_sgd(const body *b, motion *m)
{
    return against(m, with_momentum(b, m, m->g, 0));
}

static void begin_moments(const body *b, motion *m)
{
    if (m->step > 1 || !b->o.first_moments_grad) return;
    m->slot[0] = vn__widen(m->g);
    m->slot[1] = vn_square(m->slot[0]);
}

/* Whether one op can move both parameters: their arrays have the same dtypes and are on one engine. */
static bool alike(const motion *a, const motion *b)
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
static int move_group(const body *b, int n, motion *m, const int *group, int which, vn_array **lists)
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
static int move_adam(const body *b, int n, motion *m)
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

static vn_array *move_lars(const body *b, motion *m)
{
    return vn_lars_update(m->w, m->g, vn_scalar(m->lr), VN_OPTS(lars_update, .decay_lambda = b->o.decay_lambda, .paper = !b->o.folded));
}

static vn_array *move_lamb(const body *b, motion *m)
{
    const settings *o = &b->o;
    begin_moments(b, m);
    return vn_lamb_update(m->w, m->g, vn_scalar(m->lr), m->slot[0], m->slot[1], vn_scalar(m->step),
                          VN_OPTS(lamb_update, .beta1 = given(o->beta1), .beta2 = given(o->beta2), .epsilon = given(o->epsilon),
                                  .paper = !o->folded, .max_trust_ratio = o->max_trust_ratio, .decay_lambda = o->decay_lambda),
                          &m->slot[0], &m->slot[1]);
}

static vn_array *over_root(const body *b, const motion *m, vn_array *squares)
{
    return vn_div(m->g, vn_add(vn_sqrt(squares), vn_scalar(b->o.epsilon)));
}

static vn_array *move_rmsprop(const body *b, motion *m)
{
    m->slot[0] = blend(b->o.beta2, m->slot[0], vn_square(m->g));
    return against(m, with_momentum(b, m, over_root(b, m, m->slot[0]), 1));
}

static vn_array *move_adagrad(const body *b, motion *m)
{
    m->slot[0] = vn_add(m->slot[0], vn_square(m->g));
    return against(m, over_root(b, m, m->slot[0]));
}

static vn_array *move_lion(const body *b, motion *m)
{
    vn_array *direction = vn_sign(blend(b->o.beta1, m->slot[0], m->g));
    m->slot[0] = blend(b->o.beta2, m->slot[0], m->g);
    return against(m, direction);
}

static const rule rules[] = {
    {"sgd", {"momentum"}, false, move_sgd, NULL},  {"adam", {"m", "v"}, false, NULL, move_adam},
    {"adamw", {"m", "v"}, true, NULL, move_adam},  {"lars", {NULL}, false, move_lars, NULL},
    {"lamb", {"m", "v"}, false, move_lamb, NULL},  {"rmsprop", {"v", "momentum"}, false, move_rmsprop, NULL},
    {"adagrad", {"v"}, false, move_adagrad, NULL}, {"lion", {"m"}, true, move_lion, NULL},
};
enum { SGD, ADAM, ADAMW, LARS, LAMB, RMSPROP, ADAGRAD, LION };

/* A slot that the options leave unused is not created. */
static const char *slot_name(const body *b, int k)
{
    const char *name = b->rule->slots[k];
    return name && !strcmp(name, "momentum") && !(b->o.momentum > 0) ? NULL : name;
}

/* ---- creating ---- */

/* A learning rate, for whoever sets it. */
static int check_rate(const char *who, double lr)
{
    if (isfinite(lr) && lr >= 0) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: lr is %g; a number in [0, inf) is needed", who, lr);
}

/* An empty tree that no scope owns. */
static vn_tree *empty_state(void)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    return t ? vn_tree_keep(t) : NULL;
}

static vn_optim *make(int which, double lr, settings o)
{
    const rule *r = &rules[which];
    lr = vn__real_of(lr);
    if (check_rate(r->name, lr)) return NULL;
    if (o.nesterov && !(o.momentum > 0)) return vn__fail(VN_E_ARG, "%s: nesterov needs a momentum", r->name), NULL;
    body *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(r->name), NULL;
    b->rule = r;
    b->lr = lr;
    b->o = o;
    b->state = empty_state();
    vn_optim *made = b->state ? (vn_optim *)vn__object_new(VN__OPTIM, b, r->name) : NULL;
    if (!made) vn__optim_release(b);
    return made;
}

vn_optim *vn_sgd(double lr, const vn_sgd_opts *opts)
{
    vn_sgd_opts o;
    if (!vn__take_options("sgd", &vn__struct_sgd, &o, opts)) return NULL;
    return make(SGD, lr, (settings){.momentum = o.momentum, .nesterov = o.nesterov, .weight_decay = o.weight_decay});
}
vn_optim *vn_adam(double lr, const vn_adam_opts *opts)
{
    vn_adam_opts o;
    if (!vn__take_options("adam", &vn__struct_adam, &o, opts)) return NULL;
    return make(ADAM, lr,
                (settings){.beta1 = o.beta1,
                           .beta2 = o.beta2,
                           .epsilon = o.epsilon,
                           .weight_decay = o.weight_decay,
                           .folded = o.folded,
                           .first_moments_grad = o.first_moments_grad});
}
vn_optim *vn_adamw(double lr, const vn_adamw_opts *opts)
{
    vn_adamw_opts o;
    if (!vn__take_options("adamw", &vn__struct_adamw, &o, opts)) return NULL;
    return make(ADAMW, lr,
                (settings){.beta1 = o.beta1,
                           .beta2 = o.beta2,
                           .epsilon = o.epsilon,
                           .weight_decay = o.weight_decay,
                           .folded = o.folded,
                           .first_moments_grad = o.first_moments_grad});
}
vn_optim *vn_lars(double lr, const vn_lars_opts *opts)
{
    vn_lars_opts o;
    if (!vn__take_options("lars", &vn__struct_lars, &o, opts)) return NULL;
    return make(LARS, lr, (settings){.decay_lambda = o.weight_decay, .folded = o.folded});
}
vn_optim *vn_lamb(double lr, const vn_lamb_opts *opts)
{
    vn_lamb_opts o;
    if (!vn__take_options("lamb", &vn__struct_lamb, &o, opts)) return NULL;
    return make(LAMB, lr,
                (settings){.beta1 = o.beta1,
                           .beta2 = o.beta2,
                           .epsilon = o.epsilon,
                           .max_trust_ratio = o.max_trust_ratio,
                           .decay_lambda = o.weight_decay,
                           .folded = o.folded,
                           .first_moments_grad = o.first_moments_grad});
}
vn_optim *vn_rmsprop(double lr, const vn_rmsprop_opts *opts)
{
    vn_rmsprop_opts o;
    if (!vn__take_options("rmsprop", &vn__struct_rmsprop, &o, opts)) return NULL;
    return make(RMSPROP, lr, (settings){.beta2 = o.beta2, .epsilon = o.epsilon, .momentum = o.momentum, .weight_decay = o.weight_decay});
}
vn_optim *vn_adagrad(double lr, const vn_adagrad_opts *opts)
{
    vn_adagrad_opts o;
    if (!vn__take_options("adagrad", &vn__struct_adagrad, &o, opts)) return NULL;
    return make(ADAGRAD, lr, (settings){.epsilon = o.epsilon, .weight_decay = o.weight_decay});
}
vn_optim *vn_lion(double lr, const vn_lion_opts *opts)
{
    vn_lion_opts o;
    if (!vn__take_options("lion", &vn__struct_lion, &o, opts)) return NULL;
    return make(LION, lr, (settings){.beta1 = o.beta1, .beta2 = o.beta2, .weight_decay = o.weight_decay});
}

/* ---- what all of them share ---- */

/* The optimizer, before its first step. NULL, with the error set, otherwise. */
static body *before_steps(vn_optim *o, const char *who)
{
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
    if (of(o)->calls)
        return vn__fail(VN_E_ARG, "%s: the optimizer has made %lld steps; it is set before the first", who, (long long)of(o)->calls), NULL;
    return of(o);
}

/* Sets a length or width: finite and above 0. */
static int set_limit(vn_optim *o, const char *who, double most, size_t at)
{
    body *b = before_steps(o, who);
    if (!b) return vn_status();
    if (!isfinite(most) || most <= 0) return vn__fail(VN_E_ARG, "%s: %g; a number above 0 is needed", who, most);
    memcpy((char *)b + at, &most, sizeof most);
    return VN_OK;
}

int vn_optim_clip_norm(vn_optim *o, double most)
{
    return set_limit(o, "optim_clip_norm", most, offsetof(body, clip_norm));
}
int vn_optim_clip_value(vn_optim *o, double most)
{
    return set_limit(o, "optim_clip_value", most, offsetof(body, clip_value));
}

int vn_optim_accumulate(vn_optim *o, int64_t steps)
{
    body *b = before_steps(o, "optim_accumulate");
    if (!b) return vn_status();
    if (steps < 1) return vn__fail(VN_E_ARG, "optim_accumulate: gradients of %lld steps cannot be accumulated", (long long)steps);
    b->accumulate = steps;
    return VN_OK;
}

int vn_optim_keep_average(vn_optim *o, double decay)
{
    body *b = before_steps(o, "optim_keep_average");
    if (!b) return vn_status();
    if (!(decay > 0 && decay < 1)) return vn__fail(VN_E_ARG, "optim_keep_average: the decay is %g; above 0 and below 1 is needed", decay);
    b->average = decay;
    return VN_OK;
}

int vn_optim_ignore_missing(vn_optim *o)
{
    body *b = before_steps(o, "optim_ignore_missing");
    if (!b) return vn_status();
    b->ignore_missing = true;
    return VN_OK;
}

int vn_optim_set_lr(vn_optim *o, double lr)
{
    if (!vn__check(o, VN__OPTIM, "optim_set_lr", "o")) return vn_status();
    if (check_rate("optim_set_lr", lr)) return vn_status();
    of(o)->lr = lr;
    of(o)->scheduled = false;
    return VN_OK;
}

int vn_optim_schedule(vn_optim *o, vn_schedule s)
{
    if (!vn__check(o, VN__OPTIM, "optim_schedule", "o")) return vn_status();
    int code = vn__schedule_check(&s, "optim_schedule");
    if (code) return code;
    of(o)->schedule = s;
    of(o)->scheduled = true;
    return VN_OK;
}

static double rate_of(const body *b)
{
    return b->scheduled ? vn_schedule_at(&b->schedule, b->steps) : b->lr;
}

double vn_optim_lr(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_lr", "o") ? rate_of(of(o)) : NAN;
}

const char *vn_optim_name(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_name", "o") ? of(o)->rule->name : NULL;
}

int64_t vn_optim_steps(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_steps", "o") ? of(o)->steps : -1;
}

/* ---- state ---- */

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

static vn_tree *rate_state(const body *b)
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
    vn_tree *t = vn_tree_copy(of(o)->state);
    if (!t || vn_tree_set_number(t, "steps", (double)of(o)->steps) || vn_tree_set_number(t, "calls", (double)of(o)->calls) ||
        (of(o)->accumulate > 1 && vn_tree_set_number(t, "accumulate", (double)of(o)->accumulate)))
        return NULL;
    VN_SCOPE;
    vn_tree *rate = rate_state(of(o));
    return rate && !vn_tree_set_tree(t, "rate", rate) ? t : NULL;
}

static bool is_count(vn_value v)
{
    return v.kind == VN_V_NUMBER && v.u.number >= 0 && v.u.number < 0x1p53 && v.u.number == floor(v.u.number);
}

static bool knows(const body *b, const char *name)
{
    for (int k = 0; k < MOST_SLOTS; k++) {
        if (slot_name(b, k) && !strcmp(slot_name(b, k), name)) return true;
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
static int take_rate(body *b, vn_value rate, const char *who)
{
    if (vn__none(rate)) return VN_OK;
    if (!vn__is_tree(rate)) return vn__fail(VN_E_STRUCT, "%s: \"rate\" must be a tree", who);
    const vn_tree *t = rate.u.tree;
    double kind = 0, number = 0;
    int code = number_of(t, "lr", false, &b->lr, who);
    if (!code) code = check_rate(who, b->lr);
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
static int take_calls(const body *b, const vn_tree *state, int64_t steps, int64_t *calls, bool *held, const char *who)
{
    const vn_value count = vn_tree_if_exists(state, "accumulate");
    const int64_t own = b->accumulate > 1 ? b->accumulate : 1, theirs = vn__none(count) ? 1 : is_count(count) ? (int64_t)count.u.number : 0;
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
    body *b = of(o);
    int n = 0;
    const char *const *keys = vn_tree_keys(state, &n);
    for (int k = 0; keys && k < n; k++) {
        if (!knows(b, keys[k])) return vn__fail(VN_E_STRUCT, "%s: %s has no state \"%.100s\"", who, b->rule->name, keys[k]);
    }
    vn_value steps = vn_tree_if_exists(state, "steps"), calls = vn_tree_if_exists(state, "calls");
    if (!keys || !is_count(steps) || !is_count(calls)) return vn__fail(VN_E_STRUCT, "%s: \"steps\" and \"calls\" must be counts", who);
    body rated = *b;
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
    if (!(of(o)->average > 0))
        return vn__fail(VN_E_ARG, "optim_average: %s keeps no average; vn_optim_keep_average begins one", of(o)->rule->name), NULL;
    if (!vn_tree_has(of(o)->state, "average")) return vn__fail(VN_E_ARG, "optim_average: no step was taken yet"), NULL;
    return vn_tree_get_tree(of(o)->state, "average");
}

/* ---- a step ---- */

/* What a step changes: handles of parameters and state, and their new values. */
typedef struct {
    int n, n_changed;
    const char **keys;
    vn_array **w, **g; /* parameters, and gradients as they were given */
    vn_array **changed;
    vn__node **old, **target;
} work;

enum { MOST_OF_ONE = 1 + MOST_SLOTS + 2 }; /* most handles per parameter: itself, slots, held gradients, average */

static void end_work(work *k)
{
    for (int i = 0; k->old && i < k->n_changed; i++) vn__node_release(k->old[i]);
    vn__free(k->w), vn__free(k->g), vn__free(k->changed), vn__free(k->old), vn__free(k->target), vn__free(k->keys);
}

static int same_form(const char *key, vn_array *w, vn_array *x, const char *what, bool any_float)
{
    vn_shape a = vn_shape_of(w), b = vn_shape_of(x);
    char s[128], t[128];
    if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0)
        return vn__fail(VN_E_SHAPE, "step: \"%s\" has shape %s, its %s %s", key, vn__shape_text(a.rank, a.dim, s), what,
                        vn__shape_text(b.rank, b.dim, t));
    if (any_float ? !vn__is(vn_dtype_of(x), VN_FLOATS) : vn_dtype_of(w) != vn_dtype_of(x))
        return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s, its %s %s", key, vn_dtype_name(vn_dtype_of(w)), what,
                        vn_dtype_name(vn_dtype_of(x)));
    return VN_OK;
}

/* Pairs parameters with gradients and checks them; nothing is changed yet. */
static int pair(work *k, const body *b, const vn_tree *p, const vn_tree *grads)
{
    int leaves = vn_tree_leaves(p);
    const vn_tree *along = vn__tree_along(grads);
    size_t n = (size_t)leaves, most = n * MOST_OF_ONE, others = along ? (size_t)vn_tree_leaves(along) : 0;
    k->keys = vn__calloc(n * sizeof *k->keys);
    k->w = vn__calloc(n * sizeof *k->w), k->g = vn__calloc(n * sizeof *k->g), k->changed = vn__calloc(most * sizeof *k->changed);
    k->old = vn__calloc(most * sizeof *k->old), k->target = vn__calloc((most + n + 1 + others) * sizeof *k->target);
    if (!k->keys || !k->w || !k->g || !k->changed || !k->old || !k->target) return vn__no_memory("step");
    for (int i = 0; i < leaves; i++) {
        const char *key = vn_tree_leaf_key(p, i);
        size_t length = key ? strlen(key) + 1 : 0;
        char *copy = key ? vn__scope_memory(length, "step") : NULL;
        if (!copy) return vn_status();
        memcpy(copy, key, length);
        if (!vn_tree_has(grads, copy)) {
            if (b->ignore_missing) continue;
            return vn__fail(VN_E_STRUCT, "step: the gradients have no \"%s\"", copy);
        }
        if (vn_tree_if_exists(grads, copy).kind == VN_V_NULL) continue; /* frozen */
        vn_array *w = vn_tree_leaf(p, i), *g = vn_tree_get(grads, copy);
        if (!w || !g) return vn_status();
        if (!vn__is(vn_dtype_of(w), VN_FLOATS))
            return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s; a float dtype is needed", copy, vn_dtype_name(vn_dtype_of(w)));
        int code = same_form(copy, w, g, "gradient", false);
        if (code) return code;
        k->keys[k->n] = copy, k->w[k->n] = w, k->g[k->n++] = g;
    }
    return VN_OK;
}

/* A parameter's array in one of the state's trees; created as zeros (or a copy) the first time. Half-precision parameters have float32
 * state. */
static vn_array *slot_of(body *b, const char *name, const char *key, vn_array *w, bool copy)
{
    char chain[VN__KEY_CHAIN];
    if (snprintf(chain, sizeof chain, "%s/%s", name, key) >= (int)sizeof chain)
        return vn__fail(VN_E_STRUCT, "step: \"%.60s...\" is too long", key), NULL;
    if (!vn_tree_has(b->state, chain)) {
        VN_SCOPE; /* references to w must be gone before the step, which overwrites w */
        vn_array *x = copy ? vn__widen(vn_stop_gradient(w)) : vn_zeros_like(vn__widen(vn_stop_gradient(w)));
        if (!x || vn_tree_set(b->state, chain, x)) return NULL;
    }
    vn_array *x = vn_tree_get(b->state, chain);
    return x && !same_form(key, w, x, name, true) ? x : NULL;
}

/* Computes everything the step reads, so that every step is the same program. */
static int make_ready(work *k, body *b)
{
    int n = 0;
    for (int i = 0; i < k->n; i++) {
        k->target[n++] = vn__node_of(k->w[i]);
        for (int j = 0; j < MOST_SLOTS + 2; j++) {
            const char *name = j < MOST_SLOTS    ? slot_name(b, j)
                               : j == MOST_SLOTS ? (b->accumulate > 1 ? "held" : NULL)
                               : b->average > 0  ? "average"
                                                 : NULL;
            vn_array *x = name ? slot_of(b, name, k->keys[i], k->w[i], j > MOST_SLOTS) : NULL;
            if (name && !x) return vn_status();
            if (x) k->target[n++] = vn__node_of(x);
        }
    }
    return vn__evaluate(n, k->target, 0, NULL);
}

/* Adds a handle that changes and its new value; the old one is kept for rollback. */
static int change(work *k, vn_array *h, vn_array *to, vn_array **z)
{
    if (!to) return vn_status();
    z[k->n_changed] = to;
    k->changed[k->n_changed++] = h;
    return VN_OK;
}

/* x in the dtype of computation. Half precision stays as it is where nothing but adam_apply looks at it, which computes in float32. */
static vn_array *prepared(const body *b, vn_array *x)
{
    const bool alone = !(b->clip_value > 0 || b->clip_norm > 0 || b->accumulate > 1 || b->o.weight_decay > 0);
    x = vn_stop_gradient(x);
    return b->rule->move_all && alone ? x : vn__widen(x);
}

/* The gradients of all parameters in the dtype of computation, cut and scaled as the options say. */
static int prepared_gradients(const work *k, const body *b, vn_array **g)
{
    vn_array *total = NULL;
    for (int i = 0; i < k->n; i++) {
        g[i] = prepared(b, k->g[i]);
        if (b->clip_value > 0) g[i] = vn_clip(g[i], vn_scalar(-b->clip_value), vn_scalar(b->clip_value));
        if (!g[i]) return vn_status();
    }
    if (!(b->clip_norm > 0)) return VN_OK;
    total = vn__norm_of(k->n, g);
    vn_array *factor = vn__clip_factor(total, b->clip_norm);
    for (int i = 0; i < k->n && factor; i++) {
        if (!(g[i] = vn_mul(g[i], vn_cast(factor, vn_dtype_of(g[i]))))) return vn_status();
    }
    return factor ? VN_OK : (int)vn_status();
}

/* Parameter i before its update, with weight decay if set. */
static int begin_motion(const work *k, body *b, int i, vn_array *g, double lr, motion *m)
{
    const settings *o = &b->o;
    vn_array *w = k->w[i];
    *m = (motion){.w = prepared(b, w), .g = g, .lr = lr, .step = (double)(b->steps + 1)};
    for (int j = 0; j < MOST_SLOTS; j++) {
        if (slot_name(b, j) && !(m->slot[j] = m->handles[j] = slot_of(b, slot_name(b, j), k->keys[i], w, false))) return vn_status();
    }
    if (o->weight_decay > 0 && b->rule->decoupled) m->w = vn__scaled(m->w, 1 - lr * o->weight_decay);
    else if (o->weight_decay > 0) m->g = vn_add(m->g, vn__scaled(m->w, o->weight_decay));
    return m->w && m->g ? VN_OK : (int)vn_status();
}

/* Adds the new values of parameter i and its state. */
static int end_motion(work *k, body *b, int i, const motion *m, vn_array **z)
{
    vn_array *w = k->w[i], *to = m->w && vn_dtype_of(m->w) != vn_dtype_of(w) ? vn_cast(m->w, vn_dtype_of(w)) : m->w;
    to = to ? vn_stop_gradient(to) : NULL;
    if (b->average > 0) {
        vn_array *average = slot_of(b, "average", k->keys[i], w, true);
        int code = average && to ? change(k, average, blend(b->average, average, vn__widen(to)), z) : (int)vn_status();
        if (code) return code;
    }
    if (to && vn_is_variable(w)) to = vn_variable(to);
    int code = change(k, w, to, z);
    for (int j = 0; j < MOST_SLOTS && !code; j++) {
        if (m->handles[j]) code = change(k, m->handles[j], vn_stop_gradient(m->slot[j]), z);
    }
    return code;
}

/* Records the new values of all parameters and of their state. */
static int move_all(work *k, body *b, vn_array **g, double lr, vn_array **z)
{
    motion *m = vn__alloc((size_t)k->n * sizeof *m);
    int code = m ? VN_OK : vn__no_memory("step");
    for (int i = 0; i < k->n && !code; i++) code = begin_motion(k, b, i, g[i], lr, &m[i]);
    if (!code && b->rule->move_all) code = b->rule->move_all(b, k->n, m);
    for (int i = 0; i < k->n && !code; i++) {
        if (b->rule->move) m[i].w = b->rule->move(b, &m[i]);
        code = end_motion(k, b, i, &m[i], z);
    }
    vn__free(m);
    return code;
}

/* Adds the gradients to the held ones; if `full`, g becomes their average and the held ones start again from zero. */
static int hold_gradients(work *k, body *b, vn_array **g, bool full, vn_array **z)
{
    for (int i = 0; i < k->n; i++) {
        vn_array *held = slot_of(b, "held", k->keys[i], k->w[i], false);
        vn_array *sum = held ? vn_add(held, vn__scaled(g[i], 1. / (double)b->accumulate)) : NULL;
        int code = sum ? change(k, held, full ? vn_zeros_like(sum) : sum, z) : (int)vn_status();
        if (code) return code;
        g[i] = sum;
    }
    return VN_OK;
}

/* Records all new values and points the handles at them. The new arrays' own handles are dropped, so that the
 * parameters are the only users of the update. */
static int update(work *k, body *b, double lr, bool moves)
{
    VN_SCOPE;
    vn_array **z = vn__calloc((size_t)k->n * MOST_OF_ONE * sizeof *z), **g = vn__calloc((size_t)k->n * sizeof *g);
    int code = z && g ? prepared_gradients(k, b, g) : vn__no_memory("step");
    if (!code && b->accumulate > 1) code = hold_gradients(k, b, g, moves, z);
    if (!code && moves && k->n) code = move_all(k, b, g, lr, z);
    if (code) k->n_changed = 0;
    for (int i = 0; i < k->n_changed; i++) {
        vn__node_retain(k->old[i] = vn__node_of(k->changed[i]));
        vn__point(k->changed[i], vn__node_of(z[i]));
    }
    vn__free(z);
    vn__free(g);
    return code;
}

/* Adds arrays attached to the gradients: a module's buffers. */
static int add_along(work *k, const vn_tree *grads, int *n)
{
    const vn_tree *along = vn__tree_along(grads);
    for (int i = 0, others = along ? vn_tree_leaves(along) : 0; i < others; i++) {
        vn_array *x = vn_tree_leaf(along, i);
        if (!x) return vn_status();
        k->target[(*n)++] = vn__node_of(x);
    }
    return VN_OK;
}

int vn_step(vn_optim *o, vn_tree *p, const vn_tree *grads)
{
    if (!vn__check(o, VN__OPTIM, "step", "o") || !vn__check(p, VN__TREE, "step", "p") || !vn__check(grads, VN__TREE, "step", "grads"))
        return vn_status();
    VN_SCOPE;
    VN__FLOATS;
    body *b = of(o);
    double lr = rate_of(b);
    if (!isfinite(lr)) return vn_status();
    bool moves = b->accumulate < 2 || (b->calls + 1) % b->accumulate == 0;
    work k = {0};
    int code = pair(&k, b, p, grads);
    if (!code) code = make_ready(&k, b);
    if (!code) code = update(&k, b, lr, moves);
    if (!code) {
        int n = 0;
        vn_array *loss = vn__tree_loss(grads);
        for (int i = 0; i < k.n_changed; i++) k.target[n++] = vn__node_of(k.changed[i]);
        for (int i = 0; i < k.n; i++) k.target[n++] = vn__node_of(k.g[i]);
        if (loss) k.target[n++] = vn__node_of(loss);
        code = add_along(&k, grads, &n);
        if (!code) code = vn__evaluate(n, k.target, k.n_changed, k.old);
        for (int i = 0; i < k.n_changed && code; i++) vn__point(k.changed[i], k.old[i]);
    }
    if (!code) b->calls++, b->steps += moves;
    end_work(&k);
    return code;
}
