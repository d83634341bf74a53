/* rows.h: the ops this engine has (rows.c) and the emit functions that live elsewhere (shapes.c). */
#ifndef TENSORFLOW_ROWS_H
#define TENSORFLOW_ROWS_H

#include "build.h"

/* Every op this engine knows how to build, ended by {0}; and room for those that the loaded TensorFlow can compute. */
extern const vn_kernel_row all_rows[];
extern vn_kernel_row usable_rows[];

int emit_reshape(void *builder, const vn_program *program, const vn_instr *instr);
int emit_broadcast_to(void *builder, const vn_program *program, const vn_instr *instr);
int emit_permute_dims(void *builder, const vn_program *program, const vn_instr *instr);
int emit_slice(void *builder, const vn_program *program, const vn_instr *instr);
int emit_slice_set(void *builder, const vn_program *program, const vn_instr *instr);

/* Above this rank TensorFlow's slices and batched products have holes, and are built from pieces of lower rank. */
#define MAX_DIRECT_RANK 7

/* TensorFlow broadcasts along at most so many stretches of dims, after merging neighbours that are treated alike. */
#define MAX_STRETCHES 5

/* x of dims `from`, broadcast by NumPy's rule to `dims`. x has dtype after any lifting. */
TF_Output spread(builder *b, TF_Output x, int from_rank, const int64_t *from, int rank, const int64_t *dims);

#endif
