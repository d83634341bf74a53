/* SPDX-License-Identifier: Apache-2.0 */
/* generate.c: generates a random program from a seed. Sizes are log-uniform from one element to a million, one program in a hundred is
 * larger, and one in ten aims at a threshold of the native engine (thresholds.def): just below, at or just above it.
 *
 * The program is computed by the plain loops while it grows, so that a step with a useless result (out of the dtype's range, or mostly
 * unknown) is undone. A seed gives the same program everywhere. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* ---- random choices ---- */

uint64_t roll(generator *g)
{
    return mix(g->state += UINT64_C(0x9e3779b97f4a7c15));
}
int64_t below(generator *g, int64_t n)
{
    return n > 0 ? (int64_t)(roll(g) % (uint64_t)n) : 0;
}
bool chance(generator *g, double p)
{
    return (double)(roll(g) >> 11) * 0x1p-53 < p;
}
int64_t log_uniform(generator *g, int64_t low, int64_t high)
{
    const double u = (double)(roll(g) >> 11) * 0x1p-53;
    const int64_t n = (int64_t)(exp(log((double)low) + u * log(((double)high + 1) / (double)low)));
    return n < low ? low : n > high ? high : n;
}

/* ---- thresholds ---- */

typedef struct threshold {
    const char *name;
    int64_t value;
    const char *unit, *ops, *what;
} threshold;
static const threshold thresholds[] = {
#define THRESHOLDS_ALL
#define THRESHOLD(name, value, unit, ops, what) {#name, value, #unit, ops, what},
#include "../../engines/native/thresholds.def"
#undef THRESHOLD
};
enum { N_THRESHOLDS = sizeof thresholds / sizeof *thresholds };

void list_thresholds(FILE *to)
{
    for (int k = 0; k < N_THRESHOLDS; k++)
        fprintf(to, "%-20s %10lld %-9s %-38s %s\n", thresholds[k].name, (long long)thresholds[k].value, thresholds[k].unit,
                thresholds[k].ops, thresholds[k].what);
}

/* Near a threshold, or near a multiple of it. */
static int64_t near(generator *g, int64_t value, int64_t most)
{
    int64_t n = value;
    if (chance(g, .3) && value <= most / 6) n *= 2 + below(g, 4);
    switch (below(g, 5)) {
    case 0: n -= 1; break;
    case 1: break;
    case 2: n += 1; break;
    case 3: n += 1 + below(g, 40); break;
    default: n += below(g, n / 4 + 1);
    }
    return n < 1 ? 1 : n > most ? most : n;
}

/* One of the words that is an op of the generator. */
static const op *one_of(generator *g, const char *words)
{
    const op *found[8];
    int n = 0;
    while (*words && n < 8) {
        char name[32];
        const size_t length = strcspn(words, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        found[n] = op_named(name);
        n += found[n] != NULL;
        words += length + (words[length] == ' ');
    }
    return n ? found[below(g, n)] : NULL;
}

static void aim(generator *g)
{
    const threshold *t = &thresholds[below(g, N_THRESHOLDS)];
    g->aim = t->name;
    g->op = one_of(g, t->ops);
    if (!strcmp(t->unit, "ELEMENTS")) g->elements = near(g, t->value, 2000000);
    else if (!strcmp(t->unit, "BYTES")) g->elements = near(g, t->value / (int64_t)vn_dtype_size((vn_dtype)g->dtype), 2000000);
    else if (!strcmp(t->unit, "PRODUCTS")) g->products = near(g, t->value, 1 << 23), g->elements = log_uniform(g, 64, 1 << 16);
    else if (!strcmp(t->unit, "VALUES")) g->values = near(g, t->value, 100), g->elements = log_uniform(g, 1, 1 << 13);
    else {
        g->length = near(g, t->value, 200000);
        g->elements = log_uniform(g, g->length, g->length > 1 << 17 ? g->length * 2 : 1 << 18);
    }
}

int64_t some_axis(generator *g, const type *t)
{
    for (int a = 0; a < t->rank; a++)
        if (g->length && t->dims[a] == g->length && chance(g, .7)) return a;
    return below(g, t->rank);
}

int64_t some_length(generator *g, int64_t most)
{
    if (most < 1) most = 1;
    if (g->length && g->length <= most && chance(g, .4)) return g->length;
    if (chance(g, .3)) return 1 + below(g, vn__min(most, 17));
    return log_uniform(g, 1, most);
}

/* ---- shapes ---- */

static type some_shape(generator *g, int64_t elements)
{
    static const int ranks[] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5};
    type t = {.dtype = g->dtype, .rank = elements == 1 ? (int)below(g, 4) : ranks[1 + below(g, 19)]};
    int64_t left = elements;
    int n = 0;
    if (g->length && t.rank > 0 && chance(g, .85)) {
        t.dims[n++] = g->length;
        left = (left + g->length - 1) / g->length;
    }
    for (; n < t.rank - 1; n++) {
        t.dims[n] = chance(g, .1) ? 1 : log_uniform(g, 1, left);
        if (chance(g, .6)) t.dims[n] = log_uniform(g, 1, (int64_t)sqrt((double)left) + 1);
        left = (left + t.dims[n] - 1) / t.dims[n];
    }
    if (n < t.rank) t.dims[n] = left;
    for (int a = t.rank - 1; a > 0; a--) {
        const int64_t b = below(g, a + 1), d = t.dims[a];
        t.dims[a] = t.dims[b];
        t.dims[b] = d;
    }
    t.count = count_of(&t);
    return t;
}

type broadcast_shape(generator *g, type t)
{
    t.weak = false;
    const int64_t at = below(g, 10);
    if (at < 3) return t;
    const int gone = at < 7 ? (int)below(g, t.rank + 1) : 0;
    for (int a = gone; a < t.rank; a++) t.dims[a - gone] = chance(g, .4) ? 1 : t.dims[a];
    t.rank -= gone;
    t.count = count_of(&t);
    return t;
}

/* ---- steps ---- */

void operands(step *s, int n, ...)
{
    va_list list;
    va_start(list, n);
    for (int k = 0; k < n; k++) s->in[k] = va_arg(list, int);
    va_end(list);
    s->n_in = n;
}

static int push(generator *g, const step *s)
{
    program *p = g->p;
    if (p->n == MAX_STEPS || s->type.count > g->left) return -1;
    p->steps[p->n] = *s;
    machine_step(&g->m, p->n);
    if (!g->m.values[p->n]) return -1;
    g->left -= s->type.count;
    return p->n++;
}

int new_input(generator *g, type t, int data, int64_t limit)
{
    static const int floats[] = {NORMAL, NORMAL, NORMAL, UNIFORM, UNIFORM, POSITIVE, WHOLE, WHOLE, ONES, SPARSE};
    step s = {.type = t, .data = data >= 0 ? data : floats[below(g, 10)], .limit = limit, .seed = roll(g) >> 40};
    if (data < 0 && t.dtype == VN_BOOL) s.data = BITS;
    s.type.count = count_of(&t);
    return push(g, &s);
}

int new_number(generator *g, double value)
{
    return push(g, &(step){.type = {.dtype = VN_F32, .weak = true, .count = 1}, .number = value});
}

/* Is the result useful? */
static bool useful(const step *s, const num *z)
{
    const double most = s->type.dtype == VN_F16 ? 2e3 : is_float(s->type.dtype) ? 1e6 : 0x1p52;
    int64_t lost = 0;
    for (int64_t i = 0; i < s->type.count; i++) {
        if (!(fabs(z[i].v) <= most)) return false;
        lost += is_float(s->type.dtype) ? !(z[i].e <= .01 * (fabs(z[i].v) + .01)) : z[i].e >= .5;
    }
    return lost <= s->type.count / 8;
}

int add_step(generator *g, step *s)
{
    if (!s->op->infer(g->p, s)) return -1;
    s->type.count = count_of(&s->type);
    const int64_t most = 2 * g->elements + 4096;
    if (s->type.count > most || s->type.count == 0) return -1;
    const int k = push(g, s);
    if (k < 0) return -1;
    if (g->special || useful(s, g->m.values[k]) || (chance(g, .02) && s->type.count < 10000)) return k;
    free(g->m.values[k]);
    g->m.values[k] = NULL;
    g->left += s->type.count;
    g->p->n--;
    return -1;
}

int pick(generator *g, uint32_t dtypes, int least_rank, int most_rank)
{
    int found[MAX_STEPS], n = 0;
    for (int k = g->p->n - 1; k >= 0; k--) {
        const step *s = &g->p->steps[k];
        if (g->only >= 0 && k != g->only) continue;
        if (s->type.weak || !(VN_BIT(s->type.dtype) & dtypes) || s->type.rank < least_rank || s->type.rank > most_rank) continue;
        if (!s->op && s->data == INDEX) continue;
        found[n++] = k;
    }
    if (n == 0) return -1;
    const int64_t some = chance(g, .7) && n > 3 ? 3 : n; /* mostly the last one */
    return found[below(g, some)];
}

int pick_like(generator *g, int x, bool same_dtype)
{
    int found[MAX_STEPS], n = 0;
    const type *t = &g->p->steps[x].type;
    for (int k = 0; k < g->p->n; k++) {
        const type *o = &g->p->steps[k].type;
        if (k != x && !o->weak && same_shape(t, o) && (!same_dtype || o->dtype == t->dtype)) found[n++] = k;
    }
    if (n > 0 && chance(g, .75)) return found[below(g, n)];
    return chance(g, .4) ? x : new_input(g, *t, -1, 0);
}

/* ---- the program ---- */

static const op *some_op(generator *g)
{
    int64_t at = below(g, 100);
    const family *f = families;
    while (at >= f->share) at -= (f++)->share;
    int total = 0;
    for (const op *o = f->ops; o->name; o++) total += o->weight;
    at = below(g, total);
    const op *o = f->ops;
    for (; at >= o->weight; o++) at -= o->weight;
    return o;
}

static void grow(generator *g)
{
    const int64_t steps = g->values ? 2 : log_uniform(g, 1, g->elements > 100000 ? 12 : 30);
    if (g->values) many_values(g, g->values);
    for (int tries = 0; g->op && !g->values && tries < 12; tries++) {
        step s = {.op = g->op};
        if (s.op->choose(g, &s) && add_step(g, &s) >= 0 && chance(g, .7)) break;
    }
    for (int64_t k = 0, tries = 0; k < steps && tries < 8 * steps + 20 && g->p->n < MAX_STEPS - 24; tries++) {
        if (chance(g, g->elements >= 16384 ? .3 : .15)) {
            const int before = g->p->n;
            some_pattern(g);
            k += g->p->n > before;
            continue;
        }
        step s = {.op = some_op(g)};
        const int before = g->p->n;
        if (s.op->choose(g, &s) && add_step(g, &s) >= 0) k++;
        else
            while (g->p->n > before) { /* inputs created for it */
                const int last = --g->p->n;
                g->left += g->p->steps[last].type.count;
                free(g->m.values[last]);
                g->m.values[last] = NULL;
            }
    }
}

/* Does y depend on input x, only through continuous ops on float32 or float64? */
static bool depends_smoothly(const program *p, int x, int y)
{
    bool depends[MAX_STEPS] = {false}, needed[MAX_STEPS] = {false};
    depends[x] = true;
    for (int k = 0; k <= y; k++)
        for (int i = 0; i < p->steps[k].n_in; i++) depends[k] |= depends[p->steps[k].in[i]];
    needed[y] = true;
    for (int k = y; k >= 0; k--)
        for (int i = 0; needed[k] && i < p->steps[k].n_in; i++) needed[p->steps[k].in[i]] = true;
    for (int k = 0; k <= y; k++) {
        const step *s = &p->steps[k];
        if (!depends[k] || !needed[k]) continue;
        if ((s->op && !(s->op->traits & SMOOTH)) || (s->type.dtype != VN_F32 && s->type.dtype != VN_F64)) return false;
    }
    return depends[y];
}

/* The gradient of a value's weighted sum for an input. */
static void differentiate(generator *g)
{
    for (int tries = 0; tries < 10; tries++) {
        const int y = pick(g, VN_BIT(VN_F32) | VN_BIT(VN_F64), 0, MAX_AXES), x = (int)below(g, g->p->n);
        if (y < 0 || g->p->steps[x].op || g->p->steps[x].type.weak || y <= x || !depends_smoothly(g->p, x, y)) continue;
        if (g->p->steps[x].data > POSITIVE) continue; /* integers are at kinks */
        const int w = new_input(g, g->p->steps[y].type, UNIFORM, 0), product = w < 0 ? -1 : add_call(g, "mul", 2, y, w);
        const int loss = product < 0 ? -1 : add_call(g, "sum", 1, product);
        const int d = loss < 0 ? -1 : g->p->n;
        if (d < 0 || d == MAX_STEPS) return;
        step s = {.op = &gradient_op, .output = true};
        operands(&s, 2, loss, x);
        if (!gradient_op.infer(g->p, &s) || push(g, &s) < 0) return;
        if (chance(g, .5)) g->p->steps[loss].output = true;
        if (chance(g, .7)) return;
    }
}

static void choose_outputs(generator *g)
{
    program *p = g->p;
    bool used[MAX_STEPS] = {false};
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < p->steps[k].n_in; i++) used[p->steps[k].in[i]] = true;
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].op) p->steps[k].output |= chance(g, used[k] ? .12 : .85);
    for (int k = p->n - 1; k >= 0 && program_outputs(p) == 0; k--) p->steps[k].output = p->steps[k].op != NULL;
}

/* Drops steps that no output needs, from the machine too. */
static void clean(generator *g)
{
    num *values[MAX_STEPS];
    bool needed[MAX_STEPS] = {false};
    program *p = g->p;
    int n = 0;
    for (int k = p->n - 1; k >= 0; k--) {
        needed[k] |= p->steps[k].output;
        for (int i = 0; needed[k] && i < p->steps[k].n_in; i++) needed[p->steps[k].in[i]] = true;
    }
    for (int k = 0; k < p->n; k++) {
        if (needed[k]) values[n++] = g->m.values[k];
        else free(g->m.values[k]);
        g->m.values[k] = NULL;
    }
    for (int k = 0; k < n; k++) g->m.values[k] = values[k];
    program_clean(p);
}

machine *generate(program *p, uint64_t seed, const char **aimed)
{
    static const int dtypes[] = {VN_F32, VN_F32, VN_F32, VN_F32, VN_F32, VN_F32,  VN_F32, VN_F32, VN_F32, VN_F32,
                                 VN_F32, VN_F64, VN_F64, VN_F64, VN_F16, VN_BF16, VN_F16, VN_I32, VN_I64, VN_U8};
    machine *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    generator g = {.state = mix(seed), .p = p, .m = {.p = p, .native = true}, .only = -1};
    memset(p, 0, sizeof *p);
    p->seed = seed;
    g.dtype = dtypes[below(&g, (int64_t)(sizeof dtypes / sizeof *dtypes))];
    g.elements = chance(&g, .992) ? log_uniform(&g, 1, 500000) : log_uniform(&g, 500000, 4000000);
    if (chance(&g, .1)) aim(&g);
    g.left = 24 * g.elements + 20000 < 16000000 ? 24 * g.elements + 20000 : 16000000;
    const type shape = some_shape(&g, g.elements);
    const int n = 1 + (int)below(&g, 3);
    g.special = chance(&g, .02);
    for (int k = 0; k < n; k++) {
        type t = k == 0 || chance(&g, .5) ? shape : broadcast_shape(&g, shape);
        new_input(&g, t, g.special && is_float(t.dtype) ? SPECIAL : -1, 0);
    }
    grow(&g);
    if (chance(&g, .15)) differentiate(&g);
    choose_outputs(&g);
    clean(&g);
    for (int k = 0; k < p->n; k++) {
        if (p->steps[k].op || p->steps[k].type.weak) continue;
        p->steps[k].donated = chance(&g, .35);
        p->steps[k].wrapped = !p->steps[k].donated && chance(&g, .1);
    }
    if (aimed) *aimed = g.aim;
    *m = g.m;
    m->p = p;
    return m;
}
