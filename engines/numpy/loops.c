/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c: calls NumPy's inner loops directly, without the ufunc.
 *
 * A ufunc is a table of loops, one per dtype signature, behind code that selects the loop and checks for overriding classes, overlaps
 * and floating-point flags. None of that is needed here: inputs have one dtype, are row-major or a single number, and warnings are
 * off. The loop alone takes a fifth of the ufunc's time on small arrays. */
#include "numpy_engine.h"

#include <string.h>

enum { LONG_WORK = 10000 }; /* elements above which the interpreter lock is released meanwhile */

/* What follows the object header of a ufunc: public since NumPy 1.0. */
typedef struct ufunc {
    int nin, nout, nargs, identity;
    np_loop *functions;
    void *const *data;
    int ntypes, unused;
    const char *name, *types; /* types: ntypes signatures of nargs dtype numbers */
} ufunc;

static int64_t attribute(PyObject *object, const char *name)
{
    PyObject *value = py.PyObject_GetAttrString(object, name);
    int64_t number = value ? py.PyLong_AsLongLong(value) : -1;
    vn_python_drop(value);
    py.PyErr_Clear();
    return number;
}

/* The object as a ufunc, if it is one with the expected layout. */
static const ufunc *ufunc_of(PyObject *function)
{
    const ufunc *u = (const ufunc *)(const void *)((const char *)function + py.head);
    int64_t nin = attribute(function, "nin"), nargs = attribute(function, "nargs"), ntypes = attribute(function, "ntypes");
    if (nin < 1 || ntypes < 1 || attribute(function, "nout") != 1) return NULL; /* not a ufunc: it has no such attributes */
    return u->nin == nin && u->nout == 1 && u->nargs == nargs && u->ntypes == ntypes && u->functions && u->types ? u : NULL;
}

/* Does signature t take only inputs of dtype number `in`? *out is then its output dtype. */
static int takes(const ufunc *u, int t, int64_t in, int *out)
{
    const char *types = u->types + (ptrdiff_t)t * u->nargs;
    for (int k = 0; k < u->nin; k++)
        if (types[k] != in) return 0;
    *out = types[u->nin];
    return 1;
}

void np_find_loops(PyObject *function, uint32_t dtypes, np_loops *loops)
{
    int64_t numbers[VN_DTYPE_END];
    const ufunc *u = ufunc_of(function);
    memset(loops, 0, sizeof *loops);
    for (int i = 1; i < VN_DTYPE_END; i++) numbers[i] = vn_nd_dtype(i) ? attribute(vn_nd_dtype(i), "num") : -1;
    for (int i = 1; u && i < VN_DTYPE_END; i++) {
        int out = -1, t = 0;
        while (t < u->ntypes && !takes(u, t, numbers[i], &out)) t++;
        if (t == u->ntypes || !(dtypes & VN_BIT(i)) || !u->functions[t]) continue;
        for (int j = 1; j < VN_DTYPE_END; j++) {
            if (numbers[j] == out)
                loops->of[i] = (np_typed_loop){u->functions[t], u->data ? u->data[t] : NULL, j, u->nin, np_item_bytes(i), np_item_bytes(j)};
        }
    }
}

const char *np_plain(vn_buf *buf)
{
    const int wanted = VN_ND_CONTIGUOUS | VN_ND_ALIGNED;
    PyObject *array = __atomic_load_n(&buf->object, __ATOMIC_ACQUIRE);
    if (!array) return (const char *)buf->small;
    return (vn_nd(array)->flags & wanted) == wanted ? vn_nd(array)->data : NULL;
}

/* The single number that a view broadcasts, otherwise NULL. */
static const char *repeated(vn_buf *buf)
{
    const vn_ndarray *a = vn_nd(buf->object);
    if (!(a->flags & VN_ND_ALIGNED)) return NULL;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] > 1 && a->strides[i]) return NULL;
    return a->data;
}

int np_loop_begin(const np_loops *loops, const vn_kernel_call *call, np_loop_call *c)
{
    const int32_t dtype = np_desc_in(call, 0)->dtype;
    const vn_desc *z = np_desc_out(call);
    const np_typed_loop *loop = &loops->of[dtype];
    if (!loop->function || loop->dtype != z->dtype || loop->n_in != call->instr->n_in) return 0;
    for (int k = 0; k < loop->n_in; k++) {
        const vn_desc *x = np_desc_in(call, k);
        if (x->dtype != dtype || (x->count != z->count && x->count != 1)) return 0;
        const char *data = np_plain(call->in[k]);
        c->steps[k] = data && x->count == z->count ? loop->in_bytes : 0;
        if (!data && !(data = repeated(call->in[k]))) return 0;
        c->args[k] = (char *)(uintptr_t)data; /* loops only read inputs */
    }
    c->steps[loop->n_in] = loop->out_bytes;
    c->loop = loop;
    c->count = z->count;
    return 1;
}

void np_loop_end(np_loop_call *c, void *result)
{
    c->args[c->loop->n_in] = result;
    c->loop->function(c->args, &c->count, c->steps, c->loop->data);
}

int np_fold(const np_loops *loops, const vn_kernel_call *call, void *result)
{
    const vn_desc *x = np_desc_in(call, 0), *z = np_desc_out(call);
    const np_typed_loop *loop = &loops->of[x->dtype];
    const char *from = np_plain(call->in[0]);
    if (!loop->function || loop->n_in != 2 || loop->dtype != x->dtype || z->dtype != x->dtype || z->count != 1 || x->count < 1 || !from)
        return 0;
    char *args[] = {result, (char *)(uintptr_t)from + loop->in_bytes, result};
    intptr_t steps[] = {0, loop->in_bytes, 0}, rest = x->count - 1;
    memcpy(result, from, (size_t)loop->in_bytes);
    if (rest) loop->function(args, &rest, steps, loop->data);
    return 1;
}

void *np_long_begin(const vn_kernel_call *call)
{
    return np_desc_out(call)->count >= LONG_WORK ? py.PyEval_SaveThread() : NULL;
}

void np_long_end(void *others)
{
    if (others) py.PyEval_RestoreThread(others);
}
