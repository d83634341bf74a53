/* SPDX-License-Identifier: Apache-2.0 */
/* own_crash.h: a test that reads a result which is missing because memory ran out crashes by itself, not the library. After own_crash_begin such a crash
 * continues at own_crash_out; a crash inside the library, or in a function of the C library that it called, ends the program as ever and prints the
 * calls. One can be told from the other if the program is linked with the shared library (ctest: shared). */
#ifndef VN_OWN_CRASH_H
#define VN_OWN_CRASH_H

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>
#include <vinea/vinea.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else /* every crash is the library's */
#define backtrace(frames, n) 0
#define backtrace_symbols_fd(frames, n, fd) (void)(frames)
#endif

static sigjmp_buf own_crash_out;

static inline const void *own_crash_module(const void *code)
{
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fbase : NULL;
}

static inline const void *own_crash_place(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (const void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL; /* as if it was in the library */
#endif
}

/* Was it in the program's own code? The first function that is in the program or in libvinea decides. */
static inline bool own_crash_is(const void *place)
{
    const void *program = own_crash_module((const void *)(size_t)own_crash_is),
               *library = own_crash_module((const void *)(size_t)vn_version);
    void *frames[64];
    const int n = backtrace(frames, 64);
    int k = 0;
    while (k < n && frames[k] != place) k++;
    for (; k < n; k++) {
        const void *module = own_crash_module(frames[k]);
        if (module == library) return false;
        if (module == program) return true;
    }
    return false;
}

static inline void own_crash(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    if (own_crash_is(own_crash_place(context))) siglongjmp(own_crash_out, 1);
    void *frames[32];
    backtrace_symbols_fd(frames, backtrace(frames, 32), 2);
    signal(signal_number, SIG_DFL); /* and the instruction runs again */
}

static inline void own_crash_begin(void)
{
    void *frame;
    backtrace(&frame, 1); /* loads what it needs, so that it allocates nothing later */
    const struct sigaction action = {.sa_sigaction = own_crash, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
}

#endif
