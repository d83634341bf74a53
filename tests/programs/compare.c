/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: compares results.
 *
 * A result is compared with the plain loops, element by element: an error beyond the element's bound is wrong. Bounds that are too large
 * (more than a thirtieth of the element, or of the root mean square of its array) are not used; a program is set aside if fewer than half
 * of the elements of its results can be compared. Positions and truth values are compared where they are certain, gradients with
 * differences of the loss along random directions.
 *
 * The native engine guarantees bits: lazy, eager and mixed runs must give the same bits, whatever the numbers are. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

const char *const verdict_names[VERDICTS] = {"fine", "aside", "wrong", "crashed", "hung"};

bool by_bits_alone(const program *p)
{
    for (int k = 0; k < p->n; k++)
        if (!p->steps[k].op && !p->steps[k].type.weak && p->steps[k].data == SPECIAL) return true;
    return false;
}

/* Gradients have products if their functions have some. Those of the baseline are rounded twice; those of bfloat16 are added up in another order
 * where the processor has instructions for them. */
bool same_at_level(const program *p, const char *level)
{
    if (!level || !program_has(p, PRODUCTS)) return true;
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].type.dtype == VN_BF16) return false;
    return strcmp(level, "baseline") != 0;
}

static const char *name_of(const program *p, int k)
{
    return p->steps[k].op ? p->steps[k].op->name : "input";
}

static void find_wrong(findings *j, const program *p, int k, int64_t i, const char *against, double got, num want)
{
    if (j->verdict == WRONG) return;
    j->verdict = WRONG;
    int64_t index[MAX_AXES], left = i;
    char place[200] = "";
    for (int a = p->steps[k].type.rank - 1; a >= 0; a--) {
        index[a] = left % p->steps[k].type.dims[a];
        left /= p->steps[k].type.dims[a];
    }
    for (int a = 0; a < p->steps[k].type.rank; a++)
        snprintf(place + strlen(place), sizeof place - strlen(place), a ? ",%lld" : "%lld", (long long)index[a]);
    snprintf(j->what, sizeof j->what, "%s: x%d (%s) at [%s] is %.9g, should be %.9g +- %.3g", against, k, name_of(p, k), place, got, want.v,
             want.e);
}

/* ---- against the loops ---- */

static double mean_size(const num *z, int64_t n)
{
    double sum = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(z[i].v)) sum += z[i].v * z[i].v, counted++;
    return counted ? sqrt(sum / (double)counted) : 0;
}

/* Is the bound of a finite element small enough to compare with? size: mean_size of its array. */
static bool is_useful(num z, double size)
{
    return z.e <= larger(fabs(z.v), size) / 32;
}

/* One array; counts the elements that could be compared. */
static void compare_array(const program *p, int k, const num *z, const void *data, findings *j, int64_t *compared)
{
    const type *t = &p->steps[k].type;
    const double size = is_float(t->dtype) ? mean_size(z, t->count) : 0;
    for (int64_t i = 0; i < t->count; i++) {
        const double got = get_element(data, i, t->dtype), e = z[i].e;
        if (isnan(z[i].v) && e == 0) {
            ++*compared;
            if (!isnan(got)) find_wrong(j, p, k, i, "against the loops", got, z[i]);
            continue;
        }
        if (!isfinite(e) || !isfinite(z[i].v)) continue;
        if (!(is_float(t->dtype) ? is_useful(z[i], size) : e < .5)) continue;
        ++*compared;
        const double error = fabs(got - z[i].v), bound = is_float(t->dtype) ? e : 0;
        if (!(error <= bound)) find_wrong(j, p, k, i, "against the loops", got, z[i]);
        if (bound > 0 && error / bound > j->ratio) {
            j->ratio = error / bound;
            j->worst = name_of(p, k);
        }
    }
}

/* ---- gradients ---- */

typedef enum { ALL_ELEMENTS, HALF_OF_THEM } moved;

/* The loss with input x moved by h in direction d (1 and -1 by seed; of half of the elements, by seed too). Steps that do not depend on x are
 * taken from m. */
static double loss_at(const machine *m, int loss, int x, uint64_t seed, double h, moved which)
{
    const program *p = m->p;
    machine n = {.p = p, .native = m->native};
    bool depends[MAX_STEPS] = {false};
    double value = NAN;
    depends[x] = true;
    for (int k = 0; k <= loss; k++) {
        for (int i = 0; i < p->steps[k].n_in; i++) depends[k] |= depends[p->steps[k].in[i]];
        if (!depends[k]) {
            n.values[k] = m->values[k];
            continue;
        }
        machine_step(&n, k);
        if (!n.values[k]) break;
        for (int64_t i = 0; k == x && i < p->steps[x].type.count; i++) {
            const uint64_t bits = mix(seed + (uint64_t)i);
            if (which == ALL_ELEMENTS || bits & 2) n.values[x][i].v += bits & 1 ? h : -h;
        }
        if (k == loss) value = n.values[k][0].v;
    }
    for (int k = 0; k <= loss; k++)
        if (depends[k]) free(n.values[k]);
    return value;
}

/* The sum of the magnitudes of the loss's terms. */
static double terms_of(const machine *m, int loss)
{
    const step *s = &m->p->steps[loss];
    double size = 0;
    for (int i = 0; i < s->n_in; i++) {
        const step *x = &m->p->steps[s->in[i]];
        for (int64_t k = 0; k < x->type.count; k++) size += fabs(m->values[s->in[i]][k].v);
    }
    return size;
}

/* Is a number made shorter before the loss? What is rounded to the same number ties for a maximum, and its gradient is divided; the loops
 * do not round. */
static bool is_narrowed(const program *p, int loss)
{
    for (int k = 0; k < loss; k++) {
        const step *s = &p->steps[k];
        if (s->op && s->n_in == 1 && is_half(s->type.dtype) && !is_half(operand_type(p, s, 0)->dtype)) return true;
    }
    return false;
}

/* Are two of the sorted values of step k equal? A derivative does not exist there. */
static bool has_ties(const machine *m, int k)
{
    const type *t = &m->p->steps[k].type;
    const int64_t axis = whole_setting(&m->p->steps[k], "axis", -1), at = axis < 0 ? axis + t->rank : axis;
    int64_t inner = 1;
    for (int a = (int)at + 1; a < t->rank; a++) inner *= t->dims[a];
    for (int64_t i = inner; i < t->count; i++)
        if (i / inner % t->dims[at] > 0 && m->values[k][i].v == m->values[k][i - inner].v) return true;
    return false;
}

/* Do most elements of the values before the loss have a useful bound, and does the derivative exist? If they have not (the differences of
 * numbers that are equal but for their rounding), gradients may be rounding errors too. largest: the number of elements of the largest;
 * unit: the coarsest rounding among them, which a gradient passes through even if it is float64 itself. */
static bool are_known(const machine *m, int loss, int64_t *largest, double *unit)
{
    const program *p = m->p;
    bool needed[MAX_STEPS] = {false};
    needed[loss] = true;
    *largest = 1;
    *unit = 0;
    for (int k = loss; k >= 0; k--) {
        const type *t = &p->steps[k].type;
        if (!needed[k]) continue;
        for (int i = 0; i < p->steps[k].n_in; i++) needed[p->steps[k].in[i]] = true;
        if (*largest < t->count) *largest = t->count;
        if (is_float(t->dtype)) *unit = fmax(*unit, precision_of(t->dtype).unit);
        if (p->steps[k].op && p->steps[k].op->traits & ORDERS && has_ties(m, k)) return false;
        if (k == loss || !is_float(t->dtype)) continue;
        const double size = mean_size(m->values[k], t->count);
        int64_t useful = 0;
        for (int64_t i = 0; i < t->count; i++) useful += is_useful(m->values[k][i], size);
        if (2 * useful < t->count) return false;
    }
    return true;
}

/* Corners of opposite signs at x hide each other where all elements move. Do slopes on either side differ by a quarter of `error` where half of
 * them do? */
static bool has_corners(const machine *m, int loss, int x, uint64_t seed, double error)
{
    const double h = 1e-5 / 8, here = m->values[loss][0].v;
    for (uint64_t k = 1; k <= 8; k++) {
        const uint64_t half = mix(seed + k);
        const double up = loss_at(m, loss, x, half, h, HALF_OF_THEM), down = loss_at(m, loss, x, half, -h, HALF_OF_THEM);
        if (!(fabs(up - 2 * here + down) / h < error / 4)) return true;
    }
    return false;
}

/* False: too ill-conditioned to say. */
static bool compare_gradient(const machine *m, int k, const void *data, findings *j)
{
    const program *p = m->p;
    const step *s = &p->steps[k];
    const int loss = s->in[0], x = s->in[1];
    int64_t largest;
    double unit;
    if (is_narrowed(p, loss) || !are_known(m, loss, &largest, &unit)) return false;
    for (int direction = 0; direction < 2; direction++) {
        const uint64_t seed = mix(p->seed + (uint64_t)(direction + 1));
        const double h = 1e-5, wide = (loss_at(m, loss, x, seed, h, ALL_ELEMENTS) - loss_at(m, loss, x, seed, -h, ALL_ELEMENTS)) / (2 * h);
        const double up = loss_at(m, loss, x, seed, h / 8, ALL_ELEMENTS), down = loss_at(m, loss, x, seed, -h / 8, ALL_ELEMENTS),
                     narrow = (up - down) / (h / 4);
        /* x may be at a corner, or near some: slopes on either side differ, or change within the step. */
        const double here = m->values[loss][0].v, corner = fabs(up - 2 * here + down) / (h / 8);
        const double bend = fabs((loss_at(m, loss, x, seed, h / 64, ALL_ELEMENTS) - here) / (h / 64) - (up - here) / (h / 8)) +
                            fabs((here - loss_at(m, loss, x, seed, -h / 64, ALL_ELEMENTS)) / (h / 64) - (here - down) / (h / 8));
        double sum = 0, size = terms_of(m, loss);
        for (int64_t i = 0; i < s->type.count; i++) {
            const double g = get_element(data, i, s->type.dtype);
            sum += mix(seed + (uint64_t)i) & 1 ? g : -g;
            size += fabs(g);
        }
        const double bound = (4096 * unit + 1e-8) * size + 8 * fabs(wide - narrow) + 2 * corner + 2 * bend;
        if (!isfinite(wide) || !isfinite(narrow) || !isfinite(bound) || bound > size / 32) return false;
        /* Both are rounding errors of cancelling terms, whose size the loss does not reveal. */
        if (fabs(sum) + fabs(narrow) < 32 * unit * sqrt((double)largest)) return false;
        if (fabs(sum - narrow) <= bound) continue;
        if (isfinite(sum) && has_corners(m, loss, x, seed, fabs(sum - narrow))) return false;
        find_wrong(j, p, k, 0, "along a direction, the sum of the gradient", sum, (num){narrow, bound});
    }
    return true;
}

void compare_outcome(const program *p, const machine *m, const outcome *o, findings *j)
{
    if (o->code) {
        j->verdict = WRONG;
        snprintf(j->what, sizeof j->what, "%s: %s", vn_code_name((vn_code)o->code), o->message);
        return;
    }
    if (by_bits_alone(p)) return;
    int64_t all = 0, compared = 0;
    for (int k = 0; k < p->n; k++) {
        if (!o->data[k]) continue;
        const bool gradient = p->steps[k].op == &gradient_op;
        all += p->steps[k].type.count;
        if (!gradient) compare_array(p, k, m->values[k], o->data[k], j, &compared);
        else if (compare_gradient(m, k, o->data[k], j)) compared += p->steps[k].type.count;
    }
    if (j->verdict == FINE && 2 * compared < all) j->verdict = ASIDE;
}

/* ---- bits ---- */

static void compare_bits(const program *p, const outcome *x, const outcome *y, const char *against, findings *j)
{
    if (j->verdict == WRONG) return;
    if (x->code != y->code) {
        j->verdict = WRONG;
        snprintf(j->what, sizeof j->what, "%s: %s", against, x->code ? x->message : y->message);
        return;
    }
    for (int k = 0; k < p->n; k++) {
        const int dtype = p->steps[k].type.dtype;
        if (!x->data[k] || !memcmp(x->data[k], y->data[k], x->bytes[k])) continue;
        const size_t item = vn_dtype_size((vn_dtype)dtype);
        int64_t i = 0;
        while (!memcmp((const char *)x->data[k] + (size_t)i * item, (const char *)y->data[k] + (size_t)i * item, item)) i++;
        find_wrong(j, p, k, i, against, get_element(x->data[k], i, dtype), exactly(get_element(y->data[k], i, dtype)));
        return;
    }
}

void check_program(const program *p, const machine *m, bool native, findings *j)
{
    static const char *const against[] = {"lazy", "lazy against eager", "lazy against mixed"};
    machine *own = NULL;
    outcome o[3] = {0};
    inputs in;
    *j = (findings){.worst = ""};
    if (!m && !(m = own = machine_run(p, native))) return;
    if (inputs_make(p, m, &in)) {
        run_programs(&p, &in, 1, LAZY, &o[0]);
        j->hash = outcome_hash(&o[0]);
        compare_outcome(p, m, &o[0], j);
        for (int how = EAGER; how <= MIXED && native; how++) {
            run_programs(&p, &in, 1, (manner)how, &o[how]);
            compare_bits(p, &o[0], &o[how], against[how], j);
        }
        for (int how = 0; how < 3; how++) outcome_free(&o[how]);
        inputs_free(&in);
    }
    machine_free(own);
}
