/* elementwise.c: the loops of the elementwise ops, from ops.def, for every type they are computed in. One step of a fused kernel
 * is one call of such a loop on a block that stays in the first-level cache. */
#include "level.h"
#include "math.h"

#define PASTE3(a, b, c) a##_##b##_##c
#define PASTE(a, b, c) PASTE3(a, b, c)
/* Integers */
#define INTEGER 1
#define T int8_t
#define W uint32_t
#define TAG i8
#include "elementwise_type.h"
#define T int16_t
#define W uint32_t
#define TAG i16
#include "elementwise_type.h"
#define T int32_t
#define W uint32_t
#define TAG i32
#include "elementwise_type.h"
#define T int64_t
#define W uint64_t
#define TAG i64
#include "elementwise_type.h"
#define T uint8_t
#define W uint32_t
#define TAG u8
#include "elementwise_type.h"
#define T uint16_t
#define W uint32_t
#define TAG u16
#include "elementwise_type.h"
#define T uint32_t
#define W uint32_t
#define TAG u32
#include "elementwise_type.h"
#define T uint64_t
#define W uint64_t
#define TAG u64
#include "elementwise_type.h"
#undef INTEGER

/* Floats; halves are rounded by a step of their own. */
#define INTEGER 0
#define T float
#define W float
#define TAG f32
#define M(f) f##_f32
#include "elementwise_type.h"
#undef M
#define T double
#define W double
#define TAG f64
#define M(f) f##_f64
#include "elementwise_type.h"
#undef M

#define FLOAT_ENTRIES1(name)                                                                                           \
    [VN_F16] = {name##_f32_vv}, [VN_BF16] = {name##_f32_vv}, [VN_F32] = {name##_f32_vv}, [VN_F64] = {name##_f64_vv}
#define INT_ENTRIES1(name)                                                                                             \
    [VN_I8] = {name##_i8_vv}, [VN_I16] = {name##_i16_vv}, [VN_I32] = {name##_i32_vv}, [VN_I64] = {name##_i64_vv},      \
    [VN_U8] = {name##_u8_vv}, [VN_U16] = {name##_u16_vv}, [VN_U32] = {name##_u32_vv}, [VN_U64] = {name##_u64_vv}
#define SHAPES(name, tag) {name##_##tag##_vv, name##_##tag##_vs, name##_##tag##_sv}
#define FLOAT_ENTRIES2(name)                                                                                           \
    [VN_F16] = SHAPES(name, f32), [VN_BF16] = SHAPES(name, f32), [VN_F32] = SHAPES(name, f32), [VN_F64] = SHAPES(name, f64)
#define INT_ENTRIES2(name)                                                                                             \
    [VN_I8] = SHAPES(name, i8), [VN_I16] = SHAPES(name, i16), [VN_I32] = SHAPES(name, i32), [VN_I64] = SHAPES(name, i64), \
    [VN_U8] = SHAPES(name, u8), [VN_U16] = SHAPES(name, u16), [VN_U32] = SHAPES(name, u32), [VN_U64] = SHAPES(name, u64)

const vn__elementwise_table VN_TABLE(elementwise) = {
    .op = {
#define UNARY(name, ints, floats) [VN_EW_##name] = {INT_ENTRIES1(name), FLOAT_ENTRIES1(name)},
#define UNARY_FLOAT(name, floats) [VN_EW_##name] = {FLOAT_ENTRIES1(name)},
#define BINARY(name, ints, floats) [VN_EW_##name] = {INT_ENTRIES2(name), FLOAT_ENTRIES2(name)},
#define BINARY_FLOAT(name, floats) [VN_EW_##name] = {FLOAT_ENTRIES2(name)},
#include "../ops.def"
    },
};
