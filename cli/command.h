/* command.h: what the parts of the command `vinea` share. main.c holds the table of commands and reads the command line; every command
 * is one function in a file of its own, on the public API only; print.c writes tables and JSON. */
#ifndef VN_COMMAND_H
#define VN_COMMAND_H

#include <stddef.h>
#include <stdio.h>

/* Exit codes, also in the help text. */
enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A command line after its command's name. */
typedef struct command_args {
    int json; /* --json was given */
    int n;    /* further words, for commands that take some */
    char *const *words;
} command_args;

int command_engines(const command_args *args);
int command_ops(const command_args *args);
int command_version(const command_args *args);
int command_demo(const command_args *args);
int command_inspect(const command_args *args);
int command_report(const command_args *args);
int command_check(const command_args *args);

/* "vinea: <text>" on stderr; returns EXIT_FAILED. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A JSON string, or null for NULL. Bytes that are not UTF-8 become U+FFFD. */
void print_json(const char *text);

/* A table of texts, filled row by row, printed with aligned columns; NULL cells are "-". The texts are copied; a NULL table is empty. */
typedef struct table table;
table *table_new(int columns);                     /* NULL when out of memory */
int table_row(table *t, const char *const *cells); /* 0, or EXIT_FAILED when out of memory */
int table_rows(const table *t);
void table_print(const table *t);
void table_free(table *t);

#endif
