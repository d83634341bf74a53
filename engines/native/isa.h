/* SPDX-License-Identifier: Apache-2.0 */
/* isa.h: the interface of the hot loops.
 *
 * The files in isa/ are compiled once per instruction-set level with VN_ISA set to its name, and each defines one table per level.
 * cpu.c selects a level when the engine opens. Results have the same bits at every level, except that matmul and conv may differ between
 * levels with and without fused multiply-add, and so may products of bfloat16 and less exact ones (vn_matmul_precision) between any two. */
#ifndef VN_NATIVE_ISA_H
#define VN_NATIVE_ISA_H

#include <stdbool.h>

#include "base/minmax.h"
#include <vinea/types.h>

enum { VN_STEP_DTYPES = VN_DTYPE_END };

static inline int64_t vn__ceil_div(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

#define THRESHOLDS_SHARED
#include "thresholds.h"
#undef THRESHOLDS_SHARED

/* One step of a fused kernel over n elements. d may equal the address of an operand with elements of the same size, but must not
 * partly overlap one. `aux` is the third operand; or a view, read from element `start` on, for steps that do not read their operand
 * in order; or the op's first option, an int64_t. */
typedef void (*vn__step_fn)(void *d, const void *a, const void *b, int64_t n, const void *aux, int64_t start);

/* The elementwise ops, numbered. */
enum {
#define UNARY(name, ints, floats) VN_EW_##name,
#define UNARY_FLOAT(name, floats) VN_EW_##name,
#define UNARY_RARE(name, rare, usual, any) VN_EW_##name,
#define UNARY_ORDER(name, floats) VN_EW_##name,
#define UNARY_FLAG(name, floats, flagged) VN_EW_##name,
#define BINARY(name, ints, floats) VN_EW_##name,
#define BINARY_FLOAT(name, floats) VN_EW_##name,
#define BINARY_EACH(name, floats) VN_EW_##name,
#define BITS(name, ints) VN_EW_##name,
#define TEST(name, ints, floats) VN_EW_##name,
#define COMPARE(name, expression) VN_EW_##name,
#define SELECT(name, expression) VN_EW_##name,
#define COMPLEX(name) VN_EW_##name,
#include "ops.def"
    VN_EW_COUNT
};

/* A view of an array: element i0, i1, ... is at `offset` + i0*strides[0] + i1*strides[1] + ..., in elements. */
typedef struct vn__view {
    int32_t rank;
    int64_t offset;
    int64_t dims[VN_MAX_RANK], strides[VN_MAX_RANK];
} vn__view;

enum { VN_VEC_VEC, VN_VEC_SCALAR, VN_SCALAR_VEC, VN_SHAPES }; /* which of x and y have one element */

typedef struct vn__elementwise_table {
    vn__step_fn op[VN_EW_COUNT][VN_STEP_DTYPES][VN_SHAPES]; /* by dtype of x; unary ops use the first shape */
} vn__elementwise_table;

/* Casts between registers, where half precision is float. The F16 and BF16 entries convert from and to memory. */
typedef struct vn__cast_table {
    vn__step_fn cast[VN_STEP_DTYPES][VN_STEP_DTYPES];
    vn__step_fn round[VN_STEP_DTYPES]; /* F16, BF16: rounds floats to that precision */
    vn__step_fn odd[VN_STEP_DTYPES];   /* I32, U32, I64, U64, F64: to float, rounded to odd, so that rounding again is rounding once */
} vn__cast_table;

enum { VN_MAX_BYTES = 16 }; /* of the largest element */
typedef struct vn__copy_table {
    vn__step_fn gather[VN_MAX_BYTES + 1]; /* by bytes per element: elements start .. start+n of the view aux, in row-major order */
    vn__step_fn splat[VN_MAX_BYTES + 1];  /* the one element at a, n times */
    vn__step_fn copy[VN_MAX_BYTES + 1];
    /* The inverse of gather: writes n elements in row-major order into the view. */
    void (*scatter[VN_MAX_BYTES + 1])(void *to, const void *from, const vn__view *view, int64_t start, int64_t n);
    /* to[r][c] = from[c][r] for a tile of at most VN_TRANSPOSE_TILE x VN_TRANSPOSE_TILE; strides in elements. */
    void (*transpose[VN_MAX_BYTES + 1])(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t rows, int64_t cols);
} vn__copy_table;

/* Reductions. A row is reduced in VN_REDUCE_LANES interleaved lanes, which are then folded pairwise; shorter rows are reduced
 * sequentially; so the result depends only on the row. Types of sums: VN_F32, VN_F64, VN_I64, VN_U64 and complex numbers; of max and min,
 * where NaN wins: all real ones but half precision. */
typedef enum vn__reduction { VN_SUM, VN_MAX, VN_MIN, VN_REDUCTIONS } vn__reduction;
typedef struct vn__reduce_table {
    struct vn__reduce_fns {
        void (*rows)(void *out, const void *x, int64_t n_rows, int64_t length); /* out[r] = row r */
        void (*begin)(void *to, int64_t n);                                     /* the results of n empty reductions */
        void (*lanes)(void *lanes, const void *x, int64_t n);                   /* adds x[i] to lanes[i % 64] */
        void (*fold)(void *out, void *lanes);                                   /* out = all lanes */
        void (*columns)(void *to, const void *x, int64_t n_rows, int64_t n);    /* adds x[r][j] to to[j] */
    } of[VN_REDUCTIONS][VN_STEP_DTYPES];
    /* Cumulative sums of `length` rows of n elements, `stride` elements apart; z may be x. n: at most VN_RUNNING_COLUMNS numbers. */
    void (*running[VN_STEP_DTYPES])(void *z, const void *x, int64_t length, int64_t n, int64_t stride);
} vn__reduce_table;

/* A matrix as matmul sees it: strides in elements. */
typedef struct vn__matrix {
    const void *data;
    int64_t rows, cols, row_stride, col_stride;
} vn__matrix;

/* Register-blocked matrix products of one level and type. Products are added sequentially over k in blocks of
 * kc, then the blocks sequentially, whatever the tiling, the strides or the number of threads. */
typedef struct vn__gemm {
    int64_t mr, nr, mc;    /* tile, and rows of a packed block of a */
    int64_t kc;            /* products added up before they join a result: VN_MATMUL_KC, or as many as the less exact ones like */
    int64_t group, packed; /* elements along k that are packed together, and the bytes they take */
    /* Packs k x n of b (from memory type `dtype`) into panels of nr columns, rounded up with zeros. */
    void (*pack_b[VN_STEP_DTYPES])(void *to, const vn__matrix *b);
    void (*pack_a[VN_STEP_DTYPES])(void *to, const vn__matrix *a); /* m x k into panels of mr rows */
    /* c (+)= a b for packed blocks: m <= mc, k <= kc, any n. `first` stores, otherwise adds. */
    void (*block)(const void *a, const void *b, void *c, int64_t c_row, int64_t c_col, int64_t m, int64_t n, int64_t k, int first);
    /* The same for operands in place: k <= kc, b's columns adjacent and readable up to a multiple of nr. */
    void (*direct)(const vn__matrix *a, const vn__matrix *b, void *c, int64_t c_row, int64_t c_col, int first);
    /* Matrix (from memory type `dtype`) times vector, with its own order of summation: c[i] = row i of a, of k adjacent elements, times x. */
    void (*dot[VN_STEP_DTYPES])(void *c, const void *a, int64_t a_row, const void *x, int64_t rows, int64_t k);
} vn__gemm;

/* The compiler knows the instructions of AMX. */
#if defined(__x86_64__)
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define VN_KNOWS_TILES 1
#endif
#endif

typedef struct vn__matmul_table {
    vn__gemm f32, f64;
    /* Only packed blocks, and only where vn__native_rounded gives them. bf16: factors are bfloat16 or rounded to it. tiles[n - 1]: the same,
     * and float32 factors as sums of n bfloat16 numbers, all of them moderate if n > 1: infinity times a part that is 0 would be NaN. */
    vn__gemm bf16, tiles[3];
    bool (*moderate)(const vn__matrix *x); /* float32: no NaN, no infinity, nothing so large or small that products of parts would be */
    /* Integers of 8 and 16 bits, added up in 32 bits; only packed blocks. dot: the same for processors with AVX512_VNNI. */
    vn__gemm narrow, dot;
    /* Wider integers: c (m x n, row-major) = a b, everything row-major. */
    void (*integer[VN_STEP_DTYPES])(void *c, const void *a, const void *b, int64_t m, int64_t n, int64_t k);
} vn__matmul_table;

/* Random numbers: z[i] for elements start .. start+n, start a multiple of 4, before scaling; key as the op defines it. */
typedef void (*vn__random_fn)(void *z, const uint64_t key[2], int64_t start, int64_t n);
typedef struct vn__random_table {
    vn__random_fn uniform_f32, uniform_f64, normal_f32, normal_f64;
    /* z = a + (b - a) * z, clamped below b; a and b have one element or n. */
    void (*between_f32)(float *z, const float *a, const float *b, int a_one, int b_one, int64_t n);
    void (*between_f64)(double *z, const double *a, const double *b, int a_one, int b_one, int64_t n);
    /* z = a + b * z */
    void (*scaled_f32)(float *z, const float *a, const float *b, int a_one, int b_one, int64_t n);
    void (*scaled_f64)(double *z, const double *a, const double *b, int a_one, int b_one, int64_t n);
} vn__random_table;

/* Random numbers of other distributions: z[i] for elements start .. start+n, start a multiple of 4, with parameters a[i] and b[i]. */
typedef struct vn__sample {
    void *z;
    const uint64_t *key;
    uint64_t block; /* bits: the first block */
    int64_t start, n;
    const void *a, *b;
} vn__sample;
typedef void (*vn__sample_fn)(const vn__sample *sample);
typedef struct vn__sample_table {
    vn__sample_fn bits_u32, bits_u64, randint_i64, randint_u64;                /* parameters have the result's type */
    vn__sample_fn bernoulli, poisson, binomial;                                /* doubles to bool, to int64 */
    vn__sample_fn truncated_normal, exponential, gumbel, laplace, gamma, beta; /* doubles */
    void (*split)(uint64_t *keys, const uint64_t key[2], int64_t n);           /* n pairs */
    void (*fold)(uint64_t *keys, const uint64_t key[2], const uint64_t *data, int64_t n);
    /* A row of n weights, in place: from logits; all 0 if they are invalid; as cumulative sums. */
    void (*exponentiate)(double *logits, int64_t n);
    void (*disarm)(double *weights, int64_t n);
    void (*accumulate)(double *weights, int64_t n);
    void (*choose)(const vn__sample *sample, int64_t population, int64_t samples); /* indices (rows, samples); a: sums (rows, population) */
    vn__sample_fn race; /* the arrival time of each weight a, -1: never; z may be a */
} vn__sample_table;

/* Inner loops of factorisations, on rows of contiguous elements; scalars are passed in double precision. */
typedef void (*vn__update_fn)(void *c, int64_t c_row, const void *a, int64_t a_row, int64_t a_col, const void *b, int64_t b_row, int64_t m,
                              int64_t n, int64_t k);
#define VN_LINALG_FNS(name, scalar)                                                                                      \
    typedef struct name {                                                                                                \
        /* c -= a b for m x n results of k products each, added sequentially. Row strides of c and b may be negative. */ \
        vn__update_fn update;                                                                                            \
        vn__update_fn update_conj;                                               /* with a's conjugates */               \
        void (*subtract)(void *y, const void *x, scalar factor, int64_t n);      /* y -= factor x */                     \
        void (*rotate)(void *x, void *y, double cosine, scalar sine, int64_t n); /* x, y = c x - conj(s) y, s x + c y */ \
        scalar (*dot)(const void *x, const void *y, int64_t n);                  /* the sum of conj(x) y */              \
    } name;
VN_LINALG_FNS(vn__linalg_fns, double)
VN_LINALG_FNS(vn__linalg_complex_fns, double _Complex)
typedef struct vn__linalg_table {
    vn__linalg_fns f32, f64;
    vn__linalg_complex_fns c64, c128;
} vn__linalg_table;

/* Fourier transforms. Planes are real and imaginary parts of `lanes` lines of n elements, (n, lanes); lines are of pairs, elements `step`
 * and lines `lane_step` pairs apart. */
typedef struct vn__fft_table {
    struct vn__fft_fns {
        void (*load)(void *const planes[2], const void *lines, int64_t n, int64_t step, int64_t lanes, int64_t lane_step);
        void (*store)(void *lines, int64_t n, int64_t step, int64_t lanes, int64_t lane_step, void *const planes[2], double scale);
        /* One pass of radix r, of m groups of r times s elements, with roots of unity w; roots: those of order r, if r is not 2 to 5. */
        void (*pass)(void *const y[2], void *const x[2], const void *w, const void *roots, int64_t r, int64_t m, int64_t s);
        /* Multiplies element k of lane l by coarse[k] fine[k][l]: pairs, and VN_FFT_LANES real then as many imaginary parts. */
        void (*twist)(void *const planes[2], const double *coarse, const double *fine, int64_t n, int64_t lanes);
        /* z = x w scale; imaginary parts are multiplied by a sign when x is read and when z is written. z may be x. */
        void (*times)(void *z, int64_t z_step, const void *x, int64_t x_step, const void *w, int64_t n, double x_sign, double z_sign,
                      double scale);
        /* From the transform of m pairs of real numbers to the first m + 1 elements of their own, in place; and back. w: roots of unity of
         * order 2m. */
        void (*halves)(void *line, const void *w, int64_t m);
        void (*whole)(void *line, const void *spectrum, const void *w, int64_t m);
        void (*widen)(void *z, int64_t z_step, const void *x, int64_t x_step, int64_t n); /* real parts, in numbers */
        void (*mirror)(void *line, const void *half, int64_t n); /* all n elements, n odd, of a spectrum from its first half */
    } f32, f64;
} vn__fft_table;

/* Recurrent layers: one row of a batch at one step, n the size of a state. */
typedef struct vn__recurrent_table {
    struct vn__recurrent_fns {
        /* gates: the input's contribution; residuals (4n): in, h times weight, out, the activated gates. c may be c_before. */
        void (*lstm)(void *h, void *c, void *residuals, const void *gates, const void *c_before, int64_t n);
        /* The cotangent of the gates (4n) from those of h and c and from the next step's cotangent of h; to_c: in, the next step's
         * cotangent of c, out, that of the previous c. */
        void (*lstm_backward)(void *gates_ct, void *to_c, const void *residuals, const void *c_before, const void *c, const void *ct_h,
                              const void *ct_c, const void *to_h, int64_t n);
        /* residuals (4n): in, h times weight (3n), out, r, z, n and the recurrent part of n. h may be h_before. */
        void (*gru)(void *h, void *residuals, const void *gates, const void *bias, const void *h_before, int64_t n);
        /* The cotangents of gates and of their recurrent part (3n each); to_h: in, the next step's cotangent of h, out, the part of
         * the previous h's cotangent that bypasses the gates. */
        void (*gru_backward)(void *gates_ct, void *recurrent_ct, void *to_h, const void *residuals, const void *h_before, const void *ct,
                             int64_t n);
    } f32, f64;
} vn__recurrent_table;

/* Attention: one query's scores s of n keys. */
typedef struct vn__attention_table {
    struct vn__attention_fns {
        /* s = s + mask, -inf where masked; returns in *top the largest of them and of *top; NaN wins. mask and top may be NULL. */
        void (*scores)(void *s, int64_t n, const void *mask, int64_t mask_step, int mask_is_bool, void *top);
        /* s = exp(s - top), 0 where top is -inf; adds their sum to *total */
        void (*weigh)(void *s, int64_t n, const void *top, void *total);
        /* x = x exp(before - now), to rescale sums to a new top */
        void (*fade)(void *x, int64_t n, const void *before, const void *now);
        /* x = x / total, unchanged if total is 0 */
        void (*divide)(void *x, int64_t n, const void *total);
        /* d = scale p (d - x y), x y the inner product of m elements; 0 where p is 0 */
        void (*slopes)(void *d, const void *p, int64_t n, const void *x, const void *y, int64_t m, double scale);
    } f32, f64;
} vn__attention_table;

/* Positions of a window: coordinates along three axes for tap 0, sizes of the axes, and byte offsets of their rows. */
typedef struct vn__row_block {
    const int64_t *at[3];
    int64_t shift[3], limit[3];
    const int64_t *offset;
} vn__row_block;

/* Convolutions. Rows of channels are given by pointers, `rows[tap * stride + position]`; rows outside the source point to
 * zeros. Sums run over taps, then channels. `first` stores, otherwise adds. */
typedef struct vn__conv_fns {
    /* Row to[i] of n <= nr elements from element `at` on (+)= the sum over taps of rows[tap][i] (`length` elements) times the
     * panel w[tap] + `panel`, packed as vn__gemm's pack_b does. */
    void (*carry)(void *const *to, int64_t at, const void *const *rows, int64_t stride, const void *const *w, int64_t panel, int64_t taps,
                  int64_t length, int64_t m, int64_t n, int first);
    /* c (channels x n <= nr, c_row apart) += the sum over k positions of rows[p] from element `at` on, times row p of a
     * packed panel. */
    void (*filter)(void *c, int64_t c_row, const void *const *rows, int64_t at, int64_t channels, const void *panel, int64_t k, int64_t n);
    /* Depthwise: to[i][c] (+)= the sum over taps of rows[tap][i][c] * w[tap][c]. */
    void (*depthwise)(void *const *to, const void *const *rows, int64_t stride, const void *const *w, int64_t taps, int64_t channels,
                      int64_t m, int first);
    /* w[tap][c] += the sum over m positions of rows[tap][i][c] * y[i][c]; y is m x channels. */
    void (*depthwise_filter)(void *w, const void *const *rows, int64_t stride, const void *y, int64_t taps, int64_t channels, int64_t m);
} vn__conv_fns;

/* The same in plain loops, for integers, and for groups of few channels. Filters of a tap are [c, o] with the groups
 * adjacent in o. */
typedef struct vn__plain_conv {
    int64_t groups, c, o; /* channels of one group */
} vn__plain_conv;
typedef struct vn__plain_fns {
    void (*forward)(const vn__plain_conv *p, void *const *to, const void *const *rows, int64_t stride, const void *const *w, int64_t taps,
                    int64_t m, int first);
    void (*input)(const vn__plain_conv *p, void *const *to, const void *const *rows, int64_t stride, const void *const *w, int64_t taps,
                  int64_t m, int first);
    void (*filter)(const vn__plain_conv *p, void *w, const void *const *rows, const void *y, int64_t m); /* of one tap; adds */
} vn__plain_fns;

typedef struct vn__conv_table {
    /* to[i] = data + offset of position i, or `outside` if a coordinate is out of range. */
    void (*rows)(const void **to, const vn__row_block *block, int64_t n, const void *data, const void *outside);
    vn__conv_fns f32, f64;
    vn__plain_fns plain[VN_STEP_DTYPES];
} vn__conv_table;

/* Pooling, on rows of `n` channels; rows[tap * stride + position] is NULL outside the source. */
typedef struct vn__pool_table {
    struct vn__pool_fns {
        void (*max)(void *const *to, const void *const *rows, int64_t stride, int64_t taps, int64_t m, int64_t n);
        /* The same (unless to[i] is NULL), and the number (from `numbers`) of the row with the first maximum, -1 if there is none, stored
         * in row at[i] of index, whose rows have n elements. */
        void (*first_max)(void *const *to, int64_t *index, const int64_t *at, const void *const *rows, const int32_t *numbers,
                          int64_t stride, int64_t taps, int64_t m, int64_t n);
        void (*sum)(void *const *to, const void *const *rows, int64_t stride, int64_t taps, int64_t m, int64_t n);
        /* Adds element c of row i of y to element c of row index[i][c] of z, which has `rows` rows; others are skipped. All rows
         * are `row` elements apart. */
        void (*scatter)(void *z, int64_t rows, const int64_t *index, const void *y, int64_t row, int64_t m, int64_t n);
    } of[VN_STEP_DTYPES];
} vn__pool_table;

/* Kernels on rows. Sums use lanes as reductions do, chunk by chunk. */
typedef struct vn__rows_table {
    struct vn__rows_fns {
        /* z = e^(x - top), and their total, for n up to a chunk; z may be x, or NULL: only the total. No x is larger than the top. */
        void (*weigh)(void *z, const void *x, int64_t n, const void *top, void *total);
        /* The gradient of softmax with result z for the cotangent ct, z (ct - sum(ct z)); and of log_softmax, ct - e^z sum(ct). d may be
         * either. */
        void (*softmax_backward)(void *d, const void *z, const void *ct, int64_t n);
        void (*log_softmax_backward)(void *d, const void *z, const void *ct, int64_t n);
        /* z = (x - mean) / sqrt(variance + epsilon) weight + bias, of which the last two may be NULL; not centred: a mean of 0. */
        void (*normalise)(void *z, const void *x, int64_t n, const void *weight, const void *bias, double epsilon, int centred);
        /* The gradient of that for x and the cotangent ct of z. d may be x or ct. */
        void (*normalise_backward)(void *d, const void *x, const void *ct, int64_t n, const void *weight, double epsilon, int centred);
    } f32, f64;
} vn__rows_table;

/* Adam's step of n elements: from w, g, m and v to the new w, m and v, each of which may be in place. rate and scale have the
 * kernel's type. */
typedef struct vn__adam_step {
    double beta1, beta2, epsilon;
} vn__adam_step;
typedef void (*vn__adam_fn)(void *const to[3], const void *const from[4], int64_t n, const void *rate, const void *scale,
                            const vn__adam_step *step);
typedef struct vn__adam_table {
    vn__adam_fn f32, f64;
} vn__adam_table;

/* All tables. Those of the first list use instructions that the compiler's vectors do not have: fused multiply-add, shuffles, half precision. Those
 * of the second gain from wider vectors only, so a level with the baseline's width uses the baseline's. Those of the third gain nothing at the
 * widest level, which uses the level below. */
#define VN_ISA_SPECIAL(X, level) \
    X(cast, level)               \
    X(copy, level)               \
    X(matmul, level)             \
    X(conv, level)
#define VN_ISA_WIDE(X, level) \
    X(elementwise, level)     \
    X(reduce, level)          \
    X(random, level)          \
    X(linalg, level)          \
    X(fft, level)             \
    X(recurrent, level)       \
    X(attention, level)       \
    X(rows, level)            \
    X(adam, level)
#define VN_ISA_NARROW(X, level) \
    X(sample, level)            \
    X(pool, level)
#define VN_ISA_TABLES(X, level) VN_ISA_SPECIAL(X, level) VN_ISA_WIDE(X, level) VN_ISA_NARROW(X, level)
#define VN_ISA_LEVELS(X) X(baseline) X(avx2) X(avx512) X(neon)

#define VN_ISA_DECLARE(table, level) extern const vn__##table##_table vn__native_##table##_##level;
#define VN_ISA_DECLARE_LEVEL(level) VN_ISA_TABLES(VN_ISA_DECLARE, level)
VN_ISA_LEVELS(VN_ISA_DECLARE_LEVEL)

/* One level. */
typedef struct vn__isa {
    const char *name;
#define VN_ISA_MEMBER(table, level) const vn__##table##_table *table;
    VN_ISA_TABLES(VN_ISA_MEMBER, )
    bool tiles; /* matmul's may be used */
} vn__isa;

#endif
