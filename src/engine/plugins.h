/* engines.h: what the files of src/engine share: plugins (plugins.c) and the engines they bring (load.c). */
#include <vinea/engine.h>
#ifndef VN_ENGINES_H
#define VN_ENGINES_H

/* A plugin that was found, loaded or not. Its entry outlives vn_close once its library is loaded, so it is not the allocator's. */
typedef struct vn__plugin {
    char name[32];
    char *path, *folder;   /* the file, NULL where there is only a manifest; where it is */
    char *refused;         /* why nothing of that folder is loaded, or NULL */
    char *about, *how;     /* from the manifest: what it is, how to get its framework */
    char *oldest, *tested; /* versions of the framework, from the manifest: the oldest possible, the newest tested; or NULL */
    vn_host host;
    void *library;
    const vn_plugin *api; /* once it is loaded */
} vn__plugin;

/* Finds plugins; visits each. Entries that are there already are visited again. */
void vn__plugins_search(void (*visit)(vn__plugin *p));
const char *vn__plugins_notes(void); /* which folders were refused, and why */
/* Loads a plugin and checks what it says of itself. Whoever calls holds a lock of the plugin's. */
int vn__plugin_load(vn__plugin *p);
void vn__plugins_forget(void); /* those that were not loaded */
extern const vn_host vn__host; /* what engines are given */
int vn__threads_read(void);    /* takes VINEA_THREADS for vn_host.threads; VN_E_ARG where it makes no sense */

#endif
