/* isa.h: what the hot loops offer to the rest of the native engine.
 *
 * The files in isa/ are compiled once per instruction-set level with VN_ISA set to its name, and each defines one table per level.
 * cpu.c picks a level when the engine opens. Every table gives the same bits at every level; only matmul may differ, between levels
 * with and without fused multiply-add. */
#ifndef VN_NATIVE_ISA_H
#define VN_NATIVE_ISA_H

#include <vinea/types.h>

enum { VN_STEP_DTYPES = VN_DTYPE_COUNT };

/* One step of a fused kernel over n elements. d may be the same address as an operand whose elements have its size, never partly
 * overlap. `aux` is the third operand, or, with `start` (the number of the first element), for steps that do not read their operand
 * in order. */
typedef void (*vn__step_fn)(void *d, const void *a, const void *b, int64_t n, const void *aux, int64_t start);

/* The elementwise ops, numbered. */
enum {
#define UNARY(name, ints, floats) VN_EW_##name,
#define UNARY_FLOAT(name, floats) VN_EW_##name,
#define UNARY_RARE(name, rare, usual, any) VN_EW_##name,
#define BINARY(name, ints, floats) VN_EW_##name,
#define BINARY_FLOAT(name, floats) VN_EW_##name,
#define TEST(name, ints, floats) VN_EW_##name,
#define COMPARE(name, expression) VN_EW_##name,
#define SELECT(name, expression) VN_EW_##name,
#define COMPLEX(name) VN_EW_##name,
#include "ops.def"
    VN_EW_COUNT
};

/* A view of an array: element i0, i1, ... lies i0*strides[0] + i1*strides[1] + ... elements after `offset`. */
typedef struct vn__view {
    int32_t rank;
    int64_t offset;
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK];
} vn__view;

enum { VN_VEC_VEC, VN_VEC_SCALAR, VN_SCALAR_VEC, VN_SHAPES }; /* which of x and y have one element */

typedef struct vn__elementwise_table {
    vn__step_fn op[VN_EW_COUNT][VN_STEP_DTYPES][VN_SHAPES]; /* by dtype of x; unary ops use the first shape */
} vn__elementwise_table;

/* Casts between registers, where halves are floats. F16 and BF16 rows and columns convert from and to the form in memory. */
typedef struct vn__cast_table {
    vn__step_fn cast[VN_STEP_DTYPES][VN_STEP_DTYPES];
    vn__step_fn round[VN_STEP_DTYPES]; /* F16, BF16: rounds floats to what the half can hold */
    vn__step_fn odd[VN_STEP_DTYPES];   /* I32, U32, I64, U64, F64: to float, rounded to odd, so that rounding again is rounding once */
} vn__cast_table;

enum { VN_TURN = 32, VN_MOST_BYTES = 16 }; /* edge of a tile; bytes of the largest element */
typedef struct vn__copy_table {
    vn__step_fn gather[VN_MOST_BYTES + 1]; /* by bytes per element: elements start .. start+n of the view aux, in row-major order */
    vn__step_fn splat[VN_MOST_BYTES + 1];  /* the one element at a, n times */
    vn__step_fn copy[VN_MOST_BYTES + 1];
    /* The inverse of gather: writes n elements in row-major order into the view. */
    void (*scatter[VN_MOST_BYTES + 1])(void *to, const void *from, const vn__view *view, int64_t start, int64_t n);
    /* to[r][c] = from[c][r] for a tile of at most VN_TURN x VN_TURN; strides in elements. */
    void (*turn[VN_MOST_BYTES + 1])(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows, int64_t cols);
} vn__copy_table;

/* Reductions. A row is reduced in VN_REDUCE_LANES interleaved lanes which are then folded in halves, rows shorter than that one
 * after the other; so the result depends on the row alone. Types of sums: VN_F32, VN_F64, VN_I64, VN_U64 and complex numbers; of
 * extremes, where nan wins: all real ones but the halves. */
enum { VN_REDUCE_LANES = 64 };
typedef enum vn__reduction { VN_SUM, VN_MAX, VN_MIN, VN_REDUCTIONS } vn__reduction;
typedef struct vn__reduce_table {
    struct vn__reduce_fns {
        void (*rows)(void *out, const void *x, int64_t n_rows, int64_t length); /* out[r] = row r */
        void (*begin)(void *to, int64_t n);                                     /* what n reductions of nothing are */
        void (*lanes)(void *lanes, const void *x, int64_t n);                   /* x[i] joins lanes[i % 64] */
        void (*fold)(void *out, void *lanes);                                   /* out = all lanes */
        void (*columns)(void *to, const void *x, int64_t n_rows, int64_t n);    /* x[r][j] joins to[j] */
    } of[VN_REDUCTIONS][VN_STEP_DTYPES];
    /* Running sums of `length` rows of n elements, one row `stride` elements after the other; z may be x. */
    void (*running[VN_STEP_DTYPES])(void *z, const void *x, int64_t length, int64_t n, int64_t stride);
} vn__reduce_table;

/* A matrix as matmul sees it: strides in elements. */
typedef struct vn__matrix {
    const void *data;
    int64_t rows, cols, row_stride, col_stride;
} vn__matrix;

/* Register-blocked matrix products of one level and type. Products are added one k after the other in runs of VN_MATMUL_KC, and
 * the runs one after the other, whatever the blocking, the strides or the number of threads. */
enum { VN_MATMUL_KC = 256 };
typedef struct vn__gemm {
    int64_t mr, nr, mc; /* tile, and rows of a packed block of a */
    /* Packs k x n of b (from memory type `dtype`) into panels of nr columns, rounded up with zeros. */
    void (*pack_b[VN_STEP_DTYPES])(void *to, const vn__matrix *b);
    void (*pack_a[VN_STEP_DTYPES])(void *to, const vn__matrix *a); /* m x k into panels of mr rows */
    /* c (+)= a b for packed blocks: m <= mc, k <= KC, any n. `first` stores, otherwise adds. */
    void (*block)(const void *a, const void *b, void *c, int64_t c_row, int64_t c_col, int64_t m, int64_t n, int64_t k, int first);
    /* The same for operands in place: k <= KC, b's columns adjacent and readable up to a multiple of nr. */
    void (*direct)(const vn__matrix *a, const vn__matrix *b, void *c, int64_t c_row, int64_t c_col, int first);
    /* Matrix times vector, in an order of its own: c[i] = row i of a, of k adjacent elements, times x. */
    void (*dot)(void *c, const void *a, int64_t a_row, const void *x, int64_t rows, int64_t k);
} vn__gemm;

typedef struct vn__matmul_table {
    vn__gemm f32, f64;
    /* Integers: c (m x n, row-major) = a b, everything row-major. */
    void (*integer[VN_STEP_DTYPES])(void *c, const void *a, const void *b, int64_t m, int64_t n, int64_t k);
} vn__matmul_table;

/* Random numbers: z[i] for elements start .. start+n, start a multiple of 4, before scaling; key as the op defines it. */
typedef void (*vn__random_fn)(void *z, const uint64_t key[2], int64_t start, int64_t n);
typedef struct vn__random_table {
    vn__random_fn uniform_f32, uniform_f64, normal_f32, normal_f64;
    /* z = a + (b - a) * z, kept below b; a and b have one element or n. */
    void (*between_f32)(float *z, const float *a, const float *b, int a_one, int b_one, int64_t n);
    void (*between_f64)(double *z, const double *a, const double *b, int a_one, int b_one, int64_t n);
    /* z = a + b * z */
    void (*scaled_f32)(float *z, const float *a, const float *b, int a_one, int b_one, int64_t n);
    void (*scaled_f64)(double *z, const double *a, const double *b, int a_one, int b_one, int64_t n);
} vn__random_table;

#define VN_ISA_TABLES(X, level) X(elementwise, level) X(cast, level) X(copy, level) X(reduce, level) X(matmul, level) X(random, level)
#define VN_ISA_LEVELS(X) X(baseline) X(avx2) X(avx512)

#define VN_ISA_DECLARE(table, level) extern const vn__##table##_table vn__native_##table##_##level;
#define VN_ISA_DECLARE_LEVEL(level) VN_ISA_TABLES(VN_ISA_DECLARE, level)
VN_ISA_LEVELS(VN_ISA_DECLARE_LEVEL)

/* One level. */
typedef struct vn__isa {
    const char *name;
    const vn__elementwise_table *elementwise;
    const vn__cast_table *cast;
    const vn__copy_table *copy;
    const vn__reduce_table *reduce;
    const vn__matmul_table *matmul;
    const vn__random_table *random;
} vn__isa;

#endif
