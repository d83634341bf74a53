/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_conv.c: convolutions against plain loops: x [batch, sizes..., ci], w [kernel..., ci / groups, co]; transposed: w [kernel..., ci,
 * co / groups]. Every one is written with three spatial axes, of which the unused ones have size 1. */
#include "base/minmax.h"
#include "seeds.h"

typedef struct sizes {
    int64_t x[3], k[3], y[3], stride[3], dilation[3], spread[3], low[3], high[3], ci, co, groups, batch;
    bool same; /* padding SAME */
} sizes;

static int64_t product(const int64_t n[3])
{
    return n[0] * n[1] * n[2];
}

static void unravel(int64_t i, const int64_t n[3], int64_t at[3])
{
    at[0] = i / n[2] / n[1], at[1] = i / n[2] % n[1], at[2] = i % n[2];
}

static int64_t place(const int64_t n[3], const int64_t at[3])
{
    return (at[0] * n[1] + at[1]) * n[2] + at[2];
}

/* The position of x for position `o` of the result and tap `a`; false: in the padding, or between dilated elements. */
static bool meets(const sizes *s, const int64_t o[3], const int64_t a[3], int64_t x[3])
{
    bool inside = true;
    for (int d = 0; d < 3; d++) {
        int64_t p = o[d] * s->stride[d] + a[d] * s->dilation[d] - s->low[d];
        inside &= p >= 0 && p % s->spread[d] == 0 && p / s->spread[d] < s->x[d];
        x[d] = p / s->spread[d];
    }
    return inside;
}

static void loop_conv(const example *e, double *out)
{
    const sizes *s = e->data;
    int64_t ny = product(s->y), nk = product(s->k), nx = product(s->x), cg = s->ci / s->groups, og = s->co / s->groups;
    for (int64_t i = 0; i < s->batch * ny * s->co; i++) {
        int64_t b = i / s->co / ny, c = i % s->co, at[3], tap[3], from[3];
        unravel(i / s->co % ny, s->y, at);
        out[i] = e->n_in > 2 ? e->in[2][c] : 0;
        for (int64_t a = 0; a < nk; a++) {
            unravel(a, s->k, tap);
            if (!meets(s, at, tap, from)) continue;
            const double *x = e->in[0] + (b * nx + place(s->x, from)) * s->ci + c / og * cg, *w = e->in[1] + a * cg * s->co + c;
            for (int64_t j = 0; j < cg; j++) out[i] += x[j] * w[j * s->co];
        }
    }
}

static void loop_transposed(const example *e, double *out)
{
    const sizes *s = e->data;
    int64_t nx = product(s->x), nk = product(s->k), ny = product(s->y), cg = s->ci / s->groups, og = s->co / s->groups;
    for (int64_t i = 0; i < s->batch * ny * s->co; i++) out[i] = e->n_in > 2 ? e->in[2][i % s->co] : 0;
    for (int64_t i = 0; i < s->batch * nx * nk; i++) {
        int64_t b = i / nk / nx, a = i % nk, at[3], tap[3], to[3];
        bool inside = true;
        unravel(i / nk % nx, s->x, at);
        unravel(a, s->k, tap);
        for (int d = 0; d < 3; d++) {
            to[d] = at[d] * s->stride[d] + tap[d] * s->dilation[d] - s->low[d];
            inside &= to[d] >= 0 && to[d] < s->y[d];
        }
        for (int64_t c = 0; inside && c < s->ci; c++)
            for (int64_t k = 0; k < og; k++)
                out[(b * ny + place(s->y, to)) * s->co + c / cg * og + k] +=
                    e->in[0][i / nk * s->ci + c] * e->in[1][(a * s->ci + c) * og + k];
    }
}

/* The total SAME padding of a length. */
static int64_t same_total(int64_t n, int64_t reach, int64_t stride)
{
    return vn__max(reach - (n % stride ? n % stride : stride), 0);
}

/* Samples what concerns one axis. */
static void sample_axis(trial *t, const convolution *c, sizes *s, int axes, int d)
{
    s->k[d] = sample_int(t, 1, 3);
    s->stride[d] = sample_int(t, 1, 2);
    s->dilation[d] = axes == 3 && s->k[d] == 3 ? 1 : sample_int(t, 1, 2); /* three wide axes would leave no room */
    s->spread[d] = c->general && c->how == FORWARD && !s->same ? sample_int(t, 1, 2) : 1;
    int64_t reach = (s->k[d] - 1) * s->dilation[d] + 1;
    if (c->how == TRANSPOSED) {
        s->x[d] = sample_int(t, 1, 3);
        s->y[d] = s->x[d] * s->stride[d] + (s->same ? 0 : vn__max(reach - s->stride[d], 0));
        s->low[d] = s->same ? same_total(s->y[d], reach, s->stride[d]) / 2 : 0;
        return;
    }
    s->x[d] = reach + sample_int(t, 0, 1);
    int64_t n = (s->x[d] - 1) * s->spread[d] + 1, total = same_total(n, reach, s->stride[d]);
    s->low[d] = s->same ? total / 2 : sample_int(t, 0, 2);
    s->high[d] = s->same ? total - s->low[d] : sample_int(t, 0, 2);
    s->y[d] = (n + s->low[d] + s->high[d] - reach) / s->stride[d] + 1;
}

static sizes sample_sizes(trial *t, const convolution *c, int axes, bool same)
{
    sizes s = {.batch = axes == 3 ? 1 : sample_int(t, 1, 2), .groups = c->general ? sample_int(t, 1, 2) : 1, .same = same};
    s.ci = s.groups * sample_int(t, 1, 2), s.co = s.groups * sample_int(t, 1, 2);
    if (c->how == DEPTHWISE) s.groups = s.co = s.ci = sample_int(t, 1, 3);
    for (int d = 0; d < 3; d++) {
        s.x[d] = s.k[d] = s.y[d] = s.stride[d] = s.dilation[d] = s.spread[d] = 1;
        if (d >= 3 - axes) sample_axis(t, c, &s, axes, d);
    }
    return s;
}

/* [first, the used axes, last...] */
static vn_shape spatial(int64_t first, const int64_t n[3], int axes, int64_t last)
{
    vn_shape s = {.rank = axes + 2};
    s.dim[0] = first, s.dim[axes + 1] = last;
    memcpy(s.dim + 1, n + 3 - axes, (size_t)axes * sizeof *n);
    return s;
}

static vn_shape kernel_shape(const sizes *s, manner how, int axes)
{
    vn_shape k = {.rank = axes + (how == DEPTHWISE ? 1 : 2)};
    memcpy(k.dim, s->k + 3 - axes, (size_t)axes * sizeof *s->k);
    k.dim[axes] = how == FORWARD ? s->ci / s->groups : s->ci;
    if (how != DEPTHWISE) k.dim[axes + 1] = how == TRANSPOSED ? s->co / s->groups : s->co;
    return k;
}

static void give_options(example *e, const convolution *c, const sizes *s, int axes)
{
    int64_t pairs[6];
    int from = 3 - axes;
    for (int d = 0; d < axes; d++) pairs[2 * d] = s->low[from + d], pairs[2 * d + 1] = s->high[from + d];
    example_list(e, "strides", s->stride + from, axes);
    example_list(e, "dilations", s->dilation + from, axes);
    if (c->general && c->how == FORWARD) example_list(e, "x_dilations", s->spread + from, axes);
    if (c->general) example_int(e, "groups", s->groups);
    if (c->how != TRANSPOSED && !s->same) example_list(e, "pads", pairs, 2 * axes);
    else example_text(e, "padding", s->same ? "SAME" : "VALID");
}

void seed_convolution(trial *t)
{
    const convolution *c = t->test->data;
    int turn = sample_variant(t, c->axes ? 2 : 6), axes = c->axes ? c->axes : 1 + turn / 2;
    sizes s = sample_sizes(t, c, axes, turn % 2);
    example e = {.op = c->op, .data = &s, .loop = c->how == TRANSPOSED ? loop_transposed : loop_conv};
    e.shape = spatial(s.batch, s.y, axes, s.co);
    e.count = shape_size(e.shape);
    example_sample(t, &e, spatial(s.batch, s.x, axes, s.ci), 0, 1);
    example_sample(t, &e, kernel_shape(&s, c->how, axes), 0, 1);
    if (c->general) example_sample(t, &e, VN_SHAPE(s.co), 0, 1);
    give_options(&e, c, &s, axes);
    example_check(t, &e);
}
