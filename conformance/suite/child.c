/* SPDX-License-Identifier: Apache-2.0 */
/* child.c: the process that runs the tests of one engine. It sends a record when it starts a test and one with the cell when it is done;
 * if it dies in between, the parent knows where. */
#include "process.h"
#include "base/minmax.h"
#include "runner.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static bool send_record(int fd, const record *r)
{
    const char *at = (const char *)r;
    size_t left = sizeof *r;
    while (left) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

/* Loads the engine and reports on it. */
static bool greet(const char *engine, record *r)
{
    vn_engine_info info = {.size = sizeof info};
    r->kind = RECORD_ENGINE;
    r->listed = !vn_engine_named(engine, &info);
    r->available = r->listed && info.available && vn_use(engine) == VN_OK;
    snprintf(r->version, sizeof r->version, "%s", r->listed && info.version ? info.version : "");
    if (!r->listed) snprintf(r->message, sizeof r->message, "there is no engine \"%s\"; `vinea engines` lists them", engine);
    else if (!r->available) snprintf(r->message, sizeof r->message, "%s", info.message ? info.message : vn_message());
    return r->available;
}

/* Reports the other engines of its plugin, which are known now that it is loaded. */
static void send_further(int fd, const char *engine, record *r)
{
    size_t n = strlen(engine);
    r->kind = RECORD_FURTHER;
    for (int k = 0; k < vn_engine_count(); k++) {
        const char *name = vn_engine_name(k);
        if (!name || strncmp(name, engine, n) != 0 || name[n] != ':') continue;
        snprintf(r->message, sizeof r->message, "%s", name);
        send_record(fd, r);
    }
}

/* ---- standard output, which belongs to the program and not to an engine ---- */

/* Redirects standard output to memory. */
static void capture_output(void)
{
    int fd = memfd_create("stdout", MFD_CLOEXEC);
    if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0) close(fd);
}

/* Was something printed since the last check? Its beginning is stored in the text. */
static bool take_output(char *to, size_t room)
{
    fflush(stdout);
    off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
    if (size <= 0) return false;
    ssize_t n = pread(STDOUT_FILENO, to, room - 1, 0);
    to[vn__max(n, 0)] = 0;
    if (ftruncate(STDOUT_FILENO, 0)) return true;
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    return true;
}

static void check_output(cell *c)
{
    char text[200];
    if (!take_output(text, sizeof text)) return;
    c->state = REPORT_ERROR;
    snprintf(c->reason, sizeof c->reason, "exception");
    snprintf(c->message, sizeof c->message, "something was printed on standard output, which belongs to the program: %s", text);
}

/* The parent reads the last output of a test from the memory behind stderr. */
static void forget_complaints(void)
{
    if (!ftruncate(STDERR_FILENO, 0)) lseek(STDERR_FILENO, 0, SEEK_SET);
}

/* ---- all tests ---- */

/* Where the child reports its progress. */
typedef struct parent {
    int fd;
    record *r;
    running *note; /* NULL: nowhere */
    bool verbose;
} parent;

static void on_running(void *user, const trial *t, int n)
{
    running *to = ((parent *)user)->note;
    if (!to) return;
    to->cases = n;
    to->number = t->number;
    to->dtype = t->dtype;
    trial_name(t, to->name, sizeof to->name);
}

static void on_failed(void *user, const trial *t, const char *message)
{
    parent *to = user;
    (void)t;
    if (!to->verbose) return;
    to->r->kind = RECORD_FAILED;
    snprintf(to->r->message, sizeof to->r->message, "%s", message);
    send_record(to->fd, to->r);
}

static running *open_note(int fd)
{
    void *m = mmap(NULL, sizeof(running), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return m == MAP_FAILED ? NULL : m;
}

int child_run(const plan *p, const char *engine, int first, int fd)
{
    int n = 0;
    const conformance_test **tests = list_tests(p, &n);
    record *r = calloc(1, sizeof *r);
    if (!tests || !r) return free(tests), free(r), EXIT_FAILURE;
    r->mark = RECORD_MARK;
    parent to = {fd, r, open_note(fd + 1), p->verbose};
    observer o = {on_running, on_failed, &to};
    capture_output();
    bool fine = greet(engine, r);
    take_output(r->cell.message, sizeof r->cell.message); /* no test was running */
    fine = send_record(fd, r) && fine;
    if (!p->named) send_further(fd, engine, r);
    for (int k = first; fine && k < n; k++) {
        r->kind = RECORD_START;
        r->test = k;
        forget_complaints();
        if (!send_record(fd, r)) break;
        plan q = *p;
        if (k == p->alone) q.programs = PROGRAMS_ALONE;
        cell_run(tests[k], &q, engine, &r->cell, &o);
        check_output(&r->cell);
        r->kind = RECORD_CELL;
        r->mebibytes = process_mebibytes(getpid());
        fine = send_record(fd, r);
    }
    r->kind = RECORD_END;
    if (fine) send_record(fd, r);
    free(tests);
    free(r);
    return fine && vn_close() == VN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- one case ---- */

static void print_worst(const trial *t)
{
    const worst *w = &t->outcome.worst;
    if (!w->any) return;
    printf("%s of %s, the worst element, %s\n", check_kind_names[w->check], w->what, w->index);
    printf("  expected  %.17g  (%a)\n  got       %.17g  (%a)\n", w->expected, w->expected, w->got, w->got);
    printf("  error     %.3g absolute, %.3g relative, %.3g ulp, %.3g of the tolerance\n", w->abs, w->rel, w->ulp, w->ratio);
}

static int print_trial(trial *t, const plan *p)
{
    char input[CELL_INPUT];
    const char *reason = trial_reason(t);
    int64_t assertions = 0;
    for (int k = 0; k < CHECK_KINDS; k++) assertions += t->outcome.assertions[k];
    case_text(t, input, sizeof input);
    if (*input) printf("%s\n", input);
    print_worst(t);
    printf("rtol %g, atol %g%s; %lld assertions\n", t->test->rtol, t->test->atol, p->strict ? ", and the strict tolerance decides" : "",
           (long long)assertions);
    if (!*reason) return puts("pass"), 0;
    bool error = t->outcome.code != VN_OK;
    printf("%s (%s): %s\n", error ? "error" : "fail", reason, *t->outcome.message ? t->outcome.message : t->outcome.strict_message);
    return error ? 2 : 1;
}

/* The path of a cell's failing case in the report. */
static bool stored_path(const plan *p, const char *engine, const conformance_test *test, char *to, size_t room)
{
    char name[sizeof((cell *)0)->case_file];
    return case_path(test, engine, ".json", name, sizeof name) && snprintf(to, room, "%s/%s", p->out, name) < (int)room &&
           !access(to, R_OK);
}

char *trial_program(trial *t)
{
    return t->test->program ? t->test->program(t) : source_program(t);
}

static int print_program(trial *t)
{
    t->program = trial_program(t);
    const bool fine = t->program && fputs(t->program, stdout) >= 0;
    if (!fine) fprintf(stderr, "vinea: check: %s cannot be printed as a program\n", t->test->id);
    trial_close(t);
    vn_close();
    return fine ? 0 : 2;
}

int child_case(const plan *p, const char *engine, const conformance_test *test)
{
    char path[4096], problem[1100];
    trial t;
    record greeting = {.mark = 0};
    if (!greet(engine, &greeting)) {
        fprintf(stderr, "vinea: %s\n", greeting.message);
        return 2;
    }
    int lowest = 0;
    while (!(p->dtypes >> lowest & 1)) lowest++;
    trial_open(&t, test, p, engine, p->number, (vn_dtype)lowest);
    bool stored = stored_path(p, engine, test, path, sizeof path) && case_read(path, &t, problem, sizeof problem);
    if (!stored) trial_close(&t), trial_open(&t, test, p, engine, p->number, (vn_dtype)lowest);
    if (p->print_program) return print_program(&t);
    printf("%s on %s %s, case %d, seed %llu, %s: %s%s\n", test->id, engine, greeting.version, p->number, (unsigned long long)p->seed,
           vn_dtype_name(t.dtype), stored ? "the minimised input, from " : "sampled again", stored ? path : "");
    t.say = true;
    trial_run(&t);
    int code = print_trial(&t, p);
    trial_close(&t);
    vn_close();
    return code;
}
