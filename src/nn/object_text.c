/* SPDX-License-Identifier: Apache-2.0 */
/* object_text.c: objects as text, as model files, vn_fit and the command line have them: "huber(0.5)",
 * "uniform(6, 0.5, fan=out)", "chain(clip_by_global_norm(1), adam)". Options stand in brackets, in the order of the row or by name; spaces do not count. */
#include "nn/objects.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/text.h"
#include "tree/tree.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- reading ---- */

size_t vn__item_length(const char *list)
{
    size_t n = 0;
    for (int depth = 0; list[n] && (list[n] != ',' || depth > 0); n++) depth += (list[n] == '(') - (list[n] == ')');
    return n;
}

char *vn__trimmed(char *s)
{
    while (*s == ' ') s++;
    size_t n = strlen(s);
    while (n && s[n - 1] == ' ') n--;
    s[n] = 0;
    return s;
}

char *vn__next_item(char **list)
{
    char *item = *list;
    if (!item) return NULL;
    const size_t n = vn__item_length(item);
    *list = item[n] ? item + n + 1 : NULL;
    item[n] = 0;
    return vn__trimmed(item);
}

int vn__cut_call(const char *who, const char *what, char *text, char **name, char **inside)
{
    char *open = strchr(text = vn__trimmed(text), '('), *end = text + strlen(text);
    if (open && end[-1] != ')') return vn__fail(VN_E_ARG, "%s: \"%.60s\" is no %s: a bracket is not closed", who, text, what);
    if (open) *open = end[-1] = 0;
    *inside = open ? vn__trimmed(open + 1) : NULL;
    *name = vn__trimmed(text);
    return VN_OK;
}

static int read_value(const char *who, const char *name, const vn_op_option *o, const char *text, vn_option *to)
{
    double x;
    *to = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
    if (o->kind == VN_OPT_STRING) return to->u.s = text, VN_OK;
    if (o->kind != VN_OPT_FLOAT && o->kind != VN_OPT_INT)
        return vn__fail(VN_E_UNSUPPORTED, "%s: %s: %s is a list, which no text holds", who, name, o->name);
    if (!strcmp(o->type, "flag") && (vn__same_word(text, "true") || vn__same_word(text, "false")))
        return to->u.i = vn__same_word(text, "true"), VN_OK;
    const bool number = vn__number_parse(text, strlen(text), &x), whole = number && x == floor(x) && fabs(x) < 0x1p53;
    if (o->kind == VN_OPT_FLOAT ? !number : !whole)
        return vn__fail(VN_E_ARG, "%s: %s: %s is \"%.40s\"; %s is needed", who, name, o->name, text,
                        o->kind == VN_OPT_FLOAT ? "a number" : "a whole number");
    if (o->kind == VN_OPT_FLOAT) to->u.f = x;
    else to->u.i = (int64_t)x;
    return VN_OK;
}

/* Whether an item is "name=value". */
static bool is_named(const char *item)
{
    const size_t n = strcspn(item, "=(,");
    return item[n] == '=';
}

/* The option that an item "0.5" or "fan=out" gives; `place` is its number. One that the row does not have is refused where it is made. A
 * learning rate that is a schedule becomes *rate; rate is NULL where there can be none. */
static int read_item(const char *who, const vn__object_row *info, int place, bool *named, char *item, vn_option *to, const char **rate)
{
    char *equals = strchr(item, '=');
    int k = place;
    if (is_named(item)) {
        *equals = 0;
        const char *name = vn__trimmed(item);
        for (k = 0; k < info->n_options && (!info->options[k].kind || strcmp(info->options[k].name, name) != 0);) k++;
        if (k == info->n_options) return *to = (vn_option){.name = name, .kind = VN_OPT_INT, .n = 1}, VN_OK;
        item = equals + 1;
        *named = true;
    } else if (*named) {
        return vn__fail(VN_E_ARG, "%s: %s: \"%.40s\" has no name and follows an option that has one", who, info->name, vn__trimmed(item));
    }
    if (k == info->n_options || !info->options[k].kind)
        return vn__fail(VN_E_ARG, "%s: %s takes %d option%s, not \"%.40s\"", who, info->name, k, k == 1 ? "" : "s", vn__trimmed(item));
    item = vn__trimmed(item);
    if (rate && !strcmp(info->options[k].name, "lr") && strchr(item, '(')) {
        *rate = item;
        return *to = (vn_option){.name = "lr", .kind = VN_OPT_FLOAT, .n = 1}, VN_OK;
    }
    return read_value(who, info->name, &info->options[k], item, to);
}

/* The row of "top5": a name with its first option, a whole number, behind it. */
static const vn__object_row *with_number(const vn__family *f, char *name, char **number)
{
    char word[VN__OBJECT_TEXT];
    size_t n = strlen(name);
    while (n && isdigit((unsigned char)name[n - 1])) n--;
    snprintf(word, sizeof word, "%.*s", (int)n, name);
    const vn__object_row *info = name[n] ? vn__object_named(f, word) : NULL;
    *number = name + n;
    return info && info->n_options && !strcmp(info->options[0].type, "int") ? info : NULL;
}

int vn__object_of_text(const char *who, const vn__makers *m, const char *text, void *to, char *rate)
{
    const vn__family *f = m->family;
    const char *schedule = NULL;
    char copy[VN__OBJECT_TEXT], *name, *inside;
    vn_option options[VN__MAX_OPTIONS];
    if (strlen(text) >= VN__OBJECT_TEXT) return vn__fail(VN_E_ARG, "%s: \"%.40s...\" is no %s: it is too long", who, text, f->name);
    strcpy(copy, text);
    if (vn__cut_call(who, f->name, copy, &name, &inside)) return vn_status();
    const vn__object_row *info = vn__object_named(f, name);
    if (!info && !inside) info = with_number(f, name, &inside);
    if (!info) return vn__object_unknown(who, f, name);
    int n = 0;
    bool named = false, more = inside && *inside;
    while (more) {
        char *item = inside;
        size_t length = vn__item_length(item);
        if (n < info->n_options && !strcmp(info->options[n].type, "optims"))
            while (item[length] == ',' && !is_named(item + length + 1)) length += 1 + vn__item_length(item + length + 1);
        more = item[length] == ',';
        item[length] = 0;
        inside = item + length + 1;
        if (n == VN__MAX_OPTIONS) return vn__fail(VN_E_ARG, "%s: %s: more than %d options", who, info->name, n);
        const int code = read_item(who, info, n, &named, item, &options[n], rate ? &schedule : NULL);
        if (code) return code;
        n++;
    }
    if (rate) snprintf(rate, VN__OBJECT_TEXT, "%s", schedule ? schedule : "");
    return vn__object_make(who, m, info->name, options, n, to);
}

/* ---- writing ---- */

static bool is_default(const vn_op_option *o, const vn__options *given, int k)
{
    if (!o->value) return false;
    if (o->kind == VN_OPT_STRING) return !strcmp(o->value->u.s, given->v[k].u.s);
    if (o->kind == VN_OPT_FLOAT) return o->value->u.f == given->v[k].u.f || (isnan(o->value->u.f) && isnan(given->v[k].u.f));
    return o->kind == VN_OPT_INT ? o->value->u.i == given->v[k].u.i : !given->v[k].n;
}

/* Parameters up to the last that differs from its default stand in order, fields that differ by name. */
static int print(vn__text *t, const vn__object_row *info, const vn__options *given)
{
    int parameters = 0;
    const char *before = "(";
    for (int k = 0; k < info->n_options && !info->options[k].doc; k++)
        if (!is_default(&info->options[k], given, k)) parameters = k + 1;
    vn__print(t, "%s", info->name);
    for (int k = 0; k < info->n_options; k++) {
        const vn_op_option *o = &info->options[k];
        char number[32];
        if (k < parameters ? false : !o->doc || !o->kind || is_default(o, given, k)) continue;
        if (o->kind == VN_OPT_INTS)
            return vn__fail(VN_E_UNSUPPORTED, "object_text: %s: %s is a list, which no text holds", info->name, o->name);
        vn__print(t, "%s%s%s", before, k < parameters ? "" : o->name, k < parameters ? "" : "=");
        if (o->kind == VN_OPT_FLOAT) vn__number_short(given->v[k].u.f, number), vn__print(t, "%s", number);
        else if (o->kind == VN_OPT_INT) vn__print(t, "%lld", (long long)given->v[k].u.i);
        else vn__print(t, "%s", given->v[k].u.s);
        before = ", ";
    }
    vn__print(t, "%s", *before == ',' ? ")" : "");
    return t->failed ? vn__no_memory("object_text") : VN_OK;
}

const char *vn__object_text(const char *who, const vn__family *f, const char *name, const vn_option *options, int n)
{
    vn__options given;
    if (!name) return vn__fail(VN_E_NULL, "%s: name is NULL", who), NULL;
    if (n < 0 || (n && !options)) return vn__fail(VN_E_ARG, "%s: %s: %d options", who, name, n), NULL;
    const vn__object_row *info = vn__object_named(f, name);
    if (!info) return vn__object_unknown(who, f, name), NULL;
    if (vn__take_named(&given, info->name, info->n_options, info->options, n, options)) return NULL;
    vn__text t = {0};
    char *text = print(&t, info, &given) ? NULL : vn__scope_memory(t.size + 1, who);
    if (text) memcpy(text, t.text, t.size + 1);
    vn__free(t.text);
    return text;
}

int vn__options_of(const vn__object_row *info, const double *value, vn_option to[static VN__SCORE_OPTIONS])
{
    for (int k = 0; k < info->n_options; k++) {
        const vn_op_option *o = &info->options[k];
        to[k] = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
        if (o->kind == VN_OPT_FLOAT) to[k].u.f = value[k];
        else if (o->kind == VN_OPT_INT) to[k].u.i = (int64_t)value[k];
        else to[k].u.s = o->texts[(int)value[k]];
    }
    return info->n_options;
}
