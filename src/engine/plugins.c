/* plugins.c: engine plugins: files <name>.so with a <name>.manifest, which the loader (src/plugin) finds and opens. A loaded
 * framework stays until the process ends, and so does the plugin's entry. */
#include "engine/plugins.h"
#include "plugin/plugin.h"
#include "core/memory.h"
#include "core/state.h"
#include "engine/engine.h"
#include <string.h>
#include <stdlib.h>

enum { MAX_PLUGINS = 64 };
static vn__plugin *plugins[MAX_PLUGINS];
static int n_plugins;
static char notes[1024];

/* ---- the host functions ---- */

/* The value of VINEA_THREADS when an engine was last opened: engines ask before every kernel, and getenv is a linear search. */
static _Atomic int threads;

int vn__threads_read(void)
{
    const char *v = secure_getenv("VINEA_THREADS");
    char *end = NULL;
    long n = v && *v ? strtol(v, &end, 10) : 0;
    if (end && (*end || n < 1 || n > 1024)) return vn__fail(VN_E_ARG, "VINEA_THREADS=%.40s is not a number from 1 to 1024", v);
    atomic_store_explicit(&threads, (int)n, memory_order_relaxed);
    return VN_OK;
}

static int threads_wanted(void)
{
    return atomic_load_explicit(&threads, memory_order_relaxed);
}

const vn_host vn__host = {.abi = VN_ENGINE_ABI,
                          .size = sizeof vn__host,
                          .error = vn__fail,
                          .log = vn__log,
                          .alloc = vn__block_alloc_outside,
                          .free = vn__block_free,
                          .threads = threads_wanted,
                          .trusted = vn__trusted,
                          .library_fine = vn__library_fine,
                          .open_library = vn__library_open,
                          .stack_left = vn__stack_left};

/* ---- finding ---- */

static vn__plugin *add(const vn__plugin_file *f)
{
    vn__plugin *p = NULL;
    if (n_plugins == MAX_PLUGINS || f->length >= sizeof p->name || !(p = calloc(1, sizeof *p))) return NULL;
    memcpy(p->name, f->name, f->length);
    return plugins[n_plugins++] = p;
}

static void read_manifest(vn__plugin *p, const char *path)
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
        char **to = !strcmp(line, "about")     ? &p->about
                    : !strcmp(line, "install") ? &p->how
                    : !strcmp(line, "tested")  ? &p->tested
                    : least                    ? &p->oldest
                                               : NULL;
        if (!to || *to) continue;
        *to = strdup(value);
    }
    if (f) fclose(f);
}

/* Sets the folder of a plugin's entry. */
static bool place(vn__plugin *p, const vn__plugin_file *f)
{
    char *folder = strdup(f->folder), *refused = f->refused ? strdup(f->refused) : NULL;
    if (!folder || (f->refused && !refused)) return free(folder), free(refused), false;
    free(p->path), free(p->folder), free(p->refused);
    p->path = NULL;
    p->folder = folder;
    p->refused = refused;
    p->host = vn__host;
    p->host.folder = folder;
    return true;
}

/* The first folder that has a plugin wins; a refused folder is used only if there is no other. */
static void take_file(const vn__plugin_file *f)
{
    vn__plugin *p = NULL;
    char why[800];
    for (int k = 0; k < n_plugins; k++)
        if (strlen(plugins[k]->name) == f->length && !memcmp(plugins[k]->name, f->name, f->length)) p = plugins[k];
    if (!p) p = add(f);
    if (!p || p->library) return;
    if ((!p->folder || (p->refused && !f->refused)) && !place(p, f)) return;
    if (strcmp(p->folder, f->folder) != 0) return;
    if (!f->manifest && !p->path) p->path = strdup(f->path);
    if (f->manifest && !f->refused && vn__trusted(f->path, why, sizeof why)) read_manifest(p, f->path);
    else if (f->manifest && !f->refused) vn__log("%s: its manifest is not read: %s", p->name, why);
}

void vn__plugins_search(void (*visit)(vn__plugin *p))
{
    vn__plugins_find("engines", "VINEA_ENGINE_PATH", take_file, notes, sizeof notes);
    for (int k = 0; k < n_plugins; k++) visit(plugins[k]);
}

const char *vn__plugins_notes(void)
{
    return notes;
}

void vn__plugins_forget(void)
{
    int kept = 0;
    for (int k = 0; k < n_plugins; k++) {
        vn__plugin *p = plugins[k];
        if (p->library) {
            plugins[kept++] = p;
            continue;
        }
        free(p->path), free(p->folder), free(p->refused), free(p->about), free(p->how), free(p->oldest), free(p->tested);
        free(p);
    }
    n_plugins = kept;
}

/* ---- loading ---- */

/* "torch" and "torch:cuda" are names of engines of the plugin "torch". */
static bool name_fits(const vn__plugin *p, const char *name)
{
    size_t n = strlen(p->name);
    return name && !strncmp(name, p->name, n) && (!name[n] || name[n] == ':');
}

static int check_api(const vn__plugin *p, const vn_plugin *api)
{
    if (api->abi != VN_ENGINE_ABI)
        return vn__fail(VN_E_ENGINE, "%s: the plugin was built for engine ABI %u, this library has %d; build the plugin again", p->name,
                        api->abi, VN_ENGINE_ABI);
    if (api->n_engines < 1 || !api->engines) return vn__fail(VN_E_ENGINE, "%s: %s provides no engine", p->name, p->path);
    for (int32_t k = 0; k < api->n_engines; k++) {
        const vn_engine *e = api->engines[k];
        if (!e || !name_fits(p, e->name))
            return vn__fail(VN_E_ENGINE,
                            "%s: %s calls itself \"%s\"; file and engine must have one name, or the engine's begin with \"%s:\"", p->name,
                            p->path, e && e->name ? e->name : "", p->name);
    }
    return VN_OK;
}

int vn__plugin_load(vn__plugin *p)
{
    void *symbol = NULL;
    if (p->api) return VN_OK;
    if (!p->folder) return vn__no_memory(p->name);
    if (!p->path) return vn__fail(VN_E_ENGINE, "%s: its manifest is in %s, but there is no plugin beside it", p->name, p->folder);
    if (p->refused) return vn__fail(VN_E_ENGINE, "%s: the plugin in %s is not loaded: %s", p->name, p->folder, p->refused);
    int code = vn__plugin_open(p->name, p->path, "vinea_engine_main", &p->library, &symbol);
    if (code) return code;
    vn_engine_main_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    const vn_plugin *api = entry(&p->host);
    if (!api) return vn__fail(VN_E_ENGINE, "%s: the plugin refused this version of the library", p->name);
    code = check_api(p, api);
    if (!code) p->api = api;
    return code;
}
