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

static double sampled[3][N];

static void shifted(int n, double y, double x, double *v, double *u)
{
    *v = y + sampled[0][n] * H, *u = x + sampled[1][n] * W;
}

static void rotated(int n, double y, double x, double *v, double *u)
{
    const double dy = y - (H - 1) / 2., dx = x - (W - 1) / 2., c = cos(sampled[0][n]), s = sin(sampled[0][n]);
    *v = (H - 1) / 2. + c * dy - s * dx, *u = (W - 1) / 2. + s * dy + c * dx;
}

static void zoomed(int n, double y, double x, double *v, double *u)
{
    *v = (H - 1) / 2. + sampled[0][n] * (y - (H - 1) / 2.), *u = (W - 1) / 2. + sampled[0][n] * (x - (W - 1) / 2.);
}

static void cropped(int n, double y, double x, double *v, double *u)
{
    const double side = sampled[0][n], rest = (1 - side) / 2;
    *v = (H - 1) / 2. + side * (y - (H - 1) / 2.) + rest * sampled[1][n] * H;
    *u = (W - 1) / 2. + side * (x - (W - 1) / 2.) + rest * sampled[2][n] * W;
}

static void leaning(int n, double y, double x, double *v, double *u)
{
    const double dy = y - (H - 1) / 2., dx = x - (W - 1) / 2.;
    *v = y + sampled[1][n] * dx, *u = x + sampled[0][n] * dy;
}

/* A projective map that takes the corners of the result, moved inwards, to those of the image: eight equations, eliminated. */
static double corners[N][8], map_of[N][8];

static void find_maps(void)
{
    static const double at[4][2] = {{0, 0}, {W - 1, 0}, {0, H - 1}, {W - 1, H - 1}};
    for (int n = 0; n < N; n++) {
        double a[8][9];
        for (int k = 0; k < 4; k++) {
            const double x = at[k][0] + (k % 2 ? -1 : 1) * corners[n][2 * k] * (W - 1) / 2,
                         y = at[k][1] + (k / 2 ? -1 : 1) * corners[n][2 * k + 1] * (H - 1) / 2;
            const double across[9] = {x, y, 1, 0, 0, 0, -x * at[k][0], -y * at[k][0], at[k][0]},
                         down[9] = {0, 0, 0, x, y, 1, -x * at[k][1], -y * at[k][1], at[k][1]};
            memcpy(a[2 * k], across, sizeof across), memcpy(a[2 * k + 1], down, sizeof down);
        }
        for (int c = 0; c < 8; c++) {
            int best = c;
            for (int r = c; r < 8; r++)
                if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
            for (int k = 0; k < 9; k++) {
                const double kept = a[c][k];
                a[c][k] = a[best][k], a[best][k] = kept;
            }
            for (int r = 0; r < 8; r++) {
                const double f = a[r][c] / a[c][c];
                for (int k = c; k < 9 && r != c; k++) a[r][k] -= f * a[c][k];
            }
        }
        for (int c = 0; c < 8; c++) map_of[n][c] = a[c][8] / a[c][c];
    }
}

static void seen(int n, double y, double x, double *v, double *u)
{
    const double *m = map_of[n], k = m[6] * x + m[7] * y + 1;
    *u = (m[0] * x + m[1] * y + m[2]) / k, *v = (m[3] * x + m[4] * y + m[5]) / k;
}

/* Noise, smoothed by a filter that sums to 1, with zeros outside. */
static double noise[N][H][W][2], moves[N][H][W][2];

static void smooth_noise(double sigma)
{
    const int half = (int)ceil(3 * sigma);
    double w[64], sum = 0;
    for (int k = -half; k <= half; k++) sum += w[k + half] = exp(-.5 * k * k / (sigma * sigma));
    for (int i = 0; i < N * H * W * 2; i++) {
        const int n = i / (H * W * 2), y = i / (W * 2) % H, x = i / 2 % W, c = i % 2;
        moves[n][y][x][c] = 0;
        for (int a = -half; a <= half; a++)
            for (int b = -half; b <= half; b++)
                if (y + a >= 0 && y + a < H && x + b >= 0 && x + b < W)
                    moves[n][y][x][c] += w[a + half] * w[b + half] * noise[n][y + a][x + b][c] / (sum * sum);
    }
}

static void rippled(int n, double y, double x, double *v, double *u)
{
    *v = y + moves[n][(int)y][(int)x][1], *u = x + moves[n][(int)y][(int)x][0];
}

static void more_places(void)
{
    static const char *const fills[] = {"reflect", "nearest", "zero"};
    for (int k = 0; k < 3; k++) {
        vn_seed(7), next(-.4, .4, sampled[0]), next(-.4, .4, sampled[1]);
        check_places(vn_nn_random_shear(.4, VN_OPTS(nn_random_shear, .fill = fills[k])), leaning, fills[k]);
        vn_seed(7), vn_read(vn_cast(vn_random_uniform(0, .6, VN_SHAPE(N, 4, 2)), VN_F64), corners, sizeof corners), find_maps();
        check_places(vn_nn_random_perspective(.6, VN_OPTS(nn_random_perspective, .fill = fills[k])), seen, fills[k]);
        vn_seed(7), vn_read(vn_cast(vn_random_uniform(-9, 9, VN_SHAPE(N, H, W, 2)), VN_F64), noise, sizeof noise), smooth_noise(.8);
        check_places(vn_nn_random_elastic(9, VN_OPTS(nn_random_elastic, .sigma = .8, .fill = fills[k])), rippled, fills[k]);
    }
}

static void places(void)
{
    static const char *const fills[] = {"reflect", "nearest", "zero"};
    for (int k = 0; k < 3; k++) {
        vn_seed(7), next(-.4, .4, sampled[0]), next(-.4, .4, sampled[1]);
        check_places(vn_nn_random_translation(.4, VN_OPTS(nn_random_translation, .fill = fills[k])), shifted, fills[k]);
        vn_seed(7), next(-M_PI / 3, M_PI / 3, sampled[0]);
        check_places(vn_nn_random_rotation(60, VN_OPTS(nn_random_rotation, .fill = fills[k])), rotated, fills[k]);
        vn_seed(7), next(.5, 1.5, sampled[0]);
        check_places(vn_nn_random_zoom(.5, VN_OPTS(nn_random_zoom, .fill = fills[k])), zoomed, fills[k]);
    }
    vn_seed(7), next(.6, 1, sampled[0]), next(-1, 1, sampled[1]), next(-1, 1, sampled[2]);
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

static double grayer(double f, int n, int y, int x, int c)
{
    return richer(f, n, y, x, c);
}

static double smoothed(int n, int y, int x, int c)
{
    double sum = 4 * pixel_at(n, y, x, c);
    if (y == 0 || y == H - 1 || x == 0 || x == W - 1) return pixel_at(n, y, x, c);
    for (int k = 0; k < 9; k++) sum += pixel_at(n, y + k / 3 - 1, x + k % 3 - 1, c);
    return sum / 13;
}

static double crisper(double f, int n, int y, int x, int c)
{
    const double from = smoothed(n, y, x, c);
    return fmin(fmax(from + f * (pixel_at(n, y, x, c) - from), 0), 1);
}

static double softer(double f, int n, int y, int x, int c)
{
    double sum = 0, total = 0;
    for (int k = 0; k < 25; k++) {
        const int a = k / 5 - 2, b = k % 5 - 2;
        const double w = exp(-.5 * (a * a + b * b) / (f * f));
        sum += w * outside(n, y + a, x + b, c, "nearest"), total += w;
    }
    return sum / total;
}

/* The layers that change an image or do not, with a number for each; of: the change. */
static void check_chance(vn_module *m, double prob, vn_array *changed)
{
    double f[N];
    vn_seed(9), next(0, 1, f);
    vn_seed(9), vn_module_train(m, 1);
    vn_array *z = vn_module_call(m, pictures(), NULL), *x = pictures();
    for (int n = 0; n < N; n++) CHECK(alike(vn_rows(z, n, 1), vn_rows(f[n] < prob ? changed : x, n, 1), 1e-6));
}

static void tones(void)
{
    vn_array *x = pictures(), *parts[3];
    check_colour(vn_nn_random_color_degeneration(.7), .3, 1, grayer);
    check_colour(vn_nn_random_sharpness(.8), .2, 1.8, crisper);
    check_colour(vn_nn_random_blur(2, VN_OPTS(nn_random_blur, .taps = 5)), .1, 2, softer);
    vn_split(x, 3, (const int64_t[]){1, 1, 1}, -1, parts);
    vn_array *gray =
        vn_add(vn_add(vn_mul(parts[0], vn_scalar(.299)), vn_mul(parts[1], vn_scalar(.587))), vn_mul(parts[2], vn_scalar(.114)));
    check_chance(vn_nn_random_gray(.5), .5, vn_broadcast_to(gray, vn_shape_of(x)));
    check_chance(vn_nn_random_invert(.5), .5, vn_sub(vn_scalar(1), x));
    check_chance(vn_nn_random_auto_contrast(.6), .6, vn_auto_contrast(x, 1));
    check_chance(vn_nn_random_equalize(.6), .6, vn_equalize(x, 256, 1));
    check_chance(vn_nn_random_posterize(.6, VN_OPTS(nn_random_posterize, .bits = 2)), .6, vn_posterize(x, 2, 1));
    check_chance(vn_nn_random_solarize(.6, VN_OPTS(nn_random_solarize, .threshold = .3)), .6, vn_solarize(x, .3, 1));
    vn_array *flat = vn_full(vn_scalar(.25), VN_SHAPE(1, 4, 4, 1), VN_F32); /* one value stays as it is */
    CHECK(alike(vn_auto_contrast(flat, 1), flat, 0));
    vn_module *jitter = vn_nn_random_color_jitter(NULL);
    vn_seed(5), vn_module_train(jitter, 1);
    vn_array *z = vn_module_call(jitter, x, NULL), *want = x;
    vn_module *each[] = {vn_nn_random_brightness(.2), vn_nn_random_contrast(.2), vn_nn_random_saturation(.2), vn_nn_random_hue(.05)};
    vn_seed(5);
    for (int k = 0; k < 4; k++) vn_module_train(each[k], 1), want = vn_module_call(each[k], want, NULL);
    CHECK(alike(z, want, 1e-6));
}

/* A rectangle of each image, and nothing else, has the value. */
static void holes(void)
{
    double height[N], top[N], width[N], left[N];
    vn_seed(11), next(0, .9, height), next(0, 1, top), next(0, .9, width), next(0, 1, left);
    vn_module *m = vn_nn_random_erasing(.9, VN_OPTS(nn_random_erasing, .value = 7));
    vn_seed(11), vn_module_train(m, 1);
    vn_array *z = vn_cast(vn_module_call(m, pictures(), NULL), VN_F64);
    const double *got = z ? vn_data(z) : NULL;
    int wrong = !got, holes = 0;
    for (int i = 0; got && i < N * H * W * C; i++) {
        const int n = i / (H * W * C), y = i / (W * C) % H, x = i / C % W;
        const double from_y = top[n] * (1 - height[n]), from_x = left[n] * (1 - width[n]), v = (double)y / H, u = (double)x / W;
        const int hole = v >= from_y && v < from_y + height[n] && u >= from_x && u < from_x + width[n];
        holes += hole;
        wrong += fabs(got[i] - (hole ? 7 : pixel_at(n, y, x, i % C))) > 1e-6;
    }
    CHECK(!wrong && holes > 0);
}

static void mixes(void)
{
    vn_array *x = pictures(), *y = vn_from((float[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, VN_SHAPE(N, N)), *rest;
    vn_module *m = vn_nn_mix_up(.4), *cut = vn_nn_cut_mix(1);
    vn_seed(13);
    vn_array *share = vn_random_beta(.4, .4, VN_SHAPE(N, 1, 1, 1)), *order = vn_random_permutation(N);
    vn_module_train(m, 1), vn_module_train(cut, 1);
    vn_seed(13);
    vn_tree *z = vn_module_call_tree(m, vn_tree_of("x", x, "y", y, NULL), NULL);
    rest = vn_sub(vn_scalar(1), share);
    CHECK(alike(vn_tree_get(z, "x"), vn_add(vn_mul(x, share), vn_mul(vn_take(x, order, 0), rest)), 1e-6));
    share = vn_reshape(share, VN_SHAPE(N, 1)), rest = vn_reshape(rest, VN_SHAPE(N, 1));
    CHECK(alike(vn_tree_get(z, "y"), vn_add(vn_mul(y, share), vn_mul(vn_take(y, order, 0), rest)), 1e-6));
    vn_seed(13);
    vn_array *kept = vn_random_beta(1, 1, VN_SHAPE(N, 1, 1, 1)), *other = vn_take(x, vn_random_permutation(N), 0);
    vn_seed(13);
    z = vn_module_call_tree(cut, vn_tree_of("x", x, "y", y, NULL), NULL);
    vn_array *own = vn_mean(vn_cast(vn_equal(vn_tree_get(z, "x"), x), VN_F32), VN_AXES(1, 2, 3)); /* at least what the label says */
    vn_array *mine = vn_sum(vn_mul(vn_tree_get(z, "y"), y), VN_AXES(1));
    CHECK(vn_item(vn_all(vn_less_equal(mine, vn_add(own, vn_scalar(1e-5))), VN_ALL)) == 1 && vn_item(vn_min(mine, VN_ALL)) < 1);
    CHECK(vn_item(vn_all(vn_greater_equal(vn_add(mine, vn_scalar(.35)), vn_flatten(kept)), VN_ALL)) == 1); /* up to whole pixels */
    vn_array *from = vn_logical_or(vn_equal(vn_tree_get(z, "x"), x), vn_equal(vn_tree_get(z, "x"), other));
    CHECK(vn_item(vn_all(from, VN_ALL)) == 1);
    CHECK(alike(vn_sum(vn_tree_get(z, "y"), VN_AXES(1)), vn_ones(VN_SHAPE(N), VN_F32), 1e-5));
    CHECK_FAILS(vn_module_call(m, x, NULL), VN_E_STRUCT, "labels y of floats");
    CHECK_FAILS(vn_module_call_tree(m, vn_tree_of("x", x, "y", vn_arange(0, N, 1, VN_I64), NULL), NULL), VN_E_STRUCT, "labels y of floats");
    vn_module_train(m, 0);
    CHECK(alike(vn_tree_get(vn_module_call_tree(m, vn_tree_of("x", x, NULL), NULL), "x"), x, 0));
    CHECK_FAILS(vn_nn_mix_up(0), VN_E_ARG, "a number from 0.001 to 1000 is needed");
}

/* Many images of one value each show which of the changes occur; chains stay between the images. */
static void choices(void)
{
    vn_module *m = vn_nn_rand_augment(.5, VN_OPTS(nn_rand_augment, .changes = 1)),
              *mix = vn_nn_aug_mix(.3, VN_OPTS(nn_aug_mix, .chains = 2, .depth = 2));
    vn_module_train(m, 1), vn_module_train(mix, 1);
    vn_array *x = vn_broadcast_to(vn_rows(pictures(), 0, 1), VN_SHAPE(64, H, W, C));
    vn_seed(17);
    vn_array *z = vn_module_call(m, x, NULL), *away = vn_max(vn_abs(vn_sub(z, x)), VN_AXES(1, 2, 3));
    const double changed = vn_item(vn_sum(vn_cast(vn_greater(away, vn_scalar(1e-4)), VN_F32), VN_ALL));
    CHECK(changed >= 32 && changed < 64); /* of 14, two or three leave this small image as it is */
    CHECK(vn_item(vn_min(z, VN_ALL)) >= 0 && vn_item(vn_max(z, VN_ALL)) <= 1);
    vn_seed(17);
    CHECK(alike(vn_module_call(m, x, NULL), z, 0)); /* the seed decides */
    vn_seed(17);
    vn_array *chosen = vn_random_randint(0, 14, VN_SHAPE(64, 1, 1, 1));
    vn_array *dark = vn_reshape(vn_equal(chosen, vn_scalar_int(10)), VN_SHAPE(64)); /* solarized, all by the same threshold */
    vn_array *want = vn_max(vn_abs(vn_sub(z, vn_solarize(x, .5, 1))), VN_AXES(1, 2, 3));
    CHECK(vn_item(vn_sum(vn_cast(dark, VN_F32), VN_ALL)) > 0);
    CHECK(vn_item(vn_max(vn_where(dark, want, vn_scalar(0)), VN_ALL)) < 1e-6);
    vn_array *mixed = vn_module_call(mix, x, NULL);
    CHECK(has_shape(mixed, vn_shape_of(x)) && vn_item(vn_min(mixed, VN_ALL)) >= -1e-6 && vn_item(vn_max(mixed, VN_ALL)) <= 1 + 1e-6);
    CHECK(vn_item(vn_max(vn_abs(vn_sub(mixed, x)), VN_ALL)) > 1e-2);
}

static void alone(void)
{
    vn_module *all[] = {vn_nn_random_flip(NULL),
                        vn_nn_random_crop(.3),
                        vn_nn_random_rotation(20, NULL),
                        vn_nn_random_translation(.2, NULL),
                        vn_nn_random_zoom(.2, NULL),
                        vn_nn_random_brightness(.2),
                        vn_nn_random_contrast(.2),
                        vn_nn_random_saturation(.2),
                        vn_nn_random_hue(.1),
                        vn_nn_random_shear(.2, NULL),
                        vn_nn_random_perspective(.2, NULL),
                        vn_nn_random_elastic(3, NULL),
                        vn_nn_random_color_jitter(NULL),
                        vn_nn_random_color_degeneration(.5),
                        vn_nn_random_gray(.5),
                        vn_nn_random_invert(.5),
                        vn_nn_random_auto_contrast(.5),
                        vn_nn_random_equalize(.5),
                        vn_nn_random_posterize(.5, NULL),
                        vn_nn_random_solarize(.5, NULL),
                        vn_nn_random_sharpness(.5),
                        vn_nn_random_blur(1, NULL),
                        vn_nn_random_erasing(.5, NULL),
                        vn_nn_rand_augment(.5, NULL),
                        vn_nn_aug_mix(.3, VN_OPTS(nn_aug_mix, .chains = 1, .depth = 1))};
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
    CHECK_FAILS(vn_nn_random_crop(1), VN_E_ARG, "part is 1; a number from 0 to 0.99 is needed");
    CHECK_FAILS(vn_nn_random_rotation(181, NULL), VN_E_ARG, "a number from 0 to 180 is needed");
    CHECK_FAILS(vn_nn_random_translation(-.1, NULL), VN_E_ARG, "a number from 0 to 1 is needed");
    CHECK_FAILS(vn_nn_random_zoom(NAN, NULL), VN_E_ARG, "a number from 0 to 0.99 is needed");
    CHECK_FAILS(vn_nn_random_zoom(.1, VN_OPTS(nn_random_zoom, .fill = "none")), VN_E_ARG, "fill");
    CHECK_FAILS(vn_nn_random_hue(.6), VN_E_ARG, "a number from 0 to 0.5 is needed");
    CHECK_FAILS(vn_nn_random_shear(2, NULL), VN_E_ARG, "a number from 0 to 1 is needed");
    CHECK_FAILS(vn_nn_random_perspective(1, NULL), VN_E_ARG, "a number from 0 to 0.9 is needed");
    CHECK_FAILS(vn_nn_random_elastic(1, VN_OPTS(nn_random_elastic, .sigma = -1)), VN_E_ARG, "sigma");
    CHECK_FAILS(vn_nn_random_color_jitter(VN_OPTS(nn_random_color_jitter, .hue = .6)), VN_E_ARG, "hue");
    CHECK_FAILS(vn_nn_random_gray(-1), VN_E_ARG, "a number from 0 to 1 is needed");
    CHECK_FAILS(vn_nn_random_posterize(.5, VN_OPTS(nn_random_posterize, .bits = 31)), VN_E_ARG, "bits");
    CHECK_FAILS(vn_nn_random_solarize(.5, VN_OPTS(nn_random_solarize, .threshold = 2)), VN_E_ARG, "threshold");
    CHECK_FAILS(vn_nn_random_blur(1, VN_OPTS(nn_random_blur, .taps = 4)), VN_E_ARG, "an odd number");
    CHECK_FAILS(vn_nn_random_erasing(NAN, NULL), VN_E_ARG, "a number from 0 to 1 is needed");
    CHECK_FAILS(vn_nn_rand_augment(2, NULL), VN_E_ARG, "a number from 0 to 1 is needed");
    CHECK_FAILS(vn_nn_aug_mix(.3, VN_OPTS(nn_aug_mix, .chains = 17)), VN_E_ARG, "chains");
}

static const conformance_test rows[] = {
    NN("nn/augment", "random_flip", flips, "each image mirrored or not, by its own number"),
    NN("nn/augment", "random_places", places, "images shifted, rotated, zoomed and cropped, as a loop over pixels has them"),
    NN("nn/augment", "random_colours", colours, "brightness, contrast, saturation and hue of each image"),
    NN("nn/augment", "random_perspective", more_places, "images leaning, seen from a side and rippled, as a loop over pixels has them"),
    NN("nn/augment", "random_tones", tones, "images towards gray, inverted, in fewer levels, equalised, sharper and smoother"),
    NN("nn/augment", "random_erasing", holes, "a rectangle of each image has another value"),
    NN("nn/augment", "mix_up", mixes, "images and labels mixed by the same shares, whole or by rectangles"),
    NN("nn/augment", "rand_augment", choices, "one of many changes for each image, and chains of them"),
    NN("nn/augment", "random_layers", alone, "x itself in evaluation; empty batches, dtypes, errors"),
};

const nn_part nn_augment = NN_PART(rows);
