/* SPDX-License-Identifier: Apache-2.0 */
/* adam.c: emit function of adam_apply, one Adam step for any number of parameters, one by one.
 *
 * TensorFlow has a kernel for one parameter, which updates variables. A run creates three variables, for w and both moments, has the
 * kernel update them (which copies shared buffers), reads and destroys them. For small parameters a dozen elementwise nodes are
 * cheaper. */
#include "kernels.h"

enum { W, G, M, V, RATE, SCALE, LISTS = RATE, CHANGED = 3 }; /* inputs, the first four lists; of w, m, v */
enum { BETA1, BETA2, EPSILON };                              /* options */
enum { FEW = 1 << 16 };                                      /* elements */

/* Of one parameter. */
typedef struct step {
    int32_t dtype;
    const vn_desc *of;
    TF_Output in[SCALE + 1];
    double beta1, beta2, epsilon;
} step;

static TF_Output times(builder *b, TF_Output x, int32_t dtype, double by)
{
    return node2(b, "Mul", x, build_number(b, dtype, by));
}

/* w - rate m / (scale sqrt(v) + epsilon), where negative v counts as 0. */
static TF_Output moved(builder *b, const step *s, TF_Output w, TF_Output m, TF_Output v)
{
    TF_Output root = node1(b, "Sqrt", node2(b, "Maximum", v, build_number(b, s->dtype, 0)));
    TF_Output below = node2(b, "AddV2", node2(b, "Mul", root, s->in[SCALE]), build_number(b, s->dtype, s->epsilon));
    return node2(b, "Sub", w, node2(b, "RealDiv", node2(b, "Mul", m, s->in[RATE]), below));
}

/* y: w, m, v after the step */
static void by_elements(builder *b, const step *s, TF_Output *y)
{
    const TF_Output g = s->in[G];
    y[1] = node2(b, "AddV2", times(b, s->in[M], s->dtype, s->beta1), times(b, g, s->dtype, 1 - s->beta1));
    y[2] = node2(b, "AddV2", times(b, s->in[V], s->dtype, s->beta2), times(b, node1(b, "Square", g), s->dtype, 1 - s->beta2));
    y[0] = moved(b, s, s->in[W], y[1], y[2]);
}

/* A variable local to this run; returns the op that assigns x to it. */
static TF_Output variable(builder *b, const step *s, TF_Output x, TF_Operation **filled)
{
    static const char anonymous[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"; /* TensorFlow's name for it */
    TF_OperationDescription *node = build_begin(b, "VarHandleOp", 0, NULL);
    if (node) {
        api.TF_SetAttrType(node, "dtype", api_dtype(s->dtype));
        api.TF_SetAttrShape(node, "shape", s->of->dims, s->of->rank);
        api.TF_SetAttrString(node, "shared_name", anonymous, sizeof anonymous - 1);
    }
    TF_Output handle = build_end(b, node);
    *filled = node2(b, "AssignVariableOp", handle, x).oper;
    return handle;
}

/* op(x), with a control dependency on another operation. */
static TF_OperationDescription *begin_after(builder *b, const char *op, TF_Output x, TF_Operation *before)
{
    TF_OperationDescription *node = build_begin(b, op, 1, &x);
    if (node) api.TF_AddControlInput(node, before);
    return node;
}

/* The variable's value after `changed`; the variable is destroyed. */
static TF_Output last_value(builder *b, const step *s, TF_Output handle, TF_Operation *changed)
{
    TF_OperationDescription *node = begin_after(b, "ReadVariableOp", handle, changed);
    if (node) api.TF_SetAttrType(node, "dtype", api_dtype(s->dtype));
    TF_Output y = build_end(b, node);
    if (b->code) return y;
    TF_Operation *gone = build_end(b, begin_after(b, "DestroyResourceOp", handle, y.oper)).oper;
    return b->code ? y : build_end(b, begin_after(b, "Identity", y, gone));
}

/* The kernel takes the root of v even if it is negative. If any v is negative or NaN, w is recomputed, as a matrix with one row or,
 * usually, none. */
static TF_Output rooted(builder *b, const step *s, const TF_Output *y)
{
    const TF_Output row = build_ints(b, (int64_t[]){1, -1}, 2);
    TF_Output least = node2(b, "Min", node2(b, "Reshape", y[2], row), build_ints(b, (int64_t[]){1}, 1));
    TF_Output fine = node2(b, "GreaterEqual", least, build_number(b, s->dtype, 0));
    TF_Output odd = build_flagged(b, node1(b, "LogicalNot", fine)), in[] = {s->in[W], y[1], y[2]};
    for (int k = 0; k < CHANGED; k++) in[k] = build_rows(b, node2(b, "Reshape", in[k], row), odd);
    TF_Output w = build_put_rows(b, node2(b, "Reshape", y[0], row), odd, moved(b, s, in[0], in[1], in[2]));
    return node2(b, "Reshape", w, build_ints(b, s->of->dims, s->of->rank));
}

static void by_kernel(builder *b, const step *s, TF_Output *y)
{
    static const int changes[CHANGED] = {W, M, V};
    const TF_Output zero = build_number(b, s->dtype, 0), beta1 = build_number(b, s->dtype, s->beta1);
    const TF_Output beta2 = build_number(b, s->dtype, s->beta2), epsilon = build_number(b, s->dtype, s->epsilon);
    TF_Operation *filled[CHANGED];
    TF_Output handles[CHANGED];
    for (int k = 0; k < CHANGED; k++) handles[k] = variable(b, s, s->in[changes[k]], &filled[k]);
    /* its bias corrections are 1 if the powers of beta are 0; ours are passed in its rate and epsilon */
    TF_Output in[] = {handles[0], handles[1], handles[2],
                      zero,       zero,       node2(b, "RealDiv", s->in[RATE], s->in[SCALE]),
                      beta1,      beta2,      node2(b, "RealDiv", epsilon, s->in[SCALE]),
                      s->in[G]};
    TF_OperationDescription *node = build_begin(b, "ResourceApplyAdam", sizeof in / sizeof *in, in);
    for (int k = 0; k < CHANGED && node; k++) api.TF_AddControlInput(node, filled[k]);
    TF_Operation *changed = build_end(b, node).oper;
    for (int k = 0; k < CHANGED; k++) y[k] = last_value(b, s, handles[k], changed);
    y[0] = rooted(b, s, y);
}

/* inputs: lists of w, g, m, v, then rate, scale; lists of w, m, v after the step */
int emit_adam_apply(void *builder_, const vn_program *program, const vn_instr *instr)
{
    builder *b = builder_;
    const int n = instr->n_list;
    for (int p = 0; p < n; p++) {
        const vn_desc *w = &program->values[instr->out + p];
        step s = {w->dtype, w, {{0}}, instr->options[BETA1].u.f, instr->options[BETA2].u.f, instr->options[EPSILON].u.f};
        TF_Output y[CHANGED];
        for (int k = 0; k <= SCALE; k++) s.in[k] = build_in(b, k < LISTS ? k * n + p : LISTS * n + k - LISTS);
        if (w->count > FEW) by_kernel(b, &s, y);
        else by_elements(b, &s, y);
        for (int k = 0; k < CHANGED; k++) build_out_at(b, k * n + p, y[k]);
    }
    return b->code;
}
