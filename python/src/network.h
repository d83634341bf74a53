/* SPDX-License-Identifier: Apache-2.0 */
/* network.h: what network.c, optimizer.c and training.c share. */
#ifndef VINEA_NETWORK_H
#define VINEA_NETWORK_H

#include "binding.h"

typedef struct cell {
    PyObject *owner; /* borrowed; NULL when the object is gone */
} cell;

typedef struct {
    PyObject_HEAD vn_module *module;
    cell *cell;     /* of a Python class's */
    PyObject *made; /* of a layer of the library's: (its name, the options that it was made with), for pickle */
} Module;

extern PyTypeObject *Module_type;

typedef struct { /* gradients of a module, as the library made them */
    PyObject_HEAD vn_tree *tree;
} Gradients;
extern PyTypeObject *Gradients_type;

#define KEYWORDS(f) ((PyCFunction)(void (*)(void))(f))
int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type);
PyObject *done(int code); /* None, or the library's error */
/* An array, or nested dicts, lists, tuples and dataclasses of arrays, with the same handles; numbers only if they are permitted. Belongs to the scope.
 * NULL raises. */
vn_tree *tree_from(PyObject *o, bool numbers);

/* A tree as nested dicts, with arrays of their own: the library's may get new values. NULL raises. */
PyObject *nested_dicts(const vn_tree *t);

/* ---- optimizer.c ---- */

typedef struct {
    PyObject_HEAD vn_optim *optim;
    double clip_norm, clip_value; /* what configure set, for pickle; 0: nothing */
    long long accumulate;
} Optim;
extern PyTypeObject *Optim_type;
PyObject *optim_new(vn_optim *scoped); /* NULL raises the library's error */
PyObject *schedule_new(const char *name, const vn_option *options, int n, PyObject *given);
int optimizer_add_to(PyObject *module);
/* The arrays of a tree, in the order that the leaves of a tree of the same structure have. NULL raises. */
PyObject *leaves_of(const vn_tree *order, const vn_tree *t);
/* The loss as a Python function of the list of leaves, a vn_loss_fn. An exception ends the call that led here, which raises it. */
vn_array *loss_of_leaves(const vn_tree *p, void *fn);

/* Methods of modules (training.c). */
PyObject *module_fit(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *module_find_lr(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *module_regularize(PyObject *self, PyObject *args);
PyObject *module_constrain(PyObject *self, PyObject *args);
PyObject *module_penalty(PyObject *self, PyObject *unused);
PyObject *module_evaluate(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *module_predict(PyObject *self, PyObject *args, PyObject *kwargs);

#endif
