/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c: training state in one safetensors file: {weights, buffers, optimizer, random, step, extra}. Loading first does
 * everything that can fail, then sets the values. */
#include "files/files.h"
#include "nn/nn.h"
#include "core/state.h"
#include "program/node.h"
#include <string.h>

#define NOTE_VERSION "vinea.checkpoint"
#define NOTE_OPTIM "vinea.optimizer"
#define NOTE_CONFIG "vinea.config"

/* The caller's struct, checked, with the module's trees filled in. */
static int take_checkpoint(vn_checkpoint *to, const vn_checkpoint *from, const char *who)
{
    *to = (vn_checkpoint){0};
    if (!from) return vn__fail(VN_E_NULL, "%s: the checkpoint is NULL", who);
    if (!from->size) return vn__fail(VN_E_ARG, "%s: size is 0; it must be sizeof(vn_checkpoint)", who);
    if (vn__take(to, sizeof *to, from, who)) return vn_status();
    if (to->module && (to->weights || to->buffers))
        return vn__fail(VN_E_ARG, "%s: a module and weights or buffers; one of them is enough", who);
    if (to->module && !((to->weights = vn_module_v(to->module)) && (to->buffers = vn_module_buffers(to->module)))) return vn_status();
    if ((to->weights && !vn__tree_ok(to->weights, who, "weights")) || (to->buffers && !vn__tree_ok(to->buffers, who, "buffers")) ||
        (to->optim && !vn__check(to->optim, VN__OPTIM, who, "optim")))
        return vn_status();
    return VN_OK;
}

/* ---- saving ---- */

static int put_state(vn_tree *t, const vn_checkpoint *c)
{
    uint64_t random[2];
    vn_random_state(random); /* which cannot fail: the thread has a scope */
    int code = vn_tree_set(t, "random", vn_from_host(random, VN_U64, VN_SHAPE(2)));
    if (!code) code = vn_tree_set(t, "step", vn_from_host(&c->step, VN_I64, VN_0D));
    if (!code && c->weights) code = vn_tree_set_tree(t, "weights", c->weights);
    if (!code && c->buffers) code = vn_tree_set_tree(t, "buffers", c->buffers);
    if (!code && c->optim) code = vn_tree_set_tree(t, "optimizer", vn_optim_state(c->optim));
    if (!code && c->extra) code = vn_tree_set_tree(t, "extra", c->extra);
    return code;
}

int vn_checkpoint_save(const char *path, const vn_checkpoint *checkpoint)
{
    static const char who[] = "checkpoint_save";
    VN_SCOPE;
    vn_checkpoint c;
    int code = take_checkpoint(&c, checkpoint, who);
    if (code) return code;
    if (c.step < 0) return vn__fail(VN_E_ARG, "%s: step is %lld", who, (long long)c.step);
    vn_note notes[3] = {{NOTE_VERSION, "1"}};
    int n = 1;
    if (c.optim) notes[n++] = (vn_note){NOTE_OPTIM, vn_optim_name(c.optim)};
    if (c.config) notes[n++] = (vn_note){NOTE_CONFIG, c.config};
    vn_tree *t = vn_tree_new(NULL);
    code = t ? put_state(t, &c) : (int)vn_status();
    return code ? code : vn__save_tree(path, t, notes, n, who);
}

/* ---- loading ---- */

typedef struct {
    const vn__file *file;
    vn_array **h, **x; /* handles and the values they will have */
    int n;
} change;

static int misfit(const vn__file *f)
{
    char where[400];
    snprintf(where, sizeof where, "%s: %.300s", f->who, f->path);
    return vn__fail_in(where);
}

/* The new values for the arrays of one of the caller's trees; none if there is no tree. */
static int prepare_arrays(change *c, const vn_tree *saved, const char *name, const vn_tree *live)
{
    if (!live) return VN_OK;
    vn_value v = vn_tree_if_exists(saved, name);
    if (!vn__is_tree(v)) return vn__fail(VN_E_STRUCT, "%s: %.300s has no %s", c->file->who, c->file->path, name);
    if (vn_tree_assert_identical_structure(2, (const vn_tree *[]){live, v.u.tree}, NULL)) return misfit(c->file);
    c->n = vn__pair_arrays(live, v.u.tree, &c->h, &c->x, c->file->who);
    return c->n < 0 ? (int)vn_status() : VN_OK;
}

/* An array of the optimizer's state goes to its parameter's engine: "m/enc/w", or "adam/m/enc/w", to that of "enc/w"; a number of the
 * optimizer's own to that of the first. */
static vn_value to_engine_of(vn_value v, const char *chain, void *weights)
{
    if (!vn__is_array(v) || !weights || vn_tree_leaves(weights) < 1) return v;
    const vn_array *like = NULL;
    for (const char *rest = strchr(chain, '/'); rest && !like; rest = strchr(rest + 1, '/')) {
        vn_value w = vn__tree_at(weights, rest + 1);
        if (vn__is_array(w)) like = w.u.array;
    }
    vn_array *x = vn_to(v.u.array, vn_engine_of(like ? like : vn_tree_leaf(weights, 0)));
    return x ? vn_value_array(x) : vn__nothing();
}

static vn_tree *optimizer_state(const vn__catalog *x, const vn_tree *saved, const vn_checkpoint *c)
{
    const char *kind = vn__catalog_find(x, NOTE_OPTIM);
    vn_value v = vn_tree_if_exists(saved, "optimizer");
    if (!kind || !vn__is_tree(v)) return vn__fail(VN_E_STRUCT, "%s: %.300s has no optimizer", x->file->who, x->file->path), NULL;
    if (strcmp(kind, vn_optim_name(c->optim)) != 0)
        return vn__fail(VN_E_STRUCT, "%s: %.300s has the state of %.40s, not of %s", x->file->who, x->file->path, kind,
                        vn_optim_name(c->optim)),
               NULL;
    return vn_tree_map(v.u.tree, to_engine_of, c->weights, NULL);
}

/* A vector of n numbers, or a scalar. */
static int read_numbers(const vn__file *f, const vn_tree *saved, const char *name, vn_dtype dtype, int64_t n, void *to)
{
    vn_array *x = vn_tree_get_or_null(saved, name);
    if (!x || vn_dtype_of(x) != dtype || vn_size(x) != n)
        return vn__fail(VN_E_STRUCT, "%s: %.300s has no \"%s\" of a checkpoint", f->who, f->path, name);
    return vn_read(x, to, (size_t)n * vn_dtype_size(dtype));
}

static int load(vn__catalog *x, vn_checkpoint *c)
{
    VN_SCOPE;
    const vn__file *f = x->file;
    const char *version = vn__catalog_find(x, NOTE_VERSION);
    if (!version || strcmp(version, "1") != 0)
        return vn__fail(VN_E_FORMAT, "%s: %.300s: not a checkpoint of version 1 (%s)", f->who, f->path,
                        version ? "another version" : "the note " NOTE_VERSION " is missing");
    vn_tree *saved = vn__tree_of_file(x);
    uint64_t random[2];
    change weights = {.file = f}, buffers = {.file = f};
    int code = saved ? read_numbers(f, saved, "random", VN_U64, 2, random) : (int)vn_status();
    if (!code) code = read_numbers(f, saved, "step", VN_I64, 1, &c->step);
    if (!code) code = prepare_arrays(&weights, saved, "weights", c->weights);
    if (!code) code = prepare_arrays(&buffers, saved, "buffers", c->buffers);
    if (!code) {
        vn_value extra = vn_tree_if_exists(saved, "extra");
        c->extra = vn__is_tree(extra) ? vn_tree_pass(extra.u.tree) : NULL;
    }
    if (!code && c->optim) {
        vn_tree *state = optimizer_state(x, saved, c);
        code = state ? vn_optim_set_state(c->optim, state) : (int)vn_status();
    }
    if (code) return code;
    /* Nothing can fail from here on. */
    for (int i = 0; i < weights.n; i++) vn__point(weights.h[i], vn__node_of(weights.x[i]));
    for (int i = 0; i < buffers.n; i++) vn__point(buffers.h[i], vn__node_of(buffers.x[i]));
    vn_random_set_state(random);
    c->config = vn__catalog_find(x, NOTE_CONFIG);
    return VN_OK;
}

int vn_checkpoint_load(const char *path, vn_checkpoint *checkpoint)
{
    static const char who[] = "checkpoint_load";
    vn_checkpoint c;
    int code = take_checkpoint(&c, checkpoint, who);
    if (code) return code;
    /* The file's strings are in the caller's scope, so that config stays valid. Its bytes are copied, because the file may be replaced. */
    vn__catalog x = {.file = vn__file_open(path, true, 0, who)};
    if (!x.file) return vn_status();
    code = vn__catalog_read(&x);
    if (!code) code = load(&x, &c);
    vn__file_release(x.file);
    if (code) return code;
    checkpoint->step = c.step;
    checkpoint->config = c.config;
    if (checkpoint->size > offsetof(vn_checkpoint, extra)) checkpoint->extra = c.extra;
    return VN_OK;
}
