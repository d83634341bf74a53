/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: x[key] and x[key] = y, with NumPy's rules: integers, slices, ..., None, arrays of integers and of bools.
 *
 * A key is first read into a plan (Python objects, the interpreter lock held), which is then recorded as ops (no Python, the lock free).
 * Every array is a value of its own: x[key] = y gives x a new value, and what was taken from x before keeps the old one. */
#include "binding.h"
#include <string.h>

enum { MAX_PARTS = 2 * VN_MAX_RANK };

/* One part of a key. Integers and slices are blocks; an index array stands for one axis. */
typedef enum { BLOCK, POINT, NEW, LIST } part_kind;
enum { NO_AXIS = -1 };
typedef struct {
    part_kind kind;
    int axis;                   /* of x; NO_AXIS: a single bool, which indexes an axis of size 1 that x does not have */
    int64_t start, count, step; /* BLOCK and POINT */
    vn_array *index;            /* LIST: int64 */
} part;

typedef struct {
    vn_array *x, *mask; /* mask: the key is one array of bools */
    vn_shape shape;     /* of x */
    int n, lists;
    int dots; /* the part behind the ellipsis, which separates index arrays even where it stands for no axes; -1: there is none */
    part parts[MAX_PARTS];
    bool steps;     /* some step is not 1 */
    int64_t wrong;  /* an index out of range, */
    int wrong_axis; /* on this axis, or -1 */
} plan;

/* ---- reading the key ---- */

static bool too_many(const plan *p)
{
    return raise_index("too many indices: the array has %d axes", p->shape.rank), false;
}

static bool add_point(plan *p, int axis, int64_t i)
{
    if (axis >= p->shape.rank) return too_many(p);
    const int64_t n = p->shape.dim[axis];
    if (i < -n || i >= n)
        return raise_index("index %lld is out of range for axis %d of size %lld", (long long)i, axis, (long long)n), false;
    p->parts[p->n++] = (part){.kind = POINT, .axis = axis, .start = i < 0 ? i + n : i, .count = 1, .step = 1};
    return true;
}

static bool add_slice(plan *p, int axis, PyObject *slice)
{
    if (axis >= p->shape.rank) return too_many(p);
    Py_ssize_t start = 0, stop = (Py_ssize_t)p->shape.dim[axis], step = 1;
    if (slice && PySlice_Unpack(slice, &start, &stop, &step)) return false;
    const Py_ssize_t n = PySlice_AdjustIndices((Py_ssize_t)p->shape.dim[axis], &start, &stop, step);
    if (n <= 1 && n >= 0 && step != 1) step = 1;
    p->parts[p->n++] = (part){.kind = BLOCK, .axis = axis, .start = n ? start : 0, .count = n, .step = step};
    p->steps |= step != 1;
    return true;
}

static bool add_list(plan *p, int axis, vn_array *index)
{
    if (axis >= p->shape.rank) return too_many(p);
    if (!(index = cast_to(index, VN_I64))) return raise_error(), false;
    p->parts[p->n++] = (part){.kind = LIST, .axis = axis, .index = index};
    p->lists++;
    return true;
}

/* An array of bools has the sizes of the axes that it stands for, from `axis` on; or no elements, as NumPy permits. */
static bool mask_fits(const plan *p, int axis, vn_array *mask)
{
    const vn_shape m = vn_shape_of(mask);
    if (axis + m.rank > p->shape.rank) return too_many(p);
    for (int k = 0; k < m.rank; k++) {
        if (m.dim[k] == p->shape.dim[axis + k] || !m.dim[k]) continue;
        raise_index("the array of bools has size %lld where axis %d has %lld", (long long)m.dim[k], axis + k,
                    (long long)p->shape.dim[axis + k]);
        return false;
    }
    return true;
}

/* An array of bools stands for the positions where it holds, one index array for each of its axes; a single bool for one position or none. */
static bool add_bools(plan *p, int *axis, vn_array *mask)
{
    const int rank = vn_rank(mask), columns = rank ? rank : 1;
    if (!mask_fits(p, *axis, mask)) return false;
    vn_array *at = NULL, *column[VN_MAX_RANK];
    int code;
    UNLOCKED(at = vn_nonzero(rank ? mask : vn_reshape(mask, VN_SHAPE(1))); code = at ? vn_unstack(at, columns, 1, column) : 1);
    if (code) return raise_error(), false;
    for (int k = 0; k < columns; k++)
        if (!add_list(p, rank ? (*axis)++ : NO_AXIS, column[k])) return false;
    return true;
}

static bool is_mask(vn_array *x)
{
    return vn_dtype_of(x) == VN_BOOL;
}

/* The axes of x that a part of the key stands for. */
static int axes_of(PyObject *o, vn_array *array)
{
    if (o == Py_None || o == Py_Ellipsis) return 0;
    return array && is_mask(array) ? vn_rank(array) : 1;
}

static bool is_plain(PyObject *o)
{
    return o == Py_None || o == Py_Ellipsis || PySlice_Check(o) || (PyLong_Check(o) && !PyBool_Check(o));
}

static bool add_part(plan *p, int *axis, PyObject *o, vn_array *array)
{
    if (o == Py_None) return p->parts[p->n++] = (part){.kind = NEW, .count = 1}, true;
    if (PySlice_Check(o)) return add_slice(p, (*axis)++, o);
    if (array && is_mask(array)) return add_bools(p, axis, array);
    if (array) return add_list(p, (*axis)++, array);
    int overflow;
    const int64_t i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) PyErr_SetString(PyExc_IndexError, "an index does not fit into 64 bits");
    if (i == -1 && PyErr_Occurred()) return false;
    return add_point(p, (*axis)++, i);
}

/* The index array of a part of the key that is neither number nor slice; integers of other libraries, and 0-d arrays, are points. */
static vn_array *index_array(plan *p, PyObject *o, PyObject **number)
{
    *number = NULL;
    if (!is_array(o) && !PyBool_Check(o) && PyIndex_Check(o) && !PyObject_CheckBuffer(o) && !PyObject_HasAttrString(o, "__dlpack__"))
        return *number = PyNumber_Index(o), NULL;
    vn_array *x = array_from(o, -1, COPY_IF_NEEDED);
    if (!x && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        raise_index("integers, slices, ..., None and arrays of integers or bools are indices, not %R", o);
    }
    if (!x) return NULL;
    if (!vn_size(x) && !is_array(o) && vn_dtype_of(x) == VN_F32) x = cast_to(x, VN_I64); /* [] */
    if (!(x = array_on(x, vn_engine_of(p->x)))) return NULL;
    if (VN_BIT(vn_dtype_of(x)) & (VN_INTS | VN_BIT(VN_BOOL))) return x;
    raise_index("arrays used as indices have integers or bools, not %s", vn_dtype_name(vn_dtype_of(x)));
    return NULL;
}

/* Writes the shape as Python does, as much of it as there is room for. */
static size_t write_shape(vn_shape s, char *to, size_t room)
{
    size_t n = (size_t)snprintf(to, room, "(");
    for (int k = 0; k < s.rank && n < room; k++)
        n += (size_t)snprintf(to + n, room - n, k || s.rank == 1 ? (k ? ", %lld" : "%lld,") : "%lld", (long long)s.dim[k]);
    if (n < room) n += (size_t)snprintf(to + n, room - n, ")");
    return n;
}

static bool do_not_broadcast(const plan *p)
{
    char text[512] = "";
    size_t n = 0;
    for (int k = 0; k < p->n; k++) {
        if (p->parts[k].kind != LIST) continue;
        if (n && n < sizeof text) n += (size_t)snprintf(text + n, sizeof text - n, " ");
        if (n < sizeof text) n += write_shape(vn_shape_of(p->parts[k].index), text + n, sizeof text - n);
    }
    return raise_index("the index arrays cannot be broadcast together: their shapes are %s", text), false;
}

/* Index arrays have a common shape: sizes that differ along an axis, counted from the last, are 1 except for one of them. */
static bool lists_fit(const plan *p)
{
    int64_t common[VN_MAX_RANK]; /* from the last axis on */
    for (int k = 0; k < VN_MAX_RANK; k++) common[k] = 1;
    for (int k = 0; k < p->n && p->lists > 1; k++) {
        if (p->parts[k].kind != LIST) continue;
        const vn_shape s = vn_shape_of(p->parts[k].index);
        for (int j = 0; j < s.rank; j++) {
            const int64_t n = s.dim[s.rank - 1 - j];
            if (n == 1 || n == common[j]) continue;
            if (common[j] != 1) return do_not_broadcast(p);
            common[j] = n;
        }
    }
    return true;
}

static bool read_items(plan *p, int n, PyObject *const *items)
{
    vn_array *arrays[MAX_PARTS] = {NULL};
    PyObject *numbers[MAX_PARTS] = {NULL};
    int used = 0, dots = 0, axis = 0;
    bool good = true;
    for (int k = 0; k < n && good; k++) {
        if (!is_plain(items[k])) arrays[k] = index_array(p, items[k], &numbers[k]);
        good = !PyErr_Occurred();
        used += axes_of(items[k], arrays[k]);
        dots += items[k] == Py_Ellipsis;
    }
    if (good && dots > 1) good = (raise_index("a key can have only one ellipsis"), false);
    if (good && used > p->shape.rank) good = too_many(p);
    if (good && n == 1 && arrays[0] && is_mask(arrays[0]) && (good = mask_fits(p, 0, arrays[0])) &&
        (vn_size(arrays[0]) || !vn_size(p->x))) {
        p->mask = arrays[0];
        n = 0;
    }
    for (int k = 0; k < n && good; k++) {
        if (items[k] == Py_Ellipsis) p->dots = p->n;
        if (items[k] == Py_Ellipsis)
            for (int rest = p->shape.rank - used; rest > 0 && good; rest--) good = add_slice(p, axis++, NULL);
        else good = add_part(p, &axis, numbers[k] ? numbers[k] : items[k], arrays[k]);
    }
    while (good && !p->mask && axis < p->shape.rank) good = add_slice(p, axis++, NULL);
    for (int k = 0; k < n; k++) Py_XDECREF(numbers[k]);
    return good && lists_fit(p);
}

static bool read_parts(plan *p, PyObject *key)
{
    p->mask = NULL;
    p->shape = vn_shape_of(p->x);
    p->n = p->lists = 0;
    p->steps = false;
    p->dots = p->wrong_axis = -1;
    if (!PyTuple_Check(key)) return read_items(p, 1, &key);
    PyObject *items[MAX_PARTS];
    const Py_ssize_t n = PyTuple_Size(key);
    if (n > VN_MAX_RANK) return too_many(p);
    for (Py_ssize_t k = 0; k < n; k++) items[k] = PyTuple_GetItem(key, k);
    return read_items(p, (int)n, items);
}

/* The plan is for the value that x has once the key is read, which may run Python code that assigns to x; assigning keeps shape, dtype and
 * engine. False raises. */
static bool read_key(plan *p, PyObject *x, PyObject *key)
{
    p->x = held_of(x);
    const bool good = read_parts(p, key);
    p->x = held_of(x);
    return good;
}

/* ---- reading elements ---- */

/* The blocks of a plan, axis by axis. */
typedef struct {
    vn_shape start, size, step;
    bool whole; /* all of x */
} blocks;

static blocks blocks_of(const plan *p)
{
    blocks b = {p->shape, p->shape, p->shape, true};
    for (int k = 0; k < p->shape.rank; k++) b.start.dim[k] = 0, b.step.dim[k] = 1;
    for (int k = 0; k < p->n; k++) {
        const part *q = &p->parts[k];
        if (q->kind != BLOCK && q->kind != POINT) continue;
        b.start.dim[q->axis] = q->start;
        b.size.dim[q->axis] = q->count;
        b.step.dim[q->axis] = q->step;
        b.whole &= q->step == 1 && q->count == p->shape.dim[q->axis];
    }
    return b;
}

/* Where the blocks end, as slices count; one before the first element has no number, so it is far away. */
static vn_shape ends_of(const plan *p, const blocks *b)
{
    vn_shape stop = b->start;
    for (int k = 0; k < stop.rank; k++) {
        stop.dim[k] += b->size.dim[k] * b->step.dim[k];
        if (stop.dim[k] < 0) stop.dim[k] = -p->shape.dim[k] - 1;
    }
    return stop;
}

/* x with its blocks taken; axes of points and new axes follow in `shaped`. */
static vn_array *take_blocks(const plan *p)
{
    const blocks b = blocks_of(p);
    if (b.whole) return p->x;
    return p->steps ? vn_slice_step(p->x, b.start, ends_of(p, &b), b.step) : vn_slice_at(p->x, b.start, b.size);
}

/* The size of the axis that an index array stands for. */
static int64_t size_of(const plan *p, const part *list)
{
    return list->axis == NO_AXIS ? 1 : p->shape.dim[list->axis];
}

/* The shape that the blocks have in the result; axes with an index array are whole. */
static vn_shape block_shape(const plan *p)
{
    vn_shape s = {0};
    for (int k = 0; k < p->n; k++) {
        const part *q = &p->parts[k];
        if (q->kind == POINT) continue;
        if (s.rank >= VN_MAX_RANK) s.rank = VN_MAX_RANK + 1; /* an error when it is used */
        else s.dim[s.rank++] = q->kind == LIST ? size_of(p, q) : q->count;
    }
    return s;
}

static vn_array *shaped(const plan *p, vn_array *x)
{
    const vn_shape s = block_shape(p), old = vn_shape_of(x);
    if (s.rank == old.rank && !memcmp(s.dim, old.dim, (size_t)s.rank * sizeof *s.dim)) return x;
    return vn_reshape(x, s);
}

/* Every index must be in range; inside a captured function there are no values to look at. */
static bool in_range(plan *p)
{
    for (int k = 0; k < p->n && !capturing; k++) {
        part *q = &p->parts[k];
        if (q->kind != LIST) continue;
        const int64_t *at = vn_data(q->index), n = size_of(p, q), count = vn_size(q->index);
        if (!at && count) return false;
        for (int64_t i = 0; i < count; i++) {
            if (at[i] >= -n && at[i] < n) continue;
            p->wrong = at[i];
            p->wrong_axis = q->axis;
            return false;
        }
    }
    return true;
}

/* Where the axes of the index arrays go: to the first of them if all stand side by side, else to the front. Points count as arrays. */
static int place_of_lists(const plan *p)
{
    int first = -1, last = -1, place = 0;
    for (int k = 0; k < p->n; k++) {
        if (p->parts[k].kind != LIST && p->parts[k].kind != POINT) continue;
        if (first < 0) first = k;
        if (last >= 0 && (last != k - 1 || p->dots == k)) return 0;
        last = k;
    }
    for (int k = 0; k < first; k++) place++;
    return place;
}

/* The axes [from, from + n) of x moved to `to`. */
static vn_array *move_axes(vn_array *x, int from, int n, int to)
{
    if (from == to || !n) return x;
    vn_axes order = {.n = vn_rank(x)};
    int at = 0;
    for (int k = 0, rest = 0; k < order.n; k++) {
        if (k == to)
            while (at < n) order.axis[k++] = from + at++;
        if (k == order.n) break;
        while (rest >= from && rest < from + n) rest++;
        order.axis[k] = rest++;
    }
    return vn_permute_dims(x, order);
}

/* The shape that index arrays broadcast to, which they fit. */
static vn_shape shape_of_lists(const plan *p)
{
    vn_shape all = {0};
    for (int k = 0; k < p->n; k++)
        if (p->parts[k].kind == LIST && vn_rank(p->parts[k].index) > all.rank) all.rank = vn_rank(p->parts[k].index);
    for (int k = 0; k < all.rank; k++) all.dim[k] = 1;
    for (int k = 0; k < p->n; k++) {
        const vn_shape s = p->parts[k].kind == LIST ? vn_shape_of(p->parts[k].index) : (vn_shape){0};
        for (int j = 0; j < s.rank; j++)
            if (s.dim[j] != 1) all.dim[all.rank - s.rank + j] = s.dim[j];
    }
    return all;
}

/* An array with axes of size 1 in front and behind. */
static vn_array *between_ones(int front, vn_array *x, int behind)
{
    const vn_shape s = vn_shape_of(x);
    vn_shape wide = {.rank = front + s.rank + behind};
    if (wide.rank > VN_MAX_RANK) return vn_reshape(x, (vn_shape){.rank = VN_MAX_RANK + 1}); /* which fails */
    for (int k = 0; k < wide.rank; k++) wide.dim[k] = k < front || k >= front + s.rank ? 1 : s.dim[k - front];
    return vn_reshape(x, wide);
}

/* An index array without negative numbers, times `step`. Inside a captured function, where no one has looked at the numbers, those out of
 * range become positions behind all elements, which give NaN or 0 and replace nothing. */
static vn_array *list_positions(const plan *p, const part *q, int64_t step)
{
    const int64_t n = size_of(p, q);
    vn_array *index = vn_where(vn_less(q->index, vn_scalar_int(0)), vn_add(q->index, vn_scalar_int(n)), q->index);
    vn_array *at = vn_mul(index, vn_scalar_int(step));
    if (!capturing) return at;
    vn_array *outside = vn_logical_or(vn_less(index, vn_scalar_int(0)), vn_greater_equal(index, vn_scalar_int(n)));
    return vn_where(outside, vn_scalar_int(vn_size(p->x)), at);
}

/* What a part of the key adds to the positions of elements in the flattened x, `step` elements apart along the part's axis. */
static vn_array *positions_along(const plan *p, const part *q, int64_t step)
{
    if (q->kind == LIST) return list_positions(p, q, step);
    vn_array *at = vn_mul(vn_arange(0, (double)q->count, 1, VN_I64), vn_scalar_int(q->step));
    return vn_mul(vn_add(at, vn_scalar_int(q->start)), vn_scalar_int(step));
}

/* The positions, in the flattened x, of the elements that the key stands for, in the shape that x[key] has. */
static vn_array *positions_of(plan *p)
{
    if (p->mask) { /* as many as x has elements are looked at anyway */
        vn_array *all = vn_reshape(vn_arange(0, (double)vn_size(p->x), 1, VN_I64), p->shape);
        return all ? vn_mask(all, p->mask) : NULL;
    }
    if (!in_range(p)) return NULL;
    int64_t steps[VN_MAX_RANK], step = 1;
    for (int k = p->shape.rank; k-- > 0; step *= p->shape.dim[k]) steps[k] = step;
    const int place = place_of_lists(p), wide = shape_of_lists(p).rank, rest = block_shape(p).rank - p->lists;
    vn_array *at = vn_zeros(VN_0D, VN_I64);
    for (int k = 0, axis = 0; k < p->n && at; k++) {
        const part *q = &p->parts[k];
        vn_array *along = q->kind == NEW ? vn_zeros(VN_SHAPE(1), VN_I64) : positions_along(p, q, q->axis == NO_AXIS ? 0 : steps[q->axis]);
        if (!along) return NULL;
        if (q->kind == POINT) along = vn_reshape(along, VN_0D);
        else if (q->kind == LIST) along = between_ones(place, along, rest - place);
        else along = between_ones(axis + (axis >= place ? wide : 0), along, rest - axis - 1 + (axis < place ? wide : 0)), axis++;
        at = along ? vn_add(at, along) : NULL;
    }
    return at;
}

/* Several index arrays: one array of positions into their axes, merged, which come first. */
static vn_array *take_many(const plan *p, vn_array *y, vn_array **positions)
{
    vn_axes order = {.n = vn_rank(y)};
    vn_shape flat = {.rank = 1, .dim = {1}};
    vn_array *at = NULL;
    int axis = 0, front = 0, back = p->lists;
    for (int k = 0; k < p->n; k++) {
        const part *q = &p->parts[k];
        if (q->kind == POINT) continue;
        order.axis[q->kind == LIST ? front++ : back++] = axis++;
        const int64_t n = q->kind == LIST ? size_of(p, q) : q->count;
        if (q->kind != LIST) {
            flat.dim[flat.rank++] = n;
            continue;
        }
        vn_array *size = vn_scalar((double)n), *i = n ? vn_remainder(q->index, size) : q->index;
        if (!(at = at ? vn_add(vn_mul(at, size), i) : i)) return NULL;
        flat.dim[0] *= n;
    }
    *positions = at;
    return vn_take(vn_reshape(vn_permute_dims(y, order), flat), at, 0);
}

static vn_array *take_lists(const plan *p, vn_array *y)
{
    const int place = place_of_lists(p);
    if (p->lists > 1) {
        vn_array *at, *z = take_many(p, y, &at);
        return z ? move_axes(z, 0, vn_rank(at), place) : NULL;
    }
    int axis = 0;
    const part *q = p->parts;
    for (; q->kind != LIST; q++) axis += q->kind != POINT;
    vn_array *z = vn_take(y, q->index, axis);
    return z ? move_axes(z, axis, vn_rank(q->index), place) : NULL;
}

/* Whether x[key] by several index arrays has so few of the elements of x that to compute where each is takes less than to move axes of x;
 * also inside a captured function, where numbers may be out of range. */
static bool takes_few(const plan *p)
{
    const vn_shape lists = shape_of_lists(p);
    double n = 8; /* a position takes about as long as moving so many elements */
    for (int k = 0; k < lists.rank; k++) n *= (double)lists.dim[k];
    for (int k = 0; k < p->n; k++)
        if (p->parts[k].kind == BLOCK) n *= (double)p->parts[k].count;
    return p->lists > 1 && (n < (double)vn_size(p->x) || capturing);
}

/* x[key]; NULL: an error of the library, or p->wrong_axis is set. */
static vn_array *taken(plan *p)
{
    if (p->mask) return vn_mask(p->x, p->mask);
    if (takes_few(p)) {
        vn_array *at = positions_of(p);
        return at ? vn_take(vn_flatten(p->x), at, 0) : NULL;
    }
    if (p->lists && !in_range(p)) return NULL;
    vn_array *y = take_blocks(p);
    if (y) y = shaped(p, y);
    return y && p->lists ? take_lists(p, y) : y;
}

static PyObject *failed(const plan *p)
{
    if (p->wrong_axis < 0) return raise_error();
    return raise_index("index %lld is out of range for axis %d of size %lld", (long long)p->wrong, p->wrong_axis,
                       (long long)p->shape.dim[p->wrong_axis]);
}

/* The position of a number among n, or -1: read_key says what is wrong. */
static int64_t position(PyObject *number, int64_t n)
{
    if (!PyLong_CheckExact(number)) return -1;
    int overflow;
    const int64_t i = PyLong_AsLongLongAndOverflow(number, &overflow);
    const int64_t at = i < 0 ? i + n : i;
    return overflow || at < 0 || at >= n ? -1 : at;
}

/* x[3], x[1, 2] and x[2:5] where the elements are few and at hand: copying them is shorter than recording an op. NULL without an exception:
 * it is another key or array. */
static PyObject *get_at_hand(vn_array *x, PyObject *key, bool slice, Py_ssize_t start, Py_ssize_t stop)
{
    const bool tuple = !slice && PyTuple_Check(key);
    if (!slice && !tuple && !PyLong_CheckExact(key)) return NULL;
    const char *data = vn_data_at_hand(x);
    if (!data) return NULL;
    const vn_shape shape = vn_shape_of(x);
    const int taken = slice ? 0 : tuple ? (int)PyTuple_Size(key) : 1; /* axes that end at a point */
    if (taken > shape.rank || !shape.rank || shape.rank - taken > FEW_RANK) return NULL;
    int64_t first = 0, count = 1, sizes[FEW_RANK];
    for (int k = 0; k < taken; k++) {
        const int64_t at = position(tuple ? PyTuple_GetItem(key, k) : key, shape.dim[k]);
        if (at < 0) return NULL;
        first = first * shape.dim[k] + at;
    }
    for (int k = taken; k < shape.rank; k++) {
        count *= sizes[k - taken] = shape.dim[k];
        first *= shape.dim[k];
    }
    if (slice) {
        const Py_ssize_t n = PySlice_AdjustIndices((Py_ssize_t)shape.dim[0], &start, &stop, 1);
        if (!n) return NULL;
        count = count / shape.dim[0] * (sizes[0] = n);
        first = count / n * start;
    }
    const int dtype = vn_dtype_of(x);
    const size_t size = vn_dtype_size((vn_dtype)dtype), bytes = (size_t)count * size;
    if (bytes > FEW_BYTES) return NULL;
    return array_of_few(vn_engine_of(x), dtype, shape.rank - taken, sizes, data + (size_t)first * size, bytes);
}

/* x[3] and x[2:5] of an array that is not computed. NULL without an exception as above. */
static PyObject *get_later(vn_array *x, PyObject *key, bool slice, Py_ssize_t start, Py_ssize_t stop)
{
    if ((!slice && !PyLong_CheckExact(key)) || !vn_rank(x)) return NULL;
    const int64_t size = vn_dim(x, 0), at = slice ? 0 : position(key, size);
    if (!slice) return at < 0 ? NULL : array_part(x, at, 1, true);
    const Py_ssize_t n = PySlice_AdjustIndices((Py_ssize_t)size, &start, &stop, 1);
    return !n || n == size ? NULL : array_part(x, start, n, false);
}

PyObject *array_get(PyObject *self, PyObject *key)
{
    plan p;
    PyObject *result = NULL;
    Py_ssize_t start = 0, stop = 0, step = 1;
    const bool slice = PySlice_Check(key);
    if (slice && PySlice_Unpack(key, &start, &stop, &step)) return NULL; /* may run Python code */
    if (step == 1) {
        vn_array *x = handle_of(self);
        result = get_at_hand(x, key, slice, start, stop);
        if (!result && !PyErr_Occurred()) result = get_later(x, key, slice, start, stop);
    }
    if (result || PyErr_Occurred()) return result;
    vn_array *z;
    engine_use use;
    vn_scope scope = vn_scope_begin();
    if (read_key(&p, self, key) && engine_enter(&use, vn_engine_of(p.x))) {
        UNLOCKED(z = taken(&p));
        engine_leave(&use);
        result = z ? array_keep(z) : failed(&p);
    }
    vn_scope_end(scope);
    return result;
}

/* ---- writing elements ---- */

static vn_array *spread(vn_array *y, vn_shape shape)
{
    const vn_shape s = vn_shape_of(y);
    int extra = s.rank - shape.rank; /* axes of size 1 in front are dropped, as NumPy does */
    for (int k = 0; k < extra; k++)
        if (s.dim[k] != 1) extra = -1;
    if (extra > 0) y = vn_reshape(y, vn__shape(s.dim + extra, (size_t)shape.rank));
    return y ? vn_broadcast_to(y, shape) : NULL;
}

/* Blocks, with steps or without, are one op. */
static vn_array *set_blocks(const plan *p, vn_array *y, bool add)
{
    const blocks b = blocks_of(p);
    if (!(y = spread(y, block_shape(p)))) return NULL;
    y = vn_reshape(y, b.size);
    if (b.whole) return add ? vn_add(p->x, y) : y;
    if (p->steps || add) return vn_slice_step_set(p->x, y, b.start, ends_of(p, &b), b.step, VN_OPTS(slice_step_set, .add = add));
    const int64_t rank = p->shape.rank;
    return vn_slice_set(p->x, y, vn_array_from(b.start.dim, VN_I64, 1, &rank));
}

/* One index array beside whole axes is one op, too. */
static bool is_one_list(const plan *p)
{
    bool whole = p->lists == 1;
    for (int k = 0; k < p->n; k++) {
        const part *q = &p->parts[k];
        whole &= (q->kind == LIST && q->axis != NO_AXIS) || (q->kind == BLOCK && q->step == 1 && q->count == p->shape.dim[q->axis]);
    }
    return whole;
}

static vn_array *set_list(plan *p, vn_array *y, bool add)
{
    if (!in_range(p)) return NULL;
    const part *q = p->parts;
    while (q->kind != LIST) q++;
    vn_shape s = {0};
    const vn_shape index = vn_shape_of(q->index);
    for (int k = 0; k < p->shape.rank; k++) {
        const int n = k == q->axis ? index.rank : 1;
        if (s.rank + n > VN_MAX_RANK) return vn_reshape(y, (vn_shape){.rank = VN_MAX_RANK + 1}); /* which fails */
        memcpy(&s.dim[s.rank], k == q->axis ? index.dim : &p->shape.dim[k], (size_t)n * sizeof *s.dim);
        s.rank += n;
    }
    if (!(y = spread(y, s))) return NULL;
    return add ? vn_index_add(p->x, q->index, y, q->axis) : vn_index_set(p->x, q->index, y, q->axis);
}

/* Everything else: by the positions of the elements to replace. */
static vn_array *set_positions(plan *p, vn_array *y, bool add)
{
    vn_array *x = p->x, *at = positions_of(p);
    if (!at || !(y = spread(y, vn_shape_of(at)))) return NULL;
    if (!vn_size(at)) return x;
    vn_array *flat = vn_flatten(x);
    at = vn_flatten(at);
    y = vn_flatten(y);
    return vn_reshape(add ? vn_index_add(flat, at, y, 0) : vn_index_set(flat, at, y, 0), p->shape);
}

/* One number where a mask holds. */
static vn_array *set_masked(const plan *p, vn_array *y)
{
    vn_shape wide = p->shape;
    const vn_shape m = vn_shape_of(p->mask);
    for (int k = m.rank; k < wide.rank; k++) wide.dim[k] = 1;
    for (int k = 0; k < m.rank; k++) wide.dim[k] = m.dim[k];
    return vn_where(vn_reshape(p->mask, wide), y, p->x);
}

static vn_array *replaced(plan *p, vn_array *y, bool add)
{
    if (p->mask && !add && !vn_rank(y)) return set_masked(p, y);
    if (!p->mask && !p->lists) return set_blocks(p, y, add);
    if (!p->mask && is_one_list(p)) return set_list(p, y, add);
    return set_positions(p, y, add);
}

/* x with the elements at the key replaced; belongs to the scope. *of is the handle that x had, kept for the caller. NULL raises. */
static vn_array *replaced_in(PyObject *self, plan *p, vn_array *y, bool add, vn_array **of)
{
    vn_array *z, *x = *of = vn_keep(handle_of(self));
    engine_use use;
    if (!engine_enter(&use, vn_engine_of(x))) return NULL;
    p->x = vn_alias(x);
    UNLOCKED(z = replaced(p, y, add));
    engine_leave(&use);
    if (!z) failed(p);
    return z;
}

/* Whether the key stands for one element: NumPy takes nothing with axes for it, except an array of one element where there is an ellipsis. */
static bool is_element(const plan *p)
{
    for (int k = 0; k < p->n; k++) {
        const part *q = &p->parts[k];
        if (q->kind != POINT && (q->kind != LIST || vn_rank(q->index))) return false; /* 0-d index arrays are points as well */
    }
    return !p->mask;
}

/* The plan of a key and the value for it, with x's dtype and on its engine; belongs to the scope. NULL raises. */
static vn_array *value_for(PyObject *self, plan *p, PyObject *key, PyObject *value)
{
    if (!read_key(p, self, key)) return NULL;
    vn_array *y = array_from(value, vn_dtype_of(p->x), COPY_IF_NEEDED);
    if (!y) return NULL;
    if (is_element(p) && vn_rank(y) && (p->dots < 0 || PyList_Check(value) || PyTuple_Check(value))) {
        char text[256];
        write_shape(vn_shape_of(y), text, sizeof text);
        return PyErr_Format(PyExc_ValueError, "one element is a number or a 0-d array, not an array of shape %s", text), NULL;
    }
    return array_on(y, vn_engine_of(p->x));
}

int array_set(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) return PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted"), -1;
    plan p;
    bool done = false, again = true;
    vn_scope scope = vn_scope_begin();
    vn_array *y = value_for(self, &p, key, value);
    while (y && again) { /* until no other thread has assigned meanwhile, whose elements would be lost */
        vn_array *x, *z = replaced_in(self, &p, y, false, &x);
        again = z && handle_of(self) != x;
        done = z && !again && array_assign(self, z);
        vn_drop(x);
    }
    vn_scope_end(scope);
    return done ? 0 : -1;
}

PyObject *array_positions(PyObject *self, PyObject *key)
{
    plan p;
    PyObject *result = NULL;
    engine_use use;
    vn_scope scope = vn_scope_begin();
    if (read_key(&p, self, key) && engine_enter(&use, vn_engine_of(p.x))) {
        vn_array *at;
        UNLOCKED(at = positions_of(&p));
        engine_leave(&use);
        result = at ? array_keep(at) : failed(&p);
    }
    vn_scope_end(scope);
    return result;
}

PyObject *array_updated(PyObject *self, PyObject *args)
{
    PyObject *key, *value;
    int add;
    if (!PyArg_ParseTuple(args, "OOp", &key, &value, &add)) return NULL;
    vn_scope scope = vn_scope_begin();
    plan p;
    vn_array *x = NULL, *y = value_for(self, &p, key, value), *z = y ? replaced_in(self, &p, y, add, &x) : NULL;
    PyObject *result = z ? array_keep(z) : NULL;
    vn_drop(x);
    vn_scope_end(scope);
    return result;
}
