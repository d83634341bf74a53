/* SPDX-License-Identifier: Apache-2.0 */
/* custom.c: functions with a custom gradient. A call records the function's result without history, and a second node with the same
 * values, the original input as its second input, and the rule as its gradient. */
#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "core/callback.h"
#include "ops/row.h"
#include "grad/grad.h"

typedef struct {
    vn__fn_head head;
    vn_array_fn fn;
    vn_rule_fn rule;
    void *user;
    void (*release)(void *user); /* NULL: it is the caller's */
} body;

void vn__fn_release(void *memory)
{
    ((vn__fn_head *)memory)->release(memory);
}

/* A node with y's values whose gradient with respect to x is f's rule. */
static vn__node *tie(vn_fn *f, vn__node *y, vn__node *x)
{
    vn__node *n = vn__node_new(vn__op_custom, y->engine, 2, y->dtype, y->rank, vn__node_dims(y), 1);
    if (!n) return NULL;
    vn__node *in[] = {y, x};
    for (int k = 0; k < 2; k++) {
        vn__node_add(in[k], VN__A_REFERENCE + VN__A_USE);
        vn__node_in(n)[k] = in[k];
    }
    vn__object_retain(&f->object);
    vn__node_words(n)[0] = (int64_t)(uintptr_t)&f->object;
    n->flags = VN__HISTORY | VN__CUSTOM;
    return n;
}

bool vn__has_gradient(vn_array *x)
{
    return vn__node_of(x)->flags & VN__HISTORY && vn__grad_mode(vn__peek());
}

static vn_array *call(vn_fn *f, vn_array *x)
{
    if (!vn__enter() || !vn__check(x, VN__ARRAY, "fn_call", "x")) return NULL;
    const body *b = f->object.body;
    bool differentiable = vn__has_gradient(x);
    vn_array *y = vn__call_fn(b->fn, differentiable ? vn_stop_gradient(x) : x, b->user, "fn_call");
    if (!y || !differentiable) return y;
    if (!vn__is(vn_dtype_of(y), VN_INEXACT)) return y;
    if (vn__node_of(y)->engine != vn__node_of(x)->engine)
        return vn__fail(VN_E_ENGINE, "fn_call: x is on %s, the result on %s", vn_engine_of(x), vn_engine_of(y)), NULL;
    vn__node *n = tie(f, vn__node_of(y), vn__node_of(x));
    return n ? vn__handle(n, "fn_call") : (vn__no_memory("fn_call"), NULL);
}

static void free_body(void *memory)
{
    body *b = memory;
    if (b->release) b->release(b->user);
    vn__free(b);
}

static vn_fn *make(vn_array_fn fn, vn_rule_fn rule, void *user, void (*release)(void *user), const char *who)
{
    body *b = vn__alloc(sizeof *b);
    if (!b) return vn__no_memory(who), NULL;
    *b = (body){{free_body, call}, fn, rule, user, NULL};
    vn_fn *f = (vn_fn *)vn__object_new(VN__FN, b, who);
    if (f) b->release = release;
    else vn__free(b);
    return f;
}

vn_array *vn__with_gradient(vn_array *y, vn_array *x, vn_rule_fn rule, void *user, void (*release)(void *user), const char *who)
{
    VN_SCOPE;
    vn_fn *f = make(NULL, rule, user, release, who);
    if (!f) return NULL;
    vn__node *n = tie(f, vn__node_of(y), vn__node_of(x));
    vn_array *z = n ? vn__handle(n, who) : (vn__no_memory(who), NULL);
    return z ? vn_pass(z) : NULL;
}

vn_fn *vn_bind_custom_gradient(vn_array_fn fn, vn_rule_fn rule, void *user)
{
    if (!fn || !rule) return vn__fail(VN_E_NULL, "bind_custom_gradient: %s is NULL", fn ? "rule" : "fn"), NULL;
    return make(fn, rule, user, NULL, "bind_custom_gradient");
}

int vn_fn_at_end(vn_fn *f, void (*release)(void *user))
{
    if (!vn__check(f, VN__FN, "fn_at_end", "f")) return vn_status();
    body *b = f->object.body;
    if (b->head.release != free_body)
        return vn__fail(VN_E_ARG, "fn_at_end: f is a captured function; it is for those with a custom gradient");
    b->release = release;
    return VN_OK;
}

vn_array *vn_fn_call(vn_fn *f, vn_array *x)
{
    return vn__check(f, VN__FN, "fn_call", "f") ? ((vn__fn_head *)f->object.body)->call(f, x) : NULL;
}

vn_array *vjp_custom(const vn__vjp_args *a, int k)
{
    if (k == 0) return vn__number(a->in[0], 0); /* y has no history, so this is never called */
    const body *b = a->fn->body;
    vn_array *const given[] = {a->in[1], a->out, a->ct};
    vn__call c;
    vn_array *g = vn__call_begin(&c, 3, given)
                      ? (vn_array *)vn__call_result(&c, b->rule(given[0], given[1], given[2], b->user), VN__ARRAY, "fn_call: the rule")
                      : NULL;
    if (!g) return NULL;
    vn_shape s = vn_shape_of(g), t = vn_shape_of(a->in[1]);
    char from[128], to[128];
    if (s.rank != t.rank || memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim) != 0)
        return vn__fail(VN_E_SHAPE, "fn_call: the rule gives shape %s, the input has %s", vn__shape_text(s.rank, s.dim, from),
                        vn__shape_text(t.rank, t.dim, to)),
               NULL;
    return vn_dtype_of(g) == vn_dtype_of(a->in[1]) ? g : vn_cast(g, vn_dtype_of(a->in[1]));
}
