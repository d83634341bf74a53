/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: `vinea report`: renders the report.json of a conformance run again: page, tables, badges; or one page that compares trainings
 * (runs.c). */
#include "command.h"

#include "base/base.h"
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

static int render(const command_args *args)
{
    const char *earlier = text_of(args, "baseline", NULL);
    report_problem problem = {""};
    verdicts *baseline = earlier ? verdicts_read(earlier, &problem) : NULL;
    report_options options = {.plain = given(args, "plain"), .tables = given(args, "tables"), .baseline = baseline};
    char room[PATH_MAX];
    const char *folder = folder_of(args, room);
    report *r = earlier && !baseline ? NULL : report_read(args->words[0], &problem);
    int code = !r || report_render(r, folder, &options, &problem) ? complain("report: %s", problem.text) : EXIT_GOOD;
    if (!code) print_summary(r, folder, &options);
    report_free(r);
    verdicts_free(baseline);
    return code;
}

/* Trainings take none of the options of a conformance report. */
static int run(const command_args *args)
{
    static const char *const others[] = {"plain", "tables", "baseline"};
    int reports = 0;
    for (int i = 0; i < args->n; i++) reports += vn__ends_with(args->words[i], ".json");
    if (reports == 1 && args->n == 1) return render(args);
    if (reports)
        return misuse(args->command, "a report.json is rendered alone; what changed since an earlier one: --baseline EARLIER.json");
    for (int i = 0; i < 3; i++)
        if (given(args, others[i])) return misuse(args->command, "--%s is for the report.json of a conformance run", others[i]);
    return compare_runs(args);
}

const command command_report = {
    .name = "report",
    .summary = "compare trainings on one page, or render a conformance report again",
    .details =
        "Trainings: a run is what `vinea train` leaves: its checkpoint (MODEL.safetensors, or that of --checkpoint or --best), which has\n"
        "settings and scores, or its --log, which has the scores. The page overlays their curves, and lists the best epoch of each and "
        "the\n"
        "settings that differ; it is one file that needs no network. A run may still be under way.\n"
        "\n"
        "Conformance: of a report.json, written by `vinea check`, it writes index.html, md/ (a table per suite), badges/ and "
        "verdicts.json,\n"
        "by default next to the report; earlier runs come from history.jsonl there. docs/report.md lists the fields of a report.\n",
    .examples = "vinea report small.safetensors large.safetensors --out sizes.html\n"
                "vinea report runs/*.csv\n"
                "vinea report vinea-report/report.json --out page\n",
    .words =
        (const command_option[]){{.name = "RUN", .kind = OPTION_FILE, .about = "a checkpoint or log of a training; or a report.json"}, {0}},
    .required = 1,
    .max_words = -1,
    .options =
        (const command_option[]){
            {.name = "out",
             .kind = OPTION_FILE,
             .value = "PATH",
             .about = "where to write: the page of trainings (runs.html), or the folder of a conformance report",
             .writes = 1},
            {.name = "title", .kind = OPTION_TEXT, .about = "trainings: the title of the page"},
            {.name = "plain", .about = "conformance: text instead of images in tables, for terminals and diffs"},
            {.name = "tables", .about = "conformance: no page, only md/, badges/ and verdicts.json, to be committed"},
            {.name = "baseline",
             .kind = OPTION_FILE,
             .about = "conformance: the run that the page compares with: a report.json, verdicts.json or history.jsonl (the previous run)"},
            {0}},
    .run = run,
};
