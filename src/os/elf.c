/* SPDX-License-Identifier: Apache-2.0 */
/* elf.c: whether a shared library can be opened safely. The system's loader maps a file and reads through the mapping, so a truncated file (an interrupted
 * download or installation) would kill the process: the program headers are compared with the file size first. Dependencies found through a
 * library's own search path ($ORIGIN, where frameworks keep their other libraries) are checked the same way. */
#include "os/os.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LIBRARIES = 128, MAX_HEADERS = 256, MAX_ENTRIES = 512 };

/* The files to check: the requested one, then its dependencies, each once. */
typedef struct look {
    char *paths[MAX_LIBRARIES];
    int n;
    char *why;
    size_t capacity;
} look;

/* The part of a file that has been read. */
typedef struct object {
    const char *path;
    int fd;
    uint64_t size;
    int n_headers, n_entries;
    ElfW(Phdr) headers[MAX_HEADERS];
    ElfW(Dyn) entries[MAX_ENTRIES]; /* of the dynamic section */
} object;

__attribute__((format(printf, 2, 3))) static bool no(look *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->why, l->capacity, format, args);
    va_end(args);
    return false;
}

/* ---- the file ---- */

/* Reads up to n bytes. */
static size_t read_at(const object *o, void *to, size_t n, uint64_t offset)
{
    size_t done = 0;
    while (done < n && offset + done <= INT64_MAX) {
        ssize_t part;
        VN__CALL(part, pread(o->fd, (char *)to + done, n - done, (off_t)(offset + done)));
        if (part <= 0) break;
        done += (size_t)part;
    }
    return done;
}

static bool inside(const object *o, uint64_t offset, uint64_t bytes)
{
    return offset <= o->size && bytes <= o->size - offset;
}

static bool cut(look *l, const object *o)
{
    return no(l, "%s is truncated: its headers need more than its %llu bytes; reinstall it", o->path, (unsigned long long)o->size);
}

/* Reads the program headers. A file that is not a library is left to dlopen, which reports it (there are no headers then). */
static bool read_headers(look *l, object *o)
{
    ElfW(Ehdr) e;
    if (read_at(o, &e, sizeof e, 0) < sizeof e || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0) return true;
    if (e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || e.e_phentsize != sizeof *o->headers) return true;
    if (e.e_phnum > MAX_HEADERS) return no(l, "%s has %d program headers, more than any library needs", o->path, e.e_phnum);
    const size_t bytes = e.e_phnum * sizeof *o->headers;
    if (!inside(o, e.e_phoff, bytes) || read_at(o, o->headers, bytes, e.e_phoff) < bytes) return cut(l, o);
    o->n_headers = e.e_phnum;
    for (int k = 0; k < o->n_headers; k++) {
        const ElfW(Phdr) *h = &o->headers[k];
        if ((h->p_type == PT_LOAD || h->p_type == PT_DYNAMIC) && !inside(o, h->p_offset, h->p_filesz)) return cut(l, o);
    }
    return true;
}

static void read_entries(object *o)
{
    for (int k = 0; k < o->n_headers; k++) {
        const ElfW(Phdr) *h = &o->headers[k];
        if (h->p_type != PT_DYNAMIC) continue;
        size_t bytes = h->p_filesz < sizeof o->entries ? (size_t)h->p_filesz : sizeof o->entries;
        o->n_entries = (int)(read_at(o, o->entries, bytes, h->p_offset) / sizeof *o->entries);
    }
    for (int k = 0; k < o->n_entries; k++)
        if (o->entries[k].d_tag == DT_NULL) o->n_entries = k;
}

/* The string that an entry of the dynamic section refers to, if valid. */
static bool text_of(const object *o, const ElfW(Dyn) * entry, char to[static PATH_MAX])
{
    uint64_t table = 0;
    for (int k = 0; k < o->n_entries; k++)
        if (o->entries[k].d_tag == DT_STRTAB) table = o->entries[k].d_un.d_ptr;
    for (int k = 0; k < o->n_headers; k++) {
        const ElfW(Phdr) *h = &o->headers[k];
        if (h->p_type != PT_LOAD || table < h->p_vaddr || table - h->p_vaddr >= h->p_filesz) continue;
        size_t n = read_at(o, to, PATH_MAX, table - h->p_vaddr + h->p_offset + entry->d_un.d_val);
        return n && memchr(to, 0, n);
    }
    return false;
}

/* ---- dependencies ---- */

/* A folder of a search path, n bytes long, with $ORIGIN expanded. */
static bool folder_of(const object *o, const char *part, size_t n, char to[static PATH_MAX])
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
    const char *slash = strrchr(o->path, '/');
    int length = -1;
    for (int k = 0; k < 2 && length < 0; k++) {
        size_t m = strlen(origins[k]);
        if (n < m || memcmp(part, origins[k], m) != 0) continue;
        length = snprintf(to, PATH_MAX, "%.*s%.*s", (int)(slash - o->path), o->path, (int)(n - m), part + m);
    }
    if (length < 0) length = snprintf(to, PATH_MAX, "%.*s", (int)n, part);
    return length > 0 && length < PATH_MAX && to[0] == '/' && !strchr(to, '$');
}

static bool add(look *l, const char *path)
{
    for (int k = 0; k < l->n; k++)
        if (!strcmp(l->paths[k], path)) return true;
    if (l->n == MAX_LIBRARIES) return no(l, "%s: it has more than %d dependencies", l->paths[0], MAX_LIBRARIES);
    if (!(l->paths[l->n] = strdup(path))) return no(l, "out of memory");
    l->n++;
    return true;
}

/* Finds a library in the folders of a search path; others are left to the system's search. */
static bool look_for(look *l, const object *o, const char *folders, const char *name)
{
    char path[PATH_MAX];
    for (const char *part = folders; *part;) {
        const size_t n = strcspn(part, ":");
        if (folder_of(o, part, n, path)) {
            const size_t length = strlen(path);
            int m = snprintf(path + length, sizeof path - length, "/%s", name);
            if (m > 0 && (size_t)m < sizeof path - length && !access(path, F_OK)) return add(l, path);
        }
        part += n + (part[n] == ':');
    }
    return true;
}

static bool add_needed(look *l, const object *o)
{
    char folders[PATH_MAX] = "", name[PATH_MAX];
    for (int k = 0; k < o->n_entries; k++) {
        const bool newer = o->entries[k].d_tag == DT_RUNPATH; /* then DT_RPATH is ignored */
        if ((newer || (o->entries[k].d_tag == DT_RPATH && !folders[0])) && !text_of(o, &o->entries[k], folders)) folders[0] = 0;
    }
    for (int k = 0; k < o->n_entries; k++) {
        if (o->entries[k].d_tag != DT_NEEDED || !text_of(o, &o->entries[k], name) || strchr(name, '/')) continue;
        if (!look_for(l, o, folders, name)) return false;
    }
    return true;
}

/* ---- checking one file ---- */

static bool look_at(look *l, const char *path)
{
    if (!vn__trusted(path, l->why, l->capacity)) return false;
    struct stat s;
    object *o = calloc(1, sizeof *o);
    if (!o) return no(l, "out of memory");
    o->path = path;
    o->fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = o->fd >= 0 && !fstat(o->fd, &s);
    if (fine) {
        o->size = (uint64_t)s.st_size;
        fine = read_headers(l, o);
        if (fine) read_entries(o);
        fine = fine && add_needed(l, o);
    } else {
        no(l, "%s: %s", path, strerror(errno));
    }
    if (o->fd >= 0) close(o->fd);
    free(o);
    return fine;
}

int vn__library_fine(const char *path, char *why, size_t capacity)
{
    look l = {.why = why, .capacity = capacity};
    bool fine = add(&l, path);
    for (int k = 0; k < l.n && fine; k++) fine = look_at(&l, l.paths[k]);
    for (int k = 0; k < l.n; k++) free(l.paths[k]);
    return fine;
}
