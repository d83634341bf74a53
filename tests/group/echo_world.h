/* SPDX-License-Identifier: Apache-2.0 */
/* echo_world.h: groups of the plugin echo (plugins/echo.h), in which one process meets what can go wrong between several. */
#ifndef VN_ECHO_WORLD_H
#define VN_ECHO_WORLD_H

#include "folder.h"
#include "group/group.h"
#include "plugins/echo.h"
#include <dlfcn.h>

static echo_script *echo;
static vn_group *all;
static int n; /* ranks */

static inline void add_plugin(const char *name, const char *manifest)
{
    folder_plugin(VN_TEST_PLUGINS "/echo.so", name, manifest);
}

/* Begins: the folder with the plugin, which is the only one that is looked into, and its script. */
static inline void echo_load(void)
{
    folder_make();
    add_plugin("echo", "about = test plugin\nlauncher = ECHO_RANKS ECHO_RANK\n");
    setenv("VINEA_GROUP_PATH", folder, 1);
    void *library = dlopen(in_folder("echo.so"), RTLD_NOW), *symbol = library ? dlsym(library, "echo") : NULL;
    memcpy(&echo, &symbol, sizeof symbol);
    if (!symbol) exit(fprintf(stderr, "echo.so: %s\n", dlerror()));
}

/* Ends the world, if there is one, and opens another of so many ranks. Returns its group, which `all` is too. */
static inline vn_group *open_echo(int ranks, double timeout)
{
    char text[16];
    vn_close();
    *echo = (echo_script){.ranks = ranks, .silent = ranks};
    snprintf(text, sizeof text, "%d", ranks);
    setenv("ECHO_RANKS", text, 1);
    n = ranks;
    all = vn_group_open(VN_OPTS(group, .timeout = timeout));
    CHECK(all);
    echo->at = 0;
    return all;
}

#endif
