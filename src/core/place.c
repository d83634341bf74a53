/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: VINEA_CHECK: where the program made an object (object.c) or recorded an op (program/node.c): what was running in the library,
 * and the functions of the program that called it. */
#include "core/place.h"
#include "core/memory.h"
#include "core/state.h"
#include "os/os.h"

enum { FRAMES = 24, PATH = 240 };

struct vn__place {
    _Atomic uint32_t refs;
    int depth;
    uint64_t number;
    const char *what;
    bool inside;
    char path[PATH];
    void *frames[FRAMES];
};

static _Atomic uint64_t places;

/* Outermost first; returns the length. What does not fit is left out. */
static size_t write_path(const vn__trail *t, char *to)
{
    if (!t) return 0;
    size_t at = t->from ? strlen(strcpy(to, t->from->path)) : write_path(t->up, to);
    int n = snprintf(to + at, PATH - at, "%s%s%s", at ? " > " : "", t->kind, t->name);
    if (n > 0 && (size_t)n < PATH - at) return at + (size_t)n;
    to[at] = 0;
    return at;
}

vn__place *vn__place_new(const char *what)
{
    vn__place *p = vn__calloc(sizeof *p);
    vn__state *s = vn__peek();
    if (!p) return NULL;
    atomic_init(&p->refs, 1);
    p->number = atomic_fetch_add(&places, 1) + 1;
    p->what = what;
    p->depth = vn__callers(p->frames, FRAMES);
    if (s && s->trail) {
        p->inside = s->trail->inside;
        write_path(s->trail, p->path);
    }
    return p;
}

vn__place *vn__place_retain(vn__place *p)
{
    if (p) atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void vn__place_release(vn__place *p)
{
    if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1) vn__free(p);
}

uint64_t vn__place_number(const vn__place *p)
{
    return p->number;
}

const char *vn__place_what(const vn__place *p)
{
    return p->what;
}

const char *vn__place_path(const vn__place *p)
{
    return p ? p->path : "";
}

bool vn__place_inside(const vn__place *p)
{
    return p && p->inside;
}

/* The file of a call, by the return address after it; NULL if it is unknown. */
static const char *find_call(const char *address, vn__code *c)
{
    if (!vn__code_at(address - 1, c)) return NULL;
    const char *slash = strrchr(c->file, '/');
    return slash ? slash + 1 : c->file;
}

/* From the library's caller to main. The library's own frames are left out, unless it is part of the program (libvinea.a). */
void vn__place_calls(const vn__place *p, char *to, size_t capacity)
{
    vn__code own = {0}, c;
    size_t at = 0;
    bool begun = false; /* in the program; what called main is not part of it */
    to[0] = 0;
    if (!p || !p->depth || !find_call(p->frames[0], &own)) return;
    for (int i = 1; i < p->depth; i++) {
        const char *file = find_call(p->frames[i], &c);
        if (!file || (c.base == own.base && !own.program)) continue;
        if (begun && !c.program && !strncmp(file, "libc.so", 7)) return;
        begun |= c.program;
        const bool named = c.function != NULL;
        const int n = snprintf(to + at, capacity - at, "%s%s%s%s+0x%llx%s", at ? " < " : "", named ? c.function : "", named ? " (" : "",
                               file, (unsigned long long)((uintptr_t)p->frames[i] - 1 - c.base), named ? ")" : "");
        if (n < 0 || (size_t)n >= capacity - at) {
            to[at] = 0;
            return;
        }
        at += (size_t)n;
    }
}
