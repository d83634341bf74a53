/* locate.c: finds the user's Python and its packages by looking at files (locate.h has the promises).
 *
 * An environment is an interpreter, the prefix it stands in (<prefix>/bin/python3) and its minor version. A prefix with a
 * pyvenv.cfg is a virtual environment; its packages are its own, and the base's too where the file says so. Environments are visited
 * in the order of the header, and for each the folders its interpreter would import from. */
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
    char python[PATH_MAX]; /* absolute, its own name not resolved: a virtual environment's interpreter is a link out of it */
    char prefix[PATH_MAX];
    char base[PATH_MAX]; /* prefix of the interpreter behind a virtual environment, else the resolved prefix */
    int minor;           /* 3.<minor> */
    int venv;
    int outside; /* packages outside the prefix count as well */
} env;

typedef int (*env_visit)(const env *e, void *data);
typedef int (*site_visit)(const char *site, void *data);

/* Writes a path; 0 when it does not fit. */
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

/* Cuts the last name off a path; 0 when nothing is left above it. */
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

/* The newest python3.N below <prefix>/lib, or -1. */
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

/* Reads home, version and the switch for outside packages from pyvenv.cfg. 0 when there is no such file. */
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

/* Fills in what belongs to an interpreter; 0 when it is none (a pyenv shim has no library folder beside it). */
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

static int try_python(const char *python, env_visit visit, void *data)
{
    env e;
    return describe(&e, python) ? visit(&e, data) : 0;
}

/* An environment by its folder. */
static int try_folder(const char *folder, env_visit visit, void *data)
{
    static const char *const names[] = {"python3", "python"};
    char python[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!put(python, sizeof python, "%s/bin/%s", folder, names[i])) continue;
        int found = try_python(python, visit, data);
        if (found) return found;
    }
    return 0;
}

/* Every interpreter called `name` on PATH. */
static int try_search(const char *name, env_visit visit, void *data)
{
    char python[PATH_MAX];
    for (const char *p = getenv("PATH"); p && *p;) {
        size_t n = strcspn(p, ":");
        if (n && n < PATH_MAX && put(python, sizeof python, "%.*s/%s", (int)n, p, name)) {
            int found = try_python(python, visit, data);
            if (found) return found;
        }
        p += n + (p[n] == ':');
    }
    return 0;
}

static int try_above(const char *folder, env_visit visit, void *data)
{
    char here[PATH_MAX], venv[PATH_MAX];
    if (!folder || !realpath(folder, here)) return 0;
    do {
        int found = put(venv, sizeof venv, "%s/.venv", here) ? try_folder(venv, visit, data) : 0;
        if (found) return found;
    } while (up(here));
    return 0;
}

/* Visits the environments in order until a visit returns something other than 0, and returns that. */
static int each_env(const char *folder, env_visit visit, void *data)
{
    char running[PATH_MAX];
    int found = vn_locate_running(running, sizeof running) ? try_python(running, visit, data) : 0;
    const char *chosen = getenv("VINEA_PYTHON"), *active = getenv("VIRTUAL_ENV");
    if (!found && chosen && *chosen) {
        if (is_folder(chosen)) found = try_folder(chosen, visit, data);
        else if (strchr(chosen, '/')) found = try_python(chosen, visit, data);
        else found = try_search(chosen, visit, data);
    }
    if (!found && active && *active) found = try_folder(active, visit, data);
    if (!found) found = try_above(folder, visit, data);
    if (!found) found = try_search("python3", visit, data);
    return found;
}

/* Visits the package folders below one prefix. */
static int each_prefix_site(const char *prefix, int minor, site_visit visit, void *data)
{
    static const char *const libs[] = {"lib", "lib64"};
    char site[PATH_MAX];
    int found = 0;
    for (size_t i = 0; !found && i < sizeof libs / sizeof *libs; i++)
        if (put(site, sizeof site, "%s/%s/python3.%d/site-packages", prefix, libs[i], minor)) found = visit(site, data);
    return found;
}

/* The user's own packages, then those of the distribution (Debian keeps them in dist-packages). */
static int each_outside_site(const env *e, site_visit visit, void *data)
{
    char site[PATH_MAX];
    const char *home = getenv("HOME"), *user = getenv("PYTHONUSERBASE");
    int found = 0;
    if (user && *user) found = each_prefix_site(user, e->minor, visit, data);
    else if (home && put(site, sizeof site, "%s/.local", home)) found = each_prefix_site(site, e->minor, visit, data);
    if (!found && put(site, sizeof site, "%s/local/lib/python3.%d/dist-packages", e->base, e->minor)) found = visit(site, data);
    if (!found && put(site, sizeof site, "%s/lib/python3/dist-packages", e->base)) found = visit(site, data);
    return found;
}

/* Visits the package folders of an environment until a visit returns something other than 0. */
static int each_site(const env *e, site_visit visit, void *data)
{
    int found = each_prefix_site(e->prefix, e->minor, visit, data);
    if (!found && e->outside && e->venv) found = each_prefix_site(e->base, e->minor, visit, data);
    if (!found && e->outside) found = each_outside_site(e, visit, data);
    return found;
}

/* What is looked for, and where the answer goes. */
typedef struct query {
    const char *relative; /* a file, or a folder where `folder` is set */
    int folder;
    char *path;
    size_t capacity;
} query;

static int site_has(const char *site, void *data)
{
    query *q = data;
    char path[PATH_MAX];
    if (!put(path, sizeof path, "%s/%s", site, q->relative)) return 0;
    if (q->folder) return is_folder(path);
    return is_file(path) && put(q->path, q->capacity, "%s", path);
}

static int env_has_file(const env *e, void *data)
{
    return each_site(e, site_has, data);
}

static int env_has_package(const env *e, void *data)
{
    query *q = data;
    return (!q->relative || each_site(e, site_has, data)) && put(q->path, q->capacity, "%s", e->python);
}

int vn_locate_package_file(const char *folder, const char *relative, char *path, size_t capacity)
{
    query q = {relative, 0, path, capacity};
    return each_env(folder, env_has_file, &q);
}

int vn_locate_python(const char *folder, const char *package, char *path, size_t capacity)
{
    query q = {package, 1, path, capacity};
    return each_env(folder, env_has_package, &q);
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

/* Letters alike, and - _ . alike, as package indexes compare names. */
static int same_letter(char a, char b)
{
    if (strchr("-_.", a)) return b && strchr("-_.", b);
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Takes the version out of "<distribution>-<version>.dist-info" (or .egg-info); 0 when the name is another. */
static int version_in(const char *name, const char *distribution, char *version, size_t capacity)
{
    for (; *distribution; distribution++, name++)
        if (!*name || !same_letter(*distribution, *name)) return 0;
    if (*name != '-' || !isdigit((unsigned char)name[1])) return 0;
    const char *end = strstr(++name, ".dist-info");
    if (!end) end = strstr(name, ".egg-info");
    if (!end) return 0;
    size_t n = strcspn(name, "-"); /* eggs add -py3.11 */
    if (n > (size_t)(end - name)) n = (size_t)(end - name);
    return n < PATH_MAX && put(version, capacity, "%.*s", (int)n, name);
}

int vn_locate_version(const char *path, const char *distribution, char *version, size_t capacity)
{
    char here[PATH_MAX];
    if (!put(here, sizeof here, "%s", path)) return 0;
    while (up(here)) {
        DIR *d = opendir(here);
        int found = 0;
        for (struct dirent *f; d && !found && (f = readdir(d));) found = version_in(f->d_name, distribution, version, capacity);
        if (d) closedir(d);
        if (found) return 1;
    }
    return 0;
}
