/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: the kernel table (kernels.c) and the emit functions in other files. */
#ifndef TENSORFLOW_ROWS_H
#define TENSORFLOW_ROWS_H

#include "build.h"

/* Every op this engine can build, terminated by {0}; and room for those that the loaded TensorFlow supports. */
extern const vn_kernel_row all_rows[];
extern vn_kernel_row usable_rows[];

/* Optional TensorFlow ops, NULL-terminated. */
extern const char *const optional_ops[];

/* arithmetic.c */
int emit_floor_divide(void *builder, const vn_program *program, const vn_instr *instr);
int emit_remainder(void *builder, const vn_program *program, const vn_instr *instr);
int emit_where(void *builder, const vn_program *program, const vn_instr *instr);
int emit_trunc(void *builder, const vn_program *program, const vn_instr *instr);
int emit_sign(void *builder, const vn_program *program, const vn_instr *instr);
int emit_erf(void *builder, const vn_program *program, const vn_instr *instr);
int emit_float_to_integer(void *builder, const vn_program *program, const vn_instr *instr); /* a cast */
int emit_logarithm(void *builder, const vn_program *program, const vn_instr *instr);

/* Do two arrays have the same shape? */
int same_dims(const vn_desc *x, const vn_desc *y);

/* gelu.c */
int emit_gelu(void *builder, const vn_program *program, const vn_instr *instr);

/* relu.c */
int emit_relu_backward(void *builder, const vn_program *program, const vn_instr *instr);

/* shapes.c */
int emit_reshape(void *builder, const vn_program *program, const vn_instr *instr);
int emit_broadcast_to(void *builder, const vn_program *program, const vn_instr *instr);
int emit_permute_dims(void *builder, const vn_program *program, const vn_instr *instr);
int emit_flip(void *builder, const vn_program *program, const vn_instr *instr);
int emit_slice(void *builder, const vn_program *program, const vn_instr *instr);
int emit_slice_set(void *builder, const vn_program *program, const vn_instr *instr);

/* index.c */
int emit_take(void *builder, const vn_program *program, const vn_instr *instr);
int emit_index_put(void *builder, const vn_program *program, const vn_instr *instr); /* index_add, index_set */
int emit_bincount(void *builder, const vn_program *program, const vn_instr *instr);
int emit_concat(void *builder, const vn_program *program, const vn_instr *instr);
int emit_stride(void *builder, const vn_program *program, const vn_instr *instr);

/* Concatenates arrays of one dtype along an axis. */
TF_Output build_concat(builder *b, int n, const TF_Output *parts, int axis);

/* sort.c */
int emit_argsort(void *builder, const vn_program *program, const vn_instr *instr);
int emit_topk(void *builder, const vn_program *program, const vn_instr *instr);
int emit_searchsorted(void *builder, const vn_program *program, const vn_instr *instr);
int emit_segment_extreme(void *builder, const vn_program *program, const vn_instr *instr); /* segment_max, segment_min */

/* conv.c, pool.c, maxpool.c */
int emit_conv(void *builder, const vn_program *program, const vn_instr *instr);
int emit_conv_input(void *builder, const vn_program *program, const vn_instr *instr);
int emit_conv_filter(void *builder, const vn_program *program, const vn_instr *instr);
int emit_max_pool(void *builder, const vn_program *program, const vn_instr *instr);
int emit_max_pool_backward(void *builder, const vn_program *program, const vn_instr *instr);
int emit_sum_pool(void *builder, const vn_program *program, const vn_instr *instr);
int emit_sum_pool_backward(void *builder, const vn_program *program, const vn_instr *instr);

/* linalg.c */
int emit_cholesky(void *builder, const vn_program *program, const vn_instr *instr);
int emit_solve_triangular(void *builder, const vn_program *program, const vn_instr *instr);
int emit_qr(void *builder, const vn_program *program, const vn_instr *instr);
int emit_eigh(void *builder, const vn_program *program, const vn_instr *instr);
int emit_eig_unordered(void *builder, const vn_program *program, const vn_instr *instr);
int emit_svd(void *builder, const vn_program *program, const vn_instr *instr);

/* fft.c */
int emit_dft(void *builder, const vn_program *program, const vn_instr *instr);
int emit_rdft(void *builder, const vn_program *program, const vn_instr *instr);
int emit_irdft(void *builder, const vn_program *program, const vn_instr *instr);

/* special.c */
int emit_bitwise(void *builder, const vn_program *program, const vn_instr *instr);
int emit_shift(void *builder, const vn_program *program, const vn_instr *instr);
int emit_test_of_parts(void *builder, const vn_program *program, const vn_instr *instr);
int emit_bitcast(void *builder, const vn_program *program, const vn_instr *instr);
int emit_signbit(void *builder, const vn_program *program, const vn_instr *instr);
int emit_nextafter(void *builder, const vn_program *program, const vn_instr *instr);
int emit_complex(void *builder, const vn_program *program, const vn_instr *instr);
int emit_tangent(void *builder, const vn_program *program, const vn_instr *instr);
int emit_hyperbolic_tangent(void *builder, const vn_program *program, const vn_instr *instr);
int emit_part(void *builder, const vn_program *program, const vn_instr *instr); /* real, imag */
int emit_polygamma(void *builder, const vn_program *program, const vn_instr *instr);
int emit_erfinv(void *builder, const vn_program *program, const vn_instr *instr);

/* adam.c */
int emit_adam_apply(void *builder, const vn_program *program, const vn_instr *instr);

/* softmax.c */
int emit_softmax(void *builder, const vn_program *program, const vn_instr *instr); /* softmax, log_softmax */

/* recurrent.c, attention.c */
int emit_lstm_sequence(void *builder, const vn_program *program, const vn_instr *instr);
int emit_lstm_backward(void *builder, const vn_program *program, const vn_instr *instr);
int emit_gru_sequence(void *builder, const vn_program *program, const vn_instr *instr);
int emit_gru_backward(void *builder, const vn_program *program, const vn_instr *instr);
int emit_attention(void *builder, const vn_program *program, const vn_instr *instr);
int emit_attention_backward(void *builder, const vn_program *program, const vn_instr *instr);

/* Above this rank some of TensorFlow's slice, select, reverse and batched matmul kernels are missing, and are composed from lower ranks. */
#define MAX_DIRECT_RANK 7

/* The most groups of dims that TensorFlow broadcasts, after merging adjacent dims that broadcast alike. */
#define MAX_STRETCHES 5

/* Operand k of an elementwise op, in dtype `inner`. If `flat` (from must_flatten), it is broadcast and flattened,
 * and elementwise_out restores the result's dims. `max_rank` is that of the kernels involved. */
int must_flatten(const builder *b, int max_rank);
TF_Output operand(builder *b, int k, int32_t inner, int flat);
int elementwise_out(builder *b, TF_Output y, int32_t inner, int flat);

/* x of dims `from`, broadcast by NumPy's rule to `dims`. x has dtype after any lifting. */
TF_Output spread(builder *b, TF_Output x, int from_rank, const int64_t *from, int rank, const int64_t *dims);

#endif
