/* SPDX-License-Identifier: Apache-2.0 */
/* decompose.c: arrays of several axes as products of small factors, which are trees (nn.h): Tucker, CP, tensor trains, and random ones of these, of
 * rings and PARAFAC2. */
#include "nn/nn.h"
#include "core/dtype.h"
#include "ops/row.h"
#include <math.h>

/* Entry k of a list in a tree: "factors/2", or "2" for a tree that is the list. */
static int put(vn_tree *t, const char *list, int k, vn_array *x)
{
    char chain[64];
    snprintf(chain, sizeof chain, "%s%d", list, k);
    return x ? vn_tree_set(t, chain, x) : (int)vn_status();
}

static bool take_array(const char *who, vn_array *x, int least)
{
    char s[128];
    if (!vn__check(x, VN__ARRAY, who, "x")) return false;
    const vn_shape d = vn_shape_of(x);
    if (d.rank >= least && vn_size(x) && vn__is(vn_dtype_of(x), VN_FLOATS)) return true;
    vn__fail(VN_E_SHAPE, "%s: x has shape %s and dtype %s; floats with %d axes or more, none of size 0, are needed", who,
             vn__shape_text(d.rank, d.dim, s), vn_dtype_name(vn_dtype_of(x)), least);
    return false;
}

/* n numbers of 1 or more, or one for all. */
static bool take_ranks(const char *who, vn_shape *ranks, int n)
{
    bool good = ranks->rank == 1 || ranks->rank == n;
    for (int k = 0; k < ranks->rank && good; k++) good = ranks->dim[k] > 0;
    if (!good) return vn__fail(VN_E_ARG, "%s: %d ranks; %d, or one for all, of 1 or more are needed", who, ranks->rank, n), false;
    for (int k = 1; k < n && ranks->rank == 1; k++) ranks->dim[k] = ranks->dim[0];
    ranks->rank = n;
    return true;
}

/* ---- Tucker ---- */

/* x with an axis of size n multiplied by w (n, r), or by its transpose (r, n). */
static vn_array *along(vn_array *x, int axis, vn_array *w)
{
    const int last = vn_rank(x) - 1;
    return vn__move_axis(vn_matmul(vn__move_axis(x, axis, last), w), last, axis);
}

/* Its columns along an axis: the left singular vectors of x unfolded there. */
static vn_array *leading(vn_array *x, int axis, int64_t rank)
{
    vn_array *s, *vh;
    const int64_t n = vn_dim(x, axis);
    return vn_truncated_svd(vn_reshape(vn__move_axis(x, axis, 0), VN_SHAPE(n, vn_size(x) / n)), rank, &s, &vh);
}

typedef struct {
    vn_array *x, *core, *factor[VN_MAX_RANK];
    vn_shape modes, ranks;
} tucker;

/* The core of x and all factors but one. */
static vn_array *core_without(const tucker *t, int skip)
{
    vn_array *core = t->x;
    for (int k = 0; k < t->modes.rank && core; k++)
        if (k != skip) core = along(core, (int)t->modes.dim[k], t->factor[k]);
    return core;
}

/* Higher-order orthogonal iteration, until the error relative to x changes by less than the tolerance. */
static int iterate(tucker *t, int64_t iterations, double tolerance)
{
    double last = INFINITY;
    const double length = vn_item(vn_norm(vn_cast(t->x, VN_F64), VN_ALL, 2));
    for (int64_t step = 0; step < iterations; step++) {
        for (int k = 0; k < t->modes.rank; k++) {
            t->factor[k] = leading(core_without(t, k), (int)t->modes.dim[k], t->ranks.dim[k]);
            if (!t->factor[k]) return vn_status();
        }
        t->core = core_without(t, -1);
        if (!t->core || vn_eval(t->modes.rank, t->factor) || vn_eval(1, &t->core)) return vn_status();
        const double kept = vn_item(vn_norm(vn_cast(t->core, VN_F64), VN_ALL, 2));
        const double error = length > 0 ? sqrt(fmax(1 - kept / length * (kept / length), 0)) : 0;
        if (fabs(last - error) < tolerance) break;
        last = error;
    }
    return VN_OK;
}

static bool take_modes(const char *who, vn_shape *modes, int rank)
{
    bool used[VN_MAX_RANK] = {false};
    for (int k = 0; k < rank && !modes->rank; k++) modes->dim[k] = k;
    if (!modes->rank) modes->rank = rank;
    for (int k = 0; k < modes->rank; k++) {
        int64_t *m = &modes->dim[k];
        if (*m < 0) *m += rank;
        if (*m < 0 || *m >= rank || used[*m])
            return vn__fail(VN_E_ARG, "%s: mode %lld is no axis of x, or there twice", who, (long long)*m), false;
        used[*m] = true;
    }
    return true;
}

vn_tree *vn_tucker(vn_array *x, vn_shape ranks, const vn_tucker_opts *opts)
{
    static const char who[] = "tucker";
    vn_tucker_opts o = {0};
    if (!take_array(who, x, 1) || vn__take(&o, sizeof o, opts, "tucker")) return NULL;
    if (o.iterations == 0) o.iterations = 100;
    if (o.iterations == VN_ZERO) o.iterations = 0;
    if (o.tolerance == 0) o.tolerance = 1e-4;
    if (o.tolerance == (double)VN_ZERO) o.tolerance = 0;
    if (!(o.tolerance >= 0) || o.iterations < 0)
        return vn__fail(VN_E_ARG, "%s: %lld iterations with a tolerance of %g; neither may be below 0", who, (long long)o.iterations,
                        o.tolerance),
               NULL;
    VN_SCOPE;
    double by;
    tucker t = {.x = vn__near_1(vn__widen(x), &by), .modes = o.modes, .ranks = ranks};
    if (!take_modes(who, &t.modes, vn_rank(x)) || !take_ranks(who, &t.ranks, t.modes.rank) || !t.x) return NULL;
    for (int k = 0; k < t.modes.rank; k++) {
        t.ranks.dim[k] = vn__min(t.ranks.dim[k], vn_dim(x, (int)t.modes.dim[k]));
        t.factor[k] = leading(t.x, (int)t.modes.dim[k], t.ranks.dim[k]);
        if (!t.factor[k]) return NULL;
    }
    t.core = core_without(&t, -1);
    if (!t.core || iterate(&t, o.iterations, o.tolerance)) return NULL;
    vn_tree *z = vn_tree_of("core", vn_cast(vn__scaled(t.core, 1 / by), vn_dtype_of(x)), NULL);
    for (int k = 0; z && k < t.modes.rank; k++)
        if (put(z, "factors/", k, vn_cast(t.factor[k], vn_dtype_of(x)))) return NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* ---- CP ---- */

typedef struct {
    vn_array *x, *weights, *factor[VN_MAX_RANK];
    int n;
} cp;

/* x as a matrix (its size along an axis, all others), and the products of the other factors' rows, in the same order. */
static vn_array *unfolded(vn_array *x, int axis)
{
    const int64_t n = vn_dim(x, axis);
    return vn_reshape(vn__move_axis(x, axis, 0), VN_SHAPE(n, vn_size(x) / n));
}
static vn_array *others(const cp *c, int axis)
{
    vn_array *all[VN_MAX_RANK] = {NULL};
    int n = 0;
    for (int k = 0; k < c->n; k++)
        if (k != axis) all[n++] = c->factor[k];
    return n > 1 ? vn_khatri_rao(n, all) : all[0];
}

/* Singular vectors of x along an axis, and random columns where there are too few of them. */
static vn_array *first_factor(vn_array *x, int axis, int64_t rank)
{
    const int64_t n = vn_dim(x, axis), has = vn__min(rank, vn__min(n, vn_size(x) / n));
    vn_array *z = leading(x, axis, has);
    if (!z || has == rank) return z;
    vn_array *key = vn_random_fold(vn_random_key_of(0), vn_scalar_int(axis));
    vn_array *more = vn__on_engine(vn_normal(key, vn_scalar(0), vn_scalar(1), VN_SHAPE(n, rank - has), vn_dtype_of(x)), vn_engine_of(x));
    return vn_concat(2, (vn_array *[]){z, more}, 1);
}

/* One factor by least squares, the others as they are; its columns get length 1. */
static int solve_factor(cp *c, int axis)
{
    vn_array *gram = NULL;
    for (int k = 0; k < c->n; k++) {
        vn_array *g = k == axis ? NULL : vn_matmul(vn_matrix_transpose(c->factor[k]), c->factor[k]);
        if (g) gram = gram ? vn_mul(gram, g) : g;
    }
    vn_array *z = vn_matmul(vn_matmul(unfolded(c->x, axis), others(c, axis)), vn_pinv(gram, VN_NONE));
    vn_array *length = vn_sqrt(vn_sum(vn_square(z), VN_AXES(0)));
    c->weights = length;
    c->factor[axis] = vn_div(z, vn_where(vn_equal(length, vn_scalar(0)), vn_scalar(1), length));
    return c->factor[axis] ? VN_OK : (int)vn_status();
}

static double error_of(const cp *c)
{
    vn_array *product = vn_matmul(vn_mul(c->factor[0], c->weights), vn_matrix_transpose(others(c, 0)));
    return vn_item(vn_norm(vn_cast(vn_sub(unfolded(c->x, 0), product), VN_F64), VN_ALL, 2));
}

vn_tree *vn_cp(vn_array *x, int64_t rank, const vn_cp_opts *opts)
{
    static const char who[] = "cp";
    vn_cp_opts o = {0};
    if (!take_array(who, x, 2) || vn__take(&o, sizeof o, opts, "cp")) return NULL;
    if (rank < 1 || rank > 1 << 20)
        return vn__fail(VN_E_ARG, "%s: a rank of %lld; one of 1 to 1048576 is needed", who, (long long)rank), NULL;
    if (o.iterations == 0) o.iterations = 100;
    if (o.iterations == VN_ZERO) o.iterations = 0;
    if (o.tolerance == 0) o.tolerance = 1e-8;
    if (o.tolerance == (double)VN_ZERO) o.tolerance = 0;
    if (!(o.tolerance >= 0) || o.iterations < 1)
        return vn__fail(VN_E_ARG, "%s: %lld iterations with a tolerance of %g; an iteration and a tolerance of 0 are the least", who,
                        (long long)o.iterations, o.tolerance),
               NULL;
    VN_SCOPE;
    double by;
    cp c = {.x = vn__near_1(vn__widen(x), &by), .n = vn_rank(x)};
    for (int k = 0; k < c.n; k++)
        if (!c.x || !(c.factor[k] = first_factor(c.x, k, rank))) return NULL;
    const double size = vn_item(vn_norm(vn_cast(c.x, VN_F64), VN_ALL, 2));
    double last = INFINITY;
    for (int64_t step = 0; step < o.iterations; step++) {
        for (int k = 0; k < c.n; k++)
            if (solve_factor(&c, k)) return NULL;
        if (vn_eval(c.n, c.factor) || vn_eval(1, &c.weights)) return NULL;
        const double error = size > 0 ? error_of(&c) / size : 0;
        if (vn_status()) return NULL;
        if (fabs(last - error) < o.tolerance) break;
        last = error;
    }
    vn_tree *z = vn_tree_of("weights", vn_cast(vn__scaled(c.weights, 1 / by), vn_dtype_of(x)), NULL);
    for (int k = 0; z && k < c.n; k++)
        if (put(z, "factors/", k, vn_cast(c.factor[k], vn_dtype_of(x)))) return NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* ---- trains ---- */

/* ranks between the n axes: n - 1 of them, or one for all */
vn_tree *vn_tensor_train(vn_array *x, vn_shape ranks)
{
    static const char who[] = "tensor_train";
    if (!take_array(who, x, 2)) return NULL;
    VN_SCOPE;
    const int n = vn_rank(x);
    const vn_shape size = vn_shape_of(x);
    if (!take_ranks(who, &ranks, n - 1)) return NULL;
    vn_tree *z = vn_tree_new(NULL);
    vn_array *rest = vn__widen(x), *s, *vh;
    int64_t before = 1;
    for (int k = 0; k < n - 1 && rest && z; k++) {
        const int64_t rows = before * size.dim[k], columns = vn_size(rest) / rows;
        const int64_t rank = vn__min(ranks.dim[k], vn__min(rows, columns));
        vn_array *u = vn_truncated_svd(vn_reshape(rest, VN_SHAPE(rows, columns)), rank, &s, &vh);
        vn_array *core = u ? vn_reshape(u, VN_SHAPE(before, size.dim[k], rank)) : NULL;
        if (!core || put(z, "", k, vn_cast(core, vn_dtype_of(x)))) return NULL;
        rest = vn_mul(vn_expand_dims(s, -1), vh);
        before = rank;
    }
    if (!rest || !z) return NULL;
    vn_array *last = vn_reshape(rest, VN_SHAPE(before, size.dim[n - 1], 1));
    if (put(z, "", n - 1, last ? vn_cast(last, vn_dtype_of(x)) : NULL)) return NULL;
    return vn_tree_pass(z);
}

/* cores (r, m, n, r'): the array (m, m', ..., n, n', ...) */
vn_array *vn_tt_matrix_to_tensor(const vn_tree *cores)
{
    static const char who[] = "tt_matrix_to_tensor";
    if (!vn__check(cores, VN__TREE, who, "cores")) return NULL;
    const int n = vn_tree_leaves(cores);
    vn_shape sizes = {.rank = 2 * n};
    vn_axes order = {.n = 2 * n};
    if (n < 1 || 2 * n > VN_MAX_RANK) return vn__fail(VN_E_ARG, "%s: %d cores; 1 to %d are possible", who, n, VN_MAX_RANK / 2), NULL;
    VN_SCOPE;
    vn_array *z = NULL;
    int64_t before = 1;
    for (int k = 0; k < n; k++) {
        vn_array *core = vn_tree_leaf(cores, k);
        const vn_shape d = vn_shape_of(core);
        char s[128];
        if (d.rank != 4 || d.dim[0] != before || (k == n - 1 && d.dim[3] != 1))
            return vn__fail(VN_E_SHAPE, "%s: core %d has shape %s; (%lld, rows, columns, rank) is needed, with a rank of 1 at the end", who,
                            k, vn__shape_text(d.rank, d.dim, s), (long long)before),
                   NULL;
        vn_array *matrix = vn_reshape(core, VN_SHAPE(before, d.dim[1] * d.dim[2] * d.dim[3]));
        z = z ? vn_matmul(vn_reshape(z, VN_SHAPE(vn_size(z) / vn__max(before, INT64_C(1)), before)), matrix) : matrix;
        if (!z) return NULL;
        before = d.dim[3];
        sizes.dim[2 * k] = d.dim[1], sizes.dim[2 * k + 1] = d.dim[2];
        order.axis[k] = 2 * k, order.axis[n + k] = 2 * k + 1;
    }
    z = vn_permute_dims(vn_reshape(z, sizes), order);
    return z ? vn_pass(z) : NULL;
}

/* ---- random ones ---- */

/* Uniform numbers in [0, 1), each array from a key of its own. */
typedef struct {
    vn_array *keys;
    int64_t next;
    vn_dtype dtype;
} source;

static bool begin(const char *who, vn_array *key, vn_shape shape, vn_dtype dtype, int64_t arrays, source *from)
{
    bool good = shape.rank > 0 && shape.rank <= VN_MAX_RANK;
    for (int k = 0; k < shape.rank && good; k++) good = shape.dim[k] > 0;
    if (!good) return vn__fail(VN_E_SHAPE, "%s: a shape with sizes of 1 or more is needed", who), false;
    if (!vn__is_dtype(dtype) || !vn__is(dtype, VN_FLOATS)) return vn__fail(VN_E_DTYPE, "%s: a float dtype is needed", who), false;
    *from = (source){.keys = vn_random_split(key == VN_NONE ? vn_random_key() : key, arrays), .dtype = dtype};
    return from->keys != NULL;
}

static vn_array *uniform(source *from, vn_shape shape)
{
    vn_array *key = vn_reshape(vn__piece(from->keys, 0, from->next++, 1), VN_SHAPE(2));
    return vn_uniform(key, vn_scalar(0), vn_scalar(1), shape, from->dtype);
}

/* A matrix of uniform numbers; its q if it is to be orthogonal. */
static vn_array *matrix(source *from, int64_t rows, int64_t columns, int orthogonal)
{
    vn_array *x = uniform(from, VN_SHAPE(rows, columns)), *r;
    return x && orthogonal ? vn_cast(vn_qr(vn__widen(x), NULL, &r), from->dtype) : x;
}

static bool take_rank(const char *who, int64_t rank)
{
    if (rank > 0) return true;
    return vn__fail(VN_E_ARG, "%s: a rank of %lld; 1 or more is needed", who, (long long)rank), false;
}

/* Orthogonal columns are at most as many as rows. */
static bool fit(const char *who, vn_shape shape, vn_shape ranks, int orthogonal)
{
    for (int k = 0; k < shape.rank && orthogonal; k++)
        if (ranks.dim[k] > shape.dim[k])
            return vn__fail(VN_E_ARG, "%s: %lld orthogonal columns of %lld numbers for axis %d", who, (long long)ranks.dim[k],
                            (long long)shape.dim[k], k),
                   false;
    return true;
}

vn_tree *vn_random_cp(vn_array *key, vn_shape shape, int64_t rank, vn_dtype dtype, const vn_random_factors_opts *opts)
{
    static const char who[] = "random_cp";
    vn_random_factors_opts o = {0};
    source from;
    VN_SCOPE;
    vn_shape ranks = VN_SHAPE(rank);
    if (vn__take(&o, sizeof o, opts, "random_factors") || !take_rank(who, rank) || !begin(who, key, shape, dtype, shape.rank, &from) ||
        !take_ranks(who, &ranks, shape.rank) || !fit(who, shape, ranks, o.orthogonal))
        return NULL;
    vn_array *weights = vn_ones(VN_SHAPE(rank), dtype);
    vn_tree *z = vn_tree_new(NULL);
    for (int k = 0; k < shape.rank && z && weights; k++) {
        vn_array *w = matrix(&from, shape.dim[k], rank, o.orthogonal);
        if (o.normalize) {
            vn_array *lengths = vn_norm(w, VN_AXES(0), 2);
            weights = vn_mul(weights, lengths);
            w = vn_div(w, lengths);
        }
        if (put(z, "factors/", k, w)) return NULL;
    }
    return z && weights && !vn_tree_set(z, "weights", weights) ? vn_tree_pass(z) : NULL;
}

vn_tree *vn_random_tucker(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype, const vn_random_factors_opts *opts)
{
    static const char who[] = "random_tucker";
    vn_random_factors_opts o = {0};
    source from;
    VN_SCOPE;
    if (vn__take(&o, sizeof o, opts, "random_factors") || !begin(who, key, shape, dtype, shape.rank + 1, &from) ||
        !take_ranks(who, &ranks, shape.rank) || !fit(who, shape, ranks, o.orthogonal))
        return NULL;
    vn_array *core = uniform(&from, ranks);
    vn_tree *z = core ? vn_tree_of("core", core, NULL) : NULL;
    for (int k = 0; k < shape.rank && z; k++)
        if (put(z, "factors/", k, matrix(&from, shape.dim[k], ranks.dim[k], o.orthogonal))) return NULL;
    return z ? vn_tree_pass(z) : NULL;
}

/* Cores (r, n, r') whose ranks follow each other; `first` before the first one and behind the last. */
static vn_tree *random_cores(const char *who, vn_array *key, vn_shape shape, vn_shape ranks, int64_t first, vn_dtype dtype)
{
    source from;
    VN_SCOPE;
    if (!begin(who, key, shape, dtype, shape.rank, &from)) return NULL;
    if (shape.rank > 1 && !take_ranks(who, &ranks, shape.rank - 1)) return NULL;
    vn_tree *z = vn_tree_new(NULL);
    int64_t before = first;
    for (int k = 0; k < shape.rank && z; k++) {
        const int64_t behind = k + 1 < shape.rank ? ranks.dim[k] : first;
        if (put(z, "", k, uniform(&from, VN_SHAPE(before, shape.dim[k], behind)))) return NULL;
        before = behind;
    }
    return z ? vn_tree_pass(z) : NULL;
}

vn_tree *vn_random_tt(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype)
{
    return random_cores("random_tt", key, shape, ranks, 1, dtype);
}

/* ranks: that where the ring is closed first, then those between the axes; or one for all */
vn_tree *vn_random_tr(vn_array *key, vn_shape shape, vn_shape ranks, vn_dtype dtype)
{
    static const char who[] = "random_tr";
    if (!take_ranks(who, &ranks, vn__max(shape.rank, 1))) return NULL;
    vn_shape between = {.rank = ranks.rank - 1};
    for (int k = 0; k < between.rank; k++) between.dim[k] = ranks.dim[k + 1];
    return random_cores(who, key, shape, between, ranks.dim[0], dtype);
}

vn_tree *vn_random_parafac2(vn_array *key, vn_shape rows, int64_t columns, int64_t rank, vn_dtype dtype)
{
    static const char who[] = "random_parafac2";
    source from;
    VN_SCOPE;
    vn_shape ranks = VN_SHAPE(rank);
    if (!take_rank(who, rank) || !begin(who, key, rows, dtype, rows.rank + 3, &from) || !take_ranks(who, &ranks, rows.rank) ||
        !fit(who, rows, ranks, 1))
        return NULL;
    if (columns < 1) return vn__fail(VN_E_ARG, "%s: %lld columns; 1 or more are needed", who, (long long)columns), NULL;
    const int64_t sizes[] = {rows.rank, rank, columns};
    vn_tree *z = vn_tree_of("weights", vn_ones(VN_SHAPE(rank), dtype), NULL);
    for (int k = 0; k < 3 && z; k++)
        if (put(z, "factors/", k, uniform(&from, VN_SHAPE(sizes[k], rank)))) return NULL;
    for (int k = 0; k < rows.rank && z; k++)
        if (put(z, "projections/", k, matrix(&from, rows.dim[k], rank, 1))) return NULL;
    return z ? vn_tree_pass(z) : NULL;
}
