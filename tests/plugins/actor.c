/* SPDX-License-Identifier: Apache-2.0 */
/* actor.c: a real engine, the template, that behaves according to its file name. The tests copy it under these names:
 *
 *     newer      was built for a later ABI          stranger   has another name than its file
 *     refusing   does not take this library         broken     cannot open its framework
 *     wrong      multiplies wrongly, cannot subtract, and is version 9.1
 *     compiling  takes whole programs               older      knows the first fields of the table only
 *     kernels    reuses operands, keeps prepared calls, has several results, returns none, and counts that (actor_counts)
 *     many       brings many and many:gpu, which has three devices and hands arrays over by DLPack
 *     few        the same, but what is handed over is never taken; deep: the same and deep:npu, and calls need a stack of a megabyte
 *     nothing    brings no engine                   nowhere    has no list of engines
 *     null       has NULL in that list              nameless   has an engine without a name
 *     mine       has an engine whose name only begins with its file's
 *     bare       has no functions                   describing cannot describe itself
 *     slow, slower: opening it, or entering it, waits while the file ACTOR_HOLD is there
 *     anything else: the template itself */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define vinea_engine_main template_main
#include "../../engines/template/template.c"
#undef vinea_engine_main

static vn_engine mine;
static char name[64];

static int cannot_open(int device, vn_context **out)
{
    (void)device, (void)out;
    return host->error(VN_E_ENGINE, "broken: the framework is not there");
}

static float apply_wrong(float x, float y)
{
    return x * y + 1;
}

static int cannot_compute(const vn_kernel_call *call)
{
    return host->error(VN_E_ENGINE, "no %s today", call->instr->op);
}

static const vn_kernel_row wrong_rows[] = {
    {.op = "add", .dtypes = VN_BIT(VN_F32), .kernel = binary, .data = &(const binary_op){apply_add}},
    {.op = "mul", .dtypes = VN_BIT(VN_F32), .kernel = binary, .data = &(const binary_op){apply_wrong}},
    {.op = "sub", .dtypes = VN_BIT(VN_F32), .kernel = cannot_compute},
    {.op = "no_such_op", .dtypes = VN_BIT(VN_F32), .kernel = binary},
    {.op = "bitwise_and", .dtypes = VN_BIT(VN_I8), .kernel = cannot_compute}, /* no sample call has this dtype: it is not tried */
    {0},
};

static const char *version_nine(vn_context *context)
{
    (void)context;
    return "9.1";
}

/* ---- whole programs: the kernels one after the other ---- */

struct vn_exe {
    const vn_program *program;
};

static int compile_program(vn_context *context, const vn_program *program, vn_exe **out)
{
    (void)context;
    vn_exe *exe = malloc(sizeof *exe);
    if (!exe) return host->error(VN_E_MEM, "compiling: out of memory");
    exe->program = program;
    *out = exe;
    return VN_OK;
}

static int execute_program(vn_context *context, vn_exe *exe, const vn_launch *launch)
{
    const vn_program *p = exe->program;
    vn_buf **values = calloc((size_t)p->n_values, sizeof *values);
    int code = values ? VN_OK : host->error(VN_E_MEM, "compiling: out of memory");
    for (int v = 0; v < p->n_inputs && !code; v++) retain(context, values[v] = launch->in[v]);
    for (int k = 0; k < p->n_instrs && !code; k++) {
        const vn_instr *i = p->instrs[k];
        vn_buf *arguments[] = {values[i->in[0]], values[i->in[1]]};
        void *prepared = NULL;
        const uint8_t dying[] = {0, 0};
        const vn_kernel_call call = {
            .size = sizeof call, .program = p, .instr = i, .in = arguments, .dying = dying, .out = &values[i->out], .prepared = &prepared};
        code = i->row->kernel(&call);
    }
    for (int k = 0; k < p->n_outputs && !code; k++) retain(context, launch->out[k] = values[p->outputs[k]]);
    for (int v = 0; values && v < p->n_values; v++)
        if (values[v]) release(context, values[v]);
    free(values);
    return code;
}

static void discard_program(vn_context *context, vn_exe *exe)
{
    (void)context;
    free(exe);
}

static int explain_program(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to)
{
    char text[64];
    (void)context;
    snprintf(text, sizeof text, "a program of %d ops", exe->program->n_instrs);
    return line(to, text), VN_OK;
}

/* ---- what the interpreter does for kernels ---- */

__attribute__((visibility("default"))) struct {
    atomic_int prepared, unprepared, in_place, inside, hold; /* hold: kernels of add wait while it is not 0 */
} actor_counts;

static void forget(vn_context *context, void *prepared)
{
    (void)context;
    free(prepared);
    atomic_fetch_add(&actor_counts.unprepared, 1);
}

/* x + y into the memory of x if that is dead and has the right size. */
static int add_in_place(const vn_kernel_call *call)
{
    const vn_desc *values = call->program->values, *out = &values[call->instr->out];
    if (!*call->prepared && (*call->prepared = malloc(1))) atomic_fetch_add(&actor_counts.prepared, 1);
    atomic_fetch_add(&actor_counts.inside, 1);
    while (atomic_load(&actor_counts.hold)) continue;
    atomic_fetch_sub(&actor_counts.inside, 1);
    if (!call->dying[0] || values[call->instr->in[0]].count != out->count || values[call->instr->in[1]].count != out->count)
        return binary(call);
    float *x = call->in[0]->data;
    const float *y = call->in[1]->data;
    for (int64_t k = 0; k < out->count; k++) x[k] += y[k];
    retain(NULL, call->out[0] = call->in[0]);
    atomic_fetch_add(&actor_counts.in_place, 1);
    return VN_OK;
}

static int no_result(const vn_kernel_call *call)
{
    (void)call;
    return VN_OK;
}

/* The largest elements of a vector and their places, both of them whatever is used. */
static int both_results(const vn_kernel_call *call)
{
    const vn_desc *values = call->program->values, *x = &values[call->instr->in[0]], *out = &values[call->instr->out];
    const float *from = call->in[0]->data;
    int code = make((size_t)out->count * sizeof(float), &call->out[0]);
    if (code) return code;
    code = make((size_t)out->count * sizeof(int64_t), &call->out[1]);
    if (code) release(NULL, call->out[0]), call->out[0] = NULL;
    for (int64_t k = 0; !code && k < out->count; k++) {
        int64_t best = -1;
        for (int64_t i = 0; i < x->count; i++) {
            bool taken = false;
            for (int64_t j = 0; j < k; j++) taken |= ((int64_t *)call->out[1]->data)[j] == i;
            if (!taken && (best < 0 || from[i] > from[best])) best = i;
        }
        ((int64_t *)call->out[1]->data)[k] = best;
        ((float *)call->out[0]->data)[k] = from[best];
    }
    return code;
}

/* A vector whose first elements are what the row's options say, numbers as they are and lists as their length; the others are how many. */
static int options_told(const vn_kernel_call *call)
{
    const vn_desc *out = &call->program->values[call->instr->out];
    const int32_t n = call->instr->n_options;
    int code = make((size_t)out->count * sizeof(float), &call->out[0]);
    for (int64_t k = 0; !code && k < out->count; k++) {
        const vn_option *o = k < n ? &call->instr->options[k] : NULL;
        ((float *)call->out[0]->data)[k] = o ? (o->kind == VN_OPT_INTS ? (float)o->n : (float)o->u.i) : (float)n;
    }
    return code;
}

static const vn_kernel_row kernel_rows[] = {
    {.op = "cumulative_sum", .dtypes = VN_BIT(VN_F32), .kernel = options_told, .options = "reverse, axis"},
    {.op = "flip", .dtypes = VN_BIT(VN_F32), .kernel = options_told},
    {.op = "permute_dims", .dtypes = VN_BIT(VN_F32), .kernel = options_told, .options = "axes, axis"},
    {.op = "concat", .dtypes = VN_BIT(VN_F32), .kernel = options_told, .options = "axis axis"},
    {.op = "add", .dtypes = VN_BIT(VN_F32), .kernel = add_in_place, .data = &(const binary_op){apply_add}},
    {.op = "mul", .dtypes = VN_BIT(VN_F32), .kernel = binary, .data = &(const binary_op){apply_mul}},
    {.op = "sub", .dtypes = VN_BIT(VN_F32), .kernel = no_result},
    {.op = "div", .dtypes = VN_BIT(VN_F32), .kernel = cannot_compute},
    {.op = "topk", .dtypes = VN_BIT(VN_F32), .kernel = both_results},
    {0},
};

/* ---- several engines, devices, DLPack ---- */

struct vn_context {
    int device;
    char place[32];
};
enum { DEVICES = 3 };
static vn_context devices[DEVICES];

static int device_count(void)
{
    return DEVICES;
}

static int open_device(int device, vn_context **out)
{
    devices[device].device = device;
    snprintf(devices[device].place, sizeof devices[device].place, "device %d", device);
    *out = &devices[device];
    return VN_OK;
}

static const char *place_of(vn_context *context)
{
    return context->place;
}

/* Its memory is nothing the host could read. */
static int no_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)buf, (void)desc, (void)data;
    return host->error(VN_E_UNSUPPORTED, "the host cannot read the memory of %s", context->place);
}

/* DLPack's struct, as far as both sides here look at it: the buffer itself is handed over. */
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct DLManagedTensorVersioned *self);
};

static void delete_tensor(struct DLManagedTensorVersioned *tensor)
{
    release(NULL, tensor->manager);
    free(tensor);
}

static int to_tensor(vn_context *context, vn_buf *buf, const vn_desc *desc, void *stream, struct DLManagedTensorVersioned **out)
{
    (void)desc, (void)stream;
    struct DLManagedTensorVersioned *tensor = malloc(sizeof *tensor);
    if (!tensor) return host->error(VN_E_MEM, "many: out of memory");
    retain(context, buf);
    *tensor = (struct DLManagedTensorVersioned){1, 0, buf, delete_tensor};
    *out = tensor;
    return VN_OK;
}

static int from_tensor(vn_context *context, const vn_desc *desc, struct DLManagedTensorVersioned *tensor, void *stream, vn_buf **out)
{
    (void)desc, (void)stream;
    retain(context, *out = tensor->manager);
    tensor->deleter(tensor);
    return VN_OK;
}

static int refuse_tensor(vn_context *context, const vn_desc *desc, struct DLManagedTensorVersioned *tensor, void *stream, vn_buf **out)
{
    (void)context, (void)desc, (void)tensor, (void)stream, (void)out;
    return host->error(VN_E_ENGINE, "few: no tensors of others");
}

static int cannot_describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    (void)context, (void)line, (void)to;
    return host->error(VN_E_ENGINE, "describing: there are no words for it");
}

static void hold(void)
{
    const char *file = getenv("ACTOR_HOLD");
    atomic_fetch_add(&actor_counts.inside, 1);
    while (file && !access(file, F_OK)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_sub(&actor_counts.inside, 1);
}

static int open_slowly(int device, vn_context **out)
{
    (void)device, (void)out;
    hold();
    return VN_OK;
}

/* ---- the part ---- */

static void find_name(void)
{
    Dl_info info;
    const char *slash = dladdr(&mine, &info) ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(name, sizeof name, "%.*s", slash ? (int)strcspn(slash + 1, ".") : 0, slash ? slash + 1 : "");
}

static vn_engine gpu, npu;
static const vn_engine *const both[] = {&mine, &gpu, &npu}, *const null[] = {NULL};
static vn_plugin brought = {.abi = VN_ENGINE_ABI, .size = sizeof(vn_plugin), .n_engines = 1, .engines = both};

__attribute__((visibility("default"))) const vn_plugin *vinea_engine_main(const vn_host *given)
{
    const vn_plugin *template = template_main(given);
    if (!template) return NULL;
    find_name();
    mine = *template->engines[0];
    mine.name = name;
    if (!strcmp(name, "newer")) brought.abi = VN_ENGINE_ABI + 1;
    if (!strcmp(name, "older")) mine.size = offsetof(vn_engine, version);
    if (!strcmp(name, "stranger")) mine.name = "someone";
    if (!strcmp(name, "broken")) mine.open = cannot_open;
    if (!strcmp(name, "wrong")) mine.kernels = wrong_rows, mine.version = version_nine;
    if (!strcmp(name, "kernels")) mine.kernels = kernel_rows, mine.unprepare = forget;
    if (!strcmp(name, "compiling"))
        mine.compile = compile_program, mine.execute = execute_program, mine.discard = discard_program, mine.explain = explain_program;
    if (!strcmp(name, "many") || !strcmp(name, "few") || !strcmp(name, "deep")) {
        static char gpu_name[sizeof name + 4], npu_name[sizeof name + 4];
        snprintf(gpu_name, sizeof gpu_name, "%s:gpu", name), snprintf(npu_name, sizeof npu_name, "%s:npu", name);
        if (!strcmp(name, "deep")) mine.stack = 1 << 20, mine.describe = cannot_describe;
        brought.n_engines = 2;
        mine.from_dlpack = strcmp(name, "few") ? from_tensor : refuse_tensor;
        gpu = mine;
        gpu.name = gpu_name;
        npu = mine, npu.name = npu_name;
        if (!strcmp(name, "deep")) brought.n_engines = 3;
        gpu.open = open_device, gpu.devices = device_count, gpu.where = place_of, gpu.to_host = no_host, gpu.to_dlpack = to_tensor;
    }
    if (!strcmp(name, "nothing")) brought.n_engines = 0;
    if (!strcmp(name, "nowhere")) brought.engines = NULL;
    if (!strcmp(name, "null")) brought.engines = null;
    if (!strcmp(name, "nameless")) mine.name = NULL;
    if (!strcmp(name, "mine")) mine.name = "miner";
    if (!strcmp(name, "bare")) mine.size = offsetof(vn_engine, open);
    if (!strcmp(name, "describing")) mine.describe = cannot_describe;
    if (!strcmp(name, "slow")) mine.open = open_slowly;
    if (!strcmp(name, "slower")) hold();
    if (!strcmp(name, "refusing")) return NULL;
    return &brought;
}
