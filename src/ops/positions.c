/* SPDX-License-Identifier: Apache-2.0 */
/* positions.c: vn_check_positions, VINEA_CHECK=1: positions, class numbers and weights are looked at where an op is called. They are computed there
 * and then, so that the error names the call; no engine takes part in it. What a composition or a gradient calls is not checked: those may
 * point outside on purpose. The labels of a loss are looked at in any case where that waits for nothing. */
#include "ops/row.h"
#include "core/dtype.h"
#include "core/text.h"
#include "engine/engine.h"

int vn_check_positions(int mode)
{
    vn__state *s = vn__enter();
    if (!s) return 0;
    const bool before = s->check_positions;
    if (mode < -1 || mode > 1) vn__fail(VN_E_ARG, "check_positions: mode %d; 0 is off, 1 on, -1 a question", mode);
    else if (mode >= 0) s->check_positions = mode;
    return before;
}

int vn__look_at(vn__infer *i, int k, vn__look_fn look, const void *with)
{
    VN_SCOPE;
    vn__state *s = vn__peek();
    vn__node *x = i->in[k];
    if (s->capturing || !x->count) return VN_OK; /* inputs of a captured function have no values yet */
    s->check_positions = false;                  /* while they are computed */
    vn__node_retain(x);
    vn_array *handle = vn__handle(x, "check");
    const void *data = handle ? vn_data(handle) : NULL;
    s->check_positions = true;
    return data ? look(i, k, data, with) : (int)vn_status();
}

static int look_at_positions(vn__infer *i, int k, const void *data, const void *with)
{
    const vn__bounds *b = with;
    const vn__node *x = i->in[k];
    char place[256], number[32];
    for (int64_t e = 0; e < x->count; e++) {
        const int64_t n = b->sizes[e % b->n], value = vn__get_int(data, e, x->dtype);
        const bool wide = x->dtype == VN_U64 && value < 0; /* beyond int64 */
        if (!wide && value < n && value >= (b->from_end ? -n : 0)) continue;
        if (!wide && b->ignored && value == *b->ignored) continue;
        vn__peek()->outside = true;
        snprintf(number, sizeof number, x->dtype == VN_U64 ? "%llu" : "%lld", (long long)value);
        FAIL(VN_E_INDEX, "%s%s is %s; there are %lld %s (%s)", i->op->info.inputs[k], vn__index_text(x->rank, vn__node_dims(x), e, place),
             number, (long long)n, b->what, i->engine);
    }
    return VN_OK;
}

int vn__check_positions(vn__infer *i, int k, const vn__bounds *b)
{
    vn__peek()->looked = true;
    return vn__look_at(i, k, look_at_positions, b);
}

/* Are the elements in the host's memory: put there by the program, or computed by the native engine? Others would have to be computed, or
 * an engine that computes asynchronously waited for. */
static bool at_hand(const vn__node *x)
{
    return vn__node_state_of(x) == VN__READY && x->count && !x->value->unknown && !(x->flags & VN__WEAK) &&
           (x->engine->builtin || x->op == VN__NODE_LEAF);
}

int vn__check_labels(vn__infer *i, int k, const vn__bounds *b)
{
    const vn__node *x = i->in[k];
    vn_desc d;
    const void *data = NULL;
    if (vn__peek()->check_positions) return vn__check_positions(i, k, b);
    if (!at_hand(x)) return VN_OK;
    vn__desc_of(x, &d);
    const int code = vn__to_host(x->value->engine, x->value->buf, &d, &data, i->op->info.name);
    return code ? vn__engine_failed(x->engine, code, i->op->info.name, "could not give its data") : look_at_positions(i, k, data, b);
}
