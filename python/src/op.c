/* SPDX-License-Identifier: Apache-2.0 */
/* op.c: the functions of the package, made from the run-time listing of the op table. Nothing here knows what an op does.
 *
 * A function's parameters are the op's inputs followed by its options. The key of an op that samples random numbers comes last and may be
 * left out: the thread's next key is taken. */
#include "binding.h"
#include <string.h>

enum { MAX_PARAMETERS = 64 }; /* parameters of one op */

typedef struct {
    PyObject *name; /* interned */
    int input;      /* the number of the input, or -1 */
    int option;     /* the number of the option, or -1 */
    bool required;
} parameter;

typedef struct {
    PyObject_HEAD PyMethodDef def;
    const vn_op_info *info;
    const char *family; /* of an object that the function makes; NULL: it calls an op */
    char engine[64];    /* where arrays are made if no argument says; "": the engine in use */
    PyObject *result;   /* makes a result out of several arrays; NULL: only one */
    int n;
    parameter *params;
} function; /* what a function object is bound to; it lives as long as the process */

static PyTypeObject *Function_type;
static vn_op_info *table; /* all rows */
static int n_rows;

const vn_op_info *op_named(const char *name)
{
    const int k = vn_op_number(name);
    return k < 0 ? NULL : &table[k];
}

int op_call(const vn_op_info *op, int n, vn_array *const *in, int n_options, const vn_option *options, int n_out, vn_array **out)
{
    int code;
    UNLOCKED(code = vn_call_number((int)(op - table), in, n, options, n_options, out, n_out));
    return code;
}

int op_record(const vn_op_info *op, int n, vn_array *const *in, vn_array **out)
{
    const int number = (int)(op - table);
    if (vn_call_is_short(number)) return vn_call_number(number, in, n, NULL, 0, out, 1);
    for (int k = 0; k < n; k++) vn_keep(in[k]); /* another thread could assign to an array meanwhile */
    const int code = op_call(op, n, in, 0, NULL, 1, out);
    for (int k = 0; k < n; k++) vn_drop(in[k]);
    return code;
}

/* ---- calls from C ---- */

vn_array *call_op(const char *op, int n, vn_array *const *in, int n_options, const vn_option *options)
{
    vn_array *out = NULL;
    UNLOCKED(vn_call(op, in, n, options, n_options, &out, 1));
    return out;
}

vn_array *cast_to(vn_array *x, int dtype)
{
    return (int)vn_dtype_of(x) == dtype ? x : call_op("cast", 1, &x, 1, &INT("dtype", dtype));
}

/* ---- inputs ---- */

/* What an array of a dtype that the op does not take is cast to. */
static int taken_as(const vn_op_info *op, int dtype)
{
    if (VN_BIT(dtype) & op->dtypes || dtype >= VN_F16) return dtype;
    if (dtype == VN_BOOL && op->dtypes & VN_BIT(VN_I64)) return VN_I64;
    return op->dtypes & VN_BIT(VN_F32) ? VN_F32 : dtype;
}

static bool take_arrays(const vn_op_info *op, int n, PyObject *const *given, vn_array **in, const char *engine)
{
    const char *home = NULL;
    for (int k = 0; k < n && !home; k++)
        if (is_array(given[k])) home = vn_engine_of(handle_of(given[k]));
    for (int k = 0; k < n; k++) {
        in[k] = NULL;
        if (is_array(given[k])) in[k] = held_of(given[k]);
        else if (given[k] == Py_None) {
            if (k < op->n_required) return PyErr_Format(PyExc_TypeError, "%s: %s must not be None", op->name, op->inputs[k]), false;
            in[k] = VN_NONE;
        } else if (!is_number(given[k])) {
            in[k] = array_from(given[k], -1, COPY_IF_NEEDED);
            if (in[k]) in[k] = array_on(in[k], home ? home : engine);
            if (!in[k]) return false;
        }
    }
    return true;
}

bool inputs_from(const vn_op_info *op, int n, PyObject *const *given, vn_array **in, const char *engine)
{
    if (!take_arrays(op, n, given, in, engine)) return false;
    const bool random = op->traits & VN_OP_RANDOM; /* the result's dtype is an option */
    vn_array *widest = NULL;                       /* the array whose dtype numbers take */
    bool all = true;                               /* no array has a dtype that the op takes */
    for (int k = 0; k < n; k++) {
        if (!in[k] || given[k] == Py_None) continue;
        if (!widest || vn_dtype_of(in[k]) > vn_dtype_of(widest)) widest = in[k];
        all &= !(VN_BIT(vn_dtype_of(in[k])) & op->dtypes);
    }
    for (int k = 0; k < n && widest && all; k++) {
        if (!in[k] || given[k] == Py_None) continue;
        vn_array *cast = cast_to(in[k], taken_as(op, vn_dtype_of(in[k])));
        if (!cast) return raise_error(), false;
        if (in[k] == widest) widest = cast;
        in[k] = cast;
    }
    for (int k = 0; k < n; k++) {
        if (in[k]) continue;
        if (widest) in[k] = number_beside(given[k], widest);
        else if (random) in[k] = PyLong_Check(given[k]) && !(op->dtypes & VN_INEXACT) ? weak_integer(given[k]) : weak_float(given[k]);
        else in[k] = number_from(given[k], -1);
        if (in[k] && !widest && !random) in[k] = cast_to(in[k], taken_as(op, vn_dtype_of(in[k])));
        if (!in[k]) return PyErr_Occurred() ? false : (raise_error(), false);
    }
    return true;
}

/* Whether a Python integer is given that no integer array beside it holds. */
static bool is_beyond(int n, PyObject *const *given)
{
    bool beyond = false;
    for (int k = 0; k < n && !beyond; k++) {
        if (!given[k] || !PyLong_Check(given[k])) continue;
        for (int j = 0; j < n; j++) {
            const int dtype = given[j] && is_array(given[j]) ? (int)vn_dtype_of(handle_of(given[j])) : VN_BOOL;
            if (!(VN_BIT(dtype) & VN_INTS)) continue;
            beyond = !check_range(given[k], dtype);
            PyErr_Clear();
            if (!beyond) break;
        }
    }
    return beyond;
}

PyObject *raise_call(int n, PyObject *const *given)
{
    const bool beyond = vn_status() == VN_E_DTYPE && is_beyond(n, given);
    raise_error();
    if (!beyond) return NULL;
    PyObject *type, *message, *trace;
    PyErr_Fetch(&type, &message, &trace);
    PyErr_SetObject(PyExc_OverflowError, message);
    Py_XDECREF(type);
    Py_XDECREF(message);
    Py_XDECREF(trace);
    return NULL;
}

/* ---- options ---- */

static bool is_type(const vn_op_option *o, const char *type)
{
    return !strcmp(o->type, type);
}

/* The option in C; lists are written to room. False raises. */
static bool option_from(const vn_op_info *op, const vn_op_option *o, PyObject *given, vn_option *to, int64_t *room)
{
    *to = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
    switch (o->kind) {
    case VN_OPT_INTS:
        to->n = ints_from(given, o->name, room);
        to->u.is = room;
        return to->n >= 0;
    case VN_OPT_FLOAT:
        if (is_type(o, "number") && PyLong_Check(given)) { /* stays exact */
            int high = 0;
            to->kind = VN_OPT_INT;
            to->u.i = PyLong_AsLongLongAndOverflow(given, &high);
            if (high > 0) {
                to->kind = VN_OPT_UINT;
                to->u.i = (int64_t)PyLong_AsUnsignedLongLong(given);
            } else if (high < 0) PyErr_Format(PyExc_OverflowError, "%s: %s is below -2^63", op->name, o->name);
        } else if (PyNumber_Check(given)) to->u.f = PyFloat_AsDouble(given);
        else if (is_schedule(given))
            PyErr_Format(PyExc_TypeError, "%s: %s is a number; %s(...).configure(schedule=...) sets a schedule", op->name, o->name,
                         op->name);
        else PyErr_Format(PyExc_TypeError, "%s: %s is a number, not %R", op->name, o->name, given);
        break;
    case VN_OPT_STRING:
        to->u.s = PyUnicode_Check(given) ? PyUnicode_AsUTF8AndSize(given, NULL) : NULL;
        if (to->u.s) return true;
        PyErr_Format(PyExc_TypeError, "%s: %s is a text, not %R", op->name, o->name, given);
        return false;
    default:
        if (is_type(o, "dtype")) to->u.i = dtype_of(given);
        else if (is_type(o, "flag")) {
            int flag = 0;
            flag_named(op->name, o->name, given, &flag);
            to->u.i = flag;
        } else return int_from(given, o->name, &to->u.i);
    }
    return !PyErr_Occurred();
}

/* ---- the call ---- */

static int find_parameter(const function *f, PyObject *name)
{
    for (int k = 0; k < f->n; k++)
        if (f->params[k].name == name) return k;
    for (int k = 0; k < f->n; k++)
        if (!PyUnicode_Compare(f->params[k].name, name)) return k;
    /* The standard has both spellings; a list of axes answers to either. */
    for (int k = 0; k < f->n; k++) {
        const vn_op_option *o = f->params[k].option < 0 ? NULL : &f->info->options[f->params[k].option];
        if (o && o->kind == VN_OPT_INTS && !strcmp(o->name, "axes") &&
            (!PyUnicode_CompareWithASCIIString(name, "axis") || !PyUnicode_CompareWithASCIIString(name, "axes")))
            return k;
    }
    return -1;
}

/* The name that was meant, as difflib compares them; NULL if none is near. A new reference. */
static PyObject *nearest(PyObject *name, PyObject *names)
{
    PyObject *difflib = PyImport_ImportModule("difflib");
    PyObject *near = difflib ? PyObject_CallMethod(difflib, "get_close_matches", "OOi", name, names, 1) : NULL;
    PyObject *first = near && PyList_Size(near) > 0 ? Py_NewRef(PyList_GetItem(near, 0)) : NULL;
    Py_XDECREF(near);
    Py_XDECREF(difflib);
    PyErr_Clear();
    return first;
}

/* "sum() has no argument 'axs'; possible are axis, dtype, keepdims; did you mean 'axis'?" A new reference; NULL raises. */
static PyObject *no_argument(const char *op, PyObject *name, PyObject *names)
{
    PyObject *comma = PyUnicode_FromString(", "), *all = comma ? PyUnicode_Join(comma, names) : NULL;
    PyObject *near = all ? nearest(name, names) : NULL;
    PyObject *meant = near ? PyUnicode_FromFormat("; did you mean %R?", near) : PyUnicode_FromString("");
    PyObject *text = all && meant ? PyUnicode_FromFormat("%s() has no argument %R; possible are %U%U", op, name, all, meant) : NULL;
    Py_XDECREF(meant);
    Py_XDECREF(near);
    Py_XDECREF(all);
    Py_XDECREF(comma);
    return text;
}

/* no_argument(function, name, [possible ones]): the message for functions written in Python. */
static PyObject *describe_no_argument(PyObject *module, PyObject *args)
{
    (void)module;
    const char *op;
    PyObject *name, *names;
    return PyArg_ParseTuple(args, "sUO!", &op, &name, &PyList_Type, &names) ? no_argument(op, name, names) : NULL;
}

static void raise_no_argument(const function *f, PyObject *name)
{
    PyObject *names = PyList_New(0);
    bool good = names;
    for (int k = 0; k < f->n && good; k++) good = !PyList_Append(names, f->params[k].name);
    PyObject *text = good ? no_argument(f->def.ml_name, name, names) : NULL;
    if (text) PyErr_SetObject(PyExc_TypeError, text);
    Py_XDECREF(text);
    Py_XDECREF(names);
}

bool keywords_known(const char *of, PyObject *kwargs, char *const *names)
{
    PyObject *known = PyList_New(0), *name, *unused, *text = NULL;
    Py_ssize_t at = 0;
    bool good = known;
    for (int k = 0; good && names[k]; k++) {
        PyObject *s = PyUnicode_FromString(names[k]);
        good = s && !PyList_Append(known, s);
        Py_XDECREF(s);
    }
    while (good && kwargs && PyDict_Next(kwargs, &at, &name, &unused)) {
        const int found = PySequence_Contains(known, name);
        if (found > 0) continue;
        if (!found && (text = no_argument(of, name, known))) PyErr_SetObject(PyExc_TypeError, text);
        good = false;
    }
    Py_XDECREF(text);
    Py_XDECREF(known);
    return good;
}

/* What NumPy's functions pass when they call methods, numpy.mean(x): nothing by name. */
static bool is_numpys(PyObject *name)
{
    return !PyUnicode_CompareWithASCIIString(name, "out") || !PyUnicode_CompareWithASCIIString(name, "dtype");
}

/* The argument of every parameter, NULL where none is given. False raises. */
static bool bind(const function *f, PyObject *const *args, Py_ssize_t n, PyObject *names, PyObject **given)
{
    const char *op = f->def.ml_name;
    if (n > f->n) return PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments, %zd were given", op, f->n, n), false;
    for (int k = 0; k < f->n; k++) given[k] = k < n ? args[k] : NULL;
    const Py_ssize_t n_names = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t j = 0; j < n_names; j++) {
        PyObject *name = PyTuple_GetItem(names, j);
        const int k = find_parameter(f, name);
        if (k < 0 && args[n + j] == Py_None && is_numpys(name)) continue;
        if (k < 0) return raise_no_argument(f, name), false;
        if (given[k]) return PyErr_Format(PyExc_TypeError, "%s() got several values for %R", op, name), false;
        given[k] = args[n + j];
    }
    for (int k = 0; k < f->n; k++)
        if (!given[k] && f->params[k].required) return PyErr_Format(PyExc_TypeError, "%s() needs %R", op, f->params[k].name), false;
    return true;
}

/* Takes over the arrays. */
static PyObject *results(const function *f, int n, vn_array *const *out)
{
    if (n == 1) return array_new(out[0]);
    PyObject *all = PyTuple_New(n);
    for (int k = 0; k < n; k++) {
        PyObject *z = all ? array_new(out[k]) : NULL;
        if (!all) vn_drop(out[k]);
        else if (z) PyTuple_SetItem(all, k, z);
        else Py_CLEAR(all);
    }
    if (!all || !f->result) return all;
    PyObject *named = PyObject_CallObject(f->result, all);
    Py_DECREF(all);
    return named;
}

/* Inputs of an op that takes any number of arrays: one argument, an iterable, whose items may be made on the way; *kept keeps them until
 * the caller drops it. Returns their number; -1 raises. */
static int list_inputs(const function *f, PyObject *given, vn_array ***in, PyObject **kept)
{
    PyObject *list = *kept = PySequence_Tuple(given);
    const Py_ssize_t n = list ? PyTuple_Size(list) : -1;
    PyObject **items = n > 0 ? PyMem_Malloc((size_t)n * sizeof *items) : NULL;
    *in = n > 0 ? PyMem_Malloc((size_t)n * sizeof **in) : NULL;
    bool good = n > 0 && n < INT32_MAX && items && *in;
    if (n == 0) PyErr_Format(PyExc_ValueError, "%s: at least one array is needed", f->def.ml_name);
    else if (n > 0 && !good) PyErr_NoMemory();
    for (Py_ssize_t k = 0; k < n && good; k++) items[k] = PyTuple_GetItem(list, k);
    good = good && inputs_from(f->info, (int)n, items, *in, f->engine[0] ? f->engine : NULL);
    PyMem_Free(items);
    return good ? (int)n : -1;
}

static bool take_key(const function *f, vn_array **to)
{
    if (capturing) {
        PyErr_Format(PyExc_RuntimeError, "%s: inside a captured function random numbers need a key, which is one of its inputs",
                     f->def.ml_name);
        return false;
    }
    *to = vn_random_key();
    return *to || (raise_error(), false);
}

/* A key that was given: as it is, because the op's dtypes are those of its other inputs. */
static bool key_from(const vn_op_info *op, PyObject *given, vn_array **to)
{
    if (!take_arrays(op, 1, &given, to, NULL)) return false;
    if (!*to) PyErr_Format(PyExc_TypeError, "%s: key is a number; vinea.random.key makes a key of it", op->name);
    return *to != NULL;
}

/* The inputs that a fixed number of parameters stand for; -1 raises. */
static int plain_inputs(const function *f, PyObject *const *given, vn_array **in)
{
    PyObject *items[MAX_PARAMETERS];
    const vn_op_info *op = f->info;
    int n = op->n_inputs;
    const bool random = op->traits & VN_OP_RANDOM;
    for (int k = 0; k < f->n; k++)
        if (f->params[k].input >= 0) items[f->params[k].input] = given[k] ? given[k] : Py_None;
    if (!inputs_from(op, n - random, items + random, in + random, f->engine[0] ? f->engine : NULL)) return -1;
    if (random && items[0] == Py_None && !take_key(f, &in[0])) return -1;
    if (random && items[0] != Py_None && !key_from(op, items[0], &in[0])) return -1;
    return n;
}

/* The arguments of a call by name; NULL raises. */
static PyObject *by_name(const function *f, PyObject *const *given)
{
    PyObject *d = PyDict_New();
    for (int k = 0; d && k < f->n; k++)
        if (given[k] && PyDict_SetItem(d, f->params[k].name, given[k])) Py_CLEAR(d);
    return d;
}

static PyObject *make_by(const function *f, PyObject *const *given, const vn_option *options, int n)
{
    PyObject *names = by_name(f, given), *made = names ? make_object(f->family, f->info->name, options, n, names) : NULL;
    Py_XDECREF(names);
    return made;
}

static PyObject *run(const function *f, PyObject *const *given)
{
    const vn_op_info *op = f->info;
    vn_array *few[MAX_PARAMETERS], **in = few, *out[16] = {NULL};
    vn_option options[MAX_PARAMETERS];
    int64_t room[8][VN_MAX_RANK];
    int n_options = 0, lists = 0;
    for (int k = 0; k < f->n; k++) {
        if (f->params[k].option < 0 || !given[k]) continue;
        const vn_op_option *o = &op->options[f->params[k].option];
        if (given[k] == Py_None && o->fallback) continue;
        if (!option_from(op, o, given[k], &options[n_options++], room[lists])) return NULL;
        lists += o->kind == VN_OPT_INTS && lists < 7;
    }
    if (f->family) return make_by(f, given, options, n_options);
    PyObject *z = NULL, *kept = NULL;
    const int n = op->any_number ? list_inputs(f, given[0], &in, &kept) : plain_inputs(f, given, in);
    if (n >= 0) {
        const int before = vn_check_positions(1); /* as x[7]: positions outside are an error, not NaN */
        const int code = op_call(op, n, in, n_options, options, op->n_outputs, out);
        if (!before) vn_check_positions(0);
        z = code ? raise_call(f->n, given) : results(f, op->n_outputs, out);
    }
    if (in != few) PyMem_Free(in);
    Py_XDECREF(kept);
    return z;
}

static PyObject *called(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    const function *f = (function *)self;
    PyObject *given[MAX_PARAMETERS];
    engine_use use;
    if (!bind(f, args, n, names, given)) return NULL;
    const bool beside = !f->engine[0] && n && is_array(args[0]); /* an array says where the others go */
    if (beside) use.changed = false;
    else if (!engine_enter(&use, f->engine[0] ? f->engine : NULL)) return NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = run(f, given);
    if (!z && !f->family && f->n == 2) z = compare_again(f->info, given[0], given[1], f->engine[0] ? f->engine : NULL);
    vn_scope_end(scope);
    engine_leave(&use);
    return z;
}

/* ---- making functions ---- */

/* Options of layers that only model files know by themselves, from what the layer is called with. */
static bool is_from_input(const vn_op_option *o)
{
    return o->fallback && (!strcmp(o->fallback, "input") || !strcmp(o->fallback, "sequence"));
}

static const char *parameter_name(const vn_op_option *o)
{
    if (!strcmp(o->name, "in")) return "in_"; /* a word of Python's */
    return is_type(o, "axes") && !strcmp(o->name, "axes") ? "axis" : o->name;
}

/* The parameters of a row, in order; returns their number. */
static int parameters(const vn_op_info *op, parameter *to)
{
    const bool random = op->traits & VN_OP_RANDOM;
    int n = 0;
    for (int k = random; k < op->n_inputs; k++) to[n++] = (parameter){PyUnicode_InternFromString(op->inputs[k]), k, -1, k < op->n_required};
    for (int k = 0; k < op->n_options; k++) {
        const vn_op_option *o = &op->options[k];
        if (is_type(o, "module")) continue; /* options of modules are for C */
        to[n++] = (parameter){PyUnicode_InternFromString(parameter_name(o)), -1, k, !o->fallback || is_from_input(o)};
    }
    if (random) to[n++] = (parameter){PyUnicode_InternFromString(op->inputs[0]), 0, -1, false};
    return n;
}

static PyObject *make_function(const vn_op_info *op, const char *family, const char *name, const char *doc, const char *engine,
                               PyObject *result)
{
    function *f = (function *)PyType_GenericAlloc(Function_type, 0);
    char *texts = PyMem_Malloc(strlen(name) + strlen(doc) + 2);
    parameter *params = PyMem_Calloc(MAX_PARAMETERS, sizeof *params);
    if (!f || !texts || !params) return PyErr_NoMemory();
    f->def = (PyMethodDef){strcpy(texts, name), (PyCFunction)(void (*)(void))called, METH_FASTCALL | METH_KEYWORDS,
                           strcpy(texts + strlen(name) + 1, doc)};
    f->info = op;
    f->family = family;
    f->params = params;
    f->n = parameters(op, params);
    if (engine) strcpy(f->engine, engine);
    if (result != Py_None) f->result = Py_NewRef(result);
    PyObject *module_name = PyUnicode_FromString(family ? "vinea.nn" : "vinea");
    PyObject *made = module_name ? PyCFunction_NewEx(&f->def, (PyObject *)f, module_name) : NULL;
    Py_XDECREF(module_name);
    return made;
}

/* function(number of the row, name, docstring, engine or None, type of the result or None) */
static PyObject *make(PyObject *module, PyObject *args)
{
    int row;
    const char *name, *doc, *engine;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTuple(args, "isszO:function", &row, &name, &doc, &engine, &result)) return NULL;
    if (row < 0 || row >= n_rows || (engine && strlen(engine) >= sizeof((function *)0)->engine))
        return PyErr_SetString(PyExc_ValueError, "function: no such row or engine"), NULL;
    return make_function(&table[row], NULL, name, doc, engine, result);
}

/* maker(family, number, docstring): the function that makes an object of a family of the listing. */
static PyObject *maker(PyObject *module, PyObject *args)
{
    int number;
    const char *family, *doc;
    (void)module;
    if (!PyArg_ParseTuple(args, "sis:maker", &family, &number, &doc)) return NULL;
    vn_op_info *op = PyMem_Calloc(1, sizeof *op);
    if (!op) return PyErr_NoMemory();
    op->size = sizeof *op;
    if (vn_object_at(family, number, op)) {
        PyMem_Free(op);
        return raise_error();
    }
    return make_function(op, op->kind, op->name, doc, NULL, Py_None);
}

/* A function is pickled as an attribute of its namespace, or of the part that has it. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    const function *f = (function *)self;
    PyObject *module = PyImport_ImportModule("vinea._namespace"), *home = module ? PyObject_GetAttrString(module, "home") : NULL;
    Py_XDECREF(module);
    return home ? Py_BuildValue("(N(zsz))", home, f->engine[0] ? f->engine : NULL, f->def.ml_name, f->family) : NULL;
}

/* ---- the listing, for Python ---- */

static PyObject *texts_of(const char *const *texts, int n)
{
    PyObject *list = PyList_New(0);
    for (int k = 0; list && (n < 0 ? texts && texts[k] : k < n); k++) {
        PyObject *s = PyUnicode_FromString(texts[k]);
        if (!s || PyList_Append(list, s)) Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

/* (name, type, required, default as text, possible texts, doc) */
static PyObject *parameter_tuple(const vn_op_info *op, const parameter *p)
{
    if (p->option < 0)
        return Py_BuildValue("(OsOzNz)", p->name, op->any_number ? "arrays" : "array", p->required ? Py_True : Py_False, NULL,
                             texts_of(NULL, 0), NULL);
    const vn_op_option *o = &op->options[p->option];
    return Py_BuildValue("(OsOzNz)", p->name, o->type, p->required ? Py_True : Py_False, o->fallback, texts_of(o->texts, -1), o->doc);
}

static PyObject *listed(const vn_op_info *op)
{
    parameter params[MAX_PARAMETERS];
    const int n = parameters(op, params);
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < n; k++) {
        PyObject *t = parameter_tuple(op, &params[k]);
        if (!t || PyList_Append(list, t)) Py_CLEAR(list);
        Py_XDECREF(t);
        Py_DECREF(params[k].name);
    }
    return Py_BuildValue("{szszszszsisisNsN}", "name", op->name, "alias", op->alias, "section", op->section, "doc", op->doc, "random",
                         (op->traits & VN_OP_RANDOM) != 0, "differentiable", op->differentiable, "parameters", list, "outputs",
                         texts_of(op->outputs, op->n_outputs));
}

/* All rows, with their numbers. */
static PyObject *listing(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < n_rows; k++) {
        PyObject *t = Py_BuildValue("(iN)", k, listed(&table[k]));
        if (!t || PyList_Append(list, t)) Py_CLEAR(list);
        Py_XDECREF(t);
    }
    return list;
}

/* objects(family): all objects of a family, with their numbers. */
static PyObject *objects(PyObject *module, PyObject *name)
{
    (void)module;
    const char *family = PyUnicode_AsUTF8AndSize(name, NULL);
    const int n = family ? vn_object_count(family) : -1;
    if (n < 0) return family ? raise_error() : NULL;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < n; k++) {
        vn_op_info op = {.size = sizeof op};
        PyObject *t = vn_object_at(family, k, &op) ? raise_error() : Py_BuildValue("(iN)", k, listed(&op));
        if (!t || PyList_Append(list, t)) Py_CLEAR(list);
        Py_XDECREF(t);
    }
    return list;
}

int op_add_to(PyObject *module)
{
    static PyMethodDef functions[] = {{"function", make, METH_VARARGS, NULL}, {"listing", listing, METH_NOARGS, NULL},
                                      {"maker", maker, METH_VARARGS, NULL},   {"no_argument", describe_no_argument, METH_VARARGS, NULL},
                                      {"objects", objects, METH_O, NULL},     {0}};
    static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {0}};
    static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0}};
    static PyType_Spec spec = {"vinea.op", sizeof(function), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    if (!(Function_type = (PyTypeObject *)PyType_FromSpec(&spec))) return -1;
    n_rows = vn_op_count();
    table = PyMem_Calloc((size_t)n_rows, sizeof *table);
    if (!table) return PyErr_NoMemory(), -1;
    for (int k = 0; k < n_rows; k++) {
        table[k].size = sizeof *table;
        if (vn_op_at(k, &table[k]) || table[k].n_inputs + table[k].n_options >= MAX_PARAMETERS) return raise_error(), -1;
    }
    return PyModule_AddFunctions(module, functions);
}
