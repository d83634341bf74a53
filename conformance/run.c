/* run.c: the case runner. Reads case files (parse.c has their form), runs every line on one engine through vn_call and compares: the
 * result with what is expected, alone and evaluated together with something else, and its derivatives with differences (gradient.c).
 *
 *     vinea-cases --engine torch conformance/cases conformance/known
 *
 * An engine's expected failures stand in known/<engine>.txt, as lines "file.case:LINE reason". One that passes, or names no case, is a
 * failure. So is an op of the table without any case that gives its result. Only the public API is used. */
#include "case.h"
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

/* ---- one case ---- */

vn_array *operand_array(const operand *o)
{
    if (o->kind == MISSING) return NULL;
    if (o->kind == ABSENT) return VN_NONE;
    if (o->kind == WEAK) return vn_scalar(o->numbers[0]);
    return vn_array_from(o->data, o->dtype, o->rank, o->dims);
}

static vn_option option_of(const setting *s, bool wide)
{
    vn_option o = {.name = s->name, .kind = s->kind, .n = s->n};
    bool dtype = isalpha((unsigned char)s->text[0]) && s->kind == VN_OPT_INT;
    if (s->kind == VN_OPT_INTS) o.u.is = s->list;
    else if (s->kind == VN_OPT_FLOAT) o.u.f = s->real;
    else if (s->kind == VN_OPT_STRING) o.u.s = s->text;
    else o.u.i = dtype && wide ? widest((int)s->whole) : s->whole;
    return o;
}

vn_array *test_apply(const test *t, vn_array *const *in, bool wide)
{
    vn_option options[MAX_OPTIONS + 1];
    vn_array *out[MAX_OUT] = {NULL};
    int n = 0;
    for (; n < t->n_options; n++) options[n] = option_of(&t->options[n], wide);
    for (int k = 0; wide && t->info.name && k < t->info.n_options; k++) { /* a default that is a float dtype */
        const vn_op_option *o = &t->info.options[k];
        bool given = !o->fallback || strcmp(o->type, "dtype") != 0;
        for (int j = 0; j < t->n_options; j++) given |= !strcmp(t->options[j].name, o->name);
        if (!given && n <= MAX_OPTIONS) options[n++] = (vn_option){.name = o->name, .kind = VN_OPT_INT, .n = 1, .u.i = VN_F64};
    }
    int n_out = t->info.n_outputs ? t->info.n_outputs : 1;
    return vn_call(t->op, in, t->n_in, options, n, out, n_out) == VN_OK ? out[t->out < n_out ? t->out : 0] : NULL;
}

/* New arrays from the test's inputs, and the op on them. NULL with the library's error set. */
static vn_array *compute(const test *t)
{
    vn_array *in[MAX_IN] = {NULL};
    for (int k = 0; k < t->n_in; k++) {
        in[k] = operand_array(&t->in[k]);
        if (!in[k] && t->in[k].kind != MISSING) return NULL;
    }
    return test_apply(t, in, false);
}

static bool library_failed(test *t, const char *what)
{
    return test_fail(t, "%s: %s: %s", what, vn_code_name(vn_status()), vn_message());
}

/* What is known of a result before it is computed. */
static bool check_form(test *t, vn_array *z, const char *engine)
{
    const operand *e = &t->expected;
    vn_shape s = vn_shape_of(z);
    bool shape = s.rank == e->rank && !memcmp(s.dim, e->dims, (size_t)e->rank * sizeof *s.dim);
    if (vn_dtype_of(z) != (vn_dtype)e->dtype)
        return test_fail(t, "dtype: expected %s, got %s", vn_dtype_name((vn_dtype)e->dtype), vn_dtype_name(vn_dtype_of(z)));
    if (strcmp(vn_engine_of(z), engine) != 0) return test_fail(t, "engine: expected %s, got %s", engine, vn_engine_of(z));
    if (shape && vn_size(z) == e->count) return true;
    char text[16 * 24] = "";
    for (int k = 0; k < s.rank; k++) snprintf(text + strlen(text), 24, "%s%lld", k ? "," : "", (long long)s.dim[k]);
    return test_fail(t, "shape: got (%s), %lld elements; expected rank %d and %lld elements", text, (long long)vn_size(z), e->rank,
                     (long long)e->count);
}

static bool check_value(test *t, runner *r, void *got, size_t bytes)
{
    VN_SCOPE;
    vn_array *z = compute(t);
    if (!z) return library_failed(t, "the call failed");
    if (!check_form(t, z, r->engine)) return false;
    if (vn_read(z, got, bytes)) return library_failed(t, "evaluation failed");
    r->n.values++;
    if (!numbers_match(t, "value", &t->expected, got)) return false;
    const void *in_place = vn_data(z);
    if (vn_status()) return library_failed(t, "vn_data failed");
    return !bytes || !memcmp(in_place, got, bytes) || test_fail(t, "vn_data and vn_read give different values");
}

/* The same result when a program has more to compute, from it and beside it. */
static bool check_together(test *t, runner *r, void *got, size_t bytes)
{
    VN_SCOPE;
    const operand *e = &t->expected;
    vn_array *z = compute(t), *total = z ? vn_sum(vn_cast(z, is_complex(t->expected.dtype) ? VN_C128 : VN_F64), VN_ALL) : NULL;
    if (!total) return library_failed(t, "the op followed by a sum failed");
    if (vn_eval(2, (vn_array *const[]){total, z})) return library_failed(t, "evaluation together with a sum failed");
    if (vn_read(z, got, bytes)) return library_failed(t, "reading after evaluation together failed");
    r->n.values++;
    if (!numbers_match(t, "value, evaluated together with its sum", e, got)) return false;
    double sum[2] = {0}, size = 0, is[2];
    int parts = parts_of(e->dtype);
    vn_item_complex(total, is);
    for (int64_t i = 0; i < parts * e->count; i++) {
        double v = number_get(got, i, part_dtype(e->dtype));
        sum[i % parts] += v;
        size += fabs(v);
    }
    double allowed = fmax(fmax(t->relative, 1e-12) * size, t->absolute * (double)e->count);
    if (!isfinite(size) || (fabs(sum[0] - is[0]) <= allowed && fabs(sum[1] - is[1]) <= allowed)) return true;
    return test_fail(t, "the sum of the result, evaluated together with it: expected %.17g%+.17gj, got %.17g%+.17gj", sum[0], sum[1], is[0],
                     is[1]);
}

static bool check_result(test *t, runner *r)
{
    size_t bytes = (size_t)t->expected.count * vn_dtype_size((vn_dtype)t->expected.dtype);
    void *got = calloc(bytes + 1, 1);
    bool fine = test_memory(t, got) && check_value(t, r, got, bytes);
    if (fine && !r->strict) fine = check_together(t, r, got, bytes) && gradient_check(t, &r->n);
    free(got);
    if (fine && vn_status()) fine = library_failed(t, "an error is left behind");
    return fine;
}

/* 1 + 2 = 3 on the engine. */
static bool still_works(void)
{
    VN_SCOPE;
    return vn_item(vn_add(vn_full(1, VN_0D, VN_F32), vn_full(2, VN_0D, VN_F32))) == 3;
}

static bool check_error(test *t, runner *r)
{
    VN_SCOPE;
    vn_array *z = compute(t);
    vn_code code = vn_status();
    r->n.values++;
    if (z || !code) return test_fail(t, "expected %s, but the call succeeded", vn_code_name(t->code));
    if (code != t->code)
        return test_fail(t, "error\n    expected  %s\n    got       %s: %s", vn_code_name(t->code), vn_code_name(code), vn_message());
    if (!strstr(vn_message(), t->op)) return test_fail(t, "the message does not name the op: \"%s\"", vn_message());
    if (!still_works() || vn_status() != code) return test_fail(t, "after the error other ops do not work");
    vn_clear();
    return (still_works() && !vn_status()) || test_fail(t, "after vn_clear ops do not work: %s", vn_message());
}

/* What the case made is gone after it. */
static bool check_memory(test *t, const vn_memory_info *before)
{
    vn_memory_info after = {.size = sizeof after};
    vn_memory(&after);
    if (after.handles == before->handles && after.nodes == before->nodes) return true;
    return test_fail(t, "the case left %lld handles and %lld nodes", (long long)(after.handles - before->handles),
                     (long long)(after.nodes - before->nodes));
}

static void run_test(test *t, runner *r)
{
    vn_memory_info before = {.size = sizeof before};
    vn_memory(&before);
    if (t->wants_error ? check_error(t, r) : check_result(t, r)) check_memory(t, &before);
    vn_clear();
    for (int k = 0; k < vn_op_count() && !t->wants_error; k++) {
        vn_op_info info = {.size = sizeof info};
        if (vn_op_at(k, &info) == VN_OK && !strcmp(info.name, t->op)) r->covered[k] = true;
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
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info info = {.size = sizeof info};
        if (vn_op_at(k, &info) || r->covered[k] || !in_part(r, info.name, strlen(info.name)) || !strcmp(info.kind, "move") || !strcmp(info.kind, "tied")) continue;
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
    r->covered = calloc((size_t)vn_op_count() + 1, sizeof *r->covered);
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
