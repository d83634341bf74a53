/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: validates report.json and fills structs. The schema is a table per object: name, type, whether the field is optional, and where
 * it is stored. docs/report.md documents it. */
#include "schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20, MAX_TESTS = 100000 };

/* clang-format off */
const report_state_info report_states[REPORT_STATES] = {
    [REPORT_PASS]        = {"pass",        "pass",    "✓", "#2da44e", 'p', .ran = true},
    [REPORT_FAIL]        = {"fail",        "fail",    "✗", "#cf222e", 'f', .ran = true, .bad = true},
    [REPORT_ERROR]       = {"error",       "error",   "!", "#bc4c00", 'e', .ran = true, .bad = true},
    [REPORT_FLAKY]       = {"flaky",       "flaky",   "~", "#9a6700", 'y', .ran = true, .bad = true},
    [REPORT_KNOWN]       = {"known",       "known",   "=", "#6e7781", 'k', .ran = true},
    [REPORT_UNSUPPORTED] = {"unsupported", "n/a",     "–", "#57606a", 'u', .ran = true},
    [REPORT_SKIPPED]     = {"skipped",     "skip",    "»", "#848d97", 's', .ran = false},
    [REPORT_NOT_RUN]     = {"not_run",     "not run", "·", "#afb8c1", 'n', .ran = false},
};
const report_state_info report_no_cell = {"", "-", "", "", '-', .ran = false};
/* clang-format on */

static const char *const reasons[] = {"value",     "dtype", "shape",   "structure", "gradient", "nonfinite",       "out_identity",
                                      "exception", "crash", "timeout", "memory",    "load",     "missing_feature", "assertion_free"};
static const char *const truths[] = {"golden", "closed", "difference", "agreement"};
static const char *const outcomes[] = {"success", "failure", ""};
static const char *const strict_states[] = {"pass", "fail"};

bool report_state_of(const char *name, report_state *state)
{
    for (int i = 0; i < REPORT_STATES; i++) {
        if (strcmp(name, report_states[i].name)) continue;
        *state = (report_state)i;
        return true;
    }
    return false;
}

const report_state_info *report_state_by(char letter)
{
    for (int i = 0; i < REPORT_STATES; i++)
        if (report_states[i].letter == letter) return &report_states[i];
    return letter == report_no_cell.letter ? &report_no_cell : NULL;
}

/* ---- run and engines ---- */
static const field host_fields[] = {CHECKED(TEXT, "os"), CHECKED(TEXT, "cpu"), CHECKED(COUNT, "threads")};
static const field run_fields[] = {
    NEEDED(report_run, TEXT, utc),   NEEDED(report_run, TEXT, commit), OPTIONAL(report_run, BOOL, dirty),
    NEEDED(report_run, TEXT, vinea), NEEDED(report_run, COUNT, seed),  CHECKED(COUNT, "examples"),
    CHECKED(TEXT, "tier"),           CHECKED(OBJECT, "host"),          NEEDED(report_run, NUMBER, duration_ms),
};
static const field engine_fields[] = {
    NEEDED(report_engine, TEXT, name),     OPTIONAL(report_engine, TEXT, version),    NEEDED(report_engine, BOOL, present),
    OPTIONAL(report_engine, TEXT, device), OPTIONAL(report_engine, TEXT, load_error),
};

/* 2024-09-01T10:00:00Z: runs are ordered by it. */
static bool is_utc(const char *s)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    size_t i = 0;
    for (; form[i] && s[i]; i++) {
        bool digit = s[i] >= '0' && s[i] <= '9';
        if (form[i] == '0' ? !digit : s[i] != form[i]) return false;
    }
    return !form[i] && !s[i];
}

/* Names used in file names: no path separators. */
static bool is_plain_name(const char *s, const char *also)
{
    if (!*s || strlen(s) > 100 || *s == '.' || *s == '-' || *s == '/' || strstr(s, "..") || strstr(s, "//")) return false;
    for (; *s; s++) {
        bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || strchr("._-", *s);
        if (!plain && !strchr(also, *s)) return false;
    }
    return s[-1] != '/';
}

static bool read_run(const reader *r, const json *root, report_run *run)
{
    const json *v = json_at(root, "run");
    place w = {NULL, "run", 0};
    if (!take_fields(r, &w, v, FIELDS(run_fields), run)) return false;
    const json *host = json_at(v, "host");
    if (host && !take_fields(r, &(place){&w, "host", 0}, host, FIELDS(host_fields), NULL)) return false;
    return is_utc(run->utc) || wrong(r, &(place){&w, "utc", 0}, "'%.40s' is not a time like 2024-09-01T10:00:00Z", run->utc);
}

/* The native engine has the first column, the others follow in order. */
static void put_native_first(report_engine *e, int n)
{
    int k = 0;
    while (k < n && strcmp(e[k].name, "native") != 0) k++;
    if (k == n) return;
    report_engine native = e[k];
    memmove(e + 1, e, (size_t)k * sizeof *e);
    e[0] = native;
}

static report_engine *find_engine(const report *to, const char *name)
{
    for (int i = 0; i < to->n_engines; i++) {
        if (!strcmp(to->engines[i].name, name)) return &to->engines[i];
    }
    return NULL;
}

static bool read_engines(const reader *r, const json *root, report *to)
{
    const json *list = json_at(root, "engines");
    place w = {NULL, "engines", 0};
    if (list->n < 1 || list->n > REPORT_MAX_ENGINES) return wrong(r, &w, "there are %d, not 1 to %d", list->n, REPORT_MAX_ENGINES);
    to->engines = calloc((size_t)list->n, sizeof *to->engines);
    if (!to->engines) return wrong(r, &w, "out of memory");
    for (const json *v = list->first; v; v = v->next) {
        place here = {&w, NULL, to->n_engines}, name = {&here, "name", 0};
        report_engine e = {0};
        if (!take_fields(r, &here, v, FIELDS(engine_fields), &e)) return false;
        if (!is_plain_name(e.name, ":"))
            return wrong(r, &name, "'%.60s' is not an engine name (letters, digits, '.', '_', '-', ':')", e.name);
        if (find_engine(to, e.name)) return wrong(r, &name, "'%s' occurs twice", e.name);
        to->engines[to->n_engines++] = e;
    }
    put_native_first(to->engines, to->n_engines);
    return true;
}

/* ---- cells ---- */
static const field cell_fields[] = {
    PRESENT(TEXT, "engine"),
    PRESENT(TEXT, "state"),
    OPTIONAL(report_cell, TEXT, reason),
    OPTIONAL(report_cell, TEXT, message),
    NEEDED(report_cell, COUNT, cases),
    NEEDED(report_cell, COUNT, assertions),
    NEEDED(report_cell, NUMBER, duration_ms),
    CHECKED(NUMBER, "median_ms"),
    OPTIONAL(report_cell, NUMBER, max_abs),
    OPTIONAL(report_cell, NUMBER, max_rel),
    OPTIONAL(report_cell, NUMBER, max_ulp),
    OPTIONAL(report_cell, NUMBER, error_ratio),
    {"strict_state", NAMED, true, NOWHERE, WORDS(strict_states)},
    CHECKED(NUMBER, "strict_ratio"),
    CHECKED(TEXT, "strict_message"),
    CHECKED(STATES, "checks"),
    CHECKED(STATES, "dtypes"),
    CHECKED(LIST, "excluded"),
    OPTIONAL(report_cell, TEXT, computed_by),
    CHECKED(OBJECT, "worst"),
    CHECKED(TEXT, "input"),
    CHECKED(TEXT, "snippet"),
    OPTIONAL(report_cell, TEXT, case_file),
    OPTIONAL(report_cell, TEXT, repro),
    {"seed_dashboard", NAMED, true, NOWHERE, WORDS(outcomes)},
    CHECKED(OBJECT, "last_change"),
    CHECKED(TEXT, "device"),
};
static const field worst_fields[] = {
    CHECKED(COUNT, "case"), CHECKED(TEXT, "dtype"),     CHECKED(TEXT, "check"),       CHECKED(TEXT, "what"),
    CHECKED(TEXT, "index"), CHECKED(VALUE, "expected"), CHECKED(VALUE, "got"),        CHECKED(NUMBER, "abs"),
    CHECKED(NUMBER, "rel"), CHECKED(NUMBER, "ulp"),     CHECKED(NUMBER, "tolerance"), CHECKED(NUMBER, "tolerance"),
};
static const field excluded_fields[] = {PRESENT(TEXT, "what"), PRESENT(TEXT, "why")};
static const field change_fields[] = {PRESENT(TEXT, "utc"), PRESENT(TEXT, "commit"), PRESENT(TEXT, "from")};

static bool read_cell_parts(const reader *r, const place *w, const json *v)
{
    const json *worst = json_at(v, "worst"), *change = json_at(v, "last_change"), *excluded = json_at(v, "excluded");
    if (worst && !take_fields(r, &(place){w, "worst", 0}, worst, FIELDS(worst_fields), NULL)) return false;
    if (change && !take_fields(r, &(place){w, "last_change", 0}, change, FIELDS(change_fields), NULL)) return false;
    place list = {w, "excluded", 0};
    int i = 0;
    for (const json *e = excluded ? excluded->first : NULL; e; e = e->next) {
        if (!take_fields(r, &(place){&list, NULL, i++}, e, FIELDS(excluded_fields), NULL)) return false;
    }
    return true;
}

/* The fields that a state requires. */
static bool is_complete(const reader *r, const place *w, const report_cell *c)
{
    bool quiet = c->state == REPORT_PASS || c->state == REPORT_NOT_RUN;
    int n = sizeof reasons / sizeof *reasons;
    if (c->state == REPORT_PASS && !c->assertions) return wrong(r, w, "a pass without an assertion");
    if (!quiet && (!c->reason || !*c->reason)) return wrong(r, w, "%s without a reason", report_states[c->state].name);
    if (report_states[c->state].bad && !is_one_of(c->reason, reasons, n))
        return wrong_word(r, &(place){w, "reason", 0}, c->reason, reasons, n);
    if (c->state != REPORT_NOT_RUN && (!c->repro || !*c->repro)) return wrong(r, w, "there is no command that runs it again ('repro')");
    if (c->case_file && !is_plain_name(c->case_file, "/")) {
        return wrong(r, &(place){w, "case_file", 0}, "'%.60s' is not a path below the report's folder", c->case_file);
    }
    return true;
}

static bool read_cell(const reader *r, const place *w, const json *v, const report *to, report_cell *c)
{
    *c = (report_cell){.max_abs = NAN, .max_rel = NAN, .max_ulp = NAN, .error_ratio = NAN};
    if (!take_fields(r, w, v, FIELDS(cell_fields), c) || !read_cell_parts(r, w, v)) return false;
    const char *engine = json_at(v, "engine")->text;
    report_engine *e = find_engine(to, engine);
    if (!e) return wrong(r, &(place){w, "engine", 0}, "'%.60s' is not in the list of engines", engine);
    if (!state_at(r, &(place){w, "state", 0}, json_at(v, "state"), &c->state)) return false;
    c->engine = e;
    return is_complete(r, w, c);
}

static int by_engine(const void *a, const void *b)
{
    const report_engine *x = ((const report_cell *)a)->engine, *y = ((const report_cell *)b)->engine;
    return (x > y) - (x < y);
}

/* ---- tests ---- */
static const field test_fields[] = {
    NEEDED(report_test, TEXT, suite),
    NEEDED(report_test, TEXT, id),
    NEEDED(report_test, TEXT, name),
    OPTIONAL(report_test, TEXT, function),
    {"truth", NAMED, false, offsetof(report_test, truth), WORDS(truths)},
    NEEDED(report_test, TEXT, what),
    NEEDED(report_test, NUMBER, rtol),
    NEEDED(report_test, NUMBER, atol),
    CHECKED(TEXT, "tolerance_from"),
    CHECKED(OBJECT, "strict"),
    PRESENT(LIST, "cells"),
};
static const field strict_fields[] = {PRESENT(NUMBER, "k"), PRESENT(NUMBER, "depth")};

static bool read_cells(const reader *r, const place *w, const json *list, report *to, report_test *t)
{
    if (list->n > to->n_engines) return wrong(r, w, "there are %d, more than engines", list->n);
    t->cells = calloc((size_t)list->n + 1, sizeof *t->cells);
    if (!t->cells) return wrong(r, w, "out of memory");
    for (const json *v = list->first; v; v = v->next) {
        place here = {w, NULL, t->n_cells};
        report_cell *c = &t->cells[t->n_cells];
        if (!read_cell(r, &here, v, to, c)) return false;
        for (int i = 0; i < t->n_cells; i++) {
            if (t->cells[i].engine == c->engine) return wrong(r, &here, "a second cell of %s", c->engine->name);
        }
        t->n_cells++;
        to->engines[c->engine - to->engines].totals[c->state]++;
        to->totals[c->state]++;
    }
    qsort(t->cells, (size_t)t->n_cells, sizeof *t->cells, by_engine);
    return true;
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const report_test *const *)a)->id, (*(const report_test *const *)b)->id);
}

static bool no_id_twice(const reader *r, const report *to)
{
    place w = {NULL, "tests", 0};
    const report_test **sorted = malloc(((size_t)to->n_tests + 1) * sizeof *sorted);
    if (!sorted) return wrong(r, &w, "out of memory");
    for (int i = 0; i < to->n_tests; i++) sorted[i] = &to->tests[i];
    qsort(sorted, (size_t)to->n_tests, sizeof *sorted, by_id);
    bool good = true;
    for (int i = 1; i < to->n_tests && good; i++) {
        if (!strcmp(sorted[i - 1]->id, sorted[i]->id)) good = wrong(r, &w, "the id '%.100s' occurs twice", sorted[i]->id);
    }
    free(sorted);
    return good;
}

static bool read_tests(const reader *r, const json *root, report *to)
{
    const json *list = json_at(root, "tests");
    place w = {NULL, "tests", 0};
    if (list->n > MAX_TESTS) return wrong(r, &w, "there are %d, more than %d", list->n, MAX_TESTS);
    to->tests = calloc((size_t)list->n + 1, sizeof *to->tests);
    if (!to->tests) return wrong(r, &w, "out of memory");
    for (const json *v = list->first; v; v = v->next) {
        place here = {&w, NULL, to->n_tests}, cells = {&here, "cells", 0};
        report_test *t = &to->tests[to->n_tests++];
        if (!take_fields(r, &here, v, FIELDS(test_fields), t)) return false;
        const json *strict = json_at(v, "strict");
        if (strict && !take_fields(r, &(place){&here, "strict", 0}, strict, FIELDS(strict_fields), NULL)) return false;
        if (!is_plain_name(t->suite, "/") || !strcmp(t->suite, "README"))
            return wrong(r, &(place){&here, "suite", 0}, "'%.60s' is not a suite name", t->suite);
        if (!*t->id) return wrong(r, &(place){&here, "id", 0}, "it is empty");
        if (!read_cells(r, &cells, json_at(v, "cells"), to, t)) return false;
    }
    return no_id_twice(r, to);
}

/* ---- totals ---- */
static bool check_totals(const reader *r, const json *root, const report *to)
{
    const json *totals = json_at(root, "totals");
    place w = {NULL, "totals", 0};
    for (const json *v = totals ? totals->first : NULL; v; v = v->next) {
        const report_engine *e = find_engine(to, v->key);
        place here = {&w, v->key, 0};
        if (!e) return wrong(r, &here, "there is no such engine");
        if (v->kind != VN__JSON_OBJECT) return wrong(r, &here, "an object was expected, not %s", vn__json_kind_name(v));
        for (const json *n = v->first; n; n = n->next) {
            place count = {&here, n->key, 0};
            report_state s;
            if (!report_state_of(n->key, &s)) return wrong(r, &count, "there is no such state");
            if (n->kind != VN__JSON_NUMBER || n->number != (double)e->totals[s]) {
                return wrong(r, &count, "the cells add up to %lld", (long long)e->totals[s]);
            }
        }
    }
    return true;
}

static const field top_fields[] = {
    PRESENT(TEXT, "schema"), PRESENT(OBJECT, "run"),    PRESENT(LIST, "engines"),
    PRESENT(LIST, "tests"),  CHECKED(OBJECT, "totals"), CHECKED(BOOL, "partial"),
};

static bool read_report(const reader *r, report *to)
{
    const json *schema = json_at(to->root, "schema");
    if (schema && schema->kind == VN__JSON_TEXT && strcmp(schema->text, REPORT_SCHEMA)) {
        return wrong(r, &(place){NULL, "schema", 0}, "'%.60s' cannot be read by this version, which knows %s", schema->text, REPORT_SCHEMA);
    }
    return take_fields(r, NULL, to->root, FIELDS(top_fields), NULL) && read_run(r, to->root, &to->run) && read_engines(r, to->root, to) &&
           read_tests(r, to->root, to) && check_totals(r, to->root, to);
}

/* Takes ownership of the text. */
static report *read_text(char *data, size_t size, const char *name, report_problem *p)
{
    report *to = calloc(1, sizeof *to);
    if (!to) {
        free(data);
        report_says(p, "%s: out of memory", name);
        return NULL;
    }
    to->text = data;
    to->root = json_parse(data, size, name, p);
    if (to->root && read_report(&(reader){name, p}, to)) return to;
    report_free(to);
    return NULL;
}

report *report_read(const char *path, report_problem *p)
{
    size_t size;
    char *data = file_read(path, MAX_BYTES, &size, p);
    return data ? read_text(data, size, path, p) : NULL;
}

report *report_parse(const char *data, size_t size, const char *name, report_problem *p)
{
    text copy = {0};
    text_put(&copy, data, size);
    if (!copy.failed) return read_text(copy.data, size, name, p);
    report_says(p, "%s: out of memory", name);
    return NULL;
}

void report_free(report *r)
{
    if (!r) return;
    for (int i = 0; r->tests && i < r->n_tests; i++) free(r->tests[i].cells);
    free(r->tests);
    free(r->engines);
    json_free(r->root);
    free(r->text);
    free(r);
}
