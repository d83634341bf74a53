/* SPDX-License-Identifier: Apache-2.0 */
/* torch.h: shared by the files of the torch engine.
 *
 * The engine runs PyTorch's CPU kernels one by one, through the C functions that libtorch_cpu.so exports for extensions. library.c
 * loads them, buffer.c wraps tensors, stack.c calls ops by name, kernels.c has the kernel table, engine.c the vn_engine struct. Kernels
 * of several torch ops use the steps in work.h: arithmetic.c, complex.c, special.c, index.c, conv.c and pooling.c (on window.h), linalg.c,
 * fft.c, attention.c, recurrent.c, softmax.c, where.c, select.c, sample.c, losses.c.
 *
 * Unsigned integers of 16, 32 and 64 bits, for which PyTorch has few kernels, are stored in tensors of the signed dtype of the same
 * width. Sums, products and moving elements give the same bits either way; conversions to another width or to float
 * need special handling (convert in kernels.c), and so do comparisons, division and shifts (arithmetic.c). */
#ifndef VN_TORCH_H
#define VN_TORCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <vinea/engine.h>

typedef struct tensor tensor; /* torch's handle of a tensor; NULL crashes inside torch, so no NULL is ever passed */
typedef struct words words;   /* torch's handle of a string */
typedef struct list list;     /* torch's handle of a list of slots */
typedef uint64_t slot;        /* one argument or result of torch_call_dispatcher */

/* The functions taken from the library: X(result, name here, symbol, parameters). They return 0 or an error unless it says otherwise. */
/* clang-format off */
#define TORCH_FUNCTIONS(X)                                                                                                        \
    X(uint64_t, abi_version, aoti_torch_abi_version, (void))                                                                      \
    X(const char *, what, torch_exception_get_what_without_backtrace, (void))                                                     \
    X(int, threads, torch_get_num_threads, (uint32_t *n))                                                                         \
    X(int, drop, aoti_torch_delete_tensor_object, (tensor *t))                                                                    \
    X(int, share, aoti_torch_new_tensor_handle, (tensor *t, tensor **out))                                                        \
    X(int, data, torch_get_const_data_ptr, (tensor *t, const void **data))                                                        \
    X(int, mutable_data, torch_get_mutable_data_ptr, (tensor *t, void **data))                                                    \
    X(int, strides, aoti_torch_get_strides, (tensor *t, int64_t **strides))                                                       \
    X(int, is_contiguous, aoti_torch_is_contiguous, (tensor *t, bool *yes))                                                       \
    X(int, empty, aoti_torch_empty_strided,                                                                                       \
      (int64_t rank, const int64_t *dims, const int64_t *strides, int32_t dtype, int32_t device, int32_t index, tensor **out))    \
    X(int, from_blob, torch_from_blob,                                                                                            \
      (void *data, int64_t rank, const int64_t *dims, const int64_t *strides, int64_t offset, int32_t dtype, int32_t device,      \
       int32_t index, tensor **out, int32_t layout, const uint8_t *opaque, int64_t opaque_bytes, void (*deleter)(void *, void *), \
       void *context))                                                                                                            \
    X(int, view, aoti_torch__reinterpret_tensor,                                                                                  \
      (tensor *t, int64_t rank, const int64_t *dims, const int64_t *strides, int64_t more_offset, tensor **out))                  \
    X(int, view_dtype, aoti_torch_cpu_view_dtype, (tensor *t, int32_t dtype, tensor **out))                                       \
    X(int, reshape, aoti_torch_cpu_reshape, (tensor *t, const int64_t *dims, int64_t rank, tensor **out))                         \
    X(int, copy, aoti_torch_copy_, (tensor *to, tensor *from, int32_t non_blocking))                                              \
    X(int, fill, aoti_torch_aten_fill__Scalar, (tensor *t, double value))                                                         \
    X(int, add, aoti_torch_cpu_add_Tensor, (tensor *x, tensor *y, double alpha, tensor **out))                                    \
    X(int, mul, aoti_torch_cpu_mul_Tensor, (tensor *x, tensor *y, tensor **out))                                                  \
    X(int, call, torch_call_dispatcher, (const char *op, const char *overload, slot *stack, uint64_t abi))                        \
    X(int, new_optional, torch_new_stable_ivalue, (slot **out))                                                                   \
    X(int, drop_optional, torch_delete_stable_ivalue, (slot *value))                                                              \
    X(int, new_list, torch_new_list_reserve_size, (size_t n, list **out))                                                         \
    X(int, append, torch_list_push_back, (list *l, slot value))                                                                   \
    X(int, length, torch_list_size, (list *l, size_t *n))                                                                         \
    X(int, item, torch_list_get_item, (list *l, size_t index, slot *value))                                                       \
    X(int, new_text, torch_new_string_handle, (const char *data, size_t length, words **out)) \
    X(int, drop_text, torch_delete_string, (words *t)) \
    X(int, drop_list, torch_delete_list, (list *l))                                                                               \
    X(int32_t, cpu, aoti_torch_device_type_cpu, (void))                                                                           \
    X(int32_t, strided, aoti_torch_layout_strided, (void))
/* clang-format on */

typedef struct functions {
#define FIELD(result, name, symbol, parameters) result(*name) parameters;
    TORCH_FUNCTIONS(FIELD)
#undef FIELD
    void (*set_threads)(int n);       /* from the OpenMP that torch uses; NULL if there is none */
    int32_t cpu_type, strided_layout; /* the results of the getters */
    int32_t dtype[VN_DTYPE_END];      /* torch's number of each dtype */
    int32_t stored_as[VN_DTYPE_END];  /* torch's number of the dtype it is stored as */
} functions;

extern functions torch;
extern const vn_host *host;

/* library.c */
int load_library(void);
const char *library_version(vn_context *context);
const char *library_path(vn_context *context);
int failed(const char *doing); /* converts the error torch just reported to a code and message */
int gave(int refused, tensor *const *handle,
         const char *doing); /* after a call that returns a tensor: an error if torch failed or returned none */

int take_threads(void); /* sets the user's number of threads for a call; returns the previous one */
void give_threads_back(int before);

/* buffer.c. `own`: no other buffer and no host memory shares its storage, so a kernel may overwrite it if the buffer is dead. */
struct vn_buf {
    atomic_int references;
    atomic_bool own;
    tensor *t;               /* dims as in the core's desc, any strides */
    _Atomic(tensor *) dense; /* row-major copy, once to_host had to make one */
};
int wrap(tensor *t, bool own, vn_buf **out); /* takes ownership of t, also on failure */
void strides_of_rows(int32_t rank, const int64_t *dims, int64_t *strides);
void strides_of_broadcast(const vn_desc *from, const int64_t *old, int32_t rank, const int64_t *dims, int64_t *strides); /* old: from's */
int new_tensor(int32_t rank, const int64_t *dims, int32_t torch_dtype, tensor **out);
int buffer_view(vn_buf *buf, int32_t rank, const int64_t *dims, const int64_t *strides, int64_t offset, vn_buf **out);
int buffer_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
int buffer_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data);
void buffer_retain(vn_buf *buf);
void buffer_release(vn_buf *buf);

/* kernels.c: one op and its torch implementation. */
typedef struct torch_op {
    const char *name, *overload; /* in torch's dispatcher */
    const char *arguments;       /* in the notation of stack.c */
} torch_op;
/* Arrays of one element for checking whether an op exists. */
typedef struct probe {
    int32_t dtype;
    enum { MATRIX, SCALAR, VECTOR, IMAGE } shape;
    bool zeros; /* of zeros, not ones */
} probe;
#define MATRIX_OF(dtype)     \
    {                        \
        dtype, MATRIX, false \
    }
/* The ops that some kernels share, each checked when the engine opens. */
typedef struct helper {
    const torch_op *op;
    probe arrays; /* that it takes */
} helper;
typedef struct family {
    const helper *helpers;
    int n;
    const torch_op *missing; /* one that this torch lacks, or NULL */
} family;
typedef struct recipe {
    const char *op;
    uint32_t dtypes;
    int (*kernel)(const vn_kernel_call *call, const struct recipe *r);
    torch_op fresh;             /* NULL name: the kernel needs none */
    torch_op in_place;          /* writes its result into input 0; NULL name: there is none */
    bool commutes;              /* inputs 0 and 1 may be swapped */
    double alpha;               /* a number for the kernel */
    uint32_t same;              /* dtypes for which the result is input 0 */
    const struct family *needs; /* the ops its kernel uses; NULL: only fresh and in_place */
    const char *options;        /* that it reads, in the order of the letters of `fresh` */
} recipe;
extern vn_kernel_row rows[]; /* empty until fill_rows */
void fill_rows(void);
void clear_rows(void);
const vn_desc *desc_in(const vn_kernel_call *call, int k);
const vn_desc *desc_out(const vn_kernel_call *call);
int plain(const vn_kernel_call *call, const recipe *r); /* one torch op, described by the recipe */
int share(const vn_kernel_call *call);                  /* the result is input 0 */
/* Input k for writing: itself if allowed (and row-major, if required), otherwise a row-major copy. */
int writable(const vn_kernel_call *call, const recipe *r, int k, bool row_major, vn_buf **out);
int convert(tensor *x, const vn_desc *from, int32_t to, const char *op, tensor **out); /* a new tensor with x's values in another dtype */

/* arithmetic.c */
extern family arithmetic;
int floor_divide(const vn_kernel_call *call, const recipe *r);
int remainder_by(const vn_kernel_call *call, const recipe *r);
int ordered(const vn_kernel_call *call, const recipe *r);
int extreme(const vn_kernel_call *call, const recipe *r);
int sign(const vn_kernel_call *call, const recipe *r);
int sign_bit(const vn_kernel_call *call, const recipe *r);
int right_shift(const vn_kernel_call *call, const recipe *r);
int hyperbolic(const vn_kernel_call *call, const recipe *r);
int wide_half(const vn_kernel_call *call, const recipe *r);
int widened(const vn_kernel_call *call, const recipe *r);
int float_to_integer(const vn_kernel_call *call, const recipe *r);
int running_sum(const vn_kernel_call *call, const recipe *r);
int running_extreme(const vn_kernel_call *call, const recipe *r);
int running_exponentials(const vn_kernel_call *call, const recipe *r);
int in_f64(const vn_kernel_call *call, const recipe *r);
int finite_numbers(const vn_kernel_call *call, const recipe *r);
int mantissa_and_exponent(const vn_kernel_call *call, const recipe *r);
int sum_of_numbers(const vn_kernel_call *call, const recipe *r);
int hardswish(const vn_kernel_call *call, const recipe *r);

/* complex.c */
extern family complex_numbers;
int add_complex(const vn_kernel_call *call, const recipe *r);
int negated(const vn_kernel_call *call, const recipe *r);
int absolute(const vn_kernel_call *call, const recipe *r);
int exp_less_1(const vn_kernel_call *call, const recipe *r);
int tangent(const vn_kernel_call *call, const recipe *r);
int hyperbolic_tangent(const vn_kernel_call *call, const recipe *r);
int real_part(const vn_kernel_call *call, const recipe *r);
int imaginary_part(const vn_kernel_call *call, const recipe *r);
int running_sum_of_any(const vn_kernel_call *call, const recipe *r);

/* index.c */
extern family indexing;
int take(const vn_kernel_call *call, const recipe *r);
int index_add(const vn_kernel_call *call, const recipe *r);
int index_set(const vn_kernel_call *call, const recipe *r);
int stride(const vn_kernel_call *call, const recipe *r);
int bincount(const vn_kernel_call *call, const recipe *r);
int argsort(const vn_kernel_call *call, const recipe *r);
int searchsorted(const vn_kernel_call *call, const recipe *r);

/* conv.c, pool.c */
extern family convolution, pooling;
int conv_forward(const vn_kernel_call *call, const recipe *r);
int conv_input(const vn_kernel_call *call, const recipe *r);
int conv_filter(const vn_kernel_call *call, const recipe *r);
int max_pool(const vn_kernel_call *call, const recipe *r);
int max_pool_backward(const vn_kernel_call *call, const recipe *r);
int sum_pool(const vn_kernel_call *call, const recipe *r);
int sum_pool_backward(const vn_kernel_call *call, const recipe *r);

/* recurrent.c */
extern family recurrence;
int lstm_sequence(const vn_kernel_call *call, const recipe *r);
int lstm_backward(const vn_kernel_call *call, const recipe *r);
int gru_sequence(const vn_kernel_call *call, const recipe *r);
int gru_backward(const vn_kernel_call *call, const recipe *r);

/* linalg.c */
extern family linear_algebra;
int cholesky(const vn_kernel_call *call, const recipe *r);
int solve_triangular(const vn_kernel_call *call, const recipe *r);
int solve(const vn_kernel_call *call, const recipe *r);
int lu_factor(const vn_kernel_call *call, const recipe *r);
int eig_unordered(const vn_kernel_call *call, const recipe *r);
int qr(const vn_kernel_call *call, const recipe *r);
int eigh(const vn_kernel_call *call, const recipe *r);
int svd(const vn_kernel_call *call, const recipe *r);
int distances(const vn_kernel_call *call, const recipe *r);

/* fft.c */
extern family transforms;
int dft(const vn_kernel_call *call, const recipe *r);
int rdft(const vn_kernel_call *call, const recipe *r);
int irdft(const vn_kernel_call *call, const recipe *r);

/* attention.c */
extern family attending;
int attention(const vn_kernel_call *call, const recipe *r);
int attention_backward(const vn_kernel_call *call, const recipe *r);

/* softmax.c */
extern family row_functions;
int softmax_backward(const vn_kernel_call *call, const recipe *r);
int layer_norm(const vn_kernel_call *call, const recipe *r);

/* where.c */
extern family selection;
int where(const vn_kernel_call *call, const recipe *r);

/* select.c */
extern family selecting;
int topk(const vn_kernel_call *call, const recipe *r);
int median(const vn_kernel_call *call, const recipe *r);
int quantile(const vn_kernel_call *call, const recipe *r);
int segment_extreme(const vn_kernel_call *call, const recipe *r);

/* sample.c */
extern family sampling;
int grid_sample(const vn_kernel_call *call, const recipe *r);

/* losses.c */
extern family losses;
int huber_loss(const vn_kernel_call *call, const recipe *r);
int smooth_l1_loss(const vn_kernel_call *call, const recipe *r);
int nll_loss(const vn_kernel_call *call, const recipe *r);

/* gelu.c */
extern family gelu_functions;
int gelu(const vn_kernel_call *call, const recipe *r);

/* adam.c */
extern family optimizing;
int adam_apply(const vn_kernel_call *call, const recipe *r);

/* special.c */
extern family special_functions;
int polygamma(const vn_kernel_call *call, const recipe *r);
int next_after(const vn_kernel_call *call, const recipe *r);

/* stack.c */
#define STACK_SLOTS 32 /* more than any torch op used here takes */
typedef struct arguments {
    tensor *const *in;
    const vn_option *options; /* NULL: dummy values, for probing */
    int32_t n_in, n_options;
    int32_t in_dtype, out_dtype; /* vn_dtype */
    bool of_images;              /* what to probe for */
    int32_t n_list;              /* length of lists among `in` */
} arguments;
int open_constants(void);
void close_constants(void);
int dispatch(const char *op, const torch_op *call, const arguments *a, int32_t n_out, tensor **out); /* n_out new handles */
bool is_missing(const torch_op *call, const probe *p);                                               /* set if this torch has no such op */

#endif
