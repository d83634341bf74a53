/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c: tables of numbers as an array; tables of anything as columns and as datasets; a dataset's schema reads its own table. */
#include "target.h"

static void make_dataset(const vn_table *t, const vn_dataset_opts *o)
{
    vn_dataset *d = vn_dataset_of_table(t, o), *again;
    must(d ? !vn_status() : vn_status() != VN_OK);
    vn_dataset_info i = {.size = sizeof i};
    if (d) {
        must(!vn_dataset_look(d, &i) && i.schema && i.rows > 0 && i.rows <= t->rows);
        again = vn_dataset_of_table(t, VN_OPTS(dataset, .schema = i.schema, .allow_nonfinite = 1));
        must(again || vn_status() == VN_E_MEM);
    }
    vn_clear();
}

static void read_file(const char *path)
{
    vn_array *table = vn_read_csv(path, VN_F32, NULL);
    must(table ? !vn_status() : vn_status() == VN_E_FORMAT || vn_status() == VN_E_MEM);
    vn_clear();
    vn_table t = {.size = sizeof t};
    int code = vn_read_table(path, NULL, &t);
    must(code == (int)vn_status() && (!code || code == VN_E_FORMAT || code == VN_E_MEM));
    vn_clear();
    if (code) return;
    must(t.rows >= 0 && t.n_columns > 0);
    for (int i = 0; i < t.n_columns; i++) {
        const vn_column *c = &t.columns[i];
        must(c->name && c->missing >= 0 && c->missing <= t.rows);
        for (int64_t k = 0; c->kind == VN_COLUMN_TEXT && k < t.rows; k++) must(c->codes[k] >= -1 && c->codes[k] < c->n_classes);
        for (int64_t k = 1; k < c->n_classes; k++) must(strcmp(c->classes[k - 1], c->classes[k]) < 0);
    }
    make_dataset(&t, NULL);
    make_dataset(&t, VN_OPTS(dataset, .missing = VN_MISSING_FILL, .standardize = 1));
    make_dataset(&t, VN_OPTS(dataset, .missing = VN_MISSING_DROP, .target = "0", .kind = VN_TARGET_CLASS));
}
