/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.h: what plugins with one engine share: the exported function, and counting references to buffers. */
#ifndef VN_PLUGIN_H
#define VN_PLUGIN_H

#include <vinea/engine.h>

/* `host`: a const vn_host * that is set. */
#define VN_PLUGIN(engine, host)                                                                                                   \
    static const vn_engine *const plugin_engines[] = {&(engine)};                                                                 \
    static const vn_plugin plugin = {.abi = VN_ENGINE_ABI, .size = sizeof(vn_plugin), .n_engines = 1, .engines = plugin_engines}; \
    __attribute__((visibility("default"))) const vn_plugin *vinea_engine_main(const vn_host *given)                               \
    {                                                                                                                             \
        if (given->abi < VN_ENGINE_ABI || given->size < sizeof *given) {                                                          \
            given->error(VN_E_ENGINE, "%s: this plugin needs a newer Vinea, with engine ABI %d", (engine).name, VN_ENGINE_ABI);   \
            return NULL;                                                                                                          \
        }                                                                                                                         \
        (host) = given;                                                                                                           \
        return &plugin;                                                                                                           \
    }

/* vn_engine's functions `retain` and `release`, of a plugin whose own need no context. */
#define VN_BUFFER_COUNTS(own_retain, own_release)         \
    static void retain(vn_context *context, vn_buf *buf)  \
    {                                                     \
        (void)context, own_retain(buf);                   \
    }                                                     \
    static void release(vn_context *context, vn_buf *buf) \
    {                                                     \
        (void)context, own_release(buf);                  \
    }

#endif
