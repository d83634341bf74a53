/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: moving axes, strided slices, differences, triangles and diagonals. */
#include "ops/index.h"
#include "base/minmax.h"

/* ---- permuting axes ---- */

static void permuted(vn__infer *i, vn_axes order)
{
    i->rank = order.n;
    for (int k = 0; k < order.n; k++) i->dims[k] = vn__node_dims(i->in[0])[order.axis[k]];
}

/* The source of each axis of the result: the given ones at their destinations, the rest in order. Options are normalised. */
static vn_axes moved(const vn__options *o, int rank)
{
    vn_axes order = {.n = rank};
    bool taken[VN_MAX_RANK] = {false}, placed[VN_MAX_RANK] = {false};
    for (int k = 0; k < o->v[OPT_MOVEAXIS_SOURCE].n; k++) {
        order.axis[o->v[OPT_MOVEAXIS_DESTINATION].is[k]] = o->v[OPT_MOVEAXIS_SOURCE].is[k];
        taken[o->v[OPT_MOVEAXIS_SOURCE].is[k]] = placed[o->v[OPT_MOVEAXIS_DESTINATION].is[k]] = true;
    }
    for (int to = 0, from = 0; to < rank; to++) {
        if (placed[to]) continue;
        while (taken[from]) from++;
        order.axis[to] = from++;
    }
    return order;
}

int vn__rule_order(vn__infer *i, int option, int rank)
{
    int64_t sorted[VN_MAX_RANK], *axes = i->options->v[option].is;
    int32_t n = i->options->v[option].n;
    if (n == VN__ALL_AXES) {
        i->options->v[option].n = rank;
        for (int k = 0; k < rank; k++) axes[k] = k;
        return VN_OK;
    }
    memcpy(sorted, axes, sizeof sorted);
    int code = vn__rule_axes(i, rank, &n, sorted);
    for (int k = 0; k < n && !code; k++) {
        if (axes[k] < 0) axes[k] += rank;
    }
    return code;
}

int shape_moveaxis(vn__infer *i)
{
    int rank = i->in[0]->rank, code = vn__rule_order(i, OPT_MOVEAXIS_SOURCE, rank);
    if (!code) code = vn__rule_order(i, OPT_MOVEAXIS_DESTINATION, rank);
    if (code) return code;
    if (i->options->v[OPT_MOVEAXIS_SOURCE].n != i->options->v[OPT_MOVEAXIS_DESTINATION].n)
        FAIL(VN_E_ARG, "%d axes to move and %d places given (%s)", i->options->v[OPT_MOVEAXIS_SOURCE].n,
             i->options->v[OPT_MOVEAXIS_DESTINATION].n, i->engine);
    permuted(i, moved(i->options, rank));
    return VN_OK;
}

vn_array *compose_moveaxis(vn_array *const *in, const vn__infer *i)
{
    return vn_permute_dims(in[0], moved(i->options, i->rank));
}

static vn_axes swapped(int rank, int64_t a, int64_t b)
{
    vn_axes order = {.n = rank};
    for (int k = 0; k < rank; k++) order.axis[k] = k;
    order.axis[a] = b;
    order.axis[b] = a;
    return order;
}

int shape_swapaxes(vn__infer *i)
{
    int rank = i->in[0]->rank, code = vn__rule_axis(i, OPT_SWAPAXES_AXIS1, rank);
    if (!code) code = vn__rule_axis(i, OPT_SWAPAXES_AXIS2, rank);
    if (!code) permuted(i, swapped(rank, i->options->v[OPT_SWAPAXES_AXIS1].u.i, i->options->v[OPT_SWAPAXES_AXIS2].u.i));
    return code;
}

vn_array *compose_swapaxes(vn_array *const *in, const vn__infer *i)
{
    return vn_permute_dims(in[0], swapped(i->rank, i->options->v[OPT_SWAPAXES_AXIS1].u.i, i->options->v[OPT_SWAPAXES_AXIS2].u.i));
}

/* Checks that x has at least two axes. */
int shape_matrix(vn__infer *i)
{
    char s[128];
    if (i->in[0]->rank < 2) FAIL(VN_E_SHAPE, "x is %s, at least two axes are needed (%s)", shape_text(i->in[0], s), i->engine);
    return shape_same(i);
}

int shape_matrix_transpose(vn__infer *i)
{
    int code = shape_matrix(i);
    if (!code) permuted(i, swapped(i->rank, i->rank - 1, i->rank - 2));
    return code;
}

vn_array *compose_matrix_transpose(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn__transpose(in[0]);
}

vn_array *vn__transpose(vn_array *x)
{
    const int rank = x ? vn_rank(x) : 0;
    return rank < 2 ? x : vn_permute_dims(x, swapped(rank, rank - 1, rank - 2));
}

bool vn__is_transpose(const int64_t *order, int rank)
{
    return rank >= 2 && !memcmp(order, swapped(rank, rank - 1, rank - 2).axis, (size_t)rank * sizeof *order);
}

vn_array *vn__move_axis(vn_array *x, int from, int to)
{
    if (!x) return NULL;
    vn_axes order = {.n = vn_rank(x)};
    for (int k = 0, next = 0; k < order.n; k++) {
        if (next == from) next++;
        order.axis[k] = k == to ? from : next++;
    }
    return vn_permute_dims(x, order);
}

int shape_flatten(vn__infer *i)
{
    vn__rule_result(i, 1, &i->in[0]->count);
    return VN_OK;
}

/* ---- steps ---- */

static int check_steps(vn__infer *i)
{
    int code = vn__rule_list(i, OPT_STRIDE_STEPS, i->in[0]->rank);
    for (int a = 0; a < i->in[0]->rank && !code; a++) {
        if (i->options->v[OPT_STRIDE_STEPS].is[a] < 1)
            FAIL(VN_E_ARG, "step %lld of axis %d, at least 1 is needed (%s)", (long long)i->options->v[OPT_STRIDE_STEPS].is[a], a,
                 i->engine);
    }
    return code ? code : shape_same(i);
}

int shape_stride(vn__infer *i)
{
    int code = check_steps(i);
    for (int a = 0; a < i->rank && !code; a++) {
        if (i->dims[a]) i->dims[a] = (i->dims[a] - 1) / i->options->v[OPT_STRIDE_STEPS].is[a] + 1;
    }
    return code;
}

static vn_shape zeros(int rank)
{
    return (vn_shape){.rank = rank};
}

/* x as (before, n, after) */
static vn_shape around(const vn_array *x, int axis)
{
    vn_shape s = {.rank = 3, .dim = {1, vn_dim(x, axis), 1}};
    for (int k = 0; k < vn_rank(x); k++) {
        if (k != axis) s.dim[k < axis ? 0 : 2] *= vn_dim(x, k);
    }
    return s;
}

/* Splits an axis into rows of `step` elements, padding the end, and takes the first of each row. */
static vn_array *every(vn_array *x, int axis, int64_t step)
{
    vn_shape s = around(x, axis), result = vn_shape_of(x), more = zeros(result.rank);
    int64_t n = (s.dim[1] - 1) / step + 1;
    result.dim[axis] = n;
    if (n == 1) return vn__piece(x, axis, 0, 1);
    more.dim[axis] = n * step - s.dim[1];
    if (more.dim[axis]) x = vn_pad(x, zeros(result.rank), more, NULL);
    vn_array *rows = vn_reshape(x, VN_SHAPE(s.dim[0], n, step, s.dim[2]));
    return vn_reshape(vn__piece(rows, 2, 0, 1), result);
}

vn_array *compose_stride(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    for (int a = 0; a < i->rank && x; a++) {
        if (i->options->v[OPT_STRIDE_STEPS].is[a] > 1 && i->dims[a]) x = every(x, a, i->options->v[OPT_STRIDE_STEPS].is[a]);
    }
    return vn_reshape(x, vn__result_shape(i));
}

/* Puts each element back at its position, with zeros between and after. */
vn_array *vjp_stride(const vn__vjp_args *a, int k)
{
    vn_shape steps = vn__shape(a->options[OPT_STRIDE_STEPS].u.is, (size_t)a->options[OPT_STRIDE_STEPS].n), more = vn_shape_of(a->in[k]);
    vn_array *spread = vn_dilate(a->ct, steps);
    for (int d = 0; d < more.rank && spread; d++) more.dim[d] -= vn_dim(spread, d);
    return vn_pad(spread, zeros(more.rank), more, NULL);
}

int shape_dilate(vn__infer *i)
{
    int code = check_steps(i);
    for (int a = 0; a < i->rank && !code; a++) {
        int64_t n = i->dims[a], step = i->options->v[OPT_DILATE_STEPS].is[a];
        if (n < 2) continue;
        if (__builtin_mul_overflow(n - 1, step, &n) || __builtin_add_overflow(n, 1, &n))
            FAIL(VN_E_SHAPE, "step %lld makes axis %d too large to address (%s)", (long long)step, a, i->engine);
        i->dims[a] = n;
    }
    return code;
}

/* Every element becomes a row of `step`: itself and zeros; the zeros after the last are dropped. */
static vn_array *spread(vn_array *x, int axis, int64_t step)
{
    vn_shape s = around(x, axis), result = vn_shape_of(x);
    vn_array *rows = vn_pad(vn_reshape(x, VN_SHAPE(s.dim[0], s.dim[1], 1, s.dim[2])), zeros(4), VN_SHAPE(0, 0, step - 1, 0), NULL);
    result.dim[axis] *= step;
    return vn__piece(vn_reshape(rows, result), axis, 0, result.dim[axis] - step + 1);
}

vn_array *compose_dilate(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    for (int a = i->rank - 1; a >= 0 && x; a--) {
        if (i->options->v[OPT_DILATE_STEPS].is[a] > 1 && vn_dim(x, a) > 1) x = spread(x, a, i->options->v[OPT_DILATE_STEPS].is[a]);
    }
    return vn_reshape(x, vn__result_shape(i));
}

/* Python's slice of one axis: the first element, the number of elements, and the step. */
typedef struct {
    int64_t first, count, step;
} range;

static int64_t bounded(int64_t v, int64_t low, int64_t high)
{
    return vn__min(vn__max(v, low), high);
}

static range range_of(const vn__options *o, int axis, int64_t n)
{
    int64_t step = o->v[OPT_SLICE_STEP_STEP].n ? o->v[OPT_SLICE_STEP_STEP].is[axis] : 1, start = o->v[OPT_SLICE_STEP_START].is[axis],
            stop = o->v[OPT_SLICE_STEP_STOP].is[axis];
    if (step == INT64_MIN) step++; /* so that it can be negated; no axis is that long */
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    start = bounded(start < 0 ? start + n : start, low, high);
    stop = bounded(stop < 0 ? stop + n : stop, low, high);
    int64_t distance = step > 0 ? stop - start : start - stop, pace = step > 0 ? step : -step;
    return (range){start, distance > 0 ? (distance - 1) / pace + 1 : 0, step};
}

int shape_slice_step(vn__infer *i)
{
    int rank = i->in[0]->rank, code = vn__rule_list(i, OPT_SLICE_STEP_START, rank);
    if (!code) code = vn__rule_list(i, OPT_SLICE_STEP_STOP, rank);
    if (!code && i->options->v[OPT_SLICE_STEP_STEP].n) code = vn__rule_list(i, OPT_SLICE_STEP_STEP, rank);
    if (!code) code = shape_same(i);
    for (int a = 0; a < rank && !code; a++) {
        if (i->options->v[OPT_SLICE_STEP_STEP].n && !i->options->v[OPT_SLICE_STEP_STEP].is[a])
            FAIL(VN_E_ARG, "step 0 of axis %d (%s)", a, i->engine);
        i->dims[a] = range_of(i->options, a, i->dims[a]).count;
    }
    return code;
}

/* The positions of the elements, one after the other. */
static vn_array *positions(const vn_array *like, range r)
{
    vn_array *at = vn__every(like, r.count, r.step);
    return at ? vn_add(at, vn_scalar_int(r.first)) : NULL;
}

/* How a slice of all axes is read: every `before`-th element, of these a block, read backwards along some axes, of which every `after`-th. */
typedef struct {
    vn_shape before, start, size, after;
    vn_axes backwards;
    bool strides, part, steps; /* whether each of the first three, and the last, changes anything */
} reading;

/* A block is copied and strides are not, so they come first where the block begins at a multiple of the step. */
static void read_axis(reading *d, int a, range r, int64_t n)
{
    const int64_t pace = r.count < 2 ? 1 : r.step > 0 ? r.step : -r.step, reach = r.count ? (r.count - 1) * pace : 0;
    const int64_t first = !r.count ? 0 : r.step > 0 ? r.first : r.first - reach, before = first % pace ? 1 : pace;
    d->before.dim[a] = before;
    d->after.dim[a] = pace / before;
    d->start.dim[a] = first / before;
    d->size.dim[a] = r.count ? reach / before + 1 : 0;
    d->strides |= before > 1;
    d->steps |= d->after.dim[a] > 1;
    d->part |= d->size.dim[a] != (n ? (n - 1) / before + 1 : 0);
    if (r.count > 1 && r.step < 0) d->backwards.axis[d->backwards.n++] = a;
}

/* Elements this far apart, and not at multiples of the step, are taken one by one: a block around them would be copied in vain. */
enum { FAR = 8 };

static bool is_far(range r)
{
    return r.count > 1 && (r.step >= FAR || r.step <= -FAR) && (r.step < 0 || r.first % r.step);
}

vn_array *compose_slice_step(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    const int rank = vn_rank(x);
    reading d = {zeros(rank), zeros(rank), zeros(rank), zeros(rank), .part = false};
    for (int a = 0; a < rank && x; a++) {
        range r = range_of(i->options, a, vn_dim(x, a));
        if (is_far(r)) {
            x = vn_take(x, positions(x, r), a);
            r = (range){0, r.count, 1};
        }
        if (x) read_axis(&d, a, r, vn_dim(x, a));
    }
    if (d.strides) x = vn__stride(x, d.before);
    if (d.part) x = vn_slice_at(x, d.start, d.size);
    if (d.backwards.n) x = vn_flip(x, d.backwards);
    if (d.steps) x = vn__stride(x, d.after);
    return x;
}

int dtype_slice_step_set(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    if (!(i->in[1]->flags & VN__WEAK) && i->in[1]->dtype != i->dtype)
        FAIL(VN_E_DTYPE, "y is %s but x is %s; cast it (%s)", dtype_text(i->in[1]->dtype), dtype_text(i->dtype), i->engine);
    i->want[1] = i->dtype;
    return vn__rule_accept(i, i->dtype);
}

int shape_slice_step_set(vn__infer *i)
{
    int code = shape_slice_step(i);
    if (!code) code = vn__rule_reaches(i, i->in[1], i->rank, i->dims);
    return code ? code : shape_same(i);
}

/* The slice of an axis that is written element by element. */
static bool is_strided(range r)
{
    return r.count > 1 && r.step != 1 && r.step != -1;
}

/* x with the elements of the slices r, from axis a on, replaced by y: what an axis with steps writes to is taken from x, changed along the
 * other axes, and put back. */
static vn_array *put_slices(vn_array *x, vn_array *y, int a, const range *r)
{
    while (x && a < vn_rank(x) && !is_strided(r[a])) a++;
    if (x && y && a < vn_rank(x)) {
        vn_array *at = positions(x, r[a]);
        return vn_index_set(x, at, put_slices(vn_take(x, at, a), y, a + 1, r), a);
    }
    vn_shape start = zeros(x ? vn_rank(x) : 0);
    bool whole = x && y && vn_dtype_of(x) == vn_dtype_of(y); /* a number that x cannot hold is slice_set's error */
    for (int k = 0; k < start.rank && y; k++) {
        start.dim[k] = is_strided(r[k]) ? 0 : r[k].step < 0 ? r[k].first + 1 - r[k].count : r[k].first;
        whole &= vn_dim(x, k) == vn_dim(y, k);
    }
    return whole ? y : vn_slice_set(x, y, vn__index(x, start));
}

vn_array *compose_slice_step_set(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0];
    range r[VN_MAX_RANK];
    vn_shape counts = zeros(i->rank);
    vn_axes backwards = {0};
    for (int a = 0; a < i->rank; a++) {
        r[a] = range_of(i->options, a, vn_dim(x, a));
        counts.dim[a] = r[a].count;
        if (!is_strided(r[a]) && r[a].count > 1 && r[a].step < 0) backwards.axis[backwards.n++] = a;
    }
    vn_array *y = vn_broadcast_to(vn__settled(in[1], x), counts);
    if (i->options->v[OPT_SLICE_STEP_SET_ADD].u.i) y = vn_add(compose_slice_step(in, i), y);
    if (backwards.n) y = vn_flip(y, backwards);
    return put_slices(x, y, 0, r);
}

/* ---- differences ---- */

enum { MAX_DIFFERENCES = 1000 }; /* each is an op; more have coefficients that no float dtype holds */
/* Input k, whose other sizes are those of x, makes the result longer along the axis. */
static int longer(vn__infer *i, int k, int axis)
{
    const vn__node *x = i->in[0], *y = i->in[k];
    char s[128], t[128];
    bool fits = y->rank == x->rank;
    for (int a = 0; fits && a < x->rank; a++) fits = a == axis || vn__node_dims(y)[a] == vn__node_dims(x)[a];
    if (!fits || __builtin_add_overflow(i->dims[axis], vn__node_dims(y)[axis], &i->dims[axis]))
        FAIL(VN_E_SHAPE, "%s has shape %s; that of x, %s, is needed, but for axis %d (%s)", i->op->info.inputs[k], shape_text(y, s),
             shape_text(x, t), axis, i->engine);
    return VN_OK;
}

int shape_diff(vn__infer *i)
{
    int code = vn__rule_axis(i, OPT_DIFF_AXIS, i->in[0]->rank);
    int64_t n = i->options->v[OPT_DIFF_N].u.i;
    if (code) return code;
    if (n < 0) FAIL(VN_E_ARG, "n is %lld, it cannot be negative (%s)", (long long)n, i->engine);
    shape_same(i);
    for (int k = 1; k < i->n && n && !code; k++) code = i->in[k] ? longer(i, k, (int)i->options->v[OPT_DIFF_AXIS].u.i) : VN_OK;
    int64_t *d = &i->dims[i->options->v[OPT_DIFF_AXIS].u.i];
    if (n > MAX_DIFFERENCES && n < *d) FAIL(VN_E_ARG, "n is %lld, %d at most (%s)", (long long)n, MAX_DIFFERENCES, i->engine);
    *d = *d > n ? *d - n : 0;
    return code;
}

vn_array *compose_diff(vn_array *const *in, const vn__infer *i)
{
    int axis = (int)i->options->v[OPT_DIFF_AXIS].u.i;
    vn_array *parts[3], *x = in[0];
    int n_parts = 0;
    for (int k = 0; k < 3; k++) { /* prepend, x, append */
        const int from = k == 0 ? 1 : k == 1 ? 0 : 2;
        if (from < i->n && i->in[from]) parts[n_parts++] = in[from];
    }
    if (n_parts > 1 && i->options->v[OPT_DIFF_N].u.i) x = vn_concat(n_parts, parts, axis);
    if (!i->dims[axis]) return vn__piece(x, axis, 0, 0);
    for (int64_t k = i->options->v[OPT_DIFF_N].u.i; k > 0 && x; k--) {
        int64_t n = vn_dim(x, axis) - 1;
        x = vn_sub(vn__piece(x, axis, 1, n), vn__piece(x, axis, 0, n));
    }
    return vn_reshape(x, vn__result_shape(i));
}

/* ---- matrices ---- */

/* For each element of a matrix the number of its diagonal, minus k: negative below diagonal k. k is clamped. */
static void places(vn_array *x, int64_t rows, int64_t columns, int64_t k, vn_array **row, vn_array **column)
{
    *row = vn_reshape(vn_add(vn__positions(x, rows), vn_scalar((double)bounded(k, -rows - 1, columns + 1))), VN_SHAPE(rows, 1));
    *column = vn__positions(x, columns);
}

vn_array *compose_tril(vn_array *const *in, const vn__infer *i)
{
    vn_array *row, *column;
    places(in[0], i->dims[i->rank - 2], i->dims[i->rank - 1], i->options->v[OPT_TRIL_K].u.i, &row, &column);
    return vn_where(vn_less_equal(column, row), in[0], vn_scalar(0));
}

vn_array *compose_triu(vn_array *const *in, const vn__infer *i)
{
    vn_array *row, *column;
    places(in[0], i->dims[i->rank - 2], i->dims[i->rank - 1], i->options->v[OPT_TRIU_K].u.i, &row, &column);
    return vn_where(vn_greater_equal(column, row), in[0], vn_scalar(0));
}

int shape_diag(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t k = i->options->v[OPT_DIAG_K].u.i, n = 0;
    char s[128];
    if (x->rank != 1) FAIL(VN_E_SHAPE, "x is %s, a vector is needed; diagonal is the inverse (%s)", shape_text(x, s), i->engine);
    if (k == INT64_MIN || __builtin_add_overflow(x->count, k < 0 ? -k : k, &n))
        FAIL(VN_E_SHAPE, "diagonal %lld makes the matrix too large to address (%s)", (long long)k, i->engine);
    vn__rule_result(i, 2, (int64_t[]){n, n});
    return VN_OK;
}

/* x broadcast along rows (or columns, below the diagonal). */
vn_array *compose_diag(vn_array *const *in, const vn__infer *i)
{
    int64_t k = i->options->v[OPT_DIAG_K].u.i, n = i->dims[0];
    vn_array *row, *column, *x = vn_pad(in[0], VN_SHAPE(0), VN_SHAPE(n - vn_size(in[0])), NULL);
    places(in[0], n, n, k, &row, &column);
    return vn_where(vn_equal(column, row), vn_reshape(x, k < 0 ? VN_SHAPE(1, n) : VN_SHAPE(n, 1)), vn_scalar(0));
}

/* The number of elements of diagonal `offset` of a matrix. */
static int64_t diagonal_length(int64_t rows, int64_t columns, int64_t offset)
{
    if (offset >= columns || offset <= -rows) return 0;
    int64_t down = offset < 0 ? rows + offset : rows, right = offset > 0 ? columns - offset : columns;
    return vn__min(down, right);
}

int shape_diagonal(vn__infer *i)
{
    int code = shape_matrix(i);
    if (code) return code;
    i->rank--;
    i->dims[i->rank - 1] = diagonal_length(i->dims[i->rank - 1], i->dims[i->rank], i->options->v[OPT_DIAGONAL_OFFSET].u.i);
    return VN_OK;
}

/* In a flattened matrix the elements of a diagonal are one row plus one apart. */
vn_array *compose_diagonal(vn_array *const *in, const vn__infer *i)
{
    vn_shape s = vn_shape_of(in[0]), steps = zeros(s.rank - 1);
    int last = s.rank - 2;
    int64_t rows = s.dim[last], columns = s.dim[last + 1], offset = i->options->v[OPT_DIAGONAL_OFFSET].u.i,
            n = diagonal_length(rows, columns, offset);
    for (int k = 0; k < last; k++) steps.dim[k] = 1;
    steps.dim[last] = columns + 1;
    s.dim[last] = rows * columns;
    s.rank--;
    vn_array *flat = vn_reshape(in[0], s);
    if (!n) return vn__piece(flat, last, 0, 0);
    return vn__stride(vn__piece(flat, last, offset < 0 ? -offset * columns : offset, (n - 1) * (columns + 1) + 1), steps);
}

int shape_trace(vn__infer *i)
{
    int code = shape_matrix(i);
    if (!code) i->rank -= 2;
    return code;
}

vn_array *compose_trace(vn_array *const *in, const vn__infer *i)
{
    return vn_sum(vn_diagonal(in[0], i->options->v[OPT_TRACE_OFFSET].u.i), VN_AXES(-1));
}
