/* SPDX-License-Identifier: Apache-2.0 */
/* image_objects.c: suppress (boxes that overlap a better one) and label (groups of neighbouring pixels). */
#include "internal.h"
#include <math.h>

#define THRESHOLDS_IMAGE_OBJECTS
#include "thresholds.h"

typedef vn__whole_job job;

/* ---- suppress ---- */

enum { LEFT, TOP, RIGHT, BOTTOM, SIDES };

static double area(const double *b)
{
    return (b[RIGHT] - b[LEFT]) * (b[BOTTOM] - b[TOP]);
}

/* Does what both cover exceed a part of what either covers? */
static bool overlaps(const double *a, const double *b, double part)
{
    const double width = fmin(a[RIGHT], b[RIGHT]) - fmax(a[LEFT], b[LEFT]), height = fmin(a[BOTTOM], b[BOTTOM]) - fmax(a[TOP], b[TOP]);
    const double both = width > 0 && height > 0 ? width * height : 0;
    return both / (area(a) + area(b) - both) > part;
}

static void run_suppress(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    const double *boxes = (const double *)(const void *)run->slots[w->in[0]], part = *(const double *)w->plan;
    const int64_t *class = (const int64_t *)(const void *)run->slots[w->in[1]], n = w->out_desc.count;
    int64_t *kept = (int64_t *)(void *)run->slots[w->out];
    for (int64_t i = 0; i < n; i++) kept[i] = 1;
    for (int64_t i = 0; i < n; i++) {
        if (!kept[i]) continue;
        for (int64_t j = i + 1; j < n; j++)
            if (kept[j] && class[i] == class[j] && overlaps(boxes + i * SIDES, boxes + j * SIDES, part)) kept[j] = 0;
    }
}

int vn__native_prepare_suppress(vn__graph *g, vn__whole *w)
{
    double *part = w->plan = vn__native_whole_keep(g, sizeof *part);
    if (!part) return vn__native_no_memory();
    *part = w->instr->options[0].u.f;
    w->kernel.run = run_suppress;
    return VN_OK;
}

/* ---- label ---- */

typedef struct {
    int64_t images, height, width;
    bool diagonal;
} plan;

/* While pixels are joined, a pixel holds 1 + the number of an earlier pixel of its group, or of itself if it is the first: a tree whose root
 * is the group's first pixel. */
static int64_t root_of(int64_t *at, int64_t k)
{
    while (at[k] - 1 != k) k = (at[k] = at[at[k] - 1]) - 1; /* shortens the path for the next */
    return k;
}

static void join(int64_t *at, int64_t k, int64_t earlier)
{
    if (!at[earlier]) return;
    const int64_t a = root_of(at, k), b = root_of(at, earlier), first = vn__min(a, b);
    at[a] = at[b] = at[k] = first + 1;
}

static void one_image(void *context, int64_t n, int lane)
{
    (void)lane;
    const job *j = context;
    const plan *p = j->w->plan;
    const int64_t w = p->width, size = p->height * w;
    const int64_t *x = (const int64_t *)(const void *)j->run->slots[j->w->in[0]] + n * size;
    int64_t *at = (int64_t *)(void *)j->run->slots[j->w->out] + n * size, groups = 0;
    for (int64_t k = 0; k < size; k++) {
        const int64_t column = k % w;
        at[k] = x[k] ? k + 1 : 0;
        if (!x[k]) continue;
        if (column) join(at, k, k - 1);
        if (k >= w) join(at, k, k - w);
        if (k >= w && p->diagonal && column) join(at, k, k - w - 1);
        if (k >= w && p->diagonal && column < w - 1) join(at, k, k - w + 1);
    }
    for (int64_t k = 0; k < size; k++) /* earlier pixels have their numbers already */
        if (at[k]) at[k] = at[k] - 1 == k ? ++groups : at[at[k] - 1];
}

static void run_label(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    vn__native_parallel(run->lanes, ((const plan *)j.w->plan)->images, one_image, &j);
}

int vn__native_prepare_label(vn__graph *g, vn__whole *w)
{
    plan *p = w->plan = vn__native_whole_keep(g, sizeof *p);
    if (!p) return vn__native_no_memory();
    const vn_desc *x = &w->in_desc[0];
    const bool many = x->rank == 3;
    *p = (plan){many ? x->dims[0] : 1, x->dims[many], x->dims[many + 1], w->instr->options[0].u.i != 0};
    w->kernel.run = run_label;
    w->kernel.parallel = x->count >= PARALLEL;
    return VN_OK;
}
