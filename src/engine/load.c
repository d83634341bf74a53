/* load.c: opens engines and binds their rows to the op table. The core knows no engine's name: the built-in one comes from
 * vn__native_main, the others are plugins <name>.so with a <name>.manifest, which the loader (src/plugin) finds and opens. A framework,
 * once loaded, stays for the life of the process. */
#include "plugin/plugin.h"
#include "base/floats.h"
#include <stdlib.h>

enum { MAX_ENGINES = 64 };
/* Number 0 is the built-in one. Plugins' entries outlive vn_close once their library is loaded, so they are not the allocator's. */
static vn__engine builtin = {.builtin = true, .about = "Vinea's own kernels", .how = "built in", .lock = PTHREAD_MUTEX_INITIALIZER};
static vn__engine *engines[MAX_ENGINES] = {&builtin};
static int n_engines = 1;
static bool searched;
static char not_searched[1024];                          /* which folders were refused, and why */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the list; never held while an engine runs */

/* ---- what engines are given ---- */

/* VINEA_THREADS; 0 when it is not set, -1 when it is no sensible number (opening an engine then fails). */
static int threads_set(void)
{
    const char *v = secure_getenv("VINEA_THREADS");
    char *end = NULL;
    long n = v && *v ? strtol(v, &end, 10) : 0;
    return !end ? 0 : *end || n < 1 || n > 1024 ? -1 : (int)n;
}

/* What it said when an engine was opened last: engines ask before every kernel, and the environment is searched from its beginning. */
static _Atomic int threads;

static int threads_wanted(void)
{
    return atomic_load_explicit(&threads, memory_order_relaxed);
}

/* Functions a plugin does not have answer so; vn__engine_failed finds the words. */
static int missing_function(void)
{
    return VN_E_UNSUPPORTED;
}
static int no_from_host(const vn_desc *d, const vn_host_memory *m, vn_buf **out)
{
    return (void)d, (void)m, (void)out, missing_function();
}
static int no_to_host(vn_buf *b, const vn_desc *d, const void **data)
{
    return (void)b, (void)d, (void)data, missing_function();
}
static int no_execute(vn_exe *x, vn_buf *const *in, vn_buf **out)
{
    return (void)x, (void)in, (void)out, missing_function();
}
static int no_open(void)
{
    return missing_function();
}
static void no_close(void)
{
}
static void no_reference(vn_buf *b)
{
    (void)b;
}
static void no_discard(vn_exe *x)
{
    (void)x;
}
static const char *no_text(void)
{
    return "unknown";
}

/* A plugin may know fewer fields than we do: what it lacks is zero, and absent functions answer "not implemented". */
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

static int bind(vn__engine *e)
{
    const vn_kernel_row **rows = vn__calloc((size_t)vn__op_count * sizeof *rows);
    if (!rows) return vn__no_memory(e->name);
    for (const vn_kernel_row *r = e->api.kernels; r->op; r++) {
        int op = vn__op_find(r->op);
        if (op >= 0) rows[op] = r;
        else vn__log("%s: has a kernel for \"%s\", which is no op of this version", e->name, r->op);
    }
    vn__free(e->rows);
    e->rows = rows;
    return VN_OK;
}

/* ---- finding ---- */

static void free_engine(vn__engine *e)
{
    pthread_mutex_destroy(&e->lock);
    free(e->path), free(e->folder), free(e->refused), free(e->about), free(e->how), free(e->oldest), free(e->tested);
    free(e);
}

static const vn_host host = {.abi = VN_ENGINE_ABI,
                             .size = sizeof host,
                             .error = vn__fail,
                             .log = vn__log,
                             .alloc = vn__block_alloc_outside,
                             .free = vn__block_free,
                             .threads = threads_wanted,
                             .trusted = vn__trusted,
                             .library_fine = vn__library_fine,
                             .open_library = vn__library_open,
                             .stack_left = vn__stack_left};

static vn__engine *add(const vn__plugin_file *f)
{
    if (n_engines == MAX_ENGINES || f->length >= sizeof builtin.name) return NULL;
    vn__engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    memcpy(e->name, f->name, f->length);
    pthread_mutex_init(&e->lock, NULL);
    return engines[n_engines++] = e;
}

static void read_manifest(vn__engine *e, const char *path)
{
    FILE *f = fopen(path, "re");
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        char *value = strchr(line, '=');
        if (!value) continue;
        char *end = value;
        while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
        *end = 0;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\r\n")] = 0;
        const char *least = !strcmp(line, "package") ? strstr(value, ">=") : NULL;
        if (least) value = (char *)(uintptr_t)least + 2 + strspn(least + 2, " ");
        char **to = !strcmp(line, "about")     ? &e->about
                    : !strcmp(line, "install") ? &e->how
                    : !strcmp(line, "tested")  ? &e->tested
                    : least                    ? &e->oldest
                                               : NULL;
        if (!to || *to) continue;
        *to = strdup(value);
    }
    if (f) fclose(f);
}

/* Gives an entry the folder its plugin is in. */
static bool place(vn__engine *e, const vn__plugin_file *f)
{
    char *folder = strdup(f->folder), *refused = f->refused ? strdup(f->refused) : NULL;
    if (!folder || (f->refused && !refused)) return free(folder), free(refused), false;
    free(e->path), free(e->folder), free(e->refused);
    e->path = NULL;
    e->folder = folder;
    e->refused = refused;
    e->host = host;
    e->host.folder = folder;
    return true;
}

/* The first folder that has an engine wins; one that was refused gives way to any that was not. */
static void take_file(const vn__plugin_file *f)
{
    vn__engine *e = NULL;
    char why[800];
    for (int k = 0; k < n_engines; k++)
        if (strlen(engines[k]->name) == f->length && !memcmp(engines[k]->name, f->name, f->length)) e = engines[k];
    if (!e) e = add(f);
    if (!e || e->builtin || e->library) return;
    if ((!e->folder || (e->refused && !f->refused)) && !place(e, f)) return;
    if (strcmp(e->folder, f->folder) != 0) return;
    if (!f->manifest && !e->path) e->path = strdup(f->path);
    if (f->manifest && !f->refused && vn__trusted(f->path, why, sizeof why)) read_manifest(e, f->path);
    else if (f->manifest && !f->refused) vn__log("%s: its manifest is not read: %s", e->name, why);
}

static void search(void)
{
    vn__plugins_find("engines", "VINEA_ENGINE_PATH", take_file, not_searched, sizeof not_searched);
    searched = true;
}

/* ---- opening ---- */

static int load_plugin(vn__engine *e)
{
    void *symbol = NULL;
    if (!e->folder) return vn__no_memory(e->name);
    if (!e->path) return vn__fail(VN_E_ENGINE, "%s: its manifest is in %s, but there is no plugin beside it", e->name, e->folder);
    int code = vn__engine_enter(e, "open");
    if (code) return code;
    code = e->refused ? vn__fail(VN_E_ENGINE, "%s: the plugin in %s is not loaded: %s", e->name, e->folder, e->refused)
                      : vn__plugin_open(e->name, e->path, "vinea_engine_main", &e->library, &symbol);
    vn__engine_leave(e);
    if (code) return code;
    vn_engine_main_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    const vn_engine *api = entry(&e->host);
    if (!api) return vn__fail(VN_E_ENGINE, "%s: the plugin refused this version of the library", e->name);
    if (api->abi != VN_ENGINE_ABI)
        return vn__fail(VN_E_ENGINE, "%s: the plugin was built for engine ABI %u, this library has %d; rebuild one of them", e->name,
                        api->abi, VN_ENGINE_ABI);
    if (!api->name || strcmp(api->name, e->name) != 0)
        return vn__fail(VN_E_ENGINE, "%s: %s calls itself \"%s\"; file and engine must have one name", e->name, e->path,
                        api->name ? api->name : "");
    adopt(e, api);
    return VN_OK;
}

static int open_loaded(vn__engine *e)
{
    int code = vn__engine_enter(e, "open"); /* now that it has told how much stack it needs */
    if (code) return code;
    if ((code = e->api.open())) vn__engine_failed(e, code, "open", "failed");
    if (!code) code = bind(e);
    if (!code && !e->builtin && (code = vn__engine_version_check(e))) e->api.close();
    if (!e->builtin) vn__gate_stay_last();
    vn__engine_leave(e);
    return code;
}

int vn__engine_open(vn__engine *e)
{
    pthread_mutex_lock(&e->lock);
    int code = VN_OK;
    if (!e->open) {
        VN__FLOATS; /* a framework's threads begin with this environment */
        int64_t t = vn__trace_begin();
        int n = threads_set();
        atomic_store_explicit(&threads, n > 0 ? n : 0, memory_order_relaxed);
        if (n < 0) code = vn__fail(VN_E_ARG, "%s: VINEA_THREADS=%s is no number from 1 to 1024", e->name, secure_getenv("VINEA_THREADS"));
        if (!code && !e->builtin) code = load_plugin(e);
        if (!code) code = open_loaded(e);
        vn__trace_end(t, "open", e->name, 0, 0);
        e->fork_generation = vn__forks;
        atomic_store(&e->open, !code);
    }
    pthread_mutex_unlock(&e->lock);
    return code;
}

vn__engine *vn__engine_default(void)
{
    if (!vn__enter()) return NULL; /* whoever asks for an engine is inside, so that nobody closes it meanwhile */
    if (atomic_load_explicit(&builtin.open, memory_order_acquire)) return &builtin;
    pthread_mutex_lock(&lock);
    if (!builtin.name[0]) {
        builtin.host = host;
        adopt(&builtin, vn__native_main(&builtin.host));
        snprintf(builtin.name, sizeof builtin.name, "%s", builtin.api.name);
    }
    pthread_mutex_unlock(&lock);
    return vn__engine_open(&builtin) ? NULL : &builtin;
}

int64_t vn__engines_trim(void)
{
    if (!atomic_load_explicit(&builtin.open, memory_order_acquire) || !builtin.api.trim) return 0;
    return builtin.api.trim();
}

static void find_all(void)
{
    pthread_mutex_lock(&lock);
    if (!searched) search();
    pthread_mutex_unlock(&lock);
}

vn__engine *vn__engine_find(const char *name)
{
    vn__engine *native = vn__engine_default(); /* first: it stands in where others have no kernel */
    if (!native || !name || !*name || !strcmp(name, native->name)) return native;
    find_all();
    vn__engine *e = NULL;
    vn__text all = {0};
    for (int k = 0; k < n_engines; k++) {
        vn__print(&all, "%s%s", k ? ", " : "", engines[k]->name);
        if (!strcmp(engines[k]->name, name)) e = engines[k];
    }
    if (!e) vn__fail(VN_E_ENGINE, "there is no engine \"%.40s\"; there are: %s%s", name, all.failed ? "?" : all.text, not_searched);
    vn__free(all.text);
    if (!e) return NULL;
    if (vn_error_push()) return NULL;
    int code = vn__engine_open(e);
    char why[896];
    snprintf(why, sizeof why, "%s", vn_message());
    vn_error_pop();
    if (!code) return vn__engine_usable(e, "use") ? NULL : e;
    if (e->how) vn__fail(code, "%s (to get it: %s)", why, e->how); /* in the same breath */
    else vn__fail(code, "%s", why);
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

bool vn__engine_has(const vn__engine *e, int op, int dtype_in, int dtype_out)
{
    const vn_kernel_row *r = e->rows[op];
    return r && r->dtypes & VN_BIT(dtype_in) && r->dtypes & VN_BIT(dtype_out);
}

/* ---- moving arrays between engines ---- */

typedef struct {
    const vn__engine *engine;
    vn_buf *buf;
} owner;

static void release_owner(void *memory)
{
    owner *o = memory;
    vn__buf_release(o->engine, o->buf);
    vn__free(o);
}

static int transfer(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out)
{
    VN__FLOATS;
    const void *data = NULL;
    int code = from->api.to_host(buf, d, &data);
    owner *o = code ? NULL : vn__alloc(sizeof *o);
    if (!code && !o) code = vn__no_memory("to");
    if (code) return vn__engine_failed(from, code, "to", "could not give its data");
    *o = (owner){from, buf};
    from->api.retain(buf);
    vn_host_memory m = {data, (size_t)d->count * vn_dtype_size((vn_dtype)d->dtype), release_owner, o};
    code = to->api.from_host(d, &m, out);
    if (!code) return VN_OK;
    release_owner(o);
    return vn__engine_failed(to, code, "to", "could not take the data");
}

int vn__transfer(vn__engine *from, vn_buf *buf, const vn_desc *d, vn__engine *to, vn_buf **out)
{
    int code = vn__engine_enter(from, "to");
    if (code) return code;
    if (!(code = vn__engine_enter(to, "to"))) {
        code = transfer(from, buf, d, to, out);
        vn__engine_leave(to);
    }
    vn__engine_leave(from);
    return code;
}

/* ---- listing ---- */

int vn_engine_count(void)
{
    if (!vn__engine_default()) return 0;
    find_all();
    return n_engines;
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

/* Tries to load the engine and fills info, of which its size is filled in. */
static int describe(vn__state *s, vn__engine *e, vn_engine_info *info)
{
    int code = vn_error_push();
    if (code) return code;
    bool open = vn__engine_open(e) == VN_OK;
    size_t at = 0;
    vn_engine_info a = {.size = sizeof a, .name = e->name, .available = open};
    a.version = open ? keep_text(s, &at, e->api.version()) : NULL;
    a.where = keep_text(s, &at, open ? e->api.where() : e->path);
    a.about = keep_text(s, &at, e->about ? e->about : "");
    a.how = keep_text(s, &at, e->how ? e->how : "");
    a.message = open ? NULL : keep_text(s, &at, vn_message());
    vn_error_pop();
    size_t known = info->size && info->size < sizeof a ? info->size : sizeof a;
    a.size = known;
    memcpy(info, &a, known);
    return VN_OK;
}

int vn_engine_describe(const char *engine, void (*line)(void *to, const char *key, const char *value), void *to)
{
    vn__engine *e = vn__engine_find(engine);
    if (!e) return vn_status();
    if (!line) return vn__fail(VN_E_NULL, "engine_describe: line is NULL");
    const size_t inside = vn__user_begin(vn__peek());
    int code = e->api.describe ? vn__engine_enter(e, "engine_describe") : VN_OK;
    if (!code && e->api.describe) {
        code = e->api.describe(line, to);
        vn__engine_leave(e);
    }
    if (!code) line(to, "route", e->api.compile ? "whole programs" : "kernel by kernel");
    if (!code && e->probed) {
        char text[160];
        snprintf(text, sizeof text, "newer than %s, the newest tested: every op was tried, %d failed and went to native", e->tested,
                 e->left_out);
        line(to, "version", text);
    }
    vn__user_end(vn__peek(), inside);
    return code ? vn__engine_failed(e, code, "engine_describe", "failed") : VN_OK;
}

int vn_engine_at(int i, vn_engine_info *info)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    if (!info) return vn__fail(VN_E_NULL, "engine_at: info is NULL");
    int n = vn_engine_count();
    if (i < 0 || i >= n) return vn__fail(VN_E_ARG, "engine_at: there is no engine %d, %d are known", i, n);
    return describe(s, engines[i], info);
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
    if (!name || !info) return vn__fail(VN_E_NULL, "engine_named: %s is NULL", name ? "info" : "name");
    int n = vn_engine_count();
    for (int i = 0; i < n; i++)
        if (!strcmp(engines[i]->name, name)) return describe(s, engines[i], info);
    return vn__fail(VN_E_ENGINE, "engine_named: there is no engine \"%s\"", name);
}

/* ---- the end ---- */

void vn__engines_close(void)
{
    int kept = 0;
    for (int k = 0; k < n_engines; k++) {
        vn__engine *e = engines[k];
        vn__cache_close(e);
        if (atomic_exchange(&e->open, false) && (e->builtin || vn__gate_enter_quietly())) {
            e->api.close();
            vn__engine_leave(e);
        }
        vn__free(e->rows);
        e->rows = NULL;
        if (e->builtin || e->library) engines[kept++] = e; /* a loaded framework stays, and its entry with it */
        else free_engine(e);
    }
    n_engines = kept;
    searched = false;
}

void vn__engines_finish(void)
{
    for (int k = 0; k < n_engines; k++) {
        const vn__engine *e = engines[k];
        if (!e->builtin && atomic_load(&e->open) && e->api.finish && e->fork_generation == vn__forks) e->api.finish();
    }
}

void vn__engines_fork(int step)
{
    if (step == VN_FORK_BEFORE) pthread_mutex_lock(&lock);
    for (int k = 0; k < n_engines; k++) {
        if (step == VN_FORK_BEFORE) pthread_mutex_lock(&engines[k]->lock);
        vn__cache_fork(engines[k], step);
        if (step == VN_FORK_PARENT) pthread_mutex_unlock(&engines[k]->lock);
        if (step == VN_FORK_CHILD) pthread_mutex_init(&engines[k]->lock, NULL);
        if (engines[k]->builtin && engines[k]->api.fork) engines[k]->api.fork(step);
    }
    if (step == VN_FORK_PARENT) pthread_mutex_unlock(&lock);
    if (step == VN_FORK_CHILD) pthread_mutex_init(&lock, NULL);
}
