/* SPDX-License-Identifier: Apache-2.0 */
/* nn_layers.c: layers and initialisers on every engine: values against closed forms, gradients, distributions of random numbers, errors. */
#include "nn_layers.h"
#include "models.h"

/* ---- layers ---- */

static void linear_values(void)
{
    vn_tree *v =
        vn_tree_of("w", vn_from((float[]){1, 0, -1, .5f, .5f, .5f}, VN_SHAPE(2, 3)), "b", vn_from((float[]){.1f, .2f}, VN_SHAPE(2)), NULL);
    vn_module *m = vn_nn_linear(3, 2, VN_OPTS(nn_linear, .module = VN_OPTS(module, .v = v)));
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *y = vn_cast(vn_module_call(m, x, NULL), VN_F64);
    const double *at = vn_data(y);
    CHECK(vn_rank(y) == 1 && near(at[0], -1.9, 1e-6) && near(at[1], 3.2, 1e-6));
    vn_seed(3);
    vn_module *big = vn_module_cast(vn_nn_linear(100, 200, VN_OPTS(nn_linear, .no_bias = 1)), VN_F64);
    vn_array *w = vn_module_var(big, "w");
    CHECK(vn_tree_leaves(vn_module_v(big)) == 1 && vn_dtype_of(w) == VN_F64 && vn_dim(w, 0) == 200);
    CHECK(largest_of(w) <= sqrt(6. / 300) && near(vn_item(vn_std(w, VN_ALL, 0)), sqrt(2. / 300), .02));
    CHECK_FAILS(vn_nn_linear(0, 3, NULL), VN_E_ARG, "nn_linear: in is 0, out 3");
    CHECK_FAILS(vn_module_cast(vn_nn_linear(2, 3, NULL), VN_I32), VN_E_DTYPE, "int32");
}

static void dropout(void)
{
    vn_array *x = vn_full(vn_scalar(3), VN_SHAPE(50, 40), VN_F32);
    vn_module *d = vn_nn_dropout(.25, NULL), *all = vn_nn_dropout(1, NULL), *plain = vn_nn_dropout(.25, VN_OPTS(nn_dropout, .no_scale = 1));
    vn_array *y = vn_module_call(d, x, NULL);
    double kept = vn_item(vn_mean(vn_cast(vn_not_equal(y, vn_scalar(0)), VN_F32), VN_ALL));
    CHECK(fabs(kept - .75) < 5 * sqrt(.75 * .25 / 2000) && vn_item(vn_max(y, VN_ALL)) == 4);
    CHECK(vn_item(vn_max(vn_module_call(plain, x, NULL), VN_ALL)) == 3 && vn_item(vn_max(vn_module_call(all, x, NULL), VN_ALL)) == 0);
    vn_module_train(d, 0);
    CHECK(vn_item(vn_min(vn_module_call(d, x, NULL), VN_ALL)) == 3);
    CHECK_FAILS(vn_nn_dropout(1.5, NULL), VN_E_ARG, "1.5");
}

static void layer_norm(void)
{
    vn_module *norm = vn_nn_layer_norm(VN_SHAPE(2, 2), NULL);
    vn_array *z = vn_module_call(norm, vn_from((float[]){1, 2, 3, 4, -1, -1, -1, -1}, VN_SHAPE(2, 2, 2)), NULL);
    const float *at = vn_data(z);
    CHECK(near(at[0], -1.3416355, 1e-5) && near(at[3], 1.3416355, 1e-5) && at[4] == 0);
    CHECK(vn_tree_has(vn_module_v(norm), "weight") && vn_tree_has(vn_module_v(norm), "bias"));
    CHECK_FAILS(vn_module_call(norm, vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), VN_E_SHAPE, "last axes of 2x2");
    vn_module *wide = vn_nn_layer_norm(VN_SHAPE(4), VN_OPTS(nn_layer_norm, .no_affine = 1, .new_std = 2, .epsilon = 1e-9));
    CHECK(vn_tree_leaves(vn_module_v(wide)) == 0);
    vn_array *two = vn_module_call(wide, vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4)), NULL);
    CHECK(near(vn_item(vn_std(two, VN_ALL, 0)), 2, 1e-5));
}

static void embedding(void)
{
    vn_module *e = vn_nn_embedding(5, 3, VN_OPTS(nn_embedding, .padding_index = 2));
    vn_array *index = vn_from_host((int32_t[]){4, 2, 0, 4, 9, -1}, VN_I32, VN_SHAPE(2, 3)), *rows = vn_module_call(e, index, NULL);
    vn_array *w = vn_module_var(e, "w");
    CHECK(vn_rank(rows) == 3 && !memcmp(vn_data(rows), (const float *)vn_data(w) + 12, 3 * sizeof(float)));
    const float *r = vn_data(rows);
    for (int i = 0; i < 3; i++) CHECK(r[3 + i] == 0 && r[12 + i] == 0 && r[15 + i] == 0);
    vn_tree *grads;
    CHECK(vn_module_value_and_grad(e, sum_loss, index, &grads));
    const float *g = vn_data(vn_tree_get(grads, "w"));
    CHECK(g[0] == 1 && g[3] == 0 && g[6] == 0 && g[12] == 2);
    CHECK_FAILS(vn_module_call(e, vn_ones(VN_SHAPE(2), VN_F32), NULL), VN_E_DTYPE, "integers are needed");
    CHECK_FAILS(vn_nn_embedding(5, 3, VN_OPTS(nn_embedding, .padding_index = 5)), VN_E_ARG, "padding_index is 5");
}

static void activations(void)
{
    vn_option axis = {.name = "axis", .kind = VN_OPT_INT, .u.i = -1};
    vn_module *seq = VN_SEQUENTIAL(vn_nn_linear(3, 4, NULL), vn_nn_tanh(), vn_nn_activation("softmax", &axis, 1));
    CHECK(near(vn_item(vn_sum(vn_module_call(seq, model_input(1, 2, 3), NULL), VN_ALL)), 2, 1e-6));
    CHECK_FAILS(vn_nn_activation("softmax", NULL, 0), VN_E_ARG, "needs its option \"axis\"");
    CHECK_FAILS(vn_nn_activation("nothing", NULL, 0), VN_E_ARG, "no op \"nothing\"");
    CHECK_FAILS(vn_nn_activation("add", NULL, 0), VN_E_ARG, "does not make one array of one");
    CHECK_FAILS(vn_nn_activation("tanh", &axis, 1), VN_E_ARG, "no number \"axis\"");
}

/* Elements of one column share one sample; gradients pass where elements are kept. */
static void shared_dropout(void)
{
    vn_array *x = vn_ones(VN_SHAPE(8, 40), VN_F32);
    vn_module *d = vn_nn_dropout(.5, VN_OPTS(nn_dropout, .noise_shape = VN_LIST(1, -1)));
    vn_array *y = vn_module_call(d, x, NULL), *first = vn_slice_at(y, VN_SHAPE(0, 0), VN_SHAPE(1, 40));
    CHECK(alike(y, vn_broadcast_to(first, VN_SHAPE(8, 40)), 0));
    CHECK(vn_item(vn_min(y, VN_ALL)) == 0 && vn_item(vn_max(y, VN_ALL)) == 2);
    CHECK_FAILS(vn_module_call(vn_nn_dropout(.5, VN_OPTS(nn_dropout, .noise_shape = VN_LIST(3, 1))), x, NULL), VN_E_ARG, "8x40");
}

static void short_rows(void)
{
    vn_module *e = vn_nn_embedding(4, 2, VN_OPTS(nn_embedding, .max_norm = 1, .w_init = vn_init_constant(3)));
    vn_array *rows = vn_module_call(e, vn_from_host((uint8_t[]){0, 3, 200}, VN_U8, VN_SHAPE(3)), NULL);
    const float r = (float)sqrt(.5);
    CHECK(alike(rows, vn_from((float[]){r, r, r, r, 0, 0}, VN_SHAPE(3, 2)), 1e-6));
    CHECK_FAILS(vn_nn_embedding(4, 2, VN_OPTS(nn_embedding, .max_norm = -1)), VN_E_ARG, "max_norm is -1; a number in [0, inf] is needed");
}

static void activation_layers(void)
{
    vn_array *x = waves(VN_SHAPE(2, 6)), *halves[2];
    CHECK(alike(vn_module_call(vn_nn_gelu(NULL), x, NULL), vn_gelu(x, NULL), 0) &&
          alike(vn_module_call(vn_nn_gelu(VN_OPTS(nn_gelu, .approximate = 1)), x, NULL), vn_gelu(x, VN_OPTS(gelu, .approximate = 1)), 0));
    vn_split(x, 2, (int64_t[]){3, 3}, -1, halves);
    CHECK(alike(vn_module_call(vn_nn_geglu(), x, NULL), vn_mul(halves[0], vn_gelu(halves[1], NULL)), 1e-7));
    CHECK_FAILS(vn_module_call(vn_nn_geglu(), vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), VN_E_SHAPE, "x has shape 2x3; a last axis of even");
    vn_array *y = vn_from((float[]){-4, 2, -8, 0}, VN_SHAPE(2, 2));
    vn_module *one = vn_nn_prelu(1, NULL), *two = vn_nn_prelu(2, VN_OPTS(nn_prelu, .init = vn_init_constant(.5)));
    CHECK(alike(vn_module_call(one, y, NULL), vn_from((float[]){-1, 2, -2, 0}, VN_SHAPE(2, 2)), 0));
    CHECK(alike(vn_module_call(two, y, NULL), vn_from((float[]){-2, 2, -4, 0}, VN_SHAPE(2, 2)), 0));
    check_gradients(vn_nn_prelu(6, NULL), x);
    vn_module *first = vn_nn_prelu(2, VN_OPTS(nn_prelu, .data_format = "channel_first"));
    CHECK(has_shape(vn_module_call(first, vn_ones(VN_SHAPE(3, 2, 5), VN_F32), NULL), VN_SHAPE(3, 2, 5)));
    CHECK_FAILS(vn_module_call(two, x, NULL), VN_E_SHAPE, "x has shape 2x6; 1 axes or more with 2 channels");
    CHECK_FAILS(vn_nn_prelu(0, NULL), VN_E_ARG, "nn_prelu: 0 channels");
}

static void sequential(void)
{
    vn_module *a = vn_nn_linear(2, 3, NULL), *b = vn_nn_linear(3, 1, NULL), *m = VN_SEQUENTIAL(a, vn_nn_identity(), b);
    CHECK(vn_module_v(a) == vn_tree_get_tree(vn_module_v(m), "submodules/v0"));
    CHECK(vn_tree_has(vn_module_v(m), "submodules/v2/w") && !vn_tree_has(vn_module_v(m), "submodules/v1"));
    vn_tree *wrong = vn_tree_of("v0/w", vn_ones(VN_SHAPE(3, 2), VN_F32), NULL);
    vn_module *again[] = {vn_nn_linear(2, 3, NULL)};
    CHECK_FAILS(vn_nn_sequential(again, 1, VN_OPTS(module, .v = wrong)), VN_E_STRUCT, "submodules/v0");
    CHECK_FAILS(vn_nn_sequential((vn_module *[]){NULL}, 1, NULL), VN_E_NULL, "a module is NULL");
    vn_module *empty = vn_nn_sequential(NULL, 0, NULL);
    CHECK(vn_item(vn_module_call(empty, vn_scalar(4), NULL)) == 4);
    const char *text = vn_module_summary(m, vn_ones(VN_SHAPE(8, 2), VN_F32));
    CHECK(text && strstr(text, "Linear_0 submodules/v0") && strstr(text, "8x3") && strstr(text, " 13 ") && strstr(text, " 52\n"));
}

/* ---- initialisers ---- */

#define SQRT_3 1.7320508075688772

/* The distribution of an initialiser: mean, standard deviation and largest distance from the mean. */
typedef struct law {
    vn_init (*make)(void);
    double mean, deviation, most;
} law;

static void run_law(trial *t)
{
    const law *l = t->test->data;
    nn_trial = t;
    vn_seed(5);
    vn_array *x = vn_init_array(l->make(), VN_SHAPE(100, 200), 100, 200, VN_F32);
    CHECK(fabs(vn_item(vn_mean(x, VN_ALL)) - l->mean) <= 5 * l->deviation / sqrt(20000) + 1e-7);
    CHECK(near(vn_item(vn_std(x, VN_ALL, 0)), l->deviation, .03));
    CHECK(largest_of(vn_sub(x, vn_scalar(l->mean))) <= l->most * (1 + 1e-6));
}

#define MAKE(name, expression)       \
    static vn_init make_##name(void) \
    {                                \
        return expression;           \
    }
MAKE(constant, vn_init_constant(2.5))
MAKE(zeros, vn_init_zeros())
MAKE(ones, vn_init_ones())
MAKE(uniform, vn_init_uniform(8, 2, 3, VN_OPTS(init_uniform, .fan = "out")))
MAKE(uniform_average, vn_init_uniform(6, .5, 1, VN_OPTS(init_uniform, .fan = "avg")))
MAKE(glorot_uniform, vn_init_glorot_uniform())
MAKE(glorot_normal, vn_init_glorot_normal())
MAKE(kaiming_uniform, vn_init_kaiming_uniform(0, NULL))
MAKE(kaiming_normal, vn_init_kaiming_normal(1, .5, NULL))
MAKE(lecun_uniform, vn_init_lecun_uniform())
MAKE(lecun_normal, vn_init_lecun_normal())
MAKE(first_layer_siren, vn_init_first_layer_siren())
MAKE(siren, vn_init_siren(30))
MAKE(normal, vn_init_normal(3, .5))
MAKE(truncated_normal, vn_init_truncated_normal(-1, .5))
#undef MAKE

static void init_errors(void)
{
    CHECK_FAILS(vn_init_array((vn_init){0}, VN_SHAPE(2), 1, 1, VN_F32), VN_E_ARG, "not a valid initialiser");
    CHECK_FAILS(vn_init_array(vn_init_glorot_uniform(), VN_SHAPE(2), 0, 1, VN_F32), VN_E_ARG, "fan in 0");
    CHECK_FAILS(vn_init_array(vn_init_zeros(), VN_SHAPE(2), 0, 1, VN_I32), VN_E_DTYPE, "float dtype");
    CHECK_FAILS(vn_init_array(vn_init_normal(0, NAN), VN_SHAPE(2), 0, 1, VN_F32), VN_E_ARG, "init_normal: std is nan");
    CHECK_FAILS(vn_init_array(vn_init_normal(0, -1), VN_SHAPE(2), 0, 1, VN_F32), VN_E_ARG,
                "init_normal: std is -1; a number in [0, inf) is needed");
}

/* q^T q is the identity, times the gain, on the shorter side. */
static void orthogonal(void)
{
    vn_array *tall = vn_init_array(vn_init_orthogonal(2), VN_SHAPE(3, 2, 4), 0, 0, VN_F64), *q = vn_reshape(tall, VN_SHAPE(6, 4));
    CHECK(alike(vn_matmul(vn_matrix_transpose(q), q), vn_mul(vn_eye(4, 4, 0, VN_F64), vn_scalar(4)), 1e-12));
    vn_array *wide = vn_init_array(vn_init_orthogonal(1), VN_SHAPE(3, 5), 0, 0, VN_F32);
    CHECK(alike(vn_matmul(wide, vn_matrix_transpose(wide)), vn_eye(3, 3, 0, VN_F32), 1e-6));
    CHECK(vn_dtype_of(vn_init_array(vn_init_orthogonal(1), VN_SHAPE(2, 2), 0, 0, VN_F16)) == VN_F16);
    CHECK_FAILS(vn_init_array(vn_init_orthogonal(1), VN_SHAPE(3), 0, 0, VN_F32), VN_E_SHAPE, "orthogonal: shape 3");
    CHECK_FAILS(vn_init_array(vn_init_orthogonal(1), VN_SHAPE(3, 0), 0, 0, VN_F32), VN_E_SHAPE, "orthogonal: shape 3x0");
    CHECK_FAILS(vn_init_array(vn_init_orthogonal(INFINITY), VN_SHAPE(3, 3), 0, 0, VN_F32), VN_E_ARG, "init_orthogonal: gain is inf");
}

#define LAW(key, make, ...)                                                                                                \
    {                                                                                                                      \
        TEST_PLACE, .suite = "nn/initializers", .id = "nn/init/" key, .name = "nn_init_" key, .function = key,             \
                    .what = "mean, deviation and range of its numbers", .truth = TRUTH_CLOSED, .rtol = 1e-5, .atol = 1e-6, \
                    .dtypes = VN_BIT(VN_F32), .cases = 1, .fixed = true, .run = run_law, .data = &(const law)              \
        {                                                                                                                  \
            make, __VA_ARGS__                                                                                              \
        }                                                                                                                  \
    }

static const conformance_test rows[] = {
    NN("nn/layers", "linear", linear_values, "x w + b of a layer, its variables, and gradients that reach them"),
    NN("nn/layers", "dropout", dropout, "the share that is dropped, the scale of the rest, and nothing outside training"),
    NN("nn/layers", "layer_norm", layer_norm, "rows of mean 0 and variance 1, and gradients of scale and shift"),
    NN("nn/layers", "embedding", embedding, "rows of the table, and gradients that reach those used"),
    NN("nn/layers", "dropout_shared", shared_dropout, "axes that share what is dropped"),
    NN("nn/layers", "short_rows", short_rows, "rows of one element"),
    NN("nn/layers", "activation_functions", activations, "activations of layers against closed forms"),
    NN("nn/layers", "activation_layers", activation_layers, "every activation as a layer"),
    NN("nn/layers", "sequential", sequential, "layers one after the other"),
    LAW("constant", make_constant, 2.5, 0, 0),
    LAW("zeros", make_zeros, 0, 0, 0),
    LAW("ones", make_ones, 1, 0, 0),
    LAW("uniform", make_uniform, 0, 3 * .0016 / SQRT_3, 3 * .0016),
    LAW("uniform_average", make_uniform_average, 0, .2 / SQRT_3, .2),
    LAW("glorot_uniform", make_glorot_uniform, 0, 0.1414213562373095 / SQRT_3, 0.1414213562373095),
    LAW("glorot_normal", make_glorot_normal, 0, 0.0816496580927726, INFINITY),
    LAW("kaiming_uniform", make_kaiming_uniform, 0, 0.1414213562373095, 0.2449489742783178),
    LAW("kaiming_normal", make_kaiming_normal, 1, 0.1264911064067352, INFINITY),
    LAW("lecun_uniform", make_lecun_uniform, 0, .1, .1 * SQRT_3),
    LAW("lecun_normal", make_lecun_normal, 0, .1, INFINITY),
    LAW("first_layer_siren", make_first_layer_siren, 0, .01 / SQRT_3, .01),
    LAW("siren", make_siren, 0, 0.2449489742783178 / 30 / SQRT_3, 0.2449489742783178 / 30),
    LAW("normal", make_normal, 3, .5, INFINITY),
    LAW("truncated_normal", make_truncated_normal, -1, .5 * .8796257, 1),
    NN("nn/initializers", "init/errors", init_errors, "what initialisers refuse, by name"),
    NN("nn/initializers", "init/orthogonal", orthogonal, "orthogonal matrices, tall and wide"),
};

const nn_part nn_layers = NN_PART(rows);
