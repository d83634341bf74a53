/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: indexing, sorting, searching. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* x as (outer, length, inner) around an axis. */
typedef struct around {
    int64_t outer, length, inner;
} around;

static around around_axis(const type *x, int64_t axis)
{
    around a = {1, x->dims[axis], 1};
    for (int k = 0; k < x->rank; k++)
        if (k != axis) *(k < axis ? &a.outer : &a.inner) *= x->dims[k];
    return a;
}

static int64_t axis_of(const step *s, int rank)
{
    const int64_t axis = whole_setting(s, "axis", -1);
    return axis < 0 ? axis + rank : axis;
}

static bool good_axis(const step *s, const type *x)
{
    return axis_of(s, x->rank) >= 0 && axis_of(s, x->rank) < x->rank;
}

/* The position for an index; -1: out of range. */
static int64_t position(num index, int64_t length)
{
    const double at = index.v < 0 ? index.v + (double)length : index.v;
    return at >= 0 && at < (double)length ? (int64_t)at : -1;
}

/* ---- take, index_add, index_set ---- */

static bool infer_take(const program *p, step *s)
{
    if (s->n_in < 2) return false;
    const type *x = operand_type(p, s, 0), *index = operand_type(p, s, 1);
    if (x->weak || !is_int(index->dtype) || !good_axis(s, x) || x->rank - 1 + index->rank > 6) return false;
    const int64_t axis = axis_of(s, x->rank);
    type z = {.dtype = x->dtype};
    for (int a = 0; a < x->rank; a++) {
        if (a != axis) z.dims[z.rank++] = x->dims[a];
        else
            for (int b = 0; b < index->rank; b++) z.dims[z.rank++] = index->dims[b];
    }
    s->type = z;
    return true;
}

static void compute_take(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0), *index = operand_type(m->p, s, 1);
    const num *x = m->values[s->in[0]], *at = m->values[s->in[1]];
    const around a = around_axis(t, axis_of(s, t->rank));
    for (int64_t o = 0; o < a.outer; o++)
        for (int64_t k = 0; k < index->count; k++)
            for (int64_t i = 0; i < a.inner; i++) {
                const int64_t from = position(at[k], a.length);
                num v = from < 0 ? exactly(is_float(t->dtype) ? NAN : 0) : x[(o * a.length + from) * a.inner + i];
                if (at[k].e != 0) v.e = INFINITY;
                z[(o * index->count + k) * a.inner + i] = v;
            }
}

/* Positions along an axis of x: as many as there is room for. */
static int some_index(generator *g, const type *x, int64_t axis)
{
    const int64_t length = x->dims[axis], others = x->count / (length ? length : 1), room = g->left / 2 / (others ? others : 1);
    type t = {.dtype = chance(g, .7) ? VN_I64 : VN_I32, .rank = chance(g, .8) ? 1 : 2};
    t.dims[0] = some_length(g, room < 2 * length + 8 ? (room > 0 ? room : 1) : 2 * length + 8);
    if (t.rank == 2) t.dims[1] = 1 + below(g, 2);
    t.count = count_of(&t);
    return new_input(g, t, INDEX, length);
}

static bool choose_take(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 4);
    if (x < 0 || g->p->steps[x].type.count == 0) return false;
    const int64_t axis = some_axis(g, &g->p->steps[x].type);
    const int index = some_index(g, &g->p->steps[x].type, axis);
    if (index < 0) return false;
    operands(s, 2, x, index);
    set_whole(s, "axis", axis);
    return true;
}

static bool infer_put(const program *p, step *s)
{
    if (s->n_in != 3 || !infer_take(p, s)) return false;
    const type *x = operand_type(p, s, 0), *y = operand_type(p, s, 2);
    type wide = s->type;
    if (y->weak || y->dtype != x->dtype || !broadcast_types(&wide, y) || !same_shape(&wide, &s->type)) return false;
    s->type = *x;
    return !strcmp(s->op->name, "index_set") || x->dtype != VN_BOOL;
}

static void compute_put(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0), *index = operand_type(m->p, s, 1);
    const num *x = m->values[s->in[0]], *at = m->values[s->in[1]], *y = m->values[s->in[2]];
    const around a = around_axis(t, axis_of(s, t->rank));
    const bool add = !strcmp(s->op->name, "index_add");
    step taken = *s; /* take's shape, to which y is broadcast */
    taken.n_in = 2;
    infer_take(m->p, &taken);
    walk w;
    walk_begin(&w, &taken.type);
    walk_operand(&w, operand_type(m->p, s, 2));
    double *sizes = calloc((size_t)t->count + 1, sizeof *sizes); /* bounds of the sums added to each element, in any order */
    memcpy(z, x, (size_t)t->count * sizeof *z);
    for (int64_t o = 0; sizes && o < a.outer; o++)
        for (int64_t k = 0; k < index->count; k++)
            for (int64_t i = 0; i < a.inner; i++, walk_next(&w)) {
                const int64_t to = position(at[k], a.length);
                if (to < 0) continue;
                const int64_t place = (o * a.length + to) * a.inner + i;
                const double v = y[w.at[0]].v;
                const bool again = sizes[place] > 0;
                z[place] = add ? num_add(z[place], y[w.at[0]], t->dtype) : y[w.at[0]];
                sizes[place] += fabs(v);
                const bool whole = v == rint(v) && z[place].v == rint(z[place].v) && sizes[place] + fabs(z[place].v) < 0x1p24;
                if (!add || !is_float(t->dtype) || (z[place].e == 0 && (whole || !again))) continue; /* exact in any order */
                z[place].e += 2 * precision_of(t->dtype).unit * sizes[place];
            }
    free(sizes);
}

static bool choose_put(generator *g, step *s)
{
    const int x = pick(g, strcmp(s->op->name, "index_set") ? VN_FLOATS | VN_BIT(VN_I32) | VN_BIT(VN_I64) : VN_ORDERED, 1, 4);
    if (x < 0 || g->p->steps[x].type.count == 0 || is_half(g->p->steps[x].type.dtype)) return false;
    const int64_t axis = some_axis(g, &g->p->steps[x].type);
    const int index = some_index(g, &g->p->steps[x].type, axis);
    if (index < 0) return false;
    operands(s, 2, x, index);
    set_whole(s, "axis", axis);
    if (!infer_take(g->p, s)) return false;
    s->type.count = count_of(&s->type);
    s->in[2] = new_input(g, chance(g, .7) ? s->type : broadcast_shape(g, s->type), -1, 0);
    s->n_in = 3;
    return s->in[2] >= 0;
}

/* ---- take_along_axis ---- */

static bool infer_along(const program *p, step *s)
{
    if (s->n_in != 2) return false;
    const type *x = operand_type(p, s, 0), *index = operand_type(p, s, 1);
    if (x->weak || !is_int(index->dtype) || index->rank != x->rank || !good_axis(s, x)) return false;
    for (int a = 0; a < x->rank; a++)
        if (a != axis_of(s, x->rank) && x->dims[a] != index->dims[a]) return false;
    s->type = *index;
    s->type.dtype = x->dtype;
    return true;
}

static void compute_along(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0);
    const around a = around_axis(t, axis_of(s, t->rank));
    const int64_t n = s->type.dims[axis_of(s, t->rank)];
    const num *index = m->values[s->in[1]];
    for (int64_t k = 0; k < s->type.count; k++) {
        const int64_t from = position(index[k], a.length), o = k / (n * a.inner), i = k % a.inner;
        z[k] = from < 0 ? exactly(is_float(t->dtype) ? NAN : 0) : m->values[s->in[0]][(o * a.length + from) * a.inner + i];
        if (index[k].e != 0) z[k].e = INFINITY;
    }
}

static bool choose_along(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 4);
    if (x < 0 || g->p->steps[x].type.count == 0) return false;
    type t = g->p->steps[x].type;
    const int64_t axis = some_axis(g, &t), length = t.dims[axis];
    t.dtype = VN_I64;
    t.dims[axis] = 1 + below(g, length);
    t.count = count_of(&t);
    const int index = new_input(g, t, INDEX, length);
    if (index < 0) return false;
    operands(s, 2, x, index);
    set_whole(s, "axis", axis);
    return true;
}

/* ---- one_hot ---- */

static bool infer_one_hot(const program *p, step *s)
{
    const type *x = operand_type(p, s, 0);
    const int64_t size = whole_setting(s, "size", -1);
    if (s->n_in != 1 || !is_int(x->dtype) || size < 1 || x->rank > 5) return false;
    s->type = *x;
    s->type.dtype = (int)whole_setting(s, "dtype", VN_F32);
    s->type.dims[s->type.rank++] = size;
    return true;
}

static void compute_one_hot(const machine *m, const step *s, num *z)
{
    const int64_t size = whole_setting(s, "size", 1);
    const num *x = m->values[s->in[0]];
    for (int64_t k = 0; k < s->type.count; k++) z[k] = (num){x[k / size].v == (double)(k % size), x[k / size].e != 0 ? 1 : 0};
}

static bool choose_one_hot(generator *g, step *s)
{
    const int x = pick(g, VN_BIT(VN_I64) | VN_BIT(VN_I32), 0, 4);
    if (x < 0) return false;
    operands(s, 1, x);
    const int64_t count = g->p->steps[x].type.count, room = g->left / 2 / (count ? count : 1);
    set_whole(s, "size", some_length(g, room < 100 ? (room > 0 ? room : 1) : 100));
    if (chance(g, .5)) set_whole(s, "dtype", g->dtype);
    return true;
}

/* ---- argsort, sort, topk ---- */

static int ascending(const void *x, const void *y)
{
    const double a = ((const double *)x)[0], b = ((const double *)y)[0];
    if (a != b) return a < b ? -1 : 1;
    return ((const double *)x)[2] < ((const double *)y)[2] ? -1 : 1;
}

static bool infer_sort(const program *p, step *s)
{
    const type *x = operand_type(p, s, 0);
    if (s->n_in != 1 || x->weak || x->rank < 1 || !good_axis(s, x)) return false;
    s->type = *x;
    if (!strcmp(s->op->name, "argsort") || s->part == 1) s->type.dtype = VN_I64;
    if (strcmp(s->op->name, "topk") != 0) return true;
    const int64_t k = whole_setting(s, "k", -1);
    if (k < 0 || k > x->dims[axis_of(s, x->rank)]) return false;
    s->type.dims[axis_of(s, x->rank)] = k;
    return true;
}

/* Is no other value as close to value i of a sorted row as their bounds? Exact values may tie; one behind them may round to the same. */
static bool is_apart(double (*row)[3], int64_t n, int64_t i, double largest)
{
    enum { FAR = 64 }; /* steps: longer ties among inexact values are not sure */
    if (largest == 0) return true;
    for (int way = -1; way <= 1; way += 2) {
        for (int64_t j = i + way; j >= 0 && j < n; j += way) {
            const double gap = fabs(row[j][0] - row[i][0]), both = row[i][1] + row[j][1];
            if (gap > row[i][1] + largest) break;
            if ((both > 0 && !(gap > both)) || !(gap <= row[i][1] + largest) || j == i + FAR * way) return false;
        }
    }
    return true;
}

/* One sorted row of n: value, bound, position. Positions are known if no other value is close. */
static void put_row(const step *s, double (*row)[3], int64_t n, double largest, double sign, num *z, int64_t stride, int64_t kept)
{
    const bool places = s->type.dtype == VN_I64 && (!strcmp(s->op->name, "argsort") || s->part == 1);
    qsort(row, (size_t)n, sizeof *row, ascending);
    for (int64_t i = 0; i < kept; i++) {
        z[i * stride] = places ? (num){row[i][2], is_apart(row, n, i, largest) ? 0 : INFINITY} : (num){sign * row[i][0], largest};
    }
}

static void compute_sort(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0);
    const num *x = m->values[s->in[0]];
    const around a = around_axis(t, axis_of(s, t->rank));
    const bool top = !strcmp(s->op->name, "topk");
    const double sign = (top ? !whole_setting(s, "smallest", 0) : whole_setting(s, "descending", 0)) ? -1 : 1;
    const int64_t kept = s->type.dims[axis_of(s, t->rank)];
    double(*row)[3] = malloc(((size_t)a.length + 1) * sizeof *row);
    for (int64_t r = 0; row && r < a.outer * a.inner; r++) {
        const int64_t o = r / a.inner, i = r % a.inner;
        double largest = 0;
        for (int64_t k = 0; k < a.length; k++) {
            const num v = x[(o * a.length + k) * a.inner + i];
            row[k][0] = sign * v.v;
            row[k][1] = v.e;
            row[k][2] = (double)k;
            largest = fmax(largest, v.e);
        }
        put_row(s, row, a.length, largest, sign, z + o * kept * a.inner + i, a.inner, kept);
    }
    free(row);
}

static bool choose_sort(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 4);
    if (x < 0) return false;
    const type *t = &g->p->steps[x].type;
    const int64_t axis = some_axis(g, t);
    operands(s, 1, x);
    if (!strcmp(s->op->name, "topk")) {
        set_whole(s, "k", 1 + below(g, vn__min(t->dims[axis], 20)));
        if (chance(g, .5)) set_whole(s, "smallest", 1);
        s->part = (int)below(g, 2);
    } else if (chance(g, .5)) {
        set_whole(s, "descending", 1);
    }
    set_whole(s, "axis", axis);
    return true;
}

/* ---- searchsorted ---- */

static bool infer_search(const program *p, step *s)
{
    if (s->n_in != 2) return false;
    const type *x = operand_type(p, s, 0), *v = operand_type(p, s, 1);
    if (x->weak || v->weak || x->rank != 1 || x->dtype != v->dtype) return false;
    s->type = *v;
    s->type.dtype = VN_I64;
    return true;
}

static void compute_search(const machine *m, const step *s, num *z)
{
    const num *x = m->values[s->in[0]], *v = m->values[s->in[1]];
    const int64_t n = operand_type(m->p, s, 0)->count;
    const bool right = whole_setting(s, "right", 0) != 0;
    double widest = 0;
    for (int64_t i = 0; i < n; i++) widest = fmax(widest, x[i].e);
    for (int64_t k = 0; k < s->type.count; k++) {
        int64_t low = 0, high = n;
        while (low < high) {
            const int64_t at = (low + high) / 2;
            if (x[at].v < v[k].v || (right && x[at].v == v[k].v)) low = at + 1;
            else high = at;
        }
        const double e = widest + v[k].e;
        const bool sure = e == 0 || ((low == 0 || v[k].v - x[low - 1].v > e) && (low == n || x[low].v - v[k].v > e));
        z[k] = (num){(double)low, sure ? 0 : INFINITY};
    }
}

/* In a sorted vector. */
static bool choose_search(generator *g, step *s)
{
    const int v = pick(g, VN_BIT(VN_F32) | VN_BIT(VN_F64) | VN_BIT(VN_I32), 0, 3);
    if (v < 0) return false;
    const int raw = new_input(g, type_of(g->p->steps[v].type.dtype, 1, &(int64_t){some_length(g, 5000)}), -1, 0);
    if (raw < 0) return false;
    step sort = {.op = op_named("sort")};
    operands(&sort, 1, raw);
    set_whole(&sort, "axis", 0);
    const int x = add_step(g, &sort);
    if (x < 0) return false;
    operands(s, 2, x, v);
    if (chance(g, .5)) set_whole(s, "right", 1);
    return true;
}

const op index_ops[] = {
    {"take", infer_take, compute_take, choose_take, 10, SMOOTH, NULL},
    {"index_add", infer_put, compute_put, choose_put, 5, SMOOTH, NULL},
    {"index_set", infer_put, compute_put, choose_put, 5, SMOOTH, NULL},
    {"take_along_axis", infer_along, compute_along, choose_along, 4, SMOOTH, NULL},
    {"one_hot", infer_one_hot, compute_one_hot, choose_one_hot, 4, 0, NULL},
    {"argsort", infer_sort, compute_sort, choose_sort, 3, 0, NULL},
    {"sort", infer_sort, compute_sort, choose_sort, 4, SMOOTH | ORDERS, NULL},
    {"topk", infer_sort, compute_sort, choose_sort, 3, 0, NULL},
    {"searchsorted", infer_search, compute_search, choose_search, 2, 0, NULL},
    {0},
};
