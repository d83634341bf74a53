/* SPDX-License-Identifier: Apache-2.0 */
/* in_python.c: detects that this process is a Python (locate.h has the contract). */
#include "locate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Stores the function `name` of the process in *slot, a function pointer. */
static int take(const char *name, void *slot)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

int vn_locate_running(char *path, size_t capacity)
{
    int (*initialized)(void), (*ensure)(void);
    void (*release)(int);
    void *(*system)(const char *);
    const char *(*text_of)(void *);
    if (!take("Py_IsInitialized", &initialized) || !initialized()) return 0;
    if (!take("PyGILState_Ensure", &ensure) || !take("PyGILState_Release", &release) || !take("PySys_GetObject", &system) ||
        !take("PyUnicode_AsUTF8", &text_of))
        return 0;
    int state = ensure();
    void *executable = system(VN_STARTED_MARK) ? NULL : system("executable");
    const char *text = executable ? text_of(executable) : NULL;
    int n = text && *text ? snprintf(path, capacity, "%s", text) : 0;
    release(state);
    return n > 0 && (size_t)n < capacity;
}
