/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: captured once for each shape of their inputs, and run without recording again; with a gradient of one's own. */
#include <stdio.h>
#include <vinea/vinea.h>

static int norm(int n_in, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n_in, (void)n_out, (void)user;
    out[0] = vn_sqrt(vn_sum(vn_square(in[0]), VN_ALL));
    return VN_OK;
}

static vn_array *same(vn_array *x, void *user)
{
    (void)user;
    return x;
}

static vn_array *reversed(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)x, (void)y, (void)user;
    return vn_neg(upstream);
}

static vn_array *loss(vn_array *x, void *user)
{
    return vn_sum(vn_fn_call(user, x), VN_ALL);
}

int main(void)
{
    vn_array *x = vn_from((float[]){3, 4}, VN_SHAPE(2)), *length;
    vn_fn *captured = vn_capture(norm, 1, NULL), *flip = vn_bind_custom_gradient(same, reversed, NULL);
    vn_fn_call_many(captured, 1, &x, 1, &length);
    printf("%g\n", vn_item(length));
    printf("%s\n", vn_text(vn_grad_of(loss, x, flip)));
    return vn_close();
}

/* prints
5
[-1. -1.]
*/
