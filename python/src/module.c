/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: the module _vinea: its types and functions, engines, seeds, memory. */
#include "binding.h"
#include <string.h>

/* ---- the engine in use ----
 *
 * vinea.use selects an engine in the current context (contextvars): asyncio's tasks have one each, and so does every thread. The library knows
 * threads only, so the thread follows its context where it matters, once anything was selected. Names that were selected are kept, so that
 * two selections of one name are the same object. */

static PyObject *selection, *get_selection; /* the context variable, None unless something is selected; its method get */
static PyObject *names;                     /* {name: name} */
static _Thread_local PyObject *followed;    /* the selection that is in effect in this thread; NULL: none. Kept by names */
static _Thread_local int entered;           /* depth of engine_enter */

static const char *text_of(PyObject *name) /* NULL, or that of None: the engine of the process */
{
    return name && name != Py_None ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
}

static bool follow(PyObject *name)
{
    int code;
    const char *s = text_of(name);
    UNLOCKED(code = vn_use(s));
    return !code || (raise_error(), false);
}

bool engine_follow(void)
{
    if (!names) return true;
    PyObject *name = PyObject_CallNoArgs(get_selection);
    if (!name) return false;
    Py_DECREF(name); /* the context and the names keep it */
    if (name == Py_None) name = NULL;
    if (name == followed) return true;
    if (!follow(name)) return false;
    followed = name;
    return true;
}

bool engine_enter(engine_use *use, const char *engine)
{
    use->changed = false;
    if (!engine) return engine_follow();
    if (!strcmp(vn_using(), engine)) return true;
    int code;
    snprintf(use->before, sizeof use->before, "%s", vn_using());
    UNLOCKED(code = vn_use(engine));
    if (code) return raise_error(), false;
    use->changed = true;
    use->inner = entered++;
    return true;
}

void engine_leave(engine_use *use)
{
    if (!use->changed) return;
    const char *before = use->inner ? use->before : text_of(followed);
    entered--;
    UNLOCKED(vn_use(before));
}

static bool is_name(PyObject *o)
{
    if (PyUnicode_Check(o)) return true;
    return PyErr_Format(PyExc_TypeError, "use: the name of an engine is needed, not %R", o), false;
}

/* The object that stands for a name, borrowed; NULL raises. */
static PyObject *kept_name(PyObject *name)
{
    if (!names && !(names = PyDict_New())) return NULL;
    PyObject *kept = PyDict_GetItemWithError(names, name);
    return kept ? kept : PyErr_Occurred() || PyDict_SetItem(names, name, name) ? NULL : name;
}

/* Makes a name, or None, that of the context, which the thread follows already. False raises. */
static bool select_name(PyObject *name)
{
    PyObject *kept = name == Py_None ? name : kept_name(name);
    PyObject *token = kept ? PyObject_CallMethod(selection, "set", "O", kept) : NULL;
    if (!token) return false;
    Py_DECREF(token);
    followed = kept == Py_None ? NULL : kept;
    return true;
}

/* use(name or None): selects the engine for arrays of this context; returns the name that was selected before, or None. */
static PyObject *use_here(PyObject *module, PyObject *name)
{
    (void)module;
    if (name != Py_None && !is_name(name)) return NULL;
    PyObject *before = PyObject_CallNoArgs(get_selection);
    if (before && follow(name) && select_name(name)) return before;
    Py_XDECREF(before);
    return NULL;
}

/* use_again(name or None): selects what was selected before. If it cannot be used any more, as in a forked process, what makes arrays says so. */
static PyObject *use_again(PyObject *module, PyObject *name)
{
    (void)module;
    const bool usable = follow(name);
    if (!usable) PyErr_Clear();
    if (!select_name(name)) return NULL;
    if (!usable) followed = NULL;
    Py_RETURN_NONE;
}

/* use_everywhere(name): that of the process; returns the name of the one before. */
static PyObject *use_everywhere(PyObject *module, PyObject *name)
{
    (void)module;
    const char *s = is_name(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL, *here = text_of(followed);
    if (!s) return NULL;
    int code;
    vn_use(NULL);
    PyObject *before = PyUnicode_FromString(vn_using());
    UNLOCKED(code = vn_use_everywhere(s); if (here) vn_use(here));
    if (!code) return before;
    Py_XDECREF(before);
    return raise_error();
}

static PyObject *using(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return engine_follow() ? PyUnicode_FromString(vn_using()) : NULL;
}

/* open_engine(name): raises if it cannot be used. */
static PyObject *open_engine(PyObject *module, PyObject *name)
{
    (void)module;
    engine_use use;
    const char *s = is_name(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!s || !engine_enter(&use, s)) return NULL;
    engine_leave(&use);
    Py_RETURN_NONE;
}

static int selection_setup(void)
{
    PyObject *module = PyImport_ImportModule("contextvars"), *type = module ? PyObject_GetAttrString(module, "ContextVar") : NULL;
    PyObject *args = Py_BuildValue("(s)", "vinea.engine"), *options = Py_BuildValue("{sO}", "default", Py_None);
    if (type && args && options && (selection = PyObject_Call(type, args, options)))
        get_selection = PyObject_GetAttrString(selection, "get");
    Py_XDECREF(module);
    Py_XDECREF(type);
    Py_XDECREF(args);
    Py_XDECREF(options);
    return get_selection ? 0 : -1;
}

static PyObject *engine_names(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < vn_engine_count(); k++) {
        PyObject *s = PyUnicode_FromString(vn_engine_name(k));
        if (!s || PyList_Append(list, s)) Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

/* engine_info(name): loads the engine if it can be loaded. */
static PyObject *engine_info(PyObject *module, PyObject *name)
{
    (void)module;
    vn_engine_info info = {.size = sizeof info};
    int code;
    const char *s = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!s) return PyErr_SetString(PyExc_TypeError, "the name of an engine is needed"), NULL;
    UNLOCKED(code = vn_engine_named(s, &info));
    if (code) return raise_error();
    return Py_BuildValue("{sssOszszszszsz}", "name", s, "available", info.available ? Py_True : Py_False, "version", info.version, "where",
                         info.where, "about", info.about, "how", info.how, "message", info.message);
}

/* eval(*arrays): computes them together, as one program. */
static PyObject *eval_all(PyObject *module, PyObject *const *arrays, Py_ssize_t n)
{
    (void)module;
    for (Py_ssize_t k = 0; k < n; k++)
        if (!is_array(arrays[k])) return PyErr_Format(PyExc_TypeError, "eval: arrays are needed, not %R", arrays[k]);
    if (n == 1) return array_eval(arrays[0]) ? raise_error() : Py_NewRef(Py_None);
    vn_array **in = PyMem_Malloc((size_t)(n + 1) * sizeof *in);
    if (!in) return PyErr_NoMemory();
    int code = 0;
    for (Py_ssize_t k = 0; k < n; k++) in[k] = vn_own(held_of(arrays[k])); /* another thread may assign to an array meanwhile */
    if (n) UNLOCKED(code = vn_eval((int)n, in));
    for (Py_ssize_t k = 0; k < n; k++) vn_drop(in[k]);
    PyMem_Free(in);
    if (code) return raise_error();
    Py_RETURN_NONE;
}

static PyObject *seed(PyObject *module, PyObject *number)
{
    (void)module;
    const unsigned long long s = PyLong_AsUnsignedLongLongMask(number);
    if (PyErr_Occurred()) return NULL;
    if (vn_seed(s)) return raise_error();
    Py_RETURN_NONE;
}

/* key(seed=None): a key that depends only on the seed, or the thread's next one. */
static PyObject *key(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *number = Py_None;
    const char *engine = NULL; /* of a namespace; that in use otherwise */
    engine_use use;
    if (!PyArg_ParseTuple(args, "|Oz:key", &number, &engine)) return NULL;
    const unsigned long long s = number == Py_None ? 0 : PyLong_AsUnsignedLongLongMask(number);
    if (PyErr_Occurred()) return NULL;
    if (number == Py_None && capturing)
        return PyErr_SetString(PyExc_RuntimeError, "key: a captured function takes its keys as inputs"), NULL;
    if (!engine_enter(&use, engine)) return NULL;
    vn_scope scope = vn_scope_begin();
    PyObject *z = array_keep(number == Py_None ? vn_random_key() : vn_random_key_of(s));
    vn_scope_end(scope);
    engine_leave(&use);
    return z;
}

/* memory(limit): what is held; the limit in bytes, 0 for none, is set unless it is None. */
static PyObject *memory(PyObject *module, PyObject *limit)
{
    (void)module;
    vn_memory_info m = {.size = sizeof m};
    int64_t bytes = 0;
    if (limit != Py_None && !int_from(limit, "limit", &bytes)) return NULL;
    if ((limit != Py_None && vn_memory_limit(bytes)) || vn_memory(&m)) return raise_error();
    return Py_BuildValue("{sLsLsLsLsLsL}", "used", (long long)m.used, "peak", (long long)m.peak, "cached", (long long)m.cached, "limit",
                         (long long)m.limit, "handles", (long long)m.handles, "nodes", (long long)m.nodes);
}

/* matmul_precision(mode): the thread's; None: as it is. The mode before. */
static PyObject *matmul_precision(PyObject *module, PyObject *mode)
{
    (void)module;
    const char *text = mode == Py_None ? NULL : PyUnicode_AsUTF8AndSize(mode, NULL);
    if (!text && mode != Py_None) return NULL;
    PyObject *before = PyUnicode_FromString(vn_matmul_precision_mode());
    if (before && text && vn_matmul_precision(text)) {
        Py_DECREF(before);
        return raise_error();
    }
    return before;
}

/* autocast(dtype): the thread's; None: off. The dtype before, or None. */
static PyObject *autocast(PyObject *module, PyObject *dtype)
{
    (void)module;
    const int d = dtype == Py_None ? VN_NO_DTYPE : dtype_of(dtype);
    if (d < 0) return NULL;
    const vn_dtype before = vn_autocast_dtype();
    if (vn_autocast((vn_dtype)d)) return raise_error();
    return Py_NewRef(before ? dtypes[before] : Py_None);
}

/* exit_begins(): before the interpreter ends, which stops threads wherever they are; frameworks abort when they are stopped. */
static PyObject *exit_begins(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    error_exit_begins();
    UNLOCKED(vn_exit_begins());
    Py_RETURN_NONE;
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyUnicode_FromString(vn_version());
}

static PyMethodDef functions[] = {
    {"asarray", (PyCFunction)(void (*)(void))asarray, METH_VARARGS | METH_KEYWORDS, NULL},
    {"is_aligned", is_aligned, METH_VARARGS, NULL},
    {"use", use_here, METH_O, NULL},
    {"use_again", use_again, METH_O, NULL},
    {"use_everywhere", use_everywhere, METH_O, NULL},
    {"using", using, METH_NOARGS, NULL},
    {"open_engine", open_engine, METH_O, NULL},
    {"engine_names", engine_names, METH_NOARGS, NULL},
    {"engine_info", engine_info, METH_O, NULL},
    {"eval", (PyCFunction)(void (*)(void))eval_all, METH_FASTCALL,
     "eval($module, /, *arrays)\n--\n\nComputes arrays together, as one program."},
    {"seed", seed, METH_O,
     "seed($module, number, /)\n--\n\nThe state that this thread's random numbers without a key come from, from a number."},
    {"key", key, METH_VARARGS,
     "key($module, seed=None, /)\n--\n\nA key, for the argument key of random functions: that of a seed, or the next one of the thread's "
     "state."},
    {"memory", memory, METH_O, NULL},
    {"matmul_precision", matmul_precision, METH_O, NULL},
    {"autocast", autocast, METH_O, NULL},
    {"exit_begins", exit_begins, METH_NOARGS, NULL},
    {"version", version, METH_NOARGS, NULL},
    {"in_python", in_python, METH_O, NULL},
    {0},
};

/* The library has one state per process, so that one interpreter can use it. */
static int setup(PyObject *module)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "vinea can be imported in the main interpreter only, not in subinterpreters");
        return -1;
    }
    return selection_setup() || error_add_to(module) || dtype_add_to(module) || op_add_to(module) || array_add_to(module) ||
                   gradient_add_to(module) || capture_add_to(module) || network_add_to(module) || training_add_to(module) ||
                   files_add_to(module) || trees_add_to(module)
               ? -1
               : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)setup}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "vinea._vinea", "The C part of the package.", 0, functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__vinea(void);
PyMODINIT_FUNC PyInit__vinea(void)
{
    return PyModuleDef_Init(&definition);
}
