/* SPDX-License-Identifier: Apache-2.0 */
/* dataset_made.c: datasets made of others: samples, several as one, windows of rows; and random ones. A sample is a part (dataset.c) whose
 * rows may repeat. Windows, and what is joined of functions and files, are datasets of a function that asks the others for their rows. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include "core/options.h"
#include <string.h>

enum { MAX_JOINED = 4096 };
static const int64_t max_rows = INT64_C(1) << 48;

bool vn__dataset_alike(const vn_dataset *a, const vn_dataset *b)
{
    const vn__dataset *x = vn__dataset_whole(a), *y = vn__dataset_whole(b);
    const vn__labels *l = &x->labels, *k = &y->labels;
    if ((x->classes > 0) != (y->classes > 0) || x->has_target != y->has_target) return false;
    bool same = !l->classes == !k->classes && l->deviation == k->deviation && l->mean == k->mean;
    for (int64_t i = 0; same && l->classes && i < k->n_classes; i++) same = i < l->n_classes && !strcmp(l->classes[i], k->classes[i]);
    return same;
}

/* ---- samples ---- */

/* Row numbers below n: sampled one by one, or all of them in some order, again and again. */
static int choose_rows(int64_t n, int64_t rows, const vn_dataset_sample_opts *o, int64_t *to)
{
    VN_SCOPE;
    vn_array *key = vn_random_key_of(o->seed);
    if (!o->no_replacement)
        return vn_read(vn_randint(key, vn_scalar_int(0), vn_scalar_int(n), VN_SHAPE(rows), VN_I64), to, (size_t)rows * sizeof *to);
    int64_t *order = vn__scope_memory((size_t)n * sizeof *order, "dataset_sample");
    int code = order ? VN_OK : (int)vn_status();
    for (int64_t done = 0, round = 0; done < rows && !code; done += n, round++) {
        VN_SCOPE;
        vn_array *own = vn_random_fold(key, vn_from_host(&round, VN_I64, VN_0D));
        code = vn_read(vn_permutation(own, n), order, (size_t)n * sizeof *order);
        memcpy(to + done, order, (size_t)(rows - done < n ? rows - done : n) * sizeof *order);
    }
    return code;
}

vn_dataset *vn_dataset_sample(vn_dataset *d, int64_t rows, const vn_dataset_sample_opts *opts)
{
    static const char who[] = "dataset_sample";
    vn_dataset_sample_opts o = {0};
    if (vn__take(&o, sizeof o, opts, who) || VN__FLAGS(who, VN__FLAG(o, no_replacement))) return NULL;
    if (!vn__check(d, VN__DATASET, who, "d")) return NULL;
    if (rows < 1 || rows > max_rows) return vn__fail(VN_E_ARG, "%s: %lld rows", who, (long long)rows), NULL;
    int64_t *chosen = vn__calloc((size_t)rows * sizeof *chosen);
    if (!chosen) return vn__no_memory(who), NULL;
    const int code = choose_rows(vn__dataset_of(d)->n, rows, &o, chosen);
    vn_dataset *made = code ? NULL : vn__dataset_part(d, chosen, rows, who);
    vn__free(chosen);
    return made;
}

/* ---- what the functions below make of other datasets ---- */

typedef struct {
    int n;
    vn_dataset **part;    /* references are held */
    int64_t length, step; /* of windows */
    int target;           /* vn_window_target */
    vn_dataset *room[];   /* of part */
} made_of;

static void release(void *user)
{
    made_of *m = user;
    for (int i = 0; i < m->n; i++) vn_dataset_drop(m->part[i]);
    vn__free(m);
}

static made_of *hold(vn_dataset *const *parts, int n, const char *who)
{
    for (int i = 0; i < n; i++)
        if (vn__dataset_whole(parts[i])->weights) return vn__fail(VN_E_ARG, "%s: the weights of rows would be lost", who), NULL;
    made_of *m = vn__calloc(sizeof *m + (size_t)n * sizeof *m->room);
    if (!m) return vn__no_memory(who), NULL;
    m->n = n, m->part = m->room;
    for (int i = 0; i < n; i++) m->part[i] = vn_dataset_keep(parts[i]);
    return m;
}

static char *copy(const char *text)
{
    char *made = text ? vn__alloc(strlen(text) + 1) : NULL;
    return made ? memcpy(made, text, strlen(text) + 1) : NULL;
}

/* The names of classes and the units of the target, as the first dataset has them. */
static bool copy_labels(vn__labels *to, const vn__labels *from)
{
    to->mean = from->mean, to->deviation = from->deviation;
    bool whole = !from->target || (to->target = copy(from->target));
    if (!from->classes) return whole;
    if (!(to->classes = vn__calloc((size_t)from->n_classes * sizeof *to->classes))) return false;
    for (; whole && to->n_classes < from->n_classes; to->n_classes++)
        whole = (to->classes[to->n_classes] = copy(from->classes[to->n_classes])) != NULL;
    return whole;
}

/* A dataset of a function of ours; takes m, also on failure. */
static vn_dataset *dataset_of(made_of *m, vn_batch_fn fn, int64_t rows, int64_t classes, const char *about, const char *who)
{
    const vn__dataset *first = vn__dataset_whole(m->part[0]);
    vn__dataset *b = vn__calloc(sizeof *b);
    if (!b) return release(m), vn__no_memory(who), NULL;
    b->n = rows, b->classes = classes, b->last_class = -1, b->has_target = first->has_target;
    b->fn = fn, b->user = m, b->release = release;
    b->about = copy(about);
    if (b->about && copy_labels(&b->labels, &first->labels)) return vn__dataset_object(b, who);
    return vn__dataset_release(b), vn__no_memory(who), NULL;
}

/* ---- several as one ---- */

/* The elements of n rows of x, one after the other, as rows `place` of `to`. */
static int put_rows(vn_array *x, const int64_t *place, int64_t n, char *to)
{
    const char *from = vn_data(x);
    if (!from) return vn_status();
    const size_t row = (size_t)(vn_size(x) / n) * vn_dtype_size(vn_dtype_of(x));
    for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)place[i] * row, from + (size_t)i * row, row);
    return VN_OK;
}

static bool same_rows(const vn_array *a, const vn_array *b)
{
    const vn_shape s = vn_shape_of(a), t = vn_shape_of(b);
    return vn_dtype_of(a) == vn_dtype_of(b) && s.rank == t.rank && !memcmp(s.dim + 1, t.dim + 1, (size_t)(s.rank - 1) * sizeof *s.dim);
}

static int differ(const char *what, const vn_array *a, int part, const vn_array *b)
{
    char s[128], t[128];
    const vn_shape p = vn_shape_of(a), q = vn_shape_of(b);
    return vn__fail(VN_E_SHAPE, "dataset_join: rows of %s are %s %s in part 0, %s %s in part %d", what, vn_dtype_name(vn_dtype_of(a)),
                    vn__shape_text(p.rank - 1, p.dim + 1, s), vn_dtype_name(vn_dtype_of(b)), vn__shape_text(q.rank - 1, q.dim + 1, t),
                    part);
}

/* A batch on the host: of x and, if there is one, y. */
typedef struct {
    vn_array *first[2]; /* an array like the batch, for shape and dtype */
    char *data[2];
    int64_t n;
} batch;

static int add_rows(batch *b, int part, vn_array *const got[2], const int64_t *place, int64_t n)
{
    for (int k = 0; k < 2; k++) {
        vn_array *x = got[k];
        if (!x) continue;
        if (!b->first[k]) {
            size_t bytes = (size_t)(vn_size(x) / n) * vn_dtype_size(vn_dtype_of(x));
            if (bytes && (size_t)b->n > SIZE_MAX / 2 / bytes) return vn__no_memory("dataset_join");
            b->first[k] = x, b->data[k] = vn__scope_memory((size_t)b->n * bytes + 1, "dataset_join");
        }
        if (!b->data[k]) return vn_status();
        if (!same_rows(b->first[k], x)) return differ(k ? "y" : "x", b->first[k], part, x);
        if (put_rows(x, place, n, b->data[k])) return vn_status();
    }
    return VN_OK;
}

static vn_array *batch_array(const batch *b, int k)
{
    vn_shape s = vn_shape_of(b->first[k]);
    s.dim[0] = b->n;
    return vn__on_engine(vn_from_host(b->data[k], vn_dtype_of(b->first[k]), s), vn_engine_of(b->first[k]));
}

/* Rows of several datasets, gathered on the host, because their numbers differ from batch to batch. */
static int joined_rows(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    const made_of *m = user;
    batch b = {.n = n};
    int64_t *own = vn__scope_memory(2 * (size_t)n * sizeof *own, "dataset_join"), *place = own ? own + n : NULL, begin = 0;
    int code = own ? VN_OK : (int)vn_status();
    for (int k = 0; k < m->n && !code; k++) {
        const int64_t has = vn__dataset_of(m->part[k])->n;
        int64_t found = 0;
        for (int64_t i = 0; i < n; i++)
            if (rows[i] >= begin && rows[i] < begin + has) own[found] = rows[i] - begin, place[found++] = i;
        begin += has;
        vn_array *got[2] = {NULL, NULL};
        if (found) code = vn__dataset_range(m->part[k], own, 0, found, &got[0], &got[1]);
        if (found && !code) code = add_rows(&b, k, got, place, found);
    }
    if (!code && !(*x = batch_array(&b, 0))) code = vn_status();
    if (!code && b.first[1] && !(*y = batch_array(&b, 1))) code = vn_status();
    return code;
}

/* All rows of a dataset of arrays, on one engine. */
static vn_array *rows_in_order(const vn_dataset *d, vn_array *of, const char *engine)
{
    const vn__dataset *b = vn__dataset_of(d);
    if (b->index) of = vn_take(of, vn__on_engine(vn_from_host(b->index, VN_I64, VN_SHAPE(b->n)), vn_engine_of(of)), 0);
    return of ? vn_to(of, engine) : NULL;
}

enum { ROWS, TARGETS, WEIGHTS };
static const char *const array_names[] = {"x", "y", "weights"};
static vn_array *array_of(const vn_dataset *d, int which)
{
    const vn__dataset *b = vn__dataset_whole(d);
    return (vn_array *[]){b->x, b->y, b->weights}[which];
}

/* Datasets of arrays become one of arrays; `which` of them. */
static vn_array *joined_arrays(vn_dataset *const *parts, int n, int which)
{
    vn_array **all = vn__scope_memory((size_t)n * sizeof *all, "dataset_join");
    if (!all) return NULL;
    for (int i = 0; i < n; i++) {
        vn_array *x = array_of(parts[i], which), *like = array_of(parts[0], which);
        if (!same_rows(like, x)) return differ(array_names[which], like, i, x), NULL;
        if (!(all[i] = rows_in_order(parts[i], x, vn_engine_of(array_of(parts[0], ROWS))))) return NULL;
    }
    return vn_concat(n, all, 0);
}

static vn_dataset *join_arrays(vn_dataset *const *parts, int n, int64_t classes)
{
    VN_SCOPE;
    const vn__dataset *first = vn__dataset_whole(parts[0]);
    vn__origin from = {.who = "dataset_join"};
    vn_array *x = joined_arrays(parts, n, ROWS), *y = x && first->y ? joined_arrays(parts, n, TARGETS) : NULL;
    vn_array *weights = x && first->weights ? joined_arrays(parts, n, WEIGHTS) : NULL;
    if (!x || (first->y && !y) || (first->weights && !weights)) return NULL;
    const vn_dataset_opts o = {.size = sizeof o,
                               .kind = !y        ? VN_TARGET_NONE
                                       : classes ? VN_TARGET_CLASS
                                                 : VN_TARGET_NUMBER,
                               .classes = classes,
                               .weights = weights,
                               .allow_nonfinite = 1}; /* what was refused was refused when the parts were made */
    if (!copy_labels(&from.labels, &first->labels)) return vn__labels_free(&from.labels), vn__no_memory(from.who), NULL;
    vn_dataset *d = vn__dataset_make(x, y, &o, &from);
    vn__labels_free(&from.labels);
    return d ? vn_dataset_pass(d) : NULL;
}

vn_dataset *vn_dataset_join(vn_dataset *const *parts, int n)
{
    static const char who[] = "dataset_join";
    if (!parts) return vn__fail(VN_E_NULL, "%s: parts is NULL", who), NULL;
    if (n < 1 || n > MAX_JOINED) return vn__fail(VN_E_ARG, "%s: %d parts; 1 to %d can be joined", who, n, (int)MAX_JOINED), NULL;
    int64_t rows = 0, classes = 0;
    bool arrays = true;
    for (int i = 0; i < n; i++) {
        if (!vn__check(parts[i], VN__DATASET, who, "parts")) return NULL;
        const vn__dataset *b = vn__dataset_whole(parts[i]);
        if (!vn__dataset_alike(parts[0], parts[i]))
            return vn__fail(VN_E_ARG,
                            "%s: the targets of part %d (%.100s) do not mean what those of part 0 (%.100s) do: classes, their names or "
                            "units differ",
                            who, i, vn__dataset_of(parts[i])->about, vn__dataset_of(parts[0])->about),
                   NULL;
        rows += vn__dataset_of(parts[i])->n;
        if (rows > max_rows) return vn__fail(VN_E_ARG, "%s: more than %lld rows", who, (long long)max_rows), NULL;
        classes = b->classes > classes ? b->classes : classes;
        if (!b->weights != !vn__dataset_whole(parts[0])->weights)
            return vn__fail(VN_E_ARG, "%s: part %d %s weights of rows, part 0 %s", who, i, b->weights ? "has" : "has no",
                            b->weights ? "has none" : "has some"),
                   NULL;
        arrays = arrays && b->x;
    }
    if (arrays) return join_arrays(parts, n, classes);
    char about[300];
    snprintf(about, sizeof about, "%lld rows of %d datasets, the first %.200s", (long long)rows, n, vn__dataset_of(parts[0])->about);
    made_of *m = hold(parts, n, who);
    return m ? dataset_of(m, joined_rows, rows, classes, about, who) : NULL;
}

/* ---- windows ---- */

/* (n length, ...) as (n, length, ...), and of that the steps from `begin` on, before `end`. */
static vn_array *in_windows(vn_array *x, int64_t n, int64_t length, int64_t begin, int64_t end)
{
    vn_shape s = vn_shape_of(x);
    if (s.rank + 1 > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "dataset_windows: rows of %d axes", s.rank - 1), NULL;
    memmove(s.dim + 2, s.dim + 1, (size_t)(s.rank - 1) * sizeof *s.dim);
    s.dim[0] = n, s.dim[1] = length, s.rank++;
    vn_shape from = s, to = s;
    for (int k = 0; k < s.rank; k++) from.dim[k] = 0;
    from.dim[1] = begin, to.dim[1] = end;
    x = vn_reshape(x, s);
    return begin || end < length ? vn_slice_step(x, from, to, VN_DEFAULT) : x;
}

static int window_rows(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    const made_of *m = user;
    const int64_t length = m->length, all = length + (m->target == VN_WINDOW_NEXT);
    if (n > max_rows / all) return vn__no_memory("dataset_windows");
    int64_t *own = vn__scope_memory((size_t)(n * all) * sizeof *own, "dataset_windows");
    if (!own) return vn_status();
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < all; k++) own[i * all + k] = rows[i] * m->step + k;
    int code = vn__dataset_range(m->part[0], own, 0, n * all, x, y);
    if (code) return code;
    *x = in_windows(*x, n, all, 0, length);
    if (*y) *y = m->target == VN_WINDOW_ALL ? in_windows(*y, n, all, 0, all) : in_windows(*y, n, all, all - 1, all);
    if (*y && m->target != VN_WINDOW_ALL) *y = vn_squeeze(*y, VN_AXES(1));
    return *x ? VN_OK : (int)vn_status();
}

vn_dataset *vn_dataset_windows(vn_dataset *d, int64_t length, const vn_dataset_windows_opts *opts)
{
    static const char who[] = "dataset_windows";
    vn_dataset_windows_opts o = {0};
    if (vn__take(&o, sizeof o, opts, who) || !vn__check(d, VN__DATASET, who, "d")) return NULL;
    if (!o.step) o.step = 1;
    const int64_t n = vn__dataset_of(d)->n, behind = o.target == VN_WINDOW_NEXT;
    if (o.target < VN_WINDOW_LAST || o.target > VN_WINDOW_NEXT)
        return vn__fail(VN_E_ARG, "%s: target is %d, which is not a vn_window_target", who, o.target), NULL;
    if (o.step < 1 || length < 1)
        return vn__fail(VN_E_ARG, "%s: windows of %lld rows, a step of %lld", who, (long long)length, (long long)o.step), NULL;
    if (length > n - behind)
        return vn__fail(VN_E_ARG, "%s: a window of %lld rows%s does not fit into %lld rows", who, (long long)length,
                        behind ? " and the one behind it" : "", (long long)n),
               NULL;
    if (o.target == VN_WINDOW_NEXT && !vn__dataset_whole(d)->has_target)
        return vn__fail(VN_E_ARG, "%s: the dataset has no target", who), NULL;
    char about[300];
    const int64_t rows = (n - behind - length) / o.step + 1;
    snprintf(about, sizeof about, "%lld windows of %lld rows of %.200s", (long long)rows, (long long)length, vn__dataset_of(d)->about);
    made_of *m = hold(&d, 1, who);
    if (!m) return NULL;
    m->length = length, m->step = o.step, m->target = o.target;
    return dataset_of(m, window_rows, rows, vn__dataset_whole(d)->classes, about, who);
}

/* ---- random rows ---- */

vn_dataset *vn_dataset_random(int64_t rows, vn_shape x, int64_t classes, uint64_t seed)
{
    static const char who[] = "dataset_random";
    if (rows < 1 || rows > max_rows || classes < 0)
        return vn__fail(VN_E_ARG, "%s: %lld rows, %lld classes", who, (long long)rows, (long long)classes), NULL;
    if (x.rank < 0 || x.rank + 1 > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "%s: rows of %d axes", who, x.rank), NULL;
    VN_SCOPE;
    memmove(x.dim + 1, x.dim, (size_t)x.rank * sizeof *x.dim);
    x.dim[0] = rows, x.rank++;
    vn_array *keys[2] = {vn_random_key_of(seed), NULL};
    keys[1] = vn_random_fold(keys[0], vn_scalar_int(1));
    vn_array *all = vn_normal(keys[0], vn_scalar(0), vn_scalar(1), x, VN_F32);
    vn_array *y = classes ? vn_randint(keys[1], vn_scalar_int(0), vn_scalar_int(classes), VN_SHAPE(rows), VN_I64)
                          : vn_normal(keys[1], vn_scalar(0), vn_scalar(1), VN_SHAPE(rows), VN_F32);
    if (!all || !y) return vn__fail_in(who), NULL;
    vn__origin from = {.who = who};
    vn_dataset *d = vn__dataset_make(all, y, &(vn_dataset_opts){.size = sizeof(vn_dataset_opts), .classes = classes}, &from);
    return d ? vn_dataset_pass(d) : NULL;
}
