/* SPDX-License-Identifier: Apache-2.0 */
/* places.c: triangles and grids of positions, rotated arrays, elements by choice and condition (table/places.def). */
#include "ops/index.h"
#include "ops/linalg.h"
#include "core/dtype.h"

/* ---- triangles ---- */

int dtype_tri(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_TRI_DTYPE);
}

int shape_tri(vn__infer *i)
{
    vn__rule_result(i, 2, (int64_t[]){i->options->v[OPT_TRI_ROWS].u.i, i->options->v[OPT_TRI_COLUMNS].u.i});
    return VN_OK;
}

/* Where column - row compares with k: at it, or at it and on one side. */
static vn_array *triangle(vn_array *row, vn_array *column, int64_t k, int part)
{
    vn_array *diagonal = vn_sub(column, row), *at = vn_scalar_int(k);
    return part == 0 ? vn_less_equal(diagonal, at) : part == 1 ? vn_greater_equal(diagonal, at) : vn_equal(diagonal, at);
}

static vn_array *numbers_to(int64_t n)
{
    return vn_arange(0, (double)n, 1, VN_I64);
}

vn_array *compose_tri(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    vn_array *row = vn_expand_dims(numbers_to(i->dims[0]), 1), *column = numbers_to(i->dims[1]);
    vn_array *ones = triangle(row, column, i->options->v[OPT_TRI_K].u.i, vn__choice(i, OPT_TRI_PART));
    if (i->options->v[OPT_TRI_INVERT].u.i) ones = vn_logical_not(ones);
    return vn_cast(ones, (vn_dtype)i->dtype);
}

vn_array *compose_eye_like(vn_array *const *in, const vn__infer *i)
{
    vn_array *row = vn_expand_dims(vn__positions(in[0], vn__rows(i->in[0])), 1), *column = vn__positions(in[0], vn__cols(i->in[0]));
    vn_array *ones = triangle(row, column, i->options->v[OPT_EYE_LIKE_K].u.i, 2);
    return vn_broadcast_to(vn_cast(ones, (vn_dtype)i->dtype), vn__result_shape(i));
}

/* ---- positions ---- */

int dtype_indices(vn__infer *i)
{
    i->dtype = VN_I64;
    return VN_OK;
}

int shape_indices(vn__infer *i)
{
    const int n = i->options->v[OPT_INDICES_SHAPE].n, last = i->options->v[OPT_INDICES_LAST].u.i != 0;
    if (n >= VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->rank = n + 1;
    i->dims[last ? n : 0] = n;
    for (int k = 0; k < n; k++) i->dims[k + !last] = i->options->v[OPT_INDICES_SHAPE].is[k];
    return VN_OK;
}

/* 0, 1, 2 ... along one axis of a shape */
static vn_array *along(int axis, vn_shape shape)
{
    vn_shape one = {.rank = shape.rank};
    for (int k = 0; k < shape.rank; k++) one.dim[k] = k == axis ? shape.dim[k] : 1;
    return vn_broadcast_to(vn_reshape(numbers_to(shape.dim[axis]), one), shape);
}

vn_array *compose_indices(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    vn_shape shape = {.rank = i->options->v[OPT_INDICES_SHAPE].n};
    vn_array *each[VN_MAX_RANK];
    for (int k = 0; k < shape.rank; k++) shape.dim[k] = i->options->v[OPT_INDICES_SHAPE].is[k];
    if (!shape.rank) return vn_zeros(VN_SHAPE(0), VN_I64);
    for (int k = 0; k < shape.rank; k++) each[k] = along(k, shape);
    return vn_stack(shape.rank, each, i->options->v[OPT_INDICES_LAST].u.i ? -1 : 0);
}

/* How many elements of a matrix, which is not too large, are on diagonal k or below it: rows that grow by one, then rows with all columns. */
static int64_t on_or_below(int64_t rows, int64_t columns, int64_t k)
{
    k = vn__max(-rows, vn__min(k, columns));
    const int64_t empty = vn__min(rows, vn__max(0, -k)), growing = vn__max(0, vn__min(rows, columns - 1 - k) - empty),
                  first = empty + k + 1;
    const uint64_t grown = (uint64_t)growing * (2 * (uint64_t)first + (uint64_t)growing - 1) / 2;
    return (int64_t)grown + (rows - empty - growing) * columns;
}

static int triangle_size(vn__infer *i, bool upper)
{
    const int64_t rows = i->options->v[OPT_TRIL_INDICES_ROWS].u.i, columns = i->options->v[OPT_TRIL_INDICES_COLUMNS].u.i;
    const int64_t k = i->options->v[OPT_TRIL_INDICES_K].u.i;
    int64_t all;
    if (__builtin_mul_overflow(rows, columns, &all))
        FAIL(VN_E_SHAPE, "a matrix of %lld x %lld is too large", (long long)rows, (long long)columns);
    const int64_t n = !all ? 0 : upper ? all - on_or_below(rows, columns, k > INT64_MIN ? k - 1 : k) : on_or_below(rows, columns, k);
    vn__rule_result(i, 2, (int64_t[]){2, n});
    return VN_OK;
}
_Static_assert(AGREE(TRIL_INDICES, TRIU_INDICES, ROWS) && AGREE(TRIL_INDICES, TRIU_INDICES, COLUMNS) &&
                   AGREE(TRIL_INDICES, TRIU_INDICES, K),
               "the rows number their options alike");

int shape_tril_indices(vn__infer *i)
{
    return triangle_size(i, false);
}
int shape_triu_indices(vn__infer *i)
{
    return triangle_size(i, true);
}

static vn_array *triangle_places(const vn__infer *i, int part)
{
    const int64_t rows = i->options->v[OPT_TRIL_INDICES_ROWS].u.i, columns = i->options->v[OPT_TRIL_INDICES_COLUMNS].u.i;
    vn_array *inside = triangle(vn_expand_dims(numbers_to(rows), 1), numbers_to(columns), i->options->v[OPT_TRIL_INDICES_K].u.i, part);
    return vn_matrix_transpose(vn_nonzero_sized(inside, i->dims[1], -1));
}

vn_array *compose_tril_indices(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return triangle_places(i, 0);
}
vn_array *compose_triu_indices(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return triangle_places(i, 1);
}

int shape_unravel_index(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int n = i->options->v[OPT_UNRAVEL_INDEX_SHAPE].n;
    int64_t all = 1;
    if (x->rank >= VN_MAX_RANK || n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d (%s)", VN_MAX_RANK, i->engine);
    for (int k = 0; k < n; k++)
        if (__builtin_mul_overflow(all, i->options->v[OPT_UNRAVEL_INDEX_SHAPE].is[k], &all))
            FAIL(VN_E_SHAPE, "the shape has more than %lld elements (%s)", (long long)INT64_MAX, i->engine);
    i->rank = x->rank + 1;
    i->dims[0] = n;
    for (int k = 0; k < x->rank; k++) i->dims[k + 1] = vn__node_dims(x)[k];
    return VN_OK;
}

vn_array *compose_unravel_index(vn_array *const *in, const vn__infer *i)
{
    const int n = i->options->v[OPT_UNRAVEL_INDEX_SHAPE].n;
    const int64_t *d = i->options->v[OPT_UNRAVEL_INDEX_SHAPE].is;
    vn_array *rest = vn__index_of(in[0]), *each[VN_MAX_RANK];
    int64_t all = 1;
    for (int k = 0; k < n; k++) all *= d[k];
    if (!n || !all) return vn_sub(vn__filled(in[0], 0, vn__result_shape(i)), vn_scalar(1));
    vn_array *inside = vn_logical_and(vn_greater_equal(rest, vn_scalar(0)), vn_less(rest, vn_scalar_int(all)));
    for (int k = n - 1; k >= 0; k--) {
        each[k] = vn_where(inside, vn_remainder(rest, vn_scalar_int(d[k])), vn_scalar(-1));
        rest = vn_floor_divide(rest, vn_scalar_int(d[k]));
    }
    return vn_stack(n, each, 0);
}

int shape_meshgrid_stack(vn__infer *i)
{
    char s[128];
    if (i->n >= VN_MAX_RANK) FAIL(VN_E_ARG, "%d vectors, at most %d are possible (%s)", i->n, VN_MAX_RANK - 1, i->engine);
    for (int k = 0; k < i->n; k++) {
        if (i->in[k]->rank != 1) FAIL(VN_E_SHAPE, "array %d has shape %s, vectors are needed (%s)", k, shape_text(i->in[k], s), i->engine);
        i->dims[k] = i->in[k]->count;
    }
    i->rank = i->n + 1;
    i->dims[i->n] = i->n;
    return VN_OK;
}

vn_array *compose_meshgrid_stack(vn_array *const *in, const vn__infer *i)
{
    vn_array *each[VN_MAX_RANK];
    vn_shape grid = {.rank = i->n};
    for (int k = 0; k < i->n; k++) grid.dim[k] = i->dims[k];
    for (int k = 0; k < i->n; k++) {
        vn_shape one = {.rank = i->n};
        for (int a = 0; a < i->n; a++) one.dim[a] = a == k ? grid.dim[a] : 1;
        each[k] = vn_broadcast_to(vn_reshape(vn_cast(in[k], (vn_dtype)i->dtype), one), grid);
    }
    return vn_stack(i->n, each, -1);
}

/* ---- rotated ---- */

int shape_rot90(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_ROT90_AXIS1, i->in[0]->rank);
    if (!code) code = vn__rule_axis(i, OPT_ROT90_AXIS2, i->in[0]->rank);
    if (!code) code = shape_same(i);
    if (code) return code;
    const int64_t a = i->options->v[OPT_ROT90_AXIS1].u.i, b = i->options->v[OPT_ROT90_AXIS2].u.i;
    if (a == b) FAIL(VN_E_ARG, "axis %lld twice; two different axes are needed (%s)", (long long)a, i->engine);
    if (i->options->v[OPT_ROT90_K].u.i % 2) {
        i->dims[a] = vn__node_dims(i->in[0])[b];
        i->dims[b] = vn__node_dims(i->in[0])[a];
    }
    return VN_OK;
}

vn_array *compose_rot90(vn_array *const *in, const vn__infer *i)
{
    const int64_t a = i->options->v[OPT_ROT90_AXIS1].u.i, b = i->options->v[OPT_ROT90_AXIS2].u.i;
    switch ((i->options->v[OPT_ROT90_K].u.i % 4 + 4) % 4) {
    case 0: return vn_reshape(in[0], vn__result_shape(i));
    case 1: return vn_swapaxes(vn_flip(in[0], VN_AXES(b)), a, b);
    case 2: return vn_flip(in[0], VN_AXES(a, b));
    default: return vn_flip(vn_swapaxes(in[0], a, b), VN_AXES(b));
    }
}

/* ---- matrices of a few elements ---- */

int shape_fill_diagonal(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int code = vn__needs_matrix(i, 0);
    if (!code) code = shape_same(i);
    if (code) return code;
    int64_t dims[VN_MAX_RANK];
    for (int k = 0; k < x->rank - 2; k++) dims[k] = i->dims[k];
    dims[x->rank - 2] = vn__min(vn__rows(x), vn__cols(x));
    return vn__rule_reaches(i, i->in[1], x->rank - 1, dims);
}

/* The value takes the dtype of x. */
int dtype_fill_diagonal(vn__infer *i)
{
    const int code = dtype_same(i), d = i->in[1]->dtype;
    if (code) return code;
    if (!(i->in[1]->flags & VN__WEAK) && d != i->dtype)
        FAIL(VN_E_DTYPE, "value is %s, x is %s; one dtype is needed (%s)", dtype_text(d), dtype_text(i->dtype), i->engine);
    i->want[1] = i->dtype;
    return VN_OK;
}

vn_array *compose_fill_diagonal(vn_array *const *in, const vn__infer *i)
{
    const int64_t rows = vn__rows(i->in[0]), columns = vn__cols(i->in[0]), n = vn__min(rows, columns);
    vn_shape dims = {.rank = i->rank - 1};
    for (int k = 0; k < i->rank - 2; k++) dims.dim[k] = i->dims[k];
    dims.dim[i->rank - 2] = n;
    vn_array *value = vn_broadcast_to(vn_cast(in[1], (vn_dtype)i->dtype), dims);
    vn_array *row = vn_expand_dims(vn__positions(in[0], rows), 1), *on = triangle(row, vn__positions(in[0], columns), 0, 2);
    vn_array *wide = rows <= columns ? vn_expand_dims(value, -1) : vn_expand_dims(value, -2);
    return vn_where(on, wide, in[0]);
}

int shape_vander(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 1) FAIL(VN_E_SHAPE, "x has shape %s, a vector is needed (%s)", shape_text(x, s), i->engine);
    int64_t *columns = &i->options->v[OPT_VANDER_COLUMNS].u.i;
    if (!*columns) *columns = x->count;
    vn__rule_result(i, 2, (int64_t[]){x->count, *columns});
    return VN_OK;
}

vn_array *compose_vander(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->dims[1];
    vn_array *ones = vn_expand_dims(vn_ones_like(in[0]), 1);
    if (n < 2) return n ? ones : vn_reshape(in[0], vn__result_shape(i));
    vn_array *x = vn_broadcast_to(vn_expand_dims(in[0], 1), VN_SHAPE(i->dims[0], n - 1));
    vn_array *powers = vn_cast(vn_cumulative_prod(x, 1, NULL), (vn_dtype)i->dtype);
    vn_array *all = vn_concat(2, (vn_array *[]){ones, powers}, 1);
    return i->options->v[OPT_VANDER_INCREASING].u.i ? all : vn_flip(all, VN_AXES(1));
}

int shape_skew_symmetric(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (!x->rank || vn__node_dims(x)[x->rank - 1] != 3)
        FAIL(VN_E_SHAPE, "x has shape %s, a last axis of 3 is needed (%s)", shape_text(x, s), i->engine);
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d (%s)", VN_MAX_RANK, i->engine);
    const int code = shape_same(i);
    i->dims[i->rank++] = 3;
    return code;
}

vn_array *compose_skew_symmetric(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    const int last = vn_rank(x) - 1;
    vn_array *a = vn__piece(x, last, 0, 1), *b = vn__piece(x, last, 1, 1), *c = vn__piece(x, last, 2, 1), *o = vn_zeros_like(a);
    vn_array *all = vn_concat(9, (vn_array *[]){o, vn_neg(c), b, c, o, vn_neg(a), vn_neg(b), a, o}, last);
    return vn_reshape(all, vn__result_shape(i));
}

/* ---- choices ---- */

int shape_choose(vn__infer *i)
{
    const vn__node *index = i->in[0], *c = i->in[1];
    char s[128];
    if (!c->rank) FAIL(VN_E_SHAPE, "choices has shape %s, a first axis of choices is needed (%s)", shape_text(c, s), i->engine);
    const int code = vn__rule_broadcast(i, index->rank, vn__node_dims(index), c->rank - 1, vn__node_dims(c) + 1);
    return code ? code : vn__rule_within(i, 0, (vn__bounds){vn__node_dims(c), 1, true, NULL, "choices"});
}

int dtype_choose(vn__infer *i)
{
    i->dtype = i->in[1]->dtype;
    return vn__rule_index(i, 0);
}

/* x (n, ...) with axes of size 1 after the first, up to this rank */
static vn_array *raised(vn_array *x, int rank)
{
    while (x && vn_rank(x) < rank) x = vn_expand_dims(x, 1);
    return x;
}

vn_array *compose_choose(vn_array *const *in, const vn__infer *i)
{
    vn_array *index = vn_broadcast_to(vn__index_of(in[0]), vn__result_shape(i));
    vn_array *taken = vn_take_along_axis(raised(in[1], i->rank + 1), vn_expand_dims(index, 0), 0);
    return vn_reshape(taken, vn__result_shape(i));
}

int shape_select(vn__infer *i)
{
    const vn__node *c = i->in[0], *x = i->in[1], *d = i->in[2];
    char s[128], t[128];
    if (!c->rank || !x->rank || vn__node_dims(c)[0] != vn__node_dims(x)[0])
        FAIL(VN_E_SHAPE, "conditions %s and choices %s: as many of each are needed along the first axis (%s)", shape_text(c, s),
             shape_text(x, t), i->engine);
    int64_t dims[VN_MAX_RANK];
    int code = vn__rule_broadcast(i, c->rank - 1, vn__node_dims(c) + 1, x->rank - 1, vn__node_dims(x) + 1);
    if (code) return code;
    memcpy(dims, i->dims, sizeof dims);
    return vn__rule_broadcast(i, i->rank, dims, d->rank, vn__node_dims(d));
}

int dtype_select(vn__infer *i)
{
    if (i->in[0]->dtype != VN_BOOL) FAIL(VN_E_DTYPE, "conditions is %s, bool is needed (%s)", dtype_text(i->in[0]->dtype), i->engine);
    const int code = vn__rule_promote(i, 1, 3);
    return code ? code : vn__rule_accept(i, i->dtype);
}

vn_array *compose_select(vn_array *const *in, const vn__infer *i)
{
    vn_array *y = vn_broadcast_to(vn_cast(in[2], (vn_dtype)i->dtype), vn__result_shape(i));
    vn_array *c = in[0], *x = vn_cast(in[1], (vn_dtype)i->dtype);
    for (int64_t k = vn_dim(c, 0) - 1; k >= 0 && y; k--)
        y = vn_where(vn_squeeze(vn__piece(c, 0, k, 1), VN_AXES(0)), vn_squeeze(vn__piece(x, 0, k, 1), VN_AXES(0)), y);
    return y;
}

int shape_multi_hot(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_MULTI_HOT_SIZE);
    if (!code) code = shape_same(i);
    if (!code && !i->rank) FAIL(VN_E_SHAPE, "index is a number; an axis of positions is needed (%s)", i->engine);
    if (!code) i->dims[i->rank - 1] = i->options->v[OPT_MULTI_HOT_SIZE].u.i;
    return code;
}
_Static_assert(AGREE(MULTI_HOT, ONE_HOT, DTYPE), "the rows number their options alike");

vn_array *compose_multi_hot(vn_array *const *in, const vn__infer *i)
{
    vn_array *each = vn_one_hot(in[0], i->options->v[OPT_MULTI_HOT_SIZE].u.i, VN_BOOL);
    return vn_cast(vn_any(each, VN_AXES(-2)), (vn_dtype)i->dtype);
}

int dtype_one_hot_fill(vn__infer *i)
{
    const int code = vn__rule_dtype(i, OPT_ONE_HOT_FILL_DTYPE);
    return code ? code : vn__rule_index(i, 0);
}

int shape_one_hot_fill(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_ONE_HOT_FILL_SIZE);
    if (!code) code = shape_same(i);
    if (!code && i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "index has rank %d already (%s)", VN_MAX_RANK, i->engine);
    if (!code) i->dims[i->rank++] = i->options->v[OPT_ONE_HOT_FILL_SIZE].u.i;
    return code;
}

vn_array *compose_one_hot_fill(vn_array *const *in, const vn__infer *i)
{
    vn_array *hit = vn_one_hot(in[0], i->options->v[OPT_ONE_HOT_FILL_SIZE].u.i, VN_BOOL), *like = vn_cast(hit, VN_F64);
    vn_array *filled = vn_where(hit, vn_full_like(like, vn_scalar(vn__real(i, OPT_ONE_HOT_FILL_ON))),
                                vn_full_like(like, vn_scalar(vn__real(i, OPT_ONE_HOT_FILL_OFF))));
    return vn_cast(filled, (vn_dtype)i->dtype);
}
