/* completion.c: `vinea completion`: scripts for bash, zsh and fish, printed from the table of commands. */
#include "command.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

/* Which engines there are is asked when a word is completed. bash and zsh run this where they take lists of words. */
static const char ask_engines[] = "$(vinea engines --names 2>/dev/null)";

/* Whether there is a list of words that may stand for a value. */
static int has_words(const command_option *o)
{
    return o->choices || o->kind == OPTION_ENGINE;
}

static void print_words(const char *const *words, const char *between)
{
    for (int i = 0; words[i]; i++) printf("%s%s", i ? between : "", words[i]);
}

/* The list; `engines` stands for that of the engines. */
static void print_words_for(const command_option *o, const char *engines)
{
    if (o->choices) print_words(o->choices, " ");
    else if (o->kind == OPTION_ENGINE) fputs(engines, stdout);
}

/* ---- bash ---- */

static void print_bash_options(const command *c)
{
    printf("    %s) options='--help", c->name);
    for (int i = 0; c->options && c->options[i].name; i++)
        if (!c->options[i].hidden) printf(" --%s", c->options[i].name);
    fputs("'", stdout);
    for (int i = 0; c->words && c->words[i].name; i++) {
        if (!has_words(&c->words[i])) continue;
        fputs("; words='", stdout);
        print_words_for(&c->words[i], ask_engines);
        fputs("'", stdout);
        break;
    }
    puts(" ;;");
}

/* A line for each option whose value has a list, and one for those that can be anything but a file. */
static void print_bash_values(const command *c)
{
    for (int i = 0; c->options && c->options[i].name; i++) {
        const command_option *o = &c->options[i];
        if (o->kind == OPTION_SWITCH || o->kind == OPTION_FILE || o->hidden) continue;
        printf("    '%s --%s') COMPREPLY=($(compgen -W '", c->name, o->name);
        print_words_for(o, ask_engines);
        puts("' -- \"$word\")); return ;;");
    }
}

static void print_bash(void)
{
    puts("# bash completion for vinea; made by `vinea completion bash`\n"
         "_vinea() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= words=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("    COMPREPLY=($(compgen -W '--help --version ", stdout);
    print_words(command_names(), " ");
    puts("' -- \"$word\")); return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]} $before\" in");
    for (int i = 0; commands[i]; i++) print_bash_values(commands[i]);
    puts("  esac\n"
         "  case ${COMP_WORDS[1]} in");
    for (int i = 0; commands[i]; i++) print_bash_options(commands[i]);
    puts("  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -o bashdefault -F _vinea vinea");
}

/* ---- zsh ---- */

/* A text inside single quotes of a zsh specification, where brackets and colons mean something. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text)) putchar('\\');
        if (*text == '\'') fputs("'\\''", stdout);
        else putchar(*text);
    }
}

static void print_zsh_value(const command_option *o)
{
    printf(":%s:", o->kind == OPTION_SWITCH ? o->name : value_name(o));
    if (has_words(o)) {
        fputs("(", stdout);
        print_words_for(o, ask_engines);
        fputs(")", stdout);
    } else if (o->kind == OPTION_FILE) {
        fputs("_files", stdout);
    }
}

static void print_zsh_command(const command *c)
{
    printf("    %s)\n      _arguments '--help[print the help text]'", c->name);
    for (int i = 0; c->options && c->options[i].name; i++) {
        if (c->options[i].hidden) continue;
        printf(" \\\n        '--%s[", c->options[i].name);
        print_zsh_text(c->options[i].about);
        fputs("]", stdout);
        if (c->options[i].kind != OPTION_SWITCH) print_zsh_value(&c->options[i]);
        fputs("'", stdout);
    }
    for (int i = 0; c->words && c->words[i].name; i++) {
        int last = c->most < 0 && !c->words[i + 1].name;
        const command_option *o = &c->words[i];
        fputs(last ? " \\\n        '*:" : " \\\n        ':", stdout);
        print_zsh_text(o->about);
        fputs(":", stdout);
        if (has_words(o)) {
            fputs(o->kind == OPTION_FILE ? "{_alternative 'words:word:(" : "(", stdout);
            print_words_for(o, ask_engines);
            fputs(o->kind == OPTION_FILE ? ")' 'files:file:_files'}" : ")", stdout);
        } else if (o->kind == OPTION_FILE) {
            fputs("_files", stdout);
        }
        fputs("'", stdout);
    }
    puts(" ;;");
}

static void print_zsh(void)
{
    puts("#compdef vinea\n# zsh completion for vinea; made by `vinea completion zsh`\n"
         "local -a vinea_commands\nvinea_commands=(");
    for (int i = 0; commands[i]; i++) {
        printf("  '%s:", commands[i]->name);
        print_zsh_text(commands[i]->summary);
        puts("'");
    }
    puts(")\n"
         "if (( CURRENT == 2 )); then\n"
         "  _describe command vinea_commands\n"
         "else\n"
         "  local vinea_command=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $vinea_command in");
    for (int i = 0; commands[i]; i++) print_zsh_command(commands[i]);
    puts("  esac\nfi");
}

/* ---- fish ---- */

static void print_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (strchr("'\\", *text)) putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void print_fish_words(const command_option *o)
{
    if (!has_words(o)) return;
    fputs(" -a '", stdout);
    print_words_for(o, "(vinea engines --names 2>/dev/null)");
    fputs("'", stdout);
}

static void print_fish_command(const command *c)
{
    printf("complete -c vinea -n '__fish_use_subcommand' -f -a %s -d ", c->name);
    print_fish_text(c->summary);
    putchar('\n');
    for (int i = 0; c->options && c->options[i].name; i++) {
        const command_option *o = &c->options[i];
        if (o->hidden) continue;
        printf("complete -c vinea -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
        if (o->kind != OPTION_SWITCH) fputs(o->kind == OPTION_FILE ? " -r" : " -x", stdout);
        print_fish_words(o);
        fputs(" -d ", stdout);
        print_fish_text(o->about);
        putchar('\n');
    }
    for (int i = 0; c->words && c->words[i].name; i++) {
        if (!has_words(&c->words[i])) continue;
        printf("complete -c vinea -n '__fish_seen_subcommand_from %s'", c->name);
        print_fish_words(&c->words[i]);
        putchar('\n');
    }
}

static void print_fish(void)
{
    puts("# fish completion for vinea; made by `vinea completion fish`\n"
         "complete -c vinea -l help -d 'print the help text'");
    for (int i = 0; commands[i]; i++) print_fish_command(commands[i]);
}

static int run(const command_args *args)
{
    char hint[100];
    const char *shell = args->words[0];
    if (!strcmp(shell, "bash")) print_bash();
    else if (!strcmp(shell, "zsh")) print_zsh();
    else if (!strcmp(shell, "fish")) print_fish();
    else return misuse(args->command, "there is no completion for '%.100s'%s", shell, did_you_mean(shell, shells, hint));
    return EXIT_GOOD;
}

const command command_completion = {
    .name = "completion",
    .summary = "print a script that completes commands and options in a shell",
    .details =
        "An installation has the scripts where the shells look for them. For this session alone:\n"
        "bash: source <(vinea completion bash); fish: vinea completion fish | source; zsh: put the script into a file _vinea of $fpath.\n",
    .words = (const command_option[]){{"SHELL", OPTION_CHOICE, .about = "bash, zsh or fish", .choices = shells}, {0}},
    .required = 1,
    .most = 1,
    .run = run,
};
