/* SPDX-License-Identifier: Apache-2.0 */
/* solvers.c: problems whose steps depend on the numbers, computed on the host when they are called: pairs of least cost and least squares
 * without negative elements. */
#include "ops/linalg.h"
#include "core/dtype.h"
#include "core/memory.h"
#include <math.h>

/* The elements of x in float64, which vn__free frees; NULL: the error is set. */
static double *on_host(vn_array *x)
{
    vn_array *wide = vn_cast(x, VN_F64);
    if (!wide) return NULL;
    const size_t bytes = (size_t)vn_size(x) * sizeof(double);
    double *to = vn__alloc(bytes ? bytes : 1);
    if (!to) return vn__fail(VN_E_MEM, "no memory for %zu bytes", bytes), NULL;
    if (vn_read(wide, to, bytes)) return vn__free(to), NULL;
    return to;
}

/* A vector of the host on the engine of like. */
static vn_array *back(const vn_array *like, const void *data, vn_dtype d, int64_t n)
{
    const vn_host_memory m = {.data = data, .bytes = (size_t)n * vn_dtype_size(d)};
    vn__node *z = vn__leaf_from(vn__node_of(like)->engine, d, 1, &n, &m, "solvers");
    return z ? vn__handle(z, "solvers") : NULL;
}

/* ---- assignment ---- */

int dtype_assignment(vn__infer *i)
{
    i->dtype = VN_I64;
    return vn__rule_accept(i, i->in[0]->dtype);
}

int shape_assignment(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank != 2) FAIL(VN_E_SHAPE, "costs has shape %s, a matrix is needed (%s)", shape_text(x, s), i->engine);
    vn__rule_result(i, 1, &(int64_t){vn__min(vn__rows(x), vn__cols(x))});
    return VN_OK;
}

/* Shortest augmenting paths (Jonker and Volgenant, as Crouse writes them): cost is rows x columns with rows <= columns. row_of[j] is the row that
 * column j has, -1: none; u and v are the prices of rows and columns. False: there is no assignment of finite cost. */
typedef struct {
    int64_t rows, columns;
    const double *cost;
    int64_t *row_of, *column_of, *path;
    double *u, *v, *shortest;
    bool *seen_row, *seen_column;
} matching;

/* The column in which the shortest path from a row ends, its length in *length; -1: there is none. */
static int64_t shortest_path(matching *m, int64_t row, double *length)
{
    double least = 0;
    int64_t end = -1;
    for (int64_t j = 0; j < m->columns; j++) m->shortest[j] = INFINITY, m->path[j] = -1, m->seen_column[j] = false;
    for (int64_t k = 0; k < m->rows; k++) m->seen_row[k] = false;
    while (end < 0) {
        int64_t next = -1;
        double lowest = INFINITY;
        m->seen_row[row] = true;
        for (int64_t j = 0; j < m->columns; j++) {
            if (m->seen_column[j]) continue;
            const double r = least + m->cost[row * m->columns + j] - m->u[row] - m->v[j];
            if (r < m->shortest[j]) m->path[j] = row, m->shortest[j] = r;
            if (m->shortest[j] < lowest || (m->shortest[j] == lowest && m->row_of[j] < 0)) lowest = m->shortest[j], next = j;
        }
        if (next < 0 || lowest == INFINITY) return -1;
        least = lowest;
        m->seen_column[next] = true;
        if (m->row_of[next] < 0) end = next;
        else row = m->row_of[next];
    }
    *length = least;
    return end;
}

static bool match(matching *m)
{
    for (int64_t k = 0; k < m->columns; k++) m->row_of[k] = -1, m->v[k] = 0;
    for (int64_t k = 0; k < m->rows; k++) m->column_of[k] = -1, m->u[k] = 0;
    for (int64_t start = 0; start < m->rows; start++) {
        double least;
        int64_t j = shortest_path(m, start, &least);
        if (j < 0) return false;
        m->u[start] += least;
        for (int64_t k = 0; k < m->rows; k++)
            if (m->seen_row[k] && k != start) m->u[k] += least - m->shortest[m->column_of[k]];
        for (int64_t k = 0; k < m->columns; k++)
            if (m->seen_column[k]) m->v[k] -= least - m->shortest[k];
        for (int64_t row = -1; row != start;) {
            row = m->path[j];
            const int64_t before = m->column_of[row];
            m->row_of[j] = row;
            m->column_of[row] = j;
            j = before;
        }
    }
    return true;
}

/* Memory for all of m; m->path is the block. */
static bool matching_room(matching *m)
{
    const size_t r = (size_t)m->rows, c = (size_t)m->columns;
    char *block = vn__alloc((r + 2 * c) * sizeof(int64_t) + (r + 2 * c) * sizeof(double) + r + c + 1);
    if (!block) return vn__fail(VN_E_MEM, "no memory to match %lld rows", (long long)m->rows), false;
    m->path = (int64_t *)block, m->row_of = m->path + c, m->column_of = m->row_of + c;
    m->u = (double *)(m->column_of + r), m->v = m->u + r, m->shortest = m->v + c;
    m->seen_row = (bool *)(m->shortest + c), m->seen_column = m->seen_row + r;
    return true;
}

/* The costs of a matrix with at most as many rows as columns: transposed if it has more, negated if the largest sum is wanted. */
static int matched(vn_array *x, bool transposed, bool largest, matching *m, const vn__infer *i)
{
    vn_array *costs = transposed ? vn_matrix_transpose(vn_cast(x, VN_F64)) : vn_cast(x, VN_F64);
    double *c = on_host(largest ? vn_neg(costs) : costs);
    if (!c) return VN_E_MEM;
    int code = VN_OK;
    for (int64_t k = 0; k < m->rows * m->columns && !code; k++)
        if (isnan(c[k]) || c[k] == -INFINITY)
            code = vn__fail(VN_E_ARG, "costs has %s; only %s marks pairs that must not be (%s)", isnan(c[k]) ? "NaN" : "an infinity",
                            largest ? "-inf" : "inf", i->engine);
    m->cost = c;
    if (!code && !match(m)) code = vn__fail(VN_E_ARG, "every choice of pairs has one that must not be (%s)", i->engine);
    vn__free(c);
    return code;
}

vn_array *compose_assignment(vn_array *const *in, const vn__infer *i)
{
    const int64_t rows = vn__rows(i->in[0]), columns = vn__cols(i->in[0]), n = vn__min(rows, columns);
    const bool transposed = rows > columns;
    matching m = {.rows = n, .columns = transposed ? rows : columns};
    if (!matching_room(&m)) return NULL;
    vn_array *first = NULL;
    if (!matched(in[0], transposed, i->options->v[OPT_LINEAR_SUM_ASSIGNMENT_MAXIMIZE].u.i != 0, &m, i)) {
        int64_t to = 0, *other = m.path; /* pairs in the order of the rows of costs */
        for (int64_t k = 0; transposed && k < m.columns; k++)
            if (m.row_of[k] >= 0) other[to] = m.row_of[k], m.column_of[to++] = k;
        if (!transposed)
            for (int64_t k = 0; k < n; k++) other[k] = m.column_of[k], m.column_of[k] = k;
        first = back(in[0], m.column_of, VN_I64, n);
        i->more[0] = back(in[0], other, VN_I64, n);
    }
    vn__free(m.path);
    return i->more[0] ? first : NULL;
}

/* ---- least squares without negative elements ---- */

int dtype_nnls(vn__infer *i)
{
    const int code = dtype_promote(i);
    i->forms[0].dtype = i->dtype;
    return code;
}

int shape_nnls(vn__infer *i)
{
    const vn__node *a = i->in[0], *b = i->in[1];
    char s[128], t[128];
    if (a->rank != 2 || b->rank != 1 || vn__rows(a) != b->count)
        FAIL(VN_E_SHAPE, "a has shape %s and b %s; a matrix and a vector with as many elements as it has rows are needed (%s)",
             shape_text(a, s), shape_text(b, t), i->engine);
    vn__rule_result(i, 1, &(int64_t){vn__cols(a)});
    vn__rule_result_at(i, 1, 0, NULL);
    return VN_OK;
}

/* a without the columns that are not free, and what solves it: the least squares solution, in which those are 0. */
static vn_array *of_free(vn_array *a, vn_array *b, vn_array *mask)
{
    vn_array *s, *r, *k;
    return vn_lstsq(vn_mul(a, mask), b, VN_NONE, &s, &r, &k);
}

/* The set of elements that are above 0, as Lawson and Hanson find it. free: 0 or 1 for each, x: the solution. Scaled to elements of about 1, a and b
 * have the same set. */
typedef struct {
    vn_array *a, *b;
    int64_t n;
    double *x, *z, *slope, *free;
} search;

static int read_into(vn_array *v, double *to, int64_t n)
{
    return v ? vn_read(vn_cast(v, VN_F64), to, (size_t)n * sizeof *to) : VN_E_NULL;
}

/* The elements that are not free and would lower the distance most; -1: none. */
static int64_t steepest(search *s, double tolerance)
{
    int64_t best = -1;
    vn_array *x = back(s->a, s->x, VN_F64, s->n);
    if (read_into(vn_matmul(vn_matrix_transpose(s->a), vn_sub(s->b, vn_matmul(s->a, x))), s->slope, s->n)) return -1;
    for (int64_t k = 0; k < s->n; k++)
        if (!s->free[k] && s->slope[k] > tolerance && (best < 0 || s->slope[k] > s->slope[best])) best = k;
    return best;
}

/* Moves x to the solution z of the free elements; where z has some below 0, as far as none of x is, and those that reach 0 are free no more. */
static int settle(search *s, int64_t *steps)
{
    for (; *steps > 0; --*steps) {
        vn_array *mask = back(s->a, s->free, VN_F64, s->n);
        if (read_into(of_free(s->a, s->b, mask), s->z, s->n)) return vn_status();
        double part = 1;
        for (int64_t k = 0; k < s->n; k++)
            if (s->free[k] && s->z[k] <= 0) part = fmin(part, s->x[k] / (s->x[k] - s->z[k]));
        for (int64_t k = 0; k < s->n; k++) {
            if (!s->free[k]) continue;
            const double before = s->x[k];
            s->x[k] += part * (s->z[k] - before);
            if (part < 1 && s->x[k] <= 1e-12 * before && s->z[k] <= 0) s->x[k] = s->free[k] = 0;
        }
        if (part == 1) return VN_OK;
    }
    return vn__fail(VN_E_ARG, "nnls: no end after max_steps; raise them, or scale the columns of a");
}

static int find_free(search *s, int64_t steps)
{
    const double tolerance = 10 * 0x1p-52 * (double)vn__max(s->n, vn_size(s->b)); /* elements are at most 2 */
    for (int64_t k; (k = steepest(s, tolerance)) >= 0;) {
        s->free[k] = 1;
        const int code = settle(s, &steps);
        if (code) return code;
        --steps;
        if (s->x[k] <= 0 && !s->free[k]) break; /* rounding: it would come back for ever */
    }
    return vn_status();
}

/* The set is found on numbers alone; the solution for it is recorded, so gradients follow. */
vn_array *compose_nnls(vn_array *const *in, const vn__infer *i)
{
    const int64_t n = i->dims[0], given = i->options->v[OPT_NNLS_MAX_STEPS].u.i;
    vn_array *a = vn__widen(vn_cast(in[0], (vn_dtype)i->dtype)), *b = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype)), *x = NULL;
    vn_array *left = vn_cast(vn_stop_gradient(a), VN_F64), *right = vn_cast(vn_stop_gradient(b), VN_F64);
    if (!left || !right) return NULL;
    double *block = vn__calloc((size_t)(4 * n + 1) * sizeof *block);
    if (!block) return vn__fail(VN_E_MEM, "no memory for %lld elements", (long long)n), NULL;
    const bool empty = !n || !vn_size(a);
    search s = {.n = n, .x = block, .z = block + n, .slope = block + 2 * n, .free = block + 3 * n};
    if (!empty) s.a = vn__near_1(left, NULL), s.b = vn__near_1(right, NULL);
    if (empty || (s.a && s.b && !find_free(&s, given ? given : 3 * n + 3))) {
        vn_array *mask = back(a, s.free, VN_F64, n);
        x = !empty ? vn_mul(of_free(a, b, vn_cast(mask, vn_dtype_of(a))), vn_cast(mask, vn_dtype_of(a))) : vn_cast(mask, vn_dtype_of(a));
        i->more[0] = vn__as_result(vn_norm(vn_sub(vn_matmul(a, x), b), VN_ALL, 2), i, 1);
    }
    vn__free(block);
    return x && i->more[0] ? vn__narrow(x, i) : NULL;
}
