/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c: matrix products: blocking, packing and sharing between threads. isa/matmul.c computes the blocks.
 *
 * Operands are strided, so transposed ones are not copied. Batch axes that only a has are merged into its rows. Small products run
 * in place; large ones pack b once, shared by all threads, and each thread packs its own blocks of a; with few rows each thread packs its own
 * columns of b, if they need it; batches of medium products are distributed over threads. None of this changes a result: see vn__gemm, so
 * a row has the same bits alone and among others. A matrix times one column is computed as dot products. Large products of bfloat16 arrays
 * and of less exact modes add up in another order, that of the instructions for them. Integers of 8 and 16 bits, also if they were cast to 32
 * bits before, are packed like floats, and wider ones multiplied row by row.
 *
 * Complex matrices are treated as real ones: a (m, k) is (m, 2k) in memory, c (m, n) is (m, 2n), and b is expanded to (2k, 2n): each of
 * its rows, and that row times i. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define THRESHOLDS_MATMUL
#include "thresholds.h"

enum {
    EXPANDED = -1 /* instead of a storage: complex b as real numbers, in the shared memory */
};
_Static_assert(FEW_ROWS < ROUNDED_SIDE, "products rounded to bfloat16 have no kernel in place");
_Static_assert(FEW_COLS <= LANE_COLS, "few_columns are packed at once");

typedef struct product {
    vn__kernel kernel;
    int32_t a, b, c, dtype;
    int32_t a_dtype, b_dtype; /* in memory: half precision and narrow integers are widened when they are packed */
    int32_t sums;             /* the dtype of sums, which are cast to `dtype` if that is another */
    int64_t m, n, k, batch;
    vn__matrix ma, mb; /* without data */
    int64_t c_row, c_col;
    vn__view a_batch, b_batch; /* offsets of each product's operands */
    bool by_batch, small;      /* threads take entire products, which run in place */
    bool few;                  /* rows */
    const char *factors;       /* how they differ from the operands, for explain; NULL: they do not */
    const vn__gemm *gemm;
    struct product *exact;   /* what to do instead if an operand is not moderate; NULL: that does not matter */
    size_t a_bytes, b_bytes; /* of a lane's packed blocks */
    vn_desc x, y;
    int32_t complex_b; /* storage of a complex b; the following fields are only for it */
    int64_t b_rows;    /* of all its matrices */
    size_t expanded;   /* offset of its expansion in the shared memory */
} product;

static const char *data_of(const product *p, const vn__run *run, int32_t storage)
{
    return storage == EXPANDED ? run->shared + p->expanded : run->slots[storage];
}

static vn__matrix part(const vn__matrix *x, int64_t row, int64_t col, int64_t rows, int64_t cols, size_t element)
{
    const char *data = (const char *)x->data + (row * x->row_stride + col * x->col_stride) * (int64_t)element;
    return (vn__matrix){data, rows, cols, x->row_stride, x->col_stride};
}

/* Operands cannot be multiplied in place: one has half precision, or there are only packed blocks. */
static bool must_pack(const product *p)
{
    return !p->gemm->direct || vn__native_is_half(p->a_dtype) || vn__native_is_half(p->b_dtype);
}

/* Bytes that k elements of a row of a, or of a column of b, take when packed. */
static int64_t packed_bytes(const vn__gemm *g, int64_t k)
{
    return vn__ceil_div(k, g->group) * g->packed;
}

/* ---- one product by one thread ---- */

/* In place: b is packed only if its columns are not contiguous. */
static void small_product(const product *p, const vn__matrix *a, const vn__matrix *b, char *c, char *panel)
{
    const vn__gemm *g = p->gemm;
    const size_t element = vn__native_bytes(p->dtype); /* of a, b and c */
    const int64_t whole = b->col_stride == 1 ? b->cols / g->nr * g->nr : 0;
    for (int64_t k = 0; k < a->cols; k += g->kc) {
        const int64_t kc = vn__min(g->kc, a->cols - k);
        const vn__matrix ak = part(a, 0, k, a->rows, kc, element);
        if (whole > 0) {
            const vn__matrix bk = part(b, k, 0, kc, whole, element);
            g->direct(&ak, &bk, c, p->c_row, p->c_col, k == 0);
        }
        for (int64_t j = whole; j < b->cols; j += g->nr) {
            const vn__matrix from = part(b, k, j, kc, vn__min(g->nr, b->cols - j), element);
            const vn__matrix bk = {panel, kc, from.cols, g->nr, 1};
            g->pack_b[p->dtype](panel, &from);
            g->direct(&ak, &bk, c + j * p->c_col * (int64_t)element, p->c_row, p->c_col, k == 0);
        }
    }
}

/* Packed: blocks of b, then blocks of a against them. c holds sums. */
static void packed_product(const product *p, const vn__matrix *a, const vn__matrix *b, char *c, char *scratch)
{
    const vn__gemm *g = p->gemm;
    const size_t from_a = vn__native_bytes(p->a_dtype), from_b = vn__native_bytes(p->b_dtype);
    const int64_t element = (int64_t)vn__native_bytes(p->sums);
    char *pa = scratch, *pb = scratch + p->a_bytes;
    for (int64_t j = 0; j < b->cols; j += LANE_COLS)
        for (int64_t k = 0; k < a->cols; k += g->kc) {
            const int64_t nc = vn__min(LANE_COLS, b->cols - j), kc = vn__min(g->kc, a->cols - k);
            const vn__matrix bk = part(b, k, j, kc, nc, from_b);
            g->pack_b[p->b_dtype](pb, &bk);
            for (int64_t i = 0; i < a->rows; i += g->mc) {
                const vn__matrix ak = part(a, i, k, vn__min(g->mc, a->rows - i), kc, from_a);
                g->pack_a[p->a_dtype](pa, &ak);
                g->block(pa, pb, c + (i * p->c_row + j * p->c_col) * element, p->c_row, p->c_col, ak.rows, nc, kc, k == 0);
            }
        }
}

/* ---- one product by all threads ---- */

/* b is packed in blocks of kc rows, as many at a time as fit into SHARED_BYTES, so that threads rarely wait for each other. */
typedef struct shared {
    const product *p;
    const vn__run *run;
    const vn__matrix *a, *b;
    char *c, *packed;
    int64_t j, k, nc, ks;           /* the packed part of b: columns j .. j+nc, rows k .. k+ks */
    int64_t run_bytes, panel_units; /* of one block of kc rows */
    int64_t mc, m_blocks, n_part;
} shared;

/* Blocks of kc rows packed at a time. */
static int64_t runs_at_once(const product *p)
{
    const int64_t nr = p->gemm->nr, wide = vn__ceil_div(vn__min(p->mb.cols, SHARED_COLS), nr) * nr;
    const int64_t fit = SHARED_BYTES / (wide * packed_bytes(p->gemm, p->gemm->kc));
    return vn__min(vn__max(fit, 1), vn__ceil_div(p->k, p->gemm->kc));
}

static void pack_unit(void *context, int64_t unit, int lane)
{
    const shared *s = context;
    const vn__gemm *g = s->p->gemm;
    const int64_t run = unit / s->panel_units, first = unit % s->panel_units * PANELS * g->nr, kc = vn__min(g->kc, s->ks - run * g->kc);
    const vn__matrix b =
        part(s->b, s->k + run * g->kc, s->j + first, kc, vn__min(PANELS * g->nr, s->nc - first), vn__native_bytes(s->p->b_dtype));
    (void)lane;
    g->pack_b[s->p->b_dtype](s->packed + run * s->run_bytes + first * packed_bytes(g, kc), &b);
}

static void block_unit(void *context, int64_t unit, int lane)
{
    const shared *s = context;
    const product *p = s->p;
    const int64_t i = unit % s->m_blocks * s->mc, first = unit / s->m_blocks * s->n_part;
    const int64_t element = (int64_t)vn__native_bytes(p->sums);
    char *pa = s->run->scratch + (size_t)lane * s->run->lane_bytes;
    char *c = s->c + (i * p->c_row + (s->j + first) * p->c_col) * element;
    for (int64_t k = 0; k < s->ks; k += p->gemm->kc) {
        const int64_t kc = vn__min(p->gemm->kc, s->ks - k);
        const vn__matrix a = part(s->a, i, s->k + k, vn__min(s->mc, s->a->rows - i), kc, vn__native_bytes(p->a_dtype));
        p->gemm->pack_a[p->a_dtype](pa, &a);
        p->gemm->block(pa, s->packed + k / p->gemm->kc * s->run_bytes + first * packed_bytes(p->gemm, kc), c, p->c_row, p->c_col, a.rows,
                       vn__min(s->n_part, s->nc - first), kc, s->k + k == 0);
    }
}

/* Cuts the results into units, at least `wanted` of them where there are enough. A unit packs its rows of a and reads its columns of b, each
 * of which pays only if there are many of the other: the longer side is cut first. */
static void cut_into_units(shared *s, int64_t rows, int64_t wanted)
{
    const vn__gemm *g = s->p->gemm;
    int64_t row_parts = vn__ceil_div(rows, g->mc), col_parts = 1;
    for (;;) {
        s->mc = vn__ceil_div(vn__ceil_div(rows, row_parts), g->mr) * g->mr;
        s->n_part = vn__ceil_div(vn__ceil_div(s->nc, col_parts), g->nr) * g->nr;
        if (row_parts * col_parts >= wanted) break;
        if (s->n_part > vn__max(2 * s->mc, g->nr)) col_parts *= 2;
        else if (s->mc > 4 * g->mr) row_parts *= 2;
        else break;
    }
    s->m_blocks = vn__ceil_div(rows, s->mc);
}

static void shared_product(const product *p, const vn__run *run, const vn__matrix *a, const vn__matrix *b, char *c, char *packed)
{
    const vn__gemm *g = p->gemm;
    shared s = {.p = p, .run = run, .a = a, .b = b, .c = c, .packed = packed};
    const int64_t wanted = 4 * (int64_t)run->lanes; /* more units than threads, so that a slow thread does not delay the others */
    const int64_t at_once = runs_at_once(p) * g->kc;
    for (s.j = 0; s.j < b->cols; s.j += SHARED_COLS)
        for (s.k = 0; s.k < a->cols; s.k += at_once) {
            s.nc = vn__min(SHARED_COLS, b->cols - s.j);
            s.ks = vn__min(at_once, a->cols - s.k);
            s.run_bytes = vn__ceil_div(s.nc, g->nr) * g->nr * packed_bytes(g, g->kc);
            s.panel_units = vn__ceil_div(s.nc, PANELS * g->nr);
            cut_into_units(&s, a->rows, wanted);
            vn__native_parallel(run->lanes, vn__ceil_div(s.ks, g->kc) * s.panel_units, pack_unit, &s);
            vn__native_parallel(run->lanes, s.m_blocks * vn__ceil_div(s.nc, s.n_part), block_unit, &s);
        }
}

/* ---- few rows ---- */

/* b is read once, so packing all of it first would move it through memory twice. Each thread takes columns: in place if they are contiguous,
 * otherwise packed into its own memory, which stays in its cache, and multiplied at once. */
typedef struct few {
    const product *p;
    const vn__run *run;
    const vn__matrix *a, *b;
    char *c;
} few;

static void few_columns(const few *f, int64_t unit, char *scratch)
{
    const product *p = f->p;
    const int64_t first = unit * FEW_COLS;
    const vn__matrix b = part(f->b, 0, first, f->b->rows, vn__min(FEW_COLS, f->b->cols - first), vn__native_bytes(p->b_dtype));
    char *c = f->c + first * p->c_col * (int64_t)vn__native_bytes(p->sums);
    if (b.col_stride == 1 && !must_pack(p)) small_product(p, f->a, &b, c, scratch);
    else packed_product(p, f->a, &b, c, scratch);
}

static void few_unit(void *context, int64_t unit, int lane)
{
    const few *f = context;
    few_columns(f, unit, f->run->scratch + (size_t)lane * f->run->lane_bytes);
}

/* On all threads, or on the calling one with its own scratch memory. */
static void few_product(few *f, char *alone)
{
    const int64_t units = vn__ceil_div(f->b->cols, FEW_COLS);
    if (!alone) vn__native_parallel(f->run->lanes, units, few_unit, f);
    for (int64_t unit = 0; alone && unit < units; unit++) few_columns(f, unit, alone);
}

/* ---- batches ---- */

static int64_t offset_of(const vn__view *v, int64_t index)
{
    int64_t at = 0;
    for (int32_t r = v->rank - 1; r >= 0; r--) {
        at += index % v->dims[r] * v->strides[r];
        index /= v->dims[r];
    }
    return at;
}

typedef struct batch_job {
    const product *p;
    const vn__run *run;
} batch_job;

/* Computes product `index`, shared between threads unless a lane is given. */
static void one_product(const batch_job *j, int64_t index, int lane)
{
    const product *p = j->p;
    const vn__run *run = j->run;
    const int64_t element = (int64_t)vn__native_bytes(p->dtype);
    const bool cut = p->sums != p->dtype, alone = lane >= 0 || run->lanes == 1;
    vn__matrix a = p->ma, b = p->mb;
    a.data = data_of(p, run, p->a) + offset_of(&p->a_batch, index) * (int64_t)vn__native_bytes(p->a_dtype);
    b.data = data_of(p, run, p->b) + offset_of(&p->b_batch, index) * (int64_t)vn__native_bytes(p->b_dtype);
    char *out = run->slots[p->c] + index * p->m * p->n * element;
    char *scratch = run->scratch + (size_t)vn__max(lane, 0) * run->lane_bytes;
    char *sums = p->by_batch ? scratch + p->a_bytes + p->b_bytes : run->shared;
    char *c = cut ? sums : out;
    if (p->small) small_product(p, &a, &b, c, scratch);
    else if (p->few) few_product(&(few){p, run, &a, &b, c}, alone ? scratch : NULL);
    else if (alone) packed_product(p, &a, &b, c, scratch);
    else shared_product(p, run, &a, &b, c, run->shared + (cut ? vn__native_round64((size_t)(p->m * p->n) * 4) : 0));
    if (cut) vn__native_isa->cast->cast[p->sums][p->dtype](out, c, c, p->m * p->n, NULL, 0);
}

static void batch_unit(void *context, int64_t unit, int lane)
{
    one_product(context, unit, lane);
}

static void run_products(const vn__kernel *kernel, const vn__run *run)
{
    const product *p = (const product *)kernel;
    batch_job j = {p, run};
    if (p->k == 0) {
        memset(run->slots[p->c], 0, (size_t)(p->batch * p->m * p->n) * vn__native_bytes(p->dtype));
    } else if (p->by_batch) {
        vn__native_parallel(run->lanes, p->batch, batch_unit, &j);
    } else {
        for (int64_t i = 0; i < p->batch; i++) one_product(&j, i, -1);
    }
}

/* ---- factors of several parts ---- */

/* GCOV_EXCL_BR_START: needs AMX, and coverage is measured at the level avx2; tests/ops/matmul_precision.c has them */

typedef struct check {
    const product *p;
    const vn__run *run;
    int64_t a_units, b_units; /* of one product */
    atomic_bool outside;
} check;

static void check_unit(void *context, int64_t unit, int lane)
{
    check *c = context;
    const product *p = c->p;
    const int64_t index = unit / (c->a_units + c->b_units), at = unit % (c->a_units + c->b_units);
    const bool of_a = at < c->a_units;
    const int64_t row = (of_a ? at : at - c->a_units) * CHECKED_ROWS, offset = offset_of(of_a ? &p->a_batch : &p->b_batch, index);
    vn__matrix x = of_a ? p->ma : p->mb;
    (void)lane;
    x.data = data_of(p, c->run, of_a ? p->a : p->b) + offset * (int64_t)sizeof(float);
    x = part(&x, row, 0, vn__min(CHECKED_ROWS, x.rows - row), x.cols, sizeof(float));
    if (!vn__native_isa->matmul->moderate(&x)) atomic_store_explicit(&c->outside, true, memory_order_relaxed);
}

/* One number that is not moderate makes all products exact, so that none depends on how they are shared between threads. */
static void run_parts(const vn__kernel *kernel, const vn__run *run)
{
    const product *p = (const product *)kernel;
    check c = {.p = p, .run = run, .a_units = vn__ceil_div(p->ma.rows, CHECKED_ROWS), .b_units = vn__ceil_div(p->mb.rows, CHECKED_ROWS)};
    vn__native_parallel(run->lanes, p->batch * (c.a_units + c.b_units), check_unit, &c);
    run_products(atomic_load(&c.outside) ? &p->exact->kernel : kernel, run);
}
/* GCOV_EXCL_BR_STOP */

/* ---- complex numbers ---- */

#define EXPAND(tag, T)                                              \
    /* x: n complex numbers; z: x, followed by x times i */         \
    static void expand_##tag(void *to, const void *from, int64_t n) \
    {                                                               \
        T *z = to, *rotated = z + 2 * n;                            \
        const T *x = from;                                          \
        for (int64_t j = 0; j < n; j++) {                           \
            z[2 * j] = rotated[2 * j + 1] = x[2 * j];               \
            z[2 * j + 1] = x[2 * j + 1];                            \
            rotated[2 * j] = -x[2 * j + 1];                         \
        }                                                           \
    }
EXPAND(f32, float)
EXPAND(f64, double)

static void expand_unit(void *context, int64_t unit, int lane)
{
    const batch_job *j = context;
    const product *p = j->p;
    const int64_t n = p->n / 2, element = (int64_t)vn__native_bytes(p->dtype);
    const char *from = j->run->slots[p->complex_b];
    char *to = j->run->shared + p->expanded;
    (void)lane;
    for (int64_t row = unit * EXPANDED_ROWS; row < vn__min(p->b_rows, (unit + 1) * EXPANDED_ROWS); row++)
        (p->dtype == VN_F64 ? expand_f64 : expand_f32)(to + row * 4 * n * element, from + row * 2 * n * element, n);
}

static void run_complex(const vn__kernel *kernel, const vn__run *run)
{
    const product *p = (const product *)kernel;
    batch_job j = {p, run};
    vn__native_parallel(run->lanes, vn__ceil_div(p->b_rows, EXPANDED_ROWS), expand_unit, &j);
    run_products(kernel, run);
}

/* ---- integers ---- */

static void integer_unit(void *context, int64_t unit, int lane)
{
    const batch_job *j = context;
    const product *p = j->p;
    const int64_t blocks = vn__ceil_div(p->m, INTEGER_ROWS), index = unit / blocks, row = unit % blocks * INTEGER_ROWS;
    const int64_t element = (int64_t)vn__native_bytes(p->dtype);
    const char *a = j->run->slots[p->a] + (offset_of(&p->a_batch, index) + row * p->k) * element;
    const char *b = j->run->slots[p->b] + offset_of(&p->b_batch, index) * element;
    char *c = j->run->slots[p->c] + (index * p->m + row) * p->n * element;
    (void)lane;
    vn__native_isa->matmul->integer[p->dtype](c, a, b, vn__min(INTEGER_ROWS, p->m - row), p->n, p->k);
}

static void run_integers(const vn__kernel *kernel, const vn__run *run)
{
    const product *p = (const product *)kernel;
    batch_job j = {p, run};
    vn__native_parallel(run->lanes, p->batch * vn__ceil_div(p->m, INTEGER_ROWS), integer_unit, &j);
}

/* ---- matrix times vector ---- */

/* Non-contiguous rows of a, or a non-contiguous vector, are copied to scratch memory. */
static void dot_unit(void *context, int64_t unit, int lane)
{
    const batch_job *j = context;
    const product *p = j->p;
    const int64_t blocks = vn__ceil_div(p->m, DOT_ROWS), index = unit / blocks, row = unit % blocks * DOT_ROWS;
    const int64_t element = (int64_t)vn__native_bytes(p->dtype), from = (int64_t)vn__native_bytes(p->a_dtype);
    const int64_t rows = vn__min(DOT_ROWS, p->m - row);
    char *x = j->run->scratch + (size_t)lane * j->run->lane_bytes, *lifted = x + vn__native_round64((size_t)(p->k * element));
    const char *a = j->run->slots[p->a] + (offset_of(&p->a_batch, index) + row * p->ma.row_stride) * from;
    const char *b = j->run->slots[p->b] + offset_of(&p->b_batch, index) * element;
    int64_t a_row = p->ma.row_stride;
    if (p->mb.row_stride != 1) {
        const vn__view v = {.rank = 1, .dims = {p->k}, .strides = {p->mb.row_stride}};
        vn__native_isa->copy->gather[element](x, b, b, p->k, &v, 0);
        b = x;
    }
    if (p->ma.col_stride != 1) {
        const vn__view v = {.rank = 2, .dims = {rows, p->k}, .strides = {p->ma.row_stride, p->ma.col_stride}};
        vn__native_isa->copy->gather[from](lifted, a, a, rows * p->k, &v, 0);
        a = lifted;
        a_row = p->k;
    }
    p->gemm->dot[p->a_dtype](j->run->slots[p->c] + (index * p->m + row) * element, a, a_row, b, rows, p->k);
}

static void run_dots(const vn__kernel *kernel, const vn__run *run)
{
    const product *p = (const product *)kernel;
    batch_job j = {p, run};
    vn__native_parallel(run->lanes, p->batch * vn__ceil_div(p->m, DOT_ROWS), dot_unit, &j);
}

static void explain(const vn__kernel *kernel, char *text, size_t capacity)
{
    const product *p = (const product *)kernel;
    char x[400], y[400];
    vn__native_describe(&p->x, x, sizeof x);
    vn__native_describe(&p->y, y, sizeof y);
    snprintf(text, capacity, "matmul %s %s%s", x, y, p->factors ? p->factors : ""); /* GCOV_EXCL_BR_LINE: no factors at the level avx2 */
}

/* ---- compiling ---- */

/* Splits an operand's view into its matrix and the batch it is repeated over. */
static void split(const vn__view *v, int32_t batch_rank, const int64_t *batch_dims, vn__matrix *matrix, vn__view *batch)
{
    const int32_t own = v->rank - 2;
    *matrix = (vn__matrix){NULL, v->dims[own], v->dims[own + 1], v->strides[own], v->strides[own + 1]};
    *batch = *v;
    batch->rank = own;
    vn__native_view_broadcast(batch, batch_rank, batch_dims);
}

/* (batch, m, k) (k, n) is one product of batch*m rows if a's rows are evenly spaced. */
static void fold_batch(product *p)
{
    vn__view rows = p->a_batch;
    if (p->batch <= 1 || rows.rank >= VN_MAX_RANK) return;
    for (int32_t r = 0; r < p->b_batch.rank; r++)
        if (p->b_batch.dims[r] != 1 && p->b_batch.strides[r] != 0) return;
    rows.dims[rows.rank] = p->m;
    rows.strides[rows.rank++] = p->ma.row_stride;
    vn__native_view_collapse(&rows);
    if (rows.rank != 1) return;
    p->m = p->ma.rows = rows.dims[0];
    p->ma.row_stride = rows.strides[0];
    p->batch = 1;
    p->a_batch.rank = p->b_batch.rank = 0;
}

/* Few columns: computes the transposed product instead, so that vectors run along the longer axis. */
static void transpose(product *p)
{
    p->c_row = p->n;
    p->c_col = 1;
    if (p->n >= p->gemm->nr || p->n >= p->m) return;
    const vn__matrix a = p->ma, b = p->mb;
    p->ma = (vn__matrix){NULL, b.cols, b.rows, b.col_stride, b.row_stride};
    p->mb = (vn__matrix){NULL, a.cols, a.rows, a.col_stride, a.row_stride};
    p->c_row = 1;
    p->c_col = p->n;
    const int32_t storage = p->a, dtype = p->a_dtype;
    const vn__view batch = p->a_batch;
    p->a = p->b;
    p->a_dtype = p->b_dtype;
    p->b = storage;
    p->b_dtype = dtype;
    p->a_batch = p->b_batch;
    p->b_batch = batch;
}

static double work_of(const product *p)
{
    return (double)p->m * (double)p->n * (double)p->k;
}

static void set_sizes(product *p)
{
    const double work = work_of(p);
    const int64_t cols = p->mb.cols, nr = p->gemm->nr, packed = packed_bytes(p->gemm, p->gemm->kc);
    p->by_batch = p->batch > 1 && (work <= PARALLEL || p->batch >= 16);
    p->few = p->ma.rows <= FEW_ROWS;
    p->small = work <= (p->few ? FEW_PARALLEL : SMALL) && !must_pack(p);
    p->kernel.parallel = (p->by_batch ? (double)p->batch * work : work) > (p->few ? FEW_PARALLEL : PARALLEL);
    const int64_t wide = p->few ? FEW_COLS : LANE_COLS;
    p->a_bytes = vn__native_round64((size_t)((p->gemm->mc + p->gemm->mr) * packed));
    p->b_bytes = vn__native_round64((size_t)(vn__ceil_div(vn__min(cols, wide), nr) * nr * packed));
    const size_t sums = p->sums != p->dtype ? vn__native_round64((size_t)(p->m * p->n) * 4) : 0;
    if (p->small) { /* one panel of b */
        p->a_bytes = vn__native_round64((size_t)(nr * packed));
        p->b_bytes = 0;
    }
    p->kernel.lane_bytes = p->a_bytes + p->b_bytes + (p->by_batch ? sums : 0);
    if (p->by_batch) return;
    p->kernel.shared_bytes = sums;
    if (p->kernel.parallel && !p->few)
        p->kernel.shared_bytes += (size_t)(runs_at_once(p) * vn__ceil_div(vn__min(cols, SHARED_COLS), nr) * nr * packed);
}

/* Products of bfloat16 arrays, and float32 ones of a less exact mode, use what the processor has for them if they are large enough. */
static int choose_factors(vn__graph *g, product *p)
{
    static const char *const words[] = {[VN_PRECISION_SPLIT] = ", in three bfloat16 parts",
                                        [VN_PRECISION_FAST] = ", in two bfloat16 parts",
                                        [VN_PRECISION_BF16] = ", rounded to bfloat16"};
    const bool bf16 = p->dtype == VN_BF16 && p->a_dtype == VN_BF16 && p->b_dtype == VN_BF16;
    const uint32_t mode = bf16 ? VN_PRECISION_BF16 : p->dtype == VN_F32 ? g->exe->program->precision : VN_PRECISION_EXACT;
    if (work_of(p) <= SMALL || p->m < ROUNDED_SIDE || p->n < ROUNDED_SIDE) return VN_OK;
    const vn__gemm *rounded = vn__native_rounded(mode);
    /* GCOV_EXCL_BR_START: the level avx2, which coverage is measured at, has none; tests/ops/matmul_precision.c has them */
    if (!rounded) return VN_OK;
    if (mode != VN_PRECISION_BF16) {
        product *exact = vn__native_arena_get(&g->exe->arena, sizeof *exact);
        if (!exact) return vn__native_no_memory();
        *exact = *p;
        transpose(exact);
        set_sizes(exact);
        p->exact = exact;
        p->kernel.run = run_parts;
    }
    p->gemm = rounded;
    p->factors = bf16 ? NULL : words[mode];
    /* GCOV_EXCL_BR_STOP */
    return VN_OK;
}

/* Sets up the product of two row-major complex operands as a real one. */
static void make_real(product *p)
{
    p->dtype = p->sums = p->a_dtype = p->b_dtype = p->dtype == VN_C64 ? VN_F32 : VN_F64;
    p->complex_b = p->b;
    p->b = EXPANDED;
    p->b_rows = p->n > 0 ? p->y.count / p->n : 0;
    p->n *= 2;
    p->k *= 2;
    p->ma = (vn__matrix){NULL, p->m, p->k, p->k, 1};
    p->mb = (vn__matrix){NULL, p->k, p->n, p->n, 1};
    for (int32_t r = 0; r < p->a_batch.rank; r++) p->a_batch.strides[r] *= 2;
    for (int32_t r = 0; r < p->b_batch.rank; r++) p->b_batch.strides[r] *= 4;
}

int vn__native_lower_matmul(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses)
{
    const native_node *node = &g->nodes[g->groups[group].first];
    const vn_desc *c = &g->values[node->out].desc;
    product *p = vn__native_arena_get(&g->exe->arena, sizeof *p);
    if (!p) return vn__native_no_memory();
    vn__view x, y;
    vn__native_operand_view(g, node, 0, &x);
    vn__native_operand_view(g, node, 1, &y);
    split(&x, c->rank - 2, c->dims, &p->ma, &p->a_batch);
    split(&y, c->rank - 2, c->dims, &p->mb, &p->b_batch);
    p->dtype = c->dtype;
    p->sums = vn__native_is_half(c->dtype) ? VN_F32 : vn__native_bytes(c->dtype) < 4 ? VN_I32 : c->dtype;
    p->m = p->ma.rows;
    p->n = p->mb.cols;
    p->k = p->ma.cols;
    p->batch = p->m > 0 && p->n > 0 ? c->count / (p->m * p->n) : 0;
    p->x = g->values[node->instr->in[0]].desc;
    p->y = g->values[node->instr->in[1]].desc;
    p->a = g->values[node->in[0].value].storage;
    p->b = g->values[node->in[1].value].storage;
    p->c = g->values[node->out].storage;
    p->a_dtype = g->values[node->in[0].value].desc.dtype;
    p->b_dtype = g->values[node->in[1].value].desc.dtype;
    p->kernel.explain = explain;
    *out = &p->kernel;
    const bool integers = (VN_BIT(p->dtype) & VN_INTS) != 0;
    if (integers && !vn__native_isa->matmul->narrow.pack_a[p->a_dtype]) {
        p->kernel.run = run_integers;
        p->kernel.parallel = (double)c->count * (double)p->k > PARALLEL / 4;
        return vn__native_node_uses(g, node, uses);
    }
    const bool complex = (VN_BIT(p->dtype) & VN_COMPLEX) != 0;
    if (complex) make_real(p);
    p->kernel.run = complex ? run_complex : run_products;
    if (integers) p->gemm = vn__native_narrow();
    else p->gemm = p->dtype == VN_F64 ? &vn__native_isa->matmul->f64 : &vn__native_isa->matmul->f32;
    fold_batch(p);
    if (p->n == 1 && p->k >= MIN_DOT && p->gemm->dot[p->a_dtype] && p->sums == p->dtype) {
        const size_t element = vn__native_bytes(p->dtype);
        p->kernel.run = run_dots;
        p->kernel.parallel = (double)c->count * (double)p->k > PARALLEL / 8;
        if (p->mb.row_stride != 1 || p->ma.col_stride != 1) p->kernel.lane_bytes = vn__native_round64((size_t)p->k * element);
        if (p->ma.col_stride != 1) p->kernel.lane_bytes += vn__native_round64((size_t)(DOT_ROWS * p->k) * element);
        return vn__native_node_uses(g, node, uses);
    }
    const int code = complex || integers ? VN_OK : choose_factors(g, p);
    if (code) return code;
    transpose(p);
    set_sizes(p);
    if (p->exact) { /* GCOV_EXCL_BR_LINE: factors of several parts need AMX */
        p->kernel.lane_bytes = vn__max(p->kernel.lane_bytes, p->exact->kernel.lane_bytes);
        p->kernel.shared_bytes = vn__max(p->kernel.shared_bytes, p->exact->kernel.shared_bytes);
    }
    if (complex) {
        p->expanded = vn__native_round64(p->kernel.shared_bytes);
        p->kernel.shared_bytes = p->expanded + (size_t)(p->b_rows * 2 * p->n) * vn__native_bytes(p->dtype);
    }
    return vn__native_node_uses(g, node, uses);
}
