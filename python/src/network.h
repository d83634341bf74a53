/* SPDX-License-Identifier: Apache-2.0 */
/* network.h: what network.c and training.c share. */
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

typedef struct {
    PyObject_HEAD vn_optim *optim;
} Optim;
extern PyTypeObject *Optim_type;

/* Methods of modules (training.c). */
PyObject *module_fit(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *module_evaluate(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *module_predict(PyObject *self, PyObject *args, PyObject *kwargs);

#endif
