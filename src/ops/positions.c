/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c: vn_check_positions, VINEA_CHECK=1: positions and class numbers are looked at where an op is called. They are computed there
 * and then, so that the error names the call; no engine takes part in it. What a composition or a gradient calls is not checked: those may
 * point outside on purpose. */
#include "ops/row.h"
#include "core/dtype.h"
#include "core/text.h"

int vn_check_positions(int mode)
{
    vn__state *s = vn__enter();
    if (!s) return 0;
    const bool before = s->check_positions;
    if (mode < -1 || mode > 1) vn__fail(VN_E_ARG, "check_positions: mode %d; 0 is off, 1 on, -1 a question", mode);
    else if (mode >= 0) s->check_positions = mode;
    return before;
}

/* The first element outside; -1: none, -2: its values cannot be had. */
static int64_t first_outside(vn__node *x, const vn__bounds *b, int64_t *value)
{
    VN_SCOPE;
    vn__node_retain(x);
    vn_array *handle = vn__handle(x, "check");
    const void *data = handle ? vn_data(handle) : NULL;
    if (!data) return -2;
    for (int64_t e = 0; e < x->count; e++) {
        const int64_t n = b->sizes[e % b->n];
        *value = vn__get_int(data, e, x->dtype);
        const bool wide = x->dtype == VN_U64 && *value < 0; /* beyond int64 */
        if (wide || *value >= n || *value < (b->from_end ? -n : 0)) {
            if (wide || !b->ignored || *value != *b->ignored) return e;
        }
    }
    return -1;
}

int vn__check_positions(vn__infer *i, int k, const vn__bounds *b)
{
    vn__state *s = vn__peek();
    vn__node *x = i->in[k];
    int64_t value = 0;
    char place[256];
    s->looked = true;
    if (s->capturing || !x->count) return VN_OK; /* inputs of a captured function have no values yet */
    s->check_positions = false;                  /* while they are computed */
    const int64_t e = first_outside(x, b, &value);
    s->check_positions = true;
    if (e == -1) return VN_OK;
    if (e == -2) return vn_status();
    s->outside = true;
    char number[32];
    snprintf(number, sizeof number, x->dtype == VN_U64 ? "%llu" : "%lld", (long long)value);
    FAIL(VN_E_INDEX, "%s%s is %s; there are %lld %s (%s)", i->op->info.inputs[k], vn__index_text(x->rank, vn__node_dims(x), e, place),
         number, (long long)b->sizes[e % b->n], b->what, i->engine);
}
