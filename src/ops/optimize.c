/* SPDX-License-Identifier: Apache-2.0 */
/* optimize.c: optimizer steps as pure functions. Half precision is computed in float32 and rounded once. The step number and the learning
 * rate are inputs, so that every step is the same program. */
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* ---- rules ---- */

/* The result's shape: n nodes broadcast. */
static int broadcast_nodes(vn__infer *i, int n, const vn__node *const *of)
{
    vn__rule_result(i, of[0]->rank, vn__node_dims(of[0]));
    for (int k = 1; k < n; k++) {
        int64_t dims[VN_MAX_RANK];
        memcpy(dims, i->dims, sizeof dims);
        int code = vn__rule_broadcast(i, i->rank, dims, of[k]->rank, vn__node_dims(of[k]));
        if (code) return code;
    }
    return VN_OK;
}

/* The result's shape: inputs 0 to n-1 broadcast. */
static int broadcast_first(vn__infer *i, int n)
{
    return broadcast_nodes(i, n, (const vn__node *const *)i->in);
}

/* A weak number's value. */
static bool known(const vn__node *n, double *value)
{
    if (n->op != VN__NODE_SCALAR) return false;
    const vn__num v = vn__node_number(n);
    *value = v.dtype == VN_U64 ? (double)(uint64_t)v.i : v.dtype == VN_I64 ? (double)v.i : v.re;
    return true;
}

static int check_step(vn__infer *i, const vn__node *step)
{
    double t;
    if (vn__is(step->dtype, VN_BIT(VN_BOOL)) || !vn__is(step->dtype, VN_REAL))
        FAIL(VN_E_DTYPE, "step is %s, a number is needed (%s)", dtype_text(step->dtype), i->engine);
    if (known(step, &t) && !(t >= 0)) FAIL(VN_E_ARG, "step is %g, it must not be negative", t);
    if (step->count != 1) FAIL(VN_E_SHAPE, "step has %lld elements, one number is needed (%s)", (long long)step->count, i->engine);
    return VN_OK;
}

/* The common dtype of the arrays among the inputs, which must be floats. */
static int common_float(vn__infer *i, int n)
{
    int code = vn__rule_promote(i, 0, n);
    return code ? code : vn__rule_accept(i, i->dtype);
}

int dtype_adam_step(vn__infer *i)
{
    int code = check_step(i, i->in[3]);
    return code ? code : common_float(i, 3);
}
int shape_adam_step(vn__infer *i)
{
    return broadcast_first(i, 3);
}
int dtype_update(vn__infer *i)
{
    return common_float(i, 3);
}
int shape_update(vn__infer *i)
{
    return broadcast_first(i, 3);
}
int dtype_adam_update(vn__infer *i)
{
    int code = check_step(i, i->in[5]);
    return code ? code : common_float(i, 5);
}
int shape_adam_update(vn__infer *i)
{
    return broadcast_first(i, 5);
}

/* The inputs of adam_apply: four lists, then two numbers. */
enum { W, G, M, V, ADAM_LISTS };

/* Which result belongs to list k; -1: none. */
static const int result_of[] = {[W] = 0, [G] = -1, [M] = 1, [V] = 2};

/* The half-precision dtype that all arrays of list k have; VN_NO_DTYPE: there is none. */
static int half_of_list(const vn__infer *i, int k)
{
    int dtype = VN_NO_DTYPE;
    for (int p = 0; p < i->n_list; p++) {
        const vn__node *x = i->in[k * i->n_list + p];
        if (x->flags & VN__WEAK) continue;
        if (!vn__is(x->dtype, VN_HALF) || (dtype && x->dtype != dtype)) return VN_NO_DTYPE;
        dtype = x->dtype;
    }
    return dtype;
}

/* All have a common dtype, but beside float32 a list may be half precision: parameters whose moments are float32. rate and scale are of
 * the dtype that is computed in. */
int dtype_adam_apply(vn__infer *i)
{
    const int n = i->n_list;
    int code = dtype_promote(i);
    const int common = i->dtype, inner = vn__is(common, VN_HALF) ? VN_F32 : common;
    for (int k = 0; k < ADAM_LISTS && !code; k++) {
        const int half = common == VN_F32 ? half_of_list(i, k) : VN_NO_DTYPE, dtype = half ? half : common;
        for (int p = 0; p < n; p++) {
            const int result = result_of[k] * n + p;
            i->want[k * n + p] = dtype;
            if (result_of[k] < 0) continue;
            *(result ? &i->forms[result - 1].dtype : &i->dtype) = dtype;
        }
    }
    if (!code) i->want[ADAM_LISTS * n] = i->want[ADAM_LISTS * n + 1] = inner;
    return code;
}

/* Kernels take arrays of one shape for each parameter, and numbers; all else is composed. */
int shape_adam_apply(vn__infer *i)
{
    const int n = i->n_list;
    vn__node *const *rate = i->in + ADAM_LISTS * n;
    for (int p = n; p-- > 0;) { /* the first parameter last, because its shape is the first result's */
        const vn__node *of[] = {i->in[W * n + p], i->in[G * n + p], i->in[M * n + p], i->in[V * n + p], rate[0], rate[1]};
        int code = broadcast_nodes(i, sizeof of / sizeof *of, of);
        if (code) return code;
        for (int k = 0; k < ADAM_LISTS; k++)
            i->in_pieces |= of[k]->rank != i->rank || memcmp(vn__node_dims(of[k]), i->dims, of[k]->rank * sizeof *i->dims) != 0;
        for (int r = 0; r < 3; r++)
            if (r * n + p) vn__rule_result_at(i, r * n + p, i->rank, i->dims);
    }
    i->in_pieces |= rate[0]->rank || rate[1]->rank;
    return VN_OK;
}

/* ---- pieces ---- */

/* An input in the dtype of computation: `dtype`, float32 for half precision. Weak numbers stay weak. */
static vn_array *lift_to(vn_array *x, int dtype)
{
    vn_dtype d = vn__is(dtype, VN_HALF) ? VN_F32 : (vn_dtype)dtype;
    return !x || vn__node_of(x)->flags & VN__WEAK || vn_dtype_of(x) == d ? x : vn_cast(x, d);
}
static vn_array *lift(vn_array *x, const vn__infer *i)
{
    return lift_to(x, i->dtype);
}

/* sqrt(x), with value and derivative 0 where x is not positive. Without gradients two ops are enough. */
static vn_array *safe_root(vn_array *x)
{
    if (x && !(vn__node_of(x)->flags & VN__HISTORY)) return vn_sqrt(vn_maximum(x, vn_scalar(0)));
    vn_array *positive = vn_greater(x, vn_scalar(0));
    return vn_where(positive, vn_sqrt(vn_where(positive, x, vn_scalar(1))), vn_scalar(0));
}

/* Squares of float32 do not overflow in float64; float64 is scaled first. */
vn_array *vn__length(vn_array *x)
{
    if (!x) return NULL;
    if (vn_size(x) == 0) return vn_cast(vn__number(x, 0), VN_F64);
    if (vn_dtype_of(x) != VN_F64) return safe_root(vn_sum(vn_square(vn_cast(x, VN_F64)), VN_ALL));
    vn_array *top = vn_stop_gradient(vn_max(vn_abs(x), VN_ALL));
    vn_array *scale = vn_where(vn_logical_and(vn_isfinite(top), vn_greater(top, vn_scalar(0))), top, vn_scalar(1));
    return vn_mul(scale, safe_root(vn_sum(vn_square(vn_div(x, scale)), VN_ALL)));
}

/* 1 - beta^step in double. */
static vn_array *one_minus_power(double beta, vn_array *step)
{
    double t;
    if (known(vn__node_of(step), &t)) return vn_scalar(1 - pow(beta, t));
    vn_array *s = vn_reshape(vn_cast(step, VN_F64), VN_0D);
    return vn_sub(vn_scalar(1), vn_pow(vn_broadcast_to(vn__number(s, beta), VN_0D), s));
}

/* a / (b + c) of known numbers, or of arrays in float64, as a factor for arrays of a dtype. */
static vn_array *quotient(vn_array *a, vn_array *b, double c, int dtype)
{
    double p, q;
    if (!a || !b) return NULL;
    if (known(vn__node_of(a), &p) && known(vn__node_of(b), &q)) return vn_scalar(p / (q + c));
    return lift_to(vn_div(a, vn_add(b, vn_scalar(c))), dtype);
}

static vn_array *product(vn_array *x, vn_array *y)
{
    double p, q;
    if (!x || !y) return NULL;
    if (known(vn__node_of(x), &p) && known(vn__node_of(y), &q)) return vn_scalar(p * q);
    return vn_mul(x, y);
}

static vn_array *root_of_number(vn_array *x)
{
    double v;
    return known(vn__node_of(x), &v) ? vn_scalar(sqrt(v)) : vn_sqrt(x);
}

typedef vn__adam adam;

static adam adam_options(const vn__infer *i)
{
    return (adam){i->options->v[OPT_ADAM_STEP_BETA1].u.f, i->options->v[OPT_ADAM_STEP_BETA2].u.f, i->options->v[OPT_ADAM_STEP_EPSILON].u.f,
                  i->options->n > 3 && i->options->v[OPT_ADAM_STEP_PAPER].u.i != 0};
}

static void moments(adam a, vn_array *g, vn_array **m, vn_array **v)
{
    *m = vn_add(vn_mul(*m, vn_scalar(a.beta1)), vn_mul(g, vn_scalar(1 - a.beta1)));
    *v = vn_add(vn_mul(*v, vn_scalar(a.beta2)), vn_mul(vn_square(g), vn_scalar(1 - a.beta2)));
}

/* The bias correction of the moments: the direction is rate * m / (scale * sqrt(v) + epsilon). */
static bool corrections(adam a, vn_array *step, int dtype, vn_array **rate, vn_array **scale)
{
    vn_array *one = vn_scalar(1), *first = one_minus_power(a.beta1, step), *second = one_minus_power(a.beta2, step);
    if (!one || !first || !second) return false;
    *rate = a.paper ? quotient(one, first, 0, dtype) : quotient(root_of_number(second), first, a.epsilon, dtype);
    *scale = a.paper ? quotient(one, root_of_number(second), 0, dtype) : one;
    return *rate && *scale;
}

static vn_array *direction(adam a, vn_array *m, vn_array *v, vn_array *rate, vn_array *scale)
{
    double s;
    vn_array *root = safe_root(v);
    if (!scale || !known(vn__node_of(scale), &s) || s != 1) root = vn_mul(root, scale);
    return vn_div(vn_mul(m, rate), vn_add(root, vn_scalar(a.epsilon)));
}

/* Replaces the moments *m and *v with the new ones and returns the direction. */
static vn_array *adam_direction(adam a, vn_array *g, vn_array **m, vn_array **v, vn_array *step, const vn__infer *i)
{
    vn_array *rate, *scale;
    if (!corrections(a, step, i->dtype, &rate, &scale)) return NULL;
    moments(a, g, m, v);
    return *m && *v ? direction(a, *m, *v, rate, scale) : NULL;
}

/* The new w in its dtype, without history unless requested; a variable if w is one. */
static vn_array *finished(const vn_array *w, vn_array *z, bool keep, const vn__infer *i)
{
    z = vn__narrow(z, i);
    if (keep || !z) return z;
    z = vn_stop_gradient(z);
    return vn_is_variable(w) ? vn_variable(z) : z;
}

static vn_array *moved(vn_array *w, vn_array *lifted, vn_array *by, vn_array *lr, bool keep, const vn__infer *i)
{
    return finished(w, vn_sub(lifted, vn_mul(by, lr)), keep, i);
}

/* ---- rows ---- */

vn_array *compose_adam_step(vn_array *const *in, const vn__infer *i)
{
    vn_array *m = lift(in[1], i), *v = lift(in[2], i);
    vn_array *delta = vn__narrow(adam_direction(adam_options(i), lift(in[0], i), &m, &v, in[3], i), i);
    if (!delta) return NULL;
    vn_shape full = vn__result_shape(i);
    i->more[0] = vn_broadcast_to(vn__narrow(m, i), full);
    i->more[1] = vn_broadcast_to(vn__narrow(v, i), full);
    return i->more[0] && i->more[1] ? delta : NULL;
}

vn_array *compose_optimizer_update(vn_array *const *in, const vn__infer *i)
{
    return moved(in[0], lift(in[0], i), lift(in[1], i), lift(in[2], i), i->options->v[OPT_OPTIMIZER_UPDATE_KEEP_GRADIENTS].u.i != 0, i);
}

/* Half precision by the same op in float32, of which an engine may have a kernel. */
static vn_array *adam_apply_wide(vn_array *const *in, const vn__infer *i)
{
    const adam a = adam_options(i);
    const int n = i->n;
    vn_array **all = vn__alloc((size_t)(n + i->n_out) * sizeof *all), **out = all + n, *first = NULL;
    int code = all ? VN_OK : vn__no_memory("adam_apply");
    for (int k = 0; k < n && !code; k++)
        if (!(all[k] = lift(in[k], i))) code = vn_status();
    if (!code) code = vn__adam_apply(n, all, a.beta1, a.beta2, a.epsilon, out);
    for (int r = 0; r < i->n_out && !code; r++) {
        vn_array *z = vn_cast(out[r], (vn_dtype)(r ? i->forms[r - 1].dtype : i->dtype));
        *(r ? &i->more[r - 1] : &first) = z;
        if (!z) code = vn_status();
    }
    vn__free(all);
    return code ? NULL : first;
}

vn_array *compose_adam_apply(vn_array *const *in, const vn__infer *i)
{
    adam a = adam_options(i);
    const int n = i->n_list;
    for (int k = 0; k < i->n; k++)
        if (vn__is(i->want[k], VN_HALF)) return adam_apply_wide(in, i);
    vn_array *first = NULL, *rate = lift(in[ADAM_LISTS * n], i), *scale = lift(in[ADAM_LISTS * n + 1], i);
    for (int p = 0; p < n; p++) {
        vn_array *m = lift(in[M * n + p], i), *v = lift(in[V * n + p], i);
        moments(a, lift(in[G * n + p], i), &m, &v);
        if (!m || !v) return NULL;
        vn_array *z[] = {vn_sub(lift(in[W * n + p], i), direction(a, m, v, rate, scale)), m, v};
        if (!z[0]) return NULL;
        vn_shape full = vn_shape_of(z[0]);
        for (int r = 0; r < 3; r++) {
            if (z[r] && (vn_rank(z[r]) != full.rank || vn_size(z[r]) != vn_size(z[0]))) z[r] = vn_broadcast_to(z[r], full);
            if (!z[r]) return NULL;
            *(r * n + p ? &i->more[r * n + p - 1] : &first) = z[r];
        }
    }
    return first;
}

int vn__adam_apply_all(int n, vn_array **all, int dtype, vn_array *lr, vn_array *step, vn__adam a)
{
    vn_array *rate, *scale, **in = vn__alloc((size_t)(ADAM_LISTS * n + 2) * sizeof *in), **out = vn__alloc((size_t)(3 * n) * sizeof *out);
    int code = !lr || !step ? (int)vn_status() : in && out ? VN_OK : vn__no_memory("adam_apply");
    if (!code && (!corrections(a, step, dtype, &rate, &scale) || !(rate = product(rate, lr)))) code = vn_status();
    if (!code) {
        memcpy(in, all, (size_t)(ADAM_LISTS * n) * sizeof *in);
        in[ADAM_LISTS * n] = rate, in[ADAM_LISTS * n + 1] = scale;
        code = vn__adam_apply(ADAM_LISTS * n + 2, in, a.beta1, a.beta2, a.epsilon, out);
    }
    static const int changed[] = {W, M, V};
    for (int r = 0; r < 3 && !code; r++) memcpy(all + changed[r] * n, out + r * n, (size_t)n * sizeof *all);
    vn__free(in), vn__free(out);
    return code;
}

vn_array *compose_adam_update(vn_array *const *in, const vn__infer *i)
{
    const bool keep = i->options->v[OPT_ADAM_UPDATE_KEEP_GRADIENTS].u.i != 0;
    vn_array *all[] = {lift(keep ? in[0] : vn_stop_gradient(in[0]), i), lift(in[1], i), lift(in[3], i), lift(in[4], i)};
    if (!all[W] || !all[G] || !all[M] || !all[V] || vn__adam_apply_all(1, all, i->dtype, lift(in[2], i), in[5], adam_options(i)))
        return NULL;
    i->more[0] = vn__narrow(all[M], i);
    i->more[1] = vn__narrow(all[V], i);
    return finished(in[0], all[W], keep, i);
}

/* A ratio of these lengths; 1, so that parameters of zeros move, where one of them is 0. */
static vn_array *trust(vn_array *ratio, vn_array *weight, vn_array *update)
{
    return vn_where(vn_logical_and(vn_greater(weight, vn_scalar(0)), vn_greater(update, vn_scalar(0))), ratio, vn_scalar(1));
}

/* A float64 factor times the learning rate, in the dtype of computation. */
static vn_array *times_rate(vn_array *factor, vn_array *lr, const vn__infer *i)
{
    if (lr && !(vn__node_of(lr)->flags & VN__WEAK)) lr = vn_cast(lr, VN_F64);
    return lift(vn_mul(factor, lr), i);
}

vn_array *compose_lars_update(vn_array *const *in, const vn__infer *i)
{
    double decay = i->options->v[OPT_LARS_UPDATE_DECAY_LAMBDA].u.f, least = i->options->v[OPT_LARS_UPDATE_MIN_DENOMINATOR].u.f;
    bool paper = i->options->v[OPT_LARS_UPDATE_PAPER].u.i != 0, keep = i->options->v[OPT_LARS_UPDATE_KEEP_GRADIENTS].u.i != 0;
    vn_array *w = lift(in[0], i), *g = lift(in[1], i), *size = vn__length(g);
    if (paper) {
        vn_array *weight = vn__length(w), *whole = vn_add(size, vn_mul(weight, vn_scalar(decay)));
        size = trust(vn_div(weight, vn_add(whole, vn_scalar(least))), weight, size);
        g = vn_add(g, vn_mul(w, vn_scalar(decay)));
    } else if (decay > 0) { /* the norm of w cancels */
        size = vn_div(vn_scalar(1), vn_mul(vn_add(size, vn_scalar(least)), vn_scalar(decay)));
    } else {
        size = vn_div(vn__length(w), vn_add(size, vn_scalar(least)));
    }
    return moved(in[0], w, g, times_rate(size, in[2], i), keep, i);
}

/* options: those of adam, then max_trust_ratio, decay_lambda, min_denominator, keep_gradients */
vn_array *compose_lamb_update(vn_array *const *in, const vn__infer *i)
{
    adam a = adam_options(i);
    double most = i->options->v[OPT_LAMB_UPDATE_MAX_TRUST_RATIO].u.f, decay = i->options->v[OPT_LAMB_UPDATE_DECAY_LAMBDA].u.f,
           least = i->options->v[OPT_LAMB_UPDATE_MIN_DENOMINATOR].u.f;
    vn_array *w = lift(in[0], i), *m = lift(in[3], i), *v = lift(in[4], i);
    vn_array *delta = adam_direction(a, lift(in[1], i), &m, &v, in[5], i);
    if (!delta) return NULL;
    vn_array *decayed = decay > 0 ? vn_add(delta, vn_mul(w, vn_scalar(decay))) : delta;
    vn_array *r1 = vn__length(w), *r2 = vn__length(decayed), *ratio = vn_div(r1, vn_add(r2, vn_scalar(least)));
    if (a.paper) {
        ratio = trust(ratio, r1, r2);
        delta = decayed;
    }
    double limit = most > 0 ? most : a.paper ? INFINITY : 10;
    ratio = vn_where(vn_less_equal(ratio, vn_scalar(limit)), ratio, vn_scalar(limit)); /* at a tie the ratio's derivative counts */
    i->more[0] = vn__narrow(m, i);
    i->more[1] = vn__narrow(v, i);
    return moved(in[0], w, delta, times_rate(ratio, in[2], i), i->options->v[OPT_LAMB_UPDATE_KEEP_GRADIENTS].u.i != 0, i);
}
