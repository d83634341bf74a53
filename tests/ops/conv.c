/* SPDX-License-Identifier: Apache-2.0 */
/* conv.c: convolution and pooling against plain loops in double, over many shapes: 1 to 3 spatial axes, odd channels, strides, dilation,
 * padding, groups, large enough for every path and for threads; float32, float64 and integers; conv, conv_input and conv_filter of every
 * shape. Values are small integers, so that every sum is exact and the results must be equal. And the native
 * engine gives the same bits whatever the threads and the level. */
/* ctest: engines */
/* ctest: part 8 on jax */
/* ctest: seconds 8 on jax */
#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

/* [batch, in..., c], kernel, o output channels; missing axes have size 1 and come last. */
typedef struct shape {
    int rank, batch, c, o, groups;
    int in[3], kernel[3], stride[3], low[3], high[3], dilation[3];
} shape;

static const shape shapes[] = {
    {1, 2, 3, 5, 1, {9, 1, 1}, {3, 1, 1}, {1, 1, 1}, {1}, {1}, {1, 1, 1}},
    {1, 3, 64, 33, 1, {65, 1, 1}, {5, 1, 1}, {2, 1, 1}, {2}, {3}, {2, 1, 1}},
    {1, 2, 8, 8, 2, {30, 1, 1}, {4, 1, 1}, {3, 1, 1}, {5}, {0}, {2, 1, 1}},
    {1, 1, 1, 1, 1, {50, 1, 1}, {40, 1, 1}, {1, 1, 1}, {39}, {39}, {1, 1, 1}},
    {2, 2, 3, 4, 1, {6, 7, 1}, {3, 2, 1}, {1, 1, 1}, {1, 0}, {1, 1}, {1, 1, 1}},
    {2, 2, 17, 70, 1, {11, 9, 1}, {3, 3, 1}, {2, 2, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 4, 64, 64, 1, {19, 23, 1}, {3, 3, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 1, 300, 40, 1, {9, 9, 1}, {3, 3, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 1, 40, 600, 1, {7, 5, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0}, {0, 0}, {1, 1, 1}},
    {2, 2, 3, 16, 1, {33, 31, 1}, {7, 7, 1}, {2, 2, 1}, {3, 3}, {3, 3}, {1, 1, 1}},
    {2, 2, 7, 40, 1, {9, 6, 1}, {1, 9, 1}, {1, 2, 1}, {0, 8}, {0, 7}, {1, 1, 1}},
    {2, 1, 5, 6, 1, {12, 13, 1}, {3, 2, 1}, {3, 2, 1}, {0, 2}, {4, 1}, {2, 3, 1}},
    {2, 2, 6, 9, 3, {10, 8, 1}, {3, 3, 1}, {2, 1, 1}, {1, 1}, {0, 1}, {1, 2, 1}},
    {2, 2, 32, 64, 4, {12, 10, 1}, {3, 3, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 3, 7, 7, 7, {13, 11, 1}, {3, 3, 1}, {1, 1, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 2, 150, 150, 150, {21, 20, 1}, {3, 3, 1}, {2, 1, 1}, {1, 1}, {1, 1}, {1, 2, 1}},
    {2, 2, 4, 12, 4, {9, 9, 1}, {3, 3, 1}, {2, 2, 1}, {1, 1}, {1, 1}, {1, 1, 1}},
    {2, 2, 4, 4, 1, {5, 5, 1}, {2, 2, 1}, {4, 7, 1}, {0, 0}, {0, 0}, {1, 1, 1}},
    {2, 1, 2, 2, 1, {3, 3, 1}, {5, 5, 1}, {1, 1, 1}, {0, 0}, {0, 0}, {1, 1, 1}}, /* the filter does not fit */
    {3, 2, 5, 6, 1, {5, 6, 7}, {3, 2, 3}, {1, 2, 1}, {1, 0, 1}, {1, 1, 2}, {1, 1, 2}},
    {3, 1, 32, 32, 1, {8, 9, 10}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {3, 1, 4, 4, 2, {4, 4, 4}, {2, 2, 2}, {2, 3, 2}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}},
};

static int out_size(const shape *s, int a)
{
    const int room = s->in[a] + s->low[a] + s->high[a] - (s->kernel[a] - 1) * s->dilation[a] - 1;
    return room < 0 ? 0 : room / s->stride[a] + 1;
}

static vn_shape lifted(const shape *s, const int *numbers)
{
    vn_shape l = {.rank = s->rank};
    for (int a = 0; a < s->rank; a++) l.dim[a] = numbers[a];
    return l;
}

static vn_shape padding(const shape *s)
{
    vn_shape l = {.rank = 2 * s->rank};
    for (int a = 0; a < s->rank; a++) l.dim[2 * a] = s->low[a], l.dim[2 * a + 1] = s->high[a];
    return l;
}

static vn_shape dims(const shape *s, int first, const int *sizes, int last)
{
    vn_shape d = {.rank = s->rank + 2};
    d.dim[0] = first;
    for (int a = 0; a < s->rank; a++) d.dim[a + 1] = sizes[a];
    d.dim[s->rank + 1] = last;
    return d;
}

static double *numbers(int64_t n, int seed)
{
    double *x = malloc((size_t)(n ? n : 1) * sizeof *x);
    uint32_t state = (uint32_t)seed * 2654435761u + 1;
    for (int64_t k = 0; x && k < n; k++) {
        state = state * 1664525u + 1013904223u;
        x[k] = (double)(state >> 24) / 32 - 4;
        x[k] = x[k] < 0 ? -floor(-x[k]) : floor(x[k]);
    }
    CHECK(x != NULL);
    return x;
}

static int64_t count(vn_shape s)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return n;
}

/* Calls fn for every pair of places of x and y that meet, with the tap: row numbers of x, the filter and y. */
static void each(const shape *s, void (*fn)(const shape *s, int64_t x, int64_t tap, int64_t y, void *to), void *to)
{
    const int out[3] = {out_size(s, 0), s->rank > 1 ? out_size(s, 1) : 1, s->rank > 2 ? out_size(s, 2) : 1};
    const int64_t places = (int64_t)s->batch * out[0] * out[1] * out[2], taps = (int64_t)s->kernel[0] * s->kernel[1] * s->kernel[2];
    for (int64_t y = 0; y < places; y++)
        for (int64_t t = 0; t < taps; t++) {
            const int64_t o[3] = {y / out[2] / out[1] % out[0], y / out[2] % out[1], y % out[2]};
            const int64_t k[3] = {t / s->kernel[2] / s->kernel[1], t / s->kernel[2] % s->kernel[1], t % s->kernel[2]};
            int64_t x = y / out[2] / out[1] / out[0];
            bool inside = true;
            for (int a = 0; a < 3; a++) {
                const int64_t at = o[a] * s->stride[a] - s->low[a] + k[a] * s->dilation[a];
                inside = inside && at >= 0 && at < s->in[a];
                x = x * s->in[a] + at;
            }
            if (inside) fn(s, x, t, y, to);
        }
}

typedef struct arrays {
    double *x, *w, *y, *dx, *dw, *z; /* inputs: x, w and a cotangent y; what should come out: dx, dw, z */
} arrays;

static void products(const shape *s, int64_t x, int64_t tap, int64_t y, void *to)
{
    arrays *a = to;
    const int cg = s->c / s->groups, og = s->o / s->groups;
    for (int c = 0; c < cg; c++)
        for (int o = 0; o < s->o; o++) {
            const int64_t xi = x * s->c + o / og * cg + c, wi = (tap * cg + c) * s->o + o, yi = y * s->o + o;
            a->z[yi] += a->x[xi] * a->w[wi];
            a->dx[xi] += a->y[yi] * a->w[wi];
            a->dw[wi] += a->x[xi] * a->y[yi];
        }
}

static bool equal(vn_array *x, const double *want, int64_t n)
{
    vn_array *wide = vn_cast(vn_to(x, "native"), VN_F64);
    const double *got = wide ? vn_data(wide) : NULL;
    if (!wide || vn_size(wide) != n) return false;
    for (int64_t k = 0; k < n; k++) {
        if (got[k] != want[k]) return fprintf(stderr, "element %lld is %g, not %g\n", (long long)k, got[k], want[k]), false;
    }
    return true;
}

/* Results and what they should be, compared when there are some. */
static struct expected {
    vn_array *x;
    const double *want;
    int64_t n;
    const char *what;
} expected[16];
static int n_expected;

static void expect(const char *what, vn_array *x, const double *want, int64_t n)
{
    expected[n_expected++] = (struct expected){x, want, n, what};
}

static void compare(size_t shape_number)
{
    vn_array *all[16];
    for (int k = 0; k < n_expected; k++) all[k] = expected[k].x;
    compile_together(n_expected, all);
    for (int k = 0; k < n_expected; k++) {
        const bool right = equal(all[k], expected[k].want, expected[k].n);
        if (!right) fprintf(stderr, "%s of shape number %zu, %s\n", expected[k].what, shape_number, vn_dtype_name(vn_dtype_of(all[k])));
        CHECK(right);
    }
    n_expected = 0;
}

TEST(convolutions)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        if (!in_part(k)) continue;
        VN_SCOPE;
        const shape *s = &shapes[k];
        const int out[3] = {out_size(s, 0), s->rank > 1 ? out_size(s, 1) : 1, s->rank > 2 ? out_size(s, 2) : 1};
        const vn_shape xs = dims(s, s->batch, s->in, s->c), ys = dims(s, s->batch, out, s->o);
        vn_shape ws = lifted(s, s->kernel);
        ws.dim[ws.rank++] = s->c / s->groups;
        ws.dim[ws.rank++] = s->o;
        const int64_t nx = count(xs), ny = count(ys), nw = count(ws);
        arrays a = {numbers(nx, 1),        numbers(nw, 2),        numbers(ny, 3),
                    calloc((size_t)nx, 8), calloc((size_t)nw, 8), calloc((size_t)ny + 1, 8)};
        each(s, products, &a);
        const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_I64, VN_I32};
        for (int d = 0; d < 4; d++) {
            vn_array *x = vn_cast(vn_from_host(a.x, VN_F64, xs), dtypes[d]), *w = vn_cast(vn_from_host(a.w, VN_F64, ws), dtypes[d]);
            vn_array *y = vn_cast(vn_from_host(a.y, VN_F64, ys), dtypes[d]);
            vn_shape st = lifted(s, s->stride), di = lifted(s, s->dilation);
            expect("conv",
                   vn_conv(x, w,
                           VN_OPTS(conv, .strides = {st.dim[0], st.dim[1], st.dim[2]}, .pads = padding(s),
                                   .dilations = {di.dim[0], di.dim[1], di.dim[2]}, .groups = s->groups)),
                   a.z, ny);
            expect("conv_input", vn__conv_input(y, w, st, padding(s), di, s->groups, lifted(s, s->in)), a.dx, nx);
            expect("conv_filter", vn__conv_filter(x, y, st, padding(s), di, s->groups, lifted(s, s->kernel)), a.dw, nw);
        }
        compare(k);
        free(a.x), free(a.w), free(a.y), free(a.dx), free(a.dw), free(a.z);
    }
}

/* ---- pooling: windows of the same shapes, their channels side by side ---- */

typedef struct pools {
    arrays a;    /* x, ct y; sums z and dx */
    double *top; /* the largest */
    int64_t *at; /* where it lies in x, or -1 */
} pools;

static void windows(const shape *s, int64_t x, int64_t tap, int64_t y, void *to)
{
    pools *p = to;
    (void)tap;
    for (int c = 0; c < s->c; c++) {
        const int64_t xi = x * s->c + c, yi = y * s->c + c;
        p->a.z[yi] += p->a.x[xi];
        p->a.dx[xi] += p->a.y[yi];
        if (p->at[yi] < 0 || p->a.x[xi] > p->top[yi]) p->top[yi] = p->a.x[xi], p->at[yi] = xi;
    }
}

TEST(pooling)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        if (!in_part(k)) continue;
        VN_SCOPE;
        const shape *s = &shapes[k];
        const int out[3] = {out_size(s, 0), s->rank > 1 ? out_size(s, 1) : 1, s->rank > 2 ? out_size(s, 2) : 1};
        const vn_shape xs = dims(s, s->batch, s->in, s->c), ys = dims(s, s->batch, out, s->c);
        const int64_t nx = count(xs), ny = count(ys);
        pools p = {
            .a = {numbers(nx, 4), numbers(nx, 5), numbers(ny, 6), calloc((size_t)nx, 8), calloc((size_t)nx, 8), calloc((size_t)ny + 1, 8)},
            .top = calloc((size_t)ny + 1, 8),
            .at = malloc(((size_t)ny + 1) * 8)};
        for (int64_t i = 0; i < ny; i++) p.at[i] = -1, p.top[i] = -INFINITY;
        each(s, windows, &p);
        for (int64_t i = 0; i < ny; i++) {
            if (p.at[i] >= 0) p.a.dw[p.at[i]] += p.a.y[i];
        }
        const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_I64};
        for (int d = 0; d < 3; d++) {
            vn_array *x = vn_cast(vn_from_host(p.a.x, VN_F64, xs), dtypes[d]), *u = vn_cast(vn_from_host(p.a.w, VN_F64, xs), dtypes[d]);
            vn_array *y = vn_cast(vn_from_host(p.a.y, VN_F64, ys), dtypes[d]);
            vn_shape wi = lifted(s, s->kernel), st = lifted(s, s->stride), di = lifted(s, s->dilation);
            double *picked = calloc((size_t)ny + 1, 8), *places = calloc((size_t)ny + 1, 8);
            for (int64_t i = 0; i < ny; i++) {
                picked[i] = p.at[i] < 0 ? 0 : p.a.w[p.at[i]];
                places[i] = p.at[i] < 0 ? -1 : (double)(p.at[i] / s->c % (nx / s->batch / s->c));
                if (p.at[i] < 0) p.top[i] = d == 2 ? (double)INT64_MIN : -INFINITY;
            }
            vn_array *index = NULL,
                     *top = vn__max_pool(x, wi,
                                         VN_OPTS(max_pool, .strides = {st.dim[0], st.dim[1], st.dim[2]}, .pads = padding(s),
                                                 .dilations = {di.dim[0], di.dim[1], di.dim[2]}),
                                         &index),
                     *ct = d < 2 ? vn_variable(y) : y;
            vn_array *back = vn__max_pool_backward(x, top, index, ct, wi, st, padding(s), di);
            expect("max_pool",
                   vn_max_pool(x, wi,
                               VN_OPTS(max_pool, .strides = {st.dim[0], st.dim[1], st.dim[2]}, .pads = padding(s),
                                       .dilations = {di.dim[0], di.dim[1], di.dim[2]})),
                   p.top, ny);
            expect("max_pool's index", index, places, ny); /* by itself */
            expect("max_pool", top, p.top, ny);
            expect("max_pool_backward", back, p.a.dw, nx);
            if (d < 2) expect("its gradient", vn_grad(vn_sum(vn_mul(back, u), VN_ALL), ct), picked, ny);
            expect("sum_pool",
                   vn_sum_pool(x, wi,
                               VN_OPTS(sum_pool, .strides = {st.dim[0], st.dim[1], st.dim[2]}, .pads = padding(s),
                                       .dilations = {di.dim[0], di.dim[1], di.dim[2]})),
                   p.a.z, ny);
            expect("sum_pool_backward", vn__sum_pool_backward(y, wi, st, padding(s), di, lifted(s, s->in)), p.a.dx, nx);
            compare(k);
            free(picked), free(places);
        }
        free(p.a.x), free(p.a.w), free(p.a.y), free(p.a.dx), free(p.a.dw), free(p.a.z), free(p.top), free(p.at);
    }
}

/* ---- the same bits on any number of threads, and at every level with fused multiply-add ---- */

static vn_array *waves(vn_shape of, double step)
{
    const int64_t n = count(of);
    double *data = malloc((size_t)n * sizeof *data);
    CHECK(data != NULL);
    for (int64_t k = 0; data && k < n; k++) data[k] = sin((double)k * step);
    vn_array *x = vn_cast(vn_from_host(data, VN_F64, of), VN_F32);
    free(data);
    return x;
}

/* All ops on one shape: [4, 19, 23, c] and a filter of 3 x 3. */
static uint64_t fingerprint(uint64_t hash, int64_t c, int64_t o, int64_t groups, int64_t stride)
{
    VN_SCOPE;
    const vn_shape strides = VN_SHAPE(stride, stride), one = VN_SHAPE(1, 1), pad = VN_SHAPE(1, 1, 1, 1), three = VN_SHAPE(3, 3);
    vn_array *x = waves(VN_SHAPE(4, 19, 23, c), .37), *w = waves(VN_SHAPE(3, 3, c / groups, o), .61);
    vn_array *y = vn_conv(x, w, VN_OPTS(conv, .strides = {stride, stride}, .pads = pad, .groups = groups)),
             *p = vn_sum_pool(x, three, VN_OPTS(sum_pool, .strides = {stride, stride}, .pads = pad));
    hash = hash_array(hash, y);
    hash = hash_array(hash, vn__conv_input(y, w, strides, pad, one, groups, VN_SHAPE(19, 23)));
    hash = hash_array(hash, vn__conv_filter(x, y, strides, pad, one, groups, three));
    hash = hash_array(hash, p);
    hash = hash_array(hash, vn__sum_pool_backward(p, three, strides, pad, one, VN_SHAPE(19, 23)));
    vn_array *index, *top = vn__max_pool(x, three, VN_OPTS(max_pool, .strides = {stride, stride}, .pads = pad), &index);
    hash = hash_array(hash, vn_cast(index, VN_F32));
    return hash_array(hash, vn__max_pool_backward(x, top, index, p, three, strides, pad, one));
}

static void same_bits(void)
{
    static const char *const threads[] = {"1", "2", "3"};
    uint64_t reference[2] = {0, 0};
    for (int l = 0; l < ISA_LEVELS; l++)
        for (int t = 0; t < 3; t++) {
            vn_close();
            setenv("VINEA_ISA", isa_levels[l], 1);
            setenv("VINEA_THREADS", threads[t], 1);
            if (vn_use(NULL)) { /* a level this processor does not have */
                vn_clear();
                break;
            }
            uint64_t hash = fingerprint(VN__HASH, 64, 72, 1, 1);
            hash = fingerprint(hash, 64, 64, 64, 1);
            hash = fingerprint(hash, 48, 40, 4, 2);
            hash = fingerprint(hash, 3, 33, 1, 2);
            if (!reference[l > 0]) reference[l > 0] = hash;
            check_name = isa_levels[l];
            CHECK(hash == reference[l > 0]);
        }
    vn_close();
    unsetenv("VINEA_ISA");
    unsetenv("VINEA_THREADS");
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    run_tests();
    if (argc < 2 || !strcmp(argv[1], "native")) same_bits();
    return finish();
}
