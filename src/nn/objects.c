/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c: objects by name: rows of a family (objects.def), and what its makers make of them. No family is named here but that of
 * initialisers, which the options of layers hold. */
#include "nn/objects.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/text.h"
#include <stddef.h>
#include <string.h>

enum { MAX_LISTED = 20 }; /* names that an error lists */

/* ---- rows ---- */

static const char *name_at(int i, void *family)
{
    return ((const vn__family *)family)->rows[i].name;
}

int vn__object_unknown(const char *who, const vn__family *f, const char *name)
{
    char hint[128];
    vn__text t = {0};
    vn__did_you_mean(name, f->n, name_at, (void *)(uintptr_t)f, hint);
    if (f->n > MAX_LISTED) return vn__fail(VN_E_ARG, "%s: there is no %s \"%.40s\"%s (vn_object_at lists them)", who, f->name, name, hint);
    for (int k = 0; k < f->n; k++) vn__print(&t, "%s%s", k ? ", " : "", f->rows[k].name);
    const int code =
        vn__fail(VN_E_ARG, "%s: there is no %s \"%.40s\"; possible are %s%s", who, f->name, name, t.failed ? "others" : t.text, hint);
    vn__free(t.text);
    return code;
}

const vn__object_row *vn__object_named(const vn__family *f, const char *name)
{
    for (int k = 0; k < f->n; k++)
        if (vn__same_word(f->rows[k].name, name)) return &f->rows[k];
    return NULL;
}

const vn__object_row *vn__object_number(const vn__family *f, int number)
{
    return number > 0 && number <= f->n ? &f->rows[number - 1] : NULL;
}

static const vn__object_row *find(const char *who, const vn__family *f, const char *name)
{
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who), NULL;
    const vn__object_row *r = vn__object_named(f, name);
    if (!r) vn__object_unknown(who, f, name);
    return r;
}

/* ---- making ---- */

/* Initialisers that are texts so far, of a struct that vn__fill_struct made. */
static int fill_inits(const vn__object_row *r, const vn__options *o, char *opts)
{
    int code = VN_OK;
    for (int k = 0; r->fields && k < r->fields->n && !code; k++) {
        const vn__field *f = &r->fields->fields[k];
        if (f->read == VN__FIELD_INIT)
            code = vn__object_of_text(r->function, &vn__makers_initialiser, o->v[r->first + k].u.s, (vn_init *)(void *)(opts + f->offset),
                                      NULL);
    }
    return code;
}

/* A list of sizes given by name has one to three numbers above 0; a struct could not tell others from none. */
static int check_sizes(const vn__object_row *r, const vn__options *o, int k)
{
    const int at = r->first + k, n = o->v[at].n;
    if (r->fields->fields[k].read != VN__FIELD_SIZES) return VN_OK;
    bool fits = n <= 3;
    for (int j = 0; j < n && fits; j++) fits = o->v[at].is[j] > 0;
    if (fits) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: %s has %d numbers; at most 3, all above 0, are needed", r->function, r->options[at].name, n);
}

int vn__object_make(const char *who, const vn__makers *m, const char *name, const vn_option *options, int n, void *to)
{
    _Alignas(max_align_t) char opts[VN__OPTIONS_ROOM];
    vn__options o;
    const vn__object_row *r = find(who, m->family, name);
    if (!r) return vn_status();
    if (n < 0 || (n && !options)) return vn__fail(VN_E_ARG, "%s: %s: %d options", who, name, n);
    int code = vn__take_named(&o, r->function, r->n_options, r->options, n, options);
    for (int k = 0; r->fields && k < r->fields->n && !code; k++) code = check_sizes(r, &o, k);
    if (!code && r->fields) vn__fill_struct(r->fields, &o, r->first, opts);
    if (!code) code = fill_inits(r, &o, opts);
    return code ? code : m->make[r - m->family->rows](&o, r->fields ? opts : NULL, to);
}

/* ---- options in C ---- */

bool vn__take_numbers(const vn__family *f, const char *name, int n, double *numbers)
{
    const vn__object_row *r = find(name, f, name);
    int code = r ? VN_OK : (int)vn_status();
    for (int k = 0; k < n && !code; k++) code = vn__check_range(r->function, &r->options[k], numbers[k] = vn__real_of(numbers[k]));
    return !code;
}

int vn__check_made(const char *who, const char *name, int kind)
{
    return kind >= 0 ? VN_OK : vn__fail(VN_E_ARG, "%s: %s failed to be made", who, name);
}

bool vn__take_options(const char *who, const vn__struct *s, void *to, const void *opts)
{
    int code = vn__take_struct(who, s, to, opts);
    for (int k = 0; k < s->n && !code; k++) {
        if (s->fields[k].read != VN__FIELD_INIT) continue;
        vn_init *init = (vn_init *)(void *)((char *)to + s->fields[k].offset);
        code = init->kind ? vn__check_made(who, s->options[k].name, init->kind)
                          : vn__object_of_text(who, &vn__makers_initialiser, s->options[k].fallback, init, NULL);
    }
    return !code;
}
