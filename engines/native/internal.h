/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h: shared by the files of the native engine.
 *
 * A program is compiled in five steps, each a file: graph.c records nodes and folds views away, group.c groups nodes into
 * kernels, lower.c turns a group of elementwise nodes into the steps of one fused kernel, chain.c combines kernels that work on the same
 * rows, plan.c assigns memory to every stored value.
 * execute.c reserves all memory of an execution and runs the kernels: fused.c, matmul.c, transpose.c, slice.c, random.c,
 * cumulative.c, and those on whole arrays behind whole.c. Below them are buffer.c, alloc.c (caching allocator), threads.c (thread pool) and
 * cpu.c (selection of the level of the loops in isa/). */
#ifndef VN_NATIVE_INTERNAL_H
#define VN_NATIVE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include <vinea/engine.h>

#include "isa.h"
#include "native.h"

extern const vn_host *vn__native_host;
extern const vn__isa *vn__native_isa; /* chosen by open */

/* Bytes of an element; the dtype a value is computed in (half precision: float32). */
size_t vn__native_bytes(int32_t dtype);
const char *vn__native_dtype_name(int32_t dtype);
static inline bool vn__native_is_half(int32_t dtype)
{
    return dtype == VN_F16 || dtype == VN_BF16;
}
static inline int32_t vn__native_register(int32_t dtype)
{
    return vn__native_is_half(dtype) ? VN_F32 : dtype;
}
static inline size_t vn__native_round64(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* ---- cpu.c ---- */
int vn__native_choose_isa(void); /* sets vn__native_isa from the machine and VINEA_ISA */
bool vn__native_rounds(uint32_t precision); /* the selected level and this processor have float32 products that are less exact in this way */
/* These products, VN_PRECISION_BF16 also products of bfloat16; NULL: there are none after all. */
const vn__gemm *vn__native_rounded(uint32_t precision);
const vn__gemm *vn__native_narrow(void); /* for integers of 8 and 16 bits */
/* The loops of an elementwise op (VN_EW_...), by the shape of the operands; NULL where there is none. */
const vn__step_fn *vn__native_steps(int32_t op, int32_t dtype);
const struct vn__reduce_fns *vn__native_reduction(int32_t kind, int32_t type); /* of a vn__reduction */

/* ---- alloc.c: 64-byte aligned blocks, cached for reuse. The caller keeps the size. ---- */
void *vn__native_alloc(size_t bytes); /* NULL if memory ran out; sets no error */
void vn__native_free(void *block, size_t bytes);
int64_t vn__native_drop_cache(vn_context *context); /* returns the number of bytes */
void vn__native_memory(vn_engine_memory *out);
void vn__native_alloc_lock(bool take); /* around fork */
int vn__native_no_memory(void);        /* sets VN_E_MEM and returns it */

/* Memory that is freed all at once. The caller checks each pointer. */
typedef struct vn__arena {
    struct vn__arena_chunk *chunks;
    size_t used, capacity;
} vn__arena;
void *vn__native_arena_get(vn__arena *arena, size_t bytes); /* zeroed, 16-byte aligned; NULL if memory ran out */
void vn__native_arena_release(vn__arena *arena);

/* ---- threads.c ---- */
typedef void (*vn__task)(void *context, int64_t unit, int lane);
int vn__native_lanes(void); /* threads to use, including the caller: lanes 0 .. lanes-1 */
/* Runs units 0 .. n-1 on up to `lanes` threads and returns when all are done. Lane numbers are unique among running units. */
void vn__native_parallel(int lanes, int64_t n, vn__task task, void *context);
void vn__native_fork(vn_context *context, int step); /* VN_FORK_BEFORE, VN_FORK_PARENT, VN_FORK_CHILD */
void vn__native_pool_close(void);

/* ---- buffer.c; the engine has no context, and its functions are called with NULL inside it ---- */
vn_buf *vn__native_buffer_new(size_t bytes); /* one reference; data uninitialised; NULL if memory ran out */
void *vn__native_buffer_data(const vn_buf *buf);
bool vn__native_buffer_writable(const vn_buf *buf, size_t bytes); /* owns its data, has one reference, and is large enough */
int vn__native_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
int vn__native_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data);
void vn__native_retain(vn_context *context, vn_buf *buf);
void vn__native_release(vn_context *context, vn_buf *buf);

/* ---- view.c ---- */
void vn__native_view_rows(vn__view *v, int32_t rank, const int64_t *dims); /* row-major */
bool vn__native_view_is_rows(const vn__view *v);
void vn__native_view_broadcast(vn__view *v, int32_t rank, const int64_t *dims);
void vn__native_view_permute(vn__view *v, const int64_t *axes);
void vn__native_view_flip(vn__view *v, int32_t axis);
void vn__native_view_stride(vn__view *v, int32_t axis, int64_t step);         /* every step-th element */
bool vn__native_view_reshape(vn__view *v, int32_t rank, const int64_t *dims); /* false: needs a copy */
void vn__native_view_collapse(vn__view *v);                                   /* fewest axes with the same row-major order, at least one */
bool vn__native_view_is_one(const vn__view *v);                               /* collapsed, and every element is the same one */
bool vn__native_view_equal(const vn__view *x, const vn__view *y);

/* ---- graph.c ---- */

/* What a node reads: a value, all of it in row-major order if view is NULL. */
typedef struct vn__operand {
    int32_t value;
    const vn__view *view;
} vn__operand;

typedef enum vn__family {
    VN_ELEMENT,
    VN_CAST,
    VN_REDUCE,
    VN_MATMUL,
    VN_SLICE,
    VN_SLICE_SET,
    VN_RANDOM,
    VN_TRANSPOSE,
    VN_RUNNING,
    VN_WHOLE
} vn__family;

/* One computation. Elementwise nodes (VN_ELEMENT, VN_CAST) are fused; VN_CAST from a dtype to itself is a copy. Only a VN_WHOLE node has
 * several results; unused ones get no storage. */
typedef struct native_node {
    vn__family family;
    int32_t op, out, n_in, depth, kernel, next; /* next: of the same kernel */
    vn__operand *in;
    int32_t n_out;
    const int32_t *outs;   /* its results if there are several; NULL: `out` */
    const vn_instr *instr; /* NULL: a copy of a view */
} native_node;

/* A value and its source. Views share the value they refer to (`root`). */
typedef struct native_value {
    int32_t root;
    const vn__view *view; /* NULL: all of root, row-major */
    int32_t node;         /* the node that computes it; -1 for inputs and views */
    int32_t storage;      /* -1: never in memory */
    vn_desc desc;
} native_value;

/* Reductions: the operand as (outer, length) reduced over length, or (outer, length, inner) reduced over length. */
typedef enum vn__layout { VN_LAYOUT_NONE, VN_LAYOUT_ROWS, VN_LAYOUT_COLUMNS } vn__layout;
typedef struct vn__shape3 {
    vn__layout layout;
    int64_t outer, length, inner;
} vn__shape3;
vn__shape3 vn__native_shape3(const vn_desc *x, int64_t first, int64_t last); /* length: axes first .. last (view.c) */

typedef struct vn__group {
    bool fused;
    int32_t depth, first, last, n_nodes; /* nodes of the kernel */
    int64_t count;
    vn__shape3 sink;
} vn__group;

typedef struct vn__graph {
    const vn_program *program;
    vn__arena scratch; /* until compile returns */
    struct vn_exe *exe;
    int32_t n_values, n_nodes, n_groups, max_depth;
    native_value *values;
    native_node *nodes;
    vn__operand *operands; /* of all nodes */
    int32_t n_operands;
    vn__group *groups;
    int32_t *order;            /* groups in the order of execution */
    struct lowering *lowering; /* kept between groups by lower.c */
    int32_t *output_values;    /* of the program's outputs; each row-major */
    int32_t *places;           /* by position in `order`: the kernel that the group is, or is a part of */
} vn__graph;

struct native_op;
typedef int (*vn__record)(vn__graph *g, const vn_instr *instr, const struct native_op *op);
/* A kernel row's data: how to record an instruction. */
typedef struct native_op {
    vn__record record;
    int32_t family, index;
} native_op;

int vn__native_record_element(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_cast(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_reduce(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_matmul(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_slice(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_random(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_reshape(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_broadcast(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_permute(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_flip(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_stride(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_running(vn__graph *g, const vn_instr *instr, const native_op *op);

int vn__native_record_whole(vn__graph *g, const vn_instr *instr, const native_op *op);
int vn__native_record_moved(vn__graph *g, const vn_instr *instr, const native_op *op);

int vn__native_graph_record(vn__graph *g); /* nodes and values of the program */
int vn__native_graph_group(vn__graph *g);  /* computes depths, groups and order, and which values are stored */
/* The layout in which a reduction reads its operand. False: its axes must be permuted, kept ones first, which is done to `view`.
 * Depends only on shape and axes, so that a view is summed in the same order as its copy. */
bool vn__native_reduce_shape(const vn__graph *g, const native_node *node, vn__shape3 *shape, vn__view *view);
/* The view through which node n reads its operand k, one axis for each of the value's own. */
void vn__native_operand_view(const vn__graph *g, const native_node *n, int32_t k, vn__view *view);
static inline bool vn__native_node_is_element(const native_node *n)
{
    return n->family == VN_ELEMENT || n->family == VN_CAST;
}
/* The node that computes an operand that is read in order, if it may run in the same kernel. -1: none. */
int32_t vn__native_fusible(const vn__graph *g, const native_node *node, const vn__operand *operand);

/* ---- executables ---- */

/* The state of one execution. */
typedef struct vn__run {
    char **slots; /* by storage */
    char *shared; /* of the size that the kernel requested */
    char *scratch;
    size_t lane_bytes;
    int lanes; /* threads that the running kernel may use */
} vn__run;

typedef struct vn__kernel {
    void (*run)(const struct vn__kernel *kernel, const vn__run *run);
    void (*explain)(const struct vn__kernel *kernel, char *text, size_t capacity);
    size_t shared_bytes, lane_bytes;
    bool parallel; /* large enough to share between threads */
} vn__kernel;

/* A storage read or written by a kernel. */
typedef struct vn__use {
    int32_t storage, at; /* step of the last read, or of the write */
    int64_t span; /* computing element i touches only element i / span: 1 means in order, the row length means one number per row. 0: any */
    int32_t set;  /* the set of arrays it belongs to, if a kernel computes several independent sets; otherwise 0 */
} vn__use;
typedef struct vn__uses {
    vn__use *reads, *writes;
    int32_t n_reads, n_writes;
} vn__uses;

typedef enum vn__place { VN_PLACE_INPUT, VN_PLACE_OUTPUT, VN_PLACE_WORK } vn__place;
typedef struct vn__storage {
    size_t bytes;
    uint8_t place, element_bytes;
    int32_t index; /* of the input; of the output buffer */
    int32_t donor; /* output: input whose memory it reuses if possible, or -1 */
    size_t offset; /* work: offset in the workspace */
} vn__storage;

struct vn_exe {
    vn__arena arena; /* holds everything except this struct */
    const vn_program *program;
    int32_t n_kernels, n_storages, n_buffers;
    vn__kernel **kernels;
    vn__uses *uses; /* by kernel; only while compiling */
    vn__storage *storages;
    int32_t *buffers;      /* output buffer -> storage */
    int32_t *first_output; /* output buffer -> first program output that is this buffer */
    int32_t *outputs;      /* program output -> storage */
    int32_t *kernel_of;    /* instruction -> kernel, or -1 */
    size_t work_bytes, shared_bytes, lane_bytes;
    bool parallel;
};

/* Lowering functions; each sets the group's uses. */
int vn__native_lower_fused(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses);  /* lower.c */
int vn__native_lower_matmul(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses); /* matmul.c */
int vn__native_lower_slice(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses);  /* slice.c */
int vn__native_lower_slice_set(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses);
int vn__native_lower_transpose(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses); /* transpose.c */
/* Should a copy of this collapsed view be made in tiles? */
bool vn__native_is_transpose(const vn__view *view);
int vn__native_lower_random(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses);  /* random.c */
int vn__native_lower_running(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses); /* cumulative.c */
int vn__native_lower_whole(vn__graph *g, int32_t group, vn__kernel **out, vn__uses *uses);   /* whole.c */
/* Uses of a kernel that is one node: reads every operand in any order, writes its result. */
int vn__native_node_uses(vn__graph *g, const native_node *node, vn__uses *uses);
int vn__native_chain(vn__graph *g); /* chain.c: combines kernels on the same rows */
int vn__native_plan(vn__graph *g);

int vn__native_compile(vn_context *context, const vn_program *program, vn_exe **out);
int vn__native_execute(vn_context *context, vn_exe *exe, const vn_launch *launch);
void vn__native_discard(vn_context *context, vn_exe *exe);
int vn__native_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to);
int32_t vn__native_kernel_of(vn_context *context, vn_exe *exe, int32_t *of);
/* Writes "float32 (2,3)". */
void vn__native_describe(const vn_desc *desc, char *text, size_t capacity);

/* ---- kernels on whole arrays (whole.c) ---- */

typedef struct vn__whole {
    vn__kernel kernel;
    const vn_instr *instr; /* options */
    int32_t n_in, n_out;
    int32_t *in, *outs;           /* storages; -1 for a result that is not used */
    vn_desc *in_desc, *out_descs; /* as the kernel sees them: half precision only in MOVED rows */
    int32_t out;                  /* the first result */
    vn_desc out_desc;
    void *plan;    /* for the op */
    bool in_place; /* the result may overwrite the first operand */
    int32_t *sets; /* for each operand, then each result: element i of a result depends only on element i of the operands of its set; -1: no
                      set. Or NULL */
} vn__whole;

/* What threads that share a kernel on whole arrays are told. */
typedef struct vn__whole_job {
    const vn__whole *w;
    const vn__run *run;
} vn__whole_job;
typedef int (*vn__prepare)(vn__graph *g, vn__whole *w);
typedef struct vn__whole_op {
    native_op op; /* first */
    vn__prepare prepare;
} vn__whole_op;
void *vn__native_whole_keep(vn__graph *g, size_t bytes); /* zeroed memory that lives as long as the kernel; NULL if memory ran out */
#define WHOLE(name, dtypes, options) int vn__native_prepare_##name(vn__graph *g, vn__whole *w);
#include "whole.def"

/* ---- fused kernels: made by lower.c, run by fused.c ---- */
typedef struct vn__step {
    vn__step_fn fn;
    const void *aux;                            /* NULL: the third operand is passed instead */
    int32_t d, a, b, c;                         /* bases */
    uint8_t d_bytes, a_bytes, b_bytes, c_bytes; /* bytes per element, 0 for a fixed address */
} vn__step;

/* A reduction, applied to every block. */
typedef struct vn__sink {
    int32_t x, out; /* bases */
    uint8_t x_bytes;
    int32_t kind, type, dtype; /* vn__reduction; dtype of the sum, dtype of the result */
    size_t partials;           /* offset in the shared memory */
    bool in_place;             /* partial sums are the results */
} vn__sink;

typedef struct vn__fused {
    vn__kernel kernel;
    int64_t count, block;
    int32_t n_steps, n_bases, n_registers, n_sinks, n_names, n_named;
    vn__step *steps;
    int32_t *bases; /* storages; registers follow */
    size_t register_bytes;
    vn__shape3 sink_shape;
    int64_t chunk, n_chunks; /* of `length` */
    size_t lanes;            /* offset of the sinks' lanes in a thread's memory while a long row is reduced */
    vn__sink *sinks;
    vn_desc desc;
    const char *names[12];
} vn__fused;

void vn__native_fused_run(const vn__kernel *kernel, const vn__run *run);
void vn__native_fused_explain(const vn__kernel *kernel, char *text, size_t capacity);
/* Part of a fused kernel: elements first .. end-1, or rows if its sums are stored in place and its rows are not split into chunks. */
void vn__native_fused_elements(const vn__fused *f, char **at, int64_t first, int64_t end);
void vn__native_fused_rows(const vn__fused *f, char **at, int64_t first, int64_t end);
/* Sets block and chunk sizes and the memory a fused kernel needs. */
void vn__native_fused_size(vn__fused *f);

#endif
