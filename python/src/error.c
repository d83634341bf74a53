/* error.c: the library's errors as exceptions of the types that Python users expect, with the library's message. */
#include "binding.h"
#include <stdarg.h>

static PyObject *EngineError;

static PyObject *type_of(vn_code code)
{
    switch (code) {
    case VN_E_DTYPE: return PyExc_TypeError;
    case VN_E_UNSUPPORTED: return PyExc_NotImplementedError;
    case VN_E_ENGINE: return EngineError;
    case VN_E_MEM: return PyExc_MemoryError;
    case VN_E_CALLBACK:
    case VN_E_FREED: return PyExc_RuntimeError;
    case VN_E_IO: return PyExc_OSError;
    default: return PyExc_ValueError;
    }
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

PyObject *raise_error(void)
{
    if (waiting[0]) {
        PyErr_Restore(waiting[0], waiting[1], waiting[2]);
        waiting[0] = waiting[1] = waiting[2] = NULL;
    } else if (!PyErr_Occurred())
        PyErr_SetString(type_of(vn_status()), vn_status() ? vn_message() : "the library failed without a message");
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
