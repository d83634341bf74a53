/* SPDX-License-Identifier: Apache-2.0 */
/* shrink.c: minimises a failing case, independent of the test: sizes and switches are reduced to their minimum, numbers replaced by
 * 0 or 1, first all at once, then by halves, then one by one, and changes that still fail for the same reason are kept. */
#include "runner.h"
#include "os/clock.h"

enum { TRIES = 200 };
static const double seconds_allowed = 5;

typedef struct shrinker {
    trial *t;
    char reason[CELL_REASON];
    choice *best;
    int n, tries;
    double start;
    bool reference; /* the native engine passes it: a smaller case that fails there is another failure */
} shrinker;

static bool spent(const shrinker *s)
{
    return s->tries >= TRIES || vn__clock() - s->start > seconds_allowed;
}

/* Stores the trial's choices as the best so far. */
static bool adopt(shrinker *s)
{
    int n = s->t->n_choices;
    choice *copy = malloc((size_t)(n ? n : 1) * sizeof *copy);
    if (!copy) return false;
    if (n) memcpy(copy, s->t->choices, (size_t)n * sizeof *copy);
    free(s->best);
    s->best = copy;
    s->n = n;
    return true;
}

static void put_back(shrinker *s)
{
    if (s->n) memcpy(s->t->choices, s->best, (size_t)s->n * sizeof *s->best);
    s->t->n_choices = s->n;
}

/* Does the native engine pass the trial? It is run there with the same choices, and ends as if it had not been. */
static bool passes_native(trial *t)
{
    const char *engine = t->engine;
    if (!strcmp(engine, "native") || vn_use("native")) return false;
    trial copy = {.test = t->test, .plan = t->plan, .seed = t->seed, .number = t->number, .structure = t->structure, .dtype = t->dtype};
    copy.tier = t->tier, copy.engine = "native", copy.strict = t->strict;
    copy.choices = malloc((size_t)(t->n_choices + 1) * sizeof *copy.choices);
    bool passes = copy.choices;
    if (passes) {
        memcpy(copy.choices, t->choices, (size_t)t->n_choices * sizeof *copy.choices);
        copy.room = t->n_choices + 1, copy.n_given = t->n_choices;
        trial_run(&copy);
        passes = !*trial_reason(&copy);
        trial_close(&copy);
    }
    return !vn_use(engine) && passes;
}

/* Does the trial still fail the same way with its current choices? Otherwise they are restored. */
static bool still_fails(shrinker *s)
{
    s->tries++;
    s->t->n_given = s->n;
    trial_run(s->t);
    if (!strcmp(trial_reason(s->t), s->reason) && (!s->reference || passes_native(s->t)) && adopt(s)) return true;
    put_back(s);
    return false;
}

static bool within(const choice *c, double v)
{
    return v >= c->low && v <= c->high;
}

/* The simplest value a choice may have. */
static double simplest(const choice *c)
{
    if (c->whole) return c->low;
    return within(c, 0) ? 0 : within(c, 1) ? 1 : c->low;
}

/* Sizes and switches: the minimum; otherwise halfway, as often as it helps. */
static void shrink_structure(shrinker *s)
{
    for (int i = 0; i < s->n && !spent(s); i++) {
        while (i < s->n && s->best[i].structure && s->best[i].value > s->best[i].low && !spent(s)) {
            double v = s->best[i].value, low = s->best[i].low;
            s->t->choices[i].value = low;
            if (still_fails(s) || v - low < 2) break;
            s->t->choices[i].value = low + floor((v - low) / 2);
            if (!still_fails(s)) break;
        }
    }
}

/* Numbers in blocks of `size`. */
static void shrink_block(shrinker *s, int size, double (*to)(const choice *c))
{
    for (int from = 0; from < s->n && !spent(s); from += size) {
        int changed = 0;
        for (int i = from; i < from + size && i < s->n; i++) {
            choice *c = &s->t->choices[i];
            double v = to(c);
            if (c->structure || c->value == simplest(c) || !within(c, v)) continue;
            c->value = v;
            changed++;
        }
        if (changed) still_fails(s);
    }
}

static double one(const choice *c)
{
    (void)c;
    return 1;
}

void shrink(trial *t)
{
    shrinker s = {.t = t, .start = vn__clock()};
    snprintf(s.reason, sizeof s.reason, "%s", trial_reason(t));
    if (!adopt(&s)) return;
    s.reference = passes_native(t);
    shrink_structure(&s);
    for (int size = s.n; size >= 1 && !spent(&s); size = size > 1 ? (size + 1) / 2 : 0) shrink_block(&s, size, simplest);
    shrink_block(&s, 1, one);
    put_back(&s);
    t->n_given = s.n;
    trial_run(t);
    free(s.best);
}
