/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: sequences of different lengths, and a function that is called for every step of one. Recurrent layers share it. */
#ifndef VN_NN_STEPS_H
#define VN_NN_STEPS_H

#include <vinea/module.h>

/* Lengths (batch...) as int64 between 0 and the steps, which are x's axis behind the batch. NULL, with the error set, if they are no
 * integers of x's first `batch` sizes. */
vn_array *vn__steps_lengths(vn_array *lengths, const vn_array *x, int batch);
/* With these lengths, or for NULL all steps of axis `batch`: */
vn_array *vn__steps_reversed(vn_array *x, vn_array *lengths, int batch);   /* each sequence from its end to its start; what follows stays */
vn_array *vn__steps_padded(vn_array *x, vn_array *lengths, int batch);     /* zeros after the end */
vn_array *vn__steps_last(vn_array *x, vn_array *lengths, vn_array *begin); /* the last step (batch..., ...), `begin` where there is none */

/* One step: {x, states} -> {y, states}. */
typedef vn_tree *(*vn__step_fn)(const vn_tree *in, void *user);
/* Calls it for every step of args' x (batch, steps, ...); see vn_module_steps. */
vn_tree *vn__steps_run(const vn_tree *args, const vn_module_steps_opts *o, vn__step_fn step, void *user);

#endif
