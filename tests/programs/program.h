/* SPDX-License-Identifier: Apache-2.0 */
/* program.h: random programs at realistic sizes. Shared by the files of the generator:
 *
 *     generate.c   generates a random program from the ops of the families
 *     patterns.c   several steps that belong together
 *     element.c    the families: for each op its result type, its plain loop, and how to choose its operands
 *     reduce.c  view.c  piece.c  index.c  product.c  norm.c  spectrum.c
 *     machine.c    runs the plain loops, step by step
 *     number.h     numbers with bounds on the error of a correct result
 *     program.c    a program's types and its text form
 *     run.c        runs a program on the library: lazily, op by op, and mixed
 *     compare.c    compares results bit by bit, and with the plain loops
 *     minimise.c   minimises a failing program
 *     workers.c    processes that run programs and may crash
 *     main.c       the command: options, failing programs, accumulated counts
 *
 * README.md documents its use. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <vinea/vinea.h>

#include "../../conformance/lines/table.h" /* internal ops, too */
#include "base/minmax.h"
#include "number.h"

enum { MAX_STEPS = 160, MAX_IN = 8, MAX_SETTINGS = 5, MAX_AXES = 8, MAX_LIST = 16, MAX_TEXT = 24, FILE_NAME = 512 };

/* The type of a value: dtype and shape. A weak one is a number that takes the other operand's dtype. */
typedef struct type {
    int dtype, rank;
    int64_t dims[MAX_AXES], count;
    bool weak;
} type;

typedef struct setting {
    char name[MAX_TEXT];
    int kind, n; /* vn_option_kind; of a list */
    int64_t ints[MAX_LIST];
    double real;
    char text[MAX_TEXT];
} setting;

/* The contents of an input. `limit` is for indices. */
typedef enum content { NORMAL, UNIFORM, POSITIVE, WHOLE, ONES, SPARSE, INDEX, BITS, SPECIAL, DATA_KINDS } content;
extern const char *const data_names[DATA_KINDS];

struct op;
typedef struct step {
    const struct op *op; /* NULL: an input, or a weak number */
    int part;            /* which of its results */
    int n_in, in[MAX_IN], n_settings;
    setting settings[MAX_SETTINGS];
    type type; /* of the result */
    bool output, donated, wrapped;
    int data;
    int64_t limit;
    uint64_t seed;
    double number;
} step;

typedef struct program {
    uint64_t seed;
    int n;
    step steps[MAX_STEPS];
} program;

/* ---- the plain loops ---- */

typedef struct machine {
    const program *p;
    num *values[MAX_STEPS];
    bool native; /* assumed by the bounds: sums are added in chunks, so that their errors stay bounded; functions take few roundings */
} machine;

double input_number(const step *s, int64_t i);       /* element i of an input */
void machine_step(machine *m, int k);                /* computes step k; values[k] is NULL if memory ran out */
machine *machine_run(const program *p, bool native); /* all of them. NULL: no memory */
void machine_free(machine *m);
double machine_growth(const machine *m, int64_t n); /* rounding errors in a sum of n, in units of one */

/* Iterates over the elements of a result and the corresponding elements of broadcast operands. */
typedef struct walk {
    int rank, n;
    int64_t dims[MAX_AXES], index[MAX_AXES], strides[4][MAX_AXES], at[4];
} walk;
void walk_begin(walk *w, const type *z);
void walk_operand(walk *w, const type *x);
void row_strides(const type *t, int64_t *strides);
static inline void walk_next(walk *w)
{
    for (int a = w->rank - 1; a >= 0; a--) {
        for (int k = 0; k < w->n; k++) w->at[k] += w->strides[k][a];
        if (++w->index[a] < w->dims[a]) return;
        w->index[a] = 0;
        for (int k = 0; k < w->n; k++) w->at[k] -= w->strides[k][a] * w->dims[a];
    }
}

/* ---- ops ---- */

struct generator;
typedef struct op {
    const char *name;
    bool (*infer)(const program *p, step *s); /* sets s->type; false: no such call */
    void (*compute)(const machine *m, const step *s, num *z);
    bool (*choose)(struct generator *g, step *s); /* its operands and settings; false: nothing fits */
    int weight;                                   /* how often it is chosen */
    unsigned traits;
    const void *row; /* of the family's own table */
} op;
enum {
    SMOOTH = 1,   /* continuous: differences of it make sense */
    PRODUCTS = 2, /* fused multiply-adds decide the last bits, which the baseline does not have */
    ORDERS = 4,   /* sorts: equal values get their gradients in the order of their positions */
    COMPLEX = 8   /* computes with complex numbers: record_complex calls the library */
};

const op *op_named(const char *name);
extern const op element_ops[], reduce_ops[], view_ops[], piece_ops[], index_ops[], product_ops[], norm_ops[],
    spectrum_ops[]; /* end with no name */
typedef struct family {
    const op *ops;
    int share; /* share of the steps of a program, in percent */
} family;
extern const family families[]; /* ends with no ops */
extern const op gradient_op;    /* grad loss x */
vn_array *record_complex(const step *s, vn_array *const *in);

/* ---- program.c ---- */

int64_t count_of(const type *t);
static inline bool is_float(int dtype)
{
    return (VN_BIT(dtype) & VN_FLOATS) != 0;
}
static inline bool is_half(int dtype)
{
    return (VN_BIT(dtype) & VN_HALF) != 0;
}
static inline bool is_int(int dtype)
{
    return (VN_BIT(dtype) & VN_INTS) != 0;
}
bool same_shape(const type *x, const type *y);
type type_of(int dtype, int rank, const int64_t *dims);
bool broadcast_types(type *z, const type *x); /* broadcasts z's shape; false: they do not fit */
const setting *setting_named(const step *s, const char *name);
int64_t whole_setting(const step *s, const char *name, int64_t fallback);
double real_setting(const step *s, const char *name, double fallback);
void set_whole(step *s, const char *name, int64_t value);
void set_real(step *s, const char *name, double value);
void set_list(step *s, const char *name, int n, const int64_t *values);
const type *operand_type(const program *p, const step *s, int k);
bool program_infer(program *p);             /* recomputes the types of all steps; false: invalid */
bool program_valid(const program *p);       /* it has an output, and all operands exist */
void program_clean(program *p);             /* drops what no output needs */
int64_t program_elements(const program *p); /* of the largest value */
bool program_has(const program *p, unsigned trait);
int program_outputs(const program *p);
void program_print(FILE *to, const program *p);
const char *program_parse(program *p, const char *text); /* NULL, or what is wrong */
const char *program_read(program *p, const char *file);

/* ---- generate.c ---- */

/* Sizes to aim at: of the thresholds' units. 0: any. */
typedef struct generator {
    uint64_t state;
    program *p;
    machine m;
    int dtype;
    int64_t elements, length, products, values; /* values: of the program */
    int64_t left;                               /* remaining budget of elements */
    const char *aim;                            /* the threshold, or NULL */
    const op *op;                               /* an op that uses it, or NULL */
    int only;                                   /* the value to pick, or -1 */
    bool special;                               /* inputs include infinities and NaN: any result is useful */
} generator;

uint64_t mix(uint64_t x);
uint64_t roll(generator *g);
int64_t below(generator *g, int64_t n); /* 0 .. n-1 */
bool chance(generator *g, double p);
int64_t log_uniform(generator *g, int64_t low, int64_t high);
int64_t some_length(generator *g, int64_t most); /* of an axis: at least 1 */
int64_t some_axis(generator *g, const type *t);  /* one of the target length, if there is one */
/* A value to work on: of a dtype in the set, with a rank in that range; recent ones first. -1: none. */
int pick(generator *g, uint32_t dtypes, int least_rank, int most_rank);
int pick_like(generator *g, int x, bool same_dtype); /* of x's shape, perhaps x itself */
int new_input(generator *g, type t, int data, int64_t limit);
int new_number(generator *g, double value);
type broadcast_shape(generator *g, type t); /* some axes 1, some leading ones gone */
int add_step(generator *g, step *s);        /* -1: undone */
/* patterns.c */
int add_call(generator *g, const char *name, int n, ...); /* a step of that op on n values; -1: undone */
void some_pattern(generator *g);
void many_values(generator *g, int64_t n); /* n values that are live at the same time */
void operands(step *s, int n, ...);
/* The program of a seed, and the plain loops with its results. NULL: no memory. *aimed: the threshold it aims at, or NULL. */
machine *generate(program *p, uint64_t seed, const char **aimed);
void list_thresholds(FILE *to);

/* ---- run.c ---- */

typedef enum manner { LAZY, EAGER, MIXED } manner; /* MIXED: some values are evaluated early, some handles get new values */
typedef struct outcome {
    int code;
    char message[300];
    int n;
    void *data[MAX_STEPS];
    size_t bytes[MAX_STEPS];
} outcome;
void put_element(void *data, int64_t i, int dtype, double v);
double get_element(const void *data, int64_t i, int dtype);
/* A program's inputs as elements of their dtypes. */
typedef struct inputs {
    void *data[MAX_STEPS];
    uint64_t hash;
} inputs;
bool inputs_make(const program *p, const machine *m, inputs *in); /* m: has them already, or NULL */
void inputs_free(inputs *in);
/* Runs n programs on the current engine, lazy ones as one evaluation. */
void run_programs(const program *const *p, const inputs *in, int n, manner how, outcome *out);
void outcome_free(outcome *o);
uint64_t outcome_hash(const outcome *o);

/* ---- compare.c ---- */

typedef enum verdict { FINE, ASIDE, WRONG, CRASHED, HUNG, VERDICTS } verdict;
extern const char *const verdict_names[VERDICTS];
typedef struct findings {
    verdict verdict;
    char what[600];
    uint64_t hash;     /* of the lazy results */
    double ratio;      /* the largest error, relative to its bound */
    const char *worst; /* the op with it */
} findings;
bool by_bits_alone(const program *p); /* it has special numbers, which the loops do not handle */
bool same_at_level(const program *p, const char *level); /* as at the best one, which NULL stands for too */
/* Checks p on the current engine; m: its results by plain loops, or NULL. On the native engine every mode of evaluation must give the same
 * bits. */
void check_program(const program *p, const machine *m, bool native, findings *j);
/* Compares the results of one run with the loops and sets the verdict. */
void compare_outcome(const program *p, const machine *m, const outcome *o, findings *j);

/* ---- minimise.c ---- */

typedef struct settings {
    const char *engine;
    int threads;       /* 0: all processors */
    const char *isa;   /* NULL: the best */
    int seconds;       /* for one program */
    bool all_settings; /* also other threads and levels */
} settings;
bool open_engine(const settings *s, const char *isa, int threads);
verdict check_in_child(const program *p, const settings *s, char *what, size_t room); /* in a separate process */
int minimise(program *p, const settings *s, int seconds);                             /* the number of programs tried */

/* ---- faults.c ---- */

/* Runs p on the native engine with each of its allocations failing. Returns how many failed; the library is closed then. */
int64_t fail_allocations(const program *p, const settings *s, findings *j);

#endif
