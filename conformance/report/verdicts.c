/* SPDX-License-Identifier: Apache-2.0 */
/* verdicts.c: the summary of a run: a letter per cell, with date, commit and versions; a line of history.jsonl, or verdicts.json. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 64 << 20 };
static const char schema[] = "vinea-verdicts/1";

static int by_id(const void *a, const void *b)
{
    return strcmp(((const verdict_row *)a)->id, ((const verdict_row *)b)->id);
}

/* Empty, with room for these numbers of engines and rows. */
static verdicts *make(int engines, int rows)
{
    verdicts *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->engines = calloc((size_t)engines + 1, sizeof *v->engines);
    v->versions = calloc((size_t)engines + 1, sizeof *v->versions);
    v->rows = calloc((size_t)rows + 1, sizeof *v->rows);
    if (v->engines && v->versions && v->rows) return v;
    verdicts_free(v);
    return NULL;
}

void verdicts_free(verdicts *v)
{
    if (!v) return;
    for (int i = 0; i < v->n_engines; i++) {
        free(v->engines[i]);
        free(v->versions[i]);
    }
    for (int i = 0; i < v->n_rows; i++) {
        free(v->rows[i].id);
        free(v->rows[i].states);
    }
    free(v->engines);
    free(v->versions);
    free(v->rows);
    free(v->utc);
    free(v->commit);
    free(v->vinea);
    free(v);
}

static bool set_head(verdicts *v, const char *utc, const char *commit, const char *vinea)
{
    v->utc = strdup(utc);
    v->commit = strdup(commit);
    v->vinea = strdup(vinea);
    return v->utc && v->commit && v->vinea;
}

static bool add_engine(verdicts *v, const char *name, const char *version)
{
    char *a = strdup(name), *b = strdup(version);
    v->engines[v->n_engines] = a;
    v->versions[v->n_engines++] = b;
    return a && b;
}

static bool add_row(verdicts *v, const char *id, const char *states)
{
    char *a = strdup(id), *b = strdup(states);
    v->rows[v->n_rows++] = (verdict_row){a, b};
    return a && b;
}

static bool fill(verdicts *v, const report *r)
{
    char letters[REPORT_MAX_ENGINES + 1];
    if (!set_head(v, r->run.utc, r->run.commit, r->run.vinea)) return false;
    for (int i = 0; i < r->n_engines; i++) {
        if (!add_engine(v, r->engines[i].name, r->engines[i].version ? r->engines[i].version : "")) return false;
    }
    for (int i = 0; i < r->n_tests; i++) {
        const report_test *t = &r->tests[i];
        memset(letters, report_no_cell.letter, (size_t)r->n_engines);
        letters[r->n_engines] = 0;
        for (int k = 0; k < t->n_cells; k++) letters[t->cells[k].engine - r->engines] = report_states[t->cells[k].state].letter;
        if (!add_row(v, t->id, letters)) return false;
    }
    qsort(v->rows, (size_t)v->n_rows, sizeof *v->rows, by_id);
    return true;
}

verdicts *verdicts_of(const report *r, report_problem *p)
{
    verdicts *v = make(r->n_engines, r->n_tests);
    if (v && fill(v, r)) return v;
    verdicts_free(v);
    report_says(p, "verdicts: out of memory");
    return NULL;
}

/* ---- reading ---- */

static const char *text_at(const json *root, const char *key)
{
    const json *v = json_at(root, key);
    return v && v->kind == VN__JSON_TEXT ? v->text : NULL;
}

static bool are_letters(const char *s, int n)
{
    int i = 0;
    while (s[i] && i <= n && report_state_by(s[i])) i++;
    return i == n && !s[i];
}

static bool take_engines(verdicts *v, const json *engines, const json *versions)
{
    const json *version = versions && versions->kind == VN__JSON_LIST ? versions->first : NULL;
    for (const json *e = engines->first; e; e = e->next) {
        if (e->kind != VN__JSON_TEXT || !add_engine(v, e->text, version && version->kind == VN__JSON_TEXT ? version->text : ""))
            return false;
        version = version ? version->next : NULL;
    }
    return true;
}

static bool take_rows(verdicts *v, const json *cells)
{
    for (const json *c = cells->first; c; c = c->next) {
        if (c->kind != VN__JSON_TEXT || !are_letters(c->text, v->n_engines) || !add_row(v, c->key, c->text)) return false;
    }
    qsort(v->rows, (size_t)v->n_rows, sizeof *v->rows, by_id);
    return true;
}

verdicts *verdicts_parse(const json *root, const char *name, report_problem *p)
{
    const char *utc = text_at(root, "utc"), *commit = text_at(root, "commit"), *vinea = text_at(root, "vinea"),
               *form = text_at(root, "schema");
    const json *engines = json_at(root, "engines"), *cells = json_at(root, "cells");
    bool whole = form && utc && commit && vinea && engines && engines->kind == VN__JSON_LIST && cells && cells->kind == VN__JSON_OBJECT;
    if (!whole || strcmp(form, schema) != 0) return report_says(p, "%s: not a verdicts file (%s)", name, schema), NULL;
    verdicts *v = make(engines->n, cells->n);
    if (v && set_head(v, utc, commit, vinea) && take_engines(v, engines, json_at(root, "versions")) && take_rows(v, cells)) return v;
    verdicts_free(v);
    report_says(p, "%s: an engine or a row of verdicts cannot be read", name);
    return NULL;
}

/* The last non-empty line of a text, for files with a line per run. */
static char *last_line(char *data, size_t *size)
{
    while (*size && (data[*size - 1] == '\n' || data[*size - 1] == '\r')) data[--*size] = 0;
    char *line = strrchr(data, '\n');
    if (!line) return data;
    *size -= (size_t)(line + 1 - data);
    return line + 1;
}

verdicts *verdicts_read(const char *path, report_problem *p)
{
    size_t size;
    char *data = file_read(path, MAX_BYTES, &size, p), *from = data;
    if (!data) return NULL;
    if (vn__ends_with(path, ".jsonl")) from = last_line(data, &size);
    verdicts *v = NULL;
    json *root = json_parse(from, size, path, p);
    const char *form = text_at(root, "schema");
    if (form && !strcmp(form, schema)) {
        v = verdicts_parse(root, path, p);
    } else if (root) {
        report *r = report_parse(from, size, path, p);
        v = r ? verdicts_of(r, p) : NULL;
        report_free(r);
    }
    json_free(root);
    free(data);
    return v;
}

/* ---- looking and printing ---- */

const report_state_info *verdicts_at(const verdicts *v, const char *id, const char *engine)
{
    verdict_row key = {.id = (char *)(uintptr_t)id}; /* only compared */
    const verdict_row *row = bsearch(&key, v->rows, (size_t)v->n_rows, sizeof *v->rows, by_id);
    for (int i = 0; row && i < v->n_engines; i++) {
        if (!strcmp(v->engines[i], engine)) return report_state_by(row->states[i]);
    }
    return &report_no_cell;
}

static void print_list(text *t, char *const *list, int n)
{
    text_put(t, "[", 1);
    for (int i = 0; i < n; i++) {
        if (i) text_put(t, ",", 1);
        text_json(t, list[i]);
    }
    text_put(t, "]", 1);
}

static void print_totals(text *t, const report *r)
{
    text_add(t, "\"totals\":{");
    for (int i = 0; i < r->n_engines; i++) {
        int shown = 0;
        if (i) text_put(t, ",", 1);
        text_json(t, r->engines[i].name);
        text_put(t, ":{", 2);
        for (int s = 0; s < REPORT_STATES; s++) {
            if (!r->engines[i].totals[s]) continue;
            text_add(t, "%s\"%s\":%lld", shown++ ? "," : "", report_states[s].name, (long long)r->engines[i].totals[s]);
        }
        text_put(t, "}", 1);
    }
    text_put(t, "}", 1);
}

void verdicts_print(text *t, const verdicts *v, const report *totals, bool lines)
{
    const char *gap = lines ? "\n" : "";
    text_add(t, "{\"schema\":\"%s\",%s\"utc\":", schema, gap);
    text_json(t, v->utc);
    text_add(t, ",\"commit\":");
    text_json(t, v->commit);
    text_add(t, ",\"vinea\":");
    text_json(t, v->vinea);
    text_add(t, ",%s\"engines\":", gap);
    print_list(t, v->engines, v->n_engines);
    text_add(t, ",\"versions\":");
    print_list(t, v->versions, v->n_engines);
    text_add(t, ",%s", gap);
    print_totals(t, totals);
    text_add(t, ",%s\"cells\":{", gap);
    for (int i = 0; i < v->n_rows; i++) {
        text_add(t, "%s%s", i ? "," : "", gap);
        text_json(t, v->rows[i].id);
        text_add(t, ":\"%s\"", v->rows[i].states);
    }
    text_add(t, "}}%s", gap);
}
