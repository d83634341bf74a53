/* actor.c: a real engine, the template, that plays the part its file is named after. The tests copy it under these names:
 *
 *     newer      was built for a later ABI          stranger   has another name than its file
 *     refusing   does not take this library         broken     cannot open its framework
 *     wrong      multiplies wrongly, cannot subtract, and is version 9.1
 *     compiling  takes whole programs               older      knows the first fields of the table only
 *     anything else: the template itself */
#include <dlfcn.h>
#include <stdio.h>

#define vinea_engine_main template_main
#include "../../engines/template/template.c"
#undef vinea_engine_main

static vn_engine mine;
static char name[64];

static int cannot_open(void)
{
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

static const char *version_nine(void)
{
    return "9.1";
}

/* ---- whole programs: the kernels one after the other ---- */

struct vn_exe {
    const vn_program *program;
};

static int compile_program(const vn_program *program, vn_exe **out)
{
    vn_exe *exe = malloc(sizeof *exe);
    if (!exe) return host->error(VN_E_MEM, "compiling: out of memory");
    exe->program = program;
    *out = exe;
    return VN_OK;
}

static int execute_program(vn_exe *exe, vn_buf *const *in, vn_buf **out)
{
    const vn_program *p = exe->program;
    vn_buf **values = calloc((size_t)p->n_values, sizeof *values);
    int code = values ? VN_OK : host->error(VN_E_MEM, "compiling: out of memory");
    for (int v = 0; v < p->n_inputs && !code; v++) retain(values[v] = in[v]);
    for (int k = 0; k < p->n_instrs && !code; k++) {
        const vn_instr *i = &p->instrs[k];
        vn_buf *arguments[] = {values[i->in[0]], values[i->in[1]]};
        void *prepared = NULL;
        const vn_kernel_call call = {sizeof call, 0, p, i, arguments, &values[i->out], &prepared};
        code = i->row->kernel(&call);
    }
    for (int k = 0; k < p->n_outputs && !code; k++) retain(out[k] = values[p->outputs[k]]);
    for (int v = 0; values && v < p->n_values; v++)
        if (values[v]) release(values[v]);
    free(values);
    return code;
}

static void discard_program(vn_exe *exe)
{
    free(exe);
}

static int explain_program(vn_exe *exe, void (*line)(void *to, const char *text), void *to)
{
    char text[64];
    snprintf(text, sizeof text, "a program of %d ops", exe->program->n_instrs);
    return line(to, text), VN_OK;
}

/* ---- the part ---- */

static void find_name(void)
{
    Dl_info info;
    const char *slash = dladdr(&mine, &info) ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(name, sizeof name, "%.*s", slash ? (int)strcspn(slash + 1, ".") : 0, slash ? slash + 1 : "");
}

__attribute__((visibility("default"))) const vn_engine *vinea_engine_main(const vn_host *given)
{
    const vn_engine *template = template_main(given);
    if (!template) return NULL;
    find_name();
    mine = *template;
    mine.name = name;
    if (!strcmp(name, "newer")) mine.abi = VN_ENGINE_ABI + 1;
    if (!strcmp(name, "older")) mine.size = offsetof(vn_engine, version);
    if (!strcmp(name, "stranger")) mine.name = "someone";
    if (!strcmp(name, "broken")) mine.open = cannot_open;
    if (!strcmp(name, "wrong")) mine.kernels = wrong_rows, mine.version = version_nine;
    if (!strcmp(name, "compiling"))
        mine.compile = compile_program, mine.execute = execute_program, mine.discard = discard_program, mine.explain = explain_program;
    if (!strcmp(name, "refusing")) return NULL;
    return &mine;
}
