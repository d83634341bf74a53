/* SPDX-License-Identifier: Apache-2.0 */
/* badge.c: SVG badges: a title on the left, a result on the right, as wide as their text. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

/* Widths of the characters ' ' to '~' in Verdana, in thousandths of the font size. */
static const short widths[] = {
    352, 394, 459, 818, 636, 1076, 727, 269, 454,  454, 636, 818, 364, 454, 364, 454, 636, 636, 636, 636, 636, 636, 636, 636, /* to 7 */
    636, 636, 454, 454, 818, 818,  818, 545, 1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843, 748, 787, /* to O */
    603, 787, 695, 684, 616, 732,  684, 989, 685,  615, 685, 454, 454, 454, 818, 636, 636, 601, 623, 521, 623, 596, 352, 623, /* to g */
    633, 274, 344, 592, 274, 973,  633, 607, 623,  623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818};
enum { FONT = 11, PAD = 6, OTHER = 700, MIDDLE_DOT = 364 };

static int text_width(const char *s)
{
    int sum = 0;
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= ' ' && c <= '~') sum += widths[c - ' '];
        else if (c == 0xc2 && (unsigned char)s[1] == 0xb7) sum += MIDDLE_DOT;
        else if (c >= 0xc0) sum += OTHER; /* the first byte of any other character */
    }
    return (sum * FONT + 999) / 1000;
}

/* One half: a box and its text, which is stretched to the computed width in any font. */
static void half(text *t, int x, int width, const char *colour, const char *s)
{
    text_add(t, "<rect x=\"%d\" width=\"%d\" height=\"20\" fill=\"%s\"/>", x, width, colour);
    text_add(t, "<text x=\"%d\" y=\"14\" textLength=\"%d\">", x + PAD, width - 2 * PAD);
    text_html(t, s);
    text_add(t, "</text>");
}

/* left may be NULL. */
static int write_badge(const char *folder, const char *name, const char *left, const char *right, const char *colour, report_problem *p)
{
    text t = {0};
    int a = left ? text_width(left) + 2 * PAD : 0, b = text_width(right) + 2 * PAD;
    char file[320];
    text_add(&t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" aria-label=\"", a + b);
    for (int i = 0; i < 2; i++) {
        if (i) text_add(&t, "\"><title>");
        if (left) text_html(&t, left), text_add(&t, ": ");
        text_html(&t, right);
    }
    text_add(&t,
             "</title><clipPath id=\"r\"><rect width=\"%d\" height=\"20\" rx=\"3\"/></clipPath><g clip-path=\"url(#r)\" fill=\"#fff\" "
             "font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"%d\">",
             a + b, FONT);
    if (left) half(&t, 0, a, "#444c56", left);
    half(&t, a, b, colour, right);
    text_add(&t, "</g></svg>\n");
    snprintf(file, sizeof file, "%s.svg", name);
    return file_write(folder, file, &t, p);
}

static void add_count(char to[static 96], const int64_t n[static REPORT_STATES], report_state s)
{
    size_t at = strlen(to);
    if (n[s]) snprintf(to + at, 96 - at, ", %lld %s", (long long)n[s], report_states[s].word);
}

/* "14/14", "12/14, 2 n/a", "11/14, 1 fail, 2 n/a", and the colour of the worst state. Cells that were not run do not count. */
static const char *summary(const int64_t n[static REPORT_STATES], char to[static 96])
{
    int64_t all = 0;
    for (int s = 0; s < REPORT_NOT_RUN; s++) all += n[s];
    snprintf(to, 96, "not run");
    if (!all) return report_states[REPORT_UNSUPPORTED].colour;
    snprintf(to, 96, "%lld/%lld", (long long)n[REPORT_PASS], (long long)all);
    report_state worst = REPORT_PASS;
    for (int s = REPORT_FLAKY; s >= REPORT_FAIL; s--) worst = n[s] ? (report_state)s : worst;
    if (worst != REPORT_PASS) add_count(to, n, worst);
    add_count(to, n, REPORT_KNOWN);
    add_count(to, n, REPORT_UNSUPPORTED);
    return worst == REPORT_PASS && n[REPORT_PASS] < all ? "#5a7d65" : report_states[worst].colour;
}

static int write_summary(const report *r, const char *folder, const char *suite, const report_engine *e, report_problem *p)
{
    char name[256], left[256], right[96], file[128] = "all";
    int64_t n[REPORT_STATES];
    if (suite) suite_file(suite, file);
    snprintf(name, sizeof name, "%s%s%s", file, e ? "-" : "", e ? e->name : "");
    snprintf(left, sizeof left, "%s%s%s", suite ? suite : "conformance", e ? " · " : "", e ? e->name : "");
    count_cells(r, suite, e, n);
    const char *colour = summary(n, right);
    return write_badge(folder, name, left, right, colour, p);
}

static int write_states(const char *folder, report_problem *p)
{
    for (int s = 0; s < REPORT_STATES; s++) {
        char name[64], words[64];
        const report_state_info *i = &report_states[s];
        snprintf(name, sizeof name, "state-%s", i->name);
        snprintf(words, sizeof words, "%s %s", i->sign, i->word);
        if (write_badge(folder, name, NULL, words, s == REPORT_NOT_RUN ? "#6e7781" : i->colour, p)) return 1;
    }
    return write_badge(folder, "state-pass-vinea", NULL, "✓ pass†", report_states[REPORT_PASS].colour, p);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Refuses two suites whose file names would collide ("a/b" and "a-b"). */
static int no_name_twice(const report *r, const suites *s, report_problem *p)
{
    size_t width = 256, n = 0, most = (size_t)(s->n + 1) * (size_t)(r->n_engines + 1) + REPORT_STATES + 1;
    char *names = calloc(most, width), twice[256] = "";
    if (!names) return report_says(p, "badges: out of memory");
    for (int i = -1; i < s->n; i++) {
        for (int e = -1; e < r->n_engines; e++) {
            char file[128] = "all";
            if (i >= 0) suite_file(s->names[i], file);
            snprintf(names + width * n++, width, "%s%s%s", file, e < 0 ? "" : "-", e < 0 ? "" : r->engines[e].name);
        }
    }
    for (int i = 0; i < REPORT_STATES; i++) snprintf(names + width * n++, width, "state-%s", report_states[i].name);
    snprintf(names + width * n++, width, "state-pass-vinea");
    qsort(names, n, width, by_text);
    for (size_t i = 1; i < n; i++) {
        if (!strcmp(names + width * (i - 1), names + width * i)) snprintf(twice, sizeof twice, "%s", names + width * i);
    }
    free(names);
    return *twice ? report_says(p, "the names of two suites or engines give the same file name '%s'", twice) : 0;
}

int badges_write(const report *r, const char *folder, report_problem *p)
{
    char path[4096];
    suites s;
    if (snprintf(path, sizeof path, "%s/badges", folder) >= (int)sizeof path) return report_says(p, "%.400s: the path is too long", folder);
    if (folder_make(path, p) || suites_of(r, &s, p)) return 1;
    int code = no_name_twice(r, &s, p);
    for (int i = -1; i < s.n && !code; i++) {
        for (int e = -1; e < r->n_engines && !code; e++) {
            code = write_summary(r, path, i < 0 ? NULL : s.names[i], e < 0 ? NULL : &r->engines[e], p);
        }
    }
    free(s.names);
    return code ? code : write_states(path, p);
}
