/* SPDX-License-Identifier: Apache-2.0 */
/* history.c: history.jsonl, a line per run. A line is appended by one write under a lock; a line that cannot be read (after a full
 * disk, or an editor) is skipped and counted, so that one bad line does not affect the others. */
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 30 }; /* some ten thousand runs */

/* ---- appending ---- */

int report_history_append(const report *r, const char *folder, report_problem *p)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/history.jsonl", folder) >= (int)sizeof path)
        return report_says(p, "%.400s: the path is too long", folder);
    verdicts *v = verdicts_of(r, p);
    if (!v) return 1;
    text line = {0};
    verdicts_print(&line, v, r, false);
    text_put(&line, "\n", 1);
    const char *what = "cannot write";
    int error = line.failed ? ENOMEM : vn__append_line(path, line.data, line.size, &what);
    text_free(&line);
    verdicts_free(v);
    return error ? report_says(p, "%s: %s: %s", path, what, strerror(error)) : 0;
}

/* ---- reading ---- */

/* Records where the verdict of a cell changed; cells that were not run are ignored. `last` holds the states seen so far. */
static bool note_changes(history *h, const report *r, const verdicts *v, const report_state_info **last)
{
    for (int i = 0; i < r->n_tests; i++) {
        for (int e = 0; e < r->n_engines; e++) {
            size_t at = (size_t)i * (size_t)r->n_engines + (size_t)e;
            const report_state_info *now = verdicts_at(v, r->tests[i].id, r->engines[e].name), *before = last[at];
            if (!now->ran) continue;
            last[at] = now;
            if (!before || now == before) continue;
            last_change *c = &h->changes[at];
            free(c->utc);
            free(c->commit);
            *c = (last_change){strdup(v->utc), strdup(v->commit), before->letter};
            if (!c->utc || !c->commit) return false;
        }
    }
    return true;
}

static void keep(history *h, verdicts *v)
{
    if (h->n == HISTORY_SHOWN) {
        verdicts_free(h->runs[0]);
        memmove(h->runs, h->runs + 1, (HISTORY_SHOWN - 1) * sizeof *h->runs);
        h->n--;
    }
    h->runs[h->n++] = v;
}

/* One line: kept when it is of a run before r. False: out of memory. */
static bool take_line(history *h, const report *r, const char *line, size_t size, const report_state_info **last)
{
    report_problem ignored;
    json *root = json_parse(line, size, "", &ignored);
    verdicts *v = root ? verdicts_parse(root, "", &ignored) : NULL;
    json_free(root);
    if (!v) return h->skipped++, true;
    if (strcmp(v->utc, r->run.utc) >= 0) return verdicts_free(v), true; /* the run itself, or a later one */
    bool good = note_changes(h, r, v, last);
    keep(h, v);
    return good;
}

/* States of the cells so far, and room for the changes. */
static const report_state_info **prepare(history *h, const report *r)
{
    size_t n = (size_t)r->n_tests * (size_t)r->n_engines + 1;
    *h = (history){.changes = calloc(n, sizeof *h->changes)};
    h->n_changes = h->changes ? n - 1 : 0;
    return calloc(n, sizeof(report_state_info *));
}

static bool read_lines(history *h, const report *r, const char *at, size_t left, const report_state_info **last)
{
    bool good = true;
    while (good && left) {
        const char *end = memchr(at, '\n', left);
        size_t n = end ? (size_t)(end - at) : left, line = n + (end != NULL);
        if (n) good = take_line(h, r, at, n, last);
        at += line;
        left -= line;
    }
    return good;
}

/* A missing file is an empty history. */
static bool is_there(const char *path)
{
    struct stat st;
    int failed;
    VN__CALL(failed, stat(path, &st));
    return failed ? errno != ENOENT : st.st_size > 0;
}

int history_read(history *h, const report *r, const char *path, report_problem *p)
{
    size_t size = 0;
    const report_state_info **last = prepare(h, r);
    char *lines = NULL;
    bool memory = last && h->changes, good = memory && (!is_there(path) || (lines = file_read(path, MAX_BYTES, &size, p)));
    if (good) memory = read_lines(h, r, lines, size, last);
    verdicts *now = good && memory ? verdicts_of(r, p) : NULL;
    if (now) memory = note_changes(h, r, now, last);
    if (!memory) report_says(p, "%s: out of memory", path);
    good &= memory && now;
    verdicts_free(now);
    free(lines);
    free(last);
    return good ? 0 : 1;
}

void history_free(history *h)
{
    for (int i = 0; i < h->n; i++) verdicts_free(h->runs[i]);
    for (size_t i = 0; i < h->n_changes; i++) {
        free(h->changes[i].utc);
        free(h->changes[i].commit);
    }
    free(h->changes);
    *h = (history){0};
}
