/* model.h (internal): shared by the files that read models. model_layers.c has the table of layer types and their constructors,
 * model.c applies it to the values of a JSON text (base/base.h). */
#ifndef VN_NN_MODEL_INSIDE_H
#define VN_NN_MODEL_INSIDE_H

#include "nn/layers.h"
#include <vinea/model.h>

/* ---- layers (model_layers.c) ---- */
enum { VN__LAYER_OPTIONS = 8 };
/* A parsed layer: its options in the order of its type, all of the right kind. */
typedef struct {
    vn_shape x; /* the input, with a batch of 1 */
    int64_t outputs;
    struct {
        int given;
        double number; /* count, number, flag, or the index of the chosen word */
        vn_shape sizes;
        vn_module *layers;
    } options[VN__LAYER_OPTIONS];
} vn__layer;
typedef struct vn__layer_type {
    const char *name, *about;
    const vn_layer_option *options; /* at most VN__LAYER_OPTIONS, terminated by a NULL name; NULL: none */
    vn_module *(*make)(const struct vn__layer_type *type, const vn__layer *l);
} vn__layer_type;
int vn__layer_types(const vn__layer_type **types); /* how many */
int vn__layer_options(const vn__layer_type *type); /* number of options */

/* A module that reshapes x to this shape, of at most VN_MAX_RANK - 1 axes, after the batch axis. */
vn_module *vn__model_reshape(vn_shape shape);

#endif
