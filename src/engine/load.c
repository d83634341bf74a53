/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: the list of engines, which are opened when they are first used, and whose kernel tables bind.c then binds. The core knows no
 * engine's name: the built-in one comes from vn__native_main, the others from plugins (plugins.c). A plugin may provide several engines,
 * and an engine has a context for every open device: "torch", "torch:cuda", "torch:cuda:1". */
#include "core/options.h"
#include "engine/plugins.h"
#include "base/floats.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/trace.h"
#include "core/callback.h"
#include <pthread.h>
#include <string.h>
#include <stdlib.h>

enum { MAX_ENGINES = 64 };
/* Number 0 is the built-in one. Like their plugins, entries of loaded ones outlive vn_close. */
static vn__engine builtin = {.builtin = true, .lock = PTHREAD_MUTEX_INITIALIZER};
static vn__engine *engines[MAX_ENGINES] = {&builtin};
static int n_engines = 1;
static bool searched;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* plugins that are being loaded */
static bool torn;                                        /* the process was forked while another thread was loading or opening a plugin */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the lists of engines and plugins; never held while an engine runs */

/* ---- what an engine does not have ---- */

/* Missing functions of a plugin return this; vn__engine_failed sets the message. */
static int no_open(int device, vn_context **out)
{
    return (void)device, (void)out, VN_E_UNSUPPORTED;
}
static int no_from_host(vn_context *c, const vn_desc *d, const vn_host_memory *m, vn_buf **out)
{
    return (void)c, (void)d, (void)m, (void)out, VN_E_UNSUPPORTED;
}
static int no_to_host(vn_context *c, vn_buf *b, const vn_desc *d, const void **data)
{
    return (void)c, (void)b, (void)d, (void)data, VN_E_UNSUPPORTED;
}
static int no_execute(vn_context *c, vn_exe *x, const vn_launch *l)
{
    return (void)c, (void)x, (void)l, VN_E_UNSUPPORTED;
}
static void no_close(vn_context *c)
{
    (void)c;
}
static void no_reference(vn_context *c, vn_buf *b)
{
    (void)c, (void)b;
}
static void no_discard(vn_context *c, vn_exe *x)
{
    (void)c, (void)x;
}
static const char *no_text(vn_context *c)
{
    return (void)c, "unknown";
}

/* A plugin's struct may be smaller than ours: missing fields are zero, and missing functions return "not implemented". */
static void adopt(vn__engine *e, const vn_engine *from)
{
    static const vn_kernel_row none[] = {{0}};
    memset(&e->api, 0, sizeof e->api);
    memcpy(&e->api, from, from->size < sizeof e->api ? from->size : sizeof e->api);
    vn_engine *a = &e->api;
    if (!a->open) a->open = no_open;
    if (!a->close) a->close = no_close;
    if (!a->version) a->version = no_text;
    if (!a->where) a->where = no_text;
    if (!a->from_host) a->from_host = no_from_host;
    if (!a->to_host) a->to_host = no_to_host;
    if (!a->retain) a->retain = no_reference;
    if (!a->release) a->release = no_reference;
    if (!a->kernels) a->kernels = none;
    if (!a->execute) a->execute = no_execute;
    if (!a->discard) a->discard = no_discard;
}

/* ---- the list ---- */

/* Under the lock. */
static vn__engine *listed(const char *name)
{
    for (int k = 0; k < n_engines; k++)
        if (!strcmp(engines[k]->name, name)) return engines[k];
    return NULL;
}

/* Adds an entry unless it exists. Under the lock; NULL if memory ran out. */
static vn__engine *list(vn__plugin *p, const char *name, int device)
{
    vn__engine *e = listed(name);
    if (e || n_engines == MAX_ENGINES || strlen(name) >= sizeof e->name || !(e = calloc(1, sizeof *e))) return e;
    memcpy(e->name, name, strlen(name) + 1);
    e->plugin = p;
    e->device = device;
    pthread_mutex_init(&e->lock, NULL);
    return engines[n_engines++] = e;
}

static void find_all(void)
{
    pthread_mutex_lock(&lock);
    if (!searched) vn__plugins_search(&vn__engine_plugins);
    for (int k = 0; k < vn__engine_plugins.n && !searched; k++) list(vn__engine_plugins.all[k], vn__engine_plugins.all[k]->name, 0);
    searched = true;
    pthread_mutex_unlock(&lock);
}

/* The number after the last colon, or -1. */
static int device_of(const char *colon)
{
    char *end = NULL;
    const long n = strtol(colon + 1, &end, 10);
    return end > colon + 1 && !*end && n >= 0 && n < 1024 ? (int)n : -1;
}

/* Another device of a listed engine of a plugin, whose name this one begins with, and a colon: "torch:cuda:1"; 0 is that engine itself. */
static vn__engine *list_further(const char *name)
{
    char base[sizeof builtin.name];
    const char *last = strrchr(name, ':');
    const int device = device_of(last);
    if (device < 0 || (size_t)(last - name) >= sizeof base) return NULL;
    memcpy(base, name, (size_t)(last - name));
    base[last - name] = 0;
    pthread_mutex_lock(&lock);
    vn__engine *of = listed(base), *e = of && device ? list(of->plugin, name, device) : of;
    pthread_mutex_unlock(&lock);
    return e;
}

/* ---- opening ---- */

/* Loads the engine's plugin, lists all engines that it provides, and copies this one's functions. Under the load lock. */
static int load_locked(vn__engine *e)
{
    vn__plugin *p = e->plugin;
    if (e->api.name) return VN_OK;
    int code = vn__engine_enter(e, "open");
    if (code) return code;
    code = vn__plugin_load(p);
    vn__engine_leave(e);
    if (code) return code;
    const size_t n = e->device ? (size_t)(strrchr(e->name, ':') - e->name) : strlen(e->name);
    const vn_engine *api = NULL;
    pthread_mutex_lock(&lock);
    for (int32_t k = 0; k < p->api->n_engines; k++) {
        const vn_engine *one = p->api->engines[k];
        list(p, one->name, 0);
        if (strlen(one->name) == n && !memcmp(one->name, e->name, n)) api = one;
    }
    pthread_mutex_unlock(&lock);
    if (!api) return vn__fail(VN_E_ENGINE, "%s: %s provides no engine of that name", e->name, p->path);
    adopt(e, api);
    return VN_OK;
}

static int load(vn__engine *e)
{
    pthread_mutex_lock(&loading);
    int code = load_locked(e);
    pthread_mutex_unlock(&loading);
    return code;
}

static int check_device(const vn__engine *e)
{
    const int n = e->device && e->api.devices ? e->api.devices() : 1;
    return e->device < n ? VN_OK : vn__fail(VN_E_ENGINE, "%s: there is no such device; %s has %d", e->name, e->api.name, n);
}

static int open_loaded(vn__engine *e)
{
    int code = vn__engine_enter(e, "open"); /* its stack requirement is known now */
    if (code) return code;
    if (!(code = check_device(e)) && (code = e->api.open(e->device, &e->context))) vn__engine_failed(e, code, "open", "failed");
    if (!code) code = vn__engine_bind(e);
    if (!code) e->precisions = e->api.precisions ? e->api.precisions(e->context) : 0;
    if (!code && !e->builtin && (code = vn__engine_version_check(e))) e->api.close(e->context);
    if (!e->builtin) vn__gate_stay_last();
    vn__engine_leave(e);
    return code;
}

int vn__engine_open(vn__engine *e)
{
    if (torn && !e->builtin && !atomic_load(&e->open))
        return vn__fail(
            VN_E_ENGINE,
            "%s cannot be loaded in this process: its parent forked while another thread was loading an engine; load engines before "
            "the fork, or after it",
            e->name);
    int code = atomic_load(&e->open) ? VN_OK : load(e); /* before the engine's lock: locks are taken in the order of vn__engines_fork */
    if (code) return code;
    pthread_mutex_lock(&e->lock);
    if (!e->open) {
        VN__FLOATS; /* a framework's threads inherit this environment */
        const vn__moment t = vn__trace_begin();
        code = vn__threads_read();
        if (code) vn__fail_in(e->name);
        if (!code) code = open_loaded(e);
        vn__trace_end(t, (vn_profile_event){.what = "open", .engine = e->name});
        e->fork_generation = vn__forks;
        atomic_store(&e->open, !code);
    }
    pthread_mutex_unlock(&e->lock);
    return code;
}

vn__engine *vn__engine_default(void)
{
    if (!vn__enter()) return NULL; /* enters the library, so that no other thread's close frees the engine */
    if (atomic_load_explicit(&builtin.open, memory_order_acquire)) return &builtin;
    pthread_mutex_lock(&lock);
    if (!builtin.name[0]) {
        static char about[] = "Vinea's own kernels", how[] = "built in";
        static vn__plugin own = {.about = about, .how = how};
        own.api = vn__native_main(&vn__host);
        adopt(&builtin, own.api->engines[0]);
        builtin.plugin = &own;
        snprintf(builtin.name, sizeof builtin.name, "%s", builtin.api.name);
    }
    pthread_mutex_unlock(&lock);
    return vn__engine_open(&builtin) ? NULL : &builtin;
}

int64_t vn__engines_trim(void)
{
    if (!atomic_load_explicit(&builtin.open, memory_order_acquire) || !builtin.api.trim) return 0;
    return builtin.api.trim(builtin.context);
}

static const char *name_at(int k, void *unused)
{
    (void)unused;
    return engines[k]->name;
}

static int unknown_engine(const char *name)
{
    vn__text all = {0};
    char near[128];
    pthread_mutex_lock(&lock);
    for (int k = 0; k < n_engines; k++) vn__print(&all, "%s%s", k ? ", " : "", engines[k]->name);
    vn__did_you_mean(name, n_engines, name_at, NULL, near);
    pthread_mutex_unlock(&lock);
    int code = vn__fail(VN_E_ENGINE, "there is no engine \"%.40s\"; there are: %s%s%s", name, all.failed ? "?" : all.text, near,
                        vn__engine_plugins.notes);
    vn__free(all.text);
    return code;
}

/* The entry of that name. For a name that only a plugin knows, the engine that the name begins with is opened first. */
static vn__engine *entry_of(const char *name)
{
    find_all();
    pthread_mutex_lock(&lock);
    vn__engine *e = listed(name), *first = NULL;
    for (int k = 1; k < n_engines && !e; k++) {
        size_t n = strlen(engines[k]->plugin->name);
        if (!strncmp(engines[k]->name, name, n) && name[n] == ':' && !engines[k]->name[n]) first = engines[k];
    }
    pthread_mutex_unlock(&lock);
    if (e || !first) return e;
    if (load(first)) return first; /* opening it fails again, with a message */
    pthread_mutex_lock(&lock);
    e = listed(name);
    pthread_mutex_unlock(&lock);
    return e ? e : list_further(name);
}

vn__engine *vn__engine_find(const char *name)
{
    vn__engine *native = vn__engine_default(); /* first: it computes the fallbacks */
    if (!native || !name || !*name || !strcmp(name, native->name)) return native;
    if (vn_error_push()) return NULL;
    vn__engine *e = entry_of(name);
    int code = e ? vn__engine_open(e) : VN_OK;
    char why[896];
    snprintf(why, sizeof why, "%s", vn_message());
    vn_error_pop();
    if (!e) return unknown_engine(name), NULL;
    if (!code) return vn__engine_usable(e, "use") ? NULL : e;
    const char *how =
        e->plugin->library && !torn ? e->plugin->how : NULL; /* of the framework; a plugin that did not load lacks something else */
    vn__fail(code, how ? "%s (install it with: %s)" : "%s", why, how);
    return NULL;
}

int vn__engine_forked(const vn__engine *e, const char *who)
{
    return vn__fail(
        VN_E_ENGINE,
        "%s: %s was loaded before a fork and does not work in the child; use the built-in engine there, or load %s only after the fork",
        who, e->name, e->name);
}

int vn__engine_failed(const vn__engine *e, int code, const char *who, const char *what)
{
    return vn__fail(code, "%s: %s %s%s", who, e->name, what, code == VN_E_UNSUPPORTED ? ": not implemented by this plugin" : "");
}

/* ---- listing ---- */

int vn_engine_count(void)
{
    if (!vn__engine_default()) return 0;
    find_all();
    pthread_mutex_lock(&lock);
    int n = n_engines;
    pthread_mutex_unlock(&lock);
    return n;
}

static const char *keep_text(vn__state *s, size_t *at, const char *text)
{
    if (!text) return NULL;
    size_t n = strlen(text) + 1, left = sizeof s->info - *at;
    if (n > left) return "";
    char *to = memcpy(s->info + *at, text, n);
    *at += n;
    return to;
}

/* Tries to load the engine and fills info up to its size. */
static int describe(const char *who, vn__state *s, vn__engine *e, vn_engine_info *info)
{
    int code = vn_error_push();
    if (code) return code;
    bool open = vn__engine_open(e) == VN_OK;
    size_t at = 0;
    vn_engine_info a = {.name = e->name, .available = open};
    a.version = open ? keep_text(s, &at, e->api.version(e->context)) : NULL;
    a.where = keep_text(s, &at, open ? e->api.where(e->context) : e->plugin->path);
    a.about = keep_text(s, &at, e->plugin->about ? e->plugin->about : "");
    a.how = keep_text(s, &at, e->plugin->how ? e->plugin->how : "");
    a.message = open ? NULL : keep_text(s, &at, vn_message());
    vn_error_pop();
    return VN__GIVE(who, vn_engine_info, info, &a);
}

/* "exact, bf16": the modes it has for float32 products. */
static void describe_precisions(const vn__engine *e, void (*line)(void *to, const char *key, const char *value), void *to)
{
    char text[64] = "";
    for (uint32_t p = VN_PRECISION_EXACT; p <= VN_PRECISION_BF16; p++) {
        if (vn__precision_on(e, p) != p) continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", vn__precision_name(p));
    }
    line(to, "precision", text);
}

int vn_engine_describe(const char *engine, void (*line)(void *to, const char *key, const char *value), void *to)
{
    vn__engine *e = vn__engine_find(engine);
    if (!e) return vn_status();
    if (!line) return vn__fail(VN_E_NULL, "engine_describe: line is NULL");
    const size_t inside = vn__user_begin(vn__peek());
    int code = e->api.describe ? vn__engine_enter(e, "engine_describe") : VN_OK;
    if (!code && e->api.describe) {
        code = e->api.describe(e->context, line, to);
        vn__engine_leave(e);
    }
    if (!code) line(to, "route", e->api.compile ? "whole programs" : "kernel by kernel");
    if (!code) describe_precisions(e, line, to);
    if (!code && e->probed) {
        char text[160];
        snprintf(text, sizeof text, "newer than %s, the newest tested: every op was tried, %d failed and fall back to native",
                 e->plugin->tested, e->left_out);
        line(to, "version", text);
    }
    vn__user_end(vn__peek(), inside);
    return code ? vn__engine_failed(e, code, "engine_describe", "failed") : VN_OK;
}

int vn_engine_at(int i, vn_engine_info *info)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (vn__check_info("engine_at", "vn_engine_info", info)) return vn_status();
    int n = vn_engine_count();
    if (i < 0 || i >= n) return vn__fail(VN_E_ARG, "engine_at: there is no engine %d, %d are known", i, n);
    pthread_mutex_lock(&lock);
    vn__engine *e = engines[i];
    pthread_mutex_unlock(&lock);
    return describe("engine_at", s, e, info);
}

const char *vn_engine_name(int i)
{
    if (!vn__enter()) return NULL;
    int n = vn_engine_count();
    if (i < 0 || i >= n) return vn__fail(VN_E_ARG, "engine_name: there is no engine %d, %d are known", i, n), NULL;
    return engines[i]->name;
}

int vn_engine_named(const char *name, vn_engine_info *info)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!name) return vn__fail(VN_E_NULL, "engine_named: name is NULL");
    if (vn__check_info("engine_named", "vn_engine_info", info)) return vn_status();
    if (!vn__engine_default() || vn_error_push()) return vn_status();
    vn__engine *e = entry_of(name);
    vn_error_pop();
    return e ? describe("engine_named", s, e, info) : vn__fail(VN_E_ENGINE, "engine_named: there is no engine \"%.40s\"", name);
}

/* ---- the end ---- */

static void close_engine(vn__engine *e)
{
    vn__cache_close(e);
    if (atomic_exchange(&e->open, false) && (e->builtin || vn__gate_enter_quietly())) {
        e->api.close(e->context);
        vn__engine_leave(e);
    }
    e->context = NULL;
    vn__free(e->rows);
    e->rows = NULL;
}

/* The native engine is the first in the list and the last to close: programs and arrays of the others have memory of it. */
void vn__engines_close(void)
{
    int kept = 0;
    for (int k = n_engines; k-- > 0;) close_engine(engines[k]);
    for (int k = 0; k < n_engines; k++) {
        vn__engine *e = engines[k];
        if (e->builtin || e->plugin->library) { /* a loaded framework stays, and its entry with it */
            engines[kept++] = e;
            continue;
        }
        pthread_mutex_destroy(&e->lock);
        free(e);
    }
    n_engines = kept;
    vn__plugins_forget(&vn__engine_plugins);
    searched = false;
}

void vn__engines_finish(void)
{
    for (int k = 0; k < n_engines; k++) {
        const vn__engine *e = engines[k];
        if (!e->builtin && atomic_load(&e->open) && e->api.finish && e->fork_generation == vn__forks) e->api.finish(e->context);
    }
}

/* Before a fork, the locks that are held while a plugin is loaded or opened are taken only if they are free: the plugin may itself wait for a
 * lock of the thread that forks, as Python's. The child then loads no plugins. */
void vn__engines_fork(int step)
{
    static bool have_loading;
    if (step == VN_FORK_BEFORE) {
        have_loading = !pthread_mutex_trylock(&loading);
        pthread_mutex_lock(&lock);
    }
    for (int k = 0; k < n_engines; k++) {
        vn__engine *e = engines[k];
        if (step == VN_FORK_BEFORE) e->locked_for_fork = !(e->builtin ? pthread_mutex_lock : pthread_mutex_trylock)(&e->lock);
        if (step == VN_FORK_CHILD && !e->locked_for_fork && !atomic_load(&e->open)) torn = true;
        vn__cache_fork(e, step);
        if (step == VN_FORK_PARENT && e->locked_for_fork) pthread_mutex_unlock(&e->lock);
        if (step == VN_FORK_CHILD) pthread_mutex_init(&e->lock, NULL);
        if (e->builtin && e->api.fork) e->api.fork(e->context, step);
    }
    if (step == VN_FORK_PARENT) {
        pthread_mutex_unlock(&lock);
        if (have_loading) pthread_mutex_unlock(&loading);
    }
    if (step == VN_FORK_CHILD) {
        pthread_mutex_init(&lock, NULL), pthread_mutex_init(&loading, NULL);
        torn = torn || !have_loading;
    }
}
