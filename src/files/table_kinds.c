/* SPDX-License-Identifier: Apache-2.0 */
/* table_kinds.c: what the fields of a table look like, and from that what its columns are and whether its first line has names. */
#include "files/table.h"
#include <ctype.h>
#include <string.h>

/* ---- fields ---- */

bool vn__in_list(const char *list, const char *text, size_t n)
{
    for (const char *at = list; *at;) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), used = length;
        while (used && at[used - 1] == ' ') used--;
        if (used == n && !memcmp(at, text, n)) return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static bool is_missing(const vn__table_reader *t, const vn__field *f)
{
    static const char *const words[] = {"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "None", "?", "-"};
    if (!f->n) return true;
    for (size_t i = 0; i < sizeof words / sizeof *words && f->n <= 4; i++)
        if (strlen(words[i]) == f->n && !memcmp(words[i], f->at, f->n)) return true;
    return t->o.na && vn__in_list(t->o.na, f->at, f->n);
}

/* A number with a decimal comma and no point. */
static bool comma_number(const vn__field *f, double *x)
{
    char copy[64];
    const char *comma = memchr(f->at, ',', f->n);
    if (!comma || f->n >= sizeof copy || memchr(f->at, '.', f->n)) return false;
    memcpy(copy, f->at, f->n);
    copy[comma - f->at] = '.';
    return vn__number_parse(copy, f->n, x);
}

/* Digits at *at, up to `most` of them; returns how many. */
static int digits(const char **at, const char *end, int most)
{
    int n = 0;
    while (*at < end && n < most && isdigit((unsigned char)**at)) ++*at, n++;
    return n;
}

/* Skips one of these characters; returns whether one is there. */
static bool skip(const char **at, const char *end, const char *any)
{
    if (*at == end || !strchr(any, **at)) return false;
    ++*at;
    return true;
}

/* 2024-01-31, 2024/1/31, 31.1.2024, 1/31/24; a time may follow. */
static bool is_date(const vn__field *f)
{
    const char *at = f->at, *end = at + f->n;
    const int a = digits(&at, end, 4);
    if (!a || a == 3 || !skip(&at, end, "-/.")) return false;
    const char between[] = {at[-1], 0};
    if (!digits(&at, end, 2) || !skip(&at, end, between)) return false;
    const int c = digits(&at, end, 4);
    if (a == 4 ? c != 1 && c != 2 : c != 2 && c != 4) return false;
    return at == end || (skip(&at, end, " T") && digits(&at, end, 2) && skip(&at, end, ":"));
}

vn__looks vn__look_at_field(const vn__table_reader *t, const vn__field *f, double *x, bool *comma)
{
    *comma = false;
    if (is_missing(t, f)) return VN__LOOKS_MISSING;
    if (t->o.decimal != ',' && vn__number_parse(f->at, f->n, x)) return VN__LOOKS_NUMBER;
    if (t->o.decimal == ',' && !memchr(f->at, '.', f->n) && vn__number_parse(f->at, f->n, x)) return VN__LOOKS_NUMBER;
    *comma = (t->o.decimal == ',' || (!t->o.decimal && t->r.delimiter == ';')) && comma_number(f, x);
    if (*comma) return VN__LOOKS_NUMBER;
    return is_date(f) ? VN__LOOKS_DATE : VN__LOOKS_TEXT;
}

void vn__see_field(vn__table_reader *t, vn__seen *s, const vn__field *f)
{
    double x;
    bool comma;
    vn__looks looks = vn__look_at_field(t, f, &x, &comma);
    s->count[looks]++;
    s->commas += comma;
    if (looks == VN__LOOKS_MISSING && !s->empty.line) s->empty = *f;
    if (looks == VN__LOOKS_NUMBER && !comma) s->points += memchr(f->at, '.', f->n) != NULL;
    if (looks > VN__LOOKS_NUMBER && !s->other.line) s->other = *f;
    if (looks != VN__LOOKS_TEXT) return;
    if (!s->odd.line) s->odd = *f;
    s->again += f->n == s->first.n && !memcmp(f->at, s->first.at, f->n);
}

/* ---- columns ---- */

int vn__kind_of(const vn__table_reader *t, const vn__seen *s)
{
    (void)t;
    const int64_t numbers = s->count[VN__LOOKS_NUMBER], dates = s->count[VN__LOOKS_DATE], texts = s->count[VN__LOOKS_TEXT];
    if (!numbers && !dates && !texts) return VN_COLUMN_EMPTY;
    if (s->as_text) return VN_COLUMN_TEXT;
    if (numbers && !dates && !texts && !(s->points && s->commas)) return VN_COLUMN_NUMBER;
    return dates && !numbers && !texts ? VN_COLUMN_DATE : VN_COLUMN_TEXT;
}

/* The first line has names if one of its fields stands above a column of another kind, or if there is only text and none of its fields
 * occurs again. */
static bool guess_header(vn__table_reader *t)
{
    bool plain = true, again = false; /* no number, date or blank in the line; a field that occurs again */
    for (int i = 0; i < t->n_columns; i++) {
        const vn__seen *s = &t->seen[i];
        double x;
        bool comma;
        vn__looks looks = vn__look_at_field(t, &s->first, &x, &comma);
        int below = vn__kind_of(t, s);
        if (looks == VN__LOOKS_TEXT && (below == VN_COLUMN_NUMBER || below == VN_COLUMN_DATE)) return true;
        plain = plain && looks == VN__LOOKS_TEXT;
        again = again || s->again;
    }
    t->guessed = plain && !again;
    return t->guessed;
}

void vn__decide_header(vn__table_reader *t)
{
    t->header = t->o.header > 0 || (t->o.header == 0 && guess_header(t));
    for (int i = 0; i < t->n_columns && !t->header; i++) {
        vn__seen *s = &t->seen[i];
        vn__field odd = s->odd, empty = s->empty, other = s->other;
        s->odd = s->empty = s->other = (vn__field){.line = 0};
        vn__see_field(t, s, &s->first); /* it stands before the others */
        if (!s->odd.line) s->odd = odd;
        if (!s->empty.line) s->empty = empty;
        if (!s->other.line) s->other = other;
    }
}
