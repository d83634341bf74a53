/* SPDX-License-Identifier: Apache-2.0 */
/* node.c: nodes (a recorded op or a leaf) and values (a shared buffer of an engine): creation, reference counts, release. */
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
#include "core/place.h"
#include "base/floats.h"

/* ---- values ---- */

vn__value *vn__value_new(vn__engine *e, vn_buf *buf)
{
    vn__value *v = vn__small_alloc(sizeof *v);
    if (!v) {
        vn__buf_release(e, buf);
        return NULL;
    }
    *v = (vn__value){.refs = 1, .engine = e, .buf = buf};
    return v;
}

void vn__value_destroy(vn__value *v)
{
    if (v->buf && !v->borrowed && v->engine->builtin) {
        vn__buf_release(v->engine, v->buf);
    } else if (v->buf) { /* which may run the release callback of borrowed memory; a framework may hold such memory too */
        vn__state *s = vn__peek();
        const size_t inside = vn__user_begin(s);
        vn__buf_release(v->engine, v->buf);
        vn__user_end(s, inside);
    }
    vn__value_free(v);
}

/* ---- nodes ---- */

static void count_nodes(int64_t by)
{
    vn__state *s = vn__peek();
    if (s) atomic_store_explicit(&s->nodes, atomic_load_explicit(&s->nodes, memory_order_relaxed) + by, memory_order_relaxed);
}

static size_t size_of(int n_in, int rank, size_t n_words)
{
    return sizeof(vn__node) + ((size_t)n_in + (size_t)rank + n_words + (vn__seek != VN__SEEK_NOTHING)) * sizeof(void *);
}

/* `more`: words after those of the options. Inline: without more, as nearly always, its checks go. */
static inline __attribute__((always_inline)) vn__node *new_node(int op, vn__engine *e, int n_in, int dtype, int rank, const int64_t *dims,
                                                                int n_words, size_t more)
{
    vn__node *n = vn__small_alloc(size_of(n_in, rank, (size_t)n_words + more));
    if (!n) return NULL;
    atomic_init(&n->counts, VN__A_REFERENCE);
    atomic_init(&n->state, VN__PENDING);
    n->flags = 0;
    n->dtype = (uint8_t)dtype;
    n->rank = (uint8_t)rank;
    n->n_in = n_in;
    n->op = (uint16_t)op;
    n->n_words = (uint16_t)n_words;
    n->mark = 0;
    n->index = 0;
    n->engine = e;
    n->value = NULL;
    n->count = 1;
    int64_t *d = vn__node_dims(n);
    for (int i = 0; i < rank; i++) n->count *= d[i] = dims[i];
    count_nodes(1);
    if (__builtin_expect(vn__seek != VN__SEEK_NOTHING, 0))
        n->tail[(size_t)n_in + (size_t)rank + (size_t)n_words + more] = op < VN__NODE_PART ? vn__place_new(vn__ops[op].info.name) : NULL;
    return n;
}

vn__node *vn__node_new(int op, vn__engine *e, int n_in, int dtype, int rank, const int64_t *dims, int n_words)
{
    return new_node(op, e, n_in, dtype, rank, dims, n_words, 0);
}

/* ---- several results: their number, then of each after the first dtype and rank in one word, and its dims ---- */

vn__node *vn__node_several(int op, vn__engine *e, int n_in, int n_words, const vn__infer *i)
{
    size_t more = 1;
    for (int k = 1; k < i->n_out; k++) more += 1 + (size_t)i->forms[k - 1].rank;
    vn__node *n = new_node(op, e, n_in, i->dtype, i->rank, i->dims, n_words, more);
    if (!n) return NULL;
    n->flags = VN__SEVERAL;
    int64_t *w = vn__node_forms(n);
    *w++ = i->n_out;
    for (int k = 1; k < i->n_out; k++) {
        const vn__form *f = &i->forms[k - 1];
        *w++ = (int64_t)f->rank << 8 | f->dtype;
        for (int r = 0; r < f->rank; r++) *w++ = f->dims[r];
    }
    return n;
}

/* A node for result k, whose dtype, rank and dims are at w; the first result's are the node's. */
static vn__node *part(vn__node *n, int k, const int64_t *w)
{
    const int dtype = k ? (int)(*w & 255) : n->dtype, rank = k ? (int)(*w >> 8) : n->rank;
    vn__node *p = vn__node_new(VN__NODE_PART, n->engine, 1, dtype, rank, k ? w + 1 : vn__node_dims(n), 1);
    if (!p) return NULL;
    vn__node_add(vn__node_in(p)[0] = n, VN__A_REFERENCE + VN__A_USE);
    vn__node_words(p)[0] = k;
    if (vn__is(dtype, VN_INEXACT)) p->flags = n->flags & (VN__HISTORY | VN__WEAK);
    return p;
}

static const int64_t *next_form(const int64_t *w)
{
    return w + 1 + (*w >> 8);
}

vn__node *vn__node_part(vn__node *n, int k)
{
    const int64_t *w = vn__node_forms(n) + 1;
    for (int j = 1; j < k; j++) w = next_form(w);
    return part(n, k, w);
}

bool vn__node_parts(vn__node *n, int many, vn__node **out)
{
    const int64_t *w = vn__node_forms(n) + 1;
    for (int k = 0; k < many; k++) {
        if (!(out[k] = part(n, k, w))) {
            while (k--) vn__node_release(out[k]);
            return false;
        }
        if (k) w = next_form(w);
    }
    return true;
}

static size_t words_of(const vn__node *n)
{
    if (!(n->flags & VN__SEVERAL)) return n->n_words;
    const int64_t *w = vn__node_forms(n) + 1;
    for (uint32_t k = 1; k < vn__node_results(n); k++) w = next_form(w);
    return (size_t)(w - vn__node_words(n));
}

vn__place **vn__node_place(const vn__node *n)
{
    return (vn__place **)(void *)(vn__node_words(n) + words_of(n));
}

/* Frees a chain of any length in a loop: nodes to free are linked through their engine field. */
void vn__node_destroy(vn__node *n)
{
    vn__node *dead = n;
    n->engine = NULL;
    while (dead) {
        n = dead;
        dead = (vn__node *)(void *)n->engine;
        uint64_t held = vn__node_state_of(n) == VN__READY ? VN__A_REFERENCE : VN__A_REFERENCE + VN__A_USE;
        for (int32_t i = 0; i < n->n_in; i++) {
            vn__node *in = vn__node_in(n)[i];
            if (!in || !vn__node_subtract(in, held)) continue;
            in->engine = (vn__engine *)(void *)dead;
            dead = in;
        }
        vn__value_release(n->value);
        if (n->flags & VN__CUSTOM) vn__object_release(vn__node_fn(n));
        count_nodes(-1);
        if (__builtin_expect(vn__seek != VN__SEEK_NOTHING, 0)) vn__place_release(*vn__node_place(n));
        vn__small_free(n, size_of(n->n_in, n->rank, words_of(n)));
    }
}

vn_array *vn__handle(vn__node *n, const char *who)
{
    vn_array *x = (vn_array *)vn__object_new(VN__ARRAY, n, who);
    if (!x) vn__node_release(n);
    return x;
}

vn__node *vn__leaf(vn__engine *e, int dtype, int rank, const int64_t *dims, vn__value *v)
{
    vn__node *n = vn__node_new(VN__NODE_LEAF, e, 0, dtype, rank, dims, 0);
    if (!n) {
        vn__value_release(v);
        return NULL;
    }
    n->value = v;
    atomic_store_explicit(&n->state, VN__READY, memory_order_release);
    return n;
}

vn__node *vn__leaf_from(vn__engine *e, int dtype, int rank, const int64_t *dims, const vn_host_memory *m, const char *who)
{
    vn_desc d = {.dtype = dtype, .rank = rank, .count = 1, .dims = dims};
    for (int i = 0; i < rank; i++) d.count *= dims[i];
    vn_buf *buf = NULL;
    int code = vn__engine_usable(e, who);
    if (!code) code = vn__from_host(e, &d, m, &buf, who);
    if (code) {
        if (m->release) m->release(m->owner);
        vn__engine_failed(e, code, who, "could not take the data");
        return NULL;
    }
    vn__value *v = vn__value_new(e, buf);
    if (v) v->borrowed = m->release != NULL;
    vn__node *n = v ? vn__leaf(e, dtype, rank, dims, v) : NULL;
    if (!n) vn__no_memory(who);
    return n;
}

/* The buffer of a number, from the thread's number cache or added to it. A new reference. */
static vn_buf *number_buf(vn__state *s, vn__engine *e, int dtype, const int64_t bits[2], int *code)
{
    /* no addresses, so that every run uses the same slots */
    uint64_t h = ((uint64_t)bits[0] ^ (uint64_t)bits[1] << 1 ^ (uint64_t)dtype) * UINT64_C(0x9E3779B97F4A7C15);
    vn__number_slot *slot = &s->numbers[h >> 58];
    if (slot->buf && slot->engine == e && slot->dtype == dtype && slot->bits[0] == bits[0] && slot->bits[1] == bits[1]) {
        vn__buf_retain(e, slot->buf);
        return slot->buf;
    }
    vn_buf *buf = NULL;
    vn_host_memory m = {.data = bits, .bytes = vn_dtype_size((vn_dtype)dtype)};
    if ((*code = vn__from_host(e, &(vn_desc){.dtype = dtype, .count = 1}, &m, &buf, "number"))) return NULL;
    if (slot->buf) vn__buf_release(slot->engine, slot->buf);
    vn__buf_retain(e, buf);
    *slot = (vn__number_slot){e, buf, {bits[0], bits[1]}, dtype};
    return buf;
}
_Static_assert(VN__NUMBERS == 64, "the table is indexed by six bits");

vn__node *vn__leaf_number(vn__engine *e, int dtype, const vn__num *value, const char *who)
{
    vn__state *s = vn__enter();
    if (!s) return NULL;
    int64_t data[2] = {0};
    vn__put_num(data, 0, dtype, value);
    int code = vn__engine_usable(e, who);
    vn_buf *buf = code ? NULL : number_buf(s, e, dtype, data, &code);
    if (!buf) return vn__engine_failed(e, code, who, "could not take the data"), NULL;
    vn__value *v = vn__value_new(e, buf);
    if (v) v->borrowed = true; /* owned by the cache: never overwritten */
    vn__node *n = v ? vn__leaf(e, dtype, 0, NULL, v) : NULL;
    if (!n) vn__no_memory(who);
    return n;
}

void vn__numbers_release(vn__state *s)
{
    for (int k = 0; k < VN__NUMBERS; k++) {
        if (s->numbers[k].buf) vn__buf_release(s->numbers[k].engine, s->numbers[k].buf);
        s->numbers[k].buf = NULL;
    }
}

/* Reports invalid sizes. Separate, to keep the code that every op runs short. */
static int refuse_sizes(const char *who, int rank, const int64_t *dims, int dtype)
{
    char s[128];
    if (rank < 0 || rank > VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "%s: rank %d is outside 0 to %d", who, rank, VN_MAX_RANK);
    if (!vn__is_dtype(dtype)) return vn__refuse_dtype(who, dtype);
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0) return vn__fail(VN_E_SHAPE, "%s: size %lld of axis %d is negative", who, (long long)dims[i], i);
    }
    return vn__fail(VN_E_SHAPE, "%s: shape %s of %s is too large to address", who, vn__shape_text(rank, dims, s),
                    vn_dtype_name((vn_dtype)dtype));
}

int vn__count(const char *who, int rank, const int64_t *dims, int dtype, int64_t *count)
{
    if ((unsigned)rank > VN_MAX_RANK || !vn__is_dtype(dtype)) return refuse_sizes(who, rank, dims, dtype);
    /* Zero sizes count as one in the bounds, so that no partial product overflows either. */
    int64_t n = 1, bytes;
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] > 0 ? __builtin_mul_overflow(n, dims[i], &n) : dims[i] < 0) return refuse_sizes(who, rank, dims, dtype);
        empty |= !dims[i];
    }
    if (__builtin_mul_overflow(n, (int64_t)vn__dtype_bytes[dtype], &bytes) || bytes > INT64_MAX >> 2)
        return refuse_sizes(who, rank, dims, dtype);
    *count = empty ? 0 : n;
    return VN_OK;
}

static int dtype_at(const void *of, int k)
{
    const vn__node *n = of;
    if (k < n->n_in) return vn__node_in(n)[k]->dtype;
    const int64_t *w = k > n->n_in ? vn__node_forms(n) + 1 : NULL;
    for (int j = n->n_in + 1; j < k; j++) w = next_form(w);
    return w ? (int)(*w & 255) : n->dtype;
}

uint32_t vn__node_dtypes(const vn__node *n)
{
    return vn__open_dtypes(n->op, n->n_in, dtype_at, n);
}

void vn__desc_of(const vn__node *n, vn_desc *d)
{
    *d = (vn_desc){.dtype = n->dtype, .rank = n->rank, .count = n->count, .dims = vn__node_dims(n)};
}

/* ---- options as words: a number is one word, a list its length and its items ---- */

size_t vn__decode_options(const vn__op *op, const int64_t *words, vn_option *out)
{
    size_t at = 0;
    for (int i = 0; i < op->info.n_options; i++) {
        const vn_op_option *spec = &op->info.options[i];
        out[i] = (vn_option){.name = spec->name, .kind = spec->kind, .n = 1};
        if (spec->kind == VN_OPT_INTS) {
            out[i].n = (int32_t)words[at++];
            out[i].u.is = words + at;
            at += (size_t)out[i].n;
        } else {
            memcpy(&out[i].u, &words[at++], sizeof(int64_t));
        }
    }
    return at;
}
