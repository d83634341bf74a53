/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: several trainings on one page: their scores in the same charts, a table of what each reached, and the settings that differ. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

static const char who[] = "report_runs";

typedef struct {
    const vn_run *runs;
    int n;
    const char *scores[2 * VN__MAX_SCORES]; /* all names, validation before its training score */
    int n_scores;
} page;

/* ---- scores ---- */

static bool is_validation(const char *name)
{
    return !strncmp(name, "val_", 4);
}

static void add_score(page *p, const char *name)
{
    for (int i = 0; i < p->n_scores; i++)
        if (!strcmp(p->scores[i], name)) return;
    if (p->n_scores < 2 * VN__MAX_SCORES) p->scores[p->n_scores++] = name;
}

static void collect_scores(page *p)
{
    for (int validation = 1; validation >= 0; validation--) {
        for (int k = 0; k < p->n; k++) {
            const vn_fit_result *r = p->runs[k].result;
            for (int i = 0; r->n_history && i < r->history[0].n_scores; i++)
                if (is_validation(r->history[0].scores[i].name) == (validation != 0)) add_score(p, r->history[0].scores[i].name);
        }
    }
}

static void print_charts(vn__text *t, const page *p)
{
    enum { NONE = 2 * VN__MAX_SCORES }; /* more than an epoch has */
    vn__print_charts_head(t);
    for (int s = 0; s <= p->n_scores; s++) {
        const char *name = s < p->n_scores ? p->scores[s] : NULL; /* NULL: the learning rate */
        vn__series series[VN__MAX_RUNS];
        for (int k = 0; k < p->n; k++) {
            const int at = name ? vn__find_score(p->runs[k].result, name) : -1;
            series[k] = (vn__series){p->runs[k].name, p->runs[k].result, name && at < 0 ? NONE : at, k / VN__COLOURS};
        }
        const vn__chart c = {.name = name ? name : "lr", .series = series, .n = p->n, .several = true};
        if (!vn__chart_constant(&c)) vn__print_chart(t, &c);
    }
    vn__print(t, "</div>\n</section>\n");
}

/* ---- what each reached ---- */

/* The score in the best epoch, or the last one; NaN: it has none. */
static double reached(const vn_fit_result *r, const char *name)
{
    const int at = vn__find_score(r, name);
    const int64_t i = r->best_epoch ? r->best_epoch - r->history[0].epoch : r->n_history - 1;
    return at < 0 || i < 0 || i >= r->n_history || at >= r->history[i].n_scores ? NAN : r->history[i].scores[at].value;
}

static void print_number_cell(vn__text *t, double x)
{
    vn__print(t, "<td>");
    if (isnan(x)) vn__print(t, "&ndash;");
    else vn__print_digits(t, x, 5);
    vn__print(t, "</td>");
}

static double seconds_of(const vn_fit_result *r)
{
    double seconds = 0;
    for (int64_t i = 0; i < r->n_history; i++) seconds += r->history[i].seconds;
    return seconds;
}

static void print_name(vn__text *t, const page *p, int k)
{
    vn__print(t, "<span class=\"series c%d s%d\">", k % VN__COLOURS, k / VN__COLOURS);
    vn__print_html(t, p->runs[k].name);
    vn__print(t, "</span>");
}

static void print_reached(vn__text *t, const page *p)
{
    vn__print(t, "<section>\n<h2>Runs</h2>\n<p class=\"hint\">Scores are those of the best epoch, which is marked in the curves.</p>\n"
                 "<div class=\"scroll\" tabindex=\"0\"><table class=\"runs\">\n<thead><tr><th scope=\"col\">run</th><th scope=\"col\">best "
                 "epoch</th><th scope=\"col\">epochs</th>");
    for (int i = 0; i < p->n_scores; i++) {
        vn__print(t, "<th scope=\"col\">");
        vn__print_score_name(t, p->scores[i]);
        vn__print(t, "</th>");
    }
    vn__print(t, "<th scope=\"col\">seconds</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < p->n; k++) {
        const vn_fit_result *r = p->runs[k].result;
        vn__print(t, "<tr><th scope=\"row\">");
        print_name(t, p, k);
        vn__print(t, "</th>");
        print_number_cell(t, r->best_epoch ? (double)r->best_epoch : NAN);
        vn__print(t, "<td>%lld</td>", (long long)r->epochs);
        for (int i = 0; i < p->n_scores; i++) print_number_cell(t, reached(r, p->scores[i]));
        print_number_cell(t, seconds_of(r));
        vn__print(t, "</tr>\n");
    }
    vn__print(t, "</tbody></table></div>\n</section>\n");
}

/* ---- settings ---- */

static const char *setting_of(const vn_run *run, const char *key)
{
    for (int i = 0; i < run->n_notes; i++)
        if (!strcmp(run->notes[i].key, key)) return run->notes[i].value;
    return NULL;
}

/* Does an earlier run, or this one before it, have the setting? Then it has been dealt with. */
static bool is_repeated(const page *p, int run, int note)
{
    const char *key = p->runs[run].notes[note].key;
    for (int k = 0; k <= run; k++)
        for (int i = 0; i < (k < run ? p->runs[k].n_notes : note); i++)
            if (!strcmp(p->runs[k].notes[i].key, key)) return true;
    return false;
}

static bool differs(const page *p, const char *key)
{
    const char *first = setting_of(&p->runs[0], key);
    for (int k = 1; k < p->n; k++) {
        const char *other = setting_of(&p->runs[k], key);
        if (!first != !other || (first && strcmp(first, other) != 0)) return true;
    }
    return false;
}

/* A row of the table. One that is the same everywhere has one cell. */
static void print_setting(vn__text *t, const page *p, const char *key, bool different)
{
    vn__print(t, "<tr><th scope=\"row\">");
    vn__print_html(t, key);
    vn__print(t, "</th>");
    for (int k = 0; k < (different ? p->n : 1); k++) {
        const char *value = setting_of(&p->runs[k], key);
        vn__print(t, "<td>");
        if (value) vn__print_html(t, value);
        else vn__print(t, "&ndash;");
        vn__print(t, "</td>");
    }
    vn__print(t, "</tr>\n");
}

/* Prints the settings that differ, or those that do not; returns how many there are. t: NULL: only counts. */
static int print_settings_that(vn__text *t, const page *p, bool different)
{
    int n = 0;
    for (int k = 0; k < p->n; k++) {
        for (int i = 0; i < p->runs[k].n_notes; i++) {
            const char *key = p->runs[k].notes[i].key;
            if (is_repeated(p, k, i) || differs(p, key) != different) continue;
            if (t) print_setting(t, p, key, different);
            n++;
        }
    }
    return n;
}

static void print_settings(vn__text *t, const page *p)
{
    const int differ = print_settings_that(NULL, p, true), same = print_settings_that(NULL, p, false);
    if (!differ && !same) return;
    vn__print(t, "<section>\n<h2>Settings</h2>\n");
    if (!differ && p->n > 1) vn__print(t, "<p>No setting that is known differs.</p>\n");
    if (differ) {
        vn__print(t,
                  "<div class=\"scroll\" tabindex=\"0\"><table class=\"settings differ\">\n<thead><tr><th scope=\"col\">what differs</th>");
        for (int k = 0; k < p->n; k++) {
            vn__print(t, "<th scope=\"col\">");
            print_name(t, p, k);
            vn__print(t, "</th>");
        }
        vn__print(t, "</tr></thead>\n<tbody>\n");
        print_settings_that(t, p, true);
        vn__print(t, "</tbody></table></div>\n");
    }
    if (same) {
        vn__print(t, "<details%s><summary>%d the same in all runs</summary>\n<div class=\"scroll\"><table class=\"settings\">\n",
                  differ ? "" : " open", same);
        print_settings_that(t, p, false);
        vn__print(t, "</table></div>\n</details>\n");
    }
    vn__print(t, "</section>\n");
}

/* ---- the page ---- */

static int check(const vn_run *runs, int n)
{
    if (n < 1 || n > VN__MAX_RUNS) return vn__fail(VN_E_ARG, "%s: %d runs; 1 to %d fit on a page", who, n, VN__MAX_RUNS);
    for (int k = 0; k < n; k++) {
        const vn_run *r = &runs[k];
        if (r->size != sizeof *r) return vn__fail(VN_E_ARG, "%s: the size of run %d is %zu; it must be sizeof(vn_run)", who, k, r->size);
        if (!r->name || !r->result || (r->n_notes > 0 && !r->notes) || r->n_notes < 0)
            return vn__fail(VN_E_NULL, "%s: run %d has no %s", who, k, !r->name ? "name" : !r->result ? "result" : "notes");
        for (int i = 0; i < r->n_notes; i++)
            if (!r->notes[i].key || !r->notes[i].value)
                return vn__fail(VN_E_NULL, "%s: key or value of note %d of run %d is NULL", who, i, k);
    }
    return VN_OK;
}

int vn_report_runs(const char *path, const vn_run *runs, int n, const char *title)
{
    if (!runs) return vn__fail(VN_E_NULL, "%s: runs is NULL", who);
    const int code = check(runs, n);
    if (code) return code;
    page p = {.runs = runs, .n = n};
    vn__text t = {0};
    collect_scores(&p);
    vn__print_page_head(&t, title ? title : "Trainings");
    print_reached(&t, &p);
    if (p.n_scores) print_charts(&t, &p);
    else vn__print(&t, "<p>No epoch was finished.</p>\n");
    print_settings(&t, &p);
    return vn__page_end(&t, path, who);
}
