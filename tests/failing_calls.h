/* SPDX-License-Identifier: Apache-2.0 */
/* failing_calls.h: makes the n-th file-related system call of a program fail, for every n, in every way, once and persistently. The
 * calls are intercepted with seccomp, so it does not matter which library makes them.
 *
 * A program that uses this ends with _exit: the filter stays active, and would affect exit handlers (such as a leak sanitizer). */
#ifndef VN_FAILING_CALLS_H
#define VN_FAILING_CALLS_H

#include "folder.h"
#include "system_calls.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined __x86_64__
#define REGISTER(u, n) (u)->uc_mcontext.gregs[((const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9})[n]]
#define RESULT(u) (u)->uc_mcontext.gregs[REG_RAX]
#elif defined __aarch64__
#define REGISTER(u, n) (u)->uc_mcontext.regs[n]
#define RESULT(u) (u)->uc_mcontext.regs[0]
#else
#define NO_REGISTERS
#endif

/* The calls, by their names in this system. */
/* clang-format off */
#define CALLS(X) \
    X(openat) X(read) X(pread64) X(write) X(pwrite64) X(close) X(fstat) X(newfstatat) X(statfs) X(fstatfs) X(fsync) X(fdatasync) \
    X(renameat) X(renameat2) X(linkat) X(unlinkat) X(ftruncate) X(flock) X(fcntl) X(fchmod) X(fchown) X(mkdirat) X(getdents64) \
    X(readlinkat) X(getrandom) X(faccessat) X(faccessat2) X(lseek) X(mmap) X(munmap) CALLS_OLD(X)
#ifdef SYS_open /* missing on newer systems */
#define CALLS_OLD(X) X(open) X(stat) X(lstat) X(access) X(rename) X(link) X(unlink) X(mkdir) X(readlink)
#else
#define CALLS_OLD(X)
#endif
/* clang-format on */
#define CALL_ROW(name) {SYS_##name, #name},
static const struct {
    long number;
    const char *name;
} calls[] = {CALLS(CALL_ROW)};
enum { N_CALLS = sizeof calls / sizeof *calls };

/* ---- the filter: watched calls raise SIGSYS unless they carry our mark ---- */

#define MARK UINT32_C(0x5eed5eed)
#define MARK_MMAP (MAP_DENYWRITE | MAP_EXECUTABLE) /* ignored by the system; mmap uses all its arguments */

static inline int watch_calls(void (*handler)(int, siginfo_t *, void *))
{
    struct sock_filter f[N_CALLS + 16];
    size_t n = 0;
    f[n++] = (struct sock_filter)LOAD(nr);
    for (int i = 0; i < N_CALLS; i++) /* to the line after "allow", or on */
        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, (uint8_t)(N_CALLS - i), 0);
    f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 0);
    f[n++] = (struct sock_filter)LOAD(args[5]);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 4, 0);
    f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_TRAP);
    f[n++] = (struct sock_filter)LOAD(args[3]);
    f[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MARK_MMAP);
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK_MMAP, 0, 1);
    f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
    f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_TRAP);
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    return sigaction(SIGSYS, &a, NULL) || filter_install(f, n) ? -1 : 0;
}

static inline long real_call(long number, const long a[static 6])
{
    long r = number == SYS_mmap ? syscall(number, a[0], a[1], a[2], a[3] | MARK_MMAP, a[4], a[5])
                                : syscall(number, a[0], a[1], a[2], a[3], a[4], (long)MARK);
    return r == -1 ? -errno : r;
}

/* ---- which call fails, and how ---- */

enum { SHORT = 10000, KILL }; /* besides system errors: only half of the bytes are read or written; the process is killed */
static const int fault_errors[] = {EINTR, EIO, ENOSPC, EMFILE, EACCES, ENOMEM, SHORT};

static struct {
    bool armed;    /* calls are counted */
    bool named;    /* unnamed files are not supported */
    long at, when; /* calls so far; the one that fails, 0: none */
    int error;     /* of fault_errors */
    bool on;       /* all later ones of its kind too */
    long kind;     /* the number of the call that failed; -1: none so far */
    long flushes;  /* calls of fsync */
    bool met;      /* something failed */
} fault;

/* The files that are mapped: memory is mapped and unmapped too, also by a sanitizer, which cannot stand a failure. */
static long mapped_files[64];

static inline long note_mapping(long number, const long *a, long result)
{
    static size_t next;
    if (number == SYS_mmap && (int)a[4] >= 0 && result > 0) mapped_files[next++ % 64] = result;
    return result;
}

static inline bool is_mapped_file(long at)
{
    for (size_t i = 0; i < 64; i++)
        if (mapped_files[i] == at) return true;
    return false;
}

/* Can this call fail in this way? */
static inline bool fault_fits(long number, const long *a)
{
    bool moves = number == SYS_read || number == SYS_write || number == SYS_pread64 || number == SYS_pwrite64;
    if (number == SYS_mmap && (int)a[4] < 0) return false; /* memory, not a file */
    if (number == SYS_munmap && !is_mapped_file(a[0])) return false;
    return fault.error != SHORT || (moves && a[2] > 1);
}

static inline long fault_answer(long number, long *a)
{
    fault.met = true;
    fault.kind = number;
    if (fault.error == KILL) kill(getpid(), SIGKILL);
    if (fault.error == SHORT) {
        a[2] = (a[2] + 1) / 2;
        return real_call(number, a);
    }
    if (number == SYS_close || number == SYS_munmap) real_call(number, a); /* they do it and report an error */
    return -fault.error;
}

static inline void fault_handle(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    ucontext_t *u = context;
    long number = info->si_syscall, a[6];
    int before = errno;
    for (int i = 0; i < 6; i++) a[i] = (long)REGISTER(u, i);
    bool nameless = number == SYS_openat && (a[2] & O_TMPFILE) == O_TMPFILE;
    if (nameless && fault.named) {
        RESULT(u) = -EOPNOTSUPP;
    } else if (!fault.armed || !fault_fits(number, a)) {
        RESULT(u) = note_mapping(number, a, real_call(number, a));
    } else {
        fault.at++;
        fault.flushes += number == SYS_fsync;
        bool now = fault.when && (fault.at == fault.when || (fault.on && fault.kind == number));
        RESULT(u) = now ? fault_answer(number, a) : note_mapping(number, a, real_call(number, a));
    }
    errno = before;
}

static inline const char *fault_name(void)
{
    for (int i = 0; i < N_CALLS; i++) {
        if (calls[i].number == fault.kind) return calls[i].name;
    }
    return "nothing";
}

static inline const char *fault_text(int error)
{
    return error == SHORT ? "half" : strerror(error);
}

/* ---- programs ---- */

typedef struct {
    const char *name;
    void (*prepare)(void);   /* sets up the files; runs without faults, as do the others except run */
    int (*run)(void);        /* returns a code; the error is set when it is not 0 */
    bool (*whole)(int code); /* checks afterwards: files are old or new, and new if the code is 0; values are right */
    bool named;
    int step; /* tests one call in this many, a different one for each error */
    int kept; /* temporary files of others, which stay; an empty one with a random name, which could not be locked, may stay too */
} faulty;

static inline int open_files(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* The library's temporary files in the folder; `empty`: including empty ones. */
static inline int temporaries(bool empty)
{
    int n = 0;
    struct stat st;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strstr(e->d_name, ".vinea-") && !stat(in_folder(e->d_name), &st) && (st.st_size || empty);
    if (d) closedir(d);
    return n;
}

/* One run with the n-th call failing. */
static inline void fault_run(const faulty *p, long n, int error, bool on, bool (*says)(int error))
{
    VN_SCOPE;
    char name[256];
    p->prepare();
    int files = temporaries(true), open = open_files();
    fault.when = n, fault.error = error, fault.on = on, fault.named = p->named;
    fault.at = 0, fault.kind = -1;
    fault.met = false;
    int code;
    {
        VN_SCOPE;
        fault.armed = true;
        code = p->run();
        fault.armed = false;
    }
    fault.when = 0;
    snprintf(name, sizeof name, "%s: call %ld (%s) %s: %s", p->name, n, fault_name(), on ? "from then on" : "once", fault_text(error));
    check_name = name;
    /* A file that could not be removed stays until the next time, as does an empty file that could not be locked or examined. */
    bool left = fault.kind == SYS_unlinkat, empty = fault.kind == SYS_flock || fault.kind == SYS_fstat || fault.kind == SYS_newfstatat;
    /* A failed write or flush must never be ignored. */
    bool lost = fault.kind == SYS_write || fault.kind == SYS_fsync || fault.kind == SYS_linkat;
    CHECK(code || !lost || error == SHORT || (error == EINTR && !on));
    CHECK(fault.met || !code);
    CHECK(!code || error != EINTR || on || fault.kind == SYS_mmap); /* one signal is no failure; mmap cannot be interrupted */
    CHECK(!code || says(error));
    vn_clear();
    CHECK(p->whole(code));
    CHECK(temporaries(!empty) <= files || left);
    CHECK(open_files() == open);
    if (fault.met && (code || left || empty)) { /* and now it works */
        VN_SCOPE;
        CHECK(!(code = p->run()) && p->whole(code) && temporaries(!p->kept) == p->kept);
    }
    check_name = "";
}

/* The same, and checks for leaks. False: there were fewer calls. */
static inline bool fault_one(const faulty *p, long n, int error, bool on, bool (*says)(int error))
{
    vn_memory_info before = {.size = sizeof before}, after = before;
    vn_memory(&before);
    fault_run(p, n, error, on, says);
    bool met = fault.met;
    vn_memory(&after);
    CHECK(after.handles == before.handles && after.nodes == before.nodes);
    CHECK(after.used - after.cached == before.used - before.cached);
    return met;
}

/* The error names the file and says what the system said. */
static inline bool fault_says(int error)
{
    bool good = vn_status() == VN_E_IO && strstr(vn_message(), folder) && (error == SHORT || strstr(vn_message(), strerror(error)));
    if (!good) fprintf(stderr, "  %s: %s\n", vn_code_name(vn_status()), vn_message());
    return good;
}

/* All calls; returns the number of faults. */
static inline long fault_all(const faulty *p, bool (*says)(int error))
{
    long faults = 0, most = 0, step = p->step;
    fault_run(p, 0, EIO, false, says); /* what is made once is there */
    for (size_t k = 0; k < 2 * sizeof fault_errors / sizeof *fault_errors; k++) {
        long n = 1 + (long)k % step;
        for (; fault_one(p, n, fault_errors[k / 2], k % 2 != 0, says); n += step) faults++;
        if (fault.at > most) most = fault.at;
    }
    CHECK(faults > 1);
    printf("%s: %ld calls, %ld faults\n", p->name, most, faults);
    fflush(stdout);
    return faults;
}

/* After the last check of a program that watches calls. */
static inline void finish_watched(void)
{
    int code = finish();
    fflush(stdout);
    _exit(code);
}

#endif
