/* SPDX-License-Identifier: Apache-2.0 */
/* open_close.c: every public function while other threads open and close the library. Threads open and close it continuously, so that
 * each is sometimes the last one, which frees everything, while one thread calls all functions of the headers with zero
 * arguments (generated from the headers by calls.awk), and another makes useful calls. A function that accesses shared data
 * without having entered the library is a race, which the thread sanitizer reports, or a crash. */
/* ctest: sanitize */
/* ctest: seconds 4 */
#include "check.h"
#include <pthread.h>
#include <unistd.h>
#include <vinea/files.h>
#include <vinea/model.h>
#include <vinea/module.h>
#include <vinea/nn.h>
#include <vinea/train.h>
#include <vinea/tree.h>

#define OPTIONS(name, what, arguments)
#define CALL(name, arguments)     \
    static void call_##name(void) \
    {                             \
        (void)name arguments;     \
    }
#include "calls.inc"
#undef CALL

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
#define CALL(name, arguments) {#name, call_##name},
#include "calls.inc"
#undef CALL
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Every exported symbol has a call here. */
TEST(all_covered)
{
    FILE *f = fopen(VN_SYMBOLS, "r");
    char line[128];
    CHECK(f);
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        bool found = !strncmp(line, "vn__", 4); /* part of the macros */
        for (int k = 0; k < CALLS && !found; k++) found = !strcmp(line, calls[k].name);
        if (!found) fprintf(stderr, "%s is exported, but not called here\n", line);
        CHECK(found);
    }
    if (f) fclose(f);
}

/* ---- calls that do something ---- */

static vn_array *loss(const vn_tree *p, void *x)
{
    return vn_mean(vn_square(vn_matmul(x, vn_tree_get(p, "w"))), VN_ALL);
}

static void train(void)
{
    vn_tree *grads, *p = vn_tree_of("w", vn_ones(VN_SHAPE(3, 1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1, NULL);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(8, 3));
    for (int k = 0; k < 2; k++) {
        vn_value_and_grad(loss, p, x, &grads);
        vn_step(sgd, p, grads);
    }
    CHECK(isfinite(vn_item(vn_sum(vn_tree_get(p, "w"), VN_ALL))));
}

static int twice(int n, vn_array *const *in, int n_out, vn_array **out, void *unused)
{
    (void)n, (void)n_out, (void)unused;
    out[0] = vn_add(in[0], in[0]);
    return VN_OK;
}

static void captured(void)
{
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(4), VN_F32), *y = NULL;
    vn_fn *f = vn_capture(twice, 1, NULL);
    for (int k = 0; k < 2; k++) vn_fn_call_many(f, 1, &x, 1, &y);
    CHECK(vn_item(vn_sum(y, VN_ALL)) == 16);
}

/* Large enough for the thread pool. */
static void large(void)
{
    vn_array *x = vn_full(vn_scalar(1), VN_SHAPE(600, 600), VN_F32);
    CHECK(vn_item(vn_sum(vn_add(vn_mul(x, x), x), VN_ALL)) == 720000);
    CHECK(vn_item(vn_max(vn_matmul(x, x), VN_ALL)) == 600);
}

/* A plugin (plugins/actor.c). Its entry is removed by the last close until it has been used; then it stays. */
static void plugin(void)
{
    CHECK(vn_use("actor") == VN_OK);
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(4), VN_F32);
    CHECK(vn_item(vn_to(vn_sum(vn_mul(x, x), VN_ALL), "native")) == 16);
}

static void no_line(void *to, const char *key, const char *value)
{
    (void)to, (void)key, (void)value;
}

static void listings(void)
{
    vn_engine_info e = {.size = sizeof e};
    vn_cache_info cache = {.size = sizeof cache};
    vn_memory_info memory = {.size = sizeof memory};
    vn_op_info op = {.size = sizeof op};
    CHECK(vn_engine_count() >= 1 && vn_engine_at(0, &e) == VN_OK && vn_engine_named("native", &e) == VN_OK);
    CHECK(vn_cache_stats("native", &cache) == VN_OK && vn_cache_limit(512) == VN_OK && vn_memory(&memory) == VN_OK);
    CHECK(vn_engine_computes("native", "add", VN_F32) == VN_BY_ENGINE && vn_engine_describe("native", no_line, NULL) == VN_OK);
    CHECK(vn_op_at(0, &op) == VN_OK && vn_op_count() > 0 && vn_version());
}

static void no_log(const char *text, void *unused)
{
    (void)text, (void)unused;
}

static void hooks(void)
{
    vn_set_log(no_log, NULL);
    vn_use("nothing");
    vn_clear();
    vn_set_log(NULL, NULL);
    vn_set_allocator(NULL); /* refused, or no thread is inside */
    vn_clear();
}

static void texts(void)
{
    vn_array *x = vn_arange(0, 3, 1, VN_F32);
    CHECK(vn_explain(vn_exp(x)) && vn_text(x) && vn_using());
    vn_tree *t = vn_tree_of("a", x, NULL);
    CHECK(vn_tree_leaf_key(t, 0) && vn_tree_leaves(t) == 1);
}

static void by_name(void)
{
    vn_array *x = vn_full(vn_scalar(3), VN_SHAPE(2), VN_F32), *y = NULL;
    CHECK(vn_call("square", &x, 1, NULL, 0, &y, 1) == VN_OK && vn_item(vn_sum(y, VN_ALL)) == 18);
    vn_error_push();
    vn_use("nothing");
    CHECK(vn_error_pop() == VN_E_ENGINE);
}

static void (*const working[])(void) = {train, captured, large, listings, hooks, texts, by_name, plugin};
enum { WORKING = sizeof working / sizeof *working };

/* ---- threads ---- */

static _Atomic bool over;

static void *open_and_close(void *unused)
{
    while (!over) {
        vn_array *x = vn_ones(VN_SHAPE(3), VN_F32);
        CHECK(vn_item(vn_sum(vn_add(x, x), VN_ALL)) == 6);
        CHECK(vn_close() == VN_OK);
    }
    return unused;
}

/* A thread that ends without closing. */
static void *open_and_end(void *unused)
{
    vn_eval(1, &(vn_array *){vn_exp(vn_ones(VN_SHAPE(3), VN_F32))});
    return unused;
}

static void *end_threads(void *unused)
{
    while (!over) {
        pthread_t t;
        if (!pthread_create(&t, NULL, open_and_end, NULL)) pthread_join(t, NULL);
    }
    return unused;
}

/* The two kinds of calls, each followed by a close. */
static void *call_all(void *unused)
{
    for (int k = 0; k < CALLS || !over; k++) {
        check_name = calls[k % CALLS].name;
        if (!strcmp(check_name, "vn_exit_begins")) continue; /* ends what the others do: last_call */
        calls[k % CALLS].call();
        vn_clear();
        vn_close();
    }
    return unused;
}

static void *work(void *unused)
{
    for (unsigned k = 0; k < WORKING || !over; k++) {
        working[k % WORKING]();
        vn_close();
    }
    return unused;
}

enum { SECONDS = 2 };

/* Few threads, so that one of them is often the only one. */
static void run(int n, void *(*const *jobs)(void *))
{
    pthread_t threads[4];
    over = false;
    for (int k = 0; k < n; k++) CHECK(!pthread_create(&threads[k], NULL, jobs[k], NULL));
    sleep(SECONDS);
    over = true;
    for (int k = 0; k < n; k++) pthread_join(threads[k], NULL);
}

/* Then the process is about to end: frameworks are out of reach, native is not. */
static void last_call(void)
{
    check_name = "vn_exit_begins";
    vn_exit_begins();
    CHECK_FAILS(vn_use("actor"), VN_E_ENGINE, "the process is exiting");
    CHECK(vn_use("native") == VN_OK && vn_item(vn_sum(vn_ones(VN_SHAPE(3), VN_F32), VN_ALL)) == 3);
    vn_close();
}

int main(void)
{
    setenv("VINEA_ENGINE_PATH", VN_TEST_PLUGINS, 1);
    run_tests();
    vn_close();
    check_name = "threads";
    run(2, (void *(*const[])(void *)){call_all, open_and_close});
    run(2, (void *(*const[])(void *)){call_all, end_threads});
    run(2, (void *(*const[])(void *)){work, open_and_close});
    run(4, (void *(*const[])(void *)){call_all, work, open_and_close, end_threads});
    last_call();
    return finish();
}
