/* SPDX-License-Identifier: Apache-2.0 */
/* jax.c: the jax engine: opens JAX in the shared interpreter and moves arrays in and out. Programs are compiled whole (program.c).
 *
 * A buffer from the host is a NumPy array on the host's memory, which JAX accepts as it is; from its second use on it also has a JAX
 * array (program.c). A result is a JAX array, which may still be in flight: to_host waits. */
#include "jax_engine.h"

#include "arrange_py.h"
#include "elementwise_py.h"
#include "fft_py.h"
#include "linalg_py.h"
#include "recurrent_py.h"
#include "replay_py.h"
#include "special_py.h"
#include "window_py.h"
#include "plugin.h"

#include <stdio.h>

const vn_host *jax_host;
jax_functions jax_replay;

static PyObject *wait_name, *pointer_name;

/* Runs replay.py, whose module it returns, and then the families of ops, which import it. */
static PyObject *run_replay(void)
{
    static const struct {
        const char *stem, *text;
    } families[] = {{"elementwise", elementwise_py}, {"arrange", arrange_py},     {"special", special_py}, {"linalg", linalg_py},
                    {"window", window_py},           {"recurrent", recurrent_py}, {"fft", fft_py}};
    PyObject *replay = vn_python_run("jax", "replay", replay_py);
    for (size_t i = 0; replay && i < sizeof families / sizeof *families; i++) {
        PyObject *family = vn_python_run("jax", families[i].stem, families[i].text);
        vn_python_drop(family);
        if (family) continue;
        py.Py_DecRef(replay);
        return NULL;
    }
    return replay;
}

/* Calls setup of replay.py. */
static int set_up(PyObject *module)
{
    PyObject *setup = py.PyObject_GetAttrString(module, "setup"), *threads = py.PyLong_FromLongLong(jax_host->threads());
    PyObject *done = setup && threads ? py.PyObject_Vectorcall(setup, &threads, 1, NULL) : NULL;
    vn_python_drop(done);
    vn_python_drop(threads);
    vn_python_drop(setup);
    return done ? vn_python_read_package("jax") : -1;
}

/* Gets the functions of replay.py and binds the kernel table. */
static int bind(PyObject *module)
{
    struct {
        const char *name;
        PyObject **slot;
    } wanted[] = {{"build", &jax_replay.build},
                  {"direct", &jax_replay.direct},
                  {"place", &jax_replay.place},
                  {"copy", &jax_replay.copy},
                  {"tidy", &jax_replay.tidy}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        vn_python_drop(*wanted[i].slot); /* from an earlier open */
        if (!(*wanted[i].slot = py.PyObject_GetAttrString(module, wanted[i].name))) return -1;
    }
    if (!wait_name && !(wait_name = py.PyUnicode_InternFromString("block_until_ready"))) return -1;
    if (!pointer_name && !(pointer_name = py.PyUnicode_InternFromString("unsafe_buffer_pointer"))) return -1;
    return jax_bind(module);
}

static int open_engine(int device, vn_context **out)
{
    (void)device, (void)out; /* one device, without state */
    int state, code = vn_python_open(jax_host, "jax", "jax");
    if (!code) code = vn_nd_open(jax_host, "jax");
    if (code || (code = vn_python_enter(&state))) return code;
    PyObject *module = run_replay();
    if (!module || set_up(module) || bind(module)) code = vn_python_error("open");
    vn_python_drop(module);
    vn_python_leave(state);
    return code;
}

static void close_engine(vn_context *context)
{
    (void)context;
    int state;
    if (vn_python_enter(&state)) return;
    jax_catch_up();
    PyObject *done = jax_replay.tidy ? py.PyObject_Vectorcall(jax_replay.tidy, NULL, 0, NULL) : NULL;
    vn_python_drop(done);
    py.PyErr_Clear();
    vn_python_leave(state);
}

static int from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out)
{
    (void)context;
    return vn_nd_buf_from_host(desc, memory, 64, out); /* XLA uses memory in place only at this alignment */
}

PyObject *jax_wait(PyObject *array)
{
    return py.PyObject_VectorcallMethod(wait_name, &array, 1, NULL); /* borrowed from the buffer */
}

static int to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data)
{
    (void)context;
    static const char nothing[64];
    if (desc->count == 0 || vn_nd_is(buf->object)) {
        *data = desc->count ? vn_nd(buf->object)->data : nothing;
        return VN_OK;
    }
    int state, code = vn_python_enter(&state);
    if (code) return code;
    PyObject *ready = jax_wait(buf->object);
    PyObject *number = ready ? py.PyObject_VectorcallMethod(pointer_name, &ready, 1, NULL) : NULL;
    void *pointer = number ? py.PyLong_AsVoidPtr(number) : NULL;
    if (pointer) *data = pointer;
    else code = vn_python_error("to_host");
    vn_python_drop(number);
    vn_python_drop(ready);
    vn_python_leave(state);
    return code;
}

static int describe(vn_context *context, void (*line)(void *to, const char *key, const char *value), void *to)
{
    (void)context;
    char threads[16];
    int n = py.ours ? jax_host->threads() : 0; /* in a user's Python we do not control the thread pool */
    snprintf(threads, sizeof threads, "%d", n);
    line(to, "device", "cpu");
    line(to, "threads", n > 0 ? threads : "as JAX decides");
    return VN_OK;
}

/* Rounding pays only where the processor multiplies bfloat16: XLA widens it elsewhere. */
static uint32_t precisions(vn_context *context)
{
    (void)context;
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 10)
    return __builtin_cpu_supports("avx512bf16") ? VN_BIT(VN_PRECISION_BF16) : 0;
#else
    return 0;
#endif
}

static const vn_engine self = {
    .size = sizeof(vn_engine),
    .row_size = sizeof(vn_kernel_row),
    .name = "jax",
    .open = open_engine,
    .close = close_engine,
    .version = vn_python_version,
    .where = vn_python_where,
    .from_host = from_host,
    .to_host = to_host,
    .retain = vn_python_engine_retain,
    .release = vn_python_engine_release,
    .kernels = jax_kernels,
    .compile = jax_compile,
    .execute = jax_execute,
    .discard = jax_discard,
    .explain = jax_explain,
    .describe = describe,
    .finish = jax_finish,
    .stack = 256 << 10,
    .largest = 1024,
    .precisions = precisions,
};

VN_PLUGIN(self, jax_host)
