/* SPDX-License-Identifier: Apache-2.0 */
/* layers_noise.c: layers that add noise while training, and are x, or nearly, otherwise; and layers that prepare features. Each is an op of
 * ops/table/features.def with its numbers. */
#include "nn/layers.h"
#include "core/state.h"
#include "core/dtype.h"

typedef struct {
    double a, b;
} numbers;

#define TAKE(name, all) vn__take_numbers(&vn__family_layer, name, (int)(sizeof(all) / sizeof *(all)), all)
#define CLASS(var, text, fn) static const vn_module_class var = {.name = text, .self_size = sizeof(numbers), .forward = fn}

/* A layer of up to two numbers, which the row's ranges check. */
static vn_module *make(const vn_module_class *class, const char *name, int n, double a, double b)
{
    double all[] = {a, b};
    if (!vn__take_numbers(&vn__family_layer, name, n, all)) return NULL;
    return vn_module_new(class, &(numbers){all[0], all[1]}, NULL);
}

/* ---- noise ---- */

static vn_array *gaussian_noise_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_gaussian_noise(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(gaussian_noise_class, "GaussianNoise", gaussian_noise_forward);
vn_module *vn_nn_gaussian_noise(double std)
{
    return make(&gaussian_noise_class, "gaussian_noise", 1, std, 0);
}

static vn_array *gaussian_dropout_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_gaussian_dropout(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(gaussian_dropout_class, "GaussianDropout", gaussian_dropout_forward);
vn_module *vn_nn_gaussian_dropout(double prob)
{
    return make(&gaussian_dropout_class, "gaussian_dropout", 1, prob, 0);
}

static vn_array *alpha_dropout_forward(vn_module *m, vn_array *x)
{
    return vn_module_training(m) ? vn_alpha_dropout(x, VN_NONE, ((const numbers *)vn_module_self(m))->a) : x;
}
CLASS(alpha_dropout_class, "AlphaDropout", alpha_dropout_forward);
vn_module *vn_nn_alpha_dropout(double prob)
{
    return make(&alpha_dropout_class, "alpha_dropout", 1, prob, 0);
}

static vn_array *rrelu_forward(vn_module *m, vn_array *x)
{
    const numbers *slopes = vn_module_self(m);
    return vn_module_training(m) ? vn_rrelu(x, VN_NONE, slopes->a, slopes->b) : vn_leaky_relu(x, (slopes->a + slopes->b) / 2);
}
CLASS(rrelu_class, "RReLU", rrelu_forward);
vn_module *vn_nn_rrelu(double low, double high)
{
    double all[] = {low, high};
    if (!TAKE("rrelu", all)) return NULL;
    if (!(all[0] <= all[1])) return vn__fail(VN_E_ARG, "nn_rrelu: the slope low %g is above high %g", all[0], all[1]), NULL;
    return vn_module_new(&rrelu_class, &(numbers){all[0], all[1]}, NULL);
}

/* ---- features ---- */

static vn_array *rescaling_forward(vn_module *m, vn_array *x)
{
    const numbers *n = vn_module_self(m);
    return vn_rescale(x, n->a, n->b);
}
CLASS(rescaling_class, "Rescaling", rescaling_forward);
vn_module *vn_nn_rescaling(double scale, double offset)
{
    return make(&rescaling_class, "rescaling", 2, scale, offset);
}

static vn_array *masking_forward(vn_module *m, vn_array *x)
{
    return vn_masked_steps(x, ((const numbers *)vn_module_self(m))->a);
}
CLASS(masking_class, "Masking", masking_forward);
vn_module *vn_nn_masking(double value)
{
    return make(&masking_class, "masking", 1, value, 0);
}

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
static const vn_module_class normalization_class = {.name = "Normalization",
                                                    .self_size = sizeof(normalization),
                                                    .create_variables = normalization_variables,
                                                    .forward = normalization_forward};
vn_module *vn_nn_normalization(int64_t size, const vn_nn_normalization_opts *opts)
{
    normalization n = {.size = size};
    if (!vn__take_options("nn_normalization", &vn__struct_nn_normalization, &n.o, opts)) return NULL;
    if (size < 1) return vn__fail(VN_E_ARG, "nn_normalization: %lld features; 1 or more are needed", (long long)size), NULL;
    return vn_module_new(&normalization_class, &n, n.o.module);
}

int vn_nn_normalization_adapt(vn_module *m, vn_array *data)
{
    static const char who[] = "nn_normalization_adapt";
    if (!vn__check(m, VN__MODULE, who, "m") || !vn__check(data, VN__ARRAY, who, "data")) return vn_status();
    if (strcmp(vn_module_class_name(m), normalization_class.name) != 0)
        return vn__fail(VN_E_ARG, "%s: m is a %s, a Normalization is needed", who, vn_module_class_name(m));
    VN_SCOPE;
    const normalization *n = vn_module_self(m);
    if (!has_features(data, n->size)) return vn__fail_in(who), vn_status();
    if (!vn_size(data)) return vn__fail(VN_E_SHAPE, "%s: no data", who);
    vn_array *mean = vn_module_buffer(m, "mean");
    if (!mean) return vn_status();
    vn_array *rows = vn_reshape(vn_cast(data, VN_F64), VN_SHAPE(-1, n->size));
    vn_array *now[] = {vn_cast(vn_mean(rows, VN_AXES(0)), vn_dtype_of(mean)), vn_cast(vn_var(rows, VN_AXES(0), 0), vn_dtype_of(mean))};
    if (!now[0] || !now[1] || vn_eval(2, now)) return vn_status();
    const int code = vn_module_set_buffer(m, "mean", now[0]);
    return code ? code : vn_module_set_buffer(m, "variance", now[1]);
}
