/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: emit functions of matrix factorisations. Matrices come as one batch, (batch, rows, columns), in single or double
 * precision.
 *
 * TensorFlow's factorisations do not fix signs, and non-finite elements or a matrix that is not positive definite give an error
 * or undefined results. So signs and phases are adjusted here as the op table specifies, and bad matrices are replaced before and set to
 * NaN after. solve and lu_factor fall back to native: MatrixSolve and Lu fail for the whole batch if one matrix is singular, which cannot
 * be predicted, because the determinant is computed with differently rounded pivots. So does eig_unordered of real matrices: Eig computes
 * with complex numbers, so the eigenvalues of a pair are not exactly conjugates and real ones not exactly real. */
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

static int is_complex(int32_t dtype)
{
    return (VN_BIT(dtype) & VN_COMPLEX) != 0;
}

static int32_t part_of(int32_t dtype)
{
    return dtype == VN_C64 ? VN_F32 : dtype == VN_C128 ? VN_F64 : dtype;
}

/* An op from complex numbers of a dtype to real ones: Real, Imag, ComplexAbs. */
static TF_Output real_from(builder *b, const char *op, TF_Output x, int32_t dtype)
{
    TF_OperationDescription *node = build_begin(b, op, 1, &x);
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(part_of(dtype)));
    return build_end(b, node);
}

static TF_Output joined(builder *b, TF_Output re, TF_Output im, int32_t dtype)
{
    TF_OperationDescription *node = build_begin(b, "Complex", 2, (TF_Output[]){re, im});
    if (node) api.TF_SetAttrType(node, "Tout", api_dtype(dtype));
    return build_end(b, node);
}

static TF_Output is_finite(builder *b, TF_Output x, int32_t dtype)
{
    if (!is_complex(dtype)) return node1(b, "IsFinite", x);
    return node2(b, "LogicalAnd", node1(b, "IsFinite", real_from(b, "Real", x, dtype)),
                 node1(b, "IsFinite", real_from(b, "Imag", x, dtype)));
}

/* Are all elements of each matrix finite? (batch, 1, 1) */
static TF_Output all_finite(builder *b, TF_Output x, int32_t dtype)
{
    return reduced(b, "All", is_finite(b, x, dtype), (int64_t[]){1, 2}, 2);
}

static TF_Output size_of(builder *b, TF_Output x, int32_t dtype)
{
    return is_complex(dtype) ? real_from(b, "ComplexAbs", x, dtype) : node1(b, "Abs", x);
}

static TF_Output conjugate(builder *b, TF_Output x, int32_t dtype)
{
    return is_complex(dtype) ? node1(b, "Conj", x) : x;
}

/* NaN, in both parts of a complex number. */
static TF_Output not_a_number(builder *b, int32_t dtype)
{
    TF_Output part = build_number(b, part_of(dtype), (double)NAN);
    return is_complex(dtype) ? joined(b, part, part, dtype) : part;
}

/* A vector for each matrix (batch, n), as a row (batch, 1, n). */
static TF_Output as_row(builder *b, TF_Output x)
{
    return node2(b, "ExpandDims", x, build_number(b, VN_I64, 1));
}

/* The numbers of absolute value 1 whose products with x are not negative. */
static TF_Output phases(builder *b, TF_Output x, int32_t dtype)
{
    if (is_complex(dtype)) {
        TF_Output size = size_of(b, x, dtype), zero = node2(b, "Equal", size, build_number(b, part_of(dtype), 0));
        TF_Output by = choose(b, zero, build_number(b, part_of(dtype), 1), size);
        TF_Output re = node2(b, "RealDiv", real_from(b, "Real", x, dtype), by),
                  im = node2(b, "RealDiv", real_from(b, "Imag", x, dtype), by);
        return choose(b, zero, build_number(b, dtype, 1), joined(b, re, node1(b, "Neg", im), dtype));
    }
    TF_Output negative = node2(b, "Less", x, build_number(b, dtype, 0));
    return choose(b, negative, build_number(b, dtype, -1), build_number(b, dtype, 1));
}

/* For each column of x (batch, n, n) what makes its first element of nearly the largest magnitude positive: (batch, 1, n) */
static TF_Output column_phases(builder *b, TF_Output x, int32_t dtype)
{
    TF_Output columns = build_transpose(b, x), two = build_number(b, VN_I64, 2), size = size_of(b, columns, dtype);
    TF_Output near = node2(b, "Mul", reduced(b, "Max", size, (int64_t[]){2}, 1), build_number(b, part_of(dtype), .999));
    TF_Output first = node2(b, "ArgMax", node2(b, "GreaterEqual", size, near), two);
    TF_OperationDescription *node = build_begin(b, "GatherV2", 3, (TF_Output[]){columns, first, two});
    if (node) api.TF_SetAttrInt(node, "batch_dims", 2);
    return as_row(b, phases(b, build_end(b, node), dtype));
}

/* ---- factorisations ---- */

/* y for good matrices, NaN for others. */
static TF_Output marked(builder *b, TF_Output good, TF_Output y, int32_t dtype)
{
    return choose(b, good, y, not_a_number(b, dtype));
}

/* Of numbers that are real: TensorFlow stores the diagonal of a Cholesky factor, and the eigenvalues and singular values of complex
 * matrices as complex numbers. */
static TF_Output real_values(builder *b, TF_Output values, int32_t dtype)
{
    return is_complex(dtype) ? real_from(b, "Real", values, dtype) : values;
}

static TF_Output diagonal_of(builder *b, TF_Output x, int32_t dtype)
{
    return node3(b, "MatrixDiagPartV3", x, build_number(b, VN_I32, 0), build_number(b, dtype, 0));
}

enum { UPPER, TRANSPOSE, UNIT }; /* options */

/* A matrix that is not positive definite gives NaN if it is real, zeros if it is complex. */
int emit_cholesky(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    if (program->values[instr->out].count == 0) return finish_empty(b);
    TF_Output y = lower_triangle(b, node1(b, "Cholesky", x.values));
    TF_Output diagonal = as_row(b, real_values(b, diagonal_of(b, y, x.dtype), x.dtype));
    TF_Output positive = node2(b, "Less", build_number(b, part_of(x.dtype), 0), diagonal);
    TF_Output good = node2(b, "LogicalAnd", all_finite(b, y, x.dtype), reduced(b, "All", positive, (int64_t[]){1, 2}, 2));
    y = marked(b, good, y, x.dtype);
    return finish(b, 0, instr->options[UPPER].u.i ? build_transpose(b, conjugate(b, y, x.dtype)) : y);
}

/* inputs: a, b */
int emit_solve_triangular(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0), y = input(b, 1);
    if (program->values[instr->out].count == 0) return finish_empty(b);
    TF_Output a = instr->options[TRANSPOSE].u.i ? conjugate(b, x.values, x.dtype) : x.values; /* TensorFlow takes the adjoint */
    if (instr->options[UNIT].u.i) a = node3(b, "MatrixSetDiagV3", a, build_full(b, x.dtype, 2, x.dims, 1), build_number(b, VN_I32, 0));
    TF_OperationDescription *node = build_begin(b, "MatrixTriangularSolve", 2, (TF_Output[]){a, y.values});
    if (node) {
        api.TF_SetAttrBool(node, "lower", instr->options[UPPER].u.i == 0);
        api.TF_SetAttrBool(node, "adjoint", instr->options[TRANSPOSE].u.i != 0);
    }
    return finish(b, 0, build_end(b, node));
}

/* r with NaN from the first column of x that is not finite. r: (batch, k, n) */
static TF_Output mark_columns(builder *b, const matrices *x, TF_Output r, int64_t k)
{
    TF_Output finite = reduced(b, "All", is_finite(b, x->values, x->dtype), (int64_t[]){1}, 1);
    TF_Output good = node2(b, "Cumprod", build_cast(b, finite, VN_BOOL, VN_F32), build_number(b, VN_I64, 2));
    TF_Output marks = node2(b, "Fill", build_ints(b, (int64_t[]){1, k, x->dims[2]}, 3), not_a_number(b, x->dtype));
    return choose(b, node2(b, "Less", build_number(b, VN_F32, 0), good), r, upper_triangle(b, marks));
}

/* Identity matrices in the shape of result k, (batch..., m, m). */
static TF_Output identity(builder *b, int k)
{
    const vn_desc *out = build_out_desc(b) + k;
    TF_Output ones = build_full(b, out->dtype, out->rank - 1, out->dims, 1);
    return node3(b, "MatrixSetDiagV3", zeros(b, k), ones, build_number(b, VN_I32, 0));
}

/* x times a real number for each matrix (batch, 1, 1), or divided by it. */
static TF_Output scaled(builder *b, const char *op, TF_Output x, TF_Output by, int32_t dtype)
{
    if (!is_complex(dtype)) return node2(b, op, x, by);
    return joined(b, node2(b, op, real_from(b, "Real", x, dtype), by), node2(b, op, real_from(b, "Imag", x, dtype), by), dtype);
}

/* What matrices with very large or small elements are divided by, because TensorFlow squares them: their largest element; 1 for others. */
static TF_Output scale_of(builder *b, const matrices *x)
{
    const int32_t real = part_of(x->dtype);
    TF_Output one = build_number(b, real, 1),
              size = size_of(b, scaled(b, "Mul", x->values, build_number(b, real, .25), x->dtype), x->dtype);
    TF_Output largest = reduced(b, "Max", size, (int64_t[]){1, 2}, 2), inverse = node2(b, "RealDiv", one, largest);
    TF_Output limit = build_number(b, real, real == VN_F64 ? 1e100 : 1e12);
    TF_Output far = node2(b, "Less", limit, node2(b, "Maximum", largest, inverse));
    TF_Output usable = node2(b, "LogicalAnd", node1(b, "IsFinite", largest), node1(b, "IsFinite", inverse));
    return choose(b, node2(b, "LogicalAnd", far, usable), largest, one);
}

/* x (m, n) with n <= m. q (m, k) and r (k, n). */
int emit_qr(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *out = &program->values[instr->out];
    matrices x = input(b, 0);
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b) ? b->code : out->count ? build_out(b, identity(b, 0)) : VN_OK;
    int64_t n = x.dims[2], k = out->dims[out->rank - 1];
    TF_Output scale = scale_of(b, &x), moderate = scaled(b, "RealDiv", x.values, scale, x.dtype);
    TF_OperationDescription *node = build_begin(b, "Qr", 1, &moderate);
    if (node) api.TF_SetAttrBool(node, "full_matrices", k > n);
    TF_Output q = build_end(b, node), r = build_also(q, 1);
    TF_Output phase = phases(b, diagonal_of(b, r, x.dtype), x.dtype);
    if (k > n) phase = build_concat(b, 2, (TF_Output[]){phase, build_full(b, x.dtype, 2, (int64_t[]){x.dims[0], k - n}, 1)}, 1);
    finish(b, 0, node2(b, "Mul", q, as_row(b, conjugate(b, phase, x.dtype))));
    r = node2(b, "Mul", r, node2(b, "ExpandDims", phase, build_number(b, VN_I64, 2)));
    r = scaled(b, "Mul", upper_triangle(b, r), scale, x.dtype);
    return finish(b, 1, mark_columns(b, &x, r, k)); /* 0 below the diagonal, not -0 */
}

int emit_eigh(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    (void)program, (void)instr;
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b);
    TF_Output lower = lower_triangle(b, x.values), finite = all_finite(b, lower, x.dtype);
    lower = choose(b, finite, lower, build_number(b, x.dtype, 0));
    TF_OperationDescription *node = build_begin(b, "SelfAdjointEigV2", 1, &lower);
    if (node) api.TF_SetAttrBool(node, "compute_v", is_used(b, 1) != 0);
    TF_Output values = build_end(b, node), v = build_also(values, 1);
    finish(b, 0, marked(b, finite, as_row(b, real_values(b, values, x.dtype)), part_of(x.dtype)));
    if (!is_used(b, 1)) return b->code;
    return finish(b, 1, marked(b, finite, node2(b, "Mul", v, column_phases(b, v, x.dtype)), x.dtype));
}

/* Of complex matrices. */
int emit_eig_unordered(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    (void)program, (void)instr;
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b);
    TF_Output finite = all_finite(b, x.values, x.dtype), safe = choose(b, finite, x.values, build_number(b, x.dtype, 0));
    const matrices good = {safe, {x.dims[0], x.dims[1], x.dims[2]}, x.dtype};
    TF_Output scale = scale_of(b, &good), moderate = scaled(b, "RealDiv", safe, scale, x.dtype);
    TF_OperationDescription *node = build_begin(b, "Eig", 1, &moderate);
    if (node) {
        api.TF_SetAttrBool(node, "compute_v", is_used(b, 1) != 0);
        api.TF_SetAttrType(node, "Tout", api_dtype(x.dtype));
    }
    TF_Output values = build_end(b, node), v = build_also(values, 1);
    finish(b, 0, marked(b, finite, scaled(b, "Mul", as_row(b, values), scale, x.dtype), x.dtype));
    return is_used(b, 1) ? finish(b, 1, marked(b, finite, v, x.dtype)) : b->code;
}

/* x (m, n) with n <= m */
int emit_svd(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    matrices x = input(b, 0);
    const int vectors = is_used(b, 0) || is_used(b, 2);
    (void)program, (void)instr;
    if (build_in_desc(b, 0)->count == 0) return finish_empty(b);
    TF_Output finite = all_finite(b, x.values, x.dtype), safe = choose(b, finite, x.values, build_number(b, x.dtype, 0));
    TF_OperationDescription *node = build_begin(b, "Svd", 1, &safe);
    if (node) api.TF_SetAttrBool(node, "compute_uv", vectors != 0);
    TF_Output s = build_end(b, node), u = build_also(s, 1), v = build_also(s, 2);
    finish(b, 1, marked(b, finite, as_row(b, real_values(b, s, x.dtype)), part_of(x.dtype)));
    if (!vectors) return b->code;
    TF_Output phase = column_phases(b, v, x.dtype);
    finish(b, 0, marked(b, finite, node2(b, "Mul", u, phase), x.dtype));
    return finish(b, 2, marked(b, finite, build_transpose(b, conjugate(b, node2(b, "Mul", v, phase), x.dtype)), x.dtype));
}
