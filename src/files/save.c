/* SPDX-License-Identifier: Apache-2.0 */
/* save.c: the arrays of a tree, computed together and written to a file. */
#include "files/files.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

typedef enum { SAFETENSORS, NPZ, NPY } format;

/* The arrays of the tree with the names they have in a file. Returns how many, -1 on failure. */
static int collect(const vn_tree *t, format to, vn__leaf_file **leaves, const char *who)
{
    int n = 0, arrays = 0;
    size_t entries = vn__tree_entries(t);
    if (entries > VN__FILE_ENTRIES)
        return vn__fail(VN_E_STRUCT, "%s: the tree has %zu entries; a file has at most %d", who, entries, VN__FILE_ENTRIES), -1;
    const vn_tree_item *items = vn_tree_iterate(t, VN_OPTS(tree_iterate, .include_empty = 1), &n);
    *leaves = items ? vn__scope_memory(((size_t)n + 1) * sizeof **leaves, who) : NULL;
    if (!*leaves) return -1;
    for (int i = 0; i < n; i++) {
        if (!vn__is_array(items[i].value)) {
            if (to == SAFETENSORS) continue;
            return vn__fail(VN_E_STRUCT, "%s: \"%.80s\" is not an array; safetensors files keep numbers, nulls and empty trees", who,
                            items[i].chain),
                   -1;
        }
        vn_array *x = items[i].value.u.array;
        if (to != SAFETENSORS && vn_dtype_of(x) == VN_BF16)
            return vn__fail(VN_E_DTYPE, "%s: \"%.80s\" is bfloat16, which npy and npz files do not have; safetensors files do", who,
                            items[i].chain),
                   -1;
        size_t size = strlen(items[i].chain) + 1;
        char *name = vn__scope_memory(size, who);
        if (!name) return -1;
        memcpy(name, items[i].chain, size);
        for (char *p = name; (p = strchr(p, '/'));) *p = '.';
        (*leaves)[arrays++] = (vn__leaf_file){.name = name, .array = x, .bytes = (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x))};
    }
    return arrays;
}

/* Computes all arrays as one program and gets pointers to their elements. */
static int get_ready(vn__leaf_file *a, int n, const char *who)
{
    vn_array **list = vn__scope_memory(((size_t)n + 1) * sizeof *list, who);
    if (!list) return VN_E_MEM;
    for (int i = 0; i < n; i++) list[i] = a[i].array;
    int code = vn_eval(n, list);
    for (int i = 0; i < n && !code; i++) {
        a[i].data = a[i].bytes ? vn_data(a[i].array) : "";
        if (!a[i].data) code = vn_status(); /* GCOV_EXCL_BR_LINE: fails only on engines that copy to the host */
    }
    return code;
}

static int write_all(const char *path, format to, vn__leaf_file *a, int n, const vn_note *notes, int n_notes, const char *who)
{
    vn__writer w;
    int code = vn__write_begin(&w, path, who);
    if (!code)
        code = to == NPZ ? vn__npz_write(&w, a, n) : to == NPY ? vn__npy_write(&w, a) : vn__safetensors_write(&w, a, n, notes, n_notes);
    return vn__write_end(&w, code);
}

static int check_notes(const vn_note *notes, int n, const char *who)
{
    if (n < 0 || (n && !notes))
        return vn__fail(n < 0 ? VN_E_ARG : VN_E_NULL, "%s: %d notes in a list that is %s", who, n, notes ? "there" : "NULL");
    for (int i = 0; i < n; i++) {
        if (!notes[i].key || !notes[i].value) return vn__fail(VN_E_NULL, "%s: key or value of note %d is NULL", who, i);
        if (!vn__is_utf8(notes[i].key) || !vn__is_utf8(notes[i].value))
            return vn__fail(VN_E_ARG, "%s: note \"%.80s\" is not UTF-8", who, notes[i].key);
        for (int k = 0; k < i; k++) {
            if (!strcmp(notes[k].key, notes[i].key)) return vn__fail(VN_E_ARG, "%s: note \"%.80s\" is given twice", who, notes[i].key);
        }
    }
    return VN_OK;
}

int vn__save_tree(const char *path, const vn_tree *t, const vn_note *notes, int n_notes, const char *who)
{
    VN_SCOPE;
    vn__leaf_file *leaves;
    int code = check_notes(notes, n_notes, who), n = code ? 0 : collect(t, SAFETENSORS, &leaves, who);
    if (!code) code = n < 0 ? (int)vn_status() : get_ready(leaves, n, who);
    vn_note *all = code ? NULL : vn__scope_memory(((size_t)n_notes + 1) * sizeof *all, who);
    if (!all) return code ? code : VN_E_MEM;
    if (n_notes) memcpy(all, notes, (size_t)n_notes * sizeof *all);
    vn__text structure = {0};
    bool needed;
    vn__structure_print(t, &structure, &needed);
    if (structure.failed) code = vn__no_memory(who);
    else if (needed && !vn__is_utf8(structure.text)) code = vn__fail(VN_E_ARG, "%s: a key of the tree is not UTF-8", who);
    all[n_notes] = (vn_note){VN__NOTE_TREE, structure.text};
    if (!code) code = write_all(path, SAFETENSORS, leaves, n, all, n_notes + needed, who);
    vn__free(structure.text);
    return code;
}

static int save(const char *path, const vn_tree *t, const vn_save_opts *opts, const char *who)
{
    vn_save_opts o = {0};
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "save")) return vn_status();
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", who);
    if (!vn__tree_ok(t, who, "t")) return vn_status();
    format to = vn__ends_with(path, ".npz") ? NPZ : vn__ends_with(path, ".npy") ? NPY : SAFETENSORS;
    for (int i = 0; i < o.n_notes && o.notes; i++) {
        if (o.notes[i].key && !strncmp(o.notes[i].key, "vinea.", 6))
            return vn__fail(VN_E_ARG, "%s: note \"%.80s\": keys that begin with \"vinea.\" are the library's", who, o.notes[i].key);
    }
    if (to == SAFETENSORS) return vn__save_tree(path, t, o.notes, o.n_notes, who);
    if (o.n_notes) return vn__fail(VN_E_ARG, "%s: npy and npz files have no notes; safetensors files do", who);
    VN_SCOPE;
    vn__leaf_file *leaves;
    int n = collect(t, to, &leaves, who), code = n < 0 ? (int)vn_status() : VN_OK;
    if (!code && to == NPY && n != 1) return vn__fail(VN_E_STRUCT, "%s: an npy file holds one array, the tree has %d", who, n);
    if (!code) code = get_ready(leaves, n, who);
    return code ? code : write_all(path, to, leaves, n, NULL, 0, who);
}

int vn_save(const char *path, const vn_tree *t, const vn_save_opts *opts)
{
    return save(path, t, opts, "save");
}

int vn_save_array(const char *path, vn_array *x)
{
    static const char who[] = "save_array";
    if (!vn__check(x, VN__ARRAY, who, "x")) return vn_status();
    VN_SCOPE;
    vn_tree *t = vn_tree_of("x", x, NULL);
    return t ? save(path, t, NULL, who) : (int)vn_status();
}
