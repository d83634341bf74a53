/* SPDX-License-Identifier: Apache-2.0 */
/* error.c: the library's errors as exceptions of the types that Python users expect, with the library's message. */
#include "binding.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

static PyObject *EngineError;

static PyObject *type_of(vn_code code)
{
    switch (code) {
    case VN_E_DTYPE: return PyExc_TypeError;
    case VN_E_INDEX: return PyExc_IndexError;
    case VN_E_NOT_FINITE: return PyExc_FloatingPointError;
    case VN_E_UNSUPPORTED: return PyExc_NotImplementedError;
    case VN_E_ENGINE: return EngineError;
    case VN_E_MEM: return PyExc_MemoryError;
    case VN_E_CALLBACK:
    case VN_E_GROUP:
    case VN_E_FREED: return PyExc_RuntimeError;
    case VN_E_IO: return PyExc_OSError;
    default: return PyExc_ValueError;
    }
}

/* ---- the library's names in Python's ---- */

/* What is called differently, or is no function of the package: without vn_. */
static const char *const names[][2] = {
    {"bind_custom_gradient", "vinea.custom_gradient"},
    {"capture", "vinea.jit"},
    {"checkpoint_load", "load"},
    {"checkpoint_save", "save"},
    {"dataset_of", "the data"},
    {"eval", "x.eval()"},
    {"evaluate", "evaluate"},
    {"fit", "fit"},
    {"fn_call", "the function"},
    {"from_host", "vinea.asarray"},
    {"grads", "vinea.grad"},
    {"grad_of", "vinea.grad"},
    {"hessian_of", "vinea.hessian"},
    {"into", "assignment"},
    {"item_complex", "item"},
    {"jac_of", "vinea.jacobian"},
    {"jvp_of", "vinea.jvp"},
    {"loss_of", "the loss"},
    {"matmul_precision", "vinea.matmul_precision"},
    {"autocast", "vinea.autocast"},
    {"memory_limit", "vinea.memory(limit)"},
    {"metric_of", "the metric"},
    {"module_add", "adding a module"},
    {"module_adapt", "adapt"},
    {"module_build", "variables()"},
    {"module_call", "the call of a module"},
    {"module_freeze", "freeze"},
    {"module_new", "a new module"},
    {"module_steps", "vinea.nn.Recurrence"},
    {"module_summary", "summary"},
    {"module_unfreeze", "unfreeze"},
    {"module_value_and_grad", "value_and_grad(loss)"},
    {"module_var", "the variable of a module"},
    {"object_at", "dir() of vinea.nn, vinea.nn.losses or vinea.nn.metrics"},
    {"op_at", "dir(vinea)"},
    {"optim_accumulate", "configure(accumulate=...)"},
    {"optim_clip_norm", "configure(clip_norm=...)"},
    {"optim_clip_value", "configure(clip_value=...)"},
    {"optim_eval_params", "eval_params(parameters)"},
    {"optim_loss_scale", "loss_scale"},
    {"optim_minimize", "minimize(loss, parameters)"},
    {"optim_schedule", "configure(schedule=...)"},
    {"optim_set_lr", "lr"},
    {"predict", "predict"},
    {"random_key", "vinea.random.key"},
    {"random_key_of", "vinea.random.key"},
    {"step", "step"},
    {"to", "x.to(engine)"},
    {"tree_allclose", "vinea.tree.map"},
    {"tree_assert_identical_structure", "the structure"},
    {"value_and_grad", "step(parameters, gradients, loss=loss)"},
    {"vjp_of", "vinea.vjp"},
};

static const char *python_name(const char *name, size_t n)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k][0]) == n && !strncmp(names[k][0], name, n)) return names[k][1];
    return NULL;
}

static size_t word(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    return n;
}

/* The length of a beginning that is of no interest here: every module is a callback. 0: none. */
static size_t passed_through(const char *message)
{
    static const char by[] = "callback: ";
    return strncmp(message, by, strlen(by)) ? 0 : strlen(by);
}

/* Copies the message as far as there is room: words before colons and words that begin with vn_ get their names in Python. */
static void translate(const char *from, char *to, size_t room)
{
    size_t at = 0;
    bool begins = true; /* where a message, or one behind it, begins */
    while (*from && at + 1 < room) {
        const size_t n = word(from);
        const bool c = n > 3 && !strncmp(from, "vn_", 3);
        const bool starts = n && begins && from[n] == ':', layer = (c || starts) && !strncmp(from + 3 * c, "nn_", 3);
        const char *name = c ? python_name(from + 3, n - 3) : starts ? python_name(from, n) : NULL;
        if (begins && passed_through(from)) {
            from += passed_through(from);
            continue;
        }
        const int wrote = name    ? snprintf(to + at, room - at, "%s", name)
                          : layer ? snprintf(to + at, room - at, "vinea.nn.%.*s", (int)n - 3 * c - 3, from + 3 * c + 3)
                          : c     ? snprintf(to + at, room - at, "vinea.%.*s", (int)n - 3, from + 3)
                                  : snprintf(to + at, room - at, "%.*s", (int)(n ? n : 1), from);
        at += (size_t)wrote < room - at ? (size_t)wrote : room - at - 1;
        begins = !n && *from == ' ' && at > 1 && to[at - 2] == ':';
        from += n ? n : 1;
    }
    to[at] = 0;
}

PyObject *in_python(PyObject *module, PyObject *text)
{
    (void)module;
    char to[8192];
    const char *from = PyUnicode_AsUTF8AndSize(text, NULL);
    if (!from) return NULL;
    translate(from, to, sizeof to);
    return PyUnicode_FromString(to);
}

static void raise_message(PyObject *type, const char *message)
{
    char text[4096];
    translate(message, text, sizeof text);
    PyErr_SetString(type, text);
}

/* An exception raised inside a callback of the library waits here until the call that led to it fails: meanwhile engines may run Python. */
static _Thread_local PyObject *waiting[3];

void error_waits(void)
{
    if (waiting[0]) PyErr_Clear(); /* the first one counts */
    else PyErr_Fetch(&waiting[0], &waiting[1], &waiting[2]);
}

bool error_is_waiting(void)
{
    return waiting[0] != NULL;
}

static unsigned long ending; /* the thread that ends the interpreter; 0: it does not end */

void error_exit_begins(void)
{
    ending = PyThread_get_thread_ident();
}

/* A daemon thread's engine is gone. The interpreter stops the thread as soon as it ends itself, when the thread takes the lock. Should another
 * one wait for this thread instead, it gets the exception after all. */
static void wait_for_the_end(void)
{
    for (int k = 0; k < 1000; k++) UNLOCKED(nanosleep(&(struct timespec){0, 10000000}, NULL)); /* 10 seconds */
}

PyObject *raise_error(void)
{
    if (ending && vn_status() == VN_E_ENGINE && PyThread_get_thread_ident() != ending) wait_for_the_end();
    if (waiting[0]) {
        PyErr_Restore(waiting[0], waiting[1], waiting[2]);
        waiting[0] = waiting[1] = waiting[2] = NULL;
    } else if (!PyErr_Occurred()) raise_message(type_of(vn_status()), vn_status() ? vn_message() : "the library failed without a message");
    vn_clear();
    return NULL;
}

PyObject *raise_index(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    PyErr_FormatV(PyExc_IndexError, format, list);
    va_end(list);
    return NULL;
}

int error_add_to(PyObject *module)
{
    EngineError = PyErr_NewExceptionWithDoc("vinea.EngineError", "An engine is missing or failed.", PyExc_RuntimeError, NULL);
    return EngineError ? PyModule_AddObjectRef(module, "EngineError", EngineError) : -1;
}
