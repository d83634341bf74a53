/* SPDX-License-Identifier: Apache-2.0 */
/* optim.h: what the files of optimizers share.
 *
 * An optimizer is a *transformation*: it takes gradients and gives updates, which are added to the parameters. Adam is one, clipping is
 * one, and so is a chain of both: compositions hold other optimizers as their *parts* and call them (vn__move). A rule (vn__optim_rule)
 * says what one kind does: which arrays of state it keeps (its *slots*: a tree like the parameters each, or a single number), and a
 * function on public ops that gives the updates. Everything is recorded, nothing computed, so that a step stays one program however many
 * parts there are; what depends on values (a skipped step, a period) is a `where`, never a branch.
 *
 *     optim.c         the object: made, configured, asked         optim_parts.c   compositions: chain, groups, masked, lookahead ...
 *     optim_step.c    a step: state, updates, evaluation          optim_*.c       rules by family, one function each
 *     optim_state.c   the state as a tree, for checkpoints        optim_math.c    what rules share
 *     optim_check.c   what a step asks of a whole optimizer       optim_training.c  what training asks: factor of the loss, averages
 *     optim_rows.c, optim_make.c   the table; by name and from text
 *
 * The root of a composition counts steps. A part that some steps skip (under apply_if_finite, say) counts its own, in a slot. */
#ifndef VN_NN_OPTIM_H
#define VN_NN_OPTIM_H

#include "nn/nn.h"
#include "nn/objects.h"
#include "ops/row.h"
#include <stddef.h>

enum { VN__OPTIM_SLOTS = 8, VN__OPTIM_PARTS = 32, VN__OPTIM_DEEP = 32 }; /* at most: slots, parts, parts inside parts */

typedef struct vn__optimizer vn__optimizer;

/* An optimizer during a step, with the parameters that it moves, in the dtype of computation (float32 for half precision). */
typedef struct vn__moving vn__moving;
struct vn__moving {
    vn__optimizer *b;
    int n;
    const char **key;
    vn_array **w;                      /* parameters */
    vn_array **g;                      /* gradients, which the rule replaces by updates */
    vn_array **slot[VN__OPTIM_SLOTS];  /* state: one array per parameter, or a single one; the rule replaces them; NULL: not used */
    vn_array **state[VN__OPTIM_SLOTS]; /* the same before the step: handles that get the new values */
    double lr, step;                   /* the learning rate; the root's step, from 1 */
    vn_array *count;                   /* of a part that steps may skip: its own step, a float64 scalar */
    vn_array *loss;                    /* the loss that the gradients belong to; NULL: unknown */
    int n_parts;
    vn__moving *part;
    int *at; /* of a part: its parameters, by number in what it is a part of */
};

/* The first value of a slot of parameter i, or of a single one. */
typedef vn_array *vn__optim_begin(const vn__moving *m, int i);
typedef struct {
    const char *name;
    vn__optim_begin *begin;
    bool single;                          /* one array for all parameters */
    bool (*used)(const vn__optimizer *b); /* NULL: always */
} vn__optim_slot;

typedef struct {
    const char *name;
    const char *options;                           /* what its options are called, if not by its name: those of vn_update_<name> */
    vn_array *(*each)(const vn__moving *m, int i); /* the direction of parameter i, whose updates are -lr times it */
    int (*all)(vn__moving *m);                     /* the same for all: replaces g */
    int (*fused)(vn__moving *m);                   /* replaces w by the new parameters; where nothing else follows. NULL: there is none */
    bool complete;                                 /* it gives updates: the learning rate is in them, or there is none */
    bool rated;                                    /* it has a learning rate */
    bool outermost;                                /* it is the whole optimizer, never a part */
    bool scales_loss;                              /* gradients are those of the loss times a factor, in slot "factor": loss_scale */
    bool averages;                                 /* parameters stand for averages, with slot "z": schedule_free */
    /* How far to go from `start` to p, where the step went, and goes there: it needs the loss function (vn_optim_minimize, vn_fit). */
    int (*search)(const vn__optimizer *b, vn_loss_fn fn, void *data, const vn_tree *start, vn_tree *p);
    bool decoupled; /* weight decay is added to the direction instead of the gradient */
    size_t decay;   /* where its options have weight_decay; 0: they have none */
    vn__optim_slot slots[VN__OPTIM_SLOTS];
    bool (*picks)(const vn__optimizer *b, int part, const char *key); /* whether a part moves a parameter; NULL: all of them */
    int (*sense)(const vn__optimizer *b, const char *key, int sense); /* vn__optim_sense; NULL: that of its parts, negated if it is rated */
    int (*check)(const vn__optimizer *b, const vn__optimizer *whole, const vn_tree *p, const char *who); /* before a step; NULL: nothing */
} vn__optim_rule;

typedef struct { /* an option that a schedule sets before each step */
    int field;
    vn_schedule schedule;
} vn__injected;

struct vn__optimizer {
    const vn__optim_rule *rule;
    const vn__struct *fields; /* of opts; NULL: it has none */
    void *opts;               /* resolved */
    int n_numbers;
    double number[4];    /* parameters other than the learning rate */
    char *text;          /* a parameter that is a text */
    char *label;         /* its name among the parts of another; NULL: the rule's */
    bool taken, counted; /* it is a part of another; it counts its own steps */
    int n_parts;
    vn_optim **part; /* references are held */
    int n_injected;
    vn__injected *injected;
    double clip_norm, clip_value, average; /* 0: not */
    int64_t accumulate;                    /* 0, 1: every step moves */
    bool ignore_missing;
    double lr, rate_scale; /* rate_scale: rates are multiplied by it; 0: by 1 */
    bool scheduled;
    vn_schedule schedule;
    char *schedule_text, *schedule_block; /* of a schedule by text: the text, and what it points at. NULL: it was made otherwise */
    int64_t steps, calls;                 /* updates; calls of vn_step, which are more if gradients are accumulated */
    const vn_tree *whole; /* during a step with some of the gradients only: all of them, for their length. NULL: the step's own */
    vn_tree *state;       /* "m", "v", ..., "held", "average": trees with the parameters' structure; references are held */
};

static inline vn__optimizer *vn__optim_of(const vn_optim *o)
{
    return o->object.body;
}

/* ---- making (optim.c) ---- */

/* An optimizer of this rule with a learning rate and options; a composition takes its parts. NULL, with the error set, if they are wrong. */
vn_optim *vn__optim_new(const vn__optim_rule *r, double lr, const vn__struct *fields, const void *opts);
vn_optim *vn__optim_compose(const vn__optim_rule *r, const vn__struct *fields, const void *opts, int n, vn_optim *const *parts);
bool vn__optim_reserved(const vn__optimizer *b, const char *name);
void vn__optim_count(vn_optim *o);             /* it, and its parts, count their own steps */
void vn__optim_end_schedule(vn__optimizer *b); /* no schedule any more (schedule_text.c) */
int vn__optim_check_rate(const char *who, double lr);
double vn__optim_rate(const vn__optimizer *b, int64_t steps); /* the learning rate of a step, from 0 */
vn__optimizer *vn__optim_lead(vn__optimizer *b);              /* the part with the learning rate: itself, or the last one that has any */
void vn__optim_part_name(const vn__optimizer *b, int k, char to[static 64]); /* as in the state: "adam", "adam_2" */
vn_optim *vn__optim_of_text(const char *who, const char *text);
bool vn__optims_of_text(const char *who, const char *text, int *n, vn_optim *to[static VN__OPTIM_PARTS]);

/* ---- what is asked before a step (optim_check.c) ---- */

/* Which way the updates of a parameter point after this optimizer: 1 along the gradient, -1 against it, 0 nowhere. `sense`: before it. */
int vn__optim_sense(const vn__optimizer *b, const char *key, int sense);
int vn__optim_check_senses(const vn_optim *o, int n, const char *const *keys, const char *who); /* all of these go down */

/* The options of a rule's functions: OPTS(adam) declares o. */
#define OPTS(name) const vn_##name##_opts *o = m->b->opts
#define DECAY(name) offsetof(vn_##name##_opts, weight_decay)

/* The rule of an optimizer with a learning rate and options, and its function vn_<name>(lr, opts). */
#define OPTIMIZER(name_, fields_, ...)                                                       \
    static const vn__optim_rule name_##_rule = {.name = #name_, .rated = true, __VA_ARGS__}; \
    vn_optim *vn_##name_(double lr, const vn_##name_##_opts *opts)                           \
    {                                                                                        \
        return vn__optim_new(&name_##_rule, lr, &vn__struct_##fields_, opts);                \
    }

/* ---- a step (optim_step.c) ---- */

int vn__move(vn__moving *m);                        /* g becomes updates, slots their new values */
int vn__move_part(vn__moving *m, int k);            /* the same by part k, of its parameters among m's */
int vn__choose(vn__moving *m, vn_array *condition); /* the state that m and its parts had, where it is false */
bool vn__optim_uses(const vn__optimizer *b, int slot);
int vn__clip_all(int n, vn_array **g, double most); /* scales them down to this length together */
int vn__cut_all(int n, vn_array **g, double most);  /* cuts every entry to [-most, most] */

/* ---- what rules share (optim_math.c) ---- */

vn__optim_begin vn__begin_zeros, vn__begin_ones, vn__begin_copy, vn__begin_zero,
    vn__begin_none;                                                                 /* zero: a single one; none: an empty array */
vn_array *vn__number_like(const vn__moving *m, double value);                       /* a float64 scalar on the parameters' engine */
vn_array *vn__blend(double a, vn_array *x, vn_array *y);                            /* a x + (1 - a) y */
vn_array *vn__decayed(const vn__moving *m, int slot, int i, double a, vn_array *x); /* the slot becomes a slot + (1 - a) x */
vn_array *vn__unbiased(const vn__moving *m, vn_array *x, double beta, int ahead);   /* x / (1 - beta^(step + ahead)) */
vn_array *vn__step_number(const vn__moving *m);                                     /* the step, from 1, as a float64 scalar */
vn_array *vn__first(const vn__moving *m);                                           /* whether this is the first step, a bool scalar */
vn_array *vn__by(vn_array *x, vn_array *scalar);                                    /* x times a scalar, in x's dtype */
vn_array *vn__added(vn_array *x, double by);
vn_array *vn__dot(int n, vn_array *const *x, vn_array *const *y);                     /* sums of products, as a float64 scalar */
vn_array *vn__norm2(int n, vn_array *const *x);                                       /* the same of x with itself */
vn_array *vn__over_root(vn_array *x, vn_array *squares, double root, double outside); /* x / (sqrt(squares + root) + outside) */

#endif
