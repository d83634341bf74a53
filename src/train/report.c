/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: the training report, one self-contained HTML page. All content is text and SVG; the script only shows
 * values under the pointer. All text is escaped, and a content security policy forbids requests. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>
#include <time.h>

void vn__print_html(vn__text *t, const char *text)
{
    for (; *text; text++) {
        size_t plain = strcspn(text, "&<>\"'");
        vn__print(t, "%.*s", plain > INT32_MAX ? INT32_MAX : (int)plain, text);
        text += plain;
        if (!*text) return;
        vn__print(t, "&#%d;", *text);
    }
}

void vn__print_score_name(vn__text *t, const char *name)
{
    const bool validation = !strncmp(name, "val_", 4);
    vn__print(t, validation ? "validation " : "");
    vn__print_html(t, !strcmp(name, "lr") ? "learning rate" : name + (validation ? 4 : 0));
}

void vn__print_digits(vn__text *t, double x, int digits)
{
    char number[32];
    vn__number_digits(x, digits, number);
    vn__print(t, "%s", number);
}

/* ---- parts ---- */

static void print_lines(vn__text *t, const char *const *lines)
{
    for (; *lines; lines++) vn__print(t, "%s", *lines);
}

void vn__print_page_head(vn__text *t, const char *title)
{
    vn__print(t, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
                 "'unsafe-inline'; img-src data:\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    vn__print_html(t, title);
    vn__print(t, "</title>\n<style>\n");
    print_lines(t, vn__page_style);
    vn__print(t, "</style>\n</head>\n<body>\n<main>\n<h1>");
    vn__print_html(t, title);
    vn__print(t, "</h1>\n");
}

void vn__print_charts_head(vn__text *t)
{
    vn__print(t, "<section>\n<h2>Curves</h2>\n<p class=\"hint\">Point at a chart, or give it the focus and use the arrow keys, to read its "
                 "values.</p>\n<div class=\"charts\">\n");
}

static void print_card(vn__text *t, const char *name, const char *value)
{
    vn__print(t, "<div class=\"card\"><dt>");
    vn__print_score_name(t, name);
    vn__print(t, "</dt><dd>");
    vn__print_html(t, value);
    vn__print(t, "</dd></div>\n");
}

/* The most important numbers. */
static void print_cards(vn__text *t, const vn_fit_result *r)
{
    char text[96], number[32];
    double seconds = 0;
    for (int64_t i = 0; i < r->n_history; i++) seconds += r->history[i].seconds;
    vn__print(t, "<dl class=\"cards\">\n");
    snprintf(text, sizeof text, "%lld (%s)", (long long)r->epochs, r->stop == VN__UNDER_WAY ? "under way" : vn_fit_stop_name(r->stop));
    print_card(t, "epochs", text);
    snprintf(text, sizeof text, "%lld", (long long)r->steps);
    print_card(t, "steps", text);
    if (r->best_epoch) {
        snprintf(text, sizeof text, "%lld", (long long)r->best_epoch);
        print_card(t, "best epoch", text);
    }
    vn__number_digits(seconds, 4, number);
    snprintf(text, sizeof text, "%s s", number);
    print_card(t, "time", text);
    const vn_epoch *last = r->n_history ? &r->history[r->n_history - 1] : NULL;
    for (int i = 0; last && i < last->n_scores; i++) {
        vn__number_digits(last->scores[i].value, 5, number);
        print_card(t, last->scores[i].name, number);
    }
    if (last && vn__rate_is_constant(r)) {
        vn__number_digits(last->lr, 5, number);
        print_card(t, "lr", number);
    }
    vn__print(t, "</dl>\n");
}

static void print_settings(vn__text *t, const vn_report *r)
{
    if (r->n_notes > 0) {
        vn__print(t, "<section>\n<h2>Settings</h2>\n<div class=\"scroll\"><table class=\"settings\">\n");
        for (int i = 0; i < r->n_notes; i++) {
            vn__print(t, "<tr><th scope=\"row\">");
            vn__print_html(t, r->notes[i].key);
            vn__print(t, "</th><td>");
            vn__print_html(t, r->notes[i].value);
            vn__print(t, "</td></tr>\n");
        }
        vn__print(t, "</table></div>\n</section>\n");
    }
    if (!r->summary) return;
    vn__print(t, "<section>\n<h2>Model</h2>\n<pre tabindex=\"0\">");
    vn__print_html(t, r->summary);
    vn__print(t, "</pre>\n</section>\n");
}

static int print_test(vn__text *t, const vn_report *r, const vn__examples *single)
{
    const vn_evaluation *e = r->test;
    if (!e) return VN_OK;
    vn__print(t, "<section>\n<h2>Evaluation</h2>\n<p>");
    vn__print_html(t, r->test_about ? r->test_about : "");
    for (int i = 0; i < e->n_scores; i++) {
        vn__print(t, "%s", i || r->test_about ? ", " : "");
        vn__print_html(t, e->scores[i].name);
        vn__print(t, " ");
        vn__print_digits(t, e->scores[i].value, 5);
    }
    vn__print(t, "</p>\n");
    vn__print(t, "<div class=\"beside\">\n");
    vn__print_matrix(t, e, r->classes);
    const int code = single ? vn__print_worst(t, single, r->classes) : VN_OK;
    vn__print(t, "</div>\n");
    if (single) vn__print_residuals(t, single);
    vn__print(t, "</section>\n");
    return code;
}

/* ---- the page ---- */

int vn__page_end(vn__text *t, const char *path, const char *who)
{
    char date[64] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, ", %Y-%m-%d %H:%M UTC", &parts); /* numbers only: the same in any locale */
    vn__print(t, "<footer>Vinea %s%s</footer>\n</main>\n<script>\n", vn_version(), date);
    print_lines(t, vn__page_script);
    vn__print(t, "</script>\n</body>\n</html>\n");
    const int code = t->failed ? vn__no_memory(who) : vn__write_whole(path, t->text, t->size, who);
    vn__free(t->text);
    return code;
}

static int check(const vn_report *r, const char *who)
{
    if (r->n_notes < 0 || (r->n_notes && !r->notes))
        return vn__fail(VN_E_ARG, "%s: %d notes in a list that is %s", who, r->n_notes, r->notes ? "there" : "NULL");
    for (int i = 0; i < r->n_notes; i++) {
        if (!r->notes[i].key || !r->notes[i].value) return vn__fail(VN_E_NULL, "%s: key or value of note %d is NULL", who, i);
    }
    return VN_OK;
}

int vn_report_save(const char *path, const vn_report *report)
{
    return vn__report_write(path, report, NULL);
}

int vn__report_write(const char *path, const vn_report *report, const vn__examples *e)
{
    static const char who[] = "report_save";
    vn_report r = {0};
    if (!report) return vn__fail(VN_E_NULL, "%s: the report is NULL", who);
    if (!report->size) return vn__fail(VN_E_ARG, "%s: size is 0; it must be sizeof(vn_report)", who);
    if (vn__take(&r, VN__SIZE_BEFORE(r, reserved), report, who)) return vn_status();
    int code = check(&r, who);
    if (code) return code;
    vn__text t = {0};
    vn__print_page_head(&t, r.title ? r.title : "Training");
    if (r.result) {
        print_cards(&t, r.result);
        vn__print_curves(&t, r.result);
    }
    code = print_test(&t, &r, e);
    vn__print(&t, "<div class=\"beside\">\n");
    print_settings(&t, &r);
    vn__print(&t, "</div>\n");
    if (!code) return vn__page_end(&t, path, who);
    vn__free(t.text);
    return code;
}
