/* SPDX-License-Identifier: Apache-2.0 */
/* chart.c: a chart of scores over epochs, each a line. Lines, axes and ticks are SVG; the values are also in attributes for the page's
 * script. curves.c and compare.c choose what is drawn. */
#include "train/train.h"
#include <math.h>

enum { WIDTH = 640, HEIGHT = 300, LEFT = 96, RIGHT = 20, TOP = 20, BOTTOM = 48, TICKS = 5 };

typedef struct {
    const vn__chart *of;
    int64_t first, n;       /* epochs: the first one, and how many */
    double low, high, step; /* range of the values, and the tick distance */
} chart;

static const vn_epoch *epoch_of(const vn__series *s, int64_t epoch)
{
    const vn_fit_result *r = s->result;
    const int64_t i = r->n_history ? epoch - r->history[0].epoch : -1;
    return i >= 0 && i < r->n_history ? &r->history[i] : NULL;
}

/* NaN where the training has no such epoch, or the epoch no such score. */
static double value_at(const chart *c, int k, int64_t i)
{
    const vn__series *s = &c->of->series[k];
    const vn_epoch *e = epoch_of(s, c->first + i);
    return !e ? NAN : s->score < 0 ? e->lr : s->score < e->n_scores ? e->scores[s->score].value : NAN;
}

static chart begin(const vn__chart *of)
{
    int64_t first = INT64_MAX, last = 0;
    for (int k = 0; k < of->n; k++) {
        const vn_fit_result *r = of->series[k].result;
        if (!r->n_history) continue;
        if (r->history[0].epoch < first) first = r->history[0].epoch;
        if (r->history[0].epoch + r->n_history - 1 > last) last = r->history[0].epoch + r->n_history - 1;
    }
    return (chart){.of = of, .first = first, .n = last ? last - first + 1 : 0};
}

bool vn__chart_constant(const vn__chart *of)
{
    const chart c = begin(of);
    for (int k = 0; k < of->n; k++)
        for (int64_t i = 0; i < c.n; i++)
            if (value_at(&c, k, i) != value_at(&c, 0, 0)) return false; /* a NaN, too */
    return true;
}

double vn__nice_step(double range, int steps)
{
    double raw = range / steps, power = pow(10, floor(log10(raw))), x = raw / power;
    return power * (x <= 1 ? 1 : x <= 2 ? 2 : x <= 5 ? 5 : 10);
}

static void find_range(chart *c)
{
    c->low = INFINITY, c->high = -INFINITY;
    for (int k = 0; k < c->of->n; k++) {
        for (int64_t i = 0; i < c->n; i++) {
            double v = value_at(c, k, i);
            if (!isfinite(v)) continue;
            c->low = fmin(c->low, v), c->high = fmax(c->high, v);
        }
    }
    if (!(c->low <= c->high)) c->low = 0, c->high = 1;
    double least = fmax(fabs(c->low), fabs(c->high)) * 1e-6 + 1e-30;
    if (!(c->high - c->low > least)) c->high += fmax(least, fabs(c->high) * .1), c->low -= fmax(least, fabs(c->low) * .1);
    if (!isfinite(c->high - c->low)) c->low = -1e300, c->high = 1e300;
    c->step = vn__nice_step(c->high - c->low, TICKS);
    c->low = floor(c->low / c->step) * c->step, c->high = ceil(c->high / c->step) * c->step;
}

static double x_of(const chart *c, int64_t i)
{
    double share = c->n > 1 ? (double)i / (double)(c->n - 1) : .5;
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
    int64_t n = c->n, step = n > 1 ? (int64_t)fmax(1, vn__nice_step((double)(n - 1), 6)) : 1;
    for (int64_t i = 0; i < n; i++) {
        if ((i + 1) % step && i) continue;
        if (!i && n > 1 && step > 1 && step < 3) continue; /* the first would be too close to the next */
        vn__print(t, "<text class=\"tick\" text-anchor=\"middle\" y=\"%d\" x=\"", HEIGHT - BOTTOM + 20);
        print_place(t, x_of(c, i));
        vn__print(t, "\">%lld</text>\n", (long long)(c->first + i));
    }
    vn__print(t, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
    vn__print(t, "<text class=\"tick\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">epoch</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 7);
}

/* ---- the best epochs ---- */

/* The place of the training's best epoch in the chart; -1: it has none there. */
static int64_t best_of(const chart *c, int k)
{
    const vn_fit_result *r = c->of->series[k].result;
    return r->best_epoch && epoch_of(&c->of->series[k], r->best_epoch) ? r->best_epoch - c->first : -1;
}

/* A line at the best epoch of the only training. */
static void print_best(vn__text *t, const chart *c)
{
    const int64_t i = best_of(c, 0);
    if (i < 0) return;
    const double x = x_of(c, i);
    vn__print(t, "<line class=\"best\" y1=\"%d\" y2=\"%d\" x1=\"", TOP, HEIGHT - BOTTOM);
    print_place(t, x);
    vn__print(t, "\" x2=\"");
    print_place(t, x);
    vn__print(t, "\"/><text class=\"tick\" text-anchor=\"%s\" y=\"%d\" x=\"", i * 2 < c->n ? "start" : "end", TOP - 2);
    print_place(t, x);
    vn__print(t, "\">best</text>\n");
}

/* ---- lines ---- */

static void print_dot(vn__text *t, const chart *c, int k, int64_t i, const char *class, const char *radius)
{
    const double v = i < 0 ? NAN : value_at(c, k, i);
    if (!isfinite(v)) return;
    vn__print(t, "<circle class=\"%s c%d\" r=\"%s\" cx=\"", class, k % VN__COLOURS, radius);
    print_place(t, x_of(c, i));
    vn__print(t, "\" cy=\"");
    print_place(t, y_of(c, v));
    vn__print(t, "\"/>\n");
}

/* A path that is broken where a value is not finite; single points are dots. */
static void print_curve(vn__text *t, const chart *c, int k)
{
    enum { FEW = 60 };
    bool drawing = false;
    vn__print(t, "<path class=\"curve c%d s%d\" d=\"", k % VN__COLOURS, c->of->series[k].stroke);
    for (int64_t i = 0; i < c->n; i++) {
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
    for (int64_t i = 0; i < c->n && c->n <= FEW; i++) print_dot(t, c, k, i, "dot", "2.5");
    if (c->of->several) print_dot(t, c, k, best_of(c, k), "mark", "6");
}

/* The values for the script: data-values="0.1,0.2"; nothing where there is no epoch. */
static void print_values(vn__text *t, const chart *c, int k)
{
    const vn__series *s = &c->of->series[k];
    vn__print(t, "<span class=\"series c%d s%d\" data-values=\"", k % VN__COLOURS, s->stroke);
    for (int64_t i = 0; i < c->n; i++) {
        vn__print(t, "%s", i ? "," : "");
        if (epoch_of(s, c->first + i)) vn__print_digits(t, value_at(c, k, i), 6);
    }
    vn__print(t, "\">");
    if (c->of->several) vn__print_html(t, s->name);
    else vn__print_score_name(t, s->name);
    vn__print(t, "</span>\n");
}

void vn__print_chart(vn__text *t, const vn__chart *of)
{
    chart c = begin(of);
    if (!c.n) return;
    find_range(&c);
    vn__print(t,
              "<figure class=\"chart\" tabindex=\"0\" data-left=\"%d\" data-right=\"%d\" data-top=\"%d\" data-bottom=\"%d\" "
              "data-first=\"%lld\" data-low=\"",
              LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM, (long long)c.first);
    vn__print_digits(t, c.low, 17);
    vn__print(t, "\" data-high=\"");
    vn__print_digits(t, c.high, 17);
    vn__print(t, "\">\n<figcaption><b>");
    vn__print_score_name(t, of->name);
    vn__print(t, "</b>\n");
    for (int k = 0; k < of->n; k++) print_values(t, &c, k);
    vn__print(t, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    vn__print_score_name(t, of->name);
    vn__print(t, " of epochs %lld to %lld\">\n", (long long)c.first, (long long)(c.first + c.n - 1));
    print_y_axis(t, &c);
    print_x_axis(t, &c);
    if (!of->several) print_best(t, &c);
    for (int k = 0; k < of->n; k++) print_curve(t, &c, k);
    vn__print(t, "<g class=\"cursor\"></g>\n</svg>\n<output aria-live=\"polite\">&nbsp;</output>\n</figure>\n");
}
