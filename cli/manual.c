/* manual.c: `vinea manual`: the man page vinea(1), generated from the command declarations. */
#include "command.h"

#include <string.h>
#include <vinea/vinea.h>

/* Escapes text for roff: backslashes and minus signs escaped, no line that begins with a control character. */
static void print_roff(const char *text)
{
    for (int start = 1; *text; start = *text++ == '\n') {
        if (start && strchr(".'", *text)) fputs("\\&", stdout);
        if (*text == '\\') fputs("\\e", stdout);
        else if (*text == '-') fputs("\\-", stdout);
        else putchar(*text);
    }
}

static void print_option(const command_option *o, const char *dashes)
{
    fputs(".TP\n.B ", stdout);
    print_roff(dashes);
    print_roff(o->name);
    if (*dashes && o->kind != OPTION_SWITCH) printf(" \\fI%s\\fR", value_name(o));
    putchar('\n');
    print_roff(o->about);
    for (int i = 0; o->kind == OPTION_CHOICE && o->choices[i]; i++) {
        fputs(i ? ", " : ": ", stdout);
        print_roff(o->choices[i]);
    }
    putchar('\n');
}

static void print_command(const command *c)
{
    char usage[200];
    usage_line(c, usage, sizeof usage);
    fputs(".SS vinea ", stdout);
    print_roff(usage);
    putchar('\n');
    putchar(c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 'a' + 'A' : c->summary[0]);
    print_roff(c->summary + 1);
    puts(".");
    print_roff(c->details);
    for (int i = 0; c->words && c->words[i].name; i++) print_option(&c->words[i], "");
    for (int i = 0; c->options && c->options[i].name; i++)
        if (!c->options[i].hidden) print_option(&c->options[i], "--");
    if (!c->examples) return;
    puts(".PP\nExamples:\n.PP\n.nf\n.RS");
    print_roff(c->examples);
    puts(".RE\n.fi");
}

static int run(const command_args *args)
{
    (void)args;
    printf(".TH VINEA 1 \"\" \"vinea %s\" \"Vinea\"\n", vn_version());
    puts(".SH NAME\nvinea \\- train and run models on many engines\n"
         ".SH SYNOPSIS\n.B vinea\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
         ".SH DESCRIPTION\n"
         "Vinea is one machine\\-learning API in C with many engines: its own, and plugins for PyTorch, TensorFlow, JAX and NumPy.\n"
         "The command trains and uses models from the shell, and lists the engines, ops and models of an installation.\n"
         "Every command has the option \\fB\\-\\-help\\fR. A value may follow its option or a '='; words after \\fB\\-\\-\\fR are no "
         "options.\n"
         ".SH COMMANDS");
    for (int i = 0; commands[i]; i++) print_command(commands[i]);
    puts(".SH EXIT STATUS");
    for (int i = 0; exit_codes[i]; i++) {
        int n = (int)strcspn(exit_codes[i], " ");
        printf(".TP\n.B %.*s\n%s\n", n, exit_codes[i], exit_codes[i] + n + strspn(exit_codes[i] + n, " "));
    }
    puts(".SH ENVIRONMENT\n"
         ".TP\n.B VINEA_ENGINE_PATH\nFolders with engine plugins, separated by ':'.\n"
         ".TP\n.B VINEA_DATA\nThe folder with datasets that are known by name.\n"
         ".TP\n.B VINEA_PYTHON\nThe Python whose packages the engines use.\n"
         ".TP\n.B VINEA_THREADS\nNumber of threads of every engine.\n"
         ".TP\n.B VINEA_ISA\nThe native engine's instruction set: baseline, avx2, avx512.");
    return EXIT_GOOD;
}

const command command_manual = {
    .name = "manual",
    .summary = "print the man page",
    .details = "An installation has it: man vinea.\n",
    .examples = "vinea manual | man -l -\n",
    .run = run,
};
