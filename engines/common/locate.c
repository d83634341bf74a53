/* SPDX-License-Identifier: Apache-2.0 */
/* locate.c: finds the user's Python and its packages by examining files (locate.h has the contract).
 *
 * An environment is an interpreter, its prefix (<prefix>/bin/python3) and its minor version. A prefix with a
 * pyvenv.cfg is a virtual environment; its packages are its own, plus the base's if the file says so. Environments are visited
 * in the order given in the header, and for each the folders its interpreter would import from. An environment whose
 * interpreter, configuration or library folders the library does not trust is skipped, and so is an untrusted package folder; the first
 * reason is reported if nothing else is found. */
#include "locate.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct env {
    char python[PATH_MAX]; /* absolute, with the last component not resolved: a virtual environment's interpreter is a link out of it */
    char prefix[PATH_MAX];
    char base[PATH_MAX]; /* prefix of a virtual environment's base interpreter, otherwise the resolved prefix */
    int minor;           /* 3.<minor> */
    int venv;
    int outside; /* packages outside the prefix are used too */
} env;

/* What to find, where to store it, and why something was skipped. */
typedef struct query {
    const vn_host *host;
    const char *engine;
    const char *relative; /* a file, or a folder if `folder` is set */
    int folder;
    char *path;
    size_t capacity;
    char why[600];
} query;

typedef int (*env_visit)(const env *e, query *q);

/* Writes a path; 0 if it does not fit. */
__attribute__((format(printf, 3, 4))) static int put(char *out, size_t capacity, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out, capacity, format, args);
    va_end(args);
    return n >= 0 && (size_t)n < capacity;
}

static int is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* Records why an environment is not used; the first reason is kept, in case nothing else is found. */
static void pass_over(query *q, const char *why)
{
    q->host->log("%s: not used: %s", q->engine, why);
    if (!q->why[0]) put(q->why, sizeof q->why, "%s", why);
}

static int trusted(query *q, const char *path)
{
    char why[sizeof q->why];
    if (q->host->trusted(path, why, sizeof why)) return 1;
    pass_over(q, why);
    return 0;
}

/* Removes the last component of a path; 0 if nothing is left. */
static int up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !path[1]) return 0;
    slash[slash == path] = 0;
    return 1;
}

/* The minor version in a name such as "python3.11", or -1. */
static int minor_of(const char *name)
{
    if (strncmp(name, "python3.", 8) || !isdigit((unsigned char)name[8])) return -1;
    char *end;
    long minor = strtol(name + 8, &end, 10);
    return *end || minor > 99 ? -1 : (int)minor;
}

/* The newest python3.N in <prefix>/lib, or -1. */
static int scan_minor(const char *prefix)
{
    char path[PATH_MAX];
    int best = -1;
    DIR *d = put(path, sizeof path, "%s/lib", prefix) ? opendir(path) : NULL;
    if (!d) return -1;
    for (struct dirent *f; (f = readdir(d));) {
        int minor = minor_of(f->d_name);
        if (minor > best && put(path, sizeof path, "%s/lib/%s", prefix, f->d_name) && is_folder(path)) best = minor;
    }
    closedir(d);
    return best;
}

/* Reads home, version and the switch for outside packages from pyvenv.cfg. 0 if there is no such file. */
static int read_cfg(env *e)
{
    char path[PATH_MAX], line[PATH_MAX + 64], value[PATH_MAX];
    FILE *f = put(path, sizeof path, "%s/pyvenv.cfg", e->prefix) ? fopen(path, "re") : NULL;
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        char key[64];
        if (sscanf(line, " %63[^= ] = %4095[^\r\n]", key, value) != 2) continue;
        if (!strcasecmp(key, "home") && put(e->base, sizeof e->base, "%s", value)) up(e->base);
        if (!strcasecmp(key, "include-system-site-packages")) e->outside = !strcasecmp(value, "true");
        if ((!strcasecmp(key, "version") || !strcasecmp(key, "version_info")) && !strncmp(value, "3.", 2)) e->minor = atoi(value + 2);
    }
    fclose(f);
    return 1;
}

/* Fills in the environment of an interpreter; 0 if it is not one (a pyenv shim has no library folder next to it). */
static int describe(env *e, const char *python)
{
    char real[PATH_MAX], bin[PATH_MAX], lib[PATH_MAX];
    *e = (env){.minor = -1};
    if (access(python, X_OK) || !is_file(python) || !realpath(python, real)) return 0;
    if (!put(bin, sizeof bin, "%s", python) || !up(bin) || !realpath(bin, e->prefix)) return 0;
    if (!put(e->python, sizeof e->python, "%s%s", e->prefix, strrchr(python, '/')) || !up(e->prefix)) return 0;
    int named = minor_of(strrchr(real, '/') + 1);
    e->venv = read_cfg(e);
    if (!e->venv) {
        if (!up(real) || !up(real) || !put(e->prefix, sizeof e->prefix, "%s", real)) return 0;
        e->outside = 1;
        e->minor = named;
    }
    if (!e->base[0] && !put(e->base, sizeof e->base, "%s", e->prefix)) return 0;
    if (e->minor < 0) e->minor = scan_minor(e->prefix);
    return e->minor >= 0 && put(lib, sizeof lib, "%s/lib/python3.%d", e->prefix, e->minor) && is_folder(lib);
}

/* Interpreter, configuration and standard library. (Packages are checked where they are found.) */
static int env_trusted(const env *e, const char *python, query *q)
{
    char path[PATH_MAX];
    if (!trusted(q, python)) return 0;
    if (e->venv && !(put(path, sizeof path, "%s/pyvenv.cfg", e->prefix) && trusted(q, path))) return 0;
    if (!put(path, sizeof path, "%s/lib/python3.%d", e->prefix, e->minor) || !trusted(q, path)) return 0;
    return !e->venv || !put(path, sizeof path, "%s/lib/python3.%d", e->base, e->minor) || !is_folder(path) || trusted(q, path);
}

/* 1: found, 0: not found, -1: there is no such environment, or it is not trusted. */
static int try_python(const char *python, env_visit visit, query *q)
{
    env e;
    return python[0] == '/' && describe(&e, python) && env_trusted(&e, python, q) ? visit(&e, q) : -1;
}

/* Visits an environment given by its folder. */
static int try_folder(const char *folder, env_visit visit, query *q)
{
    static const char *const names[] = {"python3", "python"};
    char python[PATH_MAX];
    int found = -1;
    for (size_t i = 0; found < 0 && i < sizeof names / sizeof *names; i++)
        if (put(python, sizeof python, "%s/bin/%s", folder, names[i])) found = try_python(python, visit, q);
    return found;
}

/* Visits every interpreter called `name` on PATH, or in the system's folders for a program with raised privileges, which does not read
 * PATH. */
static int try_search(const char *name, env_visit visit, query *q)
{
    char python[PATH_MAX], system[256];
    const char *p = secure_getenv("PATH");
    int found = -1;
    if (!p) p = confstr(_CS_PATH, system, sizeof system) ? system : "";
    while (*p && found < 1) {
        size_t n = strcspn(p, ":");
        int here = n && n < PATH_MAX && put(python, sizeof python, "%.*s/%s", (int)n, p, name) ? try_python(python, visit, q) : -1;
        if (here > found) found = here;
        p += n + (p[n] == ':');
    }
    return found;
}

static int try_above(env_visit visit, query *q)
{
    char here[PATH_MAX], venv[PATH_MAX];
    if (!q->host->folder || !realpath(q->host->folder, here)) return 0;
    do {
        if (put(venv, sizeof venv, "%s/.venv", here) && try_folder(venv, visit, q) > 0) return 1;
    } while (up(here));
    return 0;
}

/* VINEA_PYTHON is exclusive: if it cannot be used or lacks the package, no other environment is tried. */
static int try_chosen(const char *chosen, env_visit visit, query *q)
{
    int found;
    if (!strchr(chosen, '/')) found = try_search(chosen, visit, q);
    else if (is_folder(chosen)) found = try_folder(chosen, visit, q);
    else found = try_python(chosen, visit, q);
    if (found > 0) return 1;
    char why[sizeof q->why];
    snprintf(why, sizeof why, "%s",
             q->why[0]                                 ? q->why
             : strchr(chosen, '/') && chosen[0] != '/' ? "it is not an absolute path"
             : found < 0                               ? "there is no Python"
                                                       : "it has no such package");
    snprintf(q->why, sizeof q->why, "VINEA_PYTHON=%.200s: %.380s", chosen, why);
    return 0;
}

/* Visits the environments in order until a visit returns 1. */
static int each_env(env_visit visit, query *q)
{
    char running[PATH_MAX], why[256];
    const char *chosen = secure_getenv("VINEA_PYTHON"), *active = secure_getenv("VIRTUAL_ENV");
    if (vn_locate_running(running, sizeof running) && try_python(running, visit, q) > 0) return 1;
    if (chosen && *chosen) return try_chosen(chosen, visit, q);
    if (active && *active && active[0] != '/' && put(why, sizeof why, "VIRTUAL_ENV=%.200s is not an absolute path", active))
        pass_over(q, why);
    else if (active && *active && try_folder(active, visit, q) > 0) return 1;
    return try_above(visit, q) || try_search("python3", visit, q) > 0;
}

/* ---- packages ---- */

/* Does a package folder contain the requested file, in a trusted place? */
static int site_has(const char *site, query *q)
{
    char path[PATH_MAX];
    if (!put(path, sizeof path, "%s/%s", site, q->relative) || !(q->folder ? is_folder(path) : is_file(path))) return 0;
    return trusted(q, path) && (q->folder || put(q->path, q->capacity, "%s", path));
}

/* Visits the package folders of one prefix. */
static int prefix_has(const char *prefix, int minor, query *q)
{
    static const char *const libs[] = {"lib", "lib64"};
    char site[PATH_MAX];
    int found = 0;
    for (size_t i = 0; !found && i < sizeof libs / sizeof *libs; i++)
        if (put(site, sizeof site, "%s/%s/python3.%d/site-packages", prefix, libs[i], minor)) found = site_has(site, q);
    return found;
}

/* The user's packages, then the distribution's (in dist-packages on Debian). */
static int outside_has(const env *e, query *q)
{
    char site[PATH_MAX];
    const char *home = secure_getenv("HOME"), *user = secure_getenv("PYTHONUSERBASE");
    int found = 0;
    if (user && *user) found = prefix_has(user, e->minor, q);
    else if (home && put(site, sizeof site, "%s/.local", home)) found = prefix_has(site, e->minor, q);
    if (!found && put(site, sizeof site, "%s/local/lib/python3.%d/dist-packages", e->base, e->minor)) found = site_has(site, q);
    if (!found && put(site, sizeof site, "%s/lib/python3/dist-packages", e->base)) found = site_has(site, q);
    return found;
}

static int env_has(const env *e, query *q)
{
    int found = prefix_has(e->prefix, e->minor, q);
    if (!found && e->outside && e->venv) found = prefix_has(e->base, e->minor, q);
    if (!found && e->outside) found = outside_has(e, q);
    return found;
}

static int env_has_package(const env *e, query *q)
{
    return env_has(e, q) && put(q->path, q->capacity, "%s", e->python);
}

static int not_found(const query *q)
{
    const int n = (int)strcspn(q->relative, "/");
    return q->host->error(VN_E_ENGINE, "%s: no Python with the package %.*s was found (%s%s)", q->engine, n, q->relative,
                          q->why[0] ? "" : "in ",
                          q->why[0] ? q->why : "VINEA_PYTHON, VIRTUAL_ENV, a .venv above the plugin, python3 on PATH");
}

int vn_locate_package_file(const vn_host *host, const char *engine, const char *relative, char *path, size_t capacity)
{
    query q = {.host = host, .engine = engine, .relative = relative, .path = path, .capacity = capacity};
    return each_env(env_has, &q) ? VN_OK : not_found(&q);
}

int vn_locate_python(const vn_host *host, const char *engine, const char *package, char *path, size_t capacity)
{
    query q = {.host = host, .engine = engine, .relative = package, .folder = 1, .path = path, .capacity = capacity};
    return each_env(env_has_package, &q) ? VN_OK : not_found(&q);
}

int vn_locate_libpython(const char *python, char *path, size_t capacity)
{
    env e;
    if (!describe(&e, python)) return 0;
    const char *const prefixes[] = {e.prefix, e.base};
    for (size_t i = 0; i < 2; i++)
        if (put(path, capacity, "%s/lib/libpython3.%d.so.1.0", prefixes[i], e.minor) && is_file(path)) return 1;
    return put(path, capacity, "libpython3.%d.so.1.0", e.minor);
}
