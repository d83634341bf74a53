/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: the conformance dashboard, generated from a report.json (docs/report.md lists its fields).
 *
 * Reading: json.c parses the text, read.c validates it with tables of fields (schema.c) and fills the structs below.
 * Writing: history.c keeps the verdicts of earlier runs, page.c writes index.html (page.html, page.css and page.js with the data inside),
 * markdown.c the tables, badge.c the badges, compare.c compares two runs. render.c is the entry point.
 *
 * `vinea check` writes FOLDER/report.json and calls report_publish; `vinea report` calls report_read and report_render.
 * Nothing here prints, exits or keeps state. A function that fails returns NULL or a nonzero code and says why in its report_problem.
 */
#ifndef VN_REPORT_H
#define VN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define REPORT_SCHEMA "vinea-report/1"
enum { REPORT_MAX_ENGINES = 64 };

/* An error message: names the file, the position in it and what was expected. */
typedef struct report_problem {
    char text[1024];
} report_problem;

/* ---- states ---- */
/* In the order in which the page lists them. */
typedef enum report_state {
    REPORT_PASS,
    REPORT_FAIL,
    REPORT_ERROR,
    REPORT_FLAKY,
    REPORT_KNOWN,
    REPORT_UNSUPPORTED,
    REPORT_SKIPPED,
    REPORT_NOT_RUN,
    REPORT_STATES
} report_state;

typedef struct report_state_info {
    const char *name;   /* in report.json: "not_run" */
    const char *word;   /* for readers: "not run" */
    const char *sign;   /* one character, UTF-8 */
    const char *colour; /* of badges */
    char letter;        /* in history.jsonl */
    bool ran, bad;      /* the test ran; it is something to repair */
} report_state_info;
extern const report_state_info report_states[REPORT_STATES], report_no_cell; /* and of a cell that a run does not have */
bool report_state_of(const char *name, report_state *state);                 /* false: there is no such state */
const report_state_info *report_state_by(char letter);                       /* NULL: there is no such letter */

/* ---- a report ---- */
/* Strings are valid as long as the report; missing optional ones are NULL. Missing numbers are NaN, counts -1. */
typedef struct report_engine {
    const char *name, *version, *device, *load_error;
    bool present;
    int64_t totals[REPORT_STATES];
} report_engine;

typedef struct report_cell {
    const report_engine *engine;
    report_state state;
    const char *reason, *message, *computed_by, *case_file, *repro;
    int64_t cases, assertions;
    double duration_ms, max_abs, max_rel, max_ulp, error_ratio;
} report_cell;

typedef struct report_test {
    const char *suite, *id, *name, *function, *truth, *what;
    double rtol, atol;
    report_cell *cells;
    int n_cells;
} report_test;

typedef struct report_run {
    const char *utc, *commit, *vinea;
    bool dirty;
    int64_t seed;
    double duration_ms;
} report_run;

typedef struct vn__json_value json; /* a value of report.json */

typedef struct report {
    report_run run;
    report_engine *engines; /* native first, then the others as they come */
    int n_engines;
    report_test *tests; /* in the order of the file */
    int n_tests;
    int64_t totals[REPORT_STATES];
    json *root; /* everything, including unknown fields */
    char *text; /* the text that the values point into */
} report;

report *report_read(const char *path, report_problem *p);
report *report_parse(const char *text, size_t size, const char *name, report_problem *p); /* name: of the text, for messages */
void report_free(report *r);

/* ---- verdicts: the summary of a run in history.jsonl and in a baseline ---- */
typedef struct verdict_row {
    char *id;
    char *states; /* one letter per engine */
} verdict_row;

typedef struct verdicts {
    char *utc, *commit, *vinea;
    char **engines, **versions;
    int n_engines;
    verdict_row *rows; /* sorted by id */
    int n_rows;
} verdicts;

verdicts *verdicts_of(const report *r, report_problem *p);
/* Reads a report.json, a verdicts.json, or the last line of a history.jsonl. */
verdicts *verdicts_read(const char *path, report_problem *p);
void verdicts_free(verdicts *v);
/* The state of a cell. */
const report_state_info *verdicts_at(const verdicts *v, const char *id, const char *engine);

/* ---- comparing ---- */
typedef struct report_changes {
    int fixed;  /* did not pass, passes */
    int broken; /* passed, does not */
    int other;  /* from one kind of failure to another */
    int added;  /* new cells */
    int gone;   /* cells that no longer exist, or were not run this time */
    int same;
} report_changes;

/* How a cell changed: "fixed", "broken", "changed", "new" or "gone"; NULL if it did not. */
const char *report_change(const report_state_info *before, const report_state_info *after);
/* What the later run covers. Cells that only the earlier run has are reported as gone if they are covered, otherwise ignored. */
typedef enum report_scope {
    REPORT_EVERYTHING,
    REPORT_ENGINES, /* every test, on the engines that it has */
    REPORT_GROUPS,  /* the same of the groups that it has: tests whose ids are alike up to the first '/' */
    REPORT_CELLS    /* the cells that it has */
} report_scope;

/* Writes a line for each cell that changed, and a summary; `to` may be NULL. */
int report_compare(const verdicts *before, const verdicts *after, report_scope scope, FILE *to, report_changes *changes);
/* `vinea check --compare A B`: reads both, prints to stdout. Exit status: 0; 1 if a cell broke, or if one of the runs has cells that
 * the other lacks, with a message in p; 3 if a file cannot be read. */
int report_compare_files(const char *a, const char *b, report_problem *p);
/* `vinea check --baseline FILE`: compares what ran with a baseline, which is read before the run: it may be a file that the run writes.
 * Prints to `to`. Exit status as above, 2 if there is nothing to compare. */
int report_against_baseline(const report *r, const verdicts *baseline, report_scope scope, FILE *to, report_problem *p);

/* ---- rendering ---- */
typedef struct report_options {
    bool plain;               /* Markdown with text instead of images */
    bool tables;              /* only md/, badges/ and verdicts.json: no page, and no links to one */
    const verdicts *baseline; /* the run that the page compares with; NULL: the previous one in the history */
} report_options;

/* Writes index.html, md/, badges/ and verdicts.json to `folder`, which is created if necessary; earlier runs come from
 * folder/history.jsonl if it exists. Every file is written atomically. */
int report_render(const report *r, const char *folder, const report_options *options, report_problem *p);
/* Appends the run to folder/history.jsonl, as one line. */
int report_history_append(const report *r, const char *folder, report_problem *p);
/* Called by `vinea check` after writing folder/report.json: reads and validates it, appends to the history, renders. */
int report_publish(const char *folder, const report_options *options, report_problem *p);

#endif
