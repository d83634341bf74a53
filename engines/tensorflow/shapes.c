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
 * before; dim i of the stage starts at start[axis[i]] * scale[i]. Large arrays gain too: TensorFlow copies the rows of a matrix at once, and
 * moves the elements of arrays of more dims one by one. */
typedef struct stage {
    int rank;
    int64_t dims[VN_MAX_RANK], size[VN_MAX_RANK], axis[VN_MAX_RANK], scale[VN_MAX_RANK];
    TF_Output start;
} stage;

enum {
    MAX_STAGES = (VN_MAX_RANK + MAX_DIRECT_RANK - 2) / (MAX_DIRECT_RANK - 1),
    LARGE = 1 << 13, /* elements of an array whose dims are merged */
    MOST_OF_X = 4,   /* an update that is at least this part of x is made by copying all of x */
    MAX_PAD_RANK = 6 /* of PadV2 */
};

/* Plans the next stage from dims `now` to `size`, and updates `now`. */
static stage next_stage(int rank, int64_t *now, const int64_t *size, int merge)
{
    stage s = {0};
    int cuts = 0;
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
    if (s->rank == rank) return start;
    TF_Output picked = build_node(b, "Gather", 2, (TF_Output[]){start, build_ints(b, s->axis, s->rank)});
    return build_node(b, "Mul", 2, (TF_Output[]){picked, build_ints(b, s->scale, s->rank)});
}

/* Where a block of `size` may start in an array x at the latest. */
static void last_start(const vn_desc *x, const int64_t *size, int64_t *last)
{
    for (int a = 0; a < x->rank; a++) last[a] = x->dims[a] - size[a];
}

/* The start given by input `k` of a block of `size` in an array x, clamped so that it fits. */
static TF_Output clamped_start(builder *b, const vn_desc *x, const int64_t *size, int k)
{
    int64_t last[VN_MAX_RANK], zeros[VN_MAX_RANK] = {0};
    last_start(x, size, last);
    return node2(b, "Minimum", node2(b, "Maximum", build_in(b, k), build_ints(b, zeros, x->rank)), build_ints(b, last, x->rank));
}

/* Plans that block. Returns the number of stages: 0 if the block is the whole array. */
static int plan(builder *b, stage *stages, const vn_desc *x, const int64_t *size, int k)
{
    int64_t now[VN_MAX_RANK];
    int n = 0, rank = x->rank, left = 0, merge = rank > MAX_DIRECT_RANK || (rank > 2 && x->count >= LARGE);
    for (int a = 0; a < rank; a++) now[a] = x->dims[a], left |= now[a] != size[a];
    if (!left) return 0;
    TF_Output start = clamped_start(b, x, size, k);
    while (left) {
        stages[n] = next_stage(rank, now, size, merge);
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

/* Is x, input 0, one number everywhere? *value: that number. */
static int is_filled(builder *b, TF_Output *value)
{
    const vn_instr *made = build_maker(b, b->instr->in[0]);
    if (!made || !made->row || made->row->emit != emit_broadcast_to) return 0;
    const vn_desc *from = &b->program->values[made->in[0]];
    if (from->count == 1) *value = build_reshape(b, b->values[made->in[0]], from->rank, from->dims, 0, NULL);
    return from->count == 1;
}

/* y at its place in an array that is `value` elsewhere: a tenth of the time of an update, which moves elements one by one. */
static int pad(builder *b, const vn_desc *x, const vn_desc *y, TF_Output value)
{
    const int32_t inner = build_lift(b, "PadV2", x->dtype);
    const int64_t column[] = {x->rank, 1};
    int64_t last[VN_MAX_RANK];
    last_start(x, y->dims, last);
    TF_Output start = clamped_start(b, x, y->dims, 2), rest = node2(b, "Sub", build_ints(b, last, x->rank), start);
    TF_Output sides[] = {node2(b, "Reshape", start, build_ints(b, column, 2)), node2(b, "Reshape", rest, build_ints(b, column, 2))};
    TF_Output z = node3(b, "PadV2", build_relabel(b, build_in(b, 1), x->dtype, inner), build_concat(b, 2, sides, 1),
                        build_relabel(b, value, x->dtype, inner));
    return build_out(b, build_relabel(b, node2(b, "Reshape", z, build_ints(b, x->dims, x->rank)), inner, x->dtype));
}

/* The only dim that a stage slices; -1 if there are several. */
static int only_cut(const stage *s)
{
    int at = -1;
    for (int i = 0; i < s->rank; i++) {
        if (s->dims[i] == s->size[i]) continue;
        if (at >= 0) return -1;
        at = i;
    }
    return at;
}

/* x with y written to the stage's block, of a stage that slices one dim: what is before y, y, what is behind it. */
static TF_Output join_around(builder *b, const stage *s, int cut, TF_Output x, TF_Output y)
{
    int64_t zeros[VN_MAX_RANK] = {0}, others[VN_MAX_RANK], block[VN_MAX_RANK] = {0}, rest[VN_MAX_RANK];
    for (int i = 0; i < s->rank; i++) others[i] = i == cut ? 0 : s->dims[i], rest[i] = -1;
    block[cut] = s->size[cut];
    TF_Output before = node3(b, "Slice", x, build_ints(b, zeros, s->rank), node2(b, "AddV2", s->start, build_ints(b, others, s->rank)));
    TF_Output behind = node3(b, "Slice", x, node2(b, "AddV2", s->start, build_ints(b, block, s->rank)), build_ints(b, rest, s->rank));
    TF_Output z = build_concat(b, 3, (TF_Output[]){before, y, behind}, cut);
    return node2(b, "Reshape", z, build_ints(b, s->dims, s->rank));
}

/* inputs: x, y, start. With several stages, each but the last slices out the part that changes; from the last stage back, the
 * changed part is written into what it was sliced from. */
int emit_slice_set(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const vn_desc *x = &program->values[instr->in[0]], *y = &program->values[instr->in[1]];
    int32_t inner = build_lift(b, "TensorStridedSliceUpdate", x->dtype);
    stage stages[MAX_STAGES];
    TF_Output parts[MAX_STAGES], part, changed, value;
    if (y->count == 0) return build_out(b, build_in(b, 0));
    if (y->count < x->count && x->rank <= MAX_PAD_RANK && is_filled(b, &value)) return pad(b, x, y, value);
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
        const int cut = x->count >= LARGE && y->count >= x->count / MOST_OF_X ? only_cut(&stages[i]) : -1;
        changed = build_reshape(b, changed, rank, dims, stages[i].rank, stages[i].size);
        changed = cut < 0 ? put_in(b, &stages[i], parts[i], changed) : join_around(b, &stages[i], cut, parts[i], changed);
        rank = stages[i].rank, dims = stages[i].dims;
    }
    changed = build_reshape(b, changed, rank, dims, x->rank, x->dims);
    return build_out(b, build_relabel(b, changed, inner, x->dtype));
}
