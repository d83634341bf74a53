/* SPDX-License-Identifier: Apache-2.0 */
/* nn.h (internal): shared by the files of src/nn, which use public ops and trees. */
#ifndef VN_NN_INSIDE_H
#define VN_NN_INSIDE_H

#include "tree/tree.h"
#include <vinea/nn.h>

enum { VN__KEY_CHAIN = 4096 };
vn_array *vn__norm_of(int n, vn_array *const *x);                      /* the global norm of arrays, in float64 */
vn_tree *vn__with_leaves(const vn_tree *t, int n, vn_array *const *x); /* a tree like t with other arrays, in the same order */
vn_array *vn__clip_factor(vn_array *norm, double most); /* the factor that scales a norm down to `most`, 1 if it is smaller */
/* The arrays of two trees of the same structure, in the same order; those of `from` moved to the engines and histories of the others, so
 * that vn__point(h[i], vn__node_of(x[i])) sets the values. The lists are in scope memory. Returns their length, -1 on failure. */
int vn__pair_arrays(const vn_tree *live, const vn_tree *from, vn_array ***h, vn_array ***x, const char *who);
int vn__set_arrays(const vn_tree *live, const vn_tree *from, const char *who); /* computes those of `from` and sets the values */
/* ---- what a loop asks of an optimizer (optim_check.c, optim_parts.c) ---- */
/* It is no part, needs no loss function unless there is one, and names parameters that are there. Returns a code. */
int vn__optim_ready(const vn_optim *o, const vn_tree *p, bool has_function, const char *who);
bool vn__optim_searches(const vn_optim *o); /* it needs the loss function: a step (vn__optim_step), then a search (optim_lbfgs.c) */
int vn__optim_step(vn_optim *o, vn_tree *p, const vn_tree *grads, bool has_function); /* vn_step */
/* Finds how far to go from `start` to p, where the step went, and goes there. */
int vn__optim_search(const vn_optim *o, vn_loss_fn fn, void *data, const vn_tree *start, vn_tree *p);
vn_array *vn__scaled_loss(const vn_optim *o,
                          vn_array *loss);                  /* the loss whose gradients the optimizer takes: vn_loss_scale multiplies it */
bool vn__optim_averages(const vn_optim *o);                 /* its steps are not where the parameters are to be used: vn_schedule_free */
int vn__optim_settle(const vn_optim *o, const vn_tree *p);  /* its next step begins at p, which is an average */
bool vn__optim_average_is(const vn_optim *o, double decay); /* it keeps a moving average with this decay */
void vn__optim_scale_rates(const vn_optim *o, double by);   /* all its rates are multiplied by it from now on, whatever their schedules */
int vn__schedule_check(const vn_schedule *s, const char *who);
bool vn__schedule_is_function(const vn_schedule *s);

/* A resolved number as a field of options again, where 0 is a default. */
static inline double vn__given(double x)
{
    return x == 0 ? (double)VN_ZERO : x;
}

/* vn_module_value_and_grad, in the name of `who`. own: fn is the library's, and its errors stay as they are. */
vn_array *vn__module_value_and_grad(vn_module *m, vn_module_loss_fn fn, void *data, vn_tree **grads, const char *who, bool own);
vn_array *vn__module_loss(vn_module *m, vn_module_loss_fn fn, const vn_tree *v, void *data); /* fn(m, data), with these variables */
int vn__module_rules(vn_module *m, int *penalties, int *bounds); /* how many it and all modules below it have (regularize.c) */

/* ---- limit on a model's variables (init.c) ---- */
typedef struct {
    int64_t most, left; /* bytes */
    int variables;      /* variables that may still be created */
} vn__room;
vn__room *vn__init_within(vn__room *room); /* sets the limit for vn_init_array in this thread; NULL: none. Returns the previous one */
/* Takes what a variable or buffer of that shape needs from the room; an error if it is not there. */
int vn__take_room(const char *who, vn_shape shape, vn_dtype dtype);

#endif
