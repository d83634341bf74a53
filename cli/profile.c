/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c: `vinea profile`: runs a program with a trace that goes through a pipe, and prints where its time went: kernels and programs, with
 * the operations and bytes each second. Any program that uses Vinea can be profiled, in any language. */
#include "command.h"

#include "base/base.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what the events add up to ---- */

/* All events of one kind with the same name, engine and program. */
typedef struct {
    char *what, *name, *engine, *program;
    int64_t calls;
    double seconds, flops, bytes, memory, ops;
} sum;

typedef struct {
    sum *all;
    int n, capacity;
    int *slots; /* by hash; -1: free */
    int n_slots;
    double wall;
    long unreadable; /* lines */
} profile;

static uint64_t hash_of(const char *const keys[4])
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (int k = 0; k < 4; k++) {
        for (const char *c = keys[k]; *c; c++) h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
        h = (h ^ 0xff) * UINT64_C(1099511628211);
    }
    return h;
}

static int *slot_of(const profile *p, const char *const keys[4])
{
    for (uint64_t at = hash_of(keys);; at++) {
        int *slot = &p->slots[at % (uint64_t)p->n_slots];
        if (*slot < 0) return slot;
        const sum *s = &p->all[*slot];
        if (!strcmp(s->what, keys[0]) && !strcmp(s->name, keys[1]) && !strcmp(s->engine, keys[2]) && !strcmp(s->program, keys[3]))
            return slot;
    }
}

/* Twice the room, for sums and for the slots that find them. */
static bool grow(profile *p)
{
    const int capacity = p->capacity ? 2 * p->capacity : 64, n_slots = 2 * capacity;
    sum *all = realloc(p->all, (size_t)capacity * sizeof *all);
    if (all) p->all = all;
    int *slots = all ? malloc((size_t)n_slots * sizeof *slots) : NULL;
    if (!slots) return false;
    free(p->slots);
    p->slots = slots;
    p->n_slots = n_slots;
    p->capacity = capacity;
    for (int k = 0; k < n_slots; k++) slots[k] = -1;
    for (int k = 0; k < p->n; k++) *slot_of(p, (const char *const[4]){all[k].what, all[k].name, all[k].engine, all[k].program}) = k;
    return true;
}

static sum *sum_of(profile *p, const char *const keys[4])
{
    if (p->n >= p->capacity && !grow(p)) return NULL;
    int *slot = slot_of(p, keys);
    if (*slot >= 0) return &p->all[*slot];
    sum s = {strdup(keys[0]), strdup(keys[1]), strdup(keys[2]), strdup(keys[3]), 0, 0, 0, 0, -1, 0};
    if (!s.what || !s.name || !s.engine || !s.program) return NULL;
    p->all[p->n] = s;
    return &p->all[*slot = p->n++];
}

/* ---- reading events ---- */

enum { MAX_LINE = 16384 };

typedef struct {
    char memory[8192];
    size_t used;
} room;

static void *take(size_t bytes, void *user)
{
    room *r = user;
    const size_t at = (r->used + 15) & ~(size_t)15;
    if (at + bytes > sizeof r->memory) return NULL;
    r->used = at + bytes;
    return r->memory + at;
}

static const char *text_in(const vn__json_value *x, const char *key)
{
    const vn__json_value *v = vn__json_find(x, key);
    return v && v->kind == VN__JSON_TEXT ? v->text : "";
}

static double number_in(const vn__json_value *x, const char *key)
{
    const vn__json_value *v = vn__json_find(x, key);
    return v && v->kind == VN__JSON_NUMBER ? v->number : 0;
}

/* One line of a trace. False when memory ran out. */
static bool read_line(profile *p, const char *line, size_t n)
{
    static char decoded[MAX_LINE + 1];
    static _Alignas(16) room r;
    while (n && strchr(",\r\n ", line[n - 1])) n--;
    if (!n || *line != '{') return true;
    r.used = 0;
    vn__json j = {.text = line, .size = n, .room = decoded};
    const vn__json_value *e = n < MAX_LINE ? vn__json_read(&j, &(vn__json_limits){take, &r, 4, 64}) : NULL,
                         *more = vn__json_find(e, "args");
    const char *what = text_in(e, "cat");
    if (!more || !*what) return p->unreadable++, true;
    const bool kernel = !strcmp(what, "kernel");
    sum *s = sum_of(
        p, (const char *const[4]){what, kernel ? text_in(e, "name") : "", text_in(more, "engine"), kernel ? "" : text_in(more, "program")});
    if (!s) return false;
    s->calls++;
    s->seconds += number_in(e, "dur") * 1e-6;
    s->flops += number_in(more, "flops");
    s->bytes += number_in(more, "read") + number_in(more, "written");
    s->memory = fmax(s->memory, number_in(more, "memory"));
    s->ops = number_in(more, "ops");
    return true;
}

/* Reads until the pipe, or the file, ends. Events also go to `copy`, if it is not NULL. */
static bool read_events(profile *p, FILE *from, FILE *copy)
{
    char *line = NULL;
    size_t room_of_line = 0;
    ssize_t n;
    bool fine = true, first = true;
    while (fine && (n = getline(&line, &room_of_line, from)) > 0) {
        fine = read_line(p, line, (size_t)n);
        if (!copy || *line != '{') continue;
        while (n && strchr(",\n", line[n - 1])) n--;
        fprintf(copy, "%s\n%.*s", first ? "[" : ",", (int)n, line);
        first = false;
    }
    if (copy) fputs(first ? "[\n]\n" : "\n]\n", copy);
    free(line);
    return fine;
}

/* ---- the report ---- */

static int by_time(const void *a, const void *b)
{
    const double x = ((const sum *)a)->seconds, y = ((const sum *)b)->seconds;
    return (x < y) - (x > y);
}

static double total(const profile *p, const char *what)
{
    double seconds = 0;
    for (int k = 0; k < p->n; k++) seconds += strcmp(p->all[k].what, what) ? 0 : p->all[k].seconds;
    return seconds;
}

/* How long the program was compiled, or NULL. */
static const sum *compiled(const profile *p, const sum *of)
{
    for (int k = 0; k < p->n; k++) {
        const sum *s = &p->all[k];
        if (!strcmp(s->what, "compile") && !strcmp(s->engine, of->engine) && !strcmp(s->program, of->program)) return s;
    }
    return NULL;
}

static const char *time_text(double seconds, char to[static 32])
{
    if (seconds >= 1) snprintf(to, 32, "%.3g s", seconds);
    else if (seconds >= 1e-3) snprintf(to, 32, "%.3g ms", seconds * 1e3);
    else if (seconds >= 1e-6) snprintf(to, 32, "%.3g us", seconds * 1e6);
    else snprintf(to, 32, "%.0f ns", seconds * 1e9);
    return to;
}

static const char *rate_text(double amount, double seconds, char to[static 32])
{
    const double rate = seconds > 0 ? amount / seconds * 1e-9 : 0;
    snprintf(to, 32, rate >= 100 ? "%.0f" : rate >= .1 ? "%.1f" : "%.2g", rate);
    return to;
}

/* Engines that compile whole programs, such as one in a just-in-time compiler, tell nothing of their kernels: a program is one then. */
static bool has_kernels(const profile *p, const char *engine)
{
    for (int k = 0; k < p->n; k++)
        if (!strcmp(p->all[k].what, "kernel") && !strcmp(p->all[k].engine, engine)) return true;
    return false;
}

static int print_kernels(const profile *p, int64_t most)
{
    table *t = table_new(8);
    const double all = total(p, "execute");
    int code = table_row(t, (const char *[]){"time", "share", "calls", "each", "GFLOP/s", "GB/s", "engine", "kernel"});
    int64_t shown = 0, left = 0;
    double left_out = 0;
    for (int k = 0; k < p->n && !code; k++) {
        const sum *s = &p->all[k];
        const bool whole = !strcmp(s->what, "execute");
        if (whole ? has_kernels(p, s->engine) : strcmp(s->what, "kernel") != 0) continue;
        if (shown++ >= most) {
            left++, left_out += s->seconds;
            continue;
        }
        char time[32], share[32], calls[32], each[32], flops[32], bytes[32], name[120];
        snprintf(share, sizeof share, "%.1f %%", all > 0 ? 100 * s->seconds / all : 0);
        snprintf(calls, sizeof calls, "%lld", (long long)s->calls);
        if (whole) snprintf(name, sizeof name, "program %s, %.0f ops", s->program, s->ops);
        else snprintf(name, sizeof name, strlen(s->name) < sizeof name ? "%s" : "%.115s ...", s->name);
        code =
            table_row(t, (const char *[]){time_text(s->seconds, time), share, calls, time_text(s->seconds / (double)s->calls, each),
                                          rate_text(s->flops, s->seconds, flops), rate_text(s->bytes, s->seconds, bytes), s->engine, name});
    }
    if (!code) table_print(t);
    if (left) printf("and %lld more, %.1f %% of the time (--top shows more)\n", (long long)left, all > 0 ? 100 * left_out / all : 0);
    table_free(t);
    return code;
}

static int print_programs(const profile *p, int64_t most)
{
    table *t = table_new(8);
    int code = table_row(t, (const char *[]){"time", "calls", "each", "compiling", "ops", "memory", "engine", "program"});
    for (int k = 0; k < p->n && !code && table_rows(t) <= most; k++) {
        const sum *s = &p->all[k], *c = compiled(p, s);
        if (strcmp(s->what, "execute") != 0) continue;
        char time[32], calls[32], each[32], compiling[32], ops[32], memory[32];
        snprintf(calls, sizeof calls, "%lld", (long long)s->calls);
        snprintf(ops, sizeof ops, "%.0f", s->ops);
        snprintf(memory, sizeof memory, "%.1f MB", s->memory * 1e-6);
        code = table_row(t, (const char *[]){time_text(s->seconds, time), calls, time_text(s->seconds / (double)s->calls, each),
                                             c ? time_text(c->seconds, compiling) : NULL, ops, s->memory < 0 ? NULL : memory, s->engine,
                                             s->program});
    }
    if (!code) table_print(t);
    table_free(t);
    return code;
}

static int print_tables(const profile *p, int64_t most)
{
    char wall[32], run[32], build[32], compile[32], open[32];
    int code = print_kernels(p, most);
    if (!code) puts("");
    if (!code) code = print_programs(p, most);
    printf("\nExecuting %s, compiling %s, building programs %s, opening engines %s", time_text(total(p, "execute"), run),
           time_text(total(p, "compile"), compile), time_text(total(p, "build"), build), time_text(total(p, "open"), open));
    if (p->wall > 0) printf("; %s in all", time_text(p->wall, wall));
    puts(".");
    return code;
}

static int print_json_report(const profile *p)
{
    printf("{\"seconds\":%.9g,\"events\":[", p->wall);
    for (int k = 0; k < p->n; k++) {
        const sum *s = &p->all[k];
        printf("%s\n{\"what\":", k ? "," : "");
        print_json(s->what);
        printf(",\"name\":");
        print_json(s->name);
        printf(",\"engine\":");
        print_json(s->engine);
        printf(",\"program\":");
        print_json(s->program);
        printf(",\"calls\":%lld,\"seconds\":%.9g,\"flops\":%.17g,\"bytes\":%.17g,\"ops\":%.0f", (long long)s->calls, s->seconds, s->flops,
               s->bytes, s->ops);
        if (s->memory >= 0) printf(",\"memory\":%.0f", s->memory);
        printf("}");
    }
    puts("\n]}");
    return EXIT_GOOD;
}

/* ---- running the program ---- */

static void become(const command_args *args, int to)
{
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", to);
    setenv("VINEA_TRACE", path, 1);
    if (given(args, "json")) dup2(STDERR_FILENO, STDOUT_FILENO); /* the report alone is on standard output */
    char **words = calloc((size_t)args->n + 1, sizeof *words);
    for (int k = 0; words && k < args->n; k++) words[k] = (char *)(uintptr_t)args->words[k];
    if (words) execvp(words[0], words);
    complain("profile: cannot start %s: %s", args->words[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Returns the program's exit code, as a shell has it. */
static int run_program(const command_args *args, profile *p, FILE *copy)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC)) return complain("profile: no pipe: %s", strerror(errno));
    fflush(stdout);
    const double began = vn__clock();
    const pid_t child = fork();
    if (!child) {
        fcntl(ends[1], F_SETFD, 0);
        become(args, ends[1]);
    }
    close(ends[1]);
    FILE *from = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!from) {
        close(ends[0]);
        return complain("profile: cannot start a process: %s", strerror(errno));
    }
    signal(SIGINT, SIG_IGN); /* the program gets it too, and decides */
    signal(SIGQUIT, SIG_IGN);
    const bool fine = read_events(p, from, copy);
    fclose(from);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    p->wall = vn__clock() - began;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    if (!fine) return complain("out of memory");
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int read_trace(const char *path, profile *p)
{
    FILE *f = fopen(path, "re");
    if (!f) return complain("profile: cannot read %s: %s", path, strerror(errno));
    const bool fine = read_events(p, f, NULL);
    fclose(f);
    return fine ? EXIT_GOOD : complain("out of memory");
}

static int report(const command_args *args, profile *p, int code)
{
    if (!p->n) {
        if (code) return code;
        return complain(
            "profile: there are no events: the program computed nothing with Vinea, or has raised privileges and writes no trace");
    }
    if (p->unreadable) complain("profile: %ld lines of the trace cannot be read", p->unreadable);
    qsort(p->all, (size_t)p->n, sizeof *p->all, by_time);
    const int printed = given(args, "json") ? print_json_report(p) : print_tables(p, count_of(args, "top", 20));
    return code ? code : printed;
}

static int run(const command_args *args)
{
    profile p = {0};
    const char *path = text_of(args, "trace", NULL), *from = text_of(args, "from", NULL);
    if (from ? args->n || path : !args->n)
        return misuse(args->command, from ? "--from takes a trace that is there; no program runs" : "a program is needed, after --");
    FILE *copy = path ? fopen(path, "we") : NULL;
    if (path && !copy) return complain("profile: cannot write %s: %s", path, strerror(errno));
    int code = from ? read_trace(from, &p) : run_program(args, &p, copy);
    if (copy && fclose(copy)) code = complain("profile: writing %s failed: %s", path, strerror(errno));
    code = report(args, &p, code);
    for (int k = 0; k < p.n; k++) free(p.all[k].what), free(p.all[k].name), free(p.all[k].engine), free(p.all[k].program);
    free(p.all);
    free(p.slots);
    return code;
}

const command command_profile = {
    .name = "profile",
    .spins = true,
    .summary = "run a program and show where its time went, kernel by kernel",
    .details =
        "Runs any program that uses Vinea, in C or in Python, and prints its kernels and programs by time, with the floating-point\n"
        "operations and the bytes of each second. Operations are counted by shapes: two for each product that is added up, otherwise\n"
        "one for each element. An engine that compiles whole programs shows each as one kernel. The exit code is the program's.\n",
    .examples = "vinea profile -- vinea train mlp digits --epochs 5\n"
                "vinea profile --trace trace.json -- python3 train.py\n"
                "vinea profile --from trace.json\n",
    .words = (const command_option[]){{.name = "PROGRAM", .kind = OPTION_FILE, .about = "the program"},
                                      {.name = "ARGUMENT", .kind = OPTION_TEXT, .about = "its arguments; write -- before PROGRAM"},
                                      {0}},
    .required = 0,
    .max_words = -1,
    .options =
        (const command_option[]){
            {.name = "top", .kind = OPTION_COUNT, .about = "how many kernels and programs are shown (20)"},
            {.name = "trace", .kind = OPTION_FILE, .about = "also write a Chrome trace, for chrome://tracing or Perfetto", .writes = 1},
            {.name = "from", .kind = OPTION_FILE, .about = "no program: show a trace that was written before (VINEA_TRACE, --trace)"},
            {.name = "json", .kind = OPTION_SWITCH, .about = "print JSON; the program's own output goes to standard error"},
            {0}},
    .run = run,
};
