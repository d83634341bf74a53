/* SPDX-License-Identifier: Apache-2.0 */
/* optim_updates.c: transformations of updates, for chains: clipping, noise, decay, scales. */
#include "nn/optim.h"
#include "core/dtype.h"
#include <math.h>

/* A transformation with numbers as parameters. */
static vn_optim *with_numbers(const vn__optim_rule *r, int n, double *numbers)
{
    if (!vn__take_numbers(&vn__family_transformation, r->name, n, numbers)) return NULL;
    vn_optim *made = vn__optim_new(r, 0, NULL, NULL);
    if (!made) return NULL;
    memcpy(vn__optim_of(made)->number, numbers, (size_t)n * sizeof *numbers);
    vn__optim_of(made)->n_numbers = n;
    return made;
}
#define NUMBERS(...)                                                    \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]) \
    {                                                                   \
        __VA_ARGS__                                                     \
    }
#define UPDATE(name_, ...) \
    static const vn__optim_rule name_##_rule = {.name = #name_, .options = "update_" #name_, .complete = true, __VA_ARGS__};

/* ---- scales ---- */

static vn_array *scale_each(const vn__moving *m, int i)
{
    return vn__scaled(m->g[i], m->b->number[0]);
}
static int scale_sense(const vn__optimizer *b, const char *key, int sense)
{
    (void)key;
    return b->number[0] > 0 ? sense : b->number[0] < 0 ? -sense : 0;
}
UPDATE(scale, .each = scale_each, .sense = scale_sense)
vn_optim *vn_update_scale(double by)
{
    return with_numbers(&scale_rule, NUMBERS(by));
}

static vn_array *sign_each(const vn__moving *m, int i)
{
    return vn_sign(m->g[i]);
}
UPDATE(sign, .each = sign_each)
vn_optim *vn_update_sign(void)
{
    return vn__optim_new(&sign_rule, 0, NULL, NULL);
}

static int normalize_all(vn__moving *m)
{
    vn_array *by = vn_div(vn__number_like(m, m->b->number[0]), vn__added(vn__norm_of(m->n, m->g), m->b->number[1]));
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn__by(m->g[i], by))) return vn_status();
    return VN_OK;
}
UPDATE(normalize, .all = normalize_all)
vn_optim *vn_update_normalize(double length, double epsilon)
{
    return with_numbers(&normalize_rule, NUMBERS(length, epsilon));
}

static vn_array *trust_ratio_each(const vn__moving *m, int i)
{
    OPTS(update_trust_ratio);
    vn_array *w = vn_maximum(vn__length(m->w[i]), vn_scalar(o->min_norm)), *u = vn_maximum(vn__length(m->g[i]), vn_scalar(o->min_norm));
    vn_array *none = vn_logical_or(vn_equal(w, vn_scalar(0)), vn_equal(u, vn_scalar(0)));
    return vn__by(m->g[i], vn_where(none, vn__number_like(m, 1), vn_div(vn__scaled(w, o->coefficient), vn__added(u, o->epsilon))));
}
UPDATE(trust_ratio, .each = trust_ratio_each)
vn_optim *vn_update_trust_ratio(const vn_update_trust_ratio_opts *opts)
{
    return vn__optim_new(&trust_ratio_rule, 0, &vn__struct_update_trust_ratio, opts);
}

static vn_array *by_param_norm_each(const vn__moving *m, int i)
{
    return vn__by(m->g[i], vn_maximum(vn__length(m->w[i]), vn_scalar(m->b->number[0])));
}
UPDATE(by_param_norm, .each = by_param_norm_each)
vn_optim *vn_update_by_param_norm(double min_scale)
{
    return with_numbers(&by_param_norm_rule, NUMBERS(min_scale));
}

/* The root mean square of an array; 0 if it is empty. */
static vn_array *rms(const vn__moving *m, vn_array *x)
{
    const int64_t n = vn_size(x);
    return n ? vn__scaled(vn__length(x), 1 / sqrt((double)n)) : vn__number_like(m, 0);
}
static vn_array *by_param_rms_each(const vn__moving *m, int i)
{
    return vn__by(m->g[i], vn_maximum(rms(m, m->w[i]), vn_scalar(m->b->number[0])));
}
UPDATE(by_param_rms, .each = by_param_rms_each)
vn_optim *vn_update_by_param_rms(double min_scale)
{
    return with_numbers(&by_param_rms_rule, NUMBERS(min_scale));
}

/* ---- clipping ---- */

static int clip_all(vn__moving *m)
{
    return vn__cut_all(m->n, m->g, m->b->number[0]);
}
UPDATE(clip, .all = clip_all)
vn_optim *vn_update_clip(double max_delta)
{
    return with_numbers(&clip_rule, NUMBERS(max_delta));
}

static int clip_by_global_norm_all(vn__moving *m)
{
    return vn__clip_all(m->n, m->g, m->b->number[0]);
}
UPDATE(clip_by_global_norm, .all = clip_by_global_norm_all)
vn_optim *vn_update_clip_by_global_norm(double max_norm)
{
    return with_numbers(&clip_by_global_norm_rule, NUMBERS(max_norm));
}

static vn_array *clip_by_block_rms_each(const vn__moving *m, int i)
{
    return vn__by(m->g[i], vn_reciprocal(vn_maximum(vn__scaled(rms(m, m->g[i]), 1 / m->b->number[0]), vn_scalar(1))));
}
UPDATE(clip_by_block_rms, .each = clip_by_block_rms_each)
vn_optim *vn_update_clip_by_block_rms(double max_rms)
{
    return with_numbers(&clip_by_block_rms_rule, NUMBERS(max_rms));
}

static vn_array *adaptive_clip_each(const vn__moving *m, int i)
{
    vn_array *max_norm = vn__scaled(vn_maximum(vn_unitwise_norm(m->w[i]), vn_scalar(m->b->number[1])), m->b->number[0]);
    return vn_unitwise_clip(m->g[i], vn_unitwise_norm(m->g[i]), max_norm);
}
UPDATE(adaptive_clip, .each = adaptive_clip_each)
vn_optim *vn_update_adaptive_clip(double clipping, double epsilon)
{
    return with_numbers(&adaptive_clip_rule, NUMBERS(clipping, epsilon));
}

/* ---- sums and means ---- */

static vn_array *add_decayed_weights_each(const vn__moving *m, int i)
{
    return vn_add(m->g[i], vn__scaled(m->w[i], m->b->number[0]));
}
UPDATE(add_decayed_weights, .each = add_decayed_weights_each)
vn_optim *vn_update_add_decayed_weights(double weight_decay)
{
    return with_numbers(&add_decayed_weights_rule, NUMBERS(weight_decay));
}

static vn_array *centralize_each(const vn__moving *m, int i)
{
    const vn_shape s = vn_shape_of(m->g[i]);
    vn_axes rest = {.n = s.rank - 1, .keep = 1};
    for (int k = 1; k < s.rank; k++) rest.axis[k - 1] = k;
    return s.rank > 1 ? vn_sub(m->g[i], vn_mean(m->g[i], rest)) : m->g[i];
}
UPDATE(centralize, .each = centralize_each)
vn_optim *vn_update_centralize(void)
{
    return vn__optim_new(&centralize_rule, 0, NULL, NULL);
}

static vn_array *trace_each(const vn__moving *m, int i)
{
    OPTS(update_trace);
    m->slot[0][i] = vn_add(m->g[i], vn__scaled(m->slot[0][i], o->decay));
    return o->nesterov ? vn_add(m->g[i], vn__scaled(m->slot[0][i], o->decay)) : m->slot[0][i];
}
UPDATE(trace, .each = trace_each, .slots = {{"trace", vn__begin_zeros}})
vn_optim *vn_update_trace(const vn_update_trace_opts *opts)
{
    return vn__optim_new(&trace_rule, 0, &vn__struct_update_trace, opts);
}

static vn_array *ema_each(const vn__moving *m, int i)
{
    OPTS(update_ema);
    vn_array *mean = vn__decayed(m, 0, i, o->decay, m->g[i]);
    return o->biased ? mean : vn__unbiased(m, mean, o->decay, 0);
}
UPDATE(ema, .each = ema_each, .slots = {{"mean", vn__begin_zeros}})
vn_optim *vn_update_ema(const vn_update_ema_opts *opts)
{
    return vn__optim_new(&ema_rule, 0, &vn__struct_update_ema, opts);
}

/* The noise depends only on the seed, the step and the number of the parameter, so that a training that resumes goes on the same. */
static vn_array *add_noise_each(const vn__moving *m, int i)
{
    OPTS(update_add_noise);
    vn_array *t = vn__step_number(m), *key = vn_random_key_of((uint64_t)o->seed);
    vn_array *step = vn_to(vn_cast(t, VN_I64), vn_engine_of(key)), *number = vn_from_host(&(int64_t){i}, VN_I64, VN_0D);
    key = vn_random_fold(vn_random_fold(key, step), number);
    vn_array *noise = vn_normal(key, vn_scalar(0), vn_scalar(1), vn_shape_of(m->g[i]), vn_dtype_of(m->g[i]));
    vn_array *deviation = vn_sqrt(vn__scaled(vn_pow(t, vn_scalar(-o->gamma)), o->eta));
    return noise ? vn_add(m->g[i], vn__by(vn_to(noise, vn_engine_of(m->g[i])), deviation)) : NULL;
}
UPDATE(add_noise, .each = add_noise_each)
vn_optim *vn_update_add_noise(const vn_update_add_noise_opts *opts)
{
    return vn__optim_new(&add_noise_rule, 0, &vn__struct_noise, opts);
}
vn_optim *vn_noisy_sgd(double lr, const vn_noisy_sgd_opts *opts)
{
    vn_noisy_sgd_opts checked; /* so that errors name this function */
    if (vn__take_struct("noisy_sgd", &vn__struct_noise, &checked, opts)) return NULL;
    vn_optim *noise = vn_update_add_noise(opts), *sgd = noise ? vn_sgd(lr, NULL) : NULL;
    return sgd ? vn_chain(2, (vn_optim *const[]){noise, sgd}) : NULL;
}

/* ---- bounds ---- */

static vn_array *zero_nans_each(const vn__moving *m, int i)
{
    return vn_where(vn_isnan(m->g[i]), vn_zeros_like(m->g[i]), m->g[i]);
}
UPDATE(zero_nans, .each = zero_nans_each)
vn_optim *vn_update_zero_nans(void)
{
    return vn__optim_new(&zero_nans_rule, 0, NULL, NULL);
}

static vn_array *keep_nonnegative_each(const vn__moving *m, int i)
{
    return vn_where(vn_less(vn_add(m->w[i], m->g[i]), vn_scalar(0)), vn_neg(m->w[i]), m->g[i]);
}
UPDATE(keep_nonnegative, .each = keep_nonnegative_each)
vn_optim *vn_update_keep_nonnegative(void)
{
    return vn__optim_new(&keep_nonnegative_rule, 0, NULL, NULL);
}

static vn_array *set_to_zero_each(const vn__moving *m, int i)
{
    return vn_zeros_like(m->g[i]);
}
static int still(const vn__optimizer *b, const char *key, int sense)
{
    (void)b, (void)key, (void)sense;
    return 0;
}
UPDATE(set_to_zero, .each = set_to_zero_each, .sense = still)
vn_optim *vn_update_set_to_zero(void)
{
    return vn__optim_new(&set_to_zero_rule, 0, NULL, NULL);
}
