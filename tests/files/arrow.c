/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.c: columns through Arrow's C data interface, from structs made by hand: values, offsets, nulls, and hostile structs. Whatever
 * happens, both are released exactly once. */
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
static const void *buffers[6][2];

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

static vn_tree *take_batch(int columns, int64_t rows, int64_t offset)
{
    set(4, "+s", "", rows, NULL, NULL);
    for (int i = 0; i < columns; i++) schema_list[i] = &schemas[i], array_list[i] = &arrays[i];
    schemas[4].n_children = arrays[4].n_children = columns;
    schemas[4].children = schema_list, arrays[4].children = array_list;
    arrays[4].n_buffers = 1, arrays[4].offset = offset;
    released.schemas = released.arrays = 0;
    return vn_from_arrow(&schemas[4], &arrays[4]);
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
        schemas[3].dictionary = &schemas[5]; /* indices of a dictionary are numbers */
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
    vn_tree *t = vn_from_arrow(&schemas[0], &arrays[0]);
    CHECK(vn_item(vn_sum(vn_tree_get(t, "x"), VN_ALL)) == 18 && released.schemas == 1);
}

TEST(refused)
{
    VN_SCOPE;
    static const struct {
        const char *format, *words;
    } formats[] = {{"u", "dictionary_encode"}, {"U", "text"},      {"tdD", "dates"},  {"d:10,2", "float64"}, {"n", "null"},
                   {"", "integers"},           {"gg", "integers"}, {"+l", "integers"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        set(0, formats[i].format, "c", 6, NULL, wide);
        CHECK_FAILS(take_batch(1, 6, 0), VN_E_DTYPE, formats[i].words);
        CHECK(released.schemas == 1 && released.arrays == 1);
    }
    set(0, "g", "a", 6, NULL, wide);
    set(1, "g", "a", 6, NULL, wide);
    CHECK_FAILS(take_batch(2, 6, 0), VN_E_ARG, "the name occurs twice");
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
    CHECK_FAILS(vn_from_arrow(&schemas[4], &arrays[4]), VN_E_FREED, "was released or moved");
    CHECK_FAILS(vn_from_arrow(NULL, NULL), VN_E_NULL, "schema is NULL");
    set(0, "g", "a", 6, NULL, wide);
    released.arrays = 0;
    CHECK_FAILS(vn_from_arrow(NULL, &arrays[0]), VN_E_NULL, "schema is NULL");
    CHECK(released.arrays == 1);
}

TEST_MAIN
