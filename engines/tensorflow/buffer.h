/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h: this engine's arrays, reference-counted TF_Tensors. */
#ifndef TENSORFLOW_BUFFER_H
#define TENSORFLOW_BUFFER_H

#include "api.h"

/* The functions of vn_engine of the same names. */
int buffer_from_host(vn_context *context, const vn_desc *desc, const vn_host_memory *memory, vn_buf **out);
int buffer_to_host(vn_context *context, vn_buf *buf, const vn_desc *desc, const void **data);
void buffer_retain(vn_buf *buf);
void buffer_release(vn_buf *buf);
int buffer_memory(vn_context *context, vn_engine_memory *out);

/* A buffer with one reference that owns the tensor; NULL, with the tensor untouched, if memory ran out. */
vn_buf *buffer_wrap(TF_Tensor *tensor);

TF_Tensor *buffer_tensor(const vn_buf *buf);

#endif
