/* report.c: `vinea report`: renders the report.json of a conformance run again: page, tables, badges. */
#include "command.h"

#include "conformance/report/report.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: vinea report FILE [--out DIR] [--plain] [--tables] [--baseline FILE]";

typedef struct request {
    const char *file, *out;
    report_options options;
} request;

/* The option's value, from the next word. */
static bool value_of(const command_args *args, int *i, const char *name, const char **to)
{
    if (strcmp(args->words[*i], name) != 0) return false;
    *to = *i + 1 < args->n ? args->words[++*i] : NULL;
    if (!*to) complain("report: %s needs a value (%s)", name, usage);
    return true;
}

static bool read_words(const command_args *args, request *q)
{
    for (int i = 0; i < args->n; i++) {
        const char *word = args->words[i], *none = "";
        if (value_of(args, &i, "--out", &q->out)) none = q->out;
        else if (value_of(args, &i, "--baseline", &q->options.baseline)) none = q->options.baseline;
        else if (!strcmp(word, "--plain")) q->options.plain = true;
        else if (!strcmp(word, "--tables")) q->options.tables = true;
        else if (*word == '-') return complain("report: unexpected '%s' (%s)", word, usage), false;
        else if (q->file) return complain("report: one file at a time, not '%s' and '%s' (%s)", q->file, word, usage), false;
        else q->file = word;
        if (!none) return false;
    }
    return q->file || (complain("report: one file is needed (%s)", usage), false);
}

/* Beside the report, where --out names no folder. */
static const char *folder_of(const request *q, char to[static PATH_MAX])
{
    if (q->out) return q->out;
    const char *slash = strrchr(q->file, '/');
    if (!slash) return ".";
    snprintf(to, PATH_MAX, "%.*s", slash == q->file ? 1 : (int)(slash - q->file), q->file);
    return to;
}

static void print_summary(const report *r, const char *folder, const report_options *o)
{
    int shown = 0;
    for (int s = 0; s < REPORT_STATES; s++) {
        if (r->totals[s]) printf("%s%lld %s", shown++ ? ", " : "", (long long)r->totals[s], report_states[s].word);
    }
    printf("%s%s/%s\n", shown ? ": " : "no cells: ", folder, o->tables ? "md/README.md" : "index.html");
}

int command_report(const command_args *args)
{
    request q = {0};
    report_problem problem = {""};
    char room[PATH_MAX];
    if (!read_words(args, &q)) return EXIT_USAGE;
    const char *folder = folder_of(&q, room);
    report *r = report_read(q.file, &problem);
    int code = !r || report_render(r, folder, &q.options, &problem) ? complain("report: %s", problem.text) : EXIT_GOOD;
    if (!code) print_summary(r, folder, &q.options);
    report_free(r);
    return code;
}
