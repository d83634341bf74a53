/* SPDX-License-Identifier: Apache-2.0 */
/* arrange.c: rearranging arrays, where case lines are not enough: thousands of inputs, several results, created arrays, patterns on trees,
 * and large arrays against loops. */
/* ctest: faults */
/* ctest: engines */
#include "check.h"
#include "ops/row.h"

static bool holds(vn_array *x, int n, const double *want)
{
    vn_array *d = vn_cast(x, VN_F64);
    const double *have = vn_data(d);
    bool same = have && vn_size(d) == n;
    for (int k = 0; same && k < n; k++) same = near(have[k], want[k], 1e-12);
    return same;
}
#define HOLDS(x, ...) CHECK(holds(x, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__}))

static bool has_shape(const vn_array *x, vn_shape s)
{
    vn_shape t = vn_shape_of(x);
    return x && s.rank == t.rank && !memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim);
}

/* ---- many arrays ---- */

enum { MANY = 3000, SOME = 20 };
static vn_array *parts[MANY];

static vn_array *squares_of_parts(vn_array *x, void *user)
{
    int n = (int)vn_dim(x, 0);
    (void)user;
    if (vn_unstack(x, n, 0, parts)) return NULL;
    return vn_sum(vn_square(vn_concat(n, parts, 0)), VN_ALL);
}

TEST(many)
{
    int n = strcmp(vn_using(), "native") ? SOME : MANY; /* other engines compile programs of that many ops for minutes */
    vn_array *x = vn_reshape(vn_arange(0, 2 * n, 1, VN_F64), VN_SHAPE(n, 2));
    CHECK(vn_unstack(x, n, 0, parts) == VN_OK);
    vn_array *z = vn_concat(n, parts, 0), *s = vn_stack(n, parts, 1);
    CHECK(vn_item(vn_sum(vn_abs(vn_sub(z, vn_flatten(x))), VN_ALL)) == 0);
    CHECK(vn_item(vn_sum(vn_abs(vn_sub(s, vn_matrix_transpose(x))), VN_ALL)) == 0);
    vn_array *g = vn_grad_of(squares_of_parts, x, NULL);
    CHECK(vn_item(vn_sum(vn_abs(vn_sub(g, vn_mul(x, vn_scalar(2)))), VN_ALL)) == 0);
}

/* ---- several results ---- */

TEST(several)
{
    vn_array *x = vn_reshape(vn_arange(0, 6, 1, VN_F32), VN_SHAPE(2, 3)), *out[3];
    CHECK(vn_split(x, 3, (int64_t[]){1, 0, 2}, -1, out) == VN_OK);
    HOLDS(out[0], 0, 3);
    CHECK(has_shape(out[1], VN_SHAPE(2, 0)));
    HOLDS(out[2], 1, 2, 4, 5);
    CHECK_FAILS(vn_split(x, 2, (int64_t[]){1, 1}, 1, out), VN_E_SHAPE, "split");
    CHECK(!out[0] && !out[1]);
    CHECK_FAILS(vn_split(x, 2, (int64_t[]){4, -1}, 1, out), VN_E_SHAPE, "split");
    CHECK_FAILS(vn_split(x, 2, (int64_t[]){INT64_MAX, INT64_MAX}, 1, out), VN_E_SHAPE, "split");
    CHECK_FAILS(vn_split(x, 1, (int64_t[]){2}, 2, out), VN_E_ARG, "axis 2");
    CHECK_FAILS(vn_split(NULL, 1, (int64_t[]){2}, 0, out), VN_E_NULL, "split");
    CHECK_FAILS(vn_split(x, 1, NULL, 0, out), VN_E_NULL, "split");
    CHECK(vn_unstack(x, 3, 1, out) == VN_OK && has_shape(out[2], VN_SHAPE(2)));
    HOLDS(out[2], 2, 5);
    CHECK_FAILS(vn_unstack(x, 3, 0, out), VN_E_SHAPE, "room for 3");
    CHECK_FAILS(vn_unstack(vn_zeros(VN_0D, VN_F32), 1, 0, out), VN_E_ARG, "axis 0");

    vn_array *vectors[] = {vn_arange(0, 2, 1, VN_F32), vn_arange(5, 8, 1, VN_F32)};
    CHECK(vn_meshgrid(2, vectors, VN_OPTS(meshgrid, .indexing = "ij"), out) == VN_OK && has_shape(out[0], VN_SHAPE(2, 3)));
    HOLDS(out[0], 0, 0, 0, 1, 1, 1);
    HOLDS(out[1], 5, 6, 7, 5, 6, 7);
    CHECK(vn_meshgrid(2, vectors, NULL, out) == VN_OK && has_shape(out[0], VN_SHAPE(3, 2)));
    HOLDS(out[0], 0, 1, 0, 1, 0, 1);
    CHECK(vn_meshgrid(0, NULL, NULL, NULL) == VN_OK);
    CHECK(vn_meshgrid(2, vectors, VN_OPTS(meshgrid, .indexing = "IJ"), out) == VN_OK && has_shape(out[0], VN_SHAPE(2, 3)));
    CHECK_FAILS(vn_meshgrid(2, vectors, VN_OPTS(meshgrid, .indexing = "yx"), out), VN_E_ARG,
                "meshgrid: indexing is \"yx\"; possible are xy, ij");
    CHECK_FAILS(vn_meshgrid(2, vectors, &(vn_meshgrid_opts){.indexing = "ij"}, out), VN_E_ARG, "VN_OPTS(meshgrid, ...)");
    CHECK_FAILS(vn_meshgrid(1, &x, VN_OPTS(meshgrid, .indexing = "ij"), out), VN_E_SHAPE, "rank 2");

    vn_array *mixed[] = {vn_reshape(vectors[0], VN_SHAPE(2, 1)), vectors[1], vn_full(vn_scalar(9), VN_0D, VN_I32)};
    CHECK(vn_broadcast_arrays(3, mixed, out) == VN_OK && vn_dtype_of(out[2]) == VN_I32);
    HOLDS(out[0], 0, 0, 0, 1, 1, 1);
    HOLDS(out[2], 9, 9, 9, 9, 9, 9);
    CHECK_FAILS(vn_broadcast_arrays(2, vectors, out), VN_E_SHAPE, "does not broadcast");
    CHECK(!out[0] && !out[1]);
}

/* ---- created arrays ---- */

TEST(made)
{
    HOLDS(vn_arange(1, 2, .25, VN_F32), 1, 1.25, 1.5, 1.75);
    HOLDS(vn_arange(5, 0, -2, VN_I64), 5, 3, 1);
    HOLDS(vn_arange(-1.5, 2, 1, VN_I8), -1, 0, 0, 1);
    CHECK(vn_size(vn_arange(1, 1, 1, VN_F32)) == 0 && vn_size(vn_arange(1, 0, 1, VN_F32)) == 0);
    CHECK_FAILS(vn_arange(0, 1, 0, VN_F32), VN_E_ARG, "arange");
    CHECK_FAILS(vn_arange(0, INFINITY, 1, VN_F32), VN_E_ARG, "arange");
    CHECK_FAILS(vn_arange(0, 1e300, 1e-300, VN_F32), VN_E_SHAPE, "arange");
    CHECK_FAILS(vn_arange(0, 300, 1, VN_U8), VN_E_DTYPE, "uint8");
    CHECK_FAILS(vn_arange(0, 2, 1, VN_BOOL), VN_E_DTYPE, "bool");
    CHECK_FAILS(vn_arange(0, 2, 1, (vn_dtype)99), VN_E_DTYPE, "99");
    HOLDS(vn_linspace(0, 1, 5, VN_F64, NULL), 0, .25, .5, .75, 1);
    HOLDS(vn_linspace(0, 1, 4, VN_F32, VN_OPTS(linspace, .no_endpoint = 1)), 0, .25, .5, .75);
    HOLDS(vn_linspace(3, 9, 1, VN_F64, NULL), 3);
    CHECK(vn_size(vn_linspace(0, 1, 0, VN_F32, NULL)) == 0);
    CHECK(vn_item(vn_max(vn_linspace(.1, .7, 10, VN_F64, NULL), VN_ALL)) == .7);
    CHECK_FAILS(vn_linspace(0, 1, -1, VN_F32, NULL), VN_E_ARG, "linspace");
    CHECK_FAILS(vn_linspace(0, NAN, 2, VN_F32, NULL), VN_E_ARG, "linspace");
    CHECK_FAILS(vn_linspace(0, 1, 2, VN_I32, NULL), VN_E_DTYPE, "float");
    HOLDS(vn_eye(2, 3, 0, VN_F32), 1, 0, 0, 0, 1, 0);
    HOLDS(vn_eye(2, 3, 1, VN_I8), 0, 1, 0, 0, 0, 1);
    HOLDS(vn_eye(3, 2, -1, VN_BOOL), 0, 0, 1, 0, 0, 1);
    HOLDS(vn_eye(2, 2, INT64_MAX, VN_F16), 0, 0, 0, 0);
    HOLDS(vn_eye(2, 2, INT64_MIN + 1, VN_F64), 0, 0, 0, 0);
    CHECK(has_shape(vn_eye(0, 3, 0, VN_F32), VN_SHAPE(0, 3)));
    CHECK_FAILS(vn_eye(-1, 3, 0, VN_F32), VN_E_SHAPE, "eye");
    CHECK_FAILS(vn_eye(INT64_MAX, INT64_MAX, 0, VN_F32), VN_E_SHAPE, "eye");
    vn_array *x = vn_ones(VN_SHAPE(2, 2), VN_U8);
    HOLDS(vn_zeros_like(x), 0, 0, 0, 0);
    HOLDS(vn_ones_like(x), 1, 1, 1, 1);
    CHECK(vn_dtype_of(vn_full_like(x, vn_scalar(7))) == VN_U8 && vn_item(vn_max(vn_full_like(x, vn_scalar(7)), VN_ALL)) == 7);
    CHECK_FAILS(vn_full_like(x, vn_scalar(.5)), VN_E_DTYPE, "0.5");
    CHECK_FAILS(vn_zeros_like(NULL), VN_E_NULL, "zeros_like");
}

/* ---- large arrays, against loops ---- */

enum { ROWS = 301, COLUMNS = 517 };

static vn_array *table(vn_dtype dtype)
{
    return vn_cast(vn_reshape(vn_arange(0, ROWS * COLUMNS, 1, VN_F32), VN_SHAPE(ROWS, COLUMNS)), dtype);
}

/* x[k][j] is at(k, j), for the float32 numbers of table */
#define EACH(x, rows, columns, want)                                                               \
    do {                                                                                           \
        vn_array *z_ = (x);                                                                        \
        const float *at_ = vn_data(z_);                                                            \
        bool same_ = has_shape(z_, VN_SHAPE(rows, columns)) && at_;                                \
        for (int r = 0; same_ && r < (rows); r++)                                                  \
            for (int c = 0; same_ && c < (columns); c++) same_ = at_[r * (columns) + c] == (want); \
        CHECK(same_);                                                                              \
    } while (0)
#define AT(r, c) (float)((r)*COLUMNS + (c))

TEST(large)
{
    vn_array *x = table(VN_F32);
    EACH(vn_concat(2, (vn_array *[]){x, x}, 1), ROWS, 2 * COLUMNS, AT(r, c % COLUMNS));
    EACH(vn_concat(3, (vn_array *[]){x, x, x}, 0), 3 * ROWS, COLUMNS, AT(r % ROWS, c));
    EACH(vn__stride(x, VN_SHAPE(3, 2)), (ROWS + 2) / 3, (COLUMNS + 1) / 2, AT(3 * r, 2 * c));
    EACH(vn_slice_step(x, VN_SHAPE(-1, -1), VN_SHAPE(-9999, -9999), VN_SHAPE(-7, -5)), (ROWS + 6) / 7, (COLUMNS + 4) / 5,
         AT(ROWS - 1 - 7 * r, COLUMNS - 1 - 5 * c));
    EACH(vn_matrix_transpose(vn__stride(x, VN_SHAPE(2, 1))), COLUMNS, (ROWS + 1) / 2, AT(2 * c, r));
    EACH(vn_add(vn__stride(x, VN_SHAPE(1, 4)), vn_scalar(1)), ROWS, (COLUMNS + 3) / 4, AT(r, 4 * c) + 1);
    EACH(vn_roll(x, VN_SHAPE(5, -9), VN_AXES(0, 1)), ROWS, COLUMNS, AT((r + ROWS - 5) % ROWS, (c + 9) % COLUMNS));
    EACH(vn_tile(x, VN_SHAPE(2, 3)), 2 * ROWS, 3 * COLUMNS, AT(r % ROWS, c % COLUMNS));
    EACH(vn_tril(x, 3), ROWS, COLUMNS, c <= r + 3 ? AT(r, c) : 0);
    EACH(vn_pad(x, VN_SHAPE(1, 40), VN_SHAPE(0, 3), VN_OPTS(pad, .mode = "reflect")), ROWS + 1, COLUMNS + 43,
         AT(r ? r - 1 : 1, c < 40             ? 40 - c
                           : c < 40 + COLUMNS ? c - 40
                                              : 2 * COLUMNS + 38 - c));
    vn_array *half = table(VN_F16);
    CHECK(vn_item(vn_all(vn_equal(vn_concat(2, (vn_array *[]){half, half}, 1), vn_tile(half, VN_SHAPE(1, 2))), VN_ALL)) == 1);
    /* a view of one element that is not the first */
    vn_array *last = vn__stride(vn_flip(x, VN_ALL), VN_SHAPE(ROWS, COLUMNS));
    CHECK(vn_item(last) == ROWS * COLUMNS - 1 && vn_item(vn_add(last, vn_scalar(1))) == ROWS * COLUMNS);
    CHECK(vn_item(vn_sum(vn_broadcast_to(last, VN_SHAPE(2, 2)), VN_ALL)) == 4. * (ROWS * COLUMNS - 1));
    CHECK(vn_item(vn_sum(last, VN_ALL)) == ROWS * COLUMNS - 1);
    CHECK(vn_item(vn_matmul(last, last)) == (float)(ROWS * COLUMNS - 1) * (float)(ROWS * COLUMNS - 1));
}

/* An op that changes nothing returns a handle of its own all the same: dropping it leaves the input alone. */
TEST(own_handles)
{
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *y = vn_from((float[]){4, 5, 6}, VN_SHAPE(3));
    vn_array *same[] = {vn_slice_step(x, VN_SHAPE(0), VN_SHAPE(3), VN_SHAPE(1)),
                        vn_slice_step_set(y, x, VN_SHAPE(0), VN_SHAPE(3), VN_SHAPE(1), NULL), vn_real(x),
                        vn_roll(x, VN_SHAPE(0), VN_AXES(0)), vn_diff(x, VN_NONE, VN_NONE, 0, 0)};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        CHECK(same[k] && same[k] != x && same[k] != y);
        HOLDS(same[k], 1, 2, 3);
        vn_drop(same[k]);
    }
    HOLDS(x, 1, 2, 3);
    HOLDS(y, 4, 5, 6);
}

TEST(contractions)
{
    vn_array *a = vn_random_normal(0, 1, VN_SHAPE(6, 40, 50)), *b = vn_random_normal(0, 1, VN_SHAPE(6, 50, 30));
    vn_array *direct = vn_matmul(a, b), *z = vn_einsum(2, (vn_array *[]){a, b}, "bij, bjk -> bik");
    CHECK(vn_item(vn_max(vn_abs(vn_sub(direct, z)), VN_ALL)) < 1e-4);
    vn_array *strided = vn__stride(a, VN_SHAPE(1, 2, 5)), *right = vn__stride(b, VN_SHAPE(1, 5, 3));
    vn_array *slow = vn_sum(vn_mul(vn_expand_dims(strided, 3), vn_expand_dims(right, 1)), VN_AXES(2));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_matmul(strided, right), slow)), VN_ALL)) < 1e-4);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_einsum(2, (vn_array *[]){strided, right}, "...ij,...jk"), slow)), VN_ALL)) < 1e-4);
    enum { LONG = 20 };
    vn_array *chain[LONG];
    char equation[3 * LONG + 1];
    for (int k = 0; k < LONG; k++) {
        chain[k] = vn_eye(3, 3, 0, VN_F32);
        snprintf(equation + 3 * k, 4, "%c%c%c", 'A' + k, 'B' + k, k < LONG - 1 ? ',' : ' ');
    }
    HOLDS(vn_einsum(LONG, chain, equation), 1, 0, 0, 0, 1, 0, 0, 0, 1);
}

/* ---- trees ---- */

TEST(trees)
{
    vn_tree *t = vn_tree_of("a/x", vn_reshape(vn_arange(0, 6, 1, VN_F32), VN_SHAPE(2, 3)), "b", vn_ones(VN_SHAPE(2, 2), VN_F32), NULL);
    vn_tree_set_number(t, "n", 3);
    HOLDS(vn_tree_get(vn_tree_rearrange(t, "h w -> w h", NULL), "a/x"), 0, 3, 1, 4, 2, 5);
    HOLDS(vn_tree_get(vn_tree_einops_reduce(t, "h w -> h", VN_OPTS(einops_reduce, .reduction = "max")), "a/x"), 2, 5);
    vn_tree *four = vn_tree_einops_repeat(t, "h w -> h w c", VN_OPTS(einops_repeat, .names = "c", .lengths = VN_LIST(4)));
    CHECK(has_shape(vn_tree_get(four, "b"), VN_SHAPE(2, 2, 4)));
    CHECK_FAILS(vn_tree_rearrange(t, "h -> h", NULL), VN_E_SHAPE, "rearrange");
    CHECK_FAILS(vn_tree_rearrange(t, NULL, NULL), VN_E_NULL, "pattern");
    CHECK(vn_tree_value(vn_tree_rearrange(t, "h w -> w h", NULL), "n").u.number == 3);
    CHECK_FAILS(vn_tree_rearrange(NULL, "", NULL), VN_E_NULL, "tree_rearrange");
    HOLDS(vn_tree_get(vn_tree_restructure(t, 1, &(vn_tree_move){.from = "a/x", .to = "y", .pattern = "h w -> w h"}, NULL), "y"), 0, 3, 1, 4,
          2, 5);

    vn_tree *list = vn_tree_to_nested_list(t);
    HOLDS(vn_tree_get(list, "0/0"), 0, 1, 2, 3, 4, 5);
    CHECK(vn_tree_value(list, "2").u.number == 3 && vn_tree_leaves(list) == 2);
    CHECK_FAILS(vn_tree_to_nested_list(NULL), VN_E_NULL, "nested");

    vn_tree *both = vn_tree_unify(2, (const vn_tree *[]){t, t}, VN_UNIFY_CONCAT);
    CHECK(has_shape(vn_tree_get(both, "a/x"), VN_SHAPE(4, 3)) && has_shape(vn_tree_get(both, "b"), VN_SHAPE(4, 2)));
    HOLDS(vn_tree_get(both, "n"), 3, 3);
    CHECK_FAILS(vn_tree_unify(2, (const vn_tree *[]){t, t}, (vn_unify_mode)3), VN_E_ARG, "mode 3");

    /* any number of inputs, texts, absent inputs */
    vn_tree *arrays = vn_tree_prune_keys(t, VN_KEYS("n"), NULL);
    vn_value in[20], out;
    for (int k = 0; k < 20; k++) in[k] = vn_value_tree(arrays);
    vn_option axis = {.name = "axis", .kind = VN_OPT_INT, .n = 1, .u.i = 1};
    CHECK(vn_tree_apply("concat", in, 20, &axis, 1, &out, 1) == VN_OK);
    CHECK(has_shape(vn_tree_get(out.u.tree, "a/x"), VN_SHAPE(2, 60)));
    vn_option pattern = {.name = "pattern", .kind = VN_OPT_STRING, .n = 1, .u.s = "h w -> (w h)"};
    CHECK(vn_tree_apply("rearrange", in, 1, &pattern, 1, &out, 1) == VN_OK);
    HOLDS(vn_tree_get(out.u.tree, "a/x"), 0, 3, 1, 4, 2, 5);
    vn_value absent[] = {vn_value_tree(arrays), vn_value_array(VN_NONE), vn_value_tree(arrays)};
    vn_option axes = {.name = "axes", .kind = VN_OPT_INTS, .n = 0};
    CHECK(vn_tree_apply("layer_norm", absent, 2, &axes, 1, &out, 1) == VN_OK);
    CHECK(has_shape(vn_tree_get(out.u.tree, "b"), vn_shape_of(vn_tree_get(arrays, "b"))));
    CHECK_FAILS(vn_tree_apply("add", (vn_value[]){in[0], vn_value_array(VN_NONE)}, 2, NULL, 0, &out, 1), VN_E_NULL, "absent");
}

TEST(rows)
{
    vn_array *x = vn_reshape(vn_arange(0, 24, 1, VN_F32), VN_SHAPE(4, 3, 2)), *y = vn_rows(x, 1, 2);
    CHECK(vn_rank(y) == 3 && vn_dim(y, 0) == 2 && vn_dim(y, 1) == 3 && vn_item(vn_sum(y, VN_ALL)) == 138);
    CHECK(vn_dim(vn_rows(x, 4, 0), 0) == 0 && vn_size(vn_rows(x, 0, 4)) == 24);
    CHECK_FAILS(vn_rows(x, 3, 2), VN_E_ARG, "rows: 2 rows from 3 on; x has 4 (");
    CHECK_FAILS(vn_rows(x, -1, 1), VN_E_ARG, "rows: 1 rows from -1 on");
    CHECK_FAILS(vn_rows(x, 1, INT64_MIN), VN_E_ARG, "rows from 1 on");
    CHECK_FAILS(vn_rows(vn_scalar(1), 0, 1), VN_E_SHAPE, "rows: x is a single number");
    CHECK_FAILS(vn_rows(NULL, 0, 1), VN_E_NULL, "rows: x is NULL");
}

TEST_MAIN
