/* SPDX-License-Identifier: Apache-2.0 */
/* files_allocation.c: every allocation fails while files are written and read. */
/* ctest: seconds 3 */
/* ctest: sanitize */
#include "files/files.h"
#include "failing.h"
#include "folder.h"

static vn_tree *tree(void)
{
    vn_tree *t = vn_tree_of("a/x", vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), "b", vn_ones(VN_SHAPE(2), VN_C128), NULL);
    return t && !vn_tree_set_number(t, "n", 2) && !vn_tree_set_null(t, "a/null") ? t : NULL;
}

static int safetensors(void)
{
    vn_tree *t = tree(), *u = t && !vn_save(in_folder("f"), t, NULL) ? vn_load(in_folder("f"), NULL) : NULL;
    return u && vn_item(vn_sum(vn_tree_get(u, "a/x"), VN_ALL)) == 6 && vn_tree_value(u, "n").u.number == 2;
}

static int archives(void)
{
    vn_tree *t = vn_tree_of("a", vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), "b", vn_ones(VN_SHAPE(2), VN_U8), NULL);
    vn_tree *u = t && !vn_save(in_folder("f.npz"), t, NULL) ? vn_load(in_folder("f.npz"), NULL) : NULL;
    if (!u || vn_item(vn_sum(vn_tree_get(u, "a"), VN_ALL)) != 6) return 0;
    vn_array *big = vn_load_array(VN_TEST_DATA "/big_fortran.npy"), *deflated = vn_load_array(VN_TEST_DATA "/streamed.npz");
    return vn_item(vn_sum(big, VN_ALL)) == 15 && vn_item(vn_sum(deflated, VN_ALL)) == 6;
}

static int tables(void)
{
    return vn_item(vn_sum(vn_read_csv(in_folder("t.csv"), VN_F32, NULL), VN_ALL)) == 10;
}

static int checkpoints(void)
{
    vn_tree *w = vn_tree_of("w", vn_ones(VN_SHAPE(3), VN_F32), NULL), *g = vn_tree_of("w", vn_ones(VN_SHAPE(3), VN_F32), NULL);
    vn_optim *o = vn_adam(.5, NULL);
    if (!w || vn_step(o, w, g)) return 0;
    vn_checkpoint c = {.size = sizeof c, .weights = w, .optim = o, .step = 3, .config = "text"};
    if (vn_checkpoint_save(in_folder("c"), &c)) return 0;
    double before = vn_item(vn_sum(vn_tree_get(w, "w"), VN_ALL));
    if (vn_step(o, w, g) || vn_checkpoint_load(in_folder("c"), &c)) return 0;
    return vn_item(vn_sum(vn_tree_get(w, "w"), VN_ALL)) == before && vn_optim_steps(o) == 1 && !strcmp(c.config, "text");
}

/* A module with buffers. */
static int modules(void)
{
    vn_module *m = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_batch_norm1d(3, NULL));
    vn_optim *o = vn_sgd(.5, NULL);
    vn_checkpoint c = {.size = sizeof c, .module = m, .optim = o, .step = 3, .extra = m ? vn_tree_new(NULL) : NULL};
    if (!m || !o || !c.extra || vn_checkpoint_save(in_folder("m"), &c)) return 0;
    c.step = 0;
    return !vn_checkpoint_load(in_folder("m"), &c) && c.step == 3;
}

static int single_arrays(void)
{
    if (vn_save_array(in_folder("s.npy"), vn_ones(VN_SHAPE(3), VN_F32))) return 0;
    vn_file_info f = {.size = sizeof f};
    if (vn_inspect(in_folder("s.npy"), &f)) return 0;
    return f.n_arrays == 1 && f.arrays[0].dtype == VN_F32 && vn_item(vn_sum(vn_load_array(in_folder("s.npy")), VN_ALL)) == 3;
}

static int columns_of_a_table(void)
{
    static const char text[] = "a;b;b;k\n1,5;\"x \"\"y\"\"\";;0\n2;z;3;1\n";
    vn_table t = {.size = sizeof t};
    write_bytes(in_folder("k.csv"), text, sizeof text - 1);
    return !vn_read_table(in_folder("k.csv"), NULL, &t) && t.n_columns == 4 && !strcmp(t.columns[2].name, "b.2") &&
           t.columns[1].n_classes == 2;
}

/* Loading opens a scope, also where there is no room for one more. */
static int inner_scopes(void)
{
    vn_scope outer = vn_scope_begin();
    for (int k = 0; outer >= 0 && k < 70; k++) /* the list of scopes grows at 64 */
        if ((k >= 58 && k < 66 && !vn_load(VN_TEST_DATA "/none.npz", NULL)) || vn_scope_begin() < 0) return 0;
    if (outer >= 0) vn_scope_end(outer);
    return outer >= 0;
}

int main(void)
{
    folder_make();
    write_bytes(in_folder("t.csv"), "1,2\n3,4\n", 8);
    FAIL_ALL(safetensors);
    FAIL_ALL(archives);
    FAIL_ALL(tables);
    FAIL_ALL(checkpoints);
    FAIL_ALL(modules);
    FAIL_ALL(single_arrays);
    FAIL_ALL(columns_of_a_table);
    FAIL_ALL(inner_scopes);
    folder_remove();
    return finish();
}
