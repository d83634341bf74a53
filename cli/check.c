/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: `vinea check`: turns the command line into a plan for the conformance runner (conformance/suite), runs it, and writes and
 * renders the report (conformance/report). */
#include "command.h"

#include "conformance/lines/lines.h"
#include "conformance/report/report.h"
#include "conformance/suite/ranks.h"
#include "conformance/suite/runner.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_ERROR = 2 };

static const char *const tier_words[] = {[TIER_QUICK] = "quick", [TIER_FULL] = "full", [TIER_SOAK] = "soak", NULL};
static const char *const program_words[] = {"alone", "together", "both", NULL};

/* ---- the plan ---- */

static int place_in(const char *const *words, const char *word)
{
    int k = 0;
    while (words[k] && strcmp(words[k], word) != 0) k++;
    return k;
}

/* Calls `take` with each word of a comma-separated list, which is copied to `room`. */
static int split(const command_args *args, const char *option, plan *p, char room[static 1024],
                 int (*take)(const command_args *args, const char *word, plan *p))
{
    const char *value = text_of(args, option, "");
    if (snprintf(room, 1024, "%s", value) >= 1024) return misuse(args->command, "--%s: the list is too long", option);
    int code = EXIT_GOOD;
    char *rest = *room ? room : NULL;
    for (char *word; !code && (word = strsep(&rest, ","));) code = take(args, word, p);
    return code;
}

static int take_engine(const command_args *args, const char *name, plan *p)
{
    if (!*name) return misuse(args->command, "--engine: a list such as native,torch is needed, or all");
    if (p->n_engines == PLAN_ENGINES) return misuse(args->command, "--engine: %d engines at most", PLAN_ENGINES);
    for (int k = 0; k < p->n_engines; k++)
        if (!strcmp(p->engines[k], name)) return misuse(args->command, "--engine: %s is given twice", name);
    p->engines[p->n_engines++] = name;
    return EXIT_GOOD;
}

/* All engines unless some are named. */
static int take_engines(const command_args *args, plan *p)
{
    static char names[1024];
    p->named = strcmp(text_of(args, "engine", "all"), "all") != 0;
    if (p->named) return split(args, "engine", p, names, take_engine);
    int code = EXIT_GOOD;
    const char *name;
    for (int k = 0; !code && (name = engine_name(k)); k++) code = take_engine(args, name, p);
    return code;
}

static int take_dtype(const command_args *args, const char *name, plan *p)
{
    const vn_dtype d = dtype_named(name);
    if (!d) return misuse(args->command, "--dtype: '%s' is not a dtype; a list such as float32,float64 is needed", name);
    p->dtypes |= VN_BIT(d);
    return EXIT_GOOD;
}

/* The case lines of the suite "ops"; with --lines no report is needed. */
static void take_lines(const command_args *args, plan *p)
{
    if (given(args, "cases")) lines_from(text_of(args, "cases", NULL));
    if (!given(args, "lines")) return;
    lines_only(text_of(args, "lines", NULL));
    if (!p->suite) p->suite = "ops";
    p->by_line = true;
    p->verbose = true;
    p->out = text_of(args, "out", NULL);
}

/* The suite "ranks" on one number of them. */
static void take_ranks(const command_args *args, plan *p)
{
    if (!given(args, "ranks")) return;
    ranks_only((int)count_of(args, "ranks", 1));
    if (!p->suite) p->suite = "ranks";
}

static int make_plan(const command_args *args, plan *p)
{
    static const double seconds[] = {[TIER_QUICK] = 300, [TIER_FULL] = 1800, [TIER_SOAK] = 36000};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *p = (plan){.suite = text_of(args, "suite", NULL),
                .test = text_of(args, "test", NULL),
                .tier = (tier)place_in(tier_words, text_of(args, "tier", "quick")),
                .examples = (int)count_of(args, "examples", 0),
                .sample = (int)count_of(args, "sample", 0),
                .brief = given(args, "brief"),
                .share = (int)count_of(args, "share", 0),
                .seed = (uint64_t)count_of(args, "seed", 20240901),
                .strict = given(args, "strict"),
                .alone = -1,
                .number = (int)count_of(args, "case", -1),
                .print_program = given(args, "program"),
                .stop = given(args, "stop"),
                .verbose = given(args, "verbose"),
                .out = text_of(args, "out", "vinea-report"),
                .baseline = text_of(args, "baseline", NULL),
                .plain = given(args, "plain"),
                .quiet = given(args, "quiet"),
                .jobs = (int)count_of(args, "jobs",
                                      processors < 1              ? 1
                                      : processors > PLAN_ENGINES ? PLAN_ENGINES
                                                                  : processors),
                .mebibytes = (double)count_of(args, "memory", 8192),
                .words = (const char *const *)args->line,
                .n_words = args->n_line};
    p->seconds = (double)count_of(args, "timeout", (int64_t)seconds[p->tier]);
    if (given(args, "programs")) p->programs = (programs)(PROGRAMS_ALONE + place_in(program_words, text_of(args, "programs", NULL)));
    take_lines(args, p);
    take_ranks(args, p);
    char dtypes[1024];
    int code = take_engines(args, p);
    return code ? code : split(args, "dtype", p, dtypes, take_dtype);
}

/* ---- the verdict ---- */

static void count(const run *r, int64_t to[REPORT_STATES])
{
    memset(to, 0, REPORT_STATES * sizeof *to);
    for (int e = 0; e < r->n_engines; e++)
        for (int k = 0; k < r->n_tests; k++) to[r->engines[e].cells[k].state]++;
}

static int exit_status(const run *r)
{
    int64_t n[REPORT_STATES];
    bool failure = false;
    count(r, n);
    bool misnamed = false;
    for (int e = 0; e < r->n_engines; e++) {
        failure |= *r->engines[e].failure != 0;
        if (!r->plan->named || !r->engines[e].unknown) continue;
        complain("check: %s", r->engines[e].load_error);
        misnamed = true;
    }
    if (r->interrupted) return EXIT_INTERRUPTED;
    if (n[REPORT_FAIL] || n[REPORT_FLAKY]) return EXIT_FAILED;
    if (n[REPORT_ERROR] || failure) return EXIT_ERROR;
    if (misnamed) return EXIT_USAGE;
    if (n[REPORT_NOT_RUN] == (int64_t)r->n_tests * r->n_engines) {
        complain("check: no engine is available: nothing was run");
        return EXIT_ERROR;
    }
    return EXIT_GOOD;
}

static void print_failures(const run *r)
{
    for (int e = 0; e < r->n_engines; e++) {
        for (int k = 0; k < r->n_tests; k++) {
            char repro[512];
            const cell *c = &r->engines[e].cells[k];
            if (c->state != REPORT_FAIL && c->state != REPORT_ERROR && c->state != REPORT_FLAKY) continue;
            repro_line(r, &r->engines[e], k, repro, sizeof repro);
            printf("  %s\n", repro);
        }
    }
}

static void print_summary(const run *r)
{
    int64_t n[REPORT_STATES];
    int shown = 0;
    count(r, n);
    if (n[REPORT_FAIL] + n[REPORT_ERROR] + n[REPORT_FLAKY]) {
        puts("\nTo reproduce the failures:");
        print_failures(r);
        putchar('\n');
    }
    for (int s = 0; s < REPORT_STATES; s++)
        if (n[s]) printf("%s%lld %s", shown++ ? ", " : "", (long long)n[s], report_states[s].word);
    printf(" in %.1f s", r->seconds);
    if (r->plan->out) printf(": %s/index.html", r->plan->out);
    putchar('\n');
}

/* Whether the plan has all tests, or none, of each group of ids: then a test of the group that only the baseline has was lost. */
static bool has_whole_groups(const plan *p)
{
    int n_asked = 0, n_all = 0;
    const conformance_test **asked = list_tests(p, &n_asked), **all = list_tests(&(plan){0}, &n_all);
    bool whole = asked && all;
    for (int i = 0, j = 0; i < n_all && whole; i++) { /* both are in the same order */
        if (j < n_asked && asked[j] == all[i]) {
            j++;
            continue;
        }
        const size_t n = strcspn(all[i]->id, "/") + 1;
        for (int k = 0; k < n_asked && whole; k++) whole = strncmp(asked[k]->id, all[i]->id, n) != 0;
    }
    free(asked), free(all);
    return whole;
}

/* Renders the report, and compares it with the baseline. Returns an exit status. */
static int publish(const run *r, const verdicts *baseline)
{
    report_problem p = {""};
    const plan *q = r->plan;
    report_options options = {.plain = q->plain, .baseline = baseline};
    if (report_publish(q->out, &options, &p)) return complain("check: %s", p.text), EXIT_ERROR;
    if (!baseline) return EXIT_GOOD;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/report.json", q->out);
    report *written = report_read(path, &p);
    const bool some = q->test || q->by_line || (q->suite && strcmp(q->suite, "all") != 0);
    report_scope scope = !some                                ? (q->named ? REPORT_ENGINES : REPORT_EVERYTHING)
                         : !q->by_line && has_whole_groups(q) ? REPORT_GROUPS
                                                              : REPORT_CELLS;
    int code = written ? report_against_baseline(written, baseline, scope, stdout, &p) : EXIT_ERROR;
    if (*p.text) complain("check: %s", p.text);
    if (written) report_free(written);
    return code;
}

/* ---- running ---- */

static void say_when(char *to, size_t room)
{
    time_t t = time(NULL);
    struct tm utc;
    if (!gmtime_r(&t, &utc) || !strftime(to, room, "%Y-%m-%dT%H:%M:%SZ", &utc)) snprintf(to, room, "unknown");
}

static bool make_run(run *r, const plan *p)
{
    *r = (run){.plan = p};
    r->tests = list_tests(p, &r->n_tests);
    say_when(r->utc, sizeof r->utc);
    for (int k = 0; r->tests && k < p->n_engines; k++)
        if (!run_add_engine(r, p->engines[k])) return false;
    return r->tests != NULL;
}

/* Writes the report, if requested. Returns an exit status. */
static int write_report(const run *r, const verdicts *baseline)
{
    char problem[1100] = "";
    if (!r->plan->out) return EXIT_GOOD;
    return report_write(r, problem, sizeof problem) ? publish(r, baseline) : (complain("check: %s", problem), EXIT_ERROR);
}

static int run_all(const plan *p)
{
    run r;
    char problem[1100] = "";
    int code = EXIT_ERROR;
    if (p->out && !report_folder(p, problem, sizeof problem)) return complain("check: %s", problem), EXIT_ERROR;
    report_problem unread = {""};
    verdicts *baseline = p->baseline ? verdicts_read(p->baseline, &unread) : NULL;
    if (p->baseline && !baseline) return complain("check: %s; nothing was run", unread.text), EXIT_ERROR;
    if (!make_run(&r, p) || !pool_run(&r)) complain("check: out of memory");
    else {
        int written = write_report(&r, baseline);
        if (!p->quiet) print_summary(&r);
        code = exit_status(&r);
        if (!code) code = written;
    }
    run_free(&r);
    verdicts_free(baseline);
    return code;
}

static int run_case(plan *p, const conformance_test *test)
{
    uint32_t has = test->dtypes ? test->dtypes : VN_FLOATS, asked = p->dtypes ? p->dtypes & has : has;
    if (!asked) return complain("check: %s does not run in that dtype", test->id), EXIT_USAGE;
    if (p->n_engines != 1) return complain("check: --case runs on one engine: name it with --engine"), EXIT_USAGE;
    p->dtypes = asked & VN_BIT(VN_F32) && asked != VN_BIT(VN_F64) ? VN_BIT(VN_F32) : asked;
    return case_run(p, p->engines[0], test);
}

static int list_all(const conformance_test *const *tests, int n)
{
    table *t = table_new(4);
    int code = table_row(t, (const char *[]){"TEST", "SUITE", "FUNCTION", "WHAT IT CHECKS"});
    for (int k = 0; k < n && !code; k++)
        code = table_row(t, (const char *[]){tests[k]->id, tests[k]->suite, tests[k]->function, tests[k]->what});
    if (!code) table_print(t);
    table_free(t);
    return code;
}

static void show_problem(const char *text)
{
    complain("check: %s", text);
}

/* Checks that the case lines are valid, if a test of the plan has some. */
static int check_lines(const plan *p, const conformance_test *const *tests, int n)
{
    int k = 0;
    while (k < n && !tests[k]->number_at) k++;
    if (k == n && !lines_are_few()) return EXIT_GOOD;
    return lines_check(p->engines, p->n_engines, is_test, show_problem) ? EXIT_FAILED : EXIT_GOOD;
}

/* Checks that the tests exist, and that --case selects one. */
static int run_plan(plan *p, bool list)
{
    int n = 0, code;
    const conformance_test **tests = list_tests(p, &n);
    if ((code = check_lines(p, tests, n))) complain("check: nothing was run");
    else if (!n)
        code = (complain("check: there is no such test:%s%s%s%s; `vinea check --list` lists them", p->suite ? " suite " : "",
                         p->suite ? p->suite : "", p->test ? " test " : "", p->test ? p->test : ""),
                EXIT_USAGE);
    else if (list) code = list_all(tests, n);
    else if (p->number >= 0 && n != 1)
        code = (complain("check: --case runs one test, and %d are asked for: name one by its id, such as --test %s", n, tests[0]->id),
                EXIT_USAGE);
    else if (p->number >= 0) code = run_case(p, tests[0]);
    else code = run_all(p);
    free(tests);
    return code;
}

static int compare(const char *const *files)
{
    report_problem p = {""};
    int code = report_compare_files(files[0], files[1], &p);
    if (*p.text) complain("check: %s", p.text);
    return code;
}

/* --child ENGINE FIRST FD ALONE: the process that runs the tests of one engine (conformance/suite/child.c). */
static int run_child(plan *p, const char *const *values)
{
    p->alone = atoi(values[3]);
    return child_run(p, values[0], atoi(values[1]), atoi(values[2]));
}

static int run_words(const command_args *args)
{
    plan p;
    if (texts_of(args, "compare")) return compare(texts_of(args, "compare"));
    int code = make_plan(args, &p);
    if (code) return code;
    if (given(args, "rank")) return ranks_child(&p, text_of(args, "rank", NULL));
    return given(args, "child") ? run_child(&p, texts_of(args, "child")) : run_plan(&p, given(args, "list"));
}

const command command_check = {
    .name = "check",
    .summary = "run the conformance tests on every engine and write the dashboard",
    .details =
        "Every engine runs in its own process; one that crashes, hangs or is missing affects only its own cells. The report's folder\n"
        "gets report.json, index.html (one file that needs no network), md/, badges/, history.jsonl, and cases/ with the inputs "
        "that failed.\n"
        "Exit status: 0 all pass, 1 something failed, 2 an error (crash, timeout ...) and no failure, 3 a usage error,\n"
        "130 interrupted; the report then has the results so far.\n",
    .examples = "vinea check\n"
                "vinea check --engine torch --suite seeds/004\n"
                "vinea check --test lars_update --tier full\n"
                "vinea check --test lars_update --engine torch --case 1 --dtype float32\n"
                "vinea check --ranks 3 --engine native,torch\n"
                "vinea check --engine native --lines conformance/cases/math.case:12\n",
    .options =
        (const command_option[]){
            {.name = "engine",
             .kind = OPTION_ENGINE,
             .value = "LIST",
             .about = "a list such as native,torch (all: every engine that `vinea engines` lists)"},
            {.name = "suite", .kind = OPTION_TEXT, .value = "NAME", .about = "seeds, ops, nn, ranks, or one table such as seeds/002 (all)"},
            {.name = "test",
             .kind = OPTION_TEXT,
             .value = "ID",
             .about = "one test: its id (002/lars_update, ops/softmax) or its name (lars_update)"},
            {.name = "dtype", .kind = OPTION_TEXT, .value = "LIST", .about = "only these, such as float32,float64"},
            {.name = "tier",
             .kind = OPTION_CHOICE,
             .value = "TIER",
             .choices = tier_words,
             .about = "quick (the default), full (25 cases of each test and dtype, second gradients) or soak (1000)"},
            {.name = "programs",
             .kind = OPTION_CHOICE,
             .value = "WAY",
             .choices = program_words,
             .about = "compute the cases of an op as one program, which is fast on engines that compile (quick tier), each alone, or both "
                      "(the other tiers)"},
            {.name = "examples", .kind = OPTION_COUNT, .low = 1, .high = 1000000, .about = "number of cases of each test and dtype"},
            {.name = "sample",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = 1000,
             .about = "run only one in N of the random cases and derivative checks of ops, different ones for each commit"},
            {.name = "brief",
             .about = "run each test in one dtype of each kind (integers, half precision ...) and every second case line, different ones "
                      "for each commit"},
            {.name = "share",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = 1000,
             .about = "run only one in N of the tests of each table (nn/optimizers, ops/composed ...), different ones for each commit"},
            {.name = "seed", .kind = OPTION_COUNT, .high = INT64_C(1) << 53, .about = "the seed of the random cases (20240901)"},
            {.name = "strict",
             .about = "use the strict tolerance (k * eps * depth of the operation) instead of the looser one of the seed tests"},
            {.name = "case",
             .kind = OPTION_COUNT,
             .high = INT_MAX - 1,
             .about =
                 "run one case of one test on one engine and print expected and actual values and errors; uses the minimised failing input "
                 "from the report's folder if it is there"},
            {.name = "program", .about = "with --case: print the case as a C program, and do not run it"},
            {.name = "out", .kind = OPTION_FILE, .value = "DIR", .about = "folder of the report (vinea-report)"},
            {.name = "baseline",
             .kind = OPTION_FILE,
             .about = "an earlier report.json or verdicts.json: a cell that passed there and fails now, or that only one of the runs "
                      "has, makes "
                      "the exit status 1"},
            {.name = "compare",
             .kind = OPTION_FILE,
             .value = "A B",
             .n_values = 2,
             .about = "run nothing; print what changed between two reports; exit status 1 if a cell broke, is gone or is new"},
            {.name = "cases",
             .kind = OPTION_FILE,
             .value = "DIR",
             .about = "the folder with the case files, cases/, and the known failures, known/ENGINE.txt (those that come with Vinea)"},
            {.name = "lines",
             .kind = OPTION_FILE,
             .value = "FILE[:LINE]",
             .about = "run only these case lines, from any case file, and list all failures; writes a report only with --out"},
            {.name = "ranks",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = 1 << 12,
             .about = "the suite ranks on this many processes (its tables: 1, 2 and 4), started with `vinea launch`"},
            {.name = "stop", .about = "stop at the first test that fails"},
            {.name = "verbose", .about = "list every failing case, not only the first of a test"},
            {.name = "jobs",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = PLAN_ENGINES,
             .about = "number of engines to run at a time (the number of processors)"},
            {.name = "timeout",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = 1000000,
             .value = "SECONDS",
             .about = "time limit of one test (300; 1800 and 36000 in the longer tiers)"},
            {.name = "memory",
             .kind = OPTION_COUNT,
             .low = 1,
             .high = 1000000000,
             .value = "MIB",
             .about = "limit on an engine's resident memory (8192)"},
            {.name = "plain", .about = "text instead of images in tables"},
            {.name = "quiet", .about = "no progress and no summary"},
            {.name = "list", .about = "list the tests"},
            {.name = "child", .kind = OPTION_TEXT, .n_values = 4, .hidden = 1},
            {.name = "rank", .kind = OPTION_FILE, .hidden = 1},
            {0}},
    .run = run_words,
};
