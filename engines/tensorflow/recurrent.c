/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: emit functions of LSTM and GRU, forward and backward. The steps are unrolled in the graph: a node costs less than
 * a loop iteration. Work that does not depend on the previous step is done for all steps at once; in the backward pass that is
 * everything but the recurrence of the cotangents, which is linear. TensorFlow does not run unused nodes. */
#include <stdlib.h>

#include "kernels.h"

enum { GATES, WEIGHT, H, C, BIAS = 3 };                     /* inputs forward */
enum { BACK_WEIGHT, FIRST, STATES, RESIDUALS, CT_H, CT_C }; /* inputs backward; FIRST and STATES: c for lstm, h for gru */

typedef struct recurrence {
    int64_t steps, rows, size;
    int32_t dtype;
    int reverse;
} recurrence;

enum { REVERSE }; /* options */

/* per_step: an input of (steps, rows, ..) */
static recurrence sizes_of(builder *b, int weight, int per_step)
{
    const vn_desc *steps = build_in_desc(b, per_step);
    return (recurrence){steps->dims[0], steps->dims[1], build_in_desc(b, weight)->dims[0], steps->dtype,
                        b->instr->options[REVERSE].u.i != 0};
}

static int is_empty(const recurrence *r)
{
    return r->steps == 0 || r->rows == 0 || r->size == 0;
}

static int finish_empty(builder *b)
{
    for (int k = 0; k < b->instr->n_out; k++) {
        const vn_desc *out = build_out_desc(b) + k;
        build_out_at(b, k, build_full(b, out->dtype, out->rank, out->dims, 0));
    }
    return b->code;
}

/* ---- helpers ---- */

static TF_Output add(builder *b, TF_Output x, TF_Output y)
{
    return node2(b, "AddV2", x, y);
}
static TF_Output mul(builder *b, TF_Output x, TF_Output y)
{
    return node2(b, "Mul", x, y);
}

/* 1 - x */
static TF_Output rest(builder *b, const recurrence *r, TF_Output x)
{
    return node2(b, "Sub", build_number(b, r->dtype, 1), x);
}

/* x (1 - x) and 1 - x^2: the derivatives of the activations in terms of their results x */
static TF_Output sigmoid_slope(builder *b, const recurrence *r, TF_Output x)
{
    return mul(b, x, rest(b, r, x));
}
static TF_Output tanh_slope(builder *b, const recurrence *r, TF_Output x)
{
    return rest(b, r, node1(b, "Square", x));
}

/* n equal parts of x along an axis */
static void split(builder *b, TF_Output x, int axis, int n, TF_Output *parts)
{
    TF_Output in[] = {build_number(b, VN_I32, axis), x};
    TF_OperationDescription *node = build_begin(b, "Split", 2, in);
    if (node) api.TF_SetAttrInt(node, "num_split", n);
    parts[0] = build_end(b, node);
    for (int i = 1; i < n; i++) parts[i] = build_also(parts[0], i);
}

/* The steps of x, unstacked in storage order. */
static TF_Output unpack(builder *b, const recurrence *r, TF_Output x)
{
    TF_OperationDescription *node = build_begin(b, "Unpack", 1, &x);
    if (node) api.TF_SetAttrInt(node, "num", r->steps);
    return build_end(b, node);
}

static TF_Output pack(builder *b, const recurrence *r, const TF_Output *steps)
{
    TF_OperationDescription *node = build_begin(b, "Pack", 0, NULL);
    if (node) api.TF_AddInputList(node, steps, (int)r->steps);
    return build_end(b, node);
}

static TF_Output product(builder *b, TF_Output x, TF_Output weight, int transposed)
{
    TF_OperationDescription *node = build_begin(b, "MatMul", 2, (TF_Output[]){x, weight});
    if (node) api.TF_SetAttrBool(node, "transpose_b", transposed != 0);
    return build_end(b, node);
}

/* The position of step s, counted in the order of computation. */
static int at(const recurrence *r, int64_t s)
{
    return (int)(r->reverse ? r->steps - 1 - s : s);
}

/* The state before each step, starting with the initial one. */
static TF_Output before(builder *b, const recurrence *r)
{
    int64_t first[] = {r->reverse ? 1 : 0, 0, 0}, size[] = {r->steps - 1, r->rows, r->size};
    TF_Output known = node3(b, "Slice", build_in(b, STATES), build_ints(b, first, 3), build_ints(b, size, 3));
    TF_Output start = build_reshape(b, build_in(b, FIRST), 2, size + 1, 3, (int64_t[]){1, r->rows, r->size});
    return build_concat(b, 2, r->reverse ? (TF_Output[]){known, start} : (TF_Output[]){start, known}, 0);
}

/* Room for `n` outputs per step; NULL after an error. */
static TF_Output *per_step(builder *b, const recurrence *r, size_t n)
{
    TF_Output *room = b->code ? NULL : malloc(n * (size_t)r->steps * sizeof *room);
    if (!room) build_fail(b, VN_E_MEM, "out of memory");
    return room;
}

/* ---- LSTM ---- */

int emit_lstm_sequence(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b, WEIGHT, GATES);
    (void)program, (void)instr;
    if (is_empty(&r)) return finish_empty(b);
    TF_Output *hs = per_step(b, &r, 3), *cs = hs + r.steps, *residuals = cs + r.steps, gate[4];
    if (!hs) return b->code;
    TF_Output gates = unpack(b, &r, build_in(b, GATES)), weight = build_in(b, WEIGHT), h = build_in(b, H), c = build_in(b, C);
    for (int64_t s = 0; s < r.steps; s++) {
        int step = at(&r, s);
        split(b, add(b, build_also(gates, step), product(b, h, weight, 0)), 1, 4, gate);
        for (int k = 0; k < 4; k++) gate[k] = node1(b, k == 2 ? "Tanh" : "Sigmoid", gate[k]);
        cs[step] = c = add(b, mul(b, gate[1], c), mul(b, gate[0], gate[2]));
        hs[step] = h = mul(b, gate[3], node1(b, "Tanh", c));
        residuals[step] = build_concat(b, 4, gate, 1);
    }
    build_out_at(b, 0, pack(b, &r, hs));
    build_out_at(b, 1, pack(b, &r, cs));
    build_out_at(b, 2, pack(b, &r, residuals));
    free(hs);
    return b->code;
}

/* For each step, from the cotangents dh and dc of its states: to the gates dc, dc, dc, dh times their derivatives, to the previous c dc f.
 */
int emit_lstm_backward(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b, BACK_WEIGHT, STATES);
    (void)program;
    if (is_empty(&r)) return finish_empty(b);
    TF_Output *sent = per_step(b, &r, 1), gate[4], h_ct = {0}, c_ct = {0};
    if (!sent) return b->code;
    split(b, build_in(b, RESIDUALS), 2, 4, gate);
    TF_Output weight = build_in(b, BACK_WEIGHT), c0 = before(b, &r), t = node1(b, "Tanh", build_in(b, STATES));
    TF_Output slopes[] = {
        mul(b, gate[2], sigmoid_slope(b, &r, gate[0])),
        mul(b, c0, sigmoid_slope(b, &r, gate[1])),
        mul(b, gate[0], tanh_slope(b, &r, gate[2])),
        mul(b, t, sigmoid_slope(b, &r, gate[3])),
    };
    TF_Output slope = unpack(b, &r, build_concat(b, 4, slopes, 2)), f = unpack(b, &r, gate[1]);
    TF_Output to_cell = unpack(b, &r, mul(b, gate[3], tanh_slope(b, &r, t))), ct_h = unpack(b, &r, build_in(b, CT_H)), ct_c = {0};
    if (instr->n_in > CT_C) ct_c = unpack(b, &r, build_in(b, CT_C));
    for (int64_t s = r.steps - 1; s >= 0; s--) {
        int step = at(&r, s), last = s == r.steps - 1;
        TF_Output dh = last ? build_also(ct_h, step) : add(b, build_also(ct_h, step), h_ct), dc = mul(b, dh, build_also(to_cell, step));
        if (instr->n_in > CT_C) dc = add(b, dc, build_also(ct_c, step));
        if (!last) dc = add(b, dc, c_ct);
        sent[step] = mul(b, build_concat(b, 4, (TF_Output[]){dc, dc, dc, dh}, 1), build_also(slope, step));
        h_ct = product(b, sent[step], weight, 1);
        c_ct = mul(b, dc, build_also(f, step));
    }
    build_out_at(b, 0, pack(b, &r, sent));
    build_out_at(b, 1, h_ct);
    build_out_at(b, 2, c_ct);
    free(sent);
    return b->code;
}

/* ---- GRU ---- */

int emit_gru_sequence(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b, WEIGHT, GATES);
    (void)program, (void)instr;
    if (is_empty(&r)) return finish_empty(b);
    TF_Output *hs = per_step(b, &r, 2), *residuals = hs + r.steps, x[3], own[3];
    if (!hs) return b->code;
    TF_Output gates = unpack(b, &r, build_in(b, GATES)), weight = build_in(b, WEIGHT), bias = build_in(b, BIAS), h = build_in(b, H);
    for (int64_t s = 0; s < r.steps; s++) {
        int step = at(&r, s);
        split(b, build_also(gates, step), 1, 3, x);
        split(b, add(b, product(b, h, weight, 0), bias), 1, 3, own);
        TF_Output reset = node1(b, "Sigmoid", add(b, x[0], own[0])), z = node1(b, "Sigmoid", add(b, x[1], own[1]));
        TF_Output n = node1(b, "Tanh", add(b, x[2], mul(b, reset, own[2])));
        hs[step] = h = add(b, mul(b, rest(b, &r, z), n), mul(b, z, h));
        residuals[step] = build_concat(b, 4, (TF_Output[]){reset, z, n, own[2]}, 1);
    }
    build_out_at(b, 0, pack(b, &r, hs));
    build_out_at(b, 1, pack(b, &r, residuals));
    free(hs);
    return b->code;
}

/* For each step, from the cotangent dh of its state: dh times derivatives to the gates, dh z past them. */
int emit_gru_backward(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b, BACK_WEIGHT, STATES);
    (void)program, (void)instr;
    if (is_empty(&r)) return finish_empty(b);
    TF_Output *sent = per_step(b, &r, 2), *all_dh = sent + r.steps, gate[4], parts[3], h_ct = {0};
    if (!sent) return b->code;
    split(b, build_in(b, RESIDUALS), 2, 4, gate);
    TF_Output weight = build_in(b, BACK_WEIGHT), to_n = mul(b, rest(b, &r, gate[1]), tanh_slope(b, &r, gate[2]));
    TF_Output slopes[] = {
        mul(b, mul(b, to_n, gate[3]), sigmoid_slope(b, &r, gate[0])),
        mul(b, node2(b, "Sub", before(b, &r), gate[2]), sigmoid_slope(b, &r, gate[1])),
        mul(b, to_n, gate[0]),
    };
    TF_Output slope = unpack(b, &r, build_concat(b, 3, slopes, 2)), z = unpack(b, &r, gate[1]), ct = unpack(b, &r, build_in(b, CT_H));
    for (int64_t s = r.steps - 1; s >= 0; s--) {
        int step = at(&r, s);
        TF_Output dh = all_dh[step] = s == r.steps - 1 ? build_also(ct, step) : add(b, build_also(ct, step), h_ct);
        sent[step] = mul(b, build_concat(b, 3, (TF_Output[]){dh, dh, dh}, 1), build_also(slope, step));
        h_ct = add(b, product(b, sent[step], weight, 1), mul(b, dh, build_also(z, step)));
    }
    TF_Output recurrent_ct = pack(b, &r, sent);
    split(b, recurrent_ct, 2, 3, parts);
    parts[2] = mul(b, pack(b, &r, all_dh), to_n);
    build_out_at(b, 0, build_concat(b, 3, parts, 2));
    build_out_at(b, 1, recurrent_ct);
    build_out_at(b, 2, h_ct);
    free(sent);
    return b->code;
}
