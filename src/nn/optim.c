/* optim.c: optimizers as objects: making them, and the settings that all of them share. */
#include "nn/optim.h"
#include "nn/objects.h"
#include "ops/row.h"
#include <math.h>
#include <stddef.h>

void vn__optim_release(void *memory)
{
    vn_tree_drop(((vn__optimizer *)memory)->state);
    vn__free(memory);
}

/* ---- creating ---- */

/* A learning rate: checked wherever one is set. */
int vn__optim_check_rate(const char *who, double lr)
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

static vn_optim *make(int which, double lr, vn__optim_settings o)
{
    const vn__optim_rule *r = &vn__optim_rules[which];
    lr = vn__real_of(lr);
    if (vn__optim_check_rate(r->name, lr)) return NULL;
    if (o.nesterov && !(o.momentum > 0)) return vn__fail(VN_E_ARG, "%s: nesterov needs a momentum", r->name), NULL;
    vn__optimizer *b = vn__calloc(sizeof *b);
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
    return make(VN__SGD, lr, (vn__optim_settings){.momentum = o.momentum, .nesterov = o.nesterov, .weight_decay = o.weight_decay});
}

/* The settings of the optimizers that keep Adam's moments. */
#define MOMENTS(o) \
    .beta1 = (o).beta1, .beta2 = (o).beta2, .epsilon = (o).epsilon, .folded = (o).folded, .first_moments_grad = (o).first_moments_grad

vn_optim *vn_adam(double lr, const vn_adam_opts *opts)
{
    vn_adam_opts o;
    if (!vn__take_options("adam", &vn__struct_adam, &o, opts)) return NULL;
    return make(VN__ADAM, lr, (vn__optim_settings){MOMENTS(o), .weight_decay = o.weight_decay});
}
vn_optim *vn_adamw(double lr, const vn_adamw_opts *opts)
{
    vn_adamw_opts o;
    if (!vn__take_options("adamw", &vn__struct_adamw, &o, opts)) return NULL;
    return make(VN__ADAMW, lr, (vn__optim_settings){MOMENTS(o), .weight_decay = o.weight_decay});
}
vn_optim *vn_lars(double lr, const vn_lars_opts *opts)
{
    vn_lars_opts o;
    if (!vn__take_options("lars", &vn__struct_lars, &o, opts)) return NULL;
    return make(VN__LARS, lr, (vn__optim_settings){.decay_lambda = o.weight_decay, .folded = o.folded});
}
vn_optim *vn_lamb(double lr, const vn_lamb_opts *opts)
{
    vn_lamb_opts o;
    if (!vn__take_options("lamb", &vn__struct_lamb, &o, opts)) return NULL;
    return make(VN__LAMB, lr, (vn__optim_settings){MOMENTS(o), .max_trust_ratio = o.max_trust_ratio, .decay_lambda = o.weight_decay});
}
vn_optim *vn_rmsprop(double lr, const vn_rmsprop_opts *opts)
{
    vn_rmsprop_opts o;
    if (!vn__take_options("rmsprop", &vn__struct_rmsprop, &o, opts)) return NULL;
    return make(VN__RMSPROP, lr,
                (vn__optim_settings){.beta2 = o.beta2, .epsilon = o.epsilon, .momentum = o.momentum, .weight_decay = o.weight_decay});
}
vn_optim *vn_adagrad(double lr, const vn_adagrad_opts *opts)
{
    vn_adagrad_opts o;
    if (!vn__take_options("adagrad", &vn__struct_adagrad, &o, opts)) return NULL;
    return make(VN__ADAGRAD, lr, (vn__optim_settings){.epsilon = o.epsilon, .weight_decay = o.weight_decay});
}
vn_optim *vn_lion(double lr, const vn_lion_opts *opts)
{
    vn_lion_opts o;
    if (!vn__take_options("lion", &vn__struct_lion, &o, opts)) return NULL;
    return make(VN__LION, lr, (vn__optim_settings){.beta1 = o.beta1, .beta2 = o.beta2, .weight_decay = o.weight_decay});
}

/* ---- what all of them share ---- */

/* The optimizer, before its first step. NULL, with the error set, otherwise. */
static vn__optimizer *before_steps(vn_optim *o, const char *who)
{
    if (!vn__check(o, VN__OPTIM, who, "o")) return NULL;
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

int vn_optim_clip_norm(vn_optim *o, double most)
{
    return set_limit(o, "optim_clip_norm", most, offsetof(vn__optimizer, clip_norm));
}
int vn_optim_clip_value(vn_optim *o, double most)
{
    return set_limit(o, "optim_clip_value", most, offsetof(vn__optimizer, clip_value));
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

int vn_optim_ignore_missing(vn_optim *o)
{
    vn__optimizer *b = before_steps(o, "optim_ignore_missing");
    if (!b) return vn_status();
    b->ignore_missing = true;
    return VN_OK;
}

int vn_optim_set_lr(vn_optim *o, double lr)
{
    if (!vn__check(o, VN__OPTIM, "optim_set_lr", "o")) return vn_status();
    lr = vn__real_of(lr);
    if (vn__optim_check_rate("optim_set_lr", lr)) return vn_status();
    vn__optim_of(o)->lr = lr;
    vn__optim_of(o)->scheduled = false;
    return VN_OK;
}

int vn_optim_schedule(vn_optim *o, vn_schedule s)
{
    if (!vn__check(o, VN__OPTIM, "optim_schedule", "o")) return vn_status();
    int code = vn__schedule_check(&s, "optim_schedule");
    if (code) return code;
    vn__optim_of(o)->schedule = s;
    vn__optim_of(o)->scheduled = true;
    return VN_OK;
}

double vn__optim_rate(const vn__optimizer *b)
{
    return b->scheduled ? vn_schedule_at(&b->schedule, b->steps) : b->lr;
}

double vn_optim_lr(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_lr", "o") ? vn__optim_rate(vn__optim_of(o)) : NAN;
}

const char *vn_optim_name(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_name", "o") ? vn__optim_of(o)->rule->name : NULL;
}

int64_t vn_optim_steps(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_steps", "o") ? vn__optim_of(o)->steps : -1;
}
