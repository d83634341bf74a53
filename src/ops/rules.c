/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c: shape and dtype rules, named in ops.def. A rule reads the inputs, normalises the options in place (axes sorted, -1
 * resolved) and determines the result's shape and dtype, or sets an error that names op, argument, shapes, dtypes and
 * engine. */
/* compiled for speed */
#include "ops/row.h"
#include "core/dtype.h"

/* ---- dtypes ---- */

/* The dtypes that the op takes, in words. */
static const char *wanted(const vn__infer *i)
{
    const uint32_t mask = i->op->info.dtypes;
    return mask == VN_FLOATS     ? "a float dtype"
           : mask == VN_INEXACT  ? "a float or complex dtype"
           : mask == VN_INTS     ? "an integer dtype"
           : mask == VN_UNSIGNED ? "an unsigned integer dtype"
           : mask & VN_COMPLEX   ? "an integer, float or complex dtype"
           : mask & VN_FLOATS    ? "an integer or float dtype"
                                 : "bool or an integer dtype";
}

int vn__rule_accept(vn__infer *i, int dtype)
{
    if (vn__is(dtype, i->op->info.dtypes)) return VN_OK;
    FAIL(VN_E_DTYPE, "%s is %s, %s is needed (%s)", i->op->info.inputs[0], dtype_text(dtype), wanted(i), i->engine);
}

int vn__rule_dtype(vn__infer *i, int option)
{
    const int64_t d = i->options->v[option].u.i;
    if (!vn__is_dtype(d)) return vn__refuse_dtype(i->op->info.name, d);
    i->dtype = (int)d;
    if (vn__is(i->dtype, i->op->info.dtypes)) return VN_OK;
    FAIL(VN_E_DTYPE, "the result cannot be %s, %s is needed (%s)", dtype_text(i->dtype), wanted(i), i->engine);
}

int dtype_same(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    return vn__rule_accept(i, i->dtype);
}

static int no_common_dtype(vn__infer *i, int a, int b)
{
    FAIL(VN_E_DTYPE, "%s and %s have no common dtype; cast one of them (%s)", dtype_text(a), dtype_text(b), i->engine);
}

int vn__rule_promote(vn__infer *i, int from, int n)
{
    int common = VN_NO_DTYPE;
    uint32_t weak = 0;
    for (int k = from; k < n; k++) {
        if (!i->in[k]) continue;
        int d = i->in[k]->dtype;
        if (i->in[k]->flags & VN__WEAK) {
            weak |= VN_BIT(d);
            continue;
        }
        int p = !common || common == d ? d : vn__promote(common, d);
        if (!p) return no_common_dtype(i, common, d);
        common = p;
    }
    i->dtype = weak ? vn__promote_weak(common, weak) : common;
    for (int k = from; k < n; k++) i->want[k] = i->dtype;
    return VN_OK;
}

int dtype_promote(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, i->n);
    return code ? code : vn__rule_accept(i, i->dtype);
}

/* A test of x: bool. */
int dtype_bool(vn__infer *i)
{
    i->dtype = VN_BOOL;
    return vn__rule_accept(i, i->in[0]->dtype);
}

/* A comparison of x and y, in a common dtype. */
int dtype_compare(vn__infer *i)
{
    int code = dtype_promote(i);
    i->dtype = VN_BOOL;
    return code;
}

/* Logic on the truth of each input, whatever its dtype. */
int dtype_logical(vn__infer *i)
{
    i->dtype = VN_BOOL;
    return VN_OK;
}

int dtype_where(vn__infer *i)
{
    i->want[0] = VN_BOOL;
    return vn__rule_promote(i, 1, 3);
}

int dtype_sum(vn__infer *i)
{
    int d = i->in[0]->dtype;
    i->dtype = vn__is(d, VN_INEXACT) ? d : vn__is(d, VN_UNSIGNED) ? VN_U64 : VN_I64;
    return vn__rule_accept(i, d);
}

int dtype_option(vn__infer *i)
{
    int64_t d = i->options->v[OPT_CAST_DTYPE].u.i;
    if (!vn__is_dtype(d)) return vn__refuse_dtype(i->op->info.name, d);
    i->dtype = (int)d;
    int from = i->in[0]->dtype;
    if (vn__is(from, VN_COMPLEX) && !vn__is(i->dtype, VN_COMPLEX))
        FAIL(VN_E_DTYPE, "x is %s, which is not cast to %s; take vn_real, vn_imag or vn_abs of it (%s)", dtype_text(from),
             dtype_text(i->dtype), i->engine);
    if (i->in[0]->op == VN__NODE_SCALAR && vn__is(i->dtype, VN_INEXACT)) i->want[0] = i->dtype; /* a weak number keeps all its digits */
    return vn__rule_accept(i, i->in[0]->dtype);
}

/* Arrays, then the start: an int64 vector. */
int dtype_start(vn__infer *i)
{
    int last = i->n - 1, d = i->in[last]->dtype;
    if (!vn__is(d, VN_INTS) || d == VN_U64)
        FAIL(VN_E_DTYPE, "start is %s, an integer dtype that fits into int64 is needed (%s)", dtype_text(d), i->engine);
    i->want[last] = VN_I64;
    i->dtype = i->in[0]->dtype;
    for (int k = 1; k < last; k++) {
        if (!(i->in[k]->flags & VN__WEAK) && i->in[k]->dtype != i->dtype)
            FAIL(VN_E_DTYPE, "%s is %s but x is %s; cast it (%s)", i->op->info.inputs[k], dtype_text(i->in[k]->dtype), dtype_text(i->dtype),
                 i->engine);
        i->want[k] = i->dtype;
    }
    return vn__rule_accept(i, i->dtype);
}

/* ---- shapes ---- */

void vn__rule_result_at(vn__infer *i, int k, int rank, const int64_t *dims)
{
    *(k ? &i->forms[k - 1].rank : &i->rank) = rank;
    if (rank) memcpy(k ? i->forms[k - 1].dims : i->dims, dims, (size_t)rank * sizeof *dims); /* a number has no dims */
}

void vn__rule_result(vn__infer *i, int rank, const int64_t *dims)
{
    vn__rule_result_at(i, 0, rank, dims);
}

int shape_same(vn__infer *i)
{
    vn__rule_result(i, i->in[0]->rank, vn__node_dims(i->in[0]));
    return VN_OK;
}

int vn__rule_like_first(vn__infer *i, int k)
{
    const vn__node *x = i->in[0], *y = i->in[k];
    char s[128], t[128];
    if (y->rank == x->rank && !memcmp(vn__node_dims(y), vn__node_dims(x), (size_t)x->rank * sizeof(int64_t))) return VN_OK;
    FAIL(VN_E_SHAPE, "%s has shape %s, that of %s is needed, %s (%s)", i->op->info.inputs[k], shape_text(y, s), i->op->info.inputs[0],
         shape_text(x, t), i->engine);
}

/* All inputs have one shape, and so has the result. */
int shape_alike(vn__infer *i)
{
    for (int k = 1; k < i->n; k++) {
        int code = vn__rule_like_first(i, k);
        if (code) return code;
    }
    return shape_same(i);
}

static int no_broadcast(vn__infer *i, int64_t da, int64_t db)
{
    char s[128], t[128];
    const vn__node *y = i->in[1] ? i->in[1] : i->in[i->n - 1]; /* the second may be absent */
    FAIL(VN_E_SHAPE, "shapes %s and %s do not broadcast, sizes %lld and %lld differ (%s)", shape_text(i->in[0], s), shape_text(y, t),
         (long long)da, (long long)db, i->engine);
}

int vn__rule_broadcast(vn__infer *i, int ra, const int64_t *a, int rb, const int64_t *b)
{
    int rank = vn__max(ra, rb), before_a = rank - ra, before_b = rank - rb;
    i->rank = rank;
    for (int k = 0; k < rank; k++) {
        int64_t da = k < before_a ? 1 : a[k - before_a], db = k < before_b ? 1 : b[k - before_b];
        if (da != db && da != 1 && db != 1) return no_broadcast(i, da, db);
        i->dims[k] = da == 1 ? db : da;
    }
    return VN_OK;
}

int shape_broadcast(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    return vn__rule_broadcast(i, x->rank, vn__node_dims(x), y->rank, vn__node_dims(y));
}

/* All inputs that there are broadcast. */
static int broadcast_all(vn__infer *i)
{
    int code = shape_same(i);
    for (int k = 1; k < i->n && !code; k++) {
        int64_t dims[VN_MAX_RANK];
        if (!i->in[k]) continue;
        memcpy(dims, i->dims, sizeof dims);
        code = vn__rule_broadcast(i, i->rank, dims, i->in[k]->rank, vn__node_dims(i->in[k]));
    }
    return code;
}

int shape_where(vn__infer *i)
{
    return broadcast_all(i);
}
int shape_clip(vn__infer *i)
{
    return broadcast_all(i);
}

/* Array API: vectors get an axis, which is removed again. */
int shape_matmul(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    const int64_t *dx = vn__node_dims(x), *dy = vn__node_dims(y);
    char s[128], t[128];
    if (!x->rank || !y->rank)
        FAIL(VN_E_SHAPE, "needs at least one axis on each side (x %s, y %s, %s)", shape_text(x, s), shape_text(y, t), i->engine);
    int64_t inner = dx[x->rank - 1], other = dy[y->rank > 1 ? y->rank - 2 : 0];
    if (inner != other)
        FAIL(VN_E_SHAPE, "inner sizes %lld and %lld differ (x %s, y %s, %s)", (long long)inner, (long long)other, shape_text(x, s),
             shape_text(y, t), i->engine);
    int code = vn__rule_broadcast(i, x->rank > 1 ? x->rank - 2 : 0, dx, y->rank > 1 ? y->rank - 2 : 0, dy);
    if (code) return code;
    if (x->rank > 1) i->dims[i->rank++] = dx[x->rank - 2];
    if (y->rank > 1) i->dims[i->rank++] = dy[y->rank - 1];
    return VN_OK;
}

int vn__rule_axes(vn__infer *i, int rank, int32_t *n, int64_t *axes)
{
    bool seen[VN_MAX_RANK] = {false};
    if (*n > VN_MAX_RANK) FAIL(VN_E_ARG, "more than %d axes", VN_MAX_RANK);
    if (*n == VN__ALL_AXES) memset(seen, 1, sizeof seen);
    for (int k = 0; k < *n; k++) {
        int64_t a = axes[k] < 0 ? axes[k] + rank : axes[k];
        if (a < 0 || a >= rank) FAIL(VN_E_ARG, "axis %lld is outside the rank %d of x (%s)", (long long)axes[k], rank, i->engine);
        if (seen[a]) FAIL(VN_E_ARG, "axis %lld is given twice (%s)", (long long)axes[k], i->engine);
        seen[a] = true;
    }
    *n = 0;
    for (int a = 0; a < rank; a++) {
        if (seen[a]) axes[(*n)++] = a;
    }
    return VN_OK;
}

int shape_reduce(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int code = vn__rule_axes(i, x->rank, &i->options->v[OPT_SUM_AXES].n, i->options->v[OPT_SUM_AXES].is);
    if (code) return code;
    const int64_t *keep = &i->options->v[OPT_SUM_KEEPDIMS].u.i;
    i->rank = 0;
    for (int a = 0, k = 0; a < x->rank; a++) {
        bool reduced = k < i->options->v[OPT_SUM_AXES].n && i->options->v[OPT_SUM_AXES].is[k] == a;
        k += reduced;
        if (!reduced) i->dims[i->rank++] = vn__node_dims(x)[a];
        else if (*keep) i->dims[i->rank++] = 1;
    }
    return VN_OK;
}

/* max and min of no elements do not exist. */
int shape_extreme(vn__infer *i)
{
    int code = shape_reduce(i);
    const vn__node *x = i->in[0];
    char s[128];
    for (int k = 0; !code && k < i->options->v[OPT_MAX_AXES].n; k++) {
        if (!vn__node_dims(x)[i->options->v[OPT_MAX_AXES].is[k]])
            FAIL(VN_E_SHAPE, "axis %lld of %s is empty (%s)", (long long)i->options->v[OPT_MAX_AXES].is[k], shape_text(x, s), i->engine);
    }
    return code;
}

int vn__rule_axis(vn__infer *i, int option, int rank)
{
    int64_t *a = &i->options->v[option].u.i;
    if (*a < -rank || *a >= rank) FAIL(VN_E_ARG, "axis %lld is outside the rank %d of x (%s)", (long long)*a, rank, i->engine);
    if (*a < 0) *a += rank;
    return VN_OK;
}

int shape_axis(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_CUMULATIVE_SUM_AXIS, i->in[0]->rank);
    return code ? code : shape_same(i);
}

int shape_cumulative(vn__infer *i)
{
    const int code = shape_axis(i);
    char s[128];
    if (code || !i->options->v[OPT_CUMULATIVE_SUM_INCLUDE_INITIAL].u.i) return code;
    int64_t *n = &i->dims[i->options->v[OPT_CUMULATIVE_SUM_AXIS].u.i];
    if (*n == INT64_MAX) FAIL(VN_E_SHAPE, "x %s has no room for another element (%s)", shape_text(i->in[0], s), i->engine);
    ++*n;
    return VN_OK;
}

int shape_flip(vn__infer *i)
{
    int code = vn__rule_axes(i, i->in[0]->rank, &i->options->v[OPT_FLIP_AXES].n, i->options->v[OPT_FLIP_AXES].is);
    return code ? code : shape_same(i);
}

int shape_expand_dims(vn__infer *i)
{
    const vn__node *x = i->in[0];
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d already (%s)", VN_MAX_RANK, i->engine);
    int code = vn__rule_axis(i, OPT_EXPAND_DIMS_AXIS, x->rank + 1);
    if (code) return code;
    int64_t at = i->options->v[OPT_EXPAND_DIMS_AXIS].u.i;
    i->rank = x->rank + 1;
    for (int k = 0; k < i->rank; k++) i->dims[k] = k == at ? 1 : vn__node_dims(x)[k < at ? k : k - 1];
    return VN_OK;
}

int shape_squeeze(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int code = vn__rule_axes(i, x->rank, &i->options->v[OPT_SQUEEZE_AXES].n, i->options->v[OPT_SQUEEZE_AXES].is);
    if (code) return code;
    i->rank = 0;
    for (int a = 0, k = 0; a < x->rank; a++) {
        int64_t d = vn__node_dims(x)[a];
        bool named = k < i->options->v[OPT_SQUEEZE_AXES].n && i->options->v[OPT_SQUEEZE_AXES].is[k] == a;
        k += named;
        if (named && d != 1) FAIL(VN_E_SHAPE, "axis %d has size %lld, not 1 (%s)", a, (long long)d, i->engine);
        if (!named) i->dims[i->rank++] = d;
    }
    return VN_OK;
}

int shape_reshape(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int n = i->options->v[OPT_RESHAPE_SHAPE].n, open = -1;
    int64_t *d = i->options->v[OPT_RESHAPE_SHAPE].is, known = 1;
    char s[128], t[128];
    if (n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    for (int k = 0; k < n; k++) {
        if (d[k] == -1 && open >= 0) FAIL(VN_E_SHAPE, "only one size may be -1 (to %s)", vn__shape_text(n, d, s));
        if (d[k] < -1) FAIL(VN_E_SHAPE, "size %lld of axis %d is negative", (long long)d[k], k);
        if (d[k] == -1) open = k;
        else if (__builtin_mul_overflow(known, d[k], &known)) FAIL(VN_E_SHAPE, "shape %s is too large to address", vn__shape_text(n, d, s));
    }
    if (open >= 0 && known && x->count % known == 0) d[open] = x->count / known, known = x->count;
    if (known != x->count || (open >= 0 && d[open] < 0))
        FAIL(VN_E_SHAPE, "%lld elements of %s do not make %s (%s)", (long long)x->count, shape_text(x, s), vn__shape_text(n, d, t),
             i->engine);
    vn__rule_result(i, n, d);
    return VN_OK;
}

int vn__rule_reaches(vn__infer *i, const vn__node *x, int n, const int64_t *d)
{
    char s[128], t[128];
    if (n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    for (int k = 0; k < x->rank; k++) {
        int64_t from = vn__node_dims(x)[k];
        if (n < x->rank || (from != d[n - x->rank + k] && from != 1))
            FAIL(VN_E_SHAPE, "%s does not broadcast to %s (%s)", shape_text(x, s), vn__shape_text(n, d, t), i->engine);
    }
    return VN_OK;
}

int shape_broadcast_to(vn__infer *i)
{
    int n = i->options->v[OPT_BROADCAST_TO_SHAPE].n, code = vn__rule_reaches(i, i->in[0], n, i->options->v[OPT_BROADCAST_TO_SHAPE].is);
    if (!code) vn__rule_result(i, n, i->options->v[OPT_BROADCAST_TO_SHAPE].is);
    return code;
}

int shape_permute_dims(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t *order = i->options->v[OPT_PERMUTE_DIMS_AXES].is, sorted[VN_MAX_RANK];
    int32_t n = i->options->v[OPT_PERMUTE_DIMS_AXES].n;
    if (n == VN__ALL_AXES || n != x->rank) FAIL(VN_E_ARG, "%d axes given for rank %d (%s)", n, x->rank, i->engine);
    memcpy(sorted, order, sizeof sorted);
    int code = vn__rule_axes(i, x->rank, &n, sorted);
    if (code) return code;
    i->rank = x->rank;
    for (int k = 0; k < x->rank; k++) {
        if (order[k] < 0) order[k] += x->rank;
        i->dims[k] = vn__node_dims(x)[order[k]];
    }
    return VN_OK;
}

static int check_start(vn__infer *i, const vn__node *start)
{
    char s[128];
    if (start->rank != 1 || start->count != i->in[0]->rank)
        FAIL(VN_E_SHAPE, "start has shape %s, one number per axis of x is needed: %d (%s)", shape_text(start, s), i->in[0]->rank,
             i->engine);
    return VN_OK;
}

static int fits(vn__infer *i, const vn__node *x, int n, const int64_t *d)
{
    char s[128], t[128];
    bool ok = n == x->rank;
    for (int k = 0; ok && k < n; k++) ok = d[k] >= 0 && d[k] <= vn__node_dims(x)[k];
    if (!ok)
        FAIL(VN_E_SHAPE, "a block of %s does not fit into x %s (%s)", vn__shape_text(vn__min(n, VN_MAX_RANK), d, s), shape_text(x, t),
             i->engine);
    return VN_OK;
}

int shape_slice(vn__infer *i)
{
    int n = i->options->v[OPT_SLICE_SIZE].n, code = check_start(i, i->in[1]);
    if (!code) code = fits(i, i->in[0], n, i->options->v[OPT_SLICE_SIZE].is);
    if (!code) vn__rule_result(i, n, i->options->v[OPT_SLICE_SIZE].is);
    return code;
}

int shape_slice_set(vn__infer *i)
{
    int code = check_start(i, i->in[2]);
    if (!code) code = fits(i, i->in[0], i->in[1]->rank, vn__node_dims(i->in[1]));
    return code ? code : shape_same(i);
}
