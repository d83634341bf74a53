/* SPDX-License-Identifier: Apache-2.0 */
/* learn.c: decides from a table and the options what its features and its target are. */
#include "train/schema.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>
#include <stdarg.h>
#include <math.h>

int vn__note(vn__origin *from, const char *format, ...)
{
    enum { MAX_NOTES = 64 };
    char text[600];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    vn__labels *l = &from->labels;
    if (l->n_notes == MAX_NOTES) return VN_OK;
    if (!l->notes && !(l->notes = vn__calloc((MAX_NOTES + 1) * sizeof *l->notes))) return vn__no_memory(from->who);
    l->notes[l->n_notes] = vn__copy_text(text);
    return l->notes[l->n_notes] ? l->n_notes++, VN_OK : vn__no_memory(from->who);
}

/* ---- columns by name ---- */

static const char *name_at(int i, void *table)
{
    return ((const vn_table *)table)->columns[i].name;
}

int vn__column_named(const vn_table *t, const char *name, size_t n, const vn__origin *from, const char *option)
{
    char word[64], near[128], *end;
    for (int i = 0; i < t->n_columns; i++)
        if (strlen(t->columns[i].name) == n && !memcmp(t->columns[i].name, name, n)) return i;
    snprintf(word, sizeof word, "%.*s", (int)vn__min(n, 60), name);
    long long number = strtoll(word, &end, 10);
    if (number < 0) number += t->n_columns;
    if (n && !*end && number >= 0 && number < t->n_columns) return (int)number;
    vn__text names = {0};
    for (int i = 0; i < t->n_columns && names.size < 400; i++) vn__print(&names, "%s%.60s", i ? ", " : "", t->columns[i].name);
    vn__fail(VN_E_ARG, "%s: %.300s: option %s: there is no column \"%s\"; columns are 0 to %d, or %.300s%s", from->who, from->path, option,
             word, t->n_columns - 1, names.failed ? "" : names.text,
             vn__did_you_mean(word, t->n_columns, name_at, (void *)(uintptr_t)t, near));
    vn__free(names.text);
    return -1;
}

/* The columns of the option: use[i] says whether column i may be a feature, which the target never is, named among them or not. */
static int choose_columns(const vn_table *t, const char *list, const vn__origin *from, bool *use, bool *listed)
{
    bool without = false, with = false;
    const char *at = list + strspn(list, " ");
    without = *at == '-';
    for (int i = 0; i < t->n_columns; i++) use[i] = without;
    while (*at) {
        bool minus = *at == '-';
        at += minus;
        size_t n = strcspn(at, ","), used = n;
        while (used && at[used - 1] == ' ') used--;
        if (minus != without) with = true;
        int i = vn__column_named(t, at, used, from, "columns");
        if (i < 0) return vn_status();
        use[i] = !minus, listed[i] = true;
        at += n + (at[n] == ',');
        at += strspn(at, " ");
    }
    if (with)
        return vn__fail(VN_E_ARG, "%s: %.300s: option columns: \"%.100s\" both names columns and leaves some out (-); write one kind",
                        from->who, from->path, list);
    return VN_OK;
}

/* ---- features ---- */

/* A column of numbers in which something else stands. */
static int odd_column(const vn_table *t, const vn_column *c, const char *what, const vn__origin *from)
{
    char line[40] = "";
    if (c->odd_line) snprintf(line, sizeof line, ", on line %lld", (long long)c->odd_line);
    const int64_t all = t->rows - c->missing;
    return vn__fail(VN_E_FORMAT,
                    "%s: %.300s: %s \"%.60s\": %lld of %lld values are not numbers, the first is \"%.60s\"%s: correct the file, name such "
                    "texts in option na to count them as missing, "
                    "or name the column in option text if it is text",
                    from->who, from->path, what, c->name, (long long)(all - c->odd_numbers), (long long)all, c->odd, line);
}

/* Adds a column that cannot be a feature to the sentence and to the option that leaves it out. */
static void add_unfit(const vn_column *c, int i, vn__text *names, vn__text *option)
{
    vn__print(names, "%s\"%.60s\" (", names->size ? ", " : "", c->name);
    if (c->kind == VN_COLUMN_DATE) vn__print(names, "dates)");
    else vn__print(names, "text with %lld different values such as \"%.40s\")", (long long)c->n_classes, c->classes[0]);
    if (c->name[0] == '-' || strpbrk(c->name, ",\"'") || strlen(c->name) > 60) vn__print(option, "%s-%d", option->size ? "," : "", i);
    else vn__print(option, "%s-%s", option->size ? "," : "", c->name);
}

static int learn_feature(const vn_table *t, int i, const vn_dataset_opts *o, vn__origin *from, vn__feature *to)
{
    const vn_column *c = &t->columns[i];
    *to = (vn__feature){.name = c->name, .position = i, .deviation = 1};
    if (c->kind == VN_COLUMN_TEXT) return to->n_classes = c->n_classes, to->classes = c->classes, VN_OK;
    to->fill = isfinite(c->mean) ? c->mean : 0;
    if (o->standardize && isfinite(c->mean)) {
        to->mean = c->mean;
        to->deviation = isfinite(c->deviation) && c->deviation > 1e-300 ? c->deviation : 1;
    }
    if (c->row_numbers)
        return vn__note(from, "column \"%.60s\" counts the rows (%lld, %lld, %lld ...); if it is an id, leave it out: option columns",
                        c->name, (long long)c->numbers[0], (long long)c->numbers[1], (long long)c->numbers[2]);
    return VN_OK;
}

static int learn_features(const vn_table *t, const vn_dataset_opts *o, int target, vn__origin *from, vn__schema *to, const bool *use,
                          const bool *listed)
{
    vn__text unfit = {0}, option = {0};
    int code = VN_OK;
    for (int i = 0; i < t->n_columns && !code; i++) {
        const vn_column *c = &t->columns[i];
        if (i == target || !use[i]) continue;
        if (c->kind == VN_COLUMN_EMPTY) code = vn__note(from, "column \"%.60s\" is empty and ignored", c->name);
        else if (c->odd && !listed[i]) code = odd_column(t, c, "column", from);
        else if (c->kind == VN_COLUMN_DATE || (c->kind == VN_COLUMN_TEXT && c->n_classes > VN__MAX_TEXTS)) add_unfit(c, i, &unfit, &option);
        else code = learn_feature(t, i, o, from, &to->features[to->n++]);
    }
    if (!code && (unfit.failed || option.failed)) code = vn__no_memory(from->who);
    if (!code && unfit.size)
        code = vn__fail(VN_E_FORMAT, "%s: %.200s: these columns cannot be features: %.500s. Leave them out: option columns \"%.300s\"",
                        from->who, from->path, unfit.text, option.text);
    vn__free(unfit.text);
    vn__free(option.text);
    if (!code && !to->n) code = vn__fail(VN_E_FORMAT, "%s: %.300s: no column is left as a feature", from->who, from->path);
    return code;
}

/* ---- the target ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The different values of a column of numbers, in order; at most `most`, otherwise *n is most + 1. */
static double *different(const vn_column *c, int64_t rows, int64_t most, int64_t *n, const char *who)
{
    double *all = vn__alloc(((size_t)rows + 1) * sizeof *all);
    if (!all) return vn__no_memory(who), NULL;
    int64_t have = 0;
    *n = 0;
    for (int64_t i = 0; i < rows; i++)
        if (!isnan(c->numbers[i])) all[have++] = c->numbers[i];
    qsort(all, (size_t)have, sizeof *all, compare_numbers);
    for (int64_t i = 0; i < have && *n <= most; i++)
        if (!*n || all[i] != all[*n - 1]) all[(*n)++] = all[i];
    return all;
}

/* Are so many different integers, of so many rows, classes rather than amounts? *doubt: it may be wrong. */
static bool like_classes(const double *values, int64_t n, int64_t rows, bool *doubt)
{
    bool counted = values[0] == 0 && values[n - 1] == (double)(n - 1); /* exactly 0, 1, 2 ... */
    bool classes = counted ? n <= 10 || (n <= 100 && 2 * n <= rows) : n <= 20 && 5 * n <= rows;
    *doubt = classes ? n > 2 && (!counted || n > 10 || n == rows) : n <= 100;
    return classes;
}

/* The integers as classes: as they are if they begin at 0 and are not far apart, else by name. */
static int name_numbers(const double *values, int64_t n, const vn__origin *from, vn__feature *to)
{
    const double last = values[n - 1];
    if (values[0] == 0 && last < 1 << 24 && (last < 16 || last + 1 <= 2 * (double)n)) return to->n_classes = (int64_t)last + 1, VN_OK;
    enum { ROOM = 32 };
    const char **list = vn__scope_memory((size_t)n * (sizeof *list + ROOM), from->who);
    if (!list) return vn_status();
    char *text = (char *)(list + n);
    for (int64_t i = 0; i < n; i++, text += ROOM) vn__number_short(values[i] == 0 ? 0 : values[i], text), list[i] = text;
    to->classes = list, to->n_classes = n, to->numeric = true;
    return VN_OK;
}

static int learn_numbers(const vn_table *t, const vn_column *c, const vn_dataset_opts *o, vn__origin *from, vn__feature *to)
{
    enum { MAX_NOTES = 100000 };
    bool classes = o->kind == VN_TARGET_CLASS, doubt = false;
    if (o->classes) return to->n_classes = o->classes, VN_OK;
    if (o->kind != VN_TARGET_NUMBER && c->whole) {
        int64_t n;
        double *values = different(c, t->rows, MAX_NOTES, &n, from->who);
        if (!values) return vn_status();
        int code = VN_OK;
        if (o->kind == VN_TARGET_AUTO && n) classes = like_classes(values, n, t->rows - c->missing, &doubt);
        if (classes && n > MAX_NOTES)
            code = vn__fail(VN_E_ARG, "%s: %.300s: target \"%.60s\" has more than %d different values; they are no classes", from->who,
                            from->path, c->name, MAX_NOTES);
        else if (classes && n) code = name_numbers(values, n, from, to);
        if (!code && doubt)
            code = vn__note(from, "target \"%.60s\": %lld different integers in %lld rows are taken for %s; if that is wrong: option kind",
                            c->name, (long long)n, (long long)t->rows, classes ? "classes" : "numbers, not classes");
        vn__free(values);
        if (code || classes) return code;
    }
    if (classes) {
        int64_t i = 0;
        while (i + 1 < t->rows && (isnan(c->numbers[i]) || (isfinite(c->numbers[i]) && c->numbers[i] == floor(c->numbers[i])))) i++;
        return vn__fail(VN_E_ARG, "%s: %.300s: target \"%.60s\" is %g in row %lld; classes are text or integers", from->who, from->path,
                        c->name, c->numbers[i], (long long)i + 1);
    }
    to->fill = isfinite(c->mean) ? c->mean : 0;
    if (o->standardize && isfinite(c->mean))
        to->mean = c->mean, to->deviation = isfinite(c->deviation) && c->deviation > 1e-300 ? c->deviation : 1;
    return VN_OK;
}

static int learn_target(const vn_table *t, int i, const vn_dataset_opts *o, vn__origin *from, vn__feature *to)
{
    const vn_column *c = &t->columns[i];
    *to = (vn__feature){.name = c->name, .position = i, .deviation = 1};
    if (c->kind == VN_COLUMN_NUMBER) return learn_numbers(t, c, o, from, to);
    if (c->kind != VN_COLUMN_TEXT)
        return vn__fail(VN_E_FORMAT, "%s: %.300s: the target is column \"%.60s\", which is %s; another one: option target", from->who,
                        from->path, c->name, c->kind == VN_COLUMN_DATE ? "dates" : "empty");
    if (o->classes)
        return vn__fail(VN_E_ARG, "%s: %.300s: target \"%.60s\" is text; the number of classes follows from it", from->who, from->path,
                        c->name);
    if (c->odd && o->kind != VN_TARGET_CLASS) return odd_column(t, c, "target", from);
    if (o->kind == VN_TARGET_NUMBER)
        return vn__fail(VN_E_ARG, "%s: %.300s: target \"%.60s\" is text such as \"%.60s\", not numbers", from->who, from->path, c->name,
                        c->classes[0]);
    if (o->kind == VN_TARGET_AUTO && c->n_classes > 20 && c->n_classes * 2 > t->rows - c->missing)
        return vn__fail(VN_E_FORMAT,
                        "%s: %.300s: the target is column \"%.60s\", text with %lld different values in %lld rows, such as \"%.60s\"; "
                        "another column: option target",
                        from->who, from->path, c->name, (long long)c->n_classes, (long long)t->rows, c->classes[0]);
    to->n_classes = c->n_classes, to->classes = c->classes;
    return c->n_classes == 1 ? vn__note(from, "target \"%.60s\" is always \"%.60s\"", c->name, c->classes[0]) : VN_OK;
}

/* ---- all of it ---- */

static int learn(const vn_table *t, const vn_dataset_opts *o, vn__origin *from, vn__schema *to, bool *use, bool *listed)
{
    const char *weights = o->weight_column;
    const int weighing = weights ? vn__column_named(t, weights, strlen(weights), from, "weight_column") : -1;
    if (weights && weighing < 0) return vn_status();
    int target = t->n_columns - 1 - (weighing == t->n_columns - 1);
    to->has_target = o->kind != VN_TARGET_NONE;
    if (to->has_target && o->target && (target = vn__column_named(t, o->target, strlen(o->target), from, "target")) < 0) return vn_status();
    if (to->has_target && target == weighing)
        return vn__fail(VN_E_ARG, "%s: %.300s: column \"%.60s\" is both target and weights", from->who, from->path,
                        t->columns[target].name);
    if (to->has_target && t->n_columns < 2 + (weighing >= 0))
        return vn__fail(VN_E_FORMAT,
                        "%s: %.300s: one column alone cannot be features and target (delimiter '%c'; another one: option delimiter)",
                        from->who, from->path, t->delimiter);
    if (!to->has_target) target = -1;
    for (int i = 0; i < t->n_columns; i++) use[i] = true;
    int code = o->columns ? choose_columns(t, o->columns, from, use, listed) : VN_OK;
    if (weighing >= 0) use[weighing] = false;
    if (!code && t->guessed)
        code = vn__note(from, "the first line, which begins with \"%.60s\", is taken for names; if it is data: option header",
                        t->columns[0].name);
    if (!code && to->has_target) code = learn_target(t, target, o, from, &to->target);
    return code ? code : learn_features(t, o, target, from, to, use, listed);
}

int vn__schema_learn(const vn_table *t, const vn_dataset_opts *o, vn__origin *from, vn__schema *to)
{
    *to = (vn__schema){.named = t->header != 0, .n_columns = t->n_columns, .missing = o->missing, .standardized = o->standardize != 0};
    if (t->rows < 1)
        return vn__fail(VN_E_FORMAT, "%s: %.300s: there are no rows%s", from->who, from->path, t->header ? " below the names" : "");
    to->features = vn__scope_memory((size_t)t->n_columns * sizeof *to->features, from->who);
    bool *use = to->features ? vn__calloc(2 * (size_t)t->n_columns) : NULL;
    if (!use) return to->features ? vn__no_memory(from->who) : (int)vn_status();
    int code = learn(t, o, from, to, use, use + t->n_columns);
    vn__free(use);
    return code;
}
