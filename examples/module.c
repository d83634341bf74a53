/* module.c: learns exclusive or with a custom module. Shows a class with build and forward, its summary, and training it.
 *
 *     build/examples/module [engine]
 */
#include <stdio.h>
#include <vinea/vinea.h>

static int build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module_add(m, "_hidden", vn_nn_linear(2, 16));
    return vn_module_add(m, "_out", vn_nn_linear(16, 1));
}

static vn_array *forward(vn_module *m, vn_array *x)
{
    return vn_sigmoid(vn_module_run(m, "_out", vn_tanh(vn_module_run(m, "_hidden", x))));
}

static const vn_module_class perceptron = {.name = "Perceptron", .build = build, .forward = forward};

static vn_array *loss_of(vn_module *net, void *data)
{
    vn_array **xy = data;
    return vn_mean(vn_square(vn_sub(vn_module_call(net, xy[0]), xy[1])), VN_ALL);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "module: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    vn_array *x = vn_from((float[]){0, 0, 0, 1, 1, 0, 1, 1}, VN_SHAPE(4, 2));
    vn_array *y = vn_from((float[]){0, 1, 1, 0}, VN_SHAPE(4, 1));           /* exclusive or */
    vn_module *net = vn_module_new(&perceptron, NULL, NULL);
    vn_optim *adam = vn_adam(.05);
    printf("%s\n", vn_module_summary(net, x));

    for (int step = 0; step <= 200; step++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *loss = vn_module_value_and_grad(net, loss_of, (vn_array *[]){x, y}, &grads);
        vn_step(adam, vn_module_v(net), grads);
        if (step % 100 == 0) printf("%3d  loss %.6f\n", step, vn_item(loss));
    }
    vn_fprint(stdout, vn_round(vn_module_call(net, x)));
    if (vn_status()) fprintf(stderr, "module: %s\n", vn_message());
    return vn_close();
}
