/* SPDX-License-Identifier: Apache-2.0 */
/* level.h: what every file compiled per instruction-set level needs: the name of its table and the loop hint. */
#ifndef VN_NATIVE_LEVEL_H
#define VN_NATIVE_LEVEL_H

#include <stdint.h>
#include <string.h>

#include "../isa.h"

#ifndef VN_ISA
#define VN_ISA baseline
#endif
#define VN_JOIN3(table, level) vn__native_##table##_##level
#define VN_JOIN2(table, level) VN_JOIN3(table, level)
#define VN_TABLE(table) VN_JOIN2(table, VN_ISA)

/* Rare types have loops only at the baseline level, and some ops none at the widest; higher levels use the lower ones' (cpu.c). They
 * give the same bits, and the library stays small. */
#define VN_TYPES_vn__native_level_baseline 1
#define VN_NARROW_vn__native_level_baseline 1
#define VN_NARROW_vn__native_level_avx2 1
#define VN_PASTE3(prefix, name) prefix##name
#define VN_PASTE2(prefix, name) VN_PASTE3(prefix, name)
#define VN_ALL_TYPES VN_PASTE2(VN_TYPES_, VN_TABLE(level))
#define VN_NARROW VN_PASTE2(VN_NARROW_, VN_TABLE(level))

/* Complex numbers. */
typedef struct vn__c64 {
    float re, im;
} vn__c64;
typedef struct vn__c128 {
    double re, im;
} vn__c128;

/* Iterations are independent: operands are the same elements or do not overlap. */
#if defined(__clang__)
#define VN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define VN_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Loops over the registers of a group, whose number is constant, are unrolled. */
#if defined(__clang__)
#define VN_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define VN_UNROLLED _Pragma("GCC unroll 16")
#endif

/* Loops that programs seldom spend their time in are compiled for size at the baseline level: as scalars, which give the same bits as
 * vectors. In a small library, whose only level it is, so are all loops of rare types. */
#define OFTEN
#if VN_ALL_TYPES
#define SELDOM __attribute__((cold))
#define SELDOM_ONE_LOOP 1
#else
#define SELDOM
#define SELDOM_ONE_LOOP 0
#endif
#if VN_SMALL
#define RARE_TYPE SELDOM
#else
#define RARE_TYPE
#endif

/* Steps ignore what they do not need. */
#define VN_STEP_ARGS void *d, const void *a, const void *b, int64_t n, const void *aux, int64_t start
#define VN_STEP_UNUSED (void)b, (void)aux, (void)start

#endif
