/* SPDX-License-Identifier: Apache-2.0 */
/* adam_apply.c: one Adam step of many parameters as one op: the same bits as one by one, whatever their sizes, dtypes and the results
 * used; shared and donated operands; optimizer steps. */
/* ctest: engines */
/* ctest: part 6 on jax */
/* ctest: seconds 7 on jax */
/* ctest: sanitize */
#include "check.h"
#include "ops/row.h"
#include <vinea/nn.h>

/* More parameters than the planner tries for one result; of sizes on both sides of a thread's part and of what threads share. */
enum { MANY = 70, LISTS = 4 };
static int64_t size_of(int p)
{
    static const int64_t sizes[] = {3, 1, 0, 1000, 8191, 8192, 8193, 17, 40001, 64};
    return sizes[p < 10 ? p : p % 2 * 7];
}

/* Array k of parameter p: w, g, m or v. */
static vn_array *array_of(int p, int k, vn_dtype dtype)
{
    static float data[40001];
    const int64_t n = size_of(p);
    for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 7 + p * 5 + k * 13) % 31 + 1) / 16;
    if (k == 3 && p % 10 == 3) data[5 % n] = -100, data[7 % n] = NAN;
    vn_array *x = vn_cast(vn_from(data, VN_SHAPE(n)), dtype);
    return p % 10 == 7 && n > 1 ? vn_flip(x, VN_AXES(0)) : x;
}

/* The dtypes of the four lists: half precision may have moments in float32. */
typedef struct {
    vn_dtype of[LISTS];
} kind;
static const kind kinds[] = {{{VN_F32, VN_F32, VN_F32, VN_F32}},
                             {{VN_F64, VN_F64, VN_F64, VN_F64}},
                             {{VN_BF16, VN_BF16, VN_BF16, VN_BF16}},
                             {{VN_F16, VN_F16, VN_F32, VN_F32}},
                             {{VN_F32, VN_BF16, VN_F16, VN_F32}}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void fill(vn_array **in, int n, kind t)
{
    for (int k = 0; k < LISTS; k++)
        for (int p = 0; p < n; p++) in[k * n + p] = array_of(p, k, t.of[k]);
    in[LISTS * n] = vn_scalar(.125), in[LISTS * n + 1] = vn_scalar(2);
}

static bool plans_memory; /* the native engine */
static bool exact;        /* XLA rounds products and sums in one or two steps, as it likes, and decides anew for every program */

static bool within_rounding(vn_array *x, vn_array *y)
{
    const double tolerance = vn_dtype_of(x) == VN_BF16 ? 1e-2 : vn_dtype_of(x) == VN_F16 ? 1e-3 : 1e-5;
    vn_array *off = vn_abs(vn_sub(x, y)), *allowed = vn_mul(vn_add(vn_abs(y), vn_scalar(1)), vn_scalar(tolerance));
    vn_array *alike = vn_logical_or(vn_equal(x, y), vn_logical_and(vn_isnan(x), vn_isnan(y))); /* infinities too */
    return vn_item(vn_all(vn_logical_or(vn_less_equal(off, allowed), alike), VN_ALL)) == 1;
}

static bool same(vn_array *x, vn_array *y)
{
    const int64_t n = x ? vn_size(x) : -1;
    const vn_dtype d = n >= 0 ? vn_dtype_of(x) : VN_F32;
    if (n < 0 || !y || vn_size(y) != n || vn_dtype_of(y) != d) return false;
    if (!n || !exact) return !n || within_rounding(x, y);
    const void *a = vn_data(x), *b = vn_data(y);
    return a && b && !memcmp(a, b, (size_t)n * vn_dtype_size(d));
}

/* Results of each parameter by itself, in lists like those of the op. */
static void one_by_one(vn_array **out, int n, kind t)
{
    for (int p = 0; p < n; p++) {
        vn_array *in[LISTS + 2], *z[3];
        for (int k = 0; k < LISTS; k++) in[k] = array_of(p, k, t.of[k]);
        in[LISTS] = vn_scalar(.125), in[LISTS + 1] = vn_scalar(2);
        CHECK(vn__adam_apply(LISTS + 2, in, .9, .999, 1e-7, z) == VN_OK && vn_eval(3, z) == VN_OK);
        for (int r = 0; r < 3; r++) out[r * n + p] = z[r];
    }
}

TEST(lists)
{
    for (int t = 0; t < KINDS; t++) {
        if (!in_part((size_t)t)) continue;
        VN_SCOPE;
        vn_array *in[LISTS * MANY + 2], *z[3 * MANY], *want[3 * MANY];
        fill(in, MANY, kinds[t]);
        one_by_one(want, MANY, kinds[t]);
        CHECK(vn__adam_apply(LISTS * MANY + 2, in, .9, .999, 1e-7, z) == VN_OK && vn_eval(3 * MANY, z) == VN_OK);
        for (int k = 0; k < 3 * MANY; k++) CHECK(same(z[k], want[k]) && vn_dtype_of(z[k]) == kinds[t].of[k < MANY ? 0 : 1 + k / MANY]);
    }
}

/* Parameter p's numbers against the formula. */
TEST(against_the_formula)
{
    enum { N = 9 };
    vn_array *in[LISTS * N + 2], *z[3 * N];
    fill(in, N, kinds[0]);
    CHECK(vn__adam_apply(LISTS * N + 2, in, .9, .999, 1e-7, z) == VN_OK && vn_eval(3 * N, z) == VN_OK);
    for (int p = 0; p < N; p++) {
        const float *x[LISTS], *y[3];
        for (int k = 0; k < LISTS; k++) x[k] = vn_data(in[k * N + p]);
        for (int r = 0; r < 3; r++) y[r] = vn_data(z[r * N + p]);
        int wrong = 0;
        for (int64_t i = 0; i < size_of(p); i++) {
            double g = x[1][i], m = .9 * x[2][i] + .1 * g, v = .999 * x[3][i] + .001 * g * g,
                   w = x[0][i] - .125 * m / (2 * sqrt(v < 0 ? 0 : v) + 1e-7);
            wrong += !(near(y[0][i], w, 1e-5) || fabs(y[0][i] - w) < 1e-6) || !near(y[1][i], m, 1e-6) || !near(y[2][i], v, 1e-6);
        }
        CHECK(wrong == 0);
    }
}

/* Some of the results, or all; inputs without other references. */
static void some_results_of(kind t)
{
    vn_array *want[3 * MANY];
    one_by_one(want, MANY, t);
    for (int asked = 0; asked < 4; asked++) {
        VN_SCOPE;
        vn_array *kept[3 * MANY];
        int n = 0;
        {
            VN_SCOPE;
            vn_array *in[LISTS * MANY + 2], *z[3 * MANY];
            fill(in, MANY, t);
            CHECK(vn_eval(LISTS * MANY, in) == VN_OK);
            for (int k = 0; k < LISTS * MANY; k++) in[k] = vn_mul(in[k], vn_scalar(1));
            vn__adam_apply(LISTS * MANY + 2, in, .9, .999, 1e-7, z);
            for (int k = 0; k < 3 * MANY; k++)
                if (asked == 3 || k % 3 == asked) kept[n++] = vn_pass(z[k]);
        }
        CHECK(vn_eval(n, kept) == VN_OK);
        for (int k = 0, at = 0; k < 3 * MANY; k++)
            if (asked == 3 || k % 3 == asked) CHECK(same(kept[at++], want[k]));
    }
}

TEST(some_results)
{
    VN_SCOPE;
    some_results_of(kinds[0]);
    if (in_part(1)) some_results_of(kinds[3]);
}

enum { FEW = 3, COUNT = 9000 };

/* Results of FEW parameters whose operands are `which` of some arrays that the same program computes; array `kept` is needed afterwards,
 * as the results are, so that memory changes hands inside of the program. At once, or one by one in programs of their own. */
static void in_a_program(const int which[LISTS * FEW], int kept, bool at_once, vn_array **z)
{
    static float data[COUNT];
    vn_array *x[LISTS * FEW], *in[LISTS * FEW + 2];
    for (int k = 0; k < LISTS * FEW; k++) {
        for (int i = 0; i < COUNT; i++) data[i] = (float)((i * 3 + k * 5) % 23 + 1) / 8;
        x[k] = vn_from(data, VN_SHAPE(COUNT));
    }
    CHECK(vn_eval(LISTS * FEW, x) == VN_OK);
    for (int k = 0; k < LISTS * FEW && at_once; k++) x[k] = vn_mul(x[k], vn_scalar(1));
    for (int k = 0; k < LISTS * FEW; k++) in[k] = x[which[k]];
    in[LISTS * FEW] = vn_scalar(.125), in[LISTS * FEW + 1] = vn_scalar(2);
    if (at_once) vn__adam_apply(LISTS * FEW + 2, in, .9, .999, 1e-7, z);
    for (int p = 0; p < FEW && !at_once; p++) {
        vn_array *one[] = {in[p], in[FEW + p], in[2 * FEW + p], in[3 * FEW + p], vn_scalar(.125), vn_scalar(2)}, *y[3];
        CHECK(vn__adam_apply(LISTS + 2, one, .9, .999, 1e-7, y) == VN_OK && vn_eval(3, y) == VN_OK);
        for (int r = 0; r < 3; r++) z[r * FEW + p] = y[r];
    }
    for (int k = 0; k < 3 * FEW; k++) z[k] = vn_add(z[k], vn_scalar(1));
    z[3 * FEW] = vn_add(x[kept], vn_scalar(1));
    CHECK(vn_eval(3 * FEW + 1, z) == VN_OK);
}

TEST(memory_in_a_program)
{
    static const int own[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};  /* w, g, m and v of three parameters */
    static const int others[] = {0, 1, 2, 3, 4, 5, 1, 2, 0, 6, 7, 8}; /* a moment of one is the w of another */
    static const int gradients[] = {0, 1, 2, 1, 2, 0, 3, 4, 5, 6, 7, 8};
    static const int same_twice[] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5};
    static const int *const all[] = {own, others, gradients, same_twice};
    const int kept = plans_memory ? 9 : 1;
    for (int k = 0; k < 4 * kept; k++) {
        VN_SCOPE;
        vn_array *z[3 * FEW + 1], *want[3 * FEW + 1];
        in_a_program(all[k / kept], k % kept, true, z);
        in_a_program(all[k / kept], k % kept, false, want);
        for (int r = 0; r <= 3 * FEW; r++) CHECK(same(z[r], want[r]));
    }
}

/* Parameters of several dtypes, and with state in another: those that are alike move together, all as by vn_adam_update. */
TEST(optimizer)
{
    enum { N = 40 };
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_F32, VN_BF16};
    vn_tree *p = vn_tree_new(NULL), *grads = vn_tree_new(NULL);
    vn_array *w[N], *g[N], *m[N], *v[N];
    char key[16];
    for (int i = 0; i < N; i++) {
        const vn_dtype d = dtypes[i % 4];
        snprintf(key, sizeof key, "p%02d", i);
        w[i] = array_of(i, 0, d), g[i] = array_of(i, 1, d);
        m[i] = v[i] = vn_zeros(VN_SHAPE(size_of(i)), d == VN_F64 ? VN_F64 : VN_F32);
        vn_tree_set(p, key, array_of(i, 0, d)), vn_tree_set(grads, key, array_of(i, 1, d));
    }
    vn_optim *o = vn_adam(.125, VN_OPTS(adam, .epsilon = 1e-7, .folded = 1)); /* the form of vn_adam_update */
    for (int t = 1; t <= 3; t++) {
        CHECK(vn_step(o, p, grads) == VN_OK);
        for (int i = 0; i < N; i++) {
            const vn_dtype d = vn_dtype_of(w[i]), inner = d == VN_F64 ? VN_F64 : VN_F32;
            vn_array *to =
                vn_adam_update(vn_cast(w[i], inner), vn_cast(g[i], inner), vn_scalar(.125), m[i], v[i], vn_scalar(t), NULL, &m[i], &v[i]);
            w[i] = vn_cast(to, d);
        }
        CHECK(vn_eval(N, w) == VN_OK && vn_eval(N, m) == VN_OK && vn_eval(N, v) == VN_OK);
    }
    vn_tree *state = vn_optim_state(o);
    for (int i = 0; i < N; i++) {
        char chain[24];
        snprintf(key, sizeof key, "p%02d", i), snprintf(chain, sizeof chain, "m/%s", key);
        CHECK(same(vn_tree_get(p, key), w[i]));
        CHECK(same(vn_tree_get(state, chain), m[i]));
    }
}

/* On native a step writes new parameters and moments over the old, however many there are: there need be no room for others. */
NATIVE_TEST(in_place)
{
    enum { EACH = 20000, ROOM = 1 << 20 };
    vn_tree *p = vn_tree_new(NULL), *grads = vn_tree_new(NULL);
    char key[16];
    for (int i = 0; i < MANY; i++) {
        VN_SCOPE;
        snprintf(key, sizeof key, "p%02d", i);
        vn_tree_set(p, key, vn_add(vn_ones(VN_SHAPE(EACH), VN_F32), vn_scalar(i)));
        vn_tree_set(grads, key, vn_add(vn_ones(VN_SHAPE(EACH), VN_F32), vn_scalar(1)));
    }
    vn_optim *o = vn_adam(.125, NULL);
    vn_memory_info memory = {.size = sizeof memory};
    for (int t = 0; t < 2; t++) CHECK(vn_step(o, p, grads) == VN_OK);
    CHECK(vn_memory(&memory) == VN_OK && memory.used - memory.cached >= (int64_t)4 * MANY * EACH * (int64_t)sizeof(float));
    CHECK(vn_memory_limit(memory.used - memory.cached + ROOM) == VN_OK);
    CHECK(vn_step(o, p, grads) == VN_OK);
    CHECK(vn_memory_limit(0) == VN_OK);
}

/* With history the op is composed: on native, of the same bits. */
NATIVE_TEST(composed)
{
    enum { N = 9 };
    for (int t = 0; t < KINDS; t++) {
        VN_SCOPE;
        vn_array *in[LISTS * N + 2], *z[3 * N], *want[3 * N];
        fill(in, N, kinds[t]);
        vn__adam_apply(LISTS * N + 2, in, .9, .999, 1e-7, want);
        in[0] = vn_variable(in[0]);
        vn__adam_apply(LISTS * N + 2, in, .9, .999, 1e-7, z);
        CHECK(vn_eval(3 * N, want) == VN_OK && vn_eval(3 * N, z) == VN_OK);
        for (int k = 0; k < 3 * N; k++) CHECK(same(z[k], want[k]));
        CHECK(vn_grad(vn_sum(z[0], VN_ALL), in[0]) != NULL);
    }
}

TEST(errors)
{
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32), *y = vn_ones(VN_SHAPE(3), VN_F32), *z[6];
    vn_array *in[] = {x, x, x, x, x, x, x, y, vn_scalar(1), vn_scalar(1)};
    CHECK_FAILS(vn__adam_apply(10, in, .9, .999, 1e-7, z), VN_E_SHAPE, "adam_apply");
    CHECK(!z[0] && !z[5]);
    CHECK_FAILS(vn__adam_apply(9, in, .9, .999, 1e-7, z), VN_E_ARG, "equally long");
    CHECK_FAILS(vn__adam_apply(2, in, .9, .999, 1e-7, z), VN_E_ARG, "equally long");
}

int main(int argc, char **argv)
{
    const char *engine = argc > 1 ? argv[1] : "native";
    if (vn_use(engine)) return fprintf(stderr, "%s\n", vn_message()), 77;
    exact = strcmp(engine, "jax") != 0;
    plans_memory = !strcmp(engine, "native");
    run_tests();
    return finish();
}
