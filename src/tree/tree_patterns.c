/* SPDX-License-Identifier: Apache-2.0 */
/* tree_patterns.c: patterns of axes applied to every array of a tree. */
#include "tree/tree.h"

typedef struct {
    const char *pattern;
    const void *opts;
} wording;

static vn_array *rearrange(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_rearrange(x, w->pattern, w->opts);
}

static vn_array *reduce(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_einops_reduce(x, w->pattern, w->opts);
}

static vn_array *repeat(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_einops_repeat(x, w->pattern, w->opts);
}

static vn_tree *each(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), wording w, const char *who)
{
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_map(t, f, &w), who);
}

vn_tree *vn_tree_rearrange(const vn_tree *t, const char *pattern, const vn_rearrange_opts *opts)
{
    return each(t, rearrange, (wording){pattern, opts}, "tree_rearrange");
}

vn_tree *vn_tree_einops_reduce(const vn_tree *t, const char *pattern, const vn_einops_reduce_opts *opts)
{
    return each(t, reduce, (wording){pattern, opts}, "tree_einops_reduce");
}

vn_tree *vn_tree_einops_repeat(const vn_tree *t, const char *pattern, const vn_einops_repeat_opts *opts)
{
    return each(t, repeat, (wording){pattern, opts}, "tree_einops_repeat");
}
