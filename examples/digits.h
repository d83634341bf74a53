/* digits.h: loads the 1,797 handwritten digits of data/digits.csv for the examples. */
#ifndef EXAMPLES_DIGITS_H
#define EXAMPLES_DIGITS_H

#include <stdio.h>
#include <vinea/vinea.h>

enum { DIGITS_TEST = 360 };                                   /* number of held-out rows: data/README.md */

typedef struct {
    vn_array *x;                                              /* pixels from 0 to 1, (n, 64) */
    vn_array *label;                                          /* int64, (n) */
} digits;

/* Reads the table (from the repository's root); its last rows are held out.
 * Returns 1, or 0 after printing an error, which may concern the engine. */
static inline int digits_load(digits *train, digits *test)
{
    VN_SCOPE;
    vn_array *table = vn_read_csv("data/digits.csv", VN_F32, VN_OPTS(csv, .header = 1)), *part[2] = {0};
    vn_split(table, 2, (const int64_t[]){vn_dim(table, 0) - DIGITS_TEST, DIGITS_TEST}, 0, part);
    for (int i = 0; i < 2; i++) {
        vn_array *columns[2] = {0};
        vn_split(part[i], 2, (const int64_t[]){64, 1}, 1, columns);
        digits *d = i ? test : train;
        d->x = vn_pass(vn_div(columns[0], vn_scalar(16)));
        d->label = vn_pass(vn_cast(vn_squeeze(columns[1], VN_AXES(1)), VN_I64));
    }
    vn_eval(4, (vn_array *[]){train->x, train->label, test->x, test->label});
    if (vn_status()) fprintf(stderr, "digits: %s\n", vn_message());
    return !vn_status();
}

/* Rows first ... first + n - 1 in the given order, which is a permutation of all of them. */
static inline digits digits_batch(const digits *all, vn_array *order, int64_t first, int64_t n)
{
    vn_array *rows = vn_rows(order, first, n);
    return (digits){vn_take(all->x, rows, 0), vn_take(all->label, rows, 0)};
}

#endif
