/* SPDX-License-Identifier: Apache-2.0 */
/* dataset.c: datasets: arrays, functions that return batches, and parts of other datasets. Targets and features are checked once,
 * when the dataset is created, so that the loop need not check them. */
#include "train/train.h"
#include "train/images.h"
#include "train/schema.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include "core/callback.h"
#include "core/options.h"
#include <string.h>
#include <math.h>
#include <stdlib.h>

vn__dataset *vn__dataset_of(const vn_dataset *d)
{
    return d->object.body;
}

const vn__dataset *vn__dataset_whole(const vn_dataset *d)
{
    const vn__dataset *b = vn__dataset_of(d);
    return b->whole ? vn__dataset_of(b->whole) : b;
}

static void free_names(char **names, int64_t n)
{
    for (int64_t i = 0; i < n && names; i++) vn__free(names[i]);
    vn__free(names);
}

void vn__labels_free(vn__labels *l)
{
    free_names(l->columns, l->n_columns);
    free_names(l->classes, l->n_classes);
    free_names(l->notes, l->n_notes);
    vn__free(l->target);
    vn__free(l->schema);
    vn__free(l->rows);
    *l = (vn__labels){0};
}

void vn__dataset_release(void *body)
{
    vn__dataset *b = body;
    if (b->release) b->release(b->user);
    vn_dataset_drop(b->whole);
    vn_drop(b->x);
    vn_drop(b->y);
    vn_drop(b->weights);
    vn__images_free(b->images);
    vn__labels_free(&b->labels);
    vn__free(b->index);
    vn__free(b->about);
    vn__free(b);
}

/* Wraps the body in an object; takes ownership, also on failure. */
vn_dataset *vn__dataset_object(vn__dataset *b, const char *who)
{
    vn_dataset *d = (vn_dataset *)vn__object_new(VN__DATASET, b, who);
    if (!d) vn__dataset_release(b);
    return d;
}

/* ---- checks ---- */

/* "dataset_load: iris.csv: " or "dataset_of: " */
static const char *place(const vn__origin *from, char to[static 360])
{
    snprintf(to, 360, "%s: %.300s%s", from->who, from->path ? from->path : "", from->path ? ": " : "");
    return to;
}

/* The place of element i for messages: "row 17, column 3 (petal)" of a table, otherwise "x[16, 2]". */
static const char *element(const vn__origin *from, const vn_array *x, const char *name, int64_t i, char to[static 200])
{
    vn_shape s = vn_shape_of(x);
    int64_t inner = vn_size(x) / s.dim[0], column = i % inner;
    size_t at = 0;
    if (from->csv && !strcmp(name, "y")) {
        snprintf(to, 200, "row %lld, target%s%.60s", (long long)i + 1, from->labels.target ? " " : "",
                 from->labels.target ? from->labels.target : "");
    } else if (from->csv) {
        bool named = from->labels.columns && column < from->labels.n_columns;
        snprintf(to, 200, "row %lld, feature %lld%s%.60s%s", (long long)(i / inner) + 1, (long long)column + 1, named ? " (" : "",
                 named ? from->labels.columns[column] : "", named ? ")" : "");
    } else {
        at = (size_t)snprintf(to, 200, "%s[", name);
        for (int k = 0; k < s.rank; k++) { /* there is room: the digits of all indices are no more than those of a size, and one each */
            int64_t step = 1;
            for (int j = k + 1; j < s.rank; j++) step *= s.dim[j];
            at += (size_t)snprintf(to + at, 200 - at, "%s%lld", k ? ", " : "", (long long)(i / step % s.dim[k]));
        }
        snprintf(to + at, 200 - at, "]");
    }
    return to;
}

/* NaN and infinity are errors; the engine checks the array, which is read only to name the first one. */
static int check_finite(vn_array *x, const char *name, const vn__origin *from)
{
    if (!vn__is(vn_dtype_of(x), VN_INEXACT) || !vn_size(x)) return VN_OK;
    VN_SCOPE;
    vn_array *all = vn_all(vn_isfinite(x), VN_ALL);
    if (!all || vn_eval(1, &all)) return vn_status();
    if (vn_item_int(all)) return VN_OK;
    const void *data = vn_data(x);
    if (!data) return vn_status();
    int dtype = vn_dtype_of(x);
    int64_t i = 0;
    while (i + 1 < vn_size(x) && isfinite(vn__get_part(data, i, dtype, 0)) && isfinite(vn__get_part(data, i, dtype, 1))) i++;
    char where[200], prefix[360];
    const double real = vn__get_part(data, i, dtype, 0);
    return vn__fail(VN_E_ARG, "%s%s is %g%s; only finite numbers can be learned from (option allow_nonfinite)", place(from, prefix),
                    element(from, x, name, i, where), isfinite(real) ? vn__get_part(data, i, dtype, 1) : real, isfinite(real) ? "j" : "");
}

/* Labels as class numbers. *classes: the number allowed; if 0, it is set to the number found, and *last to a row of the
 * largest. */
static int check_labels(vn_array *y, int64_t *classes, int64_t *last, const vn__origin *from)
{
    const void *data = vn_data(y);
    if (!data) return vn_status();
    int dtype = vn_dtype_of(y);
    bool real = vn__is(dtype, VN_FLOATS);
    int64_t most = -1, at = 0;
    char where[200], prefix[360];
    *last = -1;
    for (int64_t i = 0; i < vn_size(y); i++) {
        double v = real ? vn__get_double(data, i, dtype) : 0;
        int64_t label = real ? (v >= 0 && v < 0x1p53 ? (int64_t)v : -1) : vn__get_int(data, i, dtype);
        if (real && (label < 0 || (double)label != v))
            return vn__fail(VN_E_ARG, "%s%s is %g; classes are numbered 0, 1, 2 ...", place(from, prefix), element(from, y, "y", i, where),
                            v);
        if (label < 0 || (*classes && label >= *classes))
            return vn__fail(VN_E_ARG, "%s%s is class %lld; %s%lld%s", place(from, prefix), element(from, y, "y", i, where),
                            (long long)label, *classes ? "there are " : "classes are numbered from ", (long long)*classes,
                            *classes ? " classes" : "");
        if (label > most) most = label, at = i;
    }
    enum { MAX_CLASSES = 1 << 24 };
    if (most >= MAX_CLASSES)
        return vn__fail(VN_E_ARG, "%sthe largest label is %lld, %d classes are allowed", place(from, prefix), (long long)most, MAX_CLASSES);
    if (!*classes) *classes = most + 1, *last = at / (vn_size(y) / vn_dim(y, 0));
    return VN_OK;
}

/* The number of different values if y has a few whole numbers, which may be classes; otherwise 0. */
static int few_whole_numbers(const void *data, int64_t n, int dtype)
{
    enum { FEW = 20 };
    double seen[FEW];
    int different = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = vn__get_double(data, i, dtype);
        int k = 0;
        while (k < different && seen[k] != v) k++;
        if (v != floor(v) || k == FEW) return 0;
        if (k == different) seen[different++] = v;
    }
    return different;
}

/* What y is if the program does not say: classes if its dtype is an integer's, unless these are more than there can be. Notes what may be wrong. */
static int guess_kind(vn_array *y, const vn_dataset_opts *o, vn__origin *from, int *kind)
{
    enum { MANY = 1000 };
    const int dtype = vn_dtype_of(y);
    const int64_t rows = vn_dim(y, 0);
    *kind = vn__is(dtype, VN_INTS | VN_BIT(VN_BOOL)) || o->classes ? VN_TARGET_CLASS : VN_TARGET_NUMBER;
    if (o->classes || !vn__is(dtype, VN_INTS | VN_FLOATS) || vn_size(y) != rows) return VN_OK;
    const void *data = vn_data(y);
    if (!data) return vn_status();
    if (*kind == VN_TARGET_NUMBER) {
        const int n = few_whole_numbers(data, rows, dtype);
        if (!n || 5 * (int64_t)n > rows) return VN_OK;
        return vn__note(from,
                        "y: %d different whole numbers in %lld rows are taken for numbers, not classes; if that is wrong: option kind", n,
                        (long long)rows);
    }
    int64_t most = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t label = vn__get_int(data, i, dtype);
        if (label > most) most = label;
    }
    if (most < MANY || most < rows) return VN_OK;
    *kind = VN_TARGET_NUMBER;
    return vn__note(from, "y: integers up to %lld in %lld rows are taken for numbers, not classes; if that is wrong: option kind",
                    (long long)most, (long long)rows);
}

/* Only tables are standardized: a network learns large numbers of arrays slowly, or not at all. */
static int note_large(vn_array *y, vn__origin *from)
{
    enum { LARGE = 1000 };
    VN_SCOPE;
    if (from->csv || !vn_size(y) || vn__is(vn_dtype_of(y), VN_COMPLEX)) return VN_OK;
    vn_array *largest = vn_max(vn_abs(vn_cast(y, VN_F64)), VN_ALL);
    if (!largest || vn_eval(1, &largest)) return vn_status();
    const double most = vn_item(largest);
    if (!(most > LARGE)) return VN_OK;
    return vn__note(
        from, "y: numbers up to %g, and arrays are not standardized as tables are; divide them so that most are between -1 and 1", most);
}

/* Converts y for the loop: int64 classes, or the numbers themselves. */
static vn_array *settle_target(vn_array *y, const vn_dataset_opts *o, vn__origin *from, int64_t *classes, int64_t *last)
{
    int kind = o->kind, dtype = vn_dtype_of(y);
    if (kind == VN_TARGET_AUTO && guess_kind(y, o, from, &kind)) return NULL;
    *classes = 0;
    if (kind == VN_TARGET_NUMBER) {
        if (check_finite(y, "y", from) || note_large(y, from)) return NULL;
        return vn__is(dtype, VN_INEXACT) ? y : vn_cast(y, VN_F32);
    }
    char prefix[360];
    if (vn__is(dtype, VN_COMPLEX))
        return vn__fail(VN_E_DTYPE, "%sy is %s; classes are numbers", place(from, prefix), vn_dtype_name(dtype)), NULL;
    *classes = o->classes;
    if (check_labels(y, classes, last, from)) return NULL;
    if (vn_rank(y) == 2 && vn_dim(y, 1) == 1) y = vn_reshape(y, VN_SHAPE(vn_dim(y, 0)));
    return vn_cast(y, VN_I64);
}

int vn__dataset_check(const vn_dataset_opts *o, const char *who)
{
    if (o->kind < VN_TARGET_AUTO || o->kind > VN_TARGET_NONE)
        return vn__fail(VN_E_ARG, "%s: kind is %d, which is not a vn_target_kind", who, o->kind);
    if (o->classes < 0) return vn__fail(VN_E_ARG, "%s: %lld classes", who, (long long)o->classes);
    if (o->classes && o->kind != VN_TARGET_AUTO && o->kind != VN_TARGET_CLASS)
        return vn__fail(VN_E_ARG, "%s: %lld classes of a target that has none", who, (long long)o->classes);
    return VN_OK;
}

int vn__only_tables(const vn_dataset_opts *o, const char *who)
{
    const char *option = o->columns         ? "columns"
                         : o->missing       ? "missing"
                         : o->standardize   ? "standardize"
                         : o->schema        ? "schema"
                         : o->weight_column ? "weight_column"
                                            : NULL;
    return option ? vn__fail(VN_E_ARG, "%s: option %s is for tables (CSV), not for arrays", who, option) : VN_OK;
}

static int check_rows(const vn_array *x, const vn_array *y, const vn__origin *from)
{
    char prefix[360];
    if (vn_rank(x) < 1 || vn_dim(x, 0) < 1) return vn__fail(VN_E_SHAPE, "%sx has no rows", place(from, prefix));
    if (y && (vn_rank(y) < 1 || vn_dim(y, 0) != vn_dim(x, 0)))
        return vn__fail(VN_E_SHAPE, "%sx has %lld rows, y has %lld", place(from, prefix), (long long)vn_dim(x, 0),
                        (long long)(vn_rank(y) < 1 ? 0 : vn_dim(y, 0)));
    return VN_OK;
}

/* The weights of rows in float64, to which the caller holds a reference; NULL with the error set. */
static vn_array *settle_weights(vn_array *weights, int64_t rows, const vn__origin *from)
{
    char prefix[360], shape[128];
    if (!vn__check(weights, VN__ARRAY, from->who, "weights")) return NULL;
    if (vn_rank(weights) != 1 || vn_dim(weights, 0) != rows)
        return vn__fail(VN_E_SHAPE, "%sx has %lld rows, weights has the shape %s; one number for each row is needed", place(from, prefix),
                        (long long)rows, vn__shape_text(vn_rank(weights), vn_shape_of(weights).dim, shape)),
               NULL;
    if (!vn__is(vn_dtype_of(weights), VN_REAL))
        return vn__fail(VN_E_DTYPE, "%sweights is %s; numbers are needed", place(from, prefix), vn_dtype_name(vn_dtype_of(weights))), NULL;
    VN_SCOPE;
    weights = vn_cast(weights, VN_F64);
    const double *w = weights ? vn_data(weights) : NULL;
    double sum = 0;
    for (int64_t i = 0; w && i < rows; sum += w[i++])
        if (!(w[i] >= 0) || isinf(w[i]))
            return vn__fail(VN_E_ARG, "%sweights[%lld] is %g; 0 or more is needed", place(from, prefix), (long long)i, w[i]), NULL;
    if (w && !(sum > 0)) return vn__fail(VN_E_ARG, "%sall weights are 0", place(from, prefix)), NULL;
    return w ? vn_keep(weights) : NULL;
}

/* ---- description ---- */

static char *describe(const vn__dataset *b, const char *path)
{
    vn__text t = {0};
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (path) vn__print(&t, "%s: ", slash ? slash + 1 : path);
    vn__print(&t, "%lld %s%s", (long long)b->n, b->images ? "image" : "row", b->n == 1 ? "" : "s");
    const vn_picture *p = b->images ? &b->images->form : NULL;
    if (p) vn__print(&t, " of %lldx%lldx%d", (long long)p->height, (long long)p->width, p->channels);
    if (b->x) {
        vn_shape s = vn_shape_of(b->x);
        vn__print(&t, " of ");
        if (s.rank > 1) vn__print_shape(&t, s.rank - 1, s.dim + 1);
        else vn__print(&t, "1");
    }
    if (b->classes) vn__print(&t, ", %lld classes", (long long)b->classes);
    else vn__print(&t, b->has_target ? ", numbers to be learned" : ", no target");
    if (t.failed) vn__free(t.text);
    return t.failed ? NULL : t.text;
}

/* ---- creating ---- */

vn_dataset *vn__dataset_make(vn_array *x, vn_array *y, const vn_dataset_opts *o, vn__origin *from)
{
    VN_SCOPE;
    if (o->kind == VN_TARGET_NONE) y = NULL;
    if (vn__dataset_check(o, from->who) || check_rows(x, y, from)) return NULL;
    if (!o->allow_nonfinite && check_finite(x, "x", from)) return NULL;
    int64_t classes = 0, last = -1;
    if (y && !(y = settle_target(y, o, from, &classes, &last))) return NULL;
    vn_array *both[2] = {x, y};
    if (vn_eval(y ? 2 : 1, both)) return NULL; /* so that every batch is taken from ready arrays */
    vn__dataset *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(from->who), NULL;
    b->n = vn_dim(x, 0), b->classes = classes, b->last_class = last, b->has_target = y != NULL;
    b->x = vn_keep(x), b->y = y ? vn_keep(y) : NULL;
    if (o->weights && !(b->weights = settle_weights(o->weights, b->n, from))) return vn__dataset_release(b), NULL;
    b->labels = from->labels;
    from->labels = (vn__labels){0};
    b->about = describe(b, from->path);
    if (!b->about) return vn__dataset_release(b), vn__no_memory(from->who), NULL;
    vn_dataset *d = vn__dataset_object(b, from->who);
    return d ? vn_dataset_pass(d) : NULL;
}

vn_dataset *vn__dataset_of_images(struct vn__images *i, vn__origin *from)
{
    vn_array *y = i->list.classes ? vn__images_labels(i, from->who) : NULL;
    if (i->list.classes && !y) return NULL;
    vn__dataset *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(from->who), NULL;
    b->y = y ? vn_keep(y) : NULL;
    b->n = i->list.n, b->classes = i->list.n_classes, b->last_class = -1, b->has_target = i->list.classes != NULL;
    b->images = i, b->labels = from->labels;
    from->labels = (vn__labels){0};
    b->about = describe(b, from->path);
    vn_dataset *d = b->about ? (vn_dataset *)vn__object_new(VN__DATASET, b, from->who) : (vn__no_memory(from->who), NULL);
    if (d) return d;
    b->images = NULL; /* still the caller's */
    return vn__dataset_release(b), NULL;
}

vn_dataset *vn_dataset_of(vn_array *x, vn_array *y, const vn_dataset_opts *opts)
{
    vn__origin from = {.who = "dataset_of"};
    vn_dataset_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "dataset") || VN__FLAGS("dataset", VN__FLAG(o, allow_nonfinite)) || vn__only_tables(&o, from.who))
        return NULL;
    bool absent = y == vn_none();
    if (!vn__check(x, VN__ARRAY, from.who, "x") || (!absent && !vn__check(y, VN__ARRAY, from.who, "y"))) return NULL;
    vn_dataset *d = vn__dataset_make(x, absent ? NULL : y, &o, &from);
    vn__labels_free(&from.labels);
    return d;
}

vn_dataset *vn_dataset_from(vn_batch_fn fn, int64_t rows, int64_t classes, void *user)
{
    static const char who[] = "dataset_from";
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    if (rows < 1 || rows > INT64_C(1) << 48 || classes < 0)
        return vn__fail(VN_E_ARG, "%s: %lld rows, %lld classes", who, (long long)rows, (long long)classes), NULL;
    vn__dataset *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(who), NULL;
    b->n = rows, b->classes = classes, b->last_class = -1, b->has_target = true, b->fn = fn, b->user = user;
    b->about = describe(b, NULL);
    if (!b->about) return vn__dataset_release(b), vn__no_memory(who), NULL;
    return vn__dataset_object(b, who);
}

/* ---- parts ---- */

vn_dataset *vn__dataset_part(vn_dataset *d, const int64_t *rows, int64_t n, const char *who)
{
    const vn__dataset *from = vn__dataset_of(d);
    vn_dataset *whole = from->whole ? from->whole : d;
    vn__dataset *b = vn__calloc(sizeof *b);
    if (!b) return vn__no_memory(who), NULL;
    b->n = n;
    b->index = vn__calloc((size_t)n * sizeof *b->index);
    vn__text about = {0};
    vn__print(&about, "%lld of %s", (long long)n, vn__dataset_of(whole)->about);
    if (about.failed) vn__free(about.text);
    b->about = about.failed ? NULL : about.text;
    if (!b->index || !b->about) return vn__dataset_release(b), vn__no_memory(who), NULL;
    for (int64_t i = 0; i < n; i++) b->index[i] = from->index ? from->index[rows[i]] : rows[i];
    b->whole = vn_dataset_keep(whole);
    return vn__dataset_object(b, who);
}

static int compare_rows(const void *a, const void *b)
{
    int64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* All rows, those of the second part last; each part in ascending order. */
static int divide(int64_t n, int64_t rest, bool random, uint64_t seed, int64_t *rows)
{
    for (int64_t i = 0; i < n; i++) rows[i] = i;
    if (!random) return VN_OK;
    VN_SCOPE;
    int code = vn_read(vn_permutation(vn_random_key_of(seed), n), rows, (size_t)n * sizeof *rows);
    qsort(rows, (size_t)(n - rest), sizeof *rows, compare_rows);
    qsort(rows + (n - rest), (size_t)rest, sizeof *rows, compare_rows);
    return code;
}

int vn_dataset_split(vn_dataset *d, int64_t rows, const vn_dataset_split_opts *opts, vn_dataset **first, vn_dataset **rest)
{
    static const char who[] = "dataset_split";
    vn_dataset_split_opts o = {0};
    if (first) *first = NULL;
    if (rest) *rest = NULL;
    if (vn__take(&o, sizeof o, opts, who) || VN__FLAGS(who, VN__FLAG(o, random))) return vn_status();
    if (!first || !rest) return vn__fail(VN_E_NULL, "%s: first or rest is NULL", who);
    if (o.seed && !o.random) return vn__fail(VN_E_ARG, "%s: a seed without random has no effect", who);
    if (!vn__check(d, VN__DATASET, who, "d")) return vn_status();
    int64_t n = vn__dataset_of(d)->n;
    if (rows < 1 || rows >= n)
        return vn__fail(VN_E_ARG, "%s: %lld of %lld rows cannot be split off; each part needs one at least", who, (long long)rows,
                        (long long)n);
    int64_t *all = vn__calloc((size_t)n * sizeof *all);
    if (!all) return vn__no_memory(who);
    int code = divide(n, rows, o.random != 0, o.seed, all);
    if (!code) {
        *first = vn__dataset_part(d, all, n - rows, who);
        *rest = *first ? vn__dataset_part(d, all + (n - rows), rows, who) : NULL;
        if (!*rest) code = vn_status(), *first = NULL;
    }
    vn__free(all);
    return code;
}

/* ---- reading ---- */

int vn_dataset_look(const vn_dataset *d, vn_dataset_info *info)
{
    static const char who[] = "dataset_look";
    if (!vn__check(d, VN__DATASET, who, "d")) return vn_status();
    if (vn__check_info(who, "vn_dataset_info", info)) return vn_status();
    const vn__dataset *b = vn__dataset_whole(d);
    vn_dataset_info i = {.size = sizeof i, .rows = vn__dataset_of(d)->n, .classes = b->classes, .has_target = b->has_target};
    i.x.rank = i.y.rank = -1;
    vn_array *const both[2] = {b->x, b->y};
    vn_shape *const shapes[2] = {&i.x, &i.y};
    for (int k = 0; k < 2; k++) {
        vn_shape s = both[k] ? vn_shape_of(both[k]) : (vn_shape){0};
        if (both[k]) *shapes[k] = vn__shape(s.dim + 1, (size_t)s.rank - 1);
    }
    const struct vn__images *images = b->images;
    if (images) i.x = VN_SHAPE(images->form.height, images->form.width, images->form.channels);
    if (images && vn__dataset_of(d) == b) i.files = images->names;
    i.about = vn__dataset_of(d)->about;
    const vn__labels *l = &b->labels;
    i.n_columns = l->n_columns, i.columns = (const char *const *)l->columns, i.target = l->target;
    i.class_names = (const char *const *)l->classes, i.schema = l->schema;
    i.notes = (const char *const *)l->notes, i.n_notes = l->n_notes;
    i.file_rows = vn__dataset_of(d) == b ? l->rows : NULL;
    i.y_mean = l->mean, i.y_deviation = l->deviation;
    return VN__GIVE(who, vn_dataset_info, info, &i);
}

/* Gets a batch from the user's function and checks it. */
static int call_batch(const vn__dataset *b, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    static const char who[] = "batch function";
    vn__state *s = vn__enter();
    vn_code before = vn_status();
    vn__origin from = {.who = who};
    *x = *y = NULL;
    size_t inside = vn__user_begin(s);
    int code = b->fn(rows, n, x, y, b->user);
    vn__user_end(s, inside);
    if (!before && vn_status()) return vn__fail_in(who);
    if (!b->has_target) *y = NULL;
    if (code || !*x || (b->has_target && !*y))
        return vn__fail(VN_E_CALLBACK, "%s: it returned %d, x %s and y %s", who, code, *x ? "there" : "missing", *y ? "there" : "missing");
    if (!vn__check(*x, VN__ARRAY, who, "x")) return vn_status();
    if (!b->has_target) return VN_OK; /* a function of ours */
    if (!vn__check(*y, VN__ARRAY, who, "y")) return vn_status();
    if (vn_rank(*x) < 1 || vn_rank(*y) < 1 || vn_dim(*x, 0) != n || vn_dim(*y, 0) != n)
        return vn__fail(VN_E_SHAPE, "%s: %lld rows were asked for, x has %lld and y %lld", who, (long long)n,
                        (long long)(vn_rank(*x) < 1 ? 0 : vn_dim(*x, 0)), (long long)(vn_rank(*y) < 1 ? 0 : vn_dim(*y, 0)));
    if (!b->classes) return VN_OK;
    int64_t classes = b->classes, last;
    *y = settle_target(*y, &(vn_dataset_opts){.kind = VN_TARGET_CLASS, .classes = classes}, &from, &classes, &last);
    return *y ? VN_OK : (int)vn_status();
}

/* The same in its own scope; the caller gets a reference to both arrays. */
static int made_rows(const vn__dataset *b, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    vn_scope scope = vn_scope_begin();
    if (scope < 0) return vn_status();
    int code = call_batch(b, rows, n, x, y);
    if (!code) vn__object_retain(&(*x)->object);
    if (!code && *y) vn__object_retain(&(*y)->object);
    vn_scope_end(scope); /* also closes scopes that the function left open */
    return code;
}

/* The row numbers as an array on the engine of x. */
static vn_array *index_for(const vn_array *x, const int64_t *rows, int64_t n)
{
    return vn__on_engine(vn_from_host(rows, VN_I64, VN_SHAPE(n)), vn_engine_of(x));
}

/* Rows of the whole dataset. */
static int whole_rows(const vn__dataset *b, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    if (b->fn) {
        int code = made_rows(b, rows, n, x, y);
        if (code) return code;
        vn__state *s = vn__enter();
        bool added = vn__scope_add(s, &(*x)->object);
        if (!added) vn_drop(*x);
        if (*y && !vn__scope_add(s, &(*y)->object)) vn_drop(*y), added = false;
        return added ? VN_OK : vn__no_memory("dataset_rows");
    }
    if (b->images) return vn__images_rows(b->images, rows, n, x, y);
    vn_array *index = index_for(b->x, rows, n);
    *x = vn_take(b->x, index, 0);
    *y = b->y ? vn_take(b->y, strcmp(vn_engine_of(b->x), vn_engine_of(b->y)) != 0 ? index_for(b->y, rows, n) : index, 0) : NULL;
    return *x && (*y || !b->y) ? VN_OK : (int)vn_status();
}

/* Rows of a dataset; the numbers have been checked. */
static int rows_of(const vn_dataset *d, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    const vn__dataset *b = vn__dataset_of(d);
    if (!b->index) return whole_rows(b, rows, n, x, y);
    int64_t *mapped = vn__calloc((size_t)n * sizeof *mapped);
    if (!mapped) return vn__no_memory("dataset_rows");
    for (int64_t i = 0; i < n; i++) mapped[i] = b->index[rows[i]];
    int code = whole_rows(vn__dataset_of(b->whole), mapped, n, x, y);
    vn__free(mapped);
    return code;
}

int vn_dataset_rows(const vn_dataset *d, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    static const char who[] = "dataset_rows";
    if (x) *x = NULL;
    if (y) *y = NULL;
    if (!vn__check(d, VN__DATASET, who, "d")) return vn_status();
    if (!rows || !x) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, rows ? "x" : "rows");
    if (n < 1) return vn__fail(VN_E_ARG, "%s: %lld rows", who, (long long)n);
    int64_t have = vn__dataset_of(d)->n;
    for (int64_t i = 0; i < n; i++) {
        if (rows[i] < 0 || rows[i] >= have) return vn__fail(VN_E_ARG, "%s: row %lld of %lld", who, (long long)rows[i], (long long)have);
    }
    if (y && !vn__dataset_whole(d)->has_target) return vn__fail(VN_E_ARG, "%s: the dataset has no target; give NULL for y", who);
    vn_array *both[2] = {NULL, NULL};
    int code = rows_of(d, rows, n, &both[0], &both[1]);
    if (code) return code;
    *x = both[0];
    if (y) *y = both[1];
    return VN_OK;
}

int vn__dataset_range(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n, vn_array **x, vn_array **y)
{
    if (order) return rows_of(d, order + begin, n, x, y);
    int64_t *plain = vn__calloc((size_t)n * sizeof *plain);
    if (!plain) return vn__no_memory("batch");
    for (int64_t i = 0; i < n; i++) plain[i] = begin + i;
    int code = rows_of(d, plain, n, x, y);
    vn__free(plain);
    return code;
}

vn_array *vn__dataset_weights(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n)
{
    const vn__dataset *b = vn__dataset_of(d);
    const double *all = vn_data(vn__dataset_whole(d)->weights);
    double *some = all ? vn__alloc((size_t)n * sizeof *some) : NULL;
    if (!some) return all ? vn__no_memory("batch") : 0, NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = order ? order[begin + i] : begin + i;
        some[i] = all[b->index ? b->index[row] : row];
    }
    vn_array *weights = vn_from_host(some, VN_F64, VN_SHAPE(n));
    vn__free(some);
    return weights;
}

void vn__dataset_ahead(const vn_dataset *d, const int64_t *order, int64_t begin, int64_t n)
{
    const vn__dataset *b = vn__dataset_of(d), *whole = vn__dataset_whole(d);
    n = vn__min(n, b->n - begin);
    if (!whole->images || !whole->images->ahead || n < 1) return;
    int64_t *rows = vn__calloc((size_t)n * sizeof *rows);
    for (int64_t i = 0; rows && i < n; i++) {
        const int64_t row = order ? order[begin + i] : begin + i;
        rows[i] = b->index ? b->index[row] : row;
    }
    if (rows) vn__ahead_want(whole->images->ahead, rows, n);
    vn__free(rows);
}

void vn__dataset_rest(const vn_dataset *d)
{
    const struct vn__images *i = vn__dataset_whole(d)->images;
    if (i && i->ahead) vn__ahead_rest(i->ahead);
}

int vn__dataset_batch(const vn_dataset *d, const int64_t *order, int64_t b, int64_t batch, vn_array **x, vn_array **y, int64_t *n)
{
    int64_t rows = vn__dataset_of(d)->n, begin = b * batch;
    *n = vn__min(rows - begin, batch);
    int code = vn__dataset_range(d, order, begin, *n, x, y);
    if (!code) vn__dataset_ahead(d, order, begin + *n, batch);
    return code;
}
