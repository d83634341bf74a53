/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: tables as people have them: delimiters, quotes, names, texts, dates, missing values, and errors that name the place. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"
#include <math.h>

static vn_table table(const char *text, const vn_table_opts *o)
{
    vn_table t = {.size = sizeof t};
    write_bytes(in_folder("t.csv"), text, strlen(text));
    vn_read_table(in_folder("t.csv"), o, &t);
    return t;
}

static bool is_column(const vn_table *t, int i, const char *name, int kind)
{
    if (i < t->n_columns && !strcmp(t->columns[i].name, name) && t->columns[i].kind == kind) return true;
    if (i < t->n_columns) fprintf(stderr, "column %d is \"%s\", %s\n", i, t->columns[i].name, vn_column_kind_name(t->columns[i].kind));
    return false;
}

/* All classes of a column, and those of its rows: "a b | 0 1 0". */
static const char *classes(const vn_table *t, int i)
{
    static char text[512];
    const vn_column *c = &t->columns[i];
    size_t at = 0;
    text[0] = 0;
    for (int64_t k = 0; k < c->n_classes; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s ", c->classes[k]);
    at += (size_t)snprintf(text + at, sizeof text - at, "|");
    for (int64_t k = 0; k < t->rows; k++) at += (size_t)snprintf(text + at, sizeof text - at, " %d", c->codes[k]);
    return text;
}

TEST(kinds)
{
    vn_table t = table("id,size,colour,day,note\n1,2.5,red,2024-01-31,\n2,-3e1,blue,2024-02-01,\n3,,red,2024-02-29,\n", NULL);
    CHECK(t.rows == 3 && t.n_columns == 5 && t.header && t.delimiter == ',' && t.decimal == '.' && !t.guessed);
    CHECK(is_column(&t, 0, "id", VN_COLUMN_NUMBER) && t.columns[0].whole && t.columns[0].row_numbers);
    CHECK(is_column(&t, 1, "size", VN_COLUMN_NUMBER) && !t.columns[1].whole && !t.columns[1].row_numbers);
    CHECK(t.columns[1].missing == 1 && t.columns[1].missing_line == 4 && isnan(t.columns[1].numbers[2]));
    CHECK(t.columns[1].min == -30 && t.columns[1].max == 2.5 && t.columns[1].mean == -13.75 && t.columns[1].deviation == 16.25);
    CHECK(is_column(&t, 2, "colour", VN_COLUMN_TEXT) && !strcmp(classes(&t, 2), "blue red | 1 0 1"));
    CHECK(is_column(&t, 3, "day", VN_COLUMN_DATE) && is_column(&t, 4, "note", VN_COLUMN_EMPTY) && t.columns[4].missing == 3);
    CHECK(!strcmp(vn_column_kind_name(VN_COLUMN_DATE), "dates") && !strcmp(vn_column_kind_name(9), "unknown"));
    static const char *const dates[] = {"31.01.2024", "1/31/24", "2024/1/31", "2024-01-31T12:00:00Z", "2024-01-31 07:15", "2024-1-3"};
    static const char *const none[] = {"2024-01",     "1.2.3",       "192.168.0.1",  "2024-01-31x",   "10-20-30-40",   "2024-01/31",
                                       "123-45-6789", "2024-x-1",    "2024-",        "2024-01-",      "2024-01-001",   "1.2.345",
                                       "1.2.",        "2024-01-31T", "2024-01-31Tx", "2024-01-31T12", "2024-01-31T12h"};
    char text[100];
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        snprintf(text, sizeof text, "d,x\n%s,1\n", dates[i]);
        t = table(text, NULL);
        CHECK(is_column(&t, 0, "d", VN_COLUMN_DATE));
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        snprintf(text, sizeof text, "d,x\n%s,1\n", none[i]);
        t = table(text, NULL);
        CHECK(is_column(&t, 0, "d", VN_COLUMN_TEXT));
    }
}

TEST(delimiters)
{
    vn_table t = table("a;b\n1,5;x\n2,25;y\n", NULL);
    CHECK(t.delimiter == ';' && t.decimal == ',' && t.columns[0].numbers[1] == 2.25);
    t = table("1,5;2,5;3,5\n4,5;5,5;6,5\n", NULL);
    CHECK(t.delimiter == ';' && t.n_columns == 3 && !t.header && t.columns[2].numbers[1] == 6.5);
    t = table("a;b\n1.5;x\n2,25;y\n", NULL); /* both: neither can be meant */
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT && t.columns[0].odd_numbers == 2 && strstr(t.columns[0].odd, "both"));
    t = table("a\tb, c\n1\tx\n", NULL);
    CHECK(t.delimiter == '\t' && t.n_columns == 2 && is_column(&t, 1, "b, c", VN_COLUMN_TEXT));
    CHECK(table("a|b\n1|2\n", NULL).delimiter == '|');
    CHECK(table("a b\n1\n2\n", NULL).n_columns == 1);
    CHECK(table("a,b;c\n1,2\n3,4\n", NULL).delimiter == ','); /* a ';' somewhere is none everywhere */
    t = table("a:b\n1:2\n", VN_OPTS(table, .delimiter = ':'));
    CHECK(t.n_columns == 2);
    t = table("a\tb\n1,5\t2\n", VN_OPTS(table, .decimal = ','));
    CHECK(t.columns[0].numbers[0] == 1.5 && t.columns[1].numbers[0] == 2);
    t = table("a\tb\n1\tx \n", NULL); /* blanks belong to no field, tabs separate them */
    CHECK(!strcmp(classes(&t, 1), "x | 0"));
    t = table("a b\n1 2\n", VN_OPTS(table, .delimiter = '\t'));
    CHECK(t.n_columns == 1);
    t = table("a\t\tb\n1\t\t2\n", NULL);
    CHECK(t.n_columns == 3 && t.columns[1].kind == VN_COLUMN_EMPTY);
    t = table("a\tb\n1.5\t2\n", VN_OPTS(table, .decimal = ','));
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT);
    t = table("a;b\n1,5;x\n", VN_OPTS(table, .decimal = '.'));
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT);
    t = table("a;b\n1.000,5;x\n", NULL); /* points that group digits are no numbers */
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT);
    t = table("a;b\n1,0000000000000000000000000000000000000000000000000000000000000005;x\n",
              NULL); /* nor are more digits than anybody writes */
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT);
    t = table("a;b\n1,5,5;x\n", NULL);
    CHECK(t.columns[0].kind == VN_COLUMN_TEXT);
}

TEST(quotes)
{
    vn_table t =
        table("\xef\xbb\xbf\"the name\" , k\r\n\"a \"\"b\"\", c\" ,1\r\n\"two\nlines\",2\r\n\r\n  plain 5\" text ,3\r\n\"\",4", NULL);
    CHECK(t.rows == 4 && is_column(&t, 0, "the name", VN_COLUMN_TEXT) && is_column(&t, 1, "k", VN_COLUMN_NUMBER));
    CHECK(t.columns[0].n_classes == 3 && !strcmp(t.columns[0].classes[0], "a \"b\", c") &&
          !strcmp(t.columns[0].classes[1], "plain 5\" text"));
    CHECK(!strcmp(t.columns[0].classes[2], "two\nlines") && t.columns[0].missing == 1 && t.columns[0].codes[3] == -1);
    CHECK(t.columns[0].missing_line == 7); /* lines of the file, not rows */
    t = table("a,b\r1,2\r3,4\r", NULL);    /* very old files */
    CHECK(t.rows == 2 && t.columns[1].numbers[1] == 4);
    t = table("a,b\r\r1,2\r", NULL);
    CHECK(t.rows == 1 && t.columns[1].numbers[0] == 2);
    t = table("a,b\n1,\"a \"\"long\"\" one\"\n2,\"a \"\"b\"\"\"", NULL); /* the file ends with a quote */
    CHECK(!strcmp(t.columns[1].classes[1], "a \"long\" one") && !strcmp(t.columns[1].classes[0], "a \"b\""));
    CHECK_FAILS(table("\"a,b\n", NULL), VN_E_FORMAT, "line 1, byte 1: a double quote that is never closed: \"a,b ...");
    CHECK_FAILS(table("a,b\n1,\"x", NULL), VN_E_FORMAT, "never closed: \"x ...");
    CHECK_FAILS(table("a,b\r\n1,\"x\r\n2", NULL), VN_E_FORMAT, "never closed: \"x ...");
    CHECK_FAILS(table("a,b\n1,\"one that is longer than what is shown", NULL), VN_E_FORMAT, "never closed: \"one that is longer t ...");
    CHECK_FAILS(table("a\tb\n1\n", VN_OPTS(table, .delimiter = '\t')), VN_E_FORMAT, "1 field, where line 1 has 2 (delimiter 'tab')");
    CHECK_FAILS(table("a,b\n1,\"x\n2,y\n", NULL), VN_E_FORMAT, "t.csv: line 2, byte 3: a double quote that is never closed: \"x ...");
    CHECK_FAILS(table("a,b\n1,\"x\"y\n", NULL), VN_E_FORMAT, "line 2, byte 4: text behind the closing quote");
    CHECK_FAILS(table("a,b\n1,2\n\"x\ny\",2,3\n", NULL), VN_E_FORMAT, "line 3, byte 2: 3 fields, where line 1 has 2 (delimiter ',')");
}

TEST(headers)
{
    CHECK(table("5.1,setosa\n4.9,setosa\n6,virginica\n", NULL).header == 0);
    CHECK(table("size,kind\n4.9,setosa\n6,virginica\n", NULL).header == 1);
    CHECK(table("2019,2020,price\n1,2,3\n", NULL).header == 1); /* one name is enough */
    vn_table t = table("name,kind\nanna,cat\nbert,dog\n", NULL);
    CHECK(t.header == 1 && t.guessed == 1);
    t = table("anna,cat\nbert,dog\ncarl,cat\n", NULL); /* "cat" again: it is no name of a column */
    CHECK(t.header == 0 && is_column(&t, 1, "column 2", VN_COLUMN_TEXT) && t.rows == 3);
    t = table("1,2\n3,4\n", VN_OPTS(table, .header = 1));
    CHECK(t.rows == 1 && is_column(&t, 0, "1", VN_COLUMN_NUMBER));
    t = table("a,b\n3,4\n", VN_OPTS(table, .header = -1));
    CHECK(t.rows == 2 && t.columns[0].kind == VN_COLUMN_TEXT && t.columns[0].odd_numbers == 1 && t.columns[0].odd_line == 1);
    t = table("x,,x,x\n1,2,3,4\n", NULL);
    CHECK(is_column(&t, 0, "x", VN_COLUMN_NUMBER) && is_column(&t, 1, "column 2", VN_COLUMN_NUMBER) &&
          is_column(&t, 2, "x.2", VN_COLUMN_NUMBER) && is_column(&t, 3, "x.3", VN_COLUMN_NUMBER));
    CHECK_FAILS(table("x,x,x.2\n1,2,3\n", NULL), VN_E_FORMAT, "line 1: the name \"x.2\" occurs twice");
    CHECK(table("a,b\n", NULL).rows == 0 && table("1,2\n", NULL).rows == 1);
}

TEST(missing)
{
    vn_table t = table("a,b\nNA,1\n?,2\nN/A,3\n-,4\nnull,5\nNone,6\nnan,7\n8,8\n", NULL);
    CHECK(t.columns[0].kind == VN_COLUMN_NUMBER && t.columns[0].missing == 7 && t.columns[0].mean == 8 && t.columns[0].missing_line == 2);
    t = table("a,b\nunknown,1\n-1,2\n3,3\n", VN_OPTS(table, .na = "unknown, -1"));
    CHECK(t.columns[0].missing == 2 && t.columns[0].kind == VN_COLUMN_NUMBER);
    t = table("a,b\nx  y,1\n-1,2\n3,3\n", VN_OPTS(table, .na = ",y  y, x  y , -1"));
    CHECK(t.columns[0].missing == 2 && t.columns[0].kind == VN_COLUMN_NUMBER);
    static const char *const zip[] = {"zip", "1"};
    for (int i = 0; i < 2; i++) {
        t = table("a,zip\n1,04109\n2,10115\n", VN_OPTS(table, .text = zip[i]));
        CHECK(!strcmp(classes(&t, 1), "04109 10115 | 0 1"));
    }
    t = table("a,b,c\n1,2024-01-31,2024-01-31\n2,5,soon\n", NULL); /* dates and something else */
    CHECK(t.columns[1].kind == VN_COLUMN_TEXT && t.columns[2].kind == VN_COLUMN_TEXT);
    t = table("5,\n6,\n", NULL); /* no names, and the first line has a gap */
    CHECK(!t.header && t.columns[1].kind == VN_COLUMN_EMPTY && t.columns[1].missing_line == 1);
    t = table("a,a,c\nb,a,d\n", NULL); /* one that occurs again is enough */
    CHECK(!t.header);
    t = table("a,b\n1000000000000000,1\n1000000000000001,2\n1000000000000002,3\n", NULL);
    CHECK(!t.columns[0].row_numbers && t.columns[1].row_numbers);
    t = table("a,b\n1,2\n2,\xc3\xa4 text is shown up to its 60th byte in the middle of this:\xc3\xa4\n", NULL);
    CHECK(t.columns[1].odd_numbers == 1 && !strcmp(t.columns[1].odd, "\xc3\xa4 text is shown up to its 60th byte in the middle of this:"));
    t = table("a,b\n1,x\n2,3\n3,4\n", NULL);
    CHECK(t.columns[1].kind == VN_COLUMN_TEXT && t.columns[1].odd_numbers == 2 && !strcmp(t.columns[1].odd, "x") &&
          t.columns[1].odd_line == 2);
    t = table("a,b\n1e308,1\n-1e308,inf\n", NULL); /* no overflow on the way to a mean */
    CHECK(t.columns[0].mean == 0 && t.columns[1].max == 1 && !t.columns[1].whole);
}

TEST(bad_tables)
{
    CHECK_FAILS(table("", NULL), VN_E_FORMAT, "t.csv: the file is empty");
    CHECK_FAILS(table("\n \n\n", NULL), VN_E_FORMAT, "empty");
    CHECK_FAILS(table("a,b\n1,caf\xe9\n", NULL), VN_E_FORMAT, "line 2, byte 3: text that is not UTF-8; convert the file");
    char not_text[100] = "a,b\n1,2\n3,";
    memset(not_text + strlen(not_text), 0x80, 70);
    CHECK_FAILS(table(not_text, NULL), VN_E_FORMAT, "line 3, byte 3: text that is not UTF-8");
    CHECK_FAILS(table("\xe9,b\n1,2\n", NULL), VN_E_FORMAT, "line 1, byte 1: a name that is not UTF-8");
    CHECK_FAILS(table("PK\3\4....", NULL), VN_E_FORMAT, "spreadsheet");
    CHECK_FAILS(table("PAR1....", NULL), VN_E_FORMAT, "Parquet file: write it as CSV with pyarrow");
    CHECK_FAILS(table("\xff\xfe"
                      "a",
                      NULL),
                VN_E_FORMAT, "iconv -f UTF-16");
    write_bytes(in_folder("z.csv"), "a\0b\n", 4);
    vn_table t = {.size = sizeof t};
    CHECK_FAILS(vn_read_table(in_folder("z.csv"), NULL, &t), VN_E_FORMAT, "byte 1: a zero byte");
    CHECK_FAILS(vn_read_table(in_folder("none.csv"), NULL, &t), VN_E_IO, "No such file");
    CHECK_FAILS(vn_read_table(NULL, NULL, &t), VN_E_NULL, "path");
    CHECK_FAILS(vn_read_table(in_folder("z.csv"), &(vn_table_opts){.size = 3}, &t), VN_E_ARG, "size");
    CHECK_FAILS(vn_read_table(in_folder("z.csv"), NULL, NULL), VN_E_NULL, "is NULL");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .delimiter = '"')), VN_E_ARG, "option delimiter");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .delimiter = '5')), VN_E_ARG, "the byte 53");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .delimiter = '\xa4')), VN_E_ARG, "the byte 164");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .decimal = 'x')), VN_E_ARG, "option decimal");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .decimal = ',', .delimiter = ',')), VN_E_ARG, "both");
    CHECK_FAILS(table("a\n", VN_OPTS(table, .header = 2)), VN_E_ARG, "option header is 2");
    CHECK_FAILS(table("a,b\n1,2\n", VN_OPTS(table, .text = "a,c")), VN_E_ARG, "option text names a column \"c\"");
    char *wide = malloc(200001);
    memset(wide, ',', 200000);
    wide[200000] = 0;
    CHECK_FAILS(table(wide, NULL), VN_E_FORMAT, "more than 131072 columns");
    free(wide);
}

/* Many texts, in any order. */
TEST(many_classes)
{
    enum { ROWS = 20000 };
    char *text = malloc(ROWS * 16 + 16), *at = text;
    at += sprintf(at, "k,x\n");
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "t%05d,1\n", (i * 7919) % ROWS);
    vn_table t = table(text, NULL);
    bool good = t.rows == ROWS && t.columns[0].n_classes == ROWS;
    for (int i = 0; good && i < ROWS; i++) good = t.columns[0].codes[i] == (i * 7919) % ROWS && atoi(t.columns[0].classes[i] + 1) == i;
    CHECK(good);
    free(text);
}

static int watch(double done, void *user)
{
    double *last = user;
    if (done < *last) *last = 99;
    else *last = done;
    return last[1] > 0 && done > .25;
}

static int fail(double done, void *user)
{
    (void)done, (void)user;
    vn_zeros(VN_SHAPE(-1), VN_F32);
    return 0;
}

TEST(progress)
{
    const int rows = check_faults ? 1000 : 1500000;
    char *text = malloc((size_t)rows * 8 + 1);
    for (int i = 0; i < rows; i++) memcpy(text + (size_t)i * 8, "1,22,33\n", 8);
    text[(size_t)rows * 8] = 0;
    double last[2] = {0, 0};
    CHECK(table(text, VN_OPTS(table, .progress = watch, .progress_user = last)).rows == rows && last[0] == 1);
    last[0] = 0, last[1] = 1;
    CHECK_FAILS(table(text, VN_OPTS(table, .progress = watch, .progress_user = last)), VN_E_CALLBACK, "the progress function returned 1");
    free(text);
    CHECK_FAILS(table("a,b\n1,2\n", VN_OPTS(table, .progress = fail)), VN_E_SHAPE, "read_table");
}

FOLDER_TEST_MAIN
