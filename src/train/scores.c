/* SPDX-License-Identifier: Apache-2.0 */
/* scores.c: losses and metrics as plain data: the number of a row of scores.def, and its options. metrics.c computes them. */
#include "nn/objects.h"
#include "core/options.h"
#include "core/state.h"
#include "ops/parameters.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The options of a loss or metric, by its number in its family, as numbers: a text as its place among those permitted. Its function was given
 * these parameters and fields. */
static int settle(const vn__family *family, int number, double *value, const void *opts, const char *letters, ...)
{
    const vn__object_row *row = vn__object_number(family, number);
    const vn_op_option *of = row->options;
    vn__options o;
    va_list given;
    o.n = 0;
    va_start(given, letters);
    for (; *letters; letters++) vn__put_parameter(&o, *letters, &given);
    va_end(given);
    int code = vn__put_rest(&o, row->function, of, row->fields, opts);
    for (int k = 0; k < o.n && !code; k++) {
        value[k] = of[k].kind == VN_OPT_FLOAT ? o.v[k].u.f : of[k].kind == VN_OPT_INT ? (double)o.v[k].u.i : 0;
        if (of[k].kind == VN_OPT_STRING)
            while (strcmp(of[k].texts[(int)value[k]], o.v[k].u.s) != 0) value[k]++;
    }
    return code;
}

#define ROWS_loss
#define ROWS_metric
#define FUNCTIONS_loss
#define FUNCTIONS_metric
#define MAKERS_loss
#define MAKERS_metric
#include "objects_table.inc"

int vn_loss_make(const char *name, const vn_option *options, int n, vn_loss *to)
{
    if (!to) return vn__fail(VN_E_NULL, "loss_make: to is NULL");
    return vn__object_make("loss_make", &vn__makers_loss, name, options, n, to);
}

int vn_metric_make(const char *name, const vn_option *options, int n, vn_metric *to)
{
    if (!to) return vn__fail(VN_E_NULL, "metric_make: to is NULL");
    return vn__object_make("metric_make", &vn__makers_metric, name, options, n, to);
}
