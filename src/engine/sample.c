/* sample.c: one small call of every op that engines have kernels for. pairs.c reads off it which dtypes an op goes from and to; version.c
 * runs it on an engine that nobody has tried yet, and tests/strict.c on every engine. Most ops take 2x2 arrays and no options; the others
 * stand here. */
#include "core/internal.h"
#include <stdlib.h>

enum { MOST_OPTIONS = 2, MOST_ITEMS = 4, ROOM = 64 };

typedef struct {
    const char *name;
    int n; /* items of a list; 0: a number, the first item */
    int64_t items[MOST_ITEMS];
} setting;

static const struct special {
    const char *op, *shapes; /* of the inputs, "1x4x4x2 3"; NULL: 2x2 each */
    setting options[MOST_OPTIONS];
} specials[] = {
    {"cumulative_sum", NULL, {{"axis", 0, {1}}}},
    {"flip", NULL, {{"axes", 1, {0}}}},
    {"reshape", NULL, {{"shape", 2, {1, 4}}}},
    {"broadcast_to", NULL, {{"shape", 3, {3, 2, 2}}}},
    {"permute_dims", NULL, {{"axes", 2, {1, 0}}}},
    {"slice", "2x2 2", {{"size", 2, {1, 1}}}},
    {"slice_set", "2x2 1x1 2", {{0}}},
    {"cast", NULL, {{"dtype", 0, {0}}}}, /* to the dtype it has */
    {"join", "2x2 2x2 - - - - - -", {{0}}},
    {"stride", NULL, {{"steps", 2, {2, 1}}}},
    {"take", "2x2 2", {{"axis", 0, {1}}}},
    {"index_add", "2x2 2 2x2", {{"axis", 0, {1}}}},
    {"index_set", "2x2 2 2x2", {{"axis", 0, {1}}}},
    {"searchsorted", "3 2", {{0}}},
    {"conv", "1x4x4x2 3x3x2x2", {{0}}},
    {"conv_input", "1x2x2x2 3x3x2x2", {{"size", 2, {4, 4}}}},
    {"conv_filter", "1x4x4x2 1x2x2x2", {{"size", 2, {3, 3}}}},
    {"max_pool", "1x4x4x1", {{"window", 2, {2, 2}}}},
    {"max_pool_scatter", "1x4x4x1 1x2x2x1", {{"window", 2, {2, 2}}}},
    {"max_pool_gather", "1x4x4x1 1x4x4x1", {{"window", 2, {2, 2}}}},
    {"sum_pool", "1x4x4x1", {{"window", 2, {2, 2}}}},
    {"sum_pool_scatter", "1x2x2x1", {{"window", 2, {2, 2}}, {"size", 2, {4, 4}}}},
    {"lstm_states", "2x1x4 1x4 1x1 1x1", {{0}}},
    {"lstm_back", "2x1x4 1x4 1x1 1x1 2x1x2 2x1x2", {{0}}},
    {"gru_states", "2x1x3 1x3 3 1x1", {{0}}},
    {"gru_back", "2x1x3 1x3 3 1x1 2x1x1 2x1x1", {{0}}},
    {"attention", "2x2 2x2 2x2 -", {{0}}},
    {"attention_back", "2x2 2x2 2x2 2x2 2x2 -", {{0}}},
};

static const struct special *special_of(const char *op)
{
    static const struct special plain = {0};
    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
        if (!strcmp(specials[k].op, op)) return &specials[k];
    }
    return &plain;
}

bool vn__op_draws(const vn__op *op)
{
    return op->info.n_inputs > 0 && !strcmp(op->info.inputs[0], "key");
}

/* Reads one shape and moves behind it; false for an absent input. */
static bool read_shape(const char **text, vn_shape *s)
{
    *s = VN_SHAPE(2, 2);
    if (!*text) return true;
    bool present = **text != '-';
    char *end = (char *)(uintptr_t)*text + 1;
    for (s->rank = 0; present && s->rank < VN_MAX_RANK;) {
        s->dim[s->rank++] = strtol(*text, &end, 10);
        if (*end != 'x') break;
        *text = end + 1;
    }
    *text = end + (*end == ' ');
    return present;
}

/* An input: positions 0 and 1, conditions, or numbers whose 2x2 matrix is symmetric and positive definite. */
static vn_array *input(vn__engine *e, const char *name, int dtype, const vn_shape *s)
{
    bool position = !strcmp(name, "index") || !strcmp(name, "start"), condition = !strcmp(name, "condition");
    static const double numbers[] = {.75, .25, .25, .5};
    _Alignas(16) char data[ROOM * 16] = {0};
    int64_t n = 1;
    for (int k = 0; k < s->rank; k++) n *= s->dim[k];
    if (n > ROOM) return vn__fail(VN_E_ARG, "sample: an input has %lld elements", (long long)n), NULL;
    if (position || condition) dtype = position ? VN_I64 : VN_BOOL;
    for (int64_t i = 0; i < n; i++) {
        double number = vn__is(dtype, VN_INEXACT) ? numbers[i % 4] : (double)(position || condition ? i % 2 : 1 + i % 3);
        vn__put_double(data, i, dtype, dtype == VN_BOOL ? (double)(i % 2) : number);
    }
    vn_host_memory m = {data, (size_t)n * vn_dtype_size((vn_dtype)dtype), NULL, NULL};
    vn__node *leaf = vn__leaf_from(e, dtype, s->rank, s->dim, &m, "sample");
    return leaf ? vn__handle(leaf, "sample") : NULL;
}

static int fill_options(const struct special *from, int dtype, vn_option *to)
{
    int n = 0;
    for (; n < MOST_OPTIONS && from->options[n].name; n++) {
        const setting *s = &from->options[n];
        to[n] = (vn_option){.name = s->name, .kind = s->n ? VN_OPT_INTS : VN_OPT_INT, .n = s->n ? s->n : 1};
        if (s->n) to[n].u.is = s->items;
        else to[n].u.i = strcmp(s->name, "dtype") ? s->items[0] : dtype;
    }
    return n;
}

vn_array *vn__sample(vn__engine *e, int op, int dtype)
{
    const vn__op *row = &vn__ops[op];
    const struct special *s = special_of(row->info.name);
    if (!vn__is(dtype, row->info.dtypes) || (row->kind != vn__kind_primitive && row->kind != vn__kind_fused) || vn__op_draws(row))
        return NULL;
    vn_array *in[VN__MAX_IN], *out[VN__MAX_OUT] = {NULL};
    vn_option options[MOST_OPTIONS];
    const char *shapes = s->shapes;
    for (int k = 0; k < row->info.n_inputs; k++) {
        vn_shape shape;
        in[k] = read_shape(&shapes, &shape) ? input(e, row->info.inputs[k], dtype, &shape) : VN_NONE;
        if (!in[k]) return NULL;
    }
    int n = fill_options(s, dtype, options);
    if (vn_call(row->info.name, in, row->info.n_inputs, options, n, out, row->info.n_outputs)) return NULL;
    return vn__node_of(out[0])->op == op ? out[0] : NULL;
}
