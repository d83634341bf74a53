/* file.c: whole files read, and written so that a reader finds the old one or the new one. */
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Everything up to the end; a pipe has no size to ask for. */
static char *read_all(FILE *f, const char *path, size_t most, size_t *size, report_problem *p)
{
    text t = {0};
    char part[65536];
    size_t n;
    while (t.size <= most && (n = fread(part, 1, sizeof part, f)) > 0) text_put(&t, part, n);
    if (ferror(f)) report_says(p, "%s: cannot read: %s", path, strerror(errno));
    else if (t.size > most) report_says(p, "%s: the file is larger than %zu MiB", path, most >> 20);
    else if (!t.size && !t.failed) report_says(p, "%s: the file is empty", path);
    else if (t.failed) report_says(p, "%s: out of memory", path);
    else return *size = t.size, t.data;
    text_free(&t);
    return NULL;
}

char *file_read(const char *path, size_t most, size_t *size, report_problem *p)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        report_says(p, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *data = read_all(f, path, most, size, p);
    fclose(f);
    return data;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int folder_make(const char *path, report_problem *p)
{
    char part[PATH_MAX];
    if (!*path || snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return report_says(p, "'%.100s': this is no folder's name", path);
    for (char *slash = part;;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = 0;
        if (mkdir(part, 0777) && !(errno == EEXIST && is_folder(part))) {
            int error = errno;
            if (!is_folder(part)) return report_says(p, "%s: cannot make the folder: %s", part, strerror(error));
        }
        if (!slash) return 0;
        *slash = '/';
    }
}

/* What is there already need not be written again: most badges stay the same from run to run. */
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
