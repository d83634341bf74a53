/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: factorisations through torch's LAPACK. The checked forms raise errors for matrices without a factorisation, so the
 * unchecked ones are used, or matrices with non-finite elements are replaced, and NaN is written at the end. Signs and phases are
 * normalised as the op table specifies. Unused results are not computed. */
#include "work.h"

#include <math.h>
#include <string.h>

static const torch_op cholesky_of = {"aten::linalg_cholesky_ex", "", "0ff>TT"};
static const torch_op solve_triangle = {"aten::linalg_solve_triangular", "", "01iti"};
static const torch_op solve_system = {"aten::linalg_solve_ex", "", "01tf>Tx"};
static const torch_op lu_of = {"aten::linalg_lu_factor_ex", "", "0tf>TTx"};
static const torch_op householder = {"aten::geqrf", "", "0>TT"};
static const torch_op orthogonal = {"aten::linalg_householder_product", "", "01"};
static const torch_op upper_triangle = {"aten::triu", "", "0i"};
static const torch_op lower_triangle = {"aten::tril", "", "0i"};
static const torch_op eigen_of = {"aten::_linalg_eigh", "", "0li>TT"};
static const torch_op eig_of = {"aten::linalg_eig", "", "0>TT"};
static const torch_op eigvals_of = {"aten::linalg_eigvals", "", "0"};
static const torch_op svd_of = {"aten::_linalg_svd", "", "0fin>TTT"};
static const torch_op is_finite = {"aten::isfinite", "", "0"};
static const torch_op is_infinite = {"aten::isinf", "", "0"};
static const torch_op all_along = {"aten::all", "dim", "0if"};
static const torch_op both = {"aten::logical_and", "", "01"};
static const torch_op negation = {"aten::logical_not", "", "0"};
static const torch_op is_below_0 = {"aten::lt", "Tensor", "0o"};
static const torch_op at_least = {"aten::ge", "Tensor", "01"};
static const torch_op size_of = {"aten::abs", "", "0"};
static const torch_op largest_along = {"aten::amax", "", "0It"};
static const torch_op place_of_largest = {"aten::argmax", "", "0?it"};
static const torch_op direction_of = {"aten::sgn", "", "0"};
static const torch_op conjugate_of = {"aten::conj_physical", "", "0"};
static const torch_op picked = {"aten::gather", "", "0i1f"};
static const torch_op distances_of = {"aten::_cdist_forward", "", "01r?i"};

static const helper helpers[] = {{&cholesky_of, MATRIX_OF(VN_F32)},
                                 {&solve_triangle, MATRIX_OF(VN_F32)},
                                 {&solve_system, MATRIX_OF(VN_F32)},
                                 {&lu_of, MATRIX_OF(VN_F32)},
                                 {&householder, MATRIX_OF(VN_F32)},
                                 {&upper_triangle, MATRIX_OF(VN_F32)},
                                 {&lower_triangle, MATRIX_OF(VN_F32)},
                                 {&eigen_of, MATRIX_OF(VN_F32)},
                                 {&eig_of, MATRIX_OF(VN_F32)},
                                 {&eigvals_of, MATRIX_OF(VN_F32)},
                                 {&svd_of, MATRIX_OF(VN_F32)},
                                 {&direction_of, MATRIX_OF(VN_C64)},
                                 {&conjugate_of, MATRIX_OF(VN_C64)},
                                 {&is_finite, MATRIX_OF(VN_F32)},
                                 {&is_infinite, MATRIX_OF(VN_F32)},
                                 {&all_along, MATRIX_OF(VN_BOOL)},
                                 {&both, MATRIX_OF(VN_BOOL)},
                                 {&negation, MATRIX_OF(VN_BOOL)},
                                 {&is_below_0, MATRIX_OF(VN_F32)},
                                 {&at_least, MATRIX_OF(VN_F32)},
                                 {&size_of, MATRIX_OF(VN_F32)},
                                 {&largest_along, MATRIX_OF(VN_F32)},
                                 {&place_of_largest, MATRIX_OF(VN_F32)},
                                 {&picked, {VN_I64, MATRIX, true}},
                                 {&distances_of, MATRIX_OF(VN_F32)}};
family linear_algebra = {helpers, sizeof helpers / sizeof helpers[0], NULL};

static bool is_complex(const work *w)
{
    return VN_BIT(w->dtype) & VN_COMPLEX;
}

/* The dtype of the parts of the work's numbers. */
static int32_t real_dtype(const work *w)
{
    return w->dtype == VN_C64 ? VN_F32 : w->dtype == VN_C128 ? VN_F64 : w->dtype;
}

/* x of a dtype with NaN, in both parts of complex numbers, where `bad` is true; x and bad broadcast. */
static tensor *with_nan(work *w, tensor *x, tensor *bad, int32_t dtype)
{
    tensor *t = fresh(w, 0, NULL, dtype);
    void *room = room_of(w, t);
    const int parts = VN_BIT(dtype) & VN_COMPLEX ? 2 : 1;
    for (int k = 0; k < parts && !w->code; k++) {
        if (dtype == VN_F32 || dtype == VN_C64) ((float *)room)[k] = NAN;
        else ((double *)room)[k] = (double)NAN;
    }
    return with(w, &choose, TENSORS(bad, t, x), NO_OPTIONS);
}

/* ---- matrices ---- */

/* A batch of matrices. */
typedef struct matrices {
    tensor *t;
    int32_t rank;
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK];
} matrices;

/* The matrices of t, which has the batch axes of input 0. */
static matrices matrices_of(work *w, tensor *t, int64_t rows_, int64_t cols)
{
    const vn_desc *x = desc_in(w->call, 0);
    matrices m = {.t = t, .rank = x->rank};
    int64_t *strides;
    if (w->code) return m;
    if (torch.strides(t, &strides)) {
        w->code = failed(w->r->op);
        return m;
    }
    memcpy(m.dims, x->dims, (size_t)m.rank * sizeof *m.dims);
    memcpy(m.strides, strides, (size_t)m.rank * sizeof *m.strides);
    m.dims[m.rank - 2] = rows_;
    m.dims[m.rank - 1] = cols;
    return m;
}

static matrices input(work *w)
{
    const vn_desc *x = desc_in(w->call, 0);
    return matrices_of(w, w->call->in[0]->t, x->dims[x->rank - 2], x->dims[x->rank - 1]);
}

/* Result k, filled with zeros. */
static tensor *zeros(work *w, int k)
{
    const vn_desc *z = desc_out(w->call) + k;
    tensor *t = fresh(w, z->rank, z->dims, z->dtype);
    fill(w, t, 0);
    return t;
}

static int64_t row_count(const matrices *m)
{
    return m->dims[m->rank - 2];
}
static int64_t col_count(const matrices *m)
{
    return m->dims[m->rank - 1];
}

static matrices block(work *w, const matrices *m, int64_t row, int64_t col, int64_t rows_, int64_t cols)
{
    matrices part = *m;
    part.dims[m->rank - 2] = rows_;
    part.dims[m->rank - 1] = cols;
    part.t = view(w, m->t, m->rank, part.dims, part.strides, row * m->strides[m->rank - 2] + col * m->strides[m->rank - 1]);
    return part;
}

/* (batch..., n) */
static tensor *diagonal(work *w, const matrices *m)
{
    matrices d = *m;
    d.dims[m->rank - 2] = row_count(m) < col_count(m) ? row_count(m) : col_count(m);
    d.strides[m->rank - 2] += m->strides[m->rank - 1];
    return view(w, m->t, m->rank - 1, d.dims, d.strides, 0);
}

/* A row-major tensor (batch...) or (batch..., n) as rows_ x cols per matrix */
static tensor *per_matrix(work *w, tensor *t, int64_t rows_, int64_t cols)
{
    const vn_desc *x = desc_in(w->call, 0);
    int64_t dims[VN_MAX_RANK];
    memcpy(dims, x->dims, (size_t)x->rank * sizeof *dims);
    dims[x->rank - 2] = rows_;
    dims[x->rank - 1] = cols;
    return reshaped(w, t, x->rank, dims);
}

/* For each matrix of x, bool (batch...): does it have a non-finite element? */
static tensor *has_bad_element(work *w, tensor *x)
{
    tensor *fine = unary(w, &is_finite, x);
    for (int i = 0; i < 2; i++) fine = with(w, &all_along, TENSORS(fine), OPTIONS(INT(-1)));
    return unary(w, &negation, fine);
}

/* x of a dtype, a vector or matrix for each matrix of the input, with NaN for the bad ones. */
static tensor *marked(work *w, tensor *x, tensor *bad, int32_t axes, int32_t dtype)
{
    int64_t dims[VN_MAX_RANK];
    const int32_t batch = desc_in(w->call, 0)->rank - 2;
    memcpy(dims, desc_in(w->call, 0)->dims, (size_t)batch * sizeof *dims);
    for (int32_t k = 0; k < axes; k++) dims[batch + k] = 1;
    return with_nan(w, x, reshaped(w, bad, batch + axes, dims), dtype);
}

/* ---- triangles and systems ---- */

/* LAPACK stops at a pivot that is not positive, but accepts an infinite one. */
int cholesky(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    tensor *out[2];
    several(&w, &cholesky_of, TENSORS(call->in[0]->t), NO_OPTIONS, 2, out);
    int64_t n = desc_in(call, 0)->dims[desc_in(call, 0)->rank - 1];
    matrices l = matrices_of(&w, out[0], n, n);
    tensor *finite = with(&w, &all_along, TENSORS(unary(&w, &is_finite, diagonal(&w, &l))), OPTIONS(INT(-1)));
    tensor *bad = unary(&w, &negation, binary(&w, &both, finite, unary(&w, &is_0, out[1])));
    return end(&w, with_nan(&w, l.t, per_matrix(&w, bad, 1, 1), w.dtype));
}

enum { UPPER, TRANSPOSE, UNIT }; /* options */

int solve_triangular(const vn_kernel_call *call, const recipe *r)
{
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    matrices a = input(&w);
    bool transpose = o[TRANSPOSE].u.i, upper = (o[UPPER].u.i != 0) != transpose;
    tensor *z = with(&w, &solve_triangle, TENSORS(transpose ? transposed(&w, a.t) : a.t, call->in[1]->t), OPTIONS(INT(upper), o[UNIT]));
    return end(&w, z);
}

int solve(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    return end(&w, binary(&w, &solve_system, call->in[0]->t, call->in[1]->t));
}

/* ---- LU ---- */

/* Converts LAPACK's row swaps, counted from 1, to a permutation. Returns its sign.
 */
static int permute(int64_t *permutation, const int32_t *pivots, int64_t n)
{
    int sign = 1;
    for (int64_t i = 0; i < n; i++) permutation[i] = i;
    for (int64_t i = 0; i < n; i++) {
        const int64_t with_row = pivots[i] - 1, kept = permutation[i];
        permutation[i] = permutation[with_row];
        permutation[with_row] = kept;
        if (with_row != i) sign = -sign;
    }
    return sign;
}

int lu_factor(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0), *z = desc_out(call);
    work w = begin(call, r);
    tensor *out[2], *results[3] = {[1] = fresh(&w, z[1].rank, z[1].dims, VN_I64), fresh(&w, z[2].rank, z[2].dims, w.dtype)};
    if (x->count == 0) {
        results[0] = zeros(&w, 0);
        fill(&w, results[2], 1);
        return end_all(&w, 3, results);
    }
    several(&w, &lu_of, TENSORS(call->in[0]->t), NO_OPTIONS, 2, out);
    results[0] = out[0];
    const int64_t n = x->dims[x->rank - 1];
    const int32_t *pivots = data_of(&w, reshaped(&w, out[1], z[1].rank, z[1].dims));
    int64_t *permutation = room_of(&w, results[1]);
    void *signs = room_of(&w, results[2]);
    for (int64_t b = 0; b < z[2].count && !w.code; b++) {
        const int sign = permute(permutation + b * n, pivots + b * n, n);
        const int64_t at = is_complex(&w) ? 2 * b : b;
        if (real_dtype(&w) == VN_F64) ((double *)signs)[at] = sign;
        else ((float *)signs)[at] = (float)sign;
        if (!is_complex(&w)) continue;
        if (w.dtype == VN_C128) ((double *)signs)[at + 1] = 0;
        else ((float *)signs)[at + 1] = 0;
    }
    return end_all(&w, 3, results);
}

/* ---- QR ---- */

static tensor *conjugate(work *w, tensor *x)
{
    return is_complex(w) ? unary(w, &conjugate_of, x) : x;
}

/* The numbers of absolute value 1 whose products with x are not negative. */
static tensor *phase_of(work *w, tensor *x)
{
    if (is_complex(w))
        return with(w, &choose, TENSORS(unary(w, &is_0, x), number(w, 1), conjugate(w, unary(w, &direction_of, x))), NO_OPTIONS);
    return with(w, &choose, TENSORS(unary(w, &is_below_0, x), number(w, -1), number(w, 1)), NO_OPTIONS);
}

/* q with k columns from the reflectors, (m, n); the first n columns are divided by the phases. */
static tensor *orthogonal_factor(work *w, const matrices *reflectors, tensor *factors, tensor *phase, int64_t k)
{
    const int64_t m = row_count(reflectors), n = col_count(reflectors);
    tensor *row = per_matrix(w, conjugate(w, phase), 1, n), *all = reflectors->t;
    if (k == n) return product_of(w, binary(w, &orthogonal, all, factors), row);
    matrices wide = matrices_of(w, zeros(w, 0), m, k);
    copy(w, block(w, &wide, 0, 0, m, n).t, all);
    matrices q = matrices_of(w, binary(w, &orthogonal, wide.t, factors), m, k), left = block(w, &q, 0, 0, m, n);
    copy(w, left.t, product_of(w, left.t, row));
    return q.t;
}

/* Phases are adjusted so that r's diagonal is not negative. */
int qr(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    matrices x = input(&w);
    const int64_t m = row_count(&x), n = col_count(&x), k = desc_out(call)->dims[x.rank - 1];
    tensor *results[2] = {NULL}, *out[2];
    if (desc_in(call, 0)->count == 0) {
        for (int i = 0; i < 2; i++) results[i] = zeros(&w, i);
        matrices q = matrices_of(&w, results[0], m, k);
        fill(&w, diagonal(&w, &q), 1);
        return end_all(&w, 2, results);
    }
    several(&w, &householder, TENSORS(x.t), NO_OPTIONS, 2, out);
    matrices reflectors = matrices_of(&w, out[0], m, n), triangle = block(&w, &reflectors, 0, 0, n, n);
    tensor *phase = phase_of(&w, diagonal(&w, &triangle));
    if (is_used(&w, 0)) results[0] = orthogonal_factor(&w, &reflectors, out[1], phase, k);
    if (is_used(&w, 1)) {
        tensor *upper = product_of(&w, triangle.t, per_matrix(&w, phase, n, 1));
        upper = with(&w, &upper_triangle, TENSORS(upper), OPTIONS(INT(0)));
        results[1] = upper = with_nan(&w, upper, unary(&w, &is_infinite, upper), w.dtype); /* an infinite column gives NaN */
        if (k > n) {
            matrices tall = matrices_of(&w, results[1] = zeros(&w, 1), k, n);
            copy(&w, block(&w, &tall, 0, 0, n, n).t, upper);
        }
    }
    return end_all(&w, 2, results);
}

/* ---- eigenvalues and singular values ---- */

/* The factors that make the first components of (nearly) the largest magnitude along an axis positive. */
static tensor *main_phase(work *w, tensor *v, int64_t axis)
{
    tensor *size = unary(w, &size_of, v), *largest = with(w, &largest_along, TENSORS(size), OPTIONS(INT(axis)));
    tensor *near = fresh(w, 0, NULL, real_dtype(w));
    fill(w, near, .999);
    tensor *is_one = binary(w, &at_least, size, product_of(w, largest, near));
    tensor *first = with(w, &place_of_largest, TENSORS(seen_as(w, is_one, torch.stored_as[VN_U8])), OPTIONS(INT(axis)));
    return phase_of(w, with(w, &picked, TENSORS(v, first), OPTIONS(INT(axis))));
}

int eigh(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_in(call, 0)->count == 0) return end_zeros(&w);
    const bool vectors = is_used(&w, 1);
    matrices x = input(&w);
    tensor *bad = has_bad_element(&w, with(&w, &lower_triangle, TENSORS(x.t), OPTIONS(INT(0)))), *out[2], *results[2] = {NULL};
    several(&w, &eigen_of, TENSORS(binary(&w, &with_0_where, x.t, per_matrix(&w, bad, 1, 1))), OPTIONS(INT(vectors)), 2, out);
    results[0] = marked(&w, out[0], bad, 1, real_dtype(&w));
    if (vectors) results[1] = marked(&w, product_of(&w, out[1], main_phase(&w, out[1], -2)), bad, 2, w.dtype);
    return end_all(&w, 2, results);
}

int eig_unordered(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_in(call, 0)->count == 0) return end_zeros(&w);
    const int32_t made = desc_out(call)->dtype;
    tensor *bad = has_bad_element(&w, input(&w).t), *out[2] = {NULL}, *results[2] = {NULL};
    tensor *safe = binary(&w, &with_0_where, input(&w).t, per_matrix(&w, bad, 1, 1));
    if (is_used(&w, 1)) several(&w, &eig_of, TENSORS(safe), NO_OPTIONS, 2, out);
    else out[0] = unary(&w, &eigvals_of, safe);
    results[0] = marked(&w, out[0], bad, 1, made);
    if (is_used(&w, 1)) results[1] = marked(&w, out[1], bad, 2, made);
    return end_all(&w, 2, results);
}

int svd(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_in(call, 0)->count == 0) return end_zeros(&w);
    const bool vectors = is_used(&w, 0) || is_used(&w, 2);
    matrices x = input(&w);
    tensor *bad = has_bad_element(&w, x.t), *out[3], *results[3] = {NULL};
    several(&w, &svd_of, TENSORS(binary(&w, &with_0_where, x.t, per_matrix(&w, bad, 1, 1))), OPTIONS(INT(vectors)), 3, out);
    results[1] = marked(&w, out[1], bad, 1, real_dtype(&w));
    if (vectors) {
        tensor *phase = main_phase(&w, out[2], -1);
        results[0] = marked(&w, product_of(&w, out[0], per_matrix(&w, conjugate(&w, phase), 1, col_count(&x))), bad, 2, w.dtype);
        results[2] = marked(&w, product_of(&w, out[2], phase), bad, 2, w.dtype);
    }
    return end_all(&w, 3, results);
}

enum { P }; /* options */

/* Of all pairs of rows, by differences and not by a product. */
int distances(const vn_kernel_call *call, const recipe *r)
{
    enum { NO_PRODUCT = 2 };
    work w = begin(call, r);
    return end(&w, with(&w, &distances_of, TENSORS(call->in[0]->t, call->in[1]->t), OPTIONS(call->instr->options[P], INT(NO_PRODUCT))));
}
