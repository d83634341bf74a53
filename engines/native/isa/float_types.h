/* SPDX-License-Identifier: Apache-2.0 */
/* float_types.h: includes BODY, a header with loops, for float and for double. T is the type, V a vector of it, TAG the suffix of its
 * names, NAME(f) a name with that suffix, M(f) a function of math.h, INFINITE and MULTIPLY_ADD those of the type. */
#define NAME_(a, b) a##_##b
#define NAME2(a, b) NAME_(a, b)
#define NAME(a) NAME2(a, TAG)

#define T float
#define V vec_f32
#define TAG f32
#define M(f) f##_f32
#define INFINITE __builtin_inff()
#define MULTIPLY_ADD MULTIPLY_ADD_f32
#include BODY
#undef T
#undef V
#undef TAG
#undef M
#undef INFINITE
#undef MULTIPLY_ADD

#define T double
#define V vec_f64
#define TAG f64
#define M(f) f##_f64
#define INFINITE __builtin_inf()
#define MULTIPLY_ADD MULTIPLY_ADD_f64
#include BODY
#undef T
#undef V
#undef TAG
#undef M
#undef INFINITE
#undef MULTIPLY_ADD

#undef NAME
#undef NAME2
#undef NAME_
#undef BODY
