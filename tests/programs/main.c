/* main.c: the command. Workers are separate processes, so that a crashing program ends only one of them: each records its current
 * seed, and a new worker continues after it. Counts accumulate over runs: a line of JSON per run in the file of --log, added by --sum. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

enum { MAX_JOBS = 64, MAX_THREADS = 8, BATCH = 32, MAX_FAILURES = 100 };

static const char help[] =
    "usage: programs [options] [FILE.program ...]\n"
    "\n"
    "Runs random programs, each the one of its seed, and compares their results with plain loops in float64; on the native engine\n"
    "also bit by bit: evaluated at once, op by op and in between, on other numbers of threads, at other instruction-set levels.\n"
    "With files, runs these instead. Failing programs are made small and written to files that run the same way.\n"
    "\n"
    "  --engine NAME    native (the default), torch, tensorflow, jax, numpy\n"
    "  --seed N         the first seed (1)\n"
    "  --count N        as many programs (1000)\n"
    "  --seconds N      no new programs after so long; without --count as many as there is time for\n"
    "  --jobs N         processes (as many as there are processors)\n"
    "  --at-once N      threads in each that build and run programs at the same time (1)\n"
    "  --together N     programs in one evaluation, on engines other than native (1)\n"
    "  --threads N      threads of the engine (its own choice)\n"
    "  --isa LEVEL      instruction-set level of the native engine (the best)\n"
    "  --allocations    instead, each program with less than 200,000 elements with each of its allocations failing\n"
    "  --limit N        seconds until a program counts as hung (60)\n"
    "  --stop           end at the first failure\n"
    "  --out FOLDER     where failing programs are written (.)\n"
    "  --minimise N     seconds for making each failing program small (60; 0: leave it)\n"
    "  --log FILE       adds a line of JSON with the counts of this run\n"
    "  --sum FILE       adds up the lines of such a file, and ends\n"
    "  --show           prints the programs instead of running them\n"
    "  --thresholds     lists the sizes that programs aim at, and ends\n"
    "\n"
    "Ctrl-C ends with the counts so far. To go on, take \"next\" of the log as the seed (tools/campaign does). Exit code: 0, 1 where a "
    "program failed, 2 for a\n"
    "wrong option, 77 where the engine is not installed.\n";

typedef struct options {
    settings s;
    uint64_t seed, count;
    bool counted, show, stop, allocations;
    int wait, jobs, at_once, together, minimise;
    const char *out, *log;
} options;

/* ---- shared state of workers ---- */

typedef struct failure {
    uint64_t seed;
    int verdict;
    char what[600];
} failure;

typedef struct slot {                    /* of a worker */
    _Atomic uint64_t at[MAX_THREADS];   /* current seed + 1; 0: none */
    _Atomic int64_t since[MAX_THREADS]; /* in milliseconds */
    double ratio[MAX_THREADS];          /* the largest error relative to its bound, and the op */
    char worst[MAX_THREADS][32];
} slot;

typedef struct board {
    _Atomic bool stop;
    _Atomic uint64_t next; /* number of the next program to start: workers take them in order, so that all before it were begun */
    _Atomic uint64_t programs, aside, bits, elements, aimed, faults;
    _Atomic int n_failures, missing; /* missing: the engine is not available */
    char message[600];
    failure failures[MAX_FAILURES];
    slot slots[MAX_JOBS];
} board;

static board *b;

static int64_t milliseconds(void)
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
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    static const int threads[] = {1, 2, 3, 4, 7};
    const uint64_t luck = mix(p[0]->seed);
    const char *level = w->o->s.isa ? w->o->s.isa : levels[luck % 3];
    const int many = w->o->s.threads ? w->o->s.threads : threads[luck / 3 % 5];
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
        if (level && !strcmp(level, "baseline") && !w->o->s.isa && !same_at_all_levels(one)) continue;
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

static void interrupted(int number)
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

static void run_workers(const options *o)
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

/* ---- failing programs ---- */

static void write_program(const options *o, const program *p, const char *suffix, const char *how, const char *what)
{
    char name[FILE_NAME];
    mkdir(o->out, 0777);
    snprintf(name, sizeof name, "%s/%s-%llu%s.program", o->out, o->s.engine, (unsigned long long)p->seed, suffix);
    FILE *f = fopen(name, "w");
    if (!f) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return;
    }
    fprintf(f, "# %s on %s: %s\n# seed %llu\n", how, o->s.engine, what, (unsigned long long)p->seed);
    program_print(f, p);
    fclose(f);
    fprintf(stderr, "    written: %s\n", name);
}

static void report(const options *o, const failure *f)
{
    enum { SHOWN = 3 };
    static int shown;
    static program p;
    fprintf(stderr, "%s: seed %llu: %s\n", verdict_names[f->verdict], (unsigned long long)f->seed, f->what);
    machine *m = generate(&p, f->seed, NULL);
    machine_free(m);
    if (!m) return;
    write_program(o, &p, "", verdict_names[f->verdict], f->what);
    if (!o->minimise || shown++ >= SHOWN) return;
    char what[600] = "";
    settings s = o->s;
    s.all_settings = true;
    const int tried = minimise(&p, &s, o->minimise);
    const verdict v = check_in_child(&p, &s, what, sizeof what);
    fprintf(stderr, "    smallest of %d programs tried: %s: %s\n", tried, verdict_names[v], what);
    program_print(stderr, &p);
    write_program(o, &p, "-small", verdict_names[v], what);
}

/* ---- counts ---- */

static int failures_of(verdict v)
{
    int n = 0;
    for (int k = 0; k < b->n_failures && k < MAX_FAILURES; k++) n += b->failures[k].verdict == (int)v;
    return n;
}

/* The first seed that no worker has begun. */
static uint64_t next_seed(const options *o)
{
    return o->seed + (b->next < o->count ? b->next : o->count);
}

static void summarise(const options *o, double seconds)
{
    const uint64_t n = b->programs;
    double ratio = 0;
    const char *worst = "";
    for (int k = 0; k < MAX_JOBS * MAX_THREADS; k++) {
        const slot *s = &b->slots[k / MAX_THREADS];
        if (s->ratio[k % MAX_THREADS] > ratio) ratio = s->ratio[k % MAX_THREADS], worst = s->worst[k % MAX_THREADS];
    }
    printf("%s: %llu programs from seed %llu on, %llu aimed at a threshold, %llu set aside, %llu compared by bits alone, %d wrong, %d "
           "crashed, "
           "%d hung; %.1f seconds, %.0f programs a second, %.0f elements each; largest error %.2f of its bound (%s)\n",
           o->s.engine, (unsigned long long)n, (unsigned long long)o->seed, (unsigned long long)b->aimed, (unsigned long long)b->aside,
           (unsigned long long)b->bits, failures_of(WRONG), failures_of(CRASHED), failures_of(HUNG), seconds, (double)n / seconds,
           n ? (double)b->elements / (double)n : 0, ratio, worst);
    if (o->allocations) printf("%s: %llu allocations failed\n", o->s.engine, (unsigned long long)b->faults);
    FILE *f = o->log ? fopen(o->log, "a") : NULL;
    if (!f) return;
    fprintf(f,
            "{\"engine\": \"%s\", \"seed\": %llu, \"next\": %llu, \"programs\": %llu, \"aside\": %llu, \"by_bits\": %llu, \"wrong\": %d, "
            "\"crashed\": %d, "
            "\"hung\": %d, \"faults\": %llu, \"seconds\": %.1f}\n",
            o->s.engine, (unsigned long long)o->seed, (unsigned long long)next_seed(o), (unsigned long long)n, (unsigned long long)b->aside,
            (unsigned long long)b->bits, failures_of(WRONG), failures_of(CRASHED), failures_of(HUNG), (unsigned long long)b->faults,
            seconds);
    fclose(f);
}

/* Adds up a file of such lines, for each engine. */
static int sum_log(const char *file)
{
    struct {
        char engine[32];
        double counts[8];
    } sums[16] = {0};
    static const char *const names[] = {"programs", "aside", "by_bits", "wrong", "crashed", "hung", "faults", "seconds"};
    FILE *f = fopen(file, "r");
    char line[1024], engine[32];
    if (!f) return fprintf(stderr, "%s: %s\n", file, strerror(errno)), 2;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "\"engine\": \"");
        if (!at || sscanf(at + 11, "%31[a-z]", engine) != 1) continue;
        int k = 0;
        while (k < 15 && sums[k].engine[0] && strcmp(sums[k].engine, engine) != 0) k++;
        snprintf(sums[k].engine, sizeof sums[k].engine, "%s", engine);
        for (int i = 0; i < 8; i++) {
            char key[32];
            snprintf(key, sizeof key, "\"%s\": ", names[i]);
            if ((at = strstr(line, key))) sums[k].counts[i] += strtod(at + strlen(key), NULL);
        }
    }
    fclose(f);
    printf("%-12s %10s %8s %8s %7s %8s %6s %10s %10s\n", "engine", "programs", "aside", "by bits", "wrong", "crashed", "hung", "faults",
           "seconds");
    for (int k = 0; k < 16 && sums[k].engine[0]; k++)
        printf("%-12s %10.0f %8.0f %8.0f %7.0f %8.0f %6.0f %10.0f %10.0f\n", sums[k].engine, sums[k].counts[0], sums[k].counts[1],
               sums[k].counts[2], sums[k].counts[3], sums[k].counts[4], sums[k].counts[5], sums[k].counts[6], sums[k].counts[7]);
    return 0;
}

/* ---- files ---- */

static int run_files(const options *o, int n, char **files)
{
    static program p;
    int bad = 0;
    settings s = o->s;
    s.all_settings = true;
    for (int k = 0; k < n; k++) {
        char what[600] = "";
        const char *why = program_read(&p, files[k]);
        const verdict v = why ? WRONG : check_in_child(&p, &s, what, sizeof what);
        const bool failed = v != FINE && v != ASIDE;
        if (failed) fprintf(stderr, "%s: %s: %s\n", files[k], why ? "no program" : verdict_names[v], why ? why : what);
        bad += failed;
        if (!failed || why || !o->minimise || n > 1) continue;
        minimise(&p, &s, o->minimise);
        program_print(stdout, &p);
    }
    printf("%s: %d programs from files, %d failed\n", o->s.engine, n, bad);
    return bad > 0;
}

static int show(const options *o)
{
    static program p;
    for (uint64_t k = 0; k < o->count; k++) {
        const char *aim = NULL;
        machine_free(generate(&p, o->seed + k, &aim));
        printf("# seed %llu%s%s\n", (unsigned long long)p.seed, aim ? ", aims at " : "", aim ? aim : "");
        program_print(stdout, &p);
    }
    return 0;
}

/* ---- the command line ---- */

static const char *value_of(int argc, char **argv, int *k)
{
    if (*k + 1 < argc) return argv[++*k];
    fprintf(stderr, "%s needs a value\n", argv[*k]);
    exit(2);
}

static int number_of(int argc, char **argv, int *k, int least, int most)
{
    const char *name = argv[*k], *text = value_of(argc, argv, k);
    char *end;
    const long n = strtol(text, &end, 10);
    if (!*text || *end || n < least || n > most) {
        fprintf(stderr, "%s %s: a number from %d to %d is needed\n", name, text, least, most);
        exit(2);
    }
    return (int)n;
}

/* Options before files; the number of the first file, or argc. */
static int parse(int argc, char **argv, options *o)
{
    int k = 1;
    for (; k < argc && argv[k][0] == '-'; k++) {
        const char *a = argv[k];
        if (!strcmp(a, "--engine")) o->s.engine = value_of(argc, argv, &k);
        else if (!strcmp(a, "--seed")) o->seed = strtoull(value_of(argc, argv, &k), NULL, 10);
        else if (!strcmp(a, "--count")) o->count = strtoull(value_of(argc, argv, &k), NULL, 10), o->counted = true;
        else if (!strcmp(a, "--seconds")) o->wait = number_of(argc, argv, &k, 1, 1 << 24);
        else if (!strcmp(a, "--jobs")) o->jobs = number_of(argc, argv, &k, 1, MAX_JOBS);
        else if (!strcmp(a, "--at-once")) o->at_once = number_of(argc, argv, &k, 1, MAX_THREADS);
        else if (!strcmp(a, "--together")) o->together = number_of(argc, argv, &k, 1, MAX_FAILURES);
        else if (!strcmp(a, "--threads")) o->s.threads = number_of(argc, argv, &k, 1, 256);
        else if (!strcmp(a, "--isa")) o->s.isa = value_of(argc, argv, &k);
        else if (!strcmp(a, "--limit")) o->s.seconds = number_of(argc, argv, &k, 1, 1 << 20);
        else if (!strcmp(a, "--out")) o->out = value_of(argc, argv, &k);
        else if (!strcmp(a, "--minimise")) o->minimise = number_of(argc, argv, &k, 0, 1 << 20);
        else if (!strcmp(a, "--log")) o->log = value_of(argc, argv, &k);
        else if (!strcmp(a, "--sum")) exit(sum_log(value_of(argc, argv, &k)));
        else if (!strcmp(a, "--allocations")) o->allocations = true, o->at_once = 1;
        else if (!strcmp(a, "--stop")) o->stop = true;
        else if (!strcmp(a, "--show")) o->show = true;
        else if (!strcmp(a, "--thresholds")) list_thresholds(stdout), exit(0);
        else if (!strcmp(a, "--help") || !strcmp(a, "-h")) fputs(help, stdout), exit(0);
        else fprintf(stderr, "there is no option %s\n%s", a, help), exit(2);
    }
    if (o->wait && !o->counted) o->count = UINT64_MAX / 2;
    return k;
}

int main(int argc, char **argv)
{
    options o = {
        .s = {.engine = "native", .seconds = 60}, .seed = 1, .count = 1000, .at_once = 1, .together = 1, .minimise = 60, .out = "."};
    o.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (o.jobs < 1 || o.jobs > MAX_JOBS) o.jobs = 1;
    const int first = parse(argc, argv, &o);
    if (first < argc) return run_files(&o, argc - first, argv + first);
    if (o.show) return show(&o);
    b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return fprintf(stderr, "no memory\n"), 2;
    signal(SIGINT, interrupted);
    const int64_t begun = milliseconds();
    run_workers(&o);
    if (b->missing) return fprintf(stderr, "%s\n", b->message), 77;
    summarise(&o, (double)(milliseconds() - begun + 1) / 1000);
    fflush(stdout);
    for (int k = 0; k < b->n_failures && k < MAX_FAILURES; k++) report(&o, &b->failures[k]);
    return b->n_failures > 0;
}
