/* SPDX-License-Identifier: Apache-2.0 */
/* model_builtin.c: built-in models, models from files, and the list of models. */
#include "core/options.h"
#include "base/nearest.h"
#include "files/files.h"
#include "core/state.h"
#include "core/options.h"
#include <string.h>
#include <vinea/vinea.h>

static const char who[] = "model";
enum { MAX_TEXT = 16 << 20 }; /* bytes */

static const struct {
    const char *name, *about, *text;
} models[] = {
    {"linear", "one linear layer: linear or logistic regression",
     "{\n"
     "  \"layers\": [\n"
     "    {\"type\": \"flatten\"},\n"
     "    {\"type\": \"batch_norm1d\"},\n"
     "    {\"type\": \"linear\", \"out\": \"outputs\"}\n"
     "  ]\n"
     "}\n"},
    {"mlp", "two hidden layers of 128 and 64: for tables of numbers",
     "{\n"
     "  \"layers\": [\n"
     "    {\"type\": \"flatten\"},\n"
     "    {\"type\": \"batch_norm1d\"},\n"
     "    {\"type\": \"linear\", \"out\": 128},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"dropout\", \"prob\": 0.1},\n"
     "    {\"type\": \"linear\", \"out\": 64},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"linear\", \"out\": \"outputs\"}\n"
     "  ]\n"
     "}\n"},
    {"convnet", "three convolutions: for small images",
     "{\n"
     "  \"input\": \"image\",\n"
     "  \"layers\": [\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"conv2d\", \"out\": 32, \"kernel\": 3, \"padding\": \"SAME\"},\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"conv2d\", \"out\": 64, \"kernel\": 3, \"padding\": \"SAME\"},\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"max_pool2d\", \"window\": 2},\n"
     "    {\"type\": \"dropout\", \"prob\": 0.25},\n"
     "    {\"type\": \"conv2d\", \"out\": 64, \"kernel\": 3, \"padding\": \"SAME\"},\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"max_pool2d\", \"window\": 2},\n"
     "    {\"type\": \"flatten\"},\n"
     "    {\"type\": \"dropout\", \"prob\": 0.25},\n"
     "    {\"type\": \"linear\", \"out\": \"outputs\"}\n"
     "  ]\n"
     "}\n"},
    {"resnet", "a convolution and two residual blocks: for small images of any size",
     "{\n"
     "  \"input\": \"image\",\n"
     "  \"layers\": [\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"conv2d\", \"out\": 32, \"kernel\": 3, \"padding\": \"SAME\"},\n"
     "    {\"type\": \"residual\", \"layers\": [\n"
     "      {\"type\": \"batch_norm2d\"},\n"
     "      {\"type\": \"relu\"},\n"
     "      {\"type\": \"conv2d\", \"out\": 32, \"kernel\": 3, \"padding\": \"SAME\"}\n"
     "    ]},\n"
     "    {\"type\": \"max_pool2d\", \"window\": 2},\n"
     "    {\"type\": \"residual\", \"layers\": [\n"
     "      {\"type\": \"batch_norm2d\"},\n"
     "      {\"type\": \"relu\"},\n"
     "      {\"type\": \"conv2d\", \"out\": 32, \"kernel\": 3, \"padding\": \"SAME\"}\n"
     "    ]},\n"
     "    {\"type\": \"batch_norm2d\"},\n"
     "    {\"type\": \"relu\"},\n"
     "    {\"type\": \"global_avg_pool\"},\n"
     "    {\"type\": \"linear\", \"out\": \"outputs\"}\n"
     "  ]\n"
     "}\n"},
};
enum { N_MODELS = sizeof models / sizeof *models };

static const char *model_name(int i, void *user)
{
    (void)user;
    return models[i].name;
}

/* Reads a file, in the innermost scope. */
static const char *file_text(const char *path)
{
    vn__file *f = vn__file_open(path, true, MAX_TEXT, who);
    if (!f) return NULL;
    const bool is_text = !memchr(f->data, 0, f->size);
    if (!is_text) vn__fail(VN_E_FORMAT, "%s: %.300s: not a text file: it contains a zero byte", who, path);
    char *text = is_text ? vn__scope_memory(f->size + 1, who) : NULL;
    if (text) {
        memcpy(text, f->data, f->size);
        text[f->size] = 0;
    }
    vn__file_release(f);
    return text;
}

const char *vn_model_text(const char *model)
{
    if (!model) return vn__fail(VN_E_NULL, "%s: the model is NULL", who), NULL;
    if (strpbrk(model, "./")) return file_text(model);
    for (int i = 0; i < N_MODELS; i++) {
        if (vn__same_word(models[i].name, model)) return models[i].text;
    }
    char names[200] = "";
    for (int i = 0; i < N_MODELS; i++) snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", models[i].name);
    const char *near = vn__nearest(model, N_MODELS, model_name, NULL);
    vn__fail(VN_E_ARG, "%s: there is no model \"%.100s\"%s%s%s (built in are %s; the name of a file has a '.' or '/')", who, model,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "", names);
    return NULL;
}

vn_module *vn_model(const char *model, vn_shape example, int64_t outputs)
{
    VN_SCOPE;
    const char *text = vn_model_text(model);
    vn_module *m = text ? vn_model_parse(text, model, example, outputs) : NULL;
    return m ? vn_module_pass(m) : NULL;
}

int vn_model_count(void)
{
    return N_MODELS;
}

int vn_model_at(int i, vn_model_info *info)
{
    if (i < 0 || i >= N_MODELS) return vn__fail(VN_E_ARG, "model_at: there is no model %d, %d are built in", i, (int)N_MODELS);
    const vn_model_info found = {.size = sizeof found, .name = models[i].name, .about = models[i].about, .text = models[i].text};
    return VN__GIVE("model_at", vn_model_info, info, &found);
}
