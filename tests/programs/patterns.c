/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c: several steps that belong together, as in the programs that people write. */
#include <stdarg.h>

#include "program.h"

int add_call(generator *g, const char *name, int n, ...)
{
    step s = {.op = op_named(name), .n_in = n};
    va_list list;
    va_start(list, n);
    for (int k = 0; k < n; k++) s.in[k] = va_arg(list, int);
    va_end(list);
    for (int k = 0; k < n; k++)
        if (s.in[k] < 0) return -1;
    return add_step(g, &s);
}

typedef struct over {
    int n;
    int64_t axes[MAX_AXES];
} over;

static over some_axes(generator *g, int x)
{
    over o = {0};
    const int rank = g->p->steps[x].type.rank;
    for (int a = 0; a < rank; a++)
        if (chance(g, .5)) o.axes[o.n++] = a;
    if (o.n == 0 && rank > 0) o.axes[o.n++] = chance(g, .5) ? rank - 1 : some_axis(g, &g->p->steps[x].type);
    return o;
}

static int reduce(generator *g, const char *name, int x, const over *o, bool keep)
{
    if (x < 0) return -1;
    step s = {.op = op_named(name)};
    operands(&s, 1, x);
    set_list(&s, "axes", o->n, o->axes);
    if (keep) set_whole(&s, "keepdims", 1);
    return add_step(g, &s);
}

/* Sums of x and of functions of it over the same axes, as the statistics of a batch are. */
static void statistics(generator *g)
{
    static const char *const functions[] = {"square", "abs", "tanh", "relu", "neg", "sin"};
    const int x = pick(g, VN_FLOATS, 1, 6);
    if (x < 0) return;
    const over o = some_axes(g, x);
    const bool keep = chance(g, .5);
    const int n = chance(g, .1) ? 6 + (int)below(g, 12) : 1 + (int)below(g, 3);
    if (chance(g, .7)) reduce(g, chance(g, .7) ? "sum" : "max", x, &o, keep);
    for (int k = 0; k < n; k++) {
        const int y = n > 4 ? add_call(g, "mul", 2, x, new_number(g, (double)(k + 1) / 8)) : add_call(g, functions[below(g, 6)], 1, x);
        reduce(g, chance(g, .8) ? "sum" : "max", y, &o, keep);
    }
    if (n > 4) add_call(g, "square", 1, x);
}

/* exp(x - max) / sum, over any axes. */
static void softmax_in_pieces(generator *g)
{
    const int x = pick(g, VN_FLOATS, 1, 6);
    if (x < 0) return;
    const over o = some_axes(g, x);
    const int e = add_call(g, "exp", 1, add_call(g, "sub", 2, x, reduce(g, "max", x, &o, true)));
    add_call(g, "div", 2, e, reduce(g, "sum", e, &o, true));
}

/* (x - mean) / sqrt(variance + epsilon), over any axes, perhaps scaled. */
static void norm_in_pieces(generator *g)
{
    const int x = pick(g, VN_FLOATS, 1, 6);
    if (x < 0) return;
    const over o = some_axes(g, x);
    const int d = add_call(g, "sub", 2, x, reduce(g, "mean", x, &o, true));
    const int v = add_call(g, "add", 2, reduce(g, "mean", add_call(g, "square", 1, d), &o, true), new_number(g, .125));
    const int z = add_call(g, "mul", 2, d, add_call(g, "rsqrt", 1, v));
    if (z >= 0 && chance(g, .5)) add_call(g, "mul", 2, z, new_input(g, broadcast_shape(g, g->p->steps[z].type), POSITIVE, 0));
}

/* A layer: product, bias, activation. */
static void layer(generator *g)
{
    static const char *const activations[] = {"relu", "tanh", "gelu", "sigmoid", "silu"};
    step s = {.op = op_named("matmul")};
    if (!s.op->choose(g, &s)) return;
    const int y = add_step(g, &s);
    if (y < 0) return;
    const type *t = &g->p->steps[y].type;
    const int b = t->rank > 0 ? new_input(g, type_of(t->dtype, 1, &t->dims[t->rank - 1]), -1, 0) : -1;
    add_call(g, activations[below(g, 5)], 1, add_call(g, "add", 2, y, b));
}

/* x transposed, reduced, and used together with the original. */
static void across_of(generator *g, int x)
{
    step s = {.op = op_named("permute_dims")};
    g->only = x;
    const bool fits = s.op->choose(g, &s);
    g->only = -1;
    const int y = fits ? add_step(g, &s) : -1;
    if (y < 0) return;
    const over o = some_axes(g, y);
    reduce(g, "sum", add_call(g, chance(g, .5) ? "square" : "tanh", 1, y), &o, chance(g, .5));
    reduce(g, "sum", x, &o, chance(g, .5));
    reduce(g, "mean", y, &o, true);
}

static void across(generator *g)
{
    const int x = pick(g, VN_FLOATS, 2, 5);
    if (x >= 0) across_of(g, x);
}

/* Views of views, finally read by some kernel. */
static void views(generator *g)
{
    static const char *const names[] = {"permute_dims", "reshape", "flip",        "stride",
                                        "broadcast_to", "reshape", "expand_dims", "matrix_transpose"};
    int x = pick(g, VN_ORDERED, 1, 5);
    for (int64_t k = 2 + below(g, 4); k > 0 && x >= 0; k--) {
        step s = {.op = op_named(names[below(g, 8)])};
        const int before = g->p->n;
        g->only = x;
        const bool fits = s.op->choose(g, &s);
        g->only = -1;
        const int y = fits ? add_step(g, &s) : -1;
        if (y >= 0) x = y;
        else if (g->p->n > before) return;
    }
    const over o = x < 0 ? (over){0} : some_axes(g, x);
    if (x < 0 || !is_float(g->p->steps[x].type.dtype)) return;
    if (chance(g, .5)) reduce(g, "sum", x, &o, chance(g, .5));
    else add_call(g, "add", 2, x, pick_like(g, x, true));
}

/* index_add of x to itself, or a norm of x with x as its weight. */
static int twice_an_operand(generator *g, int x)
{
    const type t = g->p->steps[x].type;
    step s = {.op = op_named(t.rank == 1 && chance(g, .5) ? "layer_norm" : "index_add")};
    if (s.op->name[0] == 'l') {
        operands(&s, 2, x, x);
        set_list(&s, "axes", 1, (int64_t[]){0});
    } else {
        const int index = new_input(g, type_of(VN_I64, 1, t.dims), INDEX, t.dims[0]);
        if (index < 0) return -1;
        operands(&s, 3, x, index, x);
        set_whole(&s, "axis", 0);
    }
    return add_step(g, &s);
}

/* A value combined with itself, or a view of itself, mostly at its last use: may its memory be reused? */
static void with_itself(generator *g)
{
    static const char *const names[] = {"flip", "stride", "slice_step", "permute_dims", "broadcast_to", "roll"};
    int x = pick(g, VN_BIT(VN_F32) | VN_BIT(VN_F64), 1, 4);
    if (x < 0 || (chance(g, .7) && (x = add_call(g, "neg", 1, x)) < 0)) return;
    step s = {.op = op_named(names[below(g, 6)])};
    g->only = x;
    const bool fits = s.op->choose(g, &s);
    g->only = -1;
    const int y = fits ? add_step(g, &s) : -1, index = new_input(g, type_of(VN_I64, 1, &(int64_t){g->p->steps[x].type.rank}), INDEX, 4);
    int z = -1;
    switch (below(g, 8)) {
    case 0: z = add_call(g, "add", 2, x, y); break;
    case 1: z = add_call(g, "sub", 2, y, x); break;
    case 2: z = add_call(g, "matmul", 2, x, y); break;
    case 3: z = add_call(g, "concat", 2, x, y); break;
    case 4:
    case 5: z = twice_an_operand(g, x); break;
    default: z = add_call(g, "slice_set", 3, x, y, index);
    }
    if (z >= 0 && chance(g, .7)) add_call(g, "abs", 1, z);
}

/* Alternating row statistics and elementwise ops: what the native engine chains. */
static void row_by_row(generator *g)
{
    static const char *const functions[] = {"tanh", "square", "abs", "sigmoid", "neg"}, *const binaries[] = {"sub", "mul", "add",
                                                                                                             "maximum"};
    int x = pick(g, VN_FLOATS, 2, 5);
    if (x < 0) return;
    const int last = g->p->steps[x].type.rank - 1;
    over o = {1, {last}};
    if (chance(g, .3)) o = some_axes(g, x);
    for (int64_t k = 1 + below(g, 4); k > 0 && x >= 0; k--) {
        int r = reduce(g, (const char *const[]){"sum", "max", "mean", "min"}[below(g, 4)], x, &o, true);
        if (r >= 0 && chance(g, .5)) r = add_call(g, functions[below(g, 5)], 1, r);
        const int y = add_call(g, binaries[below(g, 4)], 2, x, r);
        x = y >= 0 && chance(g, .5) ? add_call(g, functions[below(g, 5)], 1, y) : y;
    }
    if (x >= 0 && chance(g, .4)) across_of(g, x);
}

void many_values(generator *g, int64_t n)
{
    static const char *const functions[] = {"neg", "abs", "square", "tanh", "relu", "sin", "cos"};
    const int x = pick(g, VN_FLOATS, 0, MAX_AXES);
    int all[MAX_STEPS], made = 0;
    if (x < 0) return;
    for (int64_t k = 0; k < n && g->p->n < MAX_STEPS - 20; k++) {
        const int y = add_call(g, functions[below(g, 7)], 1, made && chance(g, .3) ? all[below(g, made)] : x);
        if (y >= 0) all[made++] = y;
    }
    if (chance(g, .5)) return; /* each is a result */
    int sum = made ? all[0] : -1;
    for (int k = 1; k < made && sum >= 0 && g->p->n < MAX_STEPS - 8; k++) sum = add_call(g, k % 2 ? "add" : "sub", 2, sum, all[k]);
}

void some_pattern(generator *g)
{
    static void (*const patterns[])(generator *) = {statistics, statistics, softmax_in_pieces, norm_in_pieces, layer, across,
                                                    views,      views,      with_itself,       row_by_row};
    patterns[below(g, sizeof patterns / sizeof *patterns)](g);
}
