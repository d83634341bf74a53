/* dtype.h: dtypes: promotion, and numbers of every dtype read and written one by one (dtype.c). */
#ifndef VN_CORE_DTYPE_H
#define VN_CORE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <vinea/types.h>

int vn__promote(int a, int b); /* -1 where the dtypes have no common one */
double vn__get_double(const void *data, int64_t i, int dtype);
int64_t vn__get_int(const void *data, int64_t i, int dtype);
void vn__put_double(void *data, int64_t i, int dtype, double v);       /* as a cast has it; an imaginary part becomes 0 */
int vn__part_dtype(int dtype);                                         /* of the parts of a complex number; any other dtype itself */
double vn__get_part(const void *data, int64_t i, int dtype, int part); /* the real (0) or imaginary (1) part, which may be 0 */
bool vn__fits(double v, int dtype);                                    /* is the number one of the dtype's? Floats take every one */
int vn__check_number(const char *who, double v, int dtype, const char *engine); /* the same; sets VN_E_DTYPE where it is not */
static inline bool vn__is(int dtype, uint32_t set)
{
    return (VN_BIT(dtype) & set) != 0;
}

#endif
