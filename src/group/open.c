/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: groups as objects, and the world they are parts of: the processes that a launcher started, found by the variables it sets, and
 * the plugin that carries their messages. */
#include "group/group.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include "engine/engine.h"
#include "launchers.h" /* the manifests of groups/ */
#include "plugin/plugin.h"
#include "tree/tree.h"
#include <dlfcn.h>
#include <pthread.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "group_open";
static vn__plugins plugins = {
    .kind = "groups", .variable = "VINEA_GROUP_PATH", .symbol = "vinea_group_main", .abi = VN_GROUP_ABI, .known = launchers};
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
vn__world vn__the_world;

/* ---- the launcher ---- */

/* The value of the first variable of a list that is set, which is copied to `name`. NULL: none is. */
static const char *set_variable(const char *list, char name[static 64])
{
    while (list && *list) {
        const size_t n = strcspn(list, " ");
        const char *value = NULL;
        if (n && n < 64) {
            snprintf(name, 64, "%.*s", (int)n, list);
            value = getenv(name);
        }
        if (value) return value;
        list += n + (list[n] == ' ');
    }
    return NULL;
}

/* The number of processes in a variable; 0: it is not set. */
static int count_in(const char *variable)
{
    const char *value = *variable ? getenv(variable) : NULL;
    const long count = value ? strtol(value, NULL, 10) : 0;
    return count > 0 && count <= INT32_MAX ? (int)count : 0;
}

/* How many processes the launcher started, by the first variable of the list; 0: it does not say. */
static int processes_of(const vn__plugin *p)
{
    char name[64];
    const size_t n = strcspn(p->launcher ? p->launcher : "", " ");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), p->launcher ? p->launcher : "");
    return count_in(name);
}

static bool is_loaded(const vn__plugin *p)
{
    void *library = p->needs ? dlopen(p->needs, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) dlclose(library);
    return library != NULL;
}

/* The names of the plugins that were found; free it. NULL: there are none. */
static char *found(void)
{
    vn__text all = {0};
    for (int k = 0; k < plugins.n; k++)
        if (plugins.all[k]->path) vn__print(&all, "%s%s", all.text ? ", " : "", plugins.all[k]->name);
    if (!all.failed) return all.text;
    vn__free(all.text);
    return NULL;
}

static vn__plugin *named(const char *name)
{
    for (int k = 0; k < plugins.n; k++)
        if (plugins.all[k]->path && !strcmp(plugins.all[k]->name, name)) return plugins.all[k];
    char *all = found();
    vn__fail(VN_E_GROUP, "%s: there is no group plugin \"%.40s\"; there are: %s%s", who, name, all ? all : "none", plugins.notes);
    vn__free(all);
    return NULL;
}

/* The plugin whose launcher started this process; *code is set if there is one too many. NULL without an error: there was none. */
static vn__plugin *launched_by(int *code)
{
    vn__plugin *by = NULL, *other = NULL;
    char variable[64], variable2[64];
    for (int k = 0; k < plugins.n; k++) {
        if (!plugins.all[k]->path || !set_variable(plugins.all[k]->launcher, variable)) continue;
        if (by && is_loaded(by)) continue;
        if (!by || is_loaded(plugins.all[k])) by = plugins.all[k];
        else other = plugins.all[k];
    }
    if (by && other && !is_loaded(by)) {
        set_variable(by->launcher, variable), set_variable(other->launcher, variable2);
        *code =
            vn__fail(VN_E_GROUP, "%s: the launchers of %s (%s) and of %s (%s) both left their mark; say which one it is: VINEA_GROUP=%s",
                     who, by->name, variable, other->name, variable2, by->name);
    }
    return by;
}

/* A plugin that was chosen by name cannot reach processes that another one's launcher started. */
static int check_launcher(const vn__plugin *p)
{
    char variable[64];
    for (int k = 0; k < plugins.n && !set_variable(p->launcher, variable); k++) {
        const vn__plugin *q = plugins.all[k];
        if (q == p || !q->path || !set_variable(q->launcher, variable)) continue;
        return vn__fail(VN_E_GROUP, "%s: the program was started by the launcher of %s (%s), not by that of %s", who, q->name, variable,
                        p->name);
    }
    return VN_OK;
}

/* Another MPI in the process, which the program itself or a library of it is linked with, cannot reach the processes of this launcher. */
static int check_process(const vn__plugin *p)
{
    for (int k = 0; k < plugins.n; k++) {
        const vn__plugin *q = plugins.all[k];
        if (q == p || is_loaded(p) || !is_loaded(q)) continue;
        return vn__fail(VN_E_GROUP, "%s: the program was started by the launcher of %s, but has loaded %s of %s; start it with that one's",
                        who, p->name, q->needs, q->name);
    }
    return VN_OK;
}

/* Processes that no plugin can bring together: each of them would train by itself. */
static int check_alone(void)
{
    for (int k = 0; k < plugins.n; k++) {
        const vn__plugin *p = plugins.all[k];
        const int n = processes_of(p);
        if (n < 2) continue;
        char *all = found();
        vn__fail(VN_E_GROUP,
                 "%s: a launcher started %d processes (%.*s=%d), and of the group plugins found (%s) none is for it; it needs %s%s%s%s%s. "
                 "VINEA_GROUP_PATH names folders with plugins%s",
                 who, n, (int)strcspn(p->launcher, " "), p->launcher, n, all ? all : "none", p->needs ? "the plugin " : "",
                 p->needs ? p->name : "", p->needs ? " (" : "", p->how ? p->how : "", p->needs ? ", then build Vinea)" : "", plugins.notes);
        vn__free(all);
        return VN_E_GROUP;
    }
    return VN_OK;
}

/* ---- the world ---- */

static int load(vn__plugin *p)
{
    void *symbol = NULL;
    if (p->carrier) return VN_OK;
    /* An MPI's own components look its symbols up in the process. */
    int code = vn__plugin_needs(p, who, VN_E_GROUP, RTLD_NOW | RTLD_GLOBAL);
    if (!code) code = vn__plugin_enter(&plugins, p, &symbol);
    if (code) return code;
    vn_group_main_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    const vn_group_plugin *api = entry(&p->host);
    if (!api) return vn__fail(VN_E_GROUP, "%s: the plugin refused this version of the library", p->name);
    if (api->abi != VN_GROUP_ABI) return vn__plugin_wrong_abi(&plugins, p, api->abi);
    if (api->size < sizeof *api) return vn__fail(VN_E_GROUP, "%s: the plugin lacks functions that this library needs", p->name);
    p->carrier = api;
    return VN_OK;
}

/* What ranks send each other may differ from version to version of the library, but for this first message. */
static int compare_versions(const vn__world *w)
{
    enum { ROOM = 64 };
    const vn__group all = {.comm = w->comm, .rank = w->rank, .ranks = w->ranks, .timeout = w->timeout, .world = true};
    char own[ROOM] = "", *texts = vn__calloc((size_t)w->ranks * ROOM);
    if (!texts) return vn__no_memory(who);
    snprintf(own, sizeof own, "%s", vn_version());
    int code = vn__group_gather(&all, own, texts, ROOM, who);
    for (int k = 1; k < w->ranks && !code; k++) {
        const char *text = texts + (size_t)k * ROOM;
        if (memcmp(texts, text, ROOM) != 0)
            code = vn__fail(VN_E_GROUP, "%s: rank %d has version %.*s of Vinea, rank 0 %.*s; all ranks need the same", who, k, ROOM - 1,
                            text, ROOM - 1, texts);
    }
    vn__group_free(texts);
    return code;
}

static int begin(vn__plugin *p)
{
    vn__world *w = &vn__the_world;
    const int expected = processes_of(p);
    int code = check_launcher(p);
    if (!code) code = check_process(p);
    if (!code) code = load(p);
    if (!code) code = vn__keeper_begin(p->carrier, w, who);
    if (code) return code;
    w->api = p->carrier, w->forks = vn__forks;
    w->rank = w->api->rank(w->comm), w->ranks = w->api->ranks(w->comm);
    w->cores = vn__max(vn__processors(), 1);
    if (expected && expected != w->ranks)
        code =
            vn__fail(VN_E_GROUP,
                     "%s: the launcher started %d processes, but %s (%s) finds %d: it is another MPI's launcher, or another version's; use "
                     "the mpirun that belongs to it",
                     who, expected, p->name, w->api->version(), w->ranks);
    if (!code && w->ranks == 1) code = check_alone();
    if (!code) code = compare_versions(w);
    if (code) vn__group_give_up(vn_message());
    return code;
}

/* Opens the world unless it is open, or there is only this process. */
static int open_world(const char *plugin, double timeout)
{
    int code = VN_OK;
    vn__the_world.timeout = timeout;
    if (vn__the_world.api) return VN_OK;
    vn__plugins_search(&plugins);
    if (!plugin) plugin = vn__environment("VINEA_GROUP");
    vn__plugin *p = plugin && *plugin ? named(plugin) : launched_by(&code);
    if (code || (!p && plugin && *plugin)) return vn_status();
    if (!p) return check_alone();
    return processes_of(p) != 1 ? begin(p) : VN_OK;
}

/* ---- groups ---- */

void vn__group_release(void *memory)
{
    vn__group *b = memory;
    const vn__world *w = &vn__the_world;
    if (b->comm && !b->world && w->api && !*w->broken && w->forks == vn__forks) { /* after a fork it is the parent's */
        vn__group_lock();
        w->api->release(b->comm);
        vn__group_unlock();
    }
    vn__free(b->numbers);
    vn__free(b);
}

static vn_group *make(vn__group group, const char *what)
{
    vn__group *b = vn__alloc(sizeof *b);
    if (!b) return vn__free(group.numbers), vn__no_memory(what), NULL;
    *b = group;
    vn_group *g = (vn_group *)vn__object_new(VN__GROUP, b, what);
    if (!g) vn__group_release(b);
    return g;
}

/* Seconds: the option, VINEA_GROUP_TIMEOUT, or 300; NaN, with the error set, if that is none. */
static double timeout_of(double given)
{
    const char *text = given != 0 ? NULL : vn__environment("VINEA_GROUP_TIMEOUT");
    char *end = NULL;
    const double seconds = text && *text ? strtod(text, &end) : given != 0 ? given : 300;
    if (seconds > 0 && (!end || !*end)) return seconds;
    if (end) vn__fail(VN_E_ARG, "%s: VINEA_GROUP_TIMEOUT=%.40s is not a number of seconds above 0", who, text);
    else vn__fail(VN_E_ARG, "%s: timeout is %g; seconds above 0 are needed", who, given);
    return NAN;
}

vn_group *vn_group_open(const vn_group_opts *opts)
{
    vn_group_opts o = {0};
    if (!vn__enter() || vn__take(&o, sizeof o, opts, "group")) return NULL;
    const double timeout = timeout_of(o.timeout);
    if (isnan(timeout)) return NULL;
    pthread_mutex_lock(&opening);
    int code = open_world(o.plugin, timeout);
    pthread_mutex_unlock(&opening);
    if (code) return NULL;
    const vn__world *w = &vn__the_world;
    vn__group g = {.comm = w->comm, .rank = w->rank, .ranks = w->api ? w->ranks : 1, .timeout = timeout, .world = true};
    return make(g, who);
}

int vn_group_rank(const vn_group *g)
{
    return vn__check(g, VN__GROUP, "group_rank", "g") ? vn__group_of(g)->rank : -1;
}

int vn_group_size(const vn_group *g)
{
    return vn__check(g, VN__GROUP, "group_size", "g") ? vn__group_of(g)->ranks : 0;
}

const char *vn_group_about(const vn_group *g)
{
    static const char own[] = "group_about";
    if (!vn__check(g, VN__GROUP, own, "g")) return NULL;
    const vn__group *b = vn__group_of(g);
    const char *version = b->comm ? vn__the_world.api->version() : "one process";
    const size_t n = strlen(version) + 64;
    char *text = vn__scope_memory(n, own);
    if (text) snprintf(text, n, "rank %d of %d, %s", b->rank, b->ranks, version);
    return text;
}

vn_group *vn_group_split(vn_group *g, int colour, int key)
{
    static const char own[] = "group_split";
    if (!vn__check(g, VN__GROUP, own, "g")) return NULL;
    const vn__group *b = vn__group_of(g);
    if (colour < 0) return vn__fail(VN_E_ARG, "%s: colour is %d; 0 or more is needed", own, colour), NULL;
    vn__group part = {.ranks = 1, .timeout = b->timeout};
    if (b->comm) {
        /* The plugin waits for all ranks there, so this comes first, which gives up after the timeout. */
        if (vn__group_run(b, 1, &(vn_transfer){.kind = VN_TRANSFER_BARRIER}, own)) return NULL;
        vn__group_lock();
        const int code = vn__the_world.api->split(b->comm, colour, key, &part.comm);
        vn__group_unlock();
        if (code) return NULL;
        part.rank = vn__the_world.api->rank(part.comm), part.ranks = vn__the_world.api->ranks(part.comm);
        part.numbers = vn__calloc((size_t)part.ranks * sizeof *part.numbers);
        if (!part.numbers) return vn__group_no_memory(own), NULL;
        if (vn__group_gather(&part, &vn__the_world.rank, part.numbers, sizeof *part.numbers, own))
            return vn__group_free(part.numbers), NULL;
    }
    return make(part, own);
}

void vn_group_abort(vn_group *g, int code)
{
    if (!vn__check(g, VN__GROUP, "group_abort", "g")) return;
    if (vn__group_of(g)->comm) vn__the_world.api->abort(vn__the_world.comm, code);
}

/* ---- the end ---- */

int vn__groups_close(int code)
{
    vn__world *w = &vn__the_world;
    if (w->api && w->forks != vn__forks) *w = (vn__world){0}; /* the parent's */
    if (w->api) {
        const vn__group all = {.comm = w->comm, .rank = w->rank, .ranks = w->ranks, .timeout = w->timeout, .world = true};
        if (code && !*w->broken) vn__group_give_up(vn_message());
        if (!code && !*w->broken) code = vn__group_run(&all, 1, &(vn_transfer){.kind = VN_TRANSFER_BARRIER}, "close");
        if (code || *w->broken) vn__group_part(), vn__keeper_leave();
        else code = vn__keeper_end(w->timeout, "close");
        *w = (vn__world){0};
    }
    vn__exchange_close();
    if (!vn__keeper_is_stuck()) vn__plugins_forget(&plugins);
    return code;
}
