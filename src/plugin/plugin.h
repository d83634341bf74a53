/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.h: the only place that loads code. Every plugin, engine, group or decoder, and every library a plugin needs, is found (find.c, list.c),
 * checked (os/trust.c, os/elf.c) and opened (library.c) here; SECURITY.md documents the rules. */
#ifndef VN_PLUGIN_H
#define VN_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <limits.h>
#include "os/os.h"
#include <vinea/engine.h>

/* ---- library.c ---- */
/* dlopen of such a library; a name without '/' is left to the system's search. NULL with the reason in `why`. */
void *vn__library_open(const char *path, int flags, char *why, size_t capacity);
/* Opens a plugin, unless *library is already open, and looks up its exported symbol. Sets the error, prefixed with `who`. */
int vn__plugin_open(const char *who, const char *path, const char *symbol, void **library, void **entry);

/* ---- find.c ---- */
typedef struct vn__plugin_file {
    const char *name; /* the plugin's name: the file name without its extension; not terminated */
    size_t length;
    const char *folder, *path;
    bool manifest;       /* <name>.manifest, else <name>.so */
    const char *refused; /* why this folder is refused; NULL: it is trusted */
} vn__plugin_file;
/* Visits the plugins of a kind: in the folders of the variable, then in <kind> and in vinea/<kind> of the library's own folder. Writes
 * refused folders and the reasons to `notes`. */
typedef void (*vn__plugin_visit)(const vn__plugin_file *f, void *to);
void vn__plugins_find(const char *kind, const char *variable, vn__plugin_visit visit, void *to, char *notes, size_t capacity);

/* ---- list.c ---- */
/* A plugin that was found, loaded or not. Its entry outlives vn_close once its library is loaded, so it does not come from the user's
 * allocator. */
typedef struct vn__plugin {
    char name[32];
    char *path, *folder;   /* the file, NULL if there is only a manifest; its folder, NULL if that is one of vn__plugins.known */
    char *refused;         /* why nothing of that folder is loaded, or NULL */
    char *about, *how;     /* from the manifest: description, how to install what it needs */
    char *oldest, *tested; /* from the manifest: the oldest supported and the newest tested version of that; or NULL */
    char *launcher;        /* from the manifest of a group: variables that its launcher sets; or NULL */
    char *needs;           /* from the manifest of a group or decoder: the library it is linked with; or NULL */
    char *begins,
        *ends; /* from the manifest of a decoder: the first bytes of its files, in hexadecimal, and ends of their names; or NULL */
    vn_host host;
    void *library;
    const vn_plugin *api;                  /* an engine plugin's, once it is loaded; */
    const struct vn_group_plugin *carrier; /* a group plugin's, */
    const struct vn_decoder *decoder;      /* or a decoder's */
} vn__plugin;

/* All plugins of a kind: files <name>.so with a <name>.manifest. */
enum { VN__MAX_PLUGINS = 64 };
typedef struct vn__plugins {
    const char *kind, *variable, *symbol; /* the folder's name, the variable with other folders, and what each plugin exports */
    uint32_t abi;
    const char *known; /* the manifests of plugins that belong to the library, built and installed or not; NULL: none */
    vn__plugin *all[VN__MAX_PLUGINS];
    int n;
    char notes[1024]; /* which folders were refused, and why */
} vn__plugins;
void vn__plugins_search(vn__plugins *l); /* adds those that are not in the list */
void vn__plugins_forget(vn__plugins *l); /* those that were not loaded */
/* Opens the library that the plugin is linked with, if its manifest names one, so that a missing one is an error of this code that says
 * what to install. It stays loaded. */
int vn__plugin_needs(const vn__plugin *p, const char *who, int code, int flags);
/* Opens the plugin's library and looks up the symbol of its kind; sets the error, which names the plugin. */
int vn__plugin_enter(const vn__plugins *l, vn__plugin *p, void **entry);
int vn__plugin_wrong_abi(const vn__plugins *l, const vn__plugin *p, uint32_t abi); /* sets the error */
extern const vn_host vn__host; /* what the library provides for plugins; its abi is that of engines */
int vn__threads_read(void);    /* reads VINEA_THREADS for vn_host.threads; VN_E_ARG if it is invalid */

#endif
