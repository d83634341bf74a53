/* SPDX-License-Identifier: Apache-2.0 */
/* elementwise.c: the loops of the elementwise ops, from ops.def, for every type they are computed in. One step of a fused kernel
 * is one call of such a loop on a block that stays in the first-level cache. */
/* many short loops */
#include "level.h"
#include "activation.h"
#include "arithmetic.h"
#include "bessel.h"
#include "bits.h"

#define PASTE3(a, b, c) a##_##b##_##c
#define PASTE(a, b, c) PASTE3(a, b, c)
/* Integers */
#define INTEGER 1
#define HALF 0
#if VN_ALL_TYPES
#define T int8_t
#define W uint32_t
#define TAG i8
#define TYPE RARE_TYPE
#define M(f) f##_i8
#include "elementwise_type.h"
#define T int16_t
#define W uint32_t
#define TAG i16
#define TYPE RARE_TYPE
#define M(f) f##_i16
#include "elementwise_type.h"
#endif
#define T int32_t
#define W uint32_t
#define TAG i32
#define TYPE
#define M(f) f##_i32
#include "elementwise_type.h"
#define T int64_t
#define W uint64_t
#define TAG i64
#define TYPE
#define M(f) f##_i64
#include "elementwise_type.h"
#if VN_ALL_TYPES
#define T uint8_t
#define W uint32_t
#define TAG u8
#define TYPE
#define M(f) f##_u8
#include "elementwise_type.h"
#define T uint16_t
#define W uint32_t
#define TAG u16
#define TYPE RARE_TYPE
#define M(f) f##_u16
#include "elementwise_type.h"
#define T uint32_t
#define W uint32_t
#define TAG u32
#define TYPE RARE_TYPE
#define M(f) f##_u32
#include "elementwise_type.h"
#define T uint64_t
#define W uint64_t
#define TAG u64
#define TYPE RARE_TYPE
#define M(f) f##_u64
#include "elementwise_type.h"
#endif
#undef INTEGER

/* Floats; half precision is rounded by a separate step. */
#define INTEGER 0
#define T float
#define W float
#define TAG f32
#define TYPE
#define M(f) f##_f32
#include "elementwise_type.h"
#define T double
#define W double
#define TAG f64
#define TYPE
#define M(f) f##_f64
#include "elementwise_type.h"

/* Half precision with separate functions, in floats. */
#undef HALF
#define HALF 1
#define T float
#define W float
#define TAG f16
#define TYPE
#define M(f) f##_f16
#include "elementwise_type.h"
#define T float
#define W float
#define TAG bf16
#define TYPE
#define M(f) f##_bf16
#include "elementwise_type.h"

#if VN_ALL_TYPES
#include "complex_steps.h"
#endif

/* Selection moves elements by size, half precision as the floats it is computed in. The condition comes first,
 * the third operand last. */
#define SELECT_LOOP(name, bytes, T, shape, x_at, y_at, expression) \
    static void name##_##bytes##_##shape(VN_STEP_ARGS)             \
    {                                                              \
        T *z = d;                                                  \
        const uint8_t *cs = a;                                     \
        const T *xs = b, *ys = aux;                                \
        const T x0 = *xs, y0 = *ys;                                \
        (void)x0, (void)y0, (void)start;                           \
        VN_INDEPENDENT                                             \
        for (int64_t i = 0; i < n; i++) {                          \
            const uint8_t c = cs[i];                               \
            const T x = x_at, y = y_at;                            \
            z[i] = expression;                                     \
        }                                                          \
    }
#define SELECT_LOOPS(name, bytes, T, expression)              \
    SELECT_LOOP(name, bytes, T, vv, xs[i], ys[i], expression) \
    SELECT_LOOP(name, bytes, T, vs, xs[i], y0, expression)    \
    SELECT_LOOP(name, bytes, T, sv, x0, ys[i], expression)
#define SELECT(name, expression)                \
    SELECT_LOOPS(name, 1, uint8_t, expression)  \
    SELECT_LOOPS(name, 2, uint16_t, expression) \
    SELECT_LOOPS(name, 4, uint32_t, expression) \
    SELECT_LOOPS(name, 8, uint64_t, expression) \
    SELECT_LOOPS(name, 16, vn__c128, expression)
#include "../ops.def"

#define ONE(name, tag)    \
    {                     \
        name##_##tag##_vv \
    }
#define SHAPES(name, tag)                                       \
    {                                                           \
        name##_##tag##_vv, name##_##tag##_vs, name##_##tag##_sv \
    }
#define FLOAT_ENTRIES(F, name) [VN_F16] = F(name, f32), [VN_BF16] = F(name, f32), [VN_F32] = F(name, f32), [VN_F64] = F(name, f64)
#define EACH_ENTRIES(name) \
    [VN_F16] = ONE(name, f16), [VN_BF16] = ONE(name, bf16), [VN_F32] = SHAPES(name, f32), [VN_F64] = SHAPES(name, f64)
#if VN_ALL_TYPES
#define INT_ENTRIES(F, name)                                                                                                 \
    [VN_I8] = F(name, i8), [VN_I16] = F(name, i16), [VN_I32] = F(name, i32), [VN_I64] = F(name, i64), [VN_U8] = F(name, u8), \
    [VN_U16] = F(name, u16), [VN_U32] = F(name, u32), [VN_U64] = F(name, u64)
#define BOOL_ENTRY(F, name) [VN_BOOL] = F(name, u8),
#else
#define INT_ENTRIES(F, name) [VN_I32] = F(name, i32), [VN_I64] = F(name, i64)
#define BOOL_ENTRY(F, name)
#endif
#define SIZE_ENTRIES(F, name)                                                                                          \
    [VN_BOOL] = F(name, 1), [VN_I8] = F(name, 1), [VN_I16] = F(name, 2), [VN_I32] = F(name, 4), [VN_I64] = F(name, 8), \
    [VN_U8] = F(name, 1), [VN_U16] = F(name, 2), [VN_U32] = F(name, 4), [VN_U64] = F(name, 8), [VN_F16] = F(name, 4),  \
    [VN_BF16] = F(name, 4), [VN_F32] = F(name, 4), [VN_F64] = F(name, 8), [VN_C64] = F(name, 8), [VN_C128] = F(name, 16)

const vn__elementwise_table VN_TABLE(elementwise) = {
    .op =
        {
#define UNARY(name, ints, floats) [VN_EW_##name] = {INT_ENTRIES(ONE, name), FLOAT_ENTRIES(ONE, name)},
#define UNARY_FLOAT(name, floats) [VN_EW_##name] = {FLOAT_ENTRIES(ONE, name)},
#define UNARY_RARE(name, rare, usual, any) [VN_EW_##name] = {FLOAT_ENTRIES(ONE, name)},
#define UNARY_FLAG(name, floats, flagged) [VN_EW_##name] = {FLOAT_ENTRIES(ONE, name)},
#if VN_NARROW
#define UNARY_ORDER(name, floats) [VN_EW_##name] = {FLOAT_ENTRIES(ONE, name)},
#define BINARY_EACH(name, floats) [VN_EW_##name] = {EACH_ENTRIES(name)},
#endif
#define BINARY(name, ints, floats) [VN_EW_##name] = {INT_ENTRIES(SHAPES, name), FLOAT_ENTRIES(SHAPES, name)},
#define BINARY_FLOAT(name, floats) [VN_EW_##name] = {FLOAT_ENTRIES(SHAPES, name)},
#define BITS(name, ints) [VN_EW_##name] = {BOOL_ENTRY(SHAPES, name) INT_ENTRIES(SHAPES, name)},
#define TEST(name, ints, floats) [VN_EW_##name] = {INT_ENTRIES(ONE, name), FLOAT_ENTRIES(ONE, name)},
#define COMPARE(name, expression) [VN_EW_##name] = {BOOL_ENTRY(SHAPES, name) INT_ENTRIES(SHAPES, name), FLOAT_ENTRIES(SHAPES, name)},
#define SELECT(name, expression) [VN_EW_##name] = {SIZE_ENTRIES(SHAPES, name)},
#include "../ops.def"
#if VN_ALL_TYPES
#define UNARY(name, expression) [VN_EW_##name][VN_C64] = ONE(name, c64), [VN_EW_##name][VN_C128] = ONE(name, c128),
#define PART(name, expression) UNARY(name, expression)
#define TEST(name, expression) UNARY(name, expression)
#define BINARY(name, expression) [VN_EW_##name][VN_C64] = SHAPES(name, c64), [VN_EW_##name][VN_C128] = SHAPES(name, c128),
#define COMPARE(name, expression) BINARY(name, expression)
#define JOIN(name, expression) [VN_EW_##name][VN_F32] = SHAPES(name, f32), [VN_EW_##name][VN_F64] = SHAPES(name, f64),
#include "complex.def"
#endif
        },
};
