/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoints.c: a saved and resumed training gives the same bits as an uninterrupted one; a checkpoint of one engine loads on
 * another; one that does not match changes nothing. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "folder.h"

static const char *engine = "native";
enum { BATCH = 8 };

static vn_array *loss_of(vn_module *m, void *data)
{
    (void)data;
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(BATCH, 4));
    return vn_mean(vn_square(vn_sub(vn_module_call(m, x, NULL), vn_sum(x, VN_KEEP(1)))), VN_ALL);
}

/* Dropout uses random numbers; the counter is a buffer. */
static vn_array *count_calls(vn_module *m, vn_array *x)
{
    vn_module_set_buffer(m, "calls", vn_add(vn_module_buffer(m, "calls"), vn_scalar(1)));
    return x;
}
static int build_counter(vn_module *m, const vn_tree *args)
{
    (void)args;
    return vn_module_add_buffer(m, "calls", vn_zeros(VN_0D, VN_F32));
}
static const vn_module_class counter = {.name = "Counter", .build = build_counter, .forward = count_calls};

static vn_module *network(uint64_t seed)
{
    vn_seed(seed);
    return VN_SEQUENTIAL(vn_nn_linear(4, 16, NULL), vn_nn_tanh(), vn_nn_dropout(.2, NULL), vn_module_new(&counter, NULL, NULL),
                         vn_nn_linear(16, 1, NULL));
}

static void train(vn_module *m, vn_optim *o, int steps)
{
    for (int i = 0; i < steps; i++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_module_value_and_grad(m, loss_of, NULL, &grads);
        vn_step(o, vn_module_v(m), grads);
    }
}

static int same_trees(const vn_tree *a, const vn_tree *b)
{
    return vn_tree_identical(2, (const vn_tree *[]){a, b}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

static vn_optim *adam(void)
{
    vn_optim *o = vn_adam(1e-2, NULL);
    return vn_optim_accumulate(o, 3) || vn_optim_keep_average(o, .9) ? NULL : o;
}

TEST(resume)
{
    vn_module *straight = network(1);
    vn_optim *o = adam();
    train(straight, o, 20);

    vn_module *first = network(1);
    vn_optim *p = adam();
    train(first, p, 10);
    vn_tree *extra = vn_tree_of("seen", vn_from((float[]){1, 2}, VN_SHAPE(2)), NULL);
    vn_tree_set_number(extra, "epoch", 3);
    vn_checkpoint c = {.size = sizeof c, .module = first, .optim = p, .step = 10, .config = "{\"width\": 16}\n\u2603", .extra = extra};
    CHECK(vn_checkpoint_save(in_folder("run.ckpt"), &c) == VN_OK);

    vn_module *second = network(99); /* everything else than saved */
    vn_optim *q = adam();
    train(second, q, 2);
    vn_array *handle = vn_tree_leaf(vn_module_v(second), 0);
    vn_checkpoint d = {.size = sizeof d, .module = second, .optim = q, .step = 77};
    CHECK(vn_checkpoint_load(in_folder("run.ckpt"), &d) == VN_OK);
    CHECK(d.step == 10 && d.config && !strcmp(d.config, c.config) && vn_optim_steps(q) == 3);
    CHECK(handle == vn_tree_leaf(vn_module_v(second), 0));
    CHECK(d.extra && same_trees(d.extra, extra));
    vn_checkpoint old = {.size = offsetof(vn_checkpoint, extra), .extra = extra}; /* a program from before there was one */
    CHECK(vn_checkpoint_load(in_folder("run.ckpt"), &old) == VN_OK && old.extra == extra);
    d.extra = extra;
    CHECK(vn_checkpoint_load(in_folder("run.ckpt"), &d) == VN_OK && d.extra != extra);
    train(second, q, 10);
    CHECK(same_trees(vn_module_state(straight), vn_module_state(second)));
    CHECK(same_trees(vn_optim_state(o), vn_optim_state(q)));
    CHECK(vn_item(vn_tree_leaf(vn_module_buffers(second), 0)) == 20);
}

TEST(random_states)
{
    uint64_t state[2];
    vn_seed(5);
    vn_random_uniform(0, 1, VN_0D);
    CHECK(vn_random_state(state) == VN_OK);
    double a = vn_item(vn_random_uniform(0, 1, VN_0D));
    CHECK(vn_random_set_state(state) == VN_OK && vn_item(vn_random_uniform(0, 1, VN_0D)) == a);
    CHECK_FAILS(vn_random_state(NULL), VN_E_NULL, "state");
    CHECK_FAILS(vn_random_set_state(NULL), VN_E_NULL, "state");
}

/* From the engine of the test to native and back. */
TEST(other_engines)
{
    const char *engines[2] = {engine, "native"};
    for (int k = 0; k < 2; k++) {
        vn_use(engines[k]);
        vn_module *m = network(3), *n;
        vn_optim *o = adam(), *p = adam();
        train(m, o, 4);
        vn_checkpoint c = {.size = sizeof c, .module = m, .optim = o, .step = 4};
        CHECK(vn_checkpoint_save(in_folder("moved.ckpt"), &c) == VN_OK);
        vn_use(engines[1 - k]);
        n = network(4);
        vn_use(engines[k]); /* where the arrays are decides, not what is in use */
        c = (vn_checkpoint){.size = sizeof c, .module = n, .optim = p};
        CHECK(vn_checkpoint_load(in_folder("moved.ckpt"), &c) == VN_OK);
        vn_tree *v = vn_module_v(n), *w = vn_module_v(m);
        for (int i = 0; i < vn_tree_leaves(v); i++) {
            vn_array *x = vn_tree_leaf(v, i), *y = vn_tree_leaf(w, i);
            CHECK(!strcmp(vn_engine_of(x), engines[1 - k]));
            CHECK(!memcmp(vn_data(x), vn_data(y), (size_t)vn_size(x) * sizeof(float)));
        }
        vn_use(engines[1 - k]);
        train(n, p, 2);
        CHECK(vn_optim_steps(p) == 2);
        vn_use(engine);
    }
}

TEST(misfits)
{
    vn_module *m = network(1);
    vn_optim *o = adam();
    train(m, o, 3);
    vn_checkpoint c = {.size = sizeof c, .module = m, .optim = o, .step = 3};
    const char *path = in_folder("fits.ckpt");
    CHECK(vn_checkpoint_save(path, &c) == VN_OK);
    train(m, o, 3);
    vn_tree *state = vn_module_state(m), *moments = vn_tree_deep_copy(vn_optim_state(o));
    vn_module *other = VN_SEQUENTIAL(vn_nn_linear(4, 17, NULL));
    uint64_t before[2], after[2];
    vn_random_state(before);
    vn_checkpoint d = c;
    d.optim = vn_sgd(.1, NULL);
    CHECK_FAILS(vn_checkpoint_load(path, &d), VN_E_STRUCT, "adam");
    d.optim = vn_adam(.1, NULL); /* keeps no average */
    CHECK_FAILS(vn_checkpoint_load(path, &d), VN_E_STRUCT, "average");
    d = (vn_checkpoint){.size = sizeof d, .weights = vn_tree_of("w", vn_zeros(VN_SHAPE(2), VN_F32), NULL), .optim = o};
    CHECK_FAILS(vn_checkpoint_load(path, &d), VN_E_STRUCT, "fits.ckpt");
    d = (vn_checkpoint){.size = sizeof d, .module = other, .optim = o};
    CHECK_FAILS(vn_checkpoint_load(path, &d), VN_E_STRUCT, "fits.ckpt");
    CHECK_FAILS(vn_checkpoint_load(in_folder("not there"), &c), VN_E_IO, "No such file");
    vn_save(in_folder("plain"), vn_module_v(m), NULL);
    CHECK_FAILS(vn_checkpoint_load(in_folder("plain"), &c), VN_E_FORMAT, "not a checkpoint");
    CHECK_FAILS(vn_checkpoint_load(NULL, &c), VN_E_NULL, "path");
    CHECK_FAILS(vn_checkpoint_load(path, NULL), VN_E_NULL, "checkpoint");
    CHECK_FAILS(vn_checkpoint_save(path, &(vn_checkpoint){.module = m}), VN_E_ARG, "size");
    CHECK_FAILS(vn_checkpoint_save(path, &(vn_checkpoint){.size = sizeof c, .module = m, .weights = state}), VN_E_ARG, "one of them");
    CHECK_FAILS(vn_checkpoint_save(path, &(vn_checkpoint){.size = sizeof c, .step = -1}), VN_E_ARG, "step");
    CHECK_FAILS(vn_checkpoint_save(path, &(vn_checkpoint){.size = sizeof c, .config = "\xff"}), VN_E_ARG, "UTF-8");
    CHECK_FAILS(vn_checkpoint_save("/dev/full", &c), VN_E_IO, "No space");
    vn_random_state(after);
    CHECK(same_trees(state, vn_module_state(m)) && same_trees(moments, vn_optim_state(o)) && !memcmp(before, after, sizeof before));
    CHECK(c.step == 3);
    /* Without an optimizer, for using what was trained. */
    d = (vn_checkpoint){.size = sizeof d, .module = m};
    CHECK(vn_checkpoint_load(path, &d) == VN_OK && d.step == 3 && !d.config);
    d = (vn_checkpoint){.size = sizeof d, .step = 5};
    CHECK(vn_checkpoint_save(path, &d) == VN_OK);
    CHECK_FAILS(vn_checkpoint_load(path, &c), VN_E_STRUCT, "no weights");
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    engine = vn_using();
    folder_make();
    run_tests();
    folder_remove();
    return finish();
}
