/* SPDX-License-Identifier: Apache-2.0 */
/* product.c: sums of products: matrix products, convolutions and their gradients, pooling, attention. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MAX_PRODUCTS = 1 << 24 }; /* most multiplications of a step, to limit the time of the plain loops */

/* A sum of products. */
typedef struct total {
    long double v; /* the loops must be more accurate than float64 */
    double e, size;
    int64_t n;
    bool whole;
} total;

static inline void add_product(total *t, num x, num y)
{
    const double v = x.v * y.v;
    t->v += v;
    t->e += product_error(x, y);
    t->size += fabs(v);
    t->n++;
    t->whole = t->whole && x.e == 0 && y.e == 0 && v == rint(v);
}

static num finish(const machine *m, const total *t, int dtype)
{
    if (!is_float(dtype)) { /* out of the dtype's range it wraps around, which the plain loops do not */
        const double range = ldexp(1, 8 * (int)vn_dtype_size((vn_dtype)dtype) - 1);
        return (num){(double)t->v, t->e > 0 || !(fabs((double)t->v) < range && fabs((double)t->v) < 0x1p53) ? INFINITY : 0};
    }
    const int wide = is_half(dtype) ? VN_F32 : dtype;
    num z = {(double)t->v, t->e};
    if (!t->whole || t->size >= (wide == VN_F64 ? 0x1p53 : 0x1p24))
        z.e += (machine_growth(m, t->n) + 2 + (double)(t->n / 256)) * precision_of(wide).unit * t->size + precision_of(wide).least;
    return rounded_once(z, dtype);
}

/* Room for products of n for each of m results. */
static int64_t room_for(generator *g, int64_t m, int64_t n)
{
    const int64_t most = g->products && chance(g, .5) ? g->products + below(g, 64) : log_uniform(g, 1 << 6, MAX_PRODUCTS);
    return most / (m > 0 ? m : 1) / (n > 0 ? n : 1);
}

/* ---- matmul ---- */

static bool infer_matmul(const program *p, step *s)
{
    if (s->n_in != 2) return false;
    type x = *operand_type(p, s, 0), y = *operand_type(p, s, 1);
    if (x.weak || y.weak || x.dtype != y.dtype || !(VN_BIT(x.dtype) & VN_REAL) || x.rank < 1 || y.rank < 1) return false;
    const bool row = x.rank == 1, col = y.rank == 1;
    const int64_t k = x.dims[x.rank - 1], n = col ? 1 : y.dims[y.rank - 1];
    if (k != y.dims[col ? 0 : y.rank - 2]) return false;
    type z = x, other = y;
    z.rank = row ? 0 : x.rank - 2;
    other.rank = col ? 0 : y.rank - 2;
    if (!broadcast_types(&z, &other)) return false;
    if (!row) z.dims[z.rank++] = x.dims[x.rank - 2];
    if (!col) z.dims[z.rank++] = n;
    s->type = z;
    return z.rank <= 6 && (double)count_of(&z) * (double)k <= 4. * MAX_PRODUCTS;
}

static void compute_matmul(const machine *m, const step *s, num *z)
{
    type x = *operand_type(m->p, s, 0), y = *operand_type(m->p, s, 1), batch = {.rank = 0, .count = 1};
    if (x.rank == 1) x = type_of(x.dtype, 2, (int64_t[]){1, x.dims[0]});
    if (y.rank == 1) y = type_of(y.dtype, 2, (int64_t[]){y.dims[0], 1});
    const int64_t rows = x.dims[x.rank - 2], k = x.dims[x.rank - 1], cols = y.dims[y.rank - 1];
    type bx = x, by = y;
    bx.rank -= 2;
    by.rank -= 2;
    broadcast_types(&batch, &bx);
    broadcast_types(&batch, &by);
    walk w;
    walk_begin(&w, &batch);
    walk_operand(&w, &bx);
    walk_operand(&w, &by);
    for (int64_t b = 0; b < batch.count; b++, walk_next(&w)) {
        const num *a = m->values[s->in[0]] + w.at[0] * rows * k, *c = m->values[s->in[1]] + w.at[1] * k * cols;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                total t = {.whole = true};
                for (int64_t l = 0; l < k; l++) add_product(&t, a[i * k + l], c[l * cols + j]);
                *z++ = finish(m, &t, s->type.dtype);
            }
    }
}

static bool choose_matmul(generator *g, step *s)
{
    const int x = pick(g, VN_FLOATS | VN_BIT(VN_I32) | VN_BIT(VN_I64), 1, 4);
    if (x < 0) return false;
    const type t = g->p->steps[x].type;
    const bool left = chance(g, .7); /* the side x is on */
    const int64_t k = left || t.rank == 1 ? t.dims[t.rank - 1] : t.dims[t.rank - 2];
    for (int tries = 0; tries < 4; tries++) { /* with another value, as it is or transposed before */
        const int y = pick(g, VN_BIT(t.dtype), 1, 4);
        if (y < 0) continue;
        operands(s, 2, left ? x : y, left ? y : x);
        if (infer_matmul(g->p, s) && count_of(&s->type) * k <= room_for(g, 1, 1)) return true;
    }
    int64_t n = room_for(g, t.count, 1);
    if (n < 1) return false;
    n = some_length(g, n);
    type o = {.dtype = t.dtype};
    if (t.rank > 2 && chance(g, .3)) { /* batches of its own, perhaps broadcast */
        for (int a = 0; a < t.rank - 2; a++) o.dims[o.rank++] = chance(g, .3) ? 1 : t.dims[a];
    }
    if (left) {
        o.dims[o.rank++] = k;
        if (chance(g, .9) || o.rank > 1) o.dims[o.rank++] = n;
    } else {
        if (chance(g, .9) || o.rank > 0) o.dims[o.rank++] = n;
        o.dims[o.rank++] = k;
    }
    o.count = count_of(&o);
    const int y = new_input(g, o, -1, 0);
    if (y < 0) return false;
    operands(s, 2, left ? x : y, left ? y : x);
    return true;
}

/* ---- windows ---- */

enum { SPATIAL = 3 };

/* The spatial axes of x [N, in..., C] and the windows over them. */
typedef struct windows {
    int n;
    int64_t in[SPATIAL], size[SPATIAL], out[SPATIAL], stride[SPATIAL], low[SPATIAL], dilation[SPATIAL];
    int64_t positions, taps;
} windows;

static int64_t listed(const step *s, const char *name, int k, int64_t fallback)
{
    const setting *o = setting_named(s, name);
    return o && k < o->n ? o->ints[k] : fallback;
}

/* in and size are already set. */
static bool place_windows(const step *s, windows *w, bool pools)
{
    w->positions = w->taps = 1;
    for (int k = 0; k < w->n; k++) {
        w->stride[k] = listed(s, "strides", k, pools ? w->size[k] : 1);
        w->dilation[k] = listed(s, "dilations", k, 1);
        w->low[k] = listed(s, "pads", 2 * k, 0);
        const int64_t high = listed(s, "pads", 2 * k + 1, 0), span = (w->size[k] - 1) * w->dilation[k] + 1;
        const int64_t room = w->in[k] + w->low[k] + high - span;
        if (w->size[k] < 1 || w->stride[k] < 1 || w->dilation[k] < 1 || w->low[k] < 0 || high < 0) return false;
        w->out[k] = room < 0 ? 0 : room / w->stride[k] + 1;
        w->positions *= w->out[k];
        w->taps *= w->size[k];
    }
    return true;
}

/* The spatial element for tap t of position p; -1: padding. */
static int64_t met(const windows *w, int64_t p, int64_t t)
{
    int64_t at = 0, index[SPATIAL];
    for (int k = w->n - 1; k >= 0; k--) {
        index[k] = p % w->out[k] * w->stride[k] - w->low[k] + t % w->size[k] * w->dilation[k];
        if (index[k] < 0 || index[k] >= w->in[k]) return -1;
        p /= w->out[k];
        t /= w->size[k];
    }
    for (int k = 0; k < w->n; k++) at = at * w->in[k] + index[k];
    return at;
}

static int64_t area(const windows *w)
{
    int64_t n = 1;
    for (int k = 0; k < w->n; k++) n *= w->in[k];
    return n;
}

static void some_windows(generator *g, step *s, const type *x, int64_t *size, bool dilated)
{
    const int n = x->rank - 2;
    int64_t strides[SPATIAL], padding[2 * SPATIAL], dilation[SPATIAL];
    for (int k = 0; k < n; k++) {
        size[k] = 1 + below(g, vn__min(x->dims[k + 1], 5));
        strides[k] = chance(g, .6) ? 1 : 1 + below(g, 3);
        dilation[k] = dilated && chance(g, .2) ? 2 : 1;
        padding[2 * k] = chance(g, .5) ? 0 : below(g, size[k]);
        padding[2 * k + 1] = chance(g, .5) ? padding[2 * k] : below(g, size[k]);
    }
    if (chance(g, .6)) set_list(s, "strides", n, strides);
    if (chance(g, .6)) set_list(s, "pads", 2 * n, padding);
    if (dilated && chance(g, .4)) set_list(s, "dilations", n, dilation);
}

/* ---- conv, conv_input, conv_filter ---- */

/* Their operands as those of conv: x [N, in..., C], w [size..., C/groups, O], y [N, out..., O]. */
typedef struct convolution {
    windows w;
    int64_t batch, channels, outputs, groups, c, o; /* c, o: of a group */
} convolution;

static bool shape_of_conv(const program *p, const step *s, convolution *v)
{
    const char *name = s->op->name;
    if (s->n_in != 2) return false;
    const type *a = operand_type(p, s, 0), *b = operand_type(p, s, 1);
    const bool to_x = !strcmp(name, "conv_input"), to_w = !strcmp(name, "conv_filter");
    memset(v, 0, sizeof *v);
    v->w.n = a->rank - 2;
    v->groups = whole_setting(s, "groups", 1);
    if (a->weak || b->weak || a->dtype != b->dtype || !(VN_BIT(a->dtype) & VN_REAL) || v->w.n < 1 || v->w.n > SPATIAL || b->rank != a->rank)
        return false;
    for (int k = 0; k < v->w.n; k++) {
        v->w.in[k] = to_x ? listed(s, "size", k, 0) : a->dims[k + 1];
        v->w.size[k] = to_w ? listed(s, "size", k, 0) : b->dims[k];
    }
    if (v->groups < 1 || !place_windows(s, &v->w, false)) return false;
    v->batch = a->dims[0];
    v->channels = to_x ? b->dims[b->rank - 2] * v->groups : a->dims[a->rank - 1];
    v->outputs = b->dims[b->rank - 1];
    v->c = v->channels / v->groups;
    v->o = v->outputs / v->groups;
    if (v->channels % v->groups != 0 || v->outputs % v->groups != 0) return false;
    if (!to_x && !to_w && b->dims[b->rank - 2] != v->c) return false;
    if (to_x && a->dims[a->rank - 1] != v->outputs) return false;
    if (to_w && b->dims[0] != v->batch) return false;
    for (int k = 0; k < v->w.n; k++)
        if ((to_x && a->dims[k + 1] != v->w.out[k]) || (to_w && b->dims[k + 1] != v->w.out[k])) return false;
    return (double)v->batch * (double)v->w.positions * (double)v->w.taps * (double)v->c * (double)v->outputs <= 4. * MAX_PRODUCTS;
}

static bool infer_conv(const program *p, step *s)
{
    convolution v;
    if (!shape_of_conv(p, s, &v)) return false;
    type z = {.dtype = operand_type(p, s, 0)->dtype, .rank = v.w.n + 2};
    const char *name = s->op->name;
    if (!strcmp(name, "conv_filter")) {
        for (int k = 0; k < v.w.n; k++) z.dims[k] = v.w.size[k];
        z.dims[v.w.n] = v.c;
        z.dims[v.w.n + 1] = v.outputs;
    } else {
        const bool to_x = !strcmp(name, "conv_input");
        z.dims[0] = v.batch;
        for (int k = 0; k < v.w.n; k++) z.dims[k + 1] = to_x ? v.w.in[k] : v.w.out[k];
        z.dims[v.w.n + 1] = to_x ? v.channels : v.outputs;
    }
    s->type = z;
    return true;
}

/* Adds all products to their results: forward to y, backward to x, or backward to w. */
static void compute_conv(const machine *m, const step *s, num *z)
{
    convolution v;
    shape_of_conv(m->p, s, &v);
    const num *a = m->values[s->in[0]], *b = m->values[s->in[1]];
    const bool to_x = !strcmp(s->op->name, "conv_input"), to_w = !strcmp(s->op->name, "conv_filter");
    const int64_t inside = area(&v.w);
    total *sums = calloc((size_t)s->type.count + 1, sizeof *sums);
    for (int64_t i = 0; sums && i < s->type.count; i++) sums[i].whole = true;
    for (int64_t n = 0; sums && n < v.batch; n++)
        for (int64_t p = 0; p < v.w.positions; p++)
            for (int64_t t = 0; t < v.w.taps; t++) {
                const int64_t at = met(&v.w, p, t);
                for (int64_t o = 0; at >= 0 && o < v.outputs; o++)
                    for (int64_t c = 0; c < v.c; c++) {
                        const int64_t ix = (n * inside + at) * v.channels + o / v.o * v.c + c, iw = (t * v.c + c) * v.outputs + o;
                        const int64_t iy = (n * v.w.positions + p) * v.outputs + o;
                        if (to_x) add_product(&sums[ix], a[iy], b[iw]);
                        else if (to_w) add_product(&sums[iw], a[ix], b[iy]);
                        else add_product(&sums[iy], a[ix], b[iw]);
                    }
            }
    for (int64_t i = 0; i < s->type.count; i++) z[i] = sums ? finish(m, &sums[i], s->type.dtype) : unknown(0);
    free(sums);
}

/* A value as x [N, in..., C] with not too many channels. */
static int pick_image(generator *g)
{
    const int x = pick(g, VN_FLOATS, 3, 5);
    if (x < 0) return -1;
    const type *t = &g->p->steps[x].type;
    return t->dims[t->rank - 1] <= 600 && t->count > 0 ? x : -1;
}

static bool choose_conv(generator *g, step *s)
{
    const int x = pick_image(g);
    if (x < 0) return false;
    const type t = g->p->steps[x].type;
    const int n = t.rank - 2;
    const int64_t channels = t.dims[t.rank - 1];
    type w = {.dtype = t.dtype, .rank = t.rank};
    int64_t taps = 1, groups = 1;
    some_windows(g, s, &t, w.dims, true);
    for (int k = 0; k < n; k++) taps *= w.dims[k];
    const int64_t at = below(g, 10);
    if (at == 0) groups = channels; /* depthwise */
    else if (at < 3)
        for (int64_t f = 2; f <= 4; f++) groups = channels % f == 0 ? f : groups;
    w.dims[n] = channels / groups;
    int64_t outputs = room_for(g, t.count, taps) / groups;
    if (outputs < 1) return false;
    outputs = some_length(g, vn__min(outputs, 600)) * groups;
    w.dims[n + 1] = outputs;
    w.count = count_of(&w);
    if (groups > 1) set_whole(s, "groups", groups);
    const int filter = new_input(g, w, -1, 0);
    if (filter < 0) return false;
    operands(s, 2, x, filter);
    if (!infer_conv(g->p, s)) return false;
    if (chance(g, .7)) return true;
    s->type.count = count_of(&s->type); /* its gradient for the input or the filter, for some cotangent */
    const bool to_x = chance(g, .5);
    const int ct = s->type.count > 0 ? new_input(g, s->type, -1, 0) : -1;
    if (ct < 0) return true;
    s->op = op_named(to_x ? "conv_input" : "conv_filter");
    set_list(s, "size", n, to_x ? t.dims + 1 : w.dims);
    operands(s, 2, to_x ? ct : x, to_x ? filter : ct);
    return true;
}

/* ---- pooling ---- */

static bool shape_of_pool(const program *p, const step *s, windows *w)
{
    const type *x = operand_type(p, s, 0);
    memset(w, 0, sizeof *w);
    w->n = x->rank - 2;
    if (s->n_in != 1 || x->weak || !is_float(x->dtype) || w->n < 1 || w->n > SPATIAL) return false;
    for (int k = 0; k < w->n; k++) {
        w->in[k] = x->dims[k + 1];
        w->size[k] = listed(s, "window", k, 0);
    }
    return place_windows(s, w, true);
}

static bool infer_pool(const program *p, step *s)
{
    windows w;
    if (!shape_of_pool(p, s, &w)) return false;
    s->type = *operand_type(p, s, 0);
    for (int k = 0; k < w.n; k++) s->type.dims[k + 1] = w.out[k];
    return true;
}

static num pooled(const machine *m, const step *s, const num *x, int64_t n, int64_t taps)
{
    const bool max = s->op->name[0] == 'm', mean = s->op->name[0] == 'a';
    if (max) {
        if (n == 0) return unknown(-INFINITY);
        num z = x[0];
        for (int64_t i = 1; i < n; i++) z = num_max(z, x[i]);
        return z;
    }
    total t = {.whole = true};
    for (int64_t i = 0; i < n; i++) add_product(&t, x[i], exactly(1));
    num z = finish(m, &t, s->type.dtype);
    if (!mean) return z;
    const int64_t by = whole_setting(s, "include_padding", 0) ? taps : n;
    return by == 0 ? exactly(0) : rounded((num){z.v / (double)by, z.e / (double)by}, s->type.dtype, 3);
}

static void compute_pool(const machine *m, const step *s, num *z)
{
    windows w;
    shape_of_pool(m->p, s, &w);
    const type *t = operand_type(m->p, s, 0);
    const num *x = m->values[s->in[0]];
    const int64_t channels = t->dims[t->rank - 1], inside = area(&w);
    num *row = malloc(((size_t)w.taps + 1) * sizeof *row);
    for (int64_t n = 0; row && n < t->dims[0]; n++)
        for (int64_t p = 0; p < w.positions; p++)
            for (int64_t c = 0; c < channels; c++) {
                int64_t k = 0;
                for (int64_t tap = 0; tap < w.taps; tap++) {
                    const int64_t at = met(&w, p, tap);
                    if (at >= 0) row[k++] = x[(n * inside + at) * channels + c];
                }
                *z++ = pooled(m, s, row, k, w.taps);
            }
    free(row);
}

static bool choose_pool(generator *g, step *s)
{
    const int x = pick_image(g);
    if (x < 0) return false;
    const type *t = &g->p->steps[x].type;
    int64_t size[SPATIAL];
    some_windows(g, s, t, size, s->op->name[0] != 'a');
    set_list(s, "window", t->rank - 2, size);
    if (s->op->name[0] == 'a' && chance(g, .5)) set_whole(s, "include_padding", 1);
    operands(s, 1, x);
    return true;
}

/* ---- attention ---- */

static bool infer_attention(const program *p, step *s)
{
    if (s->n_in != 3) return false;
    const type *q = operand_type(p, s, 0), *k = operand_type(p, s, 1), *v = operand_type(p, s, 2);
    if (!is_float(q->dtype) || k->dtype != q->dtype || v->dtype != q->dtype || q->rank < 2 || k->rank != q->rank || v->rank != q->rank)
        return false;
    for (int a = 0; a < q->rank - 2; a++)
        if (q->dims[a] != k->dims[a] || q->dims[a] != v->dims[a]) return false;
    const int r = q->rank;
    if (q->dims[r - 1] != k->dims[r - 1] || k->dims[r - 2] != v->dims[r - 2] || k->dims[r - 2] < 1 || q->dims[r - 1] < 1) return false;
    if (whole_setting(s, "causal", 0) && k->dims[r - 2] < q->dims[r - 2]) return false; /* queries with nothing to attend to */
    s->type = *q;
    s->type.dims[r - 1] = v->dims[r - 1];
    return (double)q->count * (double)k->dims[r - 2] <= 4. * MAX_PRODUCTS;
}

static void compute_attention(const machine *m, const step *s, num *z)
{
    const type *q = operand_type(m->p, s, 0), *v = operand_type(m->p, s, 2);
    const int r = q->rank, dtype = is_half(q->dtype) ? VN_F32 : q->dtype;
    const int64_t queries = q->dims[r - 2], features = q->dims[r - 1], keys = v->dims[r - 2], values = v->dims[r - 1];
    const double u = precision_of(dtype).unit, scale = 1 / sqrt((double)features);
    const bool causal = whole_setting(s, "causal", 0) != 0;
    num *score = malloc(((size_t)keys + 1) * sizeof *score);
    for (int64_t i = 0; score && i < q->count / features; i++) {
        const int64_t b = i / queries, seen = causal ? i % queries + 1 + keys - queries : keys;
        double top = -INFINITY;
        for (int64_t j = 0; j < seen; j++) {
            total t = {.whole = false};
            for (int64_t f = 0; f < features; f++)
                add_product(&t, m->values[s->in[0]][i * features + f], m->values[s->in[1]][(b * keys + j) * features + f]);
            score[j] = finish(m, &t, dtype);
            score[j].v *= scale;
            score[j].e = score[j].e * scale + 4 * u * (fabs(score[j].v) + 1);
            top = fmax(top, score[j].v);
        }
        long double sum = 0;
        double error = 0; /* relative, of any weight */
        for (int64_t j = 0; j < seen; j++) {
            error = fmax(error, expm1(2 * score[j].e) + u * (16 + 2 * fabs(score[j].v - top)));
            score[j].v = exp(score[j].v - top);
            sum += score[j].v;
        }
        error = 2 * error + machine_growth(m, seen) * u;
        for (int64_t f = 0; f < values; f++) {
            long double out = 0;
            double size = 0, e = 0;
            for (int64_t j = 0; j < seen; j++) {
                const num x = m->values[s->in[2]][(b * keys + j) * values + f];
                const double weight = score[j].v / (double)sum;
                out += weight * x.v;
                size += weight * fabs(x.v);
                e += weight * x.e + 2 * precision_of(dtype).least * fabs(x.v); /* weights below the least normal number may be 0 */
            }
            *z++ = rounded((num){(double)out, e + size * (error + machine_growth(m, seen) * u)}, q->dtype, 1);
        }
    }
    free(score);
}

static bool choose_attention(generator *g, step *s)
{
    const int q = pick(g, VN_FLOATS, 2, 4);
    if (q < 0) return false;
    type k = g->p->steps[q].type, v;
    const int r = k.rank;
    if (k.count == 0 || k.dims[r - 1] > 256) return false;
    if (chance(g, .2)) { /* a value that attends to itself */
        operands(s, 3, q, q, q);
        if (!infer_attention(g->p, s) || k.count * k.dims[r - 2] > MAX_PRODUCTS) return false;
    } else {
        const int64_t keys = room_for(g, k.count, 2);
        if (keys < 1) return false;
        k.dims[r - 2] = some_length(g, vn__min(keys, 2000));
        v = k;
        if (chance(g, .3)) v.dims[r - 1] = some_length(g, 64);
        k.count = count_of(&k);
        v.count = count_of(&v);
        const int ki = new_input(g, k, NORMAL, 0), vi = ki < 0 ? -1 : new_input(g, v, -1, 0);
        if (vi < 0) return false;
        operands(s, 3, q, ki, vi);
    }
    if (chance(g, .3)) set_whole(s, "causal", 1);
    return true;
}

const op product_ops[] = {
    {"matmul", infer_matmul, compute_matmul, choose_matmul, 26, SMOOTH | PRODUCTS, NULL},
    {"conv", infer_conv, compute_conv, choose_conv, 14, SMOOTH | PRODUCTS, NULL},
    {"conv_input", infer_conv, compute_conv, choose_conv, 0, SMOOTH | PRODUCTS, NULL},
    {"conv_filter", infer_conv, compute_conv, choose_conv, 0, SMOOTH | PRODUCTS, NULL},
    {"max_pool", infer_pool, compute_pool, choose_pool, 6, SMOOTH, NULL},
    {"sum_pool", infer_pool, compute_pool, choose_pool, 3, SMOOTH, NULL},
    {"avg_pool", infer_pool, compute_pool, choose_pool, 4, SMOOTH, NULL},
    {"attention", infer_attention, compute_attention, choose_attention, 6, SMOOTH | PRODUCTS, NULL},
    {0},
};
