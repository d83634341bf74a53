/* SPDX-License-Identifier: Apache-2.0 */
/* runner.h: running conformance tests; suite.h has the functions to write them with.
 *
 * list.c     the list of tests, and selecting them
 * case.c     one case: running, repeating and minimising it (shrink.c); saving failing ones (casefile.c)
 * cell.c     all cases of a test on one engine: a cell of the dashboard
 * child.c    a process that runs the tests of one engine and sends its cells
 * process.c  such a process, seen from the parent
 * workers.c  the processes of all engines: monitors time and memory, collects cells
 * write.c    report.json
 * Engines are isolated in child processes: whatever an engine does affects only the running cell. */
#ifndef VN_RUNNER_H
#define VN_RUNNER_H

#include "conformance/report/report.h" /* the states of cells */
#include "suite.h"

enum {
    PLAN_ENGINES = REPORT_MAX_ENGINES,
    CELL_REASON = 20,
    CELL_NAME = 32,
    CELL_ENGINE = 64,
    CELL_INPUT = 2048, /* the minimised failing input as text, truncated if longer */
    CELL_WORDS = 400   /* an engine's last output */
};

/* ---- the plan ---- */

/* How cases are computed: many as one program, each alone, or both. */
typedef enum programs { PROGRAMS_BY_TIER, PROGRAMS_ALONE, PROGRAMS_TOGETHER, PROGRAMS_BOTH } programs;

typedef struct plan {
    const char *engines[PLAN_ENGINES];
    int n_engines;
    bool named;        /* engines were named by the user: a missing one is a failure */
    const char *suite; /* NULL: all; "seeds", "seeds/002" */
    const char *test;  /* NULL: all; an id, a name, or a name without test_ */
    uint32_t dtypes;   /* VN_BIT set; 0: all a test has */
    tier tier;
    int examples; /* cases per test and dtype; 0: as the tier has it */
    int sample;   /* run one in this many random cases and derivatives of case lines; 0: all */
    bool brief;   /* run each test in one dtype of each kind, and every second case line */
    int share;    /* run one in this many tests of each table (nn/optimizers, ops/composed ...) unless one is named; 0: all */
    uint64_t seed;
    bool strict;        /* the strict tolerance determines the state */
    programs programs;  /* by tier: the quick one together, the others both */
    int alone;          /* a test whose cases run alone whatever `programs` says; -1: none */
    int number;         /* --case; -1: all */
    bool print_program; /* print that case as a C program, and do not run it */
    bool stop;          /* stop after the first failure, without minimising it */
    bool verbose;       /* list every failing case */
    const char *out;    /* folder of the report; NULL: there is none */
    const char *baseline;
    bool by_line; /* only some case lines */
    bool plain, quiet;
    int jobs;
    double seconds;           /* limit of one test */
    double mebibytes;         /* limit of a child's resident memory */
    const char *const *words; /* the command line, for children */
    int n_words;
} plan;

/* Does the plan's sample include something with that hash? It differs for each commit. */
bool is_sampled(const plan *p, uint64_t hash);
/* Which half of the case lines a brief plan takes, 0 or 1, by the commit. */
int second_half(void);
/* The dtypes in which the plan runs a test, a set of VN_BIT. A brief plan takes one of each kind
 * that has cases, another one for each test and commit. */
uint32_t list_dtypes(const plan *p, const conformance_test *test);

/* ---- tests ---- */

/* The tests that the plan selects, in order; NULL with *n 0 if there are none or memory ran out. The caller frees the list. */
const conformance_test **list_tests(const plan *p, int *n);
/* The suites there are, in order. */
const suite *const *list_suites(int *n);
/* Why the test excludes the engine's cases of that dtype; NULL if it does not. */
const exclusion *list_excluded(const conformance_test *test, const char *engine, const char *dtype);
bool is_test(const char *id);
/* The seed dashboard's verdict for a cell: "success", "failure", "" for an empty cell, NULL for a test or engine it does not have. */
const char *matrix_verdict(const conformance_test *test, const char *engine);

/* ---- cells ---- */

extern const char *const check_kind_names[CHECK_KINDS];

typedef enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL } verdict;

/* Plain data, sent by children as it is. */
typedef struct cell {
    report_state state;
    char reason[CELL_REASON], message[TRIAL_TEXT];
    int64_t cases, assertions;
    double milliseconds, max_abs, max_rel, max_ulp, ratio, strict_ratio;
    verdict strict, kinds[CHECK_KINDS], dtypes[VN_DTYPE_END];
    char strict_message[TRIAL_TEXT];
    worst worst;
    bool failing;     /* a check failed, */
    check_kind first; /* of this kind first: the errors are those of it */
    int worst_case;
    vn_dtype worst_dtype;
    bool fell_back;
    bool company;    /* the failing case passes alone, but fails in a combined program */
    int failed_case; /* the first that failed, -1 for none */
    vn_dtype failed_dtype;
    char case_file[160]; /* relative to the report's folder; empty if none was written */
    char input[CELL_INPUT];
} cell;

/* ---- cases ---- */

/* Sets up a trial of case `number`; choices may be prescribed before it runs. */
void trial_open(trial *t, const conformance_test *test, const plan *p, const char *engine, int number, vn_dtype dtype);
/* Runs it with its first n_given choices prescribed. */
void trial_run(trial *t);
/* The same for up to TRIALS trials of a test that can run them together. */
void trials_run(trial *const *t, int n);
void trial_close(trial *t);
/* The name of its case. */
void trial_name(const trial *t, char *to, size_t room);
/* Is the outcome a failure, and for what reason? "" if not. */
const char *trial_reason(const trial *t);

/* Minimises the choices of a failing trial while it fails for the same reason: at most 200 tries or 5 seconds. t ends as the smallest
 * one, already run. */
void shrink(trial *t);

/* Its path in the report's folder, "cases/002-lars_update-torch.json", or with another ending; false if it does not fit. */
bool case_path(const conformance_test *test, const char *engine, const char *ending, char *to, size_t room);
/* Writes the file of a failing case: original and minimised input. Returns whether it was written. */
bool case_write(const plan *p, const char *path, const trial *first, const trial *smallest);
/* Reads the choices of the minimised input into t, which has none yet; false: no such file, or not for this test and dtype. */
bool case_read(const char *path, trial *t, char *problem, size_t room);
/* The inputs as text, one per line, truncated to the room. */
void case_text(const trial *t, char *to, size_t room);

/* A failing case as a C program that fails in the same way. snippet.c: of an example, as the trial's program, unless its derivatives fail;
 * of a case line or a random call. source.c: of any other test, with the trial's choices. The caller frees it; NULL: there is none, or
 * memory ran out. */
void example_failed(trial *t, const example *e, const double *want);
struct test;
char *line_program(const trial *t, const struct test *c);
char *lines_program(const trial *t, struct test *const *c, int n, int which); /* which fails with the others, but not alone */
char *source_program(const trial *t);
/* The case of a trial that has not run; as above. */
char *trial_program(trial *t);
/* "VN_F32" */
const char *dtype_word(vn_dtype dtype);
/* Writes the program beside the case's file, with the ending .c, or reads it; the caller frees it. */
void program_write(const plan *p, const conformance_test *test, const char *engine, const char *program);
char *program_read(const plan *p, const conformance_test *test, const char *engine);

/* Callbacks, which may be NULL: `n` cases are about to run, the first of them t; a case failed. */
typedef struct observer {
    void (*running)(void *user, const trial *t, int n);
    void (*failed)(void *user, const trial *t, const char *message);
    void *user;
} observer;

/* Runs every case of the test that the plan selects, on the current engine. The observer may be NULL. */
void cell_run(const conformance_test *test, const plan *p, const char *engine, cell *c, const observer *o);
int cell_cases(const conformance_test *test, const plan *p);

/* ---- processes ---- */

/* What a child sends. */
typedef enum record_kind { RECORD_ENGINE, RECORD_FURTHER, RECORD_START, RECORD_FAILED, RECORD_CELL, RECORD_END } record_kind;

typedef struct record {
    uint64_t mark;
    record_kind kind;
    int test;                 /* number in the plan's list */
    bool listed;              /* RECORD_ENGINE: there is an engine of that name */
    bool available;           /* RECORD_ENGINE: it could be loaded */
    char version[CELL_NAME];  /* RECORD_ENGINE */
    char message[TRIAL_TEXT]; /* RECORD_ENGINE; RECORD_FURTHER: another engine of the plugin; RECORD_FAILED: of a failing case */
    cell cell;                /* RECORD_CELL */
    double mebibytes;         /* RECORD_CELL: the process's current memory */
} record;
#define RECORD_MARK UINT64_C(0x31637276616e6976)

/* What a child is running, in memory shared with its parent, in case it dies. */
typedef struct running {
    int cases;  /* number of cases in one program */
    int number; /* of the first */
    vn_dtype dtype;
    char name[CELL_NAME]; /* of the first */
} running;

/* The child's side: runs the plan's tests from `first` on on the engine, sending records to fd and writing what is running to the file at
 * fd + 1. Returns its exit status. */
int child_run(const plan *p, const char *engine, int first, int fd);
/* Runs one case and prints it, for `--case`. Returns the exit status of its verdict; case_run does it in a separate process. */
int case_run(const plan *p, const char *engine, const conformance_test *test);
int child_case(const plan *p, const char *engine, const conformance_test *test);

typedef struct engine_run {
    char name[CELL_ENGINE];
    bool present; /* it could be loaded */
    bool unknown; /* there is no engine of that name */
    char version[CELL_NAME];
    char load_error[TRIAL_TEXT]; /* why it is not available, or why it disappeared */
    char failure[TRIAL_TEXT];    /* how its process failed after the last test */
    cell *cells;                 /* one per test of the run */
    int done;
    double seconds;
} engine_run;

typedef struct run {
    const plan *plan;
    const conformance_test **tests;
    int n_tests;
    engine_run engines[PLAN_ENGINES];
    int n_engines;
    double seconds;
    bool interrupted;
    bool stopped; /* after the first failure, if the plan says so */
    char utc[32];
} run;

/* Adds a column; false if memory ran out. */
bool run_add_engine(run *r, const char *name);
/* Runs everything; false if nothing could be started (stderr says why). run_free frees the result. A plan without named engines also runs
 * those that only their plugins know, such as "torch:cuda": each follows the engine of its plugin. */
bool pool_run(run *r);
void run_free(run *r);
/* Progress callbacks. */
void progress_begin(const run *r);
void progress_failed(const run *r, const engine_run *e, int test, const char *message);
void progress_cell(const run *r, const engine_run *e, int test);
void progress_engine(const run *r, const engine_run *e);
void progress_tick(const run *r);
void progress_end(const run *r);
/* The command that runs a cell's failing case again, or the cell. */
void repro_line(const run *r, const engine_run *e, int test, char *to, size_t room);

/* Creates the report's folder. */
bool report_folder(const plan *p, char *problem, size_t room);
/* Writes report.json into the plan's folder. */
bool report_write(const run *r, char *problem, size_t room);

/* A JSON number; NaN and infinities as strings. (struct text: conformance/report/inside.h) */
struct text;
void put_number(struct text *t, double x);

#endif
