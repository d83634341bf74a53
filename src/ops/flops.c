/* SPDX-License-Identifier: Apache-2.0 */
/* flops.c: how many floating-point operations an instruction stands for: two for each product that is added up, and one for each element of
 * any other op, of its results or of its largest operand. An estimate by shapes, for profiles; bytes likewise. */
#include "ops/flops.h"
#include "base/minmax.h"
#include "row.h"

static const vn_desc *in(const vn_program *p, const vn_instr *i, int k)
{
    return &p->values[i->in[k]];
}

static double last(const vn_desc *d, int from_end)
{
    return d->rank >= from_end ? (double)d->dims[d->rank - from_end] : 1;
}

double flops_matmul(const vn_program *p, const vn_instr *i)
{
    return 2 * (double)p->values[i->out].count * last(in(p, i, 0), 1);
}

/* Each element of y (N, out..., O) and the filter's elements for one of the O channels. */
static double convolution(const vn_desc *y, const vn_desc *w)
{
    return w->count ? 2 * (double)y->count * ((double)w->count / last(w, 1)) : 0;
}

double flops_conv(const vn_program *p, const vn_instr *i)
{
    return convolution(&p->values[i->out], in(p, i, 1));
}

double flops_conv_input(const vn_program *p, const vn_instr *i)
{
    return convolution(in(p, i, 0), in(p, i, 1));
}

double flops_conv_filter(const vn_program *p, const vn_instr *i)
{
    return convolution(in(p, i, 1), &p->values[i->out]);
}

/* q (..., queries, features), k (..., keys, features), v (..., keys, width): the sizes of products with the scores. */
static double scores(const vn_program *p, const vn_instr *i, double with_features, double with_width)
{
    const vn_desc *v = in(p, i, 2), *out = &p->values[i->out];
    const double features = last(in(p, i, 0), 1), width = last(v, 1);
    return out->count ? 2 * ((double)out->count / last(out, 1)) * last(v, 2) * (with_features * features + with_width * width) : 0;
}

double flops_attention(const vn_program *p, const vn_instr *i)
{
    return scores(p, i, 1, 1);
}

/* The scores again, the cotangents of q and k; those of the weights and of v. The first result has the shape of q. */
double flops_attention_backward(const vn_program *p, const vn_instr *i)
{
    return scores(p, i, 3, 2);
}

/* Each step multiplies the states (B, H) by the weight (H, gates). */
static double steps(const vn_desc *states, const vn_desc *weight)
{
    return 2 * (double)states->count * last(weight, 1);
}

double flops_recurrence(const vn_program *p, const vn_instr *i)
{
    return steps(&p->values[i->out], in(p, i, 1));
}

double flops_recurrence_backward(const vn_program *p, const vn_instr *i)
{
    return steps(in(p, i, 2), in(p, i, 0));
}

int64_t vn__elements_read(const vn_program *p, const vn_instr *i, int k)
{
    const int op = k ? -1 : vn__op_find(i->op);
    const bool part = op >= 0 && vn__ops[op].info.traits & VN_OP_PART;
    return part ? vn__min(in(p, i, k)->count, p->values[i->out].count) : in(p, i, k)->count;
}

double vn__flops(const vn_program *p, const vn_instr *i)
{
    const int op = vn__op_find(i->op);
    const vn__op_extra *extra = op >= 0 ? vn__ops[op].extra : NULL;
    if (extra && extra->flops) return extra->flops(p, i);
    int64_t most = 0;
    for (int k = 0; k < i->n_in; k++) most = vn__max(most, vn__elements_read(p, i, k));
    for (int k = 0; k < i->n_out; k++) most = vn__max(most, p->values[i->out + k].count);
    return (double)most;
}
