/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h: all tree functions. vinea.h has the few that most programs need.
 *
 * A tree is an ordered map from names to values. A value is an array, a tree, a number or null:
 *
 *     vn_tree *t = vn_tree_of("enc/w", w, "enc/b", b, NULL);
 *     vn_tree_set_number(t, "rate", .1);
 *     vn_tree *u = vn_tree_prune_keys(t, VN_KEYS("b"), NULL);
 *     puts(vn_tree_text(u));
 *
 * Key chains. Keys joined by '/' (or '.', so keys contain neither) reach into nested trees; "" is the tree itself. A chain has at most
 * 64 keys of at most 1024 bytes each. In a list of chains that selects something, a chain selects everything at or below it.
 *
 * Order. Keys are sorted by their bytes, or kept in insertion order (vn_tree_new); trees created inside a tree inherit its
 * setting. Walks are depth first in that order.
 *
 * Lists are trees in order of insertion with the keys 0, 1, 2 ... (vn_tree_list, vn_tree_append), so "layers/0/w" reaches into one,
 * and all functions descend into lists.
 *
 * Ownership. What a function returns (trees, arrays, texts, lists) belongs to the innermost scope; texts and lists cannot be passed
 * out of it: copy them. Trees hold references to their entries. Functions named set, append, create, assign or update change their tree;
 * all others return a new tree, which shares unchanged sub-trees and leaves (the same
 * handles). To use one of those in place: vn_tree_assign(t, vn_tree_prune_empty(t)).
 *
 * Errors. A failed function returns NULL, -1, a code or a value of kind VN_V_NONE, the thread keeps the first error, and no tree
 * changes. NULL given for a tree is VN_E_NULL; trees deeper than 64 or with more than 16 million entries are VN_E_STRUCT. */
#ifndef VINEA_TREE_H
#define VINEA_TREE_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

typedef enum vn_value_kind {
    VN_V_NONE = 0, /* absent, or the call failed */
    VN_V_NULL = 1,
    VN_V_NUMBER = 2,
    VN_V_ARRAY = 3,
    VN_V_TREE = 4
} vn_value_kind;

typedef struct vn_value {
    int32_t kind; /* vn_value_kind */
    union {
        double number;
        vn_array *array;
        vn_tree *tree;
    } u;
} vn_value;

static inline vn_value vn_value_null(void)
{
    vn_value v = {VN_V_NULL, {0}};
    return v;
}
static inline vn_value vn_value_number(double number)
{
    vn_value v = {VN_V_NUMBER, {0}};
    v.u.number = number;
    return v;
}
static inline vn_value vn_value_array(vn_array *x)
{
    vn_value v = {VN_V_ARRAY, {0}};
    v.u.array = x;
    return v;
}
static inline vn_value vn_value_tree(vn_tree *t)
{
    vn_value v = {VN_V_TREE, {0}};
    v.u.tree = t;
    return v;
}

/* A NULL-terminated list of keys or chains. */
#ifndef __cplusplus
#define VN_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})
#endif

/* One entry of a tree. */
typedef struct vn_tree_item {
    const char *chain;
    vn_value value;
} vn_tree_item;

/* ---- creating, looking up, setting ---------------------------------------------------------------------------------------------- */

typedef struct vn_tree_opts {
    size_t size VN_UNSET;
    int insertion_order VN_UNSET; /* keys keep their insertion order instead of being sorted */
    int reserved VN_UNSET;        /* 0 */
    int64_t print_limit VN_UNSET; /* arrays with more elements are printed as their shape; 0: 10 */
} vn_tree_opts;

/* An empty tree. */
VN_API vn_tree *vn_tree_new(const vn_tree_opts *opts);
/* A list of arrays. n may be 0; vn_tree_append adds to it. */
VN_API vn_tree *vn_tree_list(int n, vn_array *const *arrays);
/* Adds a value to a list, or to any tree under the first free key of the form 0, 1, 2 ... from the number of entries on. Returns a code. */
VN_API int vn_tree_append(vn_tree *t, vn_value value);

/* How many entries the tree itself has, and the tree that is entry i of a list, in the order of the numbers that are its keys: 0, 1 ..., or
 * v0, v1 ... of the layers of a network, where those without variables have none; where a key is a name instead, in the order of the tree.
 * -1 and NULL on failure.
 *
 *     const vn_tree *l = vn_tree_get_tree(vn_module_v(net), "submodules");
 *     for (int i = 0; i < vn_tree_count(l); i++) printf("%d arrays\n", vn_tree_leaves(vn_tree_at(l, i))); */
VN_API int vn_tree_count(const vn_tree *t);
VN_API vn_tree *vn_tree_at(const vn_tree *list, int i);

/* Set the value at a chain, creating missing trees along it. Return a code: VN_E_STRUCT if an entry along the chain is not a tree. */
VN_API int vn_tree_set_number(vn_tree *t, const char *chain, double number);
VN_API int vn_tree_set_null(vn_tree *t, const char *chain);
VN_API int vn_tree_set_value(vn_tree *t, const char *chain, vn_value value);
/* The same if the chain has no entry; otherwise no change. */
VN_API int vn_tree_create_if_absent(vn_tree *t, const char *chain, vn_value value);

/* The value at a chain; VN_E_STRUCT if there is none. */
VN_API vn_value vn_tree_value(const vn_tree *t, const char *chain);
/* The same, but kind VN_V_NONE without an error if there is none. */
VN_API vn_value vn_tree_if_exists(const vn_tree *t, const char *chain);
/* The same, but the tree itself if there is none. */
VN_API vn_value vn_tree_try_key_chain(const vn_tree *t, const char *chain);
/* The array at a chain, or NULL without an error if there is none. */
VN_API vn_array *vn_tree_get_or_null(const vn_tree *t, const char *chain);
/* 1 if the chain has an entry ("" always has), else 0. The same as vn_tree_has. */
VN_API int vn_tree_has_key_chain(const vn_tree *t, const char *chain);
/* 1 if the key occurs in the tree, at any depth. */
VN_API int vn_tree_has_key(const vn_tree *t, const char *key);
/* The keys of the top level, in order, NULL-terminated; their number in *n, which may be NULL. */
VN_API const char *const *vn_tree_keys(const vn_tree *t, int *n);

/* ---- changing in place -------------------------------------------------------------------------------------------------------- */

/* t gets the contents of `from`. Sub-trees of t whose chain is also a tree in `from` keep their handles. Returns a code. */
VN_API int vn_tree_assign(vn_tree *t, const vn_tree *from);
/* Sets every entry of `from` in t, in place at every depth; other entries of t are kept. Returns a code. */
VN_API int vn_tree_inplace_update(vn_tree *t, const vn_tree *from);

/* ---- new trees with other entries --------------------------------------------------------------------------------------------- */

/* The tree with a value at a chain; missing trees are created. */
VN_API vn_tree *vn_tree_set_at_key_chain(const vn_tree *t, const char *chain, vn_value value);
/* The same, but VN_E_STRUCT if the chain has no entry. */
VN_API vn_tree *vn_tree_overwrite_at_key_chain(const vn_tree *t, const char *chain, vn_value value);
/* The tree with every leaf of `from` at the same chain. */
VN_API vn_tree *vn_tree_set_at_key_chains(const vn_tree *t, const vn_tree *from);
/* The same, but VN_E_STRUCT, naming the chain, if t has no entry for a leaf of `from`. */
VN_API vn_tree *vn_tree_overwrite_at_key_chains(const vn_tree *t, const vn_tree *from);
/* The tree with the value of every occurrence of a key of `map`, at any depth, replaced by map's value. */
VN_API vn_tree *vn_tree_set_at_keys(const vn_tree *t, const vn_tree *map);

typedef struct vn_tree_select_opts {
    size_t size VN_UNSET;
    int ignore_missing VN_UNSET; /* at_key_chains: missing chains are ignored */
    int containing VN_UNSET;     /* at_keys, prune_keys, prune_key_from_key_chains: match parts of keys */
    int keep_nulls VN_UNSET;     /* prune_empty: null leaves stay */
    int all_depths VN_UNSET;     /* slice_keys, slice_letters: in every sub-tree too */
} vn_tree_select_opts;
/* The tree with only these chains. A missing chain is VN_E_STRUCT, unless ignored. */
VN_API vn_tree *vn_tree_at_key_chains(const vn_tree *t, const char *const *chains, const vn_tree_select_opts *opts);
/* The tree with only those leaves that have one of these keys in their chain. */
VN_API vn_tree *vn_tree_at_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts);
/* The tree without everything at or below these chains; trees that become empty are removed. Missing chains are ignored. */
VN_API vn_tree *vn_tree_prune_key_chain(const vn_tree *t, const char *chain);
VN_API vn_tree *vn_tree_prune_key_chains(const vn_tree *t, const char *const *chains);
/* The tree without these keys, at any depth; trees that become empty are removed. */
VN_API vn_tree *vn_tree_prune_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts);
/* The tree without empty trees and, unless kept, null leaves. */
VN_API vn_tree *vn_tree_prune_empty(const vn_tree *t, const vn_tree_select_opts *opts VN_OR(NULL));
/* Removes a level: the children of every tree with this key move up one level. A leaf with such a key replaces its tree. VN_E_STRUCT if two
 * entries then have the same chain. */
VN_API vn_tree *vn_tree_prune_key_from_key_chains(const vn_tree *t, const char *key, const vn_tree_select_opts *opts VN_OR(NULL));

/* ---- walking ------------------------------------------------------------------------------------------------------------------ */

typedef struct vn_tree_iterate_opts {
    size_t size VN_UNSET;
    int include_empty VN_UNSET;  /* empty trees are visited too */
    int leaf_keys_only VN_UNSET; /* the last key of each chain instead of the chain */
    int arrays_only VN_UNSET;    /* no numbers, no null leaves */
    int reserved VN_UNSET;       /* 0 */
} vn_tree_iterate_opts;
/* The leaves with their chains, depth first, terminated by an item with chain NULL. Their number in *n, which may be NULL. */
VN_API const vn_tree_item *vn_tree_iterate(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n);
/* Only the chains, NULL-terminated. */
VN_API const char *const *vn_tree_all_key_chains(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n);
/* Those that contain this text. */
VN_API const char *const *vn_tree_key_chains_containing(const vn_tree *t, const char *text, const vn_tree_iterate_opts *opts, int *n);
/* The chains of leaves that all trees have, NULL-terminated. */
VN_API const char *const *vn_tree_common_key_chains(int n_trees, const vn_tree *const *trees, int *n);

/* User functions. They run in their own scope, and their result is passed out of it. VN_V_NONE means failure. They must not change the
 * trees being walked. */
typedef vn_value (*vn_tree_map_fn)(vn_value value, const char *chain, void *user);
typedef vn_value (*vn_tree_multi_fn)(const vn_value *values, int n, const char *chain, void *user);
typedef struct vn_tree_map_opts {
    size_t size VN_UNSET;
    const char *const *key_chains VN_UNSET; /* only what is at or below these; NULL: all */
    int others VN_UNSET;                    /* all but these instead */
    int prune_unapplied VN_UNSET;           /* drops leaves that fn was not applied to */
    int inplace VN_UNSET;                   /* map, map_sub_trees: changes and returns t itself; its sub-trees keep their handles */
    int no_self VN_UNSET;                   /* map_sub_trees: excludes the tree itself */
    int assert_identical VN_UNSET;          /* multi_map: VN_E_STRUCT with a description if the structures differ */
    int reserved VN_UNSET;                  /* 0 */
} vn_tree_map_opts;
/* fn applied to every leaf: arrays, numbers and null. Same structure. */
VN_API vn_tree *vn_tree_map(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts VN_OR(NULL));
/* fn applied to every array; numbers and null are kept. */
VN_API vn_tree *vn_tree_map_arrays(const vn_tree *t, vn_array_fn fn, void *user);
/* fn applied to every sub-tree, innermost first (so that it sees the results), and finally to the tree itself, for which it must return
 * a tree. */
VN_API vn_tree *vn_tree_map_sub_trees(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts VN_OR(NULL));
/* fn applied leaf by leaf to several trees. Inputs that are not trees are repeated for every leaf. The result has all keys of all
 * trees; fn gets the values that exist, and where one tree has a leaf and another a sub-tree at the same chain, both. */
VN_API vn_tree *vn_tree_multi_map(vn_tree_multi_fn fn, int n, const vn_value *in, void *user, const vn_tree_map_opts *opts);
/* fn applied leaf by leaf to trees of the same structure (VN_E_STRUCT with a description if they differ). */
VN_API vn_tree *vn_tree_reduce(int n, const vn_tree *const *trees, vn_tree_multi_fn fn, void *user);

/* Any op of the table on trees: vn_call leaf by leaf. Each input is an array (VN_NONE for an absent one), a number or a tree. Trees are
 * aligned by chain, other inputs are used for every leaf. Each result is a tree with the structure of the first tree, or an array if there
 * is no tree. A leaf that is null in all trees stays null. A chain that only some trees have is VN_E_STRUCT. Returns a code; out holds
 * VN_V_NONE on failure. */
VN_API int vn_tree_apply(const char *op, const vn_value *in, int n_in, const vn_option *options, int n_options, vn_value *out, int n_out);

/* ---- structure ---------------------------------------------------------------------------------------------------------------- */

typedef struct vn_tree_flatten_opts {
    size_t size VN_UNSET;
    int include_empty VN_UNSET;
    int above_height VN_UNSET; /* the lowest levels that stay nested */
    int below_depth VN_UNSET;  /* the highest levels that stay nested */
    int reserved VN_UNSET;     /* 0 */
} vn_tree_flatten_opts;
/* One level deep: the keys of each chain joined by "__". VN_E_STRUCT if two leaves then have the same key. */
VN_API vn_tree *vn_tree_flatten_key_chains(const vn_tree *t, const vn_tree_flatten_opts *opts VN_OR(NULL));
/* All leaves in order; and the inverse, a tree with t's structure and other leaves. n must be the number of t's leaves. */
VN_API const vn_value *vn_tree_to_flat_list(const vn_tree *t, int *n);
VN_API vn_tree *vn_tree_from_flat_list(const vn_tree *t, int n, const vn_value *leaves);

/* The tree without keys: every tree becomes a list of its values, in order. */
VN_API vn_tree *vn_tree_to_nested_list(const vn_tree *t);

typedef struct vn_tree_restructure_opts {
    size_t size VN_UNSET;
    int keep_orig VN_UNSET; /* start with t instead of an empty tree */
    int replace VN_UNSET;   /* with keep_orig: moved entries are removed from their old chain */
} vn_tree_restructure_opts;
typedef struct vn_tree_move {
    const char *from VN_UNSET, *to VN_UNSET; /* chains; "" is the whole tree */
    const vn_shape *split VN_UNSET;          /* on every array at or below `from`: first vn_reshape to this, unless NULL; */
    const vn_axes *axes VN_UNSET;            /* then vn_permute_dims, unless NULL; */
    const vn_shape *shape VN_UNSET;          /* then vn_reshape, unless NULL; */
    const char *pattern VN_UNSET;            /* then vn_rearrange by this pattern, unless NULL, */
    const vn_rearrange_opts *opts VN_UNSET;  /* with these options; NULL: none */
} vn_tree_move;
/* Moves leaves and sub-trees: pairs of old and new chain, NULL-terminated. VN_E_STRUCT if an old chain is missing. */
VN_API vn_tree *vn_tree_restructure_key_chains(const vn_tree *t, const char *const *pairs, const vn_tree_restructure_opts *opts);
/* The same, with a transposition of each array. */
VN_API vn_tree *vn_tree_restructure(const vn_tree *t, int n, const vn_tree_move *moves, const vn_tree_restructure_opts *opts);

/* Empties sub-trees at that depth (the root has depth 0), so that no chain has more than `depth` keys. */
VN_API vn_tree *vn_tree_cutoff_at_depth(const vn_tree *t, int depth);
/* Empties sub-trees of at most that height (a tree with only leaves has height 1), including the tree itself. */
VN_API vn_tree *vn_tree_cutoff_at_height(const vn_tree *t, int height);
/* Keeps the keys number begin to end - 1; negative numbers count from the end. */
VN_API vn_tree *vn_tree_slice_keys(const vn_tree *t, int64_t begin, int64_t end, const vn_tree_select_opts *opts VN_OR(NULL));
/* Keeps the keys whose first letter is in the range, both ends included. */
VN_API vn_tree *vn_tree_slice_letters(const vn_tree *t, char first, char last, const vn_tree_select_opts *opts VN_OR(NULL));
/* Replaces each tree that has this key with the value under it, inner trees first. VN_E_STRUCT if that makes the root a leaf. */
VN_API vn_tree *vn_tree_slice_via_key(const vn_tree *t, const char *key);
/* The same entries with sorted keys at every depth. */
VN_API vn_tree *vn_tree_sort_by_key(const vn_tree *t);
/* Every leaf at the chain that fn returns for its chain; the returned string is copied. VN_E_STRUCT if two leaves get the same chain. */
typedef const char *(*vn_tree_name_fn)(const char *chain, void *user);
VN_API vn_tree *vn_tree_format_key_chains(const vn_tree *t, vn_tree_name_fn fn, void *user);

/* The union of the trees; on conflict the last one wins, except that sub-trees at the same chain are combined recursively. */
VN_API vn_tree *vn_tree_combine(int n, const vn_tree *const *trees);
/* Trees of the same structure: at each chain a list of their values. */
VN_API vn_tree *vn_tree_list_stack(int n, const vn_tree *const *trees);
/* Concatenates lists: at each chain where all trees have a list, one list of all items. VN_E_STRUCT at a leaf outside lists. */
VN_API vn_tree *vn_tree_list_join(int n, const vn_tree *const *trees);
/* The sum or mean of the arrays of trees of the same structure, or their concatenation along the first axis (0-d arrays and
 * numbers as vectors of one element). Numbers too; null stays null. */
typedef enum vn_unify_mode { VN_UNIFY_SUM = 0, VN_UNIFY_MEAN = 1, VN_UNIFY_CONCAT = 2 } vn_unify_mode;
VN_API vn_tree *vn_tree_unify(int n, const vn_tree *const *trees, vn_unify_mode mode);

/* Arrays along an axis; negative axes count from the end. 0-d arrays, numbers and null are unchanged. */
VN_API vn_tree *vn_tree_index(const vn_tree *t, int64_t index);              /* t[i]: element i of the first axis, negative from the end */
VN_API vn_tree *vn_tree_slice(const vn_tree *t, int64_t begin, int64_t end); /* t[begin:end], clamped to the axis as in Python */
/* One tree per element of the axis, without that axis; NULL-terminated. All arrays must have the same size there. */
VN_API vn_tree *const *vn_tree_unstack(const vn_tree *t, int axis, int *n);
/* n trees of equal parts; NULL-terminated. The axis of each array must be divisible by n. */
VN_API vn_tree *const *vn_tree_split(const vn_tree *t, int n, int axis);

/* vn_rearrange, vn_einops_reduce and vn_einops_repeat of every array; numbers and null are kept. */
VN_API vn_tree *vn_tree_rearrange(const vn_tree *t, const char *pattern, const vn_rearrange_opts *opts VN_OR(NULL));
VN_API vn_tree *vn_tree_einops_reduce(const vn_tree *t, const char *pattern, const vn_einops_reduce_opts *opts VN_OR(NULL));
VN_API vn_tree *vn_tree_einops_repeat(const vn_tree *t, const char *pattern, const vn_einops_repeat_opts *opts VN_OR(NULL));

/* A tree with its own sub-trees and the same leaves. */
VN_API vn_tree *vn_tree_copy(const vn_tree *t);
/* The same with its own handles for the arrays: vn_into and vn_step on one do not affect the other. Handles shared within the tree stay
 * shared. */
VN_API vn_tree *vn_tree_deep_copy(const vn_tree *t);

/* ---- comparing ---------------------------------------------------------------------------------------------------------------- */

typedef struct vn_tree_identical_opts {
    size_t size VN_UNSET;
    int no_types VN_UNSET;                  /* dtypes may differ, and numbers may be compared with 0-d arrays */
    int no_shapes VN_UNSET;                 /* shapes may differ (unless arrays are compared by identity or value) */
    int no_same_arrays VN_UNSET;            /* arrays need not be the same handles */
    int no_arrays_equal VN_UNSET;           /* with no_same_arrays: arrays need not have equal values either */
    int partial VN_UNSET;                   /* ignores keys that only one of the compared trees has */
    int reserved VN_UNSET;                  /* 0 */
    const char *const *key_chains VN_UNSET; /* compares only what is at or below these; NULL: all */
} vn_tree_identical_opts;
/* 1 if every tree equals the first one, 0 if not, -1 on failure. NaN equals NaN. */
VN_API int vn_tree_identical(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* The same without values: keys, kinds, dtypes and shapes. */
VN_API int vn_tree_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* The same as a code: VN_E_STRUCT with a description of the differences. */
VN_API int vn_tree_assert_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* 1 if the trees have the same number of arrays, with the same shapes when ordered by size, whatever their keys. */
VN_API int vn_tree_identical_array_shapes(int n, const vn_tree *const *trees);

typedef struct vn_tree_structure_opts {
    size_t size VN_UNSET;
    int no_shapes VN_UNSET; /* of structures: compare only keys */
    int partial VN_UNSET;   /* t's part may have more entries than s */
} vn_tree_structure_opts;
/* The chain of the first sub-tree (or the tree itself, "") that equals s, with the same arrays (handles). NULL without an error if there is
 * none. */
VN_API const char *vn_tree_find_sub_tree(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts VN_OR(NULL));
VN_API int vn_tree_contains_sub_tree(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts VN_OR(NULL));
/* The same for keys and shapes of arrays, whatever their values. */
VN_API const char *vn_tree_find_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts VN_OR(NULL));
VN_API int vn_tree_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts VN_OR(NULL));
/* A code: VN_E_STRUCT, with a description of how s differs from the tree itself, if s is not contained. */
VN_API int vn_tree_assert_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts VN_OR(NULL));

typedef enum vn_diff_mode { VN_DIFF_ALL = 0, VN_DIFF_SAME_ONLY = 1, VN_DIFF_ONLY = 2 } vn_diff_mode;
typedef struct vn_tree_diff_opts {
    size_t size VN_UNSET;
    vn_diff_mode mode VN_UNSET;
    int no_keys VN_UNSET;   /* an entry that only some trees have is not a difference: the first one is used */
    int no_values VN_UNSET; /* values are not compared */
    int no_shapes VN_UNSET; /* shapes are not compared (with values they are) */
} vn_tree_diff_opts;
/* Equal entries are kept; an entry that differs becomes a tree with one entry for each different value, under the key diff_ and the numbers
 * of the trees that have it: diff_0,2 and diff_1. Compared by value; a leaf against a tree is a difference. */
VN_API vn_tree *vn_tree_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts);
/* The same for keys and shapes. */
VN_API vn_tree *vn_tree_structural_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts);

/* ---- querying ------------------------------------------------------------------------------------------------------------------- */

VN_API int vn_tree_num_arrays(const vn_tree *t); /* the same as vn_tree_leaves; -1 on failure */
VN_API int vn_tree_max_depth(const vn_tree *t);  /* the number of keys in the longest chain; 0: empty; -1 on failure */
/* The arrays as one flat tree (keys of the chain joined by "__"), the smallest first. */
VN_API vn_tree *vn_tree_size_ordered_arrays(const vn_tree *t);
/* Each array replaced by the list of its dims, a number by an empty list. */
VN_API vn_tree *vn_tree_shapes(const vn_tree *t);
/* The shape that all arrays share, with -1 where sizes differ. Returns a code: VN_E_SHAPE if ranks differ or there are no arrays. */
VN_API int vn_tree_shape(const vn_tree *t, vn_shape *shape);
/* The engine that all arrays are on; NULL without an error if they are on several. */
VN_API const char *vn_tree_engine_of(const vn_tree *t);
/* Groups of chains that hold the same array. Each group, and the list of groups, is NULL-terminated. */
VN_API const char *const *const *vn_tree_duplicate_array_key_chains(const vn_tree *t, int *n);

typedef struct vn_tree_truth_opts {
    size_t size VN_UNSET;
    int assert_is_bool VN_UNSET; /* a leaf that is not a bool array is VN_E_DTYPE */
    int reserved VN_UNSET;       /* 0 */
} vn_tree_truth_opts;
/* Truth: an array is true when all its elements are not zero, false when all are zero; null is false. 1, 0, or -1 on failure. */
VN_API int vn_tree_all_true(const vn_tree *t, const vn_tree_truth_opts *opts VN_OR(NULL));
VN_API int vn_tree_all_false(const vn_tree *t, const vn_tree_truth_opts *opts VN_OR(NULL));
/* The chains of the leaves for which a function is not 0, and whether there is one (1, 0, or -1 on failure). */
typedef int (*vn_tree_test_fn)(vn_value leaf, const char *chain, void *user);
VN_API const char *const *vn_tree_argwhere(const vn_tree *t, vn_tree_test_fn fn, void *user, int *n);
VN_API int vn_tree_any(const vn_tree *t, vn_tree_test_fn fn, void *user);
/* Each array replaced by a single bool, vn_all of it; numbers by 0 or 1; null by 0. */
VN_API vn_tree *vn_tree_as_bools(const vn_tree *t);

typedef struct vn_tree_text_opts {
    size_t size VN_UNSET;
    int64_t print_limit VN_UNSET; /* 0: the tree's own setting */
    int indent VN_UNSET;          /* spaces per level; 0: 4 */
    int max_depth VN_UNSET;       /* deeper trees are printed as {...}; 0: no limit */
    const char *only VN_UNSET;    /* a chain: entries that are neither on the path to it nor below it are printed as ... */
} vn_tree_text_opts;
/* The tree as text, one entry per line; evaluates the arrays it shows. */
VN_API const char *vn_tree_text(const vn_tree *t, const vn_tree_text_opts *opts VN_OR(NULL));
VN_API int vn_tree_fprint(FILE *to, const vn_tree *t, const vn_tree_text_opts *opts VN_OR(NULL));

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_tree_prune_empty(...) vn_tree_prune_empty(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_tree_prune_key_from_key_chains(...) vn_tree_prune_key_from_key_chains(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_map(...) vn_tree_map(__VA_ARGS__ VN__REST4(__VA_ARGS__)(, , , , NULL))
#define vn_tree_map_sub_trees(...) vn_tree_map_sub_trees(__VA_ARGS__ VN__REST4(__VA_ARGS__)(, , , , NULL))
#define vn_tree_flatten_key_chains(...) vn_tree_flatten_key_chains(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_tree_slice_keys(...) vn_tree_slice_keys(__VA_ARGS__ VN__REST4(__VA_ARGS__)(, , , , NULL))
#define vn_tree_slice_letters(...) vn_tree_slice_letters(__VA_ARGS__ VN__REST4(__VA_ARGS__)(, , , , NULL))
#define vn_tree_rearrange(...) vn_tree_rearrange(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_einops_reduce(...) vn_tree_einops_reduce(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_einops_repeat(...) vn_tree_einops_repeat(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_find_sub_tree(...) vn_tree_find_sub_tree(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_contains_sub_tree(...) vn_tree_contains_sub_tree(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_find_sub_structure(...) vn_tree_find_sub_structure(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_contains_sub_structure(...) vn_tree_contains_sub_structure(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_assert_contains_sub_structure(...) vn_tree_assert_contains_sub_structure(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_tree_all_true(...) vn_tree_all_true(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_tree_all_false(...) vn_tree_all_false(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_tree_text(...) vn_tree_text(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_tree_fprint(...) vn_tree_fprint(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#endif

#endif
