/* SPDX-License-Identifier: Apache-2.0 */
/* row.h: for the implementation of rows of ops.def. Rules determine shape and dtype (rules.c); gradients and compositions are written in
 * public ops (vjp.c, compose.c); larger families have a file with all three (conv.c, index.c ...).
 * The functions that rows name are declared by generated code. */
#ifndef VN_ROW_H
#define VN_ROW_H

#include "base/minmax.h"
#include "core/text.h"
#include "core/state.h"
#include "ops/op.h"
#include "program/node.h"

typedef int vn__rule(vn__infer *i);
typedef vn_array *vn__vjp(const vn__vjp_args *a, int k);
typedef vn_array *vn__composition(vn_array *const *in, const vn__infer *i);
typedef double vn__counter(const vn_program *p, const vn_instr *i);
/* Also the number of each option in options->v and a->options, OPT_<OP>_<OPTION>. A function of several rows takes those of one;
 * _Static_assert(AGREE(...), ...) stops the build if another row has an option at another number. */
#include "ops_names.inc"
#define AGREE(ROW, OTHER, OPTION) ((int)OPT_##ROW##_##OPTION == (int)OPT_##OTHER##_##OPTION)
#include "ops_internal.inc"

/* ---- for rules ---- */

#define FAIL(code, format, ...) return vn__fail(code, "%s: " format, i->op->info.name, __VA_ARGS__)

static inline const char *dtype_text(int dtype)
{
    return vn_dtype_name((vn_dtype)dtype);
}
static inline const char *shape_text(const vn__node *n, char to[static 128])
{
    return vn__shape_text(n->rank, vn__node_dims(n), to);
}
int vn__rule_accept(vn__infer *i, int dtype);        /* the row's dtype mask */
int vn__rule_dtype(vn__infer *i, int option);        /* the result's dtype is an option, which the mask accepts */
int vn__rule_promote(vn__infer *i, int from, int n); /* promotes inputs from ... n-1; weak numbers take the dtype of the others */
int vn__rule_broadcast(vn__infer *i, int ra, const int64_t *a, int rb, const int64_t *b); /* broadcasts two shapes into i->dims */
int vn__rule_like_first(vn__infer *i, int k);                                             /* input k has the shape of the first */
int vn__rule_reaches(vn__infer *i, const vn__node *x, int n, const int64_t *dims);        /* x broadcasts to this shape */
int vn__rule_axes(vn__infer *i, int rank, int32_t *n, int64_t *axes);        /* normalises to a sorted list without negatives */
int vn__rule_order(vn__infer *i, int option, int rank);                      /* the same for a list whose order counts */
int vn__rule_axis(vn__infer *i, int option, int rank);                       /* normalises one axis */
int vn__rule_list(vn__infer *i, int option, int n);                          /* a list of exactly n numbers */
void vn__rule_result(vn__infer *i, int rank, const int64_t *dims);           /* the shape of the first result */
void vn__rule_result_at(vn__infer *i, int k, int rank, const int64_t *dims); /* of result k */

/* What positions or class numbers point into. Element e lies in 0 ... sizes[e mod n] - 1. */
typedef struct {
    const int64_t *sizes;
    int64_t n;
    bool from_end;          /* -size ... -1 count from the end */
    const int64_t *ignored; /* a number that is possible besides; NULL: none */
    const char *what;       /* "classes" */
} vn__bounds;
int vn__check_positions(vn__infer *i, int k, const vn__bounds *b); /* positions.c */
/* The elements of input k, computed now, are looked at, where they have values. */
typedef int (*vn__look_fn)(vn__infer *i, int k, const void *data, const void *with);
int vn__look_at(vn__infer *i, int k, vn__look_fn look, const void *with);
/* Where they are to be checked (VINEA_CHECK=1), input k of the op points into them. */
static inline int vn__rule_within(vn__infer *i, int k, vn__bounds b)
{
    return __builtin_expect(vn__peek()->check_positions, 0) ? vn__check_positions(i, k, &b) : VN_OK;
}

/* Class numbers that a loss learns: also looked at where they are not to be checked but at hand (positions.c). */
int vn__check_labels(vn__infer *i, int k, const vn__bounds *b);

/* Which of the texts that its row permits an option has: 0, 1 ... */
static inline int vn__choice(const vn__infer *i, int option)
{
    int k = 0;
    while (strcmp(i->op->info.options[option].texts[k], i->options->v[option].u.s) != 0) k++;
    return k;
}

/* ---- for gradients and compositions ---- */

vn_array *vn__sum_to(vn_array *g, const vn_array *like);   /* sums g back to the shape it was broadcast from */
static inline vn_array *vn__plus(vn_array *x, vn_array *y) /* their sum; NULL is skipped */
{
    return x && y ? vn_add(x, y) : x ? x : y;
}
static inline vn_array *vn__scaled(vn_array *x, double by)
{
    return vn_mul(x, vn_scalar(by));
}
static inline vn_array *vn__above_0(vn_array *x)
{
    return vn_greater(x, vn_scalar(0));
}
static inline double vn__real(const vn__infer *i, int option) /* an option that is a number */
{
    return i->options->v[option].u.f;
}
static inline double vn__option_number(const vn__infer *i, int option) /* one that may have been given as an integer */
{
    if (!i->options->v[option].whole) return i->options->v[option].u.f;
    return i->options->v[option].is_unsigned ? (double)(uint64_t)i->options->v[option].u.i : (double)i->options->v[option].u.i;
}
static inline vn_array *vn__back_to(vn_array *g, const vn__vjp_args *a) /* a gradient in the dtype of the first input */
{
    return g && vn_dtype_of(g) != vn_dtype_of(a->in[0]) ? vn_cast(g, vn_dtype_of(a->in[0])) : g;
}
vn_array *vn__transpose(vn_array *x); /* its last two axes exchanged; x itself where it has fewer */
bool vn__is_transpose(const int64_t *order, int rank);
vn_array *vn__move_axis(vn_array *x, int from, int to);
vn_array *vn__conjugate(vn_array *x); /* x itself unless it is complex */
vn_shape vn__result_shape(const vn__infer *i);
vn_axes vn__axes_of(const vn__infer *i, int keep);    /* the first option, a list of axes */
double vn__elements(const vn_array *x, vn_axes axes); /* the number of elements that a reduction over these axes combines */
vn_array *vn__widen(vn_array *x);                     /* half precision is computed in float32 and rounded once, at the end */
/* x, float32 or float64, times a power of two, which *by gets: its largest element is about 1, so that squares neither overflow nor vanish. Computes x. */
vn_array *vn__near_1(vn_array *x, double *by);
vn_array *vn__narrow(vn_array *x, const vn__infer *i);
vn_array *vn__as_result(vn_array *x, const vn__infer *i, int k); /* in the dtype of result k */
vn_array *vn__length(vn_array *x); /* the Euclidean norm as a float64 scalar, without overflow; its derivative at 0 is 0 */

vn_array *vn__key_for(const vn_array *x); /* the thread's next key, on x's engine */

/* One step of Adam for n parameters, in a dtype. `all`: lists of w, gradients and both moments; w and moments are replaced. */
typedef struct {
    double beta1, beta2, epsilon;
    bool paper;
} vn__adam;
int vn__adam_apply_all(int n, vn_array **all, int dtype, vn_array *lr, vn_array *step, vn__adam a);
vn_array *vn__piece(vn_array *x, int axis, int64_t from, int64_t n);         /* n elements of an axis */
vn_array *vn__fitted(vn_array *x, int axis, int64_t n);                      /* cut, or padded with zeros, to n elements of an axis */
vn_array *vn__last_axes(vn_array *x, int drop, int n, const int64_t *sizes); /* its last `drop` axes replaced by n of these sizes */
vn_array *vn__positions(const vn_array *like, int64_t n);                    /* 0, 1 ... n - 1: an int64 vector on like's engine */

#endif
