/* SPDX-License-Identifier: Apache-2.0 */
/* linalg.c: matrix factorisations: distributing matrices over threads, and sharing one large matrix.
 *
 * The algorithms are written once for real and complex numbers of both precisions (linalg_type.h, qr_type.h, eigen_type.h), on the loops of
 * isa/linalg.c. They split work by independent rows or columns, so results have the same bits for any number of threads. */
#include "complex_numbers.h"
#include <math.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_LINALG
#include "thresholds.h"

enum { MAX_RESULTS = 3 };

/* Computes one matrix. out: NULL where a result is unused */
struct factoring;
typedef void one_fn(const struct factoring *p, const void *const *in, void *const *out, void *scratch, int lanes);

/* One instruction. */
typedef struct factoring {
    const void *fns;           /* vn__linalg_fns, or those of complex numbers */
    int64_t batch, rows, cols; /* of the first operand's matrices */
    int64_t right;             /* columns of the second's; of q if it is used */
    int64_t in_bytes[2];       /* of one matrix */
    int64_t out_bytes[MAX_RESULTS];
    int64_t per_unit; /* matrices a thread takes at once; 0: threads share each matrix */
    bool upper, transpose, unit;
    one_fn *one;
} factoring;

/* The number of threads for an amount of work. */
static int threads_for(int lanes, int64_t m, int64_t n, int64_t k)
{
    return (double)m * (double)n * (double)k > 4 * MIN_WORK ? lanes : 1;
}

/* ---- the symmetric tridiagonal eigenproblem ---- */

/* sqrt(x^2 + y^2) without care for overflow: matrices have been scaled. */
static double hypotenuse(double x, double y)
{
    const double a = fabs(x), b = fabs(y), high = a > b ? a : b, ratio = high > 0 ? (a > b ? b : a) / high : 0;
    return high * sqrt(1 + ratio * ratio);
}

/* The first position from l on where the matrix decouples; d: diagonal, e: off-diagonal. */
static int64_t split_after(const double *d, const double *e, int64_t l, int64_t n)
{
    for (; l < n - 1; l++) {
        const double size = fabs(d[l]) + fabs(d[l + 1]);
        if (size + fabs(e[l]) == size) break;
    }
    return l;
}

/* Implicit QL: one step with Wilkinson's shift on rows l .. m. Rotates the rows of z (whose length is given in real numbers), if there are any. */
static void ql_step(const vn__linalg_fns *fns, double *d, double *e, int64_t l, int64_t m, char *z, int64_t z_numbers, int64_t z_bytes)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypotenuse(g, 1), sine = 1, cosine = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    for (int64_t i = m - 1; i >= l; i--) {
        const double f = sine * e[i], b = cosine * e[i];
        e[i + 1] = r = hypotenuse(f, g);
        if (r == 0) { /* it decouples here */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * sine + 2 * cosine * b;
        p = sine * r;
        d[i + 1] = g + p;
        g = cosine * r - b;
        if (z) fns->rotate(z + i * z_bytes, z + (i + 1) * z_bytes, cosine, sine, z_numbers);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

/* Computes the eigenvalues in d, unordered, and rotates the rows of z into the vectors. False: it did not converge. */
static bool ql(const vn__linalg_fns *fns, double *d, double *e, int64_t n, char *z, int64_t z_numbers, int64_t z_bytes)
{
    enum { STEPS = 60 };
    for (int64_t l = 0; l < n; l++) {
        int steps = 0;
        for (int64_t m; (m = split_after(d, e, l, n)) != l; steps++) {
            if (steps == STEPS) return false;
            ql_step(fns, d, e, l, m, z, z_numbers, z_bytes);
        }
    }
    return true;
}

/* rank[k]: index of the k-th value; equal ones keep their order. */
static void sort_rows(const double *values, int64_t n, double *rank, bool descending)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0; at--) {
            const double other = values[(int64_t)rank[at - 1]];
            if (descending ? other >= values[i] : other <= values[i]) break;
            rank[at] = rank[at - 1];
        }
        rank[at] = (double)i;
    }
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(a) JOIN(a, TAG)

/* T: the type of elements, R: of their parts; S: scalars in double precision */
#define IS_COMPLEX 0
#define PARTS 1
#define S double
#define FNS vn__linalg_fns
#define CONJ(x) (x)
#define RE(x) (x)
#define IM(x) 0
#define SIZE(x) fabs((double)(x))
#define LARGER_PART(x) ((x) < 0 ? -(x) : (x))
#define SQUARE(x) ((x) * (x)) /* of the absolute value */
#define NOT_A_NUMBER (T) NAN
#define T float
#define R float
#define TAG f32
#define REAL_FNS (&vn__native_isa->linalg->f32)
#include "linalg_type.h"
#include "qr_type.h"
#include "eigen_type.h"
#undef T
#undef R
#undef TAG
#undef REAL_FNS
#define T double
#define R double
#define TAG f64
#define REAL_FNS (&vn__native_isa->linalg->f64)
#include "linalg_type.h"
#include "qr_type.h"
#include "eigen_type.h"
#undef T
#undef R
#undef TAG
#undef REAL_FNS

#undef IS_COMPLEX
#undef PARTS
#undef S
#undef FNS
#undef CONJ
#undef RE
#undef IM
#undef SIZE
#undef LARGER_PART
#undef SQUARE
#undef NOT_A_NUMBER
#define IS_COMPLEX 1
#define PARTS 2
#define S double _Complex
#define FNS vn__linalg_complex_fns
#define CONJ(x) ((T)conj((S)(x)))
#define RE(x) ((R)creal((S)(x)))
#define IM(x) ((R)cimag((S)(x)))
#define SIZE(x) cabs((S)(x))
#define LARGER_PART(x) ((R)fmax(fabs(creal((S)(x))), fabs(cimag((S)(x)))))
#define SQUARE(x) (RE(x) * RE(x) + IM(x) * IM(x))
#define NOT_A_NUMBER CMPLX(NAN, NAN)
#define T float _Complex
#define R float
#define TAG c64
#define REAL_FNS (&vn__native_isa->linalg->f32)
#include "linalg_type.h"
#include "qr_type.h"
#include "eigen_type.h"
#undef T
#undef R
#undef TAG
#undef REAL_FNS
#define T double _Complex
#define R double
#define TAG c128
#define REAL_FNS (&vn__native_isa->linalg->f64)
#include "linalg_type.h"
#include "qr_type.h"
#include "eigen_type.h"
#undef T
#undef R
#undef TAG
#undef REAL_FNS

/* ---- batches ---- */

typedef vn__whole_job job;

static void one_matrix(const job *j, int64_t index, void *scratch, int lanes)
{
    const factoring *p = j->w->plan;
    const void *in[2] = {NULL, NULL};
    void *out[MAX_RESULTS] = {NULL};
    for (int32_t k = 0; k < j->w->n_in; k++) in[k] = j->run->slots[j->w->in[k]] + index * p->in_bytes[k];
    for (int32_t k = 0; k < j->w->n_out; k++)
        if (j->w->outs[k] >= 0) out[k] = j->run->slots[j->w->outs[k]] + index * p->out_bytes[k];
    p->one(p, in, out, scratch, lanes);
}

static void batch_unit(void *context, int64_t unit, int lane)
{
    const job *j = context;
    const factoring *p = j->w->plan;
    const int64_t end = vn__min(p->batch, (unit + 1) * p->per_unit);
    for (int64_t i = unit * p->per_unit; i < end; i++) one_matrix(j, i, j->run->scratch + (size_t)lane * j->run->lane_bytes, 1);
}

static void run_factoring(const vn__kernel *kernel, const vn__run *run)
{
    job j = {(const vn__whole *)kernel, run};
    const factoring *p = j.w->plan;
    const int lanes = run->lanes;
    if (p->per_unit) vn__native_parallel(lanes, vn__ceil_div(p->batch, p->per_unit), batch_unit, &j);
    else
        for (int64_t i = 0; i < p->batch; i++) one_matrix(&j, i, run->shared, lanes);
}

/* ---- preparing ---- */

static int64_t bytes_of(const vn_desc *d)
{
    return d->count * (int64_t)vn__native_bytes(d->dtype);
}

static bool is_used(const vn__whole *w, int32_t result)
{
    return w->outs[result] >= 0;
}

/* Common preparation. Empty results have no matrices, whatever their sizes. */
static factoring *begin(vn__graph *g, vn__whole *w)
{
    factoring *p = vn__native_whole_keep(g, sizeof *p);
    if (!p) return NULL;
    const vn_desc *x = &w->in_desc[0];
    int64_t made = 0;
    w->plan = p;
    w->kernel.run = run_factoring;
    for (int32_t k = 0; k < w->n_out; k++) made |= w->out_descs[k].count;
    if (made == 0) return p;
    const vn__linalg_table *fns = vn__native_isa->linalg;
    p->fns = x->dtype == VN_F32   ? (const void *)&fns->f32
             : x->dtype == VN_F64 ? (const void *)&fns->f64
             : x->dtype == VN_C64 ? (const void *)&fns->c64
                                  : (const void *)&fns->c128;
    p->rows = x->dims[x->rank - 2];
    p->cols = x->dims[x->rank - 1];
    p->batch = 1;
    for (int32_t k = 0; k < x->rank - 2; k++) p->batch *= x->dims[k];
    for (int32_t k = 0; k < w->n_in; k++) p->in_bytes[k] = bytes_of(&w->in_desc[k]) / p->batch;
    for (int32_t k = 0; k < w->n_out; k++) p->out_bytes[k] = bytes_of(&w->out_descs[k]) / p->batch;
    if (w->n_in > 1) p->right = w->in_desc[1].dims[w->in_desc[1].rank - 1];
    return p;
}

/* Each matrix needs `elements` of scratch memory and `work` multiplications. */
static int finish(vn__whole *w, int64_t elements, double work)
{
    factoring *p = w->plan;
    const size_t bytes = vn__native_round64((size_t)elements * vn__native_bytes(w->in_desc[0].dtype));
    const bool by_batch = p->batch > 1 && (work <= PARALLEL || p->batch >= SHARE);
    p->per_unit = by_batch ? 1 + (int64_t)(MIN_WORK / (work + 1)) : 0;
    w->kernel.parallel = (by_batch ? (double)p->batch : 1) * work > PARALLEL;
    *(by_batch ? &w->kernel.lane_bytes : &w->kernel.shared_bytes) = bytes;
    return VN_OK;
}

#define ONE(name)               \
    one_of(w->in_desc[0].dtype, \
           (one_fn *[VN_DTYPE_END]){[VN_F32] = name##_f32, [VN_F64] = name##_f64, [VN_C64] = name##_c64, [VN_C128] = name##_c128})

static one_fn *one_of(int32_t dtype, one_fn *const *of)
{
    return of[dtype];
}

static double cube(int64_t n)
{
    return (double)n * (double)n * (double)n;
}

int vn__native_prepare_cholesky(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(cholesky);
    return finish(w, p->rows * p->rows / 4 + p->rows, cube(p->rows) / 3);
}

enum { UPPER, TRANSPOSE, UNIT }; /* options */

int vn__native_prepare_solve_triangular(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(solve_triangular);
    p->upper = w->instr->options[UPPER].u.i != 0;
    p->transpose = w->instr->options[TRANSPOSE].u.i != 0;
    p->unit = w->instr->options[UNIT].u.i != 0;
    return finish(w, 0, (double)p->rows * (double)p->rows * (double)p->right / 2);
}

int vn__native_prepare_lu_factor(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(lu_factor);
    return finish(w, is_used(w, 0) ? 0 : p->rows * p->rows, cube(p->rows) / 3);
}

int vn__native_prepare_solve(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(solve);
    return finish(w, (p->rows + 2) * p->rows, cube(p->rows) / 3 + (double)p->rows * (double)p->rows * (double)p->right);
}

int vn__native_prepare_qr(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    const int64_t panels = (p->cols + PANEL - 1) / PANEL, q = is_used(w, 0) ? w->out_desc.dims[w->out_desc.rank - 1] : 0;
    p->right = q;
    p->one = ONE(qr);
    /* one more element, so that there is memory even without columns */
    return finish(w, p->rows * p->cols + panels * PANEL * (p->rows + PANEL) + 1,
                  (double)p->rows * (double)p->cols * (double)(p->cols + 2 * q));
}

int vn__native_prepare_eigh(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(eigh);
    /* two matrices, four vectors of doubles and one of the type */
    return finish(w, (2 * p->rows + 9) * p->rows, (is_used(w, 1) ? 6 : 2) * cube(p->rows));
}

int vn__native_prepare_svd(vn__graph *g, vn__whole *w)
{
    factoring *p = begin(g, w);
    if (!p) return vn__native_no_memory();
    p->one = ONE(svd);
    return finish(w, (p->rows + p->cols + 6) * p->cols, 30 * (double)p->rows * (double)p->cols * (double)p->cols);
}
