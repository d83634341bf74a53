/* SPDX-License-Identifier: Apache-2.0 */
/* template.c: a minimal engine to copy; docs/add-an-engine.md walks through it.
 *
 * It has no compiler, so the core runs programs kernel by kernel. Its arrays are plain host memory, and it has two kernels, add and mul
 * of float32; all other ops fall back to native. It needs only <vinea/engine.h> to build. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <vinea/engine.h>

static const vn_host *host; /* the library's functions: set once, before anything else is called */

/* ---- buffers: a reference-counted block of host memory, ours or borrowed
 * ----------------------------------------------------------------- */

struct vn_buf {
    atomic_int refs;
    void *data;
    void (*give_back)(void *owner); /* frees data */
    void *owner;
};

/* A buffer with one reference. It takes ownership of `data` only on success. */
static int wrap(void *data, void (*give_back)(void *owner), void *owner, vn_buf **out)
{
    vn_buf *b = malloc(sizeof *b);
    if (!b) return host->error(VN_E_MEM, "template: out of memory");
    atomic_init(&b->refs, 1);
    b->data = data;
    b->give_back = give_back;
    b->owner = owner;
    *out = b;
    return VN_OK;
}

/* A new buffer with our own memory. */
static int make(size_t bytes, vn_buf **out)
{
    void *data = host->alloc(bytes ? bytes : 1);
    if (!data) return host->error(VN_E_MEM, "template: no memory for %zu bytes", bytes);
    int code = wrap(data, host->free, data, out);
    if (code) host->free(data);
    return code;
}

/* The core's memory may be kept if it has a release function, otherwise it must be copied. */
static int from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    (void)desc;
    if (memory->release) return wrap((void *)(uintptr_t)memory->data, memory->release, memory->owner, out);
    vn_buf *b = NULL;
    int code = make(memory->bytes, &b);
    if (code) return code;
    if (memory->bytes) memcpy(b->data, memory->data, memory->bytes);
    *out = b;
    return VN_OK;
}

static int to_host(vn_context *context, vn_buf *b, const vn_desc *desc, const void **data)
{
    (void)context;
    (void)desc;
    *data = b->data;
    return VN_OK;
}

static void retain(vn_context *context, vn_buf *b)
{
    (void)context;
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}

static void release(vn_context *context, vn_buf *b)
{
    (void)context;
    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    b->give_back(b->owner);
    free(b);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------------- */

/* The data of a row of the family below. */
typedef struct binary_op {
    float (*apply)(float x, float y);
} binary_op;

static float apply_add(float x, float y)
{
    return x + y;
}

static float apply_mul(float x, float y)
{
    return x * y;
}

/* The strides of x along each axis of `out`, in elements: 0 where x is broadcast. */
static void strides(const vn_desc *x, const vn_desc *out, int64_t *stride)
{
    int64_t step = 1;
    for (int k = out->rank - 1, j = x->rank - 1; k >= 0; k--, j--) {
        int64_t n = j >= 0 ? x->dims[j] : 1;
        stride[k] = n == 1 ? 0 : step;
        step *= n;
    }
}

/* One kernel for all elementwise ops of two inputs. Shapes and dtypes have been checked by the core. */
static int binary(const vn_kernel_call *call)
{
    const vn_desc *values = call->program->values;
    const vn_desc *out = &values[call->instr->out];
    const binary_op *op = call->instr->row->data;
    const float *x = call->in[0]->data, *y = call->in[1]->data;
    int64_t x_stride[VN_MAX_RANK], y_stride[VN_MAX_RANK], at[VN_MAX_RANK] = {0}, i = 0, j = 0;
    strides(&values[call->instr->in[0]], out, x_stride);
    strides(&values[call->instr->in[1]], out, y_stride);

    vn_buf *b = NULL;
    int code = make((size_t)out->count * sizeof(float), &b);
    if (code) return code;
    float *z = b->data;
    for (int64_t n = 0; n < out->count; n++) {
        z[n] = op->apply(x[i], y[j]);
        for (int k = out->rank - 1; k >= 0; k--) { /* the next index in row-major order */
            i += x_stride[k];
            j += y_stride[k];
            if (++at[k] < out->dims[k]) break;
            i -= x_stride[k] * at[k];
            j -= y_stride[k] * at[k];
            at[k] = 0;
        }
    }
    call->out[0] = b;
    return VN_OK;
}

/* The kernel table: op, dtypes, kernel. An op of a family is one row. */
static const vn_kernel_row rows[] = {
    {.op = "add", .dtypes = VN_BIT(VN_F32), .kernel = binary, .data = &(const binary_op){apply_add}},
    {.op = "mul", .dtypes = VN_BIT(VN_F32), .kernel = binary, .data = &(const binary_op){apply_mul}},
    {0},
};

/* ---- the engine ---------------------------------------------------------------------------------------------------------------- */

/* A real engine loads its framework here, and returns VN_E_ENGINE with a message that says what is missing. */
static int open_engine(int device, vn_context **out)
{
    (void)device, (void)out; /* one device, without state */
    return VN_OK;
}

static void close_engine(vn_context *context)
{
    (void)context;
}

static const char *version(vn_context *context)
{
    (void)context;
    return "1.0";
}

static const char *where(vn_context *context)
{
    (void)context;
    return host->folder;
}

static const vn_engine engine = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "template",
    .open = open_engine,
    .close = close_engine,
    .version = version,
    .where = where,
    .from_host = from_host,
    .to_host = to_host,
    .retain = retain,
    .release = release,
    .kernels = rows,
};

static const vn_engine *const engines[] = {&engine};
static const vn_plugin plugin = {.abi = VN_ENGINE_ABI, .size = sizeof(vn_plugin), .n_engines = 1, .engines = engines};

__attribute__((visibility("default"))) const vn_plugin *vinea_engine_main(const vn_host *given)
{
    if (given->abi != VN_ENGINE_ABI || given->size < sizeof *given) {
        given->error(VN_E_ENGINE, "template: the library speaks engine ABI %u, this engine %d", given->abi, VN_ENGINE_ABI);
        return NULL;
    }
    host = given;
    return &plugin;
}
