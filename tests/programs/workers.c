/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c: workers are separate processes, so that a crashing program ends only one of them: each records its current seed, and a new
 * worker continues after it. */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"

board *b;

int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell(uint64_t seed, verdict v, const char *what)
{
    const int k = atomic_fetch_add(&b->n_failures, 1);
    if (k >= MAX_FAILURES) return;
    b->failures[k].seed = seed;
    b->failures[k].verdict = v;
    snprintf(b->failures[k].what, sizeof b->failures[k].what, "%s", what);
}

static void begin(slot *s, int thread, uint64_t seed)
{
    atomic_store(&s->since[thread], milliseconds());
    atomic_store(&s->at[thread], seed + 1);
}

static void counted(slot *s, int thread, const program *p, const char *aim, const findings *j)
{
    b->programs++;
    b->aside += j->verdict == ASIDE;
    b->bits += by_bits_alone(p);
    b->aimed += aim != NULL;
    b->elements += (uint64_t)program_elements(p);
    if (j->verdict == FINE && j->ratio > s->ratio[thread]) {
        s->ratio[thread] = j->ratio;
        snprintf(s->worst[thread], sizeof s->worst[thread], "%s", j->worst);
    }
    if (j->verdict == WRONG) tell(p->seed, WRONG, j->what);
}

/* ---- a worker ---- */

typedef struct worker {
    const options *o;
    slot *s;
    int number, thread;
    bool native;
} worker;

/* Number of this worker's next program; false: there is none. */
static bool next_number(const worker *w, uint64_t *number)
{
    if (atomic_load(&b->stop)) return false;
    *number = atomic_fetch_add(&b->next, 1);
    return *number < w->o->count;
}

/* Lazy runs at another level or number of threads must give the bits of the first run. */
static void run_elsewhere(const worker *w, program *const *p, const uint64_t *hashes, int n)
{
    static const int first[] = {0, 4, 1, 0, 3}; /* number of threads of the next batch's first run */
    static const char *const levels[] = {"baseline", "avx2", "avx512", NULL}; /* NULL: the best one */
    static const int threads[] = {1, 2, 3, 4, 7};
    const uint64_t luck = mix(p[0]->seed);
    const char *level = w->o->s.isa ? w->o->s.isa : levels[luck % 4];
    const int many = w->o->s.threads ? w->o->s.threads : threads[luck / 4 % 5];
    vn_close();
    if (!open_engine(&w->o->s, level, many)) {
        vn_clear();
        level = NULL;
        open_engine(&w->o->s, NULL, many);
    }
    for (int k = 0; k < n; k++) {
        inputs in;
        outcome o;
        const program *one = p[k];
        if (!w->o->s.isa && !same_at_level(one, level)) continue;
        begin(w->s, w->thread, one->seed);
        if (!inputs_make(one, NULL, &in)) continue;
        run_programs(&one, &in, 1, LAZY, &o);
        if (outcome_hash(&o) != hashes[k]) {
            char what[200];
            snprintf(what, sizeof what, "other bits at level %s with %d threads", level ? level : "best", many);
            tell(one->seed, WRONG, what);
        }
        outcome_free(&o);
        inputs_free(&in);
    }
    vn_close();
    open_engine(&w->o->s, w->o->s.isa, w->o->s.threads ? w->o->s.threads : first[luck / 15 % 5]);
}

/* Programs one by one; on the native engine, a batch of them again with other settings. */
static void work_one_by_one(const worker *w)
{
    program *batch[BATCH];
    uint64_t hashes[BATCH], number;
    int n = 0;
    for (int k = 0; k < BATCH; k++) batch[k] = malloc(sizeof **batch);
    for (bool more = true; more;) {
        more = next_number(w, &number);
        if (more) {
            const char *aim = NULL;
            findings j;
            begin(w->s, w->thread, w->o->seed + number);
            machine *m = generate(batch[n], w->o->seed + number, &aim);
            check_program(batch[n], w->native ? m : NULL, w->native, &j);
            machine_free(m);
            counted(w->s, w->thread, batch[n], aim, &j);
            hashes[n] = j.hash;
            if (j.verdict != WRONG) n++;
        }
        if (n == BATCH || !more) {
            if (w->native && n > 0 && w->o->at_once == 1) run_elsewhere(w, batch, hashes, n);
            n = 0;
        }
        atomic_store(&w->s->at[w->thread], 0);
    }
    for (int k = 0; k < BATCH; k++) free(batch[k]);
}

/* Programs whose allocations fail. */
static void work_with_faults(const worker *w)
{
    program *p = malloc(sizeof *p);
    for (uint64_t number; p && next_number(w, &number);) {
        const char *aim = NULL;
        findings j;
        begin(w->s, w->thread, w->o->seed + number);
        machine_free(generate(p, w->o->seed + number, &aim));
        if (program_elements(p) >= 200000) continue;
        b->faults += (uint64_t)fail_allocations(p, &w->o->s, &j);
        counted(w->s, w->thread, p, aim, &j);
        atomic_store(&w->s->at[w->thread], 0);
    }
    free(p);
}

/* Several in one evaluation, for engines that compile. If one of them fails, each is run alone. */
static void work_together(const worker *w)
{
    const int most = w->o->together;
    program *p[MAX_FAILURES];
    const program *one[MAX_FAILURES];
    const char *aims[MAX_FAILURES];
    inputs *in = calloc((size_t)most, sizeof *in);
    outcome *o = calloc((size_t)most, sizeof *o);
    for (int k = 0; k < most; k++) one[k] = p[k] = malloc(sizeof **p);
    for (bool more = true; more && in && o;) {
        int n = 0;
        uint64_t number;
        while (n < most && (more = next_number(w, &number))) {
            begin(w->s, w->thread, w->o->seed + number);
            machine_free(generate(p[n], w->o->seed + number, &aims[n]));
            n += inputs_make(p[n], NULL, &in[n]);
        }
        run_programs(one, in, n, LAZY, o);
        for (int k = 0; k < n; k++) {
            findings j = {.worst = ""};
            if (o[k].code) {
                begin(w->s, w->thread, p[k]->seed);
                check_program(p[k], NULL, false, &j);
            } else {
                machine *m = machine_run(p[k], false);
                if (m) compare_outcome(p[k], m, &o[k], &j);
                machine_free(m);
            }
            counted(w->s, w->thread, p[k], aims[k], &j);
            outcome_free(&o[k]);
            inputs_free(&in[k]);
        }
        atomic_store(&w->s->at[w->thread], 0);
    }
    for (int k = 0; k < most; k++) free(p[k]);
    free(in);
    free(o);
}

static void *work(void *argument)
{
    const worker *w = argument;
    if (!open_engine(&w->o->s, w->o->s.isa, w->o->s.threads)) {
        b->missing = 1;
        snprintf(b->message, sizeof b->message, "%s", vn_message());
    } else if (w->o->allocations) {
        work_with_faults(w);
    } else if (w->o->together > 1 && !w->native) {
        work_together(w);
    } else {
        work_one_by_one(w);
    }
    vn_close();
    return NULL;
}

/* All threads of a worker; nothing may leak. */
static void run_worker(const options *o, int number)
{
    pthread_t threads[MAX_THREADS];
    worker w[MAX_THREADS];
    signal(SIGINT, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* reuse pages: fresh ones cost more than the loops over them */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    vn_scalar(1); /* keeps the library open while threads come and go */
    for (int t = 0; t < o->at_once; t++) {
        w[t] = (worker){o, &b->slots[number], number, t, !strcmp(o->s.engine, "native")};
        if (o->at_once == 1) {
            vn_close(); /* a single thread may open and close the library */
            work(&w[0]);
        } else if (pthread_create(&threads[t], NULL, work, &w[t]) != 0) {
            _exit(3);
        }
    }
    for (int t = 0; o->at_once > 1 && t < o->at_once; t++) pthread_join(threads[t], NULL);
    vn_memory_info m = {.size = sizeof m};
    if (vn_memory(&m) == VN_OK && (m.nodes > 8 || m.handles > 8)) {
        char what[200];
        snprintf(what, sizeof what, "%lld nodes and %lld handles are left behind", (long long)m.nodes, (long long)m.handles);
        tell(o->seed, WRONG, what);
    }
    vn_close();
}

/* ---- the parent ---- */

void interrupted(int number)
{
    (void)number;
    atomic_store(&b->stop, true);
}

static pid_t start(const options *o, int number)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    run_worker(o, number);
    fflush(NULL);
    if (!strcmp(o->s.engine, "native")) exit(0); /* let sanitizers finish */
    _exit(0);                                    /* skip the frameworks' exit handlers in a child */
}

/* The current seeds of a worker that died. */
static void note_end(const options *o, int number, int status, bool hung)
{
    slot *s = &b->slots[number];
    char what[200];
    int n = 0;
    if (WIFSIGNALED(status)) snprintf(what, sizeof what, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else snprintf(what, sizeof what, "exit code %d", WEXITSTATUS(status));
    for (int t = 0; t < MAX_THREADS; t++) {
        const uint64_t at = atomic_exchange(&s->at[t], 0);
        if (!at) continue;
        n++;
        b->programs++;
        tell(at - 1, hung ? HUNG : CRASHED, hung ? "it does not end" : what);
    }
    if (n == 0) { /* between programs, or at its end: a sanitizer error */
        tell(o->seed, CRASHED, what);
        atomic_store(&b->stop, true);
    }
}

static bool is_late(const options *o, int number)
{
    for (int t = 0; t < MAX_THREADS; t++) {
        const slot *s = &b->slots[number];
        if (atomic_load(&s->at[t]) && milliseconds() - atomic_load(&s->since[t]) > 1000 * (int64_t)o->s.seconds) return true;
    }
    return false;
}

void run_workers(const options *o)
{
    pid_t pids[MAX_JOBS];
    bool late[MAX_JOBS] = {false};
    int running = 0;
    const int64_t end = o->wait ? milliseconds() + 1000 * (int64_t)o->wait : INT64_MAX;
    for (int k = 0; k < o->jobs; k++) {
        pids[k] = start(o, k);
        running += pids[k] > 0;
    }
    while (running > 0) {
        int status = 0;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (milliseconds() > end || atomic_load(&b->n_failures) >= (o->stop ? 1 : MAX_FAILURES)) atomic_store(&b->stop, true);
        for (int k = 0; pid > 0 && k < o->jobs; k++) {
            if (pids[k] != pid) continue;
            running--;
            pids[k] = 0;
            const bool died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
            if (died) note_end(o, k, status, late[k]);
            late[k] = false;
            if (died && !atomic_load(&b->stop)) {
                pids[k] = start(o, k);
                running += pids[k] > 0;
            }
        }
        for (int k = 0; pid <= 0 && k < o->jobs; k++)
            if (pids[k] > 0 && !late[k] && is_late(o, k)) late[k] = kill(pids[k], SIGKILL) == 0;
        if (pid <= 0) usleep(2000);
    }
}
