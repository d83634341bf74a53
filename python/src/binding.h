/* SPDX-License-Identifier: Apache-2.0 */
/* binding.h: what the files of the Python extension share.
 *
 * A call from Python flows through op.c (arguments become handles and options), the library's vn_call, and back as an Array (array.c).
 * Python objects own their handles: every call opens a scope for what it makes on the way, keeps its results and closes the scope.
 * The extension uses the limited API of CPython 3.11, so that one build serves all later versions. */
#ifndef VINEA_BINDING_H
#define VINEA_BINDING_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#pragma GCC diagnostic ignored "-Wpedantic" /* Python's slots keep functions in void pointers */
#include <Python.h>
#include <structmember.h>
#include <stdbool.h>
#include <vinea/vinea.h>

/* ---- array.c: the array class ---- */

typedef struct {
    PyObject_HEAD vn_array *handle; /* owned; replaced by assignment; NULL: the elements follow the object (array_of_few) */
    PyObject *weak;                 /* weak references */
    uint32_t capture;               /* the number of the captured function inside which it was made; 0: outside */
    bool bound;                     /* a variable of a module: assignment changes the module's value */
    bool is_part;                   /* without a handle: part of another array (array_part), not few elements */
} Array;

extern PyTypeObject *Array_type;
static inline bool is_array(PyObject *o)
{
    return Py_TYPE(o) == Array_type || PyType_IsSubtype(Py_TYPE(o), Array_type);
}
vn_array *
array_handle(Array *a); /* makes the handle of an array of few; NULL, which every function of the library refuses, if memory is short */
extern int captures;    /* functions that are being captured, in any thread: then arrays from outside are noted (capture.c) */
void capture_note(PyObject *array);
static inline vn_array *handle_of(PyObject *o)
{
    if (__builtin_expect(captures, 0)) capture_note(o);
    vn_array *h = ((Array *)o)->handle;
    return h ? h : array_handle((Array *)o);
}
/* The array's present value in a handle of the innermost scope's. handle_of is valid only until Python code runs, the interpreter lock is
 * freed, or an engine that runs Python is called: then the array may be given another value. Whatever lasts longer uses this one. */
static inline vn_array *held_of(PyObject *o)
{
    return vn_alias(handle_of(o));
}
PyObject *array_new(vn_array *owned);                /* takes over a reference; NULL raises the library's error */
PyObject *array_keep(vn_array *scoped);              /* the same for a handle that a scope owns */
PyObject *array_bound(vn_array *scoped);             /* the same for a variable of a module */
bool array_assign(PyObject *self, vn_array *scoped); /* a new value; false raises */
int array_eval(PyObject *self);                      /* the library's code; the lock is kept where freeing it would take longer */
/* An array of few elements, such as x[3]: they are copied into the object, and a handle is made when one is needed. */
enum { FEW_BYTES = 256, FEW_RANK = 2 };
PyObject *array_of_few(const char *engine, int dtype, int rank, const int64_t *dims, const void *data, size_t bytes);
/* x[start], or x[start:start + count] where `point` is false, of an array that is not computed: recorded when a handle is needed. NULL without
 * an exception: it must be recorded now, since derivatives or a captured function have to know of it. */
PyObject *array_part(vn_array *x, int64_t start, int64_t count, bool point);
/* After a comparison by function has raised: its result if one side is a Python integer that the other's dtype does not hold. NULL, with the error
 * that was raised before, if that is not the case. `engine` is where the result goes; NULL: the engine of the array. */
PyObject *compare_again(const vn_op_info *op, PyObject *x, PyObject *y, const char *engine);
int array_add_to(PyObject *module);

/* ---- error.c ---- */

int error_add_to(PyObject *module);
PyObject *raise_error(void);  /* the library's error as an exception; clears it; returns NULL */
void error_exit_begins(void); /* from here on the engines of other threads may be gone */
void error_waits(void);       /* at the end of a callback that raised: the call that led to it raises */
bool error_is_waiting(void);
PyObject *raise_index(const char *format, ...);        /* IndexError */
PyObject *in_python(PyObject *module, PyObject *text); /* a text of the library's with Python's names in place of C's */

/* ---- dtype.c ---- */

extern PyObject *dtypes[VN_DTYPE_END];
int dtype_add_to(PyObject *module);
int dtype_of(PyObject *o); /* the number of a dtype object, a name, a NumPy dtype or a Python type; -1 raises */

/* ---- convert.c: Python objects to handles, which belong to the innermost scope; NULL raises ---- */

typedef enum { COPY_NEVER, COPY_ALWAYS, COPY_IF_NEEDED } copying;
vn_array *array_from(PyObject *o, int dtype, copying copy); /* dtype -1: that of the object */
vn_array *array_on(vn_array *x, const char *engine);        /* moved there if it is elsewhere */
bool is_number(PyObject *o);                                /* bool, int, float or complex */
vn_array *number_from(PyObject *number, int dtype);         /* a 0-d array of that dtype; -1: the default of its kind */
vn_array *weak_float(PyObject *number);                     /* a number that takes any dtype */
vn_array *weak_integer(PyObject *number);                   /* an integer that does, exact */
vn_array *number_beside(PyObject *number, vn_array *other); /* a number in an expression with another array */
bool check_range(PyObject *number, int dtype);              /* OverflowError if an integer dtype does not hold it */
bool int_from(PyObject *o, const char *what, int64_t *to);  /* TypeError; ValueError beyond 64 bits, and for -2^63, VN_ZERO */
int ints_from(PyObject *o, const char *what, int64_t *to);  /* an int or a sequence of at most VN_MAX_RANK; -1 raises */
/* True, False, 0, 1 or a bool of another library; a converter for PyArg_Parse. 0 raises TypeError. */
int flag_from(PyObject *o, void *to);
bool flag_named(const char *of, const char *name, PyObject *o, int *to); /* the same with names in the message; NULL: as it is */
PyObject *tuple_of(int n, const int64_t *numbers);
PyObject *asarray(PyObject *self, PyObject *args, PyObject *kwargs);

/* ---- op.c: functions made from the run-time listing of the table ---- */

int op_add_to(PyObject *module);
/* An op's row; NULL if there is none of that name. Valid for the life of the process. */
const vn_op_info *op_named(const char *name);
/* False raises TypeError, with what was meant, if a keyword is none of the names. */
bool keywords_known(const char *of, PyObject *kwargs, char *const *names);
/* Arguments to handles. Arrays of dtypes that the op does not take become those that it takes (bool to int64, integers to float32);
 * numbers take the dtype of the arrays beside them. `engine` is where new arrays go; NULL: the engine of the other arrays, or the
 * current one. The handles belong to the innermost scope. Returns false and raises if an argument cannot be used. */
bool inputs_from(const vn_op_info *op, int n, PyObject *const *given, vn_array **in, const char *engine);
/* Raises the error of a call with these arguments: OverflowError where the library says that a Python integer does not fit. Returns NULL. */
PyObject *raise_call(int n, PyObject *const *given);
/* Calls an op with the interpreter lock free, so the inputs must be held. The results are the caller's. Returns the library's code. */
int op_call(const vn_op_info *op, int n, vn_array *const *in, int n_options, const vn_option *options, int n_out, vn_array **out);
/* The same for handles of arrays (handle_of), without options: the lock is kept where freeing it would take longer than the call. */
int op_record(const vn_op_info *op, int n, vn_array *const *in, vn_array **out);
/* The same by name, for the first result, which belongs to the scope. */
vn_array *call_op(const char *op, int n, vn_array *const *in, int n_options, const vn_option *options);
vn_array *cast_to(vn_array *x, int dtype);
#define INTS(key, count, list) ((vn_option){.name = key, .kind = VN_OPT_INTS, .n = count, .u = {.is = list}})
#define INT(key, value) ((vn_option){.name = key, .kind = VN_OPT_INT, .n = 1, .u = {.i = value}})

/* ---- module.c ---- */

/* Makes the engine that vinea.use selected in this context (a thread's or an asyncio task's) that of the thread. Called before anything that
 * could make arrays without looking at others. False raises. */
bool engine_follow(void);
/* Makes another engine the thread's until engine_leave; NULL: the one selected. False raises. */
typedef struct {
    char before[64];
    bool changed, inner;
} engine_use;
bool engine_enter(engine_use *use, const char *engine);
void engine_leave(engine_use *use);

/* ---- index.c ---- */

PyObject *array_get(PyObject *self, PyObject *key);
int array_set(PyObject *self, PyObject *key, PyObject *value);
PyObject *array_updated(PyObject *self, PyObject *args);  /* (key, value, add): a new array */
PyObject *array_positions(PyObject *self, PyObject *key); /* where the elements of x[key] are in the flattened x */

/* ---- exchange.c: DLPack and the buffer protocol ---- */

vn_array *from_buffer(PyObject *o, copying copy); /* NULL without an exception: it has none, or of another kind */
vn_array *from_dlpack(PyObject *o, copying copy); /* the same */
int array_buffer(PyObject *self, Py_buffer *view, int flags);
void array_unbuffer(PyObject *self, Py_buffer *view);
PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *array_dlpack_device(PyObject *self, PyObject *none);
PyObject *is_aligned(PyObject *module, PyObject *args); /* (array, bytes): whether its memory begins at a multiple of them */

/* ---- network.c: modules, optimizers, schedules ---- */

int network_add_to(PyObject *module);
int training_add_to(PyObject *module); /* training.c */
int files_add_to(PyObject *module);    /* files.c */
int trees_add_to(PyObject *module);    /* trees.c */
/* An object of a family of the library's listing, made with options; `given` are these as a dict of Python's, which a layer remembers. */
PyObject *make_object(const char *family, const char *name, const vn_option *options, int n, PyObject *given);
bool is_schedule(PyObject *o);

/* ---- gradient.c ---- */

int gradient_add_to(PyObject *module);
/* Before values of x go where derivatives do not: false raises if some are taken through x around this call. */
bool keeps_gradient(vn_array *x);
/* The result of a callback: a handle of the innermost scope's own; NULL, with the exception waiting, if it is no array. */
vn_array *callback_result(PyObject *result);
vn_array *function_of_one(vn_array *x, void *fn); /* calls a Python function of an array; a vn_array_fn */

/* ---- capture.c: captured functions ---- */

int capture_add_to(PyObject *module);
extern _Thread_local bool capturing;        /* inside a captured function: nothing has a value */
uint32_t capture_number(void);              /* of the innermost one of this thread; 0: none */
bool capture_is_outside(const Array *a);    /* whether this thread is inside one that did not make the array */
bool capture_note_module(vn_module *m);     /* its variables, buffers and mode; false raises */
vn_array **handles_of(PyObject *s, int *n); /* of a sequence of arrays, held; the caller frees the list. NULL raises */
PyObject *list_of_arrays(int n, vn_array *const *scoped);

/* The interpreter lock is free while the expression runs. UNLOCKED_WITH replaces x by a handle of its own for that time, because another
 * thread could assign to the array. */
#define UNLOCKED(expression)    \
    do {                        \
        Py_BEGIN_ALLOW_THREADS; \
        expression;             \
        Py_END_ALLOW_THREADS;   \
    } while (0)
#define UNLOCKED_WITH(x, expression)                   \
    do {                                               \
        vn_array *held_ = (x) = vn_own(vn_alias((x))); \
        UNLOCKED(expression);                          \
        vn_drop(held_);                                \
    } while (0)

#endif
