/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c: the fallbacks of an engine. vn_engine_computes must report for every op and dtype exactly the fallbacks that the engine's
 * list (engines/<name>/fallbacks.txt) contains: primitives that native computes, at most 5 %, and fused ops that are composed. And its
 * answers must be true: under VINEA_STRICT=1, which makes native kernels errors, a sample call of everything that the engine computes
 * itself agrees with native, and every other primitive is refused. */
/* ctest: engines */
/* ctest: seconds 12 on jax */
/* ctest: seconds 3 on tensorflow */
/* ctest: env VINEA_STRICT=1 */
#include "check.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "engine/engine.h"

enum { MIN_SHARE = 95, TOGETHER = 64, OPS = 1024 };

static const char *engine;
static uint32_t listed[OPS]; /* dtypes of each op that the engine's list has */

static bool is_kernel(int op)
{
    return vn__ops[op].kind == VN__OP_PRIMITIVE || vn__ops[op].kind == VN__OP_FUSED;
}

static bool samples(int op) /* random ops, always computed by native */
{
    return (vn__ops[op].info.traits & VN_OP_RANDOM) != 0;
}

static int who(int op, int dtype)
{
    return vn_engine_computes(engine, vn__ops[op].info.name, (vn_dtype)dtype);
}

/* ---- the answers ---- */

/* Every op that needs a kernel has a dtype that is computed: the sample calls cover the whole table. */
TEST(table_is_whole)
{
    CHECK(vn__op_count <= OPS);
    for (int op = 0; op < vn__op_count; op++) {
        int by[3] = {0};
        for (int d = 1; d < VN_DTYPE_END; d++) {
            int answer = who(op, d);
            CHECK(answer >= VN_BY_NONE && answer <= VN_BY_NATIVE);
            if (answer >= 0 && answer < 3) by[answer]++;
        }
        bool computed = by[VN_BY_ENGINE] + by[VN_BY_NATIVE] > 0, primitive = vn__ops[op].kind == VN__OP_PRIMITIVE;
        if (primitive && !computed) fprintf(stderr, "%s: no engine computes it\n", vn__ops[op].info.name);
        if (primitive) CHECK(computed);
        else if (!is_kernel(op)) CHECK(!computed);
        if (!strcmp(engine, "native")) CHECK(!by[VN_BY_NATIVE]);
        else if (samples(op)) CHECK(!by[VN_BY_ENGINE]);
    }
    CHECK(vn_engine_computes(engine, "add", VN_F32) == VN_BY_ENGINE);
    CHECK(vn_engine_computes(engine, "add", VN_BOOL) == VN_BY_NONE);
    CHECK(vn_engine_computes(engine, "mean", VN_F32) == VN_BY_NONE);
}

static void count_lines(void *to, const char *key, const char *value)
{
    CHECK(*key && *value);
    *(int *)to += !strcmp(key, "device") || !strcmp(key, "threads") || !strcmp(key, "route");
}

TEST(description)
{
    int n = 0;
    CHECK(vn_engine_describe(engine, count_lines, &n) == VN_OK && n == 3);
    CHECK_FAILS(vn_engine_describe(engine, NULL, NULL), VN_E_NULL, "line is NULL");
    CHECK_FAILS(vn_engine_describe("nothing", count_lines, &n), VN_E_ENGINE, "nothing");
    CHECK_FAILS(vn_engine_computes("nothing", "add", VN_F32), VN_E_ENGINE, "nothing");
    CHECK_FAILS(vn_engine_computes(engine, NULL, VN_F32), VN_E_NULL, "op is NULL");
    CHECK_FAILS(vn_engine_computes(engine, "ad", VN_F32), VN_E_ARG, "no op \"ad\"");
    CHECK_FAILS(vn_engine_computes(engine, "add", VN_DTYPE_END), VN_E_DTYPE, "not a dtype");
}

/* ---- the engine's list ---- */

static uint32_t dtypes_named(const char *name)
{
    static const struct {
        const char *name;
        uint32_t dtypes;
    } kinds[] = {{"floats", VN_FLOATS}, {"half", VN_HALF}, {"integers", VN_INTS}, {"complex", VN_COMPLEX}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (!strcmp(name, kinds[k].name)) return kinds[k].dtypes;
    for (int d = 1; d < VN_DTYPE_END; d++)
        if (!strcmp(name, vn_dtype_name((vn_dtype)d))) return VN_BIT(d);
    return 0;
}

/* "ops: dtypes: reason" */
static void read_line(char *line, const char *path, int number)
{
    char *rest = line, *ops = strsep(&rest, ":"), *dtypes = rest ? strsep(&rest, ":") : NULL, *word;
    uint32_t set = 0;
    bool fine = rest && strspn(rest, " \n") < strlen(rest);
    while (fine && (word = strsep(&dtypes, " ")))
        if (*word) set |= dtypes_named(word), fine = dtypes_named(word) != 0;
    while (fine && (word = strsep(&ops, " "))) {
        int op = *word ? vn__op_find(word) : -1;
        if (*word && op < 0) fprintf(stderr, "%s:%d: there is no op \"%s\"\n", path, number, word);
        CHECK(!*word || op >= 0);
        const bool computed = op >= 0 && (vn__ops[op].kind == VN__OP_PRIMITIVE || vn__ops[op].kind == VN__OP_FUSED) && !samples(op);
        if (op >= 0 && !computed) fprintf(stderr, "%s:%d: engines have no kernel of %s: take it off\n", path, number, word);
        CHECK(!*word || computed);
        if (op >= 0) listed[op] |= set;
    }
    if (!fine || !set) fprintf(stderr, "%s:%d: \"ops: dtypes: reason\" is expected\n", path, number);
    CHECK(fine && set);
}

static bool is_fused(int op, int dtype)
{
    return vn__ops[op].kind == VN__OP_FUSED && vn__is(dtype, vn__ops[op].info.dtypes);
}

static void check_listed(int op, int dtype, bool falls_back, const char *path)
{
    const char *name = vn__ops[op].info.name, *of = vn_dtype_name((vn_dtype)dtype);
    bool meant = listed[op] & VN_BIT(dtype);
    if (falls_back && !meant)
        fprintf(stderr, "%s %s: %s has no kernel for it. Add a row to engines/%s (docs/add-an-op.md), or a line with the reason to %s\n",
                name, of, engine, engine, path);
    if (meant && !falls_back) fprintf(stderr, "%s %s: %s has a kernel for it: take it off %s\n", name, of, engine, path);
    CHECK(falls_back == meant);
}

/* The fallbacks are exactly those on the list. */
TEST(list_is_true)
{
    char path[1024], *line = NULL;
    size_t room = 0;
    int own = 0, native = 0, number = 0;
    snprintf(path, sizeof path, "%s/%s/fallbacks.txt", VN_TEST_ENGINES, engine);
    FILE *f = fopen(path, "r");
    while (f && getline(&line, &room, f) >= 0)
        if (number++, *line != '#' && *line != '\n') read_line(line, path, number);
    if (f) fclose(f);
    free(line);
    for (int op = 0; op < vn__op_count; op++) {
        for (int d = 1; d < VN_DTYPE_END && !samples(op); d++) {
            int by = who(op, d);
            own += by == VN_BY_ENGINE;
            native += by == VN_BY_NATIVE;
            check_listed(op, d, by == VN_BY_NATIVE || (by == VN_BY_NONE && is_fused(op, d)), path);
        }
    }
    double share = 100. * own / (own + native);
    printf("%s: %.1f %% of %d pairs of op and dtype without native kernels (random numbers left out)\n", engine, share, own + native);
    if (share < MIN_SHARE)
        fprintf(stderr,
                "%s leaves more than %d %% to native. Give something on %s a kernel, or make the new op's row fused: a composition needs "
                "none\n",
                engine, 100 - MIN_SHARE, path);
    CHECK(share >= MIN_SHARE);
}

/* ---- what is computed ---- */

/* As near as versions of a framework are to each other; NaN is like NaN. */
static bool alike(vn_array *a, vn_array *b)
{
    const int dtype = (int)vn_dtype_of(a);
    const void *x = vn_data(a), *y = vn_data(b);
    if (!x || !y || (int)vn_dtype_of(b) != dtype || vn_size(a) != vn_size(b)) return false;
    for (int64_t i = 0; i < vn_size(a); i++) {
        for (int part = 0; part < (vn__is(dtype, VN_COMPLEX) ? 2 : 1); part++) {
            double p = vn__get_part(x, i, dtype, part), q = vn__get_part(y, i, dtype, part);
            bool same = p == q || (isnan(p) && isnan(q)), close = fabs(p - q) <= (vn__is(dtype, VN_HALF) ? 2e-2 : 1e-5) * fmax(1, fabs(q));
            if (!same && !(vn__is(dtype, VN_INEXACT) && close)) return false;
        }
    }
    return true;
}

/* Calls to compute as one program, and all their results. */
static struct batch {
    vn_array *z[TOGETHER * VN__MAX_OUT];
    int first[TOGETHER + 1]; /* of a call's results */
    int op[TOGETHER], dtype[TOGETHER], n;
} batch;

static void compute_batch(void)
{
    bool fine = !batch.n || vn_eval(batch.first[batch.n], batch.z) == VN_OK;
    if (!fine) fprintf(stderr, "%s refuses what is said to be its own: %s\n", engine, vn_message());
    CHECK(fine);
    for (int k = 0; k < batch.n && fine; k++) {
        vn_array *native[VN__MAX_OUT];
        bool composed = !vn__sample(vn__engine_default(), batch.op[k], batch.dtype[k], native), same = true;
        for (int r = batch.first[k]; r < batch.first[k + 1] && !composed; r++) same &= alike(batch.z[r], native[r - batch.first[k]]);
        if (!same)
            fprintf(stderr, "%s %s gives something else than native\n", vn__ops[batch.op[k]].info.name,
                    vn_dtype_name((vn_dtype)batch.dtype[k]));
        CHECK(same);
    }
    vn_clear();
    batch.n = 0;
}

TEST(own_is_computed)
{
    vn__engine *e = vn__engine_find(engine);
    vn_scope scope = vn_scope_begin();
    for (int op = 0; op < vn__op_count; op++) {
        for (int d = 1; d < VN_DTYPE_END && is_kernel(op); d++) {
            const vn__node *made = who(op, d) == VN_BY_ENGINE ? vn__sample(e, op, d, &batch.z[batch.first[batch.n]]) : NULL;
            vn_clear();
            if (!made) continue;
            batch.op[batch.n] = op;
            batch.dtype[batch.n++] = d;
            batch.first[batch.n] = batch.first[batch.n - 1] + (int)vn__node_results(made);
            if (batch.n < TOGETHER) continue;
            compute_batch();
            vn_scope_end(scope);
            scope = vn_scope_begin();
        }
    }
    compute_batch();
    vn_scope_end(scope);
}

TEST(rest_is_refused)
{
    vn__engine *e = vn__engine_find(engine);
    for (int op = 0; op < vn__op_count; op++) {
        for (int d = 1; d < VN_DTYPE_END && !samples(op); d++) {
            VN_SCOPE;
            vn_array *z[VN__MAX_OUT];
            if (who(op, d) == VN_BY_NATIVE && vn__sample(e, op, d, z)) CHECK_FAILS(vn_eval(1, z), VN_E_UNSUPPORTED, vn__ops[op].info.name);
        }
    }
    VN_SCOPE;
    CHECK(vn_item(vn_add(vn_full(vn_scalar(1), VN_0D, VN_F32), vn_scalar(2))) == 3); /* and the rest goes on */
    vn_seed(1);
    double sampled = vn_item(vn_random_uniform(0, 1, VN_SHAPE(1)));
    CHECK(sampled >= 0 && sampled < 1);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    engine = argc > 1 ? argv[1] : "native";
    run_tests();
    return finish();
}
