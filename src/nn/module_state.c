/* SPDX-License-Identifier: Apache-2.0 */
/* module_state.c: buffers, frozen chains, training mode, a module's whole state as one tree, and the dtype of its arrays. */
#include "nn/module.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "program/node.h"
#include <string.h>

/* ---- buffers ---- */

int vn_module_add_buffer(vn_module *m, const char *name, vn_array *x)
{
    static const char who[] = "module_add_buffer";
    if (!vn__module_ok(m, who) || !vn__check(x, VN__ARRAY, who, "x")) return vn_status();
    vn__module *b = vn__module_of(m);
    if (!name || !*name) return vn__fail(VN_E_ARG, "%s: a buffer needs a name", who);
    VN_SCOPE;
    if (!b->buffers) {
        vn_tree *t = vn_tree_new(NULL);
        if (!t) return vn_status();
        vn__tree_replace(&b->buffers, t);
    }
    if (vn_tree_has(b->buffers, name)) return vn__fail(VN_E_STRUCT, "%s: %s has a buffer \"%s\" already", who, b->class->name, name);
    vn_array *mine = vn_stop_gradient(x);
    b->settled = false;
    return mine ? vn_tree_set(b->buffers, name, mine) : (int)vn_status();
}

vn_array *vn_module_buffer(const vn_module *m, const char *name)
{
    static const char who[] = "module_buffer";
    if (!vn__module_ok(m, who)) return NULL;
    const vn__module *b = vn__module_of(m);
    vn_array *x = b->buffers && name ? vn_tree_get_or_null(b->buffers, name) : NULL;
    if (!x) vn__fail(VN_E_STRUCT, "%s: %s has no buffer \"%s\"", who, b->class->name, name ? name : "NULL");
    return x;
}

int vn_module_set_buffer(vn_module *m, const char *name, vn_array *x)
{
    VN_SCOPE;
    vn_array *h = vn_module_buffer(m, name), *y = h ? vn_stop_gradient(x) : NULL;
    if (!y || !vn_into(h, y)) return vn_status();
    return VN_OK;
}

static int add_buffers(const vn__module *b, vn_tree *to)
{
    int n = 0;
    const vn_tree_item *items = b->buffers ? vn_tree_iterate(b->buffers, NULL, &n) : NULL;
    int code = b->buffers && !items ? (int)vn_status() : VN_OK;
    for (int i = 0; items && i < n && !code; i++) code = vn_tree_set_value(to, items[i].chain, items[i].value);
    for (int i = 0; i < b->n && !code; i++) {
        const vn__attribute *a = &b->attributes[i];
        if (!a->chain || a->again) continue;
        vn_tree *sub = vn_tree_new(NULL);
        code = sub ? add_buffers(vn__module_of(a->child), sub) : (int)vn_status();
        if (!code && vn_tree_leaves(sub) > 0) code = vn_tree_set_tree(to, a->chain, sub);
    }
    return code;
}

vn_tree *vn_module_buffers(const vn_module *m)
{
    if (!vn__module_ok(m, "module_buffers")) return NULL;
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    return !t || add_buffers(vn__module_of(m), t) ? NULL : vn_tree_pass(t);
}

/* ---- freezing ---- */

int vn_module_freeze(vn_module *m, const char *chain)
{
    static const char who[] = "module_freeze";
    if (!vn__module_ok(m, who)) return vn_status();
    if (!chain) return vn__fail(VN_E_NULL, "%s: chain is NULL", who);
    VN_SCOPE;
    vn__module *b = vn__module_of(m);
    vn_tree *v = vn_module_v(m), *frozen = v ? (b->frozen ? vn_tree_copy(b->frozen) : vn_tree_new(NULL)) : NULL;
    const char *const *chains = frozen ? vn_tree_all_key_chains(v, VN_OPTS(tree_iterate, .arrays_only = 1), NULL) : NULL;
    if (!chains) return vn_status();
    int n = 0, code = VN_OK;
    for (; *chains && !code; chains++) {
        if (!vn__chain_within(*chains, VN_KEYS(chain))) continue;
        code = vn_tree_set_null(frozen, *chains);
        n++;
    }
    if (!code && !n) code = vn__fail(VN_E_STRUCT, "%s: %s has no variables at \"%s\"", who, b->class->name, chain);
    if (!code) vn__tree_replace(&b->frozen, frozen);
    return code;
}

/* Unfreezes the module and its sub-modules; `chain` is relative to the module. */
static int thaw(vn__module *b, const char *chain)
{
    if (b->frozen) {
        vn_tree *t = *chain ? vn_tree_prune_key_chain(b->frozen, chain) : vn_tree_new(NULL);
        int n = 0;
        if (!t || !vn_tree_all_key_chains(t, NULL, &n)) return vn_status();
        vn__tree_replace(&b->frozen, n ? t : NULL);
    }
    for (int i = 0; i < b->n; i++) {
        const vn__attribute *a = &b->attributes[i];
        if (!a->chain || a->again) continue;
        size_t n = strlen(a->chain);
        const char *rest = vn__chain_within(a->chain, VN_KEYS(chain))        ? ""
                           : !strncmp(chain, a->chain, n) && chain[n] == '/' ? chain + n + 1
                                                                             : NULL;
        int code = rest ? thaw(vn__module_of(a->child), rest) : VN_OK;
        if (code) return code;
    }
    return VN_OK;
}

int vn_module_unfreeze(vn_module *m, const char *chain)
{
    static const char who[] = "module_unfreeze";
    if (!vn__module_ok(m, who)) return vn_status();
    if (!chain) return vn__fail(VN_E_NULL, "%s: chain is NULL", who);
    VN_SCOPE;
    vn_tree *v = vn_module_v(m);
    if (v && !vn_tree_has(v, chain))
        return vn__fail(VN_E_STRUCT, "%s: %s has no variables at \"%s\"", who, vn__module_of(m)->class->name, chain);
    return v ? thaw(vn__module_of(m), chain) : (int)vn_status();
}

static int add_frozen(const vn__module *b, const char *top, vn_tree *to)
{
    const char *const *chains = b->frozen ? vn_tree_all_key_chains(b->frozen, NULL, NULL) : VN_KEYS(NULL);
    if (!chains) return vn_status();
    int code = VN_OK;
    char chain[VN__KEY_CHAIN];
    for (; *chains && !code; chains++) {
        if (snprintf(chain, sizeof chain, "%s%s%s", top, *top ? "/" : "", *chains) >= (int)sizeof chain)
            return vn__fail(VN_E_STRUCT, "module_frozen: \"%.60s...\" is too long", *chains);
        code = vn_tree_set_null(to, chain);
    }
    for (int i = 0; i < b->n && !code; i++) {
        const vn__attribute *a = &b->attributes[i];
        if (!a->chain || a->again) continue;
        if (snprintf(chain, sizeof chain, "%s%s%s", top, *top ? "/" : "", a->chain) >= (int)sizeof chain)
            return vn__fail(VN_E_STRUCT, "module_frozen: \"%.60s...\" is too long", a->chain);
        code = add_frozen(vn__module_of(a->child), chain, to);
    }
    return code;
}

vn_tree *vn_module_frozen(const vn_module *m)
{
    if (!vn__module_ok(m, "module_frozen")) return NULL;
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    return !t || add_frozen(vn__module_of(m), "", t) ? NULL : vn_tree_pass(t);
}

/* ---- training mode ---- */

static void train(vn__module *b, bool training)
{
    b->training = training;
    for (int i = 0; i < b->n; i++) {
        if (!b->attributes[i].again) train(vn__module_of(b->attributes[i].child), training);
    }
}

int vn_module_train(vn_module *m, int training)
{
    if (!vn__module_ok(m, "module_train") || vn__check_flags("module_train", 1, &(vn__flag){"training", training})) return vn_status();
    train(vn__module_of(m), training != 0);
    return VN_OK;
}

int vn_module_training(const vn_module *m)
{
    if (!vn__module_ok(m, "module_training")) return 0;
    const vn__frame *f = vn__frame_top();
    return vn__module_of(m)->training && !(f && f->still);
}

bool vn__module_shares(const vn__module *b)
{
    bool shares = b->shares;
    for (int i = 0; i < b->n && !shares; i++) shares = vn__module_shares(vn__module_of(b->attributes[i].child));
    return shares;
}

/* ---- state ---- */

/* {v, buffers} with the module's own handles. */
static vn_tree *live_state(vn_module *m)
{
    vn_tree *v = vn_module_v(m), *buffers = v ? vn_module_buffers(m) : NULL, *t = buffers ? vn_tree_new(NULL) : NULL;
    return !t || vn_tree_set_tree(t, "v", v) || vn_tree_set_tree(t, "buffers", buffers) ? NULL : t;
}

vn_tree *vn_module_state(vn_module *m)
{
    if (!vn__module_ok(m, "module_state")) return NULL;
    VN_SCOPE;
    vn_tree *live = live_state(m), *t = live ? vn_tree_deep_copy(live) : NULL;
    return t ? vn_tree_pass(t) : NULL;
}

int vn__pair_arrays(const vn_tree *live, const vn_tree *from, vn_array ***h, vn_array ***x, const char *who)
{
    int n = 0, m = 0;
    const vn_tree_item *a = vn_tree_iterate(live, VN_OPTS(tree_iterate, .arrays_only = 1), &n);
    const vn_tree_item *b = a ? vn_tree_iterate(from, VN_OPTS(tree_iterate, .arrays_only = 1), &m) : NULL;
    *h = b ? vn__scope_memory(((size_t)n + 1) * sizeof **h, who) : NULL;
    *x = *h ? vn__scope_memory(((size_t)n + 1) * sizeof **x, who) : NULL;
    if (!*x) return -1;
    for (int i = 0; i < n; i++) {
        (*h)[i] = a[i].value.u.array;
        vn_value y = vn_tree_value(from, a[i].chain); /* the other tree may have a different order */
        if (!vn__is_array(y)) return -1;
        (*x)[i] = vn__on_engine(y.u.array, vn_engine_of((*h)[i]));
        (*x)[i] = vn_is_variable((*h)[i]) ? vn_variable((*x)[i]) : vn_stop_gradient((*x)[i]);
        if (!(*x)[i]) return -1;
    }
    return n;
}

int vn__set_arrays(const vn_tree *live, const vn_tree *from, const char *who)
{
    VN_SCOPE;
    vn_array **h, **x;
    const int n = vn__pair_arrays(live, from, &h, &x, who), code = n < 0 ? (int)vn_status() : vn_eval(n, x);
    for (int i = 0; i < n && !code; i++) vn__point(h[i], vn__node_of(x[i]));
    return code;
}

int vn_module_set_state(vn_module *m, const vn_tree *state)
{
    static const char who[] = "module_set_state";
    if (!vn__module_ok(m, who) || !vn__tree_ok(state, who, "state")) return vn_status();
    VN_SCOPE;
    vn_tree *live = live_state(m);
    if (!live) return vn_status();
    if (vn_tree_assert_identical_structure(2, (const vn_tree *[]){live, state}, NULL)) {
        char where[300];
        snprintf(where, sizeof where, "%s: not a state of %s", who, vn__module_of(m)->class->name);
        return vn__fail_in(where);
    }
    vn_array **h, **x;
    int n = vn__pair_arrays(live, state, &h, &x, who);
    if (n < 0) return vn_status();
    for (int i = 0; i < n; i++) vn__point(h[i], vn__node_of(x[i])); /* same shape, dtype and engine: cannot fail */
    return VN_OK;
}

/* ---- dtype ---- */

/* Arrays of a module and what they become. */
typedef struct {
    struct {
        vn_array *from, *to;
    } * pairs;
    int n;
} changes;

static bool is_among(const changes *c, const vn_array *x)
{
    for (int i = 0; i < c->n; i++) {
        if (c->pairs[i].from == x) return true;
    }
    return false;
}

static int cast_tree(changes *c, const vn_tree *t, vn_dtype dtype, const char *who)
{
    int n = 0;
    const vn_tree_item *items = vn_tree_iterate(t, VN_OPTS(tree_iterate, .arrays_only = 1), &n);
    const size_t size = sizeof *c->pairs;
    void *grown = items ? vn__grow(c->pairs, (size_t)c->n * size, ((size_t)c->n + (size_t)n + 1) * size) : NULL;
    if (!grown) return items ? vn__no_memory(who) : (int)vn_status();
    c->pairs = grown;
    for (int i = 0; i < n; i++) {
        vn_array *x = items[i].value.u.array, *y;
        if (vn_dtype_of(x) == dtype || !vn__is(vn_dtype_of(x), VN_FLOATS) || is_among(c, x)) continue;
        y = vn_cast(x, dtype);
        y = vn_is_variable(x) ? vn_variable(y) : vn_stop_gradient(y);
        if (!y) return vn_status();
        c->pairs[c->n].from = x;
        c->pairs[c->n++].to = y;
    }
    return VN_OK;
}

static int cast_below(changes *c, vn__module *b, vn_dtype dtype, const char *who)
{
    int code = b->v ? cast_tree(c, b->v, dtype, who) : VN_OK;
    if (!code && b->buffers) code = cast_tree(c, b->buffers, vn__is(dtype, VN_HALF) ? VN_F32 : dtype, who);
    for (int i = 0; i < b->n && !code; i++)
        if (!b->attributes[i].again) code = cast_below(c, vn__module_of(b->attributes[i].child), dtype, who);
    return code;
}

static void set_dtype(vn__module *b, vn_dtype dtype)
{
    b->dtype = dtype;
    b->settled = false;
    for (int i = 0; i < b->n; i++)
        if (!b->attributes[i].again) set_dtype(vn__module_of(b->attributes[i].child), dtype);
}

int vn__module_cast(vn__module *b, vn_dtype dtype, const char *who)
{
    VN_SCOPE;
    changes c = {0};
    int code = cast_below(&c, b, dtype, who);
    if (!code) set_dtype(b, dtype);
    for (int i = 0; i < c.n && !code; i++) vn__point(c.pairs[i].from, vn__node_of(c.pairs[i].to)); /* cannot fail */
    vn__free(c.pairs);
    return code;
}

vn_module *vn_module_cast(vn_module *m, vn_dtype dtype)
{
    static const char who[] = "module_cast";
    if (!vn__module_ok(m, who)) return NULL;
    if (!vn__is_dtype(dtype)) return vn__refuse_dtype(who, dtype), NULL;
    if (!vn__is(dtype, VN_FLOATS))
        return vn__fail(VN_E_DTYPE, "%s: variables of %s cannot be %s; a float dtype is needed", who, vn__module_of(m)->class->name,
                        vn_dtype_name(dtype)),
               NULL;
    return vn__module_cast(vn__module_of(m), dtype, who) ? NULL : m;
}

vn_dtype vn_module_dtype(const vn_module *m)
{
    return vn__module_ok(m, "module_dtype") ? vn__module_of(m)->dtype : VN_NO_DTYPE;
}
