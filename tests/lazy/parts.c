/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: a program that is larger than its engine compiles at once is evaluated in parts, with the same results. The limit is set here, on
 * every engine; JAX and TensorFlow have one of their own. */
/* ctest: engines */
/* ctest: seconds 3 */
/* ctest: sanitize */
#include "check.h"
#include "engine/engine.h"
#include "failing.h"

static vn_cache_info stats(void)
{
    vn_cache_info c = {.size = sizeof c};
    CHECK(vn_cache_stats(vn_using(), &c) == VN_OK);
    return c;
}

/* Sets the engine's limit; returns the one before. */
static size_t limit(size_t instructions)
{
    vn__engine *e = vn__engine_find(vn_using());
    const size_t before = e ? e->api.largest : 0;
    if (e) e->api.largest = instructions;
    return before;
}

static vn_array *chain(vn_array *x, int ops)
{
    for (int k = 0; k < ops; k++) x = vn_add(vn_mul(x, vn_scalar(.5)), vn_scalar(k % 4));
    return x;
}

TEST(equal_parts_are_one_program)
{
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3));
    const size_t before = limit(8);
    const vn_cache_info first = stats();
    vn_array *y = chain(x, 42); /* ten parts and a rest of four */
    CHECK(strstr(vn_explain(y), "84 instructions, computed in parts"));
    CHECK(near(vn_item(vn_sum(y, VN_ALL)), 6.4, 1e-4));
    const vn_cache_info last = stats();
    CHECK(last.misses - first.misses <= 3 && last.instructions - first.instructions <= 8 + 4 + 1);
    limit(before);
}

/* Programs leave the cache when they are too many instructions together, whatever their number. */
TEST(kept_programs)
{
    const size_t before = limit(8);
    const vn_cache_info first = stats();
    for (int k = 1; k <= 60; k++) {
        VN_SCOPE;
        vn_array *y = chain(vn_ones(VN_SHAPE(k), VN_F32), 3);
        CHECK(vn_eval(1, &y) == VN_OK && stats().instructions <= 16 * 8);
    }
    const vn_cache_info last = stats();
    CHECK(last.misses - first.misses == 60 && last.evicted - first.evicted >= 60 - 16 * 8 / 6 && last.programs >= 10);
    limit(before);
}

/* What is asked for is computed once, wherever it stands. */
TEST(inner_results_are_stored)
{
    vn_array *y[4] = {vn_from((float[]){1, 2, 3}, VN_SHAPE(3))};
    const size_t before = limit(8);
    for (int k = 1; k < 4; k++) y[k] = chain(y[k - 1], k * 5);
    const vn_cache_info first = stats();
    CHECK(vn_eval(3, y + 1) == VN_OK);
    const vn_cache_info last = stats();
    CHECK(last.hits + last.misses - first.hits - first.misses == 8); /* 60 instructions */
    limit(before);
}

/* Shared results, several results of one op, identities, many independent ones, a gradient through all of it. */
static vn_array *mixed(vn_array *v)
{
    vn_array *x = chain(v, 3), *late[6], *sum = NULL;
    for (int k = 0; k < 6; k++) {
        vn_array *places, *largest = vn_topk(x, 3, -1, NULL, &places);
        late[k] = vn_add(vn_cast(places, VN_F32), vn_stop_gradient(vn_square(x)));
        x = vn_mul(vn_tanh(vn_add(x, largest)), vn_mul(largest, largest));
    }
    for (int k = 6; k-- > 0;) sum = sum ? vn_add(sum, late[k]) : late[k];
    for (int k = 0; k < 12; k++) sum = vn_add(sum, vn_mul(chain(v, 1), vn_scalar(k)));
    return vn_sum(vn_add(sum, x), VN_ALL);
}

TEST(results_do_not_depend_on_the_parts)
{
    const size_t before = limit(0);
    float want[4] = {0};
    for (int size = 0; size < 12; size++) {
        VN_SCOPE;
        if (size && size != 7 && strcmp(vn_using(), "native") != 0) continue; /* every size is another set of programs to compile */
        limit((size_t)size);
        vn_array *v = vn_variable(vn_from((float[]){1, -2, .5f}, VN_SHAPE(3))), *z = mixed(v), *g = vn_grad(z, v), *all[] = {g, z};
        CHECK(vn_eval(2, all) == VN_OK);
        const float *got = vn_data(g), value = (float)vn_item(z);
        for (int k = 0; k < 4; k++) {
            const float is = k < 3 ? got[k] : value;
            if (!size) want[k] = is;
            CHECK(near(is, want[k], 1e-5 * (1 + fabs(want[k]))));
        }
    }
    limit(before);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_sum(vn_square(chain(vn_tree_get(p, "w"), 10)), VN_ALL);
}

TEST(a_step_in_parts)
{
    const size_t before = limit(5);
    float got[2];
    for (int parts = 1; parts >= 0; parts--) {
        VN_SCOPE;
        limit(parts ? 5 : 0);
        vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(100), VN_F32), NULL), *grads;
        vn_optim *adam = vn_adam(.1, NULL);
        for (int k = 0; k < 3; k++) {
            VN_SCOPE;
            vn_value_and_grad(loss_of, p, NULL, &grads);
            CHECK(vn_step(adam, p, grads) == VN_OK);
        }
        got[parts] = ((const float *)vn_data(vn_tree_get(p, "w")))[99];
    }
    CHECK(near(got[0], got[1], 1e-5));
    limit(before);
}

static int in_parts(void)
{
    const size_t before = limit(4);
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3));
    const double sum = vn_item(vn_sum(chain(x, 12), VN_ALL));
    limit(before);
    return near(sum, 13.598, 1e-2);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    run_tests();
    if (!strcmp(vn_using(), "native")) {
        vn_close();
        FAIL_ALL(in_parts);
    }
    return finish();
}
