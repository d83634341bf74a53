/* SPDX-License-Identifier: Apache-2.0 */
/* train_data.c: datasets from arrays, files and functions: reading, splitting, and errors for every mistake in the data. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"

static vn_dataset *csv(const char *text, const vn_dataset_opts *o)
{
    const char *path = in_folder("table.csv");
    write_bytes(path, text, strlen(text));
    return vn_dataset_load(path, o);
}

static vn_dataset_info look(const vn_dataset *d)
{
    vn_dataset_info i = {.size = sizeof i};
    CHECK(vn_dataset_look(d, &i) == VN_OK);
    return i;
}

/* Row r as text: "1 2 | 0". */
static const char *row(const vn_dataset *d, int64_t r)
{
    static char text[256];
    VN_SCOPE;
    vn_array *x = NULL, *y = NULL;
    bool target = look(d).has_target;
    text[0] = 0;
    if (vn_dataset_rows(d, &r, 1, &x, target ? &y : NULL)) return text;
    size_t at = 0;
    for (int64_t i = 0; i < vn_size(x); i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%g ", (double)((const float *)vn_data(x))[i]);
    if (target) snprintf(text + at, sizeof text - at, "| %g", vn_item(y));
    return text;
}

TEST(tables)
{
    vn_dataset *d = csv("a,b,kind\n1,2,0\n3,4,2\n5,6,1\n", NULL);
    vn_dataset_info i = look(d);
    CHECK(i.rows == 3 && i.classes == 3 && i.has_target && i.x.rank == 1 && i.x.dim[0] == 2 && i.y.rank == 0);
    CHECK(i.n_columns == 2 && !strcmp(i.columns[0], "a") && !strcmp(i.columns[1], "b") && !strcmp(i.target, "kind"));
    CHECK(!strcmp(i.about, "table.csv: 3 rows of 2, 3 classes"));
    CHECK(!strcmp(row(d, 1), "3 4 | 2"));
    d = csv("a,b,kind\n1,2,0\n3,4,2\n", VN_OPTS(dataset, .target = "b", .kind = VN_TARGET_NUMBER));
    CHECK(!strcmp(row(d, 0), "1 0 | 2") && look(d).classes == 0 && !strcmp(look(d).columns[1], "kind"));
    CHECK(!strcmp(row(csv("1,2,0\n3,4,2\n", VN_OPTS(dataset, .target = "0")), 1), "4 2 | 3"));
    CHECK(!strcmp(row(csv("1,2,.5\n3,4,2\n", VN_OPTS(dataset, .target = "-1")), 0), "1 2 | 0.5"));
    CHECK(look(csv("1,2,.5\n3,4,2\n", NULL)).classes == 0); /* half a class is none */
    CHECK(look(csv("1,2\n3,4\n", VN_OPTS(dataset, .kind = VN_TARGET_NONE))).has_target == 0);
    CHECK(!strcmp(row(csv("1;2\n3;4\n", VN_OPTS(dataset, .delimiter = ';')), 0), "1 | 2"));
    CHECK(look(csv("2020,1\n3,1\n", VN_OPTS(dataset, .header = 1))).rows == 1);
    CHECK(look(csv("\"a\" , b\r\n1,0\r\n", NULL)).rows == 1);
    write_bytes(in_folder("t.tsv"), "a\tb\n1\t0\n2\t1\n", 12);
    CHECK(!strcmp(row(vn_dataset_load(in_folder("t.tsv"), NULL), 1), "2 | 1"));
}

TEST(bad_tables)
{
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,4\n", NULL), VN_E_FORMAT, "line 3, byte 1: 2 fields, where line 1 has 3");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,oh,1\n", NULL), VN_E_FORMAT,
                "column \"b\": 1 of 2 values are not numbers, the first is \"oh\", on line 3");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,,1\n", NULL), VN_E_ARG, "column \"b\" has 1 missing value, on line 3");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,nan,1\n", NULL), VN_E_ARG, "table.csv: column \"b\" has 1 missing value, on line 3");
    CHECK_FAILS(csv("1,2,0\n3,inf,1\n", NULL), VN_E_ARG, "row 2, feature 2 (column 2) is inf");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,4,3\n", VN_OPTS(dataset, .classes = 3)), VN_E_ARG, "row 2, target k is class 3; there are 3 classes");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,4,.5\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS)), VN_E_ARG,
                "\"k\" is 0.5 in row 2; classes are text or integers");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n3,4,nan\n", NULL), VN_E_ARG, "column \"k\" has 1 missing value, on line 3");
    CHECK_FAILS(csv("a,b,k\n1,2,0\n", VN_OPTS(dataset, .target = "c")), VN_E_ARG, "no column \"c\"; columns are 0 to 2, or a, b, k");
    CHECK_FAILS(csv("1,2,0\n", VN_OPTS(dataset, .target = "3")), VN_E_ARG, "columns are 0 to 2");
    CHECK_FAILS(csv("a,b\n1,2,0\n", NULL), VN_E_FORMAT, "3 fields, where line 1 has 2");
    CHECK_FAILS(csv("a,b\n", NULL), VN_E_FORMAT, "no rows");
    CHECK_FAILS(csv("", NULL), VN_E_FORMAT, "the file is empty");
    CHECK_FAILS(csv("1\n2\n", NULL), VN_E_FORMAT, "one column");
    CHECK_FAILS(vn_dataset_load(in_folder("none.csv"), NULL), VN_E_IO, "No such file");
    CHECK_FAILS(vn_dataset_load(in_folder("none.parquet"), NULL), VN_E_UNSUPPORTED, "pyarrow");
    CHECK_FAILS(vn_dataset_load(NULL, NULL), VN_E_NULL, "path");
    CHECK(look(csv("1,nan,0\n2,,1\n", VN_OPTS(dataset, .allow_nonfinite = 1))).rows == 2);
}

/* The only note on a dataset. */
static int notes(vn_dataset *d, const char *text)
{
    const vn_dataset_info i = look(d);
    return i.n_notes == 1 && strstr(i.notes[0], text);
}

/* Whole numbers in arrays: classes or not, and a note where that may be wrong. */
TEST(guessed_kinds)
{
    VN_SCOPE;
    vn_array *x = vn_zeros(VN_SHAPE(20, 3), VN_F32), *ten = vn_arange(0, 20, 1, VN_I64);
    vn_array *prices = vn_mul(ten, vn_scalar_int(1000)), *few = vn_cast(vn_remainder(ten, vn_scalar_int(3)), VN_F32);
    CHECK(look(vn_dataset_of(x, ten, NULL)).classes == 20 && look(vn_dataset_of(x, ten, NULL)).n_notes == 0);
    vn_dataset_info i = look(vn_dataset_of(x, prices, NULL)); /* not 19,001 classes */
    CHECK(i.classes == 0 && i.n_notes == 2 && strstr(i.notes[0], "integers up to 19000 in 20 rows are taken for numbers, not classes"));
    CHECK(strstr(i.notes[1], "arrays are not standardized"));
    CHECK(look(vn_dataset_of(x, prices, VN_OPTS(dataset, .kind = VN_TARGET_CLASS))).classes == 19001);
    CHECK(look(vn_dataset_of(x, prices, VN_OPTS(dataset, .classes = 20000))).classes == 20000);
    CHECK(notes(vn_dataset_of(x, prices, VN_OPTS(dataset, .kind = VN_TARGET_NUMBER)), "arrays are not standardized"));
    CHECK(notes(vn_dataset_of(x, few, NULL), "3 different whole numbers in 20 rows are taken for numbers, not classes"));
    CHECK(look(vn_dataset_of(x, vn_mul(few, vn_scalar(.5)), NULL)).n_notes == 0);
    CHECK(look(vn_dataset_of(x, few, VN_OPTS(dataset, .kind = VN_TARGET_NUMBER))).n_notes == 0);
    vn_matmul(x, x); /* an earlier error of the thread changes nothing */
    CHECK(vn_status() && vn_dataset_of(x, vn_cast(prices, VN_F32), NULL) && vn_dataset_of(x, few, NULL));
    vn_clear();
}

/* A table may have any name; arrays and pictures have theirs. */
TEST(names_of_tables)
{
    VN_SCOPE;
    static const char *const all[] = {"iris.data", "IRIS.CSV", "iris", "iris.dat"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        FILE *f = fopen(in_folder(all[i]), "w");
        CHECK(f && fputs("1,2,a\n3,4,b\n", f) >= 0 && !fclose(f));
        CHECK(look(vn_dataset_load(in_folder(all[i]), NULL)).classes == 2);
    }
    vn_save(in_folder("arrays.bin"), vn_tree_of("x", vn_ones(VN_SHAPE(2, 3), VN_F32), "y", vn_zeros(VN_SHAPE(2), VN_I64), NULL), NULL);
    CHECK(look(vn_dataset_load(in_folder("arrays.bin"), NULL)).rows == 2);
    CHECK_FAILS(vn_dataset_load(in_folder("iris.csv.gz"), NULL), VN_E_UNSUPPORTED, "gunzip");
    CHECK_FAILS(vn_dataset_load(in_folder("none.data"), NULL), VN_E_IO, "No such file");
}

/* A message names what the program called, not what that calls. */
TEST(targets_of_another_width)
{
    VN_SCOPE;
    vn_dataset *d = vn_dataset_of(vn_ones(VN_SHAPE(4, 3), VN_F32), vn_from_host((int64_t[]){0, 1, 2, 3}, VN_I64, VN_SHAPE(4)), NULL);
    for (int micro = 0; micro < 3; micro += 2) {
        vn_fit(vn_nn_linear(3, 2), d, VN_OPTS(fit, .epochs = 1, .micro_batches = micro), NULL);
        CHECK(vn_status() == VN_E_SHAPE && strstr(vn_message(), "fit: the network gives") && !strstr(vn_message(), "callback"));
        vn_clear();
    }
}

TEST(arrays)
{
    vn_array *x = vn_arange(0, 12, 1, VN_F32), *y = vn_from_host((int32_t[]){0, 1, 2, 1}, VN_I32, VN_SHAPE(4));
    x = vn_reshape(x, VN_SHAPE(4, 3));
    vn_tree *t = vn_tree_of("x", x, "y", y, "z", vn_cast(y, VN_F32), NULL);
    vn_save(in_folder("d.npz"), t, NULL);
    vn_save(in_folder("d.safetensors"), t, NULL);
    vn_save_array(in_folder("x.npy"), x);
    vn_save_array(in_folder("y.npy"), y);
    CHECK(!strcmp(row(vn_dataset_load(in_folder("d.npz"), NULL), 3), "9 10 11 | 1"));
    CHECK(look(vn_dataset_load(in_folder("d.safetensors"), NULL)).classes == 3);
    CHECK(look(vn_dataset_load(in_folder("d.safetensors"), VN_OPTS(dataset, .y = "z"))).classes == 0);
    CHECK(look(vn_dataset_load(in_folder("x.npy"), VN_OPTS(dataset, .y_path = in_folder("y.npy")))).classes == 3);
    CHECK(look(vn_dataset_load(in_folder("x.npy"), VN_OPTS(dataset, .kind = VN_TARGET_NONE))).rows == 4);
    CHECK_FAILS(vn_dataset_load(in_folder("x.npy"), NULL), VN_E_ARG, "y_path");
    CHECK_FAILS(vn_dataset_load(in_folder("d.npz"), VN_OPTS(dataset, .y = "w")), VN_E_ARG, "no array \"w\"");
    CHECK_FAILS(vn_dataset_of(x, vn_zeros(VN_SHAPE(5), VN_F32), NULL), VN_E_SHAPE, "x has 4 rows, y has 5");
    CHECK_FAILS(vn_dataset_of(vn_zeros(VN_0D, VN_F32), y, NULL), VN_E_SHAPE, "no rows");
    CHECK_FAILS(vn_dataset_of(x, NULL, NULL), VN_E_NULL, "y");
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .classes = 2)), VN_E_ARG, "y[2] is class 2; there are 2 classes");
    CHECK_FAILS(vn_dataset_of(x, vn_neg(y), NULL), VN_E_ARG, "y[1] is class -1");
    CHECK_FAILS(vn_dataset_of(vn_div(x, vn_scalar(0)), y, NULL), VN_E_ARG, "x[0, 0] is");
    CHECK_FAILS(vn_dataset_of(x, vn_div(vn_cast(y, VN_F32), vn_scalar(0)), NULL), VN_E_ARG, "y[0] is");
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .kind = 9)), VN_E_ARG, "kind is 9");
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .classes = -1)), VN_E_ARG, "-1 classes");
    CHECK(look(vn_dataset_of(x, vn_reshape(y, VN_SHAPE(4, 1)), NULL)).y.rank == 0); /* a column of labels */
    CHECK(look(vn_dataset_of(x, vn_greater(y, vn_scalar(1)), NULL)).classes == 2);
}

TEST(parts)
{
    vn_array *x = vn_reshape(vn_arange(0, 10, 1, VN_F32), VN_SHAPE(10, 1));
    vn_dataset *d = vn_dataset_of(x, x, NULL), *a, *b, *c, *e;
    CHECK(vn_dataset_split(d, 3, NULL, &a, &b) == VN_OK && look(a).rows == 7 && look(b).rows == 3);
    CHECK(!strcmp(row(a, 6), "6 | 6") && !strcmp(row(b, 0), "7 | 7"));
    CHECK(!strcmp(look(b).about, "3 of 10 rows of 1, numbers to be learned"));
    CHECK(vn_dataset_split(a, 2, NULL, &c, &e) == VN_OK && !strcmp(row(e, 1), "6 | 6")); /* a part of a part */
    CHECK(vn_dataset_split(d, 4, VN_OPTS(dataset_split, .random = 1, .seed = 5), &a, &b) == VN_OK);
    int seen[10] = {0}, last = 0;
    for (int i = 0; i < 6; i++) seen[atoi(row(a, i))]++;
    for (int i = 0; i < 4; i++) seen[atoi(row(b, i))]++, last += atoi(row(b, i)) == 6 + i;
    for (int i = 0; i < 10; i++) CHECK(seen[i] == 1);
    CHECK(last < 4);
    CHECK_FAILS(vn_dataset_split(d, 10, NULL, &a, &b), VN_E_ARG, "10 of 10 rows");
    CHECK_FAILS(vn_dataset_split(d, 4, VN_OPTS(dataset_split, .random = 5), &a, &b), VN_E_ARG, "random is 5; it is a flag");
    CHECK_FAILS(vn_dataset_split(d, 4, VN_OPTS(dataset_split, .seed = 5), &a, &b), VN_E_ARG, "a seed without random");
    CHECK_FAILS(vn_dataset_split(d, 0, NULL, &a, &b), VN_E_ARG, "0 of 10");
    CHECK_FAILS(vn_dataset_split(d, 1, NULL, NULL, &b), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_dataset_rows(d, (int64_t[]){10}, 1, &x, NULL), VN_E_ARG, "row 10 of 10");
    CHECK_FAILS(vn_dataset_look(NULL, NULL), VN_E_NULL, "d");
}

/* A function that does as it is told. */
typedef enum { FINE, FAILS, NOTHING, SHORT, LABEL, ERROR, NO_X, NO_Y, FLAT_X, FLAT_Y, SHORT_Y, FREED_X, FREED_Y, BEHAVIOURS } behaviour;
static int batch(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *user)
{
    behaviour how = *(behaviour *)user;
    (void)rows;
    if (how == FAILS) return 3;
    if (how == NOTHING) return VN_OK;
    if (how == ERROR) vn_zeros(VN_SHAPE(-1), VN_F32);
    *x = vn_zeros(VN_SHAPE(how == SHORT ? n - 1 : n, 2), VN_F32);
    *y = vn_full(vn_scalar(how == LABEL ? 2 : 1), VN_SHAPE(how == SHORT_Y ? n - 1 : n), VN_I64);
    if (how == NO_X) *x = NULL;
    if (how == NO_Y) *y = NULL;
    if (how == FLAT_X) *x = vn_zeros(VN_0D, VN_F32);
    if (how == FLAT_Y) *y = vn_zeros(VN_0D, VN_I64);
    if (how == FREED_X || how == FREED_Y) {
        VN_SCOPE;
        *(how == FREED_X ? x : y) = vn_zeros(VN_SHAPE(n, 2), VN_F32);
    }
    return VN_OK;
}

TEST(functions)
{
    behaviour how = FINE;
    vn_dataset *d = vn_dataset_from(batch, 20, 2, &how);
    CHECK(look(d).rows == 20 && look(d).x.rank == -1 && look(d).classes == 2);
    vn_seed(1);
    vn_module *m = vn_nn_linear(2, 2, NULL);
    CHECK(vn_fit(m, d, VN_OPTS(fit, .epochs = 1, .batch = 8), NULL) == VN_OK);
    static const struct {
        vn_code code;
        const char *words;
    } all[] = {{VN_OK, ""},
               {VN_E_CALLBACK, "returned 3"},
               {VN_E_CALLBACK, "x missing and y missing"},
               {VN_E_SHAPE, "8 rows were asked for, x has 7"},
               {VN_E_ARG, "y[0] is class 2; there are 2"},
               {VN_E_SHAPE, "batch function"},
               {VN_E_CALLBACK, "x missing and y there"},
               {VN_E_CALLBACK, "x there and y missing"},
               {VN_E_SHAPE, "x has 0 and y 8"},
               {VN_E_SHAPE, "x has 8 and y 0"},
               {VN_E_SHAPE, "x has 8 and y 7"},
               {VN_E_FREED, "batch function: x was freed"},
               {VN_E_FREED, "batch function: y was freed"}};
    for (how = FAILS; how < BEHAVIOURS; how++) {
        vn_clear();
        CHECK(vn_fit(m, d, VN_OPTS(fit, .epochs = 1, .batch = 8), NULL) != VN_OK);
        CHECK(strstr(vn_message(), all[how].words) && (vn_status() == all[how].code || how == ERROR));
        vn_clear();
    }
    CHECK_FAILS(vn_dataset_from(NULL, 1, 0, NULL), VN_E_NULL, "fn");
    CHECK_FAILS(vn_dataset_from(batch, 0, 0, NULL), VN_E_ARG, "0 rows");
    CHECK_FAILS(vn_dataset_from(batch, INT64_MAX, 0, NULL), VN_E_ARG, "rows");
    CHECK_FAILS(vn_dataset_from(batch, 1, -1, NULL), VN_E_ARG, "-1 classes");
}

/* Numbers that float32 has no room for, in a table; the place is named as the file has it. */
TEST(too_large_numbers)
{
    CHECK_FAILS(csv("a,b,k\n1,2,3.5\n4,1e39,5\n", NULL), VN_E_ARG, "row 2, feature 2 (b) is inf; only finite numbers");
    CHECK_FAILS(csv("1,2,3.5\n4,1e39,5\n", NULL), VN_E_ARG, "row 2, feature 2 is inf; only finite numbers");
    CHECK_FAILS(csv("1,2,3.5\n4,5,1e39\n", NULL), VN_E_ARG, "row 2, target is inf; only finite numbers");
    CHECK_FAILS(csv("a,b,k\n1,2,3.5\n4,5,-1e39\n", NULL), VN_E_ARG, "row 2, target k is -inf; only finite numbers");
}

/* Classes as floats. */
TEST(labels_of_floats)
{
    static const struct {
        float second;
        const char *words;
    } all[] = {{.5f, "y[1] is 0.5; classes are numbered 0, 1, 2"},
               {-1, "y[1] is -1; classes"},
               {NAN, "is nan; classes"},
               {1e20f, "is 1e+20; classes"}};
    vn_array *x = vn_zeros(VN_SHAPE(2, 1), VN_F32);
    const vn_dataset_opts *class = VN_OPTS(dataset, .kind = VN_TARGET_CLASS);
    CHECK(look(vn_dataset_of(x, vn_from((float[]){0, 2}, VN_SHAPE(2)), class)).classes == 3);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(vn_dataset_of(x, vn_from((float[]){0, all[k].second}, VN_SHAPE(2)), class), VN_E_ARG, all[k].words);
    CHECK_FAILS(vn_dataset_of(x, vn_from((float[]){0, 1 << 24}, VN_SHAPE(2)), class), VN_E_ARG,
                "the largest label is 16777216, 16777216 classes are allowed");
    CHECK_FAILS(vn_dataset_of(x, vn_zeros(VN_SHAPE(2), VN_C64), class), VN_E_DTYPE, "y is complex64; classes are numbers");
    CHECK(look(vn_dataset_of(x, vn_zeros(VN_SHAPE(2), VN_F32), VN_OPTS(dataset, .classes = 4))).classes == 4); /* no guess */
    CHECK_FAILS(vn_dataset_of(x, vn_zeros(VN_SHAPE(2), VN_F32), VN_OPTS(dataset, .classes = 4, .kind = VN_TARGET_NUMBER)), VN_E_ARG,
                "4 classes of a target that has none");
}

/* Targets without elements, with imaginary parts, with many axes. */
TEST(odd_targets)
{
    vn_array *x = vn_zeros(VN_SHAPE(2, 0), VN_F32), *y = vn_from_host((double[]){1, 2, 3, INFINITY}, VN_C128, VN_SHAPE(2));
    CHECK(look(vn_dataset_of(x, vn_zeros(VN_SHAPE(2, 0), VN_F32), NULL)).y.dim[0] == 0);
    CHECK(look(vn_dataset_of(x, vn_zeros(VN_SHAPE(2), VN_C64), NULL)).n_notes == 0);
    CHECK_FAILS(vn_dataset_of(x, y, NULL), VN_E_ARG, "y[1] is infj; only finite numbers");
    CHECK_FAILS(vn_dataset_of(vn_reshape(y, VN_SHAPE(2, 1)), y, NULL), VN_E_ARG, "x[1, 0] is infj; only finite numbers");
    y = vn_from_host((double[]){-INFINITY, 2, 3, 4}, VN_C128, VN_SHAPE(2));
    CHECK_FAILS(vn_dataset_of(x, y, NULL), VN_E_ARG, "y[0] is -inf; only finite numbers");
    CHECK_FAILS(vn_dataset_of(x, vn_from_host((double[]){3, NAN, 1, 2}, VN_C128, VN_SHAPE(2)), NULL), VN_E_ARG, "y[0] is nanj");
    CHECK_FAILS(vn_dataset_of(vn_zeros(VN_SHAPE(0, 2), VN_F32), y, NULL), VN_E_SHAPE, "x has no rows");
    CHECK_FAILS(vn_dataset_of(x, vn_zeros(VN_0D, VN_F32), NULL), VN_E_SHAPE, "x has 2 rows, y has 0");
    vn_array *many = vn_arange(0, 25, 1, VN_F32); /* more different ones than can be counted as classes */
    CHECK(look(vn_dataset_of(vn_zeros(VN_SHAPE(25, 1), VN_F32), many, NULL)).n_notes == 0);
}

/* Options of tables, and weights that are none. */
TEST(array_options)
{
    vn_array *x = vn_zeros(VN_SHAPE(2, 1), VN_F32), *y = vn_zeros(VN_SHAPE(2), VN_I64), *freed;
    const struct {
        const char *words;
        vn_dataset_opts o;
    } all[] = {{"option columns is for tables", {.columns = "a"}},
               {"option missing is for tables", {.missing = VN_MISSING_FILL}},
               {"option schema is for tables", {.schema = "{}"}},
               {"option weight_column is for tables", {.weight_column = "w"}},
               {"weights[1] is inf; 0 or more is needed", {.weights = vn_from((float[]){1, INFINITY}, VN_SHAPE(2))}},
               {"weights[0] is -1; 0 or more is needed", {.weights = vn_from((float[]){-1, 1}, VN_SHAPE(2))}},
               {"weights[0] is nan; 0 or more is needed", {.weights = vn_from((float[]){NAN, 1}, VN_SHAPE(2))}},
               {"all weights are 0", {.weights = vn_zeros(VN_SHAPE(2), VN_F32)}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_dataset_opts o = all[k].o;
        o.size = sizeof o;
        CHECK_FAILS(vn_dataset_of(x, y, &o), VN_E_ARG, all[k].words);
    }
    {
        VN_SCOPE;
        freed = vn_ones(VN_SHAPE(2), VN_F32);
    }
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .weights = freed)), VN_E_FREED, "weights");
}

/* A file that has other arrays, many of them. */
TEST(other_arrays)
{
    vn_tree *t = vn_tree_new(NULL);
    for (int k = 0; k < 40; k++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", k);
        vn_tree_set(t, name, vn_ones(VN_SHAPE(2), VN_F32));
    }
    CHECK(vn_save(in_folder("many.npz"), t, NULL) == VN_OK);
    CHECK_FAILS(vn_dataset_load(in_folder("many.npz"), NULL), VN_E_ARG, "no array \"x\"");
    CHECK_FAILS(vn_dataset_load(in_folder("many.npz"), VN_OPTS(dataset, .x = "n0")), VN_E_ARG, " ...");
    CHECK_FAILS(vn_dataset_load(in_folder("many.npz"), VN_OPTS(dataset, .columns = "a")), VN_E_ARG, "option columns is for tables");
    CHECK_FAILS(vn_dataset_load(in_folder("many.npz"), VN_OPTS(dataset, .allow_nonfinite = 2)), VN_E_ARG, "allow_nonfinite is 2");
}

/* What is asked for must be there. */
TEST(asked_rows)
{
    vn_dataset *d = vn_dataset_of(vn_zeros(VN_SHAPE(2, 1), VN_F32), vn_zeros(VN_SHAPE(2), VN_I64), NULL);
    vn_array *x;
    const int64_t row = -1;
    CHECK_FAILS(vn_dataset_rows(d, NULL, 1, &x, NULL), VN_E_NULL, "rows is NULL");
    CHECK_FAILS(vn_dataset_rows(d, &row, 1, NULL, NULL), VN_E_NULL, "x is NULL");
    CHECK_FAILS(vn_dataset_rows(d, &row, 0, &x, NULL), VN_E_ARG, "0 rows");
    CHECK_FAILS(vn_dataset_rows(d, &row, 1, &x, NULL), VN_E_ARG, "row -1 of 2");
}

/* A dataset lives as its scope says. */
TEST(life)
{
    vn_dataset *kept, *dead;
    {
        VN_SCOPE;
        kept = vn_dataset_keep(vn_dataset_of(vn_zeros(VN_SHAPE(2, 1), VN_F32), VN_NONE, NULL));
        dead = vn_dataset_of(vn_zeros(VN_SHAPE(2, 1), VN_F32), VN_NONE, NULL);
    }
    CHECK(look(kept).rows == 2);
    vn_dataset_info i = {.size = sizeof i};
    CHECK_FAILS(vn_dataset_look(dead, &i), VN_E_FREED, "d was freed");
    vn_dataset_drop(kept);
}

FOLDER_TEST_MAIN
