/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c: progress output: a bar that is redrawn on a terminal, and a line per epoch. A terminal gets colours, unless NO_COLOR is set. */
#include "train/train.h"
#include "core/state.h"
#include "os/clock.h"
#include "os/os.h"
#include "base/minmax.h"
#include <string.h>
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 1, LINES = 2, QUIET = 3, MAX_COLUMNS = 512, PAINT = 12 };
static const double redraw = .1;                                              /* seconds */
static const char bold[] = "1", faint[] = "2", green[] = "32", cyan[] = "36"; /* as ANSI terminals number them */

typedef struct {
    char text[2 * MAX_COLUMNS];
    int used;    /* bytes */
    int shown;   /* characters that can be seen */
    bool colour; /* allowed */
} line;

/* Adds a part, in a colour or NULL, if it fits into the width; returns whether it did. */
static bool paint(line *l, int columns, const char *part, const char *colour)
{
    const int n = (int)strlen(part);
    if (l->shown + n > columns || l->used + n + PAINT >= (int)sizeof l->text) return false;
    const bool painted = colour && l->colour;
    l->used += snprintf(l->text + l->used, sizeof l->text - (size_t)l->used, painted ? "\033[%s%s%s\033[0m" : "%s%s%s",
                        painted ? colour : "", painted ? "m" : "", part);
    l->shown += n;
    return true;
}

static bool add(line *l, int columns, const char *part)
{
    return paint(l, columns, part, NULL);
}

/* Adds a line that was made for the same width. */
static void join(line *l, int columns, const line *part)
{
    if (l->shown + part->shown > columns || l->used + part->used >= (int)sizeof l->text) return;
    memcpy(l->text + l->used, part->text, (size_t)part->used + 1);
    l->used += part->used, l->shown += part->shown;
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
    const char *kind = vn__environment("TERM");
    if (t->style >= BAR && t->style <= QUIET) return t->style;
    return isatty(fileno(to)) && kind && strcmp(kind, "dumb") != 0 ? BAR : LINES;
}

/* https://no-color.org: any value but an empty one says no. */
static bool colours_allowed(FILE *to)
{
    const char *no = vn__environment("NO_COLOR"), *kind = vn__environment("TERM");
    return isatty(fileno(to)) && kind && strcmp(kind, "dumb") != 0 && !(no && *no);
}

static void add_epoch(line *l, int columns, const vn_fit_event *e)
{
    char part[96], last[32];
    int width = snprintf(last, sizeof last, "%lld", (long long)e->epochs);
    snprintf(part, sizeof part, "epoch %*lld/%s", width, (long long)e->epoch, last);
    if (paint(l, columns, part, bold)) return;
    snprintf(part, sizeof part, "%lld/%s", (long long)e->epoch, last);
    paint(l, columns, part, bold);
}

/* Seven characters, or a few more: four decimals of usual scores, five digits of large ones or what stands before the point, two of tiny ones. */
static void score_number(double x, char to[static 32])
{
    const double a = fabs(x);
    if (a >= .001 && a < 10) vn__number_digits(round(x * 1e4) / 1e4, 6, to);
    else vn__number_digits(x, a >= 10 && a < 1e5 ? 5 : 2, to);
}

/* A score, padded to a common width so that columns align; returns whether it fit. */
static bool add_score(line *l, int columns, const vn_score *s)
{
    char name[96], number[32], value[40];
    score_number(s->value, number);
    snprintf(name, sizeof name, "  %.80s", s->name);
    snprintf(value, sizeof value, " %-7s", number);
    if (l->shown + (int)(strlen(name) + strlen(value)) > columns || !paint(l, columns, name, faint)) return false;
    return add(l, columns, value);
}

/* The scores from `first` on, as many as fit. */
static void add_scores(line *l, int columns, const vn_fit_event *e, int first)
{
    for (int i = first; i < e->n_scores; i++)
        if (!add_score(l, columns, &e->scores[i])) return;
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
    paint(l, columns, bar, cyan);
}

/* If not everything fits, the priority is: epoch, loss, remaining time, speed, bar, metrics. */
static void draw_bar(vn_terminal *t, FILE *to, const vn_fit_event *e)
{
    enum { MIN_BAR = 11 };
    double now = vn__clock();
    if (t->drawn > 0 && now - t->drawn < redraw && now >= t->drawn) return;
    t->drawn = now;
    int columns = columns_of(t, to) - 1; /* writing the last column makes some terminals wrap */
    const bool colour = colours_allowed(to);
    line l = {.colour = colour}, scores = {.colour = colour}, left = {.colour = colour}, speed = {.colour = colour};
    char part[128], number[32];
    add_epoch(&l, columns, e);
    int room = columns - l.shown;
    if (e->n_scores) add_score(&scores, room, &e->scores[0]);
    seconds_text(e->left, number);
    snprintf(part, sizeof part, "  %s left", number);
    if (!isnan(e->left)) add(&left, room - scores.shown, part);
    if (e->speed >= 1000) snprintf(number, sizeof number, "%.0f", e->speed);
    else vn__number_digits(e->speed, 3, number);
    snprintf(part, sizeof part, "  %s rows/s", number);
    add(&speed, room - scores.shown - left.shown, part);
    room -= left.shown + speed.shown;
    int bar = room - scores.shown < MIN_BAR ? 0 : MIN_BAR;
    if (scores.shown) add_scores(&scores, room - bar, e, 1);
    add_bar(&l, columns, bar ? room - scores.shown : 0, e->rows > 0 ? (double)e->seen / (double)e->rows : 0);
    join(&l, columns, &scores), join(&l, columns, &speed), join(&l, columns, &left);
    fprintf(to, "\r%s%*s", l.text, t->width > l.shown ? t->width - l.shown : 0, "");
    t->width = l.shown;
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
    line l = {.colour = colours_allowed(to)};
    char part[64], time[48];
    seconds_text(e->seconds, time);
    snprintf(part, sizeof part, e->best ? "  %-7s" : "  %s", time);
    const char *best = e->best ? "  best" : "";
    const int room = columns - (int)(strlen(part) + strlen(best));
    add_epoch(&l, room, e);
    add_scores(&l, room, e, 0);
    add(&l, columns, part), paint(&l, columns, best, *best ? green : NULL);
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
        if (event->moment == VN_FIT_EPOCH)
            print_epoch(to, event, style == BAR ? vn__min(columns_of(t, to), (int)MAX_COLUMNS) : MAX_COLUMNS);
        else print_end(to, event);
        fflush(to);
    }
    return 0;
}
