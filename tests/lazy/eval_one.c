/* SPDX-License-Identifier: Apache-2.0 */
/* eval_one.c: evaluating a single op takes a fast path (src/program/single.c). Nothing else may differ: it
 * is the same program, reuses the same memory, fails and waits in the same way. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"
#include <pthread.h>

static vn_cache_info cache(void)
{
    vn_cache_info c = {.size = sizeof c};
    CHECK(vn_cache_stats(vn_using(), &c) == VN_OK);
    return c;
}

/* vn_explain walks the graph and compiles the program. */
static void is_the_same_program(vn_array *y)
{
    CHECK(vn_explain(y) != NULL);
    vn_cache_info before = cache();
    CHECK(vn_eval(1, &y) == VN_OK && vn_is_ready(y));
    vn_cache_info after = cache();
    CHECK(after.misses == before.misses && after.hits == before.hits + 1);
}

TEST(same_program)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(2, 3)), *row = vn_from((float[]){1, 0, 2}, VN_SHAPE(3));
    vn_array *twin = vn_stop_gradient(x); /* another node of the same value */
    is_the_same_program(vn_add(x, row));
    is_the_same_program(vn_mul(x, x));
    is_the_same_program(vn_sub(x, twin));
    is_the_same_program(vn_sum(x, VN_AXES(1)));
    is_the_same_program(vn_permute_dims(x, VN_AXES(1, 0)));
    is_the_same_program(vn_where(vn_greater(x, row), x, twin));
    is_the_same_program(vn_add(x, vn_scalar(2)));
    is_the_same_program(vn_neg(vn_zeros(VN_SHAPE(0, 3), VN_F32)));
    is_the_same_program(vn_cast(x, VN_I32));
    is_the_same_program(vn_neg(vn_ones(VN_SHAPE(1, 1, 1, 2, 1, 1, 1, 2), VN_F32)));
    CHECK(vn_item(vn_sum(vn_sub(x, twin), VN_ALL)) == 0 && vn_item(vn_sum(vn_mul(x, x), VN_ALL)) == 91);
}

/* Memory without other references is reused; other memory is not. */
TEST(donation)
{
    vn_array *seen = vn_exp(vn_zeros(VN_SHAPE(1000), VN_F32)), *y = NULL;
    CHECK(vn_eval(1, &seen) == VN_OK);
    const void *at = NULL;
    {
        VN_SCOPE;
        vn_array *x = vn_exp(vn_zeros(VN_SHAPE(1000), VN_F32));
        at = vn_data(x);
        y = vn_pass(vn_neg(x));
    }
    CHECK(vn_eval(1, &y) == VN_OK && vn_item(vn_max(y, VN_ALL)) == -1);
    if (!strcmp(vn_using(), "native")) CHECK(vn_data(y) == at);
    vn_array *z = vn_neg(seen);
    CHECK(vn_eval(1, &z) == VN_OK && vn_item(vn_max(z, VN_ALL)) == -1);
    CHECK(vn_data(z) != vn_data(seen) && vn_item(vn_min(seen, VN_ALL)) == 1);
}

TEST(history)
{
    vn_array *x = vn_variable(vn_from((float[]){3}, VN_SHAPE(1))), *y = vn_square(x);
    CHECK(vn_eval(1, &y) == VN_OK);
    vn_array *z = vn_sum(vn_mul(y, x), VN_ALL); /* x^3, through what is computed already */
    CHECK(vn_item(z) == 27 && vn_item(vn_grad(z, x)) == 27);
}

/* A failure stores nothing, and it can be tried again. */
TEST(failure)
{
    if (strcmp(vn_using(), "native") != 0) return;
    vn_array *x = vn_ones(VN_SHAPE(1 << 18), VN_F32), *y = vn_exp(x);
    vn_memory_info m = {.size = sizeof m};
    CHECK(vn_memory(&m) == VN_OK);
    vn_memory_limit(m.used + 1000);
    CHECK_FAILS(vn_eval(1, &y), VN_E_MEM, "");
    CHECK(!vn_is_ready(y));
    vn_memory_limit(0);
    CHECK(vn_eval(1, &y) == VN_OK && near(vn_item(vn_max(y, VN_ALL)), exp(1), 1e-6));
}

enum { THREADS = 4, OPS = 200 };
static vn_array *shared[OPS];

static void *evaluates(void *wrong)
{
    for (int k = 0; k < OPS; k++) {
        VN_SCOPE;
        *(int *)wrong += vn_eval(1, &shared[k]) != VN_OK || vn_item(shared[k]) != k + 1;
        *(int *)wrong += vn_item(vn_add(shared[k], shared[k])) != 2 * k + 2;
    }
    *(int *)wrong += vn_close() != VN_OK;
    return NULL;
}

/* The first thread computes a node, the others wait for it. Freed nodes move between threads. */
TEST(threads)
{
    vn_array *one = vn_ones(VN_SHAPE(1), VN_F32);
    for (int k = 0; k < OPS; k++) shared[k] = vn_add(one, vn_scalar(k));
    pthread_t t[THREADS];
    int wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, evaluates, &wrong[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK(!wrong[i]);
}

static void run(vn_array *y)
{
    CHECK(vn_eval(1, &y) == VN_OK);
}

/* The cache evicts the least recently used program. */
TEST(forgetting)
{
    vn_array *x = vn_ones(VN_SHAPE(5), VN_F32);
    CHECK(vn_cache_limit(2) == VN_OK);
    run(vn_exp(vn_neg(x)));
    run(vn_exp(vn_abs(x)));
    run(vn_exp(vn_neg(x))); /* again: the other one is older now */
    run(vn_exp(vn_square(x)));
    int64_t misses = cache().misses;
    run(vn_exp(vn_neg(x)));
    CHECK(cache().misses == misses);
    run(vn_exp(vn_abs(x)));
    CHECK(cache().misses == misses + 1);
    CHECK(vn_cache_limit(512) == VN_OK);
}

static void *negates(void *x)
{
    run(vn_neg(x));
    CHECK(vn_close() == VN_OK);
    return NULL;
}

/* A thread keeps the programs of one op that it ran last, also one that has left the cache. */
TEST(recent)
{
    vn_array *x = vn_ones(VN_SHAPE(5), VN_F32);
    CHECK(vn_cache_limit(1) == VN_OK);
    run(vn_neg(x));
    run(vn_exp(vn_abs(x)));
    vn_cache_info before = cache();
    for (int k = 0; k < 3; k++) run(vn_neg(x));
    CHECK(cache().misses == before.misses && cache().hits == before.hits + 3);
    pthread_t other;
    CHECK(!pthread_create(&other, NULL, negates, x) && !pthread_join(other, NULL));
    CHECK(cache().misses == before.misses + 1);
    for (int n = 1; n < 40; n++) run(vn_neg(vn_ones(VN_SHAPE(n), VN_F32))); /* every slot gets other programs */
    before = cache();
    run(vn_neg(x));
    CHECK(cache().misses == before.misses + 1);
    CHECK(vn_cache_limit(512) == VN_OK);
}

TEST_MAIN
