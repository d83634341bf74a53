/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise_type.h: the loops of ops.def for one type. Included by elementwise.c once per type, with T, W, TAG, TYPE (how rare it is), M, INTEGER and HALF set.
 */

/* The head of every loop. */
#define LOOP_OPERANDS           \
    const T *xs = a, *ys = b;   \
    const T x0 = *xs, y0 = *ys; \
    (void)x0, (void)y0, (void)aux, (void)start

#define UNARY_LOOP(name, Z, expression)                      \
    static HEAT TYPE void PASTE(name, TAG, vv)(VN_STEP_ARGS) \
    {                                                        \
        Z *z = d;                                            \
        const T *xs = a;                                     \
        VN_STEP_UNUSED;                                      \
        VN_INDEPENDENT                                       \
        for (int64_t i = 0; i < n; i++) {                    \
            const T x = xs[i];                               \
            z[i] = (Z)(expression);                          \
        }                                                    \
    }
#define ORDER_LOOP(name, expression)                         \
    static HEAT TYPE void PASTE(name, TAG, vv)(VN_STEP_ARGS) \
    {                                                        \
        T *z = d;                                            \
        const T *xs = a;                                     \
        const int64_t order = *(const int64_t *)aux;         \
        (void)b, (void)start;                                \
        VN_INDEPENDENT                                       \
        for (int64_t i = 0; i < n; i++) {                    \
            const T x = xs[i];                               \
            z[i] = expression;                               \
        }                                                    \
    }
#define FLAG_LOOP(name, expression, flagged)                 \
    static HEAT TYPE void PASTE(name, TAG, vv)(VN_STEP_ARGS) \
    {                                                        \
        T *z = d;                                            \
        const T *xs = a;                                     \
        (void)b, (void)start;                                \
        if (*(const int64_t *)aux) {                         \
            VN_INDEPENDENT                                   \
            for (int64_t i = 0; i < n; i++) {                \
                const T x = xs[i];                           \
                z[i] = flagged;                              \
            }                                                \
            return;                                          \
        }                                                    \
        VN_INDEPENDENT                                       \
        for (int64_t i = 0; i < n; i++) {                    \
            const T x = xs[i];                               \
            z[i] = expression;                               \
        }                                                    \
    }
#define RARE_LOOP(name, rare, usual, any)                    \
    static HEAT TYPE void PASTE(name, TAG, vv)(VN_STEP_ARGS) \
    {                                                        \
        T *z = d;                                            \
        const T *xs = a;                                     \
        int some = 0;                                        \
        VN_STEP_UNUSED;                                      \
        for (int64_t i = 0; i < n; i++) {                    \
            const T x = xs[i];                               \
            some |= rare;                                    \
        }                                                    \
        if (some)                                            \
            for (int64_t i = 0; i < n; i++) {                \
                const T x = xs[i];                           \
                z[i] = any;                                  \
            }                                                \
        else VN_INDEPENDENT                                  \
        for (int64_t i = 0; i < n; i++) {                    \
            const T x = xs[i];                               \
            z[i] = usual;                                    \
        }                                                    \
    }
/* Rows that are seldom hot have one loop for all shapes. */
#define BINARY_LOOP(name, shape, Z, x_at, y_at, x_step, y_step, expression) \
    static HEAT TYPE void PASTE(name, TAG, shape)(VN_STEP_ARGS)             \
    {                                                                       \
        Z *z = d;                                                           \
        LOOP_OPERANDS;                                                      \
        if (ONE_LOOP) {                                                     \
            PASTE(name, TAG, steps)(z, xs, x_step, ys, y_step, n);          \
            return;                                                         \
        }                                                                   \
        VN_INDEPENDENT                                                      \
        for (int64_t i = 0; i < n; i++) {                                   \
            const T x = x_at, y = y_at;                                     \
            z[i] = (Z)(expression);                                         \
        }                                                                   \
    }
#define STEPS_LOOP(name, Z, expression)                                                                                       \
    static HEAT TYPE void PASTE(name, TAG, steps)(Z * z, const T *xs, int64_t x_step, const T *ys, int64_t y_step, int64_t n) \
    {                                                                                                                         \
        for (int64_t i = 0; i < n; i++, xs += x_step, ys += y_step) {                                                         \
            const T x = *xs, y = *ys;                                                                                         \
            z[i] = (Z)(expression);                                                                                           \
        }                                                                                                                     \
    }
#define BINARY_LOOPS(name, Z, expression)                    \
    STEPS_LOOP(name, Z, expression)                          \
    BINARY_LOOP(name, vv, Z, xs[i], ys[i], 1, 1, expression) \
    BINARY_LOOP(name, vs, Z, xs[i], y0, 1, 0, expression)    \
    BINARY_LOOP(name, sv, Z, x0, ys[i], 0, 1, expression)

#if HALF /* a number in half precision is widened to an array: no loop meets it alone */
#if VN_NARROW
#define BINARY_EACH(name, floats) STEPS_LOOP(name, T, floats) BINARY_LOOP(name, vv, T, xs[i], ys[i], 1, 1, floats)
#endif
#elif INTEGER
#define COMPARE(name, expression) BINARY_LOOPS(name, uint8_t, expression)
#define BITS(name, ints) BINARY_LOOPS(name, T, ints)
#define UNARY(name, ints, floats) UNARY_LOOP(name, T, ints)
#define BINARY(name, ints, floats) BINARY_LOOPS(name, T, ints)
#define TEST(name, ints, floats) UNARY_LOOP(name, uint8_t, ints)
#else
#define COMPARE(name, expression) BINARY_LOOPS(name, uint8_t, expression)
#define UNARY(name, ints, floats) UNARY_LOOP(name, T, floats)
#define UNARY_FLOAT(name, floats) UNARY_LOOP(name, T, floats)
#define UNARY_RARE(name, rare, usual, any) RARE_LOOP(name, rare, usual, any)
#define UNARY_FLAG(name, floats, flagged) FLAG_LOOP(name, floats, flagged)
#if VN_NARROW
#define UNARY_ORDER(name, floats) ORDER_LOOP(name, floats)
#endif
#define BINARY(name, ints, floats) BINARY_LOOPS(name, T, floats)
#define BINARY_FLOAT(name, floats) BINARY_LOOPS(name, T, floats)
#if VN_NARROW
#define BINARY_EACH(name, floats) BINARY_LOOPS(name, T, floats)
#endif
#define TEST(name, ints, floats) UNARY_LOOP(name, uint8_t, floats)
#endif
#include "../ops.def"
#undef LOOP_OPERANDS
#undef UNARY_LOOP
#undef RARE_LOOP
#undef ORDER_LOOP
#undef FLAG_LOOP
#undef BINARY_LOOP
#undef BINARY_LOOPS
#undef STEPS_LOOP
#undef T
#undef W
#undef TAG
#undef TYPE
#undef M
