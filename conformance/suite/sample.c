/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: sampling for trials. The n-th sample of a case is a function of seed, test, case (or structure) and n, and is recorded;
 * prescribed choices, clamped to the requested range, replace samples, so that a case can be run again with other ones. */
#include "base/hash.h"
#include "suite.h"

#include <float.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t mix_text(uint64_t h, const char *s)
{
    return mix(vn__hash_bytes(h, s, strlen(s)));
}

/* 64 bits for sample number `at` of the trial. Structures do not depend on the dtype: all dtypes get the same shapes. */
static uint64_t bits_at(const trial *t, bool structure, int at)
{
    uint64_t h = mix_text(t->seed + UINT64_C(0x9e3779b97f4a7c15), t->test->id);
    h = mix(h + (uint64_t)(structure ? t->structure : t->number) * 2 + structure);
    if (!structure) h = mix(h + (uint64_t)t->dtype);
    return mix(h + (uint64_t)at * UINT64_C(0x9e3779b97f4a7c15));
}

/* The recorded place of the next sample; NULL when out of memory. */
static choice *next(trial *t)
{
    if (t->sampled >= t->room) {
        int room = t->room ? 2 * t->room : 64;
        choice *more = realloc(t->choices, (size_t)room * sizeof *more);
        if (!more) return NULL;
        t->choices = more;
        t->room = room;
    }
    return &t->choices[t->sampled++];
}

static double take(trial *t, double low, double high, bool whole, bool structure)
{
    int at = t->sampled;
    choice *c = next(t), spare;
    if (!c) c = &spare;
    double v;
    if (c != &spare && at < t->n_given) {
        v = fmin(fmax(c->value, low), high);
        if (whole) v = nearbyint(v);
    } else {
        double u = (double)(bits_at(t, structure, at) >> 11) * 0x1p-53;
        v = whole ? fmin(low + floor(u * (high - low + 1)), high) : low + (high - low) * u;
    }
    *c = (choice){v, low, high, whole, structure};
    t->n_choices = t->sampled;
    return v;
}

double sample_real(trial *t, double low, double high)
{
    return take(t, low, high, false, false);
}

int64_t sample_reals(trial *t, double *x, vn_shape s, double low, double high)
{
    int64_t n = shape_size(s);
    for (int64_t i = 0; i < n; i++) x[i] = sample_real(t, low, high);
    return n;
}

double sample_special(trial *t)
{
    double eps = number_epsilon(t->dtype), tiny = t->dtype == VN_F16 ? 0x1p-14 : t->dtype == VN_F64 ? DBL_MIN : FLT_MIN;
    double huge = t->dtype == VN_F16 ? 65504 : t->dtype == VN_F64 ? DBL_MAX : t->dtype == VN_F32 ? FLT_MAX : 0x1.fep127;
    const double special[] = {0, 1, -0., -1, INFINITY, -INFINITY, NAN, tiny, -tiny, tiny * eps, huge, -huge, 1 + eps};
    int n = (int)(sizeof special / sizeof *special), k = (int)take(t, 0, 2 * n, true, false);
    return k < n ? special[k] : sample_real(t, -3, 3);
}

uint64_t sample_seed(trial *t)
{
    return (uint64_t)take(t, 0, 0x1p52, true, false);
}

int64_t sample_int(trial *t, int64_t low, int64_t high)
{
    return (int64_t)take(t, (double)low, (double)high, true, true);
}

bool sample_switch(trial *t)
{
    return sample_int(t, 0, 1);
}

int sample_variant(trial *t, int n)
{
    int at = t->sampled, v = t->structure % n;
    choice *c = next(t);
    if (!c) return v;
    if (at < t->n_given) v = (int)fmin(fmax(c->value, 0), n - 1);
    *c = (choice){v, v, v, true, true}; /* not minimised: another variant is another test */
    t->n_choices = t->sampled;
    return v;
}

static const vn_shape *shapes_to_sample(int *n)
{
    static const vn_shape shapes[] = {{.rank = 0},
                                      {.rank = 1, .dim = {1}},
                                      {.rank = 1, .dim = {3}},
                                      {.rank = 1, .dim = {17}},
                                      {.rank = 1, .dim = {0}},
                                      {.rank = 2, .dim = {2, 3}},
                                      {.rank = 2, .dim = {1, 4}},
                                      {.rank = 2, .dim = {8, 5}},
                                      {.rank = 2, .dim = {3, 0}},
                                      {.rank = 3, .dim = {2, 1, 3}},
                                      {.rank = 3, .dim = {2, 3, 4}},
                                      {.rank = 4, .dim = {1, 2, 3, 2}}};
    *n = (int)(sizeof shapes / sizeof *shapes);
    return shapes;
}

vn_shape sample_shape(trial *t, int low_rank, int high_rank)
{
    vn_shape fitting[12];
    int all, n = 0;
    const vn_shape *shapes = shapes_to_sample(&all);
    for (int i = 0; i < all; i++)
        if (shapes[i].rank >= low_rank && shapes[i].rank <= high_rank) fitting[n++] = shapes[i];
    return n ? fitting[sample_int(t, 0, n - 1)] : VN_0D;
}

vn_shape sample_broadcast(trial *t, vn_shape s)
{
    int out = (int)sample_int(t, 0, s.rank);
    vn_shape b = {.rank = s.rank - out};
    for (int k = 0; k < b.rank; k++) b.dim[k] = sample_switch(t) ? 1 : s.dim[out + k];
    return b;
}
