/* SPDX-License-Identifier: Apache-2.0 */
/* decoders.c: the plugins that decode images, which the loader (src/plugin) finds and opens. Their manifests say which files are theirs. */
#include "image/image.h"
#include "base/base.h"
#include "core/state.h"
#include "plugin/plugin.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static vn__plugins plugins = {.kind = "images", .variable = "VINEA_IMAGE_PATH", .symbol = "vinea_decoder_main", .abi = VN_DECODER_ABI};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool searched;

static void search(void)
{
    if (!searched) vn__plugins_search(&plugins);
    searched = true;
}

/* ---- which files are whose ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Does a file begin with these bytes, in hexadecimal? */
static bool begins_with(const unsigned char *file, size_t bytes, const char *hex)
{
    size_t n = 0;
    for (; hex && digit(hex[2 * n]) >= 0; n++)
        if (n == bytes || file[n] != digit(hex[2 * n]) * 16 + digit(hex[2 * n + 1])) return false;
    return n > 0;
}

/* Whether a path ends with one of a list, in small or capital letters. */
static bool ends_with_one(const char *path, const char *list)
{
    const size_t length = strlen(path);
    while (list && *list) {
        const size_t n = strcspn(list, " ");
        if (n && n < length && !strncasecmp(path + length - n, list, n)) return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

bool vn__image_named(const char *path)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    search();
    for (int k = 0; k < plugins.n && !found; k++) found = ends_with_one(path, plugins.all[k]->ends);
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- loading ---- */

static int load(vn__plugin *p)
{
    void *symbol = NULL;
    if (p->decoder) return VN_OK;
    int code = vn__plugin_needs(p, "image", VN_E_UNSUPPORTED, RTLD_NOW | RTLD_LOCAL);
    if (!code) code = vn__plugin_enter(&plugins, p, &symbol);
    if (code) return code;
    vn_decoder_main_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    const vn_decoder *api = entry(&p->host);
    if (!api) return vn__fail(VN_E_UNSUPPORTED, "%s: the plugin refused this version of the library", p->name);
    if (api->abi != VN_DECODER_ABI) return vn__plugin_wrong_abi(&plugins, p, api->abi);
    if (api->size < sizeof *api) return vn__fail(VN_E_UNSUPPORTED, "%s: the plugin lacks functions that this library needs", p->name);
    p->decoder = api;
    return VN_OK;
}

/* The loader's error becomes the image's. */
static void load_quietly(vn__plugin *p, vn__image_error *t)
{
    if (p->decoder) return;
    if (vn_error_push()) {
        t->code = vn_status();
        snprintf(t->text, sizeof t->text, "%s", vn_message());
        return;
    }
    if (load(p)) {
        t->code = VN_E_UNSUPPORTED;
        snprintf(t->text, sizeof t->text, "%s", vn_message());
    }
    vn_error_pop();
}

const vn_decoder *vn__decoder_for(const unsigned char *file, size_t bytes, vn__image_error *t)
{
    const vn_decoder *found = NULL;
    char names[200] = "";
    t->code = VN_OK;
    pthread_mutex_lock(&lock);
    search();
    for (int k = 0; k < plugins.n && !t->code && !found; k++) {
        vn__plugin *p = plugins.all[k];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", p->name);
        if (!begins_with(file, bytes, p->begins)) continue;
        load_quietly(p, t);
        found = p->decoder;
    }
    pthread_mutex_unlock(&lock);
    if (found || t->code || vn__decoders_missing(t)) return found;
    t->code = VN_E_FORMAT;
    snprintf(t->text, sizeof t->text, "not an image of a kind that is read (%s)", names);
    return NULL;
}

bool vn__decoders_missing(vn__image_error *t)
{
    pthread_mutex_lock(&lock);
    search();
    bool none = true; /* a manifest that may not be read says nothing */
    for (int k = 0; k < plugins.n; k++) none = none && !plugins.all[k]->begins;
    pthread_mutex_unlock(&lock);
    if (none) t->code = VN_E_UNSUPPORTED;
    if (none)
        snprintf(t->text, sizeof t->text, "no plugin for images was found%.300s; VINEA_IMAGE_PATH names a folder with them", plugins.notes);
    return none;
}

void vn__decoders_close(void)
{
    pthread_mutex_lock(&lock);
    vn__plugins_forget(&plugins);
    searched = false;
    pthread_mutex_unlock(&lock);
}
