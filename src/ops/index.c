/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: reading and writing at positions given by an array. take, index_add and index_set have kernels; other ops
 * compute positions in the flattened array and use them. Positions below 0 count from the end. Out of range, reads give NaN (0 where
 * the dtype has none) and writes do nothing. */
#include "ops/index.h"
#include "core/dtype.h"
#include "core/memory.h"

/* ---- rules ---- */

int vn__rule_index(vn__infer *i, int k)
{
    int d = i->in[k]->dtype;
    if (!vn__is(d, VN_INTS)) FAIL(VN_E_DTYPE, "%s is %s, an integer dtype is needed (%s)", i->op->info.inputs[k], dtype_text(d), i->engine);
    i->want[k] = VN_I64;
    return VN_OK;
}

/* x, index, and optionally y of x's dtype. */
int dtype_indexed(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    int code = vn__rule_accept(i, i->dtype);
    if (!code) code = vn__rule_index(i, 1);
    if (code || i->n < 3) return code;
    if (!(i->in[2]->flags & VN__WEAK) && i->in[2]->dtype != i->dtype)
        FAIL(VN_E_DTYPE, "y is %s but x is %s; cast it (%s)", dtype_text(i->in[2]->dtype), dtype_text(i->dtype), i->engine);
    i->want[2] = i->dtype;
    return VN_OK;
}

int dtype_one_hot(vn__infer *i)
{
    int64_t d = i->options->v[OPT_ONE_HOT_DTYPE].u.i;
    if (!vn__is_dtype(d)) return vn__refuse_dtype(i->op->info.name, d);
    if (!vn__is((int)d, i->op->info.dtypes))
        FAIL(VN_E_DTYPE, "the result cannot be %s; bool, an integer or a float dtype is needed (%s)", dtype_text((int)d), i->engine);
    i->dtype = (int)d;
    return vn__rule_index(i, 0);
}

/* Counts are int64, sums of weights have their dtype. */
int dtype_bincount(vn__infer *i)
{
    const vn__node *weights = i->n > 1 ? i->in[1] : NULL;
    i->dtype = weights ? weights->dtype : VN_I64;
    if (weights && !vn__is(i->dtype, VN_NUMERIC))
        FAIL(VN_E_DTYPE, "weights is %s, an integer, float or complex dtype is needed (%s)", dtype_text(i->dtype), i->engine);
    return vn__rule_index(i, 0);
}

int shape_bincount(vn__infer *i)
{
    int code = shape_sized(i);
    const bool weighted = i->n > 1 && i->in[1];
    i->in_pieces = weighted || i->options->v[OPT_BINCOUNT_GROW].u.i; /* kernels know neither */
    return code || !weighted ? code : vn__rule_like_first(i, 1);
}

/* y, input 2, must broadcast to these dims. */
static int y_reaches(vn__infer *i, int rank, const int64_t *dims)
{
    const vn__node *y = i->in[2];
    char s[128], t[128];
    bool fits = y->rank <= rank;
    for (int k = 0; fits && k < y->rank; k++) {
        int64_t d = vn__node_dims(y)[k];
        fits = d == 1 || d == dims[rank - y->rank + k];
    }
    if (!fits)
        FAIL(VN_E_SHAPE, "y %s does not broadcast to the indexed part of x, %s (%s)", shape_text(y, s), vn__shape_text(rank, dims, t),
             i->engine);
    return VN_OK;
}

/* The first `before` axes of x, the first `of_index` of the index, the axes of x from `after` on: into i->dims. */
static int spliced(vn__infer *i, int before, int of_index, int after)
{
    const vn__node *x = i->in[0], *index = i->in[1];
    char s[128], t[128];
    i->rank = before + of_index + x->rank - after;
    if (i->rank > VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "x %s indexed by %s has rank %d, at most %d is allowed (%s)", shape_text(x, s), shape_text(index, t), i->rank,
             VN_MAX_RANK, i->engine);
    int n = 0;
    for (int k = 0; k < before; k++) i->dims[n++] = vn__node_dims(x)[k];
    for (int k = 0; k < of_index; k++) i->dims[n++] = vn__node_dims(index)[k];
    for (int k = after; k < x->rank; k++) i->dims[n++] = vn__node_dims(x)[k];
    return VN_OK;
}

/* The index, input 1, points into the axis of x that is the first option. */
static int within_axis(vn__infer *i)
{
    return vn__rule_within(
        i, 1, (vn__bounds){vn__node_dims(i->in[0]) + i->options->v[OPT_TAKE_AXIS].u.i, 1, true, NULL, "entries along the axis"});
}

int shape_take(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_TAKE_AXIS, i->in[0]->rank), axis = (int)i->options->v[OPT_TAKE_AXIS].u.i;
    if (!code) code = within_axis(i);
    return code ? code : spliced(i, axis, i->in[1]->rank, axis + 1);
}

int shape_index_put(vn__infer *i)
{
    int code = shape_take(i);
    if (!code) code = y_reaches(i, i->rank, i->dims);
    return code ? code : shape_same(i);
}

/* x and index of the same rank, broadcast outside the axis; along it the sizes are the index's own. Into i->dims. */
static int broadcast_outside(vn__infer *i)
{
    const vn__node *x = i->in[0], *index = i->in[1];
    int64_t dims[VN_MAX_RANK], axis;
    char s[128], t[128];
    int code = vn__rule_axis(i, OPT_TAKE_ALONG_AXIS_AXIS, x->rank);
    if (code) return code;
    if (index->rank != x->rank)
        FAIL(VN_E_SHAPE, "index has shape %s, the rank of x %s is needed (%s)", shape_text(index, s), shape_text(x, t), i->engine);
    if ((code = within_axis(i))) return code;
    axis = i->options->v[OPT_TAKE_ALONG_AXIS_AXIS].u.i;
    memcpy(dims, vn__node_dims(x), (size_t)x->rank * sizeof *dims);
    dims[axis] = vn__node_dims(index)[axis];
    return vn__rule_broadcast(i, x->rank, dims, index->rank, vn__node_dims(index));
}

int shape_take_along_axis(vn__infer *i)
{
    return broadcast_outside(i);
}

int shape_put_along_axis(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128], t[128];
    int code = broadcast_outside(i);
    if (code) return code;
    for (int k = 0; k < x->rank; k++) {
        if (k != i->options->v[OPT_PUT_ALONG_AXIS_AXIS].u.i && i->dims[k] != vn__node_dims(x)[k])
            FAIL(VN_E_SHAPE, "index %s does not broadcast to x %s outside the axis (%s)", shape_text(i->in[1], s), shape_text(x, t),
                 i->engine);
    }
    code = y_reaches(i, i->rank, i->dims);
    return code ? code : shape_same(i);
}

/* The axes that positions belong to, and whether they are neighbours in order, which the index's axes replace. */
typedef struct {
    int n;
    int64_t axis[VN_MAX_RANK], size[VN_MAX_RANK];
    bool together;
} indexed;

/* Of the options after the rule has seen them. VN__ALL_AXES: the first n. */
static indexed indexed_axes(const vn__infer *i, int n, const int64_t *dims)
{
    const bool given = i->options->v[OPT_GATHER_ND_AXES].n != VN__ALL_AXES;
    indexed d = {.n = n, .together = true};
    for (int k = 0; k < n; k++) {
        d.axis[k] = given ? i->options->v[OPT_GATHER_ND_AXES].is[k] : k;
        d.size[k] = dims[d.axis[k]];
        d.together &= !k || d.axis[k] == d.axis[k - 1] + 1;
    }
    return d;
}

/* Makes the axes count from 0, each once, one for every position. */
static int check_axes(vn__infer *i, int n)
{
    const int rank = i->in[0]->rank, given = i->options->v[OPT_GATHER_ND_AXES].n;
    int64_t *axes = i->options->v[OPT_GATHER_ND_AXES].is;
    if (given == VN__ALL_AXES) return VN_OK;
    if (given != n) FAIL(VN_E_ARG, "%d axes are given, but the last axis of the index holds %d positions (%s)", given, n, i->engine);
    for (int k = 0; k < n; k++) {
        if (axes[k] < -rank || axes[k] >= rank)
            FAIL(VN_E_ARG, "axis %lld is outside the rank %d of x (%s)", (long long)axes[k], rank, i->engine);
        if (axes[k] < 0) axes[k] += rank;
        for (int j = 0; j < k; j++)
            if (axes[j] == axes[k]) FAIL(VN_E_ARG, "axis %lld is given twice (%s)", (long long)axes[k], i->engine);
    }
    return VN_OK;
}

/* The last axis of the index holds one position for each of some axes of x, which the other axes of the index replace. */
int shape_gather_nd(vn__infer *i)
{
    const vn__node *x = i->in[0], *index = i->in[1];
    char s[128], t[128];
    if (!index->rank || vn__node_dims(index)[index->rank - 1] > x->rank)
        FAIL(VN_E_SHAPE, "index has shape %s; its last axis holds positions into the axes of x %s, at most %d (%s)", shape_text(index, s),
             shape_text(x, t), x->rank, i->engine);
    const int n = (int)vn__node_dims(index)[index->rank - 1];
    int code = check_axes(i, n);
    if (code) return code;
    const indexed d = indexed_axes(i, n, vn__node_dims(x));
    code = n ? vn__rule_within(i, 1, (vn__bounds){d.size, n, true, NULL, "entries along the axis"}) : VN_OK;
    if (code || d.together) return code ? code : spliced(i, n ? (int)d.axis[0] : 0, index->rank - 1, n ? (int)d.axis[0] + n : 0);
    code = spliced(i, 0, index->rank - 1, n); /* the sizes of x's axes in their own order */
    for (int k = 0, at = index->rank - 1; k < x->rank && !code; k++) {
        bool taken = false;
        for (int j = 0; j < n; j++) taken |= d.axis[j] == k;
        if (!taken) i->dims[at++] = vn__node_dims(x)[k];
    }
    return code;
}

int shape_scatter_nd(vn__infer *i)
{
    int code = shape_gather_nd(i);
    if (!code) code = y_reaches(i, i->rank, i->dims);
    return code ? code : shape_same(i);
}

int vn__rule_size(vn__infer *i, int option)
{
    int64_t n = i->options->v[option].u.i;
    if (n < 0) FAIL(VN_E_ARG, "%s is %lld, it cannot be negative (%s)", i->op->info.options[option].name, (long long)n, i->engine);
    return VN_OK;
}

int shape_one_hot(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_ONE_HOT_SIZE);
    if (!code) code = vn__rule_within(i, 0, (vn__bounds){&i->options->v[OPT_ONE_HOT_SIZE].u.i, 1, false, NULL, "positions"});
    if (!code) code = shape_same(i);
    if (!code && i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "index has rank %d already (%s)", VN_MAX_RANK, i->engine);
    if (!code) i->dims[i->rank++] = i->options->v[OPT_ONE_HOT_SIZE].u.i;
    return code;
}

/* A vector whose size is the first option. */
int shape_sized(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_BINCOUNT_LENGTH);
    vn__rule_result(i, 1, &i->options->v[OPT_BINCOUNT_LENGTH].u.i);
    return code;
}

/* ---- helpers of gradients and compositions ---- */

vn_array *vn__filled(const vn_array *like, int64_t value, vn_shape shape)
{
    vn_array *one = vn__index(like, VN_SHAPE(value));
    return vn_broadcast_to(one ? vn_reshape(one, VN_0D) : NULL, shape);
}

vn_array *vn__positions(const vn_array *like, int64_t n)
{
    return vn_sub(vn_cumulative_sum(vn__filled(like, 1, VN_SHAPE(n)), 0, NULL), vn_scalar(1));
}

vn_array *vn__every(const vn_array *like, int64_t n, int64_t step)
{
    if (!like) return NULL; /* what should have made it has failed */
    int64_t *numbers = vn__alloc((size_t)n * sizeof *numbers);
    if (!numbers) return vn__no_memory("index"), NULL;
    for (int64_t k = 0; k < n; k++) numbers[k] = k * step;
    vn__node *z = vn__leaf_from(vn__node_of(like)->engine, VN_I64, 1, &n,
                                &(vn_host_memory){.data = numbers, .bytes = (size_t)n * sizeof *numbers}, "index");
    vn__free(numbers);
    return z ? vn__handle(z, "index") : NULL;
}

vn_array *vn__flat(vn_array *x)
{
    return vn_reshape(x, VN_SHAPE(vn_size(x)));
}

vn_array *vn__index_of(vn_array *index)
{
    vn_dtype d = vn_dtype_of(index);
    if (d == VN_U64) index = vn_minimum(index, vn_scalar(0x1p62)); /* values above int64 are out of range, not negative */
    return d == VN_I64 ? index : vn_cast(index, VN_I64);
}

vn_array *vn__settled(vn_array *y, const vn_array *like)
{
    const vn__node *n = y ? vn__node_of(y) : NULL, *of = vn__node_of(like);
    if (!y || !(n->flags & VN__WEAK)) return y;
    const vn__num v = n->op == VN__NODE_SCALAR ? vn__node_number(n) : vn__real_num(0);
    if (n->op == VN__NODE_SCALAR && vn__num_fits(&v, of->dtype)) {
        vn__node *number = vn__leaf_number(of->engine, of->dtype, &v, "number");
        return number ? vn__handle(number, "number") : NULL;
    }
    return vn_where(vn__number(like, 1), y, vn__number(like, 0));
}

/* Nonnegative positions, and which of them are in range. sizes: of the axes, broadcast against index. */
static vn_array *from_start(vn_array *index, vn_array *sizes, vn_array **inside)
{
    vn_array *zero = vn_scalar(0), *j = vn_where(vn_less(index, zero), vn_add(index, sizes), index);
    *inside = vn_logical_and(vn_greater_equal(j, zero), vn_less(j, sizes));
    return j;
}

/* x reshaped to three axes: before, at and after `axis`. */
typedef struct {
    int64_t outer, length, inner;
} three;

static three split(vn_shape s, int64_t axis)
{
    three t = {1, s.dim[axis], 1};
    for (int k = 0; k < axis; k++) t.outer *= s.dim[k];
    for (int k = (int)axis + 1; k < s.rank; k++) t.inner *= s.dim[k];
    return t;
}

/* index: (outer, m, inner), positions within the axis -> positions in the flattened array of `t` */
static vn_array *flat_along(vn_array *index, three t)
{
    if (t.inner != 1) index = vn_add(vn_mul(index, vn_scalar((double)t.inner)), vn__positions(index, t.inner));
    if (t.outer == 1) return index;
    vn_array *start = vn_mul(vn__positions(index, t.outer), vn_scalar((double)(t.length * t.inner)));
    return vn_add(index, vn_reshape(start, VN_SHAPE(t.outer, 1, 1)));
}

/* The same for any positions: out of range stays out of range. `of`: the shape of the array, `index` already broadcast. */
static vn_array *flat_checked(vn_array *index, vn_shape of, int64_t axis)
{
    three t = split(of, axis), m = split(vn_shape_of(index), axis);
    vn_array *inside, *j = from_start(vn_reshape(index, VN_SHAPE(m.outer, m.length, m.inner)), vn_scalar((double)t.length), &inside);
    return vn_where(inside, flat_along(j, t), vn_scalar((double)(t.outer * t.length * t.inner)));
}

vn_array *vn__take_along(vn_array *x, vn_array *index, int64_t axis)
{
    vn_shape s = vn_shape_of(index);
    three t = split(vn_shape_of(x), axis), m = split(s, axis);
    vn_array *at = flat_along(vn_reshape(index, VN_SHAPE(m.outer, m.length, m.inner)), t);
    return vn_reshape(vn_take(vn__flat(x), at, 0), s);
}

/* ---- gradients ---- */

/* take for the gradients of index_add and index_set: 0, not NaN, out of range. valid: of the index's shape */
static vn_array *taken_where(vn_array *valid, vn_array *x, vn_array *index, int64_t axis)
{
    vn_shape s = vn_shape_of(index), spread = {vn_rank(index) + vn_rank(x) - 1, {0}};
    for (int k = 0; k < spread.rank; k++) spread.dim[k] = k >= axis && k < axis + s.rank ? s.dim[k - axis] : 1;
    return vn_where(vn_reshape(valid, spread), vn_take(x, index, axis), vn_scalar(0));
}

vn_array *vjp_take(const vn__vjp_args *a, int k)
{
    return vn_index_add(vn_zeros_like(a->in[k]), a->in[1], a->ct, a->options[OPT_TAKE_AXIS].u.i);
}

vn_array *vjp_index_add(const vn__vjp_args *a, int k)
{
    int64_t axis = a->options[OPT_INDEX_ADD_AXIS].u.i;
    if (k == 0) return a->ct;
    vn_array *inside;
    from_start(a->in[1], vn_scalar((double)vn_dim(a->in[0], (int)axis)), &inside);
    return taken_where(inside, a->ct, a->in[1], axis);
}

/* The last of equal positions wins: every index writes its number, from 1, and wins where it reads it back. */
vn_array *vjp_index_set(const vn__vjp_args *a, int k)
{
    vn_array *index = a->in[1];
    int64_t axis = a->options[OPT_INDEX_SET_AXIS].u.i;
    if (k == 0) return vn_index_set(a->ct, index, vn_zeros_like(a->in[2]), axis);
    vn_array *number = vn_reshape(vn_add(vn__positions(index, vn_size(index)), vn_scalar(1)), vn_shape_of(index));
    vn_array *last = vn_index_set(vn__filled(index, 0, VN_SHAPE(vn_dim(a->in[0], (int)axis))), index, number, 0);
    return taken_where(vn_equal(vn_take(last, index, 0), number), a->ct, index, axis);
}

/* ---- compositions ---- */

vn_array *compose_take(vn_array *const *in, const vn__infer *i)
{
    if (vn_dtype_of(in[1]) != VN_U64) return VN__AS_IS;
    return vn_take(in[0], vn__index_of(in[1]), i->options->v[OPT_TAKE_AXIS].u.i);
}

/* y broadcast to the shape it replaces: kernels do not broadcast. */
static vn_array *spread(vn_array *y, const vn_array *x, vn_shape to)
{
    return vn_broadcast_to(vn__settled(y, x), to);
}

static vn_array *put(vn_array *x, vn_array *index, vn_array *y, int64_t axis, bool add)
{
    return add ? vn_index_add(x, index, y, axis) : vn_index_set(x, index, y, axis);
}

static vn_array *compose_put(vn_array *const *in, const vn__infer *i, bool add)
{
    vn_shape s = vn_shape_of(in[1]), of_x = vn_shape_of(in[0]), of_y = vn_shape_of(in[2]), to = {s.rank + of_x.rank - 1, {0}};
    int64_t axis = i->options->v[OPT_INDEX_ADD_AXIS].u.i;
    for (int k = 0; k < to.rank; k++) to.dim[k] = k < axis ? of_x.dim[k] : k < axis + s.rank ? s.dim[k - axis] : of_x.dim[k - s.rank + 1];
    bool fits = of_y.rank == to.rank && !memcmp(of_y.dim, to.dim, (size_t)to.rank * sizeof *to.dim);
    if (fits && vn_dtype_of(in[1]) != VN_U64) return VN__AS_IS;
    return put(in[0], vn__index_of(in[1]), spread(in[2], in[0], to), axis, add);
}
/* Complex numbers are added part by part. */
vn_array *compose_index_add(vn_array *const *in, const vn__infer *i)
{
    if (!vn__is(i->dtype, VN_COMPLEX)) return compose_put(in, i, true);
    vn_array *y = vn__settled(in[2], in[0]);
    int64_t axis = i->options->v[OPT_INDEX_ADD_AXIS].u.i;
    return vn_complex(vn_index_add(vn_real(in[0]), in[1], vn_real(y), axis), vn_index_add(vn_imag(in[0]), in[1], vn_imag(y), axis));
}
vn_array *compose_index_set(vn_array *const *in, const vn__infer *i)
{
    return compose_put(in, i, false);
}

vn_array *compose_take_along_axis(vn_array *const *in, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_TAKE_ALONG_AXIS_AXIS].u.i;
    vn_shape of_index = vn__result_shape(i), of_x = of_index;
    of_x.dim[axis] = vn_dim(in[0], (int)axis);
    vn_array *at = flat_checked(vn_broadcast_to(vn__index_of(in[1]), of_index), of_x, axis);
    return vn_reshape(vn_take(vn__flat(vn_broadcast_to(in[0], of_x)), at, 0), of_index);
}

vn_array *compose_put_along_axis(vn_array *const *in, const vn__infer *i)
{
    int64_t axis = i->options->v[OPT_PUT_ALONG_AXIS_AXIS].u.i;
    vn_shape of_x = vn_shape_of(in[0]), of_index = of_x;
    of_index.dim[axis] = vn_dim(in[1], (int)axis);
    vn_array *at = flat_checked(vn_broadcast_to(vn__index_of(in[1]), of_index), of_x, axis);
    vn_array *y = vn__flat(spread(in[2], in[0], of_index));
    return vn_reshape(put(vn__flat(in[0]), vn__flat(at), y, 0, i->options->v[OPT_PUT_ALONG_AXIS_ADD].u.i != 0), of_x);
}

/* x with the indexed axes merged into one, and positions along it. Axes that are no neighbours are moved to the front first. */
typedef struct {
    vn_array *rows, *at;
    int axis;
    vn_axes order; /* of the axes that were moved; n is 0 if none were */
    vn_shape moved;
} merged;

static vn_axes axes_to_front(const indexed *d, int rank)
{
    vn_axes order = {.n = rank};
    int at = d->n;
    for (int k = 0; k < rank; k++) {
        int j = 0;
        while (j < d->n && d->axis[j] != k) j++;
        order.axis[j < d->n ? j : at++] = k;
    }
    return order;
}

/* index: (..., k), positions into k axes */
static merged merge(vn_array *x, vn_array *index, const vn__infer *i)
{
    const indexed d = indexed_axes(i, (int)vn_dim(index, -1), vn__node_dims(i->in[0]));
    merged m = {.axis = d.n && d.together ? (int)d.axis[0] : 0};
    if (!d.together) x = vn_permute_dims(x, m.order = axes_to_front(&d, vn_rank(x)));
    m.moved = vn_shape_of(x);
    vn_shape sizes = {d.n, {0}}, strides = sizes, to = {0, {0}};
    int64_t n = 1;
    for (int k = d.n; k--; n *= d.size[k]) sizes.dim[k] = d.size[k], strides.dim[k] = n;
    for (int k = 0; k < m.axis; k++) to.dim[to.rank++] = m.moved.dim[k];
    to.dim[to.rank++] = n;
    for (int k = m.axis + d.n; k < m.moved.rank; k++) to.dim[to.rank++] = m.moved.dim[k];
    m.rows = vn_reshape(x, to);
    vn_array *inside, *j = from_start(vn__index_of(index), vn__index(x, sizes), &inside);
    m.at = vn_sum(vn_mul(j, vn__index(x, strides)), VN_AXES(-1));
    m.at = vn_where(vn_all(inside, VN_AXES(-1)), m.at, vn_scalar((double)n));
    return m;
}

vn_array *compose_gather_nd(vn_array *const *in, const vn__infer *i)
{
    const merged m = merge(in[0], in[1], i);
    return vn_take(m.rows, m.at, m.axis);
}

vn_array *compose_scatter_nd(vn_array *const *in, const vn__infer *i)
{
    const merged m = merge(in[0], in[1], i);
    vn_array *z = put(m.rows, m.at, vn__settled(in[2], in[0]), m.axis, i->options->v[OPT_SCATTER_ND_ADD].u.i != 0);
    z = vn_reshape(z, m.moved);
    if (!m.order.n) return z;
    vn_axes back = {.n = m.order.n};
    for (int k = 0; k < back.n; k++) back.axis[m.order.axis[k]] = k;
    return vn_permute_dims(z, back);
}

vn_array *compose_one_hot(vn_array *const *in, const vn__infer *i)
{
    vn_array *index = vn__index_of(in[0]);
    vn_array *hit = vn_equal(vn_expand_dims(index, -1), vn__positions(index, i->options->v[OPT_ONE_HOT_SIZE].u.i));
    return vn_cast(hit, (vn_dtype)i->dtype);
}

/* The length of a result that grows: one more than the largest number of x, at least `length`. False: an error is set. */
static bool grown(vn_array *x, int64_t *length)
{
    int64_t largest;
    if (!vn_size(x)) return true;
    vn_array *now = vn_max(x, VN_ALL);
    if (!now || vn_read(now, &largest, sizeof largest)) return false;
    if (largest >= *length) *length = largest < INT64_MAX ? largest + 1 : largest;
    return true;
}

vn_array *compose_bincount(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__flat(vn__index_of(in[0]));
    vn_shape to = vn__result_shape(i), from = {1, {vn_size(x)}};
    if (i->options->v[OPT_BINCOUNT_GROW].u.i)
        return grown(x, &to.dim[0]) ? vn_bincount(in[0], i->n > 1 && i->in[1] ? in[1] : VN_NONE, to.dim[0], NULL) : NULL;
    x = vn_where(vn_less(x, vn_scalar(0)), vn_scalar_int(to.dim[0]), x);
    if (i->n < 2 || !i->in[1]) return vn_index_add(vn__filled(x, 0, to), x, vn__filled(x, 1, from), 0);
    vn_array *weights = vn__widen(vn__flat(in[1])), *zero = weights ? vn_broadcast_to(vn__number(weights, 0), to) : NULL;
    return vn__narrow(vn_index_add(zero, x, weights, 0), i);
}
