/* SPDX-License-Identifier: Apache-2.0 */
/* residuals.c: how far predicted numbers are from the true ones, on the page: one against the other, and how often which difference occurs. */
#include "train/train.h"
#include <math.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 96, RIGHT = 44, TOP = 20, BOTTOM = 48, TICKS = 5, BINS = 24, DOTS = 2000 };

typedef struct {
    double low, high, step;
} axis;

/* From round numbers to round numbers. */
static axis axis_of(double low, double high)
{
    if (!(high > low)) high = low + fmax(fabs(low) * .1, 1e-30), low -= fmax(fabs(low) * .1, 1e-30);
    axis a = {.step = vn__nice_step(high - low, TICKS)};
    a.low = floor(low / a.step) * a.step, a.high = ceil(high / a.step) * a.step;
    return a;
}

static double x_at(const axis *a, double v)
{
    return LEFT + (v - a->low) / (a->high - a->low) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const axis *a, double v)
{
    return TOP + (a->high - v) / (a->high - a->low) * (HEIGHT - TOP - BOTTOM);
}

/* name="12.5" */
static void print_place(vn__text *t, const char *name, double x)
{
    vn__print(t, " %s=\"", name);
    vn__print_digits(t, round(x * 10) / 10, 6);
    vn__print(t, "\"");
}

static void print_tick(vn__text *t, double x, double y, const char *anchor, double value)
{
    vn__print(t, "<text class=\"tick\" text-anchor=\"%s\"", anchor);
    print_place(t, "x", x);
    print_place(t, "y", y);
    vn__print(t, ">");
    vn__print_digits(t, value, 7);
    vn__print(t, "</text>\n");
}

static void print_line(vn__text *t, const char *class, double x1, double y1, double x2, double y2)
{
    vn__print(t, "<line class=\"%s\"", class);
    print_place(t, "x1", x1);
    print_place(t, "y1", y1);
    print_place(t, "x2", x2);
    print_place(t, "y2", y2);
    vn__print(t, "/>\n");
}

static void begin_plot(vn__text *t, const char *title, const char *below, const axis *x, const axis *y)
{
    vn__print(t,
              "<figure class=\"plot\">\n<figcaption><b>%s</b></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
              title, WIDTH, HEIGHT, title);
    for (int i = 0; i <= 2 * TICKS && y->low + i * y->step <= y->high + y->step / 2; i++) {
        const double v = fabs(y->low + i * y->step) < y->step * 1e-6 ? 0 : y->low + i * y->step;
        print_line(t, "grid", LEFT, y_at(y, v), WIDTH - RIGHT, y_at(y, v));
        print_tick(t, LEFT - 8, y_at(y, v) + 4, "end", v);
    }
    for (int i = 0; i <= 2 * TICKS && x->low + i * x->step <= x->high + x->step / 2; i++) {
        const double v = fabs(x->low + i * x->step) < x->step * 1e-6 ? 0 : x->low + i * x->step;
        print_tick(t, x_at(x, v), HEIGHT - BOTTOM + 20, "middle", v);
    }
    print_line(t, "axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
    vn__print(t, "<text class=\"tick\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 7,
              below);
}

static void end_plot(vn__text *t)
{
    vn__print(t, "</svg>\n</figure>\n");
}

/* ---- predicted against true ---- */

static void print_scatter(vn__text *t, const vn__examples *e, double low, double high)
{
    const axis a = axis_of(low, high); /* the same for both, so that equal numbers lie on the diagonal */
    const int64_t step = e->rows / DOTS + 1;
    begin_plot(t, "predicted against true", "true", &a, &a);
    print_line(t, "best", x_at(&a, a.low), y_at(&a, a.low), x_at(&a, a.high), y_at(&a, a.high));
    for (int64_t i = 0; i < e->rows; i += step) {
        if (!isfinite(e->truth[i]) || !isfinite(e->predicted[i])) continue;
        vn__print(t, "<circle class=\"dot c0\" r=\"3\" fill-opacity=\".6\"");
        print_place(t, "cx", x_at(&a, e->truth[i]));
        print_place(t, "cy", y_at(&a, e->predicted[i]));
        vn__print(t, "/>\n");
    }
    end_plot(t);
}

/* ---- how often which difference occurs ---- */

static void print_histogram(vn__text *t, const vn__examples *e, double low, double high)
{
    const axis x = axis_of(low, high);
    int64_t counts[BINS] = {0}, most = 0;
    for (int64_t i = 0; i < e->rows; i++) {
        const double d = e->predicted[i] - e->truth[i], at = (d - x.low) / (x.high - x.low) * BINS;
        if (!isfinite(d)) continue;
        const int bin = at < 0 ? 0 : at >= BINS ? BINS - 1 : (int)at;
        if (++counts[bin] > most) most = counts[bin];
    }
    const axis y = axis_of(0, (double)most);
    begin_plot(t, "residuals", "predicted minus true", &x, &y);
    for (int i = 0; i < BINS; i++) {
        const double left = LEFT + (double)i / BINS * (WIDTH - LEFT - RIGHT), top = y_at(&y, (double)counts[i]);
        vn__print(t, "<rect class=\"dot c0\"");
        print_place(t, "x", left + 1);
        print_place(t, "width", (double)(WIDTH - LEFT - RIGHT) / BINS - 2);
        print_place(t, "y", top);
        print_place(t, "height", HEIGHT - BOTTOM - top);
        vn__print(t, "/>\n");
    }
    if (x.low < 0 && x.high > 0) print_line(t, "best", x_at(&x, 0), TOP, x_at(&x, 0), HEIGHT - BOTTOM);
    end_plot(t);
}

void vn__print_residuals(vn__text *t, const vn__examples *e)
{
    double low = INFINITY, high = -INFINITY, down = INFINITY, up = -INFINITY;
    for (int64_t i = 0; i < e->rows; i++) {
        const double d = e->predicted[i] - e->truth[i];
        if (!isfinite(d)) continue;
        low = fmin(low, fmin(e->truth[i], e->predicted[i])), high = fmax(high, fmax(e->truth[i], e->predicted[i]));
        down = fmin(down, d), up = fmax(up, d);
    }
    if (!(low <= high) || !isfinite(high - low)) return;
    vn__print(t, "<h3>Residuals</h3>\n<div class=\"charts\">\n");
    print_scatter(t, e, low, high);
    print_histogram(t, e, down, up);
    vn__print(t, "</div>\n");
}
