/* SPDX-License-Identifier: Apache-2.0 */
/* curves.c: the charts of a report: for each score one chart with its training and its validation line, and one of the learning rate.
 * Lines, axes and ticks are SVG; the values are also in attributes for the page's script. */
#include "train/train.h"
#include <string.h>
#include <math.h>

enum { WIDTH = 640, HEIGHT = 300, LEFT = 96, RIGHT = 20, TOP = 20, BOTTOM = 48, TICKS = 5 };

/* A line of a chart: the index of a score, or -1 for the learning rate. */
typedef struct {
    const char *name;
    int score;
} curve;
typedef struct {
    const vn_fit_result *r;
    curve curves[2];
    int n;
    double low, high, step; /* range of the values, and the tick distance */
} chart;

static double value_at(const chart *c, int k, int64_t i)
{
    const vn_epoch *e = &c->r->history[i];
    return c->curves[k].score < 0 ? e->lr : c->curves[k].score < e->n_scores ? e->scores[c->curves[k].score].value : NAN;
}

/* 1, 2 or 5 times a power of ten, so that about `steps` ticks span the range. */
static double nice_step(double range, int steps)
{
    double raw = range / steps, power = pow(10, floor(log10(raw))), x = raw / power;
    return power * (x <= 1 ? 1 : x <= 2 ? 2 : x <= 5 ? 5 : 10);
}

static void find_range(chart *c)
{
    c->low = INFINITY, c->high = -INFINITY;
    for (int k = 0; k < c->n; k++) {
        for (int64_t i = 0; i < c->r->n_history; i++) {
            double v = value_at(c, k, i);
            if (!isfinite(v)) continue;
            c->low = fmin(c->low, v), c->high = fmax(c->high, v);
        }
    }
    if (!(c->low <= c->high)) c->low = 0, c->high = 1;
    double least = fmax(fabs(c->low), fabs(c->high)) * 1e-6 + 1e-30;
    if (!(c->high - c->low > least)) c->high += fmax(least, fabs(c->high) * .1), c->low -= fmax(least, fabs(c->low) * .1);
    if (!isfinite(c->high - c->low)) c->low = -1e300, c->high = 1e300;
    c->step = nice_step(c->high - c->low, TICKS);
    c->low = floor(c->low / c->step) * c->step, c->high = ceil(c->high / c->step) * c->step;
}

static double x_of(const chart *c, int64_t i)
{
    int64_t n = c->r->n_history;
    double share = n > 1 ? (double)i / (double)(n - 1) : .5;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(const chart *c, double v)
{
    return TOP + (c->high - v) / (c->high - c->low) * (HEIGHT - TOP - BOTTOM);
}

static void print_place(vn__text *t, double x)
{
    vn__print_digits(t, round(x * 10) / 10, 6);
}

/* All values are equal: there is nothing to see. */
static bool is_constant(const chart *c)
{
    for (int k = 0; k < c->n; k++)
        for (int64_t i = 0; i < c->r->n_history; i++)
            if (value_at(c, k, i) != value_at(c, 0, 0)) return false; /* a NaN, too */
    return true;
}

bool vn__rate_is_constant(const vn_fit_result *r)
{
    return is_constant(&(chart){.r = r, .curves = {{"lr", -1}}, .n = 1});
}

/* ---- axes ---- */

static void print_y_axis(vn__text *t, const chart *c)
{
    int ticks = (int)nearbyint((c->high - c->low) / c->step);
    for (int i = 0; i <= ticks && i <= 2 * TICKS; i++) {
        double v = c->low + i * c->step;
        if (fabs(v) < c->step * 1e-6) v = 0;
        vn__print(t, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"", LEFT, WIDTH - RIGHT);
        print_place(t, y_of(c, v));
        vn__print(t, "\" y2=\"");
        print_place(t, y_of(c, v));
        vn__print(t, "\"/><text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"", LEFT - 8);
        print_place(t, y_of(c, v) + 4);
        vn__print(t, "\">");
        vn__print_digits(t, v, 5);
        vn__print(t, "</text>\n");
    }
}

static void print_x_axis(vn__text *t, const chart *c)
{
    int64_t n = c->r->n_history, step = n > 1 ? (int64_t)fmax(1, nice_step((double)(n - 1), 6)) : 1;
    for (int64_t i = 0; i < n; i++) {
        if ((i + 1) % step && i) continue;
        if (!i && n > 1 && step > 1 && step < 3) continue; /* the first would be too close to the next */
        vn__print(t, "<text class=\"tick\" text-anchor=\"middle\" y=\"%d\" x=\"", HEIGHT - BOTTOM + 20);
        print_place(t, x_of(c, i));
        vn__print(t, "\">%lld</text>\n", (long long)c->r->history[i].epoch);
    }
    vn__print(t, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
    vn__print(t, "<text class=\"tick\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">epoch</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 7);
}

/* A line at the best epoch, if it is among those shown. */
static void print_best(vn__text *t, const chart *c)
{
    const int64_t i = c->r->best_epoch - c->r->history[0].epoch;
    if (!c->r->best_epoch || i < 0 || i >= c->r->n_history) return;
    const double x = x_of(c, i);
    vn__print(t, "<line class=\"best\" y1=\"%d\" y2=\"%d\" x1=\"", TOP, HEIGHT - BOTTOM);
    print_place(t, x);
    vn__print(t, "\" x2=\"");
    print_place(t, x);
    vn__print(t, "\"/><text class=\"tick\" text-anchor=\"%s\" y=\"%d\" x=\"", i * 2 < c->r->n_history ? "start" : "end", TOP - 2);
    print_place(t, x);
    vn__print(t, "\">best</text>\n");
}

/* ---- lines ---- */

/* A path that is broken where a value is not finite; single points are dots. */
static void print_curve(vn__text *t, const chart *c, int k)
{
    enum { FEW = 60 };
    int64_t n = c->r->n_history;
    bool drawing = false;
    vn__print(t, "<path class=\"curve c%d\" d=\"", k);
    for (int64_t i = 0; i < n; i++) {
        double v = value_at(c, k, i);
        if (isfinite(v)) {
            vn__print(t, drawing ? " L" : " M");
            print_place(t, x_of(c, i));
            vn__print(t, " ");
            print_place(t, y_of(c, v));
        }
        drawing = isfinite(v);
    }
    vn__print(t, "\"/>\n");
    for (int64_t i = 0; i < n && n <= FEW; i++) {
        double v = value_at(c, k, i);
        if (!isfinite(v)) continue;
        vn__print(t, "<circle class=\"dot c%d\" r=\"2.5\" cx=\"", k);
        print_place(t, x_of(c, i));
        vn__print(t, "\" cy=\"");
        print_place(t, y_of(c, v));
        vn__print(t, "\"/>\n");
    }
}

/* The values for the script: data-values="0.1,0.2". */
static void print_values(vn__text *t, const chart *c, int k)
{
    vn__print(t, "<span class=\"series c%d\" data-values=\"", k);
    for (int64_t i = 0; i < c->r->n_history; i++) {
        vn__print(t, "%s", i ? "," : "");
        vn__print_digits(t, value_at(c, k, i), 6);
    }
    vn__print(t, "\">");
    vn__print_score_name(t, c->curves[k].name);
    vn__print(t, "</span>\n");
}

static void print_chart(vn__text *t, chart *c)
{
    int64_t n = c->r->n_history;
    find_range(c);
    vn__print(t,
              "<figure class=\"chart\" tabindex=\"0\" data-left=\"%d\" data-right=\"%d\" data-top=\"%d\" data-bottom=\"%d\" "
              "data-first=\"%lld\" data-low=\"",
              LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM, (long long)c->r->history[0].epoch);
    vn__print_digits(t, c->low, 17);
    vn__print(t, "\" data-high=\"");
    vn__print_digits(t, c->high, 17);
    vn__print(t, "\">\n<figcaption><b>");
    vn__print_score_name(t, c->curves[0].name);
    vn__print(t, "</b>\n");
    for (int k = 0; k < c->n; k++) print_values(t, c, k);
    vn__print(t, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    vn__print_html(t, c->curves[0].name);
    vn__print(t, " of epochs %lld to %lld\">\n", (long long)c->r->history[0].epoch, (long long)c->r->history[n - 1].epoch);
    print_y_axis(t, c);
    print_x_axis(t, c);
    print_best(t, c);
    for (int k = 0; k < c->n; k++) print_curve(t, c, k);
    vn__print(t, "<g class=\"cursor\"></g>\n</svg>\n<output aria-live=\"polite\">&nbsp;</output>\n</figure>\n");
}

static int find_score(const vn_epoch *e, const char *name)
{
    int i = 0;
    while (i < e->n_scores && strcmp(e->scores[i].name, name) != 0) i++;
    return i < e->n_scores ? i : -1;
}

void vn__print_curves(vn__text *t, const vn_fit_result *r)
{
    if (!r->n_history) {
        vn__print(t, "<p>No epoch was finished.</p>\n");
        return;
    }
    const vn_epoch *first = &r->history[0];
    vn__print(t, "<section>\n<h2>Curves</h2>\n<p class=\"hint\">Point at a chart, or give it the focus and use the arrow keys, to read its "
                 "values.</p>\n"
                 "<div class=\"charts\">\n");
    for (int i = 0; i < first->n_scores; i++) {
        char other[128];
        const char *name = first->scores[i].name;
        if (!strncmp(name, "val_", 4) && find_score(first, name + 4) >= 0) continue; /* it is drawn with its training score */
        snprintf(other, sizeof other, "val_%.100s", name);
        int beside = find_score(first, other);
        chart c = {.r = r, .curves = {{name, i}, {other, beside}}, .n = beside < 0 ? 1 : 2};
        if (r->n_history == 1 || !is_constant(&c)) print_chart(t, &c); /* the numbers above the charts have what does not change */
    }
    chart rate = {.r = r, .curves = {{"lr", -1}}, .n = 1};
    if (!is_constant(&rate)) print_chart(t, &rate);
    vn__print(t, "</div>\n</section>\n");
}
