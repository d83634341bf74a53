/* SPDX-License-Identifier: Apache-2.0 */
/* bindings.c: what a binding for another language stands on: ops by number, results that are the caller's, results that are not wanted. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"

static int64_t handles(void)
{
    vn_memory_info m = {.size = sizeof m};
    CHECK(vn_memory(&m) == VN_OK);
    return m.handles;
}

static bool holds(vn_array *x, int n, const float *expected)
{
    const float *data = x && vn_size(x) == n ? vn_data(x) : NULL;
    return data && !memcmp(data, expected, (size_t)n * sizeof *data);
}
#define HOLDS(x, ...) holds(x, (int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__})

TEST(every_op_has_a_number)
{
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info at = {.size = sizeof at}, named = {.size = sizeof named};
        CHECK(vn_op_at(k, &at) == VN_OK && vn_op_number(at.name) == k && !(at.traits & VN_OP_INTERNAL));
        CHECK(vn_op_named(at.alias ? at.alias : at.name, &named) == VN_OK && !memcmp(&at, &named, sizeof at));
        CHECK(!at.alias || vn_op_number(at.alias) == k);
    }
    vn_op_info info = {.size = sizeof info};
    static const char *const absent[] = {"to", "custom", "stride", "adam_apply", "", "ADD"}; /* not listed, so not callable */
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
        CHECK_FAILS(vn_op_number(absent[k]), VN_E_ARG, "there is no op");
        CHECK_FAILS(vn_op_named(absent[k], &info), VN_E_ARG, absent[k]);
    }
    CHECK_FAILS(vn_op_number("soft_max"), VN_E_ARG, "op_number: there is no op \"soft_max\"; did you mean \"softmax\"?");
    CHECK_FAILS(vn_op_number(NULL), VN_E_NULL, "op_number: the op's name is NULL");
    CHECK_FAILS(vn_op_named("add", NULL), VN_E_NULL, "op_named: info is NULL");
    vn_op_info part = {.size = offsetof(vn_op_info, doc)}; /* a program that was built with an older header */
    part.doc = "untouched";
    CHECK(vn_op_named("add", &part) == VN_OK && !strcmp(part.name, "add") && !strcmp(part.doc, "untouched"));
    CHECK(part.size == offsetof(vn_op_info, doc));
}

TEST(results_of_a_number_are_the_caller_s)
{
    vn_array *x = vn_from((float[]){3, 1, 2}, VN_SHAPE(3)), *both[] = {x, x}, *z, *several[2];
    const int64_t before = handles();
    {
        VN_SCOPE; /* closing it takes nothing away */
        CHECK(vn_call_number(vn_op_number("add"), both, 2, NULL, 0, &z, 1) == VN_OK);
        CHECK(vn_call_number(vn_op_number("topk"), &x, 1, &(vn_option){"k", VN_OPT_INT, 1, {.i = 2}}, 1, several, 2) == VN_OK);
    }
    CHECK(handles() == before + 3); /* what topk made besides is gone */
    CHECK(HOLDS(z, 6, 2, 4) && HOLDS(several[0], 3, 2) && vn_item_int(vn_sum(several[1], VN_ALL)) == 2);
    vn_drop(z);
    vn_drop(several[0]);
    vn_drop(several[1]);
    for (int k = 0; k < vn_op_count(); k++) { /* whatever a call does, nothing is left behind */
        VN_SCOPE;
        vn_op_info op = {.size = sizeof op};
        vn_array *in[8] = {x, x, x, x, x, x, x, x}, *out[8] = {NULL};
        vn_op_at(k, &op);
        const int64_t now = handles();
        if (vn_call_number(k, in, op.n_required, NULL, 0, out, op.n_outputs) == VN_OK)
            for (int j = 0; j < op.n_outputs; j++) vn_drop(out[j]);
        else vn_clear();
        CHECK(handles() == now);
    }
}

TEST(a_number_is_checked)
{
    vn_array *x = vn_ones(VN_SHAPE(3), VN_F32), *both[] = {x, x}, *z = x;
    const int add = vn_op_number("add");
    CHECK_FAILS(vn_call_number(-1, both, 2, NULL, 0, &z, 1), VN_E_ARG, "call_number: there is no op -1");
    CHECK(!z);
    CHECK_FAILS(vn_call_number(vn_op_count(), both, 2, NULL, 0, &z, 1), VN_E_ARG, "call_number: there is no op");
    CHECK_FAILS(vn_call_number(add, NULL, 2, NULL, 0, &z, 1), VN_E_NULL, "add: a list of inputs, options or results is NULL");
    CHECK_FAILS(vn_call_number(add, both, 1, NULL, 0, &z, 1), VN_E_ARG, "add: 1 inputs given, 2 needed");
    CHECK_FAILS(vn_call_number(add, both, 2, NULL, 0, &z, 0), VN_E_ARG, "add: room for 0 results, it has 1");
    CHECK_FAILS(vn_call_number(add, both, 2, NULL, 0, (vn_array *[2]){0}, 2), VN_E_ARG, "add: room for 2 results, it has 1");
    CHECK_FAILS(vn_call("no_such_op", both, 2, NULL, 0, &z, 1), VN_E_ARG, "no_such_op");
}

TEST(results_that_are_not_wanted)
{
    vn_array *x = vn_from((float[]){3, 1, 3}, VN_SHAPE(3)), *out[4] = {NULL};
    for (int n = 1; n <= 4; n++) {
        CHECK(vn_call("unique", &x, 1, NULL, 0, out, n) == VN_OK && HOLDS(out[0], 1, 3));
        for (int k = 1; k < 4; k++) CHECK((k < n) == (out[k] != NULL));
    }
    vn_array *a = vn_from((float[]){2, 0, 0, 3}, VN_SHAPE(2, 2)), *values = NULL;
    CHECK(vn_call("eigh", &a, 1, NULL, 0, &values, 1) == VN_OK && HOLDS(values, 2, 3));
}

TEST(owning)
{
    vn_array *a, *b, *c;
    {
        VN_SCOPE;
        vn_array *outer = vn_scalar(1);
        {
            VN_SCOPE;
            a = vn_own(vn_scalar(2)), b = vn_scalar(3), c = vn_scalar(4);
            b = vn_own(b);                 /* not the last one made */
            CHECK(vn_own(outer) == outer); /* of an outer scope: kept */
        }
        CHECK(vn_item(a) == 2 && vn_item(b) == 3 && vn_item(outer) == 1);
        CHECK_FAILS(vn_item(c), VN_E_FREED, "freed");
        vn_drop(outer);
        CHECK(vn_item(outer) == 1);
    }
    vn_drop(a);
    vn_drop(b);
    CHECK_FAILS(vn_item(a), VN_E_FREED, "freed");
    CHECK_FAILS(vn_own(NULL), VN_E_NULL, "own: x is NULL");
}

/* A binding asks before it frees its interpreter's lock; "short" is a promise that nothing is computed at length or waited for. */
TEST(short_calls)
{
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *large = vn_ones(VN_SHAPE(100, 100), VN_F32);
    const bool built_in = !strcmp(vn_engine_of(x), "native");
    CHECK(vn_call_is_short(vn_op_number("add")) && !vn_call_is_short(vn_op_number("nonzero"))); /* which looks at values */
    CHECK(!vn_call_is_short(-1) && !vn_call_is_short(vn_op_count()));
    vn_array *sum = vn_add(x, x), *chain = vn_mul(sum, x);
    CHECK(vn_eval_is_short(sum) == built_in && !vn_eval_is_short(chain) && !vn_eval_is_short(vn_add(large, large)));
    CHECK(HOLDS(sum, 2, 4, 6) && vn_eval_is_short(sum) == built_in);
    vn_check_positions(1);
    CHECK(!vn_call_is_short(vn_op_number("add")));
    vn_check_positions(0);
    for (int k = 0; k < 17000; k++) { /* until recording would compute, to bound memory */
        if (!vn_call_is_short(vn_op_number("add"))) break;
        VN_SCOPE;
        vn_add(x, x);
    }
    CHECK(!vn_call_is_short(vn_op_number("add")));
    CHECK(vn_eval(1, (vn_array *[]){vn_add(x, x)}) == VN_OK);
    CHECK_FAILS(vn_eval_is_short(NULL), VN_E_NULL, "eval_is_short: x is NULL");
}

TEST(data_at_hand)
{
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *sum = vn_add(x, x), *v = vn_variable(x);
    const float *data = vn_data_at_hand(x);
    if (!strcmp(vn_engine_of(x), "native")) CHECK(data && data == vn_data(x) && data[2] == 3);
    else CHECK(!data);
    CHECK(!vn_data_at_hand(sum) && !vn_is_ready(sum)); /* asking computes nothing */
    CHECK(!vn_data_at_hand(v));                        /* a derivative may be asked for */
    CHECK(!vn_status());
    CHECK_FAILS(vn_data_at_hand(NULL), VN_E_NULL, "data_at_hand: x is NULL");
}

TEST_MAIN
