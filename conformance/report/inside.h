/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h: shared by the files of the dashboard: JSON values, growing strings, files. */
#ifndef VN_REPORT_INSIDE_H
#define VN_REPORT_INSIDE_H

#include "report.h"

#include "base/base.h"

/* Fills the problem and returns 1. */
int report_says(report_problem *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- JSON (json.c) ---- */
/* Parses a text, which must outlive the value: numbers refer to it. The caller owns the value (json_free). NULL: the problem says
 * where; `name` is the text's name. */
json *json_parse(const char *data, size_t size, const char *name, report_problem *p);
void json_free(json *root);
const json *json_at(const json *object, const char *key); /* NULL if it does not exist or is null */

/* ---- growing strings (text.c) ---- */
typedef struct text {
    char *data; /* ends with 0 */
    size_t size, room;
    bool failed; /* out of memory; what is added later is dropped */
} text;
void text_put(text *t, const char *data, size_t size);
void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_html(text *t, const char *s); /* with < > & " ' escaped, fit for attributes too */
void text_json(text *t, const char *s); /* a JSON string that is safe inside a script element */
/* Text for a Markdown table cell or list item: escaped for HTML and Markdown. */
void text_markdown(text *t, const char *s);
void text_free(text *t);
size_t utf8_count(const char *s); /* characters, not bytes */

/* ---- files (file.c) ---- */
char *file_read(const char *path, size_t most, size_t *size, report_problem *p); /* ends with 0; belongs to the caller */
int folder_make(const char *path, report_problem *p);                            /* and its parents */
/* Writes folder/name atomically, and frees the text. */
int file_write(const char *folder, const char *name, text *t, report_problem *p);

/* ---- history (history.c) ---- */
enum { HISTORY_SHOWN = 50 }; /* runs shown on the page */

typedef struct last_change {
    char *utc, *commit; /* of the run whose verdict differs from the previous one */
    char from;          /* 0: never changed */
} last_change;

typedef struct history {
    verdicts *runs[HISTORY_SHOWN]; /* before the report's, oldest first */
    int n;
    int skipped;          /* lines that could not be read */
    last_change *changes; /* one per test and engine of the report, tests outside */
    size_t n_changes;
} history;

/* Reads the runs before r; a missing file is an empty history. */
int history_read(history *h, const report *r, const char *path, report_problem *p);
void history_free(history *h);
/* One line without a newline; with `lines` a line per test, for readers and diffs. */
void verdicts_print(text *t, const verdicts *v, const report *totals, bool lines);
verdicts *verdicts_parse(const json *root, const char *name, report_problem *p);

/* ---- the parts of a rendering ---- */
int page_write(const report *r, const history *h, const verdicts *baseline, const char *folder, report_problem *p);
int markdown_write(const report *r, const char *folder, const report_options *options, report_problem *p);
int badges_write(const report *r, const char *folder, report_problem *p);
void pack_json(text *t, const json *root); /* a shorter form of the value, which page.js unpacks */

/* ---- suites (render.c) ---- */
typedef struct suites {
    const char **names; /* in order of first appearance */
    int n;
} suites;
int suites_of(const report *r, suites *s, report_problem *p);   /* free(s->names) */
const char *suite_file(const char *suite, char to[static 128]); /* "seeds-002" */
/* Cells by state; NULL: of all suites, of all engines. */
void count_cells(const report *r, const char *suite, const report_engine *engine, int64_t to[static REPORT_STATES]);
const report_cell *cell_of(const report_test *t, const report_engine *e); /* NULL when the run has none */
bool fell_back(const report_cell *c);                                     /* it fell back to a native kernel */

#endif
