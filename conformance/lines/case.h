/* SPDX-License-Identifier: Apache-2.0 */
/* case.h: running case lines (lines.h). A line becomes a `test`, one call of an op and its expected result (parse.c); the
 * results of many tests are computed as one program (together.c) and compared (values.c, compare.c), and their derivatives are compared
 * with central differences (derivatives.c). number.c handles dtypes on the host. The suite "ops" of `vinea check`
 * (conformance/suite/ops.c) uses this for case lines and for random calls. */
#ifndef VN_CASE_H
#define VN_CASE_H

#include "number.h"

#include <stddef.h>

enum { MAX_IN = 16, MAX_OUT = 16, MAX_OPTIONS = 8, MAX_LIST = 40, NAME = 96 };

typedef enum operand_kind { ARRAY, WEAK, MISSING, ABSENT } operand_kind;

/* An input or an expected result. WEAK: a vn_scalar, by its dtype of a float64, int64 (whole) or complex128 number; MISSING: NULL; ABSENT:
 * VN_NONE. */
typedef struct operand {
    operand_kind kind;
    int dtype, rank;
    int64_t dims[VN_MAX_RANK], count;
    double *numbers; /* as written, also for integers (perhaps rounded); both parts of complex numbers */
    void *data;      /* the same as elements of the dtype, row-major */
    bool reversed;   /* an array with reversed memory order */
    int64_t whole;   /* of a weak integer; beyond int64, an uint64's bits */
} operand;

typedef struct setting {
    char name[NAME], text[NAME];
    int kind, n; /* vn_option_kind, length of a list */
    int64_t whole, list[MAX_LIST];
    double real;
} setting;

/* What is checked of a test. */
typedef enum test_part { OF_VALUE, OF_DTYPE, OF_SHAPE, OF_SUM, OF_GRADIENT, OF_CUT, OF_SECOND } test_part;

typedef struct test {
    const char *file; /* without folders */
    int line;
    char *text; /* the line, trimmed */
    char op[NAME];
    int out;         /* the index of its result */
    vn_op_info info; /* name is NULL for an op that is not in the table */
    operand in[MAX_IN];
    int n_in;
    setting options[MAX_OPTIONS];
    int n_options;
    bool wants_error;
    vn_code code;     /* the expected error */
    char *message;    /* a part of its message; NULL: not checked */
    operand expected; /* or the result */
    double relative, absolute;
    bool signs;     /* 0 is not -0 */
    test_part part; /* what is being checked; with `why`, what failed */
    char *why;      /* what went wrong; NULL: nothing */

    /* For the runner. */
    bool derivatives;       /* whether to check derivatives, if the op has any */
    int gradients, seconds; /* numbers of first and second derivatives compared */
    void *user;
} test;

/* ---- parse.c ---- */

/* Parses a line. False, with `why` set, if it is malformed or there is no such op. Call test_free in either case. */
bool test_parse(test *t, const char *file, int number, const char *text);
void test_free(test *t);
/* What follows checks this part. */
void test_checks(test *t, test_part part);
/* Sets `why` unless it is already set. Returns false. */
__attribute__((format(printf, 2, 3))) bool test_fail(test *t, const char *format, ...);
/* The same with the library's error. */
bool test_library_failed(test *t, const char *what);
/* False if memory ran out; then `why` says so, or is empty if even that failed. */
bool test_memory(test *t, const void *memory);

/* ---- compare.c ---- */

/* Compares the elements with the expected ones; false with a report in t->why. `what` names them. */
bool numbers_match(test *t, const char *what, const operand *expected, const void *got);

/* ---- together.c ---- */

/* Tests whose calls differ only in their values, so that one program computes any of them. */
typedef struct group {
    int *at, n; /* the positions of its tests in the list */
} group;

/* The most different calls in one program. */
enum { TOGETHER = 64 };

/* The number of elements of the test's largest array. An engine may compile a program of tiny arrays faster, so those share one. */
int64_t test_largest(const test *t);
enum { TINY = 64 };

/* Sorts tests into groups, in the order of their first members; with `wide`, ignoring the float dtype. Returns the number of
 * groups, or -1 if memory ran out. Call groups_free in either case. */
int groups_make(test *const *t, int n, bool wide, group **groups);
void groups_free(group *groups);
/* Computes arrays together. Recorded nodes are counted: `early` evaluates what has been recorded so far if the program would get too large.
 */
typedef struct evaluation {
    vn_array **z;
    int n, done;
} evaluation;
bool evaluate_early(evaluation *e);
bool evaluate_rest(evaluation *e);

/* ---- values.c ---- */

/* How tests are checked. */
typedef struct checking {
    const char *engine;
    bool with_sums;                         /* also evaluate every result together with its sum, each pair as a separate program */
    void (*seen)(test *t, const void *got); /* called with a result before it is compared; may be NULL */
    bool fell_back;                         /* set if something falls back to native */
} checking;

/* Checks tests on the current engine: their results are computed as one program, or one per TOGETHER of them, then their derivatives.
 * Those that fail get a `why`. A failure that cannot be attributed to one of them (a failing program, leaked memory) is set for all.
 */
void tests_check(test *const *t, int n, checking *how);
/* A new array from an input; NULL for MISSING, or with the library's error set. */
vn_array *operand_array(const operand *o);
/* New arrays from the test's inputs, and the op on them. NULL with the library's error set. */
vn_array *test_compute(const test *t);
/* Runs the op on in[], with floats named by an option replaced by float64 where `wide`. */
vn_array *test_apply(const test *t, vn_array *const *in, bool wide);

/* ---- derivatives.c ---- */

/* Compares first and second derivatives at the tests' inputs with central differences in float64; for ops where gradients end, checks that
 * they do. Only for tests that request it, have something to differentiate and have not failed. */
void derivatives_check(test *const *t, int n);
/* Is input k differentiated? Float and complex ones are, but no real number beside complex arrays: as an array it would be float64, which not
 * every op takes there. */
bool test_differentiates(const test *t, int k);
/* Equal for tests that differ only in the float dtype, which have the same derivatives. */
uint64_t derivatives_key(const test *t);

#endif
