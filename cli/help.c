/* SPDX-License-Identifier: Apache-2.0 */
/* help.c: usage text generated from the command declarations. */
#include "command.h"

#include <string.h>

const char *const exit_codes[] = {"0  success",     "1  failure; stderr says what", "2  an engine is not available",
                                  "3  usage error", "130  interrupted by Ctrl-C",   NULL};

const char *value_name(const command_option *o)
{
    static const char *const names[] = {[OPTION_TEXT] = "TEXT", [OPTION_FILE] = "FILE",     [OPTION_ENGINE] = "ENGINE",
                                        [OPTION_COUNT] = "N",   [OPTION_NUMBER] = "NUMBER", [OPTION_CHOICE] = "WORD"};
    return o->value ? o->value : names[o->kind];
}

void usage_line(const command *c, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "%s", c->name);
    for (int i = 0; c->words && c->words[i].name && used < room; i++) {
        int repeated = c->max_words < 0 && !c->words[i + 1].name;
        used += (size_t)snprintf(to + used, room - used, i < c->required ? " %s%s" : " [%s%s]", c->words[i].name, repeated ? "..." : "");
    }
    if (c->options && used < room) snprintf(to + used, room - used, " [OPTIONS]");
}

void print_help(FILE *to)
{
    fputs("Usage: vinea COMMAND [OPTIONS]\n\n"
          "One machine-learning API in C, many engines: trains and runs models, and shows what this installation has.\n\nCommands:\n",
          to);
    for (int i = 0; commands[i]; i++) fprintf(to, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n`vinea COMMAND --help` says more about one.\n\nExit codes:\n", to);
    for (int i = 0; exit_codes[i]; i++) fprintf(to, "  %s\n", exit_codes[i]);
}

/* A line "  --name VALUE   about". */
static void print_option(const command_option *o, const char *dashes, FILE *to)
{
    char head[64];
    if (!*dashes || o->kind == OPTION_SWITCH) snprintf(head, sizeof head, "%s%s", dashes, o->name);
    else snprintf(head, sizeof head, "%s%s %s", dashes, o->name, value_name(o));
    fprintf(to, "  %-22s %s", head, o->about);
    for (int i = 0; (o->kind == OPTION_CHOICE || o->kind == OPTION_TEXT) && o->choices && o->choices[i]; i++)
        fprintf(to, "%s%s", i ? ", " : ": ", o->choices[i]);
    fputc('\n', to);
}

void print_command_help(const command *c, FILE *to)
{
    char usage[200];
    usage_line(c, usage, sizeof usage);
    fprintf(to, "Usage: vinea %s\n\n%s: %s.\n%s", usage, c->name, c->summary, c->details);
    if (c->words) fputc('\n', to);
    for (int i = 0; c->words && c->words[i].name; i++) print_option(&c->words[i], "", to);
    fputs("\nOptions:\n", to);
    for (int i = 0; c->options && c->options[i].name; i++)
        if (!c->options[i].hidden) print_option(&c->options[i], "--", to);
    print_option(&(command_option){.name = "help", .about = "print this text"}, "--", to);
    if (c->examples) fprintf(to, "\nExamples:\n");
    for (const char *line = c->examples; line && *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(to, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}
