/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: numbers as elements of a dtype, on the host: rounding, writing, reading, parsing and distances. Independent of the library
 * under test, so that wrong conversions there are detected. */
#ifndef VN_NUMBER_H
#define VN_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/vinea.h>

bool is_float(int dtype);
bool is_complex(int dtype);
int parts_of(int dtype);   /* real numbers per element: 1 or 2 */
int part_dtype(int dtype); /* of one of them */
int widest(int dtype);     /* float64 or complex128 for a float or complex dtype, else itself */

/* Rounds x to what dtype holds. Float dtypes round to nearest even; integers toward zero, within their range. */
double number_round(double x, vn_dtype dtype);
double number_epsilon(vn_dtype dtype);
/* The number of values of the dtype between a and b. */
double number_ulps(double a, double b, vn_dtype dtype);
/* The relative and absolute tolerance of expected values of a dtype. */
double number_tolerance(int dtype);

/* Element i of an array of a real dtype; complex elements are accessed by parts. number_put rounds as number_round does. */
void number_put(void *data, int64_t i, int dtype, double v);
double number_get(const void *data, int64_t i, int dtype);
/* The same for integers, exactly; the bits for an unsigned dtype. */
int64_t number_whole(const void *data, int64_t i, int dtype);
/* Parses one number from *text, advances it, and writes element i; the parts go to v. NULL, or what is wrong. */
const char *number_parse(const char **text, int dtype, void *data, int64_t i, double *v);

#endif
