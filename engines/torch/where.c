/* SPDX-License-Identifier: Apache-2.0 */
/* where.c: torch's where branches on every element, which costs some 4 ns each where conditions are hard to predict. There the bits of larger
 * arrays are computed instead: y ^ ((x ^ y) & mask), which are vector loops in torch, block by block, so that what lies between stays in the cache. */
#include "work.h"

static const torch_op differing = {"aten::bitwise_xor", "Tensor", "01"};
static const torch_op negate = {"aten::neg_", "", "0>x"};
static const torch_op mask = {"aten::bitwise_and_", "Tensor", "01>x"};
static const torch_op toggle = {"aten::bitwise_xor_", "Tensor", "01>x"};

static const helper helpers[] = {
    {&differing, MATRIX_OF(VN_I32)}, {&negate, MATRIX_OF(VN_I32)}, {&mask, MATRIX_OF(VN_I32)}, {&toggle, MATRIX_OF(VN_I32)}};
family selection = {helpers, sizeof helpers / sizeof helpers[0], NULL};

enum { MIN_COUNT = 1 << 13, BLOCK = 1 << 16 }; /* elements; a block for each thread */

/* The signed integer dtype with as many bytes as the dtype; VN_NO_DTYPE: there is none. */
static int32_t bits_of(int32_t dtype)
{
    static const uint8_t same_size[VN_DTYPE_END] = {
        [VN_BOOL] = VN_I8, [VN_I8] = VN_I8,    [VN_U8] = VN_I8,   [VN_I16] = VN_I16, [VN_U16] = VN_I16,
        [VN_F16] = VN_I16, [VN_BF16] = VN_I16, [VN_I32] = VN_I32, [VN_U32] = VN_I32, [VN_F32] = VN_I32,
        [VN_I64] = VN_I64, [VN_U64] = VN_I64,  [VN_F64] = VN_I64, [VN_C64] = VN_I64};
    return same_size[dtype];
}

/* Is input k one number, or a row-major array of the result's shape? */
static bool is_simple(work *w, int k)
{
    const vn_desc *x = desc_in(w->call, k);
    bool contiguous = false;
    if (k > 0 && x->rank == 0) return true;
    if (w->code || x->count != desc_out(w->call)->count) return false;
    if (torch.is_contiguous(w->call->in[k]->t, &contiguous)) w->code = failed(w->r->op);
    return contiguous;
}

/* Do conditions often differ from their neighbours? A processor predicts the branches of others. */
static bool is_hard_to_predict(work *w)
{
    enum { PLACES = 4, LOOK = 256, RARE = 8 };
    const int64_t n = desc_out(w->call)->count;
    const uint8_t *c = data_of(w, w->call->in[0]->t);
    int changes = 0;
    for (int64_t from = 0; from < n && c; from += n / PLACES + 1)
        for (int64_t i = from; i < from + LOOK && i + 1 < n; i++) changes += c[i] != c[i + 1];
    return changes > PLACES * LOOK / RARE;
}

/* Elements from ... from + n - 1, as a vector; a number as it is. */
static tensor *block_of(work *w, tensor *x, int32_t rank, int64_t from, int64_t n)
{
    return rank ? rows_view(w, x, 1, &n, from) : x;
}

static uint32_t count_threads(work *w)
{
    uint32_t n = 1;
    if (!w->code && torch.threads(&n)) w->code = failed(w->r->op);
    return n;
}

static tensor *by_bits(work *w, int32_t bits, uint32_t threads)
{
    const vn_kernel_call *call = w->call;
    const vn_desc *out = desc_out(call);
    const int64_t block = BLOCK * (int64_t)threads;
    tensor *z = fresh(w, out->rank, out->dims, out->dtype), *bytes = seen_as(w, z, torch.stored_as[bits]);
    tensor *x = seen_as(w, call->in[1]->t, torch.stored_as[bits]), *y = seen_as(w, call->in[2]->t, torch.stored_as[bits]);
    w->dtype = bits;
    for (int64_t from = 0; from < out->count && !w->code; from += block) {
        const int64_t n = out->count - from < block ? out->count - from : block;
        const int mark = w->n;
        tensor *part = block_of(w, bytes, 1, from, n), *other = block_of(w, y, desc_in(call, 2)->rank, from, n);
        copy(w, part, block_of(w, call->in[0]->t, 1, from, n));
        into(w, &negate, TENSORS(part), NO_OPTIONS); /* no bits, or all of them */
        into(w, &mask, TENSORS(part, binary(w, &differing, block_of(w, x, desc_in(call, 1)->rank, from, n), other)), NO_OPTIONS);
        into(w, &toggle, TENSORS(part, other), NO_OPTIONS);
        forget(w, mark);
    }
    return z;
}

/* On one thread small elements take no longer as bits, whatever the conditions are. */
int where(const vn_kernel_call *call, const recipe *r)
{
    work w = begin(call, r);
    const int32_t bits = bits_of(desc_out(call)->dtype);
    if (bits && desc_out(call)->count >= MIN_COUNT && is_simple(&w, 0) && is_simple(&w, 1) && is_simple(&w, 2)) {
        const uint32_t threads = count_threads(&w);
        if ((threads == 1 && bits != VN_I64) || is_hard_to_predict(&w)) return end(&w, by_bits(&w, bits, threads));
    }
    return end(&w, with(&w, &choose, TENSORS(call->in[0]->t, call->in[1]->t, call->in[2]->t), NO_OPTIONS));
}
