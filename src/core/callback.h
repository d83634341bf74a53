/* callback.h: calls of the user's functions (callback.c). */
#ifndef VN_CORE_CALLBACK_H
#define VN_CORE_CALLBACK_H

#include "core/state.h"

/* While one runs, the library cannot be closed, nor a scope from before. Around a function that makes nothing the two inline ones are
 * enough; both may be given NULL. */
static inline size_t vn__user_begin(vn__state *s)
{
    if (!s) return 0;
    size_t before = s->floor;
    s->floor = s->n_marks;
    s->callbacks++;
    return before;
}
static inline void vn__user_end(vn__state *s, size_t before)
{
    if (!s) return;
    s->floor = before;
    s->callbacks--;
}
/* begin; the call; then result, or check and what else is to be done, and end. */
typedef struct vn__call {
    vn__state *state;
    vn_scope scope;
    vn_code before;
    size_t user;
    int n;
    const void *given;
} vn__call;
/* Opens a scope and keeps the n objects, which `given` points to a list of pointers to (NULL and VN_NONE among them are fine), alive. False
 * with the error set. */
bool vn__call_begin(vn__call *c, int n, const void *given);
int vn__call_check(vn__call *c, const char *who); /* the error it set, named after `who`, or that it dropped what it was given */
void vn__call_end(vn__call *c);
/* All of the second half: the result checked and passed out of the scope; sets the error if there is none or a dead one. */
vn__object *vn__call_result(vn__call *c, void *result, vn__kind kind, const char *who);
vn_array *vn__callback(vn_loss_fn fn, const vn_tree *p, void *data, const char *who);
vn_array *vn__call_fn(vn_array_fn fn, vn_array *x, void *user, const char *who); /* NULL for x NULL */

#endif
