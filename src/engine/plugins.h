/* plugins.h: shared by the files of src/engine: plugins (plugins.c) and the engines they provide (load.c). */
#include <vinea/engine.h>
#ifndef VN_ENGINES_H
#define VN_ENGINES_H

/* A plugin that was found, loaded or not. Its entry outlives vn_close once its library is loaded, so it does not come from the user's
 * allocator. */
typedef struct vn__plugin {
    char name[32];
    char *path, *folder;   /* the file, NULL if there is only a manifest; its folder */
    char *refused;         /* why nothing of that folder is loaded, or NULL */
    char *about, *how;     /* from the manifest: description, how to install the framework */
    char *oldest, *tested; /* from the manifest: the oldest supported and the newest tested version of the framework; or NULL */
    vn_host host;
    void *library;
    const vn_plugin *api; /* once it is loaded */
} vn__plugin;

/* Finds plugins and visits each, including those found before. */
void vn__plugins_search(void (*visit)(vn__plugin *p));
const char *vn__plugins_notes(void); /* which folders were refused, and why */
/* Loads a plugin and checks its description. The caller holds the plugin's lock. */
int vn__plugin_load(vn__plugin *p);
void vn__plugins_forget(void); /* those that were not loaded */
extern const vn_host vn__host; /* the host functions */
int vn__threads_read(void);    /* reads VINEA_THREADS for vn_host.threads; VN_E_ARG if it is invalid */

#endif
