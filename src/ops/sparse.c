/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c: sparse arrays as indices and values (table/sparse.def). Indices are (n, axes); a row with one out of range names no element. */
#include "ops/index.h"

/* Input k is (n, axes) indices; axes below 0: any. */
static int take_indices(vn__infer *i, int k, int axes)
{
    const vn__node *at = i->in[k];
    char s[128];
    if (at->rank == 2 && (axes < 0 || vn__node_dims(at)[1] == axes)) return VN_OK;
    if (axes < 0) FAIL(VN_E_SHAPE, "indices have shape %s, (n, axes) is needed (%s)", shape_text(at, s), i->engine);
    FAIL(VN_E_SHAPE, "indices have shape %s, (n, %d) is needed (%s)", shape_text(at, s), axes, i->engine);
}

/* Positions (n) in a flat array of these dims, and -1 where an index is out of range. */
static vn_array *flat_positions(vn_array *at, int rank, const int64_t *dims)
{
    vn_array *flat = vn__filled(at, 0, VN_SHAPE(vn_dim(at, 0))), *good = NULL;
    at = vn__index_of(at);
    for (int a = 0; a < rank && at; a++) {
        vn_array *k = vn_reshape(vn__piece(at, 1, a, 1), VN_SHAPE(vn_dim(at, 0))), *n = vn__filled(at, dims[a], VN_0D);
        vn_array *here = vn_logical_and(vn_greater_equal(k, vn_scalar(0)), vn_less(k, n));
        good = good ? vn_logical_and(good, here) : here;
        flat = vn_add(vn_mul(flat, n), k);
    }
    return good ? vn_where(good, flat, vn_scalar(-1)) : flat;
}

/* ---- from dense and back ---- */

int dtype_coo_indices(vn__infer *i)
{
    i->dtype = VN_I64;
    return vn__rule_accept(i, i->in[0]->dtype);
}

/* A count of -1 is known when the composition has counted. */
int shape_coo_indices(vn__infer *i)
{
    const int64_t count = i->options->v[OPT_COO_INDICES_COUNT].u.i, dims[] = {count < 0 ? 0 : count, i->in[0]->rank};
    if (!i->in[0]->rank) FAIL(VN_E_SHAPE, "x is 0-d, an axis is needed (%s)", i->engine);
    vn__rule_result(i, 2, dims);
    return VN_OK;
}

vn_array *compose_coo_indices(vn_array *const *in, const vn__infer *i)
{
    int64_t count = i->options->v[OPT_COO_INDICES_COUNT].u.i;
    if (count < 0) {
        vn_array *n = vn_count_nonzero(in[0], VN_ALL);
        if (!n || vn_read(n, &count, sizeof count)) return NULL;
    }
    return vn_nonzero_sized(in[0], count, -1);
}

int dtype_coo_values(vn__infer *i)
{
    i->dtype = i->in[0]->dtype;
    return vn__rule_index(i, 1);
}

int shape_coo_values(vn__infer *i)
{
    const int code = take_indices(i, 1, i->in[0]->rank);
    if (!code) vn__rule_result(i, 1, vn__node_dims(i->in[1]));
    return code;
}

vn_array *compose_coo_values(vn_array *const *in, const vn__infer *i)
{
    const vn_shape s = vn_shape_of(in[0]);
    vn_array *at = flat_positions(in[1], s.rank, s.dim), *flat = vn__flat(in[0]);
    if (!at || !flat) return NULL;
    if (!vn_size(flat)) return vn_zeros(vn_shape_of(at), (vn_dtype)i->dtype);
    vn_array *found = vn_take(flat, vn_maximum(at, vn_scalar(0)), 0);
    return vn_where(vn_greater_equal(at, vn_scalar(0)), found, vn_cast(vn_zeros(VN_0D, VN_F32), (vn_dtype)i->dtype));
}

int dtype_coo_to_dense(vn__infer *i)
{
    i->dtype = i->in[1]->dtype;
    return vn__rule_index(i, 0);
}

/* Input k has one value for each index. */
static int take_values(vn__infer *i, int k)
{
    char s[128], t[128];
    if (i->in[k]->rank == 1 && i->in[k]->count == vn__node_dims(i->in[0])[0]) return VN_OK;
    FAIL(VN_E_SHAPE, "values have shape %s, one for each of the indices %s is needed (%s)", shape_text(i->in[k], s),
         shape_text(i->in[0], t), i->engine);
}

int shape_coo_to_dense(vn__infer *i)
{
    const vn__option_value *shape = &i->options->v[OPT_COO_TO_DENSE_SHAPE];
    int code = take_indices(i, 0, shape->n);
    if (!code) code = take_values(i, 1);
    if (!code) vn__rule_result(i, shape->n, shape->is);
    return code;
}

/* Sums of values by position; segment_sum leaves out positions below 0. */
vn_array *compose_coo_to_dense(vn_array *const *in, const vn__infer *i)
{
    const vn_shape s = vn__result_shape(i);
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    vn_array *z = vn_segment_sum(vn__widen(in[1]), flat_positions(in[0], s.rank, s.dim), n);
    return z ? vn__narrow(vn_cast(vn_reshape(z, s), (vn_dtype)i->dtype), i) : NULL;
}

/* ---- products ---- */

int dtype_coo_matmul(vn__infer *i)
{
    int code = vn__rule_index(i, 0);
    if (!code) code = vn__rule_promote(i, 1, 3);
    return code ? code : vn__rule_accept(i, i->dtype);
}

int shape_coo_matmul(vn__infer *i)
{
    const vn__node *y = i->in[2];
    char s[128];
    int code = take_indices(i, 0, 2);
    if (!code) code = take_values(i, 1);
    if (code) return code;
    if (y->rank < 1 || y->rank > 2) FAIL(VN_E_SHAPE, "y has shape %s, one or two axes are needed (%s)", shape_text(y, s), i->engine);
    vn__rule_result(i, y->rank, vn__node_dims(y));
    i->dims[0] = i->options->v[OPT_COO_MATMUL_ROWS].u.i;
    return VN_OK;
}

/* Rows of y, each times its value, added up by the row they go to. */
vn_array *compose_coo_matmul(vn_array *const *in, const vn__infer *i)
{
    vn_array *at = vn__index_of(in[0]), *values = vn__widen(vn_cast(in[1], (vn_dtype)i->dtype));
    vn_array *y = vn__widen(vn_cast(in[2], (vn_dtype)i->dtype));
    if (!at || !values || !y) return NULL;
    const int64_t k = vn_dim(at, 0), rows = i->options->v[OPT_COO_MATMUL_ROWS].u.i, n = vn_dim(y, 0), dims[] = {rows, n};
    if (!k || !n) return vn_cast(vn_zeros(vn__result_shape(i), VN_F32), (vn_dtype)i->dtype);
    vn_array *good = vn_greater_equal(flat_positions(at, 2, dims), vn_scalar(0));
    vn_array *row = vn_where(good, vn_reshape(vn__piece(at, 1, 0, 1), VN_SHAPE(k)), vn_scalar(-1));
    vn_array *column = vn_where(good, vn_reshape(vn__piece(at, 1, 1, 1), VN_SHAPE(k)), vn_scalar(0));
    vn_array *of_y = vn_take(y, column, 0);
    vn_array *z = vn_segment_sum(vn_mul(of_y, vn_rank(y) == 2 ? vn_expand_dims(values, -1) : values), row, rows);
    return z ? vn__narrow(vn_cast(z, (vn_dtype)i->dtype), i) : NULL;
}

/* ---- rows as pointers ---- */

int dtype_csr_pointers(vn__infer *i)
{
    int code = vn__rule_index(i, 0);
    if (!code && i->n > 1) code = vn__rule_index(i, 1);
    i->dtype = VN_I64;
    return code;
}

int shape_csr_pointers(vn__infer *i)
{
    const int64_t rows = i->options->v[OPT_CSR_POINTERS_ROWS].u.i;
    const int code = take_indices(i, 0, 2);
    if (code) return code;
    if (rows == INT64_MAX) FAIL(VN_E_SHAPE, "%lld rows are too many (%s)", (long long)rows, i->engine);
    vn__rule_result(i, 1, (const int64_t[]){rows + 1});
    return VN_OK;
}

vn_array *compose_csr_pointers(vn_array *const *in, const vn__infer *i)
{
    const int64_t rows = i->options->v[OPT_CSR_POINTERS_ROWS].u.i, k = vn_dim(in[0], 0);
    vn_array *row = vn_reshape(vn__piece(vn__index_of(in[0]), 1, 0, 1), VN_SHAPE(k)), *none = vn__filled(in[0], 0, VN_SHAPE(1));
    if (!rows) return none;
    vn_array *ends = vn_cumulative_sum(vn_bincount(row, VN_NONE, rows, NULL), 0, NULL);
    return vn_concat(2, (vn_array *[]){none, ends}, 0);
}

int shape_csr_indices(vn__infer *i)
{
    char s[128], t[128];
    if (i->in[0]->rank != 1 || !i->in[0]->count || i->in[1]->rank != 1)
        FAIL(VN_E_SHAPE, "pointers have shape %s, columns %s; (rows + 1) and (n) are needed (%s)", shape_text(i->in[0], s),
             shape_text(i->in[1], t), i->engine);
    vn__rule_result(i, 2, (const int64_t[]){i->in[1]->count, 2});
    return VN_OK;
}

/* The row of value k is the last one that begins at k or before. */
vn_array *compose_csr_indices(vn_array *const *in, const vn__infer *i)
{
    (void)i;
    vn_array *columns = vn__index_of(in[1]);
    const int64_t n = vn_size(columns);
    if (!n) return vn__filled(in[0], 0, VN_SHAPE(0, 2));
    vn_array *row = vn_searchsorted(vn__index_of(in[0]), vn__positions(in[0], n), VN_NONE, VN_OPTS(searchsorted, .right = 1));
    return vn_stack(2, (vn_array *[]){vn_sub(row, vn_scalar(1)), columns}, 1);
}

/* Pointers, columns and values as the first inputs. */
static int take_rows(vn__infer *i)
{
    char s[128], t[128], u[128];
    const vn__node *pointers = i->in[0], *columns = i->in[1], *values = i->in[2];
    if (pointers->rank == 1 && pointers->count && columns->rank == 1 && values->rank == 1 && values->count == columns->count) return VN_OK;
    FAIL(VN_E_SHAPE, "pointers have shape %s, columns %s, values %s; (rows + 1), (n) and (n) are needed (%s)", shape_text(pointers, s),
         shape_text(columns, t), shape_text(values, u), i->engine);
}

int dtype_csr_to_dense(vn__infer *i)
{
    int code = vn__rule_index(i, 0);
    if (!code) code = vn__rule_index(i, 1);
    i->dtype = i->in[2]->dtype;
    return code;
}

int shape_csr_to_dense(vn__infer *i)
{
    const int code = take_rows(i);
    if (!code) vn__rule_result(i, 2, (const int64_t[]){i->in[0]->count - 1, i->options->v[OPT_CSR_TO_DENSE_WIDTH].u.i});
    return code;
}

vn_array *compose_csr_to_dense(vn_array *const *in, const vn__infer *i)
{
    return vn_coo_to_dense(vn_csr_indices(in[0], in[1]), in[2], vn__result_shape(i));
}

int dtype_csr_matmul(vn__infer *i)
{
    int code = vn__rule_index(i, 0);
    if (!code) code = vn__rule_index(i, 1);
    if (!code) code = vn__rule_promote(i, 2, 4);
    return code ? code : vn__rule_accept(i, i->dtype);
}

int shape_csr_matmul(vn__infer *i)
{
    const vn__node *y = i->in[3];
    char s[128];
    const int code = take_rows(i);
    if (code) return code;
    if (y->rank < 1 || y->rank > 2) FAIL(VN_E_SHAPE, "y has shape %s, one or two axes are needed (%s)", shape_text(y, s), i->engine);
    vn__rule_result(i, y->rank, vn__node_dims(y));
    i->dims[0] = i->in[0]->count - 1;
    return VN_OK;
}

vn_array *compose_csr_matmul(vn_array *const *in, const vn__infer *i)
{
    return vn_coo_matmul(vn_csr_indices(in[0], in[1]), in[2], in[3], i->dims[0]);
}
