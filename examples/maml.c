/* maml.c: model-agnostic meta-learning. Each task is a sine curve with its own amplitude and phase, given at 10 points; the network is
 * trained so that one step of gradient descent on these points fits the whole curve. Shows gradients inside a loss that is differentiated
 * again (.retain), and 25 tasks at once along a leading axis, without a loop over tasks.
 *
 *     build/examples/maml [engine [steps]]
 */
/* ctest: args 250 */
#include <stdio.h>
#include <stdlib.h>
#include <vinea/vinea.h>

enum { TASKS = 25, POINTS = 10, WIDTH = 40, ARRAYS = 6 };
static const char *const names[ARRAYS] = {"b1", "b2", "b3", "w1", "w2", "w3"};
static const double RATE = .02;

typedef struct {
    vn_array *x, *y;         /* (tasks, points, 1): what is learned from */
    vn_array *new_x, *new_y; /* what it is tested on */
    int adapt;               /* after this many steps */
} tasks;

static tasks sample_tasks(int adapt)
{
    vn_array *height = vn_random_uniform(.1, 5, VN_SHAPE(TASKS, 1, 1)), *phase = vn_random_uniform(0, 3.14159, VN_SHAPE(TASKS, 1, 1));
    tasks t = {.adapt = adapt};
    t.x = vn_random_uniform(-5, 5, VN_SHAPE(TASKS, POINTS, 1)); /* a statement each: C leaves the order in an initialiser list open */
    t.new_x = vn_random_uniform(-5, 5, VN_SHAPE(TASKS, POINTS, 1));
    t.y = vn_mul(height, vn_sin(vn_sub(t.x, phase)));
    t.new_y = vn_mul(height, vn_sin(vn_sub(t.new_x, phase)));
    return t;
}

static vn_array *curve(vn_array *const *p, vn_array *x)
{
    vn_array *h = vn_relu(vn_add(vn_matmul(x, p[3]), p[0]));
    h = vn_relu(vn_add(vn_matmul(h, p[4]), p[1]));
    return vn_add(vn_matmul(h, p[5]), p[2]);
}

/* The error on new points after adapting to the given ones, with separate parameters for every task. */
static vn_array *loss_of(const vn_tree *p, void *data)
{
    const tasks *t = data;
    vn_array *own[ARRAYS], *grads[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        vn_array *shared = vn_tree_get(p, names[i]);
        own[i] = vn_broadcast_to(shared, VN_SHAPE(TASKS, vn_dim(shared, 0), vn_dim(shared, 1)));
    }
    for (int step = 0; step < t->adapt; step++) {
        vn_array *error =
            vn_mse_loss(curve(own, t->x), t->y, VN_NONE,
                        VN_OPTS(mse_loss, .reduction = "sum")); /* tasks do not touch each other: each gets its own gradient */
        vn_grads(vn_div(error, vn_scalar(POINTS)), ARRAYS, own, VN_OPTS(grad, .retain = 1), grads);
        for (int i = 0; i < ARRAYS; i++) own[i] = vn_sub(own[i], vn_mul(grads[i], vn_scalar(RATE)));
    }
    return vn_mse_loss(curve(own, t->new_x), t->new_y);
}

/* The mean error on 500 curves after this many steps. */
static double mean_error(const vn_tree *p, int adapt)
{
    vn_running mean = {0};
    for (int i = 0; i < 20; i++) {
        VN_SCOPE;
        tasks t = sample_tasks(adapt);
        vn_tree *unused; /* unused gradients are not computed */
        vn_running_add(&mean, vn_item(vn_value_and_grad(loss_of, p, &t, &unused)), 1);
    }
    return vn_running_value(&mean);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "maml: %s\n", vn_message());
        return vn_close();
    }
    vn_seed(1);
    const int steps = argc > 2 ? atoi(argv[2]) : 5000;
    const int64_t in[] = {1, WIDTH, WIDTH}, out[] = {WIDTH, WIDTH, 1};
    vn_tree *p = vn_tree_new(NULL);
    for (int i = 0; i < 3; i++) {
        vn_tree_set(p, names[i], vn_zeros(VN_SHAPE(1, out[i]), VN_F32));
        vn_tree_set(p, names[3 + i], vn_init_array(vn_init_glorot_normal(), VN_SHAPE(in[i], out[i]), in[i], out[i], VN_F32));
    }
    vn_optim *adam = vn_adam(.002);

    vn_running mean = {0};
    for (int step = 1; step <= steps; step++) {
        VN_SCOPE;
        vn_tree *grads;
        tasks t = sample_tasks(1);
        vn_array *loss = vn_value_and_grad(loss_of, p, &t, &grads);
        vn_step(adam, p, grads); /* one program: sampling, adapting, differentiating twice, stepping */
        vn_running_add(&mean, vn_item(loss), 1);
        if (step % 500 == 0 || step == steps) {
            printf("%5d  error after a step %.4f\n", step, vn_running_value(&mean));
            vn_running_reset(&mean);
        }
    }

    const double before = mean_error(p, 0), after = mean_error(p, 1);
    printf("curves it has not seen: error %.3f, after one step %.3f\n", before, after);
    if (vn_status()) fprintf(stderr, "maml: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(after < .8 * before);
}
