/* SPDX-License-Identifier: Apache-2.0 */
/* optim_adam.c: Adam and its relatives: a mean of gradients over the root of a mean of squares. */
#include "nn/optim.h"
#include "program/program.h"
#include <math.h>

enum { M, V }; /* slots of all of them */

/* ---- Adam, which has a kernel for all parameters at once ---- */

/* The options of adam and adamw, which have the same fields. */
_Static_assert(sizeof(vn_adam_opts) == sizeof(vn_adamw_opts), "adam and adamw share functions");

static void begin_moments(const vn__moving *m, int i)
{
    OPTS(adam);
    if (m->step > 1 || !o->first_moments_grad) return;
    m->slot[M][i] = vn__widen(m->g[i]);
    m->slot[V][i] = vn_square(m->slot[M][i]);
}

/* Whether one op can move both parameters: their arrays have the same dtypes and are on one engine. */
static bool alike(const vn__moving *m, int i, int j)
{
    const vn_array *const left[] = {m->w[i], m->g[i], m->slot[M][i], m->slot[V][i]};
    const vn_array *const right[] = {m->w[j], m->g[j], m->slot[M][j], m->slot[V][j]};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        const vn__node *x = vn__node_of(left[k]), *y = vn__node_of(right[k]);
        if (x->dtype != y->dtype || x->engine != vn__node_of(m->w[j])->engine || y->engine != x->engine) return false;
        if ((x->flags | y->flags) & VN__HISTORY) return false;
    }
    return true;
}

/* Updates the parameters of group `which`. lists: room for w, g and both moments of each. */
static int move_group(vn__moving *m, const int *group, int which, vn_array **lists)
{
    OPTS(adam);
    int many = 0, at = 0;
    for (int i = 0; i < m->n; i++) many += group[i] == which;
    for (int i = 0; i < m->n; i++) {
        if (group[i] != which) continue;
        vn_array *const of[] = {m->w[i], m->g[i], m->slot[M][i], m->slot[V][i]};
        for (int k = 0; k < 4; k++) lists[k * many + at] = of[k];
        at++;
    }
    int code = vn__adam_apply_all(many, lists, vn_dtype_of(lists[0]), vn_scalar(m->lr), vn_scalar(m->step),
                                  (vn__adam){o->beta1, o->beta2, o->epsilon, !o->folded});
    for (int i = 0, j = 0; i < m->n && !code; i++) {
        if (group[i] != which) continue;
        m->w[i] = lists[j], m->slot[M][i] = lists[2 * many + j], m->slot[V][i] = lists[3 * many + j];
        j++;
    }
    return code;
}

/* Usually all parameters form one group, and their step is one op. */
static int adam_fused(vn__moving *m)
{
    vn_array **lists = vn__alloc((size_t)m->n * 4 * sizeof *lists);
    int *group = vn__alloc((size_t)m->n * sizeof *group), code = lists && group ? VN_OK : vn__no_memory("step");
    for (int i = 0; i < m->n && !code; i++) {
        begin_moments(m, i);
        if (!m->slot[V][i]) code = vn_status();
        group[i] = 0;
        while (!code && group[i] < i && (group[group[i]] != group[i] || !alike(m, group[i], i))) group[i]++;
    }
    for (int i = 0; i < m->n && !code; i++)
        if (group[i] == i) code = move_group(m, group, i, lists);
    vn__free(lists), vn__free(group);
    return code;
}

/* The root of the second moment counts from 0; epsilon is added to it, or folded into the rate as vn_adam_step has it. */
static vn_array *adam_each(const vn__moving *m, int i)
{
    OPTS(adam);
    begin_moments(m, i);
    vn_array *first = vn__decayed(m, M, i, o->beta1, m->g[i]), *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
    if (!o->folded) return vn__over_root(vn__unbiased(m, first, o->beta1, 0), vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
    vn_array *t = vn__step_number(m), *one = vn__number_like(m, 1);
    vn_array *root = vn_sqrt(vn_sub(one, vn_pow(vn__number_like(m, o->beta2), t)));
    vn_array *rate = vn_div(root, vn__added(vn_sub(one, vn_pow(vn__number_like(m, o->beta1), t)), o->epsilon));
    return vn__by(vn__over_root(first, v, 0, o->epsilon), rate);
}

#define MOMENTS              \
    {"m", vn__begin_zeros},  \
    {                        \
        "v", vn__begin_zeros \
    }
OPTIMIZER(adam, adam, .each = adam_each, .fused = adam_fused, .decay = DECAY(adam), .slots = {MOMENTS})
OPTIMIZER(adamw, adamw, .each = adam_each, .fused = adam_fused, .decay = DECAY(adamw), .decoupled = true, .slots = {MOMENTS})

/* ---- NAdam: the mean of gradients one step ahead ---- */

/* The unbiased mean m, or the same one step ahead. */
static vn_array *mean_of(const vn__moving *m, int i, double beta, bool ahead)
{
    vn_array *mean = m->slot[M][i];
    if (!ahead) return vn__unbiased(m, mean, beta, 0);
    return vn__blend(beta, vn__unbiased(m, mean, beta, 1), vn__unbiased(m, m->g[i], beta, 0));
}

static vn_array *nadam_each(const vn__moving *m, int i)
{
    OPTS(nadam);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
    return vn__over_root(mean_of(m, i, o->beta1, true), vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
}

/* The momentum of a step, which grows: a float64 scalar. */
static vn_array *momentum_at(const vn_nadam_opts *o, vn_array *step)
{
    vn_array *less = vn_pow(vn_scalar(.96), vn__scaled(step, o->momentum_decay));
    return vn__scaled(vn__added(vn__scaled(less, -.5), 1), o->beta1);
}
static vn_array *over_complement(vn_array *x, vn_array *by, vn_array *product)
{
    return vn__by(x, vn_div(by, vn_sub(vn_scalar(1), product)));
}
static int nadam_all(vn__moving *m)
{
    OPTS(nadam);
    enum { PRODUCT = 2 };
    if (!(o->momentum_decay > 0)) {
        for (int i = 0; i < m->n; i++)
            if (!(m->g[i] = nadam_each(m, i))) return vn_status();
        return VN_OK;
    }
    vn_array *step = vn__step_number(m), *now = momentum_at(o, step), *next = momentum_at(o, vn__added(step, 1));
    vn_array *product = m->slot[PRODUCT][0] = vn_mul(m->slot[PRODUCT][0], now), *ahead = vn_mul(product, next);
    for (int i = 0; i < m->n; i++) {
        vn_array *mean = vn__decayed(m, M, i, o->beta1, m->g[i]), *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
        mean = vn_add(over_complement(mean, next, ahead), over_complement(m->g[i], vn_sub(vn_scalar(1), now), product));
        if (!(m->g[i] = vn__over_root(mean, vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon))) return vn_status();
    }
    return VN_OK;
}
static bool nadam_grows(const vn__optimizer *b)
{
    return ((const vn_nadam_opts *)b->opts)->momentum_decay > 0;
}
static vn_array *begin_product(const vn__moving *m, int i)
{
    (void)i;
    return vn__number_like(m, 1);
}
OPTIMIZER(nadam, nadam, .all = nadam_all, .slots = {MOMENTS, {"product", begin_product, true, nadam_grows}})
OPTIMIZER(nadamw, means_decay, .each = nadam_each, .decay = DECAY(nadamw), .decoupled = true, .slots = {MOMENTS})

/* ---- AMSGrad: the largest mean of squares so far ---- */

static vn_array *amsgrad_each(const vn__moving *m, int i)
{
    OPTS(amsgrad);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
    m->slot[2][i] = vn_maximum(m->slot[2][i], vn__unbiased(m, v, o->beta2, 0));
    return vn__over_root(mean_of(m, i, o->beta1, false), m->slot[2][i], 0, o->epsilon);
}
OPTIMIZER(amsgrad, means, .each = amsgrad_each, .slots = {MOMENTS, {"v_max", vn__begin_zeros}})

/* ---- RAdam: the mean alone until the mean of squares is known well enough ---- */

static vn_array *radam_each(const vn__moving *m, int i)
{
    OPTS(radam);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i])), *mean = mean_of(m, i, o->beta1, o->nesterov);
    const double last = 2 / (1 - o->beta2) - 1;
    vn_array *t = vn__step_number(m), *power = vn_pow(vn__number_like(m, o->beta2), t);
    vn_array *rho = vn_sub(vn_scalar(last), vn_div(vn__scaled(vn_mul(t, power), 2), vn_sub(vn_scalar(1), power)));
    vn_array *known = vn_greater_equal(rho, vn_scalar(o->threshold)), *safe = vn_where(known, rho, vn__number_like(m, 5));
    vn_array *square =
        vn_div(vn_mul(vn_mul(vn__added(safe, -4), vn__added(safe, -2)), vn_scalar(last)), vn__scaled(safe, (last - 4) * (last - 2)));
    vn_array *full = vn__over_root(vn__by(mean, vn_sqrt(square)), vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
    return vn_where(known, full, mean);
}
OPTIMIZER(radam, radam, .each = radam_each, .decay = DECAY(radam), .decoupled = true, .slots = {MOMENTS})

/* ---- Adamax: the largest gradient instead of the mean of squares ---- */

static vn_array *adamaxw_each(const vn__moving *m, int i)
{
    OPTS(adamaxw);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    m->slot[V][i] = vn_maximum(vn__added(vn_abs(m->g[i]), o->epsilon), vn__scaled(m->slot[V][i], o->beta2));
    return vn_div(mean_of(m, i, o->beta1, false), m->slot[V][i]);
}
static vn_array *adamax_each(const vn__moving *m, int i)
{
    OPTS(adamax);
    if (!o->no_correction) return adamaxw_each(m, i);
    vn_array *mean = vn__decayed(m, M, i, o->beta1, m->g[i]);
    m->slot[V][i] = vn_maximum(vn_abs(m->g[i]), vn__scaled(m->slot[V][i], o->beta2));
    return vn_div(mean, vn__added(m->slot[V][i], o->epsilon));
}
OPTIMIZER(adamax, adamax, .each = adamax_each, .slots = {MOMENTS})
OPTIMIZER(adamaxw, means_decay, .each = adamaxw_each, .decay = DECAY(adamaxw), .decoupled = true, .slots = {MOMENTS})

/* ---- Sophia: the mean over the curvature, cut off ---- */

static vn_array *sophia_each(const vn__moving *m, int i)
{
    OPTS(sophia);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *curved = m->slot[V][i], *steps = vn__added(vn__step_number(m), -1);
    vn_array *u = vn_div(mean_of(m, i, o->beta1, false), vn_maximum(vn__scaled(curved, o->gamma), vn_scalar(o->epsilon)));
    vn_array *due = vn_equal(vn_remainder(steps, vn_scalar((double)o->interval)), vn_scalar(0));
    m->slot[V][i] = vn_where(due, vn__blend(o->beta2, curved, vn_square(m->g[i])), curved);
    return vn_clip(u, vn_scalar(-o->clipping), vn_scalar(o->clipping));
}
OPTIMIZER(sophia, sophia, .each = sophia_each, .decay = DECAY(sophia), .decoupled = true, .slots = {MOMENTS})

/* ---- GaLore: Adam on projected gradients ---- */

enum { PROJECTION = 2 };

/* A matrix (rows, columns): the number of vectors that its shorter side is projected to; 0: it is no matrix. */
static int64_t rank_of(const vn_galore_opts *o, const vn_array *w, bool *left)
{
    if (vn_rank(w) != 2) return 0;
    const int64_t rows = vn_dim(w, 0), columns = vn_dim(w, 1), shorter = rows < columns ? rows : columns;
    *left = rows >= columns;
    return o->rank < shorter ? o->rank : shorter;
}
static vn_array *zeros_of(const vn_array *like, int64_t rows, int64_t columns)
{
    return vn__on_engine(vn_zeros(VN_SHAPE(rows, columns), vn_dtype_of(like)), vn_engine_of(like));
}
static vn_array *begin_projected(const vn__moving *m, int i)
{
    OPTS(galore);
    bool left = false;
    const int64_t rank = rank_of(o, m->w[i], &left);
    if (!rank) return vn_zeros_like(m->w[i]);
    return zeros_of(m->w[i], left ? rank : vn_dim(m->w[i], 0), left ? vn_dim(m->w[i], 1) : rank);
}
static vn_array *begin_projection(const vn__moving *m, int i)
{
    OPTS(galore);
    bool left = false;
    const int64_t rank = rank_of(o, m->w[i], &left);
    return rank ? zeros_of(m->w[i], vn_dim(m->w[i], !left), rank) : vn__begin_none(m, i);
}

/* The largest singular vectors of g, of its columns or rows. */
static vn_array *vectors_of(vn_array *g, bool left, int64_t rank)
{
    vn_array *s = NULL, *vh = NULL, *u = vn_svd(g, NULL, &s, &vh), *all = left ? u : u ? vn_matrix_transpose(vh) : NULL;
    return all ? vn_slice_step(all, VN_SHAPE(0, 0), VN_SHAPE(vn_dim(all, 0), rank), VN_DEFAULT) : NULL;
}
static vn_array *galore_each(const vn__moving *m, int i)
{
    OPTS(galore);
    bool left = false;
    const int64_t rank = rank_of(o, m->w[i], &left);
    vn_array *g = m->g[i], *p = m->slot[PROJECTION][i];
    if (rank && m->count) {
        vn_array *due = vn_equal(vn_remainder(vn__added(m->count, -1), vn_scalar((double)o->gap)), vn_scalar(0));
        p = m->slot[PROJECTION][i] = vn_where(due, vectors_of(g, left, rank), p);
    } else if (rank && ((int64_t)m->step - 1) % o->gap ==
                           0) { /* another program than that of other steps, so that these need no singular vectors */
        p = m->slot[PROJECTION][i] = vectors_of(g, left, rank);
    }
    if (rank) g = left ? vn_matmul(vn_matrix_transpose(p), g) : vn_matmul(g, p);
    vn_array *mean = vn__decayed(m, M, i, o->beta1, g), *v = vn__decayed(m, V, i, o->beta2, vn_square(g));
    vn_array *u = vn__over_root(vn__unbiased(m, mean, o->beta1, 0), vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
    if (!rank) return u;
    return vn__scaled(left ? vn_matmul(p, u) : vn_matmul(u, vn_matrix_transpose(p)), o->scale);
}
OPTIMIZER(galore, galore, .each = galore_each, .decay = DECAY(galore), .decoupled = true,
          .slots = {{"m", begin_projected}, {"v", begin_projected}, {"projection", begin_projection}})

/* ---- AdaBelief and ACProp: squares of what the mean did not foresee ---- */

static vn_array *adabelief_each(const vn__moving *m, int i)
{
    OPTS(adabelief);
    vn_array *mean = vn__decayed(m, M, i, o->beta1, m->g[i]);
    m->slot[V][i] = vn__added(vn__blend(o->beta2, m->slot[V][i], vn_square(vn_sub(m->g[i], mean))), o->root_epsilon);
    return vn__over_root(mean_of(m, i, o->beta1, o->nesterov), vn__unbiased(m, m->slot[V][i], o->beta2, 0), 0, o->epsilon);
}
OPTIMIZER(adabelief, adabelief, .each = adabelief_each, .decay = DECAY(adabelief), .decoupled = true, .slots = {MOMENTS})

static vn_array *acprop_each(const vn__moving *m, int i)
{
    OPTS(acprop);
    vn_array *mean = m->slot[M][i], *v = m->slot[V][i], *first = vn__first(m), *one = vn_ones_like(v);
    vn_array *t = vn__step_number(m), *before = vn_where(first, t, vn__added(t, -1));
    vn_array *scale = vn_reciprocal(vn_sub(vn_scalar(1), vn_pow(vn__number_like(m, o->beta2), before)));
    vn_array *known = vn_where(first, one, vn__by(v, scale));
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    m->slot[V][i] = vn__added(vn__blend(o->beta2, v, vn_square(vn_sub(m->g[i], mean))), o->root_epsilon);
    return vn__over_root(m->g[i], known, 0, o->epsilon);
}
OPTIMIZER(acprop, acprop, .each = acprop_each, .decay = DECAY(acprop), .decoupled = true, .slots = {MOMENTS})

/* ---- Yogi: the mean of squares moves by signs ---- */

static vn_array *begin_yogi(const vn__moving *m, int i)
{
    OPTS(yogi);
    return vn_full_like(m->w[i], vn_scalar(o->initial));
}
static vn_array *yogi_each(const vn__moving *m, int i)
{
    OPTS(yogi);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *v = m->slot[V][i], *g2 = vn_square(m->g[i]);
    m->slot[V][i] = vn_sub(v, vn__scaled(vn_mul(vn_sign(vn_sub(v, g2)), g2), 1 - o->beta2));
    return vn__over_root(mean_of(m, i, o->beta1, false), vn__unbiased(m, m->slot[V][i], o->beta2, 0), 0, o->epsilon);
}
OPTIMIZER(yogi, yogi, .each = yogi_each, .decay = DECAY(yogi), .decoupled = true, .slots = {{"m", begin_yogi}, {"v", begin_yogi}})

/* ---- Adan: also a mean of how the gradient changes ---- */

static vn_array *adan_each(const vn__moving *m, int i)
{
    OPTS(adan);
    vn_array *g = m->g[i], *change = vn_where(vn__first(m), vn_zeros_like(g), vn_sub(g, m->slot[3][i]));
    vn_array *mean = vn__decayed(m, M, i, o->beta1, g), *v = vn__decayed(m, V, i, o->beta2, change);
    vn_array *n = vn__decayed(m, 2, i, o->beta3, vn_square(vn_add(g, vn__scaled(change, 1 - o->beta2))));
    m->slot[3][i] = g;
    vn_array *ahead = vn_add(vn__unbiased(m, mean, o->beta1, 0), vn__scaled(vn__unbiased(m, v, o->beta2, 0), 1 - o->beta2));
    return vn__over_root(ahead, vn__unbiased(m, n, o->beta3, 0), o->root_epsilon, o->epsilon);
}
OPTIMIZER(adan, adan, .each = adan_each, .decay = DECAY(adan), .decoupled = true,
          .slots = {MOMENTS, {"n", vn__begin_zeros}, {"last", vn__begin_zeros}})

/* ---- AdEMAMix: a fast and a slow mean of gradients ---- */

static vn_array *ademamix_each(const vn__moving *m, int i)
{
    OPTS(ademamix);
    vn__decayed(m, M, i, o->beta1, m->g[i]);
    vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i])), *slow = vn__decayed(m, 2, i, o->beta3, m->g[i]);
    vn_array *both = vn_add(mean_of(m, i, o->beta1, false), vn__scaled(slow, o->alpha));
    return vn__over_root(both, vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
}
OPTIMIZER(ademamix, ademamix, .each = ademamix_each, .decay = DECAY(ademamix), .decoupled = true,
          .slots = {MOMENTS, {"slow", vn__begin_zeros}})

static vn_array *simplified_each(const vn__moving *m, int i)
{
    OPTS(simplified_ademamix);
    vn_array *sum = m->slot[M][i] = vn_add(m->g[i], vn__scaled(m->slot[M][i], o->beta1));
    vn_array *v = vn__decayed(m, V, i, o->beta2, vn_square(m->g[i]));
    return vn__over_root(vn_add(sum, vn__scaled(m->g[i], o->alpha)), vn__unbiased(m, v, o->beta2, 0), 0, o->epsilon);
}
OPTIMIZER(simplified_ademamix, simplified_ademamix, .each = simplified_each, .decay = DECAY(simplified_ademamix), .decoupled = true,
          .slots = {MOMENTS})

/* ---- ADOPT: gradients over the root of the mean of squares before them ---- */

static vn_array *adopt_each(const vn__moving *m, int i)
{
    OPTS(adopt);
    vn_array *first = vn__first(m), *g = m->g[i], *v = m->slot[V][i], *mean = m->slot[M][i];
    vn_array *scaled = vn_div(g, vn_maximum(vn_sqrt(v), vn_scalar(o->epsilon)));
    if (!o->no_clipping) {
        vn_array *most = vn_cast(vn_pow(vn__added(vn__step_number(m), -1), vn_scalar(.25)), vn_dtype_of(g));
        scaled = vn_clip(scaled, vn_neg(most), most);
    }
    vn_array *next = vn_where(first, mean, vn__blend(o->beta1, mean, scaled));
    m->slot[M][i] = next;
    m->slot[V][i] = vn_where(first, vn_square(g), vn__blend(o->beta2, v, vn_square(g)));
    return o->nesterov ? vn_where(first, next, vn__blend(o->beta1, next, scaled)) : next;
}
OPTIMIZER(adopt, adopt, .each = adopt_each, .decay = DECAY(adopt), .decoupled = true, .slots = {MOMENTS})
