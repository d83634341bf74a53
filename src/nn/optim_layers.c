/* SPDX-License-Identifier: Apache-2.0 */
/* optim_layers.c: steps scaled or shaped array by array: LARS, LAMB, Muon. */
#include "nn/optim.h"
#include <math.h>

/* ---- LARS and LAMB: as long as the parameter; the ops with a rate of 1 give their direction ---- */

static vn_array *lars_each(const vn__moving *m, int i)
{
    OPTS(lars);
    return vn_sub(m->w[i], vn_lars_update(m->w[i], m->g[i], vn_scalar(1),
                                          VN_OPTS(lars_update, .decay_lambda = o->weight_decay, .paper = !o->folded)));
}
OPTIMIZER(lars, lars, .each = lars_each)

static vn_array *lamb_each(const vn__moving *m, int i)
{
    OPTS(lamb);
    vn_array **first = &m->slot[0][i], **second = &m->slot[1][i];
    if (m->step == 1 && o->first_moments_grad) *first = m->g[i], *second = vn_square(m->g[i]);
    vn_array *w =
        vn_lamb_update(m->w[i], m->g[i], vn_scalar(1), *first, *second, vn__step_number(m),
                       VN_OPTS(lamb_update, .beta1 = vn__given(o->beta1), .beta2 = vn__given(o->beta2), .epsilon = vn__given(o->epsilon),
                               .paper = !o->folded, .max_trust_ratio = isnan(o->max_trust_ratio) ? 0 : o->max_trust_ratio,
                               .decay_lambda = o->weight_decay),
                       first, second);
    return vn_sub(m->w[i], w);
}
OPTIMIZER(lamb, lamb, .each = lamb_each, .slots = {{"m", vn__begin_zeros}, {"v", vn__begin_zeros}})

/* ---- Muon: the mean gradient of a matrix, orthogonalised; others move by NAdam ---- */

static vn_array *begin_squares(const vn__moving *m, int i)
{
    return vn_shape_of(m->w[i]).rank == 2 ? vn__begin_none(m, i) : vn_zeros_like(m->w[i]);
}

/* Newton and Schulz's iteration towards the nearest orthogonal matrix. */
static vn_array *orthogonal(vn_array *x, const vn_muon_opts *o)
{
    const vn_shape s = vn_shape_of(x);
    const bool tall = s.dim[0] > s.dim[1];
    if (tall) x = vn_matrix_transpose(x);
    x = vn_div(x, vn__added(vn_cast(vn__length(x), vn_dtype_of(x)), o->epsilon));
    for (int64_t k = 0; k < o->iterations; k++) {
        vn_array *a = vn_matmul(x, vn_matrix_transpose(x));
        vn_array *b = vn_add(vn__scaled(a, o->coefficient2), vn__scaled(vn_matmul(a, a), o->coefficient3));
        x = vn_add(vn__scaled(x, o->coefficient1), vn_matmul(b, x));
    }
    return tall ? vn_matrix_transpose(x) : x;
}

static vn_array *muon_each(const vn__moving *m, int i)
{
    OPTS(muon);
    const vn_shape s = vn_shape_of(m->w[i]);
    const bool matrix = s.rank == 2;
    const double beta = matrix ? o->beta : o->adam_beta1, decay = matrix ? o->weight_decay : o->adam_weight_decay;
    vn_array *mean = vn__decayed(m, 0, i, beta, m->g[i]);
    vn_array *ahead = o->no_nesterov ? vn__unbiased(m, mean, beta, 0)
                                     : vn__blend(beta, vn__unbiased(m, mean, beta, 1), vn__unbiased(m, m->g[i], beta, 0));
    vn_array *direction;
    if (matrix && s.dim[0] && s.dim[1]) {
        const double rows = (double)s.dim[0], columns = (double)s.dim[1];
        direction = vn__scaled(orthogonal(ahead, o),
                               o->consistent_rms > 0 ? o->consistent_rms * sqrt(fmax(rows, columns)) : sqrt(fmax(1, rows / columns)));
    } else if (matrix) {
        direction = ahead;
    } else {
        vn_array *v = vn__decayed(m, 1, i, o->adam_beta2, vn_square(m->g[i]));
        direction = vn__over_root(ahead, vn__unbiased(m, v, o->adam_beta2, 0), 0, o->epsilon);
    }
    return decay > 0 ? vn_add(direction, vn__scaled(m->w[i], decay)) : direction;
}
OPTIMIZER(muon, muon, .each = muon_each, .slots = {{"m", vn__begin_zeros}, {"v", begin_squares}})
