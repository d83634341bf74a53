/* SPDX-License-Identifier: Apache-2.0 */
/* output.c: atomic file replacement. Bytes go into an unnamed file in the target's folder, which is flushed to disk, given a temporary name
 * and then renamed to the final one, which is atomic; finally the folder is flushed. On file systems without unnamed files, the file has
 * the temporary name from the start. So a killed process leaves either the old file or the new one.
 *
 * Temporary names are NAME.vinea-0.tmp to NAME.vinea-3.tmp, the first free one, or a random one if all are taken. The writer holds a lock
 * (flock) on its file as long as it lives, and only the holder of the lock may remove or rename the file. So a file whose lock can be taken
 * belongs to a dead writer, and the next writer to the same target removes it; process identifiers and clocks are not needed. Where
 * locks may not reach every writer, on network file systems, nothing is removed. */
#include "os/os.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { NAMES = 4, RANDOM_NAMES = 8, MAX_LINKS = 40 };

static int failed(vn__output *o, const char *what, int error)
{
    o->what = what;
    return error;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- bytes ---- */

static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes) {
        ssize_t n;
        VN__CALL(n, write(fd, data, bytes < ((size_t)1 << 30) ? bytes : (size_t)1 << 30));
        if (n <= 0) return n ? errno : EIO;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* If the reader of a pipe goes away, this is an error instead of SIGPIPE. */
static int write_direct(int fd, const char *data, size_t bytes)
{
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    int error = write_all(fd, data, bytes);
    if (error == EPIPE && !sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Opened without waiting for a reader; writing then blocks as usual. */
static int wait_when_full(int fd)
{
    int flags, set = -1;
    VN__CALL(flags, fcntl(fd, F_GETFL));
    if (flags >= 0) VN__CALL(set, fcntl(fd, F_SETFL, flags & ~O_NONBLOCK));
    return set < 0 ? errno : 0;
}

/* ---- what is at the path ---- */

/* A pipe or a device. */
static int open_direct(vn__output *o, const char *path)
{
    struct stat st;
    int code;
    o->direct = true;
    VN__CALL(o->fd, open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (o->fd < 0) return failed(o, errno == ENXIO ? "cannot open: it is a pipe without a reader, or a socket" : "cannot open", errno);
    VN__CALL(code, fstat(o->fd, &st));
    if (code) return failed(o, "cannot access the file", errno);
    if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
        return failed(o, "cannot write: it is not a file, pipe or character device", ENOTSUP);
    code = wait_when_full(o->fd);
    return code ? failed(o, "cannot open", code) : 0;
}

/* In a world-writable folder, links of other users are not followed. */
static bool may_follow(int folder, const struct stat *link)
{
    struct stat st;
    if (link->st_uid == geteuid()) return true;
    if (fstat(folder, &st)) return false;
    return (st.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) || st.st_uid == link->st_uid;
}

/* Examines the name in the folder. If it is a link, its target is stored in `path`. *found: its status, with st_mode 0 if nothing exists.
 */
static int look(vn__output *o, char path[static PATH_MAX], struct stat *found)
{
    int fd, code;
    *found = (struct stat){0};
    VN__CALL(fd, openat(o->folder, o->name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0) return errno == ENOENT ? 0 : failed(o, "cannot access the file", errno);
    VN__CALL(code, fstat(fd, found));
    if (code) {
        code = failed(o, "cannot access the file", errno);
    } else if (S_ISLNK(found->st_mode)) {
        ssize_t n;
        VN__CALL(n, readlinkat(fd, "", path, PATH_MAX - 1));
        if (n < 0 || !may_follow(o->folder, found)) code = failed(o, "cannot follow the link", n < 0 ? errno : EACCES);
        else path[n] = 0;
    }
    close(fd);
    return code;
}

/* Opens the folder of a path that begins at `from` and takes the name in it. */
static int enter_folder(vn__output *o, char *path, int from)
{
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) return failed(o, "cannot write", EISDIR);
    size_t n = strlen(name);
    if (n > NAME_MAX) return failed(o, "cannot create", ENAMETOOLONG); /* GCOV_EXCL_BR_LINE: stat has refused it */
    memcpy(o->name, name, n + 1);
    if (slash) slash[slash == path] = 0;
    VN__CALL(o->folder, openat(from, slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return o->folder < 0 ? failed(o, "cannot open the folder", errno) : 0;
}

/* Finds the folder and name of the final target, following links, so that the links are kept. */
static int find_target(vn__output *o, const char *path, struct stat *found)
{
    char text[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof text) return failed(o, "cannot create", ENAMETOOLONG); /* GCOV_EXCL_BR_LINE: stat has refused it */
    memcpy(text, path, n + 1);
    for (int links = 0; links <= MAX_LINKS; links++) { /* GCOV_EXCL_BR_LINE: stat has refused so many, unless one was added since */
        int from = o->folder, code = enter_folder(o, text, from < 0 ? AT_FDCWD : from);
        if (from >= 0) close(from);
        if (!code) code = look(o, text, found);
        if (code || !S_ISLNK(found->st_mode)) return code;
    }
    return failed(o, "cannot follow the links", ELOOP);
}

/* ---- the temporary file ---- */

/* Local file systems: every process that can open the file sees its lock. */
static bool locks_reach_all(int folder)
{
    static const unsigned long known[] = {0xef53 /* ext4 */,        0x58465342 /* xfs */,   0x9123683e /* btrfs */,
                                          0x01021994 /* tmpfs */,   0x858458f6 /* ramfs */, 0xf2f52010 /* f2fs */,
                                          0x794c7630 /* overlay */, 0x2fc12fc1 /* ZFS */,   0xca451a4e /* bcachefs */};
    struct statfs s;
    int code;
    VN__CALL(code, fstatfs(folder, &s));
    for (size_t i = 0; !code && i < sizeof known / sizeof *known; i++) {
        if ((unsigned long)s.f_type == known[i]) return true;
    }
    return false;
}

/* The k-th temporary name; those from NAMES on are random. */
static int name_temporary(vn__output *o, int k)
{
    enum { LONGEST = NAME_MAX - 27 }; /* the suffix added to the target's name */
    uint64_t number = (uint64_t)k;
    size_t n = strlen(o->name);
    if (n > LONGEST) n = LONGEST;
    while (n > 1 && n < strlen(o->name) && (o->name[n] & 0xc0) == 0x80) n--; /* not inside a UTF-8 character */
    ssize_t got = sizeof number;
    if (k >= NAMES) VN__CALL(got, getrandom(&number, sizeof number, 0));
    if (got < 0) return errno; /* it gives all of so few bytes */
    snprintf(o->temporary, sizeof o->temporary, k < NAMES ? "%.*s.vinea-%llx.tmp" : "%.*s.vinea-%016llx.tmp", (int)n, o->name,
             (unsigned long long)number);
    return 0;
}

/* Takes the lock of an open file and checks that it still has the temporary name. EWOULDBLOCK: another process holds the lock or the name.
 */
static int lock_temporary(const vn__output *o, int fd)
{
    struct stat mine, there;
    int code;
    VN__CALL(code, flock(fd, LOCK_EX | LOCK_NB));
    if (!code) VN__CALL(code, fstat(fd, &mine));
    if (!code) VN__CALL(code, fstatat(o->folder, o->temporary, &there, AT_SYMLINK_NOFOLLOW));
    if (code) return errno == ENOENT ? EWOULDBLOCK : errno;
    return same_file(&mine, &there) && S_ISREG(mine.st_mode) ? 0 : EWOULDBLOCK;
}

/* Removes files left by dead writers to this target. What cannot be removed does no harm. */
static void remove_leftovers(vn__output *o)
{
    for (int k = 0; k < NAMES; k++) {
        name_temporary(o, k);
        int fd = openat(o->folder, o->temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) continue;
        if (!lock_temporary(o, fd)) unlinkat(o->folder, o->temporary, 0);
        close(fd);
    }
    *o->temporary = 0;
}

static void descriptor_path(int fd, char to[static 64])
{
    snprintf(to, 64, "/proc/self/fd/%d", fd);
}

/* Creates an unnamed file that can be linked later; -1 if the file system does not support it. */
static int open_nameless(const vn__output *o, mode_t mode)
{
    char self[64];
    int fd, code;
    VN__CALL(fd, openat(o->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
    if (fd < 0) return -1;
    descriptor_path(fd, self);
    VN__CALL(code, access(self, F_OK));
    if (!code && o->local) VN__CALL(code, flock(fd, LOCK_EX | LOCK_NB));
    if (!code) return fd;
    close(fd);
    return -1;
}

/* Creates the file under a temporary name. EEXIST: the name is taken. */
static int open_named(vn__output *o, mode_t mode)
{
    VN__CALL(o->fd, openat(o->folder, o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (o->fd < 0) return errno;
    int error = o->local ? lock_temporary(o, o->fd) : 0;
    if (!error) return 0;
    close(o->fd);
    o->fd = -1;
    return error == EWOULDBLOCK ? EEXIST : error; /* another process locked it first and removes it */
}

/* Links the unnamed file to a name. */
static int link_nameless(vn__output *o, mode_t unused)
{
    (void)unused;
    char self[64];
    int code;
    descriptor_path(o->fd, self);
    VN__CALL(code, linkat(AT_FDCWD, self, o->folder, o->temporary, AT_SYMLINK_FOLLOW));
    return code ? errno : 0;
}

/* Tries names until one is free. */
static int take_name(vn__output *o, int (*take)(vn__output *o, mode_t mode), mode_t mode)
{
    int error = EEXIST;
    for (int k = 0; k < NAMES + RANDOM_NAMES && error == EEXIST; k++) {
        error = name_temporary(o, k);
        if (!error) error = take(o, mode);
    }
    if (error) *o->temporary = 0; /* not our file */
    return error;
}

/* Owner, group and permissions of the file that is replaced. If the group cannot be kept, the group permissions become those of others. */
static int make_like(vn__output *o, const struct stat *old)
{
    struct stat st;
    int code;
    mode_t mode = old->st_mode & 0777;
    VN__CALL(code, fstat(o->fd, &st));
    if (code) return errno;
    bool other = st.st_uid != old->st_uid || st.st_gid != old->st_gid;
    if (other && fchown(o->fd, old->st_uid, old->st_gid) && fchown(o->fd, (uid_t)-1, old->st_gid)) mode = (mode & 0707) | (mode & 7) << 3;
    VN__CALL(code, fchmod(o->fd, mode));
    return code ? errno : 0;
}

static int open_temporary(vn__output *o, const struct stat *old)
{
    mode_t mode = old ? 0600 : 0666;
    o->local = locks_reach_all(o->folder);
    if (o->local) remove_leftovers(o);
    o->fd = open_nameless(o, mode);
    int error = o->fd < 0 ? take_name(o, open_named, mode) : 0;
    if (error) return failed(o, "cannot create", error);
    error = old ? make_like(o, old) : 0;
    return error ? failed(o, "cannot set the permissions", error) : 0;
}

/* ---- begin, write, end ---- */

int vn__output_begin(vn__output *o, const char *path)
{
    *o = (vn__output){.fd = -1, .folder = -1, .what = ""};
    struct stat st, found;
    int code;
    VN__CALL(code, stat(path, &st));
    if (code && errno != ENOENT) return failed(o, "cannot access the file", errno);
    bool there = !code;
    if (there && S_ISDIR(st.st_mode)) return failed(o, "cannot write", EISDIR);
    if (there && !S_ISREG(st.st_mode)) return open_direct(o, path);
    if ((code = find_target(o, path, &found))) return code;
    if (!found.st_mode && there && !st.st_nlink) return failed(o, "cannot replace a file that has no name", ENOENT); /* /proc/self/fd/3 */
    if (!found.st_mode) return open_temporary(o, NULL);
    if (!S_ISREG(found.st_mode)) return failed(o, "cannot replace", EBUSY); /* GCOV_EXCL_BR_LINE: it was a file when stat looked */
    VN__CALL(code, faccessat(o->folder, o->name, W_OK, AT_EACCESS));
    return code ? failed(o, "cannot write", errno) : open_temporary(o, &found);
}

int vn__output_write(vn__output *o, const void *data, size_t bytes)
{
    int error = (o->direct ? write_direct : write_all)(o->fd, data, bytes);
    return error ? failed(o, "cannot write", error) : 0;
}

/* Gives the complete file its name. */
static int publish(vn__output *o, bool flush)
{
    int code = 0;
    if (flush) VN__CALL(code, fsync(o->fd));
    if (code) return failed(o, "cannot flush to the disk", errno);
    if (!*o->temporary && (code = take_name(o, link_nameless, 0))) return failed(o, "cannot name the file", code);
    VN__CALL(code, renameat(o->folder, o->temporary, o->folder, o->name));
    if (code) return failed(o, "cannot rename the complete file", errno);
    *o->temporary = 0;
    if (flush) VN__CALL(code, fsync(o->folder));
    /* Some file systems cannot flush a folder; nothing more can be done there. */
    return code && errno != EINVAL && errno != ENOTSUP ? failed(o, "cannot flush the folder to the disk", errno) : 0;
}

int vn__output_end(vn__output *o, int error, bool flush)
{
    int code = 0;
    if (!error && !o->direct) error = publish(o, flush);
    if (*o->temporary) VN__CALL(code, unlinkat(o->folder, o->temporary, 0)); /* while it is locked */
    if (o->fd >= 0 && close(o->fd) && errno != EINTR && !error) error = failed(o, "cannot close", errno);
    if (o->folder >= 0) close(o->folder);
    o->fd = o->folder = -1;
    return error;
}

int vn__output_whole(const char *path, const void *data, size_t bytes, bool flush, const char **what)
{
    vn__output o;
    int error = vn__output_begin(&o, path);
    if (!error) error = vn__output_write(&o, data, bytes);
    error = vn__output_end(&o, error, flush);
    *what = o.what;
    return error;
}

/* ---- appending ---- */

/* A partial line left by a crash must not corrupt the new one. */
static bool ends_inside_line(const char *path, off_t size)
{
    char last = '\n';
    int fd = size ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t n = 0;
    if (fd >= 0) VN__CALL(n, pread(fd, &last, 1, size - 1));
    if (fd >= 0) close(fd);
    return n == 1 && last != '\n';
}

/* All of it, or the file keeps its old size. */
static int append_whole(int fd, const char *path, const char *line, size_t bytes)
{
    struct stat st;
    int code, error;
    VN__CALL(code, flock(fd, LOCK_EX)); /* before reading the size: another process may be writing its line */
    if (code && errno != ENOLCK && errno != ENOTSUP && errno != EINVAL) return errno;
    VN__CALL(code, fstat(fd, &st));
    if (code) return errno;
    error = ends_inside_line(path, st.st_size) ? write_all(fd, "\n", 1) : 0;
    if (!error) error = write_all(fd, line, bytes);
    if (error) VN__CALL(code, ftruncate(fd, st.st_size)); /* if this fails, a partial line stays, which readers skip */
    return error;
}

int vn__append_line(const char *path, const char *line, size_t bytes, const char **what)
{
    struct stat st;
    int fd, code = 0;
    *what = "cannot open";
    VN__CALL(fd, open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
    if (fd < 0) return errno;
    VN__CALL(code, fstat(fd, &st));
    int error = code ? errno : 0;
    *what = "cannot write";
    if (!error && S_ISREG(st.st_mode)) error = append_whole(fd, path, line, bytes);
    else if (!error && !(error = wait_when_full(fd))) error = write_direct(fd, line, bytes);
    if (close(fd) && errno != EINTR && !error) *what = "cannot close", error = errno;
    return error;
}
