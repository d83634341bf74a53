/* SPDX-License-Identifier: Apache-2.0 */
/* code.c: the loader's view of this process: which file an address belongs to, where this library's own file is, who called. */
#include "os/os.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

/* ---- files ---- */

typedef struct {
    uintptr_t address;
    int seen;
    vn__code *found;
} search;

/* glibc gives the program an empty name; others name it as it was called, but list it first. (In a namespace of dlmopen glibc lists no program.) */
static bool is_program(const struct dl_phdr_info *info, int before)
{
#ifdef __GLIBC__
    (void)before;
    return !*info->dlpi_name;
#else
    (void)info;
    return before == 0;
#endif
}

static int visit(struct dl_phdr_info *info, size_t size, void *with)
{
    search *s = with;
    const int before = s->seen++;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[k];
        if (h->p_type != PT_LOAD || s->address - info->dlpi_addr - h->p_vaddr >= h->p_memsz) continue;
        *s->found = (vn__code){.file = info->dlpi_name, .base = info->dlpi_addr, .program = is_program(info, before)};
        return 1;
    }
    return 0;
}

bool vn__code_at(const void *address, vn__code *c)
{
    Dl_info info;
    search s = {.address = (uintptr_t)address, .found = c};
    if (!dl_iterate_phdr(visit, &s)) return false;
    if (dladdr(address, &info)) {
        c->function = info.dli_sname;
        if (info.dli_fname) c->file = info.dli_fname;
    }
    return true;
}

/* With the static library, this code is in the program or in another library. That library must stay loaded, as libvinea does
 * (RTLD_NODELETE), even after dlclose: threads that used it still run its code when they end. */
bool vn__own_file(char *path, size_t capacity)
{
    char found[PATH_MAX];
    vn__code own = {0};
    search s = {.address = (uintptr_t)&visit, .found = &own};
    const bool program = !dl_iterate_phdr(visit, &s) || own.program;
    if (!program) dlopen(own.file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (!realpath(program ? "/proc/self/exe" : own.file, found) || strlen(found) >= capacity) return false;
    memcpy(path, found, strlen(found) + 1);
    return true;
}

/* The program is the first object there is. */
static int without_loader(struct dl_phdr_info *info, size_t size, void *answer)
{
    bool none = true;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) none &= info->dlpi_phdr[k].p_type != PT_INTERP;
    memcpy(answer, &none, sizeof none);
    return 1;
}

bool vn__linked_statically(void)
{
    bool answer = false;
    dl_iterate_phdr(without_loader, &answer);
    return answer;
}

/* ---- callers ---- */

/* Other C libraries have no such function, and an unwinder of its own would be a library more to depend on. */
static int walk(void **addresses, int most)
{
#ifdef __GLIBC__
    return backtrace(addresses, most);
#else
    (void)addresses, (void)most;
    return 0;
#endif
}

__attribute__((noinline)) int vn__callers(void **addresses, int most)
{
    enum { FRAMES = 64, OWN = 8 };
    void *all[FRAMES + OWN];
    const void *caller = __builtin_return_address(0);
    const int n = walk(all, most < FRAMES ? most + OWN : FRAMES + OWN);
    int own = 0; /* frames of this file */
    while (own < n && all[own] != caller) own++;
    const int left = n - own < most ? n - own : most;
    if (left > 0) memcpy(addresses, all + own, (size_t)left * sizeof *addresses);
    return left;
}
