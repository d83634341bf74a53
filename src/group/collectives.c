/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.c: the public functions on arrays. They compute their input when they are called, move it through host memory, and give the
 * result to the input's engine, with a rule for its gradient, which is another collective. Before an array moves, the ranks compare what
 * they are about to do: a program whose ranks disagree gets an error that names one, not a hang or a result of mixed-up arrays. */
#include "group/group.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include "grad/grad.h"
#include "ops/row.h"
#include "program/node.h"
#include <string.h>

typedef struct {
    vn_group *group; /* a rule holds a reference */
    int kind, reduction, root;
    const char *who;
} call;

static const char *const reductions[] = {"sum", "max", "min", "mean"};

/* ---- checks ---- */

enum { PLAN = 192 };

/* What this rank is about to do: "all_reduce (sum) of float32 3x4". */
static void plan_of(const call *c, vn_array *x, char to[static PLAN])
{
    char shape[128];
    const vn_shape s = vn_shape_of(x);
    const bool reduces = c->kind == VN_TRANSFER_ALL_REDUCE || c->kind == VN_TRANSFER_REDUCE_SCATTER;
    memset(to, 0, PLAN);
    int n = snprintf(to, PLAN, "%s ", c->who);
    if (reduces) n += snprintf(to + n, (size_t)(PLAN - n), "(%s) ", reductions[c->reduction]);
    else if (c->kind == VN_TRANSFER_BROADCAST) n += snprintf(to + n, (size_t)(PLAN - n), "(from %d) ", c->root);
    snprintf(to + n, (size_t)(PLAN - n), "of %s %s", vn_dtype_name(vn_dtype_of(x)), vn__shape_text(s.rank, s.dim, shape));
}

static int compare_plans(const call *c, vn_array *x)
{
    const vn__group *g = vn__group_of(c->group);
    char own[PLAN], *all = vn__alloc((size_t)g->ranks * PLAN);
    if (!all) return vn__group_no_memory(c->who);
    plan_of(c, x, own);
    int code = vn__group_gather(g, own, all, PLAN, c->who);
    for (int k = 1; k < g->ranks && !code; k++) {
        if (memcmp(all, all + (size_t)k * PLAN, PLAN) != 0)
            code = vn__fail(VN_E_GROUP, "%s: rank %d calls %s, rank %d %s; all ranks call the same", c->who, vn__group_number(g, 0), all,
                            vn__group_number(g, k), all + (size_t)k * PLAN);
    }
    vn__group_free(all);
    return code;
}

static bool fits(const call *c, vn_array *x)
{
    if (!vn__check(c->group, VN__GROUP, c->who, "g") || !vn__check(x, VN__ARRAY, c->who, "x")) return false;
    const vn__group *g = vn__group_of(c->group);
    const vn_dtype dtype = vn_dtype_of(x);
    if (c->reduction < VN_REDUCE_SUM || c->reduction > VN_REDUCE_MEAN)
        return vn__fail(VN_E_ARG, "%s: there is no reduction %d", c->who, c->reduction), false;
    const uint32_t fine = c->reduction == VN_REDUCE_MEAN ? VN_INEXACT : c->reduction == VN_REDUCE_SUM ? VN_NUMERIC : VN_ORDERED;
    if ((c->kind == VN_TRANSFER_ALL_REDUCE || c->kind == VN_TRANSFER_REDUCE_SCATTER) && !vn__is(dtype, fine))
        return vn__fail(VN_E_DTYPE, "%s: no %s of %s; cast it first", c->who, reductions[c->reduction], vn_dtype_name(dtype)), false;
    if (c->root < 0 || c->root >= g->ranks)
        return vn__fail(VN_E_ARG, "%s: there is no rank %d; the group has %d", c->who, c->root, g->ranks), false;
    if (c->kind == VN_TRANSFER_REDUCE_SCATTER && (vn_rank(x) < 1 || vn_dim(x, 0) % g->ranks))
        return vn__fail(VN_E_SHAPE, "%s: axis 0 has %lld rows, not a multiple of %d ranks", c->who,
                        (long long)(vn_rank(x) ? vn_dim(x, 0) : 0), g->ranks),
               false;
    return true;
}

/* ---- the values ---- */

static vn_shape result_shape(const call *c, vn_array *x)
{
    vn_shape s = vn_shape_of(x);
    const int ranks = vn__group_of(c->group)->ranks;
    if (c->kind == VN_TRANSFER_REDUCE_SCATTER) s.dim[0] /= ranks;
    if (c->kind == VN_TRANSFER_ALL_GATHER && !s.rank) s = VN_SHAPE(1);
    if (c->kind == VN_TRANSFER_ALL_GATHER) s.dim[0] *= ranks;
    return s;
}

/* MPI leaves open what a maximum makes of NaN, and ranks could get different ones. So floats travel as integers that have their order, where NaN is
 * the largest, or for a minimum the smallest: it wins. The same function makes floats of them again. */
#define KEYS(type, integer, most)                                                               \
    static void keys_##type(char *to, const void *from, int64_t n, int reduction)               \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                       \
            type x;                                                                             \
            integer bits;                                                                       \
            memcpy(&x, (const char *)from + (size_t)i * sizeof x, sizeof x);                    \
            memcpy(&bits, &x, sizeof x);                                                        \
            if (bits < 0) bits ^= most;                                                         \
            if (x != x && reduction >= 0) bits = reduction == VN_REDUCE_MAX ? most : -most - 1; \
            memcpy(to + (size_t)i * sizeof bits, &bits, sizeof bits);                           \
        }                                                                                       \
    }
KEYS(float, int32_t, INT32_MAX)
KEYS(double, int64_t, INT64_MAX)

/* reduction: -1: floats of keys. */
static void make_keys(vn_dtype dtype, char *to, const void *from, int64_t n, int reduction)
{
    (dtype == VN_F64 ? keys_double : keys_float)(to, from, n, reduction);
}

/* The reduction of keys instead of floats. */
static int move_keys(const call *c, const vn__group *g, vn_transfer t)
{
    const vn_dtype dtype = (vn_dtype)t.dtype;
    const int64_t n = c->kind == VN_TRANSFER_REDUCE_SCATTER ? t.count * g->ranks : t.count;
    char *keys = n == t.count ? t.out : vn__block_alloc((size_t)n * vn_dtype_size(dtype) + 1);
    if (!keys) return vn__group_no_memory(c->who);
    make_keys(dtype, keys, t.in, n, t.reduction);
    t.in = keys, t.dtype = dtype == VN_F64 ? VN_I64 : VN_I32;
    const int code = vn__group_move(g, &t, c->who);
    if (!code) make_keys(dtype, t.out, t.out, t.count, -1);
    if (keys != t.out) vn__group_block_free(keys);
    return code;
}

/* x, whose values the host can read, moved: a new array on x's engine. */
static vn_array *moved(const call *c, vn_array *x)
{
    const vn__group *g = vn__group_of(c->group);
    const bool reduces = c->kind == VN_TRANSFER_ALL_REDUCE || c->kind == VN_TRANSFER_REDUCE_SCATTER;
    const vn_dtype dtype = vn_dtype_of(x);
    const vn_shape shape = result_shape(c, x);
    int64_t count = 0;
    if (vn__count(c->who, shape.rank, shape.dim, dtype, &count) || compare_plans(c, x)) return NULL;
    const void *in = vn_data(x);
    const size_t each = vn_dtype_size(dtype);
    char *out = in ? vn__block_alloc((size_t)count * each + 1) : NULL;
    if (!out) return in ? (vn__group_no_memory(c->who), NULL) : NULL;
    if (c->kind == VN_TRANSFER_BROADCAST) memcpy(out, in, (size_t)count * each);
    int64_t own = c->kind == VN_TRANSFER_ALL_GATHER ? vn_size(x) : count;
    vn_transfer t = {.kind = c->kind, .dtype = dtype, .reduction = c->reduction, .rank = c->root, .in = in, .out = out};
    if (t.reduction == VN_REDUCE_MEAN) t.reduction = VN_REDUCE_SUM;
    if (!reduces) t.dtype = VN_U8, own *= (int64_t)each;
    t.count = own;
    const bool ordered = reduces && (t.reduction == VN_REDUCE_MAX || t.reduction == VN_REDUCE_MIN) && vn__is(dtype, VN_FLOATS);
    if (ordered ? move_keys(c, g, t) : vn__group_move(g, &t, c->who)) return vn__group_block_free(out), NULL;
    vn_array *y = vn_to(vn_wrap(out, dtype, shape, vn__block_free, out), vn_engine_of(x));
    return c->reduction == VN_REDUCE_MEAN && reduces ? vn_div(y, vn_scalar(g->ranks)) : y;
}

static vn_array *value_of(const call *c, vn_array *x)
{
    const vn_dtype dtype = vn_dtype_of(x);
    const bool widen = vn__is(dtype, VN_HALF) && c->kind != VN_TRANSFER_BROADCAST && c->kind != VN_TRANSFER_ALL_GATHER;
    if (vn__group_of(c->group)->ranks == 1)
        return c->kind == VN_TRANSFER_ALL_GATHER && !vn_rank(x) ? vn_reshape(x, VN_SHAPE(1)) : vn_stop_gradient(x);
    x = vn_stop_gradient(x);
    return widen ? vn_cast(moved(c, vn_cast(x, VN_F32)), dtype) : moved(c, x);
}

/* ---- gradients ---- */

static void release_call(void *memory)
{
    vn_group_drop(((call *)memory)->group);
    vn__free(memory);
}

/* The cotangents of all ranks, for those that have the maximum or minimum. */
static vn_array *extreme_gradient(const call *c, vn_array *x, vn_array *y, vn_array *ct)
{
    vn_array *has = vn_cast(vn_equal(x, y), vn_dtype_of(x));
    vn_array *ties = vn_group_all_reduce(c->group, has, VN_REDUCE_SUM);
    return vn_div(vn_mul(has, vn_group_all_reduce(c->group, ct, VN_REDUCE_SUM)), ties);
}

static vn_array *rule(vn_array *x, vn_array *y, vn_array *ct, void *user)
{
    const call *c = user;
    const bool extreme = c->reduction == VN_REDUCE_MAX || c->reduction == VN_REDUCE_MIN;
    vn_array *g = NULL;
    switch (c->kind) {
    case VN_TRANSFER_ALL_REDUCE:
        return extreme ? extreme_gradient(c, vn_stop_gradient(x), vn_stop_gradient(y), ct)
                       : vn_group_all_reduce(c->group, ct, c->reduction);
    case VN_TRANSFER_BROADCAST:
        g = vn_group_all_reduce(c->group, ct, VN_REDUCE_SUM);
        return vn__group_of(c->group)->rank == c->root ? g : vn_zeros_like(g);
    case VN_TRANSFER_ALL_GATHER: return vn_reshape(vn_group_reduce_scatter(c->group, ct, VN_REDUCE_SUM), vn_shape_of(x));
    default: /* reduce_scatter */
        if (extreme) return vn__fail(VN_E_UNSUPPORTED, "%s: a %s has no gradient; use all_reduce", c->who, reductions[c->reduction]), NULL;
        g = vn_group_all_gather(c->group, ct);
        return c->reduction == VN_REDUCE_MEAN ? vn_div(g, vn_scalar(vn__group_of(c->group)->ranks)) : g;
    }
}

static vn_array *collective(call c, vn_array *x)
{
    if (!fits(&c, x)) return NULL;
    VN_SCOPE;
    const bool differentiable = vn__has_gradient(x) && vn__is(vn_dtype_of(x), VN_INEXACT);
    vn_array *y = value_of(&c, x);
    if (!y || vn_eval(1, &y)) return NULL;
    if (!differentiable) return vn_pass(y);
    call *kept = vn__alloc(sizeof *kept);
    if (!kept) return vn__no_memory(c.who), NULL;
    *kept = c;
    vn_group_keep(kept->group);
    vn_array *z = vn__with_gradient(y, x, rule, kept, release_call, c.who);
    if (!z) release_call(kept);
    return z ? vn_pass(z) : NULL;
}

/* ---- the functions ---- */

int vn_group_barrier(vn_group *g)
{
    static const char who[] = "group_barrier";
    if (!vn__check(g, VN__GROUP, who, "g")) return vn_status();
    return vn__group_run(vn__group_of(g), 1, &(vn_transfer){.kind = VN_TRANSFER_BARRIER, .dtype = VN_U8}, who);
}

vn_array *vn_group_all_reduce(vn_group *g, vn_array *x, int reduction)
{
    return collective((call){g, VN_TRANSFER_ALL_REDUCE, reduction, 0, "group_all_reduce"}, x);
}
vn_array *vn_group_broadcast(vn_group *g, vn_array *x, int root)
{
    return collective((call){g, VN_TRANSFER_BROADCAST, 0, root, "group_broadcast"}, x);
}
vn_array *vn_group_all_gather(vn_group *g, vn_array *x)
{
    return collective((call){g, VN_TRANSFER_ALL_GATHER, 0, 0, "group_all_gather"}, x);
}
vn_array *vn_group_reduce_scatter(vn_group *g, vn_array *x, int reduction)
{
    return collective((call){g, VN_TRANSFER_REDUCE_SCATTER, reduction, 0, "group_reduce_scatter"}, x);
}

/* ---- from rank to rank ---- */

enum { MAX_TAG = 32767 };
typedef struct { /* goes before the elements */
    int32_t dtype, rank;
    int64_t dims[VN_MAX_RANK];
} header;

static bool good_peer(const vn_group *g, int rank, int tag, const char *who)
{
    if (!vn__check(g, VN__GROUP, who, "g")) return false;
    const vn__group *b = vn__group_of(g);
    if (rank < 0 || rank >= b->ranks || rank == b->rank)
        return vn__fail(VN_E_ARG, "%s: rank %d is not another of the group's %d", who, rank, b->ranks), false;
    if (tag < 0 || tag >= MAX_TAG) return vn__fail(VN_E_ARG, "%s: tag is %d; 0 to %d is needed", who, tag, MAX_TAG - 1), false;
    return true;
}

int vn_group_send(vn_group *g, vn_array *x, int to, int tag)
{
    static const char who[] = "group_send";
    if (!good_peer(g, to, tag, who) || !vn__check(x, VN__ARRAY, who, "x")) return vn_status();
    const vn_shape s = vn_shape_of(x);
    header h = {vn_dtype_of(x), s.rank, {0}};
    memcpy(h.dims, s.dim, (size_t)s.rank * sizeof *h.dims);
    const void *data = vn_data(x);
    if (!data) return vn_status();
    vn_transfer t = {.kind = VN_TRANSFER_SEND, .dtype = VN_U8, .rank = to, .tag = tag, .count = sizeof h, .in = &h};
    int code = vn__group_move(vn__group_of(g), &t, who);
    t.in = data, t.count = vn_size(x) * (int64_t)vn_dtype_size(vn_dtype_of(x));
    return code || !t.count ? code : vn__group_move(vn__group_of(g), &t, who);
}

vn_array *vn_group_receive(vn_group *g, int from, int tag)
{
    static const char who[] = "group_receive";
    if (!good_peer(g, from, tag, who)) return NULL;
    VN_SCOPE;
    header *h = vn__calloc(sizeof *h);
    if (!h) return vn__group_no_memory(who), NULL;
    vn_transfer t = {.kind = VN_TRANSFER_RECEIVE, .dtype = VN_U8, .rank = from, .tag = tag, .count = sizeof *h, .out = h};
    if (vn__group_move(vn__group_of(g), &t, who)) return vn__group_free(h), NULL;
    vn_shape s = {.rank = h->rank};
    const vn_dtype dtype = (vn_dtype)h->dtype;
    if (h->rank >= 0 && h->rank <= VN_MAX_RANK) memcpy(s.dim, h->dims, (size_t)h->rank * sizeof *h->dims);
    vn__free(h);
    int64_t count;
    if (s.rank < 0 || s.rank > VN_MAX_RANK || !vn_dtype_size(dtype))
        return vn__fail(VN_E_GROUP, "%s: rank %d sent no array", who, vn__group_number(vn__group_of(g), from)), NULL;
    if (vn__count(who, s.rank, s.dim, dtype, &count)) return NULL;
    t.count = count * (int64_t)vn_dtype_size(dtype);
    t.out = vn__block_alloc((size_t)t.count + 1);
    if (!t.out) return vn__group_no_memory(who), NULL;
    if (t.count && vn__group_move(vn__group_of(g), &t, who)) return vn__group_block_free(t.out), NULL;
    vn_array *x = vn_wrap(t.out, dtype, s, vn__block_free, t.out);
    return x ? vn_pass(x) : NULL;
}
