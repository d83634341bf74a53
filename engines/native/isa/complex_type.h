/* SPDX-License-Identifier: Apache-2.0 */
/* complex_type.h: the loops of complex.def for one type. Included by complex_steps.h once per type, with C, R (the type of its parts), TAG,
 * PARTS (that of R) and F set. */

#define LOOP(name, tag, shape, X, Z, x_at, y_at, expression) \
    static HEAT void PASTE(name, tag, shape)(VN_STEP_ARGS)   \
    {                                                        \
        Z *z = d;                                            \
        const X *xs = a, *ys = b;                            \
        (void)aux, (void)start, (void)ys;                    \
        VN_INDEPENDENT                                       \
        for (int64_t i = 0; i < n; i++) {                    \
            const X x = xs[x_at], y = ys[y_at];              \
            (void)y;                                         \
            z[i] = expression;                               \
        }                                                    \
    }
#define LOOPS(name, tag, X, Z, expression)      \
    LOOP(name, tag, vv, X, Z, i, i, expression) \
    LOOP(name, tag, vs, X, Z, i, 0, expression) \
    LOOP(name, tag, sv, X, Z, 0, i, expression)

#define UNARY(name, expression) LOOP(name, TAG, vv, C, C, i, 0, expression)
#define PART(name, expression) LOOP(name, TAG, vv, C, R, i, 0, expression)
#define TEST(name, expression) LOOP(name, TAG, vv, C, uint8_t, i, 0, (uint8_t)(expression))
#define BINARY(name, expression) LOOPS(name, TAG, C, C, expression)
#define COMPARE(name, expression) LOOPS(name, TAG, C, uint8_t, (uint8_t)(expression))
#define JOIN(name, expression) LOOPS(name, PARTS, R, C, expression)
#include "complex.def"
#undef LOOP
#undef LOOPS
#undef C
#undef R
#undef TAG
#undef PARTS
#undef F
