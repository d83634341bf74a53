/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: `vinea-bench ENGINE`: measures one engine from C, one round per line of input. bench/run.py runs it together with
 * bench/peers.py, which measures the same cases with the framework itself.
 *
 *     line in:   CASE SECONDS      runs the case for about that long
 *     line out:  SECONDS_PER_UNIT  or "error: <text>"
 *
 * `vinea-bench --list` names the workloads (workloads.c), cases like the others. `vinea-bench ENGINE first` computes one op, prints its
 * peak memory in KiB and exits, to measure start-up. `vinea-bench ENGINE memory` prints the result of memory.c. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <vinea/vinea.h>

#include "memory.h"
#include "workloads.h"

enum { RECORD_OPS = 1000, CHAIN_OPS = 150 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vn_array *one_element(float value)
{
    return vn_from(&value, VN_SHAPE(1));
}

/* Each case runs n rounds of its work and waits for the last result, since engines may be asynchronous. */

/* A chain of one-element adds evaluated together: the overhead of an op in a program. */
static void record(long n)
{
    VN_SCOPE;
    vn_array *x = one_element(1), *one = one_element(1);
    for (long i = 0; i < n; i++) {
        VN_SCOPE;
        vn_array *y = x;
        for (int k = 0; k < RECORD_OPS; k++) y = vn_add(y, one);
        vn_eval(1, &y);
        if (i + 1 == n) vn_item(y);
    }
}

/* The same add, evaluated one by one. */
static void add(long n)
{
    VN_SCOPE;
    vn_array *x = one_element(1), *one = one_element(1);
    for (long i = 0; i < n; i++) {
        VN_SCOPE;
        vn_array *y = vn_add(x, one);
        vn_eval(1, &y);
        if (i + 1 == n) vn_item(y);
    }
}

/* A captured function, as jax.jit and tf.function capture: n calls. */
static void repeat(vn_many_fn fn, int n_in, vn_array *const *in, long n)
{
    vn_fn *f = vn_capture(fn, 1, NULL);
    for (long i = 0; i < n; i++) {
        VN_SCOPE;
        vn_array *y;
        vn_fn_call_many(f, n_in, in, 1, &y);
        if (i + 1 == n) vn_item(y);
    }
}

static int add_of(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    out[0] = vn_add(in[0], in[1]);
    return 0;
}

static void captured_add(long n)
{
    VN_SCOPE;
    repeat(add_of, 2, (vn_array *[]){one_element(1), one_element(1)}, n);
}

/* 150 ops on one element as one program. */
static int chain_of(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    out[0] = in[0];
    for (int k = 0; k < CHAIN_OPS / 2; k++) out[0] = vn_add(vn_mul(out[0], in[1]), in[2]);
    return 0;
}

static void chain(long n)
{
    VN_SCOPE;
    vn_array *in[] = {one_element(1), one_element(.999f), one_element(.001f)};
    for (long i = 0; i < n; i++) {
        VN_SCOPE;
        vn_array *y;
        chain_of(3, in, 1, &y, NULL);
        vn_eval(1, &y);
        if (i + 1 == n) vn_item(y);
    }
}

static void captured_chain(long n)
{
    VN_SCOPE;
    repeat(chain_of, 3, (vn_array *[]){one_element(1), one_element(.999f), one_element(.001f)}, n);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_add(vn_matmul(xy[0], vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, xy[1])), VN_ALL);
}

/* The training step of examples/linreg.c: 256 x 3. */
static void step(long n)
{
    VN_SCOPE;
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
    vn_eval(2, (vn_array *[]){x, y}); /* evaluated, as for the frameworks; if pending, every step would recompute it */
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1, NULL);
    for (long i = 0; i < n; i++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *loss = vn_value_and_grad(loss_of, p, (vn_array *[]){x, y}, &grads);
        vn_step(sgd, p, grads);
        if (i + 1 == n) vn_item(loss);
    }
}

static struct bench_case {
    const char *name;
    void (*run)(long n);
    double units; /* in one round of its work */
    long n;       /* rounds that take about the requested time, once known */
} cases[] = {
    {"record", record, RECORD_OPS, 0},        {"add", add, 1, 0},   {"captured_add", captured_add, 1, 0}, {"chain", chain, 1, 0},
    {"captured_chain", captured_chain, 1, 0}, {"step", step, 1, 0},
};

/* The workload in turn, as a case. */
static struct bench_case workload = {"", NULL, 1, 0};
static int workload_number;
static char workload_name_now[32];

static void run_workload(long n)
{
    workload_run(workload_number, n);
}

static double timed(struct bench_case *c, long n)
{
    double start = now();
    c->run(n);
    return now() - start;
}

/* Runs a case for about this many seconds and prints the time per unit. The first call calibrates the number of rounds. */
static void measure(struct bench_case *c, double seconds)
{
    if (!c->n) {
        c->run(2); /* warm-up: compilation is not measured */
        for (c->n = 1; !vn_status() && c->n < 100000000 && timed(c, c->n) < seconds / 2;) c->n *= 2;
    }
    double took = timed(c, c->n);
    if (vn_status()) {
        printf("error: %s\n", vn_message());
        vn_clear();
        c->n = 0;
    } else {
        printf("%.9g\n", took / (double)c->n / c->units);
    }
}

static void answer(const char *line)
{
    char name[32];
    double seconds;
    if (sscanf(line, "%31s %lf", name, &seconds) == 2)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (!strcmp(name, cases[i].name)) {
                measure(&cases[i], seconds);
                return;
            }
    const int k = workload_find(name);
    if (k < 0) {
        printf("error: no case in this line\n");
        return;
    }
    if (strcmp(name, workload_name_now) != 0) workload = (struct bench_case){workload_name_now, run_workload, 1, 0};
    snprintf(workload_name_now, sizeof workload_name_now, "%s", name);
    workload_number = k;
    measure(&workload, seconds);
}

/* The peak memory of this process, in KiB; the parent's view would include its own memory before exec. */
static long peak(void)
{
    char line[128];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %ld", &kib) != 1) continue;
    if (f) fclose(f);
    return kib;
}

int main(int argc, char **argv)
{
    char line[128];
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (int k = 0; workload_name(k); k++) puts(workload_name(k));
        return 0;
    }
    if (argc < 2) {
        fprintf(stderr, "usage: vinea-bench ENGINE [first|memory]\n");
        return 2;
    }
    vn_use(argv[1]);
    if (!vn_status()) vn_item(vn_add(one_element(1), one_element(2)));
    printf(vn_status() ? "error: %s\n" : "ready\n", vn_message());
    if (argc > 2 && !strcmp(argv[2], "memory")) printf("%.3f\n", memory_of_adam());
    else if (argc > 2) printf("%ld\n", peak());
    fflush(stdout);
    while (argc == 2 && !vn_status() && fgets(line, sizeof line, stdin)) {
        answer(line);
        fflush(stdout);
    }
    if (*workload.name) workload_run(workload_number, 0);
    return vn_close();
}
