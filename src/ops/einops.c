/* SPDX-License-Identifier: Apache-2.0 */
/* einops.c: rearrange, einops_reduce and einops_repeat: shapes by a pattern such as "b (h w) c -> b c h w".
 *
 * Each side of "->" is a list of axes, separated by spaces or commas: a name, a number for an axis without a name, "..." for any number
 * of axes, and names in parentheses for several axes merged into one. Sizes that do not follow from x are given as names, "h w", and
 * lengths. All three work the same way: x is reshaped to one axis per name, axes missing on the right are reduced, the others put in the
 * right side's order, axes missing on the left are broadcast, and finally axes in parentheses are merged. */
#include "ops/row.h"
#include "core/dtype.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { MAX_AXES = 2 * VN_MAX_RANK }; /* elementary axes of both sides */

typedef struct {
    const char *name; /* in the pattern; NULL: one of the axes of "..." */
    int length;
    int64_t size; /* -1: not known yet */
} axis;

typedef struct {
    int n, n_groups;        /* elementary axes; axes of the array */
    int axis[VN_MAX_RANK];  /* which elementary axis */
    int group[VN_MAX_RANK]; /* which axis of the array it belongs to */
    bool dots;              /* has "..." */
} side;

typedef struct {
    axis axes[MAX_AXES];
    int n, first_dot, n_dots; /* axes; those of "..." */
    side left, right;
} pattern;

/* ---- reading ---- */

static bool is_blank(char c)
{
    return c == ',' || isspace((unsigned char)c);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The elementary axis of that name, -1 if there is none. Each number is a separate axis. */
static int find_axis(const pattern *p, const char *name, int length)
{
    for (int k = 0; k < p->n && !isdigit((unsigned char)*name); k++) {
        if (p->axes[k].name && p->axes[k].length == length && !memcmp(p->axes[k].name, name, (size_t)length)) return k;
    }
    return -1;
}

static int put(vn__infer *i, side *s, int axis_number)
{
    if (s->n == VN_MAX_RANK) FAIL(VN_E_SHAPE, "a side of the pattern has more than %d axes (%s)", VN_MAX_RANK, i->engine);
    for (int k = 0; k < s->n; k++) {
        if (s->axis[k] == axis_number) FAIL(VN_E_ARG, "an axis is twice on one side of the pattern (%s)", i->engine);
    }
    s->axis[s->n] = axis_number;
    s->group[s->n++] = s->n_groups;
    return VN_OK;
}

static int put_name(vn__infer *i, pattern *p, side *s, const char *name, int length)
{
    int k = find_axis(p, name, length);
    if (k < 0) {
        if (p->n == MAX_AXES) FAIL(VN_E_SHAPE, "the pattern has more than %d axes (%s)", MAX_AXES, i->engine);
        int64_t size = -1;
        errno = 0;
        if (isdigit((unsigned char)*name)) {
            char *end;
            size = strtoll(name, &end, 10);
            if (errno || end != name + length || size < 1)
                FAIL(VN_E_ARG, "\"%.*s\" is neither a name nor a size (%s)", length, name, i->engine);
        }
        k = p->n++;
        p->axes[k] = (axis){name, length, size};
    }
    return put(i, s, k);
}

/* "..." : n_dots axes, each an axis of the array unless in parentheses. */
static int put_dots(vn__infer *i, pattern *p, side *s, bool inside)
{
    if (s->dots) FAIL(VN_E_ARG, "\"...\" is twice on one side of the pattern (%s)", i->engine);
    if (inside && s == &p->left) FAIL(VN_E_ARG, "\"...\" is in parentheses on the left side of the pattern (%s)", i->engine);
    s->dots = true;
    for (int k = 0; k < p->n_dots; k++) {
        int code = put(i, s, p->first_dot + k);
        if (code) return code;
        if (!inside) s->n_groups++;
    }
    return VN_OK;
}

/* The number of axes that one side names, without "...". */
static int named_axes(const char *s, const char *end)
{
    int n = 0;
    bool inside = false, in_name = false;
    for (; s < end; s++) {
        n += !inside && (*s == '(' || (is_name(*s) && !in_name));
        in_name = is_name(*s);
        inside = *s == '(' || (inside && *s != ')');
    }
    return n;
}

static int read_side(vn__infer *i, pattern *p, side *s, const char *from, const char *end)
{
    bool inside = false;
    int code = VN_OK;
    for (const char *at = from; at < end && !code; at++) {
        if (is_blank(*at)) continue;
        if (*at == '(' || *at == ')') {
            if (inside == (*at == '(')) FAIL(VN_E_ARG, "parentheses do not match at \"%.20s\" (%s)", at, i->engine);
            inside = *at == '(';
            s->n_groups += !inside;
        } else if (end - at >= 3 && !strncmp(at, "...", 3)) {
            code = put_dots(i, p, s, inside);
            at += 2;
        } else if (is_name(*at)) {
            int length = 1;
            while (at + length < end && is_name(at[length])) length++;
            code = put_name(i, p, s, at, length);
            at += length - 1;
            if (!inside) s->n_groups++;
        } else {
            FAIL(VN_E_ARG, "\"%.20s\" is not valid in a pattern (%s)", at, i->engine);
        }
        if (s->n_groups > VN_MAX_RANK) FAIL(VN_E_SHAPE, "a rank above %d (%s)", VN_MAX_RANK, i->engine);
    }
    if (inside) FAIL(VN_E_ARG, "a parenthesis is not closed (%s)", i->engine);
    return code;
}

static int give_size(vn__infer *i, pattern *p, const char *name, int length, int64_t size)
{
    int k = find_axis(p, name, length);
    if (k < 0 || p->axes[k].size >= 0)
        FAIL(VN_E_ARG, "\"%.*s\" is %s (%s)", length, name, k < 0 ? "no axis of the pattern" : "given twice", i->engine);
    p->axes[k].size = size;
    return VN_OK;
}

/* "h w" with the lengths 2 and 3 */
static int read_lengths(vn__infer *i, pattern *p, const char *s, int n, const int64_t *lengths)
{
    int code = VN_OK, k = 0;
    if (!strcmp(s, "none")) s = "";
    for (; !code; k++) {
        while (is_blank(*s)) s++;
        int length = 0;
        while (is_name(s[length])) length++;
        if (!*s) break;
        if (!length) FAIL(VN_E_ARG, "\"%.20s\" is no name of an axis (%s)", s, i->engine);
        if (k < n && lengths[k] < 0) FAIL(VN_E_ARG, "the length of \"%.*s\" is %lld (%s)", length, s, (long long)lengths[k], i->engine);
        if (k < n) code = give_size(i, p, s, length, lengths[k]);
        s += length;
    }
    if (!code && k != n) FAIL(VN_E_ARG, "%d names and %d lengths (%s)", k, n, i->engine);
    return code;
}

/* Computes the unknown size in one axis of x, if there is only one. */
static int solve_group(vn__infer *i, pattern *p, int group, int64_t size)
{
    int64_t known = 1;
    axis *open = NULL;
    for (int k = 0; k < p->left.n; k++) {
        axis *a = &p->axes[p->left.axis[k]];
        if (p->left.group[k] != group) continue;
        if (a->size < 0 && open)
            FAIL(VN_E_ARG, "sizes of \"%.*s\" and \"%.*s\" do not follow from axis %d; give one of them (%s)", open->length, open->name,
                 a->length, a->name, group, i->engine);
        if (a->size < 0) open = a;
        else if (__builtin_mul_overflow(known, a->size, &known)) FAIL(VN_E_SHAPE, "sizes in axis %d are too large (%s)", group, i->engine);
    }
    if (open && known && size % known == 0) open->size = size / known, known = size;
    if (known != size || (open && open->size < 0))
        FAIL(VN_E_SHAPE, "axis %d has size %lld, the pattern has %lld there (%s)", group, (long long)size, (long long)known, i->engine);
    return VN_OK;
}

static bool on(const side *s, int axis_number)
{
    for (int k = 0; k < s->n; k++) {
        if (s->axis[k] == axis_number) return true;
    }
    return false;
}

/* Axes on only one side: on the left they are reduced, on the right repeated. An unnamed axis of size 1 may always be added or removed. */
static int check_sides(vn__infer *i, const pattern *p, bool reduces, bool repeats)
{
    for (int k = 0; k < p->n; k++) {
        const axis *a = &p->axes[k];
        bool left = on(&p->left, k), right = on(&p->right, k), single = a->name && isdigit((unsigned char)*a->name) && a->size == 1;
        if ((left && right) || single) continue;
        if (left && !reduces)
            FAIL(VN_E_ARG, "\"%.*s\" is on the left side of the pattern only (%s)", a->name ? a->length : 3, a->name ? a->name : "...",
                 i->engine);
        if (right && !repeats) FAIL(VN_E_ARG, "\"%.*s\" is on the right side of the pattern only (%s)", a->length, a->name, i->engine);
        if (a->size < 0) FAIL(VN_E_ARG, "the size of \"%.*s\" is not given (%s)", a->length, a->name, i->engine);
    }
    return VN_OK;
}

_Static_assert(AGREE(REARRANGE, EINOPS_REDUCE, PATTERN) && AGREE(REARRANGE, EINOPS_REPEAT, PATTERN) &&
                   AGREE(REARRANGE, EINOPS_REPEAT, NAMES) && AGREE(REARRANGE, EINOPS_REPEAT, LENGTHS),
               "the rows number their options alike");

static bool is_reduce(const vn__infer *i) /* of the three rows only one names a reduction */
{
    return !strcmp(i->op->info.options[OPT_EINOPS_REDUCE_REDUCTION].name, "reduction");
}

static int read_pattern(vn__infer *i, pattern *p)
{
    const vn__node *x = i->in[0];
    const char *text = i->options->v[OPT_REARRANGE_PATTERN].u.s, *arrow = text ? strstr(text, "->") : NULL;
    char s[128];
    *p = (pattern){.n = 0};
    if (!text) FAIL(VN_E_NULL, "pattern is NULL (%s)", i->engine);
    if (!arrow || strstr(arrow + 2, "->")) FAIL(VN_E_ARG, "\"%.100s\" is not a pattern: one \"->\" is needed (%s)", text, i->engine);
    const char *dots = strstr(text, "...");
    int named = named_axes(text, arrow);
    bool open = dots && dots < arrow;
    if (open ? named > x->rank : named != x->rank)
        FAIL(VN_E_SHAPE, "\"%.100s\" names %d axes, x is %s (%s)", text, named, shape_text(x, s), i->engine);
    if (dots && !open) FAIL(VN_E_ARG, "\"...\" is on the right side of the pattern only (%s)", i->engine);
    for (p->n_dots = open ? x->rank - named : 0; p->n < p->n_dots; p->n++) p->axes[p->n] = (axis){.size = -1};
    int code = read_side(i, p, &p->left, text, arrow);
    if (!code) code = read_side(i, p, &p->right, arrow + 2, text + strlen(text));
    const int names = is_reduce(i) ? OPT_EINOPS_REDUCE_NAMES : OPT_REARRANGE_NAMES;
    const int lengths = is_reduce(i) ? OPT_EINOPS_REDUCE_LENGTHS : OPT_REARRANGE_LENGTHS;
    if (!code) code = read_lengths(i, p, i->options->v[names].u.s, i->options->v[lengths].n, i->options->v[lengths].is);
    for (int k = 0; k < x->rank && !code; k++) code = solve_group(i, p, k, vn__node_dims(x)[k]);
    return code;
}

/* ---- the three rows ---- */

static int shape_of_pattern(vn__infer *i, bool reduces, bool repeats)
{
    pattern p;
    int code = read_pattern(i, &p);
    if (!code) code = check_sides(i, &p, reduces, repeats);
    if (code) return code;
    i->rank = p.right.n_groups;
    for (int k = 0; k < i->rank; k++) i->dims[k] = 1;
    for (int k = 0; k < p.right.n; k++) {
        int64_t *d = &i->dims[p.right.group[k]];
        if (__builtin_mul_overflow(*d, p.axes[p.right.axis[k]].size, d))
            FAIL(VN_E_SHAPE, "axis %d gets too large to address (%s)", p.right.group[k], i->engine);
    }
    return VN_OK;
}

int shape_rearrange(vn__infer *i)
{
    return shape_of_pattern(i, false, false);
}
int shape_einops_reduce(vn__infer *i)
{
    return shape_of_pattern(i, true, false);
}
int shape_einops_repeat(vn__infer *i)
{
    return shape_of_pattern(i, false, true);
}

typedef vn_array *(*reduction)(vn_array *x, vn_axes axes);
static const struct { /* in the order of the row's texts */
    reduction reduce;
    int (*dtype)(vn__infer *i);
    uint32_t dtypes;
} reductions[] = {{vn_sum, dtype_sum, VN_ANY},
                  {vn_mean, dtype_same, VN_FLOATS},
                  {vn_max, dtype_same, VN_REAL},
                  {vn_min, dtype_same, VN_REAL},
                  {vn_prod, dtype_sum, VN_ANY}};

int dtype_einops_reduce(vn__infer *i)
{
    const int k = vn__choice(i, OPT_EINOPS_REDUCE_REDUCTION);
    if (!vn__is(i->in[0]->dtype, reductions[k].dtypes))
        FAIL(VN_E_DTYPE, "x is %s, which %s does not take (%s)", dtype_text(i->in[0]->dtype),
             i->options->v[OPT_EINOPS_REDUCE_REDUCTION].u.s, i->engine);
    return reductions[k].dtype(i);
}

static vn_array *reduced(vn_array *x, const vn__infer *i, vn_axes axes)
{
    return reductions[vn__choice(i, OPT_EINOPS_REDUCE_REDUCTION)].reduce(x, axes);
}

/* Unnamed axes of size 1 on only one side are neither reduced nor repeated: reshaping adds and removes them. */
vn_array *compose_einops(vn_array *const *in, const vn__infer *i)
{
    pattern p;
    vn__infer again = *i;
    if (read_pattern(&again, &p)) return NULL;
    vn_shape full = {.rank = p.left.n}, made = {.rank = 0}, wide = {.rank = p.right.n};
    vn_axes gone = {.n = 0}, order = {.n = 0};
    int place[MAX_AXES], at = 0;
    for (int k = 0; k < p.left.n; k++) {
        full.dim[k] = p.axes[p.left.axis[k]].size;
        if (on(&p.right, p.left.axis[k])) place[p.left.axis[k]] = at++;
        else gone.axis[gone.n++] = k;
    }
    for (int k = 0; k < p.right.n; k++) {
        bool kept = on(&p.left, p.right.axis[k]);
        wide.dim[k] = p.axes[p.right.axis[k]].size;
        made.dim[made.rank++] = kept ? wide.dim[k] : 1;
        if (kept) order.axis[order.n++] = place[p.right.axis[k]];
    }
    vn_array *x = vn_reshape(in[0], full);
    if (is_reduce(i)) x = reduced(x, i, gone);
    else if (gone.n) x = vn_squeeze(x, gone);
    x = vn_reshape(vn_permute_dims(x, order), made);
    return vn_reshape(vn_broadcast_to(x, wide), vn__result_shape(i));
}
