/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c: the image files of a folder, in an order that does not depend on the file system: classes by name, then files by name. */
#include "train/images.h"
#include "base/base.h"
#include "core/memory.h"
#include "core/state.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 32 }; /* folders inside each other; links may lead in circles */

typedef struct {
    vn__image_list *to;
    const char *who;
    size_t root;   /* length of the folder's path, with its slash */
    int64_t label; /* of the files that are found */
} listing;

void vn__image_list_free(vn__image_list *l)
{
    for (int64_t k = 0; k < l->n; k++) vn__free(l->files[k].path);
    for (int64_t k = 0; k < l->n_classes; k++) vn__free(l->classes[k]);
    vn__free(l->files), vn__free(l->classes), vn__free(l->other);
    *l = (vn__image_list){0};
}

/* Room for one more element of `size` bytes behind n of them. */
static bool grow(void **list, int64_t n, int64_t *capacity, size_t size)
{
    if (n < *capacity) return true;
    const int64_t more = *capacity ? *capacity * 2 : 64;
    void *larger = vn__grow(*list, (size_t)*capacity * size, (size_t)more * size);
    if (larger) *list = larger, *capacity = more;
    return larger != NULL;
}

static int add_file(const listing *l, const char *path)
{
    vn__image_list *to = l->to;
    void *files = to->files;
    const bool room = grow(&files, to->n, &to->capacity, sizeof *to->files);
    to->files = files;
    char *copy = room ? vn__copy_text(path) : NULL;
    if (!copy) return vn__no_memory(l->who);
    to->files[to->n++] = (vn__image_file){.path = copy, .name = l->root, .label = l->label};
    return VN_OK;
}

static int add_other(const listing *l, const char *path)
{
    vn__image_list *to = l->to;
    if (!to->ignored++ && !(to->other = vn__copy_text(path + l->root))) return vn__no_memory(l->who);
    return VN_OK;
}

static int add_class(const listing *l, const char *name)
{
    vn__image_list *to = l->to;
    void *classes = to->classes;
    const bool room = grow(&classes, to->n_classes, &to->class_capacity, sizeof *to->classes);
    to->classes = classes;
    char *copy = room ? vn__copy_text(name) : NULL;
    if (!copy) return vn__no_memory(l->who);
    to->classes[to->n_classes++] = copy;
    return VN_OK;
}

/* ---- folders ---- */

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* What is in a folder, by name; the number of entries, or -1 with the error set. */
static int entries_of(const char *folder, struct dirent ***names, const char *who)
{
    char text[128];
    const int n = scandir(folder, names, visible, by_bytes);
    if (n < 0) vn__fail(VN_E_IO, "%s: %.300s: cannot read the folder: %s", who, folder, vn__error_text(errno, text, sizeof text));
    return n;
}

static void free_entries(struct dirent **names, int n)
{
    for (int k = 0; k < n; k++) free(names[k]);
    if (n >= 0) free(names);
}

static bool join(char to[static PATH_MAX], const char *folder, const char *name, const char *who)
{
    const size_t n = strlen(folder);
    const int length = snprintf(to, PATH_MAX, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    if (length < PATH_MAX) return true;
    vn__fail(VN_E_IO, "%s: %.200s...: the path is too long", who, to);
    return false;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

/* All images of a folder and of those inside it. */
static int list_below(const listing *l, const char *folder, int depth)
{
    struct dirent **names = NULL;
    if (depth > DEEPEST) return vn__fail(VN_E_IO, "%s: %.300s: more than %d folders inside each other", l->who, folder, DEEPEST);
    const int n = entries_of(folder, &names, l->who);
    int code = n < 0 ? (int)vn_status() : VN_OK;
    for (int k = 0; k < n && !code; k++) {
        char path[PATH_MAX];
        if (!join(path, folder, names[k]->d_name, l->who)) code = vn_status();
        else if (is_folder(path)) code = list_below(l, path, depth + 1);
        else code = vn__image_named(path) ? add_file(l, path) : add_other(l, path);
    }
    free_entries(names, n);
    return code;
}

/* ---- classes ---- */

static int64_t class_number(const char *name, const char *const *known, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (!strcmp(known[k], name)) return k;
    return -1;
}

/* A folder is a class, or one of those that are known. */
static int list_class(listing *l, const char *folder, const char *name, const char *const *known, int64_t n_known)
{
    if (!vn__is_utf8(name)) return vn__fail(VN_E_FORMAT, "%s: %.300s: the name of a class must be UTF-8", l->who, folder);
    const int64_t before = l->to->n;
    l->label = known ? class_number(name, known, n_known) : l->to->n_classes;
    int code = list_below(l, folder, 0);
    if (code || l->to->n == before) return code; /* a folder without images is no class */
    if (l->label < 0)
        return vn__fail(VN_E_STRUCT, "%s: %.300s: \"%.60s\" is none of the %lld classes that were learned (\"%.60s\" ...)", l->who, folder,
                        name, (long long)n_known, known[0]);
    return known ? VN_OK : add_class(l, name);
}

static int list_classes(listing *l, const char *folder, const char *const *known, int64_t n_known)
{
    struct dirent **names = NULL;
    const int n = entries_of(folder, &names, l->who);
    int code = n < 0 ? (int)vn_status() : VN_OK;
    for (int k = 0; k < n && !code; k++) {
        char path[PATH_MAX];
        if (!join(path, folder, names[k]->d_name, l->who)) code = vn_status();
        else if (is_folder(path)) code = list_class(l, path, names[k]->d_name, known, n_known);
    }
    for (int k = 0; k < n && l->to->n && !code; k++) { /* beside the folders of classes: of no class, images too */
        char path[PATH_MAX];
        if (!join(path, folder, names[k]->d_name, l->who)) code = vn_status();
        else if (!is_folder(path)) code = add_other(l, path);
    }
    for (int64_t k = 0; known && k < n_known && l->to->n && !code; k++) code = add_class(l, known[k]);
    free_entries(names, n);
    return code;
}

int vn__image_list_read(const char *path, bool labelled, const char *const *known, int64_t n_known, const char *who, vn__image_list *to)
{
    const size_t length = strlen(path), slash = length && path[length - 1] == '/' ? 0 : 1;
    listing l = {.to = to, .who = who, .root = length + slash, .label = -1};
    if (!is_folder(path)) {
        const char *name = strrchr(path, '/');
        l.root = name ? (size_t)(name + 1 - path) : 0;
        return add_file(&l, path);
    }
    int code = labelled ? list_classes(&l, path, known, n_known) : VN_OK;
    if (!code && !to->n) code = list_below(&l, path, 0); /* images without classes */
    vn__image_error t;
    if (!code && !to->n && vn__decoders_missing(&t)) code = vn__fail((vn_code)t.code, "%s: %.300s: %s", who, path, t.text);
    if (!code && !to->n)
        code = vn__fail(VN_E_FORMAT, "%s: %.300s: the folder has no images%s%.60s%s", who, path, to->other ? " (" : "",
                        to->other ? to->other : "", to->other ? " is none)" : "");
    return code;
}
