/* SPDX-License-Identifier: Apache-2.0 */
/* shards.c: optimizer state shared out over the ranks (the first stage of ZeRO). Each parameter belongs to a rank, which alone has its state
 * and moves it, then gives it to the others. Parameters are moved whole, by the same kernels as on one rank, so the bits are the same.
 * Files hold the whole state: it is brought together on the first rank to be saved, and each rank keeps its own of what is loaded. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/optim.h"
#include "tree/tree.h"
#include <string.h>

static const char who[] = "fit";

/* A copy of a leaf's key chain, which is valid only until the next call. */
static const char *key_at(const vn_tree *t, int i, char to[static VN__KEY_CHAIN])
{
    const char *key = vn_tree_leaf_key(t, i);
    if (key) snprintf(to, VN__KEY_CHAIN, "%s", key);
    return key ? to : NULL;
}

static size_t bytes_of(vn_array *x)
{
    return (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x));
}

/* Each goes to the rank that has the fewest bytes so far. */
static int share_out(vn__fit *f)
{
    const vn_tree *v = vn_module_v(f->module);
    const int n = v ? vn_tree_leaves(v) : -1;
    if (n < 0) return vn_status();
    f->owner = vn__calloc(((size_t)n + 1) * sizeof *f->owner);
    size_t *load = vn__calloc((size_t)f->group->ranks * sizeof *load);
    int code = f->owner && load ? VN_OK : vn__no_memory(who);
    for (int i = 0; i < n && !code; i++) {
        vn_array *w = vn_tree_leaf(v, i);
        int least = 0;
        for (int k = 1; k < f->group->ranks; k++)
            if (load[k] < load[least]) least = k;
        f->owner[i] = least;
        if (!w) code = vn_status();
        else load[least] += bytes_of(w);
    }
    vn__free(load);
    return code;
}

int vn__shards_begin(vn__fit *f)
{
    if (!f->o.shard_optimizer || !f->group->comm) return VN_OK;
    const vn__optimizer *b = vn__optim_of(f->optim);
    bool apart = !b->n_parts && !(b->rule->all && !b->rule->fused);
    for (int k = 0; k < VN__OPTIM_SLOTS; k++) apart = apart && !(b->rule->slots[k].name && b->rule->slots[k].single);
    if (!apart)
        return vn__fail(VN_E_ARG, "%s: shard_optimizer needs an optimizer that moves each parameter by itself, such as adam; %s does not",
                        who, b->rule->name);
    if (b->accumulate > 1) return vn__fail(VN_E_ARG, "%s: shard_optimizer and vn_optim_accumulate: use micro_batches instead", who);
    return share_out(f);
}

/* ---- a step ---- */

/* The parameters in memory, those of a rank one after the other. */
typedef struct {
    int n;
    vn_array **w;
    size_t *at;           /* of each parameter */
    size_t *begin, bytes; /* of each rank's, and one more, the end; of all */
    char *memory;
} packed;

static int pack(const vn__fit *f, packed *k)
{
    const vn_tree *v = vn_module_v(f->module);
    const size_t ranks = (size_t)f->group->ranks, n = v ? (size_t)vn_tree_leaves(v) : 0;
    *k = (packed){.n = (int)n};
    k->w = vn__scope_memory((n + 1) * sizeof *k->w, who), k->at = vn__scope_memory((n + 1) * sizeof *k->at, who);
    k->begin = vn__scope_memory((ranks + 1) * sizeof *k->begin, who);
    if (!v || !k->w || !k->at || !k->begin) return vn_status();
    for (size_t i = 0; i < n; i++)
        if (!(k->w[i] = vn_tree_leaf(v, (int)i))) return vn_status();
    for (size_t rank = 0; rank <= ranks; rank++) {
        k->begin[rank] = k->bytes;
        for (size_t i = 0; i < n && rank < ranks; i++)
            if (f->owner[i] == (int)rank) k->at[i] = k->bytes, k->bytes += bytes_of(k->w[i]);
    }
    k->memory = vn__block_alloc(k->bytes + 1);
    int code = k->memory ? VN_OK : vn__no_memory(who);
    for (size_t i = 0; i < n && !code; i++)
        if (f->owner[i] == f->group->rank) code = vn_read(k->w[i], k->memory + k->at[i], bytes_of(k->w[i]));
    return code;
}

static int take_theirs(const vn__fit *f, const packed *k)
{
    for (int i = 0; i < k->n; i++) {
        VN_SCOPE;
        vn_array *w = k->w[i];
        if (f->owner[i] == f->group->rank) continue;
        vn_array *x = vn_to(vn_from_host(k->memory + k->at[i], vn_dtype_of(w), vn_shape_of(w)), vn_engine_of(w));
        if (x && vn_is_variable(w)) x = vn_variable(x);
        if (!x || !vn_into(w, x)) return vn_status();
    }
    return VN_OK;
}

/* Every rank's parameters, on all ranks, after `code` on this one. */
static int share_parameters(const vn__fit *f, int code)
{
    const vn__group *g = f->group;
    packed k = {0};
    code = vn__group_agree(g, code ? code : pack(f, &k), who);
    for (int rank = 0; rank < g->ranks && !code; rank++) {
        vn_transfer t = {.kind = VN_TRANSFER_BROADCAST, .dtype = VN_U8, .rank = rank};
        t.out = k.memory + k.begin[rank], t.count = (int64_t)(k.begin[rank + 1] - k.begin[rank]);
        if (t.count) code = vn__group_move(g, &t, who);
    }
    if (!code) code = take_theirs(f, &k);
    vn__group_block_free(k.memory);
    return code;
}

int vn__shards_step(vn__fit *f, const vn_tree *grads)
{
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module), *own = vn_tree_copy(grads);
    vn__optimizer *b = vn__optim_of(f->optim);
    int code = v && own ? VN_OK : (int)vn_status();
    for (int i = 0; !code && i < vn_tree_leaves(v); i++) {
        char room[VN__KEY_CHAIN];
        const char *key = key_at(v, i, room);
        if (!key) code = vn_status();
        else if (f->owner[i] != f->group->rank && vn_tree_has(own, key)) code = vn_tree_set_null(own, key);
    }
    b->whole = grads; /* clipping looks at all of them */
    if (!code) code = vn_step(f->optim, v, own);
    b->whole = NULL;
    return share_parameters(f, code);
}

/* ---- files ---- */

/* Whether an array of the state, "m/layers/0/w", is of a parameter that this rank owns, or of none. */
static int find_own(const vn__fit *f, const vn_tree *v, const char *chain, bool *own)
{
    const size_t length = strlen(chain);
    *own = true;
    for (int i = 0; i < vn_tree_leaves(v); i++) {
        const char *key = vn_tree_leaf_key(v, i);
        if (!key) return vn_status();
        const size_t n = strlen(key);
        if (length <= n || chain[length - n - 1] != '/' || strcmp(chain + length - n, key) != 0) continue;
        *own = f->owner[i] == f->group->rank;
        break;
    }
    return VN_OK;
}

int vn__shards_keep_own(vn__fit *f)
{
    if (!f->owner) return VN_OK;
    VN_SCOPE;
    vn__optimizer *b = vn__optim_of(f->optim);
    const vn_tree *v = vn_module_v(f->module);
    vn_tree *own = v ? vn_tree_new(NULL) : NULL;
    int code = own ? VN_OK : (int)vn_status();
    for (int i = 0, n = vn_tree_leaves(b->state); i < n && !code; i++) {
        char room[VN__KEY_CHAIN];
        const char *chain = key_at(b->state, i, room);
        bool mine = false;
        code = chain ? find_own(f, v, chain, &mine) : (int)vn_status();
        if (mine && !code) code = vn_tree_set(own, chain, vn_tree_leaf(b->state, i));
    }
    if (code) return code;
    vn_tree_drop(b->state);
    b->state = vn_tree_keep(own);
    return VN_OK;
}

enum { TAG = 32766 };

static int send_state(const vn__fit *f, const vn_tree *state)
{
    const int64_t n = vn_tree_leaves(state);
    int code = vn_group_send(f->o.group, vn_from_host(&n, VN_I64, VN_0D), 0, TAG);
    for (int i = 0; i < n && !code; i++) {
        char room[VN__KEY_CHAIN];
        const char *chain = key_at(state, i, room);
        vn_array *x = chain ? vn_tree_leaf(state, i) : NULL;
        if (!x) return vn_status();
        code = vn_group_send(f->o.group, vn_from_host(chain, VN_U8, VN_SHAPE((int64_t)strlen(chain) + 1)), 0, TAG);
        if (!code) code = vn_group_send(f->o.group, x, 0, TAG);
    }
    return code;
}

static int receive_state(const vn__fit *f, int from, vn_tree *state)
{
    vn_array *count = vn_group_receive(f->o.group, from, TAG);
    int code = count ? VN_OK : (int)vn_status();
    for (int64_t i = 0, n = code ? 0 : (int64_t)vn_item(count); i < n && !code; i++) {
        VN_SCOPE;
        vn_array *chain = vn_group_receive(f->o.group, from, TAG), *x = chain ? vn_group_receive(f->o.group, from, TAG) : NULL;
        const char *text = x ? vn_data(chain) : NULL;
        vn_array *here = text ? vn_to(x, vn_using()) : NULL;
        code = here ? vn_tree_set(state, text, here) : (int)vn_status();
    }
    return code;
}

int vn__shards_collect(vn__fit *f)
{
    if (!f->owner) return VN_OK;
    VN_SCOPE;
    vn_tree *state = vn__optim_of(f->optim)->state;
    int code = f->group->rank ? send_state(f, state) : VN_OK;
    for (int k = 1; k < f->group->ranks && !f->group->rank && !code; k++) code = receive_state(f, k, state);
    if (code) vn__group_give_up(vn_message()); /* the others wait for its state, or to be rid of theirs */
    return code;
}
