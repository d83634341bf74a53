/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c: runs one process per engine and handles its termination. If a child crashes, hangs, uses too much memory or corrupts
 * the pipe, only the running test fails; a new child continues with the next. */
#include "process.h"
#include "conformance/lines/lines.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

static const int poll_milliseconds = 100;

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

/* Should the run stop? */
static bool is_over(const run *r)
{
    return interrupted || r->stopped;
}

static void catch_signals(struct sigaction before[2])
{
    struct sigaction a = {.sa_handler = on_signal};
    sigaction(SIGINT, &a, &before[0]);
    sigaction(SIGTERM, &a, &before[1]);
}

/* ---- a child ---- */

typedef struct child {
    engine_run *engine; /* NULL: free */
    process p;
    record in; /* the record being received */
    size_t have;
    int running; /* test, -1 between tests */
    int next;    /* the test a new child would begin with */
    bool ended;  /* it reported that it is done */
    bool greeted;
    double since, started;    /* of the running test; of the engine */
    char killed[CELL_REASON]; /* why we terminated it */
    int crashed;              /* a test that crashed with many cases as one program, and is run again case by case; -1 */
    char how[TRIAL_TEXT];     /* it did */
} child;

static bool start(child *c, const plan *p)
{
    if (!process_start(&c->p, p, c->engine->name, c->next, c->crashed)) return false;
    c->have = 0;
    c->running = -1;
    c->ended = c->greeted = false;
    c->since = vn__clock();
    *c->killed = 0;
    return true;
}

/* ---- cells of tests that did not finish ---- */

static void stop_after(run *r, const cell *c)
{
    bool failed = c->state == REPORT_FAIL || c->state == REPORT_ERROR || c->state == REPORT_FLAKY;
    if (r->plan->stop && failed) r->stopped = true;
}

static void settle(run *r, child *c, int test, report_state state, const char *reason, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
static void settle(run *r, child *c, int test, report_state state, const char *reason, const char *format, ...)
{
    cell *to = &c->engine->cells[test];
    va_list args;
    *to = (cell){.state = state, .failed_case = -1};
    snprintf(to->reason, sizeof to->reason, "%s", reason);
    va_start(args, format);
    vsnprintf(to->message, sizeof to->message, format, args);
    va_end(args);
    to->milliseconds = test == c->running ? 1e3 * (vn__clock() - c->since) : 0;
    c->engine->done++;
    c->next = test + 1;
    stop_after(r, to);
    progress_cell(r, c->engine, test);
}

static void settle_rest(run *r, child *c, report_state state, const char *reason, const char *why)
{
    for (int k = c->next; k < r->n_tests; k++) settle(r, c, k, state, reason, "%s", why);
}

/* ---- records ---- */

/* A listed failure becomes "known", and a listed test that passes is an error. */
static void apply_known(const run *r, const engine_run *e, int test)
{
    cell *c = &e->cells[test];
    const char *why = known_failure(e->name, r->tests[test]->id);
    if (!why) return;
    if (c->state == REPORT_FAIL || c->state == REPORT_ERROR || c->state == REPORT_FLAKY) {
        c->state = REPORT_KNOWN;
        snprintf(c->message, sizeof c->message, "%s", why);
    } else if (c->state == REPORT_PASS) {
        c->state = REPORT_ERROR;
        snprintf(c->reason, sizeof c->reason, "exception");
        snprintf(c->message, sizeof c->message, "listed as a known failure (%s), but it passes: remove it from the list", why);
    }
}

static void take_engine(run *r, child *c, const record *in)
{
    engine_run *e = c->engine;
    bool before = e->present;
    c->greeted = true;
    e->present = e->present || in->available;
    e->unknown = !in->listed;
    if (in->available) snprintf(e->version, sizeof e->version, "%s", in->version);
    else {
        snprintf(e->load_error, sizeof e->load_error, "%s", in->message);
        settle_rest(r, c, before ? REPORT_ERROR : REPORT_NOT_RUN, before ? "load" : "", in->message);
    }
}

/* Another engine of the plugin: it gets a process of its own when the others have theirs. */
static bool take_further(run *r, const child *c, const char *name)
{
    size_t n = strlen(c->engine->name);
    if (r->plan->named || strncmp(name, c->engine->name, n) != 0 || strlen(name) >= CELL_ENGINE) return false;
    for (int k = 0; k < r->n_engines; k++)
        if (!strcmp(r->engines[k].name, name)) return true;
    return r->n_engines == PLAN_ENGINES || run_add_engine(r, name);
}

/* It crashed before, when its cases were one program. */
static void remember_crash(child *c, cell *to)
{
    if (to->state != REPORT_PASS) return;
    to->state = REPORT_ERROR;
    to->company = true;
    snprintf(to->reason, sizeof to->reason, "crash");
    snprintf(to->message, sizeof to->message, "every case passes alone, but not as one program: %.420s", c->how);
}

static void take_cell(run *r, child *c, const record *in)
{
    c->engine->cells[in->test] = in->cell;
    if (in->test == c->crashed) remember_crash(c, &c->engine->cells[in->test]);
    apply_known(r, c->engine, in->test);
    stop_after(r, &c->engine->cells[in->test]);
    c->engine->done++;
    c->next = in->test + 1;
    progress_cell(r, c->engine, in->test);
    c->running = -1;
    c->since = vn__clock();
}

static void end_child(child *c, const char *why)
{
    if (*c->killed) return;
    snprintf(c->killed, sizeof c->killed, "%s", why);
    kill(c->p.pid, SIGKILL);
}

/* False: an invalid record. Records of a child that is being terminated, or that arrive after the run was stopped, are ignored. */
static bool take(run *r, child *c)
{
    const record *in = &c->in;
    const double most = r->plan->mebibytes;
    if (*c->killed || r->stopped) return true;
    if (in->mark != RECORD_MARK || in->test < 0 || in->test >= r->n_tests) return false;
    switch (in->kind) {
    case RECORD_ENGINE: take_engine(r, c, in); return true;
    case RECORD_FURTHER: return take_further(r, c, in->message);
    case RECORD_START:
        c->running = in->test;
        c->since = vn__clock();
        return in->test == c->next;
    case RECORD_FAILED: progress_failed(r, c->engine, in->test, in->message); return in->test == c->running;
    case RECORD_CELL:
        if (in->test != c->running) return false;
        if (most > 0 && in->mebibytes > most) end_child(c, "memory"); /* it finished before the limit was checked */
        else take_cell(r, c, in);
        return true;
    case RECORD_END: c->ended = true; return true;
    }
    return false;
}

/* Reads all available records; false if the pipe is closed or a record is invalid. */
static bool receive(run *r, child *c)
{
    for (;;) {
        ssize_t n = read(c->p.records, (char *)&c->in + c->have, sizeof c->in - c->have);
        if (n < 0) return errno == EAGAIN || errno == EINTR;
        if (n == 0) return false;
        c->have += (size_t)n;
        if (c->have < sizeof c->in) continue;
        c->have = 0;
        if (take(r, c)) continue;
        end_child(c, "exception");
        return false;
    }
}

/* ---- termination ---- */

/* The case that ended its process, as a C program. */
static void show_case(run *r, const child *c, int test)
{
    trial t;
    const running now = process_running(&c->p);
    if (now.cases != 1) return;
    trial_open(&t, r->tests[test], r->plan, c->engine->name, now.number, now.dtype);
    t.program = trial_program(&t);
    program_write(r->plan, t.test, t.engine, t.program);
    trial_close(&t);
}

/* The failing case of a combined program is unknown: the cases are run again one by one. */
static void blame_crash(run *r, child *c, int test, const char *how, const char *words)
{
    running now = process_running(&c->p);
    if (now.cases > 1 && c->crashed != test) {
        c->crashed = c->next = test;
        snprintf(c->how, sizeof c->how, "%s; %.300s", how, words);
        return;
    }
    show_case(r, c, test);
    if (now.cases) settle(r, c, test, REPORT_ERROR, "crash", "%s in %s; %s", how, now.name, words);
    else settle(r, c, test, REPORT_ERROR, "crash", "%s; %s", how, words);
}

/* The result of the test that was running when a child ended. */
static void blame(run *r, child *c, int status)
{
    char how[128], words[CELL_WORDS];
    int test = c->running >= 0 ? c->running : c->next;
    process_words(&c->p, words);
    process_end(status, how, sizeof how);
    if (*c->killed) show_case(r, c, test);
    if (!strcmp(c->killed, "timeout"))
        settle(r, c, test, REPORT_ERROR, "timeout", "did not finish within %g s; %s", r->plan->seconds, words);
    else if (!strcmp(c->killed, "memory"))
        settle(r, c, test, REPORT_ERROR, "memory", "needed more than %g MiB of memory; %s", r->plan->mebibytes, words);
    else if (*c->killed) settle(r, c, test, REPORT_ERROR, "exception", "corrupted the result pipe; %s", words);
    else blame_crash(r, c, test, how, words);
}

/* The child could not load its engine. */
static void blame_engine(run *r, child *c, int status)
{
    char how[128], words[CELL_WORDS], why[TRIAL_TEXT];
    process_end(status, how, sizeof how);
    process_words(&c->p, words);
    snprintf(why, sizeof why, "the engine could not be loaded: %s; %.300s", *c->killed ? c->killed : how, words);
    snprintf(c->engine->load_error, sizeof c->engine->load_error, "%s", why);
    c->engine->present = true;
    settle_rest(r, c, REPORT_ERROR, "load", why);
}

/* The child has ended: completes its results; returns whether another must continue. */
static bool finish(run *r, child *c)
{
    int status = 0;
    while (waitpid(c->p.pid, &status, 0) < 0 && errno == EINTR) continue;
    if (c->next >= r->n_tests && c->ended && status) {
        char how[128], words[CELL_WORDS];
        process_end(status, how, sizeof how);
        process_words(&c->p, words);
        snprintf(c->engine->failure, sizeof c->engine->failure, "%s after its last test; %.300s", how, words);
    } else if (c->next < r->n_tests && !is_over(r)) {
        if (c->greeted) blame(r, c, status);
        else blame_engine(r, c, status);
    }
    process_close(&c->p);
    return c->next < r->n_tests && !is_over(r);
}

static void watch(const plan *p, child *c)
{
    const char *why = NULL;
    if (p->seconds > 0 && vn__clock() - c->since > p->seconds) why = "timeout";
    else if (p->mebibytes > 0 && process_mebibytes(c->p.pid) > p->mebibytes) why = "memory";
    if (why) end_child(c, why);
}

/* ---- the run ---- */

/* Waits briefly for something to read. */
static void wait_for(child *children, int n)
{
    struct pollfd fds[PLAN_ENGINES];
    nfds_t used = 0;
    for (int k = 0; k < n; k++) {
        if (!children[k].engine) continue;
        fds[used++] = (struct pollfd){.fd = children[k].p.records, .events = POLLIN};
    }
    poll(fds, used, poll_milliseconds);
}

static void end_engine(run *r, child *c)
{
    c->engine->seconds = vn__clock() - c->started;
    if (!interrupted) progress_engine(r, c->engine);
    c->engine = NULL;
}

/* Checks one child. */
static void attend(run *r, child *c)
{
    bool open = receive(r, c);
    if (open) {
        watch(r->plan, c);
        return;
    }
    if (!finish(r, c)) end_engine(r, c);
    else if (!start(c, r->plan)) {
        settle_rest(r, c, REPORT_ERROR, "load", "no further process could be started");
        end_engine(r, c);
    }
}

static void stop_all(run *r, child *children, int n)
{
    for (int k = 0; k < n; k++) {
        if (!children[k].engine) continue;
        kill(children[k].p.pid, SIGKILL);
        finish(r, &children[k]);
        end_engine(r, &children[k]);
    }
    r->interrupted = interrupted;
    for (int k = 0; k < r->n_engines; k++) {
        if (!*r->engines[k].load_error) r->engines[k].present = true; /* it is not known to be missing */
        for (int i = r->engines[k].done; i < r->n_tests; i++) {
            cell *c = &r->engines[k].cells[i];
            *c = (cell){.state = REPORT_SKIPPED, .failed_case = -1};
            snprintf(c->reason, sizeof c->reason, "%s", interrupted ? "interrupted" : "stopped");
            snprintf(c->message, sizeof c->message, "the run %s before this test",
                     interrupted ? "was interrupted" : "stopped at a failure");
        }
    }
}

static int begin(run *r, child *c, int engine)
{
    *c = (child){.engine = &r->engines[engine], .started = vn__clock(), .crashed = -1};
    if (start(c, r->plan)) return 1;
    fprintf(stderr, "vinea: check: no process could be started: %s\n", strerror(errno));
    c->engine->present = true;
    settle_rest(r, c, REPORT_ERROR, "load", "no process could be started");
    c->engine = NULL;
    return 0;
}

bool run_add_engine(run *r, const char *name)
{
    engine_run *e = &r->engines[r->n_engines];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->cells = calloc((size_t)r->n_tests, sizeof *e->cells);
    r->n_engines += e->cells != NULL;
    return e->cells != NULL;
}

/* Moves the engines from number `first` on behind those of their plugins, so that the order of columns does not depend on who was faster.
 */
static void order_engines(run *r, int first)
{
    for (int k = first; k < r->n_engines; k++) {
        engine_run e = r->engines[k];
        size_t plugin = strcspn(e.name, ":");
        int to = k;
        while (to > 0 && (strcspn(r->engines[to - 1].name, ":") != plugin || strncmp(r->engines[to - 1].name, e.name, plugin) != 0)) to--;
        memmove(&r->engines[to + 1], &r->engines[to], (size_t)(k - to) * sizeof e);
        r->engines[to] = e;
    }
}

bool pool_run(run *r)
{
    const int planned = r->n_engines;
    child *children = calloc(PLAN_ENGINES, sizeof *children);
    struct sigaction before[2];
    double started = vn__clock();
    int waiting = 0, alive = 0;
    if (!children) return false;
    catch_signals(before);
    progress_begin(r);
    while (!is_over(r) && (waiting < r->n_engines || alive)) {
        for (int k = 0; k < PLAN_ENGINES && waiting < r->n_engines && alive < r->plan->jobs; k++)
            if (!children[k].engine) alive += begin(r, &children[k], waiting++);
        wait_for(children, PLAN_ENGINES);
        alive = 0;
        for (int k = 0; k < PLAN_ENGINES; k++) {
            if (children[k].engine) attend(r, &children[k]);
            alive += children[k].engine != NULL;
        }
        progress_tick(r);
    }
    if (is_over(r)) stop_all(r, children, PLAN_ENGINES);
    order_engines(r, planned);
    r->seconds = vn__clock() - started;
    progress_end(r);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    free(children);
    return true;
}

void run_free(run *r)
{
    for (int k = 0; k < r->n_engines; k++) free(r->engines[k].cells);
    free(r->tests);
}
