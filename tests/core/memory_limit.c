/* SPDX-License-Identifier: Apache-2.0 */
/* memory_limit.c: what vn_memory_limit refuses: blocks cached by the native engine count as free memory, also
 * for arrays created from host data, and for several threads that work close to the limit. */
/* ctest: sanitize */
/* ctest: part 3 on sanitizers */
#include "check.h"
#include <pthread.h>

enum { KB = 1024, MB = 1024 * KB };

static vn_memory_info memory(void)
{
    vn_memory_info m = {.size = sizeof m};
    CHECK(vn_memory(&m) == VN_OK);
    return m;
}

/* The memory that arrays, programs and objects use now. */
static int64_t taken(void)
{
    vn_memory_info m = memory();
    return m.used - m.cached;
}

/* Leaves the cache full of free blocks of many sizes. */
static void fill_cache(int64_t bytes)
{
    VN_SCOPE;
    for (int64_t made = 0, k = 0; made < bytes; made += (256 + 16 * k) * KB, k++) {
        vn_array *x = vn_exp(vn_zeros(VN_SHAPE((256 + 16 * k) * KB / 4), VN_F32));
        CHECK(vn_eval(1, &x) == VN_OK);
    }
}

static vn_array *computed(int64_t bytes)
{
    vn_array *x = vn_broadcast_to(vn_exp(vn_zeros(VN_0D, VN_F32)), VN_SHAPE(bytes / 4));
    vn_array *y = vn_add(x, x);
    return vn_eval(1, &y) ? NULL : y;
}
static vn_array *filled(int64_t bytes)
{
    return vn_full(vn_scalar(3), VN_SHAPE(bytes / 4), VN_F32);
}
static vn_array *numbered(int64_t bytes)
{
    return vn_arange(0, (double)(bytes / 8), 1, VN_F64);
}
static vn_array *unit(int64_t bytes)
{
    return vn_eye(KB, bytes / (8 * KB), 0, VN_F64);
}

/* Each way to get an array, first with a limit that leaves twice its memory and a cache that holds more than
 * the limit leaves, then with too low a limit. */
TEST(free_blocks)
{
    static vn_array *(*const ways[])(int64_t bytes) = {computed, filled, numbered, unit};
    for (int k = 0; k < 4; k++) {
        VN_SCOPE;
        const int64_t bytes = 8 * MB;
        fill_cache(24 * MB);
        vn_memory_limit(taken() + 2 * bytes + bytes / 2);
        vn_array *x = ways[k](bytes);
        CHECK(x && vn_size(x) * (int64_t)vn_dtype_size(vn_dtype_of(x)) == bytes);
        CHECK(memory().used <= memory().limit);
        vn_memory_limit(taken() + bytes / 2);
        CHECK_FAILS(ways[k](bytes), VN_E_MEM, "");
        vn_memory_limit(0);
    }
}

/* A large array that the host fills takes its memory once. */
TEST(filled_once)
{
    static vn_array *(*const ways[])(int64_t bytes) = {filled, numbered, unit};
    for (int k = 0; k < 3; k++) {
        VN_SCOPE;
        const int64_t bytes = 8 * MB;
        vn_memory_limit(taken() + bytes + bytes / 2);
        vn_array *x = ways[k](bytes);
        CHECK(x && vn_data(x));
        vn_memory_limit(0);
        CHECK(vn_item(vn_sum(vn_cast(x, VN_F64), VN_ALL)) == (k == 0 ? 3. * 2 * MB : k == 1 ? (double)MB * (MB - 1) / 2 : KB));
    }
}

/* A limit below the memory in use refuses everything and frees nothing. */
TEST(below_what_is_there)
{
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(MB), VN_F32), *y = vn_square(x);
    vn_memory_limit(1);
    CHECK_FAILS(vn_eval(1, &y), VN_E_MEM, "");
    CHECK_FAILS(vn_zeros(VN_SHAPE(MB), VN_F32), VN_E_MEM, "zeros: no memory for 4194304 bytes");
    vn_memory_limit(0);
    CHECK(vn_item(vn_max(y, VN_ALL)) == 4);
}

enum { THREADS = 4, ROUNDS = 300, MAX_BYTES = 2 * MB, SIZES = 32 };

/* Arrays of sizes up to MAX_BYTES come and go. Each needs at most twice its own memory, and an eighth more for the size of its block; beside
 * them there are the programs, one for each size. */
static void *works(void *number)
{
    uint64_t state = (uint64_t)(intptr_t)number * 977 + 1;
    intptr_t wrong = 0;
    for (int k = 0; k < ROUNDS / (int)check_part(); k++) {
        VN_SCOPE;
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        const int64_t n = ((int64_t)(state >> 33) % SIZES + 1) * (MAX_BYTES / 4 / SIZES);
        vn_array *x = vn_full(vn_scalar((double)k), VN_SHAPE(n), VN_F32);
        vn_array *y = k % 3 ? vn_add(x, vn_scalar(1)) : x;
        wrong += !x || vn_eval(1, &y) || ((const float *)vn_data(y))[n - 1] != (float)(k + (k % 3 != 0));
    }
    wrong += vn_status() != VN_OK;
    vn_close();
    return (void *)wrong;
}

TEST(several_threads)
{
    pthread_t threads[THREADS];
    fill_cache(24 * MB);
    const int64_t limit = taken() + THREADS * (2 * MAX_BYTES + MAX_BYTES / 4) + MB;
    vn_memory_limit(limit);
    for (intptr_t k = 0; k < THREADS; k++) CHECK(pthread_create(&threads[k], NULL, works, (void *)k) == 0);
    for (int k = 0; k < THREADS; k++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[k], &wrong) == 0);
        CHECK(!wrong);
    }
    CHECK(memory().used <= limit);
    vn_memory_limit(0);
}

TEST_MAIN
