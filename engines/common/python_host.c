/* SPDX-License-Identifier: Apache-2.0 */
/* python_host.c: finds or starts the interpreter, enters it, converts its exceptions to errors and keeps the release queue.
 *
 * Each engine has its own copy of this file and its data; what they share is the interpreter itself. */
#include "python_host.h"

#include "locate.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <wchar.h>

enum { UNLOCKED = 1 }; /* of PyGILState_STATE */

/* PyStatus, unchanged since Python 3.8. */
typedef struct status {
    int type; /* 0: fine */
    const char *function, *message;
    int exit_code;
} status;

/* Storage for PyPreConfig and PyConfig, which the library fills in; it knows their true sizes (40 and about 450 bytes). */
typedef union room {
    int ints[2048];
    max_align_t align;
} room;

enum { PRE_ISOLATED = 2, PRE_UTF8 = 7 }; /* fields of PyPreConfig, unchanged since Python 3.8 */

vn_python py;

static const vn_host *host;
static const char *engine;
static int (*finalizing)(void);
static PyObject *memory_error;
static _Atomic(vn_buf *) queue;

/* ---- threads ------------------------------------------------------------------------------------------------------------------ */

/* A thread unknown to the interpreter gets a state that lasts as long as the thread: creating one per call costs ten times as much as
 * the lock. */
enum { NEW, GUEST, OWN };
static _Thread_local int standing;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int have_key;

static int alive(void)
{
    return py.Py_IsInitialized && py.Py_IsInitialized() && !(finalizing && finalizing());
}

/* At thread exit. The interpreter's own record of the state is already gone, so we kept the state itself. */
static void detach(void *state)
{
    if (!alive()) return;
    py.PyEval_RestoreThread(state);
    py.PyThreadState_Clear(state);
    py.PyThreadState_DeleteCurrent();
}

static void make_key(void)
{
    have_key = !pthread_key_create(&at_exit, detach);
}

static void attach(void)
{
    standing = GUEST;
    pthread_once(&once, make_key);
    if (!have_key || py.PyGILState_GetThisThreadState()) return;
    py.PyGILState_Ensure();
    void *state = py.PyEval_SaveThread();
    if (!pthread_setspecific(at_exit, state)) {
        standing = OWN;
        return;
    }
    py.PyEval_RestoreThread(state);
    py.PyGILState_Release(UNLOCKED);
}

int vn_python_own_thread(void)
{
    return py.ours || standing == OWN;
}

/* ---- the release queue -------------------------------------------------------------------------------------------------------- */

void vn_python_retain(vn_buf *buf)
{
    atomic_fetch_add_explicit(&buf->refs, 1, memory_order_relaxed);
}

void vn_python_release(vn_buf *buf)
{
    if (!buf || atomic_fetch_sub_explicit(&buf->refs, 1, memory_order_acq_rel) != 1) return;
    if (!buf->object) { /* a small one, without a Python object */
        free(buf);
        return;
    }
    buf->next = atomic_load_explicit(&queue, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&queue, &buf->next, buf, memory_order_release, memory_order_relaxed)) continue;
}

void vn_python_engine_retain(vn_context *context, vn_buf *buf)
{
    (void)context;
    vn_python_retain(buf);
}

void vn_python_engine_release(vn_context *context, vn_buf *buf)
{
    (void)context;
    vn_python_release(buf);
}

static void drain(void)
{
    vn_buf *buf = atomic_exchange_explicit(&queue, NULL, memory_order_acquire);
    while (buf) {
        vn_buf *next = buf->next;
        vn_python_drop(buf->object);
        vn_python_drop(atomic_load(&buf->other));
        free(buf);
        buf = next;
    }
}

vn_buf *vn_python_small_buf(size_t bytes)
{
    vn_buf *buf = malloc(sizeof *buf + bytes);
    if (!buf) return NULL;
    atomic_init(&buf->refs, 1);
    buf->next = NULL;
    buf->object = NULL;
    atomic_init(&buf->other, NULL);
    return buf;
}

vn_buf *vn_python_buf(PyObject *object)
{
    vn_buf *buf = object ? vn_python_small_buf(0) : NULL;
    if (!object) return NULL;
    if (!buf) {
        py.Py_DecRef(object);
        py.PyErr_NoMemory();
        return NULL;
    }
    buf->object = object;
    return buf;
}

int vn_python_enter(int *state)
{
    if (!alive()) return host->error(VN_E_ENGINE, "%s: the Python interpreter has ended", engine);
    if (standing == NEW) attach();
    *state = py.PyGILState_Ensure();
    if (atomic_load_explicit(&queue, memory_order_relaxed)) drain();
    return VN_OK;
}

void vn_python_leave(int state)
{
    py.PyGILState_Release(state);
}

/* ---- objects and errors ------------------------------------------------------------------------------------------------------- */

void vn_python_drop(PyObject *object)
{
    if (object) py.Py_DecRef(object);
}

/* The text of an object, or `none` if it has no text, truncated to the buffer; never fails. */
static void text_of(PyObject *object, const char *none, char *text, size_t capacity)
{
    PyObject *string = object ? py.PyObject_Str(object) : NULL;
    const char *utf8 = string ? py.PyUnicode_AsUTF8(string) : NULL;
    snprintf(text, capacity, "%s", utf8 && *utf8 ? utf8 : none);
    py.PyErr_Clear();
    vn_python_drop(string);
}

int vn_python_error(const char *what)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    char kind[80] = "", text[600] = "";
    py.PyErr_Fetch(&type, &value, &trace);
    if (!type) return host->error(VN_E_ENGINE, "%s: %s: failed without an exception", engine, what);
    py.PyErr_NormalizeException(&type, &value, &trace);
    int code = py.PyErr_GivenExceptionMatches(type, memory_error) ? VN_E_MEM : VN_E_ENGINE;
    PyObject *name = py.PyObject_GetAttrString(type, "__name__");
    text_of(name, "exception", kind, sizeof kind);
    text_of(value, code == VN_E_MEM ? "out of memory" : "(no text)", text, sizeof text);
    if (strstr(text, "RESOURCE_EXHAUSTED") || strstr(text, "Out of memory")) code = VN_E_MEM; /* XLA's message */
    vn_python_drop(name);
    vn_python_drop(type);
    vn_python_drop(value);
    vn_python_drop(trace);
    return host->error(code, "%s: %s: %s: %s", engine, what, kind, text);
}

/* ---- finding and starting ----------------------------------------------------------------------------------------------------- */

/* Stores the function `name` of a library in *slot, a function pointer. */
static int take(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol ? 1 : 0;
}

static int resolve(void *library)
{
    const char *missing = NULL;
#define VN__X(result, name, arguments) \
    if (!take(library, #name, &py.name)) missing = #name;
    VN_PYTHON_FUNCTIONS(VN__X)
#undef VN__X
    if (!take(library, "Py_IsFinalizing", &finalizing)) take(library, "_Py_IsFinalizing", &finalizing);
    if (missing) return host->error(VN_E_ENGINE, "%s: this Python has no %s; Python 3.9 or newer is needed", engine, missing);
    return VN_OK;
}

/* Starts the interpreter in isolation: it reads no PYTHON* variables and leaves locale, streams and signals alone. A failure is
 * returned as a status, where the older API would end the process. */
static int start(void *library, const char *python)
{
    void (*pre_isolate)(void *), (*isolate)(void *), (*clear)(void *), (*set_program)(const wchar_t *);
    status (*pre_start)(const void *), (*begin)(const void *);
    wchar_t *(*decode)(const char *, size_t *);
    if (!take(library, "PyPreConfig_InitIsolatedConfig", &pre_isolate) || !take(library, "Py_PreInitialize", &pre_start) ||
        !take(library, "PyConfig_InitIsolatedConfig", &isolate) || !take(library, "Py_InitializeFromConfig", &begin) ||
        !take(library, "PyConfig_Clear", &clear) || !take(library, "Py_SetProgramName", &set_program) ||
        !take(library, "Py_DecodeLocale", &decode))
        return host->error(VN_E_ENGINE, "%s: the library of %s cannot be embedded", engine, python);
    room *config = calloc(1, sizeof *config);
    if (!config) return host->error(VN_E_MEM, "%s: out of memory", engine);
    pre_isolate(config);
    if (config->ints[PRE_ISOLATED] == 1) config->ints[PRE_UTF8] = 1; /* text files are UTF-8 in any locale */
    status s = pre_start(config);
    wchar_t *program = s.type ? NULL : decode(python, NULL); /* never freed: the interpreter keeps the pointer */
    if (program) {
        set_program(program);
        memset(config, 0, sizeof *config);
        isolate(config);
        s = begin(config);
        clear(config);
    }
    free(config);
    if (!s.type && !program) return host->error(VN_E_MEM, "%s: out of memory", engine);
    if (s.type) return host->error(VN_E_ENGINE, "%s: %s does not start: %s", engine, python, s.message ? s.message : "unknown reason");
    return VN_OK;
}

/* ---- checking what the interpreter loads ---- */

/* PyMethodDef, and METH_O: functions of one argument. */
typedef struct method {
    const char *name;
    PyObject *(*function)(PyObject *self, PyObject *argument);
    int flags;
    const char *doc;
} method;
enum { ONE_ARGUMENT = 8 };

/* The reason why a path is refused; "" if it is not. */
static PyObject *reason_against(int (*fine)(const char *, char *, size_t), PyObject *path)
{
    char why[800];
    const char *text = py.PyUnicode_AsUTF8(path);
    return text ? py.PyUnicode_FromString(fine(text, why, sizeof why) ? "" : why) : NULL;
}

static PyObject *against_folder(PyObject *self, PyObject *path)
{
    return (void)self, reason_against(host->trusted, path);
}

static PyObject *against_library(PyObject *self, PyObject *path)
{
    return (void)self, reason_against(host->library_fine, path);
}

/* Extension modules are checked before Python opens them. The user's site packages, which an isolated start leaves out, are added
 * unless the Python is a virtual environment (their path depends on HOME, so not in a program with raised privileges). */
static const char first_script[] = "import site, sys\n"
                                   "from importlib.machinery import ExtensionFileLoader as loader\n"
                                   "create = loader.create_module\n"
                                   "def guard(against):\n"
                                   "    def create_module(self, spec):\n"
                                   "        why = against(spec.origin)\n"
                                   "        if why: raise OSError(why)\n"
                                   "        return create(self, spec)\n"
                                   "    loader.create_module = create_module\n"
                                   "def add_user_site(against):\n"
                                   "    folder = site.getusersitepackages()\n"
                                   "    if sys.prefix == sys.base_prefix and not against(folder): site.addsitedir(folder)\n";

/* Calls a function of that script with one of our functions; 0 with the exception pending. */
static int call_with(PyObject *script, const char *name, method *ours)
{
    PyObject *function = script ? py.PyObject_GetAttrString(script, name) : NULL;
    PyObject *argument = function ? py.PyCFunction_NewEx(ours, NULL, NULL) : NULL;
    PyObject *result = argument ? py.PyObject_Vectorcall(function, &argument, 1, NULL) : NULL;
    vn_python_drop(function);
    vn_python_drop(argument);
    vn_python_drop(result);
    return result != NULL;
}

static int run_first_script(void)
{
    static method folder = {"against_folder", against_folder, ONE_ARGUMENT, NULL}; /* Python keeps the addresses */
    static method library = {"against_library", against_library, ONE_ARGUMENT, NULL};
    PyObject *code = py.Py_CompileString(first_script, "<vinea>", 257); /* Py_file_input */
    PyObject *script = code ? py.PyImport_ExecCodeModule("_vinea_start", code) : NULL;
    int done = call_with(script, "guard", &library) && (getauxval(AT_SECURE) || call_with(script, "add_user_site", &folder));
    vn_python_drop(script);
    vn_python_drop(code);
    return done ? VN_OK : vn_python_error("start");
}

/* The first import of Python's signal module installs a SIGINT handler. We import it here and restore the previous handler. */
static void import_signal(void)
{
    struct sigaction before;
    int known = !sigaction(SIGINT, NULL, &before);
    vn_python_drop(py.PyImport_ImportModule("signal"));
    if (known) sigaction(SIGINT, &before, NULL);
}

static int finish_start(void)
{
    import_signal();
    int code = run_first_script();
    PyObject *yes = py.PyBool_FromLong(1);
    if (yes) py.PySys_SetObject(VN_STARTED_MARK, yes);
    py.PyErr_Clear();
    vn_python_drop(yes);
    py.PyEval_SaveThread();
    return code;
}

static int load(const char *package)
{
    char python[PATH_MAX], library[PATH_MAX], why[600];
    int code = vn_locate_python(host, engine, package, python, sizeof python);
    if (code) return code;
    if (!vn_locate_libpython(python, library, sizeof library))
        return host->error(VN_E_ENGINE, "%s: %s is not an interpreter", engine, python);
    void *handle = host->open_library(library, RTLD_NOW | RTLD_GLOBAL, why, sizeof why);
    if (!handle && library[0] == '/')
        return host->error(VN_E_ENGINE, "%s: the shared library of %s cannot be loaded: %s", engine, python, why);
    if (!handle)
        return host->error(VN_E_ENGINE, "%s: the shared library of %s is missing (on Debian the package %.*s): %s", engine, python,
                           (int)(strstr(library, ".so") - library), library, why);
    code = resolve(handle);
    if (!code) code = start(handle, python);
    return code ? code : finish_start();
}

/* What is only known from the running interpreter. */
static int inspect(void)
{
    int state;
    int code = vn_python_enter(&state);
    if (code) return code;
    PyObject *mark = py.PySys_GetObject(VN_STARTED_MARK);
    py.ours = mark != NULL;
    PyObject *builtins = py.PyEval_GetBuiltins();
    py.None = builtins ? py.PyDict_GetItemString(builtins, "None") : NULL;
    memory_error = builtins ? py.PyDict_GetItemString(builtins, "MemoryError") : NULL;
    PyObject *object = builtins ? py.PyDict_GetItemString(builtins, "object") : NULL;
    PyObject *size = object ? py.PyObject_GetAttrString(object, "__basicsize__") : NULL;
    py.head = size ? (size_t)py.PyLong_AsLongLong(size) : 0;
    py.free_threaded = py.head != 2 * sizeof(void *);
    vn_python_drop(size);
    if (!py.None || !memory_error || !size) code = host->error(VN_E_ENGINE, "%s: Python's builtins cannot be read", engine);
    py.PyErr_Clear();
    vn_python_leave(state);
    return code;
}

int vn_python_open(const vn_host *h, const char *name, const char *package)
{
    int (*initialized)(void);
    int code = VN_OK;
    host = h;
    engine = name;
    /* Two engines may open at once, and each has its own copy of this file. The lock of stderr is shared by the whole process; nothing
     * is written to it. */
    flockfile(stderr);
    if (take(RTLD_DEFAULT, "Py_IsInitialized", &initialized) && initialized()) code = resolve(RTLD_DEFAULT);
    else code = load(package);
    funlockfile(stderr);
    return code ? code : inspect();
}
