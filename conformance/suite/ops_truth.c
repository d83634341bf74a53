/* SPDX-License-Identifier: Apache-2.0 */
/* ops_truth.c: the reference for random cases. For other engines it is the native engine's result. For the native engine it is the same op
 * in the widest dtype of its kind, rounded once to the result's dtype; integers wrap around. The reference uses row-major arrays,
 * whatever the memory order of the case. */
#include "ops.h"

#include "base/minmax.h"

#include <float.h>

/* The widest dtype is no reference for random numbers and for ops with dtype-specific results; but the memory order must not matter. */
static bool keeps_dtype(const trial *t, const test *c)
{
    if (c->info.traits & (VN_OP_RANDOM | VN_OP_OWN_DTYPE)) return true;
    for (int k = 0; k < c->n_in; k++) /* mixed dtypes may have no common wide dtype */
        if (c->in[k].kind == ARRAY && c->in[k].dtype != (int)t->dtype && VN_BIT(c->in[k].dtype) & VN_INTS && VN_BIT(t->dtype) & VN_INTS)
            return true;
    return false;
}

static int wide_of(int dtype)
{
    if (VN_BIT(dtype) & VN_UNSIGNED) return VN_U64;
    return VN_BIT(dtype) & VN_SIGNED ? VN_I64 : widest(dtype);
}

/* The operand for the reference: row-major, in the widest dtype if `wide`. */
static vn_array *plain_array(const operand *o, bool wide, vn_dtype own)
{
    operand copy = *o;
    copy.reversed = false;
    vn_array *x = operand_array(&copy);
    return wide && o->kind == ARRAY && o->dtype == (int)own && x ? vn_cast(x, (vn_dtype)wide_of(o->dtype)) : x;
}

static vn_array *truth_of(const trial *t, const test *c, bool wide)
{
    vn_array *in[MAX_IN];
    for (int k = 0; k < c->n_in; k++) {
        in[k] = plain_array(&c->in[k], wide, t->dtype);
        if (!in[k] && c->in[k].kind != MISSING) return NULL;
    }
    return test_apply(c, in, wide);
}

/* Rounds what was computed in dtype `from` to the expected one. */
static void narrow(operand *e, const void *data, int from)
{
    int to = part_dtype(e->dtype), source = part_dtype(from);
    size_t size = vn_dtype_size((vn_dtype)to), wide = vn_dtype_size((vn_dtype)source);
    for (int64_t i = 0; i < e->count * parts_of(e->dtype); i++) {
        if (!is_float(to) && !is_float(source)) { /* the low bytes: integers wrap around */
            memcpy((char *)e->data + (size_t)i * size, (const char *)data + (size_t)i * wide, vn__min(size, wide));
            e->numbers[i] = number_get(e->data, i, to);
        } else {
            double v = number_get(data, i, source);
            ops_put(e, i, v);
            if (e->numbers[i] == 0) ops_put(e, i, 0); /* the sign of zero is not compared */
        }
    }
}

static bool take(test *c, vn_array *z, int dtype)
{
    size_t bytes = (size_t)vn_size(z) * vn_dtype_size(vn_dtype_of(z));
    void *data = malloc(bytes + 1);
    bool fine = test_memory(c, data) && ops_operand(c, &c->expected, dtype, vn_shape_of(z));
    if (fine && vn_read(z, data, bytes)) fine = test_library_failed(c, "the reference cannot be read");
    if (fine && parts_of(dtype) != parts_of((int)vn_dtype_of(z)))
        test_checks(c, OF_DTYPE), fine = test_fail(c, "dtype: only one of reference and result is complex");
    if (fine) narrow(&c->expected, data, (int)vn_dtype_of(z));
    free(data);
    return fine;
}

/* Errors are relative to the largest ordinary number: results may be differences of such. */
static void set_tolerances(test *c)
{
    double most = 1, base = number_tolerance(c->expected.dtype), factor = 8;
    for (int k = -1; k < c->n_in; k++) {
        const operand *o = k < 0 ? &c->expected : &c->in[k];
        for (int64_t i = 0; o->kind == ARRAY && i < o->count * parts_of(o->dtype); i++)
            if (fabs(o->numbers[i]) < 1e4) most = fmax(most, fabs(o->numbers[i]));
    }
    for (int k = 0; k < c->n_in; k++) /* a result with a wider dtype than its inputs is only as accurate as they are */
        if (c->in[k].kind == ARRAY && base > 0) base = fmax(base, number_tolerance(c->in[k].dtype));
    c->relative = factor * base;
    c->absolute = factor * base * most;
    c->signs = false;
}

bool ops_expect(const trial *t, test *c)
{
    VN_SCOPE;
    if (c->wants_error) return true;
    bool native = !strcmp(t->engine, "native"), wide = native && !keeps_dtype(t, c);
    int dtype = -1;
    if (wide) {
        vn_array *z = truth_of(t, c, false);
        if (!z) return test_library_failed(c, "the call failed");
        dtype = (int)vn_dtype_of(z);
    } else if (!native && vn_use("native")) {
        return test_library_failed(c, "the native engine cannot be used");
    }
    vn_array *z = truth_of(t, c, wide);
    bool fine = z ? take(c, z, dtype < 0 ? (int)vn_dtype_of(z) : dtype) : test_library_failed(c, "the reference cannot be computed");
    if (!native && vn_use(t->engine)) fine = test_library_failed(c, "the engine cannot be used again");
    if (fine) set_tolerances(c);
    return fine;
}
