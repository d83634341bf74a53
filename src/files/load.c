/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: from the catalog of a file to arrays and trees. Elements are used in place in the mapped file where possible. */
#include "core/options.h"
#include "files/files.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include <string.h>
#include <stdlib.h>

/* ---- the catalog ---- */

/* Room for one more item in a list that lives in scope memory. */
static void *one_more(const vn__file *f, const char *items, void *list, int *n, int *capacity, size_t item)
{
    if (*n == VN__FILE_ENTRIES) return vn__file_bad(f, 0, "there are more than %d %s", VN__FILE_ENTRIES, items), NULL;
    if (*n == *capacity) {
        int room = *capacity ? 2 * *capacity : 16;
        char *larger = vn__scope_memory((size_t)room * item, f->who);
        if (!larger) return NULL;
        if (*n) memcpy(larger, list, (size_t)*n * item);
        *capacity = room;
        list = larger;
    }
    memset((char *)list + (size_t)*n * item, 0, item);
    ++*n;
    return list;
}

vn__stored *vn__catalog_add(vn__catalog *x)
{
    vn__stored *list = one_more(x->file, "arrays", x->arrays, &x->n, &x->capacity, sizeof *list);
    if (!list) return NULL;
    x->arrays = list;
    return &list[x->n - 1];
}

vn_note *vn__catalog_note(vn__catalog *x)
{
    vn_note *list = one_more(x->file, "notes", x->notes, &x->n_notes, &x->notes_capacity, sizeof *list);
    if (!list) return NULL;
    x->notes = list;
    return &list[x->n_notes - 1];
}

const char *vn__catalog_find(const vn__catalog *x, const char *key)
{
    for (int i = 0; i < x->n_notes; i++) {
        if (!strcmp(x->notes[i].key, key)) return x->notes[i].value;
    }
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int vn__no_name_twice(const vn__file *f, const char **names, int n)
{
    qsort(names, (size_t)n, sizeof *names, by_text);
    for (int i = 1; i < n; i++) {
        if (!strcmp(names[i - 1], names[i])) return vn__file_bad(f, 0, "\"%.80s\" occurs twice in the file", names[i]);
    }
    return VN_OK;
}

int vn__catalog_read(vn__catalog *x)
{
    const vn__file *f = x->file;
    static const char *const zips[] = {"PK\3\4", "PK\5\6", "PK\6\6"};
    if (f->size >= 6 && !memcmp(f->data, "\x93NUMPY", 6)) return vn__npy_read(x);
    for (int i = 0; i < 3 && f->size >= 4; i++) {
        if (!memcmp(f->data, zips[i], 4)) return vn__npz_read(x);
    }
    return vn__safetensors_read(x);
}

bool vn__shape_bytes(const vn_shape *s, int dtype, uint64_t *bytes)
{
    int64_t n = (int64_t)vn_dtype_size((vn_dtype)dtype), zero = 1;
    for (int i = 0; i < s->rank; i++) { /* sizes are bounded as for arrays: ignoring zeros */
        if (!s->dim[i]) zero = 0;
        else if (n > (INT64_MAX >> 2) / s->dim[i]) return false;
        else n *= s->dim[i];
    }
    *bytes = (uint64_t)(n * zero);
    return true;
}

/* ---- elements ---- */

typedef struct { /* bytes, and the owner to release when they are no longer needed */
    const unsigned char *data;
    void (*release)(void *user);
    void *user;
} bytes_of;

static bytes_of own_block(const vn__file *f, uint64_t size)
{
    bytes_of b = {.release = vn__block_free, .user = vn__block_alloc(size ? size : 1)};
    if (!b.user) vn__fail(VN_E_MEM, "%s: %.300s: no memory for %llu bytes", f->who, f->path, (unsigned long long)size);
    b.data = b.user;
    return b;
}

static bytes_of inflated(vn__file *f, const vn__stored *s)
{
    bytes_of b = own_block(f, s->whole);
    if (!b.user) return b;
    const char *problem = vn__inflate(f->data + s->begin, s->stored, b.user, s->whole, false);
    if (!problem && vn__crc32(0, b.data, s->whole) != s->crc) problem = "the checksum is wrong";
    b.data += s->head;
    if (!problem) return b;
    vn__file_bad(f, s->begin, "\"%.80s\": %s", s->name, problem);
    b.release(b.user);
    b.user = NULL;
    return b;
}

/* A copy with the bytes of every number reversed. */
static bytes_of swapped(const vn__file *f, const vn__stored *s, bytes_of from)
{
    bytes_of b = own_block(f, s->bytes);
    size_t wide = vn_dtype_size((vn_dtype)vn__part_dtype(s->dtype));
    unsigned char *to = b.user;
    for (uint64_t i = 0; to && i < s->bytes; i += wide) {
        for (size_t k = 0; k < wide; k++) to[i + k] = from.data[i + wide - 1 - k];
    }
    from.release(from.user);
    return b;
}

static int check_bools(const vn__file *f, const vn__stored *s, const unsigned char *data)
{
    const uint64_t i = s->dtype == VN_BOOL ? vn__not_bool(data, (size_t)s->bytes) : s->bytes;
    return i < s->bytes ? vn__file_bad(f, s->begin + (s->deflated ? 0 : i), "\"%.80s\": a bool is %d, not 0 or 1", s->name, data[i])
                        : VN_OK;
}

static vn_shape reversed(vn_shape s)
{
    vn_shape r = {.rank = s.rank};
    for (int i = 0; i < s.rank; i++) r.dim[i] = s.dim[s.rank - 1 - i];
    return r;
}

static vn_array *transposed(vn_array *x)
{
    vn_axes order = {.n = vn_rank(x)};
    for (int i = 0; i < order.n; i++) order.axis[i] = order.n - 1 - i;
    return x ? vn_permute_dims(x, order) : NULL;
}

vn_array *vn__stored_array(const vn__catalog *x, const vn__stored *s)
{
    vn__file *f = x->file;
    bytes_of b = {f->data + s->begin, vn__file_release, f};
    if (s->deflated) b = inflated(f, s);
    else atomic_fetch_add(&f->refs, 1);
    if (b.user && s->swapped) b = swapped(f, s, b);
    if (!b.user) return NULL;
    if (check_bools(f, s, b.data)) return b.release(b.user), NULL;
    bool by_column = s->fortran && s->shape.rank > 1;
    vn_shape shape = by_column ? reversed(s->shape) : s->shape;
    vn_array *y;
    if ((uintptr_t)b.data % vn_dtype_size((vn_dtype)vn__part_dtype(s->dtype))) {
        y = vn_from_host(b.data, (vn_dtype)s->dtype, shape);
        b.release(b.user);
    } else {
        y = vn_wrap(b.data, (vn_dtype)s->dtype, shape, b.release, b.user);
    }
    return by_column ? transposed(y) : y;
}

/* ---- trees ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const vn__stored *)a)->name, ((const vn__stored *)b)->name);
}

/* Can an array of this name be added to t? NULL, or why not. */
static const char *misfit(const vn_tree *t, char *name)
{
    int parts = 0;
    for (char *at = name;; at++, parts++) {
        size_t n = strcspn(at, "./");
        if (!n || n > VN__TREE_KEY) return "a part of it is empty or too long";
        if (parts == VN__TREE_DEPTH) return "it has too many parts";
        char separator = at[n];
        at[n] = 0;
        vn_value v = vn__tree_at(t, name);
        at[n] = separator;
        if (separator ? vn__is_array(v) : !vn__none(v)) return "it conflicts with another array";
        if (!separator) return NULL;
        at += n;
    }
}

static bool separates(char c)
{
    return c == '.' || c == '/';
}

/* The number of trees that a name needs beyond those of the previous name. */
static int new_trees(const char *before, const char *name)
{
    int n = 0;
    while (*name && (*name == *before || (separates(*name) && separates(*before)))) name++, before++;
    for (; *name; name++) n += separates(*name);
    return n;
}

/* Names with many parts could create more trees than the file has bytes. */
static int check_entries(const vn__catalog *x)
{
    int64_t n = 0;
    for (int i = 0; i < x->n; i++) n += 1 + new_trees(i ? x->arrays[i - 1].name : "", x->arrays[i].name);
    return n <= VN__FILE_ENTRIES ? VN_OK : vn__file_bad(x->file, 0, "there are more than %d arrays and trees", VN__FILE_ENTRIES);
}

static vn_tree *nested(const vn__catalog *x)
{
    const vn__file *f = x->file;
    vn_tree *t = check_entries(x) ? NULL : vn_tree_new(NULL);
    for (int i = 0; i < x->n && t; i++) {
        VN_SCOPE;
        const vn__stored *s = &x->arrays[i];
        char *name = vn__scope_memory(strlen(s->name) + 1, f->who);
        const char *why = name ? misfit(t, strcpy(name, s->name)) : NULL;
        if (why) return vn__file_bad(f, s->begin, "the name \"%.80s\" is not valid in a tree: %s", s->name, why), NULL;
        vn_array *y = name ? vn__stored_array(x, s) : NULL;
        if (!y || vn_tree_set(t, name, y)) return NULL;
    }
    return t;
}

vn_tree *vn__tree_of_file(vn__catalog *x)
{
    const char *structure = vn__catalog_find(x, VN__NOTE_TREE);
    if (x->n) qsort(x->arrays, (size_t)x->n, sizeof *x->arrays, by_name);
    return structure ? vn__structure_tree(x, structure) : nested(x);
}

static vn_tree *load(const char *path, const vn_load_opts *opts, const char *who)
{
    vn_load_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "load") || VN__FLAGS("load", VN__FLAG(o, copy))) return NULL;
    vn_scope scope = vn_scope_begin();
    if (scope < 0) return NULL;
    vn__catalog x = {.file = vn__file_open(path, o.copy != 0, 0, who)};
    vn_tree *t = x.file && !vn__catalog_read(&x) ? vn__tree_of_file(&x) : NULL;
    vn__file_release(x.file);
    return vn__tree_out(scope, t, who);
}

vn_tree *vn_load(const char *path, const vn_load_opts *opts)
{
    return load(path, opts, "load");
}

vn_array *vn_load_array(const char *path)
{
    static const char who[] = "load_array";
    VN_SCOPE;
    vn_tree *t = load(path, NULL, who);
    if (!t) return NULL;
    int n = vn_tree_leaves(t);
    if (n != 1) return vn__fail(VN_E_STRUCT, "%s: %.300s has %d arrays; one was expected", who, path, n), NULL;
    return vn_pass(vn_tree_leaf(t, 0));
}

/* ---- contents of a file ---- */

int vn_inspect(const char *path, vn_file_info *info)
{
    static const char who[] = "inspect";
    if (vn__check_info(who, "vn_file_info", info)) return vn_status();
    vn__catalog x = {.file = vn__file_open(path, false, 0, who)};
    if (!x.file) return vn_status();
    int code = vn__catalog_read(&x);
    vn_file_array *list = code ? NULL : vn__scope_memory(((size_t)x.n + 1) * sizeof *list, who);
    for (int i = 0; i < x.n && list; i++) {
        const vn__stored *s = &x.arrays[i];
        list[i] = (vn_file_array){s->name, (vn_dtype)s->dtype, s->shape, (int64_t)s->bytes, (int64_t)s->stored};
    }
    vn_file_info all = {sizeof all, x.format, (int64_t)x.file->size, x.n, x.n_notes, list, x.notes};
    vn__file_release(x.file);
    if (!list) return code ? code : VN_E_MEM;
    return VN__GIVE(who, vn_file_info, info, &all);
}
