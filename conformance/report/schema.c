/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: validates values of report.json with tables of fields. */
#include "schema.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static void print_place(text *t, const place *w)
{
    if (!w) return;
    print_place(t, w->above);
    if (!w->name) text_add(t, "[%d]", w->index);
    else text_add(t, "%s%.60s", t->size ? "." : "", w->name);
}

bool wrong(const reader *r, const place *w, const char *format, ...)
{
    text where = {0};
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    print_place(&where, w);
    report_says(r->p, "%s: %s: %s", r->file, where.size ? where.data : "the file", what);
    text_free(&where);
    return false;
}

bool is_one_of(const char *word, const char *const *words, int n)
{
    for (int i = 0; i < n; i++) {
        if (!strcmp(word, words[i])) return true;
    }
    return false;
}

bool wrong_word(const reader *r, const place *w, const char *got, const char *const *words, int n)
{
    text list = {0};
    for (int i = 0; i < n; i++) text_add(&list, "%s%s", i ? ", " : "", *words[i] ? words[i] : "\"\"");
    wrong(r, w, "'%.60s' is none of %s", got, list.size ? list.data : "");
    text_free(&list);
    return false;
}

/* A JSON number, or one of the three that JSON lacks. */
static bool number_of(const json *v, double *x)
{
    static const char *const names[] = {"nan", "inf", "-inf"};
    static const double values[] = {NAN, INFINITY, -INFINITY};
    *x = v->number;
    if (v->kind == VN__JSON_NUMBER) return true;
    for (int i = 0; v->kind == VN__JSON_TEXT && i < 3; i++) {
        if (strcmp(v->text, names[i])) continue;
        *x = values[i];
        return true;
    }
    return false;
}

bool state_at(const reader *r, const place *w, const json *v, report_state *s)
{
    const char *names[REPORT_STATES];
    for (int i = 0; i < REPORT_STATES; i++) names[i] = report_states[i].name;
    if (v->kind != VN__JSON_TEXT) return wrong(r, w, "a state was expected, not %s", vn__json_kind_name(v));
    return report_state_of(v->text, s) || wrong_word(r, w, v->text, names, REPORT_STATES);
}

static bool all_states(const reader *r, const place *w, const json *object)
{
    for (const json *v = object->first; v; v = v->next) {
        report_state s;
        if (!state_at(r, &(place){w, v->key, 0}, v, &s)) return false;
    }
    return true;
}

static bool whole(double x)
{
    return x >= 0 && x <= 9007199254740992.0 && floor(x) == x;
}

/* Checks one value and stores it. */
static bool take_field(const reader *r, const place *w, const field *f, const json *v, char *to)
{
    static const char *const wants[] = {"a text", "a whole number, 0 or more,", "a number", "true or false", "an object",
                                        "a text", "a number or a text",         "a list",   "an object"};
    double x = NAN;
    bool good = false;
    switch (f->kind) {
    case TEXT:
    case NAMED: good = v->kind == VN__JSON_TEXT; break;
    case COUNT: good = v->kind == VN__JSON_NUMBER && whole(v->number); break;
    case NUMBER: good = number_of(v, &x); break;
    case BOOL: good = v->kind == VN__JSON_BOOL; break;
    case VALUE: good = v->kind == VN__JSON_NUMBER || v->kind == VN__JSON_TEXT; break;
    case LIST: good = v->kind == VN__JSON_LIST; break;
    case STATES:
    case OBJECT: good = v->kind == VN__JSON_OBJECT; break;
    }
    if (!good) return wrong(r, w, "%s was expected, not %s", wants[f->kind], vn__json_kind_name(v));
    if (f->kind == NAMED && !is_one_of(v->text, f->words, f->n_words)) return wrong_word(r, w, v->text, f->words, f->n_words);
    if (f->kind == STATES && !all_states(r, w, v)) return false;
    if (f->to == NOWHERE) return true;
    if (f->kind == TEXT || f->kind == NAMED) *(const char **)(void *)(to + f->to) = v->text;
    else if (f->kind == COUNT) *(int64_t *)(void *)(to + f->to) = (int64_t)v->number;
    else if (f->kind == NUMBER) *(double *)(void *)(to + f->to) = x;
    else if (f->kind == BOOL) *(bool *)(to + f->to) = v->number != 0;
    return true;
}

bool take_fields(const reader *r, const place *w, const json *object, const field *fields, size_t n, void *to)
{
    if (object->kind != VN__JSON_OBJECT) return wrong(r, w, "an object was expected, not %s", vn__json_kind_name(object));
    for (size_t i = 0; i < n; i++) {
        const field *f = &fields[i];
        const json *v = json_at(object, f->name);
        if (!v && !f->optional) return wrong(r, w, "the field '%s' is missing", f->name);
        if (v && !take_field(r, &(place){w, f->name, 0}, f, v, to)) return false;
    }
    return true;
}
