/* SPDX-License-Identifier: Apache-2.0 */
/* trees.h: trees for tests, and trees as text: "a:1 b/c:2 d:null e:{}". */
#ifndef TREES_H
#define TREES_H

#include "check.h"

static inline vn_array *num(double v)
{
    return vn_full(vn_scalar(v), VN_SHAPE(1), VN_F32);
}

static inline const char *written(const vn_tree *t)
{
    static char all[4][2048];
    static int next;
    char *to = all[next++ % 4];
    size_t at = 0;
    *to = 0;
    VN_SCOPE;
    const vn_tree_item *it = vn_tree_iterate(t, VN_OPTS(tree_iterate, .include_empty = 1), NULL);
    for (; it && it->chain && at < 1900; it++) {
        at += (size_t)snprintf(to + at, 2048 - at, "%s%s:", at ? " " : "", it->chain);
        if (it->value.kind == VN_V_NULL) at += (size_t)snprintf(to + at, 2048 - at, "null");
        else if (it->value.kind == VN_V_NUMBER) at += (size_t)snprintf(to + at, 2048 - at, "#%g", it->value.u.number);
        else if (it->value.kind == VN_V_TREE) at += (size_t)snprintf(to + at, 2048 - at, "{}");
        else if (vn_size(it->value.u.array) == 1) at += (size_t)snprintf(to + at, 2048 - at, "%g", vn_item(it->value.u.array));
        else at += (size_t)snprintf(to + at, 2048 - at, "[%d]", (int)vn_size(it->value.u.array));
    }
    return to;
}

#define IS(tree, text)                                                       \
    do {                                                                     \
        const vn_tree *is_tree = (tree);                                     \
        const char *is_text = is_tree ? written(is_tree) : "(NULL)";         \
        if (strcmp(is_text, text)) fprintf(stderr, "got \"%s\"\n", is_text); \
        CHECK(!strcmp(is_text, text));                                       \
    } while (0)

static inline vn_tree *abc(void)
{
    return vn_tree_of("a", num(1), "b/c", num(2), "b/d", num(3), NULL);
}

static inline bool same_list(const char *const *list, const char *const *expected)
{
    if (!list) return false;
    for (; *list && *expected; list++, expected++) {
        if (strcmp(*list, *expected)) return false;
    }
    return !*list && !*expected;
}

#endif
