/* create.c: ranges, identity matrices, arrays like another. */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include "base/floats.h"
#include "engine/engine.h"
#include <math.h>

/* Room for n elements, checked; NULL with the error set. */
static void *room(const char *who, int rank, const int64_t *dims, vn_dtype dtype)
{
    int64_t count = 0;
    if (vn__count(who, rank, dims, (int)dtype, &count)) return NULL;
    size_t bytes = (size_t)count * vn_dtype_size(dtype);
    void *data = vn__block_alloc(bytes ? bytes : 1);
    if (!data) vn__fail(VN_E_MEM, "%s: no memory for %zu bytes", who, bytes);
    else memset(data, 0, bytes);
    return data;
}

/* start + k step, each rounded once; the last one is `last` unless that is NaN. */
static vn_array *sequence(const char *who, double start, double step, double last, int64_t n, vn_dtype dtype)
{
    void *data = room(who, 1, &n, dtype);
    if (!data) return NULL;
    for (int64_t k = 0; k < n; k++) vn__put_double(data, k, (int)dtype, k == n - 1 && last == last ? last : start + (double)k * step);
    vn_array *x = vn_from_host(data, dtype, VN_SHAPE(n));
    vn__block_free(data);
    return x;
}

/* Does the truncated number fit the integer dtype? */
static bool in_range(double v, int dtype)
{
    return vn__fits(trunc(v), dtype);
}

vn_array *vn_arange(double start, double stop, double step, vn_dtype dtype)
{
    VN__FLOATS;
    static const char who[] = "arange";
    if (!isfinite(start) || !isfinite(stop) || !isfinite(step) || step == 0)
        return vn__fail(VN_E_ARG, "%s: from %g to %g in steps of %g; finite numbers and a step that is not 0 are needed", who, start, stop,
                        step),
               NULL;
    double count = ceil((stop - start) / step);
    if (!(count < 0x1p53)) return vn__fail(VN_E_SHAPE, "%s: from %g to %g in steps of %g are too many", who, start, stop, step), NULL;
    int64_t n = count > 0 ? (int64_t)count : 0, checked;
    if (vn__count(who, 1, &n, (int)dtype, &checked)) return NULL;
    if (dtype == VN_BOOL || (n && (!in_range(start, (int)dtype) || !in_range(start + (double)(n - 1) * step, (int)dtype))))
        return vn__fail(VN_E_DTYPE, "%s: the numbers from %g to %g do not fit into %s", who, start, stop, vn_dtype_name(dtype)), NULL;
    return sequence(who, start, step, NAN, n, dtype);
}

vn_array *vn_linspace(double start, double stop, int64_t n, int endpoint, vn_dtype dtype)
{
    VN__FLOATS;
    static const char who[] = "linspace";
    if (n < 0) return vn__fail(VN_E_ARG, "%s: %lld numbers", who, (long long)n), NULL;
    if (!isfinite(start) || !isfinite(stop))
        return vn__fail(VN_E_ARG, "%s: from %g to %g; finite numbers are needed", who, start, stop), NULL;
    if ((unsigned)dtype < VN_DTYPE_COUNT && !vn__is((int)dtype, VN_FLOATS))
        return vn__fail(VN_E_DTYPE, "%s: %s is not a float dtype", who, vn_dtype_name(dtype)), NULL;
    double parts = (double)(endpoint ? n - 1 : n), step = parts > 0 ? stop / parts - start / parts : 0;
    return sequence(who, start, step, endpoint && n > 1 ? stop : NAN, n, dtype);
}

vn_array *vn_eye(int64_t rows, int64_t cols, int64_t k, vn_dtype dtype)
{
    static const char who[] = "eye";
    void *data = room(who, 2, (int64_t[]){rows, cols}, dtype);
    if (!data) return NULL;
    int64_t row = k < 0 ? (k < -rows ? rows : -k) : 0, col = k > cols ? cols : k > 0 ? k : 0;
    for (; row < rows && col < cols; row++, col++) vn__put_double(data, row * cols + col, (int)dtype, 1);
    vn_array *x = vn_from_host(data, dtype, VN_SHAPE(rows, cols));
    vn__block_free(data);
    return x;
}

/* ---- like another array ---- */

static vn_array *like(const char *who, const vn_array *x, double value)
{
    VN__FLOATS;
    if (!vn__check(x, VN__ARRAY, who, "x")) return NULL;
    const vn__node *n = vn__node_of(x);
    if (vn__check_number(who, value, n->dtype, n->engine->name)) return NULL;
    return vn_broadcast_to(vn__number(x, value), vn_shape_of(x));
}

vn_array *vn_zeros_like(const vn_array *x)
{
    return like("zeros_like", x, 0);
}
vn_array *vn_ones_like(const vn_array *x)
{
    return like("ones_like", x, 1);
}
vn_array *vn_full_like(const vn_array *x, double value)
{
    return like("full_like", x, value);
}
