/* optim.h: what the files of optimizers share: the object (optim.c), how each moves a parameter (optim_rules.c), its state as a tree
 * (optim_state.c) and a step (optim_step.c). */
#ifndef VN_NN_OPTIM_H
#define VN_NN_OPTIM_H

#include "nn/nn.h"

enum { VN__OPTIM_SLOTS = 2 }; /* arrays of state per parameter, at most */

/* One parameter during a step, in the dtype of computation (float32 for half precision). */
typedef struct {
    vn_array *w, *g, *slot[VN__OPTIM_SLOTS];
    vn_array *handles[VN__OPTIM_SLOTS]; /* the parameter's state, replaced by its new values */
    double lr, step;                    /* step counts from 1 */
} vn__motion;

typedef struct vn__optimizer vn__optimizer;
typedef struct {
    const char *name;
    const char *slots[VN__OPTIM_SLOTS];                       /* names of its own state, a tree like the parameters each */
    bool decoupled;                                           /* weight decay is taken from w itself */
    vn_array *(*move)(const vn__optimizer *b, vn__motion *m); /* the new w; slots are replaced */
    int (*move_all)(const vn__optimizer *b, int n,
                    vn__motion *m); /* the same for all parameters at once, and w is replaced; NULL: one by one */
} vn__optim_rule;

/* The options of all optimizers together; each has some of them. */
typedef struct {
    double momentum, beta1, beta2, epsilon, weight_decay, decay_lambda, max_trust_ratio;
    int nesterov, folded, first_moments_grad;
} vn__optim_settings;

struct vn__optimizer {
    const vn__optim_rule *rule;
    vn__optim_settings o;
    double clip_norm, clip_value, average; /* 0: not */
    int64_t accumulate;                    /* 0, 1: every step moves */
    bool ignore_missing;
    double lr;
    bool scheduled;
    vn_schedule schedule;
    int64_t steps, calls; /* updates; calls of vn_step, which are more if gradients are accumulated */
    vn_tree *state;       /* "m", "v", ..., "held", "average": trees with the parameters' structure; references are held */
};

static inline vn__optimizer *vn__optim_of(const vn_optim *o)
{
    return o->object.body;
}

enum { VN__SGD, VN__ADAM, VN__ADAMW, VN__LARS, VN__LAMB, VN__RMSPROP, VN__ADAGRAD, VN__LION };
extern const vn__optim_rule vn__optim_rules[];
const char *vn__optim_slot(const vn__optimizer *b, int k);     /* the name of its k-th slot; NULL where the options leave it unused */
vn_array *vn__optim_blend(double a, vn_array *x, vn_array *y); /* a x + (1 - a) y */
int vn__optim_check_rate(const char *who, double lr);
double vn__optim_rate(const vn__optimizer *b); /* the learning rate of the next step */

#endif
