/* SPDX-License-Identifier: Apache-2.0 */
/* create.c: ops that make arrays of numbers: filled ones, ranges, identity matrices, and arrays like another. Those without inputs compute
 * their elements at once, on the host, and the array is on the engine in use. */
#include "ops/row.h"
#include "base/minmax.h"
#include "base/floats.h"
#include "core/dtype.h"
#include "core/memory.h"
#include <math.h>

/* ---- dtypes ---- */

int dtype_zeros(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_ZEROS_DTYPE);
}

/* Input k, the value, is a weak number that fits, or an array. */
static int value_fits(vn__infer *i, int k)
{
    if (i->in[k]->op != VN__NODE_SCALAR) return VN_OK;
    const vn__num v = vn__node_number(i->in[k]);
    return vn__check_num(i->op->info.name, &v, i->dtype, i->engine);
}

int dtype_full(vn__infer *i)
{
    const int code = vn__rule_dtype(i, OPT_FULL_DTYPE);
    return code ? code : value_fits(i, 0);
}

/* arange, linspace, eye */
int dtype_range(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_ARANGE_DTYPE);
}

int dtype_full_like(vn__infer *i)
{
    const int code = dtype_same(i);
    return code ? code : value_fits(i, 1);
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
    const int code = given_shape(i, OPT_FULL_SHAPE);
    return code ? code : vn__rule_reaches(i, i->in[0], i->rank, i->dims);
}

int shape_full_like(vn__infer *i)
{
    const int code = shape_same(i);
    return code ? code : vn__rule_reaches(i, i->in[1], i->rank, i->dims);
}

/* An integer of 64 bits with or without a sign. */
typedef struct {
    bool minus;
    uint64_t size;
} integer;

/* The numbers of arange, if all of them were given as integers: `before` of them on the way to 0, at distances start, start - pace ... from
 * it, then those at distances first, first + pace ... on the side that step leads to. */
typedef struct {
    bool from_minus, to_minus;
    uint64_t start, first, pace, before, count;
} whole;

/* How many of low, low + pace ... are below high? */
static uint64_t number_of(uint64_t low, uint64_t high, uint64_t pace)
{
    return high > low ? (high - low - 1) / pace + 1 : 0;
}

static whole whole_of(integer start, integer stop, integer step)
{
    whole w = {.from_minus = start.minus, .to_minus = step.minus, .start = start.size, .first = start.size, .pace = step.size};
    if (!step.size) return w;
    if (!start.size || start.minus == step.minus) {
        w.count = stop.minus == step.minus ? number_of(start.size, stop.size, step.size) : 0;
        return w;
    }
    const bool across = stop.minus != start.minus;
    w.before = number_of(across ? 0 : stop.size, start.size, step.size);
    w.first = (step.size - start.size % step.size) % step.size;
    const uint64_t more = across ? number_of(w.first, stop.size, step.size) : 0;
    w.count = more > INT64_MAX ? more : w.before + more;
    return w;
}

static bool all_whole(const vn__infer *i, whole *w)
{
    integer at[3];
    for (int k = 0; k < 3; k++) {
        if (!i->options->v[k].whole) return false;
        const uint64_t bits = (uint64_t)i->options->v[k].u.i;
        at[k] = bits >> 63 && !i->options->v[k].is_unsigned ? (integer){true, -bits} : (integer){false, bits};
    }
    *w = whole_of(at[OPT_ARANGE_START], at[OPT_ARANGE_STOP], at[OPT_ARANGE_STEP]);
    return true;
}

/* Number k */
static vn__num whole_at(const whole *w, uint64_t k)
{
    const integer x =
        k < w->before ? (integer){w->from_minus, w->start - k * w->pace} : (integer){w->to_minus, w->first + (k - w->before) * w->pace};
    return (vn__num){.dtype = x.minus || x.size <= INT64_MAX ? VN_I64 : VN_U64, .i = (int64_t)(x.minus ? -x.size : x.size)};
}

/* A whole option, exactly. */
static const char *whole_text(const vn__infer *i, int k, char text[static 24])
{
    const int64_t bits = i->options->v[k].u.i;
    if (i->options->v[k].is_unsigned) snprintf(text, 24, "%llu", (unsigned long long)bits);
    else snprintf(text, 24, "%lld", (long long)bits);
    return text;
}

static int shape_whole(vn__infer *i, const whole *w)
{
    char start[24], stop[24];
    whole_text(i, OPT_ARANGE_START, start), whole_text(i, OPT_ARANGE_STOP, stop);
    if (!w->pace) FAIL(VN_E_ARG, "from %s to %s in steps of 0", start, stop);
    if (w->count > INT64_MAX) FAIL(VN_E_SHAPE, "from %s to %s are too many", start, stop);
    const vn__num first = whole_at(w, 0), last = whole_at(w, w->count - 1);
    int code = w->count ? vn__check_num(i->op->info.name, &first, i->dtype, i->engine) : VN_OK;
    if (w->count && !code) code = vn__check_num(i->op->info.name, &last, i->dtype, i->engine);
    vn__rule_result(i, 1, &(int64_t){(int64_t)w->count});
    return code;
}

int shape_arange(vn__infer *i)
{
    VN__FLOATS;
    whole w;
    if (all_whole(i, &w)) return shape_whole(i, &w);
    const double start = vn__option_number(i, OPT_ARANGE_START), stop = vn__option_number(i, OPT_ARANGE_STOP),
                 step = vn__option_number(i, OPT_ARANGE_STEP);
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
    const double start_imag = vn__real(i, OPT_LINSPACE_START_IMAG), stop_imag = vn__real(i, OPT_LINSPACE_STOP_IMAG);
    if (!isfinite(start) || !isfinite(stop)) FAIL(VN_E_ARG, "from %g to %g; finite numbers are needed", start, stop);
    if (!isfinite(start_imag) || !isfinite(stop_imag))
        FAIL(VN_E_ARG, "from %g i to %g i; finite numbers are needed", start_imag, stop_imag);
    if ((start_imag != 0 || stop_imag != 0) && !vn__is(i->dtype, VN_COMPLEX))
        FAIL(VN_E_DTYPE, "from %g + %g i to %g + %g i do not fit into %s; a complex dtype is needed", start, start_imag, stop, stop_imag,
             dtype_text(i->dtype));
    vn__rule_result(i, 1, &n);
    return VN_OK;
}

int dtype_logspace(vn__infer *i)
{
    return vn__rule_dtype(i, OPT_LOGSPACE_DTYPE);
}
_Static_assert(AGREE(LOGSPACE, GEOMSPACE, N) && AGREE(LOGSPACE, GEOMSPACE, DTYPE), "the rows number their options alike");

int shape_logspace(vn__infer *i)
{
    vn__rule_result(i, 1, &i->options->v[OPT_LOGSPACE_N].u.i);
    return VN_OK;
}

int shape_geomspace(vn__infer *i)
{
    const double start = vn__real(i, OPT_GEOMSPACE_START), stop = vn__real(i, OPT_GEOMSPACE_STOP);
    if (!(start > 0 && stop > 0) && !(start < 0 && stop < 0))
        FAIL(VN_E_ARG, "from %g to %g; numbers of one sign that are not 0 are needed", start, stop);
    return shape_logspace(i);
}

int shape_eye(vn__infer *i)
{
    vn__rule_result(i, 2, (int64_t[]){i->options->v[OPT_EYE_ROWS].u.i, i->options->v[OPT_EYE_COLUMNS].u.i});
    return VN_OK;
}

/* ---- elements ---- */

static size_t bytes_of(const vn__infer *i, int64_t *count)
{
    *count = 1;
    for (int k = 0; k < i->rank; k++) *count *= i->dims[k];
    return (size_t)*count * vn_dtype_size((vn_dtype)i->dtype);
}

/* Memory for all elements of the result, whose size has been checked: zeros, or not written yet. NULL, with the error set, if memory ran out. */
static void *room(const vn__infer *i, bool zeroed, int64_t *count)
{
    const size_t bytes = bytes_of(i, count), all = bytes ? bytes : 1;
    void *data = zeroed ? vn__block_calloc(all) : vn__block_alloc(all);
    if (!data) vn__fail(VN_E_MEM, "no memory for %zu bytes", bytes);
    return data;
}

/* Takes the elements over. The array aliases a large block; a small one is copied, because the engine's own memory is faster to reuse. */
static vn_array *made(const vn__infer *i, void *data)
{
    enum { LARGE = 1 << 20 };
    int64_t count;
    if (bytes_of(i, &count) >= LARGE) return vn_wrap(data, (vn_dtype)i->dtype, vn__result_shape(i), vn__block_free, data);
    vn_array *x = vn_array_from(data, i->dtype, i->rank, i->dims);
    vn__block_free(data);
    return x;
}

static vn_array *filled(const vn__infer *i, const vn__num *value)
{
    int64_t count;
    const bool zero = value->dtype == VN_F32 && value->re == 0 && !signbit(value->re);
    char *data = room(i, zero, &count);
    if (!data) return NULL;
    const size_t item = vn_dtype_size((vn_dtype)i->dtype), bytes = (size_t)count * item;
    if (count && !zero) {
        vn__put_num(data, 0, i->dtype, value);
        for (size_t done = item, n; done < bytes; done += n) { /* doubling copies, of what the cache holds */
            enum { CACHED = 1 << 18 };
            n = vn__min(vn__min(done, (size_t)CACHED), bytes - done);
            memcpy(data + done, data, n);
        }
    }
    return made(i, data);
}

vn_array *compose_zeros(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return filled(i, &(vn__num){.dtype = VN_F32, .re = 0});
}

vn_array *compose_ones(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    return filled(i, &(vn__num){.dtype = VN_F32, .re = 1});
}

/* A number on the engine in use fills memory of the host; everything else is broadcast when it is computed. */
vn_array *compose_full(vn_array *const *in, const vn__infer *i)
{
    const vn__node *value = i->in[0];
    if (value->op != VN__NODE_SCALAR || value->engine != vn__engine_in_use(vn__peek()))
        return vn_broadcast_to(vn_cast(in[0], (vn_dtype)i->dtype), vn__result_shape(i));
    const vn__num v = vn__node_number(value);
    return filled(i, &v);
}

/* start + k step, each rounded once; the last one is `last` unless that is NaN. */
typedef struct {
    double start, step, last;
} steps;

static double step_at(const steps *s, int64_t k, int64_t n)
{
    return k == n - 1 && s->last == s->last ? s->last : s->start + (double)k * s->step;
}

/* im is 0 for real dtypes. */
static vn_array *sequence(const vn__infer *i, steps re, steps im)
{
    const bool complex = vn__is(i->dtype, VN_COMPLEX);
    int64_t n;
    void *data = room(i, false, &n);
    if (!data) return NULL;
    for (int64_t k = 0; k < n; k++) {
        if (complex) vn__put_num(data, k, i->dtype, &(vn__num){.dtype = VN_C64, .re = step_at(&re, k, n), .im = step_at(&im, k, n)});
        else vn__put_double(data, k, i->dtype, step_at(&re, k, n));
    }
    return made(i, data);
}

vn_array *compose_arange(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    whole w;
    if (!all_whole(i, &w))
        return sequence(i, (steps){vn__option_number(i, OPT_ARANGE_START), vn__option_number(i, OPT_ARANGE_STEP), NAN}, (steps){0, 0, 0});
    int64_t n;
    void *data = room(i, false, &n);
    if (!data) return NULL;
    for (int64_t k = 0; k < n; k++) {
        const vn__num v = whole_at(&w, (uint64_t)k);
        vn__put_num(data, k, i->dtype, &v);
    }
    return made(i, data);
}

static steps spaced(double start, double stop, int64_t n, bool endpoint)
{
    const double parts = (double)(n - endpoint);
    return (steps){start, parts > 0 ? stop / parts - start / parts : 0, endpoint && n > 1 ? stop : NAN};
}

vn_array *compose_linspace(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const bool endpoint = !i->options->v[OPT_LINSPACE_NO_ENDPOINT].u.i;
    const steps re = spaced(vn__real(i, OPT_LINSPACE_START), vn__real(i, OPT_LINSPACE_STOP), i->dims[0], endpoint);
    return sequence(i, re, spaced(vn__real(i, OPT_LINSPACE_START_IMAG), vn__real(i, OPT_LINSPACE_STOP_IMAG), i->dims[0], endpoint));
}

/* sign base^exponent for each exponent; the first and last numbers are `first` and `last` unless they are NaN. */
static vn_array *powers(const vn__infer *i, double base, steps exponent, double sign, double first, double last)
{
    VN__FLOATS;
    int64_t n;
    void *data = room(i, false, &n);
    if (!data) return NULL;
    for (int64_t k = 0; k < n; k++) {
        const double end = !k ? first : k == n - 1 ? last : NAN;
        vn__put_double(data, k, i->dtype, end == end ? end : sign * pow(base, step_at(&exponent, k, n)));
    }
    return made(i, data);
}

vn_array *compose_logspace(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const bool endpoint = !i->options->v[OPT_LOGSPACE_NO_ENDPOINT].u.i;
    const steps s = spaced(vn__real(i, OPT_LOGSPACE_START), vn__real(i, OPT_LOGSPACE_STOP), i->dims[0], endpoint);
    return powers(i, vn__real(i, OPT_LOGSPACE_BASE), s, 1, NAN, NAN);
}

vn_array *compose_geomspace(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    const double start = vn__real(i, OPT_GEOMSPACE_START), stop = vn__real(i, OPT_GEOMSPACE_STOP);
    return powers(i, 10, spaced(log10(fabs(start)), log10(fabs(stop)), i->dims[0], true), start < 0 ? -1 : 1, start, stop);
}

vn_array *compose_eye(vn_array *const *in, const vn__infer *i)
{
    (void)in;
    int64_t count;
    const int64_t rows = i->dims[0], columns = i->dims[1], k = i->options->v[OPT_EYE_K].u.i;
    void *data = room(i, true, &count);
    if (!data) return NULL;
    int64_t row = -vn__max(vn__min(k, 0), -rows), column = vn__min(vn__max(k, 0), columns);
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
    vn_array *value = in[1];
    if (i->in[1]->op == VN__NODE_SCALAR) {
        const vn__num v = vn__node_number(i->in[1]);
        vn__node *n = vn__leaf_number(i->in[0]->engine, i->dtype, &v, i->op->info.name);
        value = n ? vn__handle(n, i->op->info.name) : NULL;
    }
    return vn_broadcast_to(vn_cast(value, (vn_dtype)i->dtype), vn__result_shape(i));
}
