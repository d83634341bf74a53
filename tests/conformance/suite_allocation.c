/* SPDX-License-Identifier: Apache-2.0 */
/* suite_allocation.c: cases of the conformance tests (ops, layers, optimizers, the seeds' functions, with their gradients) whose n-th
 * allocation fails, once and persistently: a case passes, or it ends with VN_E_MEM; nothing crashes or leaks. Not under the sanitizers: the suite itself may read
 * what is missing then, which is told from a crash of the library.
 *
 *     suite_allocation [FAULTS [STEP [TEST]]]       so many of a case's allocations at most (0: all), of every STEP-th case */
/* ctest: seconds 3 */
/* ctest: links vinea_suite vinea_base -Wl,--wrap=vn_clear -Wl,--wrap=vn_error_pop */
/* ctest: shared */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"
#include "conformance/suite/runner.h"
#include <limits.h>

#ifndef FAULTS
#define FAULTS 2
#define STEP 8
#endif

static const plan quick = {.seed = 7, .number = -1};
static long injected, failed;

/* Whether the library said that memory ran out. The suite clears errors where it expects one. */
static bool said;

void __real_vn_clear(void);
void __wrap_vn_clear(void);
void __wrap_vn_clear(void)
{
    said |= vn_status() == VN_E_MEM;
    __real_vn_clear();
}

int __real_vn_error_pop(void);
int __wrap_vn_error_pop(void);
int __wrap_vn_error_pop(void)
{
    const int code = __real_vn_error_pop();
    said |= code == VN_E_MEM;
    return code;
}

/* Whether what failed is the text of an error, which may lack a list of what is possible, or an error in the place of another one. */
static bool is_error(const trial *t)
{
    return strstr(t->outcome.message, " expected, got VN_E_") || strstr(t->outcome.message, "the message does not contain");
}

/* One run with the n-th allocation failing (0: none). Returns the number of allocations. */
static long run_once(const conformance_test *test, int number, vn_dtype dtype, long n)
{
    trial t;
    CHECK(failing_begin(n));
    trial_open(&t, test, &quick, "native", number, dtype);
    said = false;
    const bool crashed = sigsetjmp(own_crash_out, 1) != 0;
    if (!crashed) trial_run(&t);
    said |= vn_status() == VN_E_MEM;
    const long made = failing_at;
    const bool wrong = (crashed || *trial_reason(&t)) && !(n && (said || failing_behind || is_error(&t)));
    vn_close();
    if (wrong || failing_alive)
        fprintf(stderr, "%s, case %d, %s: allocation %ld fails %s: %s, %ld blocks are left: %s\n", test->id, number, vn_dtype_name(dtype),
                n, failing_on ? "and all later ones" : "once", trial_reason(&t), (long)failing_alive, t.outcome.message);
    CHECK(!wrong);
    CHECK(failing_alive == 0);
    failed += n && *trial_reason(&t);
    injected += n && made >= n;
    trial_close(&t);
    return made;
}

static vn_dtype first_dtype(uint32_t dtypes)
{
    if (dtypes & VN_BIT(VN_F32)) return VN_F32;
    int d = 1;
    while (!(dtypes & VN_BIT(d))) d++;
    return (vn_dtype)d;
}

/* A case: at most `limit` faults of each kind, spread over the places that allocate; other ones for each test. */
static void fail_case(const conformance_test *test, int number, vn_dtype dtype, long limit)
{
    static failing_places places;
    places = (failing_places){0};
    failing_list = limit ? &places : NULL;
    const long all = run_once(test, number, dtype, 0), made = limit ? places.n : all, step = limit && made > limit ? made / limit : 1;
    failing_list = NULL;
    for (int on = 0; on < 2; on++) {
        failing_on = on != 0;
        for (long n = 1 + (long)(vn__hash_text(test->id) % (uint64_t)step); n <= made && check_failures < 20; n += step)
            run_once(test, number, dtype, limit ? places.at[n - 1] : n);
    }
}

/* Every step-th case of the test, in one dtype. */
static void fail_test(const conformance_test *test, int step, long limit)
{
    const vn_dtype dtype = first_dtype(list_dtypes(&quick, test));
    const int n = test->number_at ? INT_MAX : test->cases ? test->cases : 4;
    check_name = test->id;
    for (int k = 0; k < n && check_failures < 20; k += step) {
        const int number = test->number_at ? test->number_at(test, &quick, dtype, k) : k;
        if (number < 0) break;
        fail_case(test, number, dtype, limit);
    }
}

int main(int argc, char **argv)
{
    const long limit = argc > 1 ? atol(argv[1]) : FAULTS;
    const int step = argc > 2 ? atoi(argv[2]) : STEP;
    int n = 0;
    own_crash_begin();
    const conformance_test **tests = list_tests(&(plan){.test = argc > 3 ? argv[3] : NULL}, &n);
    for (int k = 0; k < n; k++)
        if (!tests[k]->ranks) fail_test(tests[k], step, limit);
    printf("%d tests, %ld failed allocations, of which %ld were errors\n", n, injected, failed);
    CHECK(injected > n && failed > n);
    free(tests);
    failing_when = 0;
    CHECK(vn_set_allocator(NULL) == VN_OK);
    return finish();
}
