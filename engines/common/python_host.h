/* SPDX-License-Identifier: Apache-2.0 */
/* python_host.h: the interpreter that the engines of Python packages share, without Python's headers.
 *
 * Inside a running Python that interpreter is used; otherwise the library of the user's Python is loaded and started, once per process
 * and never finalised. Objects are used only between vn_python_enter and vn_python_leave. Buffers are reference-counted holders of
 * Python objects that may be released without the interpreter lock: they are queued until the engine next holds it. */
#ifndef VN_PYTHON_HOST_H
#define VN_PYTHON_HOST_H

#include <stdatomic.h>
#include <vinea/engine.h>

typedef struct PyObject PyObject;

/* The interpreter's functions that are used: X(result, name, arguments). All exist unchanged since Python 3.9. */
#define VN_PYTHON_FUNCTIONS(X)                                                                    \
    X(int, Py_IsInitialized, (void))                                                              \
    X(void, Py_IncRef, (PyObject *))                                                              \
    X(void, Py_DecRef, (PyObject *))                                                              \
    X(int, PyGILState_Ensure, (void))                                                             \
    X(void, PyGILState_Release, (int))                                                            \
    X(void *, PyGILState_GetThisThreadState, (void))                                              \
    X(void *, PyEval_SaveThread, (void))                                                          \
    X(void, PyEval_RestoreThread, (void *))                                                       \
    X(void, PyThreadState_Clear, (void *))                                                        \
    X(void, PyThreadState_DeleteCurrent, (void))                                                  \
    X(PyObject *, PyEval_GetBuiltins, (void))                                                     \
    X(PyObject *, PySys_GetObject, (const char *))                                                \
    X(int, PySys_SetObject, (const char *, PyObject *))                                           \
    X(PyObject *, PyImport_ImportModule, (const char *))                                          \
    X(PyObject *, PyImport_ExecCodeModule, (const char *, PyObject *))                            \
    X(PyObject *, Py_CompileString, (const char *, const char *, int))                            \
    X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                             \
    X(PyObject *, PyObject_Vectorcall, (PyObject *, PyObject *const *, size_t, PyObject *))       \
    X(PyObject *, PyObject_VectorcallMethod, (PyObject *, PyObject *const *, size_t, PyObject *)) \
    X(PyObject *, PyObject_Str, (PyObject *))                                                     \
    X(PyObject *, PyDict_GetItemString, (PyObject *, const char *))                               \
    X(PyObject *, PyUnicode_FromString, (const char *))                                           \
    X(PyObject *, PyUnicode_InternFromString, (const char *))                                     \
    X(const char *, PyUnicode_AsUTF8, (PyObject *))                                               \
    X(PyObject *, PyBool_FromLong, (long))                                                        \
    X(PyObject *, PyLong_FromLongLong, (long long))                                               \
    X(long long, PyLong_AsLongLong, (PyObject *))                                                 \
    X(void *, PyLong_AsVoidPtr, (PyObject *))                                                     \
    X(PyObject *, PyFloat_FromDouble, (double))                                                   \
    X(PyObject *, PyTuple_New, (ptrdiff_t))                                                       \
    X(int, PyTuple_SetItem, (PyObject *, ptrdiff_t, PyObject *))                                  \
    X(PyObject *, PyTuple_GetItem, (PyObject *, ptrdiff_t))                                       \
    X(ptrdiff_t, PyTuple_Size, (PyObject *))                                                      \
    X(PyObject *, PyCapsule_New, (void *, const char *, void (*)(PyObject *)))                    \
    X(void *, PyCapsule_GetPointer, (PyObject *, const char *))                                   \
    X(PyObject *, PyErr_Occurred, (void))                                                         \
    X(void, PyErr_Clear, (void))                                                                  \
    X(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                                 \
    X(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *))                                  \
    X(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **))                    \
    X(int, PyErr_GivenExceptionMatches, (PyObject *, PyObject *))                                 \
    X(PyObject *, PyCFunction_NewEx, (void *, PyObject *, PyObject *))                            \
    X(PyObject *, PyErr_NoMemory, (void))                                                         \
    X(int, PyContextVar_Get, (PyObject *, PyObject *, PyObject **))                               \
    X(PyObject *, PyContextVar_Set, (PyObject *, PyObject *))                                     \
    X(int, PyContextVar_Reset, (PyObject *, PyObject *))

typedef struct vn_python {
#define VN__X(result, name, arguments) result(*name) arguments;
    VN_PYTHON_FUNCTIONS(VN__X)
#undef VN__X
    PyObject *None; /* borrowed */
    size_t head;    /* bytes of an object's header */
    int ours;       /* started by Vinea, so settings may be changed */
    int free_threaded;
} vn_python;

extern vn_python py;

/* Finds or starts the interpreter, for the engine `engine` that needs the package `package`. */
int vn_python_open(const vn_host *host, const char *engine, const char *package);

/* Takes the interpreter lock and empties the release queue; the engine returns a failure. Each success needs a leave. */
int vn_python_enter(int *state);
void vn_python_leave(int state);

/* Did Vinea create the calling thread's interpreter state, so that changing it affects no other code? */
int vn_python_own_thread(void);

/* Converts the pending exception to the thread's error "<engine>: <what>: <type>: <text>" and returns its code. */
int vn_python_error(const char *what);

/* Drops a reference that may be NULL. */
void vn_python_drop(PyObject *object);

/* ---- python_objects.c: new references, NULL with the exception pending ---- */

/* Imports a module and takes a dotted attribute of it ("add.reduce"). */
PyObject *vn_python_import(const char *module, const char *attribute);
PyObject *vn_python_attribute(PyObject *object, const char *dotted);

/* Tuples: of n items, whose references it takes over and of which each may be NULL on failure; made item by item; of ints. */
PyObject *vn_python_tuple(PyObject *const *items, ptrdiff_t n);
PyObject *vn_python_tuple_by(PyObject *(*make)(const void *data, int32_t i), const void *data, int32_t n);
PyObject *vn_python_ints(const int64_t *values, int32_t n);

/* Items for tuple_by: option i of a list of vn_option, truth i of bytes. */
PyObject *vn_python_option(const void *options, int32_t i);
PyObject *vn_python_flag(const void *bytes, int32_t i);

/* Reads the package's version and folder, which the other two, functions of vn_engine, return; -1 with the exception pending. */
int vn_python_read_package(const char *package);
const char *vn_python_version(vn_context *context);
const char *vn_python_where(vn_context *context);

/* Runs the text of engines/<engine>/<stem>.py as the module _vinea_<engine>_<stem>. */
PyObject *vn_python_run(const char *engine, const char *stem, const char *text);

/* ---- buffers ---- */

/* What an engine of a Python package keeps for the core: an array, and a second form of it made on demand. An engine may keep the elements
 * of a small array in `small` until the object is needed. */
struct vn_buf {
    atomic_long refs;
    struct vn_buf *next; /* in the release queue */
    PyObject *object;
    PyObject *_Atomic other;
    max_align_t small[];
};

/* Steals the reference `object`, also on failure; NULL with MemoryError pending. NULL for NULL. */
vn_buf *vn_python_buf(PyObject *object);

/* Without an object, with room for this many bytes; needs no lock. NULL if memory ran out. */
vn_buf *vn_python_small_buf(size_t bytes);

/* Neither takes the interpreter lock. The second pair is for vn_engine. */
void vn_python_retain(vn_buf *buf);
void vn_python_release(vn_buf *buf);
void vn_python_engine_retain(vn_context *context, vn_buf *buf);
void vn_python_engine_release(vn_context *context, vn_buf *buf);

#endif
