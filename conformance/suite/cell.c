/* SPDX-License-Identifier: Apache-2.0 */
/* cell.c: all cases of a test on the current engine, many as one program, each alone, or both. A case that fails in a combined program is
 * run alone; a failing case is repeated to detect flakiness, then minimised and saved. */
#include "runner.h"
#include "os/clock.h"

enum { REPEATS = 3 };

const char *const check_kind_names[CHECK_KINDS] = {
    [CHECK_VALUE] = "value",   [CHECK_DTYPE] = "dtype", [CHECK_SHAPE] = "shape", [CHECK_GRADIENT] = "gradient",
    [CHECK_SECOND] = "second", [CHECK_TREE] = "tree",   [CHECK_OUT] = "out"};

int cell_cases(const conformance_test *test, const plan *p)
{
    int quick = test->cases ? test->cases : 4;
    if (test->fixed) return quick;
    if (p->examples) return p->examples;
    return p->tier == TIER_QUICK ? quick : p->tier == TIER_FULL ? 25 : 1000;
}

/* The number of the k-th case that the plan selects in a dtype, -1 after the last. */
static int number_of(const conformance_test *test, const plan *p, vn_dtype dtype, int k)
{
    if (test->number_at) return test->number_at(test, p, dtype, k);
    return k < cell_cases(test, p) ? k : -1;
}

static verdict worse(verdict a, verdict b)
{
    return a > b ? a : b;
}

static verdict verdict_of(int64_t assertions, int64_t failed)
{
    return failed ? VERDICT_FAIL : assertions ? VERDICT_PASS : VERDICT_NONE;
}

/* Do the trial's errors belong to the cell's? Those of the first kind of check that fails do, or all as long as none fails. */
static bool counts(cell *c, const trial_outcome *o)
{
    if (c->failing) return o->failing && o->first == c->first;
    if (!o->failing) return true;
    c->failing = true, c->first = o->first;
    c->max_abs = c->max_rel = c->max_ulp = c->ratio = 0;
    c->worst = (worst){.any = false};
    return true;
}

/* Adds the outcome of a trial to the cell; `again`: the case was counted before. */
static void add(cell *c, const trial *t, bool again)
{
    const trial_outcome *o = &t->outcome;
    int64_t strict = 0, failed = 0, all = 0;
    for (int k = 0; k < CHECK_KINDS; k++) {
        c->kinds[k] = worse(c->kinds[k], verdict_of(o->assertions[k], o->failed[k]));
        strict += o->strict_failed[k];
        failed += o->failed[k];
        all += o->assertions[k];
    }
    c->cases += !again;
    c->assertions += all;
    c->strict = worse(c->strict, verdict_of(all, strict));
    if (!*c->strict_message) memcpy(c->strict_message, o->strict_message, sizeof c->strict_message);
    c->dtypes[t->dtype] = worse(c->dtypes[t->dtype], o->code ? VERDICT_FAIL : verdict_of(all, failed));
    c->strict_ratio = fmax(c->strict_ratio, o->strict_ratio);
    c->fell_back |= o->fell_back;
    if (!counts(c, o)) return;
    c->max_abs = fmax(c->max_abs, o->max_abs);
    c->max_rel = fmax(c->max_rel, o->max_rel);
    c->max_ulp = fmax(c->max_ulp, o->max_ulp);
    c->ratio = fmax(c->ratio, o->ratio);
    if (o->worst.any && (!c->worst.any || o->worst.ratio > c->worst.ratio)) {
        c->worst = o->worst;
        c->worst_case = t->number;
        c->worst_dtype = t->dtype;
    }
}

/* What to run, and where to store the result. */
typedef struct work {
    const conformance_test *test;
    const plan *p;
    const char *engine;
    cell *c;
    const observer *o;
    bool again; /* the cases were counted before */
    trial *batch;
    int n; /* number of waiting trials */
} work;

static void say_running(const work *w, const trial *t, int n)
{
    if (w->o && w->o->running) w->o->running(w->o->user, t, n);
}

static void say_failed(const work *w, const trial *t, const char *message)
{
    if (w->o && w->o->failed) w->o->failed(w->o->user, t, message);
}

static trial open_trial(const work *w, int number, vn_dtype dtype)
{
    trial t;
    trial_open(&t, w->test, w->p, w->engine, number, dtype);
    return t;
}

/* ---- failures ---- */

/* Is the failure reproducible? */
static bool steady(const work *w, const trial *failed)
{
    for (int k = 0; k < REPEATS; k++) {
        trial again = open_trial(w, failed->number, failed->dtype);
        trial_run(&again);
        bool same = !strcmp(trial_reason(&again), trial_reason(failed));
        trial_close(&again);
        if (!same) return false;
    }
    return true;
}

static report_state state_of(const char *reason)
{
    if (!strcmp(reason, "missing_feature")) return REPORT_UNSUPPORTED;
    return !strcmp(reason, "exception") || !strcmp(reason, "memory") ? REPORT_ERROR : REPORT_FAIL;
}

static const char *message_of(const trial *t)
{
    return *t->outcome.message ? t->outcome.message : t->outcome.strict_message;
}

/* The first failing case sets the cell's reason and message. */
static void blame(cell *c, const trial *failed)
{
    c->failed_case = failed->number;
    c->failed_dtype = failed->dtype;
    snprintf(c->reason, sizeof c->reason, "%s", trial_reason(failed));
    memcpy(c->message, message_of(failed), sizeof c->message);
    c->state = state_of(c->reason);
}

/* Minimises its input and saves it to a file. */
static void keep_small(const work *w, const trial *failed)
{
    cell *c = w->c;
    trial small = open_trial(w, failed->number, failed->dtype);
    trial_run(&small);
    shrink(&small);
    case_text(&small, c->input, sizeof c->input);
    bool named = case_path(failed->test, failed->engine, ".json", c->case_file, sizeof c->case_file);
    if (!named || !w->p->out || !case_write(w->p, c->case_file, failed, &small)) *c->case_file = 0;
    if (!small.program) small.program = source_program(&small);
    program_write(w->p, small.test, small.engine, small.program);
    trial_close(&small);
}

static void examine(const work *w, const trial *failed)
{
    cell *c = w->c;
    say_failed(w, failed, message_of(failed));
    if (c->failed_case >= 0) return;
    blame(c, failed);
    if (c->state == REPORT_UNSUPPORTED || w->p->stop) return;
    if (steady(w, failed)) keep_small(w, failed);
    else c->state = REPORT_FLAKY;
}

/* ---- alone ---- */

static bool run_alone(const work *w, int number, vn_dtype dtype)
{
    trial t = open_trial(w, number, dtype);
    say_running(w, &t, 1);
    trial_run(&t);
    bool failed = *trial_reason(&t);
    add(w->c, &t, w->again);
    if (failed) examine(w, &t);
    trial_close(&t);
    return !failed;
}

/* ---- together ---- */

static void run_batch(const work *w)
{
    trial *list[TRIALS];
    for (int k = 0; k < w->n; k++) list[k] = &w->batch[k];
    say_running(w, list[0], w->n);
    trials_run(list, w->n);
}

/* The case passes alone: then the combined program fails, if it fails again. */
static void examine_company(const work *w, int at)
{
    cell *c = w->c;
    trial *t = &w->batch[at];
    char reason[CELL_REASON], message[TRIAL_TEXT], name[CELL_NAME];
    trial_name(t, name, sizeof name);
    snprintf(reason, sizeof reason, "%s", trial_reason(t));
    snprintf(message, sizeof message, "%s passes alone, but fails as one program with %d others: %.380s", name, w->n - 1, message_of(t));
    add(c, t, true);
    say_failed(w, t, message);
    if (c->failed_case >= 0) return;
    blame(c, t);
    c->company = true;
    memcpy(c->message, message, sizeof message);
    t->company = true;
    run_batch(w);
    if (strcmp(trial_reason(t), reason) != 0) c->state = REPORT_FLAKY;
    else program_write(w->p, t->test, t->engine, t->program);
}

static void finish_batch(work *w)
{
    bool company = false;
    if (!w->n) return;
    run_batch(w);
    for (int k = 0; k < w->n && w->c->state != REPORT_UNSUPPORTED; k++) {
        trial *t = &w->batch[k];
        if (!*trial_reason(t)) add(w->c, t, w->again);
        else if (run_alone(w, t->number, t->dtype) && !company) company = true, examine_company(w, k);
        if (w->p->stop && w->c->state != REPORT_PASS) break;
    }
    for (int k = 0; k < w->n; k++) trial_close(&w->batch[k]);
    w->n = 0;
}

static void run_together(work *w, int number, vn_dtype dtype)
{
    w->batch[w->n++] = open_trial(w, number, dtype);
    if (w->n == TRIALS) finish_batch(w);
}

/* ---- all cases ---- */

static void run_cases(work *w, bool together)
{
    const conformance_test *test = w->test;
    const uint32_t dtypes = list_dtypes(w->p, test);
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (!(dtypes & VN_BIT(d)) || list_excluded(test, w->engine, vn_dtype_name((vn_dtype)d))) continue;
        for (int k = 0, n; (n = number_of(test, w->p, (vn_dtype)d, k)) >= 0 && w->c->state != REPORT_UNSUPPORTED; k++) {
            if (together) run_together(w, n, (vn_dtype)d);
            else run_alone(w, n, (vn_dtype)d);
            if (w->p->stop && w->c->state != REPORT_PASS) return;
        }
    }
    if (together) finish_batch(w);
}

void cell_run(const conformance_test *test, const plan *p, const char *engine, cell *c, const observer *o)
{
    *c = (cell){.state = REPORT_PASS, .failed_case = -1};
    double start = vn__clock();
    work w = {.test = test, .p = p, .engine = engine, .c = c, .o = o};
    programs how = p->programs ? p->programs : p->tier == TIER_QUICK ? PROGRAMS_TOGETHER : PROGRAMS_BOTH;
    w.batch = test->run_many && how != PROGRAMS_ALONE ? calloc(TRIALS, sizeof *w.batch) : NULL;
    if (w.batch) run_cases(&w, true);
    w.again = w.batch;
    if (!w.batch || how == PROGRAMS_BOTH) run_cases(&w, false);
    free(w.batch);
    c->milliseconds = 1e3 * (vn__clock() - start);
    if (c->state != REPORT_PASS || c->assertions) return;
    c->state = c->cases ? REPORT_ERROR : REPORT_SKIPPED;
    snprintf(c->reason, sizeof c->reason, "%s", c->cases ? "assertion_free" : "dtype");
    snprintf(c->message, sizeof c->message, "%s", c->cases ? "the test asserted nothing" : "the test has none of the selected dtypes");
}
