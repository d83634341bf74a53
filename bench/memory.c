/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: the memory of a training step with Adam, relative to parameters, two moments, gradients and activations.
 *
 * Measured as the lowest memory limit under which the step still works, so cached blocks do not count. */
#include "memory.h"

#include <stdbool.h>

enum { IN = 784, WIDTH = 2048, OUT = 10, BATCH = 256, STEPS = 3 };

static vn_array *layer(const vn_tree *p, vn_array *x, const char *weight, const char *bias)
{
    return vn_linear(x, vn_tree_get(p, weight), vn_tree_get(p, bias));
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_relu(layer(p, xy[0], "w1", "b1"));
    h = vn_relu(layer(p, h, "w2", "b2"));
    return vn_mean(vn_square(vn_sub(layer(p, h, "w3", "b3"), xy[1])), VN_ALL);
}

static vn_array *weights(int64_t out, int64_t in)
{
    return vn_random_normal(0, .03, VN_SHAPE(out, in));
}

/* Trains a few steps from scratch under a limit; false if that is too little memory. */
static bool trains(int64_t limit)
{
    VN_SCOPE;
    vn_memory_limit(limit);
    vn_array *xy[] = {vn_random_normal(0, 1, VN_SHAPE(BATCH, IN)), vn_random_normal(0, 1, VN_SHAPE(BATCH, OUT))};
    vn_eval(2, xy);
    vn_tree *p = vn_tree_of("w1", weights(WIDTH, IN), "b1", vn_zeros(VN_SHAPE(WIDTH), VN_F32), "w2", weights(WIDTH, WIDTH), "b2",
                            vn_zeros(VN_SHAPE(WIDTH), VN_F32), "w3", weights(OUT, WIDTH), "b3", vn_zeros(VN_SHAPE(OUT), VN_F32), NULL);
    vn_optim *adam = vn_adam(1e-3, NULL);
    for (int k = 0; k < STEPS && !vn_status(); k++) {
        VN_SCOPE;
        vn_tree *g = NULL;
        vn_array *loss = vn_value_and_grad(loss_of, p, xy, &g);
        vn_step(adam, p, g);
        vn_item(loss);
    }
    vn_memory_limit(0);
    return vn_status() == VN_OK;
}

double memory_of_adam(void)
{
    const double weights_and_biases = (double)WIDTH * IN + WIDTH + (double)WIDTH * WIDTH + WIDTH + (double)OUT * WIDTH + OUT;
    const double activations = (double)BATCH * (IN + WIDTH + WIDTH + OUT + OUT);
    const double must = 4 * (4 * weights_and_biases + activations);
    double low = 0.5, high = 3;
    while (high - low > 0.005) {
        const double ratio = (low + high) / 2;
        if (trains((int64_t)(ratio * must))) {
            high = ratio;
        } else if (vn_status() == VN_E_MEM) {
            low = ratio;
        } else {
            return -1;
        }
        vn_clear();
    }
    return high;
}
