/* SPDX-License-Identifier: Apache-2.0 */
/* train_tables.c: datasets of tables: what columns become, classes with names, missing values, units, and a schema that reads other files in
 * the same way; weights of classes. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"
#include <math.h>

static const char *write_csv(const char *text)
{
    write_bytes(in_folder("table.csv"), text, strlen(text));
    return in_folder("table.csv");
}

static vn_dataset *csv(const char *text, const vn_dataset_opts *o)
{
    return vn_dataset_load(write_csv(text), o);
}

static vn_dataset_info look(const vn_dataset *d)
{
    vn_dataset_info i = {.size = sizeof i};
    CHECK(vn_dataset_look(d, &i) == VN_OK);
    return i;
}

/* All rows as text: "1 0 1 | 0; ...". */
static const char *rows(const vn_dataset *d)
{
    static char text[512];
    size_t at = 0;
    text[0] = 0;
    for (int64_t r = 0; d && r < look(d).rows; r++) {
        vn_array *x = NULL, *y = NULL;
        if (vn_dataset_rows(d, &r, 1, &x, look(d).has_target ? &y : NULL)) return text;
        for (int64_t i = 0; i < vn_size(x); i++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%g ", (double)((const float *)vn_data(x))[i]);
        if (y) at += (size_t)snprintf(text + at, sizeof text - at, "| %g", vn_item(y));
        at += (size_t)snprintf(text + at, sizeof text - at, "; ");
    }
    return text;
}

static bool has_note(const vn_dataset *d, const char *words)
{
    vn_dataset_info i = look(d);
    for (int k = 0; k < i.n_notes; k++)
        if (strstr(i.notes[k], words)) return true;
    return false;
}

TEST(texts)
{
    vn_dataset *d = csv("size,colour,kind\n1,red,cat\n2,blue,dog\n3,red,dog\n", NULL);
    vn_dataset_info i = look(d);
    CHECK(!strcmp(rows(d), "1 0 1 | 0; 2 1 0 | 1; 3 0 1 | 1; "));
    CHECK(i.classes == 2 && !strcmp(i.class_names[0], "cat") && !strcmp(i.class_names[1], "dog") && !strcmp(i.target, "kind"));
    CHECK(i.n_columns == 3 && !strcmp(i.columns[1], "colour=blue") && !strcmp(i.columns[2], "colour=red") && !i.file_rows);
    CHECK(!strcmp(i.about, "table.csv: 3 rows of 3, 2 classes"));
    d = csv("size,colour,kind\n1,red,cat\n2,blue,dog\n", VN_OPTS(dataset, .target = "size", .kind = VN_TARGET_NUMBER));
    CHECK(!strcmp(rows(d), "0 1 1 0 | 1; 1 0 0 1 | 2; ") && look(d).classes == 0);
    d = csv("a,empty,k\n1,,0\n2,,1\n", NULL);
    CHECK(!strcmp(rows(d), "1 | 0; 2 | 1; ") && has_note(d, "column \"empty\" is empty"));
    d = csv("id,a,k\n1,5,0\n2,5,1\n3,5,1\n", NULL);
    CHECK(has_note(d, "\"id\" counts the rows (1, 2, 3 ...)"));
    CHECK(has_note(csv("name,kind\nanna,cat\nbert,dog\n", NULL), "taken for names"));
}

TEST(columns)
{
    static const char text[] = "id,a,day,b,k\n1,5,2024-01-01,7,0\n2,6,2024-01-02,8,1\n";
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = "a, b"))), "5 7 | 0; 6 8 | 1; "));
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = "a, b, k"))), "5 7 | 0; 6 8 | 1; ")); /* the target may be named */
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = "3"))), "7 | 0; 8 | 1; "));
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = "-day,-id"))), "5 7 | 0; 6 8 | 1; "));
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = "-day,-id", .kind = VN_TARGET_NONE))), "5 7 0 ; 6 8 1 ; "));
    CHECK_FAILS(csv(text, NULL), VN_E_FORMAT, "cannot be features: \"day\" (dates). Leave them out: option columns \"-day\"");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .columns = "a,c")), VN_E_ARG, "option columns: there is no column \"c\"");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .columns = "a,-b")), VN_E_ARG, "both names columns and leaves some out");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .columns = "-id,-a,-day,-b")), VN_E_FORMAT, "no column is left");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .target = "day")), VN_E_FORMAT, "the target is column \"day\", which is dates");
    char many[4000] = "name,x\n";
    for (int i = 0; i < 150; i++) sprintf(many + strlen(many), "n%d,%d\n", i, i % 2);
    CHECK_FAILS(csv(many, NULL), VN_E_FORMAT, "\"name\" (text with 150 different values such as \"n0\")");
    CHECK_FAILS(csv(many, VN_OPTS(dataset, .target = "name")), VN_E_FORMAT, "150 different values in 150 rows");
    CHECK(look(csv(many, VN_OPTS(dataset, .target = "name", .kind = VN_TARGET_CLASS))).classes == 150);
}

/* The target of n rows with these integers. */
static vn_dataset_info target(int n, int (*value)(int), const vn_dataset_opts *o)
{
    static char text[40000];
    strcpy(text, "x,y\n");
    size_t at = 4;
    for (int i = 0; i < n; i++) at += (size_t)sprintf(text + at, "%d,%d\n", i * 37 % 101, value(i));
    return look(csv(text, o));
}
static int digit(int i)
{
    return i % 10;
}
static int star(int i)
{
    return i % 5 + 1;
}
static int sign(int i)
{
    return i % 2 * 2 - 1;
}
static int price(int i)
{
    return 100000 + i * 1000;
}
static int percent(int i)
{
    return i * 10 % 100;
}

TEST(classes_or_numbers)
{
    CHECK(target(100, digit, NULL).classes == 10 && !target(100, digit, NULL).class_names && target(100, digit, NULL).n_notes == 0);
    vn_dataset_info i = target(100, star, NULL);
    CHECK(i.classes == 5 && !strcmp(i.class_names[0], "1") && !strcmp(i.class_names[4], "5") && i.n_notes == 1 &&
          strstr(i.notes[0], "taken for classes"));
    i = target(40, sign, NULL);
    CHECK(i.classes == 2 && !strcmp(i.class_names[0], "-1") && !strcmp(i.class_names[1], "1") && i.n_notes == 0);
    i = target(300, price, NULL);
    CHECK(i.classes == 0 && i.n_notes == 0);
    i = target(20, percent, NULL);
    CHECK(i.classes == 0 && i.n_notes == 1 && strstr(i.notes[0], "taken for numbers"));
    CHECK(target(100, star, VN_OPTS(dataset, .kind = VN_TARGET_NUMBER)).classes == 0);
    CHECK(target(100, star, VN_OPTS(dataset, .classes = 6)).classes == 6 && !target(100, star, VN_OPTS(dataset, .classes = 6)).class_names);
    CHECK(look(csv("x,y\n1,0\n2,3\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS))).classes == 4); /* as they are */
    CHECK_FAILS(csv("x,y\n1,a\n2,b\n", VN_OPTS(dataset, .kind = VN_TARGET_NUMBER)), VN_E_ARG, "target \"y\" is text such as \"a\"");
    CHECK_FAILS(csv("x,y\n1,a\n2,b\n", VN_OPTS(dataset, .classes = 2)), VN_E_ARG, "is text");
    CHECK_FAILS(csv("x,y\n1,7\n2,b\n4,8\n", NULL), VN_E_FORMAT,
                "target \"y\": 1 of 3 values are not numbers, the first is \"b\", on line 3");
}

TEST(missing)
{
    static const char text[] = "a,c,k\n1,red,0\n,blue,1\n3,,1\n5,red,\n";
    CHECK_FAILS(csv(text, NULL), VN_E_ARG, "column \"a\" has 1 missing value, on line 3. Choose with option missing");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .missing = 3)), VN_E_ARG, "option missing is 3");
    vn_dataset *d = csv(text, VN_OPTS(dataset, .missing = VN_MISSING_DROP));
    CHECK(!strcmp(rows(d), "1 0 1 | 0; ") && has_note(d, "3 of 4 rows") && look(d).file_rows[0] == 0);
    d = csv(text, VN_OPTS(dataset, .missing = VN_MISSING_FILL)); /* the mean of 1, 3 and 5; none of the colours */
    CHECK(!strcmp(rows(d), "1 0 1 | 0; 3 1 0 | 1; 3 0 0 | 1; ") && look(d).rows == 3 && look(d).file_rows[2] == 2);
    CHECK_FAILS(csv("a,k\n1,0\n,1\n", NULL), VN_E_ARG, "drop leaves such rows out, fill takes the column's mean");
    CHECK_FAILS(csv("a,b,k\n1,x,0\n2,y,1\n3,,0\n", NULL), VN_E_ARG, "drop leaves such rows out, fill gives them none of its classes");
    csv("a,k\n1,x\n2,y\n3,\n", NULL); /* a target is not filled in */
    CHECK(vn_status() == VN_E_ARG && strstr(vn_message(), "drop leaves such rows out") && !strstr(vn_message(), "fill"));
    vn_clear();
    CHECK_FAILS(csv("a,k\n,0\n1,\n", VN_OPTS(dataset, .missing = VN_MISSING_DROP)), VN_E_FORMAT, "every row has a missing value");
}

static int closeto(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fabs(b);
}

TEST(units)
{
    static const char text[] = "a,price\n1,100000.5\n2,200000\n3,300000\n4,400000\n5,500000\n6,600000\n";
    vn_dataset *d = csv(text, VN_OPTS(dataset, .standardize = 1));
    vn_dataset_info i = look(d);
    CHECK(i.classes == 0 && closeto(i.y_mean, 350000.083) && closeto(i.y_deviation, 170782.4));
    vn_array *x, *y;
    CHECK(!vn_dataset_rows(d, (int64_t[]){0, 5}, 2, &x, &y) && closeto(((const float *)vn_data(x))[0], -1.46385) &&
          closeto(((const float *)vn_data(y))[1], 1.46385));
    vn_seed(3);
    vn_module *net = vn_nn_linear(1, 1, NULL);
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(net, d, VN_OPTS(fit, .epochs = 200, .batch = 6, .optim = vn_sgd(.2, NULL), .metrics = "mae, rmse"), &r) == VN_OK);
    const vn_epoch *last = &r.history[r.n_history - 1];
    CHECK(vn_score_of(last->scores, last->n_scores, "loss") < 1e-6 && vn_score_of(last->scores, last->n_scores, "mae") < 100);
    CHECK(vn_score_of(r.history[0].scores, last->n_scores, "mae") > 10000); /* in the units of the price */
    vn_array *p = vn_predict(net, d, 0);
    CHECK(fabs((double)((const float *)vn_data(p))[3] - 400000) < 100);
    vn_dataset *bare = csv("a\n4\n", VN_OPTS(dataset, .schema = i.schema)); /* without prices */
    CHECK(bare && !look(bare).has_target && fabs(vn_item(vn_predict(net, bare, 0)) - 400000) < 100);
    vn_evaluation e = {.size = sizeof e};
    CHECK(vn_evaluate(net, d, NULL, &e) == VN_OK && vn_score_of(e.scores, e.n_scores, "mae") < 100);
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .standardize = 1)), VN_E_ARG, "option standardize is for tables");
}

TEST(schemas)
{
    vn_dataset *d = csv("size,colour,kind\n1,red,cat\n2,blue,dog\n3,red,dog\n", NULL);
    char schema[2000];
    snprintf(schema, sizeof schema, "%s", look(d).schema);
    const vn_dataset_opts *same = VN_OPTS(dataset, .schema = schema), *bare = VN_OPTS(dataset, .schema = schema, .kind = VN_TARGET_NONE);
    d = csv("kind,id,colour,size\ndog,9,red,3\ncat,8,red,1\n", same);
    CHECK(!strcmp(rows(d), "3 0 1 | 1; 1 0 1 | 0; ") && has_note(d, "not used: 1 column of the file, \"id\""));
    CHECK(!strcmp(look(d).schema, schema));
    CHECK(!strcmp(rows(csv("colour,size\nblue,3\n", same)), "3 1 0 ; "));
    CHECK(!strcmp(rows(csv("kind,id,colour,size\nbird,9,red,3\n", bare)), "3 0 1 ; "));
    d = csv("7,blue,cat\n8,red,dog\n", same); /* without names: by position */
    CHECK(!strcmp(rows(d), "7 1 0 | 0; 8 0 1 | 1; ") && has_note(d, "taken in their order"));
    CHECK(!strcmp(rows(csv("7,blue\n8,red\n7,blue\n", same)), "7 1 0 ; 8 0 1 ; 7 1 0 ; "));
    CHECK_FAILS(csv("kind,hue,size\ndog,red,3\n", same), VN_E_STRUCT, "these are missing: \"colour\"");
    CHECK_FAILS(csv("7,blue,1,2\n8,red,1,2\n7,blue,1,2\n", same), VN_E_STRUCT,
                "4 columns without names; the model takes 2, plus optionally its target");
    CHECK_FAILS(csv("size,colour,kind\n1,green,cat\n", same), VN_E_ARG,
                "row 1, column \"colour\": \"green\" is not one of its 2 classes: blue, red");
    CHECK(!strcmp(rows(csv("size,colour,kind\n1,green,cat\n", VN_OPTS(dataset, .schema = schema, .missing = VN_MISSING_FILL))),
                  "1 0 0 | 0; "));
    CHECK_FAILS(csv("size,colour,kind\n1,red,bird\n", same), VN_E_ARG, "\"bird\" is not one of its 2 classes: cat, dog");
    CHECK_FAILS(csv("size,colour,kind\nbig,red,cat\n", same), VN_E_FORMAT, "column \"size\" holds \"big\"; numbers are needed");
    CHECK_FAILS(csv("a\n1\n", VN_OPTS(dataset, .schema = schema, .target = "a")), VN_E_ARG, "a schema says");
    static const char *const wrong[] = {
        "",
        "{}",
        "[1]",
        "{\"version\":2}",
        "{\"version\":1,\"columns\":1,\"header\":true,\"missing\":\"maybe\"}",
        "{\"version\":1,\"columns\":1,\"header\":true,\"missing\":\"drop\",\"features\":[]}",
        "{\"version\":1,\"columns\":1,\"header\":true,\"missing\":\"drop\",\"features\":[{\"name\":\"a\",\"position\":1}]}",
        "{\"version\":1,\"columns\":1,\"header\":true,\"missing\":\"drop\",\"features\":[{\"name\":\"a\",\"position\":0}]}",
        "{\"version\":1,\"columns\":1,\"header\":true,\"missing\":\"drop\",\"features\":[{\"name\":\"a\",\"position\":0,\"classes\":[\"b\","
        "\"a\"]}]}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(csv("a\n1\n", VN_OPTS(dataset, .schema = wrong[i])), VN_E_FORMAT, "the schema is not valid");
    /* Numbers as classes, by name. */
    d = csv("x,y\n1,-1\n2,1\n3,1\n4,-1\n5,1\n6,1\n7,1\n8,1\n9,1\n1,1\n", NULL);
    snprintf(schema, sizeof schema, "%s", look(d).schema);
    CHECK(!strcmp(rows(csv("x,y\n5,1\n", same)), "5 | 1; "));
    CHECK_FAILS(csv("x,y\n5,2\n", same), VN_E_ARG, "\"2\" is not one of its 2 classes: -1, 1");
    /* Validation that was read in another way is refused. */
    vn_dataset *val = csv("x,y\n1,3\n2,5\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS));
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2, NULL), d, VN_OPTS(fit, .epochs = 1, .validation = val), NULL), VN_E_ARG,
                "load it with the schema of the data");
    /* A table of one's own making, and one that is none. */
    vn_table t = {.size = sizeof t};
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_ARG, "vn_read_table fills in all of it");
    CHECK_FAILS(vn_dataset_of_table(NULL, NULL), VN_E_NULL, "NULL");
}

/* The schema is not trusted: each of these is refused with the reason. */
TEST(hostile_schemas)
{
#define BEGIN "{\"version\":1,\"columns\":2,\"header\":true,\"missing\":\"drop\","
#define A "{\"name\":\"a\",\"position\":0,\"mean\":0,\"deviation\":1,\"fill\":0}"
#define TARGET(rest) BEGIN "\"features\":[" A "],\"target\":{\"name\":\"k\",\"position\":1," rest "}}"
    static const struct {
        const char *schema, *words;
    } all[] = {
        {"{\"version\":1,\"images\":[1,1,1]}", "is a table, and the schema, what was trained on, is of images"},
        {"{\"version\":1,\"columns\":\"a\",\"header\":true}", "no columns or header"},
        {"{\"version\":1,\"columns\":1.5,\"header\":true}", "no columns or header"},
        {"{\"version\":1,\"columns\":999999,\"header\":true}", "no columns or header"},
        {"{\"version\":1,\"columns\":2}", "no columns or header"},
        {"{\"version\":1,\"columns\":2,\"header\":1}", "no columns or header"},
        {"{\"version\":1,\"columns\":2,\"header\":true}", "missing is not error, drop or fill"},
        {"{\"version\":1,\"columns\":2,\"header\":true,\"missing\":1}", "missing is not error, drop or fill"},
        {BEGIN "\"standardized\":1}", "no features"},
        {BEGIN "\"standardized\":false,\"features\":1}", "no features"},
        {BEGIN "\"features\":[1,2,3]}", "no features"},
        {BEGIN "\"features\":[1]}", "a column without a name"},
        {BEGIN "\"features\":[{\"name\":1}]}", "a column without a name"},
        {BEGIN "\"features\":[{\"name\":\"a\\u0000b\"}]}", "the character 0 is not allowed"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":-1}]}", "a column without a position"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":0.5}]}", "a column without a position"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":0,\"classes\":3}]}", "classes of a feature"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":0,\"classes\":[]}]}", "classes that are not a list"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":0,\"mean\":0,\"deviation\":0,\"fill\":0}]}", "without mean, deviation or fill"},
        {BEGIN "\"features\":[{\"name\":\"a\",\"position\":0,\"mean\":0,\"deviation\":1,\"fill\":\"b\"}]}",
         "without mean, deviation or fill"},
        {TARGET("\"classes\":\"a\""), "classes that are not a list"},
        {TARGET("\"classes\":0"), "a number of classes"},
        {TARGET("\"classes\":1e9"), "a number of classes"},
        {TARGET("\"classes\":1.5"), "a number of classes"},
        {TARGET("\"classes\":[1]"), "a class that is not a text"},
        {TARGET("\"classes\":[\"b\",\"a\"]"), "classes that are not in order"},
        {TARGET("\"numeric\":true,\"classes\":[\"a\"]"), "a class that is not a number"},
        {TARGET("\"numeric\":true,\"classes\":[\"a\",\"1\"]"), "classes that are not in order"},
        {TARGET("\"numeric\":true,\"classes\":[\"1\",\"a\"]"), "classes that are not in order"},
        {TARGET("\"numeric\":1,\"classes\":[\"1\",\"1\"]"), "classes that are not in order"},
        {TARGET("\"numeric\":false,\"classes\":[\"1\",\"1\"]"), "classes that are not in order"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(csv("a,k\n1,2\n", VN_OPTS(dataset, .schema = all[k].schema)), VN_E_FORMAT, all[k].words);
    /* Two columns at one place: found by name, but not by position. */
    const vn_dataset_opts *twice =
        VN_OPTS(dataset, .schema = "{\"version\":1,\"columns\":2,\"header\":true,\"missing\":\"drop\",\"features\":["
                                   "{\"name\":\"a\",\"position\":1,\"mean\":0,\"deviation\":1,\"fill\":0}],"
                                   "\"target\":{\"name\":\"k\",\"position\":1,\"classes\":2}}");
    CHECK(!strcmp(rows(csv("a,k\n5,1\n", twice)), "5 | 1; "));
    CHECK_FAILS(csv("5\n6\n", twice), VN_E_FORMAT, "the schema is not valid: positions");
#undef BEGIN
#undef A
#undef TARGET
}

/* Files that are read by a schema and lack something, or have too much. */
TEST(other_files)
{
    char schema[6000], other[4000], text[4000];
    vn_dataset *d = csv("id,size,colour,n\n1,1,red,3.5\n2,2,blue,4\n3,3,red,5\n", VN_OPTS(dataset, .columns = "-id"));
    snprintf(schema, sizeof schema, "%s", look(d).schema);
    const vn_dataset_opts *same = VN_OPTS(dataset, .schema = schema),
                          *fill = VN_OPTS(dataset, .schema = schema, .missing = VN_MISSING_FILL);
    const vn_dataset_opts *drop = VN_OPTS(dataset, .schema = schema, .missing = VN_MISSING_DROP);
    const vn_dataset_opts *open = VN_OPTS(dataset, .schema = schema, .allow_nonfinite = 1);
    CHECK(!strcmp(rows(csv("9,red\n8,blue\n", same)), "9 0 1 ; 8 1 0 ; ")); /* the features alone */
    CHECK(!strcmp(rows(csv("size,colour,n\n9,red,1\n", VN_OPTS(dataset, .schema = schema, .weight_column = "n"))), "9 0 1 | 1; "));
    CHECK_FAILS(csv("size,colour\n1,red\n", VN_OPTS(dataset, .schema = schema, .weight_column = "w")), VN_E_ARG,
                "there is no column \"w\"");
    CHECK_FAILS(csv("size,colour\n", same), VN_E_FORMAT, "there are no rows");
    CHECK_FAILS(csv("size,colour\n,red\n,red\n5,red\n", same), VN_E_ARG, "column \"size\" has 2 missing values, the first on line 2");
    CHECK_FAILS(csv("size,colour\n5,red\n6,\n", same), VN_E_ARG, "fill gives them none of its classes");
    CHECK(!strcmp(rows(csv("size,colour\n5,\n", open)), "5 0 0 ; "));
    CHECK_FAILS(csv("size,colour\n,red\n,blue\n", same), VN_E_ARG, "column \"size\" has 2 missing values");
    CHECK_FAILS(csv("size,colour\n,red\n,blue\n", drop), VN_E_ARG, "column \"size\" has 2 missing values");
    CHECK(!strcmp(rows(csv("size,colour\n,red\n,blue\n", fill)), "2 0 1 ; 2 1 0 ; "));
    CHECK(!strcmp(rows(csv("size,colour\n3,\n4,\n", fill)), "3 0 0 ; 4 0 0 ; "));
    CHECK_FAILS(csv("size,colour\n2024-01-01,red\n2024-01-02,red\n", same), VN_E_FORMAT,
                "column \"size\" holds \"dates\"; numbers are needed");
    CHECK_FAILS(csv("size,colour\n1,red\n2,red\nx,red\n", same), VN_E_FORMAT, "column \"size\" holds \"x\"; numbers are needed");
    CHECK_FAILS(csv("size,colour\n1,2024-01-01\n2,2024-01-02\n", same), VN_E_ARG, "\"dates\" is not one of its 2 classes");
    CHECK_FAILS(csv("size,colour,n\n1,red,\n2,red,\n", same), VN_E_FORMAT, "column \"n\" holds");
    CHECK_FAILS(csv("size,colour,n\n1,red,inf\n", open), VN_E_ARG, "row 1, target n is inf; only finite numbers can be learned from");
    CHECK(look(csv("size,colour,n\n1,red,\n2,red,3\n", drop)).rows == 1);
    CHECK(look(csv("size,colour\ninf,red\n,red\n", open)).rows == 2);
    strcpy(text, "size,colour");
    for (int k = 0; k < 9; k++) sprintf(text + strlen(text), ",another column with a name that is rather long %d", k);
    strcat(text, "\n1,red,1,1,1,1,1,1,1,1,1\n");
    d = csv(text, same);
    CHECK(has_note(d, "not used: 9 columns of the file, \"another column with a name that is rather long 0\", \"another") &&
          has_note(d, " ..."));
    /* Without a target: by position, and what is missing. */
    strcpy(text, "");
    for (int k = 0; k < 9; k++) sprintf(text + strlen(text), "%sa column with a name that is rather long %d", k ? "," : "", k);
    strcat(text, "\n1,2,3,4,5,6,7,8,9\n");
    d = csv(text, VN_OPTS(dataset, .kind = VN_TARGET_NONE, .standardize = 1));
    snprintf(other, sizeof other, "%s", look(d).schema);
    const vn_dataset_opts *bare = VN_OPTS(dataset, .schema = other);
    CHECK_FAILS(csv("a,b\n1,2\n", bare), VN_E_STRUCT, "these are missing: \"a column with a name that is rather long 0\", \"a column");
    CHECK_FAILS(csv("1,2\n", bare), VN_E_STRUCT, "2 columns without names; the model takes 9");
    CHECK(look(csv("1,2,3,4,5,6,7,8,9\n", bare)).rows == 1);
}

/* Targets that are numbered classes, and files that have something else there. */
TEST(numbered_classes)
{
    const vn_dataset_opts *three = VN_OPTS(dataset, .classes = 3);
    CHECK_FAILS(csv("x,k\n1,0\n2,-1\n", three), VN_E_ARG, "target k is class -1; there are 3 classes");
    CHECK_FAILS(csv("x,k\n1,0\n2,1.5\n", three), VN_E_ARG, "target k is class 1.5; there are 3 classes");
    CHECK_FAILS(csv("x,k\n1,0\n2,7\n", three), VN_E_ARG, "target k is class 7; there are 3 classes");
    char schema[2000];
    snprintf(schema, sizeof schema, "%s", look(csv("x,k\n1,0\n2,1\n", three)).schema);
    const vn_dataset_opts *same = VN_OPTS(dataset, .schema = schema);
    CHECK_FAILS(csv("x,k\n1,2\n2,1\n3,1\n4,two\n", same), VN_E_ARG, "row 4, target k is class two; there are 3 classes");
    CHECK_FAILS(csv("x,k\n1,2024-01-01\n2,2024-01-02\n", same), VN_E_ARG, "target k is class dates");
    CHECK_FAILS(csv("x,k\n1,\n2,\n", same), VN_E_ARG, "column \"k\" has 2 missing values");
    /* By name: 0 and 100 are too far apart to be numbered. */
    vn_dataset *d = csv("x,k\n1,0\n2,100\n3,-0\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS));
    CHECK(look(d).classes == 2 && !strcmp(look(d).class_names[0], "0") && !strcmp(look(d).class_names[1], "100"));
    snprintf(schema, sizeof schema, "%s", look(d).schema);
    CHECK_FAILS(csv("x,k\n1,0\n2,100\n3,0\n4,many\n", same), VN_E_ARG, "\"many\" is not one of its 2 classes: 0, 100");
    CHECK_FAILS(csv("x,k\n1,0\n2,inf\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS)), VN_E_ARG,
                "\"k\" is inf in row 2; classes are text or integers");
    CHECK_FAILS(csv("x,k\n1,\n2,0.5\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS)), VN_E_ARG, "\"k\" is 0.5 in row 2");
    CHECK(look(csv("x,k\n1,2\n2,1\n3,1\n4,two\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS))).classes == 3); /* as texts */
    CHECK(has_note(csv("x,k\n1,a\n2,a\n", NULL), "target \"k\" is always \"a\""));
}

static int counted30(int i)
{
    return i % 30;
}
static int counted150(int i)
{
    return i % 150;
}
static int apart(int i)
{
    return i % 12 * 40;
}

TEST(more_classes_or_numbers)
{
    CHECK(target(60, counted30, NULL).classes == 30 && target(50, counted30, NULL).classes == 0);
    CHECK(target(300, counted150, NULL).classes == 0);
    CHECK(target(60, apart, NULL).classes == 12 && target(59, apart, NULL).classes == 0);
}

/* Which columns, by their names and numbers. */
TEST(odd_columns)
{
    static const char text[] = "a,b,c,k\n1,2,3,0\n4,5,6,1\n";
    CHECK(!strcmp(rows(csv(text, VN_OPTS(dataset, .columns = " a , c "))), "1 3 | 0; 4 6 | 1; "));
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .columns = "a,,c")), VN_E_ARG, "there is no column \"\"");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .columns = "a, ,c")), VN_E_ARG, "there is no column \"\"");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .target = "-9")), VN_E_ARG, "there is no column \"-9\"");
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .target = "1x")), VN_E_ARG, "there is no column \"1x\"");
    CHECK_FAILS(csv("\"-a\",\"b,c\",d\"e,a name of more than sixty letters so that nobody would like to write it,day,k\n"
                    "2024-01-01,2024-01-01,2024-01-01,2024-01-01,2024-01-01,0\n2024-01-02,2024-01-01,2024-01-01,2024-01-01,2024-01-01,1\n",
                    NULL),
                VN_E_FORMAT, "Leave them out: option columns \"-0,-1,-2,-3,-day\"");
    CHECK(!strcmp(rows(csv("a,b,k\n1,2,0\n1,oh,1\n", VN_OPTS(dataset, .columns = "a,b"))), "1 1 0 | 0; 1 0 1 | 1; ")); /* b is text */
    /* A column that is constant or has infinities is not divided. */
    CHECK(!strcmp(rows(csv("a,k\n2,0.5\n2,0.5\n", VN_OPTS(dataset, .standardize = 1))), "0 | 0; 0 | 0; "));
    CHECK(look(csv("a,k\ninf,0\n-inf,1\n", VN_OPTS(dataset, .standardize = 1, .allow_nonfinite = 1))).rows == 2);
    char many[3000] = "";
    for (int k = 0; k < 70; k++) sprintf(many + strlen(many), "column%d,", k);
    strcat(many, "a,k\n");
    CHECK_FAILS(csv(strcat(many, ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,1,0\n"),
                    VN_OPTS(dataset, .target = "none")),
                VN_E_ARG, "columns are 0 to 71, or column0, column1");
    vn_dataset *d = csv(many, NULL);
    CHECK(look(d).n_notes == 64 && !strcmp(rows(d), "1 | 0; ")); /* a note for each empty column, as many as there is room for */
}

/* Numbers too far apart to be divided by their deviation, targets that are not finite, many classes. */
TEST(odd_values)
{
    const vn_dataset_opts *divided = VN_OPTS(dataset, .standardize = 1, .allow_nonfinite = 1);
    CHECK(look(csv("a,k\n1.5e308,0\n-1.5e308,1\n", divided)).rows == 2);
    CHECK_FAILS(csv("a,k\n1,inf\n2,3.5\n", VN_OPTS(dataset, .standardize = 1, .kind = VN_TARGET_NUMBER)), VN_E_ARG,
                "target k is inf; only finite");
    CHECK_FAILS(csv("a,k\n1,cat\n2,dog\n3,\n", VN_OPTS(dataset, .allow_nonfinite = 1)), VN_E_ARG, "column \"k\" has 1 missing value");
    CHECK(look(csv("x,k\n1,0\n2,16777216\n", VN_OPTS(dataset, .kind = VN_TARGET_CLASS))).classes == 2); /* too large to be numbered */
    CHECK(look(csv("x,k\n1,0\n2,1\n", VN_OPTS(dataset, .weights = vn_ones(VN_SHAPE(2), VN_F32)))).rows == 2);
    char text[6000] = "x,k\n", schema[6000];
    for (int i = 0; i < 120; i++) sprintf(text + strlen(text), "1,class with a long name %02d\n", i % 25);
    snprintf(schema, sizeof schema, "%s", look(csv(text, NULL)).schema);
    CHECK_FAILS(csv("x,k\n1,none\n", VN_OPTS(dataset, .schema = schema)), VN_E_ARG,
                "\"none\" is not one of its 25 classes: class with a long name 00");
}

/* More different integers than there can be classes. */
TEST(too_many_classes)
{
    enum { N = 100002 };
    char *text = malloc(N * 16 + 16), *at = text + sprintf(text, "x,k\n");
    for (int i = 0; i < N; i++) at += sprintf(at, "1,%d\n", i);
    CHECK_FAILS(csv(text, VN_OPTS(dataset, .kind = VN_TARGET_CLASS)), VN_E_ARG,
                "target \"k\" has more than 100000 different values; they are no classes");
    free(text);
}

/* Tables of the caller's own. */
TEST(own_tables)
{
    vn_column c = {.name = "a", .kind = VN_COLUMN_NUMBER};
    vn_table t = {.size = sizeof t, .n_columns = 1, .columns = &c};
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_FORMAT, "the table: there are no rows");
    t.header = 1;
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_FORMAT, "the table: there are no rows below the names");
    t.rows = -1;
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_ARG, "vn_read_table fills in all of it");
    t.rows = 1, t.columns = NULL;
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_ARG, "vn_read_table fills in all of it");
    t.size = 8;
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_ARG, "vn_read_table fills in all of it");
    t.size = 0;
    CHECK_FAILS(vn_dataset_of_table(&t, NULL), VN_E_ARG, "the table is not filled in");
    CHECK_FAILS(vn_dataset_of_table(&t, VN_OPTS(dataset, .standardize = 2)), VN_E_ARG, "standardize is 2; it is a flag");
}

/* Options that contradict each other. */
TEST(table_options)
{
    vn_array *w = vn_ones(VN_SHAPE(1), VN_F32);
    const struct {
        const char *words;
        vn_dataset_opts o;
    } all[] = {{"weights", {.weights = w, .weight_column = "a"}},
               {"a schema says", {.schema = "{}", .columns = "a"}},
               {"a schema says", {.schema = "{}", .standardize = 1}},
               {"a schema says", {.schema = "{}", .classes = 2}},
               {"a schema says", {.schema = "{}", .kind = VN_TARGET_CLASS}},
               {"allow_nonfinite is 2; it is a flag", {.allow_nonfinite = 2}},
               {"kind is -1", {.kind = -1}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_dataset_opts o = all[k].o;
        o.size = sizeof o;
        CHECK_FAILS(csv("a,k\n1,0\n", &o), VN_E_ARG, all[k].words);
    }
    CHECK_FAILS(csv("a,b,k\n1,1,0\n2,,1\n", VN_OPTS(dataset, .weight_column = "b")), VN_E_ARG, "column \"b\" has 1 missing value");
    CHECK_FAILS(csv("a,b,k\n1,x,0\n2,y,1\n", VN_OPTS(dataset, .weight_column = "b")), VN_E_FORMAT,
                "column \"b\" holds \"x\"; numbers are needed");
    CHECK(look(csv("a,b,k\n1,1,0\n2,,1\n", VN_OPTS(dataset, .weight_column = "b", .missing = VN_MISSING_DROP))).rows == 1);
}

/* 90 rows of class 0 and 10 of class 1 with the same features: the bias says what was learned. */
static double odds(const vn_fit_opts *o)
{
    float x[100] = {0};
    int64_t y[100] = {0};
    for (int i = 0; i < 10; i++) y[i * 10] = 1;
    vn_seed(1);
    vn_module *net = vn_nn_linear(1, 2, NULL);
    vn_fit_opts all = *o;
    all.epochs = 60, all.batch = 100, all.optim = vn_sgd(1, NULL);
    if (vn_fit(net, vn_dataset_of(vn_from(x, VN_SHAPE(100, 1)), vn_from_host(y, VN_I64, VN_SHAPE(100)), NULL), &all, NULL)) return NAN;
    const float *b = vn_data(vn_tree_get(vn_module_v(net), "b"));
    return exp((double)b[0] - (double)b[1]);
}

/* 100 rows of one feature, 0: the bias becomes the weighted mean of the targets; rows 0, 10 ... have the target 1 and the weight 3. */
static vn_dataset *weighted_rows(const double *w)
{
    double x[100] = {0}, y[100] = {0};
    for (int i = 0; i < 10; i++) y[i * 10] = 1;
    return vn_dataset_of(vn_from_host(x, VN_F64, VN_SHAPE(100, 1)), vn_from_host(y, VN_F64, VN_SHAPE(100, 1)),
                         VN_OPTS(dataset, .weights = w ? vn_from_host(w, VN_F64, VN_SHAPE(100)) : NULL));
}

static double learned_bias(vn_dataset *d, const vn_fit_opts *o)
{
    vn_seed(1);
    vn_module *net = vn_module_cast(vn_nn_linear(1, 1, NULL), VN_F64);
    vn_fit_opts all = *o;
    all.epochs = 80, all.batch = 100, all.optim = vn_sgd(.3, NULL);
    if (vn_fit(net, d, &all, NULL)) return NAN;
    return vn_item(vn_tree_get(vn_module_v(net), "b"));
}

static double learned_bias32(vn_dataset *d)
{
    vn_seed(1);
    vn_module *net = vn_nn_linear(1, 1, NULL);
    if (vn_fit(net, d, VN_OPTS(fit, .epochs = 80, .batch = 30, .optim = vn_sgd(.3, NULL)), NULL)) return NAN;
    return vn_item(vn_tree_get(vn_module_v(net), "b"));
}

TEST(row_weights)
{
    double w[100], none[100] = {0};
    for (int i = 0; i < 100; i++) w[i] = i % 10 ? 1 : 3;
    vn_dataset *d = weighted_rows(w), *part, *rest;
    CHECK(fabs(learned_bias(weighted_rows(NULL), VN_OPTS(fit, .epochs = 1)) - .1) < 1e-9);
    CHECK(fabs(learned_bias(d, VN_OPTS(fit, .epochs = 1)) - .25) < 1e-9);
    const char *losses[] = {"huber(2)", "bce", "mse"};
    for (int i = 0; i < 3; i++) { /* the same in parts */
        const double whole = learned_bias(d, VN_OPTS(fit, .loss = losses[i]));
        CHECK(isfinite(whole) && fabs(whole - learned_bias(d, VN_OPTS(fit, .loss = losses[i], .micro_batches = 7))) < 1e-12);
    }
    /* Parts and joined rows keep their weights: without the first row, 27 of 117. */
    CHECK(vn_dataset_split(d, 99, NULL, &part, &rest) == VN_OK);
    CHECK(fabs(learned_bias(rest, VN_OPTS(fit, .epochs = 1)) - 27 / 117.) < 1e-9);
    CHECK(fabs(learned_bias(vn_dataset_join((vn_dataset *[]){part, rest}, 2), VN_OPTS(fit, .epochs = 1)) - .25) < 1e-9);
    CHECK_FAILS(vn_dataset_join((vn_dataset *[]){d, weighted_rows(NULL)}, 2), VN_E_ARG, "part 1 has no weights of rows, part 0 has some");
    CHECK_FAILS(vn_dataset_windows(d, 2, NULL), VN_E_ARG, "the weights of rows would be lost");
    CHECK_FAILS(learned_bias(d, VN_OPTS(fit, .loss = "dice")), VN_E_ARG, "is one number for a whole batch");
    CHECK_FAILS(weighted_rows(none), VN_E_ARG, "dataset_of: all weights are 0");
    w[5] = -1;
    CHECK_FAILS(weighted_rows(w), VN_E_ARG, "weights[5] is -1; 0 or more is needed");
    w[5] = NAN;
    CHECK_FAILS(weighted_rows(w), VN_E_ARG, "weights[5] is nan");
    vn_array *x = vn_zeros(VN_SHAPE(4, 1), VN_F32), *y = vn_zeros(VN_SHAPE(4), VN_I64), *ones = vn_ones(VN_SHAPE(4), VN_F32);
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .weights = x)), VN_E_SHAPE, "x has 4 rows, weights has the shape 4x1");
    CHECK_FAILS(vn_dataset_of(x, y, VN_OPTS(dataset, .weights = vn_cast(ones, VN_C64))), VN_E_DTYPE, "weights is complex64");
    d = vn_dataset_of(x, y, VN_OPTS(dataset, .classes = 2, .weights = ones));
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2, NULL), d, VN_OPTS(fit, .balance = 1), NULL), VN_E_ARG, "weights of classes and of rows");
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2, NULL), d, VN_OPTS(fit, .loss = "ntxent"), NULL), VN_E_ARG, "a mean over rows");
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .checkpoint = in_folder("r.ckpt"), .resume = 1);
    CHECK(vn_fit(vn_nn_linear(1, 2, NULL), d, &o, NULL) == VN_OK);
    o.epochs = 2;
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2, NULL), vn_dataset_of(x, y, VN_OPTS(dataset, .classes = 2)), &o, NULL), VN_E_ARG,
                "other weights of classes or rows");
}

/* The same rows from a file: 3 y's of 1 and weight 3, 27 of 0 and weight 1; a row without a weight is left out, if asked. */
TEST(weight_column)
{
    char text[1024] = "x,y,w\n";
    for (int i = 0; i < 30; i++) strcat(text, i % 10 ? "0,0,1\n" : "0,1,3\n");
    vn_dataset *d = vn_dataset_load(write_csv(text), VN_OPTS(dataset, .kind = VN_TARGET_NUMBER, .weight_column = "w"));
    vn_dataset_info info = {.size = sizeof info};
    CHECK(vn_dataset_look(d, &info) == VN_OK && info.n_columns == 1 && !strcmp(info.target, "y"));
    CHECK(fabs(learned_bias32(d) - .25) < 1e-5);
    CHECK(fabs(learned_bias32(vn_dataset_load(write_csv(text), VN_OPTS(dataset, .kind = VN_TARGET_NUMBER, .target = "y", .columns = "x"))) -
               .1) < 1e-5);
    vn_dataset_opts o = *VN_OPTS(dataset, .kind = VN_TARGET_NUMBER, .weight_column = "-1");
    CHECK(fabs(learned_bias32(vn_dataset_load(write_csv(text), &o)) - .25) < 1e-5);
    strcat(text, "0,5,\n");
    CHECK_FAILS(vn_dataset_load(write_csv(text), &o), VN_E_ARG,
                "column \"w\" has 1 missing value, on line 32. Choose with option missing: drop leaves such rows out");
    o.missing = VN_MISSING_DROP;
    CHECK(fabs(learned_bias32(vn_dataset_load(write_csv(text), &o)) - .25) < 1e-5);
    CHECK_FAILS(vn_dataset_load(write_csv("x,y,w\n1,2,-1\n3,4,1\n"), &o), VN_E_ARG, "weights[0] is -1; 0 or more is needed");
    CHECK_FAILS(vn_dataset_load(write_csv("x,y,w\n1,2,a\n3,4,b\n"), &o), VN_E_FORMAT, "column \"w\" holds \"a\"; numbers are needed");
    CHECK_FAILS(vn_dataset_load(write_csv("x,y\n1,2\n3,4\n"), VN_OPTS(dataset, .weight_column = "w")), VN_E_ARG,
                "there is no column \"w\"");
    CHECK_FAILS(vn_dataset_load(write_csv("x,y\n1,2\n3,4\n"), VN_OPTS(dataset, .weight_column = "y", .target = "y")), VN_E_ARG,
                "column \"y\" is both target and weights");
    vn_array *ones = vn_ones(VN_SHAPE(2), VN_F32);
    CHECK_FAILS(vn_dataset_load(write_csv("x,y\n1,2\n3,4\n"), VN_OPTS(dataset, .weight_column = "x", .weights = ones)), VN_E_ARG,
                "options weights and weight_column both");
    CHECK_FAILS(vn_dataset_of(ones, VN_NONE, VN_OPTS(dataset, .weight_column = "x")), VN_E_ARG, "weight_column is for tables (CSV)");
}

TEST(class_weights)
{
    CHECK(fabs(odds(VN_OPTS(fit, .epochs = 1)) - 9) < .1);
    CHECK(fabs(odds(VN_OPTS(fit, .balance = 1)) - 1) < .01);
    CHECK(fabs(odds(VN_OPTS(fit, .class_weights = (double[]){1, 3}, .n_class_weights = 2)) - 3) < .05);
    CHECK_FAILS(odds(VN_OPTS(fit, .class_weights = (double[]){1, 3, 1}, .n_class_weights = 3)), VN_E_ARG, "3 class_weights for 2 classes");
    CHECK_FAILS(odds(VN_OPTS(fit, .class_weights = (double[]){1, -3}, .n_class_weights = 2)), VN_E_ARG, "the weight of class 1 is -3");
    CHECK_FAILS(odds(VN_OPTS(fit, .class_weights = (double[]){0, 0}, .n_class_weights = 2)), VN_E_ARG, "all class_weights are 0");
    CHECK_FAILS(odds(VN_OPTS(fit, .class_weights = (double[]){1, 1}, .n_class_weights = 2, .balance = 1)), VN_E_ARG,
                "one of them is enough");
    CHECK_FAILS(odds(VN_OPTS(fit, .n_class_weights = 2)), VN_E_NULL, "class_weights is NULL");
    vn_array *x = vn_zeros(VN_SHAPE(4, 1), VN_F32);
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 1, NULL), vn_dataset_of(x, x, NULL), VN_OPTS(fit, .balance = 1), NULL), VN_E_ARG,
                "the targets are numbers");
    vn_dataset *d = vn_dataset_of(x, vn_zeros(VN_SHAPE(4), VN_I64), VN_OPTS(dataset, .classes = 2));
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 1, NULL), d, VN_OPTS(fit, .balance = 1, .loss = "bce"), NULL), VN_E_ARG,
                "need the loss cross_entropy");
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .checkpoint = in_folder("w.ckpt"), .resume = 1, .balance = 1);
    CHECK(vn_fit(vn_nn_linear(1, 2, NULL), d, &o, NULL) == VN_OK);
    o.epochs = 2, o.balance = 0;
    CHECK_FAILS(vn_fit(vn_nn_linear(1, 2, NULL), d, &o, NULL), VN_E_ARG, "other weights of classes");
}

FOLDER_TEST_MAIN
