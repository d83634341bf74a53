/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: the command. Counts accumulate over runs: a line of JSON per run in the file of --log, added by --sum. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"

static const char help[] =
    "usage: programs [options] [FILE.program ...]\n"
    "\n"
    "Runs random programs, each the one of its seed, and compares their results with plain loops in float64; on the native engine\n"
    "also bit by bit: evaluated at once, op by op and in between, on other numbers of threads, at other instruction-set levels.\n"
    "With files, runs these instead. Failing programs are made small and written to files that run the same way.\n"
    "\n"
    "  --engine NAME    native (the default) or another one that `vinea engines` lists\n"
    "  --seed N         the first seed (1)\n"
    "  --count N        as many programs (1000)\n"
    "  --seconds N      no new programs after that time; without --count as many as there is time for\n"
    "  --jobs N         processes (as many as there are processors)\n"
    "  --at-once N      threads in each that build and run programs at the same time (1)\n"
    "  --together N     programs in one evaluation, on engines other than native (1)\n"
    "  --threads N      threads of the engine (its own choice)\n"
    "  --isa LEVEL      instruction-set level of the native engine (the best)\n"
    "  --allocations    instead, each program with less than 200,000 elements with each of its allocations failing\n"
    "  --limit N        seconds until a program counts as hung (60)\n"
    "  --stop           end at the first failure\n"
    "  --out FOLDER     where failing programs are written (.)\n"
    "  --minimise N     seconds for making each failing program small (60; 0: leave it)\n"
    "  --log FILE       adds a line of JSON with the counts of this run\n"
    "  --sum FILE       adds up the lines of such a file, and ends\n"
    "  --show           prints the programs instead of running them\n"
    "  --thresholds     lists the sizes that programs aim at, and ends\n"
    "\n"
    "Ctrl-C ends with the counts so far. To go on, take \"next\" of the log as the seed (tools/campaign does). Exit code: 0, 1 where a "
    "program failed, 2 for a\n"
    "wrong option, 77 where the engine is not installed.\n";

/* ---- failing programs ---- */

static void write_program(const options *o, const program *p, const char *suffix, const char *how, const char *what)
{
    char name[FILE_NAME];
    mkdir(o->out, 0777);
    snprintf(name, sizeof name, "%s/%s-%llu%s.program", o->out, o->s.engine, (unsigned long long)p->seed, suffix);
    FILE *f = fopen(name, "w");
    if (!f) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return;
    }
    fprintf(f, "# %s on %s: %s\n# seed %llu\n", how, o->s.engine, what, (unsigned long long)p->seed);
    program_print(f, p);
    fclose(f);
    fprintf(stderr, "    written: %s\n", name);
}

static void report(const options *o, const failure *f)
{
    enum { SHOWN = 3 };
    static int shown;
    static program p;
    fprintf(stderr, "%s: seed %llu: %s\n", verdict_names[f->verdict], (unsigned long long)f->seed, f->what);
    machine *m = generate(&p, f->seed, NULL);
    machine_free(m);
    if (!m) return;
    write_program(o, &p, "", verdict_names[f->verdict], f->what);
    if (!o->minimise || shown++ >= SHOWN) return;
    char what[600] = "";
    settings s = o->s;
    s.all_settings = true;
    const int tried = minimise(&p, &s, o->minimise);
    const verdict v = check_in_child(&p, &s, what, sizeof what);
    fprintf(stderr, "    smallest of %d programs tried: %s: %s\n", tried, verdict_names[v], what);
    program_print(stderr, &p);
    write_program(o, &p, "-small", verdict_names[v], what);
}

/* ---- counts ---- */

static int failures_of(verdict v)
{
    int n = 0;
    for (int k = 0; k < b->n_failures && k < MAX_FAILURES; k++) n += b->failures[k].verdict == (int)v;
    return n;
}

/* The first seed that no worker has begun. */
static uint64_t next_seed(const options *o)
{
    return o->seed + vn__min(b->next, o->count);
}

static void summarise(const options *o, double seconds)
{
    const uint64_t n = b->programs;
    double ratio = 0;
    const char *worst = "";
    for (int k = 0; k < MAX_JOBS * MAX_THREADS; k++) {
        const slot *s = &b->slots[k / MAX_THREADS];
        if (s->ratio[k % MAX_THREADS] > ratio) ratio = s->ratio[k % MAX_THREADS], worst = s->worst[k % MAX_THREADS];
    }
    printf("%s: %llu programs from seed %llu on, %llu aimed at a threshold, %llu set aside, %llu compared by bits alone, %d wrong, %d "
           "crashed, "
           "%d hung; %.1f seconds, %.0f programs a second, %.0f elements each; largest error %.2f of its bound (%s)\n",
           o->s.engine, (unsigned long long)n, (unsigned long long)o->seed, (unsigned long long)b->aimed, (unsigned long long)b->aside,
           (unsigned long long)b->bits, failures_of(WRONG), failures_of(CRASHED), failures_of(HUNG), seconds, (double)n / seconds,
           n ? (double)b->elements / (double)n : 0, ratio, worst);
    if (o->allocations) printf("%s: %llu allocations failed\n", o->s.engine, (unsigned long long)b->faults);
    FILE *f = o->log ? fopen(o->log, "a") : NULL;
    if (!f) return;
    fprintf(f,
            "{\"engine\": \"%s\", \"seed\": %llu, \"next\": %llu, \"programs\": %llu, \"aside\": %llu, \"by_bits\": %llu, \"wrong\": %d, "
            "\"crashed\": %d, "
            "\"hung\": %d, \"faults\": %llu, \"seconds\": %.1f}\n",
            o->s.engine, (unsigned long long)o->seed, (unsigned long long)next_seed(o), (unsigned long long)n, (unsigned long long)b->aside,
            (unsigned long long)b->bits, failures_of(WRONG), failures_of(CRASHED), failures_of(HUNG), (unsigned long long)b->faults,
            seconds);
    fclose(f);
}

/* Adds up a file of such lines, for each engine. */
static int sum_log(const char *file)
{
    struct {
        char engine[32];
        double counts[8];
    } sums[16] = {0};
    static const char *const names[] = {"programs", "aside", "by_bits", "wrong", "crashed", "hung", "faults", "seconds"};
    FILE *f = fopen(file, "r");
    char line[1024], engine[32];
    if (!f) return fprintf(stderr, "%s: %s\n", file, strerror(errno)), 2;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "\"engine\": \"");
        if (!at || sscanf(at + 11, "%31[a-z]", engine) != 1) continue;
        int k = 0;
        while (k < 15 && sums[k].engine[0] && strcmp(sums[k].engine, engine) != 0) k++;
        snprintf(sums[k].engine, sizeof sums[k].engine, "%s", engine);
        for (int i = 0; i < 8; i++) {
            char key[32];
            snprintf(key, sizeof key, "\"%s\": ", names[i]);
            if ((at = strstr(line, key))) sums[k].counts[i] += strtod(at + strlen(key), NULL);
        }
    }
    fclose(f);
    printf("%-12s %10s %8s %8s %7s %8s %6s %10s %10s\n", "engine", "programs", "aside", "by bits", "wrong", "crashed", "hung", "faults",
           "seconds");
    for (int k = 0; k < 16 && sums[k].engine[0]; k++)
        printf("%-12s %10.0f %8.0f %8.0f %7.0f %8.0f %6.0f %10.0f %10.0f\n", sums[k].engine, sums[k].counts[0], sums[k].counts[1],
               sums[k].counts[2], sums[k].counts[3], sums[k].counts[4], sums[k].counts[5], sums[k].counts[6], sums[k].counts[7]);
    return 0;
}

/* ---- files ---- */

static int run_files(const options *o, int n, char **files)
{
    static program p;
    int bad = 0;
    settings s = o->s;
    s.all_settings = true;
    for (int k = 0; k < n; k++) {
        char what[600] = "";
        const char *why = program_read(&p, files[k]);
        const verdict v = why ? WRONG : check_in_child(&p, &s, what, sizeof what);
        const bool failed = v != FINE && v != ASIDE;
        if (failed) fprintf(stderr, "%s: %s: %s\n", files[k], why ? "no program" : verdict_names[v], why ? why : what);
        bad += failed;
        if (!failed || why || !o->minimise || n > 1) continue;
        minimise(&p, &s, o->minimise);
        program_print(stdout, &p);
    }
    printf("%s: %d programs from files, %d failed\n", o->s.engine, n, bad);
    return bad > 0;
}

static int show(const options *o)
{
    static program p;
    for (uint64_t k = 0; k < o->count; k++) {
        const char *aim = NULL;
        machine_free(generate(&p, o->seed + k, &aim));
        printf("# seed %llu%s%s\n", (unsigned long long)p.seed, aim ? ", aims at " : "", aim ? aim : "");
        program_print(stdout, &p);
    }
    return 0;
}

/* ---- the command line ---- */

static const char *value_of(int argc, char **argv, int *k)
{
    if (*k + 1 < argc) return argv[++*k];
    fprintf(stderr, "%s needs a value\n", argv[*k]);
    exit(2);
}

static int number_of(int argc, char **argv, int *k, int least, int most)
{
    const char *name = argv[*k], *text = value_of(argc, argv, k);
    char *end;
    const long n = strtol(text, &end, 10);
    if (!*text || *end || n < least || n > most) {
        fprintf(stderr, "%s %s: a number from %d to %d is needed\n", name, text, least, most);
        exit(2);
    }
    return (int)n;
}

/* Options before files; the number of the first file, or argc. */
static int parse(int argc, char **argv, options *o)
{
    int k = 1;
    for (; k < argc && argv[k][0] == '-'; k++) {
        const char *a = argv[k];
        if (!strcmp(a, "--engine")) o->s.engine = value_of(argc, argv, &k);
        else if (!strcmp(a, "--seed")) o->seed = strtoull(value_of(argc, argv, &k), NULL, 10);
        else if (!strcmp(a, "--count")) o->count = strtoull(value_of(argc, argv, &k), NULL, 10), o->counted = true;
        else if (!strcmp(a, "--seconds")) o->wait = number_of(argc, argv, &k, 1, 1 << 24);
        else if (!strcmp(a, "--jobs")) o->jobs = number_of(argc, argv, &k, 1, MAX_JOBS);
        else if (!strcmp(a, "--at-once")) o->at_once = number_of(argc, argv, &k, 1, MAX_THREADS);
        else if (!strcmp(a, "--together")) o->together = number_of(argc, argv, &k, 1, MAX_FAILURES);
        else if (!strcmp(a, "--threads")) o->s.threads = number_of(argc, argv, &k, 1, 256);
        else if (!strcmp(a, "--isa")) o->s.isa = value_of(argc, argv, &k);
        else if (!strcmp(a, "--limit")) o->s.seconds = number_of(argc, argv, &k, 1, 1 << 20);
        else if (!strcmp(a, "--out")) o->out = value_of(argc, argv, &k);
        else if (!strcmp(a, "--minimise")) o->minimise = number_of(argc, argv, &k, 0, 1 << 20);
        else if (!strcmp(a, "--log")) o->log = value_of(argc, argv, &k);
        else if (!strcmp(a, "--sum")) exit(sum_log(value_of(argc, argv, &k)));
        else if (!strcmp(a, "--allocations")) o->allocations = true, o->at_once = 1;
        else if (!strcmp(a, "--stop")) o->stop = true;
        else if (!strcmp(a, "--show")) o->show = true;
        else if (!strcmp(a, "--thresholds")) list_thresholds(stdout), exit(0);
        else if (!strcmp(a, "--help") || !strcmp(a, "-h")) fputs(help, stdout), exit(0);
        else fprintf(stderr, "there is no option %s\n%s", a, help), exit(2);
    }
    if (o->wait && !o->counted) o->count = UINT64_MAX / 2;
    return k;
}

int main(int argc, char **argv)
{
    options o = {
        .s = {.engine = "native", .seconds = 60}, .seed = 1, .count = 1000, .at_once = 1, .together = 1, .minimise = 60, .out = "."};
    o.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (o.jobs < 1 || o.jobs > MAX_JOBS) o.jobs = 1;
    const int first = parse(argc, argv, &o);
    if (first < argc) return run_files(&o, argc - first, argv + first);
    if (o.show) return show(&o);
    b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return fprintf(stderr, "no memory\n"), 2;
    signal(SIGINT, interrupted);
    const int64_t begun = milliseconds();
    run_workers(&o);
    if (b->missing) return fprintf(stderr, "%s\n", b->message), 77;
    summarise(&o, (double)(milliseconds() - begun + 1) / 1000);
    fflush(stdout);
    for (int k = 0; k < b->n_failures && k < MAX_FAILURES; k++) report(&o, &b->failures[k]);
    return b->n_failures > 0;
}
