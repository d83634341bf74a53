/* plugin.h: the one loader. Every kind of plugin, and every library a plugin wants, is found (find.c), trusted (trust.c) and opened
 * (library.c) here and nowhere else; SECURITY.md has the rules for users. */
#ifndef VN_PLUGIN_H
#define VN_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <limits.h>

/* ---- trust.c ---- */
/* Whether only root, the user who runs the program and those named by VINEA_TRUST can have put there what stands at an absolute path. If
 * not, `why` names the folder, link or file that spoils it, and what to do. */
int vn__trusted(const char *path, char *why, size_t capacity);
/* The program has more rights than the user who started it (setuid, setgid, capabilities): it reads no environment variables. */
bool vn__privileged(void);

/* ---- library.c ---- */
/* Whether a shared library, and every one it brings along, is trusted and complete. */
int vn__library_fine(const char *path, char *why, size_t capacity);
/* dlopen of such a library; a name without '/' is left to the system's own search. NULL with the reason in `why`. */
void *vn__library_open(const char *path, int flags, char *why, size_t capacity);
/* Opens a plugin, unless *library is one already, and takes the symbol it exports. Sets the error, beginning with `who`. */
int vn__plugin_open(const char *who, const char *path, const char *symbol, void **library, void **entry);

/* ---- find.c ---- */
typedef struct vn__plugin_file {
    const char *name; /* of the plugin: the file's without its ending; not terminated */
    size_t length;
    const char *folder, *path;
    bool manifest;       /* <name>.manifest, else <name>.so */
    const char *refused; /* why nothing of this folder is read; NULL: it is trusted */
} vn__plugin_file;
/* Visits the plugins of a kind: in the folders of the variable, then in <kind> and in vinea/<kind> of the library's own folder. Writes
 * which folders were refused, and why, to `notes`. */
void vn__plugins_find(const char *kind, const char *variable, void (*visit)(const vn__plugin_file *f), char *notes, size_t capacity);

#endif
