/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.c: the plugins that provide engines, which the loader (src/plugin) finds and opens. */
#include "engine/plugins.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

vn__plugins vn__engine_plugins = {.kind = "engines", .variable = "VINEA_ENGINE_PATH", .symbol = "vinea_engine_main", .abi = VN_ENGINE_ABI};

/* "torch" and "torch:cuda" are names of engines of the plugin "torch". */
static bool name_fits(const vn__plugin *p, const char *name)
{
    size_t n = strlen(p->name);
    return name && !strncmp(name, p->name, n) && (!name[n] || name[n] == ':');
}

static int check_api(const vn__plugin *p, const vn_plugin *api)
{
    if (api->abi != VN_ENGINE_ABI) return vn__plugin_wrong_abi(&vn__engine_plugins, p, api->abi);
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
    int code = vn__plugin_enter(&vn__engine_plugins, p, &symbol);
    if (code) return code;
    vn_engine_main_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    const vn_plugin *api = entry(&p->host);
    if (!api) return vn__fail(VN_E_ENGINE, "%s: the plugin refused this version of the library", p->name);
    code = check_api(p, api);
    if (!code) p->api = api;
    return code;
}
