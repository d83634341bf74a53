/* SPDX-License-Identifier: Apache-2.0 */
/* training.c: fit, evaluate and predict of modules: datasets of arrays, callbacks, the history. */
#include "network.h"

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
            Py_BuildValue("{sssLsLsLsLsLsLsdsdsdsdsOsN}", "moment", moments[e->moment], "epoch", (long long)e->epoch, "epochs",
                          (long long)e->epochs, "batch", (long long)e->batch, "batches", (long long)e->batches, "step", (long long)e->step,
                          "rows", (long long)e->rows, "lr", e->lr, "seconds", e->seconds, "speed", e->speed, "left", e->left, "best",
                          e->best ? Py_True : Py_False, "scores", scores_of(e->scores, e->n_scores));
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
static vn_dataset *dataset_of(PyObject *x, PyObject *y, int allow_nonfinite)
{
    vn_array *rows = array_from(x, -1, COPY_IF_NEEDED), *target = !rows || y == Py_None ? VN_NONE : array_from(y, -1, COPY_IF_NEEDED);
    if (!rows || !target) return NULL;
    vn_dataset *d = vn_dataset_of(rows, target, VN_OPTS(dataset, .allow_nonfinite = allow_nonfinite));
    if (!d) raise_error();
    return d;
}

PyObject *module_fit(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"x",       "y",       "epochs",    "batch",    "validation", "validation_split", "optimizer", "loss",
                            "metrics", "seed",    "shuffle",   "patience", "monitor",    "checkpoint",       "best",      "resume",
                            "report",  "log_csv", "log_jsonl", "title",    "callbacks",  "allow_nonfinite",  NULL};
    PyObject *x, *y, *validation = Py_None, *optimizer = Py_None, *loss = Py_None, *watcher = Py_None;
    long long epochs = 10, batch = 32, patience = 0;
    unsigned long long seed = 0;
    int shuffle = 1, resume = 0, allow = 0;
    vn_fit_opts o = {.size = sizeof o};
    if (!keywords_known("fit", kwargs, names)) return NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$LLOdOOzKO&LzzzO&zzzzOO&:fit", names, &x, &y, &epochs, &batch, &validation,
                                     &o.validation_split, &optimizer, &loss, &o.metrics, &seed, flag_from, &shuffle, &patience, &o.monitor,
                                     &o.checkpoint, &o.best, flag_from, &resume, &o.report, &o.log_csv, &o.log_jsonl, &o.title, &watcher,
                                     flag_from, &allow))
        return NULL;
    if (optimizer != Py_None && Py_TYPE(optimizer) != Optim_type)
        return PyErr_Format(PyExc_TypeError, "fit: optimizer is made by vinea.nn, such as vinea.nn.adam(1e-3), not %R", optimizer), NULL;
    if (epochs < 1 || batch < 1) return PyErr_SetString(PyExc_ValueError, "fit: epochs and batch are at least 1"), NULL;
    o.epochs = epochs;
    o.batch = batch;
    o.patience = patience;
    o.seed = seed;
    o.no_shuffle = !shuffle;
    o.resume = resume;
    if (optimizer != Py_None) o.optim = ((Optim *)optimizer)->optim;
    if (PyUnicode_Check(loss)) o.loss = PyUnicode_AsUTF8AndSize(loss, NULL);
    else if (loss != Py_None) o.loss_fn = score, o.loss_user = loss;
    o.watch = watch;
    o.watch_user = watcher;
    PyObject *z = NULL;
    if (!engine_follow()) return NULL;
    vn_scope scope = vn_scope_begin();
    vn_dataset *data = dataset_of(x, y, allow);
    if (data && validation != Py_None) {
        if (!PyTuple_Check(validation) || PyTuple_Size(validation) != 2)
            PyErr_Format(PyExc_TypeError, "fit: validation is a tuple of two, (x, y), not %R", (PyObject *)Py_TYPE(validation));
        else o.validation = dataset_of(PyTuple_GetItem(validation, 0), PyTuple_GetItem(validation, 1), allow);
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

/* loss_of(text, prediction, target): a loss of the library's listing, such as "huber(0.5)"; metric_of likewise, a number. */
static PyObject *scored(PyObject *args, bool metric)
{
    const char *text;
    PyObject *p, *t;
    if (!PyArg_ParseTuple(args, "sO!O!", &text, Array_type, &p, Array_type, &t)) return NULL;
    vn_array *prediction = vn_keep(handle_of(p)), *target = vn_keep(handle_of(t)), *loss = NULL;
    double number = 0;
    vn_scope scope = vn_scope_begin();
    if (metric) UNLOCKED(number = vn_metric_of(text, prediction, target));
    else UNLOCKED(loss = vn_loss_of(text, prediction, target));
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
    vn_dataset *data = dataset_of(x, y, allow);
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
    vn_dataset *data = dataset_of(x, Py_None, allow);
    if (data) {
        vn_array *y;
        UNLOCKED(y = vn_predict(((Module *)self)->module, data, batch));
        z = y ? array_keep(y) : raise_error();
    }
    vn_scope_end(scope);
    return z;
}
