/* SPDX-License-Identifier: Apache-2.0 */
/* scores.c: losses and metrics as plain data: the number of a row of scores.def, and its options. metrics.c computes them. */
#include "nn/objects.h"
#include "core/options.h"
#include "core/state.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The options of a loss or metric as numbers: a text as its place among those permitted. o holds the parameters so far. */
static int settle(const char *who, const vn_op_option *of, const vn__struct *fields, const void *opts, vn__options *o, double *value)
{
    const int parameters = o->n;
    int code = fields ? vn__put_fields(o, who, fields, opts) : VN_OK;
    for (int k = 0; k < parameters && !code; k++)
        code = vn__check_range(who, &of[k], of[k].kind == VN_OPT_FLOAT ? o->v[k].u.f : (double)o->v[k].u.i);
    for (int k = 0; k < o->n && !code; k++) {
        value[k] = of[k].kind == VN_OPT_FLOAT ? o->v[k].u.f : of[k].kind == VN_OPT_INT ? (double)o->v[k].u.i : 0;
        if (of[k].kind == VN_OPT_STRING)
            while (strcmp(of[k].texts[(int)value[k]], o->v[k].u.s) != 0) value[k]++;
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
