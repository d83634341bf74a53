/* table.c: datasets from files: CSV tables and array files. */
#include "base/base.h"
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>

static int copy_names(const char *const *names, int n, vn__origin *from)
{
    from->columns = vn__calloc(((size_t)n + 1) * sizeof *from->columns);
    if (!from->columns) return vn__no_memory(from->who);
    for (int i = 0; i < n; i++) {
        if (!(from->columns[i] = vn__copy_text(names[i]))) return vn__no_memory(from->who);
        from->n_columns++;
    }
    return VN_OK;
}

/* Removes the target's name from the list of columns. */
static void take_target(vn__origin *from, int64_t target)
{
    if (!from->columns) return;
    from->target = from->columns[target];
    from->n_columns--;
    for (int64_t i = target; i < from->n_columns; i++) from->columns[i] = from->columns[i + 1];
}

/* The number of the column that `target` names. */
static int find_target(const char *target, int64_t columns, const vn__origin *from, int64_t *found)
{
    *found = columns - 1;
    if (!target) return VN_OK;
    vn__text names = {0};
    for (int i = 0; i < from->n_columns; i++) {
        if (!strcmp(from->columns[i], target)) return *found = i, vn__free(names.text), VN_OK;
        vn__print(&names, "%s%.60s", i ? ", " : "", from->columns[i]);
    }
    char *end;
    long long number = strtoll(target, &end, 10);
    if (number < 0) number += columns;
    int code = VN_OK;
    if (!*target || *end || number < 0 || number >= columns)
        code = vn__fail(VN_E_ARG, "%s: %.300s: there is no column \"%.60s\"; columns are 0 to %lld%s%.300s", from->who, from->path, target,
                        (long long)columns - 1, names.size ? ", or " : "", names.size && !names.failed ? names.text : "");
    *found = number;
    vn__free(names.text);
    return code;
}

/* The table without the target's column, and that column. */
static int take_apart(vn_array *table, int64_t target, vn_array **x, vn_array **y, const char *who)
{
    int64_t rows = vn_dim(table, 0), columns = vn_dim(table, 1), others = columns - (target >= 0);
    const float *from = vn_data(table);
    float *features = from ? vn__calloc(((size_t)(rows * others) + 1) * sizeof *features) : NULL;
    float *targets = features ? vn__calloc(((size_t)rows + 1) * sizeof *targets) : NULL;
    int code = !from ? (int)vn_status() : targets ? VN_OK : vn__no_memory(who);
    for (int64_t i = 0, at = 0; i < rows && !code; i++) {
        for (int64_t k = 0; k < columns; k++) {
            float v = from[i * columns + k];
            if (k == target) targets[i] = v;
            else features[at++] = v;
        }
    }
    *x = code ? NULL : vn_from(features, VN_SHAPE(rows, others));
    *y = code || target < 0 ? NULL : vn_from(targets, VN_SHAPE(rows));
    vn__free(features);
    vn__free(targets);
    return code ? code : *x && (*y || target < 0) ? VN_OK : (int)vn_status();
}

static int read_table(const char *path, const vn_dataset_opts *o, vn__origin *from, vn_array **x, vn_array **y)
{
    const char *const *first = NULL;
    char delimiter = o->delimiter ? o->delimiter : vn__ends_with(path, ".tsv") ? '\t' : ',';
    bool numbers = false;
    int names = vn__csv_first_line(path, delimiter, &first, &numbers, from->who);
    if (names < 0) return vn_status();
    bool header = o->header > 0 || (o->header == 0 && !numbers);
    vn_array *table = vn_read_csv(path, VN_F32, VN_OPTS(csv, .delimiter = delimiter, .header = header, .empty_nan = o->allow_nonfinite));
    if (!table) return vn_status();
    int64_t columns = vn_dim(table, 1), target = -1;
    if (vn_dim(table, 0) < 1) return vn__fail(VN_E_FORMAT, "%s: %.300s: there are no rows", from->who, path);
    if (header && names != columns)
        return vn__fail(VN_E_FORMAT, "%s: %.300s: line 1 has %d names, the rows have %lld fields", from->who, path, names,
                        (long long)columns);
    int code = header ? copy_names(first, names, from) : VN_OK;
    if (!code && o->kind != VN_TARGET_NONE) {
        if (columns < 2) return vn__fail(VN_E_FORMAT, "%s: %.300s: one column alone cannot be features and target", from->who, path);
        code = find_target(o->target, columns, from, &target);
        if (!code) take_target(from, target);
    }
    return code ? code : take_apart(table, target, x, y, from->who);
}

/* An array of a file by its name, or the only one. */
static vn_array *array_of(const char *path, const char *name, const char *fallback, const vn__origin *from)
{
    vn_tree *t = vn_load(path, NULL);
    if (!t) return NULL;
    if (!name && vn_tree_leaves(t) == 1) return vn_tree_leaf(t, 0);
    vn_array *x = vn_tree_get_or_null(t, name ? name : fallback);
    if (!x)
        vn__fail(VN_E_ARG, "%s: %.300s has no array \"%.60s\"; the option %s names another one", from->who, path, name ? name : fallback,
                 fallback);
    return x;
}

static int read_arrays(const char *path, const vn_dataset_opts *o, const vn__origin *from, vn_array **x, vn_array **y)
{
    bool wanted = o->kind != VN_TARGET_NONE;
    *y = NULL;
    if (!(*x = array_of(path, o->x, "x", from))) return vn_status();
    if (wanted && !o->y_path && vn__ends_with(path, ".npy"))
        return vn__fail(VN_E_ARG, "%s: %.300s: an npy file holds one array; y_path names the file of the target", from->who, path);
    if (wanted) *y = o->y_path ? array_of(o->y_path, o->y, "y", from) : array_of(path, o->y ? o->y : "y", "y", from);
    return wanted && !*y ? (int)vn_status() : VN_OK;
}

vn_dataset *vn_dataset_load(const char *path, const vn_dataset_opts *opts)
{
    vn__origin from = {.who = "dataset_load", .path = path};
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", from.who), NULL;
    vn_dataset_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "dataset") || VN__FLAGS("dataset", VN__FLAG(o, allow_nonfinite))) return NULL;
    from.csv = vn__ends_with(path, ".csv") || vn__ends_with(path, ".tsv") || vn__ends_with(path, ".txt");
    VN_SCOPE;
    vn_array *x = NULL, *y = NULL;
    int code = from.csv ? read_table(path, &o, &from, &x, &y) : read_arrays(path, &o, &from, &x, &y);
    vn_dataset *d = code ? NULL : vn__dataset_make(x, y, &o, &from);
    vn__origin_free(&from);
    return d ? vn_dataset_pass(d) : NULL;
}
