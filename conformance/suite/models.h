/* SPDX-License-Identifier: Apache-2.0 */
/* models.h: small networks and one step of training, for the module tests of the suites seeds and nn. */
#ifndef VN_MODELS_H
#define VN_MODELS_H

#include <math.h>
#include <stdbool.h>
#include <vinea/vinea.h>

enum { HIDDEN = 64 };

typedef struct {
    int64_t in, out;
} model_sizes;

/* 0 to 1 along the last axis */
static inline vn_array *model_input(int64_t b1, int64_t b2, int64_t in)
{
    float x[64];
    for (int64_t i = 0; i < in; i++) x[i] = (float)i / (float)(in - 1 ? in - 1 : 1);
    return vn_broadcast_to(vn_from(x, VN_SHAPE(in)), VN_SHAPE(b1, b2, in));
}

/* ---- three linear layers ---- */

static inline vn_array *three_layers(vn_module *m, vn_array *x, const char *const names[3])
{
    x = vn_expand_dims(x, 0);
    for (int i = 0; i < 3; i++) x = vn_tanh(vn_module_run(m, names[i], x));
    return vn_squeeze(x, VN_AXES(0));
}

static inline void make_layers(const model_sizes *s, vn_module *to[3])
{
    to[0] = vn_nn_linear(s->in, HIDDEN, NULL);
    to[1] = vn_nn_linear(HIDDEN, HIDDEN, NULL);
    to[2] = vn_nn_linear(HIDDEN, s->out, NULL);
}

static inline int m3_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *l[3];
    make_layers(vn_module_self(m), l);
    vn_module_add(m, "_linear0", l[0]);
    vn_module_add(m, "_linear1", l[1]);
    return vn_module_add(m, "_linear2", l[2]);
}

static inline vn_array *m3_forward(vn_module *m, vn_array *x)
{
    return three_layers(m, x, (const char *const[]){"_linear0", "_linear1", "_linear2"});
}

static const vn_module_class m3 = {.name = "M3", .self_size = sizeof(model_sizes), .build = m3_build, .forward = m3_forward};

/* ---- nothing ---- */

static inline int none_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    return vn_module_add(m, "some_attribute", NULL);
}

static inline vn_array *identity_forward(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}

static const vn_module_class none = {.name = "None", .build = none_build, .forward = identity_forward};

/* ---- training ---- */

typedef struct {
    vn_module *m;
    vn_array *x;
} problem;

static inline vn_tree *mean_of(const vn_tree *v, void *user)
{
    const problem *p = user;
    return vn_tree_of("loss", vn_mean(vn_module_call(p->m, p->x, VN_OPTS(module_call, .v = v)), VN_ALL), NULL);
}

/* One step of gradient descent on the mean of the output: returns the loss before it; NaN on failure. */
static inline double model_step(vn_module *m, vn_array *x, vn_tree **v, vn_tree **grads)
{
    vn_tree *out = vn_execute_with_gradients(mean_of, *v, &(problem){m, x}, NULL, grads, NULL);
    if (!out || !*grads) return (double)NAN;
    vn_array *loss = vn_tree_get(out, "loss");
    vn_value next = {.kind = VN_V_NONE}, args[] = {vn_value_tree(*v), vn_value_tree(*grads), vn_value_array(vn_scalar(1e-3))};
    if (vn_rank(loss) || vn_tree_apply("gradient_descent_update", args, 3, NULL, 0, &next, 1)) return (double)NAN;
    *v = next.u.tree;
    return vn_item(loss);
}

static inline vn_array *sum_loss(vn_module *m, void *data)
{
    return vn_sum(vn_module_call(m, data, NULL), VN_ALL);
}

static inline double largest_of(vn_array *x)
{
    return vn_item(vn_max(vn_abs(x), VN_ALL));
}

static inline bool same_values(const vn_tree *a, const vn_tree *b)
{
    return vn_tree_identical(2, (const vn_tree *[]){a, b}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

#endif
