/* SPDX-License-Identifier: Apache-2.0 */
/* files_replace.c: saving over existing files: other writers, leftovers of killed runs, links, pipes, devices,
 * permissions, full and read-only disks. */
/* ctest: sanitize-address */
#include "folder.h"
#include "system_calls.h"
#include "base/base.h"
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static int save(const char *path, double value)
{
    VN_SCOPE;
    return vn_save_array(path, vn_full(vn_scalar(value), VN_SHAPE(1000), VN_F32));
}

/* The value of all elements of a file; -1 if they differ or there is no file. */
static double saved(const char *path)
{
    VN_SCOPE;
    vn_array *x = vn_load(path, VN_OPTS(load, .copy = 1)) ? vn_load_array(path) : NULL;
    double low = x ? vn_item(vn_min(x, VN_ALL)) : -1, high = x ? vn_item(vn_max(x, VN_ALL)) : -1;
    vn_clear();
    return low == high ? low : -1;
}

/* The result of a function in a separate process, or 128 plus the signal that killed it. */
static int in_child(int (*fn)(const char *path), const char *path)
{
    pid_t child = fork();
    if (!child) _exit(fn(path));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- left-overs ---- */

/* The first process of a container: process 1 of its own name space. */
static int in_container(int (*fn)(const char *path), const char *path)
{
    pid_t child = fork();
    if (!child) _exit(unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID) ? 77 : in_child(fn, path));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool named; /* files have a name from the beginning */

static int killed_at_save(const char *path, int n)
{
    if (named && without_nameless_files()) return 98;
    for (int i = 1; i < n; i++) {
        if (save(path, i)) return 99;
    }
    return killed_by_rename() ? 98 : save(path, n);
}
static int killed_at_4(const char *path)
{
    return killed_at_save(path, 4);
}
static int killed_at_5(const char *path)
{
    return killed_at_save(path, 5);
}
static int killed_at_7(const char *path)
{
    return killed_at_save(path, 7);
}

static int saves_ten(const char *path)
{
    if (named && without_nameless_files()) return 98;
    for (int i = 1; i <= 10; i++) {
        if (save(path, 100 + i)) return fprintf(stderr, "save %d: %s\n", i, vn_message()), i;
    }
    return 0;
}

/* Runs that are killed while saving, each process 1 of its container, do not block others, and the next run removes their leftovers. */
TEST(containers)
{
    int (*const killed[])(const char *) = {killed_at_4, killed_at_5, killed_at_7};
    for (int k = 0; k < 2; k++) {
        named = k;
        folder_empty();
        const char *path = in_folder("run.ckpt");
        for (int i = 0; i < 3; i++) {
            int how = in_container(killed[i], path);
            if (how == 77) {
                puts("containers: this system makes none for us");
                return;
            }
            CHECK(how == 128 + SIGSYS);
            CHECK(saved(path) >= 1);
        }
        CHECK(folder_count() > 1); /* something was left */
        CHECK(in_container(saves_ten, path) == 0 && saved(path) == 110);
        CHECK(folder_count() == 1);
    }
}

/* ---- two writers ---- */

enum { WRITERS = 12, SAVES = 30 }; /* more than there are temporary names */

static int saves_many(const char *path)
{
    if (named && without_nameless_files()) return 98;
    for (int i = 0; i < SAVES; i++) {
        if (save(path, 1 + getpid() % 1000)) return fprintf(stderr, "%s\n", vn_message()), 1;
    }
    return 0;
}

TEST(several_writers)
{
    for (int k = 0; k < 2; k++) {
        named = k;
        folder_empty();
        const char *path = in_folder("shared");
        pid_t children[WRITERS];
        CHECK(save(path, 0) == VN_OK && !chmod(path, 0641));
        for (int i = 0; i < WRITERS; i++) {
            if (!(children[i] = fork())) _exit(saves_many(path));
        }
        int left = WRITERS, looks = 0;
        while (left) {
            CHECK(saved(path) >= 0); /* whole, whoever wrote it */
            looks++;
            for (int i = 0, status; i < WRITERS; i++) {
                if (children[i] <= 0 || waitpid(children[i], &status, WNOHANG) != children[i]) continue;
                CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
                children[i] = -1;
                left--;
            }
        }
        struct stat st;
        CHECK(saved(path) >= 1 && looks > 1 && !stat(path, &st) && (st.st_mode & 07777) == 0641);
        CHECK(folder_count() == 1);
    }
}

static void *save_in_thread(void *path)
{
    for (int i = 1; i <= SAVES; i++) {
        if (save(path, i)) fprintf(stderr, "%s\n", vn_message()), exit(1);
    }
    vn_close();
    return NULL;
}

TEST(several_threads)
{
    folder_empty();
    pthread_t threads[4];
    static char path[384];
    snprintf(path, sizeof path, "%s", in_folder("shared"));
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, save_in_thread, path));
    for (int i = 0; i < 4; i++) CHECK(!pthread_join(threads[i], NULL));
    CHECK(saved(path) == SAVES && folder_count() == 1);
}

/* ---- links ---- */

static bool is_link(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

TEST(links)
{
    folder_empty();
    CHECK(!mkdir(in_folder("below"), 0755));
    CHECK(!symlink("below/far", in_folder("link")) && !symlink("link", in_folder("link of link")));
    CHECK(save(in_folder("link of link"), 5) == VN_OK);
    CHECK(is_link(in_folder("link")) && is_link(in_folder("link of link")) && !is_link(in_folder("below/far")));
    CHECK(saved(in_folder("below/far")) == 5);
    CHECK(save(in_folder("link"), 6) == VN_OK && saved(in_folder("link of link")) == 6 && is_link(in_folder("link")));
    CHECK(!symlink(in_folder("below/absolute"), in_folder("absolute")));
    CHECK(save(in_folder("absolute"), 7) == VN_OK && saved(in_folder("below/absolute")) == 7 && is_link(in_folder("absolute")));
    CHECK(!symlink("nowhere/x", in_folder("lost")) && !symlink("round", in_folder("trip")) && !symlink("trip", in_folder("round")));
    CHECK_FAILS(save(in_folder("lost"), 1), VN_E_IO, "lost");
    CHECK_FAILS(save(in_folder("round"), 1), VN_E_IO, "symbolic links");
    CHECK_FAILS(save(in_folder("below/"), 1), VN_E_IO, "directory");
    CHECK_FAILS(save(in_folder("new/"), 1), VN_E_IO, "directory");
    CHECK_FAILS(save(in_folder("new/."), 1), VN_E_IO, "directory");
    CHECK_FAILS(save(in_folder("new/.."), 1), VN_E_IO, "directory");
    CHECK(is_link(in_folder("lost")) && is_link(in_folder("round")));
    unlink(in_folder("below/far")), unlink(in_folder("below/absolute")), rmdir(in_folder("below"));
    /* In a world-writable folder, links of other users are not followed. */
    if (geteuid()) {
        puts("links: not root, those of strangers are left out");
        return;
    }
    CHECK(!symlink("victim", in_folder("trap")) && !lchown(in_folder("trap"), 1234, 1234) && !chmod(folder, 01777));
    CHECK_FAILS(save(in_folder("trap"), 1), VN_E_IO, "Permission denied");
    CHECK(!chown(folder, 1234, 0) && save(in_folder("trap"), 3) == VN_OK && saved(in_folder("victim")) == 3); /* but for its owner's */
    CHECK(!chown(folder, 0, 0) && !unlink(in_folder("victim")));
    CHECK(access(in_folder("victim"), F_OK) && !chmod(folder, 0700) && save(in_folder("trap"), 1) == VN_OK &&
          saved(in_folder("victim")) == 1);
}

/* Bytes that need not be on the disk at once. */
TEST(whole)
{
    folder_empty();
    const char *what;
    CHECK(!vn__output_whole(in_folder("text"), "text", 4, false, &what));
    bytes b = read_bytes(in_folder("text"));
    CHECK(b.size == 4 && !memcmp(b.data, "text", 4));
    free(b.data);
    CHECK(vn__output_whole(in_folder("nowhere/text"), "text", 4, false, &what) == ENOENT && !strcmp(what, "cannot open the folder"));
}

/* A file system that cannot flush a folder has the file all the same; one that cannot flush the file is an error. */
static uint32_t flush_error, flushed;
static int unflushed(const char *path)
{
    const struct sock_filter lines[] = {LOAD(nr),
                                        CALL_IS(SYS_fsync, 3),
                                        LOAD(args[0]),
                                        CALL_IS(flushed, 1),
                                        ANSWER(SECCOMP_RET_ERRNO | flush_error),
                                        ANSWER(SECCOMP_RET_ALLOW)};
    if (filter_install(lines, sizeof lines / sizeof *lines)) return 77; /* this system has no filters */
    return save(path, 5);
}

TEST(no_flush)
{
    static const uint32_t errors[] = {EINVAL, ENOTSUP};
    int wrong = 0, none = 0;
    folder_empty();
    for (int k = 0; k < 2; k++) {
        for (flushed = 3, flush_error = errors[k]; flushed < 20; flushed++) {
            const int code = in_child(unflushed, in_folder("file"));
            none += code == 77, wrong += code == VN_E_IO;
            CHECK(code == 77 || code == VN_E_IO || (code == 0 && saved(in_folder("file")) == 5));
        }
    }
    CHECK(none || wrong == 2);
}

/* A device that takes nothing: writing to the next descriptor does nothing. */
static int takes_nothing(const char *path)
{
    const char *what;
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    const struct sock_filter lines[] = {LOAD(nr),       CALL_IS(SYS_write, 3),     LOAD(args[0]),
                                        CALL_IS(fd, 1), ANSWER(SECCOMP_RET_ERRNO), ANSWER(SECCOMP_RET_ALLOW)};
    close(fd);
    if (fd < 0 || filter_install(lines, sizeof lines / sizeof *lines)) return 77;
    const int code = vn__append_line(path, "line\n", 5, &what);
    return open("/dev/null", O_RDONLY) == fd ? code : 78; /* nothing else gets it */
}

TEST(nothing_taken)
{
    const int code = in_child(takes_nothing, in_folder("lines"));
    CHECK(code == EIO || code == 77);
}

/* Lines are written on file systems without locks, too. */
static int lock_error;
static int without_locks(const char *path)
{
    const char *what;
    const struct sock_filter lines[] = {LOAD(nr), CALL_IS(SYS_flock, 1), ANSWER(SECCOMP_RET_ERRNO | (uint32_t)lock_error),
                                        ANSWER(SECCOMP_RET_ALLOW)};
    if (filter_install(lines, sizeof lines / sizeof *lines)) return 77; /* this system has no filters */
    return vn__append_line(path, "line\n", 5, &what);
}

TEST(no_locks)
{
    static const int errors[] = {ENOLCK, ENOTSUP, EINVAL, EIO};
    folder_empty();
    for (int k = 0; k < 4; k++) {
        lock_error = errors[k];
        const int code = in_child(without_locks, in_folder("lines"));
        CHECK(code == (k < 3 ? 0 : EIO) || code == 77);
    }
}

/* What has the name of a temporary file and is none is left alone. */
TEST(other_temporaries)
{
    folder_empty();
    struct stat st;
    CHECK(!mkfifo(in_folder("file.vinea-0.tmp"), 0600) && !symlink("nowhere", in_folder("file.vinea-1.tmp")));
    CHECK(save(in_folder("file"), 2) == VN_OK && saved(in_folder("file")) == 2 && folder_count() == 3);
    CHECK(!stat(in_folder("file.vinea-0.tmp"), &st) && S_ISFIFO(st.st_mode) && is_link(in_folder("file.vinea-1.tmp")));
}

/* As long as names can be, with letters of several bytes where the temporary name cuts them. */
TEST(long_names)
{
    folder_empty();
    char name[260] = "";
    memset(name, 'x', 227);
    for (int i = 227; i < 255; i += 2) memcpy(name + i, "\u00fc", 2);
    for (named = false;; named = true) {
        CHECK(save(in_folder(name), 3) == VN_OK && saved(in_folder(name)) == 3 && folder_count() == 1);
        CHECK(in_child(killed_at_4, in_folder(name)) == 128 + SIGSYS && folder_count() == 2 && saved(in_folder(name)) == 3);
        CHECK(save(in_folder(name), 5) == VN_OK && saved(in_folder(name)) == 5 && folder_count() == 1);
        if (named) break;
    }
    strcat(name, "x");
    CHECK_FAILS(save(in_folder(name), 1), VN_E_IO, "File name too long");
}

/* ---- pipes, sockets, devices ---- */

static int reads_pipe(const char *path)
{
    char part[4096];
    ssize_t n;
    int fd = open(path, O_RDONLY), all = 0;
    usleep(100000); /* so that the writer has to wait */
    while ((n = read(fd, part, sizeof part)) > 0) all += (int)n;
    return all > 4 << 20 ? 0 : 1;
}

static int leaves_pipe(const char *path)
{
    char part[16];
    int fd = open(path, O_RDONLY);
    return read(fd, part, sizeof part) > 0 ? 0 : 1;
}

TEST(pipes)
{
    folder_empty();
    const char *path = in_folder("pipe");
    CHECK(!mkfifo(path, 0600));
    alarm(60);
    CHECK_FAILS(save(path, 1), VN_E_IO, "pipe"); /* immediately: there is no reader */
    sigset_t broken;
    sigemptyset(&broken), sigaddset(&broken, SIGPIPE);
    for (int k = 0; k < 3; k++) {
        if (k > 1) CHECK(!pthread_sigmask(SIG_BLOCK, &broken, NULL) && !raise(SIGPIPE)); /* the program's own signal stays */
        pid_t child = fork();
        if (!child) _exit((k ? leaves_pipe : reads_pipe)(path));
        int code = VN_E_IO;
        for (int tries = 0; tries < 1000 && code; tries++) { /* until the reader is there */
            vn_clear();
            usleep(10000);
            code = vn_save_array(path, vn_zeros(VN_SHAPE(1 << 20), VN_F32));
            if (code && !strstr(vn_message(), "without a reader")) break;
        }
        if (k) CHECK(code == VN_E_IO && strstr(vn_message(), "Broken pipe"));
        else CHECK(!code);
        if (k > 1) CHECK(sigtimedwait(&broken, NULL, &(struct timespec){0, 0}) == SIGPIPE && !pthread_sigmask(SIG_UNBLOCK, &broken, NULL));
        vn_clear();
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && !status);
    }
    alarm(0);
    struct stat st;
    CHECK(!stat(path, &st) && S_ISFIFO(st.st_mode));
    CHECK(save("/dev/null", 1) == VN_OK);
    CHECK_FAILS(save("/dev/full", 1), VN_E_IO, "No space left");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", in_folder("socket"));
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(s >= 0 && !bind(s, (struct sockaddr *)&name, sizeof name));
    CHECK_FAILS(save(in_folder("socket"), 1), VN_E_IO, "socket");
    close(s);
    CHECK_FAILS(vn_load("/dev/zero", NULL), VN_E_IO, "regular");
    CHECK_FAILS(vn_read_csv("/proc/self/stat", VN_F32, NULL), VN_E_IO, "how large");
    CHECK_FAILS(vn_load(path, NULL), VN_E_IO, "regular");
    int nameless = open(folder, O_TMPFILE | O_RDWR, 0600);
    if (nameless >= 0) {
        char magic[64];
        snprintf(magic, sizeof magic, "/proc/self/fd/%d", nameless);
        CHECK_FAILS(save(magic, 1), VN_E_IO, "no name");
        close(nameless);
    }
}

/* ---- permissions ---- */

static int as_nobody(const char *path)
{
    if (!geteuid() && (setgid(65534) || setuid(65534))) return 99;
    return save(path, 2) == VN_E_IO && strstr(vn_message(), "Permission denied") ? 0 : 1;
}

static int saves_as_nobody(const char *path)
{
    return setgroups(0, NULL) || setgid(65534) || setuid(65534) ? 99 : save(path, 4);
}

static int saves_with_group(const char *path)
{
    return setgroups(1, &(gid_t){4321}) || setgid(65534) || setuid(65534) ? 99 : save(path, 6);
}

TEST(permissions)
{
    folder_empty();
    struct stat st;
    const char *path = in_folder("mine");
    mode_t before = umask(027);
    CHECK(save(path, 1) == VN_OK && !stat(path, &st) && (st.st_mode & 07777) == 0640);
    umask(0);
    CHECK(!chmod(path, 0604) && save(path, 2) == VN_OK && !stat(path, &st) && (st.st_mode & 07777) == 0604);
    umask(before);
    /* A file that may not be written to is not replaced either. */
    CHECK(!chmod(path, 0444) && !chmod(folder, 0777) && in_child(as_nobody, path) == 0 && saved(path) == 2 && folder_count() == 1);
    CHECK(!chmod(folder, 0700));
    if (geteuid()) {
        puts("permissions: not root, owners are left out");
        return;
    }
    CHECK(!chown(path, 1234, 4321) && save(path, 3) == VN_OK && !stat(path, &st) && st.st_uid == 1234 && st.st_gid == 4321);
    CHECK((st.st_mode & 07777) == 0444);
    CHECK(!chown(path, 0, 4321) && save(path, 3) == VN_OK && !stat(path, &st) && !st.st_uid && st.st_gid == 4321);
    CHECK(!chown(path, 1234, 4321));
    /* If the group cannot be kept, no one else gets its permissions. */
    CHECK(!chmod(path, 0672) && !chmod(folder, 0777) && in_child(saves_as_nobody, path) == 0 && saved(path) == 4);
    CHECK(!stat(path, &st) && st.st_uid == 65534 && st.st_gid == 65534 && (st.st_mode & 07777) == 0622);
    /* The group stays where the user is in it. */
    CHECK(!chown(path, 1234, 4321) && !chmod(path, 0662) && in_child(saves_with_group, path) == 0 && saved(path) == 6);
    CHECK(!stat(path, &st) && st.st_uid == 65534 && st.st_gid == 4321 && (st.st_mode & 07777) == 0662);
    CHECK(!chmod(folder, 0700));
}

/* ---- disks ---- */

static int on_full_disk(const char *path)
{
    return vn_save_array(path, vn_zeros(VN_SHAPE(1 << 18), VN_F32)) == VN_E_IO && strstr(vn_message(), "No space left on device") &&
                   strstr(vn_message(), path)
               ? 0
               : 1;
}

static bool tell(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return good;
}

/* Private mounts; a user who is not root uses a user namespace. */
static bool own_mounts(void)
{
    char user[64], group[64];
    snprintf(user, sizeof user, "0 %u 1\n", (unsigned)geteuid());
    snprintf(group, sizeof group, "0 %u 1\n", (unsigned)getegid());
    if (!unshare(CLONE_NEWNS)) return true;
    return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && tell("/proc/self/setgroups", "deny") && tell("/proc/self/uid_map", user) &&
           tell("/proc/self/gid_map", group);
}

/* A disk of 256 KiB. */
static int small_disk(const char *path)
{
    char file[512];
    snprintf(file, sizeof file, "%s/kept", path);
    if (!own_mounts() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("small", path, "tmpfs", 0, "size=256k")) return 77;
    for (int k = 0; k < 2; k++) {
        if (k && without_nameless_files()) return 98;
        if (save(file, 1) || on_full_disk(file) || saved(file) != 1 || folder_count() != 1) return 1;
        vn_clear();
        if (save(file, 2) || saved(file) != 2) return 2; /* and later it works again */
    }
    if (mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, "size=256k")) return 3;
    if (save(file, 3) != VN_E_IO || !strstr(vn_message(), "Read-only file system") || !strstr(vn_message(), file)) return 4;
    return saved(file) == 2 && folder_count() == 1 ? 0 : 5;
}

/* A line that does not fit any more leaves those before it as they are. */
static int line_too_long(const char *path)
{
    const char *what;
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    if (vn__append_line(path, "first\n", 6, &what) || vn__append_line(path, "cut", 3, &what)) return 1;
    if (getrlimit(RLIMIT_FSIZE, &before) || setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, before.rlim_max})) return 2;
    const bool refused = vn__append_line(path, "a line too many\n", 16, &what) == EFBIG, fits = !vn__append_line(path, "last\n", 5, &what);
    if (setrlimit(RLIMIT_FSIZE, &before)) return 3; /* the files that a process writes at its end, as counts of branches, stay whole */
    if (!refused || !fits) return 4;
    bytes b = read_bytes(path);
    return b.size == 15 && !memcmp(b.data, "first\ncut\nlast\n", 15) ? 0 : 5;
}

TEST(disks)
{
    folder_empty();
    CHECK(in_child(line_too_long, in_folder("lines")) == 0);
    folder_empty();
    int how = in_child(small_disk, folder);
    if (how == 77) puts("disks: this system mounts none for us");
    else CHECK(how == 0);
}

FOLDER_TEST_MAIN
