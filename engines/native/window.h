/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: sliding a window over arrays [N, spatial..., C]: which rows of C elements it covers. Shared by convolution and pooling.
 *
 * A pass visits positions, each of which computes one row of the destination from rows of the source, one for every tap of the
 * window. Forward (from x to the output) there is one pass. Backward (to x) there is one for every phase
 * of the strides: the positions of a phase use the same taps, so no tap is visited in vain. Along each axis, position u and tap k
 * of a pass read source coordinate u*step + base + k*slope, which is outside the source in the padding. */
#ifndef VN_NATIVE_WINDOW_H
#define VN_NATIVE_WINDOW_H

#include "internal.h"

enum { VN_SPATIAL = 3 }; /* axes; missing ones come first and have size 1 */

typedef struct vn__window_axis {
    int64_t in, out, window, stride, low, dilation;
} vn__window_axis;
typedef struct vn__window {
    int64_t batch, taps, in_rows, out_rows; /* rows: of x, of the result */
    int64_t span;                           /* adjacent rows of x that a tap reads together, along the last axis: 1 unless joined */
    vn__window_axis axis[VN_SPATIAL];
} vn__window;

typedef struct vn__pass_axis {
    int64_t many, step, base, slope, limit; /* positions; source coordinates; size `limit` of the source */
    int64_t taps, tap, tap_every;           /* the number of the window's taps, the first one, and their distance */
    int64_t to, to_every, to_limit;         /* the positions in the destination */
} vn__pass_axis;
typedef struct vn__pass {
    int64_t positions, taps;
    vn__pass_axis axis[VN_SPATIAL];
} vn__pass;

/* A block of positions: source coordinates and byte offset for tap 0, and the destination row of each. */
typedef struct vn__places {
    int64_t n;
    int64_t at[VN_SPATIAL][VN_WINDOW_POSITIONS], offset[VN_WINDOW_POSITIONS], to[VN_WINDOW_POSITIONS];
} vn__places;

/* The options of convolution and pooling, in the order of their rows. */
enum { STRIDES, PADS, DILATIONS, GROUPS, WINDOW = GROUPS };

/* From the shape of x, the result and the options of an instruction; `window` has the sizes of the window. */
void vn__native_window(vn__window *w, const vn_desc *x, const vn_desc *y, const int64_t *window, const vn_option *options);
/* Joins all adjacent taps along the last axis into one: their rows are contiguous in memory. Only for forward passes. */
void vn__native_window_join(vn__window *w);
void vn__native_pass_forward(const vn__window *w, vn__pass *pass);
int64_t vn__native_phases(const vn__window *w);
void vn__native_pass_backward(const vn__window *w, int64_t phase, vn__pass *pass);
/* Positions first .. first+n of a pass whose source rows have `row_bytes`. */
void vn__native_places(const vn__pass *pass, int64_t first, int64_t n, int64_t row_bytes, vn__places *places);
/* rows[i] = the source row of position i for tap `tap` of the pass, or `outside`. Returns the tap's number in the window.
 */
int64_t vn__native_window_rows(const vn__pass *pass, const vn__window *w, const vn__places *places, int64_t tap, int64_t row_bytes,
                               const void *source, const void *outside, const void **rows);
/* After joining, for rows that are NULL because their span is partly outside: zero-padded copies in `to`, `span` rows for each; or `zeros`
 * if nothing is inside. Returns the end of the copies. */
char *vn__native_window_edges(const vn__pass *pass, const vn__window *w, const vn__places *places, int64_t tap, int64_t row_bytes,
                              const void *source, const void *zeros, const void **rows, char *to);

#endif
