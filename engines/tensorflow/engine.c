/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c: the tensorflow engine: opening, closing and the table the core sees. Reading order: kernels.c (the kernel table), build.c
 * (building graphs), program.c (running them), buffer.c, api.c, registered.c. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "buffer.h"
#include "program.h"
#include "registered.h"
#include "kernels.h"
#include "plugin.h"

const vn_host *host;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* serialises open and close */

/* Looks up every op that a row uses. *usable is 0, with a log message, if one has no CPU kernel. */
static int check_row(const vn_kernel_row *row, int *usable)
{
    const spec *s = row->data;
    *usable = 1;
    for (size_t i = 0; i < sizeof s->ops / sizeof *s->ops && s->ops[i]; i++) {
        uint32_t mask;
        int code = registered_find(s->ops[i], &mask);
        if (code) return code;
        if (mask) continue;
        host->log("tensorflow %s has no CPU kernel %s: %s falls back to native", api.TF_Version(), s->ops[i], row->op);
        *usable = 0;
        break;
    }
    return VN_OK;
}

static int check_rows(void)
{
    int n = 0, code, usable;
    uint32_t mask;
    for (const char *const *op = optional_ops; *op; op++)
        if ((code = registered_find(*op, &mask))) return code;
    for (const vn_kernel_row *row = all_rows; row->op; row++) {
        if ((code = check_row(row, &usable))) return code;
        if (usable) usable_rows[n++] = *row;
    }
    usable_rows[n] = (vn_kernel_row){0};
    return VN_OK;
}

static void give_back(void)
{
    program_close();
    registered_clear();
}

static const vn_kernel_row *row_of(const char *op)
{
    const vn_kernel_row *row = usable_rows;
    while (row->op && strcmp(row->op, op) != 0) row++;
    return row->op ? row : NULL;
}

/* Runs one tiny program, so that TensorFlow's messages at its first run are suppressed. */
static int first_run(void)
{
    const vn_kernel_row *row = row_of("neg");
    const vn_desc values[] = {{.dtype = VN_F32, .count = 1}, {.dtype = VN_F32, .count = 1}};
    const int32_t in = 0, out = 1;
    const uint8_t donated = 0, used[] = {1, 1};
    const vn_instr instr = {.op = "neg", .row = row, .in = &in, .n_in = 1, .out = 1, .n_out = 1};
    const vn_program program = {.size = sizeof program,
                                .n_inputs = 1,
                                .n_instrs = 1,
                                .n_values = 2,
                                .n_outputs = 1,
                                .values = values,
                                .instrs = &(const vn_instr *){&instr},
                                .outputs = &out,
                                .donated = &donated,
                                .used = used};
    const float number = 1;
    const vn_host_memory memory = {.data = &number, .bytes = sizeof number};
    vn_exe *exe = NULL;
    vn_buf *x = NULL, *z = NULL;
    if (!row) return VN_OK;
    int code = buffer_from_host(NULL, &values[0], &memory, &x);
    if (!code) code = program_compile(NULL, &program, &exe);
    if (!code) code = program_execute(NULL, exe, &(vn_launch){.size = sizeof(vn_launch), .in = &x, .out = &z});
    if (z) buffer_release(z);
    if (exe) program_discard(NULL, exe);
    if (x) buffer_release(x);
    return code;
}

static int first_run_quietly(void)
{
    int saved = api_quiet_begin();
    int code = first_run();
    api_quiet_end(saved);
    return code;
}

static int engine_open(int device, vn_context **out)
{
    (void)device, (void)out; /* one device, without state */
    pthread_mutex_lock(&lock);
    int code = api_load();
    if (!code) code = check_rows();
    if (!code) code = program_open();
    if (!code) code = first_run_quietly();
    if (code) give_back();
    pthread_mutex_unlock(&lock);
    return code;
}

static void engine_close(vn_context *context)
{
    (void)context;
    pthread_mutex_lock(&lock);
    give_back();
    pthread_mutex_unlock(&lock);
}

static const char *engine_version(vn_context *context)
{
    (void)context;
    return api.TF_Version();
}

static int engine_describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    (void)context;
    char threads[16];
    snprintf(threads, sizeof threads, "%d", program_threads());
    line(to, "device", "cpu");
    line(to, "threads", threads);
    return VN_OK;
}

static const char *where(vn_context *context)
{
    return (void)context, api_where();
}

VN_BUFFER_COUNTS(buffer_retain, buffer_release)

static const vn_engine engine = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "tensorflow",
    .open = engine_open,
    .close = engine_close,
    .version = engine_version,
    .where = where,
    .memory = buffer_memory,
    .from_host = buffer_from_host,
    .to_host = buffer_to_host,
    .retain = retain,
    .release = release,
    .kernels = usable_rows,
    .compile = program_compile,
    .execute = program_execute,
    .discard = program_discard,
    .explain = program_explain,
    .kernel_of = program_kernel_of,
    .describe = engine_describe,
    .stack = 256 << 10,
    .largest = 1024,
};

VN_PLUGIN(engine, host)
