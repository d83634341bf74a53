/* SPDX-License-Identifier: Apache-2.0 */
/* optimizer.c: optimizers and schedules of the library as Python objects. vinea/nn.py makes them, and pickles them by their texts, options
 * and states. */
#include "network.h"
#include <math.h>

PyTypeObject *Optim_type;

typedef struct {
    PyObject_HEAD vn_schedule schedule;
    PyObject *made; /* (its name, the options that it was made with), for pickle */
} Schedule;
static PyTypeObject *Schedule_type;

PyObject *optim_new(vn_optim *scoped)
{
    if (!scoped) return raise_error();
    Optim *o = (Optim *)PyType_GenericAlloc(Optim_type, 0);
    if (o) o->optim = vn_optim_keep(scoped);
    return (PyObject *)o;
}

static void optim_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    vn_optim_drop(((Optim *)self)->optim);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* The loss as a function whose gradients by any p are the tree in data: p - p is 0, and adds nothing to it. */
typedef struct {
    vn_array *loss;
    const vn_tree *gradients;
} known;

static vn_array *known_loss(const vn_tree *p, void *data)
{
    const known *k = data;
    vn_array *loss = k->loss;
    for (int i = 0; i < vn_tree_leaves(p); i++) {
        vn_array *x = vn_tree_leaf(p, i), *g = vn_stop_gradient(vn_tree_leaf(k->gradients, i));
        loss = vn_add(loss, vn_real(vn_sum(vn_mul(vn_conj(g), vn_sub(x, vn_stop_gradient(x))), VN_ALL)));
    }
    return loss;
}

/* The gradients together with their loss, as vn_value_and_grad gives them; NULL raises. */
static vn_tree *with_loss(vn_tree *gradients, PyObject *loss)
{
    vn_array *x = array_from(loss, -1, COPY_IF_NEEDED);
    vn_tree *t = NULL;
    if (x) UNLOCKED(vn_value_and_grad(known_loss, gradients, &(known){vn_stop_gradient(x), gradients}, &t));
    return t;
}

/* The parameters of a step: those of a module, or a tree; NULL raises. */
static vn_tree *parameters_of(PyObject *p)
{
    if (!PyType_IsSubtype(Py_TYPE(p), Module_type)) return tree_from(p, false);
    vn_tree *t = vn_module_v(((Module *)p)->module);
    return t ? t : (raise_error(), NULL);
}

/* step(parameters, gradients, loss=None): a module and what value_and_grad gave, or two trees. The arrays get new values. */
static PyObject *optim_step(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", "", "loss", NULL};
    PyObject *p, *g, *loss = Py_None;
    int code;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$O:step", names, &p, &g, &loss) || !engine_follow()) return NULL;
    PyObject *z = NULL;
    vn_scope scope = vn_scope_begin();
    vn_tree *to = parameters_of(p);
    vn_tree *from = !to ? NULL : Py_TYPE(g) == Gradients_type ? ((Gradients *)g)->tree : tree_from(g, false);
    if (from && loss != Py_None) from = with_loss(from, loss);
    if (from) {
        UNLOCKED(code = vn_step(((Optim *)self)->optim, to, from));
        z = done(code);
    } else if (!PyErr_Occurred()) raise_error();
    vn_scope_end(scope);
    return z;
}

PyObject *leaves_of(const vn_tree *order, const vn_tree *t)
{
    PyObject *leaves = PyList_New(vn_tree_leaves(order));
    for (int k = 0; leaves && k < vn_tree_leaves(order); k++) {
        PyObject *x = array_keep(vn_tree_get(t, vn_tree_leaf_key(order, k)));
        if (x) PyList_SetItem(leaves, k, x);
        else Py_CLEAR(leaves);
    }
    return leaves;
}

vn_array *loss_of_leaves(const vn_tree *p, void *fn)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *leaves = leaves_of(p, p);
    vn_array *loss = callback_result(leaves ? PyObject_CallFunctionObjArgs(fn, leaves, NULL) : NULL);
    Py_XDECREF(leaves);
    PyGILState_Release(state);
    return loss;
}

/* _minimize(fn, parameters): one step by a loss, a function of the list of leaves; the loss before it. */
static PyObject *optim_minimize(PyObject *self, PyObject *args)
{
    PyObject *fn, *p, *z = NULL;
    vn_array *loss;
    if (!PyArg_ParseTuple(args, "OO:minimize", &fn, &p) || !engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(p, false);
    if (t) {
        UNLOCKED(loss = vn_optim_minimize(((Optim *)self)->optim, loss_of_leaves, t, fn));
        z = loss ? array_keep(loss) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}

/* _eval_params(parameters): the parameters of schedule_free that are to be used, as a list in the order of the leaves. */
static PyObject *optim_eval_params(PyObject *self, PyObject *p)
{
    vn_scope scope = vn_scope_begin();
    vn_tree *t = parameters_of(p), *used = NULL;
    if (t) UNLOCKED(used = vn_optim_eval_params(((Optim *)self)->optim, t));
    PyObject *leaves = used ? leaves_of(t, used) : t ? raise_error() : NULL;
    vn_scope_end(scope);
    return leaves;
}

static PyObject *loss_scale_get(PyObject *self, void *unused)
{
    (void)unused;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = array_keep(vn_optim_loss_scale(((Optim *)self)->optim)), *type, *message, *trace;
    vn_scope_end(scope);
    if (z || !PyErr_ExceptionMatches(PyExc_ValueError)) return z;
    PyErr_Fetch(&type, &message, &trace); /* other optimizers have no such attribute */
    PyErr_SetObject(PyExc_AttributeError, message);
    Py_XDECREF(type);
    Py_XDECREF(message);
    Py_XDECREF(trace);
    return NULL;
}

static PyObject *lr_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(vn_optim_lr(((Optim *)self)->optim));
}

static int lr_set(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    const double lr = value ? PyFloat_AsDouble(value) : -1;
    if (PyErr_Occurred()) return -1;
    return vn_optim_set_lr(((Optim *)self)->optim, lr) ? raise_error(), -1 : 0;
}

static PyObject *steps_get(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(vn_optim_steps(((Optim *)self)->optim));
}

/* The text that makes it again: "sgd(0.1, momentum=0.9)". Parts of compositions are given by it. */
static PyObject *optim_text(PyObject *self)
{
    vn_scope scope = vn_scope_begin();
    const char *text = vn_optim_text(((Optim *)self)->optim);
    PyObject *z = text ? PyUnicode_FromString(text) : raise_error();
    vn_scope_end(scope);
    return z;
}

/* configure(clip_norm=None, clip_value=None, accumulate=None, schedule=None, warm_up=0) */
static PyObject *optim_configure(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"clip_norm", "clip_value", "accumulate", "schedule", "warm_up", NULL};
    double norm = 0, value = 0;
    long long accumulate = 0, warm = 0;
    PyObject *schedule = Py_None;
    vn_optim *o = ((Optim *)self)->optim;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$ddLOL:configure", names, &norm, &value, &accumulate, &schedule, &warm)) return NULL;
    const bool by_text = PyUnicode_Check(schedule);
    if (schedule != Py_None && !by_text && !is_schedule(schedule))
        return PyErr_SetString(PyExc_TypeError, "configure: schedule is no schedule, nor the text of one"), NULL;
    if (by_text && warm)
        return PyErr_SetString(PyExc_ValueError, "configure: the warm-up of a text stands in it: \"warm_up(..., steps)\""), NULL;
    int code = norm != 0 ? vn_optim_clip_norm(o, norm) : VN_OK;
    if (!code && value != 0) code = vn_optim_clip_value(o, value);
    if (!code && accumulate) code = vn_optim_accumulate(o, accumulate);
    if (!code && by_text) {
        const char *text = PyUnicode_AsUTF8AndSize(schedule, NULL);
        if (!text) return NULL;
        code = vn_optim_schedule_text(o, text);
    } else if (!code && schedule != Py_None) {
        vn_schedule s = ((Schedule *)schedule)->schedule;
        code = vn_optim_schedule(o, warm ? vn_warm_up(s, warm) : s);
    }
    if (code) return raise_error();
    Optim *own = (Optim *)self;
    if (norm != 0) own->clip_norm = norm;
    if (value != 0) own->clip_value = value;
    if (accumulate) own->accumulate = accumulate;
    return Py_NewRef(self);
}

/* The arguments of configure that make another one like it; the schedule is part of the state. */
static PyObject *optim_settings(PyObject *self, void *unused)
{
    (void)unused;
    const Optim *o = (Optim *)self;
    return Py_BuildValue("{sdsdsL}", "clip_norm", o->clip_norm, "clip_value", o->clip_value, "accumulate", o->accumulate);
}

/* ---- state ---- */

PyObject *nested_dicts(const vn_tree *t)
{
    int n = 0;
    const char *const *keys = vn_tree_keys(t, &n);
    PyObject *d = keys ? PyDict_New() : raise_error();
    for (int k = 0; d && k < n; k++) {
        const vn_value v = vn_tree_if_exists(t, keys[k]);
        PyObject *x;
        if (v.kind == VN_V_ARRAY) x = array_keep(vn_alias(v.u.array));
        else if (v.kind == VN_V_TREE) x = nested_dicts(v.u.tree);
        else if (v.kind != VN_V_NUMBER) x = Py_NewRef(Py_None);
        else if (fabs(v.u.number) < 0x1p53 && v.u.number == floor(v.u.number)) x = PyLong_FromDouble(v.u.number);
        else x = PyFloat_FromDouble(v.u.number);
        if (!x || PyDict_SetItemString(d, keys[k], x)) Py_CLEAR(d);
        Py_XDECREF(x);
    }
    return d;
}

static PyObject *state_get(PyObject *self, void *unused)
{
    (void)unused;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = vn_optim_state(((Optim *)self)->optim);
    PyObject *d = t ? nested_dicts(t) : raise_error();
    vn_scope_end(scope);
    return d;
}

static int state_set(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (!value || !PyDict_Check(value)) return PyErr_SetString(PyExc_TypeError, "state is a dict, as the attribute gives it"), -1;
    vn_scope scope = vn_scope_begin();
    vn_tree *t = tree_from(value, true);
    if (t && vn_optim_set_state(((Optim *)self)->optim, t)) raise_error();
    vn_scope_end(scope);
    return PyErr_Occurred() ? -1 : 0;
}

/* optimizer(text): as vn_optim_parse. */
static PyObject *parsed(PyObject *module, PyObject *text)
{
    (void)module;
    const char *s = PyUnicode_AsUTF8AndSize(text, NULL);
    vn_scope scope = vn_scope_begin();
    PyObject *o = s ? optim_new(vn_optim_parse(s)) : NULL;
    vn_scope_end(scope);
    return o;
}

/* ---- schedules ---- */

bool is_schedule(PyObject *o)
{
    return Py_TYPE(o) == Schedule_type;
}

PyObject *schedule_new(const char *name, const vn_option *options, int n, PyObject *given)
{
    Schedule *s = (Schedule *)PyType_GenericAlloc(Schedule_type, 0);
    if (!s) return NULL;
    if (vn_schedule_make(name, options, n, &s->schedule)) raise_error();
    else if ((s->made = Py_BuildValue("(sO)", name, given))) return (PyObject *)s;
    Py_DECREF((PyObject *)s);
    return NULL;
}

static void schedule_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Schedule *)self)->made);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *schedule_made(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((Schedule *)self)->made);
}

static PyObject *schedule_at(PyObject *self, PyObject *args, PyObject *kwargs)
{
    long long step;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "L", &step)) return NULL;
    const double rate = vn_schedule_at(&((Schedule *)self)->schedule, step);
    return vn_status() ? raise_error() : PyFloat_FromDouble(rate);
}

int optimizer_add_to(PyObject *module)
{
    static PyMethodDef optim_methods[] = {
        {"step", KEYWORDS(optim_step), METH_VARARGS | METH_KEYWORDS,
         "step($self, parameters, gradients, /, *, loss=None)\n--\n\nOne step. A module and its gradients, or two trees; the arrays get "
         "new values. "
         "Optimizers that need the loss, such as momo, get it from a module's value_and_grad, or as loss."},
        {"_minimize", optim_minimize, METH_VARARGS, NULL},
        {"_eval_params", optim_eval_params, METH_O, NULL},
        {"configure", KEYWORDS(optim_configure), METH_VARARGS | METH_KEYWORDS,
         "configure($self, /, *, clip_norm=0.0, clip_value=0.0, accumulate=0, schedule=None, warm_up=0)\n--\n\nWhat all optimizers share; "
         "returns the optimizer."},
        {0},
    };
    static PyGetSetDef optim_attributes[] = {
        {"lr", lr_get, lr_set, "the learning rate of the next step", NULL},
        {"steps", steps_get, NULL, "the steps done", NULL},
        {"loss_scale", loss_scale_get, NULL,
         "what vinea.nn.loss_scale multiplies the loss by; fit and minimize do, before step it is your own", NULL},
        {"state", state_get, state_set,
         "slots, counts, learning rate and schedule, as nested dicts; another optimizer of the kind takes it: b.state = a.state", NULL},
        {"_settings", optim_settings, NULL, NULL, NULL},
        {0},
    };
    static PyType_Slot optim_slots[] = {{Py_tp_dealloc, optim_free},
                                        {Py_tp_methods, optim_methods},
                                        {Py_tp_getset, optim_attributes},
                                        {Py_tp_repr, optim_text},
                                        {Py_tp_doc, "An optimizer, with its state. Functions of vinea.nn make them: adam(1e-3)."},
                                        {0}};
    static PyType_Spec optim_spec = {"vinea.nn.Optimizer", sizeof(Optim), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                     optim_slots};
    static PyGetSetDef schedule_attributes[] = {{"_made", schedule_made, NULL, NULL, NULL}, {0}};
    static PyType_Slot schedule_slots[] = {{Py_tp_dealloc, schedule_free},
                                           {Py_tp_call, schedule_at},
                                           {Py_tp_getset, schedule_attributes},
                                           {Py_tp_doc, "A learning rate as a function of the step: schedule(step) is the rate. Functions "
                                                       "of vinea.nn make them: cosine(1e-3, steps=100)."},
                                           {0}};
    static PyType_Spec schedule_spec = {"vinea.nn.Schedule", sizeof(Schedule), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                        schedule_slots};
    static PyMethodDef functions[] = {{"optimizer", parsed, METH_O, NULL}, {0}};
    if (add_type(module, &optim_spec, &Optim_type) || add_type(module, &schedule_spec, &Schedule_type)) return -1;
    return PyModule_AddFunctions(module, functions);
}
