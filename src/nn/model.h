/* model.h (inside): what the files that read models know of each other. model_json.c makes nodes of a text, model_layers.c has the table of
 * layer types and how each is made, model.c goes through the nodes with it. */
#ifndef VN_NN_MODEL_INSIDE_H
#define VN_NN_MODEL_INSIDE_H

#include "nn/layers.h"
#include <vinea/model.h>

/* ---- JSON as nodes, in scope memory (model_json.c) ---- */
typedef enum { VN__JSON_NULL, VN__JSON_FLAG, VN__JSON_NUMBER, VN__JSON_TEXT, VN__JSON_LIST, VN__JSON_OBJECT } vn__json_kind;
typedef struct vn__json_node vn__json_node;
struct vn__json_node {
    vn__json_kind kind;
    const char *key; /* in an object */
    const char *text;
    double number;               /* also of a flag: 0 or 1 */
    vn__json_node *first, *next; /* of a list or object; beside this one */
    int n;                       /* how many it has */
};
/* VN_E_FORMAT with name, line and what is wrong there; `who` is the caller's. */
vn__json_node *vn__json_nodes(const char *text, const char *name, const char *who);
const vn__json_node *vn__json_find(const vn__json_node *object, const char *key); /* NULL: not there */
const char *vn__json_words(const vn__json_node *x);                               /* "a text", "a list" ... */

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
