/* SPDX-License-Identifier: Apache-2.0 */
/* regression.c: the second part of `vinea demo`: the README's example on every engine, to show that the losses agree. */
#include "command.h"
#include "os/clock.h"

#include <string.h>
#include <vinea/vinea.h>

enum { STEPS = 101, WARM_UP = 10 };
static const int shown[] = {0, 10, 100}; /* the steps whose loss is shown */
enum { N_SHOWN = sizeof shown / sizeof *shown };

typedef struct result {
    double loss[N_SHOWN];
    double seconds; /* median time of a step after the warm-up */
} result;

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_add(vn_matmul(xy[0], vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, xy[1])), VN_ALL);
}

/* Trains on the current engine. Returns 0, or 1 with the thread's error set. */
static int train(result *r)
{
    VN_SCOPE;
    double times[STEPS];
    vn_seed(0);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1, NULL);
    for (int step = 0, k = 0; step < STEPS; step++) {
        VN_SCOPE;
        vn_tree *grads;
        double start = vn__clock();
        vn_array *loss = vn_value_and_grad(loss_of, p, (vn_array *[]){x, y}, &grads);
        vn_step(sgd, p, grads);
        double value = vn_item(loss); /* every time, so that no work is in flight when the clock is read */
        times[step] = vn__clock() - start;
        if (k < N_SHOWN && step == shown[k]) r->loss[k++] = value;
    }
    r->seconds = median(times + WARM_UP, STEPS - WARM_UP);
    return vn_status() != VN_OK;
}

/* One row of the table. Returns EXIT_FAILED if the engine is available and fails. */
static int show(const char *name, const char *version)
{
    result r = {{0}, 0};
    if (vn_use(name) || train(&r)) {
        complain("%s: %s", name, vn_message());
        vn_clear();
        return EXIT_FAILED;
    }
    printf("%-12s  %-10s", name, version);
    for (int k = 0; k < N_SHOWN; k++) printf("  %12.8f", r.loss[k]);
    printf("  %9.1f us\n", r.seconds * 1e6);
    fflush(stdout);
    return EXIT_GOOD;
}

/* One engine: a row if it is available, otherwise an entry in `missing`, with how to install it. */
static int show_engine(const vn_engine_info *e, table *missing)
{
    char name[64], version[64]; /* the strings of e are valid only until the next engine query */
    snprintf(name, sizeof name, "%s", e->name);
    snprintf(version, sizeof version, "%s", e->version ? e->version : "-");
    if (e->available) return show(name, version);
    return table_row(missing, (const char *[]){name, "not available. Install it with:", e->how});
}

static int show_all(table *missing)
{
    int code = EXIT_GOOD, n = vn_engine_count();
    for (int i = 0; i < n; i++) {
        vn_engine_info e = {.size = sizeof e};
        if (vn_engine_at(i, &e)) return complain("engine %d: %s", i, vn_message());
        code |= show_engine(&e, missing);
    }
    return code;
}

/* An engine named by the user; if it is missing, that is a failure. The search stops when it is found, so that no other is loaded. */
static int show_named(const char *name, table *missing)
{
    int n = vn_engine_count();
    for (int i = 0; i < n; i++) {
        vn_engine_info e = {.size = sizeof e};
        if (vn_engine_at(i, &e)) return complain("engine %d: %s", i, vn_message());
        if (strcmp(e.name, name) != 0) continue;
        int there = e.available, code = show_engine(&e, missing);
        return there ? code : EXIT_MISSING;
    }
    complain("demo: there is no engine '%s'; `vinea engines` lists them", name);
    return EXIT_MISSING;
}

int compare_engines(int n, const char *const *names)
{
    int code = EXIT_GOOD;
    table *missing = table_new(3);
    printf("Linear regression on 256 x 3 numbers by gradient descent: the loss after some steps, the same on every engine.\n\n");
    printf("%-12s  %-10s", "engine", "version");
    for (int k = 0; k < N_SHOWN; k++) printf("      step %3d", shown[k]);
    printf("  %12s\n", "time a step");
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        int one = show_named(names[i], missing);
        if (!code) code = one;
    }
    if (!n) code = show_all(missing);
    if (table_rows(missing)) putchar('\n');
    table_print(missing);
    table_free(missing);
    vn_close();
    return code;
}
