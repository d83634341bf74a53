/* gradient.c: derivatives of an op, held against central differences on the same engine, in float64 or complex128.
 *
 * The loss is sum(op(x...) r) with fixed numbers r, of complex numbers the sum over both parts; those are moved one by one as well. First
 * order: its gradient for every float input against differences of single elements. Second order: the gradient of sum(gradient v), taken
 * along a direction d, against the difference of the gradient along d. Differences are made of results, not of losses, so that what does
 * not change does not blur them. */
#include "case.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PICKED = 16 }; /* elements of an input that are moved one by one */
static const double first_tolerance = 1e-6, second_tolerance = 1e-5;

/* Where the op is differentiated, and what that needs. Lists of an input have all its real numbers (numbers_in), those of the result
 * `n_out`. */
typedef struct {
    test *t;
    int n, at[MAX_IN];                 /* the differentiated inputs */
    double *x[MAX_IN], *moved[MAX_IN]; /* their values; the same, moved */
    double *g[MAX_IN], *other[MAX_IN]; /* gradients */
    double *v[MAX_IN], *d[MAX_IN];     /* projection and direction of the second order */
    int64_t n_out;
    double *r, *z, *above, *below; /* weights; results */
} point;

static const operand *input(const point *p, int k)
{
    return &p->t->in[p->at[k]];
}

static int64_t numbers_in(const point *p, int k)
{
    return input(p, k)->count * parts_of(input(p, k)->dtype);
}

/* Fixed numbers in [-1.5, -0.5] and [0.5, 1.5], different for every n. */
static double some_number(uint64_t n)
{
    n = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    double u = (double)(n >> 12) * 0x1p-52;
    return n & 1 ? 0.5 + u : -0.5 - u;
}

static double step(double x)
{
    return cbrt(DBL_EPSILON) * fmax(1, fabs(x));
}

static bool library_failed(point *p, const char *what)
{
    return test_fail(p->t, "%s: %s: %s", what, vn_code_name(vn_status()), vn_message());
}

/* ---- the op and its gradient at a place ---- */

/* The inputs with values x for the differentiated ones, as variables where asked. False: the library's error is set. */
static bool inputs(const point *p, double *const *x, bool variables, vn_array **in)
{
    const test *t = p->t;
    for (int k = 0, j = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        if (j < p->n && p->at[j] == k) {
            in[k] = vn_array_from(x[j++], widest(o->dtype), o->rank, o->dims);
            if (variables) in[k] = vn_variable(in[k]);
        } else {
            in[k] = operand_array(o);
        }
        if (!in[k]) return false;
    }
    return true;
}

static bool result(point *p, double *const *x, double *z)
{
    VN_SCOPE;
    vn_array *in[MAX_IN], *out = NULL;
    VN_NO_GRAD {
        if (inputs(p, x, false, in)) out = test_apply(p->t, in, true);
    }
    if (!out) return library_failed(p, "the op in float64");
    int dtype = widest(p->t->expected.dtype);
    if (vn_dtype_of(out) != (vn_dtype)dtype || vn_size(out) * parts_of(dtype) != p->n_out)
        return test_fail(p->t, "in float64 the result is %s of %lld elements", vn_dtype_name(vn_dtype_of(out)), (long long)vn_size(out));
    return vn_read(out, z, (size_t)p->n_out * sizeof *z) == VN_OK || library_failed(p, "reading the result in float64");
}

/* The sum of z w over all real numbers that they are. */
static vn_array *weighed(vn_array *z, const double *w)
{
    bool complex = z && is_complex((int)vn_dtype_of(z));
    vn_array *v = z ? vn_from_host(w, vn_dtype_of(z), vn_shape_of(z)) : NULL;
    return z ? vn_sum(complex ? vn_real(vn_mul(z, vn_conj(v))) : vn_mul(z, v), VN_ALL) : NULL;
}

/* The loss and its variables. */
static vn_array *loss_at(point *p, double *const *x, vn_array **wrt)
{
    vn_array *in[MAX_IN], *z = inputs(p, x, true, in) ? test_apply(p->t, in, true) : NULL;
    for (int k = 0; k < p->n && z; k++) wrt[k] = in[p->at[k]];
    return weighed(z, p->r);
}

/* Evaluates gradients together and reads them. */
static bool read_all(point *p, vn_array *const *g, double *const *to, const char *what)
{
    if (vn_eval(p->n, g)) return library_failed(p, what);
    for (int k = 0; k < p->n; k++) {
        const operand *o = input(p, k);
        vn_shape s = vn_shape_of(g[k]);
        if (vn_dtype_of(g[k]) != (vn_dtype)widest(o->dtype))
            return test_fail(p->t, "%s of %s is %s", what, p->t->info.inputs[p->at[k]], vn_dtype_name(vn_dtype_of(g[k])));
        if (s.rank != o->rank || memcmp(s.dim, o->dims, (size_t)o->rank * sizeof *s.dim) != 0)
            return test_fail(p->t, "%s of %s has another shape than its input", what, p->t->info.inputs[p->at[k]]);
        if (vn_read(g[k], to[k], (size_t)numbers_in(p, k) * sizeof **to)) return library_failed(p, what);
    }
    return true;
}

static bool gradient_at(point *p, double *const *x, double *const *to)
{
    VN_SCOPE;
    vn_array *wrt[MAX_IN], *g[MAX_IN], *loss = loss_at(p, x, wrt);
    bool fine = loss != NULL;
    for (int k = 0; k < p->n && fine; k++) fine = (g[k] = vn_grad(loss, wrt[k])) != NULL;
    return fine ? read_all(p, g, to, "gradient") : library_failed(p, "gradient");
}

/* ---- first order ---- */

/* Element i of input k: analytic against (f(x + h) - f(x - h)) / 2h. */
static bool check_element(point *p, int k, int64_t i)
{
    double x = p->x[k][i], h = step(x), up = x + h, down = x - h;
    p->moved[k][i] = up;
    bool fine = result(p, p->moved, p->above);
    p->moved[k][i] = down;
    fine = fine && result(p, p->moved, p->below);
    p->moved[k][i] = x;
    if (!fine) return false;
    double sum = 0, blur = 0;
    for (int64_t j = 0; j < p->n_out; j++) {
        if (p->above[j] == p->below[j]) continue;
        sum += p->r[j] * (p->above[j] - p->below[j]);
        blur += fabs(p->r[j]) * (fabs(p->above[j]) + fabs(p->below[j])) * 2 * DBL_EPSILON;
    }
    double numeric = sum / (up - down), analytic = p->g[k][i];
    double allowed = first_tolerance * fmax(1, fmax(fabs(numeric), fabs(analytic))) + blur / (up - down);
    if (fabs(numeric - analytic) <= allowed) return true;
    return test_fail(
        p->t,
        "gradient of %s, element %lld\n    expected  %.12g (central differences)\n    got       %.12g\n    error %.3g, tolerance %.3g",
        p->t->info.inputs[p->at[k]], (long long)i, numeric, analytic, fabs(numeric - analytic), allowed);
}

static bool check_first(point *p)
{
    if (!gradient_at(p, p->x, p->g)) return false;
    for (int k = 0; k < p->n; k++) {
        int64_t count = numbers_in(p, k), picked = count < PICKED ? count : PICKED;
        for (int64_t j = 0; j < picked; j++) {
            if (!check_element(p, k, j * count / picked)) return false;
        }
    }
    return true;
}

/* ---- second order ---- */

/* d . gradient of (v . gradient) */
static bool projected(point *p, double *value, double *size)
{
    VN_SCOPE;
    vn_array *wrt[MAX_IN], *g[MAX_IN], *h[MAX_IN], *loss = loss_at(p, p->x, wrt), *s = NULL;
    bool fine = loss && vn_grads(loss, p->n, wrt, g, VN_OPTS(grad, .retain = 1)) == VN_OK;
    for (int k = 0; k < p->n && fine; k++) {
        vn_array *term = weighed(g[k], p->v[k]);
        s = s ? vn_add(s, term) : term;
        fine = s != NULL;
    }
    fine = fine && vn_grads(s, p->n, wrt, h, NULL) == VN_OK;
    if (!fine) return library_failed(p, "second gradient");
    if (!read_all(p, h, p->other, "second gradient")) return false;
    *value = *size = 0;
    for (int k = 0; k < p->n; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++) {
            *value += p->d[k][i] * p->other[k][i];
            *size += fabs(p->d[k][i] * p->other[k][i]);
        }
    }
    return true;
}

/* v . gradient at x + h d; the direction is scaled as steps of single elements are. */
static bool along(point *p, double h, double *value, double *size)
{
    for (int k = 0; k < p->n; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++) p->moved[k][i] = p->x[k][i] + h * p->d[k][i];
    }
    if (!gradient_at(p, p->moved, p->other)) return false;
    *value = 0;
    for (int k = 0; k < p->n; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++) {
            *value += p->v[k][i] * p->other[k][i];
            *size += fabs(p->v[k][i] * p->other[k][i]);
        }
    }
    return true;
}

static bool check_second(point *p)
{
    double analytic = 0, above = 0, below = 0, size = 0, h = cbrt(DBL_EPSILON), blur = 0;
    if (!projected(p, &analytic, &size) || !along(p, h, &above, &blur) || !along(p, -h, &below, &blur)) return false;
    double numeric = (above - below) / (2 * h);
    double allowed = second_tolerance * fmax(1, fmax(size, fabs(numeric))) + 4 * DBL_EPSILON * blur / h;
    if (fabs(numeric - analytic) <= allowed) return true;
    return test_fail(
        p->t,
        "second gradient along a direction\n    expected  %.12g (central differences)\n    got       %.12g\n    error %.3g, tolerance %.3g",
        numeric, analytic, fabs(numeric - analytic), allowed);
}

/* ---- where gradients end ---- */

/* stop_gradient, variable: what is computed behind them has no derivative in front of them. */
static bool check_cut(point *p)
{
    if (!gradient_at(p, p->x, p->g)) return false;
    for (int k = 0; k < p->n; k++) {
        for (int64_t i = 0; i < numbers_in(p, k); i++) {
            if (p->g[k][i] != 0) return test_fail(p->t, "gradient through %s is %g, 0 was expected", p->t->op, p->g[k][i]);
        }
    }
    return true;
}

/* ---- which tests, and only once ---- */

static uint64_t *seen;
static size_t n_seen, room_seen;

static uint64_t mixed(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Cases that differ only in the float dtype have the same derivatives in float64. */
static bool is_new(const point *p)
{
    const test *t = p->t;
    uint64_t hash = mixed(UINT64_C(0xCBF29CE484222325), t->op, strlen(t->op) + 1);
    hash = mixed(hash, &t->out, sizeof t->out);
    for (int k = 0; k < t->n_options; k++) {
        bool wide = t->options[k].kind == VN_OPT_INT && !strncmp(t->options[k].text, "float", 5);
        const char *text = wide || !strcmp(t->options[k].text, "bfloat16") ? "float64" : t->options[k].text;
        hash = mixed(mixed(hash, t->options[k].name, strlen(t->options[k].name) + 1), text, strlen(text) + 1);
    }
    for (int k = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        int dtype = widest(o->dtype);
        hash = mixed(mixed(hash, &dtype, sizeof dtype), o->dims, (size_t)o->rank * sizeof *o->dims);
        hash = mixed(mixed(hash, &o->rank, sizeof o->rank), o->numbers, (size_t)(o->count * parts_of(o->dtype)) * sizeof *o->numbers);
    }
    for (size_t k = 0; k < n_seen; k++) {
        if (seen[k] == hash) return false;
    }
    if (n_seen == room_seen) {
        size_t room = room_seen ? 2 * room_seen : 256;
        uint64_t *more = realloc(seen, room * sizeof *more);
        if (!more) return true;
        seen = more;
        room_seen = room;
    }
    seen[n_seen++] = hash;
    return true;
}

void gradient_close(void)
{
    free(seen);
    seen = NULL;
    n_seen = room_seen = 0;
}

/* Float and complex inputs, all finite. */
static bool find_inputs(point *p)
{
    const test *t = p->t;
    bool strong = false;
    for (int k = 0; k < t->n_in; k++) {
        const operand *o = &t->in[k];
        if (o->kind == MISSING) return false;
        if (!is_float(o->dtype) && !is_complex(o->dtype)) continue;
        strong |= o->kind == ARRAY;
        for (int64_t i = 0; i < o->count * parts_of(o->dtype); i++) {
            if (!isfinite(o->numbers[i])) return false;
        }
        p->at[p->n++] = k;
    }
    return p->n > 0 && (strong || t->n_in > p->n);
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
    bool fine =
        (p->r = list(p, p->n_out)) && (p->z = list(p, p->n_out)) && (p->above = list(p, p->n_out)) && (p->below = list(p, p->n_out));
    for (int k = 0; k < p->n && fine; k++) {
        const operand *o = input(p, k);
        int64_t numbers = numbers_in(p, k);
        double **lists[] = {&p->x[k], &p->moved[k], &p->g[k], &p->other[k], &p->v[k], &p->d[k]};
        for (size_t j = 0; j < sizeof lists / sizeof *lists && fine; j++) fine = (*lists[j] = list(p, numbers)) != NULL;
        for (int64_t i = 0; i < numbers && fine; i++) {
            uint64_t n = 1000003 * (uint64_t)(k + 1) + 2 * (uint64_t)i;
            p->x[k][i] = p->moved[k][i] = o->numbers[i];
            p->v[k][i] = some_number(n);
            p->d[k][i] = some_number(n + 1) * fmax(1, fabs(o->numbers[i]));
        }
    }
    for (int64_t j = 0; j < p->n_out && fine; j++) p->r[j] = some_number((uint64_t)j);
    return fine;
}

static void empty(point *p)
{
    for (int k = 0; k < p->n; k++) {
        free(p->x[k]), free(p->moved[k]), free(p->g[k]), free(p->other[k]), free(p->v[k]), free(p->d[k]);
    }
    free(p->r), free(p->z), free(p->above), free(p->below);
}

/* Updates cut the history of their first result unless they are told to keep it. */
static bool cuts(const test *t)
{
    bool may = false;
    for (int k = 0; k < t->info.n_options; k++) may |= !strcmp(t->info.options[k].name, "keep_gradients");
    for (int k = 0; k < t->n_options; k++) may &= strcmp(t->options[k].name, "keep_gradients") != 0 || !t->options[k].whole;
    return !t->info.differentiable || (may && t->out == 0);
}

static bool check(point *p, counts *n)
{
    if (cuts(p->t)) {
        n->gradients++;
        return check_cut(p);
    }
    if (!result(p, p->x, p->z)) return false;
    for (int64_t i = 0; i < p->n_out; i++) {
        if (!isfinite(p->z[i])) return true;
    }
    n->gradients++;
    if (!check_first(p)) return false;
    n->second++;
    return check_second(p);
}

static bool examine(test *t, counts *n, bool once)
{
    point p = {.t = t};
    bool ends_here = t->info.name && (!strcmp(t->info.kind, "identity") || !strcmp(t->info.kind, "leaf"));
    if (!t->info.name || (!t->info.differentiable && !ends_here) || !(is_float(t->expected.dtype) || is_complex(t->expected.dtype)) ||
        !find_inputs(&p) || (once && !is_new(&p)))
        return true;
    bool fine = fill(&p) && check(&p, n);
    empty(&p);
    return fine;
}

bool gradient_check(test *t, counts *n)
{
    return examine(t, n, false);
}

bool gradient_check_once(test *t, counts *n)
{
    return examine(t, n, true);
}
