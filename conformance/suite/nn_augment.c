/* SPDX-License-Identifier: Apache-2.0 */
/* nn_augment.c: random changes of images, against loops over pixels with the same random numbers. */
#include "nn_layers.h"
#include <math.h>

enum { N = 3, H = 6, W = 5, C = 3 };

static double pixel_at(int n, int y, int x, int c)
{
    return (n * 31 + y * 17 + x * 23 + c * 41 + x * y * 7) % 97 / 97.;
}

static vn_array *pictures(void)
{
    float values[N * H * W * C], *to = values;
    for (int i = 0; i < N * H * W * C; i++) *to++ = (float)pixel_at(i / (H * W * C), i / (W * C) % H, i / C % W, i % C);
    return vn_from(values, VN_SHAPE(N, H, W, C));
}

/* The next number of each image, as the layers take them. */
static void next(double low, double high, double to[static N])
{
    vn_array *u = vn_cast(vn_random_uniform(low, high, VN_SHAPE(N, 1, 1, 1)), VN_F64);
    vn_read(u, to, N * sizeof *to);
}

/* A pixel outside an image. */
static double outside(int n, int y, int x, int c, const char *fill)
{
    if (!strcmp(fill, "zero") && (y < 0 || y >= H || x < 0 || x >= W)) return 0;
    const int mirror = !strcmp(fill, "reflect");
    for (int k = 0; mirror && k < 4; k++) {
        y = y < 0 ? -1 - y : y >= H ? 2 * H - 1 - y : y;
        x = x < 0 ? -1 - x : x >= W ? 2 * W - 1 - x : x;
    }
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    return pixel_at(n, y, x, c);
}

/* Where the middle of a pixel of image n comes from, in pixels. */
typedef void (*place_fn)(int n, double y, double x, double *from_y, double *from_x);

/* The layer's result is x at these places. */
static void check_places(vn_module *m, place_fn place, const char *fill)
{
    vn_seed(7);
    vn_module_train(m, 1);
    vn_array *z = vn_cast(vn_module_call(m, pictures(), NULL), VN_F64);
    const double *got = z ? vn_data(z) : NULL;
    double most = got ? 0 : INFINITY;
    for (int i = 0; got && i < N * H * W * C; i++) {
        const int n = i / (H * W * C), y = i / (W * C) % H, x = i / C % W, c = i % C;
        double v, u;
        place(n, y, x, &v, &u);
        const int top = (int)floor(v), left = (int)floor(u);
        const double a = v - top, b = u - left;
        const double want = (1 - a) * ((1 - b) * outside(n, top, left, c, fill) + b * outside(n, top, left + 1, c, fill)) +
                            a * ((1 - b) * outside(n, top + 1, left, c, fill) + b * outside(n, top + 1, left + 1, c, fill));
        most = fmax(most, fabs(want - got[i]));
    }
    CHECK(most < 2e-5);
}

static double drawn[3][N];

static void shifted(int n, double y, double x, double *v, double *u)
{
    *v = y + drawn[0][n] * H, *u = x + drawn[1][n] * W;
}

static void turned(int n, double y, double x, double *v, double *u)
{
    const double dy = y - (H - 1) / 2., dx = x - (W - 1) / 2., c = cos(drawn[0][n]), s = sin(drawn[0][n]);
    *v = (H - 1) / 2. + c * dy - s * dx, *u = (W - 1) / 2. + s * dy + c * dx;
}

static void zoomed(int n, double y, double x, double *v, double *u)
{
    *v = (H - 1) / 2. + drawn[0][n] * (y - (H - 1) / 2.), *u = (W - 1) / 2. + drawn[0][n] * (x - (W - 1) / 2.);
}

static void cropped(int n, double y, double x, double *v, double *u)
{
    const double side = drawn[0][n], rest = (1 - side) / 2;
    *v = (H - 1) / 2. + side * (y - (H - 1) / 2.) + rest * drawn[1][n] * H;
    *u = (W - 1) / 2. + side * (x - (W - 1) / 2.) + rest * drawn[2][n] * W;
}

static void places(void)
{
    static const char *const fills[] = {"reflect", "nearest", "zero"};
    for (int k = 0; k < 3; k++) {
        vn_seed(7), next(-.4, .4, drawn[0]), next(-.4, .4, drawn[1]);
        check_places(vn_nn_random_translation(.4, VN_OPTS(nn_random_translation, .fill = fills[k])), shifted, fills[k]);
        vn_seed(7), next(-M_PI / 3, M_PI / 3, drawn[0]);
        check_places(vn_nn_random_rotation(60, VN_OPTS(nn_random_rotation, .fill = fills[k])), turned, fills[k]);
        vn_seed(7), next(.5, 1.5, drawn[0]);
        check_places(vn_nn_random_zoom(.5, VN_OPTS(nn_random_zoom, .fill = fills[k])), zoomed, fills[k]);
    }
    vn_seed(7), next(.6, 1, drawn[0]), next(-1, 1, drawn[1]), next(-1, 1, drawn[2]);
    check_places(vn_nn_random_crop(.4), cropped, "nearest");
}

static void flips(void)
{
    static const char *const directions[] = {"horizontal", "vertical", "both"};
    for (int k = 0; k < 3; k++) {
        vn_module *m = vn_nn_random_flip(VN_OPTS(nn_random_flip, .direction = directions[k]));
        vn_module_train(m, 1);
        double across[N] = {1, 1, 1}, down[N] = {1, 1, 1};
        vn_seed(3);
        if (k != 1) next(0, 1, across);
        if (k != 0) next(0, 1, down);
        vn_seed(3);
        vn_array *z = vn_module_call(m, pictures(), NULL), *x = pictures();
        for (int n = 0; n < N; n++) {
            vn_array *want = vn_rows(x, n, 1);
            if (across[n] < .5) want = vn_flip(want, VN_AXES(2));
            if (down[n] < .5) want = vn_flip(want, VN_AXES(1));
            CHECK(alike(vn_rows(z, n, 1), want, 0));
        }
    }
}

static void check_colour(vn_module *m, double low, double high, double (*of)(double f, int n, int y, int x, int c))
{
    double f[N];
    vn_seed(5), next(low, high, f);
    vn_seed(5), vn_module_train(m, 1);
    vn_array *z = vn_cast(vn_module_call(m, pictures(), NULL), VN_F64);
    const double *got = z ? vn_data(z) : NULL;
    double most = got ? 0 : INFINITY;
    for (int i = 0; got && i < N * H * W * C; i++) {
        const int n = i / (H * W * C);
        most = fmax(most, fabs(got[i] - of(f[n], n, i / (W * C) % H, i / C % W, i % C)));
    }
    CHECK(most < 1e-5);
}

static double brighter(double f, int n, int y, int x, int c)
{
    return pixel_at(n, y, x, c) + f;
}

static double sharper(double f, int n, int y, int x, int c)
{
    double mean = 0;
    for (int i = 0; i < H * W; i++) mean += pixel_at(n, i / W, i % W, c) / (H * W);
    return mean + f * (pixel_at(n, y, x, c) - mean);
}

static double richer(double f, int n, int y, int x, int c)
{
    const double gray = .299 * pixel_at(n, y, x, 0) + .587 * pixel_at(n, y, x, 1) + .114 * pixel_at(n, y, x, 2);
    return gray + f * (pixel_at(n, y, x, c) - gray);
}

/* Rodrigues's rotation about (1, 1, 1) / sqrt(3). */
static double other_hue(double f, int n, int y, int x, int c)
{
    const double v[3] = {pixel_at(n, y, x, 0), pixel_at(n, y, x, 1), pixel_at(n, y, x, 2)};
    const double cross = (v[(c + 2) % 3] - v[(c + 1) % 3]) / sqrt(3), along = (v[0] + v[1] + v[2]) / 3;
    return v[c] * cos(f) + cross * sin(f) + along * (1 - cos(f));
}

static void colours(void)
{
    check_colour(vn_nn_random_brightness(.3), -.3, .3, brighter);
    check_colour(vn_nn_random_contrast(.4), .6, 1.4, sharper);
    check_colour(vn_nn_random_saturation(.4), .6, 1.4, richer);
    check_colour(vn_nn_random_hue(.2), -.4 * M_PI, .4 * M_PI, other_hue);
    vn_array *gray = vn_slice_at(pictures(), VN_SHAPE(0, 0, 0, 0), VN_SHAPE(N, H, W, 1));
    vn_module *m = vn_nn_random_hue(.2);
    CHECK(alike(vn_module_call(m, gray, NULL), gray, 0));
}

static void alone(void)
{
    vn_module *all[] = {
        vn_nn_random_flip(NULL),     vn_nn_random_crop(.3),       vn_nn_random_rotation(20, NULL), vn_nn_random_translation(.2, NULL),
        vn_nn_random_zoom(.2, NULL), vn_nn_random_brightness(.2), vn_nn_random_contrast(.2),       vn_nn_random_saturation(.2),
        vn_nn_random_hue(.1)};
    vn_array *x = pictures();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_module_train(all[k], 0);
        CHECK(alike(vn_module_call(all[k], x, NULL), x, 0)); /* in evaluation */
        vn_module_train(all[k], 1);
        CHECK(has_shape(vn_module_call(all[k], vn_zeros(VN_SHAPE(0, 4, 4, 3), VN_F32), NULL), VN_SHAPE(0, 4, 4, 3)));
        CHECK(vn_dtype_of(vn_module_call(all[k], vn_cast(x, VN_F64), NULL)) == VN_F64);
        CHECK_FAILS(vn_module_call(all[k], vn_ones(VN_SHAPE(4, 4), VN_F32), NULL), VN_E_SHAPE, "images (n, height, width, channels)");
    }
    CHECK_FAILS(vn_nn_random_flip(VN_OPTS(nn_random_flip, .prob = 1.5)), VN_E_ARG, "prob");
    CHECK_FAILS(vn_nn_random_flip(VN_OPTS(nn_random_flip, .direction = "up")), VN_E_ARG, "direction");
    CHECK_FAILS(vn_nn_random_crop(1), VN_E_ARG, "1 is not from 0 to 0.99");
    CHECK_FAILS(vn_nn_random_rotation(181, NULL), VN_E_ARG, "not from 0 to 180");
    CHECK_FAILS(vn_nn_random_translation(-.1, NULL), VN_E_ARG, "not from 0 to 1");
    CHECK_FAILS(vn_nn_random_zoom(NAN, NULL), VN_E_ARG, "not from 0 to 0.99");
    CHECK_FAILS(vn_nn_random_zoom(.1, VN_OPTS(nn_random_zoom, .fill = "none")), VN_E_ARG, "fill");
    CHECK_FAILS(vn_nn_random_hue(.6), VN_E_ARG, "not from 0 to 0.5");
}

static const conformance_test rows[] = {
    NN("nn/augment", "random_flip", flips, "each image mirrored or not, by its own number"),
    NN("nn/augment", "random_places", places, "images shifted, turned, zoomed and cropped, as a loop over pixels has them"),
    NN("nn/augment", "random_colours", colours, "brightness, contrast, saturation and hue of each image"),
    NN("nn/augment", "random_layers", alone, "x itself in evaluation; empty batches, dtypes, errors"),
};

const nn_part nn_augment = NN_PART(rows);
