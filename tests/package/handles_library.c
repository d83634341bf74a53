/* SPDX-License-Identifier: Apache-2.0 */
/* handles_library.c: stands where the torch engine looks for libtorch_cpu.so, for handles.sh. Everything is the real library's, which this
 * one is linked with; but with KEEP_BACK=n in the environment every n-th handle that a function gives is NULL, while it still says that all
 * went well. PyTorch follows a NULL handle into a crash, so the engine must never pass one on. Counting starts with the first array that is
 * handed over, or with KEEP_BACK_AT_ONCE set while the engine opens. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool started;

/* Whether the handle that is given now is kept back. */
static bool is_due(void)
{
    static atomic_long given;
    const char *every = getenv("KEEP_BACK");
    if (!every || !*every || (!atomic_load(&started) && !getenv("KEEP_BACK_AT_ONCE"))) return false;
    return atomic_fetch_add(&given, 1) % atol(every) == atol(every) - 1;
}

/* Copies the address of the real function to `to`: ISO C has no conversion from dlsym's result. */
static void take_real(const char *symbol, void *to)
{
    void *library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD), *found = library ? dlsym(library, symbol) : NULL;
    if (!found) {
        fprintf(stderr, "the real %s is not found\n", symbol);
        exit(1);
    }
    memcpy(to, &found, sizeof found);
}

/* What is kept back is lost, not dropped: memory lent with it must not be given back. */
#define GIVES(symbol, parameters, arguments, out) \
    int symbol parameters;                        \
    int symbol parameters                         \
    {                                             \
        int(*function) parameters;                \
        take_real(#symbol, &function);            \
        int code = function arguments;            \
        if (code == 0 && is_due()) *(out) = 0;    \
        return code;                              \
    }

/* Arrays are copied into the memory this gives. */
int torch_get_mutable_data_ptr(void *t, void **data);
int torch_get_mutable_data_ptr(void *t, void **data)
{
    int (*function)(void *t, void **data);
    take_real("torch_get_mutable_data_ptr", &function);
    atomic_store(&started, true);
    return function(t, data);
}

/* clang-format off */
GIVES(aoti_torch_new_tensor_handle, (void *t, void **out), (t, out), out)
GIVES(aoti_torch_empty_strided,
      (int64_t rank, const int64_t *dims, const int64_t *strides, int32_t dtype, int32_t device, int32_t index, void **out),
      (rank, dims, strides, dtype, device, index, out), out)
GIVES(torch_from_blob,
      (void *data, int64_t rank, const int64_t *dims, const int64_t *strides, int64_t offset, int32_t dtype, int32_t device, int32_t index,
       void **out, int32_t layout, const uint8_t *opaque, int64_t bytes, void (*deleter)(void *, void *), void *context),
      (data, rank, dims, strides, offset, dtype, device, index, out, layout, opaque, bytes, deleter, context), out)
GIVES(aoti_torch__reinterpret_tensor,
      (void *t, int64_t rank, const int64_t *dims, const int64_t *strides, int64_t more, void **out), (t, rank, dims, strides, more, out), out)
GIVES(aoti_torch_cpu_view_dtype, (void *t, int32_t dtype, void **out), (t, dtype, out), out)
GIVES(aoti_torch_cpu_reshape, (void *t, const int64_t *dims, int64_t rank, void **out), (t, dims, rank, out), out)
GIVES(aoti_torch_cpu_add_Tensor, (void *x, void *y, double alpha, void **out), (x, y, alpha, out), out)
GIVES(aoti_torch_cpu_mul_Tensor, (void *x, void *y, void **out), (x, y, out), out)
GIVES(torch_call_dispatcher, (const char *op, const char *overload, uint64_t *stack, uint64_t abi), (op, overload, stack, abi), stack)
GIVES(torch_new_stable_ivalue, (uint64_t **out), (out), out)
GIVES(torch_new_list_reserve_size, (size_t n, void **out), (n, out), out)
GIVES(torch_list_get_item, (void *l, size_t index, uint64_t *value), (l, index, value), value)
GIVES(torch_new_string_handle, (const char *data, size_t length, void **out), (data, length, out), out)
