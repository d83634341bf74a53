/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.c: loss and gradients of an MLP (1024-2048-2048-2048-10, 42 MB of gradients, 32 rows a rank) on the ranks it is started with: in the fixed
 * tree, with .fast_sums after the backward pass, and in buckets that travel while it is computed; in turns, so that all meet the same load.
 * Prints the median and the best milliseconds of each.
 *     mpirun -n 2 build/bench/overlap.openmpi [ENGINE] */
#include "group/group.h"
#include "median.h"
#include <stdio.h>
#include <vinea/module.h>
#include <vinea/objects.h>
#include <vinea/train.h>

enum { ROWS = 32, TURNS = 25, WAYS = 3 };

typedef struct {
    vn_module *net;
    vn_array *x, *y;
} batch;

static vn_array *loss_of(vn_module *m, void *data)
{
    const batch *b = data;
    return vn_loss_of("cross_entropy", vn_module_call(m, b->x, NULL), b->y);
}
static vn_array *gradient(void *data, vn_part *part, vn_tree **grads)
{
    (void)part;
    return vn_module_value_and_grad(((const batch *)data)->net, loss_of, data, grads);
}

static double step(vn_group *all, batch *b, bool fast)
{
    VN_SCOPE;
    vn__parts p;
    vn_tree *grads;
    const vn__part_work w = {.module = b->net, .gradient = gradient, .user = b};
    vn_group_barrier(all);
    const double begun = now();
    int code = vn__parts_begin(&p, all, vn_group_size(all), 1, fast, "bench");
    if (!code) vn__parts_compute(&p, &w, &grads);
    const double taken = now() - begun;
    vn__parts_end(&p);
    return vn_item(vn_group_all_reduce(all, vn_from_host(&taken, VN_F64, VN_0D), VN_REDUCE_MAX)); /* of the slowest */
}

int main(int argc, char **argv)
{
    static const char *const names[WAYS] = {"fixed tree", "fast, after the backward pass", "fast, in buckets"};
    static double taken[WAYS][TURNS];
    if (argc > 1) vn_use(argv[1]);
    vn_group *all = vn_group_open(NULL);
    const size_t bucket = vn__overlap_bucket;
    int64_t classes[ROWS];
    for (int i = 0; i < ROWS; i++) classes[i] = i % 10;
    vn_seed(1);
    batch b = {VN_SEQUENTIAL(vn_nn_linear(1024, 2048, NULL), vn_nn_relu(), vn_nn_linear(2048, 2048, NULL), vn_nn_relu(),
                             vn_nn_linear(2048, 2048, NULL), vn_nn_relu(), vn_nn_linear(2048, 10, NULL)),
               vn_random_normal(0, 1, VN_SHAPE(ROWS, 1024)), vn_from_host(classes, VN_I64, VN_SHAPE(ROWS))};
    vn_eval(2, (vn_array *[]){b.x, b.y});
    for (int k = -3; k < TURNS && !vn_status(); k++) { /* the first ones warm up */
        for (int way = 0; way < WAYS; way++) {
            vn__overlap_bucket = way == 2 ? bucket : SIZE_MAX;
            const double seconds = step(all, &b, way > 0);
            if (k >= 0) taken[way][k] = seconds;
        }
    }
    for (int way = 0; way < WAYS && !vn_group_rank(all); way++) {
        const double middle = median(taken[way], TURNS);
        printf("%-30s %8.1f ms, best %8.1f ms\n", names[way], 1e3 * middle, 1e3 * taken[way][0]);
    }
    if (vn_status()) fprintf(stderr, "overlap: %s\n", vn_message());
    return vn_close();
}
