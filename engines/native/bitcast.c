/* SPDX-License-Identifier: Apache-2.0 */
/* bitcast.c: the bytes of an array as elements of another dtype. */
#include <string.h>

#include "internal.h"

static void run_bitcast(const vn__kernel *kernel, const vn__run *run)
{
    const vn__whole *w = (const vn__whole *)kernel;
    memcpy(run->slots[w->out], run->slots[w->in[0]], (size_t)w->out_desc.count * vn__native_bytes(w->out_desc.dtype));
}

int vn__native_prepare_bitcast(vn__graph *g, vn__whole *w)
{
    (void)g;
    w->kernel.run = run_bitcast;
    return VN_OK;
}
