/* dtype.h: dtype promotion, and reading and writing single elements (dtype.c). */
#ifndef VN_CORE_DTYPE_H
#define VN_CORE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/types.h>

int vn__promote(int a, int b); /* -1 if there is no common dtype */
double vn__get_double(const void *data, int64_t i, int dtype);
int64_t vn__get_int(const void *data, int64_t i, int dtype);
void vn__put_double(void *data, int64_t i, int dtype, double v);       /* converted as by cast; the imaginary part becomes 0 */
int vn__part_dtype(int dtype);                                         /* the dtype of a complex number's parts; other dtypes unchanged */
double vn__get_part(const void *data, int64_t i, int dtype, int part); /* the real (0) or imaginary (1) part */
bool vn__fits(double v, int dtype);                                    /* can the dtype hold the number? Float dtypes accept all */
int vn__check_number(const char *who, double v, int dtype, const char *engine); /* the same; sets VN_E_DTYPE if not */
static inline bool vn__is(int dtype, uint32_t set)
{
    return (VN_BIT(dtype) & set) != 0;
}

#endif
