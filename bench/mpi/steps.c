/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: training steps of a network on the ranks it is started with, or in one process: for bench/ranks.py. Prints microseconds a step, the
 * median over rounds.
 *     steps CASE SECONDS       CASE: mlp (batch 128, 784-512-256-10) or cnn (batch 64, 28x28) */
#include "median.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vinea/vinea.h>
#include <vinea/module.h>
#include <vinea/objects.h>
#include <vinea/ranks.h>
#include <vinea/train.h>

typedef struct {
    vn_array *x, *y;
    int64_t rows;
} batch;

static vn_array *loss_of(vn_module *m, vn_part *part, void *data)
{
    const batch *b = data;
    const int64_t n = b->rows / part->parts;
    vn_array *first = vn_from_host((int64_t[]){part->number * n, 0, 0, 0}, VN_I64, VN_SHAPE(vn_rank(b->x)));
    vn_shape s = vn_shape_of(b->x);
    s.dim[0] = n;
    vn_array *x = part->parts > 1 ? vn_slice(b->x, first, s) : b->x;
    vn_array *y = part->parts > 1 ? vn_slice(b->y, vn_from_host(&(int64_t){part->number * n}, VN_I64, VN_SHAPE(1)), VN_SHAPE(n)) : b->y;
    return vn_loss_of("cross_entropy", vn_module_call(m, x, NULL), y);
}
static vn_array *whole_loss(vn_module *m, void *data)
{
    return loss_of(m, &(vn_part){0, 1, 1}, data);
}

static int step(vn_group *all, vn_module *net, vn_optim *adam, batch *b)
{
    VN_SCOPE;
    vn_tree *grads;
    const int ranks = vn_group_size(all);
    vn_array *loss = ranks > 1 ? vn_module_group_value_and_grad(net, all, ranks, loss_of, b, &grads)
                               : vn_module_value_and_grad(net, whole_loss, b, &grads);
    return loss ? vn_step(adam, vn_module_v(net), grads) : (int)vn_status();
}

int main(int argc, char **argv)
{
    enum { MOST = 100000 };
    static double taken[MOST];
    vn_group *all = vn_group_open(NULL);
    const int cnn = argc > 1 && !strcmp(argv[1], "cnn");
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    batch b = {.rows = cnn ? 64 : 128};
    vn_seed(1);
    b.x = vn_random_normal(0, 1, cnn ? VN_SHAPE(b.rows, 28, 28, 1) : VN_SHAPE(b.rows, 784));
    int64_t classes[128];
    for (int i = 0; i < 128; i++) classes[i] = i * 7 % 10;
    b.y = vn_from_host(classes, VN_I64, VN_SHAPE(b.rows));
    vn_module *net = cnn ? VN_SEQUENTIAL(vn_nn_conv2d(1, 16, VN_SHAPE(3, 3), NULL), vn_nn_relu(), vn_nn_max_pool2d(VN_SHAPE(2, 2), NULL),
                                         vn_nn_conv2d(16, 32, VN_SHAPE(3, 3), NULL), vn_nn_relu(), vn_nn_flatten(1, -1),
                                         vn_nn_linear(11 * 11 * 32, 10, NULL))
                         : VN_SEQUENTIAL(vn_nn_linear(784, 512, NULL), vn_nn_relu(), vn_nn_linear(512, 256, NULL), vn_nn_relu(),
                                         vn_nn_linear(256, 10, NULL));
    vn_optim *adam = vn_adam(1e-3, NULL);
    vn_eval(2, (vn_array *[]){b.x, b.y});
    int n = 0, code = VN_OK, more = 1;
    for (int k = 0; k < 5 && !code; k++) code = step(all, net, adam, &b);
    for (const double begun = now(); more && n < MOST && !code;) {
        const double from = now();
        code = step(all, net, adam, &b);
        taken[n++] = now() - from;
        if (n % 10) continue;
        const double left = now() - begun < seconds;
        more = vn_item(vn_group_all_reduce(all, vn_from_host(&left, VN_F64, VN_0D), VN_REDUCE_MIN)) > 0; /* all stop together */
    }
    if (!code && !vn_group_rank(all)) printf("%.1f\n", 1e6 * median(taken, n));
    if (vn_status()) fprintf(stderr, "steps: %s\n", vn_message());
    return vn_close();
}
