/* SPDX-License-Identifier: Apache-2.0 */
/* compile_memory.c: the native engine runs out of memory while it compiles a program, in every op that has a kernel of its own. Its compiler takes memory in large chunks, so what
 * stands before the op moves the place where the next chunk is needed from one of its requests to the next. Each ends with VN_E_MEM and no leak, or with the right bits. */
/* ctest: seconds 3 */
#include "failing.h"
#include "ops/op.h"
#include "program/node.h"
#include "engine/engine.h"

enum { VIEWS = 9, STEPS = 9, CHUNK = 1500 }; /* bytes; the engine's first chunk has 2 KiB, the next ones twice as many each */

static const char *const names[] = {
    "matmul", "slice", "slice_set", "cumulative_sum", "sum", "add",
#define WHOLE(name, dtypes, options) #name,
#include "../../engines/native/whole.def"
};

/* What has no sample: kernels on rows of some length, several of them in one, transforms of other lengths, random numbers. */
static vn_array *waves(int64_t rows, int64_t length)
{
    return vn_sin(vn_reshape(vn_cast(vn_arange(0, (double)(rows * length)), VN_F32), VN_SHAPE(rows, length)));
}
static vn_array *chain(void)
{
    vn_array *x = waves(40, 1000), *far = vn_exp(vn_sub(x, vn_expand_dims(vn_max(x, VN_AXES(1)), 1)));
    return vn_div(far, vn_expand_dims(vn_sum(far, VN_AXES(1)), 1));
}
static vn_array *softmax(void)
{
    return vn_softmax(waves(4, 300), 1);
}
static vn_array *norm(void)
{
    return vn_layer_norm(waves(4, 300), VN_NONE, VN_NONE, VN_AXES(1), 1e-5);
}
static vn_array *transform(void)
{
    return vn_abs(vn_rfft(waves(1, 37 * 2), 1, NULL)); /* a prime: as a convolution */
}
static vn_array *long_transform(void)
{
    return vn_abs(vn_rfft(waves(1, 3 << 13), 1, NULL)); /* as a matrix */
}
static vn_array *uniform(void)
{
    return vn_uniform(vn_random_key_of(1), vn_scalar(0), vn_scalar(2), VN_SHAPE(9), VN_F16);
}
static vn_array *gamma_law(void)
{
    return vn_gamma(vn_random_key_of(1), vn_scalar(2), VN_SHAPE(9), VN_F32);
}
static vn_array *shuffle(void)
{
    return vn_shuffle(vn_random_key_of(1), waves(4, 5), 1, NULL);
}
static vn_array *bits(void)
{
    return vn_random_bits(vn_random_key_of(1), VN_SHAPE(9), VN_U32, NULL);
}
static const struct {
    const char *name;
    vn_array *(*make)(void);
} makers[] = {{"chain", chain},
              {"softmax", softmax},
              {"norm", norm},
              {"transform", transform},
              {"long_transform", long_transform},
              {"uniform", uniform},
              {"gamma", gamma_law},
              {"shuffle", shuffle},
              {"bits", bits}};

static vn_array *(*make)(void); /* or NULL: a sample of the op */
static int op, dtype, views, steps;
static uint64_t expected;

/* Views that are kept, 528 bytes each, a kernel of some steps, some 64 bytes each, and the op. */
static int program(void)
{
    static const float numbers[24] = {1, 2, 3, .5f};
    vn_array *all[1 + VN__MAX_OUT], *x = vn_from(numbers, VN_SHAPE(2, 3, 4)), *out[VN__MAX_OUT] = {NULL};
    int n = 0;
    for (int k = 0; k < views; k++) x = vn_flip(x, VN_AXES(k % 3));
    for (int k = 0; k < steps; k++) x = vn_neg(x);
    all[n++] = vn_add(x, vn_scalar(1));
    vn__engine *e = vn__engine_find("native");
    if (!e || !(make ? (out[0] = make()) != NULL : vn__sample(e, op, dtype, out) != NULL)) return 0;
    for (int k = 0; k < VN__MAX_OUT && out[k]; k++) all[n++] = out[k];
    const int code = vn_eval(n, all);
    CHECK(code == VN_OK || code == VN_E_MEM);
    if (code) return 0;
    uint64_t hash = VN__HASH;
    for (int k = 0; k < n; k++) hash = hash_array(hash, all[k]);
    if (!failing_when) expected = hash;
    return hash == expected;
}

/* How many of the program's large requests failed. */
static long fail_each(void)
{
    long failures = 0, n = 0;
    while (fail_one(program, n, &failures) >= n || !n) n++;
    failing_when = 0;
    return failures;
}

/* A kernel of the engine, and a call of it; half precision of softmax and its kin is composed. */
static bool has_sample(vn_dtype of)
{
    VN_SCOPE;
    vn_array *out[VN__MAX_OUT];
    return vn_engine_computes("native", vn__ops[op].info.name, of) == VN_BY_ENGINE && vn__sample(vn__engine_find("native"), op, of, out);
}

static void fail_everywhere(void)
{
    for (int p = 0; p < VIEWS * STEPS; p++) {
        views = p % VIEWS, steps = p / VIEWS;
        CHECK(fail_each() > 0);
    }
}

/* Half precision, which is widened before most kernels and rounded after them, and the first other dtype that the op takes. */
static void fail_op(void)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_I64, VN_C64, VN_BOOL};
    int found = 0;
    check_name = vn__ops[op].info.name;
    while (found < 5 && !has_sample(dtypes[found])) found++;
    const vn_dtype tried[] = {found < 5 ? dtypes[found] : VN_NO_DTYPE, has_sample(VN_F16) ? VN_F16 : VN_NO_DTYPE};
    vn_close();
    const bool sampled =
        !(vn__ops[op].info.traits & VN_OP_RANDOM) && vn__ops[op].kind != VN__OP_FUSED && strcmp(check_name, "adam_apply") != 0;
    CHECK(tried[0] || !sampled); /* random numbers have no sample, few elements are composed, adam_apply has lists */
    for (int k = 0; k < 2; k++) {
        dtype = tried[k];
        if (dtype) fail_everywhere();
    }
}

int main(void)
{
    setenv("VINEA_THREADS", "1", 1);
    failing_min = CHUNK;
    failing_on = true; /* after one that fails the library drops what it caches and asks again */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        op = vn__op_find(names[k]);
        CHECK(op >= 0);
        fail_op();
    }
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        check_name = makers[k].name;
        make = makers[k].make;
        fail_everywhere();
    }
    return finish();
}
