/* attention.c: attention and attention_back, by the functions of attention.py. In a program with both the weights are computed once:
 * attention leaves them with its result, where attention_back takes them. */
#include "numpy_engine.h"

#include <string.h>

enum { Q, K, V, OUT, CT }; /* inputs; a mask follows, on the way forward after V */

/* Weights left in a program at a time. They grow with the square of the length, and computing them again adds a fifth to both ways
 * together, so that more memory is not worth it. */
enum { MOST_LEFT = 256 << 20 };

/* The input that is the mask, -1 without one. */
static int32_t mask_of(const vn_instr *i, int at)
{
    return i->n_in > at ? i->in[at] : -1;
}

/* Whether `back` is the way back of `forward` and has the same weights. */
static int belong(const vn_instr *forward, const vn_instr *back)
{
    if (strcmp(forward->op, "attention") || strcmp(back->op, "attention_back")) return 0;
    if (back->in[OUT] != forward->out || back->in[Q] != forward->in[Q] || back->in[K] != forward->in[K]) return 0;
    return mask_of(forward, V + 1) == mask_of(back, CT + 1) &&
           !memcmp(&forward->options[0].u.f, &back->options[0].u.f, sizeof back->options[0].u.f) &&
           forward->options[1].u.i == back->options[1].u.i;
}

static int has_way_back(const vn_program *p, const vn_instr *forward)
{
    for (int32_t k = 0; k < p->n_instrs; k++)
        if (belong(forward, p->instrs[k])) return 1;
    return 0;
}

/* Bytes of the weights of an attention, or more than MOST_LEFT. */
static int64_t weight_bytes(const vn_program *p, const vn_instr *forward)
{
    const vn_desc *out = &p->values[forward->out], *k = &p->values[forward->in[K]];
    int64_t bytes = np_is_half(out->dtype) ? np_item_bytes(VN_F32) : np_item_bytes(out->dtype);
    for (int32_t i = 0; i < out->rank; i++) {
        if (__builtin_mul_overflow(bytes, i < out->rank - 1 ? out->dims[i] : k->dims[k->rank - 2], &bytes)) return INT64_MAX;
    }
    return bytes;
}

/* Whether an attention leaves its weights: they are wanted, and there is room beside those left before. */
static int leaves(const vn_program *p, const vn_instr *forward)
{
    int64_t room = MOST_LEFT;
    for (int32_t k = 0; k < p->n_instrs; k++) {
        const vn_instr *i = p->instrs[k];
        int64_t bytes = has_way_back(p, i) ? weight_bytes(p, i) : INT64_MAX;
        if (bytes > room) continue;
        if (i == forward) return 1;
        room -= bytes;
    }
    return 0;
}

/* Whether the result an attention_back takes in comes from its own attention. */
static int follows(const vn_program *p, const vn_instr *back)
{
    for (int32_t k = 0; k < p->n_instrs; k++)
        if (belong(p->instrs[k], back)) return 1;
    return 0;
}

/* The op's options, then True or None. */
static PyObject *options_and(const vn_kernel_call *call, int shared)
{
    PyObject *last = shared ? py.PyBool_FromLong(1) : py.None;
    if (!shared) py.Py_IncRef(last);
    return np_option_tuple(call, last);
}

static PyObject *leaving_options(const vn_kernel_call *call)
{
    return options_and(call, leaves(call->program, call->instr));
}

static PyObject *taking_options(const vn_kernel_call *call)
{
    return options_and(call, follows(call->program, call->instr));
}

enum { SCALE, CAUSAL, SHARED, OPTIONS };

/* Borrows the options out of their tuple, which may be NULL. */
static int read_options(PyObject *tuple, PyObject **options)
{
    for (int i = 0; tuple && i < OPTIONS; i++) options[i] = py.PyTuple_GetItem(tuple, i);
    return tuple ? 0 : -1;
}

int np_attention(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *options[OPTIONS];
    if (read_options(np_prepared(call, leaving_options), options)) return -1;
    PyObject *made = np_call_script(call, function, options, OPTIONS);
    if (!made) return -1;
    PyObject *y = py.PyTuple_GetItem(made, 0), *left = py.PyTuple_GetItem(made, 1);
    py.Py_IncRef(y);
    out[0] = np_checked(y, np_desc_out(call));
    if (out[0] && left != py.None) {
        py.Py_IncRef(left);
        out[1] = left;
    }
    py.Py_DecRef(made);
    return out[0] ? 0 : -1;
}

int np_attention_back(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    PyObject *options[OPTIONS], *left = NULL;
    if (read_options(np_prepared(call, taking_options), options)) return -1;
    if (options[SHARED] != py.None) {
        left = call->in[OUT]->left;
        call->in[OUT]->left = NULL;
        options[SHARED] = left ? left : py.None;
    }
    out[0] = np_checked(np_call_script(call, function, options, OPTIONS), np_desc_out(call));
    vn_python_drop(left);
    return out[0] ? 0 : -1;
}
