/* SPDX-License-Identifier: Apache-2.0 */
/* state.c: per-thread state (engine, first error), its creation and its end; the log.
 *
 * A thread enters the library with its first call that needs state, and leaves with vn_close or when it ends. The last one to leave frees
 * all shared data, under the lock that entering takes. So a thread must have entered before it touches shared data. Two functions that
 * all calls use ensure this: allocation (memory.c) and engine lookup (load.c). */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/trace.h"
#include "core/callback.h"
#include "os/os.h"
#include <stdarg.h>
#include <stdlib.h>

_Thread_local vn__state *vn__current;
static _Thread_local vn_code without_state; /* the error of a thread for which no state could be allocated */
static _Thread_local const char *without_why;
static pthread_mutex_t life; /* protects the registry and shutdown; recursive, because shutdown may run user callbacks */
static vn__state *registry;
static uint32_t threads_seen;
static pthread_key_t at_exit; /* its destructor ends a thread's state */
static bool have_key, have_fork;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    void (*hook)(const char *, void *);
    void *user;
} log_to;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(vn__engine *) everywhere; /* that of threads which chose none; NULL: the built-in one */
bool vn__checking, vn__eager, vn__strict;
enum vn__seek vn__seek;
int vn__forks;

static void thread_ends(void *state);

static void make_life(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&life, &a);
    pthread_mutexattr_destroy(&a);
}

/* Fork: the locks are taken before it, so that the child finds consistent data, and reinitialised in the child. */
static void fork_before(void)
{
    pthread_mutex_lock(&life);
    vn__engines_fork(VN_FORK_BEFORE);
    pthread_mutex_lock(&vn__graph_lock);
}
static void fork_parent(void)
{
    pthread_mutex_unlock(&vn__graph_lock);
    vn__engines_fork(VN_FORK_PARENT);
    pthread_mutex_unlock(&life);
}
static void fork_child(void)
{
    pthread_mutex_init(&vn__graph_lock, NULL);
    vn__engines_fork(VN_FORK_CHILD);
    make_life();
    pthread_mutex_init(&log_lock, NULL);
    vn__gate_fork();
    vn__forks++;
}

static const char *setting(const char *name)
{
    const char *v = vn__environment(name);
    return v ? v : "";
}

static bool is_on(const char *name)
{
    return *setting(name) && strcmp(setting(name), "0") != 0;
}

/* Resources the process can run out of; the next thread that enters tries again. Under `life`. */
static bool prepare(void)
{
    if (!vn__stack_enough()) return without_why = "the thread's stack is smaller than 64 KB (pthread_attr_setstacksize)", false;
    if (!have_key) have_key = !pthread_key_create(&at_exit, thread_ends);
    if (!have_key) return without_why = "the process has no thread-specific key left (PTHREAD_KEYS_MAX): no state for the thread", false;
    if (!have_fork) have_fork = !pthread_atfork(fork_before, fork_parent, fork_child);
    without_why = "out of memory: no room for the thread's state";
    return have_fork;
}

static void first_thread(void)
{
    threads_seen = 0;
    vn__checking = is_on("VINEA_CHECK");
    const char *check = setting("VINEA_CHECK");
    vn__seek = !strcmp(check, "finite") ? VN__SEEK_NOT_FINITE : !strcmp(check, "nan") ? VN__SEEK_NAN : VN__SEEK_NOTHING;
    vn__eager = is_on("VINEA_EAGER");
    vn__strict = is_on("VINEA_STRICT");
}

vn__state *vn__state_make(void)
{
    pthread_once(&once, make_life);
    pthread_mutex_lock(&life);
    vn__state *s = prepare() ? vn__alloc_outside(sizeof *s) : NULL;
    if (s && pthread_setspecific(at_exit, s)) {
        vn__free(s);
        s = NULL;
    }
    if (s) {
        memset(s, 0, sizeof *s);
        if (!registry) first_thread();
        s->number = threads_seen++;
        s->next = registry;
        registry = s;
        s->random_seed = vn__random_start(s->number);
        s->check_positions = vn__checking;
    } else {
        without_state = VN_E_MEM;
    }
    pthread_mutex_unlock(&life);
    return vn__current = s;
}

int64_t vn__nodes_alive(int64_t *handles, int64_t *cached)
{
    pthread_once(&once, make_life);
    int64_t nodes = 0, all = 0, bytes = 0;
    pthread_mutex_lock(&life);
    for (vn__state *s = registry; s; s = s->next) {
        nodes += atomic_load_explicit(&s->nodes, memory_order_relaxed);
        all += atomic_load_explicit(&s->handles, memory_order_relaxed);
        bytes += atomic_load_explicit(&s->cached, memory_order_relaxed);
    }
    pthread_mutex_unlock(&life);
    *handles = all;
    *cached = bytes;
    return nodes;
}

/* ---- the end of a thread ---- */

static void free_state(vn__state *s)
{
    for (int i = 0; i < s->n_fences; i++) vn__free(s->fences[i].message);
    vn__free(s->fences);
    vn__free(s->entries);
    vn__free(s->marks);
    vn__free(s->modes);
    vn__free(s->text.text);
    vn__free(s->key_text.text);
    vn__scratch_free(s->scratch);
    vn__blocks_free(s);
    vn__free(s);
}

/* The state stays current to the end, so that a user's release callback may still call the library. */
static int end_state(vn__state *s, int code)
{
    vn__scopes_close(s);
    vn__numbers_release(s);
    vn__recent_release(s);
    pthread_mutex_lock(&life);
    for (vn__state **at = &registry; *at; at = &(*at)->next) {
        if (*at != s) continue;
        *at = s->next;
        break;
    }
    if (registry) { /* another thread takes over the counts */
        atomic_fetch_add(&registry->nodes, atomic_load(&s->nodes));
        atomic_fetch_add(&registry->handles, atomic_load(&s->handles));
        vn__objects_end_thread(s);
    } else {
        code = vn__groups_close(code); /* the message is still there */
        vn__objects_close(s);
        vn__decoders_close();
        atomic_store(&everywhere, NULL);
        vn__engines_close();
        vn__trace_close();
        vn__random_reset();
    }
    vn__current = NULL;
    free_state(s);
    pthread_mutex_unlock(&life);
    return code;
}

static void thread_ends(void *state)
{
    vn__current = state;
    end_state(state, vn__current->code);
}

int vn_close(void)
{
    vn__state *s = vn__current;
    if (s && s->callbacks)
        return vn__fail(VN_E_CALLBACK, "close: called inside a function of yours that the library is calling; close when it has returned");
    vn_code code = s ? s->code : without_state;
    if (s && s->n_fences && s->fences[0].code) code = s->fences[0].code; /* the first one, even inside vn_error_push */
    without_state = VN_OK;
    if (s) {
        pthread_setspecific(at_exit, NULL);
        code = end_state(s, code);
    }
    return code;
}

int vn_set_allocator(const vn_allocator *a)
{
    pthread_once(&once, make_life);
    pthread_mutex_lock(&life);
    int code = registry ? VN_E_ARG : vn__allocator_set(a);
    pthread_mutex_unlock(&life);
    if (!code) return VN_OK;
    return vn__fail(code, code == VN_E_NULL
                              ? "set_allocator: allocate or release is NULL"
                              : "set_allocator: the library is in use; choose the allocator first, or after the last vn_close");
}

/* ---- errors ---- */

int vn__fail(int code, const char *format, ...)
{
    vn__state *s = vn__enter();
    if (!s) {
        if (!without_state) without_state = (vn_code)code;
        return code;
    }
    if (s->code) return code;
    s->code = (vn_code)code;
    va_list a;
    va_start(a, format);
    vsnprintf(s->message, sizeof s->message, format, a);
    va_end(a);
    return code;
}

int vn__fail_in(const char *who)
{
    vn__state *s = vn__enter();
    if (!s) return (int)without_state;
    if (!s->code) return VN_OK;
    const size_t at = strlen(who) + 2, inner = strlen(s->message) + 1;
    if (!strncmp(s->message, who, at - 2) && s->message[at - 2] == ':') return s->code; /* an op that is composed of itself */
    if (at + inner > sizeof s->message) return s->code; /* the cause matters more than the names of outer callers */
    memmove(s->message + at, s->message, inner);
    memcpy(s->message, who, at - 2);
    memcpy(s->message + at - 2, ": ", 2);
    return s->code;
}

vn_code vn_status(void)
{
    return vn__current ? vn__current->code : without_state;
}

const char *vn_message(void)
{
    if (vn__current) return vn__current->code ? vn__current->message : "";
    return without_state ? without_why : "";
}

void vn_clear(void)
{
    without_state = VN_OK;
    if (!vn__current) return;
    vn__current->code = VN_OK;
    vn__current->message[0] = 0;
    vn__current->no_engine = false;
}

int vn_error_push(void)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (s->n_fences == s->cap_fences) {
        int cap = s->cap_fences ? 2 * s->cap_fences : 4;
        vn__fence *f = vn__grow(s->fences, (size_t)s->n_fences * sizeof *f, (size_t)cap * sizeof *f);
        if (!f) return vn__no_memory("error_push");
        s->fences = f;
        s->cap_fences = cap;
    }
    char *kept = s->code ? vn__copy_text(s->message) : NULL;
    if (s->code && !kept) return vn__no_memory("error_push");
    const bool no_engine = s->no_engine;
    s->fences[s->n_fences++] = (vn__fence){s->code, kept, no_engine};
    vn_clear();
    s->no_engine = no_engine; /* a fence hides the error, not that there is no engine */
    return VN_OK;
}

vn_code vn_error_pop(void)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!s->n_fences) return (vn_code)vn__fail(VN_E_ARG, "error_pop: there is no matching error_push");
    vn__fence f = s->fences[--s->n_fences];
    vn_code inner = s->code;
    s->code = f.code;
    s->no_engine &= f.no_engine; /* a vn_use that failed inside is forgotten, one that succeeded counts */
    snprintf(s->message, sizeof s->message, "%s", f.message ? f.message : "");
    vn__free(f.message);
    return inner;
}

const char *vn_code_name(vn_code code)
{
    switch (code) {
#define VN__X(id, number, meaning) \
    case id: return #id;
        VN_CODES(VN__X)
#undef VN__X
    }
    return "unknown code";
}

/* ---- log ---- */

int vn_set_log(void (*hook)(const char *text, void *user), void *user)
{
    pthread_mutex_lock(&log_lock);
    log_to.hook = hook;
    log_to.user = user;
    pthread_mutex_unlock(&log_lock);
    return VN_OK;
}

void vn__log(const char *format, ...)
{
    pthread_mutex_lock(&log_lock);
    void (*hook)(const char *, void *) = log_to.hook;
    void *user = log_to.user;
    pthread_mutex_unlock(&log_lock);
    if (!hook) return;
    char text[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    vn__state *s = vn__peek();
    const size_t inside = vn__user_begin(s);
    hook(text, user);
    vn__user_end(s, inside);
}

/* ---- the current engine ---- */

static vn__engine *engine_of_process(void)
{
    vn__engine *e = atomic_load_explicit(&everywhere, memory_order_acquire);
    return e ? e : vn__engine_default();
}

int vn_use(const char *engine)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    const bool named = engine && *engine;
    vn__engine *e = named ? vn__engine_find(engine) : engine_of_process();
    s->no_engine = !e;
    if (!e) return s->code;
    s->engine = named ? e : NULL;
    return VN_OK;
}

int vn_use_everywhere(const char *engine)
{
    if (!vn__enter()) return VN_E_MEM;
    vn__engine *e = vn__engine_find(engine);
    if (!e) return vn_status();
    atomic_store_explicit(&everywhere, e, memory_order_release);
    return VN_OK;
}

/* A program that asked for an engine and did not get it shall not compute on another one without a word. */
vn__engine *vn__engine_in_use(vn__state *s)
{
    if (s->no_engine)
        return vn__fail(VN_E_ENGINE, "no engine is in use, because the last vn_use failed; choose another one, or clear that error"), NULL;
    return s->engine ? s->engine : engine_of_process();
}

const char *vn_using(void)
{
    vn__state *s = vn__enter();
    vn__engine *e = s && s->engine ? s->engine : engine_of_process();
    return e ? e->name : "";
}

const char *vn_version(void)
{
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
    return TEXT(VINEA_VERSION_MAJOR) "." TEXT(VINEA_VERSION_MINOR) "." TEXT(VINEA_VERSION_PATCH);
}
