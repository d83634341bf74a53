/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c: numbers from text files, in two passes: one counts lines and fields, one reads the numbers. */
#include "files/files.h"
#include "core/memory.h"
#include "core/state.h"
#include "core/dtype.h"
#include <string.h>
#include <math.h>

typedef struct {
    const vn__file *f;
    vn_csv_opts o;
    vn_dtype dtype;
    const char *at, *end;
    int64_t line;          /* from 1 */
    int64_t rows, columns; /* columns: of the first row */
    void *to;              /* the array; NULL while counting */
} reader;

static int bad(const reader *r, const char *at, const char *what, int64_t have)
{
    return vn__fail(VN_E_FORMAT, "%s: %.300s: line %lld, byte %lld: %s (%lld)", r->f->who, r->f->path, (long long)r->line,
                    (long long)(at - (const char *)r->f->data), what, (long long)have);
}

/* A field, which has no delimiter in it, without surrounding blanks and quotes. */
static void trim(const char **begin, const char **end)
{
    while (*begin < *end && (**begin == ' ' || **begin == '\t')) ++*begin;
    while (*begin < *end && memchr(" \t\r", (*end)[-1], 3)) --*end;
    if (*end - *begin >= 2 && **begin == '"' && (*end)[-1] == '"') ++*begin, --*end;
}

static int read_field(const reader *r, const char *begin, const char *end, int64_t column)
{
    double x = NAN;
    trim(&begin, &end);
    bool empty = begin == end;
    if (empty ? !r->o.empty_nan : !vn__number_parse(begin, (size_t)(end - begin), &x))
        return bad(r, begin, empty ? "an empty field where a number was expected, column" : "not a number, column", column + 1);
    int64_t at = r->rows * r->columns + column;
    if (r->dtype == VN_F32) ((float *)r->to)[at] = (float)x;
    else vn__put_double(r->to, at, (int)r->dtype, x);
    return VN_OK;
}

/* One line that is not empty. */
static int read_row(reader *r, const char *end)
{
    int64_t column = 0;
    for (const char *at = r->at;; at++, column++) {
        const char *stop = memchr(at, r->o.delimiter, (size_t)(end - at));
        if (!stop) stop = end;
        int code = r->to ? read_field(r, at, stop, column) : VN_OK;
        if (code) return code;
        at = stop;
        if (at == end) break;
    }
    column++;
    if (!r->rows && !r->to) r->columns = column;
    if (column != r->columns) return bad(r, r->at, "another number of fields than the first row has", column);
    r->rows++;
    return VN_OK;
}

/* All lines. A byte order mark at the beginning is skipped. */
static int read_lines(reader *r)
{
    const vn__file *f = r->f;
    r->at = (const char *)f->data + (f->size >= 3 && !memcmp(f->data, "\xef\xbb\xbf", 3) ? 3 : 0);
    r->end = (const char *)f->data + f->size;
    r->rows = 0;
    for (r->line = 1; r->at < r->end; r->line++) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at)), *next = end ? end + 1 : r->end;
        if (!end) end = r->end;
        if (end > r->at && end[-1] == '\r') end--;
        bool skip = end == r->at || (r->o.header && r->line == 1);
        int code = skip ? VN_OK : read_row(r, end);
        if (code) return code;
        r->at = next;
    }
    return VN_OK;
}

static vn_array *read_table(reader *r)
{
    if (read_lines(r)) return NULL;
    size_t bytes = (size_t)(r->rows * r->columns) * vn_dtype_size(r->dtype); /* no overflow: a field takes a byte of the file, at least */
    r->to = vn__block_alloc(bytes ? bytes : 1);
    if (!r->to) return vn__fail(VN_E_MEM, "%s: %.300s: no memory for %zu bytes", r->f->who, r->f->path, bytes), NULL;
    if (!read_lines(r)) return vn_wrap(r->to, r->dtype, VN_SHAPE(r->rows, r->columns), vn__block_free, r->to);
    vn__block_free(r->to);
    return NULL;
}

vn_array *vn_read_csv(const char *path, vn_dtype dtype, const vn_csv_opts *opts)
{
    static const char who[] = "read_csv";
    reader r = {.dtype = dtype};
    if (vn__take(&r.o, VN__SIZE_BEFORE(r.o, reserved2), opts, "csv") || VN__FLAGS("csv", VN__FLAG(r.o, header), VN__FLAG(r.o, empty_nan)))
        return NULL;
    if (!r.o.delimiter) r.o.delimiter = ',';
    if (!vn__is_dtype(dtype)) return vn__refuse_dtype(who, dtype), NULL;
    if (!vn__is(dtype, VN_FLOATS))
        return vn__fail(VN_E_DTYPE, "%s: numbers are not read as %s; a float dtype is needed", who, vn_dtype_name(dtype)), NULL;
    if (strchr("\r\n\"+-.0123456789", r.o.delimiter))
        return vn__fail(VN_E_ARG, "%s: fields cannot be separated by the byte %d", who, r.o.delimiter), NULL;
    vn__file *f = vn__file_open(path, true, 0, who); /* both passes must see the same text */
    if (!f) return NULL;
    r.f = f;
    vn_array *x = read_table(&r);
    vn__file_release(f);
    return x;
}
