/* SPDX-License-Identifier: Apache-2.0 */
/* select.c: ops whose result size depends on values: nonzero, mask, unique. They compute the size when they are called; the _sized forms
 * take it as an option and fill the rest. A cumulative sum gives each true position its index in the result. */
#include "ops/index.h"
#include "os/os.h"

/* ---- rules ---- */

/* The size is not known yet: the composition determines it. */
int shape_nonzero(vn__infer *i)
{
    vn__rule_result(i, 2, (const int64_t[]){0, i->in[0]->rank});
    return VN_OK;
}

int shape_nonzero_sized(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_NONZERO_SIZED_SIZE);
    vn__rule_result(i, 2, (const int64_t[]){i->options->v[OPT_NONZERO_SIZED_SIZE].u.i, i->in[0]->rank});
    return code;
}

static int check_mask(vn__infer *i, int64_t size)
{
    const vn__node *x = i->in[0], *mask = i->in[1];
    char s[128], t[128];
    if (mask->dtype != VN_BOOL) FAIL(VN_E_DTYPE, "mask is %s, bool is needed (%s)", dtype_text(mask->dtype), i->engine);
    bool fits = mask->rank <= x->rank;
    for (int k = 0; fits && k < mask->rank; k++) fits = vn__node_dims(mask)[k] == vn__node_dims(x)[k] || vn__node_dims(mask)[k] == 0;
    if (!fits)
        FAIL(VN_E_SHAPE, "mask has shape %s, that of the first axes of x %s is needed (%s)", shape_text(mask, s), shape_text(x, t),
             i->engine);
    i->rank = x->rank - mask->rank + 1;
    if (i->rank > VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d already (%s)", VN_MAX_RANK, i->engine);
    i->dims[0] = size;
    for (int k = 1; k < i->rank; k++) i->dims[k] = vn__node_dims(x)[mask->rank + k - 1];
    return VN_OK;
}

int shape_mask(vn__infer *i)
{
    return check_mask(i, 0);
}

int shape_mask_sized(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_MASK_SIZED_SIZE);
    return code ? code : check_mask(i, i->options->v[OPT_MASK_SIZED_SIZE].u.i);
}

/* Counts are one number, or one for each element along the axis. */
static int check_counts(vn__infer *i, int64_t size)
{
    const vn__node *x = i->in[0], *counts = i->in[1];
    char s[128], t[128];
    int code = vn__rule_axis(i, OPT_REPEAT_COUNTS_AXIS, x->rank);
    if (code) return code;
    const int64_t axis = i->options->v[OPT_REPEAT_COUNTS_AXIS].u.i, n = vn__node_dims(x)[axis];
    if (counts->rank > 1 || (counts->count != 1 && counts->count != n))
        FAIL(VN_E_SHAPE, "counts has shape %s; one number, or %lld for axis %lld of x %s are needed (%s)", shape_text(counts, s),
             (long long)n, (long long)axis, shape_text(x, t), i->engine);
    shape_same(i);
    i->dims[axis] = size;
    return VN_OK;
}

int shape_repeat_counts(vn__infer *i)
{
    return check_counts(i, 0);
}

int shape_repeat_counts_sized(vn__infer *i)
{
    int code = vn__rule_size(i, OPT_REPEAT_COUNTS_SIZED_SIZE);
    return code ? code : check_counts(i, i->options->v[OPT_REPEAT_COUNTS_SIZED_SIZE].u.i);
}

int shape_unique(vn__infer *i)
{
    vn__rule_result(i, 1, (const int64_t[]){0});
    return VN_OK;
}

int shape_isin(vn__infer *i)
{
    return shape_same(i);
}

/* ---- positions ---- */

static int64_t product(vn_shape s, int from)
{
    int64_t n = 1;
    for (int k = from; k < s.rank; k++) n *= s.dim[k];
    return n;
}

static vn_array *truth(vn_array *x)
{
    return vn_cast(vn_dtype_of(x) == VN_BOOL ? x : vn_not_equal(x, vn_scalar(0)), VN_I64);
}

int vn__count_now(vn_array *x, vn_array *with, int64_t *n)
{
    const int64_t size = vn_size(x), memory = vn__machine_memory(), each = (int64_t)sizeof *n;
    if (memory && size > memory / each) /* a framework may end the process when it sorts more than there can be */
        return vn__fail(VN_E_MEM, "the positions of %lld elements take more than the machine's %lld bytes of memory", (long long)size,
                        (long long)memory);
    vn_array *count = vn_count_nonzero(x, VN_ALL);
    if (!count || (with && vn_eval(2, (vn_array *[]){count, with}))) return VN_E_NULL;
    return vn_read(count, n, sizeof *n);
}

/* The first n nonzero positions of the flattened x, padded with the size of x. */
static vn_array *places(vn_array *x, int64_t n)
{
    vn_array *hit = vn__flat(truth(x)), *number = vn_sub(vn_cumulative_sum(hit, 0, NULL), vn_scalar(1));
    vn_array *to = vn_where(hit, number, vn_scalar((double)n)); /* n is out of range: not written */
    return vn_index_set(vn__filled(x, vn_size(x), VN_SHAPE(n)), to, vn__positions(x, vn_size(x)), 0);
}

/* at: (n), positions in the flattened array -> (n, rank) positions along each axis */
static vn_array *along_axes(vn_array *at, vn_shape s)
{
    vn_shape strides = {s.rank, {0}};
    for (int k = 0; k < s.rank; k++) strides.dim[k] = product(s, k + 1);
    return vn_remainder(vn_floor_divide(vn_expand_dims(at, 1), vn__index(at, strides)), vn__index(at, s));
}

/* ---- nonzero, mask ---- */

vn_array *compose_count_nonzero(vn_array *const *in, const vn__infer *i)
{
    vn_axes axes = {i->options->v[OPT_COUNT_NONZERO_AXES].n, (int32_t)i->options->v[OPT_COUNT_NONZERO_KEEPDIMS].u.i, {0}};
    memcpy(axes.axis, i->options->v[OPT_COUNT_NONZERO_AXES].is, (size_t)axes.n * sizeof *axes.axis);
    return vn_sum(truth(in[0]), axes);
}

vn_array *compose_nonzero(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    int64_t n;
    return vn__count_now(in[0], NULL, &n) ? NULL : along_axes(places(in[0], n), vn_shape_of(in[0]));
}

vn_array *compose_nonzero_sized(vn_array *const *in, const vn__infer *i)
{
    vn_array *at = places(in[0], i->options->v[OPT_NONZERO_SIZED_SIZE].u.i);
    vn_array *found = vn_expand_dims(vn_less(at, vn_scalar((double)vn_size(in[0]))), 1);
    return vn_where(found, along_axes(at, vn_shape_of(in[0])), vn_scalar((double)i->options->v[OPT_NONZERO_SIZED_FILL].u.i));
}

/* x with the axes of its mask merged. A mask may be empty where x is not: then nothing is left. */
static vn_array *maskable(vn_array *x, vn_array *mask)
{
    if (vn_size(mask) == 0) x = vn__piece(x, 0, 0, 0);
    vn_shape s = vn_shape_of(x), to = {1, {vn_size(mask)}};
    for (int k = vn_rank(mask); k < s.rank; k++) to.dim[to.rank++] = s.dim[k];
    return vn_reshape(x, to);
}

vn_array *compose_mask(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    int64_t n;
    return vn__count_now(in[1], NULL, &n) ? NULL : vn_take(maskable(in[0], in[1]), places(in[1], n), 0);
}

vn_array *compose_mask_sized(vn_array *const *in, const vn__infer *i)
{
    vn_array *at = places(in[1], i->options->v[OPT_MASK_SIZED_SIZE].u.i), *taken = vn_take(maskable(in[0], in[1]), at, 0);
    vn_shape column = {vn_rank(taken), {i->options->v[OPT_MASK_SIZED_SIZE].u.i}};
    for (int k = 1; k < column.rank; k++) column.dim[k] = 1;
    vn_array *found = vn_reshape(vn_less(at, vn_scalar((double)vn_size(in[1]))), column);
    return vn_where(found, taken, vn_scalar(i->options->v[OPT_MASK_SIZED_FILL].u.f));
}

/* ---- repeated elements ---- */

/* The counts of all n elements, int64 */
static vn_array *all_counts(vn_array *counts, int64_t n)
{
    vn_array *c = vn__flat(vn__index_of(counts));
    return vn_size(counts) == n ? c : vn_broadcast_to(c, VN_SHAPE(n));
}

/* For each of `size` places of the result the element that it repeats: n behind the last one. */
static vn_array *repeated(vn_array *counts, int64_t size)
{
    return vn_searchsorted(vn_cumulative_sum(counts, 0, NULL), vn__positions(counts, size), VN_NONE, VN_OPTS(searchsorted, .right = 1));
}

/* Computes their sum. */
static int total_now(vn_array *counts, int64_t n, int64_t *total)
{
    int64_t now[3];
    vn_array *all[] = {vn_sum(counts, VN_ALL), vn_min(counts, VN_ALL), vn_max(counts, VN_ALL)}, *three = vn_stack(3, all, 0);
    if (!three || vn_read(three, now, sizeof now)) return VN_E_NULL;
    *total = now[0];
    if (now[1] < 0) return vn__fail(VN_E_ARG, "an element repeated %lld times", (long long)now[1]);
    if (now[2] > INT64_MAX / n) return vn__fail(VN_E_SHAPE, "an element repeated %lld times is too large to address", (long long)now[2]);
    return VN_OK;
}

vn_array *compose_repeat_counts(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_REPEAT_COUNTS_AXIS].u.i;
    const int64_t n = vn_dim(in[0], axis);
    int64_t total;
    if (n == 0) return vn__piece(in[0], axis, 0, 0);
    vn_array *counts = all_counts(in[1], n);
    return !counts || total_now(counts, n, &total) ? NULL : vn_take(in[0], repeated(counts, total), axis);
}

vn_array *compose_repeat_counts_sized(vn_array *const *in, const vn__infer *i)
{
    const int axis = (int)i->options->v[OPT_REPEAT_COUNTS_SIZED_AXIS].u.i;
    const int64_t n = vn_dim(in[0], axis), size = i->dims[axis];
    vn_shape along = {.rank = i->rank};
    for (int k = 0; k < along.rank; k++) along.dim[k] = k == axis ? size : 1;
    vn_array *from = repeated(all_counts(in[1], n), size), *found = vn_reshape(vn_less(from, vn_scalar((double)n)), along);
    return vn_where(found, vn_take(in[0], from, axis), vn_scalar(vn__real(i, OPT_REPEAT_COUNTS_SIZED_FILL)));
}

/* ---- distinct elements ---- */

/* The flattened x, sorted. first: where an element differs from the previous one; group: the number of smaller distinct elements. */
typedef struct {
    vn_array *order, *sorted, *first, *group;
    int64_t n;
} sorting;

/* Positions that sort a vector; complex numbers by their real, then by their imaginary parts, so that equal ones are neighbours. */
static vn_array *sorting_order(vn_array *x)
{
    if (!vn__is(vn_dtype_of(x), VN_COMPLEX)) return vn_argsort(x, 0, NULL);
    vn_array *by_imag = vn_argsort(vn_imag(x), 0, NULL);
    return vn_take(by_imag, vn_argsort(vn_take(vn_real(x), by_imag, 0), 0, NULL), 0);
}

/* with_order: the order itself is needed, not only the sorted elements */
static sorting sorted_groups(vn_array *x, bool with_order)
{
    sorting s = {.n = vn_size(x)};
    x = vn__flat(x);
    s.order = sorting_order(x);
    s.sorted = with_order || vn__is(vn_dtype_of(x), VN_COMPLEX) ? vn_take(x, s.order, 0) : vn_sort(x, 0, NULL);
    s.first = vn__filled(x, 1, VN_SHAPE(s.n));
    if (s.n > 1) {
        vn_shape rest = VN_SHAPE(s.n - 1);
        vn_array *differs = vn_not_equal(vn_slice_at(s.sorted, VN_SHAPE(1), rest), vn_slice_at(s.sorted, VN_SHAPE(0), rest));
        s.first = vn_slice_set(s.first, vn_cast(differs, VN_I64), vn__index(x, VN_SHAPE(1)));
    }
    s.group = vn_sub(vn_cumulative_sum(s.first, 0, NULL), vn_scalar(1));
    return s;
}

/* The size of each of n groups. */
static vn_array *counts_of(const sorting *s, int64_t n)
{
    return vn_index_add(vn__filled(s->group, 0, VN_SHAPE(n)), s->group, vn__filled(s->group, 1, VN_SHAPE(s->n)), 0);
}

vn_array *compose_unique(vn_array *const *in, const vn__infer *i)
{
    enum { INDICES = 2, INVERSE = 4 }; /* bits of the results */
    int64_t n;
    const bool with_order = (~i->unwanted & (INDICES | INVERSE)) != 0;
    sorting s = sorted_groups(in[0], with_order);
    if (vn__count_now(s.first, with_order ? s.order : s.sorted, &n)) return NULL;
    vn_array *starts = places(s.first, n), *inverse = vn_index_set(vn__filled(s.group, 0, VN_SHAPE(s.n)), s.order, s.group, 0);
    i->more[0] = vn_take(s.order, starts, 0);
    i->more[1] = vn_reshape(inverse, vn_shape_of(in[0]));
    i->more[2] = counts_of(&s, n);
    return i->more[0] && i->more[1] && i->more[2] ? vn_take(s.sorted, starts, 0) : NULL;
}
vn_array *compose_unique_values(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return vn_unique(in[0], NULL, NULL, NULL);
}
vn_array *compose_unique_counts(vn_array *const *in, const vn__infer *i)
{
    return vn_unique(in[0], NULL, NULL, &i->more[0]);
}
vn_array *compose_unique_inverse(vn_array *const *in, const vn__infer *i)
{
    return vn_unique(in[0], NULL, &i->more[0], NULL);
}

vn_array *compose_unique_sized(vn_array *const *in, const vn__infer *i)
{
    int64_t n = i->options->v[OPT_UNIQUE_SIZED_SIZE].u.i;
    sorting s = sorted_groups(in[0], false);
    vn_array *starts = places(s.first, n), *found = vn_less(starts, vn_scalar((double)s.n));
    i->more[0] = counts_of(&s, n);
    return i->more[0] ? vn_where(found, vn_take(s.sorted, starts, 0), vn_scalar(i->options->v[OPT_UNIQUE_SIZED_FILL].u.f)) : NULL;
}

vn_array *compose_isin(vn_array *const *in, const vn__infer *i)
{
    vn_array *like = vn__node_of(in[0])->flags & VN__WEAK ? in[1] : in[0];
    vn_array *x = vn_cast(vn__settled(in[0], like), (vn_dtype)i->want[0]);
    vn_array *values = vn_sort(vn__flat(vn_cast(vn__settled(in[1], like), (vn_dtype)i->want[1])), 0, NULL);
    vn_array *at = vn_searchsorted(values, x, VN_NONE, NULL), *inside = vn_less(at, vn_scalar((double)vn_size(values)));
    vn_array *found = vn_logical_and(inside, vn_equal(vn_take(values, at, 0), x));
    return i->options->v[OPT_ISIN_INVERT].u.i ? vn_logical_not(found) : found;
}
