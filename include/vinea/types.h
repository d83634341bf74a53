/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: plain data shared by programs and engines: dtypes, error codes, options.
 * Everything here is part of both ABIs, so numbers are fixed and structs only grow at their end. */
#ifndef VINEA_TYPES_H
#define VINEA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define VN_MAX_RANK 32

/* Stands behind every field of the structs that callers fill in: C++ then does not warn of those that a caller does not name. In C++11 such
 * a struct could not be written in braces. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define VN_UNSET = {}
#else
#define VN_UNSET
#endif

/* Element types: X(enumerator, number, name, bytes); 0 is none of them. Half-precision values are uint16_t in the API; a complex number is
 * its real part followed by its imaginary part, two floats or two doubles. */
#define VN_DTYPES(X)              \
    X(VN_BOOL, 1, "bool", 1)      \
    X(VN_I8, 2, "int8", 1)        \
    X(VN_I16, 3, "int16", 2)      \
    X(VN_I32, 4, "int32", 4)      \
    X(VN_I64, 5, "int64", 8)      \
    X(VN_U8, 6, "uint8", 1)       \
    X(VN_U16, 7, "uint16", 2)     \
    X(VN_U32, 8, "uint32", 4)     \
    X(VN_U64, 9, "uint64", 8)     \
    X(VN_F16, 10, "float16", 2)   \
    X(VN_BF16, 11, "bfloat16", 2) \
    X(VN_F32, 12, "float32", 4)   \
    X(VN_F64, 13, "float64", 8)   \
    X(VN_C64, 14, "complex64", 8) \
    X(VN_C128, 15, "complex128", 16)

typedef enum vn_dtype {
    VN_NO_DTYPE = 0, /* what a zeroed field and a failed call have; an error where a dtype is needed */
#define VN__X(id, number, name, bytes) id = number,
    VN_DTYPES(VN__X)
#undef VN__X
        VN_DTYPE_END = 16 /* one more than the last */
} vn_dtype;

/* Sets of dtypes, for kernel rows and dtype rules. */
#define VN_BIT(dtype) (UINT32_C(1) << (dtype))
#define VN_SIGNED (VN_BIT(VN_I8) | VN_BIT(VN_I16) | VN_BIT(VN_I32) | VN_BIT(VN_I64))
#define VN_UNSIGNED (VN_BIT(VN_U8) | VN_BIT(VN_U16) | VN_BIT(VN_U32) | VN_BIT(VN_U64))
#define VN_INTS (VN_SIGNED | VN_UNSIGNED)
#define VN_HALF (VN_BIT(VN_F16) | VN_BIT(VN_BF16))
#define VN_FLOATS (VN_HALF | VN_BIT(VN_F32) | VN_BIT(VN_F64))
#define VN_COMPLEX (VN_BIT(VN_C64) | VN_BIT(VN_C128))
#define VN_REAL (VN_INTS | VN_FLOATS)
#define VN_INEXACT (VN_FLOATS | VN_COMPLEX) /* dtypes with derivatives */
#define VN_NUMERIC (VN_REAL | VN_COMPLEX)
#define VN_ORDERED (VN_BIT(VN_BOOL) | VN_REAL) /* dtypes with an order: all but complex numbers */
#define VN_ANY (VN_BIT(VN_BOOL) | VN_NUMERIC)

/* Error codes: X(code, number, meaning). */
#define VN_CODES(X)                                            \
    X(VN_OK, 0, "no error")                                    \
    X(VN_E_ARG, 1, "bad value")                                \
    X(VN_E_SHAPE, 2, "shapes do not fit")                      \
    X(VN_E_DTYPE, 3, "dtypes do not fit")                      \
    X(VN_E_STRUCT, 4, "tree or module structure does not fit") \
    X(VN_E_NOT_SCALAR, 5, "a scalar was needed")               \
    X(VN_E_UNSUPPORTED, 6, "not supported")                    \
    X(VN_E_ENGINE, 7, "the engine failed")                     \
    X(VN_E_MEM, 8, "out of memory")                            \
    X(VN_E_CALLBACK, 9, "a callback failed")                   \
    X(VN_E_NULL, 10, "NULL where an object was needed")        \
    X(VN_E_FREED, 11, "a freed handle was used")               \
    X(VN_E_IO, 12, "reading or writing failed")                \
    X(VN_E_FORMAT, 13, "a file is not in the expected format") \
    X(VN_E_NOT_FINITE, 14, "an op made NaN or infinity")       \
    X(VN_E_INDEX, 15, "a position or class number is outside") \
    X(VN_E_GROUP, 16, "another process failed or did not answer")

typedef int vn_code; /* so that functions of type int return one without a warning */
enum {
#define VN__X(id, number, meaning) id = number,
    VN_CODES(VN__X)
#undef VN__X
};

/* How the arrays of several ranks become one (ranks.h). */
typedef enum vn_reduction { VN_REDUCE_SUM = 0, VN_REDUCE_MAX = 1, VN_REDUCE_MIN = 2, VN_REDUCE_MEAN = 3 } vn_reduction;

/* One option of an op, by name. Dtypes, flags and counts are ints; shapes and axes are lists of ints. Where the type is "number" (arange),
 * an int is exact; VN_OPT_UINT is one without a sign, whose bits are in u.i. */
typedef enum vn_option_kind {
    VN_OPT_INT = 1,
    VN_OPT_FLOAT = 2,
    VN_OPT_INTS = 3,
    VN_OPT_FLOATS = 4,
    VN_OPT_STRING = 5,
    VN_OPT_UINT = 6
} vn_option_kind;

typedef struct vn_option {
    const char *name VN_UNSET;
    int32_t kind VN_UNSET; /* vn_option_kind */
    int32_t n VN_UNSET;    /* length of a list */
    union {
        int64_t i;
        double f;
        const int64_t *is;
        const double *fs;
        const char *s;
    } u VN_UNSET;
} vn_option;

#endif
