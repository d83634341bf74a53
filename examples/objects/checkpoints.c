/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: variables, optimizer, random state and step in one file; what continues from it has the same bits. */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *loss_of(vn_module *net, void *data)
{
    return vn_mean(vn_square(vn_module_call(net, data)), VN_ALL);
}

/* Trains up to a step, and returns the loss of the last one. */
static double train(vn_checkpoint *c, vn_array *x, int64_t steps)
{
    vn_tree *grads;
    double loss = 0;
    for (; c->step < steps; c->step++) {
        VN_SCOPE;
        vn_array *value = vn_module_value_and_grad(c->module, loss_of, x, &grads);
        vn_step(c->optim, vn_module_v(c->module), grads);
        loss = vn_item(value);
    }
    return loss;
}

int main(void)
{
    vn_seed(1);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(16, 4));
    vn_checkpoint c = {.size = sizeof c, .module = vn_nn_linear(4, 1), .optim = vn_adam(.01)};
    train(&c, x, 10);
    vn_checkpoint_save("checkpoints.safetensors", &c);
    const double before = train(&c, x, 20);

    vn_checkpoint again = {.size = sizeof again, .module = vn_nn_linear(4, 1), .optim = vn_adam(.01)};
    vn_checkpoint_load("checkpoints.safetensors", &again);
    printf("continues from step %lld\n", (long long)again.step);
    printf("%s\n", train(&again, x, 20) == before ? "the same loss" : "another loss");
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    remove("checkpoints.safetensors");
    return vn_close();
}

/* prints
continues from step 10
the same loss
*/
