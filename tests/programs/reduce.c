/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c: reductions over any axes, argmax and argmin, cumulative sums. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

typedef enum kind { SUM, MEAN, MAX, MIN, PROD, ANY, ALL, VAR, STD, LOGSUMEXP, NONZERO, ARGMAX, ARGMIN } kind;
typedef struct reduction {
    kind kind;
    uint32_t dtypes;
} reduction;

/* The axes of x and their strides in z, 0 along reduced ones. */
typedef struct axes {
    bool over[MAX_AXES];
    int64_t to[MAX_AXES], length; /* length: elements reduced to one */
    bool keep;
} axes;

static bool read_axes(const type *x, const step *s, axes *a)
{
    const setting *o = setting_named(s, "axes");
    memset(a, 0, sizeof *a);
    a->keep = whole_setting(s, "keepdims", 0) != 0;
    for (int k = 0; k < x->rank; k++) a->over[k] = !o;
    for (int k = 0; o && k < o->n; k++) {
        const int64_t axis = o->ints[k] < 0 ? o->ints[k] + x->rank : o->ints[k];
        if (axis < 0 || axis >= x->rank || a->over[axis]) return false;
        a->over[axis] = true;
    }
    int64_t stride = 1;
    a->length = 1;
    for (int k = x->rank - 1; k >= 0; k--) {
        if (a->over[k]) a->length *= x->dims[k];
        else a->to[k] = stride, stride *= x->dims[k];
    }
    return true;
}

static int dtype_of_sum(int dtype)
{
    return is_float(dtype) ? dtype : (VN_BIT(dtype) & VN_UNSIGNED) ? VN_U64 : VN_I64;
}

static bool infer_reduction(const program *p, step *s)
{
    const reduction *r = s->op->row;
    const type *x = operand_type(p, s, 0);
    axes a;
    if (s->n_in != 1 || x->weak || !(VN_BIT(x->dtype) & r->dtypes) || !read_axes(x, s, &a)) return false;
    if (a.length < 1 && r->kind != SUM && r->kind != ANY && r->kind != ALL && r->kind != NONZERO && r->kind != PROD) return false;
    const setting *o = setting_named(s, "axes");
    if ((r->kind == ARGMAX || r->kind == ARGMIN) && o && o->n != 1) return false;
    type z = {.dtype = x->dtype};
    for (int k = 0; k < x->rank; k++) {
        if (!a.over[k]) z.dims[z.rank++] = x->dims[k];
        else if (a.keep) z.dims[z.rank++] = 1;
    }
    if (r->kind == SUM || r->kind == PROD) z.dtype = dtype_of_sum(x->dtype);
    if (r->kind == ANY || r->kind == ALL) z.dtype = VN_BOOL;
    if (r->kind == NONZERO || r->kind == ARGMAX || r->kind == ARGMIN) z.dtype = VN_I64;
    s->type = z;
    return true;
}

/* ---- computing: the elements of each result in turn, as a row ---- */

static num sum_of(const machine *m, const num *x, int64_t n, int dtype)
{
    long double total = 0; /* the loops must be more accurate than float64 */
    double e = 0, size = 0;
    bool whole = true;
    for (int64_t i = 0; i < n; i++) {
        total += x[i].v;
        e += x[i].e;
        size += fabs(x[i].v);
        whole = whole && x[i].e == 0 && x[i].v == rint(x[i].v);
    }
    const double v = (double)total;
    if (!is_float(dtype)) return fabs(v) < 0x1p53 ? (num){v, e} : unknown(v);
    const bool exact = whole && size < (dtype == VN_F64 ? 0x1p53 : 0x1p24);
    const int wide = is_half(dtype) ? VN_F32 : dtype; /* the accumulation dtype */
    if (!exact) e += machine_growth(m, n) * precision_of(wide).unit * size + precision_of(wide).least;
    if (!m->native && is_half(dtype)) return rounded((num){v, e}, dtype, 2); /* frameworks round sums of parts, too */
    return rounded_once((num){v, e}, dtype);
}

static num mean_of(const machine *m, const num *x, int64_t n, int dtype)
{
    const num s = sum_of(m, x, n, is_half(dtype) ? VN_F32 : dtype);
    return rounded((num){s.v / (double)n, s.e / (double)n}, dtype, 3);
}

static num variance_of(const machine *m, const num *x, int64_t n, int dtype, double correction)
{
    const int wide = is_half(dtype) ? VN_F32 : dtype;
    const num mean = mean_of(m, x, n, wide);
    long double total = 0;
    double e = 0;
    for (int64_t i = 0; i < n; i++) {
        const num d = rounded((num){x[i].v - mean.v, x[i].e + mean.e}, wide, 1);
        total += d.v * d.v;
        e += (2 * fabs(d.v) + d.e) * d.e;
    }
    const double v = (double)total;
    const double by = (double)n - correction;
    if (!(by > 0)) return unknown(0);
    e += (machine_growth(m, n) + 2) * precision_of(wide).unit * v;
    return rounded((num){v / by, e / by}, dtype, 3);
}

static num extreme_of(const num *x, int64_t n, double sign)
{
    num z = {sign * x[0].v, x[0].e};
    double high = z.v + z.e, low = z.v - z.e;
    for (int64_t i = 1; i < n; i++) {
        z.v = larger(z.v, sign * x[i].v);
        high = larger(high, sign * x[i].v + x[i].e);
        low = larger(low, sign * x[i].v - x[i].e);
    }
    if (z.v != z.v) return unknown(z.v);
    return (num){sign * z.v, larger(high - z.v, z.v - low)};
}

static num place_of(const num *x, int64_t n, double sign)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (sign * x[i].v > sign * x[best].v) best = i;
    for (int64_t i = 0; i < n; i++) {
        const bool sure = i == best || (x[i].e + x[best].e == 0) || sign * x[i].v + x[i].e < sign * x[best].v - x[best].e;
        if (!sure) return unknown((double)best);
    }
    return exactly((double)best);
}

/* In another order a product may overflow or underflow before the other factors are applied: then it is unknown. */
static num product_of(const num *x, int64_t n, int dtype)
{
    const int wide = is_half(dtype) ? VN_F32 : dtype;
    num z = exactly(1);
    double up = 0, down = 0; /* powers of two of the large factors, and of the small ones but 0 */
    for (int64_t i = 0; i < n; i++) {
        const double power = x[i].v != 0 ? log2(fabs(x[i].v) + x[i].e) : 0;
        *(power > 0 ? &up : &down) += power;
        z = num_mul(z, x[i], wide);
    }
    if (is_float(dtype) && (up >= log2(precision_of(wide).most) || (up > 0 && down <= log2(precision_of(wide).least)))) return unknown(z.v);
    if (!is_float(dtype) && !(fabs(z.v) < 0x1p53)) return unknown(z.v); /* more than a double holds */
    return rounded_once(z, dtype);
}

/* The number of nonzero elements; the error counts the unknown ones. */
static num nonzero_of(const num *x, int64_t n)
{
    num z = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        z.v += x[i].v != 0;
        z.e += x[i].e != 0 && fabs(x[i].v) <= x[i].e;
    }
    return z;
}

static num logsumexp_of(const machine *m, const num *x, int64_t n, int dtype)
{
    const int wide = is_half(dtype) ? VN_F32 : dtype;
    const num top = extreme_of(x, n, 1);
    long double total = 0;
    double e = 0;
    for (int64_t i = 0; i < n; i++) {
        const double w = exp(x[i].v - top.v);
        total += w;
        e += w * (expm1(x[i].e) + precision_of(wide).unit * (4 + fabs(x[i].v - top.v)));
    }
    const double v = (double)total;
    e = e / v + machine_growth(m, n) * precision_of(wide).unit;
    return rounded((num){top.v + log(v), 1.1 * e + precision_of(wide).unit * (4 * fabs(log(v)) + fabs(top.v))}, dtype, 2);
}

static num reduced(const machine *m, const step *s, const num *x, int64_t n)
{
    const reduction *r = s->op->row;
    const int from = operand_type(m->p, s, 0)->dtype;
    switch (r->kind) {
    case SUM: return sum_of(m, x, n, s->type.dtype);
    case MEAN: return mean_of(m, x, n, from);
    case MAX: return extreme_of(x, n, 1);
    case MIN: return extreme_of(x, n, -1);
    case PROD: return product_of(x, n, s->type.dtype);
    case VAR: return variance_of(m, x, n, from, real_setting(s, "correction", 0));
    case STD: {
        const num v = variance_of(m, x, n, is_half(from) ? VN_F32 : from, real_setting(s, "correction", 0));
        return v.v > 4 * v.e ? num_apply(sqrt, v, from, 2, true) : unknown(sqrt(fmax(v.v, 0)));
    }
    case LOGSUMEXP: return logsumexp_of(m, x, n, from);
    case ARGMAX: return place_of(x, n, 1);
    case ARGMIN: return place_of(x, n, -1);
    default: {
        const num count = nonzero_of(x, n);
        if (r->kind == NONZERO) return count;
        const double all = r->kind == ALL ? (double)n : 1;
        return (num){count.v >= all, (count.v - count.e >= all) == (count.v + count.e >= all) ? 0 : 1};
    }
    }
}

static void compute_reduction(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0);
    const num *x = m->values[s->in[0]];
    axes a;
    read_axes(t, s, &a);
    /* elements in the order of their results: the index in z, and the number of earlier ones */
    num *rows = malloc(((size_t)t->count + 1) * sizeof *rows);
    int64_t *seen = calloc((size_t)s->type.count + 1, sizeof *seen);
    walk w;
    walk_begin(&w, t);
    w.n = 1;
    memcpy(w.strides[0], a.to, sizeof a.to);
    for (int64_t i = 0; rows && seen && i < t->count; i++, walk_next(&w)) {
        const int64_t to = w.at[0];
        rows[to * a.length + seen[to]++] = x[i];
    }
    for (int64_t i = 0; i < s->type.count; i++) z[i] = rows && seen ? reduced(m, s, rows + i * a.length, a.length) : unknown(0);
    free(rows);
    free(seen);
}

/* ---- choosing ---- */

/* Some axes in any order of preference: the last, the first, all, or any set. */
static void choose_axes(generator *g, step *s, const type *x)
{
    int64_t list[MAX_AXES];
    int n = 0;
    const int rank = x->rank;
    const int64_t at = below(g, 100);
    if (at >= 15 && rank > 0) { /* else all */
        if (at < 40) list[n++] = chance(g, .5) ? rank - 1 : -1;
        else if (at < 55) list[n++] = some_axis(g, x);
        else
            for (int k = 0; k < rank; k++)
                if (chance(g, .5)) list[n++] = k;
        if (n == 0) list[n++] = below(g, rank);
        set_list(s, "axes", n, list);
    }
    if (chance(g, .5)) set_whole(s, "keepdims", 1);
}

static bool choose_reduction(generator *g, step *s)
{
    const reduction *r = s->op->row;
    const int x = pick(g, r->dtypes, 0, MAX_AXES);
    if (x < 0) return false;
    const int rank = g->p->steps[x].type.rank;
    operands(s, 1, x);
    if (r->kind == ARGMAX || r->kind == ARGMIN) {
        if (rank > 0 && chance(g, .8)) set_list(s, "axes", 1, (int64_t[]){some_axis(g, &g->p->steps[x].type)});
        if (chance(g, .5)) set_whole(s, "keepdims", 1);
        return true;
    }
    choose_axes(g, s, &g->p->steps[x].type);
    if ((r->kind == VAR || r->kind == STD) && chance(g, .3)) set_real(s, "correction", 1);
    return true;
}

/* ---- cumulative sums ---- */

static bool infer_running(const program *p, step *s)
{
    const type *x = operand_type(p, s, 0);
    const int64_t axis = whole_setting(s, "axis", INT64_MIN);
    if (s->n_in != 1 || x->weak || !(VN_BIT(x->dtype) & VN_REAL) || axis < -x->rank || axis >= x->rank) return false;
    s->type = *x;
    s->type.dtype = dtype_of_sum(x->dtype);
    return true;
}

static void compute_running(const machine *m, const step *s, num *z)
{
    const type *t = operand_type(m->p, s, 0);
    const num *x = m->values[s->in[0]];
    const int64_t axis = whole_setting(s, "axis", 0) + (whole_setting(s, "axis", 0) < 0 ? t->rank : 0);
    const bool reverse = whole_setting(s, "reverse", 0) != 0;
    const int dtype = s->type.dtype, wide = is_half(dtype) ? VN_F32 : dtype;
    int64_t inner = 1, outer = 1;
    for (int k = 0; k < t->rank; k++) *(k < axis ? &outer : &inner) *= k == axis ? 1 : t->dims[k];
    const int64_t n = t->dims[axis];
    for (int64_t row = 0; row < outer * inner; row++) {
        const int64_t first = row / inner * n * inner + row % inner;
        long double running = 0;
        double e = 0, size = 0, rounding = 0;
        bool whole = true;
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = first + (reverse ? n - 1 - i : i) * inner;
            running += x[at].v;
            const double v = (double)running;
            e += x[at].e;
            size += fabs(x[at].v);
            whole = whole && x[at].e == 0 && x[at].v == rint(x[at].v) && size < (wide == VN_F64 ? 0x1p53 : 0x1p24);
            rounding += fabs(v) + (double)i * precision_of(wide).unit * size; /* each sum is rounded when stored */
            z[at] = !is_float(dtype) ? (num){v, e}
                    : whole          ? rounded_once((num){v, e}, dtype)
                                     : rounded((num){v, e + precision_of(wide).unit * rounding}, dtype, 1);
        }
    }
}

static bool choose_running(generator *g, step *s)
{
    const int x = pick(g, VN_REAL, 1, MAX_AXES);
    if (x < 0) return false;
    operands(s, 1, x);
    set_whole(s, "axis", some_axis(g, &g->p->steps[x].type));
    if (chance(g, .3)) set_whole(s, "reverse", 1);
    return true;
}

/* X(name, kind, dtypes, weight, traits) */
#define REDUCTIONS(X)                             \
    X(sum, SUM, VN_ORDERED, 34, SMOOTH)           \
    X(mean, MEAN, VN_FLOATS, 12, SMOOTH)          \
    X(max, MAX, VN_REAL, 10, SMOOTH)              \
    X(min, MIN, VN_REAL, 6, SMOOTH)               \
    X(prod, PROD, VN_REAL, 2, SMOOTH)             \
    X(any, ANY, VN_ORDERED, 2, 0)                 \
    X(all, ALL, VN_ORDERED, 2, 0)                 \
    X(var, VAR, VN_FLOATS, 8, SMOOTH)             \
    X(std, STD, VN_FLOATS, 4, SMOOTH)             \
    X(logsumexp, LOGSUMEXP, VN_FLOATS, 6, SMOOTH) \
    X(count_nonzero, NONZERO, VN_ORDERED, 2, 0)   \
    X(argmax, ARGMAX, VN_REAL, 4, 0)              \
    X(argmin, ARGMIN, VN_REAL, 2, 0)
#define ROW(name, kind, dtypes, weight, traits) static const reduction reduction_##name = {kind, dtypes};
REDUCTIONS(ROW)
#undef ROW

const op reduce_ops[] = {
#define ROW(name, kind, dtypes, weight, traits) \
    {#name, infer_reduction, compute_reduction, choose_reduction, weight, traits, &reduction_##name},
    REDUCTIONS(ROW)
#undef ROW
        {"cumulative_sum", infer_running, compute_running, choose_running, 8, SMOOTH, NULL},
    {0},
};
