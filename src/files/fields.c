/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c: splits the text of a table into fields, as RFC 4180 says and people write it, and guesses the delimiter. table.c makes columns
 * of them. */
#include "files/fields.h"
#include "core/state.h"
#include <string.h>
#include <stdarg.h>

int vn__field_bad(const vn__fields *r, const vn__field *f, const char *format, ...)
{
    char text[400];
    if (r->quiet) return VN_E_FORMAT;
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    return vn__fail(VN_E_FORMAT, "%s: %.300s: line %lld, byte %lld: %s", r->f->who, r->f->path, (long long)f->line,
                    (long long)(f->at - f->begin) + 1, text);
}

/* ---- what is not text ---- */

/* Files that people try, by their first bytes. */
static const struct {
    const char *bytes;
    size_t n;
    const char *what;
} others[] = {
    {"PK\3\4", 4, "a zip archive, perhaps a spreadsheet (.xlsx, .ods): save the sheet as CSV"},
    {"\xd0\xcf\x11\xe0", 4, "a spreadsheet (.xls): save the sheet as CSV"},
    {"PAR1", 4, "a Parquet file: write it as CSV with pyarrow, or hand its columns over with vn_from_arrow"},
    {"ARROW1", 6, "an Arrow file: write it as CSV with pyarrow, or hand its columns over with vn_from_arrow"},
    {"\x1f\x8b", 2, "compressed by gzip: unpack it with gunzip"},
    {"\x93NUMPY", 6, "an npy file: its name must end in .npy"},
    {"\xff\xfe", 2, "UTF-16 text: convert it, iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, "UTF-16 text: convert it, iconv -f UTF-16 -t UTF-8"},
};

int vn__fields_begin(vn__fields *r, const vn__file *f)
{
    *r = (vn__fields){.f = f};
    const char *data = (const char *)f->data;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (f->size >= others[i].n && !memcmp(data, others[i].bytes, others[i].n))
            return vn__fail(VN_E_FORMAT, "%s: %.300s: this is not a text table but %s", f->who, f->path, others[i].what);
    }
    const char *zero = f->size ? memchr(data, 0, f->size) : NULL;
    if (zero) return vn__file_bad(f, (uint64_t)(zero - data), "a zero byte: this is not a text file");
    r->newline = !f->size || memchr(data, '\n', f->size) || !memchr(data, '\r', f->size) ? '\n' : '\r'; /* '\r': very old files */
    vn__fields_rewind(r, ',');
    return VN_OK;
}

void vn__fields_rewind(vn__fields *r, char delimiter)
{
    const char *data = (const char *)r->f->data;
    r->at = r->line_begin = data + (r->f->size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0);
    r->end = data + r->f->size;
    r->line = 1;
    r->delimiter = delimiter;
}

/* ---- fields ---- */

static bool blank(const vn__fields *r, char c)
{
    return (c == ' ' || c == '\t' || (c == '\r' && r->newline != '\r')) && c != r->delimiter;
}

static const char *skip_blanks(const vn__fields *r, const char *at)
{
    while (at < r->end && blank(r, *at)) at++;
    return at;
}

static void next_line(vn__fields *r, const char *newline)
{
    r->at = r->line_begin = newline + 1;
    r->line++;
}

bool vn__fields_more(vn__fields *r)
{
    for (;;) {
        const char *at = skip_blanks(r, r->at);
        if (at == r->end) return false;
        if (*at != r->newline) return true;
        next_line(r, at);
    }
}

/* Goes on behind a field that ends at `at`, where a delimiter, a line's end or the file's is. */
static void leave(vn__fields *r, vn__field *to, const char *at)
{
    to->last = at == r->end || *at == r->newline;
    if (at == r->end) r->at = at;
    else if (to->last) next_line(r, at);
    else r->at = at + 1;
}

/* at: behind the opening quote. */
static int read_quoted(vn__fields *r, vn__field *to, const char *at)
{
    int64_t lines = 0;
    const char *last_line = r->line_begin;
    to->quoted = true, to->at = at;
    for (;; at++) {
        if (at == r->end) {
            const char *text = to->at--;
            int n = 0; /* of its line */
            while (n < 20 && text + n < r->end && text[n] != r->newline && text[n] != '\r') n++;
            return vn__field_bad(r, to, "a double quote that is never closed: \"%.*s ...", n, text);
        }
        if (*at == r->newline) lines++, last_line = at + 1;
        if (*at != '"') continue;
        if (at + 1 == r->end || at[1] != '"') break;
        to->doubled = true, at++;
    }
    to->n = (size_t)(at - to->at);
    const char *stop = skip_blanks(r, at + 1);
    if (stop < r->end && *stop != r->delimiter && *stop != r->newline)
        return vn__field_bad(r, to, "text behind the closing quote of a field, on line %lld; quotes inside a field are doubled",
                             (long long)(r->line + lines));
    r->line += lines, r->line_begin = last_line;
    leave(r, to, stop);
    return VN_OK;
}

int vn__fields_next(vn__fields *r, vn__field *to)
{
    const char *at = skip_blanks(r, r->at);
    *to = (vn__field){.at = at, .line = r->line, .begin = r->line_begin};
    if (at < r->end && *at == '"') return read_quoted(r, to, at + 1);
    while (at < r->end && *at != r->delimiter && *at != r->newline) at++;
    const char *stop = at;
    while (stop > to->at && blank(r, stop[-1])) stop--;
    to->n = (size_t)(stop - to->at);
    leave(r, to, at);
    return VN_OK;
}

size_t vn__field_text(const vn__field *f, char *to)
{
    if (!f->doubled) {
        if (f->n) memcpy(to, f->at, f->n);
        return f->n;
    }
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        to[n++] = f->at[i];
        if (f->at[i] == '"') i++;
    }
    return n;
}

/* ---- the delimiter ---- */

/* How many of the first lines have as many fields as the first, which has *fields; *rows: lines looked at. */
static int agreeing(vn__fields *r, char delimiter, int *rows, int64_t *fields)
{
    enum { ROWS = 50 };
    int same = 0;
    *fields = 0;
    vn__fields_rewind(r, delimiter);
    for (*rows = 0; *rows < ROWS && vn__fields_more(r); ++*rows) {
        int64_t n = 0;
        vn__field f = {.last = false};
        for (; !f.last; n++)
            if (vn__fields_next(r, &f)) return same;
        if (!*rows) *fields = n;
        same += n == *fields;
    }
    return same;
}

/* The one by which most lines have the same number of fields, at least two. Commas last: they also stand inside of numbers and sentences. */
char vn__fields_delimiter(vn__fields *r)
{
    static const char candidates[] = "\t;|,";
    char best = ',';
    int most = 0;
    r->quiet = true;
    for (const char *c = candidates; *c; c++) {
        int rows;
        int64_t fields;
        int same = agreeing(r, *c, &rows, &fields);
        if (fields > 1 && same > most) best = *c, most = same;
    }
    r->quiet = false;
    return best;
}
