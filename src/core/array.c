/* SPDX-License-Identifier: Apache-2.0 */
/* array.c: arrays from host data, properties of arrays, and reading them. */
/* compiled for speed */
#include "core/memory.h"
#include "core/object.h"
#include "core/text.h"
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "program/program.h"
#include "engine/engine.h"
#include "core/callback.h"
#include "base/floats.h"
#include <math.h>

/* Of vinea.h. */
extern inline vn_shape vn__shape(const int64_t *dim, size_t rank);
extern inline vn_axes vn__axes(const int64_t *axis, size_t n, int keep);

/* ---- creating ---- */

static vn_array *make(const char *who, const vn_host_memory *m, int dtype, int rank, const int64_t *dims)
{
    vn__state *s = vn__enter();
    vn__engine *e = s ? vn__engine_in_use(s) : NULL;
    if (!e && m->release) m->release(m->owner);
    vn__node *n = e ? vn__leaf_from(e, dtype, rank, dims, m, who) : NULL;
    return n ? vn__handle(n, who) : NULL;
}

static int check_new(const char *who, int dtype, int rank, const int64_t *dims, size_t *bytes)
{
    int64_t count;
    int code = vn__count(who, rank, dims, dtype, &count);
    if (!code) *bytes = (size_t)count * vn_dtype_size((vn_dtype)dtype);
    return code;
}

/* The kernels of all engines count on 0 and 1. */
static int check_data(const char *who, const void *data, int dtype, size_t bytes)
{
    if (!data && bytes) return vn__fail(VN_E_NULL, "%s: data is NULL", who);
    const size_t i = dtype == VN_BOOL ? vn__not_bool(data, bytes) : bytes;
    if (i == bytes) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: element %zu is the byte %d; a bool is 0 or 1", who, i, ((const unsigned char *)data)[i]);
}

static vn_array *copy_in(const char *who, const void *data, int dtype, int rank, const int64_t *dims)
{
    size_t bytes;
    if (check_new(who, dtype, rank, dims, &bytes) || check_data(who, data, dtype, bytes)) return NULL;
    return make(who, &(vn_host_memory){.data = data, .bytes = bytes}, dtype, rank, dims);
}

vn_array *vn_from(const float *data, vn_shape shape)
{
    return copy_in("from", data, VN_F32, shape.rank, shape.dim);
}

vn_array *vn_from_host(const void *data, vn_dtype dtype, vn_shape shape)
{
    return copy_in("from_host", data, (int)dtype, shape.rank, shape.dim);
}

vn_array *vn_array_from(const void *data, int dtype, int rank, const int64_t *dims)
{
    if (rank > 0 && !dims) return vn__fail(VN_E_NULL, "array_from: dims is NULL"), NULL;
    return copy_in("array_from", data, dtype, rank, dims);
}

/* Bools are copied and then checked: others may write to the memory at any time. */
static vn_array *wrap_bools(const void *data, size_t bytes, vn_shape shape, void (*release)(void *user), void *user)
{
    void *own = vn__block_alloc(bytes);
    if (own) memcpy(own, data, bytes);
    else vn__no_memory("wrap");
    release(user);
    if (!own) return NULL;
    if (check_data("wrap", own, VN_BOOL, bytes)) return vn__block_free(own), NULL;
    return make("wrap", &(vn_host_memory){own, bytes, vn__block_free, own}, VN_BOOL, shape.rank, shape.dim);
}

vn_array *vn_wrap(const void *data, vn_dtype dtype, vn_shape shape, void (*release)(void *user), void *user)
{
    size_t bytes = 0;
    if (!release) return vn__fail(VN_E_NULL, "wrap: release is NULL; it is called when the memory is no longer needed"), NULL;
    bool bad = check_new("wrap", (int)dtype, shape.rank, shape.dim, &bytes);
    if (!bad && dtype == VN_BOOL && data && bytes && release != vn__block_free) return wrap_bools(data, bytes, shape, release, user);
    bad = bad || check_data("wrap", data, (int)dtype, bytes);
    if (!bad && bytes && (uintptr_t)data % vn_dtype_size((vn_dtype)vn__part_dtype((int)dtype)))
        bad = vn__fail(VN_E_ARG, "wrap: data is not aligned to %s", vn_dtype_name(dtype)) != VN_OK;
    if (bad) return release(user), NULL;
    return make("wrap", &(vn_host_memory){data, bytes, release, user}, (int)dtype, shape.rank, shape.dim);
}

vn_array *vn_none(void)
{
    static vn_array none; /* never alive, so functions that do not accept VN_NONE refuse it */
    return &none;
}

/* A weak number: its first word and, if it is complex, the second (vn__node_number). */
static inline vn_array *weak(const char *who, int dtype, const void *first, const void *second)
{
    vn__state *s = vn__enter();
    vn__engine *e = s ? vn__engine_in_use(s) : NULL;
    if (!e) return NULL;
    vn__node *n = vn__node_new(VN__NODE_SCALAR, e, 0, dtype, 0, NULL, second ? 2 : 1);
    if (!n) return vn__no_memory(who), NULL;
    memcpy(vn__node_words(n), first, sizeof(int64_t));
    if (second) memcpy(vn__node_words(n) + 1, second, sizeof(int64_t));
    n->flags = VN__WEAK;
    return vn__handle(n, who);
}

vn_array *vn_scalar(double value)
{
    return weak("scalar", VN_F32, &value, NULL);
}

vn_array *vn_scalar_int(int64_t value)
{
    return weak("scalar_int", VN_I64, &value, NULL);
}

vn_array *vn_scalar_uint(uint64_t value)
{
    return weak("scalar_uint", value > INT64_MAX ? VN_U64 : VN_I64, &value, NULL);
}

vn_array *vn_scalar_complex(double re, double im)
{
    return weak("scalar_complex", VN_C64, &re, &im);
}

vn_array *vn_slice_at(vn_array *x, vn_shape start, vn_shape size)
{
    if (!vn__check(x, VN__ARRAY, "slice_at", "x")) return NULL;
    vn__node *n = vn__node_of(x);
    if (start.rank != n->rank || size.rank != n->rank)
        return vn__fail(VN_E_SHAPE, "slice_at: start has %d and size %d numbers, x has rank %d", start.rank, size.rank, n->rank), NULL;
    for (int k = 0; k < n->rank; k++) {
        int64_t d = vn__node_dims(n)[k];
        if (start.dim[k] < 0 || size.dim[k] < 0 || start.dim[k] > d - size.dim[k])
            return vn__fail(VN_E_ARG, "slice_at: %lld elements from %lld on do not fit into axis %d of size %lld (%s)",
                            (long long)size.dim[k], (long long)start.dim[k], k, (long long)d, n->engine->name),
                   NULL;
    }
    return vn_slice(x, vn__index(x, start), size);
}

vn_array *vn_rows(vn_array *x, int64_t first, int64_t n)
{
    if (!vn__check(x, VN__ARRAY, "rows", "x")) return NULL;
    vn_shape size = vn_shape_of(x), start = {.rank = size.rank};
    if (size.rank < 1) return vn__fail(VN_E_SHAPE, "rows: x is a single number and has no rows"), NULL;
    if (first < 0 || n < 0 || first > size.dim[0] - n)
        return vn__fail(VN_E_ARG, "rows: %lld rows from %lld on; x has %lld (%s)", (long long)n, (long long)first, (long long)size.dim[0],
                        vn_engine_of(x)),
               NULL;
    start.dim[0] = first;
    size.dim[0] = n;
    return vn_slice_at(x, start, size);
}

/* ---- constants on the engine of another array ---- */

vn_array *vn__number(const vn_array *like, double value)
{
    if (!vn__check(like, VN__ARRAY, "number", "like")) return NULL;
    const vn__node *n = vn__node_of(like);
    const vn__num v = vn__real_num(value);
    vn__node *z = vn__leaf_number(n->engine, n->dtype, &v, "number");
    return z ? vn__handle(z, "number") : NULL;
}

vn_array *vn__index(const vn_array *like, vn_shape numbers)
{
    if (!vn__check(like, VN__ARRAY, "index", "like")) return NULL;
    int64_t n = numbers.rank;
    vn__node *z = vn__leaf_from(vn__node_of(like)->engine, VN_I64, 1, &n,
                                &(vn_host_memory){.data = numbers.dim, .bytes = (size_t)n * sizeof(int64_t)}, "index");
    return z ? vn__handle(z, "index") : NULL;
}

/* ---- properties ---- */

int vn_rank(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "rank", "x") ? vn__node_of(x)->rank : -1;
}
int64_t vn_size(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "size", "x") ? vn__node_of(x)->count : -1;
}
const char *vn_engine_of(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "engine_of", "x") ? vn__node_of(x)->engine->name : "";
}
vn_dtype vn_dtype_of(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "dtype_of", "x") ? (vn_dtype)vn__node_of(x)->dtype : VN_NO_DTYPE;
}
int vn_is_ready(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "is_ready", "x") && vn__node_state_of(vn__node_of(x)) == VN__READY;
}

int64_t vn_dim(const vn_array *x, int axis)
{
    if (!vn__check(x, VN__ARRAY, "dim", "x")) return -1;
    const vn__node *n = vn__node_of(x);
    int a = axis < 0 ? axis + n->rank : axis;
    if (a < 0 || a >= n->rank) return vn__fail(VN_E_ARG, "dim: axis %d is outside the rank %d of x", axis, n->rank), -1;
    return vn__node_dims(n)[a];
}

vn_shape vn_shape_of(const vn_array *x)
{
    if (!vn__check(x, VN__ARRAY, "shape_of", "x")) return VN_0D;
    const vn__node *n = vn__node_of(x);
    vn_shape s; /* not cleared: it is asked for often, and nothing reads beyond the rank */
    s.rank = n->rank;
    for (int k = 0; k < n->rank; k++) s.dim[k] = vn__node_dims(n)[k];
    return s;
}

/* ---- reading ---- */

/* Adds what was read to the error: an array that an engine keeps as a view of few elements may be large. */
static void no_room(const vn__node *n)
{
    char words[192], s[128];
    snprintf(words, sizeof words, "reading %s of %s", vn__shape_text(n->rank, vn__node_dims(n), s), vn_dtype_name((vn_dtype)n->dtype));
    vn__fail_in(words);
}

static const void *data_of(vn_array *x, const char *who)
{
    if (!vn__check(x, VN__ARRAY, who, "x")) return NULL;
    vn__node *n = vn__node_of(x);
    const vn__state *state = vn__peek();
    const bool before = state && state->code;
    vn_desc d;
    const void *data = NULL;
    int code = vn__settle(n);
    vn__desc_of(n, &d);
    if (!code) code = vn__engine_usable(n->engine, who);
    const bool settled = !code;
    if (!code) code = vn__to_host(n->value->engine, n->value->buf, &d, &data, who);
    if (code) vn__engine_failed(n->engine, code, who, "could not give its data");
    if (code == VN_E_MEM && settled && !before) no_room(n);
    return code ? NULL : data;
}

const void *vn_data(vn_array *x)
{
    return data_of(x, "data");
}

int vn_read(vn_array *x, void *to, size_t bytes)
{
    if (!vn__check(x, VN__ARRAY, "read", "x")) return vn_status();
    vn__node *n = vn__node_of(x);
    size_t have = (size_t)n->count * vn_dtype_size((vn_dtype)n->dtype);
    char s[128];
    if (bytes != have)
        return vn__fail(VN_E_SHAPE, "read: room for %zu bytes, %s %s has %zu", bytes, vn_dtype_name((vn_dtype)n->dtype),
                        vn__shape_text(n->rank, vn__node_dims(n), s), have);
    if (!to && bytes) return vn__fail(VN_E_NULL, "read: the target is NULL");
    if (!bytes) return vn__settle(n);
    const void *data = data_of(x, "read");
    if (!data) return vn_status();
    memcpy(to, data, bytes);
    return VN_OK;
}

const void *vn_data_at_hand(const vn_array *x)
{
    const vn__state *s = vn__enter();
    if (!s || !vn__check(x, VN__ARRAY, "data_at_hand", "x")) return NULL;
    const vn__node *n = vn__node_of(x);
    if (!n->engine->builtin || vn__node_state_of(n) != VN__READY || n->value->unknown) return NULL;
    if (n->flags & VN__WEAK || (n->flags & VN__HISTORY && vn__grad_mode(s))) return NULL;
    vn_desc d;
    const void *data = NULL;
    vn__desc_of(n, &d);
    return vn__to_host(n->engine, n->value->buf, &d, &data, "data_at_hand") ? NULL : data;
}

/* The data of an array with one element. */
static const void *single(vn_array *x, const char *who)
{
    if (!vn__check(x, VN__ARRAY, who, "x")) return NULL;
    vn__node *n = vn__node_of(x);
    char s[128];
    if (n->count != 1)
        return vn__fail(VN_E_NOT_SCALAR, "%s: x has shape %s, one element is needed", who, vn__shape_text(n->rank, vn__node_dims(n), s)),
               NULL;
    return data_of(x, who);
}

/* The same for a real number. */
static const void *single_real(vn_array *x, const char *who)
{
    const void *data = single(x, who);
    if (!data || !vn__is(vn__node_of(x)->dtype, VN_COMPLEX)) return data;
    return vn__fail(VN_E_DTYPE, "%s: x is %s; vn_item_complex reads both parts, vn_real, vn_imag and vn_abs make one of them", who,
                    vn_dtype_name(vn_dtype_of(x))),
           NULL;
}

double vn_item(vn_array *x)
{
    const void *data = single_real(x, "item");
    return data ? vn__get_double(data, 0, vn__node_of(x)->dtype) : NAN;
}

int64_t vn_item_int(vn_array *x)
{
    const void *data = single_real(x, "item_int");
    return data ? vn__get_int(data, 0, vn__node_of(x)->dtype) : 0;
}

int vn_item_complex(vn_array *x, double out[2])
{
    if (!out) return vn__fail(VN_E_NULL, "item_complex: out is NULL");
    out[0] = out[1] = NAN;
    const void *data = single(x, "item_complex");
    if (!data) return (int)vn_status();
    for (int part = 0; part < 2; part++) out[part] = vn__get_part(data, 0, vn__node_of(x)->dtype, part);
    return VN_OK;
}

/* The nodes of a list of arrays, in `few` if they fit, otherwise in memory that the caller frees. NULL on error. */
enum { FEW = 16 };
static inline vn__node **nodes_of(int n, vn_array *const *arrays, vn__node **few, const char *op)
{
    if (n < 0) return vn__fail(VN_E_ARG, "%s: %d arrays", op, n), NULL;
    if (n && !arrays) return vn__fail(VN_E_NULL, "%s: the list is NULL", op), NULL;
    few[0] = NULL;
    vn__node **nodes = n > FEW ? vn__alloc((size_t)n * sizeof *nodes) : few;
    if (!nodes) return vn__no_memory(op), NULL;
    for (int k = 0; k < n; k++) {
        if (vn__check(arrays[k], VN__ARRAY, op, "arrays")) {
            nodes[k] = vn__node_of(arrays[k]);
            continue;
        }
        if (nodes != few) vn__free(nodes);
        return NULL;
    }
    return nodes;
}

int vn_eval(int n, vn_array *const *arrays)
{
    vn__node *few[FEW], **nodes = nodes_of(n, arrays, few, "eval");
    if (!nodes) return vn_status();
    int code = vn__evaluate(n, nodes, 0, NULL);
    if (nodes != few) vn__free(nodes);
    return code;
}

/* ---- new values, other engines ---- */

vn_array *vn_into(vn_array *h, vn_array *y)
{
    if (!vn__check(h, VN__ARRAY, "into", "h") || !vn__check(y, VN__ARRAY, "into", "y")) return NULL;
    vn__node *old = vn__node_of(h), *new = vn__node_of(y);
    char s[128], t[128];
    bool same = old->rank == new->rank && !memcmp(vn__node_dims(old), vn__node_dims(new), old->rank * sizeof(int64_t));
    if (!same)
        return vn__fail(VN_E_SHAPE, "into: h has shape %s, y %s", vn__shape_text(old->rank, vn__node_dims(old), s),
                        vn__shape_text(new->rank, vn__node_dims(new), t)),
               NULL;
    if (old->dtype != new->dtype)
        return vn__fail(VN_E_DTYPE, "into: h is %s, y %s", vn_dtype_name((vn_dtype)old->dtype), vn_dtype_name((vn_dtype) new->dtype)), NULL;
    if (old->engine != new->engine)
        return vn__fail(VN_E_ENGINE, "into: h is on %s, y on %s; move one with vn_to", old->engine->name, new->engine->name), NULL;
    vn__point(h, new);
    return h;
}

/* Points a handle at another node. The graph lock excludes the safety net, which reads all handles. */
void vn__point(vn_array *h, vn__node *n)
{
    vn__node_retain(n);
    pthread_mutex_lock(&vn__graph_lock);
    vn__node *old = h->object.body;
    h->object.body = n;
    atomic_fetch_add_explicit(&h->object.changes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&vn__graph_lock);
    vn__node_release(old);
}

vn_array *vn__on_engine(vn_array *x, const char *engine)
{
    return x && strcmp(vn_engine_of(x), engine) != 0 ? vn_to(x, engine) : x;
}

vn_array *vn_alias(vn_array *x)
{
    if (!vn__check(x, VN__ARRAY, "alias", "x")) return NULL;
    vn__node *n = vn__node_of(x);
    vn__node_retain(n);
    return vn__handle(n, "alias");
}

int64_t vn_changes(const vn_array *x)
{
    return vn__check(x, VN__ARRAY, "changes", "x") ? atomic_load_explicit(&x->object.changes, memory_order_relaxed) : -1;
}

vn_array *vn_to(vn_array *x, const char *engine)
{
    vn__state *s = vn__enter();
    if (!s || !vn__check(x, VN__ARRAY, "to", "x")) return NULL;
    vn__node *n = vn__node_of(x);
    vn__engine *e = vn__engine_find(engine);
    if (!e || vn__settle(n)) return NULL;
    vn_desc d;
    vn__desc_of(n, &d);
    vn_buf *buf = NULL;
    vn__value *v = NULL;
    int code = vn__engine_usable(n->engine, "to");
    if (!code && e == n->engine) {
        vn__value_retain(v = n->value);
    } else if (!code) {
        code = vn__transfer(n->engine, n->value->buf, &d, e, &buf);
        v = code ? NULL : vn__value_new(e, buf);
        if (v) v->borrowed = true; /* it may share x's memory */
    }
    bool history = n->flags & VN__HISTORY && vn__grad_mode(s);
    vn__node *z = v ? vn__node_new(vn__op_to, e, history ? 1 : 0, n->dtype, n->rank, vn__node_dims(n), 0) : NULL;
    if (!z) {
        vn__value_release(v);
        if (!code) vn__no_memory("to");
        return NULL;
    }
    z->value = v;
    if (history) {
        vn__node_retain(n);
        vn__node_in(z)[0] = n;
        z->flags = VN__HISTORY;
    }
    atomic_store_explicit(&z->state, VN__READY, memory_order_release);
    return vn__handle(z, "to");
}

/* ---- explaining programs ---- */

const char *vn_explain(vn_array *x)
{
    if (!vn__check(x, VN__ARRAY, "explain", "x")) return NULL;
    return vn_explain_all(1, &x);
}

const char *vn_explain_all(int n, vn_array *const *arrays)
{
    vn__state *s = vn__enter();
    vn__node *few[FEW], **nodes = s ? nodes_of(n, arrays, few, "explain_all") : NULL;
    if (!nodes) return NULL;
    int code = n ? VN_OK : vn__fail(VN_E_ARG, "explain_all: 0 arrays"), m = 0;
    for (int k = 0; k < n && !code; k++) {
        if (nodes[k]->engine != nodes[0]->engine)
            code = vn__fail(VN_E_ENGINE, "explain_all: arrays of %s and %s; call it once per engine", nodes[0]->engine->name,
                            nodes[k]->engine->name);
        else if (nodes[k]->op != VN__NODE_SCALAR || (k + 1 == n && !m)) nodes[m++] = nodes[k]; /* a weak number is always ready */
    }
    vn__text_start(&s->text);
    if (!code) code = vn__prepare(m, nodes, &s->text);
    if (nodes != few) vn__free(nodes);
    return code ? NULL : vn__text_finish(&s->text);
}

int vn_compile(vn_loss_fn fn, const vn_tree *p, void *data)
{
    if (!fn) return vn__fail(VN_E_NULL, "compile: fn is NULL");
    VN_SCOPE;
    vn_array *z = vn__callback(fn, p, data, "compile", false);
    if (!z) return vn_status();
    vn__node *n = vn__node_of(z);
    return vn__prepare(1, &n, NULL);
}
