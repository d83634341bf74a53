/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h: how much a row of the op table may have; the generator and the library agree on it. */
#ifndef VN_OPS_LIMITS_H
#define VN_OPS_LIMITS_H

enum {
    VN__MAX_IN = 8,         /* named inputs; a list has up to VN__MAX_LIST arrays */
    VN__MAX_OUT = 8,        /* named results */
    VN__MAX_OPTIONS = 16,   /* the axes of a reduction count twice */
    VN__MAX_LIST = 1 << 20, /* arrays of an op with lists */
};

#endif
