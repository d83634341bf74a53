/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c: the functions of ops, printed from the op table: each hands its arguments on to vn__apply. */
/* compiled for speed */
#include "ops/parameters.h"
#include "ops/row.h"

/* An op with its parameters (vn__put_parameter), inputs (x) and results after the first (z; those that its function does not show are -). */
static vn_array *apply(int op, const void *opts, const char *letters, ...)
{
    const vn__op *row = &vn__ops[op];
    vn_array *in[VN__MAX_IN], **more[VN__MAX_OUT];
    int n = 0, m = 0;
    vn__options o;
    va_list given;
    o.n = 0;
    va_start(given, letters);
    for (; *letters; letters++) {
        if (*letters == 'x') in[n++] = va_arg(given, vn_array *);
        else if (*letters == '-') more[m++] = NULL;
        else if (*letters != 'z') vn__put_parameter(&o, *letters, &given);
        else if ((more[m++] = va_arg(given, vn_array **))) *more[m - 1] = NULL;
    }
    va_end(given);
    if (vn__put_rest(&o, row->info.name, row->info.options, row->fields, opts)) return NULL;
    return vn__apply(op, n, in, row->info.n_options ? &o : NULL, m ? more : NULL);
}

static int apply_lists(int op, int n, vn_array *const *in, vn_array **out, const void *opts, const char *letters, ...)
{
    const vn__op *row = &vn__ops[op];
    vn__options o;
    va_list given;
    o.n = 0;
    va_start(given, letters);
    for (; *letters; letters++) vn__put_parameter(&o, *letters, &given);
    va_end(given);
    int code = vn__put_rest(&o, row->info.name, row->info.options, row->fields, opts);
    return code ? code : vn__apply_lists(op, n, in, row->info.n_options ? &o : NULL, out);
}

/* Most ops have one, two or three inputs and no options. */
static vn_array *apply1(int op, vn_array *x)
{
    return vn__apply(op, 1, &x, NULL, NULL);
}

static vn_array *apply2(int op, vn_array *x, vn_array *y)
{
    vn_array *const in[] = {x, y};
    return vn__apply(op, 2, in, NULL, NULL);
}

static vn_array *apply3(int op, vn_array *x, vn_array *y, vn_array *z)
{
    vn_array *const in[] = {x, y, z};
    return vn__apply(op, 3, in, NULL, NULL);
}

/* Many others have one input and one option: axes, an integer or a shape. */
static vn_array *apply1_a(int op, vn_array *x, const vn_axes *axes)
{
    vn__options o;
    o.n = 0;
    vn__put_axes(&o, axes);
    return vn__apply(op, 1, &x, &o, NULL);
}

static vn_array *apply1_i(int op, vn_array *x, int64_t i)
{
    vn__options o;
    o.n = 0;
    vn__put_int(&o, i);
    return vn__apply(op, 1, &x, &o, NULL);
}

static vn_array *apply1_s(int op, vn_array *x, const vn_shape *shape)
{
    vn__options o;
    o.n = 0;
    vn__put_shape(&o, shape);
    return vn__apply(op, 1, &x, &o, NULL);
}

#include "ops_api.inc"
