/* SPDX-License-Identifier: Apache-2.0 */
/* select.c: where(condition, x, y). NumPy's own branches on each element, which for an irregular condition takes many times as long
 * as moving the element; row-major arrays and single numbers are selected with masks here instead. */
#include "numpy_engine.h"

typedef struct wide {
    uint64_t half[2];
} wide;

/* z = condition ? x : y; x and y have step 1 or 0, and may be z. A condition is 0 or 1. */
#define SELECT(name, type)                                                                                                          \
    static void name(const uint8_t *condition, const void *x_, int64_t x_step, const void *y_, int64_t y_step, void *z_, int64_t n) \
    {                                                                                                                               \
        const type *x = x_, *y = y_;                                                                                                \
        type *z = z_;                                                                                                               \
        for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) z[i] = (type)(*y ^ ((*x ^ *y) & (type)(0 - (type)condition[i]))); \
    }
SELECT(select_1, uint8_t)
SELECT(select_2, uint16_t)
SELECT(select_4, uint32_t)
SELECT(select_8, uint64_t)

static void select_16(const uint8_t *condition, const void *x_, int64_t x_step, const void *y_, int64_t y_step, void *z_, int64_t n)
{
    const wide *x = x_, *y = y_;
    wide *z = z_;
    for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) z[i] = condition[i] ? *x : *y;
}

/* Is an input row-major with the result's shape, or a single number? */
static int is_plain(const vn_kernel_call *call, int k)
{
    const int wanted = VN_ND_CONTIGUOUS | VN_ND_ALIGNED;
    const int64_t count = np_desc_in(call, k)->count;
    return (vn_nd(np_array_in(call, k))->flags & wanted) == wanted && (count == np_desc_out(call)->count || (k > 0 && count == 1));
}

static void select_into(const vn_kernel_call *call, PyObject *result)
{
    const int64_t n = np_desc_out(call)->count, x_step = np_desc_in(call, 1)->count == n, y_step = np_desc_in(call, 2)->count == n;
    const void *x = vn_nd(np_array_in(call, 1))->data, *y = vn_nd(np_array_in(call, 2))->data;
    const uint8_t *condition = (const uint8_t *)vn_nd(np_array_in(call, 0))->data;
    void *z = vn_nd(result)->data;
    switch (np_item_bytes(np_desc_out(call)->dtype)) {
    case 1: select_1(condition, x, x_step, y, y_step, z, n); break;
    case 2: select_2(condition, x, x_step, y, y_step, z, n); break;
    case 4: select_4(condition, x, x_step, y, y_step, z, n); break;
    case 8: select_8(condition, x, x_step, y, y_step, z, n); break;
    default: select_16(condition, x, x_step, y, y_step, z, n);
    }
}

int np_where(const vn_kernel_call *call, PyObject *function, PyObject **out)
{
    if (is_plain(call, 0) && is_plain(call, 1) && is_plain(call, 2)) {
        if (!(out[0] = np_place(call))) return -1;
        void *others = np_long_begin(call);
        select_into(call, out[0]);
        np_long_end(others);
        return 0;
    }
    /* NumPy allocates the result: x and y have its dtype, and broadcast to its shape */
    PyObject *args[3] = {np_array_in(call, 0), np_array_in(call, 1), np_array_in(call, 2)};
    out[0] = py.PyObject_Vectorcall(function, args, 3, NULL);
    return out[0] ? 0 : -1;
}
