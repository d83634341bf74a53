/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: datasets from files: CSV tables, array files and images. */
#include "train/images.h"
#include "train/schema.h"
#include "base/base.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

/* ---- tables ---- */

static int check_table_options(const vn_dataset_opts *o, const char *who)
{
    if (o->missing < VN_MISSING_ERROR || o->missing > VN_MISSING_FILL)
        return vn__fail(VN_E_ARG, "%s: option missing is %d, which is not a vn_missing", who, o->missing);
    if (o->weights && o->weight_column)
        return vn__fail(VN_E_ARG, "%s: options weights and weight_column both give weights of the rows; one of them is needed", who);
    if (o->schema && (o->target || o->columns || o->standardize || o->classes || (o->kind != VN_TARGET_AUTO && o->kind != VN_TARGET_NONE)))
        return vn__fail(
            VN_E_ARG,
            "%s: a schema says what target, columns, standardize, kind and classes are; of these only kind may be given, as VN_TARGET_NONE",
            who);
    return VN_OK;
}

static vn_dataset *of_table(const vn_table *t, const vn_dataset_opts *opts, vn__origin *from)
{
    VN_SCOPE;
    vn_dataset_opts o = *opts;
    vn__schema s;
    vn_array *x, *y;
    int code = check_table_options(&o, from->who);
    if (!code) code = vn__dataset_check(&o, from->who);
    if (!code) code = o.schema ? vn__schema_read(o.schema, from, &s) : vn__schema_learn(t, &o, from, &s);
    if (!code) code = vn__schema_encode(&s, t, &o, from, &x, &y, &o.weights);
    if (code) return NULL;
    o.kind = !y ? VN_TARGET_NONE : s.target.n_classes ? VN_TARGET_CLASS : VN_TARGET_NUMBER;
    /* The labels themselves say how many classes there are, and messages which row has the largest, unless rows were left out. */
    const bool found = !o.schema && !o.classes && !s.target.classes && !from->labels.rows;
    o.classes = y && !found ? s.target.n_classes : 0;
    vn_dataset *d = vn__dataset_make(x, y, &o, from);
    return d ? vn_dataset_pass(d) : NULL;
}

vn_dataset *vn_dataset_of_table(const vn_table *table, const vn_dataset_opts *opts)
{
    vn__origin from = {.who = "dataset_of_table", .csv = true};
    vn_dataset_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "dataset") || VN__FLAGS("dataset", VN__FLAG(o, allow_nonfinite), VN__FLAG(o, standardize)))
        return NULL;
    if (!table || !table->size)
        return vn__fail(table ? VN_E_ARG : VN_E_NULL, "%s: the table is %s", from.who, table ? "not filled in" : "NULL"), NULL;
    if (table->size < sizeof *table || table->n_columns < 1 || table->rows < 0 || !table->columns)
        return vn__fail(VN_E_ARG, "%s: the table has %d columns of %lld rows; vn_read_table fills in all of it", from.who, table->n_columns,
                        (long long)table->rows),
               NULL;
    from.path = table->path ? table->path : "the table";
    vn_dataset *d = of_table(table, &o, &from);
    vn__labels_free(&from.labels);
    return d;
}

static vn_dataset *load_table(const char *path, const vn_dataset_opts *o, vn__origin *from)
{
    VN_SCOPE;
    vn_table t = {.size = sizeof t};
    const vn_table_opts how = {.size = sizeof how, .delimiter = o->delimiter, .header = o->header};
    if (check_table_options(o, from->who)) return NULL;
    if (vn_read_table(path, &how, &t)) return vn__fail_in(from->who), NULL;
    vn_dataset *d = of_table(&t, o, from);
    return d ? vn_dataset_pass(d) : NULL;
}

/* ---- arrays ---- */

/* Names what the file has. */
static int no_array(const vn_tree *t, const char *path, const char *name, const char *option, const vn__origin *from)
{
    enum { MAX_KEYS = 20 };
    vn__text names = {0};
    int n = 0;
    const char *const *keys = vn_tree_keys(t, &n);
    for (int k = 0; keys && k < n && k < MAX_KEYS; k++) vn__print(&names, "%s%.60s", k ? ", " : "", keys[k]);
    const int code = vn__fail(VN_E_ARG, "%s: %.300s has no array \"%.60s\" but %.300s%s; option %s names another one", from->who, path,
                              name, names.text && !names.failed ? names.text : "none", n > MAX_KEYS ? " ..." : "", option);
    vn__free(names.text);
    return code;
}

/* An array of a file by its name, or the only one. */
static vn_array *array_of(const char *path, const char *name, const char *fallback, const vn__origin *from)
{
    vn_tree *t = vn_load(path, NULL);
    if (!t) return NULL;
    if (!name && vn_tree_leaves(t) == 1) return vn_tree_leaf(t, 0);
    vn_array *x = vn_tree_get_or_null(t, name ? name : fallback);
    if (!x) no_array(t, path, name ? name : fallback, fallback, from);
    return x;
}

static int read_arrays(const char *path, const vn_dataset_opts *o, const vn__origin *from, vn_array **x, vn_array **y)
{
    bool wanted = o->kind != VN_TARGET_NONE;
    *y = NULL;
    if (!(*x = array_of(path, o->x, "x", from))) return vn_status();
    if (wanted && !o->y_path && vn__ends_with(path, ".npy"))
        return vn__fail(VN_E_ARG, "%s: %.300s: an npy file holds one array; option y_path names the file of the target", from->who, path);
    if (wanted) *y = o->y_path ? array_of(o->y_path, o->y, "y", from) : array_of(path, o->y ? o->y : "y", "y", from);
    return wanted && !*y ? (int)vn_status() : VN_OK;
}

/* Files that people try, by the ends of their names. */
static int refuse_others(const char *path, const char *who)
{
    static const struct {
        const char *end, *what;
    } others[] = {
        {".parquet", "Parquet files are not read: write the table as CSV with pyarrow (pyarrow.parquet.read_table, pyarrow.csv.write_csv), "
                     "or hand its columns over with vn_from_arrow"},
        {".feather", "Arrow files are not read: write the table as CSV with pyarrow, or hand its columns over with vn_from_arrow"},
        {".arrow", "Arrow files are not read: write the table as CSV with pyarrow, or hand its columns over with vn_from_arrow"},
        {".gz", "compressed files are not read: unpack it with gunzip"},
        {".bz2", "compressed files are not read: unpack it with bunzip2"},
        {".xz", "compressed files are not read: unpack it with unxz"},
        {".zst", "compressed files are not read: unpack it with unzstd"},
        {".h5", "HDF5 files are not read: save the arrays with numpy.savez"},
        {".hdf5", "HDF5 files are not read: save the arrays with numpy.savez"},
        {".xlsx", "spreadsheets are not read: save the sheet as CSV"},
        {".pkl", "pickle files can run code and are not read: save the arrays with numpy.savez"},
        {".pickle", "pickle files can run code and are not read: save the arrays with numpy.savez"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (vn__ends_with(path, others[i].end)) return vn__fail(VN_E_UNSUPPORTED, "%s: %.300s: %s", who, path, others[i].what);
    return VN_OK;
}

vn_dataset *vn_dataset_load(const char *path, const vn_dataset_opts *opts)
{
    vn__origin from = {.who = "dataset_load", .path = path};
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", from.who), NULL;
    vn_dataset_opts o = {0};
    if (vn__take(&o, sizeof o, opts, "dataset") || VN__FLAGS("dataset", VN__FLAG(o, allow_nonfinite), VN__FLAG(o, standardize)))
        return NULL;
    if (refuse_others(path, from.who)) return NULL;
    from.csv = vn__is_table(path);
    VN_SCOPE;
    vn_dataset *d = NULL;
    if (from.csv) {
        d = load_table(path, &o, &from);
    } else if (vn__images_are(path)) {
        d = vn__images_load(path, &o, &from);
    } else {
        vn_array *x = NULL, *y = NULL;
        if (!vn__only_tables(&o, from.who) && !read_arrays(path, &o, &from, &x, &y)) d = vn__dataset_make(x, y, &o, &from);
    }
    vn__labels_free(&from.labels);
    return d ? vn_dataset_pass(d) : NULL;
}
