/* SPDX-License-Identifier: Apache-2.0 */
/* layers_features.c: what stands before a network: Hashing, HashedCrossing, CategoryEncoding; and layers whose buffers vn_module_adapt computes from data:
 * Normalization, Lookup, Discretization. */
#include "nn/layers.h"
#include "core/dtype.h"
#include "core/state.h"
#include "nn/module.h"
#include <string.h>

/* ---- integers ---- */

typedef struct {
    int64_t bins, salt;
} hashing;

static vn_array *hashing_forward(vn_module *m, vn_array *x)
{
    const hashing *h = vn_module_self(m);
    return vn_hash_bins(x, h->bins, h->salt);
}
static const vn_module_class hashing_class = {.name = "Hashing", .self_size = sizeof(hashing), .forward = hashing_forward};
vn_module *vn_nn_hashing(int64_t bins, int64_t salt)
{
    if (bins < 1) return vn__fail(VN_E_ARG, "nn_hashing: %lld bins; 1 or more are needed", (long long)bins), NULL;
    return vn_module_new(&hashing_class, &(hashing){bins, salt}, NULL);
}

/* The features of x [..., features], each as an array. */
static vn_array *crossing_forward(vn_module *m, vn_array *x)
{
    enum { MAX_FEATURES = 64 };
    const hashing *h = vn_module_self(m);
    const int64_t n = vn_rank(x) ? vn_dim(x, -1) : 0;
    vn_array *parts[MAX_FEATURES];
    if (!x) return NULL;
    if (n < 1 || n > MAX_FEATURES)
        return vn__fail(VN_E_SHAPE, "x has %lld features along its last axis; 1 to %d are needed", (long long)n, MAX_FEATURES), NULL;
    if (vn_unstack(x, (int)n, -1, parts)) return NULL;
    return vn_hashed_cross((int)n, parts, h->bins, h->salt);
}
static const vn_module_class crossing_class = {.name = "HashedCrossing", .self_size = sizeof(hashing), .forward = crossing_forward};
vn_module *vn_nn_hashed_crossing(int64_t bins, int64_t salt)
{
    if (bins < 1) return vn__fail(VN_E_ARG, "nn_hashed_crossing: %lld bins; 1 or more are needed", (long long)bins), NULL;
    return vn_module_new(&crossing_class, &(hashing){bins, salt}, NULL);
}

typedef struct {
    int64_t size;
    vn_nn_category_encoding_opts o;
} encoding;

static vn_array *encoding_forward(vn_module *m, vn_array *x)
{
    const encoding *e = vn_module_self(m);
    return vn_category_encoding(x, VN_NONE, e->size, VN_F32, VN_OPTS(category_encoding, .mode = e->o.mode));
}
static const vn_module_class encoding_class = {.name = "CategoryEncoding", .self_size = sizeof(encoding), .forward = encoding_forward};
vn_module *vn_nn_category_encoding(int64_t size, const vn_nn_category_encoding_opts *opts)
{
    encoding e = {.size = size};
    if (!vn__take_options("nn_category_encoding", &vn__struct_category_encoding, &e.o, opts)) return NULL;
    if (size < 1) return vn__fail(VN_E_ARG, "nn_category_encoding: %lld categories; 1 or more are needed", (long long)size), NULL;
    return vn_module_new(&encoding_class, &e, NULL);
}

/* ---- Normalization ---- */

typedef struct {
    int64_t size;
    vn_nn_normalization_opts o;
} normalization;

static vn_tree *normalization_variables(vn_module *m, vn_dtype dtype)
{
    const normalization *n = vn_module_self(m);
    const vn_dtype wide = dtype == VN_F64 ? VN_F64 : VN_F32;
    if (vn_module_add_buffer(m, "mean", vn_init_array(vn_init_zeros(), VN_SHAPE(n->size), n->size, n->size, wide)) ||
        vn_module_add_buffer(m, "variance", vn_init_array(vn_init_ones(), VN_SHAPE(n->size), n->size, n->size, wide)))
        return NULL;
    return vn_tree_new(NULL);
}

static bool has_features(vn_array *x, int64_t size)
{
    char text[128];
    const vn_shape s = vn_shape_of(x);
    if (s.rank && s.dim[s.rank - 1] == size && vn__is(vn_dtype_of(x), VN_REAL)) return true;
    vn__fail(VN_E_SHAPE, "x has shape %s and dtype %s; numbers with a last axis of %lld are needed", vn__shape_text(s.rank, s.dim, text),
             vn_dtype_name(vn_dtype_of(x)), (long long)size);
    return false;
}

/* A deviation of 0 counts as 1e-7, as in Keras. */
static vn_array *normalization_forward(vn_module *m, vn_array *x)
{
    const normalization *n = vn_module_self(m);
    if (!has_features(x, n->size)) return NULL;
    vn_array *mean = vn_module_buffer(m, "mean"), *deviation = vn_sqrt(vn_module_buffer(m, "variance"));
    if (!mean || !deviation) return NULL;
    const vn_dtype given = vn_dtype_of(x), dtype = vn__is(given, VN_FLOATS) ? given : VN_F32;
    x = vn_cast(x, vn_dtype_of(mean));
    if (n->o.inverse) x = vn_add(vn_mul(x, deviation), mean);
    else x = vn_div(vn_sub(x, mean), vn_maximum(deviation, vn_scalar(1e-7)));
    return vn_cast(x, dtype);
}
static int normalization_adapt(vn_module *m, vn_array *data)
{
    const normalization *n = vn_module_self(m);
    if (!has_features(data, n->size)) return vn_status();
    vn_array *mean = vn_module_buffer(m, "mean");
    if (!mean) return vn_status();
    vn_array *rows = vn_reshape(vn_cast(data, VN_F64), VN_SHAPE(-1, n->size));
    vn_array *now[] = {vn_cast(vn_mean(rows, VN_AXES(0)), vn_dtype_of(mean)), vn_cast(vn_var(rows, VN_AXES(0), 0), vn_dtype_of(mean))};
    if (!now[0] || !now[1] || vn_eval(2, now)) return vn_status();
    const int code = vn_module_set_buffer(m, "mean", now[0]);
    return code ? code : vn_module_set_buffer(m, "variance", now[1]);
}

static const vn_module_class normalization_class = {.name = "Normalization",
                                                    .self_size = sizeof(normalization),
                                                    .create_variables = normalization_variables,
                                                    .forward = normalization_forward,
                                                    .adapt = normalization_adapt};
vn_module *vn_nn_normalization(int64_t size, const vn_nn_normalization_opts *opts)
{
    normalization n = {.size = size};
    if (!vn__take_options("nn_normalization", &vn__struct_nn_normalization, &n.o, opts)) return NULL;
    if (size < 1) return vn__fail(VN_E_ARG, "nn_normalization: %lld features; 1 or more are needed", (long long)size), NULL;
    return vn_module_new(&normalization_class, &n, n.o.module);
}

/* ---- Lookup ---- */

typedef struct {
    int64_t size;
    vn_nn_lookup_opts o;
} looking;

static vn_tree *lookup_variables(vn_module *m, vn_dtype dtype)
{
    const looking *l = vn_module_self(m);
    (void)dtype;
    if (vn__take_room("vocabulary", VN_SHAPE(l->size), VN_I64)) return NULL;
    if (vn_module_add_buffer(m, "vocabulary", vn_arange(0, (double)l->size, 1, VN_I64))) return NULL;
    return vn_tree_new(NULL);
}

static bool are_integers(vn_array *x)
{
    if (vn__is(vn_dtype_of(x), VN_INTS)) return true;
    vn__fail(VN_E_DTYPE, "x is %s; integers are needed", vn_dtype_name(vn_dtype_of(x)));
    return false;
}

static vn_array *lookup_forward(vn_module *m, vn_array *x)
{
    const looking *l = vn_module_self(m);
    if (!are_integers(x)) return NULL;
    return vn_lookup(vn_cast(x, VN_I64), vn_module_buffer(m, "vocabulary"), &l->o);
}

/* The most frequent ones first; of two as frequent the larger one, as in Keras. Where the data has fewer, the first one fills the rest, which vn_lookup
 * does not find. */
static int lookup_adapt(vn_module *m, vn_array *data)
{
    const looking *l = vn_module_self(m);
    vn_array *counts, *first;
    if (!are_integers(data)) return vn_status();
    vn_array *values = vn_unique_counts(vn_reshape(vn_cast(data, VN_I64), VN_SHAPE(-1)), &counts); /* ascending */
    if (!values) return vn_status();
    const int64_t n = vn_size(values), taken = n < l->size ? n : l->size;
    values = vn_take(vn_flip(values, VN_ALL), vn_argsort(vn_flip(counts, VN_ALL), -1, VN_OPTS(argsort, .descending = 1)), 0);
    values = vn_slice_at(values, VN_SHAPE(0), VN_SHAPE(taken));
    first = vn_broadcast_to(vn_slice_at(values, VN_SHAPE(0), VN_SHAPE(1)), VN_SHAPE(l->size - taken));
    values = vn_concat(2, (vn_array *[]){values, first}, 0);
    return values ? vn_module_set_buffer(m, "vocabulary", values) : (int)vn_status();
}

static const vn_module_class lookup_class = {
    .name = "Lookup", .self_size = sizeof(looking), .create_variables = lookup_variables, .forward = lookup_forward, .adapt = lookup_adapt};
vn_module *vn_nn_lookup(int64_t size, const vn_nn_lookup_opts *opts)
{
    looking l = {.size = size};
    if (!vn__take_options("nn_lookup", &vn__struct_lookup, &l.o, opts)) return NULL;
    if (size < 1) return vn__fail(VN_E_ARG, "nn_lookup: %lld entries; 1 or more are needed", (long long)size), NULL;
    return vn_module_new(&lookup_class, &l, NULL);
}

/* ---- Discretization ---- */

static vn_tree *discretization_variables(vn_module *m, vn_dtype dtype)
{
    const int64_t *bins = vn_module_self(m);
    dtype = dtype == VN_F64 ? VN_F64 : VN_F32;
    if (vn__take_room("boundaries", VN_SHAPE(*bins - 1), dtype)) return NULL;
    if (vn_module_add_buffer(m, "boundaries", vn_arange(1, (double)*bins, 1, dtype))) return NULL;
    return vn_tree_new(NULL);
}

static bool are_numbers(vn_array *x)
{
    if (vn__is(vn_dtype_of(x), VN_REAL)) return true;
    vn__fail(VN_E_DTYPE, "x is %s; numbers are needed", vn_dtype_name(vn_dtype_of(x)));
    return false;
}

static vn_array *discretization_forward(vn_module *m, vn_array *x)
{
    if (!are_numbers(x)) return NULL;
    return vn_searchsorted(vn_module_buffer(m, "boundaries"), x, VN_NONE, VN_OPTS(searchsorted, .right = 1));
}

static int discretization_adapt(vn_module *m, vn_array *data)
{
    const int64_t bins = *(const int64_t *)vn_module_self(m);
    if (!are_numbers(data)) return vn_status();
    vn_array *parts = vn_div(vn_arange(1, (double)bins, 1, VN_F64), vn_scalar((double)bins));
    vn_array *bounds = vn_quantile(vn_cast(data, VN_F64), vn_to(parts, vn_engine_of(data)), VN_ALL, NULL),
             *old = vn_module_buffer(m, "boundaries");
    return bounds && old ? vn_module_set_buffer(m, "boundaries", vn_cast(bounds, vn_dtype_of(old))) : (int)vn_status();
}

static const vn_module_class discretization_class = {.name = "Discretization",
                                                     .self_size = sizeof(int64_t),
                                                     .create_variables = discretization_variables,
                                                     .forward = discretization_forward,
                                                     .adapt = discretization_adapt};
vn_module *vn_nn_discretization(int64_t bins)
{
    if (bins < 2) return vn__fail(VN_E_ARG, "nn_discretization: %lld bins; 2 or more are needed", (long long)bins), NULL;
    return vn_module_new(&discretization_class, &bins, NULL);
}

/* ---- adapting ---- */

int vn_module_adapt(vn_module *m, vn_array *data)
{
    static const char who[] = "module_adapt";
    if (!vn__check(m, VN__MODULE, who, "m") || !vn__check(data, VN__ARRAY, who, "data")) return vn_status();
    const vn_module_class *class = vn__module_of(m)->class;
    if (!class->adapt) return vn__fail(VN_E_ARG, "%s: a %s takes nothing from data", who, class->name);
    if (!vn_size(data)) return vn__fail(VN_E_SHAPE, "%s: no data", who);
    VN_SCOPE;
    return class->adapt(m, data) ? (vn__fail_in(who), (int)vn_status()) : VN_OK;
}
