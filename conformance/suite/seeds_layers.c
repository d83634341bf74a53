/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_layers.c: linear, attention and the LSTM against plain loops. */
#include "seeds.h"

#include <float.h>

static void loop_linear(const example *e, double *out)
{
    int64_t b = e->in_shape[0].dim[0], n = e->in_shape[0].dim[1], in = e->in_shape[0].dim[2], m = e->in_shape[1].dim[1];
    for (int64_t o = 0; o < b; o++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t p = 0; p < m; p++) {
                double s = e->in[2][o * m + p];
                for (int64_t q = 0; q < in; q++) s += e->in[0][(o * n + i) * in + q] * e->in[1][(o * m + p) * in + q];
                out[(o * n + i) * m + p] = s;
            }
}

void seed_linear(trial *t)
{
    int64_t b = sample_int(t, 1, 2), n = sample_int(t, 1, 3), in = sample_int(t, 1, 4), m = sample_int(t, 1, 4);
    example e = {.op = "linear", .loop = loop_linear, .count = b * n * m, .shape = VN_SHAPE(b, n, m)};
    example_sample(t, &e, VN_SHAPE(b, n, in), 0, 3);
    example_sample(t, &e, VN_SHAPE(b, m, in), 0, 3);
    example_sample(t, &e, VN_SHAPE(b, m), 0, 3);
    example_check(t, &e);
}

/* ---- attention ---- */

/* One query: the softmax of its scores times v. `mask` selects the keys; if there are none, all keys have equal weight. */
static void attend(const double *q, const double *k, const double *v, int64_t keys, int64_t width, int64_t step, double scale,
                   const double *mask, double *out)
{
    double s[64], top = -INFINITY, total = 0;
    bool any = false;
    for (int64_t j = 0; j < keys; j++) any |= !mask || mask[j] != 0;
    for (int64_t j = 0; j < keys; j++) {
        s[j] = 0;
        for (int64_t f = 0; f < width; f++) s[j] += scale * q[f] * k[j * step + f];
        if (!any) s[j] = 0;
        else if (mask && mask[j] == 0) s[j] = -INFINITY;
        top = fmax(top, s[j]);
    }
    for (int64_t j = 0; j < keys; j++) total += s[j] = exp(s[j] - top);
    for (int64_t f = 0; f < width; f++) {
        out[f] = 0;
        for (int64_t j = 0; j < keys; j++) out[f] += s[j] / total * v[j * step + f];
    }
}

static void loop_attention(const example *e, double *out)
{
    int64_t n = e->in_shape[0].dim[1], f = e->in_shape[0].dim[2], m = e->in_shape[1].dim[1];
    for (int64_t i = 0; i < n; i++) attend(e->in[0] + i * f, e->in[1], e->in[2], m, f, f, e->options[0].u.f, e->in[3] + i * m, out + i * f);
}

void seed_scaled_dot_product_attention(trial *t)
{
    int64_t n = sample_int(t, 1, 3), m = sample_int(t, 1, 3), f = sample_int(t, 1, 3);
    bool nothing = sample_variant(t, 3) == 0;
    example e = {.op = "scaled_dot_product_attention", .loop = loop_attention, .count = n * f, .shape = VN_SHAPE(1, n, f)};
    example_sample(t, &e, VN_SHAPE(1, n, f), 0, 2);
    example_sample(t, &e, VN_SHAPE(1, m, f), 0, 2);
    example_sample(t, &e, VN_SHAPE(1, m, f), 0, 2);
    example_sample(t, &e, VN_SHAPE(1, n, m), 0, 1);
    for (int64_t i = 0; i < n * m; i++) e.in[3][i] = nothing || e.in[3][i] < .4 ? 0 : 2;
    e.constant[3] = true;
    example_float(&e, "scale", sample_real(t, .1, 1));
    example_check(t, &e);
}

/* Heads are adjacent; in the context, keys come before values. */
typedef struct heads {
    int64_t n, m, f, h, w; /* queries, keys, width of a head, heads, width of all */
    double scale, x[27], c[54];
} heads;

static double mean_of_heads(const heads *a, double *out)
{
    double sum = 0;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t head = 0; head < a->h; head++)
            attend(a->x + i * a->w + head * a->f, a->c + head * a->f, a->c + a->w + head * a->f, a->m, a->f, 2 * a->w, a->scale, NULL,
                   out + i * a->w + head * a->f);
    for (int64_t i = 0; i < a->n * a->w; i++) sum += out[i];
    return sum / (double)(a->n * a->w);
}

static void check_head_gradients(trial *t, heads *a, vn_array *g)
{
    double got[27], out[27], h = cbrt(DBL_EPSILON);
    if (!EXPECT(t, CHECK_GRADIENT, number_read(g, got, a->n * a->w))) return;
    for (int64_t i = 0; i < a->n * a->w; i++) {
        double old = a->x[i];
        a->x[i] = old + h;
        double above = mean_of_heads(a, out);
        a->x[i] = old - h;
        double below = mean_of_heads(a, out);
        a->x[i] = old;
        trial_near(t, CHECK_GRADIENT, "gradient of the queries", got[i], (above - below) / (2 * h), 1e-6);
    }
}

void seed_multi_head_attention(trial *t)
{
    heads a = {sample_int(t, 1, 3), sample_int(t, 1, 3), sample_int(t, 1, 3), sample_int(t, 1, 3), .scale = sample_real(t, .1, 1)};
    a.w = a.f * a.h;
    sample_reals(t, a.x, VN_SHAPE(a.n, a.w), 0, 2);
    sample_reals(t, a.c, VN_SHAPE(a.m, 2 * a.w), 0, 2);
    double want[27];
    vn_array *q = vn_variable(trial_input(t, "x", a.x, VN_SHAPE(a.n, a.w), t->dtype));
    vn_array *context = trial_input(t, "context", a.c, VN_SHAPE(a.m, 2 * a.w), t->dtype);
    vn_array *mask = vn_full(vn_scalar(.5), VN_SHAPE(a.n, a.m), t->dtype);
    vn_array *y = vn_multi_head_attention(q, context, mask, a.h, VN_OPTS(multi_head_attention, .scale = a.scale)), *both[] = {y, NULL};
    bool gradient = t->dtype == VN_F64;
    if (y && gradient) both[1] = vn_grad(vn_mean(y, VN_ALL), q);
    if (!EXPECT(t, CHECK_VALUE, y && (!gradient || both[1]) && vn_eval(1 + gradient, both) == VN_OK)) return;
    mean_of_heads(&a, want);
    trial_result(t, "multi_head_attention", y, t->dtype, VN_SHAPE(a.n, a.w), want);
    if (gradient) check_head_gradients(t, &a, both[1]);
    EXPECT_FAILS(t,
                 vn_multi_head_attention(vn_ones(VN_SHAPE(2, 5), VN_F32), VN_NONE, VN_NONE, 2, VN_OPTS(multi_head_attention, .scale = 1)),
                 VN_E_SHAPE, "");
}

/* ---- LSTM ---- */

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* x (1, T, in), h, c (1, n), kernels (in, 4n), (n, 4n), biases (4n) */
static void loop_lstm(const example *e, double *out)
{
    int64_t steps = e->in_shape[0].dim[1], in = e->in_shape[0].dim[2], n = e->in_shape[1].dim[1];
    double h[8], c[8];
    memcpy(h, e->in[1], sizeof h), memcpy(c, e->in[2], sizeof c);
    for (int64_t s = 0; s < steps; s++) {
        double z[32];
        for (int64_t k = 0; k < 4 * n; k++) {
            z[k] = e->in[5][k] + e->in[6][k];
            for (int64_t i = 0; i < in; i++) z[k] += e->in[0][s * in + i] * e->in[3][i * 4 * n + k];
            for (int64_t i = 0; i < n; i++) z[k] += h[i] * e->in[4][i * 4 * n + k];
        }
        for (int64_t k = 0; k < n; k++) {
            c[k] = sigmoid(z[n + k]) * c[k] + sigmoid(z[k]) * tanh(z[2 * n + k]);
            h[k] = sigmoid(z[3 * n + k]) * tanh(c[k]);
            if (e->result == 0) out[s * n + k] = h[k];
        }
    }
    for (int64_t k = 0; k < n && e->result; k++) out[k] = e->result == 1 ? h[k] : c[k];
}

void seed_lstm_update(trial *t)
{
    int64_t steps = 2, in = 2;
    int result = sample_variant(t, 3), n = result + 1;
    example e = {.op = "lstm_update", .loop = loop_lstm, .result = result, .count = result ? n : steps * n};
    e.shape = result ? VN_SHAPE(1, n) : VN_SHAPE(1, steps, n);
    vn_shape shapes[] = {VN_SHAPE(1, steps, in), VN_SHAPE(1, n),  VN_SHAPE(1, n), VN_SHAPE(in, 4 * n),
                         VN_SHAPE(n, 4 * n),     VN_SHAPE(4 * n), VN_SHAPE(4 * n)};
    for (int a = 0; a < 7; a++) example_sample(t, &e, shapes[a], 0, 1);
    example_check(t, &e);
}
