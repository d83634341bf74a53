/* SPDX-License-Identifier: Apache-2.0 */
/* models_hostile.c: models that would take all memory or time are refused before anything is allocated, and large ones are
 * possible with a higher limit. */
/* ctest: sanitize */
#include "folder.h"
#include "os/clock.h"
#include <sys/resource.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED
#endif

/* The model of three layers of 65,536 that took 21 GB, and the limits by which it is refused; first, while little memory is used. */
TEST(limits)
{
    static const char dense[] = "{\"layers\": [{\"type\": \"linear\", \"out\": 65536}, {\"type\": \"linear\", \"out\": 65536}, "
                                "{\"type\": \"linear\", \"out\": 65536}]}",
                      three[] = "{\"layers\": [{\"type\": \"linear\", \"out\": 1024}, {\"type\": \"linear\", \"out\": 1024}, "
                                "{\"type\": \"linear\", \"out\": 1024}]}",
                      wide[] = "{\"layers\": [{\"type\": \"adaptive_avg_pool\", \"size\": 1000000}]}";
    /* One limit for all layers, and another one when it is asked for. */
    CHECK(vn_memory_limit(8 << 20) == VN_OK);
    CHECK_FAILS(vn_model_parse(wide, "test", VN_SHAPE(4, 4), 10), VN_E_MEM,
                "layer 1 (adaptive_avg_pool): of one example it makes 1x1000000x4, 16000000 bytes");
    CHECK_FAILS(vn_model_parse(three, "test", VN_SHAPE(64), 10), VN_E_MEM, "layer 3 (linear)");
    CHECK(vn_memory_limit(64 << 20) == VN_OK);
    CHECK(vn_model_parse(three, "test", VN_SHAPE(64), 10) != NULL && vn_model_parse(wide, "test", VN_SHAPE(4, 4), 10) != NULL);
    CHECK(vn_memory_limit(0) == VN_OK);
    CHECK_FAILS(vn_model_parse(dense, "test", VN_SHAPE(64), 10), VN_E_MEM,
                "layer 2 (linear): module_new: Linear: create_variables: callback: init_array: 65536x65536 of float32 takes 17179869184 "
                "bytes; the variables of a model may take 4294967296");
    vn_memory_info m = {.size = sizeof m};
    CHECK(!vn_memory(&m) && m.peak < 128 << 20);
#ifndef SANITIZED /* asked for, it is tried: there the system says no */
    CHECK(vn_memory_limit(INT64_C(1) << 40) == VN_OK);
    CHECK_FAILS(vn_model_parse(dense, "test", VN_SHAPE(64), 10), VN_E_MEM,
                "layer 2 (linear): eval: uniform makes 65536x65536 of float32, 17179869184 bytes: native: out of memory");
    CHECK(vn_memory_limit(0) == VN_OK);
#endif
    CHECK(vn_nn_linear(1 << 16, 1 << 16, NULL) != NULL); /* what a program makes has no limit of this kind */
}

/* Refused or not: quickly, and nothing is allocated that does not fit. */
static void try_model(const char *text, vn_shape example)
{
    VN_SCOPE;
    char name[300];
    snprintf(name, sizeof name, "%.299s", text);
    check_name = name;
    double begin = vn__clock();
    vn_module *m = vn_model_parse(text, "test", example, 10);
    CHECK(vn__clock() - begin < 20);
    CHECK((m != NULL) == !vn_status());
    if (vn_status() == VN_E_MEM) CHECK(strstr(vn_message(), "sets another limit") || strstr(vn_message(), "more variables than"));
    vn_clear();
}

static bool is_size(const vn_op_option *o)
{
    return (o->kind == VN_OPT_INT && strcmp(o->type, "flag") != 0) || o->kind == VN_OPT_INTS;
}

/* A layer with option number `large`, or all of them if -1, of a billion. */
static void print_layer(char *to, size_t room, const vn_op_info *l, int large)
{
    size_t n = (size_t)snprintf(to, room, "{\"layers\": [{\"type\": \"%s\"", l->name);
    for (int i = 0; i < l->n_options; i++) {
        const vn_op_option *o = &l->options[i];
        if (is_size(o) && (large < 0 || large == i)) n += (size_t)snprintf(to + n, room - n, ", \"%s\": 1000000000", o->name);
        else if (!o->fallback) n += (size_t)snprintf(to + n, room - n, ", \"%s\": 1", o->name);
    }
    snprintf(to + n, room - n, "}]}");
}

/* Every size of every layer type, for examples of 1 to 4 axes. */
TEST(every_size)
{
    vn_memory_limit(256 << 20);
    int tried = 0;
    for (int i = 0; i < vn_object_count("layer"); i++) {
        vn_op_info l = {.size = sizeof l};
        vn_object_at("layer", i, &l);
        for (int k = -1; k < l.n_options; k++) {
            if (k >= 0 && !is_size(&l.options[k])) continue;
            char text[1000];
            print_layer(text, sizeof text, &l, k);
            for (int rank = 1; rank <= 4; rank++, tried++) try_model(text, (vn_shape){rank, {4, 4, 4, 4}});
        }
    }
    CHECK(tried > 200);
    vn_memory_limit(0);
}

TEST(several_layers)
{
    vn_memory_limit(256 << 20);
    static const char *const texts[] = {
        "{\"layers\": [{\"type\": \"adaptive_avg_pool\", \"size\": 1000000000}, {\"type\": \"lstm\", \"out\": 1}]}",
        "{\"layers\": [{\"type\": \"adaptive_avg_pool\", \"size\": 1000000}, {\"type\": \"multi_head_attention\"}]}",
        "{\"layers\": [{\"type\": \"adaptive_max_pool\", \"size\": 250000000}, {\"type\": \"flatten\"}, {\"type\": \"batch_norm1d\"}]}",
        "{\"layers\": [{\"type\": \"conv1d_transpose\", \"out\": 1, \"kernel\": 1, \"strides\": 100000000}, {\"type\": \"gru\", "
        "\"out\": 1}]}",
        "{\"layers\": [{\"type\": \"embedding\", \"n\": 1, \"size\": 30000}, {\"type\": \"flatten\"}, {\"type\": \"linear\", "
        "\"out\": 1000000}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) try_model(texts[i], VN_SHAPE(4, 4));
    /* The same layer over and over, at one level and inside residual layers. */
    char *text = malloc(1 << 20);
    size_t n = (size_t)sprintf(text, "{\"layers\": [");
    for (int i = 0; i < 1000; i++) n += (size_t)sprintf(text + n, "%s{\"type\": \"lstm\", \"out\": 1, \"layers\": 256}", i ? ", " : "");
    sprintf(text + n, "]}");
    try_model(text, VN_SHAPE(4, 4));
    n = (size_t)sprintf(text, "{\"layers\": [");
    for (int i = 0; i < 14; i++) n += (size_t)sprintf(text + n, "{\"type\": \"residual\", \"layers\": [");
    n += (size_t)sprintf(text + n, "{\"type\": \"linear\", \"out\": 4}");
    for (int i = 0; i < 14; i++) n += (size_t)sprintf(text + n, "]}");
    sprintf(text + n, "]}");
    try_model(text, VN_SHAPE(4));
    free(text);
    vn_memory_limit(0);
}

TEST(texts)
{
    folder_make();
    CHECK(!truncate((write_bytes(in_folder("long.json"), "{}", 2), in_folder("long.json")), (16 << 20) + 1));
    CHECK_FAILS(vn_model(in_folder("long.json"), VN_SHAPE(4), 1), VN_E_FORMAT, "at most 16777216");
    CHECK(!truncate(in_folder("long.json"), INT64_C(1) << 40)); /* a terabyte of nothing */
    CHECK_FAILS(vn_model(in_folder("long.json"), VN_SHAPE(4), 1), VN_E_FORMAT, "at most 16777216");
    folder_remove();
    char *text = malloc(1 << 22), *to = text;
    to += sprintf(to, "{\"layers\": [");
    for (int i = 0; i < 99000; i++) to += sprintf(to, "%s{}", i ? "," : "");
    sprintf(to, "]}");
    CHECK_FAILS(vn_model_parse(text, "test", VN_SHAPE(4), 1), VN_E_FORMAT, "there are 99000 layers");
    to = text + sprintf(text, "{");
    for (int i = 0; i < 99000; i++) to += sprintf(to, "%s\"k%d\":1", i ? "," : "", i);
    sprintf(to, "}");
    double begin = vn__clock();
    CHECK_FAILS(vn_model_parse(text, "test", VN_SHAPE(4), 1), VN_E_FORMAT, "there is no key \"k0\"");
    CHECK(vn__clock() - begin < 5); /* it took 87 seconds */
    free(text);
}

int main(void)
{
#ifndef SANITIZED
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)8 << 30, (rlim_t)8 << 30}); /* should a limit not hold, this one does */
#endif
    run_tests();
    return finish();
}
