/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: views: the same elements in another shape or order, which the native engine folds away where possible. */
#include "source_element.h"

void compute_moves(const machine *m, const step *s, num *z)
{
    const locate find = *(const locate *)s->op->row;
    walk w;
    walk_begin(&w, &s->type);
    for (int64_t i = 0; i < s->type.count; i++, walk_next(&w)) {
        const source from = find(m, s, w.index);
        z[i] = from.operand < 0 ? exactly(0) : m->values[s->in[from.operand]][from.at];
    }
}

/* ---- reshape, flatten, expand_dims, squeeze: the order of elements stays ---- */

static source same_place(const machine *m, const step *s, const int64_t *index)
{
    (void)m;
    return (source){0, flat(&s->type, index)};
}

static bool infer_reshape(const program *p, step *s)
{
    const setting *o = setting_named(s, "shape");
    if (!one_operand(p, s) || !o || o->n > MAX_AXES) return false;
    const int64_t count = s->type.count;
    int64_t known = 1;
    int open = -1;
    for (int k = 0; k < o->n; k++) {
        if (o->ints[k] == -1 && open < 0) open = k;
        else if (o->ints[k] < 0) return false;
        else known *= o->ints[k];
    }
    if (open >= 0 && (known == 0 || count % known != 0)) return false;
    s->type = type_of(s->type.dtype, o->n, o->ints);
    if (open >= 0) s->type.dims[open] = count / known;
    return count_of(&s->type) == count;
}

/* A random factor of n. */
static int64_t factor(generator *g, int64_t n)
{
    int64_t f = 1;
    for (int tries = 0; tries < 4; tries++) {
        const int64_t by = (int64_t[]){2, 2, 3, 4, 5, 7, 8, 16, 32}[below(g, 9)];
        if (n / f % by == 0) f *= by;
    }
    return chance(g, .1) ? n : f;
}

static bool choose_reshape(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 0, MAX_AXES);
    if (x < 0) return false;
    int64_t dims[MAX_AXES], left = g->p->steps[x].type.count;
    int rank = 0;
    for (const int most = 1 + (int)below(g, 4); rank + 1 < most && left > 0; rank++) {
        dims[rank] = factor(g, left);
        left /= dims[rank];
    }
    dims[rank++] = left;
    for (int k = rank - 1; k > 0; k--) { /* in any order */
        const int64_t j = below(g, k + 1), d = dims[k];
        dims[k] = dims[j];
        dims[j] = d;
    }
    if (left > 0 && chance(g, .5)) dims[below(g, rank)] = -1;
    operands(s, 1, x);
    set_list(s, "shape", rank, dims);
    return true;
}

static bool infer_flatten(const program *p, step *s)
{
    if (!one_operand(p, s)) return false;
    s->type = type_of(s->type.dtype, 1, &(int64_t){s->type.count});
    return true;
}

static bool infer_expand(const program *p, step *s)
{
    if (!one_operand(p, s) || s->type.rank >= 6) return false;
    const int64_t axis = axis_at(s, "axis", s->type.rank + 1, 0);
    if (axis < 0 || axis > s->type.rank) return false;
    for (int a = s->type.rank++; a > axis; a--) s->type.dims[a] = s->type.dims[a - 1];
    s->type.dims[axis] = 1;
    return true;
}

bool choose_any(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 1, 5);
    if (x < 0) return false;
    operands(s, 1, x);
    return true;
}

static bool choose_expand(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    set_whole(s, "axis", below(g, g->p->steps[s->in[0]].type.rank + 1));
    return true;
}

/* ---- permute_dims, swapaxes, matrix_transpose ---- */

static source permuted(const machine *m, const step *s, const int64_t *index)
{
    const setting *o = setting_named(s, "axes");
    int64_t from[MAX_AXES];
    for (int a = 0; a < s->type.rank; a++) from[o->ints[a]] = index[a];
    return (source){0, flat(x_of(m, s), from)};
}

static bool infer_permute(const program *p, step *s)
{
    const setting *o = setting_named(s, "axes");
    bool seen[MAX_AXES] = {false};
    if (!one_operand(p, s) || !o || o->n != s->type.rank) return false;
    const type x = s->type;
    for (int a = 0; a < o->n; a++) {
        if (o->ints[a] < 0 || o->ints[a] >= x.rank || seen[o->ints[a]]) return false;
        seen[o->ints[a]] = true;
        s->type.dims[a] = x.dims[o->ints[a]];
    }
    return true;
}

static bool choose_permute(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 2, 6);
    if (x < 0) return false;
    int64_t axes[MAX_AXES];
    const int rank = g->p->steps[x].type.rank;
    for (int a = 0; a < rank; a++) axes[a] = a;
    for (int a = rank - 1; a > 0; a--) {
        const int64_t b = below(g, a + 1), t = axes[a];
        axes[a] = axes[b];
        axes[b] = t;
    }
    operands(s, 1, x);
    set_list(s, "axes", rank, axes);
    return true;
}

static source transposed(const machine *m, const step *s, const int64_t *index)
{
    int64_t from[MAX_AXES];
    const int rank = s->type.rank;
    memcpy(from, index, sizeof *from * (size_t)rank);
    from[rank - 1] = index[rank - 2];
    from[rank - 2] = index[rank - 1];
    return (source){0, flat(x_of(m, s), from)};
}

static bool infer_transpose(const program *p, step *s)
{
    if (!one_operand(p, s) || s->type.rank < 2) return false;
    const int64_t d = s->type.dims[s->type.rank - 1];
    s->type.dims[s->type.rank - 1] = s->type.dims[s->type.rank - 2];
    s->type.dims[s->type.rank - 2] = d;
    return true;
}

bool choose_matrix(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 2, 6);
    if (x < 0) return false;
    operands(s, 1, x);
    return true;
}

/* ---- broadcast_to ---- */

static source repeated_place(const machine *m, const step *s, const int64_t *index)
{
    const type *x = x_of(m, s);
    int64_t from[MAX_AXES];
    for (int a = 0; a < x->rank; a++) from[a] = x->dims[a] == 1 ? 0 : index[s->type.rank - x->rank + a];
    return (source){0, flat(x, from)};
}

static bool infer_broadcast_to(const program *p, step *s)
{
    const setting *o = setting_named(s, "shape");
    if (!one_operand(p, s) || !o || o->n > MAX_AXES) return false;
    const type to = type_of(s->type.dtype, o->n, o->ints);
    type both = to;
    if (!broadcast_types(&both, &s->type) || !same_shape(&both, &to)) return false;
    s->type = to;
    return true;
}

static bool choose_broadcast_to(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 0, 4);
    if (x < 0) return false;
    const type *t = &g->p->steps[x].type;
    int64_t dims[MAX_AXES], room = t->count ? g->left / 2 / t->count : 1;
    int rank = 0;
    if (chance(g, .4)) {
        dims[rank] = some_length(g, vn__min(room, 64));
        room /= dims[rank++];
    }
    for (int a = 0; a < t->rank; a++, rank++) {
        dims[rank] = t->dims[a] == 1 && room > 1 ? some_length(g, room) : t->dims[a];
        if (t->dims[a] == 1) room /= dims[rank];
    }
    operands(s, 1, x);
    set_list(s, "shape", rank, dims);
    return true;
}

/* ---- flip, stride, roll ---- */

static source flipped(const machine *m, const step *s, const int64_t *index)
{
    const setting *o = setting_named(s, "axes");
    int64_t from[MAX_AXES];
    (void)m;
    memcpy(from, index, sizeof *from * (size_t)s->type.rank);
    for (int k = 0; k < o->n; k++) from[o->ints[k]] = s->type.dims[o->ints[k]] - 1 - index[o->ints[k]];
    return (source){0, flat(&s->type, from)};
}

static bool good_axes(const setting *o, int rank)
{
    bool seen[MAX_AXES] = {false};
    for (int k = 0; o && k < o->n; k++) {
        if (o->ints[k] < 0 || o->ints[k] >= rank || seen[o->ints[k]]) return false;
        seen[o->ints[k]] = true;
    }
    return o != NULL;
}

static bool infer_flip(const program *p, step *s)
{
    return one_operand(p, s) && good_axes(setting_named(s, "axes"), s->type.rank);
}

static void some_axes(generator *g, step *s, int rank)
{
    int64_t axes[MAX_AXES];
    int n = 0;
    for (int a = 0; a < rank; a++)
        if (chance(g, .5)) axes[n++] = a;
    if (n == 0) axes[n++] = below(g, rank);
    set_list(s, "axes", n, axes);
}

static bool choose_flip(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    some_axes(g, s, g->p->steps[s->in[0]].type.rank);
    return true;
}

static source strided(const machine *m, const step *s, const int64_t *index)
{
    const setting *o = setting_named(s, "steps");
    int64_t from[MAX_AXES];
    for (int a = 0; a < s->type.rank; a++) from[a] = index[a] * o->ints[a];
    return (source){0, flat(x_of(m, s), from)};
}

static bool infer_stride(const program *p, step *s)
{
    const setting *o = setting_named(s, "steps");
    if (!one_operand(p, s) || !o || o->n != s->type.rank) return false;
    for (int a = 0; a < o->n; a++) {
        if (o->ints[a] < 1) return false;
        if (s->type.dims[a] > 0) s->type.dims[a] = (s->type.dims[a] - 1) / o->ints[a] + 1;
    }
    return true;
}

static bool choose_stride(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    int64_t steps[MAX_AXES];
    const int rank = g->p->steps[s->in[0]].type.rank;
    for (int a = 0; a < rank; a++) steps[a] = chance(g, .5) ? 1 : 1 + below(g, 4);
    set_list(s, "steps", rank, steps);
    return true;
}

static source rolled(const machine *m, const step *s, const int64_t *index)
{
    const setting *shift = setting_named(s, "shift"), *o = setting_named(s, "axes");
    int64_t from[MAX_AXES];
    (void)m;
    memcpy(from, index, sizeof *from * (size_t)s->type.rank);
    for (int k = 0; k < o->n; k++) {
        const int64_t a = o->ints[k], n = s->type.dims[a];
        from[a] = ((from[a] - shift->ints[k]) % n + n) % n;
    }
    return (source){0, flat(&s->type, from)};
}

static bool infer_roll(const program *p, step *s)
{
    const setting *shift = setting_named(s, "shift"), *o = setting_named(s, "axes");
    return one_operand(p, s) && good_axes(o, s->type.rank) && shift && shift->n == o->n;
}

static bool choose_roll(generator *g, step *s)
{
    if (!choose_any(g, s)) return false;
    some_axes(g, s, g->p->steps[s->in[0]].type.rank);
    int64_t shift[MAX_AXES];
    const int n = s->settings[0].n;
    for (int k = 0; k < n; k++) shift[k] = below(g, 21) - 10;
    set_list(s, "shift", n, shift);
    return true;
}

const op view_ops[] = {
    MOVE(reshape, same_place, infer_reshape, choose_reshape, 16),
    MOVE(flatten, same_place, infer_flatten, choose_any, 2),
    MOVE(expand_dims, same_place, infer_expand, choose_expand, 4),
    MOVE(permute_dims, permuted, infer_permute, choose_permute, 16),
    MOVE(matrix_transpose, transposed, infer_transpose, choose_matrix, 8),
    MOVE(broadcast_to, repeated_place, infer_broadcast_to, choose_broadcast_to, 8),
    MOVE(flip, flipped, infer_flip, choose_flip, 8),
    MOVE(stride, strided, infer_stride, choose_stride, 8),
    MOVE(roll, rolled, infer_roll, choose_roll, 3),
    {0},
};
