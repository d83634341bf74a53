/* SPDX-License-Identifier: Apache-2.0 */
/* engine_memory.c: a plugin is found, tried, opened, listed, described and used, and arrays move between engines: with failing allocations each of these
 * works or is an error, and the next one works. The engines are variants of the template (plugins/actor.c). */
/* ctest: faults */
#include "folder.h"

static void add_plugin(const char *name, const char *manifest)
{
    folder_plugin(VN_TEST_PLUGINS "/actor.so", name, manifest);
}

/* 2 * 3 + 1 by the engine's own kernels, or native's. */
static void computes(const char *engine)
{
    CHECK(!vn_use(engine));
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(5), VN_F32), *y = vn_full(vn_scalar(3), VN_SHAPE(5), VN_F32);
    vn_array *z = vn_add(vn_mul(x, y), vn_full(vn_scalar(1), VN_SHAPE(5), VN_F32));
    const float *data = vn_data(z);
    CHECK(data && data[4] == 7);
    vn_use("native");
}

static void add_line(void *to, const char *key, const char *value)
{
    size_t n = strlen(to);
    snprintf((char *)to + n, 1024 - n, "%s: %s\n", key, value);
}

TEST(opens)
{
    computes("template");
    computes("compiling");
    computes("kernels");
}

/* Every op of a version that is newer than those that were tested is tried. */
TEST(tries)
{
    char text[1024] = "";
    computes("wrong");
    CHECK(!vn_engine_describe("wrong", add_line, text) && strstr(text, "newer than 9.0"));
    CHECK(vn_engine_computes("wrong", "add", VN_F32) == VN_BY_ENGINE);
    CHECK(vn_engine_computes("wrong", "softmax", VN_F32) == VN_BY_NONE);
    CHECK(vn_engine_computes("wrong", "sin", VN_F32) == VN_BY_NATIVE);
    CHECK(vn_engine_computes("wrong", "uniform", VN_F32) == VN_BY_NATIVE &&
          vn_engine_computes("native", "uniform", VN_F32) == VN_BY_ENGINE);
    CHECK(vn_engine_computes("native", "uniform", VN_C64) == VN_BY_NONE);
    CHECK(vn_engine_computes("native", "max_pool", VN_F32) == VN_BY_ENGINE);
}

TEST(asks_first)
{
    vn_engine_info e = {.size = sizeof e};
    CHECK(!vn_engine_at(0, &e) && e.available);
}
TEST(names_first)
{
    vn_engine_info e = {.size = sizeof e};
    CHECK(!vn_engine_named("native", &e) && e.available);
}

TEST(lists)
{
    const int n = vn_engine_count();
    CHECK(n > 5);
    for (int k = 0; k < n; k++) {
        vn_engine_info e = {.size = sizeof e};
        CHECK(!vn_engine_at(k, &e) && e.name && vn_engine_name(k));
        CHECK(!vn_engine_named(e.name, &(vn_engine_info){.size = sizeof e}));
    }
    CHECK_FAILS(vn_use("templat"), VN_E_ENGINE, "there is no engine \"templat\"");
    CHECK_FAILS(vn_use("broken"), VN_E_ENGINE, "the framework is not there");
}

/* By DLPack where both have it, through the host elsewhere. */
TEST(moves)
{
    CHECK(!vn_use("many:gpu:1"));
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32), *y = vn_to(vn_add(x, x), "many");
    const float *data = vn_data(vn_to(y, "template"));
    CHECK(data && data[2] == 4);
    vn_use("native");
    vn_array *here = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    CHECK_FAILS(vn_into(here, y), VN_E_ENGINE, "into: h is on native, y on many; move one with vn_to");
    CHECK_FAILS(vn_explain_all(2, (vn_array *[]){here, y}), VN_E_ENGINE, "explain_all: arrays of native and many; call it once per engine");
    CHECK(!vn_data_at_hand(y));
}

/* Several results, of which one is not used; kernels that return none or fail. */
TEST(kernels)
{
    CHECK(!vn_use("kernels"));
    vn_array *x = vn_from((float[]){1, 5, 3}, VN_SHAPE(3)), *at = NULL;
    vn_array *top = vn_topk(x, 2, -1, NULL, &at);
    const float *data = vn_data(top), *alone = vn_data(vn_topk(x, 2, -1, NULL, NULL));
    CHECK(data && data[0] == 5 && data[1] == 3 && alone && alone[0] == 5);
    CHECK_FAILS(vn_data(vn_sub(x, x)), VN_E_ENGINE, "returned no result");
    CHECK_FAILS(vn_data(vn_div(x, x)), VN_E_ENGINE, "no div today");
    vn_use("native");
}

int main(void)
{
    folder_make();
    add_plugin("template", "about = test engine\n");
    add_plugin("compiling", "package = nothing >= 1\ntested = 0.9\n");
    add_plugin("kernels", "");
    add_plugin("wrong", "tested = 9.0.7\n");
    add_plugin("many", "");
    add_plugin("broken", "install = build it\n");
    setenv("VINEA_ENGINE_PATH", folder, 1);
    run_tests();
    folder_remove();
    return finish();
}
