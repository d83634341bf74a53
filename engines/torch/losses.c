/* SPDX-License-Identifier: Apache-2.0 */
/* losses.c: losses, without weights and where no gradient is needed. */
#include "work.h"

#include <math.h>
#include <string.h>

static const torch_op huber = {"aten::huber_loss", "", "01ir"};
static const torch_op smooth_l1 = {"aten::smooth_l1_loss", "", "01ir"};
static const torch_op of_classes = {"aten::nll_loss_forward", "", "01nii>Tx"};
static const torch_op move_axis = {"aten::movedim", "int", "0ii"};

static const helper helpers[] = {{&huber, MATRIX_OF(VN_F32)}, {&smooth_l1, MATRIX_OF(VN_F32)}, {&move_axis, MATRIX_OF(VN_F32)}};
family losses = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* torch's number of a reduction. */
static int64_t reduction_of(const vn_option *o)
{
    return !strcmp(o->u.s, "mean") ? 1 : !strcmp(o->u.s, "sum") ? 2 : 0;
}

enum { BEND, REDUCTION }; /* options */

static int bent_loss(const vn_kernel_call *call, const recipe *r, const torch_op *op)
{
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    return end(&w, with(&w, op, TENSORS(call->in[0]->t, call->in[1]->t), OPTIONS(INT(reduction_of(&o[REDUCTION])), o[BEND])));
}

int huber_loss(const vn_kernel_call *call, const recipe *r)
{
    return bent_loss(call, r, &huber);
}

int smooth_l1_loss(const vn_kernel_call *call, const recipe *r)
{
    return bent_loss(call, r, &smooth_l1);
}

enum { AXIS, IGNORED, HOW }; /* options of nll_loss: the last is its reduction */

/* Class numbers that torch accepts. The loss is NaN where one is no class, which torch refuses. */
typedef struct classes {
    tensor *at;    /* (n) */
    tensor *wrong; /* bool (n); NULL: all are classes, or ignored */
} classes;

static classes classes_of(work *w, int64_t n_classes, int64_t ignored)
{
    const vn_desc *d = desc_in(w->call, 1);
    const int64_t n = d->count;
    tensor *dense = row_major(w, w->call->in[1]->t, d);
    classes c = {rows_view(w, dense, 1, &n, 0), NULL};
    const int64_t *given = data_of(w, c.at);
    int64_t bad = 0;
    for (int64_t i = 0; i < n && given; i++) bad += given[i] != ignored && (given[i] < 0 || given[i] >= n_classes);
    if (!bad || w->code) return c;
    c.at = fresh(w, 1, &n, VN_I64);
    c.wrong = fresh(w, 1, &n, VN_BOOL);
    int64_t *to = room_of(w, c.at);
    uint8_t *mark = room_of(w, c.wrong);
    for (int64_t i = 0; i < n && !w->code; i++) {
        mark[i] = given[i] != ignored && (given[i] < 0 || given[i] >= n_classes);
        to[i] = mark[i] ? ignored : given[i];
    }
    return c;
}

int nll_loss(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0), *out = desc_out(call);
    const vn_option *o = call->instr->options;
    const int64_t axis = o[AXIS].u.i, n = x->dims[axis], reduction = reduction_of(&o[HOW]);
    work w = begin(call, r);
    tensor *scores = call->in[0]->t;
    const classes c = classes_of(&w, n, o[IGNORED].u.i);
    if (axis != x->rank - 1) scores = with(&w, &move_axis, TENSORS(scores), OPTIONS(INT(axis), INT(-1)));
    scores = reshaped(&w, scores, 2, (int64_t[]){x->count / n, n});
    tensor *z = with(&w, &of_classes, TENSORS(scores, c.at), OPTIONS(INT(reduction), o[IGNORED]));
    if (c.wrong && reduction) fill(&w, z, NAN);
    else if (c.wrong) z = binary(&w, &with_nan_where, z, c.wrong);
    return end(&w, reshaped(&w, z, out->rank, out->dims));
}
