/* linalg.c: emit functions of matrix factorisations. Matrices come as one batch, (batch, rows, columns), of float32 or float64.
 *
 * TensorFlow's factorisations do not fix signs, and non-finite elements or a matrix that is not positive definite give an error
 * or undefined results. So signs are adjusted here as the op table specifies, and bad matrices are replaced before and set to NaN after.
 * solve and lu_factor fall back to native: MatrixSolve and Lu fail for the whole batch if one matrix is singular, which cannot be
 * predicted, because the determinant is computed with differently rounded pivots. */
#include <math.h>

#include "kernels.h"

/* A batch of matrices. */
typedef struct matrices {
    TF_Output values;
    int64_t dims[3]; /* batch, rows, columns */
    int32_t dtype;
} matrices;

static matrices input(builder *b, int k)
{
    const vn_desc *x = build_in_desc(b, k);
    matrices m = {.dims = {1, x->dims[x->rank - 2], x->dims[x->rank - 1]}, .dtype = x->dtype};
    for (int i = 0; i < x->rank - 2; i++) m.dims[0] *= x->dims[i];
    m.values = build_reshape(b, build_in(b, k), x->rank, x->dims, 3, m.dims);
    return m;
}

/* Sets result k to y, which has all matrices of the batch along its first axis. */
static int finish(builder *b, int k, TF_Output y)
{
    const vn_desc *out = build_out_desc(b) + k;
    return build_out_at(b, k, node2(b, "Reshape", y, build_ints(b, out->dims, out->rank)));
}

static TF_Output zeros(builder *b, int k)
{
    const vn_desc *out = build_out_desc(b) + k;
    return build_full(b, out->dtype, out->rank, out->dims, 0);
}

/* For an empty input. */
static int finish_empty(builder *b)
{
    for (int k = 0; k < b->instr->n_out; k++) build_out_at(b, k, zeros(b, k));
    return b->code;
}

static int is_used(const builder *b, int k)
{
    return b->program->used[b->instr->out + k];
}

/* ---- pieces ---- */

static TF_Output lower_triangle(builder *b, TF_Output x)
{
    return node3(b, "MatrixBandPart", x, build_number(b, VN_I64, -1), build_number(b, VN_I64, 0));
}

static TF_Output upper_triangle(builder *b, TF_Output x)
{
    return node3(b, "MatrixBandPart", x, build_number(b, VN_I64, 0), build_number(b, VN_I64, -1));
}

/* x reduced along n axes, kept with size 1. */
static TF_Output reduced(builder *b, const char *op, TF_Output x, const int64_t *axes, int n)
{
    TF_OperationDescription *node = build_begin(b, op, 2, (TF_Output[]){x, build_ints(b, axes, n)});
    if (node) api.TF_SetAttrBool(node, "keep_dims", 1);
    return build_end(b, node);
}

/* Are all elements of each matrix finite? (batch, 1, 1) */
static TF_Output all_finite(builder *b, TF_Output x)
{
    return reduced(b, "All", node1(b, "IsFinite", x), (int64_t[]){1, 2}, 2);
}

/* A vector for each matrix (batch, n), as a row (batch, 1, n). */
static TF_Output as_row(builder *b, TF_Output x)
{
    return node2(b, "ExpandDims", x, build_number(b, VN_I64, 1));
}

/* -1 where x is below 0, else 1 */
static TF_Output signs(builder *b, TF_Output x, int32_t dtype)
{
    TF_Output negative = node2(b, "Less", x, build_number(b, dtype, 0));
    return choose(b, negative, build_number(b, dtype, -1), build_number(b, dtype, 1));
}

/* For each column of x (batch, n, n) the sign of its first element of nearly the largest magnitude: (batch, 1, n) */
static TF_Output column_signs(builder *b, TF_Output x, int32_t dtype)
{
    TF_Output columns = build_transpose(b, x), two = build_number(b, VN_I64, 2), size = node1(b, "Abs", columns);
    TF_Output near = node2(b, "Mul", reduced(b, "Max", size, (int64_t[]){2}, 1), build_number(b, dtype, .999));
    TF_Output first = node2(b, "ArgMax", node2(b, "GreaterEqual", size, near), two);
    TF_OperationDescription *node = build_begin(b, "GatherV2", 3, (TF_Output[]){columns, first, two});
    if (node) api.TF_SetAttrInt(node, "batch_dims", 2);
    return as_row(b, signs(b, build_end(b, node), dtype));
}

/* ---- factorisations ---- */

/* y for good matrices, NaN for others. */
static TF_Output marked(builder *b, TF_Output good, TF_Output y, int32_t dtype)
{
    return choose(b, good, y, build_number(b, dtype, (double)NAN));
}

/* options: upper INT */
int emit_cholesky(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    if (program->values[instr->out].count == 0) return finish_empty(b);
    TF_Output y = lower_triangle(b, node1(b, "Cholesky", x.values));
    y = marked(b, all_finite(b, y), y, x.dtype);
    return finish(b, 0, instr->options[0].u.i ? build_transpose(b, y) : y);
}

/* inputs: a, b; options: upper, transpose, unit INT */
int emit_solve_triangular(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0), y = input(b, 1);
    if (program->values[instr->out].count == 0) return finish_empty(b);
    TF_Output a = x.values;
    if (instr->options[2].u.i) a = node3(b, "MatrixSetDiagV3", a, build_full(b, x.dtype, 2, x.dims, 1), build_number(b, VN_I32, 0));
    TF_OperationDescription *node = build_begin(b, "MatrixTriangularSolve", 2, (TF_Output[]){a, y.values});
    if (node) {
        api.TF_SetAttrBool(node, "lower", instr->options[0].u.i == 0);
        api.TF_SetAttrBool(node, "adjoint", instr->options[1].u.i != 0);
    }
    return finish(b, 0, build_end(b, node));
}

/* r with NaN from the first column of x that is not finite. r: (batch, k, n) */
static TF_Output mark_columns(builder *b, const matrices *x, TF_Output r, int64_t k)
{
    TF_Output finite = reduced(b, "All", node1(b, "IsFinite", x->values), (int64_t[]){1}, 1);
    TF_Output good = node2(b, "Cumprod", build_cast(b, finite, VN_BOOL, VN_F32), build_number(b, VN_I64, 2));
    TF_Output marks = build_full(b, x->dtype, 3, (int64_t[]){1, k, x->dims[2]}, (double)NAN);
    return choose(b, node2(b, "Less", build_number(b, VN_F32, 0), good), r, upper_triangle(b, marks));
}

/* Identity matrices in the shape of result k, (batch..., m, m). */
static TF_Output identity(builder *b, int k)
{
    const vn_desc *out = build_out_desc(b) + k;
    TF_Output ones = build_full(b, out->dtype, out->rank - 1, out->dims, 1);
    return node3(b, "MatrixSetDiagV3", zeros(b, k), ones, build_number(b, VN_I32, 0));
}

/* x (m, n) with n <= m; options: complete INT. q (m, k) and r (k, n). */
int emit_qr(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    matrices x = input(b, 0);
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b) ? b->code : out->count ? build_out(b, identity(b, 0)) : VN_OK;
    int64_t n = x.dims[2], k = out->dims[out->rank - 1];
    TF_OperationDescription *node = build_begin(b, "Qr", 1, &x.values);
    if (node) api.TF_SetAttrBool(node, "full_matrices", k > n);
    TF_Output q = build_end(b, node), r = build_also(q, 1);
    TF_Output diagonal = node3(b, "MatrixDiagPartV3", r, build_number(b, VN_I32, 0), build_number(b, x.dtype, 0));
    TF_Output sign = signs(b, diagonal, x.dtype);
    if (k > n) sign = build_concat(b, 2, (TF_Output[]){sign, build_full(b, x.dtype, 2, (int64_t[]){x.dims[0], k - n}, 1)}, 1);
    finish(b, 0, node2(b, "Mul", q, as_row(b, sign)));
    r = node2(b, "Mul", r, node2(b, "ExpandDims", sign, build_number(b, VN_I64, 2)));
    return finish(b, 1, mark_columns(b, &x, upper_triangle(b, r), k)); /* 0 below the diagonal, not -0 */
}

int emit_eigh(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    (void)program, (void)instr;
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b);
    TF_Output lower = lower_triangle(b, x.values), finite = all_finite(b, lower);
    lower = choose(b, finite, lower, build_number(b, x.dtype, 0));
    TF_OperationDescription *node = build_begin(b, "SelfAdjointEigV2", 1, &lower);
    if (node) api.TF_SetAttrBool(node, "compute_v", is_used(b, 1) != 0);
    TF_Output values = build_end(b, node), v = build_also(values, 1);
    finish(b, 0, marked(b, finite, as_row(b, values), x.dtype));
    if (!is_used(b, 1)) return b->code;
    return finish(b, 1, marked(b, finite, node2(b, "Mul", v, column_signs(b, v, x.dtype)), x.dtype));
}

/* x (m, n) with n <= m */
int emit_svd(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    const int vectors = is_used(b, 0) || is_used(b, 2);
    (void)program, (void)instr;
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b);
    TF_Output finite = all_finite(b, x.values), safe = choose(b, finite, x.values, build_number(b, x.dtype, 0));
    TF_OperationDescription *node = build_begin(b, "Svd", 1, &safe);
    if (node) api.TF_SetAttrBool(node, "compute_uv", vectors != 0);
    TF_Output s = build_end(b, node), u = build_also(s, 1), v = build_also(s, 2);
    finish(b, 1, marked(b, finite, as_row(b, s), x.dtype));
    if (!vectors) return b->code;
    TF_Output sign = column_signs(b, v, x.dtype);
    finish(b, 0, marked(b, finite, node2(b, "Mul", u, sign), x.dtype));
    return finish(b, 2, marked(b, finite, build_transpose(b, node2(b, "Mul", v, sign)), x.dtype));
}
