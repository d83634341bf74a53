/* SPDX-License-Identifier: Apache-2.0 */
/* layers_linear.c: Linear and Embedding. */
#include "nn/layers.h"
#include "core/state.h"
#include "core/dtype.h"

/* ---- Linear ---- */

typedef struct {
    int64_t in, out;
    vn_nn_linear_opts o;
} linear;

static vn_tree *linear_variables(vn_module *m, vn_dtype dtype)
{
    const linear *l = vn_module_self(m);
    vn_array *w = vn_init_array(l->o.w_init, VN_SHAPE(l->out, l->in), l->in, l->out, dtype);
    if (l->o.no_bias) return vn_tree_of("w", w, NULL);
    return vn_tree_of("w", w, "b", vn_init_array(l->o.b_init, VN_SHAPE(l->out), l->in, l->out, dtype), NULL);
}

/* x: [..., in], w: [out, in] */
static vn_array *linear_forward(vn_module *m, vn_array *x)
{
    const linear *l = vn_module_self(m);
    if (vn_rank(x) < 1 || vn_dim(x, -1) != l->in) {
        vn_shape s = vn_shape_of(x);
        char text[128];
        return vn__fail(VN_E_SHAPE, "x has shape %s; a last axis of %lld is needed", vn__shape_text(s.rank, s.dim, text), (long long)l->in),
               NULL;
    }
    return vn_linear(x, vn_module_var(m, "w"), l->o.no_bias ? VN_NONE : vn_module_var(m, "b"));
}

static const vn_module_class linear_class = {
    .name = "Linear", .self_size = sizeof(linear), .create_variables = linear_variables, .forward = linear_forward};

vn_module *vn_nn_linear(int64_t in, int64_t out, const vn_nn_linear_opts *opts)
{
    linear l = {.in = in, .out = out};
    if (!vn__take_options("nn_linear", &vn__struct_nn_linear, &l.o, opts)) return NULL;
    if (in < 1 || out < 1)
        return vn__fail(VN_E_ARG, "nn_linear: in is %lld, out %lld; both must be 1 or more", (long long)in, (long long)out), NULL;
    return vn_module_new(&linear_class, &l, l.o.module);
}

/* ---- Embedding ---- */

typedef struct {
    int64_t n, size;
    vn_nn_embedding_opts o;
} embedding;

static vn_tree *embedding_variables(vn_module *m, vn_dtype dtype)
{
    const embedding *e = vn_module_self(m);
    return vn_tree_of("w", vn_init_array(e->o.w_init, VN_SHAPE(e->n, e->size), e->n, e->size, dtype), NULL);
}

/* x: [...] integers; padding and invalid rows are zeros and get no gradient */
static vn_array *embedding_forward(vn_module *m, vn_array *x)
{
    const embedding *e = vn_module_self(m);
    if (!vn__is(vn_dtype_of(x), VN_INTS)) return vn__fail(VN_E_DTYPE, "x is %s; integers are needed", vn_dtype_name(vn_dtype_of(x))), NULL;
    vn_array *at = vn_cast(x, VN_I64),
             *rows = vn_embedding(at, vn_module_var(m, "w"), VN_OPTS(embedding, .max_norm = e->o.max_norm, .not_from_end = 1));
    vn_array *good = vn_logical_and(vn_greater_equal(at, vn_scalar(0)), vn_less(at, vn_scalar((double)e->n)));
    if (e->o.padding_index >= 0) good = vn_logical_and(good, vn_not_equal(at, vn_scalar((double)e->o.padding_index)));
    return vn_where(vn_expand_dims(good, -1), rows, vn_scalar(0));
}

static const vn_module_class embedding_class = {
    .name = "Embedding", .self_size = sizeof(embedding), .create_variables = embedding_variables, .forward = embedding_forward};

vn_module *vn_nn_embedding(int64_t n, int64_t size, const vn_nn_embedding_opts *opts)
{
    embedding e = {.n = n, .size = size};
    if (!vn__take_options("nn_embedding", &vn__struct_nn_embedding, &e.o, opts)) return NULL;
    if (n < 1 || size < 1) return vn__fail(VN_E_ARG, "nn_embedding: n is %lld, size %lld; both must be 1 or more", (long long)n, (long long)size), NULL;
    if (e.o.padding_index < -1 || e.o.padding_index >= n)
        return vn__fail(VN_E_ARG, "nn_embedding: padding_index is %lld; one of %lld rows is needed, or -1 for none",
                        (long long)e.o.padding_index, (long long)n),
               NULL;
    return vn_module_new(&embedding_class, &e, e.o.module);
}
