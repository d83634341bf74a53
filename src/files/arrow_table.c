/* SPDX-License-Identifier: Apache-2.0 */
/* arrow_table.c: Arrow's columns as those of a table: texts as classes with names, numbers as double, nulls as missing values. */
#include "files/arrow.h"
#include "files/table.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

static const char who[] = VN__FROM_ARROW;

/* ---- texts ---- */

static bool is_view(const char *format)
{
    return !strcmp(format, "vu");
}

static bool is_utf8_format(const char *format)
{
    return format && (!strcmp(format, "u") || !strcmp(format, "U") || is_view(format));
}

bool vn__arrow_is_text(const vn__arrow *c)
{
    return is_utf8_format(c->schema->dictionary ? c->schema->dictionary->format : c->schema->format);
}

/* A text of a column of views: 16 bytes with its length and either the text, of at most 12 bytes, or where it is: in which of the buffers
 * between the views and the last, which has their sizes, and at which offset. */
static int view_at(const vn__arrow *c, int64_t row, const char **text, size_t *n)
{
    const struct ArrowArray *a = c->array;
    const char *view = (const char *)a->buffers[1] + 16 * (size_t)(a->offset + c->first + row);
    int32_t words[4]; /* length, the first bytes, buffer, offset */
    int64_t size = 0;
    memcpy(words, view, sizeof words);
    *text = view + 4, *n = words[0] < 0 ? 0 : (size_t)words[0];
    if (words[0] >= 0 && words[0] <= 12) return VN_OK;
    const char *sizes = a->buffers[a->n_buffers - 1], *data = NULL;
    if (sizes && words[2] >= 0 && words[2] < a->n_buffers - 3) {
        memcpy(&size, sizes + 8 * (size_t)words[2], sizeof size);
        data = a->buffers[2 + words[2]];
    }
    if (words[0] < 0 || words[3] < 0 || !data || (int64_t)words[3] + words[0] > size)
        return vn__arrow_bad(c, VN_E_ARG, "a text outside its buffers");
    *text = data + words[3];
    return VN_OK;
}

/* A text of a utf8 column that has been checked; its offsets come from outside. */
static int text_at(const vn__arrow *c, int64_t row, const char **text, size_t *n)
{
    if (is_view(c->schema->format)) return view_at(c, row, text, n);
    const int64_t i = c->array->offset + c->first + row;
    const bool large = c->schema->format[0] == 'U';
    const void *offsets = c->array->buffers[1];
    const int64_t begin = large ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
    const int64_t end = large ? ((const int64_t *)offsets)[i + 1] : ((const int32_t *)offsets)[i + 1];
    const char *data = c->array->buffers[2];
    if (begin < 0 || end < begin) return vn__arrow_bad(c, VN_E_ARG, "offsets of its texts that do not ascend");
    if (!data && end > begin) return vn__arrow_bad(c, VN_E_NULL, "its texts are NULL");
    *text = data ? data + begin : "", *n = (size_t)(end - begin);
    return VN_OK;
}

/* The class of each row's text; -1 for a null. */
static int number_texts(const vn__arrow *c, vn__classes *classes, int32_t *codes)
{
    const bool views = is_view(c->schema->format);
    int code = vn__arrow_check(c, views && c->array->n_buffers > 3 ? c->array->n_buffers : 3, 0);
    const void *offsets = code || !c->rows ? "" : c->array->buffers[1];
    if (!offsets) return vn__arrow_bad(c, VN_E_NULL, "the offsets of its texts are NULL");
    if ((uintptr_t)offsets % (c->schema->format[0] == 'U' ? 8 : 4) && c->rows && !code && !views)
        return vn__arrow_bad(c, VN_E_ARG, "the offsets of its texts are not aligned");
    for (int64_t row = 0; row < c->rows && !code; row++) {
        const char *text = "";
        size_t n = 0;
        codes[row] = -1;
        if (vn__arrow_is_null(c, row)) continue;
        code = text_at(c, row, &text, &n);
        if (!code && memchr(text, 0, n)) code = vn__arrow_bad(c, VN_E_ARG, "a text with the character 0 in it");
        if (!code) code = vn__classes_put(classes, text, n, who, &codes[row]);
        if (!code && codes[row] < 0) code = vn__arrow_bad(c, VN_E_ARG, "a text that is not UTF-8");
    }
    return code;
}

/* The same through a dictionary: the classes are its texts, whether they occur or not. */
static int number_indices(const vn__arrow *c, vn__classes *classes, int32_t *codes)
{
    const int dtype = vn__arrow_dtype(c->schema->format);
    const vn__arrow d = {.schema = c->schema->dictionary,
                         .array = c->array->dictionary,
                         .name = c->name,
                         .rows = c->array->dictionary ? c->array->dictionary->length : 0};
    if (!d.array || d.schema->dictionary || d.rows < 0)
        return vn__arrow_bad(c, VN_E_ARG, "a dictionary without its texts, or of dictionaries");
    if (dtype < 0 || !vn__is(dtype, VN_INTS)) return vn__arrow_bad(c, VN_E_DTYPE, "the indices of a dictionary are no integers");
    int code = vn__arrow_check(c, 2, 0);
    const void *data = code || !c->rows ? "" : c->array->buffers[1];
    if (!data) return vn__arrow_bad(c, VN_E_NULL, "its values are NULL");
    if (d.rows > INT32_MAX) return vn__arrow_bad(c, VN_E_ARG, "too large a dictionary");
    int32_t *of = code ? NULL : vn__alloc(((size_t)d.rows + 1) * sizeof *of);
    if (!of) return code ? code : vn__no_memory(who);
    code = number_texts(&d, classes, of);
    for (int64_t row = 0; row < c->rows && !code; row++) {
        codes[row] = -1;
        if (vn__arrow_is_null(c, row)) continue;
        const double index = vn__get_double(data, c->array->offset + c->first + row, dtype);
        if (!(index >= 0 && index < (double)d.rows)) code = vn__arrow_bad(c, VN_E_ARG, "an index outside the dictionary");
        else codes[row] = of[(int64_t)index];
    }
    vn__free(of);
    return code;
}

int vn__arrow_texts(const vn__arrow *c, vn_column *to)
{
    if (c->rows > INT64_MAX / 16 - 1) return vn__arrow_bad(c, VN_E_SHAPE, "too many rows");
    int32_t *codes = vn__scope_memory(((size_t)c->rows + 1) * sizeof *codes, who);
    vn__classes *classes = codes ? vn__classes_new(who) : NULL;
    if (!classes) return vn_status();
    int code = c->schema->dictionary ? number_indices(c, classes, codes) : number_texts(c, classes, codes);
    if (!code) code = vn__classes_finish(classes, to, codes, c->rows, who);
    vn__classes_free(classes);
    return code;
}

/* ---- numbers ---- */

int vn__arrow_numbers(const vn__arrow *c, vn_column *to)
{
    const int dtype = vn__arrow_numeric(c);
    if (dtype < 0) return vn_status();
    int code = vn__arrow_check(c, 2, 0);
    if (code) return code;
    if (c->rows > INT64_MAX / 16 - 1) return vn__arrow_bad(c, VN_E_SHAPE, "too many rows");
    const void *data = c->array->buffers[1];
    double *numbers = vn__scope_memory(((size_t)c->rows + 1) * sizeof *numbers, who);
    if (!numbers) return vn_status();
    if (!data && c->rows) return vn__arrow_bad(c, VN_E_NULL, "its values are NULL");
    for (int64_t row = 0; row < c->rows; row++) {
        const int64_t i = c->array->offset + c->first + row;
        if (vn__arrow_is_null(c, row)) numbers[row] = NAN;
        else numbers[row] = dtype == VN_BOOL ? vn__arrow_bit(data, i) : vn__get_double(data, i, dtype);
    }
    to->numbers = numbers;
    vn__measure_column(to, c->rows);
    return VN_OK;
}

/* ---- columns ---- */

static int fill_column(const vn__arrow *c, int64_t i, vn_column *to)
{
    char name[1025];
    int code = vn__arrow_name(c, i, name);
    char *copy = code ? NULL : vn__scope_memory(strlen(name) + 1, who);
    if (!copy) return code ? code : (int)vn_status();
    *to = (vn_column){.name = strcpy(copy, name), .kind = vn__arrow_is_text(c) ? VN_COLUMN_TEXT : VN_COLUMN_NUMBER};
    code = to->kind == VN_COLUMN_TEXT ? vn__arrow_texts(c, to) : vn__arrow_numbers(c, to);
    for (int64_t row = 0; row < c->rows && !code; row++) {
        if (to->kind == VN_COLUMN_TEXT ? to->codes[row] >= 0 : !isnan(to->numbers[row])) continue;
        if (!to->missing++) to->missing_line = row + 1;
    }
    if (!code && to->missing == c->rows) to->kind = VN_COLUMN_EMPTY, to->numbers = NULL, to->codes = NULL;
    return code;
}

int vn__arrow_table(const vn__arrow *columns, int64_t n, int64_t rows, vn_table *to)
{
    if (n > VN__MAX_COLUMNS) return vn__fail(VN_E_ARG, "%s: %lld columns; a table has at most %d", who, (long long)n, VN__MAX_COLUMNS);
    vn_column *all = vn__scope_memory(((size_t)n + 1) * sizeof *all, who);
    int code = all ? VN_OK : (int)vn_status();
    for (int64_t i = 0; i < n && !code; i++) code = fill_column(&columns[i], i, &all[i]);
    if (code) return code;
    const vn_table table = {.size = sizeof table,
                            .rows = rows,
                            .n_columns = (int)n,
                            .columns = all,
                            .delimiter = ',',
                            .decimal = '.',
                            .header = 1,
                            .path = "the record batch"};
    return VN__GIVE(who, vn_table, to, &table);
}
