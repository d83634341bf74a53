/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.h: options as the rules read them, from the arguments of a function. Inlined: every recorded op with options goes through this. */
#ifndef VN_OPS_PARAMETERS_H
#define VN_OPS_PARAMETERS_H

#include "ops/options.h"
#include <stdarg.h>

static inline void vn__put_list(vn__options *o, int32_t n, const int64_t *items)
{
    o->v[o->n].given = true;
    o->v[o->n].n = n;
    for (int k = 0; k < n && k < VN_MAX_RANK; k++) o->v[o->n].is[k] = items[k];
    o->n++;
}

static inline void vn__put_shape(vn__options *o, const vn_shape *s)
{
    vn__put_list(o, s->rank < 0 ? VN_MAX_RANK + 1 : s->rank, s->dim);
}
static inline void vn__put_order(vn__options *o, const vn_axes *a)
{
    vn__put_list(o, a->n, a->axis);
}

static inline void vn__put_int(vn__options *o, int64_t i)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.i = vn__whole_of(i);
}

static inline void vn__put_float(vn__options *o, double f)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.f = vn__real_of(f);
}

/* A number given as an integer stays exact, which a C function cannot: it takes a double. */
static inline void vn__put_number(vn__options *o, double f)
{
    o->v[o->n].whole = false;
    vn__put_float(o, f);
}

static inline void vn__put_text(vn__options *o, const char *s)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.s = s;
}

static inline void vn__put_axes(vn__options *o, const vn_axes *a)
{
    vn__put_list(o, a->n < 0 ? VN__ALL_AXES : a->n, a->axis);
    vn__put_int(o, a->keep != 0);
}

/* A parameter of a function that is printed from a table. The letter says what it is: s a vn_shape, o and a vn_axes, the latter of a reduction,
 * of which it takes the address; i an int64_t, f and n a double, the latter of a number; t a text. */
static inline void vn__put_parameter(vn__options *o, char letter, va_list *from)
{
    switch (letter) {
    case 's': vn__put_shape(o, va_arg(*from, const vn_shape *)); break;
    case 'o': vn__put_order(o, va_arg(*from, const vn_axes *)); break;
    case 'a': vn__put_axes(o, va_arg(*from, const vn_axes *)); break;
    case 'i': vn__put_int(o, va_arg(*from, int64_t)); break;
    case 'f': vn__put_float(o, va_arg(*from, double)); break;
    case 'n': vn__put_number(o, va_arg(*from, double)); break;
    default: vn__put_text(o, va_arg(*from, const char *)); break;
    }
}

#endif
