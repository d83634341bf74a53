/* pool.c: one process per engine, and what is to be made of the way it ends. A child that crashes, hangs, eats memory or prints where it
 * should not costs the test it was running; another one goes on with the next. */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int poll_milliseconds = 100;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void catch_signals(struct sigaction before[2])
{
    struct sigaction a = {.sa_handler = on_signal};
    sigaction(SIGINT, &a, &before[0]);
    sigaction(SIGTERM, &a, &before[1]);
}

/* ---- a child ---- */

typedef struct child {
    engine_run *engine; /* NULL: the place is free */
    pid_t pid;
    int records; /* the read end of its pipe */
    int err;     /* the memory its stderr goes to, emptied by the child before each test */
    record in;   /* the record that is arriving */
    size_t have;
    int running; /* test, -1 between tests */
    int next;    /* the test a new child would begin with */
    bool ended;  /* it said that it was through */
    bool greeted;
    double since, started;    /* of the running test; of the engine */
    char killed[CELL_REASON]; /* why we ended it */
} child;

/* The last words on stderr, on one line. */
static void last_words(const child *c, char to[CELL_WORDS])
{
    off_t size = lseek(c->err, 0, SEEK_END), from = size > CELL_WORDS - 1 ? size - (CELL_WORDS - 1) : 0;
    ssize_t n = pread(c->err, to, CELL_WORDS - 1, from);
    to[n > 0 ? n : 0] = 0;
    if (!*to) snprintf(to, CELL_WORDS, "nothing on stderr");
    for (char *s = to; *s; s++)
        if (*s == '\n') *s = s[1] ? ' ' : 0;
}

/* The child's words: those of the parent, and what it is there for. Ends with NULL; the caller frees the list, not the words. */
static const char **words_of(const plan *p, const char *engine, const char *first, const char *fd)
{
    const char **words = calloc((size_t)p->n_words + 9, sizeof *words);
    if (!words) return NULL;
    int n = 0;
    words[n++] = "vinea";
    words[n++] = "check";
    for (int k = 0; k < p->n_words; k++) words[n++] = p->words[k];
    words[n++] = "--child";
    words[n++] = engine;
    words[n++] = first;
    words[n++] = fd;
    return words;
}

enum { RECORDS_AT = 100 }; /* a descriptor no framework counts on */

/* In the new process: streams, the end together with the parent, and the program again. */
static void become(const char **words, int records, int err)
{
    setpgid(0, 0); /* Ctrl-C is the parent's affair */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(err, 2) < 0 || dup2(records, RECORDS_AT) < 0) _exit(127);
    execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(127);
}

static bool start(child *c, const plan *p)
{
    int ends[2] = {-1, -1}, err = memfd_create("stderr", MFD_CLOEXEC);
    char first[16], at[16];
    snprintf(first, sizeof first, "%d", c->next);
    snprintf(at, sizeof at, "%d", RECORDS_AT);
    const char **words = words_of(p, c->engine->name, first, at);
    bool fine = words && err >= 0 && !pipe2(ends, O_CLOEXEC);
    fflush(NULL);
    pid_t pid = fine ? fork() : -1;
    if (!pid) become(words, ends[1], err);
    if (ends[1] >= 0) close(ends[1]);
    if (pid > 0) fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (pid < 0 && ends[0] >= 0) close(ends[0]);
    if (pid < 0 && err >= 0) close(err);
    free(words);
    if (pid < 0) return false;
    c->pid = pid;
    c->records = ends[0], c->err = err;
    c->have = 0;
    c->running = -1;
    c->ended = c->greeted = false;
    c->since = now();
    *c->killed = 0;
    return true;
}

static double resident_bytes(pid_t pid)
{
    char path[64];
    long long pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    if (fscanf(f, "%lld %lld", &pages, &resident) != 2) resident = 0;
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

/* Of what a stream of the process printed into memory. */
static double printed_bytes(pid_t pid, int fd)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    return !stat(path, &s) && S_ISREG(s.st_mode) ? (double)s.st_size : 0;
}

static double used_mebibytes(pid_t pid)
{
    return (resident_bytes(pid) + printed_bytes(pid, 1) + printed_bytes(pid, 2)) / 0x1p20;
}

/* ---- cells that did not come by themselves ---- */

static void settle(run *r, child *c, int test, cell_state state, const char *reason, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
static void settle(run *r, child *c, int test, cell_state state, const char *reason, const char *format, ...)
{
    cell *to = &c->engine->cells[test];
    va_list args;
    *to = (cell){.state = state, .failed_case = -1};
    snprintf(to->reason, sizeof to->reason, "%s", reason);
    va_start(args, format);
    vsnprintf(to->message, sizeof to->message, format, args);
    va_end(args);
    to->milliseconds = test == c->running ? 1e3 * (now() - c->since) : 0;
    c->engine->done++;
    c->next = test + 1;
    progress_cell(r, c->engine, test);
}

static void settle_rest(run *r, child *c, cell_state state, const char *reason, const char *why)
{
    for (int k = c->next; k < r->n_tests; k++) settle(r, c, k, state, reason, "%s", why);
}

/* ---- records ---- */

/* A listed failure is known, and one that passes is an error. */
static void apply_known(const run *r, const engine_run *e, int test)
{
    char problem[512] = "";
    cell *c = &e->cells[test];
    const char *why = known_failure(r->plan, e->name, r->tests[test]->id, problem, sizeof problem);
    if (!why) return;
    if (c->state == CELL_FAIL || c->state == CELL_ERROR || c->state == CELL_FLAKY) {
        c->state = CELL_KNOWN;
        snprintf(c->message, sizeof c->message, "%s", why);
    } else if (c->state == CELL_PASS) {
        c->state = CELL_ERROR;
        snprintf(c->reason, sizeof c->reason, "exception");
        snprintf(c->message, sizeof c->message, "listed as a known failure (%s), but it passes: take it off the list", why);
    }
}

static void take_engine(run *r, child *c, const record *in)
{
    engine_run *e = c->engine;
    bool before = e->present;
    c->greeted = true;
    e->present = e->present || in->available;
    if (in->available) snprintf(e->version, sizeof e->version, "%s", in->version);
    else {
        snprintf(e->load_error, sizeof e->load_error, "%s", in->message);
        settle_rest(r, c, before ? CELL_ERROR : CELL_NOT_RUN, before ? "load" : "", in->message);
    }
}

static void take_cell(run *r, child *c, const record *in)
{
    c->engine->cells[in->test] = in->cell;
    apply_known(r, c->engine, in->test);
    c->engine->done++;
    c->next = in->test + 1;
    progress_cell(r, c->engine, in->test);
    c->running = -1;
    c->since = now();
}

/* False: this is no record of ours. */
static bool take(run *r, child *c)
{
    const record *in = &c->in;
    if (in->mark != RECORD_MARK || in->test < 0 || in->test >= r->n_tests) return false;
    switch (in->kind) {
    case RECORD_ENGINE: take_engine(r, c, in); return true;
    case RECORD_START:
        c->running = in->test;
        c->since = now();
        return in->test == c->next;
    case RECORD_CELL: return in->test == c->running && (take_cell(r, c, in), true);
    case RECORD_END: c->ended = true; return true;
    }
    return false;
}

/* Reads records until there are none; false when the pipe is closed or what came makes no sense. */
static bool receive(run *r, child *c)
{
    for (;;) {
        ssize_t n = read(c->records, (char *)&c->in + c->have, sizeof c->in - c->have);
        if (n < 0) return errno == EAGAIN || errno == EINTR;
        if (n == 0) return false;
        c->have += (size_t)n;
        if (c->have < sizeof c->in) continue;
        c->have = 0;
        if (take(r, c)) continue;
        snprintf(c->killed, sizeof c->killed, "exception");
        kill(c->pid, SIGKILL);
        return false;
    }
}

/* ---- ends ---- */

static void end_text(int status, char *to, size_t room)
{
    if (WIFSIGNALED(status)) snprintf(to, room, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else snprintf(to, room, "ended with status %d", WEXITSTATUS(status));
}

/* What the end of a child means for the test it was running. */
static void blame(run *r, child *c, int status)
{
    char how[128], words[CELL_WORDS];
    int test = c->running >= 0 ? c->running : c->next;
    last_words(c, words);
    end_text(status, how, sizeof how);
    if (!strcmp(c->killed, "timeout"))
        settle(r, c, test, CELL_ERROR, "timeout", "did not come to an end within %g s; %s", r->plan->seconds, words);
    else if (!strcmp(c->killed, "memory"))
        settle(r, c, test, CELL_ERROR, "memory", "needed more than %g MiB of memory; %s", r->plan->mebibytes, words);
    else if (*c->killed) settle(r, c, test, CELL_ERROR, "exception", "wrote rubbish into the results; %s", words);
    else settle(r, c, test, CELL_ERROR, "crash", "%s; %s", how, words);
}

/* The child could not even load its engine. */
static void blame_engine(run *r, child *c, int status)
{
    char how[128], words[CELL_WORDS], why[TRIAL_TEXT];
    end_text(status, how, sizeof how);
    last_words(c, words);
    snprintf(why, sizeof why, "the engine could not be loaded: %s; %.300s", *c->killed ? c->killed : how, words);
    snprintf(c->engine->load_error, sizeof c->engine->load_error, "%s", why);
    c->engine->present = true;
    settle_rest(r, c, CELL_ERROR, "load", why);
}

/* The child is gone: settles what it left, and says whether another must go on. */
static bool finish(run *r, child *c)
{
    int status = 0;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    if (c->next >= r->n_tests && c->ended && status) {
        char how[128], words[CELL_WORDS];
        end_text(status, how, sizeof how);
        last_words(c, words);
        snprintf(c->engine->trouble, sizeof c->engine->trouble, "%s after its last test; %.300s", how, words);
    } else if (c->next < r->n_tests && !interrupted) {
        if (c->greeted) blame(r, c, status);
        else blame_engine(r, c, status);
    }
    close(c->records), close(c->err);
    return c->next < r->n_tests && !interrupted;
}

static void watch(const plan *p, child *c)
{
    const char *why = NULL;
    if (p->seconds > 0 && now() - c->since > p->seconds) why = "timeout";
    else if (p->mebibytes > 0 && used_mebibytes(c->pid) > p->mebibytes) why = "memory";
    if (!why || *c->killed) return;
    snprintf(c->killed, sizeof c->killed, "%s", why);
    kill(c->pid, SIGKILL);
}

/* ---- all of them ---- */

/* Waits for something to read, a moment at most. */
static void wait_for(child *children, int n)
{
    struct pollfd fds[PLAN_ENGINES];
    nfds_t used = 0;
    for (int k = 0; k < n; k++) {
        if (!children[k].engine) continue;
        fds[used++] = (struct pollfd){.fd = children[k].records, .events = POLLIN};
    }
    poll(fds, used, poll_milliseconds);
}

static void end_engine(run *r, child *c)
{
    c->engine->seconds = now() - c->started;
    if (!interrupted) progress_engine(r, c->engine);
    c->engine = NULL;
}

/* One look at a child. */
static void attend(run *r, child *c)
{
    bool open = receive(r, c);
    if (open) {
        watch(r->plan, c);
        return;
    }
    if (!finish(r, c)) end_engine(r, c);
    else if (!start(c, r->plan)) {
        settle_rest(r, c, CELL_ERROR, "load", "no further process could be started");
        end_engine(r, c);
    }
}

static void stop_all(run *r, child *children, int n)
{
    for (int k = 0; k < n; k++) {
        if (!children[k].engine) continue;
        kill(children[k].pid, SIGKILL);
        finish(r, &children[k]);
        end_engine(r, &children[k]);
    }
    r->interrupted = true;
    for (int k = 0; k < r->n_engines; k++) {
        if (!*r->engines[k].load_error) r->engines[k].present = true; /* nothing says that it is not there */
        for (int i = r->engines[k].done; i < r->n_tests; i++) {
            cell *c = &r->engines[k].cells[i];
            *c = (cell){
                .state = CELL_SKIPPED, .reason = "interrupted", .failed_case = -1, .message = "the run was interrupted before this test"};
        }
    }
}

static int begin(run *r, child *c, int engine)
{
    *c = (child){.engine = &r->engines[engine], .started = now()};
    if (start(c, r->plan)) return 1;
    fprintf(stderr, "vinea: check: no process could be started: %s\n", strerror(errno));
    c->engine->present = true;
    settle_rest(r, c, CELL_ERROR, "load", "no process could be started");
    c->engine = NULL;
    return 0;
}

bool pool_run(run *r)
{
    child *children = calloc(PLAN_ENGINES, sizeof *children);
    struct sigaction before[2];
    double started = now();
    int waiting = 0, alive = 0;
    if (!children) return false;
    catch_signals(before);
    progress_begin(r);
    while (!interrupted && (waiting < r->n_engines || alive)) {
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
    if (interrupted) stop_all(r, children, PLAN_ENGINES);
    r->seconds = now() - started;
    progress_end(r);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    free(children);
    return true;
}

/* ---- one case ---- */

int case_run(const plan *p, const char *engine, const conformance_test *test)
{
    double started = now();
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        int code = child_case(p, engine, test);
        exit(code);
    }
    if (pid < 0) return fprintf(stderr, "vinea: check: no process could be started: %s\n", strerror(errno)), 2;
    while (!waitpid(pid, &status, WNOHANG)) {
        bool late = p->seconds > 0 && now() - started > p->seconds, large = p->mebibytes > 0 && used_mebibytes(pid) > p->mebibytes;
        if (late || large) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            printf("error (%s): ended after %.1f s\n", late ? "timeout" : "memory", now() - started);
            return 2;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    char how[128];
    end_text(status, how, sizeof how);
    printf("error (crash): %s\n", how);
    return 2;
}

void run_free(run *r)
{
    for (int k = 0; k < r->n_engines; k++) free(r->engines[k].cells);
    free(r->tests);
}
