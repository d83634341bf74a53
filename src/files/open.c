/* SPDX-License-Identifier: Apache-2.0 */
/* open.c: the bytes of a file, mapped or read into memory, reference-counted. */
#include "files/files.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

int vn__file_bad(const vn__file *f, uint64_t at, const char *format, ...)
{
    char text[512];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    return vn__fail(VN_E_FORMAT, "%s: %.300s: byte %llu: %s", f->who, f->path, (unsigned long long)at, text);
}

int vn__io_failed(const char *who, const char *path, const char *what, int error)
{
    char text[128];
    return vn__fail(VN_E_IO, "%s: %.300s: %s: %s", who, path, what, vn__error_text(error, text, sizeof text));
}

void vn__file_release(void *file)
{
    vn__file *f = file;
    if (!f || atomic_fetch_sub(&f->refs, 1) != 1) return;
    if (f->mapped) vn__unmap(f->data, f->size);
    else vn__block_free((void *)(uintptr_t)f->data);
    vn__free(f);
}

/* Reads all bytes into memory. A file that shrinks meanwhile is an error. */
static int read_all(vn__file *f, int fd)
{
    unsigned char *to = vn__block_alloc(f->size ? f->size : 1);
    if (!to) return vn__fail(VN_E_MEM, "%s: %.300s: no memory for %zu bytes", f->who, f->path, f->size);
    f->data = to;
    for (size_t done = 0; done < f->size;) {
        ssize_t n;
        VN__CALL(n, read(fd, to + done, f->size - done));
        if (n < 0) return vn__io_failed(f->who, f->path, "cannot read", errno);
        if (!n) return vn__fail(VN_E_IO, "%s: %.300s: the file became shorter while it was read", f->who, f->path);
        done += (size_t)n;
    }
    return VN_OK;
}

static int fill(vn__file *f, int fd, bool copy, uint64_t most)
{
    struct stat st;
    int failed;
    VN__CALL(failed, fstat(fd, &st));
    if (failed) return vn__io_failed(f->who, f->path, "cannot access the file", errno);
    if (!S_ISREG(st.st_mode)) return vn__fail(VN_E_IO, "%s: %.300s: not a regular file", f->who, f->path);
    if (most && (uint64_t)st.st_size > most)
        return vn__fail(VN_E_FORMAT, "%s: %.300s: the file has %lld bytes; at most %llu are read", f->who, f->path, (long long)st.st_size,
                        (unsigned long long)most);
    f->size = (size_t)st.st_size;
    ssize_t more = 0;
    if (!f->size) VN__CALL(more, read(fd, &(char){0}, 1)); /* files in /proc report size 0 */
    if (more < 0) return vn__io_failed(f->who, f->path, "cannot read", errno);
    if (more) return vn__fail(VN_E_IO, "%s: %.300s: the file does not say how large it is", f->who, f->path);
    if (copy || !f->size) return read_all(f, fd);
    const void *m = vn__map(fd, f->size);
    if (!m) return vn__io_failed(f->who, f->path, "cannot map the file", errno);
    f->data = m;
    f->mapped = true;
    return VN_OK;
}

vn__file *vn__file_open(const char *path, bool copy, uint64_t most, const char *who)
{
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", who), NULL;
    size_t n = strlen(path) + 1;
    vn__file *f = vn__calloc(sizeof *f + n);
    if (!f) return vn__no_memory(who), NULL;
    memcpy(f->path, path, n);
    f->who = who;
    atomic_store(&f->refs, 1);
    int fd;
    VN__CALL(fd, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)); /* must not block on a pipe without a writer */
    int code = fd < 0 ? vn__io_failed(who, path, "cannot open", errno) : fill(f, fd, copy, most);
    if (fd >= 0) close(fd);
    if (!code) return f;
    vn__file_release(f);
    return NULL;
}
