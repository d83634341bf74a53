/* SPDX-License-Identifier: Apache-2.0 */
/* module_call.c: running calls and their variables. Each call has a frame on its thread's stack. A module that is called without
 * variables uses its part of the calling frame's variables, or its own if there is no such frame. */
#include "nn/module.h"
#include "nn/nn.h"
#include "core/state.h"
#include "core/callback.h"
#include "core/place.h"
#include "grad/grad.h"
#include <string.h>

enum { DEEPEST = 1000 }; /* nesting depth of calls */

static _Thread_local vn__frame *top;

vn__frame *vn__frame_top(void)
{
    return top;
}

/* ---- which variables ---- */

static size_t inside(const char *chain, const char *of)
{
    size_t n = strlen(of);
    return !strncmp(chain, of, n) && chain[n] == '/' ? n + 1 : 0;
}

int vn__module_part(const vn__module *parent, int place, const vn_tree *v, vn_tree **part)
{
    const char *chain = parent->attributes[place].chain;
    vn_value here = vn_tree_if_exists(v, chain);
    *part = here.kind == VN_V_TREE ? here.u.tree : NULL;
    if (vn__is_array(here)) return vn__fail(VN_E_STRUCT, "module_call: \"%s\" in v is an array; the tree of a sub-module is needed", chain);
    for (int i = 0; i < parent->n_twins; i++) {
        const vn__twin *t = &parent->twins[i];
        size_t rest = inside(t->pruned, chain);
        if (!rest) continue;
        vn_value x = vn_tree_value(v, t->kept);
        if (!*part) *part = vn_tree_new(NULL);
        if (vn__none(x) || !*part || !(*part = vn_tree_set_at_key_chain(*part, t->pruned + rest, x))) return vn_status();
    }
    return VN_OK;
}

/* The module's index in the other's attributes, or -1. */
static int place_in(const vn__module *parent, const vn__module *b)
{
    if (b->parent == parent) return b->place;
    for (int i = 0; i < parent->n; i++) {
        if (parent->attributes[i].chain && parent->attributes[i].child == b->handle) return i;
    }
    return -1;
}

static int part_of(const vn__module *parent, int place, const vn_tree *all, const vn_tree **v)
{
    vn_tree *part;
    int code = vn__module_part(parent, place, all, &part);
    *v = code ? NULL : part;
    return code;
}

/* The variables that running calls provide for a module, or NULL; *from is their frame. */
static int flowing(const vn__module *b, const vn_tree **v, const vn__frame **from)
{
    *v = NULL;
    for (const vn__frame *f = *from = top; f; f = *from = f->up) {
        if (f->module == b) return *v = f->v, VN_OK;
        int place = place_in(f->module, b);
        if (place >= 0) return part_of(f->module, place, f->v, v);
    }
    if (!top || !b->parent) return VN_OK;
    const vn_tree *above;
    int code = flowing(b->parent, &above, from);
    return code || !above ? code : part_of(b->parent, b->place, above, v);
}

/* The variables of a call; *given: they were chosen by the caller, or by the caller of an ancestor. */
static const vn_tree *variables(vn__module *b, bool *given, const char *who)
{
    const vn_tree *v;
    const vn__frame *from;
    if (flowing(b, &v, &from)) return NULL;
    *given = from && from->given;
    if (v) return v;
    if (*given && b->v && vn_tree_leaves(b->v) > 0)
        return vn__fail(VN_E_STRUCT, "%s: the v that was given has nothing for %s%s", who, b->class->name,
                        b->called ? "" : " (what its first call builds is in v after one call without v)"),
               NULL;
    return vn__module_stored(b, who);
}

vn_tree *vn_module_v(vn_module *m)
{
    static const char who[] = "module_v";
    if (!vn__module_ok(m, who)) return NULL;
    vn__module *b = vn__module_of(m);
    for (const vn__frame *f = top; f; f = f->up) {
        if (f->module != b || !f->v) continue;
        vn_value v = vn__lend(vn__as_value(f->v), who);
        return vn__none(v) ? NULL : v.u.tree;
    }
    if (b->stale && vn__module_ensure(b, NULL, NULL, who)) return NULL;
    if (b->built && !b->parent && !top && vn__module_settle(b)) return NULL;
    return vn__module_stored(b, who);
}

static vn_value stopped(vn_value v, const char *chain, void *user)
{
    (void)chain, (void)user;
    vn_array *x = vn__is_array(v) ? vn_stop_gradient(v.u.array) : NULL;
    return x ? vn_value_array(x) : vn__is_array(v) ? vn__nothing() : v;
}

/* v with constants for variables that have no gradient in this call. (With gradients off for the thread, none have.) */
static const vn_tree *with_constants(const vn__module *b, const vn_tree *v, bool all)
{
    if (!v) return NULL;
    if (all) return vn_tree_map((vn_tree *)v, stopped, NULL, NULL);
    const char *const *chains = b->frozen ? vn_tree_all_key_chains(b->frozen, NULL, NULL) : NULL;
    if (!b->frozen) return v;
    return chains ? vn_tree_map((vn_tree *)v, stopped, NULL, VN_OPTS(tree_map, .key_chains = chains)) : NULL;
}

/* ---- a call ---- */

static vn_value as_tree(vn_array *x, const char *key)
{
    vn_tree *t = vn_tree_new(NULL);
    return !t || vn_tree_set(t, key, x) ? vn__nothing() : vn_value_tree(t);
}

static vn_array *only_array(const vn_tree *t, const vn__module *b, const char *what)
{
    int n = vn_tree_leaves(t);
    if (n == 1) return vn_tree_leaf(t, 0);
    if (n >= 0) vn__fail(VN_E_STRUCT, "module_call: %s: %s %d arrays; one is needed", b->class->name, what, n);
    return NULL;
}

/* Calls the class's forward function with an array or a tree; returns an array or a tree, by the class. */
static vn_value forward(vn__module *b, vn_value in)
{
    const vn_module_class *c = b->class;
    bool tree = vn__is_tree(in) ? c->forward_tree != NULL : !c->forward;
    if (tree && !vn__is_tree(in)) in = as_tree(in.u.array, "x");
    else if (!tree && vn__is_tree(in)) in = vn_value_array(only_array(in.u.tree, b, "its forward takes one array, the arguments hold"));
    if (vn__none(in) || !in.u.array) return vn__nothing();
    void *const given[] = {b->handle, tree ? (void *)in.u.tree : (void *)in.u.array};
    vn__call k;
    if (!vn__call_begin(&k, 2, given)) return vn__nothing();
    k.named = true;
    void *z = tree ? (void *)c->forward_tree(b->handle, in.u.tree) : (void *)c->forward(b->handle, in.u.array);
    const vn__attribute *at = b->parent ? &b->parent->attributes[b->place] : NULL;
    char name[VN__CLASS_NAME + 128]; /* with its place in the module around it */
    snprintf(name, sizeof name, at ? "%s (%.100s)" : "%s", c->name, at && at->chain ? at->chain : at ? at->name : "");
    vn__object *o = vn__call_result(&k, z, tree ? VN__TREE : VN__ARRAY, name);
    if (!o) return vn__nothing();
    return tree ? vn_value_tree((vn_tree *)o) : vn_value_array((vn_array *)o);
}

/* Converts the result to the form the caller wants. */
static vn_value as_wanted(vn_value z, bool tree, const vn__module *b)
{
    if (vn__none(z) || vn__is_tree(z) == tree) return z;
    if (tree) return as_tree(z.u.array, "y");
    vn_array *y = only_array(z.u.tree, b, "the result holds");
    return y ? vn_value_array(y) : vn__nothing();
}

/* Its name in the module around it, or else its class's. */
static const char *name_of(const vn__module *b)
{
    const vn__attribute *at = b->parent ? &b->parent->attributes[b->place] : NULL;
    return !at ? b->class->name : at->chain ? at->chain : at->name;
}

/* Runs forward in a frame. */
static vn_value run(vn__module *b, vn_value in, const vn_tree *v, bool given, vn_module_trace *trace)
{
    vn__frame f = {.up = top, .module = b, .v = v, .given = given, .trace = trace, .level = top ? top->level + 1 : 0};
    f.still = top && top->still;
    if (f.level >= DEEPEST)
        return vn__fail(VN_E_STRUCT, "module_call: %s: more than %d calls inside each other", b->class->name, DEEPEST), vn__nothing();
    int code = trace ? vn__calls_enter(&f) : VN_OK;
    if (code) return vn__nothing();
    vn__state *s = vn__peek();
    const vn__trail here = {.up = s->trail, .kind = top ? "" : "module ", .name = name_of(b)};
    top = &f;
    s->trail = &here;
    vn_value z = forward(b, in);
    s->trail = here.up;
    top = f.up;
    return trace && vn__calls_leave(&f, z) ? vn__nothing() : z;
}

static vn_array *first_array(vn_value in)
{
    if (!vn__is_tree(in)) return in.u.array;
    return vn_tree_leaves(in.u.tree) > 0 ? vn_tree_leaf(in.u.tree, 0) : NULL;
}

/* Builds the module if calls build it. */
static int make_ready(vn__module *b, vn_value in, const char *who)
{
    if (b->built) return vn__module_ensure(b, NULL, NULL, who);
    if (!b->begun && b->o.build_mode == VN_BUILD_EXPLICIT)
        return vn__fail(VN_E_ARG, "%s: %s is not built: call vn_module_build first", who, b->class->name);
    vn_value args = vn__is_tree(in) ? in : as_tree(in.u.array, "x");
    int code = vn__none(args) ? (int)vn_status() : vn__module_ensure(b, args.u.tree, first_array(in), who);
    if (!code) vn__module_forget(b);
    return code;
}

/* After the first call: handles sub-modules that were built during it; there were n before. */
static int after_first(vn__module *b, int n, const char *who)
{
    b->called = true;
    b->stale |= b->n != n && !b->o.no_store;
    return vn__module_ensure(b, NULL, NULL, who);
}

static vn_value call(vn_module *m, vn_value in, bool tree, vn_module_call_opts o, const char *who)
{
    if (o.with_grads < -1 || o.with_grads > 1)
        return vn__fail(VN_E_ARG, "module_call: with_grads is %d; -1, 0 or 1 is needed", o.with_grads), vn__nothing();
    vn__module *b = vn__module_of(m);
    if ((o.v && !vn__check(o.v, VN__TREE, who, "v")) || (o.trace && !vn__check(o.trace, VN__TRACE, who, "trace"))) return vn__nothing();
    vn_scope scope = vn_scope_begin();
    if (scope < 0) return vn__nothing();
    bool given = o.v != NULL;
    vn__object_retain(&m->object);
    int code = make_ready(b, in, who);
    if (!code && (!top || !b->parent) && !given) code = vn__module_settle(b);
    if (!code && o.trace) code = vn__calls_start(o.trace);
    const vn_tree *v = code ? NULL : given ? o.v : variables(b, &given, who);
    v = with_constants(b, v, o.with_grads < 0);
    if (v && o.with_grads > 0 && vn_set_with_grads(1)) v = NULL;
    bool pushed = v && o.with_grads > 0;
    int n = b->n;
    vn_value z = v ? run(b, in, v, given, o.trace ? o.trace : top ? top->trace : NULL) : vn__nothing();
    if (pushed) vn_unset_with_grads();
    z = as_wanted(z, tree, b);
    if (!vn__none(z) && !b->called && after_first(b, n, who)) z = vn__nothing();
    vn__object_release(&m->object);
    return vn__value_out(scope, z, who);
}

static bool take(vn_module_call_opts *o, const vn_module_call_opts *opts)
{
    return !vn__take(o, sizeof *o, opts, "module_call") && !VN__OBJECTS(opts, o->v, o->trace);
}

vn_array *vn_module_call(vn_module *m, vn_array *x, const vn_module_call_opts *opts)
{
    static const char who[] = "module_call";
    vn_module_call_opts o = {.size = sizeof o};
    if (!vn__module_ok(m, who) || !vn__check(x, VN__ARRAY, who, "x") || !take(&o, opts)) return NULL;
    vn_value z = call(m, vn_value_array(x), false, o, who);
    return vn__none(z) ? NULL : z.u.array;
}

vn_array *vn__module_call_constant(vn_module *m, vn_array *x, vn_module_trace *trace)
{
    vn_value z =
        x ? call(m, vn_value_array(x), false, (vn_module_call_opts){.trace = trace, .with_grads = -1}, "module_call") : vn__nothing();
    return vn__none(z) ? NULL : z.u.array;
}

vn_tree *vn_module_call_tree(vn_module *m, const vn_tree *args, const vn_module_call_opts *opts)
{
    static const char who[] = "module_call_tree";
    vn_module_call_opts o = {.size = sizeof o};
    if (!vn__module_ok(m, who) || !vn__tree_ok(args, who, "args") || !take(&o, opts)) return NULL;
    vn_value z = call(m, vn__as_value(args), true, o, who);
    return vn__none(z) ? NULL : z.u.tree;
}

vn_array *vn_module_run(vn_module *m, const char *child, vn_array *x)
{
    VN_SCOPE;
    vn_module *c = vn_module_child(m, child);
    vn_array *z = c ? vn_module_call(c, x, NULL) : NULL;
    return z ? vn_pass(z) : NULL;
}

vn_array *vn__module_call_still(vn_module *m, vn_array *x, vn_module_trace *trace)
{
    vn_tree *v = vn__module_of(m)->built ? vn_module_v(m) : NULL;
    vn__frame f = {.up = top, .module = vn__module_of(m), .v = v, .still = true, .level = -1};
    top = &f;
    vn_array *z = vn__module_call_constant(m, x, trace);
    top = f.up;
    return z;
}

/* ---- gradients ---- */

typedef struct {
    vn_module *m;
    vn_module_loss_fn fn;
    void *data;
} loss;

/* Calls the user's loss with the module's variables set to p. */
static vn_array *loss_of(const vn_tree *p, void *data)
{
    const loss *l = data;
    vn__module *b = vn__module_of(l->m);
    vn__frame f = {.up = top, .module = b, .v = p, .given = true, .level = top ? top->level + 1 : 0};
    f.trace = top ? top->trace : NULL;
    f.step = top ? top->step : NULL;
    top = &f;
    vn_array *z = l->fn(l->m, l->data);
    top = f.up;
    return z;
}

vn_array *vn__module_loss(vn_module *m, vn_module_loss_fn fn, const vn_tree *v, void *data)
{
    return loss_of(v, &(loss){m, fn, data});
}

/* Replaces the gradients of frozen variables with null. */
static int blank_frozen(const vn_module *m, vn_tree *grads)
{
    vn_tree *frozen = vn_module_frozen(m);
    const char *const *chains = frozen ? vn_tree_all_key_chains(frozen, NULL, NULL) : NULL;
    if (!chains) return vn_status();
    for (; *chains; chains++) {
        int code = vn_tree_has(grads, *chains) ? vn_tree_set_null(grads, *chains) : VN_OK;
        if (code) return code;
    }
    return VN_OK;
}

vn_array *vn_module_value_and_grad(vn_module *m, vn_module_loss_fn fn, void *data, vn_tree **grads)
{
    return vn__module_value_and_grad(m, fn, data, grads, "module_value_and_grad", false);
}

vn_array *vn__module_value_and_grad(vn_module *m, vn_module_loss_fn fn, void *data, vn_tree **grads, const char *who, bool own)
{
    if (grads) *grads = NULL;
    if (!fn || !grads) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "grads" : "fn"), NULL;
    if (!vn__module_ok(m, who)) return NULL;
    VN_SCOPE;
    vn_tree *v = vn_module_v(m), *g = NULL;
    vn_array *value = v ? vn__value_and_grad(loss_of, v, &(loss){m, fn, data}, &g, who, own) : NULL;
    if (!value || blank_frozen(m, g)) return NULL;
    vn_tree *buffers = vn_module_buffers(m);
    if (!buffers) return NULL;
    vn__tree_set_along(g, buffers);
    *grads = vn_tree_pass(g);
    return vn_pass(value);
}
