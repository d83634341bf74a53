/* SPDX-License-Identifier: Apache-2.0 */
/* optim_step.c: a step. It records the update of all parameters, points the handles of parameters and state at it, and evaluates
 * parameters, state, gradients and loss as one program; on failure everything is rolled back. */
#include "nn/optim.h"
#include "base/floats.h"
#include "core/dtype.h"
#include "program/program.h"
#include <math.h>

/* ---- what rules and compositions call ---- */

static int scale_all(int n, vn_array **g, vn_array *factor)
{
    for (int i = 0; i < n; i++)
        if (!(g[i] = vn__by(g[i], factor))) return vn_status();
    return VN_OK;
}

int vn__clip_all(int n, vn_array **g, double most)
{
    return scale_all(n, g, vn__clip_factor(vn__norm_of(n, g), most));
}

int vn__cut_all(int n, vn_array **g, double most)
{
    for (int i = 0; i < n; i++)
        if (!(g[i] = vn_clip(g[i], vn_scalar(-most), vn_scalar(most)))) return vn_status();
    return VN_OK;
}

bool vn__optim_uses(const vn__optimizer *b, int slot)
{
    const vn__optim_slot *s = &b->rule->slots[slot];
    return s->name && (!s->used || s->used(b));
}

static double decay_of(const vn__optimizer *b)
{
    return b->rule->decay ? *(const double *)(const void *)((const char *)b->opts + b->rule->decay) : 0;
}

int vn__move(vn__moving *m)
{
    const vn__optim_rule *r = m->b->rule;
    const double decay = decay_of(m->b);
    if (!m->n) return VN_OK;
    for (int i = 0; i < m->n && decay > 0 && !r->decoupled; i++) m->g[i] = vn_add(m->g[i], vn__scaled(m->w[i], decay));
    int code = r->all ? r->all(m) : VN_OK;
    for (int i = 0; i < m->n && !code; i++) {
        if (r->each) m->g[i] = r->each(m, i);
        if (decay > 0 && r->decoupled && !r->complete) m->g[i] = vn_add(m->g[i], vn__scaled(m->w[i], decay));
        if (!r->complete) m->g[i] = vn__scaled(m->g[i], -m->lr);
        if (!m->g[i]) code = vn_status();
    }
    return code;
}

int vn__move_part(vn__moving *m, int k)
{
    vn__moving *part = &m->part[k];
    for (int i = 0; i < part->n; i++) part->g[i] = m->g[part->at[i]], part->w[i] = m->w[part->at[i]];
    const int code = vn__move(part);
    for (int i = 0; i < part->n && !code; i++) m->g[part->at[i]] = part->g[i];
    return code;
}

/* How many arrays a slot has. */
static int arrays_of(const vn__moving *m, int slot)
{
    return m->b->rule->slots[slot].single ? 1 : m->n;
}

int vn__choose(vn__moving *m, vn_array *condition)
{
    for (int j = 0; j < VN__OPTIM_SLOTS; j++) {
        for (int i = 0; m->slot[j] && i < arrays_of(m, j); i++) {
            if (m->slot[j][i] == m->state[j][i]) continue;
            if (!(m->slot[j][i] = vn_where(condition, m->slot[j][i], m->state[j][i]))) return vn_status();
        }
    }
    if (m->count && !(m->count = vn_where(condition, m->count, vn_sub(m->count, vn_scalar(1))))) return vn_status();
    int code = VN_OK;
    for (int k = 0; k < m->n_parts && !code; k++) code = vn__choose(&m->part[k], condition);
    return code;
}

/* ---- parameters and gradients ---- */

/* What a step changes: handles of parameters and state, and their new values. Accumulated gradients are summed in the fixed tree of
 * src/group/tree.c, so that they have the bits of a batch in as many parts: level l holds the sum of 2^l of them where bit l of their
 * number is set. */
enum { HELD_LEVELS = 63 };
typedef struct {
    int n, n_state, n_changed;
    const char **keys;
    vn_array **w, **g;            /* parameters, and gradients as they were given */
    vn_array **held[HELD_LEVELS]; /* sums of accumulated gradients that this call uses; NULL: not this one */
    uint64_t waiting, levels;     /* gradients that are held; the sums in use, one bit each */
    vn_array **average;           /* averages of parameters; NULL: none */
    vn_array **changed, **z;      /* handles and their new values */
    vn__node **old;
    double step;
    int64_t steps;
    vn_array *loss;
    struct block *blocks; /* memory of the step */
} work;

struct block {
    struct block *next;
    _Alignas(max_align_t) char memory[];
};

static void end_work(work *k)
{
    for (int i = 0; k->old && i < k->n_changed; i++) vn__node_release(k->old[i]);
    while (k->blocks) {
        struct block *next = k->blocks->next;
        vn__free(k->blocks);
        k->blocks = next;
    }
}

/* Zeroed memory for n things and one more, until the step ends. */
static void *room(work *k, size_t n, size_t size)
{
    struct block *made = vn__calloc(sizeof *made + (n + 1) * size);
    if (!made) return vn__no_memory("step"), NULL;
    made->next = k->blocks;
    k->blocks = made;
    return made->memory;
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
    const int leaves = vn_tree_leaves(p);
    if (leaves < 0) return vn_status();
    k->keys = room(k, (size_t)leaves, sizeof *k->keys);
    k->w = room(k, (size_t)leaves, sizeof *k->w), k->g = room(k, (size_t)leaves, sizeof *k->g);
    if (!k->keys || !k->w || !k->g) return vn_status();
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

/* ---- state ---- */

/* An array of the state; it begins as `begin` says. Half-precision parameters have float32 state. */
static vn_array *state_of(vn__optimizer *b, const char *name, const char *key, const vn__moving *m, int i, vn__optim_begin *begin)
{
    char chain[VN__KEY_CHAIN];
    if (snprintf(chain, sizeof chain, "%s%s%s", name, *key ? "/" : "", key) >= (int)sizeof chain)
        return vn__fail(VN_E_STRUCT, "step: \"%.60s...\" is too long", key), NULL;
    if (!vn_tree_has(b->state, chain)) {
        VN_SCOPE; /* references to w must be gone before the step, which overwrites w */
        vn_array *x = begin(m, i);
        if (!x || vn_tree_set(b->state, chain, x)) return NULL;
    }
    return vn_tree_get(b->state, chain);
}

/* The shape of a state that is there already fits the parameter. Slots like the parameter are compared with it, others with a new one. */
static int check_state(const vn__moving *m, int i, const char *name, vn_array *x, vn__optim_begin *begin)
{
    const bool alike = begin == vn__begin_zeros || begin == vn__begin_ones || begin == vn__begin_copy;
    VN_SCOPE;
    vn_array *fresh = alike ? m->w[i] : begin(m, i);
    return fresh ? same_form(m->key[i], fresh, x, name, true) : (int)vn_status();
}

static int find_slot(work *k, vn__moving *m, int j)
{
    const vn__optim_slot *s = &m->b->rule->slots[j];
    const int n = arrays_of(m, j);
    m->slot[j] = room(k, (size_t)n, sizeof *m->slot[j]), m->state[j] = room(k, (size_t)n, sizeof *m->state[j]);
    if (!m->slot[j] || !m->state[j]) return vn_status();
    for (int i = 0; i < n && m->n; i++) {
        m->slot[j][i] = m->state[j][i] = state_of(m->b, s->name, s->single ? "" : m->key[i], m, i, s->begin);
        if (!m->state[j][i] || check_state(m, i, s->name, m->state[j][i], s->begin)) return vn_status();
        k->n_state++;
    }
    return VN_OK;
}

/* Options that schedules set. */
static int inject(vn__optimizer *b, int64_t steps)
{
    for (int k = 0; k < b->n_injected; k++) {
        const int field = b->injected[k].field;
        const double value = vn_schedule_at(&b->injected[k].schedule, steps);
        if (isnan(value) || vn__check_range(b->rule->name, &b->fields->options[field], value)) return vn_status();
        memcpy((char *)b->opts + b->fields->fields[field].offset, &value, sizeof value);
    }
    return VN_OK;
}

/* Prepares an optimizer and its parts: state, learning rates, and which parameters each moves. */
static int prepare(work *k, vn__optimizer *b, vn__moving *m)
{
    int code = inject(b, k->steps);
    m->b = b, m->step = k->step, m->loss = k->loss;
    m->lr = b->rule->rated ? vn__optim_rate(b, k->steps) : 0;
    if (code || !isfinite(m->lr)) return vn_status();
    m->g = room(k, (size_t)m->n, sizeof *m->g);
    if (!m->g) return vn_status();
    for (int j = 0; j < VN__OPTIM_SLOTS && !code; j++)
        if (vn__optim_uses(b, j)) code = find_slot(k, m, j);
    if (!code && b->counted && m->n) {
        m->count = state_of(b, "count", "", m, 0, vn__begin_zero);
        code = m->count ? (k->n_state++, VN_OK) : (int)vn_status();
    }
    m->part = room(k, (size_t)b->n_parts, sizeof *m->part);
    if (!m->part) return vn_status();
    for (int p = 0; p < b->n_parts && !code; p++) {
        vn__moving *part = &m->part[p];
        part->key = room(k, (size_t)m->n, sizeof *part->key), part->w = room(k, (size_t)m->n, sizeof *part->w);
        part->at = room(k, (size_t)m->n, sizeof *part->at);
        if (!part->key || !part->w || !part->at) return vn_status();
        for (int i = 0; i < m->n; i++) {
            if (b->rule->picks && !b->rule->picks(b, p, m->key[i])) continue;
            part->key[part->n] = m->key[i], part->w[part->n] = m->w[i], part->at[part->n++] = i;
        }
        m->n_parts++;
        code = prepare(k, vn__optim_of(b->part[p]), part);
    }
    return code;
}

static vn_array *begin_average(const vn__moving *m, int i)
{
    return vn__widen(vn_stop_gradient(m->w[i]));
}

/* The sums that a call of vn_step uses: all that are there if parameters move, otherwise those that this gradient completes, and where
 * their sum goes. */
static int prepare_held(work *k, vn__optimizer *b, const vn__moving *m, bool moves)
{
    if (b->accumulate < 2) return VN_OK;
    k->waiting = (uint64_t)(b->calls % b->accumulate);
    k->levels = moves ? k->waiting : k->waiting ^ (k->waiting + 1);
    for (int l = 0; l < HELD_LEVELS; l++) {
        char name[32];
        if (!(k->levels >> l & 1)) continue;
        if (!(k->held[l] = room(k, (size_t)k->n, sizeof *k->held[l]))) return vn_status();
        snprintf(name, sizeof name, "held/%d", l);
        for (int i = 0; i < k->n; i++, k->n_state++) {
            k->held[l][i] = state_of(b, name, k->keys[i], m, i, vn__begin_zeros);
            if (!k->held[l][i] || check_state(m, i, name, k->held[l][i], vn__begin_zeros)) return vn_status();
        }
    }
    return VN_OK;
}

static int prepare_average(work *k, vn__optimizer *b, const vn__moving *m)
{
    if (!(b->average > 0)) return VN_OK;
    if (!(k->average = room(k, (size_t)k->n, sizeof *k->average))) return vn_status();
    for (int i = 0; i < k->n; i++) {
        k->average[i] = state_of(b, "average", k->keys[i], m, i, begin_average);
        if (!k->average[i] || check_state(m, i, "average", k->average[i], vn__begin_copy)) return vn_status();
    }
    return VN_OK;
}

static int add_state(vn__node **to, const vn__moving *m)
{
    int n = 0;
    for (int j = 0; j < VN__OPTIM_SLOTS; j++)
        for (int i = 0; m->state[j] && i < arrays_of(m, j) && m->n; i++) to[n++] = vn__node_of(m->state[j][i]);
    if (m->count) to[n++] = vn__node_of(m->count);
    for (int p = 0; p < m->n_parts; p++) n += add_state(to + n, &m->part[p]);
    return n;
}

/* Computes everything the step reads, so that every step is the same program. */
static int make_ready(work *k, const vn__moving *m)
{
    vn__node **target = room(k, (size_t)k->n * 2 + (size_t)k->n_state, sizeof *target);
    if (!target) return vn_status();
    int n = add_state(target, m);
    for (int i = 0; i < k->n; i++) {
        target[n++] = vn__node_of(k->w[i]);
        if (k->average) target[n++] = vn__node_of(k->average[i]);
        for (int l = 0; l < HELD_LEVELS; l++)
            if (k->held[l]) target[n++] = vn__node_of(k->held[l][i]);
    }
    return vn__evaluate(n, target, 0, NULL);
}

/* ---- recording ---- */

/* Adds a handle that changes and its new value; the old one is kept for rollback. */
static int change(work *k, vn_array *h, vn_array *to)
{
    if (!h || !to) return vn_status();
    k->z[k->n_changed] = to;
    k->changed[k->n_changed++] = h;
    return VN_OK;
}

static int change_state(work *k, const vn__moving *m)
{
    int code = VN_OK;
    for (int j = 0; j < VN__OPTIM_SLOTS && !code; j++) {
        for (int i = 0; m->state[j] && i < arrays_of(m, j) && m->n && !code; i++)
            if (m->slot[j][i] != m->state[j][i])
                code = m->slot[j][i] ? change(k, m->state[j][i], vn_stop_gradient(m->slot[j][i])) : (int)vn_status();
    }
    if (m->count && !code) code = change(k, vn_tree_get(m->b->state, "count"), vn_stop_gradient(m->count));
    for (int p = 0; p < m->n_parts && !code; p++) code = change_state(k, &m->part[p]);
    return code;
}

/* The steps of parts that count their own go on. */
static int count_on(vn__moving *m)
{
    if (m->count && !(m->count = vn_add(m->count, vn_scalar(1)))) return vn_status();
    int code = VN_OK;
    for (int p = 0; p < m->n_parts && !code; p++) code = count_on(&m->part[p]);
    return code;
}

/* Whether the optimizer's own kernel moves the parameters, with half precision as it is: nothing else looks at the gradients. */
static bool alone(const vn__optimizer *b)
{
    return b->rule->fused && !(b->clip_value > 0 || b->clip_norm > 0 || b->accumulate > 1 || decay_of(b) > 0);
}

/* The gradients of all parameters in the dtype of computation. */
static int prepare_gradients(const work *k, const vn__optimizer *b, vn_array **g)
{
    for (int i = 0; i < k->n; i++) {
        g[i] = vn_stop_gradient(k->g[i]);
        if (!alone(b)) g[i] = vn__widen(g[i]);
        if (!g[i]) return vn_status();
    }
    return VN_OK;
}

/* Adds the gradients to the held ones; if parameters move, g becomes the average. */
static int hold_gradients(work *k, const vn__optimizer *b, vn_array **g, bool moves)
{
    int code = VN_OK;
    for (int i = 0; i < k->n && !code; i++) {
        for (int l = 0; l < HELD_LEVELS && !code; l++) {
            if (k->waiting >> l & k->levels >> l & 1) g[i] = vn_add(k->held[l][i], g[i]);
            else if (k->levels >> l & 1) code = g[i] ? change(k, k->held[l][i], g[i]) : (int)vn_status();
        }
        if (moves) g[i] = vn__scaled(g[i], 1. / (double)b->accumulate);
        if (!g[i]) code = vn_status();
    }
    return code;
}

/* The length of all gradients together, also of those that this step does not have. */
static vn_array *length_of(work *k, const vn__optimizer *b, vn_array **g)
{
    if (!b->whole) return vn__norm_of(k->n, g);
    const int n = vn_tree_leaves(b->whole);
    vn_array **all = n < 0 ? NULL : room(k, (size_t)n, sizeof *all);
    for (int i = 0; i < n && all; i++)
        if (!(all[i] = vn__widen(vn_tree_leaf(b->whole, i)))) return NULL;
    if (!all || (b->clip_value > 0 && vn__cut_all(n, all, b->clip_value))) return NULL;
    return vn__norm_of(n, all);
}

/* Cut and scaled as the options say. */
static int clip_gradients(work *k, const vn__optimizer *b, vn_array **g)
{
    const int code = b->clip_value > 0 ? vn__cut_all(k->n, g, b->clip_value) : VN_OK;
    return !code && b->clip_norm > 0 ? scale_all(k->n, g, vn__clip_factor(length_of(k, b, g), b->clip_norm)) : code;
}

/* The new parameters by the optimizer's own kernel, which takes weight decay in its own way. */
static int move_fused(vn__moving *m)
{
    const double decay = decay_of(m->b);
    for (int i = 0; i < m->n && decay > 0; i++) {
        if (m->b->rule->decoupled) m->w[i] = vn__scaled(m->w[i], 1 - m->lr * decay);
        else m->g[i] = vn_add(m->g[i], vn__scaled(m->w[i], decay));
        if (!m->w[i] || !m->g[i]) return vn_status();
    }
    return m->b->rule->fused(m);
}

/* Records the new values of all parameters and of their state. */
static int move_all(work *k, const vn__optimizer *b, vn__moving *m)
{
    for (int i = 0; i < k->n && alone(b); i++)
        if (!(m->w[i] = vn_stop_gradient(k->w[i]))) return vn_status();
    int code = count_on(m);
    if (!code) code = b->rule->fused ? move_fused(m) : vn__move(m);
    for (int i = 0; i < k->n && !code; i++) {
        vn_array *w = k->w[i], *to = b->rule->fused ? m->w[i] : vn_add(m->w[i], m->g[i]);
        to = to && vn_dtype_of(to) != vn_dtype_of(w) ? vn_cast(to, vn_dtype_of(w)) : to;
        to = to ? vn_stop_gradient(to) : NULL;
        if (k->average) code = to ? change(k, k->average[i], vn__blend(b->average, k->average[i], vn__widen(to))) : (int)vn_status();
        if (to && vn_is_variable(w)) to = vn_variable(to);
        if (!code) code = change(k, w, to);
    }
    return code ? code : change_state(k, m);
}

/* Records all new values and points the handles at them. The new arrays' own handles are dropped, so that the
 * parameters are the only users of the update. */
static int update(work *k, const vn__optimizer *b, vn__moving *m, bool moves)
{
    VN_SCOPE;
    for (int i = 0; i < k->n; i++) /* for the state's first values they were another scope's, which is gone */
        if (!(m->w[i] = vn__widen(vn_stop_gradient(k->w[i])))) return vn_status();
    int code = prepare_gradients(k, b, m->g);
    if (!code && b->accumulate > 1) code = hold_gradients(k, b, m->g, moves);
    if (!code && moves && k->n) code = clip_gradients(k, b, m->g);
    if (!code && moves && k->n) code = move_all(k, b, m);
    if (code) k->n_changed = 0;
    for (int i = 0; i < k->n_changed; i++) {
        vn__node_retain(k->old[i] = vn__node_of(k->changed[i]));
        vn__point(k->changed[i], vn__node_of(k->z[i]));
    }
    return code;
}

/* Adds arrays attached to the gradients: a module's buffers. */
static int add_along(vn__node **target, const vn_tree *grads, int *n)
{
    const vn_tree *along = vn__tree_along(grads);
    for (int i = 0, others = along ? vn_tree_leaves(along) : 0; i < others; i++) {
        vn_array *x = vn_tree_leaf(along, i);
        if (!x) return vn_status();
        target[(*n)++] = vn__node_of(x);
    }
    return VN_OK;
}

/* Evaluates parameters, state, gradients, loss and buffers as one program; on failure all handles get their old values. */
static int evaluate(work *k, const vn_tree *grads)
{
    const vn_tree *along = vn__tree_along(grads);
    const size_t others = along ? (size_t)vn_tree_leaves(along) : 0;
    vn__node **target = room(k, (size_t)k->n_changed + (size_t)k->n + 1 + others, sizeof *target);
    int n = 0, code = target ? VN_OK : (int)vn_status();
    for (int i = 0; i < k->n_changed && !code; i++) target[n++] = vn__node_of(k->changed[i]);
    for (int i = 0; i < k->n && !code; i++) target[n++] = vn__node_of(k->g[i]);
    if (k->loss && !code) target[n++] = vn__node_of(k->loss);
    if (!code) code = add_along(target, grads, &n);
    if (!code) code = vn__evaluate(n, target, k->n_changed, k->old);
    for (int i = 0; i < k->n_changed && code; i++) vn__point(k->changed[i], k->old[i]);
    return code;
}

/* Finds the state and computes it. The arrays that its first values are made from are gone when this returns. */
static int begin(work *k, vn__optimizer *b, vn__moving *m, bool moves)
{
    VN_SCOPE;
    for (int i = 0; i < k->n; i++)
        if (!(m->w[i] = vn__widen(vn_stop_gradient(k->w[i])))) return vn_status();
    int code = prepare(k, b, m);
    if (!code) code = prepare_held(k, b, m, moves);
    if (!code) code = prepare_average(k, b, m);
    return code ? code : make_ready(k, m);
}

int vn_step(vn_optim *o, vn_tree *p, const vn_tree *grads)
{
    return vn__optim_step(o, p, grads, false);
}

int vn__optim_step(vn_optim *o, vn_tree *p, const vn_tree *grads, bool has_function)
{
    if (!vn__check(o, VN__OPTIM, "step", "o") || !vn__check(p, VN__TREE, "step", "p") || !vn__check(grads, VN__TREE, "step", "grads"))
        return vn_status();
    VN_SCOPE;
    VN__FLOATS;
    vn__peek()->autocast = VN_NO_DTYPE; /* to the end of this scope: parameters move in their own dtype */
    vn__optimizer *b = vn__optim_of(o);
    if (vn__optim_ready(o, p, has_function, "step")) return vn_status();
    const bool moves = b->accumulate < 2 || (b->calls + 1) % b->accumulate == 0;
    work k = {.step = (double)(b->steps + 1), .steps = b->steps, .loss = vn__tree_loss(grads)};
    vn__moving m = {.b = b};
    int code = pair(&k, b, p, grads);
    if (!code) code = vn__optim_check_senses(o, k.n, k.keys, "step");
    m.n = k.n, m.key = k.keys;
    if (!code && !(m.w = room(&k, (size_t)k.n, sizeof *m.w))) code = vn_status();
    if (!code) code = begin(&k, b, &m, moves);
    const size_t most = (size_t)k.n * 2 + (size_t)k.n_state;
    if (!code) {
        k.changed = room(&k, most, sizeof *k.changed), k.z = room(&k, most, sizeof *k.z), k.old = room(&k, most, sizeof *k.old);
        if (!k.changed || !k.z || !k.old) code = vn_status();
    }
    if (!code) code = update(&k, b, &m, moves);
    if (!code) code = evaluate(&k, grads);
    if (!code) b->calls++, b->steps += moves;
    end_work(&k);
    return code;
}
