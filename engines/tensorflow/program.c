/* SPDX-License-Identifier: Apache-2.0 */
/* program.c: compiles a vn_program into a graph with its own session, and runs it.
 *
 * It uses a session instead of a function of the eager runtime, because a session can run a graph in the calling thread, while a function
 * call always switches threads. With the single-threaded executor that is 1.4 us per call and 0.1 us per node, instead of 22 us and 0.25
 * us. Kernels still use all threads. For large programs the cost is worth it: independent ops run in parallel. A session is freed with
 * everything in it, and can be called from many threads at once. XLA was slower except for long chains on few elements, and takes 0.07 to
 * 0.45 s to compile a program. */
#include "program.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "buffer.h"
#include "build.h"
#include "kernels.h"
#include "stats.h"

struct vn_exe {
    const vn_program *program;
    TF_Graph *graph;
    TF_Session *session; /* NULL if there is nothing to compute */
    TF_Output *inputs;   /* n_inputs */
    TF_Output *fetches;  /* n_fetches: what the session computes, without duplicates */
    size_t *bytes;       /* of each fetch */
    int32_t *plan;       /* n_outputs: the number of a fetch, or -1 - the number of an input that is passed through */
    int32_t *first;      /* n_instrs + 1: the first node of each instruction, and how many nodes there are */
    TF_Session *timed;   /* for profiles, made when the first one asks: the executor of the caller's thread times nothing */
    pthread_mutex_t lock;
    int n_inputs, n_outputs, n_fetches, n_nodes;
};

enum { IN_CALLER, SIDE_BY_SIDE, N_WAYS }; /* how the nodes of a program run */
enum {
    MUCH_WORK = 1 << 20, /* elements touched; some 0.3 ms */
    FLOPS_A_TOUCH = 16   /* multiplications that take as long as touching one element */
};

static TF_SessionOptions *options[N_WAYS];

/* Appends a varint to a protocol buffer. */
static size_t put_varint(uint8_t *at, uint64_t value)
{
    size_t n = 0;
    for (; value > 0x7f; value >>= 7) at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

/* The variable with which OpenMP's programs say how idle threads wait; TensorFlow's own pool has only an option of the session. */
static bool waits_passively(void)
{
    const char *policy = secure_getenv("OMP_WAIT_POLICY");
    return policy && !strcasecmp(policy, "passive");
}

/* Writes the ConfigProto for one of the execution modes. Returns its length. */
static size_t config(uint8_t *at, int way, int threads)
{
    const int64_t inter = way == SIDE_BY_SIDE ? threads : -1;
    static const uint8_t no_gpu[] = {0x0a, 7, 0x0a, 3, 'G', 'P', 'U', 0x10, 0}; /* device_count {"GPU": 0} */
    /* graph_options.rewrite_options.disable_meta_optimizer: it costs some 20 ms a program and may reorder floating-point sums. */
    static const uint8_t as_written[] = {0x52, 5, 0x52, 3, 0x98, 0x01, 1};
    static const uint8_t executor[] = {0x82, 0x01, 26, 0x1a, 24}; /* experimental.executor_type */
    static const char name[] = "SINGLE_THREADED_EXECUTOR";
    static const uint8_t no_spinning[] = {0x82, 0x01, 2, 0x48, 1}; /* experimental.disable_thread_spinning */
    size_t n = 0;
    memcpy(at, no_gpu, sizeof no_gpu), n += sizeof no_gpu;
    at[n++] = 0x10, n += put_varint(at + n, (uint64_t)threads); /* intra_op_parallelism_threads */
    at[n++] = 0x28, n += put_varint(at + n, (uint64_t)inter);   /* inter_op_parallelism_threads; -1: in the calling thread */
    memcpy(at + n, as_written, sizeof as_written), n += sizeof as_written;
    if (waits_passively()) memcpy(at + n, no_spinning, sizeof no_spinning), n += sizeof no_spinning;
    if (way == SIDE_BY_SIDE) return n;
    memcpy(at + n, executor, sizeof executor), n += sizeof executor;
    memcpy(at + n, name, sizeof name - 1), n += sizeof name - 1;
    return n;
}

/* The user's setting, or one thread per processor available to this process. */
int program_threads(void)
{
    int n = host->threads();
#if defined(__linux__)
    cpu_set_t set;
    if (n < 1 && sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    if (n < 1) n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n;
}

static int open_way(int way, TF_Status *status)
{
    uint8_t proto[128];
    size_t bytes = config(proto, way, program_threads());
    options[way] = api.TF_NewSessionOptions();
    if (!options[way] || !status) return host->error(VN_E_MEM, "tensorflow: out of memory while loading");
    api.TF_SetConfig(options[way], proto, bytes, status);
    return api.TF_GetCode(status) == TF_OK ? VN_OK : api_error(status, "configuration");
}

int program_open(void)
{
    int code = VN_OK;
    TF_Status *status = api.TF_NewStatus();
    for (int way = 0; way < N_WAYS && !code; way++) code = open_way(way, status);
    if (status) api.TF_DeleteStatus(status);
    if (code) program_close();
    return code;
}

void program_close(void)
{
    for (int way = 0; way < N_WAYS; way++) {
        if (options[way]) api.TF_DeleteSessionOptions(options[way]);
        options[way] = NULL;
    }
}

/* A rough count of the elements that an instruction touches. For a matrix product of n * k, k * m and n * m elements it is the root of
 * their product, n * k * m; for a convolution somewhat less. */
static double work_of(const vn_program *p, const vn_instr *instr)
{
    double sum = (double)p->values[instr->out].count, product = sum;
    for (int k = 0; k < instr->n_in; k++) {
        double n = (double)p->values[instr->in[k]].count;
        sum += n, product *= n;
    }
    const spec *s = instr->row ? instr->row->data : NULL;
    return s && s->product ? sqrt(product) / FLOPS_A_TOUCH : sum;
}

static int best_way(const vn_program *p)
{
    double work = 0;
    for (int i = 0; i < p->n_instrs; i++) work += work_of(p, p->instrs[i]);
    return p->n_instrs > 1 && work > MUCH_WORK && program_threads() > 1 ? SIDE_BY_SIDE : IN_CALLER;
}

/* Emits placeholders and instructions. Returns the builder's code. */
static int emit_all(builder *b, int32_t *first)
{
    const vn_program *p = b->program;
    for (int i = 0; i < p->n_inputs && !b->code; i++) b->values[i] = build_placeholder(b, i, &p->values[i]);
    for (int i = 0; i < p->n_instrs && !b->code; i++) {
        b->instr = p->instrs[i];
        first[i] = b->n_nodes;
        if (!b->instr->row || !b->instr->row->emit) build_fail(b, VN_E_UNSUPPORTED, "not an op of this engine");
        else b->instr->row->emit(b, p, b->instr);
    }
    b->instr = NULL;
    first[p->n_instrs] = b->n_nodes;
    return b->code;
}

static int same(TF_Output x, TF_Output y)
{
    return x.oper == y.oper && x.index == y.index;
}

/* Determines the source of each output. A session refuses to fetch what it is fed, so inputs are passed through here, including those that
 * a no-op (a reshape to the same shape) passes on. */
static void plan_outputs(vn_exe *exe, const builder *b)
{
    for (int i = 0; i < exe->n_outputs; i++) {
        int32_t number = b->program->outputs[i];
        TF_Output y = b->values[number];
        int from = 0;
        while (from < exe->n_inputs && !same(exe->inputs[from], y)) from++;
        if (from < exe->n_inputs) {
            exe->plan[i] = -1 - from;
            continue;
        }
        for (from = 0; from < exe->n_fetches && !same(exe->fetches[from], y);) from++;
        if (from == exe->n_fetches) {
            const vn_desc *desc = &b->program->values[number];
            exe->bytes[from] = (size_t)desc->count * dtype_bytes(desc->dtype);
            exe->fetches[exe->n_fetches++] = y;
        }
        exe->plan[i] = from;
    }
}

static int compile_with(builder *b, vn_exe *exe)
{
    if (emit_all(b, exe->first)) return b->code;
    if (exe->n_inputs) memcpy(exe->inputs, b->values, (size_t)exe->n_inputs * sizeof *exe->inputs);
    plan_outputs(exe, b);
    exe->n_nodes = b->n_nodes;
    if (!exe->n_fetches) return VN_OK;
    exe->session = api.TF_NewSession(exe->graph, options[best_way(b->program)], b->status);
    return api.TF_GetCode(b->status) == TF_OK ? VN_OK : api_error(b->status, "program");
}

/* Allocates an executable and its lists as one block. */
static vn_exe *new_exe(const vn_program *p)
{
    size_t inputs = (size_t)p->n_inputs, outputs = (size_t)p->n_outputs;
    vn_exe *exe = calloc(1, sizeof *exe + (inputs + outputs) * sizeof(TF_Output) + outputs * (sizeof(size_t) + sizeof(int32_t)) +
                                ((size_t)p->n_instrs + 1) * sizeof(int32_t));
    if (!exe) return NULL;
    pthread_mutex_init(&exe->lock, NULL);
    exe->inputs = (TF_Output *)(void *)(exe + 1);
    exe->fetches = exe->inputs + inputs;
    exe->bytes = (size_t *)(void *)(exe->fetches + outputs);
    exe->plan = (int32_t *)(void *)(exe->bytes + outputs);
    exe->first = exe->plan + outputs;
    exe->n_inputs = p->n_inputs;
    exe->n_outputs = p->n_outputs;
    exe->program = p;
    return exe;
}

int program_compile(vn_context *context, const vn_program *program, vn_exe **out)
{
    builder b = {.program = program};
    vn_exe *exe = new_exe(program);
    int code = VN_E_MEM;
    b.status = api.TF_NewStatus();
    b.values = calloc((size_t)program->n_values + 1, sizeof *b.values);
    b.graph = api.TF_NewGraph();
    if (exe) exe->graph = b.graph;
    if (exe && b.status && b.values && b.graph) code = compile_with(&b, exe);
    else host->error(VN_E_MEM, "tensorflow: out of memory for a program of %d ops", (int)program->n_instrs);
    if (code == VN_OK) *out = exe;
    else if (exe) program_discard(context, exe);
    else if (b.graph) api.TF_DeleteGraph(b.graph);
    free(b.values);
    if (b.status) api.TF_DeleteStatus(b.status);
    return code;
}

void program_discard(vn_context *context, vn_exe *exe)
{
    (void)context;
    TF_Status *status = exe->session ? api.TF_NewStatus() : NULL;
    TF_Session *sessions[] = {exe->session, exe->timed};
    for (int k = 0; k < 2 && status; k++) {
        if (!sessions[k]) continue;
        api.TF_CloseSession(sessions[k], status);
        api.TF_DeleteSession(sessions[k], status);
    }
    if (status) api.TF_DeleteStatus(status);
    if (exe->graph) api.TF_DeleteGraph(exe->graph);
    pthread_mutex_destroy(&exe->lock);
    free(exe);
}

/* Wraps the session's results in buffers, which own the tensors: all or none. */
static int wrap_results(const vn_exe *exe, TF_Tensor **results, vn_buf **bufs)
{
    for (int i = 0; i < exe->n_fetches; i++) {
        size_t bytes = api.TF_TensorByteSize(results[i]);
        int code = VN_OK;
        if (bytes != exe->bytes[i])
            code = host->error(VN_E_ENGINE, "tensorflow: a result has %zu bytes where %zu were expected", bytes, exe->bytes[i]);
        else if (!(bufs[i] = buffer_wrap(results[i]))) code = host->error(VN_E_MEM, "tensorflow: out of memory for a result");
        if (!code) continue;
        for (int k = i; k < exe->n_fetches; k++) api.TF_DeleteTensor(results[k]);
        while (i-- > 0) buffer_release(bufs[i]);
        return code;
    }
    return VN_OK;
}

/* Names the program in an error: the executor does not say which op failed. */
static int run_error(const vn_exe *exe, const TF_Status *status)
{
    const vn_program *p = exe->program;
    const char *last = p->n_instrs ? p->instrs[p->n_instrs - 1]->op : "nothing";
    char what[96];
    if (p->n_instrs == 1) snprintf(what, sizeof what, "%s", last);
    else snprintf(what, sizeof what, "a program of %d ops that ends in %s", (int)p->n_instrs, last);
    return api_error(status, what);
}

/* The session for profiles; NULL if it cannot be had. */
static TF_Session *timed_session(vn_exe *exe, TF_Status *status)
{
    pthread_mutex_lock(&exe->lock);
    if (!exe->timed) exe->timed = api.TF_NewSession(exe->graph, options[SIDE_BY_SIDE], status);
    if (api.TF_GetCode(status) != TF_OK) exe->timed = NULL;
    pthread_mutex_unlock(&exe->lock);
    return exe->timed;
}

/* Runs the session: feeds -> results -> bufs. times: NULL, or vn_launch.times. */
static int run(vn_exe *exe, TF_Tensor *const *feeds, TF_Tensor **results, vn_buf **bufs, int64_t *times)
{
    static const uint8_t full_trace[] = {0x08, 3}; /* RunOptions.trace_level */
    const TF_Buffer asked = {.data = full_trace, .length = sizeof full_trace};
    TF_Status *status = api.TF_NewStatus();
    if (!status) return host->error(VN_E_MEM, "tensorflow: out of memory");
    TF_Session *session = times ? timed_session(exe, status) : NULL;
    TF_Buffer *told = session ? api.TF_NewBuffer() : NULL;
    api.TF_SessionRun(told ? session : exe->session, told ? &asked : NULL, exe->inputs, feeds, exe->n_inputs, exe->fetches, results,
                      exe->n_fetches, NULL, 0, told, status);
    int code = api.TF_GetCode(status) == TF_OK ? VN_OK : run_error(exe, status);
    if (told && !code) stats_read(told->data, told->length, exe->first, exe->program->n_instrs, times);
    if (told) api.TF_DeleteBuffer(told);
    api.TF_DeleteStatus(status);
    return code ? code : wrap_results(exe, results, bufs);
}

int program_execute(vn_context *context, vn_exe *exe, const vn_launch *launch)
{
    (void)context;
    vn_buf *const *in = launch->in, **out = launch->out;
    void *few[48], **room = few;
    size_t need = (size_t)exe->n_inputs + 2 * (size_t)exe->n_fetches;
    if (need > sizeof few / sizeof *few && !(room = malloc(need * sizeof *room)))
        return host->error(VN_E_MEM, "tensorflow: out of memory for a call with %d inputs", exe->n_inputs);
    TF_Tensor **feeds = (TF_Tensor **)(void *)room, **results = feeds + exe->n_inputs;
    vn_buf **bufs = (vn_buf **)(void *)(results + exe->n_fetches);
    for (int i = 0; i < exe->n_inputs; i++) feeds[i] = buffer_tensor(in[i]);
    for (int i = 0; i < exe->n_fetches; i++) results[i] = NULL;
    int64_t *times = launch->size > offsetof(vn_launch, times) ? launch->times : NULL;
    int code = exe->n_fetches ? run(exe, feeds, results, bufs, times) : VN_OK;
    if (!code) {
        for (int i = 0; i < exe->n_outputs; i++) buffer_retain(out[i] = exe->plan[i] < 0 ? in[-1 - exe->plan[i]] : bufs[exe->plan[i]]);
        for (int i = 0; i < exe->n_fetches; i++) buffer_release(bufs[i]); /* the first reference; each output took its own */
    }
    if (room != few) free(room);
    return code;
}

int program_explain(vn_context *context, vn_exe *exe, void (*line)(void *to, const char *text), void *to)
{
    (void)context;
    char text[96];
    snprintf(text, sizeof text, "graph vinea_%016" PRIx64 ": %d nodes", exe->program->hash, exe->n_nodes);
    line(to, text);
    return VN_OK;
}

int32_t program_kernel_of(vn_context *context, vn_exe *exe, int32_t *of)
{
    (void)context;
    const int32_t n = exe->program->n_instrs;
    for (int32_t k = 0; k < n; k++) of[k] = exe->first[k + 1] > exe->first[k] ? k : -1; /* without a node: it changes nothing */
    return n;
}
