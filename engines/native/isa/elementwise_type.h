/* elementwise_type.h: the loops of ops.def for one type. Included by elementwise.c once per type, with T, W, TAG and INTEGER set. */

#define UNARY_LOOP(name, expression)                                                                                   \
    static void PASTE(name, TAG, vv)(VN_STEP_ARGS)                                                                     \
    {                                                                                                                  \
        T *z = d;                                                                                                      \
        const T *xs = a;                                                                                               \
        VN_STEP_UNUSED;                                                                                                \
        VN_INDEPENDENT                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T x = xs[i];                                                                                         \
            z[i] = expression;                                                                                         \
        }                                                                                                              \
    }
#define BINARY_LOOP(name, shape, x_at, y_at, expression)                                                               \
    static void PASTE(name, TAG, shape)(VN_STEP_ARGS)                                                                  \
    {                                                                                                                  \
        T *z = d;                                                                                                      \
        const T *xs = a, *ys = b;                                                                                      \
        const T x0 = *xs, y0 = *ys;                                                                                    \
        (void)x0, (void)y0, (void)aux, (void)start;                                                                    \
        VN_INDEPENDENT                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T x = x_at, y = y_at;                                                                                \
            z[i] = expression;                                                                                         \
        }                                                                                                              \
    }
#define BINARY_LOOPS(name, expression)                                                                                 \
    BINARY_LOOP(name, vv, xs[i], ys[i], expression)                                                                    \
    BINARY_LOOP(name, vs, xs[i], y0, expression)                                                                       \
    BINARY_LOOP(name, sv, x0, ys[i], expression)

#if INTEGER
#define UNARY(name, ints, floats) UNARY_LOOP(name, ints)
#define UNARY_FLOAT(name, floats)
#define BINARY(name, ints, floats) BINARY_LOOPS(name, ints)
#define BINARY_FLOAT(name, floats)
#else
#define UNARY(name, ints, floats) UNARY_LOOP(name, floats)
#define UNARY_FLOAT(name, floats) UNARY_LOOP(name, floats)
#define BINARY(name, ints, floats) BINARY_LOOPS(name, floats)
#define BINARY_FLOAT(name, floats) BINARY_LOOPS(name, floats)
#endif
#include "../ops.def"
#undef UNARY
#undef UNARY_FLOAT
#undef BINARY
#undef BINARY_FLOAT
#undef UNARY_LOOP
#undef BINARY_LOOP
#undef BINARY_LOOPS
#undef T
#undef W
#undef TAG
