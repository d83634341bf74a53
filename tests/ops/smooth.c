/* SPDX-License-Identifier: Apache-2.0 */
/* smooth.c: derivatives at zeros and ties. Every differentiable op of the table that takes one or two numbers is differentiated up to three
 * times at points where formulas make a choice (0, equal operands, the ends of pieces). Where the derivative has the same limit from all
 * sides, it must have that limit as its value. Ops with other inputs have lines in conformance/cases/smooth.case. */
/* ctest: seconds 1 */
#include "check.h"

enum { ORDERS = 3 };

static const double NO_VALUE = 1e300;

/* Ops that are defined otherwise where they have a limit. */
static bool is_exception(const char *name, int order)
{
    if (!strcmp(name, "cosine_similarity") || !strcmp(name, "cosine_distance"))
        return true; /* lengths count as epsilon at least: another function near 0 */
    if (!strcmp(name, "dropout") || !strcmp(name, "alpha_dropout") || !strcmp(name, "rrelu")) return true; /* random */
    if (!strcmp(name, "masked_steps")) return true;                     /* steps that are masked are single points */
    if (!strcmp(name, "i0e") || !strcmp(name, "i1e")) return order > 1; /* the size of x is part of them: a derivative jumps at 0 */
    if (!strcmp(name, "cbrt")) return true;                             /* infinite at 0 */
    if (!strcmp(name, "projection_l2_sphere")) return true;             /* zeros have no direction */
    if (!strcmp(name, "trim_zeros")) return true;                       /* of 0 nothing is left */
    return !strcmp(name, "softsign") && order == ORDERS;                /* its second derivative jumps at 0 */
}

/* A derivative of the op at a point: `wrt` numbers the variables, one after the other. NO_VALUE: the op does not take it. */
static double derivative(const vn_op_info *op, const double *point, const int *wrt, int order)
{
    VN_SCOPE;
    vn_array *in[2], *y = NULL;
    for (int k = 0; k < op->n_required; k++) in[k] = vn_variable(vn_from_host(&point[k], VN_F64, VN_SHAPE(1)));
    if (vn_call(op->name, in, op->n_required, NULL, 0, &y, 1) || vn_dtype_of(y) != VN_F64) return vn_clear(), NO_VALUE;
    y = vn_sum(y, VN_ALL);
    for (int k = 0; k < order; k++) {
        vn_array *g = NULL;
        CHECK(vn_grads(y, 1, &in[wrt[k]], VN_OPTS(grad, .retain = 1), &g) == VN_OK);
        y = vn_sum(g, VN_ALL);
    }
    const double z = vn_item(y);
    if (vn_status()) fprintf(stderr, "%s: %s\n", op->name, vn_message());
    CHECK(vn_status() == VN_OK);
    return z;
}

/* Compares with the values around: false if the op does not take the point. */
static bool check_point(const vn_op_info *op, const double *point, const int *wrt, int order, int *compared)
{
    static const double ways[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    const double at = derivative(op, point, wrt, order), step = 1e-5;
    double low = INFINITY, high = -INFINITY;
    if (at == NO_VALUE) return false;
    for (int k = 0; k < (op->n_required == 1 ? 2 : 8); k++) {
        const double beside[] = {point[0] + step * ways[k][0], point[1] + step * ways[k][1]}, z = derivative(op, beside, wrt, order);
        if (!isfinite(z) || z == NO_VALUE) return true;
        low = fmin(low, z);
        high = fmax(high, z);
    }
    const double size = fmax(1e-3, fmax(fabs(low), fabs(high)));
    if (high - low >= .1 * size || size > 1e6) return true; /* no limit, or a pole */
    const bool right = at > low - .1 * size && at < high + .1 * size;
    if (!right)
        fprintf(stderr, "%s, derivative %d at (%g, %g): %g, but %g to %g around\n", op->name, order, point[0], point[1], at, low, high);
    CHECK(right);
    ++*compared;
    return true;
}

NATIVE_TEST(derivatives_are_continuous)
{
    static const double points[] = {0, -0., 1, -1, .5, -.5, 2, -2, 3, -3, 6, 20, -20, 40, -40, 700};
    static const double pairs[][2] = {{0, 0}, {1, 1},  {-1, -1}, {0, 1},     {1, 0},       {2, 2},   {-0., 0}, {0, 2},
                                      {2, 0}, {-1, 1}, {30, 30}, {800, 800}, {-800, -800}, {.5, .5}, {0, -1}};
    static const int wrt[][ORDERS] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 0, 0}};
    int ops = 0, compared = 0;
    for (int i = 0; i < vn_op_count(); i++) {
        vn_op_info op = {.size = sizeof op};
        CHECK(vn_op_at(i, &op) == VN_OK);
        const bool one = op.n_required == 1;
        if (!op.differentiable || op.any_number || op.n_outputs != 1 || op.n_required < 1 || op.n_required > 2 || op.traits & VN_OP_RANDOM)
            continue;
        ops++;
        const int n = one ? (int)(sizeof points / sizeof *points) : (int)(sizeof pairs / sizeof *pairs);
        for (int k = 0; k < n; k++)
            for (int w = 0; w < (one ? 1 : 4); w++)
                for (int order = 1; order <= (one ? ORDERS : 2); order++) {
                    const double point[] = {one ? points[k] : pairs[k][0], one ? 0 : pairs[k][1]};
                    if (!is_exception(op.name, order) && !check_point(&op, point, wrt[w], order, &compared)) break;
                }
    }
    CHECK(ops > 150 && compared > 2000);
}

/* As the norm of a vector. */
TEST(norm_of_zeros)
{
    const double zeros[4] = {0};
    double g[4];
    vn_array *x = vn_variable(vn_from_host(zeros, VN_F64, VN_SHAPE(2, 2)));
    CHECK(vn_read(vn_grad(vn_matrix_norm(x, NULL), x), g, sizeof g) == VN_OK);
    for (int k = 0; k < 4; k++) CHECK(g[k] == 0);
}

TEST_MAIN
