/* activation.h: activations, written as the functions of math.h are. */
#ifndef VN_NATIVE_ACTIVATION_H
#define VN_NATIVE_ACTIVATION_H

#include "special.h"

#define ACTIVATIONS(tag, T)                                                             \
    VN_INLINE T softplus_##tag(T x)                                                     \
    {                                                                                   \
        return (x > 0 ? x : 0) + log1p_##tag(exp_##tag(-abs_##tag(x)));                 \
    }                                                                                   \
    /* x times the share, erfc(-x / sqrt(2)) / 2 or (1 + tanh(u)) / 2 = sigmoid(2 u) */ \
    VN_INLINE T gelu_##tag(T x)                                                         \
    {                                                                                   \
        return x * (T).5 * erfc_##tag(x * (T)-0.70710678118654752440);                  \
    }                                                                                   \
    VN_INLINE T gelu_tanh_##tag(T x)                                                    \
    {                                                                                   \
        const T u = x * (x * x * (T).044715 + 1);                                       \
        return x * sigmoid_##tag(u * (T)1.5957691216057307117);                         \
    }
ACTIVATIONS(f32, float)
ACTIVATIONS(f64, double)

#endif
