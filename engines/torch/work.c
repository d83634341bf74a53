/* SPDX-License-Identifier: Apache-2.0 */
/* work.c: building blocks of kernels of several ops. */
#include "work.h"

work begin(const vn_kernel_call *call, const recipe *r)
{
    return (work){.call = call, .r = r, .dtype = desc_in(call, 0)->dtype};
}

tensor *keep(work *w, tensor *t)
{
    if (!t) return NULL;
    if (!w->code && w->n < WORK_TENSORS) return w->made[w->n++] = t;
    torch.drop(t);
    if (!w->code) w->code = host->error(VN_E_ENGINE, "torch: %s: too many steps", w->r->op);
    return NULL;
}

void forget(work *w, int mark)
{
    while (w->n > mark) torch.drop(w->made[--w->n]);
}

int end_all(work *w, int n, tensor *const *z)
{
    vn_buf **out = w->call->out;
    for (int i = 0; i < w->n; i++) {
        int k = 0;
        while (k < n && (w->code || w->made[i] != z[k])) k++;
        if (k < n) w->code = wrap(w->made[i], true, &out[k]);
        else torch.drop(w->made[i]);
    }
    for (int k = 0; k < n && w->code; k++) {
        if (out[k]) buffer_release(out[k]);
        out[k] = NULL;
    }
    return w->code;
}

int end(work *w, tensor *z)
{
    return end_all(w, 1, &z);
}

int end_with(work *w, vn_buf *z)
{
    forget(w, 0);
    if (w->code && z) buffer_release(z);
    if (!w->code) w->call->out[0] = z;
    return w->code;
}

int end_zeros(work *w)
{
    const vn_desc *out = desc_out(w->call);
    tensor *z[WORK_TENSORS];
    int n = w->call->instr->n_out;
    for (int k = 0; k < n && k < WORK_TENSORS; k++) fill(w, z[k] = fresh(w, out[k].rank, out[k].dims, out[k].dtype), 0);
    return end_all(w, n, z);
}

/* ---- ops ---- */

void several(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options, int n_out, tensor **out)
{
    static const vn_option none[1]; /* NULL would mean dummy values */
    arguments a = {in, options ? options : none, n_in, n_options, w->dtype, desc_out(w->call)->dtype, false, 0};
    for (int i = 0; i < n_out; i++) out[i] = NULL;
    if (w->code) return;
    w->code = dispatch(w->r->op, op, &a, n_out, out);
    if (w->code) return;
    for (int i = 0; i < n_out; i++) out[i] = keep(w, out[i]);
}

tensor *with(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options)
{
    tensor *t;
    several(w, op, in, n_in, options, n_options, 1, &t);
    return t;
}

void into(work *w, const torch_op *op, tensor *const *in, int n_in, const vn_option *options, int n_options)
{
    several(w, op, in, n_in, options, n_options, 0, NULL);
}

tensor *unary(work *w, const torch_op *op, tensor *x)
{
    return with(w, op, TENSORS(x), NO_OPTIONS);
}

tensor *binary(work *w, const torch_op *op, tensor *x, tensor *y)
{
    return with(w, op, TENSORS(x, y), NO_OPTIONS);
}

tensor *apply3(work *w, const torch_op *op, tensor *x, tensor *y, tensor *z)
{
    return with(w, op, TENSORS(x, y, z), w->call->instr->options, w->call->instr->n_options);
}

tensor *apply2(work *w, const torch_op *op, tensor *x, tensor *y)
{
    return apply3(w, op, x, y, NULL);
}

tensor *apply(work *w, const torch_op *op, tensor *x)
{
    return apply3(w, op, x, NULL, NULL);
}

/* ---- dtypes ---- */

tensor *changed(work *w, tensor *x, const vn_desc *from, int32_t to)
{
    tensor *t = NULL;
    if (from->dtype == to || w->code) return x;
    w->code = convert(x, from, to, w->r->op, &t);
    return keep(w, t);
}

tensor *operand(work *w, int k)
{
    static const uint8_t wider[VN_DTYPE_END] = {[VN_U16] = VN_I32, [VN_U32] = VN_I64, [VN_F16] = VN_F32, [VN_BF16] = VN_F32};
    const vn_desc *x = desc_in(w->call, k);
    w->dtype = wider[x->dtype] ? wider[x->dtype] : x->dtype;
    return changed(w, w->call->in[k]->t, x, w->dtype);
}

tensor *as_result(work *w, int k, tensor *z)
{
    vn_desc wide = w->call->program->values[w->call->instr->out + k];
    int32_t dtype = wide.dtype;
    wide.dtype = w->dtype;
    return changed(w, z, &wide, dtype);
}

int end_wide(work *w, tensor *z)
{
    return end(w, as_result(w, 0, z));
}

bool is_used(const work *w, int k)
{
    return w->call->program->used[w->call->instr->out + k];
}

tensor *seen_as(work *w, tensor *x, int32_t torch_dtype)
{
    tensor *t = NULL;
    if (!w->code) w->code = gave(torch.view_dtype(x, torch_dtype, &t), &t, w->r->op);
    return keep(w, t);
}

/* ---- memory and shapes ---- */

tensor *fresh(work *w, int32_t rank, const int64_t *dims, int32_t dtype)
{
    tensor *t = NULL;
    if (!w->code) w->code = new_tensor(rank, dims, torch.stored_as[dtype], &t);
    return keep(w, t);
}

tensor *number(work *w, double value)
{
    tensor *t = fresh(w, 0, NULL, w->dtype);
    fill(w, t, value);
    return t;
}

tensor *view(work *w, tensor *x, int32_t rank, const int64_t *dims, const int64_t *strides, int64_t offset)
{
    tensor *t = NULL;
    if (!w->code) w->code = gave(torch.view(x, rank, dims, strides, offset, &t), &t, w->r->op);
    return keep(w, t);
}

tensor *rows_view(work *w, tensor *x, int32_t rank, const int64_t *dims, int64_t offset)
{
    int64_t strides[VN_MAX_RANK + 1];
    strides_of_rows(rank, dims, strides);
    return view(w, x, rank, dims, strides, offset);
}

tensor *reshaped(work *w, tensor *x, int32_t rank, const int64_t *dims)
{
    tensor *t = NULL;
    if (!w->code) w->code = gave(torch.reshape(x, dims, rank, &t), &t, w->r->op);
    return keep(w, t);
}

tensor *transposed(work *w, tensor *x)
{
    return with(w, &swap_axes, TENSORS(x), OPTIONS(INT(-2), INT(-1)));
}

tensor *row_major(work *w, tensor *x, const vn_desc *desc)
{
    bool contiguous = false;
    if (w->code) return NULL;
    if (torch.is_contiguous(x, &contiguous)) w->code = failed(w->r->op);
    if (contiguous) return x;
    tensor *t = fresh(w, desc->rank, desc->dims, desc->dtype);
    copy(w, t, x);
    return t;
}

tensor *broadcast(work *w, tensor *x, const vn_desc *from, int32_t rank, const int64_t *dims)
{
    int64_t strides[VN_MAX_RANK + 1], *old;
    if (w->code) return NULL;
    if (torch.strides(x, &old)) w->code = failed(w->r->op);
    else strides_of_broadcast(from, old, rank, dims, strides);
    return view(w, x, rank, dims, strides, 0);
}

tensor *sum_of(work *w, tensor *x, tensor *y, double alpha)
{
    tensor *t = NULL;
    if (!w->code) w->code = gave(torch.add(x, y, alpha, &t), &t, w->r->op);
    return keep(w, t);
}

tensor *product_of(work *w, tensor *x, tensor *y)
{
    tensor *t = NULL;
    if (!w->code) w->code = gave(torch.mul(x, y, &t), &t, w->r->op);
    return keep(w, t);
}

void fill(work *w, tensor *x, double value)
{
    if (!w->code && torch.fill(x, value)) w->code = failed(w->r->op);
}

void copy(work *w, tensor *to, tensor *from)
{
    if (!w->code && torch.copy(to, from, 0)) w->code = failed(w->r->op);
}

const void *data_of(work *w, tensor *x)
{
    const void *data = NULL;
    if (!w->code && torch.data(x, &data)) w->code = failed(w->r->op);
    return data;
}

void *room_of(work *w, tensor *x)
{
    void *data = NULL;
    if (!w->code && torch.mutable_data(x, &data)) w->code = failed(w->r->op);
    return data;
}
