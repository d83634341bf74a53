/* SPDX-License-Identifier: Apache-2.0 */
/* adam.c: the loop of Adam's step, used by ../adam.c. Every operation is rounded separately, in the order of the composition in
 * src/ops/optimize.c, so that both give the same bits. */
#include "level.h"

#define ADAM(T, TAG, ROOT)                                                                                             \
    static void adam_##TAG(void *const to[3], const void *const from[4], int64_t n, const void *by, const void *times, \
                           const vn__adam_step *step)                                                                  \
    {                                                                                                                  \
        T *w_new = to[0], *m_new = to[1], *v_new = to[2];                                                              \
        const T *ws = from[0], *gs = from[1], *ms = from[2], *vs = from[3];                                            \
        const T rate = *(const T *)by, scale = *(const T *)times, epsilon = (T)step->epsilon;                          \
        const T beta1 = (T)step->beta1, rest1 = (T)(1 - step->beta1);                                                  \
        const T beta2 = (T)step->beta2, rest2 = (T)(1 - step->beta2);                                                  \
        VN_INDEPENDENT                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T w = ws[i], g = gs[i], m = ms[i] * beta1 + g * rest1, v = vs[i] * beta2 + g * g * rest2;            \
            const T above = ((v > 0) | (v != v)) ? v : 0;                                                              \
            w_new[i] = w - m * rate / (ROOT(above) * scale + epsilon);                                                 \
            m_new[i] = m;                                                                                              \
            v_new[i] = v;                                                                                              \
        }                                                                                                              \
    }
ADAM(float, f32, __builtin_sqrtf)
ADAM(double, f64, __builtin_sqrt)

const vn__adam_table VN_TABLE(adam) = {adam_f32, adam_f64};
