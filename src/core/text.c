/* text.c: a growing text, and arrays written the way NumPy writes them (threshold 1000, 3 items at the edges, 75 columns, the
 * shortest digits that read back as the same number). */
#include "core/internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void vn__print(vn__text *t, const char *format, ...)
{
    if (t->failed) return;
    for (;;) {
        va_list a;
        va_start(a, format);
        int n = vsnprintf(t->text ? t->text + t->size : NULL, t->capacity - t->size, format, a);
        va_end(a);
        if (n < 0) {
            t->failed = true;
            return;
        }
        if (t->text && t->size + (size_t)n < t->capacity) {
            t->size += (size_t)n;
            return;
        }
        size_t cap = 2 * t->capacity + (size_t)n + 256;
        char *m = vn__grow(t->text, t->size, cap);
        if (!m) {
            t->failed = true;
            return;
        }
        t->text = m;
        t->capacity = cap;
    }
}

/* Begins anew, keeping the memory. */
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

/* ---- numbers ---- */

typedef struct {
    const void *data;
    int dtype, rank;
    const int64_t *dims;
    int64_t edge;           /* items shown at each end of a long axis; 0: all */
    bool floats, scientific;
    int left, right, width; /* digits before and after the point, columns of an item */
} writer;

static bool same(const writer *w, double v, const char *text)
{
    double back = strtod(text, NULL);
    if (w->dtype == VN_F64) return back == v;
    if (w->dtype == VN_F32) return (float)back == (float)v;
    uint16_t a, b;
    vn__put_double(&a, 0, w->dtype, v);
    vn__put_double(&b, 0, w->dtype, back);
    return a == b;
}

/* The shortest "d.ddde+xx" that reads back as v; returns the digits after the point. */
static int shortest(const writer *w, double v, char to[static 40])
{
    int p = 0;
    for (; p < 17; p++) {
        snprintf(to, 40, "%.*e", p, v);
        char *comma = strchr(to, ','); /* a locale's decimal comma */
        if (same(w, v, to)) {
            if (comma) *comma = '.';
            break;
        }
    }
    return p;
}

static double item(const writer *w, int64_t i)
{
    return vn__get_double(w->data, i, w->dtype);
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
    double least, most;
    int left, right, digits, exponent;
    bool negative_left, finite, special;
    int special_width;
} extent;

static void measure_float(const writer *w, int64_t i, void *to)
{
    extent *x = to;
    double v = item(w, i), a = fabs(v);
    if (!isfinite(v)) {
        int n = isnan(v) ? 3 : v < 0 ? 4 : 3;
        x->special = true;
        if (n > x->special_width) x->special_width = n;
        return;
    }
    x->finite = true;
    if (a != 0 && (x->least == 0 || a < x->least)) x->least = a;
    if (a > x->most) x->most = a;
    char text[40];
    int p = shortest(w, v, text), e = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    int left = e >= 0 ? e + 1 : 1, right = p - e > 0 ? p - e : 0;
    if (v == 0) left = 1, right = 0;
    if (signbit(v)) left++;
    if (left > x->left) x->left = left;
    if (right > x->right) x->right = right;
    if (p > x->digits) x->digits = p;
    int columns = e >= 100 || e <= -100 ? 3 : 2;
    if (columns > x->exponent) x->exponent = columns;
    if (signbit(v)) x->negative_left = true;
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
    w->floats = vn__is(w->dtype, VN_FLOATS);
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
    w->scientific = x.finite && x.most != 0 && (x.most >= 1e8 || x.least < 1e-4 || x.most / x.least > 1000.);
    if (w->scientific) {
        if (x.digits > 8) x.digits = 8;
        w->right = x.digits;
        w->left = 1 + x.negative_left;
        w->width = w->left + 1 + w->right + 2 + x.exponent;
    } else {
        w->left = x.left;
        w->right = x.right > 8 ? 8 : x.right; /* numpy's precision */
        w->width = x.finite ? w->left + 1 + w->right : 0;
    }
    if (x.special && x.special_width > w->width) w->width = x.special_width;
}

static void put_float(const writer *w, vn__text *t, double v)
{
    char text[400];
    if (!isfinite(v)) snprintf(text, sizeof text, "%s", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    else if (w->scientific) {
        /* Shortest digits, filled up with zeros: as many places for every item. */
        char exact[40];
        int p = shortest(w, v, exact);
        if (p > w->right) snprintf(exact, sizeof exact, "%.*e", p = w->right, v);
        char *e = strchr(exact, 'e');
        snprintf(text, sizeof text, "%.*s%s%.*s%s", (int)(e - exact), exact, p ? "" : ".", w->right - p, "0000000000000000", e);
    } else {
        /* Shortest digits, not more than w->right, padded with blanks: 1.5 and 2. line up. */
        char exact[40];
        int p = shortest(w, v, exact), e = (int)strtol(strchr(exact, 'e') + 1, NULL, 10), right = p - e > 0 ? p - e : 0;
        if (v == 0) right = 0;
        if (right > w->right) right = w->right;
        int n = snprintf(text, sizeof text, "%.*f", right, v);
        char *point = strpbrk(text, ".,");
        if (point) { /* rounding to 8 places may leave zeros */
            *point = '.';
            while (text[n - 1] == '0') text[--n] = 0;
        } else {
            text[n++] = '.';
            text[n] = 0;
        }
        int shown = n - (int)(strchr(text, '.') - text) - 1, pad = w->right - shown;
        vn__print(t, "%*s%*s", w->width - pad > 0 ? w->width - pad : 0, text, pad, "");
        return;
    }
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    vn__print(t, "%*s", w->width, text);
}

static void put(const writer *w, vn__text *t, int64_t i)
{
    if (w->dtype == VN_BOOL) vn__print(t, "%*s", w->width, ((const uint8_t *)w->data)[i] ? "True" : "False");
    else if (w->floats) put_float(w, t, item(w, i));
    else if (w->dtype == VN_U64) vn__print(t, "%*llu", w->width, (unsigned long long)vn__get_int(w->data, i, w->dtype));
    else vn__print(t, "%*lld", w->width, (long long)vn__get_int(w->data, i, w->dtype));
}

static const char newlines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";

/* One axis. Recursion is bounded by the rank. */
static void put_axis(const writer *w, vn__text *t, int axis, int64_t at)
{
    int64_t n = w->dims[axis];
    vn__print(t, "[");
    int column = axis + 1; /* of the next item; lines are filled as numpy fills them */
    for (int64_t i = 0; i < n; i++) {
        bool gap = w->edge && n > 2 * w->edge && i == w->edge;
        if (axis + 1 < w->rank) {
            if (i) vn__print(t, "%.*s%*s", w->rank - axis - 1, newlines, axis + 1, "");
            if (gap) {
                vn__print(t, "...%.*s%*s", w->rank - axis - 1, newlines, axis + 1, "");
                i = n - w->edge;
            }
            put_axis(w, t, axis + 1, at * n + i);
            continue;
        }
        int wide = gap ? 3 : w->width;
        if (column + wide > 74 - axis && column > axis + 1) {
            vn__print(t, "\n%*s", axis + 1, "");
            column = axis + 1;
        } else if (i) {
            vn__print(t, " ");
        }
        column += wide + 1;
        if (gap) {
            vn__print(t, "...");
            i = n - w->edge - 1;
            continue;
        }
        put(w, t, at * n + i);
    }
    vn__print(t, "]");
}

const char *vn_text(vn_array *x)
{
    vn__state *s = vn__enter();
    if (!s || !vn__check(x, VN__ARRAY, "text", "x")) return NULL;
    const void *data = vn_data(x);
    vn__node *n = vn__node_of(x);
    if (!data && n->count) return NULL;
    writer w = {.data = data, .dtype = n->dtype, .rank = n->rank, .dims = vn__node_dims(n), .edge = n->count > 1000 ? 3 : 0};
    vn__text *t = &s->text;
    vn__text_start(t);
    if (!n->count) {
        vn__print(t, "[]");
        return vn__text_finish(t);
    }
    prepare(&w);
    if (!w.rank) w.width = 0;
    if (!w.rank && w.floats && isfinite(item(&w, 0))) { /* a number alone: as numpy's str of a scalar */
        char text[40];
        double v = item(&w, 0);
        int p = shortest(&w, v, text), e = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
        if (v != 0 && (e >= 16 || e < -4)) vn__print(t, "%s", text);
        else vn__print(t, "%.*f", p - e > 0 ? p - e : 1, v);
    } else if (!w.rank) {
        put(&w, t, 0);
    } else {
        put_axis(&w, t, 0, 0);
    }
    return vn__text_finish(t);
}

int vn_fprint(FILE *to, vn_array *x)
{
    if (!to) return vn__fail(VN_E_NULL, "fprint: the stream is NULL");
    const char *text = vn_text(x);
    if (!text) return vn_status();
    if (fprintf(to, "%s\n", text) < 0) return vn__fail(VN_E_IO, "fprint: writing failed");
    return VN_OK;
}
