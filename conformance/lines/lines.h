/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h: the case lines of conformance/cases, and the known failures of each engine, conformance/known (files.c).
 */
#ifndef VN_LINES_H
#define VN_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/vinea.h>

enum { LINE_SMALL = 4096 };

typedef struct line {
    char *file; /* without folders */
    int number;
    char *text;
    char op[64];
    bool readable, gives; /* it can be parsed; it expects a result, not an error */
    vn_dtype dtype;       /* the dtype of the test it belongs to */
    bool small;           /* no array of it has more than LINE_SMALL elements */
    uint64_t key;         /* derivatives_key */
} line;

/* Sets the folder with cases/ and known/; NULL: the command's own. Must be called before lines are read, as must the next. */
void lines_from(const char *folder);
/* Selects only these: "path/to/some.case", or one line of it, "some.case:12". Their known/ is next to their folder. */
void lines_only(const char *place);
bool lines_are_few(void); /* whether lines_only was called */
/* All lines, read once; NULL with *n 0 and a message in lines_problem() if there are none. */
const line *lines_all(int *n);
const char *lines_problem(void);
/* Why something is known to fail on the engine, a case line, "cast.case:12", or a test, "002/lars_update"; NULL if it is not. */
const char *known_failure(const char *engine, const char *what);
const char *lines_known(const char *engine, const line *l);
/* Reports errors in the lines and in the engines' lists: lines that cannot be parsed or name no op, entries that name neither a line nor
 * a test, or have no reason. Returns their number. */
int lines_check(const char *const *engines, int n, bool (*is_test)(const char *id), void (*show)(const char *text));

#endif
