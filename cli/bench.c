/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: `vinea bench`: times some workloads on this machine's engines. The workloads are those of bench/, which compares with the
 * frameworks themselves. */
#include "../bench/workloads.h"
#include "command.h"
#include "training.h"
#include "os/clock.h"

#include <string.h>
#include <unistd.h>

/* The workloads and their descriptions. */
#define WORKLOADS(ROW)                                                             \
    ROW("add1", "one sum of two numbers: the overhead of a call")                  \
    ROW("mm256", "product of 256 x 256 matrices")                                  \
    ROW("mm1024", "product of 1024 x 1024 matrices")                               \
    ROW("ew1e6", "tanh(a b + c) exp(-a a), a million numbers")                     \
    ROW("softmax", "softmax of 4096 rows of 1024")                                 \
    ROW("lnorm", "layer norm of 4096 rows of 1024")                                \
    ROW("c56_nhwc_f", "3 x 3 convolution, 8 images of 56 x 56, 64 to 64 channels") \
    ROW("sdpa_f", "attention, 4 x 8 heads, 512 steps of 64")                       \
    ROW("lstm", "lstm, 64 steps, batch 32, 256 units")                             \
    ROW("mlp", "training step of an MLP")                                          \
    ROW("cnn", "training step of a convnet")
#define ROW_OF(name, about) {name, about},
#define NAME_OF(name, about) name,
static const struct {
    const char *name, *about;
} shown[] = {WORKLOADS(ROW_OF)};
static const char *const workload_words[] = {WORKLOADS(NAME_OF) NULL};
enum { N_SHOWN = sizeof shown / sizeof *shown, MAX_ENGINES = 16, MAX_ROUNDS = 1000 };

static double timed(int k, long n)
{
    double start = vn__clock();
    workload_run(k, n);
    return vn__clock() - start;
}

/* The median time of a round over about this many seconds, each measured over at least 10 ms; negative with the thread's error set. */
static double measure(int k, double seconds)
{
    double times[MAX_ROUNDS];
    int n = 0;
    timed(k, 2); /* inputs, compilation */
    double once = timed(k, 1);
    long rounds = once < .01 ? (long)(.01 / (once > 1e-8 ? once : 1e-8)) + 1 : 1;
    for (double end = vn__clock() + seconds; (n < 3 || vn__clock() < end) && n < MAX_ROUNDS && !vn_status();)
        times[n++] = timed(k, rounds) / (double)rounds;
    workload_run(k, 0);
    return vn_status() ? -1 : median(times, n);
}

static void time_text(double seconds, char *to, size_t room)
{
    if (seconds < 0) snprintf(to, room, "failed");
    else if (seconds < 1e-3) snprintf(to, room, "%.1f us", seconds * 1e6);
    else if (seconds < 1) snprintf(to, room, "%.2f ms", seconds * 1e3);
    else snprintf(to, room, "%.2f s", seconds);
}

/* All workloads, or the one called `only`, on one engine. */
static int measure_engine(const char *engine, const char *only, double seconds, double *times)
{
    int code = use_engine(engine);
    for (int i = 0; i < N_SHOWN && !code; i++) {
        if (only && strcmp(only, shown[i].name) != 0) continue;
        if (isatty(2)) fprintf(stderr, "%s: %s\n", engine, shown[i].about);
        vn_seed(0);
        int k = workload_find(shown[i].name);
        if (k < 0) return complain("bench: there is no workload %s", shown[i].name);
        times[i] = measure(k, seconds);
        if (times[i] < 0) code = complain("%s: %s: %s", engine, shown[i].name, vn_message());
        vn_clear();
    }
    return code;
}

static int print_times(int n, const char *const *engines, const char *only, double (*times)[N_SHOWN])
{
    const char *cells[MAX_ENGINES + 2] = {"WORKLOAD"};
    table *t = table_new(n + 2);
    for (int e = 0; e < n; e++) cells[e + 1] = engines[e];
    cells[n + 1] = "WHAT IT IS";
    int code = table_row(t, cells);
    for (int i = 0; i < N_SHOWN && !code; i++) {
        char texts[MAX_ENGINES][32];
        if (only && strcmp(only, shown[i].name) != 0) continue;
        cells[0] = shown[i].name;
        for (int e = 0; e < n; e++) {
            time_text(times[e][i], texts[e], sizeof texts[e]);
            cells[e + 1] = texts[e];
        }
        cells[n + 1] = shown[i].about;
        code = table_row(t, cells);
    }
    if (!code) table_print(t);
    table_free(t);
    return code;
}

static void print_times_json(int n, const char *const *engines, const char *only, double (*times)[N_SHOWN])
{
    const char *between = "[";
    for (int i = 0; i < N_SHOWN; i++) {
        for (int e = 0; e < n && (!only || !strcmp(only, shown[i].name)); e++, between = ",") {
            printf("%s\n  {\"workload\": \"%s\", \"engine\": ", between, shown[i].name);
            print_json(engines[e]);
            printf(", \"seconds\": %.9g}", times[e][i]);
        }
    }
    puts("\n]");
}

static int run(const command_args *args)
{
    static const char *const native[] = {"native"};
    static double times[MAX_ENGINES][N_SHOWN];
    const char *const *engines = args->n ? args->words : native;
    const char *only = text_of(args, "only", NULL);
    double seconds = number_of(args, "seconds", .3);
    int n = args->n ? args->n : 1, code = EXIT_GOOD;
    if (n > MAX_ENGINES) return misuse(args->command, "%d engines; %d are allowed", n, MAX_ENGINES);
    if (seconds < 0 || seconds > 3600) return misuse(args->command, "--seconds: 0 to 3600 are allowed");
    use_threads(args);
    for (int e = 0; e < n && !code; e++) code = measure_engine(engines[e], only, seconds, times[e]);
    if (!code && given(args, "json")) print_times_json(n, engines, only, times);
    else if (!code) code = print_times(n, engines, only, times);
    vn_close();
    return code;
}

const command command_bench = {
    .name = "bench",
    .spins = true,
    .summary = "time some workloads on this machine's engines",
    .details = "The median time of each; float32. `make bench` in the source compares every engine with its framework.\n",
    .examples = "vinea bench native torch\nvinea bench --only mm1024 --threads 1\n",
    .words = (const command_option[]){{"ENGINE", OPTION_ENGINE, .about = "engines to time (native)"}, {0}},
    .required = 0,
    .max_words = -1,
    .options = (const command_option[]){{"only", OPTION_CHOICE, .about = "run only this workload", .choices = workload_words},
                                        {"seconds", OPTION_NUMBER, .about = "to spend on each (0.3)"},
                                        {"threads", OPTION_COUNT, .about = "processor threads to use (all)", .low = 1, .high = 1024},
                                        {"json", OPTION_SWITCH, .about = "print JSON"},
                                        {0}},
    .run = run,
};
