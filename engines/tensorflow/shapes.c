/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c: emit functions of ops that move elements: reshape, broadcast_to, permute_dims, flip, slice and slice_set.
 *
 * TensorFlow's kernels for broadcasting and slicing have a maximum rank. Higher ranks are done in stages, each on a reshaped array of
 * lower rank; a reshape moves no data. */
#include "kernels.h"

int emit_reshape(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    return build_out(b, build_reshape(b, build_in(b, 0), x->rank, x->dims, out->rank, out->dims));
}

/* Broadcasts each group of adjacent dims that are 1 in `now` and not in `dims` with a separate BroadcastTo, the innermost first, as
 * (before, 1, after) -> (before, stretch, after). x has the dims `now`, which end up as `dims`. */
static TF_Output spread_in_turn(builder *b, TF_Output x, int rank, int64_t *now, const int64_t *dims)
{
    for (int end = rank; end > 0; end--) {
        int64_t before = 1, stretch = 1, after = 1, seen[VN_MAX_RANK];
        int start = end;
        while (start > 0 && now[start - 1] == 1 && dims[start - 1] != 1) stretch *= dims[--start];
        if (start == end) continue;
        for (int i = 0; i < rank; i++) seen[i] = now[i];
        for (int i = 0; i < start; i++) before *= now[i];
        for (int i = end; i < rank; i++) after *= now[i];
        for (int i = start; i < end; i++) now[i] = dims[i];
        int64_t from[] = {before, 1, after}, to[] = {before, stretch, after};
        x = build_reshape(b, x, rank, seen, 3, from);
        x = build_node(b, "BroadcastTo", 2, (TF_Output[]){x, build_ints(b, to, 3)});
        x = build_reshape(b, x, 3, to, rank, now);
    }
    return x;
}

TF_Output spread(builder *b, TF_Output x, int from_rank, const int64_t *from, int rank, const int64_t *dims)
{
    int64_t padded[VN_MAX_RANK] = {0};
    int stretches = 0, spreads = 0, last = -1;
    for (int i = 0; i < rank; i++) {
        int j = i - (rank - from_rank);
        padded[i] = j < 0 ? 1 : from[j];
        if (dims[i] == 1) continue;
        int kind = padded[i] != dims[i];
        stretches += kind != last;
        spreads += kind;
        last = kind;
    }
    if (spreads && stretches <= MAX_STRETCHES) return build_node(b, "BroadcastTo", 2, (TF_Output[]){x, build_ints(b, dims, rank)});
    x = build_reshape(b, x, from_rank, from, rank, padded);
    return spread_in_turn(b, x, rank, padded, dims);
}

int emit_broadcast_to(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = build_lift(b, "BroadcastTo", x->dtype);
    TF_Output y = spread(b, build_relabel(b, build_in(b, 0), x->dtype, inner), x->rank, x->dims, out->rank, out->dims);
    return build_out(b, build_relabel(b, y, inner, x->dtype));
}

enum { AXES }; /* options */

int emit_permute_dims(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_option *axes = &instr->options[AXES];
    int32_t dtype = program->values[instr->in[0]].dtype, inner = build_lift(b, "Transpose", dtype);
    int moved = 0;
    for (int i = 0; i < axes->n; i++) moved |= axes->u.is[i] != i;
    if (!moved) return build_out(b, build_in(b, 0));
    TF_Output y = build_permute(b, build_relabel(b, build_in(b, 0), dtype, inner), axes->n, axes->u.is);
    return build_out(b, build_relabel(b, y, inner, dtype));
}

/* x reversed along the axes marked in `turns`, a group of adjacent ones at a time, as the middle axis of (before, stretch, after):
 * reversing adjacent axes is reversing their merged axis. */
static TF_Output turn_stretches(builder *b, TF_Output x, int rank, const int64_t *dims, const int *turns)
{
    for (int end, start = 0; start < rank; start = end) {
        int64_t merged[] = {1, 1, 1};
        for (end = start; end < rank && turns[end] == turns[start]; end++) merged[1] *= dims[end];
        if (!turns[start]) continue;
        for (int i = 0; i < start; i++) merged[0] *= dims[i];
        for (int i = end; i < rank; i++) merged[2] *= dims[i];
        x = build_reshape(b, x, rank, dims, 3, merged);
        x = build_node(b, "ReverseV2", 2, (TF_Output[]){x, build_ints(b, (int64_t[]){1}, 1)});
        x = build_reshape(b, x, 3, merged, rank, dims);
    }
    return x;
}

/* The axes are in any order. */
int emit_flip(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]];
    const vn_option *axes = &instr->options[AXES];
    int turns[VN_MAX_RANK] = {0};
    if (axes->n == 0) return build_out(b, build_in(b, 0));
    for (int i = 0; i < axes->n; i++) turns[axes->u.is[i]] = 1;
    int32_t inner = build_lift(b, "ReverseV2", x->dtype);
    TF_Output y = build_relabel(b, build_in(b, 0), x->dtype, inner);
    if (x->rank > MAX_DIRECT_RANK) y = turn_stretches(b, y, x->rank, x->dims, turns);
    else y = build_node(b, "ReverseV2", 2, (TF_Output[]){y, build_ints(b, axes->u.is, axes->n)});
    return build_out(b, build_relabel(b, y, inner, x->dtype));
}

/* A block of an array is sliced along a few axes at a time. In a stage, each dim that is not sliced is merged into the dim
 * before; dim i of the stage starts at start[axis[i]] * scale[i]. */
typedef struct stage {
    int rank;
    int64_t dims[VN_MAX_RANK], size[VN_MAX_RANK], axis[VN_MAX_RANK], scale[VN_MAX_RANK];
    TF_Output start;
} stage;

enum { MAX_STAGES = (VN_MAX_RANK + MAX_DIRECT_RANK - 2) / (MAX_DIRECT_RANK - 1) };

/* Plans the next stage from dims `now` to `size`, and updates `now`. */
static stage next_stage(int rank, int64_t *now, const int64_t *size)
{
    stage s = {0};
    int merge = rank > MAX_DIRECT_RANK, cuts = 0;
    for (int a = 0; a < rank; a++) {
        int cut = now[a] != size[a] && (!merge || cuts < MAX_DIRECT_RANK - 1);
        if (cut || a == 0 || !merge) {
            s.dims[s.rank] = now[a], s.size[s.rank] = cut ? size[a] : now[a];
            s.axis[s.rank] = a, s.scale[s.rank] = cut, s.rank++;
        } else {
            s.dims[s.rank - 1] *= now[a], s.size[s.rank - 1] *= now[a], s.scale[s.rank - 1] *= now[a];
        }
        cuts += cut;
        if (cut) now[a] = size[a];
    }
    return s;
}

/* The stage's start: `start` is the clamped start of the block, one number per axis. */
static TF_Output stage_start(builder *b, const stage *s, int rank, TF_Output start)
{
    if (rank <= MAX_DIRECT_RANK) return start;
    TF_Output picked = build_node(b, "Gather", 2, (TF_Output[]){start, build_ints(b, s->axis, s->rank)});
    return build_node(b, "Mul", 2, (TF_Output[]){picked, build_ints(b, s->scale, s->rank)});
}

/* Plans the block of `size` in an array x, at the start given by input `k`, clamped so that it fits. Returns the number of
 * stages: 0 if the block is the whole array. */
static int plan(builder *b, stage *stages, const vn_desc *x, const int64_t *size, int k)
{
    int64_t now[VN_MAX_RANK], last[VN_MAX_RANK], zeros[VN_MAX_RANK] = {0};
    int n = 0, rank = x->rank, left = 0;
    for (int a = 0; a < rank; a++) now[a] = x->dims[a], last[a] = x->dims[a] - size[a], left |= last[a] != 0;
    if (!left) return 0;
    TF_Output start = build_node(b, "Maximum", 2, (TF_Output[]){build_in(b, k), build_ints(b, zeros, rank)});
    start = build_node(b, "Minimum", 2, (TF_Output[]){start, build_ints(b, last, rank)});
    while (left) {
        stages[n] = next_stage(rank, now, size);
        stages[n].start = stage_start(b, &stages[n], rank, start);
        n++;
        left = 0;
        for (int a = 0; a < rank; a++) left |= now[a] != size[a];
    }
    return n;
}

/* The stage's slice of x, which has the stage's dims. */
static TF_Output cut_out(builder *b, const stage *s, TF_Output x)
{
    return build_node(b, "Slice", 3, (TF_Output[]){x, s->start, build_ints(b, s->size, s->rank)});
}

/* x with y, which has the stage's size, written to the stage's block. */
static TF_Output put_in(builder *b, const stage *s, TF_Output x, TF_Output y)
{
    int64_t ones[VN_MAX_RANK];
    for (int i = 0; i < s->rank; i++) ones[i] = 1;
    TF_Output end = build_node(b, "AddV2", 2, (TF_Output[]){s->start, build_ints(b, s->size, s->rank)});
    return build_node(b, "TensorStridedSliceUpdate", 5, (TF_Output[]){x, s->start, end, build_ints(b, ones, s->rank), y});
}

/* inputs: x, start */
int emit_slice(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *out = &program->values[instr->out];
    int32_t inner = build_lift(b, "Slice", x->dtype);
    stage stages[MAX_STAGES];
    int n = plan(b, stages, x, out->dims, 1), rank = x->rank;
    const int64_t *dims = x->dims;
    if (n == 0) return build_out(b, build_in(b, 0));
    TF_Output y = build_relabel(b, build_in(b, 0), x->dtype, inner);
    for (int i = 0; i < n; i++) {
        y = cut_out(b, &stages[i], build_reshape(b, y, rank, dims, stages[i].rank, stages[i].dims));
        rank = stages[i].rank, dims = stages[i].size;
    }
    y = build_reshape(b, y, rank, dims, out->rank, out->dims);
    return build_out(b, build_relabel(b, y, inner, x->dtype));
}

/* inputs: x, y, start. With several stages, each but the last slices out the part that changes; from the last stage back, the
 * changed part is written into what it was sliced from. */
int emit_slice_set(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *y = &program->values[instr->in[1]];
    int32_t inner = build_lift(b, "TensorStridedSliceUpdate", x->dtype);
    stage stages[MAX_STAGES];
    TF_Output parts[MAX_STAGES], part, changed;
    if (y->count == 0) return build_out(b, build_in(b, 0));
    int n = plan(b, stages, x, y->dims, 2), rank = x->rank;
    const int64_t *dims = x->dims;
    if (n == 0) return build_out(b, build_in(b, 1));
    part = build_relabel(b, build_in(b, 0), x->dtype, inner);
    for (int i = 0; i < n; i++) {
        parts[i] = build_reshape(b, part, rank, dims, stages[i].rank, stages[i].dims);
        if (i + 1 < n) part = cut_out(b, &stages[i], parts[i]);
        rank = stages[i].rank, dims = stages[i].size;
    }
    changed = build_relabel(b, build_in(b, 1), y->dtype, inner);
    rank = y->rank, dims = y->dims;
    for (int i = n - 1; i >= 0; i--) {
        changed = put_in(b, &stages[i], parts[i], build_reshape(b, changed, rank, dims, stages[i].rank, stages[i].size));
        rank = stages[i].rank, dims = stages[i].dims;
    }
    changed = build_reshape(b, changed, rank, dims, x->rank, x->dims);
    return build_out(b, build_relabel(b, changed, inner, x->dtype));
}
