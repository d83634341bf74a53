/* SPDX-License-Identifier: Apache-2.0 */
/* command.h: shared by the files of the `vinea` command. A subcommand is one file: a function that uses the public API, and a `command`
 * struct that declares its arguments. main.c lists the commands, args.c parses command lines from the declarations, and help.c,
 * completion.c and manual.c generate usage, shell completion and the man page from them; print.c writes tables and JSON. */
#ifndef VN_COMMAND_H
#define VN_COMMAND_H

#include <vinea/types.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit codes, documented in the help text. */
enum {
    EXIT_GOOD = 0,
    EXIT_FAILED = 1,       /* stderr says what */
    EXIT_MISSING = 2,      /* an engine is not available here */
    EXIT_USAGE = 3,        /* usage error */
    EXIT_INTERRUPTED = 130 /* Ctrl-C */
};

typedef enum option_kind {
    OPTION_SWITCH, /* has no value */
    OPTION_TEXT,
    OPTION_FILE,
    OPTION_ENGINE,
    OPTION_COUNT,  /* a non-negative integer */
    OPTION_NUMBER, /* with a decimal point in any locale */
    OPTION_CHOICE  /* one of a list of words */
} option_kind;

/* An option, or a positional argument. */
typedef struct command_option {
    const char *name; /* an option's name without "--"; an argument's as in usage texts: "FILE" */
    option_kind kind;
    const char *value;          /* the value's name in usage texts; NULL: by kind */
    const char *about;          /* one line, lower case, without a full stop */
    const char *const *choices; /* OPTION_CHOICE, or the names in the list that a text is. NULL-terminated */
    int64_t low, high;          /* OPTION_COUNT: the range, if not 0 or more */
    int n_values;               /* number of values; 0: one */
    int hidden;                 /* internal, not documented */
    int composed;               /* OPTION_TEXT: the library reads the value, which may be more than one of the choices */
    int writes;                 /* OPTION_FILE: the command writes this file; it may be no other file of the line */
    char letter;                /* an option's short form, -n for 'n'; 0: none */
} command_option;

typedef struct command_args command_args;
typedef struct command {
    const char *name;
    const char *summary;           /* a line */
    const char *details;           /* lines for its own help; "" for none */
    const char *examples;          /* lines beginning with "vinea "; NULL for none */
    const command_option *words;   /* positional arguments, terminated by a NULL name; NULL for none */
    int required, max_words;       /* minimum and maximum number of arguments; -1: any number, repeating the last one */
    const command_option *options; /* terminated by a NULL name; NULL for none. --help always exists */
    int (*run)(const command_args *args);
    bool spins; /* it times engines, or runs programs of others: idle threads wait as the frameworks have them */
} command;

extern const char *program; /* how this command was called: "vinea", "build/vinea" */

/* The commands, in the order of the help text; NULL at the end. */
extern const command *const commands[];
extern const command command_engines, command_ops, command_models, command_train, command_predict, command_evaluate, command_data,
    command_inspect, command_launch, command_profile, command_bench, command_demo, command_check, command_report, command_completion,
    command_manual, command_version;

/* ---- a command line (args.c) ---- */

/* The parsed command line; values have been checked by kind. */
struct command_args {
    const command *command;
    int n; /* words */
    const char *const *words;
    const char *const *values; /* values of all options, in order; the last occurrence wins. NULL: not given */
    int n_line;                /* the original command line */
    char *const *line;
};
/* Reads the words after a command's name and runs it. Returns its exit code, or EXIT_USAGE. */
int run_command(const command *c, int argc, char **argv);
/* The value of an option by its name, which must be one of the command's. */
int given(const command_args *args, const char *option);
vn_dtype dtype_named(const char *name); /* VN_NO_DTYPE: there is none */
const char *text_of(const command_args *args, const char *option, const char *fallback);
const char *const *texts_of(const command_args *args, const char *option); /* of an option with several values; NULL: it was not given */
/* A file that is written, by an option of this name, is no other one of the line, which would be lost. EXIT_GOOD, or complains. */
int check_written(const command_args *args, const char *option, const char *path);
int64_t count_of(const command_args *args, const char *option, int64_t fallback);
double number_of(const command_args *args, const char *option, double fallback);
/* Parses the whole text as a number in the C locale; 0 if it is not one. */
int parse_number(const char *text, double *x);
/* "vinea: NAME: <text> (usage: ...)" on stderr; returns EXIT_USAGE. */
int misuse(const command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "; did you mean 'x'?", or "". `names` is NULL-terminated. */
const char *did_you_mean(const char *word, const char *const *names, char to[static 100]);
const char *const *command_names(void); /* NULL-terminated */

/* ---- text generated from the declarations ---- */
void print_help(FILE *to);                                /* of all commands */
void print_command_help(const command *c, FILE *to);      /* of one */
void usage_line(const command *c, char *to, size_t room); /* "train MODEL DATA [OPTIONS]" */
const char *value_name(const command_option *o);          /* "N", "FILE" ... */
extern const char *const exit_codes[];                    /* lines; NULL-terminated */

extern const char *const model_words[]; /* the built-in models (models.c); NULL-terminated */

/* ---- engines (engines.c) ---- */

/* Uses the engine. Returns EXIT_GOOD, or complains and returns EXIT_MISSING. */
int use_engine(const char *name);
/* The names of all engines, installed or not, without loading them; NULL-terminated. */
const char *engine_name(int i);

/* Trains the README's example on these engines, or on all, and prints a table (regression.c). Returns an exit code. */
int compare_engines(int n, const char *const *names);

/* `vinea report` of trainings (runs.c): one page that compares them. Returns an exit code. */
int compare_runs(const command_args *args);

/* engines_verbose.c: everything known about an engine. As JSON: the members that follow those of the short form. */
struct vn_engine_info;
int print_engine(const struct vn_engine_info *e, int json);

/* ---- measurements (median.c) ---- */

double median(double *numbers, int n); /* of one or more; sorts them */

/* "vinea: <text>" on stderr; returns EXIT_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *last_complaint(void); /* its text, for the other ranks of a training */
/* Starts a process that ends this one, which is about to become the launcher `name`, if it goes on after all that it started (guard.c). */
void guard_launcher(const char *name);

/* A JSON string, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
void print_json(const char *text);

/* A table of strings, filled row by row and printed with aligned columns; NULL cells are "-". The strings are copied; a NULL table is
 * empty. */
typedef struct table table;
table *table_new(int columns);                     /* NULL when out of memory */
int table_row(table *t, const char *const *cells); /* 0, or EXIT_FAILED when out of memory */
int table_rows(const table *t);
void table_print(const table *t);
void table_free(table *t);

#endif
