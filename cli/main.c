/* main.c: the command `vinea`: finds the command in a table, reads its options, runs it, and makes sure that its output was written. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct command {
    const char *name, *usage, *summary;
    const char *details; /* for its own help */
    int json, words;     /* whether it takes --json and further words; 2: all words, it reads its options itself */
    int (*run)(const command_args *args);
} commands[] = {
    {"engines", "[--json]", "list the engines: which are there, and how to get the others",
     "An engine is found in the folders of VINEA_ENGINE_PATH, in engines/ beside the library, or in vinea/engines/ below the library's\n"
     "folder. Listing tries to load each, so it takes as long as the frameworks take to start.\n",
     1, 0, command_engines},
    {"ops", "[--json]", "list the ops with inputs, options and a line about each",
     "Options stand as name:type, with =default where one may be left out. The JSON form is what a binding needs.\n", 1, 0, command_ops},
    {"demo", "[ENGINE...]", "train a small model on every engine, or on those named",
     "Linear regression on 256 x 3 numbers, 101 steps of gradient descent; the losses should be equal on all engines. Engines that are\n"
     "not installed are named with the way to get them; that is no failure, unless they were asked for.\n",
     0, 1, command_demo},
    {"inspect", "FILE [--json]", "list the arrays of a safetensors, npy or npz file",
     "Names, dtypes, shapes and sizes of the arrays, and the notes (metadata) of the file. Everything about the file but the values is "
     "checked.\n",
     1, 1, command_inspect},
    {"check", "[OPTIONS]", "run the conformance tests on every engine and write the dashboard",
     "Every engine runs in a process of its own; one that crashes, hangs or is not there costs its cells and nothing else. The folder of the\n"
     "report gets report.json, index.html (one file that needs no network), md/, badges/, history.jsonl, and cases/ with the inputs that failed.\n\n"
     "  --engine LIST      native,numpy,jax,tensorflow,torch (or all, the default), or any other engine there is\n"
     "  --suite NAME       seeds, or one table of it such as seeds/002; all is the default\n"
     "  --test ID          one test: its id (002/lars_update) or its name (lars_update)\n"
     "  --dtype LIST       only these, such as float32,float64\n"
     "  --tier TIER        quick (the default), full (25 cases of each test and dtype, second gradients) or soak (1000)\n"
     "  --examples N       N cases of each test and dtype\n"
     "  --seed N           another seed draws other cases (20240901)\n"
     "  --strict           the strict tolerance decides (k * eps * depth of the operation), not the looser one of the seeds\n"
     "  --case N           run one case of one test on one engine again and print expected, got and error; the smallest input that\n"
     "                     failed comes from the report's folder when it is there\n"
     "  --out DIR          folder of the report (vinea-report)\n"
     "  --baseline FILE    a report.json or verdicts.json of before: a cell that passed there and fails now makes the exit status 1\n"
     "  --compare A B      run nothing; say what changed between two reports\n"
     "  --known FILE       known failures, a line each: engine, id, reason (instead of the built-in list)\n"
     "  --jobs N           so many engines at a time (the number of processors)\n"
     "  --timeout SECONDS  limit of one test (300; 1800 and 36000 in the longer tiers)\n"
     "  --memory MIB       limit of an engine's resident memory (8192)\n"
     "  --plain            tables with words instead of pictures\n"
     "  --quiet            no progress and no summary\n"
     "  --list             list the tests\n\n"
     "Exit status: 0 all pass, 1 something failed, 2 an error (crash, timeout ...) and no failure, 3 the command line makes no sense,\n"
     "130 interrupted; the report then holds what was done.\n\n"
     "Examples:\n"
     "  vinea check                                       everything, on every engine\n"
     "  vinea check --engine torch --suite seeds/004      the layers, on torch\n"
     "  vinea check --test lars_update --tier full        one test, thoroughly\n"
     "  vinea check --test lars_update --engine torch --case 1 --dtype float32\n",
     0, 2, command_check},
    {"report", "FILE [--out DIR] [--plain] [--tables] [--baseline FILE]", "render the report.json of a conformance run again",
     "Writes index.html (one file that needs no network), md/ (a table per suite), badges/ and verdicts.json into DIR, by default\n"
     "beside the report; earlier runs come from DIR/history.jsonl. The report is checked first: what is wrong with it is named.\n\n"
     "  --plain          tables with words instead of pictures, for terminals and diffs\n"
     "  --tables         no page, only md/, badges/ and verdicts.json, as they are committed\n"
     "  --baseline FILE  what `changed` on the page is measured against: a report.json, verdicts.json or history.jsonl;\n"
     "                   otherwise it is the run before\n\n"
     "`vinea check` makes such reports, and docs/report.md lists their fields.\n",
     0, 2, command_report},
    {"version", "", "print the version", "", 0, 0, command_version},
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
        char call[64]; /* long usages stand in the command's own help */
        bool fits = strlen(commands[i].usage) < 20;
        snprintf(call, sizeof call, "%s %s", commands[i].name, fits ? commands[i].usage : "FILE ...");
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
    command_args args = {0, 0, argv};
    int options = 1;
    for (int i = 0; i < argc; i++) {
        if (options && is_help(argv[i])) {
            printf("Usage: vinea %s %s\n\n%s: %s.\n%s", c->name, c->usage, c->name, c->summary, c->details);
            return EXIT_GOOD;
        }
        if (c->words == 2) argv[args.n++] = argv[i];
        else if (options && c->json && !strcmp(argv[i], "--json")) args.json = 1;
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
