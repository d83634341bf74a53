/* case.h: what the parts of the case runner share. A line of a case file becomes a `test` (parse.c), its numbers are written, read and
 * compared as elements of a dtype (number.c), its derivatives are held against differences (gradient.c), all of it is judged (judge.c).
 * run.c leads the program vinea-cases, conformance/suite/ops.c the same in `vinea check`. */
#ifndef CASE_H
#define CASE_H

#include <stdbool.h>
#include <vinea/vinea.h>

enum { MAX_IN = 8, MAX_OUT = 8, MAX_OPTIONS = 8, MAX_LIST = 40, NAME = 96 };

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
} test;

/* ---- parse.c ---- */

/* Reads a line. False, with `why` set, when it is malformed. test_free in either case. */
bool test_parse(test *t, const char *file, int line, const char *text);
void test_free(test *t);
/* Sets `why` unless something is there already. Returns false. */
__attribute__((format(printf, 2, 3))) bool test_fail(test *t, const char *format, ...);
/* False when memory is out; then `why` says so, or is empty for want of memory. */
bool test_memory(test *t, const void *memory);
bool is_float(int dtype);
bool is_complex(int dtype);
int parts_of(int dtype);   /* how many real numbers an element is: 1 or 2 */
int part_dtype(int dtype); /* of one of them */
int widest(int dtype);     /* float64 or complex128 for a float or complex dtype, else itself */

/* ---- number.c ---- */

/* Writes v, rounded to nearest even; integers take their text by number_parse. Complex elements are read and written by parts. */
void number_put(void *data, int64_t i, int dtype, double v);
double number_get(const void *data, int64_t i, int dtype);
/* Reads one number from *text, moves it on, and writes element i; the parts go to v. NULL, or what is wrong. */
const char *number_parse(const char **text, int dtype, void *data, int64_t i, double *v);
/* Compares count elements with what is expected; false with a report in t->why. `what` names them. */
bool numbers_match(test *t, const char *what, const operand *expected, const void *got);
/* The relative and absolute tolerance of a dtype. */
double number_tolerance(int dtype);

/* ---- gradient.c ---- */

typedef struct counts {
    long cases, values, gradients, second;
} counts;

/* Derivatives of the op at the test's inputs, first and second, against central differences in float64; for ops where gradients end,
 * that they do. Does nothing where there is nothing to differentiate. False with t->why set. */
bool gradient_check(test *t, counts *n);
/* The same, unless a case that differs in nothing but the float dtype had its turn before. */
bool gradient_check_once(test *t, counts *n);
/* Forgets which derivatives were checked already. */
void gradient_close(void);

/* ---- strict.c ---- */

/* Whether a case is the first of its pair of op and dtype, or of its op. */
bool strict_wants(const test *t, bool ops_only);
/* Notes how the case went. True, with t->why cleared, where native would have stood in; an error if nobody said so before. */
bool strict_judge(test *t, const char *engine);
/* Prints the pairs and their share; false where it is too small, if each op was run with each of its dtypes. */
bool strict_report(const char *engine, bool ops_only);

/* ---- judge.c ---- */

/* How a case is judged, and where the checks are counted. */
typedef struct judging {
    const char *engine;
    bool together;          /* also evaluated together with something else */
    bool derivatives, once; /* also derivatives; those of cases alike only once */
    counts *n;
    void (*seen)(const test *t, const void *got, void *user); /* is shown the result before it is compared; may be NULL */
    void *user;
} judging;

/* Runs the case on the engine in use. False with t->why set. */
bool test_run(test *t, const judging *j);
/* A new array from an input, NULL for MISSING or with the library's error set. */
vn_array *operand_array(const operand *o);
/* New arrays from the test's inputs, and the op on them. NULL with the library's error set. */
vn_array *test_compute(const test *t);
/* Runs the op on in[], with floats named by an option replaced by float64 where `wide`. */
vn_array *test_apply(const test *t, vn_array *const *in, bool wide);

#endif
