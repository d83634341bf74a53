/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.h: shared by the files of src/engine: plugins (plugins.c) and the engines they provide (load.c). */
#ifndef VN_ENGINES_H
#define VN_ENGINES_H

#include "plugin/plugin.h"

extern vn__plugins vn__engine_plugins;
/* Loads a plugin and checks its description. The caller holds the plugin's lock. */
int vn__plugin_load(vn__plugin *p);

#endif
