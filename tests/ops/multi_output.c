/* SPDX-License-Identifier: Apache-2.0 */
/* multi_output.c: an op with several results, each of which may be requested alone, in any order, or never; on engines that
 * compute it at once and on those that compose it. */
/* ctest: engines */
/* ctest: sanitize */
#include "failing.h"
#include "ops/row.h"
#include <pthread.h>

enum { N = 1000 };

/* The op on N elements; results[k] of it are the same numbers every time. */
typedef struct {
    vn_array *in[4], *results[3];
} motion;

static void inputs(motion *o)
{
    float data[4][N];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N; i++) data[k][i] = (float)((i * 7 + k * 13) % 31 + 1) / 16;
        o->in[k] = vn_from(data[k], VN_SHAPE(N));
    }
}

static void move(motion *o)
{
    vn_array *in[] = {o->in[0], o->in[1], o->in[2], o->in[3], vn_scalar(.125), vn_scalar(2)};
    vn__adam_apply(6, in, .9, .999, 1e-7, o->results);
}

static double expected(int k, int i)
{
    double x[4];
    for (int a = 0; a < 4; a++) x[a] = ((i * 7 + a * 13) % 31 + 1) / 16.;
    double m = .9 * x[2] + .1 * x[1], v = .999 * x[3] + .001 * x[1] * x[1];
    return k == 0 ? x[0] - .125 * m / (2 * sqrt(v) + 1e-7) : k == 1 ? m : v;
}

static bool right(vn_array *x, int k)
{
    const float *data = x ? vn_data(x) : NULL;
    bool ok = data != NULL;
    for (int i = 0; i < N && ok; i++) ok = near(data[i], expected(k, i), 2e-6);
    return ok;
}

TEST(together)
{
    motion o;
    inputs(&o);
    move(&o);
    CHECK(vn_eval(3, o.results) == VN_OK);
    for (int k = 0; k < 3; k++) CHECK(right(o.results[k], k));
}

/* A result that is requested later is computed again, from inputs that were not overwritten. */
TEST(one_by_one)
{
    for (int first = 0; first < 3; first++) {
        VN_SCOPE;
        motion o;
        inputs(&o);
        move(&o);
        for (int k = 0; k < 3; k++) CHECK(right(o.results[(first + k) % 3], (first + k) % 3));
    }
}

/* Inputs without other references are donated; unused results are dropped. */
TEST(alone)
{
    for (int k = 0; k < 3; k++) {
        vn_array *kept;
        {
            VN_SCOPE;
            motion o;
            inputs(&o);
            vn_eval(4, o.in);
            for (int i = 0; i < 4; i++) o.in[i] = vn_mul(o.in[i], vn_scalar(1));
            move(&o);
            kept = vn_pass(o.results[k]);
        }
        CHECK(right(kept, k));
    }
}

/* Results are inputs of what follows in the same program, the op itself among them. */
TEST(in_a_program)
{
    motion o, next;
    inputs(&o);
    move(&o);
    next = (motion){.in = {o.results[0], o.in[1], o.results[1], o.results[2]}};
    move(&next);
    vn_array *all = vn_add(vn_add(next.results[0], next.results[1]), next.results[2]), *sum = vn_sum(all, VN_ALL);
    double want = 0;
    for (int i = 0; i < N; i++) {
        double g = ((i * 7 + 13) % 31 + 1) / 16., m = .9 * expected(1, i) + .1 * g, v = .999 * expected(2, i) + .001 * g * g;
        want += expected(0, i) - .125 * m / (2 * sqrt(v) + 1e-7) + m + v;
    }
    CHECK(near(vn_item(sum), want, 1e-5));
    for (int k = 0; k < 3; k++) CHECK(right(o.results[k], k));
}

static int captured(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    motion o = {.in = {in[0], in[1], in[2], in[3]}};
    move(&o);
    out[0] = o.results[2], out[1] = o.results[0];
    return 0;
}

TEST(in_a_captured_function)
{
    vn_fn *f = vn_capture(captured, 2, NULL);
    for (int round = 0; round < 2; round++) {
        motion o;
        inputs(&o);
        CHECK(vn_fn_call_many(f, 4, o.in, 2, o.results) == VN_OK);
        CHECK(right(o.results[0], 2) && right(o.results[1], 0));
    }
}

/* With history it is composed, and has gradients. */
TEST(with_history)
{
    motion o;
    inputs(&o);
    vn_array *g = o.in[1] = vn_variable(o.in[1]);
    move(&o);
    vn_array *d = vn_grad(vn_sum(o.results[2], VN_ALL), g);
    CHECK(right(o.results[0], 0));
    CHECK(d && near(((const float *)vn_data(d))[3], 2 * .001 * ((3 * 7 + 13) % 31 + 1) / 16., 1e-5));
}

static motion shared;
static void *ask(void *which)
{
    VN_SCOPE;
    CHECK(right(shared.results[*(int *)which], *(int *)which));
    CHECK(vn_close() == VN_OK);
    return NULL;
}

TEST(from_three_threads)
{
    for (int round = 0; round < 20; round++) {
        VN_SCOPE;
        static int which[] = {0, 1, 2};
        pthread_t t[3];
        inputs(&shared);
        move(&shared);
        for (int k = 0; k < 3; k++) CHECK(pthread_create(&t[k], NULL, ask, &which[k]) == 0);
        for (int k = 0; k < 3; k++) pthread_join(t[k], NULL);
        for (int k = 0; k < 3; k++) CHECK(right(shared.results[k], k));
    }
}

static const char *engine;
static int out_of_memory(void)
{
    motion o;
    if (vn_use(engine)) return 0;
    inputs(&o);
    move(&o);
    return right(o.results[1], 1) && right(o.results[0], 0);
}

int main(int argc, char **argv)
{
    engine = argc > 1 ? argv[1] : "native";
    if (vn_use(engine)) return fprintf(stderr, "%s\n", vn_message()), 77;
    run_tests();
    const bool at_once = vn_engine_computes(engine, "adam_apply", VN_F32) == VN_BY_ENGINE;
    printf("%s computes it %s\n", engine, at_once ? "at once" : "in pieces");
    CHECK(vn_close() == VN_OK);
    if (at_once) FAIL_ALL(out_of_memory); /* allocation.c does the like for what is composed */
    return finish();
}
