/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c: all engines in one process, used from four threads; arrays moved between them; the process ends cleanly, ten times (in the
 * full run 120 times: engines_full.c), with the engines loaded in different orders. */
/* ctest: seconds 10 */
/* ctest: frameworks */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef RUNS
#define RUNS 10
#endif
enum { ORDERS = 120 }; /* all that five engines have */

static char names[16][32];
static int n_engines;

/* exp(x)^2 * 3, each op on another engine; the gradient passes back through the moves. */
static void *tour(void *order)
{
    int first = *(int *)order;
    for (int round = 0; round < 3; round++) {
        VN_SCOPE;
        vn_use(names[first % n_engines]);
        vn_array *v = vn_variable(vn_from((float[]){.1f, .2f, .3f}, VN_SHAPE(3))), *x = v;
        for (int k = 0; k < n_engines; k++) {
            x = vn_to(x, names[(first + k) % n_engines]);
            x = vn_mul(vn_add(x, vn_scalar(1)), vn_scalar(.5));
            CHECK(!strcmp(vn_engine_of(x), names[(first + k) % n_engines]));
        }
        vn_array *g = vn_grad(vn_sum(x, VN_ALL), v);
        CHECK(g && !strcmp(vn_engine_of(g), names[first % n_engines]));
        CHECK(g && near(((const float *)vn_data(g))[1], pow(.5, n_engines), 1e-5));
        vn_array *here = vn_ones(VN_SHAPE(3), VN_F32);
        vn_use(names[(first + 1) % n_engines]);
        CHECK_FAILS(vn_add(here, vn_ones(VN_SHAPE(3), VN_F32)), VN_E_ENGINE, names[first % n_engines]);
        CHECK_FAILS(vn_add(here, vn_ones(VN_SHAPE(3), VN_F32)), VN_E_ENGINE, names[(first + 1) % n_engines]);
    }
    CHECK(vn_close() == VN_OK);
    return NULL;
}

/* Permutation `order` of 0 .. n-1. */
static void permute(int order, int n, int *to)
{
    for (int k = 0; k < n; k++) to[k] = k;
    for (int k = n - 1; k > 0; order /= k + 1, k--) {
        int j = order % (k + 1), kept = to[k];
        to[k] = to[j];
        to[j] = kept;
    }
}

static int child(int order)
{
    check_name = "four threads";
    n_engines = vn_engine_count();
    int at[16] = {0};
    permute(order, n_engines < 16 ? n_engines : 16, at);
    for (int k = 0; k < n_engines; k++) {
        vn_engine_info e = {.size = sizeof e};
        CHECK(vn_engine_at(at[k], &e) == VN_OK);
        if (!e.available) return fprintf(stderr, "%s: %s\n", e.name, e.message), 77;
        CHECK(e.version);
        vn_engine_info same = {.size = sizeof same};
        char name[sizeof names[k]];
        snprintf(name, sizeof name, "%s", e.name);
        CHECK(vn_engine_named(name, &same) == VN_OK && !strcmp(same.name, name) && same.available && same.version);
        snprintf(names[k], sizeof names[k], "%s", name);
    }
    vn_engine_info none = {.size = sizeof none};
    CHECK_FAILS(vn_engine_named("nobody", &none), VN_E_ENGINE, "there is no engine \"nobody\"");
    CHECK_FAILS(vn_engine_named(NULL, &none), VN_E_NULL, "name is NULL");
    CHECK_FAILS(vn_engine_named("native", NULL), VN_E_NULL, "info is NULL");
    pthread_t t[4];
    int orders[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, tour, &orders[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return finish();
}

int main(int argc, char **argv)
{
    if (argc > 1) return child(atoi(argv[1]));
    for (int run = 0; run < RUNS; run++) {
        char order[16];
        snprintf(order, sizeof order, "%d", run * (ORDERS / RUNS)); /* spread over all orders; all of them once in the full run */
        pid_t p = fork();
        if (!p) {
            execl("/proc/self/exe", argv[0], order, (char *)NULL);
            _exit(127);
        }
        int status = -1;
        waitpid(p, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return 77; /* not all are installed */
        check_name = "clean exit";
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return finish();
}
