/* SPDX-License-Identifier: Apache-2.0 */
/* tree_init.c: a tree of arrays from a list of paths, shapes and initialisers. */
#include "core/state.h"
#include "tree/tree.h"
#include <stdio.h>
#include <string.h>
#include <vinea/module.h>

static const char who[] = "tree_init";

/* The key on the engine that new arrays live on. */
static vn_array *key_here(vn_array *key)
{
    if (key == vn_none()) return vn__next_key(who);
    if (!vn__check(key, VN__ARRAY, who, "key")) return NULL;
    return vn__on_engine(key, vn_using());
}

/* While an array is made, every key it asks for comes from its path. */
static vn_array *make(const vn_tree_spec *spec, vn_dtype dtype, vn_array *key)
{
    const vn_init zeros = {0};
    const vn_init init = memcmp(&spec->init, &zeros, sizeof zeros) != 0 ? spec->init : vn_init_zeros();
    vn__key_source own = {.key = vn_random_named(key, spec->path)}, **source = &vn__peek()->key_source, *before = *source;
    if (!own.key) return NULL;
    *source = &own;
    vn_array *x = vn_init_array(init, spec->shape, spec->fan_in, spec->fan_out, dtype);
    *source = before;
    return x;
}

static int put(vn_tree *t, const vn_tree_spec *spec, vn_dtype dtype, vn_array *key)
{
    VN_SCOPE;
    const bool before = vn_status() != VN_OK;
    int parts, code = vn__chain_check(spec->path, who, &parts);
    if (code) return code;
    if (vn_tree_has(t, spec->path)) return vn__fail(VN_E_STRUCT, "%s: \"%.80s\" is given twice, or others are below it", who, spec->path);
    vn_array *x = make(spec, dtype, key);
    if (!x || vn_tree_set(t, spec->path, x)) {
        char name[128];
        snprintf(name, sizeof name, "%s: \"%.80s\"", who, spec->path);
        return before ? (int)vn_status() : vn__fail_in(name);
    }
    return VN_OK;
}

vn_tree *vn_tree_init(vn_array *key, int n, const vn_tree_spec *specs, vn_dtype dtype)
{
    if (n < 0) return vn__fail(VN_E_ARG, "%s: n is %d", who, n), NULL;
    if (n && !specs) return vn__fail(VN_E_NULL, "%s: specs is NULL", who), NULL;
    VN_SCOPE;
    vn_array *from = key_here(key);
    vn_tree *t = from ? vn_tree_new(NULL) : NULL;
    for (int i = 0; i < n && t; i++)
        if (put(t, &specs[i], dtype, from)) t = NULL; /* its scope frees it */
    return t ? vn_tree_pass(t) : NULL;
}
