/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: vn_read_table. Two passes over a text file: the first counts rows and looks at every field, from which table_kinds.c decides what
 * the columns are; the second reads their values. */
#include "files/table.h"
#include "base/minmax.h"
#include "core/callback.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include <string.h>
#include <stdlib.h>
#include <math.h>

static const char who[] = "read_table";

const char *vn_column_kind_name(int kind)
{
    static const char *const names[] = {"empty", "numbers", "text", "dates"};
    return kind >= VN_COLUMN_EMPTY && kind <= VN_COLUMN_DATE ? names[kind] : "unknown";
}

/* ---- progress ---- */

static int tell(vn__table_reader *t, bool end)
{
    enum { STEP = 1 << 22 }; /* bytes */
    const double size = (double)t->r.f->size, at = (double)(t->r.at - (const char *)t->r.f->data);
    if (!t->o.progress || (!end && at < t->done + STEP)) return VN_OK;
    t->done = at;
    vn__state *s = vn__enter();
    vn_code before = vn_status();
    size_t inside = vn__user_begin(s);
    int stop = t->o.progress((at / size + t->pass) / 2, t->o.progress_user);
    vn__user_end(s, inside);
    if (!before && vn_status()) return vn__fail_in(who);
    return stop ? vn__fail(VN_E_CALLBACK, "%s: %.300s: the progress function returned %d", who, t->r.f->path, stop) : VN_OK;
}

/* ---- the first pass ---- */

static int read_first_row(vn__table_reader *t)
{
    int capacity = 0;
    if (!vn__fields_more(&t->r)) return vn__fail(VN_E_FORMAT, "%s: %.300s: the file is empty", who, t->r.f->path);
    for (vn__field f = {.last = false}; !f.last;) {
        int code = vn__fields_next(&t->r, &f);
        if (code) return code;
        if (t->n_columns == VN__MAX_COLUMNS)
            return vn__field_bad(&t->r, &f, "more than %d columns (delimited by '%c')", VN__MAX_COLUMNS, t->r.delimiter);
        if (t->n_columns == capacity) {
            int grown = capacity ? capacity * 2 : 16;
            vn__seen *seen = vn__grow(t->seen, (size_t)capacity * sizeof *seen, (size_t)grown * sizeof *seen);
            if (!seen) return vn__no_memory(who);
            t->seen = seen, capacity = grown;
        }
        t->seen[t->n_columns++] = (vn__seen){.first = f};
    }
    t->rows = 1;
    return VN_OK;
}

/* A row, of which `use` gets every field. */
static int read_row(vn__table_reader *t, int (*use)(vn__table_reader *t, int column, const vn__field *f, void *user), void *user)
{
    vn__field f = {.last = false}, first = {.line = 0};
    int64_t n = 0;
    for (; !f.last; n++) {
        int code = vn__fields_next(&t->r, &f);
        if (!code && n < t->n_columns) code = use(t, (int)n, &f, user);
        if (code) return code;
        if (!n) first = f;
    }
    if (n == t->n_columns) return VN_OK;
    return vn__field_bad(&t->r, &first, "%lld field%s, where line %lld has %d (delimiter '%s')", (long long)n, n == 1 ? "" : "s",
                         (long long)t->seen[0].first.line, t->n_columns,
                         t->r.delimiter == '\t' ? "tab" : (const char[]){t->r.delimiter, 0});
}

static int see(vn__table_reader *t, int column, const vn__field *f, void *user)
{
    (void)user;
    vn__see_field(t, &t->seen[column], f);
    return VN_OK;
}

/* Which columns the option text names: by name or, from 0, by number. */
static int mark_text(vn__table_reader *t)
{
    for (const char *at = t->o.text; at && *at;) {
        at += strspn(at, " ");
        size_t n = strcspn(at, ",");
        bool found = false;
        for (int i = 0; i < t->n_columns && !found; i++) {
            char number[16];
            int digits = snprintf(number, sizeof number, "%d", i);
            const vn__field *f = &t->seen[i].first;
            bool named = f->n == n && !memcmp(f->at, at, n), numbered = (size_t)digits == n && !memcmp(number, at, n);
            if (named || numbered) t->seen[i].as_text = found = true;
        }
        if (!found)
            return vn__fail(VN_E_ARG, "%s: %.300s: option text names a column \"%.*s\" that is not there", who, t->r.f->path,
                            (int)vn__min(n, 60), at);
        at += n + (at[n] == ',');
    }
    return VN_OK;
}

static int first_pass(vn__table_reader *t)
{
    vn__fields_rewind(&t->r, t->r.delimiter);
    int code = read_first_row(t);
    if (!code) code = mark_text(t);
    for (; !code && vn__fields_more(&t->r); t->rows++) {
        code = read_row(t, see, NULL);
        if (!code) code = tell(t, false);
    }
    if (!code) vn__decide_header(t);
    return code;
}

/* ---- names ---- */

typedef struct {
    const char *name;
    int column, nth;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->column > y->column) - (x->column < y->column);
}

/* Names that occur twice get a number. One that is taken then is an error. */
static int number_names(vn__table_reader *t)
{
    const int n = t->n_columns;
    named *all = vn__alloc((size_t)n * sizeof *all);
    if (!all) return vn__no_memory(who);
    int code = VN_OK;
    for (int round = 0; round < 2 && !code; round++) {
        for (int i = 0; i < n; i++) all[i] = (named){t->columns[i].name, i, 1};
        qsort(all, (size_t)n, sizeof *all, by_name);
        for (int i = 1; i < n && !code; i++) {
            if (strcmp(all[i].name, all[i - 1].name) != 0) continue;
            if (round)
                code = vn__fail(VN_E_FORMAT, "%s: %.300s: line %lld: the name \"%.60s\" occurs twice", who, t->r.f->path,
                                (long long)t->seen[0].first.line, all[i].name);
            if (round) break;
            all[i].nth = all[i - 1].nth + 1;
            size_t room = strlen(all[i].name) + 16;
            char *name = vn__scope_memory(room, who);
            if (!name) code = vn_status();
            else snprintf(name, room, "%s.%d", all[i].name, all[i].nth), t->columns[all[i].column].name = name;
        }
    }
    vn__free(all);
    return code;
}

static int read_names(vn__table_reader *t)
{
    size_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++) bytes += t->seen[i].first.n + 24;
    char *text = vn__scope_memory(bytes, who);
    if (!text) return vn_status();
    for (int i = 0; i < t->n_columns; i++) {
        const vn__field *f = &t->seen[i].first;
        size_t n = t->header ? vn__field_text(f, text) : 0;
        if (!n) n = (size_t)snprintf(text, 24, "column %d", i + 1);
        text[n] = 0;
        if (!vn__is_utf8(text))
            return vn__field_bad(&t->r, f, "a name that is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8");
        t->columns[i].name = text;
        text += n + 1;
    }
    return number_names(t);
}

/* ---- the second pass ---- */

typedef struct {
    double **numbers;
    int32_t **codes;
    vn__classes **classes;
    int64_t row, rows;
} filling;

static int fill_field(vn__table_reader *t, int column, const vn__field *f, void *user)
{
    filling *to = user;
    double x = NAN;
    bool comma;
    if (to->numbers[column]) {
        to->numbers[column][to->row] = vn__look_at_field(t, f, &x, &comma) == VN__LOOKS_NUMBER ? x : NAN;
    } else if (to->classes[column]) {
        int32_t *code = &to->codes[column][to->row];
        *code = -1;
        if (vn__look_at_field(t, f, &x, &comma) != VN__LOOKS_MISSING) return vn__classes_add(to->classes[column], &t->r, f, code);
    }
    return VN_OK;
}

static int fill_rows(vn__table_reader *t, filling *to)
{
    t->pass = 1, t->done = 0;
    vn__fields_rewind(&t->r, t->r.delimiter);
    int code = VN_OK;
    for (bool skip = t->header; !code && vn__fields_more(&t->r); skip = false) {
        vn__field f = {.last = false};
        if (skip) {
            while (!f.last) vn__fields_next(&t->r, &f); /* the first pass has read it */
            continue;
        }
        code = read_row(t, fill_field, to);
        to->row++;
        if (!code) code = tell(t, false);
    }
    return code ? code : tell(t, true);
}

/* Mean and deviation by two sums over the values, so that large means lose nothing. */
void vn__measure_column(vn_column *c, int64_t rows)
{
    double mean = 0, squares = 0;
    int64_t n = 0;
    bool counts = rows > 2;
    c->min = c->max = c->mean = c->deviation = NAN;
    c->whole = 1;
    for (int64_t i = 0; i < rows; i++) {
        double x = c->numbers[i];
        counts = counts && x == c->numbers[0] + (double)i;
        if (!isnan(x) && x != floor(x)) c->whole = 0;
        if (!isfinite(x)) {
            c->whole = c->whole && isnan(x);
            continue;
        }
        c->min = n && c->min < x ? c->min : x;
        c->max = n && c->max > x ? c->max : x;
        const double count = (double)++n, d = x - mean; /* the mean so far: a sum could overflow */
        mean += isfinite(d) ? d / count : x / count - mean / count;
    }
    if (!n) return;
    c->mean = mean;
    for (int64_t i = 0; i < rows; i++) {
        double d = c->numbers[i] - c->mean;
        if (isfinite(d)) squares += d * d;
    }
    c->deviation = sqrt(squares / (double)n);
    c->row_numbers = counts && c->whole && fabs(c->max) < 1e15; /* above, not every integer is a double */
}

static int note_odd(const vn__table_reader *t, vn_column *c, const vn__seen *s)
{
    const int64_t numbers = s->count[VN__LOOKS_NUMBER], others = s->count[VN__LOOKS_DATE] + s->count[VN__LOOKS_TEXT];
    if (c->kind != VN_COLUMN_TEXT || s->as_text || !numbers || numbers < others) return VN_OK;
    const vn__field *f = s->other.line ? &s->other : NULL; /* none: points and commas are mixed */
    enum { MAX_SHOWN = 60 };
    size_t n = f ? vn__min(f->n, MAX_SHOWN) : 0;
    while (n && n < f->n && ((unsigned char)f->at[n] & 0xc0) == 0x80) n--; /* a whole character */
    char *text = vn__scope_memory(n + 32, t->r.f->who);
    if (!text) return vn_status();
    if (f) memcpy(text, f->at, n), text[n] = 0;
    else snprintf(text, 32, "both 1.5 and 1,5");
    c->odd = text, c->odd_numbers = numbers, c->odd_line = f ? f->line : 0;
    return VN_OK;
}

/* Memory for the values of the columns that have some. */
static int make_room(vn__table_reader *t, filling *to)
{
    const size_t n = (size_t)t->n_columns, rows = (size_t)to->rows + 1; /* no overflow: a row takes a byte of the file, at least */
    to->numbers = vn__calloc(n * sizeof *to->numbers);
    to->codes = vn__calloc(n * sizeof *to->codes);
    to->classes = vn__calloc(n * sizeof *to->classes);
    if (!to->numbers || !to->codes || !to->classes) return vn__no_memory(who);
    for (int i = 0; i < t->n_columns; i++) {
        vn_column *c = &t->columns[i];
        const vn__seen *s = &t->seen[i];
        c->kind = vn__kind_of(t, s);
        c->missing = s->count[VN__LOOKS_MISSING], c->missing_line = s->empty.line;
        int code = note_odd(t, c, s);
        if (code) return code;
        if (c->kind == VN_COLUMN_NUMBER && !(to->numbers[i] = vn__scope_memory(rows * sizeof(double), who))) return vn_status();
        if (c->kind == VN_COLUMN_TEXT &&
            (!(to->codes[i] = vn__scope_memory(rows * sizeof(int32_t), who)) || !(to->classes[i] = vn__classes_new(who))))
            return vn_status();
    }
    return VN_OK;
}

static int second_pass(vn__table_reader *t)
{
    filling to = {.rows = t->rows - t->header};
    int code = make_room(t, &to);
    if (!code) code = fill_rows(t, &to);
    for (int i = 0; i < t->n_columns && !code; i++) {
        vn_column *c = &t->columns[i];
        c->numbers = to.numbers[i];
        if (c->numbers) vn__measure_column(c, to.rows);
        if (to.classes[i]) code = vn__classes_finish(to.classes[i], c, to.codes[i], to.rows, who);
    }
    for (int i = 0; to.classes && i < t->n_columns; i++) vn__classes_free(to.classes[i]);
    vn__free(to.numbers);
    vn__free(to.codes);
    vn__free(to.classes);
    return code;
}

/* ---- all of it ---- */

static int check_options(const vn_table_opts *o)
{
    if (o->delimiter &&
        ((unsigned char)o->delimiter >= 0x80 || strchr("\r\n\"+-. ", o->delimiter) || (o->delimiter >= '0' && o->delimiter <= '9')))
        return vn__fail(VN_E_ARG, "%s: option delimiter: fields cannot be separated by the byte %d", who, (unsigned char)o->delimiter);
    if (o->decimal && o->decimal != '.' && o->decimal != ',')
        return vn__fail(VN_E_ARG, "%s: option decimal is the byte %d; '.' and ',' are possible", who, (unsigned char)o->decimal);
    if (o->decimal && o->decimal == o->delimiter)
        return vn__fail(VN_E_ARG, "%s: options decimal and delimiter are both '%c'", who, o->decimal);
    if (o->header < -1 || o->header > 1) return vn__fail(VN_E_ARG, "%s: option header is %d; -1, 0 and 1 are possible", who, o->header);
    return VN_OK;
}

static int read_all(vn__table_reader *t, vn_table *to)
{
    t->r.delimiter = t->o.delimiter ? t->o.delimiter : vn__fields_delimiter(&t->r);
    int code = first_pass(t);
    if (code) return code;
    t->columns = vn__scope_memory((size_t)t->n_columns * sizeof *t->columns, who);
    if (!t->columns) return vn_status();
    memset(t->columns, 0, (size_t)t->n_columns * sizeof *t->columns);
    code = read_names(t);
    if (!code) code = second_pass(t);
    const size_t n = strlen(t->r.f->path) + 1;
    char *path = code ? NULL : vn__scope_memory(n, who);
    if (!path) return code ? code : (int)vn_status();
    bool comma = t->o.decimal == ',';
    for (int i = 0; i < t->n_columns; i++) comma = comma || (t->columns[i].kind == VN_COLUMN_NUMBER && t->seen[i].commas);
    const vn_table all = {.size = sizeof all,
                          .rows = t->rows - t->header,
                          .n_columns = t->n_columns,
                          .columns = t->columns,
                          .delimiter = t->r.delimiter,
                          .decimal = comma ? ',' : '.',
                          .header = t->header,
                          .guessed = t->guessed,
                          .path = memcpy(path, t->r.f->path, n)};
    return VN__GIVE(who, vn_table, to, &all);
}

int vn_read_table(const char *path, const vn_table_opts *opts, vn_table *table)
{
    vn__table_reader t = {.n_columns = 0};
    if (vn__take(&t.o, sizeof t.o, opts, "table") || vn__check_info(who, "vn_table", table) || check_options(&t.o)) return vn_status();
    vn__file *f = vn__file_open(path, true, 0, who); /* both passes must see the same text */
    if (!f) return vn_status();
    int code = vn__fields_begin(&t.r, f);
    if (!code) code = read_all(&t, table);
    vn__free(t.seen);
    vn__file_release(f);
    return code;
}
