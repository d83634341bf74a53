/* grad.h: gradients of nodes (grad.c). */
#ifndef VN_GRAD_GRAD_H
#define VN_GRAD_GRAD_H

#include "program/node.h"

/* The vector-Jacobian product of y's cotangent for each wrt. */
int vn__vjp_nodes(vn__node *y, vn_array *ct, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);
int vn__gradients(vn__node *loss, int n, vn__node *const *wrt, vn_array **grads, bool retain, const char *who);

#endif
