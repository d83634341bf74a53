/* gate.c: who may call a plugin now. Frameworks need more stack than some threads have, and their destructors run when the process exits,
 * whatever other threads do. So every call of a plugin goes in and out here: it is refused where the stack is too small, and once the
 * process exits; those inside by then are waited for. The built-in engine has neither problem. */
#include "core/state.h"
#include "engine/engine.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 /* seconds */, THREAD_STACK = 64 << 10, PLUGIN_STACK = 128 << 10 };

static _Atomic int inside; /* threads that run plugins' code */
static _Atomic bool exiting;
static _Thread_local VN__FAST_TLS int depth; /* calls inside each other, of this thread */

/* ---- stacks ---- */

/* The calling thread's stack, found out once: its end and its size. Unknown: both are 0. */
static _Thread_local VN__FAST_TLS struct {
    bool known;
    char *low;
    size_t size;
} stack;

static void find_stack(void)
{
    pthread_attr_t a;
    void *low = NULL;
    stack.known = true;
    if (pthread_getattr_np(pthread_self(), &a)) return;
    if (!pthread_attr_getstack(&a, &low, &stack.size)) stack.low = low;
    pthread_attr_destroy(&a);
}

size_t vn__stack_left(void)
{
    if (!stack.known) find_stack();
    const size_t left = (size_t)((char *)__builtin_frame_address(0) - stack.low);
    return stack.low && left < stack.size ? left : SIZE_MAX; /* on a stack of somebody else's making there is no telling */
}

bool vn__stack_enough(void)
{
    if (getpid() == gettid()) return true; /* the first thread has what the shell gave it, and looking costs 100 us */
    if (!stack.known) find_stack();
    return !stack.low || stack.size >= THREAD_STACK;
}

/* ---- the end of the process ---- */

/* Runs before the destructors of what was loaded or made before it was registered. A kernel that never returns is not waited for for
 * ever: then the process ends as its frameworks let it. */
static void at_process_exit(void)
{
    const int own = depth > 0;
    atomic_store(&exiting, true);
    for (int ms = 0; atomic_load(&inside) > own && ms < PATIENCE * 1000; ms++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (atomic_load(&inside) <= own) vn__engines_finish();
}

/* Frameworks make objects with destructors when they are loaded and when something in them is used for the first time. What was registered
 * last runs first, so this one is registered again after a plugin was opened and when a new program has run: the first 64 of them, then
 * the 128th, 256th ... */
void vn__gate_stay_last(void)
{
    static _Atomic uint32_t times;
    const uint32_t n = atomic_fetch_add(&times, 1) + 1;
    if (n <= 64 || !(n & (n - 1))) atexit(at_process_exit);
}

void vn__gate_fork(void)
{
    atomic_store(&inside, depth > 0); /* of all threads the child has this one */
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
    const size_t needed = e->api.stack > PLUGIN_STACK ? e->api.stack : PLUGIN_STACK, left = depth ? SIZE_MAX : vn__stack_left();
    if (left < needed)
        return vn__fail(VN_E_ENGINE, "%s: %s needs %zu KB of stack, and this thread has %zu left; give it more (pthread_attr_setstacksize)",
                        who, e->name, needed >> 10, left >> 10);
    return enter() ? VN_OK : vn__fail(VN_E_ENGINE, "%s: %s is not called any more, the process exits", who, e->name);
}

void vn__gate_release(const vn__engine *e, vn_buf *buf)
{
    if (!enter()) return; /* the process exits: everything goes */
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
