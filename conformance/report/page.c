/* SPDX-License-Identifier: Apache-2.0 */
/* page.c: index.html: page.html with style, scripts and data inserted. The page loads nothing from elsewhere. */
#include "inside.h"

#include "failures_js.h"
#include "matrix_js.h"
#include "model_js.h"
#include "page_css.h"
#include "page_html.h"
#include "page_js.h"
#include "panel_js.h"
#include "seed_matrix_csv.h"
#include "views_js.h"

#include <string.h>

/* The letters of all cells, tests outside, engines inside. */
static void put_letters(text *t, const report *r, const verdicts *v)
{
    text_put(t, "\"", 1);
    for (int i = 0; i < r->n_tests; i++) {
        for (int e = 0; e < r->n_engines; e++) {
            text_put(t, &verdicts_at(v, r->tests[i].id, r->engines[e].name)->letter, 1);
        }
    }
    text_put(t, "\"", 1);
}

static void put_run(text *t, const report *r, const verdicts *v)
{
    text_add(t, "{\"utc\":");
    text_json(t, v->utc);
    text_add(t, ",\"commit\":");
    text_json(t, v->commit);
    text_add(t, ",\"vinea\":");
    text_json(t, v->vinea);
    text_add(t, ",\"cells\":");
    put_letters(t, r, v);
    text_put(t, "}", 1);
}

static void put_history(text *t, const report *r, const history *h)
{
    text_add(t, ",\n\"history\":[");
    for (int i = 0; i < h->n; i++) {
        if (i) text_put(t, ",\n", 2);
        put_run(t, r, h->runs[i]);
    }
    text_add(t, "],\n\"skipped\":%d,\n\"changes\":[", h->skipped);
    int shown = 0;
    for (size_t i = 0; i < h->n_changes; i++) {
        const last_change *c = &h->changes[i];
        if (!c->from) continue;
        text_add(t, "%s[%zu,", shown++ ? "," : "", i);
        text_json(t, c->utc);
        text_put(t, ",", 1);
        text_json(t, c->commit);
        text_add(t, ",\"%c\"]", c->from);
    }
    text_put(t, "]", 1);
}

/* The cells that changed since the run before, among those that ran in both. */
static void put_moved(text *t, const report *r, const verdicts *before)
{
    int shown = 0;
    text_add(t, ",\n\"moved\":[");
    for (int i = 0; before && i < r->n_tests; i++) {
        for (int e = 0; e < r->n_engines; e++) {
            const report_cell *c = cell_of(&r->tests[i], &r->engines[e]);
            const report_state_info *was = verdicts_at(before, r->tests[i].id, r->engines[e].name);
            const char *change = c && was->ran && report_states[c->state].ran ? report_change(was, &report_states[c->state]) : NULL;
            if (change) text_add(t, "%s[%d,\"%s\"]", shown++ ? "," : "", i * r->n_engines + e, change);
        }
    }
    text_put(t, "]", 1);
}

/* The list of states, so that the page needs no list of its own. */
static void put_states(text *t)
{
    text_add(t, ",\n\"states\":[");
    for (int s = 0; s < REPORT_STATES; s++) {
        const report_state_info *i = &report_states[s];
        text_add(t, "%s{\"name\":\"%s\",\"word\":\"%s\",\"sign\":\"%s\",\"letter\":\"%c\",\"ran\":%s}", s ? "," : "", i->name, i->word,
                 i->sign, i->letter, i->ran ? "true" : "false");
    }
    text_put(t, "]", 1);
}

static void put_data(text *t, const report *r, const history *h, const verdicts *baseline)
{
    text_add(t, "{\"report\":");
    pack_json(t, r->root);
    text_add(t, ",\n\"order\":[");
    for (int e = 0; e < r->n_engines; e++) {
        if (e) text_put(t, ",", 1);
        text_json(t, r->engines[e].name);
    }
    text_put(t, "]", 1);
    put_states(t);
    put_history(t, r, h);
    put_moved(t, r, baseline ? baseline : h->n ? h->runs[h->n - 1] : NULL);
    text_add(t, ",\n\"baseline\":");
    if (baseline) put_run(t, r, baseline);
    else text_add(t, "null");
    text_add(t, ",\n\"seeds\":");
    text_json(t, seed_matrix_csv);
    text_put(t, "}", 1);
}

/* The files that page.html names as {{file}}; {{data}} is the report. */
static const struct part {
    const char *name, *contents;
} parts[] = {{"page.css", page_css}, {"model.js", model_js},       {"matrix.js", matrix_js}, {"panel.js", panel_js},
             {"views.js", views_js}, {"failures.js", failures_js}, {"page.js", page_js}};

static const char *part_of(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i].name) == size && !memcmp(parts[i].name, name, size)) return parts[i].contents;
    }
    return NULL;
}

int page_write(const report *r, const history *h, const verdicts *baseline, const char *folder, report_problem *p)
{
    text t = {0};
    const char *at = page_html, *open, *close;
    while ((open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
        text_put(&t, at, (size_t)(open - at));
        const char *part = part_of(open + 2, (size_t)(close - open - 2));
        if (part) text_put(&t, part, strlen(part));
        else put_data(&t, r, h, baseline);
        at = close + 2;
    }
    text_add(&t, "%s", at);
    return file_write(folder, "index.html", &t, p);
}
