/* SPDX-License-Identifier: Apache-2.0 */
/* api.h: the part of TensorFlow's C API this engine uses, declared here so that no header of TensorFlow is needed to build it.
 *
 * The library is loaded at run time (api.c); every function is called through the table `api`, under its own name:
 * api.TF_NewGraph(). Types and numbers below are TensorFlow's and part of its stable C ABI. */
#ifndef TENSORFLOW_API_H
#define TENSORFLOW_API_H

#include <stddef.h>
#include <stdint.h>

#include <vinea/engine.h>

typedef struct TF_Status TF_Status;
typedef struct TF_Tensor TF_Tensor;
typedef struct TF_Graph TF_Graph;
typedef struct TF_Session TF_Session;
typedef struct TF_SessionOptions TF_SessionOptions;
typedef struct TF_Operation TF_Operation;
typedef struct TF_OperationDescription TF_OperationDescription;

typedef struct TF_Buffer {
    const void *data;
    size_t length;
    void (*data_deallocator)(void *data, size_t length);
} TF_Buffer;

typedef struct TF_Output {
    TF_Operation *oper;
    int index;
} TF_Output;

/* TF_DataType and TF_Code are C enums, that is, int or unsigned in the ABI. */
enum {
    TF_FLOAT = 1,
    TF_DOUBLE = 2,
    TF_INT32 = 3,
    TF_UINT8 = 4,
    TF_INT16 = 5,
    TF_INT8 = 6,
    TF_COMPLEX64 = 8,
    TF_INT64 = 9,
    TF_BOOL = 10,
    TF_BFLOAT16 = 14,
    TF_UINT16 = 17,
    TF_COMPLEX128 = 18,
    TF_HALF = 19,
    TF_UINT32 = 22,
    TF_UINT64 = 23
};
enum { TF_OK = 0, TF_RESOURCE_EXHAUSTED = 8, TF_UNIMPLEMENTED = 12 };

/* X(result, name, parameters) */
#define TENSORFLOW_FUNCTIONS(X)                                                                                              \
    X(const char *, TF_Version, (void))                                                                                      \
    X(TF_Status *, TF_NewStatus, (void))                                                                                     \
    X(void, TF_DeleteStatus, (TF_Status *))                                                                                  \
    X(int, TF_GetCode, (const TF_Status *))                                                                                  \
    X(const char *, TF_Message, (const TF_Status *))                                                                         \
    X(TF_Buffer *, TF_NewBuffer, (void))                                                                                     \
    X(void, TF_DeleteBuffer, (TF_Buffer *))                                                                                  \
    X(void, TF_GraphGetOpDef, (TF_Graph *, const char *op, TF_Buffer *definition, TF_Status *))                              \
    X(TF_Buffer *, TF_GetRegisteredKernelsForOp, (const char *op, TF_Status *))                                              \
    X(TF_Tensor *, TF_NewTensor,                                                                                             \
      (int dtype, const int64_t *dims, int rank, void *data, size_t bytes, void (*free)(void *, size_t, void *), void *arg)) \
    X(TF_Tensor *, TF_AllocateTensor, (int dtype, const int64_t *dims, int rank, size_t bytes))                              \
    X(void, TF_DeleteTensor, (TF_Tensor *))                                                                                  \
    X(void *, TF_TensorData, (const TF_Tensor *))                                                                            \
    X(size_t, TF_TensorByteSize, (const TF_Tensor *))                                                                        \
    X(TF_Graph *, TF_NewGraph, (void))                                                                                       \
    X(void, TF_DeleteGraph, (TF_Graph *))                                                                                    \
    X(int, TF_GraphGetTensorNumDims, (TF_Graph *, TF_Output, TF_Status *))                                                   \
    X(void, TF_GraphGetTensorShape, (TF_Graph *, TF_Output, int64_t * dims, int rank, TF_Status *))                          \
    X(TF_OperationDescription *, TF_NewOperation, (TF_Graph *, const char *op, const char *name))                            \
    X(TF_Operation *, TF_FinishOperation, (TF_OperationDescription *, TF_Status *))                                          \
    X(void, TF_AddInput, (TF_OperationDescription *, TF_Output))                                                             \
    X(void, TF_AddControlInput, (TF_OperationDescription *, TF_Operation *))                                                 \
    X(void, TF_AddInputList, (TF_OperationDescription *, const TF_Output *in, int n))                                        \
    X(void, TF_SetAttrInt, (TF_OperationDescription *, const char *name, int64_t value))                                     \
    X(void, TF_SetAttrIntList, (TF_OperationDescription *, const char *name, const int64_t *values, int n))                  \
    X(void, TF_SetAttrString, (TF_OperationDescription *, const char *name, const void *text, size_t length))                \
    X(void, TF_SetAttrBool, (TF_OperationDescription *, const char *name, unsigned char value))                              \
    X(void, TF_SetAttrType, (TF_OperationDescription *, const char *name, int dtype))                                        \
    X(void, TF_SetAttrShape, (TF_OperationDescription *, const char *name, const int64_t *dims, int rank))                   \
    X(void, TF_SetAttrTensor, (TF_OperationDescription *, const char *name, TF_Tensor *value, TF_Status *))                  \
    X(int, TF_OperationOutputType, (TF_Output))                                                                              \
    X(TF_SessionOptions *, TF_NewSessionOptions, (void))                                                                     \
    X(void, TF_SetConfig, (TF_SessionOptions *, const void *proto, size_t bytes, TF_Status *))                               \
    X(void, TF_DeleteSessionOptions, (TF_SessionOptions *))                                                                  \
    X(TF_Session *, TF_NewSession, (TF_Graph *, const TF_SessionOptions *, TF_Status *))                                     \
    X(void, TF_CloseSession, (TF_Session *, TF_Status *))                                                                    \
    X(void, TF_DeleteSession, (TF_Session *, TF_Status *))                                                                   \
    X(void, TF_SessionRun,                                                                                                   \
      (TF_Session *, const TF_Buffer *run_options, const TF_Output *inputs, TF_Tensor *const *feeds, int n_inputs,           \
       const TF_Output *outputs, TF_Tensor **results, int n_outputs, const TF_Operation *const *targets, int n_targets,      \
       TF_Buffer *metadata, TF_Status *))

typedef struct tensorflow_api {
#define MEMBER(result, name, parameters) result(*name) parameters;
    TENSORFLOW_FUNCTIONS(MEMBER)
#undef MEMBER
} tensorflow_api;

extern tensorflow_api api;  /* filled by api_load */
extern const vn_host *host; /* set by vinea_engine_main */

/* Finds and loads the library and fills `api`. After the first success, later calls do nothing.
 * Not thread-safe: the caller holds the engine's lock. */
int api_load(void);
int api_quiet_begin(void); /* redirects standard error; returns the argument for api_quiet_end */
void api_quiet_end(int saved);

/* The path of the library; "" before api_load. */
const char *api_where(void);

/* Converts a failed status to the thread's error "tensorflow: <what>: <first line of TensorFlow's message>" and returns its code. */
int api_error(const TF_Status *status, const char *what);

/* TensorFlow's number of a vn_dtype. */
int api_dtype(int32_t dtype);

/* Bytes of one element. */
size_t dtype_bytes(int32_t dtype);

#endif
