/* case.h: what is made of golden lines (lines.h). A line becomes a `test`, one call of an op and what is expected of it (parse.c); the
 * results of many tests are computed as one program (together.c) and compared (values.c, compare.c), and so are their derivatives, with
 * central differences (derivatives.c). number.c has dtypes on the host. The suite "ops" of `vinea check` (conformance/suite/ops.c) runs all
 * of it, on golden lines and on calls it makes up. */
#ifndef VN_CASE_H
#define VN_CASE_H

#include "number.h"

#include <stddef.h>

enum { MAX_IN = 16, MAX_OUT = 16, MAX_OPTIONS = 8, MAX_LIST = 40, NAME = 96 };

typedef enum operand_kind { ARRAY, WEAK, MISSING, ABSENT } operand_kind;

/* An input or an expected result. WEAK: a number as vn_scalar makes it; MISSING: NULL; ABSENT: VN_NONE. */
typedef struct operand {
    operand_kind kind;
    int dtype, rank;
    int64_t dims[VN_MAX_RANK], count;
    double *numbers; /* as written, also for integers (then perhaps rounded); of complex numbers both parts */
    void *data;      /* the same as elements of the dtype, row-major */
    bool reversed;   /* an array whose elements lie the other way round in memory */
} operand;

typedef struct setting {
    char name[NAME], text[NAME];
    int kind, n; /* vn_option_kind, length of a list */
    int64_t whole, list[MAX_LIST];
    double real;
} setting;

typedef struct test {
    const char *file; /* without folders */
    int line;
    char *text; /* the line, without what is around it */
    char op[NAME];
    int out;         /* which of its results */
    vn_op_info info; /* name is NULL for an op that is not in the table */
    operand in[MAX_IN];
    int n_in;
    setting options[MAX_OPTIONS];
    int n_options;
    bool wants_error;
    vn_code code;     /* the error wanted */
    char *message;    /* what its message holds; NULL: not looked at */
    operand expected; /* or the result */
    double relative, absolute;
    bool signs; /* 0 is not -0 */
    char *why;  /* what went wrong; NULL: nothing so far */

    /* For those who run it. */
    bool derivatives;       /* wanted, where the op has any */
    int gradients, seconds; /* how many derivatives of first and second order were compared */
    void *user;
} test;

/* ---- parse.c ---- */

/* Reads a line. False, with `why` set, when it is malformed or there is no such op. test_free in either case. */
bool test_parse(test *t, const char *file, int number, const char *text);
void test_free(test *t);
/* Sets `why` unless something is there already. Returns false. */
__attribute__((format(printf, 2, 3))) bool test_fail(test *t, const char *format, ...);
/* The same with the library's error. */
bool test_library_failed(test *t, const char *what);
/* False when memory is out; then `why` says so, or is empty for want of memory. */
bool test_memory(test *t, const void *memory);

/* ---- compare.c ---- */

/* Compares the elements with what is expected; false with a report in t->why. `what` names them. */
bool numbers_match(test *t, const char *what, const operand *expected, const void *got);

/* ---- together.c ---- */

/* Tests whose calls are alike but for the numbers in them: what computes one of them computes any. */
typedef struct group {
    int *at, n; /* where its tests stand in the list */
} group;

/* How many different calls become one program, at most. */
enum { TOGETHER = 64 };

/* Sorts tests into groups, in the order of their first members; where `wide`, the float dtype makes no difference. Returns how many there
 * are, or -1 when memory is out. groups_free in either case. */
int groups_make(test *const *t, int n, bool wide, group **groups);
void groups_free(group *groups);
/* Computes arrays together. Recorded nodes are counted: `early` evaluates what there is so far if a program of all of it would be too
 * large. */
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
    bool with_sums;                         /* every result also evaluated together with its sum, each pair a program of its own */
    void (*seen)(test *t, const void *got); /* is shown a result before it is compared; may be NULL */
    bool stood_in;                          /* set when native kernels compute something for the engine */
} checking;

/* Checks tests on the engine in use: their results are computed as one program, or one for each TOGETHER of them, then their derivatives.
 * Those that fail get a `why`. What cannot be blamed on one of them (a program that fails as a whole, memory that is left) all of them get.
 */
void tests_check(test *const *t, int n, checking *how);
/* A new array from an input, NULL for MISSING or with the library's error set. */
vn_array *operand_array(const operand *o);
/* New arrays from the test's inputs, and the op on them. NULL with the library's error set. */
vn_array *test_compute(const test *t);
/* Runs the op on in[], with floats named by an option replaced by float64 where `wide`. */
vn_array *test_apply(const test *t, vn_array *const *in, bool wide);

/* ---- derivatives.c ---- */

/* Derivatives at the tests' inputs, first and second, against central differences in float64; for ops where gradients end, that they do.
 * Looks at the tests that want it, have something to differentiate and have not failed. */
void derivatives_check(test *const *t, int n);
/* Equal for tests that differ in nothing but the float dtype: they have the same derivatives. */
uint64_t derivatives_key(const test *t);

#endif
