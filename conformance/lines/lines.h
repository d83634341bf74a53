/* lines.h: the golden lines of conformance/cases, and the lists of conformance/known: which of them an engine is known to fail (files.c).
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
    bool readable, gives; /* it can be parsed; it has a result, not an error */
    vn_dtype dtype;       /* the dtype of the test whose case it is */
    bool small;           /* no array of it has more than LINE_SMALL elements */
    uint64_t key;         /* derivatives_key */
} line;

/* The folder that has cases/ and known/; NULL: the one that comes with the command. Before lines are asked for, as the next. */
void lines_from(const char *folder);
/* Only these: "path/to/some.case", or one line of it, "some.case:12". Their known/ is beside their folder. */
void lines_only(const char *place);
bool lines_are_few(void); /* whether lines_only was called */
/* All lines, read once; NULL with *n 0 and a text in lines_problem() when there are none. */
const line *lines_all(int *n);
const char *lines_problem(void);
/* Why the line is known to fail on the engine; NULL: it is not. */
const char *lines_known(const char *engine, const line *l);
/* Shows what is wrong with the lines, and with the engines' lists: lines that cannot be parsed or name no op, entries that name no line or
 * have no reason. Returns how many there are. */
int lines_check(const char *const *engines, int n, void (*show)(const char *text));

#endif
