/* SPDX-License-Identifier: Apache-2.0 */
/* rejected.c: errors inside an engine. The core never passes invalid shapes, so here the test is the host: it opens the plugin
 * itself and passes invalid programs. Shapes that the framework rejects are an error with the framework's message; a singular
 * matrix gives inf or NaN without affecting the others of its batch; the engine works after each. */
/* ctest: faults */
/* ctest: engines */
#include "check.h"
#include <dlfcn.h>
#include <stdarg.h>
#include "plugin/plugin.h"
#include "engine/engine.h"

/* ---- the host ---- */

static char text[2048]; /* of the last error */

__attribute__((format(printf, 2, 3))) static int error(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return code;
}

__attribute__((format(printf, 1, 2))) static void no_log(const char *format, ...)
{
    (void)format;
}

static void *allocate(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static int any_threads(void)
{
    return 0;
}

static const vn_engine *engine;
static vn_context *context;

/* Loads the plugin from the folder of the build. NULL, and what is missing in `text`, where it cannot be opened. */
static const vn_engine *open_plugin(const char *name)
{
    static char path[4096];
    static vn_host host = {VN_ENGINE_ABI, sizeof host, error,       no_log,           allocate,         free,
                           any_threads,   NULL,        vn__trusted, vn__library_fine, vn__library_open, vn__stack_left};
    const char *folder = getenv("VINEA_ENGINE_PATH");
    host.folder = folder ? folder : ".";
    snprintf(path, sizeof path, "%s/%s.so", host.folder, name);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = plugin ? dlsym(plugin, "vinea_engine_main") : NULL;
    vn_engine_main_fn entry;
    memcpy(&entry, &symbol, sizeof symbol);
    if (!symbol) return error(VN_E_ENGINE, "%s: no plugin", path), NULL;
    const vn_plugin *found = entry(&host);
    return found && found->engines[0]->open(0, &context) == VN_OK ? found->engines[0] : NULL;
}

/* ---- one op, as the engine's own row computes it ---- */

typedef struct operand {
    int32_t rank;
    int64_t dims[3];
    const float *values;
} operand;

static vn_desc desc_of(const operand *o)
{
    vn_desc d = {.dtype = VN_F32, .rank = o->rank, .count = 1, .dims = o->dims};
    for (int32_t i = 0; i < o->rank; i++) d.count *= o->dims[i];
    return d;
}

static const vn_kernel_row *row_of(const char *op)
{
    const vn_kernel_row *row = engine->kernels;
    while (row->op && strcmp(row->op, op) != 0) row++;
    return row->op ? row : NULL;
}

static int run_program(const vn_program *program, vn_buf *const *in, vn_buf **out)
{
    if (!engine->compile) {
        void *prepared = NULL;
        const uint8_t dying[] = {0, 0};
        const vn_kernel_call call = {.size = sizeof call,
                                     .context = context,
                                     .program = program,
                                     .instr = program->instrs[0],
                                     .in = in,
                                     .dying = dying,
                                     .out = out,
                                     .prepared = &prepared};
        int code = call.instr->row->kernel(&call);
        if (prepared && engine->unprepare) engine->unprepare(context, prepared);
        return code;
    }
    vn_exe *exe = NULL;
    int code = engine->compile(context, program, &exe);
    if (!code) code = engine->execute(context, exe, &(const vn_launch){.size = sizeof(vn_launch), .in = in, .out = out});
    if (exe) engine->discard(context, exe);
    return code;
}

/* Computes op(x, y) into `result`, which has room for what `z` says. */
static int compute(const char *op, const vn_option *options, int32_t n_options, const operand *x, const operand *y, const operand *z,
                   float *result)
{
    const vn_desc values[] = {desc_of(x), desc_of(y), desc_of(z)};
    const int32_t in[] = {0, 1}, output = 2;
    const uint8_t donated[] = {0, 0}, used[] = {1, 1, 1};
    const vn_instr instr = {
        .op = op, .row = row_of(op), .options = options, .in = in, .n_options = n_options, .n_in = 2, .out = 2, .n_out = 1};
    const vn_instr *const instrs[] = {&instr};
    const vn_program program = {.size = sizeof program,
                                .n_inputs = 2,
                                .n_instrs = 1,
                                .n_values = 3,
                                .n_outputs = 1,
                                .values = values,
                                .instrs = instrs,
                                .outputs = &output,
                                .donated = donated,
                                .used = used,
                                .hash = 1};
    const operand *operands[] = {x, y};
    vn_buf *bufs[] = {NULL, NULL}, *out = NULL;
    int code = VN_OK;
    text[0] = 0;
    for (int k = 0; k < 2 && !code; k++) {
        const vn_host_memory memory = {operands[k]->values, (size_t)values[k].count * sizeof(float), NULL, NULL};
        code = engine->from_host(context, &values[k], &memory, &bufs[k]);
    }
    if (!code) code = run_program(&program, bufs, &out);
    const void *data = NULL;
    if (!code) code = engine->to_host(context, out, &values[2], &data);
    if (!code) memcpy(result, data, (size_t)values[2].count * sizeof(float));
    if (out) engine->release(context, out);
    for (int k = 0; k < 2; k++)
        if (bufs[k]) engine->release(context, bufs[k]);
    return code;
}

static bool goes_on(void)
{
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    const operand x = {2, {2, 3}, numbers};
    float sum[6] = {0};
    return compute("add", NULL, 0, &x, &x, &x, sum) == VN_OK && sum[0] == 2 && sum[5] == 12;
}

/* ---- invalid programs ---- */

/* An error with the engine's name, the op's, and the framework's words, which name both sizes that do not go together. */
static bool rejected(int code, const char *op, char a, char b)
{
    if (code == VN_OK) return false;
    const char *words = strstr(text, engine->name) == text ? strstr(text, op) : NULL;
    return words && strchr(words, a) && strchr(words, b);
}

TEST(shapes)
{
    if (!engine) return;
    const float numbers[35] = {0};
    const operand x = {2, {2, 3}, numbers}, y = {2, {5, 7}, numbers}, sum = {2, {2, 3}, NULL}, product = {2, {2, 7}, NULL};
    float result[35];
    const struct {
        const char *op;
        const operand *z;
    } calls[] = {{"add", &sum}, {"maximum", &sum}, {"matmul", &product}};
    for (int k = 0; k < 3; k++) {
        int code = compute(calls[k].op, NULL, 0, &x, &y, calls[k].z, result);
        CHECK(rejected(code, calls[k].op, '3', k == 2 ? '5' : '7'));
        CHECK(goes_on());
    }
}

/* The second of three matrices has no inverse. */
TEST(singular)
{
    if (!engine) return;
    const float matrices[] = {2, 0, 0, 4, 1, 0, 2, 0, 1, 0, 0, 1}, ones[] = {1, 1, 1, 1, 1, 1};
    const operand a = {3, {3, 2, 2}, matrices}, b = {3, {3, 2, 1}, ones};
    const vn_option triangle[] = {{.name = "upper", .kind = VN_OPT_INT, .u.i = 0},
                                  {.name = "transpose", .kind = VN_OPT_INT, .u.i = 0},
                                  {.name = "unit", .kind = VN_OPT_INT, .u.i = 0}};
    static const char *const ops[] = {"solve", "solve_triangular"};
    for (int k = 0; k < 2; k++) {
        float x[6] = {0};
        if (!row_of(ops[k])) continue; /* the native engine computes it */
        int code = compute(ops[k], triangle, k ? 3 : 0, &a, &b, &b, x);
        CHECK(code == VN_OK && x[0] == .5f && x[1] == .25f && !isfinite(x[3]) && x[4] == 1 && x[5] == 1);
        CHECK(goes_on());
    }
}

/* The native engine is not a plugin and trusts the core, which checks shapes. */
TEST(by_the_core)
{
    vn_array *x = vn_ones(VN_SHAPE(2, 3), VN_F32), *y = vn_ones(VN_SHAPE(5, 7), VN_F32);
    CHECK_FAILS(vn_add(x, y), VN_E_SHAPE, "add");
    CHECK_FAILS(vn_matmul(x, y), VN_E_SHAPE, "matmul");
    CHECK(vn_item(vn_sum(vn_add(x, x), VN_ALL)) == 12);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "native";
    const bool native = strcmp(name, "native") == 0;
    if (!native && !(engine = open_plugin(name))) {
        fprintf(stderr, "%s\n", text);
        return 77;
    }
    run_tests();
    return finish();
}
