/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: `vinea report`: renders the report.json of a conformance run again: page, tables, badges. */
#include "command.h"

#include "conformance/report/report.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Next to the report, unless --out is given. */
static const char *folder_of(const command_args *args, char to[static PATH_MAX])
{
    const char *file = args->words[0], *slash = strrchr(file, '/');
    if (given(args, "out")) return text_of(args, "out", NULL);
    if (!slash) return ".";
    snprintf(to, PATH_MAX, "%.*s", slash == file ? 1 : (int)(slash - file), file);
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

static int run(const command_args *args)
{
    report_options options = {.plain = given(args, "plain"), .tables = given(args, "tables"), .baseline = text_of(args, "baseline", NULL)};
    report_problem problem = {""};
    char room[PATH_MAX];
    const char *folder = folder_of(args, room);
    report *r = report_read(args->words[0], &problem);
    int code = !r || report_render(r, folder, &options, &problem) ? complain("report: %s", problem.text) : EXIT_GOOD;
    if (!code) print_summary(r, folder, &options);
    report_free(r);
    return code;
}

const command command_report = {
    .name = "report",
    .summary = "render the report.json of a conformance run again",
    .details = "Writes index.html (one file that needs no network), md/ (a table per suite), badges/ and verdicts.json, by default next to "
               "the report;\n"
               "earlier runs come from history.jsonl there. The report is validated first, and errors are reported. `vinea check` "
               "writes such\n"
               "reports, and docs/report.md lists their fields.\n",
    .examples = "vinea report vinea-report/report.json --out page\n",
    .words = (const command_option[]){{.name = "FILE", .kind = OPTION_FILE, .about = "a report.json"}, {0}},
    .required = 1,
    .most = 1,
    .options =
        (const command_option[]){
            {.name = "out", .kind = OPTION_FILE, .value = "DIR", .about = "where to write"},
            {.name = "plain", .about = "text instead of images in tables, for terminals and diffs"},
            {.name = "tables", .about = "no page, only md/, badges/ and verdicts.json, to be committed"},
            {.name = "baseline",
             .kind = OPTION_FILE,
             .about = "the run that the page compares with: a report.json, verdicts.json or history.jsonl (the previous run)"},
            {0}},
    .run = run,
};
