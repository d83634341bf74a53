/* SPDX-License-Identifier: Apache-2.0 */
/* os.h: what differs between systems and C libraries, in one place: the lowest layer, which needs only the C library. The rest of the library uses
 * plain POSIX (descriptors, pthreads, dlopen, scandir), which this folder does not wrap. docs/portability.md says what each file of it needs on another
 * system. */
#ifndef VN_OS_H
#define VN_OS_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- system calls ---- */
/* Repeats a call that was interrupted by a signal; after too many signals EINTR is an error like any other. */
#define VN__CALL(result, call)                          \
    do {                                                \
        int tries_ = 0;                                 \
        do (result) = (call);                           \
        while (vn__interrupted((result) < 0, &tries_)); \
    } while (0)
static inline bool vn__interrupted(bool failed, int *tries)
{
    return failed && errno == EINTR && (*tries)++ < 100;
}

/* ---- the environment and errors (process.c) ---- */
const char *vn__environment(const char *name); /* a variable; NULL if it is not set, or the program is privileged */
/* The program has more rights than the user who started it (setuid, setgid, capabilities): it reads no environment variables. */
bool vn__privileged(void);
const char *vn__error_text(int error, char *room, size_t capacity); /* strerror for any thread */
/* Calls f; false if that was an instruction which this machine does not have. f must leave nothing behind. */
bool vn__can_run(void (*f)(void));

/* ---- atomic file replacement (output.c) ---- */
/* A file being written. Links are followed and kept; permissions, and owner and group where the system allows it, are those of the file
 * being replaced. A pipe with a reader and a character device are written to directly; sockets, block devices and folders are
 * refused. Functions return 0 or the system's error, and then `what` says what failed. */
typedef struct {
    int fd, folder;
    bool direct;         /* to a pipe or device */
    bool local;          /* file locks are visible to every writer */
    char name[256];      /* in the folder */
    char temporary[256]; /* the temporary name; "" while the file has none */
    const char *what;
} vn__output;
int vn__output_begin(vn__output *o, const char *path);
int vn__output_write(vn__output *o, const void *data, size_t bytes);
/* Must follow begin, whatever that returned. error 0: the complete file replaces the target, flushed to disk if `flush`; otherwise it is
 * discarded. Returns that error, or the first of its own. */
int vn__output_end(vn__output *o, int error, bool flush);
int vn__output_whole(const char *path, const void *data, size_t bytes, bool flush, const char **what); /* writes a file with these bytes */
/* Appends a line, completely or not at all, creating the file if needed; a pipe or device is written to directly. */
int vn__append_line(const char *path, const char *line, size_t bytes, const char **what);

/* ---- memory (memory.c) ---- */
const void *vn__map(int fd, size_t bytes); /* the file's bytes, read-only, as they are now; NULL with errno */
void vn__unmap(const void *data, size_t bytes);
/* Asks for large pages where they lie in the block entirely, so that no memory is wasted. A system without them goes on with small ones. */
void vn__use_large_pages(void *block, size_t bytes);
/* Memory of a file gets its pages now, where writing to it would end the process if its file system has none left: false. */
bool vn__give_pages(void *memory, size_t bytes);
int64_t vn__machine_memory(void); /* bytes; 0: unknown */
/* An empty file that has no name on any disk: its descriptor, or -1 with errno. Writes a path under which this process can open it. */
int vn__memory_file(char *path, size_t capacity);

/* ---- threads (threads.c) ---- */
int vn__processors(void);          /* those this process may use; 0: unknown */
int vn__this_processor(void);      /* of the calling thread; -1: unknown */
void vn__leave_processor(int cpu); /* moves the calling thread to another one, if it may use more than this */
bool vn__in_main_thread(void);
bool vn__thread_stack(char **low, size_t *bytes); /* of the calling thread: its lowest address and its size; false: unknown */
/* pthread_create with all signals blocked in the new thread. stack: its bytes, 0 for the usual. */
int vn__thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *with);
int vn__timed_cond(pthread_cond_t *c); /* a condition for vn__cond_until */
/* Waits until the condition is signalled or vn__clock() has passed `until`; true: it was too late. */
bool vn__cond_until(pthread_cond_t *c, pthread_mutex_t *lock, double until);

/* ---- code in memory (code.c) ---- */
/* A file of code, as the loader has it. */
typedef struct vn__code {
    const char *file;     /* as the loader names it */
    const char *function; /* the exported function at the address, or NULL */
    uintptr_t base;       /* what the loader added to the file's addresses */
    bool program;         /* it is the program itself */
} vn__code;
bool vn__code_at(const void *address, vn__code *c);
/* The file that contains this library, absolute and without links. It is never unloaded again. */
bool vn__own_file(char *path, size_t capacity);
bool vn__linked_statically(void); /* the program asks for no loader: it was linked with -static */
/* Return addresses, innermost first, from this function's caller on; returns their number, 0 where they cannot be found. */
int vn__callers(void **addresses, int most);

/* ---- who wrote a file (trust.c) ---- */
/* Can only root, the user who runs the program and those listed in VINEA_TRUST have written what is at an absolute path? If not, `why`
 * names the offending folder, link or file, and what to do. */
int vn__trusted(const char *path, char *why, size_t capacity);

/* ---- files of code (elf.c) ---- */
/* Are a shared library and all its dependencies trusted and complete? */
int vn__library_fine(const char *path, char *why, size_t capacity);

#endif
