/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: gets and sets the number of threads of NumPy's matrix products. NumPy itself has no such setting; it belongs to its BLAS
 * library, OpenBLAS under one of several names. */
#include "numpy_engine.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Gets the path of a loaded OpenBLAS. */
static int is_openblas(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!name || !strstr(name, "openblas")) return 0;
    return snprintf(data, 4096, "%s", info->dlpi_name) < 4096;
}

/* Calls use(symbol, n) with the first of these functions that the loaded OpenBLAS has; 0 if there is none. */
static int with_openblas(const char *const *names, int n_names, int (*use)(void *symbol, int n), int n)
{
    char path[4096];
    void *library = dl_iterate_phdr(is_openblas, path) ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!library) return 0;
    void *symbol = NULL;
    for (int i = 0; i < n_names && !symbol; i++) symbol = dlsym(library, names[i]);
    int result = symbol ? use(symbol, n) : 0;
    dlclose(library);
    return result;
}

static int set(void *symbol, int n)
{
    void (*function)(int);
    memcpy(&function, &symbol, sizeof function);
    function(n);
    return n;
}

static int get(void *symbol, int n)
{
    int (*function)(void);
    (void)n;
    memcpy(&function, &symbol, sizeof function);
    return function();
}

void np_set_threads(int n)
{
    static const char *const names[] = {"scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads",
                                        "openblas_set_num_threads64_", "openblas_set_num_threads"};
    with_openblas(names, sizeof names / sizeof *names, set, n);
}

int np_threads(void)
{
    static const char *const names[] = {"scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads",
                                        "openblas_get_num_threads64_", "openblas_get_num_threads"};
    return with_openblas(names, sizeof names / sizeof *names, get, 0);
}
