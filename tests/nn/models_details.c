/* SPDX-License-Identifier: Apache-2.0 */
/* models_details.c: each thing that can be wrong in a model file: every option of every layer with values of every wrong kind, inputs,
 * residual layers, names of models. */
/* ctest: faults */
/* ctest: shared */
/* ctest: seconds 2 */
/* ctest: sanitize */
#include "folder.h"

static vn_module *model(const char *layers, vn_shape example)
{
    char text[2000];
    snprintf(text, sizeof text, "{\"layers\": [%s]}", layers);
    return vn_model_parse(text, "test", example, 3);
}

static vn_module *model_of(const char *input, vn_shape example)
{
    char text[2000];
    snprintf(text, sizeof text, "{\"input\": %s, \"layers\": [{\"type\": \"flatten\"}]}", input);
    return vn_model_parse(text, "test", example, 3);
}

/* An option with a value of another kind is refused by name, and messages are complete. */
TEST(kinds_of_options)
{
    static const char *const values[] = {"null",       "true",  "1.5", "-7",        "\"text\"",    "[]",
                                         "[1, \"x\"]", "[1.5]", "{}",  "\"input\"", "\"outputs\"", "1e300"};
    static const int64_t axes[] = {2, 4, 4, 4, 4};
    int tried = 0, refused = 0;
    for (int i = 0; i < vn_object_count("layer"); i++) {
        vn_op_info layer = {.size = sizeof layer};
        CHECK(vn_object_at("layer", i, &layer) == VN_OK);
        for (int k = 0; k < layer.n_options; k++) {
            const vn_op_option *o = (const vn_op_option *)((const char *)layer.options + (size_t)k * layer.option_size);
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                VN_SCOPE;
                char text[300];
                vn_shape example = {.rank = 2 + (int)(v % 3)};
                memcpy(example.dim, axes, sizeof axes);
                snprintf(text, sizeof text, "{\"type\": \"%s\", \"%s\": %s}", layer.name, o->name, values[v]);
                vn_module *m = model(text, example);
                CHECK((m != NULL) == (vn_status() == VN_OK));
                tried++;
                if (m) continue;
                refused++;
                const bool whole = strstr(vn_message(), "layer 1") && strstr(vn_message(), layer.name) && !strstr(vn_message(), "(null)");
                if (!whole) fprintf(stderr, "%s: %s\n", text, vn_message());
                CHECK(whole);
                vn_clear();
            }
        }
    }
    CHECK(tried > 2000 && refused > tried / 2);
}

TEST(whole_numbers)
{
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": \"many\"}", VN_SHAPE(4)), VN_E_FORMAT,
                "\"out\" is a text; a whole number, \"outputs\" or \"input\" is needed");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2.5}", VN_SHAPE(4)), VN_E_FORMAT, "\"out\" is 2.5; a whole number up to");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": -1e300}", VN_SHAPE(4)), VN_E_FORMAT, "\"out\" is -1e+300");
    CHECK(model("{\"type\": \"linear\", \"out\": \"input\"}", VN_SHAPE(4)) &&
          model("{\"type\": \"linear\", \"out\": \"outputs\"}", VN_SHAPE(4)));
    CHECK_FAILS(model("{\"type\": \"linear\", \"w_init\": 3}", VN_SHAPE(4)), VN_E_FORMAT, "\"w_init\" is a number; a text such as");
    CHECK_FAILS(model("{\"type\": \"conv2d\", \"out\": 2, \"kernel\": [3, \"x\", 3]}", VN_SHAPE(8, 8, 1)), VN_E_FORMAT, "is a text");
    CHECK_FAILS(model("{\"type\": \"conv2d\", \"out\": 2, \"kernel\": [3, 3], \"data_format\": 3}", VN_SHAPE(8, 8, 1)), VN_E_FORMAT,
                "\"data_format\" is a number");
    CHECK(model("{\"type\": \"conv2d\", \"out\": 2, \"kernel\": [3, 3], \"data_format\": \"channel_first\"}", VN_SHAPE(1, 8, 8)));
    CHECK(model("{\"type\": \"conv2d\", \"out\": 2, \"kernel\": [3, 3], \"data_format\": \"channel_last\"}", VN_SHAPE(8, 8, 1)));
}

/* A layer whose sizes come from its input needs the axis that has them. */
TEST(missing_axes)
{
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 3}", (vn_shape){.rank = 0}), VN_E_SHAPE, "examples with an axis of features");
    CHECK_FAILS(model("{\"type\": \"lstm\", \"hidden\": 3}", VN_SHAPE(4)), VN_E_SHAPE, "examples of (steps, features)");
    CHECK(model("{\"type\": \"relu\"}", (vn_shape){.rank = 0}));
}

TEST(inputs)
{
    char many[200] = "[";
    for (int k = 0; k < VN_MAX_RANK; k++) strcat(many, k ? ", 1" : "1");
    strcat(many, "]");
    CHECK_FAILS(model_of(many, VN_SHAPE(1)), VN_E_FORMAT, "\"input\" has 32 sizes; 1 to 31 are allowed");
    CHECK_FAILS(model_of("[]", VN_SHAPE(1)), VN_E_FORMAT, "\"input\" has 0 sizes");
    CHECK_FAILS(model_of("[2, 0]", VN_SHAPE(2)), VN_E_FORMAT, "\"input\" has a size of 0; 1 or more is needed");
    CHECK_FAILS(model_of("[-2, -2]", VN_SHAPE(4)), VN_E_FORMAT, "\"input\" has a size of -2");
    CHECK_FAILS(model_of("[\"input\"]", VN_SHAPE(4)), VN_E_FORMAT, "\"input\" is a text; a whole number is needed");
    CHECK(model_of("[\"outputs\"]", VN_SHAPE(3)) && model_of("[2, 2]", VN_SHAPE(4)));
    CHECK_FAILS(model_of("[3]", VN_SHAPE(4)), VN_E_FORMAT, "\"input\" is 3, but examples have shape 4");
    CHECK_FAILS(model_of("\"picture\"", VN_SHAPE(4)), VN_E_FORMAT, "\"input\" is a text; a list of sizes or \"image\" is needed");
    CHECK_FAILS(model_of("4", VN_SHAPE(4)), VN_E_FORMAT, "\"input\" is a number");
    CHECK(model_of("\"image\"", VN_SHAPE(9)) && model_of("\"image\"", VN_SHAPE(2, 3)) && model_of("\"image\"", VN_SHAPE(2, 3, 4)));
    CHECK_FAILS(model_of("\"image\"", VN_SHAPE(8)), VN_E_FORMAT, "no square image");
    CHECK_FAILS(model_of("\"image\"", VN_SHAPE(1, 2, 3, 4)), VN_E_FORMAT, "no square image");
    CHECK_FAILS(vn_model_parse("{}", "test", (vn_shape){.rank = VN_MAX_RANK}, 1), VN_E_SHAPE, "examples of 32 axes");
    CHECK_FAILS(vn_model_parse("{}", "test", (vn_shape){.rank = -1}, 1), VN_E_SHAPE, "examples of -1 axes");
    CHECK_FAILS(vn_model_parse("{}", "test", VN_SHAPE(1), 0), VN_E_ARG, "0 outputs");
    CHECK_FAILS(vn_model_parse(NULL, "test", VN_SHAPE(1), 1), VN_E_NULL, "the text is NULL");
    CHECK_FAILS(vn_model_parse("{}", NULL, VN_SHAPE(1), 1), VN_E_NULL, "the name is NULL");
}

TEST(residuals)
{
    CHECK(model("{\"type\": \"residual\", \"layers\": [{\"type\": \"linear\", \"out\": \"input\"}]}", VN_SHAPE(4)));
    CHECK_FAILS(model("{\"type\": \"residual\", \"layers\": [{\"type\": \"linear\", \"out\": 5}]}", VN_SHAPE(4)), VN_E_SHAPE,
                "its layers make 1x5 of 1x4");
    CHECK_FAILS(model("{\"type\": \"residual\", \"layers\": [{\"type\": \"flatten\"}]}", VN_SHAPE(2, 2)), VN_E_SHAPE,
                "its layers make 1x4 of 1x2x2");
    CHECK_FAILS(model("{\"type\": \"residual\"}", VN_SHAPE(4)), VN_E_FORMAT, "\"layers\" is missing");
    CHECK_FAILS(model("{\"type\": \"residual\", \"layers\": 1}", VN_SHAPE(4)), VN_E_FORMAT, "\"layers\" is a number");
    CHECK_FAILS(model("{\"type\": \"residual\", \"layers\": [], \"more\": 1}", VN_SHAPE(4)), VN_E_FORMAT, "there is no key \"more\"");
}

TEST(rules_of_weights)
{
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2, \"constraints\": 5}", VN_SHAPE(4)), VN_E_FORMAT,
                "\"constraints\" is a number; an object such as {\"w\": \"max_norm(2)\"} is needed");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2, \"regularizers\": {\"w\": \"l3(1)\"}}", VN_SHAPE(4)), VN_E_ARG, "l3");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2, \"regularizers\": {\"v\": \"l2(1)\"}}", VN_SHAPE(4)), VN_E_STRUCT, "v");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2, \"constraints\": {\"w\": \"least(1)\"}}", VN_SHAPE(4)), VN_E_ARG, "least");
    CHECK_FAILS(model("{\"type\": \"linear\", \"out\": 2, \"constraints\": {\"v\": \"max_norm(1)\"}}", VN_SHAPE(4)), VN_E_STRUCT, "v");
}

TEST(names_of_models)
{
    CHECK_FAILS(vn_model_text("convnett"), VN_E_ARG, "there is no model \"convnett\"; did you mean \"convnet\"?");
    CHECK_FAILS(vn_model_text("something else altogether"), VN_E_ARG, "there is no model \"something else altogether\" (built in are");
    write_bytes(in_folder("zero.json"), "{\0}", 3);
    CHECK_FAILS(vn_model_text(in_folder("zero.json")), VN_E_FORMAT, "not a text file");
    CHECK_FAILS(vn_model_text(in_folder("none.json")), VN_E_IO, "No such file");
    CHECK_FAILS(vn_model_text(NULL), VN_E_NULL, "the model is NULL");
    write_bytes(in_folder("good.json"), "{\"layers\": [{\"type\": \"linear\", \"out\": \"outputs\"}]}", 50);
    CHECK(vn_model(in_folder("good.json"), VN_SHAPE(4), 2) != NULL);
}

FOLDER_TEST_MAIN
