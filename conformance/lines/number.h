/* number.h: numbers as elements of a dtype, on the host: rounded, written, read, parsed and measured. Independent of the library under
 * test, so that a wrong conversion there shows up. */
#ifndef VN_NUMBER_H
#define VN_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/vinea.h>

bool is_float(int dtype);
bool is_complex(int dtype);
int parts_of(int dtype);   /* how many real numbers an element is: 1 or 2 */
int part_dtype(int dtype); /* of one of them */
int widest(int dtype);     /* float64 or complex128 for a float or complex dtype, else itself */

/* Rounds x to what dtype holds. Float dtypes round to nearest even; integers toward zero, within their range. */
double number_round(double x, vn_dtype dtype);
double number_epsilon(vn_dtype dtype);
/* How many numbers of the dtype lie between a and b. */
double number_ulps(double a, double b, vn_dtype dtype);
/* The relative and absolute tolerance of golden values of a dtype. */
double number_tolerance(int dtype);

/* Element i of an array of a real dtype. Complex elements are read and written by parts. number_put rounds as number_round does. */
void number_put(void *data, int64_t i, int dtype, double v);
double number_get(const void *data, int64_t i, int dtype);
/* The same for integers, exactly; of an unsigned dtype the bits. */
int64_t number_whole(const void *data, int64_t i, int dtype);
/* Reads one number from *text, moves it on, and writes element i; the parts go to v. NULL, or what is wrong. */
const char *number_parse(const char **text, int dtype, void *data, int64_t i, double *v);

#endif
