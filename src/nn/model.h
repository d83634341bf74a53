/* model.h (inside): what the files that read models know of each other. model_layers.c has the table of layer types and how each is made,
 * model.c goes through the values of a JSON text (base/base.h) with it. */
#ifndef VN_NN_MODEL_INSIDE_H
#define VN_NN_MODEL_INSIDE_H

#include "nn/layers.h"
#include <vinea/model.h>

/* ---- layers (model_layers.c) ---- */
enum { VN__LAYER_OPTIONS = 8 };
/* A layer as it was written: the options in the order of its type, all of the right kind. */
typedef struct {
    vn_shape x; /* what goes in, with a batch of 1 */
    int64_t outputs;
    struct {
        int given;
        double number; /* count, number, flag, and the word's place among those that are possible */
        vn_shape sizes;
        vn_module *layers;
    } options[VN__LAYER_OPTIONS];
} vn__layer;
typedef struct vn__layer_type {
    const char *name, *about;
    const vn_layer_option *options; /* at most VN__LAYER_OPTIONS; they end with a NULL name. NULL: none */
    vn_module *(*make)(const struct vn__layer_type *type, const vn__layer *l);
} vn__layer_type;
int vn__layer_types(const vn__layer_type **types); /* how many */
int vn__layer_options(const vn__layer_type *type); /* how many it has */

/* A module that gives x of any shape this one, of VN_MAX_RANK - 1 axes at most, behind the batch. */
vn_module *vn__model_reshape(vn_shape shape);

#endif
