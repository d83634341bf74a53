/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.c: columns through Arrow's C data interface, from structs made by hand: values, starts, nulls, and hostile structs. Whatever
 * happens, both are released exactly once. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <math.h>
#include <stdlib.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *self);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *self);
    void *private_data;
};

/* A record batch of up to four columns; `released` counts. */
static struct {
    int schemas, arrays;
} released;
static struct ArrowSchema schemas[6], *schema_list[4];
static struct ArrowArray arrays[6], *array_list[4];
static const void *buffers[6][5];

static void release_schema(struct ArrowSchema *self)
{
    released.schemas++;
    self->release = NULL;
}
static void release_array(struct ArrowArray *self)
{
    released.arrays++;
    self->release = NULL;
}

/* Column i, or the batch itself at [4]. */
static void set(int i, const char *format, const char *name, int64_t length, const void *nulls, const void *values)
{
    buffers[i][0] = nulls, buffers[i][1] = values;
    schemas[i] = (struct ArrowSchema){.format = format, .name = name, .release = release_schema};
    arrays[i] = (struct ArrowArray){
        .length = length, .null_count = nulls ? -1 : 0, .n_buffers = 2, .buffers = buffers[i], .release = release_array};
}

static vn_table *batch_table; /* NULL: none is asked for */

static void set_batch(int columns, int64_t rows, int64_t offset)
{
    set(4, "+s", "", rows, NULL, NULL);
    for (int i = 0; i < columns; i++) schema_list[i] = &schemas[i], array_list[i] = &arrays[i];
    schemas[4].n_children = arrays[4].n_children = columns;
    schemas[4].children = schema_list, arrays[4].children = array_list;
    arrays[4].n_buffers = 1, arrays[4].offset = offset;
    released.schemas = released.arrays = 0;
}

static vn_tree *take_batch(int columns, int64_t rows, int64_t offset)
{
    set_batch(columns, rows, offset);
    return vn_from_arrow(&schemas[4], &arrays[4], batch_table);
}

static const double wide[] = {.5, 1.5, 2.5, 3.5, 4.5, 5.5};
static const int32_t whole[] = {10, 11, 12, 13, 14, 15};
static const unsigned char bits[] = {0x2d}; /* 1 0 1 1 0 1 */

TEST(columns)
{
    {
        VN_SCOPE;
        set(0, "g", "wide", 6, NULL, wide);
        set(1, "i", "a/b.c", 6, NULL, whole);
        set(2, "b", "flag", 6, NULL, bits);
        set(3, "i", "codes", 6, NULL, whole);
        vn_tree *t = take_batch(4, 6, 0);
        CHECK(t && vn_tree_leaves(t) == 4 && released.schemas == 1 && released.arrays == 0);
        vn_array *x = vn_tree_get(t, "wide");
        CHECK(vn_dtype_of(x) == VN_F64 && vn_dim(x, 0) == 6 && vn_data(x) == (const void *)wide); /* no copy */
        CHECK(vn_item(vn_sum(vn_tree_get(t, "a_b_c"), VN_ALL)) == 75 &&
              vn_item(vn_sum(vn_cast(vn_tree_get(t, "flag"), VN_I32), VN_ALL)) == 4);
        CHECK(vn_dtype_of(vn_tree_get(t, "flag")) == VN_BOOL && vn_tree_has(t, "codes"));
    }
    CHECK(released.arrays == 1 && released.schemas == 1);
}

TEST(offsets)
{
    VN_SCOPE;
    set(0, "g", "wide", 5, NULL, wide);
    arrays[0].offset = 1;
    set(1, "b", "flag", 5, NULL, bits);
    arrays[1].offset = 1;
    vn_tree *t = take_batch(2, 3, 2); /* rows 3, 4, 5 of the buffers */
    CHECK(vn_item(vn_sum(vn_tree_get(t, "wide"), VN_ALL)) == 13.5 && ((const char *)vn_data(vn_tree_get(t, "flag")))[0] == 1);
    CHECK(((const char *)vn_data(vn_tree_get(t, "flag")))[1] == 0 && ((const char *)vn_data(vn_tree_get(t, "flag")))[2] == 1);
    static const char odd[] = "\0\0\0\200?\0\0\0@"; /* 1.0f, 2.0f, one byte further */
    set(0, "f", "odd", 2, NULL, odd + 1);
    t = take_batch(1, 2, 0);
    CHECK(vn_item(vn_sum(vn_tree_get(t, "odd"), VN_ALL)) == 3);
    set(0, "g", "none", 0, NULL, NULL);
    CHECK(vn_size(vn_tree_get(take_batch(1, 0, 0), "none")) == 0);
}

TEST(nulls)
{
    VN_SCOPE;
    set(0, "g", "wide", 6, bits, wide);
    const double *x = vn_data(vn_tree_get(take_batch(1, 6, 0), "wide"));
    CHECK(x && x[0] == .5 && isnan(x[1]) && x[2] == 2.5 && isnan(x[4]) && x != wide);
    set(0, "i", "whole", 6, bits, whole);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "column \"whole\": a null in row 1; fill nulls first");
    CHECK(released.arrays == 1 && released.schemas == 1);
    static const unsigned char all[] = {0xff};
    set(0, "i", "whole", 6, all, whole); /* a bitmap without nulls */
    CHECK(vn_data(vn_tree_get(take_batch(1, 6, 0), "whole")) == (const void *)whole);
}

TEST(lists)
{
    VN_SCOPE;
    set(5, "g", "item", 6, NULL, wide);
    set(0, "+w:2", "pairs", 3, NULL, NULL);
    static struct ArrowSchema *inner_schema[] = {&schemas[5]};
    static struct ArrowArray *inner_array[] = {&arrays[5]};
    schemas[0].children = inner_schema, arrays[0].children = inner_array;
    schemas[0].n_children = arrays[0].n_children = 1, arrays[0].n_buffers = 1;
    vn_array *x = vn_tree_get(take_batch(1, 2, 1), "pairs");
    CHECK(vn_rank(x) == 2 && vn_dim(x, 0) == 2 && vn_dim(x, 1) == 2 && ((const double *)vn_data(x))[0] == 2.5);
    schemas[0].format = "+w:9999999999";
    CHECK_FAILS(take_batch(1, 3, 0), VN_E_ARG, "without a size");
    schemas[0].format = "+w:3"; /* nine values of six */
    CHECK_FAILS(take_batch(1, 3, 0), VN_E_ARG, "fewer rows");
    /* a column alone */
    set(0, "g", NULL, 6, NULL, wide);
    released.schemas = released.arrays = 0;
    vn_tree *t = vn_from_arrow(&schemas[0], &arrays[0], NULL);
    CHECK(vn_item(vn_sum(vn_tree_get(t, "x"), VN_ALL)) == 18 && released.schemas == 1);
}

/* Column i of texts, of these rows. */
static void set_texts(int i, const char *name, int64_t rows, const void *nulls, const int32_t *starts, const char *texts)
{
    set(i, "u", name, rows, nulls, starts);
    buffers[i][2] = texts, arrays[i].n_buffers = 3;
}

static const int32_t starts[] = {0, 4, 8, 8, 11, 15, 15};
static const char texts[] = "roseiris\xc3\xa4hrose"; /* rose, iris, "", äh, rose, "" */
static const int64_t wide_offsets[] = {0, 4, 8, 8, 11, 15, 15};

static int same_codes(vn_array *x, const int32_t *expected, int64_t n)
{
    const int32_t *codes = x ? vn_data(x) : NULL;
    int same = codes && vn_dtype_of(x) == VN_I32 && vn_size(x) == n;
    for (int64_t i = 0; i < n && same; i++) same = codes[i] == expected[i];
    return same;
}

TEST(text)
{
    VN_SCOPE;
    static const int32_t all[] = {2, 1, 0, 3, 2, 0};
    set_texts(0, "flower", 6, NULL, starts, texts);
    set(1, "U", "large", 6, NULL, wide_offsets);
    buffers[1][2] = texts, arrays[1].n_buffers = 3;
    vn_tree *t = take_batch(2, 6, 0);
    CHECK(t && same_codes(vn_tree_get(t, "flower"), all, 6) && same_codes(vn_tree_get(t, "large"), all, 6));
    CHECK(released.schemas == 1 && released.arrays == 1); /* nothing aliases it */
    set_texts(0, "flower", 6, NULL, starts, texts);
    CHECK(same_codes(vn_tree_get(take_batch(1, 2, 3), "flower"), (const int32_t[]){1, 0}, 2)); /* äh, rose */
    set_texts(0, "flower", 6, bits, starts, texts);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "column \"flower\": a null in row 1");
    set_texts(0, "flower", 0, NULL, NULL, NULL);
    CHECK(vn_size(vn_tree_get(take_batch(1, 0, 0), "flower")) == 0);
}

/* A dictionary of iris, rose, tulip, in another order. */
static const int32_t word_offsets[] = {0, 4, 9, 13};
static const char words[] = "rosetulipiris";
static const int8_t picks[] = {0, 2, 0, 0, 2, 0};

static void set_dictionary(int i, const char *name, const void *nulls, const int8_t *indices)
{
    set_texts(5, "", 3, NULL, word_offsets, words);
    set(i, "c", name, 6, nulls, indices);
    schemas[i].dictionary = &schemas[5], arrays[i].dictionary = &arrays[5];
}

TEST(dictionaries)
{
    VN_SCOPE;
    set_dictionary(0, "flower", NULL, picks);
    CHECK(same_codes(vn_tree_get(take_batch(1, 6, 0), "flower"), (const int32_t[]){1, 0, 1, 1, 0, 1}, 6));
    static const int8_t outside[] = {0, 3, 0, 0, 0, 0}, negative[] = {0, -1, 0, 0, 0, 0};
    set_dictionary(0, "flower", NULL, outside);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "outside the dictionary");
    set_dictionary(0, "flower", NULL, negative);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "outside the dictionary");
    set_dictionary(0, "flower", NULL, picks);
    arrays[0].dictionary = NULL;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "a dictionary without its texts");
    set_dictionary(0, "flower", NULL, picks);
    schemas[5].dictionary = &schemas[0];
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "of dictionaries");
    set_dictionary(0, "flower", NULL, picks);
    schemas[0].format = "g";
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_DTYPE, "no integers");
    set_dictionary(0, "flower", NULL, picks);
    set(5, "g", "", 6, NULL, wide); /* its indices are not the column's numbers */
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_DTYPE, "a dictionary of something else than text");
    set_dictionary(0, "flower", NULL, picks);
    arrays[5].length = -1;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "");
    CHECK(released.schemas == 1 && released.arrays == 1);
}

/* Views of texts: short ones are in the view, long ones in one of two buffers. */
typedef struct {
    int32_t length;
    char begin[4];
    int32_t buffer, offset;
} view;
static const char long_texts[2][40] = {"..a rose is a rose is a rose", "lilies of the valley"};
static const view views[] = {{26, "a ro", 0, 2}, {4, "iris", 0, 0}, {0}, {20, "lili", 1, 0}, {26, "a ro", 0, 2}, {4, "iris", 0, 0}};

static void set_views(int i, int64_t rows, const void *nulls, const view *all)
{
    static const int64_t sizes[] = {28, 20};
    set(i, "vu", "flower", rows, nulls, all);
    buffers[i][2] = long_texts[0], buffers[i][3] = long_texts[1], buffers[i][4] = sizes, arrays[i].n_buffers = 5;
}

TEST(text_views)
{
    VN_SCOPE;
    set_views(0, 6, NULL, views); /* "", "a rose ...", "iris", "lilies ..." */
    CHECK(same_codes(vn_tree_get(take_batch(1, 6, 0), "flower"), (const int32_t[]){1, 2, 0, 3, 1, 2}, 6));
    CHECK(released.schemas == 1 && released.arrays == 1);
    set_views(0, 6, NULL, views);
    CHECK(same_codes(vn_tree_get(take_batch(1, 2, 3), "flower"), (const int32_t[]){1, 0}, 2));
    set_views(0, 6, bits, views);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "a null in row 1");
    set_views(5, 4, NULL, views);
    static const int8_t four[] = {3, 3, 0, 1, 2, 0};
    set(0, "c", "flower", 6, NULL, four);
    schemas[0].dictionary = &schemas[5], arrays[0].dictionary = &arrays[5];
    CHECK(same_codes(vn_tree_get(take_batch(1, 6, 0), "flower"), (const int32_t[]){3, 3, 1, 2, 0, 1}, 6));
    set(0, "vu", "flower", 1, NULL, &views[1]); /* no buffers of texts */
    buffers[0][2] = NULL, arrays[0].n_buffers = 3;
    CHECK(same_codes(vn_tree_get(take_batch(1, 1, 0), "flower"), (const int32_t[]){0}, 1));
}

TEST(hostile_views)
{
    VN_SCOPE;
    static const view wrong[] = {{-1, "", 0, 0},  {13, "", 2, 0}, {13, "", -1, 0},
                                 {13, "", 0, -1}, {27, "", 0, 2}, {INT32_MAX, "", 1, INT32_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set_views(0, 1, NULL, &wrong[i]);
        CHECK_FAILS(take_batch(1, 1, 0), VN_E_ARG, "a text outside its buffers");
        CHECK(released.schemas == 1 && released.arrays == 1);
    }
    for (int missing = 3; missing <= 4; missing++) { /* the second buffer, the sizes */
        set_views(0, 6, NULL, views);
        buffers[0][missing] = NULL;
        CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "a text outside its buffers");
    }
    set_views(0, 6, NULL, views);
    arrays[0].n_buffers = 2;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "buffers");
    set_views(0, 6, NULL, NULL);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_NULL, "offsets of its texts are NULL");
}

TEST(hostile_texts)
{
    VN_SCOPE;
    static const int32_t descending[] = {0, 4, 2, 8, 8, 8, 8}, below[] = {-4, 0, 0, 0, 0, 0, 0};
    set_texts(0, "c", 6, NULL, descending, texts);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "do not ascend");
    set_texts(0, "c", 6, NULL, below, texts);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "do not ascend");
    set_texts(0, "c", 6, NULL, starts, NULL);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_NULL, "its texts are NULL");
    set_texts(0, "c", 6, NULL, NULL, texts);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_NULL, "offsets of its texts are NULL");
    set_texts(0, "c", 6, NULL, starts, "roseiris\xff\xffxrose");
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "not UTF-8");
    set_texts(0, "c", 6, NULL, starts, "ro\0eiris\xc3\xa4hrose");
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "the character 0");
    set_texts(0, "c", 6, NULL, starts, texts);
    arrays[0].n_buffers = 2;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "buffers");
    set_texts(0, "c", 6, NULL, (const int32_t *)(const void *)((const char *)starts + 1), texts);
    CHECK_FAILS(take_batch(1, 5, 0), VN_E_ARG, "not aligned");
    set_texts(0, "c", INT64_MAX, NULL, starts, texts);
    CHECK_FAILS(take_batch(1, INT64_MAX, 0), VN_E_SHAPE, "too many rows");
    CHECK(released.schemas == 1 && released.arrays == 1);
}

/* The same columns as a table, and a dataset of it. */
TEST(tables)
{
    VN_SCOPE;
    vn_table table = {.size = sizeof table};
    batch_table = &table;
    set(0, "g", "wide", 6, NULL, wide);
    set(1, "i", "whole", 6, bits, whole);
    set(2, "b", "flag", 6, NULL, bits);
    set_dictionary(3, "flower", bits, picks);
    vn_tree *t = take_batch(4, 6, 0);
    CHECK(t && table.rows == 6 && table.n_columns == 4 && table.header);
    const vn_column *c = table.columns;
    CHECK(!strcmp(c[0].name, "wide") && c[0].kind == VN_COLUMN_NUMBER && c[0].mean == 3 && !c[0].whole && c[0].missing == 0);
    CHECK(c[1].missing == 2 && c[1].missing_line == 2 && isnan(c[1].numbers[1]) && c[1].numbers[2] == 12 && c[1].whole);
    CHECK(c[2].numbers[0] == 1 && c[2].numbers[1] == 0);
    CHECK(c[3].kind == VN_COLUMN_TEXT && c[3].n_classes == 3 && !strcmp(c[3].classes[0], "iris") && !strcmp(c[3].classes[2], "tulip"));
    CHECK(c[3].codes[0] == 1 && c[3].codes[1] == -1 && c[3].missing == 2);
    const double *filled = vn_data(vn_tree_get(t, "whole"));
    CHECK(vn_dtype_of(vn_tree_get(t, "whole")) == VN_F64 && isnan(filled[1]) && filled[5] == 15);
    CHECK(same_codes(vn_tree_get(t, "flower"), (const int32_t[]){1, -1, 1, 1, -1, 1}, 6));
    vn_dataset *d = vn_dataset_of_table(&table, VN_OPTS(dataset, .missing = VN_MISSING_DROP, .kind = VN_TARGET_CLASS));
    vn_dataset_info info = {.size = sizeof info};
    CHECK(d && !vn_dataset_look(d, &info) && info.rows == 4 && info.classes == 3 && !strcmp(info.class_names[1], "rose"));
    CHECK(!strcmp(info.target, "flower") && info.n_columns == 3);
    set(5, "g", "item", 6, NULL, wide);
    set(0, "+w:2", "pairs", 3, NULL, NULL);
    CHECK_FAILS(take_batch(1, 3, 0), VN_E_DTYPE, "");
    vn_table without = {0};
    batch_table = &without;
    set(0, "g", "wide", 6, NULL, wide);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "size");
    CHECK(released.schemas == 1 && released.arrays == 1);
    batch_table = NULL;
}

/* All values of a column are missing. */
TEST(only_nulls)
{
    VN_SCOPE;
    vn_table table = {.size = sizeof table};
    batch_table = &table;
    static const unsigned char none[] = {0};
    set(0, "i", "nothing", 6, none, whole);
    vn_tree *t = take_batch(1, 6, 0);
    CHECK(t && table.columns[0].kind == VN_COLUMN_EMPTY && isnan(((const double *)vn_data(vn_tree_get(t, "nothing")))[3]));
    batch_table = NULL;
}

/* The list of scopes is full, and the call needs one more. */
TEST(many_scopes)
{
    VN_SCOPE;
    vn_scope last = 0;
    while (last >= 0 && last < 64) last = vn_scope_begin();
    set(0, "g", "wide", 6, NULL, wide);
    CHECK(vn_item(vn_sum(vn_tree_get(take_batch(1, 6, 0), "wide"), VN_ALL)) == 18);
}

TEST(refused)
{
    VN_SCOPE;
    static const struct {
        const char *format, *words;
    } formats[] = {{"tdD", "dates"}, {"d:10,2", "float64"}, {"n", "null"}, {"", "integers"}, {"gg", "integers"}, {"+l", "integers"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        set(0, formats[i].format, "c", 6, NULL, wide);
        CHECK_FAILS(take_batch(1, 6, 0), VN_E_DTYPE, formats[i].words);
        CHECK(released.schemas == 1 && released.arrays == 1);
    }
    set(0, "g", "a", 6, NULL, wide);
    set(1, "g", "a", 6, NULL, wide);
    CHECK_FAILS(take_batch(2, 6, 0), VN_E_ARG, "the name occurs twice");
    set(0, "g", "a.b", 6, NULL, wide);
    set(1, "g", "a/b", 6, NULL, wide);
    CHECK_FAILS(take_batch(2, 6, 0), VN_E_ARG, "is another column's");
    set(0, "g", "a", 6, NULL, wide);
    CHECK(released.schemas == 1 && released.arrays == 1);
    CHECK_FAILS(take_batch(1, 7, 0), VN_E_ARG, "fewer rows");
    CHECK_FAILS(take_batch(1, 6, 1), VN_E_ARG, "fewer rows");
    CHECK_FAILS(take_batch(1, 6, INT64_MAX), VN_E_ARG, "");
    CHECK_FAILS(take_batch(1, -1, 0), VN_E_ARG, "below 0");
    arrays[0].offset = INT64_MAX - 2;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "fewer rows");
    set(0, "g", "a", 6, NULL, wide);
    arrays[0].n_buffers = 3;
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "buffers");
    set(0, "g", "a", 6, NULL, NULL);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_NULL, "values are NULL");
    set(0, "g", "a\xff", 6, NULL, wide);
    CHECK_FAILS(take_batch(1, 6, 0), VN_E_ARG, "UTF-8");
    CHECK(released.schemas == 1 && released.arrays == 1);
    CHECK_FAILS(vn_from_arrow(&schemas[4], &arrays[4], NULL), VN_E_FREED, "was released or moved");
    CHECK_FAILS(vn_from_arrow(NULL, NULL, NULL), VN_E_NULL, "schema is NULL");
    set(0, "g", "a", 6, NULL, wide);
    released.arrays = 0;
    CHECK_FAILS(vn_from_arrow(NULL, &arrays[0], NULL), VN_E_NULL, "schema is NULL");
    CHECK(released.arrays == 1);
}

/* A batch of one column, the first, which `edit` has changed, is refused, and everything is released. */
#define REFUSED(edit, rows, code, text)                       \
    do {                                                      \
        set(0, "g", "a", 6, NULL, wide);                      \
        edit;                                                 \
        CHECK_FAILS(take_batch(1, rows, 0), code, text);      \
        CHECK(released.schemas == 1 && released.arrays == 1); \
    } while (0)

TEST(hostile_columns)
{
    VN_SCOPE;
    static char name[1026];
    memset(name, 'n', 1025);
    REFUSED(arrays[0].offset = -1, 6, VN_E_ARG, "below 0");
    REFUSED(arrays[0].null_count = -2, 6, VN_E_ARG, "below 0");
    REFUSED(arrays[0].buffers = NULL, 6, VN_E_ARG, "buffers");
    REFUSED(arrays[0].n_children = 1, 6, VN_E_ARG, "another number of children");
    REFUSED(schemas[0].n_children = 1, 6, VN_E_ARG, "another number of children");
    REFUSED(schemas[0].name = name, 6, VN_E_ARG, "the name is too long");
    REFUSED(schemas[0].format = NULL, 6, VN_E_NULL, "its schema or array is NULL");
    REFUSED(arrays[0].length = INT64_MAX / 4, INT64_MAX / 4, VN_E_SHAPE, "too many rows");
    REFUSED(arrays[0].offset = INT64_MAX / 8, 6, VN_E_SHAPE, "too many rows");
    REFUSED((set(0, "c", "a", INT64_MAX / 16, NULL, wide), arrays[0].offset = 1), INT64_MAX / 16, VN_E_SHAPE, "too many rows");
    set(0, "g", "", 6, NULL, wide);
    CHECK(vn_tree_has(take_batch(1, 6, 0), "column 1"));
    set(0, "g", NULL, 6, NULL, wide);
    CHECK(vn_tree_has(take_batch(1, 6, 0), "column 1"));
    set(0, "i", "a", 6, NULL, whole); /* nulls that are not counted, and no bits for them */
    arrays[0].null_count = -1;
    CHECK(vn_item(vn_sum(vn_tree_get(take_batch(1, 6, 0), "a"), VN_ALL)) == 75);
}

TEST(hostile_batches)
{
    VN_SCOPE;
    static const struct {
        int64_t columns;
        vn_code code;
        const char *text;
    } counts[] = {{-1, VN_E_ARG, "too many columns"}, {(1 << 20) + 1, VN_E_ARG, "too many columns"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        set_batch(0, 6, 0);
        schemas[4].n_children = arrays[4].n_children = counts[i].columns;
        CHECK_FAILS(vn_from_arrow(&schemas[4], &arrays[4], NULL), counts[i].code, counts[i].text);
        CHECK(released.schemas == 1 && released.arrays == 1);
    }
    for (int missing = 0; missing < 5; missing++) { /* the lists of children, one of them, the bits */
        set(0, "g", "a", 6, NULL, wide);
        set_batch(1, 6, 0);
        if (missing == 0) schemas[4].children = NULL;
        if (missing == 1) arrays[4].children = NULL;
        if (missing == 2) schema_list[0] = NULL;
        if (missing == 3) array_list[0] = NULL;
        if (missing == 4) buffers[4][0] = bits, arrays[4].null_count = -1;
        CHECK_FAILS(vn_from_arrow(&schemas[4], &arrays[4], NULL), missing < 2 || missing > 3 ? VN_E_ARG : VN_E_NULL,
                    missing < 2   ? "another number of children"
                    : missing < 4 ? "its schema or array is NULL"
                                  : "a row that is null");
        CHECK(released.schemas == 1 && released.arrays == 1);
    }
    set(0, "g", "a", 6, NULL, wide);
    schemas[0].format = NULL;
    CHECK_FAILS(vn_from_arrow(&schemas[0], &arrays[0], NULL), VN_E_NULL, "the schema has no format");
    set(0, "g", "a", 6, NULL, wide);
    schemas[0].release = NULL;
    CHECK_FAILS(vn_from_arrow(&schemas[0], &arrays[0], NULL), VN_E_FREED, "schema was released or moved");
    set(0, "g", "a", 6, NULL, wide);
    arrays[0].release = NULL;
    CHECK_FAILS(vn_from_arrow(&schemas[0], &arrays[0], NULL), VN_E_FREED, "array was released or moved");
    set(0, "g", "a", 6, NULL, wide);
    released.schemas = 0;
    CHECK_FAILS(vn_from_arrow(&schemas[0], NULL, NULL), VN_E_NULL, "array is NULL");
    CHECK(released.schemas == 1);
}

/* A list of n numbers a row, of the column at [5]. */
static void set_list(const char *format, int64_t rows)
{
    static struct ArrowSchema *inner_schema[1];
    static struct ArrowArray *inner_array[1];
    inner_schema[0] = &schemas[5], inner_array[0] = &arrays[5];
    set(5, "g", "item", 6, NULL, wide);
    set(0, format, "pairs", rows, NULL, NULL);
    schemas[0].children = inner_schema, arrays[0].children = inner_array;
    schemas[0].n_children = arrays[0].n_children = 1, arrays[0].n_buffers = 1;
}

TEST(hostile_lists)
{
    VN_SCOPE;
    const int64_t many = INT64_C(1) << 33;
    REFUSED(set_list("+w:2x", 3), 3, VN_E_ARG, "without a size");
    REFUSED(set_list("+w:0", 3), 3, VN_E_ARG, "without a size");
    REFUSED((set_list("+w:2", 3), arrays[0].n_buffers = 2), 3, VN_E_ARG, "buffers");
    REFUSED((set_list("+w:2", 3), arrays[0].children = NULL), 3, VN_E_ARG, "children");
    REFUSED((set_list("+w:2", 3), schemas[0].children = NULL), 3, VN_E_ARG, "children");
    REFUSED((set_list("+w:2", 3), buffers[0][0] = bits, arrays[0].null_count = -1), 3, VN_E_ARG, "a list that is null");
    REFUSED((set_list("+w:2", 3), schemas[0].children[0] = NULL), 3, VN_E_NULL, "a list without values");
    REFUSED((set_list("+w:2", 3), arrays[0].children[0] = NULL), 3, VN_E_NULL, "a list without values");
    REFUSED((set_list("+w:2", 3), schemas[5].format = NULL), 3, VN_E_NULL, "a list without values");
    REFUSED(set_list("+w:2147483647", many), many, VN_E_SHAPE, "too many rows");
    REFUSED((set_list("+w:2147483647", 3), arrays[0].offset = many), 3, VN_E_SHAPE, "too many rows");
    /* the numbers before it and its own have room, but not both */
    REFUSED((set_list("+w:2147483647", many / 4), arrays[0].offset = many / 2), many / 4, VN_E_ARG, "fewer rows");
}

TEST(hostile_dictionaries)
{
    VN_SCOPE;
    REFUSED((set_dictionary(0, "a", NULL, picks), schemas[5].format = NULL), 6, VN_E_DTYPE, "a dictionary of something else than text");
    REFUSED((set_dictionary(0, "a", NULL, picks), schemas[0].format = "u"), 6, VN_E_DTYPE, "no integers");
    REFUSED((set_dictionary(0, "a", NULL, picks), arrays[0].n_buffers = 3), 6, VN_E_ARG, "buffers");
    REFUSED(set_dictionary(0, "a", NULL, NULL), 6, VN_E_NULL, "its values are NULL");
    REFUSED((set_dictionary(0, "a", NULL, picks), arrays[5].length = INT64_C(1) << 31), 6, VN_E_ARG, "too large a dictionary");
    set_dictionary(0, "a", NULL, NULL);
    CHECK(vn_size(vn_tree_get(take_batch(1, 0, 0), "a")) == 0);
    static const int32_t empty[] = {0, 0, 0};
    set_texts(0, "a", 2, NULL, empty, NULL); /* empty texts need no memory */
    CHECK(same_codes(vn_tree_get(take_batch(1, 2, 0), "a"), (const int32_t[]){0, 0}, 2));
    set_texts(0, "a", 2, NULL, empty, NULL);
    arrays[0].null_count = -1;
    CHECK(same_codes(vn_tree_get(take_batch(1, 2, 0), "a"), (const int32_t[]){0, 0}, 2));
}

TEST(hostile_tables)
{
    VN_SCOPE;
    vn_table table = {.size = sizeof table};
    batch_table = &table;
    REFUSED(arrays[0].n_buffers = 3, 6, VN_E_ARG, "buffers");
    REFUSED(set(0, "g", "a", 6, NULL, NULL), 6, VN_E_NULL, "its values are NULL");
    REFUSED(set(0, "g", "a\xff", 6, NULL, wide), 6, VN_E_ARG, "UTF-8");
    REFUSED(arrays[0].length = INT64_MAX / 4, INT64_MAX / 4, VN_E_SHAPE, "too many rows");
    set(0, "g", "a", 6, bits, wide); /* floats have a value for what is missing */
    CHECK(isnan(((const double *)vn_data(vn_tree_get(take_batch(1, 6, 0), "a")))[1]) && table.columns[0].missing == 2);
    static const unsigned char none[] = {0};
    set_texts(0, "a", 6, none, starts, texts);
    CHECK(same_codes(vn_tree_get(take_batch(1, 6, 0), "a"), (const int32_t[]){-1, -1, -1, -1, -1, -1}, 6));
    CHECK(table.columns[0].kind == VN_COLUMN_EMPTY);
    set(0, "g", "a", 0, NULL, NULL);
    CHECK(vn_size(vn_tree_get(take_batch(1, 0, 0), "a")) == 0 && table.rows == 0);

    enum { COLUMNS = (1 << 17) + 1 };
    struct ArrowSchema **all_schemas = malloc(COLUMNS * sizeof *all_schemas);
    struct ArrowArray **all_arrays = malloc(COLUMNS * sizeof *all_arrays);
    set(0, "g", "a", 6, NULL, wide);
    set_batch(1, 6, 0);
    for (int i = 0; i < COLUMNS; i++) all_schemas[i] = &schemas[0], all_arrays[i] = &arrays[0];
    schemas[4].n_children = arrays[4].n_children = COLUMNS, schemas[4].children = all_schemas, arrays[4].children = all_arrays;
    CHECK_FAILS(vn_from_arrow(&schemas[4], &arrays[4], &table), VN_E_ARG, "131073 columns; a table has at most 131072");
    free(all_schemas);
    free(all_arrays);
    batch_table = NULL;
}

TEST_MAIN
