/* SPDX-License-Identifier: Apache-2.0 */
/* augmented.h: what every random change of images makes of a batch, from one seed. */
#ifndef VN_AUGMENTED_H
#define VN_AUGMENTED_H

#include "check.h"
#include "objects_words.inc"

#define AUGMENTED(word, layer, option) layer,
static const char *const augmenting[] = {AUGMENT_LAYERS(AUGMENTED) "mix_up", "cut_mix"};
enum { N_AUGMENTING = sizeof augmenting / sizeof *augmenting };

/* Images as they come from files: bytes over 255; labels are after the images. */
static vn_array *augmented(const char *layer, vn_shape shape)
{
    vn_module *m = vn_nn_make(layer, NULL, 0);
    vn_seed(5);
    vn_array *x = vn_div(vn_cast(vn_random_randint(0, 256, shape), VN_F32), vn_scalar(255));
    vn_module_train(m, 1);
    if (strcmp(layer, "mix_up") != 0 && strcmp(layer, "cut_mix") != 0) return vn_module_call(m, x, NULL);
    vn_array *y = vn_one_hot(vn_random_randint(0, 10, VN_SHAPE(shape.dim[0])), 10, VN_F32);
    vn_tree *z = vn_module_call_tree(m, vn_tree_of("x", x, "y", y, NULL), NULL);
    return vn_concat(2, (vn_array *[]){vn_flatten(vn_tree_get(z, "x")), vn_flatten(vn_tree_get(z, "y"))}, 0);
}

#endif
