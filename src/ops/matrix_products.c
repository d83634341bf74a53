/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_products.c: products of several matrices, of an axis with a matrix, and of parts of matrices. */
#include "ops/index.h"
#include "base/minmax.h"
#include "ops/linalg.h"
#include "core/dtype.h"

/* ---- products of several matrices ---- */

enum { MAX_FACTORS = 32 }; /* factors of multi_dot */

/* Factor k as a matrix: a vector is a row if it is the first, a column if it is the last. */
static void sizes_of(const vn__infer *i, int k, int64_t *rows, int64_t *columns)
{
    const vn__node *x = i->in[k];
    const int64_t *d = vn__node_dims(x);
    *rows = x->rank == 2 ? d[0] : k ? d[0] : 1;
    *columns = x->rank == 2 ? d[1] : k ? 1 : d[0];
}

int shape_multi_dot(vn__infer *i)
{
    char s[128], t[128];
    int64_t rows, columns = 0, first = 0, before = 0;
    if (i->n < 2 || i->n > MAX_FACTORS) FAIL(VN_E_ARG, "%d arrays, 2 to %d are needed (%s)", i->n, MAX_FACTORS, i->engine);
    for (int k = 0; k < i->n; k++) {
        const int rank = i->in[k]->rank;
        if (rank != 2 && !(rank == 1 && (k == 0 || k == i->n - 1)))
            FAIL(VN_E_SHAPE, "array %d has shape %s; matrices are needed, the first and the last may be vectors (%s)", k,
                 shape_text(i->in[k], s), i->engine);
        sizes_of(i, k, &rows, &columns);
        if (!k) first = rows;
        else if (rows != before)
            FAIL(VN_E_SHAPE, "inner sizes of array %d, %s, and array %d, %s, differ (%s)", k - 1, shape_text(i->in[k - 1], s), k,
                 shape_text(i->in[k], t), i->engine);
        before = columns;
    }
    i->rank = 0;
    if (i->in[0]->rank == 2) i->dims[i->rank++] = first;
    if (i->in[i->n - 1]->rank == 2) i->dims[i->rank++] = columns;
    return VN_OK;
}

/* The product of factors first ... last, split where that takes the fewest multiplications */
typedef struct {
    vn_array *factor[MAX_FACTORS];
    int split[MAX_FACTORS][MAX_FACTORS];
} chain;

static vn_array *product(const chain *c, int first, int last)
{
    if (first == last) return c->factor[first];
    const int at = c->split[first][last];
    return vn_matmul(product(c, first, at), product(c, at + 1, last));
}

static void find_splits(chain *c, int n, const double *size)
{
    double cost[MAX_FACTORS][MAX_FACTORS] = {{0}};
    for (int length = 1; length < n; length++) {
        for (int first = 0; first + length < n; first++) {
            const int last = first + length;
            cost[first][last] = -1;
            for (int at = first; at < last; at++) {
                const double all = cost[first][at] + cost[at + 1][last] + size[first] * size[at + 1] * size[last + 1];
                if (cost[first][last] >= 0 && all >= cost[first][last]) continue;
                cost[first][last] = all;
                c->split[first][last] = at;
            }
        }
    }
}

vn_array *compose_multi_dot(vn_array *const *in, const vn__infer *i)
{
    chain c = {.split = {{0}}};
    double size[MAX_FACTORS + 1];
    for (int k = 0; k < i->n; k++) {
        int64_t rows, columns;
        sizes_of(i, k, &rows, &columns);
        size[k] = (double)rows, size[k + 1] = (double)columns;
        c.factor[k] = vn_reshape(vn_cast(in[k], (vn_dtype)i->dtype), VN_SHAPE(rows, columns));
    }
    find_splits(&c, i->n, size);
    return vn_reshape(product(&c, 0, i->n - 1), vn__result_shape(i));
}

int shape_khatri_rao(vn__infer *i)
{
    char s[128], t[128];
    int64_t rows = 1;
    for (int k = 0; k < i->n; k++) {
        const vn__node *x = i->in[k];
        if (x->rank != 2 || vn__cols(x) != vn__cols(i->in[0]))
            FAIL(VN_E_SHAPE, "array %d has shape %s, array 0 %s; matrices with as many columns each are needed (%s)", k, shape_text(x, s),
                 shape_text(i->in[0], t), i->engine);
        if (__builtin_mul_overflow(rows, vn__rows(x), &rows)) FAIL(VN_E_SHAPE, "more rows than can be addressed (%s)", i->engine);
    }
    vn__rule_result(i, 2, (int64_t[]){rows, vn__cols(i->in[0])});
    return VN_OK;
}

vn_array *compose_khatri_rao(vn_array *const *in, const vn__infer *i)
{
    vn_array *z = vn_cast(in[0], (vn_dtype)i->dtype);
    for (int k = 1; k < i->n && z; k++) {
        vn_array *y = vn_cast(in[k], (vn_dtype)i->dtype);
        if (!y) return NULL;
        z = vn_reshape(vn_mul(vn_expand_dims(z, 1), y), VN_SHAPE(vn_dim(z, 0) * vn_dim(y, 0), i->dims[1]));
    }
    return i->n == 1 ? vn_positive(z) : z;
}

int shape_mode_dot(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    const int code = vn__rule_axis(i, OPT_MODE_DOT_MODE, x->rank);
    if (code) return code;
    const int64_t mode = i->options->v[OPT_MODE_DOT_MODE].u.i;
    if (y->rank < 1 || y->rank > 2 || vn__cols(y) != vn__node_dims(x)[mode])
        FAIL(VN_E_SHAPE, "y has shape %s; a matrix with %lld columns, or a vector, is needed for axis %lld of x %s (%s)", shape_text(y, s),
             (long long)vn__node_dims(x)[mode], (long long)mode, shape_text(x, t), i->engine);
    i->rank = 0;
    for (int k = 0; k < x->rank; k++)
        if (k != mode) i->dims[i->rank++] = vn__node_dims(x)[k];
        else if (y->rank == 2) i->dims[i->rank++] = vn__rows(y);
    return VN_OK;
}

vn_array *compose_mode_dot(vn_array *const *in, const vn__infer *i)
{
    const int mode = (int)i->options->v[OPT_MODE_DOT_MODE].u.i;
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype);
    vn_array *z = vn_tensordot(x, y, VN_AXES(mode), VN_AXES(-1));
    return i->in[1]->rank == 2 && z ? vn__move_axis(z, vn_rank(z) - 1, mode) : z;
}

/* ---- products of blocks ---- */

/* Mask k has an element for each block of input `of`'s last two axes, or of those of the result. */
static int mask_fits(vn__infer *i, int k, int64_t rows, int64_t columns, int64_t block)
{
    const vn__node *m = i->in[k];
    char s[128];
    if (!m) return VN_OK;
    const int64_t r = rows / block + (rows % block != 0), c = columns / block + (columns % block != 0);
    if (m->rank < 2 || vn__rows(m) != r || vn__cols(m) != c)
        FAIL(VN_E_SHAPE, "%s has shape %s, [..., %lld, %lld] is needed (%s)", i->op->info.inputs[k], shape_text(m, s), (long long)r,
             (long long)c, i->engine);
    return VN_OK;
}

/* The leading axes of m are broadcast with those of the result. */
static int with_batch(vn__infer *i, const vn__node *m)
{
    int64_t dims[VN_MAX_RANK];
    const int rank = i->rank;
    memcpy(dims, i->dims, sizeof dims);
    const int code = vn__rule_broadcast(i, rank - 2, dims, m->rank - 2, vn__node_dims(m));
    if (code) return code;
    i->dims[i->rank++] = dims[rank - 2];
    i->dims[i->rank++] = dims[rank - 1];
    return VN_OK;
}

int shape_block_masked_matmul(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    const int64_t block = i->options->v[OPT_BLOCK_MASKED_MATMUL_BLOCK].u.i;
    int code = vn__needs_matrix(i, 0);
    if (!code) code = vn__needs_matrix(i, 1);
    if (!code) code = shape_matmul(i);
    if (!code) code = mask_fits(i, 2, vn__rows(x), vn__cols(y), block);
    if (!code) code = mask_fits(i, 3, vn__rows(x), vn__cols(x), block);
    if (!code) code = mask_fits(i, 4, vn__rows(y), vn__cols(y), block);
    for (int k = 2; k < 5 && !code; k++)
        if (i->in[k]) code = with_batch(i, i->in[k]);
    return code;
}

int dtype_block_masked_matmul(vn__infer *i)
{
    const int code = vn__rule_promote(i, 0, 2);
    for (int k = 2; k < 5 && !code; k++)
        if (i->in[k] && !vn__is(i->in[k]->dtype, VN_ORDERED))
            FAIL(VN_E_DTYPE, "%s is %s, a real dtype or bool is needed (%s)", i->op->info.inputs[k], dtype_text(i->in[k]->dtype),
                 i->engine);
    return code ? code : vn__rule_accept(i, i->dtype);
}

/* x, whose blocks are multiplied by the elements of a mask; x itself without one */
static vn_array *masked(vn_array *x, const vn__infer *i, vn_array *const *in, int k)
{
    if (!i->in[k] || !x) return x;
    const int64_t block = i->options->v[OPT_BLOCK_MASKED_MATMUL_BLOCK].u.i, rows = vn__row_count(x), columns = vn__col_count(x);
    vn_array *m = vn_repeat(vn_repeat(vn_cast(in[k], vn_dtype_of(x)), vn__min(block, columns), -1), vn__min(block, rows), -2);
    if (!m) return NULL;
    m = vn__piece(vn__piece(m, vn_rank(m) - 1, 0, columns), vn_rank(m) - 2, 0, rows);
    return vn_mul(x, m);
}

vn_array *compose_block_masked_matmul(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = masked(vn_cast(in[0], (vn_dtype)i->dtype), i, in, 3), *y = masked(vn_cast(in[1], (vn_dtype)i->dtype), i, in, 4);
    return masked(vn_matmul(x, y), i, in, 2);
}

/* ---- products of chosen matrices ---- */

int shape_gather_matmul(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    int code = vn__needs_matrix(i, 0);
    if (!code) code = vn__needs_matrix(i, 1);
    if (code) return code;
    if (vn__cols(x) != vn__rows(y))
        FAIL(VN_E_SHAPE, "inner sizes of x %s and y %s differ (%s)", shape_text(x, s), shape_text(y, t), i->engine);
    const vn__node *a = i->in[2], *b = i->in[3];
    code = vn__rule_broadcast(i, a ? a->rank : x->rank - 2, vn__node_dims(a ? a : x), b ? b->rank : y->rank - 2, vn__node_dims(b ? b : y));
    if (code) return code;
    if (i->rank > VN_MAX_RANK - 2) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->dims[i->rank++] = vn__rows(x);
    i->dims[i->rank++] = vn__cols(y);
    for (int k = 0; k < 2 && !code; k++) {
        int64_t matrices = 1;
        for (int d = 0; d < i->in[k]->rank - 2; d++) matrices *= vn__node_dims(i->in[k])[d];
        if (i->in[2 + k]) code = vn__rule_within(i, 2 + k, (vn__bounds){&matrices, 1, true, NULL, "matrices"});
    }
    return code;
}

int dtype_gather_matmul(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    for (int k = 2; k < 4 && !code; k++)
        if (i->in[k]) code = vn__rule_index(i, k);
    return code ? code : vn__rule_accept(i, i->dtype);
}

/* Its matrices in one axis */
static vn_array *listed(vn_array *x)
{
    int64_t n = 1;
    for (int k = 0; k < vn_rank(x) - 2; k++) n *= vn_dim(x, k);
    return vn_reshape(x, VN_SHAPE(n, vn__row_count(x), vn__col_count(x)));
}

/* Few matrices y serve many of x: all products, of which those at the positions are kept, instead of a copy of y for each of x. */
static vn_array *of_all(vn_array *x, vn_array *y, vn_array *index, const vn__infer *i)
{
    const int64_t n = vn_dim(y, 0), rows = vn__row_count(x), columns = vn_dim(y, 2), count = vn_dim(x, 0);
    vn_array *all = vn_matmul(vn_reshape(x, VN_SHAPE(count * rows, vn_dim(x, 2))), y); /* (n, count rows, columns) */
    vn_array *at = vn_where(vn_less(index, vn_scalar_int(0)), vn_add(index, vn_scalar_int(n)), index);
    vn_array *inside = vn_logical_and(vn_greater_equal(at, vn_scalar_int(0)), vn_less(at, vn_scalar_int(n)));
    at = vn_where(inside, vn_add(vn_mul(at, vn_scalar_int(count)), vn__positions(x, count)), vn_scalar_int(n * count));
    return vn_reshape(vn_take(vn_reshape(all, VN_SHAPE(n * count, rows, columns)), at, 0), vn__result_shape(i));
}

vn_array *compose_gather_matmul(vn_array *const *in, const vn__infer *i)
{
    enum { FEW = 16, LARGE = 1 << 20 };
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype);
    if (!x || !y) return NULL;
    vn_array *a = i->in[2] ? vn_cast(in[2], VN_I64) : NULL, *b = i->in[3] ? vn_cast(in[3], VN_I64) : NULL;
    if (!a && b && vn_rank(b) == vn_rank(x) - 2 && vn_size(b) * vn__row_count(y) * vn__col_count(y) >= LARGE) {
        vn_array *xs = listed(x), *ys = listed(y);
        if (xs && ys && vn_dim(xs, 0) == vn_size(b) && vn_dim(ys, 0) <= FEW) return of_all(xs, ys, vn__flat(b), i);
    }
    if (a) x = vn_take(listed(x), a, 0);
    if (b) y = vn_take(listed(y), b, 0);
    return vn_matmul(x, y);
}

int shape_segment_matmul(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1], *at = i->in[2];
    char s[128], t[128];
    if (x->rank != 2 || y->rank != 2 || vn__cols(x) != vn__rows(y))
        FAIL(VN_E_SHAPE, "x has shape %s, y %s; matrices whose inner sizes are equal are needed (%s)", shape_text(x, s), shape_text(y, t),
             i->engine);
    if (at->rank < 1 || at->rank > VN_MAX_RANK - 1 || vn__cols(at) != 2)
        FAIL(VN_E_SHAPE, "segments has shape %s, [..., 2] is needed (%s)", shape_text(at, s), i->engine);
    vn__rule_result(i, at->rank - 1, vn__node_dims(at));
    i->dims[i->rank++] = vn__rows(x);
    i->dims[i->rank++] = vn__cols(y);
    return vn__rule_within(i, 2, (vn__bounds){&(int64_t){vn__cols(x) + 1}, 1, false, NULL, "limits between columns"});
}

int dtype_segment_matmul(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_index(i, 2);
    return code ? code : vn__rule_accept(i, i->dtype);
}

/* Where a segment is depends on numbers, so that every product goes over all columns, of which those outside the segment are 0. */
vn_array *compose_segment_matmul(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn_cast(in[0], (vn_dtype)i->dtype), *y = vn_cast(in[1], (vn_dtype)i->dtype), *at = vn_cast(in[2], VN_I64);
    if (!x || !y || !at) return NULL;
    const int last = vn_rank(at) - 1;
    vn_array *place = vn__positions(x, vn_dim(x, 1)), *from = vn__piece(at, last, 0, 1), *to = vn__piece(at, last, 1, 1);
    vn_array *inside = vn_logical_and(vn_greater_equal(place, from), vn_less(place, to)); /* (..., k) */
    return vn_matmul(vn_where(vn_expand_dims(inside, -2), x, vn__number(x, 0)), y);
}

/* ---- products of vectors ---- */

/* x: (..., m), y: (..., n), w: (out, m, n) */
int shape_bilinear(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1], *w = i->in[2];
    const int64_t *dx = vn__node_dims(x), *dy = vn__node_dims(y), *dw = vn__node_dims(w);
    char s[128], t[128], u[128];
    if (!x->rank || !y->rank || w->rank != 3 || dw[1] != dx[x->rank - 1] || dw[2] != dy[y->rank - 1])
        FAIL(VN_E_SHAPE, "x %s, y %s and w %s do not fit: (..., m), (..., n) and (out, m, n) are needed (%s)", shape_text(x, s),
             shape_text(y, t), shape_text(w, u), i->engine);
    if (i->in[3] && (i->in[3]->rank != 1 || i->in[3]->count != dw[0]))
        FAIL(VN_E_SHAPE, "bias has shape %s, w %s needs %lld numbers (%s)", shape_text(i->in[3], s), shape_text(w, u), (long long)dw[0],
             i->engine);
    const int code = vn__rule_broadcast(i, x->rank - 1, dx, y->rank - 1, dy);
    if (code) return code;
    if (i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->dims[i->rank++] = dw[0];
    return VN_OK;
}

vn_array *compose_bilinear(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *y = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype));
    vn_array *w = vn__widen(vn_cast(in[2], (vn_dtype)i->dtype));
    if (!x || !y || !w) return NULL;
    const int64_t out = vn_dim(w, 0), m = vn_dim(w, 1), n = vn_dim(w, 2);
    vn_shape all = vn_shape_of(x);
    all.dim[all.rank - 1] = out;
    all.dim[all.rank++] = n;
    vn_array *rows = vn_reshape(vn_permute_dims(w, VN_AXES(1, 0, 2)), VN_SHAPE(m, out * n));
    vn_array *z = vn_reshape(vn_matmul(vn_rank(x) == 1 ? vn_expand_dims(x, 0) : x, rows), all);
    z = vn_sum(vn_mul(z, vn_expand_dims(y, -2)), VN_AXES(-1));
    if (i->in[3]) z = vn_add(z, vn__widen(vn_cast(in[3], (vn_dtype)i->dtype)));
    return vn__narrow(z, i);
}

int shape_pairwise_distance(vn__infer *i)
{
    if (!i->in[0]->rank || !i->in[1]->rank) FAIL(VN_E_SHAPE, "x and y need an axis of features (%s)", i->engine);
    const int code = shape_broadcast(i);
    if (code) return code;
    if (i->options->v[OPT_PAIRWISE_DISTANCE_KEEPDIMS].u.i) i->dims[i->rank - 1] = 1;
    else i->rank--;
    return VN_OK;
}

vn_array *compose_pairwise_distance(vn_array *const *in, const vn__infer *i)
{
    vn_array *d = vn_sub(vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), vn__widen(vn_cast(in[1], (vn_dtype)i->dtype)));
    d = vn_add(d, vn_scalar(vn__real(i, OPT_PAIRWISE_DISTANCE_EPSILON)));
    const vn_axes last = {1, i->options->v[OPT_PAIRWISE_DISTANCE_KEEPDIMS].u.i != 0, {-1}};
    return vn__narrow(vn_norm(d, last, vn__real(i, OPT_PAIRWISE_DISTANCE_P)), i);
}

/* (batch, ...): the axes that are left, in order. */
static void other_axes(vn__infer *i, int k, int64_t axis)
{
    for (int a = 1; a < i->in[k]->rank; a++)
        if (a != axis) i->dims[i->rank++] = vn__node_dims(i->in[k])[a];
}

int shape_batch_dot(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    int code = vn__rule_axis(i, OPT_BATCH_DOT_AXIS_X, x->rank);
    if (!code) code = vn__rule_axis(i, OPT_BATCH_DOT_AXIS_Y, y->rank);
    if (code) return code;
    const int64_t a = i->options->v[OPT_BATCH_DOT_AXIS_X].u.i, b = i->options->v[OPT_BATCH_DOT_AXIS_Y].u.i;
    if (x->rank < 2 || y->rank < 2 || !a || !b || vn__node_dims(x)[0] != vn__node_dims(y)[0] || vn__node_dims(x)[a] != vn__node_dims(y)[b])
        FAIL(VN_E_SHAPE, "x %s and y %s do not fit: they need the same first axis, and one of the same size behind it (%s)",
             shape_text(x, s), shape_text(y, t), i->engine);
    if (x->rank + y->rank - 3 > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->rank = 1;
    i->dims[0] = vn__node_dims(x)[0];
    other_axes(i, 0, a);
    other_axes(i, 1, b);
    if (i->rank == 1) i->dims[i->rank++] = 1;
    return VN_OK;
}

/* (batch, rest, n), of length 1 along n if they are to be */
static vn_array *batch_rows(vn_array *x, int64_t axis, const vn__infer *i)
{
    x = vn__move_axis(vn__widen(vn_cast(x, (vn_dtype)i->dtype)), (int)axis, vn_rank(x) - 1);
    if (!x) return NULL;
    const int64_t batch = vn_dim(x, 0), n = vn_dim(x, -1);
    x = vn_reshape(x, VN_SHAPE(batch, batch && n ? vn_size(x) / batch / n : 0, n));
    if (!i->options->v[OPT_BATCH_DOT_NORMALIZE].u.i) return x;
    vn_array *squares = vn_sum(vn_square(x), (vn_axes){1, 1, {-1}});
    return vn_div(x, vn_sqrt(vn_maximum(squares, vn_scalar(1e-12))));
}

vn_array *compose_batch_dot(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = batch_rows(in[0], i->options->v[OPT_BATCH_DOT_AXIS_X].u.i, i);
    vn_array *y = batch_rows(in[1], i->options->v[OPT_BATCH_DOT_AXIS_Y].u.i, i);
    if (!x || !y) return NULL;
    vn_array *z = vn_matmul(x, vn_matrix_transpose(y));
    return z ? vn__narrow(vn_reshape(z, vn__result_shape(i)), i) : NULL;
}

/* ---- spectral norms ---- */

int shape_spectral_normalize(vn__infer *i)
{
    const vn__node *w = i->in[0], *u = i->in[1];
    char s[128], t[128];
    if (w->rank < 2 || u->rank != 1 || u->count != vn__node_dims(w)[w->rank - 1] || !w->count)
        FAIL(VN_E_SHAPE, "w %s and u %s do not fit: two axes or more, and a vector as long as the last of them, are needed (%s)",
             shape_text(w, s), shape_text(u, t), i->engine);
    vn__rule_result_at(i, 1, 1, vn__node_dims(u));
    return shape_same(i);
}

static vn_array *of_length_1(vn_array *v, double epsilon)
{
    vn_array *squares = vn_sum(vn_square(v), VN_ALL);
    return vn_div(v, vn_sqrt(vn_maximum(squares, vn_scalar(epsilon))));
}

vn_array *compose_spectral_normalize(vn_array *const *in, const vn__infer *i)
{
    const double epsilon = vn__real(i, OPT_SPECTRAL_NORMALIZE_EPSILON);
    vn_array *w = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *u = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype)), *v = NULL;
    if (!w || !u) return NULL;
    const int64_t n = vn_dim(u, 0);
    vn_array *matrix = vn_reshape(w, VN_SHAPE(vn_size(w) / n, n));
    for (int64_t k = 0; k < i->options->v[OPT_SPECTRAL_NORMALIZE_ITERATIONS].u.i && u; k++) {
        v = of_length_1(vn_matmul(matrix, u), epsilon);
        u = of_length_1(vn_matmul(v, matrix), epsilon);
    }
    vn_array *largest = vn_matmul(v, vn_matmul(matrix, u));
    i->more[0] = vn__narrow(u, i);
    return vn__narrow(vn_div(w, largest), i);
}
