/* SPDX-License-Identifier: Apache-2.0 */
/* products.c: outer, vecdot, tensordot, kron and cumulative products. */
#include "ops/row.h"
#include "core/dtype.h"

/* Integers keep their promoted dtype, half precision accumulates in float32. */
static vn_array *sum_products(vn_array *x, vn_array *y, const vn__infer *i, vn_axes axes)
{
    return vn__narrow(vn_sum(vn_mul(vn__widen(vn__narrow(x, i)), vn__widen(vn__narrow(y, i))), axes), i);
}

int shape_outer(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    char s[128], t[128];
    if (x->rank != 1 || y->rank != 1)
        FAIL(VN_E_SHAPE, "x is %s and y is %s, two vectors are needed (%s)", shape_text(x, s), shape_text(y, t), i->engine);
    vn__rule_result(i, 2, (int64_t[]){x->count, y->count});
    return VN_OK;
}

vn_array *compose_outer(vn_array *const *in, const vn__infer *i)
{
    return vn_mul(vn_reshape(in[0], VN_SHAPE(i->dims[0], 1)), in[1]);
}

int shape_vecdot(vn__infer *i)
{
    const vn__node *x = i->in[0], *y = i->in[1];
    int64_t axis = i->options->v[OPT_VECDOT_AXIS].u.i;
    int low = vn__min(x->rank, y->rank), high = vn__max(x->rank, y->rank);
    char s[128], t[128];
    if (axis < -low || axis >= (low == high ? low : 0))
        FAIL(VN_E_ARG, "x %s and y %s have no axis %lld in common (%s)", shape_text(x, s), shape_text(y, t), (long long)axis, i->engine);
    if (axis < 0) axis += high;
    i->options->v[OPT_VECDOT_AXIS].u.i = axis;
    int64_t a = vn__node_dims(x)[axis - high + x->rank], b = vn__node_dims(y)[axis - high + y->rank];
    if (a != b)
        FAIL(VN_E_SHAPE, "sizes %lld and %lld of the axis differ (x %s, y %s, %s)", (long long)a, (long long)b, shape_text(x, s),
             shape_text(y, t), i->engine);
    int code = shape_broadcast(i);
    if (code) return code;
    i->rank--;
    memmove(i->dims + axis, i->dims + axis + 1, (size_t)(i->rank - axis) * sizeof *i->dims);
    return VN_OK;
}

vn_array *compose_vecdot(vn_array *const *in, const vn__infer *i)
{
    return sum_products(vn__conjugate(in[0]), in[1], i, VN_AXES(i->options->v[OPT_VECDOT_AXIS].u.i));
}

/* ---- tensordot ---- */

/* The axes of one operand in matrix product order: contracted axes last or first. */
typedef struct {
    vn_axes order;
    int64_t kept, summed; /* elements */
} side;

static side arrange(const vn_array *x, const int64_t *axes, int n, bool sums_first)
{
    side s = {.order = {.n = vn_rank(x)}, .kept = 1, .summed = 1};
    bool summed[VN_MAX_RANK] = {false};
    int at = sums_first ? n : 0;
    for (int k = 0; k < n; k++) {
        summed[axes[k]] = true;
        s.summed *= vn_dim(x, (int)axes[k]);
        s.order.axis[sums_first ? k : s.order.n - n + k] = axes[k];
    }
    for (int k = 0; k < s.order.n; k++) {
        if (summed[k]) continue;
        s.order.axis[at++] = k;
        s.kept *= vn_dim(x, k);
    }
    return s;
}

/* Normalises one list of axes without changing its order; VN_ALL is all of them. */
static int check_summed(vn__infer *i, int option)
{
    const vn__node *x = i->in[option];
    int64_t *axes = i->options->v[option].is;
    int32_t *n = &i->options->v[option].n;
    bool seen[VN_MAX_RANK] = {false};
    char s[128];
    if (*n == VN__ALL_AXES) {
        for (*n = 0; *n < x->rank; ++*n) axes[*n] = *n;
    }
    if (*n < 0 || *n > VN_MAX_RANK) FAIL(VN_E_ARG, "%s has %d axes (%s)", i->op->info.options[option].name, *n, i->engine);
    for (int k = 0; k < *n; k++) {
        int64_t a = axes[k] < 0 ? axes[k] + x->rank : axes[k];
        if (a < 0 || a >= x->rank || seen[a])
            FAIL(VN_E_ARG, "axis %lld of %s is outside %s or given twice (%s)", (long long)axes[k], i->op->info.options[option].name,
                 shape_text(x, s), i->engine);
        seen[axes[k] = a] = true;
    }
    for (int a = 0; a < x->rank; a++) {
        if (!seen[a] && i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "the result has a rank above %d (%s)", VN_MAX_RANK, i->engine);
        if (!seen[a]) i->dims[i->rank++] = vn__node_dims(x)[a];
    }
    return VN_OK;
}

int shape_tensordot(vn__infer *i)
{
    i->rank = 0;
    int code = check_summed(i, OPT_TENSORDOT_X_AXES);
    if (!code) code = check_summed(i, OPT_TENSORDOT_Y_AXES);
    if (code) return code;
    int n = i->options->v[OPT_TENSORDOT_X_AXES].n;
    char s[128], t[128];
    if (n != i->options->v[OPT_TENSORDOT_Y_AXES].n)
        FAIL(VN_E_ARG, "%d axes of x and %d of y given (%s)", n, i->options->v[OPT_TENSORDOT_Y_AXES].n, i->engine);
    for (int k = 0; k < n; k++) {
        int64_t a = i->options->v[OPT_TENSORDOT_X_AXES].is[k], b = i->options->v[OPT_TENSORDOT_Y_AXES].is[k];
        if (vn__node_dims(i->in[0])[a] != vn__node_dims(i->in[1])[b])
            FAIL(VN_E_SHAPE, "axis %lld of x %s and axis %lld of y %s differ in size (%s)", (long long)a, shape_text(i->in[0], s),
                 (long long)b, shape_text(i->in[1], t), i->engine);
    }
    return VN_OK;
}

vn_array *compose_tensordot(vn_array *const *in, const vn__infer *i)
{
    int n = i->options->v[OPT_TENSORDOT_X_AXES].n;
    side a = arrange(in[0], i->options->v[OPT_TENSORDOT_X_AXES].is, n, false),
         b = arrange(in[1], i->options->v[OPT_TENSORDOT_Y_AXES].is, n, true);
    vn_array *x = vn_reshape(vn_permute_dims(vn__narrow(in[0], i), a.order), VN_SHAPE(a.kept, a.summed));
    vn_array *y = vn_reshape(vn_permute_dims(vn__narrow(in[1], i), b.order), VN_SHAPE(b.summed, b.kept));
    return vn_reshape(n ? vn_matmul(x, y) : vn_mul(x, y), vn__result_shape(i));
}

/* ---- kron ---- */

/* The alternating axes of x and y; an axis of size 1 in one of them needs no pair. Returns their number. */
static int interleave(vn_shape a, vn_shape b, int64_t x[static 2 * VN_MAX_RANK], int64_t y[static 2 * VN_MAX_RANK])
{
    int rank = vn__max(a.rank, b.rank), n = 0;
    for (int k = 0; k < rank; k++) {
        int64_t da = k < rank - a.rank ? 1 : a.dim[k - rank + a.rank], db = k < rank - b.rank ? 1 : b.dim[k - rank + b.rank];
        bool pair = da != 1 && db != 1;
        x[n] = da;
        y[n++] = pair ? 1 : db;
        if (pair) x[n] = 1, y[n++] = db;
    }
    return n;
}

static vn_shape shape_of_node(const vn__node *n)
{
    return vn__shape(vn__node_dims(n), n->rank);
}

int shape_kron(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    int64_t x[2 * VN_MAX_RANK], y[2 * VN_MAX_RANK];
    char s[128], t[128];
    if (interleave(shape_of_node(a), shape_of_node(b), x, y) > VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "%s and %s have too many axes longer than 1 (%s)", shape_text(a, s), shape_text(b, t), i->engine);
    i->rank = vn__max(a->rank, b->rank);
    for (int k = 0; k < i->rank; k++) {
        int ka = k - i->rank + a->rank, kb = k - i->rank + b->rank;
        if (__builtin_mul_overflow(ka < 0 ? 1 : vn__node_dims(a)[ka], kb < 0 ? 1 : vn__node_dims(b)[kb], &i->dims[k]))
            FAIL(VN_E_SHAPE, "axis %d of %s and %s gets too large to address (%s)", k, shape_text(a, s), shape_text(b, t), i->engine);
    }
    return VN_OK;
}

vn_array *compose_kron(vn_array *const *in, const vn__infer *i)
{
    int64_t x[2 * VN_MAX_RANK], y[2 * VN_MAX_RANK];
    int n = interleave(vn_shape_of(in[0]), vn_shape_of(in[1]), x, y);
    bool floats = vn__is(i->dtype, VN_FLOATS); /* a weak number then keeps all its digits */
    vn_array *a = floats ? vn__narrow(in[0], i) : in[0], *b = floats ? vn__narrow(in[1], i) : in[1];
    return vn_reshape(vn_mul(vn_reshape(a, vn__shape(x, (size_t)n)), vn_reshape(b, vn__shape(y, (size_t)n))), vn__result_shape(i));
}

/* ---- cumulative products ---- */

/* Products of 1, 2, 4 ... neighbours: only products, so gradients of every order are right, even at zeros. Floats are multiplied in
 * float64 and rounded once, as in cumulative sums. */
/* x with one more element along an axis, 0 or 1, before the others; behind them when reverse. */
static vn_array *with_initial(vn_array *x, int axis, double value, bool reverse)
{
    vn_shape one = vn_shape_of(x);
    one.dim[axis] = 1;
    vn_array *first = vn_broadcast_to(vn__number(x, value), one);
    return vn_concat(2, reverse ? (vn_array *[]){x, first} : (vn_array *[]){first, x}, axis);
}

vn_array *compose_cumulative_sum(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_CUMULATIVE_SUM_AXIS].u.i;
    const int reverse = i->options->v[OPT_CUMULATIVE_SUM_REVERSE].u.i != 0;
    if (!i->options->v[OPT_CUMULATIVE_SUM_INCLUDE_INITIAL].u.i) return VN__AS_IS;
    vn_array *z = vn_cumulative_sum(in[0], axis, VN_OPTS(cumulative_sum, .reverse = reverse));
    return z ? with_initial(z, axis, 0, reverse) : NULL;
}

vn_array *compose_cumulative_prod(vn_array *const *in, const vn__infer *i)
{
    int axis = (int)i->options->v[OPT_CUMULATIVE_PROD_AXIS].u.i;
    bool reverse = i->options->v[OPT_CUMULATIVE_PROD_REVERSE].u.i != 0;
    vn_dtype inner = vn__is(i->dtype, VN_FLOATS) ? VN_F64 : vn__is(i->dtype, VN_COMPLEX) ? VN_C128 : (vn_dtype)i->dtype;
    vn_array *x = vn_cast(in[0], inner);
    int64_t n = vn_dim(in[0], axis);
    if (reverse) x = vn_flip(x, VN_AXES(axis));
    for (int64_t step = 1; step < n && x; step *= 2) {
        vn_array *more = vn_mul(vn__piece(x, axis, step, n - step), vn__piece(x, axis, 0, n - step));
        x = vn_concat(2, (vn_array *[]){vn__piece(x, axis, 0, step), more}, axis);
    }
    if (reverse) x = vn_flip(x, VN_AXES(axis));
    if (x && i->options->v[OPT_CUMULATIVE_PROD_INCLUDE_INITIAL].u.i) x = with_initial(x, axis, 1, reverse);
    return vn_reshape(vn__narrow(x, i), vn__result_shape(i));
}
