/* SPDX-License-Identifier: Apache-2.0 */
/* callback.h: calling user functions (callback.c). */
#ifndef VN_CORE_CALLBACK_H
#define VN_CORE_CALLBACK_H

#include "core/state.h"

/* While one runs, neither the library nor an earlier scope can be closed. For a function that creates no objects the two inline functions
 * are enough; both accept NULL. */
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
/* Usage: begin; the call; then result, or check and end. */
typedef struct vn__call {
    vn__state *state;
    vn_scope scope;
    vn_code before;
    size_t user;
    int n;
    const void *given;
    bool named; /* `who` is what was called, not who called it */
    bool own;   /* the function is the library's: its error stays as it is */
} vn__call;
/* Opens a scope and keeps the n objects in the list `given` alive (entries may be NULL or VN_NONE). Returns false with the error
 * set on failure. */
bool vn__call_begin(vn__call *c, int n, const void *given);
int vn__call_check(vn__call *c, const char *who); /* the error it set, prefixed with `who`, or an error if it dropped its arguments */
void vn__call_end(vn__call *c);
/* check and end in one: checks the result and passes it out of the scope; sets an error if it is missing or dead. */
vn__object *vn__call_result(vn__call *c, void *result, vn__kind kind, const char *who);
vn_array *vn__callback(vn_loss_fn fn, const vn_tree *p, void *data, const char *who, bool own);
vn_array *vn__call_fn(vn_array_fn fn, vn_array *x, void *user, const char *who); /* NULL for x NULL */

#endif
