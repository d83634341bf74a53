/* SPDX-License-Identifier: Apache-2.0 */
/* find.c: the search path for plugins. The folder of this library is determined once, when it is loaded: later the program may have
 * changed its working directory, and argv[0] is whatever the caller passed. */
#include "plugin/plugin.h"
#include <stdio.h>
#include <string.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

static char own_folder[PATH_MAX]; /* absolute, without links; "" if unknown */

__attribute__((constructor)) static void when_loaded(void)
{
    if (vn__own_file(own_folder, sizeof own_folder)) *strrchr(own_folder, '/') = 0;
}

typedef struct search {
    vn__plugin_visit visit;
    void *to;
    bool own; /* in the library's own folder; may not exist */
    char *notes;
    size_t size, capacity;
} search;

static void note(search *s, const char *folder, const char *why)
{
    int n = snprintf(s->notes + s->size, s->capacity - s->size, "; not looked into: %s (%s)", folder, why);
    if (n > 0) s->size = s->size + (size_t)n < s->capacity ? s->size + (size_t)n : s->capacity - 1;
}

/* A folder's plugins and manifests, by name. From an untrusted folder only the names are used, to report that they were refused. */
static void look_in(search *s, const char *folder)
{
    char why[800], path[PATH_MAX];
    struct dirent **names;
    const bool fine = vn__trusted(folder, why, sizeof why);
    const int n = folder[0] == '/' ? scandir(folder, &names, NULL, alphasort) : -1;
    if (!fine && (n >= 0 || !s->own)) note(s, folder, why);
    else if (n < 0 && errno != ENOENT && errno != ENOTDIR && folder[0] == '/') note(s, folder, strerror(errno));
    for (int k = 0; k < n; k++) {
        const char *file = names[k]->d_name, *dot = strrchr(file, '.');
        const bool plugin = dot && !strcmp(dot, ".so"), manifest = dot && !strcmp(dot, ".manifest");
        const int length = snprintf(path, sizeof path, "%s/%s", folder, file);
        if ((plugin || manifest) && dot > file && length > 0 && (size_t)length < sizeof path)
            s->visit(&(vn__plugin_file){file, (size_t)(dot - file), folder, path, manifest, fine ? NULL : why}, s->to);
        free(names[k]);
    }
    if (n >= 0) free(names);
}

/* ---- the folders, in order ---- */

static void look_in_listed(search *s, const char *folders)
{
    char folder[PATH_MAX];
    while (folders && *folders) {
        const size_t n = strcspn(folders, ":");
        if (n && n < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)n, folders);
            look_in(s, folder);
        }
        folders += n + (folders[n] == ':');
    }
}

void vn__plugins_find(const char *kind, const char *variable, vn__plugin_visit visit, void *to, char *notes, size_t capacity)
{
    search s = {visit, to, false, notes, 0, capacity};
    notes[0] = 0;
    if (vn__privileged() && getenv(variable)) note(&s, variable, "a program with raised privileges reads no environment variables");
    look_in_listed(&s, vn__environment(variable));
    if (!own_folder[0]) return;
    s.own = true;
    char folder[PATH_MAX + 64];
    snprintf(folder, sizeof folder, "%s/%s", own_folder, kind);
    look_in(&s, folder);
    snprintf(folder, sizeof folder, "%s/vinea/%s", own_folder, kind);
    look_in(&s, folder);
}
