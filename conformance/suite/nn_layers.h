/* SPDX-License-Identifier: Apache-2.0 */
/* nn_layers.h: helpers for tests of layers: inputs, comparison with the functional op, gradients of every variable. */
#ifndef VN_NN_LAYERS_H
#define VN_NN_LAYERS_H

#include "nn.h"

/* Irregular numbers between -1 and 1. */
static inline vn_array *waves(vn_shape shape)
{
    int64_t n = 1;
    float x[4096];
    for (int k = 0; k < shape.rank; k++) n *= shape.dim[k];
    for (int64_t i = 0; i < n && i < 4096; i++) x[i] = (float)sin(1 + 1.7 * (double)i + .3 * (double)(i * i % 17));
    return vn_from(x, shape);
}

/* Other ones, of float64, which differ by number; at most 64. Generators of golden values have the same. */
static inline vn_array *wave(int number, vn_shape shape)
{
    double x[64];
    int64_t n = 1;
    for (int k = 0; k < shape.rank; k++) n *= shape.dim[k];
    for (int64_t k = 0; k < n; k++) x[k] = sin(1 + .7 * (double)k + .9 * number) * .8;
    return vn_from_host(x, VN_F64, shape);
}

static inline bool has_shape(const vn_array *x, vn_shape shape)
{
    const vn_shape s = vn_shape_of(x);
    return x && s.rank == shape.rank && !memcmp(s.dim, shape.dim, (size_t)s.rank * sizeof *s.dim);
}

/* Both have the same shape, and values that differ by at most the tolerance. */
static inline bool alike(vn_array *a, vn_array *b, double most)
{
    if (!a || !b || !has_shape(a, vn_shape_of(b))) return false;
    return !vn_size(a) || vn_item(vn_max(vn_abs(vn_sub(vn_cast(a, VN_F64), vn_cast(b, VN_F64))), VN_ALL)) <= most;
}

static inline vn_array *square_loss(vn_module *m, void *x)
{
    vn_array *y = vn_module_call(m, x, NULL);
    return y ? vn_sum(vn_square(vn_add(y, waves(vn_shape_of(y)))), VN_ALL) : NULL;
}

/* Every variable has a nonzero gradient of its shape. */
static inline void check_gradients(vn_module *m, vn_array *x)
{
    vn_tree *grads, *v = vn_module_v(m);
    CHECK(vn_module_value_and_grad(m, square_loss, x, &grads));
    if (!grads) return;
    const int n = vn_tree_leaves(v);
    CHECK(n > 0 && vn_tree_leaves(grads) == n);
    for (int k = 0; k < n; k++) {
        vn_array *g = vn_tree_leaf(grads, k);
        const double most = vn_item(vn_max(vn_abs(g), VN_ALL));
        CHECK(has_shape(g, vn_shape_of(vn_tree_leaf(v, k))) && isfinite(most) && most > 0);
    }
}

#endif
