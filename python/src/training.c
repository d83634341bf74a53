/* SPDX-License-Identifier: Apache-2.0 */
/* training.c: fit, evaluate and predict of modules: datasets of arrays, callbacks, the history. */
#include "network.h"

#include <string.h>

static int add(PyObject *d, const char *key, PyObject *value)
{
    const int code = value ? PyDict_SetItemString(d, key, value) : -1;
    Py_XDECREF(value);
    return code;
}

static PyObject *scores_of(const vn_score *scores, int n)
{
    PyObject *d = PyDict_New();
    for (int k = 0; d && k < n; k++)
        if (add(d, scores[k].name, PyFloat_FromDouble(scores[k].value))) Py_CLEAR(d);
    return d;
}

/* fn(event) with a dict; something true stops the training, as does Ctrl-C. fn is None without a callback. */
static int watch(const vn_fit_event *e, void *fn)
{
    static const char *const moments[] = {"begin", "step", "epoch", "end"};
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = 1;
    if (PyErr_CheckSignals()) error_waits();
    else if (fn == Py_None) stop = error_is_waiting();
    else if (!error_is_waiting()) {
        PyObject *event =
            Py_BuildValue("{sssLsLsLsLsLsLsdsdsdsdsOsdsN}", "moment", moments[e->moment], "epoch", (long long)e->epoch, "epochs",
                          (long long)e->epochs, "batch", (long long)e->batch, "batches", (long long)e->batches, "step", (long long)e->step,
                          "rows", (long long)e->rows, "lr", e->lr, "seconds", e->seconds, "speed", e->speed, "left", e->left, "best",
                          e->best ? Py_True : Py_False, "loss", e->loss, "scores", scores_of(e->scores, e->n_scores));
        PyObject *z = event ? PyObject_CallFunctionObjArgs(fn, event, NULL) : NULL;
        stop = z ? PyObject_IsTrue(z) : 1;
        Py_XDECREF(event);
        Py_XDECREF(z);
        if (PyErr_Occurred()) error_waits();
    }
    PyGILState_Release(state);
    return stop;
}

static vn_array *score(vn_array *prediction, vn_array *target, void *fn)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *p = array_keep(prediction), *t = p ? array_keep(target) : NULL;
    vn_array *y = callback_result(t ? PyObject_CallFunctionObjArgs(fn, p, t, NULL) : NULL);
    Py_XDECREF(p);
    Py_XDECREF(t);
    PyGILState_Release(state);
    return y;
}

static PyObject *history_of(const vn_fit_result *r)
{
    PyObject *list = PyList_New(0);
    for (int64_t k = 0; list && k < r->n_history; k++) {
        PyObject *d = scores_of(r->history[k].scores, r->history[k].n_scores);
        if (!d || add(d, "epoch", PyLong_FromLongLong(r->history[k].epoch)) || add(d, "lr", PyFloat_FromDouble(r->history[k].lr)) ||
            PyList_Append(list, d))
            Py_CLEAR(list);
        Py_XDECREF(d);
    }
    return Py_BuildValue("{sssLsLsLsdsN}", "stop", vn_fit_stop_name(r->stop), "epochs", (long long)r->epochs, "steps", (long long)r->steps,
                         "best_epoch", (long long)r->best_epoch, "best", r->best, "history", list);
}

/* The rows of a dataset from objects; belongs to the scope. NULL raises. */
static vn_dataset *dataset_of(PyObject *x, PyObject *y, PyObject *weights, int allow_nonfinite)
{
    vn_array *rows = array_from(x, -1, COPY_IF_NEEDED), *target = !rows || y == Py_None ? VN_NONE : array_from(y, -1, COPY_IF_NEEDED);
    vn_array *w = target && weights != Py_None ? array_from(weights, -1, COPY_IF_NEEDED) : NULL;
    if (!rows || !target || (weights != Py_None && !w)) return NULL;
    vn_dataset *d = vn_dataset_of(rows, target, VN_OPTS(dataset, .allow_nonfinite = allow_nonfinite, .weights = w));
    if (!d) raise_error();
    return d;
}

/* A weight for each class, read into the scope's memory. */
static bool class_weights(PyObject *given, vn_fit_opts *o)
{
    vn_array *w = array_from(given, -1, COPY_IF_NEEDED);
    if (!w) return false;
    if (vn_rank(w) != 1)
        return PyErr_Format(PyExc_ValueError, "fit: class_weights has %d axes; one number for each class is needed", vn_rank(w)), false;
    o->n_class_weights = (int)vn_size(w);
    w = vn_cast(w, VN_F64);
    if (!w || !(o->class_weights = vn_data(w))) return raise_error(), false;
    return true;
}

/* The options of fit that are numbers, flags and texts. */
typedef enum { COUNT, WHOLE, NUMBER, FLAG, TEXT } kind;
static const struct {
    const char *name;
    kind kind;
    size_t offset;
} fit_options[] = {
#define FIT_OPTION(kind, name, where) {#name, kind, offsetof(vn_fit_opts, name)},
#include "train/fit.def"
#undef FIT_OPTION
};
enum { N_FIT_OPTIONS = sizeof fit_options / sizeof *fit_options };

/* In Python a flag is never negative: shuffle=False instead of no_shuffle. */
static bool is_negative(int k)
{
    return fit_options[k].kind == FLAG && !strncmp(fit_options[k].name, "no_", 3);
}

static const char *fit_option_name(int k)
{
    return fit_options[k].name + (is_negative(k) ? 3 : 0);
}

static bool fit_option_from(PyObject *v, int k, vn_fit_opts *o)
{
    const char *name = fit_option_name(k);
    void *to = (char *)o + fit_options[k].offset;
    char what[64];
    snprintf(what, sizeof what, "fit: %s", name);
    if (fit_options[k].kind == FLAG) {
        if (!flag_named("fit", name, v, to)) return false;
        if (is_negative(k)) *(int *)to = !*(int *)to;
    } else if (fit_options[k].kind == NUMBER) {
        *(double *)to = PyFloat_AsDouble(v);
        if (PyErr_Occurred()) return PyErr_Format(PyExc_TypeError, "%s: a number is needed, not %R", what, v), false;
    } else if (fit_options[k].kind == TEXT) {
        Py_ssize_t size = 0;
        const char *text = v == Py_None ? NULL : PyUnicode_Check(v) ? PyUnicode_AsUTF8AndSize(v, &size) : NULL;
        if (v != Py_None && !PyUnicode_Check(v)) return PyErr_Format(PyExc_TypeError, "%s: a text is needed, not %R", what, v), false;
        if (v != Py_None && !text) return false;
        if (text && strlen(text) != (size_t)size)
            return PyErr_Format(PyExc_ValueError, "%s: the text contains a null character", what), false;
        *(const char **)to = text;
    } else {
        if (!int_from(v, what, to)) return false;
        if (fit_options[k].kind == COUNT && *(int64_t *)to < 1)
            return PyErr_Format(PyExc_ValueError, "%s is %R; at least 1 is needed", what, v), false;
    }
    return true;
}

/* What remains of the arguments by name after those options, a new dict. NULL raises. */
static PyObject *take_fit_options(PyObject *kwargs, char *const *others, vn_fit_opts *o)
{
    char *names[N_FIT_OPTIONS + 16] = {others[0], others[1]};
    int n = 2;
    for (int k = 0; k < N_FIT_OPTIONS; k++) names[n++] = (char *)fit_option_name(k);
    for (int k = 2; others[k]; k++) names[n++] = others[k];
    PyObject *rest = !keywords_known("fit", kwargs, names) ? NULL : kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    for (int k = 0; rest && k < N_FIT_OPTIONS; k++) {
        PyObject *v = PyDict_GetItemString(rest, fit_option_name(k));
        if (v && (!fit_option_from(v, k, o) || PyDict_DelItemString(rest, fit_option_name(k)))) Py_CLEAR(rest);
    }
    return rest;
}

PyObject *module_fit(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {
        "x", "y", "validation", "optimizer", "loss", "seed", "watch", "allow_nonfinite", "sample_weights", "class_weights", NULL};
    PyObject *x, *y, *validation = Py_None, *optimizer = Py_None, *loss = Py_None, *watcher = Py_None, *rows = Py_None, *classes = Py_None;
    PyObject *nonfinite = NULL;
    unsigned long long seed = 0;
    int allow = 0;
    vn_fit_opts o = {.size = sizeof o};
    PyObject *rest = take_fit_options(kwargs, names, &o);
    if (!rest) return NULL;
    const int parsed = PyArg_ParseTupleAndKeywords(args, rest, "OO|$OOOKOOOO:fit", names, &x, &y, &validation, &optimizer, &loss, &seed,
                                                   &watcher, &nonfinite, &rows, &classes);
    Py_DECREF(rest); /* kwargs has them all */
    if (!parsed || !flag_named("fit", "allow_nonfinite", nonfinite, &allow)) return NULL;
    if (optimizer != Py_None && Py_TYPE(optimizer) != Optim_type)
        return PyErr_Format(PyExc_TypeError, "fit: optimizer is made by vinea.nn, such as vinea.nn.adam(1e-3), not %R", optimizer), NULL;
    o.seed = seed;
    if (optimizer != Py_None) o.optim = ((Optim *)optimizer)->optim;
    if (PyUnicode_Check(loss)) o.loss = PyUnicode_AsUTF8AndSize(loss, NULL);
    else if (loss != Py_None) o.loss_fn = score, o.loss_user = loss;
    o.watch = watch;
    o.watch_user = watcher;
    PyObject *z = NULL;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_dataset *data = dataset_of(x, y, rows, allow);
    if (data && classes != Py_None && !class_weights(classes, &o)) data = NULL;
    if (data && validation != Py_None) {
        if (!PyTuple_Check(validation) || PyTuple_Size(validation) != 2)
            PyErr_Format(PyExc_TypeError, "fit: validation is a tuple of two, (x, y), not %R", (PyObject *)Py_TYPE(validation));
        else o.validation = dataset_of(PyTuple_GetItem(validation, 0), PyTuple_GetItem(validation, 1), Py_None, allow);
    }
    if (data && !PyErr_Occurred()) {
        vn_fit_result result = {.size = sizeof result};
        int code;
        UNLOCKED(code = vn_fit(((Module *)self)->module, data, &o, &result));
        z = code || error_is_waiting() ? raise_error() : history_of(&result);
    }
    vn_scope_end(scope);
    return z;
}

static PyObject *numbers_of(const double *x, int64_t n)
{
    PyObject *list = PyList_New(0);
    for (int64_t k = 0; list && k < n; k++) {
        PyObject *number = PyFloat_FromDouble(x[k]);
        if (!number || PyList_Append(list, number)) Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

PyObject *module_find_lr(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"x", "y", "start", "stop", "steps", "batch", "seed", "optimizer", "loss", NULL};
    PyObject *x, *y, *optimizer = Py_None, *loss = Py_None, *z = NULL;
    long long steps = 0, batch = 0;
    unsigned long long seed = 0;
    vn_find_lr_opts o = {.size = sizeof o};
    if (!keywords_known("find_lr", kwargs, names)) return NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$ddLLKOO:find_lr", names, &x, &y, &o.from, &o.to, &steps, &batch, &seed, &optimizer,
                                     &loss))
        return NULL;
    if (optimizer != Py_None && Py_TYPE(optimizer) != Optim_type)
        return PyErr_Format(PyExc_TypeError, "find_lr: optimizer is made by vinea.nn, such as vinea.nn.adam(1e-3), not %R", optimizer),
               NULL;
    if (optimizer != Py_None) o.optim = ((Optim *)optimizer)->optim;
    if (PyUnicode_Check(loss)) o.loss = PyUnicode_AsUTF8AndSize(loss, NULL);
    else if (loss != Py_None) o.loss_fn = score, o.loss_user = loss;
    o.steps = steps;
    o.batch = batch;
    o.seed = seed;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_dataset *data = dataset_of(x, y, Py_None, 0);
    if (data) {
        vn_lr_found found = {.size = sizeof found};
        int code;
        UNLOCKED(code = vn_find_lr(((Module *)self)->module, data, &o, &found));
        z = code || error_is_waiting()
                ? raise_error()
                : Py_BuildValue("{sNsNsNsdsd}", "rates", numbers_of(found.rates, found.n), "losses", numbers_of(found.losses, found.n),
                                "smooth", numbers_of(found.smooth, found.n), "suggested", found.suggested, "least", found.least);
    }
    vn_scope_end(scope);
    return z;
}

/* regularize(name, text), constrain(name, text): a penalty or bound of a variable, as vn_module_regularize and vn_module_constrain. */
PyObject *module_regularize(PyObject *self, PyObject *args)
{
    const char *name, *text;
    vn_regularizer r;
    if (!PyArg_ParseTuple(args, "ss:regularize", &name, &text)) return NULL;
    return vn_regularizer_parse(text, &r) || vn_module_regularize(((Module *)self)->module, name, r) ? raise_error() : Py_NewRef(self);
}
PyObject *module_constrain(PyObject *self, PyObject *args)
{
    const char *name, *text;
    vn_constraint c;
    if (!PyArg_ParseTuple(args, "ss:constrain", &name, &text)) return NULL;
    return vn_constraint_parse(text, &c) || vn_module_constrain(((Module *)self)->module, name, c) ? raise_error() : Py_NewRef(self);
}
PyObject *module_penalty(PyObject *self, PyObject *unused)
{
    (void)unused;
    vn_scope scope = vn_scope_begin();
    vn_array *x = vn_module_penalty(((Module *)self)->module);
    PyObject *z = x ? array_keep(x) : raise_error();
    vn_scope_end(scope);
    return z;
}

/* loss_of(text, prediction, target): a loss of the library's listing, such as "huber(0.5)"; metric_of likewise, a number. */
static PyObject *scored(PyObject *args, bool metric)
{
    const char *text;
    PyObject *p, *t;
    if (!PyArg_ParseTuple(args, "sO!O!", &text, Array_type, &p, Array_type, &t)) return NULL;
    vn_array *prediction = vn_keep(handle_of(p)), *target = vn_keep(handle_of(t)), *loss = NULL;
    double number = 0;
    vn_scope scope = vn_scope_begin();
    const int before = vn_check_positions(1); /* class numbers outside are an error, as in functions of ops */
    if (metric) UNLOCKED(number = vn_metric_of(text, prediction, target));
    else UNLOCKED(loss = vn_loss_of(text, prediction, target));
    if (!before) vn_check_positions(0);
    PyObject *z = vn_status() ? raise_error() : metric ? PyFloat_FromDouble(number) : array_keep(loss);
    vn_scope_end(scope);
    vn_drop(prediction);
    vn_drop(target);
    return z;
}

static PyObject *loss_of(PyObject *module, PyObject *args)
{
    (void)module;
    return scored(args, false);
}

static PyObject *metric_of(PyObject *module, PyObject *args)
{
    (void)module;
    return scored(args, true);
}

int training_add_to(PyObject *module)
{
    static PyMethodDef functions[] = {{"loss_of", loss_of, METH_VARARGS, NULL}, {"metric_of", metric_of, METH_VARARGS, NULL}, {0}};
    return PyModule_AddFunctions(module, functions);
}

PyObject *module_evaluate(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"x", "y", "batch", "loss", "metrics", "allow_nonfinite", NULL};
    PyObject *x, *y, *z = NULL;
    long long batch = 32;
    int allow = 0;
    vn_evaluate_opts o = {.size = sizeof o};
    if (!keywords_known("evaluate", kwargs, names)) return NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$LzzO&:evaluate", names, &x, &y, &batch, &o.loss, &o.metrics, flag_from, &allow))
        return NULL;
    o.batch = batch;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_dataset *data = dataset_of(x, y, Py_None, allow);
    if (data) {
        vn_evaluation result = {.size = sizeof result};
        int code;
        UNLOCKED(code = vn_evaluate(((Module *)self)->module, data, &o, &result));
        z = code ? raise_error() : scores_of(result.scores, result.n_scores);
    }
    vn_scope_end(scope);
    return z;
}

PyObject *module_predict(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"x", "batch", "allow_nonfinite", NULL};
    PyObject *x, *z = NULL;
    long long batch = 0;
    int allow = 0;
    if (!keywords_known("predict", kwargs, names)) return NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|L$O&:predict", names, &x, &batch, flag_from, &allow) || !engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_dataset *data = dataset_of(x, Py_None, Py_None, allow);
    if (data) {
        vn_array *y;
        UNLOCKED(y = vn_predict(((Module *)self)->module, data, batch));
        z = y ? array_keep(y) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}
