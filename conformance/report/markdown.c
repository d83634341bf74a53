/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.c: a table per suite in the shape of the seeds' dashboards: tests are rows, engines are columns. Above it a summary of the run,
 * below it a line for each cell that did not pass. md/README.md lists the suites. */
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

static void add_counts(text *t, const int64_t n[static REPORT_STATES])
{
    int shown = 0;
    for (int s = 0; s < REPORT_STATES; s++) {
        if (n[s]) text_add(t, "%s%lld %s", shown++ ? ", " : "", (long long)n[s], report_states[s].word);
    }
    text_add(t, shown ? "." : "nothing ran.");
}

/* A summary of the run, in two lines. */
static void add_head(text *t, const report *r, const char *suite)
{
    int64_t n[REPORT_STATES];
    text_markdown(t, r->run.utc);
    text_add(t, " · commit ");
    text_markdown(t, r->run.commit);
    text_add(t, "%s · vinea ", r->run.dirty ? " with changes" : "");
    text_markdown(t, r->run.vinea);
    text_add(t, " · seed %lld · ", (long long)r->run.seed);
    for (int i = 0; i < r->n_engines; i++) {
        const report_engine *e = &r->engines[i];
        text_add(t, "%s%s", i ? ", " : "", e->name);
        if (e->version) text_add(t, " "), text_markdown(t, e->version);
        if (!e->present) text_add(t, " (not available)");
        else if (e->device) text_add(t, " ("), text_markdown(t, e->device), text_add(t, ")");
    }
    count_cells(r, suite, NULL, n);
    text_add(t, "\n\n");
    add_counts(t, n);
    text_add(t, "\n\n");
}

/* For an address after '#'. */
static void add_percent(text *t, const char *s)
{
    for (; *s; s++) {
        bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || strchr("-._~/", *s);
        if (plain) text_put(t, s, 1);
        else text_add(t, "%%%02X", (unsigned)(unsigned char)*s);
    }
}

static const char *word_of(const report_cell *c)
{
    return !c ? report_states[REPORT_NOT_RUN].word : c->state == REPORT_PASS && fell_back(c) ? "pass†" : report_states[c->state].word;
}

/* The tooltip of a cell. */
static void add_title(text *t, const report_test *test, const report_cell *c, bool times)
{
    text_add(t, " title=\"");
    if (!c) text_add(t, "no result in this run");
    if (c && c->state != REPORT_PASS && c->reason) text_html(t, c->reason), text_add(t, ", ");
    if (c && !isnan(c->max_abs)) text_add(t, "max err %.1e, ", c->max_abs);
    if (c) text_add(t, "rtol %.0e, %lld cases", test->rtol, (long long)c->cases);
    if (c && times) text_add(t, ", %.0f ms", c->duration_ms);
    if (c && fell_back(c)) text_add(t, ", computed by vinea");
    text_add(t, "\"");
}

static void add_cell(text *t, const report_test *test, const report_engine *e, const report_options *o)
{
    const report_cell *c = cell_of(test, e);
    if (o->plain) {
        text_add(t, "%s", word_of(c));
        return;
    }
    if (!o->tables) {
        text_add(t, "<a href=\"../");
        if (c && report_states[c->state].bad && c->case_file) {
            text_html(t, c->case_file);
        } else {
            text_add(t, "index.html#test=");
            add_percent(t, test->id);
            text_add(t, "&amp;engine=%s", e->name);
        }
        text_add(t, "\"");
        add_title(t, test, c, true);
        text_add(t, ">");
    }
    const char *state = !c ? "not_run" : c->state == REPORT_PASS && fell_back(c) ? "pass-vinea" : report_states[c->state].name;
    text_add(t, "<img src=\"../badges/state-%s.svg\" alt=\"%s\"", state, word_of(c));
    if (o->tables) add_title(t, test, c, false);
    text_add(t, o->tables ? ">" : "></a>");
}

/* ---- a table ---- */
typedef struct grid {
    text *cells; /* rows * columns */
    size_t *widths;
    int rows, columns;
} grid;

static bool grid_make(grid *g, int rows, int columns)
{
    *g = (grid){calloc((size_t)rows * (size_t)columns, sizeof *g->cells), calloc((size_t)columns, sizeof *g->widths), rows, columns};
    return g->cells && g->widths;
}

static text *grid_at(grid *g, int row, int column)
{
    return &g->cells[(size_t)row * (size_t)g->columns + (size_t)column];
}

static const char *cell_text(const text *t)
{
    return t->data ? t->data : "";
}

static void grid_print(text *t, grid *g)
{
    for (int i = 0; i < g->rows * g->columns; i++) {
        size_t n = utf8_count(cell_text(&g->cells[i])), *w = &g->widths[i % g->columns];
        *w = n > *w ? n : *w;
    }
    for (int r = 0; r < g->rows; r++) {
        for (int c = 0; c < g->columns; c++) {
            const char *s = cell_text(grid_at(g, r, c));
            text_add(t, "%s %s%*s |", c ? "" : "|", s, (int)(g->widths[c] - utf8_count(s)), "");
            t->failed |= grid_at(g, r, c)->failed;
        }
        text_add(t, "\n");
        for (int c = 0; !r && c < g->columns; c++) {
            text_add(t, "%s:", c ? "" : "|");
            for (size_t i = 0; i < g->widths[c] + 1; i++) text_put(t, "-", 1);
            text_add(t, c + 1 < g->columns ? "|" : "|\n");
        }
    }
}

static void grid_free(grid *g)
{
    for (int i = 0; g->cells && i < g->rows * g->columns; i++) text_free(&g->cells[i]);
    free(g->cells);
    free(g->widths);
}

static void add_engines(grid *g, const report *r)
{
    for (int e = 0; e < r->n_engines; e++) text_add(grid_at(g, 0, e + 1), "%s", r->engines[e].name);
}

static bool add_table(text *t, const report *r, const char *suite, const report_options *o)
{
    grid g;
    int rows = 1;
    for (int i = 0; i < r->n_tests; i++) rows += !strcmp(r->tests[i].suite, suite);
    bool good = grid_make(&g, rows, r->n_engines + 1);
    for (int i = 0, row = 1; good && i < r->n_tests; i++) {
        if (strcmp(r->tests[i].suite, suite) != 0) continue;
        text_markdown(grid_at(&g, row, 0), r->tests[i].name);
        for (int e = 0; e < r->n_engines; e++) add_cell(grid_at(&g, row, e + 1), &r->tests[i], &r->engines[e], o);
        row++;
    }
    if (good) add_engines(&g, r), grid_print(t, &g);
    grid_free(&g);
    return good;
}

/* ---- below the table ---- */

static void add_line(text *t, const report_test *test, const report_cell *c)
{
    text_add(t, "- ");
    text_markdown(t, test->name);
    text_add(t, " · %s · %s · ", c->engine->name, report_states[c->state].word);
    text_markdown(t, c->reason ? c->reason : c->engine->load_error ? c->engine->load_error : "the engine is not available");
    if (c->message) text_add(t, ": "), text_markdown(t, c->message);
    if (c->repro) text_add(t, " · <code>"), text_markdown(t, c->repro), text_add(t, "</code>");
    text_add(t, "\n");
}

static void add_lines(text *t, const report *r, const char *suite)
{
    bool any = false, foreign = false;
    for (int i = 0; i < r->n_tests; i++) {
        const report_test *test = &r->tests[i];
        for (int k = 0; k < test->n_cells && !strcmp(test->suite, suite); k++) {
            const report_cell *c = &test->cells[k];
            foreign |= c->state == REPORT_PASS && fell_back(c);
            if (c->state == REPORT_PASS) continue;
            if (!any) text_add(t, "\n");
            any = true;
            add_line(t, test, c);
        }
    }
    if (foreign) text_add(t, "\n† computed by vinea: the engine has no kernel for the op, which fell back to native.\n");
}

static int write_suite(const report *r, const char *folder, const char *suite, const report_options *o, report_problem *p)
{
    text t = {0};
    char file[128], name[160];
    text_add(&t, "# %s\n\n", suite);
    add_head(&t, r, suite);
    if (!add_table(&t, r, suite, o)) t.failed = true;
    add_lines(&t, r, suite);
    snprintf(name, sizeof name, "%s.md", suite_file(suite, file));
    return file_write(folder, name, &t, p);
}

/* ---- the list of suites ---- */

static void add_sum(text *t, const report *r, const char *suite, const report_engine *e, bool plain)
{
    char file[128];
    int64_t n[REPORT_STATES], all = 0;
    count_cells(r, suite, e, n);
    for (int s = 0; s < REPORT_STATES; s++) all += s == REPORT_NOT_RUN ? 0 : n[s];
    if (!plain) text_add(t, "<img src=\"../badges/%s-%s.svg\" alt=\"", suite_file(suite, file), e->name);
    if (all) text_add(t, "%lld/%lld", (long long)n[REPORT_PASS], (long long)all);
    else text_add(t, "not run");
    if (!plain) text_add(t, "\">");
}

static int write_list(const report *r, const suites *s, const char *folder, const report_options *o, report_problem *p)
{
    text t = {0};
    grid g;
    char file[128];
    text_add(&t, "# Conformance\n\n");
    add_head(&t, r, NULL);
    if (grid_make(&g, s->n + 1, r->n_engines + 1)) {
        add_engines(&g, r);
        for (int i = 0; i < s->n; i++) {
            text_add(grid_at(&g, i + 1, 0), "[%s](%s.md)", s->names[i], suite_file(s->names[i], file));
            for (int e = 0; e < r->n_engines; e++) add_sum(grid_at(&g, i + 1, e + 1), r, s->names[i], &r->engines[e], o->plain);
        }
        grid_print(&t, &g);
    } else {
        t.failed = true;
    }
    grid_free(&g);
    return file_write(folder, "README.md", &t, p);
}

int markdown_write(const report *r, const char *folder, const report_options *o, report_problem *p)
{
    char path[4096];
    suites s;
    if (snprintf(path, sizeof path, "%s/md", folder) >= (int)sizeof path) return report_says(p, "%.400s: the path is too long", folder);
    if (folder_make(path, p) || suites_of(r, &s, p)) return 1;
    int code = write_list(r, &s, path, o, p);
    for (int i = 0; i < s.n && !code; i++) code = write_suite(r, path, s.names[i], o, p);
    free(s.names);
    return code;
}
