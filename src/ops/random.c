/* SPDX-License-Identifier: Apache-2.0 */
/* random.c: rules and gradients of the random ops. The first input of each is a key, two uint64 numbers; the options are "shape, dtype" in
 * this order. Parameters broadcast to the shape. The native engine computes them for every engine (engines/native/sample.c, choose.c). */
#include "ops/row.h"
#include "core/dtype.h"
#include <math.h>

/* ---- dtypes ---- */

static int check_key(vn__infer *i)
{
    if (i->in[0]->dtype == VN_U64) return VN_OK;
    FAIL(VN_E_DTYPE, "key is %s, uint64 is needed; vn_random_key makes one (%s)", dtype_text(i->in[0]->dtype), i->engine);
}

/* Checks the dtype option and the key. */
static int result_dtype(vn__infer *i)
{
    const int code = vn__rule_dtype(i, OPT_UNIFORM_DTYPE);
    return code ? code : check_key(i);
}

/* Parameters have the dtype of the result, or float64 if that is an integer. */
int dtype_random(vn__infer *i)
{
    const int code = result_dtype(i);
    for (int k = 1; !code && k < i->n; k++) {
        if (!(i->in[k]->flags & VN__WEAK) && i->in[k]->dtype != i->dtype)
            FAIL(VN_E_DTYPE, "%s is %s but the result is %s; cast it (%s)", i->op->info.inputs[k], dtype_text(i->in[k]->dtype),
                 dtype_text(i->dtype), i->engine);
        i->want[k] = vn__is(i->dtype, VN_FLOATS) ? i->dtype : VN_F64;
    }
    return code;
}

/* Counts: parameters of any float dtype, whatever the result's dtype. */
int dtype_random_count(vn__infer *i)
{
    const int code = result_dtype(i);
    for (int k = 1; !code && k < i->n; k++) {
        const int d = i->in[k]->dtype;
        if (i->in[k]->flags & VN__WEAK) i->want[k] = VN_F64;
        else if (!vn__is(d, VN_FLOATS))
            FAIL(VN_E_DTYPE, "%s is %s, a float dtype is needed (%s)", i->op->info.inputs[k], dtype_text(d), i->engine);
    }
    return code;
}

/* Bounds may exceed a small dtype, as 256 does for uint8, so they are 64-bit integers. */
int dtype_randint(vn__infer *i)
{
    const int code = result_dtype(i), wide = i->dtype == VN_U64 ? VN_U64 : VN_I64;
    for (int k = 1; !code && k < 3; k++) {
        const int d = i->in[k]->dtype;
        const bool fits = wide == VN_U64 ? vn__is(d, VN_UNSIGNED) : vn__is(d, VN_INTS) && d != VN_U64;
        if (!(i->in[k]->flags & VN__WEAK) && !fits)
            FAIL(VN_E_DTYPE, "%s is %s, for a %s result integers that fit into %s are needed (%s)", i->op->info.inputs[k], dtype_text(d),
                 dtype_text(i->dtype), dtype_text(wide), i->engine);
        i->want[k] = wide;
    }
    return code;
}

int dtype_choice(vn__infer *i)
{
    const int d = i->in[1]->dtype;
    i->dtype = VN_I64;
    if (!vn__is(d, i->op->info.dtypes))
        FAIL(VN_E_DTYPE, "%s is %s, %s is needed (%s)", i->op->info.inputs[1], dtype_text(d),
             i->op->info.dtypes == VN_FLOATS ? "a float dtype" : "an integer or float dtype", i->engine);
    return check_key(i);
}

int dtype_permutation(vn__infer *i)
{
    i->dtype = VN_I64;
    return check_key(i);
}

int dtype_shuffle(vn__infer *i)
{
    i->dtype = i->in[1]->dtype;
    return check_key(i);
}

/* Keys from a key, and optionally an integer, of which all 64 bits count. */
int dtype_random_key(vn__infer *i)
{
    i->dtype = VN_U64;
    if (i->n > 1) {
        const int d = i->in[1]->dtype;
        if (!(i->in[1]->flags & VN__WEAK) && !vn__is(d, VN_INTS))
            FAIL(VN_E_DTYPE, "data is %s, an integer dtype is needed (%s)", dtype_text(d), i->engine);
        i->want[1] = d == VN_U64 ? VN_U64 : VN_I64;
    }
    return check_key(i);
}

/* ---- shapes ---- */

static int key_shape(vn__infer *i)
{
    char s[128];
    if (i->in[0]->rank == 1 && i->in[0]->count == 2) return VN_OK;
    FAIL(VN_E_SHAPE, "key has shape %s, 2 numbers are needed (%s)", shape_text(i->in[0], s), i->engine);
}

int shape_random(vn__infer *i)
{
    const int n = i->options->v[OPT_UNIFORM_SHAPE].n;
    const int64_t *d = i->options->v[OPT_UNIFORM_SHAPE].is;
    int code = key_shape(i);
    if (!code && n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    for (int k = 1; !code && k < i->n; k++) code = vn__rule_reaches(i, i->in[k], n, d);
    if (!code) vn__rule_result(i, n, d);
    return code;
}

/* ---- parameters that are numbers: known when the op is recorded, so bad ones are refused. What bad elements of arrays give is in the op's
 * text. ---- */

static bool is_number(const vn__infer *i, int k, vn__num *v)
{
    if (i->in[k]->op != VN__NODE_SCALAR) return false;
    *v = vn__node_number(i->in[k]);
    return true;
}

static double real_of(const vn__num *v)
{
    return v->dtype == VN_I64 ? (double)v->i : v->dtype == VN_U64 ? (double)(uint64_t)v->i : v->re;
}

static bool is_below(const vn__num *a, const vn__num *b)
{
    if (a->dtype == VN_F32 || b->dtype == VN_F32) return real_of(a) < real_of(b);
    if (a->dtype != b->dtype) return b->dtype == VN_U64; /* a number that int64 cannot hold */
    return a->dtype == VN_U64 ? (uint64_t)a->i < (uint64_t)b->i : a->i < b->i;
}

static int refuse(vn__infer *i, int k, const vn__num *v, const char *why)
{
    FAIL(VN_E_ARG, "%s is %g, %s (%s)", i->op->info.inputs[k], real_of(v), why, i->engine);
}

/* Gamma, beta. */
int shape_random_positive(vn__infer *i)
{
    vn__num v;
    for (int k = 1; k < i->n; k++)
        if (is_number(i, k, &v) && !(real_of(&v) > 0)) return refuse(i, k, &v, "it must be positive");
    return shape_random(i);
}

/* The last parameter: a standard deviation, a rate. */
int shape_random_scale(vn__infer *i)
{
    vn__num v;
    if (is_number(i, i->n - 1, &v) && !(real_of(&v) >= 0)) return refuse(i, i->n - 1, &v, "it must be non-negative");
    return shape_random(i);
}

/* The last parameter is a probability. */
int shape_bernoulli(vn__infer *i)
{
    vn__num v;
    const int k = i->n - 1;
    if (is_number(i, k, &v) && !(real_of(&v) >= 0 && real_of(&v) <= 1)) return refuse(i, k, &v, "not a probability");
    return shape_random(i);
}

int shape_binomial(vn__infer *i)
{
    vn__num v;
    if (is_number(i, 1, &v) && !(real_of(&v) >= 0 && real_of(&v) < 0x1p63)) return refuse(i, 1, &v, "a number of tries is needed");
    return shape_bernoulli(i);
}

int shape_truncated_normal(vn__infer *i)
{
    vn__num low, high;
    if (is_number(i, 1, &low) && is_number(i, 2, &high) && !(real_of(&low) <= real_of(&high)))
        FAIL(VN_E_ARG, "low %g is not below high %g (%s)", real_of(&low), real_of(&high), i->engine);
    return shape_random(i);
}

int shape_randint(vn__infer *i)
{
    vn__num low, high;
    if (is_number(i, 1, &low) && is_number(i, 2, &high) && !is_below(&low, &high))
        FAIL(VN_E_ARG, "low %.17g is not below high %.17g (%s)", real_of(&low), real_of(&high), i->engine);
    return shape_random(i);
}

static int check_number(vn__infer *i, const char *name, int64_t n)
{
    if (n < 0) FAIL(VN_E_ARG, "%s is %lld, it cannot be negative (%s)", name, (long long)n, i->engine);
    return VN_OK;
}

/* Nothing can be sampled from a row with a weight that is none, or without weight: without this check its samples are -1. */
static int look_at_weights(vn__infer *i, int k, const void *data, const void *with)
{
    const vn__node *x = i->in[k];
    const bool *logits = with;
    const int64_t n = vn__node_dims(x)[x->rank - 1];
    const char *name = i->op->info.inputs[k];
    char place[256];
    for (int64_t row = 0; row < x->count; row += n) {
        double sum = 0;
        for (int64_t e = row; e < row + n; e++) {
            const double w = vn__get_double(data, e, x->dtype);
            if (isnan(w) || (*logits ? w == INFINITY : w < 0))
                FAIL(VN_E_ARG, "%s%s is %g; %s (%s)", name, vn__index_text(x->rank, vn__node_dims(x), e, place), w,
                     *logits ? "it must be a number below infinity" : "weights must not be negative", i->engine);
            sum += *logits ? w > -INFINITY : w;
        }
        vn__index_text(x->rank - 1, vn__node_dims(x), row / n, place);
        if (sum == 0) FAIL(VN_E_ARG, "%s%s leaves nothing to sample: all are %s (%s)", name, place, *logits ? "-inf" : "0", i->engine);
        if (sum == INFINITY) FAIL(VN_E_ARG, "the sum of %s%s is infinite (%s)", name, place, i->engine);
    }
    return VN_OK;
}

/* (..., n) to (..., samples). */
static int rows_of_samples(vn__infer *i, int64_t samples, bool with_axis, bool logits)
{
    const vn__node *x = i->in[1];
    int code = key_shape(i);
    if (!code) code = check_number(i, "samples", samples);
    if (code) return code;
    if (!x->rank) FAIL(VN_E_SHAPE, "%s is 0-d, at least one axis is needed (%s)", i->op->info.inputs[1], i->engine);
    vn__rule_result(i, x->rank - 1, vn__node_dims(x));
    if (with_axis) i->dims[i->rank++] = samples;
    if (!vn__peek()->check_positions) return VN_OK;
    if (!vn__node_dims(x)[x->rank - 1])
        FAIL(VN_E_ARG, "the last axis of %s is empty and leaves nothing to sample (%s)", i->op->info.inputs[1], i->engine);
    return vn__look_at(i, 1, look_at_weights, &logits);
}

int shape_multinomial(vn__infer *i)
{
    return rows_of_samples(i, i->options->v[OPT_MULTINOMIAL_SAMPLES].u.i, true, false);
}

int shape_categorical(vn__infer *i)
{
    const int64_t samples = i->options->v[OPT_CATEGORICAL_SAMPLES].u.i;
    return rows_of_samples(i, samples, samples != 0, true);
}

int shape_permutation(vn__infer *i)
{
    const int64_t n = i->options->v[OPT_PERMUTATION_N].u.i;
    int code = key_shape(i);
    if (!code) code = check_number(i, "n", n);
    if (!code) vn__rule_result(i, 1, &n);
    return code;
}

int shape_shuffle(vn__infer *i)
{
    const vn__node *x = i->in[1];
    int code = key_shape(i);
    if (!code && !x->rank) FAIL(VN_E_SHAPE, "x is 0-d, at least one axis is needed (%s)", i->engine);
    if (!code) code = vn__rule_axis(i, OPT_SHUFFLE_AXIS, x->rank);
    if (!code) vn__rule_result(i, x->rank, vn__node_dims(x));
    return code;
}

int shape_random_split(vn__infer *i)
{
    const int64_t dims[2] = {i->options->v[OPT_RANDOM_SPLIT_N].u.i, 2};
    int code = key_shape(i);
    if (!code) code = check_number(i, "n", dims[0]);
    if (!code) vn__rule_result(i, 2, dims);
    return code;
}

int shape_random_fold(vn__infer *i)
{
    const vn__node *data = i->in[1];
    const int code = key_shape(i);
    if (code) return code;
    if (data->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "data has rank %d already (%s)", VN_MAX_RANK, i->engine);
    vn__rule_result(i, data->rank, vn__node_dims(data));
    i->dims[i->rank++] = 2;
    return VN_OK;
}

/* ---- gradients ---- */

/* low + (high - low) u: the same key gives the same u. */
vn_array *vjp_uniform(const vn__vjp_args *a, int k)
{
    vn_array *u = vn_uniform(a->in[0], vn_scalar(0), vn_scalar(1), vn_shape_of(a->out), vn_dtype_of(a->out));
    return vn__sum_to(vn_mul(a->ct, k == 1 ? vn_sub(vn_scalar(1), u) : u), a->in[k]);
}

/* mean + std z */
vn_array *vjp_normal(const vn__vjp_args *a, int k)
{
    if (k == 1) return vn__sum_to(a->ct, a->in[k]);
    vn_array *z = vn_normal(a->in[0], vn_scalar(0), vn_scalar(1), vn_shape_of(a->out), vn_dtype_of(a->out));
    return vn__sum_to(vn_mul(a->ct, z), a->in[k]);
}

vn_array *vjp_laplace(const vn__vjp_args *a, int k)
{
    if (k == 1) return vn__sum_to(a->ct, a->in[k]);
    vn_array *z = vn_laplace(a->in[0], vn_scalar(0), vn_scalar(1), vn_shape_of(a->out), vn_dtype_of(a->out));
    return vn__sum_to(vn_mul(a->ct, z), a->in[k]);
}

vn_array *vjp_shuffle(const vn__vjp_args *a, int k)
{
    (void)k;
    return vn_shuffle(a->in[0], a->ct, a->options[OPT_SHUFFLE_AXIS].u.i, VN_OPTS(shuffle, .inverse = !a->options[OPT_SHUFFLE_INVERSE].u.i));
}

/* ---- compositions ---- */

/* At least one share in a row: the last axis of the shape. */
int shape_dirichlet(vn__infer *i)
{
    const int n = i->options->v[OPT_DIRICHLET_SHAPE].n;
    if (n < 1) FAIL(VN_E_SHAPE, "a last axis for the shares is needed (%s)", i->engine);
    return shape_random_positive(i);
}

/* Computed in float64, where gamma numbers of small parameters do not vanish so soon. */
vn_array *compose_dirichlet(vn_array *const *in, const vn__infer *i)
{
    vn_array *g = vn_gamma(in[0], vn_cast(in[1], VN_F64), vn__result_shape(i), VN_F64);
    vn_array *sum = vn_sum(g, (vn_axes){1, 1, {-1}});
    return vn_cast(vn_div(g, sum), (vn_dtype)i->dtype);
}

/* mean: (..., n), cov: (..., n, n) */
int shape_multivariate_normal(vn__infer *i)
{
    const vn__node *mean = i->in[1], *cov = i->in[2];
    const int rank = i->options->v[OPT_MULTIVARIATE_NORMAL_SHAPE].n;
    int64_t dims[VN_MAX_RANK + 2];
    char s[128], t[128];
    int code = key_shape(i);
    if (code) return code;
    const int64_t n = mean->rank ? vn__node_dims(mean)[mean->rank - 1] : -1;
    if (n < 0 || cov->rank < 2 || vn__node_dims(cov)[cov->rank - 1] != n || vn__node_dims(cov)[cov->rank - 2] != n)
        FAIL(VN_E_SHAPE, "mean has shape %s, cov %s; (..., n) and (..., n, n) are needed (%s)", shape_text(mean, s), shape_text(cov, t),
             i->engine);
    if (rank + 2 > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    if (rank) memcpy(dims, i->options->v[OPT_MULTIVARIATE_NORMAL_SHAPE].is, (size_t)rank * sizeof *dims);
    dims[rank] = dims[rank + 1] = n;
    code = vn__rule_reaches(i, mean, rank + 1, dims);
    if (!code) code = vn__rule_reaches(i, cov, rank + 2, dims);
    if (!code) vn__rule_result(i, rank + 1, dims);
    return code;
}

vn_array *compose_multivariate_normal(vn_array *const *in, const vn__infer *i)
{
    vn_array *mean = vn__widen(in[1]), *factor = vn_cholesky(vn__widen(in[2]), NULL);
    if (!mean || !factor) return NULL;
    vn_array *z = vn_normal(in[0], vn_scalar(0), vn_scalar(1), vn__result_shape(i), vn_dtype_of(factor));
    vn_array *moved = vn_matmul(factor, vn_expand_dims(z, -1));
    return vn__narrow(vn_add(mean, vn_reshape(moved, vn__result_shape(i))), i);
}
