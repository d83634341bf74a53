/* SPDX-License-Identifier: Apache-2.0 */
/* seeds_random.c: random numbers: dtype, range and moments, and that a key determines the sequence. Bounds are five standard deviations.
 */
#include "seeds.h"

static bool all_true(vn_array *x)
{
    return vn_item_int(vn_all(x, VN_ALL)) == 1;
}

void seed_random_uniform(trial *t)
{
    vn_shape s = VN_SHAPE(40, 50);
    uint64_t key = sample_seed(t);
    vn_array *low = vn_full(vn_scalar(-3), s, t->dtype), *high = vn_full(vn_scalar(5), s, t->dtype);
    vn_array *z = vn_uniform(vn_random_key_of(key), low, high, s, t->dtype),
             *again = vn_uniform(vn_random_key_of(key), low, high, s, t->dtype);
    trial_explain(t, z);
    EXPECT(t, CHECK_DTYPE, vn_dtype_of(z) == t->dtype);
    EXPECT(t, CHECK_VALUE, all_true(vn_equal(z, again)));
    EXPECT(t, CHECK_VALUE, all_true(vn_logical_and(vn_greater_equal(z, low), vn_less(z, high))));
    double mean = vn_item(vn_mean(vn_cast(z, VN_F64), VN_ALL));
    EXPECT(t, CHECK_VALUE, fabs(mean - 1) < 5 * 8 / sqrt(12. * 2000));
}

void seed_random_normal(trial *t)
{
    vn_shape s = VN_SHAPE(100, 100);
    uint64_t key = t->number ? sample_seed(t) : 0; /* 0 is a seed like any other */
    vn_array *mean = vn_full(vn_scalar(-3), s, t->dtype), *std = vn_full(vn_scalar(2), s, t->dtype);
    vn_array *z = vn_normal(vn_random_key_of(key), mean, std, s, t->dtype),
             *again = vn_normal(vn_random_key_of(key), mean, std, s, t->dtype);
    vn_array *wide = vn_cast(z, VN_F64);
    double rounding = 3 * number_epsilon(t->dtype);
    trial_explain(t, z);
    EXPECT(t, CHECK_DTYPE, vn_dtype_of(z) == t->dtype);
    EXPECT(t, CHECK_VALUE, all_true(vn_equal(z, again)));
    EXPECT(t, CHECK_VALUE, fabs(vn_item(vn_mean(wide, VN_ALL)) + 3) < 5 * 2 / 100. + rounding);
    EXPECT(t, CHECK_VALUE, fabs(vn_item(vn_std(wide, VN_ALL, 0)) - 2) < 5 * 2 / sqrt(2e4) + rounding);
    EXPECT(t, CHECK_VALUE, vn_item(vn_normal(vn_random_key_of(1), vn_scalar(4), vn_scalar(0), VN_0D, VN_F32)) == 4);
    EXPECT_FAILS(t, vn_random_normal(0, -1, VN_SHAPE(2)), VN_E_ARG, "non-negative");
}

void seed_multinomial(trial *t)
{
    double w[] = {1, 0, 3, 4}, got[8000], seen[4] = {0}, once[3];
    uint64_t key = sample_seed(t);
    vn_array *weights = trial_input(t, "weights", w, VN_SHAPE(4), t->dtype);
    vn_array *z = vn_multinomial(vn_random_key_of(key), weights, 8000, NULL),
             *again = vn_multinomial(vn_random_key_of(key), weights, 8000, NULL);
    trial_explain(t, z);
    EXPECT(t, CHECK_DTYPE, vn_dtype_of(z) == VN_I64);
    EXPECT(t, CHECK_SHAPE, vn_rank(z) == 1);
    EXPECT(t, CHECK_VALUE, all_true(vn_equal(z, again)));
    if (!EXPECT(t, CHECK_VALUE, number_read(z, got, 8000))) return;
    bool inside = true;
    for (int i = 0; i < 8000; i++) inside &= got[i] >= 0 && got[i] < 4;
    if (!EXPECT(t, CHECK_VALUE, inside)) return;
    for (int i = 0; i < 8000; i++) seen[(int)got[i]]++;
    EXPECT(t, CHECK_VALUE, seen[1] == 0);
    EXPECT(t, CHECK_VALUE, fabs(seen[0] - 1000) < 5 * sqrt(875));
    EXPECT(t, CHECK_VALUE, fabs(seen[2] - 3000) < 5 * sqrt(1875));
    EXPECT(t, CHECK_VALUE, fabs(seen[3] - 4000) < 5 * sqrt(2000));
    if (!EXPECT(t, CHECK_VALUE,
                number_read(vn_multinomial(vn_random_key_of(key + 1), weights, 3, VN_OPTS(multinomial, .no_replace = 1)), once, 3)))
        return;
    EXPECT(t, CHECK_VALUE, once[0] != once[1] && once[1] != once[2] && once[0] != once[2] && once[0] != 1 && once[1] != 1 && once[2] != 1);
}

void seed_shuffle(trial *t)
{
    double data[60], got[60];
    for (int i = 0; i < 60; i++) data[i] = i / 3 * 8 + i % 3; /* small enough for bfloat16 */
    vn_array *x = trial_input(t, "x", data, VN_SHAPE(20, 3), t->dtype), *z = vn_shuffle(vn_random_key_of(sample_seed(t)), x, 0, NULL);
    int seen[20] = {0}, moved = 0;
    trial_explain(t, z);
    EXPECT(t, CHECK_DTYPE, z && vn_dtype_of(z) == t->dtype);
    if (!EXPECT(t, CHECK_VALUE, number_read(z, got, 60))) return;
    for (int r = 0; r < 20; r++) {
        int from = (int)got[3 * r] / 8;
        if (!EXPECT(t, CHECK_VALUE, from >= 0 && from < 20)) return;
        seen[from]++;
        moved += from != r;
        EXPECT(t, CHECK_VALUE, got[3 * r + 1] == got[3 * r] + 1 && got[3 * r + 2] == got[3 * r] + 2); /* rows stay whole */
    }
    for (int r = 0; r < 20; r++) EXPECT(t, CHECK_VALUE, seen[r] == 1);
    EXPECT(t, CHECK_VALUE, moved > 5);
    EXPECT_FAILS(t, vn_random_shuffle(vn_full(vn_scalar(1), VN_0D, VN_F32)), VN_E_SHAPE, "shuffle");
}

enum { SIDE = 100, MANY = SIDE * SIDE };

static void check_dropped(trial *t, vn_array *x, uint64_t key, double *got, double *g)
{
    vn_array *y = vn_dropout(x, vn_random_key_of(key), .25, NULL), *both[] = {y, vn_grad(vn_sum(y, VN_ALL), x)};
    double kept = number_round(1 / .75, t->dtype);
    int zeros = 0;
    trial_explain(t, y);
    vn_eval(2, both);
    if (!EXPECT(t, CHECK_VALUE, number_read(both[0], got, MANY) && number_read(both[1], g, MANY))) return;
    for (int i = 0; i < MANY; i++) {
        zeros += got[i] == 0;
        trial_near(t, CHECK_VALUE, "an element that stays", got[i], got[i] == 0 ? 0 : kept, fmax(4 * number_epsilon(t->dtype), 1e-15));
        EXPECT(t, CHECK_GRADIENT, g[i] == got[i]);
    }
    EXPECT(t, CHECK_VALUE, abs(zeros - 2500) < 5 * 44);
}

static void check_rows(trial *t, vn_array *x, uint64_t key, double *got)
{
    if (!EXPECT(t, CHECK_VALUE,
                number_read(vn_dropout(x, vn_random_key_of(key), .5, VN_OPTS(dropout, .no_scale = 1, .noise_shape = VN_LIST(SIDE, 1))), got,
                            MANY)))
        return;
    for (int i = 0; i < MANY; i++) EXPECT(t, CHECK_VALUE, got[i] == got[i / SIDE * SIDE] && (got[i] == 0 || got[i] == 1));
}

void seed_dropout(trial *t)
{
    vn_array *x = vn_variable(vn_ones(VN_SHAPE(SIDE, SIDE), t->dtype));
    uint64_t key = sample_seed(t);
    double *room = malloc(2 * MANY * sizeof *room);
    if (!EXPECT(t, CHECK_VALUE, room != NULL)) return;
    check_dropped(t, x, key, room, room + MANY);
    check_rows(t, x, key, room);
    free(room);
    EXPECT(t, CHECK_VALUE, vn_item(vn_min(vn_dropout(x, vn_random_key_of(key), 0, NULL), VN_ALL)) == 1);
    EXPECT(t, CHECK_VALUE, vn_item(vn_max(vn_dropout(x, vn_random_key_of(key), 1, NULL), VN_ALL)) == 0);
    EXPECT_FAILS(t, vn_dropout(x, vn_random_key_of(key), 1.5, NULL), VN_E_ARG, "dropout");
}
