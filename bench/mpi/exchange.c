/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c: the exchange of gradients beside a bare MPI_Allreduce of the same bytes, in turns in one program, so that both meet the same
 * load. Each rank gives the sum of one part. Prints, for each number of floats, the median microseconds of both (of the slowest rank in
 * each turn) and the median of their ratios; with --fast that of the exchange without the fixed tree.
 *     VINEA_GROUP_PATH=build/groups mpirun -n 2 build/bench/exchange.openmpi [--fast] */
#include "group/group.h"
#include "core/state.h"
#include "median.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* Of the slowest rank. */
static double slowest(double seconds)
{
    double most;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double exchange(vn_group *all, vn_array *x, bool fast)
{
    VN_SCOPE;
    vn__parts p;
    int code = vn__parts_begin(&p, all, ranks, 1, fast, "bench");
    if (!code) code = vn__parts_add(&p, rank, 1, &x, (double[]){1});
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = now();
    code = vn__parts_exchange(&p, code);
    const double taken = now() - begun;
    if (!code && vn_item(vn_max(vn__parts_result(&p, 0), VN_ALL)) != (ranks + 1) / 2.) code = vn__fail(VN_E_ARG, "a wrong sum");
    vn__parts_end(&p);
    if (!code) return slowest(taken);
    fprintf(stderr, "exchange: %s\n", vn_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 0;
}

static double bare(const float *in, float *out, int64_t n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = now();
    MPI_Allreduce(in, out, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return slowest(now() - begun);
}

static void compare(vn_group *all, int64_t n, int turns, bool fast)
{
    VN_SCOPE;
    vn_array *x = vn_full(vn_scalar(rank + 1), VN_SHAPE(n), VN_F32);
    const float *in = vn_data(x);
    float *out = calloc((size_t)n, sizeof *out);
    double *ours = calloc((size_t)turns, sizeof *ours), *theirs = calloc((size_t)turns, sizeof *theirs),
           *ratio = calloc((size_t)turns, sizeof *ratio);
    if (!in || !out || !ours || !theirs || !ratio) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = -3; k < turns; k++) { /* the first ones warm up */
        const double a = exchange(all, x, fast), b = bare(in, out, n);
        if (k >= 0) ours[k] = a, theirs[k] = b, ratio[k] = a / b;
    }
    if (!rank)
        printf("%10lld floats  exchange %10.1f us  MPI_Allreduce %10.1f us  ratio %6.2f\n", (long long)n, 1e6 * median(ours, turns),
               1e6 * median(theirs, turns), median(ratio, turns));
    free(out), free(ours), free(theirs), free(ratio);
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    vn_group *all = vn_group_open(NULL);
    if (!all) return fprintf(stderr, "exchange: %s\n", vn_message()), 1;
    if (vn_group_size(all) != ranks) return fprintf(stderr, "exchange: no plugin was found; set VINEA_GROUP_PATH\n"), 1;
    const bool fast = argc > 1 && !strcmp(argv[1], "--fast");
    compare(all, 1000, 2000, fast), compare(all, 100000, 500, fast), compare(all, 10000000, 15, fast);
    vn_close();
    return MPI_Finalize();
}
