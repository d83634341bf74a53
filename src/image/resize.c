/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c: images of another size, first along the rows, then along the columns. */
/* compiled for speed */
#include "image/image.h"
#include "base/minmax.h"
#include "core/memory.h"
#include <math.h>
#include <string.h>

enum { BITS = 22 }; /* of a weight's fraction: 8 bits of a pixel and a sign fit besides */

/* For each new pixel the first old one that counts, how many do, and their weights. */
typedef struct {
    int64_t most; /* weights of a pixel */
    int32_t *first, *n, *weight;
} weights;

static bool make_weights(int64_t from, int64_t to, weights *w)
{
    const double step = (double)from / (double)to, reach = fmax(step, 1);
    w->most = (int64_t)ceil(reach) * 2 + 1;
    w->first = vn__block_alloc_outside((size_t)(to * (w->most + 2)) * sizeof *w->first);
    if (!w->first) return false;
    w->n = w->first + to, w->weight = w->n + to;
    for (int64_t i = 0; i < to; i++) {
        const double centre = ((double)i + .5) * step;
        const int64_t first = vn__max((int64_t)(centre - reach + .5), 0), end = vn__min((int64_t)(centre + reach + .5), from);
        double sum = 0;
        for (int64_t k = first; k < end; k++) sum += fmax(0, 1 - fabs(((double)k - centre + .5) / reach));
        for (int64_t k = first; k < end; k++) {
            const double x = fmax(0, 1 - fabs(((double)k - centre + .5) / reach)) / sum;
            w->weight[i * w->most + k - first] = (int32_t)(.5 + x * (1 << BITS));
        }
        w->first[i] = (int32_t)first, w->n[i] = (int32_t)(end - first);
    }
    return true;
}

/* One line of n new pixels; steps are in bytes, from channel to channel 1. */
static void line(const weights *w, const unsigned char *from, int64_t from_step, unsigned char *to, int64_t to_step, int64_t n,
                 int channels)
{
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < channels; c++) {
            int64_t sum = 1 << (BITS - 1);
            const int32_t *x = w->weight + i * w->most;
            const unsigned char *p = from + w->first[i] * from_step + c;
            for (int32_t k = 0; k < w->n[i]; k++, p += from_step) sum += *p * (int64_t)x[k];
            to[i * to_step + c] = (unsigned char)vn__min(sum >> BITS, 255);
        }
    }
}

bool vn__resize(const unsigned char *from, const vn_picture *has, unsigned char *to, const vn_picture *wants)
{
    const int c = wants->channels;
    weights across = {0}, down = {0};
    unsigned char *wide = vn__block_alloc_outside((size_t)(has->height * wants->width * c));
    const bool room = wide && make_weights(has->width, wants->width, &across) && make_weights(has->height, wants->height, &down);
    for (int64_t y = 0; room && y < has->height; y++)
        line(&across, from + y * has->width * c, c, wide + y * wants->width * c, c, wants->width, c);
    for (int64_t x = 0; room && x < wants->width; x++)
        line(&down, wide + x * c, wants->width * c, to + x * c, wants->width * c, wants->height, c);
    vn__block_free(wide), vn__block_free(across.first), vn__block_free(down.first);
    return room;
}
