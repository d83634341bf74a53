/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: the functions that conformance tests are written with.
 *
 * A test is a row (conformance_test) with a function that runs one case of it, a trial. A trial samples what it needs (sample_*), computes
 * on the current engine through the public API, and asserts (EXPECT, trial_*). It is independent of processes, tiers and reports:
 *
 *     static void run_exp(trial *t)
 *     {
 *         vn_shape s = sample_shape(t, 0, 3);
 *         double x[TRIAL_ROOM], want[TRIAL_ROOM];
 *         int64_t n = sample_reals(t, x, s, -4, 4);
 *         vn_array *a = trial_input(t, "x", x, s, t->dtype); // x is rounded to the array's values
 *         for (int64_t i = 0; i < n; i++) want[i] = exp(x[i]);
 *         trial_result(t, "exp", vn_exp(a), t->dtype, s, want);
 *     }
 *
 * Samples depend only on the seed, the test and the number of the case, never on earlier cases. Every sample is recorded,
 * so that a failing case can be run again with smaller choices (shrink.c) without any code in the test. Files: sample.c,
 * expect.c, array.c, example.c (an op against a plain loop, with gradients); conformance/lines/number.h handles dtypes on the host. */
#ifndef VN_SUITE_H
#define VN_SUITE_H

#include "conformance/lines/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vinea/vinea.h>

/* ---- tests ---- */

typedef enum truth { TRUTH_CLOSED, TRUTH_GOLDEN, TRUTH_DIFFERENCE, TRUTH_AGREEMENT } truth;

/* What an assertion is about. */
typedef enum check_kind {
    CHECK_VALUE,
    CHECK_DTYPE,
    CHECK_SHAPE,
    CHECK_GRADIENT,
    CHECK_SECOND,
    CHECK_TREE,
    CHECK_OUT,
    CHECK_KINDS
} check_kind;

typedef enum tier { TIER_QUICK, TIER_FULL, TIER_SOAK } tier;

typedef struct trial trial;
struct plan;
struct example;

/* Something that a test excludes, shown on the dashboard. engine NULL: on every engine. With a dtype (not NULL), its cases are not run.
 */
typedef struct exclusion {
    const char *engine, *dtype, *what, *why;
} exclusion;

typedef struct conformance_test {
    const char *suite;    /* "seeds/002", "ops/elementwise": one table of the dashboard */
    const char *id;       /* "002/lars_update": unique */
    const char *name;     /* "test_lars_update" */
    const char *function; /* what it is about */
    const char *what;     /* what it checks, in a sentence */
    truth truth;
    double rtol, atol; /* the tolerance that determines the state: |got - want| <= atol + rtol |want| */
    double k, depth;   /* the strict tolerance: k * eps(dtype) * depth; 0: 8 and 1 */
    uint32_t dtypes;   /* VN_BIT set of the dtypes it runs in; 0: all four float dtypes */
    int cases;         /* cases that the quick tier runs per dtype, and structures it samples for them; 0: 4 */
    bool fixed;        /* more cases would not add anything: every tier runs `cases` */
    /* If set, replaces `cases`: the number of the k-th case that the plan selects in the dtype, -1 after the last. */
    int (*number_at)(const struct conformance_test *row, const struct plan *p, vn_dtype dtype, int k);
    void (*run)(trial *t);
    /* If set: runs up to TRIALS of the test's trials as one program. */
    void (*run_many)(trial *const *t, int n);
    /* If set: the name of a case, such as "math.case:12". */
    void (*name_case)(const trial *t, char *to, size_t room);
    /* If set: a case in C without running it; the caller frees it. Otherwise its source is the program. */
    char *(*program)(trial *t);
    const void *data; /* for functions used by several rows */
    const exclusion *excluded;
    int n_excluded;
    const char *file; /* where the row is: TEST_PLACE. NULL: it is made at run time */
    int line;
    int ranks; /* of a test that runs on several processes; 0: on this one */
} conformance_test;
#define TEST_PLACE .file = __FILE__, .line = __LINE__

/* A suite's rows are in the order of the dashboard. list.c lists the suites. */
typedef struct suite {
    const char *name; /* "seeds" */
    const conformance_test *(*tests)(int *n);
} suite;

extern const suite suite_seeds, suite_ops, suite_nn, suite_ranks;

/* ---- a trial ---- */

enum {
    TRIAL_ROOM = 4096, /* elements of an input or a result */
    TRIAL_INPUTS = 16,
    TRIAL_TEXT = 480,
    TRIALS = 512 /* the most trials of a test that run together */
};

/* What was sampled, in order. */
typedef struct choice {
    double value, low, high;
    bool whole;     /* an integer */
    bool structure; /* a size, a variant, a switch: what determines the program */
} choice;

/* The worst element, by the ratio of its error to the tolerance. */
typedef struct worst {
    bool any;
    check_kind check;
    char what[48], index[64];
    double expected, got, abs, rel, ulp, ratio, tolerance; /* tolerance: of this element */
} worst;

/* An array a trial used, for the file of a failing case. */
typedef struct trial_array {
    char name[32];
    vn_dtype dtype;
    vn_shape shape;
    int64_t count;
    double *values;
} trial_array;

typedef struct trial_outcome {
    vn_code code; /* an unexpected error of the library */
    int64_t assertions[CHECK_KINDS], failed[CHECK_KINDS], strict_failed[CHECK_KINDS];
    double max_abs, max_rel, max_ulp, ratio, strict_ratio;
    worst worst;
    bool nonfinite;           /* the first failure: infinite or NaN, but finite was expected */
    bool failing;             /* something failed */
    check_kind first;         /* what failed first */
    char message[TRIAL_TEXT]; /* of the first failure */
    char strict_message[TRIAL_TEXT];
    bool fell_back; /* something fell back to native */
} trial_outcome;

struct trial {
    const conformance_test *test;
    const struct plan *plan;
    uint64_t seed;
    int number;     /* of the case */
    int structure;  /* number of its structure: cases of the quick tier share structures */
    vn_dtype dtype; /* the case's */
    tier tier;
    const char *engine;
    bool strict;  /* the strict tolerance decides the state */
    bool say;     /* print every comparison that fails, and the worst that does not */
    bool company; /* its program is that of all trials it runs with */
    choice *choices;
    int n_choices, room, n_given; /* n_given: number of prescribed choices */
    int sampled;
    trial_array inputs[TRIAL_INPUTS];
    int n_inputs;
    char *program; /* the failing case in C, or NULL */
    /* If set: called with an example that failed, and what was expected. */
    void (*failed)(trial *t, const struct example *e, const double *want);
    trial_outcome outcome;
};

/* ---- sampling ---- */

/* Values: they differ from case to case. */
double sample_real(trial *t, double low, double high);
/* Fills x with as many numbers as the shape has; returns their number. */
int64_t sample_reals(trial *t, double *x, vn_shape s, double low, double high);
/* A float that is often 0, -0, 1, infinite, NaN, subnormal, the largest or the smallest normal one of the trial's dtype. */
double sample_special(trial *t);
/* A key for random numbers of the library. */
uint64_t sample_seed(trial *t);

/* Structure: equal in cases of the same structure, so that an engine that compiles gets few programs. */
int64_t sample_int(trial *t, int64_t low, int64_t high);
/* Whether an optional argument is given; shrinks to false. */
bool sample_switch(trial *t);
/* 0 to n-1, in turn from case to case. */
int sample_variant(trial *t, int n);
/* One of the twelve shapes of sample.c with a rank in that range; sizes 0 and 1 are among them. */
vn_shape sample_shape(trial *t, int low_rank, int high_rank);
/* A shape that broadcasts against s: axes left out in front or of size 1. */
vn_shape sample_broadcast(trial *t, vn_shape s);

/* ---- arrays ---- */

int64_t shape_size(vn_shape s);
/* An array of the dtype, on the engine, and x rounded to what it holds. */
vn_array *number_array(double *x, vn_shape s, vn_dtype dtype);
/* The elements of an array of a real dtype as doubles, at most `room`; false: it cannot be read, or there are more. Evaluates x. */
bool number_read(vn_array *x, double *to, int64_t room);

/* Keeps values as an input of the case, for its file; at most TRIAL_INPUTS of them. */
void trial_remember(trial *t, const char *name, const double *x, vn_shape s, vn_dtype dtype);
/* number_array, recorded as an input of the case. */
vn_array *trial_input(trial *t, const char *name, double *x, vn_shape s, vn_dtype dtype);

/* ---- asserting ---- */

/* dtype, shape and every value; NULL fails. */
void trial_result(trial *t, const char *what, vn_array *got, vn_dtype dtype, vn_shape shape, const double *want);
/* Values by the test's tolerances. shape may be NULL: a list. */
void trial_compare(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, const vn_shape *shape);
/* One value with its own tolerance, |got - want| <= tolerance max(1, |want|), which determines the state. */
void trial_near(trial *t, check_kind kind, const char *what, double got, double want, double tolerance);
/* The same for a list. */
void trial_near_list(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, double tolerance,
                     const vn_shape *shape);
/* Values by |got - want| <= base + slope |want|, strictly too. */
void trial_within(trial *t, check_kind kind, const char *what, const double *got, const double *want, int64_t n, const vn_shape *shape,
                  double base, double slope);
/* What EXPECT and EXPECT_FAILS expand to. */
bool trial_expect(trial *t, check_kind kind, bool holds, const char *text);
void trial_expect_failed(trial *t, vn_code code, const char *text, const char *call);
/* Records whether x needs a fallback to native. Call it before x is evaluated. */
void trial_explain(trial *t, vn_array *x);
/* The strict tolerance of its test in its dtype. */
double trial_strict_tolerance(const trial *t);

/* The condition holds. */
#define EXPECT(t, kind, condition) trial_expect(t, kind, condition, #condition)
/* The call fails with that code and a message that contains `text`; the error is cleared. */
#define EXPECT_FAILS(t, call, code, text)          \
    do {                                           \
        vn_clear();                                \
        (void)(call);                              \
        trial_expect_failed(t, code, text, #call); \
    } while (0)

/* ---- examples: one op against a plain loop in double ---- */

enum { EXAMPLE_INPUTS = 8, EXAMPLE_OPTIONS = 8, EXAMPLE_LISTS = 6 };

typedef struct example example;
struct example {
    const char *op;
    int result;    /* the index of the result to check */
    int64_t count; /* elements of the result */
    vn_shape shape;
    void (*loop)(const example *e, double *out); /* fills `count` numbers from in[] */
    const void *data;                            /* for the loop */
    int n_in, n_options, n_lists;
    vn_shape in_shape[EXAMPLE_INPUTS];
    double in[EXAMPLE_INPUTS][TRIAL_ROOM];
    bool number[EXAMPLE_INPUTS];   /* a weak number */
    bool constant[EXAMPLE_INPUTS]; /* not differentiated */
    vn_option options[EXAMPLE_OPTIONS];
    int64_t lists[EXAMPLE_LISTS][2 * VN_MAX_RANK];
};

/* An input of uniform numbers, a weak number, and options, in the order of the op. */
void example_sample(trial *t, example *e, vn_shape s, double low, double high);
void example_number(example *e, double v);
void example_int(example *e, const char *name, int64_t v);
void example_float(example *e, const char *name, double v);
void example_text(example *e, const char *name, const char *v);
void example_list(example *e, const char *name, const int64_t *items, int n);

/* Runs the op in the trial's dtype and compares dtype, shape and values with the loop. In float64 the gradients of the result's mean are
 * compared with central differences of the loop, and in the longer tiers second gradients with differences of the first. */
void example_check(trial *t, example *e);

#endif
