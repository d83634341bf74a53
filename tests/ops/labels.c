/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c: connected_components of images of real sizes, on one and several threads, against a flood fill; also of a spiral, whose groups
 * join late and often. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

typedef struct {
    int64_t images, height, width;
    bool diagonal;
} size;

/* Numbers the group that pixel `from` belongs to; `todo` has room for all pixels. */
static void flood(const size *s, const uint8_t *x, int64_t *to, int64_t from, int64_t number, int64_t *todo)
{
    int64_t n = 0;
    to[from] = number;
    todo[n++] = from;
    while (n) {
        const int64_t at = todo[--n], row = at / s->width, column = at % s->width;
        for (int64_t dy = -1; dy <= 1; dy++) {
            for (int64_t dx = -1; dx <= 1; dx++) {
                const int64_t y = row + dy, z = column + dx, k = y * s->width + z;
                if (y < 0 || y >= s->height || z < 0 || z >= s->width || (dy && dx && !s->diagonal) || !x[k] || to[k]) continue;
                to[k] = number;
                todo[n++] = k;
            }
        }
    }
}

static bool same_as_flood(const size *s, const uint8_t *x)
{
    const int64_t pixels = s->height * s->width;
    int64_t *want = calloc((size_t)(s->images * pixels), sizeof *want), *todo = malloc((size_t)pixels * sizeof *todo);
    bool same = want && todo;
    VN_SCOPE;
    vn_array *image = vn_from_host(x, VN_U8, VN_SHAPE(s->images, s->height, s->width));
    const int64_t *got = vn_data(vn_connected_components(image, VN_OPTS(connected_components, .diagonal = s->diagonal)));
    for (int64_t i = 0; same && i < s->images; i++) {
        int64_t groups = 0;
        for (int64_t k = 0; k < pixels; k++)
            if (x[i * pixels + k] && !want[i * pixels + k]) flood(s, x + i * pixels, want + i * pixels, k, ++groups, todo);
    }
    same = same && got && !memcmp(got, want, (size_t)(s->images * pixels) * sizeof *want);
    free(want);
    free(todo);
    return same;
}

static void on_threads(const size *s, const uint8_t *x)
{
    static const char *const threads[] = {"1", "3"};
    for (int t = 0; t < 2; t++) {
        vn_close();
        setenv("VINEA_THREADS", threads[t], 1);
        CHECK(same_as_flood(s, x));
    }
    vn_close();
    unsetenv("VINEA_THREADS");
}

TEST(noise)
{
    static const size sizes[] = {{1, 63, 65, false}, {1, 64, 65, true}, {5, 157, 211, false}, {5, 157, 211, true}};
    for (int k = 0; k < 4; k++) {
        const int64_t n = sizes[k].images * sizes[k].height * sizes[k].width;
        uint8_t *x = malloc((size_t)n);
        uint32_t noise = 1;
        for (int64_t i = 0; i < n && x; i++) x[i] = (noise = noise * 1664525 + 1013904223) >> 24 < (k & 1 ? 100 : 150);
        CHECK(x != NULL);
        if (x) on_threads(&sizes[k], x);
        free(x);
    }
}

/* Two arms, one wall apart. */
TEST(spiral)
{
    const size s = {1, 401, 401, false};
    uint8_t *x = calloc((size_t)(s.height * s.width), 1);
    CHECK(x != NULL);
    for (int64_t row = 0; row < s.height && x; row++) {
        for (int64_t column = 0; column < s.width; column++) {
            const double dy = (double)(row - s.height / 2), dx = (double)(column - s.width / 2);
            x[row * s.width + column] = sin(atan2(dy, dx) * 2 + hypot(dx, dy) * .7) > -.2;
        }
    }
    if (x) on_threads(&s, x);
    free(x);
}

int main(void)
{
    run_tests();
    return finish();
}
