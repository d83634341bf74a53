/* cell.c: all cases of a test on the engine in use. A failing case is repeated to tell a failure from a whim, then made small and kept. */
#include "runner.h"

enum { REPEATS = 3 };

const char *const cell_state_names[CELL_STATES] = {
    [CELL_PASS] = "pass",       [CELL_FAIL] = "fail",      [CELL_ERROR] = "error",
    [CELL_FLAKY] = "flaky",     [CELL_KNOWN] = "known",    [CELL_UNSUPPORTED] = "unsupported",
    [CELL_SKIPPED] = "skipped", [CELL_NOT_RUN] = "not_run"};
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

/* The number of the k-th case the plan asks for in a dtype, -1 behind the last. */
static int number_of(const conformance_test *test, const plan *p, vn_dtype dtype, int k)
{
    if (test->number_at) return test->number_at(test, p->tier, p->examples, dtype, k);
    return k < cell_cases(test, p) ? k : -1;
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

static verdict worse(verdict a, verdict b)
{
    return a > b ? a : b;
}

static verdict judged(int64_t assertions, int64_t failed)
{
    return failed ? VERDICT_FAIL : assertions ? VERDICT_PASS : VERDICT_NONE;
}

/* Adds the outcome of a trial to the cell. */
static void add(cell *c, const trial *t)
{
    const trial_outcome *o = &t->outcome;
    int64_t strict = 0, failed = 0, all = 0;
    for (int k = 0; k < CHECK_KINDS; k++) {
        c->kinds[k] = worse(c->kinds[k], judged(o->assertions[k], o->failed[k]));
        strict += o->strict_failed[k];
        failed += o->failed[k];
        all += o->assertions[k];
    }
    c->cases++;
    c->assertions += all;
    c->strict = worse(c->strict, judged(all, strict));
    if (!*c->strict_message) memcpy(c->strict_message, o->strict_message, sizeof c->strict_message);
    c->dtypes[t->dtype] = worse(c->dtypes[t->dtype], o->code ? VERDICT_FAIL : judged(all, failed));
    c->max_abs = larger(c->max_abs, o->max_abs);
    c->max_rel = larger(c->max_rel, o->max_rel);
    c->max_ulp = larger(c->max_ulp, o->max_ulp);
    c->ratio = larger(c->ratio, o->ratio);
    c->strict_ratio = larger(c->strict_ratio, o->strict_ratio);
    c->stood_in |= o->stood_in;
    if (o->worst.any && (!c->worst.any || o->worst.ratio > c->worst.ratio)) {
        c->worst = o->worst;
        c->worst_case = t->number;
        c->worst_dtype = t->dtype;
    }
}

/* "cases/002-lars_update-torch.json" */
static void name_case(const trial *t, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "cases/%s-%s.json", t->test->id, t->engine);
    for (char *s = to + strlen("cases/"); used < room && *s; s++)
        if (*s == '/') *s = '-';
}

/* Whether the failure comes back each time. */
static bool steady(const trial *failed, const plan *p)
{
    for (int k = 0; k < REPEATS; k++) {
        trial again;
        trial_open(&again, failed->test, p, failed->engine, failed->number, failed->dtype);
        trial_run(&again);
        bool same = !strcmp(trial_reason(&again), trial_reason(failed));
        trial_close(&again);
        if (!same) return false;
    }
    return true;
}

static cell_state state_of(const char *reason)
{
    if (!strcmp(reason, "missing_feature")) return CELL_UNSUPPORTED;
    return !strcmp(reason, "exception") || !strcmp(reason, "memory") ? CELL_ERROR : CELL_FAIL;
}

/* The first case that failed: gives the cell its state and message, and a file with its input. */
static void examine(cell *c, const trial *failed, const plan *p)
{
    const char *reason = trial_reason(failed);
    c->failed_case = failed->number;
    c->failed_dtype = failed->dtype;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
    memcpy(c->message, *failed->outcome.message ? failed->outcome.message : failed->outcome.strict_message, sizeof c->message);
    c->state = state_of(reason);
    if (c->state == CELL_UNSUPPORTED) return;
    if (!steady(failed, p)) {
        c->state = CELL_FLAKY;
        return;
    }
    trial small;
    trial_open(&small, failed->test, p, failed->engine, failed->number, failed->dtype);
    trial_run(&small);
    shrink(&small);
    case_text(&small, c->input, sizeof c->input);
    if (small.program && strlen(small.program) < sizeof c->program) strcpy(c->program, small.program);
    name_case(failed, c->case_file, sizeof c->case_file);
    if (!p->out || !case_write(p, c->case_file, failed, &small)) *c->case_file = 0;
    trial_close(&small);
}

static void run_case(cell *c, const conformance_test *test, const plan *p, const char *engine, int number, vn_dtype dtype)
{
    trial t;
    trial_open(&t, test, p, engine, number, dtype);
    trial_run(&t);
    add(c, &t);
    if (*trial_reason(&t) && c->failed_case < 0) examine(c, &t, p);
    trial_close(&t);
}

void cell_run(const conformance_test *test, const plan *p, const char *engine, cell *c)
{
    *c = (cell){.state = CELL_PASS, .failed_case = -1};
    double start = seconds_now();
    uint32_t dtypes = (test->dtypes ? test->dtypes : VN_FLOATS) & (p->dtypes ? p->dtypes : ~UINT32_C(0));
    for (int d = 0; d < VN_DTYPE_COUNT; d++) {
        if (!(dtypes & VN_BIT(d)) || list_excluded(test, engine, vn_dtype_name((vn_dtype)d))) continue;
        for (int k = 0, n; (n = number_of(test, p, (vn_dtype)d, k)) >= 0 && c->state != CELL_UNSUPPORTED; k++)
            run_case(c, test, p, engine, n, (vn_dtype)d);
    }
    c->milliseconds = 1e3 * (seconds_now() - start);
    if (c->state != CELL_PASS || c->assertions) return;
    c->state = c->cases ? CELL_ERROR : CELL_SKIPPED;
    snprintf(c->reason, sizeof c->reason, "%s", c->cases ? "assertion_free" : "dtype");
    snprintf(c->message, sizeof c->message, "%s", c->cases ? "the test asserted nothing" : "the test has none of the dtypes asked for");
}
