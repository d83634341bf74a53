/* SPDX-License-Identifier: Apache-2.0 */
/* nn_features.c: layers that prepare features, add noise, and multiply in other ways than Linear, against their ops, whose values are Keras's
 * and PyTorch's (golden/features_keras.py); initialisers of matrices; tests of trees. */
#include "nn_layers.h"
#include <math.h>

/* In training a layer is its op with the thread's next key, in evaluation what `otherwise` is. */
#define CHECK_NOISE(layer, op, x, otherwise)                        \
    do {                                                            \
        vn_module *m = layer;                                       \
        vn_seed(7);                                                 \
        vn_module_train(m, 1);                                      \
        vn_array *noisy = vn_module_call(m, x, NULL), *again, *key; \
        vn_seed(7);                                                 \
        key = vn_random_key();                                      \
        again = op;                                                 \
        CHECK(alike(noisy, again, 0) && !alike(noisy, x, 1e-3));    \
        vn_module_train(m, 0);                                      \
        CHECK(alike(vn_module_call(m, x, NULL), otherwise, 1e-6));  \
    } while (0)

static void noise(void)
{
    vn_array *x = waves(VN_SHAPE(4, 5));
    CHECK_NOISE(vn_nn_gaussian_noise(.3), vn_gaussian_noise(x, key, .3), x, x);
    CHECK_NOISE(vn_nn_gaussian_dropout(.4), vn_gaussian_dropout(x, key, .4), x, x);
    CHECK_NOISE(vn_nn_alpha_dropout(.4), vn_alpha_dropout(x, key, .4), x, x);
    CHECK_NOISE(vn_nn_rrelu(.1, .5), vn_rrelu(x, key, .1, .5), x, vn_leaky_relu(x, .3));
    CHECK(vn_nn_gaussian_noise(VN_ZERO) != NULL);
    CHECK_FAILS(vn_nn_gaussian_noise(-1), VN_E_ARG, "std is -1");
    CHECK_FAILS(vn_nn_gaussian_dropout(1), VN_E_ARG, "prob is 1");
    CHECK_FAILS(vn_nn_alpha_dropout(NAN), VN_E_ARG, "prob is nan");
    CHECK_FAILS(vn_nn_rrelu(.5, .1), VN_E_ARG, "above high");
}

static void features(void)
{
    vn_array *x = waves(VN_SHAPE(3, 4)), *ids = vn_from_host((int64_t[]){3, 0, 1, 1, 3, 2}, VN_I64, VN_SHAPE(2, 3));
    CHECK(alike(vn_module_call(vn_nn_rescaling(2, -1), x, NULL), vn_sub(vn_mul(x, vn_scalar(2)), vn_scalar(1)), 1e-6));
    vn_array *rows = vn_concat(2, (vn_array *[]){x, vn_zeros(VN_SHAPE(1, 4), VN_F32)}, 0);
    CHECK(alike(vn_module_call(vn_nn_masking(VN_ZERO), rows, NULL), rows, 0));
    CHECK(alike(vn_module_call(vn_nn_hashing(5, 2), ids, NULL), vn_hash_bins(ids, 5, 2), 0));
    vn_module *count = vn_nn_category_encoding(4, VN_OPTS(nn_category_encoding, .mode = "count"));
    CHECK(alike(vn_module_call(count, ids, NULL), vn_from((float[]){1, 1, 0, 1, 0, 1, 1, 1}, VN_SHAPE(2, 4)), 0));
    CHECK_FAILS(vn_nn_rescaling(NAN, 0), VN_E_ARG, "scale is nan");
    CHECK_FAILS(vn_nn_hashing(0, 0), VN_E_ARG, "0 bins");
    CHECK_FAILS(vn_nn_category_encoding(0, NULL), VN_E_ARG, "0 categories");
    CHECK_FAILS(vn_module_call(vn_nn_hashing(5, 0), x, NULL), VN_E_DTYPE, "integers");
}

/* Vocabularies and boundaries of data: the values are those of Keras's IntegerLookup and Discretization for the same numbers, by hand. */
static void lookup(void)
{
    vn_array *data = vn_from_host((int64_t[]){7, 7, 7, 5, 5, 9, 9, 4}, VN_I64, VN_SHAPE(2, 4));
    vn_array *x = vn_from_host((int32_t[]){7, 4, 9, 5, 0}, VN_I32, VN_SHAPE(5));
    vn_module *m = vn_nn_lookup(3, NULL), *end = vn_nn_lookup(6, VN_OPTS(nn_lookup, .unknown = 1, .from_end = 1));
    CHECK(alike(vn_module_call(m, vn_from_host((int64_t[]){2, 0, 3}, VN_I64, VN_SHAPE(3)), NULL),
                vn_from_host((int64_t[]){3, 1, 0}, VN_I64, VN_SHAPE(3)), 0)); /* 0 ... size - 1 before */
    CHECK(!vn_module_adapt(m, data) && !vn_module_adapt(end, data));
    CHECK(alike(vn_module_buffer(m, "vocabulary"), vn_from_host((int64_t[]){7, 9, 5}, VN_I64, VN_SHAPE(3)), 0));
    CHECK(alike(vn_module_call(m, x, NULL), vn_from_host((int64_t[]){1, 0, 2, 3, 0}, VN_I64, VN_SHAPE(5)), 0));
    CHECK(alike(vn_module_call(end, x, NULL), vn_from_host((int64_t[]){0, 3, 1, 2, 6}, VN_I64, VN_SHAPE(5)),
                0)); /* 4 values fill 6 entries */
    CHECK_FAILS(vn_nn_lookup(0, NULL), VN_E_ARG, "0 entries");
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(2)), NULL), VN_E_DTYPE, "integers are needed");
    CHECK_FAILS(vn_module_adapt(m, waves(VN_SHAPE(2))), VN_E_DTYPE, "module_adapt");
    CHECK_FAILS(vn_module_adapt(m, vn_zeros(VN_SHAPE(0), VN_I64)), VN_E_SHAPE, "no data");
}

static void discretization(void)
{
    vn_array *x = vn_from((float[]){-1, 0, 1, 1.5f, 2, 9}, VN_SHAPE(2, 3)), *data = vn_arange(0, 9, 1, VN_F32);
    vn_module *m = vn_nn_discretization(4);
    CHECK(alike(vn_module_call(m, x, NULL), vn_from_host((int64_t[]){0, 0, 1, 1, 2, 3}, VN_I64, VN_SHAPE(2, 3)), 0));
    CHECK(!vn_module_adapt(m, data));
    CHECK(alike(vn_module_buffer(m, "boundaries"), vn_from((float[]){2, 4, 6}, VN_SHAPE(3)), 1e-6));
    CHECK(alike(vn_module_call(m, data, NULL), vn_from_host((int64_t[]){0, 0, 1, 1, 2, 2, 3, 3, 3}, VN_I64, VN_SHAPE(9)), 0));
    CHECK_FAILS(vn_nn_discretization(1), VN_E_ARG, "1 bins");
    CHECK_FAILS(vn_module_call(m, vn_zeros(VN_SHAPE(2), VN_BOOL), NULL), VN_E_DTYPE, "numbers are needed");
    CHECK_FAILS(vn_module_adapt(m, vn_zeros(VN_SHAPE(0), VN_F32)), VN_E_SHAPE, "no data");
}

static void crossing(void)
{
    vn_array *x = vn_from_host((int64_t[]){1, 2, 3, 4, 1, 2}, VN_I64, VN_SHAPE(3, 2)), *parts[2];
    CHECK(!vn_unstack(x, 2, -1, parts));
    vn_array *z = vn_module_call(vn_nn_hashed_crossing(7, 3), x, NULL);
    CHECK(alike(z, vn_hashed_cross(2, parts, 7, 3), 0));
    CHECK_FAILS(vn_nn_hashed_crossing(0, 0), VN_E_ARG, "0 bins");
    CHECK_FAILS(vn_module_call(vn_nn_hashed_crossing(5, 0), vn_zeros(VN_SHAPE(3, 65), VN_I64), NULL), VN_E_SHAPE, "1 to 64 are needed");
    CHECK_FAILS(vn_module_call(vn_nn_hashed_crossing(5, 0), waves(VN_SHAPE(3, 2)), NULL), VN_E_DTYPE, "hashed_cross");
}

static void normalization(void)
{
    vn_array *x = vn_from((float[]){1, 10, 5, 2, 20, 5, 6, 60, 5}, VN_SHAPE(3, 3));
    vn_module *m = vn_nn_normalization(3, NULL), *back = vn_nn_normalization(3, VN_OPTS(nn_normalization, .inverse = 1));
    CHECK(alike(vn_module_call(m, x, NULL), x, 0)); /* mean 0, variance 1 before */
    CHECK(!vn_module_adapt(m, x) && !vn_module_adapt(back, x));
    CHECK(alike(vn_module_buffer(m, "mean"), vn_from((float[]){3, 30, 5}, VN_SHAPE(3)), 1e-5));
    CHECK(alike(vn_module_buffer(m, "variance"), vn_from((float[]){14 / 3.f, 1400 / 3.f, 0}, VN_SHAPE(3)), 1e-3));
    vn_array *y = vn_module_call(m, x, NULL);
    CHECK(alike(vn_mean(y, VN_AXES(0)), vn_zeros(VN_SHAPE(3), VN_F32), 1e-6));
    CHECK(alike(vn_var(y, VN_AXES(0), 0), vn_from((float[]){1, 1, 0}, VN_SHAPE(3)), 1e-5));
    CHECK(alike(vn_module_call(back, y, NULL), x, 1e-4));
    CHECK(vn_dtype_of(vn_module_call(m, vn_cast(x, VN_I32), NULL)) == VN_F32);
    CHECK_FAILS(vn_nn_normalization(0, NULL), VN_E_ARG, "0 features");
    CHECK_FAILS(vn_module_call(m, waves(VN_SHAPE(2, 4)), NULL), VN_E_SHAPE, "a last axis of 3");
    CHECK_FAILS(vn_module_adapt(m, waves(VN_SHAPE(2, 4))), VN_E_SHAPE, "module_adapt");
    CHECK_FAILS(vn_module_adapt(m, vn_zeros(VN_SHAPE(0, 3), VN_F32)), VN_E_SHAPE, "no data");
    CHECK_FAILS(vn_module_adapt(vn_nn_identity(), x), VN_E_ARG, "takes nothing from data");
    CHECK_FAILS(vn_module_adapt(NULL, x), VN_E_NULL, "m");
}

static void products(void)
{
    vn_array *x = waves(VN_SHAPE(2, 3)), *y = vn_cos(waves(VN_SHAPE(2, 4)));
    vn_module *m = vn_nn_bilinear(3, 4, 5, NULL);
    vn_tree *args = vn_tree_of("x", x, "y", y, NULL);
    CHECK(
        alike(vn_tree_get(vn_module_call_tree(m, args, NULL), "y"), vn_bilinear(x, y, vn_module_var(m, "w"), vn_module_var(m, "b")), 1e-6));
    CHECK(vn_tree_leaves(vn_module_v(vn_nn_bilinear(1, 2, 3, VN_OPTS(nn_bilinear, .no_bias = 1)))) == 1);
    CHECK_FAILS(vn_module_call(m, x, NULL), VN_E_SHAPE, "do not fit"); /* y is x */
    CHECK_FAILS(vn_nn_bilinear(0, 1, 1, NULL), VN_E_ARG, "in1 is 0");
    CHECK_FAILS(vn_nn_bilinear(INT64_MAX, 2, 1, NULL), VN_E_ARG, "addressable");

    vn_module *e = vn_nn_einsum_dense("bi,io->bo", VN_SHAPE(3, 4), VN_OPTS(nn_einsum_dense, .bias = VN_LIST(4), .b_init = vn_init_ones()));
    CHECK(alike(vn_module_call(e, x, NULL), vn_add(vn_matmul(x, vn_module_var(e, "w")), vn_scalar(1)), 1e-6));
    check_gradients(e, x);
    CHECK_FAILS(vn_nn_einsum_dense(NULL, VN_SHAPE(1), NULL), VN_E_NULL, "equation");
    CHECK_FAILS(vn_nn_einsum_dense("a,a->a", VN_SHAPE(0), NULL), VN_E_SHAPE, "sizes above 0");
    CHECK_FAILS(vn_module_call(vn_nn_einsum_dense("abc", VN_SHAPE(3), NULL), x, NULL), VN_E_SHAPE, "einsum");

    vn_module *r = vn_nn_reversible_embedding(4, 3, NULL);
    vn_array *ids = vn_from_host((int64_t[]){2, 0}, VN_I64, VN_SHAPE(2)), *w = vn_module_var(r, "w");
    CHECK(alike(vn_module_call(r, ids, NULL), vn_take(w, ids, 0), 0));
    CHECK(alike(vn_module_call(r, x, NULL), vn_matmul(x, vn_matrix_transpose(w)), 1e-6));
    vn_module *capped = vn_nn_reversible_embedding(4, 3, VN_OPTS(nn_reversible_embedding, .soft_cap = .5));
    CHECK(vn_item(vn_max(vn_abs(vn_module_call(capped, vn_mul(x, vn_scalar(100)), NULL)), VN_ALL)) <= .5);
    check_gradients(r, x);
    CHECK_FAILS(vn_module_call(r, y, NULL), VN_E_SHAPE, "3 features");
    CHECK_FAILS(vn_nn_reversible_embedding(0, 1, NULL), VN_E_ARG, "n is 0");
}

static void convolutions(void)
{
    vn_array *x = waves(VN_SHAPE(2, 5, 4, 3)), *line = waves(VN_SHAPE(2, 7, 3));
    vn_module *m =
        vn_nn_separable_conv2d(3, 4, VN_LIST(3, 2), VN_OPTS(nn_separable_conv2d, .multiplier = 2, .padding = "SAME", .strides = {2, 1}));
    CHECK(alike(vn_module_call(m, x, NULL),
                vn_separable_conv2d(x, vn_module_var(m, "depthwise"), vn_module_var(m, "pointwise"), vn_module_var(m, "b"),
                                    VN_OPTS(separable_conv2d, .padding = "SAME", .strides = {2, 1})),
                1e-6));
    check_gradients(m, x);
    vn_module *one = vn_nn_separable_conv1d(3, 2, VN_LIST(3), VN_OPTS(nn_separable_conv1d, .no_bias = 1, .dilations = {2}));
    CHECK(has_shape(vn_module_call(one, line, NULL), VN_SHAPE(2, 3, 2)));
    check_gradients(one, line);
    CHECK_FAILS(vn_nn_separable_conv2d(0, 1, VN_LIST(1), NULL), VN_E_ARG, "in is 0");
    CHECK_FAILS(vn_nn_separable_conv1d(1, 1, VN_LIST(1, 2), NULL), VN_E_ARG, "kernel");
    CHECK_FAILS(vn_module_call(m, line, NULL), VN_E_SHAPE, "");

    vn_module *d = vn_nn_deform_conv2d(3, 2, VN_LIST(2), VN_OPTS(nn_deform_conv2d, .pads = VN_LIST(1)));
    vn_array *offset = vn_mul(waves(VN_SHAPE(2, 6, 5, 8)), vn_scalar(.7)), *mask = vn_cos(waves(VN_SHAPE(2, 6, 5, 4)));
    vn_tree *z = vn_module_call_tree(d, vn_tree_of("x", x, "offset", offset, "mask", mask, NULL), NULL);
    CHECK(alike(vn_tree_get(z, "y"),
                vn_deform_conv2d(x, offset, vn_module_var(d, "w"), mask, vn_module_var(d, "b"), VN_OPTS(deform_conv2d, .pads = VN_LIST(1))),
                1e-6));
    vn_array *still = vn_zeros(VN_SHAPE(2, 6, 5, 8), VN_F32);
    CHECK(alike(vn_tree_get(vn_module_call_tree(d, vn_tree_of("x", x, "offset", still, NULL), NULL), "y"),
                vn_conv2d(x, vn_module_var(d, "w"), vn_module_var(d, "b"), VN_OPTS(conv2d, .pads = VN_LIST(1))), 1e-5));
    CHECK_FAILS(vn_module_call_tree(d, vn_tree_of("x", x, "mask", mask, NULL), NULL), VN_E_STRUCT, "no \"offset\"");
    CHECK(alike(vn_module_call(d, x, NULL), vn_conv2d(x, vn_module_var(d, "w"), vn_module_var(d, "b"), VN_OPTS(conv2d, .pads = VN_LIST(1))),
                1e-5));
    CHECK_FAILS(vn_nn_deform_conv2d(3, 4, VN_LIST(2), VN_OPTS(nn_deform_conv2d, .groups = 2)), VN_E_ARG, "multiples of 2 groups");
}

static void initialisers(void)
{
    vn_array *wide = vn_init_array(vn_init_identity(2), VN_SHAPE(2, 3), 0, 0, VN_F32);
    CHECK(alike(wide, vn_from((float[]){2, 0, 0, 0, 2, 0}, VN_SHAPE(2, 3)), 0));
    CHECK_FAILS(vn_init_array(vn_init_identity(1), VN_SHAPE(3), 0, 0, VN_F32), VN_E_SHAPE, "identity: shape 3; two axes");
    vn_array *s = vn_init_array(vn_init_sparse(.3, 5, 1), VN_SHAPE(9, 4), 0, 0, VN_F64);
    vn_array *zeros = vn_sum(vn_cast(vn_equal(s, vn_scalar(0)), VN_F64), VN_AXES(0));
    CHECK(alike(zeros, vn_full(vn_scalar(3), VN_SHAPE(4), VN_F64), 0)); /* 2.7, rounded up, of each column */
    CHECK(fabs(vn_item(vn_sum(s, VN_ALL)) / 24 - 5) < 1);
    CHECK(alike(vn_init_array(vn_init_sparse(1, 0, 1), VN_SHAPE(2, 2), 0, 0, VN_F32), vn_zeros(VN_SHAPE(2, 2), VN_F32), 0));
    CHECK_FAILS(vn_init_sparse(1.5, 0, 1), VN_E_ARG, "part is 1.5");
    CHECK_FAILS(vn_init_array(vn_init_sparse(.5, 0, 1), VN_SHAPE(2, 2, 2), 0, 0, VN_F32), VN_E_SHAPE, "sparse: shape 2x2x2");
}

static int is_matrix(vn_value leaf, const char *chain, void *calls)
{
    (void)chain;
    ++*(int *)calls;
    return leaf.kind == VN_V_ARRAY && vn_rank(leaf.u.array) == 2;
}

static int leaf_refuses(vn_value leaf, const char *chain, void *unused)
{
    (void)leaf, (void)chain, (void)unused;
    return vn_rank(vn_reshape(vn_scalar(1), VN_SHAPE(2))) == 2;
}

static void trees(void)
{
    vn_array *v = waves(VN_SHAPE(6)), *m = waves(VN_SHAPE(2, 3));
    vn_tree *t = vn_tree_of("a", v, "b/c", m, "b/d", v, "e", m, NULL), *like = vn_tree_of("x", m, "y", v, NULL);
    int n = 0, calls = 0;
    const char *const *at = vn_tree_argwhere(t, is_matrix, &calls, &n);
    CHECK(at && n == 2 && calls == 4 && !strcmp(at[0], "b/c") && !strcmp(at[1], "e") && !at[2]);
    calls = 0;
    CHECK(vn_tree_any(t, is_matrix, &calls) == 1 && calls == 2);
    CHECK(vn_tree_any(vn_tree_of("a", v, NULL), is_matrix, &calls) == 0 && vn_tree_any(vn_tree_new(NULL), is_matrix, &calls) == 0);
    CHECK_FAILS(vn_tree_argwhere(t, NULL, NULL, &n), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_tree_any(t, leaf_refuses, NULL), VN_E_SHAPE, "tree_any");
    vn_tree *shaped = vn_tree_reshape_like(vn_tree_of("x", v, "y", m, NULL), like);
    CHECK(shaped && alike(vn_tree_get(shaped, "x"), m, 0) && alike(vn_tree_get(shaped, "y"), v, 0));
    CHECK_FAILS(vn_tree_reshape_like(vn_tree_of("x", v, "y", vn_scalar(1), NULL), like), VN_E_SHAPE, "");
    CHECK_FAILS(vn_tree_reshape_like(t, like), VN_E_STRUCT, "");
}

static int note_path(vn_module *m, const char *path, void *found)
{
    strcat(found, path);
    strcat(found, ";");
    return m == NULL;
}

static int refuses(vn_module *m, const char *path, void *unused)
{
    (void)path, (void)unused;
    return vn_module_freeze(m, "nothing") != 0;
}

static void modules(void)
{
    vn_module *inner = VN_SEQUENTIAL(vn_nn_linear(2, 2, NULL), vn_nn_identity()), *m = VN_SEQUENTIAL(inner, vn_nn_linear(2, 1, NULL));
    char paths[256] = "";
    CHECK(vn_module_apply(m, note_path, paths) == 0);
    CHECK(!strcmp(paths, ";submodules/v0;submodules/v0/submodules/v0;submodules/v0/submodules/v1;submodules/v1;"));
    CHECK_FAILS(vn_module_apply(m, NULL, NULL), VN_E_NULL, "fn is NULL");
    CHECK_FAILS(vn_module_apply(m, refuses, NULL), VN_E_STRUCT, "module_apply");
}

static const conformance_test rows[] = {
    NN("nn/layers", "noise", noise, "layers of noise against their ops while training; nothing in evaluation"),
    NN("nn/layers", "features", features, "rescaled numbers, masked steps, hashes and categories as layers"),
    NN("nn/layers", "lookup", lookup, "a vocabulary of the most frequent integers of data"),
    NN("nn/layers", "discretization", discretization, "buckets of equal shares of data"),
    NN("nn/layers", "hashed_crossing", crossing, "bins of combinations of features"),
    NN("nn/layers", "normalization", normalization, "mean and variance of data, and back"),
    NN("nn/layers", "products", products, "Bilinear, EinsumDense and ReversibleEmbedding, with gradients"),
    NN("nn/layers", "separable_conv", convolutions, "separable and deformable convolutions as layers, with gradients"),
    NN("nn/initializers", "init/matrices", initialisers, "identity and sparse matrices"),
    NN("nn/toolbox", "module_apply", modules, "a function of every module of a network"),
    NN("nn/toolbox", "tree_tests", trees, "leaves that pass a test; trees in the shapes of others"),
};

const nn_part nn_features = NN_PART(rows);
