/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c: captured functions give what recording gives, call the user's function once per signature, and refuse what they cannot do. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"
#include <pthread.h>

static _Atomic int calls;

/* y = tanh(a b) + c, and its sum */
static int combine(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out;
    calls++;
    out[0] = vn_add(vn_tanh(vn_mul(in[0], in[1])), user);
    out[1] = vn_sum(out[0], VN_ALL);
    return 0;
}

static vn_array *numbers(int n, double from)
{
    float data[64];
    for (int k = 0; k < n; k++) data[k] = (float)(from + k);
    return vn_from(data, VN_SHAPE(n));
}

TEST(same_as_recorded)
{
    vn_array *c = numbers(4, .5);
    vn_fn *f = vn_capture(combine, 2, c);
    calls = 0;
    for (int k = 0; k < 10; k++) {
        VN_SCOPE;
        int n = k % 2 ? 4 : 1;
        vn_array *in[] = {numbers(n, k), vn_mul(numbers(4, -k), vn_scalar(.1))}, *got[2] = {NULL}, *expected[2] = {NULL};
        CHECK(vn_fn_call_many(f, 2, in, 2, got) == VN_OK);
        combine(2, in, 2, expected, c), calls--;
        CHECK(vn_size(got[0]) == 4 && vn_is_ready(got[0]) && vn_rank(got[1]) == 0);
        CHECK(!memcmp(vn_data(got[0]), vn_data(expected[0]), 16));
        CHECK(vn_item(got[1]) == vn_item(expected[1]));
    }
    CHECK(calls == 2);
}

/* A training step: loss and new parameter; the gradient is taken inside. */
static int step(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    calls++;
    vn_array *w = vn_variable(in[0]), *loss = vn_mean(vn_square(vn_sub(vn_mul(w, in[1]), in[2])), VN_ALL);
    out[0] = vn_sub(in[0], vn_mul(vn_grad(loss, w), in[3]));
    out[1] = loss;
    return 0;
}

TEST(training)
{
    vn_fn *f = vn_capture(step, 2, NULL);
    vn_array *w = vn_keep(vn_zeros(VN_SHAPE(3), VN_F32)), *x = numbers(3, 1), *y = vn_mul(x, vn_scalar(2));
    double before = INFINITY;
    calls = 0;
    for (int k = 0; k < 30; k++) {
        VN_SCOPE;
        vn_array *out[2] = {NULL};
        CHECK(vn_fn_call_many(f, 4, (vn_array *[]){w, x, y, vn_full(vn_scalar(.1), VN_0D, VN_F32)}, 2, out) == VN_OK);
        double loss = vn_item(out[1]);
        CHECK(loss < before || loss < 1e-6);
        before = loss;
        vn_drop(w);
        w = vn_keep(out[0]);
    }
    CHECK(calls == 1 && fabs(((const float *)vn_data(w))[1] - 2) < 1e-2);
    vn_drop(w);
}

/* Inputs with history: the function is part of what is differentiated. */
static int square_of(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out, (void)user;
    calls++;
    out[0] = vn_square(in[0]);
    return 0;
}

TEST(gradients_go_through)
{
    vn_fn *f = vn_capture(square_of, 1, NULL);
    vn_array *x = vn_variable(numbers(2, 3)), *y = vn_sum(vn_fn_call(f, x), VN_ALL);
    CHECK(((const float *)vn_data(vn_grad(y, x)))[1] == 8);
    calls = 0;
    VN_NO_GRAD {
        vn_fn_call(f, x), vn_fn_call(f, x);
    }
    CHECK(calls == 1);
}

static int nested(int n, vn_array *const *in, int n_out, vn_array **out, void *f)
{
    (void)n, (void)n_out;
    out[0] = vn_add(vn_fn_call(f, in[0]), in[0]);
    return 0;
}

TEST(captures_in_captures)
{
    vn_fn *inner = vn_capture(square_of, 1, NULL), *outer = vn_capture(nested, 1, inner);
    CHECK(vn_item(vn_sum(vn_fn_call(outer, numbers(3, 1)), VN_ALL)) == 1 + 4 + 9 + 6);
    CHECK(vn_item(vn_sum(vn_fn_call(outer, numbers(3, 2)), VN_ALL)) == 4 + 9 + 16 + 9);
}

/* A function of its own input and of an array from around it. */
static int times_other(int n, vn_array *const *in, int n_out, vn_array **out, void *other)
{
    (void)n, (void)n_out;
    out[0] = vn_mul(in[0], *(vn_array **)other);
    return 0;
}

typedef struct {
    vn_fn *inner;
    vn_array *other, *x;
} around;

static int calls_inner(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    around *a = user;
    (void)n, (void)n_out;
    vn_drop(a->other);
    a->other = vn_keep(vn_add(in[0], vn_scalar(1))); /* of this recording; it has no value after it */
    out[0] = vn_fn_call(a->inner, a->x);
    return 0;
}

TEST(arrays_of_other_recordings)
{
    around a = {.x = numbers(2, 3)};
    a.inner = vn_capture(times_other, 1, &a.other);
    vn_fn *outer = vn_capture(calls_inner, 1, &a);
    CHECK(((const float *)vn_data(vn_fn_call(outer, numbers(2, 1))))[1] == 3 * 4);
    CHECK(((const float *)vn_data(vn_fn_call(outer, numbers(2, 5))))[1] == 7 * 4);
    CHECK_FAILS(vn_fn_call(vn_capture(times_other, 1, &a.other), a.x), VN_E_ARG, "array of another captured function");
    vn_drop(a.other);
}

static vn_array *loss_of_captured(const vn_tree *p, void *user)
{
    around *a = user;
    a->other = vn_tree_leaf(p, 0);
    return vn_sum(vn_fn_call(a->inner, a->x), VN_ALL);
}

/* Gradients reach arrays that a captured function uses from outside. */
TEST(gradients_reach_outside)
{
    around a = {.x = numbers(2, 3)};
    a.inner = vn_capture(times_other, 1, &a.other);
    vn_tree *p = vn_tree_of("w", numbers(2, 1), NULL), *g = NULL;
    for (int k = 0; k < 2; k++) {
        CHECK(vn_item(vn_value_and_grad(loss_of_captured, p, &a, &g)) == 1 * 3 + 2 * 4);
        CHECK(g && ((const float *)vn_data(vn_tree_leaf(g, 0)))[1] == 4);
    }
    a.other = vn_variable(numbers(2, 10)); /* gradients are not taken here: a program with the value it had */
    CHECK(((const float *)vn_data(vn_fn_call(a.inner, a.x)))[0] == 30);
    CHECK(((const float *)vn_data(vn_fn_call(a.inner, numbers(2, 4))))[0] == 40);
}

static int identity(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out;
    out[0] = in[0];
    out[1] = vn_stop_gradient(in[0]);
    out[2] = vn_scalar(7);
    out[3] = user;
    return 0;
}

TEST(results_that_are_inputs)
{
    vn_array *constant = numbers(2, 5), *out[4] = {NULL};
    vn_fn *f = vn_capture(identity, 4, constant);
    for (int k = 0; k < 3; k++) {
        CHECK(vn_fn_call_many(f, 1, (vn_array *[]){numbers(3, k)}, 4, out) == VN_OK);
        CHECK(((const float *)vn_data(out[0]))[2] == k + 2 && ((const float *)vn_data(out[1]))[0] == k);
        CHECK(vn_item(out[2]) == 7 && ((const float *)vn_data(out[3]))[1] == 6);
    }
    vn_array *pending = vn_add(numbers(3, 1), vn_scalar(1));
    CHECK(vn_fn_call_many(f, 1, &pending, 4, out) == VN_OK && ((const float *)vn_data(out[0]))[0] == 2);
}

/* One result for each element, and none beyond the tenth. */
static int elements(int n, vn_array *const *in, int n_out, vn_array **out, void *runs)
{
    (void)n;
    ++*(int *)runs;
    const int size = (int)vn_size(in[0]);
    for (int64_t k = 0; k < size && k < n_out && size <= 10; k++) {
        vn_array *from = vn_from_host(&k, VN_I64, VN_SHAPE(1));
        out[k] = vn_mul(vn_slice(in[0], from, VN_SHAPE(1)), vn_scalar(2));
    }
    return 0;
}

TEST(as_many_results_as_it_fills)
{
    int runs = 0;
    vn_array *out[6] = {NULL}, *x = numbers(4, 1);
    vn_fn *f = vn_capture(elements, 0, &runs);
    for (int k = 0; k < 6; k++) {
        const int size = 2 + k % 3 * 2; /* 2, 4 and 6, which leaves no room for a NULL */
        CHECK(!vn_fn_call_many(f, 1, (vn_array *[]){numbers(size, k)}, 6, out));
        for (int i = 0; i < size; i++) CHECK(vn_item(out[i]) == 2 * (k + i));
        CHECK(size == 6 || !out[size]);
    }
    CHECK(runs == 3);
    vn_array *last = vn_fn_call(f, numbers(1, 8));
    CHECK(vn_item(last) == 16 && runs == 4);
    CHECK_FAILS(vn_fn_call_many(f, 1, &x, 3, out), VN_E_ARG, "room for 3 results, the function has 4");
    CHECK_FAILS(vn_fn_call_many(f, 1, &x, 0, out), VN_E_ARG, "room for 0 results");
    CHECK_FAILS(vn_fn_call_many(f, 1, &x, 1025, out), VN_E_ARG, "1024 at most");
    CHECK_FAILS(vn_fn_call_many(f, 1, (vn_array *[]){numbers(11, 0)}, 6, out), VN_E_CALLBACK, "left result 0 empty");
    x = vn_variable(numbers(3, 1));
    runs = 0;
    for (int k = 0; k < 2; k++) CHECK(!vn_fn_call_many(f, 1, &x, 6, out) && out[2] && !out[3]); /* it runs the function itself */
    CHECK(runs == 2);
    const float *g = vn_data(vn_grad(vn_sum(out[1], VN_ALL), x));
    CHECK(g && g[0] == 0 && g[1] == 2);
}

/* An array that only the recording holds, of a size that would be worth overwriting. */
static int with_constant(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    float data[1000];
    (void)n, (void)n_out, (void)user;
    for (int k = 0; k < 1000; k++) data[k] = (float)k;
    out[0] = vn_add(vn_mul(vn_from(data, VN_SHAPE(1000)), vn_scalar(2)), in[0]);
    return 0;
}

TEST(constants_stay)
{
    vn_fn *f = vn_capture(with_constant, 1, NULL);
    for (int k = 0; k < 4; k++) CHECK(((const float *)vn_data(vn_fn_call(f, vn_full(vn_scalar(1), VN_0D, VN_F32))))[999] == 2 * 999 + 1);
}

static int reads(int n, vn_array *const *in, int n_out, vn_array **out, void *how)
{
    (void)n, (void)n_out;
    vn_array *y = vn_neg(in[0]);
    if (*(int *)how == 0) vn_item(in[0]);
    else if (*(int *)how == 1) vn_eval(1, &y);
    else if (*(int *)how == 2) vn_to(in[0], vn_using());
    else if (*(int *)how == 3) return 5;
    else if (*(int *)how == 4) return out[0] = NULL, 0;
    else if (*(int *)how == 5) vn_reshape(in[0], VN_SHAPE(7));
    else if (*(int *)how == 6) vn_text(y);
    out[0] = y;
    return 0;
}

TEST(what_cannot_be)
{
    static const vn_code codes[] = {VN_E_ARG, VN_E_ARG, VN_E_ARG, VN_E_CALLBACK, VN_E_CALLBACK, VN_E_SHAPE, VN_E_ARG};
    for (int how = 0; how < 7; how++) {
        vn_fn *f = vn_capture(reads, 1, &how);
        CHECK_FAILS(vn_fn_call(f, vn_full(vn_scalar(3), VN_SHAPE(1), VN_F32)), codes[how], "capture");
        CHECK_FAILS(vn_fn_call(f, vn_full(vn_scalar(3), VN_SHAPE(1), VN_F32)), codes[how], "capture");
    }
    int fine = 9;
    CHECK(vn_item(vn_fn_call(vn_capture(reads, 1, &fine), vn_full(vn_scalar(3), VN_SHAPE(1), VN_F32))) == -3);
    vn_fn *f = vn_capture(square_of, 1, NULL);
    vn_array *x = numbers(1, 1), *out[2];
    CHECK_FAILS(vn_capture(NULL, 1, NULL), VN_E_NULL, "fn");
    CHECK_FAILS(vn_capture(square_of, -1, NULL), VN_E_ARG, "results");
    CHECK_FAILS(vn_capture(square_of, 1025, NULL), VN_E_ARG, "results");
    CHECK_FAILS(vn_fn_call(f, NULL), VN_E_NULL, "input");
    CHECK_FAILS(vn_fn_call_many(f, -1, &x, 1, out), VN_E_ARG, "inputs");
    CHECK_FAILS(vn_fn_call_many(f, 1, &x, 2, out), VN_E_ARG, "results");
    CHECK_FAILS(vn_fn_call_many(NULL, 1, &x, 1, out), VN_E_NULL, "f");
}

/* Shapes without end are recorded as usual. */
TEST(many_shapes)
{
    vn_fn *f = vn_capture(square_of, 1, NULL);
    for (int k = 1; k < 100; k++) {
        VN_SCOPE;
        CHECK(vn_item(vn_sum(vn_fn_call(f, vn_full(vn_scalar(2), VN_SHAPE(k), VN_F32)), VN_ALL)) == 4 * k);
    }
}

/* As many results as inputs, in another order. */
static int turned(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)user;
    for (int k = 0; k < n_out; k++) out[k] = vn_add(in[n - 1 - k], vn_scalar(k));
    return 0;
}

static vn_array *doubled(vn_array *x, void *user)
{
    (void)user;
    return vn_add(x, x);
}

static vn_array *twice(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)x, (void)y, (void)user;
    return vn_add(upstream, upstream);
}

TEST(many_arrays)
{
    enum { MANY = 40 };
    vn_array *in[MANY], *out[MANY] = {NULL};
    for (int k = 0; k < MANY; k++) in[k] = numbers(1, k);
    vn_fn *f = vn_capture(turned, MANY, NULL);
    for (int round = 0; round < 2; round++) { /* recorded, then run */
        CHECK(vn_fn_call_many(f, MANY, in, MANY, out) == VN_OK);
        for (int k = 0; k < MANY; k++) CHECK(vn_item(out[k]) == MANY - 1);
    }
    in[MANY - 1] = vn_add(in[MANY - 1], vn_scalar(1)); /* one that is computed first */
    CHECK(vn_fn_call_many(f, MANY, in, MANY, out) == VN_OK && vn_item(out[0]) == MANY);
    CHECK_FAILS(vn_fn_call_many(f, -1, in, MANY, out), VN_E_ARG, "-1 inputs, 0 to 1024 are allowed");
    CHECK_FAILS(vn_fn_call_many(f, 1025, in, MANY, out), VN_E_ARG, "1025 inputs");
    CHECK_FAILS(vn_fn_call_many(f, 1, NULL, MANY, out), VN_E_ARG, "1 inputs");
    CHECK_FAILS(vn_fn_call_many(f, MANY, in, MANY, NULL), VN_E_ARG, "room for 0 results, the function has 40");
    CHECK_FAILS(vn_fn_call_many(f, MANY, in, 2, out), VN_E_ARG, "room for 2 results, the function has 40");
    /* a function of one array, called the same way */
    vn_fn *one = vn_bind_custom_gradient(doubled, twice, NULL);
    CHECK(vn_fn_call_many(one, 1, in + 3, 1, out) == VN_OK && vn_item(out[0]) == 6);
    CHECK_FAILS(vn_fn_call_many(one, 2, in, 1, out), VN_E_ARG, "takes one array and gives one");
    CHECK_FAILS(vn_fn_call_many(one, 1, in, 2, out), VN_E_ARG, "takes one array and gives one");
    CHECK_FAILS(vn_fn_call_many(one, 1, NULL, 1, out), VN_E_ARG, "takes one array and gives one");
    CHECK_FAILS(vn_fn_call_many(one, 1, in, 1, NULL), VN_E_ARG, "takes one array and gives one");
    CHECK_FAILS(vn_fn_call_many(one, 1, (vn_array *[]){NULL}, 1, out), VN_E_NULL, "");
}

static vn_fn *shared;

static void *work(void *number)
{
    vn_use(number);
    for (int k = 0; k < 50; k++) {
        VN_SCOPE;
        int n = 1 + k % 5;
        CHECK(vn_item(vn_sum(vn_fn_call(shared, vn_full(vn_scalar(3), VN_SHAPE(n), VN_F32)), VN_ALL)) == 9 * n);
    }
    CHECK(vn_close() == VN_OK);
    return NULL;
}

TEST(threads)
{
    shared = vn_capture(square_of, 1, NULL);
    if (!shared) return;
    pthread_t t[3];
    for (int k = 0; k < 3; k++) pthread_create(&t[k], NULL, work, (void *)(uintptr_t)vn_using());
    for (int k = 0; k < 3; k++) pthread_join(t[k], NULL);
}

TEST_MAIN
