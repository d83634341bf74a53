/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: VINEA_CHECK: where the program made an object or recorded an op (place.c). */
#ifndef VN_CORE_PLACE_H
#define VN_CORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vn__place vn__place;

/* What is running in the library while an op is recorded: a module, an op made of others, the backward pass of an op. One on the stack of
 * each such function, innermost first (vn__state.trail). */
typedef struct vn__trail {
    const struct vn__trail *up;
    const char *kind, *name; /* "module ", "encoder" */
    bool inside;             /* an op, not a module */
    const vn__place *from;   /* backward pass: where the op was recorded, instead of what is further up */
} vn__trail;

vn__place *vn__place_new(const char *what); /* one reference; NULL when out of memory: the place is then unknown */
vn__place *vn__place_retain(vn__place *p);  /* NULL is ignored by these two */
void vn__place_release(vn__place *p);
uint64_t vn__place_number(const vn__place *p); /* counts places from 1 */
const char *vn__place_what(const vn__place *p);
const char *vn__place_path(const vn__place *p); /* "module encoder > cross_entropy"; "" at the top */
bool vn__place_inside(const vn__place *p);      /* in an op made of others, or a backward pass */
/* "loss_of (train+0x11a2) < main (train+0x12f0)": the program's functions, innermost first; addr2line -e train 0x11a2 knows the line. */
void vn__place_calls(const vn__place *p, char *to, size_t capacity);

#endif
