/* SPDX-License-Identifier: Apache-2.0 */
/* example.c: one op with its inputs and options against a plain loop in double: values in every dtype, gradients of the mean of the result
 * against central differences of the loop, second gradients against differences of the first. */
#include "suite.h"

#include <float.h>

static const double first_tolerance = 1e-6, second_tolerance = 1e-5;
enum { GRADIENT_PROBES = 24 }; /* approximate number of elements of each input whose derivative is compared */

/* ---- building an example ---- */

void example_sample(trial *t, example *e, vn_shape s, double low, double high)
{
    if (e->n_in == EXAMPLE_INPUTS || !trial_expect(t, CHECK_SHAPE, shape_size(s) <= TRIAL_ROOM, "an input fits into an example")) return;
    e->in_shape[e->n_in] = s;
    sample_reals(t, e->in[e->n_in++], s, low, high);
}

void example_number(example *e, double v)
{
    e->in_shape[e->n_in] = VN_0D;
    e->in[e->n_in][0] = v;
    e->number[e->n_in] = e->constant[e->n_in] = true;
    e->n_in++;
}

static vn_option *option(example *e, const char *name, int kind, int n)
{
    vn_option *o = &e->options[e->n_options++];
    *o = (vn_option){.name = name, .kind = kind, .n = n};
    return o;
}

void example_int(example *e, const char *name, int64_t v)
{
    option(e, name, VN_OPT_INT, 1)->u.i = v;
}

void example_float(example *e, const char *name, double v)
{
    option(e, name, VN_OPT_FLOAT, 1)->u.f = v;
}

void example_text(example *e, const char *name, const char *v)
{
    option(e, name, VN_OPT_STRING, 1)->u.s = v;
}

void example_list(example *e, const char *name, const int64_t *items, int n)
{
    int64_t *list = e->lists[e->n_lists++];
    memcpy(list, items, (size_t)n * sizeof *items);
    option(e, name, VN_OPT_INTS, n)->u.is = list;
}

/* ---- running it ---- */

static bool find_op(const char *name, vn_op_info *op)
{
    for (int k = 0; k < vn_op_count(); k++) {
        *op = (vn_op_info){.size = sizeof *op};
        if (!vn_op_at(k, op) && !strcmp(op->name, name)) return true;
    }
    return false;
}

static vn_array *call(const example *e, vn_array *const *in)
{
    vn_op_info op;
    vn_array *out[16] = {NULL};
    if (!find_op(e->op, &op) || op.n_outputs > 16) return NULL;
    return vn_call(e->op, in, e->n_in, e->options, e->n_options, out, op.n_outputs) ? NULL : out[e->result];
}

/* The inputs in the trial's dtype; the rounded values are stored in the example. */
static void make_inputs(trial *t, example *e, vn_array **in)
{
    vn_op_info op;
    bool known = find_op(e->op, &op);
    for (int k = 0; k < e->n_in; k++) {
        const char *name = known && k < op.n_inputs ? op.inputs[k] : "x";
        if (e->number[k]) in[k] = vn_scalar(e->in[k][0]);
        else in[k] = trial_input(t, name, e->in[k], e->in_shape[k], t->dtype);
    }
}

static double mean_of_loop(const example *e, double *out)
{
    double sum = 0;
    memset(out, 0, (size_t)e->count * sizeof *out);
    e->loop(e, out);
    for (int64_t i = 0; i < e->count; i++) sum += out[i];
    return sum / (double)e->count;
}

/* d mean / d in[k][i], by a central difference */
static double difference(example *e, int k, int64_t i, double *out)
{
    double x = e->in[k][i], h = cbrt(DBL_EPSILON) * fmax(1, fabs(x)), above, below;
    volatile double up = x + h, down = x - h; /* the actual step */
    e->in[k][i] = up;
    above = mean_of_loop(e, out);
    e->in[k][i] = down;
    below = mean_of_loop(e, out);
    e->in[k][i] = x;
    return (above - below) / (up - down);
}

static void check_gradient(trial *t, example *e, int k, vn_array *g, double *out)
{
    double got[TRIAL_ROOM];
    char what[48];
    int64_t n = shape_size(e->in_shape[k]);
    snprintf(what, sizeof what, "gradient of input %d", k);
    if (!trial_expect(t, CHECK_GRADIENT, g && vn_size(g) == n && number_read(g, got, TRIAL_ROOM), what)) return;
    for (int64_t i = 0; i < n; i += 1 + n / GRADIENT_PROBES) {
        char place[96];
        snprintf(place, sizeof place, "%s, element %lld", what, (long long)i);
        trial_near(t, CHECK_GRADIENT, place, got[i], difference(e, k, i, out), first_tolerance);
    }
}

/* ---- second order: D = sum of <gradient k, projection k>, along one direction ---- */

typedef struct second {
    double project[EXAMPLE_INPUTS][TRIAL_ROOM], direction[EXAMPLE_INPUTS][TRIAL_ROOM];
} second;

/* D at x + step * direction, and with `slope` its derivative along the direction. */
static bool projected(example *e, const second *s, double step, double *value, double *slope)
{
    VN_SCOPE;
    vn_array *in[EXAMPLE_INPUTS], *wrt[EXAMPLE_INPUTS], *g[EXAMPLE_INPUTS], *d = NULL, *h[EXAMPLE_INPUTS];
    int n = 0, which[EXAMPLE_INPUTS];
    for (int k = 0; k < e->n_in; k++) {
        double x[TRIAL_ROOM];
        for (int64_t i = 0; i < shape_size(e->in_shape[k]); i++) x[i] = e->in[k][i] + (e->constant[k] ? 0 : step * s->direction[k][i]);
        in[k] = e->number[k] ? vn_scalar(x[0]) : vn_from_host(x, VN_F64, e->in_shape[k]);
        if (e->constant[k]) continue;
        which[n] = k;
        wrt[n++] = in[k] = vn_variable(in[k]);
    }
    vn_array *z = call(e, in), *loss = z ? vn_mean(z, VN_ALL) : NULL;
    if (!loss || vn_grads(loss, n, wrt, VN_OPTS(grad, .retain = 1), g)) return false;
    for (int j = 0; j < n; j++) {
        vn_array *part = vn_sum(vn_mul(g[j], vn_from_host(s->project[which[j]], VN_F64, e->in_shape[which[j]])), VN_ALL);
        d = d ? vn_add(d, part) : part;
    }
    if (slope) {
        vn_array *sum = NULL;
        if (!d || vn_grads(d, n, wrt, NULL, h)) return false;
        for (int j = 0; j < n; j++) {
            vn_array *part = vn_sum(vn_mul(h[j], vn_from_host(s->direction[which[j]], VN_F64, e->in_shape[which[j]])), VN_ALL);
            sum = sum ? vn_add(sum, part) : part;
        }
        *slope = vn_item(sum);
    }
    *value = vn_item(d);
    return vn_status() == VN_OK;
}

static void check_second(trial *t, example *e)
{
    second *s = malloc(sizeof *s);
    if (!trial_expect(t, CHECK_SECOND, s != NULL, "memory for second gradients")) return;
    for (int k = 0; k < e->n_in; k++) {
        sample_reals(t, s->project[k], e->in_shape[k], -1, 1);
        sample_reals(t, s->direction[k], e->in_shape[k], -1, 1);
    }
    double step = cbrt(DBL_EPSILON), at, above, below, slope;
    if (trial_expect(t, CHECK_SECOND,
                     projected(e, s, 0, &at, &slope) && projected(e, s, step, &above, NULL) && projected(e, s, -step, &below, NULL),
                     "the second gradient is computed"))
        trial_near(t, CHECK_SECOND, "second gradient along a direction", slope, (above - below) / (2 * step), second_tolerance);
    free(s);
}

/* ---- all checks ---- */

static void check_gradients(trial *t, example *e, int n, const int *which, vn_array *const *g)
{
    double *out = malloc(TRIAL_ROOM * sizeof *out);
    if (!trial_expect(t, CHECK_GRADIENT, out != NULL, "memory for gradients")) return;
    for (int j = 0; j < n; j++) check_gradient(t, e, which[j], g[j], out);
    free(out);
    if (t->tier != TIER_QUICK && n) check_second(t, e);
}

void example_check(trial *t, example *e)
{
    VN_SCOPE;
    vn_array *in[EXAMPLE_INPUTS], *wrt[EXAMPLE_INPUTS], *all[EXAMPLE_INPUTS + 1] = {NULL};
    int which[EXAMPLE_INPUTS], n = 0;
    if (!trial_expect(t, CHECK_SHAPE, e->count <= TRIAL_ROOM, "the result fits into an example")) return;
    make_inputs(t, e, in);
    for (int k = 0; k < e->n_in && t->dtype == VN_F64; k++) {
        if (e->constant[k]) continue;
        which[n] = k;
        wrt[n++] = in[k] = vn_variable(in[k]);
    }
    vn_array *z = all[0] = call(e, in);
    if (n && e->count) { /* value and gradients are one program */
        vn_array *loss = z ? vn_mean(z, VN_ALL) : NULL;
        if (loss && !vn_grads(loss, n, wrt, NULL, all + 1)) vn_eval(n + 1, all);
    } else {
        trial_explain(t, z);
    }
    double *want = calloc((size_t)(e->count ? e->count : 1), sizeof *want);
    if (trial_expect(t, CHECK_VALUE, want != NULL, "memory for the loop")) {
        e->loop(e, want);
        trial_result(t, e->op, z, t->dtype, e->shape, want);
    }
    if (n && e->count) check_gradients(t, e, n, which, all + 1);
    if (t->outcome.failing && t->failed && want) t->failed(t, e, want);
    free(want);
}
