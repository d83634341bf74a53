/* SPDX-License-Identifier: Apache-2.0 */
/* einsum.c: sums of products by an equation such as "ij,jk->ik".
 *
 * The equation gives every axis of every operand a label: a letter, or for the axes of "..." a number counted from the last.
 * Operands are then contracted in pairs, smallest result first, each with one matrix product. */
#include "ops/row.h"
#include <ctype.h>

enum { LETTERS = 128, LABELS = LETTERS + VN_MAX_RANK, SEARCHED = 32 };

typedef struct {
    int n;
    uint8_t label[VN_MAX_RANK];
} term;

/* The labels of all operands. */
typedef struct {
    int64_t size[LABELS]; /* -1: no axis with that label so far */
    int uses[LABELS];     /* axes with that label in all operands */
    int dots;             /* the most axes that "..." stands for */
    term out;
} equation;

/* ---- reading ---- */

/* One term from *s up to ',' or "->"; names `rank` axes, or any number if it is -1. */
static int read_term(vn__infer *i, const char **s, int rank, int dots, term *t)
{
    int letters = 0, at = -1;
    char read[LETTERS];
    for (; **s && **s != ',' && !(**s == '-' && (*s)[1] == '>'); ++*s) {
        if (isspace((unsigned char)**s)) continue;
        if (!strncmp(*s, "...", 3)) {
            if (at >= 0) FAIL(VN_E_ARG, "a term has \"...\" twice (%s)", i->engine);
            at = letters;
            *s += 2;
            continue;
        }
        if (!isalpha((unsigned char)**s)) FAIL(VN_E_ARG, "\"%.20s\" is neither a letter nor \"...\", ',' or \"->\" (%s)", *s, i->engine);
        if (letters == VN_MAX_RANK) FAIL(VN_E_SHAPE, "a term has more than %d letters (%s)", VN_MAX_RANK, i->engine);
        read[letters++] = **s;
    }
    if (rank >= 0) dots = rank - letters;
    else if (at < 0) dots = 0;
    if (rank >= 0 && (at < 0 ? dots != 0 : dots < 0))
        FAIL(VN_E_SHAPE, "a term has %d letters for an array of rank %d (%s)", letters, rank, i->engine);
    if (letters + dots > VN_MAX_RANK) FAIL(VN_E_SHAPE, "a rank above %d (%s)", VN_MAX_RANK, i->engine);
    t->n = 0;
    for (int k = 0; k <= letters; k++) {
        for (int d = dots; k == at && d > 0; d--) t->label[t->n++] = (uint8_t)(LETTERS + d - 1);
        if (k < letters) t->label[t->n++] = (uint8_t)read[k];
    }
    return VN_OK;
}

/* Sizes of one operand's labels. Size 1 broadcasts to others; within one operand sizes must be equal. */
static int note_sizes(vn__infer *i, int k, const term *t, equation *e)
{
    const int64_t *dims = vn__node_dims(i->in[k]);
    for (int a = 0; a < t->n; a++) {
        int l = t->label[a];
        e->uses[l]++;
        if (l >= LETTERS && l - LETTERS >= e->dots) e->dots = l - LETTERS + 1;
        for (int b = 0; b < a; b++) {
            if (t->label[b] == l && dims[a] != dims[b])
                FAIL(VN_E_SHAPE, "'%c' stands for sizes %lld and %lld of array %d (%s)", l, (long long)dims[b], (long long)dims[a], k,
                     i->engine);
        }
        if (e->size[l] > 1 && dims[a] != 1 && dims[a] != e->size[l])
            FAIL(VN_E_SHAPE, "%s stands for sizes %lld and %lld (array %d, %s)", l < LETTERS ? (char[]){'\'', (char)l, '\'', 0} : "\"...\"",
                 (long long)e->size[l], (long long)dims[a], k, i->engine);
        if (e->size[l] < 0 || e->size[l] == 1) e->size[l] = dims[a];
        else if (!e->size[l] && dims[a] > 1)
            FAIL(VN_E_SHAPE, "an index stands for sizes 0 and %lld (array %d, %s)", (long long)dims[a], k, i->engine);
    }
    return VN_OK;
}

/* Without "->": the axes of "..." and the letters that occur once, in the order of the alphabet. */
static int implied_output(vn__infer *i, equation *e)
{
    e->out.n = 0;
    for (int d = e->dots; d > 0; d--) e->out.label[e->out.n++] = (uint8_t)(LETTERS + d - 1);
    for (int l = 0; l < LETTERS; l++) {
        if (e->uses[l] != 1) continue;
        if (e->out.n == VN_MAX_RANK) FAIL(VN_E_SHAPE, "the result has a rank above %d (%s)", VN_MAX_RANK, i->engine);
        e->out.label[e->out.n++] = (uint8_t)l;
    }
    return VN_OK;
}

static int check_output(vn__infer *i, const equation *e)
{
    bool seen[LABELS] = {false};
    int dots = 0;
    for (int k = 0; k < e->out.n; k++) {
        int l = e->out.label[k];
        if (!e->uses[l]) FAIL(VN_E_ARG, "'%c' of the result is in no term (%s)", l, i->engine);
        if (seen[l]) FAIL(VN_E_ARG, "'%c' is twice in the result (%s)", l, i->engine);
        seen[l] = true;
        dots += l >= LETTERS;
    }
    if (dots < e->dots) FAIL(VN_E_ARG, "the result has no \"...\" for the axes that broadcast (%s)", i->engine);
    return VN_OK;
}

/* Reads the whole equation; terms[k] for operand k, where wanted. */
static int read_equation(vn__infer *i, equation *e, term *terms)
{
    const char *s = i->options->v[OPT_EINSUM_EQUATION].u.s;
    if (!s) FAIL(VN_E_NULL, "equation is NULL (%s)", i->engine);
    *e = (equation){.dots = 0};
    for (int l = 0; l < LABELS; l++) e->size[l] = -1;
    for (int k = 0; k < i->n; k++) {
        term t;
        int code = read_term(i, &s, i->in[k]->rank, 0, &t);
        if (!code) code = note_sizes(i, k, &t, e);
        if (code) return code;
        if (terms) terms[k] = t;
        bool more = *s == ',';
        if (more != (k + 1 < i->n))
            FAIL(VN_E_ARG, "%d arrays given, \"%.100s\" has another number of terms (%s)", i->n, i->options->v[OPT_EINSUM_EQUATION].u.s,
                 i->engine);
        s += more;
    }
    if (!*s) return implied_output(i, e);
    s += 2;
    int code = read_term(i, &s, -1, e->dots, &e->out);
    if (code) return code;
    if (*s) FAIL(VN_E_ARG, "\"%.20s\" follows the result (%s)", s, i->engine);
    return check_output(i, e);
}

int shape_einsum(vn__infer *i)
{
    equation e;
    int code = read_equation(i, &e, NULL);
    if (code) return code;
    i->rank = e.out.n;
    for (int k = 0; k < e.out.n; k++) i->dims[k] = e.size[e.out.label[k]];
    return VN_OK;
}

/* ---- computing ---- */

typedef struct {
    vn_array *x;
    term t; /* no label twice */
} factor;

typedef struct {
    const equation *e;
    const vn__infer *i;
    factor *f;
    int n;
    int holders[LABELS]; /* factors with that label, and 1 more where the result has it */
} product;

static int place_of(const term *t, int label)
{
    for (int k = 0; k < t->n; k++) {
        if (t->label[k] == label) return k;
    }
    return -1;
}

static void drop_label(term *t, int at)
{
    t->n--;
    memmove(t->label + at, t->label + at + 1, (size_t)(t->n - at));
}

/* Replaces axes a and b by their diagonal, at the end. */
static void take_diagonal(factor *f, int a, int b)
{
    f->x = vn_diagonal(vn_moveaxis(f->x, VN_AXES(a, b), VN_AXES(-2, -1)), 0);
    int label = f->t.label[a];
    drop_label(&f->t, b);
    drop_label(&f->t, a);
    f->t.label[f->t.n++] = (uint8_t)label;
}

/* Removes repeated labels, and axes of size 1 that broadcast. */
static void simplify(const product *p, factor *f)
{
    for (int b = 1; b < f->t.n; b++) {
        int a = place_of(&f->t, f->t.label[b]);
        if (a == b) continue;
        take_diagonal(f, a, b);
        b = 0;
    }
    vn_axes single = {.n = 0};
    term t = {.n = 0};
    for (int k = 0; k < f->t.n; k++) {
        int l = f->t.label[k];
        if (vn_dim(f->x, k) == 1 && p->e->size[l] != 1) single.axis[single.n++] = k;
        else t.label[t.n++] = (uint8_t)l;
    }
    if (single.n) f->x = vn_squeeze(f->x, single);
    f->t = t;
}

/* Sums over the axes that neither the result nor another factor has. Integers keep their dtype. */
static void sum_alone(const product *p, factor *f)
{
    vn_axes summed = {.n = 0};
    for (int k = 0; k < f->t.n; k++) {
        if (p->holders[f->t.label[k]] == 1) summed.axis[summed.n++] = k;
    }
    if (!summed.n) return;
    vn_dtype dtype = vn_dtype_of(f->x);
    f->x = vn_cast(vn_sum(f->x, summed), dtype);
    for (int k = summed.n - 1; k >= 0; k--) drop_label(&f->t, (int)summed.axis[k]);
}

/* The labels of a pair, in four groups. */
typedef struct {
    term both, sum, left, right;
} split;

static split split_pair(const product *p, const factor *a, const factor *b)
{
    split s = {.both = {.n = 0}};
    for (int k = 0; k < a->t.n; k++) {
        uint8_t l = a->t.label[k];
        term *to = place_of(&b->t, l) < 0 ? &s.left : p->holders[l] > 2 ? &s.both : &s.sum;
        to->label[to->n++] = l;
    }
    for (int k = 0; k < b->t.n; k++) {
        if (place_of(&a->t, b->t.label[k]) < 0) s.right.label[s.right.n++] = b->t.label[k];
    }
    return s;
}

static double elements(const product *p, const term *t)
{
    double n = 1;
    for (int k = 0; k < t->n; k++) n *= (double)p->e->size[t->label[k]];
    return n;
}

static int64_t count(const product *p, const term *t)
{
    return (int64_t)elements(p, t);
}

/* The cost of contracting a pair: the change in the number of elements, then the number of products. */
static bool cheaper(const product *p, int a, int b, double best[static 2])
{
    split s = split_pair(p, &p->f[a], &p->f[b]);
    if (s.both.n + s.left.n + s.right.n > VN_MAX_RANK) return false;
    double out = elements(p, &s.both) * elements(p, &s.left) * elements(p, &s.right);
    double added = out - elements(p, &p->f[a].t) - elements(p, &p->f[b].t), work = out * elements(p, &s.sum);
    if (best[0] < added || (best[0] == added && best[1] <= work)) return false;
    best[0] = added;
    best[1] = work;
    return true;
}

/* Transposes to the order of three lists of labels and merges each into one axis. */
static vn_array *grouped(const product *p, const factor *f, const term *u, const term *v, const term *w)
{
    vn_axes order = {.n = 0};
    const term *const parts[] = {u, v, w};
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < parts[g]->n; k++) order.axis[order.n++] = place_of(&f->t, parts[g]->label[k]);
    }
    return vn_reshape(vn_permute_dims(f->x, order), VN_SHAPE(count(p, u), count(p, v), count(p, w)));
}

/* a becomes the product of a and b. */
static void contract(product *p, factor *a, const factor *b)
{
    split s = split_pair(p, a, b);
    vn_array *x = grouped(p, a, &s.both, &s.left, &s.sum), *y = grouped(p, b, &s.both, &s.sum, &s.right);
    vn_array *z = s.sum.n ? vn_matmul(x, y) : vn_mul(x, y);
    vn_shape shape = {.rank = 0};
    term t = {.n = 0};
    const term *const parts[] = {&s.both, &s.left, &s.right};
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < parts[g]->n; k++) {
            t.label[t.n++] = parts[g]->label[k];
            shape.dim[shape.rank++] = p->e->size[parts[g]->label[k]];
        }
    }
    for (int k = 0; k < s.both.n; k++) p->holders[s.both.label[k]]--;
    for (int k = 0; k < s.sum.n; k++) p->holders[s.sum.label[k]] = 0;
    *a = (factor){vn_reshape(z, shape), t};
}

static vn_array *contract_all(product *p)
{
    while (p->n > 1) {
        double best[2] = {__builtin_inf(), __builtin_inf()};
        int a = -1, b = -1, searched = vn__min(p->n, SEARCHED);
        for (int j = 0; j < searched; j++) {
            for (int k = j + 1; k < searched; k++) {
                if (cheaper(p, j, k, best)) a = j, b = k;
            }
        }
        if (a < 0) return vn__fail(VN_E_SHAPE, "every product of two of the arrays has a rank above %d", VN_MAX_RANK), NULL;
        contract(p, &p->f[a], &p->f[b]);
        p->f[b] = p->f[--p->n];
    }
    vn_axes order = {.n = p->e->out.n};
    for (int k = 0; k < order.n; k++) order.axis[k] = place_of(&p->f[0].t, p->e->out.label[k]);
    return vn__narrow(vn_permute_dims(p->f[0].x, order), p->i);
}

static vn_array *compute(product *p, vn_array *const *in, const term *terms)
{
    for (int k = 0; k < p->n; k++) {
        p->f[k] = (factor){vn__widen(vn__narrow(in[k], p->i)), terms[k]};
        simplify(p, &p->f[k]);
        for (int a = 0; a < p->f[k].t.n; a++) p->holders[p->f[k].t.label[a]]++;
    }
    for (int k = 0; k < p->e->out.n; k++) p->holders[p->e->out.label[k]]++;
    for (int k = 0; k < p->n; k++) sum_alone(p, &p->f[k]);
    return contract_all(p);
}

vn_array *compose_einsum(vn_array *const *in, const vn__infer *i)
{
    equation e;
    term *terms = vn__alloc((size_t)i->n * sizeof *terms);
    if (!terms) return vn__no_memory("einsum"), NULL;
    vn__infer again = *i;
    product p = {.e = &e, .i = i, .f = vn__alloc((size_t)i->n * sizeof(factor)), .n = i->n};
    vn_array *z = NULL;
    if (!p.f) vn__no_memory("einsum");
    else if (!read_equation(&again, &e, terms)) z = compute(&p, in, terms);
    vn__free(p.f);
    vn__free(terms);
    return z;
}
