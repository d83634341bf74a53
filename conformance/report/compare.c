/* compare.c: what changed between two runs. */
#include "inside.h"

#include <string.h>

typedef enum change { SAME, FIXED, BROKEN, OTHER, ADDED, GONE, CHANGES } change;

/* A cell that was not run this time is gone, not broken: an engine may be missing on this machine. */
static change change_of(char before, char after)
{
    bool was = before != '-' && before != 'n' && before != 's', is = after != '-' && after != 'n' && after != 's';
    if (before == after || (!was && !is)) return SAME;
    if (!was) return ADDED;
    if (!is) return GONE;
    return before == 'p' ? BROKEN : after == 'p' ? FIXED : OTHER;
}

static const char *word_of(char letter)
{
    for (int i = 0; i < REPORT_STATES; i++) {
        if (report_states[i].letter == letter) return report_states[i].word;
    }
    return "-";
}

typedef struct comparison {
    FILE *to;
    int counts[CHANGES];
    bool failed;
} comparison;

static void note(comparison *c, const char *id, const char *engine, char before, char after)
{
    static const char *const titles[] = {"same", "fixed", "broken", "changed", "new", "gone"};
    change kind = change_of(before, after);
    c->counts[kind]++;
    if (kind == SAME || !c->to) return;
    c->failed |= fprintf(c->to, "%-8s %s · %s: %s -> %s\n", titles[kind], id, engine, word_of(before), word_of(after)) < 0;
}

/* The cells of `v`, which is the run before or the one after; of those before only what the one after lacks. */
static void visit(comparison *c, const verdicts *v, const verdicts *other, bool before)
{
    for (int i = 0; i < v->n_rows; i++) {
        for (int e = 0; e < v->n_engines; e++) {
            char mine = v->rows[i].states[e], theirs = verdicts_at(other, v->rows[i].id, v->engines[e]);
            if (mine == '-') continue;
            if (before && theirs == '-') note(c, v->rows[i].id, v->engines[e], mine, theirs);
            if (!before) note(c, v->rows[i].id, v->engines[e], theirs, mine);
        }
    }
}

int report_compare(const verdicts *before, const verdicts *after, bool partial, FILE *to, report_changes *changes)
{
    comparison c = {.to = to};
    visit(&c, after, before, false);
    if (!partial) visit(&c, before, after, true);
    *changes = (report_changes){c.counts[FIXED], c.counts[BROKEN], c.counts[OTHER], c.counts[ADDED], c.counts[GONE], c.counts[SAME]};
    if (to) {
        c.failed |= fprintf(to, "%d fixed, %d broken, %d changed, %d new, %d gone, %d the same\n", changes->fixed, changes->broken,
                            changes->other, changes->added, changes->gone, changes->same) < 0;
    }
    return c.failed;
}

int report_compare_files(const char *a, const char *b, report_problem *p)
{
    report_changes changes = {0};
    verdicts *before = verdicts_read(a, p), *after = before ? verdicts_read(b, p) : NULL;
    int code = after ? 0 : 3;
    if (after && report_compare(before, after, false, stdout, &changes)) code = 3, report_says(p, "cannot write the output");
    if (!code && changes.broken) code = 1;
    verdicts_free(before);
    verdicts_free(after);
    return code;
}

int report_against_baseline(const report *r, const char *baseline, FILE *to, int *broken, report_problem *p)
{
    report_changes changes = {0};
    verdicts *before = verdicts_read(baseline, p), *after = before ? verdicts_of(r, p) : NULL;
    int code = after ? 0 : 1;
    if (after && report_compare(before, after, true, to, &changes)) code = report_says(p, "cannot write the comparison");
    *broken = changes.broken;
    verdicts_free(before);
    verdicts_free(after);
    return code;
}
