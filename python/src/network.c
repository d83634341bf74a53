/* SPDX-License-Identifier: Apache-2.0 */
/* network.c: modules of the library as Python objects; optimizer.c has optimizers and schedules. vinea/nn.py has the classes that users derive from.
 *
 * A module of a Python class is a module of the library whose forward function calls the object's _forward. The object owns the module,
 * not the other way round: a module that outlives its object, in a network that contains it, fails when it is called. */
#include "network.h"
#include <stdlib.h>
#include <string.h>

/* ---- trees of arrays as dicts ---- */

static bool is_dataclass(PyObject *o)
{
    return !PyType_Check(o) && PyObject_HasAttrString(o, "__dataclass_fields__");
}

/* The items of a dict, or of a dataclass by the names of its fields: a list of pairs; NULL raises. */
static PyObject *items_of(PyObject *o)
{
    if (PyDict_Check(o)) return PyDict_Items(o);
    PyObject *fields = PyObject_GetAttrString(o, "__dataclass_fields__"), *names = fields ? PySequence_List(fields) : NULL;
    PyObject *list = names ? PyList_New(0) : NULL;
    for (Py_ssize_t k = 0; list && k < PyList_Size(names); k++) {
        PyObject *name = PyList_GetItem(names, k), *value = PyObject_GetAttr(o, name);
        PyObject *pair = value ? PyTuple_Pack(2, name, value) : NULL;
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(value);
        Py_XDECREF(pair);
    }
    Py_XDECREF(fields);
    Py_XDECREF(names);
    return list;
}

static bool is_container(PyObject *o)
{
    return PyDict_Check(o) || PyList_Check(o) || PyTuple_Check(o) || is_dataclass(o);
}

static vn_tree *tree_at(PyObject *o, bool numbers, int depth)
{
    enum { DEEPEST = 64 }; /* of the library's trees */
    if (depth == DEEPEST) {
        PyErr_Format(PyExc_ValueError, "a tree is nested more than %d deep, or a container contains itself", DEEPEST);
        return NULL;
    }
    vn_tree *t = vn_tree_new(&(vn_tree_opts){.size = sizeof(vn_tree_opts), .insertion_order = 1});
    if (!t) return raise_error(), NULL;
    const bool is_dict = PyDict_Check(o) || is_dataclass(o);
    PyObject *items = is_dict ? items_of(o) : PySequence_List(o);
    const Py_ssize_t n = items ? PyList_Size(items) : 0;
    bool good = items != NULL;
    for (Py_ssize_t k = 0; k < n && good; k++) {
        char number[32];
        PyObject *item = PyList_GetItem(items, k), *value = is_dict ? PyTuple_GetItem(item, 1) : item;
        PyObject *key = is_dict ? PyTuple_GetItem(item, 0) : NULL;
        snprintf(number, sizeof number, "%zd", k);
        const char *name = !key ? number : PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        if (!name) PyErr_SetString(PyExc_TypeError, "the keys of a tree of parameters are texts");
        else if (is_array(value)) good = !vn_tree_set(t, name, handle_of(value));
        else if (value == Py_None) good = !vn_tree_set_null(t, name);
        else if (numbers && is_number(value)) good = !vn_tree_set_number(t, name, PyFloat_AsDouble(value));
        else if (is_container(value)) {
            vn_tree *sub = tree_at(value, numbers, depth + 1);
            good = sub && !vn_tree_set_tree(t, name, sub);
        } else PyErr_Format(PyExc_TypeError, "a tree of parameters contains arrays, not %R", (PyObject *)Py_TYPE(value));
        if (!good && !PyErr_Occurred()) raise_error();
        good = good && !PyErr_Occurred();
    }
    Py_XDECREF(items);
    return good ? t : NULL;
}

vn_tree *tree_from(PyObject *o, bool numbers)
{
    if (is_container(o)) return tree_at(o, numbers, 0);
    if (is_array(o)) { /* a tree of one leaf */
        vn_tree *t = vn_tree_of("x", handle_of(o), NULL);
        return t ? t : (raise_error(), NULL);
    }
    PyErr_Format(PyExc_TypeError, "an array or a tree of arrays (nested dicts, lists, tuples, dataclasses) is needed, not %R",
                 (PyObject *)Py_TYPE(o));
    return NULL;
}

/* {path: array} with the tree's own handles; bound: those of a module, which gets what is assigned to them. */
static PyObject *dict_of(const vn_tree *t, bool bound)
{
    PyObject *d = PyDict_New();
    for (int k = 0; d && t && k < vn_tree_leaves(t); k++) {
        PyObject *path = PyUnicode_FromString(vn_tree_leaf_key(t, k)), *x = !path   ? NULL
                                                                            : bound ? array_bound(vn_tree_leaf(t, k))
                                                                                    : array_keep(vn_tree_leaf(t, k));
        if (!x || PyDict_SetItem(d, path, x)) Py_CLEAR(d);
        Py_XDECREF(path);
        Py_XDECREF(x);
    }
    return d;
}

/* Gradients: .dict() shows them. */
PyTypeObject *Gradients_type;

static void gradients_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    vn_tree_drop(((Gradients *)self)->tree);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *gradients_dict(PyObject *self, PyObject *unused)
{
    (void)unused;
    return dict_of(((Gradients *)self)->tree, false);
}

/* ---- modules ---- */

PyTypeObject *Module_type;

static vn_array *forward(vn_module *m, vn_array *x)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *owner = ((cell *)vn_module_self(m))->owner, *in = owner ? array_keep(x) : NULL;
    if (!owner) PyErr_SetString(PyExc_RuntimeError, "the object of a module inside this network is gone");
    vn_array *y = callback_result(in ? PyObject_CallMethod(owner, "_forward", "O", in) : NULL);
    Py_XDECREF(in);
    PyGILState_Release(state);
    return y;
}

/* The same of a call with several arguments: _forward_tree takes and returns a dict. */
static vn_tree *forward_tree(vn_module *m, const vn_tree *args)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *owner = ((cell *)vn_module_self(m))->owner, *in = owner ? dict_of(args, false) : NULL;
    if (!owner) PyErr_SetString(PyExc_RuntimeError, "the object of a module inside this network is gone");
    PyObject *out = in ? PyObject_CallMethod(owner, "_forward_tree", "O", in) : NULL;
    vn_tree *t = out ? tree_from(out, false) : NULL;
    if (PyErr_Occurred()) error_waits();
    Py_XDECREF(in);
    Py_XDECREF(out);
    PyGILState_Release(state);
    return t;
}

static vn_tree *create_variables(vn_module *m, vn_dtype dtype)
{
    (void)dtype;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *owner = ((cell *)vn_module_self(m))->owner, *own = owner ? PyObject_GetAttrString(owner, "_parameters") : NULL;
    vn_tree *t = own ? tree_from(own, false) : NULL;
    if (PyErr_Occurred()) error_waits();
    Py_XDECREF(own);
    PyGILState_Release(state);
    return t;
}

static void free_cell(void *self)
{
    free(self);
}

/* The class of a Python type, by its name; kept for the life of the process. */
static const vn_module_class *class_named(const char *name)
{
    static struct known {
        vn_module_class cls;
        struct known *next;
        char name[];
    } * all;
    for (struct known *k = all; k; k = k->next)
        if (!strcmp(k->name, name)) return &k->cls;
    struct known *k = PyMem_Calloc(1, sizeof *k + strlen(name) + 1);
    if (!k) return PyErr_NoMemory(), NULL;
    strcpy(k->name, name);
    k->cls = (vn_module_class){
        .name = k->name, .create_variables = create_variables, .forward = forward, .forward_tree = forward_tree, .free = free_cell};
    k->next = all;
    all = k;
    return &k->cls;
}

static PyObject *module_of(PyTypeObject *type, vn_module *scoped, cell *c)
{
    if (!scoped) return raise_error();
    Module *m = (Module *)PyType_GenericAlloc(type, 0);
    if (!m) return NULL;
    m->module = vn_module_keep(scoped);
    m->cell = c;
    if (c) c->owner = (PyObject *)m;
    return (PyObject *)m;
}

static PyObject *module_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    PyObject *name = PyObject_GetAttrString((PyObject *)type, "__name__");
    const vn_module_class *cls = name ? class_named(PyUnicode_AsUTF8AndSize(name, NULL)) : NULL;
    Py_XDECREF(name);
    cell *c = cls ? calloc(1, sizeof *c) : NULL;
    if (!c) return cls ? PyErr_NoMemory() : NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z =
        module_of(type, vn_module_new(cls, c, &(vn_module_opts){.size = sizeof(vn_module_opts), .build_mode = VN_BUILD_ON_CALL}), c);
    vn_scope_end(scope);
    return z;
}

static void module_free(PyObject *self)
{
    Module *m = (Module *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (m->cell) m->cell->owner = NULL;
    vn_module_drop(m->module);
    Py_XDECREF(m->made);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static vn_module *module_in(PyObject *o)
{
    if (PyType_IsSubtype(Py_TYPE(o), Module_type)) return ((Module *)o)->module;
    PyErr_Format(PyExc_TypeError, "a module is needed, not %R", (PyObject *)Py_TYPE(o));
    return NULL;
}

PyObject *done(int code)
{
    if (code) return raise_error();
    Py_RETURN_NONE;
}

static PyObject *module_add(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *child;
    if (!PyArg_ParseTuple(args, "sO:add", &name, &child) || !module_in(child)) return NULL;
    return done(vn_module_add(((Module *)self)->module, name, module_in(child)));
}

/* Inside a captured function buffers would get values that are known only when its program runs; they are restored. False raises. */
static bool buffers_stay(const vn_tree *buffers, vn_array *const *values, const int64_t *changes)
{
    bool same = true;
    for (int k = 0; k < vn_tree_leaves(buffers); k++) {
        vn_array *h = vn_tree_leaf(buffers, k);
        if (vn_changes(h) == changes[k]) continue;
        vn_into(h, values[k]);
        same = false;
    }
    if (!same)
        PyErr_SetString(PyExc_RuntimeError,
                        "a captured function cannot change the buffers of a module, such as the running means of batch normalisation: call "
                        "eval() on the module first, or train it outside");
    return same;
}

/* What a module is called with, an array or a tree, and what it gives. */
typedef struct {
    vn_array *x, *y;
    vn_tree *args, *results;
} called;

static bool call(vn_module *m, called *c)
{
    if (c->args) UNLOCKED(c->results = vn_module_call_tree(m, c->args, NULL));
    else UNLOCKED(c->y = vn_module_call(m, c->x, NULL));
    if (!c->y && !c->results) raise_error();
    return c->y || c->results;
}

static bool call_inside_capture(vn_module *m, called *c)
{
    vn_tree *built, *buffers = NULL;
    UNLOCKED(built = vn_module_build(m, NULL); buffers = built ? vn_module_buffers(m) : NULL);
    if (!buffers) return raise_error(), false;
    const int n = vn_tree_leaves(buffers);
    vn_array **values = PyMem_Malloc((size_t)(n + 1) * sizeof *values);
    int64_t *changes = PyMem_Malloc((size_t)(n + 1) * sizeof *changes);
    bool good = values && changes;
    for (int k = 0; k < n && good; k++) {
        vn_array *h = vn_tree_leaf(buffers, k);
        values[k] = vn_alias(h);
        changes[k] = vn_changes(h);
    }
    if (!good) PyErr_NoMemory();
    else {
        const bool ran = call(m, c);
        good = buffers_stay(buffers, values, changes) && ran && capture_note_module(m);
    }
    PyMem_Free(values);
    PyMem_Free(changes);
    return good;
}

static PyObject *run(vn_module *m, called c)
{
    if (!c.x && !c.args) return NULL;
    if (!(capturing ? call_inside_capture(m, &c) : call(m, &c))) return NULL;
    return c.y ? array_keep(c.y) : dict_of(c.results, false);
}

static PyObject *module_run(PyObject *self, PyObject *x)
{
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = run(((Module *)self)->module, (called){.x = array_from(x, -1, COPY_IF_NEEDED)});
    vn_scope_end(scope);
    return z;
}

/* _run_tree({name: array}): a call with several arguments; the results by their names. */
static PyObject *module_run_tree(PyObject *self, PyObject *args)
{
    vn_scope scope = vn_scope_begin();
    PyObject *z = run(((Module *)self)->module, (called){.args = tree_from(args, false)});
    vn_scope_end(scope);
    return z;
}

/* _steps({name: array}, last_only, reverse): the module as a cell, called for every step. */
static PyObject *module_steps(PyObject *self, PyObject *args)
{
    PyObject *in;
    vn_module_steps_opts o = {.size = sizeof o};
    if (!PyArg_ParseTuple(args, "Opp:steps", &in, &o.last_only, &o.reverse)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(in, false), *out = NULL;
    if (t) UNLOCKED(out = vn_module_steps(((Module *)self)->module, t, &o));
    PyObject *z = out ? dict_of(out, false) : t ? raise_error() : NULL;
    vn_scope_end(scope);
    return z;
}

static PyObject *module_variable(PyObject *self, PyObject *name)
{
    const char *s = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!s) return NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = array_bound(vn_module_var(((Module *)self)->module, s));
    vn_scope_end(scope);
    return z;
}

/* _assign(name, value): a variable of a module that is built gets a new value. */
static PyObject *module_assign(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "sO!:assign", &name, Array_type, &value)) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_array *to = vn_module_var(((Module *)self)->module, name);
    PyObject *z = to && vn_into(to, vn_stop_gradient(held_of(value))) ? Py_NewRef(Py_None) : raise_error();
    vn_scope_end(scope);
    return z;
}

/* variables(): {path: array}, building the module first if it was never called; buffers() likewise. */
static PyObject *module_variables(PyObject *self, PyObject *unused)
{
    (void)unused;
    vn_tree *t = NULL;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    UNLOCKED(t = vn_module_build(((Module *)self)->module, NULL));
    PyObject *z = t ? dict_of(t, true) : raise_error();
    vn_scope_end(scope);
    return z;
}

static PyObject *module_buffers(PyObject *self, PyObject *unused)
{
    (void)unused;
    vn_scope scope = vn_scope_begin();
    PyObject *z = dict_of(vn_module_buffers(((Module *)self)->module), true);
    vn_scope_end(scope);
    return z;
}

static PyObject *module_train(PyObject *self, PyObject *on)
{
    const int training = PyObject_IsTrue(on);
    return training < 0 ? NULL : done(vn_module_train(((Module *)self)->module, training));
}

static PyObject *module_training(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(vn_module_training(((Module *)self)->module));
}

static PyObject *module_is_built(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(vn_module_is_built(((Module *)self)->module));
}

/* _made: (name, options) of a layer of the library's, None for others. */
static PyObject *module_made(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *made = ((Module *)self)->made;
    return Py_NewRef(made ? made : Py_None);
}

/* _frozen(): the paths of the frozen variables. */
static PyObject *module_frozen(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *list = PyList_New(0);
    vn_scope scope = vn_scope_begin();
    const vn_tree *t = vn_module_frozen(((Module *)self)->module);
    const char *const *chains = t ? vn_tree_all_key_chains(t, NULL, NULL) : NULL;
    for (; list && chains && *chains; chains++) {
        PyObject *path = PyUnicode_FromString(*chains);
        if (!path || PyList_Append(list, path)) Py_CLEAR(list);
        Py_XDECREF(path);
    }
    vn_scope_end(scope);
    return list;
}

static PyObject *module_freeze(PyObject *self, PyObject *args)
{
    const char *path;
    int on;
    if (!PyArg_ParseTuple(args, "sp", &path, &on)) return NULL;
    return done(on ? vn_module_freeze(((Module *)self)->module, path) : vn_module_unfreeze(((Module *)self)->module, path));
}

static PyObject *module_structure(PyObject *self, PyObject *unused)
{
    (void)unused;
    const char *text = vn_module_show_structure(((Module *)self)->module);
    return text ? PyUnicode_FromString(text) : raise_error();
}

static PyObject *module_summary(PyObject *self, PyObject *x)
{
    vn_scope scope = vn_scope_begin();
    vn_array *in = array_from(x, -1, COPY_IF_NEEDED);
    const char *text = NULL;
    if (in) UNLOCKED(text = vn_module_summary(((Module *)self)->module, in));
    PyObject *z = text ? PyUnicode_FromString(text) : in ? raise_error() : NULL;
    vn_scope_end(scope);
    return z;
}

static PyObject *module_adapt(PyObject *self, PyObject *x)
{
    int code = VN_OK;
    vn_scope scope = vn_scope_begin();
    vn_array *data = array_from(x, -1, COPY_IF_NEEDED);
    if (data) UNLOCKED(code = vn_module_adapt(((Module *)self)->module, data));
    PyObject *z = data ? done(code) : NULL;
    vn_scope_end(scope);
    return z;
}

static PyObject *module_file(PyObject *self, PyObject *args)
{
    PyObject *path;
    int load;
    if (!engine_follow() || !PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &load)) return NULL;
    vn_checkpoint c = {.size = sizeof c, .module = ((Module *)self)->module};
    const char *name = PyBytes_AsString(path);
    int code;
    UNLOCKED(code = load ? vn_checkpoint_load(name, &c) : vn_checkpoint_save(name, &c));
    Py_DECREF(path);
    return done(code);
}

static vn_array *loss_of(vn_module *m, void *fn)
{
    (void)m;
    PyGILState_STATE state = PyGILState_Ensure();
    vn_array *y = callback_result(PyObject_CallNoArgs(fn));
    PyGILState_Release(state);
    return y;
}

/* value_and_grad(fn): fn calls the module and returns the loss; (loss, gradients). */
static PyObject *module_gradients(PyObject *self, PyObject *fn)
{
    vn_tree *t = NULL;
    vn_array *loss;
    PyObject *z = NULL;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_module *m = ((Module *)self)->module;
    UNLOCKED(loss = vn_module_build(m, NULL) ? vn_module_value_and_grad(m, loss_of, fn, &t) : NULL);
    Gradients *g = loss && t ? (Gradients *)PyType_GenericAlloc(Gradients_type, 0) : NULL;
    if (g) {
        g->tree = vn_tree_keep(t);
        z = Py_BuildValue("(NN)", array_keep(loss), g);
    } else if (!PyErr_Occurred()) raise_error();
    vn_scope_end(scope);
    return z;
}

PyObject *make_object(const char *family, const char *name, const vn_option *options, int n, PyObject *given)
{
    if (!strcmp(family, "layer")) {
        PyObject *layer = module_of(Module_type, vn_nn_make(name, options, n), NULL);
        PyObject *made = layer ? Py_BuildValue("(sO)", name, given) : NULL;
        if (layer && !made) Py_CLEAR(layer);
        if (layer) ((Module *)layer)->made = made;
        return layer;
    }
    if (!strcmp(family, "schedule")) return schedule_new(name, options, n, given);
    return optim_new(vn_optim_make(name, options, n));
}

int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromSpec(spec);
    return *type ? PyModule_AddObjectRef(module, strrchr(spec->name, '.') + 1, (PyObject *)*type) : -1;
}

int network_add_to(PyObject *module)
{
    static PyMethodDef module_methods[] = {
        {"_add", module_add, METH_VARARGS, NULL},
        {"_run", module_run, METH_O, NULL},
        {"_run_tree", module_run_tree, METH_O, NULL},
        {"_steps", module_steps, METH_VARARGS, NULL},
        {"_variable", module_variable, METH_O, NULL},
        {"_assign", module_assign, METH_VARARGS, NULL},
        {"_freeze", module_freeze, METH_VARARGS, NULL},
        {"_frozen", module_frozen, METH_NOARGS, NULL},
        {"_is_built", module_is_built, METH_NOARGS, NULL},
        {"_file", module_file, METH_VARARGS, NULL},
        {"_train", module_train, METH_O, NULL},
        {"_fit", KEYWORDS(module_fit), METH_VARARGS | METH_KEYWORDS, NULL},
        {"find_lr", KEYWORDS(module_find_lr), METH_VARARGS | METH_KEYWORDS,
         "find_lr($self, x, y, /, *, start=1e-7, stop=10.0, steps=100, batch=32, seed=0, optimizer=None, loss=None)\n--\n\nThe "
         "learning-rate finder: a short "
         "training whose rate rises from step to step. Gives a dict: rates, losses, smooth (a mean of losses), "
         "suggested (where they fall "
         "most), least (where they are least). The module gets its values back."},
        {"regularize", module_regularize, METH_VARARGS,
         "regularize($self, name, regularizer, /)\n--\n\nA penalty on a variable, \"w\" or \"submodules/v0/w\", by text: \"l2(0.01)\". fit "
         "adds it to the loss; a "
         "loop of one's own adds penalty()."},
        {"constrain", module_constrain, METH_VARARGS,
         "constrain($self, name, constraint, /)\n--\n\nA bound of a variable by text, \"max_norm(2)\", which fit applies after each step."},
        {"penalty", module_penalty, METH_NOARGS, "penalty($self, /)\n--\n\nThe penalties of all regularizers of the network, a scalar."},
        {"variables", module_variables, METH_NOARGS, "variables($self, /)\n--\n\nAll variables: {path: array}."},
        {"buffers", module_buffers, METH_NOARGS, "buffers($self, /)\n--\n\nState that is not differentiated: {path: array}."},
        {"structure", module_structure, METH_NOARGS, "structure($self, /)\n--\n\nEverything below the module, as text."},
        {"summary", module_summary, METH_O,
         "summary($self, x, /)\n--\n\nA table of the modules that a call with x runs; nothing is computed."},
        {"adapt", module_adapt, METH_O,
         "adapt($self, x, /)\n--\n\nOf a layer that vinea.nn.normalization made: sets its mean and variance to those of the data."},
        {"value_and_grad", module_gradients, METH_O,
         "value_and_grad($self, fn, /)\n--\n\nThe loss that fn() computes by calling the module, and its gradients, for an optimizer's "
         "step."},
        {"evaluate", KEYWORDS(module_evaluate), METH_VARARGS | METH_KEYWORDS,
         "evaluate($self, x, y, /, *, batch=32, loss=None, metrics=None, allow_nonfinite=False)\n--\n\nLoss and metrics in evaluation "
         "mode: {name: number}."},
        {"predict", KEYWORDS(module_predict), METH_VARARGS | METH_KEYWORDS,
         "predict($self, x, batch=32, *, allow_nonfinite=False)\n--\n\nThe module's results for all rows of x, in evaluation mode, in "
         "batches."},
        {0},
    };
    static PyGetSetDef module_attributes[] = {
        {"training", module_training, NULL, "whether the module is in training mode", NULL}, {"_made", module_made, NULL, NULL, NULL}, {0}};
    static PyType_Slot module_slots[] = {
        {Py_tp_new, module_new}, {Py_tp_dealloc, module_free}, {Py_tp_methods, module_methods}, {Py_tp_getset, module_attributes}, {0}};
    static PyType_Spec module_spec = {"vinea._vinea.Module", sizeof(Module), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, module_slots};
    static PyMethodDef gradient_methods[] = {{"dict", gradients_dict, METH_NOARGS, "dict($self, /)\n--\n\n{path: array}"}, {0}};
    static PyType_Slot gradient_slots[] = {{Py_tp_dealloc, gradients_free},
                                           {Py_tp_methods, gradient_methods},
                                           {Py_tp_doc, "Gradients of a module's variables, for an optimizer's step."},
                                           {0}};
    static PyType_Spec gradient_spec = {"vinea.nn.Gradients", sizeof(Gradients), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                        gradient_slots};
    return add_type(module, &module_spec, &Module_type) || add_type(module, &gradient_spec, &Gradients_type) || optimizer_add_to(module)
               ? -1
               : 0;
}
