/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c: compares derivatives of ops with central differences on the same engine, in float64 or complex128.
 *
 * The loss of a test is sum(op(x...) r) with fixed numbers r; for complex numbers the sum over both parts, which are perturbed separately.
 * First order: its gradient for every float input against differences of single elements. Second order: the gradient of sum(gradient
 * v), along a direction d, against the difference of the gradient along d. Differences are taken of results, not of losses, so that
 * unchanged elements add no rounding error.
 *
 * All tests go through the same steps together. Each step is one program for all of them: results, gradients, second
 * gradients. Perturbing runs the program of the results again, with the j-th element of every test changed. */
#include "base/hash.h"
#include "base/minmax.h"
#include "case.h"
#include "differences.h"

#include <stdlib.h>
#include <string.h>

enum { PICKED = 16 }; /* elements of an input that are perturbed one by one */

/* The source of a result or gradient. */
typedef enum place { HERE, ABOVE, BELOW, PLACES } place;

/* The point at which a test's op is differentiated, and its data. Lists of an input have all its real numbers (numbers_in), those of the
 * result `n_out`. */
typedef struct point {
    test *t;
    int n, at[MAX_IN];                 /* the differentiated inputs */
    double *x[MAX_IN], *moved[MAX_IN]; /* their values; where the op is evaluated next */
    double *g[PLACES][MAX_IN];         /* gradients */
    double *h[MAX_IN];                 /* gradients of the projected gradient */
    double *v[MAX_IN], *d[MAX_IN];     /* projection and direction of the second order */
    int64_t n_out;
    double *r, *z[PLACES]; /* weights; results */
} point;

static const operand *input(const point *p, int k)
{
    return &p->t->in[p->at[k]];
}

static const char *input_name(const point *p, int k)
{
    return p->t->info.inputs[p->at[k]];
}

static int64_t numbers_in(const point *p, int k)
{
    return input(p, k)->count * parts_of(input(p, k)->dtype);
}

/* A step failed in the library, and with it all its points. */
static bool step_failed(point *const *p, int n, const char *what)
{
    for (int k = 0; k < n; k++) test_library_failed(p[k]->t, what);
    vn_clear();
    return false;
}

/* ---- results ---- */

/* The inputs with the perturbed values for the differentiated ones, as variables if requested. False: the library's error is set. */
static bool inputs(const point *p, bool variables, vn_array **in)
{
    const test *t = p->t;
    for (int k = 0, j = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        if (j < p->n && p->at[j] == k) {
            in[k] = vn_array_from(p->moved[j++], widest(o->dtype), o->rank, o->dims);
            if (variables) in[k] = vn_variable(in[k]);
        } else {
            in[k] = operand_array(o);
        }
        if (!in[k]) return false;
    }
    return true;
}

static bool read_result(point *p, vn_array *z, place to)
{
    int dtype = widest(p->t->expected.dtype);
    if (vn_dtype_of(z) != (vn_dtype)dtype || vn_size(z) * parts_of(dtype) != p->n_out)
        return test_fail(p->t, "in float64 the result is %s of %lld elements", vn_dtype_name(vn_dtype_of(z)), (long long)vn_size(z));
    return vn_read(z, p->z[to], (size_t)p->n_out * sizeof *p->z[to]) == VN_OK || test_library_failed(p->t, "reading the result in float64");
}

/* All results at the perturbed values. */
static bool compute_results(point *const *p, int n, place to)
{
    VN_SCOPE;
    vn_array *in[MAX_IN], *z[TOGETHER];
    evaluation e = {.z = z};
    bool fine = true;
    for (int k = 0; k < n && fine; k++) {
        z[k] = NULL;
        VN_NO_GRAD {
            z[k] = inputs(p[k], false, in) ? test_apply(p[k]->t, in, true) : NULL;
        }
        fine = z[k] && (e.n++, evaluate_early(&e));
    }
    if (!fine || !evaluate_rest(&e)) return step_failed(p, n, "the op in float64");
    for (int k = 0; k < n; k++) read_result(p[k], z[k], to);
    return true;
}

/* ---- gradients ---- */

/* The loss at the perturbed values, and its variables. */
static vn_array *loss_of(const point *p, vn_array **wrt)
{
    vn_array *in[MAX_IN], *z = inputs(p, true, in) ? test_apply(p->t, in, true) : NULL;
    for (int k = 0; k < p->n && z; k++) wrt[k] = in[p->at[k]];
    return weighed(z, p->r);
}

static bool record_gradient(const point *p, vn_array **g)
{
    vn_array *wrt[MAX_IN], *loss = loss_of(p, wrt);
    bool fine = loss != NULL;
    for (int k = 0; k < p->n && fine; k++) fine = (g[k] = vn_grad(loss, wrt[k])) != NULL;
    return fine;
}

/* The gradient of the sum of gradients times v. */
static bool record_second(const point *p, vn_array **h)
{
    vn_array *wrt[MAX_IN], *g[MAX_IN], *loss = loss_of(p, wrt), *s = NULL;
    bool fine = loss && vn_grads(loss, p->n, wrt, VN_OPTS(grad, .retain = 1), g) == VN_OK;
    for (int k = 0; k < p->n && fine; k++) {
        vn_array *term = weighed(g[k], p->v[k]);
        s = s ? vn_add(s, term) : term;
        fine = s != NULL;
    }
    return fine && vn_grads(s, p->n, wrt, NULL, h) == VN_OK;
}

static void read_gradients(point *p, vn_array *const *g, double *const *to, const char *what)
{
    for (int k = 0; k < p->n; k++) {
        const operand *o = input(p, k);
        vn_shape s = vn_shape_of(g[k]);
        if (vn_dtype_of(g[k]) != (vn_dtype)widest(o->dtype))
            test_fail(p->t, "%s of %s is %s", what, input_name(p, k), vn_dtype_name(vn_dtype_of(g[k])));
        else if (s.rank != o->rank || memcmp(s.dim, o->dims, (size_t)o->rank * sizeof *s.dim) != 0)
            test_fail(p->t, "%s of %s has another shape than its input", what, input_name(p, k));
        else if (vn_read(g[k], to[k], (size_t)numbers_in(p, k) * sizeof **to)) test_library_failed(p->t, what);
    }
}

/* All gradients at the perturbed values, or all second ones. */
static bool compute_gradients(point *const *p, int n, bool second, place to)
{
    VN_SCOPE;
    const char *what = second ? "second gradient" : "gradient";
    vn_array *g[TOGETHER * MAX_IN];
    evaluation e = {.z = g};
    bool fine = true;
    for (int k = 0; k < n; k++) test_checks(p[k]->t, second ? OF_SECOND : OF_GRADIENT);
    for (int k = 0; k < n && fine; k++)
        fine = (second ? record_second : record_gradient)(p[k], g + e.n) && (e.n += p[k]->n, evaluate_early(&e));
    if (!fine || !evaluate_rest(&e)) return step_failed(p, n, what);
    for (int k = 0, at = 0; k < n; at += p[k++]->n) read_gradients(p[k], g + at, second ? p[k]->h : p[k]->g[to], what);
    return true;
}

/* ---- first order ---- */

/* The j-th element to perturb: element *i of input *k. False: there are fewer. */
static bool picked(const point *p, int64_t j, int *k, int64_t *i)
{
    for (*k = 0; *k < p->n; ++*k) {
        int64_t count = numbers_in(p, *k), n = vn__min(count, PICKED);
        if (j < n) return *i = j * count / n, true;
        j -= n;
    }
    return false;
}

/* Perturbs the j-th element of every point by a number of steps; returns how many points have one. */
static int move_element(point *const *p, int n, int64_t j, double steps)
{
    int moved = 0, k;
    int64_t i;
    for (int m = 0; m < n; m++) {
        if (!picked(p[m], j, &k, &i)) continue;
        p[m]->moved[k][i] = p[m]->x[k][i] + steps * difference_step(p[m]->x[k][i]);
        moved++;
    }
    return moved;
}

/* Compares the gradient's element with (f(x + h) - f(x - h)) / 2h. */
static void check_element(point *p, int64_t j)
{
    int k;
    int64_t i;
    if (p->t->why || !picked(p, j, &k, &i)) return;
    const double x = p->x[k][i], up = x + difference_step(x), down = x - difference_step(x), analytic = p->g[HERE][k][i];
    const difference d = first_difference(p->z[ABOVE], p->z[BELOW], p->n_out, up - down, analytic);
    if (fabs(d.numeric - analytic) <= d.allowed) return;
    test_fail(
        p->t,
        "gradient of %s, element %lld\n    expected  %.12g (central differences)\n    got       %.12g\n    error %.3g, tolerance %.3g",
        input_name(p, k), (long long)i, d.numeric, analytic, fabs(d.numeric - analytic), d.allowed);
}

/* For p[0..n-1], which are among all[0..n_all-1], whose results are one program. */
static bool check_first(point *const *p, int n, point *const *all, int n_all)
{
    for (int64_t j = 0; move_element(p, n, j, 1); j++) {
        bool fine = compute_results(all, n_all, ABOVE);
        move_element(p, n, j, -1);
        fine = fine && compute_results(all, n_all, BELOW);
        move_element(p, n, j, 0);
        if (!fine) return false;
        for (int k = 0; k < n; k++) check_element(p[k], j);
    }
    return true;
}

/* ---- second order ---- */

/* The sum of a b over all inputs, and of the absolute values. */
static double product(const point *p, double *const *a, double *const *b, double *size)
{
    double sum = 0;
    for (int k = 0; k < p->n; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++) {
            sum += a[k][i] * b[k][i];
            *size += fabs(a[k][i] * b[k][i]);
        }
    }
    return sum;
}

/* To x + h d; the direction is scaled as steps of single elements are. */
static void move_along(point *const *p, int n, double h)
{
    for (int m = 0; m < n; m++) {
        for (int k = 0; k < p[m]->n; k++)
            for (int64_t i = 0; i < numbers_in(p[m], k); i++) p[m]->moved[k][i] = p[m]->x[k][i] + h * p[m]->d[k][i];
    }
}

/* d . gradient of (v . gradient) against the difference of v . gradient along d */
static void check_projected(point *p, double h)
{
    if (p->t->why) return;
    double size = 0, blur = 0, analytic = product(p, p->d, p->h, &size);
    double above = product(p, p->v, p->g[ABOVE], &blur), below = product(p, p->v, p->g[BELOW], &blur);
    const difference d = second_difference(above, below, blur, h, size);
    if (fabs(d.numeric - analytic) <= d.allowed) return;
    test_checks(p->t, OF_SECOND);
    test_fail(
        p->t,
        "second gradient along a direction\n    expected  %.12g (central differences)\n    got       %.12g\n    error %.3g, tolerance %.3g",
        d.numeric, analytic, fabs(d.numeric - analytic), d.allowed);
}

/* Of p[0..n-1], the second gradients of all[0..n_second-1] are one program, and the gradients of all[0..n_all-1] another one. */
static void check_second(point *const *p, int n, point *const *all, int n_second, int n_all)
{
    const double h = cbrt(DBL_EPSILON);
    bool fine = compute_gradients(all, n_second, true, HERE);
    move_along(p, n, h);
    fine = fine && compute_gradients(all, n_all, false, ABOVE);
    move_along(p, n, -h);
    fine = fine && compute_gradients(all, n_all, false, BELOW);
    move_along(p, n, 0);
    for (int k = 0; k < n && fine; k++) check_projected(p[k], h);
}

/* ---- where gradients end ---- */

/* stop_gradient, variable: no derivative passes through them. Optimizer updates cut the history of their first result unless told to keep
 * it. */
static bool cuts(const test *t)
{
    bool may = false;
    for (int k = 0; k < t->info.n_options; k++) may |= !strcmp(t->info.options[k].name, "keep_gradients");
    for (int k = 0; k < t->n_options; k++) may &= strcmp(t->options[k].name, "keep_gradients") != 0 || !t->options[k].whole;
    return !t->info.differentiable || (may && t->out == 0);
}

static void check_cut(point *p)
{
    test_checks(p->t, OF_CUT);
    for (int k = 0; k < p->n && !p->t->why; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++)
            if (p->g[HERE][k][i] != 0) test_fail(p->t, "gradient through %s is %g, 0 was expected", p->t->op, p->g[HERE][k][i]);
    }
}

/* ---- which tests ---- */

uint64_t derivatives_key(const test *t)
{
    uint64_t hash = vn__hash_bytes(VN__HASH, t->op, strlen(t->op) + 1);
    hash = vn__hash_bytes(hash, &t->out, sizeof t->out);
    for (int k = 0; k < t->n_options; k++) {
        bool wide = t->options[k].kind == VN_OPT_INT && !strncmp(t->options[k].text, "float", 5);
        const char *text = wide || !strcmp(t->options[k].text, "bfloat16") ? "float64" : t->options[k].text;
        hash = vn__hash_bytes(vn__hash_bytes(hash, t->options[k].name, strlen(t->options[k].name) + 1), text, strlen(text) + 1);
    }
    for (int k = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        int dtype = widest(o->dtype);
        hash = vn__hash_bytes(vn__hash_bytes(hash, &dtype, sizeof dtype), o->dims, (size_t)o->rank * sizeof *o->dims);
        hash = vn__hash_bytes(vn__hash_bytes(hash, &o->rank, sizeof o->rank), o->numbers,
                              (size_t)(o->count * parts_of(o->dtype)) * sizeof *o->numbers);
    }
    return hash;
}

bool test_differentiates(const test *t, int k)
{
    const operand *o = &t->in[k];
    bool complex = false;
    for (int j = 0; j < t->n_in; j++) complex |= t->in[j].kind == ARRAY && is_complex(t->in[j].dtype);
    return is_complex(o->dtype) || (is_float(o->dtype) && (o->kind != WEAK || !complex));
}

/* The differentiated inputs, if all are finite. */
static bool find_inputs(point *p)
{
    const test *t = p->t;
    bool strong = false;
    for (int k = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        if (o->kind == MISSING) return false;
        if (!test_differentiates(t, k)) continue;
        strong |= o->kind == ARRAY;
        for (int64_t i = 0; i < o->count * parts_of(o->dtype); i++) {
            if (!isfinite(o->numbers[i])) return false;
        }
        p->at[p->n++] = k;
    }
    return p->n > 0 && (strong || t->n_in > p->n);
}

static bool has_point(test *t, point *p)
{
    *p = (point){.t = t};
    bool ends_here = !strcmp(t->info.kind, "identity") || !strcmp(t->info.kind, "leaf");
    return t->derivatives && !t->why && (t->info.differentiable || ends_here) &&
           (is_float(t->expected.dtype) || is_complex(t->expected.dtype)) && find_inputs(p);
}

static double *list(point *p, int64_t n)
{
    double *m = calloc(n ? (size_t)n : 1, sizeof *m);
    test_memory(p->t, m);
    return m;
}

static bool fill(point *p)
{
    p->n_out = p->t->expected.count * parts_of(p->t->expected.dtype);
    bool fine = (p->r = list(p, p->n_out)) != NULL;
    for (int j = 0; j < PLACES && fine; j++) fine = (p->z[j] = list(p, p->n_out)) != NULL;
    for (int64_t j = 0; j < p->n_out && fine; j++) p->r[j] = result_weight(j);
    for (int k = 0; k < p->n && fine; k++) {
        const operand *o = input(p, k);
        int64_t numbers = numbers_in(p, k);
        double **lists[] = {&p->x[k], &p->moved[k], &p->g[HERE][k], &p->g[ABOVE][k], &p->g[BELOW][k], &p->h[k], &p->v[k], &p->d[k]};
        for (size_t j = 0; j < sizeof lists / sizeof *lists && fine; j++) fine = (*lists[j] = list(p, numbers)) != NULL;
        for (int64_t i = 0; i < numbers && fine; i++) {
            p->x[k][i] = p->moved[k][i] = o->numbers[i];
            p->v[k][i] = gradient_weight(k, i);
            p->d[k][i] = direction(k, i, o->numbers[i]);
        }
    }
    return fine;
}

static void empty(point *p)
{
    for (int k = 0; k < p->n; k++) {
        free(p->x[k]), free(p->moved[k]), free(p->h[k]), free(p->v[k]), free(p->d[k]);
        for (int j = 0; j < PLACES; j++) free(p->g[j][k]);
    }
    for (int j = 0; j < PLACES; j++) free(p->z[j]);
    free(p->r);
}

/* ---- all tests ---- */

/* A slot in a program: points that use it in turn, those with finite results first. */
typedef struct slot {
    point **p;
    int n, finite;
    bool cut;
} slot;

static bool is_finite(const point *p)
{
    for (int64_t i = 0; i < p->n_out; i++)
        if (!isfinite(p->z[HERE][i])) return false;
    return !p->t->why;
}

/* Computes all results once to find the finite ones: the others have no derivatives to compare. */
static bool find_finite(slot *const *s, int n)
{
    int rounds = 0;
    for (int k = 0; k < n; k++)
        if (s[k]->n > rounds) rounds = s[k]->n;
    for (int round = 0; round < rounds; round++) {
        point *now[TOGETHER];
        for (int k = 0; k < n; k++) now[k] = s[k]->p[round < s[k]->n ? round : 0];
        if (!compute_results(now, n, HERE)) return false;
    }
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < s[k]->n; j++) {
            point *p = s[k]->p[j], **to = &s[k]->p[s[k]->finite];
            if (is_finite(p)) s[k]->p[j] = *to, *to = p, s[k]->finite++;
        }
    }
    return true;
}

/* Derivatives of the round-th finite point of each slot. Slots with fewer points reuse an earlier one, so that the programs stay the same.
 */
static void check_round(slot *const *smooth, int n_smooth, slot *const *cut, int n_cut, int round)
{
    point *all[TOGETHER] = {NULL}, *g[TOGETHER] = {NULL}, *turn[TOGETHER] = {NULL};
    int n_g = 0, n_turn = 0, n_second;
    for (int k = 0; k < n_smooth; k++) {
        const slot *s = smooth[k];
        all[k] = s->p[round < s->finite ? round : 0];
        if (s->finite) g[n_g++] = all[k];
        if (round < s->finite) turn[n_turn++] = all[k];
    }
    n_second = n_g;
    for (int k = 0; k < n_cut; k++) g[n_g++] = cut[k]->p[round < cut[k]->n ? round : 0];
    if (!compute_gradients(g, n_g, false, HERE)) return;
    for (int k = 0; k < n_turn; k++) turn[k]->t->gradients++, turn[k]->t->seconds++;
    for (int k = 0; k < n_cut; k++)
        if (round < cut[k]->n) g[n_second + k]->t->gradients++, check_cut(g[n_second + k]);
    if (n_turn && check_first(turn, n_turn, all, n_smooth)) check_second(turn, n_turn, g, n_second, n_g);
}

/* Up to TOGETHER slots. */
static void differentiate(slot *s, int n)
{
    slot *smooth[TOGETHER], *cut[TOGETHER];
    int n_smooth = 0, n_cut = 0, rounds = 0;
    for (int k = 0; k < n; k++) {
        if (cuts(s[k].p[0]->t)) cut[n_cut++] = &s[k];
        else smooth[n_smooth++] = &s[k];
    }
    if (!find_finite(smooth, n_smooth)) return;
    for (int k = 0; k < n; k++) {
        int turns = cuts(s[k].p[0]->t) ? s[k].n : s[k].finite;
        if (turns > rounds) rounds = turns;
    }
    for (int round = 0; round < rounds; round++) check_round(smooth, n_smooth, cut, n_cut, round);
}

/* Slots of the points, which have n_points tests t. */
static slot *make_slots(point *points, test *const *t, int n_points, int *n)
{
    group *groups = NULL;
    *n = groups_make(t, n_points, true, &groups);
    slot *s = *n >= 0 ? calloc((size_t)*n + 1, sizeof *s) : NULL;
    point **all = calloc((size_t)n_points + 1, sizeof *all);
    for (int k = 0, at = 0; s && all && k < *n; k++) {
        s[k] = (slot){.p = all + at, .n = groups[k].n};
        for (int j = 0; j < groups[k].n; j++) all[at++] = &points[groups[k].at[j]];
    }
    groups_free(groups);
    if (s && all) return s[0].p = all, s;
    return free(s), free(all), NULL;
}

void derivatives_check(test *const *t, int n)
{
    point *p = calloc((size_t)n + 1, sizeof *p);
    test **of = calloc((size_t)n + 1, sizeof *of);
    int m = 0, n_slots = 0;
    for (int k = 0; k < n; k++) {
        if (!test_memory(t[k], p) || !test_memory(t[k], of) || !has_point(t[k], &p[m])) continue;
        if (fill(&p[m])) of[m++] = t[k];
        else empty(&p[m]);
    }
    slot *s = m ? make_slots(p, of, m, &n_slots) : NULL;
    for (int k = 0; k < m && !s; k++) test_memory(of[k], NULL);
    for (int from = 0; s && from < n_slots; from += TOGETHER) differentiate(s + from, vn__min(n_slots - from, TOGETHER));
    if (s) free(s[0].p);
    free(s);
    for (int k = 0; k < m; k++) empty(&p[k]);
    free(p);
    free(of);
}
