/* adam.c: Adam's step by torch's own fused kernel, one pass over the arrays where elementwise ops make a dozen. */
#include "work.h"

#include <math.h>

static const torch_op fused = {"aten::_fused_adam_", "", "[0][1][2][3][][4]rrrrrffnn>"};

static const helper helpers[] = {{&fused, MATRIX_OF(VN_F32)}};
family optimizing = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* Input k, a number. */
static double number_in(work *w, int k)
{
    const void *data = data_of(w, w->call->in[k]->t);
    return !data ? 0 : w->dtype == VN_F64 ? *(const double *)data : *(const float *)data;
}

/* inputs: w, g, m, v, rate, scale; options: beta1, beta2, epsilon FLOAT. Results take the memory of w, m and v where they may.
 *
 * torch computes w - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon). After infinitely many steps both corrections are 1;
 * ours go into its rate and epsilon. */
int adam_move(const vn_kernel_call *call, const recipe *r)
{
    static const int changed_inputs[] = {0, 2, 3};
    enum { CHANGED = sizeof changed_inputs / sizeof changed_inputs[0] };
    work w = begin(call, r);
    vn_buf *z[CHANGED] = {NULL};
    for (int k = 0; k < CHANGED && !w.code; k++) w.code = writable(call, r, changed_inputs[k], true, &z[k]);
    if (!w.code) {
        const double rate = number_in(&w, 4), scale = number_in(&w, 5);
        const vn_option *o = call->instr->options;
        w.dtype = VN_F32; /* of the number of steps */
        tensor *g = row_major(&w, call->in[1]->t, desc_in(call, 1)), *steps = number(&w, INFINITY);
        into(&w, &fused, TENSORS(z[0]->t, g, z[1]->t, z[2]->t, steps),
             OPTIONS(FLOAT(rate / scale), FLOAT(o[0].u.f), FLOAT(o[1].u.f), FLOAT(0), FLOAT(o[2].u.f / scale)));
    }
    forget(&w, 0);
    for (int k = 0; k < CHANGED; k++) {
        if (!w.code) call->out[k] = z[k];
        else if (z[k]) buffer_release(z[k]);
    }
    return w.code;
}
