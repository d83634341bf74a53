/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c: the columns of a row, read. */
#include "gen.h"
#include <stdio.h>
#include <string.h>

const option_type types[] = {
    {"shape", "vn_shape", "", "VN_OPT_INTS", "s", "VN__FIELD_LIST"},
    {"order", "vn_axes", "", "VN_OPT_INTS", "o", NULL},
    {"reduce", "vn_axes", "", "VN_OPT_INTS", "a", NULL},
    {"dtype", "vn_dtype", "", "VN_OPT_INT", "i", NULL},
    {"flag", "int", "", "VN_OPT_INT", "i", "VN__FIELD_FLAG"},
    {"int", "int64_t", "", "VN_OPT_INT", "i", "VN__FIELD_INT"},
    {"float", "double", "", "VN_OPT_FLOAT", "f", "VN__FIELD_FLOAT"},
    {"number", "double", "", "VN_OPT_FLOAT", "n", NULL},
    {"list", "vn_shape", "", "VN_OPT_INTS", "s", "VN__FIELD_LIST"},
    {"sizes", "int64_t", "[3]", "VN_OPT_INTS", NULL, "VN__FIELD_SIZES"},
    {"text", "const char *", "", "VN_OPT_STRING", "t", "VN__FIELD_TEXT"},
    {"init", "vn_init", "", "VN_OPT_STRING", NULL, "VN__FIELD_INIT"},
    {"optim", "vn_optim *", "", "VN_OPT_STRING", NULL, NULL},
    {"optims", "int n, vn_optim *const *", "", "VN_OPT_STRING", NULL, NULL},
    {"module", "const vn_module_opts *", "", "0", NULL, "VN__FIELD_MODULE"},
};
enum { n_types = sizeof types / sizeof *types };

static void copy(const row *r, char *to, size_t room, const char *from, size_t length)
{
    if (length >= room) stop(r->name, "\"%.*s\" is too long", (int)length, from);
    memcpy(to, from, length);
    to[length] = 0;
}

/* Where the range at the end of "beta:float=0.9 [0, 1)" begins; NULL: it has none. */
static char *range_in(char *text)
{
    char *closed = strstr(text, " ["), *open = strstr(text, " (");
    return closed ? closed : open;
}

/* Reads "b:dtype=float32", "index:int64" or "beta:float=0.9 [0, 1)", of this length. */
void read_field(const row *r, const char *text, size_t length, field *f)
{
    char part[2 * TEXTS];
    memset(f, 0, sizeof *f);
    copy(r, part, sizeof part, text, length);
    char *range = range_in(part);
    if (range) {
        copy(r, f->range, NAME, range + 1, strlen(range + 1));
        *range = 0;
        length = strlen(part);
    }
    size_t name = strcspn(part, ":"), type = strcspn(part, "=");
    copy(r, f->name, NAME, part, name < type ? name : type);
    if (name < type) copy(r, f->type, NAME, part + name + 1, type - name - 1);
    if (type == length) return;
    if (strchr(part + type, '|')) copy(r, f->texts, TEXTS, part + type + 1, strlen(part + type + 1));
    copy(r, f->fallback, TEXTS, part + type + 1, strcspn(part + type + 1, "|"));
}

_Static_assert((int)VN__MAX_IN == (int)VN__MAX_OUT, "split reads columns of either");

/* Splits "a:shape, b:dtype=float32" up to its end or a bar. Returns how many. */
static int split(const row *r, const char *text, field *out)
{
    int n = 0;
    for (text += strspn(text, " "); *text && *text != '|'; text += strspn(text, ",; ")) {
        if (n == VN__MAX_IN) stop(r->name, "more than %d entries in one column", VN__MAX_IN);
        size_t length = strcspn(text, ",;[("); /* a range has a comma of its own */
        const char *bar = strstr(text, " |");  /* that of permitted texts has no space before it */
        if (bar && (size_t)(bar - text) < length) length = (size_t)(bar - text);
        if (text[length] == '[' || text[length] == '(') length += strcspn(text + length, "])") + 1;
        while (length && text[length - 1] == ' ') length--;
        read_field(r, text, length, &out[n++]);
        text += length;
    }
    return n;
}

static const row *set_named(const row *r, const char *name)
{
    for (int k = 0; k < n_rows; k++)
        if (is(&rows[k], "options") && !strcmp(rows[k].name, name)) return &rows[k];
    stop(r->name, "there is no OPTIONS(%s, ...)", name);
}

/* Of the layouts that a format may name, "NHWC" or "OIDHW", those with the row's number of spatial axes, beside two others. */
static void keep_layouts(field *f, int spatial)
{
    char kept[TEXTS] = "";
    const size_t name = strlen(f->name), axes = (size_t)spatial + 2;
    if (!spatial || name < 7 || strcmp(f->name + name - 7, "_format") != 0) return;
    for (const char *t = f->texts; *t; t += strcspn(t, "|"), t += *t == '|') {
        const size_t length = strcspn(t, "|");
        if (t[0] >= 'A' && t[0] <= 'Z' && length != axes) continue;
        strcat(kept, kept[0] ? "|" : "");
        strncat(kept, t, length);
    }
    strcpy(f->texts, kept);
}

options options_of(const row *r)
{
    options o = {.n = split(r, r->options, o.f)};
    const char *bar = r->options[0] == '|' ? r->options : strstr(r->options, " |");
    o.parameters = o.n;
    if (bar) o.set = set_named(r, bar + strspn(bar, " |"));
    for (const char *const *f = o.set ? o.set->fields : NULL; f && *f; f += 2) {
        if (o.n == VN__MAX_OPTIONS) stop(r->name, "more than %d options", VN__MAX_OPTIONS);
        if (!f[1]) stop(o.set->name, "\"%s\" has no doc line", *f);
        read_field(r, *f, strlen(*f), &o.f[o.n]);
        o.f[o.n++].doc = f[1];
    }
    for (int i = 0; i < o.n; i++) {
        field *f = &o.f[i];
        keep_layouts(f, r->spatial);
        while (f->t < n_types && strcmp(types[f->t].type, f->type) != 0) f->t++;
        if (f->t == n_types) stop(r->name, "option %s has the unknown type \"%s\"", f->name, f->type);
        if (f->range[0] && strcmp(f->type, "float") != 0 && strcmp(f->type, "int") != 0)
            stop(r->name, "%s is no number: it has no range", f->name);
    }
    return o;
}

int is_type(const field *f, const char *type)
{
    return !strcmp(f->type, type);
}

int of_input(const field *f)
{
    return !strcmp(f->fallback, "input") || !strcmp(f->fallback, "sequence");
}

signature arguments(const row *r)
{
    signature s = {.m = 1, .out = {{.name = "z"}}};
    const char *arrow = strstr(r->inputs, " -> "), *behind = strchr(r->inputs, ';');
    char inputs[256];
    snprintf(inputs, sizeof inputs, "%.*s", (int)(arrow ? arrow - r->inputs : (long)strlen(r->inputs)), r->inputs);
    s.n = split(r, inputs, s.in);
    if (arrow) s.m = split(r, arrow + 4, s.out);
    s.shown = s.m;
    for (; behind && *behind; behind++) s.shown -= *behind == ',' || *behind == ';';
    for (int i = 0; i < s.n; i++) {
        char *mark = strpbrk(s.in[i].name, "?.");
        if (!mark || *mark == '.') s.required = i + 1;
        s.in[i].list = mark && *mark == '.';
        s.many += s.in[i].list;
        if (mark) *mark = 0;
    }
    s.plain = s.many == 1 && s.in[s.n - 1].list && s.n == 1 && s.m == 1;
    for (int i = 0; i < s.m; i++) {
        char *mark = strchr(s.out[i].name, '.');
        s.out[i].list = mark != NULL;
        if (mark) *mark = 0, s.plain = 0;
    }
    return s;
}

/* A row without a gradient says why: NO("the result is bool"). Copies the reason, or returns false. */
int reason(const row *r, char to[static 128])
{
    to[0] = 0;
    return !strncmp(r->vjp, "NO(", 3) && sscanf(r->vjp, "NO(\"%127[^\"]", to) == 1;
}

/* The run-time option that field i begins: axes of a reduction are two. */
int slot(const options *o, int i)
{
    int n = i;
    for (int k = 0; k < i; k++) n += is_type(&o->f[k], "reduce");
    return n;
}
