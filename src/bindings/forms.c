/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c: functions that take or return structs by value, in the forms of bindings.h. */
#include "core/state.h"
#include "program/node.h"
#include <vinea/bindings.h>

/* Sizes as a shape. False, with the error set, if there cannot be such a list. */
static bool shape_from(const char *who, int rank, const int64_t *dims, vn_shape *to)
{
    if (rank < 0 || rank > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "%s: rank %d is outside 0 to %d", who, rank, VN_MAX_RANK), false;
    if (rank && !dims) return vn__fail(VN_E_NULL, "%s: dims is NULL", who), false;
    *to = vn__shape(dims, (size_t)rank);
    return true;
}

vn_array *vn_array_wrap(const void *data, int dtype, int rank, const int64_t *dims, void (*release)(void *user), void *user)
{
    vn_shape shape;
    if (shape_from("array_wrap", rank, dims, &shape)) return vn_wrap(data, (vn_dtype)dtype, shape, release, user);
    if (release) release(user);
    return NULL;
}

int vn_array_dims(const vn_array *x, int64_t *dims)
{
    if (!vn__check(x, VN__ARRAY, "array_dims", "x")) return -1;
    const vn__node *n = vn__node_of(x);
    if (dims) memcpy(dims, vn__node_dims(n), n->rank * sizeof *dims);
    return n->rank;
}

int vn_tree_put(vn_tree *t, const char *chain, const vn_value *value)
{
    if (!value) return vn__fail(VN_E_NULL, "tree_put: value is NULL");
    return vn_tree_set_value(t, chain, *value);
}

int vn_tree_put_last(vn_tree *t, const vn_value *value)
{
    if (!value) return vn__fail(VN_E_NULL, "tree_put_last: value is NULL");
    return vn_tree_append(t, *value);
}

int vn_tree_look_up(const vn_tree *t, const char *chain, vn_value *to)
{
    if (!to) return vn__fail(VN_E_NULL, "tree_look_up: to is NULL");
    *to = vn_tree_value(t, chain);
    return to->kind == VN_V_NONE ? (int)vn_status() : VN_OK;
}

vn_array *vn_init_array_named(const char *name, const vn_option *options, int n, int dtype, int rank, const int64_t *dims, int64_t fan_in,
                              int64_t fan_out)
{
    vn_shape shape;
    vn_init init;
    if (!shape_from("init_array_named", rank, dims, &shape) || vn_init_make(name, options, n, &init)) return NULL;
    return vn_init_array(init, shape, fan_in, fan_out, (vn_dtype)dtype);
}

int vn_optim_schedule_named(vn_optim *o, const char *name, const vn_option *options, int n, int64_t warm_up)
{
    vn_schedule s;
    const int code = vn_schedule_make(name, options, n, &s);
    return code ? code : vn_optim_schedule(o, vn_warm_up(s, warm_up));
}

int vn_optim_schedule_fn(vn_optim *o, vn_schedule_fn fn, void *user)
{
    return vn_optim_schedule(o, vn_schedule_of(fn, user));
}

vn_module *vn_model_make(const char *model, const char *text, int rank, const int64_t *dims, int64_t outputs)
{
    vn_shape shape;
    if (!shape_from("model_make", rank, dims, &shape)) return NULL;
    return text ? vn_model_parse(text, model ? model : "model", shape, outputs) : vn_model(model, shape, outputs);
}
