/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c: the library's functions of trees that are no ops: arithmetic, second derivatives, meta-learning, tensor decompositions. Trees come as
 * they are and go back as lists in the order of the first tree's leaves; python/vinea/_trees.py has the public functions. */
#include "network.h"

#include <string.h>

/* ---- arithmetic ---- */

typedef struct {
    const vn_tree *t[2];
    double x[3];
    vn_array *key;
} given;

#define ARRAY(name, call)                      \
    static vn_array *name##_of(const given *g) \
    {                                          \
        return call;                           \
    }
#define TREE(name, call)                      \
    static vn_tree *name##_of(const given *g) \
    {                                         \
        return call;                          \
    }
ARRAY(norm, vn_tree_norm(g->t[0]))
ARRAY(sum, vn_tree_sum(g->t[0]))
ARRAY(max, vn_tree_max(g->t[0]))
ARRAY(min, vn_tree_min(g->t[0]))
ARRAY(vdot, vn_tree_vdot(g->t[0], g->t[1]))
/* A number of an option, where 0 is a default. */
static double option(double x)
{
    return x == 0 ? (double)VN_ZERO : x;
}
ARRAY(allclose,
      vn_tree_allclose(g->t[0], g->t[1], VN_OPTS(allclose, .rtol = option(g->x[0]), .atol = option(g->x[1]), .equal_nan = g->x[2] != 0)))
TREE(clip_by_norm, vn_clip_by_norm(g->t[0], g->x[0], NULL))
TREE(clip_by_value, vn_clip_by_value(g->t[0], g->x[0]))
TREE(clip_per_example, vn_clip_per_example(g->t[0], g->x[0], VN_OPTS(clip_per_example, .by_layer = g->x[1] != 0, .by_size = g->x[2] != 0)))
TREE(private_gradients, vn_private_gradients(g->t[0], g->key, g->x[0], g->x[1]))
TREE(cast_like, vn_tree_cast_like(g->t[0], g->t[1]))
TREE(reshape_like, vn_tree_reshape_like(g->t[0], g->t[1]))
TREE(add_scale, vn_tree_add_scale(g->t[0], g->x[0], g->t[1]))
TREE(split_key_like, vn_tree_split_key_like(g->key, g->t[0]))
TREE(random_like, vn_tree_random_like(g->key, g->t[0]))
TREE(update_moment, vn_tree_update_moment(g->t[0], g->t[1], g->x[0], g->x[1]))
TREE(update_moment_per_elem_norm, vn_tree_update_moment_per_elem_norm(g->t[0], g->t[1], g->x[0], g->x[1]))
TREE(update_infinity_moment, vn_tree_update_infinity_moment(g->t[0], g->t[1], g->x[0], g->x[1]))
TREE(bias_correction, vn_tree_bias_correction(g->t[0], g->x[0], (int64_t)g->x[1]))
TREE(incremental_update, vn_tree_incremental_update(g->t[0], g->t[1], g->x[0]))
TREE(periodic_update, vn_tree_periodic_update(g->t[0], g->t[1], (int64_t)g->x[0], (int64_t)g->x[1]))

#define A(name)                \
    {                          \
#name, name##_of, NULL \
    }
#define T(name)                \
    {                          \
#name, NULL, name##_of \
    }
static const struct {
    const char *name;
    vn_array *(*array)(const given *g);
    vn_tree *(*tree)(const given *g);
} rows[] = {A(norm),
            A(sum),
            A(max),
            A(min),
            A(vdot),
            A(allclose),
            T(clip_by_norm),
            T(clip_by_value),
            T(clip_per_example),
            T(private_gradients),
            T(cast_like),
            T(reshape_like),
            T(add_scale),
            T(split_key_like),
            T(random_like),
            T(update_moment),
            T(update_moment_per_elem_norm),
            T(update_infinity_moment),
            T(bias_correction),
            T(incremental_update),
            T(periodic_update)};

/* tree_call(name, (tree, tree or None), (numbers), key or None): an array, or the leaves. */
static PyObject *tree_call(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *first, *second, *key, *z = NULL;
    given g = {.key = VN_NONE};
    (void)module;
    if (!PyArg_ParseTuple(args, "s(OO)(ddd)O", &name, &first, &second, &g.x[0], &g.x[1], &g.x[2], &key) || !engine_follow()) return NULL;
    size_t k = 0;
    while (k + 1 < sizeof rows / sizeof *rows && strcmp(rows[k].name, name) != 0) k++;
    vn_scope scope = vn_scope_begin();
    if (key != Py_None) g.key = held_of(key);
    if ((g.t[0] = tree_from(first, false)) && (second == Py_None || (g.t[1] = tree_from(second, false)))) {
        vn_array *x = NULL;
        vn_tree *t = NULL;
        if (rows[k].array) UNLOCKED(x = rows[k].array(&g));
        else UNLOCKED(t = rows[k].tree(&g));
        z = x ? array_keep(x) : t ? leaves_of(g.t[0], t) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}

/* ---- second derivatives ---- */

/* tree_curvature(name, fn of leaves, tree, v or None, key or None): the leaves */
static PyObject *tree_curvature(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *fn, *p, *v, *key, *z = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOOOO", &name, &fn, &p, &v, &key) || !engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *k = key == Py_None ? VN_NONE : held_of(key);
    vn_tree *t = tree_from(p, false), *along = t && v != Py_None ? tree_from(v, false) : NULL, *d = NULL;
    if (t && (along || v == Py_None)) {
        UNLOCKED(d = along                              ? vn_hvp(loss_of_leaves, t, fn, along)
                     : !strcmp(name, "hessian_diag")    ? vn_hessian_diag(loss_of_leaves, t, fn)
                     : !strcmp(name, "hutchinson_diag") ? vn_hutchinson_diag(loss_of_leaves, t, fn, k)
                                                        : vn_fisher_diag(loss_of_leaves, t, fn));
        z = d ? leaves_of(t, d) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}

/* ---- meta-learning ---- */

static vn_array *task_loss(const vn_tree *p, int64_t task, int outer, void *fn)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *leaves = leaves_of(p, p);
    vn_array *loss = callback_result(leaves ? PyObject_CallFunction(fn, "OLO", leaves, (long long)task, outer ? Py_True : Py_False) : NULL);
    Py_XDECREF(leaves);
    PyGILState_Release(state);
    return loss;
}

/* meta_step(name, fn of leaves, task and outer, tree, tasks, lr, steps): the loss and the leaves of the gradients */
static PyObject *meta_step(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *fn, *p, *z = NULL;
    long long tasks, steps;
    double lr;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOOLdL", &name, &fn, &p, &tasks, &lr, &steps) || !engine_follow()) return NULL;
    const vn_meta_opts opts = {.size = sizeof opts, .lr = option(lr), .steps = steps ? steps : (int64_t)VN_ZERO};
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(p, false), *grads = NULL;
    vn_array *loss = NULL;
    if (t) {
        UNLOCKED(loss = !strcmp(name, "maml")     ? vn_maml_step(task_loss, t, tasks, fn, &opts, &grads)
                        : !strcmp(name, "fomaml") ? vn_fomaml_step(task_loss, t, tasks, fn, &opts, &grads)
                                                  : vn_reptile_step(task_loss, t, tasks, fn, &opts, &grads));
        z = loss ? Py_BuildValue("(NN)", array_keep(loss), leaves_of(t, grads)) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}

/* ---- tensor decompositions ---- */

static bool sizes_from(PyObject *o, const char *what, vn_shape *to)
{
    const int n = ints_from(o, what, to->dim);
    to->rank = n;
    return n >= 0;
}

static PyObject *dicts_or_error(vn_tree *t)
{
    return t ? nested_dicts(t) : raise_error();
}

/* tucker(x, ranks, iterations, tolerance, modes or ()), cp(x, rank, iterations, tolerance), tensor_train(x, ranks) */
static PyObject *tucker(PyObject *module, PyObject *args)
{
    PyObject *x, *ranks, *modes;
    long long iterations;
    double tolerance;
    vn_shape r;
    vn_tucker_opts o = {.size = sizeof o};
    vn_tree *t;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OLdO", Array_type, &x, &ranks, &iterations, &tolerance, &modes)) return NULL;
    if (!sizes_from(ranks, "ranks", &r) || !sizes_from(modes, "modes", &o.modes)) return NULL;
    o.iterations = iterations ? iterations : (int64_t)VN_ZERO, o.tolerance = option(tolerance);
    vn_scope scope = vn_scope_begin();
    vn_array *h = held_of(x);
    UNLOCKED(t = vn_tucker(h, r, &o));
    PyObject *z = dicts_or_error(t);
    vn_scope_end(scope);
    return z;
}

static PyObject *cp(PyObject *module, PyObject *args)
{
    PyObject *x;
    long long rank, iterations;
    double tolerance;
    vn_tree *t;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!LLd", Array_type, &x, &rank, &iterations, &tolerance)) return NULL;
    const vn_cp_opts o = {.size = sizeof o, .iterations = iterations, .tolerance = option(tolerance)};
    vn_scope scope = vn_scope_begin();
    vn_array *h = held_of(x);
    UNLOCKED(t = vn_cp(h, rank, &o));
    PyObject *z = dicts_or_error(t);
    vn_scope_end(scope);
    return z;
}

static PyObject *tensor_train(PyObject *module, PyObject *args)
{
    PyObject *x, *ranks;
    vn_shape r;
    vn_tree *t;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", Array_type, &x, &ranks) || !sizes_from(ranks, "ranks", &r)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *h = held_of(x);
    UNLOCKED(t = vn_tensor_train(h, r));
    PyObject *z = dicts_or_error(t);
    vn_scope_end(scope);
    return z;
}

static PyObject *tt_matrix_to_tensor(PyObject *module, PyObject *cores)
{
    vn_array *x = NULL;
    (void)module;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(cores, false);
    if (t) UNLOCKED(x = vn_tt_matrix_to_tensor(t));
    PyObject *z = x ? array_keep(x) : t ? raise_error() : NULL;
    vn_scope_end(scope);
    return z;
}

/* random_factors(name, key or None, shape, ranks, columns, dtype, orthogonal, normalize) */
static PyObject *random_factors(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *key, *shape, *ranks, *type;
    long long columns;
    vn_shape s, r;
    vn_random_factors_opts o = {.size = sizeof o};
    vn_tree *t;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOOOLOpp", &name, &key, &shape, &ranks, &columns, &type, &o.orthogonal, &o.normalize)) return NULL;
    if (!sizes_from(shape, "shape", &s) || !sizes_from(ranks, "ranks", &r) || !engine_follow()) return NULL;
    const int dtype = dtype_of(type);
    if (dtype < 0) return NULL;
    const vn_dtype d = (vn_dtype)dtype;
    vn_scope scope = vn_scope_begin();
    vn_array *k = key == Py_None ? VN_NONE : held_of(key);
    UNLOCKED(t = !strcmp(name, "cp")       ? vn_random_cp(k, s, r.rank ? r.dim[0] : 0, d, &o)
                 : !strcmp(name, "tucker") ? vn_random_tucker(k, s, r, d, &o)
                 : !strcmp(name, "tt")     ? vn_random_tt(k, s, r, d)
                 : !strcmp(name, "tr")     ? vn_random_tr(k, s, r, d)
                                           : vn_random_parafac2(k, s, columns, r.rank ? r.dim[0] : 0, d));
    PyObject *z = dicts_or_error(t);
    vn_scope_end(scope);
    return z;
}

/* ---- others ---- */

/* fenchel_young_loss(x, target, max) */
static PyObject *fenchel_young_loss(PyObject *module, PyObject *args)
{
    PyObject *x, *target, *max;
    vn_array *loss;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O", Array_type, &x, Array_type, &target, &max)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *a = held_of(x), *b = held_of(target);
    UNLOCKED(loss = vn_fenchel_young_loss(a, b, function_of_one, max));
    PyObject *z = loss ? array_keep(loss) : raise_error();
    vn_scope_end(scope);
    return z;
}

/* feature_distance(net, x, y, kind, each, weights or None) */
static PyObject *feature_distance(PyObject *module, PyObject *args)
{
    PyObject *net, *x, *y, *weights, *z = NULL;
    vn_feature_distance_opts o = {.size = sizeof o};
    vn_array *distance;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!ipO", Module_type, &net, Array_type, &x, Array_type, &y, &o.kind, &o.each, &weights)) return NULL;
    vn_scope scope = vn_scope_begin();
    if (weights == Py_None || (o.weights = tree_from(weights, true))) {
        vn_array *a = held_of(x), *b = held_of(y);
        UNLOCKED(distance = vn_feature_distance(((Module *)net)->module, a, b, &o));
        z = distance ? array_keep(distance) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}

/* scale_gradient(x, by) */
static PyObject *scale_gradient(PyObject *module, PyObject *args)
{
    PyObject *x;
    double by;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!d", Array_type, &x, &by)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *y = vn_scale_gradient(held_of(x), by);
    PyObject *z = y ? array_keep(y) : raise_error();
    vn_scope_end(scope);
    return z;
}

int trees_add_to(PyObject *module)
{
    static PyMethodDef functions[] = {{"tree_call", tree_call, METH_VARARGS, NULL},
                                      {"tree_curvature", tree_curvature, METH_VARARGS, NULL},
                                      {"meta_step", meta_step, METH_VARARGS, NULL},
                                      {"tucker", tucker, METH_VARARGS, NULL},
                                      {"cp", cp, METH_VARARGS, NULL},
                                      {"tensor_train", tensor_train, METH_VARARGS, NULL},
                                      {"tt_matrix_to_tensor", tt_matrix_to_tensor, METH_O, NULL},
                                      {"random_factors", random_factors, METH_VARARGS, NULL},
                                      {"fenchel_young_loss", fenchel_young_loss, METH_VARARGS, NULL},
                                      {"feature_distance", feature_distance, METH_VARARGS, NULL},
                                      {"scale_gradient", scale_gradient, METH_VARARGS, NULL},
                                      {0}};
    return PyModule_AddFunctions(module, functions);
}
