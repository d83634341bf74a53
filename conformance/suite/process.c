/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: a child process that runs tests: starting it with redirected streams, monitoring it, and reading its output. */
#include "process.h"
#include "os/clock.h"
#include "base/minmax.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- starting ---- */

enum { RECORDS_AT = 100, NOTE_AT }; /* descriptors that frameworks do not use */

/* The child's arguments: the parent's, and its own. NULL-terminated; the caller frees the list, not the strings. */
static const char **words_of(const plan *p, const char *engine, int first, int alone)
{
    static char numbers[3][16];
    const char **words = calloc((size_t)p->n_words + 9, sizeof *words);
    if (!words) return NULL;
    int n = 0;
    snprintf(numbers[0], sizeof numbers[0], "%d", first);
    snprintf(numbers[1], sizeof numbers[1], "%d", RECORDS_AT);
    snprintf(numbers[2], sizeof numbers[2], "%d", alone);
    words[n++] = "vinea";
    words[n++] = "check";
    for (int k = 0; k < p->n_words; k++) words[n++] = p->words[k];
    words[n++] = "--child";
    words[n++] = engine;
    for (int k = 0; k < 3; k++) words[n++] = numbers[k];
    return words;
}

/* In the new process: sets up streams and termination with the parent, and executes the program. Returns where the system cannot execute it: the
 * program was built for another processor, and an emulator runs it. */
static void become(const char **words, int records, int err, int note)
{
    setpgid(0, 0); /* the parent handles Ctrl-C */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(err, 2) < 0 || dup2(records, RECORDS_AT) < 0 ||
        dup2(note, NOTE_AT) < 0)
        _exit(127);
    execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    if (errno != ENOEXEC) _exit(127);
}

bool process_start(process *c, const plan *p, const char *engine, int next, int alone)
{
    int ends[2] = {-1, -1};
    *c = (process){-1, -1, memfd_create("stderr", MFD_CLOEXEC), memfd_create("running", MFD_CLOEXEC)};
    const char **words = words_of(p, engine, next, alone);
    bool fine = words && c->err >= 0 && c->note >= 0 && !ftruncate(c->note, sizeof(running)) && !pipe2(ends, O_CLOEXEC);
    fflush(NULL);
    if (fine) c->pid = fork();
    if (!c->pid) {
        become(words, ends[1], c->err, c->note);
        plan same = *p;
        same.alone = alone;
        exit(child_run(&same, engine, next, RECORDS_AT));
    }
    c->records = ends[0];
    if (ends[1] >= 0) close(ends[1]);
    free(words);
    if (c->pid > 0) return fcntl(c->records, F_SETFL, O_NONBLOCK), true;
    process_close(c);
    return false;
}

void process_close(process *c)
{
    const int all[] = {c->records, c->err, c->note};
    for (int k = 0; k < 3; k++)
        if (all[k] >= 0) close(all[k]);
}

/* ---- monitoring ---- */

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

/* The end of what the process printed to a stream. */
static double printed_bytes(pid_t pid, int fd)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    return !stat(path, &s) && S_ISREG(s.st_mode) ? (double)s.st_size : 0;
}

double process_mebibytes(pid_t pid)
{
    return (resident_bytes(pid) + printed_bytes(pid, 1) + printed_bytes(pid, 2)) / 0x1p20;
}

/* The last output on stderr, on one line. */
void process_words(const process *c, char to[CELL_WORDS])
{
    off_t size = lseek(c->err, 0, SEEK_END), from = size > CELL_WORDS - 1 ? size - (CELL_WORDS - 1) : 0;
    ssize_t n = pread(c->err, to, CELL_WORDS - 1, from);
    to[vn__max(n, 0)] = 0;
    if (!*to) snprintf(to, CELL_WORDS, "nothing on stderr");
    for (char *s = to; *s; s++)
        if (*s == '\n') *s = s[1] ? ' ' : 0;
}

running process_running(const process *c)
{
    running now = {0};
    if (pread(c->note, &now, sizeof now, 0) != (ssize_t)sizeof now) now = (running){0};
    now.name[sizeof now.name - 1] = 0;
    return now;
}

void process_end(int status, char *to, size_t room)
{
    if (WIFSIGNALED(status)) snprintf(to, room, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else snprintf(to, room, "ended with status %d", WEXITSTATUS(status));
}

/* ---- one case ---- */

int case_run(const plan *p, const char *engine, const conformance_test *test)
{
    double started = vn__clock();
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        int code = child_case(p, engine, test);
        exit(code);
    }
    if (pid < 0) return fprintf(stderr, "vinea: check: no process could be started: %s\n", strerror(errno)), 2;
    while (!waitpid(pid, &status, WNOHANG)) {
        bool late = p->seconds > 0 && vn__clock() - started > p->seconds, large = p->mebibytes > 0 && process_mebibytes(pid) > p->mebibytes;
        if (late || large) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            printf("error (%s): ended after %.1f s\n", late ? "timeout" : "memory", vn__clock() - started);
            return 2;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    char how[128];
    process_end(status, how, sizeof how);
    printf("error (crash): %s\n", how);
    return 2;
}
