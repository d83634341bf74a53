/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c: `vinea launch`: a program on several ranks of this machine, or of those in a hostfile. It finds the launcher of an MPI, adds what
 * that one wants as root or with more ranks than cores, and becomes it: Ctrl-C, output and exit code are the launcher's own. */
#include "command.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What differs between the launchers. */
typedef struct {
    const char *own;        /* the launcher where several MPIs are installed */
    const char *says;       /* what any launcher of this MPI prints as its version */
    const char *as_root[2]; /* words; NULL at the end */
    const char *crowded[4]; /* more ranks than cores */
    const char *hosts;      /* the option that takes a hostfile */
    const char *package;
} launcher;
enum { OPENMPI, MPICH, N_LAUNCHERS, MAX_WORDS = 16 };
static const char *const names[N_LAUNCHERS + 1] = {[OPENMPI] = "openmpi", [MPICH] = "mpich"}; /* of the plugins that carry the messages */
static const launcher launchers[N_LAUNCHERS] = {
    [OPENMPI] =
        {"mpirun.openmpi", "Open MPI", {"--allow-run-as-root"}, {"--oversubscribe", "--bind-to", "none"}, "--hostfile", "openmpi-bin"},
    [MPICH] = {"mpirun.mpich", "HYDRA", {NULL}, {NULL}, "-f", "mpich"},
};

/* ---- finding it ---- */

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    for (char file[4096]; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        const int n = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", n, path, name);
        if (!access(file, X_OK)) return true;
    }
    return false;
}

/* Whether the plain `mpirun` is this MPI's. */
static bool is_plain(const launcher *l)
{
    char line[256];
    bool is = false;
    FILE *f = in_path("mpirun") ? popen("mpirun --version 2>/dev/null", "r") : NULL;
    while (f && fgets(line, sizeof line, f)) is = is || strstr(line, l->says);
    if (f) pclose(f);
    return is;
}

static const char *command_of(const launcher *l)
{
    return in_path(l->own) ? l->own : is_plain(l) ? "mpirun" : NULL;
}

/* The one that was asked for, or the first that is installed. */
static const launcher *choose(const char *name, const char **run)
{
    for (int k = 0; k < N_LAUNCHERS; k++) {
        if (name && strcmp(name, names[k]) != 0) continue;
        if ((*run = command_of(&launchers[k]))) return &launchers[k];
    }
    if (name) complain("launch: there is no launcher of %s here", name);
    else complain("launch: there is no launcher of an MPI here (install one with: apt-get install %s)", launchers[0].package);
    return NULL;
}

/* ---- its words ---- */

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static int add(const char **to, int n, const char *const *words, int max_words)
{
    for (int k = 0; k < max_words && words[k]; k++) to[n++] = words[k];
    return n;
}

static int run(const command_args *args)
{
    const char *start, *asked = text_of(args, "mpi", getenv("VINEA_GROUP"));
    const char *hosts = text_of(args, "hostfile", NULL);
    const int own = cores();
    const int64_t ranks = count_of(args, "ranks", own);
    const launcher *l = choose(asked && *asked ? asked : NULL, &start);
    const char **words = l ? calloc((size_t)args->n + MAX_WORDS, sizeof *words) : NULL;
    if (!words) return l ? complain("out of memory") : EXIT_MISSING;
    char count[24], threads[24];
    snprintf(count, sizeof count, "%lld", (long long)ranks);
    snprintf(threads, sizeof threads, "%lld", (long long)(ranks < own ? own / ranks : 1));
    if (!hosts) setenv("VINEA_THREADS", threads, 0); /* the ranks share the cores, unless the caller says otherwise */
    int n = add(words, 0, (const char *[]){start, "-n", count}, 3);
    if (!geteuid()) n = add(words, n, l->as_root, 2);
    if (!hosts && ranks > own) n = add(words, n, l->crowded, 4);
    if (hosts) n = add(words, n, (const char *[]){l->hosts, hosts}, 2);
    add(words, n, args->words, args->n);
    if (!hosts) guard_launcher(start);
    execvp(start, (char *const *)(uintptr_t)words);
    complain("launch: cannot start %s: %s", start, strerror(errno));
    free(words);
    return EXIT_FAILED;
}

const command command_launch = {
    .name = "launch",
    .spins = true,
    .summary = "run a program on several ranks, with the launcher of the MPI that is installed",
    .details =
        "Becomes `mpirun -n N PROGRAM ...`, with what that wants as root and with more ranks than cores. Each rank gets its share of\n"
        "the cores (VINEA_THREADS, unless it is set). The exit code is the launcher's: that of the first rank that failed.\n"
        "Without a hostfile, a launcher that goes on 20 s after its last process has ended is ended too.\n",
    .examples = "vinea launch -n 4 -- vinea train convnet digits --batch 64\n"
                "vinea launch -n 8 --hostfile hosts -- ./program\n",
    .words = (const command_option[]){{.name = "PROGRAM", .kind = OPTION_FILE, .about = "the program"},
                                      {.name = "ARGUMENT", .kind = OPTION_TEXT, .about = "its arguments; write -- before PROGRAM"},
                                      {0}},
    .required = 1,
    .max_words = -1,
    .options =
        (const command_option[]){
            {.name = "ranks",
             .letter = 'n',
             .kind = OPTION_COUNT,
             .about = "how many processes; -n for short (the number of cores)",
             .low = 1,
             .high = 1 << 20},
            {.name = "mpi", .kind = OPTION_CHOICE, .choices = names, .about = "which MPI (VINEA_GROUP, or the first that is installed)"},
            {.name = "hostfile", .kind = OPTION_FILE, .about = "the machines, a line each, as the MPI's own launcher reads it"},
            {0}},
    .run = run,
};
