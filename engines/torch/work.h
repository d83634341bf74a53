/* SPDX-License-Identifier: Apache-2.0 */
/* work.h: kernels of several steps. A running kernel owns the tensors it creates; the first error is sticky, and all later steps do nothing
 * and return NULL, so calls nest and one check at the end is enough. */
#ifndef VN_TORCH_WORK_H
#define VN_TORCH_WORK_H

#include "torch.h"

#define STORED_AS_SIGNED (VN_BIT(VN_U16) | VN_BIT(VN_U32) | VN_BIT(VN_U64))
#define WORK_TENSORS 64

typedef struct work {
    const vn_kernel_call *call;
    const recipe *r;
    int32_t dtype; /* of operands and constants */
    int code, n;
    tensor *made[WORK_TENSORS];
} work;

/* A step's arguments: tensors, and options instead of the instruction's. */
#define TENSORS(...) (tensor *const[]){__VA_ARGS__}, (int)(sizeof((tensor *const[]){__VA_ARGS__}) / sizeof(tensor *))
#define OPTIONS(...) (const vn_option[]){__VA_ARGS__}, (int)(sizeof((const vn_option[]){__VA_ARGS__}) / sizeof(vn_option))
#define NO_OPTIONS NULL, 0
#define INT(value)                                 \
    {                                              \
        .kind = VN_OPT_INT, .n = 0, .u.i = (value) \
    }
#define FLOAT(value)                                 \
    {                                                \
        .kind = VN_OPT_FLOAT, .n = 0, .u.f = (value) \
    }
#define INTS(n_, values)                                 \
    {                                                    \
        .kind = VN_OPT_INTS, .n = (n_), .u.is = (values) \
    }

work begin(const vn_kernel_call *call, const recipe *r);
int end(work *w, tensor *z);                   /* sets the result to z, which the kernel created */
int end_all(work *w, int n, tensor *const *z); /* the same for several results; NULL: unused */
int end_zeros(work *w);                        /* sets all results to zeros */
int end_with(work *w, vn_buf *z);              /* sets the result to z and takes ownership */
tensor *keep(work *w, tensor *t);              /* takes ownership of t, which is dropped at the end */
void forget(work *w, int mark);                /* drops tensors created since w->n was `mark` */

/* One op; the first three with the instruction's own options, the next two without any. `into` is for ops that write to a given tensor.
 */
tensor *apply(work *w, const torch_op *op, tensor *x);
tensor *apply2(work *w, const torch_op *op, tensor *x, tensor *y);
tensor *apply3(work *w, const torch_op *op, tensor *x, tensor *y, tensor *z);
tensor *unary(work *w, const torch_op *op, tensor *x);
tensor *binary(work *w, const torch_op *op, tensor *x, tensor *y);
tensor *with(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options);
void several(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options, int n_out, tensor **out);
void into(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options);

/* Input k, in a wider signed dtype if it is an unsigned one of 16 or 32 bits, or float32 if it is half precision; that becomes the work's
 * dtype. Such a kernel finishes with end_wide. */
tensor *operand(work *w, int k);
int end_wide(work *w, tensor *z);
tensor *as_result(work *w, int k, tensor *z);                         /* z, cast from the work's dtype to that of result k */
bool is_used(const work *w, int k);                                   /* is result k used? */
tensor *changed(work *w, tensor *x, const vn_desc *from, int32_t to); /* x, of desc `from`, cast to another dtype */

tensor *fresh(work *w, int32_t rank, const int64_t *dims, int32_t dtype); /* uninitialised */
tensor *number(work *w, double value);                                    /* 0-d, of the work's dtype */
tensor *view(work *w, tensor *x, int32_t rank, const int64_t *dims, const int64_t *strides, int64_t offset);
tensor *rows_view(work *w, tensor *x, int32_t rank, const int64_t *dims, int64_t offset); /* of a row-major x */
tensor *reshaped(work *w, tensor *x, int32_t rank, const int64_t *dims);
tensor *row_major(work *w, tensor *x, const vn_desc *desc); /* x itself or a copy */
tensor *transposed(work *w, tensor *x);                     /* its last two axes exchanged, a view */
tensor *seen_as(work *w, tensor *x, int32_t torch_dtype);   /* the same bits */
tensor *broadcast(work *w, tensor *x, const vn_desc *from, int32_t rank, const int64_t *dims);
tensor *sum_of(work *w, tensor *x, tensor *y, double alpha); /* x + alpha y, of floats */
tensor *product_of(work *w, tensor *x, tensor *y);
void fill(work *w, tensor *x, double value);
void copy(work *w, tensor *to, tensor *from);
const void *data_of(work *w, tensor *x);
void *room_of(work *w, tensor *x); /* to write to */

/* Ops used by several files, probed with those of arithmetic.c. */
extern const torch_op running; /* complex.c */
extern const torch_op choose, is_nan, with_nan_where, with_0_where, turn_top_bit, at_most_0, equal, is_0, swap_axes;

#endif
