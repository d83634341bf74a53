/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: options as fields of a struct and by name. */
/* compiled for speed */
#include "ops/options.h"
#include "base/minmax.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "core/text.h"
#include "ops/parameters.h"
#include <math.h>
#include <string.h>

/* ---- as the rules read them ---- */

static void put_default(vn__options *o, const vn_op_option *spec)
{
    const vn_option *value = spec->value;
    o->v[o->n].given = true;
    o->v[o->n].whole = spec->kind == VN_OPT_FLOAT && value->kind == VN_OPT_INT;
    o->v[o->n].is_unsigned = false;
    o->v[o->n].n = value->n;
    memcpy(&o->v[o->n++].u, &value->u, sizeof value->u);
}

/* ---- what is permitted ---- */

static const char *text_at(int i, void *texts)
{
    return ((const char *const *)texts)[i];
}

/* The text as the table spells it, whatever its case. NULL, with the error set, if the option has no such text. */
static const char *permitted(const char *who, const vn_op_option *spec, const char *text)
{
    const char *const *texts = spec->texts;
    if (!texts) return text;
    int n = 0;
    for (; texts[n]; n++)
        if (vn__same_word(texts[n], text)) return texts[n];
    vn__text t = {0};
    for (int k = 0; k < n; k++) vn__print(&t, "%s%s", k ? ", " : "", texts[k]);
    const char *near = vn__nearest(text, n, text_at, (void *)(uintptr_t)texts);
    vn__fail(VN_E_ARG, "%s: %s is \"%.40s\"; possible are %s%s%s%s", who, spec->name, text, t.failed ? "others" : t.text,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    vn__free(t.text);
    return NULL;
}

int vn__check_text(const char *who, const vn_op_option *spec, const char **text)
{
    if (!*text) return vn__fail(VN_E_NULL, "%s: option %s is NULL", who, spec->name);
    *text = permitted(who, spec, *text);
    return *text ? VN_OK : VN_E_ARG;
}

static int check_flag(const char *who, const vn_op_option *spec, int64_t value)
{
    if (value == 0 || value == 1) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: %s is %lld; it is a flag, 0 or 1", who, spec->name, (long long)value);
}

int vn__check_range(const char *who, const vn_op_option *spec, double value)
{
    const vn_op_range *r = spec->range;
    if (!r || ((r->above_min ? value > r->min : value >= r->min) && (r->below_max ? value < r->max : value <= r->max))) return VN_OK;
    /* NaN without its sign, which compilers choose: 0. / 0. */
    return vn__fail(VN_E_ARG, "%s: %s is %g; a number in %c%g, %g%c is needed", who, spec->name, isnan(value) ? NAN : value,
                    r->above_min ? '(' : '[', r->min, r->max, r->below_max ? ')' : ']');
}

/* ---- structs ---- */

/* Copies the field at `at` into `to`, with its default if it is not given (at is NULL, or the field is zero). */
static int resolve(const char *who, const vn_op_option *spec, const vn__field *f, const char *at, void *to)
{
    int code = VN_OK, flag;
    int64_t i;
    double d;
    const char *text;
    if (at) memcpy(to, at, f->bytes);
    else memset(to, 0, f->bytes);
    switch (f->read) {
    case VN__FIELD_FLAG: memcpy(&flag, to, sizeof flag); return check_flag(who, spec, flag);
    case VN__FIELD_INT:
        memcpy(&i, to, sizeof i);
        if (i != 0) code = vn__check_range(who, spec, (double)vn__whole_of(i));
        i = i == 0 ? spec->value->u.i : vn__whole_of(i);
        memcpy(to, &i, sizeof i);
        break;
    case VN__FIELD_FLOAT:
        memcpy(&d, to, sizeof d);
        if (d != 0) code = vn__check_range(who, spec, vn__real_of(d));
        d = d == 0 ? spec->value->u.f : vn__real_of(d);
        memcpy(to, &d, sizeof d);
        break;
    case VN__FIELD_TEXT:
        memcpy(&text, to, sizeof text);
        text = text ? permitted(who, spec, text) : spec->value->u.s;
        if (!text) code = VN_E_ARG;
        memcpy(to, &text, sizeof text);
        break;
    default: break; /* a list is empty, an initialiser or module is not given: all zeros */
    }
    return code;
}

/* No version of a struct ends inside a field. */
static int check_end(const char *who, const vn__struct *s, size_t size)
{
    for (int k = 0; k < s->n; k++) {
        const size_t begin = s->fields[k].offset, end = begin + s->fields[k].bytes;
        if (begin < size && size < end)
            return vn__fail(VN_E_ARG, "%s: the options' size is %zu, which ends inside %s; VN_OPTS and VN_INIT set it", who, size,
                            s->options[k].name);
    }
    return VN_OK;
}

/* What is behind the last field is not known here, also if it is `reserved`. */
static int size_of(const char *who, const vn__struct *s, const void *opts, size_t *size)
{
    *size = 0;
    if (!opts) return VN_OK;
    const vn__field *last = &s->fields[s->n - 1];
    const int code = vn__opts_size(who, opts, (size_t)last->offset + last->bytes, size);
    return code || *size >= s->size ? code : check_end(who, s, *size);
}

/* Where a field is in a struct of this size; NULL if it has none. */
static const char *field_at(const vn__field *f, const void *opts, size_t size)
{
    return (size_t)f->offset + f->bytes <= size ? (const char *)opts + f->offset : NULL;
}

int vn__take_struct(const char *who, const vn__struct *s, void *to, const void *opts)
{
    size_t size;
    int code = size_of(who, s, opts, &size);
    for (int k = 0; k < s->n && !code; k++)
        code = resolve(who, &s->options[k], &s->fields[k], field_at(&s->fields[k], opts, size), (char *)to + s->fields[k].offset);
    memcpy(to, &s->size, sizeof s->size);
    return code;
}

/* A field of a struct as an option. This runs for every op with options that is recorded: lists are not copied on the way. */
static int put_field(vn__options *o, const char *who, const vn_op_option *spec, const vn__field *f, const char *at)
{
    union {
        int flag;
        int64_t i;
        double d;
        const char *text;
    } u;
    int64_t sizes[3];
    int n = 3, code = VN_OK;
    switch (f->read) {
    case VN__FIELD_FLAG:
        memcpy(&u.flag, at, sizeof u.flag);
        code = check_flag(who, spec, u.flag);
        vn__put_int(o, u.flag);
        break;
    case VN__FIELD_INT:
        code = resolve(who, spec, f, at, &u);
        vn__put_int(o, u.i);
        break;
    case VN__FIELD_FLOAT:
        code = resolve(who, spec, f, at, &u);
        vn__put_float(o, u.d);
        break;
    case VN__FIELD_SIZES:
        memcpy(sizes, at, sizeof sizes);
        while (n && !sizes[n - 1]) n--;
        vn__put_list(o, n, sizes);
        break;
    case VN__FIELD_LIST: vn__put_shape(o, (const vn_shape *)(const void *)at); break;
    default: code = resolve(who, spec, f, at, &u); vn__put_text(o, u.text);
    }
    return code;
}

int vn__put_fields(vn__options *o, const char *who, const vn__struct *s, const void *opts)
{
    size_t size;
    int code = size_of(who, s, opts, &size);
    for (int k = 0; k < s->n && !code; k++) {
        const char *at = field_at(&s->fields[k], opts, size);
        if (at) code = put_field(o, who, &s->options[k], &s->fields[k], at);
        else put_default(o, &s->options[k]);
    }
    return code;
}

int vn__put_rest(vn__options *o, const char *who, const vn_op_option *of, const vn__struct *s, const void *opts)
{
    const int parameters = o->n;
    int code = s ? vn__put_fields(o, who, s, opts) : VN_OK;
    for (int k = 0; k < parameters && !code; k++)
        if (of[k].range) code = vn__check_range(who, &of[k], of[k].kind == VN_OPT_FLOAT ? o->v[k].u.f : (double)o->v[k].u.i);
    return code;
}

/* A number as a field: 0 for the default, so that 0 itself is VN_ZERO; NaN is a default that is computed. */
static int64_t given_int(int64_t i, const vn_op_option *spec)
{
    return i == spec->value->u.i ? 0 : i ? i : VN_ZERO;
}
static double given_float(double d)
{
    return isnan(d) ? 0 : d != 0 ? d : (double)VN_ZERO;
}

void vn__fill_struct(const vn__struct *s, const vn__options *o, int first, void *to)
{
    memset(to, 0, s->size);
    memcpy(to, &s->size, sizeof s->size);
    for (int k = 0; k < s->n; k++) {
        const vn__field *f = &s->fields[k];
        char *at = (char *)to + f->offset;
        const int n = o->v[first + k].n;
        const int64_t *is = o->v[first + k].is;
        switch (f->read) {
        case VN__FIELD_FLAG: memcpy(at, &(int){(int)o->v[first + k].u.i}, sizeof(int)); break;
        case VN__FIELD_INT: memcpy(at, &(int64_t){given_int(o->v[first + k].u.i, &s->options[k])}, sizeof(int64_t)); break;
        case VN__FIELD_FLOAT: memcpy(at, &(double){given_float(o->v[first + k].u.f)}, sizeof(double)); break;
        case VN__FIELD_SIZES: memcpy(at, is, (size_t)vn__min(n, 3) * sizeof *is); break;
        case VN__FIELD_LIST: *(vn_shape *)(void *)at = vn__shape(is, (size_t)n); break;
        case VN__FIELD_TEXT: memcpy(at, &o->v[first + k].u.s, sizeof(const char *)); break;
        default: break; /* initialisers are texts so far; modules have no options by name */
        }
    }
}

/* ---- by name ---- */

static const char *option_at(int i, void *options)
{
    const vn_op_option *o = (const vn_op_option *)options + i;
    return o->kind ? o->name : NULL; /* kind 0: for C only */
}

static int unknown_option(const char *who, int n, const vn_op_option *of, const char *name)
{
    vn__text t = {0};
    for (int k = 0; k < n; k++)
        if (of[k].kind) vn__print(&t, "%s%s", t.size ? ", " : "", of[k].name);
    char hint[128] = "";
    if (name) vn__did_you_mean(name, n, option_at, (void *)(uintptr_t)of, hint);
    int code = vn__fail(VN_E_ARG, "%s: unknown option \"%.40s\"; options: %s%s", who, name ? name : "(NULL)",
                        t.failed ? "?"
                        : t.text ? t.text
                                 : "it has none",
                        hint);
    vn__free(t.text);
    return code;
}

static int take_list(vn__options *o, int k, const char *who, const vn_op_option *spec, const vn_option *from)
{
    if (from->n < 0 || from->n > VN_MAX_RANK)
        return vn__fail(VN_E_ARG, "%s: option %s has %d items, at most %d are possible", who, spec->name, from->n, VN_MAX_RANK);
    if (from->n && !from->u.is) return vn__fail(VN_E_NULL, "%s: option %s is NULL", who, spec->name);
    o->v[k].n = from->n;
    for (int j = 0; j < from->n; j++) o->v[k].is[j] = from->u.is[j];
    return VN_OK;
}

static const char *kind_text(int kind)
{
    static const char *const texts[] = {
        [VN_OPT_INT] = "an integer",          [VN_OPT_FLOAT] = "a float", [VN_OPT_INTS] = "a list of integers",
        [VN_OPT_FLOATS] = "a list of floats", [VN_OPT_STRING] = "a text", [VN_OPT_UINT] = "an integer without a sign"};
    const bool known = kind >= 0 && kind < (int)(sizeof texts / sizeof *texts) && texts[kind];
    return known ? texts[kind] : "of no known kind";
}

/* One given option into its place. An integer serves as a float; one of type "number" is exact, and VN_ZERO is that integer itself. */
static int take(vn__options *o, const char *who, int n, const vn_op_option *of, const vn_option *from)
{
    int k = 0;
    while (k < n && (!from->name || !of[k].kind || strcmp(of[k].name, from->name) != 0)) k++;
    if (k == n) return unknown_option(who, n, of, from->name);
    const vn_op_option *spec = &of[k];
    if (o->v[k].given) return vn__fail(VN_E_ARG, "%s: option %s is given twice", who, spec->name);
    o->v[k].given = true;
    o->v[k].n = 1;
    o->v[k].whole = (from->kind == VN_OPT_INT || from->kind == VN_OPT_UINT) && !strcmp(spec->type, "number");
    o->v[k].is_unsigned = o->v[k].whole && from->kind == VN_OPT_UINT && from->u.i < 0;
    if (o->v[k].whole) {
        o->v[k].u.i = from->u.i;
        return vn__check_range(who, spec, o->v[k].is_unsigned ? (double)(uint64_t)from->u.i : (double)from->u.i);
    }
    if (from->kind == VN_OPT_INT && spec->kind == VN_OPT_FLOAT) {
        o->v[k].u.f = (double)vn__whole_of(from->u.i);
        if (o->v[k].u.f >= 0x1p63 || (int64_t)o->v[k].u.f != vn__whole_of(from->u.i))
            return vn__fail(VN_E_ARG, "%s: %s is %lld, which no float64 is", who, spec->name, (long long)from->u.i);
        return vn__check_range(who, spec, o->v[k].u.f);
    }
    if (from->kind != spec->kind)
        return vn__fail(VN_E_ARG, "%s: option %s is %s; %s is needed", who, spec->name, kind_text(from->kind), spec->type);
    if (spec->kind == VN_OPT_INTS) return take_list(o, k, who, spec, from);
    memcpy(&o->v[k].u, &from->u, sizeof from->u);
    if (spec->kind == VN_OPT_STRING) return vn__check_text(who, spec, &o->v[k].u.s);
    if (!strcmp(spec->type, "flag")) return check_flag(who, spec, from->u.i);
    if (spec->kind == VN_OPT_FLOAT) return vn__check_range(who, spec, o->v[k].u.f = vn__real_of(from->u.f));
    if (!strcmp(spec->type, "int")) o->v[k].u.i = vn__whole_of(from->u.i); /* not a dtype */
    return vn__check_range(who, spec, (double)o->v[k].u.i);
}

int vn__take_named(vn__options *o, const char *who, int n, const vn_op_option *of, int n_given, const vn_option *given)
{
    for (int k = 0; k < n; k++) o->v[k].given = false;
    for (int k = 0; k < n_given; k++) {
        int code = take(o, who, n, of, &given[k]);
        if (code) return code;
    }
    for (o->n = 0; o->n < n;) {
        const vn_op_option *spec = &of[o->n];
        if (o->v[o->n].given) o->n++;
        else if (spec->value) put_default(o, spec);
        else return vn__fail(VN_E_ARG, "%s: option %s (%s) must be given", who, spec->name, spec->type);
    }
    return VN_OK;
}
