/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: the plugins of a kind, from their files and manifests, and what the library provides for each. A loaded library stays until the
 * process ends, and so does the plugin's entry. */
#include "os/os.h"
#include "plugin/plugin.h"
#include "core/memory.h"
#include "core/state.h"
#include "engine/engine.h"
#include <string.h>
#include <stdlib.h>

/* ---- the host functions ---- */

/* The value of VINEA_THREADS when an engine was last opened: engines ask before every kernel, and getenv is a linear search. */
static _Atomic int threads;

int vn__threads_read(void)
{
    const char *v = vn__environment("VINEA_THREADS");
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

static vn__plugin *add(vn__plugins *l, const vn__plugin_file *f)
{
    vn__plugin *p = NULL;
    if (l->n == VN__MAX_PLUGINS || f->length >= sizeof p->name || !(p = calloc(1, sizeof *p))) return NULL;
    memcpy(p->name, f->name, f->length);
    return l->all[l->n++] = p;
}

/* A line of a manifest: cut in two, its key at the beginning. NULL: it is none. */
static char *value_of(char *line)
{
    char *value = strchr(line, '='), *end = value;
    if (!value) return NULL;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
    *end = 0;
    value += 1 + strspn(value + 1, " \t");
    value[strcspn(value, "\r\n")] = 0;
    return value;
}

static void take_line(vn__plugin *p, const char *key, const char *value)
{
    const char *least = !strcmp(key, "package") ? strstr(value, ">=") : NULL;
    if (least) value = least + 2 + strspn(least + 2, " ");
    char **to = !strcmp(key, "about")      ? &p->about
                : !strcmp(key, "install")  ? &p->how
                : !strcmp(key, "tested")   ? &p->tested
                : !strcmp(key, "launcher") ? &p->launcher
                : !strcmp(key, "library")  ? &p->needs
                : !strcmp(key, "begins")   ? &p->begins
                : !strcmp(key, "ends")     ? &p->ends
                : least                    ? &p->oldest
                                           : NULL;
    if (to && !*to) *to = strdup(value);
}

static void read_manifest(vn__plugin *p, const char *path)
{
    FILE *f = fopen(path, "re");
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        const char *value = value_of(line);
        if (value) take_line(p, line, value);
    }
    if (f) fclose(f);
}

static vn__plugin *known_as(const vn__plugins *l, const char *name, size_t length)
{
    for (int k = 0; k < l->n; k++)
        if (strlen(l->all[k]->name) == length && !memcmp(l->all[k]->name, name, length)) return l->all[k];
    return NULL;
}

/* Those that were not found are there without a folder; one whose own manifest was not read has this one. */
static void take_known(vn__plugins *l)
{
    vn__plugin *p = NULL;
    for (const char *at = l->known; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        const char *value = value_of(line);
        if (value && !strcmp(line, "name")) {
            const vn__plugin_file f = {.name = value, .length = strlen(value)};
            p = known_as(l, f.name, f.length);
            p = !p ? add(l, &f) : p->about ? NULL : p;
        } else if (value && p) {
            take_line(p, line, value);
        }
    }
}

/* Sets the folder of a plugin's entry. */
static bool place(const vn__plugins *l, vn__plugin *p, const vn__plugin_file *f)
{
    char *folder = strdup(f->folder), *refused = f->refused ? strdup(f->refused) : NULL;
    if (!folder || (f->refused && !refused)) return free(folder), free(refused), false;
    free(p->path), free(p->folder), free(p->refused);
    p->path = NULL;
    p->folder = folder;
    p->refused = refused;
    p->host = vn__host;
    p->host.abi = l->abi;
    p->host.folder = folder;
    return true;
}

/* The first folder that has a plugin wins; a refused folder is used only if there is no other. */
static void take_file(const vn__plugin_file *f, void *to)
{
    vn__plugins *l = to;
    vn__plugin *p = known_as(l, f->name, f->length);
    char why[800];
    if (!p) p = add(l, f);
    if (!p || p->library) return;
    if ((!p->folder || (p->refused && !f->refused)) && !place(l, p, f)) return;
    if (strcmp(p->folder, f->folder) != 0) return;
    if (!f->manifest && !p->path) p->path = strdup(f->path);
    if (f->manifest && !f->refused && vn__trusted(f->path, why, sizeof why)) read_manifest(p, f->path);
    else if (f->manifest && !f->refused) vn__log("%s: its manifest is not read: %s", p->name, why);
}

void vn__plugins_search(vn__plugins *l)
{
    vn__plugins_find(l->kind, l->variable, take_file, l, l->notes, sizeof l->notes);
    take_known(l);
}

void vn__plugins_forget(vn__plugins *l)
{
    int kept = 0;
    for (int k = 0; k < l->n; k++) {
        vn__plugin *p = l->all[k];
        if (p->library) {
            l->all[kept++] = p;
            continue;
        }
        free(p->path), free(p->folder), free(p->refused), free(p->about), free(p->how), free(p->oldest), free(p->tested);
        free(p->launcher), free(p->needs), free(p->begins), free(p->ends), free(p);
    }
    l->n = kept;
}

/* ---- loading ---- */

int vn__plugin_needs(const vn__plugin *p, const char *who, int code, int flags)
{
    char why[800];
    if (!p->needs || vn__library_open(p->needs, flags, why, sizeof why)) return VN_OK;
    const char *how = vn__linked_statically() ? NULL : p->how; /* nothing that is installed helps such a program */
    return vn__fail((vn_code)code, how ? "%s: %s: %s (install it with: %s)" : "%s: %s: %s", who, p->name, why, how);
}

int vn__plugin_enter(const vn__plugins *l, vn__plugin *p, void **entry)
{
    if (!p->folder) return vn__no_memory(p->name);
    if (!p->path) return vn__fail(VN_E_ENGINE, "%s: its manifest is in %s, but there is no plugin beside it", p->name, p->folder);
    if (p->refused) return vn__fail(VN_E_ENGINE, "%s: the plugin in %s is not loaded: %s", p->name, p->folder, p->refused);
    return vn__plugin_open(p->name, p->path, l->symbol, &p->library, entry);
}

int vn__plugin_wrong_abi(const vn__plugins *l, const vn__plugin *p, uint32_t abi)
{
    return vn__fail(VN_E_ENGINE, "%s: the plugin was built for %.*s ABI %u, this library has %u; build the plugin again", p->name,
                    (int)strlen(l->kind) - 1, l->kind, abi, l->abi);
}
