/* SPDX-License-Identifier: Apache-2.0 */
/* options_size.c: every function that takes an option struct refuses one that does not tell its size, which was not made with VN_OPTS and
 * would otherwise be ignored. The calls are printed from the headers. */
/* ctest: sanitize */
#include "check.h"
#include <stddef.h>

static vn_array *a_vn_array;
static vn_tree *a_vn_tree;
static vn_module *a_vn_module;
static vn_dataset *a_vn_dataset;
static vn_array *forward(vn_module *m, vn_array *x)
{
    (void)m;
    return x;
}
static const vn_module_class some_class = {.name = "Some", .forward = forward}, *const a_vn_module_class = &some_class;
static const char a_char[] = "data.csv", *const a_list[] = {NULL};
static FILE *a_FILE;

#define CALL(name, arguments)
#define OPTIONS(name, what, arguments) \
    static void call_##name(void)      \
    {                                  \
        (void)name arguments;          \
    }
#include "calls.inc"
#undef OPTIONS

static const struct {
    const char *name, *what;
    void (*call)(void);
} calls[] = {
#define OPTIONS(name, what, arguments) {#name, #what, call_##name},
#include "calls.inc"
#undef OPTIONS
};

TEST(all_refuse)
{
    const size_t n = sizeof calls / sizeof *calls;
    CHECK(n > 60);
    for (size_t k = 0; k < n; k++) {
        VN_SCOPE;
        char words[256];
        check_name = calls[k].name;
        snprintf(words, sizeof words, "%s: the options' size is 0; make them with VN_OPTS(%s, ...) or VN_INIT(%s)", calls[k].what,
                 calls[k].what, calls[k].what);
        CHECK_FAILS(calls[k].call(), VN_E_ARG, words);
    }
}

/* Structs of older and newer programs, where they are handed on to another function too. */
TEST(other_versions)
{
    struct {
        vn_module_opts known;
        int64_t more;
    } newer = {.known = {.size = sizeof newer, .build_mode = VN_BUILD_EXPLICIT}};
    vn_module *one[] = {vn_nn_linear(2, 2, VN_OPTS(nn_linear, .module = &newer.known))};
    CHECK(one[0] && vn_nn_sequential(one, 1, &newer.known));
    newer.more = 1;
    CHECK_FAILS(vn_nn_linear(2, 2, VN_OPTS(nn_linear, .module = &newer.known)), VN_E_UNSUPPORTED, "module: its options have fields");
    vn_tree_text_opts older = {.size = offsetof(vn_tree_text_opts, indent), .indent = -1}; /* what lies behind is not looked at */
    CHECK(vn_tree_text(a_vn_tree, &older) != NULL);
    older.size = 4;
    CHECK_FAILS(vn_tree_text(a_vn_tree, &older), VN_E_ARG, "tree_text: the options' size is 4");
}

/* Structs that are filled: X(function, type, its call). */
#define FILLED(X)                                                         \
    X(op_at, vn_op_info, vn_op_at(0, info))                               \
    X(object_at, vn_op_info, vn_object_at("layer", 0, info))              \
    X(engine_at, vn_engine_info, vn_engine_at(0, info))                   \
    X(engine_named, vn_engine_info, vn_engine_named("native", info))      \
    X(cache_stats, vn_cache_info, vn_cache_stats("native", info))         \
    X(memory, vn_memory_info, vn_memory(info))                            \
    X(model_at, vn_model_info, vn_model_at(0, info))                      \
    X(dataset_look, vn_dataset_info, vn_dataset_look(a_vn_dataset, info)) \
    X(inspect, vn_file_info, vn_inspect(a_file, info))
static const char a_file[] = "options_size.safetensors";

#define FUNCTION(name, type, call)                                                                                        \
    static int fill_##name(type *info)                                                                                    \
    {                                                                                                                     \
        return call;                                                                                                      \
    }                                                                                                                     \
    static void check_##name(void)                                                                                        \
    {                                                                                                                     \
        struct {                                                                                                          \
            type info;                                                                                                    \
            unsigned char behind[8];                                                                                      \
        } x = {{.size = sizeof(type)}, {165, 165}};                                                                       \
        check_name = #name;                                                                                               \
        CHECK(fill_##name(&x.info) == VN_OK && x.info.size == sizeof x.info && x.behind[0] == 165 && x.behind[1] == 165); \
        x.info.size = 2 * sizeof(size_t);                                                                                 \
        memset((char *)&x.info + x.info.size, 165, sizeof x.info - x.info.size);                                          \
        CHECK(fill_##name(&x.info) == VN_OK && x.info.size == 2 * sizeof(size_t));                                        \
        for (size_t k = x.info.size; k < sizeof x.info; k++) CHECK(((unsigned char *)&x.info)[k] == 165);                 \
        x.info.size = 0;                                                                                                  \
        CHECK_FAILS(fill_##name(&x.info), VN_E_ARG, #name ": size is 0; it must be sizeof(" #type ")");                   \
        CHECK_FAILS(fill_##name(NULL), VN_E_NULL, #name ": info is NULL");                                                \
    }
FILLED(FUNCTION)

/* One that does not tell its size is refused; of a shorter one, nothing behind its end is touched. */
TEST(filled)
{
    CHECK(vn_save(a_file, a_vn_tree, NULL) == VN_OK);
#define RUN(name, type, call) check_##name();
    FILLED(RUN)
    remove(a_file);
}

int main(void)
{
    a_FILE = stdout;
    a_vn_array = vn_ones(VN_SHAPE(4, 3), VN_F32);
    a_vn_tree = vn_tree_of("w", a_vn_array, NULL);
    a_vn_module = vn_module_new(a_vn_module_class, NULL, NULL);
    a_vn_dataset = vn_dataset_of(a_vn_array, a_vn_array, NULL);
    run_tests();
    return finish();
}
