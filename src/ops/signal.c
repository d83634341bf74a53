/* SPDX-License-Identifier: Apache-2.0 */
/* signal.c: cosine transforms and short-time Fourier transforms, by the transforms of fft.c. Windows are in signal_windows.c, convolution in
 * signal_convolve.c, Hadamard transforms in hadamard.c. */
#include "ops/index.h"
#include "core/dtype.h"
#include <math.h>

/* The texts of norm, as the rows list them. */
enum { BACKWARD, ORTHO, FORWARD };

/* ---- cosine transforms ---- */

_Static_assert(AGREE(DCT, IDCT, TYPE) && AGREE(DCT, IDCT, AXIS) && AGREE(DCT, IDCT, N) && AGREE(DCT, IDCT, NORM),
               "the rows number their options alike");

int shape_dct(vn__infer *i)
{
    const int code = vn__rule_axis(i, OPT_DCT_AXIS, i->in[0]->rank);
    const int64_t n = i->options->v[OPT_DCT_N].u.i, axis = i->options->v[OPT_DCT_AXIS].u.i, type = i->options->v[OPT_DCT_TYPE].u.i;
    char s[128];
    if (code) return code;
    shape_same(i);
    if (n) i->dims[axis] = n;
    if (i->dims[axis] < (type == 1 ? 2 : 1))
        FAIL(VN_E_SHAPE, "a transform of type %lld needs %s; x has shape %s, axis %lld (%s)", (long long)type,
             type == 1 ? "two elements" : "an element", shape_text(i->in[0], s), (long long)axis, i->engine);
    return VN_OK;
}

/* cos(a j) + i sin(a j) for j = first, first + 1 ... of n, in the complex dtype of x's computation */
static vn_array *turns(const vn_array *x, double a, double first, int64_t n)
{
    vn_array *at = vn__scaled(vn_add(vn_cast(vn__positions(x, n), VN_F64), vn_scalar(first)), a);
    return vn_cast(vn_complex(vn_cos(at), vn_sin(at)), vn_dtype_of(x) == VN_F64 ? VN_C128 : VN_C64);
}

static vn_array *last_piece(vn_array *x, int64_t from, int64_t n)
{
    return x ? vn__piece(x, vn_rank(x) - 1, from, n) : NULL;
}
vn_array *vn__last_axes(vn_array *x, int drop, int n, const int64_t *sizes)
{
    if (!x) return NULL;
    vn_shape s = vn_shape_of(x);
    s.rank -= drop;
    for (int k = 0; k < n; k++) s.dim[s.rank++] = sizes[k];
    return vn_reshape(x, s);
}

static vn_array *mirrored(vn_array *x)
{
    return vn_flip(x, VN_AXES(-1));
}
static vn_array *joined(vn_array *x, vn_array *y)
{
    return vn_concat(2, (vn_array *[]){x, y}, -1);
}

/* Every second element of the last axis, of n, from the first or the second on */
static vn_array *alternate(vn_array *x, int64_t n, int64_t first)
{
    vn_shape steps = {.rank = x ? vn_rank(x) : 0};
    for (int k = 0; k < steps.rank; k++) steps.dim[k] = k == steps.rank - 1 ? 2 : 1;
    return vn__stride(first ? last_piece(x, first, n - first) : x, steps);
}

/* The n elements whose even places x holds and whose odd ones y */
static vn_array *interleaved(vn_array *x, vn_array *y, int64_t n)
{
    if (!x || !y) return NULL;
    vn_array *pairs = vn_stack(2, (vn_array *[]){x, vn__fitted(y, vn_rank(y) - 1, vn_dim(x, -1))}, -1);
    return last_piece(vn__last_axes(pairs, 2, 1, (int64_t[]){2 * vn_dim(x, -1)}), 0, n);
}

/* Type 1: the transform of x and its mirror image, which is even and therefore real. */
static vn_array *cosine_1(vn_array *x, int64_t n)
{
    return vn_real(vn_rfft(n == 2 ? x : joined(x, mirrored(last_piece(x, 1, n - 2))), -1, NULL));
}

/* Type 2, by Makhoul: the transform of the elements at even places and those at odd ones backwards has n / 2 + 1 elements;
 * multiplied by the phase of a quarter of a step each, their real parts are the first half of the result, their imaginary parts the second
 * one backwards. */
static vn_array *cosine_2(vn_array *x, int64_t n)
{
    const int64_t m = n / 2 + 1, rest = n - m;
    vn_array *v = n == 1 ? x : joined(alternate(x, n, 0), mirrored(alternate(x, n, 1)));
    vn_array *w = vn__scaled(vn_mul(vn_rfft(v, -1, NULL), turns(x, -M_PI / (2 * (double)n), 0, m)), 2);
    return rest ? joined(vn_real(w), vn_neg(mirrored(last_piece(vn_imag(w), 1, rest)))) : vn_real(w);
}

/* Type 3, the inverse of type 2 times 2 n: the same steps backwards. */
static vn_array *cosine_3(vn_array *x, int64_t n)
{
    const int64_t m = n / 2 + 1, odd = n / 2;
    if (n == 1) return vn_positive(x);
    vn_array *back = joined(last_piece(vn_zeros_like(x), 0, 1), last_piece(mirrored(x), 0, m - 1));
    vn_array *w = vn_mul(vn_complex(last_piece(x, 0, m), vn_neg(back)), turns(x, M_PI / (2 * (double)n), 0, m));
    vn_array *v = vn_irfft(w, -1, VN_OPTS(irfft, .n = n, .norm = "forward"));
    return interleaved(last_piece(v, 0, n - odd), mirrored(last_piece(v, n - odd, odd)), n);
}

/* Type 4: a transform of twice the length, whose elements are multiplied by phases before and after. */
static vn_array *cosine_4(vn_array *x, int64_t n)
{
    const double step = -M_PI / (2 * (double)n);
    vn_array *z = last_piece(vn_fft(vn_mul(x, turns(x, step, 0, n)), -1, VN_OPTS(fft, .n = 2 * n)), 0, n);
    return vn__scaled(vn_real(vn_mul(z, turns(x, step, .5, n))), 2);
}

/* x, whose last axis has n elements, with the first and, if both, the last of them multiplied by a number */
static vn_array *ends_times(vn_array *x, int64_t n, double by, bool both)
{
    vn_array *k = vn__positions(x, n), *end = vn_equal(k, vn_scalar_int(0));
    if (both) end = vn_logical_or(end, vn_equal(k, vn_scalar_int(n - 1)));
    return vn_where(end, vn__scaled(x, by), x);
}

/* The last axis of real numbers; `divided`: what norm says about this transform */
static vn_array *cosine(vn_array *x, int type, int64_t n, int divided)
{
    static vn_array *(*const types[])(vn_array *, int64_t) = {cosine_1, cosine_2, cosine_3, cosine_4};
    const double whole = 2 * (double)(type == 1 ? n - 1 : n);
    const bool ortho = divided == ORTHO;
    if (ortho && (type == 1 || type == 3)) x = ends_times(x, n, M_SQRT2, type == 1);
    vn_array *y = types[type - 1](x, n);
    if (divided != BACKWARD) y = vn__scaled(y, ortho ? 1 / sqrt(whole) : 1 / whole);
    return ortho && type < 3 ? ends_times(y, n, M_SQRT1_2, type == 1) : y;
}

static vn_array *cosine_transform(vn_array *const *in, const vn__infer *i, int type, int divided)
{
    const int axis = (int)i->options->v[OPT_DCT_AXIS].u.i, last = i->rank - 1;
    const int64_t n = i->dims[axis];
    vn_array *x = vn__move_axis(vn__fitted(vn__widen(in[0]), axis, n), axis, last), *y;
    if (!x) return NULL;
    if (vn__is(i->dtype, VN_COMPLEX)) y = vn_complex(cosine(vn_real(x), type, n, divided), cosine(vn_imag(x), type, n, divided));
    else y = cosine(x, type, n, divided);
    return vn__narrow(vn__move_axis(y, last, axis), i);
}

vn_array *compose_dct(vn_array *const *in, const vn__infer *i)
{
    return cosine_transform(in, i, (int)i->options->v[OPT_DCT_TYPE].u.i, vn__choice(i, OPT_DCT_NORM));
}

vn_array *compose_idct(vn_array *const *in, const vn__infer *i)
{
    static const int inverse[] = {1, 3, 2, 4};
    return cosine_transform(in, i, inverse[i->options->v[OPT_IDCT_TYPE].u.i - 1], FORWARD - vn__choice(i, OPT_IDCT_NORM));
}

/* ---- frames: parts of a signal, `step` apart ---- */

typedef struct {
    int64_t length, step, count;
    int64_t samples; /* from the beginning of the first to the end of the last */
} frames;

/* Numbers that do not overflow, or an error. */
static int frames_of(vn__infer *i, int64_t length, int64_t step, int64_t count, frames *f)
{
    *f = (frames){.length = length, .step = step, .count = count};
    int64_t room; /* of frames in whole steps */
    if (count < 1 || __builtin_mul_overflow(count - 1, step, &f->samples) || __builtin_add_overflow(f->samples, length, &f->samples) ||
        __builtin_add_overflow(length, step, &room) || __builtin_mul_overflow(count, room, &room))
        FAIL(VN_E_SHAPE, "%lld frames of %lld elements, %lld apart (%s)", (long long)count, (long long)length, (long long)step, i->engine);
    return VN_OK;
}

/* Frames are cut and added up in blocks of `step` elements: a frame has this many, the last one partly. */
static int64_t blocks_in(const frames *f)
{
    return (f->length - 1) / f->step + 1;
}

/* Which block of the signal each block of each frame is: (count, blocks) */
static vn_array *block_places(const vn_array *like, const frames *f)
{
    return vn_add(vn_reshape(vn__positions(like, f->count), VN_SHAPE(f->count, 1)), vn__positions(like, blocks_in(f)));
}

/* (..., samples) to (..., count, length) */
static vn_array *cut_frames(vn_array *x, const frames *f)
{
    const int64_t blocks = blocks_in(f), all = f->count - 1 + blocks;
    x = vn__last_axes(vn__fitted(x, vn_rank(x) - 1, all * f->step), 1, 2, (int64_t[]){all, f->step});
    x = vn__last_axes(vn_take(x, block_places(x, f), -2), 3, 2, (int64_t[]){f->count, blocks * f->step});
    return last_piece(x, 0, f->length);
}

/* (..., count, length) to (..., samples): frames are added where they overlap */
static vn_array *add_frames(vn_array *x, const frames *f)
{
    const int64_t blocks = blocks_in(f), all = f->count - 1 + blocks;
    x = vn__last_axes(vn__fitted(x, vn_rank(x) - 1, blocks * f->step), 2, 2, (int64_t[]){f->count * blocks, f->step});
    if (!x) return NULL;
    vn_shape s = vn_shape_of(x);
    s.dim[s.rank - 2] = all;
    vn_array *sum = vn_index_add(vn_broadcast_to(vn__number(x, 0), s), vn__flat(block_places(x, f)), x, -2);
    return last_piece(vn__last_axes(sum, 2, 1, (int64_t[]){all * f->step}), 0, f->samples);
}

/* ---- short-time Fourier transforms ---- */

_Static_assert(AGREE(STFT, ISTFT, LENGTH) && AGREE(STFT, ISTFT, STEP) && AGREE(STFT, ISTFT, N) && AGREE(STFT, ISTFT, NORM) &&
                   AGREE(STFT, ISTFT, TWO_SIDED) && AGREE(STFT, ISTFT, CENTER),
               "the rows number their options alike");

static int64_t whole_option(const vn__infer *i, int option)
{
    return i->options->v[option].u.i;
}

static int64_t transform_length(const vn__infer *i)
{
    const int64_t n = whole_option(i, OPT_STFT_N);
    return n ? n : whole_option(i, OPT_STFT_LENGTH);
}

/* The number of frequencies */
static int64_t bins_of(const vn__infer *i)
{
    const int64_t n = transform_length(i);
    return whole_option(i, OPT_STFT_TWO_SIDED) ? n : n / 2 + 1;
}

static int window_fits(vn__infer *i)
{
    const vn__node *w = i->in[1];
    char s[128];
    if (w && (w->rank != 1 || w->count < 1 || w->count > whole_option(i, OPT_STFT_LENGTH)))
        FAIL(VN_E_SHAPE, "window has shape %s, a vector of at most %lld elements, the frame's length, is needed (%s)", shape_text(w, s),
             (long long)whole_option(i, OPT_STFT_LENGTH), i->engine);
    return VN_OK;
}

/* Frames of x, whose last axis has this size. */
static int stft_frames(vn__infer *i, int64_t size, frames *f)
{
    const int64_t length = whole_option(i, OPT_STFT_LENGTH), step = whole_option(i, OPT_STFT_STEP);
    const bool center = whole_option(i, OPT_STFT_CENTER), pad_end = whole_option(i, OPT_STFT_PAD_END);
    char s[128];
    int64_t padded = size;
    if (center && __builtin_add_overflow(size, length / 2 * 2, &padded))
        FAIL(VN_E_ARG, "length is %lld (%s)", (long long)length, i->engine);
    if (!size || (!pad_end && padded < length))
        FAIL(VN_E_SHAPE, "x has shape %s, a frame has %lld elements: center or pad_end would add some (%s)", shape_text(i->in[0], s),
             (long long)length, i->engine);
    return frames_of(i, length, step, pad_end ? (padded - 1) / step + 1 : (padded - length) / step + 1, f);
}

int shape_stft(vn__infer *i)
{
    const vn__node *x = i->in[0];
    frames f;
    char s[128];
    if (x->rank < 1 || x->rank >= VN_MAX_RANK)
        FAIL(VN_E_SHAPE, "x has shape %s, [..., samples] with at most %d axes is needed (%s)", shape_text(x, s), VN_MAX_RANK - 1,
             i->engine);
    int code = window_fits(i);
    if (!code) code = stft_frames(i, vn__node_dims(x)[x->rank - 1], &f);
    if (code) return code;
    shape_same(i);
    i->dims[i->rank - 1] = f.count;
    i->dims[i->rank++] = bins_of(i);
    return VN_OK;
}

/* x and the window promoted, in floats of at least 32 bits; the result is complex. */
int dtype_stft(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    if (code) return code;
    if (vn__is(i->dtype, VN_COMPLEX) && !whole_option(i, OPT_STFT_TWO_SIDED))
        FAIL(VN_E_DTYPE, "x is %s: complex numbers need two_sided (%s)", dtype_text(i->dtype), i->engine);
    i->dtype = i->dtype == VN_F64 || i->dtype == VN_C128 ? VN_C128 : VN_C64;
    return VN_OK;
}

/* An input in the dtype of computation: complex for what is complex. */
static vn_array *computed(vn_array *x, const vn__infer *i)
{
    const int d = i->dtype, part = vn__part_dtype(d), wide = part == VN_F64 ? VN_C128 : VN_C64;
    return x ? vn_cast(x, (vn_dtype)(vn__is(vn_dtype_of(x), VN_COMPLEX) ? wide : part)) : NULL;
}

/* The window with zeros on both sides, of the frame's length; NULL if there is none */
static vn_array *window_of(vn_array *const *in, const vn__infer *i, int64_t length)
{
    if (!i->in[1]) return NULL;
    vn_array *w = computed(in[1], i);
    const int64_t more = length - (w ? vn_dim(w, 0) : 0), before = more / 2;
    return more ? vn_pad(w, VN_LIST(before), VN_LIST(more - before), NULL) : w;
}

static const char *norm_text(const vn__infer *i)
{
    return i->options->v[OPT_STFT_NORM].u.s;
}

vn_array *compose_stft(vn_array *const *in, const vn__infer *i)
{
    vn_array *x = computed(in[0], i);
    frames f;
    vn__infer again = *i;
    if (!x || stft_frames(&again, vn_dim(x, -1), &f)) return NULL;
    vn_array *window = window_of(in, i, f.length);
    if (whole_option(i, OPT_STFT_CENTER)) {
        vn_shape by = {.rank = vn_rank(x)};
        by.dim[by.rank - 1] = f.length / 2;
        x = vn_pad(x, by, by, VN_OPTS(pad, .mode = i->options->v[OPT_STFT_PAD_MODE].u.s));
    }
    if (!x) return NULL;
    x = cut_frames(x, &f);
    if (window) x = vn_mul(x, window);
    const int64_t n = transform_length(i);
    return whole_option(i, OPT_STFT_TWO_SIDED) ? vn_fft(x, -1, VN_OPTS(fft, .n = n, .norm = norm_text(i)))
                                               : vn_rfft(x, -1, VN_OPTS(fft, .n = n, .norm = norm_text(i)));
}

int shape_istft(vn__infer *i)
{
    const vn__node *x = i->in[0];
    const int64_t size = whole_option(i, OPT_ISTFT_SAMPLES), bins = bins_of(i), half = whole_option(i, OPT_ISTFT_LENGTH) / 2;
    frames f;
    char s[128];
    if (x->rank < 2 || vn__node_dims(x)[x->rank - 1] != bins || vn__node_dims(x)[x->rank - 2] < 1)
        FAIL(VN_E_SHAPE, "x has shape %s, [..., frames, %lld] is needed for transforms of length %lld (%s)", shape_text(x, s),
             (long long)bins, (long long)transform_length(i), i->engine);
    int code = window_fits(i);
    if (!code) code = frames_of(i, whole_option(i, OPT_ISTFT_LENGTH), whole_option(i, OPT_ISTFT_STEP), vn__node_dims(x)[x->rank - 2], &f);
    if (code) return code;
    shape_same(i);
    i->dims[--i->rank - 1] = size ? size : whole_option(i, OPT_ISTFT_CENTER) ? f.samples - 2 * half : f.samples;
    return VN_OK;
}

int dtype_istft(vn__infer *i)
{
    int code = vn__rule_promote(i, 0, 2);
    if (!code) code = vn__rule_accept(i, i->dtype);
    const bool wide = i->dtype == VN_F64 || i->dtype == VN_C128;
    i->dtype = whole_option(i, OPT_ISTFT_TWO_SIDED) ? (wide ? VN_C128 : VN_C64) : wide ? VN_F64 : VN_F32;
    return code;
}

/* The frames times the window are added up; dividing by the same sum of squares undoes both products. */
vn_array *compose_istft(vn_array *const *in, const vn__infer *i)
{
    const int64_t length = whole_option(i, OPT_ISTFT_LENGTH), n = transform_length(i),
                  cut = whole_option(i, OPT_ISTFT_CENTER) ? length / 2 : 0;
    const int part = vn__part_dtype(i->dtype);
    frames f;
    vn__infer again = *i;
    vn_array *x = vn_cast(in[0], part == VN_F64 ? VN_C128 : VN_C64), *window = window_of(in, i, length);
    if (!x || frames_of(&again, length, whole_option(i, OPT_ISTFT_STEP), vn_dim(x, -2), &f)) return NULL;
    x = whole_option(i, OPT_ISTFT_TWO_SIDED) ? vn_ifft(x, -1, VN_OPTS(fft, .n = n, .norm = norm_text(i)))
                                             : vn_irfft(x, -1, VN_OPTS(irfft, .n = n, .norm = norm_text(i)));
    x = vn__fitted(x, x ? vn_rank(x) - 1 : 0, length);
    vn_array *weight = window ? vn_square(window) : vn_cast(vn__filled(x, 1, VN_SHAPE(length)), (vn_dtype)part);
    weight = add_frames(vn_broadcast_to(weight, VN_SHAPE(f.count, length)), &f);
    vn_array *sum = add_frames(window ? vn_mul(x, window) : x, &f);
    vn_array *y = vn_div(sum, vn_where(vn_greater(weight, vn_scalar(1e-10)), weight, vn_scalar(1)));
    return vn__fitted(last_piece(y, cut, f.samples - cut), i->rank - 1, i->dims[i->rank - 1]);
}
