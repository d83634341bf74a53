/* SPDX-License-Identifier: Apache-2.0 */
/* nn_decompose.c: decompositions of arrays of several axes against TensorLy's (golden/decompose_tensorly.py). Signs of singular vectors are free:
 * products and absolute values are compared. */
#include "nn_layers.h"
#include <math.h>
#include "decompose.inc"

static vn_array *given(void)
{
    return vn_from_host(decomposed_x, VN_F64, VN_SHAPE(3, 4, 5));
}

static bool is(vn_array *x, const double *want, vn_shape shape, double most)
{
    return alike(x, vn_from_host(want, VN_F64, shape), most);
}

static bool sizes_are(vn_array *x, const double *want, vn_shape shape)
{
    return x && is(vn_abs(x), want, shape, 1e-5); /* where the iteration ends follows rounding */
}

/* Whatever the unit, the parts are the same: squares of what is large or small would overflow or vanish. */
static const double units[] = {1e200, 1e-200};

static void tucker_units(void)
{
    vn_tree *t = vn_tucker(given(), VN_SHAPE(2, 2, 3), NULL);
    for (int k = 0; k < 2; k++) {
        vn_tree *z = vn_tucker(vn_mul(given(), vn_scalar(units[k])), VN_SHAPE(2, 2, 3), NULL);
        CHECK(z && alike(vn_abs(vn_div(vn_tree_get(z, "core"), vn_scalar(units[k]))), vn_abs(vn_tree_get(t, "core")), 1e-9));
    }
}

static void tucker(void)
{
    vn_tree *t = vn_tucker(given(), VN_SHAPE(2, 2, 3), VN_OPTS(tucker, .tolerance = 1e-12));
    CHECK(t && sizes_are(vn_tree_get(t, "core"), tucker_core, VN_SHAPE(2, 2, 3)));
    CHECK(sizes_are(vn_tree_get(t, "factors/0"), tucker_factor0, VN_SHAPE(3, 2)));
    CHECK(sizes_are(vn_tree_get(t, "factors/1"), tucker_factor1, VN_SHAPE(4, 2)));
    CHECK(sizes_are(vn_tree_get(t, "factors/2"), tucker_factor2, VN_SHAPE(5, 3)));
    vn_array *all[] = {vn_tree_get(t, "core"), vn_tree_get(t, "factors/0"), vn_tree_get(t, "factors/1"), vn_tree_get(t, "factors/2")};
    CHECK(is(vn_einsum(4, all, "abc,ia,jb,kc->ijk"), tucker_product, VN_SHAPE(3, 4, 5), 1e-6));
    vn_tree *part = vn_tucker(given(), VN_SHAPE(2, 3), VN_OPTS(tucker, .tolerance = 1e-12, .modes = VN_LIST(0, -1)));
    CHECK(part && sizes_are(vn_tree_get(part, "core"), partial_core, VN_SHAPE(2, 4, 3)));
    vn_array *some[] = {vn_tree_get(part, "core"), vn_tree_get(part, "factors/0"), vn_tree_get(part, "factors/1")};
    CHECK(is(vn_einsum(3, some, "ajc,ia,kc->ijk"), partial_product, VN_SHAPE(3, 4, 5), 1e-6));
    vn_tree *start = vn_tucker(given(), VN_SHAPE(2, 2, 3), VN_OPTS(tucker, .iterations = VN_ZERO));
    CHECK(start && sizes_are(vn_tree_get(start, "core"), start_core, VN_SHAPE(2, 2, 3)));
    vn_tree *whole = vn_tucker(vn_cast(given(), VN_F32), VN_SHAPE(9), NULL); /* ranks above the sizes: nothing is lost */
    vn_array *w[] = {vn_tree_get(whole, "core"), vn_tree_get(whole, "factors/0"), vn_tree_get(whole, "factors/1"),
                     vn_tree_get(whole, "factors/2")};
    CHECK(vn_dtype_of(w[0]) == VN_F32 && is(vn_einsum(4, w, "abc,ia,jb,kc->ijk"), decomposed_x, VN_SHAPE(3, 4, 5), 1e-5));
    tucker_units();
    CHECK_FAILS(vn_tucker(given(), VN_SHAPE(2, 2), NULL), VN_E_ARG, "2 ranks; 3, or one for all");
    CHECK_FAILS(vn_tucker(given(), VN_SHAPE(2, 0, 1), NULL), VN_E_ARG, "of 1 or more");
    CHECK_FAILS(vn_tucker(given(), VN_SHAPE(2), VN_OPTS(tucker, .modes = VN_LIST(0, 0))), VN_E_ARG, "twice");
    CHECK_FAILS(vn_tucker(given(), VN_SHAPE(2), VN_OPTS(tucker, .modes = VN_LIST(3))), VN_E_ARG, "no axis");
    CHECK_FAILS(vn_tucker(given(), VN_SHAPE(2), VN_OPTS(tucker, .tolerance = NAN)), VN_E_ARG, "tolerance");
    CHECK_FAILS(vn_tucker(vn_zeros(VN_SHAPE(0, 2), VN_F32), VN_SHAPE(1), NULL), VN_E_SHAPE, "none of size 0");
    CHECK_FAILS(vn_tucker(NULL, VN_SHAPE(1), NULL), VN_E_NULL, "x");
}

static vn_array *cp_product(const vn_tree *t)
{
    vn_array *all[] = {vn_tree_get(t, "weights"), vn_tree_get(t, "factors/0"), vn_tree_get(t, "factors/1"), vn_tree_get(t, "factors/2")};
    return vn_einsum(4, all, "r,ir,jr,kr->ijk");
}

static void cp_units(void)
{
    vn_array *x = cp_product(vn_cp(given(), 2));
    for (int k = 0; k < 2; k++) {
        vn_tree *z = vn_cp(vn_mul(given(), vn_scalar(units[k])), 2);
        CHECK(z && alike(vn_div(cp_product(z), vn_scalar(units[k])), x, 1e-9));
    }
    x = vn_cast(x, VN_F32); /* float32 has no larger exponents */
    CHECK(alike(vn_mul(cp_product(vn_cp(vn_mul(x, vn_scalar(1e-30)), 2)), vn_scalar(1e30)), x, 1e-4));
}

static void cp(void)
{
    const double size = vn_item(vn_norm(given(), VN_ALL, 2));
    for (int r = 1; r <= 3; r++) {
        vn_tree *t = vn_cp(given(), r, VN_OPTS(cp, .iterations = 2000, .tolerance = 1e-13));
        CHECK(t && fabs(vn_item(vn_norm(vn_sub(cp_product(t), given()), VN_ALL, 2)) / size - cp_errors[r - 1]) < 2e-4);
        CHECK(has_shape(vn_tree_get(t, "factors/1"), VN_SHAPE(4, r)) && has_shape(vn_tree_get(t, "weights"), VN_SHAPE(r)));
        vn_array *lengths = vn_sum(vn_square(vn_tree_get(t, "factors/2")), VN_AXES(0));
        CHECK(alike(lengths, vn_ones(VN_SHAPE(r), VN_F64), 1e-9));
    }
    /* What has a rank is found again; there may be more vectors than an axis has numbers, and float32. */
    vn_array *x = cp_product(vn_random_cp(vn_random_key_of(3), VN_SHAPE(3, 4, 5), 2, VN_F64, VN_OPTS(random_factors, .orthogonal = 1)));
    CHECK(alike(cp_product(vn_cp(x, 2, VN_OPTS(cp, .iterations = 500, .tolerance = VN_ZERO))), x, 1e-7));
    vn_tree *single = vn_cp(vn_cast(x, VN_F32), 4);
    CHECK(single && vn_dtype_of(vn_tree_get(single, "weights")) == VN_F32);
    vn_tree *none = vn_cp(vn_zeros(VN_SHAPE(2, 3), VN_F64), 1);
    CHECK(none && vn_item(vn_tree_get(none, "weights")) == 0);
    cp_units();
    CHECK_FAILS(vn_cp(given(), 0), VN_E_ARG, "a rank of 0");
    CHECK_FAILS(vn_cp(given(), 1, VN_OPTS(cp, .iterations = -1)), VN_E_ARG, "-1 iterations");
    CHECK_FAILS(vn_cp(given(), 1, VN_OPTS(cp, .iterations = VN_ZERO)), VN_E_ARG, "cp: 0 iterations");
    CHECK_FAILS(vn_cp(given(), 1, VN_OPTS(cp, .tolerance = NAN)), VN_E_ARG, "tolerance");
    CHECK_FAILS(vn_cp(vn_ones(VN_SHAPE(3), VN_F32), 1), VN_E_SHAPE, "2 axes or more");
    CHECK_FAILS(vn_cp(NULL, 1), VN_E_NULL, "x");
}

static void trains(void)
{
    vn_tree *t = vn_tensor_train(given(), VN_SHAPE(2, 3));
    CHECK(t && sizes_are(vn_tree_get(t, "0"), train_core0, VN_SHAPE(1, 3, 2)) &&
          sizes_are(vn_tree_get(t, "1"), train_core1, VN_SHAPE(2, 4, 3)));
    CHECK(sizes_are(vn_tree_get(t, "2"), train_core2, VN_SHAPE(3, 5, 1)));
    vn_array *all[] = {vn_tree_get(t, "0"), vn_tree_get(t, "1"), vn_tree_get(t, "2")};
    CHECK(is(vn_einsum(3, all, "aib,bjc,ckd->ijk"), train_product, VN_SHAPE(3, 4, 5), 1e-9));
    CHECK_FAILS(vn_tensor_train(given(), VN_SHAPE(1, 1, 1)), VN_E_ARG, "3 ranks; 2");
    CHECK_FAILS(vn_tensor_train(vn_ones(VN_SHAPE(3), VN_F32), VN_SHAPE(1)), VN_E_SHAPE, "2 axes or more");
    vn_array *a = vn_from_host(matrix_core0, VN_F64, VN_SHAPE(1, 2, 3, 2)), *b = vn_from_host(matrix_core1, VN_F64, VN_SHAPE(2, 2, 2, 3)),
             *c = vn_from_host(matrix_core2, VN_F64, VN_SHAPE(3, 1, 2, 1));
    CHECK(is(vn_tt_matrix_to_tensor(vn_tree_of("0", a, "1", b, "2", c, NULL)), matrix_tensor, VN_SHAPE(2, 2, 1, 3, 2, 2), 1e-12));
    CHECK_FAILS(vn_tt_matrix_to_tensor(vn_tree_of("0", a, "1", c, NULL)), VN_E_SHAPE, "core 1 has shape 3x1x2x1");
    CHECK_FAILS(vn_tt_matrix_to_tensor(vn_tree_of("0", a, NULL)), VN_E_SHAPE, "a rank of 1 at the end");
    CHECK_FAILS(vn_tt_matrix_to_tensor(vn_tree_new(NULL)), VN_E_ARG, "0 cores");
}

static bool is_orthogonal(vn_array *q)
{
    return q && alike(vn_matmul(vn_matrix_transpose(q), q), vn_eye(vn_dim(q, 1), vn_dim(q, 1), 0, VN_F64), 1e-10);
}

static void random_factors(void)
{
    vn_array *key = vn_from_host((uint64_t[]){77, 5}, VN_U64, VN_SHAPE(2));
    vn_tree *sum = vn_random_cp(key, VN_SHAPE(3, 4, 2), 2, VN_F64, VN_OPTS(random_factors, .normalize = 1));
    CHECK(sum && is(vn_tree_get(sum, "weights"), cp_weights, VN_SHAPE(2), 1e-12) &&
          is(vn_tree_get(sum, "factors/1"), cp_factor1, VN_SHAPE(4, 2), 1e-12));
    CHECK(is_orthogonal(vn_tree_get(vn_random_cp(key, VN_SHAPE(3, 4), 2, VN_F64, VN_OPTS(random_factors, .orthogonal = 1)), "factors/1")));
    vn_tree *core = vn_random_tucker(VN_NONE, VN_SHAPE(3, 4), VN_SHAPE(2, 3), VN_F64, VN_OPTS(random_factors, .orthogonal = 1));
    CHECK(core && has_shape(vn_tree_get(core, "core"), VN_SHAPE(2, 3)) && is_orthogonal(vn_tree_get(core, "factors/0")) &&
          has_shape(vn_tree_get(core, "factors/1"), VN_SHAPE(4, 3)));
    vn_tree *tt = vn_random_tt(key, VN_SHAPE(3, 4, 5), VN_SHAPE(2, 6), VN_F16),
            *ring = vn_random_tr(key, VN_SHAPE(3, 4), VN_SHAPE(2, 5), VN_F32);
    CHECK(tt && vn_dtype_of(vn_tree_get(tt, "0")) == VN_F16 && has_shape(vn_tree_get(tt, "1"), VN_SHAPE(2, 4, 6)) &&
          has_shape(vn_tree_get(tt, "2"), VN_SHAPE(6, 5, 1)));
    CHECK(ring && has_shape(vn_tree_get(ring, "0"), VN_SHAPE(2, 3, 5)) && has_shape(vn_tree_get(ring, "1"), VN_SHAPE(5, 4, 2)));
    vn_tree *p = vn_random_parafac2(key, VN_SHAPE(5, 3), 4, 2, VN_F64);
    CHECK(p && has_shape(vn_tree_get(p, "factors/0"), VN_SHAPE(2, 2)) && has_shape(vn_tree_get(p, "factors/2"), VN_SHAPE(4, 2)) &&
          is_orthogonal(vn_tree_get(p, "projections/0")) && is_orthogonal(vn_tree_get(p, "projections/1")));
    vn_array *one = vn_tree_get(vn_random_tt(key, VN_SHAPE(50), VN_SHAPE(1), VN_F64), "0");
    CHECK(vn_item(vn_min(one, VN_ALL)) >= 0 && vn_item(vn_max(one, VN_ALL)) < 1);
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(3), 0, VN_F32, NULL), VN_E_ARG, "a rank of 0");
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(0), 1, VN_F32, NULL), VN_E_SHAPE, "sizes of 1 or more");
    CHECK_FAILS(vn_random_cp(key, VN_SHAPE(2), 1, VN_I32, NULL), VN_E_DTYPE, "float dtype");
    CHECK_FAILS(vn_random_tucker(key, VN_SHAPE(2, 2), VN_SHAPE(3), VN_F32, VN_OPTS(random_factors, .orthogonal = 1)), VN_E_ARG,
                "orthogonal columns");
    CHECK_FAILS(vn_random_tt(key, VN_SHAPE(2, 2, 2), VN_SHAPE(1, 1, 1), VN_F32), VN_E_ARG, "3 ranks; 2");
    CHECK_FAILS(vn_random_tr(key, VN_SHAPE(2, 2), VN_SHAPE(1, 1, 1), VN_F32), VN_E_ARG, "3 ranks; 2");
    CHECK_FAILS(vn_random_parafac2(key, VN_SHAPE(2), 0, 1, VN_F32), VN_E_ARG, "0 columns");
    CHECK_FAILS(vn_random_parafac2(vn_scalar(1), VN_SHAPE(2), 1, 1, VN_F32), VN_E_DTYPE, "key");
}

static const conformance_test rows[] = {
    NN("nn/toolbox", "tucker", tucker, "Tucker decompositions of all axes and of some, against TensorLy"),
    NN("nn/toolbox", "cp", cp, "CP decompositions against TensorLy, and of arrays that have a rank"),
    NN("nn/toolbox", "tensor_train", trains, "tensor trains, and matrices as trains, against TensorLy"),
    NN("nn/toolbox", "random_factors", random_factors, "random CP, Tucker, train, ring and PARAFAC2 factors"),
};

const nn_part nn_decompose = NN_PART(rows);
