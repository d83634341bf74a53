/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c: layers, initialisers, optimizers, schedules, losses and metrics by name (objects.def). */
#include "nn/objects.h"
#include "nn/optim.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "core/text.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ROOM = 2048, MAX_LISTED = 20 }; /* bytes of the largest struct of options; names that an error lists */
typedef struct {
    vn_op_info info;
    const char *function; /* the name of its function, without vn_ */
    int (*make)(const vn__options *o, const void *opts, void *to);
    const vn__struct *fields;
    int first; /* option that the first field is */
} vn__object_row;

/* The options of a loss or metric as numbers: a text as its place among those permitted. o holds the parameters so far. */
static int settle(const char *who, const vn_op_option *of, const vn__struct *fields, const void *opts, vn__options *o, double *value)
{
    const int parameters = o->n;
    int code = fields ? vn__put_fields(o, who, fields, opts) : VN_OK;
    for (int k = 0; k < parameters && !code; k++)
        code = vn__check_range(who, &of[k], of[k].kind == VN_OPT_FLOAT ? o->v[k].u.f : (double)o->v[k].u.i);
    for (int k = 0; k < o->n && !code; k++) {
        value[k] = of[k].kind == VN_OPT_FLOAT ? o->v[k].u.f : of[k].kind == VN_OPT_INT ? (double)o->v[k].u.i : 0;
        if (of[k].kind == VN_OPT_STRING)
            while (strcmp(of[k].texts[(int)value[k]], o->v[k].u.s) != 0) value[k]++;
    }
    return code;
}

#include "objects_table.inc"
enum { ROWS = sizeof object_rows / sizeof *object_rows };

/* ---- listing ---- */

static bool is_family(const vn__object_row *r, const char *family)
{
    return !strcmp(r->info.kind, family);
}

/* How many rows it has; 0, with the error set, if there is no such family. */
static int count(const char *who, const char *family)
{
    int n = 0;
    if (!family) return vn__fail(VN_E_NULL, "%s: family is NULL", who), 0;
    for (int k = 0; k < ROWS; k++) n += is_family(&object_rows[k], family);
    if (n) return n;
    vn__text t = {0};
    for (int k = 0; k < ROWS; k++)
        if (!k || strcmp(object_rows[k - 1].info.kind, object_rows[k].info.kind) != 0)
            vn__print(&t, "%s%s", k ? ", " : "", object_rows[k].info.kind);
    vn__fail(VN_E_ARG, "%s: there is no family \"%.40s\"; possible are %s", who, family, t.failed ? "others" : t.text);
    vn__free(t.text);
    return 0;
}

int vn_object_count(const char *family)
{
    const int n = count("object_count", family);
    return n ? n : -1;
}

int vn_object_at(const char *family, int i, vn_op_info *info)
{
    const int n = count("object_at", family);
    int at = i;
    if (!n) return vn_status();
    for (int k = 0; k < ROWS; k++) {
        if (!is_family(&object_rows[k], family) || at--) continue;
        return VN__GIVE("object_at", vn_op_info, info, &object_rows[k].info);
    }
    return vn__fail(VN_E_ARG, "object_at: there is no %.40s %d; there are %d", family, i, n);
}

/* ---- making ---- */

static const char *name_at(int i, void *family)
{
    return is_family(&object_rows[i], family) ? object_rows[i].info.name : NULL;
}

int vn__object_unknown(const char *who, const char *family, const char *name)
{
    char hint[128];
    vn__text t = {0};
    vn__did_you_mean(name, ROWS, name_at, (void *)(uintptr_t)family, hint);
    if (count(who, family) > MAX_LISTED)
        return vn__fail(VN_E_ARG, "%s: there is no %s \"%.40s\"%s (vn_object_at lists them)", who, family, name, hint);
    for (int k = 0; k < ROWS; k++)
        if (is_family(&object_rows[k], family)) vn__print(&t, "%s%s", t.size ? ", " : "", object_rows[k].info.name);
    const int code =
        vn__fail(VN_E_ARG, "%s: there is no %s \"%.40s\"; possible are %s%s", who, family, name, t.failed ? "others" : t.text, hint);
    vn__free(t.text);
    return code;
}

static const vn__object_row *row_named(const char *family, const char *name)
{
    for (int k = 0; k < ROWS; k++) {
        if (is_family(&object_rows[k], family) && vn__same_word(object_rows[k].info.name, name)) return &object_rows[k];
    }
    return NULL;
}

const vn_op_info *vn__object_named(const char *family, const char *name)
{
    const vn__object_row *r = row_named(family, name);
    return r ? &r->info : NULL;
}

const vn_op_info *vn__object_number(const char *family, int number)
{
    const vn__object_row *r = object_rows;
    for (; r < object_rows + ROWS; r++)
        if (is_family(r, family) && !--number) return &r->info;
    return NULL;
}

static const vn__object_row *find(const char *who, const char *family, const char *name)
{
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who), NULL;
    const vn__object_row *r = row_named(family, name);
    if (!r) vn__object_unknown(who, family, name);
    return r;
}

/* Initialisers that are texts so far, of a struct that vn__fill_struct made. */
static int fill_inits(const vn__object_row *r, const vn__options *o, char *opts)
{
    int code = VN_OK;
    for (int k = 0; r->fields && k < r->fields->n && !code; k++) {
        const vn__field *f = &r->fields->fields[k];
        if (f->read == VN__FIELD_INIT)
            code = vn__object_of_text(r->function, "initialiser", o->v[r->first + k].u.s, (vn_init *)(void *)(opts + f->offset));
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
    return vn__fail(VN_E_ARG, "%s: %s has %d numbers; at most 3, all above 0, are needed", r->function, r->info.options[at].name, n);
}

int vn__object_make(const char *who, const char *family, const char *name, const vn_option *options, int n, void *to)
{
    _Alignas(max_align_t) char opts[ROOM];
    vn__options o;
    const vn__object_row *r = find(who, family, name);
    if (!r) return vn_status();
    if (n < 0 || (n && !options)) return vn__fail(VN_E_ARG, "%s: %s: %d options", who, name, n);
    int code = vn__take_named(&o, r->function, r->info.n_options, r->info.options, n, options);
    for (int k = 0; r->fields && k < r->fields->n && !code; k++) code = check_sizes(r, &o, k);
    if (!code && r->fields) vn__fill_struct(r->fields, &o, r->first, opts);
    if (!code) code = fill_inits(r, &o, opts);
    return code ? code : r->make(&o, r->fields ? opts : NULL, to);
}

vn_module *vn_nn_make(const char *name, const vn_option *options, int n)
{
    vn_module *m = NULL;
    return vn__object_make("nn_make", "layer", name, options, n, &m) ? NULL : m;
}

vn_optim *vn_optim_make(const char *name, const vn_option *options, int n)
{
    vn_optim *o = NULL;
    return vn__object_make("optim_make", vn__optim_family(name), name, options, n, &o) ? NULL : o;
}

int vn_schedule_make(const char *name, const vn_option *options, int n, vn_schedule *to)
{
    if (!to) return vn__fail(VN_E_NULL, "schedule_make: to is NULL");
    return vn__object_make("schedule_make", "schedule", name, options, n, to);
}

int vn_init_make(const char *name, const vn_option *options, int n, vn_init *to)
{
    if (!to) return vn__fail(VN_E_NULL, "init_make: to is NULL");
    return vn__object_make("init_make", "initialiser", name, options, n, to);
}

int vn_loss_make(const char *name, const vn_option *options, int n, vn_loss *to)
{
    if (!to) return vn__fail(VN_E_NULL, "loss_make: to is NULL");
    return vn__object_make("loss_make", "loss", name, options, n, to);
}

int vn_metric_make(const char *name, const vn_option *options, int n, vn_metric *to)
{
    if (!to) return vn__fail(VN_E_NULL, "metric_make: to is NULL");
    return vn__object_make("metric_make", "metric", name, options, n, to);
}

/* ---- options in C ---- */

bool vn__take_numbers(const char *family, const char *name, int n, double *numbers)
{
    const vn__object_row *r = find(name, family, name);
    int code = r ? VN_OK : (int)vn_status();
    for (int k = 0; k < n && !code; k++) code = vn__check_range(r->function, &r->info.options[k], numbers[k] = vn__real_of(numbers[k]));
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
                          : vn__object_of_text(who, "initialiser", s->options[k].fallback, init);
    }
    return !code;
}
