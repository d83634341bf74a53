/* SPDX-License-Identifier: Apache-2.0 */
/* optim_lbfgs.c: L-BFGS, and steps by a loss function with a line search along the update. */
#include "nn/optim.h"
#include "nn/nn.h"
#include "grad/grad.h"
#include <math.h>

static const char who[] = "optim_minimize";

/* ---- L-BFGS ---- */

enum { LAST_W, LAST_G, DW, DG, WEIGHT }; /* parameters and gradients of the last step; their changes, the oldest first; 1 / (dw dg) */

/* Zeros like w, once for each step that is remembered. */
static vn_array *begin_memory(const vn__moving *m, int i)
{
    OPTS(lbfgs);
    vn_shape s = vn_shape_of(m->w[i]);
    if (s.rank == VN_MAX_RANK) return vn__fail(VN_E_SHAPE, "lbfgs: \"%s\" has %d axes; at most %d", m->key[i], s.rank, s.rank - 1), NULL;
    memmove(s.dim + 1, s.dim, (size_t)s.rank * sizeof *s.dim);
    s.dim[0] = o->memory, s.rank++;
    return vn_broadcast_to(vn_zeros_like(m->w[i]), s);
}
static vn_array *begin_weights(const vn__moving *m, int i)
{
    OPTS(lbfgs);
    (void)i;
    vn_array *x = vn_zeros(VN_SHAPE(o->memory), VN_F64);
    return x ? vn_to(x, vn_engine_of(m->w[0])) : NULL;
}

/* The memory without its oldest entry, and x behind it. */
static vn_array *remember(vn_array *memory, vn_array *x)
{
    const int64_t n = vn_shape_of(memory).dim[0];
    vn_array *last = vn_expand_dims(x, 0);
    return n > 1 ? vn_concat(2, (vn_array *const[]){vn_rows(memory, 1, n - 1), last}, 0) : last;
}

/* Entry k of a memory. */
static vn_array *entry(vn_array *memory, int64_t k)
{
    return vn_squeeze(vn_rows(memory, k, 1), VN_AXES(0));
}

/* g += by entry k of a memory, for all parameters; `by` is a scalar. */
static int add_entry(vn__moving *m, int slot, int64_t k, vn_array *by)
{
    for (int i = 0; i < m->n; i++)
        if (!(m->g[i] = vn_add(m->g[i], vn__by(entry(m->slot[slot][i], k), by)))) return vn_status();
    return VN_OK;
}

/* The product of g with entry k of a memory, times its weight. */
static vn_array *along(vn__moving *m, int slot, int64_t k)
{
    vn_array *sum = NULL;
    for (int i = 0; i < m->n; i++) {
        vn_array *x = entry(m->slot[slot][i], k), *part = vn__dot(1, &x, &m->g[i]);
        sum = sum ? vn_add(sum, part) : part;
    }
    return vn_mul(sum, entry(m->slot[WEIGHT][0], k));
}

static int lbfgs_all(vn__moving *m)
{
    OPTS(lbfgs);
    vn_array *later = vn_greater(vn__step_number(m), vn_scalar(1)), *wg = NULL, *gg = NULL, *alpha[100];
    for (int i = 0; i < m->n; i++) {
        vn_array *none = vn_zeros_like(m->w[i]);
        vn_array *dw = vn_where(later, vn_sub(m->w[i], m->slot[LAST_W][i]), none),
                 *dg = vn_where(later, vn_sub(m->g[i], m->slot[LAST_G][i]), none);
        vn_array *a = vn__dot(1, &dw, &dg), *b = vn__norm2(1, &dg);
        wg = wg ? vn_add(wg, a) : a, gg = gg ? vn_add(gg, b) : b;
        m->slot[DW][i] = remember(m->slot[DW][i], dw), m->slot[DG][i] = remember(m->slot[DG][i], dg);
        m->slot[LAST_W][i] = m->w[i], m->slot[LAST_G][i] = m->g[i];
        if (!m->slot[DW][i] || !m->slot[DG][i]) return vn_status();
    }
    vn_array *zero = vn__number_like(m, 0), *one = vn__number_like(m, 1), *flat = vn_equal(wg, vn_scalar(0));
    if (!(m->slot[WEIGHT][0] = remember(m->slot[WEIGHT][0], vn_where(flat, zero, vn_reciprocal(vn_where(flat, one, wg))))))
        return vn_status();
    vn_array *scale = one, *steep = vn_greater(gg, vn_scalar(0));
    if (!o->no_scale)
        scale = vn_where(later, vn_where(steep, vn_div(wg, vn_where(steep, gg, one)), one),
                         vn_minimum(one, vn_reciprocal(vn__norm_of(m->n, m->g))));
    for (int64_t k = o->memory; k-- > 0;)
        if (!(alpha[k] = along(m, DW, k)) || add_entry(m, DG, k, vn_neg(alpha[k]))) return vn_status();
    for (int i = 0; i < m->n; i++) m->g[i] = vn__by(m->g[i], scale);
    for (int64_t k = 0; k < o->memory; k++)
        if (add_entry(m, DW, k, vn_sub(alpha[k], along(m, DG, k)))) return vn_status();
    return VN_OK;
}
OPTIMIZER(lbfgs, lbfgs, .all = lbfgs_all,
          .slots = {[LAST_W] = {"last_w", vn__begin_zeros},
                    [LAST_G] = {"last_g", vn__begin_zeros},
                    [DW] = {"dw", begin_memory},
                    [DG] = {"dg", begin_memory},
                    [WEIGHT] = {"weight", begin_weights, .single = true}})

/* ---- line searches: the step is the part's own, and the search goes along it ---- */

static int search_all(vn__moving *m)
{
    return vn__move_part(m, 0);
}
static int search(const vn__optimizer *b, vn_loss_fn fn, void *data, const vn_tree *start, vn_tree *p);
static const vn__optim_rule backtracking_rule = {.name = "backtracking",
                                                 .all = search_all,
                                                 .complete = true,
                                                 .outermost = true,
                                                 .search = search,
                                                 .slots = {{"length", vn__begin_zero, .single = true}}};
static const vn__optim_rule zoom_rule = {.name = "zoom", .all = search_all, .complete = true, .outermost = true, .search = search};
vn_optim *vn_backtracking(vn_optim *part, const vn_backtracking_opts *opts)
{
    return vn__optim_compose(&backtracking_rule, &vn__struct_backtracking, opts, 1, &part);
}
vn_optim *vn_zoom(vn_optim *part, const vn_zoom_opts *opts)
{
    return vn__optim_compose(&zoom_rule, &vn__struct_zoom, opts, 1, &part);
}

/* The loss along a line from `start` to `end`. */
typedef struct {
    vn_loss_fn fn;
    void *data;
    const vn_tree *start, *end;
    int evaluations;
} line;

/* start + by (end - start), or end - start alone. */
static vn_tree *point(const line *l, double by, bool difference)
{
    vn_tree *p = vn_tree_deep_copy(l->start);
    for (int i = 0, n = p ? vn_tree_leaves(p) : 0; i < n; i++) {
        vn_array *a = vn_tree_leaf(l->start, i), *d = vn_sub(vn_tree_leaf(l->end, i), a),
                 *x = difference ? d : vn_add(a, vn__scaled(d, by));
        char key[VN__KEY_CHAIN];
        snprintf(key, sizeof key, "%s", vn_tree_leaf_key(l->start, i));
        if (!x || vn_tree_set(p, key, x)) return NULL;
    }
    return p;
}

/* The loss, and its slope along the line, at this part of it; false, with the error set, on failure. */
static bool look(line *l, double by, double *loss, double *slope)
{
    VN_SCOPE;
    vn_tree *p = point(l, by, false), *d = p ? point(l, 0, true) : NULL, *g = NULL;
    vn_array *value = d ? vn__value_and_grad(l->fn, p, l->data, &g, who, false) : NULL, *sum = NULL;
    for (int i = 0, n = value ? vn_tree_leaves(d) : 0; i < n; i++) {
        char key[VN__KEY_CHAIN];
        snprintf(key, sizeof key, "%s", vn_tree_leaf_key(d, i));
        vn_array *x = vn_tree_leaf(d, i), *y = vn_tree_get(g, key), *part = x && y ? vn__dot(1, &x, &y) : NULL;
        sum = sum ? vn_add(sum, part) : part;
    }
    l->evaluations++;
    if (!value) return false;
    *loss = vn_item(value);
    *slope = sum ? vn_item(sum) : 0;
    return !vn_status();
}

static bool backtrack(line *l, const vn_backtracking_opts *o, double loss, double slope, double *at)
{
    double now, unused;
    while (look(l, *at, &now, &unused)) {
        if (now <= loss + o->decrease * *at * slope || l->evaluations >= o->max_evaluations) return true;
        *at *= o->shrink;
    }
    return false;
}

/* A point of the line. */
typedef struct {
    double at, loss, slope;
} spot;

/* Low enough (Armijo); or, where the loss has too few digits to tell, flat enough (Hager and Zhang). */
static bool lower(const vn_zoom_opts *o, const spot *start, const spot *x)
{
    if (x->loss <= start->loss + o->decrease * x->at * start->slope) return true;
    return x->slope <= (2 * o->decrease - 1) * start->slope && x->loss <= start->loss + 1e-6 * fabs(start->loss);
}

/* Where the cubic through `low`, its slope and two other points is smallest; or the parabola through `high` alone; or the middle, if these
 * are near an end or outside. */
static double between(const spot *low, const spot *high, const spot *other)
{
    const double b = high->at - low->at, c = other->at - low->at, size = fabs(b), left = fmin(low->at, high->at);
    const double fb = high->loss - low->loss - low->slope * b, fc = other->loss - low->loss - low->slope * c;
    const double all = b * b * c * c * (b - c), cube = (c * c * fb - b * b * fc) / all, square = (b * b * b * fc - c * c * c * fb) / all;
    const double cubic = low->at + (sqrt(square * square - 3 * cube * low->slope) - square) / (3 * cube);
    const double parabola = low->at - low->slope * b * b / (2 * fb);
    if (cubic > left + .2 * size && cubic < left + size - .2 * size) return cubic;
    return parabola > left + .1 * size && parabola < left + size - .1 * size ? parabola : (low->at + high->at) / 2;
}

/* Nocedal and Wright's: first a part of the line that has a good point, then zooming in on it. */
static bool zoom_in(line *l, const vn_zoom_opts *o, double loss, double slope, double *at)
{
    const spot start = {0, loss, slope};
    const double small = 1e-5; /* of a part of the line */
    spot low = start, high = start, other, x = {fmin(1, o->max_step), 0, 0};
    for (bool found = false; !found; x.at = fmin(2 * x.at, o->max_step)) {
        if (!look(l, *at = x.at, &x.loss, &x.slope)) return false;
        const bool good = lower(o, &start, &x), worse = !good || (l->evaluations > 1 && x.loss >= low.loss);
        if (good && fabs(x.slope) <= -o->curvature * slope) return true;
        found = worse || x.slope >= 0;
        if (worse) high = x;
        else high = low, low = x;
        if (!found && (l->evaluations >= o->max_evaluations || x.at >= o->max_step)) return true;
    }
    for (other = low; l->evaluations < o->max_evaluations;) {
        const double size = fabs(high.at - low.at);
        x.at = between(&low, &high, &other);
        if (!look(l, *at = x.at, &x.loss, &x.slope)) return false;
        const bool good = lower(o, &start, &x), worse = !good || x.loss >= low.loss;
        if (good && fabs(x.slope) <= -o->curvature * slope) return true;
        const bool turn = !worse && x.slope * (high.at - low.at) >= 0;
        other = worse || turn ? high : low;
        if (worse) high = x;
        else if (turn) high = low;
        if (!worse) low = x;
        if (size <= small && low.at > 0) break;
    }
    *at = low.at; /* the best so far, which may be where the line begins */
    return true;
}

/* The length of the last search, a number of the state; 1 before the first. */
static double last_length(const vn__optimizer *b)
{
    vn_array *x = vn_tree_has(b->state, "length") ? vn_tree_get(b->state, "length") : NULL;
    const double length = x ? vn_item(x) : 0;
    return length > 0 ? length : 1;
}

/* Finds how far to go from `start` to p, and goes there. */
static int search(const vn__optimizer *b, vn_loss_fn fn, void *data, const vn_tree *start, vn_tree *p)
{
    line l = {fn, data, start, vn_tree_deep_copy(p), 0};
    double loss, slope, at = 1;
    if (!l.end || !look(&l, 0, &loss, &slope)) return vn_status();
    l.evaluations = 0;
    bool good;
    if (b->rule == &backtracking_rule) {
        const vn_backtracking_opts *opts = b->opts;
        at = fmin(last_length(b) * opts->grow, opts->max_step);
        good = backtrack(&l, opts, loss, slope, &at);
        vn_array *length = good ? vn_tree_get(b->state, "length") : NULL;
        if (length) vn__point(length, vn__node_of(vn_to(vn_from_host(&at, VN_F64, VN_0D), vn_engine_of(length))));
    } else {
        good = zoom_in(&l, b->opts, loss, slope, &at);
    }
    vn_tree *to = good ? point(&l, at, false) : NULL;
    return to ? vn__set_arrays(p, to, "optim_minimize") : (int)vn_status();
}

/* The caller's loss function, and the loss without the factor that the optimizer wants. */
typedef struct {
    const vn_optim *o;
    vn_loss_fn fn;
    void *data;
    vn_array *loss; /* a reference is held; NULL: there is no factor */
} minimizing;
static vn_array *loss_of(const vn_tree *p, void *user)
{
    minimizing *m = user;
    vn_array *loss = m->fn(p, m->data), *scaled = vn__scaled_loss(m->o, loss);
    if (scaled != loss) m->loss = vn_keep(vn_stop_gradient(loss));
    return scaled;
}

/* The loss, and its gradients, with which a step computes it. */
static vn_array *loss_and_grad(minimizing *m, const vn_tree *p, vn_tree **grads)
{
    vn_array *loss = vn__value_and_grad(loss_of, p, m, grads, who, false);
    if (!loss || !m->loss) return loss;
    vn_tree *along = vn_tree_of("loss", m->loss, NULL);
    if (along) vn__tree_set_along(*grads, along);
    return along ? vn_alias(m->loss) : NULL;
}

vn_array *vn_optim_minimize(vn_optim *o, vn_loss_fn fn, vn_tree *p, void *data)
{
    if (!vn__check(o, VN__OPTIM, who, "o") || !vn__check(p, VN__TREE, who, "p")) return NULL;
    if (!fn) return vn__fail(VN_E_NULL, "%s: fn is NULL", who), NULL;
    VN_SCOPE;
    minimizing m = {o, fn, data, NULL};
    const bool searches = vn__optim_searches(o);
    vn_tree *grads = NULL, *start = searches ? vn_tree_deep_copy(p) : NULL;
    vn_array *loss = start || !searches ? loss_and_grad(&m, p, &grads) : NULL;
    if (loss && (vn__optim_step(o, p, grads, true) || (start && vn__optim_search(o, fn, data, start, p)))) loss = NULL;
    vn_drop(m.loss);
    return loss ? vn_pass(loss) : NULL;
}
