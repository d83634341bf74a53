/* SPDX-License-Identifier: Apache-2.0 */
/* poolings.c: max pooling and its backward pass against plain loops, where some images hold NaN, -inf or many equal elements and others do
 * not. At sizes that reach vectors and tails of kernels, and, the last one, the threads. */
/* ctest: faults */
/* ctest: engines */
#include "check.h"
#include "ops/row.h"

typedef struct {
    int64_t batch, height, width, channels, window, stride, high; /* high: padding at the end of both axes */
} setting;

static int64_t results(int64_t in, const setting *s)
{
    return (in + s->high - s->window) / s->stride + 1;
}

/* Few different numbers, so that many are equal; image 1 of 4 has NaN, image 2 corners of -inf. */
static float element(int64_t image, int64_t row, int64_t k)
{
    if (image % 4 == 1 && k % 37 == 5) return NAN;
    if (image % 4 == 2 && row < 4) return -INFINITY;
    if (image % 4 == 3 && k % 41 == 0) return INFINITY;
    return (float)((k * 7919 + image) % 5) - 1;
}

/* The first element of a window that is larger than all others, or the first NaN; its number. */
static int64_t winner(const setting *s, const float *x, int64_t image, int64_t row, int64_t column, int64_t channel)
{
    int64_t best = -1;
    for (int64_t i = row * s->stride; i < row * s->stride + s->window && i < s->height; i++) {
        for (int64_t j = column * s->stride; j < column * s->stride + s->window && j < s->width; j++) {
            int64_t at = ((image * s->height + i) * s->width + j) * s->channels + channel;
            if (best < 0 || (!isnan(x[best]) && (isnan(x[at]) || x[at] > x[best]))) best = at;
        }
    }
    return best;
}

static void compare(const float *got, const float *expected, int64_t n)
{
    int64_t wrong = 0;
    for (int64_t k = 0; got && k < n; k++) wrong += !near(got[k], expected[k], 1e-6);
    CHECK(got && wrong == 0);
}

static void pool(const setting *s)
{
    VN_SCOPE;
    const int64_t h = results(s->height, s), w = results(s->width, s), c = s->channels;
    const int64_t n_in = s->batch * s->height * s->width * c, n_out = s->batch * h * w * c;
    float *x = malloc((size_t)n_in * sizeof *x), *back = calloc((size_t)n_in, sizeof *back);
    float *y = malloc((size_t)n_out * sizeof *y), *ct = malloc((size_t)n_out * sizeof *ct);
    int64_t *places = malloc((size_t)n_out * sizeof *places);
    if (!x || !y || !back || !ct || !places) abort();
    for (int64_t k = 0; k < n_in; k++) x[k] = element(k / (s->height * s->width * c), k / (s->width * c) % s->height, k);
    for (int64_t k = 0; k < n_out; k++) {
        int64_t at = winner(s, x, k / (h * w * c), k / (w * c) % h, k / c % w, k % c);
        ct[k] = (float)(k % 8 + 1), y[k] = x[at], back[at] += ct[k], places[k] = at / c % (s->height * s->width);
    }
    vn_array *in = vn_from(x, VN_SHAPE(s->batch, s->height, s->width, c)), *up = vn_from(ct, VN_SHAPE(s->batch, h, w, c));
    vn_shape window = VN_LIST(s->window, s->window), strides = VN_LIST(s->stride, s->stride), pads = VN_LIST(0, s->high, 0, s->high);
    vn_array *v = vn_variable(in), *z = vn_max_pool(v, window, VN_OPTS(max_pool, .strides = {s->stride, s->stride}, .pads = pads)), *index;
    vn_array *out[] = {z, vn_grad(vn_sum(vn_mul(z, up), VN_ALL), v)};
    CHECK(vn_eval(2, out) == VN_OK); /* in one program */
    compare(vn_data(out[0]), y, n_out);
    compare(vn_data(out[1]), back, n_in);
    compare(vn_data(vn_max_pool(in, window, VN_OPTS(max_pool, .strides = {s->stride, s->stride}, .pads = pads))), y, n_out);
    z = vn__max_pool(in, window, VN_OPTS(max_pool, .strides = {s->stride, s->stride}, .pads = pads),
                     &index); /* by themselves, the index first */
    const int64_t *at = vn_data(index);
    CHECK(at && !memcmp(at, places, (size_t)n_out * sizeof *at));
    compare(vn_data(z), y, n_out);
    compare(vn_data(vn__max_pool_backward(in, z, index, up, window, strides, pads, VN_DEFAULT)), back, n_in);
    free(x), free(y), free(back), free(ct), free(places);
}

TEST(windows_side_by_side)
{
    pool(&(setting){4, 8, 10, 20, 2, 2, 0});
    pool(&(setting){5, 7, 9, 17, 2, 2, 0}); /* with a rest */
}

TEST(windows_that_overlap)
{
    pool(&(setting){4, 9, 9, 20, 3, 2, 0});
    pool(&(setting){6, 8, 8, 16, 3, 2, 1}); /* padded at the end */
}

/* Places inside a window that no longer fit into 8 and 16 bits. */
TEST(long_rows)
{
    static const int64_t widths[] = {253, 254, 300, 65534, 65601};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) pool(&(setting){2, 3, widths[k], 1, 2, 1, 0});
}

TEST(many_images)
{
    pool(&(setting){16, 64, 64, 32, 2, 2, 0});
}

TEST_MAIN
