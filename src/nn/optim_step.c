/* optim_step.c: a step. It records the update of all parameters, points the handles of parameters and state at it, and evaluates
 * parameters, state, gradients and loss as one program; on failure everything is rolled back. */
#include "nn/optim.h"
#include "base/floats.h"
#include "core/dtype.h"
#include "ops/row.h"
#include "program/program.h"
#include <math.h>

/* What a step changes: handles of parameters and state, and their new values. */
typedef struct {
    int n, n_changed;
    const char **keys;
    vn_array **w, **g; /* parameters, and gradients as they were given */
    vn_array **changed;
    vn__node **old, **target;
} work;

enum { MAX_OF_ONE = 1 + VN__OPTIM_SLOTS + 2 }; /* most handles per parameter: itself, slots, held gradients, average */

static void end_work(work *k)
{
    for (int i = 0; k->old && i < k->n_changed; i++) vn__node_release(k->old[i]);
    vn__free(k->w), vn__free(k->g), vn__free(k->changed), vn__free(k->old), vn__free(k->target), vn__free(k->keys);
}

static int same_form(const char *key, vn_array *w, vn_array *x, const char *what, bool any_float)
{
    vn_shape a = vn_shape_of(w), b = vn_shape_of(x);
    char s[128], t[128];
    if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0)
        return vn__fail(VN_E_SHAPE, "step: \"%s\" has shape %s, its %s %s", key, vn__shape_text(a.rank, a.dim, s), what,
                        vn__shape_text(b.rank, b.dim, t));
    if (any_float ? !vn__is(vn_dtype_of(x), VN_FLOATS) : vn_dtype_of(w) != vn_dtype_of(x))
        return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s, its %s %s", key, vn_dtype_name(vn_dtype_of(w)), what,
                        vn_dtype_name(vn_dtype_of(x)));
    return VN_OK;
}

/* Pairs parameters with gradients and checks them; nothing is changed yet. */
static int pair(work *k, const vn__optimizer *b, const vn_tree *p, const vn_tree *grads)
{
    int leaves = vn_tree_leaves(p);
    const vn_tree *along = vn__tree_along(grads);
    size_t n = (size_t)leaves, most = n * MAX_OF_ONE, others = along ? (size_t)vn_tree_leaves(along) : 0;
    k->keys = vn__calloc(n * sizeof *k->keys);
    k->w = vn__calloc(n * sizeof *k->w), k->g = vn__calloc(n * sizeof *k->g), k->changed = vn__calloc(most * sizeof *k->changed);
    k->old = vn__calloc(most * sizeof *k->old), k->target = vn__calloc((most + n + 1 + others) * sizeof *k->target);
    if (!k->keys || !k->w || !k->g || !k->changed || !k->old || !k->target) return vn__no_memory("step");
    for (int i = 0; i < leaves; i++) {
        const char *key = vn_tree_leaf_key(p, i);
        size_t length = key ? strlen(key) + 1 : 0;
        char *copy = key ? vn__scope_memory(length, "step") : NULL;
        if (!copy) return vn_status();
        memcpy(copy, key, length);
        if (!vn_tree_has(grads, copy)) {
            if (b->ignore_missing) continue;
            return vn__fail(VN_E_STRUCT, "step: the gradients have no \"%s\"", copy);
        }
        if (vn_tree_if_exists(grads, copy).kind == VN_V_NULL) continue; /* frozen */
        vn_array *w = vn_tree_leaf(p, i), *g = vn_tree_get(grads, copy);
        if (!w || !g) return vn_status();
        if (!vn__is(vn_dtype_of(w), VN_FLOATS))
            return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s; a float dtype is needed", copy, vn_dtype_name(vn_dtype_of(w)));
        int code = same_form(copy, w, g, "gradient", false);
        if (code) return code;
        k->keys[k->n] = copy, k->w[k->n] = w, k->g[k->n++] = g;
    }
    return VN_OK;
}

/* A parameter's array in one of the state's trees; created as zeros (or a copy) the first time. Half-precision parameters have float32
 * state. */
static vn_array *slot_of(vn__optimizer *b, const char *name, const char *key, vn_array *w, bool copy)
{
    char chain[VN__KEY_CHAIN];
    if (snprintf(chain, sizeof chain, "%s/%s", name, key) >= (int)sizeof chain)
        return vn__fail(VN_E_STRUCT, "step: \"%.60s...\" is too long", key), NULL;
    if (!vn_tree_has(b->state, chain)) {
        VN_SCOPE; /* references to w must be gone before the step, which overwrites w */
        vn_array *x = copy ? vn__widen(vn_stop_gradient(w)) : vn_zeros_like(vn__widen(vn_stop_gradient(w)));
        if (!x || vn_tree_set(b->state, chain, x)) return NULL;
    }
    vn_array *x = vn_tree_get(b->state, chain);
    return x && !same_form(key, w, x, name, true) ? x : NULL;
}

/* Computes everything the step reads, so that every step is the same program. */
static int make_ready(work *k, vn__optimizer *b)
{
    int n = 0;
    for (int i = 0; i < k->n; i++) {
        k->target[n++] = vn__node_of(k->w[i]);
        for (int j = 0; j < VN__OPTIM_SLOTS + 2; j++) {
            const char *name = j < VN__OPTIM_SLOTS    ? vn__optim_slot(b, j)
                               : j == VN__OPTIM_SLOTS ? (b->accumulate > 1 ? "held" : NULL)
                               : b->average > 0       ? "average"
                                                      : NULL;
            vn_array *x = name ? slot_of(b, name, k->keys[i], k->w[i], j > VN__OPTIM_SLOTS) : NULL;
            if (name && !x) return vn_status();
            if (x) k->target[n++] = vn__node_of(x);
        }
    }
    return vn__evaluate(n, k->target, 0, NULL);
}

/* Adds a handle that changes and its new value; the old one is kept for rollback. */
static int change(work *k, vn_array *h, vn_array *to, vn_array **z)
{
    if (!to) return vn_status();
    z[k->n_changed] = to;
    k->changed[k->n_changed++] = h;
    return VN_OK;
}

/* x in the dtype of computation. Half precision stays as it is where nothing but adam_apply looks at it, which computes in float32. */
static vn_array *prepared(const vn__optimizer *b, vn_array *x)
{
    const bool alone = !(b->clip_value > 0 || b->clip_norm > 0 || b->accumulate > 1 || b->o.weight_decay > 0);
    x = vn_stop_gradient(x);
    return b->rule->move_all && alone ? x : vn__widen(x);
}

/* The gradients of all parameters in the dtype of computation, cut and scaled as the options say. */
static int prepared_gradients(const work *k, const vn__optimizer *b, vn_array **g)
{
    vn_array *total = NULL;
    for (int i = 0; i < k->n; i++) {
        g[i] = prepared(b, k->g[i]);
        if (b->clip_value > 0) g[i] = vn_clip(g[i], vn_scalar(-b->clip_value), vn_scalar(b->clip_value));
        if (!g[i]) return vn_status();
    }
    if (!(b->clip_norm > 0)) return VN_OK;
    total = vn__norm_of(k->n, g);
    vn_array *factor = vn__clip_factor(total, b->clip_norm);
    for (int i = 0; i < k->n && factor; i++) {
        if (!(g[i] = vn_mul(g[i], vn_cast(factor, vn_dtype_of(g[i]))))) return vn_status();
    }
    return factor ? VN_OK : (int)vn_status();
}

/* Parameter i before its update, with weight decay if set. */
static int begin_motion(const work *k, vn__optimizer *b, int i, vn_array *g, double lr, vn__motion *m)
{
    const vn__optim_settings *o = &b->o;
    vn_array *w = k->w[i];
    *m = (vn__motion){.w = prepared(b, w), .g = g, .lr = lr, .step = (double)(b->steps + 1)};
    for (int j = 0; j < VN__OPTIM_SLOTS; j++) {
        if (vn__optim_slot(b, j) && !(m->slot[j] = m->handles[j] = slot_of(b, vn__optim_slot(b, j), k->keys[i], w, false)))
            return vn_status();
    }
    if (o->weight_decay > 0 && b->rule->decoupled) m->w = vn__scaled(m->w, 1 - lr * o->weight_decay);
    else if (o->weight_decay > 0) m->g = vn_add(m->g, vn__scaled(m->w, o->weight_decay));
    return m->w && m->g ? VN_OK : (int)vn_status();
}

/* Adds the new values of parameter i and its state. */
static int end_motion(work *k, vn__optimizer *b, int i, const vn__motion *m, vn_array **z)
{
    vn_array *w = k->w[i], *to = m->w && vn_dtype_of(m->w) != vn_dtype_of(w) ? vn_cast(m->w, vn_dtype_of(w)) : m->w;
    to = to ? vn_stop_gradient(to) : NULL;
    if (b->average > 0) {
        vn_array *average = slot_of(b, "average", k->keys[i], w, true);
        int code = average && to ? change(k, average, vn__optim_blend(b->average, average, vn__widen(to)), z) : (int)vn_status();
        if (code) return code;
    }
    if (to && vn_is_variable(w)) to = vn_variable(to);
    int code = change(k, w, to, z);
    for (int j = 0; j < VN__OPTIM_SLOTS && !code; j++) {
        if (m->handles[j]) code = change(k, m->handles[j], vn_stop_gradient(m->slot[j]), z);
    }
    return code;
}

/* Records the new values of all parameters and of their state. */
static int move_all(work *k, vn__optimizer *b, vn_array **g, double lr, vn_array **z)
{
    vn__motion *m = vn__alloc((size_t)k->n * sizeof *m);
    int code = m ? VN_OK : vn__no_memory("step");
    for (int i = 0; i < k->n && !code; i++) code = begin_motion(k, b, i, g[i], lr, &m[i]);
    if (!code && b->rule->move_all) code = b->rule->move_all(b, k->n, m);
    for (int i = 0; i < k->n && !code; i++) {
        if (b->rule->move) m[i].w = b->rule->move(b, &m[i]);
        code = end_motion(k, b, i, &m[i], z);
    }
    vn__free(m);
    return code;
}

/* Adds the gradients to the held ones; if `full`, g becomes their average and the held ones start again from zero. */
static int hold_gradients(work *k, vn__optimizer *b, vn_array **g, bool full, vn_array **z)
{
    for (int i = 0; i < k->n; i++) {
        vn_array *held = slot_of(b, "held", k->keys[i], k->w[i], false);
        vn_array *sum = held ? vn_add(held, vn__scaled(g[i], 1. / (double)b->accumulate)) : NULL;
        int code = sum ? change(k, held, full ? vn_zeros_like(sum) : sum, z) : (int)vn_status();
        if (code) return code;
        g[i] = sum;
    }
    return VN_OK;
}

/* Records all new values and points the handles at them. The new arrays' own handles are dropped, so that the
 * parameters are the only users of the update. */
static int update(work *k, vn__optimizer *b, double lr, bool moves)
{
    VN_SCOPE;
    vn_array **z = vn__calloc((size_t)k->n * MAX_OF_ONE * sizeof *z), **g = vn__calloc((size_t)k->n * sizeof *g);
    int code = z && g ? prepared_gradients(k, b, g) : vn__no_memory("step");
    if (!code && b->accumulate > 1) code = hold_gradients(k, b, g, moves, z);
    if (!code && moves && k->n) code = move_all(k, b, g, lr, z);
    if (code) k->n_changed = 0;
    for (int i = 0; i < k->n_changed; i++) {
        vn__node_retain(k->old[i] = vn__node_of(k->changed[i]));
        vn__point(k->changed[i], vn__node_of(z[i]));
    }
    vn__free(z);
    vn__free(g);
    return code;
}

/* Adds arrays attached to the gradients: a module's buffers. */
static int add_along(work *k, const vn_tree *grads, int *n)
{
    const vn_tree *along = vn__tree_along(grads);
    for (int i = 0, others = along ? vn_tree_leaves(along) : 0; i < others; i++) {
        vn_array *x = vn_tree_leaf(along, i);
        if (!x) return vn_status();
        k->target[(*n)++] = vn__node_of(x);
    }
    return VN_OK;
}

int vn_step(vn_optim *o, vn_tree *p, const vn_tree *grads)
{
    if (!vn__check(o, VN__OPTIM, "step", "o") || !vn__check(p, VN__TREE, "step", "p") || !vn__check(grads, VN__TREE, "step", "grads"))
        return vn_status();
    VN_SCOPE;
    VN__FLOATS;
    vn__optimizer *b = vn__optim_of(o);
    double lr = vn__optim_rate(b);
    if (!isfinite(lr)) return vn_status();
    bool moves = b->accumulate < 2 || (b->calls + 1) % b->accumulate == 0;
    work k = {0};
    int code = pair(&k, b, p, grads);
    if (!code) code = make_ready(&k, b);
    if (!code) code = update(&k, b, lr, moves);
    if (!code) {
        int n = 0;
        vn_array *loss = vn__tree_loss(grads);
        for (int i = 0; i < k.n_changed; i++) k.target[n++] = vn__node_of(k.changed[i]);
        for (int i = 0; i < k.n; i++) k.target[n++] = vn__node_of(k.g[i]);
        if (loss) k.target[n++] = vn__node_of(loss);
        code = add_along(&k, grads, &n);
        if (!code) code = vn__evaluate(n, k.target, k.n_changed, k.old);
        for (int i = 0; i < k.n_changed && code; i++) vn__point(k.changed[i], k.old[i]);
    }
    if (!code) b->calls++, b->steps += moves;
    end_work(&k);
    return code;
}
