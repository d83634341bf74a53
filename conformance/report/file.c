/* SPDX-License-Identifier: Apache-2.0 */
/* file.c: reads whole files, and replaces them atomically. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads to the end; a pipe has no known size. */
static char *read_all(int fd, const char *path, size_t most, size_t *size, report_problem *p)
{
    text t = {0};
    char part[65536];
    ssize_t n = 1;
    while (n > 0 && t.size <= most) {
        VN__CALL(n, read(fd, part, sizeof part));
        if (n > 0) text_put(&t, part, (size_t)n);
    }
    if (n < 0) report_says(p, "%s: cannot read: %s", path, strerror(errno));
    else if (t.size > most) report_says(p, "%s: the file is larger than %zu MiB", path, most >> 20);
    else if (!t.size && !t.failed) report_says(p, "%s: the file is empty", path);
    else if (t.failed) report_says(p, "%s: out of memory", path);
    else return *size = t.size, t.data;
    text_free(&t);
    return NULL;
}

char *file_read(const char *path, size_t most, size_t *size, report_problem *p)
{
    int fd;
    VN__CALL(fd, open(path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) {
        report_says(p, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *data = read_all(fd, path, most, size, p);
    close(fd);
    return data;
}

/* 0: it is a folder. */
static int no_folder(const char *path)
{
    struct stat st;
    int failed;
    VN__CALL(failed, stat(path, &st));
    return failed ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
}

int folder_make(const char *path, report_problem *p)
{
    char part[PATH_MAX];
    if (!*path || snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) return report_says(p, "'%.100s': not a folder name", path);
    for (char *slash = part;;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = 0;
        int failed, why;
        VN__CALL(failed, mkdir(part, 0777));
        int error = failed ? errno : 0;
        if (error && (why = no_folder(part)))
            return report_says(p, "%s: cannot create the folder: %s", part, strerror(error == EEXIST ? why : error));
        if (!slash) return 0;
        *slash = '/';
    }
}

/* An unchanged file is not rewritten: most badges stay the same from run to run. */
static bool is_same(const char *path, const text *t)
{
    report_problem ignored;
    size_t size = 0;
    struct stat st;
    if (stat(path, &st) || (size_t)st.st_size != t->size || !t->size) return false;
    char *old = file_read(path, t->size, &size, &ignored);
    bool same = old && size == t->size && !memcmp(old, t->data, size);
    free(old);
    return same;
}

int file_write(const char *folder, const char *name, text *t, report_problem *p)
{
    char path[PATH_MAX];
    const char *what = "cannot write";
    int n = snprintf(path, sizeof path, "%s/%s", folder, name), error = t->failed ? ENOMEM : n >= (int)sizeof path ? ENAMETOOLONG : 0;
    if (!error && !is_same(path, t)) error = vn__output_whole(path, t->data, t->size, false, &what);
    text_free(t);
    return error ? report_says(p, "%.400s/%.200s: %s: %s", folder, name, what, strerror(error)) : 0;
}
