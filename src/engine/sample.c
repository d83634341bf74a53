/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c: a small sample call of every op that engines have kernels for. pairs.c takes the op's input and result dtypes from it;
 * version.c runs it on an untested engine, and tests/engines/strict.c on every engine. Most ops take 2x2 arrays and no options; the rows of
 * others say what they need (SAMPLE). */
#include "core/state.h"
#include "core/dtype.h"
#include "ops/op.h"
#include "program/node.h"
#include "engine/engine.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_ITEMS = 4, ROOM = 64 };

/* Parses one shape, "2x2" or "2x2=0.5" with the value of all elements (NaN if not given), and skips it; false for an absent input. */
static bool read_shape(const char **text, vn_shape *s, double *all)
{
    *s = VN_SHAPE(2, 2);
    *all = NAN;
    if (!*text) return true;
    bool present = **text != '-';
    char *end = (char *)(uintptr_t)*text + 1;
    for (s->rank = 0; present && s->rank < VN_MAX_RANK;) {
        s->dim[s->rank++] = strtol(*text, &end, 10);
        if (*end != 'x') break;
        *text = end + 1;
    }
    if (*end == '=') *all = strtod(end + 1, &end);
    *text = end + (*end == ' ');
    return present;
}

/* An input: 0 and 1 if the table fixes its dtype (positions, conditions), otherwise numbers whose 2x2 matrix is symmetric and positive
 * definite. */
static vn_array *input(vn__engine *e, int fixed, int dtype, const vn_shape *s, double all)
{
    static const double numbers[] = {.75, .25, .25, .5};
    _Alignas(16) char data[ROOM * 16] = {0};
    int64_t n = 1;
    for (int k = 0; k < s->rank; k++) n *= s->dim[k];
    if (n > ROOM) return vn__fail(VN_E_ARG, "sample: an input has %lld elements", (long long)n), NULL;
    if (fixed) dtype = fixed;
    for (int64_t i = 0; i < n; i++) {
        bool counts = fixed || dtype == VN_BOOL;
        if (!isnan(all)) vn__put_double(data, i, dtype, all);
        else vn__put_double(data, i, dtype, counts ? (double)(i % 2) : vn__is(dtype, VN_INEXACT) ? numbers[i % 4] : (double)(1 + i % 3));
    }
    vn_host_memory m = {data, (size_t)n * vn_dtype_size((vn_dtype)dtype), NULL, NULL};
    vn__node *leaf = vn__leaf_from(e, dtype, s->rank, s->dim, &m, "sample");
    return leaf ? vn__handle(leaf, "sample") : NULL;
}

/* The options of a sample, "axis=1 size=(4,4) dtype=same", and room for their lists. */
typedef struct {
    vn_option v[VN__MAX_OPTIONS];
    char names[VN__MAX_OPTIONS][32];
    int64_t items[VN__MAX_OPTIONS][MAX_ITEMS];
    int n;
} options;

static void read_options(const char *text, int dtype, options *to)
{
    for (to->n = 0; text && *text; to->n++) {
        vn_option *o = &to->v[to->n];
        int64_t *items = to->items[to->n];
        int name = (int)strcspn(text, "=");
        char *end = (char *)(uintptr_t)text + name + 1;
        bool list = *end == '(';
        snprintf(to->names[to->n], sizeof to->names[0], "%.*s", name, text);
        *o = (vn_option){.name = to->names[to->n], .kind = list ? VN_OPT_INTS : VN_OPT_INT, .n = list ? 0 : 1};
        if (list) {
            o->u.is = items;
            while (*end != ')' && o->n < MAX_ITEMS) items[o->n++] = strtol(end + 1, &end, 10);
            end++;
        } else if (*end == 's') {
            o->u.i = dtype;
            end += strlen("same");
        } else {
            o->u.i = strtol(end, &end, 10);
        }
        text = end + (*end == ' ');
    }
}

vn__node *vn__sample(vn__engine *e, int op, int dtype, vn_array *out[static VN__MAX_OUT])
{
    const vn__op *row = &vn__ops[op];
    bool computed = row->kind == VN__OP_PRIMITIVE || row->kind == VN__OP_FUSED;
    if (!vn__is(dtype, row->info.dtypes) || !computed || row->info.traits & VN_OP_RANDOM) return NULL;
    vn_array *in[VN__MAX_IN];
    const char *shapes = row->extra ? row->extra->sample_shapes : NULL;
    for (int k = 0; k < row->info.n_inputs; k++) {
        vn_shape shape;
        double all;
        in[k] = read_shape(&shapes, &shape, &all) ? input(e, row->info.input_dtypes[k], dtype, &shape, all) : VN_NONE;
        if (!in[k]) return NULL;
    }
    options o;
    read_options(row->extra ? row->extra->sample_options : NULL, dtype, &o);
    if (vn__op_call(op, in, row->info.n_inputs, o.v, o.n, out, row->info.n_outputs)) return NULL;
    vn__node *made = vn__node_of(out[0]);
    if (made->op == VN__NODE_PART) made = vn__node_in(made)[0];
    for (int k = row->info.n_outputs; k < row->n_results && made->op == op; k++) { /* results that the public function does not return */
        vn__node *part = vn__node_part(made, k);
        if (!part || !(out[k] = vn__handle(part, "sample"))) return NULL;
    }
    return made->op == op ? made : NULL;
}
