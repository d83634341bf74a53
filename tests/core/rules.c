/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c: the rules of lazy evaluation (docs/architecture.md), with a test named after each, on every engine. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static vn_array *numbers(int n)
{
    float data[64];
    for (int i = 0; i < n; i++) data[i] = (float)(i + 1);
    return vn_from(data, VN_SHAPE(n));
}

static float first(vn_array *x)
{
    const float *d = vn_data(x);
    return d ? d[0] : NAN;
}

static int64_t programs(void)
{
    vn_cache_info c = {.size = sizeof c};
    vn_cache_stats(vn_using(), &c);
    return c.misses;
}

static int64_t hits(void)
{
    vn_cache_info c = {.size = sizeof c};
    vn_cache_stats(vn_using(), &c);
    return c.hits;
}

TEST(rule_01_handle_and_node)
{
    vn_array *h = numbers(3), *y = vn_add(h, vn_scalar(10)), *z = vn_mul(h, vn_scalar(2));
    vn_array *same = vn_into(h, y);
    CHECK(same == h);     /* identity is the same handle */
    CHECK(first(z) == 2); /* recorded before: keeps the old node */
    CHECK(first(h) == 11);
    CHECK(vn_cast(h, VN_F32) != h); /* every op returns a new handle */
    CHECK_FAILS(vn_into(h, numbers(4)), VN_E_SHAPE, "into");
    CHECK_FAILS(vn_into(h, vn_cast(y, VN_F64)), VN_E_DTYPE, "into");
    CHECK(first(h) == 11); /* a refused change leaves it as it was */
}

static vn_array *made_inside(void)
{
    VN_SCOPE;
    vn_array *x = numbers(4);
    return vn_pass(vn_mul(vn_add(x, vn_scalar(1)), vn_scalar(3)));
}

TEST(rule_02_scopes_hold_handles)
{
    vn_array *y = made_inside(); /* its inputs' handles are gone, the pending node keeps the nodes */
    CHECK(!vn_is_ready(y));
    CHECK(first(y) == 6);
    vn_scope outer = vn_scope_begin();
    vn_array *kept = vn_keep(vn_add(y, y));
    CHECK(!vn_is_ready(kept)); /* keeping evaluates nothing */
    vn_scope_begin();          /* forgotten: closing the outer one closes it */
    vn_array *dead = numbers(2);
    CHECK(vn_scope_end(outer) == VN_OK);
    CHECK(first(kept) == 12);
    vn_drop(kept);
    CHECK_FAILS(vn_neg(dead), VN_E_FREED, "neg");
    CHECK_FAILS(vn_neg(kept), VN_E_FREED, "neg");
    CHECK_FAILS(vn_scope_end(outer + 5), VN_E_ARG, "scope_end");
}

static vn_array *forgets_to_pass(const vn_tree *p, void *data)
{
    (void)data;
    VN_SCOPE;
    return vn_mean(vn_square(vn_tree_get(p, "w")), VN_ALL);
}

static vn_array *square_mean(const vn_tree *p, void *data)
{
    vn_scope_begin(); /* a scope the callback forgets */
    vn_scope_begin();
    *(vn_array **)data = vn_square(vn_tree_get(p, "w"));
    return vn_mean(*(vn_array **)data, VN_ALL);
}

TEST(rule_03_callbacks)
{
    vn_tree *p = vn_tree_of("w", numbers(4), NULL), *g;
    vn_array *inner = NULL;
    CHECK_FAILS(vn_value_and_grad(forgets_to_pass, p, NULL, &g), VN_E_FREED, "value_and_grad");
    CHECK(g == NULL);
    vn_array *loss = vn_value_and_grad(square_mean, p, &inner, &g);
    CHECK(loss && near(vn_item(loss), 7.5, 1e-6));
    CHECK_FAILS(vn_neg(inner), VN_E_FREED, "x was freed"); /* what the callback made is gone */
    /* First in, first out: a slot just freed is not the next one given out. */
    vn_scope s = vn_scope_begin();
    vn_array *old = numbers(1);
    vn_scope_end(s);
    CHECK(numbers(1) != old);
}

TEST(rule_04_evaluation)
{
    vn_array *x = numbers(4), *y = vn_exp(x), *z = vn_neg(y);
    CHECK(vn_rank(z) == 1 && vn_dim(z, 0) == 4 && vn_dtype_of(z) == VN_F32 && !vn_is_ready(z)); /* known without computing */
    CHECK(vn_eval(1, &z) == VN_OK && vn_is_ready(z));
    CHECK(vn_text(vn_neg(x)) != NULL); /* printing evaluates */
    vn_array *w = vn_neg(vn_neg(x));
    CHECK(vn_is_ready(vn_to(w, vn_using())) && vn_is_ready(w)); /* so does moving */
    CHECK(vn_eval(0, NULL) == VN_OK);
    CHECK_FAILS(vn_eval(-1, NULL), VN_E_ARG, "eval");
}

TEST(rule_05_roots)
{
    vn_array *x = numbers(4), *a = vn_exp(x), *b = vn_neg(a), *c = vn_square(a), *inside = vn_add(b, b), *top = vn_mul(inside, b);
    vn_eval(1, &top);
    CHECK(vn_is_ready(top));
    CHECK(vn_is_ready(a));                         /* c, outside the program, needs it */
    CHECK(!vn_is_ready(inside));                   /* a live handle alone is no reason to store */
    CHECK(near(first(inside), -2 * exp(1), 1e-5)); /* asking for it later computes it again */
    CHECK(near(first(c), exp(2), 1e-5));
}

static vn_array *takes_gradients(vn_array *x, void *user)
{
    (void)user;
    VN_NO_GRAD {
        CHECK(!vn_takes_gradients());
    }
    return vn_takes_gradients() && vn_has_history(x) ? x : vn_stop_gradient(x);
}

TEST(rule_06_history)
{
    vn_memory_info before = {.size = sizeof before}, after = before;
    vn_array *w = vn_keep(vn_ones(VN_SHAPE(3), VN_F32));
    for (int step = 0; step < 400; step++) {
        VN_SCOPE;
        vn_array *v = vn_variable(w), *loss = vn_mean(vn_square(v), VN_ALL), *g = vn_grad(loss, v);
        vn_into(w, vn_sub(v, vn_mul(g, vn_scalar(.01))));
        if (step % 7 == 0) vn_eval(1, &w);
        if (step == 100) vn_memory(&before);
        if (step == 393) vn_memory(&after);
    }
    CHECK(after.nodes <= before.nodes + 64); /* flat, however long it runs */
    vn_drop(w);
    vn_array *v = vn_variable(numbers(3)), *g = vn_grad(vn_sum(vn_square(v), VN_ALL), v);
    CHECK(first(vn_grad(vn_sum(vn_square(g), VN_ALL), v)) == 0); /* no history unless retained */
    vn_array *r;
    CHECK(vn_grads(vn_sum(vn_mul(vn_square(v), v), VN_ALL), 1, &v, VN_OPTS(grad, .retain = 1), &r) == VN_OK);
    CHECK(first(vn_grad(vn_sum(r, VN_ALL), v)) == 6); /* d2 x^3 = 6x */
    CHECK(first(vn_grad(vn_sum(vn_mul(vn_stop_gradient(v), v), VN_ALL), v)) == 1);
    CHECK(vn_is_variable(v) && !vn_is_variable(vn_variable_data(v)));
    CHECK(vn_has_history(v) && vn_has_history(vn_square(v)) && !vn_has_history(vn_stop_gradient(vn_square(v))) &&
          !vn_has_history(numbers(3)));
    CHECK(!vn_takes_gradients()); /* nor after a question that finds no mode */
    CHECK(vn_with_grads(-1) == 1 && !vn_takes_gradients());
    CHECK(first(vn_jac_of(takes_gradients, numbers(1), NULL)) == 1);
    VN_NO_GRAD {
        CHECK(vn_with_grads(-1) == 0 && !vn_takes_gradients() && !vn_has_history(vn_square(v)));
        CHECK(first(vn_grad(vn_sum(vn_square(v), VN_ALL), v)) == 0);
    }
    CHECK(vn_with_grads(-1) == 1);
}

static vn_array *linear_loss(const vn_tree *p, void *data)
{
    vn_array **xy = data;
    vn_array *h = vn_add(vn_matmul(xy[0], vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, xy[1])), VN_ALL);
}

TEST(rule_07_the_step)
{
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(32, 3));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
    vn_tree *p = vn_tree_of("w", vn_random_normal(0, .1, VN_SHAPE(3, 1)), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1, NULL);
    int64_t compiled = 0;
    double loss_before = INFINITY;
    for (int step = 0; step < 101; step++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *loss = vn_value_and_grad(linear_loss, p, (vn_array *[]){x, y}, &grads);
        CHECK(vn_step(sgd, p, grads) == VN_OK);
        CHECK(vn_is_ready(loss)); /* reading it costs nothing */
        if (step == 0) compiled = programs();
        if (step % 10 == 0) {
            CHECK(vn_item(loss) < loss_before);
            loss_before = vn_item(loss);
        }
    }
    CHECK(programs() == compiled && hits() >= 100); /* one program from the first step on */
    CHECK(vn_optim_steps(sgd) == 101);
    vn_tree *wrong = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), NULL);
    float w = first(vn_tree_get(p, "w"));
    CHECK_FAILS(vn_step(sgd, p, wrong), VN_E_STRUCT, "\"b\"");
    CHECK_FAILS(vn_step(sgd, p, NULL), VN_E_NULL, "grads");
    CHECK(vn_optim_steps(sgd) == 101 && first(vn_tree_get(p, "w")) == w); /* handles and counters as they were */
}

static int net_reports;
static void count_report(const char *text, void *user)
{
    (void)user;
    if (strstr(text, "safety net")) net_reports++;
}

TEST(rule_08_safety_net)
{
    vn_set_log(count_report, NULL);
    vn_memory_info m = {.size = sizeof m};
    vn_array *x = vn_keep(vn_zeros(VN_SHAPE(2), VN_F32));
    vn_array *waiting = vn_add(x, vn_scalar(3));
    for (int i = 0; i < 40000; i++) {
        VN_SCOPE;
        vn_add(x, vn_scalar(1));
    }
    CHECK(!vn_is_ready(waiting));                /* pending nodes whose handles are gone do not count */
    bool native = !strcmp(vn_using(), "native"); /* a program of 16,384 ops takes the compiling frameworks minutes */
    int n = native || !strcmp(vn_using(), "numpy") || !strcmp(vn_using(), "torch") ? 40000 : 4000;
    for (int i = 0; i < n; i++) {
        VN_SCOPE;
        vn_into(x, vn_add(x, vn_scalar(1)));
        if (n < 10000 && i % 500 == 0) vn_eval(1, &x);
    }
    vn_memory(&m);
    CHECK(m.nodes < 60000);
    CHECK(first(x) == (float)n);
    CHECK(net_reports == (n > 16384)); /* once, not every time */
    vn_drop(x);
    vn_set_log(NULL, NULL);
}

TEST(rule_09_program_key)
{
    vn_array *data = vn_random_normal(0, 1, VN_SHAPE(70, 4));
    vn_eval(1, &data);
    int64_t before = programs();
    for (int epoch = 0; epoch < 2; epoch++) {
        for (int at = 0; at < 70; at += 16) { /* the last batch is shorter */
            VN_SCOPE;
            int n = at + 16 > 70 ? 70 - at : 16;
            vn_array *batch = vn_slice_at(data, VN_SHAPE(at, 0), VN_SHAPE(n, 4));
            vn_array *z = vn_mean(vn_square(vn_mul(batch, vn_scalar(at + epoch))), VN_ALL);
            CHECK(isfinite(vn_item(z)));
        }
    }
    CHECK(programs() - before == 2); /* values are never in the key */
    vn_cache_info c = {.size = sizeof c};
    CHECK(vn_cache_stats(vn_using(), &c) == VN_OK && c.limit == 512 && c.programs > 0);
    CHECK(vn_cache_limit(2) == VN_OK);
    for (int n = 1; n < 8; n++) {
        vn_array *z = vn_neg(numbers(n));
        vn_eval(1, &z);
    }
    vn_cache_stats(vn_using(), &c);
    CHECK(c.programs <= 2 && c.evicted > 0);
    CHECK_FAILS(vn_cache_limit(0), VN_E_ARG, "cache_limit");
    vn_cache_limit(512);
}

TEST(rule_10_route)
{
    float a[4], b[4];
    for (int round = 0; round < 3; round++) { /* cold or warm cache, alone or with others: the same bits */
        vn_array *x = numbers(4), *y = vn_exp(vn_mul(x, vn_scalar(.3))), *z = vn_square(y);
        if (round == 1) vn_eval(2, (vn_array *[]){y, z});
        CHECK(vn_read(y, round ? b : a, sizeof a) == VN_OK);
        if (round) CHECK(!memcmp(a, b, sizeof a));
    }
}

TEST(rule_11_donation)
{
    bool native = !strcmp(vn_using(), "native");
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(1000, 100), VN_F32), NULL);
    vn_array *target = vn_ones(VN_SHAPE(1000, 100), VN_F32);
    vn_optim *sgd = vn_sgd(.5, NULL);
    vn_memory_info m = {.size = sizeof m};
    const void *at[4] = {0};
    for (int step = 0; step < 4; step++) {
        VN_SCOPE;
        vn_tree *grads = vn_tree_of("w", vn_sub(vn_tree_get(p, "w"), target), NULL);
        CHECK(vn_step(sgd, p, grads) == VN_OK);
        at[step] = vn_data(vn_tree_get(p, "w"));
    }
    CHECK(near(first(vn_tree_get(p, "w")), 1 - pow(.5, 4), 1e-6));
    if (native) CHECK(at[1] == at[2] && at[2] == at[3]); /* in place: no second copy of the parameters */
    /* Values with other references are never overwritten. */
    vn_array *seen = vn_add(vn_tree_get(p, "w"), vn_scalar(0)), *old = vn_cast(vn_tree_get(p, "w"), VN_F32);
    struct DLManagedTensorVersioned *out = vn_to_dlpack(vn_tree_get(p, "w"));
    float before = first(old);
    vn_tree *grads = vn_tree_of("w", vn_ones(VN_SHAPE(1000, 100), VN_F32), NULL);
    CHECK(vn_step(sgd, p, grads) == VN_OK);
    CHECK(first(old) == before && first(seen) == before && first(vn_tree_get(p, "w")) != before);
    struct {
        uint32_t version[2];
        void *manager;
        void (*deleter)(struct DLManagedTensorVersioned *);
        uint64_t flags;
        float *data;
    } view;
    CHECK(out != NULL);
    if (out) {
        memcpy(&view, out, sizeof view);
        CHECK(view.data[0] == before);
        view.deleter(out);
    }
    vn_memory(&m);
    CHECK(m.peak > 0);
}

static struct {
    vn_array *top;
    vn_array *leaf;
    float want;
} shared;
static void *evaluates(void *failed)
{
    for (int round = 0; round < 3; round++) {
        VN_SCOPE;
        if (first(shared.top) != shared.want) *(int *)failed = 1;
        vn_array *g = vn_grad(vn_sum(shared.top, VN_ALL), shared.leaf);
        if (!g || !(fabsf(first(g)) < 1e30f)) *(int *)failed = 1;
    }
    if (vn_close()) *(int *)failed = 1;
    return NULL;
}

TEST(rule_12_threads)
{
    vn_array *v = vn_variable(numbers(32)), *x = v;
    for (int i = 0; i < 20; i++) x = vn_add(vn_mul(x, vn_scalar(.5)), vn_square(vn_mul(x, vn_scalar(.1))));
    shared.top = x, shared.leaf = v;
    float want = 1;
    for (int i = 0; i < 20; i++) want = want * .5f + (want * .1f) * (want * .1f);
    shared.want = first(vn_add(x, vn_scalar(0)));
    CHECK(near(shared.want, want, 1e-4));
    pthread_t t[4];
    int failed[4] = {0};
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, evaluates, &failed[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) CHECK(!failed[i]);
}

static vn_array *failing(const vn_tree *p, void *data)
{
    (void)data;
    return vn_matmul(vn_tree_get(p, "w"), vn_tree_get(p, "w"));
}

static vn_array *returning_nothing(const vn_tree *p, void *data)
{
    (void)p, (void)data;
    return NULL;
}

TEST(rule_13_errors)
{
    vn_array *x = numbers(3), *bad = vn_add(x, numbers(4));
    CHECK(bad == NULL && vn_status() == VN_E_SHAPE);
    char text[256];
    snprintf(text, sizeof text, "%s", vn_message());
    CHECK(strstr(text, "add") && strstr(text, "3") && strstr(text, "4") && strstr(text, vn_using()));
    CHECK(vn_neg(bad) == NULL && !strcmp(text, vn_message())); /* the first error stays */
    CHECK(first(vn_neg(x)) == -1);                             /* healthy inputs keep working */
    CHECK(isnan(vn_item(bad)));
    vn_clear();
    CHECK_FAILS(vn_add(x, NULL), VN_E_NULL, "add: y is NULL");
    vn_tree *p = vn_tree_of("w", x, NULL), *g;
    CHECK_FAILS(vn_tree_set(p, "w", NULL), VN_E_NULL, "tree_set");
    CHECK(first(vn_tree_get(p, "w")) == 1);
    CHECK_FAILS(vn_value_and_grad(failing, vn_tree_of("w", vn_ones(VN_SHAPE(2, 3), VN_F32), NULL), NULL, &g), VN_E_SHAPE,
                "value_and_grad: callback: matmul");
    CHECK_FAILS(vn_value_and_grad(returning_nothing, p, NULL, &g), VN_E_CALLBACK, "returned nothing");
    CHECK_FAILS(vn_value_and_grad(NULL, p, NULL, &g), VN_E_NULL, "fn");
    vn_error_push();
    CHECK(vn_add(x, numbers(4)) == NULL);
    CHECK(vn_error_pop() == VN_E_SHAPE && vn_status() == VN_OK);
    /* A failed evaluation stores nothing and may be tried again. */
    vn_array *big = vn_broadcast_to(x, VN_SHAPE(1 << 20, 3)), *y = vn_exp(big);
    if (!strcmp(vn_using(), "native")) {
        vn_memory_limit(1 << 20);
        CHECK_FAILS(vn_eval(1, &y), VN_E_MEM, "");
        CHECK(!vn_is_ready(y));
        vn_memory_limit(0);
    }
    CHECK(vn_eval(1, &y) == VN_OK && near(first(y), exp(1), 1e-5));
}

static int released;
static void count_release(void *user)
{
    (void)user;
    released++;
}

TEST(rule_14_host_memory)
{
    _Alignas(64) static float data[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    released = 0;
    vn_array *y;
    {
        VN_SCOPE;
        vn_array *x = vn_wrap(data, VN_F32, VN_SHAPE(16), count_release, NULL);
        if (!strcmp(vn_using(), "native")) CHECK(vn_data(x) == data); /* an alias */
        y = vn_keep(vn_mul(x, vn_scalar(2)));
    }
    CHECK(released == 0); /* a pending user keeps the owner */
    CHECK(first(y) == 2);
    vn_drop(y);
    vn_array *flush = vn_neg(numbers(2)); /* engines with an interpreter lock release at their next call */
    vn_eval(1, &flush);
    flush = vn_neg(numbers(3));
    vn_eval(1, &flush);
    CHECK(released == 1);
    CHECK_FAILS(vn_wrap(data, VN_F32, VN_SHAPE(-1), count_release, NULL), VN_E_SHAPE, "wrap");
    CHECK(released == 2); /* also on failure: exactly once */
    CHECK_FAILS(vn_wrap(data, VN_F32, VN_SHAPE(4), NULL, NULL), VN_E_NULL, "release");
    /* Export is read-only and holds a reference; import aliases it. */
    vn_array *x = numbers(4);
    vn_array *back = vn_from_dlpack(vn_to_dlpack(x)), *copy = vn_from_dlpack_old(vn_to_dlpack_old(x));
    CHECK(first(back) == 1 && first(copy) == 1 && vn_dim(back, 0) == 4);
    if (!strcmp(vn_using(), "native")) CHECK(vn_data(back) == vn_data(x) && vn_data(copy) != vn_data(x));
    CHECK_FAILS(vn_from_dlpack(NULL), VN_E_NULL, "from_dlpack");
}

/* Every row says what it gives, and why it has no gradient if it has none. */
TEST(the_listing)
{
    vn_op_info op = {.size = sizeof op};
    for (int i = 0; i < vn_op_count(); i++) CHECK(vn_op_at(i, &op) == VN_OK && op.n_outputs >= 1 && (op.differentiable || op.no_gradient));
    vn_array *x = numbers(1), *y = NULL; /* names that are none, or are not called by name */
    CHECK_FAILS(vn_call("no_such_op", &x, 1, NULL, 0, &y, 1), VN_E_ARG, "no_such_op");
    CHECK_FAILS(vn_call("ADD", (vn_array *[]){x, x}, 2, NULL, 0, &y, 1), VN_E_ARG, "ADD");
    CHECK_FAILS(vn_call("to", &x, 1, NULL, 0, &y, 1), VN_E_ARG, "to");
    for (int i = 0; i < vn_engine_count(); i++) CHECK(vn_engine_name(i) && *vn_engine_name(i));
    CHECK(!strcmp(vn_engine_name(0), "native"));
    CHECK_FAILS(vn_engine_name(-1), VN_E_ARG, "engine_name");
    CHECK_FAILS(vn_engine_name(vn_engine_count()), VN_E_ARG, "engine_name");
}

TEST(explaining)
{
    vn_array *x = numbers(4), *both[] = {vn_exp(x), vn_neg(x)};
    char alone[4096];
    snprintf(alone, sizeof alone, "%s", vn_explain(both[1]));
    CHECK(strstr(alone, "1 outputs") && !strcmp(vn_explain_all(1, &both[1]), alone));
    CHECK(strstr(vn_explain_all(2, both), "2 outputs") && !vn_is_ready(both[0])); /* nothing was computed */
    vn_array *half = vn_scalar(.5), *with_number[] = {half, both[0]};
    CHECK(strstr(vn_explain_all(2, with_number), "1 outputs") && strstr(vn_explain_all(1, &half), "nothing to compute"));
    CHECK_FAILS(vn_explain_all(0, NULL), VN_E_ARG, "explain_all");
    CHECK_FAILS(vn_explain_all(-1, both), VN_E_ARG, "explain_all");
    CHECK_FAILS(vn_explain_all(2, NULL), VN_E_NULL, "explain_all");
    CHECK_FAILS(vn_explain_all(2, (vn_array *[]){x, NULL}), VN_E_NULL, "explain_all");
    vn_array *there = strcmp(vn_using(), "native") ? vn_neg(vn_to(x, "native")) : NULL;
    if (there) CHECK_FAILS(vn_explain_all(2, (vn_array *[]){both[0], there}), VN_E_ENGINE, "native");
}

TEST(rule_15_value_dependent_shapes)
{
    /* Where a size depends on values, it is computed at the call and known after it, as every shape is; the rest stays pending. */
    vn_array *v = vn_neg(numbers(5)), *hit = vn_less(v, vn_scalar(-3)), *w = vn_add(v, vn_scalar(1)), *where = vn_nonzero(hit),
             *some = vn_mask(w, hit);
    vn_array *indices, *inverse, *counts, *values = vn_unique(hit, &indices, &inverse, &counts);
    CHECK(vn_dim(where, 0) == 2 && vn_dim(some, 0) == 2 && vn_dim(values, 0) == 2 && vn_dim(inverse, 0) == 5 && !vn_is_ready(w));
    /* Sized forms compute nothing. */
    vn_array *u = vn_neg(numbers(5)), *sized = vn_nonzero_sized(u, 7, -1);
    CHECK(vn_dim(sized, 0) == 7 && !vn_is_ready(u) && !vn_is_ready(sized));
    vn_array *start = vn_cast(vn_sum(numbers(1), VN_KEEP(0)), VN_I64), *x = numbers(5);
    vn_array *s = vn_slice(x, start, VN_SHAPE(2)); /* a start that is computed does not evaluate anything */
    CHECK(!vn_is_ready(start) && !vn_is_ready(s) && vn_dim(s, 0) == 2);
    CHECK(first(s) == 2);
}

static void rule_16_close(void)
{
    char engine[32];
    snprintf(engine, sizeof engine, "%s", vn_using());
    bool native = !strcmp(engine, "native");
    fflush(NULL);
    pid_t child = fork();
    if (!child) { /* native works in the child; frameworks loaded before answer with an error */
        vn_array *x = numbers(3), *y = vn_neg(x);
        float v = first(y);
        int ok = native ? v == -1 : vn_status() == VN_E_ENGINE && strstr(vn_message(), "fork") != NULL;
        if (!native) {
            vn_clear();
            vn_use("native");
            ok &= first(vn_neg(numbers(3))) == -1;
        }
        vn_close();
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(first(vn_neg(numbers(2))) == -1); /* the parent goes on */
    vn_add(numbers(2), numbers(3));
    CHECK(vn_close() == VN_E_SHAPE);                        /* the code of the first error */
    CHECK(vn_status() == VN_OK && vn_use(engine) == VN_OK); /* and the library may be used again */
    CHECK(first(vn_neg(numbers(2))) == -1);
    vn_memory_info m = {.size = sizeof m};
    CHECK(vn_memory(&m) == VN_OK && m.handles < 16);
}

TEST(rule_17_walks_are_loops)
{
    /* chain.c walks a million nodes; here a small stack must do for a deep graph. */
    vn_array *v = vn_variable(numbers(1)), *x = v;
    bool deep = !strcmp(vn_using(), "native");
    for (int i = 0; i < (deep ? 12000 : 300); i++) x = vn_mul(x, vn_scalar(1));
    vn_array *g = vn_grad(vn_sum(x, VN_ALL), v);
    CHECK(first(g) == 1);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    run_tests();
    check_name = "rule_16_close"; /* closes scopes itself */
    rule_16_close();
    return finish();
}
