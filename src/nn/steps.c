/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: sequences step by step: lengths that differ within a batch, vn_module_steps, which calls a module for every step, and the
 * layer Recurrence of it. Steps after a sequence's end give zeros and leave its states alone. */
#include "nn/steps.h"
#include "core/dtype.h"
#include "core/options.h"
#include "core/state.h"
#include "nn/module.h"
#include "program/node.h"
#include "tree/tree.h"
#include <string.h>

/* ---- lengths ---- */

vn_array *vn__steps_lengths(vn_array *lengths, const vn_array *x, int batch)
{
    const vn_shape s = vn_shape_of(x), have = vn_shape_of(lengths);
    char a[128], b[128];
    if (!lengths || !x) return NULL;
    if (have.rank != batch || memcmp(have.dim, s.dim, (size_t)batch * sizeof *s.dim) != 0)
        return vn__fail(VN_E_SHAPE, "lengths have shape %s; %s, a number for each sequence of x %s, is needed (%s)",
                        vn__shape_text(have.rank, have.dim, a), batch ? "its first axes" : "no axis", vn__shape_text(s.rank, s.dim, b),
                        vn_engine_of(x)),
               NULL;
    if (!vn__is(vn_dtype_of(lengths), VN_INTS))
        return vn__fail(VN_E_DTYPE, "lengths are %s; integers are needed (%s)", vn_dtype_name(vn_dtype_of(lengths)), vn_engine_of(x)), NULL;
    return vn_clip(vn_cast(lengths, VN_I64), vn_scalar_int(0), vn_scalar_int(s.dim[batch]));
}

/* x (batch..., steps) with axes of size 1 behind it, as many as `like` has. */
static vn_array *as_wide(vn_array *x, const vn_array *like)
{
    vn_shape s = vn_shape_of(x);
    if (!x || !like) return NULL;
    while (s.rank < vn_rank(like)) s.dim[s.rank++] = 1;
    return vn_reshape(x, s);
}

vn_array *vn__steps_reversed(vn_array *x, vn_array *lengths, int batch)
{
    if (!lengths) return vn_flip(x, VN_AXES(batch));
    const int64_t steps = vn_dim(x, batch);
    vn_array *at = vn_arange(0, (double)steps, 1, VN_I64), *end = vn_expand_dims(lengths, -1);
    vn_array *order = vn_where(vn_less(at, end), vn_sub(vn_sub(end, vn_scalar_int(1)), at), at);
    return vn_take_along_axis(x, as_wide(order, x), batch);
}

vn_array *vn__steps_padded(vn_array *x, vn_array *lengths, int batch)
{
    if (!lengths) return x;
    return vn_where(as_wide(vn_padding_mask(lengths, vn_dim(x, batch)), x), x, vn_scalar(0));
}

vn_array *vn__steps_last(vn_array *x, vn_array *lengths, vn_array *begin)
{
    const int batch = vn_rank(lengths);
    if (!lengths || !x) return NULL;
    vn_array *at = vn_clip(vn_sub(lengths, vn_scalar_int(1)), vn_scalar_int(0), VN_NONE);
    vn_array *last = vn_squeeze(vn_take_along_axis(x, as_wide(at, x), batch), VN_AXES(batch));
    return vn_where(as_wide(vn_greater(lengths, vn_scalar_int(0)), begin), last, begin);
}

/* ---- step by step ---- */

typedef struct {
    vn_array *running;     /* (batch): whose sequence has this step; NULL: all */
    const vn_tree *before; /* the states before it; those that are missing are zeros */
} moment;

/* A state after the step, or before it where the sequence has ended. */
static vn_value continued(vn_value state, const char *chain, void *user)
{
    const moment *now = user;
    if (!vn__is_array(state)) return state;
    vn_value before = vn_tree_if_exists(now->before, chain);
    vn_array *old = vn__is_array(before) ? before.u.array : vn__number(state.u.array, 0);
    vn_array *x = vn_where(as_wide(now->running, state.u.array), state.u.array, old);
    return x ? vn_value_array(x) : vn__nothing();
}

/* Takes y out of a step's results; *states are the others. */
static vn_array *one_step(const vn_tree *out, const moment *now, const vn_tree **states)
{
    vn_array *y = out && vn_tree_has(out, "y") ? vn_tree_get(out, "y") : NULL;
    if (out && !y) return vn__fail(VN_E_STRUCT, "the cell gives no array y"), NULL;
    if (!y) return NULL;
    vn_tree *rest = vn_tree_prune_key_chain(out, "y");
    if (rest && now->running) {
        if (!vn_rank(y)) return vn__fail(VN_E_SHAPE, "y has no axis for the batch"), NULL;
        rest = vn_tree_map(rest, continued, (void *)now, NULL);
        y = vn_where(as_wide(now->running, y), y, vn_scalar(0));
    }
    *states = rest;
    return rest ? y : NULL;
}

/* args: x and lengths are taken out of them; the rest are states. False, with the error set, if they are wrong. */
static bool take_sequence(const vn_tree *args, vn_array **x, vn_array **lengths, const vn_tree **states)
{
    static const char *const taken[] = {"x", "lengths", NULL};
    vn_value in = vn_tree_if_exists(args, "x"), ends = vn_tree_if_exists(args, "lengths");
    char text[128];
    if (!vn__is_array(in)) return vn__fail(VN_E_STRUCT, "x is missing; the arguments are x, lengths and the states of the cell"), false;
    *x = in.u.array, *lengths = NULL;
    const vn_shape s = vn_shape_of(*x);
    if (s.rank < 2 || !s.dim[1])
        return vn__fail(VN_E_SHAPE, "x has shape %s; (batch, steps, ...) with a step or more is needed (%s)",
                        vn__shape_text(s.rank, s.dim, text), vn_engine_of(*x)),
               false;
    if (vn__is_array(ends) && !(*lengths = vn__steps_lengths(ends.u.array, *x, 1))) return false;
    *states = vn_tree_prune_key_chains(args, taken);
    return *states != NULL;
}

/* y (batch, steps, ...) of all steps, in the order of x. */
static vn_array *in_order(vn_array **ys, int n, vn_array *lengths, bool reverse)
{
    vn_array *y = vn_stack(n, ys, 1);
    return reverse && y ? vn__steps_reversed(y, lengths, 1) : y;
}

/* The last y of each sequence; zeros for one without steps. */
static vn_array *last_of(vn_array **ys, int n, vn_array *lengths)
{
    return lengths ? vn__steps_last(vn_stack(n, ys, 1), lengths, vn_zeros_like(ys[0])) : ys[n - 1];
}

vn_tree *vn__steps_run(const vn_tree *args, const vn_module_steps_opts *o, vn__step_fn step, void *user)
{
    vn_array *x, *lengths;
    const vn_tree *states;
    if (!take_sequence(args, &x, &lengths, &states)) return NULL;
    const int n = (int)vn_dim(x, 1);
    vn_array **xs = vn__scope_memory(3 * (size_t)n * sizeof *xs, "module_steps"), **ys = xs + n, **running = ys + n;
    if (!xs) return NULL;
    if (o->reverse) x = vn__steps_reversed(x, lengths, 1);
    if (!x || vn_unstack(x, n, 1, xs) || (lengths && vn_unstack(vn_padding_mask(lengths, n), n, 1, running))) return NULL;
    for (int k = 0; k < n; k++) {
        const moment now = {lengths ? running[k] : NULL, states};
        vn_tree *in = vn_tree_set_at_key_chain(states, "x", vn_value_array(xs[k]));
        if (!in || !(ys[k] = one_step(step(in, user), &now, &states))) return NULL;
    }
    vn_array *y = o->last_only ? last_of(ys, n, lengths) : in_order(ys, n, lengths, o->reverse);
    return y ? vn_tree_set_at_key_chain(states, "y", vn_value_array(y)) : NULL;
}

/* ---- over modules ---- */

static const char who[] = "module_steps";

static vn_tree *call_cell(const vn_tree *in, void *cell)
{
    return vn_module_call_tree(cell, in, NULL);
}

static bool take(vn_module_steps_opts *o, const vn_module_steps_opts *opts)
{
    *o = (vn_module_steps_opts){.size = sizeof *o};
    return !vn__take(o, sizeof *o, opts, who) && !VN__FLAGS(who, VN__FLAG(*o, last_only), VN__FLAG(*o, reverse));
}

vn_tree *vn_module_steps(vn_module *cell, const vn_tree *args, const vn_module_steps_opts *opts)
{
    vn_module_steps_opts o;
    if (!take(&o, opts) || !vn__check(cell, VN__MODULE, who, "cell") || !vn__check(args, VN__TREE, who, "args")) return NULL;
    const vn_code before = vn_status();
    vn_tree *out = vn__steps_run(args, &o, call_cell, cell);
    if (!out && !before) vn__fail_in(who);
    return out;
}

static vn_tree *recurrence_forward(vn_module *m, const vn_tree *args)
{
    return vn__steps_run(args, vn_module_self(m), call_cell, vn_module_child(m, "cell"));
}

static vn_array *recurrence_forward_array(vn_module *m, vn_array *x)
{
    vn_tree *out = recurrence_forward(m, vn_tree_of("x", x, NULL));
    return out ? vn_tree_get(out, "y") : NULL;
}

static const vn_module_class recurrence_class = {.name = "Recurrence",
                                                 .self_size = sizeof(vn_module_steps_opts),
                                                 .forward = recurrence_forward_array,
                                                 .forward_tree = recurrence_forward};

vn_module *vn_nn_recurrence(vn_module *cell, const vn_module_steps_opts *opts)
{
    vn_module_steps_opts o;
    if (!take(&o, opts) || !vn__check(cell, VN__MODULE, "nn_recurrence", "cell")) return NULL;
    VN_SCOPE;
    vn_module *m = vn_module_new(&recurrence_class, &o, VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    if (!m || vn_module_add(m, "_cell", cell) || !vn_module_build(m, NULL)) return NULL;
    return vn_module_pass(m);
}
