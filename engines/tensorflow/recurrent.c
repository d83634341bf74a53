/* recurrent.c: emit functions of LSTM and GRU, forward and back. The steps stand in the graph one after another: a node costs less than
 * a turn of a loop does. What does not wait for the step before is computed for all steps at once; on the way back that is everything but
 * the recurrence of the cotangents, which is linear. */
#include <stdlib.h>

#include "rows.h"

enum { GATES, WEIGHT, LSTM_H, LSTM_C, GRU_BIAS = 2, GRU_H, STATES, COTANGENT }; /* inputs */

typedef struct recurrence {
    int64_t steps, rows, size, gates;
    int32_t dtype; /* to compute in */
    int reverse;
} recurrence;

static recurrence sizes_of(builder *b)
{
    const vn_desc *gates = build_in_desc(b, GATES), *weight = build_in_desc(b, WEIGHT);
    int32_t dtype = build_out_desc(b)->dtype;
    return (recurrence){gates->dims[0],
                        gates->dims[1],
                        weight->dims[0],
                        weight->dims[1],
                        VN_BIT(dtype) & VN_HALVES ? VN_F32 : dtype,
                        b->instr->options[0].u.i != 0};
}

static TF_Output input(builder *b, const recurrence *r, int k)
{
    return build_cast(b, build_in(b, k), build_in_desc(b, k)->dtype, r->dtype);
}

static int finish(builder *b, const recurrence *r, TF_Output y)
{
    return build_out(b, build_cast(b, y, r->dtype, build_out_desc(b)->dtype));
}

/* Nothing to compute where there are no steps, rows or states. */
static int finish_empty(builder *b)
{
    const vn_desc *out = build_out_desc(b);
    return build_out(b, build_full(b, out->dtype, out->rank, out->dims, 0));
}

/* ---- small pieces ---- */

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

/* x (1 - x) and 1 - x^2: the slopes of the gates' functions where these are x */
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

/* The steps of x, in the order of storage: the number of the output is that of the step. */
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

/* Where step s, counted in the order of computation, lies. */
static int at(const recurrence *r, int64_t s)
{
    return (int)(r->reverse ? r->steps - 1 - s : s);
}

/* What every step found: the states of the step before, and at the first one `start`. states: (steps, rows, size) */
static TF_Output before(builder *b, const recurrence *r, TF_Output states, TF_Output start)
{
    int64_t first[] = {r->reverse ? 1 : 0, 0, 0}, size[] = {r->steps - 1, r->rows, r->size};
    TF_Output kept = node3(b, "Slice", states, build_ints(b, first, 3), build_ints(b, size, 3));
    start = build_reshape(b, start, 2, size + 1, 3, (int64_t[]){1, r->rows, r->size});
    return build_concat(b, 2, r->reverse ? (TF_Output[]){kept, start} : (TF_Output[]){start, kept}, 0);
}

/* h times weight for all steps at once; h: (steps, rows, size) */
static TF_Output all_products(builder *b, const recurrence *r, TF_Output h, TF_Output weight)
{
    int64_t three[] = {r->steps, r->rows, r->size}, rows[] = {r->steps * r->rows, r->size};
    int64_t made[] = {rows[0], r->gates}, whole[] = {r->steps, r->rows, r->gates};
    return build_reshape(b, product(b, build_reshape(b, h, 3, three, 2, rows), weight, 0), 2, made, 3, whole);
}

/* Room for `n` outputs per step; NULL after an error. */
static TF_Output *per_step(builder *b, const recurrence *r, size_t n)
{
    TF_Output *room = b->code ? NULL : malloc(n * (size_t)r->steps * sizeof *room);
    if (!room) build_fail(b, VN_E_MEM, "out of memory");
    return room;
}

/* ---- LSTM ---- */

/* The functions of the gates i, f, g, o of x. */
static void lstm_gates(builder *b, TF_Output x, int axis, TF_Output *gate)
{
    split(b, x, axis, 4, gate);
    for (int k = 0; k < 4; k++) gate[k] = node1(b, k == 2 ? "Tanh" : "Sigmoid", gate[k]);
}

int emit_lstm_states(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b);
    (void)program, (void)instr;
    if (build_out_desc(b)->count == 0) return finish_empty(b);
    TF_Output *all_h = per_step(b, &r, 2), *all_c = all_h + r.steps, gate[4];
    if (!all_h) return b->code;
    TF_Output gates = unpack(b, &r, input(b, &r, GATES)), weight = input(b, &r, WEIGHT);
    TF_Output h = input(b, &r, LSTM_H), c = input(b, &r, LSTM_C);
    for (int64_t s = 0; s < r.steps; s++) {
        int step = at(&r, s);
        lstm_gates(b, add(b, build_also(gates, step), product(b, h, weight, 0)), 1, gate);
        all_c[step] = c = add(b, mul(b, gate[1], c), mul(b, gate[0], gate[2]));
        all_h[step] = h = mul(b, gate[3], node1(b, "Tanh", c));
    }
    TF_Output y = build_concat(b, 2, (TF_Output[]){pack(b, &r, all_h), pack(b, &r, all_c)}, 2);
    free(all_h);
    return finish(b, &r, y);
}

/* For each step, of the cotangents dh and dc that reach its states: to the gates dc, dc, dc, dh times their slopes, to c before dc f. */
int emit_lstm_back(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b);
    (void)program, (void)instr;
    if (build_out_desc(b)->count == 0) return finish_empty(b);
    TF_Output *to_gates = per_step(b, &r, 2), *to_c = to_gates + r.steps, state[2], gate[4], d[2];
    if (!to_gates) return b->code;
    split(b, input(b, &r, STATES), 2, 2, state);
    split(b, input(b, &r, COTANGENT), 2, 2, d);
    TF_Output weight = input(b, &r, WEIGHT), c0 = before(b, &r, state[1], input(b, &r, LSTM_C));
    TF_Output own = all_products(b, &r, before(b, &r, state[0], input(b, &r, LSTM_H)), weight);
    lstm_gates(b, add(b, input(b, &r, GATES), own), 2, gate);
    TF_Output t = node1(b, "Tanh", state[1]);
    TF_Output slopes[] = {
        mul(b, gate[2], sigmoid_slope(b, &r, gate[0])),
        mul(b, c0, sigmoid_slope(b, &r, gate[1])),
        mul(b, gate[0], tanh_slope(b, &r, gate[2])),
        mul(b, t, sigmoid_slope(b, &r, gate[3])),
    };
    TF_Output slope = unpack(b, &r, build_concat(b, 4, slopes, 2)), f = unpack(b, &r, gate[1]);
    TF_Output through = unpack(b, &r, mul(b, gate[3], tanh_slope(b, &r, t))), dh0 = unpack(b, &r, d[0]), dc0 = unpack(b, &r, d[1]);
    for (int64_t s = r.steps - 1; s >= 0; s--) {
        int step = at(&r, s), last = s == r.steps - 1, later = last ? 0 : at(&r, s + 1);
        TF_Output dh = build_also(dh0, step), dc = build_also(dc0, step);
        if (!last) dh = add(b, dh, product(b, to_gates[later], weight, 1)), dc = add(b, dc, to_c[later]);
        dc = add(b, dc, mul(b, dh, build_also(through, step)));
        to_gates[step] = mul(b, build_concat(b, 4, (TF_Output[]){dc, dc, dc, dh}, 1), build_also(slope, step));
        to_c[step] = mul(b, dc, build_also(f, step));
    }
    TF_Output y = build_concat(b, 2, (TF_Output[]){pack(b, &r, to_gates), pack(b, &r, to_c)}, 2);
    free(to_gates);
    return finish(b, &r, y);
}

/* ---- GRU ---- */

/* r, z and n from the input's part x and the state's own; then v, the state's own part of n. */
static void gru_gates(builder *b, TF_Output x, TF_Output own, int axis, TF_Output *gate)
{
    TF_Output from_x[3], from_h[3];
    split(b, x, axis, 3, from_x);
    split(b, own, axis, 3, from_h);
    for (int k = 0; k < 2; k++) gate[k] = node1(b, "Sigmoid", add(b, from_x[k], from_h[k]));
    gate[2] = node1(b, "Tanh", add(b, from_x[2], mul(b, gate[0], from_h[2])));
    gate[3] = from_h[2];
}

int emit_gru_states(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b);
    (void)program, (void)instr;
    if (build_out_desc(b)->count == 0) return finish_empty(b);
    TF_Output *all_h = per_step(b, &r, 1), gate[4];
    if (!all_h) return b->code;
    TF_Output gates = unpack(b, &r, input(b, &r, GATES)), weight = input(b, &r, WEIGHT);
    TF_Output bias = input(b, &r, GRU_BIAS), h = input(b, &r, GRU_H);
    for (int64_t s = 0; s < r.steps; s++) {
        int step = at(&r, s);
        gru_gates(b, build_also(gates, step), add(b, product(b, h, weight, 0), bias), 1, gate);
        all_h[step] = h = add(b, mul(b, rest(b, &r, gate[1]), gate[2]), mul(b, gate[1], h));
    }
    TF_Output y = pack(b, &r, all_h);
    free(all_h);
    return finish(b, &r, y);
}

/* For each step, of the cotangent dh that reaches its state: dh times slopes to the gates, dh z past them. */
int emit_gru_back(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    recurrence r = sizes_of(b);
    (void)program, (void)instr;
    if (build_out_desc(b)->count == 0) return finish_empty(b);
    TF_Output *to_gates = per_step(b, &r, 3), *past = to_gates + r.steps, *all_dh = past + r.steps, gate[4];
    if (!to_gates) return b->code;
    TF_Output weight = input(b, &r, WEIGHT), h0 = before(b, &r, input(b, &r, STATES), input(b, &r, GRU_H));
    gru_gates(b, input(b, &r, GATES), add(b, all_products(b, &r, h0, weight), input(b, &r, GRU_BIAS)), 2, gate);
    TF_Output to_n = mul(b, rest(b, &r, gate[1]), tanh_slope(b, &r, gate[2]));
    TF_Output slopes[] = {
        mul(b, mul(b, to_n, gate[3]), sigmoid_slope(b, &r, gate[0])),
        mul(b, node2(b, "Sub", h0, gate[2]), sigmoid_slope(b, &r, gate[1])),
        mul(b, to_n, gate[0]),
    };
    TF_Output slope = unpack(b, &r, build_concat(b, 3, slopes, 2)), z = unpack(b, &r, gate[1]);
    TF_Output d = unpack(b, &r, input(b, &r, COTANGENT));
    for (int64_t s = r.steps - 1; s >= 0; s--) {
        int step = at(&r, s), last = s == r.steps - 1, later = last ? 0 : at(&r, s + 1);
        TF_Output dh = build_also(d, step);
        if (!last) dh = add(b, dh, add(b, product(b, to_gates[later], weight, 1), past[later]));
        all_dh[step] = dh;
        to_gates[step] = mul(b, build_concat(b, 3, (TF_Output[]){dh, dh, dh}, 1), build_also(slope, step));
        past[step] = mul(b, dh, build_also(z, step));
    }
    TF_Output parts[] = {pack(b, &r, to_gates), mul(b, pack(b, &r, all_dh), to_n), pack(b, &r, past)};
    free(to_gates);
    return finish(b, &r, build_concat(b, 3, parts, 2));
}
