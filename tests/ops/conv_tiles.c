/* SPDX-License-Identifier: Apache-2.0 */
/* conv_tiles.c: convolutions and their gradients, at every level, of all numbers of positions and channels up to more than a tile has, so that every tile of the native
 * engine's kernels is met whole and cut at its edges, stored and added. Elements are small whole numbers: sums are exact, and equal to those of plain loops. */
/* ctest: seconds 2 */
/* ctest: sanitize */
#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

#define THRESHOLDS_SHARED
#include "../../engines/native/thresholds.h"

/* x (1, in, c), w (taps, c / groups, o), y (1, in - taps + 1, o). */
typedef struct shape {
    int64_t in, taps, c, o, groups;
} shape;

enum { MAX_SIZE = 1 << 16 };
static double x[MAX_SIZE], w[MAX_SIZE], y[MAX_SIZE], dx[MAX_SIZE], dw[MAX_SIZE], z[MAX_SIZE];

static void fill(double *to, int64_t n, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    CHECK(n <= MAX_SIZE);
    for (int64_t k = 0; k < n; k++) {
        state = state * 1664525u + 1013904223u;
        to[k] = (double)((int)(state >> 24) % 7 - 3);
    }
}

/* What should come out: z, and for the cotangent y the gradients dx and dw. */
static void convolve(const shape *s)
{
    const int64_t out = s->in - s->taps + 1, cg = s->c / s->groups, og = s->o / s->groups;
    memset(z, 0, (size_t)(out * s->o) * sizeof *z);
    memset(dx, 0, (size_t)(s->in * s->c) * sizeof *dx);
    memset(dw, 0, (size_t)(s->taps * cg * s->o) * sizeof *dw);
    for (int64_t p = 0; p < out; p++)
        for (int64_t t = 0; t < s->taps; t++)
            for (int64_t c = 0; c < cg; c++)
                for (int64_t o = 0; o < s->o; o++) {
                    const int64_t xi = (p + t) * s->c + o / og * cg + c, wi = (t * cg + c) * s->o + o, yi = p * s->o + o;
                    z[yi] += x[xi] * w[wi];
                    dx[xi] += y[yi] * w[wi];
                    dw[wi] += x[xi] * y[yi];
                }
}

static void compare(const char *what, const shape *s, vn_array *got, const double *want)
{
    const double *g = vn_data(vn_cast(got, VN_F64));
    const int64_t n = vn_size(got);
    int64_t k = 0;
    while (g && k < n && g[k] == want[k]) k++;
    if (g && k < n)
        fprintf(stderr, "%s, %s: in %lld taps %lld c %lld o %lld groups %lld: element %lld is %g, not %g\n", getenv("VINEA_ISA"), what,
                (long long)s->in, (long long)s->taps, (long long)s->c, (long long)s->o, (long long)s->groups, (long long)k, g[k], want[k]);
    CHECK(g && k == n);
}

static void check(const shape *s)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F64};
    const int64_t out = s->in - s->taps + 1;
    const vn_shape one = VN_SHAPE(1), none = VN_SHAPE(0, 0), xs = VN_SHAPE(1, s->in, s->c), ws = VN_SHAPE(s->taps, s->c / s->groups, s->o),
                   ys = VN_SHAPE(1, out, s->o);
    fill(x, s->in * s->c, 1), fill(w, s->taps * s->c / s->groups * s->o, 2), fill(y, out * s->o, 3);
    convolve(s);
    for (int d = 0; d < 2; d++) {
        VN_SCOPE;
        vn_array *ax = vn_cast(vn_from_host(x, VN_F64, xs), dtypes[d]), *aw = vn_cast(vn_from_host(w, VN_F64, ws), dtypes[d]);
        vn_array *ay = vn_cast(vn_from_host(y, VN_F64, ys), dtypes[d]);
        compare("conv", s, vn_conv(ax, aw, VN_OPTS(conv, .groups = s->groups)), z);
        compare("conv_input", s, vn__conv_input(ay, aw, one, none, one, s->groups, VN_SHAPE(s->in)), dx);
        compare("conv_filter", s, vn__conv_filter(ax, ay, one, none, one, s->groups, VN_SHAPE(s->taps)), dw);
    }
}

/* Up to 7 positions or channels in a tile, and two vectors of up to 16 channels. */
enum { ROWS = 15, COLUMNS = 35 };

TEST(tiles_that_are_stored)
{
    for (int64_t rows = 1; rows <= ROWS; rows++)
        for (int64_t o = 1; o <= COLUMNS; o += o < 18 ? 1 : 3) check(&(shape){rows + 1, 2, 9, o, 1});
}

/* More products than are added in registers (VN_CONV_CHUNK): the later ones join what was stored. */
TEST(tiles_that_are_added)
{
    for (int64_t rows = 1; rows <= ROWS; rows++)
        for (int64_t o = 1; o <= COLUMNS; o += o < 4 ? 1 : 5) check(&(shape){rows, 1, VN_CONV_CHUNK + 3, o, 1});
}

/* The gradient of a filter has a tile of input channels. */
TEST(tiles_of_filters)
{
    for (int64_t c = 1; c <= ROWS; c++)
        for (int64_t o = 1; o <= COLUMNS; o += o < 18 ? 1 : 3) check(&(shape){5, 1, c, o, 1});
}

/* Each channel by itself: 2 positions and 3 taps in a tile, up to 4 vectors; with more taps than are looked up at once (VN_WINDOW_TAPS) the later ones are added. */
TEST(one_channel_in_a_group)
{
    static const int64_t taps[] = {1, 2, 3, 4, VN_WINDOW_TAPS + 2};
    for (int k = 0; k < 5; k++)
        for (int64_t positions = 1; positions <= 3; positions++)
            for (int64_t c = 2; c <= 80; c += c < 20 ? 1 : 7) check(&(shape){positions + taps[k] - 1, taps[k], c, c, c});
}

/* Groups with one channel on one side have plain loops, several on both sides tiles. */
TEST(few_channels_in_a_group)
{
    for (int64_t taps = 1; taps <= VN_WINDOW_TAPS + 2; taps += taps < 3 ? 1 : VN_WINDOW_TAPS - 3) {
        check(&(shape){taps + 4, taps, 3, 6, 3});
        check(&(shape){taps + 4, taps, 6, 3, 3});
        check(&(shape){taps + 4, taps, 6, 4, 2});
        check(&(shape){taps + 4, taps, 34, 70, 2});
    }
}

TEST_MAIN_AT_EVERY_LEVEL_ON("1", "2")
