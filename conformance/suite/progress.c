/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: progress output: one line that is overwritten on a terminal, separate lines elsewhere. */
#include "runner.h"
#include "os/clock.h"

#include <unistd.h>

static struct {
    bool terminal;
    double begun, shown;
} view;

static bool is_failure(report_state s)
{
    return s == REPORT_FAIL || s == REPORT_ERROR || s == REPORT_FLAKY;
}

static void clear_line(void)
{
    if (view.terminal) fputs("\r\033[K", stdout);
}

void progress_begin(const run *r)
{
    view.terminal = isatty(STDOUT_FILENO);
    view.begun = vn__clock();
    view.shown = 0;
    if (r->plan->quiet) return;
    printf("%d %s on", r->n_tests, r->n_tests == 1 ? "test" : "tests");
    for (int k = 0; k < r->n_engines; k++) printf("%s %s", k ? "," : "", r->engines[k].name);
    printf(", seed %llu\n", (unsigned long long)r->plan->seed);
    fflush(stdout);
}

void progress_failed(const run *r, const engine_run *e, int test, const char *message)
{
    if (r->plan->quiet) return;
    clear_line();
    printf("case  %s on %s: %s\n", r->tests[test]->id, e->name, message);
    fflush(stdout);
}

void progress_cell(const run *r, const engine_run *e, int test)
{
    const cell *c = &e->cells[test];
    if (r->plan->quiet || !is_failure(c->state)) return;
    clear_line();
    printf("%-5s %s on %s: %s: %.300s\n", report_states[c->state].name, r->tests[test]->id, e->name, c->reason, c->message);
    fflush(stdout);
}

void progress_engine(const run *r, const engine_run *e)
{
    int64_t counts[REPORT_STATES] = {0}, assertions = 0;
    if (r->plan->quiet) return;
    for (int k = 0; k < r->n_tests; k++) {
        counts[e->cells[k].state]++;
        assertions += e->cells[k].assertions;
    }
    clear_line();
    printf("%s%s%s:", e->name, *e->version ? " " : "", e->version);
    for (int s = 0; s < REPORT_STATES; s++)
        if (counts[s]) printf(" %lld %s,", (long long)counts[s], report_states[s].word);
    printf(" %lld assertions, %.1f s\n", (long long)assertions, e->seconds);
    if (!e->present) printf("  %s\n", e->load_error);
    if (*e->failure) printf("  %s\n", e->failure);
    fflush(stdout);
}

void progress_tick(const run *r)
{
    double t = vn__clock();
    if (!view.terminal || r->plan->quiet || t - view.shown < .2) return;
    int done = 0, all = r->n_tests * r->n_engines, failing = 0;
    for (int k = 0; k < r->n_engines; k++) {
        const engine_run *e = &r->engines[k];
        done += e->done;
        for (int i = 0; i < e->done; i++) failing += is_failure(e->cells[i].state);
    }
    view.shown = t;
    clear_line();
    printf("%d of %d, %d failing", done, all, failing);
    if (done > all / 20) printf(", about %.0f s left", (t - view.begun) / done * (all - done));
    fflush(stdout);
}

void progress_end(const run *r)
{
    if (r->plan->quiet) return;
    clear_line();
    if (r->interrupted) puts("interrupted: the report has the results so far");
    if (r->stopped) puts("stopped at the first failure");
    fflush(stdout);
}
