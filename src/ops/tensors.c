/* SPDX-License-Identifier: Apache-2.0 */
/* tensors.c: arrays of several axes as matrices and back, products along many axes, systems (table/tensors.def). nnls is in nnls.c. */
#include "ops/linalg.h"
#include "core/dtype.h"

/* ---- unfolding ---- */

/* Axes skip_begin ... rank - skip_end - 1 are unfolded, with axis `mode` of them in front. */
typedef struct {
    int rank, first, last; /* last: one behind */
    int mode;              /* counted from axis 0 of x */
} unfolding;

static int unfolding_of(vn__infer *i, int mode_at, int begin_at, int end_at, int rank, unfolding *u)
{
    const int64_t begin = i->options->v[begin_at].u.i, end = i->options->v[end_at].u.i;
    if (begin + end >= rank || begin > rank || end > rank)
        FAIL(VN_E_ARG, "%lld first and %lld last axes of %d stay: none is left to unfold (%s)", (long long)begin, (long long)end, rank,
             i->engine);
    const int n = rank - (int)begin - (int)end, code = vn__rule_axis(i, mode_at, n);
    if (code) return code;
    *u = (unfolding){rank, (int)begin, rank - (int)end, (int)begin + (int)i->options->v[mode_at].u.i};
    return VN_OK;
}

/* The order of axes in which mode comes first of those unfolded. */
static vn_axes unfolded_order(const unfolding *u)
{
    vn_axes a = {.n = u->rank};
    int to = 0;
    for (int k = 0; k < u->first; k++) a.axis[to++] = k;
    a.axis[to++] = u->mode;
    for (int k = u->first; k < u->rank; k++)
        if (k != u->mode) a.axis[to++] = k;
    return a;
}

/* The shape of the unfolded array, from the dims of the whole. */
static int unfolded_dims(const unfolding *u, const int64_t *dims, bool ravel, int64_t *to)
{
    int n = 0;
    int64_t others = 1;
    for (int k = 0; k < u->first; k++) to[n++] = dims[k];
    for (int k = u->first; k < u->last; k++)
        if (k != u->mode) others *= dims[k];
    if (ravel) to[n++] = dims[u->mode] * others;
    else to[n++] = dims[u->mode], to[n++] = others;
    for (int k = u->last; k < u->rank; k++) to[n++] = dims[k];
    return n;
}

int shape_tensor_unfold(vn__infer *i)
{
    const vn__node *x = i->in[0];
    unfolding u;
    const int code = unfolding_of(i, OPT_TENSOR_UNFOLD_MODE, OPT_TENSOR_UNFOLD_SKIP_BEGIN, OPT_TENSOR_UNFOLD_SKIP_END, x->rank, &u);
    if (code) return code;
    const bool ravel = i->options->v[OPT_TENSOR_UNFOLD_RAVEL].u.i != 0;
    if (x->rank - (u.last - u.first) + 2 - ravel > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d (%s)", VN_MAX_RANK, i->engine);
    i->rank = unfolded_dims(&u, vn__node_dims(x), ravel, i->dims);
    return VN_OK;
}

vn_array *compose_tensor_unfold(vn_array *const *in, const vn__infer *i)
{
    const int begin = (int)i->options->v[OPT_TENSOR_UNFOLD_SKIP_BEGIN].u.i, end = (int)i->options->v[OPT_TENSOR_UNFOLD_SKIP_END].u.i;
    const unfolding u = {i->in[0]->rank, begin, i->in[0]->rank - end, begin + (int)i->options->v[OPT_TENSOR_UNFOLD_MODE].u.i};
    return vn_reshape(vn_permute_dims(in[0], unfolded_order(&u)), vn__result_shape(i));
}

int shape_tensor_fold(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int rank = i->options->v[OPT_TENSOR_FOLD_SHAPE].n;
    const int64_t *dims = i->options->v[OPT_TENSOR_FOLD_SHAPE].is;
    char s[128], t[128];
    int64_t count = 1, to[VN_MAX_RANK + 1];
    unfolding u;
    if (rank > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d (%s)", VN_MAX_RANK, i->engine);
    const int code = unfolding_of(i, OPT_TENSOR_FOLD_MODE, OPT_TENSOR_FOLD_SKIP_BEGIN, OPT_TENSOR_FOLD_SKIP_END, rank, &u);
    if (code) return code;
    for (int k = 0; k < rank; k++)
        if (dims[k] < 0 || __builtin_mul_overflow(count, dims[k], &count)) count = -1, k = rank;
    for (int ravel = 0; ravel < 2 && count == x->count; ravel++) {
        const int n = unfolded_dims(&u, dims, ravel, to);
        if (n != x->rank || memcmp(to, vn__node_dims(x), (size_t)n * sizeof *to) != 0) continue;
        vn__rule_result(i, rank, dims);
        return VN_OK;
    }
    FAIL(VN_E_SHAPE, "x has shape %s, which is not what unfolding %s gives (%s)", shape_text(x, s), vn__shape_text(rank, dims, t),
         i->engine);
}

vn_array *compose_tensor_fold(vn_array *const *in, const vn__infer *i)
{
    const int begin = (int)i->options->v[OPT_TENSOR_FOLD_SKIP_BEGIN].u.i, end = (int)i->options->v[OPT_TENSOR_FOLD_SKIP_END].u.i;
    const unfolding u = {i->rank, begin, i->rank - end, begin + (int)i->options->v[OPT_TENSOR_FOLD_MODE].u.i};
    const vn_axes order = unfolded_order(&u);
    vn_shape moved = {.rank = i->rank};
    vn_axes back = {.n = i->rank};
    for (int k = 0; k < i->rank; k++) {
        moved.dim[k] = i->dims[order.axis[k]];
        back.axis[order.axis[k]] = k;
    }
    return vn_permute_dims(vn_reshape(in[0], moved), back);
}

/* The axes that are rows, then those that are columns, in i->options. */
int shape_matricize(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int32_t *n = &i->options->v[OPT_MATRICIZE_ROWS].n, *m = &i->options->v[OPT_MATRICIZE_COLUMNS].n;
    int64_t *columns = i->options->v[OPT_MATRICIZE_COLUMNS].is;
    const int64_t *rows = i->options->v[OPT_MATRICIZE_ROWS].is, *d = vn__node_dims(x);
    int code = vn__rule_order(i, OPT_MATRICIZE_ROWS, x->rank);
    if (code) return code;
    bool used[VN_MAX_RANK] = {false};
    for (int k = 0; k < *n; k++) used[rows[k]] = true;
    if (*m == VN__ALL_AXES) {
        *m = 0;
        for (int k = 0; k < x->rank; k++)
            if (!used[k]) columns[(*m)++] = k;
    } else {
        code = vn__rule_order(i, OPT_MATRICIZE_COLUMNS, x->rank);
        for (int k = 0; !code && k < *m; k++)
            if (used[columns[k]]) FAIL(VN_E_ARG, "axis %lld is among the rows and the columns (%s)", (long long)columns[k], i->engine);
    }
    if (!code && *n + *m != x->rank) FAIL(VN_E_ARG, "%d axes of rank %d are given; all are needed (%s)", *n + *m, x->rank, i->engine);
    i->rank = 2;
    i->dims[0] = i->dims[1] = 1;
    for (int k = 0; !code && k < *n; k++) i->dims[0] *= d[rows[k]];
    for (int k = 0; !code && k < *m; k++) i->dims[1] *= d[columns[k]];
    return code;
}

vn_array *compose_matricize(vn_array *const *in, const vn__infer *i)
{
    vn_axes order = {.n = 0};
    for (int o = 0; o < 2; o++) {
        const int at = o ? OPT_MATRICIZE_COLUMNS : OPT_MATRICIZE_ROWS;
        for (int k = 0; k < i->options->v[at].n; k++) order.axis[order.n++] = (int)i->options->v[at].is[k];
    }
    return vn_reshape(order.n ? vn_permute_dims(in[0], order) : in[0], vn__result_shape(i));
}

/* ---- products ---- */

/* The axis of the first array that array k multiplies. */
static int64_t mode_of(const vn__infer *i, int k)
{
    return i->options->v[OPT_MULTI_MODE_DOT_MODES].n ? i->options->v[OPT_MULTI_MODE_DOT_MODES].is[k - 1] : k - 1;
}

int shape_multi_mode_dot(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int n = i->options->v[OPT_MULTI_MODE_DOT_MODES].n;
    const bool transpose = i->options->v[OPT_MULTI_MODE_DOT_TRANSPOSE].u.i != 0;
    char s[128], t[128];
    int64_t dims[VN_MAX_RANK];
    bool gone[VN_MAX_RANK] = {false}, used[VN_MAX_RANK] = {false};
    if (n && n != i->n - 1) FAIL(VN_E_ARG, "%d modes for %d matrices (%s)", n, i->n - 1, i->engine);
    memcpy(dims, vn__node_dims(x), (size_t)x->rank * sizeof *dims);
    for (int k = 1; k < i->n; k++) {
        const vn__node *y = i->in[k];
        int64_t *mode = n ? &i->options->v[OPT_MULTI_MODE_DOT_MODES].is[k - 1] : &(int64_t){k - 1};
        if (*mode < 0) *mode += x->rank;
        if (*mode < 0 || *mode >= x->rank || used[*mode])
            FAIL(VN_E_ARG, "array %d belongs to axis %lld of x %s: each axis may have one (%s)", k, (long long)*mode, shape_text(x, s),
                 i->engine);
        used[*mode] = true;
        const int64_t *d = vn__node_dims(y), inner = y->rank == 2 ? d[!transpose] : y->rank == 1 ? d[0] : -1;
        if (inner != dims[*mode])
            FAIL(VN_E_SHAPE, "array %d has shape %s; a matrix, or a vector, for axis %lld of x %s is needed (%s)", k, shape_text(y, t),
                 (long long)*mode, shape_text(x, s), i->engine);
        gone[*mode] = y->rank == 1;
        if (y->rank == 2) dims[*mode] = d[transpose];
    }
    i->rank = 0;
    for (int k = 0; k < x->rank; k++)
        if (!gone[k]) i->dims[i->rank++] = dims[k];
    return VN_OK;
}

vn_array *compose_multi_mode_dot(vn_array *const *in, const vn__infer *i)
{
    vn_array *z = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype));
    int removed[VN_MAX_RANK] = {0};
    for (int k = 1; k < i->n; k++) {
        const int64_t mode = mode_of(i, k);
        vn_array *y = vn__widen(vn_cast(in[k], (vn_dtype)i->dtype));
        if (i->options->v[OPT_MULTI_MODE_DOT_TRANSPOSE].u.i) y = i->in[k]->rank == 2 ? vn__adjoint(y) : vn__conjugate(y);
        z = vn_mode_dot(z, y, mode - removed[mode]);
        for (int64_t a = mode + 1; i->in[k]->rank == 1 && a < VN_MAX_RANK; a++) removed[a]++;
    }
    return z ? vn__narrow(i->n == 1 ? vn_positive(z) : z, i) : NULL;
}

int shape_general_inner_product(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    const int64_t *dx = vn__node_dims(x), *dy = vn__node_dims(y);
    const int64_t given = i->options->v[OPT_GENERAL_INNER_PRODUCT_MODES].u.i;
    char s[128], t[128];
    if (!given && x->rank != y->rank)
        FAIL(VN_E_SHAPE, "x %s and y %s: arrays of one shape, or a number of modes, are needed (%s)", shape_text(x, s), shape_text(y, t),
             i->engine);
    const int64_t n = given ? given : x->rank;
    if (n > x->rank || n > y->rank || memcmp(dx + x->rank - n, dy, (size_t)n * sizeof *dx) != 0)
        FAIL(VN_E_SHAPE, "the last %lld modes of x %s are not the first of y %s (%s)", (long long)n, shape_text(x, s), shape_text(y, t),
             i->engine);
    if (x->rank + y->rank - 2 * n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d (%s)", VN_MAX_RANK, i->engine);
    i->rank = 0;
    for (int64_t k = 0; k < x->rank - n; k++) i->dims[i->rank++] = dx[k];
    for (int64_t k = n; k < y->rank; k++) i->dims[i->rank++] = dy[k];
    return VN_OK;
}

vn_array *compose_general_inner_product(vn_array *const *in, const vn__infer *i)
{
    const int64_t given = i->options->v[OPT_GENERAL_INNER_PRODUCT_MODES].u.i;
    const int rank = i->in[0]->rank, n = given ? (int)given : rank;
    vn_axes of_x = {.n = n}, of_y = {.n = n};
    for (int k = 0; k < n; k++) of_x.axis[k] = rank - n + k, of_y.axis[k] = k;
    return vn_tensordot(vn_cast(in[0], (vn_dtype)i->dtype), vn_cast(in[1], (vn_dtype)i->dtype), of_x, of_y);
}

int shape_addmm(vn__infer *i)
{
    const vn__node *c = i->in[0], *a = i->in[1], *b = i->in[2];
    char s[128], t[128];
    int code = vn__needs_matrix(i, 1);
    if (!code) code = vn__needs_matrix(i, 2);
    if (code) return code;
    if (vn__cols(a) != vn__rows(b))
        FAIL(VN_E_SHAPE, "inner sizes of a %s and b %s differ (%s)", shape_text(a, s), shape_text(b, t), i->engine);
    code = vn__rule_broadcast(i, a->rank - 2, vn__node_dims(a), b->rank - 2, vn__node_dims(b));
    if (code) return code;
    i->dims[i->rank++] = vn__rows(a);
    i->dims[i->rank++] = vn__cols(b);
    return vn__rule_reaches(i, c, i->rank, i->dims);
}

vn_array *compose_addmm(vn_array *const *in, const vn__infer *i)
{
    vn_array *x[3];
    for (int k = 0; k < 3; k++) x[k] = vn__widen(vn_cast(in[k], (vn_dtype)i->dtype));
    vn_array *product = vn__scaled(vn_matmul(x[1], x[2]), vn__real(i, OPT_ADDMM_ALPHA));
    return vn__narrow(vn_add(product, vn__scaled(x[0], vn__real(i, OPT_ADDMM_BETA))), i);
}

/* ---- systems and factors ---- */

int shape_tensorsolve(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    const int64_t *d = vn__node_dims(a);
    char s[128], t[128];
    if (a->rank < b->rank || memcmp(d, vn__node_dims(b), (size_t)b->rank * sizeof *d) != 0)
        FAIL(VN_E_SHAPE, "the first axes of a %s are not those of b %s (%s)", shape_text(a, s), shape_text(b, t), i->engine);
    vn__rule_result(i, a->rank - b->rank, d + b->rank);
    int64_t unknown = 1;
    for (int k = 0; k < i->rank; k++) unknown *= i->dims[k];
    if (unknown != b->count)
        FAIL(VN_E_SHAPE, "%lld equations in %lld unknowns: a %s, b %s (%s)", (long long)b->count, (long long)unknown, shape_text(a, s),
             shape_text(b, t), i->engine);
    return VN_OK;
}

vn_array *compose_tensorsolve(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->in[1]->count;
    vn_array *a = vn_reshape(vn_cast(in[0], (vn_dtype)i->dtype), VN_SHAPE(n, n)),
             *b = vn_reshape(vn_cast(in[1], (vn_dtype)i->dtype), VN_SHAPE(n));
    return vn_reshape(vn_solve(a, b), vn__result_shape(i));
}

vn_array *compose_tri_inv(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(in[0]);
    const int upper = (int)i->options->v[OPT_TRI_INV_UPPER].u.i;
    vn_array *one = x ? vn_broadcast_to(vn__identity(x), vn_shape_of(x)) : NULL;
    return vn__narrow(vn_solve_triangular(x, one, VN_OPTS(solve_triangular, .upper = upper)), i);
}

int shape_truncated_svd(vn__infer *i)
{
    const int code = vn__needs_matrix(i, 0);
    if (code) return code;
    const int64_t rows = vn__rows(i->in[0]), columns = vn__cols(i->in[0]);
    const int64_t n = vn__min(vn__min(rows, columns), i->options->v[OPT_TRUNCATED_SVD_COUNT].u.i);
    vn__rule_per_matrix(i, 0, VN_SHAPE(rows, n));
    vn__rule_per_matrix(i, 1, VN_SHAPE(n));
    vn__rule_per_matrix(i, 2, VN_SHAPE(n, columns));
    return VN_OK;
}

vn_array *compose_truncated_svd(vn_array *const *in, const vn__infer *i)
{
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(in[0], NULL, &s, &vh);
    if (!u) return NULL;
    const int64_t n = i->dims[i->rank - 1];
    i->more[0] = vn__piece(s, vn_rank(s) - 1, 0, n);
    i->more[1] = vn__piece(vh, vn_rank(vh) - 2, 0, n);
    return vn__piece(u, vn_rank(u) - 1, 0, n);
}

/* ---- NNDSVD ---- */

int shape_nonnegative_svd(vn__infer *i)
{
    const vn__node *u = i->in[0], *s = i->in[1], *vh = i->in[2];
    char a[128], b[128], c[128];
    if (u->rank != 2 || s->rank != 1 || vh->rank != 2 || s->count != vn__node_dims(u)[1] || s->count != vn__node_dims(vh)[0])
        FAIL(VN_E_SHAPE, "u %s, s %s and vh %s do not fit: (m, r), (r) and (r, n) are needed (%s)", shape_text(u, a), shape_text(s, b),
             shape_text(vh, c), i->engine);
    vn__rule_result_at(i, 1, 2, vn__node_dims(vh));
    return shape_same(i);
}

/* x divided by lengths, 0 where these are. */
static vn_array *unit_columns(vn_array *x, vn_array *lengths)
{
    return vn_div(x, vn_where(vn__above_0(lengths), lengths, vn_scalar(1)));
}

vn_array *compose_nonnegative_svd(vn_array *const *in, const vn__infer *i)
{
    vn_array *x[3];
    for (int k = 0; k < 3; k++)
        if (!(x[k] = vn__widen(vn_cast(in[k], (vn_dtype)i->dtype)))) return NULL;
    vn_array *u[2], *v[2], *sigma[2];
    for (int k = 0; k < 2; k++) { /* the positive parts, then the negative ones */
        vn_array *of_u = vn_relu(k ? vn_neg(x[0]) : x[0]), *of_v = vn_relu(vn__transpose(k ? vn_neg(x[2]) : x[2]));
        vn_array *long_u = vn_norm(of_u, VN_AXES(0), 2), *long_v = vn_norm(of_v, VN_AXES(0), 2);
        u[k] = unit_columns(of_u, long_u);
        v[k] = unit_columns(of_v, long_v);
        sigma[k] = vn_mul(long_u, long_v);
    }
    vn_array *positive = vn_greater(sigma[0], sigma[1]);
    vn_array *scale = vn_sqrt(vn_mul(x[1], vn_where(positive, sigma[0], sigma[1])));
    vn_array *w = vn_mul(vn_where(positive, u[0], u[1]), scale), *h = vn_mul(vn_where(positive, v[0], v[1]), scale);
    if (!w || !h) return NULL;
    /* The vectors of the largest have one sign each, up to rounding. */
    vn_array *first = vn_equal(vn__positions(w, vn_dim(w, 1)), vn_scalar(0)), *root = vn_sqrt(x[1]);
    w = vn_where(first, vn_mul(vn_abs(x[0]), root), w);
    h = vn_where(first, vn_mul(vn_abs(vn__transpose(x[2])), root), h);
    i->more[0] = vn__narrow(vn__transpose(h), i);
    return vn__narrow(w, i);
}
