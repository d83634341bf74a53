/* tree_patterns.c: patterns of axes applied to every array of a tree. */
#include "tree/tree.h"

typedef struct {
    const char *pattern, *reduction, *sizes;
} wording;

static vn_array *rearrange(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_rearrange(x, w->pattern, VN_OPTS(rearrange, .sizes = w->sizes));
}

static vn_array *reduce(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_einops_reduce(x, w->pattern, w->reduction, VN_OPTS(einops_reduce, .sizes = w->sizes));
}

static vn_array *repeat(vn_array *x, void *to)
{
    const wording *w = to;
    return vn_einops_repeat(x, w->pattern, VN_OPTS(einops_repeat, .sizes = w->sizes));
}

static vn_tree *each(const vn_tree *t, vn_array *(*f)(vn_array *x, void *to), wording w, const char *who)
{
    if (!vn__tree_ok(t, who, "t")) return NULL;
    vn_scope scope = vn_scope_begin();
    return vn__tree_out(scope, vn__tree_map(t, f, &w), who);
}

vn_tree *vn_tree_rearrange(const vn_tree *t, const char *pattern, const char *sizes)
{
    return each(t, rearrange, (wording){pattern, NULL, sizes}, "tree_rearrange");
}

vn_tree *vn_tree_einops_reduce(const vn_tree *t, const char *pattern, const char *reduction, const char *sizes)
{
    return each(t, reduce, (wording){pattern, reduction, sizes}, "tree_einops_reduce");
}

vn_tree *vn_tree_einops_repeat(const vn_tree *t, const char *pattern, const char *sizes)
{
    return each(t, repeat, (wording){pattern, NULL, sizes}, "tree_einops_repeat");
}
