/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: the rows of the tables. */
#include "gen.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Traits are fields of the row. They follow the doc line, if any, so each row ends with an extra comma. */
#define ALIAS(name) .alias = #name
#define SAMPLE(...) SAMPLE_OF(__VA_ARGS__, "", )
#define SAMPLE_OF(shape, options, ...) .shapes = shape, .sampled = options
#define INTERNAL .internal = 1
#define RANDOM .random = 1
#define SHAPED .shaped = 1
#define EXACT .exact = 1
#define OWN_DTYPE .own_dtype = 1
#define PART .part = 1
#define NARROW .cast = -1
#define WIDE .cast = 1
#define PRODUCT(flops) .product = #flops
#define INTEGERS .integers = 1
#define AUGMENT .augment = 1
#define SPATIAL(n) .spatial = n

#define HEADER(name) .header = #name
#define SECTION(...) SECTION_ROW(__VA_ARGS__, )
#define SECTION_ROW(name, title, introduction, code, prints, ...) \
    {#name, "section", title, "", "", "", "", "", "", .doc = introduction, .shapes = code, .sampled = prints, __VA_ARGS__},
#define OPTIONS(name, ...) {#name, "options", "", "", "", "", "", "", "", .fields = (const char *const[]){__VA_ARGS__, 0}},
#define FAMILY(...) FAMILY_ROW(__VA_ARGS__, )
#define FAMILY_ROW(name, title, introduction, ...) {#name, "family", title, "", "", "", "", "", "", .doc = introduction, __VA_ARGS__},
#define OBJECT(...) OBJECT_ROW(__VA_ARGS__, )
#define OBJECT_ROW(name, kind, of, options, text, ...) {#name, kind, "", options, "", "", "", "", "", .doc = text, .op = of, __VA_ARGS__},
#define LAYER(name, ...) OBJECT(name, "layer", "", __VA_ARGS__)
#define ACTIVATION(name, options, text) OBJECT(name, "activation", "", options, text)
#define INITIALISER(name, options, text) OBJECT(name, "initialiser", "", options, text)
#define REGULARIZER(name, options, text) OBJECT(name, "regularizer", "", options, text)
#define CONSTRAINT(name, options, text) OBJECT(name, "constraint", "", options, text)
#define OPTIMIZER(name, options, text) OBJECT(name, "optimizer", "", options, text)
#define TRANSFORMATION(name, options, text) OBJECT(name, "transformation", "", options, text)
#define SCHEDULE(name, options, text) OBJECT(name, "schedule", "", options, text)
#define LOSS(name, targets, op, options, text) OBJECT(name, "loss", #op, options, text)
#define METRIC(name, targets, better, how, op, options, text) OBJECT(name, "metric", #op, options, text)
#define UNARY(...) UNARY_ROW(__VA_ARGS__, )
#define UNARY_ROW(name, dtypes, gradient, text, ...) \
    {#name, "primitive", "x", "", #dtypes, "shape_same", "dtype_same", "vjp_" #name, "0", .doc = text, __VA_ARGS__},
#define BINARY(...) BINARY_ROW(__VA_ARGS__, )
#define BINARY_ROW(name, dtypes, gx, gy, text, ...) \
    {#name, "primitive", "x, y", "", #dtypes, "shape_broadcast", "dtype_promote", "vjp_" #name, "0", .doc = text, __VA_ARGS__},
#define NO_GRADIENT "NO(\"the result is bool\")"
#define TEST(...) TEST_ROW(__VA_ARGS__, )
#define TEST_ROW(name, dtypes, text, ...) \
    {#name, "primitive", "x -> z:bool", "", #dtypes, "shape_same", "dtype_bool", NO_GRADIENT, "0", .doc = text, __VA_ARGS__},
#define COMPARE(...) COMPARE_ROW(__VA_ARGS__, )
#define COMPARE_ROW(name, dtypes, text, ...) \
    {#name, "primitive", "x, y -> z:bool", "", #dtypes, "shape_broadcast", "dtype_compare", NO_GRADIENT, "0", .doc = text, __VA_ARGS__},
#define OP(...) OP_ROW(__VA_ARGS__, )
#define OP_ROW(name, kind, inputs, options, dtypes, shape, dtype, vjp, compose, text, ...) \
    {#name, #kind, inputs, options, #dtypes, #shape, #dtype, #vjp, #compose, .doc = text, __VA_ARGS__},
const row rows[] = {
#include "ops/ops.def"
#include "nn/objects.def"
};
const int n_rows = sizeof rows / sizeof *rows;
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE

void stop(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "ops.def: %s: ", name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

int is(const row *r, const char *kind)
{
    return !strcmp(r->kind, kind);
}

/* Rows whose public function is hand-written. */
int by_hand(const row *r)
{
    return is(r, "move") || is(r, "tied");
}

const made objects[] = {
    {"layer", "layer", "vn_module *", "nn_", 0},
    {"activation", "layer", "vn_module *", "nn_", 0},
    {"initialiser", "initialiser", "vn_init ", "init_", 0},
    {"regularizer", "regularizer", "vn_regularizer ", "regularizer_", 0},
    {"constraint", "constraint", "vn_constraint ", "constraint_", 0},
    {"optimizer", "optimizer", "vn_optim *", "", 1},
    {"transformation", "transformation", "vn_optim *", "update_", 0},
    {"schedule", "schedule", "vn_schedule ", "", 1},
    {"loss", "loss", "vn_loss ", "loss_", 1},
    {"metric", "metric", "vn_metric ", "metric_", 1},
};
const int n_objects = sizeof objects / sizeof *objects;

/* The number of its kind, or -1 for an op. */
int object_kind(const row *r)
{
    for (int k = 0; k < n_objects; k++)
        if (is(r, objects[k].kind)) return k;
    return -1;
}

/* Sections and families, and sets of options, stand between the rows. */
int is_heading(const row *r)
{
    return is(r, "section") || is(r, "family");
}

int is_op(const row *r)
{
    return !is_heading(r) && !is(r, "options") && object_kind(r) < 0;
}

int is_listed(const row *r)
{
    return !r->internal && !by_hand(r);
}

/* Listed ops come first in the table, so that a listing ends before the others. Returns how many ops there are. */
int in_order(const row **out)
{
    int n = 0;
    for (int listed = 1; listed >= 0; listed--)
        for (int k = 0; k < n_rows; k++)
            if (is_op(&rows[k]) && is_listed(&rows[k]) == listed) out[n++] = &rows[k];
    return n;
}

const row *section_of(const row *r)
{
    while (!is_heading(r)) r--;
    return r;
}

const char *header_of(const row *r)
{
    const row *heading = section_of(r);
    return heading->header ? heading->header : umbrella_of(heading);
}

const char *umbrella_of(const row *r)
{
    return is(section_of(r), "section") ? "ops" : "objects";
}

const char *prefix(const row *r)
{
    return r->internal ? "vn__" : "vn_";
}
