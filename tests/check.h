/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: assertions for test programs. A failed check prints its location and continues; `finish` returns the exit code. */
#ifndef VN_CHECK_H
#define VN_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vinea/vinea.h>

#include "allocator.h"

static _Atomic int check_count, check_failures;
static const char *check_name = "";
static bool check_say = true; /* print what fails */

/* ---- where allocations fail (faults.h): what is checked after the library has said so need not hold ---- */

static bool check_faults;
static _Atomic bool check_said;

static inline bool check_excused(void)
{
    if (check_faults && (vn_status() == VN_E_MEM || failing_behind)) check_said = true;
    return check_said;
}
static inline void check_clear(void)
{
    check_excused();
    vn_clear();
}
static inline int check_error_pop(void)
{
    const int code = vn_error_pop();
    if (check_faults && code == VN_E_MEM) check_said = true;
    return code;
}
static inline int check_close(void)
{
    const int code = vn_close();
    if (check_faults && code == VN_E_MEM) check_said = true;
    return code;
}
/* Ends the program; where allocations fail, this run of the test. */
static inline void check_stop(int code)
{
    if (check_faults) siglongjmp(own_crash_out, 1);
    exit(code);
}
#define vn_clear() check_clear()
#define vn_error_pop() check_error_pop()
#define vn_close() check_close()

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        check_count++;                                                                      \
        if (!(condition) && !check_excused()) check_failed(__FILE__, __LINE__, #condition); \
    } while (0)

static inline void check_failed(const char *file, int line, const char *condition)
{
    check_failures++;
    if (check_say) fprintf(stderr, "%s:%d: %s: failed: %s (status: %s)\n", file, line, check_name, condition, vn_message());
}

/* The call fails with that code and a message that contains `text`; the error is cleared. */
#define CHECK_FAILS(call, code, text)                                             \
    do {                                                                          \
        check_count++;                                                            \
        vn_clear();                                                               \
        (void)(call);                                                             \
        if (!check_excused()) check_error(__FILE__, __LINE__, #call, code, text); \
        vn_clear();                                                               \
    } while (0)

static inline void check_error(const char *file, int line, const char *call, vn_code code, const char *text)
{
    if (vn_status() == code && strstr(vn_message(), text)) return;
    if (failing_when && vn_status()) return; /* another error: an allocation failed */
    check_failures++;
    if (!check_say) return;
    fprintf(stderr, "%s:%d: %s: %s: expected %s with \"%s\", got %s \"%s\"\n", file, line, check_name, call, vn_code_name(code), text,
            vn_code_name(vn_status()), vn_message());
}

/* Equal within a relative tolerance. */
static inline int near(double a, double b, double tolerance)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/* The hash of an array's bytes, going on from another one: equal for equal bits. */
static inline uint64_t hash_array(uint64_t hash, vn_array *x)
{
    const void *p = vn_data(x);
    CHECK(p != NULL);
    return p ? vn__hash_bytes(hash, p, (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x))) : hash;
}

/* A test is TEST(name) { ... }: run_tests runs all of a program in the order in which they stand. NATIVE_TEST: on the native engine only.
 */
#define TEST(name) TEST_IF(name, false)
#define NATIVE_TEST(name) TEST_IF(name, true)
#define TEST_IF(name, native)                                             \
    static void name(void);                                               \
    __attribute__((constructor)) static void check_add_##name(void)       \
    {                                                                     \
        check_tests[check_n_tests++] = (check_test){#name, name, native}; \
    }                                                                     \
    static void name(void)

typedef struct {
    const char *name;
    void (*run)(void);
    bool native;
} check_test;
static check_test check_tests[64];
static int check_n_tests;

#include "faults.h"

/* Runs a test in its own scope; errors that it leaves count as failures. */
static inline void run_test(const char *name, void (*run)(void))
{
    VN_SCOPE;
    check_name = name;
    run();
    CHECK(vn_status() == VN_OK);
    vn_clear();
}

static inline void run_tests(void)
{
    const char *faults = getenv("VINEA_TEST_FAULTS");
    if (faults) {
        faults_tests(check_tests, check_n_tests, atol(faults));
        return;
    }
    for (int k = 0; k < check_n_tests; k++)
        if (!check_tests[k].native || !strcmp(vn_using(), "native")) run_test(check_tests[k].name, check_tests[k].run);
}

static inline int finish(void)
{
    int code = vn_close();
    if (code) fprintf(stderr, "an error was left: %s\n", vn_code_name((vn_code)code)), check_failures++;
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures || !check_count ? 1 : 0;
}

/* The engine named on the command line, or the default one. Exit code 77 tells ctest that it is not installed: skipped. */
static inline void use_engine(int argc, char **argv)
{
    if (argc < 2 || vn_use(argv[1]) == VN_OK) return;
    fprintf(stderr, "%s\n", vn_message());
    exit(77);
}

/* One in how many cases runs: 1, or N where the test is registered with "part N". */
static inline size_t check_part(void)
{
    const char *n = getenv("VINEA_TEST_PART");
    return n ? (size_t)atoi(n) : 1;
}

/* Whether case k of many runs. */
static inline bool in_part(size_t k)
{
    return k % check_part() == 0;
}

/* Computes the arrays as one program on an engine that needs a tenth of a second to compile even one op; the others compute each by itself,
 * when it is read. */
static inline void compile_together(int n, vn_array **xs)
{
    if (!strcmp(vn_using(), "jax")) CHECK(vn_eval(n, xs) == VN_OK);
}

/* The main function of most tests. */
#define TEST_MAIN                   \
    int main(int argc, char **argv) \
    {                               \
        use_engine(argc, argv);     \
        run_tests();                \
        return finish();            \
    }

#endif
