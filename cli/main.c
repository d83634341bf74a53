/* main.c: the command `vinea`: finds the command in a table, reads its options, runs it, and makes sure that its output was written. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const struct command {
    const char *name, *usage, *summary;
    const char *details; /* for its own help */
    int json, words;     /* whether it takes --json and further words */
    int (*run)(const command_args *args);
    int verbose; /* whether it takes --verbose */
} commands[] = {
    {"engines", "[--verbose] [--json]", "list the engines: which are there, and how to get the others",
     "An engine is found in the folders of VINEA_ENGINE_PATH, in engines/ beside the library, or in vinea/engines/ below the library's\n"
     "folder. Listing tries to load each, so it takes as long as the frameworks take to start.\n"
     "--verbose adds device, threads, route and program cache, and the ops and dtypes that native kernels compute in an engine's place.\n",
     1, 0, command_engines, 1},
    {"ops", "[--json]", "list the ops with inputs, options and a line about each",
     "Options stand as name:type, with =default where one may be left out. The JSON form is what a binding needs.\n", 1, 0, command_ops, 0},
    {"demo", "[ENGINE...]", "train a small model on every engine, or on those named",
     "Linear regression on 256 x 3 numbers, 101 steps of gradient descent; the losses should be equal on all engines. Engines that are\n"
     "not installed are named with the way to get them; that is no failure, unless they were asked for.\n",
     0, 1, command_demo, 0},
    {"inspect", "FILE [--json]", "list the arrays of a safetensors, npy or npz file",
     "Names, dtypes, shapes and sizes of the arrays, and the notes (metadata) of the file. Everything about the file but the values is "
     "checked.\n",
     1, 1, command_inspect, 0},
    {"version", "", "print the version", "", 0, 0, command_version, 0},
};
enum { n_commands = sizeof commands / sizeof *commands };

int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("vinea: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_FAILED;
}

static void help(FILE *to)
{
    fputs("Usage: vinea COMMAND [OPTIONS]\n\nOne machine-learning API in C, many engines: what this installation has.\n\nCommands:\n", to);
    for (int i = 0; i < n_commands; i++) {
        char call[64];
        snprintf(call, sizeof call, "%s %s", commands[i].name, commands[i].usage);
        fprintf(to, "  %-22s %s\n", call, commands[i].summary);
    }
    fputs("\n`vinea COMMAND --help` says more about one.\n"
          "Exit codes: 0 done, 1 something failed (stderr says what), 2 the command line makes no sense.\n",
          to);
}

static int is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* Reads the words after a command's name and runs it. */
static int run(const struct command *c, int argc, char **argv)
{
    command_args args = {.words = argv};
    int options = 1;
    for (int i = 0; i < argc; i++) {
        if (options && is_help(argv[i])) {
            printf("Usage: vinea %s %s\n\n%s: %s.\n%s", c->name, c->usage, c->name, c->summary, c->details);
            return EXIT_GOOD;
        }
        if (options && c->json && !strcmp(argv[i], "--json")) args.json = 1;
        else if (options && c->verbose && !strcmp(argv[i], "--verbose")) args.verbose = 1;
        else if (options && c->words && !strcmp(argv[i], "--")) options = 0;
        else if (c->words && (!options || argv[i][0] != '-')) argv[args.n++] = argv[i];
        else {
            complain("%s: unexpected '%s' (usage: vinea %s %s)", c->name, argv[i], c->name, c->usage);
            return EXIT_USAGE;
        }
    }
    return c->run(&args);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (is_help(argv[1]) || !strcmp(argv[1], "help")) {
        help(stdout);
        return EXIT_GOOD;
    }
    const char *name = strcmp(argv[1], "--version") != 0 ? argv[1] : "version";
    for (int i = 0; i < n_commands; i++)
        if (!strcmp(name, commands[i].name)) return run(&commands[i], argc - 2, argv + 2);
    complain("there is no command '%s'; `vinea --help` lists them", argv[1]);
    return EXIT_USAGE;
}

/* A standard stream the caller closed must not become the number of a file that an engine opens: its place is taken by a stream that
 * refuses what we print. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) return;
}

int main(int argc, char **argv)
{
    occupy_closed_streams();
    int code = dispatch(argc, argv);
    int failed = ferror(stdout);
    errno = 0;
    if ((fclose(stdout) || failed) && code == EXIT_GOOD)
        code = complain("cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return code;
}
