/* check.c: `vinea check`: reads the command line of the conformance runner (conformance/suite), runs it, writes the report and has it
 * rendered (conformance/report). */
#include "command.h"

#include "conformance/report/report.h"
#include "conformance/suite/runner.h"

#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_ERROR = 2 };

static const char hint[] = "`vinea check --help` lists the options";

typedef struct request {
    plan plan;
    bool list;
    const char *compare[2];
    const char *child; /* the engine this process is for; "" when it is the parent */
    int first, fd;
} request;

/* ---- values of options ---- */

static bool bad(const char *option, const char *value, const char *wanted)
{
    complain("check: %s: %s is wanted, not '%s' (%s)", option, wanted, value, hint);
    return false;
}

static bool whole_of(const char *option, const char *value, int64_t low, int64_t high, int64_t *to)
{
    char *end = NULL, wanted[80];
    errno = 0;
    long long v = strtoll(value, &end, 10);
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)low, (long long)high);
    if (end == value || *end || errno || v < low || v > high) return bad(option, value, wanted);
    *to = v;
    return true;
}

static bool int_of(const char *option, const char *value, int low, int high, int *to)
{
    int64_t v = 0;
    if (!whole_of(option, value, low, high, &v)) return false;
    *to = (int)v;
    return true;
}

static bool engines_of(const char *value, plan *p)
{
    static char names[1024];
    p->n_engines = 0;
    p->named = strcmp(value, "all") != 0;
    for (int k = 0; !p->named && engine_words[k]; k++) p->engines[p->n_engines++] = engine_words[k];
    if (!p->named) return true;
    if (snprintf(names, sizeof names, "%s", value) >= (int)sizeof names) return bad("--engine", value, "a shorter list");
    char *rest = names;
    for (char *name; (name = strsep(&rest, ","));) {
        if (!*name || p->n_engines == PLAN_ENGINES) return bad("--engine", value, "a list such as native,torch (16 at most), or all");
        for (int k = 0; k < p->n_engines; k++)
            if (!strcmp(p->engines[k], name)) return bad("--engine", value, "every name once");
        p->engines[p->n_engines++] = name;
    }
    return true;
}

static bool dtypes_of(const char *value, plan *p)
{
    char names[256];
    if (snprintf(names, sizeof names, "%s", value) >= (int)sizeof names) return bad("--dtype", value, "a shorter list");
    p->dtypes = 0;
    char *rest = names;
    for (char *name; (name = strsep(&rest, ","));) {
        int d = 0;
        while (d < VN_DTYPE_COUNT && strcmp(name, vn_dtype_name((vn_dtype)d)) != 0) d++;
        if (d == VN_DTYPE_COUNT) return bad("--dtype", value, "a list such as float32,float64");
        p->dtypes |= VN_BIT(d);
    }
    return true;
}

static const char *const tier_words[] = {[TIER_QUICK] = "quick", [TIER_FULL] = "full", [TIER_SOAK] = "soak", NULL};

static bool tier_of(const char *value, plan *p)
{
    for (int k = 0; tier_words[k]; k++)
        if (!strcmp(value, tier_words[k])) return p->tier = (tier)k, true;
    return bad("--tier", value, "quick, full or soak");
}

/* ---- the command line ---- */

/* The options that take one value. */
static bool take_value(request *q, const char *option, const char *value, bool *known)
{
    plan *p = &q->plan;
    int64_t v = 0;
    *known = true;
    if (!strcmp(option, "--engine")) return engines_of(value, p);
    if (!strcmp(option, "--suite")) return p->suite = value, true;
    if (!strcmp(option, "--test")) return p->test = value, true;
    if (!strcmp(option, "--tier")) return tier_of(value, p);
    if (!strcmp(option, "--dtype")) return dtypes_of(value, p);
    if (!strcmp(option, "--out")) return *value ? (p->out = value, true) : bad(option, value, "a folder");
    if (!strcmp(option, "--known")) return p->known = value, true;
    if (!strcmp(option, "--cases")) return lines_from(value), true;
    if (!strcmp(option, "--baseline")) return p->baseline = value, true;
    if (!strcmp(option, "--case")) return int_of(option, value, 0, INT_MAX - 1, &p->number);
    if (!strcmp(option, "--examples")) return int_of(option, value, 1, 1000000, &p->examples);
    if (!strcmp(option, "--jobs")) return int_of(option, value, 1, PLAN_ENGINES, &p->jobs);
    if (!strcmp(option, "--seed")) return whole_of(option, value, 0, INT64_C(1) << 53, &v) && (p->seed = (uint64_t)v, true);
    if (!strcmp(option, "--timeout")) return whole_of(option, value, 1, 1000000, &v) && (p->seconds = (double)v, true);
    if (!strcmp(option, "--memory")) return whole_of(option, value, 1, 1000000000, &v) && (p->mebibytes = (double)v, true);
    return *known = false;
}

static bool take_switch(request *q, const char *word)
{
    if (!strcmp(word, "--plain")) return q->plan.plain = true;
    if (!strcmp(word, "--strict")) return q->plan.strict = true;
    if (!strcmp(word, "--quiet")) return q->plan.quiet = true;
    if (!strcmp(word, "--list")) return q->list = true;
    return false;
}

/* `--child ENGINE FIRST FD` and `--compare A B` */
static bool take_several(request *q, const command_args *args, int *i, bool *known)
{
    const char *word = args->words[*i];
    int left = args->n - *i - 1;
    *known = true;
    if (!strcmp(word, "--compare")) {
        if (left < 2) return complain("check: --compare needs two files (%s)", hint), false;
        for (int k = 0; k < 2; k++) q->compare[k] = args->words[++*i];
        return true;
    }
    if (!strcmp(word, "--child")) {
        if (left < 3) return complain("check: --child is for the command itself"), false;
        q->child = args->words[++*i];
        bool fine = int_of(word, args->words[*i + 1], 0, INT_MAX, &q->first) && int_of(word, args->words[*i + 2], 3, 65535, &q->fd);
        *i += 2;
        return fine;
    }
    return *known = false;
}

static bool read_words(const command_args *args, request *q)
{
    for (int i = 0; i < args->n; i++) {
        const char *word = args->words[i];
        bool known = false;
        if (take_switch(q, word)) continue;
        bool fine = take_several(q, args, &i, &known);
        if (!known && i + 1 < args->n) {
            fine = take_value(q, word, args->words[i + 1], &known);
            i += known;
        }
        if (known && fine) continue;
        if (!known) complain("check: unexpected '%s', or its value is missing (%s)", word, hint);
        return false;
    }
    return true;
}

/* ---- the verdict ---- */

static void count(const run *r, int64_t to[CELL_STATES])
{
    memset(to, 0, CELL_STATES * sizeof *to);
    for (int e = 0; e < r->n_engines; e++)
        for (int k = 0; k < r->n_tests; k++) to[r->engines[e].cells[k].state]++;
}

static int exit_status(const run *r, int broken)
{
    int64_t n[CELL_STATES];
    bool trouble = false;
    count(r, n);
    bool misnamed = false;
    for (int e = 0; e < r->n_engines; e++) {
        trouble |= *r->engines[e].trouble != 0;
        if (!r->plan->named || !r->engines[e].unknown) continue;
        complain("check: %s", r->engines[e].load_error);
        misnamed = true;
    }
    if (r->interrupted) return EXIT_INTERRUPTED;
    if (n[CELL_FAIL] || n[CELL_FLAKY] || broken) return EXIT_FAILED;
    if (n[CELL_ERROR] || trouble) return EXIT_ERROR;
    if (misnamed) return EXIT_USAGE;
    if (n[CELL_NOT_RUN] == (int64_t)r->n_tests * r->n_engines) {
        complain("check: no engine is there: nothing was run");
        return EXIT_ERROR;
    }
    return EXIT_GOOD;
}

static void print_failures(const run *r)
{
    for (int e = 0; e < r->n_engines; e++) {
        for (int k = 0; k < r->n_tests; k++) {
            char line[512];
            const cell *c = &r->engines[e].cells[k];
            if (c->state != CELL_FAIL && c->state != CELL_ERROR && c->state != CELL_FLAKY) continue;
            repro_line(r, &r->engines[e], k, line, sizeof line);
            printf("  %s\n", line);
        }
    }
}

static void print_summary(const run *r)
{
    int64_t n[CELL_STATES];
    int shown = 0;
    count(r, n);
    if (n[CELL_FAIL] + n[CELL_ERROR] + n[CELL_FLAKY]) {
        puts("\nTo run what failed again:");
        print_failures(r);
        putchar('\n');
    }
    for (int s = 0; s < CELL_STATES; s++)
        if (n[s]) printf("%s%lld %s", shown++ ? ", " : "", (long long)n[s], s == CELL_NOT_RUN ? "not run" : cell_state_names[s]);
    printf(" in %.1f s: %s/index.html\n", r->seconds, r->plan->out);
}

/* Renders the report, and compares it with the baseline. */
static int publish(const run *r, int *broken)
{
    report_problem p = {""};
    const plan *q = r->plan;
    report_options options = {.plain = q->plain, .baseline = q->baseline};
    if (report_publish(q->out, &options, &p)) return complain("check: %s", p.text), EXIT_ERROR;
    if (!q->baseline) return EXIT_GOOD;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/report.json", q->out);
    report *written = report_read(path, &p);
    int code = written ? report_against_baseline(written, q->baseline, stdout, broken, &p) : 1;
    if (code) complain("check: %s", p.text);
    if (written) report_free(written);
    return code ? EXIT_ERROR : EXIT_GOOD;
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
    *r = (run){.plan = p, .n_engines = p->n_engines};
    r->tests = list_tests(p, &r->n_tests);
    say_when(r->utc, sizeof r->utc);
    for (int k = 0; r->tests && k < p->n_engines; k++) {
        r->engines[k].name = p->engines[k];
        r->engines[k].cells = calloc((size_t)r->n_tests, sizeof *r->engines[k].cells);
        if (!r->engines[k].cells) return false;
    }
    return r->tests != NULL;
}

static int run_all(const plan *p)
{
    run r;
    char problem[1100] = "";
    int broken = 0, code = EXIT_ERROR, rendered;
    if (!report_folder(p, problem, sizeof problem)) return complain("check: %s", problem), EXIT_ERROR;
    if (!make_run(&r, p) || !pool_run(&r)) complain("check: out of memory");
    else if (!report_write(&r, problem, sizeof problem)) complain("check: %s", problem);
    else {
        rendered = publish(&r, &broken);
        if (!p->quiet) print_summary(&r);
        code = exit_status(&r, broken);
        if (!code) code = rendered;
    }
    run_free(&r);
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
    int code = table_row(t, (const char *[]){"TEST", "SUITE", "FUNCTION", "WHAT IT PROVES"});
    for (int k = 0; k < n && !code; k++)
        code = table_row(t, (const char *[]){tests[k]->id, tests[k]->suite, tests[k]->function, tests[k]->what});
    if (!code) table_print(t);
    table_free(t);
    return code;
}

/* The tests must be there, and one of them where one is wanted. */
static int run_plan(request *q)
{
    plan *p = &q->plan;
    char problem[512] = "";
    int n = 0, code;
    const conformance_test **tests = list_tests(p, &n);
    known_failure(p, "", "", problem, sizeof problem);
    if (*problem) code = (complain("check: %s", problem), EXIT_USAGE);
    else if (!n)
        code = (complain("check: there is no such test (%s%s%s%s); `vinea check --list` lists them", p->suite ? "suite " : "",
                         p->suite ? p->suite : "", p->test ? " test " : "", p->test ? p->test : ""),
                EXIT_USAGE);
    else if (q->list) code = list_all(tests, n);
    else if (p->number >= 0 && n != 1)
        code = (complain("check: --case runs one test, and %d are asked for: name one by its id, such as --test %s", n, tests[0]->id),
                EXIT_USAGE);
    else if (p->number >= 0) code = run_case(p, tests[0]);
    else code = run_all(p);
    free(tests);
    return code;
}

static int run_words(const command_args *args)
{
    request q = {.plan = {.tier = TIER_QUICK,
                          .number = -1,
                          .seed = 20240901,
                          .out = "vinea-report",
                          .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
                          .mebibytes = 8192,
                          .words = (const char *const *)args->words,
                          .n_words = args->n},
                 .child = ""};
    engines_of("all", &q.plan);
    if (!read_words(args, &q)) return EXIT_USAGE;
    static const double seconds[] = {[TIER_QUICK] = 300, [TIER_FULL] = 1800, [TIER_SOAK] = 36000};
    if (!(q.plan.seconds > 0)) q.plan.seconds = seconds[q.plan.tier];
    if (q.plan.jobs < 1) q.plan.jobs = 1;
    if (q.plan.jobs > PLAN_ENGINES) q.plan.jobs = PLAN_ENGINES;
    if (*q.child) return child_run(&q.plan, q.child, q.first, q.fd);
    if (q.compare[0]) {
        report_problem p = {""};
        int code = report_compare_files(q.compare[0], q.compare[1], &p);
        if (*p.text) complain("check: %s", p.text);
        return code;
    }
    return run_plan(&q);
}

/* It reads its words itself: options with two values, and one that is for itself alone. */
const command command_check = {
    .name = "check",
    .summary = "run the conformance tests on every engine and write the dashboard",
    .details =
        "Every engine runs in a process of its own; one that crashes, hangs or is not there costs its cells and nothing else. The folder "
        "of the\n"
        "report gets report.json, index.html (one file that needs no network), md/, badges/, history.jsonl, and cases/ with the inputs "
        "that failed.\n"
        "Exit status: 0 all pass, 1 something failed, 2 an error (crash, timeout ...) and no failure, 3 the command line makes no sense,\n"
        "130 interrupted; the report then holds what was done.\n",
    .examples = "vinea check\n"
                "vinea check --engine torch --suite seeds/004\n"
                "vinea check --test lars_update --tier full\n"
                "vinea check --test lars_update --engine torch --case 1 --dtype float32\n",
    .options =
        (const command_option[]){
            {.name = "engine",
             .kind = OPTION_TEXT,
             .value = "LIST",
             .choices = engine_words,
             .about = "native,numpy,jax,tensorflow,torch (or all, the default), or any other engine there is"},
            {.name = "suite",
             .kind = OPTION_TEXT,
             .value = "NAME",
             .about = "seeds, ops, nn, or one table such as seeds/002; all is the default"},
            {.name = "test", .kind = OPTION_TEXT, .value = "ID", .about = "one test: its id (002/lars_update) or its name (lars_update)"},
            {.name = "dtype", .kind = OPTION_TEXT, .value = "LIST", .about = "only these, such as float32,float64"},
            {.name = "tier",
             .kind = OPTION_CHOICE,
             .value = "TIER",
             .choices = tier_words,
             .about = "quick (the default), full (25 cases of each test and dtype, second gradients) or soak (1000)"},
            {.name = "examples", .kind = OPTION_COUNT, .about = "so many cases of each test and dtype"},
            {.name = "seed", .kind = OPTION_COUNT, .about = "another seed draws other cases (20240901)"},
            {.name = "strict", .about = "the strict tolerance decides (k * eps * depth of the operation), not the looser one of the seeds"},
            {.name = "case",
             .kind = OPTION_COUNT,
             .about = "run one case of one test on one engine again and print expected, got and error; the smallest input that failed "
                      "comes from the report's folder when it is there"},
            {.name = "out", .kind = OPTION_FILE, .value = "DIR", .about = "folder of the report (vinea-report)"},
            {.name = "baseline",
             .kind = OPTION_FILE,
             .about = "a report.json or verdicts.json of before: a cell that passed there and fails now makes the exit status 1"},
            {.name = "compare", .kind = OPTION_FILE, .value = "A B", .about = "run nothing; say what changed between two reports"},
            {.name = "known",
             .kind = OPTION_FILE,
             .about = "known failures, a line each: engine, id, reason (instead of the built-in list)"},
            {.name = "cases",
             .kind = OPTION_FILE,
             .value = "DIR",
             .about = "the folder that has the golden lines, cases/, and which are known to fail, known/ (those that come with Vinea)"},
            {.name = "jobs", .kind = OPTION_COUNT, .about = "so many engines at a time (the number of processors)"},
            {.name = "timeout", .kind = OPTION_COUNT, .value = "SECONDS", .about = "limit of one test (300; 1800 and 36000 in the longer tiers)"},
            {.name = "memory", .kind = OPTION_COUNT, .value = "MIB", .about = "limit of an engine's resident memory (8192)"},
            {.name = "plain", .about = "tables with words instead of pictures"},
            {.name = "quiet", .about = "no progress and no summary"},
            {.name = "list", .about = "list the tests"},
            {0}},
    .raw = 1,
    .run = run_words,
};
