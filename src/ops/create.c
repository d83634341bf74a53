/* create.c: ops that make arrays of numbers: filled ones, ranges, identity matrices, and arrays like another. Those without inputs compute
 * their elements at once, on the host, and the array is on the engine in use. */
#include "ops/row.h"
#include "base/floats.h"
#include "core/dtype.h"
#include "core/memory.h"
#include <math.h>

/* ---- dtypes ---- */

int dtype_zeros(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_ZEROS_DTYPE);
}

int dtype_full(vn__infer *i)
{
    const int code = vn__rule_dtype(i, OPT_FULL_DTYPE);
    return code ? code : vn__check_number(i->op->info.name, vn__real(i, OPT_FULL_VALUE), i->dtype, i->engine);
}

/* arange, linspace, eye */
int dtype_range(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_ARANGE_DTYPE);
}

int dtype_full_like(vn__infer *i)
{
    const int code = dtype_same(i);
    return code ? code : vn__check_number(i->op->info.name, vn__real(i, OPT_FULL_LIKE_VALUE), i->dtype, i->engine);
}

/* ---- shapes ---- */

/* Option number `option` is the shape. */
static int given_shape(vn__infer *i, int option)
{
    const int n = i->options->v[option].n;
    if (n > VN_MAX_RANK) FAIL(VN_E_SHAPE, "rank above %d", VN_MAX_RANK);
    vn__rule_result(i, n, i->options->v[option].is);
    return VN_OK;
}

int shape_zeros(vn__infer *i)
{
    return given_shape(i, OPT_ZEROS_SHAPE);
}

int shape_full(vn__infer *i)
{
    return given_shape(i, OPT_FULL_SHAPE);
}

int shape_arange(vn__infer *i)
{
    VN__FLOATS;
    const double start = vn__real(i, OPT_ARANGE_START), stop = vn__real(i, OPT_ARANGE_STOP), step = vn__real(i, OPT_ARANGE_STEP);
    if (!isfinite(start) || !isfinite(stop) || !isfinite(step) || step == 0)
        FAIL(VN_E_ARG, "from %g to %g in steps of %g; finite numbers and a step that is not 0 are needed", start, stop, step);
    const double count = ceil((stop - start) / step);
    if (!(count < 0x1p53)) FAIL(VN_E_SHAPE, "from %g to %g in steps of %g are too many", start, stop, step);
    const int64_t n = count > 0 ? (int64_t)count : 0;
    const double last = start + (double)(n - 1) * step;
    if (n && (!vn__fits(trunc(start), i->dtype) || !vn__fits(trunc(last), i->dtype)))
        FAIL(VN_E_DTYPE, "the numbers from %g to %g do not fit into %s", start, stop, dtype_text(i->dtype));
    vn__rule_result(i, 1, &n);
    return VN_OK;
}

int shape_linspace(vn__infer *i)
{
    const double start = vn__real(i, OPT_LINSPACE_START), stop = vn__real(i, OPT_LINSPACE_STOP);
    const int64_t n = i->options->v[OPT_LINSPACE_N].u.i;
    if (n < 0) FAIL(VN_E_ARG, "%lld numbers", (long long)n);
    if (!isfinite(start) || !isfinite(stop)) FAIL(VN_E_ARG, "from %g to %g; finite numbers are needed", start, stop);
    vn__rule_result(i, 1, &n);
    return VN_OK;
}

int shape_eye(vn__infer *i)
{
    vn__rule_result(i, 2, (int64_t[]){i->options->v[OPT_EYE_ROWS].u.i, i->options->v[OPT_EYE_COLUMNS].u.i});
    return VN_OK;
}

/* ---- elements ---- */

/* Zeros for all elements of the result, whose size has been checked. NULL, with the error set, if memory ran out. */
static void *room(const vn__infer *i, int64_t *count)
{
    *count = 1;
    for (int k = 0; k < i->rank; k++) *count *= i->dims[k];
    const size_t bytes = (size_t)*count * vn_dtype_size((vn_dtype)i->dtype);
    void *data = vn__block_alloc(bytes ? bytes : 1);
    if (!data) vn__fail(VN_E_MEM, "no memory for %zu bytes", bytes);
    else memset(data, 0, bytes);
    return data;
}

/* Takes the elements over. */
static vn_array *made(const vn__infer *i, void *data)
{
    vn_array *x = vn_array_from(data, i->dtype, i->rank, i->dims);
    vn__block_free(data);
    return x;
}

static vn_array *filled(const vn__infer *i, double value)
{
    int64_t count;
    char *data = room(i, &count);
    if (!data) return NULL;
    const size_t item = vn_dtype_size((vn_dtype)i->dtype), bytes = (size_t)count * item;
    if (count && (value != 0 || signbit(value))) {
        vn__put_double(data, 0, i->dtype, value);
        for (size_t done = item, n; done < bytes; done += n) { /* doubling copies */
            n = done < bytes - done ? done : bytes - done;
            memcpy(data + done, data, n);
        }
    }
    return made(i, data);
}

vn_array *compose_zeros(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return filled(i, 0);
}

vn_array *compose_ones(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return filled(i, 1);
}

vn_array *compose_full(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return filled(i, vn__real(i, OPT_FULL_VALUE));
}

/* start + k step, each rounded once; the last one is `last` unless that is NaN. */
static vn_array *sequence(const vn__infer *i, double start, double step, double last)
{
    int64_t n;
    void *data = room(i, &n);
    if (!data) return NULL;
    for (int64_t k = 0; k < n; k++) vn__put_double(data, k, i->dtype, k == n - 1 && last == last ? last : start + (double)k * step);
    return made(i, data);
}

vn_array *compose_arange(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return sequence(i, vn__real(i, OPT_ARANGE_START), vn__real(i, OPT_ARANGE_STEP), NAN);
}

vn_array *compose_linspace(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const double start = vn__real(i, OPT_LINSPACE_START), stop = vn__real(i, OPT_LINSPACE_STOP);
    const bool endpoint = !i->options->v[OPT_LINSPACE_NO_ENDPOINT].u.i;
    const double parts = (double)(i->dims[0] - endpoint), step = parts > 0 ? stop / parts - start / parts : 0;
    return sequence(i, start, step, endpoint && i->dims[0] > 1 ? stop : NAN);
}

vn_array *compose_eye(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    int64_t count;
    const int64_t rows = i->dims[0], columns = i->dims[1], k = i->options->v[OPT_EYE_K].u.i;
    void *data = room(i, &count);
    if (!data) return NULL;
    int64_t row = k < 0 ? (k < -rows ? rows : -k) : 0, column = k > columns ? columns : k > 0 ? k : 0;
    for (; row < rows && column < columns; row++, column++) vn__put_double(data, row * columns + column, i->dtype, 1);
    return made(i, data);
}

/* ---- like another array: one number, repeated when it is computed ---- */

static vn_array *like(const vn_array *x, double value)
{
    return vn_broadcast_to(vn__number(x, value), vn_shape_of(x));
}

vn_array *compose_zeros_like(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return like(in[0], 0);
}

vn_array *compose_ones_like(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    return like(in[0], 1);
}

vn_array *compose_full_like(vn_array *const *in, const vn__infer *i)
{
    return like(in[0], vn__real(i, OPT_FULL_LIKE_VALUE));
}
