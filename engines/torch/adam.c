/* adam.c: Adam's step by torch's own fused kernel, one pass over the arrays where elementwise ops make a dozen. */
#include "work.h"

#include <math.h>

static const torch_op fused = {"aten::_fused_adam_", "", "[0][1][2][3][][4]rrrrrffnn>"};
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

/* w, m and v, which become the results in place, and g */
typedef struct {
    tensor *w, *g, *m, *v;
    double rate, scale, beta1, beta2, epsilon;
} motion;

static double number_of(work *w, tensor *x)
{
    const void *data = data_of(w, x);
    return !data ? 0 : w->dtype == VN_F64 ? *(const double *)data : *(const float *)data;
}

/* torch computes w - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon). After infinitely many steps both corrections are 1;
 * ours go into its rate and epsilon. */
static void in_one_pass(work *w, const motion *a)
{
    const int32_t dtype = w->dtype;
    w->dtype = VN_F32; /* of the number of steps */
    tensor *steps = number(w, INFINITY);
    w->dtype = dtype;
    into(w, &fused, TENSORS(a->w, a->g, a->m, a->v, steps),
         OPTIONS(FLOAT(a->rate / a->scale), FLOAT(a->beta1), FLOAT(a->beta2), FLOAT(0), FLOAT(a->epsilon / a->scale)));
}

/* x times a number */
static tensor *times(work *w, tensor *x, double by)
{
    return product_of(w, x, number(w, by));
}

/* A negative second moment counts as 0, which torch's kernel does not know: the same in many passes. */
static void in_steps(work *w, const motion *a)
{
    tensor *m = sum_of(w, times(w, a->m, a->beta1), a->g, 1 - a->beta1);
    tensor *v = sum_of(w, times(w, a->v, a->beta2), product_of(w, a->g, a->g), 1 - a->beta2);
    tensor *below = sum_of(w, times(w, unary(w, &root, binary(w, &not_below, v, number(w, 0))), a->scale), number(w, a->epsilon), 1);
    copy(w, a->w, sum_of(w, a->w, binary(w, &quotient, times(w, m, a->rate), below), -1));
    copy(w, a->m, m);
    copy(w, a->v, v);
}

/* inputs: w, g, m, v, rate, scale; options: beta1, beta2, epsilon FLOAT. Results take the memory of w, m and v where they may. */
int adam_move(const vn_kernel_call *call, const recipe *r)
{
    static const int changed_inputs[] = {0, 2, 3};
    enum { CHANGED = sizeof changed_inputs / sizeof changed_inputs[0] };
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    vn_buf *z[CHANGED] = {NULL};
    for (int k = 0; k < CHANGED && !w.code; k++) w.code = writable(call, r, changed_inputs[k], true, &z[k]);
    if (!w.code && desc_out(call)->count > 0) {
        motion a = {z[0]->t,
                    row_major(&w, call->in[1]->t, desc_in(call, 1)),
                    z[1]->t,
                    z[2]->t,
                    number_of(&w, call->in[4]->t),
                    number_of(&w, call->in[5]->t),
                    o[0].u.f,
                    o[1].u.f,
                    o[2].u.f};
        if (number_of(&w, unary(&w, &least, a.v)) >= 0) in_one_pass(&w, &a);
        else in_steps(&w, &a); /* NaN hides what else there is */
    }
    forget(&w, 0);
    for (int k = 0; k < CHANGED; k++) {
        if (!w.code) call->out[k] = z[k];
        else if (z[k]) buffer_release(z[k]);
    }
    return w.code;
}
