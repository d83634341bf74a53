/* SPDX-License-Identifier: Apache-2.0 */
/* running_mean.c: weighted running means: the loss of an epoch, the accuracy on a test set. */
#include "nn/nn.h"
#include "base/floats.h"
#include "core/state.h"
#include <math.h>

/* Compensated summation: a million batches lose no digits. */
static void add(double *sum, double *lost, double x)
{
    double s = *sum + x;
    if (isfinite(s)) *lost += fabs(*sum) >= fabs(x) ? *sum - s + x : x - s + *sum;
    *sum = s;
}

int vn_running_add(vn_running *r, double value, double weight)
{
    VN__FLOATS;
    static const char who[] = "running_add";
    if (!r) return vn__fail(VN_E_NULL, "%s: r is NULL", who);
    if (!(weight >= 0) || isinf(weight)) return vn__fail(VN_E_ARG, "%s: a weight of %g; 0 or more is needed", who, weight);
    if (weight == 0) return VN_OK;
    add(&r->sum, &r->lost, value * weight);
    r->weight += weight;
    return VN_OK;
}

double vn_running_value(const vn_running *r)
{
    VN__FLOATS;
    if (!r) return vn__fail(VN_E_NULL, "running_value: r is NULL"), NAN;
    return r->weight > 0 ? (r->sum + r->lost) / r->weight : NAN;
}

int vn_running_reset(vn_running *r)
{
    if (!r) return vn__fail(VN_E_NULL, "running_reset: r is NULL");
    *r = (vn_running){0};
    return VN_OK;
}
