/* SPDX-License-Identifier: Apache-2.0 */
/* adam.c: one Adam step for any number of parameters with torch's fused kernel, which takes lists: one pass over the arrays instead of a
 * dozen elementwise ones. */
#include "work.h"

#include <math.h>
#include <stdlib.h>

static const torch_op fused = {"aten::_fused_adam_", "", "[0*][1*][2*][3*][][4*]rrrrrffnn>"};
static const torch_op least = {"aten::min", "", "0"};
static const torch_op not_below = {"aten::maximum", "", "01"};
static const torch_op root = {"aten::sqrt", "", "0"};
static const torch_op quotient = {"aten::div", "Tensor", "01"};

static const helper helpers[] = {{&fused, MATRIX_OF(VN_F32)},
                                 {&least, MATRIX_OF(VN_F32)},
                                 {&not_below, MATRIX_OF(VN_F32)},
                                 {&root, MATRIX_OF(VN_F32)},
                                 {&quotient, MATRIX_OF(VN_F32)}};
family optimizing = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { W, G, M, V, STEPS, LISTS = STEPS }; /* inputs, and the additional arguments of torch's kernel */

typedef struct {
    double rate, scale, beta1, beta2, epsilon;
} motion;

static double number_of(work *w, tensor *x)
{
    const void *data = data_of(w, x);
    return !data ? 0 : w->dtype == VN_F64 ? *(const double *)data : *(const float *)data;
}

/* torch computes w - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon). After infinitely many steps both corrections are 1;
 * ours are passed in its rate and epsilon. `all`: lists of n tensors; w, m and v become the results in place. */
static void in_one_pass(work *w, const motion *a, int n, tensor **all)
{
    const int32_t dtype = w->dtype;
    w->dtype = VN_F32; /* the number of steps */
    tensor *steps = number(w, INFINITY);
    w->dtype = dtype;
    for (int p = 0; p < n; p++) all[STEPS * n + p] = steps;
    if (w->code || !n) return;
    const vn_option o[] = {FLOAT(a->rate / a->scale), FLOAT(a->beta1), FLOAT(a->beta2), FLOAT(0), FLOAT(a->epsilon / a->scale)};
    const arguments args = {all, o, (STEPS + 1) * n, sizeof o / sizeof o[0], dtype, dtype, false, n};
    w->code = dispatch(w->r->op, &fused, &args, 0, NULL);
}

/* x times a number */
static tensor *times(work *w, tensor *x, double by)
{
    return product_of(w, x, number(w, by));
}

/* A negative second moment counts as 0, which torch's kernel does not handle: the same in several passes, for one parameter. */
static void in_steps(work *w, const motion *a, tensor *const of[LISTS])
{
    tensor *m = sum_of(w, times(w, of[M], a->beta1), of[G], 1 - a->beta1);
    tensor *v = sum_of(w, times(w, of[V], a->beta2), product_of(w, of[G], of[G]), 1 - a->beta2);
    tensor *below = sum_of(w, times(w, unary(w, &root, binary(w, &not_below, v, number(w, 0))), a->scale), number(w, a->epsilon), 1);
    copy(w, of[W], sum_of(w, of[W], binary(w, &quotient, times(w, m, a->rate), below), -1));
    copy(w, of[M], m);
    copy(w, of[V], v);
}

/* Input k if it is row-major, otherwise a row-major copy. */
static int in_rows(const vn_kernel_call *call, const recipe *r, int k, vn_buf **out)
{
    bool contiguous = false;
    if (torch.is_contiguous(call->in[k]->t, &contiguous)) return failed(r->op);
    if (!contiguous) return writable(call, r, k, true, out);
    buffer_retain(*out = call->in[k]);
    return VN_OK;
}

/* Updates the parameters whose arrays are in `of`, lists of n. `all`: room for as many tensors, and the step counts. */
static void move(work *w, const motion *a, int n, vn_buf *const *of, tensor **all)
{
    int many = 0;
    tensor **each = all + (STEPS + 1) * n; /* parameter by parameter */
    for (int p = 0; p < n && !w->code; p++) {
        tensor **one = each + many * LISTS;
        const int mark = w->n;
        if (!desc_in(w->call, p)->count) continue;
        for (int k = 0; k < LISTS; k++) one[k] = of[k * n + p]->t;
        if (number_of(w, unary(w, &least, one[V])) >= 0) many++;
        else in_steps(w, a, one); /* NaN hides negative numbers */
        forget(w, mark);
    }
    for (int p = 0; p < many * LISTS; p++) all[p % LISTS * many + p / LISTS] = each[p];
    if (many) in_one_pass(w, a, many, all);
}

enum { BETA1, BETA2, EPSILON }; /* options */

/* inputs: lists of w, g, m, v, then rate, scale. Results reuse the memory of w, m and v if allowed. */
int adam_apply(const vn_kernel_call *call, const recipe *r)
{
    static const int results[] = {W, M, V};
    const vn_option *o = call->instr->options;
    const int n = call->instr->n_list;
    work w = begin(call, r);
    vn_buf **of = calloc((size_t)n * LISTS, sizeof *of);
    tensor **all = calloc((size_t)n * (STEPS + 1 + LISTS), sizeof *all);
    if (!of || !all) w.code = host->error(VN_E_MEM, "torch: %s: out of memory", r->op);
    for (int k = 0; k < LISTS * n && !w.code; k++) w.code = k / n == G ? in_rows(call, r, k, &of[k]) : writable(call, r, k, true, &of[k]);
    if (!w.code) {
        const motion a = {number_of(&w, call->in[LISTS * n]->t), number_of(&w, call->in[LISTS * n + 1]->t), o[BETA1].u.f, o[BETA2].u.f,
                          o[EPSILON].u.f};
        move(&w, &a, n, of, all);
    }
    forget(&w, 0);
    for (int k = 0; k < 3 * n && !w.code; k++) {
        call->out[k] = of[results[k / n] * n + k % n];
        of[results[k / n] * n + k % n] = NULL;
    }
    for (int k = 0; of && k < LISTS * n; k++)
        if (of[k]) buffer_release(of[k]);
    free(of), free(all);
    return w.code;
}
