/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c: progress output: a bar that is redrawn on a terminal, and a line per epoch. */
#include "train/train.h"
#include "core/state.h"
#include "os/clock.h"
#include "base/minmax.h"
#include <string.h>
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 1, LINES = 2, QUIET = 3, MOST = 512 };
static const double redraw = .1; /* seconds */

typedef struct {
    char text[MOST];
    int used;
} line;

/* Adds a part if it fits into the width; returns whether it did. */
static bool add(line *l, int columns, const char *part)
{
    int n = (int)strlen(part);
    if (l->used + n > columns || l->used + n >= MOST) return false;
    memcpy(l->text + l->used, part, (size_t)n + 1);
    l->used += n;
    return true;
}

static void seconds_text(double s, char to[static 32])
{
    if (!(s >= 0) || s >= 1e7) memcpy(to, "?", 2);
    else if (s < 10) vn__number_digits(round(s * 1e3) / 1e3, 2, to), memcpy(to + strlen(to), " s", 3);
    else if (s < 3600) snprintf(to, 32, "%d:%02d", (int)s / 60, (int)s % 60);
    else snprintf(to, 32, "%d:%02d:%02d", (int)s / 3600, (int)s / 60 % 60, (int)s % 60);
}

static int columns_of(const vn_terminal *t, FILE *to)
{
    struct winsize size;
    if (t->columns > 0) return t->columns;
    if (!ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col > 0) return size.ws_col;
    return 80;
}

static int style_of(const vn_terminal *t, FILE *to)
{
    const char *kind = secure_getenv("TERM");
    if (t->style >= BAR && t->style <= QUIET) return t->style;
    return isatty(fileno(to)) && kind && strcmp(kind, "dumb") != 0 ? BAR : LINES;
}

static void add_epoch(line *l, int columns, const vn_fit_event *e)
{
    char part[96], last[32];
    int width = snprintf(last, sizeof last, "%lld", (long long)e->epochs);
    snprintf(part, sizeof part, "epoch %*lld/%s", width, (long long)e->epoch, last);
    if (add(l, columns, part)) return;
    snprintf(part, sizeof part, "%lld/%s", (long long)e->epoch, last);
    add(l, columns, part);
}

/* At most seven characters: four decimals of usual scores, five digits of large ones, two of tiny ones. */
static void score_number(double x, char to[static 32])
{
    const double a = fabs(x);
    if (a >= .001 && a < 10) vn__number_digits(round(x * 1e4) / 1e4, 6, to);
    else vn__number_digits(x, a >= 10 && a < 1e5 ? 5 : 2, to);
}

static void score_text(const vn_score *s, char to[static 128])
{
    char number[32];
    score_number(s->value, number);
    snprintf(to, 128, "  %.80s %-7s", s->name, number); /* padded to a common width, so that columns align */
}

/* The scores from `first` on, as many as fit. */
static void add_scores(line *l, int columns, const vn_fit_event *e, int first)
{
    char part[128];
    for (int i = first; i < e->n_scores; i++) {
        score_text(&e->scores[i], part);
        if (!add(l, columns, part)) return;
    }
}

/* "[=====>    ]" of this width. */
static void add_bar(line *l, int columns, int width, double done)
{
    enum { FRAME = 3, LONGEST = 33 };
    char bar[LONGEST + 1] = " [";
    if (width <= FRAME) return;
    int room = vn__min(width, LONGEST) - FRAME, full = (int)(fmin(1, fmax(0, done)) * room);
    for (int i = 0; i < room; i++) bar[2 + i] = i < full ? '=' : i == full ? '>' : ' ';
    memcpy(bar + 2 + room, "]", 2);
    add(l, columns, bar);
}

/* If not everything fits, the priority is: epoch, loss, remaining time, speed, bar, metrics. */
static void draw_bar(vn_terminal *t, FILE *to, const vn_fit_event *e)
{
    enum { LEAST = 11 };
    double now = vn__clock();
    if (t->drawn > 0 && now - t->drawn < redraw && now >= t->drawn) return;
    t->drawn = now;
    int columns = columns_of(t, to) - 1; /* writing the last column makes some terminals wrap */
    line l = {.used = 0}, scores = {.used = 0}, left = {.used = 0}, speed = {.used = 0};
    char part[128], number[32];
    add_epoch(&l, columns, e);
    int room = columns - l.used;
    if (e->n_scores) score_text(&e->scores[0], part), add(&scores, room, part);
    seconds_text(e->left, number);
    snprintf(part, sizeof part, "  %s left", number);
    if (!isnan(e->left)) add(&left, room - scores.used, part);
    if (e->speed >= 1000) snprintf(number, sizeof number, "%.0f", e->speed);
    else vn__number_digits(e->speed, 3, number);
    snprintf(part, sizeof part, "  %s rows/s", number);
    add(&speed, room - scores.used - left.used, part);
    room -= left.used + speed.used;
    int bar = room - scores.used < LEAST ? 0 : LEAST;
    if (scores.used) add_scores(&scores, room - bar, e, 1);
    add_bar(&l, columns, bar ? room - scores.used : 0, e->rows > 0 ? (double)e->seen / (double)e->rows : 0);
    add(&l, columns, scores.text), add(&l, columns, speed.text), add(&l, columns, left.text);
    fprintf(to, "\r%s%*s", l.text, t->width > l.used ? t->width - l.used : 0, "");
    t->width = l.used;
    fflush(to);
}

/* Clears the bar before a full line. */
static void wipe(vn_terminal *t, FILE *to)
{
    if (t->width) fprintf(to, "\r%*s\r", t->width, "");
    t->width = 0;
}

/* In a narrow terminal as many scores as fit, before the time. */
static void print_epoch(FILE *to, const vn_fit_event *e, int columns)
{
    line l = {.used = 0};
    char part[64], time[48];
    seconds_text(e->seconds, time);
    snprintf(part, sizeof part, "  %s%s", time, e->best ? "  best" : "");
    const int room = columns - (int)strlen(part);
    add_epoch(&l, room, e);
    add_scores(&l, room, e, 0);
    add(&l, columns, part);
    fprintf(to, "%s\n", l.text);
}

static void print_end(FILE *to, const vn_fit_event *e)
{
    if (e->stop == VN_STOP_EARLY) fprintf(to, "stopped early after epoch %lld: no improvement\n", (long long)e->epoch);
    if (e->stop == VN_STOP_CALLBACK) fprintf(to, "stopped in epoch %lld, after step %lld\n", (long long)e->epoch, (long long)e->step);
    if (e->stop == VN_STOP_INTERRUPTED)
        fprintf(to, "interrupted in epoch %lld, after step %lld\n", (long long)e->epoch, (long long)e->step);
}

int vn_progress_terminal(const vn_fit_event *event, void *user)
{
    static _Thread_local vn_terminal own;
    vn_terminal *t = user ? user : &own;
    if (!event) return vn__fail(VN_E_NULL, "progress_terminal: event is NULL");
    FILE *to = t->to ? t->to : stderr;
    int style = style_of(t, to);
    if (event->moment == VN_FIT_BEGIN) t->drawn = 0, t->width = 0;
    if (style == QUIET) return 0;
    if (event->moment == VN_FIT_STEP && style == BAR) draw_bar(t, to, event);
    if (event->moment == VN_FIT_EPOCH || event->moment == VN_FIT_END) {
        wipe(t, to);
        t->drawn = 0;
        if (event->moment == VN_FIT_EPOCH) print_epoch(to, event, style == BAR ? vn__min(columns_of(t, to), (int)MOST) : MOST);
        else print_end(to, event);
        fflush(to);
    }
    return 0;
}
