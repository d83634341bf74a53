/* threads.c: sets how many threads NumPy's matrix products use, where the user has said so. NumPy itself has no such switch: it is the
 * BLAS library loaded with it, OpenBLAS under one of several names. */
#include "numpy_engine.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Takes the path of a loaded OpenBLAS. */
static int is_openblas(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!name || !strstr(name, "openblas")) return 0;
    return snprintf(data, 4096, "%s", info->dlpi_name) < 4096;
}

void np_set_threads(int n)
{
    static const char *const names[] = {"scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads",
                                        "openblas_set_num_threads64_", "openblas_set_num_threads"};
    char path[4096];
    void *library = dl_iterate_phdr(is_openblas, path) ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!library) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*set)(int);
        void *symbol = dlsym(library, names[i]);
        if (!symbol) continue;
        memcpy(&set, &symbol, sizeof set);
        set(n);
        break;
    }
    dlclose(library);
}
