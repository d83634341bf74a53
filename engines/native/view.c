/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: strided views of row-major arrays. Reshape, broadcast, permute, flip and stride become views if the next kernel can read
 * them. */
#include <string.h>

#include "internal.h"

void vn__native_view_rows(vn__view *v, int32_t rank, const int64_t *dims)
{
    int64_t stride = 1;
    v->rank = rank;
    v->offset = 0;
    for (int32_t r = rank - 1; r >= 0; r--) {
        v->dims[r] = dims[r];
        v->strides[r] = stride;
        stride *= dims[r];
    }
}

bool vn__native_view_is_rows(const vn__view *v)
{
    int64_t stride = 1;
    for (int32_t r = v->rank - 1; r >= 0; r--) {
        if (v->dims[r] != 1 && v->strides[r] != stride) return false;
        stride *= v->dims[r];
    }
    return v->offset == 0;
}

void vn__native_view_broadcast(vn__view *v, int32_t rank, const int64_t *dims)
{
    const int32_t new_axes = rank - v->rank;
    for (int32_t r = rank - 1; r >= 0; r--) {
        const int32_t from = r - new_axes;
        v->strides[r] = from < 0 || (v->dims[from] == 1 && dims[r] != 1) ? 0 : v->strides[from];
    }
    memcpy(v->dims, dims, (size_t)rank * sizeof *dims);
    v->rank = rank;
}

void vn__native_view_permute(vn__view *v, const int64_t *axes)
{
    const vn__view x = *v;
    for (int32_t r = 0; r < v->rank; r++) {
        v->dims[r] = x.dims[axes[r]];
        v->strides[r] = x.strides[axes[r]];
    }
}

void vn__native_view_flip(vn__view *v, int32_t axis)
{
    if (v->dims[axis] < 2) return;
    v->offset += (v->dims[axis] - 1) * v->strides[axis];
    v->strides[axis] = -v->strides[axis];
}

void vn__native_view_stride(vn__view *v, int32_t axis, int64_t step)
{
    if (v->dims[axis] == 0) return;
    v->dims[axis] = (v->dims[axis] - 1) / step + 1;
    if (v->dims[axis] > 1) v->strides[axis] *= step;
}

void vn__native_view_collapse(vn__view *v)
{
    int32_t n = 0;
    for (int32_t r = 0; r < v->rank; r++) {
        if (v->dims[r] == 1) continue;
        if (n > 0 && v->strides[n - 1] == v->strides[r] * v->dims[r]) {
            v->dims[n - 1] *= v->dims[r];
            v->strides[n - 1] = v->strides[r];
        } else {
            v->dims[n] = v->dims[r];
            v->strides[n++] = v->strides[r];
        }
    }
    if (n == 0) {
        v->dims[0] = 1;
        v->strides[n++] = 1;
    }
    v->rank = n;
}

bool vn__native_view_is_one(const vn__view *v)
{
    return v->rank == 1 && v->offset == 0 && (v->strides[0] == 0 || v->dims[0] == 1);
}

/* Splits the collapsed axes into the new ones, innermost first; fails where a new axis would span two old ones. */
bool vn__native_view_reshape(vn__view *v, int32_t rank, const int64_t *dims)
{
    vn__view old = *v, new = {.rank = rank, .offset = v->offset};
    vn__native_view_collapse(&old);
    for (int32_t r = 0; r < rank; r++)
        if (dims[r] == 0) {
            vn__native_view_rows(v, rank, dims);
            return true;
        }
    int32_t o = old.rank - 1;
    int64_t left = old.dims[o], stride = old.strides[o];
    for (int32_t r = rank - 1; r >= 0; r--) {
        new.dims[r] = dims[r];
        new.strides[r] = 0;
        if (dims[r] == 1) continue;
        if (left == 1 && o > 0) {
            left = old.dims[--o];
            stride = old.strides[o];
        }
        if (left % dims[r] != 0) return false;
        new.strides[r] = stride;
        stride *= dims[r];
        left /= dims[r];
    }
    *v = new;
    return true;
}

bool vn__native_view_equal(const vn__view *x, const vn__view *y)
{
    const size_t bytes = (size_t)x->rank * sizeof x->dims[0];
    return x->rank == y->rank && x->offset == y->offset && memcmp(x->dims, y->dims, bytes) == 0 &&
           memcmp(x->strides, y->strides, bytes) == 0;
}

vn__shape3 vn__native_shape3(const vn_desc *x, int64_t first, int64_t last)
{
    vn__shape3 s = {VN_LAYOUT_COLUMNS, 1, 1, 1};
    for (int32_t k = 0; k < x->rank; k++) *(k < first ? &s.outer : k > last ? &s.inner : &s.length) *= x->dims[k];
    return s;
}
