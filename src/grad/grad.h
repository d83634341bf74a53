/* SPDX-License-Identifier: Apache-2.0 */
/* grad.h: gradients of nodes (grad.c). */
#ifndef VN_GRAD_GRAD_H
#define VN_GRAD_GRAD_H

#include "program/node.h"

/* The vector-Jacobian product of y's cotangent for each wrt. */
int vn__vjp_nodes(vn__node *y, vn_array *ct, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);
/* Refuses a cotangent (or tangent) that has not the shape, dtype and engine of `of`; `what` names it. */
bool vn__is_like(const vn_array *x, const vn_array *of, const char *who, const char *what);
/* vn_value_and_grad, in the name of `who`. own: fn is the library's, and its errors stay as they are. */
vn_array *vn__value_and_grad(vn_loss_fn fn, const vn_tree *p, void *data, vn_tree **grads, const char *who, bool own);
int vn__gradients(vn__node *loss, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);

/* For functions that are no ops (custom.c). Whether x is differentiated; and y, which was computed from x without history and is on its
 * engine, with a rule for the gradient. `user` is the rule's, released with the last node that needs it; on failure it stays the caller's. */
bool vn__has_gradient(vn_array *x);
vn_array *vn__with_gradient(vn_array *y, vn_array *x, vn_rule_fn rule, void *user, void (*release)(void *user), const char *who);

#endif
