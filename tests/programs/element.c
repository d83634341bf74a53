/* SPDX-License-Identifier: Apache-2.0 */
/* element.c: elementwise ops: functions of one, two or three numbers, comparisons, casts. */
#include <string.h>

#include "program.h"

/* ---- functions in float64 ---- */

static double f_neg(double x)
{
    return -x;
}
static double f_square(double x)
{
    return x * x;
}
static double f_reciprocal(double x)
{
    return 1 / x;
}
static double f_rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double f_sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}
static double f_relu(double x)
{
    return x > 0 ? x : 0;
}
static double f_relu6(double x)
{
    return fmin(fmax(x, 0), 6);
}
static double f_hardtanh(double x)
{
    return fmin(fmax(x, -1), 1);
}
static double f_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double f_softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}
static double f_log_sigmoid(double x)
{
    return -f_softplus(-x);
}
/* Tails far below 0 in long double: in double the exponential overflows, or enlarges the rounding error of its argument. */
static double f_silu(double x)
{
    return (double)(x / (1 + expl(-x)));
}
static double f_mish(double x)
{
    return (double)(x * tanhl(fmaxl(x, 0) + log1pl(expl(-fabsl(x)))));
}
static double f_gelu(double x)
{
    return (double)(x * .5L * erfcl(-x * 0.70710678118654752440084436L));
}
static double f_gelu_tanh(double x)
{
    const long double y = x;
    return (double)(y / (1 + expl(-2 * 0.79788456080286535588L * (y + .044715L * y * y * y)))); /* 1 + tanh(u) would cancel */
}
static double f_selu(double x)
{
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x));
}
static double f_softsign(double x)
{
    return x / (1 + fabs(x));
}
static double f_hypot(double x, double y)
{
    return hypot(x, y);
}
static double f_logaddexp(double x, double y)
{
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* Functions of one number: their useful range, number of roundings, whether they are contractions, and whether they take integers: X(name,
 * function, low, high, away from 0, roundings, contracts, ints, traits). */
#define UNARIES(X)                                                       \
    X(neg, f_neg, -1e9, 1e9, 0, 0, true, true, SMOOTH)                   \
    X(abs, fabs, -1e9, 1e9, 0, 0, true, true, SMOOTH)                    \
    X(square, f_square, -1e3, 1e3, 0, 1, false, true, SMOOTH)            \
    X(sign, f_sign, -1e9, 1e9, 0, 0, false, true, 0)                     \
    X(floor, floor, -1e6, 1e6, 0, 0, false, true, 0)                     \
    X(ceil, ceil, -1e6, 1e6, 0, 0, false, true, 0)                       \
    X(trunc, trunc, -1e6, 1e6, 0, 0, false, true, 0)                     \
    X(round, rint, -1e6, 1e6, 0, 0, false, true, 0)                      \
    X(sqrt, sqrt, 0x1p-10, 1e9, 0, 1, false, false, SMOOTH)              \
    X(rsqrt, f_rsqrt, .01, 1e6, 0, 4, false, false, SMOOTH)              \
    X(reciprocal, f_reciprocal, -1e4, 1e4, .02, 2, false, false, SMOOTH) \
    X(exp, exp, -20, 8, 0, 4, false, false, SMOOTH)                      \
    X(expm1, expm1, -20, 8, 0, 4, false, false, SMOOTH)                  \
    X(log, log, .01, 1e6, 0, 4, false, false, SMOOTH)                    \
    X(log1p, log1p, -.9, 1e6, 0, 4, false, false, SMOOTH)                \
    X(log2, log2, .01, 1e6, 0, 4, false, false, SMOOTH)                  \
    X(log10, log10, .01, 1e6, 0, 4, false, false, SMOOTH)                \
    X(sin, sin, -100, 100, 0, 4, false, false, SMOOTH)                   \
    X(cos, cos, -100, 100, 0, 4, false, false, SMOOTH)                   \
    X(atan, atan, -1e6, 1e6, 0, 4, false, false, SMOOTH)                 \
    X(sinh, sinh, -8, 8, 0, 8, false, false, SMOOTH)                     \
    X(cosh, cosh, -8, 8, 0, 8, false, false, SMOOTH)                     \
    X(tanh, tanh, -1e6, 1e6, 0, 8, false, false, SMOOTH)                 \
    X(asinh, asinh, -1e6, 1e6, 0, 8, false, false, SMOOTH)               \
    X(erf, erf, -1e3, 1e3, 0, 8, false, false, SMOOTH)                   \
    X(sigmoid, f_sigmoid, -30, 30, 0, 8, false, false, SMOOTH)           \
    X(relu, f_relu, -1e9, 1e9, 0, 0, true, true, SMOOTH)                 \
    X(relu6, f_relu6, -1e9, 1e9, 0, 0, true, false, SMOOTH)              \
    X(hardtanh, f_hardtanh, -1e9, 1e9, 0, 0, true, false, SMOOTH)        \
    X(softplus, f_softplus, -30, 1e3, 0, 8, false, false, SMOOTH)        \
    X(log_sigmoid, f_log_sigmoid, -1e3, 30, 0, 8, false, false, SMOOTH)  \
    X(silu, f_silu, -30, 1e3, 0, 8, false, false, SMOOTH)                \
    X(mish, f_mish, -20, 1e3, 0, 16, false, false, SMOOTH)               \
    X(gelu, f_gelu, -3, 1e3, 0, 32, false, false, SMOOTH)                \
    X(selu, f_selu, -30, 1e3, 0, 8, false, false, SMOOTH)                \
    X(softsign, f_softsign, -1e6, 1e6, 0, 4, false, false, SMOOTH)
typedef struct unary {
    double (*f)(double);
    double low, high, away, roundings;
    bool contracts, ints;
} unary;
#define ROW(name, f, low, high, away, roundings, contracts, ints, traits) \
    static const unary unary_##name = {f, low, high, away, roundings, contracts, ints};
UNARIES(ROW)
#undef ROW

/* Integers wrap around. */
static double wrapped(double v, int dtype)
{
    if (dtype == VN_BOOL) return v != 0;
    if (!is_int(dtype) || !(fabs(v) < 0x1p62)) return v;
    const int64_t i = (int64_t)v;
    switch (dtype) {
    case VN_I8: return (double)(int8_t)i;
    case VN_I16: return (double)(int16_t)i;
    case VN_I32: return (double)(int32_t)i;
    case VN_U8: return (double)(uint8_t)i;
    case VN_U16: return (double)(uint16_t)i;
    case VN_U32: return (double)(uint32_t)i;
    case VN_U64: return i < 0 ? 0x1p64 + v : v;
    default: return v;
    }
}

/* A number of an integer dtype; unknown if a double cannot hold it. */
static num whole(num z, int dtype)
{
    const double v = wrapped(z.v, dtype);
    return (num){v, fabs(z.v) < 0x1p53 && fabs(v) < 0x1p53 ? z.e : INFINITY};
}

static bool infer_unary(const program *p, step *s)
{
    const unary *u = s->op->row;
    if (s->n_in != 1) return false;
    s->type = *operand_type(p, s, 0);
    return !s->type.weak && (is_float(s->type.dtype) || (u->ints && is_int(s->type.dtype)));
}

#define FLUSHED 0x1p-119

static void compute_unary(const machine *m, const step *s, num *z)
{
    const unary *u = s->op->row;
    const num *x = m->values[s->in[0]];
    const int dtype = s->type.dtype;
    double (*f)(double) = u->f == f_gelu && whole_setting(s, "approximate", 0) ? f_gelu_tanh : u->f;
    for (int64_t i = 0; i < s->type.count; i++) {
        if (!is_float(dtype)) z[i] = whole((num){f(x[i].v), x[i].e}, dtype);
        else if (u->contracts) z[i] = (num){f(x[i].v), x[i].e};
        else if (u->roundings == 1 && x[i].e == 0 && (m->native || f != sqrt)) /* torch's square root may be one unit off */
            z[i] = rounded_once(exactly(f(x[i].v)), dtype);
        else z[i] = num_apply(f, x[i], dtype, m->native ? u->roundings : 4 * u->roundings, (s->op->traits & SMOOTH) != 0);
        if (!m->native && f == f_gelu)
            z[i].e += 4 * fabs(x[i].v) * precision_of(dtype).least;                 /* terms of x times a subnormal number are flushed */
        if (!m->native && f == f_silu && fabs(z[i].v) < FLUSHED) z[i].e += FLUSHED; /* sigmoid(x) is subnormal: frameworks give 0 */
    }
}

/* Are all elements of a value in the function's range? */
static bool inside(const num *x, int64_t n, const unary *u)
{
    for (int64_t i = 0; i < n; i++)
        if (!(x[i].v >= u->low && x[i].v <= u->high && fabs(x[i].v) >= u->away)) return false;
    return true;
}

static bool choose_unary(generator *g, step *s)
{
    const unary *u = s->op->row;
    const int x = pick(g, u->ints ? VN_REAL : VN_FLOATS, 0, MAX_AXES);
    if (x < 0 || !inside(g->m.values[x], g->p->steps[x].type.count, u)) return false;
    if (u->f == f_gelu && chance(g, .5)) set_whole(s, "approximate", 1);
    operands(s, 1, x);
    return true;
}

/* ---- two numbers ---- */

typedef enum kind {
    ADD,
    SUB,
    MUL,
    DIV,
    MAXIMUM,
    MINIMUM,
    GENERAL, /* a function */
    FLOOR_DIVIDE,
    REMAINDER,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    AND,
    OR,
    XOR
} kind;
#define WHOLE_OR_BOOL (VN_INTS | VN_BIT(VN_BOOL))
/* X(name, kind, function, dtypes, swapped (x > y is y < x), weight, traits) */
#define BINARIES(X)                                                 \
    X(add, ADD, NULL, VN_REAL, false, 20, SMOOTH)                   \
    X(sub, SUB, NULL, VN_REAL, false, 12, SMOOTH)                   \
    X(mul, MUL, NULL, VN_REAL, false, 20, SMOOTH)                   \
    X(div, DIV, NULL, VN_FLOATS, false, 6, SMOOTH)                  \
    X(maximum, MAXIMUM, NULL, VN_REAL, false, 6, SMOOTH)            \
    X(minimum, MINIMUM, NULL, VN_REAL, false, 4, SMOOTH)            \
    X(atan2, GENERAL, atan2, VN_FLOATS, false, 1, 0)                \
    X(hypot, GENERAL, f_hypot, VN_FLOATS, false, 1, SMOOTH)         \
    X(logaddexp, GENERAL, f_logaddexp, VN_FLOATS, false, 2, SMOOTH) \
    X(floor_divide, FLOOR_DIVIDE, NULL, VN_REAL, false, 2, 0)       \
    X(remainder, REMAINDER, NULL, VN_REAL, false, 2, 0)             \
    X(equal, EQUAL, NULL, VN_ORDERED, false, 2, 0)                  \
    X(not_equal, NOT_EQUAL, NULL, VN_ORDERED, false, 1, 0)          \
    X(less, LESS, NULL, VN_REAL, false, 4, 0)                       \
    X(less_equal, LESS_EQUAL, NULL, VN_REAL, false, 1, 0)           \
    X(greater, LESS, NULL, VN_REAL, true, 3, 0)                     \
    X(greater_equal, LESS_EQUAL, NULL, VN_REAL, true, 1, 0)         \
    X(bitwise_and, AND, NULL, WHOLE_OR_BOOL, false, 2, 0)           \
    X(bitwise_or, OR, NULL, WHOLE_OR_BOOL, false, 2, 0)             \
    X(bitwise_xor, XOR, NULL, WHOLE_OR_BOOL, false, 1, 0)
typedef struct binary {
    kind kind;
    double (*f)(double, double);
    uint32_t dtypes;
    bool swapped;
} binary;
#define ROW(name, kind, f, dtypes, swapped, weight, traits) static const binary binary_##name = {kind, f, dtypes, swapped};
BINARIES(ROW)
#undef ROW

static bool asks(const binary *b)
{
    return b->kind >= EQUAL && b->kind <= LESS_EQUAL;
}

/* Types of n operands from the first on, broadcast; weak numbers take the dtype of the others. */
static bool infer_broadcast(const program *p, step *s, int first, int n)
{
    int dtype = -1;
    type z = {.rank = 0, .count = 1};
    for (int k = first; k < first + n; k++) {
        const type *x = operand_type(p, s, k);
        if (!broadcast_types(&z, x)) return false;
        if (x->weak) continue;
        if (dtype >= 0 && dtype != x->dtype) return false;
        dtype = x->dtype;
    }
    z.dtype = dtype;
    s->type = z;
    return dtype >= 0;
}

static bool infer_binary(const program *p, step *s)
{
    const binary *b = s->op->row;
    if (s->n_in != 2 || !infer_broadcast(p, s, 0, 2) || !(VN_BIT(s->type.dtype) & b->dtypes)) return false;
    if (asks(b)) s->type.dtype = VN_BOOL;
    return true;
}

/* Floor division and remainder. Near an integer the result depends on rounding. */
static num divided(num x, num y, int dtype, bool rest)
{
    if (!is_float(dtype)) {
        const double q = y.v == 0 ? 0 : floor(x.v / y.v);
        return (num){wrapped(rest ? (y.v == 0 ? 0 : x.v - q * y.v) : q, dtype), x.e + y.e > 0 ? INFINITY : 0};
    }
    const num q = num_div(x, y, dtype);
    const double down = floor(q.v);
    if (x.e + y.e == 0 && q.v == rint(q.v) && fma(q.v, y.v, -x.v) == 0) return exactly(rest ? 0 : q.v);
    if (!(q.v - 2 * q.e > down && q.v + 2 * q.e < down + 1)) return unknown(rest ? x.v - down * y.v : down);
    return rest ? rounded((num){x.v - down * y.v, x.e + fabs(down) * y.e}, dtype, 2 + 2 * fabs(x.v) / fmax(fabs(x.v - down * y.v), 1e-30))
                : exactly(down);
}

static num question(kind k, num x, num y)
{
    const double gap = x.v - y.v, e = x.e + y.e;
    const bool sure = e == 0 || fabs(gap) > e;
    const bool yes = k == EQUAL ? gap == 0 : k == NOT_EQUAL ? gap != 0 : k == LESS ? gap < 0 : gap <= 0;
    return (num){yes, sure ? 0 : 1};
}

static num bits_of(kind k, num x, num y)
{
    const int64_t a = (int64_t)x.v, b = (int64_t)y.v;
    return (num){(double)(k == AND ? a & b : k == OR ? a | b : a ^ b), x.e + y.e > 0 ? INFINITY : 0};
}

static num general(double (*f)(double, double), num x, num y, int dtype)
{
    const double z = f(x.v, y.v), a = fmax(fabs(f(x.v + x.e, y.v) - z), fabs(f(x.v - x.e, y.v) - z));
    const double b = fmax(fabs(f(x.v, y.v + y.e) - z), fabs(f(x.v, y.v - y.e) - z));
    if (f == atan2 && fabs(x.v) <= x.e && y.v <= y.e) return unknown(z);   /* pi or -pi: the loops do not know signs of zeros */
    const double size = f == f_logaddexp ? fmax(fabs(x.v), fabs(y.v)) : 0; /* near its zeros it is a difference */
    return rounded((num){z, 1.5 * (a + b) + 4 * precision_of(dtype).unit * size}, dtype, 8);
}

static num two(const binary *b, num x, num y, int dtype)
{
    switch (b->kind) {
    case ADD: return num_add(x, y, dtype);
    case SUB: return num_sub(x, y, dtype);
    case MUL: return num_mul(x, y, dtype);
    case DIV: return num_div(x, y, dtype);
    case MAXIMUM: return num_max(x, y);
    case MINIMUM: {
        const num z = num_max((num){-x.v, x.e}, (num){-y.v, y.e});
        return (num){-z.v, z.e};
    }
    case FLOOR_DIVIDE: return divided(x, y, dtype, false);
    case REMAINDER: return divided(x, y, dtype, true);
    case AND:
    case OR:
    case XOR: return bits_of(b->kind, x, y);
    case GENERAL: return general(b->f, x, y, dtype);
    default: return b->swapped ? question(b->kind, y, x) : question(b->kind, x, y);
    }
}

static void compute_binary(const machine *m, const step *s, num *z)
{
    const binary *b = s->op->row;
    const num *x = m->values[s->in[0]], *y = m->values[s->in[1]];
    const type *t = operand_type(m->p, s, 0);
    const int dtype = t->weak ? operand_type(m->p, s, 1)->dtype : t->dtype;
    walk w;
    walk_begin(&w, &s->type);
    walk_operand(&w, t);
    walk_operand(&w, operand_type(m->p, s, 1));
    for (int64_t i = 0; i < s->type.count; i++, walk_next(&w)) {
        z[i] = two(b, x[w.at[0]], y[w.at[1]], dtype);
        if (!m->native && b->kind == DIV) z[i] = rounded(z[i], dtype, 1); /* XLA multiplies by the reciprocal of what is broadcast */
        if (is_float(dtype) || asks(b)) continue;
        z[i] = whole(z[i], dtype);
    }
}

/* A second operand for x: of its shape, a number, or broadcast with it. */
static int partner(generator *g, int x, bool numbers)
{
    const type t = g->p->steps[x].type;
    const int64_t at = below(g, 100);
    if (at < 50) return pick_like(g, x, true);
    if (at < 62 && numbers && t.dtype != VN_BOOL)
        return new_number(g, (double[]){.5, 2, -1.5, .25, 3, -1}[below(g, is_float(t.dtype) ? 6 : 2)] * (is_float(t.dtype) ? 1 : 4));
    for (int tries = 0; at < 85 && tries < 6; tries++) {
        const int y = pick(g, VN_BIT(t.dtype), 0, MAX_AXES);
        type wide = t;
        if (y >= 0 && broadcast_types(&wide, &g->p->steps[y].type) && wide.count <= 2 * t.count + 64) return y;
    }
    return new_input(g, broadcast_shape(g, t), -1, 0);
}

static bool choose_binary(generator *g, step *s)
{
    const binary *b = s->op->row;
    const int x = pick(g, b->dtypes, 0, MAX_AXES), y = x < 0 ? -1 : partner(g, x, true);
    if (y < 0) return false;
    if (chance(g, .7)) operands(s, 2, x, y);
    else operands(s, 2, y, x);
    return true;
}

/* ---- three ---- */

static bool infer_where(const program *p, step *s)
{
    if (s->n_in != 3 || operand_type(p, s, 0)->dtype != VN_BOOL || !infer_broadcast(p, s, 1, 2)) return false;
    return broadcast_types(&s->type, operand_type(p, s, 0));
}

static void compute_where(const machine *m, const step *s, num *z)
{
    const num *c = m->values[s->in[0]], *x = m->values[s->in[1]], *y = m->values[s->in[2]];
    walk w;
    walk_begin(&w, &s->type);
    for (int k = 0; k < 3; k++) walk_operand(&w, operand_type(m->p, s, k));
    for (int64_t i = 0; i < s->type.count; i++, walk_next(&w)) {
        const num a = x[w.at[1]], b = y[w.at[2]], chosen = c[w.at[0]].v != 0 ? a : b;
        z[i] = c[w.at[0]].e == 0 ? chosen : (num){chosen.v, fabs(a.v - b.v) + larger(a.e, b.e)};
    }
}

static bool choose_where(generator *g, step *s)
{
    const int x = pick(g, VN_ORDERED, 0, MAX_AXES), y = x < 0 ? -1 : partner(g, x, true);
    if (y < 0) return false;
    int c = pick(g, VN_BIT(VN_BOOL), 0, MAX_AXES);
    type wide = g->p->steps[x].type;
    if (c < 0 || !broadcast_types(&wide, &g->p->steps[c].type) || wide.count > 2 * g->p->steps[x].type.count + 64) {
        type t = broadcast_shape(g, g->p->steps[x].type);
        t.dtype = VN_BOOL;
        c = new_input(g, t, BITS, 0);
    }
    if (c < 0) return false;
    operands(s, 3, c, x, y);
    return true;
}

static bool infer_clip(const program *p, step *s)
{
    return s->n_in == 3 && infer_broadcast(p, s, 0, 3) && (VN_BIT(s->type.dtype) & VN_REAL);
}

static void compute_clip(const machine *m, const step *s, num *z)
{
    walk w;
    walk_begin(&w, &s->type);
    for (int k = 0; k < 3; k++) walk_operand(&w, operand_type(m->p, s, k));
    for (int64_t i = 0; i < s->type.count; i++, walk_next(&w)) {
        const num x = m->values[s->in[0]][w.at[0]], low = m->values[s->in[1]][w.at[1]], high = m->values[s->in[2]][w.at[2]];
        const num up = num_max(x, low), z1 = num_max((num){-up.v, up.e}, (num){-high.v, high.e});
        z[i] = (num){-z1.v, z1.e};
    }
}

static bool choose_clip(generator *g, step *s)
{
    const int x = pick(g, VN_FLOATS | VN_SIGNED, 0, MAX_AXES);
    if (x < 0) return false;
    const int low = chance(g, .5) ? new_number(g, -1) : partner(g, x, false), high = new_number(g, 2);
    if (low < 0 || high < 0) return false;
    operands(s, 3, x, low, high);
    return true;
}

/* ---- casts ---- */

static bool infer_cast(const program *p, step *s)
{
    const int64_t to = whole_setting(s, "dtype", -1);
    if (s->n_in != 1 || to < 0 || to > VN_F64 || operand_type(p, s, 0)->weak) return false;
    s->type = *operand_type(p, s, 0);
    s->type.dtype = (int)to;
    return true;
}

static double highest(int dtype)
{
    switch (dtype) {
    case VN_I8: return 127;
    case VN_U8: return 255;
    case VN_I16: return 32767;
    case VN_U16: return 65535;
    case VN_I32: return 2147483647.;
    case VN_U32: return 4294967295.;
    default: return 0x1p53;
    }
}

static void compute_cast(const machine *m, const step *s, num *z)
{
    const num *x = m->values[s->in[0]];
    const int from = operand_type(m->p, s, 0)->dtype, to = s->type.dtype;
    for (int64_t i = 0; i < s->type.count; i++) {
        const num v = x[i];
        if (is_float(to)) z[i] = from == to ? v : rounded_once(v, to);
        else if (to == VN_BOOL) z[i] = (num){v.v != 0, v.e == 0 || fabs(v.v) > v.e ? 0 : 1};
        else if (!is_float(from)) z[i] = whole(v, to);
        else if (!(fabs(v.v) < highest(to)) || (v.v < 0 && (VN_BIT(to) & VN_UNSIGNED)))
            z[i] = unknown(0); /* not defined the same on every engine */
        else z[i] = (num){trunc(v.v), v.e == 0 || trunc(v.v - v.e) == trunc(v.v + v.e) ? 0 : INFINITY};
    }
}

static bool choose_cast(generator *g, step *s)
{
    static const int to[] = {VN_F32, VN_F32, VN_F32, VN_F64, VN_F16, VN_BF16, VN_I32, VN_I64, VN_U8, VN_I8, VN_I16, VN_BOOL};
    const int x = pick(g, VN_ORDERED, 0, MAX_AXES);
    if (x < 0) return false;
    operands(s, 1, x);
    set_whole(s, "dtype", to[below(g, (int64_t)(sizeof to / sizeof *to))]);
    return true;
}

/* ---- the table ---- */

const op element_ops[] = {
#define ROW(name, f, low, high, away, roundings, contracts, ints, traits) \
    {#name, infer_unary, compute_unary, choose_unary, 2, traits, &unary_##name},
    UNARIES(ROW)
#undef ROW
#define ROW(name, kind, f, dtypes, swapped, weight, traits) \
    {#name, infer_binary, compute_binary, choose_binary, weight, traits, &binary_##name},
        BINARIES(ROW)
#undef ROW
            {"where", infer_where, compute_where, choose_where, 10, SMOOTH, NULL},
    {"clip", infer_clip, compute_clip, choose_clip, 4, SMOOTH, NULL},
    {"cast", infer_cast, compute_cast, choose_cast, 14, SMOOTH, NULL},
    {0},
};
