/* SPDX-License-Identifier: Apache-2.0 */
/* render.c: renders a report into one folder. */
#include "inside.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- suites and cells ---- */

static bool is_listed(const suites *s, const char *name)
{
    for (int i = 0; i < s->n; i++) {
        if (!strcmp(s->names[i], name)) return true;
    }
    return false;
}

int suites_of(const report *r, suites *s, report_problem *p)
{
    *s = (suites){calloc((size_t)r->n_tests + 1, sizeof *s->names), 0};
    if (!s->names) return report_says(p, "suites: out of memory");
    for (int i = 0; i < r->n_tests; i++) {
        if (i && !strcmp(r->tests[i].suite, r->tests[i - 1].suite)) continue;
        if (!is_listed(s, r->tests[i].suite)) s->names[s->n++] = r->tests[i].suite;
    }
    return 0;
}

const char *suite_file(const char *suite, char to[static 128])
{
    snprintf(to, 128, "%s", suite);
    for (char *c = to; *c; c++) {
        if (*c == '/') *c = '-';
    }
    return to;
}

const report_cell *cell_of(const report_test *t, const report_engine *e)
{
    for (int i = 0; i < t->n_cells; i++) {
        if (t->cells[i].engine == e) return &t->cells[i];
    }
    return NULL;
}

bool fell_back(const report_cell *c)
{
    return c->computed_by && !strcmp(c->computed_by, "vinea") && strcmp(c->engine->name, "native") != 0;
}

void count_cells(const report *r, const char *suite, const report_engine *engine, int64_t to[static REPORT_STATES])
{
    memset(to, 0, REPORT_STATES * sizeof *to);
    for (int i = 0; i < r->n_tests; i++) {
        const report_test *t = &r->tests[i];
        if (suite && strcmp(t->suite, suite) != 0) continue;
        for (int k = 0; k < t->n_cells; k++) {
            if (!engine || t->cells[k].engine == engine) to[t->cells[k].state]++;
        }
    }
}

/* ---- the folder ---- */

static int write_verdicts(const report *r, const char *folder, report_problem *p)
{
    verdicts *v = verdicts_of(r, p);
    if (!v) return 1;
    text t = {0};
    verdicts_print(&t, v, r, true);
    verdicts_free(v);
    return file_write(folder, "verdicts.json", &t, p);
}

static int write_page(const report *r, const char *folder, const verdicts *baseline, report_problem *p)
{
    char path[PATH_MAX];
    history h = {0};
    int code = snprintf(path, sizeof path, "%s/history.jsonl", folder) < (int)sizeof path
                   ? 0
                   : report_says(p, "%.400s: the path is too long", folder);
    if (!code) code = history_read(&h, r, path, p);
    if (!code) code = page_write(r, &h, baseline, folder, p);
    history_free(&h);
    return code;
}

int report_render(const report *r, const char *folder, const report_options *options, report_problem *p)
{
    static const report_options defaults = {0};
    const report_options *o = options ? options : &defaults;
    if (folder_make(folder, p) || badges_write(r, folder, p) || markdown_write(r, folder, o, p) || write_verdicts(r, folder, p)) return 1;
    return o->tables ? 0 : write_page(r, folder, o->baseline, p);
}

int report_publish(const char *folder, const report_options *options, report_problem *p)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/report.json", folder) >= (int)sizeof path)
        return report_says(p, "%.400s: the path is too long", folder);
    report *r = report_read(path, p);
    int code = !r || report_history_append(r, folder, p) || report_render(r, folder, options, p);
    report_free(r);
    return code;
}
