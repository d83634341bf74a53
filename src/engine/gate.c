/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c: controls calls into plugins. Frameworks need more stack than some threads have, and their destructors run when the process exits,
 * whatever other threads do. So every call into a plugin is refused if the stack is too small or the process is exiting, and
 * exit waits for calls that are in progress. The built-in engine has neither problem. */
#include "core/state.h"
#include "base/minmax.h"
#include "engine/engine.h"
#include "os/os.h"
#include <stdlib.h>
#include <time.h>

enum { PATIENCE = 10 /* seconds */, THREAD_STACK = 64 << 10, PLUGIN_STACK = 128 << 10 };

static _Atomic int inside; /* threads that are inside plugins */
static _Atomic bool exiting;
static _Thread_local VN__FAST_TLS int depth; /* nesting depth of calls in this thread */

/* ---- stacks ---- */

/* The calling thread's stack, determined once: its end and its size; both 0 if unknown. */
static _Thread_local VN__FAST_TLS struct {
    bool known;
    char *low;
    size_t size;
} stack;

static void find_stack(void)
{
    stack.known = true;
    if (!vn__thread_stack(&stack.low, &stack.size)) stack.low = NULL;
}

size_t vn__stack_left(void)
{
    if (!stack.known) find_stack();
    const size_t left = (size_t)((char *)__builtin_frame_address(0) - stack.low);
    return stack.low && left < stack.size ? left : SIZE_MAX; /* on a user-provided stack the size is unknown */
}

bool vn__stack_enough(void)
{
    if (vn__in_main_thread()) return true; /* the main thread's limit is set by the shell, and querying it costs 100 us */
    if (!stack.known) find_stack();
    return !stack.low || stack.size >= THREAD_STACK;
}

/* ---- the end of the process ---- */

/* Runs before the destructors of everything loaded before it was registered. It waits for kernels only for a limited time; after that,
 * exit proceeds without them. */
static void at_process_exit(void)
{
    const int own = depth > 0;
    atomic_store(&exiting, true);
    for (int ms = 0; atomic_load(&inside) > own && ms < PATIENCE * 1000; ms++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (atomic_load(&inside) <= own) vn__engines_finish();
}

void vn_exit_begins(void)
{
    at_process_exit();
}

/* Frameworks register destructors when they are loaded and when a feature is first used. Exit handlers run in reverse order of
 * registration, so this one is registered again after a plugin was opened and after a new program has run: for the first 64 programs, then
 * the 128th, 256th ... */
void vn__gate_stay_last(void)
{
    static _Atomic uint32_t times;
    const uint32_t n = atomic_fetch_add(&times, 1) + 1;
    if (n <= 64 || !(n & (n - 1))) atexit(at_process_exit);
}

void vn__gate_fork(void)
{
    atomic_store(&inside, depth > 0); /* the child has only this thread */
}

/* ---- in and out ---- */

static bool enter(void)
{
    if (depth++) return true;
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&exiting)) return true;
    vn__gate_leave();
    return false;
}

int vn__gate_enter(const vn__engine *e, const char *who)
{
    const size_t needed = vn__max(e->api.stack, PLUGIN_STACK), left = depth ? SIZE_MAX : vn__stack_left();
    if (left < needed)
        return vn__fail(VN_E_ENGINE, "%s: %s needs %zu KB of stack, and this thread has %zu left; give it more (pthread_attr_setstacksize)",
                        who, e->name, needed >> 10, left >> 10);
    return enter() ? VN_OK : vn__fail(VN_E_ENGINE, "%s: the process is exiting, so %s can no longer be called", who, e->name);
}

void vn__gate_release(const vn__engine *e, vn_buf *buf)
{
    if (!enter()) return; /* the process is exiting */
    e->api.release(e->context, buf);
    vn__gate_leave();
}

bool vn__gate_enter_quietly(void)
{
    return enter();
}

void vn__gate_leave(void)
{
    if (!--depth) atomic_fetch_sub(&inside, 1);
}
