/* model.h: networks that are described by a text: built-in ones by name, others from a JSON file.
 *
 *     {"input": "image",
 *      "layers": [{"type": "conv2d", "filters": 32, "kernel": 3, "padding": "same"},
 *                 {"type": "relu"},
 *                 {"type": "flatten"},
 *                 {"type": "linear", "units": "outputs"}]}
 *
 *     vn_module *net = vn_model("net.json", VN_SHAPE(64), 10);
 *
 * Layers are those of module.h, one after the other; what goes into each is known from the one before, so only sizes that are free are
 * written down. docs/models.md, printed by `vinea models --markdown` from the table the reader uses, lists the types and their options.
 *
 * A text is not trusted: VN_E_FORMAT names the model, the layer (from 1) and the key, with the nearest name where one is unknown; what
 * layers refuse (shapes that do not fit) keeps its code, with the layer put before the message. A model's variables may take 4 GiB, and so
 * may what a layer makes of one example; where vn_memory_limit was called, its limit holds instead, more or less. What is larger is
 * VN_E_MEM before anything is allocated. A text has at most 16 MiB, 100,000 values and brackets 32 deep, a list 1,000 layers, a model
 * 16,384 variables. */
#ifndef VINEA_MODEL_H
#define VINEA_MODEL_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vn_module vn_module; /* module.h */

/* A network for examples of this shape (without the batch), in training. `model` is a built-in name, or a path: anything with a '.' or '/'.
 * outputs: what "outputs" stands for in it, such as the number of classes; 1 or more. The last layer's result need not be so wide. */
VN_API vn_module *vn_model(const char *model, vn_shape example, int64_t outputs);
/* The same from the text; `name` is for messages. */
VN_API vn_module *vn_model_parse(const char *text, const char *name, vn_shape example, int64_t outputs);
/* The text of a built-in model or of a file, which is not looked into; it belongs to the innermost scope. */
VN_API const char *vn_model_text(const char *model);

/* The built-in models. */
typedef struct vn_model_info {
    size_t size VN_UNSET;
    const char *name VN_UNSET;
    const char *about VN_UNSET; /* one line */
    const char *text VN_UNSET;  /* JSON */
} vn_model_info;
VN_API int vn_model_count(void);
VN_API int vn_model_at(int i, vn_model_info *info);

/* The layer types of the JSON form. */
typedef struct vn_layer_option {
    const char *name;
    const char *type;     /* "count", "number", "flag", "sizes", "layers", or the words that are possible: "valid|same" */
    const char *fallback; /* what it is unless given; NULL: it must be given */
    const char *about;
} vn_layer_option;
typedef struct vn_layer_info {
    size_t size VN_UNSET;
    const char *name VN_UNSET;
    const char *about VN_UNSET;
    int n_options VN_UNSET;
    const vn_layer_option *options VN_UNSET;
} vn_layer_info;
VN_API int vn_layer_count(void);
VN_API int vn_layer_at(int i, vn_layer_info *info);

#ifdef __cplusplus
}
#endif
#endif
