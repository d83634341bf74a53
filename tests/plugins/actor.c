/* actor.c: a real engine, the template, that behaves according to its file name. The tests copy it under these names:
 *
 *     newer      was built for a later ABI          stranger   has another name than its file
 *     refusing   does not take this library         broken     cannot open its framework
 *     wrong      multiplies wrongly, cannot subtract, and is version 9.1
 *     compiling  takes whole programs               older      knows the first fields of the table only
 *     many       brings many and many:gpu, which has three devices and hands arrays over by DLPack
 *     anything else: the template itself */
#include <dlfcn.h>
#include <stdio.h>

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

/* ---- the part ---- */

static void find_name(void)
{
    Dl_info info;
    const char *slash = dladdr(&mine, &info) ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(name, sizeof name, "%.*s", slash ? (int)strcspn(slash + 1, ".") : 0, slash ? slash + 1 : "");
}

static vn_engine gpu;
static const vn_engine *const both[] = {&mine, &gpu};
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
    if (!strcmp(name, "compiling"))
        mine.compile = compile_program, mine.execute = execute_program, mine.discard = discard_program, mine.explain = explain_program;
    if (!strcmp(name, "many")) {
        brought.n_engines = 2;
        mine.from_dlpack = from_tensor;
        gpu = mine;
        gpu.name = "many:gpu";
        gpu.open = open_device, gpu.devices = device_count, gpu.where = place_of, gpu.to_host = no_host, gpu.to_dlpack = to_tensor;
    }
    if (!strcmp(name, "refusing")) return NULL;
    return &brought;
}
