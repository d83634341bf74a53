/* SPDX-License-Identifier: Apache-2.0 */
/* small_stacks.c: threads with small stacks. The native engine computes every op, and linear algebra above its panel size, on 64 KB;
 * with less, the first call is an error. Other engines work with the size they request and refuse less, so nothing overflows. */
/* ctest: engines */
/* ctest: timeout 900 */
#include "check.h"
#include "ops/op.h"
#include "program/node.h"
#include "engine/engine.h"
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *engine;
static _Atomic int computed, refused;

/* Counts the outcome of a call: a value, or an error about the stack; anything else is a failure. */
static void count(vn_array *z)
{
    if (z && vn_eval(1, &z) == VN_OK) computed++;
    else if (vn_status() == VN_E_ENGINE && strstr(vn_message(), "stack")) refused++;
    else CHECK(vn_status() == VN_OK);
    vn_clear();
}

/* A small call of the op (engine/sample.c), its inputs moved to the engine. */
static void try_op(int op, int dtype)
{
    VN_SCOPE;
    vn_array *in[VN__MAX_IN], *out[VN__MAX_OUT] = {NULL}, *on_native[VN__MAX_OUT];
    vn_option options[VN__MAX_OPTIONS];
    vn_use("native");
    vn__node *made = vn__sample(vn__engine_default(), op, dtype, on_native);
    vn_clear();
    if (!made) return;
    const vn__op *row = &vn__ops[op];
    for (int k = 0; k < made->n_in; k++) {
        vn__node_retain(vn__node_in(made)[k]);
        in[k] = vn_to(vn__handle(vn__node_in(made)[k], "test"), engine);
    }
    vn__decode_options(row, vn__node_words(made), options);
    if (!vn_status()) vn__op_call(op, in, made->n_in, options, row->info.n_options, out, row->info.n_outputs);
    count(out[0]);
}

static void every_op(void)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_I64, VN_BF16, VN_C128, VN_BOOL};
    const int some = strcmp(engine, "jax") ? 1 : 40; /* which compiles every one */
    for (int op = 0; op < vn__op_count; op += some)
        for (int d = 0; d < 6 && (some == 1 || d == 0); d++) try_op(op, dtypes[d]);
}

static void large(void)
{
    VN_SCOPE;
    vn_use("native");
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(200, 200)), *c = vn_random_normal(0, 1, VN_SHAPE(2, 19, 19, 8)), *r;
    x = vn_to(x, engine), c = vn_to(c, engine);
    if (vn_status()) {
        count(NULL);
        return;
    }
    vn_array *w = vn_variable(vn_to(vn_from((float[3 * 3 * 8]){1}, VN_SHAPE(3, 3, 8, 1)), engine));
    count(vn_matmul(x, x));
    count(vn_solve(x, x));
    count(vn_solve(vn_cast(x, VN_F64), vn_cast(x, VN_F64)));
    count(vn_qr(vn_cast(x, VN_F64), NULL, &r));
    count(vn_sort(vn_reshape(x, VN_SHAPE(40000)), 0, NULL));
    count(vn_sum(x, VN_AXES(0)));
    count(vn_permute_dims(vn_add(x, x), VN_AXES(1, 0)));
    count(vn_grad(vn_sum(vn_square(vn_relu(vn_conv(c, w, VN_OPTS(conv, .pads = VN_LIST(1, 1, 1, 1), .dilations = {1, 1})))), VN_ALL), w));
    vn_array *line = vn_reshape(x, VN_SHAPE(40000)), *z = vn_complex(x, x);
    count(vn_fft(line, 0, NULL));
    count(vn_fft(line, 0, VN_OPTS(fft, .n = 10007))); /* a prime */
    count(vn_irfft(vn_fft(x, 1, NULL), 0, NULL));
    count(vn_matmul(z, z));
    count(vn_matmul(vn_cast(x, VN_BF16), vn_cast(x, VN_BF16)));
    count(vn_cumulative_sum(line, 0, NULL));
    count(vn_slice_step_set(line, vn_scalar(1), VN_SHAPE(39999), VN_SHAPE(0), VN_SHAPE(-3), NULL));
    vn_array *q = vn_reshape(x, VN_SHAPE(2, 4, 50, 100));
    count(vn_scaled_dot_product_attention(q, q, q, VN_NONE, VN_OPTS(scaled_dot_product_attention, .scale = .1)));
    for (int k = 0; k < 100; k++) x = vn_add(vn_mul(x, vn_scalar(.5)), vn_scalar(1));
    count(x);
}

static void *job(void *unused)
{
    if (vn_use(engine) == VN_OK) {
        every_op();
        large();
    } else {
        CHECK(strstr(vn_message(), "stack"));
        refused++;
    }
    vn_clear();
    vn_close();
    return unused;
}

/* In a separate process, which an overflow would kill. Its exit code: 1 something was computed, 2 something was refused. */
static int with_stack(size_t bytes, bool opened)
{
    pid_t child = fork();
    if (!child) {
        pthread_attr_t a;
        pthread_t t;
        if (opened && vn_use(engine)) _exit(77); /* not installed */
        if (!bytes) _exit(0);
        pthread_attr_init(&a);
        if (pthread_attr_setstacksize(&a, bytes) || pthread_create(&t, &a, job, NULL)) _exit(9);
        pthread_join(t, NULL);
        fflush(stderr);
        _exit(check_failures ? 8 : (computed > 0) + 2 * (refused > 0));
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    if (!WIFEXITED(status)) fprintf(stderr, "%s on %zu KB: signal %d\n", engine, bytes >> 10, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    enum { NONE = 2, ALL = 1, SOME = 3 };
    engine = argc > 1 ? argv[1] : "native";
    const bool native = !strcmp(engine, "native");
    check_name = "small stacks";
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    if (with_stack(0, true) == 77) return 77;
    if (least <= 32 << 10) CHECK(with_stack(32 << 10, false) == NONE);
    for (int opened = 0; opened < 2; opened++) {
        CHECK(with_stack(64 << 10, opened) == (native ? ALL : NONE));
        if (!native) CHECK(with_stack(200 << 10, opened) == NONE);
        if (!native) CHECK(with_stack(400 << 10, opened) == (strcmp(engine, "numpy") ? ALL : SOME)); /* its solve needs more */
    }
    if (!strcmp(engine, "numpy")) CHECK(with_stack(8 << 20, false) == ALL);
    return finish();
}
