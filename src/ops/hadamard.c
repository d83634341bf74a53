/* SPDX-License-Identifier: Apache-2.0 */
/* hadamard.c: transforms by Hadamard matrices, whose elements are 1 and -1 and whose rows are orthogonal. */
#include "ops/row.h"
#include <math.h>

/* Matrices of sizes that are no powers of 2, row by row, as N. J. A. Sloane's library of Hadamard matrices has them
 * (http://neilsloane.com/hadamard/). */
static const struct {
    int size;
    const char *signs;
} matrices[] = {
    {12, "+-++++++++++"
         "--+-+-+-+-+-"
         "+++-++----++"
         "+---+--+-++-"
         "+++++-++----"
         "+-+---+--+-+"
         "++--+++-++--"
         "+--++---+--+"
         "++----+++-++"
         "+--+-++---+-"
         "++++----+++-"
         "+-+--+-++---"},
    {20, "+----+----++--++-++-"
         "-+----+---+++---+-++"
         "--+----+---+++-+-+-+"
         "---+----+---+++++-+-"
         "----+----++--++-++-+"
         "-+++++-----+--+++--+"
         "+-+++-+---+-+--+++--"
         "++-++--+---+-+--+++-"
         "+++-+---+---+-+--+++"
         "++++-----++--+-+--++"
         "--++-+-++-+-----++++"
         "---++-+-++-+---+-+++"
         "+---++-+-+--+--++-++"
         "++---++-+----+-+++-+"
         "-++---++-+----+++++-"
         "-+--+--++-+----+----"
         "+-+-----++-+----+---"
         "-+-+-+---+--+----+--"
         "--+-+++------+----+-"
         "+--+--++------+----+"},
    {28, "+------++----++-+--+-+--++--"
         "-+-----+++-----+-+--+-+--++-"
         "--+-----+++---+-+-+----+--++"
         "---+-----+++---+-+-+-+--+--+"
         "----+-----+++---+-+-+++--+--"
         "-----+-----++++--+-+--++--+-"
         "------++----++-+--+-+--++--+"
         "--++++-+-------++--+++-+--+-"
         "---++++-+-----+-++--+-+-+--+"
         "+---+++--+----++-++--+-+-+--"
         "++---++---+----++-++--+-+-+-"
         "+++---+----+----++-++--+-+-+"
         "++++--------+-+--++-++--+-+-"
         "-++++--------+++--++--+--+-+"
         "-+-++-++--++--+--------++++-"
         "+-+-++--+--++--+--------++++"
         "-+-+-++--+--++--+----+---+++"
         "+-+-+-++--+--+---+---++---++"
         "++-+-+-++--+------+--+++---+"
         "-++-+-+-++--+------+-++++---"
         "+-++-+---++--+------+-++++--"
         "-++--++-+-++-+++----++------"
         "+-++--++-+-++-+++-----+-----"
         "++-++---+-+-++-+++-----+----"
         "-++-++-+-+-+-+--+++-----+---"
         "--++-++++-+-+----+++-----+--"
         "+--++-+-++-+-+----+++-----+-"
         "++--++-+-++-+-+----++------+"},
};
enum { n_matrices = sizeof matrices / sizeof *matrices };

/* n is m 2^k: which matrix m has, or -1 if m is 1, or -2 if n is no such number. */
static int matrix_of(int64_t n)
{
    if (n > 0 && !(n & (n - 1))) return -1;
    for (int k = 0; k < n_matrices; k++) {
        const int64_t rest = n / matrices[k].size;
        if (n > 0 && n % matrices[k].size == 0 && !(rest & (rest - 1))) return k;
    }
    return -2;
}

int shape_hadamard_transform(vn__infer *i)
{
    const vn__node *x = i->in[0];
    char s[128];
    if (x->rank < 1 || matrix_of(vn__node_dims(x)[x->rank - 1]) < -1)
        FAIL(VN_E_SHAPE, "x has shape %s; a last axis of m 2^k elements, with m 1, 12, 20 or 28, is needed (%s)", shape_text(x, s),
             i->engine);
    return shape_same(i);
}

/* The matrix of Sylvester, of 2^k rows: each is the last one next to itself, above the last one next to its negative. */
static vn_array *sylvester(const vn_array *like, int k)
{
    vn_array *h = vn_reshape(vn__number(like, 1), VN_SHAPE(1, 1));
    for (; k > 0; k--) {
        vn_array *above = vn_concat(2, (vn_array *[]){h, h}, 1), *below = vn_concat(2, (vn_array *[]){h, vn_neg(h)}, 1);
        h = vn_concat(2, (vn_array *[]){above, below}, 0);
    }
    return h;
}

/* One of the others, in the dtype of x */
static vn_array *listed(vn_array *x, int which)
{
    const int n = matrices[which].size;
    float signs[28 * 28];
    for (int k = 0; k < n * n; k++) signs[k] = matrices[which].signs[k] == '+' ? 1 : -1;
    vn__node *h = vn__leaf_from(vn__node_of(x)->engine, VN_F32, 2, (int64_t[]){n, n},
                                &(vn_host_memory){.data = signs, .bytes = (size_t)(n * n) * sizeof *signs}, "hadamard_transform");
    return h ? vn_cast(vn__handle(h, "hadamard_transform"), vn_dtype_of(x)) : NULL;
}

/* The last axis as (n / (rows columns), rows, columns), of which the second is multiplied by a matrix of as many rows */
static vn_array *times(vn_array *h, vn_array *x, int64_t n, int64_t rows, int64_t columns)
{
    if (columns == 1) x = vn_matmul(vn__last_axes(x, 1, 2, (int64_t[]){n / rows, rows}), vn_matrix_transpose(h));
    else x = vn_matmul(h, vn__last_axes(x, 1, 3, (int64_t[]){n / (rows * columns), rows, columns}));
    return vn__last_axes(x, columns == 1 ? 2 : 3, 1, (int64_t[]){n});
}

/* The matrix is a Kronecker product of small ones, by which the last axis is multiplied part by part: n log(n) sums in few passes over memory. */
vn_array *compose_hadamard_transform(vn_array *const *in, const vn__infer *i)
{
    enum { FACTOR = 5 }; /* a small matrix of Sylvester has 2^5 rows */
    const int64_t n = i->dims[i->rank - 1];
    const int which = matrix_of(n);
    const int64_t power = which < 0 ? n : n / matrices[which].size;
    const double scale = vn__real(i, OPT_HADAMARD_TRANSFORM_SCALE);
    vn_array *x = vn__widen(in[0]);
    for (int64_t done = 1; done < power && x;) {
        int k = 0;
        while (k < FACTOR && done << k < power) k++;
        x = times(sylvester(x, k), x, n, (int64_t)1 << k, done);
        done <<= k;
    }
    if (which >= 0 && x) x = times(listed(x, which), x, n, matrices[which].size, power);
    return vn__narrow(vn__scaled(x, isnan(scale) ? 1 / sqrt((double)n) : scale), i);
}
