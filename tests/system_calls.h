/* SPDX-License-Identifier: Apache-2.0 */
/* system_calls.h: seccomp filters that make system calls fail, kill the process, or notify the test. A filter stays for the life of the
 * process and its children, so tests install it in a child. */
#ifndef VN_SYSTEM_CALLS_H
#define VN_SYSTEM_CALLS_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define CALL_IS(number, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, n) /* else: n lines are passed over */
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))

static inline int filter_install(const struct sock_filter *lines, size_t n)
{
    struct sock_fprog program = {(unsigned short)n, (struct sock_filter *)(uintptr_t)lines};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -1 : 0;
}

/* Makes unnamed files fail, as on file systems that lack them. */
static inline int without_nameless_files(void)
{
    enum { TMPFILE = 020000000 }; /* O_TMPFILE without O_DIRECTORY */
    const struct sock_filter lines[] = {LOAD(nr),
                                        CALL_IS(SYS_openat, 3),
                                        LOAD(args[2]),
                                        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, TMPFILE, 0, 1),
                                        ANSWER(SECCOMP_RET_ERRNO | EOPNOTSUPP),
                                        ANSWER(SECCOMP_RET_ALLOW)};
    return filter_install(lines, sizeof lines / sizeof *lines);
}

/* The next rename kills the process. */
static inline int killed_by_rename(void)
{
    const struct sock_filter lines[] = {LOAD(nr),
#ifdef SYS_rename
                                        CALL_IS(SYS_rename, 1),
                                        ANSWER(SECCOMP_RET_KILL_PROCESS),
#endif
#ifdef SYS_renameat
                                        CALL_IS(SYS_renameat, 1),
                                        ANSWER(SECCOMP_RET_KILL_PROCESS),
#endif
                                        CALL_IS(SYS_renameat2, 1),
                                        ANSWER(SECCOMP_RET_KILL_PROCESS),
                                        ANSWER(SECCOMP_RET_ALLOW)};
    return filter_install(lines, sizeof lines / sizeof *lines);
}

#endif
