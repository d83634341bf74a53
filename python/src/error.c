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

/* An exception raised inside a callback is the cause of the error and is the one that the caller sees. */
PyObject *raise_error(void)
{
    if (!PyErr_Occurred()) PyErr_SetString(type_of(vn_status()), vn_status() ? vn_message() : "the library failed without a message");
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
