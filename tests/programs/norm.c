/* SPDX-License-Identifier: Apache-2.0 */
/* norm.c: functions of rows: softmax, log_softmax, layer_norm, rms_norm; and gradients, which the loops do not compute. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static int64_t axis_of(const step *s, int rank)
{
    const int64_t axis = whole_setting(s, "axis", -1);
    return axis < 0 ? axis + rank : axis;
}

/* ---- softmax ---- */

static bool infer_softmax(const program *p, step *s)
{
    const type *x = operand_type(p, s, 0);
    if (s->n_in != 1 || !is_float(x->dtype) || x->weak || x->rank < 1 || axis_of(s, x->rank) < 0 || axis_of(s, x->rank) >= x->rank)
        return false;
    s->type = *x;
    return x->count > 0;
}

static void softmax_row(const machine *m, const step *s, const num *x, num *z, int64_t n, int64_t stride)
{
    const int dtype = s->type.dtype;
    const double u = precision_of(is_half(dtype) ? VN_F32 : dtype).unit;
    long double total = 0;
    double top = -INFINITY, spread = 0;
    for (int64_t i = 0; i < n; i++) top = larger(top, x[i * stride].v);
    for (int64_t i = 0; i < n; i++) {
        const double w = exp(x[i * stride].v - top);
        total += w;
        spread += w * (expm1(x[i * stride].e) + u * (8 + fabs(x[i * stride].v - top)));
    }
    const double sum = (double)total,
                 shared = 1.1 * (spread / sum + machine_growth(m, n) * u + 2 * u * fabs(top)); /* relative, of the sum */
    const double least = m->native ? 0 : 3 * precision_of(dtype).least; /* frameworks flush results below 2^-124 to zero */
    for (int64_t i = 0; i < n; i++) {
        const double d = x[i * stride].v - top, own = expm1(x[i * stride].e) + u * (8 + 2 * fabs(d));
        const double grown = shared < 1 ? 1.1 * ((1 + own) / (1 - shared) - 1) : INFINITY;
        if (s->op->name[0] == 's') z[i * stride] = rounded((num){exp(d) / sum, exp(d) / sum * grown + least}, dtype, 2);
        else z[i * stride] = rounded((num){d - log(sum), log1p(grown) + 4 * u * (fabs(d) + fabs(log(sum)))}, dtype, 2);
    }
}

static void compute_softmax(const machine *m, const step *s, num *z)
{
    const type *t = &s->type;
    const int64_t axis = axis_of(s, t->rank), n = t->dims[axis];
    int64_t inner = 1;
    for (int k = (int)axis + 1; k < t->rank; k++) inner *= t->dims[k];
    for (int64_t r = 0; r < t->count / n; r++) {
        const int64_t first = r / inner * n * inner + r % inner;
        softmax_row(m, s, m->values[s->in[0]] + first, z + first, n, inner);
    }
}

static bool choose_softmax(generator *g, step *s)
{
    const int x = pick(g, VN_FLOATS, 1, 5);
    if (x < 0) return false;
    operands(s, 1, x);
    const int rank = g->p->steps[x].type.rank;
    set_whole(s, "axis", !g->length && chance(g, .6) ? rank - 1 : some_axis(g, &g->p->steps[x].type));
    return true;
}

/* ---- layer_norm(x, weight, bias) and rms_norm(x, weight), over the last axes ---- */

static bool infer_norm(const program *p, step *s)
{
    const setting *o = setting_named(s, "axes");
    if (s->n_in < 1 || !o || o->n < 1) return false;
    const type *x = operand_type(p, s, 0);
    if (!is_float(x->dtype) || x->weak || o->n > x->rank || x->count == 0) return false;
    for (int k = 0; k < o->n; k++)
        if (o->ints[k] != x->rank - o->n + k) return false;
    for (int k = 1; k < s->n_in; k++) {
        const type *w = operand_type(p, s, k), like = type_of(x->dtype, o->n, x->dims + x->rank - o->n);
        if (w->dtype != x->dtype || !same_shape(w, &like)) return false;
    }
    s->type = *x;
    return s->n_in <= (s->op->name[0] == 'l' ? 3 : 2);
}

static void norm_row(const machine *m, const step *s, const num *x, num *z, int64_t n)
{
    const bool centred = s->op->name[0] == 'l';
    const int dtype = s->type.dtype, wide = is_half(dtype) ? VN_F32 : dtype;
    const double u = precision_of(wide).unit, growth = machine_growth(m, n);
    long double sum = 0, all = 0;
    double e = 0, size = 0, squares_e = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i].v;
        e += x[i].e;
        size += fabs(x[i].v);
    }
    const num mean = centred ? (num){(double)sum / (double)n, (e + growth * u * size) / (double)n} : exactly(0);
    for (int64_t i = 0; i < n; i++) {
        const double d = x[i].v - mean.v, de = x[i].e + mean.e + u * fabs(d);
        all += d * d;
        squares_e += (2 * fabs(d) + de) * de;
    }
    const double squares = (double)all, variance = squares / (double)n + real_setting(s, "epsilon", 1e-5);
    const double relative = (squares_e / (double)n + (growth + 4) * u * squares / (double)n) / variance, by = 1 / sqrt(variance);
    for (int64_t i = 0; i < n; i++) {
        num v = {(x[i].v - mean.v) * by, 0};
        v.e = relative < .5 ? (x[i].e + mean.e + u * fabs(x[i].v - mean.v)) * by * 1.5 + fabs(v.v) * (relative + 8 * u) : INFINITY;
        if (s->n_in > 1) v = num_mul(v, m->values[s->in[1]][i], wide);
        if (s->n_in > 2) v = num_add(v, m->values[s->in[2]][i], wide);
        z[i] = rounded(v, dtype, 2);
    }
}

static void compute_norm(const machine *m, const step *s, num *z)
{
    const setting *o = setting_named(s, "axes");
    int64_t n = 1;
    for (int k = 0; k < o->n; k++) n *= s->type.dims[o->ints[k]];
    for (int64_t first = 0; first < s->type.count; first += n) norm_row(m, s, m->values[s->in[0]] + first, z + first, n);
}

static bool choose_norm(generator *g, step *s)
{
    const int x = pick(g, VN_FLOATS, 1, 5);
    if (x < 0) return false;
    const type t = g->p->steps[x].type;
    const int n = t.rank > 1 && chance(g, .3) ? 2 : 1;
    int64_t axes[2];
    for (int k = 0; k < n; k++) axes[k] = t.rank - n + k;
    operands(s, 1, x);
    set_list(s, "axes", n, axes);
    const int weights = (int)below(g, s->op->name[0] == 'l' ? 3 : 2);
    for (int k = 0; k < weights; k++) {
        const int w = new_input(g, type_of(t.dtype, n, t.dims + t.rank - n), POSITIVE, 0);
        if (w < 0) return false;
        s->in[s->n_in++] = w;
    }
    return true;
}

const op norm_ops[] = {
    {"softmax", infer_softmax, compute_softmax, choose_softmax, 10, SMOOTH, NULL},
    {"log_softmax", infer_softmax, compute_softmax, choose_softmax, 6, SMOOTH, NULL},
    {"layer_norm", infer_norm, compute_norm, choose_norm, 8, SMOOTH, NULL},
    {"rms_norm", infer_norm, compute_norm, choose_norm, 5, SMOOTH, NULL},
    {0},
};

/* ---- gradients ---- */

/* grad loss x: the gradient of a scalar for an input, checked by bits and differences, not by the loops. */
static bool infer_gradient(const program *p, step *s)
{
    if (s->n_in != 2) return false;
    const type *loss = operand_type(p, s, 0), *x = operand_type(p, s, 1);
    if (loss->rank != 0 || !is_float(loss->dtype) || !is_float(x->dtype) || p->steps[s->in[1]].op || x->weak) return false;
    s->type = *x;
    return true;
}

static void compute_gradient(const machine *m, const step *s, num *z)
{
    (void)m;
    for (int64_t i = 0; i < s->type.count; i++) z[i] = unknown(0);
}

const op gradient_op = {"grad", infer_gradient, compute_gradient, NULL, 0, 0, NULL};
