/* lines.h: the golden lines of conformance/cases and the lists of conformance/known, for the tests of the suite "ops". */
#ifndef VN_LINES_H
#define VN_LINES_H

#include "conformance/case.h"
#include "suite.h"

typedef struct line {
    char *file; /* without folders */
    int number;
    char *text;
    char op[NAME];
    bool readable, gives; /* it can be parsed; it has a result, not an error */
    vn_dtype dtype;       /* the dtype of the test whose case it is */
    bool small;           /* no array of it has more than TRIAL_ROOM elements */
} line;

/* All lines, read once; NULL with *n 0 and a text in lines_problem() when there are none. */
const line *lines_all(int *n);
const char *lines_problem(void);
/* Why the line is known to fail on the engine; NULL: it is not. */
const char *lines_known(const char *engine, const line *l);

#endif
