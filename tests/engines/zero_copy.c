/* SPDX-License-Identifier: Apache-2.0 */
/* zero_copy.c: arrays move without a copy where alignment allows: from the host to an engine and back, from every engine to every other by
 * vn_to, and through DLPack. Equal pointers prove it. Memory that is not aligned to 64 bytes may be copied; the values are right
 * either way. */
/* ctest: seconds 1 */
#include "check.h"

enum { MAX_ENGINES = 16, N = 64 };

static char names[MAX_ENGINES][32];
static int n_engines;
static _Atomic int released;
static int shared, moves; /* results that moved without a copy, of all */

static void release(void *user)
{
    (void)user;
    released++;
}

static bool holds(const float *x, float first)
{
    for (int i = 0; x && i < N; i++) {
        if (x[i] != first + (float)i) return false;
    }
    return x != NULL;
}

static float *numbers(void)
{
    _Alignas(64) static float memory[N];
    for (int i = 0; i < N; i++) memory[i] = (float)i;
    return memory;
}

/* The array uses the host memory, on the engine and on whatever it moves to. */
static void from_host(int from, int to)
{
    VN_SCOPE;
    float *memory = numbers();
    vn_use(names[from]);
    vn_array *x = vn_wrap(memory, VN_F32, VN_SHAPE(N), release, NULL);
    CHECK(vn_data(x) == memory);
    vn_array *y = vn_to(x, names[to]);
    CHECK(vn_data(y) == memory && !strcmp(vn_engine_of(y), names[to]));
}

/* A result of one engine is an array of the other; both read it, and it outlives the first handle. */
static void between(int from, int to)
{
    VN_SCOPE;
    vn_use(names[from]);
    vn_array *y = NULL;
    const void *at;
    {
        VN_SCOPE;
        vn_array *x = vn_add(vn_from(numbers(), VN_SHAPE(N)), vn_scalar(1));
        at = vn_data(x);
        y = vn_to(x, names[to]);
        y = vn_pass(y);
    }
    bool aligned = (uintptr_t)at % 64 == 0;
    if (aligned && vn_data(y) != at) fprintf(stderr, "%s to %s copies\n", names[from], names[to]);
    CHECK(!aligned || vn_data(y) == at);
    shared += vn_data(y) == at, moves++;
    CHECK(holds(vn_data(y), 1));
    CHECK(holds(vn_data(vn_add(y, vn_scalar(1))), 2) && holds(vn_data(y), 1)); /* and computes with it, without overwriting it */
}

/* Out as DLPack and in again: the exporter's memory. */
static void dlpack(int from, int to)
{
    VN_SCOPE;
    vn_use(names[from]);
    vn_array *x = vn_add(vn_from(numbers(), VN_SHAPE(N)), vn_scalar(1));
    const void *at = vn_data(x);
    struct DLManagedTensorVersioned *t = vn_to_dlpack(x);
    vn_use(names[to]);
    vn_array *y = t ? vn_from_dlpack(t) : NULL;
    CHECK((uintptr_t)at % 64 || vn_data(y) == at);
    CHECK(holds(vn_data(y), 1));
}

int main(void)
{
    for (int k = 0; k < vn_engine_count(); k++) {
        vn_engine_info e = {.size = sizeof e};
        CHECK(vn_engine_at(k, &e) == VN_OK);
        if (!e.available) return fprintf(stderr, "%s: %s\n", e.name, e.message), 77;
        snprintf(names[n_engines++], sizeof names[0], "%s", e.name);
    }
    int wrapped = 0;
    for (int from = 0; from < n_engines; from++) {
        shared = moves = 0;
        for (int to = 0; to < n_engines; to++) {
            check_name = names[from];
            from_host(from, to), wrapped++;
            between(from, to);
            dlpack(from, to);
        }
        printf("%s: %d of %d results moved without a copy\n", names[from], shared, moves);
        CHECK(shared > 1); /* to itself, and to another one at least */
    }
    int code = vn_close();
    CHECK(!code && released == wrapped); /* once each */
    return finish();
}
