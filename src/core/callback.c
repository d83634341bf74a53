/* SPDX-License-Identifier: Apache-2.0 */
/* callback.c: calling user functions. Each call runs in its own scope. Whatever the function does to scopes, errors and references, the
 * library's state stays consistent: its arguments stay alive, and it can close neither the library nor a scope opened before it. */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "core/callback.h"

static vn__object *given_at(const vn__call *c, int k)
{
    vn__object *o;
    memcpy(&o, (const char *)c->given + (size_t)k * sizeof o, sizeof o);
    return o == (vn__object *)(void *)vn_none() ? NULL : o;
}

bool vn__call_begin(vn__call *c, int n, const void *given)
{
    *c = (vn__call){.state = vn__enter(), .n = n, .given = given};
    if (!c->state || (c->scope = vn_scope_begin()) < 0) return false;
    for (int k = 0; k < n; k++)
        if (given_at(c, k)) vn__object_retain(given_at(c, k));
    c->before = c->state->code;
    c->user = vn__user_begin(c->state);
    return true;
}

int vn__call_check(vn__call *c, const char *who)
{
    vn__user_end(c->state, c->user);
    if (!c->before && c->state->code) { /* its first error becomes ours, prefixed with `who` */
        char where[256];
        if (c->own) return c->state->code;
        snprintf(where, sizeof where, "%s%s", who, c->named ? "" : ": callback");
        return vn__fail_in(where);
    }
    for (int k = 0; k < c->n; k++) {
        const vn__object *o = given_at(c, k);
        if (o && atomic_load_explicit(&o->refs, memory_order_acquire) == 1)
            return vn__fail(VN_E_FREED, "%s: the callback dropped what it was given, which is not its own", who);
    }
    return VN_OK;
}

void vn__call_end(vn__call *c)
{
    for (int k = 0; k < c->n; k++)
        if (given_at(c, k)) vn__object_release(given_at(c, k));
    vn_scope_end(c->scope); /* also closes scopes the callback left open */
}

vn__object *vn__call_result(vn__call *c, void *result, vn__kind kind, const char *who)
{
    vn__object *z = vn__call_check(c, who) ? NULL : result;
    if (!z) vn__fail(VN_E_CALLBACK, "%s: the callback returned nothing", who); /* unless an error is already set */
    else if (!vn__check(z, kind, who, "the callback's result")) z = NULL;
    if (z) vn__object_retain(z);
    vn__call_end(c);
    if (z && !vn__scope_add(c->state, z)) {
        vn__object_release(z);
        return vn__no_memory(who), NULL;
    }
    return z;
}

vn_array *vn__callback(vn_loss_fn fn, const vn_tree *p, void *data, const char *who, bool own)
{
    vn__call c;
    if (!vn__call_begin(&c, 1, &p)) return NULL;
    c.own = own;
    return (vn_array *)vn__call_result(&c, fn(p, data), VN__ARRAY, who);
}

vn_array *vn__call_fn(vn_array_fn fn, vn_array *x, void *user, const char *who)
{
    vn__call c;
    return x && vn__call_begin(&c, 1, &x) ? (vn_array *)vn__call_result(&c, fn(x, user), VN__ARRAY, who) : NULL;
}
