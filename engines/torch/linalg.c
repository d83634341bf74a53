/* linalg.c: factorisations by LAPACK, which torch brings along. Its checked forms raise errors where a matrix has no factorisation, so the
 * unchecked ones are called, or matrices with elements that are not finite kept from it, and NaN written in the end. Results are put into
 * one array, with signs that do not depend on who computed them. */
#include "work.h"

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
static const torch_op picked = {"aten::gather", "", "0i1f"};

static const helper helpers[] = {{&cholesky_of, MATRIX_OF(VN_F32)},
                                 {&solve_triangle, MATRIX_OF(VN_F32)},
                                 {&solve_system, MATRIX_OF(VN_F32)},
                                 {&lu_of, MATRIX_OF(VN_F32)},
                                 {&householder, MATRIX_OF(VN_F32)},
                                 {&upper_triangle, MATRIX_OF(VN_F32)},
                                 {&lower_triangle, MATRIX_OF(VN_F32)},
                                 {&eigen_of, MATRIX_OF(VN_F32)},
                                 {&svd_of, MATRIX_OF(VN_F32)},
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
                                 {&picked, {VN_I64, MATRIX, true}}};
family linear_algebra = {helpers, sizeof helpers / sizeof helpers[0], NULL};

/* ---- matrices ---- */

/* A batch of matrices. */
typedef struct matrices {
    tensor *t;
    int32_t rank;
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK];
} matrices;

/* Those of t, which has the batch axes of input 0. */
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

static matrices result(work *w)
{
    const vn_desc *z = desc_out(w->call);
    return matrices_of(w, fresh(w, z->rank, z->dims, z->dtype), z->dims[z->rank - 2], z->dims[z->rank - 1]);
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

static tensor *transposed(work *w, const matrices *m)
{
    matrices turned = *m;
    turned.dims[m->rank - 2] = col_count(m);
    turned.dims[m->rank - 1] = row_count(m);
    turned.strides[m->rank - 2] = m->strides[m->rank - 1];
    turned.strides[m->rank - 1] = m->strides[m->rank - 2];
    return view(w, m->t, m->rank, turned.dims, turned.strides, 0);
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

/* For each matrix of x, bool (batch..., 1, 1): an element is not finite. */
static tensor *has_bad_element(work *w, tensor *x)
{
    tensor *fine = unary(w, &is_finite, x);
    for (int i = 0; i < 2; i++) fine = with(w, &all_along, TENSORS(fine), OPTIONS(INT(-1)));
    return per_matrix(w, unary(w, &negation, fine), 1, 1);
}

/* ---- triangles and systems ---- */

/* LAPACK stops at a pivot that is not above 0, but takes an infinite one. */
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
    return end(&w, binary(&w, &with_nan_where, l.t, per_matrix(&w, bad, 1, 1)));
}

/* options: lower INT, transpose INT, unit INT */
int solve_triangular(const vn_kernel_call *call, const recipe *r)
{
    const vn_option *o = call->instr->options;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    matrices a = input(&w);
    bool turned = o[1].u.i, upper = !o[0].u.i != turned;
    tensor *z = with(&w, &solve_triangle, TENSORS(turned ? transposed(&w, &a) : a.t, call->in[1]->t), OPTIONS(INT(upper), INT(o[2].u.i)));
    return end(&w, z);
}

int solve(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    return end(&w, binary(&w, &solve_system, call->in[0]->t, call->in[1]->t));
}

/* ---- LU ---- */

/* The rows behind the factors of n x n matrices in row-major z: where each row came from, and whether a step exchanged two. LAPACK says,
 * counting from 1, with which row each step exchanged its own. */
#define EXCHANGES(type)                                                                    \
    static void exchanges_##type(type *z, const int32_t *pivots, int64_t batch, int64_t n) \
    {                                                                                      \
        for (int64_t b = 0; b < batch; b++, z += (n + 2) * n, pivots += n) {               \
            type *order = z + n * n, *sign = order + n;                                    \
            for (int64_t i = 0; i < n; i++) order[i] = (type)i;                            \
            for (int64_t i = 0; i < n; i++) {                                              \
                int64_t with_row = pivots[i] - 1;                                          \
                type kept = order[i];                                                      \
                order[i] = order[with_row];                                                \
                order[with_row] = kept;                                                    \
                sign[i] = with_row == i ? 1 : -1;                                          \
            }                                                                              \
        }                                                                                  \
    }
EXCHANGES(float)
EXCHANGES(double)

int lu_packed(const vn_kernel_call *call, const recipe *r)
{
    const vn_desc *x = desc_in(call, 0);
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    tensor *out[2];
    several(&w, &lu_of, TENSORS(call->in[0]->t), NO_OPTIONS, 2, out);
    int64_t n = x->dims[x->rank - 1];
    matrices z = result(&w);
    copy(&w, block(&w, &z, 0, 0, n, n).t, out[0]);
    tensor *steps = per_matrix(&w, out[1], 1, n);
    void *to = room_of(&w, z.t);
    const void *pivots = data_of(&w, steps);
    if (w.code == VN_OK && w.dtype == VN_F64) exchanges_double(to, pivots, x->count / (n * n), n);
    else if (w.code == VN_OK) exchanges_float(to, pivots, x->count / (n * n), n);
    return end(&w, z.t);
}

/* ---- QR ---- */

/* -1 where x is below 0, else 1 */
static tensor *sign_of(work *w, tensor *x)
{
    return with(w, &choose, TENSORS(unary(w, &is_below_0, x), number(w, -1), number(w, 1)), NO_OPTIONS);
}

/* options: complete INT. Signs change so that r has no negative number on its diagonal. */
int qr_packed(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    matrices x = input(&w), z = result(&w);
    int64_t m = row_count(&x), n = col_count(&x), k = col_count(&z) - n;
    matrices q = block(&w, &z, 0, 0, m, k), right = block(&w, &z, 0, k, n, n), left = block(&w, &q, 0, 0, m, n);
    fill(&w, z.t, 0);
    if (n == 0) {
        fill(&w, diagonal(&w, &q), 1);
        return end(&w, z.t);
    }
    tensor *out[2];
    several(&w, &householder, TENSORS(x.t), NO_OPTIONS, 2, out);
    matrices reflectors = matrices_of(&w, out[0], m, n), triangle = block(&w, &reflectors, 0, 0, n, n);
    copy(&w, left.t, reflectors.t);
    copy(&w, q.t, binary(&w, &orthogonal, q.t, out[1]));
    tensor *sign = sign_of(&w, diagonal(&w, &triangle));
    tensor *upper = with(&w, &upper_triangle, TENSORS(triangle.t), OPTIONS(INT(0)));
    upper = binary(&w, &with_nan_where, upper, unary(&w, &is_infinite, upper)); /* an infinite column has no direction */
    copy(&w, right.t, product_of(&w, upper, per_matrix(&w, sign, n, 1)));
    copy(&w, left.t, product_of(&w, left.t, per_matrix(&w, sign, 1, n)));
    return end(&w, z.t);
}

/* ---- eigenvalues and singular values ---- */

/* The sign of the first component, along an axis, that is about as large as any. */
static tensor *main_sign(work *w, tensor *v, int64_t axis)
{
    tensor *size = unary(w, &size_of, v), *largest = with(w, &largest_along, TENSORS(size), OPTIONS(INT(axis)));
    tensor *is_one = binary(w, &at_least, size, product_of(w, largest, number(w, .999)));
    tensor *first = with(w, &place_of_largest, TENSORS(seen_as(w, is_one, torch.carrier[VN_U8])), OPTIONS(INT(axis)));
    return sign_of(w, with(w, &picked, TENSORS(v, first), OPTIONS(INT(axis))));
}

/* options: vectors INT */
int eigh_packed(const vn_kernel_call *call, const recipe *r)
{
    int64_t vectors = call->instr->options[0].u.i;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    matrices x = input(&w), z = result(&w);
    int64_t n = col_count(&x);
    tensor *bad = has_bad_element(&w, with(&w, &lower_triangle, TENSORS(x.t), OPTIONS(INT(0)))), *out[2];
    several(&w, &eigen_of, TENSORS(binary(&w, &with_0_where, x.t, bad)), OPTIONS(INT(vectors)), 2, out);
    copy(&w, block(&w, &z, 0, 0, 1, n).t, per_matrix(&w, out[0], 1, n));
    if (vectors) copy(&w, block(&w, &z, 1, 0, n, n).t, product_of(&w, out[1], main_sign(&w, out[1], -2)));
    return end(&w, binary(&w, &with_nan_where, z.t, bad));
}

/* options: vectors INT */
int svd_packed(const vn_kernel_call *call, const recipe *r)
{
    int64_t vectors = call->instr->options[0].u.i;
    work w = begin(call, r);
    if (desc_out(call)->count == 0) return end_zeros(&w);
    matrices x = input(&w), z = result(&w);
    int64_t m = row_count(&x), n = col_count(&x);
    tensor *bad = has_bad_element(&w, x.t), *out[3];
    several(&w, &svd_of, TENSORS(binary(&w, &with_0_where, x.t, bad)), OPTIONS(INT(vectors)), 3, out);
    copy(&w, block(&w, &z, vectors ? m : 0, 0, 1, n).t, per_matrix(&w, out[1], 1, n));
    if (vectors) {
        tensor *sign = main_sign(&w, out[2], -1);
        copy(&w, block(&w, &z, 0, 0, m, n).t, product_of(&w, out[0], per_matrix(&w, sign, 1, n)));
        copy(&w, block(&w, &z, m + 1, 0, n, n).t, product_of(&w, out[2], sign));
    }
    return end(&w, binary(&w, &with_nan_where, z.t, bad));
}
