/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: growing strings, and arrays formatted as by NumPy (threshold 1000, 3 items at the edges, 75 columns, the shortest digits
 * that round-trip). */
#include "base/nearest.h"
#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include "base/floats.h"
#include "base/minmax.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* Room for n more characters and the terminator. */
static bool room(vn__text *t, size_t n)
{
    if (t->text && t->size + n < t->capacity) return true;
    size_t cap = 2 * t->capacity + n + 256;
    char *m = vn__grow(t->text, t->size, cap);
    if (!m) return !(t->failed = true);
    t->text = m;
    t->capacity = cap;
    return true;
}

void vn__append(vn__text *t, const char *text)
{
    const size_t n = strlen(text);
    if (t->failed || !room(t, n)) return;
    memcpy(t->text + t->size, text, n + 1);
    t->size += n;
}

void vn__print(vn__text *t, const char *format, ...)
{
    for (bool fits = false; !fits && !t->failed;) {
        va_list a;
        va_start(a, format);
        int n = vsnprintf(t->text ? t->text + t->size : NULL, t->capacity - t->size, format, a);
        va_end(a);
        fits = n >= 0 && t->text && t->size + (size_t)n < t->capacity;
        if (fits) t->size += (size_t)n;
        else if (n < 0) t->failed = true;
        else room(t, (size_t)n);
    }
}

/* Clears the text, keeping its memory. */
void vn__text_start(vn__text *t)
{
    t->size = 0;
    t->failed = false;
    if (t->text) t->text[0] = 0;
}

const char *vn__text_finish(vn__text *t)
{
    if (!t->failed) return t->text ? t->text : "";
    vn__no_memory("text");
    return NULL;
}

void vn__print_shape(vn__text *t, int rank, const int64_t *dims)
{
    if (!rank) vn__print(t, "0-d");
    for (int i = 0; i < rank; i++) vn__print(t, "%s%lld", i ? "x" : "", (long long)dims[i]);
}

const char *vn__shape_text(int rank, const int64_t *dims, char to[static 128])
{
    size_t at = 0;
    if (!rank) return memcpy(to, "0-d", 4);
    to[0] = 0;
    for (int i = 0; i < rank && at < 127; i++) {
        int n = snprintf(to + at, 128 - at, "%s%lld", i ? "x" : "", (long long)dims[i]);
        at += n > 0 ? (size_t)n : 0;
    }
    return to;
}

const char *vn__index_text(int rank, const int64_t *dims, int64_t e, char to[static 256])
{
    size_t at = 0;
    int64_t step = 1;
    to[0] = 0;
    for (int k = 0; k < rank; k++) step *= dims[k];
    for (int k = 0; k < rank && at < 220; k++) {
        step /= dims[k];
        at += (size_t)snprintf(to + at, 256 - at, "%s%lld", k ? ", " : "[", (long long)(e / step % dims[k]));
    }
    if (rank) snprintf(to + at, 256 - at, "]");
    return to;
}

/* ---- numbers ---- */

typedef struct writer {
    const void *data;
    int dtype, rank;
    const int64_t *dims;
    int64_t edge; /* items shown at each end of a long axis; 0: all */
    bool commas;  /* between items */
    int indent;   /* columns in front of every line but the first */
    bool floats, scientific;
    int left, right, exponent, width; /* digits before and after the point and in the exponent; width of an item */
    int part;                         /* 1 for imaginary parts, whose sign is always written */
    const struct writer *imaginary;   /* for complex numbers; this one formats the real parts */
} writer;

enum { PRECISION = 8, DIGITS = 400, ROOM = DIGITS + 1 }; /* most digits after the point; room for any number and a plus sign */

static double item(const writer *w, int64_t i)
{
    return vn__get_part(w->data, i, w->dtype, w->part);
}

/* v rounded to the dtype, as NumPy compares it. */
static double narrow(const writer *w, double v)
{
    int64_t one[2];
    vn__put_double(one, 0, w->dtype, v);
    return vn__get_part(one, 0, w->dtype, 0);
}

/* Larger numbers are written with an exponent: 10 to the number of digits that the dtype holds. */
static double cutoff(const writer *w)
{
    int dtype = vn__part_dtype(w->dtype);
    return dtype == VN_F16 ? 1e3 : dtype == VN_BF16 ? 1e2 : dtype == VN_F32 ? 1e6 : 1e8;
}

/* snprintf of one number, with a decimal point in any locale. */
static void format_number(char to[static DIGITS], const char *format, int digits, double v)
{
    snprintf(to, DIGITS, format, digits, v);
    char *comma = strchr(to, ',');
    if (comma) *comma = '.';
}

/* The digits after the point of the shortest "d.ddde+xx" that reads back as v; its exponent. */
static int shortest(const writer *w, double v, char to[static DIGITS], int *exponent)
{
    int p = 0;
    for (; p < 17; p++) {
        snprintf(to, DIGITS, "%.*e", p, v);
        if (narrow(w, strtod(to, NULL)) == v) break;
    }
    format_number(to, "%.*e", p, v);
    *exponent = (int)strtol(strchr(to, 'e') + 1, NULL, 10);
    return p;
}

/* "1.25", "2": the fewest digits that round-trip, at most PRECISION after the point. Returns their number. */
static int positional(const writer *w, double v, char to[static DIGITS])
{
    int e, p = shortest(w, v, to, &e), right = p > e ? p - e : 0;
    format_number(to, "%.*f", vn__min(right, PRECISION), v);
    char *point = strchr(to, '.');
    if (!point) return 0;
    size_t n = strlen(to);
    while (to[n - 1] == '0') n--; /* rounding may leave zeros */
    to[n] = 0;
    if (to[n - 1] == '.') to[n - 1] = 0;
    return (int)strlen(point) - (*point != 0);
}

/* The same with an exponent: "1.25e+10" needs 2 digits after the point. */
static int scientific(const writer *w, double v, char to[static DIGITS])
{
    int e, p = shortest(w, v, to, &e);
    if (p <= PRECISION) return p;
    format_number(to, "%.*e", p = PRECISION, v);
    for (const char *last = strchr(to, 'e') - 1; p && *last == '0'; last--) p--;
    return p;
}

/* Visits the shown elements only. */
static void survey(const writer *w, int axis, int64_t at, void (*each)(const writer *w, int64_t i, void *to), void *to)
{
    if (axis == w->rank) {
        each(w, at, to);
        return;
    }
    int64_t n = w->dims[axis];
    for (int64_t i = 0; i < n; i++) {
        if (w->edge && n > 2 * w->edge && i == w->edge) i = n - w->edge;
        survey(w, axis + 1, at * n + i, each, to);
    }
}

typedef struct {
    double least, most;   /* of the absolute values, without zeros */
    int left, right;      /* digits before (with the sign) and after the point */
    int digits, exponent; /* digits after the point and in the exponent, in exponent notation */
    bool finite, negative;
    int special; /* width of nan and inf; 0 if there are none */
} extent;

static void raise_to(int *x, int y)
{
    if (*x < y) *x = y;
}

static void measure_float(const writer *w, int64_t i, void *to)
{
    extent *x = to;
    double v = item(w, i), a = fabs(v);
    if (!isfinite(v)) {
        raise_to(&x->special, w->part || (isinf(v) && v < 0) ? 4 : 3);
        return;
    }
    x->finite = true;
    if (signbit(v)) x->negative = true;
    if (a != 0 && (x->least == 0 || a < x->least)) x->least = a;
    if (a > x->most) x->most = a;
    char text[DIGITS];
    raise_to(&x->right, positional(w, v, text));
    raise_to(&x->left, (int)strcspn(text, ".") + (w->part && !signbit(v)));
    raise_to(&x->digits, scientific(w, v, text));
    raise_to(&x->exponent, (int)strlen(strchr(text, 'e') + 2));
}

static void measure_int(const writer *w, int64_t i, void *to)
{
    char text[40];
    int n = w->dtype == VN_U64 ? snprintf(text, sizeof text, "%llu", (unsigned long long)vn__get_int(w->data, i, w->dtype))
                               : snprintf(text, sizeof text, "%lld", (long long)vn__get_int(w->data, i, w->dtype));
    if (n > *(int *)to) *(int *)to = n;
}

static void prepare(writer *w)
{
    w->floats = vn__is(w->dtype, VN_INEXACT);
    if (w->dtype == VN_BOOL) {
        w->width = 5;
        return;
    }
    if (!w->floats) {
        survey(w, 0, 0, measure_int, &w->width);
        return;
    }
    extent x = {0};
    survey(w, 0, 0, measure_float, &x);
    w->scientific = x.most != 0 && (x.most >= cutoff(w) || x.least < narrow(w, 1e-4) || narrow(w, x.most / x.least) > 1000);
    w->left = w->scientific ? 1 + (x.negative || w->part) : x.left;
    w->right = w->scientific ? x.digits : x.right;
    w->exponent = x.exponent;
    w->width = x.finite ? w->left + 1 + w->right + (w->scientific ? 2 + w->exponent : 0) : 0;
    raise_to(&w->width, x.special);
}

/* The number, then `unit`, then spaces so that decimal points align. */
static void put_float(const writer *w, vn__text *t, double v, const char *unit)
{
    char text[ROOM], *digits = text + 1;
    if (!isfinite(v)) {
        const char *name = isnan(v) ? "+nan" : v < 0 ? "-inf" : "+inf";
        vn__print(t, "%*s%s", w->width, w->part || *name == '-' ? name : name + 1, unit);
        return;
    }
    int right = 0;
    if (w->scientific) format_number(digits, "%.*e", w->right, v); /* the same number of digits for every item */
    else right = positional(w, v, digits);
    if (w->part && !signbit(v)) *--digits = '+';
    if (w->scientific) {
        char *e = strchr(digits, 'e');
        int tail = 2 + w->exponent, point = w->right == 0;
        vn__print(t, "%*.*s%se%c%0*d%s", w->width - tail - point, (int)(e - digits), digits, point ? "." : "", e[1], w->exponent,
                  abs((int)strtol(e + 1, NULL, 10)), unit);
    } else {
        int pad = w->right - right;
        vn__print(t, "%*s%s%s%*s", w->width - pad - (right == 0), digits, right == 0 ? "." : "", unit, pad, "");
    }
}

/* A single number, formatted as NumPy's str of a scalar, with at least `least` digits after the point. */
static void put_scalar(const writer *w, vn__text *t, double v, int least)
{
    char text[DIGITS];
    if (!isfinite(v)) {
        vn__print(t, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    int e, p = shortest(w, v, text, &e);
    bool plain = v == 0 || (fabs(v) >= 1e-4 && fabs(v) < (vn__part_dtype(w->dtype) == VN_F64 ? 1e16 : cutoff(w)));
    if (plain) format_number(text, "%.*f", p > e ? p - e : least, v);
    vn__print(t, "%s", text);
}

/* "(1+2j)", or "2j" on the imaginary axis. */
static void put_complex_scalar(const writer *w, vn__text *t)
{
    double re = item(w, 0), im = item(w->imaginary, 0);
    bool axis = re == 0 && !signbit(re);
    if (!axis) {
        vn__print(t, "(");
        put_scalar(w, t, re, 0);
        if (isnan(im) || !signbit(im)) vn__print(t, "+");
    }
    put_scalar(w, t, im, 0);
    vn__print(t, axis ? "j" : "j)");
}

static void put(const writer *w, vn__text *t, int64_t i)
{
    if (w->dtype == VN_BOOL) vn__print(t, "%*s", w->width, ((const uint8_t *)w->data)[i] ? "True" : "False");
    else if (w->floats) put_float(w, t, item(w, i), "");
    else if (w->dtype == VN_U64) vn__print(t, "%*llu", w->width, (unsigned long long)vn__get_int(w->data, i, w->dtype));
    else vn__print(t, "%*lld", w->width, (long long)vn__get_int(w->data, i, w->dtype));
}

/* Width of an item with both parts. */
static int width_of(const writer *w)
{
    return w->imaginary ? w->width + w->imaginary->width + 1 : w->width;
}

static const char newlines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";

/* A new line for an item of this axis, after `empty` lines. */
static void put_break(const writer *w, vn__text *t, int axis, int empty)
{
    vn__print(t, "%.*s%*s", 1 + empty, newlines, w->indent + axis + 1, "");
}

/* One axis. Recursion is bounded by the rank. */
static void put_axis(const writer *w, vn__text *t, int axis, int64_t at)
{
    const int64_t n = w->dims[axis];
    const int begin = w->indent + axis + 1, end = 74 - w->commas - axis, between = w->rank - axis - 2;
    vn__print(t, "[");
    int column = begin; /* of the next item; lines are wrapped as by NumPy, which leaves a column for what follows nested lists */
    for (int64_t i = 0; i < n; i++) {
        bool gap = w->edge && n > 2 * w->edge && i == w->edge;
        if (axis + 1 < w->rank) {
            if (i) vn__append(t, w->commas ? "," : ""), put_break(w, t, axis, between);
            if (gap) {
                vn__append(t, w->commas ? "...," : "...");
                put_break(w, t, axis, between);
                i = n - w->edge;
            }
            put_axis(w, t, axis + 1, at * n + i);
            continue;
        }
        int wide = gap ? 3 : width_of(w);
        if (i && w->commas) vn__append(t, ",");
        if (column + wide > end && column > begin) {
            while (!t->failed && t->text[t->size - 1] == ' ') t->size--;
            put_break(w, t, axis, 0);
            column = begin;
        } else if (i) {
            vn__append(t, " ");
        }
        column += wide + 1 + w->commas;
        if (gap) {
            vn__print(t, "...");
            i = n - w->edge - 1;
            continue;
        }
        put(w, t, at * n + i);
        if (w->imaginary) put_float(w->imaginary, t, item(w->imaginary, at * n + i), "j");
    }
    vn__print(t, "]");
}

static const char *text_of(const char *who, vn_array *x, bool commas, int indent)
{
    VN__FLOATS;
    vn__state *s = vn__enter();
    if (!s || !vn__check(x, VN__ARRAY, who, "x")) return NULL;
    const void *data = vn_data(x);
    vn__node *n = vn__node_of(x);
    if (!data && n->count) return NULL;
    writer w = {.data = data,
                .dtype = n->dtype,
                .rank = n->rank,
                .dims = vn__node_dims(n),
                .edge = n->count > 1000 ? 3 : 0,
                .commas = commas,
                .indent = indent};
    vn__text *t = &s->text;
    vn__text_start(t);
    if (!n->count) {
        vn__print(t, "[]");
        return vn__text_finish(t);
    }
    writer imaginary = w;
    imaginary.part = 1;
    if (vn__is(n->dtype, VN_COMPLEX)) {
        prepare(&imaginary);
        w.imaginary = &imaginary;
    }
    prepare(&w);
    if (!w.rank) w.width = 0;
    if (!w.rank && w.imaginary) {
        put_complex_scalar(&w, t);
    } else if (!w.rank && w.floats) {
        put_scalar(&w, t, item(&w, 0), 1);
    } else if (!w.rank) {
        put(&w, t, 0);
    } else {
        put_axis(&w, t, 0, 0);
    }
    return vn__text_finish(t);
}

const char *vn_text(vn_array *x)
{
    return text_of("text", x, false, 0);
}

const char *vn_text_as_list(vn_array *x, int indent)
{
    enum { MAX_INDENT = 40 };
    if (indent < 0 || indent > MAX_INDENT)
        return vn__fail(VN_E_ARG, "text_as_list: indent is %d; 0 to %d are possible", indent, MAX_INDENT), NULL;
    return text_of("text_as_list", x, true, indent);
}

int vn_fprint(FILE *to, vn_array *x)
{
    if (!to) return vn__fail(VN_E_NULL, "fprint: the stream is NULL");
    const char *text = vn_text(x);
    if (!text) return (int)vn_status();
    if (fprintf(to, "%s\n", text) < 0) return vn__fail(VN_E_IO, "fprint: writing failed");
    return VN_OK;
}

const char *vn__did_you_mean(const char *word, int n, const char *(*name)(int i, void *user), void *user, char to[static 128])
{
    const char *near = vn__nearest(word, n, name, user);
    to[0] = 0;
    if (near) snprintf(to, 128, "; did you mean \"%.80s\"?", near);
    return to;
}
