/* SPDX-License-Identifier: Apache-2.0 */
/* manual.c: `vinea manual`: the man pages, vinea(1) from the command declarations and vinea(3) from the op table. */
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

/* The variables of both pages, in the order of docs/architecture.md, with which package.command compares them. */
static const struct {
    const char *name, *about;
} variables[] = {
    {"VINEA_EAGER", "1: evaluate every op when it is called."},
    {"VINEA_STRICT", "1: an op that the engine has no kernel for is an error."},
    {"VINEA_CHECK", "1: report where a freed handle was created; finite or nan: also the op that gave the first such value."},
    {"VINEA_TRACE", "A file for a Chrome trace of programs and kernels."},
    {"VINEA_ENGINE_PATH", "Folders with engine plugins, separated by ':'."},
    {"VINEA_GROUP_TIMEOUT", "Seconds that a rank waits for the others (300)."},
    {"VINEA_GROUP", "The plugin that carries messages between processes."},
    {"VINEA_GROUP_PATH", "Folders with such plugins."},
    {"VINEA_IMAGE_PATH", "Folders with plugins that decode images."},
    {"VINEA_PYTHON", "The Python whose packages the engines use."},
    {"VINEA_TRUST", "Users and groups whose code may be loaded too."},
    {"VINEA_DATA", "The folder with the datasets that vinea train knows by name."},
    {"VINEA_ISA", "The native engine's instruction set: baseline, avx2, avx512, amx; on ARM baseline, neon."},
    {"VINEA_THREADS", "Number of threads of every engine."},
};

/* waiting: what the page says of the threads of frameworks. */
static void print_environment(const char *waiting)
{
    puts(".SH ENVIRONMENT");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        printf(".TP\n.B %s\n", variables[i].name);
        print_roff(variables[i].about);
        putchar('\n');
    }
    printf(".TP\n.B OMP_WAIT_POLICY\nHow idle threads of PyTorch and TensorFlow wait: %s\n", waiting);
}

static void print_command_page(void)
{
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
    print_environment("passive unless set, but for bench, launch and profile.");
    puts(".SH SEE ALSO\n.BR vinea (3)");
}

static const char example[] =
    "#include <stdio.h>\n"
    "#include <vinea/vinea.h>\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "    if (vn_use(\"native\")) return fprintf(stderr, \"%s\\n\", vn_message()), vn_close(); /* torch, jax ... */\n"
    "    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2));\n"
    "    vn_array *y = vn_softmax(vn_matmul(x, x), -1);\n"
    "    printf(\"%g\\n\", vn_item(vn_sum(y, VN_ALL)));\n"
    "    if (vn_status()) fprintf(stderr, \"%s\\n\", vn_message());\n"
    "    return vn_close();\n"
    "}\n";

/* The functions of each section, in the table's order. */
static void print_ops(void)
{
    const char *section = "";
    for (int k = 0, n = vn_op_count(), first = 1; k < n; k++, first = 0) {
        vn_op_info op = {.size = sizeof op};
        if (vn_op_at(k, &op)) return;
        if (strcmp(section, op.section)) {
            printf("%s.TP\n.B ", first ? "" : "\n");
            print_roff(section = op.section);
            fputs("\n", stdout);
            first = 1;
        }
        printf("%svn_", first ? "" : ", ");
        print_roff(op.name);
    }
    putchar('\n');
}

static void print_library_page(void)
{
    printf(".TH VINEA 3 \"\" \"vinea %s\" \"Vinea\"\n", vn_version());
    puts(".SH NAME\nvinea \\- one machine\\-learning API in C, many engines\n"
         ".SH SYNOPSIS\n.nf\n.B #include <vinea/vinea.h>\n.PP\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs vinea)\n.fi\n"
         ".SH DESCRIPTION\n"
         "A program written once runs on the library's own engine, or on PyTorch, TensorFlow, JAX or NumPy, chosen by\n.BR vn_use (),\n"
         "with the same results, random numbers and gradients.\n"
         "Ops are recorded; values are computed when they are needed, by\n.BR vn_eval ()\nor by what reads them.\n"
         "Arrays and other objects belong to the innermost scope\n.RB ( VN_SCOPE )\nand are freed at its end;\n.BR vn_keep ()\n"
         "keeps one longer.\n"
         "A call that fails returns NULL or an error code, and the thread keeps its first error until\n.BR vn_clear ():\n"
         ".BR vn_status ()\nis its code and\n.BR vn_message ()\nits text. No function aborts, exits or prints.\n"
         ".PP\nAn op takes its arrays first, then what it is about, then a struct of named options or NULL, then pointers for further "
         "results:\n"
         ".PP\n.nf\n.RS\nvn_conv2d(x, w, VN_NONE, VN_OPTS(conv2d, .padding = \"SAME\"))\n.RE\n.fi\n"
         ".SH EXAMPLE\n.nf\n.RS");
    print_roff(example);
    puts(".RE\n.fi\n.SH OPS\nEach is described in its header and in docs/ops.md.");
    print_ops();
    puts(".SH FILES\n"
         ".TP\n.I vinea/vinea.h\narrays, scopes, errors, engines, and all of the following but those for plugins\n"
         ".TP\n.I vinea/ops.h\nthe everyday ops; families of their own have a header each\n"
         ".TP\n.IR vinea/tree.h ,\\  vinea/nn.h ,\\  vinea/train.h\nnested parameters, layers and optimizers, training\n"
         ".TP\n.I vinea/engine.h\nfor those who write an engine\n"
         ".TP\n.I vinea/vinea.hpp\nfor C++");
    print_environment("on a busy machine passive is faster. The library does not set it.");
    puts(".SH SEE ALSO\n.BR vinea (1)");
}

static const char *const pages[] = {"command", "library", NULL};

static int run(const command_args *args)
{
    static void (*const print[])(void) = {print_command_page, print_library_page};
    const char *page = args->n ? args->words[0] : pages[0];
    int k = 0;
    while (pages[k] && strcmp(page, pages[k])) k++;
    if (!pages[k]) return misuse(args->command, "there is no page '%s': command, library", page);
    print[k]();
    return EXIT_GOOD;
}

const command command_manual = {
    .name = "manual",
    .summary = "print a man page",
    .details = "An installation has both: man vinea, man 3 vinea.\n",
    .examples = "vinea manual | man -l -\nvinea manual library | man -l -\n",
    .words =
        (const command_option[]){{"PAGE", OPTION_CHOICE, .about = "of the command (unless given) or of the C library", .choices = pages},
                                 {0}},
    .max_words = 1,
    .run = run,
};
