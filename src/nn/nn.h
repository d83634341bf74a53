/* nn.h (inside): what the files of src/nn share. They stand on public ops and trees. */
#ifndef VN_NN_INSIDE_H
#define VN_NN_INSIDE_H

#include "tree/tree.h"
#include <vinea/nn.h>

enum { VN__KEY_CHAIN = 4096 };
vn_array *vn__norm_of(int n, vn_array *const *x);       /* the length of arrays together, a float64 number */
vn_array *vn__clip_factor(vn_array *norm, double most); /* what brings a length down to `most`, 1 if it is shorter */
/* The arrays of two trees of the same structure, in the same order; those of `from` with the engines and histories of the others, so that
 * vn__point(h[i], vn__node_of(x[i])) gives them these values. Lists in scope memory. Returns how many, -1 on failure. */
int vn__pair_arrays(const vn_tree *live, const vn_tree *from, vn_array ***h, vn_array ***x, const char *who);
int vn__schedule_check(const vn_schedule *s, const char *who);
bool vn__schedule_is_function(const vn_schedule *s);

/* ---- what the variables of a model may take (init.c) ---- */
typedef struct {
    int64_t most, left; /* bytes */
    int variables;      /* that may still be made */
} vn__room;
vn__room *vn__init_within(vn__room *room); /* vn_init_make in this thread keeps within it; NULL: no limit. Returns the one before */

/* ---- options as the ops take them (layers.c) ---- */
/* The numbers up to the last that is not 0; none of them: the op's default. */
vn_shape vn__list_of(const int64_t numbers[static 3]);
/* Pairs for so many axes. Where some are given for axes beyond, the op refuses the longer list. */
vn_shape vn__pads_of(int axes, const int64_t pads[static 3][2]);
const char *vn__side(int first); /* "channel_first" or "channel_last" */

#endif
