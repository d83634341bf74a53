/* SPDX-License-Identifier: Apache-2.0 */
/* layer.c: layers as compositions: linear, dropout, embedding, scaled dot-product attention, recurrent layers over batches
 * of any rank, rotary positions and masks. */
#include "ops/layout.h"
#include "core/dtype.h"
#include <math.h>

static int flag(const vn__infer *i, int option)
{
    return i->options->v[option].u.i != 0;
}

/* ---- linear ---- */

/* x (outer..., inner..., in), weight (outer..., out, in), bias (outer..., out) */
int shape_linear(vn__infer *i)
{
    const vn__node *x = i->in[0], *w = i->in[1];
    const int64_t *dx = vn__node_dims(x), *dw = vn__node_dims(w);
    const int outer = w->rank - 2;
    char s[128], t[128];
    if (outer < 0 || x->rank < outer + 1)
        FAIL(VN_E_SHAPE, "x %s and weight %s do not fit: weight is (outer..., out, in) and x (outer..., inner..., in) (%s)",
             shape_text(x, s), shape_text(w, t), i->engine);
    if (dx[x->rank - 1] != dw[outer + 1])
        FAIL(VN_E_SHAPE, "x %s and weight %s do not fit: their last sizes differ (%s)", shape_text(x, s), shape_text(w, t), i->engine);
    if (memcmp(dx, dw, (size_t)outer * sizeof *dx) != 0)
        FAIL(VN_E_SHAPE, "x %s and weight %s do not fit: their first %d sizes differ (%s)", shape_text(x, s), shape_text(w, t), outer,
             i->engine);
    int64_t bias[VN_MAX_RANK];
    memcpy(bias, dw, (size_t)(outer + 1) * sizeof *bias);
    int code = vn__layer_shape(i, 2, outer + 1, bias, "this weight");
    if (code) return code;
    shape_same(i);
    i->dims[i->rank - 1] = dw[outer];
    return VN_OK;
}

/* Merges the inner axes, so that the op and the weight's gradient are one matrix product each. */
vn_array *compose_linear(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = vn__narrow(in[0], i), *w = vn__narrow(in[1], i);
    if (!x || !w) return NULL;
    const int outer = vn_rank(w) - 2;
    vn_shape rows = vn_shape_of(w), full = vn_shape_of(x), shift = rows;
    rows.dim[outer] = 1;
    for (int k = outer; k < full.rank - 1; k++) rows.dim[outer] *= full.dim[k];
    vn_array *y = vn_matmul(vn_reshape(x, rows), vn_matrix_transpose(w));
    if (in[2] != VN_NONE) {
        shift.dim[outer] = 1;
        shift.dim[outer + 1] = vn_dim(w, outer);
        y = vn_add(y, vn_reshape(vn__narrow(in[2], i), shift));
    }
    return vn_reshape(y, vn__result_shape(i));
}

/* ---- dropout ---- */

int dtype_dropout(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    if (i->in[1] && i->in[1]->dtype != VN_U64)
        FAIL(VN_E_DTYPE, "key is %s, uint64 is needed; vn_random_key makes one (%s)", dtype_text(i->in[1]->dtype), i->engine);
    return vn__rule_accept(i, i->dtype);
}

int shape_dropout(vn__infer *i)
{
    const vn__node *x = i->in[0];
    int64_t *noise = i->options->v[OPT_DROPOUT_NOISE_SHAPE].is;
    int32_t *given = &i->options->v[OPT_DROPOUT_NOISE_SHAPE].n;
    char s[128], t[128];
    int code = vn__layer_shape(i, 1, 1, (const int64_t[]){2}, "a key");
    if (code) return code;
    if (*given && *given != x->rank)
        FAIL(VN_E_ARG, "noise_shape has %d numbers, x %s needs %d (%s)", *given, shape_text(x, s), x->rank, i->engine);
    for (int a = 0; a < x->rank; a++) {
        const int64_t size = vn__node_dims(x)[a];
        if (!*given || noise[a] == -1) noise[a] = size;
        if (noise[a] != 1 && noise[a] != size)
            FAIL(VN_E_ARG, "noise_shape %s holds %lld for axis %d of x %s; 1, -1 or its size are allowed (%s)",
                 vn__shape_text(x->rank, noise, t), (long long)noise[a], a, shape_text(x, s), i->engine);
    }
    *given = x->rank;
    return shape_same(i);
}

vn_array *vn__key_for(const vn_array *x)
{
    return vn__on_engine(vn__next_key(NULL), vn_engine_of(x));
}

vn_array *compose_dropout(vn_array *const *in, const vn__infer *i)
{
    const double prob = i->options->v[OPT_DROPOUT_PROB].u.f;
    if (prob == 0) return vn_positive(in[0]);
    const vn_shape noise = vn__shape(i->options->v[OPT_DROPOUT_NOISE_SHAPE].is, (size_t)i->options->v[OPT_DROPOUT_NOISE_SHAPE].n);
    vn_array *key = i->in[1] ? in[1] : vn__key_for(in[0]), *keep = vn_bernoulli(key, vn_scalar(1 - prob), noise, VN_BOOL);
    vn_array *x = vn__widen(in[0]);
    if (!flag(i, OPT_DROPOUT_NO_SCALE) && prob < 1) x = vn_mul(x, vn_scalar(1 / (1 - prob)));
    return vn__narrow(vn_where(keep, x, vn_scalar(0)), i);
}

/* ---- embedding ---- */

int dtype_embedding(vn__infer *i)
{
    if (!vn__is(i->in[0]->dtype, VN_INTS))
        FAIL(VN_E_DTYPE, "index is %s, an integer dtype is needed (%s)", dtype_text(i->in[0]->dtype), i->engine);
    i->dtype = i->in[1]->dtype;
    if (i->options->v[OPT_EMBEDDING_MAX_NORM].u.f != 0 && !vn__is(i->dtype, VN_FLOATS))
        FAIL(VN_E_DTYPE, "table is %s, max_norm needs a float dtype (%s)", dtype_text(i->dtype), i->engine);
    return VN_OK;
}

int shape_embedding(vn__infer *i)
{
    const vn__node *index = i->in[0], *table = i->in[1];
    const int64_t padding = i->options->v[OPT_EMBEDDING_PADDING_INDEX].u.i;
    char s[128];
    if (table->rank != 2) FAIL(VN_E_SHAPE, "table has shape %s, (rows, features) is needed (%s)", shape_text(table, s), i->engine);
    if (index->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "index has rank %d, %d is the most (%s)", index->rank, VN_MAX_RANK - 1, i->engine);
    if (padding < -1 || padding >= vn__node_dims(table)[0])
        FAIL(VN_E_ARG, "padding_index is %lld, a row of table %s is needed, or -1 for none (%s)", (long long)padding, shape_text(table, s),
             i->engine);
    shape_same(i);
    i->dims[i->rank++] = vn__node_dims(table)[1];
    return vn__rule_within(i, 0, (vn__bounds){vn__node_dims(table), 1, !flag(i, OPT_EMBEDDING_NOT_FROM_END), NULL, "rows in the table"});
}

vn_array *compose_embedding(vn_array *const *in, const vn__infer *i)
{
    const int64_t padding = i->options->v[OPT_EMBEDDING_PADDING_INDEX].u.i;
    const double most = i->options->v[OPT_EMBEDDING_MAX_NORM].u.f;
    vn_array *at = in[0];
    if (flag(i, OPT_EMBEDDING_NOT_FROM_END)) { /* as those above: the first position behind the table */
        at = vn_cast(at, VN_I64);
        at = vn_where(vn_less(at, vn_scalar(0)), vn_scalar_int(vn_dim(in[1], 0)), at);
    }
    vn_array *y = vn_take(in[1], at, 0);
    if (padding >= 0) {
        vn_array *here = vn_equal(in[0], vn_scalar((double)padding));
        y = vn_where(vn_expand_dims(here, -1), vn_stop_gradient(y), y);
    }
    if (most == 0) return y;
    vn_array *wide = vn__widen(y), *length = vn_norm(wide, VN_KEEP(-1), 2);
    return vn__narrow(vn_div(wide, vn_maximum(vn_mul(length, vn_scalar(1 / most)), vn_scalar(1))), i);
}

/* ---- attention ---- */

/* Integers are computed as float32; of the mask only zero or not matters. */
int dtype_scaled_dot_product_attention(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 3);
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (!code && !vn__is(i->dtype, VN_FLOATS)) i->dtype = VN_F32;
    return code;
}

int shape_scaled_dot_product_attention(vn__infer *i)
{
    if (i->in[3] && flag(i, OPT_SCALED_DOT_PRODUCT_ATTENTION_CAUSAL))
        FAIL(VN_E_ARG, "a mask and causal are both given, one of them is allowed (%s)", i->engine);
    return shape_attention(i);
}

/* The op attention has the same causal rule if there are as many keys as queries. */
static bool is_square(vn_array *const *in)
{
    return vn_dim(in[0], -2) == vn_dim(in[1], -2);
}

/* Where to attend. */
static vn_array *allowed(vn_array *const *in, const vn__infer *i)
{
    if (flag(i, OPT_SCALED_DOT_PRODUCT_ATTENTION_CAUSAL) && !is_square(in)) {
        const int64_t queries = vn_dim(in[0], -2), keys = vn_dim(in[1], -2);
        return vn_less_equal(vn__positions(in[0], keys), vn_reshape(vn__positions(in[0], queries), VN_SHAPE(queries, 1)));
    }
    if (in[3] == VN_NONE) return VN_NONE;
    vn_array *mask = vn_dtype_of(in[3]) == VN_BOOL ? in[3] : vn_not_equal(in[3], vn_scalar(0));
    return mask && !vn_rank(mask) ? vn_reshape(mask, VN_SHAPE(1)) : mask;
}

/* attention gives zeros for a query with nothing to attend to; here it is the mean of all values. */
static vn_array *mean_where_empty(vn_array *y, vn_array *mask, vn_array *v, const vn__infer *i)
{
    vn_array *some = vn_any(mask, VN_KEEP(-1));
    return vn_where(some, y, vn__narrow(vn_mean(vn__widen(v), VN_KEEP(-2)), i));
}

vn_array *compose_scaled_dot_product_attention(vn_array *const *in, const vn__infer *i)
{
    const double scale = vn__real(i, OPT_SCALED_DOT_PRODUCT_ATTENTION_SCALE);
    vn_array *q = vn__narrow(in[0], i), *k = vn__narrow(in[1], i), *v = vn__narrow(in[2], i), *mask = allowed(in, i);
    vn_array *y = vn_attention(q, k, v, mask,
                               VN_OPTS(attention, .scale = scale == 0 ? (double)VN_ZERO : scale,
                                       .causal = flag(i, OPT_SCALED_DOT_PRODUCT_ATTENTION_CAUSAL) && is_square(in)));
    const bool rule_matters = in[3] != VN_NONE && !flag(i, OPT_SCALED_DOT_PRODUCT_ATTENTION_ZERO_ROWS) && vn_dim(in[1], -2) > 0;
    return y && rule_matters ? mean_where_empty(y, mask, v, i) : y;
}

/* ---- recurrent layers ---- */

_Static_assert(AGREE(LSTM_UPDATE, GRU_UPDATE, TIME_MAJOR), "the rows number their options alike");

/* x is (batch..., steps, features), or time_major (steps, batch..., features); the step axis of x and the result. */
static int steps_axis(const vn__infer *i)
{
    return flag(i, OPT_LSTM_UPDATE_TIME_MAJOR) ? 0 : i->in[0]->rank - 2;
}

/* Inputs: x, states, kernel, recurrent kernel, biases. */
static int recurrent_layer(vn__infer *i, int n_gates, int n_states)
{
    const vn__node *x = i->in[0], *again = i->in[2 + n_states];
    const int rank = x->rank;
    char s[128];
    if (rank < 2) FAIL(VN_E_SHAPE, "x has shape %s, steps and features are needed (%s)", shape_text(x, s), i->engine);
    if (again->rank != 2)
        FAIL(VN_E_SHAPE, "%s has shape %s, (size, %d size) is needed (%s)", i->op->info.inputs[2 + n_states], shape_text(again, s), n_gates,
             i->engine);
    const int64_t *d = vn__node_dims(x), size = vn__node_dims(again)[0], gates = n_gates * size;
    int64_t state[VN_MAX_RANK];
    int n = 0;
    for (int a = 0; a < rank - 1; a++) {
        if (a != steps_axis(i)) state[n++] = d[a];
    }
    state[n++] = size;
    int code = vn__layer_shape(i, 2 + n_states, 2, (const int64_t[]){size, gates}, "this size");
    if (!code) code = vn__layer_shape(i, 1 + n_states, 2, (const int64_t[]){d[rank - 1], gates}, "this x and recurrent_kernel");
    for (int k = 1; k <= n_states && !code; k++) code = vn__layer_shape(i, k, n, state, "this x and recurrent_kernel");
    for (int k = 3 + n_states; k < i->n && !code; k++) code = vn__layer_shape(i, k, 1, &gates, "these gates");
    if (code) return code;
    shape_same(i);
    i->dims[rank - 1] = size;
    return VN_OK;
}

int shape_lstm_update(vn__infer *i)
{
    return recurrent_layer(i, 4, 2);
}
int shape_gru_update(vn__infer *i)
{
    return recurrent_layer(i, 3, 1);
}

/* The number of rows of all batch axes merged. */
static int64_t rows_of(const vn__infer *i)
{
    int64_t n = 1;
    for (int a = 0; a < i->rank - 1; a++) n *= a == steps_axis(i) ? 1 : i->dims[a];
    return n;
}

/* x as (steps, rows, features) */
static vn_array *by_steps(vn_array *x, const vn__infer *i)
{
    const int at = steps_axis(i);
    x = vn_moveaxis(vn__narrow(x, i), VN_AXES(at), VN_AXES(0));
    return vn_reshape(x, VN_SHAPE(i->dims[at], rows_of(i), vn_dim(x, -1)));
}

static vn_array *state_rows(vn_array *h, const vn__infer *i)
{
    return vn_reshape(vn__narrow(h, i), VN_SHAPE(rows_of(i), i->dims[i->rank - 1]));
}

/* Restores the batch axes of x in the results. */
static vn_array *states_out(vn_array *h, const vn__infer *i)
{
    const int at = steps_axis(i);
    vn_shape s = {.rank = i->rank, .dim = {i->dims[at]}};
    for (int a = 0, n = 1; a < i->rank; a++) {
        if (a != at) s.dim[n++] = i->dims[a];
    }
    return vn_moveaxis(vn_reshape(h, s), VN_AXES(0), VN_AXES(at));
}

static vn_array *state_out(vn_array *h, const vn_array *like)
{
    return h && like ? vn_reshape(h, vn_shape_of(like)) : NULL;
}

vn_array *compose_lstm_update(vn_array *const *in, const vn__infer *i)
{
    vn_array *h = NULL, *c = NULL, *bias = in[5];
    if (in[6] != VN_NONE) bias = bias == VN_NONE ? in[6] : vn_add(bias, in[6]);
    if (bias && bias != VN_NONE) bias = vn__narrow(bias, i);
    vn_array *y = vn_lstm(by_steps(in[0], i), state_rows(in[1], i), state_rows(in[2], i), vn__narrow(in[3], i), vn__narrow(in[4], i), bias,
                          NULL, &h, &c);
    i->more[0] = state_out(h, in[1]);
    i->more[1] = state_out(c, in[2]);
    return i->more[0] && i->more[1] ? states_out(y, i) : NULL;
}

vn_array *compose_gru_update(vn_array *const *in, const vn__infer *i)
{
    vn_array *h = NULL;
    vn_array *y = vn_gru(by_steps(in[0], i), state_rows(in[1], i), vn__narrow(in[2], i), vn__narrow(in[3], i), in[4], in[5], NULL, &h);
    i->more[0] = state_out(h, in[1]);
    return i->more[0] ? states_out(y, i) : NULL;
}

/* ---- positions and masks ---- */

enum { LINEAR, NTK, DYNAMIC, YARN, LLAMA3 }; /* the texts of scaling */

int shape_rotary_embedding(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < 2 || vn__node_dims(x)[x->rank - 1] % 2)
        FAIL(VN_E_SHAPE, "x has shape %s; (..., positions, features), an even number of them, is needed (%s)", shape_text(x, s), i->engine);
    if (x->rank == VN_MAX_RANK) FAIL(VN_E_SHAPE, "x has rank %d, %d is the most (%s)", x->rank, VN_MAX_RANK - 1, i->engine);
    const char *scaling = i->options->v[OPT_ROTARY_EMBEDDING_SCALING].u.s;
    const double slow = vn__real(i, OPT_ROTARY_EMBEDDING_SLOW), fast = vn__real(i, OPT_ROTARY_EMBEDDING_FAST);
    if (vn__choice(i, OPT_ROTARY_EMBEDDING_SCALING) >= DYNAMIC && !i->options->v[OPT_ROTARY_EMBEDDING_TRAINED].u.i)
        FAIL(VN_E_ARG, "the scaling %s needs the length that the model was trained with, trained (%s)", scaling, i->engine);
    if (fast <= slow) FAIL(VN_E_ARG, "fast is %g, slow %g; fast must be above slow (%s)", fast, slow, i->engine);
    return shape_same(i);
}

/* By how much the base grows so that the slowest pair is slower by `stretch`. */
static double base_growth(double stretch, double pairs)
{
    return pairs > 1 ? pow(stretch, pairs / (pairs - 1)) : 1;
}

/* Pair at which a wave turns so often over the trained length. */
static double pair_of(const vn__infer *i, double turns, double pairs)
{
    const double length = (double)i->options->v[OPT_ROTARY_EMBEDDING_TRAINED].u.i;
    return pairs * log(length / (turns * 2 * M_PI)) / log(vn__real(i, OPT_ROTARY_EMBEDDING_BASE));
}

static double fast_turns(const vn__infer *i, double otherwise)
{
    const double fast = vn__real(i, OPT_ROTARY_EMBEDDING_FAST);
    return isnan(fast) ? otherwise : fast;
}

/* How far each pair keeps its frequency, 1 entirely, 0 not at all; `pair` counts them, f are the frequencies. */
static vn_array *kept_share(const vn__infer *i, vn_array *pair, vn_array *f, double pairs)
{
    const double slow = vn__real(i, OPT_ROTARY_EMBEDDING_SLOW), length = (double)i->options->v[OPT_ROTARY_EMBEDDING_TRAINED].u.i;
    vn_array *share;
    if (vn__choice(i, OPT_ROTARY_EMBEDDING_SCALING) == YARN) {
        const double from = fmax(floor(pair_of(i, fast_turns(i, 32), pairs)), 0), to = fmin(ceil(pair_of(i, slow, pairs)), 2 * pairs - 1);
        share = vn_mul(vn_sub(vn_scalar(from == to ? from + 1e-3 : to), pair), vn_scalar(1 / (from == to ? 1e-3 : to - from)));
    } else {
        vn_array *turns = vn_mul(f, vn_scalar(length / (2 * M_PI)));
        share = vn_mul(vn_sub(turns, vn_scalar(slow)), vn_scalar(1 / (fast_turns(i, 4) - slow)));
    }
    return vn_clip(share, vn_scalar(0), vn_scalar(1));
}

/* The frequencies of all pairs in float64. */
static vn_array *frequencies(const vn_array *x, const vn__infer *i, int64_t pairs)
{
    const double stretch = vn__real(i, OPT_ROTARY_EMBEDDING_STRETCH), n = (double)pairs;
    const int scaling = vn__choice(i, OPT_ROTARY_EMBEDDING_SCALING);
    double base = vn__real(i, OPT_ROTARY_EMBEDDING_BASE);
    if (scaling == NTK) base *= base_growth(stretch, n);
    if (scaling == DYNAMIC) {
        const double trained = (double)i->options->v[OPT_ROTARY_EMBEDDING_TRAINED].u.i;
        const double reach = (double)vn_dim(x, -2) + (double)i->options->v[OPT_ROTARY_EMBEDDING_OFFSET].u.i;
        base *= base_growth(stretch * fmax(reach / trained, 1) - (stretch - 1), n);
    }
    vn_array *pair = vn_cast(vn__positions(x, pairs), VN_F64), *f = vn_pow(vn_scalar(base), vn_mul(pair, vn_scalar(-1 / n)));
    if (scaling == LINEAR) return vn_mul(f, vn_scalar(1 / stretch));
    if (scaling != YARN && scaling != LLAMA3) return f;
    vn_array *share = kept_share(i, pair, f, n);
    return vn_mul(f, vn_add(share, vn_mul(vn_sub(vn_scalar(1), share), vn_scalar(1 / stretch))));
}

/* The angles (positions, pairs) in float64. */
static vn_array *angles(vn_array *x, const vn__infer *i, int64_t pairs)
{
    vn_array *position = vn_add(vn__positions(x, vn_dim(x, -2)), vn_scalar((double)i->options->v[OPT_ROTARY_EMBEDDING_OFFSET].u.i));
    return vn_outer(vn_cast(position, VN_F64), frequencies(x, i, pairs));
}

/* parts: the first and the second elements of all pairs, each (..., positions, pairs) */
vn_array *compose_rotary_embedding(vn_array *const *in, const vn__infer *i)
{
    const int64_t pairs = i->dims[i->rank - 1] / 2;
    if (!pairs) return vn_positive(in[0]);
    vn_array *x = vn__widen(in[0]), *angle = angles(x, i, pairs), *parts[2];
    if (!x || !angle) return NULL;
    const vn_dtype dtype = vn_dtype_of(x);
    const double stretch = vn__real(i, OPT_ROTARY_EMBEDDING_STRETCH);
    const bool yarn = vn__choice(i, OPT_ROTARY_EMBEDDING_SCALING) == YARN && stretch > 1;
    vn_array *cosine = vn_cos(angle), *sine = vn_sin(angle);
    if (yarn) cosine = vn__scaled(cosine, 1 + 0.1 * log(stretch)), sine = vn__scaled(sine, 1 + 0.1 * log(stretch));
    cosine = vn_cast(cosine, dtype), sine = vn_cast(sine, dtype);
    const bool neighbours = flag(i, OPT_ROTARY_EMBEDDING_INTERLEAVED);
    vn_shape flat = vn_shape_of(x), split = flat;
    split.rank = flat.rank + 1;
    split.dim[flat.rank - 1] = neighbours ? pairs : 2;
    split.dim[flat.rank] = neighbours ? 2 : pairs;
    const int axis = neighbours ? flat.rank : flat.rank - 1;
    if (vn_unstack(vn_reshape(x, split), 2, axis, parts)) return NULL;
    vn_array *rotated[] = {vn_sub(vn_mul(parts[0], cosine), vn_mul(parts[1], sine)),
                           vn_add(vn_mul(parts[1], cosine), vn_mul(parts[0], sine))};
    return vn__narrow(vn_reshape(vn_stack(2, rotated, axis), flat), i);
}

int dtype_padding_mask(vn__infer *i)
{
    i->dtype = VN_BOOL;
    return vn__rule_accept(i, i->in[0]->dtype);
}

int shape_padding_mask(vn__infer *i)
{
    const int64_t size = i->options->v[OPT_PADDING_MASK_SIZE].u.i;
    if (size < 0) FAIL(VN_E_ARG, "size is %lld, no number below 0 is allowed (%s)", (long long)size, i->engine);
    if (i->in[0]->rank == VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "lengths have rank %d, %d is the most (%s)", VN_MAX_RANK, VN_MAX_RANK - 1, i->engine);
    shape_same(i);
    i->dims[i->rank++] = size;
    return VN_OK;
}

vn_array *compose_padding_mask(vn_array *const *in, const vn__infer *i)
{
    vn_array *lengths = vn_cast(in[0], VN_I64);
    return vn_less(vn__positions(in[0], i->options->v[OPT_PADDING_MASK_SIZE].u.i), vn_expand_dims(lengths, -1));
}
