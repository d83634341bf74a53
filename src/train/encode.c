/* SPDX-License-Identifier: Apache-2.0 */
/* encode.c: the arrays of a table, as a schema says: features in float32, one for a number and one for each class of a text, and the
 * target. */
#include "train/schema.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>
#include <math.h>

typedef struct {
    const vn__schema *s;
    const vn_table *t;
    const vn_dataset_opts *o;
    vn__origin *from;
    int missing;
    const vn_column **columns; /* of each feature */
    const vn_column *target;   /* NULL: none */
    const vn_column *weights;  /* NULL: none */
    unsigned char *left_out;   /* a flag for each row */
    int64_t rows, width;
} encoding;

/* ---- finding the columns ---- */

typedef struct {
    const char *name;
    const vn_column *column;
    bool used;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static int note_unused(const encoding *e, const named *all)
{
    char names[300] = "";
    size_t at = 0;
    int unused = 0;
    for (int i = 0; i < e->t->n_columns; i++) {
        if (all[i].used) continue;
        if (at < 200) at += (size_t)snprintf(names + at, sizeof names - at, "%s\"%.60s\"", unused ? ", " : "", all[i].name);
        unused++;
    }
    return unused
               ? vn__note(e->from, "not used: %d column%s of the file, %s%s", unused, unused == 1 ? "" : "s", names, at < 200 ? "" : " ...")
               : VN_OK;
}

/* The columns of the file that the schema names, missing ones in one error. */
static int find_by_name(encoding *e)
{
    const int n = e->t->n_columns;
    named *all = vn__alloc((size_t)n * sizeof *all);
    if (!all) return vn__no_memory(e->from->who);
    for (int i = 0; i < n; i++) all[i] = (named){e->t->columns[i].name, &e->t->columns[i], false};
    qsort(all, (size_t)n, sizeof *all, by_name);
    vn__text absent = {0};
    for (int i = 0; i < e->s->n; i++) {
        named *found = bsearch(&(named){.name = e->s->features[i].name}, all, (size_t)n, sizeof *all, by_name);
        if (found) e->columns[i] = found->column, found->used = true;
        else if (absent.size < 300) vn__print(&absent, "%s\"%.60s\"", absent.size ? ", " : "", e->s->features[i].name);
    }
    named *target = e->s->has_target ? bsearch(&(named){.name = e->s->target.name}, all, (size_t)n, sizeof *all, by_name) : NULL;
    if (target) e->target = target->column, target->used = true;
    int code = e->o->schema ? note_unused(e, all) : VN_OK;
    vn__free(all);
    if (!code && (absent.size || absent.failed))
        code = vn__fail(VN_E_STRUCT,
                        "%s: %.200s: the columns are found by name, and these are missing: %.400s; the file has \"%.60s\" and %d more",
                        e->from->who, e->from->path, absent.failed ? "some" : absent.text, e->t->columns[0].name, n - 1);
    vn__free(absent.text);
    return code;
}

/* The file, or the one the schema was learned from, has no names. */
static int find_by_position(encoding *e)
{
    const vn__schema *s = e->s;
    const int n = e->t->n_columns, target = s->has_target ? s->target.position : s->n_columns;
    const bool whole = n == s->n_columns, without = s->has_target && n == s->n_columns - 1, features = n == s->n;
    if (!whole && !without && !features)
        return vn__fail(VN_E_STRUCT, "%s: %.300s: %d columns without names; the model takes %d%s", e->from->who, e->from->path, n, s->n,
                        s->has_target ? ", plus optionally its target" : "");
    for (int i = 0; i < s->n; i++) {
        int at = s->features[i].position;
        if (!whole && without) at -= at > target;
        else if (!whole) at = i;
        if (at < 0 || at >= n) return vn__fail(VN_E_FORMAT, "%s: the schema is not valid: positions", e->from->who);
        e->columns[i] = &e->t->columns[at];
    }
    if (whole && s->has_target) e->target = &e->t->columns[target];
    return s->named || e->t->header ? vn__note(e->from, "the columns are taken in their order: %s has no names",
                                               s->named ? "the file" : "the file that was learned from")
                                    : VN_OK;
}

/* ---- values ---- */

static int missing_column(const encoding *e, const vn_column *c)
{
    const char *fill = c == e->target || c == e->weights ? ""
                       : c->kind == VN_COLUMN_TEXT       ? ", fill gives them none of its classes"
                                                         : ", fill takes the column's mean";
    return vn__fail(VN_E_ARG,
                    "%s: %.300s: column \"%.60s\" has %lld missing value%s%s%lld. Choose with option missing: drop leaves such rows out%s",
                    e->from->who, e->from->path, c->name, (long long)c->missing, c->missing == 1 ? "" : "s",
                    c->missing == 1 ? ", on line " : ", the first on line ", (long long)c->missing_line, fill);
}

static int not_numbers(const encoding *e, const vn_column *c)
{
    const char *example = c->kind == VN_COLUMN_TEXT ? c->odd ? c->odd : c->classes[0] : vn_column_kind_name(c->kind);
    return vn__fail(VN_E_FORMAT, "%s: %.300s: column \"%.60s\" holds \"%.60s\"; numbers are needed", e->from->who, e->from->path, c->name,
                    example);
}

static int64_t find_class(const vn__feature *f, const char *text)
{
    int64_t low = 0, high = f->n_classes - 1;
    double x = NAN, y = NAN;
    if (f->numeric && !vn__number_parse(text, strlen(text), &x)) return -1;
    while (low <= high) {
        int64_t at = low + (high - low) / 2;
        if (f->numeric) vn__number_parse(f->classes[at], strlen(f->classes[at]), &y); /* the schema's are numbers */
        int order = f->numeric ? (x > y) - (x < y) : strcmp(text, f->classes[at]);
        if (!order) return at;
        if (order < 0) high = at - 1;
        else low = at + 1;
    }
    return -1;
}

/* The text of a field of numbers, as a class. */
static int64_t class_of_number(const vn__feature *f, double x)
{
    char text[32];
    if (isnan(x)) return -1;
    if (!f->classes) return x >= 0 && x < (double)f->n_classes && x == floor(x) ? (int64_t)x : -2;
    vn__number_short(x, text);
    int64_t found = find_class(f, text);
    return found < 0 ? -2 : found;
}

/* The classes of a column's rows, by the schema: -1 missing, -2 unknown. */
static int64_t *classes_of(const encoding *e, const vn__feature *f, const vn_column *c)
{
    const size_t rows = (size_t)e->t->rows, n = c->kind == VN_COLUMN_TEXT ? (size_t)c->n_classes : 0;
    int64_t *to = vn__alloc((rows + n + 1) * sizeof *to), *map = to ? to + rows : NULL;
    if (!to) return vn__no_memory(e->from->who), NULL;
    double x;
    for (size_t i = 0; i < n; i++) {
        if (f->classes) map[i] = find_class(f, c->classes[i]);
        else map[i] = vn__number_parse(c->classes[i], strlen(c->classes[i]), &x) ? class_of_number(f, x) : -2;
        if (map[i] < 0) map[i] = -2;
    }
    for (size_t i = 0; i < rows; i++)
        to[i] = c->kind == VN_COLUMN_TEXT     ? c->codes[i] < 0 ? -1 : map[c->codes[i]]
                    : c->kind == VN_COLUMN_NUMBER ? class_of_number(f, c->numbers[i])
                : c->kind == VN_COLUMN_EMPTY  ? -1
                                              : -2;
    return to;
}

static const char *value_at(const vn_column *c, int64_t row, char to[static 32])
{
    if (c->kind == VN_COLUMN_TEXT) return c->classes[c->codes[row]];
    if (c->kind != VN_COLUMN_NUMBER) return vn_column_kind_name(c->kind);
    vn__number_short(c->numbers[row], to);
    return to;
}

static int unknown_class(const encoding *e, const vn__feature *f, const vn_column *c, int64_t row, bool target)
{
    char number[32], classes[400] = "";
    size_t used = 0;
    for (int64_t i = 0; f->classes && i < f->n_classes && used < 300; i++)
        used += (size_t)snprintf(classes + used, sizeof classes - used, "%s%.60s", i ? ", " : "", f->classes[i]);
    if (!f->classes) snprintf(classes, sizeof classes, "0 to %lld", (long long)f->n_classes - 1);
    if (target && !f->classes)
        return vn__fail(VN_E_ARG, "%s: %.300s: row %lld, target %.60s is class %.60s; there are %lld classes", e->from->who, e->from->path,
                        (long long)row + 1, c->name, value_at(c, row, number), (long long)f->n_classes);
    return vn__fail(VN_E_ARG, "%s: %.200s: row %lld, column \"%.60s\": \"%.60s\" is not one of its %lld classes: %s%s", e->from->who,
                    e->from->path, (long long)row + 1, c->name, value_at(c, row, number), (long long)f->n_classes, classes,
                    target ? "" : ". Choose with option missing: drop leaves such rows out, fill takes none of the classes");
}

/* ---- rows with missing values ---- */

static int check_classes(encoding *e, const vn__feature *f, const vn_column *c, bool target)
{
    int64_t *classes = classes_of(e, f, c);
    int code = classes ? VN_OK : (int)vn_status();
    for (int64_t i = 0; i < e->t->rows && !code; i++) {
        if (classes[i] >= 0) continue;
        if (classes[i] == -2 && (target || e->missing == VN_MISSING_ERROR)) code = unknown_class(e, f, c, i, target);
        else if (e->missing == VN_MISSING_ERROR && !(e->o->allow_nonfinite && !target)) code = missing_column(e, c);
        else if (e->missing == VN_MISSING_DROP || target) e->left_out[i] = 1;
    }
    vn__free(classes);
    return code;
}

static int check_numbers(encoding *e, const vn_column *c, int feature, bool target)
{
    if (c->kind == VN_COLUMN_EMPTY && !target) return e->missing == VN_MISSING_FILL ? VN_OK : missing_column(e, c);
    if (c->kind != VN_COLUMN_NUMBER) return not_numbers(e, c);
    const bool nonfinite = e->o->allow_nonfinite && !target;
    if (c->missing && e->missing == VN_MISSING_ERROR && !nonfinite) return missing_column(e, c);
    for (int64_t i = 0; i < e->t->rows; i++) {
        double x = c->numbers[i];
        if (isfinite(x)) continue;
        if (!isnan(x) && !nonfinite)
            return vn__fail(VN_E_ARG, "%s: %.300s: row %lld, %s%.0d%s%.60s%s is %g; only finite numbers can be learned from%s",
                            e->from->who, e->from->path, (long long)i + 1, target ? "target " : "feature ", target ? 0 : feature + 1,
                            target ? "" : " (", c->name, target ? "" : ")", x, target ? "" : " (option allow_nonfinite)");
        if (isnan(x) && (e->missing == VN_MISSING_DROP || target)) e->left_out[i] = 1;
    }
    return VN_OK;
}

/* Their sizes are checked with those of arrays. */
static int check_weights(encoding *e)
{
    const vn_column *c = e->weights;
    if (c->kind != VN_COLUMN_NUMBER) return not_numbers(e, c);
    if (c->missing && e->missing == VN_MISSING_ERROR) return missing_column(e, c);
    for (int64_t i = 0; i < e->t->rows; i++)
        if (isnan(c->numbers[i])) e->left_out[i] = 1;
    return VN_OK;
}

/* Sets left_out, rows and width. */
static int check_rows(encoding *e)
{
    int code = VN_OK;
    for (int i = 0; i < e->s->n && !code; i++) {
        const vn__feature *f = &e->s->features[i];
        code = f->n_classes ? check_classes(e, f, e->columns[i], false) : check_numbers(e, e->columns[i], i, false);
        e->width += f->n_classes ? f->n_classes : 1;
    }
    if (!code && e->target)
        code = e->s->target.n_classes ? check_classes(e, &e->s->target, e->target, true) : check_numbers(e, e->target, 0, true);
    if (!code && e->weights) code = check_weights(e);
    for (int64_t i = 0; i < e->t->rows && !code; i++) e->rows += !e->left_out[i];
    if (!code && !e->rows) code = vn__fail(VN_E_FORMAT, "%s: %.300s: every row has a missing value", e->from->who, e->from->path);
    if (!code && e->rows < e->t->rows)
        code = vn__note(e->from, "%lld of %lld rows with missing values are left out", (long long)(e->t->rows - e->rows),
                        (long long)e->t->rows);
    return code;
}

/* ---- arrays ---- */

static int fill_feature(const encoding *e, const vn__feature *f, const vn_column *c, float *to)
{
    int64_t *classes = f->n_classes ? classes_of(e, f, c) : NULL;
    if (f->n_classes && !classes) return vn_status();
    for (int64_t i = 0; i < e->t->rows; i++) {
        if (e->left_out[i]) continue;
        if (classes) {
            for (int64_t k = 0; k < f->n_classes; k++) to[k] = (float)(classes[i] == k);
        } else {
            double x = c->kind == VN_COLUMN_NUMBER ? c->numbers[i] : NAN;
            if (isnan(x) && e->missing == VN_MISSING_FILL) x = f->fill;
            *to = (float)((x - f->mean) / f->deviation);
        }
        to += e->width;
    }
    vn__free(classes);
    return VN_OK;
}

static vn_array *make_x(const encoding *e)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)e->rows, (size_t)e->width * sizeof(float), &bytes)) return vn__no_memory(e->from->who), NULL;
    float *x = vn__block_alloc(bytes);
    if (!x)
        return vn__fail(VN_E_MEM, "%s: %.300s: no memory for %zu bytes (%lld rows of %lld features)", e->from->who, e->from->path, bytes,
                        (long long)e->rows, (long long)e->width),
               NULL;
    int code = VN_OK;
    float *at = x;
    for (int i = 0; i < e->s->n && !code; i++) {
        const vn__feature *f = &e->s->features[i];
        code = fill_feature(e, f, e->columns[i], at);
        at += f->n_classes ? f->n_classes : 1;
    }
    if (!code) return vn_wrap(x, VN_F32, VN_SHAPE(e->rows, e->width), vn__block_free, x);
    vn__block_free(x);
    return NULL;
}

static vn_array *make_y(const encoding *e)
{
    const vn__feature *f = &e->s->target;
    int64_t *classes = f->n_classes ? classes_of(e, f, e->target) : NULL;
    if (f->n_classes && !classes) return NULL;
    float *numbers = classes ? NULL : vn__alloc((size_t)e->rows * sizeof *numbers);
    if (!classes && !numbers) return vn__no_memory(e->from->who), NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < e->t->rows; i++) {
        if (e->left_out[i]) continue;
        if (classes) classes[n++] = classes[i];
        else numbers[n++] = (float)((e->target->numbers[i] - f->mean) / f->deviation);
    }
    vn_array *y = classes ? vn_from_host(classes, VN_I64, VN_SHAPE(n)) : vn_from(numbers, VN_SHAPE(n));
    vn__free(classes);
    vn__free(numbers);
    return y;
}

static vn_array *make_weights(const encoding *e)
{
    double *numbers = vn__alloc((size_t)e->rows * sizeof *numbers);
    if (!numbers) return vn__no_memory(e->from->who), NULL;
    for (int64_t i = 0, n = 0; i < e->t->rows; i++)
        if (!e->left_out[i]) numbers[n++] = e->weights->numbers[i];
    vn_array *w = vn_from_host(numbers, VN_F64, VN_SHAPE(e->rows));
    vn__free(numbers);
    return w;
}

/* ---- names ---- */

static char **copy_list(const char *const *from, int64_t n, const char *who)
{
    char **list = vn__calloc(((size_t)n + 1) * sizeof *list);
    for (int64_t i = 0; list && i < n; i++) {
        if ((list[i] = vn__copy_text(from[i]))) continue;
        for (int64_t k = 0; k < i; k++) vn__free(list[k]);
        vn__free(list);
        list = NULL;
    }
    return list ? list : (vn__no_memory(who), NULL);
}

/* "age", "colour=red": the names of x's columns, if the file has some. */
static int name_features(const encoding *e, vn__labels *l)
{
    const char *who = e->from->who;
    if (!e->s->named && !e->t->header) return VN_OK;
    if (!(l->columns = vn__calloc(((size_t)e->width + 1) * sizeof *l->columns))) return vn__no_memory(who);
    for (int i = 0; i < e->s->n; i++) {
        const vn__feature *f = &e->s->features[i];
        for (int64_t k = 0; k < (f->n_classes ? f->n_classes : 1); k++) {
            vn__text name = {0};
            vn__print(&name, "%s%s%s", f->name, f->n_classes ? "=" : "", f->n_classes ? f->classes[k] : "");
            if (name.failed) return vn__free(name.text), vn__no_memory(who);
            l->columns[l->n_columns++] = name.text;
        }
    }
    return e->s->has_target && !(l->target = vn__copy_text(e->s->target.name)) ? vn__no_memory(who) : VN_OK;
}

static int name_all(const encoding *e)
{
    vn__labels *l = &e->from->labels;
    const vn__feature *target = &e->s->target;
    int code = name_features(e, l);
    if (code) return code;
    if (!(l->schema = vn__schema_print(e->s, e->from->who))) return vn_status();
    if (e->s->has_target && target->classes) {
        if (!(l->classes = copy_list(target->classes, target->n_classes, e->from->who))) return vn_status();
        l->n_classes = target->n_classes;
    }
    if (e->s->standardized && e->s->has_target && !target->n_classes) l->mean = target->mean, l->deviation = target->deviation;
    if (e->rows == e->t->rows) return VN_OK;
    if (!(l->rows = vn__alloc((size_t)e->rows * sizeof *l->rows))) return vn__no_memory(e->from->who);
    for (int64_t i = 0, n = 0; i < e->t->rows; i++)
        if (!e->left_out[i]) l->rows[n++] = i;
    return VN_OK;
}

/* The column of weights, which is found in the table itself: a schema does not have it. */
static int find_weights(encoding *e)
{
    const char *name = e->o->weight_column;
    const int at = name ? vn__column_named(e->t, name, strlen(name), e->from, "weight_column") : -1;
    if (at >= 0) e->weights = &e->t->columns[at];
    return name && at < 0 ? (int)vn_status() : VN_OK;
}

int vn__schema_encode(const vn__schema *s, const vn_table *t, const vn_dataset_opts *o, vn__origin *from, vn_array **x, vn_array **y,
                      vn_array **weights)
{
    encoding e = {.s = s, .t = t, .o = o, .from = from, .missing = o->missing ? o->missing : s->missing};
    *x = *y = NULL;
    e.columns = vn__calloc((size_t)s->n * sizeof *e.columns);
    e.left_out = vn__calloc((size_t)t->rows + 1);
    int code = e.columns && e.left_out ? VN_OK : vn__no_memory(from->who);
    if (!code && t->rows < 1) code = vn__fail(VN_E_FORMAT, "%s: %.300s: there are no rows", from->who, from->path);
    if (!code) code = s->named && t->header ? find_by_name(&e) : find_by_position(&e);
    if (!code && o->kind == VN_TARGET_NONE) e.target = NULL;
    if (!code) code = find_weights(&e);
    if (!code) code = check_rows(&e);
    if (!code && !(*x = make_x(&e))) code = vn_status();
    if (!code && e.target && !(*y = make_y(&e))) code = vn_status();
    if (!code && e.weights && !(*weights = make_weights(&e))) code = vn_status();
    if (!code) code = name_all(&e);
    vn__free(e.columns);
    vn__free(e.left_out);
    return code;
}
