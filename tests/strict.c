/* strict.c: who computes what on an engine (vn_engine_computes), and VINEA_STRICT=1, under which the native engine computes nothing but
 * random numbers for another one. */
/* ctest: engines */
/* ctest: env VINEA_STRICT=1 */
#include "check.h"

static const char *engine;

static bool is(const vn_op_info *op, const char *kind)
{
    return !strcmp(op->kind, kind);
}

static bool draws(const vn_op_info *op)
{
    return (op->traits & VN_OP_RANDOM) != 0;
}

/* Every op that needs a kernel has a dtype that somebody computes: the small calls behind the answers cover the whole table. */
static void table_is_whole(void)
{
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info op = {.size = sizeof op};
        CHECK(vn_op_at(k, &op) == VN_OK);
        int by[3] = {0};
        for (int d = 0; d < VN_DTYPE_COUNT; d++) {
            int who = vn_engine_computes(engine, op.name, (vn_dtype)d);
            CHECK(who >= VN_BY_NOBODY && who <= VN_BY_NATIVE);
            if (who >= 0 && who < 3) by[who]++;
        }
        bool somebody = by[VN_BY_ENGINE] + by[VN_BY_NATIVE] > 0;
        if (is(&op, "primitive") && !somebody) fprintf(stderr, "%s: nobody computes it\n", op.name);
        if (is(&op, "primitive")) CHECK(somebody);
        else if (!is(&op, "fused")) CHECK(!somebody);
        if (!strcmp(engine, "native")) CHECK(!by[VN_BY_NATIVE]);
        else if (draws(&op)) CHECK(!by[VN_BY_ENGINE]);
    }
    CHECK(vn_engine_computes(engine, "add", VN_F32) == VN_BY_ENGINE);
    CHECK(vn_engine_computes(engine, "add", VN_BOOL) == VN_BY_NOBODY);
    CHECK(vn_engine_computes(engine, "mean", VN_F32) == VN_BY_NOBODY);
}

static void count_lines(void *to, const char *key, const char *value)
{
    CHECK(*key && *value);
    *(int *)to += !strcmp(key, "device") || !strcmp(key, "threads") || !strcmp(key, "route");
}

static void description(void)
{
    int n = 0;
    CHECK(vn_engine_describe(engine, count_lines, &n) == VN_OK && n == 3);
    CHECK_FAILS(vn_engine_describe(engine, NULL, NULL), VN_E_NULL, "line is NULL");
    CHECK_FAILS(vn_engine_describe("nothing", count_lines, &n), VN_E_ENGINE, "nothing");
    CHECK_FAILS(vn_engine_computes("nothing", "add", VN_F32), VN_E_ENGINE, "nothing");
    CHECK_FAILS(vn_engine_computes(engine, NULL, VN_F32), VN_E_NULL, "op is NULL");
    CHECK_FAILS(vn_engine_computes(engine, "ad", VN_F32), VN_E_ARG, "no op \"ad\"");
    CHECK_FAILS(vn_engine_computes(engine, "add", VN_DTYPE_COUNT), VN_E_DTYPE, "no dtype");
}

/* Every op of one input that takes complex128 or float32: computed where the engine says so, refused with its name elsewhere. */
static void refusals(void)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_C128};
    int refused = 0, told = 0;
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info op = {.size = sizeof op};
        CHECK(vn_op_at(k, &op) == VN_OK);
        for (int d = 0; d < 2 && is(&op, "primitive") && op.n_inputs == 1 && !op.n_options && !draws(&op); d++) {
            VN_SCOPE;
            int by = vn_engine_computes(engine, op.name, dtypes[d]);
            if (by != VN_BY_NATIVE) continue;
            vn_array *x = vn_eye(2, 2, 0, dtypes[d]), *y = NULL;
            told++;
            CHECK(vn_call(op.name, &x, 1, NULL, 0, &y, 1) == VN_OK);
            CHECK_FAILS(vn_eval(1, &y), VN_E_UNSUPPORTED, op.name);
            refused++;
        }
    }
    printf("%s: %d of %d refused\n", engine, refused, told);
    VN_SCOPE;
    CHECK(vn_item(vn_add(vn_full(1, VN_0D, VN_F32), vn_scalar(2))) == 3); /* and the rest goes on */
    vn_seed(1);
    double drawn = vn_item(vn_random_uniform(0, 1, VN_SHAPE(1)));
    CHECK(drawn >= 0 && drawn < 1);
}

int main(int argc, char **argv)
{
    use_engine(argc, argv);
    engine = argc > 1 ? argv[1] : "native";
    RUN(table_is_whole);
    RUN(description);
    RUN(refusals);
    return finish();
}
