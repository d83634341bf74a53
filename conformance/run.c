/* run.c: the case runner. Reads case files (parse.c has their form), runs every line on one engine through vn_call and compares: the
 * result with what is expected, alone and evaluated together with something else, and its derivatives with differences (gradient.c).
 *
 *     vinea-cases --engine torch conformance/cases conformance/known
 *
 * An engine's expected failures stand in known/<engine>.txt, as lines "file.case:LINE reason". One that passes, or names no case, is a
 * failure. So is an op of the table without any case that gives its result. Only the public API is used. */
#include "case.h"
#include "table.h"
#include <ctype.h>
#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_FAILED = 1, EXIT_NO_ENGINE = 2, EXIT_USAGE = 3 };

static const char usage[] = "usage: vinea-cases [--engine NAME] [--filter TEXT] [--part K/N] [--stop] [--strict[=ops]] [--verbose] CASES [KNOWN]\n"
                            "  CASES            a folder of .case files, or one of them\n"
                            "  KNOWN            a folder with the engines' expected failures, NAME.txt\n"
                            "  --engine NAME    the engine to run on (native)\n"
                            "  --filter TEXT    only lines that contain TEXT, or whose file:line begins with it\n"
                            "  --part K/N       only the K-th of N parts, by op: N processes share the work\n"
                            "  --stop           run nothing after the first failure\n"
                            "  --strict         values only, one case for each op and dtype, and no native kernels on other engines\n"
                            "  --strict=ops     the same with one case for each op\n"
                            "  --verbose        name every case\n"
                            "Exit code: 0 all passed, 1 cases failed, 2 the engine is not available, 3 wrong usage\n";

typedef struct known {
    char *place; /* "file.case:12" */
    const char *reason;
    bool used;
} known;

typedef struct runner {
    const char *engine, *filter;
    bool verbose, stop, strict, ops_only;
    unsigned part, parts; /* this one of so many */
    known *known;
    size_t n_known;
    bool *covered; /* ops of the table with a result */
    counts n;
    long passed, failed, expected_failures;
} runner;

static void run_test(test *t, runner *r)
{
    test_run(t, &(judging){.engine = r->engine, .together = !r->strict, .derivatives = !r->strict, .once = true, .n = &r->n});
    for (int k = 0; k < table_ops().count() && !t->wants_error; k++) {
        vn_op_info info = {.size = sizeof info};
        if (table_ops().at(k, &info) == VN_OK && !strcmp(info.name, t->op)) r->covered[k] = true;
    }
}

/* ---- expected failures ---- */

static bool add_known(runner *r, char *line)
{
    char *place = line + strspn(line, " \t"), *end = place + strcspn(place, " \t\n");
    if (!*place || *place == '\n' || *place == '#') return true;
    char *reason = end + strspn(end, " \t");
    reason[strcspn(reason, "\n")] = 0;
    known *more = realloc(r->known, (r->n_known + 1) * sizeof *more);
    if (!more) return false;
    r->known = more;
    char *copy = strdup(place);
    if (!copy) return false;
    copy[end - place] = 0;
    r->known[r->n_known++] = (known){.place = copy, .reason = copy + (reason - place)};
    if (*reason) return true;
    printf("FAIL known failures: %s has no reason\n", copy);
    r->failed++;
    return true;
}

/* No file: no expected failures. */
static bool read_known(runner *r, const char *folder)
{
    char *path = NULL, *line = NULL;
    size_t room = 0;
    if (asprintf(&path, "%s/%s.txt", folder, r->engine) < 0) return false;
    FILE *f = fopen(path, "r");
    bool fine = true;
    while (f && fine && getline(&line, &room, f) >= 0) fine = add_known(r, line);
    if (f) fclose(f);
    free(line);
    free(path);
    return fine;
}

static known *find_known(runner *r, const char *place)
{
    for (size_t k = 0; k < r->n_known; k++) {
        if (!strcmp(r->known[k].place, place)) return &r->known[k];
    }
    return NULL;
}

/* ---- parts ---- */

/* An op's cases are all in one part, so that each part can tell which of its ops have none. */
static bool in_part(const runner *r, const char *op, size_t length)
{
    unsigned hash = 2166136261u;
    for (size_t k = 0; k < length; k++) hash = (hash ^ (unsigned char)op[k]) * 16777619u;
    return (hash >> 16) % r->parts == r->part - 1;
}

static bool read_part(runner *r, const char *text)
{
    char rest;
    return sscanf(text, "%u/%u%c", &r->part, &r->parts, &rest) == 2 && r->part >= 1 && r->part <= r->parts;
}

/* ---- files ---- */

/* A line that cannot be read is no known failure. */
static void judge(runner *r, test *t, const char *place, bool readable)
{
    known *k = readable ? find_known(r, place) : NULL;
    if (k) k->used = true;
    if (!t->why && !k) {
        r->passed++;
        if (r->verbose) printf("ok   %s: %s\n", place, t->text);
    } else if (!t->why) {
        r->failed++;
        printf("FAIL %s: %s\n  it is listed as a known failure (%s) but passes\n", place, t->text, k->reason);
    } else if (k) {
        r->expected_failures++;
        if (r->verbose) printf("known %s: %s\n  %s\n  %s\n", place, t->text, k->reason, t->why);
    } else {
        r->failed++;
        printf("FAIL %s: %s\n  %s\n", place, t->text, t->why);
    }
    fflush(stdout);
}

static void run_line(runner *r, const char *file, int number, const char *line)
{
    char place[300];
    if (r->stop && r->failed) return;
    snprintf(place, sizeof place, "%s:%d", file, number);
    if (r->filter && !strstr(line, r->filter) && strncmp(place, r->filter, strlen(r->filter)) != 0) return;
    const char *op = line + strspn(line, " \t");
    if (!in_part(r, op, strcspn(op, ". \t"))) { /* another part runs it */
        known *k = find_known(r, place);
        if (k) k->used = true;
        return;
    }
    test t;
    bool readable = test_parse(&t, file, number, line);
    if (!r->strict || !readable || strict_wants(&t, r->ops_only)) {
        r->n.cases++;
        if (readable) run_test(&t, r);
        if (!r->strict || !readable || !strict_judge(&t, r->engine)) judge(r, &t, place, readable);
    }
    test_free(&t);
}

static void file_failed(runner *r, const char *path, const char *why)
{
    printf("FAIL %s: %s\n", path, why);
    r->failed++;
}

static void run_file(runner *r, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    FILE *f = fopen(path, "r");
    if (!f) {
        file_failed(r, path, "cannot be read");
        return;
    }
    char *line = NULL;
    size_t room = 0;
    int number = 0, lines = 0;
    while (getline(&line, &room, f) >= 0) {
        number++;
        const char *s = line + strspn(line, " \t\r\n");
        if (!*s || *s == '#') continue;
        lines++;
        line[strcspn(line, "\r\n")] = 0;
        run_line(r, name, number, line);
    }
    if (ferror(f)) file_failed(r, path, "reading failed");
    if (!lines) file_failed(r, path, "has no cases");
    free(line);
    fclose(f);
}

static int is_case(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && !strcmp(dot, ".case");
}

static void run_folder(runner *r, const char *folder)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_case, alphasort);
    if (n <= 0) file_failed(r, folder, n < 0 ? "cannot be read" : "has no case files");
    for (int k = 0; k < n; k++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entries[k]->d_name) < 0) file_failed(r, entries[k]->d_name, "out of memory");
        else run_file(r, path);
        free(path);
        free(entries[k]);
    }
    free(entries);
}

/* ---- the whole ---- */

/* Ops nobody tested, known failures that name no case. */
static void check_lists(runner *r)
{
    for (int k = 0; k < table_ops().count(); k++) {
        vn_op_info info = {.size = sizeof info};
        if (table_ops().at(k, &info) || r->covered[k] || !in_part(r, info.name, strlen(info.name)) || !strcmp(info.kind, "move") || !strcmp(info.kind, "tied")) continue;
        printf("FAIL %s: the op has no case that gives its result\n", info.name);
        r->failed++;
    }
    for (size_t k = 0; k < r->n_known; k++) {
        if (r->known[k].used) continue;
        printf("FAIL known failures: %s is no case\n", r->known[k].place);
        r->failed++;
    }
}

static int run_all(runner *r, const char *cases, const char *known_folder)
{
    struct stat s;
    r->covered = calloc((size_t)table_ops().count() + 1, sizeof *r->covered);
    bool fine = r->covered && (!known_folder || read_known(r, known_folder)), folder = !stat(cases, &s) && S_ISDIR(s.st_mode);
    if (!fine) file_failed(r, cases, "out of memory");
    else if (folder) run_folder(r, cases);
    else run_file(r, cases);
    if (fine && folder && !r->filter && !r->strict && !(r->stop && r->failed)) check_lists(r);
    if (fine && r->strict && !strict_report(r->engine, r->ops_only)) r->failed++;
    if (!r->n.cases) file_failed(r, cases, "no case was run");
    printf("%s: %ld cases, %ld value checks, %ld gradient checks, %ld second-gradient checks", r->engine, r->n.cases, r->n.values,
           r->n.gradients, r->n.second);
    if (r->expected_failures) printf(", %ld known failures", r->expected_failures);
    printf("\n%ld passed, %ld failed\n", r->passed, r->failed);
    for (size_t k = 0; k < r->n_known; k++) free(r->known[k].place);
    free(r->known);
    free(r->covered);
    gradient_close();
    return r->failed ? EXIT_FAILED : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"engine", required_argument, NULL, 'e'},
                                            {"filter", required_argument, NULL, 'f'},
                                            {"part", required_argument, NULL, 'p'},
                                            {"stop", no_argument, NULL, 'o'},
                                            {"strict", optional_argument, NULL, 's'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    runner r = {.engine = "native", .part = 1, .parts = 1};
    for (int c; (c = getopt_long(argc, argv, "e:f:p:osvh", options, NULL)) >= 0;) {
        switch (c) {
        case 'e': r.engine = optarg; break;
        case 'f': r.filter = optarg; break;
        case 'p':
            if (read_part(&r, optarg)) break;
            return fputs(usage, stderr), EXIT_USAGE;
        case 'o': r.stop = true; break;
        case 's':
            r.strict = true;
            r.ops_only = optarg && !strcmp(optarg, "ops");
            if (optarg && !r.ops_only) return fputs(usage, stderr), EXIT_USAGE;
            break;
        case 'v': r.verbose = true; break;
        case 'h': return fputs(usage, stdout) < 0;
        default: return fputs(usage, stderr), EXIT_USAGE;
        }
    }
    if (argc - optind < 1 || argc - optind > 2) return fputs(usage, stderr), EXIT_USAGE;
    if (r.strict) setenv("VINEA_STRICT", "1", 1);
    if (vn_use(r.engine)) {
        fprintf(stderr, "vinea-cases: %s\n", vn_message());
        vn_close();
        return EXIT_NO_ENGINE;
    }
    int code = run_all(&r, argv[optind], argv[optind + 1]);
    if (!vn_close() || code) return code;
    fprintf(stderr, "vinea-cases: the library ends with an error\n");
    return EXIT_FAILED;
}
