/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.h: dtype promotion, and reading and writing single elements (dtype.c). */
#ifndef VN_CORE_DTYPE_H
#define VN_CORE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/types.h>

static inline bool vn__is_dtype(int64_t number)
{
    return number > VN_NO_DTYPE && number < VN_DTYPE_END;
}
extern const uint8_t vn__dtype_bytes[VN_DTYPE_END];   /* of one element */
int vn__refuse_dtype(const char *who, int64_t dtype); /* the error for a number that is none */

static inline bool vn__is(int dtype, uint32_t set)
{
    return (VN_BIT(dtype) & set) != 0;
}

/* A number that takes the dtype of the arrays it meets. Its own dtype tells what it is: VN_F32 a real number (re), VN_I64 or VN_U64 an
 * integer (i), VN_C64 a complex number (re, im). */
typedef struct vn__num {
    int dtype;
    int64_t i;
    double re, im;
} vn__num;
static inline vn__num vn__real_num(double v)
{
    return (vn__num){.dtype = VN_F32, .re = v};
}

int vn__promote(int a, int b); /* VN_NO_DTYPE if they have none in common */
/* The common dtype of arrays (strong, VN_NO_DTYPE: none) and numbers, of which the set of dtypes is given. */
int vn__promote_weak(int strong, uint32_t weak);
double vn__get_double(const void *data, int64_t i, int dtype);
int64_t vn__get_int(const void *data, int64_t i, int dtype);
void vn__put_double(void *data, int64_t i, int dtype, double v);                   /* converted as by cast; the imaginary part becomes 0 */
void vn__put_exact(void *data, int64_t i, int dtype, const vn__num *v);            /* an integer or complex number */
static inline void vn__put_num(void *data, int64_t i, int dtype, const vn__num *v) /* one that fits, rounded once */
{
    if (v->dtype == VN_F32) vn__put_double(data, i, dtype, v->re);
    else vn__put_exact(data, i, dtype, v);
}
int vn__part_dtype(int dtype);                                         /* the dtype of a complex number's parts; other dtypes unchanged */
double vn__get_part(const void *data, int64_t i, int dtype, int part); /* the real (0) or imaginary (1) part */
size_t vn__not_bool(const unsigned char *data, size_t n); /* position of the first byte that is neither 0 nor 1; n: there is none */
bool vn__fits(double v, int dtype);                       /* can the dtype hold the number? Float dtypes accept all */
bool vn__num_fits(const vn__num *v, int dtype);
int vn__refuse_num(const char *who, const vn__num *v, int dtype, const char *engine);
static inline int vn__check_num(const char *who, const vn__num *v, int dtype, const char *engine) /* the same; sets VN_E_DTYPE if not */
{
    return v->dtype == VN_F32 && vn__is(dtype, VN_INEXACT) ? VN_OK : vn__refuse_num(who, v, dtype, engine);
}

#endif
