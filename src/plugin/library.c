/* SPDX-License-Identifier: Apache-2.0 */
/* library.c: opens shared libraries and plugins, after os/elf.c and os/trust.c have looked at them. */
#include "plugin/plugin.h"
#include "core/state.h"
#include <dlfcn.h>
#include <string.h>

void *vn__library_open(const char *path, int flags, char *why, size_t capacity)
{
    if (vn__linked_statically()) { /* its dlopen would load a second C library, whose threads and memory know nothing of the first, and crash */
        snprintf(why, capacity, "a program linked with -static loads no plugins; link it without -static (libvinea.a may stay)");
        return NULL;
    }
    if (strchr(path, '/') && !vn__library_fine(path, why, capacity)) return NULL;
    void *library = dlopen(path, flags);
    const char *text = library ? NULL : dlerror();
    if (!library) snprintf(why, capacity, "%s", text ? text : "unknown reason");
    return library;
}

int vn__plugin_open(const char *who, const char *path, const char *symbol, void **library, void **entry)
{
    char why[800];
    if (!*library) *library = vn__library_open(path, RTLD_NOW | RTLD_LOCAL, why, sizeof why);
    if (!*library) return vn__fail(VN_E_ENGINE, "%s: the plugin cannot be loaded: %s", who, why);
    if ((*entry = dlsym(*library, symbol))) return VN_OK;
    return vn__fail(VN_E_ENGINE, "%s: %s is not a plugin of this kind: it does not export %s", who, path, symbol);
}
