/* SPDX-License-Identifier: Apache-2.0 */
/* features.c: vocabularies, hashing, encoded categories (table/features.def). */
#include "ops/index.h"
#include "core/dtype.h"

/* ---- hashing: the first word of the key that random_fold makes of a salt and a number ---- */

_Static_assert(AGREE(HASH_BINS, HASHED_CROSS, BINS) && AGREE(HASH_BINS, HASHED_CROSS, SALT), "the rows number their options alike");

int dtype_hash(vn__infer *i)
{
    for (int k = 0; k < i->n; k++) {
        const int d = i->in[k]->dtype;
        if (!vn__is(d, VN_INTS)) FAIL(VN_E_DTYPE, "x is %s, integers are needed (%s)", dtype_text(d), i->engine);
        i->want[k] = d == VN_U64 ? VN_U64 : VN_I64;
    }
    i->dtype = VN_I64;
    return VN_OK;
}

/* x as uint64, bit by bit. */
static vn_array *bits_of(vn_array *x)
{
    return vn_dtype_of(x) == VN_U64 ? x : vn_cast(x, VN_U64);
}

/* (...) to hashes (...), uint64 */
static vn_array *hashes(vn_array *x, int64_t salt)
{
    vn_array *key = vn__on_engine(vn_from_host((uint64_t[]){(uint64_t)salt, 0}, VN_U64, VN_SHAPE(2)), vn_engine_of(x));
    vn_array *keys = vn_random_fold(key, x);
    return keys ? vn_take(keys, vn__filled(x, 0, VN_0D), vn_rank(keys) - 1) : NULL;
}

static vn_array *in_bins(vn_array *h, int64_t bins)
{
    return vn_cast(vn_remainder(h, vn_cast(vn__filled(h, bins, VN_0D), VN_U64)), VN_I64);
}

vn_array *compose_hash_bins(vn_array *const *in, const vn__infer *i)
{
    return in_bins(hashes(in[0], i->options->v[OPT_HASH_BINS_SALT].u.i), i->options->v[OPT_HASH_BINS_BINS].u.i);
}

/* The hash of an array and the hashes of those before it. */
vn_array *compose_hashed_cross(vn_array *const *in, const vn__infer *i)
{
    const int64_t salt = i->options->v[OPT_HASH_BINS_SALT].u.i;
    vn_array *h = NULL;
    for (int k = 0; k < i->n; k++) h = hashes(h ? vn_bitwise_xor(h, bits_of(in[k])) : in[k], salt);
    return in_bins(h, i->options->v[OPT_HASH_BINS_BINS].u.i);
}

/* ---- vocabularies ---- */

int dtype_lookup(vn__infer *i)
{
    const int x = i->in[0]->dtype, v = i->in[1]->dtype;
    if (x != v) FAIL(VN_E_DTYPE, "x is %s, the vocabulary %s; cast one of them (%s)", dtype_text(x), dtype_text(v), i->engine);
    i->dtype = VN_I64;
    return vn__rule_accept(i, x);
}

int shape_lookup(vn__infer *i)
{
    char s[128];
    if (i->in[1]->rank != 1) FAIL(VN_E_SHAPE, "the vocabulary has shape %s, one axis is needed (%s)", shape_text(i->in[1], s), i->engine);
    return shape_same(i);
}

/* The number that stands for an unknown x. */
static vn_array *unknown(vn_array *x, int64_t n)
{
    if (n < 2) return vn__filled(x, n - 1, VN_0D);
    vn_array *number = vn__is(vn_dtype_of(x), VN_INTS) ? x : vn_cast(x, VN_I64);
    return in_bins(hashes(vn_dtype_of(number) == VN_U64 ? number : vn_cast(number, VN_I64), 0), n);
}

/* Searched in order of size, as the first of equal ones. */
vn_array *compose_lookup(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = in[0], *vocabulary = in[1];
    const int64_t others = i->options->v[OPT_LOOKUP_UNKNOWN].u.i, n = vn_dim(vocabulary, 0);
    const bool last = i->options->v[OPT_LOOKUP_FROM_END].u.i != 0;
    vn_array *missing = unknown(x, others), *shift = vn__filled(x, last ? 0 : others, VN_0D);
    if (last && others) missing = vn_add(missing, vn__filled(x, n, VN_0D));
    if (!n) return missing ? vn_broadcast_to(missing, vn_shape_of(x)) : NULL;
    vn_array *order = vn_argsort(vocabulary, 0, NULL), *at = vn_searchsorted(vocabulary, x, order, NULL);
    at = vn_take(order, vn_minimum(at, vn__filled(x, n - 1, VN_0D)), 0);
    return vn_where(vn_equal(vn_take(vocabulary, at, 0), x), vn_add(at, shift), missing);
}

/* ---- categories ---- */

enum { MULTI_HOT, ONE_HOT, COUNT };

int dtype_category_encoding(vn__infer *i)
{
    int code = vn__rule_dtype(i, OPT_CATEGORY_ENCODING_DTYPE);
    if (!code) code = vn__rule_index(i, 0);
    if (!code && i->in[1]) i->want[1] = i->dtype;
    return code;
}

/* (..., n) to (..., size); each number to a row in one_hot. */
int shape_category_encoding(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int mode = vn__choice(i, OPT_CATEGORY_ENCODING_MODE);
    if (i->in[1] && mode != COUNT) FAIL(VN_E_ARG, "weights are for the mode count (%s)", i->engine);
    if (!x->rank && mode != ONE_HOT) FAIL(VN_E_SHAPE, "the index is 0-d, an axis of categories is needed (%s)", i->engine);
    int code = i->in[1] ? vn__rule_like_first(i, 1) : VN_OK;
    if (code) return code;
    vn__rule_result(i, x->rank - (mode != ONE_HOT), vn__node_dims(x));
    if (i->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    i->dims[i->rank++] = i->options->v[OPT_CATEGORY_ENCODING_SIZE].u.i;
    return VN_OK;
}

vn_array *compose_category_encoding(vn_array *const *in, const vn__infer *i)
{
    const int mode = vn__choice(i, OPT_CATEGORY_ENCODING_MODE);
    const int64_t size = i->options->v[OPT_CATEGORY_ENCODING_SIZE].u.i;
    const vn_dtype dtype = (vn_dtype)i->dtype;
    if (mode == MULTI_HOT) return vn_multi_hot(in[0], size, dtype);
    vn_array *each = vn_one_hot(in[0], size, dtype);
    if (mode == ONE_HOT) return each;
    if (i->in[1]) each = vn_mul(each, vn_expand_dims(vn_cast(in[1], dtype), -1));
    return vn_cast(vn_sum(each, VN_AXES(-2)), dtype);
}

/* ---- numbers ---- */

int dtype_rescale(vn__infer *i)
{
    const int d = i->in[0]->dtype;
    i->dtype = vn__is(d, VN_FLOATS) ? d : VN_F32;
    i->want[0] = i->dtype;
    return vn__rule_accept(i, d);
}

vn_array *compose_rescale(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *offset = vn_scalar(vn__real(i, OPT_RESCALE_OFFSET));
    return vn__narrow(vn_add(vn__scaled(x, vn__real(i, OPT_RESCALE_SCALE)), offset), i);
}

int shape_masked_steps(vn__infer *i)
{
    if (!i->in[0]->rank) FAIL(VN_E_SHAPE, "x is 0-d, an axis of features is needed (%s)", i->engine);
    return shape_same(i);
}

vn_array *compose_masked_steps(vn_array *const *in, const vn__infer *i)
{
    vn_array *there = vn_any(vn_not_equal(in[0], vn_scalar(vn__real(i, OPT_MASKED_STEPS_VALUE))), (vn_axes){1, 1, {-1}});
    return vn_where(there, in[0], vn_scalar(0));
}
