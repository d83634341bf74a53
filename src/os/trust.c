/* SPDX-License-Identifier: Apache-2.0 */
/* trust.c: checks who can have written the file at a path.
 *
 * The path is walked from the root down, following links. Each folder, link and file must belong to root, to the user who runs the
 * program or to one listed in VINEA_TRUST, and only those may be able to change it. An entry is checked only after its
 * folder is known to be safe, so no other user can replace anything between the check and its use, and the path can simply be opened.
 *
 * The path may lead through a world-writable folder with the sticky bit (/tmp), where only owners can remove entries, since the
 * next entry must have a trusted owner too. Code directly in such a folder is refused. */
#include "os/os.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

typedef struct walk {
    char at[PATH_MAX];   /* the trusted part so far, without links; "" is the root */
    char rest[PATH_MAX]; /* of the path */
    int links;
    bool open; /* `at` is a folder where others can create entries */
    char *why;
    size_t capacity;
} walk;

__attribute__((format(printf, 2, 3))) static bool no(walk *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->why, w->capacity, format, args);
    va_end(args);
    return false;
}

/* ---- who is trusted ---- */

/* VINEA_TRUST is a list such as "1000,1001,@50": users, and groups after @. 1: the id is listed; -1: the list is malformed. */
static int listed(bool group, unsigned id)
{
    const char *p = vn__environment("VINEA_TRUST");
    int found = 0;
    while (p && *p) {
        bool is_group = *p == '@';
        char *end;
        p += is_group;
        unsigned long n = strtoul(p, &end, 10);
        if (*p < '0' || *p > '9' || n > UINT_MAX || (*end && *end != ',')) return -1;
        if (is_group == group && n == id) found = 1;
        p = end + (*end == ',');
    }
    return found;
}

/* A process that can switch between users has the privileges of all of them, so it trusts only root. */
static bool trusts_user(uid_t owner)
{
    uid_t real, effective, saved;
    if (owner == 0 || listed(false, owner) > 0) return true;
    if (vn__privileged() || getresuid(&real, &effective, &saved)) return false;
    return owner == effective && real == effective && saved == effective;
}

/* A group with its owner's ID is the owner's private group, as on systems with umask 002. */
static bool trusts_group(const struct stat *s)
{
    return s->st_gid == s->st_uid || listed(true, s->st_gid) > 0;
}

/* ---- one entry ---- */

static bool owner_fine(walk *w, const char *path, const struct stat *s)
{
    if (trusts_user(s->st_uid)) return true;
    if (vn__privileged()) return no(w, "%s belongs to user %u; a program with raised privileges loads only root's files", path, s->st_uid);
    return no(w,
              "%s belongs to user %u, neither to root nor to user %u, who runs this program; give it another owner, or set VINEA_TRUST=%u "
              "if that user is trusted",
              path, s->st_uid, geteuid(), s->st_uid);
}

static bool mode_fine(walk *w, const char *path, const struct stat *s)
{
    const unsigned mode = s->st_mode & 07777;
    w->open = false;
    if (!(mode & S_IWOTH) && (!(mode & S_IWGRP) || trusts_group(s))) return true;
    if (S_ISDIR(s->st_mode) && mode & S_ISVTX) return w->open = true;
    if (mode & S_IWOTH) return no(w, "everyone can write to %s (mode %04o); take that right away: chmod o-w", path, mode);
    return no(w, "group %u can write to %s (mode %04o); take that right away (chmod g-w), or set VINEA_TRUST=@%u if that group is trusted",
              s->st_gid, path, mode, s->st_gid);
}

/* ---- the walk ---- */

/* Checks a folder and enters it. */
static bool enter(walk *w, const char *folder)
{
    struct stat s;
    if (lstat(*folder ? folder : "/", &s)) return no(w, "%s: %s", folder, strerror(errno));
    if (folder != w->at) snprintf(w->at, sizeof w->at, "%s", folder);
    return owner_fine(w, *folder ? folder : "/", &s) && mode_fine(w, *folder ? folder : "/", &s);
}

/* Replaces a link with its target, followed by the rest of the path. */
static bool follow(walk *w, const char *link)
{
    char target[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target);
    if (n <= 0) return no(w, "%s: %s", link, strerror(errno));
    size_t rest = strlen(w->rest), length = (size_t)n;
    if (++w->links > MAX_LINKS) return no(w, "%s: %s", link, strerror(ELOOP));
    if (length + 1 + rest >= sizeof w->rest) return no(w, "%s: %s", link, strerror(ENAMETOOLONG));
    memmove(w->rest + length + 1, w->rest, rest + 1);
    memcpy(w->rest, target, length);
    w->rest[length] = '/';
    return target[0] == '/' ? enter(w, "") : true;
}

/* Continues with the entry `next`. */
static bool go_on(walk *w, const char *next)
{
    struct stat s;
    if (lstat(next, &s)) return no(w, "%s: %s", next, strerror(errno));
    if (S_ISDIR(s.st_mode)) return enter(w, next);
    if (!owner_fine(w, next, &s)) return false;
    if (S_ISLNK(s.st_mode)) return follow(w, next);
    if (!S_ISREG(s.st_mode)) return no(w, "%s is not a file", next);
    if (w->rest[strspn(w->rest, "/")]) return no(w, "%s: %s", next, strerror(ENOTDIR));
    return w->open || mode_fine(w, next, &s);
}

/* Removes the next name from the path. */
static bool step(walk *w)
{
    char next[PATH_MAX];
    const char *name = w->rest + strspn(w->rest, "/");
    const int n = (int)strcspn(name, "/"), length = snprintf(next, sizeof next, "%s/%.*s", w->at, n, name);
    memmove(w->rest, name + n, strlen(name + n) + 1);
    if (length >= (int)sizeof next) return no(w, "%.200s...: %s", next, strerror(ENAMETOOLONG));
    if (!strcmp(next + length - n, "..")) {
        char *slash = strrchr(w->at, '/');
        if (slash) *slash = 0;
        return enter(w, w->at);
    }
    return !n || !strcmp(next + length - n, ".") || go_on(w, next);
}

int vn__trusted(const char *path, char *why, size_t capacity)
{
    walk w = {.why = why, .capacity = capacity};
    if (path[0] != '/') return no(&w, "\"%s\" is not an absolute path", path);
    if (strlen(path) >= sizeof w.rest) return no(&w, "%.200s...: %s", path, strerror(ENAMETOOLONG));
    if (listed(false, 0) < 0)
        return no(&w, "VINEA_TRUST=%s is not a list of user IDs and, after @, group IDs", vn__environment("VINEA_TRUST"));
    memcpy(w.rest, path, strlen(path) + 1);
    if (!enter(&w, "")) return false;
    while (w.rest[0]) {
        if (!step(&w)) return false;
    }
    return !w.open || no(&w, "everyone can put files into %s; code is not taken from there", w.at[0] ? w.at : "/");
}
