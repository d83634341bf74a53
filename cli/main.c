/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: the `vinea` command: finds the subcommand in a table, runs it, and checks that its output was written. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A new subcommand is a file with its `command`, a declaration in command.h and an entry in this list. */
const command *const commands[] = {
    &command_train,   &command_predict, &command_evaluate,   &command_data,   &command_models,  &command_inspect,
    &command_engines, &command_ops,     &command_launch,     &command_check,  &command_report,  &command_profile,
    &command_bench,   &command_demo,    &command_completion, &command_manual, &command_version, NULL,
};
const char *program = "vinea";
enum { N_COMMANDS = sizeof commands / sizeof *commands - 1 };

const char *const *command_names(void)
{
    static const char *names[N_COMMANDS + 1];
    for (int i = 0; i < N_COMMANDS; i++) names[i] = commands[i]->name;
    return names;
}

static char complaint[512];

int complain(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    fputs("vinea: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    vsnprintf(complaint, sizeof complaint, format, again);
    va_end(again), va_end(args);
    return EXIT_FAILED;
}

const char *last_complaint(void)
{
    return *complaint ? complaint : "it failed";
}

static const command *find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (!strcmp(name, commands[i]->name)) return commands[i];
    }
    return NULL;
}

static int no_command(const char *name)
{
    char hint[100];
    complain("there is no command '%.100s'%s (`vinea --help` lists them)", name, did_you_mean(name, command_names(), hint));
    return EXIT_USAGE;
}

/* Threads of PyTorch and TensorFlow that wait for work spin, which on a busy machine takes the cores from those that compute: a step takes ten
 * times as long and more. OpenMP reads this when PyTorch is loaded, the engine for TensorFlow when it is opened. The user's choice stays. */
static void let_threads_sleep(void)
{
    if (!getenv("GOMP_SPINCOUNT") && !getenv("KMP_BLOCKTIME")) setenv("OMP_WAIT_POLICY", "passive", 0);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "help") && argc > 2) {
        const command *c = find(argv[2]);
        if (!c) return no_command(argv[2]);
        print_command_help(c, stdout);
        return EXIT_GOOD;
    }
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
        print_help(stdout);
        return EXIT_GOOD;
    }
    const command *c = find(strcmp(name, "--version") != 0 ? name : "version");
    if (!c) return no_command(name);
    if (!c->spins) let_threads_sleep();
    return run_command(c, argc - 2, argv + 2);
}

/* If the caller closed a standard stream, a file opened by an engine must not get its descriptor: it is replaced by one that refuses
 * writes. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) return;
}

int main(int argc, char **argv)
{
    if (argc && *argv[0]) program = argv[0];
    occupy_closed_streams();
    static char line[BUFSIZ]; /* a line is one write: ranks share a terminal, and their lines must not mix */
    setvbuf(stderr, line, _IOLBF, sizeof line);
    int code = dispatch(argc, argv);
    int failed = ferror(stdout);
    errno = 0;
    if ((fclose(stdout) || failed) && code == EXIT_GOOD)
        code = complain("cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return code;
}
