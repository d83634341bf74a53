/* SPDX-License-Identifier: Apache-2.0 */
/* piece.c: slices, padding, repetition, triangles, concat and stack. */
#include "source_element.h"

/* ---- slice_step, pad, tile, repeat ---- */

/* x[start:stop:step], all inside. */
static source sliced(const machine *m, const step *s, const int64_t *index)
{
    const setting *start = setting_named(s, "start"), *by = setting_named(s, "step");
    int64_t from[MAX_AXES];
    for (int a = 0; a < s->type.rank; a++) from[a] = start->ints[a] + index[a] * by->ints[a];
    return (source){0, flat(x_of(m, s), from)};
}

static bool infer_slice_step(const program *p, step *s)
{
    const setting *start = setting_named(s, "start"), *stop = setting_named(s, "stop"), *by = setting_named(s, "step");
    if (!one_operand(p, s) || !start || !stop || !by || start->n != s->type.rank || stop->n != start->n || by->n != start->n) return false;
    for (int a = 0; a < start->n; a++) {
        const int64_t i = start->ints[a], j = stop->ints[a], d = by->ints[a], n = s->type.dims[a];
        if (d > 0 ? i < 0 || j > n || i > j : d == 0 || i >= n || j < 0 || i < j) return false;
        s->type.dims[a] = d > 0 ? (j - i + d - 1) / d : (i - j - d - 1) / -d;
    }
    return true;
}

static bool choose_slice_step(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    const type *t = &g->p->steps[s->in[0]].type;
    int64_t start[MAX_AXES], stop[MAX_AXES], by[MAX_AXES];
    for (int a = 0; a < t->rank; a++) {
        const int64_t n = t->dims[a];
        const bool back = n > 1 && chance(g, .2);
        by[a] = chance(g, .6) ? 1 : 1 + below(g, 4);
        start[a] = chance(g, .5) ? 0 : below(g, n / 2 + 1);
        stop[a] = chance(g, .5) ? n : n - below(g, (n - start[a]) / 2 + 1);
        if (back) {
            const int64_t first = stop[a] - 1;
            stop[a] = start[a];
            start[a] = first;
            by[a] = -by[a];
            if (start[a] < stop[a]) start[a] = stop[a];
        }
    }
    set_list(s, "start", t->rank, start);
    set_list(s, "stop", t->rank, stop);
    set_list(s, "step", t->rank, by);
    return true;
}

static source slice_step_set_source(const machine *m, const step *s, const int64_t *index)
{
    const setting *start = setting_named(s, "start"), *by = setting_named(s, "step");
    const type *y = operand_type(m->p, s, 1);
    int64_t from[MAX_AXES];
    for (int a = 0; a < s->type.rank; a++) {
        const int64_t off = index[a] - start->ints[a];
        from[a] = off / by->ints[a];
        if (off % by->ints[a] || from[a] < 0 || from[a] >= y->dims[a]) return (source){0, flat(&s->type, index)};
    }
    return (source){1, flat(y, from)};
}

/* The type of what slice_step reads of the first operand. */
static bool part_type(const program *p, const step *s, type *part)
{
    step read = *s;
    read.n_in = 1;
    const bool fits = infer_slice_step(p, &read);
    *part = read.type;
    part->count = count_of(part);
    return fits;
}

static bool infer_slice_step_set(const program *p, step *s)
{
    if (s->n_in != 2) return false;
    const type *x = operand_type(p, s, 0), *y = operand_type(p, s, 1);
    type part;
    if (x->weak || y->weak || x->dtype != y->dtype || !part_type(p, s, &part) || !same_shape(&part, y)) return false;
    s->type = *x;
    return true;
}

static bool choose_slice_step_set(generator *g, step *s)
{
    type part;
    if (!choose_slice_step(g, s) || !part_type(g->p, s, &part)) return false;
    const int y = new_input(g, part, -1, 0);
    if (y < 0) return false;
    operands(s, 2, s->in[0], y);
    return true;
}

static source padded(const machine *m, const step *s, const int64_t *index)
{
    const setting *before = setting_named(s, "before");
    const type *x = x_of(m, s);
    int64_t from[MAX_AXES];
    for (int a = 0; a < s->type.rank; a++) {
        from[a] = index[a] - before->ints[a];
        if (from[a] < 0 || from[a] >= x->dims[a]) return (source){-1, 0};
    }
    return (source){0, flat(x, from)};
}

static bool infer_pad(const program *p, step *s)
{
    const setting *before = setting_named(s, "before"), *after = setting_named(s, "after");
    if (!one_operand(p, s) || !before || !after || before->n != s->type.rank || after->n != s->type.rank) return false;
    for (int a = 0; a < s->type.rank; a++) {
        if (before->ints[a] < 0 || after->ints[a] < 0) return false;
        s->type.dims[a] += before->ints[a] + after->ints[a];
    }
    return true;
}

static bool choose_pad(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    int64_t before[MAX_AXES], after[MAX_AXES];
    const int rank = g->p->steps[s->in[0]].type.rank;
    for (int a = 0; a < rank; a++) before[a] = chance(g, .5) ? 0 : below(g, 4), after[a] = chance(g, .5) ? 0 : below(g, 4);
    set_list(s, "before", rank, before);
    set_list(s, "after", rank, after);
    return true;
}

static source tiled(const machine *m, const step *s, const int64_t *index)
{
    const type *x = x_of(m, s);
    int64_t from[MAX_AXES];
    for (int a = 0; a < x->rank; a++) from[a] = index[a] % x->dims[a];
    return (source){0, flat(x, from)};
}

static bool infer_tile(const program *p, step *s)
{
    const setting *o = setting_named(s, "repetitions");
    if (!one_operand(p, s) || !o || o->n != s->type.rank) return false;
    for (int a = 0; a < o->n; a++) {
        if (o->ints[a] < 1) return false;
        s->type.dims[a] *= o->ints[a];
    }
    return true;
}

static bool choose_tile(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    int64_t times[MAX_AXES];
    const int rank = g->p->steps[s->in[0]].type.rank;
    for (int a = 0; a < rank; a++) times[a] = chance(g, .6) ? 1 : 1 + below(g, 3);
    set_list(s, "repetitions", rank, times);
    return true;
}

static source repeated(const machine *m, const step *s, const int64_t *index)
{
    int64_t from[MAX_AXES];
    memcpy(from, index, sizeof *from * (size_t)s->type.rank);
    from[axis_at(s, "axis", s->type.rank, 0)] /= whole_setting(s, "repeats", 1);
    return (source){0, flat(x_of(m, s), from)};
}

static bool infer_repeat(const program *p, step *s)
{
    if (!one_operand(p, s)) return false;
    const int64_t axis = axis_at(s, "axis", s->type.rank, 0), n = whole_setting(s, "repeats", 1);
    if (axis < 0 || axis >= s->type.rank || n < 1) return false;
    s->type.dims[axis] *= n;
    return true;
}

static bool choose_repeat(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    set_whole(s, "repeats", 1 + below(g, 3));
    set_whole(s, "axis", below(g, g->p->steps[s->in[0]].type.rank));
    return true;
}

/* ---- tril, triu ---- */

static source triangle(const machine *m, const step *s, const int64_t *index)
{
    const int64_t k = whole_setting(s, "k", 0), row = index[s->type.rank - 2], col = index[s->type.rank - 1];
    const bool inside = s->op->name[3] == 'l' ? col - row <= k : col - row >= k;
    (void)m;
    return inside ? (source){0, flat(&s->type, index)} : (source){-1, 0};
}

static bool infer_matrix(const program *p, step *s)
{
    return one_operand(p, s) && s->type.rank >= 2;
}

static bool choose_triangle(generator *g, step *s)
{
    if (!choose_matrix(g, s)) return false;
    if (chance(g, .5)) set_whole(s, "k", below(g, 7) - 3);
    return true;
}

/* ---- slice and slice_set: the start is an input ---- */

static int64_t start_of(const machine *m, const step *s, int operand, int axis, int64_t most)
{
    const int64_t at = (int64_t)m->values[s->in[operand]][axis].v;
    return at < 0 ? 0 : at > most ? most : at;
}

static source slice_source(const machine *m, const step *s, const int64_t *index)
{
    const type *x = x_of(m, s);
    int64_t from[MAX_AXES];
    for (int a = 0; a < x->rank; a++) from[a] = index[a] + start_of(m, s, 1, a, x->dims[a] - s->type.dims[a]);
    return (source){0, flat(x, from)};
}

static bool good_start(const type *start, int rank)
{
    return start->dtype == VN_I64 && start->rank == 1 && start->dims[0] == rank;
}

static bool infer_slice(const program *p, step *s)
{
    const setting *o = setting_named(s, "size");
    const type *x = operand_type(p, s, 0);
    if (s->n_in != 2 || !o || x->weak || o->n != x->rank || !good_start(operand_type(p, s, 1), x->rank)) return false;
    for (int a = 0; a < o->n; a++)
        if (o->ints[a] < 0 || o->ints[a] > x->dims[a]) return false;
    s->type = type_of(x->dtype, o->n, o->ints);
    return true;
}

static bool choose_slice(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 5);
    if (x < 0) return false;
    const type *t = &g->p->steps[x].type;
    int64_t size[MAX_AXES];
    for (int a = 0; a < t->rank; a++) size[a] = chance(g, .4) ? t->dims[a] : 1 + below(g, t->dims[a]);
    const int start = new_input(g, type_of(VN_I64, 1, &(int64_t){t->rank}), INDEX, 1 + below(g, 40));
    if (start < 0) return false;
    operands(s, 2, x, start);
    set_list(s, "size", t->rank, size);
    return true;
}

static source slice_set_source(const machine *m, const step *s, const int64_t *index)
{
    const type *y = operand_type(m->p, s, 1);
    int64_t from[MAX_AXES];
    for (int a = 0; a < y->rank; a++) {
        from[a] = index[a] - start_of(m, s, 2, a, s->type.dims[a] - y->dims[a]);
        if (from[a] < 0 || from[a] >= y->dims[a]) return (source){0, flat(&s->type, index)};
    }
    return (source){1, flat(y, from)};
}

static bool infer_slice_set(const program *p, step *s)
{
    if (s->n_in != 3) return false;
    const type *x = operand_type(p, s, 0), *y = operand_type(p, s, 1);
    if (x->weak || y->weak || x->dtype != y->dtype || x->rank != y->rank || !good_start(operand_type(p, s, 2), x->rank)) return false;
    for (int a = 0; a < x->rank; a++)
        if (y->dims[a] > x->dims[a]) return false;
    s->type = *x;
    return true;
}

static bool choose_slice_set(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 5);
    if (x < 0) return false;
    type t = g->p->steps[x].type;
    int y = -1;
    for (int tries = 0; tries < 6 && y < 0; tries++) {
        const int other = pick(g, VN_BIT(t.dtype), t.rank, t.rank);
        bool fits = other >= 0;
        for (int a = 0; fits && a < t.rank; a++) fits = g->p->steps[other].type.dims[a] <= t.dims[a];
        if (fits) y = other;
    }
    if (y < 0) {
        for (int a = 0; a < t.rank; a++) t.dims[a] = chance(g, .3) ? t.dims[a] : 1 + below(g, t.dims[a]);
        y = new_input(g, t, -1, 0);
    }
    const int start = y < 0 ? -1 : new_input(g, type_of(VN_I64, 1, &(int64_t){t.rank}), INDEX, 1 + below(g, 40));
    if (start < 0) return false;
    operands(s, 3, x, y, start);
    return true;
}

/* ---- concat and stack ---- */

static source concat_source(const machine *m, const step *s, const int64_t *index)
{
    const int64_t axis = axis_at(s, "axis", s->type.rank, 0);
    int64_t from[MAX_AXES];
    memcpy(from, index, sizeof *from * (size_t)s->type.rank);
    int k = 0;
    for (; k < s->n_in - 1 && from[axis] >= operand_type(m->p, s, k)->dims[axis]; k++) from[axis] -= operand_type(m->p, s, k)->dims[axis];
    return (source){k, flat(operand_type(m->p, s, k), from)};
}

static bool infer_concat(const program *p, step *s)
{
    if (s->n_in < 1 || operand_type(p, s, 0)->weak) return false;
    s->type = *operand_type(p, s, 0);
    const int64_t axis = axis_at(s, "axis", s->type.rank, 0);
    if (axis < 0 || axis >= s->type.rank) return false;
    for (int k = 1; k < s->n_in; k++) {
        const type *x = operand_type(p, s, k);
        if (x->weak || x->dtype != s->type.dtype || x->rank != s->type.rank) return false;
        for (int a = 0; a < x->rank; a++)
            if (a != axis && x->dims[a] != s->type.dims[a]) return false;
        s->type.dims[axis] += x->dims[axis];
    }
    return true;
}

static bool choose_concat(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 5);
    if (x < 0) return false;
    const int n = 1 + (int)below(g, 4);
    operands(s, 1, x);
    for (int k = 0; k < n; k++) {
        const int y = pick_like(g, x, true);
        if (y < 0) return false;
        s->in[s->n_in++] = y;
    }
    set_whole(s, "axis", below(g, g->p->steps[x].type.rank));
    return true;
}

static source stack_source(const machine *m, const step *s, const int64_t *index)
{
    const int64_t axis = axis_at(s, "axis", s->type.rank, 0);
    int64_t from[MAX_AXES];
    int n = 0;
    for (int a = 0; a < s->type.rank; a++)
        if (a != axis) from[n++] = index[a];
    return (source){(int)index[axis], flat(x_of(m, s), from)};
}

static bool infer_stack(const program *p, step *s)
{
    if (s->n_in < 1 || operand_type(p, s, 0)->weak) return false;
    s->type = *operand_type(p, s, 0);
    for (int k = 1; k < s->n_in; k++) {
        const type *x = operand_type(p, s, k);
        if (x->weak || x->dtype != s->type.dtype || !same_shape(x, &s->type)) return false;
    }
    const int64_t axis = axis_at(s, "axis", s->type.rank + 1, 0);
    if (axis < 0 || axis > s->type.rank || s->type.rank >= 6) return false;
    for (int a = s->type.rank++; a > axis; a--) s->type.dims[a] = s->type.dims[a - 1];
    s->type.dims[axis] = s->n_in;
    return true;
}

static bool choose_stack(generator *g, step *s)
{
    if (!choose_concat(g, s)) return false;
    s->settings[0].ints[0] = below(g, g->p->steps[s->in[0]].type.rank + 1);
    return true;
}

const op piece_ops[] = {
    MOVE(slice_step, sliced, infer_slice_step, choose_slice_step, 8),
    MOVE(slice_step_set, slice_step_set_source, infer_slice_step_set, choose_slice_step_set, 5),
    MOVE(pad, padded, infer_pad, choose_pad, 5),
    MOVE(tile, tiled, infer_tile, choose_tile, 3),
    MOVE(repeat, repeated, infer_repeat, choose_repeat, 3),
    MOVE(tril, triangle, infer_matrix, choose_triangle, 2),
    MOVE(triu, triangle, infer_matrix, choose_triangle, 2),
    MOVE(slice, slice_source, infer_slice, choose_slice, 8),
    MOVE(slice_set, slice_set_source, infer_slice_set, choose_slice_set, 8),
    MOVE(concat, concat_source, infer_concat, choose_concat, 8),
    MOVE(stack, stack_source, infer_stack, choose_stack, 5),
    {0},
};
