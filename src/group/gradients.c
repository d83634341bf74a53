/* SPDX-License-Identifier: Apache-2.0 */
/* gradients.c: loss and gradients of a batch in parts: each part is recorded and computed as one program, the same for all parts of one
 * shape, so that its bits do not depend on which rank computes it, or with which others. */
#include "group/group.h"
#include "base/floats.h"
#include "core/callback.h"
#include "core/memory.h"
#include "core/state.h"
#include "grad/grad.h"
#include "nn/module.h"
#include "nn/nn.h"
#include "ops/row.h"
#include "program/node.h"
#include "tree/tree.h"
#include <string.h>

/* The arrays of a step. */
typedef struct {
    vn__sharing sharing; /* first: share_sum knows the step by it */
    vn__parts *parts;
    const vn__part_work *work;
    vn_tree *like; /* the gradients of a part, for their structure */
    bool last;     /* this rank computes no part after this one: its sums may begin */
    bool again;    /* this part was computed before: the others' layers need a part of this rank */
    int n_buffers;
    vn_array **buffers, **before; /* the module's, and their values before the step */
    bool *moved;                  /* which of them the parts change */
    vn_array **kept;              /* not floats: what the first part makes of them */
} step;

/* ---- buffers ---- */

static int find_buffers(step *s)
{
    if (!s->work->module) return VN_OK;
    vn_tree *t = vn_module_buffers(s->work->module);
    if (!t) return vn_status();
    const size_t n = (size_t)vn_tree_leaves(t) + 1;
    s->buffers = vn__scope_memory(n * sizeof *s->buffers, s->parts->who);
    s->before = vn__scope_memory(n * sizeof *s->before, s->parts->who);
    s->kept = vn__scope_memory(n * sizeof *s->kept, s->parts->who);
    s->moved = vn__scope_memory(n * sizeof *s->moved, s->parts->who);
    if (!s->buffers || !s->before || !s->kept || !s->moved) return vn_status();
    s->n_buffers = (int)n - 1;
    memset(s->kept, 0, n * sizeof *s->kept), memset(s->moved, 0, n * sizeof *s->moved);
    for (int i = 0; i < s->n_buffers; i++) {
        s->buffers[i] = vn_tree_leaf(t, i);
        s->before[i] = s->buffers[i] ? vn_stop_gradient(s->buffers[i]) : NULL;
        if (!s->before[i]) return vn_status();
    }
    return vn_eval(s->n_buffers, s->before);
}

/* The module's buffers as they were before the step. */
static int reset_buffers(const step *s)
{
    for (int i = 0; i < s->n_buffers; i++)
        if (s->moved[i] && !vn_into(s->buffers[i], s->before[i])) return vn_status();
    return VN_OK;
}

/* What a part made of the buffers: floats are summed like gradients. */
static int take_buffers(step *s, vn__node *const *old, vn_array **sums, int *n, vn_array **others, int *n_others)
{
    for (int i = 0; i < s->n_buffers; i++) {
        if (vn__node_of(s->buffers[i]) == old[i]) continue;
        s->moved[i] = true;
        vn_array *x = vn_stop_gradient(s->buffers[i]);
        if (!x) return vn_status();
        if (vn__is(vn_dtype_of(x), VN_FLOATS)) sums[(*n)++] = vn__widen(x);
        else if (!s->kept[i]) others[(*n_others)++] = s->kept[i] = vn_keep(x);
    }
    return VN_OK;
}

/* ---- numbers that layers share ---- */

static int share_sum(vn__sharing *sharing, int n, double *numbers, const char *who)
{
    const vn__group *g = ((step *)sharing)->parts->group;
    const size_t bytes = (size_t)n * sizeof *numbers;
    double *all = vn__alloc((size_t)g->ranks * bytes);
    if (!all) return vn__group_no_memory(who);
    sharing->used = true;
    if (!sharing->counts) memset(numbers, 0, bytes);
    const int code = vn__group_gather(g, numbers, all, bytes, who);
    if (!code) memcpy(numbers, all, bytes);
    for (int k = 1; k < g->ranks && !code; k++)
        for (int i = 0; i < n; i++) numbers[i] += all[(size_t)k * (size_t)n + (size_t)i];
    vn__group_free(all);
    return code;
}

/* Whether layers share numbers: then all ranks compute a part at the same time, in as many rounds as the one with most parts has. */
static bool shares(const step *s)
{
    return s->parts->group->comm && (s->sharing.used || (s->work->module && vn__module_shares(vn__module_of(s->work->module))));
}

static int64_t rounds_of(const step *s)
{
    const vn__parts *p = s->parts;
    return shares(s) ? (p->n + p->group->ranks - 1) / p->group->ranks : vn__parts_todo(p);
}

/* ---- a part ---- */

static vn_array *collect(vn_array *x, void *to)
{
    vn_array ***at = to;
    *(*at)++ = x;
    return x;
}

/* Computes the arrays of the last part in buckets, from the last array to the first, whose sums begin one by one. The first n are summed. */
static int compute_in_buckets(step *s, double weight, int n, int n_others, vn_array **all)
{
    int code = VN_OK;
    for (int end = n, bucket = 0, first; end > 0 && !code; end = first, bucket++) {
        first = vn__overlap_first(s->parts, end, bucket);
        code = vn_eval(end - first, all + first);
        if (!code && !first && n_others) code = vn_eval(n_others, all + n);
        if (!code) code = vn__parts_add_last(s->parts, first, end, all, weight);
    }
    return code;
}

/* All arrays of a part in one program, then their sums. */
static int compute_part(step *s, vn_part *part, vn_array *loss, vn_tree *grads, vn__node *const *old)
{
    vn__parts *p = s->parts;
    const size_t room = (size_t)vn_tree_leaves(grads) + 2 * (size_t)s->n_buffers + 1 + VN__PART_MORE;
    vn_array **all = vn__scope_memory(room * sizeof *all, p->who), **end = all;
    if (!all) return vn_status();
    *end++ = loss;
    if (!vn__tree_map(grads, collect, &end)) return vn_status();
    int n = (int)(end - all), n_others = 0;
    for (int i = 0; i < n; i++)
        if (!(all[i] = vn__widen(all[i]))) return vn_status();
    vn_array **rest = vn__scope_memory(room * sizeof *rest, p->who);
    int code = rest ? take_buffers(s, old, all, &n, rest, &n_others) : (int)vn_status();
    if (!code && s->work->more) n_others += s->work->more(s->work->user, rest + n_others);
    if (code) return code;
    memcpy(all + n, rest, (size_t)n_others * sizeof *rest);
    bool in_buckets = false;
    if (s->last) code = vn__parts_begin_last(p, part->number, n, all, &in_buckets);
    if (!code) code = in_buckets ? compute_in_buckets(s, part->weight, n, n_others, all) : vn_eval(n + n_others, all);
    if (code || s->again) return code;
    double values[1 + VN__PART_MORE] = {part->weight};
    if (s->work->measure) code = s->work->measure(s->work->user, values + 1);
    if (code || !in_buckets) return code ? code : vn__parts_add(p, part->number, n, all, values);
    return vn__parts_values(p, part->number, values), VN_OK;
}

static int one_part(step *s, int64_t number)
{
    VN_SCOPE;
    vn__parts *p = s->parts;
    vn__key_source source;
    vn_part part = {number, p->n, 1};
    vn_tree *grads = NULL;
    vn__node **old = vn__scope_memory((size_t)(s->n_buffers + 1) * sizeof *old, p->who);
    int code = old ? vn__parts_enter(p, number, &source) : (int)vn_status();
    if (code) return code;
    for (int i = 0; i < s->n_buffers; i++) old[i] = vn__node_of(s->buffers[i]);
    s->sharing.weight = &part.weight, s->sharing.counts = !p->idle && !s->again;
    vn__peek()->sharing = p->group->comm ? &s->sharing : NULL;
    vn_array *loss = s->work->gradient(s->work->user, &part, &grads);
    if (!loss) code = vn_status();
    else if (!(part.weight >= 0) || part.weight > 0x1p53)
        code = vn__fail(VN_E_ARG, "%s: part %lld has weight %g", p->who, (long long)number, part.weight);
    if (!code) code = compute_part(s, &part, loss, grads, old);
    vn__parts_leave(p);
    vn__peek()->sharing = NULL;
    if (!code) s->like = s->like ? s->like : vn_tree_keep(grads);
    int back = reset_buffers(s);
    return code ? code : back;
}

/* ---- all parts ---- */

/* In the dtype that it was summed for. A cast to the same dtype would be a copy. */
static vn_array *result_as(step *s, int k, vn_dtype dtype)
{
    vn_array *x = vn__parts_result(s->parts, k);
    return x && vn_dtype_of(x) != dtype ? vn_cast(x, dtype) : x;
}

static vn_array *next_result(vn_array *x, void *to)
{
    int *k = ((void **)to)[1];
    return result_as(((void **)to)[0], (*k)++, vn_dtype_of(x));
}

/* The module's buffers get the means. */
static int set_buffers(step *s, int first)
{
    for (int i = 0; i < s->n_buffers; i++) {
        if (!s->moved[i]) continue;
        vn_array *x = s->kept[i] ? s->kept[i] : result_as(s, first++, vn_dtype_of(s->buffers[i]));
        if (!x || vn_eval(1, &x) || !vn_into(s->buffers[i], x)) return vn_status();
    }
    return VN_OK;
}

/* Buffers that are no floats, from the rank that has the first part. */
static int share_kept(step *s)
{
    const vn__group *g = s->parts->group;
    for (int i = 0; i < s->n_buffers && g->comm; i++) {
        if (!s->kept[i]) continue;
        const size_t bytes = (size_t)vn_size(s->kept[i]) * vn_dtype_size(vn_dtype_of(s->kept[i]));
        char *data = vn__block_alloc(bytes + 1);
        if (!data) return vn__group_no_memory(s->parts->who);
        int code = vn_read(s->kept[i], data, bytes);
        vn_transfer t = {.kind = VN_TRANSFER_BROADCAST, .dtype = VN_U8, .count = (int64_t)bytes, .out = data};
        if (!code && bytes) code = vn__group_move(g, &t, s->parts->who);
        if (code) return vn__group_block_free(data), code;
        const char *engine = vn_engine_of(s->kept[i]);
        vn_array *x = vn_to(vn_wrap(data, vn_dtype_of(s->kept[i]), vn_shape_of(s->kept[i]), vn__block_free, data), engine);
        vn_drop(s->kept[i]);
        s->kept[i] = x ? vn_keep(x) : NULL;
        if (!x) return vn_status();
    }
    return VN_OK;
}

vn_array *vn__parts_compute(vn__parts *p, const vn__part_work *w, vn_tree **grads)
{
    VN_SCOPE;
    VN__FLOATS;
    step s = {.sharing = {.sum = share_sum}, .parts = p, .work = w};
    *grads = NULL;
    int code = find_buffers(&s);
    for (int64_t k = 0; k < rounds_of(&s) && !code; k++) {
        s.again = k >= vn__parts_todo(p);
        s.last = p->fast && k + 1 == vn__parts_todo(p) && !shares(&s);
        code = one_part(&s, vn__parts_number(p, s.again ? 0 : k));
    }
    if (code && p->group->comm && (shares(&s) || p->fast))
        vn__group_give_up(vn_message()); /* the others wait in a layer, or for its sums */
    code = vn__parts_exchange(p, code);
    if (!code) code = share_kept(&s);
    int k = 1;
    vn_array *loss = code ? NULL : vn__parts_result(p, 0);
    vn_tree *g = loss ? vn__tree_map(s.like, next_result, (void *[]){&s, &k}) : NULL;
    if (g && set_buffers(&s, k)) g = NULL;
    vn_tree_drop(s.like);
    for (int i = 0; i < s.n_buffers; i++) vn_drop(s.kept[i]);
    if (!g) return NULL;
    *grads = vn_tree_pass(g);
    return vn_pass(loss);
}

/* ---- the public functions ---- */

typedef struct {
    const vn_tree *p;
    vn_module *module;
    vn_part_loss_fn fn;
    vn_module_part_loss_fn module_fn;
    void *data;
    const char *who;
    vn_part *part;
} losses;

static vn_array *tree_loss(const vn_tree *p, void *user)
{
    losses *l = user;
    return l->fn(p, l->part, l->data);
}
static vn_array *module_loss(vn_module *m, void *user)
{
    losses *l = user;
    return l->module_fn(m, l->part, l->data);
}
static vn_array *gradient(void *user, vn_part *part, vn_tree **grads)
{
    losses *l = user;
    l->part = part;
    return l->module ? vn__module_value_and_grad(l->module, module_loss, l, grads, l->who, false)
                     : vn__value_and_grad(tree_loss, l->p, l, grads, l->who, false);
}

static vn_array *compute(losses *l, vn_group *g, int64_t parts, vn_tree **grads, const char *who)
{
    if (g && !vn__check(g, VN__GROUP, who, "g")) return NULL;
    VN_SCOPE;
    vn__parts p;
    const vn__part_work w = {.module = l->module, .gradient = gradient, .user = l};
    vn_array *loss = vn__parts_begin(&p, g, parts, 1, false, who) ? NULL : vn__parts_compute(&p, &w, grads);
    vn__parts_end(&p);
    if (!loss) return NULL;
    *grads = vn_tree_pass(*grads);
    return vn_pass(loss);
}

vn_array *vn_group_value_and_grad(vn_group *g, int64_t parts, vn_part_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads)
{
    static const char who[] = "group_value_and_grad";
    if (grads) *grads = NULL;
    if (!fn || !grads) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "grads" : "fn"), NULL;
    if (!vn__check(p, VN__TREE, who, "p")) return NULL;
    return compute(&(losses){.p = p, .fn = fn, .data = data, .who = who}, g, parts, grads, who);
}

vn_array *vn_module_group_value_and_grad(vn_module *m, vn_group *g, int64_t parts, vn_module_part_loss_fn fn, void *data, vn_tree **grads)
{
    static const char who[] = "module_group_value_and_grad";
    if (grads) *grads = NULL;
    if (!fn || !grads) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, fn ? "grads" : "fn"), NULL;
    if (!vn__check(m, VN__MODULE, who, "m")) return NULL;
    return compute(&(losses){.module = m, .module_fn = fn, .data = data, .who = who}, g, parts, grads, who);
}
