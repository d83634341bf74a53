/* SPDX-License-Identifier: Apache-2.0 */
/* module_trace.c: records the results of a call's sub-modules and their order, and compares them with expected ones. */
#include "nn/module.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

/* A trace's data about one running call. */
struct vn__step {
    vn__tally *calls; /* of the modules it has called */
    int n_calls;
    char *chain; /* of its position in the order of calls */
    bool ended;  /* calls below it are not recorded */
};

vn__calls *vn__calls_of(const vn_module_trace *t)
{
    return t->object.body;
}

/* ---- the object ---- */

static void clear(vn__calls *t)
{
    for (int i = 0; i < t->n_shown; i++) vn__free(t->shown[i].shape);
    vn__free(t->shown);
    vn__free(t->calls);
    t->shown = NULL;
    t->calls = NULL;
    t->n_shown = t->n_calls = 0;
    vn__tree_replace(&t->rets, NULL);
    vn__tree_replace(&t->order, NULL);
}

void vn__calls_release(void *memory)
{
    vn__calls *t = memory;
    clear(t);
    vn__tree_replace(&t->expected, NULL);
    for (int i = 0; i < t->o.n_submods; i++) vn__object_release(&t->submods[i]->object);
    vn__free(t->submods);
    vn__free(t);
}

static int check_submods(const vn_module_trace_opts *o)
{
    if (o->n_submods < 0 || o->depth < 0) return vn__fail(VN_E_ARG, "trace_new: %s is negative", o->depth < 0 ? "depth" : "n_submods");
    for (int i = 0; i < o->n_submods && o->submods; i++) {
        if (!vn__check(o->submods[i], VN__MODULE, "trace_new", "a sub-module")) return vn_status();
    }
    return VN_OK;
}

vn_module_trace *vn_module_trace_new(const vn_module_trace_opts *opts)
{
    vn_module_trace_opts o = {.size = sizeof o};
    if (vn__take(&o, sizeof o, opts, "module_trace") || VN__FLAGS("module_trace", VN__FLAG(o, rets), VN__FLAG(o, call_order)) ||
        VN__OBJECTS(opts, o.expected))
        return NULL;
    if (!o.submods) o.n_submods = 0;
    if (check_submods(&o) || (o.expected && !vn__check(o.expected, VN__TREE, "trace_new", "expected"))) return NULL;
    vn__calls *t = vn__calloc(sizeof *t);
    if (t) t->submods = vn__calloc(((size_t)o.n_submods + 1) * sizeof *t->submods);
    if (!t || !t->submods) return vn__free(t), vn__no_memory("trace_new"), NULL;
    t->o = o;
    for (int i = 0; i < o.n_submods; i++) vn__object_retain(&(t->submods[i] = o.submods[i])->object);
    vn__tree_replace(&t->expected, (vn_tree *)o.expected);
    vn_module_trace *handle = (vn_module_trace *)vn__object_new(VN__TRACE, t, "trace_new");
    if (!handle) vn__calls_release(t);
    return handle;
}

static vn_tree *result(vn_tree *t, const char *who, const char *what)
{
    if (!t) return vn__fail(VN_E_ARG, "%s: no call was made with this trace and the option %s", who, what), NULL;
    vn_value v = vn__lend(vn__as_value(t), who);
    return vn__none(v) ? NULL : v.u.tree;
}

vn_tree *vn_module_trace_submod_rets(const vn_module_trace *t)
{
    static const char who[] = "trace_submod_rets";
    return vn__check(t, VN__TRACE, who, "t") ? result(vn__calls_of(t)->rets, who, "rets") : NULL;
}

vn_tree *vn_module_trace_submod_call_order(const vn_module_trace *t)
{
    static const char who[] = "trace_submod_call_order";
    return vn__check(t, VN__TRACE, who, "t") ? result(vn__calls_of(t)->order, who, "call_order") : NULL;
}

int vn__calls_start(vn_module_trace *handle)
{
    vn__calls *t = vn__calls_of(handle);
    clear(t);
    VN_SCOPE;
    vn_tree *rets = t->o.rets ? vn_tree_new(VN_OPTS(tree, .insertion_order = 1)) : NULL;
    vn_tree *order = t->o.call_order ? vn_tree_new(VN_OPTS(tree, .insertion_order = 1)) : NULL;
    if ((t->o.rets && !rets) || (t->o.call_order && !order)) return vn_status();
    vn__tree_replace(&t->rets, rets);
    vn__tree_replace(&t->order, order);
    return VN_OK;
}

/* ---- which modules ---- */

static bool listed(const vn__calls *t, const vn__module *b)
{
    for (int i = 0; i < t->o.n_submods; i++) {
        if (t->submods[i] == b->handle) return true;
    }
    return false;
}

static bool has_sub_modules(const vn__module *b)
{
    for (int i = 0; i < b->n; i++) {
        if (b->attributes[i].chain) return true;
    }
    return false;
}

static bool wanted(const vn__calls *t, const vn__module *b)
{
    return (!t->o.depth || vn_module_mod_depth(b->handle) <= t->o.depth) && (!t->submods[0] || listed(t, b));
}

static bool ends_at(const vn__calls *t, const vn__module *b)
{
    return listed(t, b) || (t->o.depth && vn_module_mod_depth(b->handle) >= t->o.depth) || !has_sub_modules(b);
}

/* Counts a call; returns how many there were before it, -1 if memory ran out. */
static int count(vn__tally **calls, int *n, const vn__module *b)
{
    for (int i = 0; i < *n; i++) {
        if ((*calls)[i].module == b) return (*calls)[i].n++;
    }
    vn__tally *grown = vn__grow(*calls, (size_t)*n * sizeof *grown, ((size_t)*n + 1) * sizeof *grown);
    if (!grown) return vn__no_memory("module_call"), -1;
    *calls = grown;
    grown[(*n)++] = (vn__tally){b, 1};
    return 0;
}

static bool is_root(const vn__frame *f)
{
    return !f->up || f->up->trace != f->trace;
}

/* ---- the order of calls ---- */

static vn_tree *copy_of_variables(const vn_tree *v)
{
    vn_tree *flat = vn_tree_flatten_key_chains(v, NULL);
    return flat ? vn_tree_deep_copy(flat) : NULL;
}

static int note_order(vn__calls *t, vn__frame *f)
{
    struct vn__step *above = is_root(f) ? NULL : f->up->step;
    if (above && above->ended) return f->step->ended = true, VN_OK;
    int k = above ? count(&above->calls, &above->n_calls, f->module) : 0;
    char key[VN__MODULE_KEY];
    if (k < 0) return vn_status();
    vn__module_key(t->root, f->module, key);
    vn__text chain = {0};
    vn__print(&chain, "%s%s%s_%d", above ? above->chain : "", above ? "/" : "", key, k);
    if (chain.failed) return vn__free(chain.text), vn__no_memory("module_call");
    f->step->chain = chain.text;
    bool shown = !t->submods[0] || !above || listed(t, f->module); /* others are added by the calls below them */
    f->step->ended = (above || !has_sub_modules(f->module)) && ends_at(t, f->module);
    if (!shown) return VN_OK;
    vn_tree *here = f->step->ended ? copy_of_variables(f->v) : vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
    return here ? vn_tree_set_tree(t->order, f->step->chain, here) : (int)vn_status();
}

/* For summaries. The row of a module precedes those of the modules it calls. */
static int show(vn__calls *t, const vn__frame *f)
{
    int before = count(&t->calls, &t->n_calls, f->module);
    if (before < 0) return vn_status();
    vn__shown *grown = vn__grow(t->shown, (size_t)t->n_shown * sizeof *grown, ((size_t)t->n_shown + 1) * sizeof *grown);
    if (!grown) return vn__no_memory("module_summary");
    t->shown = grown;
    grown[t->n_shown++] = (vn__shown){f->module, f->level, before > 0, NULL};
    return VN_OK;
}

int vn__calls_enter(vn__frame *f)
{
    vn__calls *t = vn__calls_of(f->trace);
    if (!(f->step = vn__calloc(sizeof *f->step))) return vn__no_memory("module_call");
    if (is_root(f)) t->root = vn__module_root(f->module);
    VN_SCOPE;
    int code = t->summary ? show(t, f) : t->order ? note_order(t, f) : VN_OK;
    if (code) vn__calls_leave(f, vn__nothing());
    return code;
}

/* ---- results ---- */

static vn_array *on_host(vn_array *x, void *unused)
{
    (void)unused;
    vn_array *y = vn_to(vn_stop_gradient(x), "native");
    return !y || vn_eval(1, &y) ? NULL : y;
}

/* Computed, on the native engine, without history. */
static vn_value host_copy(vn_value v)
{
    if (vn__is_tree(v)) {
        vn_tree *t = vn_tree_map_arrays(v.u.tree, on_host, NULL);
        return t ? vn_value_tree(t) : vn__nothing();
    }
    vn_array *x = on_host(v.u.array, NULL);
    return x ? vn_value_array(x) : vn__nothing();
}

static int keep_result(vn__calls *t, const vn__module *b, vn_value v)
{
    char key[VN__TREE_DEPTH + VN__MODULE_KEY];
    int blanks = vn_module_mod_depth(b->handle);
    blanks = vn__min(blanks, VN__TREE_DEPTH);
    memset(key, ' ', (size_t)blanks);
    vn__module_key(t->root, b, key + blanks);
    vn_value list = vn_tree_if_exists(t->rets, key);
    if (vn__none(list)) {
        vn_tree *empty = vn_tree_list(0, NULL);
        int code = empty ? vn_tree_set_tree(t->rets, key, empty) : (int)vn_status();
        if (code) return code;
        list = vn_value_tree(empty);
    }
    return vn_tree_append(list.u.tree, v);
}

/* ---- results that are expected ---- */

typedef struct {
    const char *key;
    int call;
    double atol, rtol;
} comparison;

static int compare_arrays(const comparison *c, vn_array *a, vn_array *b)
{
    char s[128], t[128];
    vn_shape sa = vn_shape_of(a), sb = vn_shape_of(b);
    if (sa.rank != sb.rank || memcmp(sa.dim, sb.dim, (size_t)sa.rank * sizeof *sa.dim) != 0)
        return vn__fail(VN_E_ARG, "module_call: call %d of %s returned shape %s, %s is expected", c->call, c->key,
                        vn__shape_text(sa.rank, sa.dim, s), vn__shape_text(sb.rank, sb.dim, t));
    const double *x = vn_data(vn_cast(a, VN_F64)), *y = vn_data(vn_cast(vn_to(b, "native"), VN_F64));
    if (!x || !y) return vn_status();
    for (int64_t i = 0, n = vn_size(a); i < n; i++) {
        if (x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) || fabs(x[i] - y[i]) <= c->atol + c->rtol * fabs(y[i])) continue;
        return vn__fail(VN_E_ARG, "module_call: call %d of %s returned %.9g at element %lld of %s, %.9g is expected (atol %g, rtol %g)",
                        c->call, c->key, x[i], (long long)i, vn__shape_text(sa.rank, sa.dim, s), y[i], c->atol, c->rtol);
    }
    return VN_OK;
}

static int compare_values(const comparison *c, vn_value a, vn_value b)
{
    if (vn__is_array(a) && vn__is_array(b)) return compare_arrays(c, a.u.array, b.u.array);
    if (!vn__is_tree(a) || !vn__is_tree(b))
        return vn__fail(VN_E_STRUCT, "module_call: call %d of %s returned %s; what is expected is of another kind", c->call, c->key,
                        vn__is_tree(a) ? "a tree" : "an array");
    int n = 0;
    const vn_tree_item *items = vn_tree_iterate(b.u.tree, NULL, &n);
    if (!items) return vn_status();
    for (int i = 0; i < n; i++) {
        vn_value x = items[i].value.kind == VN_V_NULL ? items[i].value : vn_tree_value(a.u.tree, items[i].chain);
        int code = vn__none(x) ? (int)vn_status() : x.kind == VN_V_NULL ? VN_OK : compare_values(c, x, items[i].value);
        if (code) return code;
    }
    return VN_OK;
}

/* Entry k of a list; a value that is not a list itself. */
static vn_value item_of(vn_value list, int k)
{
    char key[16];
    snprintf(key, sizeof key, "%d", k);
    return vn__is_tree(list) ? vn_tree_if_exists(list.u.tree, key) : list;
}

static int tolerance(const vn_tree *e, const char *name, int k, double *to)
{
    vn_value v = item_of(vn_tree_if_exists(e, name), k);
    if (v.kind == VN_V_NUMBER) *to = v.u.number;
    else if (vn__is_array(v)) *to = vn_item(v.u.array);
    return *to >= 0 ? VN_OK : vn__fail(VN_E_ARG, "module_call: an expected result's %s is %g", name, *to);
}

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Compares call k of a module with its expected result, if there is one. */
static int check_result(const vn__calls *t, const vn__module *b, int k, vn_value v)
{
    char key[VN__MODULE_KEY];
    const char *const *keys = vn_tree_keys(t->expected, NULL);
    if (!keys) return vn_status();
    vn__module_key(t->root, b, key);
    while (*keys && strcmp(after_blanks(*keys), key) != 0) keys++;
    if (!*keys) return VN_OK;
    vn_value e = vn_tree_value(t->expected, *keys), list = e;
    comparison c = {key, k, 1e-8, 1e-5};
    if (vn__is_tree(e) && vn_tree_has(e.u.tree, "val")) {
        list = vn_tree_value(e.u.tree, "val");
        int code = tolerance(e.u.tree, "atol", k, &c.atol);
        if (!code) code = tolerance(e.u.tree, "rtol", k, &c.rtol);
        if (code) return code;
    }
    vn_value x = vn__is_tree(list) ? item_of(list, k) : vn__nothing();
    return vn__none(x) || x.kind == VN_V_NULL ? VN_OK : compare_values(&c, v, x);
}

/* ---- shapes, for summaries ---- */

static void print_shapes(vn__text *to, vn_value v)
{
    for (int i = 0, n = vn__is_tree(v) ? vn_tree_leaves(v.u.tree) : 1; i < n; i++) {
        vn_array *x = vn__is_tree(v) ? vn_tree_leaf(v.u.tree, i) : v.u.array;
        vn_shape s = vn_shape_of(x);
        if (i) vn__print(to, ", ");
        if (x) vn__print_shape(to, s.rank, s.dim);
    }
}

static int show_shape(vn__calls *t, const vn__frame *f, vn_value v)
{
    int i = t->n_shown - 1;
    while (i >= 0 && (t->shown[i].module != f->module || t->shown[i].level != f->level)) i--;
    vn__text text = {0};
    print_shapes(&text, v);
    if (i < 0 || text.failed) return vn__free(text.text), vn__no_memory("module_summary");
    t->shown[i].shape = text.text;
    return VN_OK;
}

/* ---- the end of a call ---- */

static int note_result(vn__calls *t, const vn__module *b, vn_value v)
{
    int k = count(&t->calls, &t->n_calls, b);
    bool keep = t->rets && wanted(t, b);
    if (k < 0) return vn_status();
    if (!keep && !t->expected) return VN_OK;
    v = host_copy(v);
    int code = vn__none(v) ? (int)vn_status() : t->expected ? check_result(t, b, k, v) : VN_OK;
    return code || !keep ? code : keep_result(t, b, v);
}

int vn__calls_leave(vn__frame *f, vn_value v)
{
    vn__calls *t = vn__calls_of(f->trace);
    struct vn__step *step = f->step;
    f->step = NULL;
    vn__free(step->calls), vn__free(step->chain), vn__free(step);
    if (vn__none(v)) return VN_OK;
    VN_SCOPE;
    if (t->summary) return show_shape(t, f, v);
    return is_root(f) ? VN_OK : note_result(t, f->module, v);
}
