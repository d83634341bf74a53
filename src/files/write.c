/* write.c: a file that appears only when it is complete. Bytes go into a file without a name in the same folder, are flushed to the disk,
 * get a temporary name and then the final one by a rename, which the system does in one step; at last the folder is flushed. Where files
 * cannot be nameless, they have the temporary name from the beginning. A killed process so leaves the old file or the new one. */
#include "files/files.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const vn__writer *w, const char *what)
{
    return vn__io_failed(w->who, w->path, what, errno);
}

/* A name beside the target that no other process or thread takes. */
static bool name_temporary(vn__writer *w)
{
    static _Atomic uint32_t count;
    return snprintf(w->temporary, PATH_MAX, "%s.%ld-%u.tmp", w->target, (long)getpid(), (unsigned)atomic_fetch_add(&count, 1)) < PATH_MAX;
}

static void descriptor_path(int fd, char to[static 64])
{
    snprintf(to, 64, "/proc/self/fd/%d", fd);
}

/* The folder of the target, for flushing it and for files without a name. */
static int open_folder(const vn__writer *w)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(w->target, '/');
    size_t n = slash ? (size_t)(slash - w->target) + 1 : 0;
    memcpy(folder, n ? w->target : "./", n ? n : 2);
    folder[n ? n : 2] = 0;
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_nameless(const vn__writer *w, mode_t mode)
{
    char self[64];
    int fd = openat(w->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0) return -1;
    descriptor_path(fd, self);
    if (!access(self, F_OK)) return fd;
    close(fd); /* it could not be given a name */
    return -1;
}

static int open_new(vn__writer *w, const struct stat *old)
{
    w->folder = open_folder(w);
    if (w->folder < 0) return failed(w, "cannot open the folder");
    mode_t mode = old ? old->st_mode & 0777 : 0666;
    *w->temporary = 0;
    w->fd = open_nameless(w, mode);
    if (w->fd < 0) {
        if (!name_temporary(w)) return errno = ENAMETOOLONG, failed(w, "cannot create");
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (w->fd < 0) {
            *w->temporary = 0; /* it is not ours */
            return failed(w, "cannot create");
        }
    }
    if (old && fchmod(w->fd, mode)) return failed(w, "cannot set the permissions");
    return VN_OK;
}

int vn__write_begin(vn__writer *w, const char *path, const char *who)
{
    *w = (vn__writer){.fd = -1, .folder = -1, .who = who, .path = path};
    if (!path || !*path) return vn__fail(path ? VN_E_ARG : VN_E_NULL, "%s: the path is %s", who, path ? "empty" : "NULL");
    w->target = vn__calloc(PATH_MAX);
    w->temporary = vn__calloc(PATH_MAX);
    if (!w->target || !w->temporary) return vn__no_memory(who);
    struct stat st;
    bool there = !stat(path, &st);
    if (!there && errno != ENOENT) return failed(w, "cannot look at the file");
    if (there && S_ISDIR(st.st_mode)) return errno = EISDIR, failed(w, "cannot write");
    if (there && !S_ISREG(st.st_mode)) {
        w->straight = true;
        w->fd = open(path, O_WRONLY | O_CLOEXEC);
        return w->fd < 0 ? failed(w, "cannot open") : VN_OK;
    }
    if (there && !realpath(path, w->target)) return failed(w, "cannot resolve the path");
    if (!there && snprintf(w->target, PATH_MAX, "%s", path) >= PATH_MAX) return errno = ENAMETOOLONG, failed(w, "cannot create");
    return open_new(w, there ? &st : NULL);
}

int vn__write(vn__writer *w, const void *data, size_t bytes)
{
    for (const char *p = data; bytes;) {
        ssize_t n = write(w->fd, p, bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failed(w, "cannot write");
        p += n;
        bytes -= (size_t)n;
        w->done += (uint64_t)n;
    }
    return VN_OK;
}

/* Gives the complete file its name. */
static int publish(vn__writer *w)
{
    if (fsync(w->fd)) return failed(w, "cannot flush to the disk");
    if (!*w->temporary) {
        char self[64];
        descriptor_path(w->fd, self);
        if (!name_temporary(w)) return errno = ENAMETOOLONG, failed(w, "cannot name the file");
        if (linkat(AT_FDCWD, self, AT_FDCWD, w->temporary, AT_SYMLINK_FOLLOW)) {
            *w->temporary = 0;
            return failed(w, "cannot name the file");
        }
    }
    if (rename(w->temporary, w->target)) return failed(w, "cannot rename the complete file");
    *w->temporary = 0;
    /* Some file systems cannot flush a folder; there the rename is as safe as it gets. */
    if (fsync(w->folder) && errno != EINVAL && errno != ENOTSUP) return failed(w, "cannot flush the folder to the disk");
    return VN_OK;
}

int vn__write_end(vn__writer *w, int code)
{
    if (!code && !w->straight) code = publish(w);
    if (w->fd >= 0 && close(w->fd) && !code) code = failed(w, "cannot close");
    if (w->folder >= 0) close(w->folder);
    if (w->temporary && *w->temporary) unlink(w->temporary);
    vn__free(w->target);
    vn__free(w->temporary);
    *w = (vn__writer){.fd = -1, .folder = -1};
    return code;
}

int vn__write_whole(const char *path, const void *data, size_t bytes, const char *who)
{
    vn__writer w;
    int code = vn__write_begin(&w, path, who);
    if (!code) code = vn__write(&w, data, bytes);
    return vn__write_end(&w, code);
}
