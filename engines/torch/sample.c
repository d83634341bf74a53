/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: images at places between their pixels. */
#include "work.h"

#include <string.h>

static const torch_op sampled = {"aten::grid_sampler_2d", "", "01ffi"}; /* between the four neighbours; 0 outside */
static const torch_op axes_in_order = {"aten::permute", "", "0I"};

static const helper helpers[] = {{&sampled, {VN_F32, IMAGE, false}}, {&axes_in_order, {VN_F32, VECTOR, false}}};
family sampling = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { CORNERS, FORMAT }; /* options */

static tensor *with_axes(work *w, tensor *x, const int64_t *axes)
{
    return with(w, &axes_in_order, TENSORS(x), OPTIONS(INTS(4, axes)));
}

int grid_sample(const vn_kernel_call *call, const recipe *r)
{
    static const int64_t to_first[] = {0, 3, 1, 2}, to_last[] = {0, 2, 3, 1};
    const vn_option *o = call->instr->options;
    const bool channels_last = !strcmp(o[FORMAT].u.s, "NHWC");
    work w = begin(call, r);
    tensor *x = channels_last ? with_axes(&w, call->in[0]->t, to_first) : call->in[0]->t;
    tensor *z = with(&w, &sampled, TENSORS(x, call->in[1]->t), OPTIONS(o[CORNERS]));
    return end(&w, channels_last ? with_axes(&w, z, to_last) : z);
}
