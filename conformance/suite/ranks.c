/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: the suite "ranks": lists its rows, and runs a body on several processes: `vinea launch` starts this program again on every rank,
 * and the first rank writes what they found into memory of this process. */
#include "ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 120 }; /* that a rank waits for the others */
static bool is_rank;    /* this process was launched as one */
static int only;        /* --ranks; 0: the tables of every run */
static const int counts[] = {1, 2, 4};

void ranks_only(int ranks)
{
    only = ranks;
}

static int ranks_of(const trial *t)
{
    return ((const ranked_body *)t->test->data)->ranks;
}

vn_group *ranks_join(void)
{
    const int ranks = ranks_of(nn_trial);
    vn_group *all = vn_group_open(VN_OPTS(group, .timeout = SECONDS));
    char text[160];
    snprintf(text, sizeof text, "%d processes were started, and the group has %d (is the plugin of their launcher there?)", ranks,
             vn_group_size(all));
    if (all) trial_expect(nn_trial, CHECK_VALUE, vn_group_size(all) == ranks, text);
    return all;
}

/* ---- a rank ---- */

static void add_outcome(trial_outcome *sum, const trial_outcome *next, int rank)
{
    const bool bad = next->code || next->failing, first = bad && !sum->code && !sum->failing;
    trial_outcome all = first ? *next : *sum;
    for (int k = 0; k < CHECK_KINDS; k++) {
        all.assertions[k] = sum->assertions[k] + next->assertions[k];
        all.failed[k] = sum->failed[k] + next->failed[k];
        all.strict_failed[k] = sum->strict_failed[k] + next->strict_failed[k];
    }
    if (first) snprintf(all.message, sizeof all.message, "rank %d: %.440s", rank, next->message);
    all.fell_back = sum->fell_back || next->fell_back;
    *sum = all;
}

/* The outcomes of all ranks as one, on every rank. */
static bool collect(trial_outcome *o)
{
    VN_SCOPE;
    vn_group *all = vn_group_open(VN_OPTS(group, .timeout = SECONDS));
    vn_array *bytes = vn_group_all_gather(all, vn_from_host(o, VN_U8, VN_SHAPE(sizeof *o)));
    const trial_outcome *each = bytes ? vn_data(bytes) : NULL;
    trial_outcome sum = {.code = VN_OK};
    for (int k = 0; each && k < vn_group_size(all); k++) {
        trial_outcome one;
        memcpy(&one, each + k, sizeof one);
        add_outcome(&sum, &one, k);
    }
    *o = sum;
    return each;
}

static bool write_outcome(const char *file, const trial_outcome *o)
{
    const int fd = open(file, O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write(fd, o, sizeof *o) == (ssize_t)sizeof *o;
    if (fd >= 0) close(fd);
    return written;
}

int ranks_child(const plan *p, const char *file)
{
    int n = 0, lowest = 0;
    const conformance_test **tests = list_tests(p, &n);
    trial t;
    is_rank = true;
    const vn_group *all = n == 1 && vn_use(p->engines[0]) == VN_OK ? vn_group_open(NULL) : NULL;
    bool fine = all;
    if (fine) {
        while (!(tests[0]->dtypes >> lowest & 1)) lowest++;
        trial_open(&t, tests[0], p, p->engines[0], p->number, (vn_dtype)lowest);
        trial_run(&t);
        fine = collect(&t.outcome) && (vn_group_rank(all) || write_outcome(file, &t.outcome));
        trial_close(&t);
    }
    if (!fine) fprintf(stderr, "%s\n", vn_status() ? vn_message() : "the outcome of the ranks is lost");
    free(tests);
    return vn_close() == VN_OK && fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- starting the ranks ---- */

enum { WORDS = 24 };

/* In the new process: becomes `vinea launch`, which becomes the MPI's launcher and ends with its parent. */
static void become(const char *const *words, int err)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(err, 2) < 0) _exit(127);
    execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Its exit status; -1: no process could be started. */
static int launch(const trial *t, int out, int err)
{
    char self[4096], path[64], ranks[16], seed[32], number[16];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return -1;
    self[length] = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), out);
    snprintf(ranks, sizeof ranks, "%d", ranks_of(t)), snprintf(number, sizeof number, "%d", t->number);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    const char *words[WORDS] = {"vinea",     "launch",  "-n",  ranks,    "--", self,     "check", "--engine", t->engine, "--test",
                                t->test->id, "--ranks", ranks, "--seed", seed, "--case", number,  "--rank",   path};
    int status = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid) become(words, err);
    if (pid < 0) return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* How the complaints begin: the ranks' own, before the launcher's. */
static void first_words(int err, char *to, size_t room)
{
    const ssize_t n = pread(err, to, room - 1, 0);
    to[n > 0 ? n : 0] = 0;
    for (char *c = to; *c; c++)
        if (*c == '\n') *c = c[1] ? ' ' : 0;
}

static void run_ranks(trial *t)
{
    enum { NO_LAUNCHER = 2 }; /* what `vinea launch` exits with */
    if (is_rank || ranks_of(t) == 1) {
        nn_run(t);
        return;
    }
    char words[400];
    const int out = memfd_create("outcome", MFD_CLOEXEC), err = memfd_create("stderr", MFD_CLOEXEC);
    const int status = out >= 0 && err >= 0 ? launch(t, out, err) : -1;
    first_words(err, words, sizeof words);
    if (status == NO_LAUNCHER) {
        t->outcome.code = VN_E_UNSUPPORTED;
        snprintf(t->outcome.message, sizeof t->outcome.message, "%s", words);
    } else if (pread(out, &t->outcome, sizeof t->outcome, 0) != (ssize_t)sizeof t->outcome) {
        char text[TRIAL_TEXT];
        snprintf(text, sizeof text, "the ranks ended with status %d: %s", status, words);
        trial_expect(t, CHECK_VALUE, false, text);
    }
    if (out >= 0) close(out);
    if (err >= 0) close(err);
}

/* ---- the rows ---- */

static const ranks_part *const parts[] = {&ranks_collectives, &ranks_training};
enum { PARTS = sizeof parts / sizeof *parts, TEXT = 48 };

typedef struct {
    ranked_body body;
    char suite[TEXT], id[TEXT], name[TEXT];
} ranked_row;

static void make_row(ranked_row *r, const ranks_row *from, const char *file, int ranks, conformance_test *to)
{
    r->body = (ranked_body){{from->body}, ranks};
    snprintf(r->suite, TEXT, "ranks/%d", ranks);
    snprintf(r->id, TEXT, "ranks/%d/%s", ranks, from->key);
    snprintf(r->name, TEXT, "ranks_%d_%s", ranks, from->key);
    *to = (conformance_test){.suite = r->suite,
                             .id = r->id,
                             .name = r->name,
                             .function = from->function,
                             .what = from->what,
                             .truth = TRUTH_CLOSED,
                             .rtol = 1e-5,
                             .atol = 1e-6,
                             .dtypes = VN_BIT(VN_F32),
                             .cases = 1,
                             .fixed = true,
                             .run = run_ranks,
                             .data = &r->body,
                             .ranks = ranks,
                             .file = file,
                             .line = from->line};
}

static const conformance_test *tests(int *n)
{
    static conformance_test *rows;
    static ranked_row *made;
    const int n_counts = only ? 1 : (int)(sizeof counts / sizeof *counts);
    int each = 0, k = 0;
    for (int p = 0; p < PARTS; p++) each += parts[p]->n;
    *n = each * n_counts;
    if (rows) return rows;
    rows = calloc((size_t)*n, sizeof *rows), made = calloc((size_t)*n, sizeof *made);
    if (!rows || !made) return *n = 0, NULL;
    for (int c = 0; c < n_counts; c++)
        for (int p = 0; p < PARTS; p++)
            for (int i = 0; i < parts[p]->n; i++, k++)
                make_row(&made[k], &parts[p]->rows[i], parts[p]->file, only ? only : counts[c], &rows[k]);
    return rows;
}

const suite suite_ranks = {"ranks", tests};
