/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: windows that slide over arrays [N, spatial..., C], for convolution and pooling. Missing spatial axes are inserted in front with
 * size 1, so that all arrays have five axes here. */
#ifndef VN_TORCH_WINDOW_H
#define VN_TORCH_WINDOW_H

#include "work.h"

enum { SPATIAL = 3, AXES = SPATIAL + 2 };

typedef struct window {
    int n;                                              /* original number of spatial axes */
    int64_t size[SPATIAL], out[SPATIAL], taps[SPATIAL]; /* of x, of the windows' array y, of the window */
    int64_t step[SPATIAL], low[SPATIAL], high[SPATIAL], dilation[SPATIAL];
} window;

/* An array with its five axes. */
typedef struct array5 {
    tensor *t;
    int64_t dims[AXES], strides[AXES];
} array5;

/* One element of the window, and the positions y[first .. first+count) where it touches x, from x[start] on in steps. */
typedef struct tap {
    int64_t number, at[SPATIAL], first[SPATIAL], count[SPATIAL], start[SPATIAL];
} tap;

/* The options of convolution and pooling, in the order of their rows. */
enum { STRIDES, PADS, DILATIONS, GROUPS, WINDOW = GROUPS };

window window_of(const vn_desc *x, const vn_desc *y, const int64_t *sizes, const vn_option *options);
bool is_symmetric(const window *f); /* is the padding of every axis symmetric? */

/* x[n + 2], a filter [spatial..., a, b] when `filter` */
array5 five_axes(work *w, tensor *x, const vn_desc *d, bool filter);
void five_dims(const vn_desc *d, bool filter, int64_t *dims);
array5 new_array(work *w, const int64_t *dims);                            /* of the work's dtype, uninitialised */
tensor *own_axes(work *w, const array5 *x, const vn_desc *d, bool filter); /* without inserted axes */

/* To torch's layout: [N, C, spatial...], [O, C/groups, kernel...], without the first spatial axis if arrays have fewer than three; and
 * back to five axes of these dims. */
tensor *as_torch(work *w, const window *f, const array5 *x, bool filter);
array5 from_torch(work *w, const window *f, tensor *t, const int64_t *dims, bool filter);

/* Every tap that touches x, in order, or backwards from the last: while (next_tap(&all, &t)) ... */
typedef struct taps {
    const window *f;
    bool down;
    int64_t from[SPATIAL], to[SPATIAL], now[SPATIAL]; /* to: one past the last */
    bool done;
} taps;
taps all_taps(const window *f, bool down);
bool next_tap(taps *all, tap *t);

/* The elements of a tap, `n` channels from `channel` on. */
tensor *met_in_x(work *w, const window *f, const tap *t, const array5 *x, int64_t channel, int64_t n);
tensor *met_in_y(work *w, const tap *t, const array5 *y, int64_t channel, int64_t n);

extern const torch_op add_to; /* x += y, any dtype */

#endif
