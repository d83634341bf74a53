/* SPDX-License-Identifier: Apache-2.0 */
/* images.c: datasets of image files. Pixels stay bytes until a batch is made of them, which is converted on the engine. */
#include "train/images.h"
#include "train/schema.h"
#include "base/base.h"
#include "core/callback.h"
#include "core/memory.h"
#include "core/state.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    const vn_dataset_opts *o;
    vn__origin *from;
    struct vn__images *i;
    int64_t bad; /* files that were left out */
    char first_bad[400];
    const char *const *known; /* the schema's classes, in scope memory; NULL: none */
    int64_t n_known;
} loading;

bool vn__images_are(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return false;
    return S_ISDIR(s.st_mode) || vn__image_named(path);
}

void vn__images_free(struct vn__images *i)
{
    if (!i) return;
    vn__ahead_free(i->ahead);
    vn__block_free(i->cache);
    vn__free((void *)(uintptr_t)i->names);
    vn__image_list_free(&i->list);
    vn__free(i);
}

size_t vn__images_row(const struct vn__images *i)
{
    return (size_t)(i->form.height * i->form.width * i->form.channels);
}

/* ---- the schema: {"version": 1, "images": [64, 64, 3], "classes": ["cat", "dog"]} ---- */

static char *print_schema(const struct vn__images *i, const char *const *classes, int64_t n, const char *who)
{
    vn__text to = {0};
    vn__print(&to, "{\"version\":1,\"images\":[%lld,%lld,%d],\"classes\":[", (long long)i->form.height, (long long)i->form.width,
              i->form.channels);
    for (int64_t k = 0; k < n; k++) {
        if (k) vn__print(&to, ",");
        vn__print_json(&to, classes[k]);
    }
    vn__print(&to, "]}");
    if (!to.failed) return to.text;
    vn__free(to.text);
    return vn__no_memory(who), NULL;
}

/* A size of the form. */
static bool read_size(const vn__json_value *v, int64_t most, int64_t *to)
{
    if (!v || v->kind != VN__JSON_NUMBER || !(v->number >= 1 && v->number <= (double)most) || v->number != floor(v->number)) return false;
    *to = (int64_t)v->number;
    return true;
}

static int read_schema(loading *l)
{
    const vn__json_value *all = vn__schema_json(l->o->schema, l->from);
    if (!all) return vn_status();
    const vn__json_value *form = vn__json_find(all, "images"), *classes = vn__json_find(all, "classes"), *h, *w, *c;
    int64_t channels;
    vn_picture *p = &l->i->form;
    if (!form)
        return vn__fail(VN_E_FORMAT, "%s: %.300s has images, and the schema, what was trained on, is of a table", l->from->who,
                        l->from->path);
    if (form->kind != VN__JSON_LIST || form->n != 3 || !classes || classes->kind != VN__JSON_LIST)
        return vn__schema_bad(l->from, "images or classes are missing");
    h = form->first, w = h->next, c = w->next;
    if (!read_size(h, 8192, &p->height) || !read_size(w, 8192, &p->width) || !read_size(c, 3, &channels) || channels == 2)
        return vn__schema_bad(l->from, "the size of images");
    p->channels = (int32_t)channels;
    const char **names = vn__scope_memory((size_t)(classes->n + 1) * sizeof *names, l->from->who);
    if (!names) return vn_status();
    for (const vn__json_value *v = classes->first; v; v = v->next) {
        if (v->kind != VN__JSON_TEXT) return vn__schema_bad(l->from, "a class that is not a text");
        names[l->n_known++] = v->text;
    }
    l->known = l->n_known ? names : NULL;
    return VN_OK;
}

/* ---- reading ---- */

static int tell(const loading *l, double done)
{
    if (!l->o->progress) return VN_OK;
    vn__state *s = vn__enter();
    vn_code before = vn_status();
    size_t inside = vn__user_begin(s);
    int stop = l->o->progress(done, l->o->progress_user);
    vn__user_end(s, inside);
    if (!before && vn_status()) return vn__fail_in(l->from->who);
    return stop ? vn__fail(VN_E_CALLBACK, "%s: %.300s: the progress function returned %d", l->from->who, l->from->path, stop) : VN_OK;
}

/* A file that cannot be read is an error, or left out. A missing library or memory is always an error. */
static int unreadable(loading *l, const vn__image_file *f, const vn__image_error *t)
{
    const bool its_own = t->code == VN_E_FORMAT || t->code == VN_E_IO;
    if (!its_own || l->o->unreadable != VN_UNREADABLE_SKIP)
        return vn__fail((vn_code)t->code, "%s: %.300s: %s%s", l->from->who, f->path, t->text,
                        its_own ? "; option unreadable: skip leaves such files out" : "");
    const size_t used = strlen(l->first_bad);
    if (l->bad++ < 3 && used < 300)
        snprintf(l->first_bad + used, sizeof l->first_bad - used, "%s%.60s (%.60s)", used ? ", " : "", f->path + f->name, t->text);
    return VN_OK;
}

/* Calls a function for every file and keeps those for which it succeeds, at the same place as their rows. Progress goes from `at` on. */
static int sift(loading *l, int (*look)(loading *l, vn__image_file *f, int64_t row, vn__image_error *t), double at, double part)
{
    vn__image_list *list = &l->i->list;
    int64_t kept = 0;
    int code = VN_OK;
    for (int64_t k = 0; k < list->n; k++) {
        vn__image_error t = {0};
        vn__image_file f = list->files[k];
        if (!code && look(l, &f, kept, &t)) {
            code = unreadable(l, &f, &t);
            if (!code) {
                vn__free(f.path);
                continue;
            }
        }
        list->files[kept++] = f;
        if (!code && k % 16 == 0) code = tell(l, at + part * (double)k / (double)list->n);
    }
    list->n = kept;
    return code;
}

static int measure_file(loading *l, vn__image_file *f, int64_t row, vn__image_error *t)
{
    (void)l, (void)row;
    return vn__image_measure(f->path, &f->image, t);
}

static int decode_file(loading *l, vn__image_file *f, int64_t row, vn__image_error *t)
{
    const size_t bytes = vn__images_row(l->i);
    return vn__image_pixels(f->path, &f->image, &l->i->form, l->i->cache + (l->o->cache < 0 ? 0 : (size_t)row * bytes), t);
}

static int nothing_left(const loading *l)
{
    return vn__fail(VN_E_FORMAT, "%s: %.300s: none of the images can be read: %.300s", l->from->who, l->from->path, l->first_bad);
}

/* ---- size and channels ---- */

static int choose_form(loading *l)
{
    enum { LARGE = 128, USUAL = 64 };
    const vn__image_list *list = &l->i->list;
    vn_picture *p = &l->i->form;
    bool same = true, gray = true;
    for (int64_t k = 0; k < list->n; k++) {
        const vn_picture *f = &list->files[k].image.full;
        same = same && f->height == list->files[0].image.full.height && f->width == list->files[0].image.full.width;
        gray = gray && f->channels == 1;
    }
    if (p->channels) return VN_OK; /* by the schema */
    p->channels = l->o->channels ? l->o->channels : gray ? 1 : 3;
    p->height = l->o->height, p->width = l->o->width;
    if (p->height) return VN_OK;
    *p = (vn_picture){sizeof *p, p->channels, list->files[0].image.full.height, list->files[0].image.full.width};
    if (same && p->height <= LARGE && p->width <= LARGE) return VN_OK;
    p->height = p->width = USUAL;
    return vn__note(l->from, "images %s are resized to %d x %d; option height sets another size",
                    same ? "of more than 128 pixels" : "of different sizes", USUAL, USUAL);
}

/* ---- pixels ---- */

int vn__images_decode(const struct vn__images *i, const int64_t *rows, int64_t n, unsigned char *to, vn__image_error *t)
{
    const size_t bytes = vn__images_row(i);
    t->code = VN_OK;
    for (int64_t k = 0; k < n && !t->code; k++, to += bytes) {
        const vn__image_file *f = &i->list.files[rows[k]];
        if (i->cache) memcpy(to, i->cache + (size_t)rows[k] * bytes, bytes);
        else if (vn__image_pixels(f->path, &f->image, &i->form, to, t)) {
            char why[sizeof t->text];
            memcpy(why, t->text, sizeof why);
            snprintf(t->text, sizeof t->text, "%.300s: %.380s", f->path, why);
        }
    }
    return t->code;
}

/* All images are decoded now if their pixels fit into the cache, or if those that cannot be decoded are to be left out. */
static int decode_all(loading *l)
{
    struct vn__images *i = l->i;
    const int64_t most = l->o->cache ? l->o->cache : INT64_C(1) << 30;
    const size_t bytes = vn__images_row(i);
    const bool fits = l->o->cache >= 0 && (size_t)i->list.n <= (size_t)most / bytes;
    if (!fits && l->o->unreadable != VN_UNREADABLE_SKIP) return VN_OK;
    vn_dataset_opts o = *l->o;
    o.cache = fits ? 0 : -1; /* then the room of one image does */
    loading now = *l;
    now.o = &o;
    i->cache = vn__block_alloc(fits ? (size_t)i->list.n * bytes : bytes);
    if (!i->cache)
        return vn__fail(VN_E_MEM, "%s: no memory for the pixels of %lld images; option cache limits them", l->from->who,
                        (long long)i->list.n);
    int code = sift(&now, decode_file, .5, .5);
    l->bad = now.bad;
    memcpy(l->first_bad, now.first_bad, sizeof l->first_bad);
    if (!fits) vn__block_free(i->cache), i->cache = NULL;
    return code;
}

/* ---- the dataset ---- */

static int note_files(const loading *l)
{
    int code = VN_OK;
    if (l->bad)
        code = vn__note(l->from, "%lld file%s cannot be read and %s left out: %.380s%s", (long long)l->bad, l->bad == 1 ? "" : "s",
                        l->bad == 1 ? "is" : "are", l->first_bad, l->bad > 3 ? " ..." : "");
    const vn__image_list *list = &l->i->list;
    if (!code && list->ignored)
        code = vn__note(l->from, "%lld other file%s ignored, such as %.100s", (long long)list->ignored,
                        list->ignored == 1 ? " is" : "s are", list->other);
    return code;
}

static int take_names(const loading *l)
{
    struct vn__images *i = l->i;
    vn__labels *labels = &l->from->labels;
    i->names = vn__calloc((size_t)(i->list.n + 1) * sizeof *i->names);
    if (!i->names) return vn__no_memory(l->from->who);
    for (int64_t k = 0; k < i->list.n; k++) i->names[k] = i->list.files[k].path + i->list.files[k].name;
    const char *const *classes = l->known ? l->known : (const char *const *)i->list.classes;
    const int64_t n = l->known ? l->n_known : i->list.n_classes;
    if (!(labels->schema = print_schema(i, classes, n, l->from->who))) return vn_status();
    if (!n) return VN_OK;
    labels->classes = vn__calloc((size_t)n * sizeof *labels->classes);
    if (!labels->classes) return vn__no_memory(l->from->who);
    for (; labels->n_classes < n; labels->n_classes++)
        if (!(labels->classes[labels->n_classes] = vn__copy_text(classes[labels->n_classes]))) return vn__no_memory(l->from->who);
    return n == 1 ? vn__note(l->from, "there is one class only, \"%.60s\"", classes[0]) : VN_OK;
}

static int check_options(const vn_dataset_opts *o, const char *who)
{
    const char *tables = o->columns ? "columns" : o->missing ? "missing" : o->standardize ? "standardize" : o->target ? "target" : NULL;
    if (tables) return vn__fail(VN_E_ARG, "%s: option %s is for tables (CSV), not for images", who, tables);
    if (o->y_path || o->x || o->y) return vn__fail(VN_E_ARG, "%s: options x, y and y_path are for arrays, not for images", who);
    if (o->weights || o->weight_column)
        return vn__fail(VN_E_ARG, "%s: option %s is for arrays and tables, not for images", who, o->weights ? "weights" : "weight_column");
    if (o->kind == VN_TARGET_NUMBER) return vn__fail(VN_E_ARG, "%s: images have classes, not numbers to be learned (option kind)", who);
    if (o->classes) return vn__fail(VN_E_ARG, "%s: the folders say how many classes there are", who);
    if (o->unreadable < VN_UNREADABLE_ERROR || o->unreadable > VN_UNREADABLE_SKIP)
        return vn__fail(VN_E_ARG, "%s: option unreadable is %d, which is not a vn_unreadable", who, o->unreadable);
    if (o->schema && (o->height || o->width || o->channels))
        return vn__fail(VN_E_ARG, "%s: a schema says what height, width and channels are", who);
    if (o->cache < -1) return vn__fail(VN_E_ARG, "%s: option cache is %lld; bytes, or -1 for none, are needed", who, (long long)o->cache);
    return vn__image_wanted(o->height, o->width, o->channels, who);
}

static int load(loading *l)
{
    struct vn__images *i = l->i;
    const bool labelled = l->o->kind != VN_TARGET_NONE;
    int code = l->o->schema ? read_schema(l) : VN_OK;
    if (!code) code = vn__image_list_read(l->from->path, labelled, l->known, l->n_known, l->from->who, &i->list);
    if (!code) code = sift(l, measure_file, 0, .5);
    if (!code && !i->list.n) code = nothing_left(l);
    if (!code) code = choose_form(l);
    if (!code) code = decode_all(l);
    if (!code && !i->list.n) code = nothing_left(l);
    if (!code) code = tell(l, 1);
    if (!code) code = note_files(l);
    if (!code) code = take_names(l);
    if (!code && !i->cache && !(i->ahead = vn__ahead_new(i))) code = vn__no_memory(l->from->who);
    return code;
}

vn_dataset *vn__images_load(const char *path, const vn_dataset_opts *o, vn__origin *from)
{
    VN_SCOPE;
    loading l = {.o = o, .from = from};
    from->path = path;
    if (vn__dataset_check(o, from->who) || check_options(o, from->who)) return NULL;
    if (!(l.i = vn__calloc(sizeof *l.i))) return vn__no_memory(from->who), NULL;
    l.i->form.size = sizeof l.i->form;
    vn_dataset *d = load(&l) ? NULL : vn__dataset_of_images(l.i, from);
    if (!d) vn__images_free(l.i);
    return d ? vn_dataset_pass(d) : NULL;
}

/* The classes of these rows; NULL: of all n. */
static vn_array *labels_of(const struct vn__images *i, const int64_t *rows, int64_t n, const char *who)
{
    int64_t *labels = vn__block_alloc((size_t)n * sizeof *labels);
    if (!labels) return vn__no_memory(who), NULL;
    for (int64_t k = 0; k < n; k++) labels[k] = i->list.files[rows ? rows[k] : k].label;
    return vn_wrap(labels, VN_I64, VN_SHAPE(n), vn__block_free, labels);
}

vn_array *vn__images_labels(const struct vn__images *i, const char *who)
{
    return labels_of(i, NULL, i->list.n, who);
}

int vn__images_rows(const struct vn__images *i, const int64_t *rows, int64_t n, vn_array **x, vn_array **y)
{
    static const char who[] = "dataset_rows";
    vn__image_error t = {0};
    unsigned char *pixels = i->ahead ? vn__ahead_take(i->ahead, rows, n, &t) : vn__block_alloc((size_t)n * vn__images_row(i));
    if (!pixels && !t.code) return vn__no_memory(who);
    if (!i->ahead) vn__images_decode(i, rows, n, pixels, &t);
    if (t.code) return vn__block_free(pixels), vn__fail((vn_code)t.code, "%s: %s", who, t.text);
    const vn_shape shape = VN_SHAPE(n, i->form.height, i->form.width, i->form.channels);
    *x = vn_div(vn_cast(vn_wrap(pixels, VN_U8, shape, vn__block_free, pixels), VN_F32), vn_scalar(255));
    *y = i->list.classes ? labels_of(i, rows, n, who) : NULL;
    return *x && (*y || !i->list.classes) ? VN_OK : (int)vn_status();
}
