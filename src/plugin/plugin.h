/* plugin.h: the only place that loads code. Every plugin, and every library a plugin needs, is found (find.c), checked (trust.c) and opened
 * (library.c) here; SECURITY.md documents the rules. */
#ifndef VN_PLUGIN_H
#define VN_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <limits.h>

/* ---- trust.c ---- */
/* Can only root, the user who runs the program and those listed in VINEA_TRUST have written what is at an absolute path? If not, `why`
 * names the offending folder, link or file, and what to do. */
int vn__trusted(const char *path, char *why, size_t capacity);
/* The program has more rights than the user who started it (setuid, setgid, capabilities): it reads no environment variables. */
bool vn__privileged(void);

/* ---- library.c ---- */
/* Are a shared library and all its dependencies trusted and complete? */
int vn__library_fine(const char *path, char *why, size_t capacity);
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
void vn__plugins_find(const char *kind, const char *variable, void (*visit)(const vn__plugin_file *f), char *notes, size_t capacity);

#endif
