/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: what changed between two runs. */
#include "inside.h"

#include <string.h>

typedef enum change { SAME, FIXED, BROKEN, OTHER, ADDED, GONE, CHANGES } change;

static const char *const titles[] = {[FIXED] = "fixed", [BROKEN] = "broken", [OTHER] = "changed", [ADDED] = "new", [GONE] = "gone"};

/* A cell that was not run this time is gone, not broken. */
static change change_of(const report_state_info *before, const report_state_info *after)
{
    const report_state_info *pass = &report_states[REPORT_PASS];
    if (before == after || (!before->ran && !after->ran)) return SAME;
    if (!before->ran) return ADDED;
    if (!after->ran) return GONE;
    if (before == pass || (after->bad && !before->bad)) return BROKEN;
    return after == pass ? FIXED : OTHER;
}

const char *report_change(const report_state_info *before, const report_state_info *after)
{
    return titles[change_of(before, after)];
}

typedef struct comparison {
    FILE *to;
    int counts[CHANGES];
    bool failed;
} comparison;

static void note(comparison *c, const char *id, const char *engine, const report_state_info *before, const report_state_info *after)
{
    change kind = change_of(before, after);
    c->counts[kind]++;
    if (kind == SAME || !c->to) return;
    c->failed |= fprintf(c->to, "%-8s %s · %s: %s -> %s\n", titles[kind], id, engine, before->word, after->word) < 0;
}

/* The cells of the run after. */
static void visit(comparison *c, const verdicts *before, const verdicts *after)
{
    for (int i = 0; i < after->n_rows; i++) {
        for (int e = 0; e < after->n_engines; e++) {
            const report_state_info *is = report_state_by(after->rows[i].states[e]);
            if (is != &report_no_cell)
                note(c, after->rows[i].id, after->engines[e], verdicts_at(before, after->rows[i].id, after->engines[e]), is);
        }
    }
}

static bool has_engine(const verdicts *v, const char *engine)
{
    for (int e = 0; e < v->n_engines; e++)
        if (!strcmp(v->engines[e], engine)) return true;
    return false;
}

/* The cells that only the run before has. */
static bool has_group(const verdicts *v, const char *id)
{
    const size_t n = strcspn(id, "/") + 1;
    for (int i = 0; i < v->n_rows; i++)
        if (!strncmp(v->rows[i].id, id, n)) return true;
    return false;
}

static void visit_gone(comparison *c, const verdicts *before, const verdicts *after, report_scope scope)
{
    for (int e = 0; e < before->n_engines; e++) {
        const char *engine = before->engines[e];
        if (scope != REPORT_EVERYTHING && !has_engine(after, engine)) continue;
        for (int i = 0; i < before->n_rows; i++) {
            if (scope == REPORT_GROUPS && !has_group(after, before->rows[i].id)) continue;
            const report_state_info *was = report_state_by(before->rows[i].states[e]);
            if (was != &report_no_cell && verdicts_at(after, before->rows[i].id, engine) == &report_no_cell)
                note(c, before->rows[i].id, engine, was, &report_no_cell);
        }
    }
}

int report_compare(const verdicts *before, const verdicts *after, report_scope scope, FILE *to, report_changes *changes)
{
    comparison c = {.to = to};
    visit(&c, before, after);
    if (scope != REPORT_CELLS) visit_gone(&c, before, after, scope);
    *changes = (report_changes){c.counts[FIXED], c.counts[BROKEN], c.counts[OTHER], c.counts[ADDED], c.counts[GONE], c.counts[SAME]};
    if (to) {
        c.failed |= fprintf(to, "%d fixed, %d broken, %d changed, %d new, %d gone, %d the same\n", changes->fixed, changes->broken,
                            changes->other, changes->added, changes->gone, changes->same) < 0;
    }
    return c.failed;
}

/* Compares for the command: returns an exit status, and a message if the runs have different cells. */
static int exit_status(const verdicts *before, const verdicts *after, report_scope scope, FILE *to, int cannot, report_problem *p)
{
    report_changes n = {0};
    if (!before || !after) return cannot;
    if (report_compare(before, after, scope, to, &n)) return report_says(p, "cannot write the comparison"), cannot;
    if (n.gone || n.added)
        report_says(p, "the runs do not have the same cells: %d that ran before did not run now, and %d ran that did not before", n.gone,
                    n.added);
    return n.broken || n.gone || n.added;
}

int report_compare_files(const char *a, const char *b, report_problem *p)
{
    verdicts *before = verdicts_read(a, p), *after = before ? verdicts_read(b, p) : NULL;
    int code = exit_status(before, after, REPORT_EVERYTHING, stdout, 3, p);
    verdicts_free(before);
    verdicts_free(after);
    return code;
}

int report_against_baseline(const report *r, const verdicts *baseline, report_scope scope, FILE *to, report_problem *p)
{
    verdicts *after = verdicts_of(r, p);
    int code = exit_status(baseline, after, scope, to, 2, p);
    verdicts_free(after);
    return code;
}
