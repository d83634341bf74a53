/* tree.h: everything trees can do. vinea.h has the few functions most programs need.
 *
 * A tree is an ordered map from names to values. A value is an array, a tree, a number or null:
 *
 *     vn_tree *t = vn_tree_of("enc/w", w, "enc/b", b, NULL);
 *     vn_tree_set_number(t, "rate", .1);
 *     vn_tree *u = vn_tree_prune_keys(t, VN_KEYS("b"), NULL);
 *     puts(vn_tree_text(u, NULL));
 *
 * Key chains. Keys joined by '/' (or '.', so keys contain neither) reach into nested trees; "" is the tree itself. A chain has at most
 * 64 keys of at most 1024 bytes each. Wherever a list of chains selects something, a chain stands for all that is at or below it.
 *
 * Order. Keys are sorted by their bytes, or stand as they were put in (vn_tree_new_with); trees made inside a tree take over its
 * setting. Walks are depth first in that order.
 *
 * Lists are trees in order of insertion with the keys 0, 1, 2 ... (vn_tree_list, vn_tree_append), so "layers/0/w" reaches into one,
 * and everything here goes into lists without being asked to.
 *
 * Ownership. What a function returns (trees, arrays, texts, lists) belongs to the innermost scope; texts and lists cannot be passed
 * out of it: copy them. Trees keep what is put into them. Functions named set, append, create, assign or update change their tree;
 * all others leave it alone and return a new one, which shares the sub-trees and leaves that it did not have to change (the same
 * handles). To change a tree by one of those: vn_tree_assign(t, vn_tree_prune_empty(t, 0)).
 *
 * Errors. A failed function returns NULL, -1, a code or a value of kind VN_V_NONE, the thread keeps the first error, and no tree has
 * changed. NULL given for a tree is VN_E_NULL; trees deeper than 64 or with more than 16 million entries are VN_E_STRUCT. */
#ifndef VINEA_TREE_H
#define VINEA_TREE_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

typedef enum vn_value_kind {
    VN_V_NONE = 0, /* nothing: absent, or the call failed */
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

/* A list of keys or chains, as the functions below take it: NULL stands at its end. */
#define VN_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* One place of a tree. */
typedef struct vn_tree_item {
    const char *chain;
    vn_value value;
} vn_tree_item;

/* ---- making, looking up, setting ---------------------------------------------------------------------------------------------- */

typedef struct vn_tree_opts {
    size_t size;
    int insertion_order; /* keys stay as they were put in, instead of sorted */
    int64_t print_limit; /* arrays with more elements print their shape only; 0: 10 */
} vn_tree_opts;

/* An empty tree with settings. */
VN_API vn_tree *vn_tree_new_with(const vn_tree_opts *opts);
/* A list of arrays. n may be 0; vn_tree_append adds to it. */
VN_API vn_tree *vn_tree_list(int n, vn_array *const *arrays);
/* Adds a value to a list, or to any tree under the first free key of the form 0, 1, 2 ... from the number of entries on. Returns a code. */
VN_API int vn_tree_append(vn_tree *t, vn_value value);

/* How many entries the tree itself has, and the tree at key i of a list: for (int i = 0; i < vn_tree_count(l); i++) ... vn_tree_at(l, i).
 * -1 and NULL on failure. */
VN_API int vn_tree_count(const vn_tree *t);
VN_API vn_tree *vn_tree_at(const vn_tree *list, int i);

/* Put a value at a chain, making the trees on the way. Return a code: VN_E_STRUCT when something on the way is no tree. */
VN_API int vn_tree_set_number(vn_tree *t, const char *chain, double number);
VN_API int vn_tree_set_null(vn_tree *t, const char *chain);
VN_API int vn_tree_set_value(vn_tree *t, const char *chain, vn_value value);
/* The same if nothing stands there yet; else nothing happens. */
VN_API int vn_tree_create_if_absent(vn_tree *t, const char *chain, vn_value value);

/* What stands at a chain; VN_E_STRUCT when nothing does. */
VN_API vn_value vn_tree_value(const vn_tree *t, const char *chain);
/* The same, but kind VN_V_NONE without an error when nothing stands there. */
VN_API vn_value vn_tree_if_exists(const vn_tree *t, const char *chain);
/* The same, but the tree itself when nothing stands there. */
VN_API vn_value vn_tree_try_key_chain(const vn_tree *t, const char *chain);
/* The array at a chain, or NULL without an error when there is no array. */
VN_API vn_array *vn_tree_get_or_null(const vn_tree *t, const char *chain);
/* 1 if something stands at the chain ("" always), 0 if not. The same as vn_tree_has. */
VN_API int vn_tree_has_key_chain(const vn_tree *t, const char *chain);
/* 1 if the key is somewhere in the tree, at any depth. */
VN_API int vn_tree_has_key(const vn_tree *t, const char *key);
/* The keys of the tree itself, in order, NULL at the end; their number in *n, which may be NULL. */
VN_API const char *const *vn_tree_keys(const vn_tree *t, int *n);

/* ---- changing in place -------------------------------------------------------------------------------------------------------- */

/* t gets the contents of `from`. Sub-trees of t whose chain is a tree in `from` too stay the same handles. Returns a code. */
VN_API int vn_tree_assign(vn_tree *t, const vn_tree *from);
/* Puts every entry of `from` into t, in place at every depth; what `from` does not have stays. Returns a code. */
VN_API int vn_tree_inplace_update(vn_tree *t, const vn_tree *from);

/* ---- new trees with other entries --------------------------------------------------------------------------------------------- */

/* The tree with a value at a chain; trees on the way are made. */
VN_API vn_tree *vn_tree_set_at_key_chain(const vn_tree *t, const char *chain, vn_value value);
/* The same, but VN_E_STRUCT if nothing stands there. */
VN_API vn_tree *vn_tree_overwrite_at_key_chain(const vn_tree *t, const char *chain, vn_value value);
/* The tree with every leaf of `from` at the same chain. */
VN_API vn_tree *vn_tree_set_at_key_chains(const vn_tree *t, const vn_tree *from);
/* The same, but VN_E_STRUCT, naming the chain, if a leaf of `from` stands where t has nothing. */
VN_API vn_tree *vn_tree_overwrite_at_key_chains(const vn_tree *t, const vn_tree *from);
/* The tree with the value of every occurrence of a key of `map`, at any depth, replaced by map's value. */
VN_API vn_tree *vn_tree_set_at_keys(const vn_tree *t, const vn_tree *map);

typedef struct vn_tree_select_opts {
    size_t size;
    int ignore_missing; /* at_key_chains: chains that are not there are no error */
    int containing;     /* at_keys, prune_keys: a part of a key is enough */
} vn_tree_select_opts;
/* The tree made of these chains. A chain that is not there is VN_E_STRUCT, unless ignored. */
VN_API vn_tree *vn_tree_at_key_chains(const vn_tree *t, const char *const *chains, const vn_tree_select_opts *opts);
/* The tree made of the leaves that have one of these keys somewhere in their chain. */
VN_API vn_tree *vn_tree_at_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts);
/* The tree without what is at or below chains; trees that become empty by this disappear. A chain that is not there is no error. */
VN_API vn_tree *vn_tree_prune_key_chain(const vn_tree *t, const char *chain);
VN_API vn_tree *vn_tree_prune_key_chains(const vn_tree *t, const char *const *chains);
/* The tree without these keys, at any depth; trees that become empty by this disappear. */
VN_API vn_tree *vn_tree_prune_keys(const vn_tree *t, const char *const *keys, const vn_tree_select_opts *opts);
/* The tree without empty trees and, unless kept, null leaves. */
VN_API vn_tree *vn_tree_prune_empty(const vn_tree *t, int keep_nulls);
/* Removes a level: the children of every tree with this key (`absolute`), or with a key that has this text in it (`containing`), move
 * up one. Either may be NULL. A leaf with such a key takes its tree's place. VN_E_STRUCT when two entries then claim one place. */
VN_API vn_tree *vn_tree_prune_key_from_key_chains(const vn_tree *t, const char *absolute, const char *containing);

/* ---- walking ------------------------------------------------------------------------------------------------------------------ */

typedef struct vn_tree_iterate_opts {
    size_t size;
    int include_empty;  /* empty trees are visited too */
    int leaf_keys_only; /* the last key of each chain instead of the chain */
    int arrays_only;    /* no numbers, no null leaves */
} vn_tree_iterate_opts;
/* The leaves with their chains, depth first; the item after the last has chain NULL. Their number in *n, which may be NULL. */
VN_API const vn_tree_item *vn_tree_iterate(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n);
/* The chains alone, NULL at the end. */
VN_API const char *const *vn_tree_all_key_chains(const vn_tree *t, const vn_tree_iterate_opts *opts, int *n);
/* Those of them that have this text in them. */
VN_API const char *const *vn_tree_key_chains_containing(const vn_tree *t, const char *text, const vn_tree_iterate_opts *opts, int *n);
/* The chains of leaves that all trees have, NULL at the end. */
VN_API const char *const *vn_tree_common_key_chains(int n_trees, const vn_tree *const *trees, int *n);

/* Functions of the user's. They run in a scope of their own; what they return is passed out of it. VN_V_NONE means failure. They must not
 * change the trees that are being walked over. */
typedef vn_value (*vn_tree_map_fn)(vn_value value, const char *chain, void *user);
typedef vn_value (*vn_tree_multi_fn)(const vn_value *values, int n, const char *chain, void *user);
typedef struct vn_tree_map_opts {
    size_t size;
    const char *const *key_chains; /* only what is at or below these; NULL: all */
    int others;                    /* all but these instead */
    int prune_unapplied;           /* leaves that fn was not applied to are dropped instead of kept */
    int inplace;                   /* map, map_sub_trees: t itself is changed and returned; its sub-trees stay the same handles */
    int no_self;                   /* map_sub_trees: not the tree itself */
    int assert_identical;          /* multi_map: VN_E_STRUCT with a description when the structures differ */
} vn_tree_map_opts;
/* fn applied to every leaf: arrays, numbers and null. Same structure. */
VN_API vn_tree *vn_tree_map(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts);
/* fn applied to every array; numbers and null stay. */
VN_API vn_tree *vn_tree_map_arrays(const vn_tree *t, vn_array_fn fn, void *user);
/* fn applied to every sub-tree, the inner ones first (so that it sees the results), and at last to the tree itself, for which it must
 * return a tree. */
VN_API vn_tree *vn_tree_map_sub_trees(vn_tree *t, vn_tree_map_fn fn, void *user, const vn_tree_map_opts *opts);
/* fn applied leaf by leaf to several trees. Inputs that are no trees are repeated for every leaf. The result has all keys of all trees;
 * fn gets the values that are there, and a leaf together with the sub-tree at the same chain when the trees disagree. */
VN_API vn_tree *vn_tree_multi_map(vn_tree_multi_fn fn, int n, const vn_value *in, void *user, const vn_tree_map_opts *opts);
/* fn applied leaf by leaf to trees of the same structure (VN_E_STRUCT with a description when they are not). */
VN_API vn_tree *vn_tree_reduce(int n, const vn_tree *const *trees, vn_tree_multi_fn fn, void *user);

/* Any op of the table on trees: vn_call leaf by leaf. Each input is an array (VN_NONE where one may be absent), a number or a tree. Trees
 * are aligned by chain, others are used for every leaf. Each result is a tree like the first tree given, or an array when there is none.
 * Null stays null where all trees have it. A chain that one tree has and another has not is VN_E_STRUCT. Returns a code; out holds
 * VN_V_NONE on failure. */
VN_API int vn_tree_apply(const char *op, const vn_value *in, int n_in, const vn_option *options, int n_options, vn_value *out, int n_out);

/* ---- structure ---------------------------------------------------------------------------------------------------------------- */

typedef struct vn_tree_flatten_opts {
    size_t size;
    int include_empty;
    int above_height; /* the lowest levels that stay nested */
    int below_depth;  /* the highest levels that stay nested */
} vn_tree_flatten_opts;
/* One level deep: the keys of each chain joined by "__". VN_E_STRUCT when two leaves then have one key. */
VN_API vn_tree *vn_tree_flatten_key_chains(const vn_tree *t, const vn_tree_flatten_opts *opts);
/* All leaves in order, and back: a tree like t with other leaves. n must be the number of t's leaves. */
VN_API const vn_value *vn_tree_to_flat_list(const vn_tree *t, int *n);
VN_API vn_tree *vn_tree_from_flat_list(const vn_tree *t, int n, const vn_value *leaves);

/* The tree without its keys: every tree in it becomes a list of its values, in order. */
VN_API vn_tree *vn_tree_to_nested_list(const vn_tree *t);

typedef struct vn_tree_restructure_opts {
    size_t size;
    int keep_orig; /* begin with t instead of an empty tree */
    int replace;   /* with keep_orig: what was moved is removed at its old chain */
} vn_tree_restructure_opts;
typedef struct vn_tree_move {
    const char *from, *to; /* chains; "" is the whole tree */
    const vn_shape *split; /* on every array at or below `from`: first vn_reshape to this, unless NULL; */
    const vn_axes *axes;   /* then vn_permute_dims, unless NULL; */
    const vn_shape *shape; /* then vn_reshape, unless NULL; */
    const char *pattern;   /* then vn_rearrange by this pattern, unless NULL, */
    const char *sizes;     /* with these sizes; NULL: none */
} vn_tree_move;
/* Moves leaves and sub-trees: pairs of old and new chain, NULL at the end. VN_E_STRUCT when an old chain is not there. */
VN_API vn_tree *vn_tree_restructure_key_chains(const vn_tree *t, const char *const *pairs, const vn_tree_restructure_opts *opts);
/* The same, with a transposition of each array. */
VN_API vn_tree *vn_tree_restructure(const vn_tree *t, int n, const vn_tree_move *moves, const vn_tree_restructure_opts *opts);

/* Sub-trees at that depth (the root has 0) become empty, so that no chain has more than `depth` keys. */
VN_API vn_tree *vn_tree_cutoff_at_depth(const vn_tree *t, int depth);
/* Sub-trees of at most that height (a tree with leaves only has 1) become empty, the tree itself included. */
VN_API vn_tree *vn_tree_cutoff_at_height(const vn_tree *t, int height);
/* Keeps the keys number begin to end - 1; negative numbers count from the end. With all_depths in every sub-tree too. */
VN_API vn_tree *vn_tree_slice_keys(const vn_tree *t, int64_t begin, int64_t end, int all_depths);
/* Keeps the keys whose first letter is in the range, both ends included. */
VN_API vn_tree *vn_tree_slice_letters(const vn_tree *t, char first, char last, int all_depths);
/* Replaces each tree that has this key by the value under it, inner trees first. VN_E_STRUCT if that turns the root into a leaf. */
VN_API vn_tree *vn_tree_slice_via_key(const vn_tree *t, const char *key);
/* The same entries with sorted keys at every depth. */
VN_API vn_tree *vn_tree_sort_by_key(const vn_tree *t);
/* Every leaf under the chain that fn makes of its chain; the text fn returns is copied at once. VN_E_STRUCT on two leaves at one place. */
typedef const char *(*vn_tree_name_fn)(const char *chain, void *user);
VN_API vn_tree *vn_tree_format_key_chains(const vn_tree *t, vn_tree_name_fn fn, void *user);

/* The union of the trees; where they disagree the last one wins, except that trees at one chain are united in turn. */
VN_API vn_tree *vn_tree_combine(int n, const vn_tree *const *trees);
/* Leaves of several trees of the same structure: at each chain the list of all their values. */
VN_API vn_tree *vn_tree_list_stack(int n, const vn_tree *const *trees);
/* Lists of several trees: at each chain where all have a list, one list of all their items. VN_E_STRUCT at a leaf outside lists. */
VN_API vn_tree *vn_tree_list_join(int n, const vn_tree *const *trees);
/* The arrays of several trees of the same structure added up, their mean, or one after another along the first axis (0-d arrays and
 * numbers as vectors of one element). Numbers too; null stays null. */
typedef enum vn_unify_mode { VN_UNIFY_SUM = 0, VN_UNIFY_MEAN = 1, VN_UNIFY_CONCAT = 2 } vn_unify_mode;
VN_API vn_tree *vn_tree_unify(int n, const vn_tree *const *trees, vn_unify_mode mode);

/* Arrays along an axis; negative axes count from the end. 0-d arrays, numbers and null stay as they are. */
VN_API vn_tree *vn_tree_index(const vn_tree *t, int64_t index);              /* t[i]: element i of the first axis, negative from the end */
VN_API vn_tree *vn_tree_slice(const vn_tree *t, int64_t begin, int64_t end); /* t[begin:end], cut to the axis as Python does */
/* One tree per element of the axis, without that axis; NULL at the end. All arrays must have the same size there. */
VN_API vn_tree *const *vn_tree_unstack(const vn_tree *t, int axis, int *n);
/* n trees of equal parts; NULL at the end. The axis of each array must be divisible by n. */
VN_API vn_tree *const *vn_tree_split(const vn_tree *t, int n, int axis);

/* vn_rearrange, vn_einops_reduce and vn_einops_repeat of every array; numbers and null stay. */
VN_API vn_tree *vn_tree_rearrange(const vn_tree *t, const char *pattern, const char *sizes);
VN_API vn_tree *vn_tree_einops_reduce(const vn_tree *t, const char *pattern, const char *reduction, const char *sizes);
VN_API vn_tree *vn_tree_einops_repeat(const vn_tree *t, const char *pattern, const char *sizes);

/* A tree with sub-trees of its own and the same leaves. */
VN_API vn_tree *vn_tree_copy(const vn_tree *t);
/* The same with handles of its own for the arrays: vn_into and vn_step on one do not touch the other. Shared handles stay shared. */
VN_API vn_tree *vn_tree_deep_copy(const vn_tree *t);

/* ---- comparing ---------------------------------------------------------------------------------------------------------------- */

typedef struct vn_tree_identical_opts {
    size_t size;
    int no_types;                  /* dtypes, and numbers against 0-d arrays, need not agree */
    int no_shapes;                 /* shapes need not agree (by identity and by value they do anyway) */
    int no_same_arrays;            /* arrays need not be the same handles; */
    int no_arrays_equal;           /* with no_same_arrays: nor equal by value */
    int partial;                   /* keys that one of the two compared trees has not are not looked at */
    const char *const *key_chains; /* only what is at or below these is compared; NULL: all */
} vn_tree_identical_opts;
/* 1 if every tree is like the first one, 0 if not, -1 on failure. By value NaN equals NaN. */
VN_API int vn_tree_identical(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* The same without values: keys, kinds, dtypes and shapes. */
VN_API int vn_tree_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* The same as a code: VN_E_STRUCT with a description of the differences. */
VN_API int vn_tree_assert_identical_structure(int n, const vn_tree *const *trees, const vn_tree_identical_opts *opts);
/* 1 if the trees have as many arrays, of the same shapes when put in order of size, whatever their keys. */
VN_API int vn_tree_identical_array_shapes(int n, const vn_tree *const *trees);

/* Is there a sub-tree (or the tree itself) that is s, with the same arrays (handles)? With `partial` it may have more entries than s. The
 * chain of the first one, "" for the tree itself; NULL without an error when there is none. */
VN_API const char *vn_tree_find_sub_tree(const vn_tree *t, const vn_tree *s, int partial);
VN_API int vn_tree_contains_sub_tree(const vn_tree *t, const vn_tree *s, int partial);
typedef struct vn_tree_structure_opts {
    size_t size;
    int no_shapes; /* keys alone */
    int partial;
} vn_tree_structure_opts;
/* The same for keys and shapes of arrays, whatever their values. */
VN_API const char *vn_tree_find_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts);
VN_API int vn_tree_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts);
/* A code: VN_E_STRUCT, with a description of how s differs from the tree itself, when it is not contained. */
VN_API int vn_tree_assert_contains_sub_structure(const vn_tree *t, const vn_tree *s, const vn_tree_structure_opts *opts);

typedef enum vn_diff_mode { VN_DIFF_ALL = 0, VN_DIFF_SAME_ONLY = 1, VN_DIFF_ONLY = 2 } vn_diff_mode;
typedef struct vn_tree_diff_opts {
    size_t size;
    vn_diff_mode mode;
    int no_keys;   /* an entry that only some trees have is not a difference: the first one stands */
    int no_values; /* values are not compared */
    int no_shapes; /* shapes are not compared (with values they are) */
} vn_tree_diff_opts;
/* Equal entries stay; where the trees differ stands a tree with one entry for each different value, under the key diff_ and the numbers of
 * the trees that have it: diff_0,2 and diff_1. Compared by value; a leaf against a tree is a difference. */
VN_API vn_tree *vn_tree_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts);
/* The same for keys and shapes only. */
VN_API vn_tree *vn_tree_structural_diff(int n, const vn_tree *const *trees, const vn_tree_diff_opts *opts);

/* ---- asking ------------------------------------------------------------------------------------------------------------------- */

VN_API int vn_tree_num_arrays(const vn_tree *t); /* the same as vn_tree_leaves; -1 on failure */
VN_API int vn_tree_max_depth(const vn_tree *t);  /* the number of keys in the longest chain; 0: empty; -1 on failure */
/* The arrays as one flat tree (keys of the chain joined by "__"), the smallest first. */
VN_API vn_tree *vn_tree_size_ordered_arrays(const vn_tree *t);
/* Each array replaced by the list of its sizes; a number by an empty list. */
VN_API vn_tree *vn_tree_shapes(const vn_tree *t);
/* The shape that all arrays share, -1 where sizes differ. Returns a code: VN_E_SHAPE when ranks differ or there are no arrays. */
VN_API int vn_tree_shape(const vn_tree *t, vn_shape *shape);
/* The engine that all arrays live on; NULL without an error when there is no such one. */
VN_API const char *vn_tree_engine_of(const vn_tree *t);
/* Groups of chains that hold one and the same array. Each group ends with NULL, and so does the list. */
VN_API const char *const *const *vn_tree_duplicate_array_key_chains(const vn_tree *t, int *n);

/* Truth: an array is true when all its elements are not zero, false when all are zero; null is false. 1, 0, or -1 on failure. With
 * assert_is_bool any leaf that is no bool array is VN_E_DTYPE. */
VN_API int vn_tree_all_true(const vn_tree *t, int assert_is_bool);
VN_API int vn_tree_all_false(const vn_tree *t, int assert_is_bool);
/* Each array replaced by a single bool, vn_all of it; numbers by 0 or 1; null by 0. */
VN_API vn_tree *vn_tree_as_bools(const vn_tree *t);

typedef struct vn_tree_text_opts {
    size_t size;
    int64_t print_limit; /* 0: the tree's own setting */
    int indent;          /* blanks per level; 0: 4 */
    int max_depth;       /* deeper trees print as {...}; 0: no limit */
    const char *only;    /* a chain: what is not on the way to it or below it prints as ... */
} vn_tree_text_opts;
/* The tree as text, one entry per line; evaluates the arrays it shows. */
VN_API const char *vn_tree_text(const vn_tree *t, const vn_tree_text_opts *opts);
VN_API int vn_tree_fprint(FILE *to, const vn_tree *t, const vn_tree_text_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
