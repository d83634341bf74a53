/* SPDX-License-Identifier: Apache-2.0 */
/* array.c: moves a trial's numbers, held as doubles, to the engine and back. */
#include "suite.h"

int64_t shape_size(vn_shape s)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return n;
}

vn_array *number_array(double *x, vn_shape s, vn_dtype dtype)
{
    int64_t n = shape_size(s);
    void *data = malloc((size_t)(n ? n : 1) * sizeof(double));
    if (!data) return NULL;
    for (int64_t i = 0; i < n; i++) {
        x[i] = number_round(x[i], dtype);
        number_put(data, i, (int)dtype, x[i]);
    }
    vn_array *a = vn_from_host(data, dtype, s);
    free(data);
    return a;
}

bool number_read(vn_array *x, double *to, int64_t room)
{
    if (!x || vn_size(x) > room || VN_BIT(vn_dtype_of(x)) & VN_COMPLEX) return false;
    int64_t n = vn_size(x);
    size_t bytes = (size_t)n * vn_dtype_size(vn_dtype_of(x));
    void *data = malloc(bytes ? bytes : 1);
    bool fine = data && vn_read(x, data, bytes) == VN_OK;
    for (int64_t i = 0; fine && i < n; i++) to[i] = number_get(data, i, (int)vn_dtype_of(x));
    free(data);
    return fine;
}
